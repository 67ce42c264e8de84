"""The rows of views are those that the oracle computes from the decoded records (tests/oracle)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import oracle
from tests.oracle_data import RULED, SIDED, check_all, dumps, opened, ruled, two_sides

UNTESTED = Path(__file__).parent / "oracle" / "untested.txt"
"""Derived columns that the oracle does not compute, by view; the list only gets shorter."""
COUNTED = ("rich_estate", "applications_wasteful", "missing_classes", "queues_used_badly")
"""The scenarios that have rows of the views whose columns count as computed."""


def checked(name: str, kind: str = "own") -> dict[str, oracle.Checked]:
    """Every view of the oracle over some data (`opened`); fails with the differences."""
    with opened(name, kind) as db:
        found, _ = check_all(db, {view: made for view, made in oracle.load().items() if view not in RULED})
    return without_differences(found)


def checked_sides(name: str = "rich_estate") -> dict[str, oracle.Checked]:
    """The views of a comparison, over two sides with amounts of their own; fails with the differences."""
    with two_sides(name) as db:
        found, _ = check_all(db, {view: oracle.load()[view] for view in SIDED})
    return without_differences(found)


def checked_findings(name: str, kind: str = "own") -> dict[str, oracle.Checked]:
    """The views that the rules fill or explain; fails with the differences."""
    with ruled(name, kind) as db:
        found, _ = check_all(db, {view: oracle.load()[view] for view in RULED})
    return without_differences(found)


def without_differences(found: dict[str, oracle.Checked]) -> dict[str, oracle.Checked]:
    differences = [text for result in found.values() for text in result.differences]
    assert not differences, "\n".join(differences)
    return found


def computed_columns() -> Iterator[set[tuple[str, str]]]:
    """The columns that the oracle computes, by kind of data."""
    over = (checked(scenario, "differ") for scenario in COUNTED)
    for found in (
        *over,
        checked("missing_intervals"),
        checked_sides(),
        checked_findings("applications_wasteful", "differ"),
    ):
        yield {(view, column) for view, result in found.items() for column in result.columns}


@pytest.mark.slow
def test_every_derived_column_is_computed_or_listed() -> None:
    every = {(view, column) for view, columns in oracle.derived().items() for column in columns}
    every = every.difference(*computed_columns())
    listed = UNTESTED.read_text(encoding="utf-8").splitlines(keepends=True)
    assert oracle.counted(sorted(every)) == "".join(line for line in listed if not line.startswith("#"))


@pytest.mark.slow
def test_the_oracle_notices_a_wrong_cell() -> None:
    with opened("rich_estate", "differ") as db:
        found, data = check_all(db, {"log": oracle.load()["log"]})
        assert found["log"].cells > 1_000
        rows = [dict(row) for row in data.view("log")]
    for column in found["log"].columns - {"lpar", "qmgr", "interval_start_utc"}:
        other = [{**row} for row in rows]
        other[0][column] = 4711
        assert oracle.check("log", data, other).differences, column
    assert oracle.check("log", data, rows[1:]).differences


@pytest.mark.slow
def test_the_oracle_notices_a_wrong_finding() -> None:
    with ruled("applications_wasteful", "differ") as db:
        found, data = check_all(db, {"finding": oracle.load()["finding"]})
        rows = [dict(row) for row in data.view("finding")]
    breach = next(number for number, row in enumerate(rows) if row["state"] == "breach")
    for column in found["finding"].columns - {"rule_id", "lpar", "qmgr", "subject"}:
        other = [{**row} for row in rows]
        other[breach][column] = 4711
        assert oracle.check("finding", data, other).differences, column
    assert oracle.check("finding", data, [*rows[:breach], *rows[breach + 1 :]]).differences


@pytest.mark.slow
def test_what_the_records_of_a_release_do_not_count_is_null_in_queue_views() -> None:
    """Before 9.3.3 queue statistics have no counts: neither failed redrives nor the depth before the first interval is
    0 then.
    """
    with opened("sample") as db:
        found, data = check_all(db, {name: oracle.load()[name] for name in ("queue_held", "queue_interval")})
        assert any(row["held_before"] is None for row in data.view("queue_held"))
        assert any(row["failed_redrives"] is None for row in data.view("queue_interval"))
    assert [text for result in found.values() for text in result.differences] == []


def test_the_columns_of_the_rich_estate_are_right() -> None:
    """Amounts that all differ; the campaign has other data (campaign/test_oracle_kinds.py)."""
    checked("rich_estate", "differ")


@pytest.mark.slow
def test_the_columns_of_rows_without_names_are_right() -> None:
    checked("rich_estate", "unnamed")


@pytest.mark.slow
@pytest.mark.skipif(not dumps(), reason="MQSTAT_DUMPS is not set")
def test_the_columns_of_real_dumps_are_right() -> None:
    for path in dumps():
        checked(str(path))
        checked_findings(str(path))
