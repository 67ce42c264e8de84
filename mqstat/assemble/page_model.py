"""The report model: what only a page shows: its time steps, curves, tiles, pictures and key figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from mqstat.assemble.queue_map import QueueMap
from mqstat.assemble.table_model import Table
from mqstat.base.formatting import short_offset
from mqstat.base.json_object import Count, Object, one_of, row_of
from mqstat.judge.states import STATES, STATUSES, RuleState


@dataclass(frozen=True)
class Grid:
    """The equal time steps of a page: every curve, heat map and strip has one value per step.

    `starts` are local times (those of most queue managers), `starts_utc` the same moments in GMT; `seconds` is the
    length of a step. `several_zones` = other queue managers have another local time, so that every time needs its
    offset.
    """

    starts: tuple[datetime, ...]
    starts_utc: tuple[datetime, ...]
    seconds: int
    several_zones: bool = False

    def zone(self, step: int) -> str:
        """The offset of a step as a label, such as " (UTC+2)", on a local day that has two offsets, or if there are
        several zones; otherwise empty.
        """
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
    """The figure of a rule through the period, on one subject: the worst value of each step of the grid, None if it has
    no value.
    """

    values: tuple[float | None, ...]
    limit: float | None
    breached: frozenset[int]
    subject: str


State: TypeAlias = Annotated[str, one_of(STATUSES)]
RuleOrNone: TypeAlias = Annotated[str, Meta(pattern="^([A-Z]{2}[0-9]{3})?$")]
Row: TypeAlias = Mapping[str, Any]
Deciding: TypeAlias = Annotated[
    Annotated[Row, row_of("deciding")] | None,
    Meta(description="The finding that decides, with its condition as data; null where no figure decides."),
]


class Rule(Object, frozen=True):
    """The line of a rule over all queue managers: its state, the figure that decides it, and what to do if it was not
    judged.

    `state` of a breach is its worst severity. `command` collects what is missing, `fact` has the keys of the site file
    that it needs. `places` counts the subjects in breach, `queue_managers` has its state on each with counts and what
    is missing there; `text` has the parts as a sentence.
    """

    rule_id: RuleOrNone
    area: str
    title: str
    state: State
    text: str
    measure: str = ""
    value: str = ""
    limit: str = ""
    where: str = ""
    when: str = ""
    share: str = ""
    breached_subjects: Count = msgspec.field(default=0, name="places")
    command: str = ""
    fact: str = ""
    deciding: Deciding = None
    on_qmgrs: Sequence[Annotated[Row, row_of("rule_on_queue_manager")]] = msgspec.field(
        default=(), name="queue_managers"
    )


class RuleLine(Rule, frozen=True):
    """The same with the states as objects (`states`), and the curve of a page."""

    states: tuple[RuleState, ...] = ()
    curve: Curve | None = None


class Verdict(Object, frozen=True):
    """The line of an area, including those without findings: the deciding figure or the missing data, as a sentence
    (`text`) and in parts.

    `area` is the heading, `rule_area` the id; `judged` of `rules` were judged on at least one queue manager, `rule_id`
    decides.
    """

    area: str
    state: State
    text: str
    rule_area: str = ""
    rule_id: RuleOrNone = ""
    judged: Count = 0
    rules: Count = 0
    measure: str = ""
    value: str = ""
    limit: str = ""
    where: str = ""
    when: str = ""
    share: str = ""
    remark: str = ""
    deciding: Deciding = None


class Tile(Object, frozen=True):
    """The state of an area on a queue manager, the finding or figure that decides it, and how many of its rules were
    judged.
    """

    area: str
    lpar: str | None
    qmgr: str | None
    state: State
    text: str
    rule_id: RuleOrNone = ""
    judged: Count = 0
    rules: Count = 0
    deciding: Deciding = None


class QmgrState(Object, frozen=True):
    """The state of a queue manager: how many of its rules were judged, and how many are in which state.

    `headroom` is the line about its limits, empty if reports were requested by name.
    """

    lpar: str | None
    qmgr: str | None
    state: State
    judged: Count
    rules: Count
    counts: Annotated[
        Mapping[str, Annotated[int, Meta(ge=1)]], Meta(extra_json_schema={"propertyNames": {"enum": list(STATES)}})
    ]
    text: str
    headroom: str = ""


@dataclass(frozen=True)
class DayRow:
    """One row of the overview of the period: for each step of the grid the worst state, None if nothing was judged."""

    area: str
    lpar: str | None
    qmgr: str | None
    states: tuple[str | None, ...]


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
    """One line or one row of cells of a picture: values by step of the picture's own grid, and the steps that are in
    breach.

    `judged_by` = the rules that judge it, separated by blanks; None = all rules of the picture.
    """

    name: str
    values: tuple[float | None, ...]
    breached: frozenset[int] = frozenset()
    judged_by: str | None = None


@dataclass(frozen=True)
class Limit:
    """A limit in a picture: its value, label, and rule; `every` = only a step in which every series is beyond it is
    beyond it.
    """

    value: float
    text: str
    rule_id: str
    every: bool = False


@dataclass(frozen=True)
class Picture:
    """A time series of one queue manager: a line for each series (`kind` line) or a row of cells for each (`kind`
    strip).

    `worst` states whether low or high values are bad; a step of the grid has the worst of its `intervals_per_step`
    intervals. `report` has the rows.
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
    """The day compared with the days before it, or two periods: sentences (`lines`), and tables of key figures and of
    changes.

    `enough` is False if there is too little history or nothing to compare; `lines` then contains the reason. `unusual`
    of `compared` key figures were out of their usual range; None without a usual range.
    """

    lines: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    enough: bool
    title: str = "Compared with before"
    unusual: int | None = None
    compared: int | None = None


@dataclass(frozen=True)
class KeyFigure:
    """A key figure of one queue manager: worst value, when, median, and the worst value of each step of the page's
    grid.

    `usual` compares the hour of the worst value with its usual value; empty without enough history.
    """

    worst: str
    when: str
    median: str
    values: tuple[float | None, ...]
    usual: str = ""


@dataclass(frozen=True)
class KeyFigures:
    """Key figures by queue manager: their labels, and for each (LPAR, queue manager) its figures, None where it has no
    value.
    """

    labels: tuple[str, ...]
    rows: tuple[tuple[tuple[str | None, str | None], tuple[KeyFigure | None, ...]], ...]


@dataclass(frozen=True)
class CardChart:
    """The chart of a finding. `chart` is its format: `series` = the figure of the rule on the worst subject (`subject`)
    by step of the page's grid, `subjects` = a bar for each of `labels`, `rows` = no figures to draw: `labels` with
    `texts`.

    `values` and `limits` are in `unit`, `breached` the steps or bars in breach; `low` and `high` are the usual range of
    each step, None without history.
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
class Page:
    """Additional content of a page: curves, the overview of the period, pictures, worst intervals, all reports.

    `charts` are keyed by the key of a finding, `worst` by rule, LPAR, queue manager and subject of a finding; `empty`
    names the reports without rows. `queue_map`: None without queue accounting.
    """

    grid: Grid
    day: tuple[DayRow, ...]
    charts: Mapping[str, CardChart]
    pictures: tuple[Picture, ...]
    worst: Mapping[tuple[str, str | None, str | None, str | None], tuple[WorstInterval, ...]]
    tables: tuple[Table, ...]
    empty: tuple[Table, ...]
    queue_map: QueueMap | None = None
    key_figures: KeyFigures | None = None
