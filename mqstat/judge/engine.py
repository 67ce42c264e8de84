"""Runs the rules: judge, silencing, outcome. A rule's SQL returns the facts of each interval; only this package judges them.

Order: data quality first, then coverage, then the rest, and each rule after those that silence it; then the causes of findings. Rows are judged in `judging`; `no_data` explains
why a rule cannot be judged; Python handles one row per subject.
"""

# ruff: noqa: S608 - names of rules are quoted, values are bound

from __future__ import annotations

import contextlib
import datetime as dt
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from mqstat.base.errors import DamagedFileError, MqstatError, RuleError, ViewError
from mqstat.base.formatting import clean, short_offset
from mqstat.base.grouping import grouped_by
from mqstat.base.scratch import temporary_folder
from mqstat.judge import activity, judging, quiet, scope, shards, states
from mqstat.judge.clauses import FIGURES, Clause
from mqstat.judge.counting import Run, count_alone, count_together
from mqstat.judge.decision import decision, given_by
from mqstat.judge.model import Rule, placeholders, rules
from mqstat.judge.mqsc import OF_THE_SUBJECT
from mqstat.judge.no_data import COVERAGE_QUERIES, Coverage
from mqstat.judge.sentences import advice_of
from mqstat.judge.series import Series, Steps
from mqstat.judge.states import Place
from mqstat.sql import sqlfile
from mqstat.sql.database import Database, open_database
from mqstat.sql.decoded import Owners
from mqstat.sql.plans import have_few_rows, keep
from mqstat.sql.schemas import area_state_schema, finding_names, finding_schema, quoted
from mqstat.sql.site import Site, Window
from mqstat.sql.syntax import Query

__all__ = ["clean", "run_rules"]

EVIDENCE = "SELECT record_id, source_id, source_offset FROM decoded.record"
"""The query for the offsets of the records of the worst values."""

TOO_FEW = 4
"""Share and consecutive rules need this many judged intervals for their full severity, or the activity that the rule specifies."""

RELATED: Mapping[tuple[str, str], str] = {
    ("pool_id", "page_set_id"): "page_set",
    ("pool_id", "queue"): "queue_holding",
    ("page_set_id", "queue"): "queue_holding",
    ("cf_structure", "queue"): "queue_holding",
    ("queue", "page_set_id"): "queue_statistics",
    ("queue", "cf_structure"): "queue_statistics",
}
"""The kinds of subjects (columns of the grain of rules) of a finding and of its cause, and the view that relates them: which page sets use a pool, which queues fill it, where a queue is."""

GROUP = "queue_sharing_group"
"""The view of the members that share a structure: the finding about its queue may be on another one."""

CAUSE_BEFORE_HOURS = 1
"""How long before its effect a cause may end: a backlog may take that long to process."""


def run_rules(
    db: Database,
    site: Site | None = None,
    only: Iterable[str] | None = None,
    then: Iterable[Query] = (),
    grid: Steps | None = None,
) -> pa.Table:
    """Run all rules (or the named ones) and return their outcomes with the columns of view finding, which has them afterwards.

    If a rule has many subjects without a row in breach, only those that represent the others are returned; view finding has all.
    `then` has queries that will run afterwards: the views that they share with the rules are computed once, with their columns.
    A rule whose SQL fails gets the outcome broken; the others still run. Rows in breach stay in temporary tables `breach_<rule>` for the
    reports, which show them first. With a grid the tables of `mqstat.judge.series` have the values of the rules in each of its steps.
    """
    every = _wanted(only)
    broken = keep_views(db, only, then)
    wanted = _here(db, every)
    needed = frozenset(name for rule in wanted for group in (rule.needs, *rule.needs_any) for name in group)
    run = Run(db, site or db.site, Coverage(db, needed), None if grid is None else Series(db, grid), broken)
    run.coverage.look()
    run.activity.look(db)
    [(damaged,)] = db.execute(f"CREATE OR REPLACE TEMP TABLE damaged_record AS {judging.DAMAGED}").fetchall()
    run.damaged = bool(damaged)
    db.fill("finding", finding_schema().empty_table())
    count_together(run, [rule for rule in wanted if have_few_rows(db, rule.views)])
    _look_nearest(run)
    if db.shards is not None:
        _take_united(run, db.shards.united())
    try:
        for rule in wanted:
            try:
                findings = _run_rule(run, rule)
            except (duckdb.InterruptException, DamagedFileError):
                raise
            except (duckdb.Error, MqstatError) as error:
                findings = [_broken(rule, error)]
            run.findings += findings
    finally:
        for name in ("judged_row", "counted"):
            db.execute(f"DROP TABLE IF EXISTS temp.{name}")
    for rule, subject, finding in run.caused:
        _add_causes(run, rule, subject, finding)
    _find_victims(run)
    _add_evidence(run)
    for finding in run.findings:
        finding["advice"] = advice_of(finding)
    if run.series:
        run.series.close()
    _list_findings(run)
    table = db.listed.select(finding_schema().names)
    db.add("finding", table)
    if run.listed is not None:
        run.findings += run.listed.to_pylist()
        order = {rule.id: number for number, rule in enumerate(every)}
        run.findings.sort(key=lambda finding: order[finding["rule_id"]])
    rows = states.area_rows(states.rule_states(run.findings, list(run.coverage.levels)))
    db.fill("area_state", pa.Table.from_pylist(rows, schema=area_state_schema()))
    return table


def judge_shard(
    opened: Mapping[str, Any], dropped: pa.Table, owners: Owners, site: Site, rule_ids: Sequence[str]
) -> shards.Judged:
    """Judge rules over the records of some queue managers; `opened` = what `open_database` was called with."""
    with temporary_folder() as spill:
        given = {**opened, "temp_directory": spill, "threads": 1, "owners": owners}
        with open_database(**given) as db:
            db.site = site
            db.fill("dropped_class", dropped)
            db.many_quiet = 0  # the number of subjects in all shards decides
            run_rules(db, site, rule_ids)
            others = [make() for make in db.later]
            listed = db.listed if db.listed is not None else shards.listed_schema().empty_table()
            breaches = {name: db.arrow(f"SELECT * FROM temp.{quoted(f'breach_{name}')}") for name in db.marked}
            return shards.Judged(
                listed, pa.concat_tables([finding_schema().empty_table(), *others]), dict(db.quiet), breaches
            )


def _look_nearest(run: Run) -> None:
    """Find in one statement why rules that were counted together judged nothing on a queue manager; a rule that fails is asked alone."""
    wanted = []
    for rule_id, subjects in run.subjects.items():
        rule = rules()[rule_id]
        overrides = run.site.overrides_of(rule_id)
        if subjects.quiet is not None or not activity.guards_of(rule) or not {"lpar", "qmgr"} <= rule.columns:
            continue
        judged: dict[Place, int] = {}
        for subject in subjects:
            owner = (subject["lpar"], subject["qmgr"])
            judged[owner] = judged.get(owner, 0) + subject["judged"]
        for owner, number in judged.items():
            if not number and not run.activity.is_idle(owner, rule.area):
                thresholds, _ = scope.values(rule, overrides, scope.narrowest(overrides, *owner, None))
                wanted.append((rule, owner, thresholds))
    if wanted:
        with contextlib.suppress(duckdb.Error):
            activity.look_nearest(run.db, run.activity, wanted)


def _here(db: Database, wanted: Iterable[Rule]) -> list[Rule]:
    """Those of the rules that no other process judges."""
    return [rule for rule in wanted if db.shards is None or rule.id not in db.shards.rule_ids]


def _take_united(run: Run, judged: shards.Judged) -> None:
    """Take over what other processes found."""
    run.listed = judged.listed
    hit = judged.listed.filter(
        pc.or_(pc.equal(judged.listed["state"], states.BREACH), pc.is_valid(judged.listed["silenced_by"]))
    )
    for row in hit.select(["rule_id", "lpar", "qmgr", "subject"]).to_pylist():
        run.breached.setdefault(row["rule_id"], set()).add((row["lpar"], row["qmgr"], row["subject"]))
    for rule_id, rows in judged.breaches.items():
        judging.unite_breaches(run.db, rule_id, rows)
    if judged.others.num_rows:
        run.db.add_when_read(lambda: judged.others)
        run.has_represented = True


def _list_findings(run: Run) -> None:
    """Fill `listed_finding` with the findings that texts are written from: all but those that others represent."""
    run.db.listed_findings = "finding"
    listed = pa.Table.from_pylist(run.findings, schema=shards.listed_schema())
    listed = run.db.listed = listed if run.listed is None else pa.concat_tables([listed, run.listed])
    if run.has_represented:
        run.db.connection.register("listed", listed)
        run.db.execute("CREATE OR REPLACE TEMP TABLE listed_finding AS SELECT * FROM listed")
        run.db.connection.unregister("listed")
        run.db.listed_findings = "temp.listed_finding"


def _wanted(only: Iterable[str] | None) -> list[Rule]:
    chosen = None if only is None else set(only)
    return [rule for rule in rules().values() if chosen is None or rule.id in chosen]


def keep_views(db: Database, only: Iterable[str] | None = None, then: Iterable[Query] = ()) -> dict[str, str]:
    """Compute the views once that several rules or the queries of `then` share; returns the views that failed and why.

    Views that only rules without rows to judge read are not computed: the classes of records that they need were not collected.
    """
    db.load()
    wanted = _wanted(only)
    if db.shards is None:
        db.shards = shards.start(db, db.site, wanted, judge_shard)
    wanted = _here(db, wanted)
    read = [rule.views for rule in wanted if not db.empty.issuperset(rule.views)]
    return keep(db, [*COVERAGE_QUERIES, activity.QUERY, judging.DAMAGED, EVIDENCE, *then, *_relations(wanted), *read])


def _run_rule(run: Run, rule: Rule) -> list[dict[str, Any]]:
    for view in rule.views:
        if view in run.broken_views:
            raise ViewError(run.broken_views[view])
    overrides = run.site.overrides_of(rule.id)
    off = scope.off_everywhere(rule, overrides)
    if off is not None:
        return [_finding(rule, states.OFF, off_reason=off or None)]

    def rows() -> str:
        return judging.rows_of(rule, overrides, run.damaged)

    if not run.can_judge(rule):
        subjects = judging.Subjects()
    elif rule.id in run.subjects:
        subjects = run.subjects.pop(rule.id)
    else:
        subjects = count_alone(run, rule)
    run.db.quiet[rule.id] = sum(not each["breached"] for each in subjects) + (
        0 if subjects.quiet is None else subjects.quiet.num_rows
    )
    quiet_rows = None if overrides else subjects.quiet
    counted = subjects.every(len(rule.clauses)) if overrides else subjects
    judging.add_breaches(run.db, rule, counted, rows)
    every = [*counted, *(quiet.summed(quiet_rows) if quiet_rows is not None else ())]
    unjudged = run.coverage.unjudged(rule, every)
    judged = {(subject["lpar"], subject["qmgr"]) for subject in every if subject["judged"]}

    @cache
    def why(owner: Place) -> str:
        thresholds, _ = scope.values(rule, overrides, scope.narrowest(overrides, *owner, None))
        return activity.why_unjudged(
            run.db, run.activity, rule, owner, thresholds, figures=owner not in judged, everywhere=not overrides
        )

    findings = []
    for (lpar, qmgr), missing in unjudged.items():
        why_not = missing
        if scope.is_off(rule, overrides, lpar, qmgr, None):
            why_not = {"state": states.OFF, "off_reason": scope.reason(overrides, lpar, qmgr, None)}
        elif missing["state"] == states.IDLE and not run.activity.is_idle((lpar, qmgr), rule.area):
            text = activity.without_rows(run.activity, rule, (lpar, qmgr), missing)
            why_not = {**missing, "state": states.ACTIVE, "not_judged": text}
        findings.append(_finding(rule, lpar=lpar, qmgr=qmgr, **why_not))
    hits = []
    for subject in counted:
        lpar, qmgr, name = subject["lpar"], subject["qmgr"], subject["subject"]
        if (lpar, qmgr) in unjudged:
            continue
        if scope.is_off(rule, overrides, lpar, qmgr, name):
            reason = scope.reason(overrides, lpar, qmgr, name)
            findings.append(_finding(rule, states.OFF, lpar=lpar, qmgr=qmgr, subject=name, off_reason=reason))
            continue
        finding = _subject_finding(run, rule, subject, overrides, why)
        findings.append(finding)
        if finding["state"] == states.BREACH:
            hits.append(subject)
    run.breached[rule.id] = {(hit["lpar"], hit["qmgr"], hit["subject"]) for hit in hits}
    judging.keep_breaches(run.db, rule, hits)
    if run.series:
        judging.keep_worst(run.db, rule, hits)
    if quiet_rows is not None:  # last: a rule that fails has no other findings
        findings += _quiet_findings(run, rule, quiet.without(quiet_rows, unjudged), why)
    return findings


def _quiet_findings(run: Run, rule: Rule, subjects: pa.Table, why: Callable[[Place], str]) -> list[dict[str, Any]]:
    """The findings that represent the others of many subjects without a row in breach; the others are added to the table of findings."""
    thresholds, _ = scope.values(rule, (), None)
    subjects, reasons = quiet.unjudged(subjects, lambda owner: run.activity.is_idle(owner, rule.area), why)
    others, shown = quiet.findings(rule, subjects, reasons, thresholds, _finding(rule, states.CLEAR))
    findings = [
        {**_subject_finding(run, rule, judging.subject_of(subject, len(rule.clauses)), (), why), **represented}
        for subject, represented in shown
    ]
    run.db.add_when_read(others)
    run.has_represented = True
    return findings


# --- findings


def _finding(rule: Rule, state: str, **values: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(finding_names())
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
    row.update(values)
    return _in_state(row, state)


def _broken(rule: Rule, error: Exception) -> dict[str, Any]:
    return _finding(rule, states.BROKEN, error=clean(str(error)).strip().rstrip("."))


def _in_state(row: dict[str, Any], state: str) -> dict[str, Any]:
    row["state"], row["outcome"] = state, states.OUTCOMES[state]
    return row


def _subject_finding(
    run: Run, rule: Rule, subject: Mapping[str, Any], overrides: scope.Overrides, why: Callable[[Place], str]
) -> dict[str, Any]:
    lpar, qmgr, name = subject["lpar"], subject["qmgr"], subject["subject"]
    thresholds, origin = scope.values(rule, overrides, scope.narrowest(overrides, lpar, qmgr, name))
    judged, breached = subject["judged"], subject["breached"]
    idle = run.activity.is_idle((lpar, qmgr), rule.area)
    if idle and not breached and not any(subject["clause_values"] or ()):
        # Figures of 0 where nothing happened are no judgement.
        judged, subject = (
            0,
            {
                **subject,
                **dict.fromkeys(("alternative", *(f"{name}s" for name in FIGURES), "worst_at", "worst_record")),
            },
        )
    worst = subject.get("row", {})
    decided = decision(rule, subject, thresholds)
    clause = decided.clause
    own = clause.limit if isinstance(clause.limit, str) and clause.limit in thresholds else None
    finding = _finding(
        rule, states.CLEAR if judged else states.IDLE if idle else states.ACTIVE, lpar=lpar, qmgr=qmgr, subject=name, clause=clause.id, measure=clause.measure,
        operator=clause.operator, observed=_number(decided.observed), limit_value=_number(decided.limit), limit_unit=clause.unit,
        limit_from=origin[own] if own else "default", **given_by(rule, clause), clauses=decided.as_json(), intervals_checked=judged, intervals_breached=breached,
        breached_pct=judging.share_pct(subject) if judged else None, worst_interval_utc=subject["worst_at"],
        first_seen_utc=subject["first_seen"], last_seen_utc=subject["last_seen"], evidence_record_id=subject["worst_record"],
        evidence_source_id=worst.get("source_id"), evidence_offset=worst.get("evidence_offset"),
    )  # fmt: skip
    if finding["state"] == states.ACTIVE:
        finding["not_judged"] = why((lpar, qmgr))
    severity = scope.severity(rule, overrides, lpar, qmgr, name, subject["severity_rank"])
    finding["severity"] = severity
    if not judging.is_hit(rule.judge, subject):
        finding["clear_because"] = judging.why_clear(rule.judge, subject) or ("condition" if decided.holds else None)
        return finding
    too_few = judging.is_too_few(rule, subject, TOO_FEW)
    finding["too_few_intervals"] = too_few
    finding["severity"] = "info" if too_few else severity
    finding["figures"] = _figures(rule, clause, {**_in_local_time(run, rule, clause, worst), **thresholds})
    for other in rule.silenced_by:
        if (lpar, qmgr, name) in run.breached.get(other, ()):
            finding["silenced_by"], finding["clear_because"] = other, "silenced"
            return finding
    _in_state(finding, states.BREACH)
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
    finding["sql"] = scope.with_numbers(rule.statement, thresholds)
    return finding


def _within_margins(rule: Rule, subject: Mapping[str, Any], origin: Mapping[str, str]) -> list[bool]:
    """For each combination of clauses that holds on the worst row, the deciding one first: whether it is beyond its limit by less than the margin of the limit."""
    values, limits, holds = (subject[name] for name in ("clause_values", "clause_limits", "clause_holds"))
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
    """The values of a row, with the times that its advice names as local time with its offset, as the head of a report has it."""
    named = {name for text in rule.advice_for(clause.id) for name in placeholders(text)}
    texts = {
        name: _local_text(run.db, row, row[name], is_local=name.endswith("_local"))
        for name in named
        if name.endswith(("_utc", "_local")) and isinstance(row.get(name), dt.datetime)
    }
    return {**row, **texts}


def _local_text(db: Database, row: Mapping[str, Any], moment: dt.datetime, *, is_local: bool) -> str:
    """A moment on a queue manager in local time with its offset; `is_local` = it is given in local time, not in GMT."""
    minutes = _offset_minutes(db, row, moment, "local" if is_local else "utc")
    if minutes is None:
        return f"{moment:%Y-%m-%d %H:%M:%S} {'local time' if is_local else 'GMT'}"
    local = moment if is_local else moment + dt.timedelta(minutes=minutes)
    return f"{local:%Y-%m-%d %H:%M:%S} ({short_offset(minutes)})"


def _offset_minutes(db: Database, row: Mapping[str, Any], moment: dt.datetime, clock: str = "utc") -> int | None:
    """Local time minus GMT on a queue manager: by the clock of the interval in which the moment is, or of the nearest one.

    clock: that of the moment, utc or local. About an LPAR or an input, the offset is known if all its queue managers have the same.
    """
    lpar = row.get("lpar") or row.get("lpar_name")
    query = f"""
        WITH nearest AS (
          SELECT epoch_us(interval_start_local - interval_start_utc) // 60000000 AS minutes FROM interval_cut
          WHERE coalesce(lpar = $lpar, $lpar IS NULL) AND coalesce(qmgr = $qmgr, $qmgr IS NULL) AND interval_start_local IS NOT NULL
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
    seen = subject["first_seen"], subject["last_seen"]
    local = [utc + dt.timedelta(minutes=_offset_minutes(run.db, subject, utc) or 0) for utc in seen]
    return run.site.window_of(subject["lpar"], subject["qmgr"], *local)


def _figures(rule: Rule, clause: Clause, values: Mapping[str, Any]) -> str:
    """The values that the advice of a clause and the commands name, and those that the clauses compare, as a JSON object; RuleError if one is missing."""
    names = {name for text in rule.advice_for(clause.id) for name in placeholders(text)}
    names |= rule.commands.columns - OF_THE_SUBJECT
    missing = sorted(names - set(values))
    if missing:
        raise RuleError(f"the advice names {{{missing[0]}}}, which is neither a column of the result nor a threshold")
    for each_clause in rule.clauses:
        names |= {
            name for name in (*each_clause.columns, each_clause.limit) if isinstance(name, str) and name in values
        }
    return json.dumps({name: _plain(values[name]) for name in sorted(names)})


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value) if not isinstance(value, dt.datetime) else value.isoformat(sep=" ")


def _add_causes(run: Run, rule: Rule, subject: Mapping[str, Any], finding: dict[str, Any]) -> None:
    """Add the rules in breach that explain a finding; it is broken if that fails."""
    try:
        finding["caused_by"] = [other for other in rule.caused_by if _explains(run, rule, other, subject)] or None
    except (duckdb.InterruptException, DamagedFileError):
        raise
    except (duckdb.Error, MqstatError) as error:
        finding |= _broken(rule, error)


def _find_victims(run: Run) -> None:
    """Those who would be culprits of a finding are victims if only something slow explains it: a log copy, a CF, a page set."""
    in_breach = grouped_by(run.caused, lambda each: (each[0].id, each[2]["lpar"], each[2]["qmgr"]))

    def is_slow(rule: Rule, lpar: str | None, qmgr: str | None) -> bool:
        if rule.culprits is None:
            return rule.victims is not None
        findings = [finding for _, _, finding in in_breach.get((rule.id, lpar, qmgr), ())]
        return bool(findings) and all(map(waits, findings))

    def waits(finding: Mapping[str, Any]) -> bool:
        causes = finding["caused_by"] or ()
        return bool(causes) and all(is_slow(rules()[other], finding["lpar"], finding["qmgr"]) for other in causes)

    for rule, finding in [(rule, finding) for rule, _, finding in run.caused if rule.culprits and waits(finding)]:
        finding["culprits"], finding["victims"] = None, rule.victims or rule.culprits


def _explains(run: Run, rule: Rule, other: str, subject: Mapping[str, Any]) -> bool:
    """Whether another rule that is in breach explains a finding: on the same subject or one that it uses, at the same time.

    A cause that ended more than an hour before the first interval in breach, or began after the last one, explains nothing. Subjects of two kinds are
    compared through the view of `RELATED`: the page set in breach must use the pool of the finding, the queue must fill it. Rules without a common kind of subject
    explain each other on the whole queue manager.
    """
    if not run.breached.get(other):
        return False
    cause, row = rules()[other], subject.get("row", {})
    values: dict[str, Any] = {name: subject[name] for name in ("lpar", "qmgr")}
    here = [f"{name} IS NOT DISTINCT FROM ${name}" for name in values]
    conditions = list(here)
    kinds, others = (set(grain) - set(values) for grain in (rule.grain, cause.grain))
    for name in sorted(kinds & others):
        conditions.append(f"{quoted(name)} IS NOT DISTINCT FROM ${name}")
        values[name] = row[name]
    for mine, theirs in [] if kinds & others else _related(kinds, others):
        if mine == "cf_structure":
            group = f"SELECT qsg FROM {GROUP} WHERE {' AND '.join(here)}"
            members = f"(lpar, qmgr) IN (SELECT (lpar, qmgr) FROM {GROUP} WHERE qsg IN ({group}))"
            conditions[: len(here)] = [f"(({' AND '.join(here)}) OR {members})"]
        conditions.append(
            f"{quoted(theirs)} IN (SELECT {quoted(theirs)} FROM {quoted(RELATED[mine, theirs])} "
            f"WHERE {' AND '.join(here)} AND {quoted(mine)} = ${mine})"
        )
        values[mine] = row[mine]
    if other in rule.caused_when:
        named = [name for name in rule.grain if re.search(rf"\b{name}\b", rule.caused_when[other])]
        conditions.append(
            f"(SELECT {rule.caused_when[other]} FROM (SELECT {', '.join(f'${n} AS {n}' for n in named)}))"
        )
        values |= {name: row[name] for name in named}
    if subject["first_seen"] is not None and "interval_start_utc" in cause.row_key:
        conditions.append(
            f"(interval_start_utc IS NULL OR interval_start_utc BETWEEN $first - INTERVAL {CAUSE_BEFORE_HOURS} HOUR AND $last)"
        )
        values |= {"first": subject["first_seen"], "last": subject["last_seen"]}
    near = f"SELECT 1 FROM temp.{quoted('breach_' + other)} WHERE {' AND '.join(conditions)} LIMIT 1"
    return bool(run.db.execute(near, values).fetchall())


def _related(kinds: Iterable[str], others: Iterable[str]) -> list[tuple[str, str]]:
    """The kinds of subjects of a finding and its cause that a view relates."""
    others = list(others)
    return [(mine, theirs) for mine in kinds for theirs in others if (mine, theirs) in RELATED]


def _relations(wanted: Iterable[Rule]) -> list[str]:
    """The queries for the views that relate the subjects of these rules and their causes."""
    views: dict[str, str] = {}
    known = rules()
    for rule in wanted:
        for other in rule.caused_by:
            for pair in _related(rule.grain, known[other].grain) if other in known else ():
                views[", ".join(pair)] = f"SELECT lpar, qmgr, {', '.join(pair)} FROM {RELATED[pair]}"
                if pair[0] == "cf_structure":
                    views[GROUP] = f"SELECT lpar, qmgr, qsg FROM {GROUP}"
    return [views[name] for name in sorted(views)]


def _number(value: Any) -> float | None:
    return None if value is None else float(value) + 0.0  # no minus zero


def _add_evidence(run: Run) -> None:
    """Fill in the offsets of the records of the worst values, for the findings that are in breach or silenced."""
    wanted = [finding for finding in run.findings if finding["figures"] and finding["evidence_record_id"] is not None]
    if not wanted:
        return
    ids = pa.table({"record_id": pa.array(sorted({finding["evidence_record_id"] for finding in wanted}), pa.int64())})
    run.db.connection.register("wanted", ids)
    try:
        records = run.db.rows(f"{EVIDENCE} SEMI JOIN wanted USING (record_id)")
    finally:
        run.db.connection.unregister("wanted")
    by_record = {row["record_id"]: row for row in records}
    for finding in wanted:
        record = by_record.get(finding["evidence_record_id"])
        if record:
            finding["evidence_source_id"] = record["source_id"]
            if finding["evidence_offset"] is None:
                finding["evidence_offset"] = record["source_offset"]
