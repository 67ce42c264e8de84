"""A finding as a card of text: the same bytes in a report, in the page's copy for a ticket, and from
`mqstat report --finding`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from mqstat.assemble.cards import earlier_text, when_text
from mqstat.assemble.conditions import row_phrase
from mqstat.assemble.finding import Finding
from mqstat.assemble.finding_tree import Tree
from mqstat.assemble.model import Report
from mqstat.base.formatting import clean, listed, plural, qmgr_name, short
from mqstat.base.inputs import as_typed, command, wrapped_command
from mqstat.judge import states

CARD_WIDTH = 72
"""Columns of a card that is copied; only lines for a site file, and names longer than that, are wider."""

SUBJECTS = 5
"""Other subjects, and queue managers of a finding about the estate, that a card lists; the rest is counted."""

Part = tuple[str, str]
"""Label and text of a line of a card; the label is empty below another one."""

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
    lines = ("".join(text for text, _ in line).rstrip() for line in card_lines(finding, report, CARD_WIDTH))
    return [*lines, *_accept_lines(finding)]


def card_lines(finding: Finding, report: Report, width: int) -> Iterator[Line]:
    """Severity, rule and place with the title; the sentence with its figures; then what `parts` has, a label a line."""
    lead = [(f"{finding.severity.upper():<8} ", STYLE.get(finding.severity, ""))]
    for line in hanging(lead, f"{headed(finding)}: {clean(finding.title)}", width):
        yield [*line[:-1], (line[-1][0], "bold")]
    yield from hanging([(_INDENT, "")], clean(finding.summary), width)
    for label, text in parts(finding, report):
        yield from hanging([(f"{_INDENT}{label:<{_LABEL}}", "dim")], text, width)


def brief_card(tree: Tree, report: Report, width: int, most: int) -> list[Line]:
    """A problem in at most so many lines: its worst finding with figure, limit and time, its cause, who, the next step.

    If there are more, who goes first; then the sentence becomes its figure, the worst time goes, and the title is cut.
    """
    lead, root = tree.lead, tree.root
    label = f"{lead.severity.upper():<8} {lead.rule_id}  "
    about = clean(f"{about_of(lead)}: {lead.title}")
    ended = (f"exception ended: {text}" for text in lead.expired)
    times = when_text(lead, report.times, share=False)
    when = "; ".join(filter(None, (times, report.history_of(lead).word, *ended)))
    stated = (
        f"{clean(first_sentence(lead.summary))}  {when}",
        f"{figure_of(lead)}.  {when}",
        f"{figure_of(lead)}.  {times.partition(', worst')[0]}",
    )
    who = next((text for finding in (lead, root) for text in finding.who if "not shown: " not in text), "")
    steps = _steps(*next_step(tree), width)
    lines = list(_short("More", more_command(lead), width))
    whose = _short("Who", short(clean(who), width - _SHORT - 2), width)
    causes = [] if root is lead else _short("Cause", _cause(root, width - _SHORT - 2), width)

    def top(rows: int) -> list[Line]:
        head = _cut_to(hanging([(label, STYLE.get(lead.severity, ""))], about, width, _INDENT), rows, width)
        return [[*line[:-1], (line[-1][0], "bold")] for line in head]

    def body(rows: int) -> list[Line]:
        texts = [list(hanging([(_INDENT, "")], text, width, _INDENT)) for text in stated]
        return next((text for text in texts if len(text) <= rows), texts[-1])

    made: list[Line] = []
    for named, title_rows, body_rows in ((whose, 2, 2), ([], 2, 2), ([], 2, 1), ([], 1, 1)):
        made = [*top(title_rows), *body(body_rows), *causes, *named, *steps, *lines]
        if len(made) <= most:
            break
    return made


def next_step(tree: Tree) -> tuple[str, str]:
    """What to change about a problem, at its cause if that is known, and what to look at; either may be empty."""
    lead, root = tree.lead, tree.root
    about_cause = "" if root is lead else first_sentence(root.remedy)
    do = next((text for text in (*root.do[:1], about_cause, *lead.do[:1]) if text), "")
    look = next((text for finding in (root, lead) for text in finding.look[:1]), "")
    return do or ("" if look else first_sentence(lead.remedy)), look


def _cause(root: Finding, width: int) -> str:
    """The cause on one line: its sentence if that fits, else its title or its figure."""
    about = f"{root.rule_id} {subject_of(root.row)}: "
    texts = [clean(about + text) for text in (first_sentence(root.summary), root.title, figure_of(root))]
    return next((text for text in texts if len(text) <= width), cut(texts[1], width))


def _cut_to(lines: Iterable[Line], rows: int, width: int) -> list[Line]:
    """The first lines; "..." shows that there were more."""
    shown = list(lines)
    if len(shown) > rows:
        *first, (text, style) = shown[rows - 1]
        used = sum(len(part) for part, _ in first)
        shown = [
            *shown[: rows - 1],
            [*first, (textwrap.shorten(f"{text} {shown[rows][-1][0]}", width - used, placeholder=" ..."), style)],
        ]
    return shown


def _steps(do: str, look: str, width: int) -> list[Line]:
    """What to change and what to look at, on one line if both fit."""
    do, look = as_typed(clean(do)), as_typed(clean(look))
    if do and look and len(_INDENT) * 2 + 2 * _SHORT + len(do) + len(look) <= width:
        return [[(f"{_INDENT}{'Do':<{_SHORT}}", "dim"), (do, ""), (f"{_INDENT}{'Look':<{_SHORT}}", "dim"), (look, "")]]
    return [*_short("Do", do, width), *_short("Look", look, width)]


_SHORT = 7
"""Columns of a label of a brief card with its blanks."""


def _short(label: str, text: str, width: int) -> list[Line]:
    """A label of a brief card and its text; nothing without a text."""
    start = f"{_INDENT}{label:<{_SHORT}}"
    return list(hanging([(start, "dim")], as_typed(clean(text)), width, _INDENT + " " * _SHORT)) if text else []


def more_command(finding: Finding) -> str:
    """The command that prints a finding in full."""
    return command(["report"], ["--finding", finding.key])


def figure_of(finding: Finding) -> str:
    """The deciding figure of the worst subject with its limit, in a few words."""
    return row_phrase(finding.row)


def cut(text: str, width: int) -> str:
    """A text on one line; "..." shows that it was longer, in place of a bracket that is not closed, or a number without
    its unit.
    """
    if len(text) <= width:
        return text
    return _CUT_OFF.sub(" ...", textwrap.shorten(text, max(width, 20), placeholder=" ..."))


_CUT_OFF = re.compile(r"( \([^)]*| [\d.,]+)+ \.\.\.$")


def parts(finding: Finding, report: Report) -> Iterator[Part]:
    """Label and text of what a card shows below its sentence."""
    if len(finding.qmgrs) > 1:
        yield "On", clean(listed(finding.qmgrs, SUBJECTS))
    past = report.history_of(finding)
    yield from _labelled("When", [finding.when])
    yield from _labelled("Expired", finding.expired)
    yield from _labelled("History", [past.word])
    yield from _labelled("Earlier", [earlier_text(past)])
    yield from _labelled("Who", finding.who)
    yield from _labelled("Look", finding.look)
    yield from _labelled("Do", finding.do)
    yield from _labelled("Advice", [finding.remedy])
    yield from _labelled("Plan", finding.plan)
    yield from _labelled("Also", _others(finding))
    yield from _labelled("Leads to", _symptoms(finding, report))
    yield from _labelled("Cause", [", ".join(finding.row["caused_by"] or ()) if finding.depth else ""])
    yield from _labelled("Facts", [finding.facts])
    yield from _labelled("Trace", [finding.trace])
    yield from _labelled("Key", [finding.key])


def headed(finding: Finding) -> str:
    """The rule with its worst subject, or with the queue managers of a finding about the estate."""
    return f"{finding.rule_id} {about_of(finding)}".rstrip()


def about_of(finding: Finding) -> str:
    """The worst subject, or the queue managers of a finding about the estate."""
    return finding.where if len(finding.qmgrs) > 1 else finding.location


def _labelled(label: str, texts: Iterable[str]) -> Iterator[Part]:
    for number, text in enumerate(text for text in map(as_typed, texts) if text):
        yield ("" if number else label), clean(text)


def first_sentence(text: str) -> str:
    """The first sentence of a text."""
    first, end, _ = clean(text).partition(". ")
    return first + end.strip()


def _others(finding: Finding) -> Iterator[str]:
    yield from (f"{other.location}: {other.figure}" for other in finding.others[:SUBJECTS])
    if len(finding.others) > SUBJECTS:
        yield f"{plural(len(finding.others) - SUBJECTS, 'more subject')}; --report overview/findings"


def subject_of(row: Mapping[str, Any]) -> str:
    """The subject below a heading that names its queue manager."""
    return str(row["subject"] or qmgr_name(row["lpar"], row["qmgr"]))


def symptoms(finding: Finding, report: Report) -> Iterator[Finding]:
    """The findings that a finding explains, each below its cause."""
    at = next(number for number, other in enumerate(report.findings) if other is finding)
    yield from takewhile(lambda other: other.depth > finding.depth, report.findings[at + 1 :])


def _symptoms(finding: Finding, report: Report) -> Iterator[str]:
    for symptom in symptoms(finding, report):
        more = f"; {plural(len(symptom.others), 'more subject')}" if symptom.others else ""
        indent = _INDENT * (symptom.depth - finding.depth - 1)
        yield f"{indent}{symptom.severity} {headed(symptom)}: {symptom.subjects[0].figure}{more}"


def _accept_lines(finding: Finding) -> list[str]:
    if not finding.accept:
        return []
    return [f"{_INDENT}{'Accept':<{_LABEL}}lines for the site file (fill in the reason):", *finding.accept.splitlines()]


_ENDS_IN_COMMAND = re.compile(r"(.*[;:]) (mqstat .*)")
"""A sentence with a command at its end, which is not broken as words are."""


def without_command(text: str) -> str:
    """A sentence without the command at its end."""
    return _ENDS_IN_COMMAND.sub(r"\1", text).rstrip(";:")


def hanging(first: Line, text: str, width: int, below: str = "") -> Iterator[Line]:
    """Text after a label, with continuation lines aligned below its start, or after `below`."""
    used = sum(len(part) for part, _ in first)
    indent = below or " " * used
    lead = text[: len(text) - len(text.lstrip())]
    room = max(20, width - len(indent))
    start = max(0, used - len(indent))
    ended = _ENDS_IN_COMMAND.fullmatch(text)
    if text.startswith("mqstat "):
        wrapped = wrapped_command(text, room)
        wrapped[0] = " " * start + wrapped[0]
    elif ended and start + len(text) > room:
        wrapped = [*_wrapped(ended[1], room, start, lead), *wrapped_command(ended[2], room)]
    else:
        wrapped = _wrapped(text, room, start, lead)
    yield [*first, (wrapped[0][start:], "")]
    for line in wrapped[1:]:
        yield [(indent + line, "")]


_TOGETHER = re.compile(r"(?<=[<>=]) (?=limit )|(?<= limit) (?=\d)|(?<=\d) (?=%)|(?<=MQ) (?=\d)")
"""The blanks of a text that is on one line: of a limit, of a percentage, of a level of MQ."""

_BLANK = "\0"
"""In place of such a blank while a text is wrapped."""


def _wrapped(text: str, room: int, start: int, lead: str) -> list[str]:
    """Lines of words, the first after so many columns, all after the blanks that the text begins with."""
    words, first = _TOGETHER.sub(_BLANK, text.strip()), " " * start + lead
    lines = textwrap.wrap(words, room, initial_indent=first, subsequent_indent=lead, break_on_hyphens=False) or [""]
    return [line.replace(_BLANK, " ") for line in lines]
