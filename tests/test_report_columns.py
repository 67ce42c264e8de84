"""Every column of every report has a value in at least one scenario: none is dead, none is misspelt into NULL."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.rules import run_rules
from mqstat.sql import sqlfile
from mqstat.sql.plans import keep
from mqstat.sql.site import parse_site
from tests.house import cure
from tests.support import file_of, reading

FIRST = (
    "rich_estate", "consumer_stopped", "accounting_day", "pool_zero_scanned", "software_compression", "slow_log_writes", "smds_short_of_buffers",
    "damaged_transfer", "member_silent", "old_release", "three_levels",
)  # fmt: skip
"""Scenarios that fill most columns; the others are read while something is missing."""


SIDES = ("side_figure", "side_setting")
"""What only a comparison fills: tests/test_compare.py reads the reports over them."""


def test_every_column_has_a_value_somewhere(tmp_path: Path) -> None:
    missing = {
        (report.id, column)
        for report in sqlfile.reports().values()
        if not reads(report.needs, SIDES)
        for column in report.columns
    }
    for name in (*FIRST, *(other for other in SCENARIOS if other not in FIRST)):
        if not missing:
            break
        with reading(
            file_of(SCENARIOS[name].build(), tmp_path, f"{name}.smf"),
            views=False,
            site=parse_site(SCENARIOS[name].site, "site.toml"),
        ) as db:
            left = [report for report in sqlfile.reports().values() if any(key[0] == report.id for key in missing)]
            if any("finding" in report.needs or "area_state" in report.needs for report in left):
                run_rules(db)
            keep(db, [report.text for report in left])
            for report in left:
                columns = [column for column in report.columns if (report.id, column) in missing]
                if columns:
                    counted = ", ".join(f'count("{column}")' for column in columns)
                    counts = db.execute(f"SELECT {counted} FROM ({report.select})").fetchall()[0]
                    missing -= {(report.id, column) for column, count in zip(columns, counts, strict=True) if count}
    assert not missing, cure(
        "add a scenario or dump in which these columns have a value, or remove the column", sorted(missing)
    )


def reads(needs: Collection[str], tables: Collection[str]) -> bool:
    """Whether views, or the views under them, read one of these."""
    return any(
        need in tables or (need in sqlfile.views() and reads(sqlfile.views()[need].needs, tables)) for need in needs
    )
