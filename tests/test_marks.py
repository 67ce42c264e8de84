"""Breach marks: a row of a report is marked when exactly that row broke a limit, as often as in the findings, the worst rows first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.report.tables import marked_query, marking_rules, table
from mqstat.rules import run_rules
from mqstat.rules.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.database import Database, quoted
from mqstat.sql.plans import health_columns
from mqstat.sql.site import parse_site
from tests.support import file_of, reading

MARKED = [name for name in sqlfile.reports() if marking_rules(name)]
TEXTS = [sqlfile.reports()[name].text for name in MARKED]
FILTERED = {"overview/gaps"}
"""Reports that leave out rows which a rule may judge."""


def wrong_marks(db: Database, name: str, findings: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the marks of a report."""
    faults = []
    rows = db.rows(marked_query(name, findings, worst_first=False))
    grain = sqlfile.reports()[name].header["grain"]
    keys = [tuple(row[key] for key in grain) for row in rows]
    # Records before 8.0 hold no interval start: their rows have no key, and no rule about intervals marks them.
    whole = [key for key in keys if None not in key]
    if len(set(whole)) != len(whole):
        faults.append(f"{name}: {', '.join(grain)} are not the key of a row")
    (total,) = db.execute(f"SELECT count(*) FROM ({sqlfile.reports()[name].text.rstrip().rstrip(';')})").fetchall()[0]
    if total != len(rows):
        faults.append(f"{name}: {len(rows)} rows instead of {total}")
    for rule_id in marking_rules(name):
        rule = rules()[rule_id]
        hits = [row for row in findings if row["rule_id"] == rule_id and row["outcome"] == "breach"]
        marked = {
            key for key, row in zip(keys, rows, strict=True) if rule_id in (row["breach_rules"] or "").split(", ")
        }
        if not hits:
            faults += [f"{name}: {rule_id} marks rows without a finding"] if marked else []
            continue
        columns = ", ".join(map(quoted, grain))
        broken = set(db.execute(f"SELECT {columns} FROM temp.{quoted('breach_' + rule_id)}").fetchall())
        counted = sum(row["intervals_breached"] for row in hits)
        if name not in FILTERED and marked != broken:
            faults.append(f"{name}: {rule_id} marks {len(marked)} rows, {len(broken)} broke its limit")
        if set(rule.row_key) == {*rule.grain, "interval_start_utc"} and rule_id != "SM007" and len(broken) != counted:
            faults.append(f"{name}: {rule_id} has {len(broken)} rows in breach, its findings count {counted}")
    if any(row["in_breach"] != (row["breach_rules"] is not None) for row in rows):
        faults.append(f"{name}: in_breach and breach_rules differ")
    return faults


@pytest.mark.parametrize("name", SCENARIOS)
def test_marks_are_the_rows_in_breach(name: str, tmp_path: Path) -> None:
    dump = file_of(SCENARIOS[name].build(), tmp_path, f"{name}.smf")
    site = parse_site(SCENARIOS[name].site, "site.toml")
    with reading(dump, columns_to_decode(health_columns()), site=site) as db:
        findings = run_rules(db, site, then=TEXTS).to_pylist()
        assert [fault for report in MARKED for fault in wrong_marks(db, report, findings)] == []


def test_marks_of_real_dumps(dump: Path) -> None:
    with reading(dump, columns_to_decode(health_columns())) as db:
        findings = run_rules(db, then=TEXTS).to_pylist()
        assert [fault for report in MARKED for fault in wrong_marks(db, report, findings)] == []


def test_a_rule_of_another_grain_marks_nothing() -> None:
    """Coverage has a row per class, its rules judge the queue manager; log/io has a row per I/O type, LG004 judges type 1 alone."""
    assert marking_rules("overview/coverage") == ()
    assert marking_rules("log/longest_io") == ()
    assert marking_rules("log/io") == ("LG004",)
    assert marking_rules("buffer_pool/health") == ("BP015",)
    assert set(marking_rules("buffer_pool/usage")) == {"BP001", "BP002", "BP003", "BP004", "BP007"}


def test_only_the_judged_type_is_marked_and_the_worst_row_is_first(tmp_path: Path) -> None:
    dump = file_of(
        SCENARIOS["slow_log_copy"].build() if "slow_log_copy" in SCENARIOS else SCENARIOS["sample"].build(), tmp_path
    )
    with reading(dump, columns_to_decode(health_columns())) as db:
        findings = run_rules(db, then=TEXTS).to_pylist()
        shown = table(db, "log/io", findings, limit=20)
        names = [column.name for column in shown.columns]
        rows = [dict(zip(names, row, strict=True)) for row in shown.rows]
    marked = [row for row in rows if row["in_breach"]]
    assert marked
    assert {row["io_type"] for row in marked} == {1}
    assert all(row["average_io_us"] > 1000 for row in marked)
    assert [row["average_io_us"] for row in marked] == sorted((row["average_io_us"] for row in marked), reverse=True)
    assert [row["in_breach"] for row in rows] == sorted((row["in_breach"] for row in rows), reverse=True)
