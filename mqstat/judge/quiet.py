"""Findings of subjects without a row in breach, as Arrow columns: a rule may have a hundred thousand of them.

For each state on each queue manager one of these subjects becomes a finding like any other (`rules.engine`) and represents the others, which are only
in view finding, with the columns that the engine writes for such a subject.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mqstat.base.formatting import steady
from mqstat.judge import states
from mqstat.judge.clauses import FIGURES
from mqstat.judge.decision import given_by
from mqstat.judge.model import Rule
from mqstat.judge.sentences import advice_of
from mqstat.judge.states import Place
from mqstat.sql.schemas import finding_schema


def summed(quiet: pa.Table) -> list[dict[str, Any]]:
    """One row per LPAR and queue manager with the highest counts of its subjects."""
    names = ("rows_judgeable", "judged")
    totals = quiet.group_by(["lpar", "qmgr"]).aggregate([(name, "max") for name in names])
    return [{**row, **{name: row[f"{name}_max"] for name in names}} for row in totals.to_pylist()]


def without(quiet: pa.Table, unjudged: Collection[Place]) -> pa.Table:
    """The subjects that are not of these queue managers."""
    if not unjudged or not quiet.num_rows:
        return quiet
    kept = [owner not in unjudged for owner, _ in _by_owner(quiet)]
    return quiet if all(kept) else quiet.filter(pa.array(np.array(kept)[_owners(quiet)]))


def _by_owner(quiet: pa.Table) -> list[tuple[Place, np.ndarray[Any, Any]]]:
    """Each LPAR and queue manager with its rows, in the order of their numbers."""
    numbers = _owners(quiet)
    order = np.argsort(numbers, kind="stable")
    rows = np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)
    first = quiet.select(["lpar", "qmgr"]).take(pa.array([own[0] for own in rows], pa.int64())).to_pylist()
    return [((row["lpar"], row["qmgr"]), own) for row, own in zip(first, rows, strict=True)]


Reasons: TypeAlias = Sequence[tuple[str, str, str | None, str | None]]
"""State, outcome, and the columns not_judged and advice of view finding for subjects that were not judged, one entry for each queue manager."""


def unjudged(
    quiet: pa.Table, is_idle: Callable[[Place], bool], why: Callable[[Place], str]
) -> tuple[pa.Table, Reasons]:
    """The subjects with the column `reason`: the entry in the reasons, for those that were not judged.

    Where the area is idle, figures of 0 are no judgement. `why` states why an active queue manager was not judged.
    """
    worst = quiet["worst"].combine_chunks()
    values = [name for name in (field.name for field in worst.type) if name.startswith(f"{FIGURES[0]}_")]
    figures = [pc.fill_null(pc.struct_field(worst, name), 0).to_numpy(False) != 0 for name in values]
    nothing = ~np.logical_or.reduce(figures)
    number = np.zeros(quiet.num_rows, np.int64)
    judged = quiet["judged"].to_numpy().copy()
    reasons: list[tuple[str, str, str | None, str | None]] = []
    for owner, here in _by_owner(quiet) if quiet.num_rows else ():
        idle = is_idle(owner)
        if idle:
            judged[here[nothing[here]]] = 0
        state = states.IDLE if idle else states.ACTIVE
        text = None if idle or judged[here].all() else why(owner)
        advice = advice_of({"state": state, "not_judged": text, "figures": None})
        number[here] = len(reasons)
        reasons.append((state, states.OUTCOMES[state], text, advice))
    worst = pc.if_else(pa.array(judged > 0), worst, pa.scalar(None, worst.type))
    for name, values_ in (("judged", pa.array(judged)), ("worst", worst)):
        quiet = quiet.set_column(quiet.schema.get_field_index(name), name, values_)
    return quiet.append_column("reason", pa.array(number)), reasons


def findings(
    rule: Rule, quiet: pa.Table, reasons: Reasons, thresholds: Mapping[str, float], blank: Mapping[str, Any]
) -> tuple[Callable[[], pa.Table], list[tuple[dict[str, Any], dict[str, int]]]]:
    """A function that makes the findings of all subjects but those that represent others, and the latter, as `judging.count` returns them, each with the counts of all it represents.

    An idle subject is represented by the first one of its queue manager, a clear one by the first of those nearest to their limit. `quiet` has the columns
    of `judging.count` in the order of subjects; `thresholds` are those in force, which are equal for all subjects; `blank` is a clear finding of the rule
    without a subject; `reasons` as `unjudged` returns them.
    """
    if not quiet.num_rows:
        return finding_schema().empty_table, []
    quiet = quiet.combine_chunks()
    alternative = pc.fill_null(pc.struct_field(quiet["worst"].combine_chunks(), "alternative"), 0).to_numpy()
    closeness = np.empty(quiet.num_rows)
    parts = []
    for number, combined in enumerate(rule.alternatives):
        (rows,) = np.nonzero(alternative == number)
        if len(rows):
            closeness[rows] = _Part(rule, combined, _rows(quiet, rows), thresholds).closeness()
            parts.append((rows, combined))
    judged = quiet["judged"].to_numpy()
    groups, group_of = np.unique(_owners(quiet) * 2 + (judged > 0), return_inverse=True)
    represented: dict[int, dict[str, int]] = {}
    for group in range(len(groups)):
        (rows,) = np.nonzero(group_of == group)
        nearest = int(rows[np.argmax(closeness[rows])])
        represented[nearest] = {"represents": len(rows), "represents_intervals": int(judged[rows].sum())}
    shown = sorted(represented)

    def others() -> pa.Table:
        return pa.concat_tables(
            _Part(rule, combined, _rows(quiet, np.setdiff1d(rows, shown)), thresholds).table(blank, reasons)
            for rows, combined in parts
        )

    listed = quiet.take(pa.array(shown, pa.int64())).to_pylist()
    return others, [(row, represented[number]) for row, number in zip(listed, shown, strict=True)]


def _rows(table: pa.Table, rows: np.ndarray[Any, Any]) -> pa.Table:
    return table if len(rows) == table.num_rows else table.take(pa.array(rows)).combine_chunks()


def _owners(quiet: pa.Table) -> np.ndarray[Any, Any]:
    """A number for each row, from 0; rows of one queue manager have the same."""
    lpar, qmgr = (quiet[name].combine_chunks().dictionary_encode("encode") for name in ("lpar", "qmgr"))
    pairs = lpar.indices.to_numpy().astype(np.int64) * len(qmgr.dictionary) + qmgr.indices.to_numpy()
    owners: np.ndarray[Any, Any] = np.unique(pairs, return_inverse=True)[1]
    return owners


class _Part:
    """Subjects whose worst rows are decided by one combination of clauses."""

    def __init__(self, rule: Rule, combined: tuple[int, ...], quiet: pa.Table, thresholds: Mapping[str, float]) -> None:
        self.rule, self.combined, self.quiet = rule, combined, quiet
        self.lead = rule.clauses[combined[0]]
        self.worst = quiet["worst"].combine_chunks()
        own = thresholds.get(self.lead.limit) if isinstance(self.lead.limit, str) else self.lead.limit
        value, limit, hold = (self._figure(name, combined[0]) for name in FIGURES)
        self.observed = value.cast(pa.float64())
        self.limit = pc.if_else(self.worst.is_valid(), limit.cast(pa.float64()), pa.scalar(own, pa.float64()))
        self.holds = pc.fill_null(hold, False)

    def _figure(self, name: str, number: int) -> pa.Array:
        return pc.struct_field(self.worst, f"{name}_{number + 1}")

    def closeness(self) -> np.ndarray[Any, Any]:
        """`states.closeness` of the findings as one number."""
        serious = self.rule.severity != "info"
        unknown = -np.inf if serious else -1.0
        observed, limit = self.observed.to_numpy(False), self.limit.to_numpy(False)
        with np.errstate(all="ignore"):
            if self.lead.operator in ("<", "<="):
                near = np.where(observed > 0, limit / observed, 0.0)
            else:
                near = np.where(limit > 0, observed / limit, 0.0)
        known = ~(np.isnan(observed) | np.isnan(limit) | np.isnan(near)) & (self.lead.operator != "=")
        beyond = 1.0 if self.lead.prints_limit else 0.0
        return np.where(self.holds.to_numpy(False), beyond, np.where(known, near, unknown))

    def table(self, blank: Mapping[str, Any], reasons: Reasons) -> pa.Table:
        """The findings with the columns of view finding."""
        clear = pc.greater(self.quiet["judged"], 0)
        state, outcome, not_judged, advice = (pa.array(values, pa.string()) for values in zip(*reasons, strict=True))
        number = pc.if_else(clear, pa.scalar(None, pa.int64()), self.quiet["reason"])
        given: dict[str, Any] = {
            "lpar": self.quiet["lpar"],
            "qmgr": self.quiet["qmgr"],
            "subject": self.quiet["subject"],
            "state": pc.if_else(clear, states.CLEAR, state.take(number)),
            "outcome": pc.if_else(clear, states.OUTCOMES[states.CLEAR], outcome.take(number)),
            "not_judged": not_judged.take(number),
            "observed": pc.add(self.observed, 0.0),  # no negative zero
            "limit_value": pc.add(self.limit, 0.0),
            "clauses": pc.if_else(self.worst.is_valid(), self._as_json(), pa.scalar(None, pa.string())),
            "clear_because": pc.if_else(self.holds, "condition", pa.scalar(None, pa.string())),
            "intervals_checked": self.quiet["judged"],
            "breached_pct": pc.if_else(clear, 0.0, pa.scalar(None, pa.float64())),
            "worst_interval_utc": pc.struct_field(self.worst, "at"),
            "evidence_record_id": pc.struct_field(self.worst, "record"),
            "advice": advice.take(number),
        }
        lead = self.lead
        same = {
            **blank, "clause": lead.id, "measure": lead.measure, "operator": lead.operator, "limit_unit": lead.unit, "limit_from": "default",
            **given_by(self.rule, lead),
        }  # fmt: skip
        columns = [
            given[column.name].cast(column.type)
            if column.name in given
            else pa.repeat(pa.scalar(same[column.name], column.type), self.quiet.num_rows)
            for column in finding_schema()
        ]
        return pa.table(columns, schema=finding_schema())

    def _as_json(self) -> pa.Array:
        """The clauses as JSON, as `decision.Decision.as_json` writes them."""
        texts: list[Any] = []
        for number in self.combined:
            clause = self.rule.clauses[number]
            value, limit, hold = (self._figure(name, number) for name in FIGURES)
            head = json.dumps({"clause": clause.id, "measure": clause.measure, "operator": clause.operator})[:-1]
            flag = pc.fill_null(pc.if_else(hold, "true", "false"), "null")
            decides = json.dumps(number == self.combined[0])
            texts += [f'{", " if texts else "["}{head}, "observed": ', _texts(value), ', "limit": ', _texts(limit)]
            texts += [f', "unit": {json.dumps(clause.unit)}, "holds": ', flag, f', "decides": {decides}}}']
        return pc.binary_join_element_wise(*texts, "]", "")


def _texts(figures: pa.Array) -> pa.Array:
    """Numbers as JSON: many subjects have the same."""
    encoded = figures.dictionary_encode()
    texts = pa.array([_number(value) for value in encoded.dictionary.to_pylist()], pa.string())
    return pc.fill_null(texts.take(encoded.indices), "null")


def _number(value: float) -> str:
    rounded = steady(value)
    return repr(rounded) if math.isfinite(rounded) else json.dumps(rounded)
