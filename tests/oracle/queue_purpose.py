"""What each queue is for: queues of MQ itself, transmission queues with their channels, and queues that lack their
usual reader.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import duckdb

from mqstat.sql import sqlfile
from tests.costs import cache
from tests.oracle import Data, Row, plain_rows, view
from tests.oracle.formulas import first, groups, quantile, where
from tests.oracle.pools import site

SENDING = (1, 2, 9)
MINUTE, HOUR = 60_000_000, 3_600_000_000


@cache
def system_queues() -> list[Row]:
    """The constants of view system_queue."""
    made = duckdb.execute(sqlfile.views()["system_queue"].text)
    return plain_rows([column[0] for column in made.description], made.fetchall())


def own_of(name: str | None) -> Row:
    """The row of view system_queue for a name: that of the longest pattern; empty for other queues."""
    fits = [row for row in system_queues() if fnmatchcase(name or "", row["queue_pattern"])]
    return max(fits, key=lambda row: len(row["queue_pattern"]), default={})


def _key(row: Row, *columns: str) -> tuple[Any, ...]:
    return tuple(row[column] for column in ("lpar", "qmgr", *columns))


def _asks(row: Row) -> bool:
    return row["base_name"] is not None and (row["gets_any"] or 0) + (row["gets_specific"] or 0) > 0


@view("transmission_channel", "lpar qmgr queue channel_name")
def transmission_channel(data: Data) -> list[Row]:
    senders = [
        row for row in data.raw("qcst") if row["channel_type_code"] in SENDING and row["channel_name"] is not None
    ]
    tasks = data.by("decoded.wtid", "record_id")
    members = data.view("queue_sharing_group")
    found: dict[tuple[Any, ...], int] = {}

    def add(owner: tuple[Any, ...], queue: str, channel: str, known: int) -> None:
        key = (*owner, queue, channel)
        found[key] = min(found.get(key, known), known)

    by_channel = groups(senders, "lpar qmgr channel_name")
    for row in filter(_asks, data.raw("wq")):
        task = tasks.get((row["record_id"],))
        if task is None or task["connection_type_code"] != 6:
            continue
        same_time = [
            each for each in by_channel.get((*_key(row), task["channel_name"]), ())
            if each["interval_start_utc"] < row["interval_end_utc"] and row["interval_start_utc"] < each["interval_end_utc"]
        ]  # fmt: skip
        genuine = not row["mq_version"].startswith("8.") or row["cf_structure"] is not None or any(
            (row[name] or 0) > 0 for name in ("page_set_raw", "pool_raw", "time_on_queue_total_us")
        )  # fmt: skip
        if not same_time or not genuine:
            continue
        add(_key(row), row["base_name"], task["channel_name"], 1)
        if row["queue_disposition_code"] == 2 or row["cf_structure"] is not None:
            own = {each["qsg"] for each in members if _key(each) == _key(row)} - {None}
            for each in members:
                if each["qsg"] in own:
                    add(_key(each), row["base_name"], task["channel_name"], 1)
    for key, facts in site(data).items():
        for channel, queue in (facts.get("xmitq_by_channel") or {}).items():
            add(key, queue, channel, 2)
    names = {_key(row, "queue") for row in data.raw("qqst")} | {_key(row, "base_name") for row in data.raw("wq")}
    for row in senders:
        for queue, known in ((f"SYSTEM.CLUSTER.TRANSMIT.{row['channel_name']}", 3), (row["partner_name"], 4)):
            if queue is not None and (*_key(row), queue) in names:
                add(_key(row), queue, row["channel_name"], known)
    ways = ("got by the channel", "site file", "name of the queue", "name of the partner")
    return [
        {"lpar": lpar, "qmgr": qmgr, "queue": queue, "queue_group": queue, "channel_name": channel, "how_known": ways[known - 1], "is_proven": known < 3}
        for (lpar, qmgr, queue, channel), known in found.items()
    ]  # fmt: skip


def opened_remotely(data: Data) -> set[tuple[Any, ...]]:
    """Queues that were opened as remote or cluster queues, and from which no program and no client gets."""
    clients = {_key(row, "channel_name") for row in data.raw("qcst") if row["channel_type_code"] == 7}
    tasks = data.by("decoded.wtid", "record_id")
    read = set()
    for row in filter(_asks, data.raw("wq")):
        task = tasks.get((row["record_id"],))
        if task and (task["connection_type_code"] != 6 or (*_key(row), task["channel_name"]) in clients):
            read.add(_key(row, "base_name"))
    return {_key(row, "base_name") for row in data.raw("wq") if row["queue_type_code"] in (6, 7)} - read


def channels_text(channels: list[str]) -> str:
    """Three names of channels at most."""
    more = f" and {len(channels) - 3} more" if len(channels) > 3 else ""
    return ", ".join(sorted(channels)[:3]) + more


def advice(queue: str, kind: str, own: Row, channels: str | None, *, seems: bool) -> str | None:
    """What to do about a queue that no application reads."""
    status = f"DISPLAY CHSTATUS(*) XMITQ('{queue}') STATUS SUBSTATE"
    if kind == "transmission":
        return f"Check the channel of this transmission queue{f', {channels}' if channels else ''}: {status}"
    if seems:
        return (
            "It seems to be a transmission queue: it was opened as a remote queue, and no program gets from it. "
            f"Check DISPLAY QLOCAL('{queue}') USAGE and {status}, and list it in xmit_queues of the site file if it is one"
        )
    if not own:
        return None
    command = own["look_command"].replace("{queue}", f"'{queue}'")
    return f"The queue holds {own['system_holds']}, read by {own['system_reader']}. Likely cause: {own['rise_means']}. Check {command}"


@view("queue_unread", "lpar qmgr interval_start_utc queue record_id")
def queue_unread(data: Data) -> list[Row]:
    steps = [
        {
            **row, "had_messages": (row["depth_high"] or 0) > 0 or (row["group_puts"] or 0) > 0, "hour": row["interval_start_utc"] // HOUR,
            "sure_end": row["interval_start_utc"] + round(row["interval_seconds"] * 1e6) - MINUTE,
        }
        for row in where(data.view("queue_merged"), "not retained_queue")
    ]  # fmt: skip
    pieces = [
        {**row, "from": max(row["channel_start_utc"] or 0, row["interval_start_utc"]), "to": first(row["channel_stop_utc"], row["interval_end_utc"])}
        for row in data.raw("qcst")
        if row["channel_status"] == "Running" or row["channel_stop_utc"] is not None
    ]  # fmt: skip
    records = groups(data.raw("qcst"), "lpar qmgr")
    ran = groups(pieces, "lpar qmgr channel_name")
    sent = groups(data.view("transmission_channel"), "lpar qmgr queue")
    out = []
    for key, rows in groups(steps, "lpar qmgr queue").items():
        age = quantile((row["oldest_message_s"] for row in rows if (row["group_handles_last"] or 0) > 0), 0.95)
        used = [row for row in rows if row["had_messages"]]
        read = [
            (row["group_input_handles"] or 0) > 0
            for row in used
            if row["group_input_handles"] or row["members_missing"] == 0
        ]
        share = 100 * sum(read) / len(read) if read else None
        unread = {row["hour"] for row in rows if row["group_handles_last"] == 0 and row["depth"] > 0}
        for row in rows:
            if row["group_handles_last"] is None:
                continue
            missing: tuple[Any, ...] = (None, None, None)
            if row["group_handles_last"] == 0 and row["depth"] > 0:
                missing = _missing(row, sent.get(key, []), ran, records.get(key[:2], []))
            before = sum(row["hour"] - 24 * days in unread for days in range(1, 8)) if row["hour"] in unread else 0
            oldest = row["oldest_message_s"]
            out.append({
                **row, "usual_age_s": age, "steps_read_pct": share, "days_unread_before": before,
                "times_usual": oldest / max(1, age or 1) if oldest is not None else None,
                **dict(zip(("missing_channel", "missing_from_utc", "missing_until_utc"), missing, strict=True)),
            })  # fmt: skip
    return out


def _missing(step: Row, sent: list[Row], ran: dict[tuple[Any, ...], list[Row]], records: list[Row]) -> tuple[Any, ...]:
    """The channel with the most records that does not run at the end of a step, and the times between which it is
    missing.
    """
    count, last = (
        len({row["interval_start_utc"] for row in records}),
        max((row["interval_end_utc"] for row in records), default=0),
    )
    found = []
    for each in sent:
        pieces = ran.get((*_key(step), each["channel_name"]), [])
        mine = len({row["interval_start_utc"] for row in pieces})
        earlier = [row["to"] for row in pieces if row["from"] < step["sure_end"]]
        if 2 * mine > count and last > step["sure_end"] and earlier and max(earlier) < step["sure_end"]:
            later = min((row["from"] for row in pieces if row["from"] >= step["sure_end"]), default=None)
            found.append((-mine, each["channel_name"], max(earlier), later))
    return min(found, key=lambda item: item[:2])[1:] if found else (None, None, None)
