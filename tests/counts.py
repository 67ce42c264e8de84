"""The number of findings by severity, counted again from the outcomes and compared with what every format shows."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mqstat.assemble.model import Report
from mqstat.base.formatting import findings_text
from mqstat.daily.days import report_state
from mqstat.daily.index import index_rows, mail
from mqstat.daily.state import State
from mqstat.daily.status import Codes
from tests.report_checks import findings_of, valid_metrics, written

SEVERITIES = ("critical", "warning", "info")
DAY = dt.date(2026, 3, 2)


def count_contradictions(report: Report, findings: Sequence[Mapping[str, Any]], text: str, page: str) -> list[str]:
    """Where a format shows another number of findings than the outcomes of rules: a finding is a rule in breach with one severity."""
    breaches = [row for row in findings if row["state"] == "breach"]
    of_rule = {(row["rule_id"], row["severity"]) for row in breaches}
    counts = {name: sum(severity == name for _, severity in of_rule) for name in SEVERITIES}
    if any(row["state"] == "broken" for row in findings):
        return []
    stated = findings_text(counts)
    about = f"{len(of_rule)} finding{'s' if len(of_rule) != 1 else ''} ({stated}) about {len(breaches)} subject{'s' if len(breaches) != 1 else ''}"
    return list(_differing(report, findings_of(findings), counts, about if of_rule else stated, (text, page)))


def _differing(
    report: Report, checked: Report, counts: Mapping[str, int], stated: str, shown: tuple[str, str]
) -> Iterator[str]:
    by_severity = findings_text(counts)
    text, page = (" ".join(part.split()) for part in shown)
    if f": {stated}; report overview/findings" not in text:
        yield f"text: {stated} is not in the foot"
    if f": {stated}; report overview/findings" not in re.sub(r"<[^>]*>", "", page):
        yield f"page: {stated} is not in the foot"
    for name, each in (("report", report), ("check", checked)):
        if {key: value for key, value in each.counts.items() if key != "broken"} != counts:
            yield f"{name}: JSON counts {each.counts}"
        if f" - {by_severity}" not in written(each, "nagios"):
            yield f"{name}: {written(each, 'nagios')[:80]} for {by_severity}"
        metrics = valid_metrics(written(each, "openmetrics"))
        exported = {name: metrics["mqstat_findings", (("severity", name),)] for name in SEVERITIES}
        if exported != counts:
            yield f"{name}: OpenMetrics counts {exported}"
    if f": {stated}; " not in checked.summary:
        yield f"check: {checked.summary}"
    day = report_state(report, "data", (("SYS1", "MQ01"),), {})
    if findings_text(day.counts) != by_severity or index_rows(State({DAY: day}), DAY)[0].counts != counts:
        yield f"daily: {day.counts}"
    if f"{by_severity} (return code" not in mail(DAY, day, (), {}, Codes()).partition("\n")[0]:
        yield f"mail: {mail(DAY, day, (), {}, Codes()).partition(chr(10))[0]}"
