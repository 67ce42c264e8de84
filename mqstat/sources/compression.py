"""The layers between a file and its content: plain bytes, a part of them, a zip member, and the five compressions.

Each layer reads from the one below. A stream that is truncated or corrupt delivers what could be decompressed and then
raises `Broken`, so that a damaged transfer costs no more than it must.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mqstat.base.errors import InputError
from mqstat.base.object_store import StoredFile
from mqstat.sources.frames import BadFrame, is_skippable, pieces

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
_WINDOW = 1 << 30
"""Largest memory that a compressed stream may ask for."""
_BUFFER = 1 << 18
"""Largest buffer that Arrow writes to at a time."""


@cache
def _content_before() -> bytes:
    """What a buffer holds before Arrow writes to it; made when the first zst or lz4 stream is read."""
    return np.random.default_rng(1).bytes(_BUFFER)


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
    if prefix[257:262] == b"ustar" and tar_sum(prefix):
        return "tar"
    # A zstd stream may begin with a skippable frame.
    if is_skippable(prefix[:4]):
        return "zst"
    return None


def tar_sum(prefix: bytes) -> bool:
    """Whether the checksum of a tar header is right, so that a dump with these five letters in it is not taken for one."""
    try:
        stated = int(prefix[148:156].strip(b"\0 ") or b"-1", 8)
    except ValueError:
        return False
    return stated == sum(prefix[:148]) + 8 * 32 + sum(prefix[156:512])


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
    """A member of a zip archive: when all of it was given, its length and checksum must be those that the archive states."""

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


class _Gzip:
    """zlib's decompressor with the interface of bz2's and lzma's; `bits` 31 is gzip, -15 what zip calls deflate."""

    def __init__(self, bits: int = 31) -> None:
        self.inner = zlib.decompressobj(bits)
        self.rest = b""

    def decompress(self, data: bytes, size: int) -> bytes:
        """Up to `size` bytes of output; when the input turns out corrupt, first what came before the fault."""
        data, before = self.rest + data, self.inner.copy()
        try:
            out = self.inner.decompress(data, size)
        except zlib.error:
            self.inner, good = before, bytearray()
            try:
                for at in range(len(data)):
                    good += self.inner.decompress(data[at : at + 1])
            except zlib.error as error:
                if good:
                    raise _Partial(bytes(good), str(error)) from error
                raise
            return bytes(good)
        self.rest = self.inner.unconsumed_tail
        return out

    @property
    def needs_input(self) -> bool:
        return not self.rest

    @property
    def eof(self) -> bool:
        return self.inner.eof

    @property
    def unused_data(self) -> bytes:
        return self.inner.unused_data


class _Partial(Exception):  # noqa: N818 - carries data
    """Good output, and then a fault."""

    def __init__(self, data: bytes, text: str) -> None:
        super().__init__(text)
        self.data = data


class _ZipLzma:
    """The lzma of zip: a short header of its own, then a raw stream."""

    def __init__(self) -> None:
        self.head, self.inner = b"", None  # type: bytes, lzma.LZMADecompressor | None

    def decompress(self, data: bytes, size: int) -> bytes:
        """Up to `size` bytes of output."""
        if self.inner is None:
            self.head += data
            length = 4 + int.from_bytes(self.head[2:4], "little")
            if len(self.head) < max(9, length):
                return b""
            data, digit = self.head[length:], self.head[4]
            lc, lp, pb = digit % 9, digit // 9 % 5, digit // 45
            window = int.from_bytes(self.head[5:9], "little")
            if window > _WINDOW:
                raise ValueError("its window is too large")
            filters = [{"id": lzma.FILTER_LZMA1, "dict_size": window, "lc": lc, "lp": lp, "pb": pb}]
            self.inner = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)
        return self.inner.decompress(data, size)

    @property
    def needs_input(self) -> bool:
        return self.inner is None or self.inner.needs_input

    @property
    def eof(self) -> bool:
        return self.inner is not None and self.inner.eof

    unused_data = b""


_MAKERS: dict[str, Callable[[], Any]] = {
    "gz": _Gzip,
    "deflate": lambda: _Gzip(-15),
    "bz2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(memlimit=_WINDOW),
    "lzma": _ZipLzma,
}


class Stdlib:
    """gz, bz2 or xz: any number of members one after another, zero padding allowed. Deflate and lzma, as zip has them, are one member."""

    def __init__(self, raw: Raw, kind: str) -> None:
        self.raw, self.kind, self.make = raw, kind, _MAKERS[kind]
        self.zlib = kind in ("gz", "deflate")
        self.inner: Any = self.make()
        self.fed = False
        self.fault: str | None = None

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes. The decompressors of bz2 and lzma lose the output of a call that fails: they are asked for little at a time."""
        size = _PIECE if size < 0 else min(size, _PIECE)
        if self.zlib:
            return self._step(size)
        parts: list[bytes] = []
        left = min(size, _STEP)
        while left:
            try:
                data = self._step(min(left, _LITTLE))
            except Broken:
                if parts:
                    break
                raise
            if not data:
                break
            parts.append(data)
            left -= len(data)
        return b"".join(parts)

    def _step(self, size: int) -> bytes:
        while True:
            if self.fault is not None:
                raise Broken(self.fault)
            data = b""
            if self.inner.eof:
                if self.kind in ("deflate", "lzma"):
                    return b""
                data = self.inner.unused_data.lstrip(b"\0")
                while not data:
                    data = self.raw.read(_STEP)
                    if not data:
                        return b""
                    data = data.lstrip(b"\0")
                self.inner, self.fed = self.make(), False
            elif self.inner.needs_input:
                try:
                    data = self.raw.read(_STEP)
                except Broken as error:
                    self.fault = str(error)
                    continue
                if not data:
                    if not self.fed or self.kind == "lzma":  # zip's lzma may have no end mark; the length decides
                        return b""
                    self.fault = f"the {self.kind} data is truncated: the transfer was incomplete"
                    continue
            self.fed = True
            try:
                out: bytes = self.inner.decompress(data, size)
            except _Partial as part:
                self.fault = f"the {self.kind} data is corrupt ({part})"
                return part.data
            except (zlib.error, OSError, ValueError, lzma.LZMAError, EOFError) as error:
                self.fault = f"the {self.kind} data is corrupt ({error})"
                continue
            if out:
                return out

    def close(self) -> None:
        self.raw.close()


class _Frame:
    """One frame of zst or lz4 as the file that Arrow reads, a block at a time; `fault` is what was wrong with it."""

    closed = False

    def __init__(self, parts: Iterator[bytes]) -> None:
        self.parts, self.rest = parts, b""
        self.fault: str | None = None
        self.error: Exception | None = None

    def read(self, size: int = -1, /) -> bytes:
        """The rest of a block, or the next one. Exceptions wait until Arrow has returned."""
        if not self.rest and self.fault is None and self.error is None:
            try:
                self.rest = next(self.parts, b"")
            except BadFrame as error:
                self.fault = str(error)
            except Exception as error:
                self.error = error
        size = len(self.rest) if size < 0 else size
        data, self.rest = self.rest[:size], self.rest[size:]
        return data

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


class Arrow:
    """zst or lz4: any number of frames one after another, zero padding allowed, each decompressed by Arrow."""

    def __init__(self, raw: Raw, kind: str) -> None:
        self.raw, self.kind = raw, kind
        self.held = b""
        self.frame: _Frame | None = None
        self.stream: Any = None
        self.fault: str | None = None

    def _take(self, size: int) -> bytes:
        while len(self.held) < size:
            data = self.raw.read(_STEP)
            if not data:
                break
            self.held += data
        data, self.held = self.held[:size], self.held[size:]
        return data

    def _open(self) -> _Frame | None:
        """Go to the next frame, after padding; None at the end of the input."""
        import pyarrow as pa

        while True:
            self.held = self.held.lstrip(b"\0")
            if self.held:
                break
            self.held = self.raw.read(_STEP)
            if not self.held:
                return None
        frame = _Frame(pieces(self.kind, self._take(4), self._take))
        self.stream = pa.CompressedInputStream(pa.PythonFile(frame, mode="r"), {"zst": "zstd", "lz4": "lz4"}[self.kind])
        return frame

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes; after a fault nothing is read again.

        A failed Arrow call does not report how much it wrote to the target: the bytes that differ from the previous content.
        """
        size = min(_PIECE if size < 0 else size, _BUFFER)
        while True:
            if self.fault is not None:
                raise Broken(self.fault)
            if self.frame is None:
                self.frame = self._open()
                if self.frame is None:
                    return b""
            target = bytearray(_content_before()[:size])
            reason = ""
            try:
                count = int(self.stream.readinto(target))
            except OSError as error:
                written = np.flatnonzero(
                    np.frombuffer(target, np.uint8) != np.frombuffer(_content_before()[:size], np.uint8)
                )
                count, reason = int(written[-1]) + 1 if written.size else 0, str(error).splitlines()[0]
            if isinstance(self.frame.error, Broken):
                self.fault = str(self.frame.error)
            elif self.frame.error is not None:
                raise self.frame.error
            elif reason or self.frame.fault:
                self.fault = f"the {self.kind} data is corrupt or incomplete ({self.frame.fault or reason})"
            elif not count:
                self.frame = self.stream = None
            if count:
                return bytes(target[:count])

    def close(self) -> None:
        self.raw.close()


def decompressed(raw: Raw, kind: str) -> Raw:
    """The content of a compressed stream; `kind` is one of gz, zst, bz2, xz, lz4, and in zip archives deflate and lzma."""
    return Arrow(raw, kind) if kind in ("zst", "lz4") else Stdlib(raw, kind)
