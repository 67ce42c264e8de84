"""Work of applications, queues and channels in statistics intervals: what explains a finding (catalogue, rules about
who fills a pool, a log, a structure).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import SECOND, groups, known, where
from tests.oracle.records import CUT, QMGR
from tests.oracle.tasks import CHANNEL, DYNAMIC

WORK = """
pages kept | pages held | pages | 115.216 | rise
pages held | pages held | pages | 115.216 | interval max
bytes kept | bytes held | bytes | 115.216 | rise
bytes held | bytes held | bytes | 115.216 | interval max
pages put minus got | pages put minus got | pages | 116.1 | sum
bytes put minus got | bytes put minus got | bytes | 116.1 | sum
pages put | pages put | pages | 116.1 | sum
pages read | pages read | pages | 116.1 | sum
messages put | messages put | messages | 116.1 | sum
messages put minus got | messages put minus got | messages | 116.1 | sum
gets without a message | gets without a message | gets | 116.1 | sum
opens | opens | opens | 116.1 | sum
log bytes | log bytes | bytes | 116.1 | sum
log writes | log writes | writes | 116.1 | sum
log waits | log waits | us | 116.1 | sum
backout time | backout time | us | 116.1 | sum
SMDS pages | SMDS pages | pages | 116.1 | sum
SMDS waits | SMDS waits | us | 116.1 | sum
adapter time | adapter time | us | 116.1 | sum
channel calls | channel calls | messages and calls | 116.10 | sum
channel time | channel time | us | 116.10 | sum
compressed bytes | compressed bytes | bytes | 116.10 | sum
channels | channels | channels | 116.10 | interval max
conversations | conversations | conversations | 116.10 | interval max
TLS starts | TLS starts | starts | 116.10 | sum
DNS time | DNS time | not documented | 116.10 | max
CF time | CF time | us | 116.1 | sum
CF lists read | CF lists read | requests | 116.1 | sum
CF redrives | CF redrives | redrives | 116.1 | sum
CF opens | CF opens | opens | 116.1 | sum
connections | connections | connections | 116.1 | interval max
open handles | open handles | handles | 116.1 | interval max
latch time | latch time | us | 116.1 | sum
Db2 requests | Db2 requests | requests | 116.1 | sum
Db2 time | Db2 time | us | 116.1 | sum
Db2 bytes | Db2 bytes | bytes | 116.1 | sum
"""
"""Measure, figure, unit, class, and how intervals are put together. Depths and pages are levels, so a kept amount is a
rise; connections and handles are open at the same time, so one interval counts; all else adds."""
OF_GROUP = ("bytes held", "bytes put minus got")
"""What fills a structure: all members of the group share it."""


@view("work_measure", "work_measure")
def work_measure(data: Data) -> list[Row]:
    names = "work_measure work_figure work_unit work_class work_over".split()
    rows = [dict(zip(names, line.split(" | "), strict=True)) for line in WORK.strip().splitlines()]
    return [{**row, "work_of_group": row["work_figure"] in OF_GROUP} for row in rows]


def _placed(data: Data) -> dict[int, Row]:
    """Tasks by record with the statistics interval in which their interval ended, plus or minus a second."""
    cuts = groups(data.view("interval_cut"), QMGR)
    who = data.by("task", "record_id")
    out = {}
    for task in data.raw("wtas"):
        end = task["task_interval_end_utc"]
        late = [
            cut
            for cut in cuts.get((task["lpar"], task["qmgr"]), ())
            if end is not None and cut["interval_end_utc"] >= end - SECOND
        ]
        cut = min(late, key=lambda cut: cut["interval_end_utc"], default=None)
        if cut and end > cut["interval_start_utc"]:
            names = ("application_group", "channel_name", "connection_type_code", "rollback_et_us")
            mine = who.get((task["record_id"],)) or dict.fromkeys(names)
            times = {name: cut[name] for name in ("interval_start_utc", "interval_end_utc")}
            out[task["record_id"]] = {**task, **times, **{name: mine[name] for name in names}}
    return out


OTHER_VERBS = ("other", "commit", "backout", "prepare", "subscribe", "subscription_request", "control", "status")
LOG_WRITE = 128 * 4096
"""One write holds at most 128 pages of 4 KB (MP16, 'Log manager')."""


def _of_task(task: Row, forces: int) -> dict[str, float | None]:
    """Figures of a task alone; those that its record lacks are null."""
    parts = (task["task_log_forces"], task["task_log_bytes"])
    return {
        "log bytes": task["task_log_bytes"], "log waits": task["task_log_force_us"],
        "log writes": None if None in parts else parts[0] + forces + parts[1] / LOG_WRITE,
        "backout time": task["rollback_et_us"],
        "Db2 requests": task["db2_calls"], "Db2 time": task["db2_thread_us"], "Db2 bytes": task["db2_bytes_written"],
        "adapter time": sum(task[f"{verb}_et_us"] or 0 for verb in OTHER_VERBS) if task["connection_type_code"] == CHANNEL else None,
    }  # fmt: skip


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _of_queue(block: Row) -> dict[str, float | None]:
    """Figures of a queue block. A message takes a page, and another one for each 4,048 bytes above 3,635 (MP16)."""
    size = block["put_bytes"] / block["valid_puts"] if block["valid_puts"] and block["put_bytes"] is not None else 0
    pages = 1 + max(0, math.ceil((size - 3635) / 4048))
    got = block["valid_gets"] if block["valid_destructive_gets"] is None else block["valid_destructive_gets"]
    puts, direct = block["valid_puts"], block["puts_to_waiting_getter"] or 0
    kept = _minus(puts, got)
    paged, shared = block["page_set_id"] is not None, block["cf_structure"] is not None
    return {
        "pages put": max(0, puts - direct) * pages if paged and puts is not None else None,
        "pages read": block["get_page_set_reads"] if paged else None, "pages put minus got": kept * pages if paged and kept is not None else None,
        "bytes put minus got": _minus(block["put_bytes"], block["get_bytes"]) if shared else None, "messages put": puts,
        "messages put minus got": kept, "gets without a message": _minus(block["gets"], block["valid_gets"]), "opens": block["opens"],
        "CF time": block["queue_cf_us"], "CF lists read": block["readlist_requests"], "CF opens": block["opens_with_cf"], "open handles": block["open_handles"],
    }  # fmt: skip


def _of_channel(row: Row) -> dict[str, float | None]:
    """Figures of a channel instance, with the time on its dispatcher by the figures of the view's note."""
    parts: tuple[Any, Any] = (row["bytes_sent"], row["bytes_received"])
    sizes: Any = None if None in parts else sum(parts)
    calls = row["channel_messages"]
    started = bool(row["started_in_interval"])
    return {
        "channel calls": calls, "compressed bytes": sizes if (row["compression_rate_pct"] or 0) > 0 else None,
        "channel time": None if None in (calls, sizes) else 150 * calls + 755 * started + 0.0007 * sizes, "channels": 1,
        "conversations": max(1, row["shared_conversations"] or 1), "TLS starts": int(started and bool(row["uses_tls"])), "DNS time": row["dns_resolution_time"],
    }  # fmt: skip


PLACE = (
    "page_set_id",
    "pool_id",
    "cf_structure",
    "latch_class",
    "dispatcher_number",
    "queue_group",
    "application_group",
    "channel",
)
KEY = (*CUT.split(), "interval_end_utc", *PLACE, "work_measure")
Item = tuple[Row, str, float | None]


def _tasks(data: Data, placed: dict[int, Row]) -> Iterator[Item]:
    """Work of tasks, of their queues, on their structures and on latches: row with its place, measure, value."""
    blocks = [row for row in data.view("queue_use") if row["task_record_id"] in placed]
    of_task = groups(blocks, "task_record_id")
    for row in blocks:
        task = placed[row["task_record_id"]]
        queue = {name: row[name] for name in ("page_set_id", "pool_id", "cf_structure", "queue_group")}
        who = {**task, "application_group": row["application_group"], "channel_name": row["channel_name"]}
        for name, value in _of_queue(row).items():
            yield {**who, **queue}, name, value
        if task["connection_type_code"] == CHANNEL:
            yield who, "adapter time", row["queue_mq_et_us"]
    latches = groups(data.raw("wtas_latch"), "record_id")
    for number, task in placed.items():
        mine = of_task.get((number,), [])
        for name, value in _of_task(task, sum(row["queue_log_forces"] or 0 for row in mine)).items():
            yield task, name, value
        used = {
            "SMDS pages": sum(task[f"task_smds_{name}_pages"] or 0 for name in ("read", "write")), "SMDS waits": task["task_smds_wait_us"] or 0,
            "CF redrives": sum(task[f"{name}_redrives"] or 0 for name in ("single", "multiple")),
        }  # fmt: skip
        for structure in {row["cf_structure"] for row in mine if row["cf_structure"] is not None}:
            for name, amount in used.items():
                yield {**task, "cf_structure": structure}, name, amount
        for latch in latches.get((number,), ()):
            longest = latch["latch_class_waits"] * (task["task_interval_end_utc"] - task["task_interval_start_utc"]) if latch["latch_class_waits"] and task["task_interval_start_utc"] is not None else -1  # fmt: skip
            if (
                latch["latch_class_waits"]
                and latch["latch_class_wait_us"] is not None
                and latch["latch_class_wait_us"] <= longest
            ):
                yield {**task, "latch_class": latch["latch_class"]}, "latch time", latch["latch_class_wait_us"]


MOST = ("DNS time",)


@view("interval_work", " ".join(name for name in KEY if name != "channel") + " channel_name")
def interval_work(data: Data) -> list[Row]:
    placed = _placed(data)
    items: list[Item] = list(_tasks(data, placed))
    for row in data.view("channel"):
        given = {name: row[name] for name in (*CUT.split(), "interval_end_utc", "dispatcher_number", "channel_name")}
        items += [({**given, "channel": row["channel_name"]}, name, value) for name, value in _of_channel(row).items()]
    found: dict[tuple[Any, ...], list[tuple[float, str | None]]] = defaultdict(list)
    for given, name, value in items:
        if value is not None:
            place = {column: given.get(column) for column in PLACE}
            if name in ("log bytes", "log waits", "log writes"):
                place["cf_structure"] = None
            times = [given[column] for column in (*CUT.split(), "interval_end_utc")]
            found[*times, *(place[column] for column in PLACE), name].append((value, given["channel_name"]))
    people: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    for task in placed.values():
        place = {**dict.fromkeys(PLACE), "application_group": task["application_group"]}
        key = (
            *(task[column] for column in (*CUT.split(), "interval_end_utc")),
            *(place[column] for column in PLACE),
            "connections",
        )
        people[key].add(task["task_correlator"])
        found.setdefault(key, []).append((0.0, task["channel_name"]))
    out = []
    for key, values in found.items():
        row = dict(zip(KEY, key, strict=True))
        amounts = [value for value, _ in values]
        total = (
            max(amounts)
            if key[-1] in MOST
            else float(len(people[key]))
            if key[-1] == "connections"
            else math.fsum(amounts)
        )
        if total > 0 or key[-1].endswith(" minus got"):
            row |= {
                "work_value": total,
                "work_before": None,
                "channel_name": max(known(name for _, name in values), default=None),
            }
            out.append(row)
    names = (*CUT.split(), "interval_end_utc", "page_set_id", "pool_id", "cf_structure", "queue_group")
    of_queues = [{**row, "queue_group": DYNAMIC.sub("*", row["queue"])} for row in data.view("queue_held")]
    for key, rows in groups(of_queues, " ".join(names)).items():
        row = {**dict.fromkeys(KEY), **dict(zip(names, key, strict=True)), "channel_name": None}
        before = known(r["held_before"] for r in rows)
        row |= {
            "work_measure": "pages held" if row["cf_structure"] is None else "bytes held", "work_value": float(sum(r["held"] for r in rows)),
            "work_before": float(sum(before)) if before else None,
        }  # fmt: skip
        if row["work_value"] > 0:
            out.append(row)
    return [{name: value for name, value in row.items() if name != "channel"} for row in out]


@view("work_unattributed", f"{QMGR} reason")
def work_unattributed(data: Data) -> list[Row]:
    """Catalogue, chargeback: queue blocks without a task, CPU time of class 1 that class 3 lacks, connections without
    class 3, calls without accounting.
    """
    out: list[Row] = []

    def add(key: tuple[Any, ...], reason: str, cpu: Any, calls: Any, connections: Any) -> None:
        out.append({**dict(zip(QMGR.split(), key, strict=True)), "reason": reason, "unattributed_cpu_us": cpu,
                    "unattributed_calls": calls, "unattributed_connections": connections})  # fmt: skip

    for key, rows in groups(where(data.view("queue_use"), "task_record_id is None"), QMGR).items():
        cpu, calls = ([r[name] for r in rows if r[name] is not None] for name in ("queue_mq_cpu_us", "queue_calls"))
        add(key, "queue blocks without a task", sum(cpu) if cpu else None, sum(calls) if calls else None, None)
    spans = {
        key: (min(known(r["task_interval_start_utc"] for r in rows), default=math.inf), max(known(r["task_interval_end_utc"] for r in rows), default=-math.inf))
        for key, rows in groups(data.raw("wtas"), QMGR).items()
    }  # fmt: skip
    for key, rows in groups(data.view("connection_task"), QMGR).items():
        whole = [r for r in rows if r["class3_whole"]]
        if whole:
            cpu = known(r["unattributed_cpu_us"] for r in whole)
            add(key, "class 1 above class 3", sum(cpu) if cpu else None, None, len(whole))
        start, end = spans.get(key, (math.inf, -math.inf))
        without = [
            r for r in rows if not r["in_class3"] and start - SECOND <= r["disconnect_utc"] <= end + SECOND
        ]  # fmt: skip
        if without:
            cpu = known(r["class1_cpu_us"] for r in without)
            calls = [
                r["class1_puts"] + r["class1_gets"] for r in without if None not in (r["class1_puts"], r["class1_gets"])
            ]
            add(
                key,
                "connections without class 3",
                sum(cpu) if cpu else None,
                sum(calls) if calls else None,
                len(without),
            )
    for row in where(data.view("coverage_calls"), "seen_by == 'task accounting' and calls_counted > calls_seen"):
        add(
            (row["lpar"], row["qmgr"]), "calls without accounting", None, row["calls_counted"] - row["calls_seen"], None
        )
    return out
