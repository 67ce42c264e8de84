"""One writer at a time, also where locks exclude nobody: on a file system that is mounted without them, `flock` succeeds for everyone.

A writer creates a file that nobody else can create while it is there, and removes it at its end. The file of a killed writer is ignored at once if a
lock on this file system excludes others and the writer ran on this machine (the lock of the dataset is held, so it has ended), else when it is old. Before
each publish a writer makes sure that its file is still there, so that one that was believed dead changes nothing.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mqstat.base.atomic_write import opened, read_kept, replace_bytes, write_all
from mqstat.base.errors import DatasetError
from mqstat.base.owned_folder import OLD_SECONDS, excludes

WRITER = ".writer"
PAUSE = 0.05

_mine: dict[Path, bytes] = {}
"""The content of the files of this process by the folder of the dataset."""


@contextmanager
def claimed(folder: Path, lock: Path, wait_seconds: float = 0) -> Iterator[None]:
    """Be the only writer of a dataset whose lock is held; TimeoutError if another writer is there, OSError if the folder cannot be written."""
    mine = json.dumps({"host": platform.node(), "process": os.getpid(), "token": secrets.token_hex(16)}).encode()
    path, until = folder / WRITER, time.monotonic() + wait_seconds
    while not _created(path, mine):
        other = _content(path)
        if other is None:
            continue  # it has ended meanwhile
        if _has_ended(path, other, lock):
            replace_bytes(path, mine)
            time.sleep(PAUSE)  # whoever takes it over last has it
            if _content(path) == mine:
                break
        if time.monotonic() >= until:
            raise TimeoutError(f"{path} exists")
        time.sleep(PAUSE)
    _mine[folder] = mine
    try:
        yield
    finally:
        del _mine[folder]
        with suppress(OSError):
            if _content(path) == mine:
                path.unlink()


def renew(folder: Path) -> None:
    """State that this writer is alive; DatasetError if another one took over, or the dataset was removed."""
    path = folder / WRITER
    if folder in _mine and folder.exists():
        if _content(path) != _mine[folder]:
            raise DatasetError(
                f"{folder}: another mqstat has begun to write to this dataset; nothing was changed. Run it again."
            )
        with suppress(OSError):
            os.utime(path)


def _created(path: Path, mine: bytes) -> bool:
    """Create the file of this writer, unless one is there."""
    try:
        stream = opened(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        return False
    try:
        with stream:
            write_all(stream.fileno(), mine)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return True


def _content(path: Path) -> bytes | None:
    """The content of the file of a writer; None without a file, empty for anything that a writer does not write."""
    try:
        return read_kept(path)
    except FileNotFoundError:
        return None
    except OSError:
        return b""


def _has_ended(path: Path, content: bytes, lock: Path) -> bool:
    """Whether the writer of a file has ended, which is known if locks exclude others here, or is not heard of any more."""
    try:
        # Empty, or without its end: killed before it had written all of it.
        here = not content.endswith(b"}") or json.loads(content)["host"] == platform.node()
    except (ValueError, TypeError, KeyError, RecursionError):
        here = False
    if here and excludes(lock):
        return True
    try:
        return time.time() - path.lstat().st_mtime > OLD_SECONDS
    except OSError:
        return False
