"""Bulk requests of Elasticsearch and OpenSearch: an action, for the data stream `metrics-mqstat-default` or `logs-mqstat-default` (findings), then the JSON object of `ndjson`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mqstat.assemble.series import Course
from mqstat.render.feeds import ndjson
from mqstat.render.feeds.format import Events, FeedFormat

ACTION = '{{"create":{{"_index":"{}-mqstat-default"}}}}\n'


def prefix(course: Course) -> str:
    """The action, and the object up to its value."""
    return ACTION.format("metrics") + ndjson.prefix(course)


def event(at: datetime, finding: Mapping[str, Any]) -> str:
    """The action and a finding."""
    return ACTION.format("logs") + ndjson.event(at, finding)


FORMAT = FeedFormat(".bulk.ndjson", prefix, ndjson.ROW, events=Events(event))
