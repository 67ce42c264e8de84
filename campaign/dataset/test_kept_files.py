"""Files that the program keeps are never written or read through a link, a pipe, or what another user put there."""

from __future__ import annotations

import base64
import datetime as dt
import json
import os
import platform
import shutil
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from mqstat.base import atomic_write
from mqstat.base.errors import DatasetError, MqstatError
from mqstat.cli import run
from mqstat.daily import state as states
from mqstat.dataset import claim, folders, log, publishing, store
from mqstat.dataset.manifest import Change, Manifest
from mqstat.dataset.verification import verify
from tests.support import file_of, small_dump

DAY = dt.date(2026, 5, 4)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of one small dump."""
    work = tmp_path_factory.mktemp("kept")
    assert run(["ingest", str(file_of(small_dump(), work, "a.smf")), "--into", str(work / "set")]) == 0
    return work / "set"


@pytest.fixture
def dataset(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "set"))


@pytest.fixture
def decoy(tmp_path: Path) -> Path:
    """A file that nothing may change."""
    path = tmp_path / "decoy"
    path.write_text("untouched")
    path.chmod(0o640)
    return path


def is_untouched(decoy: Path) -> bool:
    return decoy.read_text() == "untouched" and decoy.stat().st_mode & 0o777 == 0o640


def state_of(files: dict[str, str]) -> states.State:
    return states.State({DAY: states.Day("x", 0, {}, (), (), files)})


def replaced(path: Path) -> None:
    with atomic_write.replacing(path) as stream:
        stream.write("new")


WRITERS: dict[str, Callable[[Path], object]] = {
    ".daily.json": lambda folder: states.save(folder, states.State()),
    "index.html": lambda folder: replaced(folder / "index.html"),
    log.HEAD: lambda folder: atomic_write.replace_bytes(folder / log.HEAD, b"new"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_link_is_replaced_and_not_followed(name: str, tmp_path: Path, decoy: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / name).symlink_to(decoy)
    WRITERS[name](folder)
    assert is_untouched(decoy)
    assert not (folder / name).is_symlink()
    assert [path.name for path in folder.iterdir()] == [name]


@pytest.mark.parametrize(
    "name", [log.NAME, publishing.READERS, store.LOCK, claim.WRITER, f"{log.NAME}.new", f"{log.HEAD}.new"]
)
def test_an_ingest_follows_no_link_in_the_folder(name: str, dataset: Path, decoy: Path, tmp_path: Path) -> None:
    (dataset / name).unlink(missing_ok=True)
    (dataset / name).symlink_to(decoy)
    second = file_of(small_dump() * 2, tmp_path, "b.smf")
    run(["ingest", str(second), "--into", str(dataset)])
    assert is_untouched(decoy)


@pytest.mark.parametrize("name", [log.NAME, log.HEAD])
def test_a_pipe_does_not_stop_a_reader(name: str, dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (dataset / name).unlink(missing_ok=True)
    os.mkfifo(dataset / name)
    assert run(["verify", str(dataset)]) == (16 if name == log.NAME else 12)
    outputs = capsys.readouterr()
    assert name in outputs.out + outputs.err
    assert "Traceback" not in outputs.err


def test_a_reader_does_not_create_the_target_of_a_link(dataset: Path, tmp_path: Path) -> None:
    (dataset / publishing.READERS).unlink(missing_ok=True)
    (dataset / publishing.READERS).symlink_to(tmp_path / "absent")
    assert run(["verify", str(dataset)]) == 0
    assert not (tmp_path / "absent").exists()


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / states.NAME).open("wb") as stream:
        stream.truncate(1 << 40)
    assert states.load(tmp_path) == (states.State(), f"{states.NAME} cannot be read")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_another_user_is_not_read(tmp_path: Path) -> None:
    states.save(tmp_path, state_of({}))
    assert states.load(tmp_path)[0].days
    os.chown(tmp_path / states.NAME, 65_534, 65_534)
    assert states.load(tmp_path) == (states.State(), f"{states.NAME} cannot be read")


@pytest.mark.parametrize(
    "name", ["../decoy", "decoy", "/etc/decoy", f"mqstat-{DAY}.html/../../decoy", "mqstat-2026-05-05.html"]
)
def test_the_state_of_daily_cannot_name_a_file_of_others(name: str, tmp_path: Path) -> None:
    states.save(tmp_path, state_of({"html": f"mqstat-{DAY}.html"}))
    assert states.load(tmp_path)[1] == ""
    states.save(tmp_path, state_of({"html": name}))
    assert states.load(tmp_path) == (states.State(), f"{states.NAME} cannot be read")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seen", {"a": [1, 2, 3]}),
        ("seen", {"a": ["1", 2]}),
        ("days", {"2026-05-04": {"code": 1e400}}),
        ("days", []),
        ("reported", 1),
    ],
)
def test_the_types_of_the_state_are_checked(key: str, value: object, tmp_path: Path) -> None:
    states.save(tmp_path, state_of({}))
    data = json.loads((tmp_path / states.NAME).read_text())
    (tmp_path / states.NAME).write_text(json.dumps(data | {key: value}))
    assert states.load(tmp_path) == (states.State(), f"{states.NAME} cannot be read")


def test_deep_nesting_resets_the_state(tmp_path: Path) -> None:
    (tmp_path / states.NAME).write_text("[" * 200_000)
    assert states.load(tmp_path)[1]


# ---------------------------------------------------------------------------------------------------------------- two writers


def test_a_line_is_not_added_after_the_line_of_another_writer(dataset: Path) -> None:
    manifest = log.load(dataset)
    assert manifest is not None
    log.append(dataset, manifest, Change("ingest"))
    with pytest.raises(DatasetError, match="another mqstat has changed this dataset"):
        log.append(dataset, manifest, Change("ingest"))
    assert verify(dataset).problems == []


def test_an_incomplete_line_is_still_cut_off(dataset: Path) -> None:
    manifest = log.load(dataset)
    assert manifest is not None
    with (dataset / log.NAME).open("ab") as stream:
        stream.write(b'{"generation":9,"time_')
    log.append(dataset, manifest, Change("ingest"))
    assert verify(dataset).problems == []


def test_only_one_writer_where_locks_exclude_nobody(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    with store.writing(dataset), pytest.raises(DatasetError, match="another mqstat is writing"), store.writing(dataset):
        pass
    with store.writing(dataset):
        pass
    assert not (dataset / claim.WRITER).exists()


def test_what_a_writer_stages_stays_where_locks_exclude_nobody(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two writers of a new dataset removed what the other one had staged, and both failed."""
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    with publishing.staging(dataset) as own:
        publishing.drop_staged(dataset)
        assert own.is_dir()
        for each in (own, *own.rglob("*")):
            os.utime(each, (0, 0))
        publishing.drop_staged(dataset)
        assert not own.exists(), "its writer ended long ago"


def test_a_reservation_that_was_not_completed_is_removed(dataset: Path) -> None:
    part = dataset / "..reserved.json.0123456789abcdef.part"
    part.write_bytes(b"")
    with store.writing(dataset):
        pass
    assert not part.exists()


def test_the_claim_of_a_killed_writer_is_ignored(dataset: Path) -> None:
    for content in ("", '{"host": "elsewhere", "proc', json.dumps({"host": platform.node()})):
        (dataset / claim.WRITER).write_text(content)
        with store.writing(dataset):
            pass
        assert not (dataset / claim.WRITER).exists()


def test_the_claim_of_another_machine_is_ignored_when_it_is_old(dataset: Path) -> None:
    path = dataset / claim.WRITER
    path.write_text('{"host": "elsewhere"}')
    with pytest.raises(DatasetError, match="another mqstat is writing"), store.writing(dataset):
        pass
    os.utime(path, (0, 0))
    with store.writing(dataset):
        pass
    assert not path.exists()


def test_a_writer_that_was_believed_dead_changes_nothing(dataset: Path) -> None:
    with pytest.raises(DatasetError, match="another mqstat has begun"), store.writing(dataset) as manifest:  # noqa: PT012
        (dataset / claim.WRITER).write_text('{"host": "elsewhere"}')
        publishing.publish(dataset, manifest, Change("ingest"))
    assert log.load(dataset) == manifest
    assert isinstance(manifest, Manifest)
    assert issubclass(DatasetError, MqstatError)


def test_what_killed_writers_left_is_removed(dataset: Path) -> None:
    left = [atomic_write.part_of(dataset / name) for name in (log.NAME, log.HEAD, claim.WRITER)]
    for path in left:
        path.write_text("{}")
    stranger = dataset / ".manifest.head.json.part"
    stranger.write_text("{}")
    with store.writing(dataset):
        pass
    assert [path for path in left if path.exists()] == []
    assert stranger.exists()


# ----------------------------------------------------------------------------------------------------------------- what is left


def killed_publish(dataset: Path, dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ingest that is killed when its files are in the folders of tables, before its line is in the log."""

    class Killed(BaseException):
        """Ends the run where a kill would."""

    def kill(_: Path, changes: object, *__: object) -> list[str]:
        if changes:  # nothing is left of an earlier run
            raise Killed
        return []

    with monkeypatch.context() as patch:
        patch.setattr(log, "append", kill)
        patch.setattr(folders, "undo", kill)
        patch.setattr(publishing, "drop_staged", lambda _: None)
        with pytest.raises(Killed):
            run(["ingest", str(dump), "--into", str(dataset)])


def test_the_journal_lives_while_what_it_names_exists(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill, then a deletion that fails: the next ingest that nothing disturbs restores all of it."""
    second = file_of(small_dump() * 2, tmp_path, "b.smf")
    journal = dataset / publishing.STAGING / publishing.JOURNAL
    killed_publish(dataset, second, monkeypatch)
    left = {path: path.read_bytes() for path in publishing_files(dataset)}
    journal_text = journal.read_bytes() if journal.exists() else None
    assert journal_text is not None, "the journal is there after a kill"
    real = Path.unlink

    def refused(path: Path, *given: Any, **options: Any) -> None:
        if path.suffix == ".parquet":
            raise PermissionError(13, "Permission denied")
        real(path, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        patch.setattr(folders, "exchanged", lambda *_: False)
        patch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
        assert run(["ingest", str(second), "--into", str(dataset)]) == 16
    assert journal.read_bytes() == journal_text
    assert left
    assert run(["ingest", str(second), "--into", str(dataset)]) == 0
    found = verify(dataset)
    assert (found.problems, found.remarks) == ([], [])
    assert not journal.exists()


def publishing_files(dataset: Path) -> list[Path]:
    """The data files in the folders of tables."""
    return [path for path in dataset.glob("*/*.parquet") if path.parent.name != publishing.STAGING]


def test_a_rebuild_moves_away_what_belongs_to_no_input(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = next(path for path in publishing_files(dataset) if path.parent.name == "record")
    orphan = first.with_name(first.name.replace("s000001", "s000007"))
    stranger = first.with_name("notes.parquet")
    for path in (orphan, stranger):
        shutil.copy(first, path)
    assert run(["verify", str(dataset)]) == 12
    run(["verify", "--rebuild", str(dataset)])
    assert "belongs to no input; moved to _quarantine/" in capsys.readouterr().out
    assert not orphan.exists()
    assert (dataset / publishing.QUARANTINE / orphan.relative_to(dataset)).read_bytes() == first.read_bytes()
    assert stranger.exists(), "a file of somebody else stays"
    stranger.unlink()
    assert verify(dataset).problems == []


USERS: dict[str, list[str]] = {
    "verify": [],
    "verify --rebuild": [],
    "compact": [],
    "prune": ["--before", "2099-01-01"],
    "check --from": [],
    "ingest DUMP --into": [],
    "redact": ["--into", "OTHER"],
    "views": ["--into", "OTHER"],
}


@pytest.mark.parametrize("name", ["qpst", "rollup", "rollup/buffer_pool", folders.RETIRED, publishing.STAGING])
def test_a_link_for_a_folder_of_a_dataset_is_refused(
    name: str, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if (dataset / name).is_dir():
        elsewhere.rmdir()
        (dataset / name).rename(elsewhere)
    (dataset / name).parent.mkdir(exist_ok=True)
    (dataset / name).symlink_to(elsewhere)
    (elsewhere / "kept.parquet").write_text("untouched")
    before = sorted(path.name for path in elsewhere.iterdir())
    second = str(file_of(small_dump() * 2, tmp_path, "b.smf"))
    for words, options in USERS.items():
        command, *between = (second if word == "DUMP" else word for word in words.split())
        given = [str(tmp_path / "other") if each == "OTHER" else each for each in options]
        assert run([command, *between, str(dataset), *given]) == 16, words
        error = capsys.readouterr().err
        assert f"{name}: is a symbolic link" in error, words
        assert error.count("\n") == 1, error
    with pytest.raises(MqstatError, match="symbolic link"), store.reading(dataset):
        pass
    assert sorted(path.name for path in elsewhere.iterdir()) == before


def test_a_folded_state_does_not_unpack_without_a_limit(dataset: Path) -> None:
    made = log.load(dataset)
    assert made is not None
    bomb = base64.b64encode(zlib.compress(b" " * (64 << 20))).decode()
    tracemalloc.start()
    with pytest.raises(ValueError, match="larger than any that mqstat packs"):
        log.state_of({"state": bomb})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20
    with patch.object(log, "packed", lambda _: bomb):
        (dataset / log.NAME).write_bytes(log.folded_line(made)[0])
    with pytest.raises(DatasetError, match="larger than any that mqstat packs"):
        log.load(dataset)
