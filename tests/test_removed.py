"""What was removed answers with what to do instead (mqstat/base/removed.py)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import mqstat
from mqstat.base.errors import DatasetError, UsageError
from mqstat.base.removed import ONE_DATASET, REMOVED, instead
from mqstat.cli import run
from tests.each import each
from tests.support import file_of, invoke, small_dump

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
        option = ["--write", f"x{name}"] if name.startswith(".") else ["--format", name]
        given = ["report", "no-dump.smf", *option]
    else:
        given = FILES[owner[0]](name, tmp_path)
    assert run(given) in (12, 16)
    text = capsys.readouterr().err
    assert REMOVED[row] in text
    assert f"The {kind} {' '.join(given) if kind == 'command' else name} was removed: " in text
    assert "did you mean" not in text
    assert "Traceback" not in text


def test_several_datasets_are_refused(tmp_path: Path) -> None:
    """--from twice, a folder of datasets and a list of datasets: one sentence, which is about the dumps."""
    sets = [tmp_path / "sites" / name for name in ("a", "b")]
    for folder in sets:
        assert invoke("ingest", file_of(small_dump(), tmp_path), "--into", folder).returncode == 0
    twice: list[str | Path] = ["--from", sets[0], "--from", sets[1]]
    refused: tuple[list[str | Path], ...] = (
        ["check", *twice], ["sql", "SELECT 1 FROM record", *twice], ["compare", "2026-01-01", "2026-01-02", *twice], ["verify", *twice],
        ["report", "--from", sets[0].parent], ["plan", "max_rate", "--from", sets[0].parent],
    )  # fmt: skip
    for words in refused:
        done = invoke(*words)
        assert (done.returncode in (12, 16), done.stderr.count("\n")) == (True, 1), done.stderr
        assert ONE_DATASET in done.stderr or words[0] == "verify"
    with pytest.raises(UsageError, match="one dataset, not a list"):
        mqstat.open_dataset(sets)  # type: ignore[arg-type]
    with pytest.raises(DatasetError, match="contains datasets \\(a\\)"):
        mqstat.open_dataset(sets[0].parent)


def test_other_names_are_not_removed() -> None:
    assert instead("command", "report") is None
