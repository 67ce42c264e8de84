"""Planted faults are found: each by the test that found it last, else by any test of its tier, which are then run until one fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

import pytest

from campaign.copies import Copy, copy_tree
from campaign.planted import SHARE, Fault, faults
from campaign.statement_mutants import changed

FAULTS = faults()
TIERS = {"test": ("tests", "-m", "not slow"), "test-ci": ("campaign", "tests", "-m", "slow", "--slice", "due")}
"""The tests of a tier, as pytest selects them (Makefile)."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """A copy of the tree for this process."""
    folder = tmp_path_factory.mktemp("planted") / "tree"
    folder.mkdir()
    copy_tree(folder)
    yield Copy(folder)
    shutil.rmtree(folder)


def failed(copy: Copy, fault: Fault, tests: Sequence[str]) -> str:
    """The first of some tests that fails with a fault in place; empty if none does."""
    path = copy.folder / fault.file
    sound, before = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(changed(fault, copy.folder), encoding="utf-8", newline="\n")
    later = before.st_mtime + 2 + [*FAULTS].index(fault.name)
    os.utime(path, (before.st_atime, later))  # else a compiled copy counts as current
    try:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests]
        done = subprocess.run(command, cwd=copy.folder, env=copy.env, capture_output=True, encoding="utf-8")
    finally:
        path.write_text(sound, encoding="utf-8", newline="\n")
        os.utime(path, (before.st_atime, before.st_mtime))
    if done.returncode in (0, 4, 5):  # 4: there is no such test (any more)
        return ""
    found = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return found[0] if found else f"pytest ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, copy: Copy, record_property: Callable[[str, object], None]) -> None:
    fault = FAULTS[name]
    test = failed(copy, fault, [fault.found_by]) if fault.found_by else ""
    if not test:
        test = failed(copy, fault, [*TIERS[fault.tier], "-n", "2"])
        print(test)
    record_property("faults found" if test else "faults missed", 1)
    assert test or fault.missed, "no test fails: write one, or state in campaign/planted.toml why none should"


def test_enough_faults_are_found() -> None:
    """Of those that were written blindly, by what is stated about them; the tests above hold the statements."""
    blind = [fault for fault in FAULTS.values() if fault.wrong]
    first = [fault for fault in blind if fault.tier == "test" and not fault.missed]
    second = [fault for fault in blind if fault.tier == "test-ci" and not fault.missed]
    assert len(first) >= SHARE * len(blind)
    assert 2 * len(second) >= len(blind) - len(first)
