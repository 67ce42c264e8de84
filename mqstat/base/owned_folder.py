"""Folders that one process uses: it holds a lock on a file in its folder until it ends.

Whoever removes such a folder first takes that lock himself, creating the file where it is missing, and keeps it until
the folder is gone. So a process that is killed at any point leaves nothing that looks as if it were in use, and one
whose new folder is removed before it has the lock notices that.
"""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows: files that are open cannot be deleted there
    fcntl = None

OLD_SECONDS = 900
"""Age from which nothing is in use any more where locks exclude nobody."""


@contextmanager
def owned_folder(create: Callable[[], Path], lock: str) -> Iterator[Path]:
    """A folder for the duration of a `with`, then removed. `create` makes a new one with a name that was never used;
    `lock` is the name of the file in it.

    Raises OSError if the folder or the file cannot be created.
    """
    with ExitStack() as stack:
        while True:
            folder = create()
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            with suppress(FileNotFoundError):  # it was removed before it was locked
                handle = stack.enter_context((folder / lock).open("ab"))
                if _locks(handle) is not False and os.path.samestat(os.fstat(handle.fileno()), (folder / lock).stat()):
                    break
        yield folder


def remove_unless_used(folder: Path, lock: str) -> None:
    """Remove such a folder if no process uses it; where locks exclude nobody, if nothing in it changed for
    `OLD_SECONDS`.
    """
    if folder.is_symlink() or not folder.is_dir():
        return
    with suppress(OSError), (folder / lock).open("ab") as handle:
        has_lock = _locks(handle)
        if has_lock and excludes(folder / lock):
            shutil.rmtree(folder, ignore_errors=True)
        if has_lock is False:
            return
    with suppress(OSError):
        if time.time() - max(each.stat().st_mtime for each in (folder, *folder.rglob("*"))) >= OLD_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def excludes(lock: Path) -> bool:
    """Whether the lock that this process holds on a file keeps others out."""
    if fcntl is not None:
        with lock.open("rb") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
            return False
    return True


def _locks(handle: BinaryIO) -> bool | None:
    """Lock a file: False if another process has locked it, None where there are no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES) else None
    return True
