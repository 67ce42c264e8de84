"""Findings of subjects without a row in breach, as Arrow columns: a rule may have a hundred thousand of them.

For each state on each queue manager one of these subjects becomes a finding like any other (`rules.engine`) and represents the others, which are only
in view finding, with the columns that the engine writes for such a subject.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.base.formatting import steady
from mqstat.rules import states
from mqstat.rules.clauses import FIGURES, Clause
from mqstat.rules.model import Rule
from mqstat.rules.sentences import advice_of
from mqstat.rules.states import Place
from mqstat.sql.schemas import finding_schema


def summed(quiet: pa.Table) -> list[dict[str, Any]]:
    """One row per LPAR and queue manager with the highest counts of its subjects."""
    names = ("rows_judgeable", "judged")
    totals = quiet.group_by(["lpar", "qmgr"]).aggregate([(name, "max") for name in names])
    return [{**row, **{name: row[f"{name}_max"] for name in names}} for row in totals.to_pylist()]


def without(quiet: pa.Table, unjudged: Collection[Place]) -> pa.Table:
    """The subjects that are not of these queue managers."""
    for lpar, qmgr in unjudged:
        quiet = quiet.filter(pc.invert(pc.and_(_same(quiet["lpar"], lpar), _same(quiet["qmgr"], qmgr))))
    return quiet


def _same(column: pa.ChunkedArray, value: str | None) -> pa.ChunkedArray:
    return pc.is_null(column) if value is None else pc.fill_null(pc.equal(column, value), False)


def findings(
    rule: Rule, quiet: pa.Table, thresholds: Mapping[str, float], blank: Mapping[str, Any]
) -> tuple[pa.Table, list[tuple[dict[str, Any], dict[str, int]]]]:
    """The findings of all subjects but those that represent others, and the latter, as `judging.count` returns them, each with the counts of all it represents.

    An idle subject is represented by the first one of its queue manager, a clear one by the first of those nearest to their limit. `quiet` has the columns
    of `judging.count` in the order of subjects; `thresholds` are those in force, which are equal for all subjects; `blank` is a clear finding of the rule
    without a subject.
    """
    seen = _Decided(rule, quiet, thresholds, blank)
    nearest: dict[tuple[str | None, str | None, bool], tuple[tuple[bool, float], int]] = {}
    represented: dict[int, dict[str, int]] = {}
    groups: dict[tuple[str | None, str | None, bool], dict[str, int]] = {}
    keys = list(zip(quiet["lpar"].to_pylist(), quiet["qmgr"].to_pylist(), map(bool, seen.judged), strict=True))
    for number, key in enumerate(keys):
        near = seen.closeness[number]
        if key not in nearest or near > nearest[key][0]:
            nearest[key] = (near, number)
        counts = groups.setdefault(key, {"represents": 0, "represents_intervals": 0})
        counts["represents"] += 1
        counts["represents_intervals"] += seen.judged[number]
    for key, (_, number) in nearest.items():
        represented[number] = groups[key]
    left = [number for number in range(quiet.num_rows) if number not in represented]
    shown = quiet.take(sorted(represented)).to_pylist() if represented else []
    return seen.table(left), [
        (row, represented[number]) for row, number in zip(shown, sorted(represented), strict=True)
    ]


class _Decided:
    """The columns of the findings that depend on the worst row of each subject."""

    def __init__(self, rule: Rule, quiet: pa.Table, thresholds: Mapping[str, float], blank: Mapping[str, Any]) -> None:
        self.quiet, self.blank = quiet, blank
        self.judged: list[int] = quiet["judged"].to_pylist()
        worst = quiet["worst"].combine_chunks()
        self.worst = {name: pc.struct_field(worst, name) for name in ("at", "record")}
        alternatives = pc.struct_field(worst, "alternative").to_pylist()
        values, limits, holds = (
            list(
                zip(
                    *(
                        pc.struct_field(worst, f"{name}_{number}").to_pylist()
                        for number in range(1, len(rule.clauses) + 1)
                    ),
                    strict=True,
                )
            )
            for name in FIGURES
        )
        judged = pc.is_valid(worst).to_pylist()
        combinations = [(combined[0], _Clauses(rule, combined)) for combined in rule.alternatives]
        self.closeness: list[tuple[bool, float]] = []
        self.clause: list[Clause] = []
        self.observed: list[float | None] = []
        self.limit: list[float | None] = []
        self.clauses: list[str | None] = []
        self.because: list[str | None] = []
        for number, alternative in enumerate(alternatives):
            lead, texts = combinations[alternative or 0]
            clause = rule.clauses[lead]
            if judged[number]:
                observed, limit, lead_holds = values[number][lead], limits[number][lead], holds[number][lead]
                clauses = texts.as_json(values[number], limits[number], holds[number])
            else:
                limit = thresholds.get(clause.limit) if isinstance(clause.limit, str) else clause.limit
                observed, lead_holds, clauses = None, False, None
            because = "condition" if lead_holds else None
            self.clause.append(clause)
            self.observed.append(None if observed is None else float(observed) + 0.0)
            self.limit.append(None if limit is None else float(limit) + 0.0)
            self.clauses.append(clauses)
            self.because.append(because)
            self.closeness.append(states.closeness_of(rule, clause, observed, limit, because))

    def table(self, rows: list[int]) -> pa.Table:
        """The findings of these rows with the columns of view finding."""
        count = len(rows)
        chosen = self.quiet.select(["lpar", "qmgr", "subject"]).take(pa.array(rows, pa.int64()))
        judged = [self.judged[row] for row in rows]
        clear = [bool(number) for number in judged]
        idle = advice_of({**self.blank, "state": states.IDLE})
        given: dict[str, Any] = {
            "lpar": chosen["lpar"],
            "qmgr": chosen["qmgr"],
            "subject": chosen["subject"],
            "state": [states.CLEAR if here else states.IDLE for here in clear],
            "clause": [self.clause[row].id for row in rows],
            "measure": [self.clause[row].measure for row in rows],
            "operator": [self.clause[row].operator for row in rows],
            "limit_unit": [self.clause[row].unit for row in rows],
            "observed": [self.observed[row] for row in rows],
            "limit_value": [self.limit[row] for row in rows],
            "clauses": [self.clauses[row] for row in rows],
            "clear_because": [self.because[row] for row in rows],
            "intervals_checked": judged,
            "breached_pct": [0.0 if here else None for here in clear],
            "worst_interval_utc": self.worst["at"].take(pa.array(rows, pa.int64())),
            "evidence_record_id": self.worst["record"].take(pa.array(rows, pa.int64())),
            "advice": [None if here else idle for here in clear],
            "limit_from": ["default"] * count,
        }
        columns = []
        for column in finding_schema():
            if column.name in given:
                values = given[column.name]
                made = pa.array(values, column.type) if isinstance(values, list) else values.cast(column.type)
            else:
                made = pa.repeat(pa.scalar(self.blank[column.name], column.type), count)
            columns.append(made)
        return pa.table(columns, schema=finding_schema())


class _Clauses:
    """Writes the clauses of a combination as JSON, as `decision.Decision.as_json` does."""

    def __init__(self, rule: Rule, combined: tuple[int, ...]) -> None:
        self.parts = []
        for number in combined:
            clause = rule.clauses[number]
            head = json.dumps({"clause": clause.id, "measure": clause.measure, "operator": clause.operator})
            unit, decides = json.dumps(clause.unit), json.dumps(number == combined[0])
            self.parts.append(
                (number, f'{head[:-1]}, "observed": ', f', "unit": {unit}, "holds": ', f', "decides": {decides}}}')
            )

    def as_json(
        self, values: Sequence[float | None], limits: Sequence[float | None], holds: Sequence[bool | None]
    ) -> str:
        """The clauses with these figures."""
        texts = [
            f'{head}{_number(values[number])}, "limit": {_number(limits[number])}{unit}{_FLAGS[holds[number]]}{tail}'
            for number, head, unit, tail in self.parts
        ]
        return f"[{', '.join(texts)}]"


_FLAGS: Mapping[bool | None, str] = {True: "true", False: "false", None: "null"}


def _number(value: float | None) -> str:
    if value is None:
        return "null"
    rounded = steady(value)
    return repr(rounded) if math.isfinite(rounded) else json.dumps(rounded)
