"""The shared state of the rules during a run over one database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mqstat.judge import judging
from mqstat.judge.activity import Activity
from mqstat.judge.model import Rule
from mqstat.judge.no_data import Coverage
from mqstat.judge.share import NONE, Share
from mqstat.judge.states import Place
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace


@dataclass
class Run:
    """The shared state of the rules during a run over one database."""

    db: Workspace
    site: Site
    coverage: Coverage
    broken_views: Mapping[str, str]
    has_steps: bool = False
    """Whether the steps of a grid are wanted (`mqstat.judge.series`)."""
    damaged: bool = False
    activity: Activity = field(default_factory=Activity)
    shares: Mapping[str, Mapping[Place, Share]] = field(default_factory=dict)
    """The share of the period of each rule on each queue manager with slots."""
    breached: dict[str, set[tuple[str | None, str | None, str | None]]] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)
    caused: list[tuple[Rule, Mapping[str, Any], dict[str, Any]]] = field(default_factory=list)
    """Findings in breach with their rule and subject: their causes are looked for when all rules have run."""

    def share(self, rule: Rule, owner: Place) -> Share:
        """The share of the period of a rule on a queue manager."""
        return self.shares.get(rule.id, {}).get(owner, NONE)

    def rows_of(self, rule: Rule, *, every_column: bool = False) -> str:
        """The SELECT of the judged rows of a rule."""
        return judging.rows_of(rule, self.site.overrides_of(rule.id), self.damaged, every_column=every_column)
