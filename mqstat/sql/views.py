"""The views of `mqstat/reports/views` over empty tables: the columns of each view, and the statements that create them."""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from functools import cache

import duckdb

from mqstat.base.errors import SqlFileError
from mqstat.sql import sqlfile
from mqstat.sql.schemas import all_schemas, create_table, quoted


class _ViewTypes:
    """Finds the columns of views, each compiled over empty tables that replace the views it reads.

    Compiling a view over views compiles all of them, down to the tables; for a hundred views this would take seconds.
    """

    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        self.connection.execute("CREATE SCHEMA decoded")
        self.connection.execute(sqlfile.macros())
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
            types = self.of_select(sqlfile.views()[name])
            self.connection.execute(_stand_in(name, types))
            self.known[name] = types
        return self.known[name]

    def of_select(self, unit: sqlfile.SqlFile) -> dict[str, str]:
        for need in unit.needs:
            table = need.removeprefix("decoded.")
            if need == table:
                self.of(need)
            else:
                self.table(table)
        try:
            rows = self.connection.execute(f"DESCRIBE SELECT * FROM ({unit.select})").fetchall()
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            raise SqlFileError(f"{unit.name}: the {unit.kind} does not compile: {error}.") from error
        return {row[0]: row[1] for row in rows}


_LOCK = threading.RLock()
"""Threads share the empty tables, which would take each of them seconds to make."""


@cache
def _view_types() -> _ViewTypes:
    return _ViewTypes()


def view_types(view: str) -> Mapping[str, str]:
    """Name and DuckDB type of every column of a view; SqlFileError if the view does not compile."""
    with _LOCK:
        return _view_types().of(view)


def report_types(report: str) -> Mapping[str, str]:
    """The same of a report."""
    with _LOCK:
        return _view_types().of_select(sqlfile.reports()[report])


def explain_over_empty(sql: str, tables: Iterable[str]) -> None:
    """Compile a user's query over empty tables: these views, and these decoded tables as `decoded.name`; duckdb.Error if it does not compile.

    Only a single SELECT is compiled, and no file that it names is opened.
    """
    with _LOCK:
        types = _view_types()
        connection = types.connection
        if [statement.type for statement in connection.extract_statements(sql)] != [duckdb.StatementType.SELECT]:
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
    """The statement that creates an empty table to replace a view."""
    return f"CREATE TABLE main.{quoted(view)} ({', '.join(f'{quoted(name)} {kind}' for name, kind in types.items())})"


def create_views(connection: duckdb.DuckDBPyConnection, names: Collection[str] | None = None) -> None:
    """Create all views, or the named views and the views they read; SqlFileError names a file that does not compile."""
    chosen = sqlfile.views_for(sqlfile.views().ids() if names is None else names)
    for view in chosen:
        connection.execute(_stand_in(view.id, view_types(view.id)))
    for view in reversed(chosen):
        connection.execute(f"DROP TABLE main.{quoted(view.id)}")
        connection.execute(f"CREATE VIEW main.{quoted(view.id)} AS {view.select}")
