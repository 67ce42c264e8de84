"""Command-line arguments for days: a date, a period, a number of previous days."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from mqstat.base.errors import UsageError
from mqstat.base.selection import Selection, parse_day

_PERIOD = re.compile(r"(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?\Z")
_SPAN = re.compile(r"(\d{1,4})([dw])\Z")
LONGEST = 120
"""Highest number of days that a day is compared with."""


def days_of(word: str, option: str) -> int:
    """A number of days, such as 28d or 4w; UsageError for anything else."""
    match = _SPAN.match(word)
    days = int(match[1]) * (7 if match[2] == "w" else 1) if match else 0
    if not 1 <= days <= LONGEST:
        raise UsageError(f"{option} {word}: write days or weeks, such as 28d or 4w, at most {LONGEST} days.")
    return days


def selection_of(word: str, chosen: Selection, what: str) -> Selection:
    """`chosen` within the days of a date or a period such as 2026-05-01..2026-05-07, both ends included."""
    match = _PERIOD.match(word)
    if match is None:
        raise UsageError(f"{what} {word}: write a date (2026-05-21) or a period (2026-05-01..2026-05-07).")
    first, last = parse_day(match[1], what), parse_day(match[2] or match[1], what)
    if last < first:
        raise UsageError(f"{what} {word}: ends before it begins.")
    return replace(
        chosen,
        since=dt.datetime.combine(first, dt.time()),
        until=dt.datetime.combine(last + dt.timedelta(days=1), dt.time()),
    )
