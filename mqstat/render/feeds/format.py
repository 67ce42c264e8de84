"""What a format of feeds is: of the values of intervals, and of findings. Each is one file in this folder, whose name is the name of the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mqstat.assemble.series import Course, Metric

VALUE = "printf('%.12g', value)"
"""SQL: a value with 12 digits; the last digits of a sum of fractions may differ between runs."""

SECONDS = "(epoch_ms(at_utc) // 1000)::VARCHAR || '.' || lpad((epoch_ms(at_utc) % 1000)::VARCHAR, 3, '0')"
"""SQL: the time in seconds since 1970, with milliseconds."""


def nothing(metric: Metric) -> str:
    """No text around the values of a metric."""
    return ""


@dataclass(frozen=True)
class Events:
    """How findings are written: `line` makes the text of one from its time (GMT) and its columns of view finding, each as a JSON value."""

    line: Callable[[datetime, Mapping[str, Any]], str]
    begin: str = ""
    end: str = ""
    between: str = "\n"
    last: str = "\n"


@dataclass(frozen=True)
class FeedFormat:
    """A format: the values of a metric follow each other, by subject and time.

    ending: file extension. begin, end: the first and last text of a file. head, foot: the text around the values of a metric. prefix: how each value of a
    course begins. row: SQL of a value from its columns prefix, value and at_utc. between: the text between two values, between_metrics: between two metrics, last: after the last one.
    """

    ending: str
    prefix: Callable[[Course], str]
    row: str
    begin: str = ""
    end: str = ""
    head: Callable[[Metric], str] = nothing
    foot: Callable[[Metric], str] = nothing
    between: str = "\n"
    between_metrics: str = "\n"
    last: str = "\n"
    events: Events | None = None
    """None if the format has only values."""
