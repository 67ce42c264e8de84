"""Files that are written completely or left unchanged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from mqstat.base.errors import UsageError


@contextmanager
def replacing(path: Path, *, follow: bool = False) -> Iterator[TextIO]:
    """A stream (UTF-8, lines end in LF) that replaces the file `path` atomically when it is complete; UsageError if it cannot be written. `follow` as in `replaced`."""
    with replaced(path, follow=follow) as part, part.open("w", encoding="utf-8", newline="") as stream:
        yield stream


@contextmanager
def replaced(path: Path, *, follow: bool = False) -> Iterator[Path]:
    """A file next to `path` that replaces it after a successful write and is removed after an error; UsageError if it cannot be written.

    A file that the user names (`follow`) may be a symbolic link, whose target is replaced, or a pipe or device, which is written directly.
    Anything with a name that the program chooses is itself replaced, so that nobody who may create files there chooses what is overwritten.
    """
    try:
        target = path.resolve() if follow else path
        if follow and target.exists() and not target.is_file() and not target.is_dir():
            yield target
            return
        part = without(target.with_name(f".{target.name[:100]}.{os.getpid()}.part"))
        try:
            yield part
            if target.exists() and not target.is_symlink():
                shutil.copymode(target, part)
            _to_disk(part)
            part.replace(target)
            sync_folder(target.parent)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error


def without(path: Path) -> Path:
    """A file that the program is about to create, after what has its name was removed: a link there would lead to another file."""
    path.unlink(missing_ok=True)
    return path


def _to_disk(path: Path) -> None:
    """Sync the file before it replaces another one, so that a full disk is detected here."""
    number = os.open(path, os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable, where the platform lets a folder be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems cannot sync folders; the rename itself has happened
    finally:
        os.close(handle)
