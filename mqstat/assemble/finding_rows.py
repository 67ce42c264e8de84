"""The rows of table finding_day for one day: what was judged on it, and the checksum of what it was judged by."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from mqstat.base.card_key import Owner
from mqstat.dataset.schema import FINDINGS
from mqstat.intake.open_data import open_data
from mqstat.judge import states
from mqstat.judge.engine import run_rules
from mqstat.judge.model import Rule, rules
from mqstat.judge.states import RuleState
from mqstat.sql import sqlfile
from mqstat.sql.site import FACTS, Site


def finding_rows(
    parts: Iterable[RuleState], owners: Sequence[Owner], site: Site, day: dt.date, *, is_complete: bool
) -> pa.Table:
    """The rows of a day: for each rule and queue manager its subjects in breach, the worst first, or one row with the
    figure that decides.

    `parts` = the states of the rules; `owners` the LPAR and name of each queue manager of the day; `site` is in force
    on it.
    """
    rows = []
    for part in parts:
        if part.state != states.BREACH and part.qmgr is not None and part.owner not in owners:
            continue  # the numbers of its records are read of the days around this one, too
        decided = states.status([part])
        chosen = part.breaches if part.state == states.BREACH else (decided.row,) if decided else ()
        same = {
            "date": day,
            "rule_id": part.rule_id,
            "lpar": part.lpar,
            "qmgr": part.qmgr,
            "state": part.state,
            "subjects": len(part.breaches),
            "limits": limits_checksum(part.rule_id, part.owner, site),
            "is_complete": is_complete,
        }
        rows += [{**same, "place": number, **_figures(row, part.state)} for number, row in enumerate(chosen)]
    return pa.Table.from_pylist(rows, schema=FINDINGS)


def _figures(row: Mapping[str, Any], state: str) -> dict[str, Any]:
    names = ("observed", "limit_value", "limit_unit", "intervals_breached", "intervals_checked")
    in_breach = {name: row[name] for name in ("subject", "severity")} if state == states.BREACH else {}
    return {name: row[name] for name in names} | in_breach


def judged_rows(dataset: Path, day: dt.date, site: Site, *, is_complete: bool) -> pa.Table:
    """The rows of a day of a dataset, without a report; DatasetError if the dataset cannot be read."""
    with open_data(dataset=dataset, days=[day], site=site.on(day)) as database:
        judged = run_rules(database)
        return finding_rows(judged.parts, judged.owners, database.site, day, is_complete=is_complete)


# --------------------------------------------------------------------------------------------------------------- limits


def limits_checksum(rule_id: str, owner: Owner, site: Site) -> str:
    """A checksum of what decides whether a rule is in breach on a queue manager: its SQL and conditions, the limits in
    force and the facts that it reads.

    Severity, texts and reasons are not part of it.
    """
    lpar, qmgr = owner
    changed = [
        [override.subject, sorted(override.thresholds.items()), override.off]
        for override in site.overrides_of(rule_id)
        if (override.thresholds or override.off is not None) and override.holds(lpar, qmgr, override.subject)
    ]
    facts = site.facts(lpar or "", qmgr or "") if site.has_facts else {}
    declared = sorted((name, facts[name]) for name in _facts_of(rule_id) if facts.get(name) is not None)
    return _checksum(json.dumps([_own(rule_id), changed, declared], default=str))


@cache
def _own(rule_id: str) -> str:
    """The same of the rule alone, with its default limits."""
    rule = rules()[rule_id]
    defaults = sorted((name, threshold.value) for name, threshold in rule.thresholds.items())
    conditions = (rule.select, rule.breach, str(rule.judge), rule.min_activity, rule.guards, rule.silenced_by)
    weights = (rule.mark_by, rule.weighted_by, rule.weighted_min, rule.mq_since)
    return _checksum(json.dumps([rule_id, defaults, conditions, weights], default=str))


@cache
def _facts_of(rule_id: str) -> frozenset[str]:
    """The columns of view site_input that a rule reads, directly or through views; one whose name is part of another
    word of them may be among them.
    """
    read = _files(rules()[rule_id])
    texts = [file.text for file in read if "site_input" in file.text and file.id != "site_input"]
    return frozenset(fact.column for fact in FACTS.values() if any(fact.column in text for text in texts))


def _files(rule: Rule) -> Iterator[sqlfile.SqlFile]:
    """The file of a rule, and those of the views below it."""
    yield rule.file
    below, todo = set[str](), list(rule.views)
    while todo:
        name = todo.pop()
        if name in sqlfile.views() and name not in below:
            below.add(name)
            yield sqlfile.views()[name]
            todo += sqlfile.views()[name].needs


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
