"""Log manager."""

from __future__ import annotations

from tests.oracle import Data, Row, view
from tests.oracle.formulas import computed, grouped, groups, joined, level, unsigned, where
from tests.oracle.pools import site
from tests.oracle.records import CUT, QMGR, in_interval

PER_COPY = """
copy1_cis = sum(io_cis, where=log_copy == 1)                     # QJSTIOCI of both types
copy2_cis = sum(io_cis, where=log_copy == 2)
copy1_io_us = sum(io_total_us, where=log_copy == 1)              # QJSTIOTOTIO
copy2_io_us = sum(io_total_us, where=log_copy == 2)
copy1_request_us = sum(request_total_us, where=log_copy == 1)    # QJSTIOTOTSUS
copy2_request_us = sum(request_total_us, where=log_copy == 2)
one_page_ios = sum(io_count, where=log_copy == 1 and io_type == 1)
one_page_us = sum(io_total_us, where=log_copy == 1 and io_type == 1)
longest_log_io_us = max(io_longest_us)
"""
SITE = "archive_copies metro_mirror active_logs active_log_mb log_stripes log_peak_mb_s zhl_pfids logload log_read_forward_mib_per_s"


def with_site(data: Data, rows: list[Row], columns: str) -> list[Row]:
    return joined(rows, site(data), QMGR, columns)


@view("log", CUT)
def log(data: Data) -> list[Row]:
    """QJST with its table of log I/O (two copies, two types); a copy without I/O has 0 where the record has the
    table.
    """
    per_copy = {(row["record_id"],): row for row in grouped(data.raw("qjst_log_io"), "record_id", PER_COPY)}
    names = [line.partition(" = ")[0] for line in PER_COPY.split("\n") if line]
    rows = joined(unsigned(data.raw("qjst"), "qjst", 1), per_copy, "record_id", " ".join(names))
    for row in rows:
        if row["has_log_io"]:
            row.update(
                {
                    name: row[name] or 0
                    for name in names
                    if (row["record_id"],) not in per_copy or name != "longest_log_io_us"
                }
            )
        else:
            row.update(dict.fromkeys(names))
    return in_interval(
        data, with_site(data, rows, SITE),
        """
        log_writes = log_writes_wait + log_writes_nowait + log_writes_force
        log_reads = log_reads_buffer + log_reads_active + log_reads_archive
        log_buffer_wait_pct = 100 * log_buffer_waits / cis_created
        archive_read_pct = 100 * log_reads_archive / log_reads
        reads_delayed_pct = 100 * tape_contention_delays / log_reads
        read_write_ratio = log_reads / log_writes
        log_copies = 2 if copy2_cis > 0 else 1 if copy1_cis > 0 else None
        log_mib_created = cis_created * PAGE / MIB
        log_created_mib_per_s = log_mib_created / interval_seconds
        log_created_mib_per_h = 3600 * log_created_mib_per_s
        log_written_mib_per_s = cis_written * PAGE / MIB / interval_seconds
        copy1_mib_per_s = copy1_cis * PAGE / MIB / interval_seconds
        copy2_mib_per_s = copy2_cis * PAGE / MIB / interval_seconds
        pages_per_log_io = cis_written / log_write_requests
        rewritten_cis = copy1_cis - cis_created
        rewritten_pct = 100 * rewritten_cis / copy1_cis
        zhl_sync_us = first(zhl_total_1ci_us, 0) + first(zhl_total_multi_us, 0)
        logger_task_busy_pct = 100 * (interval_us - logger_idle_us) / interval_us
        logger_io_busy_pct = 100 * greatest(copy1_request_us, first(copy2_request_us, 0)) / interval_us if copy1_request_us is not None else None
        logger_io_busy_by_io_time_pct = 100 * greatest(0, greatest(copy1_io_us, first(copy2_io_us, 0)) - zhl_sync_us) / interval_us if copy1_io_us is not None else None
        logger_spin_pct = 100 * zhl_sync_us / interval_us
        io_standard_deviation_us = sqrt(greatest(0, io_time_sum_squares / one_page_ios - (one_page_us / one_page_ios) ** 2)) if one_page_ios > 0 and io_time_sum_squares is not None else None
        log_switch_checkpoints = 0 if level(mq_version) < 90000 else least(checkpoints, new_logs_copy1) if new_logs_copy1 is not None else None
        log_writes_per_checkpoint = log_writes / checkpoints
        estimated_logload = log_writes / (checkpoints - log_switch_checkpoints)
        minutes_per_checkpoint = interval_seconds / 60 / checkpoints
        minutes_per_log_switch = interval_seconds / 60 / new_logs_copy1
        mib_per_log_switch = copy1_cis * PAGE / MIB / new_logs_copy1
        offload_pct = 100 * cis_offloaded / cis_created
        compression_pct = 100 * (1 - compress_bytes_out / compress_bytes_in)
        zhl_requests = zhl_requests_1ci + zhl_requests_multi
        zhl_sync = zhl_sync_1ci + zhl_sync_multi
        zhl_async = zhl_async_1ci + zhl_async_multi
        zhl_switch = zhl_switch_1ci + zhl_switch_multi
        zhl_sync_pct = 100 * zhl_sync / zhl_requests
        zhl_async_pct = 100 * zhl_async / zhl_requests
        zhl_async_pct_without_switch = 100 * greatest(0, zhl_async - zhl_switch) / zhl_requests if zhl_async is not None and zhl_switch is not None else None
        zhl_average_1ci_us = zhl_total_1ci_us / zhl_sync_1ci
        zhl_average_multi_us = zhl_total_multi_us / zhl_sync_multi
        zhl_async_per_switch = zhl_switch / new_logs_copy1
        zhl_pages_per_switch = zhl_switch_cis / new_logs_copy1
        dasd_mib_per_s = copy1_mib_per_s * (log_copies + (archive_copies if cis_offloaded > 0 else 0) + (log_copies if metro_mirror else 0)) if metro_mirror is not None else None
        log_closure_error = cis_written - copy1_cis - copy2_cis
        """,
    )  # fmt: skip


@view("log_io", f"{CUT} log_copy io_type")
def log_io(data: Data) -> list[Row]:
    rows = in_interval(
        data, where(data.raw("qjst_log_io"), "io_count > 0"),
        """
        average_io_us = io_total_us / io_count
        average_after_io_us = (request_total_us - io_total_us) / io_count
        pages_per_io = io_cis / io_count
        io_per_s = io_count / interval_seconds
        io_mib_per_s = io_cis * PAGE / MIB / interval_seconds
        """,
    )  # fmt: skip
    average = {(r["record_id"], r["io_type"], r["log_copy"]): r["average_io_us"] for r in rows}
    for row in rows:
        one, two = (average.get((row["record_id"], row["io_type"], copy)) for copy in (1, 2))
        row["copy_ratio"] = None if not one or two is None else two / one
    return rows


@view("log_copy", f"{CUT} log_copy")
def log_copy(data: Data) -> list[Row]:
    rows = grouped(
        data.view("log_io"), f"{CUT} log_copy qsg mq_version source_id record_id interval_end_utc interval_start_local interval_seconds fragment startup_interval suspect_first",
        """
        io_count = sum(io_count)
        io_cis = sum(io_cis)
        longest_write_us = max(io_longest_us)
        longest_write_at_utc = top(io_longest_at_utc, io_longest_us, -io_type)
        longest_write_log = top(io_longest_log, io_longest_us, -io_type)
        longest_wait_us = max(request_longest_us)
        longest_wait_at_utc = top(request_longest_at_utc, request_longest_us, -io_type)
        longest_wait_log = top(request_longest_log, request_longest_us, -io_type)
        longest_stall_us = greatest(longest_write_us, longest_wait_us)
        longest_stall_at_utc = longest_wait_at_utc if longest_wait_us > first(longest_write_us, -1) else longest_write_at_utc
        longest_stall_log = longest_wait_log if longest_wait_us > first(longest_write_us, -1) else longest_write_log
        """,
    )  # fmt: skip
    written = groups(rows, "lpar qmgr log_copy")
    for row in rows:
        mine = written[row["lpar"], row["qmgr"], row["log_copy"]]
        row["copy_intervals"] = len({each["interval_start_utc"] for each in mine})
    return rows


@view("log_copy_pair", CUT)
def log_copy_pair(data: Data) -> list[Row]:
    ios = {}
    for row in grouped(
        data.view("log_io"), "record_id",
        """
        copy1_writes_ = sum(io_count, where=log_copy == 1)
        copy2_writes_ = sum(io_count, where=log_copy == 2)
        us1 = sum(io_total_us, where=log_copy == 1)
        us2 = sum(io_total_us, where=log_copy == 2)
        one1 = sum(average_io_us, where=log_copy == 1 and io_type == 1)
        one2 = sum(average_io_us, where=log_copy == 2 and io_type == 1)
        more1 = sum(average_io_us, where=log_copy == 1 and io_type == 2)
        more2 = sum(average_io_us, where=log_copy == 2 and io_type == 2)
        one_count1 = sum(io_count, where=log_copy == 1 and io_type == 1)
        one_count2 = sum(io_count, where=log_copy == 2 and io_type == 1)
        more_count1 = sum(io_count, where=log_copy == 1 and io_type == 2)
        more_count2 = sum(io_count, where=log_copy == 2 and io_type == 2)
        """,
    ):  # fmt: skip
        ios[row["record_id"],] = row
    names = "us1 us2 copy1_writes_ copy2_writes_ one1 one2 more1 more2 one_count1 one_count2 more_count1 more_count2"
    rows = computed(
        with_site(data, joined(data.view("log"), ios, "record_id", names), "single_logging_accepted"),
        """
        single_logging_accepted = first(single_logging_accepted, False)
        copy1_writes = first(copy1_writes_, 0) if has_log_io else None
        copy2_writes = first(copy2_writes_, 0) if has_log_io else None
        copies_differ_pct = 100 * magnitude(copy1_cis - copy2_cis) / greatest(copy1_cis, copy2_cis)
        fuller_copy_writes = greatest(copy1_writes, copy2_writes)
        one_page_fewest_writes = least(one_count1, one_count2) if one_count1 is not None and one_count2 is not None else None
        one_page_slower_ratio = (one1 / one2 if one1 > one2 else one2 / one1) if one1 > 0 and one2 > 0 else None
        several_page_fewest_writes = least(more_count1, more_count2) if more_count1 is not None and more_count2 is not None else None
        several_page_slower_ratio = (more1 / more2 if more1 > more2 else more2 / more1) if more1 > 0 and more2 > 0 else None
        copy1_average_io_us = us1 / copy1_writes
        copy2_average_io_us = us2 / copy2_writes
        slower_copy = 2 if copy2_average_io_us > copy1_average_io_us else 1 if copy2_average_io_us is not None and copy1_average_io_us is not None else None
        """,
    )
    for members in groups(rows, QMGR).values():
        both = False
        for row in sorted(members, key=lambda row: row["interval_start_utc"]):
            both = both or bool(row["copy1_cis"] and row["copy2_cis"])
            row["both_copies_before"] = None if row["copy1_cis"] is None else both
    return rows


@view("log_site", CUT)
def log_site(data: Data) -> list[Row]:
    return computed(
        data.view("log"),
        """
        busier_copy_mib_per_s = greatest(copy1_mib_per_s, copy2_mib_per_s)
        share_of_log_peak_pct = 100 * busier_copy_mib_per_s / log_peak_mb_s
        minutes_to_fill_one_log = active_log_mb / log_created_mib_per_s / 60
        zhl_path_busy_pct = logger_spin_pct / zhl_pfids if zhl_total_1ci_us is not None else None
        """,
    )


@view("log_hour", "lpar qmgr hour_start_utc")
def log_hour(data: Data) -> list[Row]:
    """The local hour in which an interval starts."""
    rows = computed(
        data.view("log"),
        """
        hour_local = hour(interval_start_local)
        hour_start_utc = hour_local - (interval_start_local - interval_start_utc)
        """,
    )
    return grouped(
        rows, "lpar qmgr hour_start_utc hour_local",
        """
        log_mib_created = sum(log_mib_created)
        hours = sum(interval_seconds) / 3600
        log_mib_per_h = log_mib_created / hours
        peak_mib_per_s = max(log_created_mib_per_s, where=not first(fragment, interval_seconds < 10))
        log_switches = sum(new_logs_copy1)
        shortest_minutes_per_switch = min(minutes_per_log_switch)
        one_log_mib = max(active_log_mb)
        minutes_to_fill_at_peak = one_log_mib / peak_mib_per_s / 60
        active_log_mib = one_log_mib * max(active_logs)
        retention_h = active_log_mib / log_mib_per_h
        offloaded_mib = sum(cis_offloaded) * PAGE / MIB
        offload_behind_mib = log_mib_created - offloaded_mib
        backup_interval_h = max(log_read_forward_mib_per_s) * 3600 / log_mib_per_h
        backup_interval_capped_h = least(backup_interval_h, retention_h) if backup_interval_h is not None else None
        """,
    )  # fmt: skip


@view("log_window", CUT)
def log_window(data: Data) -> list[Row]:
    out = []
    for members in groups(with_site(data, data.view("log"), "active_log_mb"), QMGR).values():
        for row in members:
            begin = row["interval_end_utc"] - 3_600_000_000
            inside = [
                other
                for other in members
                if begin - 30_000_000 <= other["interval_start_utc"] <= row["interval_start_utc"]
            ] or [row]
            old = (
                level(row["mq_version"]) < 90_000
            )  # MP16, 'Log manager': before 9.0 QJSTLLCP leaves out those at log switches
            ahead = {
                "window_seconds": sum(o["interval_seconds"] for o in inside),
                "window_checkpoints": sum(o["checkpoints"] for o in inside),
                "window_log_switches": None if all(o["new_logs_copy1"] is None for o in inside) else sum(o["new_logs_copy1"] or 0 for o in inside),
                "window_log_mib_created": sum(o["log_mib_created"] for o in inside),
                "checkpoint_counting": "checkpoints without those at log switches" if old else "all checkpoints",
            }  # fmt: skip
            out.append({**row, **ahead})
    return computed(
        out,
        """
        checkpoints_per_hour = window_checkpoints * 3600 / window_seconds if window_seconds > 3630 else window_checkpoints * 1.0
        interval_log_switches = new_logs_copy1
        interval_log_mib_created = log_mib_created
        interval_seconds_per_log = interval_seconds / new_logs_copy1 if new_logs_copy1 >= 2 else None
        seconds_per_log_by_switches = window_log_switches is not None
        seconds_per_log = (window_seconds / window_log_switches if window_log_switches >= 2 else None) if window_log_switches is not None else
            (active_log_mb / (window_log_mib_created / window_seconds) if window_seconds >= 1500 else None)
        """,
    )


__all__ = ["where"]
