"""Findings of many subjects without a row in breach: the same rows of view finding and the same texts as if each were made by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from mqstat.assemble import check as checking
from mqstat.assemble.health import health_report
from mqstat.assemble.tables import without_rows
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.judge import judging, run_rules
from mqstat.judge.activity import Activity
from mqstat.judge.model import rules
from mqstat.render.formats import formats, formats_of
from mqstat.sql.database import FINDINGS_SO_FAR, Database
from mqstat.sql.plans import ask, health_columns
from mqstat.sql.site import parse_site
from tests.report_checks import written
from tests.support import file_of, reading

SITE = '[rules.QU010]\nseverity = "info"\nreason = "known"\n'
ORDER = "rule_id, lpar, qmgr, subject"
REPORTS = ["queue/get_waste", "queue/index_advisor", "queue/open_patterns", "queue_statistics/activity"]


def outputs(db: Database) -> list[Any]:
    """The findings of some reports and the states of areas as rows, and the findings and these reports in several formats."""
    report = health_report(db, reports=REPORTS)
    texts = [written(report, name) for name in ("text", "json")]
    table = "decoded.finding" if db.listed_findings == "finding" else db.listed_findings
    listed = db.rows(f"SELECT * FROM {table} ORDER BY state, {ORDER}")
    checked = checking.findings_report(db, listed, rules(), 0, [])
    texts += [written(checked, name) for name in formats_of("check") if formats()[name].is_stream]
    every = [
        db.rows(f"SELECT * FROM decoded.{name} ORDER BY {order}")
        for name, order in (("finding", ORDER), ("area_state", "ALL"))
    ]
    rows = checked.all_findings.reader(100).read_all().to_pylist()
    return [*every, report.return_code, checking.rule_texts(listed), rows, *texts]


@pytest.mark.parametrize(("site", "idle"), [("", False), (SITE, False), ("", True)])
def test_quiet_findings_are_those_of_the_engine(
    site: str, idle: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`idle` = no area has activity, so that figures of 0 are no judgement."""
    if idle:
        monkeypatch.setattr(Activity, "is_idle", lambda *_: True)
    dump = file_of(SCENARIOS["queues_used_badly"].build(), tmp_path)
    made = []
    for many in (10**9, 0):
        monkeypatch.setattr(judging, "MANY_QUIET", many)
        with reading(dump, columns_to_decode(health_columns())) as db:
            db.site = parse_site(site, "site.toml") if site else db.site
            db.is_small = False
            made.append(outputs(db))
            assert (db.listed_findings == "finding") is (many > 0)
    for alone, together in zip(*made, strict=True):
        assert together == alone
    assert {row["state"] for row in made[0][0]} >= {"breach", "clear", "idle" if idle else "active, not judged"}


def test_a_rule_that_fails_has_no_other_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise duckdb.Error("no space")

    monkeypatch.setattr(judging, "MANY_QUIET", 0)
    monkeypatch.setattr(judging, "keep_breaches", fail)
    dump = file_of(SCENARIOS["queues_used_badly"].build(), tmp_path)
    with reading(dump, columns_to_decode(health_columns())) as db:
        db.is_small = False
        run_rules(db, only=["QU010"])
        assert db.execute("SELECT DISTINCT outcome FROM decoded.finding").fetchall() == [("broken",)]


READS: dict[str, Callable[[Database], int]] = {
    "a query": lambda db: db.execute("SELECT count(*) FROM decoded.finding").fetchall()[0][0],
    "a table": lambda db: len(db.arrow("SELECT rule_id FROM decoded.finding")),
    "batches": lambda db: sum(len(batch) for batch in db.reader("SELECT rule_id FROM decoded.finding", 10)),
    "a view": lambda db: ask(db, "SELECT count(*) FROM finding").fetchall()[0][0],
    "a report": lambda db: sum(map(len, without_rows(db, "overview/findings").batches())),
}


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setattr(judging, "MANY_QUIET", 0)
    dump = file_of(SCENARIOS["queues_used_badly"].build(), tmp_path)
    with reading(dump, columns_to_decode(health_columns())) as db:
        db.is_small = False
        yield db


@pytest.mark.parametrize("name", READS)
def test_findings_are_made_when_they_are_read(name: str, judged: Database) -> None:
    checking.check(judged)
    health_report(judged)
    assert judged.later, "check and report read no findings of quiet subjects"
    made = judged.connection.execute(f"SELECT count(*) FROM decoded.{FINDINGS_SO_FAR}").fetchall()[0][0]
    every = READS[name](judged)
    assert every > made
    assert not judged.later
    assert READS[name](judged) == every


def test_findings_that_could_not_be_made_are_not_left_out(judged: Database) -> None:
    run_rules(judged)
    count = "SELECT count(*) FROM decoded.finding"
    expected = len(judged.later)
    whole, judged.later[-1] = judged.later[-1], lambda: (_ for _ in ()).throw(MemoryError)
    for _ in range(2):
        with pytest.raises(MemoryError):
            judged.execute(count)
    assert len(judged.later) == 1 < expected
    judged.later[-1] = whole
    sound = judged.execute(count).fetchall()
    run_rules(judged)
    assert len(judged.later) == expected
    assert judged.execute(count).fetchall() == sound


def test_only_the_database_runs_statements_on_its_connection() -> None:
    """A statement that does not go through it would not read the findings that are still to be made."""
    folders = [Path(judging.__file__).parents[1] / name for name in ("api", "assemble", "cli", "daily", "render")]
    files = [
        *(path for folder in folders for path in folder.rglob("*.py")),
        *Path(judging.__file__).parent.glob("*.py"),
    ]
    assert len(files) > 60
    pattern = re.compile(r"\b(db|database)\.connection\.(execute|sql|query|cursor|table|view)\b")
    assert [path.name for path in files if pattern.search(path.read_text(encoding="utf-8"))] == []
