"""Reports of area queue: what they conclude from puts, gets and depth, and what accounting does not show."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqstat.sql import sqlfile
from mqstat.sql.workspace import Workspace
from tests.support import START
from tests.test_published_shared import opened, report, use

HALF_HOUR = timedelta(minutes=30)
TASK = {"task_interval_start_utc": START, "task_interval_end_utc": START + HALF_HOUR}
PRIVATE = {
    "cf_structure": None,
    "queue_disposition": "QMgr",
    "queue_disposition_code": 0,
    "has_cf": False,
    "queue_type_code": 1,
}


def block(name: str, puts: int, gets: int, **values: Any) -> dict[str, Any]:
    """A block of class 3 accounting of a private queue with so many messages put and got."""
    counts = {"puts": puts, "valid_puts": puts, "gets": gets, "valid_gets": gets, "valid_destructive_gets": gets}
    return use(name, **{**PRIVATE, **counts, **values})


def every(db: Workspace, name: str) -> list[dict[str, Any]]:
    """All rows of a report."""
    return db.ask_rows(sqlfile.reports()[name].select)


EARLIER: dict[str, Any] = {"interval_start_utc": START - HALF_HOUR, "interval_end_utc": START}
LATER: dict[str, Any] = {"interval_start_utc": START + HALF_HOUR, "interval_end_utc": START + 2 * HALF_HOUR}
COUNTS = "puts gets more_puts more_gets expired puts_back gets_back cleared their_puts their_gets".split()
"""What happened on a queue: accounted calls, those that only statistics count, and those of another member."""
ZERO = "put1s expired_messages rolled_back_puts rolled_back_gets streamed_messages depth depth_high".split()


def counted(queue: str, puts: int, gets: int, **values: Any) -> dict[str, Any]:
    """A record of queue statistics."""
    return {"queue": queue, "shared_queue": False, "partial_record": False, **dict.fromkeys(ZERO, 0), "puts": puts, "destructive_gets": gets, **values}  # fmt: skip


def both_members(name: str, happened: dict[str, int]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Queue blocks and statistics of a queue on which this happened, after half an hour without calls."""
    n = dict.fromkeys(COUNTS, 0) | happened
    shared = n["their_puts"] + n["their_gets"] > 0
    added = n["puts"] + n["more_puts"] + n["their_puts"] + n["gets_back"]
    removed = n["gets"] + n["more_gets"] + n["their_gets"] + n["puts_back"] + n["expired"] + n["cleared"]
    before, after = max(0, removed - added), max(0, added - removed)
    own = {"expired_messages": n["expired"], "rolled_back_puts": n["puts_back"], "rolled_back_gets": n["gets_back"]}
    group: dict[str, Any] = {"shared_queue": shared, "queue_qsg": "QSG1" if shared else None}
    earlier = {**group, **EARLIER, "depth": before, "depth_high": before}
    group |= {"depth": after, "depth_high": before + after}
    own |= group
    statistics = [counted(name, 0, 0, **earlier), counted(name, n["puts"] + n["more_puts"], n["gets"] + n["more_gets"], **own)]  # fmt: skip
    if shared:
        other = (counted(name, 0, 0, **earlier), counted(name, n["their_puts"], n["their_gets"], **group))
        statistics += [row | {"lpar": "SYS2", "qmgr": "MQ02"} for row in other]
    place = {"queue_disposition_code": 2, "queue_disposition": "Shared", "cf_structure": "APP1"} if shared else {}
    return [block(name, n["puts"], n["gets"], **place)], statistics


def numbers(text: str, texts: dict[str, int]) -> tuple[int, int]:
    """The sum of the parts in an explanation with their signs, and the number that is not explained."""
    explained = left = 0
    for part in text.split("; "):
        words, number = re.fullmatch(r"([^:]*?) ([\d,]+)(?:: .*)?", part).groups()  # type: ignore[union-attr]
        value = int(number.replace(",", ""))
        left, explained = (value, explained) if words == "not explained" else (left, explained + texts[words] * value)
    return explained, left


UNACCOUNTED = "by tasks without accounting or by the queue manager"
STORIES: dict[str, tuple[dict[str, int], dict[str, list[dict[str, Any]]], str]] = {
    "stopped": ({"puts": 100}, {}, "not explained 100: look for a stopped consumer"),
    "drained": ({"gets": 100}, {}, "not explained 100: messages from before the period, or tasks without accounting"),
    "depth known": ({"puts": 100, "gets": 2}, {"qqst": []}, "still on the queue 98"),
    "depth before": ({"gets": 100}, {"qqst": []}, "on the queue before 100"),
    "one of many elsewhere": ({"puts": 100_000, "their_gets": 1}, {"qqst": []}, "still on the queue 99,999"),
    "half elsewhere": ({"puts": 100, "their_gets": 40}, {"qqst": []}, "still on the queue 60; got on other members 40"),
    "elsewhere": ({"gets": 100, "their_puts": 100}, {"qqst": []}, "put on other members 100"),
    "not accounted": ({"puts": 100, "more_gets": 100}, {"qqst": []}, f"got {UNACCOUNTED} 100"),
    "puts not accounted": ({"gets": 100, "more_puts": 100}, {"qqst": []}, f"put {UNACCOUNTED} 100"),
    "streamed": ({"gets": 100, "more_puts": 100}, {"qqst": [counted("ORDERS", 100, 100, streamed_messages=100)]}, "copies streamed from ORDERS 100"),
    "streamed and not counted": ({"gets": 100}, {"wq": [block("ORDERS", 100, 100, section=1, streamed_messages=98)]}, "copies streamed from ORDERS 98"),
    "another number streamed": ({"gets": 100, "more_puts": 100}, {"qqst": [counted("ORDERS", 100, 100, streamed_messages=60)]}, f"put {UNACCOUNTED} 100"),
    "published": ({"gets": 100, "more_puts": 100}, {"qqst": [], "qtst": [{"messages_to_subscribers": 95}]}, "published, or put by tasks without accounting 100"),
    "expired": ({"puts": 100, "expired": 100}, {"qqst": []}, "expired 100"),
    "backed out": ({"puts": 100, "puts_back": 70, "gets": 30}, {"qqst": []}, "puts backed out 70"),
    "backed out gets": ({"puts": 30, "gets_back": 70, "gets": 100}, {"qqst": []}, "gets backed out 70"),
    "cleared": ({"puts": 100, "cleared": 80, "expired": 20}, {"qqst": []}, "expired 20; not explained 80: MOVE or CLEAR QLOCAL"),
    "later": ({"puts": 100}, {"qqst": [counted("Q", 0, 95, **LATER)]}, "got outside the accounting intervals 95"),
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
def test_a_difference_is_explained_by_what_covers_it(story: str) -> None:
    happened, more, explanation = STORIES[story]
    blocks, statistics = both_members("Q", happened)
    if story == "later":
        statistics[-1] |= {"depth": 100}
    given_rows = {"wtas": [TASK], **more, "wq": [*blocks, *more.get("wq", [])]}
    if "qqst" in more:
        given_rows["qqst"] = [*statistics, *more["qqst"]]
    with opened(**given_rows) as db:
        (row,) = (row for row in every(db, "queue/flow_balance") if (row["qmgr"], row["base_name"]) == ("MQ01", "Q"))
    assert row["explanation"] == explanation


def test_the_kind_of_a_queue_is_named_for_what_is_left() -> None:
    names = ("SYSTEM.CLUSTER.TRANSMIT.QUEUE", "OFF")
    with opened(wq=[block(name, 10, 0, section=i, no_accounting=name == "OFF") for i, name in enumerate(names)]) as db:
        texts = [row["explanation"] for row in every(db, "queue/flow_balance")]
    assert texts == [
        f"not explained 10: {what}" for what in ("accounting is off for some tasks", "channel, see channel records")
    ]


CALLS: dict[str, tuple[dict[str, int], dict[str, int], dict[str, list[dict[str, Any]]], str, str]] = {
    "shared queues": ({"gets": 1_000, "puts": 1_000}, {"dm_gets": 300, "dm_puts": 400},
        {"qqst": [counted("Q", 600, 700, shared_queue=True)]}, "gets from shared queues 700", "puts to shared queues 600"),
    "shared queues in part": ({"gets": 1_000, "puts": 1_000}, {"dm_gets": 300, "dm_puts": 400},
        {"qqst": [counted("Q", 60, 70, shared_queue=True, gets_no_message=630, puts_to_waiting_getter=0), counted("P", 500, 0, puts_to_waiting_getter=300)]},
        "gets that found no message 630", "puts to waiting getters 300; puts to shared queues 60; not explained 240: puts to waiting getters or shared queues"),
    "accounting": ({"gets": 1_000, "puts": 1_000}, {"dm_gets": 300, "dm_puts": 400},
        {"wq": [use("Q", gets=900, valid_gets=500, valid_destructive_gets=500, valid_puts=600, mq_version="8.0.0")], "wtas": [TASK]},
        "gets from shared queues 500; gets that found no message on shared queues (APAR PI65486) 400; not explained 200: scanning, or earlier callbacks",
        "puts to shared queues 600"),
    "callbacks": ({"gets": 13, "puts": 100, "controls": 1, "callbacks": 1}, {"dm_gets": 104, "dm_puts": 300},
        {"wq": [block("Q", 0, 100, callbacks=1, task_correlator="A")], "wtas": [TASK], "qtst": [{"messages_to_subscribers": 210, "api_publishes": 10}]},
        "messages got by callbacks 100", "publications 200"),
    "nothing known": ({"gets": 1_000, "puts": 1_000}, {"dm_gets": 300, "dm_puts": 1_100}, {},
        "not explained 700: gets on empty or shared queues", "not explained 100: publications, events or triggers"),
    "balanced": ({"gets": 1_000, "puts": 1_000}, {"dm_gets": 1_200, "dm_puts": 950}, {"qqst": [counted("Q", 600, 700, shared_queue=True)]}, "balanced", "balanced"),
}  # fmt: skip


@pytest.mark.parametrize("story", CALLS)
def test_calls_that_the_data_manager_does_not_count_are_named(story: str) -> None:
    calls, counts, more, gets, puts = CALLS[story]
    manager = {"put1s": 0, "controls": 0, "callbacks": 0, **calls}
    with opened(qmst=[manager], qist=[counts], **more) as db:
        row = report(db, "data_manager/message_balance")
    assert (row["get_reading"], row["put_reading"]) == (gets, puts)


def test_each_part_of_the_table_is_in_a_report_and_each_part_of_a_report_in_the_table() -> None:
    with opened(qqst=[]) as db:
        known = {part["difference_part"] for part in db.ask_rows("SELECT difference_part FROM difference_part")}
    sql = "".join(sqlfile.reports()[name].select for name in ("queue/flow_balance", "data_manager/message_balance"))
    named = re.findall(r"texts, '([^']+)'|texts\['([^']+)'|(?:THEN|ELSE) '([^']+)'(?= |\n|\])", sql)
    kinds = {"puts only", "gets only", "uneven", "balanced"}
    assert {first or second or third for first, second, third in named} - kinds == known


@pytest.mark.slow
@settings(max_examples=4, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries({}, optional={name: st.integers(1, 5_000) for name in COUNTS}), min_size=30, max_size=30
    )
)
def test_parts_add_up_to_the_difference_or_what_is_left_is_stated(happened: list[dict[str, int]]) -> None:
    made = {f"Q{number}": n for number, n in enumerate(happened)}
    wq, qqst = zip(*(both_members(name, n) for name, n in made.items()), strict=True)
    with opened(wq=[*chain(*wq)], qqst=[*chain(*qqst)], wtas=[TASK]) as db:
        listed = [row for row in every(db, "queue/flow_balance") if row["base_name"] in made]
        known = db.ask_rows("SELECT positive_text, negative_text FROM difference_part")
    signs = {part["positive_text"]: 1 for part in known} | {part["negative_text"]: -1 for part in known}
    for row in listed:
        n = dict.fromkeys(COUNTS, 0) | made[row["base_name"]]
        difference = n["puts"] - n["gets"]
        explained, left = numbers(row["explanation"], signs)
        near = 0.1 * abs(difference) + 1
        assert min(abs(difference - explained - left), abs(difference - explained + left)) <= near, (n, row)
        assert abs(left - n["cleared"]) <= near, (n, row)


def test_flow_within_a_fifth_is_even_and_browses_are_no_gets() -> None:
    even = block("EVEN", 100, 80)
    browsed = {**block("BROWSED", 100, 0), "gets": 100, "valid_gets": 100, "section": 1}
    with opened(wq=[even, browsed]) as db:
        listed = every(db, "queue/flow_balance")
    assert [(row["base_name"], row["flow"]) for row in listed] == [("BROWSED", "puts only")]


def test_what_accounting_does_not_show_is_a_row() -> None:
    counted = {
        "interval_start_utc": START, "interval_end_utc": START + HALF_HOUR, "puts": 100, "put1s": 10, "gets": 90, "opens": 5, "closes": 5, "inquires": 0,
        "sets": 0,
    }  # fmt: skip
    with opened(wq=[block("ORDERS", 60, 90)], wtas=[TASK], qmst=[counted]) as db:
        listed = {row["row_kind"]: row for row in every(db, "queue/all")}
        waste = report(db, "queue/get_waste")
    missed = listed["not accounted"]
    assert (missed["base_name"], missed["puts"], missed["put1s"], missed["gets"], missed["opens"]) == (
        None,
        40,
        10,
        0,
        5,
    )
    assert listed["queue"]["puts"] + missed["puts"] == counted["puts"]
    assert waste["put_coverage_pct"] == pytest.approx(100 * 60 / 110)


@pytest.mark.parametrize(
    ("values", "reading"),
    [
        ({"queue": "SYSTEM.DEAD.LETTER.QUEUE", "depth": 3}, "dead-letter messages"),
        ({"depth": 3, "oldest_message_s": 60, "input_handles": 1}, "never read"),
        ({"depth": 3, "oldest_message_s": 60, "input_handles": 0, "last_get_utc": START}, "no reader"),
        ({"depth": 3, "oldest_message_s": 3_601, "input_handles": 1, "last_get_utc": START}, "old messages"),
        ({"expired_messages": 2, "puts": 100}, "expiring"),
        ({"rolled_back_gets": 1}, "poison message or backout loop"),
        ({"rolled_back_puts": 1}, None),
    ],
)
def test_messages_that_die(values: dict[str, Any], reading: str | None) -> None:
    zero = dict.fromkeys(
        ("put1s", "puts", "destructive_gets", "expired_messages", "rolled_back_gets", "rolled_back_puts", "depth"), 0
    )
    with opened(qqst=[{"queue": "ORDERS", **zero, "partial_record": False, **values}]) as db:
        assert report(db, "queue/dead_messages")["reading"] == reading


def test_lifetimes_are_compared_with_checkpoints() -> None:
    """One checkpoint in half an hour: 10 minutes are short, 45 medium, 70 long; pool 2 has several classes, pool 3
    one.
    """
    minute = 60_000_000
    blocks = [
        block(name, 10, 10, section=number, page_set_raw=pool, pool_raw=pool, time_on_queue_total_us=10 * minutes * minute, time_on_queue_high_us=minutes * minute)
        for number, (name, pool, minutes) in enumerate((("SHORT", 2, 10), ("MEDIUM", 2, 45), ("LONG", 3, 70)))
    ]  # fmt: skip
    with opened(wq=blocks, wtas=[TASK], qjst=[{"checkpoints": 1}]) as db:
        listed = {
            row["base_name"]: (row["lifetime_class"], row["mixed_pool"]) for row in every(db, "queue/message_lifetime")
        }
    assert listed == {"SHORT": ("short", True), "MEDIUM": ("medium", True), "LONG": ("long", False)}
