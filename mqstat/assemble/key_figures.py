"""The key figures of a page: a row for each queue manager, with the worst value, the median and the course of each
figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mqstat.assemble.page_model import Grid, KeyFigure, KeyFigures
from mqstat.assemble.table_model import LocalTimes, Table
from mqstat.assemble.trend import LABELS, LOW, peaks_of
from mqstat.base.formatting import fitted, number_text
from mqstat.sql.workspace import Workspace


def key_figures(
    db: Workspace, trend: Sequence[Table], grid: Grid, times: LocalTimes, *, compared: bool = False
) -> KeyFigures | None:
    """The figures of LABELS that the data has, from report overview/peaks and view interval_headline; None without
    them.

    A step of the grid has the worst value of its intervals. `compared` = `mqstat.assemble.usual.add_history` has
    measured the days before.
    """
    known = peaks_of(trend)
    if not known or not grid.starts:
        return None
    shown = [name for name in LABELS if any(name in metrics for metrics in known.values())]
    courses = _courses(db, shown, grid)
    empty = (None,) * len(grid.starts)
    usual = _usual_hours(db) if compared else {}
    # One unit for the figures of all queue managers, so that they can be compared.
    largest = {
        name: max((abs(value) for own in known.values() if name in own for value in _values(own[name])), default=0.0)
        for name in shown
    }
    return KeyFigures(
        tuple(LABELS[name] for name in shown),
        tuple(
            (
                owner,
                tuple(
                    _figure(
                        metrics[name],
                        largest[name],
                        courses.get((*owner, name), empty),
                        times,
                        usual.get((*owner, name), {}),
                    )
                    if name in metrics
                    else None
                    for name in shown
                ),
            )
            for owner, metrics in known.items()
        ),
    )


def _values(row: Mapping[str, Any]) -> list[float]:
    return [value for value in (row["peak_value"], row["median_value"]) if value is not None]


def _figure(
    row: Mapping[str, Any],
    largest: float,
    values: tuple[float | None, ...],
    times: LocalTimes,
    usual: Mapping[int, tuple[float, float]],
) -> KeyFigure:
    at = times.local(row["lpar"], row["qmgr"], row["peak_at_utc"]) if row["peak_at_utc"] else None
    return KeyFigure(
        fitted(row["peak_value"], row["metric_unit"], largest) if row["peak_value"] is not None else "",
        times.text(row["lpar"], row["qmgr"], row["peak_at_utc"]),
        fitted(row["median_value"], row["metric_unit"], largest) if row["median_value"] is not None else "",
        values,
        usual_text(*usual[at.hour], row["metric_unit"]) if at is not None and at.hour in usual else "",
    )


def usual_text(value: float, median: float, unit: str) -> str:
    """The change of an hour from its usual value in percent, or in points for a figure in percent; its value if it is
    usually 0.
    """
    if unit == "percent":
        change = f"{value - median:+.0f} points"
    else:
        change = f"{100 * (value - median) / median:+.0f} %" if median else number_text(value, 3)
    return f"hour {change} (usual {number_text(median, 3)})"


def _usual_hours(db: Workspace) -> dict[tuple[str | None, str | None, str], dict[int, tuple[float, float]]]:
    """Value and usual value of each local hour that has enough history, by LPAR, queue manager and metric."""
    hours: dict[tuple[str | None, str | None, str], dict[int, tuple[float, float]]] = {}
    for row in db.ask_rows(_USUAL):
        own = hours.setdefault((row["lpar"], row["qmgr"], row["metric"]), {})
        own[row["usual_hour"]] = (row["usual_value"], row["usual_median"])
    return hours


_USUAL = """
    SELECT u.lpar, u.qmgr, k.metric, u.usual_hour, u.usual_value, u.usual_median
    FROM usual_figure AS u
    JOIN figure_kind AS k ON k.figure_number = u.figure_number
    WHERE k.subject_kind = 'queue manager' AND u.usual_basis <> 'none'
"""


def _courses(
    db: Workspace, names: Sequence[str], grid: Grid
) -> dict[tuple[str | None, str | None, str], tuple[float | None, ...]]:
    """The worst value of each step, by LPAR, queue manager and metric."""
    if not names:
        return {}
    worst = ", ".join(f"{'min' if name in LOW else 'max'}({name})::DOUBLE" for name in names)
    rows = db.execute(
        f"SELECT lpar, qmgr, epoch(interval_start_utc + to_milliseconds((interval_seconds * 500)::BIGINT) - $first)::BIGINT // $seconds AS step, {worst}"  # noqa: S608 - names of this package
        " FROM interval_headline WHERE baseline_ok GROUP BY ALL ORDER BY ALL",
        {"first": grid.starts_utc[0], "seconds": grid.seconds},
    ).fetchall()
    courses: dict[tuple[str | None, str | None, str], list[float | None]] = {}
    for lpar, qmgr, step, *values in rows:
        if step is not None and 0 <= step < len(grid.starts):
            for name, value in zip(names, values, strict=True):
                courses.setdefault((lpar, qmgr, name), [None] * len(grid.starts))[step] = value
    return {key: tuple(values) for key, values in courses.items()}
