"""Takes inputs out of a dataset, which then is what it would be if it had never had them.

A record of such an input may be the first of equal ones, with the rows of all of them. Then the first of the others, in
the order of sources and records, takes the rows over: equal bytes decode equally, but for what a record takes from its
neighbours in the dump, which its row in table record has.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.errors import UsageError, write_failure
from mqstat.dataset import finding_day, publishing, rewriting, store
from mqstat.dataset.manifest import Change, DroppedSource, FileEntry, Manifest, SourceEntry, Staged
from mqstat.dataset.paths import day_of
from mqstat.dataset.place import Home, local, work_of
from mqstat.dataset.reservation import MOST_RECORDS, first_record_id
from mqstat.dataset.rewriting import days_of, rows_without, unchanged, with_values
from mqstat.dataset.schema import FINDINGS, conformed
from mqstat.dataset.steps import repeated
from mqstat.dataset.writer import PartWriter
from mqstat.parsers.batch import Batch
from mqstat.parsers.columns import Ints
from mqstat.parsers.tables import DATE, LINEAGE, OUTCOMES, TEXT, table_schemas

RECORD, DAMAGE, SOURCE, DUPLICATE = "record", "damage", "source", "duplicate"

OF_RECORD = [
    column.name for column in LINEAGE if column.name in table_schemas()[RECORD].names and column.name != "source_id"
]
"""The columns that a row has from the row of its record."""


@dataclass(frozen=True)
class Taken:
    """What a dataset without some inputs has: files that join and leave, entries of inputs that change, and the local
    days that had rows of these inputs.
    """

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

    The days leave the history of findings, and its content is not added again unless that is asked for. Raises
    DatasetError or UsageError; the dataset is then as it was.
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
            add=tuple(taken.files),
            retire=taken.retire,
            sources=taken.sources,
            drop_sources=(source.source_id,),
            dropped_sources=(remembered(source, reason),),
        )
        publishing.publish(folder, manifest, change, failed=failed)
        publishing.drop_staged(folder)
    return source, taken.days


def remembered(source: SourceEntry, reason: str) -> DroppedSource:
    """What the dataset keeps of an input that was taken out today."""
    return DroppedSource(source.sha256, source.name, dt.datetime.now(dt.UTC).date().isoformat(), reason)


def taken_out(folder: Home, manifest: Manifest, dropped: Collection[int], root: Path) -> Taken:
    """Stage a dataset without some inputs below `root`, and without the history of their days, which is judged again by
    the next run that reports them.

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
    files, mixed = rewriting.without(folder, root / "rest", manifest, dropped, rest)
    leaving = tuple(entry.path for entry in rest if entry.source_ids <= set(dropped))
    files += heirs.staged()
    left: tuple[str, ...] = ()
    if isinstance(folder, Path) and manifest.computed:
        empty = dict.fromkeys(days, FINDINGS.empty_table())
        history, left = finding_day.staged(folder, manifest, empty, root / "rest")
        files += history
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
    known: list[FileEntry] = field(default_factory=list)
    """The files of table record that may have heirs."""

    def __post_init__(self) -> None:
        self.writer = PartWriter(self.root, f"d{min(self.dropped):06d}")

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
            rows = rows_without(self.dropped)(rows)
            ids, before = rows["record_id"].to_numpy(), rows["first_record_id"].fill_null(-1).to_numpy()
            at = np.searchsorted(firsts, before).clip(0, len(firsts) - 1)
            is_of = firsts[at] == before
            is_heir = is_of & (heirs[at] == ids)
            after = np.where(is_of, heirs[at], before)
            first = pa.array(after, mask=(after < 0) | is_heir)
            words = np.array([self.outcomes.get(number, DUPLICATE) for number in before.tolist()], object)
            outcome = pc.if_else(pa.array(is_heir), pa.array(words, pa.string()), rows["outcome"].cast(pa.string()))
            rows = with_values(
                with_values(rows, "first_record_id", first), "outcome", outcome.dictionary_encode().cast(TEXT)
            )
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
        with pq.ParquetFile(unchanged(self.folder, entry)) as parquet:
            for group in range(parquet.num_row_groups):
                rows = conformed(parquet.read_row_group(group), table_schemas()[entry.table])
                ids = rows["record_id"].to_numpy()
                at = np.searchsorted(firsts, ids).clip(0, len(firsts) - 1)
                mine = np.flatnonzero(firsts[at] == ids)
                new = np.searchsorted(owners, heirs[at[mine]])
                order = np.argsort(new, kind="stable")
                taken, of = rows.take(pa.array(mine[order])), self.rows.take(pa.array(new[order]))
                for name in {"source_id", *OF_RECORD} & {*taken.column_names}:
                    taken = with_values(taken, name, of[name])
                self.writer.add(Batch({entry.table: (taken.drop_columns([DATE.name]), days_of(of))}))

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
            rows = rows_without(self.dropped)(rows)
            for side in ("records", "bytes"):
                for outcome in OUTCOMES:
                    name = f"{side}_{outcome}"
                    values = [
                        self.sources[number].ledger[side].get(outcome, 0) if number in self.sources else value
                        for number, value in zip(rows["source_id"].to_pylist(), rows[name].to_pylist(), strict=True)
                    ]
                    rows = with_values(rows, name, pa.array(values, pa.int64()))
            return rows

        for entry in self.manifest.files:
            if entry.table == SOURCE and not entry.source_ids.isdisjoint(self.sources):
                self._rewrite(entry, counted)

    def staged(self) -> list[Staged]:
        """All files that were staged."""
        return [*self.files, *publishing.settled(self.root, self.writer.close())]

    def _pairs(self) -> tuple[Ints, Ints]:
        """The records that leave, in order, and the heir of each."""
        firsts = np.array(sorted(self.first), np.int64)
        return firsts, np.array([self.first[number] for number in firsts.tolist()], np.int64)

    def _holds(self, ids: Ints) -> npt.NDArray[np.bool_]:
        """Which records are of inputs that leave."""
        starts = [first_record_id(number) for number in self.dropped]
        return np.isin((ids - np.mod(ids, MOST_RECORDS)), starts)

    def _rows(self, entry: FileEntry, columns: Sequence[str]) -> pa.Table:
        return pq.ParquetFile(local(self.folder, entry.path)).read(columns=list(columns))

    def _rewrite(self, entry: FileEntry, change: rewriting.Change) -> None:
        """Stage a file with other rows."""
        path, stem = unchanged(self.folder, entry), f"d{min(self.dropped):06d}-{len(self.retire):03d}"
        self.files += rewriting.rewritten(entry.table, [path], self.root, stem, change)
        self.retire.append(entry.path)
