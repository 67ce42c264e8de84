"""Runs the rules: judge, silencing, outcome. A rule's SQL returns the facts of each interval; only this package judges
them.

Order: data quality first, then coverage, then the rest, and each rule after those that silence it; then the causes of
findings. Rows are judged in `judging`, `findings` writes the results of subjects that are hit, `clear` those of all
others, and `causes` relates them; `no_data` explains why a rule cannot be judged. Python handles subjects that are hit
and a row for each rule and queue manager; all other subjects stay rows in DuckDB.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from mqstat.base.errors import DamagedFileError, MqstatError, ViewError
from mqstat.base.phase import shown
from mqstat.judge import activity, clear, judging, scope, share, states
from mqstat.judge.causes import add_causes, find_victims, relations
from mqstat.judge.counting import TOGETHER, Counting
from mqstat.judge.findings import broken_finding, finding_of, subject_finding
from mqstat.judge.model import Rule, rules
from mqstat.judge.no_data import COVERAGE_QUERIES, Coverage
from mqstat.judge.run import Run
from mqstat.judge.sentences import advice_of
from mqstat.judge.series import Steps
from mqstat.judge.states import Judged, Place
from mqstat.sql.schemas import quoted, view_schema
from mqstat.sql.site import Site
from mqstat.sql.syntax import Query
from mqstat.sql.workspace import MANY_ROWS, OUT_OF_MEMORY, Workspace

EVIDENCE = "SELECT record_id, source_id, source_offset FROM decoded.record"
"""The query for the offsets of the records of the worst values."""


def run_rules(
    db: Workspace,
    site: Site | None = None,
    only: Iterable[str] | None = None,
    then: Iterable[Query] = (),
    grid: Steps | None = None,
    before: Callable[[Run], None] = lambda run: None,
) -> Judged:
    """Run all rules (or the named ones) over a database; view finding has their findings afterwards. `before` = takes
    over what was found elsewhere.

    `then` has queries that will run afterwards: the views that they share with the rules are computed once, with their
    columns. A rule whose SQL fails gets the outcome broken; the others still run. Rows in breach stay in temporary
    tables `breach_<rule>` for the reports, which show them first. With a grid the tables of `mqstat.judge.series` have
    the values of the rules in each of its steps.
    """
    wanted = _chosen(only)
    broken_views = keep_views(db, only, then)
    needed = frozenset(name for rule in wanted for name in rule.needed)
    run = Run(db, site or db.site, Coverage(db, needed), broken_views, grid is not None)
    run.coverage.look()
    run.activity.look(db)
    run.shares = share.shares(db, wanted)
    [(damaged,)] = db.execute(f"{db.create('damaged_record')} AS {judging.DAMAGED}").fetchall()
    run.damaged = bool(damaged)
    db.fill("finding", view_schema("finding").empty_table())
    for rule_id in judging.breach_tables(db):
        db.execute(f"DROP TABLE temp.{quoted(f'breach_{rule_id}')}")
    before(run)
    broken: dict[str, dict[str, Any]] = {}
    counting = _counted(run, [rule for rule in wanted if _runs(run, rule)], grid, broken)
    reasons = _judge_all(run, counting, wanted, broken)
    clear.add_clear(run, counting, reasons, broken)
    db.execute(
        "DROP TABLE IF EXISTS temp.judged_row; DROP TABLE IF EXISTS temp.seen; DROP TABLE judged_rule; DROP TABLE judged_subject"
    )
    shown.get()("")
    rows = clear.listed_findings(db, {override.rule_id for override in run.site.overrides})
    parts = states.rule_states(rows, list(run.coverage.levels))
    db.fill("area_state", pa.Table.from_pylist(states.area_rows(parts), schema=view_schema("area_state")))
    return Judged(rows, parts, run.coverage.levels)


def _judge_all(
    run: Run, counting: Counting, wanted: Iterable[Rule], broken: dict[str, dict[str, Any]]
) -> Mapping[str, Mapping[Place, clear.Reason]]:
    """Write the findings of subjects that are hit, and of queue managers that a rule could not judge; what to state of
    the other subjects of each rule.
    """
    owners, hits, reasons = counting.owners(), counting.hits(), {}
    for rule in wanted:
        try:
            if rule.id not in broken:
                findings, reasons[rule.id] = _judge(run, rule, owners.get(rule.id, []), hits.get(rule.id, []))
                run.findings += findings
        except (duckdb.InterruptException, DamagedFileError):
            raise
        except (duckdb.Error, MqstatError) as error:
            broken[rule.id] = broken_finding(rule, error)
    run.findings += broken.values()
    for rule, subject, finding in run.caused:
        add_causes(run, rule, subject, finding)
    find_victims(run)
    _add_evidence(run)
    for finding in run.findings:
        finding["advice"] = advice_of(finding)
    run.db.add("finding", pa.Table.from_pylist(run.findings, schema=view_schema("finding")))
    many = len(run.findings) > MANY_ROWS
    run.findings, run.caused = [], []  # a hundred thousand would take half of the memory
    if many:  # they refer to each other, and an allocator keeps what it had
        gc.collect()
        pa.default_memory_pool().release_unused()
    return reasons


def _counted(run: Run, wanted: Sequence[Rule], grid: Steps | None, broken: dict[str, dict[str, Any]]) -> Counting:
    """The counts of the subjects of these rules; `broken` gets the findings of those whose SQL fails.

    Over few rows several rules are counted by one statement; if it fails, each of them is counted alone.
    """
    counting = Counting(run.db, run.site, wanted, grid, share.lacking(run.shares, wanted))
    few = [rule for rule in wanted if run.db.have_few_rows(rule.views)]
    few.sort(key=lambda rule: rule.judge.kind == "consecutive")  # few statements keep their rows
    groups = [[rule] for rule in wanted if not run.db.have_few_rows(rule.views)]
    groups += [few[start : start + TOGETHER] for start in range(0, len(few), TOGETHER)]
    out_of_memory: list[Rule] = []
    show, done = shown.get(), 0  # threads have no phase to show

    def count(db: Workspace, group: Sequence[Rule]) -> None:
        nonlocal done
        try:
            counting.add(db, [(rule, run.rows_of(rule)) for rule in group])
        except (duckdb.InterruptException, DamagedFileError):
            raise
        except (duckdb.Error, MqstatError) as error:
            if len(group) > 1:
                for rule in group:
                    count(db, [rule])
                return
            if isinstance(error, OUT_OF_MEMORY) and group[0] not in out_of_memory:
                out_of_memory.append(group[0])
                return
            broken[group[0].id] = broken_finding(group[0], error)
        done += len(group)
        show(f"judging: {done} of {len(wanted)} rules")

    run.db.share_out(groups, count)
    for rule in out_of_memory:  # alone it may have enough
        count(run.db, [rule])
    counting.close()
    return counting


def _runs(run: Run, rule: Rule) -> bool:
    """Whether the SQL of a rule must run: it is on somewhere, there are rows to judge, and its views could be
    computed.
    """
    has_rows = run.broken_views.keys().isdisjoint(rule.views) and not run.db.empty.issuperset(rule.views)
    return has_rows and scope.off_everywhere(rule, run.site.overrides_of(rule.id)) is None


def _judge(
    run: Run, rule: Rule, owners: Sequence[Mapping[str, Any]], subjects: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], dict[Place, clear.Reason]]:
    """The findings of a rule about queue managers that it could not judge and about subjects that are hit; and what to
    state of the other subjects.

    `owners` = the counts of each queue manager with subjects, `subjects` = those that are hit (`Counting`).
    """
    for view in rule.views:
        if view in run.broken_views:
            raise ViewError(run.broken_views[view])
    overrides = run.site.overrides_of(rule.id)
    off = scope.off_everywhere(rule, overrides)
    if off is not None:
        return [finding_of(rule, states.OFF, off_reason=off or None)], {}
    unjudged = run.coverage.unjudged(rule, owners)
    findings = []
    for (lpar, qmgr), missing in unjudged.items():
        why_not = missing
        if (off := scope.off_for(rule, overrides, lpar, qmgr, None)) is not None:
            why_not = {"state": states.OFF, "off_reason": off or None}
        elif missing["state"] == states.IDLE and not run.activity.is_idle((lpar, qmgr), rule.area):
            conditions = [activity.no_value(rule)] if missing.get("missing_columns") else []
            text = run.activity.text((lpar, qmgr), rule.area, *conditions)
            why_not = {**missing, "state": states.ACTIVE, "not_judged": text}
        known = run.share(rule, (lpar, qmgr)).columns_of(why_not["state"])
        findings.append(finding_of(rule, lpar=lpar, qmgr=qmgr, **{**why_not, **known}))
    reasons = {(row["lpar"], row["qmgr"]): _reason(run, rule, row, unjudged) for row in owners}
    judged = [
        subject
        for subject in subjects
        if (subject["lpar"], subject["qmgr"]) not in unjudged
        and scope.off_for(rule, overrides, subject["lpar"], subject["qmgr"], subject["subject"]) is None
    ]
    judging.add_worst_rows(run.db, rule, judged, run.rows_of(rule, every_column=True))
    of_subjects = [(subject, subject_finding(run, rule, subject, overrides)) for subject in judged]
    hits = [subject for subject, finding in of_subjects if finding["state"] == states.BREACH]
    run.breached[rule.id] = {(hit["lpar"], hit["qmgr"], hit["subject"]) for hit in hits}
    judging.keep_breaches(run.db, rule, hits)
    if run.has_steps:
        judging.keep_worst(run.db, rule, hits)
    for subject in judged:  # causes read no more of the worst row, which may have a hundred columns
        subject["row"] = {name: value for name, value in subject["row"].items() if name in (*rule.grain, "causes")}
        subject.pop("in_force", None)
    return [*findings, *(finding for _, finding in of_subjects)], reasons


def _reason(run: Run, rule: Rule, row: Mapping[str, Any], unjudged: Collection[Place]) -> clear.Reason:
    """What to state of the subjects of a queue manager that were not judged."""
    owner = (row["lpar"], row["qmgr"])
    is_idle = run.activity.is_idle(owner, rule.area)
    has_no_interval = owner in run.coverage.without_interval and rule.area not in states.ABOUT_DATA
    state, text = states.IDLE if is_idle else states.ACTIVE, None
    if has_no_interval:
        no_interval = activity.condition("statistics intervals", ">=", 0, 1, "count")
        state, text = states.ACTIVE, run.activity.text(owner, rule.area, no_interval)
    elif row["has_unjudged"] and not is_idle and owner not in unjudged:
        overrides = run.site.overrides_of(rule.id)
        thresholds, _ = scope.values(rule, overrides, scope.narrowest(overrides, *owner, None))
        text = activity.why_unjudged(run.db, run.activity, rule, owner, thresholds, figures=not row["judged"])
    known = run.share(rule, owner)
    made: dict[str, Any] = {
        "left_out": owner in unjudged,
        "is_idle": is_idle,
        "has_no_interval": has_no_interval,
        "not_judged": text,
        "figures": None,
    }
    made |= {"is_part": known.is_part, **known.columns_of(state)}
    made["missing_classes"] = list(known.missing) if known.is_part else None
    # What is clear in a part of the period has a text of its own.
    part, at_hole = None, None
    if known.is_part:
        part = advice_of({**made, "state": states.PART})
        at_hole = advice_of({**made, "state": states.PART, "not_judged": json.dumps({"at_hole": states.AT_HOLE})})
    return {**made, "advice": advice_of(made), "advice_in_part": part, "advice_at_hole": at_hole}


def _chosen(only: Iterable[str] | None) -> list[Rule]:
    """All rules, or the named ones, in their order."""
    chosen = set(rules() if only is None else only)
    return [rule for rule in rules().values() if rule.id in chosen]


def keep_views(db: Workspace, only: Iterable[str] | None = None, then: Iterable[Query] = ()) -> dict[str, str]:
    """Compute the views once that several rules (all, or those of `only`) or the queries of `then` share; returns the
    views that failed and why.

    Views that only rules without rows to judge read are not computed: the classes of records that they need were not
    collected.
    """
    db.load()
    wanted = _chosen(only)
    read = [rule.views for rule in wanted if not db.empty.issuperset(rule.views)]
    return db.keep(
        [*COVERAGE_QUERIES, activity.QUERY, share.QUERY, judging.DAMAGED, EVIDENCE, *then, *relations(wanted), *read]
    )


def _add_evidence(run: Run) -> None:
    """Fill in the offsets of the records of the worst values, for the findings that are in breach or silenced."""
    wanted = [finding for finding in run.findings if finding["figures"] and finding["evidence_record_id"] is not None]
    if not wanted:
        return
    ids = pa.table({"record_id": pa.array(sorted({finding["evidence_record_id"] for finding in wanted}), pa.int64())})
    with run.db.given(wanted=ids):
        records = run.db.rows(f"{EVIDENCE} SEMI JOIN wanted USING (record_id)")
    by_record = {row["record_id"]: row for row in records}
    for finding in wanted:
        record = by_record.get(finding["evidence_record_id"])
        if record:
            finding["evidence_source_id"] = record["source_id"]
            if finding["evidence_offset"] is None:
                finding["evidence_offset"] = record["source_offset"]
