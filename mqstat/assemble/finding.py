"""A finding as formats for programs write it: its fields with their values, and one sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from mqstat.assemble.finding_model import Finding
from mqstat.base.formatting import plural, steady
from mqstat.judge.states import BROKEN

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
