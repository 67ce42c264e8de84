"""The reports of a few scenarios contradict their data if the code that states a result is wrong
(campaign/statement_mutants.py, tests/truth.py).
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from campaign.slices import ROOT
from campaign.statement_mutants import MUTANTS


@pytest.mark.parametrize("number", range(len(MUTANTS)), ids=[mutant.name for mutant in MUTANTS])
def test_a_wrong_statement_is_noticed(number: int) -> None:
    command = [sys.executable, "-m", "campaign.statement_mutants", str(number)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "no scenario contradicts its data"
