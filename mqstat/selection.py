"""What a command was asked to look at: record types, queue managers, a period."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mqstat.errors import UsageError

if TYPE_CHECKING:
    from mqstat.parsers.columns import Ints
    from mqstat.parsers.record import Records

EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Selection:
    """Only these SMF types, queue managers and local times; empty = all. `since` is included, `until` is not.

    Statistics are selected by the local start of their interval, everything else by the time written.
    """

    types: tuple[int, ...] = ()
    qmgrs: tuple[str, ...] = ()
    since: dt.datetime | None = None
    until: dt.datetime | None = None

    @property
    def is_all(self) -> bool:
        """Whether nothing is left out."""
        return not (self.types or self.qmgrs or self.since or self.until)

    def as_dict(self) -> dict[str, Any]:
        """For the manifest: equal selections give equal values."""
        return {
            "only": sorted(self.types),
            "qmgr": sorted(self.qmgrs),
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
        }

    def keep(self, r: Records, moment: Ints) -> Any:
        """Mask of the records of a chunk that are wanted, None for all. `moment` = local microseconds of each record."""
        import numpy as np

        from mqstat.parsers.batch import name_of
        from mqstat.parsers.record import NONE

        if self.is_all:
            return None
        mask = np.ones(len(r), bool)
        if self.types:
            mask &= np.isin(r.smf_type, self.types)
        if self.qmgrs:
            names = np.unique(r.qmgr)
            wanted = [int(raw) for raw in names if name_of(int(raw)) in self.qmgrs]
            mask &= np.isin(r.qmgr, wanted)
        if self.since:
            mask &= (moment != NONE) & (moment >= _microseconds(self.since))
        if self.until:
            mask &= (moment != NONE) & (moment < _microseconds(self.until))
        return mask


def _microseconds(when: dt.datetime) -> int:
    delta = when - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def parse_moment(text: str, option: str, *, end: bool = False) -> dt.datetime:
    """Read a date or a date and time; a date alone means its start, or the start of the next day for `--until`."""
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{option} {text}: is not a date or time; write 2026-01-31 or 2026-01-31T14:30.") from None
    if moment.tzinfo is not None:
        raise UsageError(f"{option} {text}: leave the time zone out; times are the local times of the records.")
    if end and len(text.strip()) == 10:
        moment += dt.timedelta(days=1)
    return moment


def parse_day(text: str, option: str) -> dt.date:
    """Read a date alone, such as 2026-01-31; UsageError names the option."""
    try:
        return dt.date.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{option} {text}: is not a date; write 2026-01-31.") from None


def make(only: list[str], qmgr: list[str], since: str | None, until: str | None) -> Selection:
    """Selection from the words of the command line; UsageError when they do not go together."""
    types = []
    for word in only:
        if word not in ("115", "116"):
            raise UsageError(f"--only {word}: choose 115 (statistics) or 116 (accounting).")
        types.append(int(word))
    start = parse_moment(since, "--since") if since else None
    stop = parse_moment(until, "--until", end=True) if until else None
    if start and stop and stop <= start:
        raise UsageError(f"--until {until} is not after --since {since}.")
    return Selection(tuple(types), tuple(name.upper() for name in qmgr), start, stop)
