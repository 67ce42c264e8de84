"""The rules over the period: the worst value of each rule, subject and step of a grid, and the worst intervals in breach.

A few columns of the rows of a rule are kept and counted from there: the series needs no second run of the rule, and the steps of many
rules are assigned at once. Two temporary tables remain for pages: `rule_step` and `worst_interval`.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as literals

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from mqstat.judge.model import Rule
from mqstat.sql.database import Database
from mqstat.sql.schemas import literal

WORST_INTERVALS = 5
"""Maximum number of intervals in breach that are kept for each subject that was hit."""

_PROBE = 0.4
"""A row covers a step if it covers this point of the step. It is not the middle, because intervals end near whole minutes, with jitter."""

_AT_ONCE = 500_000
"""Maximum number of rows that are kept before their steps are assigned."""

_SCHEMA = {
    "rule_step": "rule_id VARCHAR, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, step INTEGER, observed DOUBLE, limit_value DOUBLE, judged BIGINT, "
    "breached BIGINT, severity VARCHAR",
    "worst_interval": "rule_id VARCHAR, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, place INTEGER, at_utc TIMESTAMP, observed DOUBLE, "
    "limit_value DOUBLE, record_id BIGINT, source_id BIGINT, source_offset BIGINT",
    "seen": "rule_id VARCHAR, sign TINYINT, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, interval_start_utc TIMESTAMP, interval_seconds DOUBLE, "
    "record_id BIGINT, observed DOUBLE, limit_in_force DOUBLE, severity VARCHAR, severity_fixed BOOLEAN, breach BOOLEAN, verdict BOOLEAN, "
    "judge_weight DOUBLE, alternative INTEGER, clause_near DOUBLE, clause_order DOUBLE, clause_values DOUBLE[], clause_limits DOUBLE[], clause_holds BOOLEAN[]",
}


class Steps(Protocol):
    """Equal steps of time, such as the grid of a page."""

    @property
    def starts_utc(self) -> Sequence[datetime]:
        """The starts of the steps in GMT, ascending."""

    @property
    def seconds(self) -> int:
        """The length of a step."""


class Series:
    """Collects the rows that the rules judge, and fills the tables."""

    def __init__(self, db: Database, grid: Steps) -> None:
        """Create the empty tables."""
        self.db, self.grid, self.rows = db, grid, 0
        for name, columns in _SCHEMA.items():
            db.execute(f"CREATE OR REPLACE TEMP TABLE {name} ({columns})")

    @property
    def is_full(self) -> bool:
        """Whether the rows that are kept must be processed before more are added."""
        return self.rows > _AT_ONCE

    def has_steps(self, rule: Rule) -> bool:
        """Whether the rows of a rule have steps: there is a grid, and the rule has times."""
        return bool(self.grid.starts_utc) and "interval_start_utc" in rule.sql

    def keep(self, judged: Sequence[tuple[Rule, str, bool]]) -> None:
        """Keep the judged rows of some rules that have steps, each with its SELECT and whether the site file, not the rows, sets its severity.

        One statement keeps the rows of all rules; it fails if the SELECT of one rule fails.
        """
        if self.is_full:
            self.find_steps()
        parts = " UNION ALL ".join(_kept_columns(rule, rows, severity_fixed) for rule, rows, severity_fixed in judged)
        inserted = self.db.execute(f"INSERT INTO seen BY NAME {parts}").fetchall()
        self.rows += int(inserted[0][0])

    def find_steps(self) -> None:
        """Add the steps of the kept rows to `rule_step`, and drop the rows.

        A row covers the steps whose probe it covers, otherwise the step of its own middle; a row without a time or outside the grid covers no step.
        The worst row of a step is one in breach if there is one.
        """
        if not self.rows:
            return
        start = f"epoch_us(interval_start_utc - {literal(self.grid.starts_utc[0])}) / {self.grid.seconds * 1_000_000}"
        last = len(self.grid.starts_utc) - 1
        # Grouped twice: a row may cover many steps, and many rows cover the same steps.
        self.db.execute(
            f"""
            INSERT INTO rule_step
            WITH
            timed AS (
              SELECT *, {start} AS at_step, coalesce(interval_seconds, 0) / {self.grid.seconds} AS steps_long
              FROM seen
              WHERE verdict IS NOT NULL AND interval_start_utc IS NOT NULL
            ),
            grouped AS (
              SELECT rule_id, sign, lpar, qmgr, subject,
                ceil(at_step - {_PROBE})::BIGINT                AS probes_before,
                ceil(at_step + steps_long - {_PROBE})::BIGINT   AS probes_behind,
                floor(at_step + steps_long / 2)::BIGINT         AS step_of_middle,
                count(*)                                        AS judged,
                count(*) FILTER (verdict)                       AS breached,
                min(CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 WHEN 'info' THEN 2 END) FILTER (verdict AND NOT severity_fixed)
                                                                AS severity_rank,
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
        self.db.execute("TRUNCATE seen")
        self.rows = 0

    def close(self) -> None:
        """Assign the last steps, and look up the offsets of the records of the worst intervals; an offset from the rule itself is used unchanged."""
        self.find_steps()
        self.db.execute("DROP TABLE temp.seen")
        self.db.execute(
            """
            UPDATE worst_interval AS w
            SET source_id = r.source_id, source_offset = coalesce(w.source_offset, r.source_offset)
            FROM record AS r
            WHERE r.record_id = w.record_id
            """
        )


def _kept_columns(rule: Rule, rows: str, severity_fixed: bool) -> str:
    lead = rule.alternatives[0][0] + 1  # a curve has one measure: that of the leading clause
    return f"""
        SELECT '{rule.id}' AS rule_id, {1 if rule.worst == "lowest" else -1} AS sign, {str(severity_fixed).lower()} AS severity_fixed,
          lpar, qmgr, subject, interval_start_utc, interval_seconds, record_id, clause_values[{lead}] AS observed, clause_limits[{lead}] AS limit_in_force,
          severity, breach, verdict, judge_weight, alternative, clause_near, clause_order, clause_values, clause_limits, clause_holds
        FROM ({rows})
    """
