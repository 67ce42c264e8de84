"""Publishing a change of a dataset: staged files move into the table folders, then one line of the log makes them, and all else that changes, visible.

Readers follow the log only, so they see the dataset before the change until its line is complete, even if the writer is killed at any point.

A writer deletes only what the log or the journal of a publish names: the files that a killed publish had moved, and retired files that nobody reads.
Everything else in the folder is left alone. All functions here need the writer's lock.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from mqstat.base.atomic_write import opened, read_kept, remove_parts, sync_folder
from mqstat.base.errors import DatasetError, write_failure
from mqstat.base.formatting import pasted
from mqstat.dataset import log
from mqstat.dataset.claim import WRITER, renew
from mqstat.dataset.manifest import Change, FileEntry, Manifest
from mqstat.dataset.paths import HOURLY, is_own
from mqstat.dataset.writer import WrittenFile
from mqstat.parsers.tables import table_schemas

try:
    import fcntl
except ImportError:  # Windows: files that are open cannot be deleted there
    fcntl = None  # type: ignore[assignment]

STAGING = "_staging"
READERS = ".readers"
"""Readers hold a shared lock on this file, so that a writer knows whether files of an earlier generation are still in use."""
JOURNAL = "journal.json"
"""In the staging folder: the files that a publish is about to move, so that the next writer can remove them when it is killed."""


def checksum(path: Path) -> str:
    """SHA-256 of the bytes of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def is_unchanged(folder: Path, entry: FileEntry) -> bool:
    """Whether a file is there with the content that the manifest states."""
    path = folder / entry.path
    return path.is_file() and checksum(path) == entry.sha256


def settled(
    staging: Path, files: Sequence[WrittenFile], sources: Mapping[str, Mapping[int, int]] | int
) -> tuple[FileEntry, ...]:
    """Make staged files durable and hash them; returns their entries.

    sources: the rows of each source by path and source_id (none of hourly sums), or the number of the only source. Raises OSError when a file cannot be synced.
    """
    # File systems commit many waiting syncs together, so threads make a dataset of many days much faster to publish.
    with ThreadPoolExecutor(16) as pool:
        sums = list(pool.map(_settle, [staging / file.path for file in files]))
    return tuple(
        FileEntry(
            file.table,
            file.path,
            ((sources, file.rows),) if isinstance(sources, int) else tuple(sorted(sources[file.path].items())),
            file.rows,
            file.bytes,
            digest,
        )
        for file, digest in zip(files, sums, strict=True)
    )


def _settle(path: Path) -> str:
    """Make a staged file durable; gives its checksum."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())
    return checksum(path)


def publish(
    folder: Path,
    manifest: Manifest,
    change: Change,
    staged: Sequence[tuple[Path, str]] = (),
    *,
    failed: tuple[str, str] = ("could not be published", "the dataset is unchanged"),
) -> Manifest:
    """Make a change of a dataset visible in one step: files that join and leave, sources that join, change and leave.

    manifest: that of the dataset, as `store.writing` gave it or the publish before returned it; staged: of each file that joins, its staging folder and
    its path below it; failed: what the error message states. Returns the manifest that the dataset has now. Raises DatasetError (the dataset is as it
    was) when a file cannot be moved or the log cannot be written.
    """
    deleted = tuple(entry.path for entry in manifest.retired if not (folder / entry.path).exists())
    change = dataclasses.replace(change, deleted=(*change.deleted, *deleted))
    renew(folder)
    try:
        if not manifest.head:
            # From here on a folder of this dataset without a manifest is one whose manifest was lost, and never one that is new.
            manifest = log.begin(folder, [Change("create")])
        if staged:
            return _moved_and_appended(folder, manifest, change, staged)
        return log.append(folder, manifest, change)
    except OSError as error:
        raise write_failure(folder, failed[0], error, failed[1]) from None


def _moved_and_appended(
    folder: Path, manifest: Manifest, change: Change, staged: Sequence[tuple[Path, str]]
) -> Manifest:
    """Move files into the table folders and append to the log; whatever fails, the files that were moved are removed again."""
    paths = [path for _, path in staged]
    in_the_way = [path for path in paths if (folder / path).exists()]
    if in_the_way:
        raise DatasetError(
            f"{folder / in_the_way[0]}: is not in {log.NAME} and would be overwritten; nothing was changed. "
            f"Move it away, or rebuild the manifest with: mqstat verify --rebuild {pasted(str(folder))}"
        )
    journal = folder / STAGING / JOURNAL
    with journal.open("w", encoding="utf-8") as stream:
        json.dump({"generation": manifest.generation, "paths": paths}, stream)
        stream.flush()
        os.fsync(stream.fileno())
    sync_folder(journal.parent)
    sync_folder(folder)
    moved: list[str] = []
    try:
        changed: set[Path] = set()
        for staging, path in staged:
            target = folder / path
            for parent in reversed(target.relative_to(folder).parents[:-1]):
                if not (folder / parent).exists():
                    (folder / parent).mkdir(exist_ok=True)
                    changed.add((folder / parent).parent)
            moved.append(path)
            (staging / path).replace(target)
            changed.add(target.parent)
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(sync_folder, changed))
        return log.append(folder, manifest, change)
    except BaseException:
        if not _is_published(folder, manifest.generation + 1):
            remove(folder, moved)
        raise


def _is_published(folder: Path, generation: int) -> bool:
    """Whether the log has a generation; also when it cannot be read, since files that may be named must stay."""
    try:
        current = log.load(folder)
    except DatasetError:
        return True
    return current is not None and current.generation >= generation


# ------------------------------------------------------------------------------------------------------------------- deleting


def tidy(folder: Path, manifest: Manifest) -> None:
    """Remove what writers that did not end left, and files that were retired and nobody reads."""
    remove(folder, _moved(folder, manifest))
    shutil.rmtree(folder / STAGING, ignore_errors=True)
    for name in (log.NAME, log.CHECKPOINT, log.HEAD, WRITER):
        remove_parts(folder / name)
    delete_retired(folder, manifest)


def delete_retired(folder: Path, manifest: Manifest) -> None:
    """Delete the files that were retired, unless somebody reads the dataset; the next publish notes that they are gone."""
    if any((folder / entry.path).exists() for entry in manifest.retired):
        with _no_readers(folder) as alone:
            if alone:
                remove(folder, [entry.path for entry in manifest.retired])


def _moved(folder: Path, manifest: Manifest) -> list[str]:
    """The files that a killed publish moved into the table folders before its line was in the log."""
    try:
        journal = json.loads(read_kept(folder / STAGING / JOURNAL))
        if journal["generation"] != manifest.generation:
            return []
        named = {entry.path for entry in (*manifest.files, *manifest.hourly)}
        return [path for path in journal["paths"] if is_own(path) and path not in named]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def remove(folder: Path, paths: Iterable[str]) -> None:
    """Remove files that are not in the manifest any more, and their folders when they are empty; what cannot be removed stays."""
    for name in paths:
        path = folder / name
        with suppress(OSError):
            path.unlink(missing_ok=True)
            for parent in path.relative_to(folder).parents[:-1]:
                (folder / parent).rmdir()


def foreign(folder: Path, manifest: Manifest) -> list[Path]:
    """Files in the folders of tables and hourly sums that neither the manifest nor the journal of a killed writer names: mqstat never deletes them.

    Engines that read a folder open all of its files except those whose names begin with a dot or an underscore.
    """
    named = {entry.path for entry in (*manifest.files, *manifest.hourly, *manifest.retired)}
    named |= set(_moved(folder, manifest))
    return [
        path
        for table in sorted({*table_schemas(), HOURLY})
        for path in sorted((folder / table).rglob("*"))
        if (path.suffix == ".parquet" or path.name[0] not in "._")
        and (path.is_symlink() or not path.is_dir())
        and path.relative_to(folder).as_posix() not in named
    ]


def outside(folder: Path) -> Iterator[Path]:
    """Parquet files below the folder of a dataset, but not in the folders of tables, hourly sums and staged files."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".parquet":
            yield path
        elif path.name not in {*table_schemas(), HOURLY, STAGING}:
            yield from sorted(path.rglob("*.parquet"))


@contextmanager
def _no_readers(folder: Path) -> Iterator[bool]:
    """Keep readers out for a moment; false when there are any. True where the file system has no locks."""
    alone = True
    with suppress(OSError), opened(folder / READERS) as handle:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                alone = False
        yield alone
        return
    yield alone
