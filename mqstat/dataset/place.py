"""Where a dataset is: a folder (a `Path`), or a place in an object store.

A place has whole objects, under names that no other writer gives. A request can fail although the store carried it out, so files may be put again.
"""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from mqstat.base import object_store
from mqstat.base.errors import DatasetError, UsageError
from mqstat.base.object_store import StoredFile, failures, reason_of, split
from mqstat.base.scratch import temporary_folder

ATTEMPTS, PAUSE_SECONDS = 5, 0.2
"""How often a request is sent, and the pause after the first failure, which doubles."""

AT_ONCE = 16
"""Requests at the same time."""

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Listed:
    """An object: path below the place, bytes, and when it was written by the clock of the store."""

    path: str
    bytes: int
    modified: dt.datetime


class ObjectPlace:
    """A place in an object store. The methods raise DatasetError if the store cannot be used, and UsageError without the library."""

    def __init__(self, uri: str) -> None:
        self.root, self.prefix = split(uri)
        self.uri = f"{self.root}/{self.prefix}".rstrip("/")
        self._work: Path | None = None

    def __str__(self) -> str:
        return self.uri

    @property
    def name(self) -> str:
        """The last part of its key, or the bucket."""
        return self.uri.rpartition("/")[2]

    def exists(self) -> bool:
        """A place needs nothing that could be removed."""
        return True

    # One request each; tests replace these.

    def send(self, path: str, data: bytes | Path) -> None:
        """Put an object, whether there is one or not."""
        import obstore

        obstore.put(object_store.store_of(self.root), self._key(path), data)

    def fetch(self, path: str) -> bytes | None:
        """The content of an object; None without one."""
        import obstore

        try:
            return bytes(obstore.get(object_store.store_of(self.root), self._key(path)).bytes())
        except FileNotFoundError:
            return None

    def remove(self, paths: Sequence[str]) -> None:
        """Remove objects; those that are not there are none."""
        import obstore

        store = object_store.store_of(self.root)
        for path in paths:
            with suppress(FileNotFoundError):  # S3 does not report it
                obstore.delete(store, self._key(path))

    def listing(self, within: str) -> list[Listed]:
        """All objects below a path, sorted."""
        import obstore

        start = f"{self.prefix}/" if self.prefix else ""
        pages = obstore.list(object_store.store_of(self.root), (start + within) or None)
        objects = [
            Listed(each["path"][len(start) :], each["size"], each["last_modified"]) for page in pages for each in page
        ]
        return sorted(objects, key=lambda each: each.path)

    # What a dataset needs.

    def read(self, path: str) -> bytes | None:
        """The content of a small object; None without one."""
        return self._tried(lambda: self.fetch(path), "cannot be read")

    def list(self, within: str = "") -> list[Listed]:
        """All objects below a path, sorted."""
        return self._tried(lambda: self.listing(within), "cannot be listed")

    def delete(self, paths: Sequence[str]) -> None:
        """Remove objects."""
        if paths:
            self._tried(lambda: self.remove(paths), "could not be changed")

    def create(self, path: str, data: bytes | Path) -> None:
        """Put an object, whether there is one or not."""
        self._tried(lambda: self.send(path, data), "could not be written")

    def file(self, path: str, size: int, rows: int) -> StoredFile:
        """A file to be read in ranges."""
        return StoredFile(f"{self.uri}/{path}", size, rows)

    @contextmanager
    def working(self) -> Iterator[Path]:
        """A local folder for what is staged and for copies of files, for the duration of the outermost `with`."""
        if self._work is not None:
            yield self._work
            return
        with temporary_folder() as folder:
            self._work = folder
            try:
                yield folder
            finally:
                self._work = None

    @property
    def work(self) -> Path:
        """The local folder of `working`."""
        if self._work is None:
            raise DatasetError(f"{self}: is not open for writing.")
        return self._work

    @property
    def copies(self) -> Path:
        """The folder of local copies."""
        return self.work / "copies"

    def copy(self, path: str) -> Path:
        """A local copy of a file, made once; FileNotFoundError if the place has no such file."""
        copied = self.copies / path
        if not copied.exists():
            data = self.read(path)
            if data is None:
                raise FileNotFoundError(2, "there is no such object", f"{self}/{path}")
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(data)
        return copied

    def _key(self, path: str) -> str:
        return f"{self.prefix}/{path}" if self.prefix else path

    def _tried(self, request: Callable[[], _Result], failed: str) -> _Result:
        """The result of a request, which is sent again after a failure."""
        object_store.store_of(self.root)
        for attempt in range(ATTEMPTS):
            _pause(attempt)
            try:
                return request()
            except failures() as error:
                last = error
        raise DatasetError(f"{self}: {failed} ({reason_of(last)}).") from last


def _pause(attempt: int) -> None:
    """Wait before a request is sent again."""
    if attempt:
        time.sleep(PAUSE_SECONDS * 2 ** (attempt - 1))


Home: TypeAlias = Path | ObjectPlace
"""Where a dataset is."""


def home_of(word: str | os.PathLike[str]) -> Home:
    """Where a dataset is: a folder (`file://` may precede its path), or a place in an object store (`s3://bucket/key`); UsageError for another scheme."""
    text = object_store.without_file(os.fspath(word))
    if object_store.is_uri(text):
        return ObjectPlace(text)
    if isinstance(word, Path) and object_store.is_uri(text.replace(":/", "://", 1)):
        raise UsageError(f"{text}: a URI is a text, not a Path, which changes it.")
    return Path(text)


def each_at_once(function: Callable[[str], _Result], paths: Iterable[str]) -> list[_Result]:
    """The results of a function for each path, several at the same time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(function, paths))


@contextmanager
def copies(home: Home) -> Iterator[None]:
    """Let `local` copy objects, for the duration of a `with`."""
    if isinstance(home, Path):
        yield
        return
    with home.working():
        yield


def work_of(home: Home) -> Path:
    """The local folder in which a writer stages files: that of the dataset, or a temporary one for an object store."""
    return home if isinstance(home, Path) else home.work


def local(home: Home, path: str) -> Path:
    """A file of a dataset to be read as a whole by a writer: itself, or a copy of an object."""
    return home / path if isinstance(home, Path) else home.copy(path)
