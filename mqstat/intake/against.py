"""Compares a dataset with a dump that it was made from: the dump is decoded again, and every value of every row is
compared.

The dump is decoded into a temporary dataset with the selection of the source; `mqstat.intake.row_comparison` compares
the rows, this module the ledgers.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from mqstat.base.errors import InputError, MqstatError
from mqstat.base.scratch import temporary_folder
from mqstat.base.selection import Selection
from mqstat.dataset import store
from mqstat.dataset.manifest import SourceEntry
from mqstat.dataset.place import Home
from mqstat.dataset.reservation import reserve
from mqstat.intake.compared import Compared
from mqstat.intake.ingest import ingest
from mqstat.intake.row_comparison import MOVED, compare_rows
from mqstat.intake.workers import Progress
from mqstat.parsers.framing import Framing
from mqstat.sources.source import Source


def compare(
    folder: Home,
    sources: Sequence[Source] | Iterator[Source],
    *,
    framing: Framing | None = None,
    jobs: int | None = None,
    progress: Callable[[str], AbstractContextManager[Progress | None]],
) -> Iterator[Compared]:
    """Decode each source again and compare it with the rows of the dataset; DatasetError if `folder` is not a
    dataset.
    """
    with store.copied(store.open_dataset(folder)) as opened:
        for source in sources:
            try:
                yield _compare(opened, source, framing, jobs, progress)
            except InputError as error:
                yield Compared(source.name, fault=str(error))


def _compare(
    opened: store.Opened, source: Source, framing: Framing | None, jobs: int | None,
    progress: Callable[[str], AbstractContextManager[Progress | None]],
) -> Compared:  # fmt: skip
    with progress(f"identifying {source.name}"):
        digest = hashlib.sha256()
        with source.open() as reader:
            while data := reader.read(1 << 20):
                digest.update(data)
    entry = opened.manifest.source_with(digest.hexdigest())
    if entry is None:
        return Compared(
            source.name,
            fault=f"is not a source of {opened.folder}: no source has its content (SHA-256 {digest.hexdigest()}).",
        )
    out = Compared(source.name, entry)
    with temporary_folder() as scratch:
        decoded = scratch / "decoded"
        for attempt in (framing, Framing(entry.framing)):
            reserve(decoded, entry.source_id - 1)  # the dump gets the number of the source
            made = ingest([source], decoded, _selection_of(entry), framing=attempt, jobs=jobs, progress=progress)
            if not made.added:
                raise MqstatError(f"{source.name}: cannot be decoded again ({made.lines[-1]}).")
            again = store.open_dataset(decoded)
            if again.manifest.sources[0].framing == entry.framing:
                break
            decoded = scratch / "with_framing"
        _compare_ledgers(entry, again.manifest.sources[0], out)
        with progress(f"comparing {source.name}"):
            compare_rows(opened, again, entry, out, scratch)
    return out


def _selection_of(entry: SourceEntry) -> Selection:
    """The selection with which a source was ingested."""

    def moment(name: str) -> dt.datetime | None:
        text = entry.selection.get(name)
        return dt.datetime.fromisoformat(text) if text else None

    names = {name: tuple(entry.selection.get(name, ())) for name in ("only", "qmgr", "lpar")}
    return Selection(names["only"], names["qmgr"], moment("since"), moment("until"), names["lpar"])


def _compare_ledgers(entry: SourceEntry, again: SourceEntry, out: Compared) -> None:
    """Note the counts of the ledger that differ; records and bytes of duplicates depend on the rest of the dataset."""
    for side in ("bytes", "records"):
        had, now = dict(entry.ledger[side]), dict(again.ledger[side])
        for ledger in (had, now):
            ledger["decoded"] = sum(ledger.pop(name, 0) for name in MOVED)
        for name in sorted({*had, *now}):
            if had.get(name, 0) != now.get(name, 0):
                out.differences.append(
                    f"ledger: {side} {name} is {had.get(name, 0):,} in the dataset, {now.get(name, 0):,} in the dump."
                )
