"""Object stores (S3, Azure, Google, HTTP): what a URI names, read in ranges, through the library obstore
(`pip install 'mqstat[store]'`).

Credentials and endpoints come from the environment, as the tools of the provider have them (`AWS_ACCESS_KEY_ID`,
`AWS_ENDPOINT_URL`, ...), never from a URI.
"""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from mqstat.base.errors import UsageError

if TYPE_CHECKING:
    from obstore.store import ObjectStore

URI = re.compile(r"(?i)[a-z][a-z0-9+.-]+://")
"""How a URI begins; one letter before the colon is a drive of Windows."""

FILE_URI = re.compile(r"(?is)file:(?://(?:localhost)?)?(/|/[^/].*)")
"""A URI of a local file, with its path."""

SCHEMES = ("s3", "s3a", "gs", "az", "abfs", "abfss", "http", "https")

WINDOW = 4 << 20
"""Bytes of a dump that are read at least with one request."""

RANGE = 64 << 10
"""Bytes of a Parquet file that are read at least with one request."""

ANSWER = re.compile(r"<Code>([^<]{1,100})</Code>(?:\s*<Message>([^<]{1,300})</Message>)?")
"""The error in an answer of S3."""

CAUSE = "\x1b[31m↳\x1b[0m"
"""Before each cause of an error of the library deltalake."""

METADATA = "/latest/api/token"
"""In an error of the library if it found no credentials and asked the machine for some, as on EC2, in vain."""

INSTALL = "pip install 'mqstat[store]'"


def is_uri(word: object) -> bool:
    """Whether a word names something by a URI instead of a path."""
    return isinstance(word, str) and URI.match(word) is not None


def without_file(word: str) -> str:
    """The path of a URI of a local file (`file:///data/a%20b`, as `Path.as_uri` writes it); any other word as it is."""
    from urllib.parse import unquote

    match = FILE_URI.fullmatch(word)
    return word if match is None else unquote(match[1])


def split(uri: str) -> tuple[str, str]:
    """The store of a URI (`s3://bucket`) and the key in it, which may have any characters; UsageError for a scheme that
    is not read, or without a bucket.
    """
    scheme, _, rest = uri.partition("://")
    bucket, _, key = rest.partition("/")
    if scheme.lower() not in SCHEMES:
        raise UsageError(
            f"{uri}: {scheme}:// is not read; use {', '.join(f'{each}://' for each in SCHEMES)}, or file:///PATH."
        )
    if not bucket or set("@?#") & set(bucket) or (scheme.lower().startswith("http") and set("?#") & set(key)):
        raise UsageError(f"{uri}: write the bucket and the key only, as in s3://bucket/key.")
    return f"{scheme.lower()}://{bucket}", "/".join(part for part in key.split("/") if part)


@cache
def store_of(root: str) -> ObjectStore:
    """The store of a bucket; UsageError if the library is not installed or the environment does not configure it."""
    try:
        from obstore.exceptions import BaseError
        from obstore.store import from_url
    except ImportError:
        raise UsageError(f"{root}: object stores need the package obstore: {INSTALL}") from None
    options: dict[str, Any] = {}
    if os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://") or root.startswith("http://"):
        options["client_options"] = {"allow_http": True}
    try:
        return from_url(root, **options)
    except (BaseError, ValueError) as error:
        raise UsageError(f"{root}: cannot be opened ({reason_of(error)}).") from None


def reason_of(error: Exception) -> str:
    """What a store answered, or the first line of an error of the library, without a full stop."""
    text = str(error)
    if METADATA in text:
        return "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a public bucket"
    if match := ANSWER.search(text):
        return ": ".join(" ".join(each.split()) for each in match.groups() if each).rstrip(".")
    *_, cause = text.split(CAUSE)  # of an error of deltalake the innermost cause, on one line
    return (cause.strip().splitlines() or [type(error).__name__])[0].rstrip(".")


@cache
def failures() -> tuple[type[Exception], ...]:
    """The errors that a request can raise."""
    from obstore.exceptions import BaseError

    return (BaseError, OSError, ValueError)


@dataclass(frozen=True, order=True)
class StoredFile:
    """One object: its URI and its bytes. It has the attributes of a path that readers of files use."""

    uri: str
    size: int = field(compare=False)
    rows: int | None = field(default=None, compare=False)
    """Of a file of a table, from the manifest."""

    def __str__(self) -> str:
        return self.uri

    @property
    def name(self) -> str:
        """The last part of the key."""
        return self.uri.rpartition("/")[2]

    def open(self, mode: str = "rb", buffering: int = 0) -> RangeReader:
        """A stream of its bytes, read from front to back."""
        return RangeReader(self, WINDOW)

    def open_ranges(self) -> SharedRanges:
        """A stream of its bytes, of which several threads read parts."""
        return SharedRanges(self)


class RangeReader(io.RawIOBase):
    """Reads an object in ranges, each with one request of at least `window` bytes."""

    def __init__(self, file: StoredFile, window: int) -> None:
        self.file, self.at, self.window = file, 0, window
        self._held, self._start = b"", 0
        self._root, self._key = split(file.uri)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int, whence: int = 0) -> int:
        self.at = max(0, offset + (0, self.at, self.file.size)[whence])
        return self.at

    def readinto(self, target: Any) -> int:
        # All that is wanted: DuckDB takes a shorter read for a fault.
        wanted, done = max(0, min(len(target), self.file.size - self.at)), 0
        while done < wanted:
            skipped = self.at - self._start
            if not 0 <= skipped < len(self._held):
                length = min(max(wanted - done, self.window), self.file.size - self.at)
                self._held, self._start, skipped = fetched(self._root, self._key, self.at, length), self.at, 0
                if len(self._held) < length:  # the object is shorter
                    wanted = min(wanted, done + len(self._held))
            got = min(wanted - done, len(self._held) - skipped)
            target[done : done + got] = memoryview(self._held)[skipped : skipped + got]
            self.at += got
            done += got
        return done


class SharedRanges(io.RawIOBase):
    """Reads an object in ranges, with a position of its own for each thread: the threads of DuckDB seek and read in one
    stream without a lock.
    """

    def __init__(self, file: StoredFile) -> None:
        self._file = file
        self._readers: dict[int, RangeReader] = {}

    def _own(self) -> RangeReader:
        thread = threading.get_ident()
        if thread not in self._readers:
            self._readers[thread] = RangeReader(self._file, RANGE)
        return self._readers[thread]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._own().tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._own().seek(offset, whence)

    def readinto(self, target: Any) -> int:
        return self._own().readinto(target)


def fetched(root: str, key: str, start: int, length: int) -> bytes:
    """Bytes of an object; OSError if they cannot be read."""
    import obstore

    try:
        return bytes(obstore.get_range(store_of(root), key, start=start, length=length))
    except OSError:
        raise
    except failures() as error:
        raise OSError(5, reason_of(error), f"{root}/{key}") from None


def stored_file(uri: str) -> StoredFile | None:
    """The object that a URI names; None without one. OSError if the store cannot be asked."""
    import obstore

    root, key = split(uri)
    store = store_of(root)
    try:
        return _as_file(root, key, obstore.head(store, key)) if key else None
    except FileNotFoundError:
        return None
    except failures() as error:
        raise OSError(5, reason_of(error), uri) from None


def stored_files(uri: str) -> Iterator[StoredFile]:
    """The objects below a URI, sorted by their keys; OSError if the store cannot be asked."""
    import obstore

    root, key = split(uri)
    store = store_of(root)
    try:
        objects = [each for page in obstore.list(store, f"{key}/" if key else None) for each in page]
    except failures() as error:
        raise OSError(5, reason_of(error), uri) from None
    yield from sorted(_as_file(root, each["path"], each) for each in objects)


def _as_file(root: str, key: str, known: Mapping[str, Any]) -> StoredFile:
    return StoredFile(f"{root}/{key}", known["size"])
