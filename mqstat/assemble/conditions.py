"""Conditions of rules as text: figure, operator and limit of the deciding clause, and why a figure beyond its limit is
clear.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mqstat.assemble.table_model import LocalTimes
from mqstat.base.formatting import (
    clean,
    compared,
    exact_text,
    figure,
    figures,
    number_text,
    plural,
    steady,
    subject_name,
    with_endings,
)
from mqstat.judge.clauses import Clause, opposite
from mqstat.judge.model import Rule, rules
from mqstat.judge.sentences import PARTIAL
from mqstat.judge.sentences import share_text as share_of_period
from mqstat.judge.states import CALM, Row

DECIDING = (
    "rule_id", "lpar", "qmgr", "subject", "outcome", "clause", "measure", "operator", "observed", "limit_value", "limit_unit", "clear_because",
)  # fmt: skip
"""The deciding finding of a verdict line, a rule line or a tile, as data."""


def deciding(row: Row | None) -> dict[str, Any] | None:
    """The deciding finding of a line, as data: clause, operator, figure, limit and unit. None if no figure decides."""
    return (
        None
        if row is None or row["clause"] is None
        else {name: steady(row[name]) if isinstance(row[name], float) else row[name] for name in DECIDING}
    )


def condition(clause: Clause, observed: float | None, limit: float | None, holds: bool) -> tuple[str, str]:
    """Figure and limit with their unit, the limit after the operator that holds (`14.9 %`, `< 15 %`); no limit if it is
    obvious.
    """
    value, against = figures(observed, limit, clause.unit)
    if not clause.prints_limit or limit is None:
        return value, ""
    return value, f"{clause.operator if holds else opposite(clause.operator)} {against}"


def phrase(clause: Clause, observed: float | None, limit: float | None, holds: bool) -> str:
    """A condition as a phrase: `lowest share of stealable buffers 14.9 % (< limit 15 %)`."""
    if clause.clear and not holds:
        return clause.clear
    if observed is None and clause.has_limit is False and clause.value:
        return clause.measure
    if observed is None:
        return f"{with_endings(clause.measure, None)}: no value"
    value, against = figures(observed, limit, clause.unit)
    text = with_endings(clause.text, observed).replace("{value}", value)
    if not clause.prints_limit or limit is None:
        return text
    sign = clause.operator if holds else opposite(clause.operator)
    return f"{text} ({sign} {clause.compared_with.replace('{limit}', against)})"


def rule_of(row: Row) -> Rule:
    """The rule of a finding."""
    return rules()[row["rule_id"]]


def row_phrase(row: Row) -> str:
    """The deciding condition of a finding as a phrase."""
    return phrase(rule_of(row).clause(row["clause"]), row["observed"], row["limit_value"], _holds(row))


def row_condition(row: Row) -> tuple[str, str, str]:
    """Name of the deciding figure, the figure, and the limit after its operator."""
    clause = rule_of(row).clause(row["clause"])
    if not clause.has_limit:
        return row_phrase(row), "", ""
    return (clause.measure, *condition(clause, row["observed"], row["limit_value"], _holds(row)))


def conditions_of(row: Row) -> Sequence[Mapping[str, Any]]:
    """All conditions that must hold together with the deciding one, including it."""
    return json.loads(row["clauses"]) if row["clauses"] else ()


def _holds(row: Row) -> bool:
    known = next((bool(condition["holds"]) for condition in conditions_of(row) if condition["decides"]), None)
    return row["outcome"] == "breach" if known is None else known


def share_text(row: Row, noun: bool = True) -> str:
    """How many of the judged intervals are in breach, such as `3 of 19 intervals`; empty for a rule that judges the
    whole period once.
    """
    if rule_of(row).judge.kind == "whole":
        return ""
    return f"{row['intervals_breached']:,} of {plural(row['intervals_checked'], 'interval') if noun else format(row['intervals_checked'], ',')}"


def rating(row: Row) -> str:
    """What a finding means for the work, and how far it is beyond its limit:
    `delay, beyond the limit by a factor of 7.96`, `delay, 3 s over the limit of 0`.
    """
    observed = row["observed"]
    if row["distance"] is not None and observed and row["limit_value"] == 0:
        side = "over" if observed > 0 else "under"
        return f"{row['weight']}, {figure(abs(observed), row['limit_unit'])} {side} the limit of 0"
    far = distance_text(row)
    beyond = f", beyond the limit by a factor of {far}" if far not in ("", "1") else ""
    return f"{row['weight']}{beyond}"


def distance_text(row: Row) -> str:
    """The distance of a finding from its limit; empty without one."""
    far = row["distance"]
    return "" if far is None else number_text(far, 3)


def why_clear(row: Row) -> str:
    """Why a figure beyond its limit is not a breach: another finding, too few intervals, or a condition that does not
    hold; and in how much of the period it is clear.
    """
    judged = share_of_period(row) if row["outcome"] == PARTIAL else ""
    return "; ".join(text for text in (_why(row), judged) if text)


def _why(row: Row) -> str:
    reason, rule = row["clear_because"], rule_of(row)
    if reason == "silenced":
        return f"reported by {row['silenced_by']}"
    if reason in ("share", "consecutive"):
        wanted = f"{exact_text(rule.judge.number)} %" if reason == "share" else str(rule.judge)
        hits = share_text(row)
        if reason == "share" and rule.weighted_by and row["breached_pct"] is not None:
            what = "time" if rule.weighted_by == "interval_seconds" else "activity"
            hits += f" with {compared(row['breached_pct'], [rule.judge.number])} % of the {what}"
        return f"{hits}, breach needs {wanted}"
    if reason == "condition":
        others = [
            part
            for part in conditions_of(row)
            if not part["holds"] and (part["observed"] is not None or part["limit"] is None)
        ]
        texts = [
            phrase(rule.clause(condition["clause"]), condition["observed"], condition["limit"], False)
            for condition in others
        ]
        return f"clear: {', '.join(texts)}"
    return ""


def limit_note(row: Row) -> str:
    """A note that the site file set the limit, with the default; empty otherwise."""
    rule = rule_of(row)
    clause = rule.clause(row["clause"])
    if (
        row["limit_from"] in ("default", None)
        or not isinstance(clause.limit, str)
        or clause.limit not in rule.thresholds
    ):
        return ""
    own, default = rule.thresholds[clause.limit].value, row["limit_value"]
    return clean(
        f"limit {figures(None, default, clause.unit)[1]} from the site ({row['limit_from']}), default {figures(None, own, clause.unit)[1]}"
    )


@dataclass(frozen=True)
class FindingText:
    """A finding as a sentence (`text`) and in parts: measured value, limit, location, time, share of the intervals (if
    useful).

    `why` is the reason why a figure beyond its limit is not a breach.
    """

    text: str
    measure: str = ""
    value: str = ""
    limit: str = ""
    where: str = ""
    when: str = ""
    share: str = ""
    why: str = ""


def finding_text(row: Row, times: LocalTimes, many_lpars: bool, *, placed: bool = True) -> FindingText:
    """A row of a finding, in breach or clear, as text; without `placed`, the queue manager is left out because a
    heading names it.
    """
    measure, value, limit = row_condition(row)
    subject = row["subject"]
    where = subject_name(row["lpar"], row["qmgr"], subject, many_lpars) if placed else clean(subject or "")
    when = times.text(row["lpar"], row["qmgr"], row["worst_interval_utc"])
    share = ""
    if row["outcome"] == "breach" and row["worst_interval_utc"]:
        share = share_text(row, noun=False)
    text = row_phrase(row) + (f", {where}" if where else "")
    text += (f" at {when}" if when else "") + (f", in {share_text(row)}" if share else "")
    why = why_clear(row) if row["state"] in CALM else ""
    return FindingText(text + (f"; {why}" if why else ""), measure, value, limit, where, when, share, why)
