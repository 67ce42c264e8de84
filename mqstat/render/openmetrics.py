"""OpenMetrics: the state of queue managers for a monitoring system."""

from __future__ import annotations

from typing import TextIO

from mqstat.render.model import Report


def render_openmetrics(report: Report, stream: TextIO) -> None:
    """The report as OpenMetrics text."""
    stream.write("# EOF\n")
