"""The site facts that a rule reads, directly or through views: what a site file is for, found in the syntax trees of rule and views."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, NamedTuple

from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.query import nodes
from mqstat.sql.site import FACTS
from mqstat.sql.syntax import select_node


class _Parts(NamedTuple):
    """A SELECT: the entries of its list, each with its name and the columns in it, and the columns that all of its other parts and those after FROM name."""

    items: tuple[tuple[str, frozenset[str]], ...]
    around: frozenset[str]
    after: frozenset[str]
    has_star: bool


@cache
def facts_read(rule_id: str) -> frozenset[str]:
    """Facts that a rule reads."""
    rule, known = rules()[rule_id], sqlfile.views()
    own = select_node(rule.select)
    named, whole = _names(own), _selected_whole(own)
    wanted = {view: set(known[view].columns) if view in whole else set(named) for view in rule.views}
    for view in reversed(list(known.values())):
        if view.id in wanted:
            columns = _read(view, wanted[view.id] & set(view.columns))
            for need in view.needs:
                wanted.setdefault(need, set()).update(columns)
    return frozenset(fact.name for fact in FACTS.values() if fact.column in wanted.get("site_input", ()))


def _read(view: sqlfile.SqlFile, wanted: Collection[str]) -> frozenset[str]:
    """The columns that these columns of a view are computed from, and those of its conditions; a star selects those that are wanted."""
    parts = _parts(view.id)
    kept = parts.after.union(wanted)
    while not kept >= (more := kept.union(*(used for name, used in parts.items if name in kept))):
        kept = more
    read = parts.around.union(*(used for name, used in parts.items if name in kept))
    return read.union(wanted) if parts.has_star else read


@cache
def _parts(view: str) -> _Parts:
    """Of a view; a view that is no single SELECT, or has DISTINCT, has no entries of its own: all of its columns are needed for its rows."""
    node = select_node(sqlfile.views()[view].body)
    if node["type"] != "SELECT_NODE" or any(item["type"] == "DISTINCT_MODIFIER" for item in node["modifiers"]):
        return _Parts((), _names(node), frozenset(), _has_star(node))
    items = tuple((_name(item), _names(item)) for item in node["select_list"])
    around = {key: part for key, part in node.items() if key != "select_list"}
    after = {key: part for key, part in around.items() if key != "cte_map"}
    return _Parts(items, _names(around), _names(after), _has_star(around))


def _name(item: Any) -> str:
    """The name of an entry of a SELECT list; empty if it has none."""
    return str(item.get("alias") or (item.get("column_names") or [""])[-1]).lower()


def _names(node: Any) -> frozenset[str]:
    """The columns that a part of a tree names."""
    return frozenset(str(part["column_names"][-1]).lower() for part in nodes(node) if part.get("type") == "COLUMN_REF")


def _has_star(node: Any) -> bool:
    return any(part.get("type") == "STAR" for part in nodes(node))


def _selected_whole(node: Any) -> frozenset[str]:
    """The tables of which a SELECT in a tree selects all columns with a star."""
    return frozenset(
        str(table["table_name"])
        for select in nodes(node)
        if select.get("type") == "SELECT_NODE" and any(item["type"] == "STAR" for item in select["select_list"])
        for table in nodes(select["from_table"])
        if table.get("type") == "BASE_TABLE"
    )
