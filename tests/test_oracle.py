"""The rows of views are those that the oracle computes from the decoded records (tests/oracle)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import oracle
from tests.each import each
from tests.oracle_data import RULED, SIDED, check_all, dumps, opened, ruled, two_sides

UNTESTED = Path(__file__).parent / "oracle" / "untested.txt"
"""Derived columns that the oracle does not compute, by view; the list only gets shorter."""
COUNTED = ("rich_estate", "applications_wasteful", "missing_classes", "queues_used_badly")
"""The scenarios that have rows of the views whose columns count as computed."""


CHECKED = (
    "rich_estate", "three_levels", "sample", "mixed_encryption", "accounting_only", "missing_classes", "clock_change", "duplicates", "upgrade",
    "limits_in_two_weeks", "damaged_transfer", "missing_intervals", "overlapping_intervals", "restarts_then_long", "smf_data_lost",
)  # fmt: skip
"""Scenarios with their own amounts: levels, missing classes, changes of clocks, repeated records, missing intervals, two queue managers of one name."""


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
    """Before 9.3.3 queue statistics have no counts: neither failed redrives nor the depth before the first interval is 0 then."""
    with opened("sample") as db:
        found, data = check_all(db, {name: oracle.load()[name] for name in ("queue_held", "queue_interval")})
        assert any(row["held_before"] is None for row in data.view("queue_held"))
        assert any(row["failed_redrives"] is None for row in data.view("queue_interval"))
    assert [text for result in found.values() for text in result.differences] == []


@pytest.mark.slow
@each(CHECKED)
def test_the_columns_of_a_scenario_are_right(name: str) -> None:
    checked(name)
    checked_findings(name)


@pytest.mark.slow
@each(("rich_estate", "missing_classes", "queues_used_badly"))
def test_findings_over_amounts_that_all_differ_are_right(name: str) -> None:
    """Amounts without a pattern put hundreds of subjects in breach, each with its own clause, margin, run and work."""
    checked_findings(name, "differ")


@pytest.mark.slow
@each(("small", "short", "unnamed", "thin", "restarted"))
def test_the_columns_of_rare_rows_are_right(kind: str) -> None:
    """Amounts from 0 to 3, sections as if from older levels, rows without a name, rows without a partner."""
    checked("rich_estate", kind)


@pytest.mark.slow
@each(("rich_estate crossed", "applications_wasteful wide"))
def test_the_columns_of_groups_and_impossible_amounts_are_right(data: str) -> None:
    """Queue managers that change their group, and names of others; amounts that no counter reaches, few of them negative."""
    name, kind = data.split()
    checked(name, kind)


@pytest.mark.slow
@each(("rich_estate empty", "rich_estate skipped", "limits_in_two_weeks growing"))
def test_the_columns_of_empty_inputs_skipped_numbers_and_even_growth_are_right(data: str) -> None:
    name, kind = data.split()
    checked(name, kind)


SOME_VIEWS = {
    "applications_wasteful mixed": "application_period",
    "accounting_day crossed doubled": "temporary_queue",
    "queues_used_badly brief": "cf_structure_puts queue_statistics_total",
    "rich_estate brief": "application_hour application_use queue_hour queue_page_set_reads channel_partner chinit_dns_task task_cf task_span buffer_pool_period",
    "rich_estate clocked": "quality_record_time coverage_qmgr collection",
    "rich_estate cut": "interval_cut coverage_member_hour buffer_pool_zero queue_interval queue_merged storage_use",
    "rich_estate doubled": "interval_headline verdict_interval figure_value page_set_growth log qmgr",
    "rich_estate holed": "channel chinit_task_time log_copy_pair queue_depth",
    "rich_estate lacking": "queue_lifetime smds_message_size queue_flow coverage_calls log_period buffer_pool_period site_queue coverage_member_hour",
    "rich_estate minutes": "buffer_pool_merged queue_merged interval_step queue_statistics_total interval_work queue_lifetime",
    "rich_estate partless": "log log_copy log_copy_pair log_period latch_application channel_interval",
    "rich_estate resized": "channel_cipher channel_period channel_delay storage_region",
}
"""Data over which the oracle computes some views alone."""


@pytest.mark.slow
@each(SOME_VIEWS)
def test_some_views_of_rare_rows_are_right(data: str) -> None:
    """User IDs of several applications under one name, opens with several model queues, ciphers and types of all kinds, amounts that are not known.

    Levels that differ between queue managers; tasks of seconds; intervals of a minute, of more than a day, with gaps and with several records; sections
    without their parts.
    """
    name, _, kind = data.partition(" ")
    with opened(name, kind) as db:
        found, _ = check_all(db, {view: oracle.load()[view] for view in SOME_VIEWS[data].split()})
    without_differences(found)


@pytest.mark.slow
@each(("lossy", "crossed lossy"))
def test_the_columns_of_lost_and_damaged_records_are_right(kind: str) -> None:
    """Two inputs with lost and damaged records, also of queue managers that have the names of LPARs."""
    checked("restarts_then_long", kind)


@pytest.mark.slow
@pytest.mark.skipif(not dumps(), reason="MQSTAT_DUMPS is not set")
def test_the_columns_of_real_dumps_are_right() -> None:
    for path in dumps():
        checked(str(path))
        checked_findings(str(path))
