"""The rows of a rule as SQL, each judged, and what is kept of the rows in breach. `mqstat.judge.counting` counts them.

Guards: G1 (fragments of intervals) and G2 (first interval after a start) if the rule names them; G5: the rule's minimum
activity; G6: rows of damaged records are not judged. An interval that cannot be judged ends a run.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as pa

from mqstat.judge import scope
from mqstat.judge.clauses import deciding_sql
from mqstat.judge.model import Rule
from mqstat.judge.mqsc import STORAGE_LEFT
from mqstat.judge.settings import NOTHING, InForce, change_of, settings, value_of
from mqstat.sql.schemas import quoted
from mqstat.sql.workspace import Workspace

MIN_SECONDS = 10
"""G1: a row of an interval shorter than this is not judged for rates, percentages or shares, unless its column
`fragment` is false (view interval_cut)."""

DAMAGED = "SELECT record_id FROM record WHERE damage IS NOT NULL"
"""The records of the temporary table `damaged_record` (G6)."""

SEVERITY_RANK = "CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 WHEN 'info' THEN 2 END"
"""The place of the severity of a row, in SQL."""

_COMMON = {
    "lpar": "VARCHAR", "qmgr": "VARCHAR", "interval_start_utc": "TIMESTAMP", "interval_seconds": "DOUBLE", "record_id": "BIGINT", "source_id": "BIGINT",
    "evidence_offset": "BIGINT", "severity": "VARCHAR", "fragment": "BOOLEAN", "startup_interval": "BOOLEAN", "suspect_first": "BOOLEAN",
}  # fmt: skip

_COUNTED = ("lpar", "qmgr", "interval_start_utc", "interval_seconds", "record_id", "severity")
"""The common columns that are counted."""

WORST_INTERVALS = 5
"""Maximum number of intervals in breach that are kept for each subject that was hit."""

SAME_SUBJECT = " AND ".join(f"{{0}}.{name} IS NOT DISTINCT FROM {{1}}.{name}" for name in ("lpar", "qmgr", "subject"))
"""The condition that two rows have the same subject."""


def rows_of(rule: Rule, overrides: scope.Overrides, damaged: bool, *, every_column: bool = True) -> str:
    """The SELECT of the rows of a rule, each judged by the thresholds that apply to it; `damaged` = there are damaged
    records.

    `breach` is the result of the rule's conditions; `verdict` is the same if the guards let it count, otherwise NULL;
    the columns of `clauses.deciding_sql` list the clauses that decide. Common columns that the rule does not return are
    NULL. Without `every_column` there are only the columns that `mqstat.judge.counting` reads.
    """
    # The position in the list of overrides of the most specific one that applies to the row; -1 = no override.
    fits = [f"WHEN {o.condition} THEN {number}" for number, o in reversed(list(enumerate(overrides)))]
    lacking = (f"NULL::{kind} AS {name}" for name, kind in _COMMON.items() if name not in rule.columns)
    origin = f"(SELECT {', '.join(['*', *lacking])} FROM ({rule.select}))"
    guard = _guard(rule, damaged)
    columns = [
        "*" if every_column else f"{', '.join(_COUNTED)}, subject",
        f"{rule.breach} AS breach",
        f"{rule.weighted_by or 'NULL'}::DOUBLE AS judge_weight",
        f"{'breach' if guard == 'true' else f'CASE WHEN {guard} THEN breach END'} AS verdict",
    ]
    parts = []
    for number in range(-1, len(overrides)):
        values, _ = scope.values(rule, overrides, overrides[number] if number >= 0 else None)
        chosen = f" WHERE CASE {' '.join(fits)} ELSE -1 END = {number}" if fits else ""
        judged = deciding_sql(", ".join(columns), origin + chosen, rule.clauses, rule.alternatives, rule.worst)
        parts.append(scope.with_numbers(judged, values))
    return " UNION ALL BY NAME ".join(parts)


def _guard(rule: Rule, damaged: bool) -> str:
    """The condition under which a row may be judged; it reads only columns that the rule returns."""
    has = rule.columns
    conditions = []
    if rule.min_activity:
        conditions.append(f"({rule.min_activity})")
    if "G1" in rule.guards and "interval_seconds" in has:
        known = "fragment, " if "fragment" in has else ""
        conditions.append(f"NOT coalesce({known}interval_seconds < {MIN_SECONDS}, false)")
    starts = [name for name in ("startup_interval", "suspect_first") if name in has]
    if "G2" in rule.guards and starts:
        conditions.append(f"NOT coalesce({' OR '.join(starts)}, false)")
    if damaged and rule.judge.kind != "whole" and "record_id" in has:
        conditions.append("(record_id IS NULL OR record_id NOT IN (SELECT record_id FROM damaged_record))")
    return " AND ".join(conditions) or "true"


def add_worst_rows(db: Workspace, rule: Rule, hits: list[dict[str, Any]], rows: str) -> None:
    """Add to the subjects of a rule that are hit the columns of their worst row and the sizes that follow from them,
    under the key `row`: a sentence uses them.

    `rows` = the SELECT of all columns of the rows; the rows of these subjects are kept in the temporary table
    `judged_row`. Of equal rows the worst is the first by its key. Under the key `in_force` is what is known of the
    settings of its advice (`mqstat.judge.settings`).
    """
    if not hits:
        return
    with registered(db, hits, ("worst_at", "worst_record")):
        db.execute(
            f"CREATE OR REPLACE TEMP TABLE judged_row AS SELECT j.* FROM ({rows}) AS j SEMI JOIN hit AS h ON {SAME_SUBJECT.format('j', 'h')}"
        )
        worst = (
            "j.interval_start_utc IS NOT DISTINCT FROM h.worst_at AND j.record_id IS NOT DISTINCT FROM h.worst_record"
        )
        for row in db.rows(_with_sizes(rule, worst)):
            hits[row["number"]]["row"] = row
    _add_settings(db, rule, hits)


def _with_sizes(rule: Rule, condition: str) -> str:
    """The query for the worst row in breach of each subject in table `hit`, of those with a condition, with the sizes
    that follow from it.
    """
    order = ", ".join(["j.alternative", "j.clause_order", *(f"j.{quoted(name)}" for name in rule.row_key)])
    query = f"""
        SELECT h.number, j.* FROM hit AS h JOIN judged_row AS j ON {SAME_SUBJECT.format("j", "h")} AND {condition} AND j.verdict
        QUALIFY row_number() OVER (PARTITION BY h.number ORDER BY {order}) = 1
    """
    if not rule.commands.sizes:
        return query
    storage = f"LEFT JOIN ({STORAGE_LEFT}) USING (lpar, qmgr)" if rule.commands.reads_storage else ""
    return f"SELECT *, {', '.join(size.sql for size in rule.commands.sizes.values())} FROM ({query}) {storage}"


def _add_settings(db: Workspace, rule: Rule, hits: list[dict[str, Any]]) -> None:
    """Add what is known of the settings of the advice: the values in force, and the rows of the rule since the last
    change.
    """
    shown = [settings()[name] for name in rule.settings_shown]
    values: dict[tuple[str, str | None, str | None, str | None], dict[str, Any]] = {}
    for setting in shown:
        owners = pa.table({name: pa.array([hit[name] for hit in hits], pa.string()) for name in ("lpar", "qmgr")})
        with db.given(hit_owner=owners):
            rows = db.rows(f"SELECT * FROM ({value_of(setting)}) SEMI JOIN hit_owner USING (lpar, qmgr)")
        values |= {(setting.name, row["lpar"], row["qmgr"], row["setting_key"]): row for row in rows}
    for hit in hits:
        keys = [str(hit.get("row", {}).get(setting.by)) if setting.by else None for setting in shown]
        matching = [
            values.get((each.name, hit["lpar"], hit["qmgr"], key)) for each, key in zip(shown, keys, strict=True)
        ]
        own = [(setting, row) for setting, row in zip(shown, matching, strict=True) if row is not None]
        changes = tuple(change for setting, row in own if (change := change_of(setting, row)))
        hit["in_force"] = InForce({setting.name: row["now"] for setting, row in own}, changes) if own else NOTHING
    changed = [hit for hit in hits if hit["in_force"].changes]
    if not changed or rule.judge.kind == "whole" or "interval_start_utc" not in rule.row_key:
        return
    for hit in changed:
        hit["since"] = hit["in_force"].since
    with registered(db, changed, ("since",)):
        worst = {row["number"]: row for row in db.rows(_with_sizes(rule, "j.interval_start_utc >= h.since"))}
        counted = db.rows(
            f"""
            SELECT h.number, count(j.verdict) AS judged, count(*) FILTER (j.verdict) AS breached
            FROM hit AS h LEFT JOIN judged_row AS j ON {SAME_SUBJECT.format("j", "h")} AND j.interval_start_utc >= h.since
            GROUP BY h.number
            """
        )
    for row in counted:
        known = changed[row["number"]]["in_force"]
        more = {"judged": row["judged"], "breached": row["breached"], "row": worst.get(row["number"])}
        changed[row["number"]]["in_force"] = replace(known, **more)


@contextmanager
def registered(db: Workspace, hits: list[dict[str, Any]], extra: Iterable[str] = ()) -> Iterator[None]:
    """Register the subjects as the table `hit` until the context ends, numbered in order."""
    types = {"worst_at": pa.timestamp("us"), "worst_record": pa.int64(), "since": pa.timestamp("us")}
    columns: dict[str, Any] = {"number": pa.array(range(len(hits)), pa.int64())}
    for name in ("lpar", "qmgr", "subject", *extra):
        columns[name] = pa.array([hit[name] for hit in hits], types.get(name, pa.string()))
    with db.given(hit=pa.table(columns)):
        yield


def keep_breaches(db: Workspace, rule: Rule, hits: list[dict[str, Any]]) -> None:
    """Keep the rows in breach of the subjects that were hit as table `breach_<rule>`: their key, and `place`: 1 for the
    worst row, equal for equal rows.

    Reports and pictures mark the rows with such a key. The key of records without an interval (before 7.1) is the time
    of its end.
    """
    if not hits:
        return
    kept, ends = ", ".join(f"j.{quoted(column)}" for column in rule.row_key), ""
    if "interval_start_utc" in rule.row_key:
        kept += ", r.interval_end_utc"
        ends = "LEFT JOIN decoded.record AS r ON r.record_id = j.record_id AND j.interval_start_utc IS NULL"
    with registered(db, hits):
        db.execute(
            f"CREATE TEMP TABLE {quoted(f'breach_{rule.id}')} AS SELECT {kept}, min(j.alternative) AS alternative, min(j.clause_order) AS clause_order, "
            f"rank() OVER (ORDER BY min(j.alternative), min(j.clause_order) NULLS LAST) AS place "
            f"FROM judged_row AS j SEMI JOIN hit AS h ON {SAME_SUBJECT.format('j', 'h')} {ends} WHERE j.verdict GROUP BY ALL"
        )


def breach_tables(db: Workspace) -> list[str]:
    """The rules that have such a table."""
    query = (
        "SELECT table_name[8:] FROM duckdb_tables() WHERE temporary AND starts_with(table_name, 'breach_') ORDER BY ALL"
    )
    return [rule_id for (rule_id,) in db.execute(query).fetchall()]


def keep_worst(db: Workspace, rule: Rule, hits: list[dict[str, Any]]) -> None:
    """Add the worst intervals in breach of each subject that was hit to table `worst_interval`, the first of equal
    ones.
    """
    if not hits:
        return
    leads = [combination[0] + 1 for combination in rule.alternatives]
    observed, limit = (
        f"[{', '.join(f'j.{name}_{lead}' for lead in leads)}][j.alternative + 1]"
        for name in ("clause_value", "clause_limit")
    )
    with registered(db, hits):
        db.execute(
            f"""
            INSERT INTO worst_interval
            SELECT '{rule.id}', h.lpar, h.qmgr, h.subject,
              row_number() OVER (PARTITION BY h.number ORDER BY j.alternative, j.clause_order NULLS LAST, j.interval_start_utc, j.record_id) AS place,
              j.interval_start_utc, {observed}, {limit}, j.record_id, j.source_id, j.evidence_offset
            FROM hit AS h JOIN judged_row AS j ON {SAME_SUBJECT.format("j", "h")}
            WHERE j.verdict
            QUALIFY place <= {WORST_INTERVALS}
            """
        )
