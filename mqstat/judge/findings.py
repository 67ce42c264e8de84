"""Findings: what a rule's verdict on a subject is written as, a row of view finding with its state, severity, limit,
figures and maintenance window.
"""

# ruff: noqa: S608 - names of clocks are our own, values are bound

from __future__ import annotations

import datetime as dt
import json
import math
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from mqstat.base.errors import RuleError
from mqstat.base.formatting import clean, short_offset, steady
from mqstat.judge import scope, states
from mqstat.judge.clauses import FIGURES, Clause
from mqstat.judge.model import Rule
from mqstat.judge.mqsc import OF_THE_SUBJECT, SINCE, Template, placeholders
from mqstat.judge.run import Run
from mqstat.judge.settings import NOTHING, advice_parts
from mqstat.sql import sqlfile
from mqstat.sql.schemas import view_schema
from mqstat.sql.site import Window
from mqstat.sql.workspace import Workspace

TOO_FEW = 4
"""Share and consecutive rules need this many judged intervals for their full severity, or the activity that the rule
specifies."""


def finding_of(rule: Rule, state: str, **values: Any) -> dict[str, Any]:
    """The finding of a rule in a state, with what its header gives; `values` = further columns of view finding."""
    row: dict[str, Any] = dict.fromkeys(view_schema("finding").names)
    row |= {
        "rule_id": rule.id,
        "rule_name": rule.name,
        "rule_area": rule.area,
        "severity": rule.severity,
        "weight": rule.weight,
        "limit_unit": rule.unit,
        "intervals_checked": 0,
        "intervals_breached": 0,
        "too_few_intervals": False,
        "within_margin": False,
        "report": rule.advice.report if rule.advice.report in sqlfile.reports() else None,
        **given_by(rule, rule.clause(None)),
    }
    return {**row, "outcome": states.OUTCOMES[state], **values, "state": state}


def deciding_finding(
    rule: Rule, state: str, combined: Sequence[int], origin: Mapping[str, str], **values: Any
) -> dict[str, Any]:
    """The same with the clause that leads a combination, whose limit it has from `origin`."""
    clause = rule.clauses[combined[0]]
    return finding_of(
        rule, state, clause=clause.id, measure=clause.measure, operator=clause.operator, limit_unit=clause.unit,
        limit_from=origin.get(str(clause.limit), "default"), **given_by(rule, clause), **values,
    )  # fmt: skip


def given_by(rule: Rule, clause: Clause) -> dict[str, str]:
    """The columns of a finding about who gives the limit of its deciding clause, and where."""
    kind = rule.limit_kind(clause)
    return {"limit_kind": kind, "rule_source": f"{rule.limit_source(clause)} ({kind})"}


def clauses_text(
    rule: Rule, combined: Sequence[int], values: Sequence[Any], limits: Sequence[Any], holds: Sequence[Any]
) -> str:
    """The clauses of a combination as JSON, each with its figure and limit on one row; `decides` marks the one that the
    finding shows.
    """
    return json.dumps(
        [
            {
                "clause": clause.id, "measure": clause.measure, "operator": clause.operator, "observed": values[number], "limit": limits[number],
                "unit": clause.unit, "holds": holds[number], "decides": number == combined[0],
            }
            for number, clause in ((number, rule.clauses[number]) for number in combined)
        ]
    )  # fmt: skip


def broken_finding(rule: Rule, error: Exception) -> dict[str, Any]:
    """The finding of a rule whose SQL failed."""
    return finding_of(rule, states.BROKEN, error=clean(str(error)).strip().rstrip("."))


def subject_finding(run: Run, rule: Rule, subject: Mapping[str, Any], overrides: scope.Overrides) -> dict[str, Any]:
    """The finding of a rule about a subject that is hit: in breach, or silenced. Its causes are found when all rules
    have run.
    """
    lpar, qmgr, name = subject["lpar"], subject["qmgr"], subject["subject"]
    thresholds, origin = scope.values(rule, overrides, scope.narrowest(overrides, lpar, qmgr, name))
    worst = subject.get("row", {})
    combined = rule.alternatives[subject["alternative"] or 0]
    clause = rule.clauses[combined[0]]
    values, limits, holds = (subject[f"{figure}s"] for figure in FIGURES)
    exact = [None if figure is None else steady(figure) for figure in values]
    exact_limits = [None if figure is None else steady(figure) for figure in limits]
    severity = scope.severity(rule, overrides, lpar, qmgr, name, subject["severity_rank"])
    is_active = bool(rule.weighted_by) and (subject.get("weight_judged") or 0) >= rule.weighted_min
    too_few = rule.judge.wants_four and subject["judged"] < TOO_FEW and not is_active
    finding = deciding_finding(
        rule, states.BREACH, combined, origin, lpar=lpar, qmgr=qmgr, subject=name,
        observed=_number(values[combined[0]]), limit_value=_number(limits[combined[0]]), clauses=clauses_text(rule, combined, exact, exact_limits, holds), intervals_checked=subject["judged"],
        intervals_breached=subject["breached"], breached_pct=subject["breached_pct"], worst_interval_utc=subject["worst_at"],
        first_seen_utc=subject["first_seen"], last_seen_utc=subject["last_seen"], evidence_record_id=subject["worst_record"],
        evidence_source_id=worst.get("source_id"), evidence_offset=worst.get("evidence_offset"),
        too_few_intervals=too_few, severity="info" if too_few else severity, **run.share(rule, (lpar, qmgr)).columns,
        figures=_figures(rule, clause, {**_in_local_time(run, rule, clause, worst), **thresholds}, _about_advice(run, rule, subject, thresholds)),
    )  # fmt: skip
    for other in rule.silenced_by:
        if (lpar, qmgr, name) in run.breached.get(other, ()):
            finding |= {"silenced_by": other, "clear_because": "silenced"}
            return finding | {"state": states.REPORTED, "outcome": states.OUTCOMES[states.REPORTED]}
    finding["distance"] = clause.distance(finding["observed"], finding["limit_value"])
    near = _within_margins(rule, subject, origin)
    if near and near[0] and finding["severity"] != "info":
        finding["within_margin"] = all(near)
        finding["severity"] = "info" if all(near) else rule.severity
    window = _maintenance(run, subject)
    if window:
        finding["maintenance"], finding["severity"] = clean(window.text), "info"
    run.caused.append((rule, subject, finding))
    finding["culprits"], finding["victims"] = rule.culprits, rule.victims
    finding["sql"] = sys.intern(scope.with_numbers(rule.statement, thresholds))  # a hundred thousand may have the same
    return finding


def _within_margins(rule: Rule, subject: Mapping[str, Any], origin: Mapping[str, str]) -> list[bool]:
    """For each combination of clauses that holds on the worst row, the deciding one first: whether it is beyond its
    limit by less than the margin of the limit.
    """
    values, limits, holds = (subject[f"{figure}s"] for figure in FIGURES)
    deciding = subject["alternative"] or 0
    order = sorted(range(len(rule.alternatives)), key=lambda number: (number != deciding, number))
    near = []
    for lead in (rule.alternatives[n][0] for n in order if all(holds[clause] for clause in rule.alternatives[n])):
        clause = rule.clauses[lead]
        threshold = rule.thresholds.get(clause.limit) if isinstance(clause.limit, str) else None
        distance = clause.distance(values[lead], limits[lead])
        own = threshold is not None and origin[threshold.name] == "default"
        near.append(bool(own and threshold and distance is not None and distance < 1 + threshold.margin / 100))
    return near


def _in_local_time(run: Run, rule: Rule, clause: Clause, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a row, with the times that its advice names as local time with its offset, as the head of a report
    has it.
    """
    named = {name for text in rule.advice_for(clause.id) for name in placeholders(text)}
    texts = {
        name: _local_text(run.db, row, row[name], is_local=name.endswith("_local"))
        for name in named
        if name.endswith(("_utc", "_local")) and isinstance(row.get(name), dt.datetime)
    }
    return {**row, **texts}


def _local_text(db: Workspace, row: Mapping[str, Any], moment: dt.datetime, *, is_local: bool) -> str:
    """A moment on a queue manager in local time with its offset; `is_local` = it is given in local time, not in GMT."""
    minutes = _offset_minutes(db, row, moment, "local" if is_local else "utc")
    if minutes is None:
        return f"{moment:%Y-%m-%d %H:%M:%S} {'local time' if is_local else 'GMT'}"
    local = moment if is_local else moment + dt.timedelta(minutes=minutes)
    return f"{local:%Y-%m-%d %H:%M:%S} ({short_offset(minutes)})"


def _offset_minutes(db: Workspace, row: Mapping[str, Any], moment: dt.datetime, clock: str = "utc") -> int | None:
    """Local time minus GMT on a queue manager: by the clock of the interval in which the moment is, or of the nearest
    one.

    clock: that of the moment, utc or local. About an LPAR, an input, or a queue manager without records, the offset is
    known if all its queue managers (all others) have the same.
    """
    lpar = row.get("lpar") or row.get("lpar_name")
    query = f"""
        WITH nearest AS (
          SELECT epoch_us(interval_start_local - interval_start_utc) // 60000000 AS minutes FROM interval_cut
          WHERE coalesce(lpar = $lpar, $lpar IS NULL) AND interval_start_local IS NOT NULL
            AND (coalesce(qmgr = $qmgr, $qmgr IS NULL) OR ($lpar IS NULL AND $qmgr NOT IN (SELECT qmgr FROM interval_cut WHERE qmgr IS NOT NULL)))
          QUALIFY row_number() OVER (
            PARTITION BY lpar, qmgr ORDER BY interval_start_{clock} > $at, abs(epoch_us(interval_start_{clock} - $at))
          ) = 1
        )
        SELECT max(minutes) FROM nearest HAVING min(minutes) = max(minutes)
    """
    offsets = db.execute(query, {"lpar": lpar, "qmgr": row.get("qmgr"), "at": moment}).fetchall()
    return int(offsets[0][0]) if offsets else None


def _maintenance(run: Run, subject: Mapping[str, Any]) -> Window | None:
    """The maintenance window of the site file in which all intervals in breach of a subject began."""
    if not run.site.maintenance or subject["first_seen"] is None:
        return None
    owner = subject["lpar"], subject["qmgr"]
    ends = _local(run, subject, [subject["first_seen"], subject["last_seen"]])
    windows = [window for window in run.site.maintenance if window.covers(*owner, ends)]
    if not any(window.weekdays for window in windows):
        return next(iter(windows), None)
    query = "SELECT DISTINCT interval_start_utc FROM judged_row WHERE verdict"
    for name in ("lpar", "qmgr", "subject"):
        query += f" AND {name} IS NOT DISTINCT FROM ${name}"
    breaches = run.db.execute(query, {name: subject[name] for name in ("lpar", "qmgr", "subject")}).fetchall()
    every = _local(run, subject, sorted(moment for (moment,) in breaches))
    return next((window for window in windows if window.covers(*owner, every)), None)


def _local(run: Run, subject: Mapping[str, Any], moments: Sequence[dt.datetime]) -> list[dt.datetime]:
    """Moments in order in local time; the offset is looked up twice if clocks cannot have changed and changed back."""
    first, last = (_offset_minutes(run.db, subject, utc) or 0 for utc in (moments[0], moments[-1]))
    is_same = first == last and moments[-1] - moments[0] < dt.timedelta(days=90)
    offsets = (first if is_same else _offset_minutes(run.db, subject, utc) or 0 for utc in moments)
    return [utc + dt.timedelta(minutes=minutes) for utc, minutes in zip(moments, offsets, strict=True)]


def _about_advice(run: Run, rule: Rule, subject: Mapping[str, Any], thresholds: Mapping[str, float]) -> dict[str, Any]:
    """What else is known about the advice: a rule in breach that excludes it, settings that changed, and the values of
    commands that follow from the value in force.
    """
    owner = subject["lpar"], subject["qmgr"]
    known, worst = subject.get("in_force", NOTHING), subject.get("row", {})
    row = known.row or worst
    values = {**row, **thresholds}
    local = {
        change.since: _local_text(run.db, row, change.at_local or change.since, is_local=change.at_local is not None)
        for change in known.changes
    }
    facts = run.site.facts(owner[0] or "", owner[1] or "") if rule.settings else {}
    written = [item.parameters(values) for item in rule.commands.do if isinstance(item, Template)]
    made = dict(advice_parts(rule.settings, known, facts, values, written, local))
    for other, text in rule.do_unless.items():
        if any((lpar, qmgr) == owner for lpar, qmgr, _ in run.breached.get(other, ())):
            made["setting_instead"] = text
    if known.row is not None:
        names = rule.commands.columns - OF_THE_SUBJECT
        made |= {f"{SINCE}{name}": values[name] for name in names if values.get(name) != worst.get(name)}
    return made


def _figures(rule: Rule, clause: Clause, values: Mapping[str, Any], more: Mapping[str, Any]) -> str:
    """The values that the advice of a clause and the commands name, those that the clauses compare, and more, as a JSON
    object; RuleError if one is missing.
    """
    names = {name for text in rule.advice_for(clause.id) for name in placeholders(text)}
    names |= rule.commands.columns - OF_THE_SUBJECT
    missing = sorted(names - set(values))
    if missing:
        raise RuleError(f"the advice names {{{missing[0]}}}, which is neither a column of the result nor a threshold")
    for each_clause in rule.clauses:
        names |= {
            name for name in (*each_clause.columns, each_clause.limit) if isinstance(name, str) and name in values
        }
    return json.dumps(
        {name: _plain(value) for name, value in sorted({**{name: values[name] for name in names}, **more}.items())}
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value) if not isinstance(value, dt.datetime) else value.isoformat(sep=" ")


def _number(value: Any) -> float | None:
    return None if value is None else float(value) + 0.0  # no minus zero
