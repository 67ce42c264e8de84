"""Queue statistics (115.216)."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from tests.oracle import Data, Row, view
from tests.oracle.formulas import groups, joined, level
from tests.oracle.pools import site
from tests.oracle.queue_purpose import advice, channels_text, opened_remotely, own_of
from tests.oracle.records import CUT, QMGR, in_interval

DYNAMIC = re.compile(r"[0-9A-F]{16}\Z")
"""The generated end of the name of a dynamic queue."""


def named(name: str | None, patterns: object) -> bool | None:
    """Whether a name is in a list of names and patterns of the site file; null without a list."""
    if not isinstance(patterns, tuple) or name is None:
        return None
    return any(fnmatchcase(name, pattern.replace("[", "[[]")) for pattern in patterns)


def kind(queue: str, facts: Row, own: Row, *, proven: bool) -> str:
    """The purpose of a queue: column queue_kind of view queue_statistics in the catalogue."""
    if queue.startswith("SYSTEM.CLUSTER.TRANSMIT"):
        return "cluster transmission"
    special = {"SYSTEM.CHANNEL.SYNCQ": "channel sync", "SYSTEM.QSG.TRANSMIT.QUEUE": "IGQ transmission"}
    if queue in special:
        return special[queue]
    if proven:
        return "transmission"
    declared = {"xmit": "transmission", "ims_bridge": "IMS bridge", "dead_letter": "dead letter", "ams": "AMS"}
    given = {"dead_letter_queues": ("SYSTEM.DEAD.LETTER.QUEUE",)} | {
        name: value for name, value in facts.items() if value is not None
    }
    for fact, purpose in declared.items():
        if named(queue, given.get(f"{fact}_queues")):
            return purpose
    return "system" if own else "application"


def with_kind(data: Data, rows: list[Row], column: str) -> list[Row]:
    """The rows with what the site file, its name and the channels that get from it state about the queue in a
    column.
    """
    facts = site(data)
    sent = groups(data.view("transmission_channel"), "lpar qmgr queue")
    remote = opened_remotely(data)
    out = []
    for row in rows:
        mine = facts.get((row["lpar"], row["qmgr"]), {})
        queue = row[column]
        key = (row["lpar"], row["qmgr"], queue)
        own, channels = own_of(queue), sent.get(key, [])
        purpose = kind(queue, mine, own, proven=any(each["is_proven"] for each in channels))
        seems = key in remote and purpose in ("application", "AMS")
        text = channels_text([each["channel_name"] for each in channels]) if channels else None
        out.append({
            **row, "queue_kind": purpose, "retained_queue": bool(named(queue, mine.get("retained_queues"))), "is_store": own.get("is_store", False),
            "intercepted_queue": bool(named(queue, mine.get("ams_queues"))), "seems_transmission": seems, "sending_channels": text,
            "may_wait": own.get("may_wait", False), "own_reader": own.get("own_reader"), "queue_reader": own.get("system_reader"),
            "growable": own.get("growable", True) or (own["system_kind"] == "system" and purpose != "system"),
            "queue_advice": advice(queue, purpose, own, text, seems=seems),
        })  # fmt: skip
    return out


def with_maxdepth(data: Data, rows: list[Row], column: str) -> list[Row]:
    """The rows with MAXDEPTH of the site file: the entry with the name of the queue, otherwise the longest pattern that
    it matches.
    """
    facts = site(data)
    out = []
    for row in rows:
        given = facts.get((row["lpar"], row["qmgr"]), {}).get("maxdepth_by_queue") or {}
        fits = [pattern for pattern in given if named(row[column], (pattern,))]
        best = row[column] if row[column] in fits else max(fits, key=len, default=None)
        out.append({**row, "maxdepth": given[best] if best else None})
    return out


@view("site_queue", f"{QMGR} queue")
def site_queue(data: Data) -> list[Row]:
    names = {(row["lpar"], row["qmgr"], row["queue"]): None for row in data.raw("qqst")}
    for row in data.raw("wq"):
        if row["base_name"] is not None:
            for name in (row["base_name"], DYNAMIC.sub("*", row["base_name"])):
                names[row["lpar"], row["qmgr"], name] = None
    for lpar, qmgr, queue in list(names):
        names[lpar, qmgr, DYNAMIC.sub("*", queue)] = None
    rows = [{"lpar": lpar, "qmgr": qmgr, "queue": queue} for lpar, qmgr, queue in names]
    return with_maxdepth(data, with_kind(data, rows, "queue"), "queue")


@view("queue_statistics", f"{CUT} queue record_id")
def queue_statistics(data: Data) -> list[Row]:
    """QQST; a partial record (QQSTPART) has no age, and that of a shared queue, before 9.3.3 of any, no depth and no
    uncommitted flag.
    """
    rows = with_kind(data, joined(data.raw("qqst"), site(data), QMGR, "ams_queues"), "queue")
    for row in rows:
        row["ams"] = named(row["queue"], row["ams_queues"])
        row["depth_unknown"] = bool(row["partial_record"]) and (
            bool(row["shared_queue"]) or level(row["mq_version"]) < 90_303
        )
        row.update(dict.fromkeys(("depth", "uncommitted")) if row["depth_unknown"] else {})
        row.update({"oldest_message_s": None} if row["partial_record"] else {})
    return in_interval(
        data, rows,
        """
        messages_put = puts + put1s
        persistent_messages_put = persistent_mqputs + persistent_mqput1s
        persistent_put_pct = 100 * persistent_messages_put / messages_put
        put_bytes = mqput_bytes + mqput1_bytes
        put_mib_per_s = put_bytes / MIB / interval_seconds
        get_mib_per_s = get_bytes / MIB / interval_seconds
        puts_per_s = messages_put / interval_seconds
        total_puts = messages_put
        nonpersistent_puts_per_s = (nonpersistent_mqputs + nonpersistent_mqput1s) / interval_seconds
        destructive_gets_per_s = destructive_gets / interval_seconds
        put_get_balance = messages_put - destructive_gets - expired_messages
        net_depth_per_s = put_get_balance / interval_seconds
        failed_puts = put_failures + put1_failures
        failed_put_pct = 100 * failed_puts / (messages_put + failed_puts)
        truncated_get_pct = 100 * gets_truncated / (gets_truncated + destructive_gets)
        waiting_getter_pct = 100 * puts_to_waiting_getter / messages_put
        no_message_per_get = gets_no_message / destructive_gets
        get_wait_redrives_per_get = get_wait_redrives / destructive_gets
        expired_pct = 100 * expired_messages / messages_put
        rollback_pct = 100 * (rolled_back_puts + rolled_back_gets) / (messages_put + destructive_gets)
        opens_per_put = opens / puts
        seconds_since_last_get = (interval_end_utc - last_get_utc) / 1e6
        seconds_since_last_put = (interval_end_utc - last_put_utc) / 1e6
        no_reader = input_handles == 0 and depth > 0
        never_got = None if partial_record or section_length < 120 else last_get_utc is None and depth > 0    # QQSTLGDT since 9.3.1
        encryption_growth_bytes = 1430 if ams else None
        otel_spans = otel_producer_spans + otel_consumer_spans
        """,
    )  # fmt: skip
