"""A dataset: opening it to read or to write. `mqstat.dataset.steps` keeps it as Delta tables,
`mqstat.dataset.publishing` changes it.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast, overload

from mqstat.base.atomic_write import not_a_link, sync_folder
from mqstat.base.errors import ONE_DATASET, DatasetError, UsageError
from mqstat.base.formatting import pasted
from mqstat.base.inputs import about
from mqstat.base.narrow_file import NarrowFile
from mqstat.base.object_store import StoredFile
from mqstat.dataset import schema, snapshot, steps
from mqstat.dataset.manifest import FileEntry, Manifest
from mqstat.dataset.paths import day_of as day_of_path
from mqstat.dataset.place import Home, each_at_once
from mqstat.dataset.publishing import STAGING, drop_staged
from mqstat.dataset.snapshot import is_dataset
from mqstat.parsers.tables import table_schemas

if TYPE_CHECKING:
    from mqstat.dataset.writer import WrittenFile  # loads the decoder, which no reader needs

LOCK = ".lock"
"""In a folder: the file that writers of this machine lock, so that they wait for each other. What they write is safe
without it (`mqstat.dataset.steps`)."""

FORMER = ("manifest.jsonl", "manifest.json")
"""Files of datasets of former formats, which were never released."""

AnyHome = TypeVar("AnyHome", bound=Home)
At_co = TypeVar("At_co", bound=Home, covariant=True)
File_co = TypeVar("File_co", bound=Path | StoredFile | NarrowFile, covariant=True)


@contextmanager
def locked(folder: Path, wait_seconds: float = 0) -> Iterator[None]:
    """Hold the writer's lock of a dataset; DatasetError when another writer holds it, the folder cannot be written or
    has a link for a folder.
    """
    from filelock import FileLock

    with ExitStack() as stack:
        try:
            stack.enter_context(FileLock(not_a_link(folder / LOCK), timeout=wait_seconds))
        except TimeoutError:  # that of the lock is one
            raise DatasetError(
                f"{folder}: another mqstat is writing to this dataset; wait until it has ended, or use --wait SECONDS."
            ) from None
        except OSError as error:
            raise DatasetError(f"{folder}: cannot be written ({error.strerror}).") from None
        refuse_links(folder)
        yield


@contextmanager
def writing(folder: Home, wait_seconds: float = 0, known: Manifest | None = None) -> Iterator[Manifest]:
    """Hold the writer's lock of a dataset, take back what killed writers left, and give its manifest; a new folder
    becomes a dataset.

    known: a manifest that this process got here or published; if nothing was published since, it is not read again.
    Raises DatasetError when another writer is at work or the folder is not a dataset.
    """
    with ExitStack() as stack:
        if isinstance(folder, Path):
            prepare(folder)
            stack.enter_context(locked(folder, wait_seconds))
        else:
            stack.enter_context(folder.working())
        if not is_dataset(folder):
            refuse_unless_empty(folder)
        steps.Writer(folder, wait_seconds).begun()
        is_known = known is not None and snapshot.is_current(folder, known)
        current = (known if is_known else snapshot.load(folder)) or Manifest()
        if not is_known:
            drop_staged(folder)
        yield current


def prepare(folder: Path) -> None:
    """Create the folder if it is missing; DatasetError for one that is not a dataset and not empty, before a lock file
    is left in it.
    """
    if folder.is_file():
        raise UsageError(f"{folder} is a file; a dataset is a folder, which is created when missing.")
    try:
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for path in missing:
            sync_folder(path.parent)
        refuse_links(folder)
        if not is_dataset(folder):
            try:
                refuse_unless_empty(folder)
            except DatasetError:
                if not is_dataset(folder):  # else another writer made it one at this moment
                    raise
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written ({error.strerror}).") from None


def refuse_unless_empty(folder: Home) -> None:
    """Raise DatasetError for a folder that is not a dataset and holds anything but what a killed writer leaves before
    it is one.
    """
    begun = schema.all_columns().keys()
    if isinstance(folder, Path):
        refuse_former(folder)
        names = [path.name for path in folder.iterdir() if path.name not in {LOCK, STAGING, steps.README}]
        rows = [str(path) for name in names if name in begun for path in (folder / name).glob("*.parquet")]
    else:
        paths = folder.list()
        names = [path.partition("/")[0] for path in paths]
        rows = [path for path in paths if path.endswith(".parquet") and "/_delta_log/" not in path]
    if rows and begun >= {*names}:
        raise DatasetError(
            f"{folder}: has files of tables but no table {schema.PUBLISH}, which lists those of the dataset; nothing was changed. "
            "Restore it from a backup, or ingest the dumps into a new folder."
        )
    strangers = sorted({*names} - begun)
    if strangers:
        raise DatasetError(
            f"{folder}: is not empty and not a dataset (it holds {strangers[0]!r}); choose an empty folder."
        )


def refuse_former(folder: Path) -> None:
    """Raise DatasetError for a dataset of a former format."""
    former = next((name for name in FORMER if (folder / name).exists()), None)
    if former is not None:
        raise DatasetError(
            f"{folder}: is a dataset of a former format ({former}), which this mqstat does not read; ingest its dumps into a new folder."
        )


# -------------------------------------------------------------------------------------------------------------- reading


def refuse_links(folder: Path) -> None:
    """Raise DatasetError for a symbolic link with the name of a folder of the dataset: its files would be elsewhere,
    where others may change or delete them.
    """
    own = {*schema.all_columns(), STAGING}
    links: list[str] = []
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        links = [entry.name for entry in entries if entry.name in own and entry.is_symlink()]
    if links:
        raise DatasetError(
            f"{folder / min(links)}: is a symbolic link, and a dataset has its files in folders of its own; put the folder itself there."
        )


@dataclass
class OpenedDataset(Generic[At_co, File_co]):
    """A dataset to read: its folder, manifest and files by table."""

    folder: At_co
    manifest: Manifest
    files: dict[str, list[File_co]] = field(default_factory=dict)

    def path(self, entry: FileEntry) -> File_co:
        """Where a file is opened."""
        return cast("File_co", self._path(self.folder, entry))

    def _path(self, home: Home, entry: FileEntry) -> Path | StoredFile | NarrowFile:
        path = home / entry.path if isinstance(home, Path) else home.file(entry.path, entry.bytes, entry.rows)
        return NarrowFile(path, dict.fromkeys(entry.absent)) if entry.absent else path

    def sources(self, first: dt.date, last: dt.date) -> set[int]:
        """The numbers of the inputs that have rows of some local days."""
        dated = ((entry, day_of(entry)) for entry in self.manifest.files)
        return {n for entry, day in dated if day is not None and first <= day <= last for n in entry.source_ids}

    def days(self, first: dt.date, last: dt.date) -> dict[str, list[File_co]]:
        """The files of some local days by table, with the counts over the inputs that have rows of these days,
        excluding damage in other inputs.

        A merged file also has the counts of other inputs: `sources` selects its rows.
        """
        dated = [(entry, day_of(entry)) for entry in self.manifest.files]
        sources = self.sources(first, last)
        counts = {"damage", *(name for name, schema in table_schemas().items() if "record_id" not in schema.names)}
        chosen: dict[str, list[File_co]] = {}
        for entry, day in dated:
            if first <= day <= last if day is not None else entry.table in counts and entry.source_ids & sources:
                chosen.setdefault(entry.table, []).append(self.path(entry))
        return {table: sorted(paths, key=str) for table, paths in chosen.items()}


Opened: TypeAlias = OpenedDataset[Path, Path]
"""A dataset in a folder."""

AnyOpened: TypeAlias = OpenedDataset[Home, Path | StoredFile]
"""A dataset in a folder or in an object store."""


def day_of(entry: FileEntry | WrittenFile) -> dt.date | None:
    """The local day whose rows a file holds, None for rows without a day."""
    return day_of_path(entry.path)


@contextmanager
def copied(opened: AnyOpened) -> Iterator[Opened]:
    """A dataset whose files are local: those of an object store are copied for the duration of a `with`; DatasetError
    if one is missing.
    """
    home = opened.folder
    if isinstance(home, Path):
        yield cast("Opened", opened)
        return
    with home.working():
        try:
            each_at_once(home.copy, [entry.path for entry in (*opened.manifest.files, *opened.manifest.computed)])
        except FileNotFoundError as error:
            raise DatasetError(f"{error.filename}: is missing; {about('verify', home)} lists all such files.") from None
        yield opened_as(home.copies, opened.manifest)


@overload
def open_dataset(folder: Path) -> Opened: ...


@overload
def open_dataset(folder: Home | AnyOpened) -> AnyOpened: ...


def open_dataset(folder: Home | AnyOpened) -> AnyOpened:
    """Open a dataset: its files as the last complete step has them. They stay for `steps.KEPT_HOURS`, whatever is
    published meanwhile.

    One that is open keeps its state: all that a command reads is of one. DatasetError when the folder is not a dataset.
    """
    if isinstance(folder, OpenedDataset):
        return folder
    if isinstance(folder, Path):
        refuse_links(folder)
        refuse_former(folder)
    manifest = snapshot.load(folder)
    if manifest is None and is_dataset(folder):  # a writer made it one at this moment
        manifest = snapshot.load(folder)
    if manifest is None:
        if isinstance(folder, Path) and folder.is_file():
            raise DatasetError(f"{folder}: is a file, not the folder of a dataset.")
        inner = (
            [path for path in folder.iterdir() if is_dataset(path)]
            if isinstance(folder, Path) and folder.is_dir()
            else []
        )
        if inner:
            raise DatasetError(
                f"{folder}: contains datasets ({min(inner).name}), and is not a dataset itself: {ONE_DATASET}."
            )
        raise DatasetError(
            f"{folder}: not a dataset (no table {schema.PUBLISH}); create one with: mqstat ingest DUMP --into {pasted(str(folder))}"
        )
    return opened_as(folder, manifest)


def opened_as(folder: AnyHome, manifest: Manifest) -> OpenedDataset[AnyHome, Any]:
    """A dataset that is read as a manifest has it."""
    opened: OpenedDataset[AnyHome, Any] = OpenedDataset(folder, manifest, {})
    for entry in manifest.files:
        opened.files.setdefault(entry.table, []).append(opened.path(entry))
    for paths in opened.files.values():
        paths.sort(key=str)
    return opened
