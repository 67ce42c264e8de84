"""Findings in the order of a report: the worst first, and below each the findings that it explains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mqstat.assemble.conditions import limit_note, rating, row_phrase, share_text
from mqstat.assemble.model import Finding, FindingAt, LocalTimes
from mqstat.base.formatting import clean, subject_name
from mqstat.judge.model import Rule, rules
from mqstat.judge.sentences import few_of, reason_of, remedy_of, summary_of
from mqstat.judge.states import BREACH, BROKEN, urgency


@dataclass
class _Group:
    """The findings of one rule and severity, and the groups that it explains."""

    rule_id: str
    severity: str
    rows: list[Mapping[str, Any]]
    symptoms: list[_Group] = field(default_factory=list)

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


def findings_in_order(
    rows: Sequence[Mapping[str, Any]], times: LocalTimes, sources: Sequence[Mapping[str, Any]], many_lpars: bool
) -> Iterable[Finding]:
    """Breaches and broken rules as findings, one for each rule and severity; `rows` are those of view finding, the worst first."""
    known = rules()
    names = {row["source_id"]: row["source_name"] for row in sources}
    groups: dict[tuple[str, str], _Group] = {}
    for row in rows:
        if row["state"] in (BREACH, BROKEN):
            severity = BROKEN if row["state"] == BROKEN else row["severity"]
            groups.setdefault((row["rule_id"], severity), _Group(row["rule_id"], severity, [])).rows.append(row)
    roots: list[_Group] = []
    for group in groups.values():
        cause = _cause(group, groups)
        (cause.symptoms if cause else roots).append(group)
    for root in sorted(roots, key=lambda group: (group.urgency, group.own_urgency)):
        for depth, group in root.walked():
            yield _finding(group, known[group.rule_id], depth, times, names, many_lpars)


def _cause(group: _Group, groups: Mapping[tuple[str, str], _Group]) -> _Group | None:
    """The worst group that explains every finding of a group; rules are ordered after their causes, so there is no cycle."""
    named = [set(row["caused_by"] or ()) for row in group.rows]
    shared = set.intersection(*named) if named else set()
    fitting = [other for other in groups.values() if other.rule_id in shared and other.severity != "broken"]
    return min(fitting, key=lambda other: other.own_urgency, default=None)


def _finding(
    group: _Group,
    rule: Rule,
    depth: int,
    times: LocalTimes,
    names: Mapping[int, str],
    many_lpars: bool,
) -> Finding:
    first = group.rows[0]
    if group.severity == BROKEN:
        at = tuple(FindingAt("", "", row) for row in group.rows)
        reason = clean(reason_of(first))
        facts = f"{rule.file.name}; the other rules ran"
        return Finding(BROKEN, rule.id, rule.title, f"{reason[0].upper()}{reason[1:]}.", "", facts, at)
    return Finding(
        group.severity,
        rule.id,
        rule.title,
        summary_of(first),
        " ".join(part for part in (remedy_of(first), few_of(first)) if part),
        _facts(first, rule, times, names),
        tuple(_at(row, times, many_lpars) for row in group.rows),
        depth,
    )


def _at(row: Mapping[str, Any], times: LocalTimes, many_lpars: bool) -> FindingAt:
    short = row_phrase(row, rules()[row["rule_id"]])
    if row["worst_interval_utc"]:
        short += f", {_share(row)}worst {times.text(row['lpar'], row['qmgr'], row['worst_interval_utc'])}"
    return FindingAt(subject_name(row["lpar"], row["qmgr"], row["subject"], many_lpars), short, row)


def _share(row: Mapping[str, Any]) -> str:
    share = share_text(row, rules()[row["rule_id"]])
    return f"{share}, " if share else ""


def _facts(row: Mapping[str, Any], rule: Rule, times: LocalTimes, names: Mapping[int, str]) -> str:
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
