"""The report model: the content of a report without its presentation. Every writer renders it and computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from mqstat.assemble.finding import Finding, finding_counts
from mqstat.assemble.history import UNKNOWN, CardHistory, History
from mqstat.assemble.page_model import Baseline, Page, QmgrState, RuleLine, Tile, Verdict
from mqstat.assemble.table_model import LocalTimes, Table
from mqstat.base.card_key import ALL
from mqstat.base.formatting import qmgr_name
from mqstat.judge.states import BROKEN, Place
from mqstat.sql.site import Override


@dataclass(frozen=True)
class Figure:
    """One figure of one subject for a monitoring system: in the newest interval of its queue manager, and the worst of
    the period.
    """

    name: str
    unit: str
    doc: str
    is_low: bool
    labels: Mapping[str, str]
    newest: float | None
    worst: float | None


@dataclass(frozen=True)
class Monitored:
    """Additional content for a monitoring system: key figures, first and last moment of each queue manager, and its
    collected record classes.
    """

    figures: tuple[Figure, ...]
    extents: tuple[Mapping[str, Any], ...]
    collected: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Report:
    """A whole report, or a part of it.

    `only_tables`: the user requested reports by name, without the sentences around them. `only_findings`: the findings
    of `mqstat check`, which have no tables; then `unjudged` has a line for each group of rules that were not judged,
    and `summary` the counts. `outcomes` are the rows of view finding that texts are written from, `all_findings` all of
    them; `sources` are the rows of view source. `state` is the worst of `qmgrs`, `first_local` the start of the period
    in local time.

    `page`, `monitored` and `every_table` have the content that only some formats show; None or empty unless requested.
    """

    title: str
    return_code: int
    all_findings: Table
    """All outcomes, without rows for a screen."""
    times: LocalTimes
    head: tuple[tuple[str, str], ...] = ()
    summary_lines: tuple[str, ...] = ()
    """Below the headline: inputs, period, queue managers, records, and what is to be known of them."""
    gaps: tuple[tuple[str, str], ...] = ()
    """What was not judged, a state and a text for each reason."""
    coverage: tuple[tuple[str, str], ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    findings: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    foot: tuple[tuple[str, str], ...] = ()
    sources: tuple[Mapping[str, Any], ...] = ()
    outcomes: tuple[Mapping[str, Any], ...] = ()
    unjudged: tuple[str, ...] = ()
    summary: str = ""
    only_tables: bool = False
    only_findings: bool = False
    hidden: frozenset[str] = field(default_factory=frozenset)
    rule_lines: tuple[RuleLine, ...] = ()
    tiles: tuple[Tile, ...] = ()
    qmgrs: tuple[QmgrState, ...] = ()
    state: str = ""
    first_local: datetime | None = None
    trend: tuple[Table, ...] = ()
    trend_lines: tuple[tuple[str, str], ...] = ()
    """Queue manager, and its peaks as a sentence."""
    baseline: Baseline | None = None
    links: tuple[tuple[str, str], ...] = ()
    """Labels and addresses of the days before and after, through the index: relative, so that no page becomes out of
    date."""
    card: Finding | str | None = None
    """The only finding that was requested, or why there is none; None = everything."""
    accepted: tuple[Override, ...] = ()
    """The overrides of the site file that switch a rule off."""
    history: History | None = None
    """The history of the findings over earlier days; None unless the day is in the history of a dataset."""
    page: Page | None = None
    monitored: Monitored | None = None
    every_table: tuple[Table, ...] = ()

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """The number of findings by severity, the same in every format."""
        return finding_counts(self.findings)

    @cached_property
    def findings_on(self) -> Mapping[Place, Sequence[Finding]]:
        """The findings that are about each LPAR and queue manager."""
        listed: dict[Place, dict[int, Finding]] = {}
        for finding in self.findings:
            for at in finding.subjects:
                listed.setdefault((at.row["lpar"], at.row["qmgr"]), {})[id(finding)] = finding
        return {owner: tuple(own.values()) for owner, own in listed.items()}

    def name_of(self, manager: QmgrState) -> str:
        """A queue manager, with its LPAR if there are several."""
        return qmgr_name(manager.lpar, manager.qmgr, "lpar" not in self.hidden)

    def history_of(self, finding: Finding) -> CardHistory:
        """The history of a finding; UNKNOWN without history."""
        if self.history is None or finding.severity == BROKEN:
            return UNKNOWN
        row = finding.row
        return self.history.of(finding.rule_id, *(ALL if finding.key.endswith("/*") else (row["lpar"], row["qmgr"])))

    @property
    def data(self) -> tuple[Table, ...]:
        """The tables of formats for data: the requested reports, those of a comparison, else all outcomes."""
        if not self.only_tables:
            return (self.all_findings,)
        return self.tables or (self.baseline.tables if self.baseline is not None else ())
