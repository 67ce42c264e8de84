"""zst and lz4: where a frame ends, without decompressing it, so that Arrow gets one frame and nothing else.

Arrow's decompressor takes whatever follows a frame for the next one, and once it has failed it must not be read again: it gives stale bytes.
Both formats are a header, blocks that carry their own length, and an optional checksum.

Sources: RFC 8878 (Zstandard), and "LZ4 Frame Format Description" 1.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

Take = Callable[[int], bytes]
"""Gives exactly so many bytes, fewer only at the end of the input."""

MAGIC = {"zst": b"\x28\xb5\x2f\xfd", "lz4": b"\x04\x22\x4d\x18"}
SKIPPABLE = b"\x2a\x4d\x18"
"""Bytes 1 to 3 of a skippable frame of either format; the first byte is X'50' to X'5F'."""

_PIECE = 1 << 16
_LARGEST = {"zst": 1 << 17, "lz4": 4 << 20}
"""Largest block that the formats allow."""


class BadFrame(Exception):  # noqa: N818 - a fact about the data, which the reader turns into a recorded problem
    """The structure of a frame is damaged, or the input ends inside it."""


def is_skippable(magic: bytes) -> bool:
    """Whether four bytes begin a skippable frame."""
    return len(magic) == 4 and magic[0] & 0xF0 == 0x50 and magic[1:] == SKIPPABLE


def pieces(kind: str, magic: bytes, take: Take) -> Iterator[bytes]:
    """The compressed bytes of the frame that begins with `magic`, at most one block at a time. Raises BadFrame where it is damaged."""
    if is_skippable(magic):
        left = int.from_bytes(_exactly(take, 4), "little")
        while left:
            left -= len(_exactly(take, min(left, _PIECE)))
        return
    if magic != MAGIC[kind]:
        raise BadFrame("bytes that are no part of it follow")
    yield from _zst(magic, take) if kind == "zst" else _lz4(magic, take)


def _zst(magic: bytes, take: Take) -> Iterator[bytes]:
    flags = _exactly(take, 1)
    single = flags[0] >> 5 & 1
    rest = (0 if single else 1) + (0, 1, 2, 4)[flags[0] & 3] + (single, 2, 4, 8)[flags[0] >> 6]
    yield magic + flags + _exactly(take, rest)
    while True:
        head = _exactly(take, 3)
        word = int.from_bytes(head, "little")
        kind, size = word >> 1 & 3, word >> 3
        if kind == 3 or size > _LARGEST["zst"]:
            raise BadFrame("a block header makes no sense")
        yield from _block(head, 1 if kind == 1 else size, take)
        if word & 1:
            break
    if flags[0] & 4:
        yield _exactly(take, 4)


def _lz4(magic: bytes, take: Take) -> Iterator[bytes]:
    head = _exactly(take, 2)
    flags = head[0]
    yield magic + head + _exactly(take, (8 if flags & 8 else 0) + (4 if flags & 1 else 0) + 1)
    while True:
        word = _exactly(take, 4)
        size = int.from_bytes(word, "little") & 0x7FFFFFFF
        if size > _LARGEST["lz4"]:
            raise BadFrame("a block header makes no sense")
        if not size:
            break
        yield from _block(word, size + (4 if flags & 16 else 0), take)
    yield word + (_exactly(take, 4) if flags & 4 else b"")


def _block(head: bytes, size: int, take: Take) -> Iterator[bytes]:
    yield head
    while size:
        data = take(min(size, _PIECE))
        if not data:
            raise BadFrame("it is truncated")
        yield data  # the part of a block that is there may hold good bytes
        size -= len(data)


def _exactly(take: Take, size: int) -> bytes:
    data = take(size)
    if len(data) < size:
        raise BadFrame("it is truncated")
    return data
