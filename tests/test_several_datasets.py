"""Several datasets are not read as one."""

from __future__ import annotations

from pathlib import Path

import pytest

import mqstat
from mqstat.base.errors import ONE_DATASET, DatasetError, UsageError
from tests.support import file_of, invoke, small_dump


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
