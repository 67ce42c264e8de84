"""A page of much data: few rows of each report, the others counted with the command that lists them.

Long names are whole and inside their box.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqstat.assemble.health import health_report
from mqstat.assemble.model import Report
from tests.browser import OPEN, TELEPHONE, Chromium
from tests.opening import open_database
from tests.report_checks import written
from tests.support import arrow, file_of
from tests.test_html import Node, Tree, sound

pytestmark = pytest.mark.slow

QUEUES = 3000
MOST_ROWS = 12
NAME = "A.QUEUE.WITH.A.NAME.OF.FORTY.EIGHT.CHARACT.{:05}"


@pytest.fixture(scope="module")
def report() -> Iterator[Report]:
    """The report of an interval with statistics of 3,000 queues with names of 48 characters."""
    assert len(NAME.format(0)) == 48
    alike = {"page_set_id": 4, "pool_id": 3, "puts": 7, "partial_record": False}
    rows = [{"queue": NAME.format(number), "depth": number, "depth_high": number, **alike} for number in range(QUEUES)]
    with open_database(arrow({"qqst": rows}, 1_800_000_000), views=False) as db:
        yield health_report(db, page=True)


def rows_in(section: Node) -> int:
    """The rows of the table in a section of the page, without its head."""
    return sum(node.name == "tr" for node in section.walk()) - 1


def test_a_report_shows_few_rows_and_where_the_others_are(report: Report) -> None:
    tree = Tree(written(report, "html"))
    sound(tree)
    sections = {node.get("id"): node for node in tree.all("details") if node.get("id").startswith("report-")}
    assert report.page is not None
    long = [table for table in report.page.tables if table.total >= QUEUES]
    assert len(long) >= 3
    for table in long:
        section = sections[f"report-{table.report_id.replace('/', '-')}"]
        rows = rows_in(section)
        assert 0 < rows <= MOST_ROWS, table.report_id
        words = " ".join(section.text.split())
        assert f"{table.total - rows:,} more rows" in words, table.report_id
        assert f"--report {table.report_id} --format csv" in words, table.report_id
    for name, section in sections.items():
        assert rows_in(section) <= MOST_ROWS, name
    cells = {node.text for section in sections.values() for node in section.walk() if node.name == "td"}
    assert any(cell.startswith(NAME[:30]) and len(cell) == 48 for cell in cells)


def test_long_names_are_inside_their_boxes(report: Report, tmp_path: Path, chromium: Chromium | None) -> None:
    if chromium is None:
        pytest.skip("chromium is not installed")
    page = file_of(written(report, "html").encode(), tmp_path, "page.html")
    assert chromium.faults(page) == []
    with chromium.window(size=TELEPHONE) as window:
        assert window.open(page) == []
        window.page.evaluate(OPEN)
        assert chromium.sideways(window.page) == []
