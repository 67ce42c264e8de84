"""Folders that a process uses: a kill at any line of their code leaves nothing for long, and those who begin and those
who tidy up at the same time do not disturb each other.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from mqstat.base import owned_folder as owned
from mqstat.base import scratch
from mqstat.cli import run
from mqstat.dataset import publishing, store
from tests.support import file_of, small_dump

pytest.importorskip("fcntl")

FILES = {owned.__file__, publishing.__file__, scratch.__file__, shutil.__file__, tempfile.__file__}  # fmt: skip
"""The modules whose lines count."""

LOCK = "lock"


@contextmanager
def at_line(number: int, act: Callable[[], object]) -> Iterator[list[int]]:
    """Act before the line with this number of those that are run in `FILES`; the list has one number for each line."""
    lines: list[int] = []
    before = sys.gettrace()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            lines.append(frame.f_lineno)
            if len(lines) == number:
                act()
        return trace

    sys.settrace(trace)
    try:
        yield lines
    finally:
        sys.settrace(before)


def killed_at_every_line(step: Callable[[], object], after: Callable[[int], object], each: int = 1) -> int:
    """Run a step in a child that is killed before its first line, its second one (each = only one of so many) and so
    on, and `after` each; returns how many lines it has.
    """
    number = 1 - each
    while True:
        number += each
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            try:
                with at_line(number, lambda: os.kill(os.getpid(), signal.SIGKILL)):
                    step()
            finally:
                os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        after(number)
        if status == 0:
            return number - 1


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    assert run(["ingest", str(file_of(small_dump(), tmp_path, "a.smf")), "--into", str(tmp_path / "set")]) == 0
    return tmp_path / "set"


def use(folder: Path) -> None:
    """Stage something."""
    with publishing.staging(folder) as own:
        (own / "record").mkdir()
        (own / "record" / "a.parquet").write_bytes(b"a")


def left_by_a_killed_writer(folder: Path) -> None:
    own = folder / publishing.STAGING / f"{publishing.OWN}left"
    own.mkdir(parents=True)
    for name in (publishing.ALIVE, "a.parquet"):
        (own / name).write_bytes(b"")


def test_the_next_run_removes_what_is_left_of_a_kill_at_any_line(dataset: Path) -> None:
    left = 0

    def next_run(_: int) -> None:
        nonlocal left
        left += (dataset / publishing.STAGING).exists()
        with store.writing(dataset):
            pass
        assert not (dataset / publishing.STAGING).exists()

    assert killed_at_every_line(lambda: use(dataset), next_run) > left > 20

    def tidy() -> None:
        left_by_a_killed_writer(dataset)
        publishing.drop_staged(dataset)

    assert killed_at_every_line(tidy, next_run) > 20


def test_temporary_folders_of_killed_processes_are_removed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def temporary() -> None:
        with scratch.temporary_folder() as folder:
            (folder / "x").write_text("x")

    def next_run(_: int) -> None:
        scratch.remove_leftovers()
        assert list(tmp_path.iterdir()) == []

    assert killed_at_every_line(temporary, next_run) > 20


def begun_while_another_tidies(parent: Path, number: int) -> tuple[int, int]:
    """Begin to use a folder and have another process tidy up before one line; returns how many folders and lines that
    took.
    """
    folders: list[Path] = []

    def create() -> Path:
        folders.append(Path(tempfile.mkdtemp(dir=parent)))
        return folders[-1]

    def tidy() -> None:
        for folder in folders:
            owned.remove_unless_used(folder, LOCK)

    with ExitStack() as stack:
        with at_line(number, tidy) as lines:
            own = stack.enter_context(owned.owned_folder(create, LOCK))
        (own / "staged").write_bytes(b"")
        tidy()
        assert list(parent.iterdir()) == [own]
        assert (own / "staged").exists()
    assert list(parent.iterdir()) == []
    return len(folders), len(lines)


def test_a_writer_that_begins_keeps_its_folder_whenever_another_tidies_up(tmp_path: Path) -> None:
    """One that was new lost its folder, or had to be kept for a minute because it might be new."""
    lines = begun_while_another_tidies(tmp_path, 0)[1]
    counts = [begun_while_another_tidies(tmp_path, number)[0] for number in range(1, lines + 1)]
    assert {*counts} == {1, 2}, "each was first at some lines"


def tidied_while_another_begins(parent: Path, number: int) -> tuple[bool, int]:
    """Tidy up a folder while its process begins to use it before one line; returns whether that keeps the folder, and
    the number of lines.
    """
    first = parent / "first"
    first.mkdir()
    created, own = iter([first]), list[Path]()
    with ExitStack() as stack:

        def begin() -> None:
            folder = owned.owned_folder(lambda: next(created, None) or Path(tempfile.mkdtemp(dir=parent)), LOCK)
            own.append(stack.enter_context(folder))
            (own[0] / "staged").write_bytes(b"")

        with at_line(number, begin) as lines:
            owned.remove_unless_used(first, LOCK)
        if number:
            owned.remove_unless_used(own[0], LOCK)
            assert (own[0] / "staged").exists()
        assert list(parent.iterdir()) == own
    assert list(parent.iterdir()) == []
    return own == [first], len(lines)


def test_who_tidies_up_leaves_a_writer_alone_that_begins_meanwhile(tmp_path: Path) -> None:
    lines = tidied_while_another_begins(tmp_path, 0)[1]
    kept = [tidied_while_another_begins(tmp_path, number)[0] for number in range(1, lines + 1)]
    assert {*kept} == {True, False}, "each was first at some lines"


def test_a_link_is_no_folder_of_ours(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    owned.remove_unless_used(tmp_path / "link", LOCK)
    assert list((tmp_path / "target").iterdir()) == []
