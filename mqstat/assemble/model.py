"""The report model: the content of a report without its presentation. Every writer renders it and computes nothing."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any

import pyarrow as pa

from mqstat.assemble.conditions import rating
from mqstat.assemble.history import UNKNOWN, CardHistory, History
from mqstat.assemble.queue_map import QueueMap
from mqstat.base.card_key import ALL
from mqstat.base.formatting import short_offset
from mqstat.judge.commands import is_command as is_command  # noqa: PLC0414 - part of the model, as Column
from mqstat.judge.model import SEVERITIES
from mqstat.judge.states import BREACH, BROKEN, STATUSES, RuleState, urgency
from mqstat.sql import sqlfile
from mqstat.sql.columns import Column as Column  # noqa: PLC0414 - part of the model: writers know no other
from mqstat.sql.database import Database
from mqstat.sql.plans import keep
from mqstat.sql.site import Override

COUNTED = (BROKEN, *SEVERITIES)
"""Severities of findings; a broken rule counts as one."""

STATES = STATUSES
"""States of rules, areas and queue managers, the most urgent first."""


@dataclass(frozen=True)
class LocalTimes:
    """Converts GMT to the local time of a queue manager, with the offset in force at that moment."""

    changes: Mapping[tuple[str | None, str | None], tuple[tuple[datetime, int], ...]]
    one_day: bool = False

    def local(self, lpar: str | None, qmgr: str | None, utc: datetime | None) -> datetime | None:
        """Local time; None if the moment or the offset is not known. For several queue managers (an LPAR or name of None) only if all have the same."""
        if utc is None:
            return None
        moments = {
            utc + timedelta(minutes=known[max(0, bisect.bisect_right(known, (utc, 10**6)) - 1)][1])
            for known in self._of(lpar, qmgr)
            if known
        }
        return moments.pop() if len(moments) == 1 else None

    def _of(self, lpar: str | None, qmgr: str | None) -> list[tuple[tuple[datetime, int], ...]]:
        """The changes of the queue managers with this LPAR and name; None = any."""
        if (lpar, qmgr) in self.changes:
            return [self.changes[lpar, qmgr]]
        return [known for owner, known in self.changes.items() if lpar in (None, owner[0]) and qmgr in (None, owner[1])]

    def several_zones(self, moments: Iterable[datetime]) -> bool:
        """Whether queue managers have different local times at one of these moments (GMT)."""
        if len({offset for known in self.changes.values() for _, offset in known}) <= 1 and all(self.changes.values()):
            return False
        return any(len({self.local(*owner, utc) for owner in self.changes}) > 1 for utc in moments)

    def zone(self, lpar: str | None, qmgr: str | None, utc: datetime | None) -> str:
        """The offset as a label with a leading blank, such as " (UTC+2)", on a local day on which clocks change; otherwise empty."""
        local = self.local(lpar, qmgr, utc)
        if local is None or utc is None:
            return ""
        around = [change for known in self._of(lpar, qmgr) for change in pairwise(known)]
        changed = any(
            local.date() in ((at + timedelta(minutes=before)).date(), (at + timedelta(minutes=after)).date())
            for (_, before), (at, after) in around
        )
        return f" ({short_offset(round((local - utc).total_seconds() / 60))})" if changed else ""

    def text(self, lpar: str | None, qmgr: str | None, utc: datetime | None) -> str:
        """Local time for a sentence: only the time of day if all data is from one day; marked Z if only GMT is known."""
        if utc is None:
            return ""
        local = self.local(lpar, qmgr, utc)
        shown = (local or utc).strftime("%H:%M" if self.one_day else "%Y-%m-%d %H:%M")
        return shown + self.zone(lpar, qmgr, utc) if local else shown + "Z"


@dataclass(frozen=True)
class Verdict:
    """One line per area: its state (one of STATES), and the deciding figure or the missing data, as a sentence (`text`) and in parts.

    `area` is the heading, `rule_area` the id; `judged` of `rules` were judged on at least one queue manager, `rule_id` decides.
    """

    area: str
    state: str
    text: str
    rule_area: str = ""
    rule_id: str = ""
    judged: int = 0
    rules: int = 0
    measure: str = ""
    value: str = ""
    limit: str = ""
    where: str = ""
    when: str = ""
    share: str = ""
    remark: str = ""
    deciding: Mapping[str, Any] | None = None


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
    commands for the operator, `trace` the command that shows the record, `accept` the lines of a site file that accept it,
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


@dataclass(frozen=True)
class Table:
    """A report: its columns, the rows for a screen, the number of rows, and access to all of them."""

    report_id: str
    title: str
    question: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    marked: tuple[bool, ...]
    total: int
    database: Database
    sql: str
    waits: bool = False
    """Whether the views of its SQL are only computed when the rows are read."""
    kind: str = "report"
    """What it is: a report, or a view as a whole."""

    def is_marked(self, row: Sequence[Any]) -> bool:
        """Whether a row of the report breaks the limit of a rule."""
        indexes = [number for number, column in enumerate(self.columns) if column.name == "in_breach"]
        return bool(indexes and row[indexes[0]])

    def batches(self, size: int = 2000) -> Iterator[list[tuple[Any, ...]]]:
        """All rows in order, in batches."""
        # the same connection, because only it has the views that were computed once
        cursor = self._prepared().execute(self.sql)
        while batch := cursor.fetchmany(size):
            yield batch

    def reader(self, size: int) -> pa.RecordBatchReader:
        """All rows in order, as Arrow batches."""
        return self._prepared().reader(self.sql, size)

    def _prepared(self) -> Database:
        if self.waits:
            report = sqlfile.reports().get(self.report_id)
            keep(self.database, [report.needs if report else self.sql])
        return self.database


@dataclass(frozen=True)
class Grid:
    """The equal time steps of a page: every curve, heat map and strip has one value per step.

    `starts` are local times (those of the first queue manager), `starts_utc` the same moments in GMT; `seconds` is the length of a step.
    `several_zones` = other queue managers have another local time, so that every time needs its offset.
    """

    starts: tuple[datetime, ...]
    starts_utc: tuple[datetime, ...]
    seconds: int
    several_zones: bool = False

    def zone(self, step: int) -> str:
        """The offset of a step as a label, such as " (UTC+2)", on a local day that has two offsets, or if there are several zones; otherwise empty."""
        shown = self.several_zones or self.starts[step].date() in self._days_with_a_change
        return f" ({short_offset(self.offset_minutes(step))})" if shown else ""

    @cached_property
    def _days_with_a_change(self) -> frozenset[date]:
        """The local days that have two offsets."""
        known = {(local.date(), local - utc) for local, utc in zip(self.starts, self.starts_utc, strict=True)}
        days = Counter(day for day, _ in known)
        return frozenset(day for day, offsets in days.items() if offsets > 1)

    def offset_minutes(self, step: int) -> int:
        """Local time minus GMT at the start of a step."""
        return round((self.starts[step] - self.starts_utc[step]).total_seconds() / 60)


@dataclass(frozen=True)
class Curve:
    """The figure of a rule through the period, on one subject: the worst value of each step of the grid, None if it has no value."""

    values: tuple[float | None, ...]
    limit: float | None
    breached: frozenset[int]
    subject: str


@dataclass(frozen=True)
class RuleLine:
    """One line per rule: its state over all queue managers (one of STATES), the figure that decides it, and what to do if it was not judged.

    `state` of a breach is its worst severity. `command` collects what is missing, `fact` has the keys of the site file that it needs.
    `breached_subjects` counts the subjects in breach, `states` has its state on each queue manager, `on_qmgrs` the same as data: counts, and what
    is missing there; `text` has the parts as a sentence.
    """

    rule_id: str
    area: str
    title: str
    state: str
    text: str
    measure: str = ""
    value: str = ""
    limit: str = ""
    where: str = ""
    when: str = ""
    share: str = ""
    breached_subjects: int = 0
    command: str = ""
    fact: str = ""
    states: tuple[RuleState, ...] = ()
    on_qmgrs: tuple[Mapping[str, Any], ...] = ()
    curve: Curve | None = None
    deciding: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Tile:
    """The state of one area on one queue manager, one of STATES, the finding or figure that decides it, and how many of its rules were judged."""

    area: str
    lpar: str | None
    qmgr: str | None
    state: str
    text: str
    rule_id: str = ""
    judged: int = 0
    rules: int = 0
    deciding: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class QmgrState:
    """The state of a queue manager, one of STATES: how many of its rules were judged, and how many are in which state (STATES of the rules).

    `headroom` is the line about its limits, empty if reports were requested by name.
    """

    lpar: str | None
    qmgr: str | None
    state: str
    judged: int
    rules: int
    counts: Mapping[str, int]
    text: str
    headroom: str = ""


@dataclass(frozen=True)
class DayRow:
    """One row of the overview of the period: for each step of the grid the worst state, None if nothing was judged; `rules` lists the deciding rules."""

    area: str
    lpar: str | None
    qmgr: str | None
    states: tuple[str | None, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True)
class WorstInterval:
    """One of the worst intervals of a finding: its position in the input, and its figure."""

    at_utc: datetime | None
    observed: float | None
    limit: float | None
    source_name: str
    offset: int | None


@dataclass(frozen=True)
class Series:
    """One line or one row of cells of a picture: values by step of the picture's own grid, and the steps that are in breach.

    `judged_by` = the rules that judge it, separated by blanks; None = all rules of the picture.
    """

    name: str
    values: tuple[float | None, ...]
    breached: frozenset[int] = frozenset()
    judged_by: str | None = None


@dataclass(frozen=True)
class Limit:
    """A limit in a picture: its value, label, and rule; `every` = only a step in which every series is beyond it is beyond it."""

    value: float
    text: str
    rule_id: str
    every: bool = False


@dataclass(frozen=True)
class Picture:
    """A time series of one queue manager: a line for each series (`kind` line) or a row of cells for each (`kind` strip).

    `worst` states whether low or high values are bad; a step of the grid has the worst of its `intervals_per_step` intervals.
    `report` has the rows.
    """

    picture_id: str
    area: str
    title: str
    question: str
    kind: str
    unit: str
    lpar: str | None
    qmgr: str | None
    grid: Grid
    series: tuple[Series, ...]
    limits: tuple[Limit, ...]
    worst: str
    report: str
    intervals_per_step: int = 1
    left_out: int = 0
    note: str = ""
    decisions: tuple[Decision, ...] = ()

    def beyond(self, limit: Limit) -> frozenset[int]:
        """The steps in which a series that has this limit is beyond it, whatever its rule decided."""
        sign = -1 if self.worst == "lowest" else 1
        beyond = [
            {step for step, value in enumerate(series.values) if value is not None and sign * (value - limit.value) > 0}
            for series in self.series
            if series.judged_by is None or limit.rule_id in series.judged_by
        ]
        if limit.every:
            return frozenset(set.intersection(*beyond) if beyond and not self.left_out else ())
        return frozenset(set().union(*beyond))


@dataclass(frozen=True)
class Decision:
    """What a rule decided about the figures of a picture; `needs` = how many intervals it needs; empty = any one."""

    rule_id: str
    breached: bool
    needs: str


@dataclass(frozen=True)
class Baseline:
    """The day compared with the days before it, or two periods: sentences (`lines`), and tables of key figures and of changes.

    `enough` is False if there is too little history or nothing to compare; `lines` then contains the reason. `unusual` of `compared` key figures
    were out of their usual range; None without a usual range.
    """

    lines: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    enough: bool
    title: str = "Compared with before"
    unusual: int | None = None
    compared: int | None = None


@dataclass(frozen=True)
class KeyFigure:
    """A key figure of one queue manager: worst value, when, median, and the worst value of each step of the page's grid.

    `usual` compares the hour of the worst value with its usual value; empty without enough history.
    """

    worst: str
    when: str
    median: str
    values: tuple[float | None, ...]
    usual: str = ""


@dataclass(frozen=True)
class KeyFigures:
    """Key figures by queue manager: their labels, and for each (LPAR, queue manager) its figures, None where it has no value."""

    labels: tuple[str, ...]
    rows: tuple[tuple[tuple[str | None, str | None], tuple[KeyFigure | None, ...]], ...]


@dataclass(frozen=True)
class Page:
    """Additional content of a page: curves, the overview of the period, pictures, worst intervals, all reports.

    `worst` is keyed by rule, LPAR, queue manager and subject of a finding; `empty` names the reports without rows. `queue_map`: None without queue
    accounting.
    """

    grid: Grid
    day: tuple[DayRow, ...]
    pictures: tuple[Picture, ...]
    worst: Mapping[tuple[str, str | None, str | None, str | None], tuple[WorstInterval, ...]]
    tables: tuple[Table, ...]
    empty: tuple[Table, ...]
    queue_map: QueueMap | None = None
    key_figures: KeyFigures | None = None


@dataclass(frozen=True)
class Figure:
    """One figure of one subject for a monitoring system: in the newest interval of its queue manager, and the worst of the period."""

    name: str
    unit: str
    doc: str
    is_low: bool
    labels: Mapping[str, str]
    newest: float | None
    worst: float | None


@dataclass(frozen=True)
class Monitored:
    """Additional content for a monitoring system: key figures, first and last moment of each queue manager, and its collected record classes."""

    figures: tuple[Figure, ...]
    extents: tuple[Mapping[str, Any], ...]
    collected: tuple[Mapping[str, Any], ...]


def finding_counts(findings: Iterable[Finding]) -> dict[str, int]:
    """The number of findings by severity. A finding is a rule in breach on one queue manager or on the estate, whatever the number of its subjects."""
    severities = Counter(finding.severity for finding in findings)
    return {name: severities[name] for name in COUNTED}


@dataclass(frozen=True)
class Report:
    """A whole report, or a part of it.

    `only_tables`: the user requested reports by name, without the sentences around them. `only_findings`: the findings of `mqstat check`, which have no
    tables; then `unjudged` has a line for each group of rules that were not judged, and `summary` the counts.
    `outcomes` are the rows of view finding that texts are written from, `all_findings` all of them; `sources` are the rows of view source.
    `state` is the worst of `qmgrs`, `first_local` the start of the period in local time.

    `page`, `monitored` and `every_table` have the content that only some formats show; None or empty unless requested.
    """

    title: str
    return_code: int
    all_findings: Table
    """All outcomes, without rows for a screen."""
    times: LocalTimes
    head: tuple[tuple[str, str], ...] = ()
    brief_head: tuple[tuple[str, str], ...] = ()
    """The head with one line about the queue managers and one about the inputs."""
    completeness: str = ""
    """Whether a number is missing among the records."""
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
    """Labels and addresses of the days before and after, through the index: relative, so that no page becomes out of date."""
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

    @property
    def worst(self) -> Finding | None:
        """The most urgent finding that is worse than a note, whatever explains it; None if there is none."""
        judged = (finding for finding in self.findings if finding.severity in ("critical", "warning"))
        return min(judged, key=lambda finding: finding.urgency, default=None)

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
