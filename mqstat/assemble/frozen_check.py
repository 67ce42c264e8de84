"""Checks a frozen folder: its files are those that SHA256SUMS lists, with the content that they had when they were
written.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mqstat.assemble.frozen_folder import ORIGIN, STAGING, SUMS, paths_below, sums_of
from mqstat.dataset.publishing import checksum


@dataclass(frozen=True)
class Checked:
    """The number of files that were checked, and what is wrong."""

    files: int
    problems: list[str]


def check_folder(folder: Path) -> Checked:
    """Check a frozen folder."""
    present, sums = set(paths_below(folder)), sums_of(folder)
    if not {ORIGIN, SUMS} <= present:
        absent = min({ORIGIN, SUMS} - present)
        reason = (
            f"a run was stopped or is writing it ({STAGING})" if (folder / STAGING).is_dir() else f"{absent} is missing"
        )
        return Checked(0, [f"{folder}: is incomplete: {reason}; write it again with: mqstat export folder"])
    if ORIGIN not in sums:
        return Checked(0, [f"{SUMS}: is not a list that mqstat has written"])
    problems = []
    for path, digest in sums.items():
        if path not in present:
            problems.append(f"{path}: is missing")
        elif (folder / path).is_symlink():
            problems.append(f"{path}: is a symbolic link")
        elif (actual := checksum(folder / path)) != digest:
            problems.append(f"{path}: the content has changed since it was written (SHA-256 {actual})")
    problems += [f"{path}: is not in {SUMS}" for path in sorted(present - {*sums, SUMS})]
    return Checked(len(sums), problems)
