"""Events for the HTTP Event Collector of Splunk: sourcetype `mqstat:series` with metric, unit, labels and value, `mqstat:finding` with the columns of view finding, and `new`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from mqstat.assemble.series import Course
from mqstat.render.feeds import ndjson
from mqstat.render.feeds.format import SECONDS, VALUE, Events, FeedFormat


def prefix(course: Course) -> str:
    """The event up to its value."""
    return f'{{"sourcetype":"mqstat:series","source":"mqstat","event":{{{ndjson.fields(course)},"value":'


def event(at: datetime, finding: Mapping[str, Any]) -> str:
    """A finding as an event."""
    seconds = round(at.replace(tzinfo=UTC).timestamp(), 3)
    known = {"time": seconds, "sourcetype": "mqstat:finding", "source": "mqstat", "event": finding}
    return json.dumps(known, separators=(",", ":"))


FORMAT = FeedFormat(
    ".hec.json", prefix, f"""prefix || {VALUE} || '}},"time":' || {SECONDS} || '}}'""", events=Events(event)
)
