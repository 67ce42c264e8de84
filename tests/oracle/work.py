"""Work of tasks by channel, by application that calls Db2, and as it is charged; work of channels by channel initiator
interval.
"""

from __future__ import annotations

from tests.oracle import Data, Row, view
from tests.oracle.applications import sums, with_names_of_site
from tests.oracle.formulas import DAY, MIB, SECOND, computed, grouped, groups, joined
from tests.oracle.periods import keyed
from tests.oracle.pools import site
from tests.oracle.queue_statistics import named
from tests.oracle.records import QMGR
from tests.oracle.tasks import CHANNEL, caller

COMMAND_SERVER = 5
CHARGED = "lpar qmgr date_local charge_source connection_type_name application channel_name operator_id base_name doubt_reason"


@view("channel_task", "lpar qmgr interval_start_utc channel_name connection_name")
def channel_task(data: Data) -> list[Row]:
    """A task interval belongs to the interval of channel accounting in which it ends."""
    intervals = {
        key: sorted({(row["interval_start_utc"], row["interval_end_utc"]) for row in rows})
        for key, rows in groups(data.view("channel"), QMGR).items()
    }
    empty = keyed(
        grouped(data.view("queue_use"), "task_record_id", "gets_without_message = sum(gets_without_message)"), "task_record_id"
    )  # fmt: skip
    rows = []
    for row in data.view("task"):
        if row["connection_type_code"] == CHANNEL and row["channel_name"] is not None:
            end = row["task_interval_end_utc"]
            own = intervals.get((row["lpar"], row["qmgr"]), []) if end is not None else []
            of = [start for start, until in own if start < end <= until]
            if of:
                found = (empty.get((row["record_id"],)) or {}).get("gets_without_message", 0)
                rows.append({**row, "interval_start_utc": of[0], "gets_without_message": found})
    out = grouped(
        rows, "lpar qmgr interval_start_utc channel_name connection_name",
        sums("task_messages persistent_messages gets_without_message mq_cpu_us".split()),
    )  # fmt: skip
    by = "lpar qmgr interval_start_utc channel_name connection_name"
    users = groups(rows, by)
    for row in out:
        mine = users[tuple(row[name] for name in by.split())]
        row["operator_ids"] = tuple(sorted({r["operator_id"] for r in mine if r["operator_id"] is not None}))
    return out


@view("chinit_queue_use", "record_id")
def chinit_queue_use(data: Data) -> list[Row]:
    """Queue blocks of channel tasks (WTIDATYP 6) by the interval of QCCT that contains the middle of their task
    interval, of several by the nearest.
    """
    records = groups(data.raw("qcct"), QMGR)
    codes = data.by("decoded.wtid", "record_id")
    rows = []
    for row in data.raw("wq"):
        start, end = row["interval_start_utc"], row["interval_end_utc"]
        if (codes.get((row["record_id"],)) or {}).get("connection_type_code") == CHANNEL and None not in (start, end):
            near = [
                (abs(one["interval_start_utc"] + one["interval_end_utc"] - start - end), one["record_id"])
                for one in records.get((row["lpar"], row["qmgr"]), ())
                if one["interval_start_utc"] <= (start + end) // 2 <= one["interval_end_utc"]
            ]
            rows += [{**row, "record_id": record} for _, record in sorted(near)[:1]]
    return grouped(
        rows, "record_id lpar qmgr",
        "selector_opens = sum(selector_opens)\nmessages_skipped = sum(messages_skipped)\nchannel_gets = sum(gets)",
    )  # fmt: skip


@view("chinit_channel_use", "record_id")
def chinit_channel_use(data: Data) -> list[Row]:
    cuts = {row["record_id"]: row["cut_start_utc"] for row in data.view("channel_interval")}
    chinit = {
        (row["lpar"], row["qmgr"], row["cut_start_utc"]): row["record_id"]
        for row in data.view("chinit_interval")
        if row["cut_start_utc"] is not None
    }
    facts = site(data)
    rows = []
    for row in data.view("channel"):
        record = chinit.get((row["lpar"], row["qmgr"], cuts.get(row["record_id"])))
        if record is not None:
            listed = (facts.get((row["lpar"], row["qmgr"])) or {}).get("ams_channels")
            rows.append(
                {**row, "record_id": record, "listed": listed is not None, "ams": named(row["channel_name"], listed)}
            )
    return grouped(
        rows, "record_id lpar qmgr",
        """
        persistent_channel_messages = sum(persistent_channel_messages)
        channel_messages = sum(channel_messages)
        persistent_channel_pct = 100 * persistent_channel_messages / channel_messages
        intercepted_channels = distinct(channel_name, where=ams and channel_messages > 0) if any(listed) else None
        """,
    )  # fmt: skip


@view("db2_lookup", "lpar qmgr application connection_type_name operator_id")
def db2_lookup(data: Data) -> list[Row]:
    """MP16: MQ looks up a name in Db2 if it is not defined on the queue manager; a task that only does so has no queue
    block.
    """
    shared = {
        row["task_record_id"]
        for row in data.view("queue_use")
        if row["is_temporary_dynamic"] and row["is_shared"] and row["task_record_id"] is not None
    }
    rows = []
    for row in data.view("task"):
        if row["db2_calls"] > 0:
            without = row["other_calls"] > 0 and row["queue_blocks"] == 0
            own = row["connection_type_code"] == COMMAND_SERVER or (
                row["connection_type_code"] == CHANNEL and row["channel_name"] is None
            )
            rows.append({
                **row, "application": row["application_group"], "without": without, "suspected": without and not own,
                "shared": row["record_id"] in shared,
            })  # fmt: skip
    names = "db2_calls db2_thread_us db2_server_us db2_bytes_written db2_bytes_read other_calls"
    return grouped(
        with_names_of_site(data, rows, "application"), "lpar qmgr application connection_type_name operator_id",
        sums(names.split())
        + """
task_records = count()
db2_longest_us = max(db2_thread_longest_us)
tasks_without_queue = count(where=without)
suspected_undefined_opens = first(sum(db2_calls, where=suspected), 0)
shared_dynamic_queues = count(where=shared)
""",
    )  # fmt: skip


@view("charge_item", CHARGED)
def charge_item(data: Data) -> list[Row]:
    """Calls on queues by queue, the others without one; class 1 where a queue manager has no class 3. Each record by
    the local date on which it was written.
    """
    doubts = {row["record_id"]: row["doubt_reason"] for row in data.view("charge_doubt")}
    written = {row["record_id"]: row["written_local"] for row in data.raw("record")}
    identity = data.by("task_identity", "record_id")
    none = dict.fromkeys(("application_group", "connection_type_name", "channel_name", "operator_id"))
    rows = [
        {
            **row, "charge_source": "class 3", "cpu": row["queue_mq_cpu_us"], "puts": row["valid_puts"],
            "gets": row["valid_gets"] if row["valid_destructive_gets"] is None else row["valid_destructive_gets"],
            "bytes": (row["put_bytes"] or 0) + (row["get_bytes"] or 0),
        }
        for row in data.view("queue_use")
    ]  # fmt: skip
    tasks = data.by("task", "record_id")
    for given in data.raw("wtas"):
        row = {**given, **{name: (identity.get((given["record_id"],)) or none)[name] for name in none}}
        cpu = tasks[given["record_id"],]["other_verbs_cpu_us"]
        rows.append(
            {**row, "charge_source": "class 3", "cpu": cpu, "puts": 0, "gets": 0, "bytes": 0, "base_name": None}
        )
    with_class3 = {(row["lpar"], row["qmgr"]) for row in rows}
    rows += [
        {
            **row, "charge_source": "class 1", "cpu": row["class1_cpu_us"], "puts": row["class1_puts"], "gets": row["class1_gets"], "bytes": None,
            "application_group": caller(row, row["connection_job"]), "base_name": None, "channel_name": None,
        }
        for row in data.view("connection") if (row["lpar"], row["qmgr"]) not in with_class3
    ]  # fmt: skip
    for row in rows:
        row["application"], row["doubt_reason"] = row["application_group"], doubts.get(row["record_id"])
        row["date_local"] = written[row["record_id"]] // DAY * DAY
    return grouped(
        with_names_of_site(data, rows, "application"), CHARGED,
        "charge_cpu_us = sum(cpu)\ncharge_puts = sum(puts)\ncharge_gets = sum(gets)\ncharge_bytes = sum(bytes)",
    )  # fmt: skip


MOST_CALLS, MOST_BYTES, MARGIN = 200_000, 100 * MIB, 1.1
"""Calls of a task in a second, and bytes of a message (MAXMSGL), that no real record has; CPU time may exceed the
elapsed time by the error of clocks."""
SIZES = "puts_to_99 puts_to_999 puts_to_9999 puts_10000_up gets_to_99 gets_to_999 gets_to_9999 gets_10000_up".split()


def _impossible(row: Row, seconds: float | None, calls: str, cpu: str) -> bool:
    if seconds is None:
        return False
    most = max((row[name] or 0 for name in calls.split()), default=0)
    longest = max((row[name] or 0 for name in cpu.split()), default=0)
    return most > MOST_CALLS * min(seconds, DAY / SECOND) or longest / 1e6 > MARGIN * seconds


@view("charge_doubt", "record_id")
def charge_doubt(data: Data) -> list[Row]:
    """Records of accounting that are damaged, touch damaged bytes, or have figures that no task reaches."""
    edges: set[tuple[int, int]] = set()
    for row in data.raw("damage"):
        edges |= {
            (row["source_id"], row["damage_offset"]),
            (row["source_id"], row["damage_offset"] + (row["damage_bytes"] or 0)),
        }
    records = {row["record_id"]: row for row in data.raw("record") if row["smf_type"] == 116}
    seconds = {
        number: (
            row["interval_us"] / 1e6
            if row["interval_us"] is not None and 0 <= row["interval_us"] <= 32 * 86_400 * 1_000_000
            else 0
        )
        + 1
        for number, row in records.items()
    }
    reasons = {}
    for row in data.raw("wq"):
        number = row["record_id"]
        if (
            _impossible(
                row,
                seconds[number],
                "valid_puts valid_gets valid_destructive_gets puts gets put1s",
                "get_cpu_us put_cpu_us put1_cpu_us open_cpu_us close_cpu_us inquire_cpu_us set_cpu_us callback_cpu_us",
            )
            or (row["put_bytes"] or 0) > MOST_BYTES * (row["valid_puts"] or 0)
            or (row["get_bytes"] or 0) > MOST_BYTES * (row["valid_gets"] or 0)
        ):
            reasons[number] = "impossible figures"
    for row in data.raw("wtas"):
        if _impossible(
            row,
            seconds[row["record_id"]],
            "",
            "other_cpu_us commit_cpu_us backout_cpu_us prepare_cpu_us subscribe_cpu_us subscription_request_cpu_us control_cpu_us status_cpu_us",
        ):
            reasons[row["record_id"]] = "impossible figures"
    for row in joined(
        data.raw("qmac"), data.by("decoded.qwac", "record_id"), "record_id", "connect_utc disconnect_utc"
    ):
        if row["connect_utc"] is not None and row["disconnect_utc"] is not None:
            life = (row["disconnect_utc"] - row["connect_utc"]) / 1e6 + 1
            if _impossible(row, life, " ".join(SIZES), "class1_cpu_us"):
                reasons[row["record_id"]] = "impossible figures"
    for number, row in records.items():
        start = row["source_offset"]
        if {(row["source_id"], start), (row["source_id"], start + row["input_bytes"])} & edges:
            reasons[number] = "next to damaged bytes"
        if row["damage"] is not None:
            reasons[number] = "damaged record"
    return [{"record_id": number, "doubt_reason": reason} for number, reason in reasons.items()]


__all__ = ["computed"]
