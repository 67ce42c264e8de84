"""Assembles the findings of `mqstat check`: a report without tables, with the same findings as a health report, the
most urgent first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from mqstat.assemble.cards import with_details
from mqstat.assemble.finding import Finding, finding_counts
from mqstat.assemble.finding_tree import findings_in_order
from mqstat.assemble.head import PART, coverage_lines, diagnoses, local_times
from mqstat.assemble.lines import rule_lines
from mqstat.assemble.model import Report
from mqstat.assemble.status import few_lines, gap_counts
from mqstat.assemble.table_model import LocalTimes
from mqstat.assemble.tables import every_outcome
from mqstat.base.formatting import findings_text, plural
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT, FAILED, of_report
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from mqstat.judge.states import BROKEN, CLEAR, Place, Row
from mqstat.sources.verdict import stored_code
from mqstat.sql.needs import HEAD_VIEWS
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace

QMGRS = "SELECT lpar, qmgr, first_written_local, last_written_local FROM qmgr ORDER BY lpar, qmgr"


def with_others(rule_ids: Iterable[str]) -> set[str]:
    """Rules with those that can silence or explain them."""
    chosen: set[str] = set()
    further = set(rule_ids)
    while further:
        chosen |= further
        named = (rules()[rule_id] for rule_id in further)
        further = {other for rule in named for other in (*rule.silenced_by, *rule.caused_by)} - chosen
    return chosen


def check(
    db: Workspace,
    site: Site | None = None,
    only: Collection[str] | None = None,
    damage_limit_pct: float = DAMAGE_LIMIT_PCT,
    fail_on: str = "warning",
    max_rc: int = FAILED,
) -> Report:
    """Run all rules (or the named ones) and collect their outcomes."""
    wanted = None if only is None else sorted(with_others(only))
    judged = run_rules(db, site, wanted, then=HEAD_VIEWS)
    requested = set(rules() if only is None else only)
    rows = [row for row in judged.rows if row["rule_id"] in requested]
    sources = db.ask_rows("SELECT * FROM source ORDER BY source_id")
    code = max(return_code(rows, sources, damage_limit_pct, fail_on), db.input_code)
    # A line of a job log shows the day, whatever the days of the data.
    times = replace(local_times(db, db.ask_rows(QMGRS)), one_day=False)
    return findings_report(
        db,
        rows,
        requested,
        code if code == FAILED else min(code, max_rc),
        judged.owners,
        times,
        sources,
        site or db.site,
    )


def findings_report(
    db: Workspace,
    rows: Sequence[Row],
    rule_ids: Collection[str],
    code: int,
    owners: Sequence[Place],
    times: LocalTimes | None = None,
    sources: Sequence[Row] = (),
    site: Site | None = None,
) -> Report:
    """The report of these rows of view finding, the worst first; `owners` are the queue managers of the data."""
    times = times or LocalTimes({})
    ordered = findings_in_order(rows, times, sources, owners)
    findings = with_details(db, tuple(ordered), times, sources, site or Site(), work=False)
    unjudged = gap_counts(rows)
    return Report(
        title="MQ findings",
        head=tuple(("", line) for line in diagnoses(sources)),
        return_code=code,
        all_findings=every_outcome(db, rule_ids),
        times=times,
        findings=tuple(sorted(findings, key=lambda finding: finding.urgency)),
        outcomes=tuple(rows),
        unjudged=(unjudged,) if unjudged else (),
        coverage=tuple(few_lines([pair for pair in coverage_lines(db, len(owners)) if pair[0] == PART])),
        summary=f"{rules_text(rule_ids)}: {breaches_text(findings)}; return code {code}",
        only_findings=True,
    )


def rule_states(db: Workspace) -> dict[str, str]:
    """The state of every rule, with the figure that decides it, or why it was not judged."""
    judged = run_rules(db, None, None, then=HEAD_VIEWS)
    lines = rule_lines(judged.parts, local_times(db, db.ask_rows(QMGRS)), judged.owners)
    return {line.rule_id: line.state if line.state == CLEAR else f"{line.state}: {line.text}" for line in lines}


def return_code(
    rows: Iterable[Row],
    sources: Sequence[Row] = (),
    damage_limit_pct: float = DAMAGE_LIMIT_PCT,
    fail_on: str = "warning",
) -> int:
    """The return code of findings and inputs: 16 broken rule, 12 too much damage, 8 critical, 4 warning or some damage,
    else 0.
    """
    outcomes = {(row["outcome"], row["severity"]) for row in rows}
    return of_report(outcomes, stored_code(sources, damage_limit_pct), fail_on)


def breaches_text(findings: Sequence[Finding]) -> str:
    """The number of findings by severity, and of their subjects; an additional rule changes it only if it has a
    breach.
    """
    text = findings_text(finding_counts(findings))
    subjects = sum(len(finding.subjects) for finding in findings if finding.severity != BROKEN)
    return f"{plural(len(findings), 'finding')} ({text}) about {plural(subjects, 'subject')}" if findings else text


def rules_text(rule_ids: Collection[str]) -> str:
    """The number of rules; those about inputs and whole systems are not among the rules of a queue manager."""
    others = sum(not {"lpar", "qmgr"} <= set(rules()[rule_id].grain) for rule_id in rule_ids)
    about = f" ({len(rule_ids) - others} about queue managers)" if 0 < others < len(rule_ids) else ""
    return plural(len(rule_ids), "rule") + about
