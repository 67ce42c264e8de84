"""Breach marks: a row of a report is marked when exactly that row broke a limit, as often as in the findings, the worst
rows first.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from mqstat.assemble import tables
from mqstat.assemble.health import health_report
from mqstat.assemble.table_model import Table
from mqstat.assemble.tables import marking_rules, table
from mqstat.fixtures.day import DAY, at_times, intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.judge.engine import run_rules
from mqstat.render.layout import all_lines
from mqstat.sql import opened, sqlfile, workspace
from mqstat.sql.needs import health_columns
from tests.estates import in_tiers, judged_together
from tests.marks import TEXTS
from tests.outputs import Outputs
from tests.support import file_of, reading


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_marks_are_the_rows_in_breach(name: str, outputs: Outputs) -> None:
    assert outputs.scenario(name).wrong_marks == []


def test_marks_of_real_dumps(dump: Path, outputs: Outputs) -> None:
    assert outputs.dump(dump).wrong_marks == []


def test_records_without_an_interval_are_marked_one_by_one(tmp_path: Path) -> None:
    """Records of 7.0.1 have no start of an interval: waits in one of them mark its row, not all rows of the queue
    manager.
    """
    owner = QueueManager("CSQ7", "OLD1", level="7.0.1", gmt_offset_minutes=60)
    waits = at_times({"10:00": {"qjst": {"log_buffer_waits": 50}}})
    dump = file_of(smf_file(intervals(owner, DAY + dt.timedelta(hours=9), 6, waits)), tmp_path)
    with reading(dump, columns_to_decode(health_columns())) as db:
        report = health_report(db, reports=["log/activity"])
        (shown,) = report.tables
        names = [column.name for column in shown.columns]
        rows = [dict(zip(names, row, strict=True)) for row in shown.rows]
        text = "\n".join(all_lines(report))
    marked = [row for row in rows if row["in_breach"]]
    assert [row["log_buffer_waits"] for row in marked] == [50]
    assert len(rows) == 6
    assert {row["interval_start_utc"] for row in rows} == {None}
    assert len({row["interval_end_utc"] for row in rows}) == 6
    assert marked[0]["interval_end_utc"].replace(microsecond=0) == DAY + dt.timedelta(hours=9, minutes=30)
    assert "! until 10:30:00" in text


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, 5, 6, 7])
def test_more_rows_are_read_from_much_data_to_count_them(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Table.total is the number of all rows, whether they are counted while they are read or by a second statement."""
    dump = file_of(smf_file(intervals(QueueManager(), DAY + dt.timedelta(hours=9), 6, at_times({}))), tmp_path)
    with reading(dump, columns_to_decode(health_columns())) as db:
        expected = table(db, "log/activity", limit=limit)
        db.is_small = False
        for read in (3, 6, 7, 1_000):
            monkeypatch.setattr(tables, "READ_ROWS", read)
            shown = table(db, "log/activity", limit=limit)
            assert (shown.rows, shown.total, shown.marked) == (expected.rows, 6, expected.marked)
    assert len(expected.rows) == min(limit, 6)
    assert expected.total == 6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["log/activity", "log/io", "queue/cpu"])
def test_a_report_over_views_that_are_not_kept_runs_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With and without marks; the rows and their number are those of the report over kept views, which runs again to
    count.
    """
    path = file_of(SCENARIOS["applications_wasteful"].build(), tmp_path)
    shown: dict[bool, list[Table]] = {}
    monkeypatch.setattr(workspace, "FEW_CELLS", -1)
    for is_small in (True, False):
        monkeypatch.setattr(opened.Opened, "is_small", is_small)
        with reading(path, columns_to_decode(health_columns())) as db:
            shown[is_small] = [table(db, name, limit=limit) for limit in (1, 3, 1_000)]
            assert is_small or any(need in db.seen for need in sqlfile.reports()[name].needs), "choose another report"
    for few, much in zip(shown[True], shown[False], strict=True):
        assert (much.rows, much.total, much.marked) == (few.rows, few.total, few.marked)
    assert shown[True][0].total > 3


def test_a_report_of_rules_has_a_grain_and_marks_or_a_reason() -> None:
    """`unmarked` in the header of a report states why none of its rows can be in breach of the rules that it names."""
    for name, report in sqlfile.reports().items():
        if report.header.get("rules"):
            assert "grain" in report.header, f"{name}: add `grain`, the columns that identify a row"
            has_reason = "unmarked" in report.header
            assert has_reason != bool(marking_rules(name)), f"{name}: add marks (`grain` of a rule) or `unmarked`"


@pytest.mark.slow
def test_a_table_below_a_finding_shows_what_was_found(outputs: Outputs) -> None:
    """A missing class is followed by the missing classes of its queue manager, damage of an input by no table: none of
    the reports has a row for an input.
    """
    _, _, below = outputs.scenario("missing_classes").text.partition("\noverview/coverage  ")
    shown = [line for line in below.splitlines() if line.startswith("  SYS")]
    assert shown
    assert all("not collected" in line for line in shown)
    assert "\noverview/data_quality  " not in outputs.scenario("damaged_transfer").text


def test_a_rule_of_another_grain_marks_nothing() -> None:
    """Coverage has a row per class, its rules judge the queue manager; log/io has a row per I/O type, LG004 and LG029
    judge one type each.
    """
    assert marking_rules("overview/coverage") == ()
    assert marking_rules("log/longest_io") == ()
    assert marking_rules("log/io") == ("LG004", "LG029")
    assert marking_rules("buffer_pool/health") == ("BP015",)
    assert set(marking_rules("buffer_pool/usage")) == {"BP001", "BP002", "BP003", "BP004", "BP007"}


@pytest.mark.slow
def test_only_the_judged_type_is_marked_and_the_worst_row_is_first(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["slow_log_writes"].build(), tmp_path)
    with reading(dump, columns_to_decode(health_columns())) as db:
        findings = run_rules(db, then=TEXTS).rows
        shown = table(db, "log/io", findings, limit=20)
        names = [column.name for column in shown.columns]
        rows = [dict(zip(names, row, strict=True)) for row in shown.rows]
    marked = [row for row in rows if row["in_breach"]]
    assert marked
    assert {(row["qmgr"], row["io_type"]) for row in marked} == {("MQ01", 1), ("MQ02", 2)}
    assert all(row["average_io_us"] > 1000 for row in marked)
    for name in ("MQ01", "MQ02"):
        averages = [row["average_io_us"] for row in marked if row["qmgr"] == name]
        assert averages == sorted(averages, reverse=True)
    assert [row["in_breach"] for row in rows] == sorted((row["in_breach"] for row in rows), reverse=True)
