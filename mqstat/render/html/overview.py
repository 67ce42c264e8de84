"""The small charts of a verdict: the sparkline of a rule, and the overview of the period by area and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mqstat.render.html import vega
from mqstat.render.html.vega import LETTER_PX, Spec, bar, curve, dataset, mark, point, runs, text, value
from mqstat.render.model import Curve, DayRow, Grid
from mqstat.render.words import area_title, plural
from mqstat.rules.engine import clean

ROW = 15
"""Height of a row of the overview in px."""

SPARK_WIDTH, SPARK_HEIGHT = 120, 22

STATES = {
    "broken": (1.0, "X", "rule failed"),
    "critical": (1.0, "C", "critical"),
    "warning": (0.75, "W", "warning"),
    "info": (0.45, "", "note"),
    "ok": (0.2, "", "well"),
}
"""How a state stands in the overview: share of the height of a row, letter, and its word in the legend."""

_QUIET = (0.06, "", "")


def sparkline_svg(drawn: Curve, grid: Grid) -> str:
    """The figure of a rule through the period in the height of a line of text: its limit dashed, steps in breach thick."""
    known = [item for item in drawn.values if item is not None]
    limit = drawn.limit
    near = limit is not None and bool(known) and abs(limit) <= 3 * max(abs(item) for item in known)
    reach = [*known, *([limit] if near and limit is not None else []), 0.0]
    low, high = min(reach), max(reach)
    flags = [step in drawn.breached and item is not None for step, item in enumerate(drawn.values)]
    data = [dataset("curve", _points(drawn.values))]
    marks: list[Spec] = []
    if near:
        line = {**value(x=0, stroke="var(--limit)", strokeDash=[3, 2]), "x2": {"signal": "width"}}
        marks.append(mark("rule", None, {**line, "y": {"scale": "y", "value": limit}}))
    if any(flags):
        data.append(dataset("thick", [one for run in runs(flags) if run[2] for one in _thick(drawn.values, *run[:2])]))
        marks.append(curve("thick", value(stroke="var(--breach)", strokeWidth=5, strokeOpacity=0.7, strokeCap="round")))
    marks.append(
        curve("curve", value(stroke="var(--series-1)", strokeWidth=1.3, strokeCap="round", strokeJoin="round"))
    )
    scales = [
        {"name": "x", "type": "linear", "domain": [0, max(1, len(grid.starts))], "range": "width", "zero": False},
        {"name": "y", "type": "linear", "domain": [low, high if high > low else low + 1], "range": "height", "zero": False},
    ]  # fmt: skip
    spec = vega.sheet(SPARK_WIDTH - 6, SPARK_HEIGHT - 6, (3, 3, 3, 3), scales=scales, data=data, marks=marks)
    hit = sum(flags)
    breaches = f"in breach in {hit} of {plural(len(grid.starts), 'step')}" if hit else "never in breach"
    return vega.svg(spec, "spark", f"Through the period: {breaches}")


def _points(values: Sequence[float | None]) -> list[dict[str, Any]]:
    return [
        point(step + 0.5, None if item is None else float(f"{item:.6g}"))
        for step, item in enumerate(values)
        if not 0 < step < len(values) - 1 or not values[step - 1] == item == values[step + 1]
    ]


def _thick(values: Sequence[float | None], first: int, end: int) -> list[dict[str, Any]]:
    return [*(point(step + 0.5, values[step]) for step in range(first, end)), point(end, None)]


def heat_map_svg(day: Sequence[DayRow], grid: Grid) -> str:
    """States through the period, a row for each area and queue manager: the worse a state the higher its bar; runs have letters."""
    places = [clean(" ".join(part for part in (row.lpar, row.qmgr) if part)) for row in day]
    by_area = len({row.area for row in day}) > 1
    by_place = len(set(places)) > 1 or not by_area
    areas = [area_title(row.area) if by_area and row.area else "" for row in day]
    names = areas if by_area else places
    front = [place if place != before else "" for place, before in zip(places, [None, *places], strict=False)]
    wide = 14 + int(LETTER_PX * max((len(name) for name in names), default=4))
    left = wide + (14 + int(LETTER_PX * max(map(len, places), default=0)) if by_place and by_area else 0)
    height = ROW * len(day)
    plot = vega.WIDTH - left - 14
    scale_x, data, marks = vega.time_axis(grid, height)
    scale_y, more_data, more_marks = vega.row_axis(names, height)
    data += more_data
    marks += more_marks
    if by_place and by_area:
        heads = [{"y": number * ROW + ROW / 2, "text": place} for number, place in enumerate(front) if place]
        data.append(dataset("heads", heads))
        marks.append(text("heads", {"y": {"field": "y"}, **value(x=2 - left, fontWeight="bold"), "text": {"field": "text"}}))  # fmt: skip
    bars: dict[str, list[dict[str, Any]]] = {}
    letters: list[dict[str, Any]] = []
    for number, row in enumerate(day):
        for first, end, state in runs(row.states):
            if state is None:
                continue
            tall, letter, _ = STATES.get(state, _QUIET)
            middle = number + 1 - (1 + tall * (ROW - 2) / 2) / ROW
            bars.setdefault(state if state in STATES else "none", []).extend(bar(first, end, middle))
            if letter and (end - first) * plot / len(grid.starts) >= 10:
                letters.append({"x": (first + end) / 2, "y": middle, "text": letter})
    for state, found in sorted(bars.items()):
        tall = STATES.get(state, _QUIET)[0]
        data.append(dataset(f"state_{state}", found))
        marks.append(curve(f"state_{state}", value(stroke=f"var(--state-{state})", strokeWidth=tall * (ROW - 2))))
    if letters:
        data.append(dataset("letters", letters))
        look = value(align="center", fontWeight="bold", fontSize=10, fill="var(--paper)")
        where = {"x": vega.by("x", "x"), "y": vega.by("y", "y", offset=0.5), "text": {"field": "text"}}
        marks.append(text("letters", {**where, **look}))
    key_data, key_marks = _key(bars, left, any(None in row.states for row in day))
    spec = vega.sheet(
        plot, height, (left, 26, 14, 22), scales=[scale_x, scale_y], data=[*data, *key_data], marks=[*marks, *key_marks]
    )  # fmt: skip
    return vega.svg(spec, "chart-overview", "The period at a glance, by area and time", _told(day, places, areas))


def _told(day: Sequence[DayRow], places: Sequence[str], areas: Sequence[str]) -> str:
    """Where something was wrong, in a sentence."""
    hit = [
        " ".join(part for part in (place, area) if part)
        for place, area, row in zip(places, areas, day, strict=True)
        if {"critical", "warning", "broken"} & set(row.states)
    ]
    return f"Warnings or worse in: {', '.join(hit)}." if hit else "No warning at any time."


def _key(states: Iterable[str], left: float, gaps: bool) -> tuple[list[Spec], list[Spec]]:
    """What heights, colours and gaps of the overview mean, above it; only states that occur."""
    known = set(states)
    words: list[dict[str, Any]] = []
    marks: list[Spec] = []
    x = 4.0 - left
    for name, (tall, letter, word) in STATES.items():
        if name in known:
            high = tall * (ROW - 2)
            marks.append(
                mark("rect", None, value(x=x, y=-11 - high, width=18, height=high, fill=f"var(--state-{name})"))
            )
            if letter:
                words.append({"x": x + 9, "y": -10.5 - high / 2, "text": letter, "fill": "var(--paper)", "align": "center"})  # fmt: skip
            words.append({"x": x + 23, "y": -16.5, "text": word, "fill": "var(--ink)", "align": "left"})
            x += 23 + LETTER_PX * len(word) + 16
    if gaps:
        words.append({"x": x, "y": -16.5, "text": "gap: nothing was judged", "fill": "var(--ink)", "align": "left"})
    marks.append(text("key", {name: {"field": name} for name in ("x", "y", "text", "fill", "align")}))
    return [dataset("key", words)], marks
