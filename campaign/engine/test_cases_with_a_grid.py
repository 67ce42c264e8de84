"""Steps of a grid change no finding of any case."""

from __future__ import annotations

from functools import partial
from unittest import mock

from mqstat.judge import engine
from mqstat.judge.model import rules
from tests.cases import can_join, case_database, check, wrong
from tests.test_curves import CASES, TOGETHER, judged_together, steps


def test_every_case_ends_the_same_with_a_grid() -> None:
    """All cases of the rules that know a time, most of them at once, judged in steps of an hour; every second group of
    them as over much data.
    """
    timed = [rule_id for rule_id in CASES if "interval_start_utc" in rules()[rule_id].sql]
    wrong_cases = []
    with mock.patch.object(engine, "run_rules", partial(engine.run_rules, grid=steps(48, 3600))):
        for start in range(0, len(timed), TOGETHER):
            cases = [(rule_id, case) for rule_id in timed[start : start + TOGETHER] for case in CASES[rule_id]]
            with mock.patch.object(case_database({}, []), "is_small", start // TOGETHER % 2 == 0):
                ends = judged_together([(rule_id, case) for rule_id, case in cases if can_join(rule_id, case)])
                for rule_id, case in cases:
                    rows = ends.get(id(case))
                    # A case that fails together with others is judged again alone.
                    problem = wrong(rule_id, case, rows) if rows is not None else ""
                    if problem is not None and (problem := check(rule_id, case)) is not None:
                        wrong_cases.append(f"{rule_id} {case['name']}: {problem}")
    assert wrong_cases == []
