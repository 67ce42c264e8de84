"""The part of an input that the walker has in memory, and the four ways in which records are framed.

A `Window` is a growing buffer over a reader. Positions are indexes into its buffer; `origin` turns them into offsets of the input. Whatever
would look past what has been read raises `More`, so that a decision never depends on where a chunk happens to end.

Every framing is put down to one picture: a segment has its RDW (or what stands in its place) at `at`, and its header 4 bytes further on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Any, Protocol

import numpy as np

from mqstat.parsers.framing import Framing
from mqstat.parsers.resync import Bytes, expected_length, find_headers, header_agrees, is_mq, strict_header, weak_header

FRONT = 8
"""Bytes kept free before the data: a record without RDW has its layout offset 0 four bytes before its first byte."""
SLACK = 80
"""Zero bytes behind the data, so that headers can be gathered up to the very end."""
AHEAD = 66_000
"""Bytes a decision about one record may look at: a segment of the largest size and the header behind it."""
MAX_PREFIXED = 1 << 20
"""Longest record believed of a length prefix; SMF records are at most 32 KB."""
MAX_BLOCK = 4 << 20
"""Longest block believed of a 31-bit BDW."""

WORD = Struct(">I").unpack_from
_TWO = Struct(">H").unpack_from
_BARE = Struct(">H4xIHHIHH").unpack_from


class Reader(Protocol):
    """Anything that delivers bytes in order; fewer than asked for is fine, none means the end."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes."""


class More(Exception):  # noqa: N818 - not an error: the window must be read on before the walker can decide
    """More of the input is needed to decide."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment in the buffer: `start` with its BDW, `at` its RDW, `length` with RDW, `code` 0 whole, 1 first, 3 middle, 2 last."""

    start: int
    at: int
    length: int
    code: int

    @property
    def end(self) -> int:
        """Where the segment ends."""
        return self.at + self.length


class Window:
    """A buffer over a reader, and the tests of one framing on it. This class itself is the framing RDW."""

    prefix = 4
    """Bytes that stand before the header."""

    def __init__(self, reader: Reader, start: int) -> None:
        self.reader = reader
        self.buffer = bytearray(FRONT + SLACK)
        self.view = memoryview(self.buffer)
        self.array: Bytes = np.frombuffer(self.buffer, dtype=np.uint8)
        self.size = FRONT
        self.origin = start - FRONT
        self.end_seen = False
        self._found = (-1, -1, -1)

    def fill(self, keep_from: int, want: int) -> int:
        """Start a new buffer with what is left from `keep_from` on and up to `want` bytes more; return the index of what was kept."""
        left = self.size - keep_from
        buffer = bytearray(FRONT + left + want + SLACK)
        view = memoryview(buffer)
        view[FRONT : FRONT + left] = self.view[keep_from : self.size]
        if keep_from >= 4:  # a record without RDW lends its layout offset 0 to 3 from the bytes before it
            view[FRONT - 4 : FRONT] = bytes(4)
        size, limit = FRONT + left, FRONT + left + want
        readinto = getattr(self.reader, "readinto", None)
        while size < limit:
            if readinto is not None:
                got = readinto(view[size:limit])
            else:
                data = self.reader.read(limit - size)
                got = len(data)
                view[size : size + got] = data
            if not got:
                self.end_seen = True
                break
            size += got
        self.buffer, self.view, self.size = buffer, view, size
        self.array = np.frombuffer(buffer, dtype=np.uint8)
        self.origin += keep_from - FRONT
        return FRONT

    def need(self, end: int) -> None:
        """Make sure that everything up to `end` is in the buffer, or the input ends before it."""
        if end > self.size and not self.end_seen:
            raise More

    def scan(self, first: int) -> tuple[int | None, bool]:
        """Next strict record start from `first` on (None: not in the buffer), and whether a header without good framing came before it."""
        known, start, seen = self._found
        if known <= first + self.origin <= start:
            return start - self.origin, seen >= first + self.origin
        at, step, lost = first, 1 << 12, -1
        end = self.size - 13
        while at < end:
            stop = min(at + step, end)
            # A header belongs to the start before it; both must be looked for from `first` on.
            for header in find_headers(self.array, at, stop).tolist():
                record = self.start_of(header, first)
                if record is not None:
                    self._found = (first + self.origin, record + self.origin, lost + self.origin if lost >= 0 else -1)
                    return record, lost >= first
                lost = header
            at, step = stop, min(step * 4, 1 << 20)
        return None, lost >= first

    def start_of(self, header: int, first: int) -> int | None:
        """The record start whose strict header stands at `header`, if the framing before it is sane and not before `first`."""
        at = header - 4
        return at if at >= first and self.sane_start(at) else None

    def sane_start(self, at: int) -> bool:
        """Whether the RDW at `at` can begin a record: whole or first segment, long enough for a header."""
        word = WORD(self.buffer, at)[0]
        return not word & 0xFEFF and word >= 0x120000 and self.right_size(at, word >> 16)

    def right_size(self, at: int, length: int) -> bool:
        """Dump headers and trailers (types 2 and 3 without subtypes) are 18 bytes and nothing else."""
        return length == 18 or self.buffer[at + 5] not in (2, 3) or bool(self.buffer[at + 4] & 0x40)

    def strict(self, start: int) -> bool:
        """Whether a record with a strict header begins at `start`."""
        self.need(start + 18)
        return start + 18 <= self.size and strict_header(self.buffer, start + 4) and self.sane_start(start)

    def head(self, start: int) -> Segment | None:
        """The segment at `start`, whatever its code, or None when its framing is not sane."""
        self.need(start + 14)
        if start + 14 > self.size:
            return None
        word = WORD(self.buffer, start)[0]
        length, code = word >> 16, word >> 8 & 0xFF
        if word & 0xFCFF or length < (5 if code >= 2 else 18):
            return None
        return Segment(start, start, length, code)

    def continuation(self, start: int) -> Segment | None:
        """The middle or last segment at `start`, if there is one."""
        self.need(start + 5)
        if start + 5 > self.size:
            return None
        word = WORD(self.buffer, start)[0]
        code = word >> 8 & 0xFF
        return Segment(start, start, word >> 16, code) if code in (2, 3) and not word & 0xFF and word >= 0x50000 else None

    def lost_head(self, start: int) -> int | None:
        """Where layout offset 0 lies when the framing at `start` is destroyed but a strict header stands where it belongs."""
        at = start
        return at if at + 14 <= self.size and strict_header(self.buffer, at + 4) else None

    def claims(self, at: int) -> int:
        """The length the (destroyed) framing at `at` claims, 0 when it makes no sense."""
        length: int = _TWO(self.buffer, at)[0]
        return length if length >= 18 else 0

    def hop(self, start: int, most: int) -> tuple[list[int], list[int], list[int] | None, int]:
        """Follow the segments from `start` on without looking closer: RDW words, and with blocks their indexes and lead bytes.

        Returns (words, positions, leads, end); positions and leads are empty or None where they follow from the words.
        """
        words: list[int] = []
        add, unpack, view, at = words.append, WORD, self.view[: self.size], start
        last = self.size - 4
        for _ in range(most):
            if at > last:
                break
            (word,) = unpack(view, at)
            if word & 0xFCFF or word < 0x50000:
                break
            add(word)
            at += word >> 16
        return words, [], None, at

    def hops_weak(self, start: int, most: int = 8) -> bool:
        """Whether odd but sane records lead from `start` to a strict record or the very end within a few steps."""
        at = start
        for _ in range(most):
            segment = self.head(at)
            if segment is None or (segment.code < 2 and not weak_header(self.buffer, segment.at + 4)):
                return False
            at = segment.end
            self.need(at + 18)
            if at > self.size:
                return False
            if at == self.size or self.strict(at):
                return True
        return False

    def good(self, start: int) -> bool:
        """Whether `start` is where a record ends: the next one begins there, or the input ends."""
        self.need(start + 18)
        if start >= self.size:
            return start == self.size
        return self.strict(start) or self.hops_weak(start)

    def agrees(self, segment: Segment) -> bool:
        """Whether an MQ record in one segment is proven by itself: its triplets end where it ends and lead to a QWHS."""
        at = segment.at
        return (
            is_mq(self.buffer, at)
            and expected_length(self.buffer, at, self.size) == segment.length
            and header_agrees(self.buffer, at, self.size)
        )

    def check_block(self, start: int) -> int:
        """Bytes of a destroyed block descriptor to pass over at `start`; 0 where there is none (always, without blocks)."""
        return 0


class PrefixedWindow(Window):
    """Length-prefixed records: four bytes with the length of what follows, then the joined record without RDW."""

    def sane_start(self, at: int) -> bool:
        length = WORD(self.buffer, at)[0]
        return 14 <= length <= MAX_PREFIXED and self.right_size(at, length + 4)

    def head(self, start: int) -> Segment | None:
        self.need(start + 14)
        if start + 14 > self.size:
            return None
        length = WORD(self.buffer, start)[0]
        return Segment(start, start, length + 4, 0) if 14 <= length <= MAX_PREFIXED else None

    def continuation(self, start: int) -> Segment | None:
        return None

    def claims(self, at: int) -> int:
        return 0

    def hop(self, start: int, most: int) -> tuple[list[int], list[int], list[int] | None, int]:
        lengths: list[int] = []
        add, unpack, view, at = lengths.append, WORD, self.view[: self.size], start
        last = self.size - 4
        for _ in range(most):
            if at > last:
                break
            (length,) = unpack(view, at)
            if not 14 <= length <= MAX_PREFIXED:
                break
            length += 4
            add(length << 16)
            at += length
        return lengths, [], None, at


class BareWindow(Window):
    """Records that follow one another without any length: the triplets of the MQ records tell it."""

    prefix = 0

    def start_of(self, header: int, first: int) -> int | None:
        return header if header >= first else None

    def sane_start(self, at: int) -> bool:
        return True

    def strict(self, start: int) -> bool:
        self.need(start + 14)
        return start + 14 <= self.size and strict_header(self.buffer, start)

    def head(self, start: int) -> Segment | None:
        self.need(start + AHEAD)
        if start + 14 > self.size:
            return None
        at, buffer, size = start - 4, self.buffer, self.size
        whole = expected_length(buffer, at, size)
        if not strict_header(buffer, start):
            segment = Segment(start, at, whole, 0)
            return segment if whole and self.agrees(segment) else None
        if is_mq(buffer, at):
            # The plain rule first, then the header alone, with and without subtype.
            for length in (self.quick(start), whole, 28, 18):
                if length >= 18 and at + length <= size and self.ends(at + length):
                    return Segment(start, at, length, 0)
            if whole:
                return Segment(start, at, whole, 0)
        elif whole:
            return Segment(start, at, whole, 0)
        following, _ = self.scan(start + 14)
        if following is None:
            self.need(start + AHEAD)
            following = size if size - start < AHEAD else None
        return Segment(start, at, following - at, 0) if following is not None and following - at <= AHEAD else None

    def ends(self, start: int) -> bool:
        """Whether the next record, or the end of the input, is at `start`."""
        return self.strict(start) or start == self.size

    def quick(self, start: int) -> int:
        """Length by triplet 0 (1 for 115.5 to 115.7), which stands last in every record seen."""
        if start + 40 > self.size:
            return 0
        subtype, *zero_and_one = _BARE(self.buffer, start + 18)
        offset, length, count = zero_and_one[3:] if self.buffer[start + 1] == 115 and 5 <= subtype <= 7 else zero_and_one[:3]
        return int(offset + length * count)

    def continuation(self, start: int) -> Segment | None:
        return None

    def lost_head(self, start: int) -> int | None:
        return start - 4 if start + 14 <= self.size and strict_header(self.buffer, start) else None

    def claims(self, at: int) -> int:
        return 0

    def hops_weak(self, start: int, most: int = 8) -> bool:
        segment = None if self.strict(start) else self.head(start)
        return segment is not None

    def hop(self, start: int, most: int) -> tuple[list[int], list[int], list[int] | None, int]:
        words: list[int] = []
        add, unpack, view, buffer, at = words.append, _BARE, self.view[: self.size], self.buffer, start
        last = self.size - 40
        for _ in range(most):
            if at > last:
                break
            kind = buffer[at + 1]
            if kind == 116:
                _, offset, length, count, _, _, _ = unpack(view, at + 18)
            elif kind == 115:
                subtype, offset, length, count, *one = unpack(view, at + 18)
                if 5 <= subtype <= 7:
                    offset, length, count = one
            elif kind in (2, 3) and not buffer[at] & 0x40:
                offset, length, count = 18, 0, 0
            else:
                break
            length = offset + length * count
            if not 18 <= length <= MAX_PREFIXED:
                break
            add(length << 16)
            at += length - 4
        return words, [], None, at


class BlockedWindow(Window):
    """Records with RDW in blocks with BDW (16-bit or 31-bit length).

    Whether a BDW or an RDW stands at a place is decided by what stands there, never by what came before: so a destroyed BDW costs its four
    bytes and no record, and any record start can be the start of a part.
    """

    def block(self, start: int) -> int:
        """Length of the block whose BDW is at `start`, 0 when there is no sane BDW."""
        self.need(start + 4)
        if start + 4 > self.size:
            return 0
        word = WORD(self.buffer, start)[0]
        if word & 0x80000000:
            length = word & 0x7FFFFFFF
            return length if 8 < length <= MAX_BLOCK else 0
        return word >> 16 if not word & 0xFFFF and word >= 0x90000 else 0

    def adds_up(self, start: int) -> bool:
        """Whether the RDWs inside the block at `start` lead exactly to its end."""
        end = start + self.block(start)
        self.need(end)
        at = start + 4
        while at < end and at + 4 <= self.size:
            word = WORD(self.buffer, at)[0]
            if word & 0xFCFF or word < 0x50000:
                return False
            at += word >> 16
        return at == end

    def _plain(self, start: int) -> bool:
        return start + 18 <= self.size and strict_header(self.buffer, start + 4) and self.sane_start(start)

    def _behind_block(self, start: int) -> bool:
        """Whether a BDW at `start` has a strict record behind it."""
        length = self.block(start)
        return bool(length) and self._plain(start + 4) and WORD(self.buffer, start + 4)[0] >> 16 <= length - 4

    def start_of(self, header: int, first: int) -> int | None:
        if header - 8 >= first and self._behind_block(header - 8):
            return header - 8
        return super().start_of(header, first)

    def strict(self, start: int) -> bool:
        self.need(start + 22)
        return self._plain(start) or self._behind_block(start)

    def head(self, start: int) -> Segment | None:
        self.need(start + 22)
        if self._plain(start):
            return super().head(start)
        if self._behind_block(start) or (self.block(start) and self.adds_up(start)):
            inner = super().head(start + 4)
            return None if inner is None else Segment(start, inner.at, inner.length, inner.code)
        return super().head(start)

    def continuation(self, start: int) -> Segment | None:
        plain = super().continuation(start)
        if plain is not None or not self.block(start):
            return plain
        inner = super().continuation(start + 4)
        return None if inner is None else Segment(start, inner.at, inner.length, inner.code)

    def check_block(self, start: int) -> int:
        self.need(start + 22)
        if self._plain(start) or not self._plain(start + 4):
            return 0
        length = self.block(start)
        if not length:
            return 4
        end = start + length
        self.need(end + 22)
        if end > self.size or self.adds_up(start) or end == self.size or self.strict(end):
            return 0
        return 0 if self.block(end) and self.continuation(end) is not None else 4

    def hop(self, start: int, most: int) -> tuple[list[int], list[int], list[int] | None, int]:
        words: list[int] = []
        places: list[int] = []
        leads: list[int] = []
        unpack, view, at, size = WORD, self.view[: self.size], start, self.size
        while len(words) < most and at + 4 <= size:
            (word,) = unpack(view, at)
            end = at + (word & 0x7FFFFFFF if word & 0x80000000 else 0 if word & 0xFFFF else word >> 16)
            if not at + 8 < end <= min(size, at + MAX_BLOCK):
                break
            mark, inner = len(words), at + 4
            while inner + 4 <= end:
                (word,) = unpack(view, inner)
                if word & 0xFCFF or word < 0x50000:
                    break
                words.append(word)
                places.append(inner)
                leads.append(0)
                inner += word >> 16
            if inner != end:
                del words[mark:], places[mark:], leads[mark:]
                break
            leads[mark] = 4
            at = end
        return words, places, leads, at


def open_window(reader: Reader, framing: Framing, start: int) -> Window:
    """The window of a framing over a reader that stands at `start`."""
    kinds: dict[Framing, type[Window]] = {
        Framing.RDW: Window,
        Framing.BDW: BlockedWindow,
        Framing.NO_RDW: BareWindow,
        Framing.LENGTH_PREFIXED: PrefixedWindow,
    }
    return kinds[framing](reader, start)


def joined(window: Window, segments: list[Segment]) -> bytes:
    """The logical record of some segments, as a copy: the first with its RDW, the others without."""
    first, *rest = segments
    parts: Iterator[Any] = (window.view[each.at + 4 : each.end] for each in rest)
    return b"".join((window.view[first.at : first.end], *parts))
