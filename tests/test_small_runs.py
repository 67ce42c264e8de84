"""A small run stays small: what it imports, and how many SQL statements it runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from tests.support import file_of

HEAVY = (
    "asyncio",
    "jinja2",
    "mqstat.render.document",
    "multiprocessing.connection",
    "numpy.random",
    "pydantic",
    "rich",
)
"""Modules that a text from a small dump does not need; together they take as long as decoding it."""


@pytest.mark.parametrize("command", ["check", "report"])
def test_a_small_run_imports_only_what_it_needs(command: str, tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["three_states"].build(), tmp_path)
    program = f"import sys; from mqstat.cli import run; run({[command, str(dump)]!r}); print(*sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stderr.strip() == "", f"import inside functions what loads {done.stderr.strip()}"
