"""Parses a statement once if one process runs it again, over another input or another connection.

DuckDB spends a fifth of the time of a small report on parsing: a process that judges many inputs (a notebook, `daily` over the days
that came late, the tests) runs the same statements each time.
"""

from __future__ import annotations

from collections import OrderedDict

import duckdb

KEPT = 4096
"""Maximum number of texts that are kept, the most recently used ones."""


class Statements:
    """Parsed statements by their text. A statement is kept when its text comes the second time: a run over one input keeps nothing."""

    def __init__(self, limit: int = KEPT) -> None:
        self.limit = limit
        self._known: OrderedDict[str, duckdb.Statement | None] = OrderedDict()

    def __len__(self) -> int:
        return sum(statement is not None for statement in self._known.values())

    def of(self, connection: duckdb.DuckDBPyConnection, sql: str) -> str | duckdb.Statement:
        """The parsed statement for a text, or the text itself if it comes for the first time or has several statements."""
        if sql not in self._known:
            self._known[sql] = None
            if len(self._known) > self.limit:
                self._known.popitem(last=False)
            return sql
        self._known.move_to_end(sql)
        statement = self._known[sql]
        if statement is None:
            parsed = connection.extract_statements(sql)
            if len(parsed) != 1:
                return sql
            statement = self._known[sql] = parsed[0]
        return statement


STATEMENTS = Statements()
"""The statements of this process."""


def execute(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyConnection:
    """Run one statement without parameters."""
    return connection.execute(STATEMENTS.of(connection, sql))
