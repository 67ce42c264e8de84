"""The columns of a query as expressions over the views and decoded tables that it reads, with its common table
expressions and macros put in.

An expression is a tuple: `("col", table, column)`, `("const", text)`, `("case", condition, value, ..., otherwise)`, or
a name with its operands, such as `("/", x, y)`; casts and aliases are left out. What is not followed (subqueries in
expressions, columns of structs) is `("other", number)`, different each time.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from mqstat.sql import sqlfile
from mqstat.sql.query import parser
from mqstat.sql.schemas import all_schemas
from mqstat.sql.syntax import select_list, select_node
from tests.costs import cache

Expression: TypeAlias = tuple[Any, ...]
Columns: TypeAlias = dict[str, tuple[Expression, ...]]
"""For each column its expressions: one for each SELECT of a UNION."""

_numbers = itertools.count()


def unknown() -> Expression:
    """An expression that equals no other."""
    return ("other", next(_numbers))


@cache
def columns_of(sql: str) -> Columns:
    """The columns of a query."""
    return _query(select_node(sql), {})


def of_view(name: str) -> Columns:
    """The columns of a view."""
    return columns_of(sqlfile.views()[name].select)


def _query(node: Mapping[str, Any], ctes: Mapping[str, Columns]) -> Columns:
    known = dict(ctes)
    for entry in (node.get("cte_map") or {}).get("map", ()):
        value = entry["value"]
        made = _query(value.get("query_node") or value["query"]["node"], known)
        known[entry["key"]] = _renamed(made, value.get("aliases") or ())
    if node["type"] != "SELECT_NODE":
        sides = node.get("children") or [node[side] for side in ("left", "right") if node.get(side)]
        arms = [_query(side, known) for side in sides]
        if node.get("setop_type") != "UNION_BY_NAME":
            arms = [arms[0], *(_renamed(arm, list(arms[0])) for arm in arms[1:])]
        names = dict.fromkeys(name for arm in arms for name in arm)
        null = (("const", "NULL"),)
        return {name: tuple(each for arm in arms for each in arm.get(name, null)) for name in names}
    sources = dict(_sources(node.get("from_table"), known))
    columns: Columns = {}
    for item in node["select_list"]:
        if item["class"] == "STAR":
            columns |= _starred(item, sources, columns)
        else:
            name = item.get("alias") or (item.get("column_names") or [str(len(columns))])[-1]
            columns[name] = _expressions(item, sources, columns)
    return columns


def _renamed(columns: Columns, names: Sequence[str]) -> Columns:
    old = list(columns)
    return {
        **{new: columns[name] for new, name in zip(names, old, strict=False)},
        **{n: columns[n] for n in old[len(names) :]},
    }


def _sources(node: Mapping[str, Any] | None, ctes: Mapping[str, Columns]) -> list[tuple[str, Columns]]:
    if not node or node["type"] == "EMPTY":
        return []
    if node["type"] == "JOIN":
        return [*_sources(node["left"], ctes), *_sources(node["right"], ctes)]
    if node["type"] == "BASE_TABLE":
        name, schema = node["table_name"], node.get("schema_name")
        if not schema and name in ctes:
            return [(node.get("alias") or name, ctes[name])]
        table = f"decoded.{name}" if schema == "decoded" or name not in sqlfile.views() else name
        known = all_schemas()[name].names if table != name else sqlfile.views()[name].columns
        return [(node.get("alias") or name, {column: (("col", table, column),) for column in known})]
    if node["type"] == "SUBQUERY":
        made = _query(node["subquery"].get("node") or node["subquery"], ctes)
        return [(node.get("alias") or "", _renamed(made, node.get("column_name_alias") or ()))]
    names = node.get("column_name_alias") or ()
    return [(node.get("alias") or "", {name: (unknown(),) for name in names})]


def _starred(item: Mapping[str, Any], sources: Mapping[str, Columns], own: Columns) -> Columns:
    columns: Columns = {}
    for alias, source in sources.items():
        if item.get("relation_name") in ("", None, alias):
            columns |= {name: value for name, value in source.items() if name not in columns}
    for name in item.get("exclude_list", ()):
        columns.pop(name, None)
    for entry in item.get("qualified_exclude_list", ()):
        columns.pop(str(entry["column"]), None)
    replaced = {
        entry["key"]: _expressions(entry["value"], sources, own) for entry in item.get("replace_list", ()) or ()
    }
    return columns | replaced


def _expressions(item: Any, sources: Mapping[str, Columns], own: Columns) -> tuple[Expression, ...]:
    """The expressions of an item, one for each arm of the unions that it reads (all of its columns from the same
    arm).
    """
    number = max([1, *(len(values) for source in (*sources.values(), own) for values in source.values())])
    return tuple(dict.fromkeys(_expression(item, sources, own, arm) for arm in range(number)))


def _expression(item: Any, sources: Mapping[str, Columns], own: Columns, arm: int) -> Expression:
    def below(child: Any) -> Expression:
        return _expression(child, sources, own, arm)

    kind = item["class"]
    if kind == "COLUMN_REF":
        return _reference(item["column_names"], sources, own, arm)
    if kind == "CONSTANT":
        return ("const", _constant(item))
    if kind == "CAST":
        return below(item["child"])
    if kind == "CASE":
        checks = [
            part for check in item["case_checks"] for part in (below(check["when_expr"]), below(check["then_expr"]))
        ]
        return ("case", *checks, below(item["else_expr"]))
    if kind == "COMPARISON":
        return (item["type"], below(item["left"]), below(item["right"]))
    if kind in ("OPERATOR", "CONJUNCTION"):
        name = item["type"].removeprefix("OPERATOR_").lower()
        return (name, *(below(child) for child in item["children"]))
    if kind == "BETWEEN":
        return ("between", below(item["input"]), below(item["lower"]), below(item["upper"]))
    if kind in ("FUNCTION", "WINDOW"):
        given = item.get("children") or [argument["expression"] for argument in item.get("arguments", ())]
        name, arguments = item["function_name"].lower(), tuple(map(below, given))
        if name in macros():
            return _expanded(name, arguments)
        if item.get("filter") or item.get("filter_expr"):
            arguments += (("filter", below(item.get("filter") or item["filter_expr"])),)
        if item.get("distinct"):
            arguments += (("distinct",),)
        if kind == "WINDOW":
            return ("window", name, arguments, tuple(map(below, item.get("partitions", ()))))
        return (name, *arguments)
    return unknown()


def _constant(item: Mapping[str, Any]) -> str:
    literal = item.get("literal") or {}
    if literal:
        return "NULL" if literal.get("kind") == "NULL_LITERAL" else str(literal.get("text", literal.get("kind")))
    value = item.get("value") or {}
    return "NULL" if value.get("is_null", True) else str(value.get("value"))


def _reference(names: Sequence[str], sources: Mapping[str, Columns], own: Columns, arm: int) -> Expression:
    for alias, source in sources.items():
        if (len(names) == 2 and names[0] == alias and names[1] in source) or (len(names) == 1 and names[0] in source):
            values = source[names[-1]]
            return values[arm] if arm < len(values) else values[0]
    if len(names) == 1 and names[0] in own:
        values = own[names[0]]
        return values[arm] if arm < len(values) else values[0]
    return unknown()


@cache
def macros() -> Mapping[str, tuple[Sequence[str], Any]]:
    """The macros of views: their parameters and the tree of their expression."""
    made = {}
    for statement in parser().extract_statements(sqlfile.macros()):
        signature, _, rest = statement.query.partition("CREATE MACRO ")[2].partition(") AS ")
        name, _, parameters = signature.partition("(")
        made[name] = (parameters.split(", "), select_list(f"SELECT {rest.partition(';')[0]}")[0])
    return made


def _expanded(name: str, arguments: Sequence[Expression]) -> Expression:
    parameters, body = macros()[name]
    given: dict[str, Columns] = {
        "": {parameter: (value,) for parameter, value in zip(parameters, arguments, strict=True)}
    }
    return _expression(body, given, {}, 0)
