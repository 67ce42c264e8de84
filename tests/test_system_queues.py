"""Each queue of MQ itself (view system_queue), through each rule about queues: what may stay is quiet, what should be read is not, and the advice is its own."""

from __future__ import annotations

from typing import Any

import pytest

from mqstat.judge import run_rules
from mqstat.judge.model import rules
from mqstat.judge.mqsc import template
from mqstat.sql.database import Database
from tests.oracle.queue_purpose import system_queues
from tests.shared_database import over
from tests.test_queue_views import made_of

QUEUE_RULES = tuple(rule for rule, each in rules().items() if each.area == "queue")
APPLICATION_WORDS = ("Add getters", "Restart the application", "Start the program that reads")


TABLE = {row["queue_pattern"].replace("*", ".X").replace("..", "."): row for row in system_queues()}
"""The rows of view system_queue by a name that each pattern matches."""


def judged(**fields: Any) -> dict[str, dict[str, str]]:
    """The rules in breach by queue, with their sentences, of all queues of MQ and two others in six half hours; a field may be a function of the number of the half hour."""
    records = [
        ("MQ01", step, {"queue": name, "input_handles": 0, "input_handles_high": 0, "output_handles": 1, "uncommitted": False, "destructive_gets": 0,
                        **{field: value(step) if callable(value) else value for field, value in fields.items()}})
        for step in range(6)
        for name in (*TABLE, "ORDERS", "PAYMENTS")
    ]  # fmt: skip
    with over(made_of(records)) as db:
        run_rules(db, only=QUEUE_RULES)
        return _breaches(db)


def _breaches(db: Database) -> dict[str, dict[str, str]]:
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
