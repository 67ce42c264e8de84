"""Peaks and growth: the reports of the trend of a health report, and the figures that its text shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mqstat.assemble.table_model import LocalTimes, Table
from mqstat.base.formatting import figure, plural, qmgr_name
from mqstat.sql import sqlfile
from mqstat.sql.database import Database
from mqstat.sql.plans import keep
from mqstat.sql.syntax import Query

TREND = ("page_set/growth", "overview/headroom", "overview/peaks")
"""Existing reports of the trend."""

LABELS = {
    "puts_per_s": "puts",
    "log_created_mib_per_s": "log",
    "logger_task_busy_pct": "logger busy",
    "lowest_pool_free_pct": "lowest free share of a pool",
    "available_31_mib": "31-bit storage left",
    "active_channels_pct": "used share of the active channel limit",
    "adapter_busiest_pct": "busiest adapter",
}
"""Metrics of overview/peaks that the text names, in its order."""

LOW = ("lowest_pool_free_pct", "available_31_mib")
"""Metrics that are shown even if 0, because low values are bad."""

QMGRS = 6
"""Number of queue managers that the text names."""


def trend_needs() -> list[Query]:
    """The views that the reports of the trend read."""
    known = sqlfile.reports()
    return [known[name].needs for name in TREND if name in known]


def trend_tables(db: Database) -> Iterator[Table]:
    """The reports of the trend with all their rows (a few for each queue manager)."""
    keep(db, trend_needs())
    for name in TREND:
        report = sqlfile.reports().get(name)
        if report is None:
            continue
        text = report.select
        rows = tuple(db.execute(text).fetchall())
        yield Table(
            name, report.title, report.header["question"], report.header.get("note", ""), tuple(report.columns.values()), rows,
            (False,) * len(rows), len(rows), db, text,
        )  # fmt: skip


def trend_lines(
    trend: Iterable[Table], times: LocalTimes, many_lpars: bool, intervals: Mapping[tuple[Any, Any], int]
) -> Iterator[tuple[str, str]]:
    """Queue manager, and its peaks as a sentence: the worst value of the period, when, and the median; `intervals` counts all intervals of each."""
    for table in trend:
        if table.report_id != "overview/peaks":
            continue
        names = [column.name for column in table.columns]
        by_manager: dict[tuple[Any, Any], dict[str, dict[str, Any]]] = {}
        for values in table.rows:
            row = dict(zip(names, values, strict=True))
            by_manager.setdefault((row["lpar"], row["qmgr"]), {})[row["metric"]] = row
        for (lpar, qmgr), metrics in list(by_manager.items())[:QMGRS]:
            every = intervals.get((lpar, qmgr), 0)
            peaks = [_peak(metrics[name], times, every) for name in LABELS if name in metrics]
            name = qmgr_name(lpar, qmgr, many_lpars)
            yield name, ", ".join(text for text in peaks if text) or "no activity"
        if len(by_manager) > QMGRS:
            yield "", f"and {plural(len(by_manager) - QMGRS, 'more queue manager')} (report overview/peaks)"


def _peak(row: dict[str, Any], times: LocalTimes, every: int) -> str:
    """One figure; empty if it was always 0 or is shown as 0."""
    if row["peak_at_utc"] is None or (row["metric"] not in LOW and round(row["peak_value"], 1) == 0):
        return ""
    value = f"{LABELS[row['metric']]} {figure(row['peak_value'], row['metric_unit'])}"
    if row["peak_value"] == row["median_value"]:
        return f"{value} throughout" if row["intervals_near_peak"] == row["intervals_observed"] == every else value
    at = times.text(row["lpar"], row["qmgr"], row["peak_at_utc"])
    return f"{value} at {at} (median {figure(row['median_value'], 'number')})"
