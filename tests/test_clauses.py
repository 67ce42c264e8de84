"""Clauses: printed figures satisfy the printed operator; advice fits the clause that broke."""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqstat.base.formatting import compared, exact_text, number_text, value_of, with_endings
from mqstat.judge import engine
from mqstat.judge.clauses import Clause, Comparison
from mqstat.judge.clauses import _near as near_sql
from mqstat.judge.model import rules
from tests.cases import case_database, load_cases, run_cases
from tests.each import each
from tests.estates import in_tiers, judged_together
from tests.outputs import Outputs

CASES = load_cases()
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip


# ----------------------------------------------------------------------------------------------------- deciding clauses


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_findings_show_what_decided_in_scenarios(name: str, outputs: Outputs) -> None:
    check_findings(outputs.scenario(name).findings)


def test_findings_show_what_decided_in_real_dumps(dump: Path, outputs: Outputs) -> None:
    check_findings(outputs.dump(dump).findings)


@pytest.mark.slow
@each(CASES)
def test_figures_and_advice_agree_in_cases(rule_id: str) -> None:
    cases = CASES[rule_id]
    for number, found in run_cases(rule_id, cases).items():
        results = [row for row in found if row["rule_id"] == rule_id]
        check_findings(results)
        for row in results:
            if row["outcome"] == "breach":
                check_advice(cases[number]["name"], row)
                check_sizes(cases[number]["name"], row)


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
def test_a_figure_is_nearer_the_closer_it_is_to_its_limit(operator: str) -> None:
    """Of a clear row the alternative that is nearest to its limit is shown: 1 where the condition holds, less with each
    step away from it.
    """
    clause = Clause("c", "figure", Comparison("x", operator, 40.0, "40"), "count", "")
    away = (41, 50, 80, 400) if operator in ("<", "<=") else (39, 30, 20, 4)
    beyond = (39, 4, 0) if operator in ("<", "<=") else (41, 400)
    with duckdb.connect() as connection:
        near = {
            x: connection.execute(f"SELECT {near_sql(clause)} FROM (SELECT {x}::DOUBLE AS x)").fetchall()[0][0]
            for x in (*beyond, *away, "NULL")
        }
    assert {near[x] for x in beyond} == {1.0}
    steps = [1.0, *(near[x] for x in away), 0.0]
    assert steps == sorted(set(steps), reverse=True)
    assert near["NULL"] == 0.0


# ----------------------------------------------------------------------------------------------------- deciding figures


def check_findings(results: Sequence[Mapping[str, Any]]) -> None:
    """Each finding in breach shows a condition that holds, each clear one a condition that does not, or why it is clear
    all the same.
    """
    for row in results:
        if row["outcome"] not in ("breach", "clear") or not row["intervals_checked"]:
            continue
        where = f"{row['rule_id']} {row['subject']}: {row['observed']} {row['operator']} {row['limit_value']}"
        (deciding,) = [clause for clause in json.loads(row["clauses"]) if clause["decides"]]
        assert deciding["clause"] == row["clause"], where
        for name, value in (("observed", row["observed"]), ("limit", row["limit_value"])):
            assert (deciding[name] is None) == (value is None), where
            assert value is None or deciding[name] == pytest.approx(value, rel=1e-11), where
        if row["operator"] in OPERATORS and row["observed"] is not None and row["limit_value"] is not None:
            assert deciding["holds"] == OPERATORS[row["operator"]](row["observed"], row["limit_value"]), where
        if row["outcome"] == "breach":
            assert all(clause["holds"] for clause in json.loads(row["clauses"])), where
            assert row["clear_because"] is None, where
        elif deciding["holds"]:
            assert row["clear_because"] is not None, where


def test_the_clause_that_broke_decides() -> None:
    """Half of the intervals are irregular while the usual one is short: the figure is the irregular share, not the
    length.
    """
    case = next(case for case in CASES["CV008"] if "two of six" in case["name"])
    with case_database(case, ["CV008"]) as db:
        (row,) = engine.run_rules(db, only=["CV008"]).rows
    assert (row["clause"], row["operator"], row["limit_value"]) == ("irregular", ">", 20.0)
    assert row["observed"] == pytest.approx(100 / 3)
    assert "1800" not in row["advice"]


def test_the_worst_subject_shows_what_it_broke() -> None:
    """One pool broke both conditions of BP004, one only the second: each shows its own."""
    given_ = {
        "buffer_pool": [
            {"n": 0, "pool_id": 1, "buffers": 1000, "lowest_free_pct": 14.9, "deferred_write_starts": 3},
            {"n": 1, "pool_id": 1, "buffers": 1000, "lowest_free_pct": 40.0, "deferred_write_starts": 9},
            {"n": 0, "pool_id": 2, "buffers": 1000, "lowest_free_pct": 20.0, "deferred_write_starts": 3},
        ]
    }
    with case_database({"given": given_}, ["BP004"]) as db:
        results = {row["subject"]: row for row in engine.run_rules(db, only=["BP004"]).rows}
    first, second = results["buffer pool 1"], results["buffer pool 2"]
    assert (first["clause"], first["observed"], first["limit_value"], first["limit_unit"]) == (
        "share",
        14.9,
        15.0,
        "percent",
    )
    assert (second["clause"], second["observed"], second["limit_value"], second["limit_unit"]) == (
        "starts",
        3.0,
        0.0,
        "count",
    )
    assert "Enlarge the pool (" in first["advice"]
    assert "would have kept" not in second["advice"]


def test_a_figure_beyond_its_limit_has_a_reason_for_being_clear() -> None:
    """A pool at 0 % is clear for BP003 because its synchronous writes were counted (BP002 reports them)."""
    given_ = {
        "buffer_pool": [
            {
                "n": 0,
                "pool_id": 1,
                "buffers": 1000,
                "lowest_free_pct": 0.0,
                "synchronous_write_hits": 12,
                "no_buffer_waits": 0,
            },
            {
                "n": 0,
                "pool_id": 2,
                "buffers": 1000,
                "lowest_free_pct": 76.0,
                "synchronous_write_hits": 0,
                "no_buffer_waits": 0,
            },
        ]
    }
    with case_database({"given": given_}, ["BP003"]) as db:
        results = {row["subject"]: row for row in engine.run_rules(db, only=["BP003"]).rows}
    row = results["buffer pool 1"]
    assert (row["outcome"], row["observed"], row["clear_because"]) == ("clear", 0.0, "condition")
    assert [(entry["clause"], entry["observed"]) for entry in json.loads(row["clauses"]) if not entry["holds"]] == [
        ("quiet", 12.0)
    ]
    assert results["buffer pool 2"]["clear_because"] is None


# -------------------------------------------------------------------------------------------------------------- numbers

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)
NEAR = st.tuples(st.floats(min_value=1e-9, max_value=1e12), st.integers(-3, 3)).map(
    lambda pair: (pair[0], math.nextafter(pair[0], math.inf) if pair[1] > 0 else pair[0] * (1 + pair[1] * 1e-15))
)


@given(st.one_of(st.tuples(NUMBERS, NUMBERS), NEAR))
def test_rounding_never_crosses_a_limit(pair: tuple[float, float]) -> None:
    observed, limit = pair
    shown, against = value_of(compared(observed, [limit])), value_of(exact_text(limit))
    for sign, holds in OPERATORS.items():
        assert holds(shown, against) == holds(observed, limit), f"{observed!r} {sign} {limit!r} prints {shown!r}"


@pytest.mark.parametrize(
    ("value", "text"),
    [(323.87, "324"), (1.05, "1.05"), (111447.7, "111,448"), (0, "0"), (-58, "-58"), (1300.0, "1,300"), (99.95, "100"), (1e20, "1e+20")],
)  # fmt: skip
def test_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text


def test_a_limit_keeps_its_digits() -> None:
    assert exact_text(1.05) == "1.05"
    assert compared(14.9996, [15.0]) == "14.9996"
    assert compared(15.0, [15.0]) == "15"


# --------------------------------------------------------------------------------------------------------------- advice


def check_advice(name: str, row: dict[str, Any]) -> None:
    """`12 % (limit 15 %)`: of the figures printed with a limit in brackets, the one of the clause that broke is beyond
    it.
    """
    clause = rules()[row["rule_id"]].clause(row["clause"])
    if not clause.prints_limit or row["observed"] is None:
        return
    limit = exact_text(row["limit_value"]).replace(",", "")
    stated = re.findall(
        r"(-?[\d,]*\d(?:\.\d+)?)[^()\d]*\((?:limit|in use means above|spare means below|at least) ([\d,.]+\d|\d)",
        row["advice"],
    )
    for shown, against in stated:
        if against.replace(",", "") == limit and math.isclose(value_of(shown), row["observed"], rel_tol=0.05):
            assert OPERATORS[clause.operator](value_of(shown), value_of(against)), f"{name}: {row['advice']}"


def check_sizes(name: str, row: dict[str, Any]) -> None:
    """Advice with `enlarge` gives a larger number than the current one, advice with `fewer` a smaller one."""
    text = row["advice"]
    larger = re.search(r"(\d+) buffers would have kept .*?, (\d+) are defined", text)
    smaller = re.search(r"\((\d+) buffers\).*?(\d+) buffers would have kept .*?fewer", text)
    sized = re.search(r"has (\d+) buffers\b.*?BUFFERS\((\d+)\)", text)
    assert larger is None or int(larger[1]) > int(larger[2]), f"{name}: {text}"
    assert smaller is None or int(smaller[2]) < int(smaller[1]), f"{name}: {text}"
    assert sized is None or int(sized[2]) > int(sized[1]), f"{name}: {text}"


# -------------------------------------------------------------------------------------------------------------- phrases


@each(rules())
def test_phrases_make_sense_with_their_number(rule_id: str) -> None:
    for clause in rules()[rule_id].clauses:
        assert "{value}" in clause.text or not clause.has_limit, f"{clause.id}: {clause.text}"
        assert re.sub(r"\{(?!value\})", "", clause.text) == clause.text
        assert "[" not in with_endings(clause.text, 1)
        assert not clause.measure.endswith(".")


def test_titles_state_no_limit() -> None:
    """A site may change a limit: a title that states it would be wrong then."""
    fixed = {"BP002", "BP007", "LG009", "SM003"}  # 95 % and 16 TB are limits of MQ itself; there are two log copies
    wrong = [
        rule.id
        for rule in rules().values()
        if rule.id not in fixed and re.search(r"\d+ ?(%|GB|TB|KB|min|s\b|h\b|hours|minutes|seconds|channels)|\b(ten|twenty|fifty|half|third|two|three)\b", rule.title)
    ]  # fmt: skip
    assert wrong == []
