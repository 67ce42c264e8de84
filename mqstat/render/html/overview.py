"""The small charts of a verdict: the sparkline of a rule, and the overview of the period by area and time."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mqstat.assemble.page_model import Curve, DayRow, Grid
from mqstat.base.areas import TITLES
from mqstat.base.formatting import clean, plural, qmgr_name, short_offset
from mqstat.render.html.scales import end_moment, moment, time_ticks
from mqstat.render.html.svg import WIDTH, Point, Sheet, bar, points, runs, text_width

ROW = 15
"""Height of a row of the overview in px."""

SPARK_WIDTH, SPARK_HEIGHT = 120, 22

STATES = {
    "broken": (1.0, "X", "broken"),
    "critical": (1.0, "C", "critical"),
    "warning": (0.82, "W", "warning"),
    "info": (0.5, "", "info"),
    "clear": (0.2, "", "clear"),
}
"""How the overview shows a state: share of the row height, letter, and label in the legend."""

_QUIET = (0.06, "", "")


def sparkline_svg(drawn: Curve, grid: Grid) -> str:
    """The figure of a rule through the period in the height of a line of text: its limit dashed, steps in breach thick."""
    known = [item for item in drawn.values if item is not None]
    limit = drawn.limit
    near = limit is not None and bool(known) and abs(limit) <= 3 * max(abs(item) for item in known)
    reach = [*known, *([limit] if near and limit is not None else []), 0.0]
    low, high = min(reach), max(reach)
    flags = [step in drawn.breached and item is not None for step, item in enumerate(drawn.values)]
    high = high if high > low else low + 1
    width, height = SPARK_WIDTH - 6, SPARK_HEIGHT - 6
    sheet = Sheet(width, height, (3, 3, 3, 3))
    sheet.scale_x(len(grid.starts))
    sheet.scale_y(high, low)
    if near and limit is not None:
        sheet.rules([(0, sheet.y(limit), width, sheet.y(limit))], stroke="var(--limit)", stroke_dasharray=(3, 2))
    thick = [segment for first, end, hit in runs(flags) if hit for segment in _thick(drawn.values, first, end)]
    sheet.curve(thick, stroke="var(--breach)", stroke_width=5, stroke_opacity=0.7, stroke_linecap="round")
    line = points(drawn.values, height / (high - low))
    sheet.curve(line, stroke="var(--series-1)", stroke_width=1.3, stroke_linecap="round", stroke_linejoin="round")
    hits = sum(flags)
    breaches = f"in breach in {hits} of {plural(len(grid.starts), 'step')}" if hits else "never in breach"
    return sheet.svg("spark", f"Through the period: {breaches}")


def _thick(values: Sequence[float | None], first: int, end: int) -> list[Point]:
    return [*((step + 0.5, values[step]) for step in range(first, end)), (end, None)]


def heat_map_svg(day: Sequence[DayRow], grid: Grid) -> str:
    """States through the period, a row for each area and queue manager: the worse a state the higher its bar; runs have letters."""
    managers = [qmgr_name(row.lpar, row.qmgr) or clean(row.lpar or "") for row in day]
    by_area = len({row.area for row in day}) > 1
    by_name = len(set(managers)) > 1 or not by_area
    areas = [TITLES[row.area] if row.area else "" for row in day]
    names = areas if by_area else managers
    front = [name if name != before else "" for name, before in zip(managers, [None, *managers], strict=False)]
    front_px = 14 + int(1.1 * max(map(text_width, managers), default=0))  # they are bold
    left = 14 + int(max(map(text_width, names), default=0)) + (front_px if by_name and by_area else 0)
    sheet = Sheet(WIDTH - left - 14, ROW * len(day), (left, 26, 14, 22))
    sheet.time_axis(grid)
    sheet.row_axis(names)
    if by_name and by_area:
        for number, name in enumerate(front):
            if name:
                sheet.write(2 - left, number * ROW + ROW / 2, name, bold=True)
    bars: dict[str, list[Point]] = {}
    step = sheet.width / max(1, len(grid.starts))
    for number, row in enumerate(day):
        for first, end, state in runs(row.states):
            if state is None:
                continue
            tall, letter, _ = STATES.get(state, _QUIET)
            middle = number + 1 - (1 + tall * (ROW - 2) / 2) / ROW
            bars.setdefault(state if state in STATES else "none", []).extend(bar(first, end, middle))
            if letter and (end - first) * step >= 10:
                sheet.write((first + end) / 2 * step, middle * ROW, letter, "middle", fill="var(--paper)", bold=True)
    for state, boxes in sorted(bars.items()):
        tall = STATES.get(state, _QUIET)[0]
        sheet.curve(boxes, stroke=f"var(--state-{state})", stroke_width=round(tall * (ROW - 2), 1))
    _write_key(sheet, bars, left, any(None in row.states for row in day))
    return sheet.svg("chart-overview", "The period at a glance, by area and time", _summary(day, managers, areas))


def _summary(day: Sequence[DayRow], names: Sequence[str], areas: Sequence[str]) -> str:
    """The areas with problems, in a sentence."""
    hit = [
        ", ".join(part for part in (name, area) if part)
        for name, area, row in zip(names, areas, day, strict=True)
        if {"critical", "warning", "broken"} & set(row.states)
    ]
    return f"Warnings or worse in: {'; '.join(hit)}." if hit else "No warning at any time."


def _write_key(sheet: Sheet, states: Collection[str], left: float, gaps: bool) -> None:
    """The legend above the overview; only states that occur."""
    x = 4.0 - left
    for name, (tall, letter, word) in STATES.items():
        if name in states:
            high = round(tall * (ROW - 2), 1)
            sheet.boxes([(x, -11 - high, 18, high)], fill=f"var(--state-{name})")
            if letter:
                sheet.write(x + 9, -11 - high / 2, letter, "middle", fill="var(--paper)", bold=True)
            sheet.write(x + 23, -16.5, word)
            x += 23 + text_width(word) + 16
    if gaps:
        sheet.write(x, -16.5, "gap: nothing was judged")


STRIP_WIDTH, STRIP_HEIGHT = 300, 16
"""Size in px of the day of one queue manager."""

STRIP_TICKS = 6
"""Maximum number of times above the strips."""


def strip_svg(day: DayRow, grid: Grid) -> str:
    """The states of one queue manager through the period, without axes: the worse a state the higher its bar; long runs have letters."""
    sheet = Sheet(STRIP_WIDTH, STRIP_HEIGHT, (0, 0, 0, 0))
    sheet.scale_x(len(grid.starts))
    bars: dict[str, list[Point]] = {}
    px = STRIP_WIDTH / max(1, len(grid.starts))
    for first, end, state in runs(day.states):
        if state is None:
            continue
        tall, letter, _ = STATES.get(state, _QUIET)
        middle = STRIP_HEIGHT - 1 - tall * (STRIP_HEIGHT - 2) / 2
        bars.setdefault(state if state in STATES else "none", []).extend(bar(first, end, middle))
        if letter and (end - first) * px >= 10:
            sheet.write((first + end) / 2 * px, middle, letter, "middle", fill="var(--paper)", bold=True)
    sheet.scale_y(0, STRIP_HEIGHT)
    for state, boxes in sorted(bars.items()):
        tall = STATES.get(state, _QUIET)[0]
        sheet.curve(boxes, stroke=f"var(--state-{state})", stroke_width=round(tall * (STRIP_HEIGHT - 2), 1))
    hits = [
        f"{moment(first, grid)} to {end_moment(grid, end - 1)} {state}"
        for first, end, state in runs(day.states)
        if state in ("broken", "critical", "warning")
    ]
    more = f" and {len(hits) - 8} more" if len(hits) > 8 else ""
    return sheet.svg(
        "strip", "Through the period", f"{', '.join(hits[:8])}{more}" if hits else "No warning at any time."
    )


def strip_axis_svg(grid: Grid) -> str:
    """The axis of time above the strips, with the offset of the local time."""
    sheet = Sheet(STRIP_WIDTH, 16, (0, 0, 0, 0))
    count = max(1, len(grid.starts))
    free = 0.0
    for step, text in time_ticks(grid, STRIP_TICKS).items():
        x = step * STRIP_WIDTH / count
        if x >= free and x + text_width(text) <= STRIP_WIDTH:
            sheet.write(x, 8, text)
            free = x + text_width(text) + 6
    return sheet.svg("strip", f"Local time, {short_offset(grid.offset_minutes(0))}")
