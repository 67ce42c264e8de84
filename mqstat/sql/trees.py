"""Nodes of the syntax trees of DuckDB, of newer and older releases: their names, arguments and constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

Node: TypeAlias = Mapping[str, Any]

NAMED_AGGREGATES = frozenset(
    "sum min max avg median bit_or bool_or bool_and any_value var_pop count count_star arg_max arg_min list string_agg "
    "quantile_cont regr_r2 regr_slope".split()
)
"""The names of all aggregates of views."""


def conjuncts(node: Node | None) -> list[Node]:
    """The conditions that AND joins."""
    if node is None:
        return []
    return (
        [part for child in node["children"] for part in conjuncts(child)]
        if node.get("type") == "CONJUNCTION_AND"
        else [node]
    )


def has_aggregate(node: Any) -> bool:
    """Whether an expression has an aggregate that is not a window."""
    if isinstance(node, list):
        return any(map(has_aggregate, node))
    if not isinstance(node, dict) or node.get("class") == "SUBQUERY":
        return False
    if node.get("class") == "FUNCTION" and node["function_name"] in NAMED_AGGREGATES:
        return True
    return any(has_aggregate(child) for child in node.values())


def name_of(item: Node) -> str:
    """The name of an entry of a SELECT list."""
    return str(item.get("alias") or (item.get("column_names") or [f"#{id(item)}"])[-1])


def arguments_of(node: Node) -> list[Node]:
    """The arguments of a call, from newer and older releases of DuckDB."""
    given: Iterable[Any] = node.get("arguments") or ()
    return [each["expression"] for each in given] or list(node.get("children") or ())


def argument_names(node: Node) -> list[str]:
    """The names of the arguments of a call."""
    named = [each.get("name") for each in node.get("arguments") or ()]
    return [
        str(name or each.get("alias")) for name, each in zip(named or [None] * 99, arguments_of(node), strict=False)
    ]


def constant_of(node: Node) -> Any:
    """The value of a constant."""
    if "literal" not in node:  # DuckDB 1.5
        value = node["value"]
        return None if value["is_null"] else _number(value["value"], value["type"]["id"], value["type"])
    literal = node["literal"]
    kind, text = literal["kind"], literal.get("text")
    if kind == "NULL_LITERAL":
        return None
    if kind == "BOOLEAN":
        return text == "true"
    return int(text) if kind == "INTEGER" else float(text) if kind == "NUMERIC" else text


def _number(value: Any, kind: str, described: Mapping[str, Any]) -> Any:
    if kind == "DECIMAL":
        return int(value) / 10 ** (described.get("type_info") or {}).get("scale", 0)
    return value
