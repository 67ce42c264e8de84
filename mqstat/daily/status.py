"""The result of a run for programs: status.json, and latest.prom for a monitoring system.

Both are written by every run that has the lock of the reports folder, also by one that fails, so that a monitoring
system sees failures. A run that is killed, or that cannot read its configuration, leaves them unchanged: they become
old, and an alert compares their time with the clock.
"""

from __future__ import annotations

import datetime as dt
import io
import json
from pathlib import Path

import msgspec

from mqstat.base.atomic_write import read_kept, replacing
from mqstat.base.return_codes import CLEAR, UNUSABLE
from mqstat.base.version import __version__

STATUS, METRICS = "status.json", "latest.prom"

VERSION = 1
"""Incremented when a program that reads status.json must change."""

END = "# EOF\n"
"""Last line of an OpenMetrics text."""


class Codes(msgspec.Struct, frozen=True):
    """Return codes by origin: the run itself (its inputs, missing data, errors), the report of yesterday, and reports
    of other days that are new or worse.

    None without such a report.
    """

    run: int = CLEAR
    day: int | None = None
    other_days: int | None = None

    @property
    def highest(self) -> int:
        """The return code of the command."""
        return max(self.run, self.day or CLEAR, self.other_days or CLEAR)

    def text(self) -> str:
        """Where it comes from, the highest first; empty if there are no problems."""
        parts = {"the report of the day": self.day, "the run": self.run, "a report of another day": self.other_days}
        known = sorted(((code, name) for name, code in parts.items() if code), key=lambda part: -part[0])
        return ", ".join(f"{name} has {code}" for code, name in known)


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The content of status.json. Times are UTC; `last_success_utc` is the end of the last run whose own return code
    was below 12, None if none is known.

    `kept_days` are days past the retention that wait for their report, `dropped_days` the days that this run removed,
    `failed_outputs` the number of outputs that it could not write, `gaps` what the report of the day could not judge,
    or in part.
    """

    schema_version: int = VERSION
    mqstat_version: str = __version__
    started_utc: dt.datetime
    ended_utc: dt.datetime
    last_success_utc: dt.datetime | None
    return_code: int
    return_codes: Codes
    day: dt.date
    findings: dict[str, int] | None = None
    error: str | None = None
    remarks: tuple[str, ...] = ()
    kept_days: tuple[dt.date, ...] = ()
    dropped_days: tuple[dt.date, ...] = ()
    failed_outputs: int = 0
    gaps: tuple[str, ...] = ()


def now() -> dt.datetime:
    """The time in UTC, by which a run begins and ends."""
    return dt.datetime.now(dt.UTC)


def last_success(folder: Path) -> dt.datetime | None:
    """End of the last successful run before this one, from status.json; None if it is not known."""
    try:
        return dt.datetime.fromisoformat(json.loads(read_kept(folder / STATUS))["last_success_utc"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def is_success(codes: Codes) -> bool:
    """Whether the run did its work: findings and missing data are results, an unusable input or an error is not."""
    return codes.run < UNUSABLE


def write_status(folder: Path, status: Status) -> None:
    """Write status.json atomically; UsageError if it cannot be written."""
    content = msgspec.to_builtins(status, builtin_types=(dt.datetime,))
    with replacing(folder / STATUS) as stream:
        json.dump(content, stream, indent=1, default=lambda moment: moment.isoformat(timespec="seconds"))
        stream.write("\n")


def metrics(status: Status, day_metrics: str) -> str:
    """The OpenMetrics text of a run, followed by that of the report of the day (empty without a report)."""
    from mqstat.render.gauges import Gauges

    gauges = Gauges()
    codes = status.return_codes
    for name, moment, doc in (
        ("start", status.started_utc, "Start of the last run of mqstat daily."),
        ("last_run", status.ended_utc, "End of the last run of mqstat daily, also if it failed."),
        ("last_success", status.last_success_utc, "End of the last run whose own return code was below 12."),
    ):
        seconds = None if moment is None else moment.timestamp()
        gauges.add(f"mqstat_daily_{name}_timestamp", doc, {}, seconds, "seconds")
    for name, value, doc in (
        ("return_code", codes.highest, "Return code of mqstat daily: the highest of the run and the reports."),
        ("run_return_code", codes.run, "Return code of the run without findings: 0, 4, 12 or 16."),
        ("day_return_code", codes.day, "Return code of the report of yesterday; missing without a report."),
        ("other_days_return_code", codes.other_days, "Return code of new or worse reports of other days."),
        ("remarks", len(status.remarks), "Problems and remarks of the last run."),
        ("days_kept", len(status.kept_days), "Days past the retention that are kept until they are reported."),
        ("days_dropped", len(status.dropped_days), "Days that the last run removed from the dataset."),
        ("outputs_failed", status.failed_outputs, "Outputs that the last run could not write."),
    ):
        gauges.add(f"mqstat_daily_{name}", doc, {}, value)
    text = io.StringIO()
    gauges.write(text)
    return text.getvalue().removesuffix(END) + (day_metrics or END)
