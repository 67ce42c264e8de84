"""Findings of the subjects that are not hit, which are clear or could not be judged: rows of DuckDB throughout, since a rule may have a hundred thousand.

Python makes one row for each rule, overrides in force and deciding combination of clauses (`blank_finding`); a statement fills in the figures of each subject.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as literals

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pyarrow as pa

from mqstat.judge import scope, states
from mqstat.judge.clauses import FIGURES
from mqstat.judge.counting import Counting
from mqstat.judge.decision import given_by
from mqstat.judge.findings import finding_of
from mqstat.judge.model import SEVERITIES, Rule, rules
from mqstat.judge.run import Run
from mqstat.judge.sentences import advice_of
from mqstat.judge.states import Place
from mqstat.sql.database import Database
from mqstat.sql.schemas import finding_schema

MANY = 1_000
"""Of a rule with more subjects without a row in breach than this, only those that represent the others are listed."""

Reason = Mapping[str, Any]
"""Columns state, outcome, not_judged and advice of the subjects of a queue manager that were not judged."""

_BLANK = [
    ("rule_number", pa.int32()), ("scope", pa.string()), ("alternative", pa.int32()), ("lead", pa.int32()), ("clauses_format", pa.string()),
    ("is_off", pa.bool_()), ("severity_fixed", pa.bool_()), ("kind", pa.string()),
]  # fmt: skip
_REASON = [
    ("rule_number", pa.int32()), ("lpar", pa.string()), ("qmgr", pa.string()), ("left_out", pa.bool_()), ("is_idle", pa.bool_()),
    *((name, pa.string()) for name in ("state", "outcome", "not_judged", "advice")),
]  # fmt: skip


def add_clear(
    run: Run, counting: Counting, reasons: Mapping[str, Mapping[Place, Reason]], broken: Collection[str]
) -> None:
    """Add the findings of subjects that are not hit to table `finding`, for rules that are not broken.

    `reasons` has for each rule and queue manager with subjects `is_idle` (then figures of 0 are no judgement), `left_out` (it has one finding without a
    subject), and what the findings state of subjects that were not judged.
    """
    blank = [row for rule in counting.rules if rule.id not in broken for row in _blanks(run, counting, rule)]
    fields = [*finding_schema(), *_BLANK]
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
        run.db.execute(_statement(len(counting.figures) // len(FIGURES)))


def _statement(clauses: int) -> str:
    value, limit, hold = ([f"j.{name}_{number}" for number in range(1, clauses + 1)] for name in FIGURES)
    lead = {name: f"[{', '.join(listed)}][b.lead]" for name, listed in zip(FIGURES, (value, limit, hold), strict=True)}
    texts = ", ".join(
        text
        for number in range(clauses)
        for text in (
            _as_json(value[number]),
            _as_json(limit[number]),
            f"CASE WHEN {hold[number]} THEN 'true' ELSE 'false' END",
        )
    )
    nothing = " AND ".join(f"coalesce({figure}, 0) = 0" for figure in value)
    ranks = " ".join(f"WHEN {number} THEN '{name}'" for number, name in enumerate(SEVERITIES))
    extra = ", ".join(name for name, _ in _BLANK)
    replaced = {
        "lpar": "lpar", "qmgr": "qmgr", "subject": "subject",
        "severity": f"CASE WHEN severity_fixed THEN severity ELSE coalesce(CASE severity_rank {ranks} END, severity) END",
        "state": f"CASE WHEN is_off THEN state WHEN checked > 0 THEN '{states.CLEAR}' ELSE own_state END",
        "outcome": f"CASE WHEN is_off THEN outcome WHEN checked > 0 THEN '{states.OUTCOMES[states.CLEAR]}' ELSE own_outcome END",
        "not_judged": "CASE WHEN checked = 0 THEN own_not_judged END",
        "advice": "CASE WHEN is_off THEN advice WHEN checked = 0 THEN own_advice END",
        "observed": "CASE WHEN checked > 0 THEN lead_value + 0.0 END",
        "limit_value": "CASE WHEN checked > 0 THEN lead_limit + 0.0 ELSE limit_value END",
        "clauses": "CASE WHEN checked > 0 THEN clauses_text END",
        "clear_because": "CASE WHEN breached > 0 THEN kind WHEN checked > 0 AND lead_hold THEN 'condition' END",
        "intervals_checked": "checked",
        "intervals_breached": "breached",
        "breached_pct": "CASE WHEN checked > 0 THEN share END",
        "worst_interval_utc": "CASE WHEN checked > 0 THEN worst_at END",
        "first_seen_utc": "first_seen",
        "last_seen_utc": "last_seen",
        "evidence_record_id": "CASE WHEN checked > 0 THEN worst_record END",
    }  # fmt: skip
    of_subject = {"lpar", "qmgr", "subject"}
    # A rule that is off for a subject states nothing else about it.
    listed = ", ".join(
        f"{sql if name in of_subject | {'state', 'outcome', 'advice'} else f'CASE WHEN is_off THEN filled.{name} ELSE {sql} END'} AS {name}"
        for name, sql in replaced.items()
    )
    return f"""
        INSERT INTO decoded.finding BY NAME
        WITH filled AS (
          SELECT b.* EXCLUDE (lpar, qmgr, subject), j.lpar, j.qmgr, j.subject, j.breached, j.breached_pct AS share, j.severity_rank, j.worst_at, j.worst_record,
            j.first_seen, j.last_seen, {lead[FIGURES[0]]} AS lead_value, {lead[FIGURES[1]]} AS lead_limit, {lead[FIGURES[2]]} AS lead_hold,
            format(b.clauses_format, {texts}) AS clauses_text,
            CASE WHEN o.is_idle AND j.breached = 0 AND {nothing} THEN 0 ELSE j.judged END AS checked,
            o.state AS own_state, o.outcome AS own_outcome, o.not_judged AS own_not_judged, o.advice AS own_advice
          FROM temp.judged_subject AS j
          JOIN owner_reason AS o
            ON o.rule_number = j.rule_number AND o.lpar IS NOT DISTINCT FROM j.lpar AND o.qmgr IS NOT DISTINCT FROM j.qmgr AND NOT o.left_out
          JOIN blank_finding AS b ON b.rule_number = j.rule_number AND b.scope = j.scope
            AND b.alternative = CASE WHEN o.is_idle AND j.breached = 0 AND {nothing} THEN 0 ELSE coalesce(j.alternative, 0) END
          WHERE NOT j.is_hit OR b.is_off
        )
        SELECT * EXCLUDE (
            {extra}, breached, share, severity_rank, worst_at, worst_record, first_seen, last_seen, lead_value, lead_limit, lead_hold, clauses_text, checked,
            own_state, own_outcome, own_not_judged, own_advice, {", ".join(replaced)}
          ), {listed}
        FROM filled
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
            "SELECT scope, any_value({'lpar': lpar, 'qmgr': qmgr, 'subject': subject}) AS here FROM temp.judged_subject "
            f"WHERE rule_number = {counting.numbers[rule.id]} GROUP BY scope"
        )
        examples = [(row["scope"], tuple(row["here"].values())) for row in run.db.rows(query)]
    for bits, (lpar, qmgr, subject) in examples:
        thresholds, origin = scope.values(rule, overrides, scope.narrowest(overrides, lpar, qmgr, subject))
        severities = {
            scope.severity(rule, overrides, lpar, qmgr, subject, rank) for rank in (None, *range(len(SEVERITIES)))
        }
        off = scope.is_off(rule, overrides, lpar, qmgr, subject)
        for number, combined in enumerate(rule.alternatives):
            key = {
                "rule_number": counting.numbers[rule.id], "scope": bits, "alternative": number, "lead": combined[0] + 1, "is_off": off,
                "severity_fixed": len(severities) == 1, "kind": rule.judge.kind, "clauses_format": _format(rule, combined),
            }  # fmt: skip
            if off:
                yield _off(rule, scope.reason(overrides, lpar, qmgr, subject)) | key
                continue
            clause = rule.clauses[combined[0]]
            limit = thresholds.get(clause.limit) if isinstance(clause.limit, str) else clause.limit
            own = clause.limit if isinstance(clause.limit, str) and clause.limit in thresholds else None
            yield finding_of(
                rule, states.CLEAR, severity=scope.severity(rule, overrides, lpar, qmgr, subject, None), clause=clause.id, measure=clause.measure,
                operator=clause.operator, limit_value=None if limit is None else float(limit) + 0.0, limit_unit=clause.unit,
                limit_from=origin[own] if own else "default", **given_by(rule, clause),
            ) | key  # fmt: skip


def _off(rule: Rule, reason: str | None) -> dict[str, Any]:
    finding = finding_of(rule, states.OFF, off_reason=reason)
    return {**finding, "advice": advice_of(finding)}


def _format(rule: Rule, combined: tuple[int, ...]) -> str:
    """The clauses as JSON, as `decision.Decision.as_json` writes them, for DuckDB's function format: with the places of the figures of all clauses."""
    texts = []
    for number in combined:
        clause = rule.clauses[number]
        figures = {name: f"\0{3 * number + position}\0" for position, name in enumerate(("observed", "limit", "holds"))}
        given = {
            "clause": clause.id, "measure": clause.measure, "operator": clause.operator, "observed": figures["observed"], "limit": figures["limit"],
            "unit": clause.unit, "holds": figures["holds"], "decides": number == combined[0],
        }  # fmt: skip
        texts.append(json.dumps(given).replace("{", "{{").replace("}", "}}"))
    return "[" + ", ".join(texts).replace('"\\u0000', "{").replace('\\u0000"', "}") + "]"


# --- the findings that represent others

QUIET = (
    f"clause IS NOT NULL AND intervals_breached = 0 AND state IN ('{states.CLEAR}', '{states.IDLE}', '{states.ACTIVE}')"
)
"""The findings of subjects without a row in breach."""


def list_findings(db: Database, overridden: Collection[str]) -> None:
    """Set `listed_findings` of the database: the table of findings that texts are written from.

    Where a rule without overrides has `MANY` subjects without a row in breach, one of them represents the others of its queue manager in the same state: an idle one
    the first, a clear one the first of those nearest to their limit. View finding has all.
    """
    db.listed_findings = "finding"
    many = [
        rule_id
        for (rule_id,) in db.execute(
            f"SELECT rule_id FROM decoded.finding WHERE {QUIET} GROUP BY rule_id HAVING count(*) > {MANY} ORDER BY ALL"
        ).fetchall()
        if rule_id not in overridden
    ]
    if not many:
        return
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
            SELECT f.*, n.represents, n.represents_intervals
            FROM decoded.finding AS f
            LEFT JOIN nearest AS n ON n.finding_row = f.rowid
            LEFT JOIN (SELECT finding_row FROM measured) AS m ON m.finding_row = f.rowid
            WHERE m.finding_row IS NULL OR n.finding_row IS NOT NULL
            """
        )
    db.listed_findings = "temp.listed_finding"
