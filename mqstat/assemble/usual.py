"""The usual range of each hour of a day, from the days before it in the same dataset."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from mqstat.assemble.compare import (
    AT_ONCE,
    CLASS_HOURS,
    DAY_NAMES,
    ENOUGH,
    HOUR_VALUES,
    HOURS,
    SETTINGS,
    Extent,
    Lines,
    Measured,
    Qmgr,
    extent,
    fill,
    followed,
    measure,
    moves,
    slot_rows,
)
from mqstat.base.formatting import plural
from mqstat.base.selection import Selection
from mqstat.intake.open_data import days_of_dataset, open_data
from mqstat.sql.needs import decoded_columns
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace

RECENT = 7
"""Number of previous days from which settings and collected classes are read; a week has every weekday."""


@dataclass(frozen=True)
class History:
    """A description of the days used for comparison; `enough` is False if there is too little data for a usual range.
    `weekday` = its plural.
    """

    lines: Lines
    enough: bool
    weekday: str


def add_history(
    db: Workspace,
    day: dt.date,
    span: int,
    selection: Selection | None = None,
    site: Site | None = None,
) -> History:
    """Measure a day, open in `db`, and up to `span` days before it in the dataset that is open there, for the reports
    overview/usual and overview/changes and for rules about usual hours.

    Call it before any report of `db`. Each hour is compared with the same hour of the week if four days have it,
    otherwise with the same hour of every day. `selection` = only its queue managers and LPARs.
    """
    dataset = db.opened.dataset
    first = day - dt.timedelta(days=span)
    dates = [date for date in days_of_dataset(dataset) if first <= date < day]
    chosen = replace(
        selection or Selection(),
        since=dt.datetime.combine(first, dt.time()),
        until=dt.datetime.combine(day, dt.time()),
    )
    tables = set(decoded_columns((HOURS, AT_ONCE, HOUR_VALUES, SETTINGS, CLASS_HOURS)))
    today = extent(db)
    same = [date for date in dates if date.weekday() == day.weekday()]
    sides: list[Measured] = []
    weekly: dict[Qmgr, set[int]] = {}
    daily: dict[Qmgr, set[int]] = {}

    def over_days(days: Collection[dt.date], names: Sequence[str]) -> AbstractContextManager[Workspace]:
        only = replace(chosen, qmgrs=tuple(names))
        return open_data(dataset=dataset, days=days, tables=tables, selection=only, site=site, may_be_empty=True)

    if len(same) >= ENOUGH:
        with over_days(same, chosen.qmgrs) as before:
            past = followed(extent(before), today)
            weekly = _enough(past, today)
            hours = [row for qmgr, hours_of_week in weekly.items() for row in slot_rows(qmgr, "week", hours_of_week)]
            sides.append(measure(before, "before", hours, (HOUR_VALUES,), past.sources))
    left = {qmgr: set(hours) - weekly.get(qmgr, set()) for qmgr, hours in today.hours.items()}
    left = {qmgr: hours for qmgr, hours in left.items() if hours}
    if left and len(dates) >= ENOUGH:
        with over_days(dates, sorted({qmgr for _, qmgr in left})) as before:
            past = followed(extent(before), today)
            counted = _days(past)
            daily = {q: {h for h in hours if counted.get(q, {}).get(h % 24, 0) >= ENOUGH} for q, hours in left.items()}
            daily = {qmgr: hours for qmgr, hours in daily.items() if hours}
            hours = [row for qmgr, those in daily.items() for row in slot_rows(qmgr, "day", those)]
            sides.append(measure(before, "before", hours, (HOUR_VALUES,), past.sources))
    here = [row for qmgr, hours in today.hours.items() for row in slot_rows(qmgr, "week", hours)]
    recent: Lines = ()
    if dates:
        with over_days(dates[-RECENT:], chosen.qmgrs) as before:
            past = followed(extent(before), today)
            recent = moves(past)
            sides.append(measure(before, "before", here, (SETTINGS, CLASS_HOURS), past.sources))
    if today.hours:
        sides.append(measure(db, "after", here, (HOUR_VALUES, SETTINGS)))
    fill(db, sides)
    described = _description(day, span, dates, same, today, weekly, daily)
    return replace(described, lines=(*described.lines, *recent))


def _enough(before: Extent, today: Extent) -> dict[Qmgr, set[int]]:
    """Today's hours of the week of each queue manager for which there are enough previous days."""
    enough = {
        qmgr: {hour for hour in hours if hour in before.hours.get(qmgr, {}) and before.hours[qmgr][hour].days >= ENOUGH}
        for qmgr, hours in today.hours.items()
    }
    return {qmgr: hours for qmgr, hours in enough.items() if hours}


def _days(before: Extent) -> Mapping[Qmgr, Mapping[int, int]]:
    """Number of days with an hour of the day, by queue manager: the sum over the days of the week."""
    out: dict[Qmgr, dict[int, int]] = {}
    for qmgr, hours in before.hours.items():
        counted = out.setdefault(qmgr, {})
        for hour, days_of_hour in hours.items():
            counted[hour % 24] = counted.get(hour % 24, 0) + days_of_hour.days
    return out


def _description(
    day: dt.date,
    span: int,
    dates: Sequence[dt.date],
    same: Sequence[dt.date],
    today: Extent,
    weekly: Mapping[Qmgr, Collection[int]],
    daily: Mapping[Qmgr, Collection[int]],
) -> History:
    """A description of the comparison."""
    names = DAY_NAMES[day.weekday()]
    if not today.hours:
        return History((("Caution", f"no intervals of statistics on {day}: nothing can be compared"),), False, names)
    if not dates:
        return History((("Caution", f"too little history: no data of the {span} days before {day}"),), False, names)
    lines: list[tuple[str, str]] = []
    period = f"{dates[0]} to {dates[-1]}"
    if weekly:
        lines.append(("Usual", f"the same hours of {len(same)} {names}, {same[0]} to {same[-1]}"))
    elif daily:
        few = f"only {len(same)} of the {ENOUGH} required {names} {'has' if len(same) == 1 else 'have'} data"
        lines.append(("Usual", f"the same hours of {len(dates)} days, {period}, on any weekday: {few}"))
    else:
        had = plural(len(dates), "day")
        lines.append(("Caution", f"too little history: {had} before {day} ({period}), at least {ENOUGH} are needed"))
    if weekly and daily:
        hours = sum(map(len, daily.values()))
        listed = ", ".join(qmgr for _, qmgr in list(daily)[:6]) + (", ..." if len(daily) > 6 else "")
        lines.append(
            (
                "",
                f"fewer than {ENOUGH} {names} have {hours} of the hours ({listed}): these are compared with the same hours of all days",
            )
        )
    if weekly or daily:
        total = sum(map(len, today.hours.values()))
        without = total - sum(map(len, weekly.values())) - sum(map(len, daily.values()))
        if without:
            lines.append(
                ("Caution", f"too little history for {without} of {total} hours: fewer than {ENOUGH} days have them")
            )
    return History(tuple(lines), bool(weekly or daily), names)
