"""Idle or active: what happened in an area on a queue manager (view area_activity), and which condition kept a rule
from judging it.

`idle` is stated only where all counters of the area were collected as 0. Anything else that a rule could not judge is
`not judged`, with the conditions that did not hold and their figures.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are bound

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb

from mqstat.base.formatting import steady
from mqstat.judge.clauses import COMPARED
from mqstat.judge.judging import MIN_SECONDS
from mqstat.judge.model import Rule
from mqstat.judge.scope import with_numbers
from mqstat.judge.states import Place
from mqstat.sql import sqlfile
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

_COMPARISON = re.compile(r"(\w+(?:\([^()]*\))?) (<=|>=|<|>|=) (\$?[\w.]+)")
"""A comparison in the minimum activity of a rule: a figure, which may be a function of columns, and a limit, a column
or a number."""


@dataclass
class Activity:
    """The counters of each area on each queue manager, and the figures nearest to the conditions of rules that judged
    nothing there.
    """

    counters: dict[tuple[Place, str], dict[str, float]] = field(default_factory=dict)
    nearest: dict[tuple[object, ...], Mapping[Place, Mapping[str, Any]]] = field(default_factory=dict)

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

    def text(self, owner: Place, area: str, *conditions: Mapping[str, Any]) -> str:
        """Column `not_judged` of view finding: the two highest counters that are not 0, and the conditions that were
        not met.
        """
        known = [(name, value) for name, value in self.counters.get((owner, area), {}).items() if value]
        # Those of statistics first: accounting covers a part of the work.
        known.sort(key=lambda item: (item[0].endswith("accounting"), -item[1]))
        return json.dumps({"activity": dict(known[:2]), "conditions": conditions})


@dataclass(frozen=True)
class Guard:
    """A condition without which a row is not judged: `figure` (SQL over the row) compared with a limit; the limit is
    None if it is a column too.
    """

    figure: str
    operator: str
    limit: str | float | None
    measure: str
    unit: str


def guards_of(rule: Rule) -> list[Guard]:
    """The conditions of a rule for its rows: minimum activity, length of the interval, no start within it."""
    views, units = sqlfile.views(), {threshold.name: threshold.unit for threshold in rule.thresholds.values()}
    guards = []
    for figure, compares, right in _COMPARISON.findall(rule.min_activity or ""):
        names = re.findall(r"\b[a-z]\w*\b(?!\()", figure)
        described = (views[view].columns[names[0]] for view in rule.read_views if names[0] in views[view].columns)
        unit = units.get(right.removeprefix("$")) or next((column.unit for column in described), "count")
        limit = right[1:] if right.startswith("$") else None if right[0].isalpha() else float(right)
        guards.append(Guard(figure, compares, limit, " or ".join(_noun(name, unit) for name in names), unit))
    return guards + _general(rule)


def _general(rule: Rule) -> list[Guard]:
    """The conditions that many rules name (G1, G2)."""
    guards = []
    if "G1" in rule.guards and "interval_seconds" in rule.columns:
        judged = f"CASE WHEN fragment IS FALSE THEN {MIN_SECONDS} ELSE interval_seconds END"
        figure = judged if "fragment" in rule.columns else "interval_seconds"
        guards.append(Guard(figure, ">=", float(MIN_SECONDS), "longest interval", "s"))
    starts = [name for name in ("startup_interval", "suspect_first") if name in rule.columns]
    if "G2" in rule.guards and starts:
        figure = f"CASE WHEN coalesce({' OR '.join(starts)}, false) THEN 0 ELSE 1 END"
        guards.append(Guard(figure, ">=", 1.0, "intervals without a start", "count"))
    return guards


def _noun(column: str, unit: str) -> str:
    """The name of a column as text, without its unit."""
    if column in _NAMES:
        return _NAMES[column]
    return column.removesuffix(_SUFFIXES.get(unit, "")).removeprefix("mm_").removeprefix("dm_").replace("_", " ")


def why_unjudged(
    db: Workspace, activity: Activity, rule: Rule, owner: Place, thresholds: Mapping[str, float], *, figures: bool
) -> str:
    """Column `not_judged` of view finding for the subjects of a queue manager that have rows, none of which could be
    judged.

    Each condition has the figure of the row that comes nearest to it, of all subjects. Without `figures`, because other
    subjects were judged, the figures are null: to find them reads the rows of the rule again, once for all queue
    managers with these thresholds.
    """
    guards = guards_of(rule)
    row: Mapping[str, Any] | None = None
    if guards and figures and {"lpar", "qmgr"} <= rule.columns:
        key = (rule.id, *thresholds.values())
        if key not in activity.nearest:
            query = with_numbers(_nearest_sql(rule, guards), thresholds)
            activity.nearest[key] = {(each["lpar"], each["qmgr"]): each for each in db.rows(query)}
        row = activity.nearest[key].get(owner)  # a queue manager without rows has no figures
    conditions = []
    for guard, figure in zip(guards, row["nearest"] if row else [None] * len(guards), strict=True):
        limit = thresholds.get(guard.limit) if isinstance(guard.limit, str) else guard.limit
        if figure is None or limit is None or not COMPARED[guard.operator](figure, limit):
            conditions.append(condition(guard.measure, guard.operator, figure, limit, guard.unit))
    if not conditions and guards and not (row and row["meets_all"]):
        conditions = [condition("rows that meet all conditions together", ">=", 0, 1, "count")]
    return activity.text(owner, rule.area, *conditions or [no_value(rule)])


def _nearest_sql(rule: Rule, guards: Iterable[Guard]) -> str:
    """The query for the figures of each queue manager that are nearest to the conditions of a rule, and how many of its
    rows meet all of them.
    """
    nearest = ", ".join(
        f"{'min' if guard.operator in ('<', '<=', '=') else 'max'}(({guard.figure})::DOUBLE)" for guard in guards
    )
    stated = [f"({rule.min_activity})"] if rule.min_activity else []
    every = " AND ".join(stated + [f"{guard.figure} >= {guard.limit}" for guard in _general(rule)])
    return f"SELECT lpar, qmgr, [{nearest}] AS nearest, count(*) FILTER ({every}) AS meets_all FROM ({rule.select}) GROUP BY ALL"


def no_value(rule: Rule) -> dict[str, Any]:
    """The condition that the figure of a rule has a value."""
    return condition(rule.measure, None, None, None, rule.unit)


def condition(
    measure: str, operator: str | None, figure: float | None, limit: float | None, unit: str
) -> dict[str, Any]:
    """A condition that was not met: its measure, the figure that is nearest to it, and what it is compared with."""
    observed, limit = (None if number is None else steady(number) for number in (figure, limit))
    return {"measure": measure, "operator": operator, "observed": observed, "limit": limit, "unit": unit}
