"""Compares two small tables in memory: DuckDB takes longer to plan statements about a few rows than this to compare them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

SMALL = 1 << 20
"""Bytes of the files of a table, up to which it is read into memory."""


def small_tables(
    first: Sequence[Path], second: Sequence[Path], names: Sequence[str]
) -> tuple[pa.Table, pa.Table] | None:
    """The columns among `names` that the files of both sides have; None if a side has no files, or files that are not small or cannot be read."""
    if not first or not second:
        return None
    try:
        if any(sum(path.stat().st_size for path in paths) > SMALL for paths in (first, second)):
            return None
        both = _rows(first), _rows(second)
    except (pa.ArrowException, OSError):
        return None
    present = {*both[0].column_names} & {*both[1].column_names}
    common = [name for name in names if name in present]
    return both[0].select(common), both[1].select(common)


def _rows(paths: Sequence[Path]) -> pa.Table:
    """The rows of files; columns that a file does not have are null."""
    tables = []
    for path in paths:
        with pq.ParquetFile(path) as file:
            tables.append(file.read(use_threads=False))
    return pa.concat_tables(tables, promote_options="default")


def with_value(table: pa.Table, name: str, value: pa.Scalar | pa.ChunkedArray) -> pa.Table:
    """The table with other values in a column."""
    column = pa.repeat(value, table.num_rows) if isinstance(value, pa.Scalar) else value
    return table.set_column(table.column_names.index(name), name, column)


def are_equal(first: pa.Table, second: pa.Table, key: Collection[str]) -> bool:
    """Whether both have the same rows, in any order; rows with an equal `key` (all columns if it is empty) are expected in the same order.

    False also if the rows cannot be put in an order.
    """
    if first.num_rows != second.num_rows:
        return False
    order = [(name, "ascending") for name in first.column_names if not key or name in key]
    try:
        sides = [table.sort_by(order) for table in (first, second)]
    except pa.ArrowException:
        return False
    return all(mine.equals(other) for mine, other in zip(sides[0].columns, sides[1].columns, strict=True))
