"""What was removed answers with what to do instead (mqstat/base/removed.py)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqstat.base.removed import REMOVED, instead
from mqstat.cli import run
from tests.each import each

FILES: dict[str, Callable[[str, Path], list[str]]] = {}
"""For each kind of file with keys: writes one with a removed key, and returns the arguments of a command that reads it."""


@each(REMOVED)
def test_a_removed_name_answers_with_what_to_do_instead(
    row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, *owner, name = row.split()
    if kind == "command":
        given = [*owner, name]
    elif kind == "option":
        given = ["check" if word == "*" else word for word in owner] + [name]
    elif kind == "format":
        given = ["check", "no-dump.smf", "--format", name]
    else:
        given = FILES[owner[0]](name, tmp_path)
    assert run(given) in (12, 16)
    text = capsys.readouterr().err
    assert REMOVED[row] in text
    assert f"The {kind} {name} was removed: " in text
    assert "did you mean" not in text
    assert "Traceback" not in text


def test_other_names_are_not_removed() -> None:
    assert instead("command", "report") is None
