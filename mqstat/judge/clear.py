"""Findings of the subjects that are not hit, which are clear or could not be judged: rows of DuckDB throughout, since a
rule may have a hundred thousand.

Python makes one row for each rule, overrides in force and deciding combination of clauses (`blank_finding`); a
statement fills in the figures of each subject.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pyarrow as pa

from mqstat.judge import scope, states
from mqstat.judge.clauses import FIGURES
from mqstat.judge.counting import Counting
from mqstat.judge.findings import clauses_text, deciding_finding, finding_of
from mqstat.judge.model import SEVERITIES, Rule, rules
from mqstat.judge.run import Run
from mqstat.judge.sentences import advice_of
from mqstat.judge.states import Place, Row
from mqstat.sql import sqlfile
from mqstat.sql.schemas import view_schema
from mqstat.sql.workspace import Workspace

PART = 20_000
"""About so many subjects have their findings added by one statement: one that is not compressed yet takes some
kilobytes."""

MANY = 1_000
"""Of a rule with more subjects without a row in breach than this, only those that represent the others are listed."""

Reason = Mapping[str, Any]
"""Columns state, outcome, not_judged and advice of the subjects of a queue manager that were not judged, and those
about the share of the period of all."""

_BLANK = [
    ("rule_number", pa.int32()), ("scope", pa.string()), ("alternative", pa.int32()), ("lead", pa.int32()), ("clauses_format", pa.string()),
    ("is_off", pa.bool_()), ("severity_fixed", pa.bool_()), ("kind", pa.string()),
]  # fmt: skip
_REASON = [
    ("rule_number", pa.int32()), ("lpar", pa.string()), ("qmgr", pa.string()), ("left_out", pa.bool_()), ("is_idle", pa.bool_()), ("has_no_interval", pa.bool_()),
    *((name, pa.string()) for name in ("state", "outcome", "not_judged", "advice", "advice_in_part", "advice_at_hole")), ("is_part", pa.bool_()),
    ("slots_judged", pa.int64()), ("slots", pa.int64()), ("judged_from_utc", pa.timestamp("us")), ("judged_to_utc", pa.timestamp("us")),
    ("missing_classes", pa.list_(pa.string())),
]  # fmt: skip


def add_clear(
    run: Run, counting: Counting, reasons: Mapping[str, Mapping[Place, Reason]], broken: Collection[str]
) -> None:
    """Add the findings of subjects that are not hit to table `finding`, for rules that are not broken.

    `reasons` has for each rule and queue manager with subjects `is_idle` (then figures of 0 are no judgement),
    `has_no_interval` (none is), `left_out` (it has one finding without a subject), and what the findings state of
    subjects that were not judged.
    """
    blank = [row for rule in counting.rules if rule.id not in broken for row in _blanks(run, counting, rule)]
    fields = [*view_schema("finding"), *_BLANK]
    rows = [
        {"rule_number": counting.numbers[rule_id], "lpar": lpar, "qmgr": qmgr, **reason}
        for rule_id, by_owner in reasons.items()
        for (lpar, qmgr), reason in by_owner.items()
    ]
    with run.db.given(
        blank_finding=pa.Table.from_pylist(blank, schema=pa.schema(fields)),
        owner_reason=pa.Table.from_pylist(rows, schema=pa.schema(_REASON)),
    ):
        run.db.filled.add("finding")
        [(subjects,)] = run.db.execute("SELECT count(*) FROM judged_subject").fetchall()
        parts = -(-subjects // PART)
        for part in range(parts):
            run.db.execute(_clear(len(counting.figures) // len(FIGURES), f"hash(j.subject) % {parts} = {part}"))
            if parts > 1:
                run.db.compress("data")
        if any(row["is_off"] for row in blank):
            run.db.execute(OFF)


_WITHOUT_KEYS = f"b.* EXCLUDE ({', '.join(name for name, _ in _BLANK)})"
_OWNER = "o.rule_number = j.rule_number AND o.lpar IS NOT DISTINCT FROM j.lpar AND o.qmgr IS NOT DISTINCT FROM j.qmgr AND NOT o.left_out"

OFF = f"""
    INSERT INTO decoded.finding BY NAME
    SELECT {_WITHOUT_KEYS} REPLACE (j.lpar AS lpar, j.qmgr AS qmgr, j.subject AS subject)
    FROM judged_subject AS j
    JOIN owner_reason AS o ON {_OWNER}
    JOIN blank_finding AS b ON b.rule_number = j.rule_number AND b.scope = j.scope
    WHERE b.is_off
"""
"""The findings of subjects for which the site switched their rule off."""


def _clear(clauses: int, part: str) -> str:
    """The statement for all other subjects with a condition; `clauses` = the number of clauses that there are columns
    for.
    """
    value, limit, hold = ([f"j.{name}_{number}" for number in range(1, clauses + 1)] for name in FIGURES)
    lead_value, lead_limit, lead_hold = (f"[{', '.join(listed)}][b.lead]" for listed in (value, limit, hold))
    texts = ", ".join(
        f"{_as_json(value[number])}, {_as_json(limit[number])}, CASE WHEN {hold[number]} THEN 'true' ELSE 'false' END"
        for number in range(clauses)
    )
    nothing = " AND ".join(f"coalesce({figure}, 0) = 0" for figure in value)
    ranks = " ".join(f"WHEN {number} THEN '{name}'" for number, name in enumerate(SEVERITIES))
    return f"""
        INSERT INTO decoded.finding BY NAME
        WITH checked AS (
          -- Figures of 0 where nothing happened are no judgement, nor are any without a valid interval.
          SELECT j.*, o.* EXCLUDE (rule_number, lpar, qmgr), CASE WHEN o.has_no_interval THEN 0 WHEN o.is_idle AND j.breached = 0 AND {nothing} THEN 0 ELSE j.judged END AS checked
          FROM judged_subject AS j
          JOIN owner_reason AS o ON {_OWNER}
          WHERE NOT j.is_hit AND {part}
        )
        SELECT {_WITHOUT_KEYS} REPLACE (
          j.lpar AS lpar, j.qmgr AS qmgr, j.subject AS subject,
          CASE WHEN b.severity_fixed THEN b.severity ELSE coalesce(CASE j.severity_rank {ranks} END, b.severity) END AS severity,
          CASE WHEN checked > 0 THEN if(j.is_part, '{states.PART}', b.state) ELSE j.state END AS state,
          CASE WHEN checked > 0 THEN if(j.is_part, '{states.OUTCOMES[states.PART]}', b.outcome) ELSE j.outcome END AS outcome,
          CASE
            WHEN checked = 0 THEN j.not_judged
            WHEN j.is_part AND j.at_hole_local IS NOT NULL THEN '{{"at_hole":"' || strftime(j.at_hole_local, '%H:%M') || '"}}'
          END                                                                            AS not_judged,
          CASE WHEN checked > 0 THEN coalesce(replace(j.advice_at_hole, '{states.AT_HOLE}', strftime(j.at_hole_local, '%H:%M')), j.advice_in_part) ELSE j.advice END AS advice,
          j.missing_classes AS missing_classes, j.slots_judged AS slots_judged, j.slots AS slots,
          j.judged_from_utc AS judged_from_utc, j.judged_to_utc AS judged_to_utc,
          CASE WHEN checked > 0 THEN {lead_value} + 0.0 END                              AS observed,
          CASE WHEN checked > 0 THEN {lead_limit} + 0.0 ELSE b.limit_value END           AS limit_value,
          CASE WHEN checked > 0 THEN format(b.clauses_format, {texts}) END               AS clauses,
          CASE WHEN j.breached > 0 THEN b.kind WHEN checked > 0 AND {lead_hold} THEN 'condition' END AS clear_because,
          checked                                                                        AS intervals_checked,
          j.breached                                                                     AS intervals_breached,
          CASE WHEN checked > 0 THEN j.breached_pct END                                  AS breached_pct,
          CASE WHEN checked > 0 THEN j.worst_at END                                      AS worst_interval_utc,
          j.first_seen                                                                   AS first_seen_utc,
          j.last_seen                                                                    AS last_seen_utc,
          CASE WHEN checked > 0 THEN j.worst_record END                                  AS evidence_record_id
        )
        FROM checked AS j
        JOIN blank_finding AS b ON b.rule_number = j.rule_number AND b.scope = j.scope AND NOT b.is_off
          AND b.alternative = CASE WHEN checked > 0 THEN j.alternative ELSE 0 END
    """


def _as_json(figure: str) -> str:
    """A number as `json.dumps` writes it after `formatting.steady`."""
    text = f"(format('{{:.12g}}', {figure})::DOUBLE + 0.0)::VARCHAR"
    return (
        f"CASE WHEN {figure} IS NULL THEN 'null' WHEN isfinite({figure}) THEN {text} "
        f"WHEN isnan({figure}) THEN 'NaN' WHEN {figure} > 0 THEN 'Infinity' ELSE '-Infinity' END"
    )


def _blanks(run: Run, counting: Counting, rule: Rule) -> Iterable[dict[str, Any]]:
    """The findings of a rule without their figures, one for each set of overrides and combination of clauses."""
    overrides = run.site.overrides_of(rule.id)
    examples = [("", (None, None, None))]
    if overrides:
        query = (
            "SELECT scope, any_value({'lpar': lpar, 'qmgr': qmgr, 'subject': subject}) AS here FROM judged_subject "
            f"WHERE rule_number = {counting.numbers[rule.id]} GROUP BY scope"
        )
        examples = [(row["scope"], tuple(row["here"].values())) for row in run.db.rows(query)]
    for bits, (lpar, qmgr, subject) in examples:
        thresholds, origin = scope.values(rule, overrides, scope.narrowest(overrides, lpar, qmgr, subject))
        severities = {
            scope.severity(rule, overrides, lpar, qmgr, subject, rank) for rank in (None, *range(len(SEVERITIES)))
        }
        off = scope.off_for(rule, overrides, lpar, qmgr, subject)
        for number, combined in enumerate(rule.alternatives):
            key = {
                "rule_number": counting.numbers[rule.id], "scope": bits, "alternative": number, "lead": combined[0] + 1, "is_off": off is not None,
                "severity_fixed": len(severities) == 1, "kind": rule.judge.kind, "clauses_format": _format(rule, combined),
            }  # fmt: skip
            if off is not None:
                finding = finding_of(rule, states.OFF, off_reason=off or None)
                yield {**finding, "advice": advice_of(finding)} | key
                break
            clause = rule.clauses[combined[0]]
            limit = thresholds.get(clause.limit) if isinstance(clause.limit, str) else clause.limit
            yield deciding_finding(
                rule, states.CLEAR, combined, origin, severity=scope.severity(rule, overrides, lpar, qmgr, subject, None),
                limit_value=None if limit is None else float(limit) + 0.0,
            ) | key  # fmt: skip


def _format(rule: Rule, combined: tuple[int, ...]) -> str:
    """The clauses as JSON for DuckDB's function format: with the places of the figures of all clauses."""
    values, limits, holds = ([f"\0{3 * n + position}\0" for n in range(len(rule.clauses))] for position in range(3))
    text = clauses_text(rule, combined, values, limits, holds).replace("{", "{{").replace("}", "}}")
    return text.replace('"\\u0000', "{").replace('\\u0000"', "}")


# --- the findings that represent others

QUIET = f"clause IS NOT NULL AND intervals_breached = 0 AND state IN ('{states.CLEAR}', '{states.PART}', '{states.IDLE}', '{states.ACTIVE}')"
"""The findings of subjects without a row in breach."""


def listed_findings(db: Workspace, overridden: Collection[str]) -> tuple[Row, ...]:
    """The findings that texts are written from, the worst first.

    Where a rule without overrides has `MANY` subjects without a row in breach, one of them represents the others of its
    queue manager in the same state: an idle one the first, a clear one the first of those nearest to their limit. View
    finding has all.
    """
    many = [
        rule_id
        for (rule_id,) in db.execute(
            f"SELECT rule_id FROM decoded.finding WHERE {QUIET} GROUP BY rule_id HAVING count(*) > {MANY} ORDER BY ALL"
        ).fetchall()
        if rule_id not in overridden
    ]
    order = sqlfile.order_of("overview/findings")
    if not many:
        return tuple(db.rows(f"SELECT * FROM decoded.finding ORDER BY {order}"))
    leads = [
        {
            "rule_id": rule.id,
            "clause": clause.id,
            "prints_limit": clause.prints_limit,
            "is_serious": rule.severity != "info",
        }
        for rule in map(rules().__getitem__, many)
        for clause in rule.clauses
    ]
    with db.given(lead_clause=pa.Table.from_pylist(leads)):
        db.execute(
            f"""
            CREATE OR REPLACE TEMP TABLE listed_finding AS
            WITH measured AS (
              SELECT f.rowid AS finding_row, f.rule_id, f.lpar, f.qmgr, f.state, f.subject, f.intervals_checked,
                CASE
                  WHEN f.clear_because IS NOT NULL THEN prints_limit::INTEGER
                  WHEN f.observed IS NULL OR f.limit_value IS NULL OR f.operator = '=' OR isnan(f.observed) OR isnan(f.limit_value) OR isnan(share)
                    THEN CASE WHEN is_serious THEN '-infinity'::DOUBLE ELSE -1 END
                  ELSE share
                END AS closeness
              FROM (
                SELECT rowid, *, CASE
                  WHEN operator IN ('<', '<=') THEN CASE WHEN observed > 0 THEN limit_value / observed ELSE 0 END
                  WHEN limit_value > 0 THEN observed / limit_value
                  ELSE 0
                END AS share
                FROM decoded.finding
              ) AS f
              JOIN lead_clause USING (rule_id, clause)
              WHERE {QUIET}
            ),
            nearest AS (
              SELECT *, count(*) OVER alike AS represents, (sum(intervals_checked) OVER alike)::BIGINT AS represents_intervals
              FROM measured
              WINDOW alike AS (PARTITION BY rule_id, lpar, qmgr, state)
              QUALIFY row_number() OVER (PARTITION BY rule_id, lpar, qmgr, state ORDER BY closeness DESC, subject) = 1
            )
            SELECT f.rowid AS finding_row, n.represents, n.represents_intervals, row_number() OVER (ORDER BY {order}) - 1 AS urgency
            FROM decoded.finding AS f
            LEFT JOIN (SELECT finding_row AS nearest_row, represents, represents_intervals FROM nearest) AS n ON n.nearest_row = f.rowid
            LEFT JOIN (SELECT finding_row AS measured_row FROM measured) AS m ON m.measured_row = f.rowid
            WHERE m.measured_row IS NULL OR n.nearest_row IS NOT NULL
            """
        )
    # To sort whole rows, or to have each of their texts several times, would take 300 MB for 60,000 of them.
    cursor = db.execute(
        "SELECT l.urgency, f.*, l.represents, l.represents_intervals FROM decoded.finding AS f JOIN temp.listed_finding AS l ON l.finding_row = f.rowid"
    )
    names = [column[0] for column in cursor.description[1:]]
    known: dict[str, str] = {}
    by_rank: dict[int, Row] = {}
    while part := cursor.fetchmany(2_000):
        for rank, *values in part:
            shared = (known.setdefault(value, value) if isinstance(value, str) else value for value in values)
            by_rank[rank] = dict(zip(names, shared, strict=True))
    db.execute("DROP TABLE temp.listed_finding")
    return tuple(by_rank[rank] for rank in range(len(by_rank)))
