"""The charts of a page as SVG: pictures of a queue manager through the period, a sparkline for a rule, the overview of the period.

No chart says anything by colour alone: lines have dashes, states have heights and letters, levels have lightness, breaches have triangles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mqstat.render.html import vega
from mqstat.render.html.vega import Spec, axis, by, link, mark, runs, sheet, text, value
from mqstat.render.model import Curve, DayRow, Grid, Limit, Picture, Series
from mqstat.render.words import area_title, figure, plural, unit_text
from mqstat.rules.engine import clean

WIDTH = 760
"""Width of pictures and of the overview in px; a page makes them smaller where there is less room, or lets them scroll."""

PLOT_HEIGHT = 150
ROW = 15
"""Height of a row of cells in px."""

LEVELS = 5
"""Shades of a strip."""

SPARK_WIDTH, SPARK_HEIGHT = 120, 22

MOST_MARKS = 16
"""Breaches of one picture that get a triangle, the worst first: hundreds of them would hide the line. All are thick."""

_DASHES = ([], [7, 3], [2, 3], [9, 3, 2, 3], [12, 5], [4, 4], [1, 4], [14, 3, 3, 3])
_OPACITY = (0.1, 0.28, 0.48, 0.7, 1.0)
_STATES = {  # colour, share of the height of a row, letter, word
    "broken": ("critical", 1.0, "X", "rule failed"),
    "critical": ("critical", 1.0, "C", "critical"),
    "warning": ("warning", 0.72, "W", "warning"),
    "info": ("info", 0.46, "i", "note"),
    "ok": ("ok", 0.2, "", "well"),
}
_QUIET = ("none", 0.08, "", "nothing judged")


# --- pictures


def picture_svg(picture: Picture) -> str:
    """A picture as SVG: lines with their limits, or rows of cells; breaches lead to the report behind the picture."""
    spec = _strip(picture) if picture.kind == "strip" else _lines(picture)
    return vega.svg(spec, f"chart-{picture.kind}", _title(picture), _description(picture))


def chart_data(picture: Picture) -> dict[str, Any]:
    """What a script needs to say figure and time below the pointer: times, series, and where the plot lies in the view box.

    A step `i` of n lies at `plot.x + (i + 0.5) * plot.width / n`; rows of a strip share `plot.height` equally. Figures have six digits.
    """
    left, top, right, bottom = _padding(picture)
    return {
        "kind": picture.kind,
        "unit": unit_text(picture.unit).strip(),
        "href": href(picture.report),
        "size": [WIDTH, top + _height(picture) + bottom],
        "plot": {"x": left, "y": top, "width": WIDTH - left - right, "height": _height(picture)},
        "top": _highest(picture)[0] if picture.kind == "line" else None,
        "times": time_labels(picture.grid),
        "series": [
            {
                "name": clean(one.name),
                "values": [None if item is None else float(f"{item:.6g}") for item in one.values],
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


def _title(picture: Picture) -> str:
    place = clean(" ".join(part for part in (picture.lpar, picture.qmgr) if part))
    return f"{picture.title}, {place}" if place else picture.title


def _description(picture: Picture) -> str:
    """What the picture shows, in a sentence or two, for those who hear the page."""
    grid = picture.grid
    told = [
        f"{plural(len(picture.series), 'line' if picture.kind == 'line' else 'row')} from {vega.moment(grid.starts[0], grid)} "
        f"to {vega.moment(vega.end_of(grid, len(grid.starts) - 1), grid)}"
    ]
    hit = [one for one in picture.series if one.breached]
    if hit:
        steps = sum(len(one.breached) for one in hit)
        told.append(
            f"in breach: {', '.join(clean(one.name) for one in hit)}, {plural(steps, 'step')} of {grid.seconds // 60} min"
        )
    else:
        told.append("nothing in breach")
    return "; ".join(told) + "."


def _padding(picture: Picture) -> tuple[int, int, int, int]:
    """Room left, above, right and below the plot."""
    above = 8 + 16 * len(_legend(picture, [], 0, 0)[1])
    left = 46
    if picture.kind == "strip":
        left = 16 + int(vega.LETTER_PX * max((len(_short(one.name)) for one in picture.series), default=4))
    return left, above + (10 if picture.kind == "line" else 4), 14, 22


def _height(picture: Picture) -> int:
    return ROW * len(picture.series) if picture.kind == "strip" else PLOT_HEIGHT


def _short(name: str, most: int = 24) -> str:
    shown = clean(name)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def _values(series: Iterable[Series]) -> list[float]:
    return [item for one in series for item in one.values if item is not None]


def _highest(picture: Picture) -> tuple[float, list[float], list[Limit]]:
    """The end of the axis of values, its ticks, and the limits that are near enough to be drawn."""
    highest = max(_values(picture.series), default=0.0)
    shown = [limit for limit in picture.limits if limit.value <= max(2.5 * highest, 1e-9) or picture.unit == "percent"]
    if not shown and picture.limits and highest <= 0:
        shown = list(picture.limits)
    top = max([highest, *(limit.value for limit in shown)])
    if picture.unit == "percent" and top <= 100:
        top = 100.0 if picture.worst == "lowest" or top > 50 else top
    return (*vega.nice(top), shown)


def _legend(picture: Picture, samples: Sequence[Spec], left: float, top: float) -> tuple[list[Spec], list[list[int]]]:
    """What stands above the plot, from left to right: the items with their places, and the rows in which they stand."""
    items = _legend_items(picture)
    placed: list[Spec] = []
    rows: list[list[int]] = [[]]
    x = 0.0
    for number, item in enumerate(items):
        wide = 34 + vega.LETTER_PX * len(item["text"])
        if x and x + wide > WIDTH - 60:
            rows.append([])
            x = 0.0
        rows[-1].append(number)
        placed.append({**item, "x": x - left, "y": 16 * (len(rows) - 1) + 8 - top})
        x += wide + 8
    return placed, rows


def _legend_items(picture: Picture) -> list[Spec]:
    unit = unit_text(picture.unit).strip()
    items: list[Spec] = [{"kind": "word", "text": unit}] if unit and picture.kind == "line" else []
    if picture.kind == "line":
        if len(picture.series) > 1:
            items += [
                {"kind": "line", "text": _short(one.name), "number": number}
                for number, one in enumerate(picture.series)
            ]
        far = [limit for limit in picture.limits if limit not in _highest(picture)[2]]
        items += [
            {"kind": "word", "text": f"limit beyond this picture: {_limit_text(limit, picture.unit)}"} for limit in far
        ]
    else:
        edges = _edges(picture)
        items += [
            {
                "kind": "cell",
                "text": f"{low:g}-{high:g}" + (f" {unit}" if level == LEVELS - 1 else ""),
                "level": level,
            }
            for level, (low, high) in enumerate(edges)
        ]
        items += [{"kind": "word", "text": f"limit: {_limit_text(limit, picture.unit)}"} for limit in picture.limits]
    if any(one.breached for one in picture.series):
        items.append({"kind": "breach", "text": "in breach"})
    return items or [{"kind": "word", "text": ""}]


def _limit_text(limit: Limit, unit: str) -> str:
    rule = f" ({limit.rule_id})" if limit.rule_id else ""
    return f"{clean(limit.text)} {figure(limit.value, unit)}{rule}"


def _legend_marks(picture: Picture, left: float, top: float) -> tuple[list[Spec], list[Spec]]:
    """Data and marks of the legend."""
    placed, _ = _legend(picture, [], left, top)
    words = [{**item, "x": item["x"] + (0 if item["kind"] == "word" else 30)} for item in placed]
    data = [{"name": "legend", "values": words}]
    marks = [text("legend", {"x": {"field": "x"}, "y": {"field": "y"}, "text": {"field": "text"}})]
    for item in placed:
        if item["kind"] == "line":
            marks.append(
                mark(
                    "rule",
                    None,
                    {**value(x=item["x"], x2=item["x"] + 26, y=item["y"]), **_stroke(item["number"])},
                )
            )
        elif item["kind"] == "cell":
            marks.append(
                mark(
                    "rect",
                    None,
                    value(
                        x=item["x"] + 10,
                        y=item["y"] - 5,
                        width=16,
                        height=11,
                        fill="var(--series-1)",
                        fillOpacity=_OPACITY[item["level"]],
                    ),
                )
            )
        elif item["kind"] == "breach":
            marks.append(
                mark(
                    "rule",
                    None,
                    value(
                        x=item["x"],
                        x2=item["x"] + 26,
                        y=item["y"],
                        stroke="var(--breach)",
                        strokeWidth=6,
                        strokeOpacity=0.35,
                    ),
                )
            )
            marks.append(mark("symbol", None, {**value(x=item["x"] + 13, y=item["y"]), **_triangle(picture.worst)}))
    return data, marks


def _stroke(number: int) -> Spec:
    return value(
        stroke=f"var(--series-{number % 8 + 1})",
        strokeWidth=1.6,
        strokeDash=list(_DASHES[number % len(_DASHES)]),
        strokeCap="butt" if number % len(_DASHES) else "round",
        strokeJoin="round",
    )


def _triangle(worst: str) -> Spec:
    return value(
        shape="triangle-down" if worst == "lowest" else "triangle-up",
        size=70,
        fill="var(--breach)",
        stroke="var(--paper)",
        strokeWidth=1.2,
    )


def _breaches(picture: Picture) -> list[dict[str, Any]]:
    """The runs of steps in breach, each with its worst value, when and how long: the worst runs first."""
    found = []
    sign = 1 if picture.worst == "lowest" else -1
    for number, one in enumerate(picture.series):
        flags = [step in one.breached and one.values[step] is not None for step in range(len(picture.grid.starts))]
        for first, end, breached in runs(flags):
            if not breached:
                continue
            worst = min(range(first, end), key=lambda step, one=one: (sign * (one.values[step] or 0.0), step))  # type: ignore[misc]
            observed = one.values[worst] or 0.0
            found.append(
                {
                    "number": number,
                    "first": first,
                    "end": end,
                    "x": worst + 0.5,
                    "y": observed,
                    "order": sign * observed,
                    "href": href(picture.report),
                    "label": _breach_text(picture, one, worst, first, end),
                }
            )
    return sorted(found, key=lambda run: (run["order"], run["number"], run["first"]))


def _breach_text(picture: Picture, one: Series, worst: int, first: int, end: int) -> str:
    grid = picture.grid
    value_text = figure(one.values[worst], picture.unit)
    name = f"{clean(one.name)}: " if one.name else ""
    long = f", in breach {vega.moment(grid.starts[first], grid)} to {vega.moment(vega.end_of(grid, end - 1), grid)}"
    return f"{name}{value_text} at {vega.moment(grid.starts[worst], grid)}{long}"


def _points(values: Sequence[float | None]) -> list[dict[str, float | None]]:
    """The points of a line in the middle of their steps; what lies inside a level stretch adds nothing and is left out."""
    found: list[dict[str, float | None]] = []
    for step, item in enumerate(values):
        around = values[max(0, step - 1) : step + 2]
        if len(around) == 3 and all(other == item for other in around):
            continue
        found.append({"x": step + 0.5, "y": None if item is None else float(f"{item:.6g}")})
    return found


def _time(grid: Grid) -> tuple[Spec, Spec, Spec]:
    """The scale of time, its axis, and the signal with what stands below the ticks."""
    ticks = vega.time_ticks(grid)
    scale = {"name": "x", "type": "linear", "domain": [0, len(grid.starts)], "range": "width", "zero": False}
    names = {"name": "times", "value": {str(step): label for step, label in ticks.items()}}
    return scale, axis("bottom", "x", list(ticks), {"signal": "times[datum.value]"}, grid=True), names


def _lines(picture: Picture) -> Spec:
    left, top, right, _bottom = padding = _padding(picture)
    highest, ticks, limits = _highest(picture)
    scale_x, axis_x, names = _time(picture.grid)
    scale_y = {"name": "y", "type": "linear", "domain": [0, highest], "range": "height", "clamp": True}
    ticks = [tick for number, tick in enumerate(ticks) if len(ticks) <= 6 or number % 2 == 0]
    form = vega.number_format(ticks)
    axis_y = axis("left", "y", ticks, {"signal": f"format(datum.value, '{form}')"}, grid=True)
    place = {"x": by("x", "x"), "y": by("y", "y")}
    defined = {"defined": {"signal": "isValid(datum.y)"}}
    data, marks = _legend_marks(picture, left, top)
    breaches = _breaches(picture)
    thick = [
        point
        for run in breaches
        for point in [
            *(
                {"x": step + 0.5 + shift, "y": picture.series[run["number"]].values[step]}
                for step in range(run["first"], run["end"])
                for shift in ((-0.4, 0.4) if run["end"] - run["first"] == 1 else (0.0,))
            ),
            {"x": run["end"], "y": None},
        ]
    ]
    if thick:
        data.append({"name": "thick", "values": thick})
        marks.append(
            mark("line", "thick", {**place, **defined, **value(stroke="var(--breach)", strokeWidth=6, strokeOpacity=0.35, strokeCap="round", strokeJoin="round")})
        )  # fmt: skip
    for number, one in enumerate(picture.series):
        data.append({"name": f"s{number}", "values": _points(one.values)})
        marks.append(mark("line", f"s{number}", {**place, **defined, **_stroke(number)}))
    data.append({"name": "limits", "values": _limit_labels(limits, highest, picture.unit, WIDTH - left - right)})
    wide = {"x": {"value": 0}, "x2": {"signal": "width"}, "y": by("y", "value")}
    marks.append(mark("rule", "limits", {**wide, **value(stroke="var(--limit)", strokeWidth=1.2, strokeDash=[5, 3])}))
    label = {"x": {"field": "x"}, "y": by("y", "value", offset={"field": "offset"}), "text": {"field": "text"}}
    marks.append(
        text("limits", {**label, **value(align="right", stroke="var(--paper)", strokeWidth=3.5, strokeJoin="round")})
    )
    marks.append(text("limits", {**label, **value(align="right")}))
    data.append({"name": "breaches", "values": breaches[:MOST_MARKS]})
    marks.append(link("symbol", "breaches", {**place, **_triangle(picture.worst)}))
    return sheet(
        WIDTH - left - right, PLOT_HEIGHT, padding, signals=[names], scales=[scale_x, scale_y], axes=[axis_x, axis_y], data=data, marks=marks
    )  # fmt: skip


def _limit_labels(limits: Sequence[Limit], highest: float, unit: str, width: float) -> list[Spec]:
    """Limits with a place for their names: above the line, below it at the top; side by side where lines are close."""
    found: list[Spec] = []
    for limit in sorted(limits, key=lambda one: (one.value, one.rule_id)):
        at = PLOT_HEIGHT * (1 - limit.value / highest)
        offset = -7 if at > 14 else 8
        words = _limit_text(limit, unit)
        x = width - 4
        for other in found:
            if abs(other["at"] + other["offset"] - at - offset) < 13:
                x = min(x, other["x"] - other["wide"] - 14)
        found.append({"value": limit.value, "text": words, "x": x, "offset": offset, "at": at, "wide": vega.LETTER_PX * len(words)})  # fmt: skip
    return found


# --- strips


def _edges(picture: Picture) -> list[tuple[float, float]]:
    """The lower and upper edge of each level of a strip."""
    values = _values(picture.series)
    if picture.unit == "percent" and max(values, default=0) <= 100:
        top = 100.0
    else:
        top = vega.nice(max([*values, *(limit.value for limit in picture.limits)], default=1.0), LEVELS)[0]
    return [(float(f"{top * n / LEVELS:.6g}"), float(f"{top * (n + 1) / LEVELS:.6g}")) for n in range(LEVELS)]


def _strip(picture: Picture) -> Spec:
    left, top, right, _ = padding = _padding(picture)
    scale_x, axis_x, names = _time(picture.grid)
    scale_y = {"name": "y", "type": "linear", "domain": [0, len(picture.series)], "range": [0, _height(picture)]}
    edges = _edges(picture)
    data, marks = _legend_marks(picture, left, top)
    rows = [{"y": number + 0.5, "text": _short(one.name)} for number, one in enumerate(picture.series)]
    data.append({"name": "rows", "values": rows})
    marks.append(text("rows", {"x": {"value": -6}, "y": by("y", "y"), "text": {"field": "text"}, **value(align="right")}))  # fmt: skip

    def level(item: float | None) -> int | None:
        return None if item is None else min(LEVELS - 1, max(0, int(item / edges[-1][1] * LEVELS)))

    cells: list[list[Spec]] = [[] for _ in range(LEVELS)]
    for number, one in enumerate(picture.series):
        for first, end, found in runs([level(item) for item in one.values]):
            if found is not None:
                cells[found] += _bar(first, end, number + 0.5)
    for number, bars in enumerate(cells):
        if bars:
            data.append({"name": f"level{number}", "values": bars})
            channels = value(stroke="var(--series-1)", strokeWidth=ROW - 2, strokeOpacity=_OPACITY[number])
            marks.append(_bars(f"level{number}", channels))
    breaches = _breaches(picture)
    if breaches:
        under = [point for run in breaches for point in _bar(run["first"], run["end"], run["number"] + 0.9)]
        data.append({"name": "thick", "values": under})
        marks.append(_bars("thick", value(stroke="var(--breach)", strokeWidth=3)))
    shown = [{**run, "y": run["number"] + 0.5} for run in breaches[:MOST_MARKS]]
    data.append({"name": "breaches", "values": shown})
    marks.append(link("symbol", "breaches", {"x": by("x", "x"), "y": by("y", "y"), **_triangle(picture.worst)}))
    return sheet(
        WIDTH - left - right, _height(picture), padding, signals=[names], scales=[scale_x, scale_y], axes=[axis_x], data=data, marks=marks
    )  # fmt: skip


def _bar(first: float, end: float, y: float) -> list[Spec]:
    """A level piece of a line that stops at its end; thick lines in pieces are cells."""
    return [{"x": first, "y": y}, {"x": end, "y": y}, {"x": end, "y": None}]


def _bars(data: str, channels: Mapping[str, Any]) -> Spec:
    place = {"x": by("x", "x"), "y": by("y", "y"), "defined": {"signal": "isValid(datum.y)"}}
    return mark("line", data, {**place, **value(strokeCap="butt"), **channels})


# --- sparklines


def sparkline_svg(curve: Curve, grid: Grid) -> str:
    """The figure of a rule through the period in the height of a line of text: its limit dashed, steps in breach thick with a triangle."""
    known = [item for item in curve.values if item is not None]
    limit = curve.limit
    near = limit is not None and known and abs(limit) <= 3 * max(abs(item) for item in known)
    reach = [*known, *([limit] if near and limit is not None else []), 0.0]
    low, high = min(reach), max(reach)
    hit = sorted(step for step in curve.breached if curve.values[step] is not None)
    place = {"x": by("x", "x"), "y": by("y", "y"), "defined": {"signal": "isValid(datum.y)"}}
    data: list[Spec] = [{"name": "curve", "values": _points(curve.values)}]
    marks: list[Spec] = []
    if near:
        line = {"x": {"value": 0}, "x2": {"signal": "width"}, "y": {"scale": "y", "value": limit}}
        marks.append(mark("rule", None, {**line, **value(stroke="var(--limit)", strokeDash=[3, 2])}))
    if hit:
        flags = [step in curve.breached for step in range(len(curve.values))]
        thick = [
            point
            for first, end, breached in runs(flags)
            if breached
            for point in [
                *({"x": step + 0.5, "y": curve.values[step]} for step in range(first, end)),
                {"x": end, "y": None},
            ]
        ]
        data.append({"name": "thick", "values": thick})
        marks.append(mark("line", "thick", {**place, **value(stroke="var(--breach)", strokeWidth=4.5, strokeOpacity=0.6, strokeCap="round")}))  # fmt: skip
    marks.append(mark("line", "curve", {**place, **value(stroke="var(--series-1)", strokeWidth=1.3, strokeCap="round", strokeJoin="round")}))  # fmt: skip
    scales = [
        {"name": "x", "type": "linear", "domain": [0, max(1, len(grid.starts))], "range": "width", "zero": False},
        {"name": "y", "type": "linear", "domain": [low, high if high > low else low + 1], "range": "height", "zero": False},
    ]  # fmt: skip
    spec = sheet(SPARK_WIDTH - 6, SPARK_HEIGHT - 6, (3, 3, 3, 3), scales=scales, data=data, marks=marks)
    breaches = f"in breach in {len(hit)} of {plural(len(grid.starts), 'step')}" if hit else "never in breach"
    return vega.svg(spec, "spark", f"Through the period: {breaches}")


# --- the overview of the period


def heat_map_svg(day: Sequence[DayRow], grid: Grid) -> str:
    """States through the period, a row for each area and queue manager: the worse a state, the higher and the darker; runs have letters."""
    many = len({(row.lpar, row.qmgr) for row in day}) > 1
    names = [_row_name(row, many) for row in day]
    left = 16 + int(vega.LETTER_PX * max((len(name) for name in names), default=4))
    height = ROW * len(day)
    scale_x, axis_x, ticks = _time(grid)
    scale_y = {"name": "y", "type": "linear", "domain": [0, max(1, len(day))], "range": [0, height]}
    plot = WIDTH - left - 14
    data: list[Spec] = [
        {"name": "rows", "values": [{"y": number + 0.5, "text": name} for number, name in enumerate(names)]}
    ]
    marks = [text("rows", {"x": {"value": -6}, "y": by("y", "y"), "text": {"field": "text"}, **value(align="right")})]
    bars: dict[str, list[Spec]] = {}
    letters: list[Spec] = []
    for number, row in enumerate(day):
        for first, end, state in runs(row.states):
            if state is None:
                continue
            _, tall, letter, _ = _STATES.get(state, _QUIET)
            bars.setdefault(state if state in _STATES else "", []).extend(
                _bar(first, end, number + 1 - (1 / ROW) - tall * (ROW - 2) / ROW / 2)
            )
            if letter and (end - first) * plot / len(grid.starts) >= 9:
                letters.append({"x": (first + end) / 2, "y": number + 0.5, "text": letter})
    for state, points in sorted(bars.items()):
        colour, tall, _, _ = _STATES.get(state, _QUIET)
        data.append({"name": f"state_{state}", "values": points})
        marks.append(_bars(f"state_{state}", value(stroke=f"var(--state-{colour})", strokeWidth=tall * (ROW - 2))))
    data.append({"name": "letters", "values": letters})
    place = {"x": by("x", "x"), "y": by("y", "y"), "text": {"field": "text"}}
    marks.append(text("letters", {**place, **value(align="center", fontWeight="bold", fill="var(--paper)")}))
    key_data, key_marks = _state_key(bars, left)
    spec = sheet(
        plot, height, (left, 26, 14, 22), signals=[ticks], scales=[scale_x, scale_y], axes=[axis_x], data=[*data, *key_data], marks=[*marks, *key_marks]
    )  # fmt: skip
    hit = [
        name
        for name, row in zip(names, day, strict=True)
        if {"critical", "warning", "broken"} & {s for s in row.states if s}
    ]
    told = f"Warnings or worse in: {', '.join(hit)}." if hit else "No warning at any time."
    return vega.svg(spec, "chart-overview", "The period at a glance, by area and time", told)


def _row_name(row: DayRow, many: bool) -> str:
    place = clean(" ".join(part for part in (row.lpar, row.qmgr) if part))
    return f"{place}  {area_title(row.area)}" if many and place else area_title(row.area)


def _state_key(states: Iterable[str], left: float) -> tuple[list[Spec], list[Spec]]:
    """What the heights and colours of the overview mean, above it; only states that occur."""
    found = [name for name in _STATES if name in set(states)]
    words, marks, x = [], [], 0.0
    for name in found:
        colour, tall, letter, word = _STATES[name]
        high = tall * (ROW - 2)
        marks.append(mark("rect", None, value(x=x - left + 4, y=-12 - high, width=18, height=high, fill=f"var(--state-{colour})")))  # fmt: skip
        if letter:
            marks.append(text(None, value(x=x - left + 13, y=-18, text=letter, align="center", fontWeight="bold", fill="var(--paper)")))  # fmt: skip
        words.append({"x": x - left + 27, "y": -17, "text": word})
        x += 27 + vega.LETTER_PX * len(word) + 16
    marks.append(text("key", {"x": {"field": "x"}, "y": {"field": "y"}, "text": {"field": "text"}}))
    return [{"name": "key", "values": words}], marks
