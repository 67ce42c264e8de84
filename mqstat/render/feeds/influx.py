"""Line protocol of InfluxDB, with time stamps in nanoseconds: a measurement for each metric, its labels as tags, field `value`."""

from __future__ import annotations

import re

from mqstat.assemble.series import Course
from mqstat.render.feeds.format import VALUE, FeedFormat


def _tag(text: str) -> str:
    # A backslash before the separator that follows a tag would escape it; line protocol has no escape for a backslash.
    return re.sub(r"([,= ])", r"\\\1", text.replace("\\", "/"))


def prefix(course: Course) -> str:
    """Measurement and tags; a tag without a value is not allowed and left out."""
    tags = "".join(f",{name}={_tag(value)}" for name, value in course.labels.items() if value)
    return f"{course.metric.name}{tags} value="


FORMAT = FeedFormat(".lp", prefix, f"prefix || {VALUE} || ' ' || epoch_ms(at_utc)::VARCHAR || '000000'")
