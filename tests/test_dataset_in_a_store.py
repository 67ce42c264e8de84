"""A dataset in an object store, on a server of S3: all commands, two writers at once, writers that are killed or sleep
and are taken over.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqstat.base import object_store
from mqstat.cli import run
from mqstat.dataset import steps
from mqstat.dataset.place import ObjectPlace
from mqstat.dataset.steps import Writer
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from tests.object_stores import hour, s3_server, tables_of
from tests.support import difference, file_of
from tests.test_steps import KilledError, killed, of_the_ingest, stopping

pytestmark = pytest.mark.slow

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    with s3_server() as environment:
        yield environment


@pytest.fixture
def home(server: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where there is nothing yet. A writer waits for another one no longer than it must."""
    for name, value in server.items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    object_store.store_of.cache_clear()
    monkeypatch.setattr(steps, "PATIENCE_SECONDS", 0)
    return f"s3://test/{tmp_path.name}"


def dump(folder: Path, number: int) -> str:
    return str(file_of(hour(number), folder, f"h{number:02}.smf"))


def printed(captured: Captured, home: str, *words: str) -> list[str]:
    """The words that a command prints, with HOME for the place of the dataset."""
    assert run([*words, "--from", home]) in (0, 4)
    return captured.readouterr().out.replace(home, "HOME").replace("\\\n", "").split()


def test_commands_do_what_they_do_with_a_folder(home: str, tmp_path: Path, capsys: Captured) -> None:
    folder = str(tmp_path / "set")
    for into in (home, folder):
        for number in (1, 2, 25):
            assert run(["ingest", dump(tmp_path, number), "--into", into, "--jobs", "1"]) == 0
    for change in (["verify", "--rows"], ["compact"], ["verify"], ["prune", "--before", "2026-03-29"], ["verify"]):
        for into in (home, folder):
            assert run([change[0], into, *change[1:]]) == 0, change
        capsys.readouterr()
        for words in (["report"], ["check"], ["sql", "SELECT * FROM buffer_pool ORDER BY ALL"]):
            assert printed(capsys, home, *words) == printed(capsys, folder, *words), change
    assert difference(tables_of(ObjectPlace(home)), tables_of(tmp_path / "set")) == []


def test_of_two_writers_one_is_first_and_the_other_begins_again(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["ingest", dump(tmp_path, 0), "--into", home]) == 0
    first, second = dump(tmp_path, 1), dump(tmp_path, 2)

    def meanwhile() -> None:
        patch.undo()
        assert run(["ingest", second, "--into", home]) == 0

    with monkeypatch.context() as patch:
        stopping(patch, 2, meanwhile, before=True)  # its "begin"
        assert run(["ingest", first, "--into", home]) == 0
    assert sorted(each.name for each in open_dataset(ObjectPlace(home)).manifest.sources) == [
        "h00.smf",
        "h01.smf",
        "h02.smf",
    ]
    assert verify(ObjectPlace(home), rows=True).problems == []


@pytest.mark.parametrize("sleeps", [False, True])
def test_a_writer_that_is_killed_or_sleeps_is_taken_over(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured, sleeps: bool
) -> None:
    """After "begin", and after the last commit of a table."""
    place = ObjectPlace(home)
    assert run(["ingest", dump(tmp_path, 0), "--into", home]) == 0
    with monkeypatch.context() as patch:
        committed = stopping(patch, 0, killed)
        assert run(["ingest", dump(tmp_path, 1), "--into", home]) == 0
    last = len(of_the_ingest(committed))
    for number, stopped_at in enumerate((2, last - 1), 2):

        def act() -> None:
            patch.undo()
            if not sleeps:
                raise KilledError
            assert run(["ingest", dump(tmp_path, 20), "--into", home]) == 16
            assert "has been writing to this dataset since" in capsys.readouterr().err
            patch.setattr(steps, "LEASE", dt.timedelta(0))
            Writer(place).begun()
            patch.undo()

        with monkeypatch.context() as patch:
            stopping(patch, stopped_at, act)
            try:
                assert run(["ingest", dump(tmp_path, number), "--into", home]) == 16
                assert "has taken over this dataset meanwhile" in capsys.readouterr().err
            except KilledError:
                assert not sleeps
        monkeypatch.setattr(steps, "LEASE", dt.timedelta(0))
        assert run(["ingest", dump(tmp_path, number), "--into", home]) == 0
        monkeypatch.setattr(steps, "LEASE", dt.timedelta(minutes=10))
        assert len(open_dataset(place).manifest.sources) == number + 1
        assert verify(place, rows=True).problems == [], stopped_at
