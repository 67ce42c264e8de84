"""Takes inputs out of a dataset, which then is what it would be if it had never had them.

A record of such an input may be the first of equal ones, with the rows of all of them. Then the first of the others, in the order of sources and records, takes
the rows over: equal bytes decode equally, but for what a record takes from its neighbours in the dump, which its row in table record has.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.errors import UsageError, write_failure
from mqstat.dataset import finding_day, publishing, store
from mqstat.dataset.compact import declared, rewritten, unchanged
from mqstat.dataset.manifest import Change, DroppedSource, FileEntry, Manifest, SourceEntry
from mqstat.dataset.paths import day_of
from mqstat.dataset.place import Home, local, work_of
from mqstat.dataset.publishing import Staged, settled
from mqstat.dataset.reservation import MOST_RECORDS, first_record_id
from mqstat.dataset.steps import repeated
from mqstat.dataset.writer import PartWriter
from mqstat.parsers.batch import Batch
from mqstat.parsers.columns import Ints
from mqstat.parsers.record import NONE
from mqstat.parsers.tables import DATE, LINEAGE, OUTCOMES, TEXT, table_schemas

RECORD, DAMAGE, SOURCE, DUPLICATE = "record", "damage", "source", "duplicate"

OF_RECORD = [
    column.name for column in LINEAGE if column.name in table_schemas()[RECORD].names and column.name != "source_id"
]
"""The columns that a row has from the row of its record."""


@dataclass(frozen=True)
class Taken:
    """What a dataset without some inputs has: files that join and leave, entries of inputs that change, and the local days that had rows of these inputs."""

    files: list[Staged] = field(default_factory=list)
    retire: tuple[str, ...] = ()
    sources: tuple[SourceEntry, ...] = ()
    days: frozenset[dt.date] = frozenset()


def source_of(manifest: Manifest, word: str) -> SourceEntry:
    """The input with this number or name; UsageError if there is none, or several have the name."""
    named = [source for source in manifest.sources if word == str(source.source_id)]
    named = named or [source for source in manifest.sources if source.name == word]
    if len(named) == 1:
        return named[0]
    if named:
        numbers = ", ".join(str(source.source_id) for source in named)
        raise UsageError(f"{word} is the name of sources {numbers}; name one by its number.")
    raise UsageError(
        f'The dataset has no source {word}. List them: mqstat sql "SELECT source_id, source_name FROM source" --from DIR'  # noqa: S608 - a command
    )


@repeated
def drop(folder: Home, word: str, reason: str = "", wait_seconds: float = 0) -> tuple[SourceEntry, frozenset[dt.date]]:
    """Take an input, by number or name, out of a dataset in one step; returns it with the local days that change.

    The days leave the history of findings, and its content is not added again unless that is asked for. Raises DatasetError or UsageError; the dataset is then as it was.
    """
    store.open_dataset(folder)  # a new folder is not made
    failed = ("its files could not be written", "nothing was dropped")
    with store.writing(folder, wait_seconds) as manifest:
        source = source_of(manifest, word)
        root = work_of(folder) / publishing.STAGING / "dropped"
        try:
            taken = taken_out(folder, manifest, {source.source_id}, root)
        except (OSError, pa.ArrowException) as error:
            raise write_failure(folder, failed[0], error, failed[1]) from None
        change = Change(
            "drop",
            add=tuple(each.entry for each in taken.files),
            retire=taken.retire,
            sources=taken.sources,
            drop_sources=(source.source_id,),
            dropped_sources=(remembered(source, reason),),
        )
        publishing.publish(
            folder, manifest, change, [(each.root, each.entry.path) for each in taken.files], failed=failed
        )
        publishing.drop_staged(folder)
    return source, taken.days


def remembered(source: SourceEntry, reason: str) -> DroppedSource:
    """What the dataset keeps of an input that was taken out today."""
    return DroppedSource(source.sha256, source.name, dt.datetime.now(dt.UTC).date().isoformat(), reason)


def taken_out(folder: Home, manifest: Manifest, dropped: Collection[int], root: Path) -> Taken:
    """Stage a dataset without some inputs below `root`, and without the history of their days, which is judged again by the next run that reports them.

    Raises DatasetError for a file that was changed, OSError and ArrowException.
    """
    own = [entry for entry in manifest.files if entry.source_ids & set(dropped)]
    days = frozenset(day for entry in own if (day := day_of(entry.path)) is not None)
    root.mkdir(parents=True, exist_ok=True)
    heirs = _Heirs(folder, manifest, dropped, root, days)
    heirs.find(entry for entry in own if entry.table == RECORD)
    if heirs.first:
        heirs.mark()
        for entry in own:
            if entry.table not in (RECORD, DAMAGE) and "record_id" in table_schemas()[entry.table].names:
                heirs.take_over(entry)
        heirs.count()
    rest = [entry for entry in own if entry.path not in heirs.retire]
    entries, mixed = rewritten(folder, root / "rest", manifest, dropped, rest)
    leaving = tuple(entry.path for entry in rest if entry.source_ids <= set(dropped))
    files = [*heirs.staged(), *(Staged(root / "rest" / entry.path, entry) for entry in entries)]
    left: tuple[str, ...] = ()
    if isinstance(folder, Path) and manifest.computed:
        empty = dict.fromkeys(days, finding_day.SCHEMA.empty_table())
        history, left = finding_day.staged(folder, manifest, empty, root / "rest")
        files += [Staged(root / "rest" / entry.path, entry) for entry in history]
    return Taken(files, (*heirs.retire, *mixed, *leaving, *left), tuple(heirs.sources.values()), days)


def undamaged(files: Iterable[Path], number: int | None = None) -> pa.ChunkedArray:
    """The hashes of the undamaged records in files of table record, of one input or of all."""
    parts = []
    for file in files:
        rows = pq.ParquetFile(file).read(columns=["source_id", "record_hash", "damage"])
        chosen = rows["damage"].is_null()
        if number is not None:
            chosen = pc.and_(chosen, pc.equal(rows["source_id"], number))
        parts.append(rows["record_hash"].filter(chosen).cast(pa.binary()))
    return pa.chunked_array([chunk for part in parts for chunk in part.chunks], pa.binary())


@dataclass
class _Heirs:
    """The records that become first in place of those of inputs that leave."""

    folder: Home
    manifest: Manifest
    dropped: Collection[int]
    root: Path
    days: frozenset[dt.date]
    first: dict[int, int] = field(default_factory=dict)
    """Each record that leaves and has heirs -> the first of them."""
    outcomes: dict[int, str] = field(default_factory=dict)
    """What these records counted as."""
    rows: pa.Table = field(default_factory=table_schemas()[RECORD].empty_table)
    """The rows of the heirs in table record, in their order."""
    retire: list[str] = field(default_factory=list)
    sources: dict[int, SourceEntry] = field(default_factory=dict)
    files: list[Staged] = field(default_factory=list)
    writers: dict[int, tuple[Path, PartWriter]] = field(default_factory=dict)
    known: list[FileEntry] = field(default_factory=list)
    """The files of table record that may have heirs."""

    def find(self, own: Iterable[FileEntry]) -> None:
        """Find the heirs of the records in some files."""
        # Equal records have one day, unless the interval of one of them is not known.
        around = {None} | {day + dt.timedelta(days=away) for day in self.days for away in (-1, 0, 1)}
        self.known = [
            entry
            for entry in self.manifest.files
            if entry.table == RECORD and day_of(entry.path) in around and not entry.source_ids <= set(self.dropped)
        ]
        heirs: dict[int, int] = {}
        for entry in self.known:
            rows = self._rows(entry, ["source_id", "record_id", "first_record_id"])
            firsts = rows["first_record_id"].fill_null(-1).to_numpy()
            mine = self._holds(firsts) & ~np.isin(rows["source_id"].to_numpy(), list(self.dropped))
            for record, first in zip(rows["record_id"].to_numpy()[mine].tolist(), firsts[mine].tolist(), strict=True):
                heirs[first] = min(record, heirs.get(first, record))
        for entry in own if heirs else ():
            rows = self._rows(entry, ["record_id", "outcome"])
            rows = rows.filter(pa.array(np.isin(rows["record_id"].to_numpy(), list(heirs))))
            self.outcomes |= dict(zip(rows["record_id"].to_pylist(), rows["outcome"].to_pylist(), strict=True))
        # Of a record that was dropped with its day nothing is left to take over.
        self.first = {first: heir for first, heir in heirs.items() if first in self.outcomes}

    def mark(self) -> None:
        """Rewrite table record: heirs are no duplicates any more, the other ones point to them."""
        firsts, heirs = self._pairs()
        first_rows = list[pa.Table]()

        def marked(rows: pa.Table) -> pa.Table:
            rows = rows.filter(pa.array(~np.isin(rows["source_id"].to_numpy(), list(self.dropped))))
            ids, before = rows["record_id"].to_numpy(), rows["first_record_id"].fill_null(-1).to_numpy()
            at = np.searchsorted(firsts, before).clip(0, len(firsts) - 1)
            is_of = firsts[at] == before
            is_heir = is_of & (heirs[at] == ids)
            after = np.where(is_of, heirs[at], before)
            first = pa.array(after, mask=(after < 0) | is_heir)
            words = np.array([self.outcomes.get(number, DUPLICATE) for number in before.tolist()], object)
            outcome = pc.if_else(pa.array(is_heir), pa.array(words, pa.string()), rows["outcome"].cast(pa.string()))
            rows = _with(_with(rows, "first_record_id", first), "outcome", outcome.dictionary_encode().cast(TEXT))
            first_rows.append(rows.filter(pa.array(is_heir)))
            return rows

        for entry in self.known:
            numbers = self._rows(entry, ["first_record_id"])["first_record_id"].fill_null(-1).to_numpy()
            if np.isin(numbers, firsts).any():
                self._rewrite(entry, marked)
        self.rows = pa.concat_tables(first_rows).unify_dictionaries().combine_chunks().sort_by("record_id")

    def take_over(self, entry: FileEntry) -> None:
        """Stage the rows of a file that heirs take over: with their numbers, and what is known of their records."""
        firsts, heirs = self._pairs()
        owners = self.rows["record_id"].to_numpy()
        path = unchanged(self.folder, entry)
        with pq.ParquetFile(path) as parquet:
            for group in range(parquet.num_row_groups):
                rows = declared(parquet.read_row_group(group), entry.table)
                ids = rows["record_id"].to_numpy()
                at = np.searchsorted(firsts, ids).clip(0, len(firsts) - 1)
                mine = np.flatnonzero(firsts[at] == ids)
                new = np.searchsorted(owners, heirs[at[mine]])
                order = np.argsort(new, kind="stable")
                mine, new = mine[order], new[order]
                taken, of = rows.take(pa.array(mine)), self.rows.take(pa.array(new))
                for name in ("source_id", *OF_RECORD):
                    if name in taken.column_names:
                        taken = _with(taken, name, of[name])
                days = _days(of)
                numbers = of["source_id"].to_numpy()
                for number in np.unique(numbers).tolist():
                    chosen = numbers == number
                    part = taken.filter(pa.array(chosen)).drop_columns([DATE.name])
                    self._writer(number).add(Batch({entry.table: (part, days[chosen])}))

    def count(self) -> None:
        """Move the heirs in the ledgers of their inputs, and in table source, from duplicates to what they are."""
        grouped = self.rows.group_by(["source_id", "outcome"])
        entries = {source.source_id: source for source in self.manifest.sources}
        for row in grouped.aggregate([([], "count_all"), ("input_bytes", "sum")]).to_pylist():
            number, outcome = row["source_id"], row["outcome"]
            before = self.sources.get(number, entries[number])
            ledger = dict(before.ledger)
            for side, amount in (("records", row["count_all"]), ("bytes", row["input_bytes_sum"])):
                of = ledger[side]
                ledger[side] = of | {outcome: of[outcome] + amount, DUPLICATE: of[DUPLICATE] - amount}
            self.sources[number] = dataclasses.replace(before, ledger=ledger)

        def counted(rows: pa.Table) -> pa.Table:
            rows = rows.filter(pa.array(~np.isin(rows["source_id"].to_numpy(), list(self.dropped))))
            for side in ("records", "bytes"):
                for outcome in OUTCOMES:
                    name = f"{side}_{outcome}"
                    values = [
                        self.sources[number].ledger[side].get(outcome, 0) if number in self.sources else value
                        for number, value in zip(rows["source_id"].to_pylist(), rows[name].to_pylist(), strict=True)
                    ]
                    rows = _with(rows, name, pa.array(values, pa.int64()))
            return rows

        for entry in self.manifest.files:
            if entry.table == SOURCE and not entry.source_ids.isdisjoint(self.sources):
                self._rewrite(entry, counted)

    def staged(self) -> list[Staged]:
        """All files that were staged."""
        for root, writer in self.writers.values():
            files = writer.close()
            self.files += [Staged(root / entry.path, entry) for entry in settled(root, files)]
        self.writers = {}
        return self.files

    def _pairs(self) -> tuple[Ints, Ints]:
        """The records that leave, in order, and the heir of each."""
        firsts = np.array(sorted(self.first), np.int64)
        return firsts, np.array([self.first[number] for number in firsts.tolist()], np.int64)

    def _holds(self, ids: Ints) -> np.ndarray[Any, Any]:
        """Which records are of inputs that leave."""
        starts = [first_record_id(number) for number in self.dropped]
        return np.isin((ids - np.mod(ids, MOST_RECORDS)), starts)

    def _rows(self, entry: FileEntry, columns: Sequence[str]) -> pa.Table:
        return pq.ParquetFile(local(self.folder, entry.path)).read(columns=list(columns))

    def _writer(self, number: int) -> PartWriter:
        """Where the rows of an heir's input go."""
        if number not in self.writers:
            root = self.root / f"h{number:06d}"
            root.mkdir()
            self.writers[number] = (root, PartWriter(root, f"s{number:06d}-d{min(self.dropped):06d}"))
        return self.writers[number][1]

    def _rewrite(self, entry: FileEntry, change: Callable[[pa.Table], pa.Table]) -> None:
        """Stage a file with other rows."""
        path = unchanged(self.folder, entry)
        root = self.root / f"r{len(self.retire):06d}"
        root.mkdir()
        writer = PartWriter(root, f"d{min(self.dropped):06d}-{len(self.retire):03d}")
        with pq.ParquetFile(path) as parquet:
            for group in range(parquet.num_row_groups):
                rows = change(declared(parquet.read_row_group(group), entry.table))
                writer.add(Batch({entry.table: (rows.drop_columns([DATE.name]), _days(rows))}))
        self.files += [Staged(root / each.path, each) for each in settled(root, writer.close())]
        self.retire.append(entry.path)


def _with(rows: pa.Table, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    """Rows with other values of a column."""
    return rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), values)


def _days(rows: pa.Table) -> Ints:
    """The local day of each row, as a writer takes it."""
    days = rows[DATE.name].cast(pa.int32()).cast(pa.int64())
    return np.asarray(pc.fill_null(days, NONE).to_numpy(), np.int64)
