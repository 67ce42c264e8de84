"""From data to SVG that can stand in a page: small, without styles, scripts, ids and addresses of others.

Every shape is drawn by Vega (vl-convert runs it inside the process, without a browser and without the network). Text is put beside it here:
Vega would measure each word with a font of this machine, which costs more than all shapes and decides nothing. Colours are CSS variables of
the page (`var(--series-1)` and the like), so that the same chart is right on a light screen, on a dark one and on paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, TypeAlias

from mqstat.render.html.scales import number_form, time_ticks
from mqstat.render.model import Grid
from mqstat.rules.engine import clean

Spec: TypeAlias = dict[str, Any]
Points: TypeAlias = list[dict[str, Any]]

WIDTH = 760
"""Width of pictures and of the overview in px; a page makes them smaller where there is less room, or lets them scroll."""

FONT_PX = 11
"""Size of the text in charts; its family is that of the page around it."""

TOLERANCE_PX = 0.25
"""How far a line may run beside a point that is left out: less than an eye can see."""


def wide(text: str) -> float:
    """The room that a text needs in px, estimated on the safe side: no font of this machine decides where things stand."""
    return sum(
        3.4 if letter in " .,:;'|!()[]fijlrt" else 8.3 if letter.isupper() or letter in "mw%@" else 6.9
        for letter in clean(text)
    )


# --- the parts of a specification


def value(**given: Any) -> Spec:
    """Channels of a mark that are the same for all of its items."""
    return {name: {"value": item} for name, item in given.items()}


def by(scale: str, name: str, **more: Any) -> Spec:
    """A channel that a scale makes of a field."""
    return {"scale": scale, "field": name, **more}


def fields(*names: str) -> Spec:
    """Channels that are fields as they are."""
    return {name: {"field": name} for name in names}


def point(x: float, y: float | None) -> dict[str, Any]:
    """A point of a line; a line has a gap where `y` is None. The flag is a field because an expression would cost ten times as much."""
    return {"x": x, "y": y, "there": y is not None}


def bar(first: float, end: float, y: float) -> Points:
    """A level piece of a line that stops at its end: thick lines in pieces are cells, all of one colour in one element."""
    return [point(first, y), point(end, y), point(end, None)]


def six(number: float) -> float:
    """Six digits, and no point where there is nothing behind it."""
    rounded = float(f"{number:.6g}")
    return int(rounded) if rounded.is_integer() else rounded


def points(values: Sequence[float | None], px: float) -> Points:
    """The points of a line in the middle of their steps, without those that the line between their neighbours meets anyway.

    `px` is the height of one unit. Idle queue managers draw nearly level lines; most of their points say nothing.
    """
    found: Points = []
    slack = TOLERANCE_PX / px
    step = 0
    while step < len(values):
        item = values[step]
        if item is None:
            found += [point(step + 0.5, None)] if found and found[-1]["there"] else []
            step += 1
            continue
        found.append(point(step + 0.5, six(item)))
        reached = _reach(values, step, item, slack)
        # The end of a straight stretch begins the next one; a point without a neighbour stands alone.
        if reached == step:
            step += 1
        elif reached + 1 < len(values) and values[reached + 1] is not None:
            step = reached
        else:
            found.append(point(reached + 0.5, six(values[reached] or 0.0)))
            step = reached + 1
    return found


def _reach(values: Sequence[float | None], start: int, item: float, slack: float) -> int:
    """The last step that one straight line from `start` reaches while it meets every point before it."""
    low, high = float("-inf"), float("inf")  # slopes of such lines
    end = start
    for step in range(start + 1, len(values)):
        other = values[step]
        if other is None:
            break
        slope, wide = (other - item) / (step - start), slack / (step - start)
        if not low <= slope <= high:
            break
        low, high, end = max(low, slope - wide), min(high, slope + wide), step
    return end


# --- a chart that is being made


@dataclass(frozen=True)
class Label:
    """A piece of text in px of the plot, its middle at `y`; `anchor` is start, middle or end; `halo` keeps it readable above lines."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    fill: str = ""
    bold: bool = False
    halo: bool = False

    def svg(self) -> str:
        """The element, its text escaped."""
        more = "" if self.anchor == "start" else f' text-anchor="{self.anchor}"'
        more += f' fill="{self.fill}"' if self.fill else ""
        more += ' font-weight="bold"' if self.bold else ""
        more += (
            ' stroke="var(--paper)" stroke-width="3.5" stroke-linejoin="round" paint-order="stroke"'
            if self.halo
            else ""
        )
        return f'<text x="{self.x:.5g}" y="{self.y + FONT_PX * 0.34:.5g}"{more}>{escape(clean(self.text), quote=False)}</text>'


@dataclass
class Sheet:
    """A plot of `width` by `height` px with its padding (left, top, right, bottom) and what was put on it so far."""

    width: float
    height: float
    padding: tuple[int, int, int, int]
    scales: list[Spec] = field(default_factory=list)
    data: list[Spec] = field(default_factory=list)
    marks: list[Spec] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)

    def scale(self, name: str, domain: Sequence[float], pixels: Sequence[float]) -> None:
        """A linear scale."""
        self.scales.append(
            {
                "name": name,
                "type": "linear",
                "domain": list(domain),
                "range": list(pixels),
                "zero": False,
                "clamp": name == "y",
            }
        )

    def draw(self, kind: str, rows: Iterable[Spec], channels: Spec) -> None:
        """A mark for eyes alone, its items from rows; nothing where there are none."""
        mark = self._mark(kind, rows, channels)
        if mark:
            self.marks.append({**mark, "aria": False, "interactive": False})

    def curve(self, rows: Points, **look: Any) -> None:
        """A line through points, with its gaps."""
        self.draw("line", rows, {"x": by("x", "x"), "y": by("y", "y"), "defined": {"field": "there"}, **value(**look)})

    def links(self, kind: str, rows: Iterable[Spec], channels: Spec) -> None:
        """Marks that lead to the field `href` of their rows and are called `label`."""
        named = {"href": {"field": "href"}, "description": {"field": "label"}}
        mark = self._mark(kind, rows, {**channels, **named})
        if mark:
            self.marks.append(mark)

    def write(self, x: float, y: float, text: str, anchor: str = "start", **look: Any) -> None:
        """Text at a place of the plot."""
        self.labels.append(Label(x, y, text, anchor, **look))

    def time_axis(self, grid: Grid) -> None:
        """The scale `x`, whose unit is a step, faint lines, a base line, and local times below."""
        count = max(1, len(grid.starts))
        self.scale("x", (0, count), (0, self.width))
        ticks = time_ticks(grid)
        rows = [{"x": step} for step in ticks]
        self.draw("rule", rows, {"x": by("x", "x"), **value(y=0, y2=self.height, stroke="var(--grid)")})
        self.draw("rule", rows, {"x": by("x", "x"), **value(y=self.height, y2=self.height + 4, stroke="var(--limit)")})
        self.draw("rule", [{}], value(x=0, x2=self.width, y=self.height, stroke="var(--limit)"))
        for step, text in ticks.items():
            self.write(step * self.width / count, self.height + 13, text, "middle")

    def value_axis(self, ticks: Sequence[float], highest: float) -> None:
        """The scale `y` from 0, faint lines and numbers."""
        self.scale("y", (0, highest), (self.height, 0))
        rows = [{"y": tick} for tick in ticks if tick]
        self.draw("rule", rows, {"y": by("y", "y"), **value(x=0, x2=self.width, stroke="var(--grid)")})
        form = number_form(ticks)
        for tick in ticks:
            self.write(-6, self.height * (1 - tick / highest), form(tick), "end")

    def row_axis(self, names: Sequence[str]) -> None:
        """The scale `y`, whose unit is a row, and the names of the rows."""
        count = max(1, len(names))
        self.scale("y", (0, count), (0, self.height))
        for number, name in enumerate(names):
            self.write(-6, (number + 0.5) * self.height / count, name, "end")

    def svg(self, name: str, title: str, desc: str = "") -> str:
        """The chart as an SVG element of class `name`, told to those who cannot see it by `title` and `desc`.

        It has the role of one image, or of a group where it holds links.
        """
        import vl_convert

        left, top, right, bottom = self.padding
        spec = {
            "$schema": "https://vega.github.io/schema/vega/v5.json", "width": self.width, "height": self.height, "autosize": "none", "background": None,
            "padding": {"left": left, "top": top, "right": right, "bottom": bottom}, "scales": self.scales, "data": self.data, "marks": self.marks,
        }  # fmt: skip
        drawn = vl_convert.vega_to_svg(spec)
        inner = _slim(drawn[drawn.index(">") + 1 : drawn.rindex("</svg>")])
        if self.labels:
            texts = "".join(label.svg() for label in self.labels)
            inner += (
                f'<g transform="translate({left},{top})" fill="var(--ink)" font-size="{FONT_PX}" pointer-events="none" '
                f'aria-hidden="true">{texts}</g>'
            )
        title, desc = clean(title), clean(desc)
        role = "group" if "<a " in inner else "img"
        spoken = escape(f"{title}. {desc}" if desc else title)  # no ids are needed, so none can be there twice
        told = f"<title>{escape(title)}</title>" + (f"<desc>{escape(desc)}</desc>" if desc else "")
        width, height = f"{self.width + left + right:g}", f"{self.height + top + bottom:g}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" class="chart {name}" role="{role}" '
            f'aria-label="{spoken}" width="{width}" height="{height}" viewBox="0 0 {width} {height}">{told}{inner}</svg>'
        )

    def _mark(self, kind: str, rows: Iterable[Spec], channels: Spec) -> Spec | None:
        kept = list(rows)
        if not kept:
            return None
        name = f"d{len(self.data)}"
        self.data.append({"name": name, "values": kept})
        return {"type": kind, "from": {"data": name}, "encode": {"enter": channels}}


_TAG = re.compile(r"(<[^>]*>)")
_SKIPPED = ('<path class="background"', '<path class="foreground"')
_NOISE = re.compile(
    r' (?:class|font-family|aria-roledescription|role|pointer-events|stroke-miterlimit)="[^"]*"| (?:opacity|stroke-width|fill-opacity)="1"'
)
_HREF = re.compile(r'xlink:href="[^"#]*#')
_DECIMALS = re.compile(r"(\d\.\d)\d+")
_LABELLED = re.compile(r'(<a xlink:href="[^"]*")>(<path) aria-label="([^"]*)"')


def _slim(drawn: str) -> str:
    """Without what a page does not need: empty groups and those that say nothing, names of parts, digits below a tenth of a pixel."""
    out: list[str] = []
    groups: list[int | None] = []  # where the open groups begin in `out`; None for one that is left out
    for part in _TAG.split(drawn):
        if part == "</g>":
            begin = groups.pop()
            if begin == len(out) - 1:
                out.pop()
            elif begin is not None:
                out.append(part)
            continue
        if not part or part.startswith(_SKIPPED) or (part.startswith("<g") and part.endswith("/>")):
            continue
        tag = _tag(part) if part.startswith("<") and not part.startswith("</") else part
        if tag.startswith("<g"):
            groups.append(None if tag == "<g>" else len(out))
        if tag != "<g>":
            out.append(tag)
    return _LABELLED.sub(r'\1 aria-label="\3"><title>\3</title>\2', "".join(out))


def _tag(found: str) -> str:
    found = _HREF.sub('xlink:href="#', _NOISE.sub("", found))
    return found if "aria-label" in found or "href" in found else _DECIMALS.sub(r"\1", found)


def runs(steps: Sequence[Any]) -> Iterator[tuple[int, int, Any]]:
    """Neighbouring equal items as (first, end, item)."""
    first = 0
    for step in range(1, len(steps) + 1):
        if step == len(steps) or steps[step] != steps[first]:
            yield first, step, steps[first]
            first = step
