"""Results kept for the next run: the same as without them, whatever happens to the files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqstat.base import remembered
from mqstat.base.remembered import VARIABLE, Remembered, own
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.rules import lineage
from mqstat.rules.model import rules
from mqstat.sql import needed, sqlfile

pytestmark = pytest.mark.slow

MODULE = str(needed.__file__)
SHORT = own("SELECT lpar, qmgr FROM log")
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut off": lambda data: data[:-1],
    "a changed byte": lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
    "only a hash": lambda data: data[:16],
    "nonsense": lambda _: os.urandom(1000),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "kept"))
    return tmp_path / "kept"


def counted() -> tuple[Callable[[str], int], list[str]]:
    """A function of a text, and the texts that it was called with."""
    calls: list[str] = []

    def length(text: str) -> int:
        calls.append(text)
        return len(text)

    return length, calls


def path_of(results: Remembered) -> Path:
    assert results.path is not None
    return results.path


def test_every_result_is_the_same_after_it_was_kept() -> None:
    bodies = [view.body.rstrip(";") for view in sqlfile.views().values()]
    texts = [*bodies, *(rule.select for rule in rules().values()), *sqlfile.reports().texts()]
    headers = [text.split("/*---\n")[1].split("---*/")[0] for text in sqlfile.reports().texts()]
    of: list[tuple[Callable[[str], Any], list[str]]] = [
        (needed._words, texts),
        (needed._after_from, texts),
        (needed._parts_of_select, texts),
        (lineage._node, bodies[::10]),
        (sqlfile._table, headers),
    ]
    first, second = Remembered(MODULE), Remembered(MODULE)
    for function, given in of:
        for text in given:
            first.of(function, own(text))
    first.write()
    for function, given in of:
        for text in given:
            assert second.of(function, text) == function(text)
    assert not second.has_new, "a result was worked out again"


def test_a_result_is_worked_out_once(folder: Path) -> None:
    length, calls = counted()
    for _ in range(2):
        results = Remembered(MODULE)
        assert [results.of(length, SHORT), results.of(length, SHORT)] == [len(SHORT)] * 2
        results.write()
    assert calls == [SHORT]
    assert [file.suffix for file in folder.iterdir()] == [".results"]
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_not_read(name: str) -> None:
    length, calls = counted()
    results = Remembered(MODULE)
    results.of(length, SHORT)
    results.write()
    path = path_of(results)
    sound = path.read_bytes()
    path.write_bytes(DAMAGE[name](sound))
    again = Remembered(MODULE)
    assert again.of(length, SHORT) == len(SHORT)
    assert calls == [SHORT, SHORT]
    again.write()
    assert path.read_bytes() == sound


def test_a_file_under_the_name_of_another_version_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    length, calls = counted()
    results = Remembered(MODULE, "duckdb")
    results.of(length, SHORT)
    results.write()
    before = path_of(results)
    monkeypatch.setattr(remembered, "_version", lambda library: f"{library} 99")
    after = Remembered(MODULE, "duckdb")
    assert path_of(after) != before
    path_of(after).write_bytes(before.read_bytes())
    assert after.of(length, SHORT) == len(SHORT)
    assert calls == [SHORT, SHORT]


def test_nothing_is_kept_without_the_version_of_a_library(folder: Path) -> None:
    length, calls = counted()
    for _ in range(2):
        results = Remembered(MODULE, "no-such-library")
        assert results.of(length, SHORT) == len(SHORT)
        results.write()
    assert calls == [SHORT, SHORT]
    assert not folder.exists()


def test_a_file_that_others_could_have_written_is_not_read() -> None:
    length, calls = counted()
    results = Remembered(MODULE)
    results.of(length, SHORT)
    results.write()
    path_of(results).chmod(0o666)
    again = Remembered(MODULE)
    assert again.of(length, SHORT) == len(SHORT)
    assert calls == [SHORT, SHORT]
    again.write()
    assert Remembered(MODULE).of(length, SHORT) == len(SHORT)
    assert calls == [SHORT, SHORT], "the file is that of this user again"


def test_results_of_other_code_are_not_read(tmp_path: Path) -> None:
    module = tmp_path / "needed.py"
    module.write_text("LIMIT = 5\n", encoding="utf-8")
    before = path_of(Remembered(str(module)))
    remembered._code.cache_clear()
    module.write_text("LIMIT = 6\n", encoding="utf-8")
    assert path_of(Remembered(str(module))) != before
    remembered._code.cache_clear()
    module.unlink()
    assert Remembered(str(module)).path is None


@pytest.mark.parametrize("where", ["", "a file", "a file/below", "a folder at the place of the file"])
def test_without_a_folder_everything_is_worked_out(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a file").write_bytes(b"mine")
    monkeypatch.setenv(VARIABLE, str(tmp_path / where) if where else "")
    length, calls = counted()
    results = Remembered(MODULE)
    if where.startswith("a folder"):
        path_of(results).mkdir(parents=True)
    assert results.of(length, SHORT) == len(SHORT)
    results.write()
    assert Remembered(MODULE).of(length, SHORT) == len(SHORT)
    assert calls == [SHORT, SHORT]
    assert (tmp_path / "a file").read_bytes() == b"mine"
    assert not list(tmp_path.rglob("*.part"))


def test_the_folder_is_that_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert remembered.folder() == Path("/caches/mqstat")
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", "/home/op")
    assert remembered.folder() == Path("/home/op/.cache/mqstat")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert remembered.folder() is None


def test_old_files_of_other_versions_are_removed(folder: Path) -> None:
    folder.mkdir()
    others = {"needed-1.results": 31, "needed-2.results": 29, "lineage-1.results": 31}
    for name, days in others.items():
        (folder / name).write_bytes(b"")
        os.utime(folder / name, (0, (folder / name).stat().st_mtime - days * 86_400))
    results = Remembered(MODULE)
    results.of(len, SHORT)
    results.write()
    assert {file.name for file in folder.iterdir()} == {"needed-2.results", "lineage-1.results", path_of(results).name}


def test_a_file_that_grows_too_large_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "LARGEST", 3500)
    sizes = []
    for number in range(5):
        results = Remembered(MODULE)
        results.of(str.upper, own(f"SELECT {number} AS {'n' * 1000}"))
        results.write()
        sizes.append(len(Remembered(MODULE).read()))
    assert sizes == [1, 2, 3, 0, 1]


def test_a_report_is_the_same_with_results_without_and_with_damaged_ones(tmp_path: Path, folder: Path) -> None:
    dump = tmp_path / "pool.smf"
    dump.write_bytes(SCENARIOS["pool_exhausted"].build())

    def report() -> tuple[int, bytes, bytes]:
        command = [sys.executable, "-m", "mqstat", "report", str(dump), "--format", "json"]
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
        return done.returncode, done.stdout, done.stderr

    first = report()
    names = {file.name.partition("-")[0] for file in folder.iterdir()}
    assert names == {"needed", "lineage", "sqlfile"}
    assert report() == first
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    assert report() == first
    assert first[0] == 8
    assert first[2] == b""


def test_texts_of_users_are_not_kept(tmp_path: Path, folder: Path) -> None:
    dump = tmp_path / "SECRET.smf"
    dump.write_bytes(SCENARIOS["pool_exhausted"].build())
    query = "SELECT qmgr, 'SECRET' AS mine FROM buffer_pool WHERE qmgr <> 'SECRET'"
    command = [sys.executable, "-m", "mqstat", "sql", query, str(dump)]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    kept = [file.read_bytes() for file in folder.iterdir()]
    assert kept
    assert not [data for data in kept if b"SECRET" in data or b"secret" in data]
