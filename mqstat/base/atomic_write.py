"""The files that the program keeps: written completely or left unchanged, and never through a link.

Whoever may create files in a folder can put a link, a pipe or a file of his own there under a name that he knows. So a temporary file has a name
that nobody can guess, a file that is read or changed must be a regular one, and what another user than the owner of the folder wrote is not read.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from mqstat.base.errors import UsageError

PART = ".part"
"""The extension of a temporary file that replaces another one when it is complete."""

MOST_READ = 64 << 20
"""Bytes of a file that is read as a whole; nothing that the program writes for itself is as large."""

_SAFE = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


@contextmanager
def replacing(path: Path, *, follow: bool = False) -> Iterator[TextIO]:
    """A stream (UTF-8, lines end in LF) that replaces the file `path` atomically when it is complete; UsageError if it cannot be written. `follow` as in `replaced`."""
    with replaced(path, follow=follow) as part, part.open("w", encoding="utf-8", newline="") as stream:
        yield stream


def write_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write files, by their names below a folder that is created if missing, each atomically; UsageError if one cannot be written."""
    create_folder(folder)
    for name, text in texts.items():
        create_folder((folder / name).parent)
        with replacing(folder / name) as stream:
            stream.write(text)
    return [folder / name for name in texts]


def create_folder(folder: Path) -> None:
    """Create a folder and those above it, unless they exist; UsageError if that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(f"{folder} cannot be written: it is not a folder.") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}.") from error


def write_all(handle: int, data: bytes) -> None:
    """Write all bytes at the position of a file."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def opened(path: Path, flags: int = os.O_RDONLY) -> BinaryIO:
    """A file that the program keeps, without a buffer of its own when it is written.

    OSError if it cannot be opened, is a link or another thing than a file, or was written by another user than ourselves, root and the owner of its folder.
    """
    try:
        handle = os.open(path, flags | _SAFE, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise OSError(error.errno, "it is a symbolic link") from None
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "it is not a file") from None
        raise
    try:
        _check(os.fstat(handle), path.parent)
        return os.fdopen(handle, "rb") if flags == os.O_RDONLY else os.fdopen(handle, "rb+", buffering=0)
    except BaseException:
        os.close(handle)
        raise


def _check(status: os.stat_result, folder: Path) -> None:
    """OSError for anything but a file that the owner of the folder, root or this user wrote."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a file")
    if hasattr(os, "geteuid") and status.st_uid not in (os.geteuid(), 0, folder.stat().st_uid):
        raise OSError(errno.EPERM, "it belongs to another user than its folder")


def not_a_link(path: Path) -> Path:
    """A path that a library is about to open; OSError if it is a symbolic link, which the library would follow."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, f"{path.name} is a symbolic link")
    return path


def read_kept(path: Path) -> bytes:
    """The content of a small file that the program keeps; OSError as for `opened`, or if it is larger than any that the program writes."""
    with opened(path) as stream:
        data = stream.read(MOST_READ + 1)
    if len(data) > MOST_READ:
        raise OSError(errno.EFBIG, f"it is larger than {MOST_READ >> 20} MiB")
    return data


def part_of(path: Path) -> Path:
    """The name of a new temporary file for `path`, in its folder: nobody can put anything there beforehand."""
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}{PART}")


def is_part(name: str, target: str) -> bool:
    """Whether a name is that of a temporary file for a file."""
    return re.fullmatch(rf"\.{re.escape(target[:100])}\.[0-9a-f]{{16}}{re.escape(PART)}", name) is not None


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
        part = part_of(target)
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
