"""Runs the rules: judge, silencing, outcome. A rule's SQL returns the facts of each interval; only this package judges them.

Order: data quality first, then coverage, then the rest, and each rule after those that silence it; then the causes of findings. Rows are judged in `judging`, `findings` writes
the results and `causes` relates them; `no_data` explains why a rule cannot be judged. Python handles one row per subject.
"""

# ruff: noqa: S608 - names of rules are quoted, values are bound

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from mqstat.base.errors import DamagedFileError, MqstatError, ViewError
from mqstat.base.scratch import temporary_folder
from mqstat.judge import activity, judging, quiet, scope, shards, states
from mqstat.judge.causes import add_causes, find_victims, relations
from mqstat.judge.counting import Run, count_alone, count_together
from mqstat.judge.findings import broken_finding, finding_of, subject_finding
from mqstat.judge.model import Rule, rules
from mqstat.judge.no_data import COVERAGE_QUERIES, Coverage
from mqstat.judge.sentences import advice_of
from mqstat.judge.series import Series, Steps
from mqstat.judge.states import Place
from mqstat.sql.database import Database, open_database
from mqstat.sql.decoded import Owners
from mqstat.sql.plans import have_few_rows, keep
from mqstat.sql.schemas import area_state_schema, finding_schema, quoted
from mqstat.sql.site import Site
from mqstat.sql.syntax import Query

EVIDENCE = "SELECT record_id, source_id, source_offset FROM decoded.record"
"""The query for the offsets of the records of the worst values."""


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
                findings = [broken_finding(rule, error)]
            run.findings += findings
    finally:
        for name in ("judged_row", "counted"):
            db.execute(f"DROP TABLE IF EXISTS temp.{name}")
    for rule, subject, finding in run.caused:
        add_causes(run, rule, subject, finding)
    find_victims(run)
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
    wanted = _here(db, _wanted(only))
    read = [rule.views for rule in wanted if not db.empty.issuperset(rule.views)]
    return keep(db, [*COVERAGE_QUERIES, activity.QUERY, judging.DAMAGED, EVIDENCE, *then, *relations(wanted), *read])


def _run_rule(run: Run, rule: Rule) -> list[dict[str, Any]]:
    for view in rule.views:
        if view in run.broken_views:
            raise ViewError(run.broken_views[view])
    overrides = run.site.overrides_of(rule.id)
    off = scope.off_everywhere(rule, overrides)
    if off is not None:
        return [finding_of(rule, states.OFF, off_reason=off or None)]

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
        findings.append(finding_of(rule, lpar=lpar, qmgr=qmgr, **why_not))
    hits = []
    for subject in counted:
        lpar, qmgr, name = subject["lpar"], subject["qmgr"], subject["subject"]
        if (lpar, qmgr) in unjudged:
            continue
        if scope.is_off(rule, overrides, lpar, qmgr, name):
            reason = scope.reason(overrides, lpar, qmgr, name)
            findings.append(finding_of(rule, states.OFF, lpar=lpar, qmgr=qmgr, subject=name, off_reason=reason))
            continue
        finding = subject_finding(run, rule, subject, overrides, why)
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
    others, shown = quiet.findings(rule, subjects, reasons, thresholds, finding_of(rule, states.CLEAR))
    findings = [
        {**subject_finding(run, rule, judging.subject_of(subject, len(rule.clauses)), (), why), **represented}
        for subject, represented in shown
    ]
    run.db.add_when_read(others)
    run.has_represented = True
    return findings


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
