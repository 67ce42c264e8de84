"""Collects the content that only a page shows: curves and pictures of the period, the worst intervals of findings, and
every report with its first rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mqstat.assemble.cards import charts
from mqstat.assemble.curves import day_rows, worst_intervals
from mqstat.assemble.finding import Finding
from mqstat.assemble.key_figures import key_figures
from mqstat.assemble.page_model import Grid, Page
from mqstat.assemble.pictures import pictures
from mqstat.assemble.queue_map import queue_map
from mqstat.assemble.table_model import LocalTimes, Table
from mqstat.assemble.tables import table
from mqstat.base.areas import AREAS
from mqstat.sql import sqlfile
from mqstat.sql.schemas import SIDE_TABLES
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace

PAGE_ROWS = 10
"""Rows of each report on a page; the rest is counted."""

MAP_PAIRS = 12
"""Pairs of application and queue that the map of a page shows; the others are summed."""


def gather(
    db: Workspace,
    grid: Grid,
    site: Site | None,
    times: LocalTimes,
    findings: Sequence[Finding],
    breaches: Sequence[Mapping[str, Any]],
    sources: Sequence[Mapping[str, Any]],
    trend: Sequence[Table],
    *,
    compared: bool,
) -> Page:
    """The page of a database whose rules were run with this grid; `breaches` are the rows in breach, `sources` the rows
    of view source, `trend` the reports of the trend; `compared` as in `key_figures`.
    """
    names = [name for name in sqlfile.reports() if not compares(name)]
    names.sort(key=lambda name: (AREAS.index(name.partition("/")[0]), name))
    drawn = queue_map(db, most=MAP_PAIRS)
    tables_read = [table(db, name, breaches, PAGE_ROWS) for name in names]
    return Page(
        grid=grid,
        day=tuple(day_rows(db, grid)),
        charts=charts(db, findings, grid, times, compared=compared),
        pictures=tuple(pictures(db, site, times)),
        worst=worst_intervals(db, sources),
        tables=tuple(each for each in tables_read if each.rows),
        empty=tuple(each for each in tables_read if not each.rows),
        queue_map=drawn if drawn.pairs else None,
        key_figures=key_figures(db, trend, grid, times, compared=compared),
    )


def compares(name: str) -> bool:
    """Whether a report or view, by name, compares two sides; a page of one period has no rows for it, `Report.baseline`
    shows it.
    """
    if name in {f"decoded.{table}" for table in SIDE_TABLES}:
        return True
    unit = sqlfile.reports().get(name) or sqlfile.views().get(name)
    return unit is not None and any(compares(need) for need in unit.needs)
