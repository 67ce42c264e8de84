"""Decoded tables as DuckDB reads them: the query over their files or Arrow tables, and the rows of a selection."""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

import io
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import BinaryIO, TypeAlias

import duckdb
import pyarrow as pa

from mqstat.base.errors import DamagedFileError, DatasetError
from mqstat.base.inputs import command
from mqstat.base.narrow_file import NarrowFile
from mqstat.base.object_store import StoredFile, is_uri, stored_file
from mqstat.base.selection import Selection
from mqstat.sql.schemas import duckdb_type, literal, quoted

ParquetFile: TypeAlias = Path | str | NarrowFile | StoredFile

TableSource: TypeAlias = pa.Table | Sequence[ParquetFile]
"""A decoded table: an Arrow table or its Parquet files."""


Owners: TypeAlias = tuple[str, Sequence[str | None]]
"""Only the records with these names in a column, `lpar` or `qmgr`; DuckDB compares one column with constants while it
reads a file."""


def name_of(file: ParquetFile) -> str:
    """The name by which DuckDB opens a file."""
    plain = file.path if isinstance(file, NarrowFile) else file
    return plain.uri if isinstance(plain, StoredFile) else str(Path(plain).absolute())


def bytes_of(file: ParquetFile) -> int:
    """The size of a file, 0 if it is not there."""
    if isinstance(file, NarrowFile):
        return bytes_of(file.path)
    if isinstance(file, StoredFile):
        return file.size
    return Path(file).stat().st_size if Path(file).exists() else 0


UNREADABLE = (
    duckdb.IOException,
    duckdb.InvalidInputException,
    duckdb.SerializationException,
    duckdb.OutOfRangeException,
)
"""The errors that DuckDB raises for damaged Parquet files, among other things."""


def raise_damaged(files: Mapping[str, str], error: Exception) -> None:
    """Raise DamagedFileError for the first of some Parquet files (each with its table) that cannot be read to its end,
    DatasetError for one whose store cannot be reached or refuses it; do nothing if all can be read.
    """
    import pyarrow.parquet as pq

    for file, table in files.items():
        named = file if is_uri(file) else Path(file).resolve()
        try:
            with pq.ParquetFile(_reached(file, table)) as opened:
                for _ in opened.iter_batches(batch_size=1 << 20):
                    pass
        except PermissionError as refused:
            raise DatasetError(f"{named}: cannot be read (Permission denied).") from refused
        except (OSError, ValueError, pa.ArrowException):
            text = (
                f"{named}: this file of table {table} is damaged; {command(['verify'], unknown='DIR', selects=False)} lists all damaged files, and ingesting its dump again into a new "
                "dataset restores it."
            )
            raise DamagedFileError(text) from error


def _reached(file: str, table: str) -> str | BinaryIO:
    """What Arrow opens for a file; DatasetError for an object whose store cannot be reached now, which is no damage."""
    try:
        content = _opened(file)
        if not isinstance(content, str):
            content.read(1)
            content.seek(0)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DatasetError(f"{table}/{Path(file).name} cannot be read: {str(error).splitlines()[0]}.") from error
    return content


def _opened(file: str) -> str | BinaryIO:
    """What Arrow opens for a file."""
    if not is_uri(file):
        return file
    stored = stored_file(file)
    if stored is None:
        raise FileNotFoundError(file)
    return io.BufferedReader(stored.open_ranges())


def row_count(name: str, source: TableSource) -> int:
    """Rows of a table; DamagedFileError for a file whose metadata cannot be read."""
    if isinstance(source, pa.Table):
        return int(source.num_rows)
    import pyarrow.parquet as pq

    try:
        plain = [file.path if isinstance(file, NarrowFile) else file for file in source]
        return sum(
            file.rows or 0 if isinstance(file, StoredFile) else pq.read_metadata(Path(file)).num_rows for file in plain
        )
    except (OSError, ValueError, pa.ArrowException) as error:
        raise_damaged({name_of(file): name for file in source}, error)
        raise


def register(connection: duckdb.DuckDBPyConnection, sources: Mapping[str, TableSource]) -> None:
    """Let a connection find the Arrow tables of these sources: each connection knows its own."""
    for name, source in sources.items():
        if isinstance(source, pa.Table):
            connection.register(f"arrow_{name}", source)


def decoded_query(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    schema: pa.Schema,
    source: TableSource,
    condition: str,
    whole: pa.Schema | None,
) -> tuple[str, list[str]]:
    """The query for the rows of a decoded table, with all columns of `schema`, and the files it reads.

    `schema` has some columns of the `whole`; None = the source has exactly these columns with these types, so they need
    no check.
    """
    files: list[str] = []
    if isinstance(source, pa.Table):
        register(connection, {name: source})
        origin = quoted(f"arrow_{name}")
    else:
        files = [name_of(file) for file in source]
        constants = [file.constants if isinstance(file, NarrowFile) else {} for file in source]
        if any(constants):
            origin = _widened(dict(zip(files, constants, strict=True)), schema)
        else:
            origin = f"read_parquet([{', '.join(map(literal, files))}], hive_partitioning = false)"
    if whole is None:
        return f"SELECT {', '.join(map(quoted, schema.names))} FROM {origin}{condition}", files
    try:
        present = {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {origin}").fetchall()}
    except duckdb.Error as error:
        raise_damaged(dict.fromkeys(files, name), error)
        raise DatasetError(f"Table {name} cannot be read: {str(error).splitlines()[0]}.") from error
    selected = []
    for field in schema:
        kind = duckdb_type(field.type)
        if field.name not in present:
            selected.append(f"NULL::{kind} AS {quoted(field.name)}")
        elif present[field.name] != kind:
            selected.append(f"{quoted(field.name)}::{kind} AS {quoted(field.name)}")
        else:
            selected.append(quoted(field.name))
    selected += [quoted(column) for column in present if column not in whole.names]
    return f"SELECT {', '.join(selected)} FROM {origin}{condition}", files


def _widened(files: Mapping[str, Mapping[str, int | str | bool | None]], schema: pa.Schema) -> str:
    """The rows of Parquet files with the columns that these leave out (each with its value) as SQL.

    A column that no file has is a constant, which DuckDB computes with once instead of for each row. Files that leave
    out other columns are one scan, so that the number of files has no effect on planning.
    """
    columns = []
    for column in schema.names:
        name, kind = quoted(column), duckdb_type(schema.field(column).type)
        left_out: dict[int | str | bool | None, list[str]] = {}
        for file, constants in files.items():
            if column in constants:
                left_out.setdefault(constants[column], []).append(file)
        # DuckDB reads a column that only some files have as null in the others.
        values = {value: listed for value, listed in left_out.items() if value is not None}
        everywhere = sum(map(len, left_out.values())) == len(files)
        if everywhere and len(left_out) == 1:
            columns.append(f"{literal(next(iter(left_out)))}::{kind} AS {name}")
        elif values:
            cases = " ".join(
                f"WHEN filename IN ({', '.join(map(literal, listed))}) THEN {literal(value)}::{kind}"
                for value, listed in values.items()
            )
            columns.append(f"CASE {cases} ELSE {'NULL' if everywhere else name} END AS {name}")
        else:
            columns.append(name)
    options = "hive_partitioning = false"
    if len({frozenset(constants) for constants in files.values()}) > 1:
        options += ", union_by_name = true"
    if any(column.startswith("CASE") for column in columns):
        options += ", filename = true"
    return f"(SELECT {', '.join(columns)} FROM read_parquet([{', '.join(map(literal, files))}], {options}))"


def condition_of(
    name: str,
    schema: pa.Schema,
    selection: Selection | None,
    sources: Collection[int] | None = None,
    owners: Owners | None = None,
) -> str:
    """The condition that keeps the selected rows of a decoded table: those of the records that decoding a dump with
    this selection would keep.

    `owners` = only their records. `sources` = the inputs whose counts are kept. Tables that count whole inputs
    (`source`, `damage`, `lost_value`) are not filtered otherwise; `section` and `other_record` are filtered by name
    only.
    """
    # The files of these tables have the counts of many inputs; other rows are selected by the days of their files.
    counts = "record_id" not in schema.names or name == "damage"
    of_inputs = [f"source_id IN ({', '.join(map(str, sorted(sources)))})"] if sources and counts else []
    if owners is not None and {"lpar", "qmgr"} <= set(schema.names):
        of_inputs.append(owned_by(owners))
    if selection is None or selection.is_all:
        return f" WHERE {' AND '.join(of_inputs)}" if of_inputs else ""
    conditions = of_inputs + task_conditions(name, selection)
    if selection.qmgrs and "qmgr" in schema.names:
        conditions.append(f"qmgr IN ({', '.join(literal(name) for name in selection.qmgrs)})")
    if selection.lpars and "lpar" in schema.names:
        conditions.append(f"lpar IN ({', '.join(literal(name) for name in selection.lpars)})")
    if needs_record(name):
        if selection.types or selection.since or selection.until:
            conditions.append("record_id IN (SELECT record_id FROM decoded.record)")
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""
    types = types_of(name)
    if selection.types and types - set(selection.types):
        kept = sorted(types & set(selection.types))
        conditions.append(
            f"smf_type IN ({', '.join(map(str, kept))})" if kept and "smf_type" in schema.names else "false"
        )
    if "written_local" in schema.names:
        time = local_moment(name)
        if selection.since is not None:
            conditions.append(f"{time} >= {literal(selection.since)}")
        if selection.until is not None:
            conditions.append(f"{time} < {literal(selection.until)}")
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def owned_by(owners: Owners) -> str:
    """The condition for the records of some owners."""
    column, names = owners
    known = f"{column} IN ({', '.join(map(literal, filter(None, names)))})"
    return f"({known} OR {column} IS NULL)" if None in names else known


CLASS_3 = frozenset({"wtas", "wtas_latch", "wtas_cf", "wq", "wq_cf"})
"""Tables of class 3 accounting without the identity of the task (wtid)."""


def task_conditions(name: str, selection: Selection) -> list[str]:
    """The conditions that keep the selected tasks in a table of class 3 accounting.

    They compare columns with constants where the table has the column, so that a Parquet reader skips row groups by
    their smallest and largest value; the other tables follow by the number of the record.
    """
    conditions = []
    for column, pattern in selection.tasks:
        if (name == "wtid") != (column == "task_correlator") and (name == "wtid" or name in ("wtas", "wq")):
            conditions.append(_matches(column, pattern))
    if name in CLASS_3 and any(column != "task_correlator" for column, _ in selection.tasks):
        conditions.append("record_id IN (SELECT record_id FROM decoded.wtid)")
    return conditions


def task_queries(selection: Selection) -> list[str]:
    """Queries over the columns that these conditions read."""
    return [
        f"SELECT record_id, {column} FROM decoded.{table}"
        for column, _ in selection.tasks
        for table in (("wtas", "wq") if column == "task_correlator" else ("wtid",))
    ]


def _matches(column: str, pattern: str) -> str:
    prefix = re.split(r"[*?]", pattern)[0]
    if prefix == pattern:
        return f"{column} = {literal(pattern)}"
    # The constant beginning of a pattern is a range, which row groups are skipped by.
    bounds = f"{column} >= {literal(prefix)} AND {column} <= {literal(prefix + chr(0x10FFFF))} AND " if prefix else ""
    return f"{bounds}{column} GLOB {literal(pattern.replace('[', '[[]'))}"


@cache
def types_of(table: str) -> frozenset[int]:
    """The SMF types of the records whose rows a decoded table has; empty for counts of a whole input."""
    from mqstat.parsers import LAYOUTS
    from mqstat.parsers.record import MQ_TYPES

    for layout in LAYOUTS.values():
        if table == layout.name or table in {child.name for child in layout.children}:
            return frozenset(smf_type for smf_type, _, _ in layout.routes) or frozenset(MQ_TYPES)
    return frozenset(MQ_TYPES) if table in ("record", "raw_bytes") else frozenset()


def needs_record(table: str) -> bool:
    """Whether the rows of a decoded table belong to records of both types, so that a row is selected by its record."""
    return table != "record" and len(types_of(table)) > 1


def local_moment(table: str) -> str:
    """The local time by which a row of a decoded table is selected and partitioned, as SQL: the start of the interval
    for statistics, otherwise the time written.
    """
    start = "coalesce(interval_start_local, written_local)"
    if table == "record":
        return f"CASE WHEN smf_type = 115 THEN {start} ELSE written_local END"
    return start if types_of(table) == {115} else "written_local"
