"""The sentences of findings, written from their data. No program parses a sentence: all facts are columns of view
finding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from string import Formatter
from types import MappingProxyType
from typing import Any

from mqstat.base.errors import RuleError
from mqstat.base.formatting import (
    LARGE,
    clean,
    compared,
    exact_text,
    figures,
    fitted,
    formatted,
    in_sentence,
    number_text,
    value_of,
    with_endings,
)
from mqstat.judge import states
from mqstat.judge.clauses import COUNTS
from mqstat.judge.model import MARGIN_PCT, rules
from mqstat.judge.mqsc import placeholders
from mqstat.sql import sqlfile

_KEYWORD = re.compile(r"[A-Z0-9]\($")
PARTIAL = states.OUTCOMES[states.PART]
TINY = 0.000001
"""Numbers that are smaller need not be exact in a sentence."""
_SIZE = re.compile(r" (MiB|KiB|bytes|byte\[s\])(?!\w)")
"""The unit after an amount of storage in a sentence."""
MIB = 1 << 20
_OPTIONAL = re.compile(r"<<(.*?)>>")
"""A part of a sentence that is left out if one of its values is missing."""


def required(text: str) -> set[str]:
    """The placeholders of a sentence outside of its optional parts."""
    return set(placeholders(_OPTIONAL.sub("", text)))


def fill(
    text: str,
    values: Mapping[str, Any],
    compared_with: Mapping[str, Sequence[float | None]] = MappingProxyType({}),
    limits: Collection[str] = (),
    thresholds: Collection[str] = (),
) -> str:
    """The sentence with its placeholders filled and its endings chosen; raises RuleError if a placeholder is unknown.

    A missing value is n/a; a part `<<, with {writes} write[s]>>` is left out if one of its values is missing. Endings
    in brackets (`buffer[s]`, `[were|was]`) agree with the last printed number before them. Numbers in commands, such as
    `BUFFERS({wanted})`, have no separators.

    `compared_with` has the columns that are compared with limits, and these limits: rounding never crosses a limit.
    `limits` are the placeholders that are limits, `thresholds` those of them whose number somebody chose.
    """

    def given(part: re.Match[str]) -> str:
        return part[1] if all(values.get(name, 0) is not None for name in placeholders(part[1])) else ""

    def figure(name: str, value: float, spec: str, *, bare: bool) -> str:
        if name in limits:
            # A threshold is a number that somebody chose; a limit that is a column was computed.
            written = exact_text(value) if name in thresholds else number_text(value)
        elif name in compared_with:
            written = compared(value, compared_with[name], in_sentence(value, spec) if spec else "")
        else:
            written = formatted(value, spec) if bare else in_sentence(value, spec)
        if value_of(written) == 0:
            # 0 only if it is 0, however few digits the format has.
            written = number_text(value, 2) if value == 0 or abs(value) >= TINY else f"under {TINY:f}"
        return written.replace(",", "") if bare else written

    parts: list[str] = []
    number, amount = None, 0.0
    for before, name, spec, _ in Formatter().parse(_OPTIONAL.sub(given, text)):
        size = _SIZE.match(before) if abs(amount) >= LARGE else None
        unit = size[1].lower().replace("[s]", "s") if size else ""
        if size and (unit != "bytes" or amount % MIB == 0):  # the size of an input, in bytes, stays exact
            parts[-1] = fitted(amount, unit)
            before = before[size.end() :]  # noqa: PLW2901
        parts.append(with_endings(before, number))
        amount = 0.0
        if name is None:
            continue
        if name not in values:
            raise RuleError(f"the advice names {{{name}}}, which is neither a column of the result nor a threshold")
        value = values[name]
        if isinstance(value, bool) or value is None:
            parts.append({None: "n/a", True: "yes", False: "no"}[value])
        elif isinstance(value, (int, float)):
            parts.append(figure(name, value, spec or "", bare=bool(_KEYWORD.search(before))))
            number = 1 if parts[-1] == "1" else None
            amount = 0.0 if name in limits or name in compared_with else value
        else:
            parts.append(clean(str(value)))
    return "".join(parts)


# --- findings


def summary_of(row: Mapping[str, Any]) -> str:
    """The problem, with its figures, of a finding in breach or silenced; empty for other states."""
    return _advice(row, 0) if row["figures"] else ""


def remedy_of(row: Mapping[str, Any]) -> str:
    """What to do about a finding in breach or silenced, or what was changed if nothing was in breach since; empty for
    other states.
    """
    return str(figures_of(row).get("setting_settled") or _advice(row, 1)) if row["figures"] else ""


def _advice(row: Mapping[str, Any], part: int) -> str:
    """Summary (0) or remedy (1) of the deciding clause."""
    return filled(row, rules()[row["rule_id"]].advice_for(row["clause"])[part])


def filled(row: Mapping[str, Any], text: str) -> str:
    """A sentence of a rule with the values of a finding in breach or silenced."""
    rule, values = rules()[row["rule_id"]], figures_of(row)
    compared_with: dict[str, list[float | None]] = {}
    for clause in rule.clauses:
        if clause.limit is None:
            continue
        limit = values.get(clause.limit) if isinstance(clause.limit, str) else clause.limit
        figure = values.get(clause.column)
        # A figure may have a second name in the row (observed and its own): the guard against rounding applies to both.
        for name, value in values.items():
            if name == clause.column or (
                isinstance(value, (int, float)) and not isinstance(value, bool) and value == figure
            ):
                compared_with.setdefault(name, []).append(limit)
    limits = {clause.limit for clause in rule.clauses if isinstance(clause.limit, str)} | set(rule.thresholds)
    return fill(text, values, compared_with, limits, rule.thresholds)


def figures_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values that the advice of a finding uses, by name."""
    values: Mapping[str, Any] = json.loads(row["figures"] or "{}")
    return values


def few_of(row: Mapping[str, Any]) -> str:
    """Why a finding has a lower severity than its rule; empty if it does not."""
    few = f"Too few intervals ({row['intervals_checked']}) for more than a note." if row["too_few_intervals"] else ""
    near = f"Only a note: less than {MARGIN_PCT} % beyond a limit of our own." if row["within_margin"] else ""
    planned = f"Only a note: in the maintenance window {row['maintenance']}." if row["maintenance"] else ""
    return planned or few or near


def reason_of(row: Mapping[str, Any]) -> str:
    """Why a rule was not judged, as part of a sentence; empty if it was."""
    state = row["state"]
    if state == states.PART:
        return share_text(row)
    if state == states.IDLE:
        return "; ".join(
            ["no activity: all counters of the area are 0", *([share_text(row)] if row["outcome"] == PARTIAL else [])]
        )
    if state == states.ACTIVE:
        return unmet_text(row) or f"{activity_text(row) or 'active'}, but nothing that the rule judges"
    if state == states.NOT_COLLECTED:
        return _not_collected(row)
    if state == states.NOT_IN_RELEASE and row["short_structure"]:
        return f"{columns_text(row['missing_columns'])} {_is(row)} not in these records: {short_text(row)}"
    if state == states.NOT_IN_RELEASE:
        level = row["found_mq_level"]
        needed = row["needs_mq_level"] or "a later release"
        what = columns_text(row["missing_columns"] or ())
        if not what and not row["missing_views"]:
            what, verb = "the rule", "applies to"
        else:
            verb = f"{_is(row)} written by" if what else "written by"
        return f"{what} {verb} MQ {needed} and later".lstrip() + (f"; this is {level}" if level else "")
    if state == states.NEEDS_FACT:
        return f"not given in the site file: {', '.join(row['missing_facts'] or ())}"
    if state == states.OFF:
        reason = row["off_reason"]
        return f"switched off by the site: {reason}" if reason else "off unless the site switches it on"
    return f"the rule failed: {row['error']}" if state == states.BROKEN else ""


def share_text(row: Mapping[str, Any]) -> str:
    """In how much of the period a rule was judged, and which record classes are missing in the rest; empty if it was in
    all of it, or has no share.
    """
    if not row["slots"] or row["slots_judged"] == row["slots"]:
        return ""
    missing = f"; no {' or '.join(row['missing_classes'])} in the others" if row["missing_classes"] else ""
    at_hole = json.loads(row["not_judged"] or "{}").get("at_hole")
    run = f"; in breach next to a time without them at {at_hole}" if at_hole else ""
    return f"judged in {row['slots_judged']:,} of {row['slots']:,} intervals{missing}{run}"


def activity_text(row: Mapping[str, Any]) -> str:
    """The activity of the area of a finding that was not judged, such as `1,186 puts and 5,400 MQI calls`."""
    counters = json.loads(row["not_judged"] or "{}").get("activity", {})
    return " and ".join(f"{formatted(value, ',.0f')} {name}" for name, value in counters.items())


def unmet_text(row: Mapping[str, Any]) -> str:
    """The conditions that kept a rule from judging a subject, with their figures; empty if it had no rows."""
    conditions = json.loads(row["not_judged"] or "{}").get("conditions", [])
    return ", and ".join(map(_unmet, conditions[:UNMET]))


UNMET = 2
"""Number of conditions that a sentence lists."""

_NEEDED = {
    ">=": "{} needed",
    ">": "more than {} needed",
    "<=": "at most {} needed",
    "<": "less than {} needed",
    "=": "judged only with {}",
}


def _unmet(condition: Mapping[str, Any]) -> str:
    """A condition that did not hold: `820 gets, 10,000 needed`; of another unit than a count
    `interval 4 s, 10 s needed`.
    """
    measure, unit, observed, limit = (condition[name] for name in ("measure", "unit", "observed", "limit"))
    if condition["operator"] is None:
        return f"no value: {measure}"
    value, against = figures(observed, limit, unit)
    needed = _NEEDED[condition["operator"]].format(against)
    if observed is None:
        return f"{measure}: {needed}" if limit is not None else f"too few {measure}"
    named = f"{value} {measure}" if unit in COUNTS else f"{measure} {value}"
    return f"{named}, {needed}" if limit is not None else f"{named}, too few"


def _not_collected(row: Mapping[str, Any]) -> str:
    classes, views = row["missing_classes"] or (), row["missing_views"] or ()
    parts = [f"no {' or '.join(classes)} records"] if classes else []
    if not classes:
        titles = (f'"{sqlfile.views()[view].title}" (view {view})' for view in views)
        parts += [f"the data has no rows for {', '.join(titles)}"] if views else []
    columns = columns_text(row["missing_columns"] or ())
    parts += [f"which contain {columns}" if classes else f"no {columns}"] if columns else []
    text = ", ".join(parts)
    return text + (f"; collect them with {row['collect_command']}" if row["collect_command"] else "")


def _is(row: Mapping[str, Any]) -> str:
    return "are" if len(row["missing_columns"]) > 1 else "is"


def short_text(row: Mapping[str, Any]) -> str:
    """The section that is too short, and the level that wrote it. It does not name the first release with a longer
    section.
    """
    return f"section {row['short_structure'].upper()} of MQ {row['found_mq_level']} has {formatted(row['short_section_bytes'], '')} bytes"


def columns_text(columns: Any) -> str:
    """Columns as text: description and name of each (the descriptions contain commas)."""
    return " and ".join(map(_described, columns))


def _described(name: str) -> str:
    view, _, column = name.partition(".")
    doc = sqlfile.views()[view].columns[column].doc.rstrip(".").partition(";")[0].partition(":")[0]
    first = doc.partition(" ")[0]
    name_of_its_own = len(first) > 1 and not (first[1:].isalpha() and first[1:].islower())  # SMF, OpenTelemetry, Db2
    return f"{doc if name_of_its_own else doc[:1].lower() + doc[1:]} ({name})"


def advice_of(row: Mapping[str, Any]) -> str | None:
    """The column `advice` of view finding: the problem and what to do, or why the rule was not judged; None if it is
    clear.
    """
    if row["figures"]:
        return " ".join(text for text in (summary_of(row), remedy_of(row), few_of(row)) if text)
    reason = reason_of(row)
    if not reason:
        return None
    if row["state"] in (states.OFF, states.BROKEN):
        return f"{reason[0].upper()}{reason[1:]}."
    return f"{row['state'][0].upper()}{row['state'][1:]}: {reason}."
