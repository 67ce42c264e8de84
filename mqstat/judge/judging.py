"""Judges the rows of a rule: guards, counts, runs, and the worst row of each subject. Counting and comparing is done by DuckDB.

Guards: G1 (short intervals) and G2 (first interval after a start) if the rule names them; G5: the rule's minimum activity; G6: rows of
damaged records are not judged. An interval that cannot be judged ends a run.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as literals

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.judge import scope
from mqstat.judge.clauses import FIGURES, deciding_sql
from mqstat.judge.model import Judge, Rule
from mqstat.judge.mqsc import STORAGE_LEFT
from mqstat.judge.series import WORST_INTERVALS
from mqstat.sql.database import Database
from mqstat.sql.schemas import quoted

MIN_SECONDS = 10
"""G1: intervals shorter than this are not judged for rates, percentages or shares."""

GAP_SECONDS = 2
"""A run of intervals ends if the next one starts more than this after the end of the previous one (as first_in_data of view interval)."""

DAMAGED = "SELECT record_id FROM record WHERE damage IS NOT NULL"
"""The records of the temporary table `damaged_record` (G6)."""

MANY_QUIET = 1_000
"""A rule with more subjects without a row in breach than this, or than `Database.many_quiet`, has them as a table."""

_COMMON = {
    "lpar": "VARCHAR", "qmgr": "VARCHAR", "interval_start_utc": "TIMESTAMP", "interval_seconds": "DOUBLE", "record_id": "BIGINT", "source_id": "BIGINT",
    "evidence_offset": "BIGINT", "severity": "VARCHAR", "startup_interval": "BOOLEAN", "suspect_first": "BOOLEAN",
}  # fmt: skip

_COUNTED = ("lpar", "qmgr", "interval_start_utc", "record_id", "severity")
"""The common columns that are counted."""


class Subjects(list[dict[str, Any]]):
    """The counts of the subjects of a rule, one dictionary each; `quiet` has those without a row in breach as a table, if there are many."""

    quiet: pa.Table | None = None

    def every(self, clauses: int) -> list[dict[str, Any]]:
        """All subjects of a rule with so many clauses as dictionaries."""
        if self.quiet is None:
            return self
        return _in_order([*self, *(subject_of(row, clauses) for row in self.quiet.to_pylist())])


_SAME = " AND ".join(f"{{0}}.{name} IS NOT DISTINCT FROM {{1}}.{name}" for name in ("lpar", "qmgr", "subject"))
"""The condition that two rows have the same subject."""


def rows_of(
    rule: Rule, overrides: scope.Overrides, damaged: bool, *, every_column: bool = True, known: Collection[str] = ()
) -> str:
    """The SELECT of the rows of a rule, each judged by the thresholds that apply to it; `damaged` = there are damaged records.

    `breach` is the result of the rule's conditions; `verdict` is the same if the guards let it count, otherwise NULL; the columns of
    `clauses.deciding_sql` list the clauses that decide. Common columns that the rule does not return are NULL. Without `every_column` there are
    only the columns that `count` reads. `known` = the columns of the rule, if they are known: over many rows DuckDB then needs a tenth less time.
    """
    # The position in the list of overrides of the most specific one that applies to the row; -1 = no override.
    fits = [f"WHEN {o.condition} THEN {number}" for number, o in reversed(list(enumerate(overrides)))]
    common = ", ".join(f"NULL::{kind} AS {name}" for name, kind in _COMMON.items())
    has = known if known and not every_column and not fits else _COMMON
    columns = ", ".join(name if name in has else f"NULL::{_COMMON[name]} AS {name}" for name in _COUNTED)
    columns = "*" if every_column else f"{columns}, subject"
    weight = f"{rule.weighted_by or 'NULL'}::DOUBLE AS judge_weight"
    parts = []
    for number in range(-1, len(overrides)):
        values, _ = scope.values(rule, overrides, overrides[number] if number >= 0 else None)
        chosen = f" WHERE CASE {' '.join(fits)} ELSE -1 END = {number}" if fits else ""
        guard = _guard(rule, damaged, has)
        verdict = f"{'breach' if guard == 'true' else f'CASE WHEN {guard} THEN breach END'} AS verdict"
        added = "" if has is known else f"SELECT {common} WHERE false UNION ALL BY NAME "
        origin = f"({added}({rule.select})){chosen}"
        judged = deciding_sql(
            f"{columns}, {rule.breach} AS breach, {weight}, {verdict}",
            origin, rule.clauses, rule.alternatives, rule.worst, lists=every_column,
        )  # fmt: skip
        parts.append(scope.with_numbers(judged, values))
    return " UNION ALL BY NAME ".join(parts)


def _guard(rule: Rule, damaged: bool, has: Collection[str]) -> str:
    """The condition under which a row may be judged; it reads only columns that the rows have."""
    conditions = []
    if rule.min_activity:
        conditions.append(f"({rule.min_activity})")
    if "G1" in rule.guards and "interval_seconds" in has:
        conditions.append(f"coalesce(interval_seconds >= {MIN_SECONDS}, true)")
    starts = [name for name in ("startup_interval", "suspect_first") if name in has]
    if "G2" in rule.guards and starts:
        conditions.append(f"NOT coalesce({' OR '.join(starts)}, false)")
    if damaged and rule.judge.kind != "whole" and "record_id" in has:
        conditions.append("(record_id IS NULL OR record_id NOT IN (SELECT record_id FROM damaged_record))")
    return " AND ".join(conditions) or "true"


def count(db: Database, counted: Sequence[tuple[Rule, str]]) -> list[Subjects]:
    """For each rule (with the SELECT of its rows) one dictionary per subject: counts, first, last, and time, record and clause figures of the worst row.

    One statement counts all rules; it fails if the SELECT of one rule fails.
    """
    parts = " UNION ALL BY NAME ".join(
        f"SELECT {number} AS rule_number, * FROM ({rows})" for number, (_, rows) in enumerate(counted)
    )
    return _count(db, [rule for rule, _ in counted], f"({parts})")


def count_kept(db: Database, kept: Sequence[Rule]) -> list[Subjects]:
    """The same for rules whose rows are in table `seen` (`mqstat.judge.series`)."""
    ids = ", ".join(f"'{rule.id}'" for rule in kept)
    figures = ", ".join(f"{name}s[{number}] AS {name}_{number}" for name, number in _figures(kept))
    return _count(
        db,
        kept,
        f"(SELECT *, {figures}, list_position([{ids}], rule_id) - 1 AS rule_number FROM seen WHERE rule_id IN ({ids}))",
    )


def _figures(counted: Sequence[Rule]) -> list[tuple[str, int]]:
    """The figures of all clauses of rules that are counted together, each with the number of its clause."""
    clauses = max(len(rule.clauses) for rule in counted)
    return [(name, number) for name in FIGURES for number in range(1, clauses + 1)]


def _count(db: Database, counted: Sequence[Rule], relation: str) -> list[Subjects]:
    # The worst row is one in breach if there is one, by the first combination of clauses that any row breaches, otherwise the one nearest to
    # its limit; the first of equal ones. NULL sorts last.
    several = any(len(rule.alternatives) > 1 for rule in counted)
    rank = "'rank': CASE WHEN verdict THEN alternative ELSE 0 END, 'near': -clause_near, " if several else ""
    figures = ", ".join(f"'{name}_{number}': {name}_{number}" for name, number in _figures(counted))
    worst = (
        f"{{'clear': NOT verdict, {rank}"
        "'order': clause_order, "
        f"'at': interval_start_utc, 'record': record_id, 'alternative': alternative, {figures}}}"
    )
    severity = "min(CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 WHEN 'info' THEN 2 END) FILTER (verdict)"
    weights = "sum(judge_weight) FILTER (verdict IS NOT NULL)", "coalesce(sum(judge_weight) FILTER (verdict), 0)"
    weighs = any(rule.weighted_by for rule in counted)
    query = f"""
        SELECT rule_number, lpar, qmgr, subject,
          count(breach)                            AS rows_judgeable,
          count(verdict)                           AS judged,
          count(*) FILTER (verdict)                AS breached,
          {weights[0] if weighs else "NULL"}       AS weight_judged,
          {weights[1] if weighs else "0.0"}        AS weight_breached,
          min(interval_start_utc) FILTER (verdict) AS first_seen,
          max(interval_start_utc) FILTER (verdict) AS last_seen,
          {severity}                               AS severity_rank,
          min({worst}) FILTER (verdict IS NOT NULL) AS worst
        FROM {relation}
        GROUP BY rule_number, lpar, qmgr, subject
    """
    if not db.is_small:
        # DuckDB plans the query of a relation twice, when it is made and when it is read.
        db.execute(f"CREATE OR REPLACE TEMP TABLE counted AS {query}")
        most = MANY_QUIET if db.many_quiet is None else db.many_quiet
        return [
            _split(db.arrow(f"{_COUNTS} WHERE rule_number = {number} {_IN_ORDER}"), len(rule.clauses), most)
            for number, rule in enumerate(counted)
        ]
    subjects = [Subjects() for _ in counted]
    for row in db.rows(query):
        rule_number = row.pop("rule_number")
        subjects[rule_number].append(subject_of(row, len(counted[rule_number].clauses)))
    for group in subjects:
        _in_order(group)
    return subjects


_COUNTS = "SELECT * EXCLUDE (rule_number) FROM temp.counted"
_IN_ORDER = "ORDER BY lpar, qmgr, subject"


def _split(counted: pa.Table, clauses: int, most: int) -> Subjects:
    """The subjects of a rule as dictionaries; those without a row in breach as a table if they are more than `most`."""
    breached = pc.greater(counted["breached"], 0)
    quiet = counted.filter(pc.invert(breached))
    many = quiet.num_rows > most
    listed = (counted.filter(breached) if many else counted).to_pylist()
    subjects = Subjects(_in_order([subject_of(row, clauses) for row in listed]))
    if many:
        subjects.quiet = quiet
    return subjects


_T = TypeVar("_T", bound=list[dict[str, Any]])


def _in_order(subjects: _T) -> _T:
    subjects.sort(key=lambda row: [(row[name] is None, row[name] or "") for name in ("lpar", "qmgr", "subject")])
    return subjects


def add_breaches(db: Database, rule: Rule, subjects: list[dict[str, Any]], rows: Callable[[], str]) -> None:
    """Add the longest run to subjects with rows in breach, and the worst row to those that are hit.

    `rows` returns the SELECT of all columns of the rows; the rows of these subjects are kept in the temporary table `judged_row`.
    """
    breached = [subject for subject in subjects if subject["breached"]]
    if not breached:
        return
    judge = rule.judge
    breached.sort(key=lambda subject: not _may_be_hit(judge, subject))
    likely = sum(_may_be_hit(judge, subject) for subject in breached)
    with registered(db, breached, ("worst_at", "worst_record")):
        db.execute(
            f"CREATE OR REPLACE TEMP TABLE judged_row AS SELECT j.* FROM ({rows()}) AS j SEMI JOIN hit AS h ON {_SAME.format('j', 'h')}"
        )
        if likely and judge.kind == "consecutive":
            _add_runs(db, breached, likely)
        if any(is_hit(judge, subject) for subject in breached[:likely]):
            _add_worst_rows(db, rule, breached, likely)


def _may_be_hit(judge: Judge, subject: Mapping[str, Any]) -> bool:
    """Whether the counts of a subject allow a hit: of intervals one after the other they have only the greatest possible number."""
    return bool(subject["breached"] >= judge.number) if judge.kind == "consecutive" else is_hit(judge, subject)


def subject_of(row: dict[str, Any], clauses: int) -> dict[str, Any]:
    """A row of counts with the entries of its worst row as separate keys; None if no row was judged. `clauses` = the number of clauses of the rule."""
    worst = row.pop("worst") or {}
    figures = {
        f"{name}s": [worst[f"{name}_{number}"] for number in range(1, clauses + 1)] if worst else None
        for name in FIGURES
    }
    return {
        **row,
        "worst_at": worst.get("at"),
        "worst_record": worst.get("record"),
        "alternative": worst.get("alternative"),
        **figures,
    }


def is_hit(judge: Judge, subject: Mapping[str, Any]) -> bool:
    """Whether a subject has as many rows in breach as the rule requires."""
    if judge.kind == "share":
        return bool(subject["breached"] > 0 and share_pct(subject) >= judge.number)
    if judge.kind == "consecutive":
        return bool((subject.get("longest_run") or 0) >= judge.number)
    return bool(subject["breached"] > 0)


def share_pct(subject: Mapping[str, Any]) -> float:
    """The share of what was judged that is in breach, in percent: by activity if the rule weights its intervals, otherwise by their number."""
    if subject.get("weight_judged"):
        return float(100 * subject["weight_breached"] / subject["weight_judged"])
    return float(100 * subject["breached"] / subject["judged"])


def is_too_few(rule: Rule, subject: Mapping[str, Any], intervals_min: int) -> bool:
    """Whether there is too little evidence for the full severity: few intervals, and less activity than the rule requires."""
    if not rule.judge.wants_four or subject["judged"] >= intervals_min:
        return False
    return not (rule.weighted_by and (subject.get("weight_judged") or 0) >= rule.weighted_min)


def why_clear(judge: Judge, subject: Mapping[str, Any]) -> str | None:
    """Why rows in breach are not a hit: `share` or `consecutive`; None if no row was in breach."""
    return judge.kind if subject["breached"] else None


def _add_runs(db: Database, subjects: Sequence[dict[str, Any]], first: int) -> None:
    """Add to the first subjects of table `hit` their longest run of intervals in breach, under the key `longest_run`."""
    query = f"""
        WITH
        stepped AS (
          SELECT number, interval_start_utc, verdict,
            CASE WHEN verdict AND lag(verdict) OVER near
                  AND epoch_us(interval_start_utc - lag(interval_start_utc + to_microseconds((interval_seconds * 1e6)::BIGINT)) OVER near)
                      <= {GAP_SECONDS} * 1000000 THEN 0 ELSE 1 END AS step
          FROM judged_row AS j JOIN hit AS h ON {_SAME.format("j", "h")} AND h.number < $first
          WINDOW near AS (PARTITION BY number ORDER BY interval_start_utc)
        ),
        numbered AS (
          SELECT *, sum(step) OVER (PARTITION BY number ORDER BY interval_start_utc ROWS UNBOUNDED PRECEDING) AS run
          FROM stepped
        )
        SELECT number, max(length) AS longest_run
        FROM (SELECT number, run, count(DISTINCT interval_start_utc) AS length FROM numbered WHERE verdict GROUP BY number, run)
        GROUP BY number
    """
    for row in db.rows(query, {"first": first}):
        subjects[row["number"]]["longest_run"] = row["longest_run"]


def _add_worst_rows(db: Database, rule: Rule, subjects: Sequence[dict[str, Any]], first: int) -> None:
    """Add to the first subjects of table `hit` the columns of their worst row and the sizes that follow from them, under the key `row`: a sentence uses them. Of equal rows it is the first by its key."""
    order = ", ".join(["j.alternative", "j.clause_order", *(f"j.{quoted(name)}" for name in rule.row_key)])
    query = f"""
        SELECT h.number, j.* FROM hit AS h JOIN judged_row AS j ON {_SAME.format("j", "h")}
          AND j.interval_start_utc IS NOT DISTINCT FROM h.worst_at AND j.record_id IS NOT DISTINCT FROM h.worst_record AND j.verdict
          AND h.number < $first
        QUALIFY row_number() OVER (PARTITION BY h.number ORDER BY {order}) = 1
    """
    if rule.commands.sizes:
        storage = f"LEFT JOIN ({STORAGE_LEFT}) USING (lpar, qmgr)" if rule.commands.reads_storage else ""
        query = f"SELECT *, {', '.join(size.sql for size in rule.commands.sizes.values())} FROM ({query}) {storage}"
    for row in db.rows(query, {"first": first}):
        subjects[row["number"]]["row"] = row


@contextmanager
def registered(db: Database, hits: list[dict[str, Any]], extra: Iterable[str] = ()) -> Iterator[None]:
    """Register the subjects as the table `hit` until the context ends, numbered in order."""
    types = {"worst_at": pa.timestamp("us"), "worst_record": pa.int64()}
    columns: dict[str, Any] = {"number": pa.array(range(len(hits)), pa.int64())}
    for name in ("lpar", "qmgr", "subject", *extra):
        columns[name] = pa.array([hit[name] for hit in hits], types.get(name, pa.string()))
    db.connection.register("hit", pa.table(columns))
    try:
        yield
    finally:
        db.connection.unregister("hit")


def keep_breaches(db: Database, rule: Rule, hits: list[dict[str, Any]]) -> None:
    """Keep the rows in breach of the subjects that were hit as table `breach_<rule>`: their key, and `place`: 1 for the worst row, equal for equal rows.

    Reports and pictures mark the rows with such a key. The key of records without an interval (before 7.1) is the time of its end.
    """
    name = quoted(f"breach_{rule.id}")
    if rule.id in db.marked:
        db.execute(f"DROP TABLE IF EXISTS temp.{name}")
        db.marked.discard(rule.id)
    if not hits:
        return
    kept, ends = ", ".join(f"j.{quoted(column)}" for column in rule.row_key), ""
    if "interval_start_utc" in rule.row_key:
        kept += ", r.interval_end_utc"
        ends = "LEFT JOIN decoded.record AS r ON r.record_id = j.record_id AND j.interval_start_utc IS NULL"
    db.marked.add(rule.id)
    with registered(db, hits):
        db.execute(
            f"CREATE TEMP TABLE {name} AS SELECT {kept}, min(j.alternative) AS alternative, min(j.clause_order) AS clause_order, "
            f"rank() OVER (ORDER BY min(j.alternative), min(j.clause_order) NULLS LAST) AS place "
            f"FROM judged_row AS j SEMI JOIN hit AS h ON {_SAME.format('j', 'h')} {ends} WHERE j.verdict GROUP BY ALL"
        )


def unite_breaches(db: Database, rule_id: str, rows: pa.Table) -> None:
    """Keep the rows in breach that several processes kept as table `breach_<rule>`, with their places among all."""
    db.connection.register("united", rows)
    try:
        ranked = "SELECT * REPLACE (rank() OVER (ORDER BY alternative, clause_order NULLS LAST) AS place) FROM united"
        db.execute(f"CREATE OR REPLACE TEMP TABLE {quoted(f'breach_{rule_id}')} AS {ranked}")
    finally:
        db.connection.unregister("united")
    db.marked.add(rule_id)


def keep_worst(db: Database, rule: Rule, hits: list[dict[str, Any]]) -> None:
    """Add the worst intervals in breach of each subject that was hit to table `worst_interval`, the first of equal ones."""
    if not hits:
        return
    leads = ", ".join(str(combination[0] + 1) for combination in rule.alternatives)
    with registered(db, hits):
        db.execute(
            f"""
            INSERT INTO worst_interval
            SELECT '{rule.id}', h.lpar, h.qmgr, h.subject,
              row_number() OVER (PARTITION BY h.number ORDER BY j.alternative, j.clause_order NULLS LAST, j.interval_start_utc, j.record_id) AS place,
              j.interval_start_utc, j.clause_values[[{leads}][j.alternative + 1]], j.clause_limits[[{leads}][j.alternative + 1]], j.record_id, j.source_id, j.evidence_offset
            FROM hit AS h JOIN judged_row AS j ON {_SAME.format("j", "h")}
            WHERE j.verdict
            QUALIFY place <= {WORST_INTERVALS}
            """
        )
