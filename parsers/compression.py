"""The layers between a file and its content: plain bytes, a part of them, a zip member, and the five compressions.

Each layer reads from the one below. A stream that breaks off or is corrupt in its middle delivers what could be decompressed and then
raises `Broken`, so that a damaged transfer costs no more than it must.
"""

from __future__ import annotations

import bz2
import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any, Protocol

from mqstat.errors import InputError

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
    if prefix[257:262] == b"ustar" and _tar_sum(prefix):
        return "tar"
    # A zstd stream may begin with a skippable frame.
    if prefix[1:4] == b"\x2a\x4d\x18" and prefix[:1] and prefix[0] & 0xF0 == 0x50:
        return "zst"
    return None


def _tar_sum(prefix: bytes) -> bool:
    """Whether the checksum of a tar header is right, so that a dump with these five letters in it is not taken for one."""
    try:
        stated = int(prefix[148:156].strip(b"\0 ") or b"-1", 8)
    except ValueError:
        return False
    return stated == sum(prefix[:148]) + 8 * 32 + sum(prefix[156:512])


class Plain:
    """A file from an offset on, up to its size when it was found; becoming shorter meanwhile is an error."""

    def __init__(self, path: Path, name: str, start: int, size: int | None) -> None:
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


class Skipped:
    """A part of a stream: `skip` bytes are passed over, then `size` bytes (None: all) are given."""

    def __init__(self, raw: Raw, skip: int, size: int | None) -> None:
        self.raw, self.skip, self.left = raw, skip, size

    def read(self, size: int = -1, /) -> bytes:
        while self.skip:
            if isinstance(self.raw, Plain):
                self.raw.handle.seek(self.raw.at + self.skip)
                self.raw.at += self.skip
                self.skip = 0
                break
            data = self.raw.read(min(self.skip, _PIECE))
            if not data:
                return b""
            self.skip -= len(data)
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


class ZipMember:
    """A member of a zip archive, streamed."""

    def __init__(self, path: Path, member: str, name: str) -> None:
        try:
            self.archive = zipfile.ZipFile(path)
            self.handle = self.archive.open(member)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, KeyError, OSError) as error:
            raise InputError(f"{name} cannot be read from its archive: {error}.") from error

    def read(self, size: int = -1, /) -> bytes:
        try:
            return self.handle.read(_STEP if size < 0 else min(size, _STEP))
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
            raise Broken(f"the zip member is corrupt or breaks off ({error})") from error

    def close(self) -> None:
        self.handle.close()
        self.archive.close()


class _Gzip:
    """zlib's decompressor with the interface of bz2's and lzma's."""

    def __init__(self) -> None:
        self.inner = zlib.decompressobj(31)
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


class Stdlib:
    """gz, bz2 or xz: any number of members one behind the other, zero padding allowed."""

    def __init__(self, raw: Raw, kind: str) -> None:
        self.raw, self.kind = raw, kind
        self.make: Any = {"gz": _Gzip, "bz2": bz2.BZ2Decompressor, "xz": lzma.LZMADecompressor}[kind]
        # bz2 and lzma lose the output of a call that fails: small steps lose little.
        self.step = _STEP if kind == "gz" else 1 << 13
        self.inner: Any = self.make()
        self.fed = False
        self.fault: str | None = None

    def read(self, size: int = -1, /) -> bytes:
        size = _PIECE if size < 0 else size
        while True:
            if self.fault is not None:
                raise Broken(self.fault)
            data = b""
            if self.inner.eof:
                data = self.inner.unused_data.lstrip(b"\0")
                while not data:
                    data = self.raw.read(self.step)
                    if not data:
                        return b""
                    data = data.lstrip(b"\0")
                self.inner, self.fed = self.make(), False
            elif self.inner.needs_input:
                data = self.raw.read(self.step)
                if not data:
                    if not self.fed:
                        return b""
                    self.fault = f"the {self.kind} data breaks off before its end: the transfer was not complete"
                    continue
            self.fed = True
            try:
                out: bytes = self.inner.decompress(data, min(size, _PIECE))
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


class _File:
    """What Arrow needs to read from a raw stream."""

    closed = False

    def __init__(self, raw: Raw) -> None:
        self.raw = raw

    def read(self, size: int = -1, /) -> bytes:
        return self.raw.read(_STEP if size < 0 else size)

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


class Arrow:
    """zst or lz4 frames by way of Arrow."""

    def __init__(self, raw: Raw, kind: str) -> None:
        import pyarrow as pa

        self.raw, self.kind = raw, kind
        file = pa.PythonFile(_File(raw), mode="r")
        self.stream = pa.CompressedInputStream(file, {"zst": "zstd", "lz4": "lz4"}[kind])

    def read(self, size: int = -1, /) -> bytes:
        parts: list[bytes] = []
        total, size = 0, _PIECE if size < 0 else min(size, _PIECE)
        while total < size:
            try:  # a failing call loses its output, hence the small pieces
                data = self.stream.read(min(size - total, 1 << 13))
            except OSError as error:
                if parts:
                    break
                raise Broken(f"the {self.kind} data is corrupt or breaks off: the transfer was not complete") from error
            if not data:
                break
            parts.append(data)
            total += len(data)
        return b"".join(parts)

    def close(self) -> None:
        self.raw.close()


def decompressed(raw: Raw, kind: str) -> Raw:
    """The content of a compressed stream; `kind` is one of gz, zst, bz2, xz, lz4."""
    return Arrow(raw, kind) if kind in ("zst", "lz4") else Stdlib(raw, kind)
