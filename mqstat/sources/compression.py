"""The layers between a file and its content: plain bytes, a part of them, and the compressions.

Each layer reads from the one below. A stream that is truncated or corrupt delivers what could be decompressed and then
raises `Broken`, so that a damaged transfer costs no more than it must.
"""

from __future__ import annotations

import bz2
import lzma
import sys
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from lz4.frame import LZ4FrameDecompressor

from mqstat.base.errors import InputError
from mqstat.base.object_store import StoredFile

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError

_MAGIC = (
    ("gz", b"\x1f\x8b\x08"),
    ("zst", b"\x28\xb5\x2f\xfd"),
    ("bz2", b"BZh"),
    ("xz", b"\xfd7zXZ\0"),
    ("lz4", b"\x04\x22\x4d\x18"),
    ("zip", b"PK\x03\x04"),
    ("zip", b"PK\x05\x06"),
)
_STEP = 1 << 16
_PIECE = 1 << 20
_LITTLE = 256
"""Bytes asked of a decompressor that loses the output of a call that fails."""
_OF_A_BLOCK = 1 << 12
"""The same where blocks, which fail as a whole, are multiples of it."""
_WINDOW = 1 << 30
"""Largest memory that a compressed stream may ask for."""


class Raw(Protocol):
    """A stream of bytes from front to back."""

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes; none at the end."""

    def close(self) -> None:
        """Give back what is held."""


class Broken(Exception):  # noqa: N818 - a fact about the data, turned into a recorded problem
    """A compressed stream is corrupt or ends too early."""


def kind_of(prefix: bytes) -> str | None:
    """Compression or archive by its first bytes: gz, zst, bz2, xz, lz4, zip, tar; None for anything else."""
    for kind, magic in _MAGIC:
        if prefix.startswith(magic):
            if kind == "bz2" and prefix[4:10] not in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"):
                return None
            return kind
    if prefix[257:262] == b"ustar":  # a dump with these five letters in it has no checksum there
        try:
            tarfile.TarInfo.frombuf(prefix[: tarfile.BLOCKSIZE], "utf-8", "replace")
        except tarfile.TarError:
            return None
        return "tar"
    is_skippable = prefix[:1].hex() >= "50" and prefix[:1].hex() <= "5f" and prefix[1:4] == b"\x2a\x4d\x18"
    return "zst" if is_skippable else None  # a zstd stream may begin with a frame to skip


class Plain:
    """A file from an offset on, up to its size when it was found; becoming shorter meanwhile is an error."""

    def __init__(self, path: Path | StoredFile, name: str, start: int, size: int | None) -> None:
        self.handle = path.open("rb", buffering=0)
        self.name, self.at, self.size = name, start, size
        if start:
            self.handle.seek(start)

    def readinto(self, target: memoryview) -> int:
        """Fill as much of `target` as one read gives."""
        if self.size is not None:
            target = target[: max(0, self.size - self.at)]
        got = self.handle.readinto(target) or 0 if len(target) else 0
        self.at += got
        if not got and self.size is not None and self.at < self.size:
            raise InputError(
                f"{self.name} ended at offset {self.at} instead of {self.size}: it became shorter while it was read; "
                "try again when nothing writes to it."
            )
        return got

    def read(self, size: int = -1, /) -> bytes:
        target = bytearray(_PIECE if size < 0 else min(size, _PIECE))
        return bytes(target[: self.readinto(memoryview(target))])

    def close(self) -> None:
        self.handle.close()


class Part:
    """A part of a stream: `skip` bytes are skipped, then `size` bytes (None: all) are given."""

    def __init__(self, raw: Raw, skip: int, size: int | None) -> None:
        self.raw, self.skip, self.left = raw, skip, size

    def read(self, size: int = -1, /) -> bytes:
        if self.skip:
            skip, self.skip = self.skip, 0
            if not pass_over(self.raw, skip):
                return b""
        size = _PIECE if size < 0 else size
        if self.left is not None:
            size = min(size, self.left)
        if not size:
            return b""
        data = self.raw.read(size)
        if self.left is not None:
            if not data:
                raise Broken("the archive ends inside this file")
            self.left -= len(data)
        return data

    def close(self) -> None:
        self.raw.close()


def pass_over(raw: Raw, size: int) -> bool:
    """Skip bytes of a stream, without reading them where it is a file; False when the stream ends before."""
    if isinstance(raw, Plain) and raw.size is not None:
        ahead = min(size, max(0, raw.size - raw.at))
        raw.at += ahead
        raw.handle.seek(raw.at)
        return ahead == size
    while size:
        data = raw.read(min(size, _PIECE))
        if not data:
            return False
        size -= len(data)
    return True


class Checked:
    """A member of a zip archive: when all of it was given, its length and checksum must be those that the archive
    states.
    """

    def __init__(self, raw: Raw, crc: int, size: int) -> None:
        self.raw, self.crc, self.left = raw, crc, size
        self.sum = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self.raw.read(_PIECE if size < 0 else size)
        self.sum = zlib.crc32(data, self.sum)
        self.left -= len(data)
        if not data and size and (self.left or self.sum != self.crc):
            raise Broken("the zip member is corrupt: its length or checksum differs from that in the archive")
        return data

    def close(self) -> None:
        self.raw.close()


class _Zlib:
    """zlib's decompressor with the interface of bz2's and lzma's; `bits` 31 is gzip, -15 what zip calls deflate."""

    def __init__(self, bits: int = 31) -> None:
        self.inner = zlib.decompressobj(bits)

    def decompress(self, data: bytes, size: int) -> bytes:
        """Up to `size` bytes of output; less, down to single bytes, where a call for more fails and gives nothing."""
        before = self.inner.copy()
        try:
            return self.inner.decompress(self.inner.unconsumed_tail + data, size)
        except zlib.error:
            if size <= 1:
                raise
            self.inner = before
            return self.decompress(data, size // _LITTLE or 1)

    @property
    def needs_input(self) -> bool:
        return not self.inner.unconsumed_tail

    @property
    def eof(self) -> bool:
        return self.inner.eof

    @property
    def unused_data(self) -> bytes:
        return self.inner.unused_data


_MAKERS: dict[str, tuple[Callable[[], Any], int]] = {
    "gz": (_Zlib, _STEP),
    "deflate": (lambda: _Zlib(-15), _STEP),
    "bz2": (bz2.BZ2Decompressor, _LITTLE),
    "xz": (lambda: lzma.LZMADecompressor(memlimit=_WINDOW), _LITTLE),
    "zst": (ZstdDecompressor, _OF_A_BLOCK),
    "lz4": (LZ4FrameDecompressor, _OF_A_BLOCK),
}
"""Compression -> its decompressor, and how many bytes are asked of it at a time."""
_FAULTS = (zlib.error, lzma.LZMAError, ZstdError, OSError, ValueError, EOFError, RuntimeError)  # RuntimeError: lz4
_ONE_MEMBER = ("deflate", "lzma")
"""What is a single stream in a member of a zip archive."""


class Decompressed:
    """A compressed stream: any number of members one after another, zero padding allowed."""

    def __init__(self, raw: Raw, kind: str) -> None:
        self.raw, self.kind = raw, kind
        self.inner: Any = None
        self.fault: str | None = None
        try:
            self.make, self.step = _MAKERS.get(kind) or (_zip_lzma(raw.read(9)), _LITTLE)
            self.inner = self.make()
        except (Broken, lzma.LZMAError, ValueError) as error:
            self.fault = str(error)

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes; Broken after the last that could be decompressed."""
        left = min(size, _STEP) if size >= 0 else _STEP
        parts: list[bytes] = []
        while left and (data := self._some(min(left, self.step))):
            parts.append(data)
            left -= len(data)
        if left and not parts and self.fault is not None:
            raise Broken(self.fault)
        return b"".join(parts)

    def _some(self, size: int) -> bytes:
        """Up to `size` bytes; none at the end or a fault."""
        out = b""
        while not out and self.fault is None:
            data, fault = b"", None
            try:
                if self.inner.eof:
                    data = self._next_member()
                    if not data:
                        break
                    self.inner = self.make()
                elif self.inner.needs_input:
                    data = self.raw.read(_STEP)
                    fault = None if data else f"the {self.kind} data is truncated: the transfer was incomplete"
            except Broken as error:
                fault = str(error)
            try:  # also without input: there may still be output
                out = b"" if self.inner.eof else self.inner.decompress(data, size)
            except _FAULTS as error:
                fault = f"the {self.kind} data is corrupt ({error})"
            if fault is not None and not out:
                if self.kind == "lzma" and not data:  # it may have no end mark: the length decides
                    break
                self.fault = fault
        return out

    def _next_member(self) -> bytes:
        """The first bytes after a member and its padding; none if there is no other."""
        if self.kind in _ONE_MEMBER:
            return b""
        data = (self.inner.unused_data or b"").lstrip(b"\0")
        while not data and (piece := self.raw.read(_STEP)):
            data = piece.lstrip(b"\0")
        return data

    def close(self) -> None:
        self.raw.close()


def _zip_lzma(head: bytes) -> Callable[[], Any]:
    """The decompressor of the lzma of zip, which has a header of its own. Broken if that makes no sense."""
    digit, window = (*head[4:5], 255)[0], int.from_bytes(head[5:9], "little")
    if len(head) < 9 or digit >= 225 or window > _WINDOW:
        raise Broken("the lzma data is corrupt (its header makes no sense)")
    options = {"id": lzma.FILTER_LZMA1, "dict_size": window, "lc": digit % 9, "lp": digit // 9 % 5, "pb": digit // 45}
    return lambda: lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[options])
