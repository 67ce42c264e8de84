"""Lays out a report as lines of text with styles; the plain and the coloured writer print the same lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest

from mqstat.assemble.conditions import limit_note
from mqstat.assemble.finding import Finding, accepted_text
from mqstat.assemble.model import Report
from mqstat.base.formatting import clean
from mqstat.base.inputs import as_typed
from mqstat.judge import states
from mqstat.render.card_text import STYLE, SUBJECTS, Line, card_lines, card_text, hanging, headed
from mqstat.render.first_screen import first_screen, headline_lines
from mqstat.render.format import NARROWEST, TEXT_WIDTH
from mqstat.render.text_tables import section, table_lines

INDENT = 15
"""Indentation of the continuation lines of findings alone: below the queue manager."""

ROOM = 10
"""Columns of the labels of a report."""


def lines(report: Report, width: int = TEXT_WIDTH, *, verbose: bool = False) -> Iterator[Line]:
    """All lines of a report, none wider than `width` (a table narrower than its first columns cannot be). `verbose`
    adds everything below the findings and their evidence.
    """
    if report.only_findings:
        yield from (
            [(part, "")] for line in finding_lines(report) for part in wrapped(clean(as_typed(line)), width, INDENT)
        )
        return
    width = max(width, NARROWEST)
    if report.card is not None:
        yield from ([(line, "")] for line in card_lines_of(report, width))
        return
    if report.only_tables:
        yield [(report.title, "bold")]
        yield from _pairs(report.head, width)
        yield from _details(report, width)
        return
    if not verbose:
        yield from first_screen(report, width)
        return
    yield from headline_lines(report, width)
    yield from _pairs(report.head, width)
    yield []
    yield from _findings(report, width)
    yield from _rows(report.gaps, width)
    yield from _headroom(report, width)
    yield from _rows(
        (("" if number else "accepted", accepted_text(own)) for number, own in enumerate(report.accepted)), width
    )
    yield from _state(report, width)
    yield from _trend(report, width)
    yield from _details(report, width)


def card_lines_of(report: Report, width: int) -> list[str]:
    """The lines of the one finding that was requested, or of its state."""
    card = report.card
    if isinstance(card, str):
        return wrapped(clean(card), width)
    return card_text(card, report) if card is not None else []


def _findings(report: Report, width: int) -> Iterator[Line]:
    """A card in full for each finding."""
    if not report.findings:
        yield [("No findings.", "bold")]
        yield []
    for finding in report.findings:
        yield from card_lines(finding, report, width)
        yield []


def _details(report: Report, width: int) -> Iterator[Line]:
    """The comparison with the days before, the tables and the foot."""
    if report.baseline is not None:
        yield from section(report.baseline.title)
        yield from _pairs(report.baseline.lines, width)
        for table in report.baseline.tables:
            yield from table_lines(table, report, width)
    for table in report.tables:
        yield from table_lines(table, report, width)
    yield from section("")
    yield from _pairs(report.foot, width)


def _state(report: Report, width: int) -> Iterator[Line]:
    """Coverage, queue managers and the table of the areas."""
    yield from section("Coverage")
    coverage = report.coverage or (
        ("collected", "every class that this release writes was collected, in every interval"),
    )
    room = max(20, *(len(state) + 1 for state, _ in coverage))
    for state, text in coverage:
        yield from hanging([(f"  {state:<{room}}", STYLE.get(state, ""))], text, width)
    yield from _qmgrs(report, width)
    yield from _verdicts(report, width)


def all_lines(report: Report, width: int = TEXT_WIDTH, *, verbose: bool = False) -> Iterator[str]:
    """The lines without styles."""
    return ("".join(text for text, _ in line).rstrip() for line in lines(report, width, verbose=verbose))


def finding_lines(report: Report) -> Iterator[str]:
    """What is wrong with inputs as a whole; then findings alone: a line for each with the worst subject first, a line
    for what was not judged, and the counts.
    """
    yield from (text for _, text in report.head)
    for finding in report.findings:
        yield _finding_line(finding)
    yield from (f"{state}: {text}" for state, text in report.coverage)
    yield from report.unjudged
    yield report.summary


def _finding_line(finding: Finding) -> str:
    if finding.severity == states.BROKEN:
        return f"{finding.severity:<8} {finding.rule_id} {finding.summary}"
    first = finding.subjects[0]
    about = headed(finding) + (f", {first.location}" if len(finding.qmgrs) > 1 else "")
    cause = f" <- {', '.join(finding.row['caused_by'])}" if finding.row["caused_by"] else ""
    note = f", {limit_note(first.row)}" if limit_note(first.row) else ""
    head = f"{finding.severity:<8} {about}: {first.figure}{note}: {finding.title} ({finding.rating}){cause}"
    also = [f"{at.location}: {at.figure}" for at in finding.others[:SUBJECTS]]
    more = len(finding.others) - len(also)
    return "; ".join([head, *([f"also {'; '.join(also)}"] if also else []), *([f"{more} more"] if more else [])])


def _rows(pairs: Iterable[tuple[str, str]], width: int) -> Iterator[Line]:
    for label, text in pairs:
        yield from hanging(
            [(f"  {label} " if label else "    ", STYLE.get(label, "dim"))], as_typed(text), width, "    "
        )


def _pairs(pairs: Iterable[tuple[str, str]], width: int) -> Iterator[Line]:
    for label, text in pairs:
        yield from hanging([(f"  {label:<{ROOM}}", "dim")], as_typed(text), width)


QMGRS = 12
"""Maximum number of queue managers with a line; the worst come first."""


def _qmgrs(report: Report, width: int) -> Iterator[Line]:
    """One line per queue manager: its state, and how much of it was judged."""
    if not report.qmgrs:
        return
    yield from section("Queue managers")
    shown = sorted(report.qmgrs, key=lambda manager: states.STATUSES.index(manager.state))[:QMGRS]
    names = {id(manager): report.name_of(manager) for manager in shown}
    room = max(len(name) for name in names.values()) + 2
    for manager in report.qmgrs:
        if id(manager) in names:
            start = [(f"  {names[id(manager)]:<{room}}", ""), (f"{manager.state:<15}", STYLE[manager.state])]
            yield from hanging(start, manager.text, width)
    if len(report.qmgrs) > QMGRS:
        yield [(f"  and {len(report.qmgrs) - QMGRS} more", "dim")]


def wrapped(line: str, width: int, indent: int = 0) -> list[str]:
    """A line wrapped to at most `width` columns, continuation lines indented."""
    return textwrap.wrap(
        line, max(width, indent + 20), subsequent_indent=" " * indent, break_on_hyphens=False, drop_whitespace=True
    ) or [""]


HEADS = {"measure": "deciding figure", "value": "value", "limit": "limit", "where": "where", "when": "when", "share": "intervals"}  # fmt: skip
"""The columns of the table of the areas; one without any text is left out."""


def _verdicts(report: Report, width: int) -> Iterator[Line]:
    """One line per area, aligned; text that does not fit the columns is a sentence below."""
    yield []
    verdicts = [v for v in report.verdicts if v.measure]
    area = max((len(v.area) for v in report.verdicts), default=0)
    state = max([len("state"), *(len(v.state) for v in report.verdicts)])
    rooms = {
        name: max(len(head), *map(len, texts))
        for name, head in HEADS.items()
        if any(texts := [getattr(v, name) for v in verdicts])
    }
    # The width that the fixed columns leave is shared by figure, place and remark.
    fixed = sum(room for name, room in rooms.items() if name not in ("measure", "where"))
    left = width - 2 - area - state - fixed - 2 * (2 + len(rooms))
    if left < 36 or not rooms:
        yield [("Verdict", "bold")]
        for v in report.verdicts:
            start = [(f"  {v.area:<{area}}  ", ""), (f"{v.state:<{state}}  ", STYLE.get(v.state, ""))]
            yield from hanging(start, v.text, width)
        return
    rooms["measure"] = min(rooms["measure"], left // 2)
    if "where" in rooms:
        rooms["where"] = min(rooms["where"], left - rooms["measure"] - 8)

    def row(texts: Mapping[str, str]) -> str:
        sides = ((name, ">" if name in ("value", "limit") else "<", room) for name, room in rooms.items())
        return "  ".join(f"{texts.get(name, ''):{side}{room}}" for name, side, room in sides)

    yield [(f"{'Verdict':<{area + 4}}{'state':<{state}}  {row(HEADS)}".rstrip(), "bold")]
    indent = 2 + area + 2 + state + 2
    for v in report.verdicts:
        start = [(f"  {v.area:<{area}}  ", ""), (f"{v.state:<{state}}  ", STYLE.get(v.state, ""))]
        if not v.measure:
            yield from hanging(start, v.text, width)
            continue
        lines = {name: textwrap.wrap(getattr(v, name), room) or [""] for name, room in rooms.items()}
        first, *more = zip_longest(*lines.values(), fillvalue="")
        rest, remark = row(dict(zip(rooms, first, strict=True))), v.remark
        if remark and len(remark) <= width - indent - len(rest) - 2:
            rest, remark = f"{rest}  {remark}", ""
        yield [*start, (rest.rstrip(), "")]
        yield from ([((" " * indent + row(dict(zip(rooms, texts, strict=True)))).rstrip(), "")] for texts in more)
        if remark:
            yield from hanging([(" " * indent, "")], remark, width)


def _headroom(report: Report, width: int) -> Iterator[Line]:
    """The limit that is reached first, a queue manager at a time."""
    near = [manager for manager in report.qmgrs if manager.headroom]
    for number, manager in enumerate(near[:QMGRS]):
        yield from _rows([("" if number else "headroom", f"{report.name_of(manager)} {manager.headroom}")], width)
    if len(near) > QMGRS:
        yield from _rows([("", f"and {len(near) - QMGRS} more; --report overview/headroom")], width)


def _trend(report: Report, width: int) -> Iterator[Line]:
    """The peaks that matter most, a queue manager at a time."""
    if not report.trend_lines:
        return
    yield from section("Trend: the worst interval of the period, and the median")
    room = max(9, *(len(label) for label, _ in report.trend_lines)) + 1
    for label, text in report.trend_lines:
        yield from hanging([(f"  {label:<{room}}", "")], text, width)
