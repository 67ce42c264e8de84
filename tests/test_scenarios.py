"""Every scenario breaches exactly the rules that it says, for exactly the subjects that its story is about."""

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

from mqstat.errors import InputError
from mqstat.fixtures import scenarios
from mqstat.fixtures.day import morning
from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.pipeline import columns_to_decode
from mqstat.plans import health_columns
from mqstat.render import health_report
from mqstat.render.writers import all_lines
from mqstat.rules.states import ABSENT
from mqstat.selection import Selection
from mqstat.site import parse_site
from tests.browser import Chromium
from tests.forms import check_forms, valid_json, written
from tests.support import file_of, reading

IN_EVERY_FORM = (
    "damaged_transfer",
    "hostile_everywhere",
    "hostile_names",
    "missing_classes",
    "old_release",
    "rich_estate",
    "three_levels",
)
"""Scenarios whose reports are checked in every form; of the others the JSON must be valid."""

PAGES = ("old_release", "pool_exhausted")
"""Scenarios whose pages are kept under tests/golden/html."""


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if not scenario.refused])
def test_the_rules_of_the_story_breach_and_no_others(
    name: str,
    tmp_path: Path,
    golden: Callable[[str, str], None],
    update_golden: bool,
    chromium: Chromium | None,
    record_property: Callable[[str, object], None],
) -> None:
    """Findings, report and page of a scenario, decoded as a report straight from a dump decodes it.

    Where goldens are written, only the text and the pages that are goldens are made.
    """
    with_page = not update_golden or name in PAGES
    dump = file_of(SCENARIOS[name].build(), tmp_path, f"{name}.smf")
    wanted = columns_to_decode(health_columns())
    with reading(dump, wanted, site=parse_site(SCENARIOS[name].site, "site.toml")) as db:
        report = health_report(db, Selection(), page=with_page)
        text = "\n".join(all_lines(report)) + "\n"
        found = db.rows("SELECT * FROM decoded.finding")
        if not update_golden:
            check_forms(report) if name in IN_EVERY_FORM else valid_json(written(report, "json"))
        page = written(report, "html") if with_page else ""
    assert max(map(len, text.splitlines())) <= 132
    assert str(tmp_path) not in text + page
    if chromium is not None:
        assert chromium.faults(file_of(page.encode(), tmp_path, "page.html")) == []
        record_property("pages of scenarios looked at in a browser", 1)
    golden(f"reports/{name}/health.txt", text)
    if name in PAGES:
        golden(f"html/{name}.html", page)
    assert [(row["rule_id"], row["error"]) for row in found if row["state"] == "broken"] == []
    breaches = {
        (row["rule_id"], f"{row['qmgr'] or '-'} {row['subject']}") for row in found if row["outcome"] == "breach"
    }
    assert breaches == SCENARIOS[name].expect
    if SCENARIOS[name].no_data or name == "healthy_day":
        absent = {row["rule_id"] for row in found if row["state"] in ABSENT}
        assert absent == SCENARIOS[name].no_data


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_story_names_its_rules(name: str) -> None:
    scenario = SCENARIOS[name]
    expect = {rule for rule, _ in scenario.expect}
    story = sys.modules[f"mqstat.fixtures.scenarios.{name}"].__doc__ or ""
    assert scenario.story
    assert set(re.findall(r"\b[A-Z]{2}\d{3}\b", story)) >= expect


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
