"""Messages offloaded to shared message data sets, and IMS bridge queues of a group that nobody uses."""

from __future__ import annotations

import math
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import grouped, groups, known, where
from tests.oracle.pools import site
from tests.oracle.queue_statistics import named
from tests.oracle.records import CUT, QMGR

ALWAYS = 63 * 1024
"""A message above 63 KB is always offloaded (MP16, 'Shared message data sets')."""
ENTRY = 122
"""A message of up to 122 bytes fits into the entry itself (MP16, 'Shared message data sets')."""


def _uncounted(data: Data) -> list[Row]:
    """The accounting of queues that no queue statistics of the queue manager show."""
    shown = {
        (r["lpar"], r["qmgr"], r["queue"]) for r in data.raw("qqst") if r["cf_structure"] and r["lpar"] is not None
    }
    return [r for r in data.raw("wq") if r["cf_structure"] and (r["lpar"], r["qmgr"], r["base_name"]) not in shown]


@view("smds_message_period", "lpar qmgr cf_structure")
def smds_message_period(data: Data) -> list[Row]:
    """QQSTPUT and QQSTPUT1 with their bytes by queue, or the valid puts of accounting."""
    queues = grouped(
        where(data.raw("qqst"), "cf_structure != '' and lpar is not None"), f"{QMGR} cf_structure queue",
        "messages = sum(puts + put1s)\nbytes = sum(mqput_bytes + mqput1_bytes)",
    )  # fmt: skip
    queues += grouped(
        _uncounted(data), f"{QMGR} cf_structure base_name", "messages = sum(valid_puts)\nbytes = sum(put_bytes)"
    )
    by = groups(where(queues, "messages > 0"), f"{QMGR} cf_structure")
    out = []
    for row in data.view("smds_period"):
        mine = by.get((row["lpar"], row["qmgr"], row["cf_structure"]))
        large = [queue for queue in mine or () if queue["bytes"] / queue["messages"] > ALWAYS]
        messages = sum(queue["messages"] for queue in large)
        each = sum(queue["bytes"] for queue in large) / messages if messages else None
        nothing = row["smds_allocate_requests"] == 0
        buffers = math.ceil(each / row["buffer_bytes"]) if each is not None and row["buffer_bytes"] else None
        out.append({
            **{name: row[name] for name in ("lpar", "qmgr", "cf_structure")},
            "offloaded_messages": 0 if nothing else messages if mine else None,
            "average_offloaded_bytes": each if row["smds_allocate_requests"] else None,
            "buffers_per_message": 0 if nothing or (mine and not messages) else buffers,
        })  # fmt: skip
    return out


def _full_from(size: int | None) -> int | None:
    """The default rules of CFLEVEL(5): above 32 KB from 70 % on, above 4 KB from 80 %, all others from 90 % (MP16,
    'Offload rules').
    """
    return None if size is None else 70 if size > 32 * 1024 else 80 if size > 4 * 1024 else 90


@view("smds_message_size", f"{CUT} cf_structure")
def smds_message_size(data: Data) -> list[Row]:
    """QQSTMXMS of queues with a message in the interval; the largest put of accounting in the period."""
    facts = site(data)
    shown = groups(where(data.raw("qqst"), "puts + put1s > 0"), f"{CUT} cf_structure")
    period = groups(where(_uncounted(data), "valid_puts > 0"), f"{QMGR} cf_structure")
    out = []
    for row in where(data.raw("qesd"), "smds_blocks > 0"):
        place = row["lpar"], row["qmgr"]
        sizes: list[Any] = [
            r["message_bytes_high"] for r in shown.get((*place, row["interval_start_utc"], row["cf_structure"]), ())
        ]
        sizes += [r["put_bytes_high"] for r in period.get((*place, row["cf_structure"]), ())]
        most = max(known(sizes), default=0)
        size = most if most > ENTRY else None
        custom = facts.get(place, {}).get("smds_offload_custom")
        out.append({
            **{name: row[name] for name in (*CUT.split(), "cf_structure")}, "largest_message_bytes": size,
            "structure_full_from_pct": _full_from(size), "offload_custom": bool(named(row["cf_structure"], custom)),
        })  # fmt: skip
    return out


@view("ims_idle_queue", "group_name")
def ims_idle_queue(data: Data) -> list[Row]:
    """A partial record (QQSTPART) does not show whether a queue was used."""
    rows: list[Row] = [
        {**row, "group_name": row["qsg"] if row["qsg"] is not None else row["queue_qsg"]} for row in data.view("queue_statistics")
        if row["queue_kind"] == "IMS bridge" and row["shared_queue"] and not row["depth_unknown"]
    ]  # fmt: skip
    hours = {
        key: sum(r["interval_seconds"] for r in cuts) / 3600
        for key, cuts in groups(data.view("interval_cut"), QMGR).items()
    }
    out = []
    for (name,), members in groups(rows, "group_name").items():
        put = {key[0]: sum(known(r["messages_put"] for r in given)) for key, given in groups(members, "queue").items()}
        idle = sorted(queue for queue, messages in put.items() if messages == 0)
        lpar, qmgr = min((r["lpar"], r["qmgr"]) for r in members)
        period = hours.get((lpar, qmgr))
        out.append({
            "group_name": name, "lpar": lpar, "qmgr": qmgr, "shared_bridge_queues": len(put), "idle_bridge_queues": len(idle),
            "idle_queue_names": ", ".join(idle[:3]) or None, "period_hours": None if period is None else round(period, 3),
        })  # fmt: skip
    return out
