"""What a queue is for. Each queue of MQ itself goes through each rule about queues: what may stay is quiet, what should
be read is not, and the advice is its own.

Transmission queues are known by the channels that get from them, and a queue that lacks its usual reader by its own
habits.
"""

from __future__ import annotations

from typing import Any

import pytest

from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from mqstat.judge.mqsc import template
from mqstat.sql.workspace import Workspace
from tests.oracle.queue_purpose import system_queues
from tests.shared_database import over
from tests.support import START
from tests.test_queue_views import HALF_HOUR, made_of, queues

QUEUE_RULES = tuple(rule for rule, each in rules().items() if each.area == "queue")
APPLICATION_WORDS = ("Add getters", "Restart the application", "Start the program that reads")


TABLE = {row["queue_pattern"].replace("*", ".X").replace("..", "."): row for row in system_queues()}
"""The rows of view system_queue by a name that each pattern matches."""


def judged(**fields: Any) -> dict[str, dict[str, str]]:
    """The rules in breach by queue, with their sentences, of all queues of MQ and two others in six half hours; a field
    may be a function of the number of the half hour.
    """
    records = [
        ("MQ01", step, {"queue": name, "input_handles": 0, "input_handles_high": 0, "output_handles": 1, "uncommitted": False, "destructive_gets": 0,
                        **{field: value(step) if callable(value) else value for field, value in fields.items()}})
        for step in range(6)
        for name in (*TABLE, "ORDERS", "PAYMENTS")
    ]  # fmt: skip
    with over(made_of(records)) as db:
        run_rules(db, only=QUEUE_RULES)
        return _breaches(db)


def _breaches(db: Workspace) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for row in db.rows("SELECT rule_id, subject, advice FROM finding WHERE state = 'breach'"):
        found.setdefault(row["subject"].removeprefix("queue "), {})[row["rule_id"]] = row["advice"]
    return found


def test_messages_that_stay() -> None:
    """Ninety messages for days, that nobody gets: a finding where somebody should, and nowhere else."""
    found = judged(
        depth=90, depth_low=90, depth_high=90, oldest_message_s=lambda step: 90_000 + 1_800 * step, puts=0, put1s=0
    )
    expected = {name for name, row in TABLE.items() if not row["is_store"] and not row["may_wait"]} | {
        "ORDERS",
        "PAYMENTS",
    }
    assert set(found) == expected
    assert set(found["SYSTEM.CLUSTER.COMMAND.QUEUE"]) == {"QU004"}
    own_advice(found, TABLE.keys() & expected)


def test_messages_that_rise() -> None:
    found = judged(
        depth=lambda step: 2_000 + 500 * step, depth_low=lambda step: 2_000 + 500 * step, depth_high=lambda step: 2_600 + 500 * step,
        oldest_message_s=lambda step: 1_800 * (step + 1), puts=500, put1s=0,
    )  # fmt: skip
    expected = {name for name, row in TABLE.items() if not row["is_store"] or row["system_kind"] == "channel sync"}
    assert set(found) == expected | {"ORDERS", "PAYMENTS"}
    own_advice(found, expected)


def own_advice(found: dict[str, dict[str, str]], names: Any) -> None:
    """The findings about queues of MQ have their own cause and command, never those of applications."""
    for name in names:
        for rule, advice in found[name].items():
            assert not any(words in advice for words in APPLICATION_WORDS), (name, rule)
            if rule in ("QU004", "QU005", "QU006"):
                assert TABLE[name]["rise_means"] in advice, (name, rule)
    assert any(words in advice for advice in found["ORDERS"].values() for words in APPLICATION_WORDS)


@pytest.mark.parametrize("name", TABLE)
def test_each_row_states_what_a_reader_needs(name: str) -> None:
    row = TABLE[name]
    assert all(row[name] for name in ("system_holds", "system_reader", "rise_means"))
    assert row["may_wait"] or not row["is_store"]
    template(row["look_command"])


def used(
    *, connection_type_code: int = 6, channel_type_code: int = 1, late: int = 0, **fields: Any
) -> dict[str, list[dict[str, Any]]]:
    """Tables of a queue that a task used, and of a channel with the name of the task; `late` = half hours by which the
    channel ran later.
    """
    task = {"record_id": 0, "connection_type_code": connection_type_code, "channel_name": "A.TO.B"}
    block = {
        "record_id": 0, "section": 0, "base_name": "Q", "open_name": "Q", "queue_type_code": 1, "queue_disposition_code": 0, "gets_any": 0, "gets_specific": 0, "page_set_raw": 0,
        "pool_raw": 0, "time_on_queue_total_us": 0, "mq_version": "9.4.0", "interval_start_utc": START, "interval_end_utc": START + HALF_HOUR, **fields,
    }  # fmt: skip
    start = START + late * HALF_HOUR
    channel = {
        "record_id": 0, "channel_name": "A.TO.B", "channel_type_code": channel_type_code, "partner_name": "OTHER", "interval_start_utc": start,
        "interval_end_utc": start + HALF_HOUR,
    }  # fmt: skip
    return {"wq": [block], "wtid": [task], "qcst": [channel]}


@pytest.mark.parametrize(
    ("fields", "kind", "seems"),
    [
        ({"gets_any": 5}, "transmission", False),
        ({"gets_any": 5, "channel_type_code": 9}, "transmission", False),
        ({"gets_any": 5, "channel_type_code": 7}, "application", False),
        ({"gets_any": 5, "channel_type_code": 7, "queue_type_code": 6}, "application", False),
        ({"gets_any": 5, "connection_type_code": 1, "queue_type_code": 6}, "application", False),
        ({"gets_any": 5, "late": 1}, "application", False),
        ({"gets_any": 5, "mq_version": "8.0.0"}, "application", False),
        ({"gets_any": 5, "mq_version": "8.0.0", "page_set_raw": 3}, "transmission", False),
        ({"queue_type_code": 6}, "application", True),
        ({"queue_type_code": 7}, "application", True),
        ({"queue_type_code": 3}, "application", False),
    ],
    ids=str,
)
def test_who_gets_decides_what_a_queue_is(fields: dict[str, Any], kind: str, seems: bool) -> None:
    (row,) = queues(
        [("MQ01", 0, {"queue": "Q"})], "SELECT queue_kind, seems_transmission FROM site_queue", "", **used(**fields)
    )
    assert tuple(row.values()) == (kind, seems)


@pytest.mark.parametrize(
    ("queue", "site", "known_by"),
    [
        ("OTHER", "", "name of the partner"),
        ("SYSTEM.CLUSTER.TRANSMIT.A.TO.B", "", "name of the queue"),
        ("Q", '[site]\nxmitq = { "A.TO.B" = "Q" }', "site file"),
    ],
)
def test_how_the_channel_of_a_queue_is_known(queue: str, site: str, known_by: str) -> None:
    rows = queues(
        [("MQ01", 0, {"queue": queue})],
        "SELECT queue, channel_name, how_known FROM transmission_channel",
        site,
        **used(),
    )
    assert [tuple(row.values()) for row in rows] == [(queue, "A.TO.B", known_by)]


def test_a_reader_that_is_away_in_the_same_hour_every_day_is_in_a_batch_window() -> None:
    """The reader of WINDOW is away at the same time on four days, that of Q on the last one only."""
    records = []
    for step in range(4 * 48):
        hour, day = step % 48 // 2, step // 48
        for name, away in (("WINDOW", hour == 5), ("Q", hour == 5 and day == 3)):
            records.append((
                "MQ01", step,
                {"queue": name, "depth": 7 if away else 0, "depth_high": 9, "oldest_message_s": 1_800 if away else 1, "input_handles": int(not away),
                 "input_handles_high": int(not away), "output_handles": 0, "puts": 5, "put1s": 0, "destructive_gets": 0},
            ))  # fmt: skip
    rows = queues(
        records,
        "SELECT queue, days_unread_before, round(steps_read_pct) AS share, usual_age_s FROM queue_unread WHERE interval_start_utc = "
        f"TIMESTAMP '{START + (3 * 48 + 10) * HALF_HOUR}' ORDER BY queue",
    )
    assert [tuple(row.values()) for row in rows] == [("Q", 0, 99, 1), ("WINDOW", 3, 96, 1)]
