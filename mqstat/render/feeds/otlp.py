"""OTLP/JSON, a request for an OpenTelemetry collector: metrics (`/v1/metrics`) with names `ibm.mq...`, UCUM units, labels as attributes, or findings as logs (`/v1/logs`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from mqstat.assemble.series import Course, Metric
from mqstat.base.version import __version__
from mqstat.render.feeds.format import VALUE, Events, FeedFormat

UCUM = {
    "ratio": "1",
    "seconds": "s",
    "bytes": "By",
    "bytes_per_second": "By/s",
    "per_second": "{event}/s",
    "": "{count}",
}
"""The UCUM unit of each base unit."""


def _attribute(name: str, value: str) -> dict[str, object]:
    return {"key": name, "value": {"stringValue": value}}


def head(metric: Metric) -> str:
    """The metric up to its data points."""
    known = {"name": metric.dotted, "unit": UCUM[metric.unit], "description": metric.doc}
    return json.dumps(known, separators=(",", ":"))[:-1] + ',"gauge":{"dataPoints":['


def prefix(course: Course) -> str:
    """A data point up to its value."""
    attributes = [_attribute(f"ibm.mq.{name}", value) for name, value in course.labels.items() if value]
    return f'{{"attributes":{json.dumps(attributes, ensure_ascii=False, separators=(",", ":"))},"asDouble":'


SEVERITIES = {"critical": 17, "warning": 13, "info": 9, "broken": 17}
"""The severity numbers ERROR, WARN and INFO of OpenTelemetry."""


def event(at: datetime, finding: Mapping[str, Any]) -> str:
    """A finding as a log record: its advice as body, its columns as attributes."""
    seconds = max(0, at.replace(tzinfo=UTC).timestamp())  # unsigned; 0 = not known
    attributes = [
        _attribute(
            f"ibm.mq.finding.{name}", value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        )
        for name, value in finding.items()
        if value not in (None, "", [])
    ]
    record = {
        "timeUnixNano": f"{round(seconds * 1000)}000000",
        "severityNumber": SEVERITIES.get(str(finding["severity"]), 9),
        "severityText": finding["severity"],
        "body": {"stringValue": finding["advice"] or finding["rule_name"]},
        "attributes": attributes,
    }
    return json.dumps(record, separators=(",", ":"))


_RESOURCE = json.dumps({"attributes": [_attribute("service.name", "mqstat")]}, separators=(",", ":"))
_SCOPE = json.dumps({"name": "mqstat", "version": __version__}, separators=(",", ":"))

FORMAT = FeedFormat(
    ".otlp.json",
    prefix,
    f"""prefix || {VALUE} || ',"timeUnixNano":"' || epoch_ms(at_utc)::VARCHAR || '000000"}}'""",
    begin=f'{{"resourceMetrics":[{{"resource":{_RESOURCE},"scopeMetrics":[{{"scope":{_SCOPE},"metrics":[\n',
    end="\n]}]}]}\n",
    head=head,
    foot=lambda metric: "]}}",
    between=",",
    between_metrics=",\n",
    last="",
    events=Events(
        event,
        begin=f'{{"resourceLogs":[{{"resource":{_RESOURCE},"scopeLogs":[{{"scope":{_SCOPE},"logRecords":[\n',
        end="\n]}]}]}\n",
        between=",\n",
        last="",
    ),
)
