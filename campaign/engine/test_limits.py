"""Limits of memory and time: one sentence, whatever library fails first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from mqstat.cli import run
from mqstat.cli.limited import OUT_OF_MEMORY
from tests.support import file_of, small_dump

resource = pytest.importorskip("resource")


@pytest.mark.parametrize("error", [MemoryError(), duckdb.OutOfMemoryException("Out of Memory Error: no space left")])
def test_memory_that_runs_out_is_one_sentence(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("mqstat.intake.open_data.open_workspace", fail)
    assert run(["report", str(file_of(small_dump(), tmp_path))]) == 16
    assert capsys.readouterr().err == f"mqstat: {OUT_OF_MEMORY}\n"


def test_a_query_ends_after_its_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = file_of(small_dump(), tmp_path)
    assert run(["sql", "SELECT count(*) FROM range(100000000000)", str(dump), "--timeout", "0.5"]) == 16
    assert "did not end within 0.5 seconds" in capsys.readouterr().err
    assert run(["sql", "SELECT count(*) FROM record", str(dump), "--timeout", "60"]) == 0


LIMITED = "from mqstat.sql import memory; memory.query_limit = lambda: 2 << 30; from mqstat.cli import main; main()"


def sql(dump: Path, query: str, *options: str, code: str = "from mqstat.cli import main; main()") -> tuple[int, str]:
    """The return code and the errors of `mqstat sql` in a process of its own."""
    given = [sys.executable, "-c", code, "sql", query, str(dump), *options]
    done = subprocess.run(given, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("distances", ["SELECT {}", "SELECT {} FROM record", "SELECT {} + record_id FROM record"])
def test_a_call_that_cannot_be_interrupted_ends_with_the_process(distances: str, tmp_path: Path) -> None:
    """A distance of two long texts is one call; where both are constants, the plan has its value already."""
    query = distances.format("levenshtein(repeat('a', 400000), repeat('b', 400000))")
    returned, errors = sql(file_of(small_dump(), tmp_path), query, "--timeout", "0.5")
    assert (returned, errors) == (
        16,
        "mqstat: The query did not end within 0.5 seconds (--timeout) and was stopped.\n",
    )


@pytest.mark.parametrize(
    "query",
    [
        "SELECT length(repeat('x', 3000000000))",
        "SELECT length(repeat('x', 3000000000)) + record_id FROM record",
        "SELECT sum(length(repeat('x', 1000000000 + record_id::INT % 2))) FROM record, range(4)",
        "SELECT list(repeat('x', 1000000 + record_id::INT % 2)) FROM record, range(10000)",
    ],
)
def test_values_of_a_query_have_a_limit(query: str, tmp_path: Path) -> None:
    returned, errors = sql(file_of(small_dump(), tmp_path), query, code=LIMITED)
    assert returned == 16
    assert "emory" in errors
    assert errors.count("\n") == 1
    assert "unexpected" not in errors


def test_the_limit_of_memory_ends_with_the_query(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    assert run(["sql", "SELECT count(*) FROM record", str(file_of(small_dump(), tmp_path))]) == 0
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
