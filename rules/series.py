"""What the rules saw through the period: for each rule, subject and step of a grid the worst value, and the worst intervals in breach.

The engine groups the rows of a rule by subject and by the steps that a row covers, once, and then by subject: the series costs no second
run of the rule. Two temporary tables are left for pages: `rule_step` and `worst_interval`.
"""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted, values are bound or made literals

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import pyarrow as pa

from mqstat.database import Database, literal
from mqstat.rules.model import Rule

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


KEYS = "probes_before, probes_behind, step_of_middle"
"""Columns of `with_keys` that say which steps a row covers, in a form that is quick to group by."""


SEEN = pa.schema(
    [(name, pa.string()) for name in ("lpar", "qmgr", "subject")]
    + [
        (name, pa.int64())
        for name in ("probes_before", "probes_behind", "step_of_middle", "judged", "breached", "severity_rank")
    ]
    + [(name, pa.float64()) for name in ("observed", "limit_in_force")]
)
"""What a rule saw, by subject and `KEYS`: `observed` and `limit_in_force` of the worst row, one in breach where there is one."""


def without_severity(table: pa.Table) -> pa.Table:
    """The same of a rule whose severity the site has set: what its rows say of it does not count."""
    place = SEEN.get_field_index("severity_rank")
    return table.set_column(place, SEEN.field(place), pa.nulls(table.num_rows, pa.int64()))


def with_keys(rows: str, grid: Steps) -> str:
    """A SELECT of rows with `KEYS` added, from their interval_start_utc and interval_seconds; NULL where a row has no time."""
    start = f"epoch_us(interval_start_utc - {literal(grid.starts_utc[0])}) / {grid.seconds * 1_000_000}"
    length = f"coalesce(interval_seconds, 0) / {grid.seconds}"
    return (
        f"SELECT *, ceil(at_step - {_PROBE})::BIGINT AS probes_before, ceil(at_step + steps_long - {_PROBE})::BIGINT AS probes_behind, "
        f"floor(at_step + steps_long / 2)::BIGINT AS step_of_middle "
        f"FROM (SELECT *, {start} AS at_step, {length} AS steps_long FROM ({rows}))"
    )


def keep_steps(db: Database, grid: Steps, found: Sequence[tuple[Rule, pa.Table]]) -> None:
    """Fill `rule_step` from what the rules saw, grouped by subject and `KEYS`: the worst of all that covers a step.

    What covers no step's probe belongs to the step of its own middle; what lies outside of the grid belongs to none.
    """
    tables = [
        table.append_column("rule_id", pa.array([rule.id] * table.num_rows, pa.string()))
        for rule, table in found
        if table.num_rows
    ]
    if not tables:
        return
    signs = ", ".join(f"'{rule.id}'" for rule, _ in found if rule.worst == "lowest")
    sign = f"CASE WHEN rule_id IN ({signs}) THEN 1 ELSE -1 END" if signs else "-1"
    last = len(grid.starts_utc) - 1
    db.connection.register("seen", pa.concat_tables(tables))
    try:
        db.execute(
            f"""
            INSERT INTO rule_step
            WITH
            covered AS (
              SELECT *,
                CASE WHEN probes_behind > probes_before THEN probes_before ELSE step_of_middle END     AS first_step,
                CASE WHEN probes_behind > probes_before THEN probes_behind - 1 ELSE step_of_middle END AS last_step
              FROM seen
            ),
            placed AS (
              SELECT *, unnest(range(greatest(first_step, 0), least(last_step, {last}) + 1)) AS step,
                {{'clear': breached = 0, 'order': {sign} * observed, 'limit': limit_in_force}} AS worst
              FROM covered
              WHERE last_step >= 0 AND first_step <= {last}
            )
            SELECT rule_id, lpar, qmgr, subject, step, {sign} * min(worst)['order'], min(worst)['limit'], sum(judged), sum(breached),
              CASE min(severity_rank) WHEN 0 THEN 'critical' WHEN 1 THEN 'warning' WHEN 2 THEN 'info' END
            FROM placed
            GROUP BY rule_id, lpar, qmgr, subject, step
            """
        )
    finally:
        db.connection.unregister("seen")


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
