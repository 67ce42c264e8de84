"""OpenMetrics text with time stamps, in seconds: for `promtool tsdb create-blocks-from openmetrics` and other importers."""

from __future__ import annotations

from mqstat.assemble.series import Course, Metric
from mqstat.render.feeds.format import SECONDS, VALUE, FeedFormat


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def head(metric: Metric) -> str:
    """Type, unit and meaning of a metric."""
    unit = f"# UNIT {metric.name} {metric.unit}\n" if metric.unit else ""
    return f"# TYPE {metric.name} gauge\n{unit}# HELP {metric.name} {_escaped(metric.doc)}\n"


def prefix(course: Course) -> str:
    """Name and labels."""
    labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in course.labels.items())
    return f"{course.metric.name}{{{labels}}} "


FORMAT = FeedFormat(
    ".prom",
    prefix,
    f"prefix || {VALUE} || ' ' || {SECONDS}",
    end="# EOF\n",
    head=head,
)
