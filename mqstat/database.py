"""DuckDB over the decoded tables: registers them, creates the views of `mqstat/reports/views`, then locks everything else out.

Decoded tables stand in the schema `decoded`, views in `main`, so a view may have the name of the table it cleans (`record`). Tables come
as lists of Parquet files or as Arrow tables; a table or column that is not there is empty or NULL with its declared type, so that every
view always compiles.
"""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted, values are bound or made literals

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa

from mqstat import sqlfile
from mqstat.errors import DatasetError, SqlFileError
from mqstat.selection import Selection
from mqstat.site import FACTS, Site

TableSource: TypeAlias = pa.Table | Sequence[Path | str]
"""A decoded table: an Arrow table or its Parquet files."""

_TEXT = pa.string()
_INT = pa.int64()
_NUMBER = pa.float64()
_STAMP = pa.timestamp("us")

_FINDING_TYPES = {
    "text": _TEXT,
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


def site_schema() -> pa.Schema:
    """Arrow schema of the site facts: one column per fact, maps where a fact is given per pool, queue, structure or channel."""
    fields = [pa.field("lpar", _TEXT), pa.field("qmgr", _TEXT)]
    for fact in FACTS.values():
        kind = _FACT_TYPES[fact.type]
        fields.append(pa.field(fact.column, pa.map_(_INT if fact.key == "pool" else _TEXT, kind) if fact.key else kind))
    return pa.schema(fields)


def all_schemas() -> dict[str, pa.Schema]:
    """Arrow schemas of all base tables: those of the reader, and those that the program fills itself."""
    from mqstat.parsers.tables import table_schemas

    return {
        **table_schemas(),
        "site_input": site_schema(),
        "report_class": pa.schema([("report_id", _TEXT), ("record_class", _TEXT)]),
        "finding": finding_schema(),
    }


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


class Database:
    """An open DuckDB connection with all tables and views; use it as a context manager or call `close`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, site: Site) -> None:
        self.connection = connection
        self.site = site

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
        """Run one statement with named parameters and return the cursor."""
        return self.connection.execute(sql, dict(parameters)) if parameters else self.connection.execute(sql)

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a small query and return its rows as dictionaries."""
        cursor = self.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def arrow(self, sql: str, parameters: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a query and return all of its rows as an Arrow table."""
        return self.execute(sql, parameters).to_arrow_table()

    def fill(self, name: str, table: pa.Table) -> None:
        """Replace the rows of one of the tables that the program fills itself (`finding`, `site_input`, `report_class`)."""
        self.connection.register("incoming", table)
        try:
            self.connection.execute(f"DELETE FROM decoded.{quoted(name)}")
            self.connection.execute(f"INSERT INTO decoded.{quoted(name)} BY NAME SELECT * FROM incoming")
        finally:
            self.connection.unregister("incoming")

    def keep(self, view: str) -> None:
        """Compute a small view once and serve it from memory afterwards; for views that many others are built on."""
        name = quoted(f"kept_{view}")
        if not self.execute(f"SELECT 1 FROM duckdb_tables() WHERE table_name = {literal('kept_' + view)}").fetchall():
            self.execute(f"CREATE TABLE decoded.{name} AS SELECT * FROM main.{quoted(view)}")
            self.execute(f"CREATE OR REPLACE VIEW main.{quoted(view)} AS SELECT * FROM decoded.{name}")


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
) -> Database:
    """Open an in-memory database over decoded tables, given as Parquet files or Arrow tables, create all views and lock it.

    `comments` adds the description of every column (used by `describe`, not needed for reports). Raises DatasetError when a Parquet file
    cannot be read and SqlFileError when a view does not compile.
    """
    schemas = all_schemas() if schemas is None else schemas
    unknown = sorted(set(tables) - set(schemas))
    if unknown:
        raise DatasetError(f"The table {unknown[0]} is unknown to this version of mqstat.")
    connection = duckdb.connect(":memory:")
    database = Database(connection, site or Site())
    try:
        connection.execute(f"SET memory_limit = {literal(memory_limit)}")
        if threads is not None:
            connection.execute(f"SET threads = {int(threads)}")
        connection.execute(f"SET temp_directory = {literal(temp_directory or '')}")
        connection.execute("SET preserve_insertion_order = false")
        connection.execute("CREATE SCHEMA decoded")
        connection.execute("SET parquet_metadata_cache = true")
        # Views are compiled over empty tables, which costs nothing; over many files it would open all of them for every view.
        for name, schema in schemas.items():
            _create_table(connection, name, schema, None, None)
        create_views(connection)
        folders: set[str] = set()
        for name, source in tables.items():
            if isinstance(source, pa.Table) or source:
                connection.execute(f"DROP TABLE decoded.{quoted(name)}")
                folders |= _create_table(connection, name, schemas[name], source, selection)
        _fill_own(database, tables)
        if comments:
            _comment(connection, schemas)
        connection.execute("SET search_path = 'main,decoded'")
        connection.execute(f"SET allowed_directories = [{', '.join(literal(folder) for folder in sorted(folders))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET python_enable_replacements = false")
        connection.execute("SET lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return database


def _create_table(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    schema: pa.Schema,
    source: TableSource | None,
    selection: Selection | None,
) -> set[str]:
    """Create `decoded.<name>` over its source and return the folders it reads."""
    target = f"decoded.{quoted(name)}"
    if source is None or (not isinstance(source, pa.Table) and not source):
        columns = ", ".join(f"{quoted(field.name)} {duckdb_type(field.type)}" for field in schema)
        connection.execute(f"CREATE TABLE {target} ({columns})")
        return set()
    folders: set[str] = set()
    if isinstance(source, pa.Table):
        connection.register(f"arrow_{name}", source)
        origin = quoted(f"arrow_{name}")
    else:
        files = [Path(file).resolve() for file in source]
        folders = {str(file.parent) for file in files}
        listed = ", ".join(literal(file) for file in files)
        origin = (
            f"read_parquet([{listed}], hive_partitioning = true, hive_types_autocast = false, union_by_name = true)"
        )
    try:
        present = {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {origin}").fetchall()}
    except duckdb.Error as error:
        raise DatasetError(f"Table {name} cannot be read: {error}.") from error
    selected = []
    for field in schema:
        kind = duckdb_type(field.type)
        if field.name not in present:
            selected.append(f"NULL::{kind} AS {quoted(field.name)}")
        elif present[field.name] != kind:
            selected.append(f"{quoted(field.name)}::{kind} AS {quoted(field.name)}")
        else:
            selected.append(quoted(field.name))
    selected += [quoted(column) for column in present if column not in schema.names]
    connection.execute(f"CREATE VIEW {target} AS SELECT {', '.join(selected)} FROM {origin}{_where(schema, selection)}")
    return folders


def _where(schema: pa.Schema, selection: Selection | None) -> str:
    """The condition that keeps the selected queue managers and period; a row belongs to the time its interval starts, else to its write time."""
    if selection is None or selection.is_all:
        return ""
    conditions = []
    if selection.types and "smf_type" in schema.names and "record_class" in schema.names:
        conditions.append(f"smf_type IN ({', '.join(str(int(number)) for number in selection.types)})")
    if selection.qmgrs and "qmgr" in schema.names:
        conditions.append(f"qmgr IN ({', '.join(literal(name) for name in selection.qmgrs)})")
    if "written_local" in schema.names:
        if "interval_start_local" in schema.names:
            time = "coalesce(interval_start_local, written_local)"
        elif {"interval_start_utc", "gmt_offset_minutes"} <= set(schema.names):
            time = "coalesce(interval_start_utc + to_minutes(gmt_offset_minutes), written_local)"
        else:
            time = "written_local"
        if selection.since is not None:
            conditions.append(f"{time} >= {literal(selection.since)}")
        if selection.until is not None:
            conditions.append(f"{time} < {literal(selection.until)}")
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def create_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create all views in the order of their needs; SqlFileError names the file that does not compile."""
    for view in sqlfile.views().values():
        try:
            connection.execute(f"CREATE VIEW main.{quoted(view.id)} AS {view.text.rstrip().rstrip(';')}")
        except duckdb.Error as error:
            raise SqlFileError(f"{view.name}: the view does not compile: {error}.") from error


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


def _fill_own(database: Database, tables: Mapping[str, TableSource]) -> None:
    if "report_class" not in tables:
        pairs = report_classes()
        table = pa.table({"report_id": [pair[0] for pair in pairs], "record_class": [pair[1] for pair in pairs]})
        database.fill("report_class", table.cast(pa.schema([("report_id", _TEXT), ("record_class", _TEXT)])))
    if "site_input" not in tables and database.site.has_facts:
        pairs = database.execute(
            "SELECT DISTINCT lpar, qmgr FROM decoded.record WHERE lpar IS NOT NULL AND qmgr IS NOT NULL"
        ).fetchall()
        schema = site_schema()
        rows = [{"lpar": lpar, "qmgr": qmgr, **database.site.facts(lpar, qmgr)} for lpar, qmgr in sorted(pairs)]
        database.fill("site_input", pa.Table.from_pylist(rows, schema=schema))


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


# --- which columns does a query read

_TEXT_UNITS = {"text": "VARCHAR", "flag": "BOOLEAN", "ts_utc": "TIMESTAMP", "ts_local": "TIMESTAMP"}
_WHOLE_UNITS = frozenset("count pages buffers blocks bytes us id min".split())


KEPT_OPTIMIZERS = ("unused_columns", "cte_inlining", "join_elimination")


class _Plans:
    """Finds the columns a query reads, from DuckDB's own plans over empty tables, one layer of views at a time.

    Views stand in for themselves as empty tables here, so that each view is planned once, for all the columns that anything wants of it.
    Only the pruning of columns, the inlining of common table expressions and the removal of joins that add nothing are left on: an
    optimiser that knows the tables are empty, or that moves conditions into the scan, would hide columns.
    """

    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:")
        self.schemas = all_schemas()
        self.present: set[str] = set()
        self.connection.execute("CREATE SCHEMA decoded")
        for view in sqlfile.views().values():
            known = site_schema() if view.id == "site_input" else None
            columns = ", ".join(
                f"{quoted(column.name)} {duckdb_type(known.field(column.name).type) if known and column.name in known.names else _stub_type(column)}"
                for column in view.columns.values()
            )
            self.connection.execute(f"CREATE TABLE main.{quoted(view.id)} ({columns})")
        self.connection.execute("SET search_path = 'main,decoded'")
        optimizers = [row[0] for row in self.connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()]
        off = [name for name in optimizers if name not in KEPT_OPTIMIZERS]
        self.connection.execute(f"SET disabled_optimizers = '{','.join(off)}'")

    def need(self, names: Iterable[str]) -> None:
        """Make sure that these decoded tables are there."""
        for name in set(names) - self.present:
            _create_table(self.connection, name, self.schemas[name], None, None)
            self.present.add(name)

    def layer(self, sql: str) -> dict[str, set[str]]:
        """Columns of views (`main.name`) and decoded tables (`decoded.name`) that one query reads."""
        # Parameters have no values here and need none: NULL has the plan of every value.
        parameters = {
            name: None for statement in self.connection.extract_statements(sql) for name in statement.named_parameters
        }
        cursor = self.connection.execute(f"EXPLAIN (FORMAT JSON) {sql}", parameters)
        found: dict[str, set[str]] = {}

        def visit(node: Mapping[str, Any]) -> None:
            extra = node.get("extra_info") or {}
            table = extra.get("Table")
            if isinstance(table, str):
                columns = extra.get("Projections", [])
                name = table.removeprefix("memory.").replace('"', "")
                found.setdefault(name, set()).update({columns} if isinstance(columns, str) else columns)
            for child in node.get("children", ()):
                visit(child)

        for node in json.loads(cursor.fetchall()[0][1]):
            visit(node)
        return {name: {column.replace('"', "") for column in columns if column} for name, columns in found.items()}

    def resolve(self, wanted: dict[str, set[str]]) -> dict[str, frozenset[str]]:
        """Follow the views down to the decoded tables."""
        for view in reversed(list(sqlfile.views().values())):
            columns = wanted.pop(f"main.{view.id}", None)
            if columns is None:
                continue
            self.need(need.removeprefix("decoded.") for need in view.needs if need.startswith("decoded."))
            selected = ", ".join(quoted(column) for column in sorted(columns)) or "1"
            for name, found in self.layer(f"SELECT {selected} FROM ({view.text.rstrip().rstrip(';')})").items():
                wanted.setdefault(name, set()).update(found)
        return {name.removeprefix("decoded."): frozenset(columns) for name, columns in wanted.items()}


def _stub_type(column: sqlfile.Column) -> str:
    return _TEXT_UNITS.get(
        column.unit, "BIGINT" if column.unit in _WHOLE_UNITS and column.kind != "derived" else "DOUBLE"
    )


@cache
def _plans() -> _Plans:
    return _Plans()


def scanned_columns(sql: str) -> dict[str, frozenset[str]]:
    """Which columns of which decoded tables a SELECT over the views reads.

    A table of which only the number of rows matters has an empty set. Raises SqlFileError when the SQL does not compile.
    """
    plans = _plans()
    try:
        plans.need(plans.schemas)
        return plans.resolve(plans.layer(sql))
    except duckdb.Error as error:
        raise SqlFileError(f"The query cannot be read: {error}.") from error


@cache
def view_columns(sql: str) -> Mapping[str, frozenset[str]]:
    """Which columns of which views a rule or report reads itself; SqlFileError when its SQL does not compile."""
    try:
        found = _plans().layer(sql)
    except duckdb.Error as error:
        raise SqlFileError(f"The query cannot be read: {error}.") from error
    return {name.removeprefix("main."): frozenset(columns) for name, columns in found.items()}


def rule_needs(rule: sqlfile.SqlFile) -> list[str]:
    """Columns (`view.column`) whose presence a rule file asks for, as its header names them."""
    groups = [rule.header.get("needs", []), *rule.header.get("needs_any", [])]
    return [str(name) for group in groups for name in group]


@cache
def health_columns(report_ids: tuple[str, ...] | None = None) -> Mapping[str, frozenset[str]]:
    """The columns that the rules and the given reports (all when None) read: what a report straight from a dump decodes."""
    reports = sqlfile.reports()
    texts = [unit.text for unit in sqlfile.rules().values()]
    texts += [reports[name].text for name in (reports if report_ids is None else report_ids)]
    wanted: dict[str, set[str]] = {}
    for text in [*texts, *HEAD_QUERIES]:
        for view, columns in view_columns(text).items():
            wanted.setdefault(f"main.{view}", set()).update(columns)
    for rule in sqlfile.rules().values():
        for name in rule_needs(rule):
            view, _, column = name.partition(".")
            wanted.setdefault(f"main.{view}", set()).add(column)
    plans = _plans()
    return plans.resolve(wanted)


HEAD_QUERIES = (
    "SELECT lpar, qmgr, qsg, mq_versions, highest_mq_level, first_written_local, last_written_local, intervals FROM qmgr",
    "SELECT lpar, qmgr, record_class, class_holds, records, command_to_collect, coverage_state, intervals_expected, intervals_present FROM collection",
    "SELECT lpar, qmgr, interval_start_utc, interval_start_local FROM interval_cut",
    "SELECT record_id, source_id, source_offset, damage, lpar, qmgr, gmt_offset_minutes, written_local FROM record",
    "SELECT * FROM source",
    "SELECT smf_type, records FROM other_record",
)
"""What the engine and the head of a report read beside rules and reports."""
