"""Peaks and growth: the reports of the trend of a health report, and the figures that its text shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from mqstat.assemble.table_model import LocalTimes, Table
from mqstat.assemble.tables import without_rows
from mqstat.base.formatting import figure, plural, qmgr_name
from mqstat.sql import sqlfile
from mqstat.sql.syntax import Query
from mqstat.sql.workspace import Workspace

TREND = ("page_set/growth", "overview/headroom", "overview/peaks")
"""The reports of the trend; those without a file are left out."""

LABELS = {
    "puts_per_s": "puts",
    "log_created_mib_per_s": "log",
    "logger_task_busy_pct": "logger busy",
    "lowest_pool_free_pct": "lowest free share of a pool",
    "available_31_mib": "31-bit storage left",
    "active_channels_pct": "used share of the active channel limit",
    "adapter_busiest_pct": "busiest adapter",
}
"""Metrics of overview/peaks in the order of the text, with their words."""

LOW = ("lowest_pool_free_pct", "available_31_mib")
"""Metrics that are shown even if they are 0, because low values are bad."""

MOST_QMGRS = 6
"""Queue managers that the text names; the others are counted."""


def _reports() -> list[sqlfile.SqlFile]:
    known = sqlfile.reports()
    return [known[name] for name in TREND if name in known]


def trend_needs() -> list[Query]:
    """The views that the reports of the trend read."""
    return [report.needs for report in _reports()]


def trend_tables(db: Workspace) -> Iterator[Table]:
    """The reports of the trend with all their rows (a few for each queue manager)."""
    db.keep(trend_needs())
    for report in _reports():
        rows = tuple(db.execute(report.select).fetchall())
        empty = without_rows(db, report.id)
        yield replace(empty, rows=rows, marked=(False,) * len(rows), total=len(rows), waits=False)


def rows_of(tables: Iterable[Table], report_id: str) -> list[dict[str, Any]]:
    """The rows of one of these reports, by column; none without it."""
    table = next((table for table in tables if table.report_id == report_id), None)
    names = [column.name for column in table.columns] if table else []
    return [dict(zip(names, row, strict=True)) for row in (table.rows if table else ())]


def peaks_of(trend: Iterable[Table]) -> dict[tuple[str | None, str | None], dict[str, dict[str, Any]]]:
    """The rows of report overview/peaks by LPAR and queue manager, and by metric."""
    known: dict[tuple[str | None, str | None], dict[str, dict[str, Any]]] = {}
    for row in rows_of(trend, "overview/peaks"):
        known.setdefault((row["lpar"], row["qmgr"]), {})[row["metric"]] = row
    return known


def trend_lines(
    trend: Iterable[Table], times: LocalTimes, many_lpars: bool, intervals: Mapping[tuple[Any, Any], int]
) -> Iterator[tuple[str, str]]:
    """The name of each queue manager, and its peaks as text: the worst value of the period, its time, and the median.

    `intervals` has the number of intervals of each (LPAR, queue manager). The last line counts queue managers that are
    not named.
    """
    metrics_by_qmgr = peaks_of(trend)
    for (lpar, qmgr), metrics in islice(metrics_by_qmgr.items(), MOST_QMGRS):
        total = intervals.get((lpar, qmgr), 0)
        texts = [_peak(metrics[name], times, total) for name in LABELS if name in metrics]
        yield qmgr_name(lpar, qmgr, many_lpars), ", ".join(filter(None, texts)) or "no activity"
    hidden = len(metrics_by_qmgr) - MOST_QMGRS
    if hidden > 0:
        yield "", f"and {plural(hidden, 'more queue manager')} (--report overview/peaks)"


def _peak(row: dict[str, Any], times: LocalTimes, intervals: int) -> str:
    """A figure with its highest or lowest value, in words; empty if it was always 0 or is shown as 0.

    `intervals` is the number of all intervals of its queue manager.
    """
    if row["peak_at_utc"] is None or (row["metric"] not in LOW and round(row["peak_value"], 1) == 0):
        return ""
    value = f"{LABELS[row['metric']]} {figure(row['peak_value'], row['metric_unit'])}"
    if row["peak_value"] == row["median_value"]:
        is_constant = row["intervals_near_peak"] == row["intervals_observed"] == intervals
        return f"{value} throughout" if is_constant else value
    at = times.text(row["lpar"], row["qmgr"], row["peak_at_utc"])
    return f"{value} at {at} (median {figure(row['median_value'], 'number')})"
