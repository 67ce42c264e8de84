"""What DuckDB's own parser finds in a query: the tables and views that it reads, whether it reads the catalogue, and
the query that counts its rows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

import duckdb

from mqstat.sql import sqlfile
from mqstat.sql.query import nodes, parser

Query: TypeAlias = str | Collection[str]
"""A query, or the views and decoded tables (`decoded.name`) that it reads, such as those that the header of a file
names."""

ABOUT_TABLES = ("duckdb_", "pg_", "pragma_", "sqlite_")
"""The beginnings of the names of tables and table functions that list tables and columns."""


@cache
def known_tables() -> frozenset[str]:
    """All views, and all decoded tables as `decoded.name`."""
    from mqstat.sql.schemas import all_schemas

    return frozenset(sqlfile.views().ids()) | {f"decoded.{name}" for name in all_schemas()}


@cache
def names_in(sql: str) -> frozenset[str]:
    """The names of tables in a query in lower case, with their schema if it is given and not `main`; duckdb.Error or
    KeyError if it is no SELECT.

    The names of common table expressions are among them if they are read.
    """
    tables = (node for node in nodes(_tree(sql)["statements"]) if node.get("type") == "BASE_TABLE")
    named = (".".join(part for part in (node.get("schema_name"), node["table_name"]) if part) for node in tables)
    return frozenset(name.lower().removeprefix("main.") for name in named)


def tables_used(sql: str) -> set[str]:
    """Tables and views that a SELECT names (`view` or `decoded.table`), except its own common table expressions."""
    listed = list(nodes(_tree(sql)))
    tables = (node for node in listed if node.get("type") == "BASE_TABLE")
    own = {entry["key"] for node in listed for entry in (node.get("cte_map") or {}).get("map", ())}
    return {".".join(filter(None, (node.get("schema_name"), node["table_name"]))) for node in tables} - own


def reads(query: Query) -> frozenset[str]:
    """The views, and decoded tables as `decoded.name`, that a query reads. Both schemas are in the search path, views
    first.
    """
    if not isinstance(query, str):
        return frozenset(query)
    known = known_tables()
    return frozenset(name if name in known else f"decoded.{name}" for name in names_in(query)) & known


def reads_of(queries: Iterable[Query]) -> frozenset[str]:
    """What several queries read."""
    return frozenset[str]().union(*map(reads, queries))


def reads_catalogue(sql: str) -> bool:
    """Whether a query may ask for the names or columns of any view."""
    for node in nodes(_tree(sql)):
        name = node.get("table_name") or (node.get("function") or {}).get("function_name") or ""
        if node.get("type") == "SHOW_REF" or (
            node.get("type") in ("BASE_TABLE", "TABLE_FUNCTION") and _lists(node, name)
        ):
            return True
    return False


def _lists(node: Mapping[str, Any], name: str) -> bool:
    return name.lower().startswith(ABOUT_TABLES) or (node.get("schema_name") or "").lower() in (
        "information_schema",
        "pg_catalog",
    )


def views_named(sql: str) -> frozenset[str] | None:
    """The views that a query reads; None if it needs all: it queries the catalogue, or reads a table that does not
    exist, so that the error can suggest the nearest name.

    A query cannot read a view that it does not name, because functions that run other SQL are refused.
    """
    known = known_tables()
    try:
        used = {name.lower().removeprefix("main.") for name in tables_used(sql)}
        if reads_catalogue(sql) or any(name not in known and f"decoded.{name}" not in known for name in used):
            return None
    except (duckdb.Error, KeyError, RecursionError):
        return None
    return reads(sql) & sqlfile.views().keys()


def counting(sql: str) -> str:
    """The query that counts the rows of a query.

    DuckDB 2.0 computes every column of a query in parentheses that begins with a materialised common table expression,
    even if only its rows are
    counted: so these come before the counting SELECT.
    """
    counted = _tree("SELECT count(*) FROM (SELECT 1)")
    outer, inner = (tree["statements"][0]["node"] for tree in (counted, _tree(sql)))
    outer["cte_map"], inner["cte_map"] = inner["cte_map"], outer["cte_map"]
    outer["from_table"]["subquery"]["node"] = inner
    row = parser().execute("SELECT json_deserialize_sql($tree::JSON)", {"tree": json.dumps(counted)}).fetchone()
    return str(row[0]) if row else ""


def select_list(sql: str) -> list[dict[str, Any]]:
    """The entries of the SELECT list of a query; empty for another query, such as a UNION."""
    listed: list[dict[str, Any]] = select_node(sql).get("select_list", [])
    return listed


def select_node(sql: str) -> dict[str, Any]:
    """The top of the syntax tree of a query; KeyError if it is no SELECT."""
    node: dict[str, Any] = _tree(sql)["statements"][0]["node"]
    return node


def _tree(sql: str) -> dict[str, Any]:
    """The syntax tree of a query; it has no `statements` if this is no SELECT."""
    row = parser().execute("SELECT json_serialize_sql($sql)", {"sql": sql}).fetchone()
    tree: dict[str, Any] = json.loads(row[0]) if row else {}
    return tree


def with_columns(sql: str, added: Mapping[str, tuple[str, str]]) -> str:
    """A query with further columns in its SELECT list: for each name an expression in the scope of its FROM, and the
    table of the names in it ("" = as written).

    KeyError if the query is no single SELECT, such as a UNION.
    """
    tree = _tree(sql)
    listed: list[Any] = tree["statements"][0]["node"]["select_list"]
    for name, (expression, table) in added.items():
        (item,) = select_list(f"SELECT {expression}")
        for node in nodes(item):
            if table and node.get("class") == "COLUMN_REF" and len(node["column_names"]) == 1:
                node["column_names"].insert(0, table)
        item["alias"] = name
        listed.append(item)
    row = parser().execute("SELECT json_deserialize_sql($tree::JSON)", {"tree": json.dumps(tree)}).fetchone()
    return str(row[0]) if row else ""


@cache
def columns_in(expression: str) -> frozenset[str]:
    """The columns in an expression as they are written, with or without their tables."""
    listed = nodes(select_list(f"SELECT {expression}"))
    return frozenset(".".join(node["column_names"]) for node in listed if node.get("class") == "COLUMN_REF")


def tables_of_columns(sql: str) -> dict[str, str]:
    """For each column of a SELECT that is a column of a table in its FROM under the same name: the table, "" if the
    SELECT does not name it.

    Empty for another query, such as a UNION.
    """
    items = (item for item in select_list(sql) if item.get("class") == "COLUMN_REF")
    named = ((item["column_names"], item.get("alias")) for item in items)
    return {names[-1]: names[0] if len(names) > 1 else "" for names, alias in named if not alias or alias == names[-1]}
