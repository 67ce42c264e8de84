"""Findings as cards: one for each rule and queue manager, the worst first, and below each the findings that it
explains.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import Any

from mqstat.assemble.conditions import limit_note, rating, row_phrase, share_text
from mqstat.assemble.finding import COUNTED, Finding, FindingAt, plain
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.card_key import ALL, Owner, card_key, is_estate
from mqstat.base.formatting import clean, qmgr_name, subject_name
from mqstat.base.grouping import grouped_by
from mqstat.judge.model import SEVERITIES, rules
from mqstat.judge.sentences import few_of, figures_of, reason_of, remedy_of, summary_of
from mqstat.judge.states import BREACH, BROKEN, urgency


@dataclass
class _Group:
    """The findings of one rule on one queue manager or on the estate (`owner` None), and the groups that it
    explains.
    """

    rule_id: str
    owner: Owner | None
    rows: list[Mapping[str, Any]]
    symptoms: list[_Group] = field(default_factory=list)

    @property
    def severity(self) -> str:
        """That of its worst finding."""
        return BROKEN if self.rows[0]["state"] == BROKEN else str(self.rows[0]["severity"])

    @property
    def own_urgency(self) -> tuple[int, int, float]:
        """The urgency of its worst finding; a broken rule precedes all findings."""
        return (-1, 0, 0.0) if self.severity == BROKEN else urgency(self.rows[0])

    @property
    def urgency(self) -> tuple[int, int, float]:
        """The urgency of the worst finding of this group and those below it."""
        return min([self.own_urgency, *(symptom.urgency for symptom in self.symptoms)])

    def walked(self, depth: int = 0) -> Iterator[tuple[int, _Group]]:
        """This group and those below it, the worst first."""
        yield depth, self
        for symptom in sorted(self.symptoms, key=lambda group: group.urgency):
            yield from symptom.walked(depth + 1)


@dataclass(frozen=True)
class Tree:
    """A finding that no other explains, and those that it explains: one problem."""

    findings: tuple[Finding, ...]

    @property
    def root(self) -> Finding:
        """The cause."""
        return self.findings[0]

    @property
    def lead(self) -> Finding:
        """The finding of the highest severity; of equal ones the cause."""
        return min(self.findings, key=lambda finding: COUNTED.index(finding.severity))

    @property
    def others(self) -> tuple[Finding, ...]:
        """All but the cause and the leading one."""
        return tuple(finding for finding in self.findings if finding is not self.root and finding is not self.lead)


def trees(findings: Sequence[Finding]) -> list[Tree]:
    """Findings in order (`findings_in_order`) as trees, those of the highest severity first."""
    bounds = [*(number for number, finding in enumerate(findings) if not finding.depth), len(findings)]
    made = [Tree(tuple(findings[start:end])) for start, end in pairwise(bounds)]
    return sorted(made, key=lambda tree: COUNTED.index(tree.lead.severity))


def findings_in_order(
    rows: Sequence[Mapping[str, Any]],
    times: LocalTimes,
    sources: Sequence[Mapping[str, Any]],
    owners: Collection[Owner],
) -> Iterable[Finding]:
    """Breaches and broken rules as findings, one for each rule and queue manager.

    `rows` are those of view finding, the worst first; `owners` are the LPAR and name of each queue manager of the data.
    A rule in breach on most of them (`is_estate`) is one finding about all of them.
    """
    names = {row["source_id"]: row["source_name"] for row in sources}
    hits = grouped_by([row for row in rows if row["state"] in (BREACH, BROKEN)], itemgetter("rule_id"))
    groups = [group for own in hits.values() for group in _groups(own, owners)]
    by_key = {(group.rule_id, group.owner): group for group in groups}
    roots: list[_Group] = []
    for group in groups:
        cause = _cause(group, by_key)
        (cause.symptoms if cause else roots).append(group)
    for root in sorted(roots, key=lambda group: (group.urgency, group.own_urgency)):
        for depth, group in root.walked():
            yield _finding(group, depth, times, names, owners)


def _groups(rows: list[Mapping[str, Any]], owners: Collection[Owner]) -> Iterator[_Group]:
    """The groups of the findings of one rule."""
    if rows[0]["state"] == BREACH:  # of one severity those lead in which nothing was changed that ended the breach
        rows = sorted(rows, key=lambda row: (SEVERITIES.index(row["severity"]), "setting_settled" in figures_of(row)))
    by_owner = grouped_by(rows, itemgetter("lpar", "qmgr"))
    hit = sum(owner in by_owner for owner in owners)
    rule_id = str(rows[0]["rule_id"])
    if rows[0]["state"] == BROKEN or is_estate(hit, len(owners)):
        yield _Group(rule_id, None, rows)
    else:
        yield from (_Group(rule_id, owner, own) for owner, own in by_owner.items())


def _cause(group: _Group, groups: Mapping[tuple[str, Owner | None], _Group]) -> _Group | None:
    """The worst group that explains every finding of a group and is about all that it is about; rules are ordered after
    their causes, so there is no cycle.
    """
    shared = set.intersection(*(set(row["caused_by"] or ()) for row in group.rows))
    wider = [None, (None, None), *([(group.owner[0], None), group.owner] if group.owner else [])]
    fitting = [groups[rule_id, owner] for rule_id in shared for owner in wider if (rule_id, owner) in groups]
    return min(
        (other for other in fitting if other.severity != BROKEN), key=lambda other: other.own_urgency, default=None
    )


def _finding(
    group: _Group, depth: int, times: LocalTimes, names: Mapping[int, str], owners: Collection[Owner]
) -> Finding:
    first, rule = group.rows[0], rules()[group.rule_id]
    if group.severity == BROKEN:
        at = tuple(FindingAt("", "", row) for row in group.rows)
        reason = clean(reason_of(first))
        facts = f"{rule.file.name}; the other rules ran"
        return Finding(
            rule_id=rule.id,
            severity=BROKEN,
            weight=str(first["weight"]),
            distance=plain(first["distance"]),
            title=rule.title,
            summary=f"{reason[0].upper()}{reason[1:]}.",
            remedy="",
            facts=facts,
            key=card_key(rule.id, ALL),
            subjects=at,
        )
    many_lpars = len({lpar for lpar, _ in owners}) > 1
    hit = {(row["lpar"], row["qmgr"]) for row in group.rows}
    where = f"{len(hit)} of {len(owners)} queue managers"
    if group.owner:
        where = qmgr_name(*group.owner, many_lpars)
    elif len(hit) == len(owners):
        where = f"all {len(owners)} queue managers"
    return Finding(
        rule_id=rule.id,
        severity=group.severity,
        weight=str(first["weight"]),
        distance=plain(first["distance"]),
        title=rule.title,
        depth=depth,
        summary=summary_of(first),
        remedy=" ".join(part for part in (remedy_of(first), few_of(first)) if part),
        facts=_facts(first, times, names),
        key=card_key(rule.id, group.owner or ALL, owners),
        where=where,
        subjects=tuple(_at(row, times, many_lpars, group.severity) for row in group.rows),
    )


def _at(row: Mapping[str, Any], times: LocalTimes, many_lpars: bool, severity: str) -> FindingAt:
    short = row_phrase(row)
    if row["worst_interval_utc"]:
        short += f", {_share(row)}worst {times.text(row['lpar'], row['qmgr'], row['worst_interval_utc'])}"
    if row["severity"] != severity:
        short += f" ({row['severity']})"
    return FindingAt(subject_name(row["lpar"], row["qmgr"], row["subject"], many_lpars), short, row)


def _share(row: Mapping[str, Any]) -> str:
    share = share_text(row)
    return f"{share}, " if share else ""


def _facts(row: Mapping[str, Any], times: LocalTimes, names: Mapping[int, str]) -> str:
    parts = [rating(row)]
    if row["worst_interval_utc"]:
        here = (row["lpar"], row["qmgr"])
        text = f"{_share(row)}worst {times.text(*here, row['worst_interval_utc'])}"
        if row["intervals_breached"] > 1:
            text += (
                f", first {times.text(*here, row['first_seen_utc'])}, last {times.text(*here, row['last_seen_utc'])}"
            )
        parts.append(text)
    parts += [limit_note(row)] if limit_note(row) else []
    parts.append(row["rule_source"])
    if row["evidence_offset"] is not None:
        name = names.get(row["evidence_source_id"])
        parts.append(clean(f"evidence {name + ' ' if name else ''}offset {row['evidence_offset']}"))
    if row["report"]:
        parts.append(f"see {row['report']}")
    return "; ".join(parts)
