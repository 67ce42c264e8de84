"""Which views a user's query names: creating all of them takes longer than most queries."""

from __future__ import annotations

import duckdb

from mqstat.sql import sqlfile
from mqstat.sql.needed import table_columns, tokens
from mqstat.sql.query import parser

ABOUT_TABLES = frozenset({"describe", "show", "summarize", "information_schema"})
"""Words of a query that may ask for the names or columns of any view."""


def reads_catalogue(sql: str) -> bool:
    """Whether a query may ask for the names or columns of any view."""
    words = {token.text for token in tokens(sql) if token.is_name}
    return bool(words & ABOUT_TABLES) or any(
        word.startswith(("duckdb_", "pg_", "pragma_", "sqlite_")) for word in words
    )


def views_named(sql: str) -> frozenset[str] | None:
    """The views that a query names; None if it needs all: it queries the catalogue, or names a view that does not exist, so that the error can suggest the nearest name.

    A query cannot read a view that it does not name, because functions that run other SQL are refused.
    """
    words = {token.text for token in tokens(sql) if token.is_name}
    if reads_catalogue(sql):
        return None
    try:
        used = {name.lower().removeprefix("main.") for name in sqlfile.tables_used(parser(), sql)}
    except (duckdb.Error, KeyError, RecursionError):
        return None
    known = table_columns()
    if not all(name in known or f"decoded.{name}" in known for name in used):
        return None
    return frozenset(words & sqlfile.views().keys())
