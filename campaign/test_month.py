"""The built month: sound, the same at every call, and consistent however its intervals are merged."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from mqstat.base.errors import InputError
from mqstat.base.selection import Selection
from mqstat.fixtures import __main__ as program
from mqstat.fixtures import month as month_module
from mqstat.fixtures.month import busy_month
from mqstat.intake.part import Job
from mqstat.intake.pipeline import Scratch
from mqstat.sources.source import find_sources
from tests.opening import open_database

HOURS = 48


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("month") / "month.smf"
    assert busy_month(path, days=2, qmgrs=2, interval_seconds=3600) == path.stat().st_size
    return path


def test_intervals_follow_each_other_and_totals_agree(month: Path) -> None:
    with Scratch() as scratch:
        for source in find_sources([str(month)]):
            part = scratch.add(source, Job(1, 0, Selection(), None, scratch.root), sha256=False)
            assert part is not None
        views = ["damage", "interval", "log", "record"]
        with open_database(scratch.files, temp_directory=scratch.root, views=views) as database:
            rows = database.execute(
                "SELECT qmgr, count(*), count(DISTINCT interval_start_utc), max(abs(gap_seconds)), min(interval_seconds) FROM interval GROUP BY 1 ORDER BY 1"
            ).fetchall()
            assert rows == [("MQ01", HOURS, HOURS, 0.0, 3600.0), ("MQ02", HOURS, HOURS, 0.0, 3600.0)]
            assert database.execute("SELECT max(abs(log_closure_error)) FROM log").fetchone() == (0,)
            assert database.execute("SELECT count(*) FROM damage").fetchone() == (0,)
            late = database.execute(
                "SELECT count(*) FROM record WHERE smf_type = 115 AND written_local <> date_trunc('hour', written_local)"
            ).fetchone()
            assert late == (0,)
            tasks = database.execute("SELECT count(*), count(DISTINCT task_correlator) FROM decoded.wtas").fetchone()
            assert tasks == (2 * 2 * HOURS, 2 * 2 * HOURS)


def test_it_is_the_same_every_time(month: Path, tmp_path: Path) -> None:
    busy_month(tmp_path / "again.smf", days=2, qmgrs=2, interval_seconds=3600)
    first, again = (hashlib.sha256(path.read_bytes()).digest() for path in (month, tmp_path / "again.smf"))
    assert first == again


def test_what_is_lost_is_lost_of_one_queue_manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(month_module, "OUTAGE", (1, 0, 20, 2))
    target = tmp_path / "gap.smf"
    arguments = ["busy-month", str(target), "--days", "1", "--qmgrs", "2", "--seconds", "3600"]
    assert program.run(program.parser().parse_args(arguments)).startswith(f"{target}: {target.stat().st_size:,} bytes")
    with Scratch() as scratch:
        for source in find_sources([str(target)]):
            scratch.add(source, Job(1, 0, Selection(), None, scratch.root), sha256=False)
        with open_database(scratch.files, temp_directory=scratch.root, views=["interval"]) as database:
            rows = database.execute(
                "SELECT qmgr, count(*), max(gap_seconds) FROM interval GROUP BY 1 ORDER BY 1"
            ).fetchall()
    assert rows == [("MQ01", 24, 0.0), ("MQ02", 22, 7200.0)]


def test_all_can_go_wrong_every_day(tmp_path: Path) -> None:
    busy_month(tmp_path / "day.smf", days=1, qmgrs=5, interval_seconds=3600, every_day=True)
    with Scratch() as scratch:
        for source in find_sources([str(tmp_path / "day.smf")]):
            scratch.add(source, Job(1, 0, Selection(), None, scratch.root), sha256=False)
        with open_database(scratch.files, temp_directory=scratch.root, views=["smds"]) as database:
            waits = "SELECT list(DISTINCT qmgr ORDER BY qmgr) FROM smds WHERE pool_waits > 0"
            assert database.execute(waits).fetchone() == (["MQ01", "MQ02", "MQ03", "MQ04"],)


@pytest.mark.parametrize("options", [{"days": 0}, {"qmgrs": 0}, {"interval_seconds": 700}])
def test_an_impossible_month(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least a day"):
        busy_month(tmp_path / "none.smf", **options)
