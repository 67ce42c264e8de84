"""A view whose record classes are not in the data is not planned, because it is empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mqstat.sql import sqlfile
from mqstat.sql.needs import required_tables
from mqstat.sql.syntax import select_node
from tests.costs import cache
from tests.shared_database import over

Node = Mapping[str, Any]


@cache
def tree(view: str) -> Node:
    return select_node(sqlfile.views()[view].select)


def is_empty(node: Any, empty: frozenset[str], queries: Mapping[str, Node]) -> bool:
    """Whether a query or a source in its FROM has certainly no rows if these decoded tables are empty; `queries` = its
    common table expressions.
    """
    kind = node["type"]
    for entry in (node.get("cte_map") or {}).get("map", ()):
        inner = entry["value"].get("query_node") or entry["value"]["query"]["node"]
        queries = {**queries, entry["key"]: {"node": inner, "queries": queries}}
    if kind == "SELECT_NODE":
        one_row = not node["group_expressions"] and any(map(is_aggregate, node["select_list"]))
        return not one_row and is_empty(node["from_table"], empty, queries)
    if kind == "SET_OPERATION_NODE":
        sides = node.get("children") or [node["left"], node["right"]]
        return all(is_empty(side, empty, queries) for side in sides)
    if kind == "SUBQUERY":
        return is_empty(node["subquery"].get("node") or node["subquery"], empty, queries)
    if kind == "JOIN":
        left, right = (is_empty(node[side], empty, queries) for side in ("left", "right"))
        join = node["join_type"]
        return left if join in ("LEFT", "ANTI") else right if join == "RIGHT" else (left or right) if join in ("INNER", "SEMI") else left and right  # fmt: skip
    if kind != "BASE_TABLE":
        return False
    name = node["table_name"]
    if node.get("schema_name") == "decoded":
        return f"decoded.{name}" in empty
    if name in queries:
        return is_empty(queries[name]["node"], empty, queries[name]["queries"])
    return is_empty(tree(name), empty, {})


def is_aggregate(node: Any) -> bool:
    """Whether an expression may make one row of no rows: a function that is no plain one of DuckDB, outside of a
    window.
    """
    if isinstance(node, list):
        return any(map(is_aggregate, node))
    if not isinstance(node, dict) or node.get("class") == "SUBQUERY":
        return False
    if node.get("class") == "FUNCTION" and node["function_name"] in aggregates():
        return True
    return any(map(is_aggregate, node.values()))


@cache
def aggregates() -> frozenset[str]:
    with over({}) as db:
        rows = db.execute("SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'")
        return frozenset(name for (name,) in rows.fetchall())


@pytest.mark.parametrize("view", [view for view in sqlfile.views() if required_tables(view)])
def test_the_select_of_a_view_has_no_rows_without_records_of_its_classes(view: str) -> None:
    assert is_empty(tree(view), required_tables(view), {}), f"{view}: its header must state empty_without = false"


def test_a_view_without_its_records_is_a_table_of_its_columns() -> None:
    with over({}) as db:
        assert db.ask("SELECT pool_id, lowest_free_pct FROM buffer_pool").fetchall() == []
        kinds = {row["column_name"]: row["column_type"] for row in db.rows("DESCRIBE buffer_pool")}
        assert (kinds["pool_id"], kinds["lowest_free_pct"]) == ("BIGINT", "DOUBLE")
        assert "buffer_pool" in db.empty & db.kept
