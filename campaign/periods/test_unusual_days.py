"""The events of a month are unusual on their days, and hardly anything else is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble import compare
from mqstat.assemble.baseline import usual_baseline
from mqstat.assemble.page_model import Baseline
from mqstat.assemble.usual import add_history
from mqstat.base.selection import Selection
from mqstat.intake.open_data import open_data
from mqstat.sql.workspace import Workspace
from tests.planted_month import DAYS, OUTAGE, SLOW_LOG, month

SPAN = 13
OF_OUTAGE = {("", 11), ("", 12), ("buffer pool 3", 32), ("buffer pool 3", 34)}
"""Lowest free share and synchronous writes, of the queue manager and of the pool."""

OF_LOG = {("", 8), ("log copy 1", 56), ("log copy 2", 56)}
"""Longest log write, and mean time of a log write of each copy."""

FIRST_WEEKEND = (dt.date(2026, 11, 7), dt.date(2026, 11, 8))
"""Less than two days of a weekend are before them."""

CHANCE = 2
"""Other key figures that a day may list: the noise is random."""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return month(tmp_path_factory.mktemp("planted"))


@contextmanager
def compared(dataset: Path, day: dt.date, span: int = SPAN) -> Iterator[tuple[Workspace, Baseline]]:
    """A day compared with the days before it."""
    start = dt.datetime.combine(day, dt.time())
    selection = Selection(since=start, until=start + dt.timedelta(days=1))
    with open_data(dataset=dataset, selection=selection) as db:
        history = add_history(db, day, span)
        yield db, usual_baseline(db, history)


def unusual(db: Workspace) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """The hours out of range of each key figure."""
    out: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in db.ask_rows("SELECT * FROM usual_figure WHERE abs(usual_times_out) > 1 ORDER BY usual_hour"):
        out.setdefault((row["subject"], row["figure_number"]), []).append(row)
    return out


def test_every_event_of_the_month_is_unusual_and_hardly_anything_else(dataset: Path) -> None:
    for day in DAYS:
        with compared(dataset, day) as (db, baseline):
            listed = unusual(db)
        planted = (OF_OUTAGE if day.day in OUTAGE.days else set()) | (OF_LOG if day.day in SLOW_LOG.days else set())
        if not baseline.enough:
            assert not listed
            assert (day - DAYS[0]).days < compare.ENOUGH or day in FIRST_WEEKEND
            continue
        assert planted <= set(listed), day
        assert len(set(listed) - planted) <= CHANCE, (day, listed)
        assert baseline.unusual == len(listed)
        assert baseline.compared is not None
        assert baseline.compared > 50


def test_the_second_outage_is_the_second_time(dataset: Path) -> None:
    first, second = sorted(OUTAGE.days)
    for number, times in ((first, "first"), (second, "second")):
        with compared(dataset, dt.date(2026, 11, number)) as (db, baseline):
            writes = unusual(db)["buffer pool 3", 34]
        text = (
            f"buffer pool 3: synchronous writes 140 per hour from 14:00 on, usually 0 per hour; {times} time in 13 days"
        )
        assert any(text in line for _, line in baseline.lines), baseline.lines
        assert [row["usual_hour"] for row in writes] == list(OUTAGE.hours)


def test_a_slow_log_is_unusual_on_each_of_its_days(dataset: Path) -> None:
    counted = []
    for number in SLOW_LOG.days:
        with compared(dataset, dt.date(2026, 11, number)) as (db, _):
            hours = unusual(db)["log copy 1", 56]
        assert len(hours) == 24
        counted.append({row["usual_days_as_far"] for row in hours})
    assert counted == [{0}, {1}, {2}, {3}, {4}]


def test_the_same_hours_of_the_week_are_compared_when_four_days_have_them(dataset: Path) -> None:
    with compared(dataset, DAYS[-1], span=28) as (db, _):
        assert {row["usual_basis"] for row in db.ask_rows("SELECT usual_basis FROM usual_figure")} == {"day"}
    late = dt.date(2026, 11, 24)  # 3, 10 and 17 November are the Tuesdays before it
    with compared(dataset, late, span=28) as (_, baseline):
        assert "only 3 of the 4 required Tuesdays have data" in "\n".join(text for _, text in baseline.lines)
