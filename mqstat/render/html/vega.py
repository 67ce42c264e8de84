"""From a Vega specification to SVG that can stand in a page: small, without styles, scripts, ids and addresses of others.

Every chart is drawn by Vega (vl-convert runs it inside the process, without a browser and without the network). Colours are CSS variables
of the page (`var(--series-1)` and the like), so that the same picture is right on a light screen, on a dark one and on paper.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from html import escape
from typing import Any, TypeAlias

from mqstat.render.model import Grid

Spec: TypeAlias = dict[str, Any]

WIDTH = 760
"""Width of pictures and of the overview in px; a page makes them smaller where there is less room, or lets them scroll."""

FONT_PX = 11
"""Size of all text in charts; its family is that of the page around it."""

LETTER_PX = 6.2
"""Width of a letter on average: the room that text needs is estimated, so that no font of this machine decides a picture."""

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DAY = 86400
_TICKS = (
    60,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    10800,
    14400,
    21600,
    43200,
    _DAY,
    2 * _DAY,
    7 * _DAY,
    14 * _DAY,
    28 * _DAY,
)


# --- the parts of a specification


def value(**given: Any) -> Spec:
    """Channels of a mark that are the same for all of its items."""
    return {name: {"value": item} for name, item in given.items()}


def by(scale: str, field: str, **more: Any) -> Spec:
    """A channel that a scale makes of a field."""
    return {"scale": scale, "field": field, **more}


def mark(kind: str, data: str | None, channels: Spec) -> Spec:
    """A mark that only eyes are to see; links have a label of their own (`link`)."""
    source = {} if data is None else {"from": {"data": data}}
    return {"type": kind, "aria": False, "interactive": False, **source, "encode": {"enter": channels}}


def link(kind: str, data: str, channels: Spec) -> Spec:
    """A mark that leads to the field `href` of its data and is called `label`."""
    named = {"href": {"field": "href"}, "description": {"field": "label"}}
    return {"type": kind, "from": {"data": data}, "encode": {"enter": {**channels, **named}}}


def text(data: str | None, channels: Spec) -> Spec:
    """Text in the ink of the page."""
    return mark("text", data, {**value(fill="var(--ink)", fontSize=FONT_PX, baseline="middle"), **channels})


def dataset(name: str, values: list[dict[str, Any]]) -> Spec:
    """Rows that marks draw."""
    return {"name": name, "values": values}


def point(x: float, y: float | None) -> dict[str, Any]:
    """A point of a line; a line has a gap where `y` is None. The flag is a field because an expression would cost ten times as much."""
    return {"x": x, "y": y, "there": y is not None}


def curve(data: str, channels: Spec) -> Spec:
    """A line through points, with its gaps."""
    return mark("line", data, {"x": by("x", "x"), "y": by("y", "y"), "defined": {"field": "there"}, **channels})


def bar(first: float, end: float, y: float) -> list[dict[str, Any]]:
    """A level piece of a line that stops at its end: thick lines in pieces are cells, all of one colour in one element."""
    return [point(first, y), point(end, y), point(end, None)]


def time_axis(grid: Grid, height: float) -> tuple[Spec, list[Spec], list[Spec]]:
    """The scale of time, whose unit is a step, and data and marks of its axis: faint lines, a base line, local times below.

    Axes are marks of their own: Vega's axis is twice as dear and no better where the ticks are given.
    """
    ticks = [{"x": step, "text": label} for step, label in time_ticks(grid).items()]
    scale = {"name": "x", "type": "linear", "domain": [0, len(grid.starts)], "range": "width", "zero": False}
    at = {"x": by("x", "x")}
    marks = [
        mark("rule", "times", {**at, **value(y=0, y2=height, stroke="var(--grid)")}),
        mark("rule", "times", {**at, **value(y=height, y2=height + 4, stroke="var(--limit)")}),
        mark("rule", None, {**value(x=0, y=height, stroke="var(--limit)"), "x2": {"signal": "width"}}),
        text("times", {**at, **value(y=height + 13, align="center"), "text": {"field": "text"}}),
    ]
    return scale, [dataset("times", ticks)], marks


def value_axis(ticks: Sequence[float], highest: float) -> tuple[Spec, list[Spec], list[Spec]]:
    """The scale of values from 0, and data and marks of its axis."""
    form = number_form(ticks)
    rows = [{"y": tick, "text": form(tick)} for tick in ticks]
    scale = {"name": "y", "type": "linear", "domain": [0, highest], "range": "height", "clamp": True}
    marks = [
        mark("rule", "values", {"y": by("y", "y"), **value(x=0, stroke="var(--grid)"), "x2": {"signal": "width"}}),
        text("values", {"y": by("y", "y"), **value(x=-6, align="right"), "text": {"field": "text"}}),
    ]
    return scale, [dataset("values", rows)], marks


def row_axis(names: Sequence[str], height: float) -> tuple[Spec, list[Spec], list[Spec]]:
    """The scale of rows, whose unit is a row, and data and marks of the names in front of them."""
    rows = [{"y": number + 0.5, "text": name} for number, name in enumerate(names)]
    scale = {"name": "y", "type": "linear", "domain": [0, max(1, len(names))], "range": [0, height]}
    marks = [text("rows", {"y": by("y", "y"), **value(x=-6, align="right"), "text": {"field": "text"}})]
    return scale, [dataset("rows", rows)], marks


def sheet(width: float, height: float, padding: tuple[int, int, int, int], **parts: Any) -> Spec:
    """A specification of fixed size: `padding` is left, top, right, bottom; the plot has `width` and `height`."""
    left, top, right, bottom = padding
    return {
        "$schema": "https://vega.github.io/schema/vega/v5.json", "width": width, "height": height, "autosize": "none", "background": None,
        "padding": {"left": left, "top": top, "right": right, "bottom": bottom}, **parts,
    }  # fmt: skip


# --- scales


def nice(highest: float, ticks: int = 4) -> tuple[float, list[float]]:
    """The end of an axis from 0 that takes `highest`, and round values on it."""
    if not highest > 0 or not math.isfinite(highest):
        return 1.0, [0.0, 1.0]
    raw = highest / ticks
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * (1 - 1e-9))
    count = math.ceil(highest / step - 1e-9)
    return float(f"{step * count:.12g}"), [float(f"{step * number:.12g}") for number in range(count + 1)]


def number_form(values: Sequence[float]) -> Callable[[float], str]:
    """How the numbers of an axis are written: as many decimals as they need; large ones in thousands or millions."""
    highest = max(values, default=0)
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if highest >= max(size, 10_000):
            return lambda item: f"{item / size:g}{letter}" if item else "0"
    decimals = max((len(f"{item:.6f}".rstrip("0").partition(".")[2]) for item in values), default=0)
    return lambda item: f"{item:,.{decimals}f}"


def moment(local: datetime, grid: Grid) -> str:
    """A local time as a chart says it: the time of day when the grid covers one day, else with its date."""
    return f"{local:%H:%M}" if one_day(grid) else f"{local.day} {_MONTHS[local.month - 1]} {local:%H:%M}"


def one_day(grid: Grid) -> bool:
    """Whether all steps of a grid are of one local day."""
    return bool(grid.starts) and grid.starts[0].date() == grid.starts[-1].date()


def end_moment(grid: Grid, step: int) -> str:
    """The local time at which a step ends; the day ends at 24:00."""
    end = grid.starts[step + 1] if step + 1 < len(grid.starts) else grid.starts[step] + timedelta(seconds=grid.seconds)
    return "24:00" if one_day(grid) and end.date() != grid.starts[0].date() else moment(end, grid)


def time_ticks(grid: Grid, most: int = 9) -> dict[int, str]:
    """The steps that get a tick on the axis of time, and what stands below it: round local times, days where there are several."""
    span = len(grid.starts) * grid.seconds
    seconds = next((size for size in _TICKS if span / size <= most), _TICKS[-1])
    found: dict[int, str] = {}
    last = -1
    for step, local in enumerate(grid.starts):
        since = (local - datetime(1970, 1, 5)) // timedelta(seconds=1)  # a Monday
        slot = since // seconds
        if slot != last and (since % seconds < grid.seconds):
            midnight = since % _DAY < min(seconds, grid.seconds) and not one_day(grid)
            found[step] = f"{local.day} {_MONTHS[local.month - 1]}" if midnight else f"{local:%H:%M}"
        last = slot
    return found or {0: moment(grid.starts[0], grid)}


# --- SVG


_TAG = re.compile(r"<[^>]*>")
_EMPTY = re.compile(r'<path class="(?:background|foreground)"[^>]*/>|<g[^>]*></g>')
_NOISE = re.compile(
    r' (?:class|font-family|aria-roledescription|role|pointer-events|stroke-miterlimit)="[^"]*"| (?:opacity|stroke-width|fill-opacity)="1"'
)
_HREF = re.compile(r'xlink:href="[^"#]*#')
_DECIMALS = re.compile(r"(\d\.\d)\d+")
_PLAIN = re.compile(r"<g>((?:(?!</?g)[^\0])*)</g>")
_LABELLED = re.compile(r'(<a xlink:href="[^"]*")>(<path) aria-label="([^"]*)"')


def svg(spec: Spec, name: str, title: str, desc: str = "") -> str:
    """The chart as an SVG element of class `name`, told to those who cannot see it by `title` and `desc`.

    It has the role of one image, or of a group where it holds links.
    """
    import vl_convert

    drawn = vl_convert.vega_to_svg(spec)
    inner = _slim(drawn[drawn.index(">") + 1 : drawn.rindex("</svg>")])
    padding = spec["padding"]
    width = spec["width"] + padding["left"] + padding["right"]
    height = spec["height"] + padding["top"] + padding["bottom"]
    role = "group" if "<a " in inner else "img"
    spoken = escape(f"{title}. {desc}" if desc else title)  # no ids are needed, so none can be there twice
    told = f"<title>{escape(title)}</title>" + (f"<desc>{escape(desc)}</desc>" if desc else "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" class="chart {name}" role="{role}" '
        f'aria-label="{spoken}" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">{told}{inner}</svg>'
    )


def _slim(drawn: str) -> str:
    """Without what a page does not need: empty elements, names of parts, digits below a tenth of a pixel."""
    for _ in range(3):
        drawn = _EMPTY.sub("", drawn)
    drawn = _TAG.sub(lambda found: _tag(found[0]), drawn)
    for _ in range(4):
        drawn = _PLAIN.sub(r"\1", drawn)
    return _LABELLED.sub(r'\1 aria-label="\3"><title>\3</title>\2', drawn)


def _tag(found: str) -> str:
    if found.startswith("</"):
        return found
    found = _HREF.sub('xlink:href="#', _NOISE.sub("", found))
    return found if "aria-label" in found or "href" in found else _DECIMALS.sub(r"\1", found)


def runs(steps: Sequence[Any]) -> Iterator[tuple[int, int, Any]]:
    """Neighbouring equal items as (first, end, item)."""
    first = 0
    for step in range(1, len(steps) + 1):
        if step == len(steps) or steps[step] != steps[first]:
            yield first, step, steps[first]
            first = step
