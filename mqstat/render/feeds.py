"""Values of intervals, and findings, as text for the systems that keep them: in one stream, or values in a file for
each GMT day.
"""

from __future__ import annotations

import filecmp
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TextIO

from mqstat.base.atomic_write import create_folder, part_of, replaced
from mqstat.base.errors import UsageError
from mqstat.base.version import __version__

if TYPE_CHECKING:
    from mqstat.assemble.series import Course, Metric, Series

STEM = "mqstat-series"
"""How the names of the files of days begin."""

VALUE = "printf('%.12g', value)"
"""SQL: a value with 12 digits; the last digits of a sum of fractions may differ between runs."""


@dataclass(frozen=True)
class Events:
    """How findings are written: `line` makes the text of one from its time (GMT) and its columns of view finding, each
    as a JSON value.
    """

    line: Callable[[datetime, Mapping[str, Any]], str]
    begin: str = ""
    end: str = ""
    between: str = "\n"
    last: str = "\n"


@dataclass(frozen=True)
class FeedFormat:
    """A format: the values of a metric follow each other, by subject and time.

    about: what it is, for the documentation. ending: file extension. prefix: how each value of a course begins. row:
    SQL of a value from its columns prefix, value and at_utc. begin, end: the first and last text of a file. head, foot:
    the text around the values of a metric.
    between: the text between two values, between_metrics: between two metrics, last: after the last one. events: None
    if it has only values.
    """

    about: str
    ending: str
    prefix: Callable[[Course], str]
    row: str
    begin: str = ""
    end: str = ""
    head: Callable[[Metric], str] = lambda metric: ""
    foot: str = ""
    between: str = "\n"
    between_metrics: str = "\n"
    last: str = "\n"
    events: Events | None = None


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


# --- ndjson


def _ndjson_prefix(course: Course) -> str:
    known = {"metric": course.metric.name, "unit": course.metric.unit, **course.labels}
    return json.dumps(known, ensure_ascii=False, separators=(",", ":"))[:-1] + ',"value":'


def _ndjson_event(at: datetime, finding: Mapping[str, Any]) -> str:
    return _compact({"@timestamp": at.isoformat(timespec="milliseconds") + "Z", **finding})


_NDJSON = FeedFormat(
    "A JSON object for each value (`@timestamp`, metric, unit, labels, value) or finding "
    "(`@timestamp` and the columns of view finding, and `new`).",
    ".ndjson",
    _ndjson_prefix,
    f"""prefix || {VALUE} || ',"@timestamp":"' || strftime(at_utc, '%Y-%m-%dT%H:%M:%S.%gZ') || '"}}'""",
    events=Events(_ndjson_event),
)


# --- OpenMetrics


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _openmetrics_head(metric: Metric) -> str:
    unit = f"# UNIT {metric.name} {metric.unit}\n" if metric.unit else ""
    return f"# TYPE {metric.name} gauge\n{unit}# HELP {metric.name} {_escaped(metric.doc)}\n"


def _openmetrics_prefix(course: Course) -> str:
    labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in course.labels.items())
    return f"{course.metric.name}{{{labels}}} "


_OPENMETRICS = FeedFormat(
    "OpenMetrics text with time stamps, in seconds: for `promtool tsdb create-blocks-from openmetrics` and other importers.",
    ".prom",
    _openmetrics_prefix,
    f"prefix || {VALUE} || ' ' || (epoch_ms(at_utc) // 1000)::VARCHAR || '.' || lpad((epoch_ms(at_utc) % 1000)::VARCHAR, 3, '0')",
    end="# EOF\n",
    head=_openmetrics_head,
)


# --- OTLP


UCUM = {
    "ratio": "1",
    "seconds": "s",
    "bytes": "By",
    "bytes_per_second": "By/s",
    "per_second": "{event}/s",
    "": "{count}",
}
"""The UCUM unit of each base unit."""

SEVERITIES = {"critical": 17, "warning": 13, "info": 9, "broken": 17}
"""The severity numbers ERROR, WARN and INFO of OpenTelemetry."""


def _attribute(name: str, value: str) -> dict[str, object]:
    return {"key": name, "value": {"stringValue": value}}


def _otlp_head(metric: Metric) -> str:
    known = {"name": metric.dotted, "unit": UCUM[metric.unit], "description": metric.doc}
    return _compact(known)[:-1] + ',"gauge":{"dataPoints":['


def _otlp_prefix(course: Course) -> str:
    attributes = [_attribute(f"ibm.mq.{name}", value) for name, value in course.labels.items() if value]
    return f'{{"attributes":{json.dumps(attributes, ensure_ascii=False, separators=(",", ":"))},"asDouble":'


def _otlp_event(at: datetime, finding: Mapping[str, Any]) -> str:
    """A finding as a log record: its advice as body, its columns as attributes."""
    seconds = max(0, at.replace(tzinfo=UTC).timestamp())  # unsigned; 0 = not known
    attributes = [
        _attribute(f"ibm.mq.finding.{name}", value if isinstance(value, str) else _compact(value))
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
    return _compact(record)


def _otlp_begin(kind: str, part: str, items: str) -> str:
    """A request up to its items: one resource with one scope."""
    resource = _compact({"attributes": [_attribute("service.name", "mqstat")]})
    scope = _compact({"name": "mqstat", "version": __version__})
    return f'{{"{kind}":[{{"resource":{resource},"{part}":[{{"scope":{scope},"{items}":[\n'


_OTLP = FeedFormat(
    "OTLP/JSON, a request for an OpenTelemetry collector: metrics (`/v1/metrics`) with names `ibm.mq...`, UCUM units, "
    "labels as attributes, or findings as logs (`/v1/logs`).",
    ".otlp.json",
    _otlp_prefix,
    f"""prefix || {VALUE} || ',"timeUnixNano":"' || epoch_ms(at_utc)::VARCHAR || '000000"}}'""",
    begin=_otlp_begin("resourceMetrics", "scopeMetrics", "metrics"),
    end="\n]}]}]}\n",
    head=_otlp_head,
    foot="]}}",
    between=",",
    between_metrics=",\n",
    last="",
    events=Events(
        _otlp_event,
        begin=_otlp_begin("resourceLogs", "scopeLogs", "logRecords"),
        end="\n]}]}]}\n",
        between=",\n",
        last="",
    ),
)

FEEDS: Mapping[str, FeedFormat] = MappingProxyType({"ndjson": _NDJSON, "openmetrics": _OPENMETRICS, "otlp": _OTLP})
"""All formats by name."""

EVENTS = tuple(name for name, known in FEEDS.items() if known.events is not None)
"""The names of the formats that have findings."""


# --- writing


def write(series: Series, known: FeedFormat, stream: TextIO, day: date | None = None) -> None:
    """Write all values, or those of a GMT day, to a stream."""
    stream.write(known.begin)
    prefixes = [known.prefix(course) for course in series.courses]
    open_metric: Metric | None = None
    for metric, lines in series.texts(prefixes, known.row, known.between, day):
        if metric is open_metric:
            stream.write(known.between)
        elif open_metric is None:
            stream.write(known.head(metric))
        else:
            stream.write(known.foot + known.between_metrics + known.head(metric))
        stream.write(lines)
        open_metric = metric
    if open_metric is not None:
        stream.write(known.foot + known.last)
    stream.write(known.end)


def write_days(series: Series, known: FeedFormat, folder: Path) -> dict[Path, bool]:
    """Write a file for each GMT day with values; returns each, and whether it is new or changed: a file that would be
    the same is left as it is.

    Raises UsageError if a file cannot be written.
    """
    written = {}
    create_folder(folder)
    for day in series.days():
        path = folder / f"{STEM}-{day.isoformat()}{known.ending}"
        try:
            part = part_of(path)
            try:
                with part.open("x", encoding="utf-8", newline="") as stream:
                    write(series, known, stream, day)
                written[path] = not path.is_file() or not filecmp.cmp(part, path, shallow=False)
                if written[path]:
                    with replaced(path) as new:
                        part.replace(new)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
    return written


def write_events(events: Sequence[tuple[datetime, Mapping[str, Any]]], known: Events, stream: TextIO) -> None:
    """Write the subjects of findings: `mqstat.assemble.series.events`."""
    from msgspec import to_builtins

    from mqstat.assemble.finding import fields

    lines = (known.line(at, to_builtins(fields(row))) for at, row in events)
    stream.write(known.begin + known.between.join(lines) + (known.last if events else "") + known.end)
