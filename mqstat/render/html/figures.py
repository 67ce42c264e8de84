"""Pictures of a page, by area and then by topic; those of all queue managers are next to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from markupsafe import Markup

from mqstat.assemble.page_model import Curve, DayRow, Grid, Page, Picture
from mqstat.base.areas import AREAS, TITLES
from mqstat.base.formatting import clean, figure, number_text, plural, short_offset, unit_text
from mqstat.base.grouping import grouped_by
from mqstat.judge.model import rules
from mqstat.judge.states import IDLE, worst
from mqstat.render.html import charts
from mqstat.render.html.states import manager_heading, report_anchor

TABLE_ROWS = 26
"""Maximum number of rows of the table of a picture: a day has one per hour."""

MAPS_BY_AREA = 2
"""Up to this number of queue managers, the overview of the period has a row for each area; otherwise a row for each
queue manager."""


def picture_groups(page: Page, many_lpars: bool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Areas with their pictures, and the data of each drawn picture for the script; shared times are stored once.

    Pictures in breach are drawn; of the others a line shows the worst value of each step.
    """
    areas: dict[str, dict[str, Any]] = {}
    data: dict[str, Any] = {}
    times: list[list[str]] = []
    ordered = sorted(enumerate(page.pictures), key=lambda item: (AREAS.index(item[1].area), item[0]))
    looks = charts.line_looks(page.pictures)
    for number, picture in ordered:
        anchor = f"picture-{number + 1}"
        area = areas.setdefault(
            picture.area, {"title": TITLES[picture.area], "sets": {}, "lines": [], "all": {}, "anchor": f"pictures-{picture.area}"}
        )  # fmt: skip
        area["all"].setdefault(picture.picture_id, []).append(picture)
        hit = any(series.breached for series in picture.series)
        if not hit and not any(decision.breached for decision in picture.decisions):
            area["lines"].append(_line(picture, anchor, many_lpars))
            continue
        data[anchor] = chart = charts.chart_data(picture)
        chart["times"] = _number_of(chart["times"], times)
        picture_set = area["sets"].setdefault(
            picture.picture_id,
            {"id": picture.picture_id, "title": picture.title, "question": picture.question, "figures": []},
        )
        picture_set["figures"].append(_figure(picture, anchor, many_lpars, looks))
    for area in areas.values():
        area["sets"] = list(area["sets"].values())
        for group in area["sets"]:
            group["count_text"] = _count_text(area["all"][group["id"]])
    return list(areas.values()), {"times": times, "charts": data}


def _number_of(labels: list[str], times: list[list[str]]) -> int:
    """The position of time labels in the list of all, to which they are added if they are new."""
    if labels not in times:
        times.append(labels)
    return times.index(labels)


def with_cards(data: dict[str, Any], cards: Mapping[str, dict[str, Any]], grid: Grid) -> dict[str, Any]:
    """The data for the script with the charts of findings, which have the steps of the page."""
    number = _number_of(charts.time_labels(grid), data["times"]) if cards else 0
    data["charts"] |= {name: {**values, "times": number} for name, values in cards.items()}
    return data if data["charts"] else {}


def _line(picture: Picture, anchor: str, many_lpars: bool) -> dict[str, Any]:
    """A picture without a breach as a line: the worst value of each step over all series."""
    choose = min if picture.worst == "lowest" else max
    steps = zip(*(series.values for series in picture.series), strict=True)
    known = [[value for value in step if value is not None] for step in steps]
    values = tuple(choose(step) if step else None for step in known)
    extreme = [value for value in values if value is not None]
    spark = charts.sparkline_svg(Curve(values, None, frozenset(), ""), picture.grid)
    return {
        "anchor": anchor,
        "area": TITLES[picture.area],
        "title": picture.title,
        "where": manager_heading(picture.lpar, picture.qmgr, many_lpars),
        "spark": Markup(spark),  # noqa: S704 - drawn by us; texts in it are escaped there
        "worst": f"{'lowest' if picture.worst == 'lowest' else 'highest'} {figure(choose(extreme), picture.unit)}"
        if extreme
        else "",
        "notes": "; ".join(stated(picture)),
        "report": picture.report,
        "report_anchor": report_anchor(picture.report),
    }


def _count_text(pictures: Sequence[Picture]) -> str:
    """On how many queue managers a rule is in breach, and on how many a curve is beyond a limit, which a rule may allow
    for a while.
    """
    total = plural(len(pictures), "queue manager")
    if not any(picture.limits or picture.decisions for picture in pictures):
        return total
    beyond = sum(any(picture.beyond(limit) for limit in picture.limits) for picture in pictures)
    breached = sum(any(decision.breached for decision in picture.decisions) for picture in pictures)
    crossed = f"beyond a limit on {beyond} of {total}" if beyond else f"{total}, inside the limits"
    if not any(picture.decisions for picture in pictures):
        return crossed if any(picture.limits for picture in pictures) else total
    if not breached:
        return f"{crossed if beyond else total}; no rule in breach"
    return f"in breach on {breached} of {total}" + (f"; beyond a limit on {beyond}" if beyond > breached else "")


def stated(picture: Picture) -> list[str]:
    """What the curves show: the limits that they are beyond, and in how many steps; and what the rules decided about
    them.
    """
    steps = len(picture.grid.starts)
    beyond = {limit: len(picture.beyond(limit)) for limit in picture.limits}
    out = [
        f"{charts.limit_text(limit, picture.unit)}: {count} of {steps} steps"
        for limit, count in beyond.items()
        if count
    ]
    crossed = {limit.rule_id for limit, count in beyond.items() if count}
    for decision in picture.decisions:
        if decision.breached:
            out.append(f"{decision.rule_id} in breach")
        elif decision.rule_id in crossed:
            by = [each.rule_id for each in picture.decisions if each.breached]
            by = [other for other in by if other in rules()[decision.rule_id].silenced_by]
            needs = f" (it needs {decision.needs})" if decision.needs else ""
            out.append(
                f"{decision.rule_id} reported by {', '.join(by)}" if by else f"{decision.rule_id} not in breach{needs}"
            )
    return out


def _figure(picture: Picture, anchor: str, many_lpars: bool, looks: Mapping[str, int]) -> dict[str, Any]:
    notes = stated(picture)
    if picture.left_out:
        notes.append(f"{picture.left_out} more not drawn")
    if picture.intervals_per_step > 1:
        what = "lowest" if picture.worst == "lowest" else "highest"
        notes.append(f"each step is the {what} of up to {picture.intervals_per_step} intervals")
    return {
        "anchor": anchor,
        "title": picture.title,
        "where": f"{manager_heading(picture.lpar, picture.qmgr, many_lpars)}, {short_offset(picture.grid.offset_minutes(0))}",
        "svg": Markup(charts.picture_svg(picture, looks)),  # noqa: S704 - drawn by us; texts in it are escaped there
        "notes": ". ".join(filter(None, ("; ".join(notes), picture.note))),
        "report_anchor": report_anchor(picture.report),
        "hours": _hourly_table(picture),
    }


def _hourly_table(picture: Picture) -> dict[str, Any]:
    """The table of a picture: the worst value of each series per hour, or per longer period if there are many hours."""
    choose = min if picture.worst == "lowest" else max
    days = len({start.date() for start in picture.grid.starts})
    hours = next((size for size in (1, 3, 6, 12) if days * 24 // size <= TABLE_ROWS), 24)

    def slot(step: int) -> str:
        start = picture.grid.starts[step]
        if hours == 24:
            return f"{start:%Y-%m-%d}"
        return f"{start:%Y-%m-%d }{start.hour // hours * hours:02d}:00{picture.grid.zone(step)}"[
            0 if days > 1 else 11 :
        ]

    steps = [(name, list(steps_of_slot)) for name, steps_of_slot in groupby(range(len(picture.grid.starts)), slot)]
    every = -(-len(steps) // TABLE_ROWS)
    rows = []
    for first in range(0, len(steps), every):
        together = [step for _, steps_of_slot in steps[first : first + every] for step in steps_of_slot]
        cells = []
        for series in picture.series:
            known = [value for step in together if (value := series.values[step]) is not None]
            hit = any(step in series.breached for step in together)
            cells.append((number_text(choose(known)) if known else "", hit))
        if any(text for text, _ in cells):
            rows.append((steps[first][0], cells))
    long = {1: "each hour", 24: "each day"}.get(hours, f"each {hours} hours") if every == 1 else f"each {every} days"
    return {
        "title": f"{'Lowest' if picture.worst == 'lowest' else 'Highest'} of {long}",
        "names": [clean(series.name) or picture.title for series in picture.series],
        "unit": unit_text(picture.unit).strip(),
        "rows": rows,
        "hit": any(hit for _, cells in rows for _, hit in cells),
    }


def day_maps(page: Page) -> list[dict[str, Any]]:
    """The overview of the period: one map by area; for many queue managers one with a row for each, and one for each
    area.
    """
    if not page.day or not page.grid.starts:
        return []
    by_manager = grouped_by(page.day, attrgetter("lpar", "qmgr"))
    if len(by_manager) <= MAPS_BY_AREA:
        return [_map("", page.day, page)]
    maps = [_map("", [together(rows) for rows in by_manager.values()], page)]
    for area, rows in grouped_by(page.day, attrgetter("area")).items():
        state = worst(state for row in rows for state in row.states) or IDLE
        maps.append({**_map(TITLES[area], rows, page), "state": state})
    return maps


def _map(title: str, rows: Iterable[DayRow], page: Page) -> dict[str, Any]:
    drawn = charts.heat_map_svg(tuple(rows), page.grid)
    return {"title": title, "svg": Markup(drawn)}  # noqa: S704 - drawn by us; texts in it are escaped there


def together(rows: Sequence[DayRow]) -> DayRow:
    """One row for a queue manager: in each step the worst state of its areas."""
    states = tuple(worst(row.states[step] for row in rows) for step in range(len(rows[0].states)))
    return DayRow("", rows[0].lpar, rows[0].qmgr, states)
