"""A program that lists the folder of a table sees the files of one state, whenever it looks, and an open reader keeps the state that it opened."""

from __future__ import annotations

import errno
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from mqstat.cli import run
from mqstat.dataset import folders, log, snapshot, store
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.intake import ingest as ingesting
from mqstat.intake.open_data import open_data
from tests.fault_points import hooked
from tests.support import file_of, small_dump

SYSTEMS = ("", "no exchange", "no link")

Listing = dict[str, frozenset[str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of two dumps with rows of the same days, which are not merged."""
    root = tmp_path_factory.mktemp("folders")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingesting, "merge_as_it_grows", lambda _, manifest, **__: manifest)
        for number in (1, 2):
            dump = file_of(small_dump() * number, root, f"dump{number}.smf")
            assert run(["ingest", str(dump), "--into", str(root / "set")]) == 0
    return root / "set"


@pytest.fixture
def dataset(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "set"))


def listing(dataset: Path) -> Listing:
    """The names of the files that a program finds in each folder of a table."""
    paths = [path.relative_to(dataset).parts for path in dataset.glob("[!_.]*/*.parquet")]
    return {table: frozenset(name for own, name in paths if own == table) for table, _ in paths}


def merge(dataset: Path) -> None:
    assert run(["compact", str(dataset)]) == 0


def drop(dataset: Path) -> None:
    assert run(["prune", str(dataset), "--before", "2026-03-29"]) == 0


def replace(dataset: Path) -> None:
    """A longer copy of the second dump takes its place, with several files in a table."""
    dump = file_of(small_dump() * 3, dataset.parent, "dump2.smf")
    assert run(["ingest", str(dump), "--into", str(dataset)]) == 0


def restrict(system: str, patch: pytest.MonkeyPatch) -> None:
    """Have folders change as on another system."""

    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    if system:
        patch.setattr(folders, "exchanged", lambda *_: False)
    if system == "no link":
        patch.setattr(os, "link", refused)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("act", [merge, drop, replace])
def test_a_folder_has_the_files_of_one_state_at_every_step(
    act: Callable[[Path], None], system: str, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restrict(system, monkeypatch)
    before, seen = listing(dataset), set[tuple[str, frozenset[str]]]()
    with monkeypatch.context() as patch:
        hooked(patch, lambda _: seen.update(listing(dataset).items()))
        act(dataset)
    after = listing(dataset)
    changed = {table for table in before | after if before.get(table) != after.get(table)}
    assert "record" in changed
    mixed = [(table, names) for table, names in seen if names not in (before.get(table), after.get(table), frozenset())]
    if system == "no link":  # files move one by one: never new ones next to those that they replace
        assert all(
            not (names & (before[table] - after[table]) and names - before[table])
            for table, names in mixed
            if act is not replace
        )
    elif act is replace:  # its own publish, and the merge after it
        assert len({names for table, names in mixed if table == "record"}) <= 1
    else:
        assert mixed == []
    assert verify(dataset).problems == []


def test_nothing_is_doubled_while_a_reader_is_open(dataset: Path) -> None:
    """Another program counts each row once after a merge, and the reader that was open before still reads its own state."""
    count = "SELECT count(*) AS n FROM decoded.record"
    glob = f"SELECT count(*) FROM read_parquet('{dataset}/record/*.parquet')"
    with open_data(dataset=dataset, tables=["record"]) as database, duckdb.connect() as other:
        before = database.rows(count)
        merge(dataset)
        assert other.execute(glob).fetchall() == [(before[0]["n"],)]
        assert database.rows(count) == before
        drop(dataset)
        assert other.execute(glob).fetchall()[0][0] < before[0]["n"]
        assert database.rows(count) == before


def test_an_open_folder_keeps_its_files(dataset: Path) -> None:
    """What docs/dataset.md gives to programs that must not fail: the folder is opened first, then listed."""
    handle = os.open(dataset / "record", os.O_RDONLY)
    path = Path(f"/proc/self/fd/{handle}")
    names = folders.names_in(path)
    merge(dataset)
    drop(dataset)
    assert folders.names_in(path) == names
    assert all((path / name).read_bytes() for name in names)
    os.close(handle)


def test_what_others_put_into_a_folder_stays_there(dataset: Path) -> None:
    (dataset / "record" / "notes.txt").write_text("mine")
    (dataset / "record" / "mine").mkdir()
    (dataset / "record" / "mine" / "file").write_text("mine too")
    merge(dataset)
    assert (dataset / "record" / "notes.txt").read_text() == "mine"
    assert (dataset / "record" / "mine" / "file").read_text() == "mine too"


def test_replaced_folders_are_bounded_by_bytes(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many bytes are deleted by the next writer; what was replaced an hour ago or less waits until no reader is there."""
    monkeypatch.setattr(folders, "LEAST_BYTES", 0)
    monkeypatch.setattr(folders, "SHARE", 1 << 60)
    with store.reading(dataset):
        merge(dataset)
        with store.writing(dataset):
            pass
        assert folders.retired_paths(dataset)
    with store.writing(dataset):
        pass
    assert folders.retired_paths(dataset) == set()
    assert verify(dataset).problems == []


def test_a_file_of_the_manifest_that_left_its_folder_is_missing(dataset: Path) -> None:
    """Though a replaced folder has it too: other programs do not see it."""
    merge(dataset)
    (file,) = [entry.path for entry in open_dataset(dataset).manifest.files if entry.path.startswith("source/")]
    (dataset / folders.RETIRED / "source-1").mkdir()
    (dataset / file).rename(dataset / folders.RETIRED / "source-1" / Path(file).name)
    assert f"{file}: the file is missing." in verify(dataset).problems


def test_a_line_that_is_completed_while_it_is_read_is_the_last_one() -> None:
    """A reader of the log meets half of a line, and the other half when it looks for the next one."""

    class Growing(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            return halves.pop(0) if halves else b""

    halves = [b"whole\n", b"ha", b"lf\n"]
    assert list(log.lines_of(Growing()))[:2] == [(b"whole", False), (b"", True)]


def test_folders_of_the_dataset_take_no_other_files(dataset: Path) -> None:
    for name in (folders.RETIRED, snapshot.SNAPSHOTS, "_delta"):
        (dataset / name / "x").mkdir(parents=True, exist_ok=True)
        assert run(["views", str(dataset), "--into", str(dataset / name / "x" / "mq.duckdb")]) == 16
