"""Rules judged in shards: tasks of Spark judge some of the queue managers each (`mqstat.spark.check`), and their
findings are united.

A shard has pairs of LPAR and queue manager, with all members of their queue-sharing groups, and all pairs of the same
queue manager name (or, if that leaves too few shards, of the same LPAR), so that one column selects its records. The
header of a rule states what it is judged over (`over`); a rule over inputs, LPARs or everything is judged once, over
all data.
"""

# ruff: noqa: S608 - names of rules are quoted

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapreplace
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.base.scratch import temporary_folder
from mqstat.judge import scope, states
from mqstat.judge.engine import run_rules
from mqstat.judge.judging import breach_tables
from mqstat.judge.model import Rule, rules
from mqstat.judge.run import Run
from mqstat.judge.states import Judged, Place
from mqstat.sql.database import open_workspace
from mqstat.sql.decoded import Owners
from mqstat.sql.opened import Opened
from mqstat.sql.schemas import quoted
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace

OVER = frozenset({"qmgr", "group"})
"""What a rule is judged over (`mqstat.judge.model.OVER`) that is judged in shards."""

MEMBERS = """
    WITH counted AS (SELECT lpar, qmgr, max(qsg) AS qsg, count(*) AS records FROM decoded.record WHERE first_record_id IS NULL GROUP BY lpar, qmgr)
    SELECT c.lpar, c.qmgr, c.records, [c.qsg, s.qsg, i.chinit_qsg, q.queue_qsg] AS groups
    FROM counted AS c
    LEFT JOIN decoded.site_input AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr
    LEFT JOIN (SELECT lpar, qmgr, max(chinit_qsg) AS chinit_qsg FROM decoded.qcct GROUP BY lpar, qmgr) AS i ON i.lpar = c.lpar AND i.qmgr = c.qmgr
    LEFT JOIN (SELECT lpar, qmgr, max(queue_qsg) AS queue_qsg FROM decoded.qqst GROUP BY lpar, qmgr) AS q ON q.lpar = c.lpar AND q.qmgr = c.qmgr
    ORDER BY c.lpar, c.qmgr
"""
"""The pairs of LPAR and queue manager, their records, and the names of their queue-sharing groups."""


def in_shards() -> frozenset[str]:
    """The rules that may be judged in shards. A rule that is silenced or caused by one that is judged once is judged
    once, too.
    """
    chosen = {rule.id for rule in rules().values() if rule.over in OVER}
    while lost := {rule_id for rule_id in chosen if not _named(rules()[rule_id]) <= chosen}:
        chosen -= lost
    return frozenset(chosen)


def _named(rule: Rule) -> set[str]:
    return {other for other in (*rule.silenced_by, *rule.caused_by) if other in rules()}


Member = tuple[Place, int, frozenset[str]]
"""A pair of LPAR and queue manager, its records, and the names of its queue-sharing groups."""


def split(members: Iterable[Member], count: int) -> list[Owners]:
    """The owners of at most `count` shards of about as many records each; members of a group are in one shard."""
    by_column = [(column, _shards(members, count, column)) for column in ("qmgr", "lpar")]
    column, shards = min(by_column, key=lambda each: max(records for records, _ in each[1]))
    return [(column, sorted(names, key=lambda name: name or "")) for _, names in shards if names]


def _shards(members: Iterable[Member], count: int, column: str) -> list[tuple[int, list[str | None]]]:
    """So many shards, each the number of its records and the names in a column, which no other shard has."""
    together: list[tuple[int, set[tuple[str, str | None]]]] = []
    for (lpar, qmgr), records, groups in members:
        keys = {(column, lpar if column == "lpar" else qmgr), *(("group", group) for group in groups)}
        met = [known for known in together if not keys.isdisjoint(known[1])]
        together = [known for known in together if known not in met]
        together.append((records + sum(known[0] for known in met), keys.union(*(known[1] for known in met))))
    shards: list[tuple[int, int, list[str | None]]] = [(0, number, []) for number in range(count)]
    for records, keys in sorted(together, key=lambda each: -each[0]):
        least, number, names = shards[0]
        heapreplace(shards, (least + records, number, [*names, *(name for kind, name in keys if kind == column)]))
    return [(records, names) for records, _, names in shards]


@dataclass(frozen=True)
class Found:
    """What rules found in a shard: the findings, and the tables of rows in breach by rule."""

    findings: pa.Table
    breaches: Mapping[str, pa.Table]


Work: TypeAlias = tuple[Opened, pa.Table, Site, list[str]]
"""What `judge_shard` is called with for a shard."""


def judge_shard(opened: Opened, dropped: pa.Table, site: Site, rule_ids: Sequence[str]) -> Found:
    """Judge rules over the records of some queue managers (`Opened.owners`)."""
    with temporary_folder() as spill, open_workspace(opened, threads=1, temp_directory=spill) as db:
        db.site = site
        db.fill("dropped_class", dropped)
        run_rules(db, site, rule_ids)
        breaches = {name: db.arrow(f"SELECT * FROM temp.{quoted(f'breach_{name}')}") for name in breach_tables(db)}
        return Found(db.arrow("SELECT * FROM decoded.finding"), breaches)


def judge(db: Workspace, count: int, submit: Callable[[list[Work]], Callable[[], Sequence[Found]]]) -> Judged:
    """Judge all rules, those that may be in at most `count` shards, if there is more than one.

    `submit` = begins `judge_shard` elsewhere with the arguments of each shard; what it returns waits for the results.
    """
    members = [
        ((row["lpar"], row["qmgr"]), row["records"], frozenset(filter(None, row["groups"]))) for row in db.rows(MEMBERS)
    ]
    parts, sharded = split(members, count), in_shards()
    if len(parts) < 2:
        return run_rules(db)
    on = [rule.id for rule in rules().values() if scope.off_everywhere(rule, db.site.overrides_of(rule.id)) is None]
    chosen = [rule_id for rule_id in on if rule_id in sharded]
    dropped, opened = db.arrow("SELECT * FROM decoded.dropped_class"), replace(db.opened, dataset=None)
    wait = submit([(replace(opened, owners=part), dropped, db.site, chosen) for part in parts])
    return run_rules(db, only=rules().keys() - chosen, before=lambda run: _take(run, wait()))


def _take(run: Run, parts: Sequence[Found]) -> None:
    """Unite what was found in shards and take it over: the rules that are judged here are silenced and caused by it."""
    findings = _without_broken(pa.concat_tables(part.findings for part in parts))
    hit = findings.filter(pc.or_(pc.equal(findings["state"], states.BREACH), pc.is_valid(findings["silenced_by"])))
    for row in hit.select(["rule_id", "lpar", "qmgr", "subject"]).to_pylist():
        run.breached.setdefault(row["rule_id"], set()).add((row["lpar"], row["qmgr"], row["subject"]))
    for rule_id in dict.fromkeys(name for part in parts for name in part.breaches):
        rows = pa.concat_tables(part.breaches[rule_id] for part in parts if rule_id in part.breaches)
        ranked = "SELECT * REPLACE (rank() OVER (ORDER BY alternative, clause_order NULLS LAST) AS place) FROM united"
        with run.db.given(united=rows):
            run.db.execute(f"CREATE TEMP TABLE {quoted(f'breach_{rule_id}')} AS {ranked}")
    run.db.add("finding", findings)


def _without_broken(findings: pa.Table) -> pa.Table:
    """A rule that is broken in one shard is broken: its first such finding is all that is left of it."""
    is_broken = pc.equal(findings["state"], states.BROKEN)
    if not pc.any(is_broken).as_py():
        return findings
    broken = findings.filter(is_broken)
    names = broken["rule_id"].combine_chunks()
    first = pa.array([names.to_pylist().index(name) for name in names.unique().to_pylist()], pa.int64())
    return pa.concat_tables([findings.filter(pc.invert(pc.is_in(findings["rule_id"], names))), broken.take(first)])
