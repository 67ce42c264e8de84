"""File, folder, stdin or archive member -> a stream of bytes, decompressed on the way.

Compression and archives are recognised by content, never by name. Nothing is unpacked to disk, and memory stays at the
size of one read. A plain file can be opened at any offset, so that several processes read ranges of it; everything else
is one stream from its beginning.
"""

from __future__ import annotations

import io
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, TypeVar

from mqstat.base.errors import InputError, UsageError
from mqstat.base.formatting import escaped, plural
from mqstat.base.object_store import StoredFile, is_uri, stored_file, stored_files, without_file
from mqstat.parsers.detection import detect
from mqstat.sources.archive import Cursor, Layer, Member, apply, tar_members, zip_members
from mqstat.sources.compression import Broken, Decompressed, Part, Plain, Raw, kind_of, pass_over

SNIFF = 1 << 16
"""Bytes examined to recognise what an input is."""

STEPS_OF = re.compile(r"(?s)(.*)/publish/_delta_log/\d{20}\.json")
"""The path of a commit of the steps of a dataset, in a folder or an object store."""

File = TypeVar("File", Path, StoredFile)

MOST_LAYERS = 12
"""Compressions and archives inside one another before an input is refused."""

TERSE_ADVICE = (
    "unpack it on z/OS with PGM=AMATERSE,PARM='UNPACK' and transfer the result in binary with RDW, "
    "or transfer the output of IFASMFDP or IFASMFDL directly"
)


class TimeLimitError(InputError):
    """Reading a file took longer than it may."""


class SourceReader:
    """Reads the decompressed bytes of one source from front to back.

    `problem` (here and in the source) is set if a compressed stream is truncated or corrupt: what could be read was
    delivered, then the stream ends.
    """

    def __init__(self, raw: Raw, name: str, source: Source | None = None, deadline: float | None = None) -> None:
        self.raw = raw
        self.name = name
        self.source = source
        self.deadline = deadline
        self.problem: str | None = None
        self._held = b""
        self._over = False

    def check_time(self) -> None:
        """Raise TimeLimitError when the time for this input is over."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise TimeLimitError(f"{self.name}: the time limit for one file passed before all of it was read.")

    def _pull(self, size: int) -> bytes:
        if self._over:
            return b""
        self.check_time()
        try:
            data = self.raw.read(size)
        except Broken as error:
            self.problem = f"{self.name}: {error}."
            if self.source is not None and self.problem not in (known := self.source.problem or ""):
                self.source.problem = f"{known} {self.problem}".strip()
            data = b""
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror or error}.") from error
        self._over = not data
        return data

    def peek(self, size: int) -> bytes:
        """The next `size` bytes (fewer only at the end) without moving on."""
        if len(self._held) < size and not self._over:
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

    def skip(self, size: int) -> bool:
        """Skip bytes, without reading them if possible; False if the input ends before."""
        buffered = min(size, len(self._held))
        self._held, size = self._held[buffered:], size - buffered
        if size and isinstance(self.raw, Plain):
            return pass_over(self.raw, size)
        while size:
            data = self._pull(min(size, 1 << 20))
            if not data:
                return False
            size -= len(data)
        return True

    def readinto(self, target: memoryview) -> int:
        """Fill as much of `target` as is at hand; 0 at the end."""
        into = getattr(self.raw, "readinto", None)
        if into is None or self._held or self._over:
            data = self.read(len(target))
            target[: len(data)] = data
            return len(data)
        self.check_time()
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

    `name` never holds a directory or a character that cannot be shown. `path` is set for a plain file, which can be
    opened at any offset and, because a source can be pickled, in another process; other sources of a `file` are opened
    through their `layers`. `size` counts decompressed bytes where they are known beforehand. `data` holds a dump that
    is in memory, `lent` one in a seekable file of the caller. Stdin, and a member of an archive on it, can be opened
    once only. `fault` is the reason why the input cannot be read: then `open` raises InputError with the return code
    `code`. `problem` describes damage in the data that was read.
    """

    name: str
    path: Path | StoredFile | None = None
    size: int | None = None
    problem: str | None = None
    file: Path | StoredFile | None = None
    layers: tuple[Layer, ...] = ()
    fault: str | None = None
    code: int = 12
    deadline: float | None = field(default=None, compare=False)
    data: bytes | None = field(default=None, repr=False, compare=False)
    lent: _Lent | None = field(default=None, repr=False, compare=False)
    live: _Live | None = field(default=None, repr=False, compare=False)

    @property
    def word(self) -> str:
        """What names it on a command line in this folder: its path or URI; of an archive `ARCHIVE:MEMBER`; - for a
        stream.
        """
        file = self.path or self.file
        if file is None:
            return "-"
        return f"{file.uri if isinstance(file, StoredFile) else file}{self.name.removeprefix(escaped(file.name))}"

    def open(self, start: int = 0) -> SourceReader:
        """A reader from `start` on; other sources than plain files are read up to there first."""
        if self.fault is not None:
            error = InputError(self.fault)
            error.return_code = self.code
            raise error
        if self.path is not None:
            raw: Raw = _plain(self.path, self.name, start, self.size)
            return SourceReader(raw, self.name, self, self.deadline)
        if self.data is not None:
            memory = io.BytesIO(self.data)
            memory.seek(start)
            return SourceReader(memory, self.name, self, self.deadline)
        if self.lent is not None:
            return SourceReader(self.lent.after(start), self.name, self, self.deadline)
        if self.live is not None and self.live.take():
            raw = self.live
        elif self.file is None:
            raise InputError("A stream can be read only once; store it in a file first.")
        else:
            raw = self.unpacked(self.file)
        return SourceReader(Part(raw, start, None) if start else raw, self.name, self, self.deadline)

    def unpacked(self, file: Path | StoredFile) -> Raw:
        """The bytes of its file through its layers."""
        raw: Raw = _plain(file, self.name, 0, _size(file))
        for layer in self.layers:
            raw = apply(raw, layer)
        return raw

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"live": None, "lent": None}


class _Live:
    """What was opened already to recognise it: it is given once, while the search for sources is at this one."""

    def __init__(self, reader: SourceReader) -> None:
        self.reader, self.free, self.ended = reader, True, False

    def take(self) -> bool:
        """Whether it can be had: only the first time."""
        free, self.free = self.free and not self.ended, False
        return free

    def read(self, size: int = -1, /) -> bytes:
        if self.ended:
            raise InputError(f"{self.reader.name}: the archive was read on; read each of its members before the next.")
        data = self.reader.read(size if size >= 0 else 1 << 20)
        if not data and self.reader.problem:
            raise Broken(self.reader.problem.removeprefix(f"{self.reader.name}: ").rstrip("."))
        return data

    def close(self) -> None:
        if not self.ended:
            self.reader.close()


def source_of_stream(name: str, raw: Raw) -> Source:
    """The dump on a stream of bytes, without any compression; it can be opened once."""
    return Source(name, live=_Live(SourceReader(raw, name)))


def sources_of_bytes(data: bytes, name: str = "bytes") -> Iterator[Source]:
    """The sources in bytes that are in memory: a dump, compressed or not, or a tar archive; a zip archive must be a
    file.
    """
    if kind_of(data[:SNIFF]) is None:
        yield Source(name, size=len(data), data=data, fault=_fault(data[:SNIFF], name))
    else:
        yield from _content(io.BytesIO(data), Source(name), _Search())


class _Lent:
    """An open file, not closed unless it is `given`. It is read from offset `at`, whoever else moves it meanwhile; None
    = from where it is.
    """

    def __init__(self, stream: BinaryIO, at: int | None, *, given: bool = False) -> None:
        self.stream, self.at, self.given = stream, at, given

    def read(self, size: int = -1, /) -> bytes:
        if self.at is None:
            return self.stream.read(size) or b""
        self.stream.seek(self.at)
        data = self.stream.read(size)
        self.at += len(data)
        return data

    def after(self, start: int) -> _Lent:
        """The same file from `start` bytes further on."""
        return _Lent(self.stream, (self.at or 0) + start)

    def close(self) -> None:
        if self.given:
            self.stream.close()


def sources_of_file(stream: BinaryIO) -> Iterator[Source]:
    """The sources in an open file: a dump, compressed or not, or a tar archive; a zip archive must be a file.

    It is read from where it is, once if it is not seekable.
    """
    name = getattr(stream, "name", None)
    source = Source(escaped(Path(name).name) if isinstance(name, str) else "file")
    if not (hasattr(stream, "seekable") and stream.seekable()):
        yield from _content(_Lent(stream, None), source, _Search())
        return
    at = stream.tell()
    prefix = SourceReader(_Lent(stream, at), source.name).peek(SNIFF)
    if kind_of(prefix) is not None:
        yield from _content(_Lent(stream, at), source, _Search())
        return
    size = stream.seek(0, os.SEEK_END) - at
    yield replace(source, size=size, lent=_Lent(stream, at), fault=_fault(prefix, source.name))


def _size(file: Path | StoredFile) -> int:
    return file.size if isinstance(file, StoredFile) else file.stat().st_size


def _plain(path: Path | StoredFile, name: str, start: int, size: int | None) -> Plain:
    try:
        return Plain(path, name, start, size)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from error


def tersed(prefix: bytes) -> bool:
    """Whether an input was packed with AMATERSE (PACK, SPACK, or the older native format) and is not an SMF dump."""
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


@dataclass(frozen=True)
class _Search:
    """How sources are looked for: whether tersed and empty files are refused, and how many seconds one file may
    take.
    """

    refuse: bool = True
    limit: float | None = None

    def deadline(self) -> float | None:
        """When the time of a file that is opened now is over."""
        return None if self.limit is None else time.monotonic() + self.limit


def find_sources(inputs: Sequence[str], *, refuse: bool = True, limit_seconds: float | None = None) -> Iterator[Source]:
    """The sources of the arguments of a command line, in their order: files, folders (sorted by name, all levels), `-`
    for stdin.

    An input that is missing, empty, unreadable or tersed, and a folder or archive without data, is a source with a
    `fault`: opening it raises InputError, and the others are not affected. Without `refuse`, a file that is empty or
    tersed is given all the same, for the doctor to look at. With `limit_seconds`, reading a source raises
    TimeLimitError so long after its file was opened.
    """
    search = _Search(refuse, limit_seconds)
    for word in map(without_file, inputs):
        if word == "-":
            yield from _stdin(search)
            continue
        path = Path(word)
        name = escaped(path.name or word)
        try:
            if is_uri(word):
                yield from _stored(word, name, search)
            elif path.is_dir():
                yield from _folder(path, name, search)
            elif not path.exists():
                yield from _member(word, name, search)
            else:
                yield from _file(path, search)
        except (OSError, ValueError) as error:
            yield Source(name, fault=f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.")


def is_input(word: str) -> bool:
    """Whether a word of the command line names an input: standard input, a URI, a file or folder, a member of an
    archive.
    """
    try:
        return word == "-" or is_uri(word) or Path(word).exists() or _archive_of(word) is not None
    except (OSError, ValueError):  # too long for a name, or with X'00'
        return False


def _archive_of(word: str) -> tuple[Path, str] | None:
    """The file and the member that `ARCHIVE:MEMBER` names."""
    for colon in re.finditer(":", word):
        path = Path(word[: colon.start()])
        if path.is_file():
            return path, word[colon.end() :]
    return None


def _member(word: str, name: str, search: _Search) -> Iterator[Source]:
    """The members that `ARCHIVE:MEMBER` names, with their names as reports show them."""
    named = _archive_of(word)
    if named is None:
        yield Source(name, fault=f"{name} does not exist.")
        return
    path, member = named
    wanted = _member_name(escaped(path.name), member)
    known = False
    for source in _file(path, search):
        if source.name == wanted:
            known = True
            yield source
    if not known:
        yield Source(name, fault=f"{escaped(path.name)} has no member {escaped(member)}.")


def _stored(uri: str, name: str, search: _Search) -> Iterator[Source]:
    """The sources that a URI names: one object, or all objects below it."""
    try:
        stored = stored_file(uri)
        objects = [each for each in stored_files(uri) if each.size] if stored is None else []
    except UsageError as error:
        yield Source(name, fault=str(error), code=error.return_code)
        return
    if stored is not None:
        yield from _file(stored, search)
        return
    if not objects:
        yield Source(name, fault=f"{escaped(uri)} does not exist.")
    files, faults = _without_datasets(objects, name)
    yield from faults
    for file in files:
        yield from _file(file, search)


def _folder(path: Path, name: str, search: _Search) -> Iterator[Source]:
    any_data = False
    files, faults = _without_datasets(sorted(each for each in path.rglob("*") if each.is_file()), name)
    yield from faults
    for file in files:
        try:
            if not file.stat().st_size:
                continue
        except OSError:  # it has gone since
            continue
        any_data = True
        yield from _file(file, search)
    if not any_data and not faults:
        yield Source(name, fault=f"The folder {name} has no file with data.")


def _path_of(file: Path | StoredFile) -> str:
    """The URI of a file or its path, which begins with `/` or `./`."""
    if isinstance(file, StoredFile):
        return file.uri
    return file.as_posix() if file.is_absolute() else f"./{file.as_posix()}"


def _without_datasets(files: Sequence[File], name: str) -> tuple[list[File], list[Source]]:
    """The files of a folder or below a URI, without datasets and Parquet files; each of those is one source with a
    fault.
    """
    paths = {file: _path_of(file) for file in files}
    parquet = [path for path in paths.values() if path.endswith(".parquet")]
    if not parquet:
        return list(files), []
    above = {path[: match.start()] for path in parquet for match in re.finditer("/", path)}
    datasets = sorted({match[1] for path in paths.values() if (match := STEPS_OF.fullmatch(path))} & above)
    within = tuple(f"{dataset}/" for dataset in datasets)
    outside = {file: path for file, path in paths.items() if not path.startswith(within)}
    faults: list[Source] = []
    for dataset in datasets:
        own = escaped(dataset.rpartition("/")[2])
        text = f"{own} is a dataset, not a dump; read it with --from {escaped(dataset.removeprefix('./'))}"
        faults.append(Source(own, fault=text))
    others = [file for file, path in outside.items() if not path.endswith(".parquet")]
    if stray := len(outside) - len(others):
        are = "which are not dumps" if stray > 1 else "which is not a dump"
        faults.append(Source(name, fault=f"{name} holds {plural(stray, 'Parquet file')}, {are}."))
    return others, faults


def _file(path: Path | StoredFile, search: _Search) -> Iterator[Source]:
    """What one file holds; a file that cannot be read is a source with a fault."""
    name, deadline = escaped(path.name), search.deadline()
    try:
        if isinstance(path, Path) and not path.is_file():  # a named pipe or a device: read once, like stdin
            name = escaped(str(path))
            raw = _plain(path, name, 0, None)
            yield from _content(raw, Source(name, deadline=deadline), search)
            return
        size = _size(path)
        with SourceReader(_plain(path, name, 0, size), name) as reader:
            prefix = reader.peek(SNIFF)
        kind = kind_of(prefix)
        if kind is None:
            fault = _fault(prefix, name) if search.refuse else None
            yield Source(name, path=path, size=size, file=path, fault=fault, deadline=deadline)
        elif kind == "zip" and isinstance(path, Path):
            yield from _members(zip_members(path, name), Source(name, file=path, deadline=deadline), search)
        elif kind == "zip":
            fault = f"{name} is a zip archive, which cannot be read in an object store; copy or unpack it first."
            yield Source(name, file=path, fault=fault)
        else:
            yield from _content(_plain(path, name, 0, size), Source(name, file=path, deadline=deadline), search)
    except InputError as error:
        yield Source(name, file=path, fault=str(error), code=error.return_code)
    except OSError as error:
        yield Source(name, file=path, fault=f"{name} cannot be read: {error.strerror or error}.")


def _fault(prefix: bytes, name: str) -> str | None:
    """Why an input of these first bytes is no dump for sure."""
    if not prefix:
        return f"{name} is empty."
    return f"{name} is tersed (packed with AMATERSE): {TERSE_ADVICE}." if tersed(prefix) else None


def _content(raw: Raw, source: Source, search: _Search, *, inside: bool = False) -> Iterator[Source]:
    """What a stream holds: a dump, or the members of a tar archive, through any number of compressions.

    `source` is what is known so far. `inside` an archive the stream belongs to the walk over it and is not closed here.
    """
    name = source.name
    reader = SourceReader(raw, name, deadline=source.deadline)
    keep = False
    try:
        while True:
            prefix = reader.peek(SNIFF)
            kind = kind_of(prefix)
            is_deep = len(source.layers) >= MOST_LAYERS
            if kind is None or kind in ("zip", "tar") or is_deep:
                break
            source = replace(source, layers=(*source.layers, (kind,)), size=None)
            reader = SourceReader(Decompressed(_Live(reader), kind), name, deadline=source.deadline)
        fault = None
        if not prefix:
            fault = reader.problem or f"{name} is empty."
        elif kind == "zip":
            fault = f"{name} is a zip archive inside a stream or another archive, which cannot be read there; store or unpack it first."
        elif kind is not None and is_deep:
            fault = f"{name} is packed more than {MOST_LAYERS} times; unpack it first."
        elif kind == "tar":
            yield from _members(tar_members(Cursor(reader), name), source, search)
            if reader.problem:
                yield replace(source, fault=reader.problem.rstrip(".") + "; members may be missing.", code=4)
            return
        elif search.refuse:
            fault = _fault(prefix, name)
        live = None if fault else _Live(reader)
        keep = live is not None and source.file is None and not inside
        yield replace(source, fault=fault, live=live)
        if live is not None and not keep:
            live.ended = True
    finally:
        if not (keep or inside):
            reader.close()


def _members(members: Iterator[Member], archive: Source, search: _Search) -> Iterator[Source]:
    """The content of each member of an archive."""
    count = 0
    for member in members:
        count += 1
        source = replace(
            archive, name=_member_name(archive.name, member.name) if member.name else archive.name,
            layers=(*archive.layers, *member.layers), size=member.size, problem=member.problem,
        )  # fmt: skip
        if archive.deadline is not None and time.monotonic() > archive.deadline:
            text = "the time limit for one file expired before all of its members were read"
            yield replace(archive, fault=f"{archive.name}: {text}.")
            return
        if member.fault:
            yield replace(source, fault=f"{source.name} {member.fault}.")
            continue
        try:
            if member.raw is not None:
                yield from _content(member.raw, source, search, inside=True)
            elif archive.file is not None:
                yield from _content(source.unpacked(archive.file), source, search)
            else:
                text = "follows a damaged header in a tar archive, which a stream cannot give again; store it in a file"
                yield replace(source, fault=f"{source.name} {text}.")
        except InputError as error:
            yield replace(source, fault=str(error), code=error.return_code)
    if not count:
        yield replace(archive, fault=f"The archive {archive.name} has no file with data.")


def _member_name(archive: str, member: str) -> str:
    return escaped(f"{archive}:{member.replace(chr(92), '/').rstrip('/').rsplit('/', 1)[-1]}")


def _stdin(search: _Search) -> Iterator[Source]:
    stdin: Any = getattr(sys.stdin, "buffer", None)
    try:
        handle = open(os.dup(stdin.fileno()), "rb", buffering=0)  # noqa: PTH123, SIM115 - closed by the reader
    except (OSError, ValueError, AttributeError):
        handle = stdin
    if handle is None or handle.closed:
        yield Source("stdin", fault="Standard input is closed; redirect a dump to it, or specify a file.")
        return
    yield from _content(_Lent(handle, None, given=True), Source("stdin", deadline=search.deadline()), search)
