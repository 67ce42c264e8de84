"""docs/scale.md: its commands run from top to bottom."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

DOCS = ROOT / "docs"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder with the program `mqstat`."""
    program = tmp_path / "bin" / "mqstat"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m mqstat "$@"\n')
    program.chmod(0o755)
    return tmp_path


def done(machine: Path, script: str) -> str:
    """The output of a script on a machine."""
    path = f"{machine / 'bin'}:{os.environ['PATH']}"
    ended = subprocess.run(
        ["sh", "-ec", script], cwd=machine, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_scale_works_from_top_to_bottom(machine: Path) -> None:
    text = (DOCS / "scale.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    printed = done(machine, "\n".join(blocks))
    assert "added as source 1" in printed
    assert "sample.smf" in printed
