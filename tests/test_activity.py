"""Activity of areas: idle, active and not judged, and clear, over real dumps and over rows of cases; tests/truth.py
compares every scenario.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mqstat.base.areas import AREAS, WATCHED
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge import activity
from mqstat.judge.activity import guards_of
from mqstat.judge.engine import run_rules
from mqstat.judge.model import Rule, rules
from tests.cases import check
from tests.each import each
from tests.outputs import Outputs
from tests.support import file_of, reading
from tests.truth_activity import raw_activity


def verdicts(outputs: Outputs, dump: Path) -> Mapping[str, Mapping[str, Any]]:
    return {line["rule_area"]: line for line in outputs.dump(dump).document["verdict"]}


@pytest.mark.slow
def test_areas_of_real_dumps_are_idle_only_without_activity(dumps: Path, outputs: Outputs) -> None:
    expected = {
        "TESTCHL": {
            "message_manager": "5,410 MQI calls and 1,173 puts; 33 callback calls, judged only with 0, and 42 gets, 10,000 needed",
            "task": "6,942 MQI calls and 67 backouts; no value: messages per unit of work of one task",
        },
        "MQ10_MQ1O": {
            "message_manager": "1,013 MQI calls and 473 gets; 30 callback calls, judged only with 0, and 55 gets, 10,000 needed",
            "topic": "20 subscription requests; 0 publishes, more than 0 needed",
            "encryption": "5 data sets; 0 data sets encrypted, more than 0 needed; waits for site facts (tls_required, dse_required)",
        },
        "TEST116": {
            "coverage": "not judged: 3 records; 3 records, 10 needed; not collected",
            "queue": "6 calls in accounting and 2 puts in accounting; 0 gets without a message, 10,000 needed; waits for site facts (maxdepth)",
        },
    }  # fmt: skip
    for name, areas in expected.items():
        lines = verdicts(outputs, dumps / f"{name}.dat")
        for area, text in areas.items():
            assert (lines[area]["state"], lines[area]["text"]) == ("not judged", text)
    assert verdicts(outputs, dumps / "TESTCHL.dat")["topic"]["state"] == "idle"
    assert verdicts(outputs, dumps / "MQ10_MQ1O.dat")["opentelemetry"]["state"] == "idle"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pool_exhausted", "healthy_day"])
def test_a_queue_manager_with_puts_is_not_idle(name: str, outputs: Outputs) -> None:
    """66 to 125 puts per second."""
    document = outputs.scenario(name).document
    tiles = [tile for tile in document["tiles"] if tile["area"] == "message_manager"]
    assert tiles
    assert not {tile["state"] for tile in tiles} & {"idle"}


def test_the_view_has_the_counters_of_the_decoded_tables(tmp_path: Path) -> None:
    """An area has activity in the view exactly if a raw counter of it is not 0; what was not collected has no value."""
    with reading(file_of(SCENARIOS["three_states"].build(), tmp_path)) as db:
        raw = raw_activity(db)
        listed = db.ask_rows("SELECT * FROM area_activity")
    assert {row["area"] for row in listed} == set(AREAS)
    active = {((row["lpar"], row["qmgr"]), row["area"]) for row in listed if row["activity_value"]}
    for key, tables in raw.items():
        assert (key in active) == any(tables.values()), key
    assert all((row["activity_value"] is not None) == row["is_collected"] for row in listed)
    uncollected = {(row["qmgr"], row["area"]) for row in listed if not row["is_collected"]}
    assert ("MQ02", "smds") in uncollected
    assert ("MQ01", "smds") not in uncollected


def test_watched_rules_exist_in_every_area_with_rules() -> None:
    assert {area: [rules()[rule_id].area for rule_id in ids] for area, ids in WATCHED.items()} == {
        area: [area] * len(ids) for area, ids in WATCHED.items()
    }
    assert set(WATCHED) == {rule.area for rule in rules().values()}
    assert all(len(set(ids)) == len(ids) for ids in WATCHED.values())


ACTIVE = [rule.id for rule in rules().values() if rule.min_activity]


@each(ACTIVE)
def test_a_condition_of_a_rule_is_read_as_comparisons(rule_id: str) -> None:
    rule = rules()[rule_id]
    condition = rule.min_activity or ""
    guards = [guard for guard in guards_of(rule) if f"{guard.figure} {guard.operator} " in condition]
    assert guards
    assert all(guard.measure and guard.unit for guard in guards)
    assert len(guards) == len(re.findall("[<>=]+", condition))


@pytest.mark.parametrize(
    ("puts", "state", "reason"),
    [
        (None, "not judged", "9,999 gets, 10,000 needed"),
        (0.0, "idle", "no activity"),
        (5.0, "not judged", "9,999 gets, 10,000 needed"),
    ],
)
def test_a_rule_states_the_condition_that_did_not_hold(puts: float | None, state: str, reason: str) -> None:
    given: dict[str, Any] = {
        "message_balance": [{"n": [0, 1], "dm_gets_per_mm_get": 2.0, "mm_gets": 9999, "callback_calls": 0}]
    }
    if puts is not None:
        counter = {
            "area": "message_manager",
            "activity_counter": "puts",
            "activity_value": puts,
            "is_collected": True,
        }
        given["area_activity"] = [counter]
    case = {"given": given, "expect": [], "also": [{"state": state, "intervals_checked": 0, "advice_has": reason}]}
    assert check("MM001", case) is None


def test_the_conditions_of_a_rule_are_read_once_for_all_queue_managers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    nearest_sql = activity._nearest_sql

    def recorded(rule: Rule, guards: Iterable[activity.Guard]) -> str:
        asked.append(rule.id)
        return nearest_sql(rule, guards)

    monkeypatch.setattr(activity, "_nearest_sql", recorded)
    with reading(file_of(SCENARIOS["three_states"].build(), tmp_path), views=True) as db:
        run_rules(db, only=["MM001", "BP010", "CF006", "LG016"])
    assert asked
    assert len(asked) == len(set(asked))


@pytest.mark.slow
def test_a_figure_of_zero_where_nothing_happened_is_no_judgement(outputs: Outputs) -> None:
    findings = outputs.scenario("three_states").findings
    idle = [row for row in findings if row["state"] == "idle" and row["subject"] and row["rule_area"] == "smds"]
    for row in idle:
        assert (row["observed"], row["clauses"], row["intervals_checked"]) == (None, None, 0)
    waiting = [row for row in findings if row["state"] == "not judged"]
    assert all(json.loads(row["not_judged"])["activity"] for row in waiting if row["qmgr"])
