"""One line per rule, and one tile per area and queue manager: their states, and the figure that decides each. Rules have judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mqstat.render.model import Curve, LocalTimes, RuleLine, Tile


def rule_lines(
    rows: Sequence[Mapping[str, Any]],
    times: LocalTimes,
    qmgrs: Sequence[Mapping[str, Any]],
    curves: Mapping[str, Curve] | None = None,
) -> tuple[RuleLine, ...]:
    """A line for every rule in the order of areas and ids, green ones and blind ones too; `rows` are those of view finding, the worst first."""
    return ()


def tiles(rows: Sequence[Mapping[str, Any]], times: LocalTimes, qmgrs: Sequence[Mapping[str, Any]]) -> tuple[Tile, ...]:
    """A tile for every area with rules and every queue manager; one without a queue manager where rules judge inputs or whole systems."""
    return ()
