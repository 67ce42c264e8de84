"""The charts of a page as SVG: pictures of a queue manager through the period, a sparkline for a rule, the overview of the period.

Colour is never the only cue: lines have dashes, states have heights and letters, levels have lightness, breaches have triangles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mqstat.assemble.page_model import Grid, Limit, Picture, Series
from mqstat.base.formatting import clean, figure, plural, qmgr_name, unit_text
from mqstat.render.html.legend import (
    OPACITY,
    THICK,
    TRIANGLE,
    Item,
    items_of,
    limit_text,
    line_looks,
    placed,
    short,
    stroke,
    triangle,
    write_legend,
)
from mqstat.render.html.overview import heat_map_svg, sparkline_svg
from mqstat.render.html.scales import end_moment, moment, ticks_between
from mqstat.render.html.states import report_anchor
from mqstat.render.html.svg import WIDTH, Point, Sheet, alone, bar, points, round_six, runs, text_width

__all__ = ["WIDTH", "chart_data", "heat_map_svg", "href", "line_looks", "picture_svg", "sparkline_svg", "time_labels"]

PLOT_HEIGHT = 150
"""Height of the plot of lines in px."""

ROW = 15
"""Height of a row of cells in px."""

LEVELS = len(OPACITY)

MOST_MARKS = 16
"""Breaches of one picture that get a triangle, the worst first: hundreds of them would hide the line. All are thick."""

LEAST_TOP = {"mib_per_s": 1.0, "per_s": 1.0, "us": 100.0}
"""An axis of such a unit goes at least so high: what is nearly nothing shall look like it."""


@dataclass(frozen=True)
class _Frame:
    """Where things are in a picture: room around the plot, its size, the values it shows, the limits in it."""

    left: int
    top: int
    height: int
    ticks: list[float]
    limits: list[Limit]
    edges: list[tuple[float, float]]
    items: list[tuple[Item, float, float]]

    right = 14
    bottom = 22

    @property
    def low(self) -> float:
        """The value at the bottom of the plot: 0, or below all negative values."""
        return self.ticks[0]

    @property
    def high(self) -> float:
        """The value at the top of the plot."""
        return self.ticks[-1]

    @property
    def width(self) -> int:
        return WIDTH - self.left - self.right

    @property
    def padding(self) -> tuple[int, int, int, int]:
        return self.left, self.top, self.right, self.bottom


def picture_svg(picture: Picture, looks: Mapping[str, int] | None = None) -> str:
    """A picture as SVG: lines with their limits, or rows of cells; breaches link to the report of the picture.

    `looks` has the number of the colour and dash of each name (`line_looks`), those of this picture alone by default.
    """
    sheet = (
        _strip(picture)
        if picture.kind == "strip"
        else _lines(picture, line_looks([picture]) if looks is None else looks)
    )
    return sheet.svg(f"chart-{picture.kind}", _title(picture), _description(picture))


def chart_data(picture: Picture) -> dict[str, Any]:
    """The data with which the script shows values and times under the pointer: times, series, and the position of the plot in the view box.

    A step `i` of n lies at `plot.x + (i + 0.5) * plot.width / n`; rows of a strip share `plot.height` equally. Figures have six digits.
    """
    frame = _frame(picture)
    return {
        "kind": picture.kind,
        "unit": unit_text(picture.unit).strip(),
        "href": href(picture.report),
        "size": [WIDTH, frame.top + frame.height + frame.bottom],
        "plot": {"x": frame.left, "y": frame.top, "width": frame.width, "height": frame.height},
        "times": time_labels(picture.grid),
        "series": [
            {
                "name": clean(series.name),
                "values": [None if item is None else round_six(item) for item in series.values],
                "breached": sorted(series.breached),
            }
            for series in picture.series
        ],
    }


def time_labels(grid: Grid) -> list[str]:
    """The local time of each step of a grid, as a pointer shows it."""
    return [moment(step, grid) for step in range(len(grid.starts))]


def href(report: str) -> str:
    """The anchor of the rows of a report in the page."""
    return "#" + report_anchor(report)


def _title(picture: Picture) -> str:
    manager = qmgr_name(picture.lpar, picture.qmgr) or clean(picture.lpar or "")
    return f"{picture.title}, {manager}" if manager else picture.title


def _description(picture: Picture) -> str:
    """What the picture shows, in a sentence, for those who hear the page."""
    grid = picture.grid
    what = plural(len(picture.series), "line" if picture.kind == "line" else "row")
    sentence = f"{what} from {moment(0, grid)} to {end_moment(grid, len(grid.starts) - 1)}"
    hit = [series for series in picture.series if series.breached]
    if not hit:
        return f"{sentence}; nothing in breach."
    steps = plural(len(set().union(*(series.breached for series in hit))), "step")
    return f"{sentence}; in breach: {', '.join(clean(series.name) for series in hit)}, in {steps} of {grid.seconds // 60} min."


# --- where things are


def _values(series: Iterable[Series]) -> list[float]:
    return [item for each in series for item in each.values if item is not None]


def _frame(picture: Picture, looks: Mapping[str, int] | None = None) -> _Frame:
    highest = max(_values(picture.series), default=0.0)
    lowest = min([*_values(picture.series), 0.0])
    near = [
        limit for limit in picture.limits if picture.unit == "percent" or limit.value <= 2.5 * highest or highest <= 0
    ]
    edges: list[tuple[float, float]] = []
    if picture.kind == "line":
        left, height = 46, PLOT_HEIGHT
        # Room above the highest limit for its name.
        top = max(highest, LEAST_TOP.get(picture.unit, 0.0), *(1.12 * limit.value for limit in near), 0.0)
        if picture.unit == "percent" and highest <= 100 and (picture.worst == "lowest" or top > 50):
            top = 100.0
        ticks = ticks_between(lowest, top)
    else:
        left, height = (
            16 + int(max(text_width(short(series.name)) for series in picture.series)),
            ROW * len(picture.series),
        )
        top = 100.0 if picture.unit == "percent" and highest <= 100 else highest
        ticks = ticks_between(lowest, top, LEVELS)
        step = (ticks[-1] - ticks[0]) / LEVELS
        edges = [
            (round_six(ticks[0] + step * level), round_six(ticks[0] + step * (level + 1))) for level in range(LEVELS)
        ]
    far = [limit for limit in picture.limits if limit not in near]
    items, above = placed(items_of(picture, far, edges, looks or {}), WIDTH - 8)
    return _Frame(left, int(above) + (10 if picture.kind == "line" else 5), height, ticks, near, edges, items)


# --- breaches


def _breaches(picture: Picture) -> list[dict[str, Any]]:
    """The runs of steps in breach, each with its worst value, when and how long: the worst runs first."""
    triangles = []
    sign = 1 if picture.worst == "lowest" else -1
    for number, series in enumerate(picture.series):
        known = [sign * item if item is not None else float("inf") for item in series.values]
        flags = [step in series.breached and item is not None for step, item in enumerate(series.values)]
        for first, end, breached in runs(flags):
            if breached:
                worst = min(range(first, end), key=known.__getitem__)
                triangles.append(
                    {
                        "number": number,
                        "first": first,
                        "end": end,
                        "x": worst + 0.5,
                        "y": round_six(sign * known[worst]),
                        "order": known[worst],
                        "href": href(picture.report),
                        "label": _breach_text(picture, series, worst, first, end),
                    }
                )
    return sorted(triangles, key=lambda run: (run["order"], run["number"], run["first"]))


def _breach_text(picture: Picture, series: Series, worst: int, first: int, end: int) -> str:
    grid = picture.grid
    name = f"{clean(series.name)}: " if series.name else ""
    long = f", in breach {moment(first, grid)} to {end_moment(grid, end - 1)}"
    return f"{name}{figure(series.values[worst], picture.unit)} at {moment(worst, grid)}{long}"


# --- lines


def _sheet(picture: Picture, frame: _Frame) -> Sheet:
    """The sheet with its legend and its axis of time."""
    sheet = Sheet(frame.width, frame.height, frame.padding)
    sheet.time_axis(picture.grid)
    write_legend(sheet, frame.items, frame.left, frame.top, picture.worst)
    return sheet


def _lines(picture: Picture, looks: Mapping[str, int]) -> Sheet:
    frame = _frame(picture, looks)
    sheet = _sheet(picture, frame)
    sheet.value_axis(frame.ticks)
    breaches = _breaches(picture)
    limits = [(0, sheet.y(limit.value), frame.width, sheet.y(limit.value)) for limit in frame.limits]
    sheet.rules(limits, stroke="var(--limit)", stroke_width=1.2, stroke_dasharray=(5, 3))
    under = [segment for run in breaches for segment in _thick(picture, run)]
    sheet.curve(under, **THICK, stroke_linecap="round", stroke_linejoin="round")
    for series in picture.series:
        look = stroke(looks[series.name])
        sheet.curve(points(series.values, frame.height / (frame.high - frame.low)), **look)
        sheet.dots(alone(series.values), 2.1, fill=look["stroke"])
    _write_limits(sheet, picture, frame)
    _link_breaches(sheet, picture, breaches)
    return sheet


def _link_breaches(sheet: Sheet, picture: Picture, breaches: Sequence[dict[str, Any]]) -> None:
    """A triangle marks the worst value of each run, the worst runs first, that links to the report of the picture."""
    for run in breaches[:MOST_MARKS]:
        sheet.link(run["x"], run["y"], triangle(picture.worst), run["href"], run["label"], **TRIANGLE)


def _thick(picture: Picture, run: dict[str, Any]) -> list[Point]:
    """The points of a run in breach; a single one is a short level line."""
    values = picture.series[run["number"]].values
    if run["end"] - run["first"] == 1:
        return bar(run["x"] - 0.4, run["x"] + 0.4, run["y"])
    return [*((step + 0.5, values[step]) for step in range(run["first"], run["end"])), (run["end"], None)]


def _write_limits(sheet: Sheet, picture: Picture, frame: _Frame) -> None:
    """Names of limits above their line: where the fewest points and no other name is in the way."""
    labels: list[tuple[float, float, float]] = []
    count = max(1, len(picture.grid.starts))

    def crossed(x: float, y: float, room: float) -> int:
        inside = range(max(0, int(x / frame.width * count)), min(count, int((x + room) / frame.width * count) + 1))
        values = (series.values[step] for series in picture.series for step in inside)
        names = sum(abs(at - y) < 13 and x < left + other + 12 and left < x + room + 12 for left, at, other in labels)
        return 10_000 * names + sum(item is not None and abs(sheet.y(item) - y) < 9 for item in values)

    for limit in sorted(frame.limits, key=lambda limit: (limit.value, limit.rule_id)):
        words = limit_text(limit, picture.unit)
        room = text_width(words)
        at = sheet.y(limit.value)
        y = at - 7 if at > 14 else at + 8
        free = frame.width - room
        x = min((free - 4, 6.0, free / 2, free / 4, 3 * free / 4), key=lambda x, y=y, room=room: crossed(x, y, room))  # type: ignore[misc]
        labels.append((x, y, room))
        at_end = x == free - 4
        sheet.write(frame.width - 4 if at_end else x, y, words, "end" if at_end else "start", halo=True)


# --- strips


def _strip(picture: Picture) -> Sheet:
    frame = _frame(picture)
    sheet = _sheet(picture, frame)
    sheet.row_axis([short(series.name) for series in picture.series])

    def level(item: float | None) -> int | None:
        return (
            None
            if item is None
            else min(LEVELS - 1, max(0, int((item - frame.low) / (frame.high - frame.low) * LEVELS)))
        )

    cells: list[list[Point]] = [[] for _ in range(LEVELS)]
    for number, series in enumerate(picture.series):
        for first, end, level_of_run in runs([level(item) for item in series.values]):
            if level_of_run is not None:
                cells[level_of_run] += bar(first, end, number + 0.5)
    for opacity, bars in zip(OPACITY, cells, strict=True):
        sheet.curve(bars, stroke="var(--series-1)", stroke_width=ROW - 2, stroke_opacity=opacity)
    breaches = _breaches(picture)
    under = [segment for run in breaches for segment in bar(run["first"], run["end"], run["number"] + 0.85)]
    sheet.curve(under, stroke="var(--paper)", stroke_width=5)  # so that it is seen on the darkest cell, in print too
    sheet.curve(under, stroke="var(--breach)", stroke_width=3)
    shown: dict[tuple[int, int], dict[str, Any]] = {}
    for run in breaches:  # a rule about all tasks marks all rows: one triangle for them
        shown.setdefault((run["first"], run["end"]), {**run, "y": run["number"] + 0.5})
    _link_breaches(sheet, picture, list(shown.values()))
    return sheet
