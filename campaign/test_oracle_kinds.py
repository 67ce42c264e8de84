"""The rows of views are those of the oracle over data of all kinds: amounts that differ, rare rows, groups, lost and
damaged records (tests/oracle_data.py).
"""

from __future__ import annotations

import pytest

from tests import oracle
from tests.oracle_data import check_all, opened
from tests.test_oracle import checked, checked_findings, without_differences

CHECKED = (
    "rich_estate", "three_levels", "sample", "mixed_encryption", "accounting_only", "missing_classes", "clock_change", "duplicates", "upgrade",
    "limits_in_two_weeks", "damaged_transfer", "missing_intervals", "overlapping_intervals", "classes_ended", "restarts_then_long", "smf_data_lost",
)  # fmt: skip
"""Scenarios with their own amounts: levels, missing classes, changes of clocks, repeated records, missing intervals,
two queue managers of one name."""


@pytest.mark.parametrize("name", CHECKED)
def test_the_columns_of_a_scenario_are_right(name: str) -> None:
    checked(name)
    checked_findings(name)


@pytest.mark.parametrize("name", ["rich_estate", "missing_classes", "queues_used_badly"])
def test_findings_over_amounts_that_all_differ_are_right(name: str) -> None:
    """Amounts without a pattern put hundreds of subjects in breach, each with its own clause, margin, run and work."""
    checked_findings(name, "differ")


@pytest.mark.parametrize("kind", ["small", "short", "thin", "restarted"])
def test_the_columns_of_rare_rows_are_right(kind: str) -> None:
    """Amounts from 0 to 3, sections as if from older levels, rows without a name, rows without a partner."""
    checked("rich_estate", kind)


@pytest.mark.parametrize("data", ["rich_estate crossed", "applications_wasteful wide"])
def test_the_columns_of_groups_and_impossible_amounts_are_right(data: str) -> None:
    """Queue managers that change their group, and names of others; amounts that no counter reaches, few of them
    negative.
    """
    name, kind = data.split()
    checked(name, kind)


@pytest.mark.parametrize("data", ["rich_estate empty", "rich_estate skipped", "limits_in_two_weeks growing"])
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


@pytest.mark.parametrize("data", SOME_VIEWS)
def test_some_views_of_rare_rows_are_right(data: str) -> None:
    """User IDs of several applications under one name, opens with several model queues, ciphers and types of all kinds,
    amounts that are not known.

    Levels that differ between queue managers; tasks of seconds; intervals of a minute, of more than a day, with gaps
    and with several records; sections without their parts.
    """
    name, _, kind = data.partition(" ")
    with opened(name, kind) as db:
        found, _ = check_all(db, {view: oracle.load()[view] for view in SOME_VIEWS[data].split()})
    without_differences(found)


@pytest.mark.parametrize("kind", ["lossy", "crossed lossy"])
def test_the_columns_of_lost_and_damaged_records_are_right(kind: str) -> None:
    """Two inputs with lost and damaged records, also of queue managers that have the names of LPARs."""
    checked("restarts_then_long", kind)
