"""Key figures of a page: the hour of the worst interval compared with its usual value."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from mqstat.assemble.health import health_report
from mqstat.assemble.key_figures import usual_text
from mqstat.assemble.trend import LABELS
from mqstat.assemble.usual import add_history
from mqstat.base.selection import Selection
from mqstat.intake.open_data import open_data
from tests.planted_month import FIRST, month
from tests.report_checks import written


@pytest.mark.parametrize(
    ("value", "median", "unit", "text"),
    [
        (41.2, 29.8, "per_s", "hour +38 % (usual 29.8)"),
        (20.0, 80.0, "mib", "hour -75 % (usual 80)"),
        (41.0, 30.0, "percent", "hour +11 points (usual 30)"),
        (3.0, 0.0, "per_s", "hour 3 (usual 0)"),
        (0.0, 0.0, "percent", "hour +0 points (usual 0)"),
    ],
)
def test_a_change_is_in_percent_or_in_points(value: float, median: float, unit: str, text: str) -> None:
    assert usual_text(value, median, unit) == text


def test_the_hour_of_the_worst_interval_is_compared_where_there_is_history(tmp_path: Path) -> None:
    days = [FIRST + dt.timedelta(days=number) for number in range(9)]
    dataset = month(tmp_path, days)
    start = dt.datetime.combine(days[-1], dt.time())
    selection = Selection(since=start, until=start + dt.timedelta(days=1))
    shown = {}
    for compared in (False, True):
        with open_data(dataset=dataset, selection=selection) as db:
            if compared:
                add_history(db, days[-1], 8)
            report = health_report(db, selection, page=True, compared=compared)
            page = written(report, "html")
            if compared:
                usual = db.ask_rows("SELECT u.*, k.metric FROM usual_figure AS u JOIN figure_kind AS k ON k.figure_number = u.figure_number WHERE u.subject = ''")  # fmt: skip
                peaks = db.rows("SELECT * FROM (" + next(each.sql for each in report.trend if each.report_id == "overview/peaks") + ")")  # fmt: skip
        drawn = report.page.key_figures if report.page else None
        assert drawn is not None
        shown[compared] = {
            (*owner, label): figure
            for owner, own in drawn.rows
            for label, figure in zip(drawn.labels, own, strict=True)
            if figure
        }
        assert ("compared with its usual value" in page) == compared
    assert shown[True].keys() == shown[False].keys()
    assert not any(figure.usual for figure in shown[False].values())
    known = {(row["lpar"], row["qmgr"], row["metric"], row["usual_hour"]): row for row in usual}
    checked = 0
    for row in peaks:
        label = LABELS.get(row["metric"])
        if label is None:
            continue
        figure = shown[True][row["lpar"], row["qmgr"], label]
        at = report.times.local(row["lpar"], row["qmgr"], row["peak_at_utc"])
        hour = None if at is None else at.hour
        own = known.get((row["lpar"], row["qmgr"], row["metric"], hour))
        if own is None or own["usual_basis"] == "none":
            assert figure.usual == ""
        else:
            assert figure.usual == usual_text(own["usual_value"], own["usual_median"], row["metric_unit"])
            checked += 1
    assert checked > 5
