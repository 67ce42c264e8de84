"""The legend above the plot of a picture: its unit, its lines or levels, limits that are not drawn, and how a breach is marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from mqstat.assemble.page_model import Limit, Picture
from mqstat.base.formatting import clean, figure, natural, number_text, unit_text
from mqstat.render.html.svg import Attribute, Sheet, text_width

ROW = 16
"""Height of a row of the legend in px."""

SAMPLE = 26
"""Width of a line or cell of the legend in px."""

OPACITY = (0.1, 0.28, 0.48, 0.7, 1.0)
"""Shades of a strip, from low to high."""

THICK: dict[str, Attribute] = {"stroke": "var(--breach)", "stroke_width": 7, "stroke_opacity": 0.3}
"""Attributes of the band under a line in breach."""

TRIANGLE: dict[str, Attribute] = {"fill": "var(--breach)", "stroke": "var(--paper)", "stroke_width": 1.2}
"""Attributes of the mark of a breach."""

_DASHES: Sequence[Sequence[int]] = ([], [7, 3], [2, 3], [9, 3, 2, 3], [12, 5], [4, 4], [1, 4], [14, 3, 3, 3])


@dataclass(frozen=True)
class Item:
    """One part of a legend: `kind` is word, line, cell or breach; `number` is that of the look of the line or of the level."""

    kind: str
    text: str
    number: int = 0

    @property
    def room(self) -> float:
        """Its width in px."""
        return (0 if self.kind == "word" else SAMPLE + 5) + text_width(self.text)


def line_looks(pictures: Iterable[Picture]) -> dict[str, int]:
    """The number of the look (`stroke`) of each name: one name looks the same in all pictures, and names of one picture differ.

    Eight looks have a colour and a dash of their own; names that share pictures with eight others get a colour with another dash.
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
    """The parts of the legend: `far` limits are too high to be drawn, `edges` are those of the levels of a strip, `looks` those of its lines."""
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
            x, y = 0.0, y + ROW
        positions.append((item, x, y + ROW / 2))
        x += item.room + 16
    return positions, y + ROW if items else 0.0


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
