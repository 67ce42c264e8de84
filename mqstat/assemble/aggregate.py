"""Aggregates rows of a report: hours and days instead of intervals; the first subjects, the others together, and a
total.

The columns state how their values are put together over time and across subjects (`mqstat.sql.aggregation`). Means and
ratios are computed again from their parts: if a report does not show the parts, its SELECT gets them as further
columns, which only the statement here reads. Rows are first aggregated over time, one per subject and period, then
across subjects.
"""

# ruff: noqa: S608 - statements are built from reports of this package, names are quoted

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from mqstat.base.errors import UsageError
from mqstat.sql import syntax
from mqstat.sql.aggregation import across, over_time, part_values, parts_of, parts_over_time
from mqstat.sql.columns import Column
from mqstat.sql.schemas import quoted
from mqstat.sql.sqlfile import SqlFile, body_and_order
from mqstat.sql.ways import LINEAGE

STEPS = ("interval", "hour", "day")
"""Values of --by."""

TIMES = frozenset(
    "interval_start_utc interval_end_utc interval_start_local task_interval_start_utc hour_start_utc hour_local date_local".split()
)
"""Columns that name the time of a row: its subject is the same at other times."""


def keys(report: SqlFile) -> list[str]:
    """The columns that identify the subjects of a report: its grain without times.

    The number of a record is no subject either; a report of single records has all its keys as subject.
    """
    grain = report.header.get("grain", ())
    named = dict.fromkeys(grain)
    if named.keys() & set(LINEAGE):
        named |= dict.fromkeys(name for name, column in report.columns.items() if column.kind == "key")
    return [name for name in named if name not in TIMES and name not in LINEAGE]


def has_intervals(report: SqlFile) -> bool:
    """Whether a report has one row per interval, so that it can be aggregated to hours and days."""
    return {"interval_start_utc", "lpar", "qmgr"} <= set(report.columns)


@dataclasses.dataclass(frozen=True)
class Combined:
    """The statement that aggregates the rows of a report, and the columns of its result."""

    sql: str
    columns: tuple[Column, ...]


def combine(report: SqlFile, types: Mapping[str, str], by: str = "interval", top: int | None = None) -> Combined:
    """Aggregate the rows of a report by interval, hour or day, and keep the first `top` subjects; `types` are those of
    its SELECT.

    With `top` and no hours or days, the whole period is one row. UsageError if the report cannot be aggregated this
    way.
    """
    if by not in STEPS:
        raise UsageError(f"--by {by}: choose {', '.join(STEPS)}.")
    timed = has_intervals(report)
    if by != "interval" and not timed:
        raise UsageError(f"The report {report.id} has no rows by interval, so --by {by} cannot aggregate it.")
    if by == "interval" and top is None:
        return Combined(report.text, tuple(report.columns.values()))
    subject = keys(report)
    if top is not None and not subject:
        raise UsageError(f"The report {report.id} has no subjects to rank.")
    period = {"hour": "hour", "day": "day"}.get(by)
    # A star would read all columns of the views of a report with UNION, including those that were not decoded for it.
    every = _list(list(report.columns))
    made = _Columns(report.columns, types, period, with_parts(report))
    # Sums and parts of other rows are not added to them.
    left_out = (
        f" WHERE ({report.header['left_out']}) IS NOT TRUE" if top is not None and "left_out" in report.header else ""
    )
    steps = [
        f'report_row AS (SELECT {every}{made.parts.outside}, row_number() OVER (ORDER BY{made.parts.order}) AS "row no" FROM ({made.parts.body}){left_out})'
    ]
    source = "report_row"
    if period:
        shift = "coalesce(c.shift, f.shift, INTERVAL 0 SECOND)"
        # An hour is an instant, so the two hours of a clock change remain separate and hours of different zones
        # coincide; a day is a local day.
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
    group = [*subject, *(["period"] if period else [])]
    steps.append(
        f'put AS (\n  SELECT {_list(group)}{made.aggregates(subject, across_subjects=False)}, count(*) AS "rows", min("row no") AS "row no"\n'
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
        doc = "Rank of the subject in the order of the report; others is all remaining subjects, total is all. A share of a queue manager or another whole is empty in rows that combine several of them."
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
    columns = [*(["period"] if period else []), *inner, *made.parts.names, "rows", "row no"]
    grouped = f"\n  GROUP BY {', '.join(group)}" if group else "\n  HAVING count(*) > 0"
    several = "".join(f"{name}, " for name in group)
    totals = []
    for part, label, where in (
        (1, "'others (' || count(DISTINCT place) || ')'", f"WHERE place > {top}"),
        (2, "'total'", ""),
    ):
        totals.append(
            f'SELECT {several}{label} AS "rank", {part} AS part, 0 AS place{made.aggregates([], across_subjects=True)}, '
            f'sum("rows")::BIGINT AS "rows", min("row no") AS "row no"\n  FROM {made.counted_once("placed", where, group)}{grouped}'
        )
    own = f'SELECT {several}place::VARCHAR AS "rank", 0 AS part, place, {_list(inner)}, "rows", "row no" FROM placed WHERE place <= {top}'
    return [
        f'subject AS (SELECT {_list(subject)}, row_number() OVER (ORDER BY min("row no")) AS place FROM put GROUP BY {_list(subject)})',
        # Without a star: a column with the name of a view would read the whole view.
        f"placed AS (SELECT {', '.join(f'p.{quoted(name)}' for name in columns)}, s.place FROM put AS p JOIN subject AS s ON {same})",
        f"result AS (\n  {own}\n  UNION ALL BY NAME {totals[0]}\n  UNION ALL BY NAME {totals[1]}\n)",
    ]


@dataclasses.dataclass(frozen=True)
class Rows:
    """The SELECT of a report without its ORDER BY and with the parts of its means and ratios: in the SELECT itself
    (`body`), or over its rows (`outside`).
    """

    body: str
    order: str
    outside: str
    names: tuple[str, ...]


def with_parts(report: SqlFile) -> Rows:
    """The rows of a report with what its means and ratios are computed from.

    Parts over columns that the report shows are computed from them; other parts are added to its SELECT, from the table
    that the column is from.
    """
    body, order = body_and_order(report.text)
    shown, inside, outside, names = set(report.columns), dict[str, tuple[str, str]](), "", list[str]()
    tables = syntax.tables_of_columns(body)
    needed = [(column, parts) for column in report.columns.values() if (parts := parts_of(column))]
    seconds = next((text for name, text in SECONDS.items() if name in shown), "")
    if not seconds and any(column.way.ratio is None for column, _ in needed):
        # The length of the intervals has the table of the first column that is a mean.
        mean = next(column.name for column, _ in needed if column.way.ratio is None)
        inside["interval seconds"] = ("interval_seconds", tables.get(mean, ""))
        seconds = '"interval seconds"'
    for column, parts in needed:
        values = part_values(column, seconds)
        ratio = column.way.ratio
        used = syntax.columns_in(f"{ratio.numerator} + {ratio.denominator}") if ratio else frozenset[str]()
        if used <= shown:
            outside += "".join(f', {value} AS "{name}"' for value, name in zip(values, parts, strict=True))
        else:
            table = tables.get(column.name, "")
            inside |= {name: (value, table) for value, name in zip(values, parts, strict=True)}
            outside += "".join(f', "{name}"' for name in parts)
        names += parts
    return Rows(syntax.with_columns(body, inside) if inside else body, order, outside, tuple(names))


SECONDS = {"interval_seconds": "interval_seconds", "interval_us": "interval_us / 1e6"}
"""Columns with the length of an interval, and their value in seconds."""


@dataclasses.dataclass(frozen=True)
class _Columns:
    """Builds the expressions that aggregate the values of many rows."""

    columns: Mapping[str, Column]
    types: Mapping[str, str]
    period: str | None
    parts: Rows

    def aggregates(self, subject: Sequence[str], *, across_subjects: bool) -> str:
        """All columns except those that rows are grouped by, with the sums of the parts over time."""
        made = []
        for column in self.columns.values():
            if column.name in subject or (column.name == "interval_start_utc" and self.period):
                continue
            type_ = self.types.get(column.name, "DOUBLE")
            value = across(column, type_) if across_subjects else over_time(column, type_, self._moment())
            if across_subjects and column.way.ratio and column.way.ratio.whole:
                # A share is of its own whole: rows of several wholes together are a share of none.
                value = f"CASE WHEN count(DISTINCT row({_list(column.way.ratio.whole)})) = 1 THEN {value} END"
            made.append(f", {value} AS {quoted(column.name)}")
            if not across_subjects:
                made += [f", {part}" for part in parts_over_time(column, self._moment())]
        return "\n  ".join(["", *made]) if made else ""

    def counted_once(self, source: str, where: str, group: Sequence[str]) -> str:
        """The rows, where only one of the rows that are shares or have the figure of the same whole has it."""
        once = []
        for column in self.columns.values():
            way, parts = column.way, parts_of(column)
            whole = way.whole or (way.ratio.whole if way.ratio else ())
            named = parts if parts and way.whole else (parts.denominator,) if parts else (column.name,)
            for name in map(quoted, named if whole else ()):
                among = ", ".join([*group, *map(quoted, whole)])
                first = f'row_number() OVER (PARTITION BY {among} ORDER BY {name} IS NULL, "row no")'
                once.append(f"CASE WHEN {first} = 1 THEN {name} END AS {name}")
        if not once:
            return f"{source} {where}"
        return f"(SELECT * REPLACE ({', '.join(once)}) FROM {source} {where})"

    def _moment(self) -> str:
        return next((name for name in ("interval_start_utc", *sorted(TIMES)) if name in self.columns), '"row no"')
