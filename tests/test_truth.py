"""What a report states is true: every scenario and every real dump, as text, page and JSON, held against SQL over the decoded tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mqstat.database import Database
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.pipeline import columns_to_decode
from mqstat.plans import health_columns
from mqstat.render import health_report
from mqstat.render.model import Report
from mqstat.selection import Selection
from mqstat.site import Site, parse_site
from tests.forms import written
from tests.support import file_of, reading
from tests.truth import NEEDED, contradictions, page_contradictions, parsed, text_contradictions


@contextmanager
def reported(dump: Path, site: Site, *, page: bool) -> Iterator[tuple[Report, Database]]:
    """The report of a dump, and the database that it was made from."""
    wanted = columns_to_decode(health_columns())
    for table, columns in NEEDED.items():
        wanted[table] = {*wanted.get(table, ()), *columns}
    with reading(dump, wanted, site=site) as db:
        yield health_report(db, Selection(), page=page), db


def lies(dump: Path, site: Site, *, page: bool = True) -> list[str]:
    """What the report of a dump states and the data contradicts, in any format."""
    with reported(dump, site, page=page) as (report, db):
        document = parsed(written(report, "json"))
        findings = db.rows("SELECT * FROM decoded.finding")
        tables = [*report.tables, *(report.page.tables if report.page else ())]
        lines = contradictions(document, findings, db, site, tables)
        lines += text_contradictions(document, written(report, "text"))
        return lines + (page_contradictions(document, written(report, "html")) if page else [])


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if not scenario.refused])
def test_the_report_of_a_scenario_is_true(name: str, tmp_path: Path) -> None:
    dump = file_of(SCENARIOS[name].build(), tmp_path, f"{name}.smf")
    assert lies(dump, parse_site(SCENARIOS[name].site, "site.toml")) == []


def test_the_report_of_a_real_dump_is_true(dump: Path) -> None:
    assert lies(dump, Site()) == []
