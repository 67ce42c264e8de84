"""A dataset folder: lock, staging, publishing, deleting and reading.

An ingest writes below `_staging/`, then moves its files into the table folders and replaces the manifest last. Readers follow the manifest only,
so readers see the old dataset until the manifest is replaced, even if the ingest is killed at any point.

A writer deletes only what a manifest or the journal of a publish names: the files that a killed publish had moved, and files that the manifest
before the current one named. Everything else in the folder is left alone.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import xxhash
from filelock import FileLock, Timeout

from mqstat.base.atomic_write import sync_folder
from mqstat.dataset import manifest as manifests
from mqstat.dataset.manifest import FileEntry, Manifest, SourceEntry
from mqstat.dataset.paths import FILE_PATH, parquet_files
from mqstat.dataset.paths import day_of as day_of_path
from mqstat.dataset.writer import WrittenFile
from mqstat.errors import DatasetError, UsageError, write_failure
from mqstat.parsers.tables import table_schemas

try:
    import fcntl
except ImportError:  # Windows: files that are open cannot be deleted there
    fcntl = None  # type: ignore[assignment]

STAGING = "_staging"
LOCK = ".lock"
READERS = ".readers"
"""Readers hold a shared lock on this file, so that a writer knows whether files of an earlier manifest are still in use."""
JOURNAL = "journal.json"
"""In the staging folder: the files that a publish is about to move, so that the next writer can remove them when it is killed."""


def checksum(path: Path) -> str:
    """xxh3 of the bytes of a file."""
    digest = xxhash.xxh3_64()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _settle(path: Path) -> str:
    """Make a staged file durable; gives its checksum."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())
    return checksum(path)


@contextmanager
def locked(folder: Path, wait_seconds: float = 0) -> Iterator[None]:
    """Hold the writer's lock of a dataset; DatasetError when another writer holds it or the folder cannot be written."""
    try:
        lock = FileLock(folder / LOCK)
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        raise DatasetError(
            f"{folder}: another mqstat is writing to this dataset; wait until it has ended, or use --wait SECONDS."
        ) from None
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written ({error.strerror}).") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def writing(folder: Path, wait_seconds: float = 0) -> Iterator[Manifest]:
    """Hold the writer's lock of a dataset, remove what a killed ingest left, and give its manifest (a new one for a new folder).

    Raises DatasetError when another writer holds the lock, the folder is not a dataset, or its manifest is missing.
    """
    if folder.is_file():
        raise UsageError(f"{folder} is a file; a dataset is a folder, which is created when missing.")
    try:
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for path in missing:
            sync_folder(path.parent)
        if manifests.load(folder) is None:
            _refuse_unless_empty(folder)
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written ({error.strerror}).") from None
    with locked(folder, wait_seconds):
        current = manifests.load(folder)
        if current is None:
            _refuse_unless_empty(folder)
            current = Manifest()
        with suppress(OSError):
            (folder / READERS).touch()
        yield tidy(folder, current)


def _refuse_unless_empty(folder: Path) -> None:
    """Raise DatasetError for a folder without a manifest that holds anything: files of a lost manifest are never a new dataset."""
    own = {LOCK, READERS, manifests.NAME + ".new", manifests.PREVIOUS + ".new"}
    names = {path.name for path in folder.iterdir()}
    lost = next(parquet_files(folder), None)
    if lost is not None or manifests.PREVIOUS in names:
        evidence = f"Parquet files ({lost.relative_to(folder).as_posix()}, ...)" if lost else manifests.PREVIOUS
        raise DatasetError(
            f"{folder}: holds {evidence} but no {manifests.NAME}; nothing was changed. Restore the manifest from a backup, or rebuild it from the "
            f"files with: mqstat verify --rebuild {folder}"
        )
    strangers = sorted(names - own - ({STAGING} if LOCK in names else set()))
    if strangers:
        raise DatasetError(
            f"{folder}: is not empty and not a dataset (it holds {strangers[0]!r}); choose an empty folder."
        )


# ------------------------------------------------------------------------------------------------------------------- deleting


def tidy(folder: Path, manifest: Manifest) -> Manifest:
    """Remove what ingests that did not end left, and files that the manifest has retired and nobody reads. Only under the writer's lock.

    Returns the manifest with the retired files that are still there.
    """
    remove(folder, _moved(folder, manifest))
    shutil.rmtree(folder / STAGING, ignore_errors=True)
    for name in (manifests.NAME, manifests.PREVIOUS):
        with suppress(OSError):  # the next manifest overwrites it
            (folder / (name + ".new")).unlink(missing_ok=True)
    if not manifest.retired:
        return manifest
    with _no_readers(folder) as alone:
        if alone:
            remove(folder, [entry.path for entry in manifest.retired])
    left = [entry for entry in manifest.retired if (folder / entry.path).exists()]
    return dataclasses.replace(manifest, retired=left)


def _moved(folder: Path, manifest: Manifest) -> list[str]:
    """The files that a killed publish moved into the table folders before its manifest replaced this one."""
    try:
        journal = json.loads((folder / STAGING / JOURNAL).read_bytes())
        if journal["generation"] != manifest.generation:
            return []
        named = {entry.path for entry in manifest.files}
        return [path for path in journal["paths"] if FILE_PATH.fullmatch(path) and path not in named]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def remove(folder: Path, paths: Iterable[str]) -> None:
    """Remove files that no manifest names any more, and their folders when they are empty; what cannot be removed stays."""
    for name in paths:
        path = folder / name
        with suppress(OSError):
            path.unlink(missing_ok=True)
            path.parent.rmdir()
            path.parent.parent.rmdir()


def foreign(folder: Path, manifest: Manifest) -> list[Path]:
    """Parquet files in the table folders that neither the manifest nor the journal of a killed ingest names: mqstat never deletes them."""
    named = {entry.path for entry in (*manifest.files, *manifest.retired)} | set(_moved(folder, manifest))
    return [path for path in parquet_files(folder) if path.relative_to(folder).as_posix() not in named]


# ----------------------------------------------------------------------------------------------------------------- publishing


def stage(
    manifest: Manifest,
    staging: Path,
    source: SourceEntry,
    files: Sequence[WrittenFile],
    replaces: SourceEntry | None = None,
) -> Manifest:
    """Make the staged files of one source durable; returns the manifest with them, which `publish` makes that of the dataset.

    The source that it `replaces` leaves the dataset in the same step. Raises OSError when a file cannot be synced.
    """
    replaced = [f for f in manifest.files if f.source_id == replaces.source_id] if replaces is not None else []
    # File systems commit many waiting syncs together, so threads make a dataset of many days much faster to publish.
    with ThreadPoolExecutor(16) as pool:
        sums = list(pool.map(_settle, [staging / file.path for file in files]))
    entries = [
        FileEntry(f.table, f.path, source.source_id, f.rows, f.bytes, s) for f, s in zip(files, sums, strict=True)
    ]
    return Manifest(
        next_source_id=source.source_id + 1,
        next_record_id=source.first_record_id + source.records,
        sources=[*(s for s in manifest.sources if s is not replaces), source],
        files=[*(f for f in manifest.files if f not in replaced), *entries]
        if replaced
        else [*manifest.files, *entries],
        generation=manifest.generation,
        retired=[*manifest.retired, *replaced],
    )


def publish(folder: Path, manifest: Manifest, staged: Manifest, files: Sequence[tuple[Path, str]]) -> Manifest:
    """Move staged files into the table folders and replace the manifest: the step that makes them part of the dataset.

    manifest: that of the dataset; staged: the one that `stage` made from it, for one source or several; files: of each the staging folder and its
    path below it. Returns the manifest that the dataset has now. Raises DatasetError (the dataset is as it was) when a file cannot be moved.
    """
    updated = dataclasses.replace(staged, generation=manifest.generation + 1)
    try:
        _move(folder, files, manifest, updated)
    except OSError as error:
        raise write_failure(folder, "could not be published", error, "the dataset is unchanged") from None
    return updated


def _move(folder: Path, files: Sequence[tuple[Path, str]], manifest: Manifest, updated: Manifest) -> None:
    """Move files into the table folders and replace the manifest; whatever fails, the files that were moved are removed again."""
    paths = [path for _, path in files]
    in_the_way = [path for path in paths if (folder / path).exists()]
    if in_the_way:
        raise DatasetError(
            f"{folder / in_the_way[0]}: is not in {manifests.NAME} and would be overwritten; nothing was changed. "
            f"Move it away, or rebuild the manifest with: mqstat verify --rebuild {folder}"
        )
    journal = folder / STAGING / JOURNAL
    with journal.open("w", encoding="utf-8") as stream:
        json.dump({"generation": manifest.generation, "paths": paths}, stream)
        stream.flush()
        os.fsync(stream.fileno())
    if manifest.generation == 0 and not (folder / manifests.NAME).exists():
        # From here on a folder of this dataset without a manifest is one whose manifest was lost, and never one that is new.
        manifests.store(folder, manifest)
    sync_folder(journal.parent)
    sync_folder(folder)
    moved: list[str] = []
    try:
        changed: set[Path] = set()
        for staging, path in files:
            target = folder / path
            for parent in (target.parent.parent, target.parent):
                if not parent.exists():
                    parent.mkdir(exist_ok=True)
                    changed.add(parent.parent)
            moved.append(path)
            (staging / path).replace(target)
            changed.add(target.parent)
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(sync_folder, changed))
        manifests.store(folder, updated)
    except BaseException:
        if not _is_published(folder, updated):
            remove(folder, moved)
        raise


def _is_published(folder: Path, updated: Manifest) -> bool:
    """Whether a manifest is the one on the disk; also when that cannot be read, since files that may be named must stay."""
    try:
        current = manifests.load(folder)
    except DatasetError:
        return True
    return current is not None and current.generation >= updated.generation


# -------------------------------------------------------------------------------------------------------------------- reading


@dataclass
class Opened:
    """A dataset to read: its folder, manifest and files by table."""

    folder: Path
    manifest: Manifest
    files: dict[str, list[Path]] = field(default_factory=dict)

    def days(self, first: dt.date, last: dt.date) -> dict[str, list[Path]]:
        """The files of some local days by table, with the counts over the inputs that have rows of these days, excluding damage in other inputs."""
        dated = [(entry, day_of(entry)) for entry in self.manifest.files]
        sources = {entry.source_id for entry, day in dated if day is not None and first <= day <= last}
        counts = {"damage", *(name for name, schema in table_schemas().items() if "record_id" not in schema.names)}
        chosen: dict[str, list[Path]] = {}
        for entry, day in dated:
            if first <= day <= last if day is not None else entry.table in counts and entry.source_id in sources:
                chosen.setdefault(entry.table, []).append(self.folder / entry.path)
        return {table: sorted(paths) for table, paths in chosen.items()}


def day_of(entry: FileEntry | WrittenFile) -> dt.date | None:
    """The local day whose rows a file holds, None for rows without a day."""
    return day_of_path(entry.path)


def open_dataset(folder: Path) -> Opened:
    """Open a dataset: its files as its manifest has them now. DatasetError when the folder is not a dataset.

    A reader that takes its time uses `reading`, which keeps these files from being deleted.
    """
    manifest = manifests.load(folder)
    if manifest is None:
        if folder.is_dir() and next(parquet_files(folder), None) is not None:
            raise DatasetError(
                f"{folder}: {manifests.NAME} is missing; restore it from a backup, or rebuild it from the files with: mqstat verify --rebuild {folder}"
            )
        raise DatasetError(
            f"{folder}: not a dataset (no {manifests.NAME}); create one with: mqstat ingest DUMP --into {folder}"
        )
    files: dict[str, list[Path]] = {}
    for entry in manifest.files:
        files.setdefault(entry.table, []).append(folder / entry.path)
    return Opened(folder, manifest, {table: sorted(paths) for table, paths in files.items()})


@contextmanager
def reading(folder: Path) -> Iterator[Opened]:
    """Open a dataset and keep its files: no writer deletes a file that its manifest names until the reader has ended."""
    with suppress(OSError):
        if not (folder / READERS).exists() and (folder / manifests.NAME).exists():
            (folder / READERS).touch()
    handle = _locked_handle(folder)
    try:
        yield open_dataset(folder)
    finally:
        if handle is not None:
            handle.close()


def _locked_handle(folder: Path) -> BinaryIO | None:
    """The file of the readers with a shared lock; None where there is no such file or no such lock (then only retirement protects)."""
    handle = None
    if fcntl is not None:
        with suppress(OSError):
            handle = (folder / READERS).open("rb")
            fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


@contextmanager
def _no_readers(folder: Path) -> Iterator[bool]:
    """Keep readers out for a moment; false when there are any. True where the file system has no locks."""
    alone = True
    with suppress(OSError), (folder / READERS).open("rb") as handle:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                alone = False
        yield alone
        return
    yield alone
