"""Queues interval by interval: what their queue-sharing group did, what they held, and messages that nobody got."""

from __future__ import annotations

import itertools
import math
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import computed, first, grouped, groups, where
from tests.oracle.queue_statistics import DYNAMIC, with_kind, with_maxdepth
from tests.oracle.records import CUT


def complete(data: Data) -> list[Row]:
    """Queue statistics without partial records, in the order of the intervals."""
    rows = where(data.view("queue_statistics"), "not depth_unknown")
    return sorted(rows, key=lambda row: (row["interval_start_utc"], row["record_id"]))


@view("queue_interval", f"{CUT} queue record_id")
def queue_interval(data: Data) -> list[Row]:
    """The members of a group are those whose interval covers the middle of this one."""
    rows = computed(
        complete(data),
        """
        shared_queue = first(shared_queue, False)
        lowest_depth = first(depth_low, depth)
        depth_high = first(depth_high, depth)
        waiting_handles = first(input_handles_high, input_handles)
        handles = input_handles + output_handles
        middle = interval_start_utc + interval_seconds * 500000
        """,
    )
    for row in rows:
        group = first(row["qsg"], row["queue_qsg"]) if row["shared_queue"] else None
        row["owner"] = group or (row["lpar"], row["qmgr"])
    kept: list[list[Row]] = []
    out: list[Row] = []
    for members in groups(rows, "owner queue").values():
        handles = {row["handles"] for row in members} - {None}
        redriven = any(row["shared_queue"] and (row["get_wait_redrives"] or 0) > 0 for row in members)
        if (
            any(row["depth_high"] > 0 or row["depth"] > 0 or row["uncommitted"] for row in members)
            or len(handles) > 1
            or redriven
        ):
            kept.append(members)
    rows_of = groups(itertools.chain(*kept), "lpar qmgr queue")
    for members in kept:
        out += _group(members, rows_of)
    of_group, reports = groups(data.view("group_member"), "qsg"), groups(data.view("queue_statistics"), "qmgr")
    for row in out:
        names = of_group.get((row["owner"],), []) if row["shared_queue"] else []
        there = sum(_reports(row["middle"], reports.get((member["qmgr"],), [])) for member in names)
        row["members_missing"] = len(names) - there
        row["no_reader_text"] = "nothing had it open for input"
        if row["shared_queue"]:
            number = f"{there:,} of {len(names):,}"
            if names == [] or (there == len(names) and not names[0]["members_stated"]):
                number = f"{len(names) or 1:,}; whether the group has others is not known"
            row["no_reader_text"] = f"no member in the data had it open for input ({number})"
        if there < len(names):
            row["group_handles_last"] = row["group_handles_last"] or None
    for given in groups(
        sorted(out, key=lambda row: (row["interval_start_utc"], row["record_id"])), "lpar qmgr queue"
    ).values():
        _runs(given)
    return with_kind(data, computed(with_maxdepth(data, out, "queue"), FAILED), "queue")


FAILED = """
max_depth_pct = 100 * depth_high / maxdepth
failed_redrives = greatest(0, group_redrives - group_gets) if group_redrives is not None and group_gets is not None else None
failed_redrives_per_get = failed_redrives / group_gets
seconds_since_last_get = (interval_end_utc - group_last_get_utc) / 1e6
"""


def _reports(moment: int, rows: list[Row]) -> bool:
    """Whether the last interval that began by then covers the moment."""
    last = max((row["interval_start_utc"] for row in rows if row["interval_start_utc"] <= moment), default=None)
    return any(row["interval_start_utc"] == last and row["interval_end_utc"] > moment for row in rows)


def _group(rows: list[Row], rows_of: dict[tuple[Any, ...], list[Row]]) -> list[Row]:
    """The rows of one queue of a group (or of one queue manager) with the figures of all members."""
    reporter = min(((row["lpar"] or "", row["qmgr"] or "") for row in rows if row["shared_queue"]), default=None)
    shared = where(rows, "shared_queue")
    members = [rows_of[key] for key in groups(shared, "lpar qmgr queue")]
    for row in rows:
        seen = [row]
        if row["shared_queue"]:
            seen = [
                last for given in members
                if (last := max((r for r in given if r["interval_start_utc"] <= row["middle"]), key=lambda r: r["interval_start_utc"], default=None))
                and last["interval_end_utc"] > row["middle"]
            ] or [row]  # fmt: skip

        def together(column: str, seen: list[Row] = seen) -> Any:
            known = [member[column] for member in seen if member[column] is not None]
            return sum(known) if known else None

        waiting = [member["waiting_handles"] > 0 for member in seen if member["waiting_handles"] is not None]
        row |= {
            "group_reporter": not row["shared_queue"] or (row["lpar"], row["qmgr"]) == reporter,
            "members_waiting": sum(waiting) if waiting else None, "group_puts": together("messages_put"), "group_gets": together("destructive_gets"),
            "group_input_handles": together("waiting_handles"), "group_redrives": together("get_wait_redrives"), "group_handles_last": together("input_handles"),
            "group_last_get_utc": max((r["last_get_utc"] for r in seen if r["last_get_utc"] is not None), default=None),
            "still": row["uncommitted"] and together("messages_put") == 0 and together("destructive_gets") == 0,
        }  # fmt: skip
    return rows


def _runs(rows: list[Row]) -> None:
    """The columns of one queue of one queue manager that depend on the intervals before and after."""
    for before, row in zip([None, *rows[:-1]], rows, strict=True):
        row["previous_depth"] = before["depth"] if before else None
        row["previous_handles"] = before["handles"] if before else None
        row |= {"still_minutes": None, "handles_added": 0, "handles_top": row["handles"]}
    for still, run in itertools.groupby(rows, key=lambda row: bool(row["still"])):
        mine = list(run)
        for row in mine if still else ():
            row["still_minutes"] = math.floor(sum(r["interval_seconds"] for r in mine) / 6 + 0.5) / 10
    start = 0
    for number in range(1, len(rows) + 1):
        steps = [row["handles"] for row in rows[number - 1 : number + 1]]
        if number == len(rows) or None in steps or steps[1] <= steps[0]:
            for row in rows[start:number]:
                row["handles_top"], low = rows[number - 1]["handles"], rows[start]["handles"]
                row["handles_added"] = row["handles_top"] - low if low is not None else None
            start = number
    for row in rows:
        known = row["handles_top"] is not None and rows[-1]["handles"] is not None
        row["handles_released"] = row["handles_top"] - rows[-1]["handles"] if known else None


@view("queue_merged", f"{CUT} queue record_id")
def queue_merged(data: Data) -> list[Row]:
    """Intervals are merged as view interval_step counts them; the last one gives what a merged row is called."""
    step = data.by("interval_step", *CUT.split())
    rows = []
    for row in where(data.view("queue_interval"), "group_reporter"):
        cut = step.get((row["lpar"], row["qmgr"], row["interval_start_utc"]))
        if cut:
            rows.append({**row, **{name: cut[name] for name in ("run", "part", "together")}})
    out = []
    for members in groups(sorted(rows, key=lambda row: row["interval_start_utc"]), "lpar qmgr queue").values():
        before = None
        for part in groups(members, "run part").values():
            if len(part) < part[0]["together"]:
                continue
            last = part[-1]
            merged = {
                **{name: last[name] for name in "lpar qmgr record_id queue retained_queue depth group_handles_last no_reader_text".split()}, "interval_start_utc": part[0]["interval_start_utc"],
                "interval_seconds": sum(row["interval_seconds"] for row in part), "lowest_depth": min(row["lowest_depth"] for row in part),
                "group_input_handles": max((h for row in part if (h := row["group_input_handles"]) is not None), default=None),
                **{name: sum(known) if (known := [row[name] for row in part if row[name] is not None]) else None for name in ("group_puts", "group_gets")},
                "depth_high": max(row["depth_high"] for row in part),
                "oldest_message_s": next((age for row in reversed(part) if (age := row["oldest_message_s"]) is not None), None),
                "members_missing": max(row["members_missing"] for row in part),
                "previous_lowest_depth": before["lowest_depth"] if before else None,
            }  # fmt: skip
            out.append(merged)
            before = merged
    return out


@view("queue_flow", "lpar qmgr interval_start_utc queue flow_from record_id")
def queue_flow(data: Data) -> list[Row]:
    """Accounting counts for queues of which queue statistics have no counts (before 9.3.3)."""
    counted = where(data.view("queue_statistics"), "not depth_unknown")
    statistics = [{**row, "flow_from": "queue statistics"} for row in counted]
    every = where(data.view("queue_statistics"), "messages_put is not None")
    seen = {(row["lpar"], row["qmgr"], DYNAMIC.sub("*", row["queue"])) for row in every}
    sums = "messages_put = sum(valid_puts)\ndestructive_gets = sum(valid_gets)\ngets_no_message = sum(gets_without_message)\nexpired_messages = sum(expired_messages)"
    by_hour = grouped(
        ({**row, "queue": DYNAMIC.sub("*", row["base_name"])} for row in data.view("queue_hour")),
        "lpar qmgr queue hour_start_utc",
        sums,
    )
    hours = [
        {
            **row, "depth": None, "flow_from": "accounting", "interval_start_utc": row["hour_start_utc"], "interval_seconds": 3600.0, "record_id": None,
        }
        for row in by_hour if (row["lpar"], row["qmgr"], row["queue"]) not in seen
    ]  # fmt: skip
    names = "lpar qmgr record_id interval_start_utc interval_seconds queue flow_from depth messages_put destructive_gets gets_no_message expired_messages".split()
    rows = [
        {name: row[name] for name in names}
        for row in (*statistics, *where(hours, "messages_put > 0 or expired_messages > 0 or gets_no_message > 0"))
    ]
    return with_kind(
        data,
        computed(
            rows,
            """
            no_message_per_message = gets_no_message / (destructive_gets if destructive_gets > 0 else 1)
            expired_pct = least(100, 100 * expired_messages / messages_put) if messages_put > 0 else 100 if expired_messages > 0 else None
            """,
        ),
        "queue",
    )


@view("queue_held", f"{CUT} queue")
def queue_held(data: Data) -> list[Row]:
    """MP16: a message takes a page, and another one for each 4,048 bytes above 3,635; a shared queue holds bytes."""
    out = []
    for members in groups(complete(data), "lpar qmgr queue cf_structure").values():
        size: float | None = None
        before: Row | None = None
        for row in members:
            size = row["message_bytes_average"] or size
            high = first(row["depth_high"], row["depth"])
            each = (
                max(1, size or 0)
                if row["cf_structure"] is not None
                else 1 + max(0, math.ceil(((size or 0) - 3635) / 4048))
            )
            known = (row["messages_put"], row["destructive_gets"])
            start = (
                before["depth"]
                if before is not None
                else None
                if None in known
                else max(0, row["depth"] - known[0] + known[1])
            )
            placed = row["page_set_id"] is not None or row["cf_structure"] is not None
            if placed and (high > 0 or (before is not None and before["depth"] > 0)):
                out.append({**row, "held": high * each, "held_before": None if start is None else start * each})
            before = row
    return out
