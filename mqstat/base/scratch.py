"""Temporary folders: removed at the end and at a signal; the next run removes those of a killed process.

The name of a folder holds the id of its process, and the process holds a lock in it: process ids are reused, and differ between containers that share
a folder for temporary files.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, ModuleType

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

PREFIX = "mqstat-"
LOCK = "owner.lock"
JUST_MADE = 60
"""Seconds after its creation during which a folder may not have its lock yet."""

_received: list[str] = []


class Stopped(KeyboardInterrupt):
    """The process was asked to end by a signal."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """An empty folder for the duration of a `with`; folders of ended processes are removed first."""
    remove_leftovers()
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    try:
        with _locked(folder / LOCK):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(file: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold an exclusive lock on a file, which is created; without `wait` TimeoutError when another process holds it.

    It is the lock that filelock takes. That library imports asyncio, which a small run would notice, so only Windows uses it here.
    """
    if fcntl is None:
        from filelock import FileLock

        with FileLock(file, timeout=-1 if wait else 0):
            yield
        return
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES):
                raise TimeoutError(f"{file} is locked") from None
            if error.errno != errno.ENOSYS:  # a file system without locks
                raise
        yield
    finally:
        os.close(descriptor)


def remove_leftovers() -> None:
    """Remove our temporary folders whose process has ended."""
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}[0-9]*-*"):
            with suppress(OSError):
                _remove_if_left(folder)


def _remove_if_left(folder: Path) -> None:
    number = folder.name.removeprefix(PREFIX).split("-", 1)[0]
    status = folder.lstat()
    mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    if not (number.isdecimal() and mine and folder.is_dir() and not folder.is_symlink()) or _runs(int(number)):
        return
    if (folder / LOCK).exists():
        try:
            with _locked(folder / LOCK, wait=False):
                pass
        except TimeoutError:  # a process of another container
            return
    elif time.time() - status.st_mtime < JUST_MADE:
        return
    shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    """Whether there is a process with this id."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it belongs to another user
        return True
    return True


def end_at_signals() -> None:
    """Let SIGTERM, SIGHUP and SIGINT end the process in order: the first raises Stopped, and while it cleans up further ones are ignored."""
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name)]

    def stop(number: int, _: FrameType | None) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)
        _received.append(signal.Signals(number).name)
        raise Stopped(_received[-1])

    for each in signals:
        if signal.getsignal(each) is not signal.SIG_IGN:  # nohup has SIGHUP ignored
            signal.signal(each, stop)


def stopped_by() -> str | None:
    """The signal that ends this process, None while none came: libraries may turn Stopped into an exception of their own."""
    return _received[-1] if _received else None
