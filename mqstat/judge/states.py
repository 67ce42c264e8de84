"""The states of rules, and the only way in which they are combined into the state of a rule, area, queue manager or
report.

The engine gives each finding one of STATES. `rule_states` derives the state of each rule on each queue manager;
everything above that (a line of a report, a tile, the head of a page) is `worst` over these, so two parts of a report
cannot disagree. States are words that every format prints unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any, TypeAlias

from mqstat.base.areas import AREAS, WATCHED
from mqstat.base.grouping import grouped_by
from mqstat.judge.model import SEVERITIES, WEIGHTS, rules

Row: TypeAlias = Mapping[str, Any]
"""A row of view finding."""

Place: TypeAlias = tuple[str | None, str | None]
"""An LPAR and a queue manager; both None for rules about inputs."""

BREACH = "breach"
CLEAR = "clear"
PART = "clear in part"
REPORTED = "reported by"
ACTIVE = "not judged"
IDLE = "idle"
NOT_COLLECTED = "not collected"
NOT_IN_RELEASE = "not in this release"
NEEDS_FACT = "needs a site fact"
OFF = "off"
BROKEN = "broken"

STATES = (BREACH, PART, REPORTED, CLEAR, ACTIVE, IDLE, NOT_COLLECTED, NOT_IN_RELEASE, NEEDS_FACT, OFF, BROKEN)
"""The state of a rule on a subject or queue manager. Breach, clear in part, reported by and clear are judged; clear in
part = record classes that the rule needs are missing in a part of the period (`mqstat.judge.share`); reported by = in
breach, but a stronger rule that is in breach on the subject reports it; not judged = the area has activity, but a
condition of the rule for its rows does not hold; idle = all counters of the area are 0 (`mqstat.judge.activity`); not
collected = its records are not in the data; not in this release = the MQ level does not write what the rule needs, or
its sections are too short for it."""

OUTCOMES: Mapping[str, str] = MappingProxyType(
    {
        BREACH: "breach", PART: "partial", REPORTED: "reported", CLEAR: "clear", ACTIVE: "no-data", IDLE: "clear", NOT_COLLECTED: "no-data", NOT_IN_RELEASE: "no-data", NEEDS_FACT: "no-data", OFF: "off",
        BROKEN: "broken",
    }
)  # fmt: skip
"""Column `outcome` of view finding for each state: breach, partial, reported, clear, no-data, broken, off."""

AT_HOLE = "HH:MM"
"""In the text of what is clear in part: the local time at which a subject was in breach next to the missing part."""

JUDGED = (BREACH, PART, REPORTED, CLEAR)
"""States in which something was judged."""

CALM = (PART, REPORTED, CLEAR)
"""States that are judged and no finding."""

CRITICAL, WARNING, INFO = SEVERITIES
PARTLY = "partly judged"

STATUSES = (
    BROKEN,
    CRITICAL,
    WARNING,
    PARTLY,
    INFO,
    PART,
    REPORTED,
    CLEAR,
    ACTIVE,
    IDLE,
    NOT_COLLECTED,
    NOT_IN_RELEASE,
    NEEDS_FACT,
    OFF,
)
"""The states of lines, tiles and queue managers, the most urgent first. A breach shows its severity; `partly judged` is
a queue manager without a warning for which hardly any rule could be judged."""

BAD = (BROKEN, CRITICAL, WARNING)
"""States that need action."""

UNJUDGED = (ACTIVE, IDLE, NOT_COLLECTED, NOT_IN_RELEASE, NEEDS_FACT, OFF)
"""States in which nothing was judged, for any reason."""

ABSENT = (NOT_COLLECTED, NOT_IN_RELEASE)
"""States in which data that the rule needs is missing."""

ABOUT_DATA = ("data_quality", "coverage")
"""Areas that judge the data and its collection, not the health of a queue manager."""


def worst(states: Iterable[str | None]) -> str | None:
    """The most urgent of STATUSES: it represents several states. None if there are no states."""
    return min((state for state in states if state), key=STATUSES.index, default=None)


@dataclass(frozen=True)
class RuleState:
    """One rule on one queue manager: `state` is one of STATES, `severity` that of its worst breach, `rows` its findings
    there, the worst first.
    """

    rule_id: str
    area: str
    lpar: str | None
    qmgr: str | None
    state: str
    severity: str | None
    rows: tuple[Row, ...]

    @property
    def owner(self) -> Place:
        """LPAR and queue manager."""
        return self.lpar, self.qmgr

    @property
    def status(self) -> str:
        """The state as one of STATUSES."""
        return self.severity if self.state == BREACH and self.severity else self.state

    @property
    def breaches(self) -> tuple[Row, ...]:
        """The findings in breach."""
        return tuple(row for row in self.rows if row["state"] == BREACH)

    @property
    def deciding(self) -> tuple[Row, ...]:
        """The findings that have the state of the rule."""
        return tuple(row for row in self.rows if row["state"] == self.state)


def number_of(rows: Iterable[Row]) -> int:
    """The number of findings, with those that they represent (`mqstat.judge.clear`)."""
    return sum(row.get("represents") or 1 for row in rows)


def status_of(row: Row) -> str:
    """The state of a finding as one of STATUSES."""
    return str(row["severity"] if row["state"] == BREACH else row["state"])


def rule_states(rows: Iterable[Row], owners: Sequence[Place]) -> tuple[RuleState, ...]:
    """The state of every rule on every queue manager that it judges, by area and id; `rows` are those of view finding,
    the worst first.

    A rule about queue managers that is switched off or broken as a whole has this state on each of `owners`. Rules
    about inputs have one state, without a queue manager.
    """
    sorted_in: dict[tuple[str, Place], list[Row]] = {}
    known = rules()
    for row in rows:
        grain = known[row["rule_id"]].grain
        everywhere = row["lpar"] is None and row["qmgr"] is None and {"lpar", "qmgr"} <= set(grain)
        for owner in owners if everywhere and owners else [(row["lpar"], row["qmgr"])]:
            sorted_in.setdefault((row["rule_id"], owner), []).append(row)
    numbers = {owner: number for number, owner in enumerate(owners)}
    made = []
    for (rule_id, owner), mine in sorted_in.items():
        status = worst(map(status_of, mine))
        deciding = next(row for row in mine if status_of(row) == status)
        severity = deciding["severity"] if deciding["state"] == BREACH else None
        made.append(RuleState(rule_id, known[rule_id].area, *owner, deciding["state"], severity, tuple(mine)))
    return tuple(
        sorted(
            made,
            key=lambda part: (
                AREAS.index(part.area), part.rule_id, numbers.get(part.owner, len(numbers)), part.lpar or "", part.qmgr or "",
            ),
        )
    )  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """The findings, and the states of the rules that follow from them. View finding has all findings, table
    `breach_RULE` the rows in breach of a rule.
    """

    rows: tuple[Row, ...]
    """Rows of view finding, the worst first, without those that others represent (`mqstat.judge.clear`)."""
    parts: tuple[RuleState, ...]
    """The state of each rule on each queue manager, or about the inputs."""
    levels: Mapping[Place, int]
    """The queue managers of the data, each with its MQ level."""

    @property
    def owners(self) -> tuple[Place, ...]:
        """The queue managers of the data."""
        return tuple(self.levels)


@dataclass(frozen=True)
class OfManager:
    """How much of a queue manager was judged: its state (one of STATUSES), the number of judged rules, and all rules by
    state.
    """

    state: str
    judged: int
    rules: int
    counts: Mapping[str, int]


def judged(parts: Sequence[RuleState]) -> OfManager:
    """The state of a queue manager from those of all its rules.

    It is partly judged if no rule about MQ itself (not about the data) was judged, or if more of these rules lack their
    records than have them.
    """
    counts = {state: sum(part.state == state for part in parts) for state in STATES}
    health = [part.state for part in parts if part.area not in ABOUT_DATA]
    seen = sum(state in (*JUDGED, ACTIVE, IDLE) for state in health)
    hardly = not any(state in JUDGED for state in health) or health.count(NOT_COLLECTED) > seen
    state = worst([*(part.status for part in parts), *([PARTLY] if hardly else [])]) or PARTLY
    return OfManager(
        state, sum(counts[name] for name in JUDGED), len(parts), {name: many for name, many in counts.items() if many}
    )


# --- the deciding finding


@dataclass(frozen=True)
class Status:
    """The state of some rules on some queue managers, one of STATUSES, and the finding that decides it."""

    state: str
    row: Row
    parts: tuple[RuleState, ...]

    @property
    def breaches(self) -> tuple[Row, ...]:
        """The findings in breach, the worst first."""
        return tuple(sorted((row for part in self.parts for row in part.breaches), key=worst_first))

    @property
    def absent(self) -> tuple[RuleState, ...]:
        """The rules whose data is missing, each with its queue manager."""
        return tuple(part for part in self.parts if part.state in ABSENT)

    @property
    def by_place(self) -> Mapping[Place, str]:
        """The state on each queue manager."""
        by_place = grouped_by(self.parts, attrgetter("lpar", "qmgr"))
        return {owner: combined(parts) or IDLE for owner, parts in by_place.items()}


def combined(parts: Iterable[RuleState]) -> str | None:
    """The worst state of some rules. An area with several rules without a finding has the worst state of those that are
    watched: without one of them that was judged it is not clear, and what the others could not judge does not count.
    """
    parts = list(parts)
    state = worst(part.status for part in parts)
    if state not in CALM or len({part.rule_id for part in parts}) == 1:
        return state
    calm = [part for part in parts if part.status in CALM]
    decides = worst(part.status for part in calm if part.rule_id in WATCHED[part.area])
    return decides or worst(part.status for part in parts if part.status not in CALM) or state


def status(parts: Sequence[RuleState]) -> Status | None:
    """The combined state of rules, and the finding that decides it: the worst breach, the first watched rule with a
    figure inside its limit, or the first that was not judged. None if there are no rules.
    """
    state = combined(parts)
    if state is None:
        return None
    rows = [row for part in parts if part.status == state for row in part.rows if status_of(row) == state]
    if state in CALM:
        # The line of one rule shows its figure nearest to the limit, also one beyond it that is clear, with the reason.
        one_rule = len({part.rule_id for part in parts}) == 1
        nearest = max(rows, key=closeness) if one_rule else inside(max(rows, key=_decides))
        return Status(state, nearest, tuple(parts))
    first = min(rows, key=worst_first) if state in SEVERITIES else min(rows, key=watched)
    return Status(state, first, tuple(parts))


def watched(row: Row) -> int:
    """The place of a rule among those that are watched in its area."""
    order = WATCHED[rules()[row["rule_id"]].area]
    return order.index(row["rule_id"]) if row["rule_id"] in order else len(order)


def _decides(row: Row) -> tuple[bool, int, bool, float]:
    """Sort key for clear findings: a figure inside its limit before one that is clear for another reason, then the
    order of the area, then closeness.
    """
    return (row["clear_because"] is None, -watched(row), *closeness(row))


def inside(row: Row) -> Row:
    """A clear finding with a figure that is inside its limit: of a figure beyond its limit the first condition of the
    rule that does not hold.
    """
    if row["clear_because"] != "condition":
        return row
    failing = [part for part in json.loads(row["clauses"]) if not part["holds"] and part["observed"] is not None]
    if not failing:
        return row
    part = failing[0]
    own = {"clause": part["clause"], "limit_value": part["limit"], "limit_unit": part["unit"]}
    return {**row, **own, **{name: part[name] for name in ("measure", "operator", "observed")}, "clear_because": None}


def urgency(row: Row) -> tuple[int, int, float]:
    """Sort key for findings in breach: severity, then what they mean for the work, then how far they are beyond their
    limit.
    """
    return SEVERITIES.index(row["severity"]), list(WEIGHTS).index(row["weight"]), -(row["distance"] or 0.0)


def worst_first(row: Row) -> tuple[Any, ...]:
    """Sort key for findings in breach, as in report overview/findings: of equally urgent findings those that are in
    breach longest come first.
    """
    share = row["breached_pct"]
    names = (row["lpar"] or "", row["qmgr"] or "", row["rule_id"], row["subject"] or "")
    return (*urgency(row), 1.0 if share is None else -share, *names)


def closeness(row: Row) -> tuple[bool, float]:
    """How close a clear figure is to its limit. The closest one decides what a green line prints, a serious rule before
    a note.

    A figure beyond its limit that is still clear counts as the closest.
    """
    rule = rules()[row["rule_id"]]
    clause, observed, limit = rule.clause(row["clause"]), row["observed"], row["limit_value"]
    if row["clear_because"]:
        return rule.severity != "info", 1.0 if clause.prints_limit else 0.0
    if observed is None or limit is None or clause.operator == "=":
        return False, -1.0
    if clause.operator in ("<", "<="):
        near = limit / observed if observed > 0 else 0.0
    else:
        near = observed / limit if limit > 0 else 0.0
    return rule.severity != "info", near


def areas_asked_for(parts: Sequence[RuleState]) -> frozenset[str]:
    """The areas with rules, except those whose rules are all off by default and lack site facts (IMS): the foot lists
    these facts.
    """
    return frozenset(part.area for part in parts if part.state != NEEDS_FACT or rules()[part.rule_id].default_on)


def area_rows(parts: Sequence[RuleState]) -> list[dict[str, Any]]:
    """The rows of view area_state: the state of each area on each queue manager, and the finding that decides it."""
    made, asked = [], areas_asked_for(parts)
    for (area, lpar, qmgr), here in grouped_by(parts, attrgetter("area", "lpar", "qmgr")).items():
        decided = status(here) if area in asked else None
        if decided is None:
            continue
        row, states_below = decided.row, [part.state for part in decided.parts]
        severities = [breach["severity"] for breach in decided.breaches]
        made.append(
            {
                "lpar": lpar, "qmgr": qmgr, "rule_area": area, "area_status": decided.state, "area_rules": len(states_below),
                "area_rules_judged": sum(state in JUDGED for state in states_below),
                "breaches": sum(severity != INFO for severity in severities), "notes": severities.count(INFO),
                "no_data_rules": sum(OUTCOMES[state] == "no-data" for state in states_below), "measure": rules()[row["rule_id"]].measure,
                **{name: row[name] for name in _DECIDING},
            }
        )  # fmt: skip
    return made


_DECIDING = (
    "rule_id",
    "subject",
    "observed",
    "limit_value",
    "limit_unit",
    "worst_interval_utc",
    "missing_classes",
    "collect_command",
)
"""Columns of the deciding finding that view area_state has."""
