"""The views of `mqstat/reports/views` over empty tables: the statements that create them, and whether a query over them
compiles.

A view over views compiles all of them, down to the tables: so the views that it reads are replaced by empty tables.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from functools import cache

import duckdb

from mqstat.sql import sqlfile
from mqstat.sql.columns import selected_columns
from mqstat.sql.schemas import all_schemas, create_table, quoted

_LOCK = threading.RLock()
"""Threads share the empty tables."""


@cache
def _empty_tables() -> tuple[duckdb.DuckDBPyConnection, set[str]]:
    """A database for empty tables, and those that it has."""
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.execute(f"CREATE SCHEMA decoded; {sqlfile.macros()}")
    connection.execute("SET enable_external_access = false; SET search_path = 'main,decoded'")
    return connection, set()


def explain_over_empty(sql: str, tables: Collection[str]) -> None:
    """Compile a user's query over empty tables: these views, and these decoded tables as `decoded.name`; duckdb.Error
    if it does not compile.

    Only a single SELECT is compiled, and no file that it names is opened.
    """
    with _LOCK:
        connection, known = _empty_tables()
        if [statement.type for statement in connection.extract_statements(sql)] != [duckdb.StatementType.SELECT]:
            return
        for name in set(tables) - known:
            table = name.removeprefix("decoded.")
            if name == table:
                connection.execute(stand_in(name, selected_columns()[name]))
            else:
                create_table(connection, table, all_schemas()[table])
        known.update(tables)
        connection.execute(f"EXPLAIN {sql}")


def stand_in(view: str, types: Mapping[str, str]) -> str:
    """The statement that creates an empty table to replace a view."""
    return f"CREATE TABLE main.{quoted(view)} ({', '.join(f'{quoted(name)} {kind}' for name, kind in types.items())})"


def create_views(connection: duckdb.DuckDBPyConnection, names: Collection[str] | None = None) -> None:
    """Create all views, or the named views and the views they read."""
    chosen = sqlfile.views_for(sqlfile.views().ids() if names is None else names)
    for view in chosen:
        connection.execute(stand_in(view.id, selected_columns()[view.id]))
    for view in reversed(chosen):
        connection.execute(f"DROP TABLE main.{quoted(view.id)}")
        connection.execute(f"CREATE VIEW main.{quoted(view.id)} AS {view.select}")
