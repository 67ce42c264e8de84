"""The selection of a command: record types, LPARs, queue managers, a period."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mqstat.base.errors import UsageError

EPOCH = dt.datetime(1970, 1, 1)


Moment: TypeAlias = dt.datetime | dt.date | str | None
"""A local time: a date and time, or a date; or either as text (ISO 8601)."""


@dataclass(frozen=True, init=False)
class Selection:
    """Only these SMF types, queue managers, LPARs and local times; empty = all. `since` is included, `until` is not.

    Statistics are selected by the local start of their interval, everything else by the time written.
    """

    types: tuple[int, ...]
    qmgrs: tuple[str, ...]
    since: dt.datetime | None
    until: dt.datetime | None
    lpars: tuple[str, ...]
    tasks: tuple[tuple[str, str], ...]
    """Columns of tasks with the name or pattern (* and ?) that they must have: only this class 3 accounting. Other
    records are selected whole."""

    def __init__(
        self,
        types: int | str | Iterable[int | str] = (),
        qmgrs: str | Iterable[str] = (),
        since: Moment = None,
        until: Moment = None,
        lpars: str | Iterable[str] = (),
        tasks: Iterable[tuple[str, str]] = (),
    ) -> None:
        """One value or several for types, queue managers and LPARs; times, dates and their texts for `since` and
        `until`.

        A date alone is its start; as `until` it is the end of that day, as in `--until`. Raises UsageError for another
        type than 115 and 116, a text that is not a date or time, and a time with a time zone.
        """
        given = {
            "types": _types(types),
            "qmgrs": _names(qmgrs),
            "since": _moment(since, "since"),
            "until": _moment(until, "until", end=True),
            "lpars": _names(lpars),
            "tasks": tuple(tasks),
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)

    @property
    def is_all(self) -> bool:
        """Whether everything is selected."""
        return not (self.types or self.qmgrs or self.lpars or self.since or self.until or self.tasks)

    def text(self) -> str:
        """The selection as text, such as `queue manager MQW1, from 2026-05-21 08:00`; `everything` if nothing is
        excluded.
        """
        parts = [f"type {number}" for number in self.types]
        parts += [f"queue manager {name}" for name in self.qmgrs]
        parts += [f"LPAR {name}" for name in self.lpars]
        parts += [f"tasks with {column} {pattern}" for column, pattern in self.tasks]
        day = self._day()
        if day is not None:
            parts.append(f"date {day}")
        else:
            parts += [f"from {self.since:%Y-%m-%d %H:%M}"] if self.since else []
            parts += [f"before {self.until:%Y-%m-%d %H:%M}"] if self.until else []
        return ", ".join(parts) or "everything"

    def _day(self) -> dt.date | None:
        """The local day that the period is, None when it is another period."""
        if self.since is None or self.until is None or self.since.time() != dt.time():
            return None
        return self.since.date() if self.until - self.since == dt.timedelta(days=1) else None

    def as_dict(self) -> dict[str, list[int] | list[str] | str | None]:
        """For the manifest: equal selections give equal values."""
        # Without --lpar the value equals that of datasets written before --lpar existed.
        lpars: dict[str, list[int] | list[str] | str | None] = {"lpar": sorted(self.lpars)} if self.lpars else {}
        return lpars | {
            "only": sorted(self.types),
            "qmgr": sorted(self.qmgrs),
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
        }


def _types(types: int | str | Iterable[int | str]) -> tuple[int, ...]:
    given = (types,) if isinstance(types, int | str) else tuple(types)
    for each in given:
        if str(each) not in ("115", "116"):
            raise UsageError(f"Type {each} has no records of MQ: choose 115 (statistics) or 116 (accounting).")
    return tuple(map(int, given))


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _moment(given: Moment, name: str, *, end: bool = False) -> dt.datetime | None:
    if given is None or isinstance(given, dt.datetime):
        if given is not None and given.tzinfo is not None:
            raise UsageError(f"{name} {given}: remove the time zone; times are the local times of the records.")
        return given
    return parse_moment(given if isinstance(given, str) else given.isoformat(), name, end=end)


def parse_moment(text: str, option: str, *, end: bool = False) -> dt.datetime:
    """Read a date or a date and time; a date alone means its start, or the start of the next day for `--until`."""
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{option} {text} is not a date or time; write 2026-01-31 or 2026-01-31T14:30.") from None
    if moment.tzinfo is not None:
        raise UsageError(f"{option} {text}: remove the time zone; times are the local times of the records.")
    return moment + dt.timedelta(days=1) if end and _is_day(text) else moment


def _is_day(text: str) -> bool:
    """Whether a text is a date without a time, in any of the formats of ISO 8601."""
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def parse_day(text: str, option: str) -> dt.date:
    """Read a date alone, such as 2026-01-31; UsageError names the option."""
    try:
        return dt.date.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{option} {text} is not a date; write 2026-01-31.") from None


TASK_COLUMNS = (
    "connection_job", "operator_id", "channel_name", "connection_name", "user_or_transaction", "task_correlator",
)  # fmt: skip
"""Columns that tasks can be selected by."""


def tasks_of(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The pairs of `--task COLUMN=PATTERN`; UsageError for anything else."""
    pairs = []
    for text in given:
        column, sign, pattern = text.partition("=")
        if not sign or column not in TASK_COLUMNS:
            raise UsageError(f"--task {text}: write COLUMN=PATTERN; columns are {', '.join(TASK_COLUMNS)}.")
        pairs.append((column, pattern))
    return tuple(pairs)


def make(
    only: Sequence[str] = (),
    qmgr: Sequence[str] = (),
    since: str | None = None,
    until: str | None = None,
    date: str | None = None,
    lpar: Sequence[str] = (),
) -> Selection:
    """The selection of the command-line options; UsageError if they cannot be combined."""
    for option, values in (("qmgr", qmgr), ("lpar", lpar), ("since", [since]), ("until", [until]), ("date", [date])):
        if any(value is not None and not value.strip() for value in values):
            raise UsageError(f"--{option} is empty; give a value or remove the option.")
    types = []
    for word in only:
        if word not in ("115", "116"):
            raise UsageError(f"--only {word}: choose 115 (statistics) or 116 (accounting).")
        types.append(int(word))
    start = parse_moment(since, "--since") if since else None
    stop = parse_moment(until, "--until", end=True) if until else None
    if date is not None:
        if since is not None or until is not None:
            raise UsageError("--date selects a whole day: remove --since and --until.")
        start = dt.datetime.combine(parse_day(date, "--date"), dt.time())
        stop = start + dt.timedelta(days=1)
    if start and stop and stop <= start:
        raise UsageError(f"--until {until} is not after --since {since}.")
    return Selection(tuple(types), tuple(n.upper() for n in qmgr), start, stop, tuple(n.upper() for n in lpar))
