"""Whether records agree with themselves: totals, lengths, times, rates, and what is not known (catalogue, rules DQ002
to DQ012).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from mqstat.parsers import LAYOUTS
from tests.oracle import Data, Row, view
from tests.oracle.coverage import EXPECTED
from tests.oracle.formulas import DAY, MINUTE, SECOND, computed, grouped, groups, joined, known, unsigned, where
from tests.oracle.records import CUT, QMGR

OWN_TIMES = ("115.1", "115.2", "115.201", "115.215", "115.216", "115.231", "115.240", "116.10")
"""The classes whose records have a start and a length, other than accounting of connections and tasks."""
UNDECODED = ("115.240", "116.2")
"""Classes that are known although they are not in `EXPECTED`: one is not decoded, one continues another."""
HALF_HOUR = 1_800_000_000
MANAGERS = {"message manager": "qmst", "log manager": "qjst", "buffer manager": "qpst"}


@view("quality_identity", f"{CUT} identity")
def quality_identity(data: Data) -> list[Row]:
    """Catalogue, DQ008: QIS1TOPG, QJSTCIWR and QJSTLOGW against their parts, and more stealable buffers than a pool
    has.

    A record from 8.0 on counts log I/O by type; types without writes have no row.
    """
    out: list[Row] = []
    whole = computed(
        where(data.raw("qis1"), "first(status == 'Available', True)"),
        "error = magnitude(total_pages - unused_pages - persistent_pages - nonpersistent_pages)",
    )
    out += grouped(
        whole,
        CUT,
        "record_id = min(record_id)\nidentity_error = max(error)\nidentity_tolerance = 0\nidentity = 'pages of page sets'",
    )
    written = data.raw("qjst_log_io")
    parts = groups(written, "record_id")
    for row in unsigned(data.raw("qjst"), "qjst", 1):
        mine = parts.get((row["record_id"],), ())
        for name, total, part in (
            ("control intervals written", "cis_written", "io_cis"),
            ("log writes", "log_write_requests", "io_count"),
        ):
            if row["has_log_io"]:
                error = None if row[total] is None else abs(row[total] - sum(io[part] or 0 for io in mine))
                place = {column: row[column] for column in (*CUT.split(), "record_id")}
                out.append({**place, "identity": name, "identity_error": error, "identity_tolerance": None})
    pools = data.raw("qpst")
    for members in groups(pools, "lpar qmgr pool_id").values():
        members.sort(key=lambda row: row["interval_start_utc"])
        for before, row in zip([None, *members[:-1]], members, strict=True):
            resized = before is not None and before["buffers"] != row["buffers"]
            most = max(known((row["lowest_stealable"], row["current_stealable"])), default=None)
            row["over"] = None if resized or most is None or row["buffers"] is None else most - row["buffers"]
    out += grouped(pools, CUT, "record_id = min(record_id)\nover = max(over)\nidentity_error = greatest(0, over)\nidentity_tolerance = 0\nidentity = 'stealable buffers'")  # fmt: skip
    return [{name: row[name] for name in (*CUT.split(), "record_id", "identity", "identity_error", "identity_tolerance")} for row in out]  # fmt: skip


@view("quality_layout", "structure section_bytes")
def quality_layout(data: Data) -> list[Row]:
    """The columns whose field begins beyond each published length, by the offsets of the layouts; fields that are
    reserved or of internal use do not count.
    """
    out = []
    for name, layout in LAYOUTS.items():
        for size in layout.sizes:
            beyond = [f for f in layout.named if f.at >= size and f.kind != "internal" and not f.reserved]
            absent = sum(len(field.columns) or 1 for field in beyond)
            out.append({"structure": name, "section_bytes": size, "columns_absent": absent})
    return out


@view("quality_negative", f"{CUT} counter_group")
def quality_negative(data: Data) -> list[Row]:
    """Catalogue, DQ011: any counter of QMST, QJST and QPST that is a signed 32-bit number."""
    out = []
    for group, table in MANAGERS.items():
        names = [
            field.name
            for field in LAYOUTS[table].fields
            if field.kind == "counter" and getattr(field.type, "code", "") == "l"
        ]
        for key, rows in groups(data.raw(table), CUT).items():
            lowest = min(known(row.get(name) for row in rows for name in names), default=None)
            place = {**dict(zip(CUT.split(), key, strict=True)), "record_id": min(row["record_id"] for row in rows)}
            read = unsigned(rows, table, 2 if table == "qpst" else 1)
            exact = all((row.get(name) or 0) >= 0 for row in read for name in names)
            out.append({**place, "counter_group": group, "lowest_counter": lowest, "read_unsigned": exact})
    return out


RATED = {
    "qmst": "opens closes gets puts put1s inquires sets handle_closes subscription_requests callbacks publications",
    "qjst": "log_writes_wait log_writes_nowait log_writes_force log_write_requests cis_created cis_written",
    "qpst": "page_gets_old page_gets_new pages_read set_writes pages_written write_ios",
    "wq": "opens closes puts put1s gets valid_puts valid_gets",
}
"""The counters of requests and of pages that the note of the view names."""


@view("quality_rate", f"{QMGR} counter_group")
def quality_rate(data: Data) -> list[Row]:
    out = []
    for group, table in {**MANAGERS, "queue accounting": "wq"}.items():
        rows = []
        for row in data.raw(table):
            most = max(known(row[name] for name in RATED[table].split()), default=None)
            rows.append({**row, "counter_group": group, "most": most})
        rows = computed(rows, "rate = most / greatest(interval_us / 1e6, 1)")
        out += grouped(
            rows, f"{QMGR} counter_group", "highest_per_s = max(rate)\nhighest_counter = top(most, rate)"
        )  # fmt: skip
    return out


def _offset_changes(data: Data) -> list[Row]:
    """Catalogue, DQ007: a changed offset is expected where clocks change: by 30 or 60 minutes, at most once in four
    weeks; all else is a doubt.
    """
    out = []
    rows = where(data.raw("record"), "qmgr is not None and gmt_offset_minutes is not None")
    for (lpar, qmgr), members in groups(rows, QMGR).items():
        hours = grouped(
            computed(members, "hour = hour(written_local)"), "hour gmt_offset_minutes", "start = min(written_local)"
        )
        seen = sorted((r["start"] - r["gmt_offset_minutes"] * MINUTE, r["gmt_offset_minutes"]) for r in hours)
        steps = [(at, offset - before) for (_, before), (at, offset) in pairwise(seen) if offset != before]
        planned = all(abs(step) in (30, 60) for _, step in steps)
        planned = planned and all(later - earlier >= 28 * DAY for (earlier, _), (later, _) in pairwise(steps))
        widest = max(offset for _, offset in seen) - min(offset for _, offset in seen)
        seconds = None if not steps else 0 if planned else 60 * widest
        out.append({"lpar": lpar, "qmgr": qmgr, "time_check": "GMT offset", "check_seconds": 0 if seconds is None else seconds})  # fmt: skip
    return out


@view("quality_record_time", f"{QMGR} interval_start_utc time_check")
def quality_record_time(data: Data) -> list[Row]:
    """Catalogue, DQ007: each record against its own times; records that start in the same 10 ms are one row; leap
    seconds are taken off.
    """
    ahead = grouped(
        where(data.raw("record"), "damage is None and header_stck_utc is not None and gmt_offset_minutes is not None"), QMGR,
        "low = min(header_stck_utc - written_local + gmt_offset_minutes * MINUTE)\n"
        "high = max(header_stck_utc - written_local + gmt_offset_minutes * MINUTE)",
    )  # fmt: skip
    leaps = {
        (row["lpar"], row["qmgr"]): row["low"]
        for row in ahead
        if 20 * SECOND <= row["low"] <= 40 * SECOND and row["high"] - row["low"] < SECOND // 2
    }
    rows: list[Row] = [
        {**row, "part": None if row["record_start_utc"] is None else row["record_start_utc"] // (SECOND // 100),
         "leap": leaps.get((row["lpar"], row["qmgr"]), 0)}
        for row in data.raw("record") if row["damage"] is None and row["record_class"] in OWN_TIMES
    ]  # fmt: skip
    rows = computed(
        rows,
        """
        end_seconds = first(magnitude(record_start_utc + record_us - (written_local - gmt_offset_minutes * MINUTE) - leap), magnitude(record_start_local + record_us - written_local - leap)) / 1e6
        clock_seconds = magnitude(written_local - header_stck_utc - gmt_offset_minutes * MINUTE + leap) / 1e6
        oddness = magnitude(log10(greatest(record_us, 1) / 1.8e9))
        """,
    )
    spans = grouped(
        rows, "lpar qmgr part",
        """
        record_id = min(record_id)
        startup_interval = any(subtype == 240)
        interval_start_utc = min(record_start_utc)
        end_seconds = max(end_seconds)
        clock_seconds = max(clock_seconds)
        length_seconds = None if any(record_us is None) else top(record_us, oddness) / 1e6
        """,
    )  # fmt: skip
    names = {"end of the interval": "end_seconds", "clock": "clock_seconds", "length of the interval": "length_seconds"}
    out: list[Row] = [
        {**{column: row[column] for column in (*CUT.split(), "record_id", "startup_interval")}, "time_check": check, "check_seconds": row[name]}
        for row in spans for check, name in names.items()
    ]  # fmt: skip
    out += [
        {**row, "interval_start_utc": None, "record_id": None, "startup_interval": False}
        for row in _offset_changes(data)
    ]
    idle = where(data.view("log"), "logger_idle_us is not None")
    out += [
        {
            **{name: row[name] for name in (*CUT.split(), "record_id", "startup_interval")}, "time_check": "idle time of the logger",
            "check_seconds": max(0, row["logger_idle_us"] - 1.01 * row["interval_us"]) / 1e6,
        }
        for row in idle
    ]  # fmt: skip
    return out


@view("quality_task_time", f"{QMGR} mq_version")
def quality_task_time(data: Data) -> list[Row]:
    """Catalogue, DQ012: latch waits and times in calls, without the waits of gets, against WTASINTE - WTASINTS."""
    latches = groups(data.raw("wtas_latch"), "record_id")
    rows = []
    for task in data.view("task"):
        mine = latches.get((task["record_id"],), [])
        length = (task["task_interval_us"] or 0) > 0
        if length:
            waits = known([*(latch["latch_class_wait_us"] for latch in mine), task["longest_latch_wait_us"]])
            called = max(0, task["mq_et_us"] - task["get_wait_us"]) if None not in (task["mq_et_us"], task["get_wait_us"]) else 0  # fmt: skip
            rows.append({**task, "latch": max(waits, default=0), "longest": max([called, *waits]),
                         "shifted": any(latch["latch_class_wait_shifted"] for latch in mine)})  # fmt: skip
    return grouped(
        computed(rows, "excess = longest - task_interval_us"), f"{QMGR} mq_version",
        """
        record_id = earliest(record_id, -excess, record_id)
        tasks_checked = count()
        tasks_over = count(where=excess > 0)
        time_ratio_high = max(longest / task_interval_us)
        excess_seconds_high = max(excess) / 1e6
        longest_seconds = top(longest, excess, longest) / 1e6
        latch_times_over = count(where=latch > task_interval_us)
        latch_times_shifted = count(where=shifted)
        """,
    )  # fmt: skip


@view("quality_unknown", f"{QMGR} unknown_content")
def quality_unknown(data: Data) -> list[Row]:
    """Catalogue, DQ004: classes, sections and ends of sections without a layout, and levels above the highest known
    (10.0.0).
    """
    records = where(data.raw("record"), "qmgr is not None and lpar is not None")
    empty = {
        "unknown_bytes": None,
        "unknown_items": 0,
        "unknown_content": None,
        "section_bytes": None,
        "section_bytes_known": None,
    }
    out = [{**dict(zip(QMGR.split(), key, strict=True)), **empty} for key in groups(records, QMGR)]
    items = "section_bytes = None\nsection_bytes_known = None\nunknown_items = count()\nunknown_bytes = sum(record_bytes)\nunknown_content = 'records ' + record_class"
    strange = [row for row in records if row["record_class"] not in (*EXPECTED, *UNDECODED)]
    out += grouped(strange, "lpar qmgr record_class", items)
    late = where(records, "level(mq_version) > 100000")
    out += grouped(late, "lpar qmgr mq_version", "section_bytes = None\nsection_bytes_known = None\nunknown_items = count()\nunknown_bytes = None\nunknown_content = 'records of MQ level ' + mq_version")  # fmt: skip
    sections = computed(data.view("section"), "whole = sections * section_bytes")
    unknown = where(sections, "structure is None and not internal_section and section_bytes > 0")
    unknown = computed(
        unknown, "unknown_content = 'section ' + text(triplet) + ' of ' + record_class\nsection_bytes_known = None"
    )
    longer = computed(where(sections, "tail_bytes > 0"), "unknown_content = 'end of ' + structure + ' in ' + record_class\nwhole = tail_bytes")  # fmt: skip
    return out + grouped(
        unknown + longer, f"{QMGR} unknown_content", "section_bytes = max(section_bytes)\nsection_bytes_known = max(section_bytes_known)\nunknown_items = sum(sections)\nunknown_bytes = sum(whole)"
    )  # fmt: skip


def _checked(name: str, items: Any, failed: Any, worst: Any = None, of: Iterable[Row] = ()) -> Row:
    """A check; `of` = the rows that fail, of which the first record is named."""
    first = min(known(row["record_id"] for row in of), default=None)
    place = {"failed_record_id": first, "failed_source_id": None, "failed_offset": None}
    return {"check_name": name, "items_checked": items, "items_failed": failed, "worst_difference": worst, **place}


def _beyond(name: str, given: list[Row], error: str, limit: str) -> Row:
    """A check that compares values: how many have a difference, how many fail, and the largest difference."""
    rows = where(computed(given, f"off = {error}"), "off is not None")
    worst = max((abs(row["off"]) for row in rows), default=None)
    bad = where(rows, limit)
    return _checked(name, len(rows), len(bad), worst, [row for row in bad if "record_id" in row])


def _of_input(row: Row, damage: list[Row]) -> Row:
    """The check with the place of the first damage."""
    first = min(((each["source_id"], each["damage_offset"]) for each in damage), default=(None, None))
    return {**row, "failed_source_id": first[0], "failed_offset": first[1]}


@view("quality_check", "check_name")
def quality_check(data: Data) -> list[Row]:
    """One row for each check of the catalogue's rules DQ002 to DQ015; a check that only counts has no difference."""
    sources, damage, sections = data.every("source"), data.every("damage"), data.view("section")
    parts = "bytes_decoded + bytes_other_types + bytes_internal + bytes_raw + bytes_damaged + bytes_duplicate + bytes_skipped"
    records = "records_decoded + records_other_types + records_internal + records_raw + records_damaged + records_duplicate"  # fmt: skip
    spanned = [row for row in damage if row["damage_reason"] in ("orphan-segment", "missing-segment")]
    own = [row for row in data.raw("record") if row["qmgr"] is not None]
    longest = grouped(where(sections, "structure is not None"), "mq_version structure", "most = max(section_bytes)")
    sized = joined(
        sections,
        {(r["mq_version"], r["structure"]): r for r in longest},
        "mq_version structure",
        "most",
        inner=True,
    )
    short = computed(sized, "missing = most - section_bytes")
    times, blocks = data.view("quality_task_time"), data.view("quality_task_block")
    pools = data.view("quality_queue_pool")
    log = [row for row in data.view("log") if row["log_closure_error"] is not None]
    stealable = computed(data.raw("qpst"), "over = greatest(lowest_stealable, current_stealable) - buffers")
    negative = data.view("quality_negative")
    below = [-row["lowest_counter"] for row in negative if (row["lowest_counter"] or 0) < 0]
    unknown = [row for row in data.view("quality_unknown") if (row["unknown_content"] or "").startswith(("section ", "records "))]  # fmt: skip
    overs = [row["over"] for row in stealable if (row["over"] or 0) > 0]
    cuts = data.view("interval_cut")
    tails = where(sections, "tail_bytes > 0")
    longer_times = [row["longest_seconds"] for row in times if row["tasks_over"] > 0]
    return [
        {**_beyond("bytes read = bytes decoded + bytes skipped", sources, f"source_bytes - ({parts})", "off != 0"),
         "failed_source_id": min((r["source_id"] for r in computed(sources, f"all = {parts}") if r["source_bytes"] != r["all"]), default=None), "failed_offset": 0},
        _of_input(_checked("records read = decoded + counted only + damaged", sum(r["all"] for r in computed(sources, f"all = {records}")), sum(r["records_damaged"] for r in sources)), damage),
        _of_input(_checked("spanned records joined", sum(row["segments"] > 1 for row in own), sum(row["spans"] for row in spanned)), spanned),
        _checked("sections longer than known", sum(r["sections"] for r in sections), sum(r["sections"] for r in tails), max((r["section_bytes"] - r["section_bytes_known"] for r in tails), default=None)),
        _checked("sections shorter than others of the same level", sum(r["sections"] for r in short), sum(r["sections"] for r in short if r["missing"] > 0), max((r["missing"] for r in short), default=None)),
        _checked("unknown (type, subtype, triplet) pairs", sum(r["sections"] for r in sections), sum(row["unknown_items"] for row in unknown)),
        _beyond("pages of page sets = sum of their parts", data.raw("qis1"), "total_pages - unused_pages - persistent_pages - nonpersistent_pages", "off != 0"),
        _beyond("control intervals written = sum of the log copies", log, "log_closure_error", "off > 2 or off < -2"),
        _checked("queue blocks of tasks = blocks in the records", sum(r["tasks_checked"] for r in blocks), sum(r["tasks_failed"] for r in blocks), sum(r["blocks_missing"] for r in blocks) if blocks else None, blocks),
        _beyond("dispatcher time = busy + idle", where(data.view("chinit_task"), "task_type == 'dispatcher'"), "unaccounted_us", "off > 0.01 * interval_us or off < -0.01 * interval_us"),
        _checked("intervals that overlap", len(cuts), len(where(cuts, "overlap_seconds > 1")), max(known(r["overlap_seconds"] for r in cuts), default=None), where(cuts, "overlap_seconds > 1")),
        _checked("task times longer than the task interval", sum(r["tasks_checked"] for r in times), sum(r["tasks_over"] for r in times), max(longer_times, default=None), where(times, "tasks_over > 0")),
        _checked("latch times shifted by 32 bits (corrected)", sum(r["tasks_checked"] for r in times), sum(r["latch_times_shifted"] for r in times)),
        _checked("pools in accounting that differ from the page set (corrected)", sum(r["queue_blocks_seen"] for r in pools), sum(r["queue_blocks_seen"] for r in pools if r["pool_differs"]), of=where(pools, "pool_differs")),
        _checked("more free buffers than the pool has", len(stealable), len(overs), max(overs, default=None), where(stealable, "over > 0")),
        _checked("counters below zero", sum(r["lowest_counter"] is not None for r in negative), len(below), max(below, default=None), where(negative, "lowest_counter < 0")),
        _checked("duplicate records", len(own), len(data.view("record_duplicate")), of=data.view("record_duplicate")),
    ]  # fmt: skip
