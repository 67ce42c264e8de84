"""Temporary folders: removed at the end and at a signal; the next run removes those of a killed process.

The name of a folder holds the id of its process, and the process holds a lock in it: process ids are reused, and differ
between containers that share a folder for temporary files.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from mqstat.base.owned_folder import owned_folder, remove_unless_used

PREFIX = "mqstat-"
LOCK = "owner.lock"

_received: list[str] = []


class Stopped(KeyboardInterrupt):
    """The process was asked to end by a signal."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """An empty folder for the duration of a `with`; folders of ended processes are removed first."""
    remove_leftovers()
    with owned_folder(lambda: Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")), LOCK) as folder:
        yield folder


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
    if number.isdecimal() and mine and not _runs(int(number)):
        remove_unless_used(folder, LOCK)  # which a process of another container may hold


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
    """Let SIGTERM, SIGHUP and SIGINT end the process in order: the first raises Stopped, and while it cleans up further
    ones are ignored.
    """
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
    """The signal that ends this process, None while none came: libraries may turn Stopped into an exception of their
    own.
    """
    return _received[-1] if _received else None
