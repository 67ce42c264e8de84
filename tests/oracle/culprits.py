"""Who explains a finding, and who waited: the work of the intervals from the first to the last in breach (note of view
finding_work, and the measures of rules). Findings are read from the table that the rules fill.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import DAY, SECOND, groups, known
from tests.oracle.records import QMGR
from tests.oracle.tasks import DYNAMIC

HELD = ("pages held", "bytes held")
PUTS = ("messages put minus got", "messages put")
"""By which the messages that a queue kept are divided: who put more than it got, otherwise who put."""
FILLS = ("pages kept", "pages put minus got")
LITTLE = 0.05
"""Queues that kept less than a twentieth of the buffers or pages did not fill them."""
SUBJECTS = {
    "pool_id": r"buffer pool (\d+)\Z", "page_set_id": r"page set (\d+)\Z", "dispatcher_number": r"dispatcher (\d+)\Z", "latch_class": r".*, latch class (\d+)\Z",
    "cf_structure": r"structure (\S+)",
}  # fmt: skip
COPIED = "lpar qmgr rule_id rule_name severity weight distance subject first_seen_utc last_seen_utc".split()
Who = tuple[str | None, str | None, str | None]
"""Queue, application and channel."""


@dataclass
class Worked:
    """The work of one queue, application and channel on one member of a group; of the depth of a shared queue on all
    members.
    """

    who: Who
    member: tuple[Any, Any] | None
    value: float


def _places(finding: Row) -> Row:
    """The pool, page set, dispatcher, latch, structure or queue that a finding is about."""
    subject = finding["subject"] or ""
    out: Row = {}
    for column, pattern in SUBJECTS.items():
        if match := re.match(pattern, subject):
            out[column] = match[1] if column == "cf_structure" else int(match[1])
    if finding["rule_id"] == "LK002":
        out["latch_class"] = 11
    if finding["rule_area"] in ("queue", "cf") and (match := re.match(r"(?:shared )?queue (.+)\Z", subject)):
        out["queue_group"] = DYNAMIC.sub("*", match[1])
    return out


def _in_time(finding: Row, row: Row, before: int) -> bool:
    first = finding["first_seen_utc"]
    if first is None:
        return True
    return bool(
        row["interval_end_utc"] > first - before + SECOND
        and row["interval_start_utc"] <= finding["last_seen_utc"] + SECOND
    )


def _worked(finding: Row, measure: Row, figure: str, rows: list[Row]) -> list[Worked]:
    """The work of the period of a finding, by who did it."""
    is_held, over = figure in HELD, measure["work_over"]
    first = finding["first_seen_utc"]
    by: dict[Any, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        channel = row["channel_name"] if row["application_group"] is None else None
        key = (row["queue_group"], row["application_group"], channel, None if is_held else (row["lpar"], row["qmgr"]))
        by[key][row["interval_start_utc"]].append(row)
    out = []
    for (queue, application, _, member), intervals in by.items():
        values: dict[int, float] = {}
        for start, members in intervals.items():
            amounts = [row["work_value"] for row in members]
            values[start] = max(amounts) if is_held or over == "max" else sum(amounts)
        every = [row for members in intervals.values() for row in members]
        breached = [
            v
            for start, v in values.items()
            if first is None or any(r["interval_end_utc"] > first + SECOND for r in intervals[start])
        ]
        if over == "sum" or figure in PUTS:
            value: float | None = sum(values.values())
        elif not breached:
            value = None
        elif over == "rise":
            started = min(
                ((r["interval_start_utc"], -r["work_before"]) for r in every if r["work_before"] is not None),
                default=None,
            )
            value = None if started is None else max(breached) + started[1]
        else:
            value = max(breached)
        if value is not None:
            channel = max(known(row["channel_name"] for row in every), default=None)
            out.append(Worked((queue, application, channel), member, value))
    return out


def _divided(worked: list[Worked]) -> dict[Who, float]:
    """What one application put and another one got is not kept, nor is what other members got."""
    queues: dict[Any, dict[Any, list[Worked]]] = defaultdict(lambda: defaultdict(list))
    for each in worked:
        queues[each.who[0]][each.member].append(each)
    out: dict[Who, float] = defaultdict(float)
    names: dict[Any, list[str]] = defaultdict(list)
    for members in queues.values():
        total = sum(each.value for given in members.values() for each in given)
        parts: list[tuple[Worked, float]] = []
        for given in members.values():
            positive, net = sum(max(0, each.value) for each in given), sum(each.value for each in given)
            parts += [(each, max(0, net) * max(0, each.value) / positive) for each in given if positive]
        whole = sum(part for _, part in parts)
        for each, part in parts if total > 0 else ():
            if part > 0:
                queue, application, channel = each.who
                key = (queue, application, None if application is not None else channel)
                out[key] += part * total / whole
                names[key] += known([channel])
    return {
        (queue, application, max(names[queue, application, channel], default=None)): value
        for (queue, application, channel), value in out.items()
    }


def _done(finding: Row, measure: Row, rows: list[Row]) -> dict[Who, float]:
    """The work by a measure: of kept messages by who put them, where accounting shows it."""
    before = DAY if measure["work_over"] == "rise" else 0
    here = _places(finding)
    mine = groups(
        [
            row
            for row in rows
            if all(row[name] == value for name, value in here.items()) and _in_time(finding, row, before)
        ],
        "work_measure",
    )
    worked = _worked(finding, measure, measure["work_figure"], mine.get((measure["work_figure"],), []))
    if measure["work_class"] != "115.216":
        return _divided(worked)
    shares: dict[Any, dict[Who, float]] = defaultdict(dict)
    for figure in reversed(PUTS):
        shares |= by_queue(_divided(_worked(finding, measure, figure, mine.get((figure,), []))))
    out: dict[Who, float] = {}
    for each in worked:
        if each.value > 0:
            given = shares.get(each.who[0]) if each.who[0] is not None else None
            whole = sum(given.values()) if given else 0
            for who, value in (given or {each.who: 1.0}).items():
                out[who] = out.get(who, 0) + each.value * (value / whole if given else 1)
    return out


def by_queue(given: dict[Who, float]) -> dict[Any, dict[Who, float]]:
    out: dict[Any, dict[Who, float]] = defaultdict(dict)
    for who, value in given.items():
        out[who[0]][who] = value
    return out


def _ranked(done: dict[Who, float]) -> Iterator[Row]:
    """The first three, and one row for all others; of equal work by name."""

    def order(item: tuple[Who, float]) -> tuple[Any, ...]:
        return -item[1], *((name is None, name or "") for name in item[0])

    items, whole = sorted(done.items(), key=order), sum(done.values())
    for number, ((queue, application, channel), value) in enumerate(items[:3], 1):
        yield {"work_rank": number, "base_name": queue, "application": application, "channel_name": channel, "work_others": None,
               "work_value": value, "work_share_pct": 100 * value / whole}  # fmt: skip
    if rest := [value for _, value in items[3:]]:
        yield {"work_rank": 4, "base_name": None, "application": None, "channel_name": None, "work_others": len(rest), "work_value": sum(rest),
               "work_share_pct": 100 * sum(rest) / whole}  # fmt: skip


NOTHING = dict.fromkeys("work_rank base_name application channel_name work_others work_value work_share_pct".split())


@view("finding_work", f"{QMGR} rule_id subject work_role work_rank")
def finding_work(data: Data) -> list[Row]:
    """The first measure with work decides; what fills a structure counts for all members of the group."""
    measures = data.by("work_measure", "work_measure")
    work = groups(data.view("interval_work"), QMGR)
    group_of = {(row["lpar"], row["qmgr"]): row["qsg"] for row in data.view("queue_sharing_group")}
    collected = {
        key: {row["record_class"] for row in rows} for key, rows in groups(data.view("record_count"), QMGR).items()
    }
    coverage = data.by("accounting_missed", "lpar", "qmgr")
    opened: dict[Any, str] = {}
    for row in data.view("queue_application_total"):
        if row["opened_as"] is not None:
            key = (row["lpar"], row["qmgr"], row["base_name"], row["application_group"])
            opened[key] = max(opened.get(key, ""), row["opened_as"])
    room: dict[Any, int] = {}
    for name, column, size in (("buffer_pool", "pool_id", "buffers"), ("page_set", "page_set_id", "total_pages")):
        for row in data.view(name):
            key = (row["lpar"], row["qmgr"], column, row[column])
            room[key] = max(room.get(key, 0), row[size])
    out = []
    for finding in data.raw("finding"):
        place = (finding["lpar"], finding["qmgr"])
        for role, names in (
            (("culprit", finding["culprits"]), ("victim", finding["victims"])) if finding["state"] == "breach" else ()
        ):
            if names is None:
                continue
            listed = [measures[name,] for name in names]
            shown: list[Row] = []
            for measure in listed:
                others = [
                    other
                    for other, group in group_of.items()
                    if other == place
                    or (measure["work_of_group"] and group is not None and group == group_of.get(place))
                ]
                done = _done(finding, measure, [row for other in others for row in work.get(other, ())])
                full = next(
                    (
                        room[key]
                        for column, value in _places(finding).items()
                        if (key := (*place, column, value)) in room
                    ),
                    None,
                )
                if done and not (
                    measure["work_measure"] in FILLS and full is not None and sum(done.values()) < LITTLE * full
                ):
                    shown = [{**measure, **row} for row in _ranked(done)]
                    break
            classes = {measure["work_class"] for measure in listed}
            lacking = "the records do not show who"
            if listed:
                lacking = (
                    f"no {listed[0]['work_measure']} in the {' and '.join(sorted(classes))} records of that time"
                    if classes & collected.get(place, set())
                    else " and ".join(sorted(classes)) + " not collected"
                )
            for row in shown or [
                {**(listed[0] if listed else {"work_measure": None, "work_unit": None, "work_class": None}), **NOTHING}
            ]:
                by_puts = row["work_rank"] is not None and row["work_measure"] == "pages put" and "115.216" in classes
                why = (
                    "no queue kept much more than before"
                    if "115.216" in collected.get(place, set())
                    else "how much was kept is not recorded"
                )
                of_tasks = row["work_rank"] is not None and row["work_class"] == "116.1"
                out.append({
                    **{name: finding[name] for name in COPIED}, "work_role": role, **{name: row[name] for name in (*NOTHING, "work_measure", "work_unit")},
                    "opened_as": opened.get((*place, row["base_name"], row["application"])),
                    "put_coverage_pct": (coverage.get(place) or {}).get("put_coverage_pct") if of_tasks else None,
                    "work_remark": f"by puts: {why}" if by_puts else None, "work_missing": None if shown else lacking,
                })  # fmt: skip
    return out
