"""Reports without a row from any real dump state that: nobody has seen their figures for a real queue manager yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqstat.judge.explain import UNSEEN, explain_any
from mqstat.sql import sqlfile
from tests.marks import SIDES, reads
from tests.outputs import Outputs

REPORTS = sqlfile.reports()
STATED = {name for name, report in REPORTS.items() if report.header.get("unseen")}


@pytest.mark.slow
def test_reports_state_that_no_real_dump_has_rows_for_them(outputs: Outputs, dumps: Path) -> None:
    """Reports that compare two sides need more than a dump, and are left out."""
    seen = {name for dump in sorted(dumps.glob("*.dat")) for name, _ in outputs.dump(dump).filled_columns}
    unseen = {name for name, report in REPORTS.items() if not reads(report.needs, SIDES)} - seen
    assert sorted(unseen) == sorted(STATED), "set unseen = true in the headers of exactly these reports"


def test_pages_state_it() -> None:
    assert STATED
    for name in REPORTS:
        assert (UNSEEN in explain_any(name)) == (name in STATED), name
