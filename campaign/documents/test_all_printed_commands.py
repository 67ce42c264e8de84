"""Every kind of command that mqstat prints about any scenario runs where it was printed, and is about what it was
printed for.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.estates import judged_together
from tests.test_printed_commands import folder as folder  # noqa: PLC0414 - a fixture
from tests.test_printed_commands import run_printed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", judged_together())
def test_what_is_printed_runs(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_printed(name, folder, capsys, monkeypatch)
