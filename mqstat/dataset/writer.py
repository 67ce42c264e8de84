"""Arrow batches -> Parquet files of one part of one source, one file per table and local day.

Row groups hold 64k rows or more whatever the size of the batches, unless the rows held back grow beyond the memory
limit. Text is dictionary-encoded; so is each column of numbers or times that has few distinct values in the first of
many rows of its table, and the others are delta-encoded (DELTA_BINARY_PACKED); all of it is compressed with zstd, or
with snappy in files of few rows. DuckDB 1.4, Spark 3.5 and everything newer read these encodings.

Temporary files are compressed with snappy, and a column with one value in all rows is not written:
`WrittenFile.constants` has the value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from mqstat.dataset.paths import date_of, file_path
from mqstat.parsers.batch import Batch
from mqstat.parsers.columns import Ints, is_shared_zero
from mqstat.parsers.record import NONE
from mqstat.parsers.tables import DATE, TEXT, table_schemas

if TYPE_CHECKING:
    import pyarrow.parquet as pq

ROW_GROUP = 65_536
"""Rows that are collected before a row group is written."""

MEMORY_LIMIT = 32 << 20
"""Bytes of rows held back over all tables of one part before the largest table is written early."""

MOST_OPEN = 64
"""Files kept open at a time; a dump of many days closes the one not used for longest."""

PRUNED = frozenset(
    {"source_id", "record_id", "lpar", "qmgr", "written_local", "interval_start_utc", "interval_start_local", DATE.name}
)
"""Columns with minimum and maximum in the files: what queries select by. For all columns they would cost a third of the
writing."""

FEW_ROWS = 512
"""Files of fewer rows are written in less than half the time with snappy and without dictionaries of numbers, and are
not larger."""

PROBED = 4_096
"""Rows at the start of a table from which the encoding of a column is chosen."""

DISTINCT_SHARE = 0.15
"""Up to this share of distinct values in the rows probed a dictionary is smaller and faster to read than deltas."""


CONSTANT_FROM = 4_096
"""Rows of the first row group of a temporary file from which columns with one value are left out; fewer rows save
nothing."""

MOST_NARROW = 4
"""Temporary files of a table in one part that leave columns out: each begins where a column of the one before it has
another value."""

Constant: TypeAlias = int | str | bool | None
"""The value of a column in all rows; None = null."""


@dataclass(frozen=True)
class WrittenFile:
    """One Parquet file: table, path relative to the dataset, rows and bytes."""

    table: str
    path: str
    rows: int
    bytes: int
    constants: Mapping[str, Constant] = field(default_factory=dict)
    """The columns that a temporary file does not have, with their value in all rows."""
    sources: Mapping[int, int] = field(default_factory=dict)
    """The rows of each source, of a file that several may share."""


def _is_number(kind: pa.DataType) -> bool:
    """Whether a column holds whole numbers or times."""
    return bool(pa.types.is_int64(kind) or pa.types.is_timestamp(kind))


def dictionary_columns(rows: pa.Table) -> frozenset[str]:
    """The columns of a table that are dictionary-encoded, chosen from its first rows: of few rows only texts and
    days.
    """
    if rows.num_rows < FEW_ROWS:
        return frozenset(field.name for field in rows.schema if field.type in (TEXT, DATE.type))
    import pyarrow.compute as pc

    first = rows.slice(0, PROBED)
    most = max(first.num_rows * DISTINCT_SHARE, 1)
    return frozenset(
        field.name
        for field, column in zip(first.schema, first.columns, strict=True)
        if field.type in (TEXT, DATE.type)
        or (_is_number(field.type) and pc.count_distinct(column, mode="all").as_py() <= most)
    )


def constant_columns(rows: pa.Table) -> dict[str, Constant]:
    """The columns of a table with one value in all rows, or only nulls. Times other than null and the first column are
    never among them.
    """
    out: dict[str, Constant] = {}
    for name, column in zip(rows.schema.names[1:], rows.columns[1:], strict=True):
        if column.null_count == rows.num_rows:
            out[name] = None
        elif not column.null_count:
            value = _value_of(column)
            if value is not None:
                out[name] = value
    return out


def _value_of(column: pa.ChunkedArray) -> Constant:
    """The value of a column without nulls in all rows; None if it has several, or is neither a number, a flag nor
    text.
    """
    values: set[int | str | bool] = set()
    for chunk in column.chunks:
        if not len(chunk):
            continue
        if column.type == TEXT and len(chunk.dictionary) == 1:
            values.add(str(chunk.dictionary[0].as_py()))
        elif pa.types.is_boolean(column.type) and chunk.true_count in (0, len(chunk)):
            values.add(bool(chunk.true_count))
        elif pa.types.is_int64(column.type) and is_shared_zero(chunk):
            values.add(0)
        elif pa.types.is_int64(column.type):
            numbers = chunk.to_numpy()
            if numbers[0] != numbers[-1] or (numbers != numbers[0]).any():
                return None
            values.add(int(numbers[0]))
        else:
            return None
    return values.pop() if len(values) == 1 else None


def parquet_writer(
    path: Path, rows: pa.Table, in_dictionary: Collection[str], *, temporary: bool = False
) -> pq.ParquetWriter:
    """A file with the columns of these rows, open to write; those of `in_dictionary` are dictionary-encoded.

    A `temporary` file is larger, and quicker to write and read.
    """
    import pyarrow.parquet as pq  # rows that stay in memory do not need it

    schema = rows.schema
    is_quick = temporary or rows.num_rows < FEW_ROWS
    return pq.ParquetWriter(
        path,
        schema,
        compression="snappy" if is_quick else "zstd",
        compression_level=None if is_quick else 1,
        use_dictionary=[f.name for f in schema if f.name in in_dictionary],
        column_encoding={
            f.name: "DELTA_BINARY_PACKED" for f in schema if _is_number(f.type) and f.name not in in_dictionary
        },
        write_statistics=[f.name for f in schema if f.name in PRUNED],
        write_batch_size=ROW_GROUP,
        store_schema=False,
    )


class PartWriter:
    """Writes all tables of one part; `close` gives the files written.

    root: the dataset or its staging folder; by_day: a file for each local day, as in a dataset that is kept; stem:
    start of every file name, which sorts in the order of the input; held_bytes: a part of at most so many bytes of rows
    is not written, `tables` has it after `close`.
    """

    def __init__(
        self,
        root: Path,
        stem: str,
        wanted: Mapping[str, Collection[str]] | None = None,
        *,
        by_day: bool = True,
        held_bytes: int = 0,
    ) -> None:
        self._sources: dict[tuple[str, int], dict[int, int]] = {}
        self.tables: dict[str, pa.Table] = {}
        """The rows of a part that was not written, by table."""
        self._held_bytes = held_bytes
        self._root, self._stem, self._wanted, self._by_day = root, stem, wanted, by_day
        self._held: dict[tuple[str, int], list[pa.Table]] = {}
        self._rows: dict[tuple[str, int], int] = {}
        self._size: dict[tuple[str, int], int] = {}
        self._open: dict[tuple[str, int], tuple[pq.ParquetWriter, Path, int]] = {}
        self._pieces: dict[tuple[str, int], int] = {}
        self._files: list[WrittenFile] = []
        self._schemas: dict[str, pa.Schema] = {}
        self._in_dictionary: dict[str, frozenset[str]] = {}
        self._constants: dict[tuple[str, int], dict[str, Constant]] = {}

    def add(self, batch: Batch) -> None:
        """Add the tables of one chunk."""
        for table, (rows, days) in batch.tables.items():
            self.add_table(table, rows, days)
        while sum(self._size.values()) > MEMORY_LIMIT:
            self._flush(max(self._size, key=lambda key: self._size[key]))

    def add_table(self, table: str, rows: pa.Table, days: Ints) -> None:
        """Add rows of one table with the local day of each."""
        if not len(days):
            return
        if not self._by_day:
            if DATE.name in self._schema(table).names and DATE.name not in rows.column_names:
                rows = rows.append_column(DATE.name, pa.array(days, mask=days == NONE).cast(pa.int32()).cast(DATE.type))
            self._hold(table, NONE, rows)
            return
        starts = [0, *(np.flatnonzero(days[1:] != days[:-1]) + 1).tolist(), len(days)]
        distinct = np.unique(days[starts[:-1]]).tolist()
        if len(starts) - 1 == len(distinct):
            for start, end in pairwise(starts):
                self._hold(table, int(days[start]), rows.slice(start, end - start))
            return
        for day in distinct:
            self._hold(table, day, rows.take(pa.array(np.flatnonzero(days == day))))

    def _hold(self, table: str, day: int, rows: pa.Table) -> None:
        key = (table, day)
        self._held.setdefault(key, []).append(rows)
        self._rows[key] = self._rows.get(key, 0) + rows.num_rows
        self._size[key] = self._size.get(key, 0) + self._bytes_of(table, rows)
        if self._rows[key] >= ROW_GROUP:
            self._flush(key)

    def _bytes_of(self, table: str, rows: pa.Table) -> int:
        """Memory of rows: as measured where it decides what stays in memory, otherwise at most so much, because
        measuring takes longer than decoding.
        """
        if self._held_bytes or "content" in rows.column_names:
            return int(rows.nbytes)
        return int(rows.num_rows * rows.num_columns * 8)

    def _schema(self, table: str) -> pa.Schema:
        if table not in self._schemas:
            full = table_schemas()[table]
            wanted = None if self._wanted is None else self._wanted[table]
            self._schemas[table] = full if wanted is None else pa.schema([f for f in full if f.name in wanted])
        return self._schemas[table]

    def _flush(self, key: tuple[str, int]) -> None:
        rows = self._taken(key)
        if rows is None:
            return
        in_dictionary = self._dictionary_columns(key[0], rows)
        if not self._by_day:
            rows = self._narrowed(key, rows)
        writer, path, written = self._writer(key, rows, in_dictionary)
        writer.write_table(rows, row_group_size=max(rows.num_rows, 1))
        if self._by_day:
            counts = self._sources.setdefault(key, {})
            numbers = rows["source_id"].to_numpy()
            is_one = numbers.min() == numbers.max()  # most often, and much faster than np.unique
            values, lengths = (numbers[:1], [len(numbers)]) if is_one else np.unique(numbers, return_counts=True)
            for number, count in zip(map(int, values), map(int, lengths), strict=True):
                counts[number] = counts.get(number, 0) + count
        self._open[key] = (writer, path, written + rows.num_rows)

    def _narrowed(self, key: tuple[str, int], rows: pa.Table) -> pa.Table:
        """The rows without the constant columns of their temporary file. A new file begins if one of these columns has
        another value here.
        """
        before = self._constants.get(key)
        if before is None:
            constants = constant_columns(rows) if rows.num_rows >= CONSTANT_FROM else {}
        else:
            constant_here = constant_columns(rows.select([rows.schema.names[0], *before]))
            constants = {name: value for name, value in constant_here.items() if before[name] == value}
            if len(constants) < len(before):
                if key in self._open:
                    self._close(key)
                if self._pieces[key] + 2 > MOST_NARROW:
                    constants = {}
        self._constants[key] = constants
        return rows.drop_columns(list(constants)) if constants else rows

    def _taken(self, key: tuple[str, int]) -> pa.Table | None:
        """The rows of a table and day that are held back, which are then no longer held; None without rows."""
        tables = self._held.pop(key, [])
        self._rows.pop(key, None), self._size.pop(key, None)
        if not tables:
            return None
        schema = self._schema(key[0])
        rows = tables[0] if len(tables) == 1 else pa.concat_tables(tables).unify_dictionaries()
        if self._by_day and DATE.name in schema.names:
            day = pa.scalar(None if key[1] == NONE else date_of(key[1]), DATE.type)
            rows = rows.append_column(DATE.name, pa.repeat(day, rows.num_rows))
        names = rows.schema.names
        columns = rows.columns if names == schema.names else [rows.column(name) for name in schema.names]
        return pa.Table.from_arrays(columns, schema=schema)  # the types are equal; a cast would look at each column

    def _dictionary_columns(self, table: str, rows: pa.Table) -> frozenset[str]:
        """The columns of a table that are dictionary-encoded, chosen from the first rows that are written of it, unless
        they are few.
        """
        if rows.num_rows < FEW_ROWS:
            return dictionary_columns(rows)
        if table not in self._in_dictionary:
            self._in_dictionary[table] = dictionary_columns(rows)
        return self._in_dictionary[table]

    def _writer(
        self, key: tuple[str, int], rows: pa.Table, in_dictionary: Collection[str]
    ) -> tuple[pq.ParquetWriter, Path, int]:
        if key in self._open:
            self._open[key] = self._open.pop(key)  # most recently used last
            return self._open[key]
        while len(self._open) >= MOST_OPEN:
            self._close(next(iter(self._open)))
        table, day = key
        piece = self._pieces[key] = self._pieces.get(key, -1) + 1
        path = Path(file_path(table, None if day == NONE else date_of(day), f"{self._stem}-{piece:03d}"))
        # Not the root: a worker that has outlived its main process must not bring back a staging folder that is gone.
        (self._root / table).mkdir(exist_ok=True)
        opened = parquet_writer(self._root / path, rows, in_dictionary, temporary=not self._by_day)
        return opened, path, 0

    def _close(self, key: tuple[str, int]) -> None:
        writer, path, rows = self._open.pop(key)
        sources = self._sources.pop(key, {})
        writer.close()
        size = (self._root / path).stat().st_size
        self._files.append(WrittenFile(key[0], path.as_posix(), rows, size, self._constants.get(key, {}), sources))

    def close(self) -> list[WrittenFile]:
        """Write what is held back, close all files and list them; a part without files that is small enough stays in
        `tables`.
        """
        if not self._files and not self._open and sum(self._size.values()) <= self._held_bytes:
            for key in list(self._held):
                rows = self._taken(key)
                if rows is not None:
                    self.tables[key[0]] = rows
            return []
        for key in list(self._held):
            self._flush(key)
        for key in list(self._open):
            self._close(key)
        return sorted(self._files, key=lambda f: f.path)

    def abandon(self) -> None:
        """Close the files without writing more; used when the part failed."""
        for writer, _, _ in self._open.values():
            try:
                writer.close()
            except (OSError, pa.ArrowException):
                continue
        self._open.clear()
