"""The period in equal steps: the curve of each rule, the overview of the period, and the worst intervals, from what the rules left behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mqstat.database import Database
from mqstat.render.model import Curve, DayRow, Grid, LocalTimes, WorstInterval

MAX_STEPS = 96
"""Steps of a period at the most: a day has one per quarter of an hour."""


def make_grid(db: Database, times: LocalTimes) -> Grid:
    """The steps of the period of the data, aligned to local midnight of the first queue manager; none when there is no time in it."""
    return Grid((), (), 60)


def curves(db: Database, grid: Grid, rows: Sequence[Mapping[str, Any]]) -> dict[str, Curve]:
    """For each rule that was judged through time the curve of its deciding subject; `rows` are those of view finding, the worst first."""
    return {}


def day_rows(db: Database, grid: Grid) -> tuple[DayRow, ...]:
    """For each area and queue manager the worst state of each step, and the rule that decides it."""
    return ()


def worst_intervals(
    db: Database, sources: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, str | None, str | None, str | None], tuple[WorstInterval, ...]]:
    """The worst intervals of each finding, by rule, LPAR, queue manager and subject; `sources` are the rows of view source."""
    return {}
