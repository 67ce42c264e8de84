"""Counts the rows of rules: a row for every subject of every rule, with its longest run and its worst row.

Rows are grouped as they are read, and nothing keeps them. Subjects stay rows in DuckDB (table `judged_subject`); Python
reads those that are hit.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa

from mqstat.judge import judging, series
from mqstat.judge.clauses import FIGURES
from mqstat.judge.model import Rule
from mqstat.judge.series import Steps
from mqstat.sql.site import Site
from mqstat.sql.workspace import MANY_ROWS, Workspace

TOGETHER = 10
"""Rules over few rows whose rows one statement counts: DuckDB takes longer to plan it than to run it."""

GAP_SECONDS = 2
"""A run of intervals ends if the next one starts more than this after the end of the previous one (as first_in_data of
view interval)."""

SLOT_SECONDS = 285
"""Runs are counted in slots of at least five minutes; timers may be a little short (as in view interval_step)."""

_TYPES = {"clause_value": "DOUBLE", "clause_limit": "DOUBLE", "clause_hold": "BOOLEAN"}
_SEEN = (
    "rule_number INTEGER, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, interval_start_utc TIMESTAMP, interval_seconds DOUBLE, record_id BIGINT, "
    "severity VARCHAR, breach BOOLEAN, verdict BOOLEAN, judge_weight DOUBLE, alternative INTEGER, clause_near DOUBLE, clause_order DOUBLE"
)
_SUBJECT = (
    "rule_number INTEGER, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, rows_judgeable BIGINT, judged BIGINT, breached BIGINT, weight_judged DOUBLE, "
    "weight_breached DOUBLE, first_seen TIMESTAMP, last_seen TIMESTAMP, severity_rank INTEGER, worst_at TIMESTAMP, worst_record BIGINT, alternative INTEGER"
)
_SAME = f"{{0}}.rule_number = {{1}}.rule_number AND {judging.SAME_SUBJECT}"
"""The condition that rows of two tables are about the same rule and subject."""

_RULE = pa.schema(
    [
        ("rule_number", pa.int32()), ("rule_id", pa.string()), ("kind", pa.string()), ("needed", pa.float64()), ("lead", pa.int32()),
        ("sign", pa.int8()), ("severity_fixed", pa.bool_()), ("has_steps", pa.bool_()), ("lacking", pa.list_(pa.string())),
    ]
)  # fmt: skip


def longest_runs(rows: str) -> str:
    """The SELECT of the most slots in breach in a row of each subject, from the SELECT of its rows with start, length
    in seconds and verdict.

    A slot is an interval of at least `SLOT_SECONDS`, or the shorter ones of each five minutes from the first of them.
    It is in breach if more than half of its time is: an interval that is not judged is no evidence. Shorter ones that
    fill no slot are not counted, but end a run if they are not in breach; a hole ends it.
    """
    subject = "rule_number, lpar, qmgr, subject"
    by_time = f"PARTITION BY {subject} ORDER BY interval_start_utc"
    return f"""
        WITH
        timed AS (
          SELECT {subject}, interval_start_utc, coalesce(max(interval_seconds), 0) AS seconds, bool_or(verdict) AS verdict
          FROM ({rows})
          WHERE interval_start_utc IS NOT NULL
          GROUP BY {subject}, interval_start_utc
        ),
        marked AS (
          SELECT *,
            coalesce(epoch_us(interval_start_utc - lag(interval_start_utc + to_microseconds((seconds * 1e6)::BIGINT)) OVER near) > {GAP_SECONDS} * 1000000, true) AS is_hole,
            seconds < {SLOT_SECONDS} AND coalesce(lag(seconds) OVER near < {SLOT_SECONDS}, false) AS goes_on
          FROM timed
          WINDOW near AS ({by_time})
        ),
        parted AS (
          SELECT *, count(*) FILTER (is_hole) OVER so_far AS stretch, count(*) FILTER (is_hole OR NOT goes_on) OVER so_far AS part
          FROM marked
          WINDOW so_far AS ({by_time} ROWS UNBOUNDED PRECEDING)
        ),
        placed AS (
          -- By the middle of each interval: timers may be a little short.
          SELECT *, floor((sum(seconds) OVER (PARTITION BY {subject}, part ORDER BY interval_start_utc ROWS UNBOUNDED PRECEDING) - seconds / 2) / 300) AS slot
          FROM parted
        ),
        slotted AS (
          SELECT {subject}, stretch, min(interval_start_utc) AS at_utc, sum(seconds) >= {SLOT_SECONDS} AS is_whole,
            2 * coalesce(sum(seconds) FILTER (verdict), 0) > sum(seconds) AS is_hit
          FROM placed
          GROUP BY {subject}, stretch, part, slot
        ),
        numbered AS (
          SELECT *, count(*) FILTER (NOT is_hit) OVER (PARTITION BY {subject} ORDER BY at_utc ROWS UNBOUNDED PRECEDING) AS run
          FROM slotted
        )
        SELECT {subject}, max(length)
        FROM (SELECT {subject}, count(*) FILTER (is_hit AND is_whole) AS length FROM numbered GROUP BY {subject}, stretch, run)
        GROUP BY {subject}
    """


RUN_AT_HOLE = f"""
    SELECT s.rule_number, s.lpar, s.qmgr, s.subject, min(s.interval_start_utc + (h.hole_start_local - h.hole_start_utc))
    FROM temp.seen AS s
    JOIN judged_rule AS r ON r.rule_number = s.rule_number AND r.kind = 'consecutive'
    JOIN class_hole AS h ON h.lpar = s.lpar AND h.qmgr = s.qmgr AND list_contains(r.lacking, h.record_class)
    WHERE s.verdict
      AND least(
        abs(epoch_us(h.hole_start_utc - s.interval_start_utc) - s.interval_seconds * 1e6), abs(epoch_us(h.hole_end_utc - s.interval_start_utc))
      ) <= {GAP_SECONDS} * 1000000
    GROUP BY s.rule_number, s.lpar, s.qmgr, s.subject
"""
"""The subjects with an interval in breach just before or after a time without a record class that the rule needs:
nobody knows how long they were in breach."""


class Counting:
    """Counts the rows of some rules."""

    def __init__(
        self,
        db: Workspace,
        site: Site,
        counted: Sequence[Rule],
        grid: Steps | None,
        lacking: Mapping[str, Collection[str]],
    ) -> None:
        """Create the empty tables, and `judged_rule` with what the statements need to know of the rules.

        `lacking` = the record classes that are missing in a part of the period, by rules that need them.
        """
        self.db, self.site, self.rules, self.grid, self.lacking = db, site, counted, grid, lacking
        self.numbers = {rule.id: number for number, rule in enumerate(counted)}
        most = max((len(rule.clauses) for rule in counted), default=1)
        self.figures = [f"{name}_{number}" for name in FIGURES for number in range(1, most + 1)]
        figures = ", ".join(f"{name} {_TYPES[name.rpartition('_')[0]]}" for name in self.figures)
        tables = {
            "seen_columns": f"{_SEEN}, {figures}",
            "counted_subject": f"{_SUBJECT}, {figures}",
            "longest_run": "rule_number INTEGER, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, longest BIGINT",
            "run_at_hole": "rule_number INTEGER, lpar VARCHAR, qmgr VARCHAR, subject VARCHAR, at_hole_local TIMESTAMP",
        }
        db.execute(";".join(f"{db.create(name)} ({columns})" for name, columns in tables.items()))
        given = [self._row(rule) for rule in counted]
        with db.given(incoming=pa.Table.from_pylist(given, schema=_RULE)):
            db.execute(f"{db.create('judged_rule')} AS SELECT * FROM incoming")
        if grid is not None:
            series.create(db)

    def _row(self, rule: Rule) -> dict[str, Any]:
        return {
            "rule_number": self.numbers[rule.id], "rule_id": rule.id, "kind": rule.judge.kind, "needed": rule.judge.number,
            "lead": rule.alternatives[0][0] + 1,  # a curve has one measure: that of the leading clause
            "sign": 1 if rule.worst == "lowest" else -1,
            "severity_fixed": any(override.severity for override in self.site.overrides_of(rule.id)),
            "has_steps": self.has_grid and "interval_start_utc" in rule.sql, "lacking": sorted(self.lacking.get(rule.id, ())),
        }  # fmt: skip

    def add(self, db: Workspace, group: Sequence[tuple[Rule, str]]) -> None:
        """Count the rows of some rules, each with its SELECT (`judging.rows_of`), in one statement; it counts nothing
        if one of them fails.

        What needs the rows themselves, runs and the steps of a grid, has them in table `seen` meanwhile. `db` may be
        another connection.
        """
        rows = " UNION ALL BY NAME ".join(
            [
                "FROM seen_columns",
                *(f"SELECT {self.numbers[rule.id]} AS rule_number, * FROM ({rows})" for rule, rows in group),
            ]
        )
        has_runs = any(rule.judge.kind == "consecutive" for rule, _ in group)
        if not has_runs and not self.has_grid:
            self._count(db, rows)
            return
        with db.transaction():
            db.execute(f"CREATE OR REPLACE TEMP TABLE seen AS {rows}")
            self._count(db, "FROM temp.seen")
            if has_runs:
                self._add_runs(db)
            if any(rule.id in self.lacking for rule, _ in group):
                db.execute(f"INSERT INTO run_at_hole {RUN_AT_HOLE}")
            if self.has_grid and self.grid is not None:
                series.find_steps(db, self.grid, len(self.figures) // len(FIGURES))

    @property
    def has_grid(self) -> bool:
        """Whether there are steps to find."""
        return self.grid is not None and bool(self.grid.starts_utc)

    def _count(self, db: Workspace, rows: str) -> None:
        """Add the counts of these rows to table `counted_subject`."""
        # The worst row is one in breach if there is one, by the first combination of clauses that any row breaches,
        # otherwise the one nearest to its limit; the first of equal ones. NULL sorts last.
        figures = ", ".join(f"'{name}': {name}" for name in self.figures)
        worst = (
            "{'clear': NOT verdict, 'rank': CASE WHEN verdict THEN alternative ELSE 0 END, 'near': -clause_near, 'order': clause_order, "
            f"'worst_at': interval_start_utc, 'worst_record': record_id, 'alternative': alternative, {figures}}}"
        )
        taken = ", ".join(f"worst.{name}" for name in ("worst_at", "worst_record", "alternative", *self.figures))
        db.execute(
            f"""
            INSERT INTO counted_subject
            SELECT * EXCLUDE (worst), {taken}
            FROM (
              SELECT rule_number, lpar, qmgr, subject,
                count(breach)                                         AS rows_judgeable,
                count(verdict)                                        AS judged,
                count(*) FILTER (verdict)                             AS breached,
                sum(judge_weight) FILTER (verdict IS NOT NULL)        AS weight_judged,
                coalesce(sum(judge_weight) FILTER (verdict), 0)       AS weight_breached,
                min(interval_start_utc) FILTER (verdict)              AS first_seen,
                max(interval_start_utc) FILTER (verdict)              AS last_seen,
                min({judging.SEVERITY_RANK}) FILTER (verdict)         AS severity_rank,
                min({worst}) FILTER (verdict IS NOT NULL)             AS worst
              FROM ({rows})
              GROUP BY rule_number, lpar, qmgr, subject
            )
            """
        )

    def _add_runs(self, db: Workspace) -> None:
        """Add the longest run of each subject that may have enough intervals in breach."""
        rows = f"""
            SELECT * FROM temp.seen AS a
            SEMI JOIN (
              SELECT s.* FROM counted_subject AS s JOIN judged_rule AS r USING (rule_number)
              WHERE r.kind = 'consecutive' AND s.breached >= r.needed
            ) AS b ON {_SAME.format("a", "b")}
        """
        db.execute(f"INSERT INTO longest_run {longest_runs(rows)}")

    def close(self) -> None:
        """Make table `judged_subject`: the subjects with `is_hit`, the share in breach, and the overrides that apply.

        `is_hit`: as many rows are in breach as the rule requires. `scope` has a 1 for each override of the rule that
        applies and a 0 for each other.
        """
        share = "CASE WHEN weight_judged <> 0 THEN 100 * weight_breached / weight_judged ELSE 100 * breached / nullif(judged, 0) END"
        [(subjects,)] = self.db.execute(
            f"""
            {self.db.create("judged_subject")} AS
            SELECT a.*, b.longest, h.at_hole_local, {share} AS breached_pct,
              CASE r.kind
                WHEN 'share' THEN breached > 0 AND {share} >= r.needed
                WHEN 'consecutive' THEN coalesce(b.longest, 0) >= r.needed
                ELSE breached > 0
              END AS is_hit
            FROM (SELECT *, {self._scope()} AS scope FROM counted_subject) AS a
            JOIN judged_rule AS r ON r.rule_number = a.rule_number
            LEFT JOIN longest_run AS b ON {_SAME.format("a", "b")}
            LEFT JOIN run_at_hole AS h ON {_SAME.format("a", "h")}
            """
        ).fetchall()
        self.db.execute(
            ";".join(f"DROP TABLE {name}" for name in ("seen_columns", "counted_subject", "longest_run", "run_at_hole"))
        )
        if subjects > MANY_ROWS:
            self.db.compress("kept")

    def _scope(self) -> str:
        cases = []
        for rule in self.rules:
            if overrides := self.site.overrides_of(rule.id):
                bits = " || ".join(f"CASE WHEN {override.condition} THEN '1' ELSE '0' END" for override in overrides)
                cases.append(f"WHEN {self.numbers[rule.id]} THEN {bits}")
        return f"CASE rule_number {' '.join(cases)} ELSE '' END" if cases else "''"

    def hits(self) -> Mapping[str, list[dict[str, Any]]]:
        """The subjects of each rule that are hit, in order."""
        by_rule: dict[str, list[dict[str, Any]]] = {}
        for row in self.db.rows("SELECT * FROM judged_subject WHERE is_hit ORDER BY rule_number, lpar, qmgr, subject"):
            by_rule.setdefault(self.rules[row["rule_number"]].id, []).append(self._subject(row))
        return by_rule

    def _subject(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row with its figures as lists, one entry for each clause of its rule."""
        clauses = len(self.rules[row["rule_number"]].clauses)
        lists = {f"{name}s": [row[f"{name}_{number}"] for number in range(1, clauses + 1)] for name in FIGURES}
        return {name: value for name, value in row.items() if name not in self.figures} | lists

    def owners(self) -> Mapping[str, list[dict[str, Any]]]:
        """For each rule a row for each queue manager with subjects: the highest counts of its subjects, and whether one
        of them was not judged.
        """
        rows: dict[str, list[dict[str, Any]]] = {rule.id: [] for rule in self.rules}
        for row in self.db.rows(
            "SELECT rule_number, lpar, qmgr, max(rows_judgeable) AS rows_judgeable, max(judged) AS judged, min(judged) = 0 AS has_unjudged "
            "FROM judged_subject GROUP BY ALL ORDER BY ALL"
        ):
            rows[self.rules[row["rule_number"]].id].append(row)
        return rows
