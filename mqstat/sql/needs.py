"""The decoded tables and columns that queries need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TypeAlias

import duckdb

from mqstat.base.errors import SqlFileError
from mqstat.base.nearest import nearest_or_known
from mqstat.sql import sqlfile
from mqstat.sql.query import reason
from mqstat.sql.schemas import all_schemas
from mqstat.sql.syntax import Query, known_tables, reads, reads_of
from mqstat.sql.views import explain_over_empty

Columns: TypeAlias = Mapping[str, frozenset[str]]
"""Decoded tables with their columns."""


def scanned_columns(sql: str) -> Columns:
    """The decoded tables that a user's query reads, directly or through views, with all of their columns; SqlFileError
    if the SQL does not compile.
    """
    try:
        tables = reads(sql)
        explain_over_empty(sql, tables)
    except duckdb.CatalogException as error:
        lost = re.search(r"Table with name (\S+) does not exist", str(error))
        if lost is None:
            raise SqlFileError(f"The query cannot be read: {reason(error)}.") from error
        known = known_tables()
        names = [*known, *(name.removeprefix("decoded.") for name in known)]
        near = nearest_or_known(lost[1], names, "mqstat tables lists them")
        raise SqlFileError(f"The query names {lost[1]}, which is no view or table{near}.") from error
    except duckdb.OutOfMemoryException:
        raise
    except (duckdb.Error, KeyError) as error:
        raise SqlFileError(f"The query cannot be read: {reason(error)}.") from error
    return decoded_columns([tables])


def decoded_columns(queries: Iterable[Query]) -> Columns:
    """The decoded tables that these queries read, directly or through views, with all of their columns."""
    named = reads_of(queries)
    if named:
        named |= {"decoded.record"}  # the search for duplicates reads it (mqstat.sql.duplicates)
    schemas = all_schemas()
    return {name: frozenset(schemas[name].names) for name in frozenset[str]().union(*map(tables_below, named))}


def rule_needs(rule: sqlfile.SqlFile) -> frozenset[str]:
    """The views that a rule file reads, as listed in its header."""
    listed = [rule.header.get("needs", []), *rule.header.get("needs_any", []), rule.header.get("prints", [])]
    return frozenset(name.partition(".")[0] for names in listed for name in names)


@cache
def health_columns() -> Columns:
    """The tables that the rules, all reports and pictures read: a report made directly from a dump decodes these."""
    return _columns_of([unit.needs for units in (sqlfile.reports(), sqlfile.pictures()) for unit in units.values()])


@cache
def rule_columns() -> Columns:
    """The tables that the rules and the head of their findings read: `check` decodes these of a dump."""
    return _columns_of([])


def _columns_of(further: list[Query]) -> Columns:
    return decoded_columns([*map(rule_needs, sqlfile.rules().values()), *further, *HEAD_VIEWS, *MONITOR_VIEWS])


HEAD_VIEWS: tuple[Query, ...] = tuple(
    [view]
    for view in (
        "qmgr", "collection", "interval_cut", "class_hole", "slot", "record", "page_set", "source", "other_record", "area_activity",
    )
)  # fmt: skip
"""Views that the engine and the head of a report read in addition to rules and reports, each a query of its own."""

MONITOR_VIEWS: tuple[Query, ...] = (["cf_structure"],)
"""Views that only the output for monitoring systems reads."""


@cache
def tables_below(view: str) -> frozenset[str]:
    """The decoded tables that a view reads, directly or through other views; of a decoded table (`decoded.name`) its
    name.
    """
    if view not in sqlfile.views():
        return frozenset({view.removeprefix("decoded.")})
    return frozenset[str]().union(*map(tables_below, sqlfile.views()[view].needs))


@cache
def required_tables(view: str) -> frozenset[str]:
    """The decoded tables (`decoded.name`) below a view with records of the classes without which it is empty; none if
    it is not known to be empty.
    """
    from mqstat.parsers import LAYOUTS

    unit, below = sqlfile.views()[view], tables_below(view)
    classes = set(unit.classes) if unit.header.get("empty_without", True) else set()
    layouts = [each for each in LAYOUTS.values() if classes & {f"{kind}.{subtype}" for kind, subtype, _ in each.routes}]
    names = {name for layout in layouts for name in (layout.name, *(child.name for child in layout.children))}
    return frozenset(f"decoded.{name}" for name in names & below)


@cache
def depth(view: str) -> int:
    """How many views are below one another below a view; views of the same depth do not read each other."""
    known = sqlfile.views()
    return 1 + max(map(depth, known[view].needs), default=0) if view in known else 0


@cache
def reads_findings(view: str) -> bool:
    """Whether a view reads findings, so that the rules must run before it is read."""
    return not tables_below(view).isdisjoint({"finding", "area_state"})
