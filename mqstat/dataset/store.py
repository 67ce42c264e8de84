"""A dataset folder: the writer's lock, and opening it to read.

`mqstat.dataset.publishing` changes a dataset, `mqstat.dataset.log` keeps its manifest.
"""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeAlias, TypeVar, cast, overload

from mqstat.base.atomic_write import is_part, not_a_link, opened, sync_folder
from mqstat.base.errors import DatasetError, UsageError
from mqstat.base.formatting import pasted
from mqstat.base.inputs import about
from mqstat.base.object_store import StoredFile
from mqstat.base.removed import ONE_DATASET
from mqstat.dataset import delta, folders, generations, log, place, snapshot
from mqstat.dataset.claim import WRITER, claimed
from mqstat.dataset.manifest import FileEntry, Manifest
from mqstat.dataset.paths import COMPUTED, is_facts, parquet_files
from mqstat.dataset.paths import day_of as day_of_path
from mqstat.dataset.place import LOG, Home, ObjectPlace, each_at_once
from mqstat.dataset.publishing import QUARANTINE, READERS, RESERVED, STAGING, tidy
from mqstat.parsers.tables import table_schemas

if TYPE_CHECKING:
    from mqstat.dataset.writer import WrittenFile  # loads the decoder, which no reader needs

try:
    import fcntl
except ImportError:  # Windows: files that are open cannot be deleted there
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"

AnyHome = TypeVar("AnyHome", bound=Home)
At_co = TypeVar("At_co", bound=Home, covariant=True)
File_co = TypeVar("File_co", bound=Path | StoredFile, covariant=True)


def is_dataset(folder: Home) -> bool:
    """Whether a folder has the manifest of a dataset."""
    return (folder / log.NAME).exists() if isinstance(folder, Path) else bool(folder.list(f"{LOG}/"))


@contextmanager
def locked(folder: Path, wait_seconds: float = 0) -> Iterator[None]:
    """Hold the writer's lock of a dataset; DatasetError when another writer holds it, the folder cannot be written or has a link for a folder."""
    with ExitStack() as stack:
        try:
            from filelock import FileLock

            lock = FileLock(not_a_link(folder / LOCK))
            began = time.monotonic()
            lock.acquire(timeout=wait_seconds)
            stack.callback(lock.release)
            stack.enter_context(claimed(folder, folder / LOCK, wait_seconds - (time.monotonic() - began)))
        except TimeoutError:  # that of the lock is one
            raise DatasetError(
                f"{folder}: another mqstat is writing to this dataset; wait until it has ended, or use --wait SECONDS."
            ) from None
        except OSError as error:
            raise DatasetError(f"{folder}: cannot be written ({error.strerror}).") from None
        refuse_links(folder)
        yield


@contextmanager
def writing(
    folder: Home,
    wait_seconds: float = 0,
    known: Manifest | None = None,
    *,
    tidies: bool = False,
    takes_facts: bool = False,
) -> Iterator[Manifest]:
    """Hold the writer's lock of a dataset, remove what killed writers left, and give its manifest (a new one for a new folder).

    known: a manifest that this process got here or published; if nothing was published since, it is not read again, and what was retired is not looked through again.
    An object store has no lock: there a publish may raise `generations.ConflictError`. `tidies` = there, also delete what killed writers have put.
    Raises DatasetError when another writer holds the lock, the folder is not a dataset, or its manifest is missing, and UsageError for a folder of
    facts (`mqstat.dataset.facts`), unless the caller `takes_facts`.
    """
    if not isinstance(folder, Path):
        with folder.working():
            manifest = _manifest_of_place(folder, known, tidies=tidies)
            _refuse_facts(folder, manifest, takes_facts)
            yield manifest
        return
    if folder.is_file():
        raise UsageError(f"{folder} is a file; a dataset is a folder, which is created when missing.")
    try:
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for path in missing:
            sync_folder(path.parent)
        if not is_dataset(folder):
            _refuse_before_the_lock(folder)
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written ({error.strerror}).") from None
    with locked(folder, wait_seconds):
        is_known = known is not None and log.is_current(folder, known)
        current = known if is_known else log.load(folder)
        if current is None:
            _refuse_unless_empty(folder)
            current = Manifest()
        _refuse_facts(folder, current, takes_facts)
        _lock_of_readers(folder)
        log.note(folder, current)
        tidy(folder, current, retired=not is_known)
        yield current


def _manifest_of_place(home: ObjectPlace, known: Manifest | None, *, tidies: bool) -> Manifest:
    """The manifest of a dataset in an object store, a new one where there is nothing; DatasetError for anything else."""
    if known is not None and log.is_current(home, known):
        return known
    current = log.load(home)
    if current is None:
        paths = [each.path for each in home.list() if not each.path.startswith(f"{place.RESERVED}/")]
        if place.line_path(0) in paths:
            return _manifest_of_place(home, known, tidies=tidies)  # a writer made it a dataset at this moment
        if paths:
            raise DatasetError(f"{home}: is not empty and not a dataset (it holds {paths[0]!r}); choose another key.")
        return Manifest()
    if known is None:
        generations.tidy(home, current, everything=tidies)
    return current


def _refuse_before_the_lock(folder: Path) -> None:
    """Raise DatasetError for a folder that holds anything else, before a lock file is left in it.

    Another writer may make it a dataset meanwhile: its manifest is there before its other files are.
    """
    try:
        _refuse_unless_empty(folder)
    except DatasetError:
        if not is_dataset(folder):
            raise


def _refuse_unless_empty(folder: Path) -> None:
    """Raise DatasetError for a folder without a manifest that holds anything: files of a lost manifest are never a new dataset."""
    log.refuse_former(folder)
    own = {LOCK, READERS, WRITER, RESERVED}
    names = {path.name for path in folder.iterdir() if not any(is_part(path.name, own) for own in (log.NAME, RESERVED))}
    lost = next(parquet_files(folder), None)
    rests = [name for name in (log.CHECKPOINT, log.HEAD) if name in names]
    if lost is not None or rests:
        evidence = f"Parquet files ({lost.relative_to(folder).as_posix()}, ...)" if lost else rests[0]
        raise DatasetError(
            f"{folder}: holds {evidence} but no {log.NAME}; nothing was changed. Restore the manifest from a backup, or rebuild it from the "
            f"files with: mqstat verify --rebuild {pasted(str(folder))}"
        )
    strangers = sorted(names - own - ({STAGING} if LOCK in names else set()))
    if strangers:
        raise DatasetError(
            f"{folder}: is not empty and not a dataset (it holds {strangers[0]!r}); choose an empty folder."
        )


def _refuse_facts(folder: Home, manifest: Manifest, takes_facts: bool) -> None:
    """Raise UsageError for a folder of facts where only a dataset is expected."""
    if not takes_facts and any(is_facts(entry.path) for entry in manifest.hourly):
        raise UsageError(f"{folder}: has the facts of a dataset, and is not a dataset.")


# -------------------------------------------------------------------------------------------------------------------- reading


def refuse_folders_of_tables(folder: Path, target: Path) -> None:
    """Raise UsageError for a file to be written into a folder of tables: engines that read the folder would read it too."""
    dataset, within = folder.resolve(), target.resolve().parent
    if any(
        (dataset / name) in (within, *within.parents)
        for name in (*table_schemas(), *COMPUTED, STAGING, folders.RETIRED, snapshot.SNAPSHOTS, delta.DELTA)
    ):
        raise UsageError(f"{target} would be in a folder that only has files of the dataset; choose another folder.")


def refuse_links(folder: Path) -> None:
    """Raise DatasetError for a symbolic link with the name of a folder of the dataset: its files would be elsewhere, where others may change or delete them."""
    own = {*table_schemas(), *COMPUTED, STAGING, folders.RETIRED, QUARANTINE, snapshot.SNAPSHOTS, delta.DELTA}
    links: list[str] = []
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        links = [entry.name for entry in entries if entry.name in own and entry.is_symlink()]
    if not links:
        for name in COMPUTED:
            with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder / name) as entries:
                links += [f"{name}/{entry.name}" for entry in entries if entry.is_symlink()]
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
    open_folders: dict[str, Path | None] = field(default_factory=dict)
    """Of each folder of files the path by which its files are opened while they are kept (`reading`); None if no folder has all of them."""

    def path(self, entry: FileEntry) -> File_co:
        """Where a file is opened."""
        return cast("File_co", self._path(self.folder, entry))

    def _path(self, home: Home, entry: FileEntry) -> Path | StoredFile:
        if not isinstance(home, Path):
            return home.file(entry.path, entry.bytes, entry.rows)
        folder, _, name = entry.path.rpartition("/")
        path = self.open_folders.get(folder, home / folder)
        return folders.located(home, entry.path) if path is None else path / name

    def paths_later(self) -> list[Path]:
        """Where the files of tables will be when their folders are replaced: paths by which the system then knows an open file."""
        if not isinstance(self.folder, Path):
            return []
        return _paths_later(self.folder, self.open_folders, [entry.path for entry in self.manifest.files])

    def sources(self, first: dt.date, last: dt.date) -> set[int]:
        """The numbers of the inputs that have rows of some local days."""
        dated = ((entry, day_of(entry)) for entry in self.manifest.files)
        return {n for entry, day in dated if day is not None and first <= day <= last for n in entry.source_ids}

    def days(self, first: dt.date, last: dt.date) -> dict[str, list[File_co]]:
        """The files of some local days by table, with the counts over the inputs that have rows of these days, excluding damage in other inputs.

        A merged file also has the counts of other inputs: `sources` selects its rows.
        """
        dated = [(entry, day_of(entry)) for entry in self.manifest.files]
        sources = self.sources(first, last)
        counts = {"damage", *(name for name, schema in table_schemas().items() if "record_id" not in schema.names)}
        chosen: dict[str, list[File_co]] = {}
        for entry, day in dated:
            if first <= day <= last if day is not None else entry.table in counts and entry.source_ids & sources:
                chosen.setdefault(entry.table, []).append(self.path(entry))
        return {table: sorted(paths) for table, paths in chosen.items()}


Opened: TypeAlias = OpenedDataset[Path, Path]
"""A dataset in a folder."""

AnyOpened: TypeAlias = OpenedDataset[Home, Path | StoredFile]
"""A dataset in a folder or in an object store."""


def day_of(entry: FileEntry | WrittenFile) -> dt.date | None:
    """The local day whose rows a file holds, None for rows without a day."""
    return day_of_path(entry.path)


@contextmanager
def copied(opened: AnyOpened) -> Iterator[Opened]:
    """A dataset whose files are local: those of an object store are copied for the duration of a `with`; DatasetError if one is missing."""
    home = opened.folder
    if isinstance(home, Path):
        yield cast("Opened", opened)
        return
    with home.working():
        try:
            each_at_once(home.copy, [entry.path for entry in (*opened.manifest.files, *opened.manifest.hourly)])
        except FileNotFoundError as error:
            raise DatasetError(f"{error.filename}: is missing; {about('verify', home)} lists all such files.") from None
        yield _opened(home.copies, opened.manifest, {})


@overload
def open_dataset(folder: Path, *, takes_facts: bool = False) -> Opened: ...


@overload
def open_dataset(folder: Home, *, takes_facts: bool = False) -> AnyOpened: ...


def open_dataset(folder: Home, *, takes_facts: bool = False) -> AnyOpened:
    """Open a dataset: its files as its manifest has them now. DatasetError when the folder is not a dataset, UsageError if it has facts, unless the caller `takes_facts`.

    A reader that takes its time uses `reading`, which keeps these files from being deleted.
    """
    return _opened(folder, _manifest(folder, takes_facts), {})


def _manifest(folder: Home, takes_facts: bool) -> Manifest:
    """The manifest of a dataset as it is now; raises as `open_dataset` does."""
    if isinstance(folder, Path):
        refuse_links(folder)
    manifest = log.load(folder)
    if manifest is None:
        if not isinstance(folder, Path):
            raise DatasetError(
                f"{folder}: not a dataset (no {LOG}/); create one with: mqstat ingest DUMP --into {pasted(str(folder))}"
            )
        if folder.is_dir() and next(parquet_files(folder), None) is not None:
            if is_dataset(folder):
                return _manifest(folder, takes_facts)  # a writer made it one at this moment
            raise DatasetError(
                f"{folder}: {log.NAME} is missing; restore it from a backup, or rebuild it from the files with: mqstat verify --rebuild {pasted(str(folder))}"
            )
        if folder.is_file():
            raise DatasetError(f"{folder}: is a file, not the folder of a dataset.")
        if folder.is_dir() and (inner := [path for path in folder.iterdir() if path.is_dir() and is_dataset(path)]):
            raise DatasetError(
                f"{folder}: contains datasets ({min(inner).name}), and is not a dataset itself: {ONE_DATASET}."
            )
        raise DatasetError(
            f"{folder}: not a dataset (no {log.NAME}); create one with: mqstat ingest DUMP --into {pasted(str(folder))}"
        )
    _refuse_facts(folder, manifest, takes_facts)
    return manifest


def _opened(folder: AnyHome, manifest: Manifest, open_folders: dict[str, Path | None]) -> OpenedDataset[AnyHome, Any]:
    opened: OpenedDataset[AnyHome, Any] = OpenedDataset(folder, manifest, {}, open_folders)
    for entry in manifest.files:
        opened.files.setdefault(entry.table, []).append(opened.path(entry))
    for paths in opened.files.values():
        paths.sort()
    return opened


@overload
def reading(folder: Path, *, takes_facts: bool = False) -> AbstractContextManager[Opened]: ...


@overload
def reading(folder: Home, *, takes_facts: bool = False) -> AbstractContextManager[AnyOpened]: ...


def reading(folder: Home, *, takes_facts: bool = False) -> AbstractContextManager[AnyOpened]:
    """Open a dataset and hold its files as its manifest has them now, for `folders.HOURS` at least, whatever is published meanwhile. Raises as `open_dataset` does."""
    return (
        _reading(folder, takes_facts)
        if isinstance(folder, Path)
        else nullcontext(open_dataset(folder, takes_facts=takes_facts))
    )


@contextmanager
def _reading(folder: Path, takes_facts: bool) -> Iterator[Opened]:
    if not (folder / READERS).exists() and (folder / log.NAME).exists():
        _lock_of_readers(folder)
    with ExitStack() as stack:
        handle = _locked_handle(folder)
        if handle is not None:
            stack.callback(handle.close)
        yield _kept_open(folder, stack, takes_facts)


@contextmanager
def kept_files(folder: Path, paths: Iterable[str]) -> Iterator[tuple[dict[str, Path], list[Path]]]:
    """Keep files that another process, perhaps on another machine, has listed while it was `reading`, for the duration of a `with`.

    Returns where each path below the dataset is opened, and `paths_later`.
    """
    names: dict[str, set[str]] = {}
    for path in paths:
        within, _, name = path.rpartition("/")
        names.setdefault(within, set()).add(name)
    with ExitStack() as stack:
        handle = _locked_handle(folder)
        if handle is not None:
            stack.callback(handle.close)
        open_folders = {within: _folder_with(folder, within, wanted, stack) for within, wanted in names.items()}
        listed = {f"{within}/{name}": open_folders[within] for within, wanted in names.items() for name in wanted}
        yield (
            {
                path: folders.located(folder, path) if at is None else at / Path(path).name
                for path, at in listed.items()
            },
            _paths_later(folder, open_folders, listed),
        )


def _paths_later(folder: Path, open_folders: Mapping[str, Path | None], paths: Iterable[str]) -> list[Path]:
    """Where files will be when the open folders that have them are replaced."""
    moved_to: dict[str, tuple[str, ...]] = {}
    for within, path in open_folders.items():
        with suppress(OSError):
            moved_to[within] = folders.later(within, path.stat().st_ino) if path is not None else ()
    root = folder.resolve()
    parted = [path.rpartition("/") for path in paths]
    return [root / moved / name for within, _, name in parted for moved in moved_to.get(within, ())]


ATTEMPTS, PAUSE_SECONDS = 6, 0.01
"""How often a reader looks for files that a publish moves at this moment, and its first pause, which doubles."""


def _kept_open(folder: Path, stack: ExitStack, takes_facts: bool) -> Opened:
    """Open a dataset with its folders open: an open folder keeps its files when it is replaced."""
    for attempt in range(ATTEMPTS):
        manifest = _manifest(folder, takes_facts)
        names: dict[str, set[str]] = {}
        for entry in (*manifest.files, *manifest.hourly):
            within, _, name = entry.path.rpartition("/")
            names.setdefault(within, set()).add(name)
        with ExitStack() as own:
            open_folders = {within: _folder_with(folder, within, wanted, own) for within, wanted in names.items()}
            missed = None in open_folders.values()
            if not missed or attempt == ATTEMPTS - 1 or not _changes(folder, manifest):
                stack.push(own.pop_all())
                return _opened(folder, manifest, open_folders)
        time.sleep(PAUSE_SECONDS * 2**attempt)
    raise AssertionError  # the last attempt returns


def _changes(folder: Path, manifest: Manifest) -> bool:
    """Whether a publish has changed the dataset since, or may do so now."""
    current = log.load(folder)
    return current is None or current.generation != manifest.generation or (folder / STAGING).exists()


def _folder_with(folder: Path, within: str, names: set[str], stack: ExitStack) -> Path | None:
    """A path of a folder of files that has all of some names, now and after it was replaced; None without such a folder."""
    for path in (folder / within, *folders.replaced_folders(folder, within)):
        with suppress(OSError):
            if not HOLDS:
                if names <= folders.names_in(path):
                    return path
                continue
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            if names <= folders.names_in(OPEN_FOLDERS / str(handle)):
                stack.callback(os.close, handle)
                return OPEN_FOLDERS / str(handle)
            os.close(handle)
    return None


OPEN_FOLDERS = Path("/proc/self/fd")
"""Where a system shows the open files and folders of a process as paths."""

HOLDS = OPEN_FOLDERS.is_dir() and hasattr(os, "O_DIRECTORY")
"""Whether a path can name an open folder, wherever it moves."""


def _lock_of_readers(folder: Path) -> None:
    """Create the file that readers lock, where the folder can be written; never through a link."""
    with suppress(OSError):
        opened(folder / READERS, os.O_RDWR | os.O_CREAT).close()


def _locked_handle(folder: Path) -> BinaryIO | None:
    """The file of the readers with a shared lock; None where there is no such file or no such lock (then only retirement protects)."""
    handle = None
    if fcntl is not None:
        with suppress(OSError):
            handle = opened(folder / READERS)
            fcntl.flock(handle, fcntl.LOCK_SH)
    return handle
