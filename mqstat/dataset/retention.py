"""Retention by class: how long a dataset keeps statistics (115) and accounting (116), which days are on hold, and what
a policy would drop.

The tables of a class leave a dataset before the day itself does: table record and everything else about both classes
stays as long as the class that is kept longest, so that the ledger of a source still balances. Days count back from the
newest day of the data, as for `prune --keep`.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from mqstat.base.errors import UsageError
from mqstat.dataset import prune as pruning
from mqstat.dataset import store
from mqstat.dataset.classes import CLASSES, class_of
from mqstat.dataset.manifest import DroppedClass, FileEntry, Manifest
from mqstat.dataset.place import Home
from mqstat.dataset.store import day_of

_PERIOD = re.compile(r"(\d{1,6}) *(d|days?|m|months?|y|years?)")
_HOLD = re.compile(r"(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?(?: +(\S.*))?")


@dataclass(frozen=True)
class Period:
    """A number of days or of calendar months; `text` is as written."""

    text: str
    days: int = 0
    months: int = 0

    def first_kept(self, newest: dt.date) -> dt.date:
        """The first day that is kept when `newest` is the newest day of the data."""
        if self.days:
            return newest - dt.timedelta(days=self.days - 1)
        months = 12 * newest.year + newest.month - 1 - self.months
        if months < 12:
            return dt.date.min
        year, month = divmod(months, 12)
        last = calendar.monthrange(year, month + 1)[1]
        return dt.date(year, month + 1, min(newest.day, last)) + dt.timedelta(days=1)


@dataclass(frozen=True)
class Hold:
    """Days that stay whatever the retention is, from the first to the last, with the reason."""

    first: dt.date
    last: dt.date
    reason: str = ""


@dataclass(frozen=True)
class Policy:
    """The retention of a dataset: a period for each class ("115", "116"), and holds. A class without a period is
    kept.
    """

    periods: Mapping[str, Period] = field(default_factory=dict)
    holds: tuple[Hold, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is ever dropped."""
        return not self.periods

    def on_hold(self, days: Iterable[dt.date]) -> set[dt.date]:
        """The days that are on hold."""
        return {day for day in days if any(hold.first <= day <= hold.last for hold in self.holds)}

    def texts(self) -> dict[str, str]:
        """The period of each class as text."""
        return {name: period.text for name, period in sorted(self.periods.items())}

    def text(self) -> str:
        """The periods as text, such as "115 13 months, 116 30 days"."""
        return ", ".join(f"{name} {period.text}" for name, period in sorted(self.periods.items())) or "all days"


def parse_period(text: str) -> Period:
    """Read "30 days", "13 months", "2 years", "30d" or "13m"; UsageError for anything else."""
    match = _PERIOD.fullmatch(text.strip().lower())
    if match is None or not 0 < int(match[1]) < 100_000:
        raise UsageError(f"{text!r} is not a period; write 30 days, 13 months or 2 years.")
    number, unit = int(match[1]), match[2][0]
    return (
        Period(text.strip(), days=number)
        if unit == "d"
        else Period(text.strip(), months=number * (12 if unit == "y" else 1))
    )


def parse_hold(text: str) -> Hold:
    """Read "2026-03-01", "2026-03-01..2026-03-05" or one of them followed by a reason; UsageError for anything else."""
    match = _HOLD.fullmatch(text.strip())
    if match is not None:
        with suppress(ValueError):  # such as 2026-02-30
            first = dt.date.fromisoformat(match[1])
            last = dt.date.fromisoformat(match[2]) if match[2] else first
            if first <= last:
                return Hold(first, last, match[3] or "")
    raise UsageError(
        f"{text!r} is not a day or a range of days; write 2026-03-01 or 2026-03-01..2026-03-05, and a reason after it if you like."
    )


def policy_of(periods: Sequence[str], holds: Sequence[str]) -> Policy:
    """The policy of options CLASS=PERIOD and holds; UsageError if one of them is not valid."""
    chosen: dict[str, Period] = {}
    for text in periods:
        name, sign, period = text.partition("=")
        if not sign or name.strip() not in CLASSES:
            raise UsageError(f"--retention {text}: write CLASS=PERIOD; classes are {' and '.join(CLASSES)}.")
        chosen[name.strip()] = parse_period(period)
    return Policy(chosen, tuple(map(parse_hold, holds)))


# ----------------------------------------------------------------------------------------------------------------- plan


@dataclass(frozen=True)
class Step:
    """What leaves a dataset: a class ("115", "116" or "all": whole days), its days, files, their bytes, and the records
    that are concerned.
    """

    name: str
    days: tuple[dt.date, ...]
    files: tuple[FileEntry, ...]
    records: int

    def text(self, verb: str) -> str:
        """A sentence without its full stop."""
        first, last = self.days[0], self.days[-1]
        days = f"{first}" if first == last else f"{first} to {last} ({len(self.days)} days)"
        size = sum(entry.bytes for entry in self.files) / 1_000_000
        rows = sum(entry.rows for entry in self.files)
        what = days if self.name == "all" else f"class {self.name} of {days}"
        return f"{verb} {what}: {self.records:,} records, {rows:,} rows in {len(self.files):,} files, {size:,.1f} MB"


def plan(manifest: Manifest, policy: Policy, today: dt.date, keep: Collection[dt.date] = ()) -> list[Step]:
    """What a policy drops now, class by class; days on hold and the days to `keep` stay whole."""
    known = [day for day in pruning.days_of(manifest) if day <= today]
    if not known or policy.is_empty:
        return []
    firsts = {name: period.first_kept(max(known)) for name, period in policy.periods.items()}
    whole = min(firsts.values()) if set(firsts) == set(CLASSES) else dt.date.min

    stays = {*keep, *policy.on_hold(known)}
    steps = []
    for name, first in sorted(firsts.items()):
        files = [
            entry
            for entry in manifest.files
            if class_of(entry.table) == name
            and (day := day_of(entry)) is not None
            and whole <= day < first
            and day not in stays
        ]
        if files:
            steps.append(_step(name, files))
    days = {day for day in pruning.days_of(manifest) if day < whole and day not in stays}
    if days:
        steps.append(_step("all", [entry for entry in manifest.files if day_of(entry) in days]))
    return steps


def _step(name: str, files: list[FileEntry]) -> Step:
    """A step; the records of a class are those of its largest table, since one record may have rows in several."""
    days = tuple(sorted({day for entry in files if (day := day_of(entry)) is not None}))
    rows: dict[str, int] = {}
    for entry in files:
        rows[entry.table] = rows.get(entry.table, 0) + entry.rows
    return Step(name, days, tuple(files), rows.get("record", max(rows.values())))


def drop(folder: Home, steps: Iterable[Step], wait_seconds: float = 0) -> list[str]:
    """Remove the files of some steps atomically. Files that were added since the plan stay for the next run. Returns
    the paths of those that were changed since they were written.

    Raises DatasetError if the folder is not a dataset, another mqstat writes to it, or the manifest cannot be written;
    nothing was dropped then.
    """
    chosen, changed = list(steps), list[str]()
    for step in chosen:
        if step.name == "all":
            kept = set(pruning.days_of(store.open_dataset(folder).manifest)) - set(step.days)
            before = max(step.days) + dt.timedelta(days=1)
            changed += pruning.prune(folder, before, keep=kept, wait_seconds=wait_seconds).changed
    classes = [step for step in chosen if step.name != "all"]
    if classes:
        today = dt.datetime.now(dt.UTC).date().isoformat()
        dropped = tuple(DroppedClass(step.name, day.isoformat(), today) for step in classes for day in step.days)
        paths = {entry.path for step in classes for entry in step.files}
        changed += pruning.retire(folder, paths, dropped, wait_seconds)
    return changed
