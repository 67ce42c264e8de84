"""Planted faults are found: each by the test that found it last, else by any test of its tier, which are then run until
one fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from campaign.copies import Copy, copy_tree
from campaign.planted import SHARE, Fault, faults
from campaign.statement_mutants import changed

FAULTS = faults()
THERE = "--deselect tests/test_truth.py::test_a_planted_fault_changes_its_file --ignore campaign/test_planted.py --ignore campaign/test_merges.py".split()
"""Left out in a copy with a planted fault: tests that compare the copy with itself, and those that copy the tree."""
TIERS = {"test": ("tests", "-m", "not slow"), "test-ci": ("campaign", "tests", "-m", "slow", "--slice", "1")}
"""The tests of a tier, as pytest selects them (Makefile)."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """A copy of the tree for this process."""
    folder = tmp_path_factory.mktemp("planted") / "tree"
    folder.mkdir()
    copy_tree(folder)
    yield Copy(folder)
    shutil.rmtree(folder)


def failed(copy: Copy, fault: Fault | None, *tests: str) -> str:
    """The first of some tests that fails with a fault in place, or without one; empty if none does."""
    if fault is None:
        return _failed(copy, *tests)
    path = copy.folder / fault.file
    sound, before = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(changed(fault, copy.folder), encoding="utf-8", newline="\n")
    later = before.st_mtime + 2 + [*FAULTS].index(fault.name)
    os.utime(path, (before.st_atime, later))  # else a compiled copy counts as current
    try:
        return _failed(copy, *tests)
    finally:
        path.write_text(sound, encoding="utf-8", newline="\n")
        os.utime(path, (before.st_atime, before.st_mtime))


def _failed(copy: Copy, *tests: str) -> str:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *THERE, *tests]
    done = subprocess.run(command, cwd=copy.folder, env=copy.env, capture_output=True, encoding="utf-8")
    found = re.findall(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return found[0] if found and done.returncode in (1, 2) else ""  # 2: a file cannot be imported


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, copy: Copy, record_property: Callable[[str, object], None]) -> None:
    """By a test that does not fail without it."""
    fault = FAULTS[name]
    mark = "not slow" if fault.tier == "test" else "slow"
    test = failed(copy, fault, *fault.found_by.split(), "-m", mark) if fault.found_by else ""
    if not test:
        test = failed(copy, fault, *TIERS[fault.tier], "-n", "2")
        print(f"found by {test}")
    record_property("faults found" if test else "faults missed", 1)
    assert bool(test) != bool(fault.missed), (
        f"campaign/planted.toml states something else than: {test or 'no test fails'}"
    )
    assert not test or not failed(copy, None, test), f"{test} fails without the fault, too"


def test_enough_faults_are_found() -> None:
    """Of those that were written blindly, as campaign/planted.toml states it."""
    blind = [fault for fault in FAULTS.values() if fault.wrong]
    first = [fault for fault in blind if fault.tier == "test" and not fault.missed]
    second = [fault for fault in blind if fault.tier == "test-ci" and not fault.missed]
    assert len(first) >= SHARE * len(blind)
    assert 2 * len(second) >= len(blind) - len(first)
