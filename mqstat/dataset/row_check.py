"""Checks the rows of a dataset against each other and against the manifest: what files with the right checksums may
still state wrongly.

Every row lies in an input of the manifest; every record that a row names is in table record and is no duplicate; every
duplicate points to a record with the same hash; table source and the outcomes of the records are the ledger of the
manifest; the statistics of the row groups, by which engines skip rows, are those of the data. It does not need the
dumps: that values are those of the dumps is checked by `mqstat.intake.against`.

One byte for each record number is kept in memory.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.formatting import plural
from mqstat.dataset.manifest import FileEntry, SourceEntry
from mqstat.dataset.paths import day_of
from mqstat.dataset.reservation import first_record_id
from mqstat.dataset.store import Opened
from mqstat.dataset.writer import PRUNED
from mqstat.parsers.tables import DATE, OUTCOMES, READER_TABLES

Numbers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

RECORD = "record"
DUPLICATE = "duplicate"

ABOUT_RECORDS = frozenset(READER_TABLES) - {"raw_bytes"}
"""Tables that list duplicates too."""

RECORD_COLUMNS = ("outcome", "first_record_id")

ABSENT, OWN, REPEATED = 0, 1, 2
"""What is known of a record number: not in table record, there, there as a duplicate."""


@dataclass
class Checked:
    """What was found: problems, and remarks about what cannot be checked."""

    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def check_rows(opened: Opened, only: Collection[FileEntry] | None = None) -> Checked:
    """Check the rows of all files of tables, or of some files and the ledgers of their inputs. A file that cannot be
    read is a problem.
    """
    checked, manifest = _Rows(opened), opened.manifest
    entries = manifest.files if only is None else only
    wanted = None if only is None else frozenset[int]().union(*(entry.source_ids for entry in entries))
    own = set(entries)
    for entry in sorted(manifest.files, key=lambda entry: entry.table != RECORD):
        if entry in own:
            checked.file(entry)
        elif entry.table in (RECORD, "source") and (wanted is None or entry.source_ids & wanted):
            checked.file(entry, report=False)
    checked.duplicates()
    for source in manifest.sources:
        if wanted is None or source.source_id in wanted:
            checked.ledger(source)
    return checked.out


@dataclass
class _Rows:
    """The check of one dataset, file by file, records first."""

    opened: Opened
    out: Checked = field(default_factory=Checked)
    read: list[str] = field(default_factory=list)
    """The files of table record that could be read."""
    outcomes: dict[tuple[int, str], tuple[int, int]] = field(default_factory=dict)
    """Records and bytes by input and outcome."""
    described: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The rows of table source."""

    def __post_init__(self) -> None:
        self.manifest = self.opened.manifest
        sources = sorted(self.manifest.sources, key=lambda source: source.first_record_id)
        self.starts = np.array([source.first_record_id for source in sources], np.int64)
        records = np.array([source.records for source in sources], np.int64)
        self.ends, self.first = self.starts + records, np.cumsum(records) - records
        self.state = np.zeros(int(records.sum()), np.uint8)
        self.numbers = np.array([source.source_id for source in sources], np.int64)

    def problem(self, entry: FileEntry, text: str) -> None:
        self.out.problems.append(f"{entry.path}: {text}.")

    def file(self, entry: FileEntry, *, report: bool = True) -> None:
        """Check the rows of one file; without `report` only learn its records."""
        before = len(self.out.problems)
        try:
            with pq.ParquetFile(self.opened.path(entry)) as file:
                self.rows(entry, file)
            self.read += [str(self.opened.path(entry))] if entry.table == RECORD else []
        except (pa.ArrowException, OSError, ValueError, KeyError) as error:
            self.problem(entry, f"cannot be read ({(str(error) or type(error).__name__).splitlines()[0]})")
        if not report:
            del self.out.problems[before:]

    # ------------------------------------------------------------------------------------------------------------- rows

    def rows(self, entry: FileEntry, file: pq.ParquetFile) -> None:
        """Check statistics, inputs, days and records of a file, row group by row group."""
        names = file.schema_arrow.names
        by_source: dict[int, int] = {}
        for number in range(file.num_row_groups):
            wanted = PRUNED | {*(RECORD_COLUMNS if entry.table == RECORD else ())}
            rows = file.read_row_group(
                number, columns=[name for name in names if name in wanted or entry.table == "source"]
            )
            self.statistics(entry, file.metadata.row_group(number), rows)
            self.days(entry, rows)
            sources = _numbers(rows["source_id"])
            for source, count in zip(*(each.tolist() for each in np.unique(sources, return_counts=True)), strict=True):
                by_source[source] = by_source.get(source, 0) + count
            if "record_id" in names:
                self.records(entry, rows, sources)
            if entry.table == "source":
                self.described |= {row["source_id"]: row for row in rows.to_pylist()}
        if tuple(sorted(by_source.items())) != entry.sources:
            known = {source.source_id for source in self.manifest.sources}
            strangers = sorted(by_source.keys() - known)
            why = f": source {strangers[0]} is not in the manifest" if strangers else ""
            self.problem(entry, f"the rows of each source are not those of the manifest{why}")

    def statistics(self, entry: FileEntry, group: pq.RowGroupMetaData, rows: pa.Table) -> None:
        """The least and largest values of a row group, by which programs leave it out, are those of its rows."""
        for column in map(group.column, range(group.num_columns)):
            name = column.path_in_schema
            if not column.is_stats_set or name not in rows.column_names:
                continue
            stated, values = column.statistics, rows[name]
            kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
            extremes = tuple(pc.min_max(values.cast(kind)).as_py().values())
            if values.null_count != stated.null_count or (stated.has_min_max and extremes != (stated.min, stated.max)):
                self.problem(entry, f"the statistics of column {name} are not those of its rows")

    def days(self, entry: FileEntry, rows: pa.Table) -> None:
        """The day of each row is the one that the path names."""
        day = day_of(entry.path)
        right = rows[DATE.name].is_null() if day is None else pc.equal(rows[DATE.name], day).fill_null(False)
        wrong = int((~np.asarray(right)).sum())
        if wrong:
            self.problem(entry, f"{plural(wrong, 'row')} of another day")

    def records(self, entry: FileEntry, rows: pa.Table, sources: Numbers) -> None:
        """Records lie in their source; those of table record are learnt, those of other tables are in it."""
        known = np.asarray(pc.is_valid(rows["record_id"]))
        ids, sources = _numbers(rows["record_id"])[known], sources[known]
        if not known.all() and entry.table != "damage":
            self.problem(entry, f"{plural(int((~known).sum()), 'row')} without a record")
        if not len(ids):
            return
        at = np.searchsorted(self.starts, ids, "right") - 1
        inside = (at >= 0) & (ids < self.ends[at]) & (self.numbers[at] == sources)
        if not inside.all():
            wrong = int(ids[~inside][0])
            self.problem(
                entry,
                f"{plural(int((~inside).sum()), 'row')} whose record is not one of the row's source, such as record {wrong}",
            )
        ids = ids[inside]
        if entry.table == RECORD:
            self.learn(entry, rows.filter(pa.array(known)).filter(pa.array(inside)), ids)
            return
        states = self.state[self.index_of(ids)]
        if (states == ABSENT).any():
            missing = ids[states == ABSENT]
            self.problem(
                entry, f"{plural(len(missing), 'row')} whose record is not in table record, such as record {missing[0]}"
            )
        if entry.table not in ABOUT_RECORDS and (states == REPEATED).any():
            repeated = ids[states == REPEATED]
            self.problem(
                entry,
                f"{plural(len(repeated), 'row')} of a duplicate, whose first record has the rows, such as record {repeated[0]}",
            )

    def index_of(self, ids: Numbers) -> Numbers:
        """The place of records of known sources in `state`, which has no gaps."""
        at = np.searchsorted(self.starts, ids, "right") - 1
        return self.first[at] + ids - self.starts[at]

    def learn(self, entry: FileEntry, rows: pa.Table, ids: Numbers) -> None:
        """Take the records of a file of table record."""
        unique, counts = np.unique(ids, return_counts=True)
        twice = unique[(counts > 1) | (self.state[self.index_of(unique)] != ABSENT)]
        if len(twice):
            self.problem(entry, f"{plural(len(twice), 'record')} more than once, such as record {twice[0]}")
        outcome = rows["outcome"].cast(pa.string())
        repeated = np.asarray(pc.equal(outcome, DUPLICATE).fill_null(False))
        first = np.asarray(pc.is_valid(rows["first_record_id"]))
        if (repeated != first).any():
            wrong = int(ids[repeated != first][0])
            self.problem(
                entry,
                f"record {wrong} is a duplicate without a first record, or has a first record and is no duplicate",
            )
        self.state[self.index_of(ids)] = np.where(repeated, REPEATED, OWN)

    def duplicates(self) -> None:
        """Count the outcomes; each duplicate points to another record that is no duplicate and has the same hash,
        unless that was dropped with its day.
        """
        import duckdb

        if not self.read:
            return
        with duckdb.connect() as connection:
            read = connection.read_parquet(self.read)
            counted = read.aggregate("source_id, outcome, count(*), sum(input_bytes)").fetchall()
            self.outcomes = {(source, outcome): (records, size or 0) for source, outcome, records, size in counted}
            marked = read.filter("outcome = 'duplicate' AND first_record_id IS NOT NULL")
            wanted = marked.unique("first_record_id").fetchnumpy()["first_record_id"]
            sources = {*self.numbers[(np.searchsorted(self.starts, wanted, "right") - 1).clip(0)].tolist()}
            records = [each for each in self.manifest.files if each.table == RECORD and each.source_ids & sources]
            firsts = connection.read_parquet([str(self.opened.path(each)) for each in records] or self.read)
            both = marked.project("record_id AS id, record_hash AS hash, first_record_id AS first").join(
                firsts, "record_id = first", "left"
            )
            wrong = "(record_hash = hash AND first_record_id IS NULL AND record_id <> id) IS NOT TRUE"
            differing = (
                both.filter(wrong).order("id").project("id, first, record_id IS NULL AS is_missing").fetchnumpy()
            )
        ids, first, missing = (differing[name] for name in ("id", "first", "is_missing"))
        dropped = missing & self.was_dropped(first)
        if not dropped.all():
            self.out.problems.append(
                f"{plural(int((~dropped).sum()), 'record')} marked as duplicates of a record that is missing, is a duplicate itself or has another hash, "
                f"such as record {ids[~dropped][0]} of record {first[~dropped][0]}."
            )
        if dropped.any():
            self.out.remarks.append(
                f"{plural(int(dropped.sum()), 'duplicate')} of records that were dropped with their days: that they are equal cannot be checked."
            )

    def was_dropped(self, ids: Numbers) -> Flags:
        """Whether records belong to an input that lost days to a retention, or to one that is not in the manifest any
        more.
        """
        pruned = {source.source_id for source in self.manifest.sources if source.pruned_records}
        at = (np.searchsorted(self.starts, ids, "right") - 1).clip(0)
        inside = (ids >= self.starts[at]) & (ids < self.ends[at])
        return np.where(
            inside,
            np.isin(self.numbers[at], list(pruned)),
            (ids >= 0) & (ids < first_record_id(self.manifest.next_source_id)),
        )

    # ----------------------------------------------------------------------------------------------------------- ledger

    def ledger(self, source: SourceEntry) -> None:
        """Table source, and the outcomes of the records, are what the manifest states."""
        row = self.described.get(source.source_id)
        text = f"source {source.source_id} ({source.name}): "
        if row is not None:
            stated = {
                "source_name": source.name, "source_bytes": source.bytes, "source_sha256": source.sha256, "framing": source.framing,
                "diagnosis": source.diagnosis,
                **{f"{side}_{outcome}": source.ledger[side].get(outcome, 0) for side in ("bytes", "records") for outcome in OUTCOMES},
            }  # fmt: skip
            for name, value in stated.items():
                if name in row and row[name] != value:
                    self.out.problems.append(
                        f"{text}{name} is {row[name]!r} in table source, {value!r} in the manifest."
                    )
        elif source.source_id in {
            number for entry in self.manifest.files if entry.table == "source" for number in entry.source_ids
        }:
            self.out.problems.append(f"{text}it has no row in table source.")
        all_selected = not any(source.selection.get(name) for name in source.selection) and not source.pruned_records
        for outcome in ("decoded", "internal", "raw", DUPLICATE):
            records, size = self.outcomes.get((source.source_id, outcome), (0, 0))
            for side, have in (("records", records), ("bytes", size)):
                limit = source.ledger[side].get(outcome, 0)
                if have > limit or (all_selected and have != limit):
                    self.out.problems.append(
                        f"{text}{have:,} {side} {outcome} in table record, {limit:,} in the ledger."
                    )


def _numbers(values: pa.ChunkedArray) -> Numbers:
    """A column of whole numbers; null is -1."""
    return np.asarray(values.fill_null(-1).to_numpy(), np.int64)
