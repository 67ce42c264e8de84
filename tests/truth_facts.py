"""What the decoded tables hold and what rules find in them, counted in plain Python without the engine: what
tests/truth.py compares reports with.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import duckdb

from mqstat.judge import scope
from mqstat.judge.clauses import COMPARED, Clause
from mqstat.judge.model import Rule, level_number
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace
from tests.oracle.formulas import judgeable

Manager = tuple[str | None, str | None]
Subject = tuple[str | None, str | None, str | None]
Row = Mapping[str, Any]


NEEDED = {
    "record": {"record_id", "lpar", "qmgr", "record_class", "mq_version", "outcome", "damage", "written_local", "gmt_offset_minutes", "record_start_utc",
               "interval_start_utc", "interval_end_utc"},
}  # fmt: skip
"""Decoded columns that the checker reads itself, beyond those that a report reads."""


def holds(clause: Clause, observed: float | None, limit: float | None) -> bool:
    """Whether a condition holds for a figure; for a condition without a limit the figure is its flag as 0 or 1."""
    if not clause.has_limit:
        return observed is not None and bool(observed) == (clause.operator == "is true")
    return observed is not None and limit is not None and bool(COMPARED[clause.operator](observed, limit))


@dataclass
class Judged:
    """One subject of a rule, judged by hand: its rows that may be judged, and those in breach."""

    rows: list[Row]
    hits: list[Row]


@dataclass
class Facts:
    """What the decoded tables hold for each queue manager, counted without a view of the product."""

    db: Workspace
    classes: dict[Manager, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    levels: dict[Manager, int] = field(default_factory=dict)
    period: dict[Manager, tuple[dt.datetime, dt.datetime]] = field(default_factory=dict)
    offsets: dict[Manager, set[int]] = field(default_factory=lambda: defaultdict(set))
    damaged: frozenset[int] = frozenset()
    starts: dict[Manager, list[dt.datetime]] = field(default_factory=lambda: defaultdict(list))
    rows: dict[tuple[str, str], Sequence[Row]] = field(default_factory=dict)
    judged: dict[str, Mapping[Subject, Judged]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.db.rows(
            "SELECT lpar, qmgr, record_class, mq_version, gmt_offset_minutes, count(*) AS records, "
            "min(coalesce(interval_start_utc, written_local - to_minutes(gmt_offset_minutes))) AS first, "
            "max(coalesce(interval_end_utc, written_local - to_minutes(gmt_offset_minutes))) AS last "
            "FROM decoded.record WHERE outcome <> 'damaged' GROUP BY ALL"
        ):
            owner = (row["lpar"], row["qmgr"])
            self.classes[owner][row["record_class"]] += row["records"]
            if row["mq_version"]:
                self.levels[owner] = max(self.levels.get(owner, 0), level_number(row["mq_version"]))
            if row["gmt_offset_minutes"] is not None:
                self.offsets[owner].add(row["gmt_offset_minutes"])
            if row["first"] and row["last"]:
                first, last = self.period.get(owner, (row["first"], row["last"]))
                self.period[owner] = (min(first, row["first"]), max(last, row["last"]))
        for row in self.db.rows(
            "SELECT lpar, qmgr, record_start_utc FROM decoded.record WHERE record_class = '115.240' AND record_start_utc IS NOT NULL"
        ):
            self.starts[row["lpar"], row["qmgr"]].append(row["record_start_utc"])
        self.damaged = frozenset(
            row["record_id"] for row in self.db.rows("SELECT record_id FROM decoded.record WHERE damage IS NOT NULL")
        )

    def records(self, owner: Manager, record_class: str) -> int:
        """Records of a class; of all queue managers where the statement is about none."""
        owners = [owner] if owner != (None, None) else list(self.classes)
        return sum(self.classes[key][record_class] for key in owners if key in self.classes)

    @cached_property
    def managers(self) -> list[Manager]:
        """Queue managers with records."""
        return sorted((owner for owner in self.classes if None not in owner), key=str)


def asked(db: Workspace, query: str) -> Sequence[Row]:
    """The rows of a query, over views that the program did not compute too: it concluded that the rules over them have
    no rows.
    """
    try:
        return db.rows(query)
    except (duckdb.CatalogException, duckdb.BinderException):
        db.keep([query])
        return db.rows(query)


def rule_rows(db: Workspace, rule: Rule, limits: Mapping[str, float]) -> Sequence[Row]:
    """The rows of a rule with some limits, each in breach or not; `is_active`: enough happened."""
    text = scope.with_numbers(rule.statement, limits)
    active = scope.with_numbers(rule.min_activity, limits) if rule.min_activity else "true"
    return asked(db, f"SELECT *, ({active}) AS is_active FROM ({text})")


def rows_with(facts: Facts, rule: Rule, limits: Mapping[str, float]) -> Sequence[Row]:
    """The rows of a rule with some limits, asked once."""
    key = (rule.id, repr(sorted(limits.items())))
    if key not in facts.rows:
        facts.rows[key] = rule_rows(facts.db, rule, limits)
    return facts.rows[key]


def judge(facts: Facts, rule: Rule, site: Site) -> Mapping[Subject, Judged]:
    """Every subject of a rule with the rows that the guards let count, by the SQL of the rule and the limits that hold
    for the subject.
    """
    if rule.id not in facts.judged:
        overrides = site.overrides_of(rule.id)
        default, _ = scope.values(rule, overrides, None)
        by_limits: dict[str, dict[Subject, list[Row]]] = {}
        judged: dict[Subject, Judged] = {}
        for subject in _by_subject(rows_with(facts, rule, default)):
            limits, _ = scope.values(rule, overrides, scope.narrowest(overrides, *subject))
            key = repr(sorted(limits.items()))
            if key not in by_limits:
                by_limits[key] = _by_subject(rows_with(facts, rule, limits))
            mine = by_limits[key].get(subject, [])
            rows = [row for row in mine if row["breach"] is not None and _counts(facts, rule, row)]
            judged[subject] = Judged(rows, [row for row in rows if row["breach"]])
        facts.judged[rule.id] = judged
    return facts.judged[rule.id]


def _by_subject(rows: Iterable[Row]) -> dict[Subject, list[Row]]:
    subjects: dict[Subject, list[Row]] = defaultdict(list)
    for row in rows:
        subjects[row.get("lpar"), row.get("qmgr"), row["subject"]].append(row)
    return subjects


def _counts(facts: Facts, rule: Rule, row: Row) -> bool:
    """Whether the guards of a rule let a row count."""
    seconds = row.get("interval_seconds")
    return (
        bool(row["is_active"])
        and not ("G1" in rule.guards and seconds is not None and not judgeable(row))
        and not ("G2" in rule.guards and _holds_a_start(facts, row))
        and not (rule.judge.kind != "whole" and row.get("record_id") in facts.damaged)
    )


def _holds_a_start(facts: Facts, row: Row) -> bool:
    """Whether the queue manager or its trace started within the interval of a row, by its records 115.240."""
    start, seconds = row.get("interval_start_utc"), row.get("interval_seconds")
    if start is None or seconds is None:
        return False
    end = start + dt.timedelta(seconds=seconds)
    return any(start <= at < end for at in facts.starts[row.get("lpar"), row.get("qmgr")])
