"""Compares the rows of a source in a dataset with those of its dump, decoded again into another dataset.

Rows are compared by table and local day, so neither the number of files nor the order of rows matters. The dump was
decoded with the numbers of the source.
"""

# ruff: noqa: S608 - statements are built from names of our tables and from paths of our files, which are quoted

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mqstat.base.errors import DamagedFileError
from mqstat.base.inputs import about
from mqstat.base.narrow_file import NarrowFile
from mqstat.dataset import store
from mqstat.dataset.classes import class_of
from mqstat.dataset.manifest import SourceEntry
from mqstat.intake.compared import Compared
from mqstat.parsers.tables import LINEAGE, table_schemas, tables
from mqstat.sql.decoded import name_of
from mqstat.sql.schemas import duckdb_type, literal, quoted

if TYPE_CHECKING:
    import duckdb

SHOWN = 10
"""Differences that are listed for one dump; all are counted."""

MEMORY = "400MB"

MAY_DIFFER = {"source": ("source_name",), "record": ("first_record_id",)}
"""Columns that may differ: the same dump under another name, and duplicates of records of other sources."""

MOVED = ("decoded", "internal", "raw", "duplicate")
"""Classes of the ledger between which duplicates move."""

COUNTED = tuple(f"{side}_{outcome}" for side in ("bytes", "records") for outcome in MOVED)
"""Columns of table source that depend on the number of duplicates; the ledgers are compared without this difference."""

WITHOUT_FACTS = ("section", "lost_value")
"""Counts that a source does not have if all of its records are duplicates."""

DUPLICATE = "duplicate"
"""Outcome of a record whose rows are those of an earlier record."""


def compare_rows(opened: store.Opened, again: store.Opened, entry: SourceEntry, out: Compared, scratch: Path) -> None:
    """Compare the rows of the source `entry` of `opened` with those of `again`, which has only its dump, and add the
    differences to `out`.
    """
    with _connection(scratch) as connection:
        _Comparison(connection, opened, again, entry, out).run()


@contextmanager
def _connection(scratch: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "temp_directory": str(scratch / "spill"),
        "preserve_insertion_order": "false",
    }
    with duckdb.connect(config=config) as connection:
        yield connection


@cache
def _key(table: str) -> tuple[str, ...]:
    """The columns that identify a row of a table: record, section, and the index of an array; empty for counts over a
    source.
    """
    known = tables().get(table)
    if known is None or table == "record":
        return ("record_id",) if table == "record" else ()
    names = [column.name for column in known[1]]
    if "record_id" not in names or "section" not in names:
        return ()
    lineage = {*(column.name for column in LINEAGE), "date"}
    own = [column.name for column in known[1] if column.name not in lineage and column.kind == "key"]
    return ("record_id", "section", *own)


@dataclass
class _Comparison:
    """The comparison of one source, table by table and day by day."""

    connection: duckdb.DuckDBPyConnection
    opened: store.Opened
    again: store.Opened
    entry: SourceEntry
    out: Compared

    def __post_init__(self) -> None:
        first = self.entry.first_record_id
        self.own_records = f"record_id >= {first} AND record_id < {first + self.entry.records}"

    def run(self) -> None:
        """Compare all tables."""
        all_expected, all_actual = _by_day(self.again), _by_day(self.opened)
        records = [path for (table, _), paths in all_actual.items() if table == "record" for path in paths]
        self.find_duplicates(records)
        classes_dropped = {(each.name, dt.date.fromisoformat(each.day)) for each in self.opened.manifest.dropped}
        compared: set[str] = set()
        # Records first, and counts over the whole source last: they go with the last of its days.
        for table, day in sorted(
            {*all_expected, *all_actual}, key=lambda key: (key[1] is None, key[0] != "record", key[0], key[1])
        ):
            if table in WITHOUT_FACTS and self.out.duplicates == self.entry.ledger["selected_mq_records"]:
                continue
            wanted, have = all_expected.get((table, day), []), all_actual.get((table, day), [])
            columns = self.open(table, wanted, have)
            ((expected_rows, actual_rows),) = self.rows(
                "SELECT (SELECT count(*) FROM expected), (SELECT count(*) FROM actual)"
            )
            if day is not None and not actual_rows and (class_of(table), day) in classes_dropped:
                self.out.dropped_days_of_class.setdefault(class_of(table), set()).update({day} if expected_rows else ())
            elif not actual_rows and self.is_dropped(day):
                self.out.dropped_days |= {day} if day is not None and expected_rows else set()
            elif expected_rows or actual_rows:
                compared.add(table)
                self.out.rows += actual_rows
                if expected_rows != actual_rows or not self.is_equal(table, columns, actual_rows):
                    self.note_differences(table, _key(table), columns)
        self.out.tables = len(compared)

    def is_dropped(self, day: dt.date | None) -> bool:
        """Whether the manifest lists a day of the source as dropped; without a day, all of its days."""
        if self.entry.pruned_before is None:
            return False
        if day is None:
            return self.out.dropped_days >= {known for _, known in _by_day(self.again) if known is not None}
        return day < dt.date.fromisoformat(self.entry.pruned_before)

    def find_duplicates(self, records: Sequence[Path]) -> None:
        """Make the table of the records of the source that are duplicates of others."""
        condition = f"{self.own_records} AND outcome = {literal(DUPLICATE)}"
        source = (
            f"{_parquet(records)} WHERE {condition}" if records else "(SELECT NULL::BIGINT AS record_id) WHERE false"
        )
        self.rows(f"CREATE OR REPLACE TEMP TABLE duplicate_record AS SELECT record_id FROM {source}")
        ((self.out.duplicates,),) = self.rows("SELECT count(*) FROM duplicate_record")

    def open(self, table: str, wanted: Sequence[Path], have: Sequence[Path]) -> list[str]:
        """Make the views expected and actual over one table and day; returns their columns, without those that may
        differ or that an older mqstat did not write.
        """
        may_differ = {*MAY_DIFFER.get(table, ()), *(COUNTED if table == "source" and self.out.duplicates else ())}
        may_differ |= {name for file in have if isinstance(file, NarrowFile) for name in file.constants}
        columns = [name for name in table_schemas()[table].names if name not in may_differ]
        has_records = "record_id" in columns and table != "damage"
        own = self.own_records if has_records else f"source_id = {self.entry.source_id}"
        expected = "true"
        if has_records and table != "record":
            expected = "record_id NOT IN (FROM duplicate_record)"
        for name, paths, condition in (("expected", wanted, expected), ("actual", have, own)):
            values = {column: quoted(column) for column in columns}
            if name == "expected" and table == "record":
                duplicate = f"record_id IN (FROM duplicate_record) THEN {literal(DUPLICATE)}"
                values["outcome"] = f"CASE WHEN {duplicate} ELSE outcome END"
            if not paths:
                kinds = {column: duckdb_type(table_schemas()[table].field(column).type) for column in columns}
                values, condition = {column: f"NULL::{kind}" for column, kind in kinds.items()}, "false"  # noqa: PLW2901
            selected = ", ".join(f"{value} AS {quoted(column)}" for column, value in values.items())
            source = f" FROM {_parquet(paths)}" if paths else ""
            self.rows(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT {selected}{source} WHERE {condition}")
        return columns

    def is_equal(self, table: str, columns: Sequence[str], count: int) -> bool:
        """Whether every row has exactly one partner with the same key and the same values; a join by key takes a fifth
        of the time of EXCEPT ALL.
        """
        if not _key(table):
            return False
        matched, same = (
            " AND ".join(f"e.{quoted(name)} IS NOT DISTINCT FROM a.{quoted(name)}" for name in names)
            for names in (_key(table), columns)
        )
        pairs = f"SELECT count(*), count(*) FILTER ({same}) FROM expected AS e JOIN actual AS a ON {matched}"
        return self.rows(pairs) == [(count, count)]

    def note_differences(self, table: str, key: Sequence[str], columns: Sequence[str]) -> None:
        """Count and list the rows that differ, are missing, or are too many."""
        listed = ", ".join(map(quoted, columns))
        for name, left, right in (("missing", "expected", "actual"), ("surplus", "actual", "expected")):
            self.rows(
                f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {listed} FROM {left} EXCEPT ALL SELECT {listed} FROM {right}"
            )
        order = ", ".join(map(quoted, key)) or listed
        partition = f"PARTITION BY {order}" if key else ""
        numbered = f"SELECT *, row_number() OVER ({partition} ORDER BY {order}) AS copy_number FROM"
        pairs = " AND ".join(
            f"m.{quoted(name)} IS NOT DISTINCT FROM s.{quoted(name)}" for name in (*key, "copy_number")
        )
        joined = f"FROM ({numbered} missing) AS m FULL JOIN ({numbered} surplus) AS s ON {pairs}"
        kind = "CASE WHEN m.copy_number IS NULL THEN 'surplus' WHEN s.copy_number IS NULL THEN 'missing' ELSE 'differing' END"
        for name, number in self.rows(f"SELECT {kind} AS kind, count(*) {joined} GROUP BY kind"):
            setattr(self.out, name, getattr(self.out, name) + number)
        room = SHOWN - len(self.out.differences)
        if room <= 0:
            return
        both = ", ".join(f"m.{quoted(name)}, s.{quoted(name)}" for name in columns)
        first = ", ".join(f"coalesce(m.{quoted(name)}, s.{quoted(name)})" for name in (key or columns[:1]))
        for kind_of_row, *values in self.rows(f"SELECT {kind}, {both} {joined} ORDER BY {first} LIMIT {room}"):
            pair = [(name, values[2 * i], values[2 * i + 1]) for i, name in enumerate(columns)]
            row = {name: dump if kind_of_row != "surplus" else have for name, dump, have in pair}
            text = f"{table}: {self.location(row, key)}"
            if kind_of_row == "missing":
                self.out.differences.append(f"{text}: the row is missing in the dataset.")
            elif kind_of_row == "surplus":
                self.out.differences.append(f"{text}: the row is not in the dump.")
            else:
                changed = [
                    f"{name} is {_text(have)} in the dataset, {_text(dump)} in the dump"
                    for name, dump, have in pair
                    if dump != have
                ]
                self.out.differences.append(f"{text}: {'; '.join(changed)}.")

    def location(self, row: dict[str, Any], key: Sequence[str]) -> str:
        """Where a row comes from: its record with the offset in the dump, and its section."""
        number = row.get("record_id")
        if number is None:
            return f"counts of source {self.entry.source_id}"
        records = self.again.files.get("record", [])
        known = self.rows(
            f"SELECT record_class, source_offset FROM {_parquet(records)} WHERE record_id = {int(number)}"
        )
        text = (
            f"record {known[0][0]} at offset {known[0][1]:,}"
            if known
            else f"record {number}, which the dump does not have"
        )
        return ", ".join([text, *(f"{name} {_text(row[name])}" for name in key if name != "record_id")])

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a statement; DamagedFileError if a file of the dataset cannot be read."""
        import duckdb

        try:
            return self.connection.execute(statement).fetchall()
        except (
            duckdb.IOException,
            duckdb.InvalidInputException,
            duckdb.SerializationException,
            duckdb.BinderException,
        ) as error:
            raise DamagedFileError(
                f"{self.opened.folder}: a file cannot be read: {str(error).splitlines()[0]}; {about('verify', self.opened.folder)} lists damaged files."
            ) from None


def _by_day(opened: store.Opened) -> dict[tuple[str, dt.date | None], list[Path]]:
    """The files of a dataset by table and local day."""
    files: dict[tuple[str, dt.date | None], list[Path]] = {}
    for entry in opened.manifest.files:
        if entry.table in table_schemas():
            files.setdefault((entry.table, store.day_of(entry)), []).append(opened.path(entry))
    return files


def _parquet(paths: Sequence[Path]) -> str:
    names = ", ".join(literal(name_of(path)) for path in paths)
    mixed = ", union_by_name = true" if any(isinstance(path, NarrowFile) for path in paths) else ""
    return f"read_parquet([{names}], hive_partitioning = false{mixed})"


def _text(value: Any) -> str:
    """A value of a column in a sentence."""
    if value is None:
        return "null"
    if isinstance(value, bytes):
        return f"X'{value[:32].hex().upper()}'{'...' if len(value) > 32 else ''}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
