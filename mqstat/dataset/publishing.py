"""Publishing a change of a dataset: the table folders change, each in one step, then one line of the log makes all of it part of the dataset.

mqstat follows the log only, so it reads the dataset before the change until its line is complete, even if the writer is killed at any point: the files
that leave are in `_retired/` by then (`mqstat.dataset.folders`). The journal in the staging folder names what changes, so that the next writer can
restore the folders of a publish that was killed before its line.

A writer deletes only what the log or the journal of a publish names, and folders that it replaced. Everything else is left alone. All functions here
need the writer's lock.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from mqstat.base.atomic_write import opened, read_kept, remove_parts, sync_folder
from mqstat.base.errors import DatasetError, write_failure
from mqstat.base.formatting import pasted
from mqstat.base.owned_folder import owned_folder, remove_unless_used
from mqstat.dataset import delta, folders, generations, log, snapshot
from mqstat.dataset.claim import WRITER, renew
from mqstat.dataset.folders import FolderChange, folder_change, remove_empty
from mqstat.dataset.manifest import Change, FileEntry, Manifest
from mqstat.dataset.paths import COMPUTED
from mqstat.dataset.place import Home, work_of
from mqstat.parsers.tables import table_schemas

if TYPE_CHECKING:
    from mqstat.dataset.writer import WrittenFile

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows: files that are open cannot be deleted there
    fcntl = None

STAGING = folders.STAGING

READERS = ".readers"
"""Readers hold a shared lock on this file, so that a writer knows whether files of an earlier generation are still in use."""
QUARANTINE = "_quarantine"
"""Below a dataset: files that a rebuild found in table folders and that belong to no input. They are the user's to delete."""
JOURNAL = "journal.json"
"""In the staging folder: what a publish is about to change in the table folders, so that the next writer can restore them when it is killed."""


def checksum(path: Path) -> str:
    """SHA-256 of the bytes of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def is_unchanged(path: Path, entry: FileEntry) -> bool:
    """Whether a file is there with the content that the manifest states."""
    return path.is_file() and checksum(path) == entry.sha256


RESERVED = ".reserved.json"
"""In a dataset: the numbers of sources that writers have reserved (`mqstat.dataset.reservation`)."""

OWN, ALIVE = "write-", ".alive"
"""Start of the names of folders of staged files, and the file in each that is locked (`mqstat.base.owned_folder`)."""


@contextmanager
def staging(folder: Home) -> Iterator[Path]:
    """A folder of its own for the staged files of this process, which other writers leave alone as long as it is in use. Raises OSError."""
    if not isinstance(folder, Path):
        with folder.working() as work:
            yield work
        return
    try:
        with owned_folder(lambda: _new_folder(folder), ALIVE) as own:
            yield own
    finally:
        remove_empty(folder, folder / folders.FRESH)


def _new_folder(folder: Path) -> Path:
    while True:
        try:
            (folder / STAGING).mkdir(exist_ok=True)
            return Path(tempfile.mkdtemp(prefix=OWN, dir=folder / STAGING))
        except FileNotFoundError:  # another writer removed the folder above while it was empty
            if not folder.is_dir():
                raise


def settled(
    staging: Path, files: Sequence[WrittenFile], sources: Mapping[str, Mapping[int, int]] | int = 0
) -> tuple[FileEntry, ...]:
    """Make staged files durable and hash them; returns their entries.

    sources: the rows of each source by path and source_id (none of hourly sums), or the number of the only source; not needed for files that state
    their sources. Raises OSError when a file cannot be synced.
    """
    # File systems commit many waiting syncs together, so threads make a dataset of many days much faster to publish.
    with ThreadPoolExecutor(16) as pool:
        sums = list(pool.map(_settle, [staging / file.path for file in files]))
    return tuple(
        FileEntry(
            file.table,
            file.path,
            tuple(sorted(file.sources.items()))
            or (((sources, file.rows),) if isinstance(sources, int) else tuple(sorted(sources[file.path].items()))),
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
    folder: Home,
    manifest: Manifest,
    change: Change,
    staged: Sequence[tuple[Path, str]] = (),
    *,
    failed: tuple[str, str] = ("could not be published", "the dataset is unchanged"),
) -> Manifest:
    """Make a change of a dataset visible: files that join and leave, sources that join, change and leave. Each table folder changes in one step.

    manifest: that of the dataset, as `store.writing` gave it or the publish before returned it; staged: of each file that joins, its staging folder and
    its path below it; failed: what the error message states. Returns the manifest that the dataset has now. Raises DatasetError (the dataset is as it
    was) when a folder cannot be changed or the log cannot be written.
    """
    if not isinstance(folder, Path):
        return generations.publish(folder, manifest, change, staged)
    there = folders.retired_paths(folder) if manifest.retired else set()
    deleted = tuple(entry.path for entry in manifest.retired if entry.path not in there)
    change = dataclasses.replace(change, deleted=(*change.deleted, *deleted))
    renew(folder)
    try:
        if not manifest.head:
            # From here on a folder of this dataset without a manifest is one whose manifest was lost, and never one that is new.
            manifest = log.begin(folder, [Change("create")])
        if staged or change.retire:
            made = _changed_and_appended(folder, manifest, change, staged)
        else:
            made = log.append(folder, manifest, change)
    except OSError as error:
        raise write_failure(folder, failed[0], error, failed[1]) from None
    if delta.is_wanted(folder):
        with suppress(OSError):  # the change is published; the next one brings the Delta tables up to it
            delta.derive(folder, made)
    return made


def _changed_and_appended(
    folder: Path, manifest: Manifest, change: Change, staged: Sequence[tuple[Path, str]]
) -> Manifest:
    """Change the table folders and append to the log; whatever fails, the folders become what they were."""
    in_the_way = [path for _, path in staged if (folder / path).exists()]
    if in_the_way:
        raise DatasetError(
            f"{folder / in_the_way[0]}: is not in {log.NAME} and would be overwritten; nothing was changed. "
            f"Move it away, or rebuild the manifest with: mqstat verify --rebuild {pasted(str(folder))}"
        )
    changes = folders.planned(folder, staged, change.retire)
    journal, is_over = folder / STAGING / JOURNAL, False
    journal.parent.mkdir(exist_ok=True)
    with journal.open("w", encoding="utf-8") as stream:
        json.dump({"generation": manifest.generation, "folders": [each.as_json() for each in changes]}, stream)
        stream.flush()
        os.fsync(stream.fileno())
    sync_folder(journal.parent)
    sync_folder(folder)
    try:
        folders.apply(folder, changes, _synced)
        appended = log.append(folder, manifest, change)
        is_over = True
        return appended  # noqa: TRY300 - the journal is removed after it
    except BaseException:
        # The next writer needs the journal to restore the rest.
        published = _is_published(folder, manifest.generation + 1)
        is_over = published is True or (published is False and not folders.undo(folder, changes))
        raise
    finally:
        if is_over:
            with suppress(OSError):
                journal.unlink()
            remove_empty(folder, folder / folders.FRESH)


def drop_staged(folder: Home) -> None:
    """Remove what was staged, but not what other processes stage, and not the journal of a publish whose changes could not be undone."""
    work = work_of(folder)
    staging = work / STAGING
    with suppress(OSError):
        for path in staging.iterdir():
            if path.name.startswith(OWN):
                remove_unless_used(path, ALIVE)
            elif path.name != JOURNAL and path != work / folders.FRESH:
                shutil.rmtree(path, ignore_errors=True)
        if not (staging / JOURNAL).exists():
            shutil.rmtree(work / folders.FRESH, ignore_errors=True)
            staging.rmdir()


def _synced(changed: Iterable[Path]) -> None:
    """Make the names in some folders durable."""
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(sync_folder, changed))


def _is_published(folder: Path, generation: int) -> bool | None:
    """Whether the log has a generation; None when it cannot be read, and then files that may be named must stay."""
    try:
        current = log.load(folder)
    except DatasetError:
        return None
    return current is not None and current.generation >= generation


# ------------------------------------------------------------------------------------------------------------------- deleting


def tidy(folder: Path, manifest: Manifest, *, retired: bool = True) -> None:
    """Restore the folders that a killed publish had changed, remove what it had staged, and (`retired`) delete what was replaced long ago.

    Raises DatasetError if something cannot be restored: the journal stays until it can be, so that no later publish hides what is left.
    """
    left = folders.undo(folder, _journal(folder, manifest))
    if left:
        raise DatasetError(
            f"{folder}: {left[0]} is left of a run that was killed and cannot be moved or deleted; nothing was changed. "
            "Check the permissions and the disk, and run it again."
        )
    with suppress(OSError):
        (folder / STAGING / JOURNAL).unlink(missing_ok=True)
    drop_staged(folder)
    with suppress(OSError):  # earlier versions wrote it
        (folder / log.CHECKPOINT).unlink(missing_ok=True)
    for name in (log.NAME, log.HEAD, WRITER, RESERVED):
        remove_parts(folder / name)
    if retired:  # looks through all folders that were replaced, of which each publish leaves some
        move_out(folder, manifest)
        delete_retired(folder, manifest)


def move_out(folder: Path, manifest: Manifest) -> None:
    """Move retired files out of the table folders: after a rebuild, files that others had replaced are still there."""
    with suppress(OSError):
        folders.apply(folder, folders.planned(folder, [], [entry.path for entry in manifest.retired]), _synced)


def delete_retired(folder: Home, manifest: Manifest) -> None:
    """Delete the table folders that were replaced long ago, or earlier if they hold many bytes, and snapshots; the next publish notes which files are gone."""
    if not isinstance(folder, Path):
        return  # `generations.tidy` does it
    chosen = list(folders.expired(folder, manifest))
    if chosen:
        with _no_readers(folder) as alone:
            for path, waits in chosen:
                if alone or not waits:
                    shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):
            (folder / folders.RETIRED).rmdir()
    for path in snapshot.expired(folder, manifest):
        shutil.rmtree(path, ignore_errors=True)


def _journal(folder: Path, manifest: Manifest) -> list[FolderChange]:
    """What a publish that runs now, or was killed before its line was in the log, changes in the table folders."""
    try:
        journal = json.loads(read_kept(folder / STAGING / JOURNAL))
        if journal["generation"] == manifest.generation:
            return [change for each in journal["folders"] if (change := folder_change(each)) is not None]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return []


def moving(folder: Path, manifest: Manifest) -> set[str]:
    """The folders of files that a publish, which runs now or was killed, changes before the manifest has the change."""
    return {each.folder for each in _journal(folder, manifest)}


def foreign(folder: Path, manifest: Manifest) -> list[Path]:
    """Files in the folders of tables, hourly sums and facts that neither the manifest nor the journal of a killed writer names: mqstat never deletes them.

    Engines that read a folder open all of its files except those whose names begin with a dot or an underscore.
    """
    named = {entry.path for entry in (*manifest.files, *manifest.hourly, *manifest.retired)}
    named |= {f"{each.folder}/{name}" for each in _journal(folder, manifest) for name in each.new}
    return [
        path
        for table in sorted({*table_schemas(), *COMPUTED})
        for path in sorted((folder / table).rglob("*"))
        if (path.suffix == ".parquet" or path.name[0] not in "._")
        and (path.is_symlink() or not path.is_dir())
        and path.relative_to(folder).as_posix() not in named
    ]


def outside(folder: Path) -> Iterator[Path]:
    """Parquet files below the folder of a dataset, but not in the folders of tables, hourly sums, facts and staged files."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".parquet":
            yield path
        elif path.name not in {
            *table_schemas(), *COMPUTED, STAGING, folders.RETIRED, QUARANTINE, snapshot.SNAPSHOTS, delta.DELTA,
        }:  # fmt: skip
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
