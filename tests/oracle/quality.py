"""What the data cover, latches, and helpers of rules with few columns."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.applications import sums, with_names_of_site
from tests.oracle.channels import MIB, NAMED, first_of_interval, of_chinit
from tests.oracle.encryption import by_hour
from tests.oracle.formulas import HOUR, computed, first, grouped, groups, joined, where
from tests.oracle.periods import keyed
from tests.oracle.pools import site
from tests.oracle.queue_statistics import named
from tests.oracle.records import CUT, QMGR
from tests.oracle.tasks import DYNAMIC

STRUCTURE = "lpar qmgr cf_structure"


@view("cf_structure_async", STRUCTURE)
def cf_structure_async(data: Data) -> list[Row]:
    rows = where(data.view("queue_use_cf"), "cf_structure is not None")
    out = grouped(
        rows, STRUCTURE,
        """
        structure_requests = sum(cf_issued)
        structure_async_requests = sum(cf_async_requests)
        structure_async_pct = 100 * structure_async_requests / structure_requests
        structure_async_us = sum(cf_async_us) / structure_async_requests
        structure_sync_us = sum(cf_sync_us) / sum(cf_sync_requests)
        """,
    )  # fmt: skip
    facts = site(data)
    for row in out:
        row["duplexed"] = bool(
            named(row["cf_structure"], facts.get((row["lpar"], row["qmgr"]), {}).get("duplexed_structures"))
        )
    return out


@view("cf_structure_queues", STRUCTURE)
def cf_structure_queues(data: Data) -> list[Row]:
    """A structure has at most 512 queues (IBM MQ documentation, defining CF structures)."""
    rows = where(data.view("queue_statistics"), "cf_structure is not None")
    out = grouped(
        rows, "lpar qmgr qsg cf_structure",
        """
        persistent_structure_puts = sum(persistent_messages_put)
        structure_puts = sum(persistent_messages_put + nonpersistent_mqputs + nonpersistent_mqput1s)
        nonpersistent_structure_puts = structure_puts - persistent_structure_puts
        minority_share = least(persistent_structure_puts, nonpersistent_structure_puts) / structure_puts
        """,
    )  # fmt: skip
    queues: dict[Any, set[str]] = defaultdict(set)
    for row in rows:
        queues[row["qsg"] or (row["lpar"], row["qmgr"]), row["cf_structure"]].add(row["queue"])
    for row in out:
        row["structure_queues"] = len(queues[row["qsg"] or (row["lpar"], row["qmgr"]), row["cf_structure"]])
    return computed(out, "structure_queues_pct = 100 * structure_queues / 512")


@view("cf_structure_gets", STRUCTURE)
def cf_structure_gets(data: Data) -> list[Row]:
    statistics = keyed(
        grouped(
            where(data.view("queue_statistics"), "cf_structure is not None"),
            STRUCTURE,
            "counted = sum(destructive_gets)",
        ),
        STRUCTURE,
    )
    blocks = keyed(
        grouped(
            where(data.view("queue_use"), "cf_structure is not None"),
            STRUCTURE,
            "accounted = sum(first(valid_destructive_gets, valid_gets))",
        ),
        STRUCTURE,
    )
    rows = grouped(
        data.view("cf_structure"), STRUCTURE,
        """
        group_member = any(group_member)
        admin_structure = any(admin_structure)
        structure_multiple_calls = sum(multiple_calls)
        structure_redrives = sum(multiple_redrives)
        """,
    )  # fmt: skip
    rows = joined(joined(rows, statistics, STRUCTURE, "counted"), blocks, STRUCTURE, "accounted")
    return computed(
        rows,
        """
        structure_gets = first(counted, accounted)
        structure_gets_from = 'queue statistics' if counted is not None else 'accounting' if accounted is not None else None
        structure_redrives_per_get = structure_redrives / structure_gets
        """,
    )


@view("cf_structure_puts", STRUCTURE)
def cf_structure_puts(data: Data) -> list[Row]:
    """What accounting has of a member counts only where the data has no statistics of its queues in structures."""
    key = "owner lpar qmgr cf_structure hour"

    def of_structures(name: str, time: str) -> list[Row]:
        rows = where(data.view(name), "cf_structure is not None")
        return [{**row, "owner": _owner(row), "hour": row[time] and row[time] // HOUR} for row in rows]

    counted = grouped(
        of_structures("queue_statistics", "interval_start_utc"), f"{key} interval_start_utc",
        "at = min(interval_start_local)\nseconds = max(interval_seconds)\nputs = sum(messages_put)\nsize = sum(put_bytes)",
    )  # fmt: skip
    rows = grouped(counted, key, "at = min(at)\nrate = sum(puts) / sum(seconds)\nputs = sum(puts)\nsize = sum(size)")
    known = {(row["lpar"], row["qmgr"]) for row in counted}
    accounted = grouped(
        of_structures("queue_use", "interval_end_utc"), key,
        """
        at = min(interval_start_local)
        seconds = least(3600, (max(interval_end_utc) - min(interval_start_utc)) / 1000000)
        rate = sum(valid_puts) / seconds if seconds >= 10 else None
        puts = sum(valid_puts)
        size = sum(put_bytes)
        """,
    )  # fmt: skip
    rows += [row for row in accounted if (row["lpar"], row["qmgr"]) not in known]
    hours = grouped(
        rows, "owner cf_structure hour", "at = min(at)\nrate = sum(rate)\nputs = sum(puts)\nsize = sum(size)"
    )
    busiest = grouped(
        hours, "owner cf_structure",
        "group_message_bytes = sum(size) / sum(puts)\ngroup_puts_per_s = max(rate)\nbusiest_hour_local = top(at, rate, -at)",
    )  # fmt: skip
    structures = [{**row, "owner": _owner(row)} for row in grouped(data.view("cf_structure"), f"{STRUCTURE} qsg", "")]
    named_columns = "group_message_bytes group_puts_per_s busiest_hour_local"
    return joined(structures, keyed(busiest, "owner cf_structure"), "owner cf_structure", named_columns)


def _owner(row: Row) -> str | None:
    """The group of a queue manager; one without a group is alone."""
    alone = None if None in (row["lpar"], row["qmgr"]) else f"{row['lpar']}.{row['qmgr']}"
    group: str | None = row["qsg"]
    return alone if group is None else group


def _plain_names(names: list[str]) -> str | None:
    return ", ".join(sorted(names)[:5]) or None


@view("encryption_period", QMGR)
def encryption_period(data: Data) -> list[Row]:
    latest: dict[tuple[Any, ...], Row] = {}
    switched: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for row in sorted(
        where(data.view("encryption_evidence"), "encrypted_count is not None"),
        key=lambda row: row["interval_start_utc"],
    ):
        if row["item_kind"] == "active log":
            switched[row["lpar"], row["qmgr"]][0] += row["evidence_count"]
            switched[row["lpar"], row["qmgr"]][1] += row["encrypted_count"]
        else:
            latest[row["lpar"], row["qmgr"], row["item_kind"], row["item_name"]] = row
    out = []
    for lpar, qmgr in dict.fromkeys([*(key[:2] for key in latest), *switched]):
        kinds: dict[str, list[bool]] = {"page set": [], "shared message data set": []}
        for key, row in latest.items():
            if key[:2] == (lpar, qmgr):
                kinds[key[2]].append(row["encrypted_count"] == row["evidence_count"])
        new, new_encrypted = switched.get((lpar, qmgr), [0, 0])
        pages, shared = kinds["page set"], kinds["shared message data set"]
        out.append({
            "lpar": lpar, "qmgr": qmgr, "page_sets": len(pages), "page_sets_encrypted": sum(pages), "smds_data_sets": len(shared), "smds_data_sets_encrypted": sum(shared),
            "new_logs": new, "new_logs_encrypted": new_encrypted, "data_sets_encrypted": sum(pages) + sum(shared) + new_encrypted,
            "plain_names": _plain_names([
                *(row["item_label"] for key, row in latest.items() if key[:2] == (lpar, qmgr) and row["encrypted_count"] != row["evidence_count"]),
                *(["new active logs"] if new > new_encrypted else []),
            ]),
            "data_sets_plain": len(pages) + len(shared) + new - sum(pages) - sum(shared) - new_encrypted,
        })  # fmt: skip
    return out


@view("latch_hour", "lpar qmgr hour_start_utc latch_class")
def latch_hour(data: Data) -> list[Row]:
    columns = "task_hour_start_utc task_hour_start_local pool_latch_wait_us application task_correlator"
    rows = joined(data.view("task_latch"), data.by("task", "record_id"), "record_id", columns)
    rows = where(rows, "(latch_class_waits > 0 or latch_class_wait_us > 0) and task_hour_start_utc is not None")
    all_time = keyed(
        grouped(
            computed(data.view("task"), "hour_start_utc = task_hour_start_utc"),
            "lpar qmgr hour_start_utc",
            "total = sum(mq_et_us)",
        ),
        "lpar qmgr hour_start_utc",
    )
    out = grouped(
        computed(rows, "hour_start_utc = task_hour_start_utc\nhour_local = task_hour_start_local"),
        "lpar qmgr hour_start_utc latch_class latch_name",
        """
        hour_local = min(hour_local)
        tasks_waiting = distinct(task_correlator)
        latch_class_waits = sum(latch_class_waits)
        latch_class_wait_us = sum(latch_class_wait_us)
        average_latch_wait_us = latch_class_wait_us / latch_class_waits
        longest_us = max(latch_class_longest_us)
        pool_latch_wait_us = sum(pool_latch_wait_us)
        """,
    )  # fmt: skip
    out = joined(out, all_time, "lpar qmgr hour_start_utc", "total")
    logs = keyed(
        grouped(by_hour(data.view("log")), "lpar qmgr hour_start_utc", "log_buffer_waits = sum(log_buffer_waits)"),
        "lpar qmgr hour_start_utc",
    )
    objects = keyed(
        grouped(by_hour(data.view("data_manager")), "lpar qmgr hour_start_utc", "object_creates = sum(object_creates)"),
        "lpar qmgr hour_start_utc",
    )
    out = joined(
        joined(out, logs, "lpar qmgr hour_start_utc", "log_buffer_waits"),
        objects,
        "lpar qmgr hour_start_utc",
        "object_creates",
    )
    waiting = groups(computed(rows, "hour_start_utc = task_hour_start_utc"), "lpar qmgr hour_start_utc latch_class")
    use = groups(where(data.view("queue_use"), "task_record_id is not None"), "task_record_id")
    causes = data.by("latch_class", "latch_class")
    for row in out:
        mine = waiting[row["lpar"], row["qmgr"], row["hour_start_utc"], row["latch_class"]]
        total = grouped(mine, "application", "waited = sum(latch_class_wait_us)")
        most = min(total, key=lambda given: (-(given["waited"] or 0), given["application"]))
        blocks = [block for task in {(each["record_id"],) for each in mine} for block in use.get(task, ())]
        opens = [block["opens_with_cf"] for block in blocks if block["opens_with_cf"] is not None]
        task = min(mine, key=lambda each: (-(each["latch_class_wait_us"] or 0), each["record_id"]))
        named_ = [block for block in use.get((task["record_id"],), ()) if block["base_name"] is not None]
        top = min(named_, key=lambda block: (-(block["queue_calls"] or 0), block["base_name"]), default={})
        row["top_queue"], row["top_pool"] = top.get("base_name"), top.get("pool_id")
        row["top_application"] = most["application"]
        row["opens_with_cf"] = sum(opens) if opens else None
        row["likely_cause"] = (causes.get((row["latch_class"],)) or {}).get("likely_cause")
    return computed(out, "share_of_mq_time_pct = 100 * latch_class_wait_us / total")


@view("latch_wait", "record_id latch_class")
def latch_wait(data: Data) -> list[Row]:
    columns = "task_correlator application operator_id task_start_utc task_interval_start_utc longest_latch_wait_us longest_latch_class longest_latch_holder"
    rows = joined(data.view("task_latch"), data.by("task", "record_id"), "record_id", columns)
    return computed(
        rows,
        """
        over_limit = first(longest_latch_class == latch_class and longest_latch_wait_us > 10000, False) or first(latch_class == 11 and latch_class_wait_us > 5000, False)
        """,
    )


@view("channel_delay", "record_id channel_name connection_name channel_start_utc")
def channel_delay(data: Data) -> list[Row]:
    """The longest time stays in the records until a longer one occurs: it is new where its time stamp is."""
    latency = data.by("channel_site", "lpar", "qmgr", "channel_name", "connection_name")
    rows = joined(where(data.view("channel"), NAMED), latency, "lpar qmgr channel_name connection_name", "latency_us")
    rows = where(rows, "network_average_us > 0 or exit_average_us > 0 or network_longest_us > 0 or exit_longest_us > 0")
    for members in groups(rows, "lpar qmgr channel_name connection_name channel_start_utc").values():
        shown: dict[str, set[Any]] = defaultdict(set)
        for row in sorted(members, key=lambda row: (row["interval_start_utc"], row["record_id"])):
            for name in ("network", "exit"):
                at = row[f"{name}_longest_at_utc"]
                new = at is None or at not in shown[name]
                shown[name].add(at)
                row[f"{name}_new"] = row[f"{name}_longest_us"] if new else None
    return computed(
        rows,
        """
        exit_spread = exit_longest_us / exit_average_us
        network_longest_us = network_new if network_new != 0 else None
        exit_longest_us = exit_new if exit_new != 0 else None
        expected_network_us = 2 * latency_us
        """,
    )


@view("chinit_compression", "record_id")
def chinit_compression(data: Data) -> list[Row]:
    cuts = {row["record_id"]: row["cut_start_utc"] for row in data.view("channel_interval")}
    chinit = {(r["lpar"], r["qmgr"], cuts.get(r["record_id"])): r["record_id"] for r in data.raw("qcct")}
    rows = []
    for row in data.raw("qcst"):
        record = chinit.get((row["lpar"], row["qmgr"], cuts.get(row["record_id"])))
        if record is not None and cuts.get(row["record_id"]) is not None:
            rows.append({**row, "record_id": record})
    return grouped(
        rows, "record_id lpar qmgr",
        """
        channels_seen = count()
        compressing_channels = count(where=compression_rate_pct > 0)
        most_compressing_channel = top(channel_name, compression_rate_pct, channel_name, where=compression_rate_pct > 0 and channel_name is not None)
        compression_rate_most_pct = max(compression_rate_pct)
        """,
    )  # fmt: skip


@view("chinit_dns_task", "record_id task_index")
def chinit_dns_task(data: Data) -> list[Row]:
    tasks = groups(where(data.view("chinit_task"), "task_type == 'dns'"), "record_id")
    names = "task_requests task_busy_pct average_request_cpu_us average_request_et_us dns_longest_us dns_longest_at_local task_index".split()
    rows = [
        {**row, **{name: task.get(name) for name in names}}
        for row in of_chinit(data, first_of_interval(data))
        for task in tasks.get((row["record_id"],), [{}])
    ]
    for members in groups(rows, f"{QMGR} task_index").values():
        before: Row = {}
        for row in sorted(members, key=lambda row: row["interval_start_utc"]):
            same = [(row[name], before.get(name)) for name in ("dns_longest_us", "dns_longest_at_local")]
            row["dns_longest_repeated"] = all(a is not None and a == b for a, b in same)
            before = row
    return rows


WAITS = ("suspend", "log_write", "log_force", "page_set")
"""The parts of the elapsed time of the verbs of queue blocks."""


@view("application_verb", "lpar qmgr application verb_name")
def application_verb(data: Data) -> list[Row]:
    """The eight verbs of queue blocks and those of the task block."""
    known = {row["record_id"] for row in data.view("task")}
    plural = {"inquire": "inquires", "callback": "callbacks", "put1": "put1s"}
    names = {"inquire": "inq", "callback": "cb", "subscription_request": "subscription request"}
    verbs = {
        verb: plural.get(verb, f"{verb}s")
        for verb in ("open", "close", "get", "put", "put1", "inquire", "set", "callback")
    }
    others = {
        verb: f"{verb}s" for verb in ("commit", "backout", "prepare", "subscribe", "subscription_request", "control")
    }
    others |= {"status": "statuses", "other": "other_calls"}
    place = {names.get(verb, verb): number for number, verb in enumerate([*verbs, *others], 1)}
    blocks = [row for row in data.view("queue_use") if row["task_record_id"] in known]
    rows = [
        {
            **{key: row[key] for key in QMGR.split()}, "application": row["application_group"], "verb_name": names.get(verb, verb),
            "verb_calls": row[calls], "verb_et_us": row[f"{verb}_et_us"], "verb_cpu_us": row[f"{verb}_cpu_us"],
            **{f"verb_{kind}_us": row.get(f"{verb}_{kind}_us") if of is verbs else None for kind in WAITS},
        }
        for given, of in ((blocks, verbs), (data.view("task"), others))
        for row in given
        for verb, calls in of.items()
    ]  # fmt: skip
    out = grouped(
        with_names_of_site(data, rows, "application"),
        "lpar qmgr application verb_name",
        sums(["verb_calls", "verb_et_us", "verb_cpu_us", *(f"verb_{kind}_us" for kind in WAITS)]),
    )
    for row in out:
        row["verb_number"] = place[row["verb_name"]]
    return where(out, "verb_calls > 0 or verb_et_us > 0 or verb_cpu_us > 0")


__all__ = ["CUT", "DYNAMIC", "HOUR", "MIB", "first"]
