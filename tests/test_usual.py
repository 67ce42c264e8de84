"""What is usual at an hour, compared with the planted month: an outage twice, a log slow for five days, and noise."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mqstat.assemble import compare
from mqstat.assemble.baseline import usual_baseline
from mqstat.assemble.page_model import Baseline
from mqstat.assemble.usual import add_history
from mqstat.base.selection import Selection
from mqstat.intake.open_data import open_data
from mqstat.sql.database import Database, open_database
from mqstat.sql.plans import rows
from mqstat.sql.schemas import side_schemas
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
def compared(dataset: Path, day: dt.date, span: int = SPAN) -> Iterator[tuple[Database, Baseline]]:
    """A day compared with the days before it."""
    start = dt.datetime.combine(day, dt.time())
    selection = Selection(since=start, until=start + dt.timedelta(days=1))
    with open_data(dataset=dataset, selection=selection) as db:
        history = add_history(db, dataset, day, span)
        yield db, usual_baseline(db, history)


def unusual(db: Database) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """The hours out of range of each key figure."""
    out: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows(db, "SELECT * FROM usual_figure WHERE abs(usual_times_out) > 1 ORDER BY usual_hour"):
        out.setdefault((row["subject"], row["figure_number"]), []).append(row)
    return out


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_slow_log_is_unusual_on_each_of_its_days(dataset: Path) -> None:
    counted = []
    for number in SLOW_LOG.days:
        with compared(dataset, dt.date(2026, 11, number)) as (db, _):
            hours = unusual(db)["log copy 1", 56]
        assert len(hours) == 24
        counted.append({row["usual_days_as_far"] for row in hours})
    assert counted == [{0}, {1}, {2}, {3}, {4}]


@pytest.mark.slow
def test_the_same_hours_of_the_week_are_compared_when_four_days_have_them(dataset: Path) -> None:
    with compared(dataset, DAYS[-1], span=28) as (db, _):
        assert {row["usual_basis"] for row in rows(db, "SELECT usual_basis FROM usual_figure")} == {"day"}
    late = dt.date(2026, 11, 24)  # 3, 10 and 17 November are the Tuesdays before it
    with compared(dataset, late, span=28) as (_, baseline):
        assert "only 3 of the 4 required Tuesdays have data" in "\n".join(text for _, text in baseline.lines)


MONDAY = 10
"""An hour of the week: Monday from 10:00 on."""


def judged(before: Sequence[tuple[int, float]], today: tuple[int, float], figure: int = 1) -> dict[str, Any]:
    """The row of usual_figure of an hour with these earlier values: hour of the week, value."""
    values = [("before", number, *hour) for number, hour in enumerate(before)] + [("after", len(before), *today)]
    listed = [
        {
            "lpar": "SYS1", "qmgr": "MQ01", "side_name": side, "subject": "", "figure_number": figure, "day_number": day,
            "hour_of_week": hour, "hour_value": value,
        }
        for side, day, hour, value in values
    ]  # fmt: skip
    db = empty()
    compare.fill(db, [[("hour_figure", pa.Table.from_pylist(listed, schema=side_schemas()["hour_figure"]))]])
    (row,) = db.rows("SELECT * FROM usual_figure")
    return row


@cache
def empty() -> Database:
    """A database without data, with the view of the figures."""
    return open_database({}, views=["usual_figure"])


def weekdays(*values: float) -> list[tuple[int, float]]:
    """The hour of Tuesdays to Fridays with these values."""
    return [(MONDAY + 24 * (1 + number % 4), value) for number, value in enumerate(values)]


def test_one_of_thirteen_days_changes_nothing() -> None:
    row = judged([*weekdays(*[0] * 12), (MONDAY, 140)], (MONDAY, 140))
    assert (row["usual_median"], row["usual_low"], row["usual_high"]) == (0, 0, 1)
    assert row["usual_times_out"] == 140
    assert (row["usual_days"], row["usual_days_as_far"], row["usual_basis"]) == (13, 1, "day")


def test_a_value_half_as_far_counts_and_a_smaller_one_does_not() -> None:
    row = judged(weekdays(*[0] * 10, 71, 69, 139), (MONDAY, 140))
    assert row["usual_days_as_far"] == 2


@pytest.mark.parametrize(("value", "out"), [(100, False), (119, False), (121, True), (81, False), (79, True)], ids=str)
def test_a_change_below_a_fifth_is_not_unusual(value: float, out: bool) -> None:
    row = judged(weekdays(*[100] * 13), (MONDAY, value))
    assert (abs(row["usual_times_out"]) > 1) == out
    assert (row["usual_low"], row["usual_high"]) == (80, 120)
    assert row["usual_days_as_far"] == (0 if out else None)


def test_a_change_below_the_least_is_not_unusual() -> None:
    """The least change of the longest log write is 500 µs."""
    assert abs(judged(weekdays(*[100] * 13), (MONDAY, 590), figure=8)["usual_times_out"]) < 1
    assert abs(judged(weekdays(*[100] * 13), (MONDAY, 610), figure=8)["usual_times_out"]) > 1


def test_few_days_need_a_larger_distance() -> None:
    """The deviation of 10 counts ten times with four days, and 6.25 times with thirteen."""
    four, thirteen = (judged(weekdays(*values), (MONDAY, 300)) for values in ([90, 110] * 2, [90, 110] * 6 + [100]))
    assert four["usual_high"] == pytest.approx(100 + 10 * 14.826)
    assert thirteen["usual_high"] == pytest.approx(100 + 6.25 * 14.826)


def test_a_weekend_is_compared_with_weekends_too() -> None:
    saturday = MONDAY + 120
    before = [*weekdays(*[100] * 10), (saturday, 30), (saturday + 24, 32)]
    assert abs(judged(before, (saturday, 31))["usual_times_out"]) <= 1
    assert judged(before, (saturday, 90))["usual_times_out"] < 1
    assert judged(before, (saturday, 3))["usual_times_out"] < -1
    assert judged(before[:-1], (saturday, 31))["usual_basis"] == "none"
    assert judged(before, (MONDAY, 31))["usual_times_out"] < -1


def test_four_days_of_the_same_weekday_come_first() -> None:
    row = judged([*weekdays(*[100] * 12), *[(MONDAY, 10)] * 4], (MONDAY, 100))
    assert (row["usual_basis"], row["usual_median"], row["usual_days"]) == ("week", 10, 4)
    row = judged([*weekdays(*[100] * 12), *[(MONDAY, 10)] * 3], (MONDAY, 100))
    assert (row["usual_basis"], row["usual_median"], row["usual_days"]) == ("day", 100, 15)
    row = judged(weekdays(100, 100, 100), (MONDAY, 100))
    assert (row["usual_basis"], row["usual_median"], row["usual_times_out"]) == ("none", None, None)
