"""Words of the command line that stand for days: a date, a period of days, so many days before."""

from __future__ import annotations

import datetime as dt
import re

from mqstat.errors import UsageError
from mqstat.selection import Selection

_PERIOD = re.compile(r"(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?\Z")
_SPAN = re.compile(r"(\d{1,4})([dw])\Z")
LONGEST = 120
"""Days that a day is compared with at most."""


def date_of(word: str, option: str) -> dt.date:
    """A date such as 2026-05-21; UsageError for anything else."""
    try:
        return dt.date.fromisoformat(word)
    except ValueError:
        raise UsageError(f"{option} {word}: is not a date; write 2026-05-21.") from None


def days_of(word: str, option: str) -> int:
    """So many days, such as 28d or 4w; UsageError for anything else."""
    match = _SPAN.match(word)
    days = int(match[1]) * (7 if match[2] == "w" else 1) if match else 0
    if not 1 <= days <= LONGEST:
        raise UsageError(f"{option} {word}: write days or weeks such as 28d or 4w, {LONGEST} days at the most.")
    return days


def selection_of(word: str, qmgrs: list[str], what: str) -> Selection:
    """The days that a date or a period such as 2026-05-01..2026-05-07 stands for, both ends included."""
    match = _PERIOD.match(word)
    if match is None:
        raise UsageError(f"{what} {word}: write a date such as 2026-05-21 or a period such as 2026-05-01..2026-05-07.")
    first, last = date_of(match[1], what), date_of(match[2] or match[1], what)
    if last < first:
        raise UsageError(f"{what} {word}: ends before it begins.")
    return one_day(first, qmgrs, last)


def one_day(first: dt.date, qmgrs: list[str], last: dt.date | None = None) -> Selection:
    """A day, or all days from one to another."""
    end = (last or first) + dt.timedelta(days=1)
    return Selection(
        qmgrs=tuple(name.upper() for name in qmgrs),
        since=dt.datetime.combine(first, dt.time()),
        until=dt.datetime.combine(end, dt.time()),
    )
