"""The part of an input that is in memory, and how records with RDW are recognised in it.

A `Window` is a growing buffer over a reader. Positions are indexes into its buffer; `origin` turns them into offsets of
the input. Whatever needs bytes that were not read yet raises `NeedMoreData`, so that a decision never depends on where
a chunk happens to end.

Every framing is reduced to one model: a segment has its RDW (or its replacement) at `at`, and its header 4 bytes
further on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import merge
from struct import Struct
from typing import Any, Protocol

import numpy as np

from mqstat.parsers.framing import Framing, Pattern
from mqstat.parsers.resync import (
    Bytes,
    find_headers,
    find_short,
    proves_itself,
    strict_header,
    weak_header,
)

FRONT = 8
"""Bytes kept free before the data: a record without RDW has its layout offset 0 four bytes before its first byte."""
SLACK = 80
"""Zero bytes after the data, so that headers can be gathered up to the very end."""
AHEAD = 66_000
"""Bytes a decision about one record may look at: a segment of the largest size and the next header."""

WORD = Struct(">I").unpack_from
_TWO = Struct(">H").unpack_from


class Reader(Protocol):
    """Anything that delivers bytes in order; fewer than requested is allowed, none means the end."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes."""


Allocate = Callable[[int], Bytes]
"""Gives memory of so many bytes, in any state."""


def _memory(size: int) -> Bytes:
    return np.empty(size, dtype=np.uint8)


def _nothing() -> None:
    """For a reader without a time limit, or one that uses nothing that it has given."""


class NeedMoreData(Exception):  # noqa: N818 - not an error: the window must be read on before the walker can decide
    """More of the input is needed to decide."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment in the buffer: `start` with its BDW, `at` its RDW, `length` with RDW, `code` 0 whole, 1 first, 3
    middle, 2 last.
    """

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
    """Bytes from the end of a record to the header of the next one."""
    gap = 0
    """Bytes from the end of a record to layout offset 0 of the next one."""
    own = 4
    """Bytes before the header that belong to the record: its RDW, or what replaces it."""
    skips = False
    """Whether the other bytes before the header are skipped; those of a BDW count with the record."""
    reach = 11
    """Bytes before the last header searched at which the search goes on: more than a record begins before its
    header."""
    states_length = True
    """Whether something before a record states its length."""
    part_start = 0
    """Offset of the input where this framing begins."""
    pattern: Pattern = Pattern(0, 0)
    """The bytes between two records."""
    framing = Framing.RDW
    is_fixed = False
    """Whether the framing is only measured: another one is not looked for where it does not hold."""
    has_segments = True
    """Whether a record can be in several segments."""
    unseen = 160
    """Bytes at the end of the buffer in which a record start may not be detectable yet: its header may be spread over
    14 segments and blocks."""

    def __init__(self, reader: Reader, start: int) -> None:
        self.reader = reader
        self.array: Bytes = np.zeros(FRONT + SLACK, dtype=np.uint8)
        self.view = memoryview(self.array)  # type: ignore[arg-type]
        self.size = FRONT
        self.origin = start - FRONT
        self.end_seen = False
        self._found = (-1, -1, -1)
        self._block: tuple[int, int, list[int], list[int]] = (0, 0, [], [])
        self.allocate: Allocate = _memory
        """Gives the memory of each buffer."""
        self.settle: Callable[[], None] = getattr(reader, "settle", _nothing)
        """Call before what was read is changed in place: the reader may still use it."""
        self.check_time: Callable[[], None] = getattr(reader, "check_time", _nothing)
        """Raises where the time for this input is over: called at every step, since damage makes a chunk slow."""

    def take(self, other: Window) -> None:
        """Take the buffer of a window of another framing."""
        self.view, self.array, self.size, self.origin = other.view, other.array, other.size, other.origin
        self.end_seen, self.allocate, self.settle, self.check_time = (
            other.end_seen, other.allocate, other.settle, other.check_time
        )  # fmt: skip

    def headers(self, first: int, end: int) -> Iterator[int]:
        """The strict headers in one piece from `first` up to `end`, as far as the buffer goes."""
        at, last = first, self.size - (13 if self.end_seen else self.unseen)
        end = min(end, last)
        while at < end:
            stop, whole, _ = self._headers(at, last)
            yield from whole[bisect_left(whole, at) : bisect_left(whole, end)]
            at = stop

    def fill(self, keep_from: int, want: int) -> int:
        """Start a new buffer with the bytes from `keep_from` on and up to `want` more; return the index of the bytes
        kept.
        """
        left = self.size - keep_from
        array = self.allocate(FRONT + left + want + SLACK)
        view = memoryview(array)  # type: ignore[arg-type]
        view[:FRONT] = bytes(FRONT)
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
        array, view = array[: size + SLACK], view[: size + SLACK]
        array[size:] = 0  # the bytes after the data must be the same in every run
        self.view, self.array, self.size = view, array, size
        self.origin += keep_from - FRONT
        self._block = (0, 0, [], [])
        return FRONT

    def need(self, end: int) -> None:
        """Ensure that everything up to `end` is in the buffer, unless the input ends before."""
        if end > self.size and not self.end_seen:
            raise NeedMoreData

    def scan(self, first: int) -> tuple[int | None, bool]:
        """Next strict record start from `first` on (None: not in the buffer), and whether a header without valid
        framing came before it.
        """
        self.check_time()
        known, start, seen = self._found
        if known <= first + self.origin <= start:
            return start - self.origin, seen >= first + self.origin
        at, lost = first, -1
        end = self.size - (13 if self.end_seen else self.unseen)
        while at < end:
            self.check_time()
            stop, whole, short = self._headers(at, end)
            # A header belongs to the start before it; both must be looked for from `first` on.
            for header in self._candidates(first, at, whole, short):
                record = self.start_of(header, first)
                if record is not None:
                    self._found = (first + self.origin, record + self.origin, lost + self.origin if lost >= 0 else -1)
                    return record, lost >= first
                lost = header
            at = stop
        return None, lost >= first

    def _headers(self, at: int, end: int) -> tuple[int, list[int], list[int]]:
        """The block of the buffer with `at`: where it ends (`end` at most), its strict headers, and the headers after
        the RDW of short first segments.

        Damage is often followed by more of it: one block serves many searches, and the blocks grow.
        """
        begin, stop, whole, short = self._block
        if not begin <= at < stop:
            size = 1 << 12 if at != stop else min((stop - begin) * 4, 1 << 20)
            stop = min(at + size, end)
            whole = find_headers(self.array, at, stop).tolist()
            short = (find_short(self.array, at - 4, stop - 4) + 4).tolist() if self.has_segments else []
            self._block = at, stop, whole, short
        return stop, whole, short

    def _candidates(self, first: int, at: int, whole: list[int], short: list[int]) -> Iterator[int]:
        """Strict headers from `at` on, in one piece or in pieces; the short segment of the latter is not before
        `first`.
        """
        in_one = (whole[number] for number in range(bisect_left(whole, at), len(whole)))
        if not short:
            return in_one
        begin = bisect_left(short, max(first + 4, at))
        split = (short[number] for number in range(begin, len(short)) if self.split_header(short[number] - 4))
        return merge(in_one, split)

    def split_starts(self, first: int, stop: int) -> list[int]:
        """Offsets from `first` up to `stop` of RDWs of first segments that are too short for the header, which is
        strict.
        """
        positions = find_short(self.array, first, stop) if self.has_segments else np.empty(0, dtype=np.int64)
        return [position for position in positions.tolist() if self.split_header(position)]

    def opening(self, at: int, want: int) -> tuple[bytes, Segment]:
        """The first `want` bytes of the joined record whose first segment is at `at`, its RDW counted, and the segment
        where they end.

        Fewer where the record or the input ends before, or a continuation is missing.
        """
        word = WORD(self.view, at)[0]
        segment = Segment(at, at, word >> 16, word >> 8 & 0xFF)
        begin = at
        data = b""
        while True:
            stop = min(segment.end, begin + want - len(data))
            self.need(stop)
            data += self.view[begin : min(stop, self.size)]
            if len(data) >= want or not segment.code & 1 or segment.end > self.size:
                return data, segment
            following = self.continuation(segment.end)
            if following is None:
                return data, segment
            segment, begin = following, following.at + 4

    def split_header(self, at: int) -> bool:
        """Whether the short first segment at `at` begins a strict header that continues in the next segments."""
        data, last = self.opening(at, 19)
        if len(data) < 18 or not strict_header(data, 4):
            return False
        return data[5] not in (2, 3) or bool(data[4] & 0x40) or (len(data) == 18 and last.code == 2)

    def front(self, segment: Segment) -> bytes:
        """The first 18 bytes of the joined record that begins with `segment`, as far as they are there."""
        if segment.code == 1 and segment.length < 18:
            return self.opening(segment.at, 18)[0]
        return bytes(self.view[segment.at : min(segment.at + 18, self.size)])

    def start_of(self, header: int, first: int) -> int | None:
        """The record start whose strict header is at `header`, if the framing before it is plausible and not before
        `first`.
        """
        at = header - 4
        return at if at >= first and self.sane_start(at) else None

    def sane_start(self, at: int) -> bool:
        """Whether the RDW at `at` can begin a record: whole or first segment, followed by a header, or continued in the
        next segments.
        """
        word = WORD(self.view, at)[0]
        if word & 0xFEFF:
            return False
        if word >= 0x120000:
            return self.right_size(at, word >> 16)
        return bool(word & 0x100) and word >= 0x50000 and self.split_header(at)

    def right_size(self, at: int, length: int) -> bool:
        """Dump headers and trailers (types 2 and 3 without subtypes) are 18 bytes and nothing else."""
        return length == 18 or self.view[at + 5] not in (2, 3) or bool(self.view[at + 4] & 0x40)

    def strict(self, start: int) -> bool:
        """Whether a record with a strict header begins at `start`."""
        self.need(start + 18)
        return self.begins(start)

    def begins(self, at: int) -> bool:
        """Whether the RDW at `at` and a strict header after it begin a record, as far as the buffer goes."""
        if at + 18 > self.size:
            return False
        # A short first segment may be followed by a header in one piece only by chance; its own header is tested with
        # its framing.
        is_whole = strict_header(self.view, at + 4)
        return (is_whole or WORD(self.view, at)[0] < 0x120000) and self.sane_start(at)

    def head(self, start: int) -> Segment | None:
        """The segment at `start`, whatever its code, or None when its framing is not plausible."""
        self.need(start + 14)
        if start + 5 > self.size:
            return None
        word = WORD(self.view, start)[0]
        length, code = word >> 16, word >> 8 & 0xFF
        if word & 0xFCFF or length < (5 if code else 18):
            return None
        is_short = code == 1 and length < 18
        if not (self.short_head(start) if is_short else start + 14 <= self.size):
            return None
        return Segment(start, start, length, code)

    def short_head(self, start: int) -> bool:
        """Whether to accept a first segment too short for a header: by what follows it, or by its flag byte."""
        data, last = self.opening(start, 18)
        return (
            len(data) == 18
            or last.end + 9 > self.size  # the input ends before it is known
            or self.view[start + 4] & 0x1F == 0x1E
            or self.strict(last.end)
        )

    def continuation(self, start: int) -> Segment | None:
        """The middle or last segment at `start`, if there is one."""
        self.need(start + 5)
        if start + 5 > self.size:
            return None
        word = WORD(self.view, start)[0]
        code = word >> 8 & 0xFF
        return (
            Segment(start, start, word >> 16, code) if code in (2, 3) and not word & 0xFF and word >= 0x50000 else None
        )

    def lost_head(self, start: int) -> int | None:
        """Where layout offset 0 is when the framing at `start` is destroyed but a strict header is at the expected
        offset.
        """
        at = start
        return at if at + 14 <= self.size and strict_header(self.view, at + 4) else None

    def claims(self, at: int) -> int:
        """The length that the (destroyed) framing at `at` gives, 0 when it is not plausible."""
        length: int = _TWO(self.view, at)[0]
        return length if length >= 18 else 0

    def follow_lengths(self, start: int, most: int) -> tuple[list[int], list[int], list[int] | None, int]:
        """Follow the segments from `start` on without further tests: RDW words, and with blocks their indexes and lead
        bytes.

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
        """Whether unusual but plausible records lead from `start` to a strict record or the end of the input within a
        few steps.
        """
        at = start
        for _ in range(most):
            segment = self.head(at)
            if segment is None:
                return False
            if segment.code < 2:
                front = self.front(segment)
                if len(front) < 14 or not weak_header(front, 4):
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
        """Whether an MQ record in one segment proves itself."""
        return segment.end <= self.size and proves_itself(self.view, segment.at, segment.length)

    def check_block(self, start: int) -> int:
        """Bytes of a destroyed block descriptor to skip at `start`; 0 if there is no destroyed descriptor (always,
        without blocks).
        """
        return 0


def joined(window: Window, segments: list[Segment]) -> bytes:
    """The logical record of some segments, as a copy: the first with its RDW, the others without."""
    first, *rest = segments
    parts: Iterator[Any] = (window.view[each.at + 4 : each.end] for each in rest)
    return b"".join((window.view[first.at : first.end], *parts))
