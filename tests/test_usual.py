"""What is usual at an hour, compared with the planted month: an outage twice, a log slow for five days, and noise."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from mqstat.assemble import compare
from mqstat.sql.schemas import view_schema
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.opening import open_database

SPAN = 13
OF_OUTAGE = {("", 11), ("", 12), ("buffer pool 3", 32), ("buffer pool 3", 34)}
"""Lowest free share and synchronous writes, of the queue manager and of the pool."""

OF_LOG = {("", 8), ("log copy 1", 56), ("log copy 2", 56)}
"""Longest log write, and mean time of a log write of each copy."""

FIRST_WEEKEND = (dt.date(2026, 11, 7), dt.date(2026, 11, 8))
"""Less than two days of a weekend are before them."""

CHANCE = 2
"""Other key figures that a day may list: the noise is random."""


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
    compare.fill(db, [[("hour_figure", pa.Table.from_pylist(listed, schema=view_schema("hour_figure")))]])
    (row,) = db.rows("SELECT * FROM usual_figure")
    return row


@cache
def empty() -> Workspace:
    """A database without data, with the view of the figures."""
    return open_database({}, views=["usual_figure"])


MONDAY = 10
"""An hour of the week: Monday from 10:00 on."""


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
