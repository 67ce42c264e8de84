"""Statements that one process runs again, over another input or another connection, are parsed once.

DuckDB takes a fifth of the time of a small report to parse: a process that judges many inputs (a notebook, `daily` over the days
that came late, the tests) asks the same statements each time.
"""

from __future__ import annotations

from collections import OrderedDict

import duckdb

KEPT = 4096
"""So many texts are remembered, the ones used last."""


class Statements:
    """Parsed statements by their text. A text is parsed for keeping when it comes the second time: a run over one input keeps nothing."""

    def __init__(self, limit: int = KEPT) -> None:
        self.limit = limit
        self._known: OrderedDict[str, duckdb.Statement | None] = OrderedDict()

    def __len__(self) -> int:
        return sum(statement is not None for statement in self._known.values())

    def of(self, connection: duckdb.DuckDBPyConnection, sql: str) -> str | duckdb.Statement:
        """What to execute for a text: the parsed statement, or the text if it comes for the first time or has several statements."""
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
