"""Exceptions of a site file: which findings are accepted and until when, and which exceptions have ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mqstat.assemble.model import Finding
from mqstat.base.formatting import clean
from mqstat.sql.site import Override, Site


def accepted_lines(site: Site) -> Iterable[str]:
    """The rules that the site switches off, with the reason and the last day."""
    return (
        _text(override, f"until {override.until}" if override.until else "without an end")
        for override in site.overrides
        if override.off
    )


def with_exceptions(findings: Iterable[Finding], site: Site) -> tuple[Finding, ...]:
    """The findings with the exceptions that ended before the data and would apply to one of their subjects."""
    return tuple(
        replace(
            finding,
            expired=tuple(
                _text(override, f"expired on {override.until}")
                for override in site.ended
                if override.rule_id == finding.rule_id
                and any(override.holds(at.row["lpar"], at.row["qmgr"], at.row["subject"]) for at in finding.subjects)
            ),
        )
        for finding in findings
    )


def _text(override: Override, until: str) -> str:
    where = f" {override.where}" if override.where else ""
    return clean(f"{override.rule_id}{where}: {until}: {override.reason}")
