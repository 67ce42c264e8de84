"""What the rules saw through the period: for each rule, subject and step of a grid the worst value, and the worst intervals in breach.

The engine groups the rows of a rule by subject and by the steps that a row covers, once, and then by subject: the series costs no second
run of the rule. Two temporary tables are left for pages: `rule_step` and `worst_interval`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from mqstat.database import Database, literal

WORST_INTERVALS = 5
"""How many intervals in breach are kept of each subject that was hit."""

_PROBE = 0.4
"""A row covers the steps of which it covers this point. It is not the middle: intervals end at whole minutes, where clocks jitter."""

_SCHEMA = {
    "rule_step": "rule_id VARCHAR, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, step INTEGER, observed DOUBLE, limit_value DOUBLE, judged BIGINT, "
    "breached BIGINT, severity VARCHAR",
    "worst_interval": "rule_id VARCHAR, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, place INTEGER, at_utc TIMESTAMP, observed DOUBLE, "
    "limit_value DOUBLE, record_id BIGINT, source_id BIGINT, source_offset BIGINT",
}


class Steps(Protocol):
    """Equal steps of time: the grid of a page is one."""

    @property
    def starts_utc(self) -> Sequence[datetime]:
        """Their starts in GMT, ascending."""

    @property
    def seconds(self) -> int:
        """The length of a step."""


def create(db: Database) -> None:
    """Make both tables, empty."""
    for name, columns in _SCHEMA.items():
        db.execute(f"CREATE OR REPLACE TEMP TABLE {name} ({columns})")


def columns(grid: Steps) -> str:
    """Two SQL columns, first_step and last_step, of the steps that a row with interval_start_utc and interval_seconds covers.

    A row that covers no step's probe belongs to the step of its own middle; a row without a time, or outside of the grid, to none (NULL).
    """
    width = grid.seconds * 1_000_000
    begin = f"epoch_us(interval_start_utc - {literal(grid.starts_utc[0])})"
    end = f"({begin} + coalesce(interval_seconds, 0) * 1e6)"
    first, behind = (f"ceil({moment} / {width} - {_PROBE})" for moment in (begin, end))
    middle = f"floor(({begin} + {end}) / 2 / {width})"
    last = len(grid.starts_utc) - 1
    inside = f"{end} >= 0 AND {begin} < {width * len(grid.starts_utc)}"

    def clamped(step: str) -> str:
        return f"CASE WHEN {inside} THEN greatest(0, least({last}, {step}))::INTEGER END"

    covers = f"{behind} > {first}"
    return (
        f"{clamped(f'CASE WHEN {covers} THEN {first} ELSE {middle} END')} AS first_step, "
        f"{clamped(f'CASE WHEN {covers} THEN {behind} - 1 ELSE {middle} END')} AS last_step"
    )


def place_records(db: Database) -> None:
    """Fill in where the records of the worst intervals stand; a rule that says it itself is believed."""
    db.execute(
        """
        UPDATE worst_interval AS w
        SET source_id = r.source_id, source_offset = coalesce(w.source_offset, r.source_offset)
        FROM record AS r
        WHERE r.record_id = w.record_id
        """
    )
