"""Findings of many subjects without a row in breach: the same texts from those that represent the others as from all of
them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from mqstat.assemble import check as checking
from mqstat.assemble.health import health_report
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.judge import clear, judging
from mqstat.judge.activity import Activity
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from mqstat.render.formats import formats, formats_of
from mqstat.sql.needs import health_columns
from mqstat.sql.site import parse_site
from mqstat.sql.workspace import Workspace
from tests.report_checks import written
from tests.support import file_of, reading

SITE = '[rules.QU010]\nseverity = "info"\nreason = "known"\n'
ORDER = "rule_id, lpar, qmgr, subject"
REPORTS = ["queue/get_waste", "queue/index_advisor", "queue/open_patterns", "queue_statistics/activity"]


def outputs(db: Workspace) -> list[Any]:
    """The findings of some reports and the states of areas as rows, and the findings and these reports in several
    formats.
    """
    report = health_report(db, reports=REPORTS)
    texts = [written(report, name) for name in ("text", "json")]
    assert any(row.get("represents") for row in report.outcomes) is (clear.MANY == 0)
    listed = sorted(report.outcomes, key=lambda row: [str(row[name]) for name in ("state", *ORDER.split(", "))])
    checked = checking.findings_report(db, listed, rules(), 0, [])
    texts += [written(checked, name) for name in formats_of("check") if formats()[name].is_stream]
    every = [
        db.rows(f"SELECT * FROM decoded.{name} ORDER BY {order}")
        for name, order in (("finding", ORDER), ("area_state", "ALL"))
    ]
    rows = checked.all_findings.reader(100).read_all().to_pylist()
    return [*every, report.return_code, rows, *texts]


@pytest.mark.parametrize(("site", "idle"), [("", False), (SITE, False), ("", True)])
def test_findings_that_represent_others_change_no_text(
    site: str, idle: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`idle` = no area has activity, so that figures of 0 are no judgement."""
    if idle:
        monkeypatch.setattr(Activity, "is_idle", lambda *_: True)
    dump = file_of(SCENARIOS["queues_used_badly"].build(), tmp_path)
    made = []
    for many in (10**9, 0):
        monkeypatch.setattr(clear, "MANY", many)
        with reading(dump, columns_to_decode(health_columns())) as db:
            db.site = parse_site(site, "site.toml") if site else db.site
            db.is_small = False
            made.append(outputs(db))
    for alone, together in zip(*made, strict=True):
        assert together == alone
    assert {row["state"] for row in made[0][0]} >= {"breach", "clear", "idle" if idle else "not judged"}


def test_a_rule_that_fails_has_no_other_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise duckdb.Error("no space")

    monkeypatch.setattr(clear, "MANY", 0)
    monkeypatch.setattr(judging, "keep_breaches", fail)
    dump = file_of(SCENARIOS["queues_used_badly"].build(), tmp_path)
    with reading(dump, columns_to_decode(health_columns())) as db:
        db.is_small = False
        run_rules(db, only=["QU010"])
        assert db.execute("SELECT DISTINCT outcome FROM decoded.finding").fetchall() == [("broken",)]
