"""A finding as a card of text or Markdown: the same bytes in a report, in the page's copy for a ticket, and from `mqstat report --finding`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from mqstat.assemble.cards import earlier_text
from mqstat.assemble.conditions import row_phrase
from mqstat.assemble.finding_model import Finding, is_command
from mqstat.assemble.model import Report
from mqstat.base.formatting import clean, plural, qmgr_name
from mqstat.base.inputs import as_typed, wrapped_command
from mqstat.judge import states
from mqstat.judge.model import rules
from mqstat.render.values import markup

CARD_WIDTH = 72
"""Columns of a card that is copied; only lines for a site file, and names longer than that, are wider."""

SUBJECTS = 5
"""Other subjects, and queue managers of a finding about the estate, that a card lists; the rest is counted."""

Part = tuple[str, str]
"""Label and text of a line of a card; the label is empty below another one."""

LEADS_TO = "Leads to"
"""The label of the findings that a finding explains."""

_INDENT, _LABEL = "  ", 9
"""Columns before a label, and of a label with its blank."""

Span = tuple[str, str]
Line = list[Span]
"""A line of text in parts, each with its style."""

STYLE = {
    states.BROKEN: "bold red", states.CRITICAL: "bold red", states.WARNING: "yellow", states.PARTLY: "yellow", states.INFO: "cyan",
    states.CLEAR: "green", states.PART: "magenta", states.NOT_COLLECTED: "magenta", "collected in part": "magenta",
    **dict.fromkeys((states.NOT_IN_RELEASE, states.REPORTED, states.ACTIVE, states.IDLE, states.NEEDS_FACT, states.OFF), "dim"),
}  # fmt: skip
"""The style of each state on a terminal."""


def card_text(finding: Finding, report: Report) -> list[str]:
    """The card in full, CARD_WIDTH columns wide."""
    lines = ("".join(text for text, _ in line).rstrip() for line in card_lines(finding, report, CARD_WIDTH, whole=True))
    return [*lines, *_accept_lines(finding)]


def card_markdown(finding: Finding, report: Report) -> list[str]:
    """The card in full as Markdown: commands and the lines for a site file can be copied as they are."""
    made = [f"### {finding.severity} {markup(headed(finding))}: {markup(finding.title)}", ""]
    made += [markup(clean(finding.summary)), ""]
    last = ""
    for label, text in parts(finding, report, whole=True):
        last = label or last
        is_code = last in ("Plan", "Trace", "Key") or (last in ("Look", "Do") and is_command(text))
        made.append(f"- {last}: {_code(text) if is_code else markup(text.strip())}")
    return [*made, *(["", "```toml", *finding.accept.splitlines(), "```"] if finding.accept else [])]


def card_lines(finding: Finding, report: Report, width: int, *, whole: bool) -> Iterator[Line]:
    """Severity, rule and place with the title; the sentence with its figures; then what `parts` has, a label a line if `whole`, else as many as fit."""
    lead = [(f"{finding.severity.upper():<8} ", STYLE.get(finding.severity, ""))]
    title = f"{headed(finding)}: {clean(finding.title)}"
    for line in hanging(lead, title if whole else cut(title, width - len(lead[0][0])), width):
        yield [*line[:-1], (line[-1][0], "bold")]
    if whole:
        yield from hanging([(_INDENT, "")], clean(finding.summary), width)
        for label, text in parts(finding, report, whole=True):
            yield from hanging([(f"{_INDENT}{label:<{_LABEL}}", "dim")], text, width)
    else:
        yield from flowing([("", first_sentence(finding.summary)), *_brief(finding, report, width)], width)


def _brief(finding: Finding, report: Report, width: int) -> Iterator[Part]:
    """The same without what fits no line of this width: the rest of a list of work, and of an advice that is no command."""
    for label, text in parts(finding, report, whole=False):
        is_prose = label == "Who" or (label == "Do" and not finding.do)
        yield label, cut(text, width - len(_INDENT + label) - 1) if is_prose else text


def cut(text: str, width: int) -> str:
    """A text on one line; "..." shows that it was longer."""
    return textwrap.shorten(text, max(width, 20), placeholder=" ...") if len(text) > width else text


def flowing(texts: Iterable[Part], width: int) -> Iterator[Line]:
    """Labels and texts one after the other: each begins a line unless the rest of the last one has room for all of it."""
    line: Line = []
    for label, text in texts:
        used = sum(len(part) for part, _ in line)
        head = f"{label} " if label else ""
        if line and label not in (LEADS_TO, "") and used + 2 + len(head) + len(text) <= width:
            line += [(_INDENT, ""), (head, "dim"), (text, "")]
            continue
        if line:
            yield line
        *before, line = hanging([(_INDENT, ""), (head or _INDENT * (line != []), "dim")], text, width, _INDENT * 2)
        yield from before
    if line:
        yield line


def parts(finding: Finding, report: Report, *, whole: bool) -> Iterator[Part]:
    """Label and text of what a card shows below its sentence; `whole` = everything, with what explains and proves it."""
    if len(finding.qmgrs) > 1:
        yield "On", listed(finding.qmgrs)
    yield from _labelled("Expired", finding.expired)
    yield from _labelled("When", [finding.when])
    past = report.history_of(finding)
    yield from _labelled("Expired", finding.expired)
    yield from _labelled("History", [past.word])
    yield from _labelled("Earlier", [earlier_text(past)] if whole else [])
    yield from _labelled(
        "Who", finding.who if whole else [text for text in finding.who if "not shown: " not in text][:1]
    )
    yield from _labelled("Look", finding.look if whole else finding.look[:1])
    if whole:
        yield from _labelled("Do", finding.do)
        yield from _labelled("Advice", [finding.remedy])
        yield from _labelled("Plan", finding.plan)
    else:
        yield from _labelled("Do", finding.do[:1] or [first_sentence(finding.remedy) if not finding.look else ""])
    yield from _labelled("Also", _others(finding, whole=whole))
    yield from _labelled(LEADS_TO, _symptoms(finding, report, whole=whole))
    if whole:
        yield from _labelled("Cause", [", ".join(finding.row["caused_by"] or ()) if finding.depth else ""])
        yield from _labelled("Facts", [finding.facts])
        yield from _labelled("Trace", [finding.trace])
        yield from _labelled("Key", [finding.key])


def headed(finding: Finding) -> str:
    """The rule with its worst subject, or with the queue managers of a finding about the estate."""
    about = finding.where if len(finding.qmgrs) > 1 else finding.location
    return f"{finding.rule_id} {about}".rstrip()


def listed(names: Sequence[str]) -> str:
    """The first SUBJECTS names, and the number of the others."""
    more = len(names) - SUBJECTS
    return clean(", ".join(names[:SUBJECTS]) + (f" and {more} more" if more > 0 else ""))


def _labelled(label: str, texts: Iterable[str]) -> Iterator[Part]:
    for number, text in enumerate(text for text in map(as_typed, texts) if text):
        yield ("" if number else label), clean(text)


def first_sentence(text: str) -> str:
    """The first sentence of a text."""
    first, end, _ = clean(text).partition(". ")
    return first + end.strip()


def _others(finding: Finding, *, whole: bool) -> Iterator[str]:
    shown, more = finding.others, "more subjects" if len(finding.others) > 2 else "more subject"
    if whole:
        yield from (f"{other.location}: {other.figure}" for other in shown[:SUBJECTS])
        if len(shown) > SUBJECTS:
            yield f"{plural(len(shown) - SUBJECTS, 'more subject')}; --report overview/findings"
    elif shown and len(finding.qmgrs) < 2:
        rest = f", and {len(shown) - 1} {more}" if len(shown) > 1 else ""
        yield f"{subject_of(shown[0].row)}: {row_phrase(shown[0].row, rules()[finding.rule_id])}{rest}"


def subject_of(row: Mapping[str, Any]) -> str:
    """The subject below a heading that names its queue manager."""
    return str(row["subject"] or qmgr_name(row["lpar"], row["qmgr"]))


def symptoms(finding: Finding, report: Report) -> Iterator[Finding]:
    """The findings that a finding explains, each below its cause."""
    at = next(number for number, other in enumerate(report.findings) if other is finding)
    yield from takewhile(lambda other: other.depth > finding.depth, report.findings[at + 1 :])


def _symptoms(finding: Finding, report: Report, *, whole: bool) -> Iterator[str]:
    for symptom in symptoms(finding, report):
        more = f"; {plural(len(symptom.others), 'more subject')}" if symptom.others else ""
        figure = symptom.subjects[0].figure if whole else row_phrase(symptom.row, rules()[symptom.rule_id])
        near = not whole and symptom.where == finding.where and len(symptom.qmgrs) < 2
        head = f"{symptom.rule_id} {subject_of(symptom.row)}" if near else headed(symptom)
        yield f"{_INDENT * (symptom.depth - finding.depth - 1)}{symptom.severity} {head}: {figure}{more}"


def _accept_lines(finding: Finding) -> list[str]:
    if not finding.accept:
        return []
    return [f"{_INDENT}{'Accept':<{_LABEL}}lines for the site file (fill in the reason):", *finding.accept.splitlines()]


def _code(text: str) -> str:
    return f"``{text}``" if "`" in text else f"`{text}`"


def hanging(first: Line, text: str, width: int, below: str = "") -> Iterator[Line]:
    """Text after a label, with continuation lines aligned below its start, or after `below`."""
    used = sum(len(part) for part, _ in first)
    indent = below or " " * used
    lead = text[: len(text) - len(text.lstrip())]
    room = max(20, width - len(indent))
    start = max(0, used - len(indent))
    if text.startswith("mqstat "):
        wrapped = wrapped_command(text, room)
        wrapped[0] = " " * start + wrapped[0]
    else:
        wrapped = textwrap.wrap(
            text.strip(), room, initial_indent=" " * start + lead, subsequent_indent=lead, break_on_hyphens=False
        ) or [""]
    yield [*first, (wrapped[0][start:], "")]
    for line in wrapped[1:]:
        yield [(indent + line, "")]
