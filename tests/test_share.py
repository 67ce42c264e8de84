"""The share of the period in which a rule was judged: what its needs ask of each slot, and from when on a rule is clear
in part (mqstat/judge/share.py).
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from mqstat.assemble.conditions import why_clear
from mqstat.judge import engine, share, states
from mqstat.judge.model import rules
from mqstat.judge.share import Share
from mqstat.sql import sqlfile
from tests.cases import case_database
from tests.each import each

FLAGS = {name for name in sqlfile.views()["slot"].columns if name.startswith("has_")}
START = dt.datetime(2026, 1, 5)
HALF_HOUR = dt.timedelta(minutes=30)


@each(rules())
def test_a_rule_needs_classes_that_slots_show(rule_id: str) -> None:
    """A class without a flag, or a rule that is about no time of a queue manager, would have no share or a wrong
    one.
    """
    rule = rules()[rule_id]
    groups = share.needed(rule)
    assert {share.flag_of(name) for group in groups for name in group} <= FLAGS
    stated = {name for column in rule.needs for name in share.classes_of(column)}
    assert stated <= {name for group in groups for name in group} or not groups
    assert all(groups)


def test_rules_about_the_data_facts_and_forecasts_have_no_share() -> None:
    """A rule about the collection of a class judges its absence."""
    assert {name for name in rules() if name[:2] in ("CV", "DQ") and share.needed(rules()[name])} == set()
    assert {name for name, rule in rules().items() if "lpar" not in rule.grain and share.needed(rule)} == set()
    forecasts = {name for name, rule in rules().items() if "headroom" in rule.views}
    facts = {name for name, rule in rules().items() if set(rule.needed_views) == {"site_input"}}
    assert forecasts
    assert {name for name in forecasts | facts if share.needed(rules()[name])} == set()


def test_a_rule_needs_all_classes_of_its_columns_and_one_of_alternatives() -> None:
    needs = {name: share.needed(rules()[name]) for name in ("BP001", "LG001")}
    assert needs == {"BP001": (("115.215",),), "LG001": (("115.1",),)}
    either = {name: rule for name, rule in rules().items() if rule.needs_any}
    assert either
    for name, rule in either.items():
        for group in rule.needs_any:
            classes = {each for column in group for each in share.classes_of(column)}
            if all(map(share.classes_of, group)):
                assert tuple(sorted(classes)) in share.needed(rule), name


def slots(*there: bool, **columns: Any) -> list[dict[str, Any]]:
    """Slots of half an hour, with or without 115.215."""
    return [
        {
            "slot_start_utc": START + number * HALF_HOUR,
            "slot_end_utc": START + (number + 1) * HALF_HOUR,
            "slot_seconds": 1800.0,
            "is_counted": True,
            **dict.fromkeys(FLAGS, True),
            "has_115_215": found,
            **columns,
        }
        for number, found in enumerate(there)
    ]


def measured(rows: list[dict[str, Any]]) -> Share:
    with case_database({"given": {"slot": rows}}, ["BP001"]) as db:
        [(_, found)] = share.shares(db, [rules()["BP001"]])["BP001"].items()
    return found


@pytest.mark.parametrize(
    ("there", "missing", "is_part"),
    [(40, 0, False), (39, 1, False), (38, 2, True), (39, 2, False), (2, 1, False), (1, 2, True), (0, 3, False)],
)
def test_two_missing_slots_and_five_percent_of_the_time_are_a_part(there: int, missing: int, is_part: bool) -> None:
    """39 of 41 slots lack less than 5 %; without a judged slot the class was not collected at all."""
    found = measured(slots(*[True] * there, *[False] * missing))
    assert (found.slots_judged, found.slots, found.is_part) == (there, there + missing, is_part)
    assert (found.judged_from_utc, found.judged_to_utc) == (
        (START, START + there * HALF_HOUR) if there else (None, None)
    )
    assert found.missing == (("115.215",) if missing else ())


def test_the_share_is_one_of_time_and_slots_that_do_not_count_are_no_evidence() -> None:
    short = slots(*[True] * 10, False, False)
    for row in short[-2:]:
        row["slot_seconds"] = 400.0
    assert measured(short).is_part is False  # 800 of 18,800 seconds
    uncounted = slots(*[True] * 10, False, False)
    uncounted[-1]["is_counted"] = False
    found = measured(uncounted)
    assert (found.slots_judged, found.slots, found.is_part) == (10, 11, False)
    uncounted = slots(False, False, *[True] * 10)
    uncounted[2]["is_counted"] = False
    found = measured(uncounted)
    assert (found.slots_judged, found.slots, found.judged_from_utc) == (9, 11, START + 2 * HALF_HOUR)


def test_only_what_is_clear_or_idle_changes_by_the_share() -> None:
    part = Share(10, 20, START, START + 10 * HALF_HOUR, 50.0, ("115.215",))
    found = {
        state: part.columns_of(state) for state in (states.CLEAR, states.IDLE, states.ACTIVE, states.NOT_COLLECTED)
    }
    assert {state: (row["state"], row["outcome"]) for state, row in found.items()} == {
        "clear": ("clear in part", "partial"),
        "idle": ("idle", "partial"),
        "not judged": ("not judged", "no-data"),
        "not collected": ("not collected", "no-data"),
    }
    assert found["clear"]["missing_classes"] == ["115.215"]
    assert all(row["slots"] == 20 for row in found.values())
    whole = replace(part, slots_judged=20, missing_pct=0.0)
    assert (whole.columns_of("clear")["state"], whole.columns_of("clear")["outcome"]) == ("clear", "clear")
    assert share.NONE.columns_of("clear") == {**dict.fromkeys(share.COLUMNS), "state": "clear", "outcome": "clear"}


@pytest.mark.parametrize(
    ("breached", "at"), [((4, 5), "02:30"), ((8, 9), "04:00"), ((2, 3), None), ((1, 2, 9), None), ((), None)], ids=str
)
def test_a_run_next_to_the_missing_part_is_named(breached: tuple[int, ...], at: str | None) -> None:
    """115.215 is missing from 03:00 to 04:00: nobody knows how long a run before or after it was."""
    lost = (6, 7)
    seen = [number for number in range(12) if number not in lost]
    rows = [
        {"interval_start_utc": START + number * HALF_HOUR, "interval_seconds": 1800.0, "pool_id": 3, "buffers": 1000,
         "current_free_pct": 10.0 if number in breached else 40.0}
        for number in seen
    ]  # fmt: skip
    hole = {
        f"hole_{name}_{clock}": START + number * HALF_HOUR
        for name, number in (("start", 6), ("end", 8))
        for clock in ("utc", "local")
    }
    given = {
        "buffer_pool_merged": rows, "slot": slots(*(number in seen for number in range(12))),
        "class_hole": [{"record_class": "115.215", "missing_slots": 2, "slots": 12, **hole}],
    }  # fmt: skip
    with case_database({"given": given}, ["BP005"]) as db:
        (row,) = engine.run_rules(db, only=["BP005"]).rows
    text = "Clear in part: judged in 10 of 12 intervals; no 115.215 in the others"
    named = f"{text}; in breach next to a time without them at {at}" if at else text
    assert (row["state"], row["advice"]) == ("clear in part", f"{named}.")
    assert why_clear(row).endswith(named.removeprefix("Clear in part: "))
