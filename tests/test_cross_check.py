"""Additive figures: the sum over a report is the total of the decoded table, computed without any view."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from mqstat import sqlfile
from mqstat.database import Database
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.parsers.tables import tables
from tests.support import file_of, reading

STORIES = ("sample", "rich_estate", "accounting_day")
"""Scenarios whose records fill these reports."""

ROWS = {
    "channel_initiator/adapters": "task_index IS NOT NULL",
    "channel_initiator/dispatchers": "task_index IS NOT NULL",
    "channel_initiator/ssl_tasks": "task_index IS NOT NULL",
}
"""Reports that print sums among their rows, and which rows are not sums."""

PARTS = {
    "channel_initiator/adapters": "qct_adp", "channel_initiator/dispatchers": "qct_dsp", "channel_initiator/ssl_tasks": "qct_ssl",
    "channel_initiator/dns_task": "qct_dns",
}  # fmt: skip
"""Reports about one of several tables that one view puts together."""

NOT_WHOLE: dict[tuple[str, str], str] = {}
"""(report, column): why it is not the sum of all rows of the table."""


@cache
def tables_below(unit_id: str, kind: str) -> frozenset[str]:
    """The decoded tables that a view or report is made of."""
    unit = sqlfile.reports()[unit_id] if kind == "report" else sqlfile.views()[unit_id]
    found: set[str] = set()
    for need in unit.needs:
        if need.startswith("decoded."):
            found.add(need.removeprefix("decoded."))
        elif need in sqlfile.views():
            found |= tables_below(need, "view")
    return frozenset(found)


def figures() -> Iterator[tuple[str, str, list[str]]]:
    """Report, additive column, and the decoded tables that hold it."""
    columns = {name: {column.name for column in found} for name, (_, found) in tables().items()}
    for report in sqlfile.reports().values():
        below = {PARTS[report.id]} if report.id in PARTS else tables_below(report.id, "report")
        for column in report.columns.values():
            holding = sorted(name for name in below if column.name in columns.get(name, ()))
            if column.kind == "counter" and holding and (report.id, column.name) not in NOT_WHOLE:
                yield report.id, column.name, holding


def compare(db: Database) -> tuple[int, list[str]]:
    """How many figures were compared, and those that differ."""
    count, wrong = 0, []
    for report, column, holding in figures():
        where = f" WHERE {ROWS[report]}" if report in ROWS else ""
        text = sqlfile.reports()[report].text.rstrip().rstrip(";")
        shown = db.execute(f'SELECT sum("{column}") FROM ({text}){where}').fetchall()[0][0]
        totals = [db.execute(f'SELECT sum("{column}") FROM decoded."{name}"').fetchall()[0][0] for name in holding]
        count += 1
        known = [total for total in totals if total is not None]
        if shown not in totals and shown != (sum(known) if known else None):
            wrong.append(
                f"{report}.{column}: {shown} in the report, {dict(zip(holding, totals, strict=True))} in the tables"
            )
    return count, wrong


@pytest.mark.parametrize("name", STORIES)
def test_sums_of_reports_are_those_of_the_tables(name: str, tmp_path: Path) -> None:
    with reading(file_of(SCENARIOS[name].build(), tmp_path)) as db:
        count, wrong = compare(db)
    assert wrong == []
    assert count > 50


def test_sums_on_real_dumps(dump: Path) -> None:
    with reading(dump) as db:
        count, wrong = compare(db)
    assert wrong == []
    assert count > 50
