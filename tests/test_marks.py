"""Breach marks: a row of a report is marked when exactly that row broke a limit, as often as in the findings, the worst rows first."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.report.tables import marking_rules, table
from mqstat.rules import run_rules
from mqstat.sql.plans import health_columns
from tests.marks import TEXTS
from tests.outputs import Outputs
from tests.support import file_of, reading


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if not scenario.refused])
def test_marks_are_the_rows_in_breach(name: str, outputs: Outputs) -> None:
    assert outputs.scenario(name).wrong_marks == []


def test_marks_of_real_dumps(dump: Path, outputs: Outputs) -> None:
    assert outputs.dump(dump).wrong_marks == []


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
