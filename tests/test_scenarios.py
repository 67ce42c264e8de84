"""Every scenario breaches exactly the rules that it says, for exactly the subjects that its story is about."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from mqstat.database import open_database
from mqstat.errors import InputError
from mqstat.fixtures import scenarios
from mqstat.fixtures.day import morning
from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.parsers.source import find_sources
from mqstat.part import Job
from mqstat.pipeline import Scratch, columns_to_decode
from mqstat.plans import health_columns
from mqstat.rules.engine import NEEDS_SITE, run_rules
from mqstat.selection import Selection
from mqstat.site import parse_site


def findings(name: str, folder: Path) -> list[dict[str, Any]]:
    """Outcomes of all rules over a scenario, decoded as a report straight from a dump decodes it."""
    dump = folder / f"{name}.smf"
    dump.write_bytes(SCENARIOS[name].build())
    wanted: dict[str, Collection[str]] = {**columns_to_decode(health_columns())}
    with Scratch() as scratch:
        for source in find_sources([str(dump)]):
            scratch.add(source, Job(1, 0, Selection(), wanted, scratch.root), sha256=False)
        site = parse_site(SCENARIOS[name].site, "site.toml")
        with open_database(scratch.files, site=site, temp_directory=scratch.root) as database:
            rows: list[dict[str, Any]] = run_rules(database).to_pylist()
            return rows


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_rules_of_the_story_breach_and_no_others(name: str, tmp_path: Path) -> None:
    found = findings(name, tmp_path)
    assert [(row["rule_id"], row["advice"]) for row in found if row["outcome"] == "broken"] == []
    breaches = {
        (row["rule_id"], f"{row['qmgr'] or '-'} {row['subject']}") for row in found if row["outcome"] == "breach"
    }
    assert breaches == SCENARIOS[name].expect
    if SCENARIOS[name].no_data or name == "healthy_day":
        absent = {
            row["rule_id"] for row in found if row["outcome"] == "no-data" and not row["advice"].startswith(NEEDS_SITE)
        }
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
