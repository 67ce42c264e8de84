"""Reports of area queue: what they conclude from puts, gets and depth, and what accounting does not show."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mqstat.sql import sqlfile
from mqstat.sql.plans import rows
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


def every(db: Any, name: str) -> list[dict[str, Any]]:
    """All rows of a report."""
    return rows(db, sqlfile.reports()[name].select)


@pytest.mark.parametrize(
    ("puts", "gets", "statistics", "values", "flow", "explanation"),
    [
        (100, 0, None, {}, "puts only", "look for a stopped consumer"),
        (100, 0, {"puts": 100, "destructive_gets": 90}, {}, "puts only", "gets by tasks without accounting"),
        (0, 100, {"puts": 100, "destructive_gets": 100}, {}, "gets only", "puts by tasks without accounting"),
        (0, 100, None, {}, "gets only", "messages from before the period, or tasks without accounting"),
        (100, 50, None, {"expired_messages": 50}, "uneven", "messages expire"),
        (100, 50, None, {"no_accounting": True}, "uneven", "accounting is off for some tasks"),
    ],
)
def test_one_sided_flow_is_explained(
    puts: int, gets: int, statistics: dict[str, int] | None, values: dict[str, Any], flow: str, explanation: str
) -> None:
    counted = [{"queue": "ORDERS", "put1s": 0, "expired_messages": 0, **statistics}] if statistics else []
    with opened(wq=[block("ORDERS", puts, gets, **values)], qqst=counted) as db:
        row = report(db, "queue/flow_balance")
    assert (row["flow"], row["explanation"]) == (flow, explanation)


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
    """One checkpoint in half an hour: 10 minutes are short, 45 medium, 70 long; pool 2 has several classes, pool 3 one."""
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
