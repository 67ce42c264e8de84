"""Idle or active: what happened in an area on a queue manager (view area_activity), and which condition kept a rule from judging it.

`idle` is stated only where all counters of the area were collected as 0. Anything else that a rule could not judge is `not judged`, with the
conditions that did not hold and their figures.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are bound

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import duckdb

from mqstat.base.formatting import steady
from mqstat.judge.judging import MIN_SECONDS
from mqstat.judge.model import Rule
from mqstat.judge.scope import with_numbers
from mqstat.judge.states import Place
from mqstat.sql import sqlfile
from mqstat.sql.syntax import comparisons
from mqstat.sql.workspace import Workspace

QUERY = "SELECT lpar, qmgr, area, activity_counter, activity_value FROM area_activity WHERE is_collected ORDER BY ALL"
"""The counters that were collected."""

_SUFFIXES = {"per_s": "_per_s", "us": "_us", "percent": "_pct", "h": "_hours", "min": "_minutes"}
"""How the names of columns end in some units; a figure is printed with its unit."""

_NAMES = {
    "gets_no_message": "gets without a message", "get_errors": "failed gets", "io_count": "log writes to the copy",
    "undone": "backed-out units of work", "request_count": "requests", "zhl_requests": "zHyperLink writes",
}  # fmt: skip
"""Columns whose names are no names of what they count."""

_AT_MOST = ("<", "<=", "=")
"""Operators whose lowest figure is the one nearest to a judgement."""

COMPARED = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip
"""The comparisons of conditions."""


@dataclass
class Activity:
    """The counters of each area on each queue manager, and the figures nearest to the conditions of rules that judged nothing there."""

    counters: dict[tuple[Place, str], dict[str, float]] = field(default_factory=dict)
    nearest: dict[tuple[str, Place], Mapping[str, Any]] = field(default_factory=dict)

    def look(self, db: Workspace) -> None:
        """Read the counters; none if a view below them cannot be computed: the rules that read it name it."""
        try:
            rows = db.rows(QUERY)
        except duckdb.OutOfMemoryException:
            raise  # without the counters, idle areas would be reported as active
        except duckdb.Error:
            return
        for row in rows:
            here = self.counters.setdefault(((row["lpar"], row["qmgr"]), row["area"]), {})
            here[row["activity_counter"]] = row["activity_value"]

    def is_idle(self, owner: Place, area: str) -> bool:
        """Whether counters of the area were collected, and all of them are 0."""
        here = self.counters.get((owner, area), {})
        return bool(here) and not any(here.values())

    def highest(self, owner: Place, area: str, number: int = 2) -> list[tuple[str, float]]:
        """The highest counters of the area that are not 0, those of statistics first: accounting covers a part of the work."""
        here = self.counters.get((owner, area), {})
        known = [(name, value) for name, value in here.items() if value]
        return sorted(known, key=lambda item: (item[0].endswith("accounting"), -item[1]))[:number]


@dataclass(frozen=True)
class Guard:
    """A condition without which a row is not judged: `figure` (SQL over the row) compared with a limit; the limit is None if it is a column too."""

    figure: str
    operator: str
    limit: str | float | None
    measure: str
    unit: str
    is_general: bool = False
    """Whether it is a guard that many rules name (G1, G2), not the minimum activity of one."""


def guards_of(rule: Rule) -> tuple[Guard, ...]:
    """The conditions of a rule for its rows: minimum activity, length of the interval, no start within it."""
    return _guards(rule.id, rule.min_activity, rule.guards, tuple(sorted(rule.columns)), rule.read_views, _units(rule))


def _units(rule: Rule) -> tuple[tuple[str, str], ...]:
    return tuple((threshold.name, threshold.unit) for threshold in rule.thresholds.values())


@cache
def _guards(
    _: str, condition: str | None, named: Sequence[str], columns: Sequence[str], views: Sequence[str], units: Sequence[tuple[str, str]]
) -> tuple[Guard, ...]:  # fmt: skip
    made = []
    known = dict(units)
    for figure, names, compares, right in comparisons(condition) if condition else ():
        unit = known.get(right.removeprefix("$")) or next(
            (sqlfile.views()[view].columns[names[0]].unit for view in views if names[0] in sqlfile.views()[view].columns), "count"
        )  # fmt: skip
        limit: str | float | None = right[1:] if right.startswith("$") else None
        if limit is None and not right[:1].isalpha():
            limit = float(right)
        made.append(Guard(figure, compares, limit, " or ".join(_noun(name, unit) for name in names), unit))
    if "G1" in named and "interval_seconds" in columns:
        judged = f"CASE WHEN fragment IS FALSE THEN {MIN_SECONDS} ELSE interval_seconds END"
        figure = judged if "fragment" in columns else "interval_seconds"
        made.append(Guard(figure, ">=", float(MIN_SECONDS), "longest interval", "s", True))
    starts = [name for name in ("startup_interval", "suspect_first") if name in columns]
    if "G2" in named and starts:
        figure = f"CASE WHEN coalesce({' OR '.join(starts)}, false) THEN 0 ELSE 1 END"
        made.append(Guard(figure, ">=", 1.0, "intervals without a start", "count", True))
    return tuple(made)


def _noun(column: str, unit: str) -> str:
    """The name of a column as text, without its unit."""
    if column in _NAMES:
        return _NAMES[column]
    return column.removesuffix(_SUFFIXES.get(unit, "")).removeprefix("mm_").removeprefix("dm_").replace("_", " ")


def why_unjudged(
    db: Workspace, activity: Activity, rule: Rule, owner: Place, thresholds: Mapping[str, float], *, figures: bool, everywhere: bool
) -> str:  # fmt: skip
    """Column `not_judged` of view finding for the subjects of a queue manager that have rows, none of which could be judged.

    Each condition has the figure of the row that comes nearest to it, of all subjects. Without `figures`, because other subjects were judged,
    the figures are null: to find them reads the rows of the rule again, once for all queue managers if the thresholds hold `everywhere`.
    """
    guards = guards_of(rule)
    if not guards:
        return _json(activity, rule, owner, [_no_value(rule)])
    best: Sequence[float | None] = [None] * len(guards)
    meets_all = 0
    if figures and {"lpar", "qmgr"} <= rule.columns:
        if (rule.id, owner) not in activity.nearest:
            if everywhere:
                look_everywhere(db, activity, rule, thresholds)
            else:
                look_nearest(db, activity, [(rule, owner, thresholds)])
        row = activity.nearest.get((rule.id, owner))
        if row is not None:  # a queue manager without rows has no figures
            best, meets_all = row["nearest"], row["meets_all"]
    conditions = []
    for guard, figure in zip(guards, best, strict=True):
        limit = thresholds.get(guard.limit) if isinstance(guard.limit, str) else guard.limit
        if figure is None or limit is None or not COMPARED[guard.operator](figure, limit):
            conditions.append(_condition(guard.measure, guard.operator, figure, limit, guard.unit))
    if not conditions:
        rows = _condition("rows that meet all conditions together", ">=", 0, 1, "count")
        conditions = [_no_value(rule) if meets_all else rows]
    return _json(activity, rule, owner, conditions)


def look_nearest(db: Workspace, activity: Activity, wanted: Sequence[tuple[Rule, Place, Mapping[str, float]]]) -> None:
    """Find the figures nearest to the conditions of rules, each on a queue manager with its thresholds, in one statement."""
    if not wanted:
        return
    queries: list[str] = []
    names: dict[str, str | None] = {}
    for number, (rule, owner, thresholds) in enumerate(wanted):
        owned = f"lpar IS NOT DISTINCT FROM $lpar_{number} AND qmgr IS NOT DISTINCT FROM $qmgr_{number}"
        queries.append(with_numbers(f"{_nearest_query(rule, str(number))} WHERE {owned}", thresholds))
        names |= {f"lpar_{number}": owner[0], f"qmgr_{number}": owner[1]}
    for row in db.rows(" UNION ALL ".join(queries), names):
        rule, owner, _ = wanted[row["number"]]
        activity.nearest[rule.id, owner] = row


def look_everywhere(db: Workspace, activity: Activity, rule: Rule, thresholds: Mapping[str, float]) -> None:
    """The same for one rule on every queue manager, which all have the same thresholds."""
    query = with_numbers(f"{_nearest_query(rule, '0', 'lpar, qmgr, ')} GROUP BY ALL", thresholds)
    for row in db.rows(query):
        activity.nearest[rule.id, (row["lpar"], row["qmgr"])] = row


def _nearest_query(rule: Rule, number: str, owner: str = "") -> str:
    guards = guards_of(rule)
    nearest = ", ".join(
        f"{'min' if guard.operator in _AT_MOST else 'max'}(({guard.figure})::DOUBLE)" for guard in guards
    )
    every = " AND ".join(
        [
            *([f"({rule.min_activity})"] if rule.min_activity else []),
            *(f"{guard.figure} >= {guard.limit}" for guard in guards if guard.is_general),
        ]
    )
    return f"SELECT {owner}{number} AS number, [{nearest}] AS nearest, count(*) FILTER ({every}) AS meets_all FROM ({rule.select})"


def without_interval(activity: Activity, rule: Rule, owner: Place) -> str:
    """The same for a queue manager whose records have no valid interval."""
    return _json(activity, rule, owner, [_condition("statistics intervals", ">=", 0, 1, "count")])


def without_rows(activity: Activity, rule: Rule, owner: Place, missing: Mapping[str, Any]) -> str:
    """The same for a queue manager without a row that the rule could judge; `missing` as `no_data.Coverage.unjudged` returns it."""
    return _json(activity, rule, owner, [_no_value(rule)] if missing.get("missing_columns") else [])


def _no_value(rule: Rule) -> dict[str, Any]:
    return _condition(rule.measure, None, None, None, rule.unit)


def _condition(
    measure: str, operator: str | None, figure: float | None, limit: float | None, unit: str
) -> dict[str, Any]:
    rounded = (None if number is None else steady(number) for number in (figure, limit))
    return dict(
        zip(("measure", "operator", "observed", "limit", "unit"), (measure, operator, *rounded, unit), strict=True)
    )


def _json(activity: Activity, rule: Rule, owner: Place, conditions: list[dict[str, Any]]) -> str:
    return json.dumps({"activity": dict(activity.highest(owner, rule.area)), "conditions": conditions})
