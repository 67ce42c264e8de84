"""Trouble in the last hour of the data is seen by each rule against outages that judges a whole period, or
tests/last_hour.toml states why it cannot be.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from mqstat.fixtures.scenarios import last_hour
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from mqstat.sql.site import parse_site
from tests.house import cure
from tests.opening import open_database
from tests.support import decode_file, file_of

LISTED = Path(__file__).with_suffix(".toml").with_name("last_hour.toml")


def test_each_rule_has_a_story_or_a_reason() -> None:
    """A reason names only rules that judge single intervals or a few in a row."""
    listed = tomllib.loads(LISTED.read_text())
    stories, reasons = listed["story"], listed["reason"]
    wanted = {rule.id for rule in rules().values() if rule.weight == "outage" and rule.judge.kind == "whole"}
    bad = [f"{id_}: neither a story nor a reason" for id_ in sorted(wanted - stories.keys() - reasons.keys())]
    bad += [f"{id_}: both a story and a reason" for id_ in sorted(stories.keys() & reasons.keys())]
    bad += [f"{id_}: not such a rule: remove it" for id_ in sorted((stories.keys() | reasons.keys()) - wanted)]
    bad += [f"{id_}: {seen} is not in EXPECT" for id_, seen in stories.items() if seen not in last_hour.EXPECT]
    bad += [
        f"{id_}: {seen} does not judge intervals"
        for id_, reason in reasons.items()
        for seen in re.findall(r"[A-Z]{2}[0-9]{3}", reason)
        if rules()[seen].judge.kind not in ("any", "consecutive")
    ]
    assert not bad, cure(
        "add a queue manager to fixtures/scenarios/last_hour.py, or a reason to tests/last_hour.toml", bad
    )


@pytest.mark.slow
def test_the_trouble_begins_in_the_last_hour(tmp_path: Path) -> None:
    """Without it the same rules are clear; what is in breach with it, tests/test_scenarios.py compares."""
    tables = decode_file(file_of(last_hour.build(trouble=False), tmp_path))[0]
    with open_database(tables, views=False, threads=1, site=parse_site(last_hour.SITE, "site.toml")) as db:
        findings = run_rules(db, only=sorted({*tomllib.loads(LISTED.read_text())["story"].values()})).rows
    assert [(row["rule_id"], row["qmgr"]) for row in findings if row["outcome"] in ("breach", "broken")] == []
    assert {row["rule_id"] for row in findings if row["outcome"] == "clear"} >= {"CF008", "LG009", "LG013", "PS008"}
