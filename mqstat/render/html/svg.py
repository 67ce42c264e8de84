"""Writes charts as SVG elements that a page under a strict Content-Security-Policy can hold: no styles, scripts, ids or
outside addresses.

Colours are CSS variables of the page (`var(--series-1)` and so on), so one chart fits light screens, dark screens and
paper. The width of a text is estimated, never measured with a font of this machine: the same data gives the same bytes
everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, TypeAlias

from mqstat.assemble.page_model import Grid
from mqstat.base.formatting import clean
from mqstat.render.html.scales import tick_texts, time_ticks

Point: TypeAlias = tuple[float, float | None]
"""A point of a line in units of its scales; the line has a gap where the second number is None."""

Attribute: TypeAlias = str | float | Sequence[int]
"""A presentation attribute: `stroke_width=2` is written as `stroke-width="2"`, `stroke_dasharray=(5, 3)` as `"5,3"`."""

WIDTH = 760
"""Width of pictures and of the overview in px; a page shrinks them where there is less room, or lets them scroll."""

FONT_PX = 11
"""Size of the text in charts; its family is that of the page around it."""

LARGER = 1.6
"""So many times as large is the text of the chart of a finding on a phone."""

TOLERANCE_PX = 0.25
"""Maximum distance in px of a line from an omitted point: not visible."""


def text_width(text: str) -> float:
    """The width of a text in px, a conservative estimate."""
    return sum(
        3.4 if letter in " .,:;'|!()[]fijlrt" else 8.3 if letter.isupper() or letter in "mw%@" else 6.9
        for letter in clean(text)
    )


# --- points


def bar(first: float, end: float, y: float) -> list[Point]:
    """A level piece of a line that stops at its end: thick pieces are cells, and all cells of one colour are one
    element.
    """
    return [(first, y), (end, y), (end, None)]


def round_six(number: float) -> float:
    """The number rounded to six significant digits; an integer where nothing follows the decimal point."""
    rounded = float(f"{number:.6g}")
    return int(rounded) if rounded.is_integer() else rounded


def points(values: Sequence[float | None], px: float) -> list[Point]:
    """The points of a line in the middle of their steps, without those that the line between their neighbours meets
    anyway.

    `px` is the height of one unit. Lines of idle queue managers are nearly level, and most of their points can go.
    """
    kept: list[Point] = []
    slack = TOLERANCE_PX / px
    step = 0
    while step < len(values):
        item = values[step]
        if item is None:
            kept += [(step + 0.5, None)] if kept and kept[-1][1] is not None else []
            step += 1
            continue
        kept.append((step + 0.5, round_six(item)))
        reached = _reach(values, step, item, slack)
        # The end of a straight stretch begins the next one; a point without a neighbour is drawn by itself.
        if reached == step:
            step += 1
        elif reached + 1 < len(values) and values[reached + 1] is not None:
            step = reached
        else:
            kept.append((reached + 0.5, round_six(values[reached] or 0.0)))
            step = reached + 1
    return kept


def _reach(values: Sequence[float | None], start: int, item: float, slack: float) -> int:
    """The last step that one straight line from `start` reaches while it meets every point before it."""
    low, high = float("-inf"), float("inf")  # slopes of such lines
    end = start
    for step in range(start + 1, len(values)):
        other = values[step]
        if other is None:
            break
        slope, width = (other - item) / (step - start), slack / (step - start)
        if not low <= slope <= high:
            break
        low, high, end = max(low, slope - width), min(high, slope + width), step
    return end


def alone(values: Sequence[float | None]) -> list[tuple[float, float]]:
    """Points without neighbours, which no line reaches."""
    around = [None, *values, None]
    return [
        (step + 0.5, round_six(item))
        for step, item in enumerate(values)
        if item is not None and around[step] is None and around[step + 2] is None
    ]


def runs(steps: Sequence[Any]) -> Iterator[tuple[int, int, Any]]:
    """Runs of equal items as (first, end, item)."""
    first = 0
    for step in range(1, len(steps) + 1):
        if step == len(steps) or steps[step] != steps[first]:
            yield first, step, steps[first]
            first = step


# --- elements


def _px(number: float) -> str:
    """A coordinate to a tenth of a pixel, in as few letters as it takes."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _attributes(attributes: dict[str, Attribute]) -> str:
    written = []
    for name, item in attributes.items():
        text = item if isinstance(item, str) else f"{item:g}" if isinstance(item, (int, float)) else ",".join(map(str, item))  # fmt: skip
        if text:
            written.append(f' {name.replace("_", "-")}="{escape(text)}"')
    return "".join(written)


def _path(moves: str, attributes: dict[str, Attribute]) -> str:
    return f'<path d="{moves}"{_attributes(attributes)}/>' if moves else ""


def _triangle(up: bool, size: float) -> str:
    """The outline of a triangle of `size` square pixels around 0,0."""
    half = size**0.5 / 2
    height = half * 3**0.5 / 2 * (1 if up else -1)
    return f"M0,{_px(-height)}L{_px(-half)},{_px(height)}H{_px(half)}Z"


SHAPES = {"up": _triangle(True, 80), "down": _triangle(False, 80)}
"""Outlines of the marks of a breach."""


@dataclass(frozen=True)
class Scale:
    """Maps values linearly to px of the plot; values outside the domain are drawn at its edge."""

    low: float
    high: float
    at_low: float
    at_high: float

    def __call__(self, value: float) -> float:
        """The place of a value in px."""
        inside = min(max(value, self.low), self.high)
        return self.at_low + (inside - self.low) / (self.high - self.low) * (self.at_high - self.at_low)


@dataclass
class Sheet:
    """A plot of `width` by `height` px with its padding (left, top, right, bottom), and what was drawn on it so far.

    Both scales are px of the plot until `scale_x`, `scale_y` or one of the axes sets them.
    """

    width: float
    height: float
    padding: tuple[int, int, int, int]
    x: Scale = Scale(0, 1, 0, 1)
    y: Scale = Scale(0, 1, 0, 1)
    shapes: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    def scale_x(self, steps: int) -> None:
        """Make the unit of `x` one of so many steps across the plot."""
        self.x = Scale(0, max(1, steps), 0, self.width)

    def scale_y(self, at_top: float, at_bottom: float) -> None:
        """Make `y` go from the value at the top of the plot to the one at its bottom."""
        low, high = sorted((at_top, at_bottom))
        self.y = Scale(low, high, *((0, self.height) if at_top < at_bottom else (self.height, 0)))

    def rules(self, lines: Iterable[tuple[float, float, float, float]], **attributes: Attribute) -> None:
        """Straight lines between two places in px (x1, y1, x2, y2), all of one look."""
        moves = ""
        for x1, y1, x2, y2 in lines:
            end = f"H{_px(x2)}" if y1 == y2 else f"V{_px(y2)}" if x1 == x2 else f"L{_px(x2)},{_px(y2)}"
            moves += f"M{_px(x1)},{_px(y1)}{end}"
        self.shapes.append(_path(moves, attributes))

    def curve(self, line: Iterable[Point], **attributes: Attribute) -> None:
        """A line through points in units of the scales, with its gaps."""
        moves, letter, before = "", "M", None
        for x, y in line:
            if y is None:
                letter = "M"
                continue
            at = self.y(y)
            moves += f"H{_px(self.x(x))}" if letter == "L" and at == before else f"{letter}{_px(self.x(x))},{_px(at)}"
            letter, before = "L", at
        self.shapes.append(_path(moves, attributes))

    def dots(self, points: Iterable[tuple[float, float]], radius: float, **attributes: Attribute) -> None:
        """Filled circles around points in units of the scales."""
        arc = f"a{radius:g},{radius:g},0,1,1"
        dots = (f"M{_px(self.x(x) - radius)},{_px(self.y(y))}{arc},{2 * radius:g},0{arc},{-2 * radius:g},0" for x, y in points)  # fmt: skip
        self.shapes.append(_path("".join(dots), attributes))

    def boxes(self, boxes: Iterable[tuple[float, float, float, float]], **attributes: Attribute) -> None:
        """Rectangles in px of the plot (x, y, width, height)."""
        moves = "".join(f"M{_px(x)},{_px(y)}h{_px(width)}v{_px(high)}h{_px(-width)}Z" for x, y, width, high in boxes)
        self.shapes.append(_path(moves, attributes))

    def mark(self, x: float, y: float, shape: str, **attributes: Attribute) -> None:
        """One of SHAPES around a place in px of the plot."""
        self.shapes.append(_path(SHAPES[shape], {"transform": f"translate({_px(x)},{_px(y)})", **attributes}))

    def link(self, x: float, y: float, shape: str, href: str, label: str, **attributes: Attribute) -> None:
        """One of SHAPES around a point in units of the scales, above all else, that leads to a place of the page and
        has a name.
        """
        name = escape(clean(label))
        drawn = _path(SHAPES[shape], {"transform": f"translate({_px(self.x(x))},{_px(self.y(y))})", **attributes})
        self.links.append(f'<a href="{escape(href)}" aria-label="{name}"><title>{name}</title>{drawn}</a>')

    def write(
        self, x: float, y: float, text: str, anchor: str = "start", *, fill: str = "", bold: bool = False, halo: bool = False
    ) -> None:  # fmt: skip
        """Text in px of the plot, its middle at `y`; `anchor` is start, middle or end; `halo` keeps it readable above
        lines.
        """
        attributes: dict[str, Attribute] = {
            "text_anchor": "" if anchor == "start" else anchor,
            "fill": fill,
            "font_weight": "bold" if bold else "",
        }
        if halo:
            attributes |= {
                "stroke": "var(--paper)",
                "stroke_width": 3.5,
                "stroke_linejoin": "round",
                "paint_order": "stroke",
            }
        at = f'x="{x:.5g}" y="{y + FONT_PX * 0.34:.5g}"'
        self.labels.append(f"<text {at}{_attributes(attributes)}>{escape(clean(text), quote=False)}</text>")

    def time_axis(self, grid: Grid, *, large: bool = False) -> None:
        """Make a step the unit of `x`; faint lines, a base line, and local times below it; `large` = with room for the
        larger text of a phone.
        """
        count = max(1, len(grid.starts))
        self.scale_x(count)
        ticks = time_ticks(grid)
        self.rules([(self.x(step), 0, self.x(step), self.height) for step in ticks], stroke="var(--grid)")
        low = [(self.x(step), self.height, self.x(step), self.height + 4) for step in ticks]
        self.rules([*low, (0, self.height, self.width, self.height)], stroke="var(--limit)")
        for step, text in ticks.items():
            x, half = step * self.width / count, text_width(text) * (LARGER if large else 1) / 2
            anchor = "start" if half > x + self.padding[0] else "middle"
            self.write(-self.padding[0] if anchor == "start" else x, self.height + (17 if large else 13), text, anchor)

    def value_axis(self, ticks: Sequence[float]) -> None:
        """Make `y` a value from the first tick at the bottom to the last; faint lines, a visible one at 0 above
        negative values, and numbers.
        """
        self.scale_y(ticks[-1], ticks[0])
        self.rules([(0, self.y(tick), self.width, self.y(tick)) for tick in ticks[1:] if tick], stroke="var(--grid)")
        if ticks[0] < 0:
            self.rules([(0, self.y(0), self.width, self.y(0))], stroke="var(--limit)")
        for tick, text in zip(ticks, tick_texts(ticks), strict=True):
            self.write(-6, self.y(tick), text, "end")

    def row_axis(self, names: Sequence[str]) -> None:
        """Make a row the unit of `y`, and write the names of the rows."""
        count = max(1, len(names))
        self.scale_y(0, count)
        for number, name in enumerate(names):
            self.write(-6, (number + 0.5) * self.height / count, name, "end")

    def svg(self, name: str, title: str, desc: str = "") -> str:
        """The chart as an SVG element of class `name`; `title` and `desc` describe it to those who cannot see it.

        Its role is one image, or a group where it holds links.
        """
        left, top, right, bottom = self.padding
        at = f'transform="translate({left},{top})"'
        inner = f'<g fill="none" aria-hidden="true" {at}>{"".join(self.shapes)}</g>'
        if self.links:
            inner += f'<g fill="none" {at}>{"".join(self.links)}</g>'
        if self.labels:
            texts = "".join(self.labels)
            inner += (
                f'<g {at} fill="var(--ink)" font-size="{FONT_PX}" pointer-events="none" aria-hidden="true">{texts}</g>'
            )
        title, desc = clean(title), clean(desc)
        spoken = escape(
            f"{title}. {desc}" if desc else title
        )  # an aria-label needs no id, which a page could hold twice
        described = f"<title>{escape(title)}</title>" + (f"<desc>{escape(desc)}</desc>" if desc else "")
        width, height = f"{self.width + left + right:g}", f"{self.height + top + bottom:g}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart {name}" role="{"group" if self.links else "img"}" '
            f'aria-label="{spoken}" width="{width}" height="{height}" viewBox="0 0 {width} {height}">{described}{inner}</svg>'
        )
