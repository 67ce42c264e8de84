"""JUnit XML for build servers: a test case for each rule and subject; in breach = failure with its figure and advice, not judged or switched off = skipped with the reason, broken = error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TextIO
from xml.sax.saxutils import escape, quoteattr

from mqstat.base.formatting import clean, subject_name
from mqstat.base.grouping import grouped_by
from mqstat.render.format import Format, Options

if TYPE_CHECKING:
    from mqstat.assemble.model import Report

ELEMENTS: Mapping[str, str] = {"breach": "failure", "no-data": "skipped", "off": "skipped", "broken": "error"}
"""The element for each outcome; a test case without one has passed."""


def render(report: Report, stream: TextIO, options: Options) -> None:
    """A test suite for each area, with the outcomes in the order of the findings; one outcome may represent others that are clear."""
    figures = {id(at.row): at.figure or finding.summary for finding in report.findings for at in finding.subjects}
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    stream.write(f"<testsuites{_attributes(name='mqstat', **_counts(report.outcomes))}>\n")
    for area, rows in grouped_by(report.outcomes, lambda row: str(row["rule_area"])).items():
        stream.write(f"<testsuite{_attributes(name=area, **_counts(rows))}>\n")
        for row in rows:
            stream.write(_case(row, figures.get(id(row), "")))
        stream.write("</testsuite>\n")
    stream.write("</testsuites>\n")


def _case(row: Mapping[str, Any], figure: str) -> str:
    name = subject_name(row["lpar"], row["qmgr"], row["subject"]) or "all"
    classname = f"{row['rule_area']}.{row['rule_id']}"
    start = f"<testcase{_attributes(classname=classname, name=name)}"
    element, advice = ELEMENTS.get(row["outcome"]), clean(row["advice"] or "")
    if element is None:
        return f"{start}/>\n"
    message = _attributes(message=figure or advice or row["state"])
    if element == "skipped":
        return f"{start}><skipped{message}/></testcase>\n"
    kind = _attributes(type=row["severity"] if element == "failure" else row["state"])
    return f"{start}><{element}{message}{kind}>{escape(advice)}</{element}></testcase>\n"


def _counts(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The counts of a test suite."""
    elements = Counter(ELEMENTS.get(row["outcome"], "") for row in rows)
    return {
        "tests": elements.total(),
        "failures": elements["failure"],
        "errors": elements["error"],
        "skipped": elements["skipped"],
    }


def _attributes(**values: object) -> str:
    """Attributes of an element. No text has a character that XML forbids: those are `?`."""
    return "".join(f" {name}={quoteattr(clean(str(value)))}" for name, value in values.items())


FORMAT = Format(render, endings=(".xml",), commands=("check",), is_utf8=True)
