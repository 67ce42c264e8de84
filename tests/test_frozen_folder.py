"""`mqstat export folder`: read, recomputed and checked with nothing but the folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from mqstat.assemble import frozen_folder
from mqstat.assemble.frozen_check import check_folder
from mqstat.cli import run
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.sql import sqlfile

pytestmark = pytest.mark.slow

REPORTS = ("log/rate", "buffer_pool/io", "queue/local_summary", "channel/clients", "message_manager/persistence")

RECOMPUTE = """
import duckdb, json, sys
database = duckdb.connect()
database.execute(open("views.sql").read())
queries = {name: f'SELECT * FROM report."{name}"()' for name in sys.argv[1:]}
queries["unmarked"] = "SELECT * FROM decoded.unmarked_duplicate"
print(json.dumps({name: database.execute(query).fetchall() for name, query in queries.items()}, default=str))
"""


def as_text(rows: list[Any]) -> list[str]:
    """Rows in a fixed order, with nine digits of numbers, whose last bits depend on the order of additions."""
    shown = json.loads(json.dumps(rows, default=str))
    return sorted(str([f"{value:.8e}" if isinstance(value, float) else value for value in row]) for row in shown)


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A rich estate twice, so that each record has a duplicate, and a dump of another queue manager."""
    folder = tmp_path_factory.mktemp("dumps")
    for name, scenario in (("rich", "rich_estate"), ("again", "rich_estate"), ("late", "pool_exhausted")):
        (folder / f"{name}.smf").write_bytes(SCENARIOS[scenario].build())
    return [str(folder / f"{name}.smf") for name in ("rich", "again", "late")]


@pytest.fixture(scope="module")
def written(dumps: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("frozen") / "out"
    assert run(["export", "folder", *dumps[:2], "--into", str(into), "--views", "--jobs", "1"]) in (0, 4)
    return into


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(written, tmp_path / "out"))


def test_reports_are_recomputed_by_plain_duckdb(written: Path, dumps: list[str]) -> None:
    command = [sys.executable, "-I", "-c", RECOMPUTE, *REPORTS]
    done = subprocess.run(command, cwd=written, capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout)
    assert theirs["unmarked"] == []
    assert pq.read_table(written / "tables" / "record")["first_record_id"].null_count > 0
    with open_data(dumps[:2]) as database:
        for name in REPORTS:
            ours = database.ask(sqlfile.reports()[name].select).fetchall()
            assert as_text(theirs[name]) == as_text(ours), name
            assert ours, name


def test_rows_of_views_are_read_by_other_engines(written: Path) -> None:
    path = written / "views" / "buffer_pool"
    rows = pq.read_table(path).num_rows
    assert rows > 0
    for engine, read in (("pandas", "read_parquet"), ("polars", "read_parquet")):
        try:
            library = __import__(engine)
        except ImportError:
            continue
        assert len(getattr(library, read)(path)) == rows


def _change(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "path", "sentence"),
    [
        (_change, "tables/qpst/all.parquet", "the content has changed"),
        (_change, "views.sql", "the content has changed"),
        (_change, "ORIGIN.json", "the content has changed"),
        (Path.unlink, "tables/qpst/all.parquet", "is missing"),
        (Path.unlink, "ORIGIN.json", "ORIGIN.json is missing"),
        (Path.unlink, "SHA256SUMS", "SHA256SUMS is missing"),
        (lambda path: path.write_text("x"), "tables/qpst/other.parquet", "is not in SHA256SUMS"),
        (lambda path: path.write_text("x"), "SHA256SUMS", "is not a list that mqstat has written"),
    ],
)
def test_a_change_is_named(
    folder: Path, change: Callable[[Path], Any], path: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", str(folder)]) == 0
    assert ": clean." in capsys.readouterr().out
    change(folder / path)
    assert run(["verify", str(folder)]) == 12
    (problem,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("problem: ")]
    assert path in problem
    assert sentence in problem
    if change is _change and shutil.which("sha256sum"):
        command = ["sha256sum", "-c", "--quiet", "SHA256SUMS"]
        assert f"{path}: FAILED" in subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def state_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


def test_a_later_run_writes_only_what_changed(
    dumps: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(frozen_folder, "LARGE", 0)
    dataset, into = str(tmp_path / "set"), tmp_path / "out"
    command = ["export", "folder", "--from", dataset, "--into", str(into), "--views"]
    run(["ingest", dumps[0], "--into", dataset, "--jobs", "1"])
    assert run(command) in (0, 4)
    before = state_of(into)
    assert run(command) in (0, 4)
    assert "nothing has changed" in capsys.readouterr().out
    assert state_of(into) == before
    run(["ingest", dumps[2], "--into", dataset, "--jobs", "1"])
    assert run(command) in (0, 4)
    after = state_of(into)
    touched = {path for path in after if after[path][0] != before.get(path, (0, b""))[0]}
    differ = {path for path in after if after[path][1] != before.get(path, (0, b""))[1]}
    assert touched == differ
    assert {"ORIGIN.json", "SHA256SUMS"} < touched
    assert len(touched) < len(after)
    assert check_folder(into).problems == []
    assert json.loads((into / "ORIGIN.json").read_text())["generation"] > 1
    # Without --views their files go.
    assert run(command[:-1]) in (0, 4)
    assert not (into / "views").exists()
    assert check_folder(into).problems == []


def test_a_stopped_run_leaves_a_folder_that_is_incomplete(
    folder: Path, dumps: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = frozen_folder._move

    def stop(staged: Path, target: Path) -> None:
        if target.name == "ORIGIN.json":
            raise KeyboardInterrupt
        moved(staged, target)

    for into in (folder, tmp_path / "new"):
        command = ["export", "folder", dumps[2], "--into", str(into), "--jobs", "1"]
        monkeypatch.setattr(frozen_folder, "_move", stop)
        assert run(command) not in (0, 4)
        monkeypatch.setattr(frozen_folder, "_move", moved)
        (problem,) = check_folder(into).problems
        assert "is incomplete: a run was stopped" in problem
        assert run(["verify", str(into)]) == 12
        assert run(command) in (0, 4)
        assert check_folder(into).problems == []
        assert not (into / "_incomplete").exists()


def test_a_folder_with_other_files_is_refused(
    folder: Path, dumps: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["ingest", dumps[2], "--into", str(tmp_path / "set"), "--jobs", "1"])
    (folder / "notes.txt").write_text("mine")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "README.md").write_text("mine")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "tables").symlink_to(tmp_path / "site")
    capsys.readouterr()
    before = state_of(tmp_path)
    for into in (folder, tmp_path / "site", tmp_path / "linked", tmp_path / "set", tmp_path / "set" / "out"):
        assert run(["export", "folder", "--from", str(tmp_path / "set"), "--into", str(into)]) == 16, into
        assert "specify a" in capsys.readouterr().err
    assert state_of(tmp_path) == before
