"""The busiest part of the map of queues, applications and channels as a drawing: who puts on the left, queues in the
middle, who gets on the right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mqstat.assemble.queue_map import BROWSE, GET, OTHERS, PUT, Edge, QueueMap
from mqstat.base.formatting import LARGE, clean, number_text, plural
from mqstat.render.graph import note
from mqstat.render.html.svg import FONT_PX, WIDTH, Sheet, text_width

NODE_PX = 200
"""Width of a node."""

ROW_PX = 40
"""Height of a node with the room below it."""

BOX_PX = 32
"""Height of a node: two lines of text."""

BOLD = 1.15
"""Width of bold letters compared with plain ones."""

THICKEST_PX = 7.0
_SPACE = 6


@dataclass
class _Box:
    """A node in one of the columns: its number, the messages of its edges by verb, the nodes at their other ends, and
    its row.
    """

    node: int
    messages: dict[str, int] = field(default_factory=dict)
    neighbours: list[int] = field(default_factory=list)
    row: float = 0.0

    @property
    def weight(self) -> int:
        """All its messages."""
        return sum(self.messages.values())


def map_svg(drawn: QueueMap) -> str:
    """The map as an SVG element; empty for a map without edges."""
    if not drawn.edges:
        return ""
    putting, queues, getting = _columns(drawn)
    rows = max(len(putting), len(queues), len(getting))
    owners = {node.owner for node in drawn.nodes if node.owner}
    sheet = Sheet(WIDTH - 2 * _SPACE, rows * ROW_PX, (_SPACE, 24, _SPACE, 2))
    left, middle, right = 0.0, (sheet.width - NODE_PX) / 2, sheet.width - NODE_PX
    top = {id(box): _top(box, column, rows) for column in (putting, queues, getting) for box in column.values()}
    others = {number for number, node in enumerate(drawn.nodes) if node.kind == OTHERS}
    heaviest = max((edge.messages for edge in drawn.edges if not others & {edge.start, edge.end}), default=0) or 1
    for edge in drawn.edges:
        if edge.verb == PUT:
            start, end = putting[edge.start], queues[edge.end]
            line = (left + NODE_PX, top[id(start)], middle, top[id(end)])
        else:
            start, end = queues[edge.start], getting[edge.end]
            line = (middle + NODE_PX, top[id(start)], right, top[id(end)])
        x1, y1, x2, y2 = line
        sheet.rules(
            [(x1, y1 + BOX_PX / 2, x2, y2 + BOX_PX / 2)],
            stroke="var(--series-1)" if edge.verb == PUT else "var(--series-2)",
            stroke_width=round(1 + (THICKEST_PX - 1) * min(1.0, edge.messages / heaviest), 1),
            stroke_dasharray=(4, 3) if edge.verb == BROWSE else "",
        )
    for x, title, column in ((left, "puts", putting), (middle, "queue", queues), (right, "gets", getting)):
        sheet.write(x, -12, title, bold=True)
        boxes = [(x, top[id(box)], NODE_PX, BOX_PX) for box in column.values()]
        sheet.boxes(boxes, fill="var(--paper)", stroke="var(--limit)")
        for box in column.values():
            node = drawn.nodes[box.node]
            y = top[id(box)] + BOX_PX / 2
            sheet.write(x + 5, y - FONT_PX * 0.62, _clipped(node.name, BOLD), bold=True)
            owner = node.owner if len(owners) > 1 else ""
            counts = ", ".join(filter(None, (owner, _counts(box))))
            whole = clean(f"{counts}, {node.detail}" if node.detail else counts)
            shown = whole if text_width(whole) <= NODE_PX - 10 else _clipped(counts)
            sheet.write(x + 5, y + FONT_PX * 0.62, shown)
    return sheet.svg("map", "Map of applications, queues and channels", _described(drawn))


def _columns(drawn: QueueMap) -> tuple[dict[int, _Box], dict[int, _Box], dict[int, _Box]]:
    """Who puts, the queues, and who gets, each by number of the node and in the order of their rows."""
    putting: dict[int, _Box] = {}
    queues: dict[int, _Box] = {}
    getting: dict[int, _Box] = {}
    for edge in drawn.edges:
        queue, application = (edge.end, edge.start) if edge.verb == PUT else (edge.start, edge.end)
        side = putting if edge.verb == PUT else getting
        _count(queues, queue, application, edge)
        _count(side, application, queue, edge)

    def is_sum(box: _Box) -> bool:
        return drawn.nodes[box.node].kind == OTHERS

    ordered = _in_rows(queues, lambda box: (is_sum(box), -box.weight, box.node))
    for side in (putting, getting):
        for box in side.values():
            box.row = sum(ordered[queue].row for queue in box.neighbours) / len(box.neighbours)
    return (
        _in_rows(putting, lambda box: (is_sum(box), box.row, box.node)),
        ordered,
        _in_rows(getting, lambda box: (is_sum(box), box.row, box.node)),
    )


def _count(column: dict[int, _Box], node: int, other: int, edge: Edge) -> None:
    box = column.setdefault(node, _Box(node))
    box.messages[edge.verb] = box.messages.get(edge.verb, 0) + edge.messages
    box.neighbours.append(other)


def _in_rows(column: dict[int, _Box], key: Callable[[_Box], tuple[bool, float, int]]) -> dict[int, _Box]:
    ordered = {box.node: box for box in sorted(column.values(), key=key)}
    for row, box in enumerate(ordered.values()):
        box.row = row
    return ordered


def _top(box: _Box, column: dict[int, _Box], rows: int) -> float:
    """The upper edge of a node in px; a shorter column is in the middle."""
    return (box.row + (rows - len(column)) / 2) * ROW_PX


def _counts(box: _Box) -> str:
    sums = {verb: count for verb in (PUT, GET, BROWSE) if (count := box.messages.get(verb))}
    texts = (f"{_rounded(count)} {verb}s" if count >= LARGE else plural(count, verb) for verb, count in sums.items())
    return ", ".join(texts) or "opens only"


def _rounded(count: int) -> str:
    """4.99M: a large number must fit its node; the description of the drawing has all digits."""
    size, letter = (1e6, "M") if count >= 1e6 else (1e3, "k")
    return f"{number_text(count / size)}{letter}"


def _clipped(text: str, weight: float = 1.0) -> str:
    """The text as far as it fits a node; `weight` is the width of its letters compared with plain ones."""
    text, room = clean(text), (NODE_PX - 10) / weight
    if text_width(text) <= room:
        return text
    while text and text_width(text + "...") > room:
        text = text[:-1]
    return text + "..."


def _described(drawn: QueueMap) -> str:
    """What the drawing shows, for those who cannot see it."""
    return f"{note(drawn)}. {'; '.join(_sentences(drawn))}"


def _sentences(drawn: QueueMap) -> Iterable[str]:
    for edge in drawn.edges:
        start, end = drawn.nodes[edge.start], drawn.nodes[edge.end]
        opened_as = f" as {edge.opened_as}" if edge.opened_as else ""
        yield f"{start.name} to {end.name}: {edge.messages:,}{opened_as}"
