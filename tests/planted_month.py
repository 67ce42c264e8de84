"""A month of one queue manager in which everything that happens is known: tests compare what mqstat states about each
day with it.

The days are 3 to 28 November 2026, in intervals of an hour. The load follows the office day, with random noise, and
each figure of the log has noise of its own. A `Story` changes fields of some hours of some days; `MISSING` days have no
records. Tests add stories of their own:
`month(folder, stories=(*STORIES, mine))`, or write single days with `day_file`, so that a dump can come late.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mqstat.cli import run
from mqstat.fixtures.day import LOAD_BY_HOUR
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.numbers import numbered
from mqstat.fixtures.queue_manager import Cut, QueueManager

OWNER = QueueManager()
SECONDS = 3600
FIRST, LAST = dt.date(2026, 11, 3), dt.date(2026, 11, 28)
DAYS = tuple(FIRST + dt.timedelta(days=number) for number in range((LAST - FIRST).days + 1))
NOISE = 0.06
"""Standard deviation of the load, and of each figure of the log, as a share of its value."""

Changed = Callable[[Cut], dict[str, Any]]
"""Changed fields by structure (the overrides of `QueueManager.interval`) of the interval that would be written without
them."""


@dataclass(frozen=True)
class Story:
    """What happens in these hours of these days of November."""

    name: str
    days: Collection[int]
    hours: Collection[int]
    changed: Changed


def pool_full(_: Cut) -> dict[str, Any]:
    """Buffer pool 3 is full: applications write pages themselves."""
    values = {"lowest_stealable": 0, "current_stealable": 9_000, "deferred_write_starts": 6}
    return {"qpst": {3: {**values, "synchronous_write_hits": 140, "immediate_writes": 420}}}


def log_times(factor: float) -> Changed:
    """Every log write takes `factor` of its time."""

    def changed(cut: Cut) -> dict[str, Any]:
        values = cut.values("qjst")
        names = ("io_total_us", "request_total_us", "io_longest_us", "request_longest_us")
        return {"qjst": {name: {key: int(us * factor) for key, us in values[name].items()} for name in names}}

    return changed


OUTAGE = Story("outage", (16, 23), (14, 15), pool_full)
"""Twice the same; both days are Mondays."""

SLOW_LOG = Story("slow log", range(24, 29), range(24), log_times(5))
"""From Tuesday to Saturday."""

STORIES = (OUTAGE, SLOW_LOG)
MISSING: tuple[int, ...] = ()


def day_records(day: dt.date, stories: Iterable[Story] = STORIES, owner: QueueManager = OWNER) -> list[bytes]:
    """The records of a day; the noise of an hour is always the same, whatever the stories are."""
    out: list[bytes] = []
    for hour in range(24):
        noise = random.Random(f"{owner.name} {day} {hour}")
        start = dt.datetime.combine(day, dt.time(hour))
        load = LOAD_BY_HOUR[hour] * noise.gauss(1, NOISE)
        changes = log_times(noise.gauss(1, NOISE))(owner.cut(start, SECONDS, load=load))
        for story in stories:
            if day.day in story.days and hour in story.hours:
                changes |= story.changed(owner.cut(start, SECONDS, load=load, overrides=changes))
        out += owner.interval(start, SECONDS, load=load, overrides=changes)
    return out


def day_file(folder: Path, day: dt.date, stories: Iterable[Story] = STORIES, owner: QueueManager = OWNER) -> Path:
    """The dump of a day."""
    path = folder / f"{owner.name}-{day}.smf"
    records = numbered(day_records(day, stories, owner), before=(day - FIRST).days)
    path.write_bytes(smf_file(records))
    return path


def month(
    folder: Path, days: Sequence[dt.date] = DAYS, stories: Sequence[Story] = STORIES, missing: Collection[int] = MISSING
) -> Path:
    """A dataset with these days, except those that are missing."""
    files = [day_file(folder, day, stories) for day in days if day.day not in missing]
    assert run(["ingest", *map(str, files), "--into", str(folder / "data")]) == 0
    return folder / "data"
