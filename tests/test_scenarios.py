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

from mqstat.database import health_columns, open_database
from mqstat.errors import InputError
from mqstat.fixtures import scenarios
from mqstat.fixtures.day import morning
from mqstat.fixtures.frame import joined, smf_file
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.parsers.source import find_sources
from mqstat.part import Job
from mqstat.pipeline import Scratch, columns_to_decode
from mqstat.rules.engine import run_rules
from mqstat.selection import Selection

SUBJECTS: dict[str, set[tuple[str, str | None, str]]] = {
    "adapters_all_used": {("CH001", "MQ01", "adapters")},
    "adapters_saturated": {("CH001", "MQ01", "adapters"), ("CH002", "MQ01", "adapters")},
    "damaged_transfer": {("DQ001", None, "input damaged_transfer.smf")},
    "healthy_day": set(),
    "hostile_names": set(),
    "log_buffers_short": {("LG001", "MQ01", "log buffers")},
    "logger_saturated": {("LG002", "MQ01", "logger task")},
    "missing_intervals": {("CV002", "MQ01", "statistics intervals")},
    "old_release": set(),
    "pool_exhausted": {("BP001", "MQ01", "buffer pool 2"), ("BP002", "MQ01", "buffer pool 2")},
    "pool_low": {("BP004", "MQ01", "buffer pool 1"), ("BP004", "MQ01", "buffer pool 2")},
    "pool_nearly_full": {("BP003", "MQ01", "buffer pool 3")},
    "pool_writing_synchronously": {("BP002", "MQ01", "buffer pool 3")},
    "sample": {
        ("BP002", "MQ01", "buffer pool 3"),
        ("BP004", "MQ01", "buffer pool 1"),
        ("CH001", "MQ01", "adapters"),
        ("LG001", "MQ01", "log buffers"),
        ("LG004", "MQ01", "log copy 2"),
    },
    "slow_log_writes": {("LG004", "MQ01", "log copy 1"), ("LG004", "MQ01", "log copy 2")},
    "smds_short_of_buffers": {("SM001", "MQ01", "structure APP1")},
    "three_levels": set(),
    "truncated_transfer": {("DQ001", None, "input truncated_transfer.smf")},
}
"""(rule, queue manager, subject) of every finding."""

NO_DATA = {"old_release": {"CH001", "CH002", "CV002", "LG002", "SM001"}}
"""Rules that have nothing to judge in a scenario; none elsewhere."""


def findings(name: str, folder: Path) -> list[dict[str, Any]]:
    """Outcomes of all rules over a scenario, decoded as a report straight from a dump decodes it."""
    dump = folder / f"{name}.smf"
    dump.write_bytes(SCENARIOS[name].build())
    wanted: dict[str, Collection[str]] = {**columns_to_decode(health_columns())}
    with Scratch() as scratch:
        for source in find_sources([str(dump)]):
            scratch.add(source, Job(1, 0, Selection(), wanted, scratch.root), sha256=False)
        with open_database(scratch.files, temp_directory=scratch.root) as database:
            rows: list[dict[str, Any]] = run_rules(database).to_pylist()
            return rows


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_rules_of_the_story_breach_and_no_others(name: str, tmp_path: Path) -> None:
    found = findings(name, tmp_path)
    assert [(row["rule_id"], row["advice"]) for row in found if row["outcome"] == "broken"] == []
    breaches = {(row["rule_id"], row["qmgr"], row["subject"]) for row in found if row["outcome"] == "breach"}
    assert {rule for rule, _, _ in breaches} == SCENARIOS[name].expect
    assert breaches == SUBJECTS[name]
    assert {row["rule_id"] for row in found if row["outcome"] == "no-data"} == NO_DATA.get(name, set())


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_story_names_its_rules(name: str) -> None:
    scenario = SCENARIOS[name]
    expect = scenario.expect
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
    assert len(whole) == 92


def test_unknown_scenario_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"no scenario quiet_night; there are .*healthy_day"):
        scenarios.find("quiet_night")
