"""Rules judged in shards: several processes judge some of the queue managers each, and their findings are united.

A shard has pairs of LPAR and queue manager, with all members of their queue-sharing groups, and all pairs of the same queue manager name (or, if that leaves
too few shards, of the same LPAR), so that one column selects its records. The header of a rule states what it is judged over (`over`); a rule over inputs, LPARs or everything
is judged once, over all data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.base.errors import MqstatError
from mqstat.judge import scope, states
from mqstat.judge.judging import MANY_QUIET
from mqstat.judge.model import Rule, rules
from mqstat.judge.states import Place
from mqstat.sql.decoded import Owners
from mqstat.sql.schemas import finding_schema
from mqstat.sql.site import Site

if TYPE_CHECKING:
    from mqstat.sql.database import Database

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


class Pool(Protocol):
    """Processes that run functions (`mqstat.intake.workers`)."""

    def submit(self, function: Callable[..., Any], /, *given: Any) -> Future[Any]:
        """Run a function in one of the processes."""


def in_shards() -> frozenset[str]:
    """The rules that may be judged in shards. A rule that is silenced or caused by one that is judged once is judged once, too."""
    chosen = {rule.id for rule in rules().values() if rule.over in OVER}
    while lost := {rule_id for rule_id in chosen if not _named(rules()[rule_id]) <= chosen}:
        chosen -= lost
    return frozenset(chosen)


def _named(rule: Rule) -> set[str]:
    return {other for other in (*rule.silenced_by, *rule.caused_by) if other in rules()}


Member = tuple[Place, int, frozenset[str]]
"""A pair of LPAR and queue manager, its records, and the names of its queue-sharing groups."""


def split(members: Sequence[Member], count: int) -> list[Owners]:
    """The owners of at most `count` shards of about as many records each; members of a group are in one shard."""
    by_column = [_split(members, count, column) for column in ("qmgr", "lpar")]
    _, shards = min(by_column, key=lambda each: each[0])
    return shards


def _split(members: Iterable[Member], count: int, column: str) -> tuple[int, list[Owners]]:
    """Shards whose records have names of their own in a column, and the records of the largest one."""
    together: list[tuple[set[Any], int]] = []
    for owner, own, groups in members:
        names: set[Any] = {*groups, (owner[column == "qmgr"],)}  # a name of a group may be that of a queue manager
        records = own
        for each in [each for each in together if names & each[0]]:
            together.remove(each)
            names |= each[0]
            records += each[1]
        together.append((names, records))
    shards: list[list[str | None]] = [[] for _ in range(count)]
    work = [0] * count
    for names, records in sorted(together, key=lambda each: (-each[1], str(sorted(map(str, each[0]))))):
        least = work.index(min(work))
        shards[least] += sorted((name[0] for name in names if isinstance(name, tuple)), key=lambda name: name or "")
        work[least] += records
    return max(work), [(column, shard) for shard in shards if shard]


@dataclass(frozen=True)
class Judged:
    """What rules found in a shard: `listed` = the findings that texts are written from, `others` = those that these represent, in the order of subjects.

    `quiet` = the subjects of each rule without a row in breach; `breaches` = the tables of rows in breach by rule.
    """

    listed: pa.Table
    others: pa.Table
    quiet: Mapping[str, int]
    breaches: Mapping[str, pa.Table]


def listed_schema() -> pa.Schema:
    """The columns of a finding, and the counts of those that it represents."""
    return pa.schema([*finding_schema(), *((name, pa.int64()) for name in states.REPRESENTED)])


Judge = Callable[[Mapping[str, Any], pa.Table, Owners, Site, Sequence[str]], Judged]
"""Judges rules (ids) over the records of some owners, in another process."""


class Shards:
    """The shards of a database that other processes judge while this one does other work."""

    def __init__(
        self, db: Database, site: Site, rule_ids: Sequence[str], pool: Pool, parts: Sequence[Owners], judge: Judge
    ) -> None:
        self.rule_ids = frozenset(rule_ids)
        dropped = db.arrow("SELECT * FROM decoded.dropped_class")
        self._futures = [pool.submit(judge, db.opened, dropped, part, site, rule_ids) for part in parts]

    def united(self) -> Judged:
        """Wait for all shards and unite what they found."""
        try:
            parts = [future.result() for future in self._futures]
        except BrokenExecutor:
            raise MqstatError(
                "A process that judges rules ended unexpectedly, perhaps because memory ran out; use --jobs 1, or select fewer days or queue managers."
            ) from None
        quiet: dict[str, int] = {}
        for part in parts:
            for rule_id, number in part.quiet.items():
                quiet[rule_id] = quiet.get(rule_id, 0) + number
        listed, others = (pa.concat_tables(getattr(part, name) for part in parts) for name in ("listed", "others"))
        listed, others = _without_broken(listed, others)
        many = pc.is_in(
            others["rule_id"], pa.array([name for name, number in quiet.items() if number > MANY_QUIET], pa.string())
        )
        few = others.filter(pc.invert(many))
        represents = pc.is_in(
            listed["rule_id"], pa.array([name for name, number in quiet.items() if number <= MANY_QUIET], pa.string())
        )
        for name in states.REPRESENTED:
            counts = pc.if_else(represents, pa.scalar(None, pa.int64()), listed[name])
            listed = listed.set_column(listed.schema.get_field_index(name), name, counts)
        listed = pa.concat_tables([listed, *(_with_counts(few) if few.num_rows else ())])
        breaches: dict[str, list[pa.Table]] = {}
        for part in parts:
            for rule_id, table in part.breaches.items():
                breaches.setdefault(rule_id, []).append(table)
        return Judged(
            listed, others.filter(many), quiet, {name: pa.concat_tables(tables) for name, tables in breaches.items()}
        )


def _with_counts(findings: pa.Table) -> list[pa.Table]:
    nothing = pa.nulls(findings.num_rows, pa.int64())
    return [pa.table([*findings.columns, *(nothing for _ in states.REPRESENTED)], schema=listed_schema())]


def _without_broken(listed: pa.Table, others: pa.Table) -> tuple[pa.Table, pa.Table]:
    """A rule that is broken in one shard is broken: its first such finding is all that is left of it."""
    is_broken = pc.equal(listed["state"], states.BROKEN)
    if not pc.any(is_broken).as_py():
        return listed, others
    broken = listed.filter(is_broken)
    names = broken["rule_id"].combine_chunks()
    first = pa.array([names.to_pylist().index(name) for name in names.unique().to_pylist()], pa.int64())
    kept = [table.filter(pc.invert(pc.is_in(table["rule_id"], names))) for table in (listed, others)]
    return pa.concat_tables([kept[0], broken.take(first)]), kept[1]


def start(db: Database, site: Site, wanted: Sequence[Rule], judge: Judge) -> Shards | None:
    """Have other processes judge those of these rules that may be judged in shards; None if the database is not one for which there are processes."""
    if db.judges is None:
        return None
    members = [
        ((row["lpar"], row["qmgr"]), row["records"], frozenset(filter(None, row["groups"]))) for row in db.rows(MEMBERS)
    ]
    parts = split(members, db.judges.count)
    sharded = in_shards()
    chosen = [
        rule.id
        for rule in wanted
        if rule.id in sharded and scope.off_everywhere(rule, site.overrides_of(rule.id)) is None
    ]
    if len(parts) < 2 or not chosen:
        return None
    return Shards(db, site, chosen, db.judges.pool, parts, judge)
