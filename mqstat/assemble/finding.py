"""A finding as every format writes it: its declaration, its fields with their values, one sentence, and the lines of a
site file that accept it.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, TypeAlias

from msgspec import Meta

from mqstat.assemble.conditions import rating
from mqstat.base.formatting import clean, plural, steady, toml_key
from mqstat.base.json_object import Count, Object, one_of, row_of
from mqstat.judge.commands import is_command as is_command  # noqa: PLC0414 - part of the model
from mqstat.judge.model import SEVERITIES, WEIGHTS
from mqstat.judge.states import BREACH, BROKEN, urgency
from mqstat.sql.site import Override

LISTS = ("culprits", "victims", "caused_by", "missing_classes", "missing_views", "missing_columns", "missing_facts")
"""Columns of view finding that are lists, empty where there is nothing."""


def fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of view finding, or some of them, by name: lists and figures as such, numbers with 12 digits."""
    return {name: value_of(name)(value) for name, value in row.items()}


@cache
def value_of(name: str) -> Callable[[Any], Any]:
    """Converts the values of a column of view finding: lists, figures as an object, conditions as a list of objects."""
    if name == "figures":
        return lambda text: _steady(json.loads(text)) if text else None
    if name == "clauses":
        return lambda text: list(map(_steady, json.loads(text))) if text else []
    if name in LISTS:
        return lambda value: value or []
    return plain


def plain(value: Any) -> Any:
    """A value as formats for programs have it: fractions with 12 digits, None if they are not finite."""
    return (steady(value) if math.isfinite(value) else None) if isinstance(value, float) else value


def _steady(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in values.items()}


COUNTED = (BROKEN, *SEVERITIES)
"""Severities of findings; a broken rule counts as one."""


RULE_ID = "^[A-Z]{2}[0-9]{3}$"
RuleId: TypeAlias = Annotated[str, Meta(pattern=RULE_ID)]


class FindingAt:
    """One subject of a finding: `location` names queue manager and subject, `figure` is its figure in a few words,
    `row` its row of view finding.
    """

    def __init__(self, location: str, figure: str, row: Mapping[str, Any]) -> None:
        self.location, self.figure, self.row = location, figure, row

    @property
    def members(self) -> dict[str, Any]:
        """What JSON has of it: the row, without the counts of findings that it represents, with location and figure."""
        row = {name: value for name, value in self.row.items() if not name.startswith("represents")}
        return {**fields(row), "place": self.location, "figure": self.figure}


class Finding(Object, frozen=True, kw_only=True):
    """A rule in breach on one queue manager or on most of them, or a broken rule, with its subjects.

    The worst is first; causes come before the findings that they explain, whose depth is above 0.
    `distance` is how far the worst subject is beyond its limit.
    """

    # The docstring is that of the JSON Schema. `summary` and `facts` are about the worst subject. A rule in breach on
    # most queue managers is one finding about the estate (`mqstat.assemble.finding_tree`). `key` identifies it in every
    # format (`mqstat.base.card_key`), `where` names its queue manager, `when` is when it was in breach, `who` the work
    # that explains it or waited; `look` and `do` are commands for the operator, `plan` those that compute a size,
    # `trace` the command that shows the record, `accept` the lines of a site file that accept it, `expired` the
    # exceptions for it that have ended.
    rule_id: RuleId
    severity: Annotated[str, one_of(COUNTED)]
    weight: Annotated[str, one_of(WEIGHTS)]
    distance: float | None
    title: str
    depth: Count = 0
    summary: str
    remedy: str
    facts: str
    key: str
    where: str = ""
    when: str = ""
    who: Sequence[str] = ()
    look: Sequence[str] = ()
    do: Sequence[str] = ()
    plan: Sequence[str] = ()
    trace: str = ""
    accept: str = ""
    expired: Sequence[str] = ()
    subjects: Annotated[Sequence[Annotated[FindingAt, row_of("subject")]], Meta(min_length=1)]

    @property
    def row(self) -> Mapping[str, Any]:
        """The row of view finding of the worst subject."""
        return self.subjects[0].row

    @property
    def location(self) -> str:
        """The worst subject."""
        return self.subjects[0].location

    @property
    def others(self) -> Sequence[FindingAt]:
        """The other subjects."""
        return self.subjects[1:]

    @property
    def rating(self) -> str:
        """Weight and distance of the worst subject; empty for a broken rule."""
        return rating(self.row) if self.row["state"] == BREACH else ""

    @property
    def urgency(self) -> tuple[int, int, float]:
        """Sort key: broken rules, then findings by severity, weight and distance of the worst subject."""
        return urgency(self.row) if self.row["state"] == BREACH else (-1, 0, 0.0)

    @property
    def qmgrs(self) -> tuple[str, ...]:
        """The queue managers that it is about, without duplicates."""
        return tuple(dict.fromkeys(subject.row["qmgr"] for subject in self.subjects if subject.row["qmgr"]))

    @property
    def advice(self) -> str:
        """Summary and remedy."""
        return " ".join(part for part in (self.summary, self.remedy) if part)


def finding_counts(findings: Iterable[Finding]) -> dict[str, int]:
    """The number of findings by severity. A finding is a rule in breach on one queue manager or on the estate, whatever
    the number of its subjects.
    """
    severities = Counter(finding.severity for finding in findings)
    return {name: severities[name] for name in COUNTED}


def sentence(finding: Finding) -> str:
    """A finding on one line: rule, worst subject, what is wrong, how bad it is, and the number of its other
    subjects.
    """
    if finding.severity == BROKEN:
        return f"{finding.rule_id} {finding.summary.rstrip('.')}"
    where = f"{finding.location}: " if finding.location else ""
    others = f" and {plural(len(finding.others), 'more subject')}" if finding.others else ""
    return f"{finding.rule_id} {where}{finding.title} ({finding.rating}){others}"


# --- exceptions of a site file

ACCEPTED_SUBJECTS = 3
"""Subjects of a finding that are accepted one by one; of a finding with more, the rule is switched off on the queue
manager."""


def accept_lines(finding: Finding) -> str:
    """Lines for the site file that switch off exactly this finding. A site file with an empty reason is refused, so
    each must be filled in.
    """
    is_estate = len(finding.qmgrs) > 1
    subjects = [at.row["subject"] for at in finding.subjects]
    named: list[str | None] = [None] if is_estate or len(subjects) > ACCEPTED_SUBJECTS or None in subjects else subjects
    row, path = finding.row, ["rules", finding.rule_id]
    if not is_estate:
        path += ["lpar", toml_key(row["lpar"])] if row["lpar"] and (not row["qmgr"] or "." in finding.key) else []
        path += ["qmgr", toml_key(row["qmgr"])] if row["qmgr"] else []
    return "\n".join(
        f"[{'.'.join([*path, *(['subject', toml_key(subject)] if subject else [])])}]\n"
        'off = true\nreason = ""  # why, and who agreed\nuntil = 2999-12-31  # last day of the exception'
        for subject in named
    )


def accepted_text(override: Override) -> str:
    """A rule that the site switches off, with the last day and the reason."""
    where = f" {override.where}" if override.where else ""
    until = f"until {override.until}" if override.until else "without an end"
    return clean(f"{override.rule_id}{where} {until}: {override.reason}")
