"""The members of tar and zip archives, also of damaged ones.

A tar archive is walked header by header, and each member is read while the walk is there. Sizes are never believed: a member ends where the input
ends. If a header is missing, the bytes up to the next good header are a member as well, so that nothing in them is lost.
A zip archive is read by its directory, and if the directory is damaged, by the headers of its members.

Sources: POSIX.1-2017, pax Interchange Format; GNU tar manual, "Basic Tar Format"; PKWARE APPNOTE 6.3.10.
"""

from __future__ import annotations

import mmap
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from mqstat.sources.compression import Checked, Part, Raw, decompressed, kind_of, tar_sum

BLOCK = 512
_NAMES = 1 << 20
"""Longest extended header that is examined."""
_METHODS = {0: "", 8: "deflate", 12: "bz2", 14: "lzma", 93: "zst", 95: "xz"}
_LOCAL = b"PK\x03\x04"

Layer = tuple[Any, ...]
"""One step from a file to its content: ("part", offset, size), ("stretch", offset), ("zip", method, checksum, size), or the kind of a compression."""


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
    """A member of an archive: its name, the layers that lead to its content, its size where it is known, and `raw` to read it at once.

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
    if kind == "stretch":
        return Stretch(Part(raw, values[0], None))
    if kind == "zip":
        method, crc, size = values
        inner = decompressed(raw, _METHODS[method]) if method else raw
        return inner if crc is None else Checked(inner, crc, size)
    return decompressed(raw, kind)


# ------------------------------------------------------------------------------------------------------------------------- tar


class Cursor:
    """A reader that knows where it is."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.at = reader, 0

    def read(self, size: int = -1, /) -> bytes:
        data = self.reader.read(size if size >= 0 else 1 << 20)
        self.at += len(data)
        return data

    def block(self) -> bytes:
        """The next 512 bytes, fewer only at the end, without moving on."""
        return self.reader.peek(BLOCK)

    def go(self, offset: int) -> bool:
        """Skip everything up to `place`; False if the input ends before."""
        ahead, self.at = offset - self.at, max(offset, self.at)
        return ahead <= 0 or self.reader.skip(ahead)

    def close(self) -> None:
        """The reader is closed by whoever opened it."""


class Stretch:
    """The bytes from a place in a tar archive up to the next good header or the end."""

    def __init__(self, raw: Raw) -> None:
        self.raw, self.held, self.over = raw, b"", False
        self.given = 0

    def read(self, size: int = -1, /) -> bytes:
        """At most 64 KiB, in blocks of the archive."""
        if self.over:
            return b""
        while len(self.held) < 1 << 16:
            data = self.raw.read(1 << 16)
            if not data:
                break
            self.held += data
        stop = min(len(self.held), 1 << 16, max(size, BLOCK) if size >= 0 else 1 << 16)
        stop -= stop % BLOCK if stop < len(self.held) else 0
        for at in range(0, stop, BLOCK):
            if (at or self.given) and _good(self.held[at : at + BLOCK]):
                stop, self.over = at, True
                break
        data, self.held = self.held[:stop], self.held[stop:]
        self.given += len(data)
        self.over |= not data
        return data

    def close(self) -> None:
        self.raw.close()


class _LiveStretch(Stretch):
    """A range at the cursor of a walk, which continues directly after it."""

    def __init__(self, cursor: Cursor) -> None:
        super().__init__(cursor)
        self.cursor = cursor

    def read(self, size: int = -1, /) -> bytes:
        if self.over or (self.given and _good(self.cursor.block())):
            self.over = True
            return b""
        data = self.cursor.reader.peek(1 << 16)
        for at in range(BLOCK, len(data), BLOCK):
            if _good(data[at : at + BLOCK]):
                data = data[:at]
                break
        else:
            whole = len(data) - len(data) % BLOCK
            data = data[:whole] or data
        data = self.cursor.read(len(data))
        self.given += len(data)
        self.over = not data
        return data


def _good(block: bytes) -> bool:
    return len(block) == BLOCK and block[257:262] == b"ustar" and tar_sum(block) and _number(block[124:136]) >= 0


def _number(digits: bytes) -> int:
    """A number of a tar header: octal digits or base 256; -1 if it is not a number."""
    if digits[:1] == b"\x80":
        return int.from_bytes(digits[1:], "big")
    text = digits.strip(b"\0 ")
    return int(text, 8) if text and not text.strip(b"01234567") else 0 if not text else -1


def tar_members(cursor: Cursor, name: str) -> Iterator[Member]:
    """The files of a tar archive in their order; each must be read before the next is asked for."""
    long_name, long_size = "", -1
    while True:
        block = cursor.block()
        if not block:
            return
        if not block.strip(b"\0"):  # the end, or the end of the first of several archives
            cursor.go(cursor.at + len(block))
            continue
        start, size = cursor.at, _number(block[124:136])
        if len(block) < BLOCK or size < 0 or not tar_sum(block):
            if (
                kind_of(cursor.reader.peek(4 * BLOCK)[BLOCK:]) is not None
            ):  # the content without its header is a compressed dump
                cursor.go(start + BLOCK)
            stretch, content_offset = _LiveStretch(cursor), cursor.at
            what = "is truncated" if len(block) < BLOCK else "is damaged"
            yield Member(
                f"offset {start}", (("stretch", content_offset),), raw=stretch,
                problem=f"{name}: the tar header at offset {start} {what}; the bytes up to the next header were read as they are.",
            )  # fmt: skip
            while stretch.read():
                pass
            long_name, long_size = "", -1
            continue
        cursor.go(start + BLOCK)
        kind = block[156:157]
        if kind in b"xgLK":
            content = cursor.read(min(size, _NAMES)) if size else b""
            while len(content) < min(size, _NAMES) and (more := cursor.read(min(size, _NAMES) - len(content))):
                content += more
            if kind == b"L":
                long_name = content.rstrip(b"\0").decode("utf-8", "backslashreplace")
            elif kind == b"x":
                fields = _pax(content)
                long_name = fields.get("path", long_name)
                stated = fields.get("size", "")
                long_size = int(stated) if stated.isdecimal() and len(stated) < 20 else -1
        elif kind in (b"0", b"\0", b"7", b"S"):
            prefix = block[345:500].split(b"\0", 1)[0] if block[257:263] == b"ustar\0" else b""
            own = b"/".join(filter(None, (prefix, block[:100].split(b"\0", 1)[0]))).decode("utf-8", "backslashreplace")
            label, size = long_name or own, size if long_size < 0 else long_size
            long_name, long_size = "", -1
            if kind == b"S":
                _pass_sparse_map(cursor, block)
                yield Member(label, fault="is a sparse file in a tar archive, which is not supported; unpack it first")
            elif size:
                at = cursor.at
                yield Member(label, (("part", at, size),), size, Part(cursor, 0, size))
                cursor.go(at + -(-size // BLOCK) * BLOCK)
                continue
        else:
            long_name, long_size = "", -1
        begin = start + BLOCK if kind != b"S" else cursor.at
        if kind not in b"123456":  # links, devices and folders have no content, whatever their size field
            cursor.go(begin + -(-size // BLOCK) * BLOCK)


def _pass_sparse_map(cursor: Cursor, block: bytes) -> None:
    """Go past the blocks of a sparse header that belong to it."""
    more = block[482:483]
    while more not in (b"", b"\0"):
        more = cursor.block()[504:505]
        cursor.go(cursor.at + BLOCK)


def _pax(content: bytes) -> dict[str, str]:
    """The keywords of an extended header, as far as it makes sense."""
    out: dict[str, str] = {}
    at = 0
    while at < len(content):
        digits = content[at : at + 20].split(b" ", 1)[0]
        length = int(digits) if digits.isdigit() else 0
        line = content[at + len(digits) + 1 : at + length]
        if length <= len(digits) + 1 or b"=" not in line:
            break
        key, value = line.rstrip(b"\n").split(b"=", 1)
        out[key.decode("utf-8", "backslashreplace")] = value.decode("utf-8", "backslashreplace")
        at += length
    return out


# ------------------------------------------------------------------------------------------------------------------------- zip


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
