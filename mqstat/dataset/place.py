"""Where a dataset is: a folder (a `Path`), or a place in an object store.

A place has whole objects, under names that no other writer gives. The library sends a request again that failed,
although the store may have carried it out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from mqstat.base import object_store
from mqstat.base.errors import DatasetError, UsageError
from mqstat.base.object_store import StoredFile, failures, reason_of, split
from mqstat.base.scratch import temporary_folder

if TYPE_CHECKING:
    from obstore.store import ObjectStore

AT_ONCE = 16
"""Requests at the same time."""

_Result = TypeVar("_Result")


class ObjectPlace:
    """A place in an object store. The methods raise DatasetError if the store cannot be used, and UsageError without
    the library.
    """

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

    def read(self, path: str) -> bytes | None:
        """The content of a small object; None without one."""
        import obstore

        with self._store("cannot be read") as store, suppress(FileNotFoundError):
            return bytes(obstore.get(store, self._key(path)).bytes())
        return None

    def list(self) -> list[str]:
        """The paths of all objects."""
        import obstore

        start = f"{self.prefix}/" if self.prefix else ""
        with self._store("cannot be listed") as store:
            return sorted(each["path"][len(start) :] for page in obstore.list(store, start or None) for each in page)

    def delete(self, paths: Sequence[str]) -> None:
        """Remove objects, if they are there."""
        import obstore

        with self._store("could not be changed") as store:
            for path in paths:
                with suppress(FileNotFoundError):  # S3 does not report it
                    obstore.delete(store, self._key(path))

    def create(self, path: str, data: bytes | Path) -> None:
        """Put an object, whether there is one or not."""
        import obstore

        with self._store("could not be written") as store:
            obstore.put(store, self._key(path), data)

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

    @contextmanager
    def _store(self, failed: str) -> Iterator[ObjectStore]:
        """The store, for requests whose errors become a DatasetError."""
        store = object_store.store_of(self.root)
        try:
            yield store
        except failures() as error:
            raise DatasetError(f"{self}: {failed} ({reason_of(error)}).") from error


Home: TypeAlias = Path | ObjectPlace
"""Where a dataset is."""


def home_of(word: str | os.PathLike[str]) -> Home:
    """Where a dataset is: a folder (`file://` may precede its path), or a place in an object store (`s3://bucket/key`);
    UsageError for another scheme.
    """
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


def work_of(home: Home) -> Path:
    """The local folder in which a writer stages files: that of the dataset, or a temporary one for an object store."""
    return home if isinstance(home, Path) else home.work


def local(home: Home, path: str) -> Path:
    """A file of a dataset to be read as a whole by a writer: itself, or a copy of an object."""
    return home / path if isinstance(home, Path) else home.copy(path)
