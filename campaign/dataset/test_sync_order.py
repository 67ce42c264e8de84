"""Datasets and reports survive a power cut: contents are synced before the rename, the folder after it, the manifest last."""

from __future__ import annotations

import datetime as dt
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mqstat.cli import run
from mqstat.dataset import folders, log
from mqstat.dataset.paths import HOURLY
from mqstat.parsers.tables import table_schemas
from tests.support import built_dump, file_of, small_dump
from tests.test_archive import tar

SECOND = dt.date(2026, 3, 29)

Identity = tuple[int, int]
"""Device and inode: a file keeps them when it is renamed or linked."""


@dataclass(frozen=True)
class Event:
    """A sync that has ended, or a rename, folder or deletion that is about to happen."""

    kind: str
    path: Path
    identity: Identity
    state: tuple[int, int] = (0, 0)
    """Size and time of the last change of the content."""


@dataclass
class Recorder:
    """Every call by which a command changes what is on the disk, in order."""

    events: list[Event] = field(default_factory=list)

    def note(self, kind: str, path: Path, status: os.stat_result) -> None:
        state = (status.st_size, status.st_mtime_ns)
        self.events.append(Event(kind, path, (status.st_dev, status.st_ino), state))

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        """Record fsync, replace, mkdir and unlink, which also Path and shutil use."""
        fsync, replace, mkdir, unlink = os.fsync, os.replace, os.mkdir, os.unlink

        def synced(handle: int) -> None:
            fsync(handle)
            status = os.fstat(handle)
            kind = "sync folder" if stat.S_ISDIR(status.st_mode) else "sync file"
            self.note(kind, Path(f"/proc/self/fd/{handle}").readlink(), status)

        def replaced(source: str | Path, target: str | Path, **options: int) -> None:
            self.note("rename", Path(target), Path(source).stat())
            replace(source, target, **options)

        def made(path: str | Path, *given: int, **options: int) -> None:
            mkdir(path, *given, **options)
            self.note("folder", Path(path), Path(path).stat())

        def removed(path: str | Path, **options: int) -> None:
            if Path(path).exists() and not options:
                self.note("remove", Path(path), Path(path).stat())
            unlink(path, **options)

        for name, hook in (("fsync", synced), ("replace", replaced), ("mkdir", made), ("unlink", removed)):
            patch.setattr(os, name, hook)


def problems(events: list[Event], folder: Path, durable: set[Identity]) -> list[str]:
    """The steps of a command at which a power cut would lose data; `durable` are the files that existed before it."""
    out = []
    in_folder = [each for each in events if folder in each.path.parents or each.path in (folder, folder.parent)]
    tables = {*table_schemas(), HOURLY}
    published = [
        n for n, each in enumerate(in_folder) if each.kind in ("rename", "sync file") and each.path == folder / log.NAME
    ]
    for number, each in enumerate(in_folder):
        if each.path == folder.parent:
            continue
        name = each.path.relative_to(folder).as_posix()
        before, after = in_folder[:number], in_folder[number + 1 :]
        commit = next((n for n in published if n >= number), None)
        until_commit = in_folder[number + 1 : commit] if commit not in (None, number) else after
        if each.kind == "rename" and not name.startswith("_staging"):  # staged files are synced before they are moved
            kind = (
                "sync folder" if each.path.name in tables else "sync file"
            )  # a folder of files is put in place as a whole
            synced = any((e.kind, e.identity, e.state) == (kind, each.identity, each.state) for e in before)
            if not synced and each.identity not in durable:
                out.append(f"{name}: renamed before its content was synced")
        due = after if each.path.parent == folder and each.kind == "rename" else until_commit
        folder_synced = any(e.kind == "sync folder" and e.path == each.path.parent for e in due)
        lasting = each.kind in ("rename", "folder") and not name.startswith("_staging")
        if lasting and not folder_synced:
            out.append(f"{name}: its folder is not synced before the manifest names it")
        if each.kind == "remove" and name.endswith(".parquet") and not name.startswith("_staging"):
            last = max((n for n in published if n < number), default=None)
            if last is not None and not any(
                e.kind == "sync folder" and e.path == folder for e in in_folder[last:number]
            ):
                out.append(f"{name}: removed before the manifest without it was synced")
    return out


def recorded(words: list[str | Path], folder: Path) -> list[Event]:
    """What a command does, in a folder that is a dataset or a folder of reports."""
    durable = {(s.st_dev, s.st_ino) for p in (folder.rglob("*") if folder.exists() else ()) for s in [p.stat()]}
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as patch:
        recorder.patch(patch)
        assert run([str(word) for word in words]) == 0
    assert problems(recorder.events, folder, durable) == []
    return recorder.events


def renames(events: list[Event], folder: Path) -> list[str]:
    return [e.path.relative_to(folder).as_posix() for e in events if e.kind == "rename" and folder in e.path.parents]


def synced_log(events: list[Event], folder: Path) -> int:
    """The number of the event that made the last line of the log durable."""
    return max(n for n, each in enumerate(events) if each.kind == "sync file" and each.path == folder / log.NAME)


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path]:
    """A dump of several days, and one of the same name that begins with it."""
    (tmp_path / "later").mkdir()
    return file_of(small_dump(), tmp_path), file_of(small_dump() * 2, tmp_path / "later")


def test_an_ingest_syncs_contents_folders_and_the_manifest_last(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    for times in (1, 2):  # the second one replaces the first
        dump = file_of(built_dump() * times, tmp_path)
        events = recorded(["ingest", dump, "--into", folder], folder)
        moved = [n for n, each in enumerate(events) if each.kind == "rename" and each.path.suffix == ".parquet"]
        assert len(moved) > 20
        assert synced_log(events, folder) > moved[-1]
        assert renames(events, folder)[-1] == log.HEAD


def test_an_ingest_of_an_archive_syncs_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    members = {f"{n}.smf": small_dump() * n for n in (1, 2, 3)}
    archive = file_of(bytes(tar(members)), tmp_path, "three.tar")
    events = recorded(["ingest", archive, "--into", folder], folder)
    moved = renames(events, folder)
    assert synced_log(events, folder) > max(
        n for n, each in enumerate(events) if each.kind == "rename" and each.path.suffix == ".parquet"
    )
    assert "source" in moved, "the folder with all of its files"
    assert pq.read_table(folder / "source", partitioning=None)["source_id"].to_pylist() == [1, 2, 3]


def test_files_of_dropped_days_are_removed_after_their_manifest(
    dumps: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "HOURS", 0)
    folder = tmp_path / "set"
    recorded(["ingest", dumps[0], "--into", folder], folder)
    recorded(["prune", folder, "--before", str(SECOND)], folder)
    assert folders.retired_paths(folder)
    recorded(["prune", folder, "--before", str(SECOND)], folder)
    assert not folders.retired_paths(folder)


def test_a_rebuilt_manifest_is_synced(dumps: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / "set"
    recorded(["ingest", dumps[0], "--into", folder], folder)
    (folder / log.NAME).write_text("{")
    assert renames(recorded(["verify", "--rebuild", folder], folder), folder)[-2:] == [log.NAME, log.HEAD]


def test_a_report_is_synced_with_its_folder(dumps: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "out" / "report.txt"
    target.parent.mkdir()
    events = recorded(["report", dumps[0], "--output", target], target.parent)
    assert [each.kind for each in events if target.parent in (each.path, *each.path.parents)] == [
        "sync file",
        "rename",
        "sync folder",
    ]
