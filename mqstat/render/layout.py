"""Lays out a report as lines of text with styles; the plain and the coloured writer print the same lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from mqstat.assemble.model import Column, Finding, LocalTimes, Report, Table
from mqstat.base.formatting import clean, qmgr_name
from mqstat.judge import states
from mqstat.render.format import NARROWEST, TEXT_WIDTH
from mqstat.render.values import cell_number

Span = tuple[str, str]
Line = list[Span]

INDENT = 15
"""Indentation of the continuation lines of findings alone: below the queue manager."""

_STYLE = {
    states.BROKEN: "bold red", states.CRITICAL: "bold red", states.WARNING: "yellow", states.PARTLY: "yellow", states.INFO: "cyan",
    states.CLEAR: "green", states.NOT_COLLECTED: "magenta", "collected in part": "magenta",
    **dict.fromkeys((states.NOT_IN_RELEASE, states.ACTIVE, states.IDLE, states.NEEDS_FACT, states.OFF), "dim"),
}  # fmt: skip


def lines(report: Report, width: int = TEXT_WIDTH) -> Iterator[Line]:
    """All lines of a report, none wider than `width` (a table narrower than its first columns cannot be)."""
    if report.only_findings:
        yield from ([(part, "")] for line in finding_lines(report) for part in wrapped(clean(line), width, INDENT))
        return
    width = max(width, NARROWEST)
    yield [(report.title, "bold")]
    yield from _pairs(report.head, width)
    if not report.only_tables:
        yield from _section("Coverage")
        if report.coverage:
            indent = max(20, *(len(state) + 1 for state, _ in report.coverage))
            for state, text in report.coverage:
                yield from _entry(state, text, indent, width)
        else:
            yield from _entry(
                "collected", "every class that this release writes was collected, in every interval", 20, width
            )
        yield from _qmgrs(report, width)
        yield from _verdicts(report, width)
        yield from _findings(report, width)
        yield from _headroom(report, width)
        yield from _trend(report, width)
    if report.baseline is not None:
        yield from _section(report.baseline.title)
        yield from _pairs(report.baseline.lines, width)
        for table in report.baseline.tables:
            yield from _table(table, report, width)
    for table in report.tables:
        yield from _table(table, report, width)
    yield from _section("")
    yield from _pairs(report.foot, width)


def all_lines(report: Report, width: int = TEXT_WIDTH) -> Iterator[str]:
    """The lines without styles."""
    return ("".join(text for text, _ in line).rstrip() for line in lines(report, width))


def finding_lines(report: Report) -> Iterator[str]:
    """Findings alone: a line for each with the worst subject first, lines for what was not judged, and the counts."""
    for finding in report.findings:
        yield _finding_line(finding)
    yield from report.unjudged
    yield report.summary


def _finding_line(finding: Finding) -> str:
    if finding.severity == states.BROKEN:
        return f"{finding.severity:<8} {finding.rule_id} {finding.summary}"
    where = f"{finding.location}: " if finding.location else ""
    cause = f" <- {', '.join(finding.row['caused_by'])}" if finding.row["caused_by"] else ""
    also = "; ".join(f"{at.location}: {at.figure}" for at in finding.others)
    head = f"{finding.severity:<8} {finding.rule_id} {where}{finding.subjects[0].figure}: {finding.title} ({finding.rating}){cause}"
    return head + (f"; also {also}" if also else "")


def _section(title: str) -> Iterator[Line]:
    yield []
    if title:
        yield [(title, "bold")]


def _pairs(pairs: tuple[tuple[str, str], ...], width: int) -> Iterator[Line]:
    for label, text in pairs:
        yield from _hanging([(f"  {label:<9} ", "dim")], text, width)


def _entry(state: str, text: str, room: int, width: int) -> Iterator[Line]:
    yield from _hanging([(f"  {state:<{room}}", _STYLE.get(state, ""))], text, width)


def _hanging(first: Line, text: str, width: int) -> Iterator[Line]:
    """Text after a label, with continuation lines aligned below its start."""
    indent = sum(len(part) for part, _ in first)
    wrapped = textwrap.wrap(text, max(20, width - indent), break_on_hyphens=False) or [""]
    yield [*first, (wrapped[0], "")]
    for line in wrapped[1:]:
        yield [(" " * indent + line, "")]


QMGRS = 12
"""Maximum number of queue managers with a line; the worst come first."""


def _qmgrs(report: Report, width: int) -> Iterator[Line]:
    """One line per queue manager: its state, and how much of it was judged."""
    if not report.qmgrs:
        return
    yield from _section("Queue managers")
    many_lpars = "lpar" not in report.hidden
    shown = sorted(report.qmgrs, key=lambda manager: states.STATUSES.index(manager.state))[:QMGRS]
    names = {id(manager): qmgr_name(manager.lpar, manager.qmgr, many_lpars) for manager in shown}
    room = max(len(name) for name in names.values()) + 2
    for manager in report.qmgrs:
        if id(manager) in names:
            start = [(f"  {names[id(manager)]:<{room}}", ""), (f"{manager.state:<15}", _STYLE[manager.state])]
            yield from _hanging(start, manager.text, width)
    if len(report.qmgrs) > QMGRS:
        yield [(f"  and {len(report.qmgrs) - QMGRS} more", "dim")]


def wrapped(line: str, width: int, indent: int = 0) -> list[str]:
    """A line wrapped to at most `width` columns, continuation lines indented."""
    return textwrap.wrap(
        line, max(width, indent + 20), subsequent_indent=" " * indent, break_on_hyphens=False, drop_whitespace=True
    ) or [""]


def _verdicts(report: Report, width: int) -> Iterator[Line]:
    """One line per area, aligned; text that does not fit the columns is a sentence below."""
    yield []
    verdicts = [v for v in report.verdicts if v.measure]
    area = max((len(v.area) for v in report.verdicts), default=0)
    state = max([len("state"), *(len(v.state) for v in report.verdicts)])
    value = max([len("value"), *(len(v.value) for v in verdicts)])
    limit = max([len("limit"), *(len(v.limit) for v in verdicts)])
    when = max([len("when"), *(len(v.when) for v in verdicts)])
    share = max([len("intervals"), *(len(v.share) for v in verdicts)])
    # The width that the fixed columns leave is shared by figure, place and remark.
    left = width - 2 - area - state - value - limit - when - share - 8 * 2
    if left < 36:
        yield [("Verdict", "bold")]
        for v in report.verdicts:
            start = [(f"  {v.area:<{area}}  ", ""), (f"{v.state:<{state}}  ", _STYLE.get(v.state, ""))]
            yield from _hanging(start, v.text, width)
        return
    measure = min(max([len("deciding figure"), *(len(v.measure) for v in verdicts)]), left // 2)
    where = min(max([len("where"), *(len(v.where) for v in verdicts)]), left - measure - 8)

    def row(a: str, s: str, m: str, v: str, li: str, wh: str, t: str, n: str) -> tuple[str, str, str]:
        parts = [
            f"{m:<{measure}}",
            f"{v:>{value}}",
            f"{li:>{limit}}",
            f"{wh:<{where}}",
            f"{t:<{when}}",
            f"{n:<{share}}",
        ]
        return f"  {a:<{area}}  ", f"{s:<{state}}  ", "  ".join(parts)

    lead, mid, rest = row("", "state", "deciding figure", "value", "limit", "where", "when", "intervals")
    yield [(("Verdict" + lead[7:] + mid + rest).rstrip(), "bold")]
    indent = 2 + area + 2 + state + 2
    for v in report.verdicts:
        style = _STYLE.get(v.state, "")
        if not v.measure:
            yield from _hanging([(f"  {v.area:<{area}}  ", ""), (f"{v.state:<{state}}  ", style)], v.text, width)
            continue
        measures = textwrap.wrap(v.measure, measure) or [""]
        wheres = textwrap.wrap(v.where, where) or [""]
        lead, mid, rest = row(v.area, v.state, measures[0], v.value, v.limit, wheres[0], v.when, v.share)
        remark, room = v.remark, width - indent - len(rest) - 2
        if remark and len(remark) <= room:
            rest, remark = f"{rest}  {remark}", ""
        yield [(lead, ""), (mid, style), (rest.rstrip(), "")]
        for number in range(1, max(len(measures), len(wheres))):
            texts = [line[number] if number < len(line) else "" for line in (measures, wheres)]
            yield [((" " * indent + row("", "", texts[0], "", "", texts[1], "", "")[2]).rstrip(), "")]
        if remark:
            yield from _hanging([(" " * indent, "")], remark, width)


SUBJECTS = 5
"""Subjects of one rule that are listed below its worst one."""


def _findings(report: Report, width: int) -> Iterator[Line]:
    yield from _section("Findings")
    if not report.findings:
        yield [("  none", "")]
    notes = []
    for finding in report.findings:
        if finding.severity == "info" and not finding.depth:
            notes.append(finding)
        elif finding.depth:
            yield from _symptom(finding, width)
        else:
            yield from _finding_lines(finding, width)
    if notes:
        yield [("  Notes", "bold")]
        for finding in notes:
            subjects = "; ".join(
                dict.fromkeys(subject.location for subject in finding.subjects)
            )  # subjects may contain commas
            yield from _hanging(
                [("    " + finding.rule_id + "  ", "cyan")], f"{finding.title}: {_cut(subjects, width)}", width
            )


def _cut(subjects: str, width: int) -> str:
    """A list of subjects on one line or so."""
    return subjects if len(subjects) <= width // 2 else subjects[: width // 2].rsplit("; ", 1)[0] + "; ..."


def _finding_lines(finding: Finding, width: int) -> Iterator[Line]:
    """A finding with what to do, and the other subjects of its rule."""
    indent = " " * 11
    head = f"{finding.rule_id} {finding.location}".rstrip()
    lead = [(f"  {finding.severity.upper():<9}", _STYLE.get(finding.severity, ""))]
    for line in _hanging(lead, f"{head}: {finding.title}", width):
        yield [*line[:-1], (line[-1][0], "bold")]
    yield from _hanging([(indent, "")], clean(finding.advice), width)
    for line in _hanging([(indent, "")], f"[{finding.facts}]", width):
        yield [(text, "dim") for text, _ in line]
    for other in finding.others[:SUBJECTS]:
        yield from _hanging([(f"{indent}also ", "")], f"{other.location}: {other.figure}", width)
    if len(finding.others) > SUBJECTS:
        yield [(f"{indent}and {len(finding.others) - SUBJECTS} more; --report overview/findings", "dim")]


def _symptom(finding: Finding, width: int) -> Iterator[Line]:
    """A finding that the finding above it explains: the observation without the remedy."""
    indent = " " * (11 + 2 * (finding.depth - 1))
    lead = [(f"{indent}leads to: ", "dim"), (f"{finding.severity} ", _STYLE.get(finding.severity, ""))]
    more = f" Also {_cut(', '.join(other.location for other in finding.others), width)}." if finding.others else ""
    yield from _hanging(lead, f"{finding.rule_id} {finding.location}: {clean(finding.summary)}{more}", width)


def _headroom(report: Report, width: int) -> Iterator[Line]:
    """The limit that is reached first, a queue manager at a time."""
    shown = [manager for manager in report.qmgrs if manager.headroom]
    if not shown:
        return
    yield from _section("Headroom: the limit that is reached first (report overview/headroom)")
    names = [qmgr_name(manager.lpar, manager.qmgr, "lpar" not in report.hidden) for manager in shown[:QMGRS]]
    room = max(9, *(len(name) for name in names)) + 1
    for name, manager in zip(names, shown, strict=False):
        yield from _hanging([(f"  {name:<{room}}", "")], manager.headroom, width)
    if len(shown) > QMGRS:
        yield [(f"  and {len(shown) - QMGRS} more", "dim")]


def _trend(report: Report, width: int) -> Iterator[Line]:
    """The peaks that matter most, a queue manager at a time."""
    if not report.trend_lines:
        return
    yield from _section("Trend: the worst interval of the period, and the median")
    room = max(9, *(len(label) for label, _ in report.trend_lines)) + 1
    for label, text in report.trend_lines:
        yield from _hanging([(f"  {label:<{room}}", "")], text, width)


# --- tables


def _table(table: Table, report: Report, width: int) -> Iterator[Line]:
    yield from _section("")
    yield [(f"{table.report_id}  ", "bold"), (table.title, "bold")]
    yield from _hanging([("  ", "")], table.question, width)
    if not table.rows:
        yield [("  no rows in this data", "dim")]
        return
    marks = any(table.marked)
    chosen = [
        number
        for number, column in enumerate(table.columns)
        if column.screen is not None and column.name not in report.hidden
    ]
    cells = {number: [cell_text(table, row, number, report.times) for row in table.rows] for number in chosen}
    room = width - 2 - (2 if marks else 0)
    while len(chosen) > 1 and sum(_width(table.columns[number], cells[number]) + 2 for number in chosen) - 2 > room:
        chosen.remove(max(chosen, key=lambda number: (table.columns[number].screen or 0, number)))
    widths = {number: _width(table.columns[number], cells[number]) for number in chosen}
    titles = {
        number: textwrap.wrap(label(table.columns[number]), widths[number], break_long_words=True) for number in chosen
    }
    height = max(len(title) for title in titles.values())
    for level in range(height):
        parts = []
        for number in chosen:
            title = [""] * (height - len(titles[number])) + titles[number]
            parts.append(_aligned(title[level], widths[number], table.columns[number]))
        yield [((" " * (4 if marks else 2) + "  ".join(parts)).rstrip(), "bold")]
    for index, marked in enumerate(table.marked):
        text = "  ".join(_aligned(cells[number][index], widths[number], table.columns[number]) for number in chosen)
        lead = ("  ! " if marked else "    ") if marks else "  "
        yield [((lead + text).rstrip(), "yellow" if marked else "")]
    remarks = []
    if table.total > len(table.rows):
        remarks.append(_more(table.total - len(table.rows), "row"))
    hidden = len(table.columns) - len(chosen) - len(report.hidden & {column.name for column in table.columns})
    if hidden:
        remarks.append(_more(hidden, "column"))
    if marks:
        remarks.append("! = in breach")
    if remarks:
        named = "" if report.only_tables and report.baseline is not None else f"--report {table.report_id} "
        text = f"{', '.join(remarks)}; {named}--format csv for all"
        for line in _hanging([("  ", "")], text, width):
            yield [(part, "dim") for part, _ in line]
    if table.note:
        yield from _hanging([("  ", "")], table.note, width)


def _more(number: int, word: str) -> str:
    return f"{number} more {word}{'' if number == 1 else 's'}"


def label(column: Column) -> str:
    """The heading of a column; for times it names the clock, because other formats have GMT."""
    clock = " (local)" if column.unit in ("ts_utc", "ts_local") and column.format != "day" else ""
    return (column.label or column.name.replace("_", " ")) + clock


def is_text(column: Column) -> bool:
    """Whether a column is left-aligned: it is not a number."""
    return column.unit in ("text", "texts", "ts_utc", "ts_local", "flag")


def _width(column: Column, cells: list[str]) -> int:
    longest_word = max(len(word) for word in label(column).split())
    # A heading may take three lines, so it needs a third of its length at least.
    return max(longest_word, -(-len(label(column)) // 3), *(len(cell) for cell in cells))


def _aligned(text: str, width: int, column: Column) -> str:
    return f"{text:<{width}}" if is_text(column) else f"{text:>{width}}"


def cell_text(table: Table, row: tuple[Any, ...], number: int, times: LocalTimes) -> str:
    """A value as a screen shows it: times in local time, marked Z where only GMT is known; numbers in the format of their column."""
    column, value = table.columns[number], row[number]
    if value is None and column.name == "interval_start_utc":  # records before 7.1 have only the end
        ends = [
            at for at, other in enumerate(table.columns) if other.name == "interval_end_utc" and row[at] is not None
        ]
        return f"until {cell_text(table, row, ends[0], times)}" if ends else column.null
    if value is None:
        return column.null
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return clean(", ".join(map(str, value)))
    if isinstance(value, datetime):
        if column.format == "day":
            return f"{value:%Y-%m-%d}"
        if column.format == "minute":  # days that are not those of the report
            return f"{value:%Y-%m-%d %H:%M}"
        if column.unit != "ts_utc":
            return _moment(value, times)
        names = [other.name for other in table.columns]
        key_values = [row[names.index(key)] if key in names else None for key in ("lpar", "qmgr")]
        local = times.local(key_values[0], key_values[1], value)
        return (
            _moment(local, times) + times.zone(key_values[0], key_values[1], value)
            if local
            else _moment(value, times) + "Z"
        )
    return cell_number(value, column) if isinstance(value, (int, float)) else clean(str(value))


def _moment(value: datetime, times: LocalTimes) -> str:
    return value.strftime("%H:%M:%S" if times.one_day else "%Y-%m-%d %H:%M:%S")
