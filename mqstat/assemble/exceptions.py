"""Exceptions of a site file: the lines that accept a finding, and exceptions in force as text."""

from __future__ import annotations

from mqstat.assemble.finding_model import Finding
from mqstat.base.formatting import clean, toml_key
from mqstat.sql.site import Override

NAMED = 3
"""Subjects of a finding that are accepted one by one; of a finding with more, the rule is switched off on the queue manager."""


def accept_lines(finding: Finding) -> str:
    """Lines for the site file that switch off exactly this finding. A site file with an empty reason is refused, so each must be filled in."""
    is_estate = len(finding.qmgrs) > 1
    subjects = [at.row["subject"] for at in finding.subjects]
    named: list[str | None] = [None] if is_estate or len(subjects) > NAMED or None in subjects else subjects
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
