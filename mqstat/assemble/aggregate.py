"""Aggregates rows of a report: hours and days instead of intervals; the first subjects, the others together, and a total.

Each column defines how its values are aggregated (`over` in its description, otherwise by its kind and unit): counters and durations are added, lows
and highs keep their lowest and highest, rates and percentages of time are means weighted by the length of the interval, an average is
weighted by its number of values, shares of a queue manager add up (null across queue managers), a text is kept if it is the same in all rows. A column that fits no rule is left empty rather than wrong.

Across subjects of the same interval, interval lengths are not added: rates add up, percentages are means.
"""

# ruff: noqa: S608 - statements are built from reports of this package, names are quoted

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from mqstat.assemble.catalogue import body_and_order
from mqstat.base.errors import UsageError
from mqstat.sql.aggregation import LINEAGE, RATES, aggregation
from mqstat.sql.columns import Column
from mqstat.sql.schemas import quoted
from mqstat.sql.sqlfile import SqlFile

STEPS = ("interval", "hour", "day")
"""Values of --by."""

LOCATED = '"lpar", "qmgr"'
"""Columns of the queue manager whose total a share refers to."""


def keys(columns: Mapping[str, Column]) -> list[str]:
    """The columns that identify the subjects of a report."""
    return [
        column.name
        for column in columns.values()
        if not column.over and (column.kind == "key" or column.unit == "id") and column.name not in LINEAGE
    ]


def has_intervals(report: SqlFile) -> bool:
    """Whether a report has one row per interval, so that it can be aggregated to hours and days."""
    return {"interval_start_utc", "lpar", "qmgr"} <= set(report.columns)


@dataclasses.dataclass(frozen=True)
class Combined:
    """The statement that aggregates the rows of a report, and the columns of its result."""

    sql: str
    columns: tuple[Column, ...]


def combine(report: SqlFile, types: Mapping[str, str], by: str = "interval", top: int | None = None) -> Combined:
    """Aggregate the rows of a report by interval, hour or day, and keep the first `top` subjects; `types` are those of its SELECT.

    With `top` and no hours or days, the whole period is one row. UsageError if the report cannot be aggregated this way.
    """
    if by not in STEPS:
        raise UsageError(f"--by {by}: choose {', '.join(STEPS)}.")
    timed = has_intervals(report)
    if by != "interval" and not timed:
        raise UsageError(f"The report {report.id} has no rows by interval, so --by {by} cannot aggregate it.")
    if by == "interval" and top is None:
        return Combined(report.text, tuple(report.columns.values()))
    body, order = body_and_order(report.text)
    subject = keys(report.columns)
    if top is not None and not subject:
        raise UsageError(f"The report {report.id} has no subjects to rank.")
    period = {"hour": "hour", "day": "day"}.get(by)
    # A star would read all columns of the views of a report with UNION, including those that were not decoded for it.
    every = _list(list(report.columns))
    steps = [f'report_row AS (SELECT {every}, row_number() OVER (ORDER BY{order}) AS "row no" FROM ({body}))']
    source = "report_row"
    if period:
        shift = "coalesce(c.shift, f.shift, INTERVAL 0 SECOND)"
        # An hour is an instant, so the two hours of a clock change remain separate and hours of different zones coincide; a day is a local day.
        instant = f"date_trunc('{period}', r.interval_start_utc + {shift})" + (
            f" - {shift}" if period == "hour" else ""
        )
        steps += [
            """clock_change AS (
  SELECT lpar, qmgr, begun, shift FROM (
    SELECT lpar, qmgr, interval_start_utc AS begun, interval_start_local - interval_start_utc AS shift,
      lag(interval_start_local - interval_start_utc) OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc) AS shift_before
    FROM interval_cut
    WHERE interval_start_local IS NOT NULL
  ) WHERE shift IS DISTINCT FROM shift_before
)""",
            "clock_first AS (SELECT lpar, qmgr, min_by(shift, begun) AS shift FROM clock_change GROUP BY lpar, qmgr)",
            f"""timed AS (
  SELECT r.*, {instant} AS "period"
  FROM report_row AS r
  ASOF LEFT JOIN clock_change AS c ON r.lpar = c.lpar AND r.qmgr = c.qmgr AND r.interval_start_utc >= c.begun
  LEFT JOIN clock_first AS f ON f.lpar = r.lpar AND f.qmgr = r.qmgr
)""",
        ]
        source = "timed"
    made = _Columns(report.columns, types, period)
    group = [*subject, *(["period"] if period else [])]
    steps.append(
        f'put AS (\n  SELECT {_list(group)}{made.aggregates(subject, across=False)}, count(*) AS "rows", min("row no") AS "row no"\n'
        f"  FROM {source}\n  GROUP BY {_list(group)}\n)"
    )
    if top is None:
        steps.append('result AS (SELECT *, 0 AS "part", 0 AS "place" FROM put)')
    else:
        steps += _first(made, subject, period, top)
    names = [name for name in report.columns if name != "interval_start_utc" or not period]
    shown = [f"{quoted('period')} AS {_start(period)}"] if period else []
    listed = [quoted(name) for name in names]
    start = list(report.columns).index("interval_start_utc") if period else 0
    listed[start:start] = shown
    if top is not None:
        listed.insert(0, '"rank"')
    if timed and "intervals" not in report.columns:
        listed.append('"rows" AS intervals')
    ordering = (["period"] if period and top is not None else []) + ["part", "place", "row no"]
    sql = f"WITH {', '.join(steps)}\nSELECT {', '.join(listed)}\nFROM result\nORDER BY {_list(ordering)}"
    return Combined(sql, tuple(_described(report.columns, period, top is not None, timed)))


def _start(period: str) -> str:
    """The column with the start of an hour or a day."""
    return "hour_start_utc" if period == "hour" else "day_start_local"


def _list(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names))


def _described(columns: Mapping[str, Column], period: str | None, ranked: bool, timed: bool) -> list[Column]:
    """The columns of the result."""
    shown = []
    for column in columns.values():
        if column.name == "interval_start_utc" and period:
            clock = "GMT; reports show it" if period == "hour" else "the day is one"
            doc = f"Start of the {period} ({clock} in local time)."
            shown.append(
                Column(
                    _start(period),
                    "ts_utc" if period == "hour" else "ts_local",
                    period,
                    "clock",
                    "day" if period == "day" else "",
                    doc=doc,
                    screen=1,
                )
            )
        else:
            shown.append(column)
    if ranked:
        doc = "Rank of the subject in the order of the report; others is all remaining subjects, total is all."
        shown.insert(0, Column("rank", "text", "rank", "key", doc=doc, screen=1))
    if timed and "intervals" not in columns:
        shown.append(
            Column("intervals", "count", "intervals", doc="Rows of the report that were aggregated.", screen=2)
        )
    return shown


def _first(made: _Columns, subject: list[str], period: str | None, top: int) -> list[str]:
    """The statements that keep the first subjects and add a row for the others and a row for all."""
    same = " AND ".join(f"p.{quoted(name)} IS NOT DISTINCT FROM s.{quoted(name)}" for name in subject)
    group = ['"period"'] if period else []
    inner = [name for name in made.columns if name != "interval_start_utc" or not period]
    columns = [*(["period"] if period else []), *inner, "rows", "row no"]
    grouped = f"\n  GROUP BY {', '.join(group)}" if group else "\n  HAVING count(*) > 0"
    several = "".join(f"{name}, " for name in group)
    totals = []
    for part, label, where in (
        (1, "'others (' || count(DISTINCT place) || ')'", f"WHERE place > {top}"),
        (2, "'total'", ""),
    ):
        totals.append(
            f'SELECT {several}{label} AS "rank", {part} AS part, 0 AS place{made.aggregates([], across=True)}, sum("rows")::BIGINT AS "rows", '
            f'min("row no") AS "row no"\n  FROM placed {where}{grouped}'
        )
    own = f'SELECT {several}place::VARCHAR AS "rank", 0 AS part, place, {_list(inner)}, "rows", "row no" FROM placed WHERE place <= {top}'
    return [
        f'subject AS (SELECT {_list(subject)}, row_number() OVER (ORDER BY min("row no")) AS place FROM put GROUP BY {_list(subject)})',
        # Without a star: a column with the name of a view would read the whole view.
        f"placed AS (SELECT {', '.join(f'p.{quoted(name)}' for name in columns)}, s.place FROM put AS p JOIN subject AS s ON {same})",
        f"result AS (\n  {own}\n  UNION ALL BY NAME {totals[0]}\n  UNION ALL BY NAME {totals[1]}\n)",
    ]


@dataclasses.dataclass(frozen=True)
class _Columns:
    """Builds the expressions that aggregate the values of many rows."""

    columns: Mapping[str, Column]
    types: Mapping[str, str]
    period: str | None

    def aggregates(self, subject: Sequence[str], *, across: bool) -> str:
        """All columns except those that rows are grouped by; `across` subjects, otherwise over time."""
        parts = []
        for column in self.columns.values():
            if column.name in subject or (column.name == "interval_start_utc" and self.period):
                continue
            parts.append(f", {self._aggregated(column, across)} AS {quoted(column.name)}")
        return "\n  ".join(["", *parts]) if parts else ""

    def _aggregated(self, column: Column, across: bool) -> str:
        name, kind = quoted(column.name), self.types.get(column.name, "DOUBLE")
        way = aggregation(column)
        if across and column.name in ("interval_seconds", "interval_us"):
            return f"max({name})"
        if way == "sum":
            return f"sum({name})::BIGINT" if kind in ("BIGINT", "INTEGER", "HUGEINT") else f"sum({name})"
        if way in ("min", "max"):
            return f"{way}({name})"
        if way == "share":
            return f"CASE WHEN min(({LOCATED})) = max(({LOCATED})) THEN sum({name}) END"
        if way == "mean":
            seconds = self._seconds()
            if seconds is None:
                return "NULL::DOUBLE"
            added = f"sum({seconds}) FILTER ({name} IS NOT NULL)"
            below = f"max({seconds})" if across and column.unit in RATES else added
            return f"sum({name} * ({seconds})) / nullif({below}, 0)"
        if way.startswith("weighted:"):
            by = quoted(way.removeprefix("weighted:"))
            if way.removeprefix("weighted:") not in self.columns:
                return "NULL::DOUBLE"
            return f"sum({name} * {by}) / nullif(sum({by}) FILTER ({name} IS NOT NULL), 0)"
        if way == "same":
            return f"CASE WHEN count({name}) = count(*) AND min({name}) IS NOT DISTINCT FROM max({name}) THEN min({name}) END"
        if way in ("first", "last"):
            return f'arg_{"min" if way == "first" else "max"}({name}, "row no")'
        return f"NULL::{kind}"

    def _seconds(self) -> str | None:
        if "interval_seconds" in self.columns:
            return "interval_seconds"
        return "interval_us / 1e6" if "interval_us" in self.columns else None
