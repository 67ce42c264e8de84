"""Two sides of a comparison: their common hours, the figures of each side in these hours, and sentences about the
limits of the comparison.

Each side is measured in its own database by views `measured_*`, in the hours that table `side` lists; the results fill
the tables `side_figure`, `side_setting` and `hour_figure` of the database that the reports read, so two dumps with the
same times never mix.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from types import MappingProxyType
from typing import TypeAlias

import pyarrow as pa

from mqstat.base.formatting import listed, plural, qmgr_name
from mqstat.sql.schemas import view_schema
from mqstat.sql.workspace import Workspace

Qmgr: TypeAlias = tuple[str, str]
"""LPAR and name of a queue manager."""

SideRow: TypeAlias = tuple[str, str, str, int, int]
"""LPAR, queue manager, matching method, slot and hour of the week: a row of table `side` without the side."""

Measured: TypeAlias = list[tuple[str, pa.Table]]
"""What one side has: names of tables of the reading database, with rows for them."""

Lines: TypeAlias = tuple[tuple[str, str], ...]

ENOUGH = 4
"""With fewer intervals, or days of the same hour, the usual range is unknown."""

MINUTE = dt.timedelta(minutes=1)
"""Intervals on two LPARs that overlap by more are those of two queue managers (view queue_manager_move)."""

HOURS = """
SELECT
  lpar, qmgr, 24 * (isodow(interval_start_local) - 1) + hour(interval_start_local) AS hour_of_week,
  count(*) AS intervals, count(DISTINCT interval_start_local::DATE) AS days, median(interval_seconds) AS seconds,
  min(interval_start_local) AS first_local, max(interval_start_local + to_microseconds(interval_us)) AS last_local
FROM interval_cut
WHERE judgeable(interval_seconds, fragment) AND interval_start_local IS NOT NULL AND lpar IS NOT NULL AND qmgr IS NOT NULL
GROUP BY lpar, qmgr, hour_of_week
ORDER BY lpar, qmgr, hour_of_week
"""
AT_ONCE = "SELECT DISTINCT qmgr FROM queue_manager_move WHERE at_once"
FIGURES = "SELECT * FROM measured_figure"
USES = "SELECT * FROM measured_use"
SETTINGS = """
SELECT coalesce(s.lpar, m.lpar) AS lpar, m.* EXCLUDE (lpar)
FROM measured_setting AS m
LEFT JOIN (SELECT DISTINCT lpar, from_lpar, qmgr FROM side) AS s ON s.from_lpar = m.lpar AND s.qmgr = m.qmgr
"""
HOUR_VALUES = "SELECT * FROM measured_hour"
CLASS_HOURS = """
SELECT coalesce(s.lpar, m.lpar) AS lpar, m.* EXCLUDE (lpar)
FROM measured_class_hour AS m
LEFT JOIN (SELECT DISTINCT lpar, from_lpar, qmgr FROM side) AS s ON s.from_lpar = m.lpar AND s.qmgr = m.qmgr
"""
FILLED = {
    FIGURES: "side_figure",
    USES: "side_figure",
    SETTINGS: "side_setting",
    HOUR_VALUES: "hour_figure",
    CLASS_HOURS: "class_hour",
}
"""The table that the rows of a query fill."""

QUERIES = (HOURS, AT_ONCE, FIGURES, USES, SETTINGS)
"""All queries on a side of a comparison of two periods."""

DAY_NAMES = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")


@dataclass(frozen=True)
class Hour:
    """The intervals of a queue manager in an hour of the week."""

    intervals: int
    days: int
    seconds: float


@dataclass(frozen=True)
class Extent:
    """The hours of the week of a side by queue manager, and the period of each; names of which two ran at once; for
    `followed` the queue managers that are one.
    """

    hours: Mapping[Qmgr, Mapping[int, Hour]]
    periods: Mapping[Qmgr, tuple[dt.datetime, dt.datetime]]
    at_once: frozenset[str] = frozenset()
    sources: Mapping[Qmgr, tuple[Qmgr, ...]] = field(default_factory=dict)

    @property
    def first(self) -> dt.datetime | None:
        """Start of the first interval."""
        return min((first for first, _ in self.periods.values()), default=None)

    @property
    def last(self) -> dt.datetime | None:
        """End of the last interval."""
        return max((last for _, last in self.periods.values()), default=None)

    @property
    def intervals(self) -> int:
        """Intervals of all queue managers."""
        return sum(hour.intervals for hours in self.hours.values() for hour in hours.values())

    @property
    def seconds(self) -> float | None:
        """The usual length of an interval, None without intervals."""
        lengths = [hour.seconds for hours_of_manager in self.hours.values() for hour in hours_of_manager.values()]
        return median(lengths) if lengths else None


@dataclass(frozen=True)
class Sides:
    """The two sides: the hours that are compared, as rows of table `side`, and sentences with a label."""

    rows: tuple[SideRow, ...]
    lines: Lines
    careful: Lines = ()
    comparable: bool = True
    sources: Mapping[Qmgr, tuple[Qmgr, ...]] = field(default_factory=dict)


def extent(db: Workspace) -> Extent:
    """The intervals of a database by hour of the week."""
    hours: dict[Qmgr, dict[int, Hour]] = defaultdict(dict)
    periods: dict[Qmgr, tuple[dt.datetime, dt.datetime]] = {}
    for row in db.ask_rows(HOURS):
        qmgr, first, last = (row["lpar"], row["qmgr"]), row["first_local"], row["last_local"]
        hours[qmgr][int(row["hour_of_week"])] = Hour(row["intervals"], row["days"], row["seconds"])
        known = periods.get(qmgr, (first, last))
        periods[qmgr] = min(first, known[0]), max(last, known[1])
    return Extent(dict(hours), periods, frozenset(row["qmgr"] for row in db.ask_rows(AT_ONCE)))


def followed(before: Extent, after: Extent) -> Extent:
    """The side before under the LPARs that its queue managers have after: one that moved is the same, two of one name
    that ran at once are not.
    """
    apart = before.at_once | after.at_once
    sources = {}
    for qmgr in after.hours:
        first, last = after.periods[qmgr]
        others = (q for q in before.hours if q[1] == qmgr[1] and q != qmgr and q[1] not in apart)
        moved = [q for q in others if before.periods[q][1] <= first + MINUTE or last <= before.periods[q][0] + MINUTE]
        sources[qmgr] = (*(q for q in (qmgr,) if q in before.hours), *moved)
    hours: dict[Qmgr, dict[int, Hour]] = defaultdict(dict)
    for qmgr, own in sources.items():
        for hour, each in ((hour, each) for q in own for hour, each in before.hours[q].items()):
            known = hours[qmgr].get(hour, Hour(0, 0, each.seconds))
            hours[qmgr][hour] = Hour(known.intervals + each.intervals, known.days + each.days, known.seconds)
    taken = {q for own in sources.values() for q in own}
    left = {qmgr: hours_of_manager for qmgr, hours_of_manager in before.hours.items() if qmgr not in taken}
    return replace(before, hours={**hours, **left}, sources=sources)


def moves(before: Extent) -> Lines:
    """A line for each queue manager that was on another LPAR before (`followed`)."""
    known = {qmgr: [lpar for lpar, _ in own if lpar != qmgr[0]] for qmgr, own in before.sources.items()}
    return tuple(
        ("Moved", f"{name} was on {', '.join(lpars)} before and is on {lpar}: it is compared as one queue manager")
        for (lpar, name), lpars in known.items()
        if lpars
    )


def slot_rows(qmgr: Qmgr, slot_by: str, hours: Iterable[int]) -> list[SideRow]:
    """Rows of table `side` for these hours of the week: by hour of the week, by hour of the day, or all together."""
    if slot_by == "week":
        return [(*qmgr, slot_by, hour, hour) for hour in sorted(set(hours))]
    if slot_by == "day":
        return [(*qmgr, slot_by, hour, hour + 24 * day) for hour in sorted({h % 24 for h in hours}) for day in range(7)]
    return [(*qmgr, slot_by, 0, hour) for hour in range(168)]


def match(before: Extent, after: Extent) -> Sides:
    """Find the hours that both sides have (the same hours of the week, otherwise of the day, otherwise all), and list
    the differences between the sides.
    """
    period, before = _period(before), followed(before, after)
    common = [qmgr for qmgr in after.hours if qmgr in before.hours]
    side_rows: list[SideRow] = []
    way = "all"
    for way in ("week", "day", "all"):
        width = {"week": 168, "day": 24, "all": 1}[way]
        shared = {
            qmgr: {hour % width for hour in before.hours[qmgr]} & {hour % width for hour in after.hours[qmgr]}
            for qmgr in common
        }
        wanted = sum(len({hour % width for hour in after.hours[qmgr]}) for qmgr in common)
        if 2 * sum(map(len, shared.values())) >= wanted:
            side_rows = [row for qmgr in common for row in slot_rows(qmgr, way, shared[qmgr])]
            break
    lines = [("Before", period), ("After", _period(after)), *moves(before)]
    careful = list(_careful(before, after, way, common))
    if way == "week" and common:
        lines.append(("Matched", "hours of the week with the same hours of the week"))
    elif way == "day" and common:
        lines.append(("Matched", "hours of the day with the same hours of the day, because the weekdays differ"))
    return Sides(tuple(side_rows), tuple(lines), tuple(careful), bool(common), before.sources)


def _careful(before: Extent, after: Extent, way: str, common: Sequence[Qmgr]) -> Iterable[tuple[str, str]]:
    """The differences between the two sides that limit the comparison."""
    if not before.intervals or not after.intervals:
        names = [name for side, name in ((before, "before"), (after, "after")) if not side.intervals]
        yield "Caution", f"no intervals of statistics {' and '.join(names)}: figures cannot be compared"
        return
    for alone, where in (
        ([q for q in before.hours if q not in after.hours], "before"),
        ([q for q in after.hours if q not in before.hours], "after"),
    ):
        if alone:
            named = listed([qmgr_name(*owner) for owner in alone], 6)
            yield "Caution", f"queue managers only {where}: {named}; there is nothing to compare their figures with"
    if not common:
        yield "Caution", "no queue manager is on both sides: there is nothing to compare"
        return
    if way == "all":
        yield (
            "Caution",
            "different hours: the two sides have no hour of the day in common, so the changes may only reflect the time of day",
        )
    else:
        width = 168 if way == "week" else 24
        pairs = [({h % width for h in before.hours[q]}, {h % width for h in after.hours[q]}) for q in common]
        lost = sum(len(b ^ a) for b, a in pairs)
        if lost:
            kept = sum(len(b & a) for b, a in pairs)
            yield (
                "Caution",
                f"different hours: {plural(kept, 'hour')} on both sides; {plural(lost, 'hour')} on one side only and not compared",
            )
    first, second = before.seconds, after.seconds
    if first and second and abs(first - second) > 0.1 * max(first, second):
        yield (
            "Caution",
            f"different lengths: intervals of {_length(first)} before and of {_length(second)} after; the highest and lowest values of an interval are not comparable",
        )
    few = [
        name
        for side, name in ((before, "before"), (after, "after"))
        if all(sum(hour.intervals for hour in side.hours[qmgr].values()) < ENOUGH for qmgr in common)
    ]
    if few:
        yield "Caution", f"fewer than {ENOUGH} intervals {' and '.join(few)}: only changes of settings are reliable"


def _length(seconds: float) -> str:
    return plural(round(seconds / 60), "minute") if seconds >= 120 else plural(round(seconds), "second")


def _period(side: Extent) -> str:
    """First and last time of a side, and its number of intervals."""
    if side.first is None or side.last is None:
        return "no intervals of statistics"
    end = side.last.strftime("%H:%M" if side.first.date() == side.last.date() else "%Y-%m-%d %H:%M")
    length = f" of {_length(side.seconds)}" if side.seconds else ""
    managers = len({(lpar if name in side.at_once else "", name) for lpar, name in side.hours})
    many = plural(managers, "queue manager")
    return f"{side.first:%Y-%m-%d %H:%M} to {end} local time, {side.intervals} intervals{length}, {many}"


def measure(
    db: Workspace,
    side: str,
    hours: Collection[SideRow],
    queries: Collection[str] = (FIGURES, USES, SETTINGS),
    sources: Mapping[Qmgr, tuple[Qmgr, ...]] = MappingProxyType({}),
) -> Measured:
    """Measure one side in these hours; without hours only settings. `queries` = those of `FILLED` to run; `sources` =
    who a queue manager was on this side (`followed`).
    """
    schema = view_schema("side")
    listed = [
        dict(zip(("lpar", "qmgr", "slot_by", "slot", "hour_of_week"), row, strict=True))
        | {"side_name": side, "from_lpar": from_lpar}
        for row in hours
        for from_lpar, _ in sources.get(row[:2], (row[:2],))
    ]
    db.fill("side", pa.Table.from_pylist(listed, schema=schema))
    wanted = [query for query in queries if hours or query in (SETTINGS, CLASS_HOURS)]
    db.keep(wanted)  # in one call: views that several read are computed once
    out: Measured = []
    for query in wanted:
        table = db.arrow(query)
        if "side_name" not in table.column_names:
            table = table.append_column("side_name", pa.array([side] * table.num_rows, pa.string()))
        out.append((FILLED[query], table))
    return out


def fill(db: Workspace, sides: Iterable[Measured]) -> None:
    """Fill the tables that the reports of a database read, before the first report is read."""
    measured = [part for side in sides for part in side]
    for name in dict.fromkeys(FILLED.values()):
        schema = view_schema(name)
        whole = [table.select(schema.names).cast(schema) for target, table in measured if target == name]
        db.fill(name, pa.concat_tables(whole) if whole else schema.empty_table())
