"""How applications use queues: opens, MQPUT1, temporary queues, topics, and how long messages stay."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.applications import sums
from tests.oracle.formulas import SECOND, computed, grouped, groups, joined, where
from tests.oracle.periods import keyed
from tests.oracle.queues import QUEUE, USER
from tests.oracle.records import CUT, QMGR
from tests.oracle.tasks import ENDED


@view("queue_open_pattern", USER)
def queue_open_pattern(data: Data) -> list[Row]:
    """Catalogue, queue/open_patterns: 0.9, 100, 1000 and 2 are its limits."""
    rows = joined(
        where(data.view("queue_use"), "first(is_topic, False) == False"), keyed(data.raw("wtas"), "record_id"), "task_record_id",
        "task_flags queue_blocks",
    )  # fmt: skip
    rows = computed(rows, "base_name = queue_group\nmoved = valid_puts + valid_gets")
    return grouped(
        rows, "lpar qmgr qsg base_name application connection_type_name",
        sums("opens closes puts put1s gets open_cpu_us close_cpu_us put_cpu_us put1_cpu_us".split())
        + f"""
tasks = distinct(task_correlator)
messages = sum(moved)
messages_per_open = messages / opens
put1_pct = 100 * put1s / (puts + put1s)
average_open_cpu_us = open_cpu_us / opens
average_close_cpu_us = close_cpu_us / closes
open_close_cpu_s = (open_cpu_us + close_cpu_us) / 1e6
average_put1_cpu_us = put1_cpu_us / put1s
average_put_cpu_us = put_cpu_us / puts
open_saving_cpu_s = greatest(0, opens - tasks) * (first(average_open_cpu_us, 0) + first(average_close_cpu_us, 0)) / 1e6
open_handles = sum(open_handles, where=(task_flags & {ENDED}) == 0)
queues_open_per_task = max(queue_blocks)
opens_to_put = puts > 100 and opens >= 0.9 * puts
put1_loop = put1s > 1000 and put1s / tasks > 100
opens_to_get = gets > 100 and opens >= 0.9 * gets
pattern = 'open, put, close' if opens_to_put else 'MQPUT1 in a loop' if put1_loop else 'open, get, close' if opens_to_get else
    'few messages per open' if messages_per_open < 2 else None
""",
    )  # fmt: skip


@view("queue_put1", "lpar qmgr queue_group application_group task_record_id")
def queue_put1(data: Data) -> list[Row]:
    """WTASINTS and WTASINTE are the ends of the accounting interval of a task."""
    rows = where(data.view("queue_use"), "put1s > 0 and base_name is not None and first(is_topic, False) == False")
    group = "lpar qmgr queue_group application_group"
    every = keyed(grouped(rows, group, "all_put1s = sum(put1s)\nall_put1_cpu_us = sum(put1_cpu_us)"), group)
    out = grouped(rows, f"{group} task_record_id", "put1s_of_task = sum(put1s)")
    out = joined(joined(out, every, group, "all_put1s all_put1_cpu_us"), keyed(data.raw("wtas"), "record_id"), "task_record_id",
        "task_interval_start_utc task_interval_end_utc")  # fmt: skip
    return computed(out, "put1s_per_min = put1s_of_task / ((task_interval_end_utc - task_interval_start_utc) / MINUTE)")


PLACE = ("page_set_id", "pool_id")
"""Where a queue is: statistics of queues are newer than its accounting, which has the places of all intervals."""


@view("queue_lifetime", QUEUE)
def queue_lifetime(data: Data) -> list[Row]:
    """Catalogue, queue/message_lifetime: one and two checkpoints are the limits; the minutes are those of the whole
    period.
    """
    ends = keyed(data.raw("wtas"), "record_id")
    lowest: dict[tuple[Any, ...], int] = {}
    for row in data.view("queue_use"):
        key = (row["lpar"], row["qmgr"], row["queue_group"])
        if row["time_on_queue_total_us"] and row["time_on_queue_low_us"] is not None:
            lowest[key] = min(lowest.get(key, row["time_on_queue_low_us"]), row["time_on_queue_low_us"])
    accounted, counted = (data.by(name, *QUEUE.split()) for name in ("queue_total", "queue_statistics_total"))
    names = "page_set_id pool_id valid_gets valid_destructive_gets time_on_queue_total_us time_on_queue_high_us longest_time_task"
    rows = [
        {
            **dict.fromkeys(names.split()),
            **dict(zip(QUEUE.split(), key, strict=True)),
            **(counted.get(key) or {}),
            **{name: value for name, value in (accounted.get(key) or {}).items() if value is not None},
            **{name: counted[key][name] for name in PLACE if key in counted and counted[key][name] is not None},
        }
        for key in {**accounted, **counted}
    ]
    rows = joined(rows, counted, QUEUE, "queue_time_short_us queue_time_long_us oldest_message_s")
    rows = joined(rows, data.by("buffer_pool_checkpoint", "lpar", "qmgr"), QMGR, "period_minutes_per_checkpoint")
    for row in rows:
        key = (row["lpar"], row["qmgr"], row["base_name"])
        if row["valid_destructive_gets"] is None:
            row["valid_destructive_gets"] = row["valid_gets"]
        row["shortest_time_on_queue_us"] = lowest.get(key)
        longest = ends.get(((accounted.get(key) or {}).get("longest_task_record_id"),))
        row["longest_time_seen_utc"] = longest["task_interval_end_utc"] if longest else None
    rows = computed(
        where(
            rows,
            "valid_destructive_gets > 0 or oldest_message_s > 0 or queue_time_short_us > 0 or queue_time_long_us > 0",
        ),
        """
        messages_got = valid_destructive_gets
        average_time_on_queue_us = time_on_queue_total_us / valid_destructive_gets
        average_time_on_queue_s = average_time_on_queue_us / 1e6
        longest_time_on_queue_s = time_on_queue_high_us / 1e6
        minutes_per_checkpoint = period_minutes_per_checkpoint
        checkpoints = average_time_on_queue_us / MINUTE / minutes_per_checkpoint
        lifetime_class = None if checkpoints is None else 'short' if checkpoints < 1 else 'long' if checkpoints > 2 else 'medium'
        """,
    )
    classes: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    for row in rows:
        if row["lifetime_class"]:
            classes[row["lpar"], row["qmgr"], row["pool_id"]].add(row["lifetime_class"])
    for row in rows:
        mine = classes[row["lpar"], row["qmgr"], row["pool_id"]]
        row["mixed_pool"] = len(mine) > 1 if row["pool_id"] is not None and mine else None
    return rows


@view("temporary_queue", CUT)
def temporary_queue(data: Data) -> list[Row]:
    """Catalogue, data_manager/object_churn: the tasks that end in the interval, plus or minus a second."""
    ends = keyed(data.raw("wtas"), "record_id")
    cuts = groups(data.view("interval_cut"), QMGR)
    rows = []
    for row in where(data.view("queue_use"), "is_temporary_dynamic"):
        end = ends.get((row["task_record_id"],), {}).get("task_interval_end_utc")
        mine = [
            cut for cut in cuts.get((row["lpar"], row["qmgr"]), ())
            if end is not None and cut["interval_start_utc"] < end - SECOND <= cut["interval_end_utc"]
        ]  # fmt: skip
        if mine:
            cut = max(mine, key=lambda cut: cut["interval_start_utc"])
            rows.append({**row, "interval_start_utc": cut["interval_start_utc"]})
    return grouped(
        rows, CUT,
        """
        temporary_queues_seen = distinct(base_name)
        temporary_opens = sum(opens)
        model_queues = texts(open_name)
        temporary_open_et_us = sum(open_et_us) / sum(opens)
        temporary_open_suspend_us = sum(open_suspend_us) / sum(opens)
        """,
    )  # fmt: skip


@view("topic_use", "lpar qmgr application connection_type_name open_name base_name")
def topic_use(data: Data) -> list[Row]:
    """Catalogue, topic/publishers: figures of tasks are in one row for each application, without a name."""
    blocks = grouped(
        where(data.view("queue_use"), "published > 0 or is_topic"), "lpar qmgr application connection_type_name open_name base_name",
        """
        is_topic = any(is_topic)
        published = sum(published)
        puts = sum(puts + put1s)
        put_cpu_us = sum(put_cpu_us + put1_cpu_us)
        topic_srb_us = sum(topic_srb_us)
        cpu_per_publish_us = (put_cpu_us + topic_srb_us) / published
        """,
    )  # fmt: skip
    tasks = grouped(
        where(data.view("task"), "subscribes > 0 or topic_cpu_us > 0"), "lpar qmgr application connection_type_name",
        """
        subscribes = sum(subscribes)
        subscribe_cpu_us = sum(subscribe_cpu_us)
        subscribe_average_et_us = sum(subscribe_et_us) / subscribes
        subscribe_selectors = sum(subscribe_selectors)
        topic_cpu_us = sum(topic_cpu_us)
        """,
    )  # fmt: skip
    names = dict.fromkeys(["open_name", "base_name", *(blocks[0] if blocks else ()), *(tasks[0] if tasks else ())])
    return [{**names, **row} for row in (*blocks, *tasks)]


@view("queue_sync", f"{QMGR} queue")
def queue_sync(data: Data) -> list[Row]:
    channels = keyed(grouped(data.view("channel"), QMGR, "active_channels = distinct(channel_name)"), QMGR)
    rows = where(data.view("queue_depth"), "queue == 'SYSTEM.CHANNEL.SYNCQ'")
    return computed(joined(rows, channels, QMGR, "active_channels"), "depth_per_channel = depth_high / active_channels")
