"""Nodes of the syntax trees of DuckDB, of newer and older releases: their names, arguments and constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from mqstat.sql import sqlfile
from mqstat.sql.functions import NAMED_AGGREGATES
from mqstat.sql.syntax import select_node

Node: TypeAlias = Mapping[str, Any]


@cache
def macro_trees() -> Mapping[str, tuple[tuple[str, ...], Node]]:
    """The macros of views: parameters and expression."""
    made = {}
    for text in sqlfile.macros().split("CREATE MACRO ")[1:]:
        signature, _, body = text.partition(" AS ")
        name, _, names = signature.rstrip(") ").partition("(")
        made[name] = (tuple(names.split(", ")), select_node("SELECT " + body.partition(";")[0])["select_list"][0])
    return made


OTHER_INTERVALS = "it needs other intervals"
_KEYS = frozenset({"interval_start_utc", "interval_start_local", "record_id"})


def is_within(groups: Sequence[Node]) -> bool:
    """Whether all rows of a group are of one interval of one queue manager."""
    names = {group["column_names"][-1] for group in groups if group.get("class") == "COLUMN_REF"}
    return "record_id" in names or (bool(names & _KEYS) and "qmgr" in names)


def conjuncts(node: Node | None) -> list[Node]:
    """The conditions that AND joins."""
    if node is None:
        return []
    return (
        [part for child in node["children"] for part in conjuncts(child)]
        if node.get("type") == "CONJUNCTION_AND"
        else [node]
    )


def references(node: Any) -> Iterator[Sequence[str]]:
    """The names of the columns in an expression."""
    if isinstance(node, list):
        for child in node:
            yield from references(child)
    elif isinstance(node, dict):
        if node.get("class") == "COLUMN_REF":
            yield node["column_names"]
        for child in node.values():
            yield from references(child)


def reads_only(node: Any, aliases: Mapping[str, set[str]]) -> bool:
    """Whether an expression reads these tables only."""
    names = list(references(node))
    return bool(names) and all(
        each[0] in aliases if len(each) > 1 else any(each[0] in columns for columns in aliases.values())
        for each in names
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


def is_unnest(node: Node) -> bool:
    """Whether an entry of a SELECT list makes a row of each entry of a list."""
    return node.get("class") == "FUNCTION" and node["function_name"] == "unnest"


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


def entry_of(value: Any, names: Sequence[str]) -> Any:
    """An entry of nested structs; null if one of them is."""
    for name in names:
        value = None if value is None else value[name]
    return value


def key_of(values: Sequence[Any]) -> Any:
    """Values as the key of a group or a join: equal numbers of different types are equal, as in SQL."""
    key = tuple(values)
    try:
        hash(key)
    except TypeError:  # a list or a struct
        return repr(values)
    return key


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
