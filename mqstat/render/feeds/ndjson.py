"""A JSON object for each value (`@timestamp`, metric, unit, labels, value) or finding (`@timestamp` and the columns of view finding, and `new`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mqstat.assemble.series import Course
from mqstat.render.feeds.format import VALUE, Events, FeedFormat

TIMESTAMP = "strftime(at_utc, '%Y-%m-%dT%H:%M:%S.%gZ')"
"""SQL: the time in ISO 8601, in milliseconds."""


def fields(course: Course) -> str:
    """All but time and value, as the first members of an object."""
    known = {"metric": course.metric.name, "unit": course.metric.unit, **course.labels}
    return json.dumps(known, ensure_ascii=False, separators=(",", ":"))[1:-1]


def prefix(course: Course) -> str:
    """The object up to its value."""
    return f'{{{fields(course)},"value":'


def event(at: datetime, finding: Mapping[str, Any]) -> str:
    """A finding as an object."""
    return json.dumps({"@timestamp": at.isoformat(timespec="milliseconds") + "Z", **finding}, separators=(",", ":"))


ROW = f"""prefix || {VALUE} || ',"@timestamp":"' || {TIMESTAMP} || '"}}'"""

FORMAT = FeedFormat(".ndjson", prefix, ROW, events=Events(event))
