"""Opens DuckDB over decoded tables: registers them, creates the views of `mqstat/reports/views`, then disables access
to anything else.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from mqstat.base.errors import DatasetError
from mqstat.sql import duplicates, sqlfile
from mqstat.sql.decoded import condition_of, decoded_query
from mqstat.sql.numbers import add_numbers
from mqstat.sql.opened import Opened
from mqstat.sql.schemas import create_table, layout_sizes, literal, quoted, site_schema
from mqstat.sql.stored import register_stored
from mqstat.sql.views import create_views
from mqstat.sql.workspace import Workspace

ENOUGH = frozenset({
    "cte_inlining", "deliminator", "expression_rewriter", "extension", "filter_pullup", "filter_pushdown", "materialized_cte", "unnest_rewriter",
    "unused_columns", "window_rewriter",
})  # fmt: skip
"""The optimisers of DuckDB that our own queries over few rows use: the others cost a sixth of the run time of `check`
and save nothing."""
FOR_MANY_ROWS = frozenset({
    "common_subplan", "compressed_materialization", "late_materialization", "statistics_propagation", "window_self_join",
})  # fmt: skip
"""Optimisers of DuckDB that cost more time than they save over few rows."""
LOADED_CELLS = 400_000
"""`Workspace.load` loads tables in files of at most this many cells (rows times columns); a cell takes about eight
bytes."""
QMGRS_OF_RECORDS = "SELECT DISTINCT lpar, qmgr FROM decoded.record WHERE lpar IS NOT NULL AND qmgr IS NOT NULL"
"""The queue managers that have a row of site facts."""


def open_workspace(
    opened: Opened, *, threads: int | None = None, temp_directory: Path | str | None = None
) -> Workspace:
    """Open a database in memory over decoded tables, create the requested views and disable external access.

    Raises DatasetError when a Parquet file cannot be read.
    """
    unknown = sorted(set(opened.tables) - set(opened.schemas))
    if unknown:
        raise DatasetError(f"The table {unknown[0]} is unknown to this version of mqstat.")
    connection = duckdb.connect(":memory:")
    db = Workspace(opened, connection)
    try:
        connection.execute(f"SET memory_limit = {literal(opened.memory_limit)}")
        connection.execute(f"SET temp_directory = {literal(temp_directory or '')}")
        connection.execute("SET preserve_insertion_order = false")
        connection.execute("SET parquet_metadata_cache = true")
        connection.execute("SET allocator_background_threads = true")  # otherwise it keeps 200 MB that it does not use
        db.is_single = threads == 1
        if threads is not None or db.is_small:
            connection.execute(f"SET threads = {1 if threads is None else int(threads)}")
        if db.is_small:
            _plan_briefly(connection, all_ours=not opened.views)
        connection.execute("ATTACH ':memory:' AS kept (COMPRESS); ATTACH ':memory:' AS data (COMPRESS); USE data")
        db.copies = "kept.main"
        connection.execute(f"CREATE SCHEMA decoded; {sqlfile.macros()}")
        register_stored(connection, [*opened.given.values(), opened.numbers.files])
        _create(db)
        may_read = _read(db)
        _fill_own(db)
        db.find_by_short_names()
        # Only these files, not their folders: a folder may hold other files, and what DuckDB may read it may also write
        # (see mqstat.sql.query).
        connection.execute(f"SET allowed_paths = [{', '.join(map(literal, may_read))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET python_enable_replacements = false")
        connection.execute("SET lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return db


def _plan_briefly(connection: duckdb.DuckDBPyConnection, *, all_ours: bool) -> None:
    """Settings that make queries over few rows cheap: most of their time goes into planning and threads, not into rows.

    A user's query (not `all_ours`) may join tables in an order that is too slow without the optimiser.
    """
    known = {row[0] for row in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
    disabled = known - ENOUGH if all_ours else known & FOR_MANY_ROWS
    if duckdb.__version__.startswith("1."):
        disabled -= {"join_order"}  # DuckDB 1.5 crashes on an ASOF join over a semi join without it
    connection.execute(f"SET disabled_optimizers = '{','.join(sorted(disabled))}'")


def _create(db: Workspace) -> None:
    """Create the decoded tables that have no rows, and the requested views.

    All views are compiled over empty tables, which costs nothing; over many files it would open all of them for every
    view.
    """
    opened, connection = db.opened, db.connection
    for name in opened.schemas:
        schema = opened.schemas[name] if opened.views else opened.part_of(name)
        if (opened.views or name not in opened.given) and len(schema):
            create_table(connection, name, schema)
    if not opened.views:
        return
    create_views(connection, None if isinstance(opened.views, bool) else opened.views)
    for name, schema in opened.schemas.items():
        part = opened.part_of(name)
        if name in opened.given or part is not schema:
            connection.execute(f"DROP TABLE decoded.{quoted(name)}")
        if name not in opened.given and part is not schema and len(part):
            create_table(connection, name, part)


def _read(db: Workspace) -> list[str]:
    """Create the decoded tables that have rows, without duplicates; returns the files that are read."""
    opened = db.opened
    files: list[str] = []
    queries: dict[str, str] = {}
    loaded: list[str] = []
    as_written = opened.decoded is not None and not opened.views  # by this process, with just these columns
    # Others are selected by the first two.
    for name in sorted(opened.given, key=lambda name: (name != "record", name != "wtid")):
        source, schema, part = opened.given[name], opened.schemas[name], opened.part_of(name)
        condition = condition_of(name, part, opened.selection, opened.sources, opened.owners)
        query, read = decoded_query(db.connection, name, part, source, condition, None if as_written else schema)
        files += read
        queries[name] = query
        few = isinstance(source, pa.Table) or opened.cells[name] <= LOADED_CELLS
        copied = db.is_small and few and as_written
        db.execute(f"CREATE {'TABLE' if copied else 'VIEW'} decoded.{quoted(name)} AS {query}")
        if copied:
            loaded.append(name)
        elif db.is_small and few:
            db.to_load[name] = query
    parts = {name: opened.part_of(name) for name in opened.schemas}
    duplicates.leave_out(db, queries, parts, loaded, marked=opened.distinct)
    if "record" in opened.given and "numbered_record" in opened.schemas and "numbered_record" not in opened.given:
        files += add_numbers(db, opened.numbers, opened.selection, parts["record"], opened.owners)
    return files


def _fill_own(db: Workspace) -> None:
    opened = db.opened
    if "layout_size" not in opened.tables:
        db.fill("layout_size", layout_sizes())
    if "site_input" not in opened.tables and db.site.has_facts:
        pairs = db.execute(QMGRS_OF_RECORDS).fetchall()
        rows = [{"lpar": lpar, "qmgr": qmgr, **db.site.facts(lpar, qmgr)} for lpar, qmgr in sorted(pairs)]
        db.fill("site_input", pa.Table.from_pylist(rows, schema=site_schema()))
    if opened.views and "report_class" in opened.schemas:
        db.fill_report_classes()
