"""A finding as every format writes it: its fields with their values, one sentence, and the lines of a site file that accept it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from mqstat.assemble.finding_model import Finding
from mqstat.base.formatting import clean, plural, steady, toml_key
from mqstat.judge.states import BROKEN
from mqstat.sql.site import Override

LISTS = ("culprits", "victims", "caused_by", "missing_classes", "missing_views", "missing_columns", "missing_facts")
"""Columns of view finding that are lists, empty where there is nothing."""


def fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of view finding, or some of them, by name: lists and figures as such, numbers with 12 digits."""
    return {name: value_of(name)(value) for name, value in row.items()}


@cache
def value_of(name: str) -> Callable[[Any], Any]:
    """Converts the values of a column of view finding: lists, figures as an object, conditions as a list of objects."""
    if name == "figures":
        return lambda text: _steady(json.loads(text)) if text else None
    if name == "clauses":
        return lambda text: list(map(_steady, json.loads(text))) if text else []
    if name in LISTS:
        return lambda value: value or []
    return plain


def plain(value: Any) -> Any:
    """A value as formats for programs have it: fractions with 12 digits, None if they are not finite."""
    return (steady(value) if math.isfinite(value) else None) if isinstance(value, float) else value


def _steady(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in values.items()}


def sentence(finding: Finding) -> str:
    """A finding on one line: rule, worst subject, what is wrong, how bad it is, and the number of its other subjects."""
    if finding.severity == BROKEN:
        return f"{finding.rule_id} {finding.summary.rstrip('.')}"
    where = f"{finding.location}: " if finding.location else ""
    others = f" and {plural(len(finding.others), 'more subject')}" if finding.others else ""
    return f"{finding.rule_id} {where}{finding.title} ({finding.rating}){others}"


# --- exceptions of a site file

ACCEPTED_SUBJECTS = 3
"""Subjects of a finding that are accepted one by one; of a finding with more, the rule is switched off on the queue manager."""


def accept_lines(finding: Finding) -> str:
    """Lines for the site file that switch off exactly this finding. A site file with an empty reason is refused, so each must be filled in."""
    is_estate = len(finding.qmgrs) > 1
    subjects = [at.row["subject"] for at in finding.subjects]
    named: list[str | None] = [None] if is_estate or len(subjects) > ACCEPTED_SUBJECTS or None in subjects else subjects
    row, path = finding.row, ["rules", finding.rule_id]
    if not is_estate:
        path += ["lpar", toml_key(row["lpar"])] if row["lpar"] and (not row["qmgr"] or "." in finding.key) else []
        path += ["qmgr", toml_key(row["qmgr"])] if row["qmgr"] else []
    return "\n".join(
        f"[{'.'.join([*path, *(['subject', toml_key(subject)] if subject else [])])}]\n"
        'off = true\nreason = ""  # why, and who agreed\nuntil = 2999-12-31  # last day of the exception'
        for subject in named
    )


def accepted_text(override: Override) -> str:
    """A rule that the site switches off, with the last day and the reason."""
    where = f" {override.where}" if override.where else ""
    until = f"until {override.until}" if override.until else "without an end"
    return clean(f"{override.rule_id}{where} {until}: {override.reason}")
