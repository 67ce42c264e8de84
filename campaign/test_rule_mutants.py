"""The cases of each rule notice every mutant of it that does not mean the same (campaign/rule_mutants.py)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from campaign.rule_mutants import mutants, noticed, same
from mqstat.judge import model

RULES = model.rules()


@pytest.mark.parametrize("rule_id", RULES)
def test_a_case_notices_every_mutant(rule_id: str, record_property: Callable[[str, object], None]) -> None:
    meant = same(rule_id)
    killed = noticed(rule_id)
    bad = [f"no case notices: {what}" for what, case in killed if case is None and what not in meant]
    bad += [
        f"{case!r} notices it, so it does not mean the same: {what}" for what, case in killed if case and what in meant
    ]
    assert bad == []
    record_property("mutants of rules", len(killed) - 1)  # one is the rule itself


def test_equivalent_mutants_are_mutants() -> None:
    made = {(rule.id, mutant.what) for rule in RULES.values() for mutant in mutants(rule)}
    assert [(rule_id, what) for rule_id in RULES for what in same(rule_id) if (rule_id, what) not in made] == []
