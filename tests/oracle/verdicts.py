"""The figures that decide whether MQ is the problem, settings over the period, and the sections that were read."""

from __future__ import annotations

from tests.oracle import Data, Row, view
from tests.oracle.formulas import MINUTE, computed, grouped, groups, joined, judgeable
from tests.oracle.records import CUT, QMGR

HEADLINE = "lowest_pool_free_pct fullest_page_set_pct logger_task_busy_pct longest_log_io_us cf_redrive_pct smds_waits db2_queue_high available_31_mib adapter_busiest_pct".split()
OTHERS = "cf_single_call_us network_slowest_us longest_latch_wait_us commit_average_et_us".split()
SIDE = "lpar qmgr side_name slot_by slot"


@view("verdict_interval", f"{QMGR} measured_from_utc measured_to_utc usable network_slowest_us longest_latch_wait_us")
def verdict_interval(data: Data) -> list[Row]:
    """Intervals without fragments; hours of accounting. Each row has the figures of its kind alone."""
    calls = grouped(data.view("cf_structure"), CUT, "cf_single_call_us = sum(single_call_us) / sum(single_calls)")
    by_cut = {tuple(row[name] for name in CUT.split()): row for row in calls}
    cuts = joined(filter(judgeable, data.view("interval_headline")), by_cut, CUT, "cf_single_call_us")
    cuts = computed(
        cuts,
        "measured_from_utc = interval_start_utc\nmeasured_to_utc = interval_end_utc\nmeasured_from_local = interval_start_local\nusable = baseline_ok",
    )
    channels = grouped(
        filter(judgeable, data.view("channel")), CUT,
        """
        measured_from_utc = interval_start_utc
        measured_to_utc = max(interval_end_utc)
        measured_from_local = max(interval_start_local)
        network_slowest_us = max(network_average_us)
        """,
    )  # fmt: skip
    hours = computed(
        data.view("task_hour"),
        "measured_from_utc = hour_start_utc\nmeasured_to_utc = hour_start_utc + HOUR\nmeasured_from_local = hour_start_local",
    )
    out = []
    for rows, names in ((cuts, [*HEADLINE, "cf_single_call_us"]), (channels, OTHERS[1:2]), (hours, OTHERS[2:])):
        for row in rows:
            kept = "lpar qmgr measured_from_utc measured_to_utc measured_from_local".split()
            figures = {name: row[name] if name in names else None for name in (*HEADLINE, *OTHERS)}
            out.append({**{name: row[name] for name in kept}, **figures, "usable": row.get("usable", True)})
    return out


@view("verdict_window", QMGR)
def verdict_window(data: Data) -> list[Row]:
    out = []
    cuts = groups(data.view("interval_cut"), QMGR)
    for row in data.view("qmgr"):
        mine = cuts.get((row["lpar"], row["qmgr"]), [])
        offset = row["gmt_offset_minutes"] * MINUTE
        start = min((cut["interval_start_utc"] for cut in mine), default=row["first_written_local"] - offset)
        end = max((cut["interval_end_utc"] for cut in mine), default=row["last_written_local"] - offset)
        out.append({**row, "window_start_utc": start, "window_end_utc": end, "whole_period": True})
    return out


@view("section", "lpar qmgr mq_version record_class triplet section_bytes structure")
def section(data: Data) -> list[Row]:
    """Triplets 4 and 5 of 115.1 and all of 115.240 are of IBM's own use."""
    rows = joined(data.every("section"), data.by("queue_sharing_group", "lpar", "qmgr"), QMGR, "qsg")
    return grouped(
        rows, "lpar qmgr qsg mq_version record_class triplet section_bytes structure",
        """
        sections = sum(sections)
        tail_bytes = sum(tail_bytes)
        section_bytes_known = max(section_bytes_known)
        first_written_local = min(first_written_local)
        last_written_local = max(last_written_local)
        internal_section = record_class == '115.240' or (record_class == '115.1' and triplet in (4, 5))
        """,
    )  # fmt: skip


@view("side", f"{SIDE} from_lpar hour_of_week")
def side(data: Data) -> list[Row]:
    return data.raw("side")


@view("side_figure", f"{SIDE} subject figure_number")
def side_figure(data: Data) -> list[Row]:
    return data.raw("side_figure")


@view("hour_figure", "lpar qmgr side_name subject figure_number day_number hour_of_week")
def hour_figure(data: Data) -> list[Row]:
    return data.raw("hour_figure")


@view("class_hour", "lpar qmgr record_class day_number hour_of_day")
def class_hour(data: Data) -> list[Row]:
    return data.raw("class_hour")


@view("side_setting", "lpar qmgr side_name subject_kind subject setting setting_value")
def side_setting(data: Data) -> list[Row]:
    return data.raw("side_setting")
