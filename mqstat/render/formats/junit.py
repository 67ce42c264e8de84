"""JUnit XML for build servers: a test case for each rule and queue manager; in breach = failure with the figures and the advice, not judged or switched off = skipped with the reason, broken = error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TextIO

from mqstat.base.formatting import clean, qmgr_name
from mqstat.base.grouping import grouped_by
from mqstat.render.format import Format, Options

if TYPE_CHECKING:
    from mqstat.assemble.model import Report

ELEMENTS: Mapping[str, str] = {
    "broken": "error",
    "breach": "failure",
    "clear": "",
    "no-data": "skipped",
    "off": "skipped",
}
"""The element for each outcome, the one that decides first; a test case without an element has passed."""

Case = tuple[str, str, str]
"""The area of a test case, its element, and its text."""


def render(report: Report, stream: TextIO, options: Options) -> None:
    """A test suite for each area; the worst findings come first."""
    from mqstat.assemble.conditions import rating

    figures = {
        id(
            at.row
        ): f"{at.location}{': ' if at.location else ''}{at.figure or finding.summary}{f' ({rating(at.row)})' if finding.rating else ''}"
        for finding in report.findings
        for at in finding.subjects
    }
    by_rule = grouped_by(report.outcomes, lambda row: (row["rule_id"], row["lpar"] or "", row["qmgr"] or ""))
    cases = [_case(rows, figures) for rows in by_rule.values()]
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    stream.write(f"<testsuites{_attributes(name='mqstat', **_counts(cases))}>\n")
    for area, own in grouped_by(cases, lambda case: case[0]).items():
        stream.write(f"<testsuite{_attributes(name=area, **_counts(own))}>\n")
        stream.writelines(text for _, _, text in own)
        stream.write("</testsuite>\n")
    stream.write("</testsuites>\n")


def _case(rows: Sequence[Mapping[str, Any]], figures: Mapping[int, str]) -> Case:
    """The outcomes of a rule on a queue manager; those that decide are in the text, the worst first."""
    outcome = min((row["outcome"] for row in rows), key=list(ELEMENTS).index)
    deciding = [row for row in rows if row["outcome"] == outcome]
    first, element = deciding[0], ELEMENTS[outcome]
    name = qmgr_name(first["lpar"], first["qmgr"]) or first["lpar"] or "all"
    classname = f"{first['rule_area']}.{first['rule_id']}"
    start = f"<testcase{_attributes(classname=classname, name=name)}"
    lines = [figures.get(id(row)) or _advice(row) for row in deciding]
    if not element:
        return first["rule_area"], element, f"{start}/>\n"
    if element == "skipped":
        return first["rule_area"], element, f"{start}><skipped{_attributes(message=lines[0])}/></testcase>\n"
    kind = _attributes(message=lines[0], type=first["severity"] if element == "failure" else first["state"])
    body = "\n".join(
        escape(clean(line), quote=False) for line in [*lines, *([_advice(first)] if element == "failure" else [])]
    )
    return first["rule_area"], element, f"{start}><{element}{kind}>{body}</{element}></testcase>\n"


def _advice(row: Mapping[str, Any]) -> str:
    """What to do, or why the rule was not judged."""
    return str(row["advice"] or row["state"])


def _counts(cases: Iterable[Case]) -> dict[str, int]:
    """The counts of a test suite."""
    known = Counter(element for _, element, _ in cases)
    return {"tests": known.total(), "failures": known["failure"], "errors": known["error"], "skipped": known["skipped"]}


def _attributes(**values: object) -> str:
    """Attributes of an element. No text has a character that XML forbids: those are `?`."""
    return "".join(f' {name}="{escape(clean(str(value)))}"' for name, value in values.items())


FORMAT = Format(render, endings=(".xml",), commands=("check",), is_utf8=True)
