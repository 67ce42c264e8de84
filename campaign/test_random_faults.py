"""Random faults: of records and their framing, of files, of commands, of system calls while a dataset changes, and two
writers at once.

Each batch of trials runs in a process of its own: `python -m campaign.random_faults records 17`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from campaign.random_faults import KINDS
from campaign.random_faults.faults import compiled
from campaign.slices import ROOT

COUNTED = (
    "untouched records",
    "values compared",
    "damaged files",
    "sections",
    "pairs of faults",
    "single faults",
    "races",
    "lost",
    "lost by framing",
    "invented",
    "ruined",
    "admitted",
)

BATCHES = sorted(
    ((kind, batch) for kind, given in KINDS.items() for batch in range(given.batches)),
    key=lambda pair: (pair[1] / KINDS[pair[0]].batches, pair[0]),
)
"""All kinds are spread over all slices."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The library that makes system calls fail."""
    return compiled(tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize(("kind", "batch"), BATCHES)
def test_a_batch(kind: str, batch: int, library: Path | None, record_property: Callable[[str, object], None]) -> None:
    environment = {**os.environ}
    if KINDS[kind].function.startswith("faults."):
        if library is None:
            pytest.skip("no C compiler: system calls cannot be made to fail")
        environment["LD_PRELOAD"] = str(library)
    command = [sys.executable, "-m", "campaign.random_faults", kind, str(batch)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    record_property(f"trials of {kind}", KINDS[kind].trials)
    for name in COUNTED:
        if found["figures"].get(name):
            record_property(name, found["figures"][name])
    assert len(found["faults"]) <= KINDS[kind].may_fail, "\n".join(found["faults"])
    assert found["figures"]
