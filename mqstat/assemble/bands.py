"""The usual range of a rule's own figure through the day, for its chart.

A rule states with `key_figure` which key figure (metric of view figure_kind) its `observed` is; other rules have no band.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from mqstat.assemble.page_model import Grid
from mqstat.assemble.table_model import LocalTimes
from mqstat.judge.model import Rule, rules
from mqstat.sql.workspace import Workspace

Key: TypeAlias = tuple[str, str | None, str | None, str | None]
"""Rule, LPAR, queue manager, subject."""


@dataclass(frozen=True)
class Band:
    """The lowest and highest usual value of each step of a grid, in the unit of the rule; None without enough history."""

    low: tuple[float | None, ...]
    high: tuple[float | None, ...]


def usual_bands(db: Workspace, grid: Grid, times: LocalTimes, wanted: Iterable[Key]) -> dict[Key, Band]:
    """The bands of these findings, after `mqstat.assemble.usual.add_history`; findings without one are missing.

    All steps of an hour have the range of that local hour, which is that of its mean, highest or lowest value; counts are per interval of the usual
    length, as in the curve.
    """
    keys = {key: figure for key in wanted if (figure := figure_of(rules()[key[0]], key[3])) is not None}
    if not keys:
        return {}
    ranges: dict[tuple[str | None, str | None, str, str], dict[int, tuple[float, float, float]]] = {}
    for row in db.ask_rows(_RANGES):
        of_figure = ranges.setdefault((row["lpar"], row["qmgr"], row["metric"], row["subject"]), {})
        per_interval = row["seconds"] / 3600 if row["metric_unit"] == "per_h" else 1.0
        of_figure[row["usual_hour"]] = (row["usual_low"], row["usual_high"], per_interval)
    bands: dict[Key, Band] = {}
    for key, figure in keys.items():
        hours = ranges.get((key[1], key[2], *figure))
        if hours:
            starts = (times.local(key[1], key[2], utc) or utc for utc in grid.starts_utc)
            steps = [hours.get(start.hour) for start in starts]
            low, high = (tuple(step and step[end] * step[2] for step in steps) for end in (0, 1))
            bands[key] = Band(low, high)
    return bands


def figure_of(rule: Rule, subject: str | None) -> tuple[str, str] | None:
    """Metric and subject of the key figure of a rule; figures of a whole queue manager have an empty subject."""
    if rule.key_figure is None:
        return None
    return rule.key_figure, "" if rule.grain == ("lpar", "qmgr") else subject or ""


_RANGES = """
    SELECT u.lpar, u.qmgr, k.metric, u.subject, k.metric_unit, u.usual_hour, u.usual_low, u.usual_high, i.seconds
    FROM usual_figure AS u
    JOIN figure_kind AS k ON k.figure_number = u.figure_number
    JOIN (SELECT lpar, qmgr, median(interval_seconds) AS seconds FROM interval_cut GROUP BY lpar, qmgr) AS i ON i.lpar = u.lpar AND i.qmgr = u.qmgr
    WHERE u.usual_basis <> 'none'
"""
