"""Over what a query is computed: by the rows of one queue manager, of one queue-sharing group, or of all.

The syntax trees of DuckDB show it, from a query down to the decoded tables. Rows of different queue managers meet in joins, groups, windows, DISTINCT
and LIMIT: their keys must identify the queue manager, or the queue-sharing group, otherwise the query needs all rows. What the trees do not show counts
as all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from mqstat.sql import sqlfile
from mqstat.sql.roles import (
    ALL,
    GROUP,
    NO_ROLES,
    NULL,
    NULLABLE,
    QMGR,
    UNMATCHED,
    Basis,
    Extent,
    Names,
    Roles,
    Scope,
    either,
    nodes_of,
    nulls_in,
    of_keys,
    roles_of,
    unmatched,
    widened,
    widest,
)
from mqstat.sql.syntax import select_node
from mqstat.sql.trees import Node, arguments_of, conjuncts, constant_of, has_aggregate, name_of

_BASE: Mapping[str, Roles] = {
    "lpar": frozenset({"lpar"}),
    "qmgr": frozenset({"qmgr"}),
    "record_id": frozenset({QMGR}),
    "first_record_id": frozenset({QMGR}),
    **dict.fromkeys(("qsg", "queue_qsg", "chinit_qsg"), frozenset({GROUP, "null"})),
}
"""Columns of decoded tables."""


def by_owner(table: str) -> Extent:
    """The extent of a decoded table: queue managers own its rows if it has their names."""
    from mqstat.sql.schemas import all_schemas

    names = all_schemas()[table].names
    owned = {"lpar", "qmgr"} <= set(names)
    return Extent({column: _BASE.get(column, NO_ROLES) for column in names}, QMGR, owned)


@cache
def extent_of_view(name: str, basis: Basis = by_owner) -> Extent:
    """The extent of a view, or of a decoded table (`decoded.name`)."""
    if name in sqlfile.views():
        return extent_of(sqlfile.views()[name].body, basis)
    return basis(name.removeprefix("decoded."))


def extent_of(sql: str, basis: Basis = by_owner) -> Extent:
    """The extent of a query over views."""
    return _query(select_node(sql), Names({}, basis), None)


def _query(node: Node, names: Names, outer: Scope | None) -> Extent:
    own = dict(names.ctes)
    known = Names(own, names.basis)
    for entry in (node.get("cte_map") or {}).get("map", ()):
        value = entry["value"]
        inner = value.get("query_node") or value.get("query", {}).get("node")
        own[entry["key"]] = _named(_query(inner, known, outer), value.get("aliases"))
    if node["type"] == "SELECT_NODE":
        return _select(node, known, outer)
    if node["type"] != "SET_OPERATION_NODE":
        return Extent({}, ALL, True)
    sides = [node[side] for side in ("left", "right") if isinstance(node.get(side), dict)] or node.get("children", ())
    arms = [_query(side, known, outer) for side in sides]
    if node.get("setop_type") != "UNION_BY_NAME":
        arms = [arms[0], *(_named(arm, list(arms[0].columns)) for arm in arms[1:])]
    every = dict.fromkeys(name for arm in arms for name in arm.columns)
    given = {name: [arm.columns.get(name, NULL) for arm in arms] for name in every}
    columns = {name: either(sorted(roles, key=nulls_in)) for name, roles in given.items()}
    extents = [arm.extent for arm in arms]
    owned = [arm.is_owned for arm in arms]
    if any(owned) and (not node.get("setop_all") or node.get("setop_type") in ("EXCEPT", "INTERSECT")):
        extents.append(of_keys(columns.values()))
    if any(owned) and not all(owned):  # rows that each shard would have
        extents.append(ALL)
    wider = {name: widest(arm.wider.get(name, QMGR) for arm in arms) for name in every}
    return _limited(node, Extent(columns, widest(extents), any(owned), wider))


def _named(relation: Extent, names: Sequence[str] | None) -> Extent:
    """A relation with other names of its columns."""
    if not names:
        return relation
    new = dict(zip(relation.columns, names, strict=False))
    wider = {new[name]: extent for name, extent in relation.wider.items() if name in new}
    key = frozenset(new[name] for name in relation.key) if relation.key <= new.keys() else frozenset()
    return Extent({new[name]: relation.columns[name] for name in new}, relation.extent, relation.is_owned, wider, key)


def _limited(node: Node, relation: Extent) -> Extent:
    kinds = {modifier["type"] for modifier in node.get("modifiers") or ()}
    limited = relation.is_owned and any(kind.startswith("LIMIT") for kind in kinds)
    return Extent(relation.columns, ALL, True) if limited else relation


def _select(node: Node, names: Names, outer: Scope | None) -> Extent:
    scope = Scope({}, outer, names)
    where = conjuncts(node.get("where_clause"))
    scope.certain = {
        child["column_names"][-1]
        for part in where
        if part.get("type") == "OPERATOR_IS_NOT_NULL"
        for child in part["children"]
        if child.get("class") == "COLUMN_REF"
    }
    extents = [_from(node.get("from_table"), scope, where)]
    items = dict(_items(node, scope))
    roles = {
        name: scope.roles(*item) if isinstance(item, tuple) else roles_of(item, scope) for name, item in items.items()
    }
    wider = {
        name: item[0].wider.get(item[1], QMGR) if isinstance(item, tuple) else _needs(item, scope)
        for name, item in items.items()
    }
    groups = list(node.get("group_expressions") or ())
    keys = [_group(group, node, scope, roles) for group in groups]
    grouped = bool(groups) or any(
        map(has_aggregate, [*(item for item in items.values() if not isinstance(item, tuple)), node.get("having")])
    )
    if node.get("aggregate_handling") == "FORCE_AGGREGATES":
        grouped = True
        groups = [item for item in items.values() if not isinstance(item, tuple) and not has_aggregate(item)]
        keys = [roles[name] for name, item in items.items() if not isinstance(item, dict) or not has_aggregate(item)]
    modifiers: dict[str, Any] = {modifier["type"]: modifier for modifier in node.get("modifiers") or ()}
    extents += [_needs(part, scope, wider) for part in (*groups, *where, node.get("having"), node.get("qualify"))]
    if scope.is_owned and grouped:
        extents.append(of_keys(keys))
    if scope.is_owned and "DISTINCT_MODIFIER" in modifiers:
        targets = modifiers["DISTINCT_MODIFIER"].get("distinct_on_targets") or []
        extents += [of_keys([roles_of(target, scope) for target in targets] or roles.values()), *wider.values()]
    wider = {name: extent for name, extent in wider.items() if extent != QMGR}
    return _limited(node, Extent(roles, widest(extents), scope.is_owned, wider, _key(node, items, groups, modifiers)))


def _key(node: Node, items: Mapping[str, Any], groups: Sequence[Node], modifiers: Mapping[str, Any]) -> frozenset[str]:
    """The columns that identify a row of the result: those of GROUP BY or DISTINCT."""
    distinct = modifiers.get("DISTINCT_MODIFIER")
    if "unnest" in {function["function_name"] for function in nodes_of(node["select_list"], "FUNCTION")}:
        return frozenset()
    if distinct is not None and not distinct.get("distinct_on_targets"):
        return frozenset(items)
    if distinct is not None:
        groups = list(distinct["distinct_on_targets"])
    names = {
        name: item["column_names"][-1]
        for name, item in items.items()
        if isinstance(item, dict) and item.get("class") == "COLUMN_REF"
    }
    key = set()
    for group in groups:
        if group.get("class") != "COLUMN_REF":
            return frozenset()
        column = group["column_names"][-1]
        shown = [name for name in items if name == column or names.get(name) == column]
        if not shown:
            return frozenset()
        key.add(shown[0])
    return frozenset(key)


def _needs(node: Node | None, scope: Scope, result: Mapping[str, str] = MappingProxyType({})) -> str:
    """The extent of an expression: of its windows, subqueries and columns; `result` = the columns of the result, which QUALIFY may name."""
    if node is None:
        return QMGR
    extents = [_subquery(subquery, scope) for subquery in nodes_of(node, "SUBQUERY")]
    if scope.is_owned:
        extents += [_window(window, scope) for window in nodes_of(node, "WINDOW")]
    for reference in nodes_of(node, "COLUMN_REF"):
        names = reference["column_names"]
        column = scope.find(names)
        extents.append(column[0].wider.get(column[1], QMGR) if column else result.get(names[-1], QMGR))
    return widest(extents)


def _group(group: Node, node: Node, scope: Scope, roles: Mapping[str, Roles]) -> Roles:
    """The roles of an entry of GROUP BY: an expression, the name of a column of the result, or its number."""
    if group.get("class") == "CONSTANT":
        number = constant_of(group)
        return list(roles.values())[number - 1] if isinstance(number, int) else NO_ROLES
    if group.get("class") == "COLUMN_REF" and scope.find(group["column_names"]) is None:
        return roles.get(group["column_names"][-1], NO_ROLES)
    return roles_of(group, scope)


def _items(node: Node, scope: Scope) -> Iterator[tuple[str, Node | tuple[Extent, str]]]:
    """The columns of the result, each with its expression, or with its table and name there if a star has it."""
    for item in node["select_list"]:
        if item.get("class") != "STAR":
            yield name_of(item), item
            continue
        excluded = {
            each if isinstance(each, str) else each.get("column", "") for each in item.get("exclude_list") or ()
        }
        excluded |= {
            each["column"] if isinstance(each, dict) else each for each in item.get("qualified_exclude_list") or ()
        }
        replaced = {entry["key"]: entry["value"] for entry in item.get("replace_list") or ()}
        for alias, table in scope.tables.items():
            if item.get("relation_name") in ("", None, alias):
                for column in table.columns:
                    if column not in excluded:
                        yield column, replaced.get(column, (table, column))


def _from(node: Node | None, scope: Scope, where: Sequence[Node]) -> str:
    """Add the tables of a FROM clause to the scope; the extent of the tables and of their joins."""
    if node is None or node.get("type") == "EMPTY":
        return QMGR
    if node["type"] != "JOIN":
        alias, table = _table(node, scope)
        scope.tables[alias] = table
        return table.extent
    left, right, both = (Scope({}, scope.outer, scope.names, scope.certain) for _ in range(3))
    extents = [_from(node["left"], left, where)]
    joined = [_from(node["right"], right, where)]
    kind = node["join_type"]
    both.tables = left.tables | right.tables
    conditions = [*conjuncts(node.get("condition") or None), *(where if kind == "INNER" else ())]
    named = [{"class": "COLUMN_REF", "column_names": [name]} for name in node.get("using_columns") or ()]
    conditions += [{"type": "COMPARE_EQUAL", "left": name, "right": name} for name in named]
    if left.is_owned and right.is_owned:
        joined.append(of_keys(_equal(conditions, left, right)))
    elif (right.is_owned and kind in ("LEFT", "OUTER", "FULL", "ANTI")) or (
        left.is_owned and kind in ("RIGHT", "OUTER", "FULL")
    ):
        extents.append(ALL)  # a row that each shard has, with rows that only one has
    joined.append(_needs(node.get("condition") or None, both))
    if kind == "LEFT" and _is_at_most_one(right, conditions, left):
        # Each row of the left side has one row in the result, whatever the right side has.
        right.tables = {alias: widened(table, widest(joined)) for alias, table in right.tables.items()}
        joined = []
    if kind in ("LEFT", "OUTER", "FULL"):
        right.tables = {alias: unmatched(table) for alias, table in right.tables.items()}
    if kind in ("RIGHT", "OUTER", "FULL"):
        left.tables = {alias: unmatched(table) for alias, table in left.tables.items()}
    scope.tables |= left.tables
    if kind not in ("SEMI", "ANTI"):
        scope.tables |= right.tables
    return widest([*extents, *joined])


def _is_at_most_one(right: Scope, conditions: Iterable[Node], left: Scope) -> bool:
    """Whether a join finds at most one row of its right side: the columns that identify a row there are equal to something on the left side."""
    if len(right.tables) != 1:
        return False
    ((alias, table),) = right.tables.items()
    equal = set()
    for part in conditions:
        if part.get("type") in ("COMPARE_EQUAL", "COMPARE_NOT_DISTINCT_FROM"):
            for near, far in ((part["left"], part["right"]), (part["right"], part["left"])):
                names = far.get("column_names") or [""]
                ours = names[0] == alias if len(names) > 1 else left.find(names) is None or near is far
                if (
                    ours
                    and names[-1] in table.columns
                    and all(left.find(each["column_names"]) for each in nodes_of(near, "COLUMN_REF"))
                ):
                    equal.add(names[-1])
    return bool(table.key) and table.key <= equal


def _equal(conditions: Iterable[Node], left: Scope, right: Scope) -> Iterator[Roles]:
    """The roles of what is equal on both sides of a join."""
    for part in conditions:
        if part.get("type") == "CONJUNCTION_OR":
            extent = widest(of_keys(_equal(conjuncts(child), left, right)) for child in part["children"])
            yield frozenset({extent} - {ALL})
        if part.get("type") not in ("COMPARE_EQUAL", "COMPARE_NOT_DISTINCT_FROM"):
            continue
        for near, far in ((part["left"], part["right"]), (part["right"], part["left"])):
            roles = roles_of(near, left), roles_of(far, right)
            equal = either([each - UNMATCHED for each in roles])
            if part["type"] == "COMPARE_NOT_DISTINCT_FROM" and all(
                "null" in each and each & NULLABLE for each in roles
            ):
                continue
            if equal:
                yield equal
                break


def _table(node: Node, scope: Scope) -> tuple[str, Extent]:
    kind = node["type"]
    alias = node.get("alias") or f"#{id(node)}"
    if kind == "BASE_TABLE":
        name, schema = node["table_name"], node.get("schema_name") or None
        alias = node.get("alias") or name
        if name in scope.names.ctes and not schema:
            return alias, scope.names.ctes[name]
        is_view = name in sqlfile.views() and schema != "decoded"
        return alias, extent_of_view(name if is_view else f"decoded.{name}", scope.names.basis)
    if kind == "SUBQUERY":
        inner = node["subquery"].get("node") or node["subquery"]
        return alias, _named(_query(inner, scope.names, scope), node.get("column_name_alias"))
    if kind == "PIVOT" and not node.get("aggregates"):
        _, table = _table(node["source"], scope)
        added = [*node["unpivot_names"], *(name for pivot in node["pivots"] for name in pivot["unpivot_names"])]
        return alias, Extent(
            {**table.columns, **dict.fromkeys(added, NO_ROLES)}, table.of_columns(table.wider), table.is_owned
        )
    if kind == "EXPRESSION_LIST":
        names = node.get("column_name_alias") or [f"col{number}" for number in range(len(node["values"][0]))]
        return alias, Extent(dict.fromkeys(names, NO_ROLES))
    return alias, Extent({}, ALL, True)


def _window(node: Node, scope: Scope) -> str:
    partitions, orders = node.get("partitions") or [], node.get("orders") or []
    if node.get("type") == "WINDOW_ROW_NUMBER" and not partitions and not orders:
        return QMGR
    return of_keys([roles_of(partition, scope) for partition in partitions])


def _subquery(node: Node, scope: Scope) -> str:
    """The extent of a subquery in an expression: it must be about the same queue manager as the row, or about no queue manager."""
    tree = node["subquery"].get("node") or node["subquery"]
    result = _query(tree, scope.names, scope)
    if not result.is_owned:
        return result.extent
    keys: list[Roles] = []
    if node.get("child") is not None:
        names = list(result.columns.values())
        child = node["child"]
        given = (
            arguments_of(child) if child.get("class") == "FUNCTION" and child.get("function_name") == "row" else [child]
        )
        keys += [
            each
            for each in map(lambda a, b: either([roles_of(a, scope) - UNMATCHED, b - UNMATCHED]), given, names)
            if each
        ]
    if node.get("child") is None and tree["type"] == "SELECT_NODE":
        # Its rows are those of the owner, if WHERE compares owners: whatever it computes of them needs no others.
        inner, where = Scope({}, None, scope.names), conjuncts(tree.get("where_clause"))
        extents = [_from(tree.get("from_table"), inner, where), _needs(tree.get("where_clause"), inner)]
        return widest([*extents, of_keys(_equal(where, inner, scope))])
    return widest([of_keys(keys), result.extent])
