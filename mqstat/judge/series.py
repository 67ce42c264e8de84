"""The rules over the period: the worst value of each rule, subject and step of a grid (table `rule_step`), and the
worst intervals in breach (`worst_interval`).

Pages draw their curves from these temporary tables.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from mqstat.judge import judging
from mqstat.sql.schemas import literal
from mqstat.sql.workspace import Workspace

_PROBE = 0.4
"""A row covers a step if it covers this point of the step. It is not the middle, because intervals end near whole
minutes, with jitter."""

_SCHEMA = {
    "rule_step": "rule_id VARCHAR, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, step INTEGER, observed DOUBLE, limit_value DOUBLE, judged BIGINT, "
    "breached BIGINT, severity VARCHAR",
    "worst_interval": "rule_id VARCHAR, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, place INTEGER, at_utc TIMESTAMP, observed DOUBLE, "
    "limit_value DOUBLE, record_id BIGINT, source_id BIGINT, source_offset BIGINT",
}


class Steps(Protocol):
    """Equal steps of time, such as the grid of a page."""

    @property
    def starts_utc(self) -> Sequence[datetime]:
        """The starts of the steps in GMT, ascending."""

    @property
    def seconds(self) -> int:
        """The length of a step."""


def create(db: Workspace) -> None:
    """Create the empty tables."""
    for name, columns in _SCHEMA.items():
        db.execute(f"{db.create(name)} ({columns})")


def find_steps(db: Workspace, grid: Steps, clauses: int) -> None:
    """Add the steps of the rows of table `seen` to `rule_step`; `clauses` = the number of clauses that it has columns
    for.

    A row covers the steps whose probe it covers, otherwise the step of its own middle; a row without a time or outside
    the grid covers no step. The worst row of a step is one in breach if there is one.
    """
    start = f"epoch_us(interval_start_utc - {literal(grid.starts_utc[0])}) / {grid.seconds * 1_000_000}"
    last = len(grid.starts_utc) - 1
    observed, limit = (
        " ".join(f"WHEN {number} THEN {name}_{number}" for number in range(1, clauses + 1))
        for name in ("clause_value", "clause_limit")
    )
    # Grouped twice: a row may cover many steps, and many rows cover the same steps.
    db.execute(
        f"""
        INSERT INTO rule_step
        WITH
        timed AS (
          SELECT *, CASE lead {observed} END AS observed, CASE lead {limit} END AS limit_in_force,
            {start} AS at_step, coalesce(interval_seconds, 0) / {grid.seconds} AS steps_long
          FROM temp.seen
          JOIN judged_rule USING (rule_number)
          WHERE has_steps AND verdict IS NOT NULL AND interval_start_utc IS NOT NULL
        ),
        grouped AS (
          SELECT rule_id, sign, lpar, qmgr, subject,
            ceil(at_step - {_PROBE})::BIGINT                AS probes_before,
            ceil(at_step + steps_long - {_PROBE})::BIGINT   AS probes_behind,
            floor(at_step + steps_long / 2)::BIGINT         AS step_of_middle,
            count(*)                                        AS judged,
            count(*) FILTER (verdict)                       AS breached,
            min({judging.SEVERITY_RANK}) FILTER (verdict AND NOT severity_fixed) AS severity_rank,
            min({{'clear': NOT verdict, 'order': sign * observed, 'limit': limit_in_force}}) AS worst
          FROM timed
          GROUP BY ALL
        ),
        covered AS (
          SELECT *,
            CASE WHEN probes_behind > probes_before THEN probes_before ELSE step_of_middle END     AS first_step,
            CASE WHEN probes_behind > probes_before THEN probes_behind - 1 ELSE step_of_middle END AS last_step
          FROM grouped
        ),
        placed AS (
          SELECT *, unnest(range(greatest(first_step, 0), least(last_step, {last}) + 1)) AS step
          FROM covered
          WHERE last_step >= 0 AND first_step <= {last}
        )
        SELECT rule_id, lpar, qmgr, subject, step, sign * min(worst)['order'] + 0.0, min(worst)['limit'], sum(judged), sum(breached),
          CASE min(severity_rank) WHEN 0 THEN 'critical' WHEN 1 THEN 'warning' WHEN 2 THEN 'info' END
        FROM placed
        GROUP BY rule_id, sign, lpar, qmgr, subject, step
        """
    )
