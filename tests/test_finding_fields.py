"""One change reaches every format: see tests/finding_fields.py."""

from __future__ import annotations

import subprocess
import sys

from tests.support import ROOT


def test_a_field_of_a_finding_reaches_every_format() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.finding_fields"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
