"""Staged files of a writer, and their publish."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mqstat.base.errors import write_failure
from mqstat.base.owned_folder import owned_folder, remove_unless_used
from mqstat.dataset import steps
from mqstat.dataset.manifest import Change, FileEntry, Manifest, Staged
from mqstat.dataset.place import Home, work_of

if TYPE_CHECKING:
    from mqstat.dataset.writer import WrittenFile


STAGING = "_staging"
"""Below a dataset: what writers have not published yet."""

OWN, ALIVE = "write-", ".alive"
"""Start of the names of folders of staged files, and the file in each that is locked (`mqstat.base.owned_folder`)."""


def checksum(path: Path) -> str:
    """SHA-256 of the bytes of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def is_unchanged(path: Path, entry: FileEntry) -> bool:
    """Whether a file is there with the content that the manifest states."""
    return path.is_file() and checksum(path) == entry.sha256


@contextmanager
def staging(folder: Home) -> Iterator[Path]:
    """A folder for the staged files of this process, which other writers leave alone as long as it is in use. Raises
    OSError.
    """
    if not isinstance(folder, Path):
        with folder.working() as work:
            yield work
        return
    try:
        with owned_folder(lambda: _new_folder(folder), ALIVE) as own:
            yield own
    finally:
        with suppress(OSError):
            (folder / STAGING).rmdir()


def _new_folder(folder: Path) -> Path:
    while True:
        try:
            (folder / STAGING).mkdir(exist_ok=True)
            return Path(tempfile.mkdtemp(prefix=OWN, dir=folder / STAGING))
        except FileNotFoundError:  # another writer removed the folder above while it was empty
            if not folder.is_dir():
                raise


def settled(root: Path, files: Sequence[WrittenFile]) -> tuple[Staged, ...]:
    """Make files below a folder durable and hash them. Raises OSError when a file cannot be synced."""
    # File systems commit many waiting syncs together, so threads make a dataset of many days much faster to publish.
    with ThreadPoolExecutor(16) as pool:
        sums = list(pool.map(_settle, [root / file.path for file in files]))
    return tuple(
        Staged(
            root / each.path,
            FileEntry(each.table, each.path, tuple(sorted(each.sources.items())), each.rows, each.bytes, digest),
        )
        for each, digest in zip(files, sums, strict=True)
    )


def _settle(path: Path) -> str:
    """Make a staged file durable; gives its checksum."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())
    return checksum(path)


def publish(
    folder: Home,
    manifest: Manifest,
    change: Change,
    *,
    failed: tuple[str, str] = ("could not be published", "the dataset is unchanged"),
) -> Manifest:
    """Make a change of a dataset visible in one step.

    manifest: that of the dataset, as `store.writing` gave it or the publish before returned it; failed: what the error
    message states. Returns the manifest that the dataset has now. Raises DatasetError; the dataset is then as it was.
    """
    try:
        return steps.Writer(folder).publish(manifest, change)
    except OSError as error:
        raise write_failure(folder, failed[0], error, failed[1]) from None


def drop_staged(folder: Home) -> None:
    """Remove what was staged, but not what other processes stage."""
    staging = work_of(folder) / STAGING
    with suppress(OSError):
        for path in staging.iterdir():
            if path.name.startswith(OWN):
                remove_unless_used(path, ALIVE)
            else:
                shutil.rmtree(path, ignore_errors=True)
        staging.rmdir()
