"""The chart of a finding: its figure through the period with the limit inside the frame, or its subjects against the limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mqstat.assemble.finding_model import CardChart
from mqstat.assemble.page_model import Grid
from mqstat.base.formatting import clean, figure, plural, short_offset, unit_text
from mqstat.render.html.legend import THICK
from mqstat.render.html.scales import end_moment, moment, tick_texts, ticks_between
from mqstat.render.html.svg import Point, Sheet, alone, bar, points, round_six, runs, text_width

WIDTH, HEIGHT = 560, 132
"""Size of the plot of a series in px, padding excluded from the height."""

PADDING = (50, 12, 10, 27)
"""Left, top, right, bottom."""

BAR_WIDTH, BAR_ROW = 350, 31
"""Width of a chart of bars, and height of a bar with its label above it, in px: a phone shows it without shrinking it."""


def card_svg(chart: CardChart, grid: Grid | None) -> str:
    """The chart of a finding as SVG; empty for one without figures, whose rows are text."""
    if chart.chart == "series" and grid is not None:
        return _series(chart, grid)
    return _bars(chart) if chart.chart == "subjects" else ""


def card_caption(chart: CardChart, grid: Grid | None) -> str:
    """What the chart shows: the figure with its unit, and the offset of its time axis or the limit of its bars."""
    unit = unit_text(chart.unit).strip()
    figures = f"{chart.measure}{f', {unit}' if unit else ''}"
    if chart.chart == "series" and grid is not None:
        return f"{figures}; local time, {short_offset(grid.offset_minutes(0))}"
    limits = sorted(set(_known(chart.limits)))
    named = f"; limit {figure(limits[0], chart.unit)}" if len(limits) == 1 else "; marks are limits" if limits else ""
    return f"{figures if not limits else chart.measure}{named}"


def _known(*values: Sequence[float | None]) -> list[float]:
    return [item for some in values for item in some if item is not None and math.isfinite(item)]


def _series(chart: CardChart, grid: Grid) -> str:
    ticks = _ticks(chart)
    left = _left(ticks)
    sheet = Sheet(WIDTH - left - PADDING[2], HEIGHT, (left, *PADDING[1:]))
    sheet.time_axis(grid, 17)
    sheet.value_axis(ticks)
    _band(sheet, chart)
    for first, end, hit in runs([step in chart.breached for step in range(len(grid.starts))]):
        if hit:
            x = sheet.x(first)
            sheet.boxes([(x, 0, sheet.x(end) - x, HEIGHT)], fill="var(--breach)", fill_opacity=0.13)
    for first, end, limit in runs(chart.limits):
        if limit is not None:
            y = sheet.y(limit)
            sheet.rules([(sheet.x(first), y, sheet.x(end), y)], stroke="var(--limit)", stroke_width=1.3, stroke_dasharray=(5, 3))  # fmt: skip
    px = HEIGHT / (ticks[-1] - ticks[0])
    hit_runs = [
        (first, end) for first, end, hit in runs([step in chart.breached for step in range(len(chart.values))]) if hit
    ]
    sheet.curve([point for run in hit_runs for point in _thick(chart.values, *run)], **THICK, stroke_linecap="round")
    sheet.curve(points(chart.values, px), stroke="var(--series-1)", stroke_width=1.6, stroke_linejoin="round")
    sheet.dots(alone(chart.values), 2.1, fill="var(--series-1)")
    limits = _known(chart.limits)
    if limits:
        _write_limit(sheet, chart, f"limit {figure(limits[0], chart.unit)}", limits[0])
    return sheet.svg("card-series", f"{clean(chart.measure)} of {clean(chart.subject)}", _spoken(chart, grid, hit_runs))


def _write_limit(sheet: Sheet, chart: CardChart, text: str, limit: float) -> None:
    """The limit above or below its line, at the end of the axis that has fewer values near it."""
    at, room = sheet.y(limit), text_width(text) + 8
    y = at - 7 if at > 14 else at + 9
    count = max(1, len(chart.values))

    def crossed(first: float, end: float) -> int:
        steps = range(int(first / sheet.width * count), min(count, int(end / sheet.width * count) + 1))
        near = (chart.values[step] for step in steps)
        return sum(value is not None and abs(sheet.y(value) - y) < 10 for value in near)

    if crossed(0, room) < crossed(sheet.width - room, sheet.width):
        sheet.write(4, y, text, halo=True)
    else:
        sheet.write(sheet.width - 4, y, text, "end", halo=True)


def _ticks(chart: CardChart) -> list[float]:
    """Round values that include all of a series, its limits, its usual range, and 0."""
    known = [*_known(chart.values, chart.limits, chart.low, chart.high), 0.0]
    low, high = min(known), max(known)
    return ticks_between(low, high if high > low else low + 1)


def _left(ticks: Sequence[float]) -> int:
    """The room for the numbers of the axis in px, with the larger text of a phone."""
    return max(PADDING[0], 10 + int(1.6 * max(map(text_width, tick_texts(ticks)))))


def _band(sheet: Sheet, chart: CardChart) -> None:
    """The usual range of each step, grey."""
    steps = zip(range(len(chart.low)), chart.low, chart.high, strict=False)
    boxes = [
        (sheet.x(step), sheet.y(high), sheet.x(step + 1) - sheet.x(step), max(1.5, sheet.y(low) - sheet.y(high)))
        for step, low, high in steps
        if low is not None and high is not None
    ]
    sheet.boxes(boxes, fill="var(--soft)", fill_opacity=0.22)


def _thick(values: Sequence[float | None], first: int, end: int) -> list[Point]:
    value = values[first]
    if end - first == 1 and value is not None:
        return bar(first + 0.1, first + 0.9, value)
    return [*((step + 0.5, values[step]) for step in range(first, end)), (end, None)]


def _spoken(chart: CardChart, grid: Grid, hit_runs: Sequence[tuple[int, int]]) -> str:
    """The chart in words: how long it was in breach, and from when to when."""
    limits = _known(chart.limits)
    limit = f"Limit {figure(limits[0], chart.unit)}. " if limits else ""
    if not hit_runs:
        return f"{limit}In breach over the period as a whole."
    spans = [f"{moment(first, grid)} to {end_moment(grid, end - 1)}" for first, end in hit_runs[:6]]
    more = f" and {len(hit_runs) - 6} more times" if len(hit_runs) > 6 else ""
    return f"{limit}In breach {', '.join(spans)}{more}, {plural(sum(end - first for first, end in hit_runs), 'step')}."


def _bars(chart: CardChart) -> str:
    """A bar for each subject below its name, with its limit as a mark across it."""
    known = [*_known(chart.values, chart.limits), 0.0]
    low, high = min(known), max(known)
    high = high if high > low else low + 1
    labels = [clean(label) for label in chart.labels]
    sheet = Sheet(BAR_WIDTH - 2, BAR_ROW * len(labels), (1, 0, 1, 0))
    scale = sheet.width / (high - low)

    def x(value: float) -> float:
        return (value - low) * scale

    for number, (label, value, limit, text) in enumerate(
        zip(labels, chart.values, chart.limits, chart.texts, strict=True)
    ):
        top = number * BAR_ROW
        sheet.write(0, top + 8, _cut(label, sheet.width - text_width(text) - 8))
        sheet.write(sheet.width, top + 8, text, "end")
        if value is not None:
            start, end = sorted((x(0.0), x(value)))
            sheet.boxes([(start, top + 17, max(1.0, end - start), 9)], fill="var(--breach)", fill_opacity=0.55)
        if limit is not None:
            sheet.rules([(x(limit), top + 14.5, x(limit), top + 28.5)], stroke="var(--ink)", stroke_width=2)
    if low < 0:
        sheet.rules([(x(0.0), 0, x(0.0), sheet.height)], stroke="var(--limit)")
    spoken = ". ".join(f"{label}: {text}" for label, text in zip(labels, chart.texts, strict=True))
    return sheet.svg("card-bars", clean(chart.measure), spoken)


def _cut(text: str, width: float) -> str:
    """The text, its middle cut if it is wider than so many px: names of an owner begin alike and differ at the end."""
    if text_width(text) <= width:
        return text
    kept = max(2, int(len(text) * (width - text_width("…")) / text_width(text)) - 1)
    return f"{text[: kept // 3]}…{text[len(text) - (kept - kept // 3) :]}"


def card_data(chart: CardChart) -> dict[str, Any] | None:
    """The values of a series for the script, by step of the page's grid; None for other charts."""
    if chart.chart != "series":
        return None
    left = _left(_ticks(chart))
    return {
        "size": [WIDTH, HEIGHT + PADDING[1] + PADDING[3]],
        "plot": {"x": left, "y": PADDING[1], "width": WIDTH - left - PADDING[2], "height": HEIGHT},
        "kind": "line",
        "unit": unit_text(chart.unit).strip(),
        "series": [
            {
                "name": "",
                "values": [None if item is None else round_six(item) for item in chart.values],
                "breached": sorted(chart.breached),
            }
        ],
    }
