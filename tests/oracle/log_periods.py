"""The log over the whole period, and how long a restart would take."""

from __future__ import annotations

from tests.oracle import Data, Row, view
from tests.oracle.applications import sums
from tests.oracle.formulas import MIB, PAGE, computed, grouped, groups, joined, level, where
from tests.oracle.pools import site
from tests.oracle.records import QMGR


@view("log_period", QMGR)
def log_period(data: Data) -> list[Row]:
    names = "archive_copies active_logs active_log_mb log_stripes metro_mirror zhl_other_sessions logload"
    out = grouped(
        joined(data.view("log"), site(data), QMGR, names), "lpar qmgr qsg",
        sums("cis_created cis_offloaded archive_write_allocations copy1_cis copy2_cis log_writes checkpoints compress_requests compress_failures compress_bytes_in compress_bytes_out".split())
        + sums("new_logs_zhyperwrite_capable new_logs_zhyperwrite_enabled new_logs_zhyperlink_capable new_logs_zhyperlink_enabled new_logs_encrypted zhl_requests".split())
        + """
mq_version = top(mq_version, interval_start_utc, -record_id)
record_id = earliest(record_id, -cis_created, interval_start_utc, where=cis_created is not None)
intervals = count()
interval_hours = rounded(sum(interval_seconds)) / 3600
log_copies = max(log_copies)
log_switches = sum(new_logs_copy1)
log_mib_created = cis_created * PAGE / MIB
log_mib_per_h = log_mib_created / interval_hours
peak_mib_per_s = max(log_created_mib_per_s, where=not first(fragment, interval_seconds < 10))
offloaded_mib = cis_offloaded * PAGE / MIB
log_end_utc = max(interval_end_utc)
one_log_mib = max(active_log_mb)
active_log_mib = one_log_mib * max(active_logs)
retention_h = active_log_mib / log_mib_per_h
compression_pct = 100 * (1 - compress_bytes_out / compress_bytes_in)
compress_failure_pct = 100 * compress_failures / compress_requests
new_logs = sum(new_logs_copy1 + new_logs_copy2)
zhyperwrite_unused_logs = greatest(0, new_logs_zhyperwrite_capable - new_logs_zhyperwrite_enabled) if new_logs_zhyperwrite_capable is not None else None
zhyperlink_unused_logs = greatest(0, new_logs_zhyperlink_capable - new_logs_zhyperlink_enabled) if new_logs_zhyperlink_capable is not None else None
median_mib_per_checkpoint = median(log_mib_created / checkpoints, where=checkpoints > 0)
worst_mib_per_checkpoint = max(log_mib_created / checkpoints, where=checkpoints > 0)
log_size_at_most_mib = log_mib_created / (log_switches - 1) if log_switches > 1 else None
per_switch = offloaded_mib / log_switches if log_switches > 0 and cis_offloaded <= cis_created else None
per_data_set = offloaded_mib * max(archive_copies) / archive_write_allocations if log_switches is None else None
log_size_mib = greatest(log_mib_created / (log_switches + 1), per_switch) if log_switches > 0 else per_data_set
logload_declared = any(logload is not None)
site_logload = max(logload)
fast_write_unused_logs = zhyperwrite_unused_logs + first(zhyperlink_unused_logs, 0)
zhl_used = new_logs_zhyperlink_enabled > 0 or zhl_requests > 0
mirrors = max(2 if metro_mirror else 1 if metro_mirror is not None else None)
zhl_write_sessions = (2 if copy2_cis > 0 else 1) * max(log_stripes) * mirrors if zhl_used else None
other_sessions = max(zhl_other_sessions)
""",
    )  # fmt: skip
    facts = site(data)
    longest = groups(where(data.view("log_io"), "log_copy == 1 and io_longest_log >= 'A'"), QMGR)
    logs = groups(data.view("log"), QMGR)
    needed = [row["zhl_write_sessions"] for row in out if row["zhl_write_sessions"] is not None]
    others = max((row["other_sessions"] for row in out if row["other_sessions"] is not None), default=None)
    for row in out:
        key = (row["lpar"], row["qmgr"])
        row["active_logs_seen"] = len({each["io_longest_log"] for each in longest[key]}) if key in longest else None
        row["zhl_sessions_together"] = (
            sum(needed) + others if row["zhl_write_sessions"] is not None and others is not None else None
        )
        row.update(_plain(logs[key]))
        row.update(_waiting(logs[key]))
        mine = facts.get(key) or {}
        for name in ("single_logging_accepted", "offload_off_accepted", "low_logload_accepted"):
            row[name] = mine.get("role") == "test" if mine.get(name) is None else mine[name]
    return computed(
        out,
        """
        unarchived_log_mib = first(one_log_mib, greatest(log_size_mib, unswitched_mib) if log_switches > 0 else None)
        unarchived_logs = unarchived_mib / unarchived_log_mib
        logload_at_most = plain_log_writes / plain_spans
        logload_in_force = first(site_logload, logload_at_most)
        estimated = 'at most, estimated from ' + text(plain_checkpoints) + ' checkpoints in ' + thousands(plain_log_writes) + ' log writes'
        logload_basis = 'according to the site file' if site_logload is not None else estimated
        """,
    )


def _waiting(rows: list[Row]) -> Row:
    """Definition of the backlog: the largest sum of (QJSTBFFL - QJSTCIOF) * 4 KiB over trailing intervals; and the most
    data between two switches.
    """
    total = most = between = 0
    since = unswitched = after = None
    trailing = True
    for row in sorted(rows, key=lambda row: row["interval_start_utc"], reverse=True):
        trailing = trailing and (after is None or after - row["interval_end_utc"] <= 2_000_000)
        if trailing:
            total += (row["cis_created"] or 0) - (row["cis_offloaded"] or 0)
            if total > most:
                most, since = total, row["interval_start_utc"]
        joined_next = after is not None and after - row["interval_end_utc"] <= 2_000_000
        between = (between if joined_next else 0) + (row["cis_created"] or 0) if row["new_logs_copy1"] == 0 else 0
        if row["new_logs_copy1"] == 0:
            unswitched = max(between, unswitched or 0)
        trailing, after = trailing and not row["startup_interval"], row["interval_start_utc"]
        if row["startup_interval"]:
            between = 0
    return {
        "unarchived_mib": most * PAGE / MIB,
        "unarchived_since_utc": since,
        "unswitched_mib": None if unswitched is None else unswitched * PAGE / MIB,
    }


def _plain(rows: list[Row]) -> Row:
    """Log writes and checkpoints in stretches without switch, restart or gap; switches are counted since 9.1.2, and
    take a checkpoint since 9.0.
    """
    stretches: list[list[Row]] = [[]]
    before: Row | None = None
    unknown = True
    for row in sorted(rows, key=lambda row: row["interval_start_utc"]):
        switched = (
            False
            if level(row["mq_version"]) < 90_000
            else None
            if row["new_logs_copy1"] is None
            else row["new_logs_copy1"] > 0
        )
        gap = before is not None and row["interval_start_utc"] > before["interval_end_utc"] + 2_000_000
        if switched or row["startup_interval"] or gap:
            stretches.append([])
        if switched is False:
            stretches[-1].append(row)
            unknown = False
        before = row
    pairs = [(sum(r["log_writes"] or 0 for r in s), sum(r["checkpoints"] or 0 for r in s)) for s in stretches]
    pairs = [(writes, taken) for writes, taken in pairs if taken > 1]
    names = ("plain_log_writes", "plain_checkpoints", "plain_spans")
    if unknown:
        return dict.fromkeys(names)
    return dict(
        zip(names, (sum(w for w, _ in pairs), sum(c for _, c in pairs), sum(c - 1 for _, c in pairs)), strict=True)
    )


@view("log_restart", QMGR)
def log_restart(data: Data) -> list[Row]:
    """Catalogue, log/restart_exposure: read rates 800 and 450 MiB/s, 140 us a page, 54,400 messages a second."""
    names = "log_read_forward_mib_per_s log_read_backward_mib_per_s page_read_us"
    rows = joined(data.view("log_period"), site(data), QMGR, names)
    tasks, blocks, queues = (groups(data.raw(name), QMGR) for name in ("wtas", "wq", "qqst"))
    page_sets = groups(data.raw("qis1"), QMGR)
    for row in rows:
        key = (row["lpar"], row["qmgr"])
        ages = [
            t["task_interval_end_utc"] - t["task_start_utc"]
            for t in tasks.get(key, ())
            if t["commits"] == 0 and t["task_log_bytes"] > 0
        ]
        row["oldest_task_s"] = max(ages, default=0) / 1e6 if key in tasks else None
        indexed = {block["base_name"] for block in blocks.get(key, ()) if (block["index_type_code"] or 0) > 0}
        waiting = 0
        for (queue,), members in groups(queues.get(key, []), "queue").items():
            taken = sum(
                r["persistent_mqputs"] + r["persistent_mqput1s"]
                for r in members
                if None not in (r["persistent_mqputs"], r["persistent_mqput1s"])
            )
            if queue in indexed and taken > 0 and not any(r["shared_queue"] for r in members):
                known = [r for r in members if r["depth"] is not None]
                waiting += max(known, key=lambda r: r["interval_start_utc"])["depth"] if known else 0
        row["indexed_persistent_messages"] = waiting if key in queues and key in blocks else None
        persistent = {p["page_set_id"] for p in page_sets.get(key, ()) if (p["persistent_pages"] or 0) > 0}
        row["persistent_page_sets"] = len(persistent) if key in page_sets else None
        row["read_rates_assumed"] = any(row[name] is None for name in names.split())
    return computed(
        rows,
        """
        forward = first(log_read_forward_mib_per_s, 800)
        backward = first(log_read_backward_mib_per_s, 450)
        page_us = first(page_read_us, 140)
        phase2_s = worst_mib_per_checkpoint / forward
        forward_mib = 2 * worst_mib_per_checkpoint
        forward_log_s = forward_mib / forward
        pages = forward_mib * MIB / PAGE
        forward_pages_max = ceil(pages)
        forward_pages_best_s = 0.1 * pages * page_us / 1e6
        forward_pages_worst_s = pages * page_us / 1e6
        backward_mib = log_mib_per_h / 3600 * oldest_task_s
        backward_s = backward_mib / backward
        index_rebuild_s = indexed_persistent_messages / 54400
        restart_best_s = phase2_s + forward_log_s + forward_pages_best_s
        sure = phase2_s + greatest(forward_log_s, forward_pages_worst_s)
        restart_at_least_s = sure + first(backward_s, 0) + first(index_rebuild_s, 0)
        restart_worst_s = sure + backward_s + index_rebuild_s
        restart_parts_unknown = ('backwards, indexes' if index_rebuild_s is None else 'backwards') if backward_s is None else 'indexes' if index_rebuild_s is None else None
        log_read_forward_mib_per_s = forward
        log_read_backward_mib_per_s = backward
        page_read_us = page_us
        """,
    )
