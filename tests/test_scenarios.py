"""Every scenario breaches exactly the rules that it declares, for exactly the subjects that it declares."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from mqstat.base.errors import InputError
from mqstat.fixtures import scenarios
from mqstat.fixtures.day import morning
from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.states import ABSENT
from tests.browser import Chromium
from tests.each import each
from tests.estates import ESTATES, first_in_breach, in_tiers, judged_together
from tests.golden_parts import findings_text, own_parts, without_counts
from tests.outputs import Outputs
from tests.support import file_of
from tests.test_plurals import plurals_in

WHOLE = ("missing_classes", "pool_exhausted", "rich_estate", "three_levels")
"""Scenarios whose whole reports are goldens: of others only the findings are.

They show classes that were not collected, a day that is critical, every area at work, and releases, groups and time
zones that differ. The second and third are judged by `make test` anyway; the other two add most to what those show
outside the cards, compared in pairs of together fewer than 400 lines.
"""
FULL_PAGE = "pool_exhausted"
"""The scenario whose page is a golden, without the lists of all rules and reports."""


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_the_rules_of_the_story_breach_and_no_others(name: str, outputs: Outputs) -> None:
    """Findings of each scenario of an estate, or of one that is alone, decoded as for a report made directly from
    it.
    """
    wrong = {}
    for story in ESTATES.get(name, (name,)):
        results = outputs.findings(story)
        assert [(row["rule_id"], row["error"]) for row in results if row["state"] == "broken"] == []
        breaches = {
            (row["rule_id"], f"{row['qmgr'] or '-'} {row['subject']}") for row in results if row["outcome"] == "breach"
        }
        if breaches != SCENARIOS[story].expect:
            wrong[story] = {
                "unexpected": breaches - SCENARIOS[story].expect,
                "missing": SCENARIOS[story].expect - breaches,
            }
        if story == "healthy_day":
            assert [row["rule_id"] for row in results if row["state"] in ABSENT] == []
    assert wrong == {}


def test_every_scenario_is_in_what_is_judged() -> None:
    judged = [story for name in judged_together() for story in ESTATES.get(name, (name,))]
    assert sorted(judged) == sorted(name for name, scenario in SCENARIOS.items() if not scenario.refused)


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_the_report_and_the_page_are_as_reviewed(
    name: str,
    tmp_path: Path,
    outputs: Outputs,
    golden: Callable[[str, str], None],
    chromium: Chromium | None,
    record_property: Callable[[str, object], None],
) -> None:
    """The findings of an estate, or of a scenario that is in no estate; of some the whole report; and no page has a
    fault in a browser.
    """
    output = outputs.scenario(name)
    text, page = output.text, output.page
    assert max(map(len, text.splitlines())) <= 132
    assert plurals_in(without_counts(text)) == []
    if chromium is not None:
        assert chromium.faults(file_of(page.encode(), tmp_path, "page.html")) == []
        record_property("pages of scenarios looked at in a browser", 1)
    golden(f"findings/{name}.txt", findings_text(output.document, page, first_in_breach(name)))
    if name in WHOLE:
        golden(f"reports/{name}/health.txt", text)
    if name == FULL_PAGE:
        golden(f"html/{name}.html", own_parts(page))


def test_every_scenario_is_judged_once() -> None:
    """A scenario is in one estate at most, and the names of estates are theirs alone."""
    stories = [story for estate in ESTATES.values() for story in estate]
    assert sorted(stories) == sorted(set(stories) & set(SCENARIOS))
    assert not set(ESTATES) & set(SCENARIOS)


@each(SCENARIOS)
def test_the_story_names_its_rules(name: str) -> None:
    scenario = SCENARIOS[name]
    expect = {rule for rule, _ in scenario.expect}
    text = sys.modules[f"mqstat.fixtures.scenarios.{name}"].__doc__ or ""
    assert scenario.story
    assert set(re.findall(r"\b[A-Z]{2}\d{3}\b", text)) >= expect


def test_scenarios_are_the_same_in_every_process(tmp_path: Path) -> None:
    target = tmp_path / "sample.smf"
    command = [sys.executable, "-m", "mqstat.fixtures", "scenario", "three_levels", str(target)]
    subprocess.run(
        command, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    )
    built = SCENARIOS["three_levels"].build()
    assert hashlib.sha256(target.read_bytes()).digest() == hashlib.sha256(built).digest()


def test_damage_costs_the_damaged_records_only() -> None:
    whole = Counter(record[4:] for record in joined(smf_file(morning(), spanned="vbs")))
    spoilt = SCENARIOS["damaged_transfer"].build()
    missing = [record for record in whole if record[20:60] not in spoilt]
    assert len(missing) <= 4
    assert len(whole) == 182


def test_unknown_scenario_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"no scenario quiet_night; there are .*healthy_day"):
        scenarios.find("quiet_night")
