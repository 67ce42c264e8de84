"""Both sides of a change of clocks: hours are instants, and labels show the offset; two systems in two zones each have their own clock."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mqstat.fixtures.coverage_stories import of_length
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.render.html.charts import time_labels
from mqstat.report.curves import grid_over
from mqstat.report.head import local_times
from mqstat.report.model import LocalTimes
from mqstat.sql.database import Database
from mqstat.sql.plans import rows
from tests.support import decode_bytes, file_of, invoke, reading

AUTUMN = dt.datetime(2026, 10, 25)
SPRING = dt.datetime(2026, 3, 29)


@contextmanager
def clocks(name: str, folder: Path) -> Iterator[tuple[Database, LocalTimes]]:
    """The database of a scenario and its local times."""
    with reading(file_of(SCENARIOS[name].build(), folder)) as db:
        yield db, local_times(db, rows(db, "SELECT * FROM qmgr"))


def test_the_hour_that_comes_twice_has_two_labels(tmp_path: Path) -> None:
    with clocks("clock_change", tmp_path) as (_, times):
        first, second = AUTUMN.replace(hour=0), AUTUMN.replace(hour=1)
        assert times.text("SYS1", "MQ01", first).endswith("02:00 (UTC+2)")
        assert times.text("SYS1", "MQ01", second).endswith("02:00 (UTC+1)")
        assert times.text("SYS1", "MQ01", AUTUMN.replace(hour=2)).endswith("03:00 (UTC+1)")
        grid = grid_over(AUTUMN - dt.timedelta(hours=2), AUTUMN.replace(hour=4), 1800, times)
        labels = time_labels(grid)
    assert len(set(labels)) == len(labels)
    assert [label for label in labels if "02:00" in label] == ["02:00 (UTC+2)", "02:00 (UTC+1)"]


def test_by_hour_keeps_both_hours(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["clock_change"].build(), tmp_path)
    done = invoke("report", str(dump), "--report", "log/activity", "--by", "hour", "--format", "csv")
    lines = [line for line in done.stdout.splitlines() if "MQ01" in line]
    assert len(lines) == 6
    text = invoke("report", str(dump), "--report", "log/activity", "--by", "hour").stdout
    assert text.count("02:00:00 (UTC+2)") == 1
    assert text.count("02:00:00 (UTC+1)") == 1


def test_days_without_a_change_have_no_label(tmp_path: Path) -> None:
    with clocks("missing_intervals", tmp_path) as (_, times):
        assert times.zone("SYS1", "MQ01", dt.datetime(2026, 3, 2, 9)) == ""


@pytest.mark.parametrize(("day", "before", "after", "start"), [(AUTUMN, 120, 60, "02:30"), (SPRING, 60, 120, "01:30")])
def test_an_interval_that_ends_at_the_change_starts_by_the_clock_before(
    day: dt.datetime, before: int, after: int, start: str, tmp_path: Path
) -> None:
    """The header is written by the new clock, QWHSTIME is by the old one: QWHSTIME + QWHSDURN - QWHSSTCK gives the offset of the start."""
    owner = QueueManager(gmt_offset_minutes=before)
    hour, minute = map(int, start.split(":"))
    begin = day.replace(hour=hour, minute=minute)
    records = []
    for record in of_length(owner, begin, [1800]):
        written = begin + dt.timedelta(minutes=30 + after - before)
        hundredths = ((written.hour * 60 + written.minute) * 60) * 100
        records.append(record[:6] + struct.pack(">L", hundredths) + record[10:])
    tables, result = decode_bytes(smf_file(records), tmp_path)
    cut = [row for row in tables["record"].to_pylist() if row["record_class"] in ("115.1", "115.5", "115.215")]
    assert {row["gmt_offset_minutes"] for row in cut if row["record_class"] != "115.5"} == {after}
    assert {row["interval_start_utc"] for row in cut} == {begin - dt.timedelta(minutes=before)}
    assert {row["interval_start_local"] for row in cut} == {begin}
    assert result.part.lost == {}


def test_two_systems_in_two_zones_have_their_own_times(tmp_path: Path) -> None:
    with clocks("two_zones", tmp_path) as (db, times):
        starts = {
            (row["lpar"], row["qmgr"]): times.text(row["lpar"], row["qmgr"], row["interval_start_utc"])
            for row in rows(db, "SELECT lpar, qmgr, interval_start_utc FROM log WHERE log_buffer_waits > 0")
        }
    assert starts == {("SYSA", "MQA1"): "14:00", ("SYSB", "MQB1"): "08:00"}


def test_a_selection_is_by_the_clock_of_each_system(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["two_zones"].build(), tmp_path)
    for since, until, names in (
        ("2026-03-02T14:00", "2026-03-02T14:30", {"MQA1"}),
        ("2026-03-02T08:00", "2026-03-02T08:30", {"MQB1"}),
    ):
        done = invoke(
            "report", str(dump), "--report", "log/activity", "--since", since, "--until", until, "--format", "csv"
        )
        assert {name for name in ("MQA1", "MQB1") if name in done.stdout} == names


def test_tables_by_hour_keep_both_hours(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["clock_change"].build(), tmp_path)
    text = invoke("report", str(dump), "--report", "log/volume_by_hour").stdout
    assert text.count("02:00:00 (UTC+2)") == 1
    assert text.count("02:00:00 (UTC+1)") == 1
