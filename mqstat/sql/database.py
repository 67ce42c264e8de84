"""DuckDB over the decoded tables: registers them, creates the views of `mqstat/reports/views`, then disables access to anything else.

Decoded tables are in the schema `decoded`, views in `main`, so a view may have the name of the table it cleans (`record`). Tables come
as lists of Parquet files or as Arrow tables; a missing table is empty and a missing column NULL, with its declared type, so that every
view always compiles.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as literals

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb
import pyarrow as pa

from mqstat.base.errors import DatasetError
from mqstat.base.selection import Selection
from mqstat.sql import duplicates, sqlfile
from mqstat.sql.decoded import (
    UNREADABLE,
    Owners,
    TableSource,
    bytes_of,
    condition_of,
    decoded_query,
    raise_damaged,
    row_count,
)
from mqstat.sql.numbers import Numbers, add_numbers
from mqstat.sql.schemas import (
    OWN_TABLES,
    all_schemas,
    create_table,
    layout_sizes,
    literal,
    quoted,
    report_classes,
    site_schema,
)
from mqstat.sql.site import Site
from mqstat.sql.stored import register_stored
from mqstat.sql.views import create_views

SMALL = 2 << 20
"""Up to this many bytes of Parquet, planning a query takes longer than running it."""
SMALL_IN_MEMORY = 16 << 20
"""The same limit for rows in memory, which take about eight times as many bytes."""
ENOUGH = frozenset({
    "cte_inlining", "deliminator", "expression_rewriter", "extension", "filter_pullup", "filter_pushdown", "materialized_cte", "unnest_rewriter",
    "unused_columns", "window_rewriter",
})  # fmt: skip
"""The optimisers of DuckDB that our own queries over few rows use: the others cost a sixth of the run time of `check` and save nothing."""
LOADED_CELLS = 400_000
"""`Database.load` loads tables in files of at most this many cells (rows times columns); a cell takes about eight bytes."""


FOR_MANY_ROWS = frozenset({
    "common_subplan", "compressed_materialization", "late_materialization", "statistics_propagation", "window_self_join",
})  # fmt: skip
"""Optimisers of DuckDB that cost more time than they save over few rows."""


QMGRS_OF_RECORDS = "SELECT DISTINCT lpar, qmgr FROM decoded.record WHERE lpar IS NOT NULL AND qmgr IS NOT NULL"
"""The queue managers that have a row of site facts."""


class Database:
    """An open DuckDB connection with all tables and views; use it as a context manager or call `close`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, site: Site) -> None:
        self.connection = connection
        self.site = site
        self.kept: set[str] = set()
        """Views that were computed once (`mqstat.sql.plans.keep`)."""
        self.seen: set[str] = set()
        """Views that were created as temporary views because a query needed them."""
        self.failed: dict[str, str] = {}
        """Views that could not be computed, with the reason; a query that reads one of them fails with this sentence."""
        self.marked: set[str] = set()
        """The rules that have a table of their rows in breach (`mqstat.judge.judging.keep_breaches`)."""
        self.empty: set[str] = set()
        """Decoded tables (`decoded.name`) and views that are known to be empty: a rule that reads only these has no rows to judge."""
        self.filled: set[str] = set()
        """Decoded tables that may have rows, of those that the program itself fills."""
        self.listed_findings = "finding"
        """The table of the findings that texts are written from: view finding, or one without those that others represent (`mqstat.judge.clear`)."""
        self.has_report_classes = False
        """Whether table `report_class` is filled (`fill_report_classes`)."""
        self.is_small = False
        """Whether planning a query costs more than reading the rows."""
        self.sizes: dict[str, int] = {}
        """Bytes of each decoded table as Parquet, if there is much data."""
        self.tables = "temp"
        """The schema of the tables of views that were computed once: `temp`, or over much data a database in memory that is compressed."""
        self.to_load: dict[str, str] = {}
        """Small decoded tables that `load` will copy, each with its query; empty if there is much data."""
        self.files: dict[str, str] = {}
        """The Parquet files that the decoded tables are read from, each with its table."""
        self.input_code = 0
        """The highest return code of the inputs that could not be used."""
        self.opened: dict[str, Any] = {}
        """What `open_database` was called with, so that another process can open the same data."""
        self.shards: Any = None
        """The parts that workers of Spark judge (`mqstat.judge.shards`)."""

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fill_report_classes(self) -> None:
        """Fill table `report_class` unless it is filled already: this reads the headers of all reports."""
        if not self.has_report_classes:
            self.has_report_classes = True
            ids, classes = zip(*report_classes(), strict=True)
            self.fill("report_class", pa.table({"report_id": pa.array(ids), "record_class": pa.array(classes)}))

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def execute(self, sql: str, parameters: Mapping[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        """Run one statement with named parameters and return the cursor; DamagedFileError if a file cannot be read."""
        given = (sql, dict(parameters)) if parameters else (sql,)
        try:
            return self.connection.execute(*given)
        except UNREADABLE as error:
            raise_damaged(self.files, error)
            raise

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a small query and return its rows as dictionaries."""
        cursor = self.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def arrow(self, sql: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> pa.Table:
        """Run a query and return all of its rows as an Arrow table; DamagedFileError if a file cannot be read."""
        try:
            given = (dict(parameters) if isinstance(parameters, Mapping) else list(parameters)) if parameters else None
            return self.connection.sql(sql, params=given).to_arrow_table()
        except UNREADABLE as error:
            raise_damaged(self.files, error)
            raise

    def reader(self, sql: str, rows: int) -> pa.RecordBatchReader:
        """Run a query and return its rows in batches of so many rows."""
        return self.connection.sql(sql).to_arrow_reader(rows)

    def relation(self, name: str) -> duckdb.DuckDBPyRelation:
        """A view, or a decoded table (`decoded.NAME`), as a relation whose rows are read when they are needed."""
        table = name.removeprefix("decoded.")
        if table == name:
            return self.connection.view(quoted(name))
        return self.connection.table(f"decoded.{quoted(table)}")

    def compress(self) -> None:
        """Compress the tables that were created since the last call, if they are in a database of their own."""
        if self.tables != "temp":
            self.execute("CHECKPOINT kept")

    def load(self) -> None:
        """Copy the rows of small decoded tables into memory, so that a caller with many queries opens the files only once."""
        for name, query in self.to_load.items():
            # In one step for other connections to the same data.
            self.execute("BEGIN")
            self.execute(f"DROP VIEW decoded.{quoted(name)}")
            self.execute(f"CREATE TABLE decoded.{quoted(name)} AS {query}")
            self.execute("COMMIT")
        self.to_load = {}

    def cursor(self) -> Database:
        """A further connection to the same data, for another thread; its views that were computed once are its own. `fill_report_classes` before."""
        other = Database(self.connection.cursor(), self.site)
        other.is_small, other.sizes, other.files = self.is_small, self.sizes, self.files
        other.empty, other.input_code, other.has_report_classes = set(self.empty), self.input_code, True
        return other

    def fill(self, name: str, table: pa.Table) -> None:
        """Replace the rows of one of the tables that the program itself fills (`finding`, `area_state`, `site_input`, `report_class`, `layout_size`, `dropped_class`, `sequence_scope`, `side`, `side_figure`, `side_setting`, `hour_figure`)."""
        if name in self.filled:
            self.connection.execute(f"DELETE FROM decoded.{quoted(name)}")
        self.add(name, table)

    def add(self, name: str, table: pa.Table) -> None:
        """Add rows to one of these tables."""
        if not table.num_rows:
            return
        self.filled.add(name)
        with self.given(incoming=table):
            self.connection.execute(f"INSERT INTO decoded.{quoted(name)} BY NAME SELECT * FROM incoming")

    @contextmanager
    def given(self, **tables: pa.Table) -> Iterator[None]:
        """Let statements read these tables by their names until the context ends."""
        for name, table in tables.items():
            self.connection.register(name, table)
        try:
            yield
        finally:
            for name in tables:
                self.connection.unregister(name)


def open_database(
    tables: Mapping[str, TableSource],
    *,
    site: Site | None = None,
    selection: Selection | None = None,
    schemas: Mapping[str, pa.Schema] | None = None,
    memory_limit: str = "256MB",
    threads: int | None = None,
    temp_directory: Path | str | None = None,
    views: bool | Collection[str] = True,
    decoded: Mapping[str, Collection[str]] | None = None,
    distinct: bool = False,
    sources: Collection[int] | None = None,
    numbers: Numbers | None = None,
    readable: Collection[Path] = (),
    owners: Owners | None = None,
) -> Database:
    """Open an in-memory database over decoded tables, given as Parquet files or Arrow tables, create all views and disable external access.

    `decoded` lists the tables and columns of a dump that were decoded: no others exist, so reading another one is an error, not NULL. Without
    it a column that a table does not have is NULL. `distinct`: the duplicates of the tables are marked (a dataset), so
    they are not searched. `sources` = only the counts of these inputs. `numbers` = where the sequence numbers of records are read from.
    `readable` = further paths that files of tables may get. `owners` = only the records of these. `views` names the views to create,
    if not all. With no `views` no view exists until `mqstat.sql.plans.keep` computes those that a query needs, as reports do.
    Raises DatasetError when a Parquet file cannot be read and SqlFileError when a view does not compile.
    """
    opened = {
        "tables": tables, "site": site, "selection": selection, "schemas": schemas, "memory_limit": memory_limit, "views": views, "decoded": decoded,
        "distinct": distinct, "sources": sources, "numbers": numbers, "readable": readable,
    }  # fmt: skip
    names, views = (None, views) if isinstance(views, bool) else (views, True)
    schemas = all_schemas() if schemas is None else schemas
    unknown = sorted(set(tables) - set(schemas))
    if unknown:
        raise DatasetError(f"The table {unknown[0]} is unknown to this version of mqstat.")
    connection = duckdb.connect(":memory:")
    database = Database(connection, site or Site())
    database.opened = opened
    present = {name: _decoded_part(name, schema, decoded) for name, schema in schemas.items()}
    tables = {name: source for name, source in tables.items() if len(present[name])}
    try:
        connection.execute(f"SET memory_limit = {literal(memory_limit)}")
        if threads is not None:
            connection.execute(f"SET threads = {int(threads)}")
        connection.execute(f"SET temp_directory = {literal(temp_directory or '')}")
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(f"CREATE SCHEMA decoded; {sqlfile.macros()}")
        connection.execute("SET parquet_metadata_cache = true")
        given = {name: source for name, source in tables.items() if isinstance(source, pa.Table) or source}
        register_stored(connection, [*given.values(), (numbers or Numbers()).files])
        database.filled = set(given)
        database.empty = {f"decoded.{name}" for name in schemas if name not in given and name not in OWN_TABLES}
        small = _is_small(given)
        database.sizes = {} if small else {name: _size(source) for name, source in given.items()}
        database.is_small = small
        if small:
            _plan_briefly(connection, threads, own=not views)
        # All views are compiled over empty tables, which costs nothing; over many files it would open all of them for every view.
        for name, schema in (schemas if views else present).items():
            if (views or name not in given) and len(schema):
                create_table(connection, name, schema)
        if views:
            create_views(connection, names)
            for name, schema in present.items():
                if name not in given and schema is not schemas[name]:
                    connection.execute(f"DROP TABLE decoded.{quoted(name)}")
                    if len(schema):
                        create_table(connection, name, schema)
        may_read = [str(path) for path in readable]
        queries: dict[str, str] = {}
        loaded: list[str] = []
        for name, source in sorted(
            given.items(), key=lambda item: (item[0] != "record", item[0] != "wtid")
        ):  # others are selected by these
            if views:
                connection.execute(f"DROP TABLE decoded.{quoted(name)}")
            condition = condition_of(name, present[name], selection, sources, owners)
            as_written = decoded is not None and not views  # by this process, with just these columns
            query, read = decoded_query(
                connection, name, present[name], source, condition, None if as_written else schemas[name]
            )
            database.files |= dict.fromkeys(read, name)
            few = small and (
                isinstance(source, pa.Table) or row_count(name, source) * len(schemas[name]) <= LOADED_CELLS
            )
            database.execute(f"CREATE {'TABLE' if few and as_written else 'VIEW'} decoded.{quoted(name)} AS {query}")
            may_read += read
            queries[name] = query
            if few and as_written:
                loaded.append(name)
            elif few:
                database.to_load[name] = query
        duplicates.leave_out(database, queries, present, loaded, marked=distinct)
        if "record" in given and "numbered_record" in schemas and "numbered_record" not in given:
            may_read += add_numbers(database, numbers or Numbers(), selection, present["record"], owners)
        _fill_own(database, tables)
        if views and "report_class" in schemas:
            database.fill_report_classes()
        if not small:
            connection.execute("ATTACH ':memory:' AS kept (COMPRESS)")
            database.tables = "kept.main"
        connection.execute(
            f"SET search_path = '{'' if small else 'kept.main,memory.'}main,{'' if small else 'memory.'}decoded'"
        )
        # Only these files, not their folders: a folder may hold other files, and what DuckDB may read it may also write (see mqstat.sql.query).
        connection.execute(f"SET allowed_paths = [{', '.join(literal(path) for path in may_read)}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET python_enable_replacements = false")
        connection.execute("SET lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return database


def _decoded_part(name: str, schema: pa.Schema, decoded: Mapping[str, Collection[str]] | None) -> pa.Schema:
    """The columns of a table that were decoded; tables that the program itself fills always have all columns."""
    if decoded is None or name in OWN_TABLES:
        return schema
    fields = [field for field in schema if field.name in decoded.get(name, ())]
    # Counting the rows of a table needs at least one column.
    return pa.schema(
        fields or [schema.field("record_id" if "record_id" in schema.names else 0)] if name in decoded else ()
    )


def _is_small(tables: Mapping[str, TableSource]) -> bool:
    """Whether the tables are so small that planning and threads cost more than reading the rows."""
    in_memory = in_files = 0
    for source in tables.values():
        if isinstance(source, pa.Table):
            in_memory += source.nbytes
        else:
            in_files += sum(map(bytes_of, source))
        if in_files > SMALL or in_memory > SMALL_IN_MEMORY:
            return False
    return True


def _size(source: TableSource) -> int:
    """Bytes of a table as Parquet; rows in memory take about eight times as many."""
    if isinstance(source, pa.Table):
        return int(source.nbytes) // 8
    return sum(map(bytes_of, source))


def _plan_briefly(connection: duckdb.DuckDBPyConnection, threads: int | None, *, own: bool) -> None:
    """Settings that make queries over few rows cheap: most of their time goes into planning and threads, not into rows.

    `own` = only our own queries: a user's query may join tables in an order that is too slow without the optimiser.
    """
    known = {row[0] for row in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
    disabled = known - ENOUGH if own else known & FOR_MANY_ROWS
    if duckdb.__version__.startswith("1."):
        disabled -= {"join_order"}  # DuckDB 1.5 crashes on an ASOF join over a semi join without it
    connection.execute(f"SET disabled_optimizers = '{','.join(sorted(disabled))}'")
    if threads is None:
        connection.execute("SET threads = 1")


def _fill_own(database: Database, tables: Mapping[str, TableSource]) -> None:
    database.has_report_classes = "report_class" in tables
    if "layout_size" not in tables:
        database.fill("layout_size", layout_sizes())
    if "site_input" not in tables and database.site.has_facts:
        pairs = database.execute(QMGRS_OF_RECORDS).fetchall()
        schema = site_schema()
        rows = [{"lpar": lpar, "qmgr": qmgr, **database.site.facts(lpar, qmgr)} for lpar, qmgr in sorted(pairs)]
        database.fill("site_input", pa.Table.from_pylist(rows, schema=schema))


def add_comments(
    connection: duckdb.DuckDBPyConnection,
    schemas: Mapping[str, pa.Schema],
    names: Collection[str],
    formula_of: Callable[[str, str], str],
) -> None:
    """Set the descriptions of decoded tables (views over files or tables) and of these views, and of all their columns, which other tools show.

    `formula_of` returns the formula of a column of a view, which is part of its description.
    """
    known = sqlfile.views()
    for name in names:
        view = known[name]
        _comment_on(connection, "VIEW", f"main.{quoted(name)}", f"{view.title}: {view.header['grain']}.")
        for column in view.columns.values():
            formula = formula_of(name, column.name)
            text = _text(column.doc, column.unit) + (f" Formula: {formula}." if formula else "")
            _comment_on(connection, "COLUMN", f"main.{quoted(name)}.{quoted(column.name)}", text)
    for name, schema in schemas.items():
        for field in schema:
            metadata = field.metadata or {}
            if b"description" in metadata:
                text = _text(metadata[b"description"].decode(), metadata.get(b"unit", b"").decode())
                _comment_on(connection, "COLUMN", f"decoded.{quoted(name)}.{quoted(field.name)}", text)


def _comment_on(connection: duckdb.DuckDBPyConnection, kind: str, name: str, text: str) -> None:
    connection.execute(f"COMMENT ON {kind} {name} IS {literal(text)}")


def _text(description: str, unit: str) -> str:
    """A description with the unit of the column, if it has one."""
    return description if unit in ("", "text", "texts", "flag", "id") else f"{description} Unit: {unit}."
