"""Causes: which findings in breach explain another one, and whose work only waits for something slow."""

# ruff: noqa: S608 - names of rules are quoted, values are bound

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any

import duckdb

from mqstat.base.errors import DamagedFileError, MqstatError
from mqstat.base.grouping import grouped_by
from mqstat.judge.findings import broken_finding
from mqstat.judge.model import Rule, rules
from mqstat.judge.run import Run
from mqstat.sql.schemas import quoted

RELATED: Mapping[tuple[str, str], str] = {
    ("pool_id", "page_set_id"): "page_set",
    ("pool_id", "queue"): "queue_holding",
    ("page_set_id", "queue"): "queue_holding",
    ("cf_structure", "queue"): "queue_holding",
    ("queue", "page_set_id"): "queue_statistics",
    ("queue", "cf_structure"): "queue_statistics",
    ("queue", "channel_name"): "transmission_channel",
    ("queue_group", "channel_name"): "transmission_channel",
}
"""The kinds of subjects (columns of the grain of rules) of a finding and of its cause, and the view that relates them:
which page sets use a pool, which queues fill it, where a queue is, which channels send its messages."""

GROUP = "queue_sharing_group"
"""The view of the members that share a structure: the finding about its queue may be on another one."""

CAUSE_BEFORE_HOURS = 1
"""How long before its effect a cause may end: a backlog may take that long to process."""


def add_causes(run: Run, rule: Rule, subject: Mapping[str, Any], finding: dict[str, Any]) -> None:
    """Add the rules in breach that explain a finding; it is broken if that fails."""
    try:
        finding["caused_by"] = [other for other in rule.caused_by if _explains(run, rule, other, subject)] or None
    except (duckdb.InterruptException, DamagedFileError):
        raise
    except (duckdb.Error, MqstatError) as error:
        finding |= broken_finding(rule, error)


def find_victims(run: Run) -> None:
    """Those who would be culprits of a finding are victims if only something slow explains it: a log copy, a CF, a page
    set.
    """
    in_breach = grouped_by([finding for _, _, finding in run.caused], itemgetter("rule_id", "lpar", "qmgr"))

    def is_slow(rule: Rule, lpar: str | None, qmgr: str | None) -> bool:
        if rule.culprits is None:
            return rule.victims is not None
        findings = in_breach.get((rule.id, lpar, qmgr), ())
        return bool(findings) and all(map(waits, findings))

    def waits(finding: Mapping[str, Any]) -> bool:
        causes = finding["caused_by"] or ()
        return bool(causes) and all(is_slow(rules()[other], finding["lpar"], finding["qmgr"]) for other in causes)

    for rule, finding in [(rule, finding) for rule, _, finding in run.caused if rule.culprits and waits(finding)]:
        finding["culprits"], finding["victims"] = None, rule.victims or rule.culprits


def _explains(run: Run, rule: Rule, other: str, subject: Mapping[str, Any]) -> bool:
    """Whether another rule that is in breach explains a finding: on the same subject or one that it uses, at the same
    time.

    A cause that ended more than an hour before the first interval in breach, or began after the last one, explains
    nothing. Subjects of two kinds are compared through the view of `RELATED`: the page set in breach must use the pool
    of the finding, the queue must fill it. Rules without a common kind of subject explain each other on the whole queue
    manager.
    """
    row = subject.get("row", {})
    if not run.breached.get(other) or other not in row.get("causes", (other,)):
        return False
    cause = rules()[other]
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


def relations(wanted: Iterable[Rule]) -> list[str]:
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
