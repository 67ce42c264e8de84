"""DuckDB over the decoded tables: registers them, creates the views of `mqstat/reports/views`, then locks everything else out.

Decoded tables are in the schema `decoded`, views in `main`, so a view may have the name of the table it cleans (`record`). Tables come
as lists of Parquet files or as Arrow tables; a table or column that is not there is empty or NULL with its declared type, so that every
view always compiles.
"""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted, values are bound or made literals

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.selection import Selection
from mqstat.errors import DamagedFileError, DatasetError, SqlFileError
from mqstat.sql import sqlfile
from mqstat.sql.site import FACTS, Site

TableSource: TypeAlias = pa.Table | Sequence[Path | str]
"""A decoded table: an Arrow table or its Parquet files."""

SMALL = 2 << 20
"""Up to so many bytes of Parquet, planning a query takes longer than running it."""
LOADED_CELLS = 400_000
"""A table of at most so many rows times columns is loaded by `Database.load`; a cell takes some eight bytes."""
FOR_MANY_ROWS = frozenset({
    "common_subplan", "compressed_materialization", "late_materialization", "statistics_propagation", "window_self_join",
})  # fmt: skip
"""Optimisers of DuckDB that take longer than they save where there are few rows."""

_TEXT = pa.string()
_INT = pa.int64()
_NUMBER = pa.float64()
_STAMP = pa.timestamp("us")

_FINDING_TYPES = {
    "text": _TEXT,
    "texts": pa.list_(_TEXT),
    "count": _INT,
    "id": _INT,
    "bytes": _INT,
    "flag": pa.bool_(),
    "number": _NUMBER,
    "percent": _NUMBER,
    "ts_utc": _STAMP,
}
_FACT_TYPES = {"text": _TEXT, "count": _INT, "number": _NUMBER, "flag": pa.bool_(), "texts": pa.list_(_TEXT)}


def finding_schema() -> pa.Schema:
    """Arrow schema of the rules' results: the columns of view finding."""
    return pa.schema(
        [(column.name, _FINDING_TYPES[column.unit]) for column in sqlfile.views()["finding"].columns.values()]
    )


def area_state_schema() -> pa.Schema:
    """Arrow schema of the states of areas: the columns of view area_state."""
    columns = sqlfile.views()["area_state"].columns.values()
    return pa.schema([(column.name, _FINDING_TYPES[column.unit]) for column in columns])


def site_schema() -> pa.Schema:
    """Arrow schema of the site facts: one column per fact, maps where a fact is given per pool, page set, queue, structure or channel."""
    fields = [pa.field("lpar", _TEXT), pa.field("qmgr", _TEXT)]
    for fact in FACTS.values():
        kind = _FACT_TYPES[fact.type]
        fields.append(pa.field(fact.column, pa.map_(_INT if fact.is_numbered else _TEXT, kind) if fact.key else kind))
    return pa.schema(fields)


def side_schemas() -> dict[str, pa.Schema]:
    """Arrow schemas of the tables that hold the two sides of a comparison, from the columns of the views that read them."""
    types = {"ts_local": _STAMP, "id": _INT, "count": _INT, "number": _NUMBER, "text": _TEXT}
    known = sqlfile.views()
    return {
        name: pa.schema([(column.name, types[column.unit]) for column in known[name].columns.values()])
        for name in ("side", "side_figure", "side_setting")
    }


def all_schemas() -> dict[str, pa.Schema]:
    """Arrow schemas of all base tables: those of the reader, and those that the program fills itself."""
    from mqstat.parsers.tables import table_schemas

    return {
        **table_schemas(),
        "site_input": site_schema(),
        "report_class": pa.schema([("report_id", _TEXT), ("record_class", _TEXT)]),
        "repeated_record": pa.schema([("record_id", _INT), ("first_record_id", _INT)]),
        "layout_size": LAYOUT_SIZE,
        "finding": finding_schema(),
        "area_state": area_state_schema(),
        **side_schemas(),
    }


LAYOUT_SIZE = pa.schema([("structure", _TEXT), ("section_bytes", _INT), ("columns_absent", _INT)])

OWN_TABLES = frozenset({
    "site_input", "report_class", "layout_size", "repeated_record", "finding", "area_state", "side", "side_figure", "side_setting",
})  # fmt: skip
"""Tables that the program fills itself."""


def duckdb_type(kind: pa.DataType) -> str:
    """The DuckDB type that an Arrow type of ours has in SQL."""
    if pa.types.is_dictionary(kind):
        return duckdb_type(kind.value_type)
    if pa.types.is_list(kind):
        return f"{duckdb_type(kind.value_type)}[]"
    if pa.types.is_map(kind):
        return f"MAP({duckdb_type(kind.key_type)}, {duckdb_type(kind.item_type)})"
    names = {
        pa.string(): "VARCHAR", pa.large_string(): "VARCHAR", pa.int64(): "BIGINT", pa.int32(): "INTEGER", pa.float64(): "DOUBLE", pa.bool_(): "BOOLEAN",
        pa.timestamp("us"): "TIMESTAMP", pa.date32(): "DATE", pa.binary(): "BLOB", pa.large_binary(): "BLOB",
    }  # fmt: skip
    try:
        return names[kind]
    except KeyError:
        raise DatasetError(f"A column of Arrow type {kind} has no place in the database.") from None


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: object) -> str:
    """A number, text, path or time as an SQL literal, for the statements that take no parameters."""
    if isinstance(value, bool) or value is None:
        return str(value).lower() if value is not None else "NULL"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    return "'" + str(value).replace("'", "''") + "'"


LEDGERS = frozenset({"source", "other_record", "record", "damage", "section"})
"""Tables about the input itself: they list every record, also one that repeats an earlier one."""

REPEATS = """
  WITH
  -- Numbers instead of texts: this is the one pass that has to remember every record.
  twice AS (
    SELECT hash(record_hash) AS short_hash
    FROM decoded.record
    WHERE record_hash IS NOT NULL AND damage IS NULL
    GROUP BY short_hash
    HAVING count(*) > 1
  ),
  suspect AS (
    SELECT r.record_id, r.record_hash
    FROM decoded.record AS r SEMI JOIN twice AS t ON t.short_hash = hash(r.record_hash)
    WHERE r.damage IS NULL
  ),
  first_one AS (
    SELECT record_hash, min(record_id) AS first_record_id
    FROM suspect
    GROUP BY record_hash
  )
  SELECT s.record_id, f.first_record_id
  FROM suspect AS s JOIN first_one AS f ON f.record_hash = s.record_hash
  WHERE s.record_id <> f.first_record_id
"""
"""The records that are equal to an earlier one, byte by byte after the record descriptor word."""

QMGRS_OF_RECORDS = "SELECT DISTINCT lpar, qmgr FROM decoded.record WHERE lpar IS NOT NULL AND qmgr IS NOT NULL"
"""The queue managers that get a row of site facts."""


class Database:
    """An open DuckDB connection with all tables and views; use it as a context manager or call `close`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, site: Site) -> None:
        self.connection = connection
        self.site = site
        self.has_views = False
        """Whether all views were created when the database was opened."""
        self.kept: dict[str, frozenset[str]] = {}
        """Views that were computed once, with the columns that are kept of them (`mqstat.sql.plans.keep`)."""
        self.seen: dict[str, frozenset[str]] = {}
        """Views that were made as temporary ones because a query needed them, with their columns."""
        self.failed: dict[str, str] = {}
        """Views that could not be computed, and why; whatever reads one of them fails with this sentence."""
        self.to_load: dict[str, str] = {}
        """Small decoded tables that `load` will copy, each with its query; none where there is much data."""
        self.files: dict[str, str] = {}
        """The Parquet files that the decoded tables are read from, each with its table."""
        self.input_code = 0
        """The highest return code of the inputs that could not be used."""

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def execute(self, sql: str, parameters: Mapping[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        """Run one statement with named parameters and return the cursor; DamagedFileError when it fails because a file cannot be read."""
        try:
            return self.connection.execute(sql, dict(parameters)) if parameters else self.connection.execute(sql)
        except UNREADABLE as error:
            raise_damaged(self.files, error)
            raise

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a small query and return its rows as dictionaries."""
        cursor = self.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def arrow(self, sql: str, parameters: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a query and return all of its rows as an Arrow table; DamagedFileError when it fails because a file cannot be read."""
        try:
            return self.connection.sql(sql, params=dict(parameters) if parameters else None).to_arrow_table()
        except UNREADABLE as error:
            raise_damaged(self.files, error)
            raise

    def load(self) -> None:
        """Copy the rows of small decoded tables, for what asks many queries: none of them opens the files again."""
        for name, query in self.to_load.items():
            self.execute(f"DROP VIEW decoded.{quoted(name)}")
            self.execute(f"CREATE TABLE decoded.{quoted(name)} AS {query}")
        self.to_load = {}

    def fill(self, name: str, table: pa.Table) -> None:
        """Replace the rows of one of the tables that the program fills itself (`finding`, `area_state`, `site_input`, `report_class`, `layout_size`, `side`, `side_figure`, `side_setting`)."""
        self.connection.register("incoming", table)
        try:
            self.connection.execute(f"DELETE FROM decoded.{quoted(name)}")
            self.connection.execute(f"INSERT INTO decoded.{quoted(name)} BY NAME SELECT * FROM incoming")
        finally:
            self.connection.unregister("incoming")


def open_database(
    tables: Mapping[str, TableSource],
    *,
    site: Site | None = None,
    selection: Selection | None = None,
    schemas: Mapping[str, pa.Schema] | None = None,
    memory_limit: str = "256MB",
    threads: int | None = None,
    temp_directory: Path | str | None = None,
    comments: bool = False,
    views: bool = True,
    decoded: Mapping[str, Collection[str]] | None = None,
) -> Database:
    """Open an in-memory database over decoded tables, given as Parquet files or Arrow tables, create all views and lock it.

    `decoded` lists the tables and columns of a dump that were decoded: no others exist, so reading one is an error and not NULL. Without
    it a column that a file does not have is NULL: an older version wrote the file. Without `views` no view exists until `mqstat.sql.plans.keep` computes those that a query needs, as reports do.
    `comments` adds the description of every column (used by `describe`, not needed for reports). Raises DatasetError when a Parquet file
    cannot be read and SqlFileError when a view does not compile.
    """
    schemas = all_schemas() if schemas is None else schemas
    unknown = sorted(set(tables) - set(schemas))
    if unknown:
        raise DatasetError(f"The table {unknown[0]} is unknown to this version of mqstat.")
    connection = duckdb.connect(":memory:")
    database = Database(connection, site or Site())
    present = {name: _decoded_part(name, schema, decoded) for name, schema in schemas.items()}
    tables = {name: source for name, source in tables.items() if len(present[name])}
    try:
        connection.execute(f"SET memory_limit = {literal(memory_limit)}")
        if threads is not None:
            connection.execute(f"SET threads = {int(threads)}")
        connection.execute(f"SET temp_directory = {literal(temp_directory or '')}")
        connection.execute("SET preserve_insertion_order = false")
        connection.execute("CREATE SCHEMA decoded")
        connection.execute("SET parquet_metadata_cache = true")
        given = {name: source for name, source in tables.items() if isinstance(source, pa.Table) or source}
        small = _is_small(given)
        if small:
            _plan_briefly(connection, threads)
        # All views are compiled over empty tables, which costs nothing; over many files it would open all of them for every view.
        for name, schema in (schemas if views else present).items():
            if (views or name not in given) and len(schema):
                create_table(connection, name, schema)
        if views:
            create_views(connection)
            database.has_views = True
            for name, schema in present.items():
                if name not in given and schema is not schemas[name]:
                    connection.execute(f"DROP TABLE decoded.{quoted(name)}")
                    if len(schema):
                        create_table(connection, name, schema)
        readable: list[str] = []
        queries: dict[str, str] = {}
        for name, source in sorted(given.items(), key=lambda item: item[0] != "record"):  # others select by it
            if views:
                connection.execute(f"DROP TABLE decoded.{quoted(name)}")
            condition = _where(name, present[name], selection)
            query, read = _query(connection, name, present[name], source, condition, schemas[name])
            database.files |= dict.fromkeys(read, name)
            connection.execute(f"CREATE VIEW decoded.{quoted(name)} AS {query}")
            readable += read
            queries[name] = query
            if small and _rows(name, source) * len(schemas[name]) <= LOADED_CELLS:
                database.to_load[name] = query
        _leave_out_repeats(database, queries, present)
        _fill_own(database, tables)
        if comments:
            _comment(connection, schemas)
        connection.execute("SET search_path = 'main,decoded'")
        # Only these files, not their folders: others may be in there, and what may be read may be written (see mqstat.sql.query).
        connection.execute(f"SET allowed_paths = [{', '.join(literal(path) for path in readable)}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET python_enable_replacements = false")
        connection.execute("SET lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return database


def _decoded_part(name: str, schema: pa.Schema, decoded: Mapping[str, Collection[str]] | None) -> pa.Schema:
    """The columns of a table that were decoded; tables that the program fills itself are always whole."""
    if decoded is None or name in OWN_TABLES:
        return schema
    fields = [field for field in schema if field.name in decoded.get(name, ())]
    # A table of which only the rows are counted needs some column.
    return pa.schema(
        fields or [schema.field("record_id" if "record_id" in schema.names else 0)] if name in decoded else ()
    )


def _is_small(tables: Mapping[str, TableSource]) -> bool:
    """Whether some tables are so small that plans and threads cost more than rows."""
    total = 0
    for source in tables.values():
        if isinstance(source, pa.Table):
            total += source.nbytes
        else:
            total += sum(Path(file).stat().st_size for file in source if Path(file).exists())
        if total > SMALL:
            return False
    return True


def _plan_briefly(connection: duckdb.DuckDBPyConnection, threads: int | None) -> None:
    """Settings under which queries over few rows cost least: there the time goes into plans and threads, not into rows."""
    known = {row[0] for row in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
    connection.execute(f"SET disabled_optimizers = '{','.join(sorted(known & FOR_MANY_ROWS))}'")
    if threads is None:
        connection.execute("SET threads = 1")


UNREADABLE = (
    duckdb.IOException,
    duckdb.InvalidInputException,
    duckdb.SerializationException,
    duckdb.OutOfRangeException,
)
"""What DuckDB raises for Parquet files whose bytes were changed, among other things."""


def raise_damaged(files: Mapping[str, str], error: Exception) -> None:
    """Raise DamagedFileError for the first of some Parquet files (each with its table) that cannot be read to its end; do nothing when all can be."""
    for file, table in files.items():
        try:
            with pq.ParquetFile(file) as opened:
                for _ in opened.iter_batches(batch_size=1 << 20):
                    pass
        except (OSError, ValueError, pa.ArrowException):
            place = "/".join(Path(file).parts[-3:])
            text = (
                f"{place}: this file of table {table} is damaged; mqstat verify lists all damaged files, and ingesting its dump again into a new "
                "dataset restores it."
            )
            raise DamagedFileError(text) from error


def _rows(name: str, source: TableSource) -> int:
    """Rows of a table; DamagedFileError for a file whose metadata cannot be read."""
    if isinstance(source, pa.Table):
        return int(source.num_rows)
    try:
        return sum(pq.read_metadata(file).num_rows for file in source)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise_damaged({str(file): name for file in source}, error)
        raise


def create_table(connection: duckdb.DuckDBPyConnection, name: str, schema: pa.Schema) -> None:
    """Create `decoded.<name>` without rows."""
    columns = ", ".join(f"{quoted(field.name)} {duckdb_type(field.type)}" for field in schema)
    connection.execute(f"CREATE TABLE decoded.{quoted(name)} ({columns})")


def _query(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    schema: pa.Schema,
    source: TableSource,
    condition: str,
    whole: pa.Schema,
) -> tuple[str, list[str]]:
    """The query for the rows of a decoded table, with all columns of `schema`, which are some of the `whole`, and the files it reads."""
    files: list[str] = []
    if isinstance(source, pa.Table):
        connection.register(f"arrow_{name}", source)
        origin = quoted(f"arrow_{name}")
    else:
        files = [str(Path(file).resolve()) for file in source]
        listed = ", ".join(literal(file) for file in files)
        origin = (
            f"read_parquet([{listed}], hive_partitioning = true, hive_types_autocast = false, union_by_name = true)"
        )
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


def _where(name: str, schema: pa.Schema, selection: Selection | None) -> str:
    """The condition that keeps the selected rows of a decoded table: those of the records that a dump with this selection gives.

    Tables that count whole inputs (`source`, `damage`, `lost_value`) are not selected, `section` and `other_record` by their names only.
    """
    if selection is None or selection.is_all:
        return ""
    conditions = []
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


@cache
def types_of(table: str) -> frozenset[int]:
    """The SMF types of the records that a decoded table has rows of; none for counts of a whole input."""
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
    """The local time that a row of a decoded table is selected and filed by, as SQL: statistics by the start of their interval, all else by the time written."""
    start = "coalesce(interval_start_local, written_local)"
    if table == "record":
        return f"CASE WHEN smf_type = 115 THEN {start} ELSE written_local END"
    return start if types_of(table) == {115} else "written_local"


class _ViewTypes:
    """Finds the columns of views over empty tables, each layer of views over empty tables in place of the layer below.

    A view that is compiled over views is compiled with all of them, down to the tables; a hundred of them would take seconds.
    """

    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        self.connection.execute("CREATE SCHEMA decoded")
        self.schemas = all_schemas()
        self.known: dict[str, dict[str, str]] = {}
        self.tables: set[str] = set()
        self.connection.execute("SET enable_external_access = false")

    def table(self, name: str) -> None:
        if name not in self.tables:
            create_table(self.connection, name, self.schemas[name])
            self.tables.add(name)

    def of(self, name: str) -> dict[str, str]:
        if name not in self.known:
            view = sqlfile.views()[name]
            for need in view.needs:
                table = need.removeprefix("decoded.")
                if need == table:
                    self.of(need)
                else:
                    self.table(table)
            try:
                text = view.text.rstrip().rstrip(";")
                found = {
                    row[0]: row[1] for row in self.connection.execute(f"DESCRIBE SELECT * FROM ({text})").fetchall()
                }
                self.connection.execute(_stand_in(name, found))
            except duckdb.Error as error:
                raise SqlFileError(f"{view.name}: the view does not compile: {error}.") from error
            self.known[name] = found
        return self.known[name]


@cache
def _view_types() -> _ViewTypes:
    return _ViewTypes()


def view_types(view: str) -> Mapping[str, str]:
    """Name and DuckDB type of every column of a view; SqlFileError when the view does not compile."""
    return _view_types().of(view)


def explain_over_empty(sql: str, tables: Iterable[str]) -> None:
    """Compile a query of a user over empty tables: these views, and these decoded tables as `decoded.name`; duckdb.Error when it is wrong.

    Only a single SELECT is compiled, and nothing that it names is opened.
    """
    types = _view_types()
    connection = types.connection
    if [one.type for one in connection.extract_statements(sql)] != [duckdb.StatementType.SELECT]:
        return
    for name in tables:
        if name.startswith("decoded."):
            types.table(name.removeprefix("decoded."))
        else:
            types.of(name)
    connection.execute("SET search_path = 'main,decoded'")
    try:
        connection.execute(f"EXPLAIN {sql}")
    finally:
        connection.execute("RESET search_path")


def _stand_in(view: str, types: Mapping[str, str]) -> str:
    """The statement that makes an empty table in the place of a view."""
    return f"CREATE TABLE main.{quoted(view)} ({', '.join(f'{quoted(name)} {kind}' for name, kind in types.items())})"


def create_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create all views; SqlFileError names the file that does not compile."""
    found = {name: view_types(name) for name in sqlfile.views()}
    for name, types in found.items():
        connection.execute(_stand_in(name, types))
    for view in reversed(list(sqlfile.views().values())):
        connection.execute(f"DROP TABLE main.{quoted(view.id)}")
        connection.execute(f"CREATE VIEW main.{quoted(view.id)} AS {view.text.rstrip().rstrip(';')}")


def report_classes() -> list[tuple[str, str]]:
    """Report and record class it cannot do without, from the headers of reports and views."""
    known = sqlfile.views()
    return sorted(
        {
            (report.id, record_class)
            for report in sqlfile.reports().values()
            for need in report.needs
            for record_class in known[need].classes
        }
    )


@cache
def layout_sizes() -> pa.Table:
    """Every structure with its published section lengths, and how many of its columns lie beyond a section of that length."""
    from mqstat.parsers import LAYOUTS

    rows = [
        {
            "structure": layout.name,
            "section_bytes": size,
            "columns_absent": sum(
                len(field.columns or (field.name,))
                for field in layout.named
                if not field.reserved and field.kind != "internal" and field.at >= size
            ),
        }
        for layout in LAYOUTS.values()
        for size in sorted(set(layout.sizes))
    ]
    return pa.Table.from_pylist(rows, schema=LAYOUT_SIZE)


def _fill_own(database: Database, tables: Mapping[str, TableSource]) -> None:
    if "report_class" not in tables:
        pairs = report_classes()
        table = pa.table({"report_id": [pair[0] for pair in pairs], "record_class": [pair[1] for pair in pairs]})
        database.fill("report_class", table.cast(pa.schema([("report_id", _TEXT), ("record_class", _TEXT)])))
    if "layout_size" not in tables:
        database.fill("layout_size", layout_sizes())
    if "site_input" not in tables and database.site.has_facts:
        pairs = database.execute(QMGRS_OF_RECORDS).fetchall()
        schema = site_schema()
        rows = [{"lpar": lpar, "qmgr": qmgr, **database.site.facts(lpar, qmgr)} for lpar, qmgr in sorted(pairs)]
        database.fill("site_input", pa.Table.from_pylist(rows, schema=schema))


def _leave_out_repeats(database: Database, queries: Mapping[str, str], present: Mapping[str, pa.Schema]) -> None:
    """Fill `repeated_record` and take the rows of these records out of the tables of structures: each record counts once."""
    if "record" not in queries or not {"record_id", "record_hash", "damage"} <= set(present["record"].names):
        return
    database.execute(f"INSERT INTO decoded.repeated_record BY NAME {REPEATS}")
    if not database.execute("SELECT 1 FROM decoded.repeated_record LIMIT 1").fetchall():
        return
    for name, query in queries.items():
        if name in LEDGERS or "record_id" not in present[name].names:
            continue
        once = f"SELECT t.* FROM ({query}) AS t ANTI JOIN decoded.repeated_record AS d ON d.record_id = t.record_id"
        database.execute(f"CREATE OR REPLACE VIEW decoded.{quoted(name)} AS {once}")
        if name in database.to_load:
            database.to_load[name] = once


def _comment(connection: duckdb.DuckDBPyConnection, schemas: Mapping[str, pa.Schema]) -> None:
    """Give tables, views and columns their descriptions, which `DESCRIBE`-like queries of other tools show."""
    for view in sqlfile.views().values():
        connection.execute(
            f"COMMENT ON VIEW main.{quoted(view.id)} IS {literal(view.title + ': ' + view.header['grain'] + '.')}"
        )
        for column in view.columns.values():
            connection.execute(
                f"COMMENT ON COLUMN main.{quoted(view.id)}.{quoted(column.name)} IS {literal(column.doc)}"
            )
    for name, schema in schemas.items():
        for field in schema:
            text = (field.metadata or {}).get(b"description")
            if text:
                connection.execute(
                    f"COMMENT ON COLUMN decoded.{quoted(name)}.{quoted(field.name)} IS {literal(text.decode())}"
                )
