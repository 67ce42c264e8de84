"""One part of one source -> Parquet files and counts; used by workers and by the main process."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from mqstat.base.selection import EPOCH, Selection
from mqstat.dataset.writer import PartWriter, WrittenFile
from mqstat.parsers import interval
from mqstat.parsers.batch import Lineage, LostKey, decode_chunk, known_bytes, lost_intervals, name_of, section_counts
from mqstat.parsers.columns import Ints
from mqstat.parsers.interval import ResolvedIntervals
from mqstat.parsers.ledger import Ledger
from mqstat.parsers.record import NONE, Records, count_into

MOST_ROWS = 1 << 19
"""Maximum number of rows that are decoded at a time; a chunk of intact records has a fraction of this."""

Other = dict[tuple[int, int], list[int]]
"""(lpar, SMF type) -> [records, bytes, first, last header time] of other SMF types."""

Holds = dict[tuple[int, int], list[int]]
"""(lpar, qmgr) -> [MQ records, first, last local time]."""

Sections = dict[tuple[int, ...], list[int]]
"""(lpar, qmgr, level, type, subtype, triplet, length) -> [sections, first, last header time]."""


@dataclass(frozen=True)
class Job:
    """How to process a source: numbers, selection, tables and columns to write, and the output folder."""

    source_id: int
    first_record_id: int
    selection: Selection
    wanted: Mapping[str, Collection[str]] | None
    root: Path
    keeps: bool = True
    """Whether the dataset is permanent: partitioned by day, with record numbers without gaps."""
    held_bytes: int = 0
    """Decoded rows of a source stay in memory up to this many bytes; only without `keeps`, and never in a worker."""


@dataclass
class PartResult:
    """Files, ledger and counts of one part, in the order of the input."""

    files: list[WrittenFile] = field(default_factory=list)
    tables: dict[str, pa.Table] = field(default_factory=dict)
    """The decoded rows by table if they stay in memory (`Job.held_bytes`)."""
    ledger: Ledger = field(default_factory=Ledger)
    others: Other = field(default_factory=dict)
    sections: Sections = field(default_factory=dict)
    damaged_spans: list[tuple[int, int, str, int | None, int]] = field(default_factory=list)
    """(offset, length, reason, record id, number of spans) of damage, as in `Damage`."""
    records: int = 0
    """Number of records of all types; the next part continues from it."""
    selected: int = 0
    """Records of type 115 and 116 that match the selection."""
    lost: dict[LostKey, int] = field(default_factory=dict)
    """Values that became null, by structure, column and reason."""
    holds: Holds = field(default_factory=dict)
    """The contents before selection; empty without a selection."""

    @property
    def types(self) -> dict[int, int]:
        """The records of other SMF types by type."""
        types: dict[int, int] = {}
        for (_, smf_type), (count, *_) in self.others.items():
            types[smf_type] = types.get(smf_type, 0) + count
        return types

    def merge(self, other: PartResult) -> None:
        """Add the part that follows."""
        self.files += other.files
        self.ledger.merge(other.ledger)
        add_counts(self.others, other.others, 2)
        add_counts(self.sections, other.sections, 1)
        self.damaged_spans += other.damaged_spans
        self.records += other.records
        self.selected += other.selected
        add_lost(self.lost, other.lost)
        add_counts(self.holds, other.holds, 1)


def add_lost(into: dict[LostKey, int], new: dict[LostKey, int]) -> None:
    """Add counts of values that became null."""
    for key, count in new.items():
        into[key] = into.get(key, 0) + count


def add_counts(into: dict, new: dict, sums: int) -> None:  # type: ignore[type-arg]
    """Add counts by key: the first `sums` numbers are summed; of the two times after them, the earliest and the latest
    are kept.
    """
    for key, value in new.items():
        have = into.get(key)
        if have is None:
            into[key] = list(value)
            continue
        for i in range(sums):
            have[i] += value[i]
        have[sums] = min((t for t in (have[sums], value[sums]) if t != NONE), default=NONE)
        have[sums + 1] = max(have[sums + 1], value[sums + 1])


class Accounts:
    """Counts the records of the chunks of one part, and selects those to decode."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.result = PartResult()

    def take(self, r: Records, resolved: ResolvedIntervals) -> tuple[bool, np.ndarray[Any, Any] | None]:
        """Account for one chunk: whether any record of it is to be decoded, and the mask of those (None = all).
        `interval.own_intervals` has been called on it.
        """
        interval.apply(r, resolved)
        job, wanted = self._job, self._job.wanted
        account(self.result, r, job.first_record_id, count_sections=not wanted or "section" in wanted)
        keep = None
        if len(r) and not job.selection.is_all:
            local = moments(r)
            add_counts(self.result.holds, holds(r, local), 1)
            keep = selected(job.selection, r, local)
        chosen = len(r) if keep is None else int(keep.sum())
        self.result.selected += chosen
        if chosen:
            add_lost(self.result.lost, lost_intervals(r, keep))
        return chosen > 0, keep


class TableWriter:
    """Decodes records and writes their tables; `close` adds the files to the result."""

    def __init__(self, job: Job, stem: str) -> None:
        self._job = job
        self._writer = PartWriter(job.root, stem, job.wanted, by_day=job.keeps, held_bytes=job.held_bytes)

    def take(
        self,
        r: Records,
        keep: np.ndarray[Any, Any] | None,
        lost: dict[LostKey, int],
        only: Collection[str] | None = None,
    ) -> None:
        """Decode the records of one chunk that are kept, of all structures or `only` some, and count in `lost` what
        became null.
        """
        job = self._job
        for part in parts(r, keep):
            batch = decode_chunk(r, job.source_id, job.first_record_id, job.wanted, keep=part, only=only)
            add_lost(lost, batch.lost)
            self._writer.add(batch)

    def close(self, result: PartResult) -> PartResult:
        """Write the remaining rows."""
        result.files = self._writer.close()
        result.tables = self._writer.tables
        return result

    def abandon(self) -> None:
        """Close the files without writing more."""
        self._writer.abandon()


class Writer(Protocol):
    """What takes the records of a part, as `TableWriter` does."""

    def take(self, r: Records, keep: np.ndarray[Any, Any] | None, lost: dict[LostKey, int], /) -> None:
        """Take the records of one chunk."""

    def close(self, result: PartResult, /) -> PartResult:
        """Complete the result."""

    def abandon(self) -> None:
        """Abandon the part."""


class PartRunner:
    """Takes the chunks of one part in order, accounts for them and writes their tables, or gives them to another
    writer; `close` returns the result.
    """

    def __init__(self, job: Job, stem: str, into: Writer | None = None) -> None:
        self._accounts = Accounts(job)
        self._writer: Writer = into or TableWriter(job, stem)

    def take(self, r: Records, resolved: ResolvedIntervals) -> None:
        """Account for and decode one chunk, as `Accounts.take` does."""
        needed, keep = self._accounts.take(r, resolved)
        if needed:
            self._writer.take(r, keep, self._accounts.result.lost)

    def close(self) -> PartResult:
        """Write the remaining rows."""
        return self._writer.close(self._accounts.result)

    def abandon(self) -> None:
        """Abandon the part."""
        self._writer.abandon()


def parts(r: Records, keep: np.ndarray[Any, Any] | None) -> Iterator[np.ndarray[Any, Any] | None]:
    """The records to decode at a time: all that are kept, or fewer if their sections are so short that too many rows
    would be in memory.
    """
    rows = np.cumsum(1 + np.bincount(r.triplet_record, weights=r.triplet_count, minlength=len(r)))
    if rows[-1] <= MOST_ROWS:
        yield keep
        return
    for number in np.unique(turn := rows // MOST_ROWS):
        yield turn == number if keep is None else (turn == number) & keep


def moments(r: Records) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Local time by which a record is selected and partitioned: start of the interval for statistics, otherwise the
    time written.
    """
    lineage = Lineage(r, 0, 0, np.zeros(len(r), np.uint32))
    local = lineage.numbers["interval_start_local"][0]
    return np.where((r.smf_type == 115) & (local != NONE), local, r.written)


def selected(selection: Selection, r: Records, local: Ints) -> np.ndarray[Any, Any]:
    """Mask of the records of a chunk that a selection keeps; `local` = their local microseconds (`moments`)."""
    mask = np.ones(len(r), bool)
    if selection.types:
        mask &= np.isin(r.smf_type, selection.types)
    if selection.qmgrs:
        names = [int(raw) for raw in np.unique(r.qmgr) if name_of(int(raw)) in selection.qmgrs]
        mask &= np.isin(r.qmgr, names)
    if selection.lpars:
        systems = [int(raw) for raw in np.unique(r.lpar) if name_of(int(raw)) in selection.lpars]
        mask &= np.isin(r.lpar, systems)
    if selection.since:
        mask &= (local != NONE) & (local >= _microseconds(selection.since))
    if selection.until:
        mask &= (local != NONE) & (local < _microseconds(selection.until))
    return mask


def _microseconds(when: dt.datetime) -> int:
    delta = when - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def holds(r: Records, local: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Holds:
    """Records and period of each queue manager in a chunk; `local` = their local microseconds, NONE if absent."""
    pairs = (r.lpar.astype(np.uint64) << np.uint64(32)) | r.qmgr.astype(np.uint64)
    by_manager: Holds = {}
    for pair, count in zip(*np.unique(pairs, return_counts=True), strict=True):
        known = local[(pairs == pair) & (local != NONE)]
        first, last = (int(known.min()), int(known.max())) if len(known) else (NONE, NONE)
        by_manager[int(pair) >> 32, int(pair) & 0xFFFFFFFF] = [int(count), first, last]
    return by_manager


def account(result: PartResult, r: Records, first_record_id: int, *, count_sections: bool = True) -> None:
    """Count every record and damaged span of a chunk in the ledger; sections only on request, because reports do not
    need them.
    """
    ledger = result.ledger
    for lpar, smf_type, count, size, first, last in r.others:
        add_counts(result.others, {(lpar, smf_type): [count, size, first, last]}, 2)
    damaged = count_into(ledger, r, first_record_id)
    if damaged:
        ledger.damage.sort(key=lambda span: span.offset)
        room = max(0, 10_000 - len(result.damaged_spans))
        result.damaged_spans += [
            (span.offset, span.length, span.reason, number, span.spans) for span, number in damaged[:room]
        ]
    if count_sections:
        _count_sections(result, r)
    result.records += len(r.chunk.base)


def _count_sections(result: PartResult, r: Records) -> None:
    """Count sections by kind and length, and sections that are longer than known."""
    sections = section_counts(r)
    for (_, _, _, smf_type, subtype, triplet, length), (count, _, _) in sections.items():
        known = known_bytes(smf_type, subtype, triplet)
        if known and length > known:
            result.ledger.add_tails(count, count * (length - known))
    add_counts(result.sections, sections, 1)
