"""The members of tar and zip archives, also of damaged ones.

A tar archive is walked header by header, and each member is read while the walk is there. If a header is damaged, the
bytes up to the next good one are a member as well, so that nothing in them is lost. Sizes are never believed: a member
ends where the input ends. A zip archive is read by its directory, and if the directory is damaged, by the headers of
its members.

Source: PKWARE APPNOTE 6.3.10.
"""

from __future__ import annotations

import mmap
import re
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from mqstat.sources.compression import Checked, Decompressed, Part, Raw

BLOCK = tarfile.BLOCKSIZE
_LONGEST_HEADER = 1 << 14
"""Bytes of an extended header of tar that is examined."""
_EXTENDED = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)  # fmt: skip
_DIGITS = re.compile(rb"\d{100}")
"""Digits in an extended header for which tarfile (until 3.11.9 and 3.12.5) takes time that grows with the square of
their number."""
_METHODS = {0: "", 8: "deflate", 12: "bz2", 14: "lzma", 93: "zst", 95: "xz"}
_LOCAL = b"PK\x03\x04"

Layer = tuple[Any, ...]
"""One step from a file to its content: ("part", offset, size), ("zip", method, checksum, size), or the kind of a
compression."""


class Reader(Protocol):
    """What an archive is read from."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes; none at the end."""

    def peek(self, size: int, /) -> bytes:
        """The next `size` bytes without moving on."""

    def skip(self, size: int, /) -> bool:
        """Skip bytes; False if the input ends before."""


@dataclass(frozen=True)
class Member:
    """A member of an archive: its name, the layers that lead to its content, its size where it is known, and `raw` to
    read it at once.

    `fault` is the reason why it cannot be read, `problem` describes damage in the data that was read.
    """

    name: str
    layers: tuple[Layer, ...] = ()
    size: int | None = None
    raw: Raw | None = None
    fault: str | None = None
    problem: str | None = None


def apply(raw: Raw, layer: Layer) -> Raw:
    """The content of one layer."""
    kind, *values = layer
    if kind == "part":
        return Part(raw, *values)
    if kind == "zip":
        method, crc, size = values
        inner = Decompressed(raw, _METHODS[method]) if method else raw
        return inner if crc is None else Checked(inner, crc, size)
    return Decompressed(raw, kind)


# ------------------------------------------------------------------------------------------------------------------ tar


class Cursor:
    """A reader as tarfile reads it, which only goes forward.

    `last` is what was read last, `bad` where the first damaged header since the last member is, `begin` where its
    content begins.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader, self.at = reader, 0
        self.last = b""
        self.bad: int | None = None
        self.begin = 0

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int) -> None:
        if offset < self.at:
            raise tarfile.ReadError("a header leads backward")
        self.skip(offset - self.at)

    def skip(self, size: int) -> None:
        self.reader.skip(size)
        self.at += size

    def read(self, size: int = -1, /) -> bytes:
        """As much as there is, up to `size` bytes."""
        parts, left = [], size if size >= 0 else 1 << 20
        while left and (data := self.reader.read(left)):
            parts.append(data)
            left -= len(data)
        self.last = b"".join(parts)
        self.at += len(self.last)
        return self.last

    def stretch(self, name: str, end: int) -> Iterator[Member]:
        """The bytes from a damaged header to the next good one or the end, if any."""
        bad, self.bad = self.bad, None
        if bad is not None and end > self.begin:
            problem = f"{name}: the tar header at offset {bad} is damaged; the bytes up to the next header were read as they are."
            size = end - self.begin
            yield Member(f"offset {bad}", (("part", self.begin, size),), size, problem=problem)

    def close(self) -> None:
        """The reader is closed by whoever opened it."""


class _Header(tarfile.TarInfo):
    """A header whose size makes sense; the cursor notes where one is damaged."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> _Header:
        cursor: Any = archive.fileobj
        at = cursor.at
        try:
            return super().fromtarfile(archive)
        except tarfile.HeaderError:
            if cursor.bad is None and cursor.last.strip(b"\0"):
                cursor.bad = at
                cursor.begin = at + BLOCK if cursor.last[257:262] == b"ustar" else at
            raise

    def _proc_member(self, archive: Any) -> tarfile.TarInfo:
        """The member that follows the header; tarfile provides for classes that do more here."""
        extended, size, reader = self.type in _EXTENDED, self.size, archive.fileobj.reader
        if size < 0 or (extended and (size > _LONGEST_HEADER or _DIGITS.search(reader.peek(size)))):
            raise tarfile.HeaderError("the size, or a number in the header, makes no sense")
        member: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return member


def tar_members(cursor: Cursor, name: str) -> Iterator[Member]:
    """The files of one or several tar archives in their order; each must be read before the next is asked for."""
    open_tar: Any = tarfile.TarFile
    while cursor.reader.peek(1):
        try:
            archive: Any = open_tar(
                fileobj=cursor, tarinfo=_Header, ignore_zeros=True, encoding="utf-8", errors="backslashreplace"
            )
            while (header := archive.next()) is not None:
                archive.members = []
                yield from cursor.stretch(name, header.offset)
                if header.size < 0:  # as an extended header has it
                    cursor.bad, cursor.begin = header.offset, cursor.at
                    raise tarfile.ReadError("a size below zero")
                if header.issparse():
                    fault = "is a sparse file in a tar archive, which is not supported; unpack it first"
                    yield Member(header.name, fault=fault)
                elif header.isreg() and header.size:
                    layer, raw = ("part", cursor.at, header.size), Part(cursor, 0, header.size)
                    yield Member(header.name, (layer,), header.size, raw)
        except (tarfile.TarError, ValueError, ArithmeticError, LookupError, RuntimeError):  # go on at the next block
            cursor.skip(-cursor.at % BLOCK)
    yield from cursor.stretch(name, cursor.at)


# ------------------------------------------------------------------------------------------------------------------ zip


def zip_members(path: Path, name: str) -> Iterator[Member]:
    """The files of a zip archive in the order of its directory."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError) as error:
        yield from _salvaged(path, name, error)
        return
    order = sorted(entry.header_offset for entry in entries)
    ends = dict(pairwise([*order, path.stat().st_size]))
    with path.open("rb") as file:
        for entry in entries:
            if entry.is_dir() or not entry.file_size:
                continue
            file.seek(entry.header_offset)
            local = file.read(30)
            begin = (
                entry.header_offset
                + 30
                + int.from_bytes(local[26:28], "little")
                + int.from_bytes(local[28:30], "little")
            )
            fault = None
            if entry.flag_bits & 1:
                fault = "is encrypted; unpack it first"
            elif entry.compress_type not in _METHODS:
                fault = f"is packed with method {entry.compress_type} of zip, which is not supported; unpack it first"
            elif local[:4] != _LOCAL or begin + entry.compress_size > ends[entry.header_offset]:
                fault = (
                    "cannot be read: the directory of the zip archive does not lead to it; transfer the archive again"
                )
            layers = (("part", begin, entry.compress_size), ("zip", entry.compress_type, entry.CRC, entry.file_size))
            yield Member(entry.filename, layers, entry.file_size, fault=fault)


def _salvaged(path: Path, name: str, error: Exception) -> Iterator[Member]:
    """The files of a zip archive without a good directory: those whose own headers make sense."""
    problem = f"{name}: the directory of the zip archive is damaged or missing ({error}); its files were looked for by their own headers."
    count = at = 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        while (at := view.find(_LOCAL, at)) >= 0:
            head = view[at : at + 30]
            words = [int.from_bytes(head[i : i + 2], "little") for i in range(0, 30, 2)]
            version, flags, method, name_length, extra = words[2], words[3], words[4], words[13], words[14]
            crc, packed, size = (int.from_bytes(head[i : i + 4], "little") for i in (14, 18, 22))
            begin = at + 30 + name_length + extra
            stated = not flags & 8 and 0xFFFFFFFF not in (packed, size)
            if (
                len(head) < 30
                or version > 63
                or method not in _METHODS
                or not 0 < name_length < 1 << 10
                or begin >= len(view)
            ):
                at += 4
                continue
            label = view[at + 30 : at + 30 + name_length].decode("utf-8", "backslashreplace")
            at = begin + packed if stated else begin
            if label.endswith("/") or flags & 1 or (stated and not size) or (not stated and not method):
                continue
            count += 1
            layers = (("part", begin, packed if stated else None), ("zip", method, crc if stated else None, size))
            yield Member(label, layers, size if stated else None, problem=problem)
    if not count:
        yield Member("", fault=f"is a damaged or incomplete zip archive ({error}); transfer it again")
