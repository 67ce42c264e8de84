"""The result of a run for programs: status.json, and latest.prom for a monitoring system.

Both are written by every run that has the lock of the reports folder, also by one that fails, so that a monitoring system sees failures. A run
that is killed, or that cannot read its configuration, leaves them unchanged: they become old, and an alert compares their time with the clock.
"""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mqstat.base.atomic_write import read_kept, replacing
from mqstat.base.return_codes import CLEAR, UNUSABLE
from mqstat.base.version import __version__

STATUS, METRICS = "status.json", "latest.prom"

VERSION = 1
"""Incremented when a program that reads status.json must change."""

END = "# EOF\n"
"""Last line of an OpenMetrics text."""


@dataclass(frozen=True)
class Codes:
    """Return codes by origin: the run itself (its inputs, missing data, errors), the report of yesterday, and reports of other days that are new or worse.

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
        """Such as "run 0, day 8, other days 4"."""
        parts = {"run": self.run, "day": self.day, "other days": self.other_days}
        return ", ".join(f"{name} {code}" for name, code in parts.items() if code is not None)


@dataclass(frozen=True)
class Status:
    """Result of a run. Times are UTC; `succeeded` is the end of the last run whose own return code was below 12, None if none is known.

    `kept_days` are days past the retention that wait for their report, `dropped_days` the days that this run removed,
    `failed_outputs` the number of outputs that it could not write, `gaps` what the report of the day could not judge, or in part.
    """

    started: dt.datetime
    ended: dt.datetime
    day: dt.date
    codes: Codes
    succeeded: dt.datetime | None = None
    error: str | None = None
    remarks: tuple[str, ...] = ()
    counts: Mapping[str, int] | None = None
    kept_days: tuple[dt.date, ...] = ()
    dropped_days: tuple[dt.date, ...] = ()
    failed_outputs: int = 0
    gaps: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """The content of status.json."""
        return {
            "schema_version": VERSION,
            "mqstat_version": __version__,
            "started_utc": _moment(self.started),
            "ended_utc": _moment(self.ended),
            "last_success_utc": _moment(self.succeeded),
            "return_code": self.codes.highest,
            "return_codes": asdict(self.codes),
            "day": self.day.isoformat(),
            "findings": None if self.counts is None else dict(self.counts),
            "error": self.error,
            "remarks": list(self.remarks),
            "kept_days": [day.isoformat() for day in self.kept_days],
            "dropped_days": [day.isoformat() for day in self.dropped_days],
            "failed_outputs": self.failed_outputs,
            "gaps": list(self.gaps),
        }


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
    with replacing(folder / STATUS) as stream:
        json.dump(status.document(), stream, indent=1)
        stream.write("\n")


def metrics(status: Status, day_metrics: str) -> str:
    """The OpenMetrics text of a run, followed by that of the report of the day (empty without a report)."""
    from mqstat.render.gauges import Gauges

    gauges = Gauges()
    codes = status.codes
    none: dict[str, str] = {}
    for name, doc, moment in (
        ("start", "Start of the last run of mqstat daily.", status.started),
        ("last_run", "End of the last run of mqstat daily, also if it failed.", status.ended),
        ("last_success", "End of the last run whose own return code was below 12.", status.succeeded),
    ):
        gauges.add(
            f"mqstat_daily_{name}_timestamp", doc, none, None if moment is None else moment.timestamp(), "seconds"
        )
    gauges.add(
        "mqstat_daily_return_code",
        "Return code of mqstat daily: the highest of the run and the reports.",
        none,
        codes.highest,
    )
    gauges.add(
        "mqstat_daily_run_return_code", "Return code of the run without findings: 0, 4, 12 or 16.", none, codes.run
    )
    gauges.add(
        "mqstat_daily_day_return_code",
        "Return code of the report of yesterday; missing without a report.",
        none,
        codes.day,
    )
    gauges.add(
        "mqstat_daily_other_days_return_code",
        "Return code of new or worse reports of other days.",
        none,
        codes.other_days,
    )
    gauges.add("mqstat_daily_remarks", "Problems and remarks of the last run.", none, len(status.remarks))
    gauges.add(
        "mqstat_daily_days_kept",
        "Days past the retention that are kept until they are reported.",
        none,
        len(status.kept_days),
    )
    gauges.add(
        "mqstat_daily_days_dropped", "Days that the last run removed from the dataset.", none, len(status.dropped_days)
    )
    gauges.add("mqstat_daily_outputs_failed", "Outputs that the last run could not write.", none, status.failed_outputs)
    text = io.StringIO()
    gauges.write(text)
    return text.getvalue().removesuffix(END) + (day_metrics or END)


def _moment(moment: dt.datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
