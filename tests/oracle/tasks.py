"""Class 1 and class 3 accounting: connections, tasks and their queue blocks."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import AGGREGATES, DAY, HOUR, MINUTE, SECOND, computed, first, grouped, groups, joined, where
from tests.oracle.records import QMGR, with_qsg

CICS, IMS, CHANNEL = 1, (3, 4), 6
TYPES = {
    1: "CICS",
    2: "TSO or batch",
    3: "IMS control",
    4: "IMS MPP/BMP",
    5: "command server",
    6: "channel initiator",
    7: "RRS batch",
    8: "intra-group queuing",
}
"""The types of connecting system (QWHCATYP, WTIDATYP) as text."""
END_BACKOUTS = {CICS: 1, CHANNEL: 2}
"""Backout calls with which a task may end that undo nothing (MP16 for CICS; channel tasks that ended in real
records)."""
ENDED = 0x20000000
"""WTASFLAG of a record that is written at the end of a task."""
DYNAMIC = re.compile(r"[0-9A-F]{16}\Z")
BOTH = "lpar qmgr connection_job thread_reference"


def cut_text(text: str | None, start: int, end: int) -> str | None:
    """Characters of a thread cross-reference, counted from 1, without blanks; null if nothing is left."""
    part = (text or "")[start - 1 : end].strip(" \0")
    return part or None


def transaction(code: int | None, reference: str | None) -> str | None:
    """IBM, "Thread cross-reference data": CICS has the transaction in bytes 5 to 8, IMS the program (PSB) in bytes 5 to
    12.
    """
    if reference is None or code not in (CICS, *IMS):
        return None
    text = bytes.fromhex(reference).decode("cp037")
    return cut_text(text, 5, 8) if code == CICS else cut_text(text, 5, 12)


def caller(row: Row, job: str | None) -> str | None:
    """Job with the transaction; without a job the next name that is known, with what it names."""
    kind, program, user = (
        row["connection_type_name"],
        row["transaction"],
        first(row["operator_id"], row.get("user_or_transaction")),
    )
    if job is not None:
        return f"{job}/{program}" if program else job
    if program is not None and kind is not None:
        return f"{kind} {program}"
    return f"user {user}" if user is not None else kind


@view("task_identity", "record_id")
def task_identity(data: Data) -> list[Row]:
    out = []
    for given in data.raw("wtid"):
        row = dict(given)
        code = row["connection_type_code"]
        row["connection_type_name"] = TYPES.get(code, row["connection_type"])
        row["end_backouts"] = END_BACKOUTS.get(code)
        row["transaction"] = transaction(code, row["thread_reference"])
        number = (row["thread_reference"] or "")[16:24]
        row["cics_task_number"] = int(number, 16) if code == CICS and number != "40404040" else None
        channel = row["channel_name"] if code == CHANNEL else None
        row["channel_name"] = channel
        job, address = row["connection_job"], row["connection_name"]
        if channel:
            row["application"] = f"{channel} from {address}" if address else channel
            row["application_group"] = channel
        else:
            row["application"] = row["application_group"] = caller(row, job)
        out.append(row)
    return out


@view("connection_type", "connection_type_code")
def connection_type(data: Data) -> list[Row]:
    return [
        {"connection_type_code": code, "connection_type_name": name, "end_backouts": END_BACKOUTS.get(code)}
        for code, name in TYPES.items()
    ]


@view("task_continuation", "record_id")
def task_continuation(data: Data) -> list[Row]:
    """A 116.2 belongs to the last 116.1 before it in the input with the same correlator."""
    tasks = {row["record_id"]: row["task_correlator"] for row in data.raw("wtas")}
    blocks = {row["record_id"]: row["task_correlator"] for row in data.raw("wq")}
    last: dict[tuple[str, str, str], int] = {}
    out = []
    for row in sorted(data.raw("record"), key=lambda row: row["record_id"]):
        number = row["record_id"]
        if row["record_class"] == "116.1" and number in tasks:
            last[row["lpar"], row["qmgr"], tasks[number]] = number
        elif row["record_class"] == "116.2":
            correlator = blocks.get(number)
            out.append({"record_id": number, "task_record_id": last.get((row["lpar"], row["qmgr"], correlator or ""))})
    return out


@view("queue_use", "record_id section")
def queue_use(data: Data) -> list[Row]:
    continued = {row["record_id"]: row["task_record_id"] for row in data.view("task_continuation")}
    requests = groups(data.raw("wq_cf"), "record_id section")
    names = "application application_group connection_type_name channel_name operator_id"
    rows = with_qsg(data, joined(data.raw("wq"), data.by("task_identity", "record_id"), "record_id", names))
    tasks = data.by("decoded.wtas", "record_id")
    for row in rows:
        number = row["record_id"]
        row["task_record_id"] = continued.get(number, number)
        row["queue_group"] = DYNAMIC.sub("*", row["base_name"]) if row["base_name"] else row["base_name"]
        if number in continued:
            task = tasks.get((row["task_record_id"],))
            row.update(
                {
                    name: task[name] if task else None
                    for name in ("interval_start_utc", "interval_end_utc", "interval_start_local", "interval_us")
                }
            )
        mine = requests.get((number, row["section"]), [])
        issued = [(r, r["cf_sync_requests"] + r["cf_async_requests"]) for r in mine]
        row["queue_cf_requests"] = sum(count for _, count in issued) if row["has_cf"] else None
        row["queue_cf_us"] = sum(r["cf_sync_us"] + r["cf_async_us"] for r in mine) if row["has_cf"] else None
        row["cf_asynchronous"] = sum(r["cf_async_requests"] for r in mine)
        reads = [(r, count) for r, count in issued if (r["verb"], r["cf_operation"]) == (3, 10)]
        row["readlist_requests"] = sum(count for _, count in reads) if row["has_cf"] else None
        row["readlist_async_requests"] = sum(r["cf_async_requests"] for r, _ in reads) if row["has_cf"] else None
        row["move_requests"] = (
            sum(count for r, count in issued if (r["verb"], r["cf_operation"]) == (3, 12)) if row["has_cf"] else None
        )
    return computed(
        rows,
        """
        interval_seconds = interval_us / 1e6
        is_shared = queue_disposition_code == 2 or cf_structure is not None
        page_set_known = not (page_set_raw == 0 and pool_raw == 0)
        is_temporary_dynamic = open_name != base_name and queue_type_code in (1, 2) and not is_topic
        page_set_id = page_set_raw if page_set_known else None
        pool_id = pool_raw if page_set_known else None
        queue_mq_cpu_us = open_cpu_us + close_cpu_us + get_cpu_us + put_cpu_us + put1_cpu_us + inquire_cpu_us + set_cpu_us + first(callback_cpu_us, 0)
        queue_mq_et_us = open_et_us + close_et_us + get_et_us + put_et_us + put1_et_us + inquire_et_us + set_et_us + first(callback_et_us, 0)
        queue_mq_wait_us = greatest(0, queue_mq_et_us - queue_mq_cpu_us) if queue_mq_et_us is not None else None
        topic_srb_us = first(topic_open_srb_us, 0) + first(topic_put_srb_us, 0) + first(topic_put1_srb_us, 0) + first(topic_close_srb_us, 0)
        queue_calls = opens + closes + gets + puts + put1s + inquires + sets + first(callbacks, 0)
        gets_without_message = gets - (valid_gets if valid_gets is None or valid_gets < gets else gets)
        gets_per_valid_get = gets / valid_gets
        valid_get_pct = 100 * valid_gets / gets
        specific_gets = gets_specific + browses_specific
        any_gets = gets_any + browses_any
        browses = browses_any + browses_specific
        skipped_per_get = messages_skipped / gets
        pages_skipped_per_get = pages_skipped / gets
        average_get_et_us = get_et_us / gets
        average_get_cpu_us = get_cpu_us / gets
        average_put_et_us = put_et_us / puts
        average_put_cpu_us = put_cpu_us / puts
        average_put1_et_us = put1_et_us / put1s
        average_put1_cpu_us = put1_cpu_us / put1s
        average_open_et_us = open_et_us / opens
        average_open_cpu_us = open_cpu_us / opens
        average_close_et_us = close_et_us / closes
        average_close_cpu_us = close_cpu_us / closes
        max_gets_per_s_one_task = 1e6 / average_get_cpu_us
        average_put_bytes = put_bytes / valid_puts
        average_get_bytes = get_bytes / valid_gets
        average_time_on_queue_us = time_on_queue_total_us / first(valid_destructive_gets, valid_gets)
        persistent_messages = persistent_gets + persistent_mqputs + persistent_mqput1s
        persistent_put_pct = 100 * (persistent_mqputs + persistent_mqput1s) / valid_puts
        puts_to_waiting_getter = mqputs_to_waiting_getter + mqput1s_to_waiting_getter
        waiting_getter_pct = 100 * puts_to_waiting_getter / (puts + put1s)
        igq_puts = igq_mqputs + igq_mqput1s
        queue_log_writes = get_log_writes + put_log_writes + put1_log_writes + set_log_writes
        queue_log_forces = get_log_forces + put_log_forces + put1_log_forces + set_log_forces
        queue_log_force_us = get_log_force_us + put_log_force_us + put1_log_force_us + set_log_force_us
        queue_page_set_us = get_page_set_us + put_page_set_us + put1_page_set_us
        queue_suspend_us = get_suspend_us + put_suspend_us + put1_suspend_us + first(open_suspend_us, 0) + first(close_suspend_us, 0)
        opens_with_cf = opens - opens_without_cf if is_shared else None
        closes_with_cf = closes - closes_without_cf if is_shared else None
        puts_per_open = (puts + gets) / opens
        readlist_per_move = readlist_requests / move_requests
        queue_cf_async_pct = 100 * cf_asynchronous / queue_cf_requests
        """,
    )


@view("queue_use_cf", "record_id section verb_name cf_operation_name")
def queue_use_cf(data: Data) -> list[Row]:
    """The verbs of the table of CF requests: 1 open, 2 close, 3 get, 4 put, 5 put1."""
    calls = dict(enumerate(("opens", "closes", "gets", "puts", "put1s"), 1))
    use = data.by("queue_use", "record_id", "section")
    rows = joined(
        where(data.raw("wq_cf"), "cf_requests > 0 or cf_sync_requests > 0 or cf_async_requests > 0"),
        use,
        "record_id section",
        "base_name cf_structure application qsg opens closes gets puts put1s",
        inner=True,
    )
    return computed(
        ({**row, "verb_calls": row[calls[row["verb"]]]} for row in rows),
        """
        cf_issued = cf_sync_requests + cf_async_requests
        cf_retries = cf_issued - cf_requests
        cf_retry_pct = 100 * cf_retries / cf_issued
        cf_async_pct = 100 * cf_async_requests / cf_issued
        average_cf_sync_us = cf_sync_us / cf_sync_requests
        average_cf_async_us = cf_async_us / cf_async_requests
        cf_total_us = cf_sync_us + cf_async_us
        cf_us_per_verb = cf_total_us / verb_calls
        """,
    )


OF_QUEUES = """
queue_cpu_us = sum(queue_mq_cpu_us)
queue_et_us = sum(queue_mq_et_us)
queue_calls = sum(queue_calls)
task_puts = sum(valid_puts)
task_gets = sum(first(valid_destructive_gets, valid_gets))
task_browsed = sum(greatest(0, valid_gets - valid_destructive_gets) if valid_destructive_gets is not None else None)
put_bytes = sum(put_bytes)
get_bytes = sum(get_bytes)
shared_messages = sum(valid_puts + first(valid_destructive_gets, valid_gets), where=is_shared)
queue_topic_srb_us = sum(topic_srb_us)
blocks_seen = count()
queue_gets = sum(gets)
queue_log_forces = sum(queue_log_forces)
persistent_messages = sum(persistent_messages)
get_wait_us = sum(get_suspend_us)
"""
IDENTITY = "connection_type_code connection_type connection_type_name end_backouts transaction cics_task_number application application_group connection_job operator_id channel_name connection_name user_or_transaction thread_reference network_id unit_of_work_id accounting_token context_token"


@view("task", "record_id")
def task(data: Data) -> list[Row]:
    use = {
        (row["task_record_id"],): row
        for row in grouped(where(data.view("queue_use"), "task_record_id is not None"), "task_record_id", OF_QUEUES)
    }
    names = [line.partition(" = ")[0] for line in OF_QUEUES.split("\n") if line]
    latches = groups(data.raw("wtas_latch"), "record_id")
    rows = [dict(row) for row in data.raw("wtas")]
    for row in rows:
        mine = use.get((row["record_id"],))
        row.update(
            {
                name: first(
                    mine[name] if mine else None,
                    None
                    if (name == "task_browsed") is (mine is not None) and name in ("task_browsed", "queue_gets")
                    else 0,
                )
                for name in names
            }
        )
        waits = latches.get((row["record_id"],), [])
        # Where one class carries over its longest wait, the others are known.
        of_interval = [w for w in waits if w["latch_class_longest_us"] is not None]
        longest = max(of_interval, key=lambda w: (w["latch_class_longest_us"], -w["latch_class"]), default=None)
        known = row["has_latches"]
        row["latch_wait_us"] = sum(w["latch_class_wait_us"] or 0 for w in waits) if known else None
        row["latch_waits"] = sum(w["latch_class_waits"] or 0 for w in waits) if known else None
        if row["structure_version"] >= 8:  # WTASLMAX
            top = longest["latch_class_longest_us"] if longest else None if waits else 0
            row["longest_latch_wait_us"] = top if known else None
            row["longest_latch_class"] = longest["latch_class"] if longest and top else None
        else:  # WTASMLW, WTASMLWN
            carried = (
                None not in (row["longest_latch_us"], row["latch_wait_us"])
                and row["longest_latch_us"] > row["latch_wait_us"]
            )
            row["longest_latch_wait_us"] = None if carried else row["longest_latch_us"]
            row["longest_latch_class"] = row["longest_latch_class_raw"] or None
        # The record is written when the interval ends: one that ends exactly on the hour belongs to the hour before.
        offset = (row["gmt_offset_minutes"] or 0) * MINUTE
        end = row["task_interval_end_utc"]
        row["task_hour_start_local"] = None if end is None else (end + offset - SECOND) // HOUR * HOUR
        row["task_hour_start_utc"] = None if end is None else row["task_hour_start_local"] - offset
    rows = with_qsg(data, joined(rows, data.by("task_identity", "record_id"), "record_id", IDENTITY))
    return computed(
        rows,
        """
        interval_seconds = interval_us / 1e6
        task_interval_us = task_interval_end_utc - task_interval_start_utc
        task_ended = (task_flags & 536870912) != 0
        task_started_in_interval = task_start_utc >= task_interval_start_utc - 1000
        task_age_s = (task_interval_end_utc - task_start_utc) / 1e6
        other_verbs_cpu_us = other_cpu_us + commit_cpu_us + backout_cpu_us + first(prepare_cpu_us, 0) + first(subscribe_cpu_us, 0)
          + first(subscription_request_cpu_us, 0) + first(control_cpu_us, 0) + first(status_cpu_us, 0)
        other_verbs_et_us = other_et_us + commit_et_us + backout_et_us + first(prepare_et_us, 0) + first(subscribe_et_us, 0)
          + first(subscription_request_et_us, 0) + first(control_et_us, 0) + first(status_et_us, 0)
        mq_cpu_us = other_verbs_cpu_us + queue_cpu_us
        mq_et_us = other_verbs_et_us + queue_et_us
        mq_wait_us = greatest(0, mq_et_us - mq_cpu_us)
        mq_srb_us = first(control_srb_us, 0) + queue_topic_srb_us
        mq_calls = other_calls + commits + backouts + first(prepares, 0) + first(subscribes, 0) + first(subscription_requests, 0)
          + first(controls, 0) + first(statuses, 0) + queue_calls
        task_messages = task_puts + task_gets
        messages_per_commit = task_messages / commits
        commit_average_et_us = commit_et_us / commits
        commit_average_cpu_us = commit_cpu_us / commits
        commit_cost_per_message_us = commit_cpu_us / task_messages
        log_force_average_us = task_log_force_us / task_log_forces
        log_force_share_of_time_pct = 100 * task_log_force_us / mq_et_us
        log_forces_total = task_log_forces + queue_log_forces
        log_forces_per_persistent_message = log_forces_total / persistent_messages
        log_bytes_per_commit = task_log_bytes / commits
        two_phase_pct = 100 * prepares / commits
        at_end = greatest(0, end_backouts) if task_ended and end_backouts is not None else 0
        rollbacks = greatest(0, backouts - at_end)
        rollback_et_us = rollbacks * backout_et_us / greatest(1, backouts)
        cf_calls = single_calls + multiple_calls
        cf_call_us = single_call_us + multiple_call_us
        cf_calls_per_message = cf_calls / task_messages
        multiple_calls_per_get = multiple_calls / queue_gets
        mq_busy_pct = 100 * mq_et_us / task_interval_us
        mq_busy_without_get_wait_pct = 100 * greatest(0, mq_et_us - get_wait_us) / task_interval_us
        max_transactions_per_s = 1e6 * commits / mq_et_us
        cpu_per_message_us = mq_cpu_us / task_messages
        units_of_work = commits + rollbacks - (1 if connection_type_code == 6 and task_ended and commits > 0 and backouts < 2 else 0)
        missing_queue_blocks = greatest(0, queue_blocks - blocks_seen)
        """,
    )


@view("task_span", "lpar qmgr task_correlator")
def task_span(data: Data) -> list[Row]:
    out = []
    for key, rows in groups(data.view("task"), "lpar qmgr task_correlator").items():
        members = sorted(rows, key=lambda row: (row["task_interval_start_utc"], row["record_id"]))
        last = members[-1]
        start, end = (
            members[0]["task_interval_start_utc"],
            max(
                (row["task_interval_end_utc"] for row in members if row["task_interval_end_utc"] is not None),
                default=None,
            ),
        )
        out.append({
            "lpar": key[0], "qmgr": key[1], "task_correlator": key[2], "connection_job": last["connection_job"], "thread_reference": last["thread_reference"],
            "application_group": last["application_group"], "records_of_task": len(members), "span_start_utc": start, "span_end_utc": end, "span_us": None if None in (start, end) else end - start,
            "missing_us": sum(max(0, after["task_interval_start_utc"] - before["task_interval_end_utc"]) for before, after in pairwise(members) if before["task_interval_end_utc"] is not None),
            "task_ended": any(row["task_ended"] for row in members), "span_cpu_us": AGGREGATES["sum"](row["mq_cpu_us"] for row in members),
        })  # fmt: skip
    return out


@view("task_hour", "lpar qmgr hour_start_utc")
def task_hour(data: Data) -> list[Row]:
    rows = where(data.view("task"), "task_interval_end_utc is not None")
    rows = computed(rows, "hour_start_utc = task_hour_start_utc\nhour_start_local = task_hour_start_local")
    return grouped(
        rows, "lpar qmgr qsg hour_start_utc",
        """
        hour_start_local = min(hour_start_local)
        hour_tasks = count()
        commits = sum(commits)
        commit_et_us = sum(commit_et_us)
        commit_average_et_us = commit_et_us / commits
        longest_latch_wait_us = max(longest_latch_wait_us)
        """,
    )  # fmt: skip


@view("task_latch", "record_id latch_class")
def task_latch(data: Data) -> list[Row]:
    names = data.by("latch_class", "latch_class")
    rows = joined(data.raw("wtas_latch"), data.by("task", "record_id"), "record_id", "mq_et_us qsg interval_seconds")
    rows = where(rows, "latch_class_waits > 0")
    return computed(
        joined(rows, names, "latch_class", "latch_name"),
        """
        latch_name = first(latch_name, 'class ' + text(latch_class))    # no name is published
        latch_wait_shifted = latch_class_wait_shifted
        average_latch_wait_us = latch_class_wait_us / latch_class_waits
        latch_share_pct = 100 * latch_class_wait_us / mq_et_us
        """,
    )


LATCHES = {
    11: ("DMCSEGAL queue segment and API serialisation", "many tasks on one queue, or shared-queue open and close (see opens_with_cf)"),
    12: ("buffer pool", "buffer pool contention (see steal_contention)"),
    15: ("CMXL1 first open and last close", "first-open and last-close, object create and delete"), 16: ("BMXL2 page set", "page set"),
    19: ("BMXL3 page", "one page: hot queue or page set"), 21: ("RLMLWR log buffer", "log buffers (see log_buffer_waits)"), 23: ("BSDS", "BSDS"),
    24: ("LMXL1 getters", "many getters on one queue"), 25: ("locks and accounting", "locks or accounting"),
    30: ("ASMSAG task switch and security", "task start, security"), 31: ("DPSLTC queue scan", "queue scan"), 32: ("SMCPHB storage", "storage"),
}  # fmt: skip
"""Latch classes of WTASLWET, counted from 1: name and usual cause (catalogue, latch/lens)."""


@view("latch_class", "latch_class")
def latch_class(data: Data) -> list[Row]:
    return [
        {"latch_class": number, "latch_name": name, "likely_cause": cause} for number, (name, cause) in LATCHES.items()
    ]


@view("task_cf", "record_id cf_phase cf_operation_name")
def task_cf(data: Data) -> list[Row]:
    names = "commits commit_cpu_us prepares prepare_cpu_us"
    rows = joined(data.raw("wtas_cf"), data.by("decoded.wtas", "record_id"), "record_id", names)
    rows = with_qsg(data, joined(rows, data.by("task_identity", "record_id"), "record_id", "application"))
    for row in rows:
        phase = row["cf_call"]
        row["cf_phase"], row["phase_calls"], row["phase_cpu_us"] = phase, row[f"{phase}s"], row[f"{phase}_cpu_us"]
    return computed(
        rows,
        """
        cf_async_pct = 100 * cf_async_requests / (cf_sync_requests + cf_async_requests)
        average_cf_sync_us = cf_sync_us / cf_sync_requests
        average_cf_async_us = cf_async_us / cf_async_requests
        """,
    )


@view("task_saturation", "record_id")
def task_saturation(data: Data) -> list[Row]:
    rows = where(data.view("task"), "task_interval_us >= 10000000 and task_gets > 0")
    earliest: dict[tuple[Any, ...], Row] = {}
    for row in sorted(data.view("task"), key=lambda row: (row["task_interval_start_utc"], row["record_id"])):
        earliest.setdefault((row["lpar"], row["qmgr"], row["task_correlator"]), row)
    for row in rows:
        offset = earliest[row["lpar"], row["qmgr"], row["task_correlator"]]["gmt_offset_minutes"]
        row["task_start_local"] = row["task_start_utc"] + offset * MINUTE
    return computed(
        rows,
        """
        interval_seconds = task_interval_us / 1e6
        task_interval_s = task_interval_us / 1e6
        waits_in_gets = get_wait_us > 0.5 * mq_et_us
        achieved_transactions_per_s = commits / task_interval_s
        share_of_capacity_pct = 100 * achieved_transactions_per_s / max_transactions_per_s
        """,
    )


@view("connection", "record_id")
def connection(data: Data) -> list[Row]:
    """QWAC, QWHC and QMAC of one record 116.0; the clocks of a channel task (6) are those of the whole channel
    initiator.
    """
    rows = joined(
        data.raw("qwac"),
        data.by("decoded.qwhc", "record_id"),
        "record_id",
        "authorization_id thread_reference connection_job operator_id connection_type connection_type_code accounting_token network_id",
    )
    sizes = "class1_cpu_us puts_to_99 puts_to_999 puts_to_9999 puts_10000_up gets_to_99 gets_to_999 gets_to_9999 gets_10000_up"
    rows = with_qsg(data, joined(rows, data.by("decoded.qmac", "record_id"), "record_id", sizes))
    for row in rows:
        row["connection_type_name"] = TYPES.get(row["connection_type_code"], row["connection_type"])
        row["transaction"] = transaction(row["connection_type_code"], row["thread_reference"])
    return computed(
        rows,
        """
        interval_seconds = interval_us / 1e6
        connection_life_s = (disconnect_utc - connect_utc) / 1e6
        task_tcb_us = tcb_end_us - tcb_begin_us if connection_type_code != 6 and tcb_end_us >= tcb_begin_us else None        # QWACEJST, QWACBJST
        task_srb_us = srb_end_us - srb_begin_us if connection_type_code != 6 and srb_end_us >= srb_begin_us else None
        class1_puts = puts_to_99 + puts_to_999 + puts_to_9999 + puts_10000_up
        class1_gets = gets_to_99 + gets_to_999 + gets_to_9999 + gets_10000_up
        class1_cpu_per_message_us = class1_cpu_us / (class1_puts + class1_gets)
        mq_share_of_tcb_pct = 100 * class1_cpu_us / task_tcb_us
        """,
    )


def _of_connection(row: Row, span: Row | None) -> str | None:
    return span["application_group"] if span else caller(row, row["connection_job"])


@view("connection_task", "record_id")
def connection_task(data: Data) -> list[Row]:
    """Class 3 of the same job and thread reference, written within a second after class 1; a task belongs to the
    nearest connection alone.
    """
    spans: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in data.view("task_span"):
        spans[tuple(row[name] for name in BOTH.split())].append(row)
    written = {row["record_id"]: row["written_local"] for row in data.raw("record")}
    first_written = {
        key: min(r["task_interval_end_utc"] for r in rows) for key, rows in groups(data.raw("wtas"), QMGR).items()
    }
    near: dict[int, Row] = {}
    users: dict[tuple[Any, ...], list[tuple[int, int]]] = defaultdict(list)
    for row in data.view("connection"):
        after = [
            span
            for span in spans.get(tuple(row[name] for name in BOTH.split()), ())
            if 0 <= span["span_end_utc"] - row["disconnect_utc"] < SECOND
        ]
        if after:
            span = min(after, key=lambda span: (span["span_end_utc"], span["span_start_utc"], span["task_correlator"]))
            near[row["record_id"]] = span
            users[row["lpar"], row["qmgr"], span["task_correlator"]].append(
                (span["span_end_utc"] - row["disconnect_utc"], row["record_id"])
            )
    out = []
    for row in data.view("connection"):
        given = near.get(row["record_id"])
        if given and min(users[row["lpar"], row["qmgr"], given["task_correlator"]])[1] != row["record_id"]:
            given = None
        since = first_written.get((row["lpar"], row["qmgr"]))
        whole = given and (
            given["span_start_utc"] <= row["connect_utc"] + SECOND or (since is not None and row["connect_utc"] >= since)
        ) and given["missing_us"] < SECOND  # fmt: skip
        out.append({
            **row, "date_local": written[row["record_id"]] // DAY * DAY, "application_group": _of_connection(row, given), "in_class3": given is not None, "class3_whole": whole,
            "class3_cpu_us": given["span_cpu_us"] if given else None,
            "unattributed_cpu_us": max(0, row["class1_cpu_us"] - given["span_cpu_us"]) if given and whole and None not in (row["class1_cpu_us"], given["span_cpu_us"]) else None,
        })  # fmt: skip
    return out


__all__ = ["QMGR"]
