"""Queries that are empty because the tables and views that they read are empty: determined from their text, without running them.

If the text is not understood, the query counts as not empty: at worst it runs without need.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from mqstat.sql import sqlfile
from mqstat.sql.needed import table_columns, texts

Without: TypeAlias = frozenset[frozenset[str]]
"""Sets of tables and views: a query is empty if all tables and views of one of these sets are empty. Without a set nothing is known."""
Part: TypeAlias = "str | list[Part]"
"""A word of a text, or the parts in parentheses."""

NOTHING: Without = frozenset()
MOST = 64
"""Maximum number of sets; texts with so many joins and unions that they need more are not followed."""
AGGREGATES = frozenset({
    "any_value", "arg_max", "arg_min", "array_agg", "avg", "bit_or", "bool_and", "bool_or", "corr", "count", "count_if", "first", "last", "list",
    "mad", "max", "max_by", "mean", "median", "min", "min_by", "mode", "product", "quantile", "quantile_cont", "quantile_disc", "regr_intercept",
    "regr_r2", "regr_slope", "stddev", "stddev_pop", "stddev_samp", "string_agg", "sum", "var_pop", "var_samp", "variance",
})  # fmt: skip
"""Functions that return a row even over an empty table; a test compares them with the functions of DuckDB that our texts name."""
_ENDS = ("where", "group", "having", "window", "qualify", "order", "limit", "offset")
_SETS = ("union", "intersect", "except")
_NOT_FOLLOWED = frozenset({"pivot", "unpivot", "recursive", "lateral", "right", "full", "positional", "values", "grouping", "rollup", "cube"})  # fmt: skip


def is_empty(query: str, empty: Collection[str]) -> bool:
    """Whether a query is certainly empty if these views, and decoded tables as `decoded.name`, are empty."""
    known = frozenset(empty)
    return any(tables <= known for tables in without(query))


def empty_views(empty: Collection[str]) -> set[str]:
    """The other views that are certainly empty if these tables and views are empty."""
    known = set(empty)
    for view in sqlfile.views().values():  # a view comes after those that it reads
        if view.id not in known and not known.isdisjoint(view.needs):
            known |= {view.id} if any(tables <= known for tables in without(view.body)) else set()
    return known - set(empty)


@cache
def without(query: str) -> Without:
    """The sets of tables without which a query has no rows."""
    words = texts(query.rstrip(";"))
    return NOTHING if _NOT_FOLLOWED.intersection(words) else _query(_nested(words), {})


def _nested(words: Sequence[str]) -> list[Part]:
    """The words, those in parentheses as lists of their own."""
    inner: list[Part] = []
    around = [inner]
    for word in words:
        if word == "(":
            below: list[Part] = []
            inner.append(below)
            around.append(inner)
            inner = below
        elif word == ")":
            inner = around.pop()
        else:
            inner.append(word)
    return inner


def _query(words: Sequence[Part], around: Mapping[str, Without]) -> Without:
    """Of a query with its common table expressions, which follow those of the query around it."""
    ctes, at = dict(around), 0
    if words and words[0] == "with":
        while at < len(words) and words[at] in ("with", ","):
            name = words[at + 1]
            body = next(number for number in range(at + 2, len(words)) if isinstance(words[number], list))
            if words[body - 1] not in ("as", "materialized"):
                return NOTHING  # a list of column names
            ctes[str(name).removeprefix('"')] = _query(words[body], ctes)
            at = body + 1
    result: Without | None = None
    while at < len(words):
        end = next((number for number in range(at, len(words)) if words[number] in _SETS), len(words))
        part = _select(words[at:end], ctes)
        result = part if result is None else frozenset(mine | other for mine in result for other in part)
        if not result or len(result) > MOST or (end < len(words) and words[end] != "union"):
            return NOTHING
        at = end + 1
        while at < len(words) and words[at] in ("all", "distinct", "by", "name"):
            at += 1
    return result or NOTHING


def _select(words: Sequence[Part], ctes: Mapping[str, Without]) -> Without:
    """Of one SELECT: the sets of its first table and of those that it joins, unless it counts without groups."""
    if len(words) == 1 and isinstance(words[0], list):
        return _query(words[0], ctes)
    if not words or words[0] != "select":
        return NOTHING
    start = next(
        (number for number, word in enumerate(words) if word == "from" and words[number - 1] != "distinct"), None
    )
    if start is None:
        return NOTHING
    end = next((number for number in range(start, len(words)) if words[number] in _ENDS), len(words))
    grouped = any(words[number] == "group" for number in range(end, len(words)))
    if not grouped and ("having" in words[end:] or _aggregates(words[:start])):
        return NOTHING
    return _tables(words[start + 1 : end], ctes)


def _tables(words: Sequence[Part], ctes: Mapping[str, Without]) -> Without:
    """Of the tables after FROM: the first, and all that are joined so that each row needs one of theirs."""
    result = set(_table(words, ctes))
    for number, word in enumerate(words):
        before = words[max(0, number - 2) : number]
        if word == "," or (word == "join" and "left" not in before and "anti" not in before):
            result |= _table(words[number + 1 :], ctes)
    return frozenset(result)


def _table(words: Sequence[Part], ctes: Mapping[str, Without]) -> Without:
    """Of one table, view, common table expression or query in parentheses."""
    if not words:
        return NOTHING
    first = words[0]
    if isinstance(first, list):
        return _query(first, ctes)
    if len(words) > 1 and isinstance(words[1], list) and not (len(words) > 2 and words[2] == "on"):
        return NOTHING  # a function
    name = first.removeprefix('"')
    if name == "decoded" and list(words[1:2]) == ["."]:
        name = f"decoded.{str(words[2]).removeprefix(chr(34))}"
    elif name in ctes:
        return ctes[name]
    elif name not in table_columns():
        name = f"decoded.{name}"
    return frozenset({frozenset({name})}) if name in table_columns() else NOTHING


def _aggregates(words: Sequence[Part]) -> bool:
    """Whether a list of columns counts or sums rows, other than over a window."""
    for number, word in enumerate(words):
        if isinstance(word, list):
            if _aggregates(word):
                return True
        elif number + 1 < len(words) and isinstance(words[number + 1], list) and word in AGGREGATES:
            after = number + 2
            if list(words[after : after + 1]) == ["filter"]:
                after += 2
            if list(words[after : after + 1]) != ["over"]:
                return True
    return False
