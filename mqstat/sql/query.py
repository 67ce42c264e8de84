"""Which SQL mqstat runs for users: one SELECT that reads the tables and views of the open database and writes nothing.

DuckDB alone does not ensure this: it may write to a folder that it may read, `COPY`, `INSERT` and `DELETE` may be part
of a common table expression, and some functions run other SQL, read files or write. So the syntax tree is checked
before anything runs: only the nodes of queries and only table functions from a list are allowed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import takewhile
from typing import Any

import duckdb

from mqstat.base.errors import UsageError

ADVICE = "give one SELECT (or FROM, WITH, VALUES, DESCRIBE, SUMMARIZE) over the tables and views"

QUERY_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""Nodes of a syntax tree that are queries; others, such as COPY_QUERY_NODE, write."""

TABLE_FUNCTIONS = frozenset(
    "duckdb_columns duckdb_constraints duckdb_functions duckdb_keywords duckdb_schemas duckdb_settings duckdb_tables duckdb_types duckdb_views "
    "generate_series histogram histogram_values json_each json_tree pragma_show pragma_table_info pragma_version range repeat repeat_row summary "
    "test_all_types unnest".split()
)
"""Table functions that only read their arguments and the catalogue."""

VOLATILE = frozenset(
    "current_connection_id current_query current_query_id current_transaction_id error gen_random_uuid random stats uuid uuidv4 uuidv7 vector_type".split()
)
"""Functions that DuckDB lists as volatile but that change nothing; all other volatile functions (nextval, write_log,
...) are refused."""

REFUSED = frozenset("currval getenv nextval pg_sleep query query_table setseed setval sleep_ms write_log".split())
"""Functions that are refused with every version of DuckDB: they write, wait, or read outside the database."""


_of_thread = threading.local()


def parser() -> duckdb.DuckDBPyConnection:
    """A separate connection of this thread without access to files: `IMPORT DATABASE` opens files while it is
    parsed.
    """
    if not hasattr(_of_thread, "parser"):
        _of_thread.parser = duckdb.connect(":memory:", config={"enable_external_access": "false", "threads": "1"})
    connection: duckdb.DuckDBPyConnection = _of_thread.parser
    return connection


@cache
def _refused_functions() -> frozenset[str]:
    rows = parser().execute("SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability = 'VOLATILE'")
    return frozenset(name for (name,) in rows.fetchall()) - VOLATILE | REFUSED


def reason(error: Exception) -> str:
    """What an error of DuckDB states, in one line without a full stop, and without the excerpt of the query and the
    list of functions that it may end with.
    """
    lines = map(str.strip, str(error).splitlines())
    stated = takewhile(lambda line: not line.startswith(("LINE ", "Candidate functions:")), lines)
    return " ".join(" ".join(stated).split()).rstrip(".") or type(error).__name__


def check_query(sql: str) -> frozenset[str]:
    """The named parameters of a query that writes nothing and reads nothing outside the database; UsageError for any
    other SQL.
    """
    try:
        statements = parser().extract_statements(sql)
    except duckdb.Error as error:
        raise UsageError(f"The query cannot be read: {reason(error)}.") from None
    if not statements:
        raise UsageError(f"The query is empty: {ADVICE}.")
    if len(statements) > 1:
        raise UsageError(f"The query has {len(statements)} statements: {ADVICE}.")
    kind = statements[0].type
    if kind != duckdb.StatementType.SELECT:
        raise UsageError(f"The query is not a SELECT ({kind.name}) and mqstat writes nothing: {ADVICE}.")
    try:
        row = parser().execute("SELECT json_serialize_sql($sql)", {"sql": sql}).fetchone()
        tree = json.loads(row[0]) if row is not None else {"error": True}
    except (duckdb.Error, RecursionError) as error:
        raise UsageError(f"The query cannot be read: {reason(error)}.") from None
    if tree["error"]:
        raise UsageError(f"The query is not a SELECT ({tree.get('error_message', 'unknown')}): {ADVICE}.")
    for node in nodes(tree):
        _check_node(node)
    return frozenset(str(name) for name in statements[0].named_parameters)


@contextmanager
def as_usage_error() -> Iterator[None]:
    """Convert errors of DuckDB in a user's query to UsageError."""
    try:
        yield
    except (duckdb.OutOfMemoryException, MemoryError):
        raise UsageError(
            "The query needs more memory than it may have: make its values shorter, or aggregate or select fewer rows."
        ) from None
    except duckdb.Error as error:
        raise UsageError(f"The query failed: {reason(error)}.") from None


def _check_node(node: dict[str, Any]) -> None:
    kind = node.get("type")
    if isinstance(kind, str) and kind.endswith("_NODE") and kind not in QUERY_NODES:
        raise UsageError(
            f"The query contains {kind.removesuffix('_NODE').split('_')[0]} and mqstat writes nothing: {ADVICE}."
        )
    if "info_type" in node:
        raise UsageError(f"The query contains {node['info_type']} and mqstat writes nothing: {ADVICE}.")
    if kind == "TABLE_FUNCTION":
        function = node.get("function") or {}
        name = str(function.get("function_name", "")).lower()
        if name not in TABLE_FUNCTIONS:
            raise UsageError(
                f"The table function {name} is not allowed in a query, because mqstat reads only the dataset and writes nothing: {ADVICE}."
            )
    if "function_name" in node and str(node["function_name"]).lower() in _refused_functions():
        raise UsageError(
            f"The function {str(node['function_name']).lower()} is not allowed in a query, because it writes, waits or reads outside the dataset."
        )


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All objects of a syntax tree, at any depth."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
