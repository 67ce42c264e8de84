"""Clock changes: hours are instants, and labels show the offset; two systems in two zones each have their own clock."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mqstat.assemble.curves import grid_of
from mqstat.assemble.head import local_times
from mqstat.assemble.table_model import LocalTimes
from mqstat.fixtures.accounting import Task, class3
from mqstat.fixtures.coverage_stories import of_length
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake import pipeline
from mqstat.intake.pipeline import columns_to_decode
from mqstat.render.html.charts import time_labels
from mqstat.sql.workspace import Workspace
from tests.made_once import made_once
from tests.support import decode_bytes, file_of, invoke, reading

AUTUMN = dt.datetime(2026, 10, 25)
SPRING = dt.datetime(2026, 3, 29)


@contextmanager
def clocks(name: str, folder: Path) -> Iterator[tuple[Workspace, LocalTimes]]:
    """The database of a scenario and its local times."""
    with reading(file_of(SCENARIOS[name].build(), folder)) as db:
        yield db, local_times(db, db.ask_rows("SELECT * FROM qmgr"))


def test_the_repeated_hour_has_two_labels(tmp_path: Path) -> None:
    with clocks("clock_change", tmp_path) as (_, times):
        first, second = AUTUMN.replace(hour=0), AUTUMN.replace(hour=1)
        assert times.text("SYS1", "MQ01", first).endswith("02:00 (UTC+2)")
        assert times.text("SYS1", "MQ01", second).endswith("02:00 (UTC+1)")
        assert times.text("SYS1", "MQ01", AUTUMN.replace(hour=2)).endswith("03:00 (UTC+1)")
        grid = grid_of(AUTUMN - dt.timedelta(hours=2), AUTUMN.replace(hour=4), 1800, times)
        labels = time_labels(grid)
    assert len(set(labels)) == len(labels)
    assert [label for label in labels if "02:00" in label] == ["02:00 (UTC+2)", "02:00 (UTC+1)"]


def test_by_hour_keeps_both_hours(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["clock_change"].build(), tmp_path)
    with made_once():
        done = invoke("report", str(dump), "--report", "log/activity", "--by", "hour", "--format", "csv")
        text = invoke("report", str(dump), "--report", "log/activity", "--by", "hour").stdout
    lines = [line for line in done.stdout.splitlines() if "MQ01" in line]
    assert len(lines) == 6
    assert text.count("02:00:00 (UTC+2)") == 1
    assert text.count("02:00:00 (UTC+1)") == 1


def test_days_without_a_change_have_no_label(tmp_path: Path) -> None:
    with clocks("missing_intervals", tmp_path) as (_, times):
        assert times.zone("SYS1", "MQ01", dt.datetime(2026, 3, 2, 9)) == ""


@pytest.mark.parametrize(("day", "before", "after", "start"), [(AUTUMN, 120, 60, "02:30"), (SPRING, 60, 120, "01:30")])
def test_an_interval_that_ends_at_the_change_starts_by_the_clock_before(
    day: dt.datetime, before: int, after: int, start: str, tmp_path: Path
) -> None:
    """The header is written by the new clock, QWHSTIME is by the old one: QWHSTIME + QWHSDURN - QWHSSTCK gives the
    offset of the start.
    """
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


@pytest.mark.parametrize("chunk_bytes", [1 << 12, 20_011, 1 << 22])
def test_storage_records_of_the_repeated_hour_have_the_clock_of_adjacent_records(
    chunk_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """115.5, 6 and 7 contain a local time only, which two intervals have: the one that is nearest in the file is
    theirs.
    """
    monkeypatch.setattr(pipeline, "CHUNK", chunk_bytes)
    wanted = columns_to_decode(dict.fromkeys(("qsrs", "qsph", "qsgm", "qjst"), ("record_id", "interval_start_utc")))
    tables, _ = decode_bytes(SCENARIOS["clock_change"].build(), tmp_path, wanted=wanted)
    for name in ("qsrs", "qsph", "qsgm"):
        records = tables[name].group_by(["record_id", "interval_start_utc"]).aggregate([])
        assert len(set(records["interval_start_utc"].to_pylist())) == len(records) == len(tables["qjst"]), name
    starts = dict(
        zip(tables["qjst"]["record_id"].to_pylist(), tables["qjst"]["interval_start_utc"].to_pylist(), strict=True)
    )
    for number, start in zip(
        tables["qsrs"]["record_id"].to_pylist(), tables["qsrs"]["interval_start_utc"].to_pylist(), strict=True
    ):
        assert start == starts[min(starts, key=lambda other: abs(other - number))]


def test_two_systems_in_two_zones_have_their_own_times(tmp_path: Path) -> None:
    with clocks("two_zones", tmp_path) as (db, times):
        starts = {
            (row["lpar"], row["qmgr"]): times.text(row["lpar"], row["qmgr"], row["interval_start_utc"])
            for row in db.ask_rows("SELECT lpar, qmgr, interval_start_utc FROM log WHERE log_buffer_waits > 0")
        }
    assert starts == {("SYSA", "MQA1"): "14:00", ("SYSB", "MQB1"): "08:00 (UTC-5)"}


@pytest.mark.slow
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


HOURS = (
    ("application_use", "application = 'ORDERS'", "task_records"),
    ("queue_hour", "base_name = 'ORDERS.ENTRY'", "valid_puts"),
    ("use_value", "subject = 'application ORDERS' AND figure_number = 64", "measured_value"),
    ("record_volume", "smf_type = 116 AND subtype = 1", "queue_blocks"),
    ("record_count", "smf_type = 116 AND subtype = 1", "records"),
    ("task_hour", "true", "hour_tasks"),
)


def accounting_at(offset: int, *ends_utc: dt.datetime, lpar_of_offset: bool = False) -> list[bytes]:
    """A task of half an hour for each end, written by a clock of this offset; each offset may be a system of its
    own.
    """
    owner = QueueManager("MQ01", f"S{abs(offset)}" if lpar_of_offset else "SYS1", gmt_offset_minutes=offset)
    task = Task("RRS", "ORDERS", "ORDBATCH", "")
    half = dt.timedelta(minutes=30)
    return [
        record
        for number, end in enumerate(ends_utc)
        for record in class3(owner, task, end - half, end, ["ORDERS.ENTRY"], number=1 + number + abs(offset))
    ]


@pytest.fixture(scope="module")
def both_hours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Tasks that ended at 02:20 and 02:50 before clocks went back, and at 02:10 after: two hours with one local
    time.
    """
    records = [
        *accounting_at(120, AUTUMN.replace(hour=0, minute=20), AUTUMN.replace(hour=0, minute=50)),
        *accounting_at(60, AUTUMN.replace(hour=1, minute=10)),
    ]
    with reading(file_of(smf_file(records), tmp_path_factory.mktemp("hours"))) as db:
        yield db


@pytest.mark.parametrize(("view", "condition", "value"), HOURS)
def test_accounting_keeps_both_hours(view: str, condition: str, value: str, both_hours: Workspace) -> None:
    local = "hour_start_local" if view == "task_hour" else "hour_local"
    query = f"SELECT hour_start_utc, {local} AS label, sum({value})::DOUBLE AS total FROM {view} WHERE {condition} GROUP BY ALL ORDER BY 1"
    found = both_hours.ask_rows(query)
    assert [row["hour_start_utc"] for row in found] == [AUTUMN, AUTUMN.replace(hour=1)]
    assert {row["label"] for row in found} == {AUTUMN.replace(hour=2)}
    assert found[0]["total"] == 2 * found[1]["total"] > 0


@pytest.fixture(scope="module")
def zones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A task at the same time on three systems, of which one has a clock that is half an hour off."""
    end = dt.datetime(2026, 3, 2, 13, 20)
    records = [record for offset in (60, -300, 330) for record in accounting_at(offset, end, lpar_of_offset=True)]
    with reading(file_of(smf_file(records), tmp_path_factory.mktemp("zones"))) as db:
        yield db


@pytest.mark.parametrize(("view", "condition", "value"), HOURS)
def test_accounting_of_two_zones_has_the_hours_of_each_clock(
    view: str, condition: str, value: str, zones: Workspace
) -> None:
    """The same half hour of GMT on two systems is 14:00 on one and 08:00 on the other, and one instant; a zone may be
    half an hour off.
    """
    local = "hour_start_local" if view == "task_hour" else "hour_local"
    query = f"SELECT hour_start_utc, {local} AS label FROM {view} WHERE {condition} GROUP BY ALL ORDER BY 2"
    found = [(row["hour_start_utc"], row["label"]) for row in zones.ask_rows(query)]
    day = dt.datetime(2026, 3, 2)
    assert found == [
        (day.replace(hour=13), day.replace(hour=8)),
        (day.replace(hour=13), day.replace(hour=14)),
        (day.replace(hour=12, minute=30), day.replace(hour=18)),
    ]
