"""The number of findings by severity, counted again from the outcomes and compared with what every format shows."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mqstat.assemble.model import Report
from mqstat.base.formatting import findings_text
from mqstat.daily.days import report_state
from mqstat.daily.index import index_rows
from mqstat.daily.mail import mail
from mqstat.daily.state import State
from mqstat.daily.status import Codes
from tests.report_checks import findings_of, written

SEVERITIES = ("critical", "warning", "info")
DAY = dt.date(2026, 3, 2)


def count_contradictions(report: Report, findings: Sequence[Mapping[str, Any]], text: str, page: str) -> list[str]:
    """Where a format shows another number of findings than the outcomes of rules: a finding is a rule in breach on a
    queue manager or on most of them.
    """
    breaches = [row for row in findings if row["state"] == "breach"]
    owners = {(manager.lpar, manager.qmgr) for manager in report.qmgrs}
    worst: dict[tuple[Any, ...], str] = {}
    for rule_id in {row["rule_id"] for row in breaches}:
        own = [row for row in breaches if row["rule_id"] == rule_id]
        is_estate = len(owners) > 2 and 2 * len({(row["lpar"], row["qmgr"]) for row in own} & owners) > len(owners)
        for row in own:
            key = (rule_id,) if is_estate else (rule_id, row["lpar"], row["qmgr"])
            worst[key] = min(row["severity"], worst.get(key, "info"), key=SEVERITIES.index)
    counts = {name: list(worst.values()).count(name) for name in SEVERITIES}
    if any(row["state"] == "broken" for row in findings):
        return []
    stated = findings_text(counts)
    about = f"{len(worst)} finding{'s' if len(worst) != 1 else ''} ({stated}) about {len(breaches)} subject{'s' if len(breaches) != 1 else ''}"
    return list(
        _differing(report, findings_of(findings, owners=owners), counts, about if worst else stated, (text, page))
    )


def _differing(
    report: Report, checked: Report, counts: Mapping[str, int], stated: str, shown: tuple[str, str]
) -> Iterator[str]:
    by_severity = findings_text(counts)
    text, page = (" ".join(part.split()) for part in shown)
    if f": {stated}; --report overview/findings" not in text:
        yield f"text: {stated} is not in the foot"
    brief = " ".join(written(report, "text").split())
    if by_severity not in brief[-200:]:
        yield f"text: {by_severity} is not in the last line: {brief[-200:]}"
    if f": {stated}; --report overview/findings" not in re.sub(r"<[^>]*>", "", page):
        yield f"page: {stated} is not in the foot"
    for name, each in (("report", report), ("check", checked)):
        if {key: value for key, value in each.counts.items() if key != "broken"} != counts:
            yield f"{name}: JSON counts {each.counts}"
        if f" - {by_severity}" not in written(each, "nagios"):
            yield f"{name}: {written(each, 'nagios')[:80]} for {by_severity}"
        samples = dict(
            re.findall(r'^mqstat_findings\{severity="(\w+)"\} (\S+)$', written(each, "openmetrics"), re.MULTILINE)
        )
        exported = {name: float(samples[name]) for name in SEVERITIES}
        if exported != counts:
            yield f"{name}: OpenMetrics counts {exported}"
    if f"{stated}; return code" not in checked.summary:
        yield f"check: {checked.summary}"
    day = report_state(report, "data", (("SYS1", "MQ01"),), {})
    if findings_text(day.counts) != by_severity or index_rows(State({DAY: day}), DAY)[0].counts != counts:
        yield f"daily: {day.counts}"
    if f"{by_severity} (return code" not in mail(DAY, day, (), {}, Codes()).partition("\n")[0]:
        yield f"mail: {mail(DAY, day, (), {}, Codes()).partition(chr(10))[0]}"
