"""Coupling facility, shared message data sets and Db2."""

from __future__ import annotations

from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import computed, grouped, groups, joined, judgeable, where
from tests.oracle.pools import fact, site
from tests.oracle.records import CUT, QMGR, in_interval

STRUCTURE = "lpar qmgr cf_structure"
REQUESTS = {
    **{
        "definition delete" if what == "delete" else what: (f"db2_{what}s", what)
        for what in ("delete", "list", "read", "update", "write")
    },
    **{f"SCST {what}": (f"scst_{what}s", f"scst_{what}") for what in ("select", "insert", "update", "delete")},
    **{f"SSKT {what}": (f"sskt_{what}s", f"sskt_{what}") for what in ("select", "insert", "delete")},
    **{f"BLOB {what}": (f"blob_{what}s", f"blob_{what}") for what in ("select", "insert", "update", "delete", "list")},
}
"""The types of Db2 requests with the column of their number (DELECNT ... LMSLIS) and the beginning of their times
(DELETCUW, DELETMXW, DELESCUW, DELESMXW ...)."""


@view("sharing_member", QMGR)
def sharing_member(data: Data) -> list[Row]:
    db2 = {
        (r["lpar"], r["qmgr"]): r
        for r in grouped(data.raw("q5st"), QMGR, "db2 = any(db2_servers_active > 0 or db2_connects > 0)")
    }
    cf = {
        (r["lpar"], r["qmgr"]): r
        for r in grouped(data.raw("qest_structure"), QMGR, "cf = any(single_calls + multiple_calls > 0)")
    }
    rows = joined(joined(data.view("queue_sharing_group"), db2, QMGR, "db2"), cf, QMGR, "cf")
    return computed(
        rows,
        """
        member_from = qsg_from if qsg is not None else 'db2' if db2 else 'cf' if cf else None
        group_member = member_from is not None
        """,
    )


def of_member(data: Data, rows: list[Row]) -> list[Row]:
    return joined(rows, data.by("sharing_member", "lpar", "qmgr"), QMGR, "group_member")


@view("cf_structure", f"{CUT} cf_structure")
def cf_structure(data: Data) -> list[Row]:
    rows = of_member(data, data.raw("qest_structure"))
    rows = fact(data, rows, "cf_entries_by_structure", "cf_structure", "cf_entries")
    rows = fact(data, rows, "cf_elements_by_structure", "cf_structure", "cf_elements")
    return in_interval(
        data, rows,
        """
        cf_calls = single_calls + multiple_calls
        cf_calls_per_s = cf_calls / interval_seconds
        single_calls_per_s = single_calls / interval_seconds
        multiple_calls_per_s = multiple_calls / interval_seconds
        average_single_us = single_call_us / single_calls
        average_multiple_us = multiple_call_us / multiple_calls
        single_redrive_pct = 100 * single_redrives / single_calls
        multiple_redrive_pct = 100 * multiple_redrives / multiple_calls
        redrive_pct = 100 * (single_redrives + multiple_redrives) / cf_calls
        elements_per_entry = elements_high / entries_high
        runs_out_first = None if entries_high is None or entries_high == 0 else 'entries' if elements_per_entry < 6 else 'elements' if elements_per_entry > 6 else 'balanced'
        admin_structure = cf_structure == 'CSQ_ADMIN' or structure_number == 0
        elements_mib = elements_high * 256 / MIB
        entries_used_pct = 100 * entries_high / cf_entries
        elements_used_pct = 100 * elements_high / cf_elements
        capacity_used_pct = greatest(entries_used_pct, elements_used_pct)
        """,
    )  # fmt: skip


@view("cf_structure_usual", f"{CUT} cf_structure")
def cf_structure_usual(data: Data) -> list[Row]:
    rows = filter(judgeable, where(data.view("cf_structure"), "not startup_interval and not suspect_first"))
    usual = {}
    for row in grouped(
        rows, STRUCTURE,
        """
        single_usual_us = median(average_single_us, where=single_calls >= 1000)
        single_usual_intervals = count(where=single_calls >= 1000)
        multiple_usual_us = median(average_multiple_us, where=multiple_calls >= 1000)
        multiple_usual_intervals = count(where=multiple_calls >= 1000)
        """,
    ):  # fmt: skip
        usual[row["lpar"], row["qmgr"], row["cf_structure"]] = row
    columns = "single_usual_us single_usual_intervals multiple_usual_us multiple_usual_intervals"
    return computed(
        joined(data.view("cf_structure"), usual, STRUCTURE, columns),
        """
        single_times_usual = average_single_us / single_usual_us
        multiple_times_usual = average_multiple_us / multiple_usual_us
        """,
    )


@view("admin_structure_room", QMGR)
def admin_structure_room(data: Data) -> list[Row]:
    """MP16: CSQ_ADMIN needs entries for each member of the group."""
    rows = joined(data.view("sharing_member"), site(data), QMGR, "csq_admin_entsmax")
    rows = where(rows, "group_member and qsg is not None and csq_admin_entsmax is not None")
    members = groups(where(data.view("sharing_member"), "group_member"), "qsg")
    for row in rows:
        row["group_members"] = len({member["qmgr"] for member in members[row["qsg"],]})
    return computed(
        rows,
        """
        admin_entries = csq_admin_entsmax
        admin_entries_per_member = floor(csq_admin_entsmax / (group_members + 1))
        """,
    )


@view("smds", f"{CUT} cf_structure")
def smds(data: Data) -> list[Row]:
    stuck = data.by("expansion", "record_id", "expanding_object")
    rows = data.raw("qesd")
    for row in rows:
        row["did_not_expand"] = stuck[row["record_id"], f"structure {row['cf_structure']}"]["did_not_expand"]
    return in_interval(
        data, rows,
        """
        smds_used_pct = 100 * smds_used_blocks / smds_data_blocks
        smds_used_high_pct = 100 * smds_used_blocks_high / smds_data_blocks
        smds_allocated_mib = high_allocated_cis * ci_bytes / MIB
        smds_high_used_mib = high_used_cis * ci_bytes / MIB
        smds_percent_of_16_tib = 100 * high_allocated_cis * ci_bytes / 17592186044416
        at_largest = high_allocated_cis * ci_bytes >= 0.999 * 17592186044416
        smds_buffer_mib = smds_buffers * buffer_bytes / MIB
        buffer_wait_pct = 100 * (pool_waits + busy_buffer_waits) / buffer_gets
        average_pool_wait_us = pool_wait_us / pool_waits
        average_busy_buffer_wait_us = busy_buffer_wait_us / busy_buffer_waits
        smds_reads_saved_pct = 100 * smds_reads_saved / smds_read_requests
        buffer_valid_pct = 100 * buffer_gets_valid / buffer_gets
        remote_read_share_pct = 100 * remote_read_ios / (smds_read_ios + remote_read_ios)
        average_smds_write_us = smds_write_io_us / smds_write_ios
        average_smds_read_us = smds_read_io_us / smds_read_ios
        average_remote_read_us = remote_read_io_us / remote_read_ios
        average_format_us = format_io_us / format_ios
        pages_per_smds_write = smds_write_pages / smds_write_ios
        pages_per_smds_read = smds_read_pages / smds_read_ios
        smds_mib_per_s = (smds_write_pages + smds_read_pages + remote_read_pages) * ci_bytes / MIB / interval_seconds
        overlapped_buffers = least(10, floor(4194304 / buffer_bytes)) if buffer_bytes > 0 else None
        smds_encryption_cpu_us = (0.7 * smds_write_pages + 0.7 * smds_read_pages + 0.8 * remote_read_pages) * ci_bytes / 4096 if smds_encrypted else None
        """,
    )  # fmt: skip


@view("smds_io", f"{CUT} cf_structure io_kind")
def smds_io(data: Data) -> list[Row]:
    out: list[Row] = []
    for kind, name in (("writes", "smds_write"), ("reads", "smds_read"), ("reads from other members", "remote_read")):
        rows = [row for row in data.view("smds") if row[f"{name}_ios"]]
        out += computed(
            ({**row, "io_kind": kind} for row in rows),
            f"smds_ios = {name}_ios\naverage_smds_io_us = {name}_io_us / {name}_ios\npages_per_smds_io = {name}_pages / {name}_ios",
        )
    return out


@view("smds_period", STRUCTURE)
def smds_period(data: Data) -> list[Row]:
    return grouped(
        data.view("smds"), STRUCTURE,
        """
        record_id = top(record_id, interval_start_utc)
        smds_buffers = top(smds_buffers, interval_start_utc)
        buffer_bytes = top(buffer_bytes, interval_start_utc)
        smds_buffer_mib = top(smds_buffer_mib, interval_start_utc)
        overlapped_buffers = top(overlapped_buffers, interval_start_utc)
        at_largest = top(at_largest, interval_start_utc)
        smds_allocate_requests = sum(smds_allocate_requests)
        buffers_used_high = max(buffers_used_high)
        buffers_used_share = buffers_used_high / smds_buffers
        smds_read_requests = sum(smds_read_requests)
        smds_reads_saved = sum(smds_reads_saved)
        reads_saved_period_pct = 100 * smds_reads_saved / smds_read_requests if smds_read_requests > 0 else 0.0
        interval_start_utc = max(interval_start_utc)
        """,
    )  # fmt: skip


@view("db2", CUT)
def db2(data: Data) -> list[Row]:
    return in_interval(
        data, of_member(data, data.raw("q5st")),
        """
        db2_definition_requests = db2_deletes + db2_lists + db2_reads + db2_updates + db2_writes
        db2_channel_requests = scst_selects + scst_inserts + scst_updates + scst_deletes + sskt_selects + sskt_inserts + sskt_deletes
        db2_blob_requests = blob_selects + blob_inserts + blob_updates + blob_deletes + blob_lists
        db2_requests = db2_definition_requests + db2_channel_requests + db2_blob_requests
        db2_requests_per_s = db2_requests / interval_seconds
        blob_messages_net = blob_inserts - blob_deletes
        """,
    )  # fmt: skip


@view("db2_request", f"{CUT} request_type")
def db2_request(data: Data) -> list[Row]:
    out: list[Row] = []
    for kind, (number, times) in REQUESTS.items():
        columns: dict[str, Any] = {
            "request_count": number,
            "thread_total_us": f"{times}_thread_us",
            "thread_max_us": f"{times}_thread_longest_us",
            "sql_total_us": f"{times}_sql_us",
            "sql_max_us": f"{times}_sql_longest_us",
        }
        out += [
            {**row, "request_type": kind, **{name: row[source] for name, source in columns.items()}}
            for row in of_member(data, data.raw("q5st"))
        ]
    return in_interval(
        data, out,
        """
        average_thread_us = thread_total_us / request_count
        average_sql_us = sql_total_us / request_count
        average_server_wait_us = greatest(0, thread_total_us - sql_total_us) / request_count if request_count is not None else None
        """,
    )  # fmt: skip


@view("db2_time", CUT)
def db2_time(data: Data) -> list[Row]:
    return grouped(
        data.view("db2_request"), f"{CUT} record_id interval_seconds group_member",
        """
        db2_timed_requests = sum(request_count)
        db2_thread_total_us = sum(thread_total_us)
        db2_sql_total_us = sum(sql_total_us)
        db2_average_thread_us = db2_thread_total_us / db2_timed_requests
        db2_outside_sql_pct = 100 * (db2_thread_total_us - db2_sql_total_us) / db2_thread_total_us
        """,
    )  # fmt: skip
