"""The charts of a page as SVG: pictures of a queue manager through the period, a sparkline for a rule, the overview of the period.

No chart says anything by colour alone: lines have dashes, states have heights and letters, levels have lightness, breaches have triangles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mqstat.render.html import vega
from mqstat.render.html.legend import OPACITY, items_of, legend, limit_text, placed, short, stroke, triangle
from mqstat.render.html.overview import heat_map_svg, sparkline_svg
from mqstat.render.html.vega import LETTER_PX, Spec, bar, by, curve, dataset, link, mark, point, runs, text, value
from mqstat.render.model import Grid, Limit, Picture, Series
from mqstat.render.words import figure, plural, unit_text
from mqstat.rules.engine import clean

__all__ = ["WIDTH", "chart_data", "heat_map_svg", "href", "picture_svg", "sparkline_svg", "time_labels"]

WIDTH = vega.WIDTH

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
    highest: float
    ticks: list[float]
    limits: list[Limit]
    edges: list[tuple[float, float]]
    items: list[tuple[Any, float, float]]

    right = 14
    bottom = 22

    @property
    def width(self) -> int:
        return WIDTH - self.left - self.right

    @property
    def padding(self) -> tuple[int, int, int, int]:
        return self.left, self.top, self.right, self.bottom


def picture_svg(picture: Picture) -> str:
    """A picture as SVG: lines with their limits, or rows of cells; breaches lead to the report behind the picture."""
    spec = _strip(picture) if picture.kind == "strip" else _lines(picture)
    return vega.svg(spec, f"chart-{picture.kind}", _title(picture), _description(picture))


def chart_data(picture: Picture) -> dict[str, Any]:
    """What a script needs to say figure and time below the pointer: times, series, and where the plot lies in the view box.

    A step `i` of n lies at `plot.x + (i + 0.5) * plot.width / n`; rows of a strip share `plot.height` equally. Figures have six digits.
    """
    frame = _frame(picture)
    return {
        "kind": picture.kind,
        "unit": unit_text(picture.unit).strip(),
        "href": href(picture.report),
        "size": [WIDTH, frame.top + frame.height + frame.bottom],
        "plot": {"x": frame.left, "y": frame.top, "width": frame.width, "height": frame.height},
        "top": frame.highest if picture.kind == "line" else None,
        "times": time_labels(picture.grid),
        "series": [
            {
                "name": clean(one.name),
                "values": [None if item is None else _six(item) for item in one.values],
                "breached": sorted(one.breached),
            }
            for one in picture.series
        ],
    }


def time_labels(grid: Grid) -> list[str]:
    """The local time of each step of a grid, as a pointer shows it."""
    return [vega.moment(local, grid) for local in grid.starts]


def href(report: str) -> str:
    """Where the rows of a report stand in the page."""
    return "#report-" + report.replace("/", "-")


def _six(number: float) -> float:
    """Six digits, and no point where there is nothing behind it."""
    rounded = float(f"{number:.6g}")
    return int(rounded) if rounded.is_integer() else rounded


def _title(picture: Picture) -> str:
    place = clean(" ".join(part for part in (picture.lpar, picture.qmgr) if part))
    return f"{picture.title}, {place}" if place else picture.title


def _description(picture: Picture) -> str:
    """What the picture shows, in a sentence, for those who hear the page."""
    grid = picture.grid
    what = plural(len(picture.series), "line" if picture.kind == "line" else "row")
    told = f"{what} from {vega.moment(grid.starts[0], grid)} to {vega.end_moment(grid, len(grid.starts) - 1)}"
    hit = [one for one in picture.series if one.breached]
    if not hit:
        return f"{told}; nothing in breach."
    steps = plural(len(set().union(*(one.breached for one in hit))), "step")
    return f"{told}; in breach: {', '.join(clean(one.name) for one in hit)}, in {steps} of {grid.seconds // 60} min."


# --- where things are


def _values(series: Iterable[Series]) -> list[float]:
    return [item for one in series for item in one.values if item is not None]


def _frame(picture: Picture) -> _Frame:
    highest = max(_values(picture.series), default=0.0)
    near = [one for one in picture.limits if picture.unit == "percent" or one.value <= 2.5 * highest or highest <= 0]
    edges: list[tuple[float, float]] = []
    if picture.kind == "line":
        left, height = 46, PLOT_HEIGHT
        # Room above the highest limit for its name.
        top = max(highest, LEAST_TOP.get(picture.unit, 0.0), *(1.12 * limit.value for limit in near), 0.0)
        if picture.unit == "percent" and highest <= 100 and (picture.worst == "lowest" or top > 50):
            top = 100.0
        end, ticks = vega.nice(top)
    else:
        left, height = (
            16 + int(LETTER_PX * max(len(short(one.name)) for one in picture.series)),
            ROW * len(picture.series),
        )
        top = 100.0 if picture.unit == "percent" and highest <= 100 else highest
        end, ticks = vega.nice(top, LEVELS)
        edges = [(_six(end * level / LEVELS), _six(end * (level + 1) / LEVELS)) for level in range(LEVELS)]
    far = [limit for limit in picture.limits if limit not in near]
    items, above = placed(items_of(picture, far, edges), WIDTH - 8)
    return _Frame(left, int(above) + (10 if picture.kind == "line" else 5), height, end, ticks, near, edges, items)


# --- breaches


def _breaches(picture: Picture) -> list[dict[str, Any]]:
    """The runs of steps in breach, each with its worst value, when and how long: the worst runs first."""
    found = []
    sign = 1 if picture.worst == "lowest" else -1
    for number, one in enumerate(picture.series):
        known = [sign * item if item is not None else float("inf") for item in one.values]
        flags = [step in one.breached and item is not None for step, item in enumerate(one.values)]
        for first, end, breached in runs(flags):
            if breached:
                worst = min(range(first, end), key=known.__getitem__)
                found.append(
                    {
                        "number": number,
                        "first": first,
                        "end": end,
                        "x": worst + 0.5,
                        "y": _six(sign * known[worst]),
                        "order": known[worst],
                        "href": href(picture.report),
                        "label": _breach_text(picture, one, worst, first, end),
                    }
                )
    return sorted(found, key=lambda run: (run["order"], run["number"], run["first"]))


def _breach_text(picture: Picture, one: Series, worst: int, first: int, end: int) -> str:
    grid = picture.grid
    name = f"{clean(one.name)}: " if one.name else ""
    long = f", in breach {vega.moment(grid.starts[first], grid)} to {vega.end_moment(grid, end - 1)}"
    return f"{name}{figure(one.values[worst], picture.unit)} at {vega.moment(grid.starts[worst], grid)}{long}"


# --- lines


def points(values: Sequence[float | None]) -> list[dict[str, Any]]:
    """The points of a line in the middle of their steps; what lies inside a level stretch adds nothing and is left out."""
    found = []
    for step, item in enumerate(values):
        if 0 < step < len(values) - 1 and values[step - 1] == item == values[step + 1]:
            continue
        found.append(point(step + 0.5, None if item is None else _six(item)))
    return found


def _alone(values: Sequence[float | None]) -> list[dict[str, Any]]:
    """Points that no line reaches: without neighbours."""
    around = [None, *values, None]
    return [
        point(step + 0.5, _six(item))
        for step, item in enumerate(values)
        if item is not None and around[step] is None and around[step + 2] is None
    ]


def _lines(picture: Picture) -> Spec:
    frame = _frame(picture)
    scale_x, data, marks = vega.time_axis(picture.grid, frame.height)
    scale_y, more_data, more_marks = vega.value_axis(frame.ticks, frame.highest)
    legend_data, legend_marks = legend(frame.items, frame.left, frame.top, picture.worst)
    data += more_data + legend_data
    marks += more_marks + legend_marks
    breaches = _breaches(picture)
    if frame.limits:
        wide = {**value(x=0, stroke="var(--limit)", strokeWidth=1.2, strokeDash=[5, 3]), "x2": {"signal": "width"}}
        data.append(dataset("limits", _limit_labels(picture, frame)))
        marks.append(mark("rule", "limits", {**wide, "y": by("y", "value")}))
    if breaches:
        data.append(dataset("thick", [one for run in breaches for one in _thick(picture, run)]))
        marks.append(curve("thick", value(stroke="var(--breach)", strokeWidth=7, strokeOpacity=0.3, strokeCap="round", strokeJoin="round")))  # fmt: skip
    for number, one in enumerate(picture.series):
        data.append(dataset(f"s{number}", points(one.values)))
        marks.append(curve(f"s{number}", value(**stroke(number))))
        if alone := _alone(one.values):
            data.append(dataset(f"a{number}", alone))
            fill = value(size=18, fill=f"var(--series-{number % 8 + 1})")
            marks.append(mark("symbol", f"a{number}", {"x": by("x", "x"), "y": by("y", "y"), **fill}))
    if frame.limits:
        label = {"x": {"field": "x"}, "y": by("y", "value", offset={"field": "offset"}), "text": {"field": "text"}}
        marks.append(text("limits", {**label, **value(stroke="var(--paper)", strokeWidth=3.5, strokeJoin="round")}))
        marks.append(text("limits", label))
    if breaches:
        data.append(dataset("breaches", breaches[:MOST_MARKS]))
        marks.append(link("symbol", "breaches", {"x": by("x", "x"), "y": by("y", "y"), **triangle(picture.worst)}))
    return vega.sheet(frame.width, frame.height, frame.padding, scales=[scale_x, scale_y], data=data, marks=marks)


def _thick(picture: Picture, run: dict[str, Any]) -> list[dict[str, Any]]:
    """The points of a run in breach; a single one is a short level line."""
    values = picture.series[run["number"]].values
    if run["end"] - run["first"] == 1:
        return bar(run["x"] - 0.4, run["x"] + 0.4, run["y"])
    return [*(point(step + 0.5, values[step]) for step in range(run["first"], run["end"])), point(run["end"], None)]


def _limit_labels(picture: Picture, frame: _Frame) -> list[Spec]:
    """Limits with a place for their names above their line: where the fewest points and no other name is in the way."""
    found: list[Spec] = []
    count = max(1, len(picture.grid.starts))
    for limit in sorted(frame.limits, key=lambda one: (one.value, one.rule_id)):
        words = limit_text(limit, picture.unit)
        wide = LETTER_PX * len(words)
        at = frame.height * (1 - limit.value / frame.highest)
        y = at - 7 if at > 14 else at + 8
        best: tuple[float, float] | None = None
        for x in (
            frame.width - wide - 4,
            6.0,
            (frame.width - wide) / 2,
            (frame.width - wide) / 4,
            3 * (frame.width - wide) / 4,
        ):
            inside = range(max(0, int(x / frame.width * count)), min(count, int((x + wide) / frame.width * count) + 1))
            heights = [one.values[step] for one in picture.series for step in inside]
            crossed = sum(
                abs(frame.height * (1 - item / frame.highest) - y) < 9 for item in heights if item is not None
            )
            crossed += 10_000 * sum(
                abs(one["at"] - y) < 13 and x < one["x"] + one["wide"] + 12 and one["x"] < x + wide + 12
                for one in found
            )
            if best is None or crossed < best[0]:
                best = crossed, x
        found.append(
            {"value": limit.value, "text": words, "x": best[1] if best else 0, "at": y, "offset": y - at, "wide": wide}
        )
    return found


# --- strips


def _strip(picture: Picture) -> Spec:
    frame = _frame(picture)
    scale_x, data, marks = vega.time_axis(picture.grid, frame.height)
    scale_y, more_data, more_marks = vega.row_axis([short(one.name) for one in picture.series], frame.height)
    legend_data, legend_marks = legend(frame.items, frame.left, frame.top, picture.worst)
    data += more_data + legend_data
    marks += more_marks + legend_marks

    def level(item: float | None) -> int | None:
        return None if item is None else min(LEVELS - 1, max(0, int(item / frame.highest * LEVELS)))

    cells: list[list[dict[str, Any]]] = [[] for _ in range(LEVELS)]
    for number, one in enumerate(picture.series):
        for first, end, found in runs([level(item) for item in one.values]):
            if found is not None:
                cells[found] += bar(first, end, number + 0.5)
    for number, bars in enumerate(cells):
        if bars:
            data.append(dataset(f"level{number}", bars))
            look = value(stroke="var(--series-1)", strokeWidth=ROW - 2, strokeOpacity=OPACITY[number])
            marks.append(curve(f"level{number}", look))
    breaches = _breaches(picture)
    if breaches:
        under = [one for run in breaches for one in bar(run["first"], run["end"], run["number"] + 0.87)]
        data.append(dataset("thick", under))
        marks.append(curve("thick", value(stroke="var(--breach)", strokeWidth=3)))
        shown: dict[tuple[int, int], dict[str, Any]] = {}
        for run in breaches:  # a rule about all tasks marks all rows: one triangle for them
            shown.setdefault((run["first"], run["end"]), {**run, "y": run["number"] + 0.5})
        data.append(dataset("breaches", list(shown.values())[:MOST_MARKS]))
        marks.append(link("symbol", "breaches", {"x": by("x", "x"), "y": by("y", "y"), **triangle(picture.worst)}))
    return vega.sheet(frame.width, frame.height, frame.padding, scales=[scale_x, scale_y], data=data, marks=marks)
