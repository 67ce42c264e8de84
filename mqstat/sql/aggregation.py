"""How rows of a column become one row: over time, and across subjects. Every command that puts rows together uses these
expressions.

| way | value of several rows |
|---|---|
| add, min, max | sum, lowest, highest |
| first, last | value of the first or last row by time (over time only) |
| mean | over time: mean by the seconds of the intervals; across subjects: mean of the subjects by their seconds,
without such times their plain mean |
| ratio | computed again from the sums of its numerator and denominator, over the rows where both are known |
| same | the value that all rows have, otherwise null |
| none | null unless there is one row; the header states why |

A mean over time that adds across subjects is a rate: the total is what all subjects did, divided by the longest of
their times. A row without one of the two parts of a ratio or mean contributes to neither.
"""

from __future__ import annotations

from typing import NamedTuple

from mqstat.sql.columns import Column


class Parts(NamedTuple):
    """The names of the two columns that a mean or ratio is computed from again; no view or report has columns with a
    space in their name.
    """

    numerator: str
    denominator: str


def parts_of(column: Column) -> Parts | None:
    """The names of the parts of a column; None if its rows are put together without parts."""
    if "ratio" in (column.way.over_time, column.way.across) or column.way.over_time == "mean":
        return Parts(f"{column.name} numerator", f"{column.name} denominator")
    return None


def part_values(column: Column, seconds: str = "interval_seconds") -> tuple[str, str]:
    """The SQL expressions of the parts over one row; `seconds` is the expression of the length of its interval. Both
    are null if one is.
    """
    ratio, name = column.way.ratio, f'"{column.name}"'
    if ratio is None:
        return f"({name} * ({seconds}))::DOUBLE", f"(CASE WHEN {name} IS NOT NULL THEN ({seconds}) END)::DOUBLE"
    above, below = ratio.numerator, ratio.denominator
    return (
        f"(CASE WHEN ({below}) IS NOT NULL THEN ({above}) END)::DOUBLE",
        f"(CASE WHEN ({above}) IS NOT NULL THEN ({below}) END)::DOUBLE",
    )


def parts_over_time(column: Column, moment: str = "interval_start_utc") -> list[str]:
    """The SQL aggregates of the two parts over rows of one subject, under their names: their sums, or those of the row
    that the column itself is from.
    """
    way, parts = column.way.over_time, parts_of(column)
    method = {"first": f'arg_min("{{0}}", {moment})', "last": f'arg_max("{{0}}", {moment})'}.get(way, 'sum("{0}")')
    return [f'{method} AS "{{0}}"'.format(name) for name in parts or ()]


def over_time(column: Column, type_: str = "DOUBLE", moment: str = "interval_start_utc") -> str:
    """The SQL aggregate of a column over rows of one subject, which have the parts of `parts_of`; `moment` orders the
    rows.
    """
    return _aggregate(column, column.way.over_time, type_, moment)


def across(column: Column, type_: str = "DOUBLE") -> str:
    """The SQL aggregate of a column over rows of several subjects for the same time, each from `over_time` with its
    summed parts.
    """
    way, parts = column.way, parts_of(column)
    if way.across == "add" and way.over_time == "mean" and parts:
        return f'sum("{parts.numerator}") / nullif(max("{parts.denominator}"), 0)'
    if way.across == "mean" and way.over_time != "mean":
        return f'avg("{column.name}")'
    return _aggregate(column, way.across, type_, "")


def _aggregate(column: Column, way: str, type_: str, moment: str) -> str:
    name, parts = f'"{column.name}"', parts_of(column)
    if way in ("mean", "ratio") and parts:
        scale = column.way.ratio.scale if way == "ratio" and column.way.ratio else 1
        scaled = "" if scale == 1 else f"{scale:.15g} * "
        return f'{scaled}sum("{parts.numerator}") / nullif(sum("{parts.denominator}"), 0)'
    if way == "add":
        return f"sum({name})::BIGINT" if type_ in ("BIGINT", "INTEGER", "HUGEINT") else f"sum({name})"
    if way in ("min", "max"):
        return f"{way}({name})"
    if way in ("first", "last"):
        return f"arg_{'min' if way == 'first' else 'max'}({name}, {moment})"
    if way == "same":
        return (
            f"CASE WHEN count({name}) = count(*) AND min({name}) IS NOT DISTINCT FROM max({name}) THEN min({name}) END"
        )
    return f"CASE WHEN count(*) = 1 THEN any_value({name}) END"
