"""The files that the program keeps: written completely or left unchanged, and never through a link."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from mqstat.base.errors import UsageError

PART = ".part"
"""The extension of a temporary file that replaces another one when it is complete."""


@contextmanager
def replacing(path: Path, *, follow: bool = False) -> Iterator[TextIO]:
    """A stream (UTF-8, lines end in LF) that replaces the file `path` atomically when it is complete; UsageError if it
    cannot be written. `follow` as in `replaced`.
    """
    with replaced(path, follow=follow) as part, part.open("w", encoding="utf-8", newline="") as stream:
        yield stream


def write_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write files, by their names below a folder that is created if missing, each atomically; UsageError if one cannot
    be written.
    """
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


def not_a_link(path: Path) -> Path:
    """A path that a library is about to open; OSError if it is a symbolic link, which the library would follow."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, f"{path.name} is a symbolic link")
    return path


def read_kept(path: Path) -> bytes:
    """The content of a small file that the program keeps; OSError if it cannot be read, or is a symbolic link."""
    return not_a_link(path).read_bytes()


def part_of(path: Path) -> Path:
    """The name of a new temporary file for `path`, in its folder: nobody can put anything there beforehand."""
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}{PART}")


@contextmanager
def replaced(path: Path, *, follow: bool = False) -> Iterator[Path]:
    """A file next to `path` that replaces it after a successful write and is removed after an error; UsageError if it
    cannot be written.

    A file that the user names (`follow`) may be a symbolic link, whose target is replaced, or a pipe or device, which
    is written directly. Anything with a name that the program chooses is itself replaced, so that nobody who may create
    files there chooses what is overwritten.
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
    """A file that the program is about to create, after what has its name was removed: a link there would lead to
    another file.
    """
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
