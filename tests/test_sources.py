"""Who gives each limit, and where: kinds of limits, and the documents and sections that rules name."""

from __future__ import annotations

import re

import pytest

from mqstat.judge.clauses import Clause
from mqstat.judge.decision import given_by
from mqstat.judge.explain import explain
from mqstat.judge.model import KINDS, Rule, rules
from tests.each import each

RULES = rules()

OURS = re.compile(r"\b(?:our own rule|our own limit|is ours|are ours|no document gives a number)\b", re.IGNORECASE)
"""Words of a reason that call a number our own."""


@each(RULES)
def test_the_kind_of_a_limit_agrees_with_its_reason(rule_id: str) -> None:
    rule = RULES[rule_id]
    for limit in rule.thresholds.values():
        assert limit.kind == "judgement" or not OURS.search(limit.why), (
            f"{rule.file.name}: limit {limit.name} is {limit.kind}, and its reason calls it ours: {limit.why}"
        )
    called_ours = OURS.search(rule.source.cite)
    for clause in leading(rule):
        assert rule.limit_kind(clause) in KINDS, f"{rule.file.name}: nobody gives the limit of {clause.measure}"
        assert not called_ours or rule.limit_kind(clause) == "judgement", (
            f"{rule.file.name}: the source calls the number ours, the limit of {clause.measure} is {rule.limit_kind(clause)}"
        )


def leading(rule: Rule) -> list[Clause]:
    return [rule.clauses[first] for first, *_ in rule.alternatives]


@pytest.mark.parametrize(
    ("rule_id", "kind"),
    [
        ("CF010", "judgement"),
        ("OT004", "judgement"),
        ("EN001", "judgement"),
        ("BP004", "documented"),
        ("CN001", "guidance"),
    ],
)
def test_a_finding_states_the_kind_of_its_limit(rule_id: str, kind: str) -> None:
    rule = RULES[rule_id]
    given = given_by(rule, leading(rule)[0])
    assert given["limit_kind"] == kind
    assert given["rule_source"].endswith(f" ({kind})")
    assert KINDS[kind] in " ".join(explain(rule_id).split())


def test_limits_of_one_rule_have_kinds_of_their_own() -> None:
    limits = RULES["CN005"].thresholds
    assert (limits["full_pct"].kind, limits["batch_size_max"].kind) == ("judgement", "documented")
