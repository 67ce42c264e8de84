"""The charts of a page as SVG: lines, strips and bars on one sheet.

Pictures of a queue manager and charts of findings through the period, bars of subjects, the sparkline of a rule, and
the overview of the period. Colour is never the only cue: lines have dashes, states have heights and letters, levels
have lightness, breaches have triangles.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from mqstat.assemble.page_model import CardChart, Curve, DayRow, Grid, Limit, Picture, Series
from mqstat.base.areas import TITLES
from mqstat.base.formatting import clean, figure, natural, number_text, plural, qmgr_name, short_offset, unit_text
from mqstat.render.html.scales import end_moment, moment, tick_texts, ticks_between, time_ticks
from mqstat.render.html.states import report_anchor
from mqstat.render.html.svg import (
    LARGER,
    WIDTH,
    Attribute,
    Point,
    Sheet,
    alone,
    bar,
    points,
    round_six,
    runs,
    text_width,
)

PLOT_HEIGHT = 150
"""Height of the plot of lines in px."""

ROW = 15
"""Height of a row of cells, of pictures and of the overview, in px."""

MOST_MARKS = 16
"""Breaches of one picture that get a triangle, the worst first: hundreds of them would hide the line. All are thick."""

LEAST_TOP = {"mib_per_s": 1.0, "per_s": 1.0, "us": 100.0}
"""An axis of such a unit goes at least so high: what is nearly nothing shall look like it."""

OPACITY = (0.1, 0.28, 0.48, 0.7, 1.0)
"""Shades of a strip, from low to high."""

LEVELS = len(OPACITY)

THICK: dict[str, Attribute] = {"stroke": "var(--breach)", "stroke_width": 7, "stroke_opacity": 0.3}
"""Attributes of the band under a line in breach."""

TRIANGLE: dict[str, Attribute] = {"fill": "var(--breach)", "stroke": "var(--paper)", "stroke_width": 1.2}
"""Attributes of the mark of a breach."""

LIMIT: dict[str, Attribute] = {"stroke": "var(--limit)", "stroke_dasharray": (5, 3)}
"""Attributes of the line of a limit."""


# --- what charts share


def _known(*values: Sequence[float | None]) -> list[float]:
    return [item for some in values for item in some if item is not None and math.isfinite(item)]


def _hit_runs(values: Sequence[float | None], breached: Collection[int]) -> list[tuple[int, int]]:
    """The runs of steps in breach that have a value, as (first, end)."""
    flags = [step in breached and item is not None for step, item in enumerate(values)]
    return [(first, end) for first, end, hit in runs(flags) if hit]


def _thick(values: Sequence[float | None], spans: Iterable[tuple[int, int]]) -> list[Point]:
    """The points of runs in breach; a single one is a short level line."""
    line: list[Point] = []
    for first, end in spans:
        value = values[first]
        if end - first == 1 and value is not None:
            line += bar(first + 0.1, first + 0.9, value)
        else:
            line += [*((step + 0.5, values[step]) for step in range(first, end)), (end, None)]
    return line


def _write_limits(
    sheet: Sheet, limits: Sequence[tuple[float, str]], lines: Sequence[Sequence[float | None]], *, at_ends: bool = False
) -> None:
    """Names of limits above their line: where the fewest points and no other name is in the way; only `at_ends` of the
    axis if wanted.
    """
    labels: list[tuple[float, float, float]] = []
    steps = max(1, *map(len, lines)) if lines else 1

    def crossed(x: float, y: float, room: float) -> int:
        inside = range(max(0, int(x / sheet.width * steps)), min(steps, int((x + room) / sheet.width * steps) + 1))
        values = (values[step] for values in lines for step in inside)
        names = sum(abs(at - y) < 13 and x < left + other + 12 and left < x + room + 12 for left, at, other in labels)
        return 10_000 * names + sum(item is not None and abs(sheet.y(item) - y) < 9 for item in values)

    for limit, words in limits:
        room = text_width(words)
        at = sheet.y(limit)
        y = at - 7 if at > 14 else at + 8
        free = sheet.width - room
        positions = (free - 4, 6.0) if at_ends else (free - 4, 6.0, free / 2, free / 4, 3 * free / 4)
        x = min(positions, key=lambda x, y=y, room=room: crossed(x, y, room))
        labels.append((x, y, room))
        at_end = x == free - 4
        sheet.write(sheet.width - 4 if at_end else x, y, words, "end" if at_end else "start", halo=True)


def _hover(
    kind: str, unit: str, sheet: Sheet, series: Iterable[tuple[str, Sequence[float | None], Collection[int]]]
) -> dict[str, Any]:
    """The data with which the script shows values and times under the pointer: series, and the position of the plot in
    the view box.

    A step `i` of n lies at `plot.x + (i + 0.5) * plot.width / n`; rows of a strip share `plot.height` equally. Figures
    have six digits.
    """
    left, top, right, bottom = sheet.padding
    return {
        "kind": kind,
        "unit": unit_text(unit).strip(),
        "size": [left + sheet.width + right, top + sheet.height + bottom],
        "plot": {"x": left, "y": top, "width": sheet.width, "height": sheet.height},
        "series": [
            {
                "name": clean(name),
                "values": [None if item is None else round_six(item) for item in values],
                "breached": sorted(breached),
            }
            for name, values, breached in series
        ],
    }


def time_labels(grid: Grid) -> list[str]:
    """The local time of each step of a grid, as a pointer shows it."""
    return [moment(step, grid) for step in range(len(grid.starts))]


# --- the looks of lines and the legend of a picture


SAMPLE = 26
"""Width of a line or cell of the legend in px."""

LEGEND_ROW = 16
"""Height of a row of the legend in px."""

_DASHES: Sequence[Sequence[int]] = ([], [7, 3], [2, 3], [9, 3, 2, 3], [12, 5], [4, 4], [1, 4], [14, 3, 3, 3])


@dataclass(frozen=True)
class Item:
    """One part of a legend: `kind` is word, line, cell or breach; `number` is that of the look of the line or of the
    level.
    """

    kind: str
    text: str
    number: int = 0

    @property
    def room(self) -> float:
        """Its width in px."""
        return (0 if self.kind == "word" else SAMPLE + 5) + text_width(self.text)


def line_looks(pictures: Iterable[Picture]) -> dict[str, int]:
    """The number of the look (`stroke`) of each name: one name looks the same in all pictures, and names of one picture
    differ.

    Eight looks have a colour and a dash of their own; names that share pictures with eight others get a colour with
    another dash.
    """
    together: dict[str, set[str]] = {}
    for picture in pictures:
        names = [series.name for series in picture.series] if picture.kind == "line" else []
        for name in names:
            together.setdefault(name, set()).update(names)
    looks: dict[str, int] = {}
    for name in sorted(together, key=lambda name: (-len(together[name]), natural(name))):
        taken = {looks[other] for other in together[name] if other in looks}
        looks[name] = next(number for number in count() if number not in taken)
    return looks


def stroke(number: int) -> dict[str, Attribute]:
    """Colour and dash of a line by the number of its look: no two of the first eight differ in colour alone."""
    dash = (number + number // 8) % 8
    return {
        "stroke": f"var(--series-{number % 8 + 1})",
        "stroke_width": 1.6,
        "stroke_dasharray": _DASHES[dash],
        "stroke_linecap": "butt" if dash else "round",
        "stroke_linejoin": "round",
    }


def triangle(worst: str) -> str:
    """The shape that marks a breach: it points to where the bad values are."""
    return "down" if worst == "lowest" else "up"


def short(name: str, most: int = 24) -> str:
    """A name, cut to the room in a chart."""
    shown = clean(name)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def limit_text(limit: Limit, unit: str) -> str:
    """The label of a limit, its value, and its rule."""
    rule = f" ({limit.rule_id})" if limit.rule_id else ""
    return f"{clean(limit.text)} {figure(limit.value, unit)}{rule}"


def items_of(
    picture: Picture, far: Sequence[Limit], edges: Sequence[tuple[float, float]], looks: Mapping[str, int]
) -> list[Item]:
    """The parts of the legend: `far` limits are too high to be drawn, `edges` are those of the levels of a strip,
    `looks` those of its lines.
    """
    unit = unit_text(picture.unit).strip()
    items: list[Item] = []
    if picture.kind == "line":
        items += [Item("word", unit)] if unit else []
        if len(picture.series) > 1:
            items += [Item("line", short(series.name), looks.get(series.name, 0)) for series in picture.series]
        items += [Item("word", f"beyond this picture: {limit_text(limit, picture.unit)}") for limit in far]
    else:
        for level, (low, high) in enumerate(edges):
            items.append(
                Item(
                    "cell",
                    f"{number_text(low)}-{number_text(high)}" + (f" {unit}" if level == len(edges) - 1 else ""),
                    level,
                )
            )
        items += [Item("word", f"limit: {limit_text(limit, picture.unit)}") for limit in picture.limits]
    if any(series.breached for series in picture.series):
        items.append(Item("breach", "in breach"))
    return items


def placed(items: Sequence[Item], width: float) -> tuple[list[tuple[Item, float, float]], float]:
    """Each item with its place, from left to right in as many rows as it takes, and the height of all."""
    positions = []
    x = y = 0.0
    for item in items:
        if x and x + item.room > width:
            x, y = 0.0, y + LEGEND_ROW
        positions.append((item, x, y + LEGEND_ROW / 2))
        x += item.room + 16
    return positions, y + LEGEND_ROW if items else 0.0


def write_legend(
    sheet: Sheet, positions: Sequence[tuple[Item, float, float]], left: float, top: float, worst: str
) -> None:
    """Put a legend on a sheet whose plot is `left` and `top` px away from the corner of the legend."""
    breaches = []
    for item, at_x, at_y in positions:
        x, y = at_x - left, at_y - top
        sheet.write(x + (0 if item.kind == "word" else SAMPLE + 5), y, item.text)
        sample = [(x, y, x + SAMPLE, y)]
        if item.kind == "line":
            sheet.rules(sample, **stroke(item.number))
        elif item.kind == "cell":
            sheet.rules(sample, stroke="var(--series-1)", stroke_width=11, stroke_opacity=OPACITY[item.number])
        elif item.kind == "breach":
            breaches += sample
    for sample_of_breach in breaches:
        x, y, _, _ = sample_of_breach
        sheet.rules([sample_of_breach], **THICK)
        sheet.mark(x + SAMPLE / 2, y, triangle(worst), **TRIANGLE)


# --- pictures of a queue manager


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
    """The data of a picture for the script: `_hover`, with the times of its steps and the anchor of its rows."""
    frame = _frame(picture)
    series = [(series.name, series.values, series.breached) for series in picture.series]
    made = _hover(picture.kind, picture.unit, Sheet(frame.width, frame.height, frame.padding), series)
    return {**made, "href": href(picture.report), "times": time_labels(picture.grid)}


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


def _frame(picture: Picture, looks: Mapping[str, int] | None = None) -> _Frame:
    values = [item for series in picture.series for item in series.values if item is not None]
    highest, lowest = max(values, default=0.0), min([*values, 0.0])
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


def _breaches(picture: Picture) -> list[dict[str, Any]]:
    """The runs of steps in breach, each with its worst value, when and how long: the worst runs first."""
    triangles = []
    sign = 1 if picture.worst == "lowest" else -1
    for number, series in enumerate(picture.series):
        known = [sign * item if item is not None else float("inf") for item in series.values]
        for first, end in _hit_runs(series.values, series.breached):
            worst = min(range(first, end), key=known.__getitem__)
            triangles.append(
                {
                    "number": number,
                    "first": first,
                    "end": end,
                    "x": worst + 0.5,
                    "y": round_six(sign * known[worst]),
                    "order": known[worst],
                    "label": _breach_text(picture, series, worst, first, end),
                }
            )
    return sorted(triangles, key=lambda run: (run["order"], run["number"], run["first"]))


def _breach_text(picture: Picture, series: Series, worst: int, first: int, end: int) -> str:
    grid = picture.grid
    name = f"{clean(series.name)}: " if series.name else ""
    long = f", in breach {moment(first, grid)} to {end_moment(grid, end - 1)}"
    return f"{name}{figure(series.values[worst], picture.unit)} at {moment(worst, grid)}{long}"


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
    sheet.rules(limits, **LIMIT, stroke_width=1.2)
    under = [
        point
        for run in breaches
        for point in _thick(picture.series[run["number"]].values, [(run["first"], run["end"])])
    ]
    sheet.curve(under, **THICK, stroke_linecap="round", stroke_linejoin="round")
    for series in picture.series:
        look = stroke(looks[series.name])
        sheet.curve(points(series.values, frame.height / (frame.high - frame.low)), **look)
        sheet.dots(alone(series.values), 2.1, fill=look["stroke"])
    named = sorted(frame.limits, key=lambda limit: (limit.value, limit.rule_id))
    texts = [(limit.value, limit_text(limit, picture.unit)) for limit in named]
    _write_limits(sheet, texts, [series.values for series in picture.series])
    _link_breaches(sheet, picture, breaches)
    return sheet


def _link_breaches(sheet: Sheet, picture: Picture, breaches: Sequence[dict[str, Any]]) -> None:
    """A triangle marks the worst value of each run, the worst runs first, that links to the report of the picture."""
    for run in breaches[:MOST_MARKS]:
        sheet.link(run["x"], run["y"], triangle(picture.worst), href(picture.report), run["label"], **TRIANGLE)


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


# --- findings


CARD_WIDTH, CARD_HEIGHT = 560, 132
"""Size of the plot of a series in px, padding excluded from the height."""

PADDING = (50, 12, 10, 27)
"""Left, top, right, bottom."""

BAR_WIDTH, BAR_ROW = 350, 31
"""Width of a chart of bars, and height of a bar with its label above it, in px: a phone shows it without shrinking
it."""


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
        clock = "times in" if grid.several_zones else "local time,"
        return f"{figures}; {clock} {short_offset(grid.offset_minutes(0))}"
    limits = sorted(set(_known(chart.limits)))
    named = f"; limit {figure(limits[0], chart.unit)}" if len(limits) == 1 else "; marks are limits" if limits else ""
    return f"{figures if not limits else chart.measure}{named}"


def _card_sheet(ticks: Sequence[float]) -> Sheet:
    """The sheet of a series; the numbers of its axis have room for the larger text of a phone."""
    left = max(PADDING[0], 10 + int(LARGER * max(map(text_width, tick_texts(ticks)))))
    return Sheet(CARD_WIDTH - left - PADDING[2], CARD_HEIGHT, (left, *PADDING[1:]))


def card_data(chart: CardChart) -> dict[str, Any] | None:
    """The values of a series for the script, by step of the page's grid; None for other charts."""
    if chart.chart != "series":
        return None
    return _hover("line", chart.unit, _card_sheet(_ticks(chart)), [("", chart.values, chart.breached)])


def _series(chart: CardChart, grid: Grid) -> str:
    ticks = _ticks(chart)
    sheet = _card_sheet(ticks)
    sheet.time_axis(replace(grid, several_zones=False), large=True)  # the caption has the offset
    sheet.value_axis(ticks)
    _band(sheet, chart)
    for first, end, hit in runs([step in chart.breached for step in range(len(grid.starts))]):
        if hit:
            x = sheet.x(first)
            sheet.boxes([(x, 0, sheet.x(end) - x, CARD_HEIGHT)], fill="var(--breach)", fill_opacity=0.13)
    constant = len(set(_known(chart.limits))) == 1  # its line reaches its name
    for first, end, limit in [(0, len(chart.limits), _known(chart.limits)[0])] if constant else runs(chart.limits):
        if limit is not None:
            y = sheet.y(limit)
            sheet.rules([(sheet.x(first), y, sheet.x(end), y)], **LIMIT, stroke_width=1.3)
    hit_runs = [
        (first, end) for first, end, hit in runs([step in chart.breached for step in range(len(chart.values))]) if hit
    ]
    sheet.curve(_thick(chart.values, hit_runs), **THICK, stroke_linecap="round")
    px = CARD_HEIGHT / (ticks[-1] - ticks[0])
    sheet.curve(points(chart.values, px), stroke="var(--series-1)", stroke_width=1.6, stroke_linejoin="round")
    sheet.dots(alone(chart.values), 2.1, fill="var(--series-1)")
    limits = [(limit, f"limit {figure(limit, chart.unit)}") for limit in _known(chart.limits)[:1]]
    _write_limits(sheet, limits, [chart.values], at_ends=True)
    return sheet.svg("card-series", f"{clean(chart.measure)} of {clean(chart.subject)}", _spoken(chart, grid, hit_runs))


def _ticks(chart: CardChart) -> list[float]:
    """Round values that include all of a series, its limits, its usual range, and 0."""
    known = [*_known(chart.values, chart.limits, chart.low, chart.high), 0.0]
    low, high = min(known), max(known)
    return ticks_between(low, high if high > low else low + 1)


def _band(sheet: Sheet, chart: CardChart) -> None:
    """The usual range of each step, grey."""
    steps = zip(range(len(chart.low)), chart.low, chart.high, strict=False)
    boxes = [
        (sheet.x(step), sheet.y(high), sheet.x(step + 1) - sheet.x(step), max(1.5, sheet.y(low) - sheet.y(high)))
        for step, low, high in steps
        if low is not None and high is not None
    ]
    sheet.boxes(boxes, fill="var(--soft)", fill_opacity=0.22)


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


# --- states and the sparkline


SPARK_WIDTH, SPARK_HEIGHT = 120, 22

STATES = {
    "broken": (1.0, "X", "broken"),
    "critical": (1.0, "C", "critical"),
    "warning": (0.82, "W", "warning"),
    "info": (0.5, "", "info"),
    "clear": (0.2, "", "clear"),
}
"""How the overview shows a state: share of the row height, letter, and label in the legend."""

STATE_NONE = (0.06, "", "")


def sparkline_svg(drawn: Curve, grid: Grid) -> str:
    """The figure of a rule through the period in the height of a line of text: its limit dashed, steps in breach
    thick.
    """
    known = [item for item in drawn.values if item is not None]
    limit = drawn.limit
    near = limit is not None and bool(known) and abs(limit) <= 3 * max(abs(item) for item in known)
    reach = [*known, *([limit] if near and limit is not None else []), 0.0]
    low, high = min(reach), max(reach)
    high = high if high > low else low + 1
    width, height = SPARK_WIDTH - 6, SPARK_HEIGHT - 6
    sheet = Sheet(width, height, (3, 3, 3, 3))
    sheet.scale_x(len(grid.starts))
    sheet.scale_y(high, low)
    if near and limit is not None:
        sheet.rules([(0, sheet.y(limit), width, sheet.y(limit))], stroke="var(--limit)", stroke_dasharray=(3, 2))
    spans = _hit_runs(drawn.values, drawn.breached)
    thick: dict[str, Attribute] = {**THICK, "stroke_width": 5, "stroke_opacity": 0.7}
    sheet.curve(_thick(drawn.values, spans), **thick, stroke_linecap="round")
    line = points(drawn.values, height / (high - low))
    sheet.curve(line, stroke="var(--series-1)", stroke_width=1.3, stroke_linecap="round", stroke_linejoin="round")
    hits = sum(end - first for first, end in spans)
    breaches = f"in breach in {hits} of {plural(len(grid.starts), 'step')}" if hits else "never in breach"
    return sheet.svg("spark", f"Through the period: {breaches}")


def _write_states(sheet: Sheet, rows: Sequence[Sequence[str | None]]) -> set[str]:
    """Bars for the states of each step, a row for each list: the worse a state the higher its bar; long runs have
    letters. Returns the states.
    """
    bars: dict[str, list[Point]] = {}
    tall_row = sheet.height / max(1, len(rows))
    for number, states in enumerate(rows):
        for first, end, state in runs(states):
            if state is None:
                continue
            tall, letter, _ = STATES.get(state, STATE_NONE)
            middle = number + 1 - (1 + tall * (tall_row - 2) / 2) / tall_row
            bars.setdefault(state if state in STATES else "none", []).extend(bar(first, end, middle))
            step = sheet.width / max(1, len(states))
            if letter and (end - first) * step >= 10:
                at = middle * tall_row
                sheet.write((first + end) / 2 * step, at, letter, "middle", fill="var(--paper)", bold=True)
    for state, boxes in sorted(bars.items()):
        tall = STATES.get(state, STATE_NONE)[0]
        sheet.curve(boxes, stroke=f"var(--state-{state})", stroke_width=round(tall * (tall_row - 2), 1))
    return set(bars)


def heat_map_svg(day: Sequence[DayRow], grid: Grid) -> str:
    """States through the period, a row for each area and queue manager: the worse a state the higher its bar; runs have
    letters.
    """
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
    states = _write_states(sheet, [row.states for row in day])
    _write_key(sheet, states, left, any(None in row.states for row in day))
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
    """The states of one queue manager through the period, without axes: the worse a state the higher its bar; long runs
    have letters.
    """
    sheet = Sheet(STRIP_WIDTH, STRIP_HEIGHT, (0, 0, 0, 0))
    sheet.scale_x(len(grid.starts))
    sheet.scale_y(0, 1)
    _write_states(sheet, [day.states])
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
