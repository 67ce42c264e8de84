"""The estate: a row for each queue manager with its areas and its day, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from markupsafe import Markup

from mqstat.assemble.model import Report
from mqstat.assemble.page_model import DayRow, Grid, QmgrState, Tile
from mqstat.base.areas import AREAS, TITLES
from mqstat.base.card_key import anchor_of
from mqstat.base.formatting import plural, qmgr_name
from mqstat.base.grouping import grouped_by
from mqstat.judge import states
from mqstat.judge.states import BAD
from mqstat.render.html.charts import strip_axis_svg, strip_svg
from mqstat.render.html.figures import together
from mqstat.render.html.states import MEANINGS

SHOWN = 5
"""Queue managers with a row of their own that are always visible; the others are folded."""

Owner = tuple[str | None, str | None]


def estate(report: Report, many_lpars: bool) -> dict[str, Any]:
    """The rows of the queue managers, worst first: those with findings of their own, of which some are folded, and the
    names of the others.
    """
    own = _own(report)
    tiles = grouped_by(report.tiles, attrgetter("lpar", "qmgr"))
    areas = [area for area in AREAS if any(tile.area == area and tile.qmgr for tile in report.tiles)]
    grid = report.page.grid if report.page is not None else None
    days = grouped_by(report.page.day if report.page is not None else (), attrgetter("lpar", "qmgr"))
    ordered = by_urgency(report)
    alone = len(ordered) <= SHOWN
    rows = [
        _row(manager, own.get((manager.lpar, manager.qmgr), []), tiles, areas, days, grid, many_lpars)
        for manager in ordered
        if alone or own.get((manager.lpar, manager.qmgr))
    ]
    rest = [
        f"{qmgr_name(manager.lpar, manager.qmgr, many_lpars)} ({_judged(manager)})" for manager in ordered[len(rows) :]
    ]
    present = {cell["state"] for row in rows for cell in row["cells"] if cell}
    return {
        "legend": [state for state in MEANINGS if state in present],
        "areas": [TITLES[area] for area in areas],
        "rows": rows[:SHOWN],
        "folded": rows[SHOWN:],
        "rest": rest,
        "axis": Markup(strip_axis_svg(grid)) if grid is not None and grid.starts else "",  # noqa: S704 - drawn by us
        "estate": [
            {"key": finding.key, "anchor": anchor_of(finding.key), "state": finding.severity, "title": finding.title, "where": finding.where}
            for finding in report.findings
            if finding.key.endswith("/*")
        ],
    }  # fmt: skip


def by_urgency(report: Report) -> list[QmgrState]:
    """The queue managers, the worst first."""
    own = _own(report)
    return sorted(report.qmgrs, key=lambda manager: _rank(manager, own.get((manager.lpar, manager.qmgr), [])))


def _own(report: Report) -> dict[Owner, list[Any]]:
    """The findings of each queue manager that not most of the others have too."""
    known = report.findings_on.items()
    return {owner: [finding for finding in findings if not finding.key.endswith("/*")] for owner, findings in known}


def _rank(manager: QmgrState, own: Sequence[Any]) -> tuple[Any, ...]:
    """Sort key: the worst finding of its own, then its state."""
    urgency = min((finding.urgency for finding in own), default=(9, 9, 0.0))
    return urgency, -len(own), states.STATUSES.index(manager.state), manager.qmgr or "", manager.lpar or ""


def _row(
    manager: QmgrState,
    own: Sequence[Any],
    tiles: Mapping[Owner, Sequence[Tile]],
    areas: Sequence[str],
    days: Mapping[Owner, Sequence[DayRow]],
    grid: Grid | None,
    many_lpars: bool,
) -> dict[str, Any]:
    owner = (manager.lpar, manager.qmgr)
    by_area = {tile.area: tile for tile in tiles.get(owner, ())}
    strip = strip_svg(together(days[owner]), grid) if grid is not None and owner in days else ""
    return {
        "name": qmgr_name(*owner, many_lpars),
        "state": manager.state,
        "judged": _judged(manager),
        "anchor": anchor_of(own[0].key) if own else "",
        "cells": [_cell(by_area.get(area), own) for area in areas],
        "strip": Markup(strip),  # noqa: S704 - drawn by us; texts in it are escaped there
    }


def _judged(manager: QmgrState) -> str:
    return f"{manager.judged} of {plural(manager.rules, 'rule')} judged"


def _cell(tile: Tile | None, own: Sequence[Any]) -> dict[str, Any] | None:
    """The state of an area on a queue manager, with the finding that decides it."""
    if tile is None:
        return None
    finding = next((finding for finding in own if finding.rule_id == tile.rule_id), None)
    bad = tile.state in (*BAD, states.INFO)
    return {
        "state": tile.state,
        "what": f"{TITLES[tile.area]}: {tile.state}{f', {tile.rule_id}' if bad and tile.rule_id else ''}",
        "anchor": (anchor_of(finding.key) if finding else f"rule-{tile.rule_id}") if bad and tile.rule_id else "",
    }
