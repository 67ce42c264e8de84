"""The report model: findings, their subjects and charts, and verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mqstat.assemble.conditions import rating
from mqstat.judge.commands import is_command as is_command  # noqa: PLC0414 - part of the model, as Column
from mqstat.judge.model import SEVERITIES
from mqstat.judge.states import BREACH, BROKEN, STATUSES, urgency

COUNTED = (BROKEN, *SEVERITIES)
"""Severities of findings; a broken rule counts as one."""


STATES = STATUSES
"""States of rules, areas and queue managers, the most urgent first."""


@dataclass(frozen=True)
class FindingAt:
    """One subject of a finding: `location` names queue manager and subject, `figure` is its figure in a few words, `row` its row of view finding."""

    location: str
    figure: str
    row: Mapping[str, Any]


@dataclass(frozen=True)
class CardChart:
    """The chart of a finding. `chart` is its format: `series` = the figure of the rule on the worst subject (`subject`) by step of the page's grid, `subjects` = a bar for each
    of `labels`, `rows` = no figures to draw: `labels` with `texts`.

    `values` and `limits` are in `unit`, `breached` the steps or bars in breach; `low` and `high` are the usual range of each step, None without history.
    """

    chart: str
    measure: str
    unit: str
    values: tuple[float | None, ...]
    limits: tuple[float | None, ...]
    breached: frozenset[int]
    subject: str
    labels: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A rule in breach on one queue manager, with all its subjects there, or a broken rule. The worst subject leads: `summary` and `facts` are about it.

    A rule in breach on most queue managers is one finding about the estate (`mqstat.assemble.finding_tree`). `key` identifies it in every format
    (`mqstat.base.card_key`), `where` names its queue manager, `when` is when it was in breach, `who` the work that explains it or waited; `look` and `do` are
    commands for the operator, `plan` those that compute a size, `trace` the command that shows the record, `accept` the lines of a site file that accept it,
    `expired` the exceptions for it that have ended. `depth` is 0 for a separate finding, more for one that the finding above it explains.
    """

    severity: str
    rule_id: str
    title: str
    summary: str
    remedy: str
    facts: str
    subjects: tuple[FindingAt, ...]
    depth: int = 0
    key: str = ""
    where: str = ""
    when: str = ""
    who: tuple[str, ...] = ()
    look: tuple[str, ...] = ()
    do: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    trace: str = ""
    accept: str = ""
    expired: tuple[str, ...] = ()
    chart: CardChart | None = None

    @property
    def row(self) -> Mapping[str, Any]:
        """The row of view finding of the worst subject."""
        return self.subjects[0].row

    @property
    def location(self) -> str:
        """The worst subject."""
        return self.subjects[0].location

    @property
    def others(self) -> tuple[FindingAt, ...]:
        """The other subjects."""
        return self.subjects[1:]

    @property
    def weight(self) -> str:
        """What it means for the work, one of the weights of rules."""
        return str(self.row["weight"])

    @property
    def distance(self) -> float | None:
        """How far the worst subject is beyond its limit."""
        far: float | None = self.row["distance"]
        return far

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
    """The number of findings by severity. A finding is a rule in breach on one queue manager or on the estate, whatever the number of its subjects."""
    severities = Counter(finding.severity for finding in findings)
    return {name: severities[name] for name in COUNTED}
