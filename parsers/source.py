"""File, folder, stdin or archive member -> a stream of bytes, decompressed on the way.

Compression and archives are recognised by content, never by name. Nothing is unpacked to disk, and memory stays at the size of one read.
A plain file can be opened at any offset, so that several processes read ranges of it; everything else is one stream from its beginning.
"""

from __future__ import annotations

import os
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from mqstat.errors import InputError
from mqstat.parsers.compression import Broken, Plain, Raw, Skipped, ZipMember, decompressed, kind_of
from mqstat.parsers.framing import detect

SNIFF = 1 << 16
"""Bytes looked at to recognise what an input is."""

TERSE_ADVICE = (
    "unpack it on z/OS with PGM=AMATERSE,PARM='UNPACK' and transfer the result in binary with RDW, "
    "or transfer the output of IFASMFDP or IFASMFDL itself"
)


class SourceReader:
    """Reads the decompressed bytes of one source from front to back.

    `problem` (here and in the source) is set when a compressed stream breaks off or turns out corrupt: what could be read was delivered, then the stream ends.
    """

    def __init__(self, raw: Raw, name: str, source: Source | None = None) -> None:
        self.raw = raw
        self.name = name
        self.source = source
        self.problem: str | None = None
        self._held = b""
        self._over = False

    def _pull(self, size: int) -> bytes:
        if self._over:
            return b""
        try:
            data = self.raw.read(size)
        except Broken as error:
            self.problem = f"{self.name}: {error}."
            if self.source is not None:
                self.source.problem = self.problem
            data = b""
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror or error}.") from error
        self._over = not data
        return data

    def peek(self, size: int) -> bytes:
        """The next `size` bytes (fewer only at the end) without moving on."""
        parts, total = [self._held], len(self._held)
        while total < size:
            data = self._pull(size - total)
            if not data:
                break
            parts.append(data)
            total += len(data)
        self._held = b"".join(parts)
        return self._held[:size]

    def read(self, size: int = 1 << 20) -> bytes:
        """Up to `size` bytes; none at the end."""
        if self._held:
            data, self._held = self._held[:size], self._held[size:]
            return data
        return self._pull(size)

    def readinto(self, target: memoryview) -> int:
        """Fill as much of `target` as is at hand; 0 at the end."""
        into = getattr(self.raw, "readinto", None)
        if into is None or self._held or self._over:
            data = self.read(len(target))
            target[: len(data)] = data
            return len(data)
        try:
            got = int(into(target))
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror or error}.") from error
        self._over = not got
        return got

    def close(self) -> None:
        """Give back the file."""
        self.raw.close()

    def __enter__(self) -> SourceReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass
class Source:
    """One dump: a file, stdin, or a member of an archive.

    `name` never holds a directory. `path` is set for a plain file, which can be opened at any offset and, because a source can be pickled,
    in another process. `size` counts decompressed bytes where they are known beforehand. Stdin, and a member of an archive on it, can be
    opened once only.
    """

    name: str
    path: Path | None = None
    size: int | None = None
    problem: str | None = None
    file: Path | None = None
    member: str | None = None
    span: tuple[int, int] | None = None
    kinds: tuple[str, ...] = ()
    stream: Raw | None = field(default=None, repr=False, compare=False)

    def open(self, start: int = 0) -> SourceReader:
        """A reader from `start` on; other sources than plain files are read up to there first."""
        if self.stream is not None:
            stream, self.stream = self.stream, _USED
            raw: Raw = stream
        elif self.file is None:
            raise InputError(f"{self.name} is not open.")
        elif self.path is not None:
            return SourceReader(_plain(self.path, self.name, start, self.size), self.name, self)
        else:
            raw = self._layers(self.file)
        return SourceReader(Skipped(raw, start, None) if start else raw, self.name, self)

    def _layers(self, file: Path) -> Raw:
        """Build the way from the file to the content: `kinds` from the outside in, a tar or zip member in its place."""
        raw: Raw = (
            ZipMember(file, self.member, self.name) if self.member is not None else _plain(file, self.name, 0, None)
        )
        for kind in self.kinds:
            raw = Skipped(raw, *self.span) if kind == "tar" and self.span else decompressed(raw, kind)
        return raw


class _Used:
    """What stands in the place of a stream that was opened already."""

    def read(self, size: int = -1, /) -> bytes:
        raise InputError("A stream can be read once only; store it in a file first.")

    def close(self) -> None:
        """Nothing to give back."""


_USED = _Used()


def _plain(path: Path, name: str, start: int, size: int | None) -> Plain:
    try:
        return Plain(path, name, start, size)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from error


def tersed(prefix: bytes) -> bool:
    """Whether an input was packed with AMATERSE (PACK, SPACK, or the older native form) and is not an SMF dump."""
    if len(prefix) < 12:
        return False
    if prefix[0] in (1, 7) and prefix[1:4] == b"\x89\x69\xa5":
        return True
    short, long = int.from_bytes(prefix[2:4], "big"), int.from_bytes(prefix[8:12], "big")
    mvs = prefix[4] & 0x04
    return bool(
        prefix[0] in (2, 5)
        and prefix[1] in (0, 1)
        and (short or long)
        and (short == 0 or long in (0, short))
        and long < 1 << 24
        and (mvs or not any(prefix[4:8]))
        and detect(prefix, False) is None
    )


def find_sources(inputs: Sequence[str], *, refuse: bool = True) -> Iterator[Source]:
    """The sources behind the words of a command line, in their order: files, folders (sorted by name, all levels), `-` for stdin.

    Raises InputError when an input is missing, empty, unreadable or tersed, or a folder or archive holds no data. Without `refuse`, a file
    that is empty or tersed is given all the same, for the doctor to look at.
    """
    for word in inputs:
        if word == "-":
            yield from _stdin()
            continue
        path = Path(word)
        if path.is_dir():
            found = False
            for file in sorted(each for each in path.rglob("*") if each.is_file()):
                if file.stat().st_size:
                    for source in _file(file):
                        found = True
                        yield source
            if not found:
                raise InputError(f"The folder {path.name or word} holds no file with data.")
            continue
        if not path.exists():
            raise InputError(f"{path.name or word} does not exist.")
        yield from _file(path, refuse)


def _file(path: Path, refuse: bool = True) -> Iterator[Source]:
    name = path.name
    regular = path.is_file()
    if not regular:  # a named pipe or a device: read once, like stdin
        yield from _stream(_plain(path, name, 0, None), name)
        return
    with SourceReader(_plain(path, name, 0, None), name) as reader:
        prefix = reader.peek(SNIFF)
    if not prefix and refuse:
        raise InputError(f"{name} is empty.")
    kind = kind_of(prefix)
    if kind is None:
        if refuse:
            _refuse_tersed(prefix, name)
        yield Source(name, path=path, size=path.stat().st_size, file=path)
    elif kind == "zip":
        yield from _zip(path, name)
    elif kind == "tar":
        yield from _tar(Source(name, file=path), ("tar",))
    else:
        outer = Source(name, file=path, kinds=(kind,))
        with outer.open() as reader:
            prefix = reader.peek(SNIFF)
            problem = reader.problem
        if kind_of(prefix) == "tar":
            yield from _tar(outer, (kind, "tar"))
            return
        if not prefix:
            raise InputError(problem or f"{name} is empty.")
        _refuse_tersed(prefix, name)
        yield outer


def _refuse_tersed(prefix: bytes, name: str) -> None:
    if tersed(prefix):
        raise InputError(f"{name} is tersed (packed with AMATERSE): {TERSE_ADVICE}.")


def _zip(path: Path, name: str) -> Iterator[Source]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [each for each in archive.infolist() if not each.is_dir() and each.file_size]
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise InputError(f"{name} is a damaged or incomplete zip archive ({error}); transfer it again.") from error
    if not members:
        raise InputError(f"The archive {name} holds no file with data.")
    for info in members:
        source = Source(_member_name(name, info.filename), size=info.file_size, file=path, member=info.filename)
        yield _inner(source)


def _member_name(archive: str, member: str) -> str:
    return f"{archive}:{member.replace(chr(92), '/').rstrip('/').rsplit('/', 1)[-1]}"


def _inner(source: Source) -> Source:
    """A member of an archive with its own compression, if it has one, taken off."""
    with source.open() as reader:
        prefix = reader.peek(SNIFF)
    kind = kind_of(prefix)
    if kind in ("zip", "tar"):
        raise InputError(f"{source.name} is an archive inside an archive; unpack the outer one first.")
    if kind is not None:
        source.kinds, source.size = (*source.kinds, kind), None
        with source.open() as reader:
            prefix = reader.peek(SNIFF)
    _refuse_tersed(prefix, source.name)
    return source


def _tar(outer: Source, kinds: tuple[str, ...]) -> Iterator[Source]:
    """The members of a tar file; each is opened by skipping to where its data begins."""
    found, broken = False, None
    with outer.open() as reader:
        try:
            with tarfile.open(fileobj=cast(Any, reader), mode="r|") as archive:
                for info in archive:
                    if info.isreg() and info.size and not info.issparse():
                        found = True
                        name = _member_name(outer.name, info.name)
                        span = (info.offset_data, info.size)
                        yield _inner(Source(name, size=info.size, file=outer.file, kinds=kinds, span=span))
        except (tarfile.TarError, EOFError) as error:
            broken = reader.problem or f"{outer.name} is a damaged or incomplete tar archive ({error})."
    if not found:
        raise InputError(broken or f"The archive {outer.name} holds no file with data.")


def _stdin() -> Iterator[Source]:
    stdin = sys.stdin.buffer
    try:
        handle = open(os.dup(stdin.fileno()), "rb", buffering=0)  # noqa: PTH123, SIM115 - closed by the reader
    except (OSError, ValueError, AttributeError):
        handle = stdin  # type: ignore[assignment]
    yield from _stream(_Handle(handle), "stdin")


class _Handle:
    """An open file object as a raw stream."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    def read(self, size: int = -1, /) -> bytes:
        return self.handle.read(size) or b""

    def close(self) -> None:
        self.handle.close()


def _stream(raw: Raw, name: str) -> Iterator[Source]:
    """What a stream that can be read once holds: a dump, compressed or not, or the members of a tar file in their order."""
    for level in range(3):
        reader = SourceReader(raw, name)
        prefix = reader.peek(SNIFF)
        kind = kind_of(prefix)
        if not prefix:
            reader.close()
            raise InputError(reader.problem or f"{name} is empty.")
        if kind == "zip":
            reader.close()
            raise InputError(f"{name} is a zip archive, which cannot be read from a stream; name the file instead.")
        if kind == "tar":
            yield from _tar_stream(reader, name)
            return
        raw = _Chained(reader)
        if kind is None or level == 2:
            break
        raw = decompressed(raw, kind)
    _refuse_tersed(prefix, name)
    yield Source(name, stream=raw)


class _Chained:
    """A reader as the raw stream of the next layer: a problem below is a problem above."""

    def __init__(self, reader: SourceReader) -> None:
        self.reader = reader

    def read(self, size: int = -1, /) -> bytes:
        data = self.reader.read(size if size >= 0 else 1 << 20)
        if not data and self.reader.problem:
            raise Broken(self.reader.problem.split(": ", 1)[-1].rstrip("."))
        return data

    def close(self) -> None:
        self.reader.close()


def _tar_stream(reader: SourceReader, name: str) -> Iterator[Source]:
    """Members of a tar file on a stream; each must be read before the next is asked for."""
    found = False
    try:
        with tarfile.open(fileobj=cast(Any, reader), mode="r|") as archive:
            for info in archive:
                content = archive.extractfile(info) if info.isreg() and info.size else None
                if content is None:
                    continue
                found = True
                inner = SourceReader(_Handle(content), _member_name(name, info.name))
                kind = kind_of(inner.peek(SNIFF))
                raw: Raw = _Chained(inner)
                if kind in ("gz", "zst", "bz2", "xz", "lz4"):
                    raw = decompressed(raw, kind)
                yield Source(inner.name, size=info.size if kind is None else None, stream=raw)
    except (tarfile.TarError, EOFError) as error:
        if not found:
            raise InputError(f"{name} is a damaged or incomplete tar archive ({error}).") from error
    if not found:
        raise InputError(f"The archive {name} holds no file with data.")
