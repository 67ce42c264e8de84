"""What a site changes in a rule for one subject: thresholds, severity, and whether the rule is on. The most specific
override applies.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from mqstat.judge.model import SEVERITIES, Rule
from mqstat.sql.site import Override

Overrides = tuple[Override, ...]
"""Overrides of one rule, the more specific ones later."""


def narrowest(overrides: Overrides, lpar: str | None, qmgr: str | None, subject: str | None) -> Override | None:
    """The most specific override that applies to a subject."""
    holds = [o for o in overrides if o.holds(lpar, qmgr, subject)]
    return holds[-1] if holds else None


def starts_off(rule: Rule) -> bool:
    """Whether the rule is off unless the site switches it on. A rule that needs a site fact is switched on by that
    fact.
    """
    return not rule.default_on and not rule.site_facts


def off_everywhere(rule: Rule, overrides: Overrides) -> str | None:
    """Why the site switched a rule off everywhere; empty if it is off by default, None if it must run."""
    everywhere = [override for override in overrides if override.rank == (False, False, False)]
    off = next((override.off for override in reversed(everywhere) if override.off is not None), starts_off(rule))
    narrower_on = any(override.off is False for override in overrides if override not in everywhere)
    if not off or narrower_on:
        return None
    return next((override.reason for override in reversed(everywhere) if override.off), "")


def off_for(rule: Rule, overrides: Overrides, lpar: str | None, qmgr: str | None, subject: str | None) -> str | None:
    """Why the site switched a rule off for a subject; empty if it is off by default, None if it is on."""
    off = "" if starts_off(rule) else None
    for o in overrides:
        if o.off is not None and o.holds(lpar, qmgr, subject):
            off = o.reason if o.off else None
    return off


def values(rule: Rule, overrides: Overrides, under: Override | None) -> tuple[dict[str, float], dict[str, str]]:
    """Thresholds in force under an override and the less specific ones, each with its source; defaults if there is no
    override.
    """
    thresholds = {threshold.name: threshold.value for threshold in rule.thresholds.values()}
    origin = dict.fromkeys(thresholds, "default")
    for o in overrides:
        if under is not None and o.around(under):
            thresholds.update(o.thresholds)
            origin.update(dict.fromkeys(o.thresholds, o.scope))
    return thresholds, origin


def severity(
    rule: Rule, overrides: Overrides, lpar: str | None, qmgr: str | None, subject: str | None, rank: int | None
) -> str:
    """Severity from the site file, otherwise of the worst row in breach (`rank`, 0 = critical), otherwise of the
    rule.
    """
    for o in reversed(overrides):
        if o.severity is not None and o.holds(lpar, qmgr, subject):
            return o.severity
    return rule.severity if rank is None else SEVERITIES[rank]


def with_numbers(text: str, thresholds: Mapping[str, float]) -> str:
    """SQL with its `$threshold` parameters replaced with numbers."""
    return Template(text).safe_substitute({name: repr(value) for name, value in thresholds.items()})
