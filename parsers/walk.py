"""Bytes -> records: joins segments, notes damage as values, never drops a byte silently.

Where:  RDW (and BDW) of variable-length SMF records
Manual: z/OS DFSMS Using Data Sets, "Variable-length record formats"

A short Python loop follows the record lengths; everything else is arrays over many records. Where they find something
that is not by the book, `repair` decides about this one place. The state at a record start is its offset alone: two
walks over adjoining ranges give exactly what one walk gives.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from mqstat.parsers.dialects import open_window, over
from mqstat.parsers.escapes import Unescaped, undone
from mqstat.parsers.framing import ESCAPED, LONGEST_GAP, Framing
from mqstat.parsers.ledger import Damage
from mqstat.parsers.patterns import candidates, earlier, is_same, other_framing, record_end
from mqstat.parsers.repair import DamagedSpan, RecordSpan, resolve
from mqstat.parsers.resync import (
    STUB,
    Bytes,
    Flags,
    Index,
    find_headers,
    find_inner,
    find_short,
    proves_itself,
    strict_rows,
    weak_rows,
)
from mqstat.parsers.tail import FILL, TEXT, kinds_of
from mqstat.parsers.window import FRONT, Allocate, NeedMoreData, Reader, Segment, Window

_NO_RECORDS: Index = np.empty(0, dtype=np.int64)
_ROW = 44
"""Bytes gathered per record: header and the first two triplets."""
_SHORTEST = 36
"""Bytes of a record with a triplet; what is shorter proves nothing by itself."""
_FIRST_BATCH, _LAST_BATCH = 32, 1 << 15
_FEW = 8
"""Segments that take less time one by one than at once."""
_LONGEST_PAUSE = 16
"""Records decided one by one before many are tried at once again, where that gave few several times in a row."""
_MOST = 1 << 16
"""Records and damaged spans of a chunk: more are handed over at once, so that memory does not grow with what is very
short."""
_BEYOND = 128 << 10
"""Bytes read past the end of a range, for a record that crosses it."""


@dataclass
class Chunk:
    """Logical records of a part of the input in file order, and the damage found there.

    `base` and `length` give each joined record in `buffer`, layout offset 0 being the first RDW byte (or what replaces
    it: the bytes 0 to 3 of a record carry no information). `offset` is the byte of the input where the first segment
    begins, `size` how many bytes of the input belong to the record, framing included. `skipped` is how many bytes of a
    prefix, or of escapes, belong to the records but are not in their `size`, for the reason `skip_reason`.
    """

    buffer: Bytes
    base: Index
    length: Index
    offset: Index
    size: Index
    segments: Index
    damage: list[Damage]
    skipped: Index = field(default_factory=_NO_RECORDS.copy)
    skip_reason: str = "prefix"

    @property
    def walked(self) -> int:
        """Bytes of the input: of records, skipped with them, and of damage."""
        return int(self.size.sum()) + int(self.skipped.sum()) + sum(span.length for span in self.damage)


def _joined(parts: Sequence[Index]) -> Index:
    """Parts of a column one after another; a single one is not copied, because a chunk may have a million records."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


@dataclass
class _Batch:
    """Records collected for the next chunk, as arrays of buffer indexes."""

    base: list[Index] = field(default_factory=list)
    length: list[Index] = field(default_factory=list)
    start: list[Index] = field(default_factory=list)
    end: list[Index] = field(default_factory=list)
    segments: list[Index] = field(default_factory=list)
    joins: list[list[tuple[int, int]]] = field(default_factory=list)
    located: list[tuple[Index, ...]] = field(default_factory=list)
    """The columns of the chunk for the records before the last change of framing."""
    damage: list[Damage] = field(default_factory=list)
    few: list[tuple[int, ...]] = field(default_factory=list)
    """Records that were decided one by one and are not in the arrays yet."""
    records: int = 0
    most: int = _MOST
    following: Framing | None = None
    """The framing of what follows, if it is another one."""

    def is_full(self) -> bool:
        """Whether to hand it over before the end of the buffer."""
        return self.records + len(self.damage) >= self.most

    def add(self, segments: list[Segment], end: int) -> None:
        """Add one record."""
        first = segments[0]
        length = sum(each.length for each in segments) - 4 * (len(segments) - 1)
        self.few.append((first.at, length, first.start, end, len(segments)))
        self.records += 1
        if len(segments) > 1:
            self.joins.append([(each.at, each.length) for each in segments])

    def extend(self, base: Index, length: Index, start: Index, end: Index, segments: Index) -> None:
        """Add many records, after those that were added one by one."""
        self.settle()
        self._append(base, length, start, end, segments)
        self.records += len(base)

    def settle(self) -> None:
        """Move the records that were added one by one to the arrays."""
        if self.few:
            self._append(*np.array(self.few, dtype=np.int64).T)
            self.few = []

    def _append(self, *values: Index) -> None:
        for column, value in zip((self.base, self.length, self.start, self.end, self.segments), values, strict=True):
            column.append(value)

    def locate(self, window: Window) -> None:
        """Compute where in the input the records are, by the framing of the window that read them."""
        self.settle()
        columns = (self.base, self.length, self.start, self.end, self.segments)
        if self.base:
            base, length, start, end, segments = map(_joined, columns)
            at = base + (4 - window.own)
            skipped = (
                at - start + (segments - 1) * window.pattern.gap
                if window.skips
                else np.broadcast_to(np.int64(0), at.shape)
            )
            self.located.append((base, length, at + window.origin, end - start - skipped, segments, skipped))
        for column in columns:
            column.clear()

    def chunk(self, window: Window) -> Chunk:
        """Join the spanned records in place and hand everything over."""
        self.locate(window)
        view = window.view
        if self.joins:
            window.settle()
        for (first, length), *rest in self.joins:
            to = first + length
            for source, size in rest:
                view[to : to + size - 4] = view[source + 4 : source + size]
                to += size - 4
        columns = [_joined(parts) for parts in zip(*self.located, strict=True)] or [_NO_RECORDS] * 6
        base, total, offset, taken, segments, skipped = columns
        return Chunk(window.array, base, total, offset, taken, segments, self.damage, skipped)


def walk(
    reader: Reader,
    framing: Framing,
    start: int = 0,
    stop: int | None = None,
    chunk_bytes: int = 16 << 20,
    allocate: Allocate | None = None,
) -> Iterator[Chunk]:
    """Yield the logical records of an input in chunks.

    `reader` is positioned at offset `start`, which is a record start (or 0). Records and damage that begin at `stop` or
    later are not given; a walk from `start` covers exactly the bytes up to the first record start at or after `stop`.
    Damaged input never raises: it is in the chunks' damage. Memory: about one chunk, more only for a record that is
    larger; `allocate` gives it (numpy, if there is none).
    """
    if framing in ESCAPED:
        yield from _walk_escaped(reader, framing, start, stop, chunk_bytes, allocate)
        return
    window = open_window(reader, framing, start)
    if allocate is not None:
        window.allocate = allocate
    at, want, open_span = FRONT, chunk_bytes, None
    position = start
    while True:
        if stop is not None:
            want = min(want, max(stop + _BEYOND - (window.origin + window.size), _BEYOND))
        at = window.fill(at, want)
        if window.origin + at != position:
            raise RuntimeError("walk lost its place")
        batch = _Batch()
        at, open_span, done = _run(window, at, stop, batch, open_span)
        while batch.following is not None:
            at = _withdraw(window, batch.following, at, batch)
            batch.locate(window)
            window, batch.following = over(window, batch.following, at + window.origin), None
            at, open_span, done = _run(window, at, stop, batch, None)
        moved = window.origin + at > position
        position = window.origin + at
        if batch.records or batch.damage:
            yield batch.chunk(window)
        if done:
            return
        if batch.is_full():
            want = max(0, chunk_bytes - (window.size - at))
            continue
        want = chunk_bytes if moved else max(chunk_bytes, 2 * (window.size - at), 1 << 12)


def _walk_escaped(
    reader: Reader, framing: Framing, start: int, stop: int | None, chunk_bytes: int, allocate: Allocate | None
) -> Iterator[Chunk]:
    """The records of an input in FTP record structure."""
    source = Unescaped(reader, start)
    for chunk in walk(source, ESCAPED[framing], 0, None, chunk_bytes, allocate):
        placed = source.placed(chunk)
        begins = placed.offset if stop is not None else placed.offset[:0]
        taken = int(np.searchsorted(begins, stop)) if stop is not None else len(placed.offset)
        spans = [span for span in placed.damage if stop is None or span.offset < stop]
        if taken < len(placed.offset) or len(spans) < len(placed.damage):
            columns = ("base", "length", "offset", "size", "segments", "skipped")
            yield replace(placed, damage=spans, **{name: getattr(placed, name)[:taken] for name in columns})
            return
        yield placed
        source.forget(max([*chunk.offset[-1:].tolist(), *(span.offset for span in chunk.damage[-1:])]))


@dataclass(frozen=True)
class _Open:
    """Damage whose end is not known yet, and what all bytes of it seen so far can be (`kinds_of`)."""

    span: Damage
    kinds: int = -1


def _run(
    window: Window, at: int, stop: int | None, batch: _Batch, open_span: _Open | None
) -> tuple[int, _Open | None, bool]:
    """Walk as far as the buffer reaches; return the new place, damage that is still open there, and whether the walk is
    over.
    """
    most, pause, rest = _FIRST_BATCH, 0, 0
    last = None if stop is None else stop - window.origin
    try:
        while not batch.is_full():
            window.check_time()
            if open_span is not None:
                following, seen = window.scan(at)
                span = open_span.span
                if seen:
                    span = Damage(span.offset, 0, "bad-rdw" if span.reason == "garbage" else span.reason, True)
                is_open = following is None and not window.end_seen
                until = window.size if following is None else following + window.prefix + 1
                other = None if window.is_fixed else other_framing(window, at, until)
                if other is not None:
                    begin, at = at, other[0]
                    kinds = open_span.kinds & (0 if span.is_record else kinds_of(window.array[begin:at]))
                    _close(window, at, span, batch, kinds)
                    batch.following = other[1]
                    return at, None, False
                begin, at = (
                    at,
                    max(at, window.size - window.unseen - window.reach) if is_open else following or window.size,
                )
                open_span = _Open(span, open_span.kinds & (0 if span.is_record else kinds_of(window.array[begin:at])))
                if is_open:
                    return at, open_span, False
                _close(window, at, open_span.span, batch, open_span.kinds)
                open_span = None
            if window.end_seen and at >= window.size:
                return at, None, True
            if last is not None and at >= last:
                return at, None, True
            if not rest:
                ahead = _fast(window, at, most, last, batch)
                most = min(most * 4, _LAST_BATCH) if ahead > at else _FIRST_BATCH
                is_worth = ahead > at and int(batch.segments[-1].sum()) >= _FEW
                pause = rest = 0 if is_worth else min(2 * pause + 1, _LONGEST_PAUSE)
                if ahead > at:
                    at = ahead
                    continue
            rest -= 1
            result = resolve(window, at)
            other = None if window.is_fixed else _other(window, at, result)
            if other is not None:
                batch.following = other[1]
                if other[0] > at:
                    lost = result if isinstance(result, DamagedSpan) else DamagedSpan(None, "truncated", True)
                    if window.skips and other[0] - at == window.pattern.after:
                        lost = DamagedSpan(None, "garbage", False)  # what follows the last record
                    kinds = kinds_of(window.array[at : other[0]]) if lost.reason == "garbage" else 0
                    _close(window, other[0], Damage(at + window.origin, 0, lost.reason, lost.is_record), batch, kinds)
                return other[0], None, False
            if isinstance(result, RecordSpan):
                batch.add(result.segments, result.end)
                at = result.end
            elif result.end is not None:
                span = Damage(at + window.origin, 0, result.reason, result.is_record)
                kinds = kinds_of(window.array[at : result.end]) if result.reason == "garbage" else 0
                _close(window, result.end, span, batch, kinds)
                at = result.end
            else:
                span = Damage(at + window.origin, 0, result.reason, result.is_record)
                open_span = _Open(span, kinds_of(window.array[at : at + 1]) if result.reason == "garbage" else 0)
                at += 1
    except NeedMoreData:
        pass
    return at, open_span, False


def _other(window: Window, at: int, result: RecordSpan | DamagedSpan) -> tuple[int, Framing] | None:
    """Where records in another framing begin, and which, if the framing does not explain what is at `at`."""
    if isinstance(result, DamagedSpan):
        end = window.size if result.end is None else result.end + window.prefix + 1
        return other_framing(window, at, end)
    if not window.strict(at):
        return other_framing(window, at, result.end)
    first = result.segments[0]
    if window.skips and len(result.segments) == 1 and record_end(window, first.at + 4) != result.end:
        return other_framing(window, at, first.at + 5)  # its length may be an RDW, which counts itself
    if result.end >= window.size or window.strict(result.end):
        return None
    # The last bytes of a record that seems whole may be the first of another framing, where its last section is cut
    # off.
    inside = other_framing(window, first.at + 18, result.end + LONGEST_GAP)
    if inside is None or inside[0] >= result.end:
        return None
    if len([*islice(window.headers(inside[0], window.size), 2)]) < 2:
        return None  # one record is no proof against a whole one
    after = other_framing(window, result.end, result.end + LONGEST_GAP)
    return None if after is not None and is_same(inside[1], after[1]) else inside


def _withdraw(window: Window, framing: Framing, at: int, batch: _Batch) -> int:
    """Where the framing that follows at `at` begins: inside the last record, if the length of that led to a later
    record by chance.
    """
    batch.settle()
    if not batch.base or batch.end[-1][-1] < at - window.pattern.after:
        return at
    begin = earlier(window, framing, int(batch.base[-1][-1]) + 5, at)
    if begin < at:
        span = Damage(int(batch.start[-1][-1]) + window.origin, 0, "implausible-length", True)
        if batch.segments[-1][-1] > 1:
            batch.joins.pop()
        for column in (batch.base, batch.length, batch.start, batch.end, batch.segments):
            column[-1] = column[-1][:-1]
        batch.records -= 1
        _close(window, begin, span, batch, 0)
    return begin


def _close(window: Window, end: int, span: Damage, batch: _Batch, kinds: int) -> None:
    """Note damage that ends at `end`; garbage that is fill or a tail by `kinds` is skipped."""
    reason = span.reason
    if reason == "garbage" and window.skips and end - (span.offset - window.origin) == window.pattern.after:
        reason = "prefix"
    elif reason == "garbage" and kinds & FILL:
        reason = "fill"
    elif reason == "garbage" and kinds & TEXT and window.end_seen and end == window.size:
        reason = "tail"
    closed = Damage(span.offset, end + window.origin - span.offset, reason, span.is_record)
    if batch.damage and batch.damage[-1].goes_on(closed):
        batch.damage[-1] = batch.damage[-1].with_next(closed)
    else:
        batch.damage.append(closed)


def _fast(window: Window, start: int, most: int, last: int | None, batch: _Batch) -> int:
    """Take the records from `start` on that are by the book, each followed by another one or the end; return where they
    end.
    """
    words, positions, leads, end = window.follow_lengths(start, most)
    if not words:
        return start
    while len(words) >= most and words[-1] & 0x100 and most < _LAST_BATCH and all(each & 0x200 for each in words[1:]):
        most *= 4  # one record in many segments
        words, positions, leads, end = window.follow_lengths(start, most)
    word = np.array(words, dtype=np.int64)
    length = word >> 16
    if leads is None:
        gap = window.gap
        stops = start + np.cumsum(length + gap if gap else length)
        begin = np.empty_like(stops)
        begin[0], begin[1:] = start, stops[:-1]
        at = begin + gap if gap else begin
    else:
        at = np.array(positions, dtype=np.int64)
        begin = at - np.array(leads, dtype=np.int64)
    code = word >> 8 & 3
    continues = code >= 2
    bad = np.empty(len(words) + 1, dtype=np.bool_)
    bad[0] = continues[0]
    bad[1:-1] = continues[1:] != (code[:-1] & 1).astype(np.bool_)
    bad[-1] = code[-1] & 1 or not (end == window.size if end >= window.size else _begins(window, end))
    if end > window.size or (end == window.size and not window.end_seen):
        bad[-1] = True
    heads: Index = np.flatnonzero(~continues)
    inside: Index = at[heads]
    inside = inside[inside + 14 <= window.size]
    heads = heads[: len(inside)]
    if not len(heads):
        return start
    rows = np.lib.stride_tricks.sliding_window_view(window.array, _ROW)[inside]
    parts = _Parts(window, at, length, np.append(heads, len(words))) if code.any() else None
    sizes = length[heads]
    if parts is not None:
        short = np.flatnonzero((code[heads] == 1) & (sizes < _ROW))
        for number in short.tolist():
            rows[number] = np.frombuffer(parts.read(number, 0, _ROW).ljust(_ROW, b"\0"), dtype=np.uint8)
            if sizes[number] < 18:
                sizes[number] = parts.total(number)
    sound = _sound(rows, sizes, not bad[-1])
    is_head_bad = np.ones(len(words), dtype=np.bool_)
    is_head_bad[heads] = ~sound
    is_head_bad[continues] = False
    bad[:-1] |= is_head_bad
    first_bad = int(bad.argmax()) if bad.any() else len(words) + 1
    # A record counts if the next segment is good too: the last one before the first bad place is left to `repair`.
    taken = int(np.searchsorted(heads, first_bad)) - 1 if first_bad <= len(words) else len(heads)
    if taken <= 0:
        return start
    bounds = np.append(heads, len(words))[: taken + 1]
    count = np.diff(bounds)
    total = (
        length[heads[:taken]]
        if int(count.max()) == 1
        else np.add.reduceat(length[: bounds[-1]], bounds[:-1]) - 4 * (count - 1)
    )
    ends = np.append(begin, end)[bounds[1:]]
    tail = length[bounds[1:] - 1] - 4 * (count > 1)
    doubtful = _doubtful(window.array, rows[:taken], total, ends, tail, parts)
    short = doubtful & (total < _SHORTEST) & (count == 1)
    if short.any():
        doubtful[short] = _overlaid(window, inside[:taken][short], ends[short])
    if doubtful.any():
        taken = int(doubtful.argmax())
    if taken:
        inner = _inner(window, inside[:taken], ends[:taken], rows[:taken, 5], count[:taken] > 1)
        if inner.size:
            taken = int(np.searchsorted(inside[:taken], inner[0])) - 1
    starts: Index = begin[heads[:taken]]
    if last is not None and taken:
        taken = int(np.searchsorted(starts, last))
    if not taken:
        return start
    ends = ends[:taken]
    batch.extend(inside[:taken], total[:taken], starts[:taken], ends, count[:taken])
    for number in np.flatnonzero(count[:taken] > 1).tolist():
        low, high = int(bounds[number]), int(bounds[number + 1])
        batch.joins.append(list(zip(at[low:high].tolist(), length[low:high].tolist(), strict=True)))
    return int(ends[-1])


def _inner(window: Window, inside: Index, ends: Index, kind: Bytes, spanned: Flags) -> Index:
    """Record starts inside records without a known length of their own: other SMF types, whose length may have been
    changed.

    MQ records have been proved by their triplets already, so a dump of them is not searched byte by byte. Only
    `spanned` records are searched for headers that are in pieces.
    """
    silent = (kind != 115) & (kind != 116) & (ends - inside > 18)
    if not silent.any():
        return np.empty(0, dtype=np.int64)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], silent.astype(np.int8), [0]])))
    inner_starts = [
        find_inner(window.array, int(inside[first]) + 5, int(ends[behind - 1])) - 4
        for first, behind in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    ]
    for number in np.flatnonzero(silent & spanned).tolist():
        split = window.split_starts(int(inside[number]) + 5, int(ends[number]))
        inner_starts.append(np.array(split, dtype=np.int64))
    inner = np.unique(np.concatenate(inner_starts))
    inner = inner[np.isin(inner, inside, invert=True)]
    return inner[[window.start_of(each + 4, 0) is not None for each in inner.tolist()]]


def _begins(window: Window, at: int) -> bool:
    """Whether a strict record begins at `at`, as far as the buffer goes."""
    try:
        return window.strict(at)
    except NeedMoreData:
        return False


@dataclass(frozen=True)
class _Parts:
    """The segments of spanned records, to read in them as if they were joined already."""

    window: Window
    at: Index
    length: Index
    bounds: Index
    """The number of each record's first segment."""

    def total(self, record: int) -> int:
        """Joined length of a record, as far as its segments are known."""
        low, high = int(self.bounds[record]), int(self.bounds[record + 1])
        return int(self.length[low:high].sum()) - 4 * (high - low - 1)

    def read(self, record: int, offset: int, size: int) -> bytes:
        """Up to `size` bytes from layout offset `offset` on."""
        low, high = int(self.bounds[record]), int(self.bounds[record + 1])
        if high - low > 32:  # do not step through all of many segments
            ends = np.cumsum(self.length[low:high] - 4) + 4
            skip = int(np.searchsorted(ends, offset, side="right"))
            skipped = int(ends[skip - 1]) if skip else 0
        else:
            skip, skipped = 0, 0
        data = b""
        for number in range(low + skip, high):
            begin = int(self.at[number]) + (4 if number > low else 0)
            have = int(self.at[number] + self.length[number]) - begin
            if offset < skipped + have:
                inner = begin + max(offset - skipped, 0)
                data += self.window.view[inner : min(begin + have, inner + size - len(data), self.window.size)]
                if len(data) >= size:
                    break
            skipped += have
        return data


def _sound(rows: Bytes, length: Index, end_sound: bool) -> Flags:
    """Which records have a strict header, or an odd header followed by a strict record."""
    header = rows[:, 4:14]
    kind = header[:, 1]
    sized = (length == 18) | ((kind != 2) & (kind != 3)) | ((header[:, 0] & 0x40) != 0)
    sound = strict_rows(header)
    sound &= sized & (length >= 18)
    if not sound.all():
        following = np.append(sound[1:], end_sound)
        # A record with RDW after a length is no odd record.
        sound |= weak_rows(header) & following & (length >= 18) & ~strict_rows(rows[:, 8:18])
    return sound


def _doubtful(buffer: Bytes, rows: Bytes, total: Index, ends: Index, tail: Index, parts: _Parts | None) -> Flags:
    """MQ records whose triplets do not end where the record ends, or do not lead to a QWHS; `tail` is the length of the
    last segment.

    A shortcut of `expected_length` and `proves_itself`: triplet 0 is last in every record seen, in 115.5 to 115.7 it is
    triplet 1.
    """
    kind = rows[:, 5]
    triplets = np.ascontiguousarray(rows[:, 28:44])
    words = triplets.view(">u4").astype(np.int64)
    halves = triplets.view(">u2").astype(np.int64)
    subtype = rows[:, 22].astype(np.int64) << 8 | rows[:, 23]
    second = (kind == 115) & (subtype >= 5) & (subtype <= 7)
    stated = np.where(second, words[:, 2] + halves[:, 6] * halves[:, 7], words[:, 0] + halves[:, 2] * halves[:, 3])
    doubtful: Flags = stated != total
    # Counted from the end, the QWHS is found in a record not yet joined as well, unless it lies before the last
    # segment.
    back = total - words[:, 0]
    checked = ~doubtful & (back >= 4) & (back <= tail)
    at = np.where(checked, ends - back, 0)
    own = buffer[at].astype(np.int64) << 8 | buffer[at + 1]
    used = buffer[at + 6].astype(np.int64)
    if parts is not None:
        before = ~doubtful & (back > tail) & ((kind == 115) | (kind == 116))
        for number in np.flatnonzero(before).tolist():
            front = parts.read(number, int(words[number, 0]), 7).ljust(7, b"\0")
            own[number], used[number] = front[0] << 8 | front[1], front[6]
            if own[number] == 1 and int.from_bytes(front[:4], "big") != STUB:
                own[number] = 0
        checked |= before
    stubs = np.flatnonzero(checked & (own == 1) & (at > 0))
    own[stubs[(buffer[at[stubs] + 2] != STUB >> 8 & 0xFF) | (buffer[at[stubs] + 3] != STUB & 0xFF)]] = 0
    doubtful |= checked & (own != 1) & ((own < 36) | (own > halves[:, 2]))
    # It counts the triplets, which the first section follows: a QWHS of another kind of record does not fit.
    behind = 28 + 8 * used
    doubtful |= (
        checked & (own >= 36) & (halves[:, 7] != 0) & (words[:, 2] != behind) & ~((kind == 115) & (subtype == 231))
    )
    doubtful |= halves[:, 3] != 1
    doubtful &= (kind == 115) | (kind == 116)
    return doubtful


def _overlaid(window: Window, inside: Index, ends: Index) -> Flags:
    """Which MQ records without a triplet, each followed by a record or the end, may have the beginning of another
    record inside.
    """
    headers = find_headers(window.array, int(inside[0]) + 9, min(int(ends[-1]) + 4, window.size - 10))
    shorts = find_short(window.array, int(inside[0]) + 5, int(ends[-1]))
    # The header of the record itself is at 4; that of the next one at the earliest where this one ends.
    overlaid: Flags = np.searchsorted(headers, inside + 9) < np.searchsorted(headers, ends + window.prefix)
    overlaid |= np.searchsorted(shorts, inside + 5) < np.searchsorted(shorts, ends)
    return overlaid


def patterns_of(data: bytes, at_end: bool) -> list[Framing]:
    """The framings that records in the first bytes of an input have; `at_end` = they are the whole input."""
    window = open_window(io.BytesIO(data), Framing.RDW, 0)
    window.fill(FRONT, len(data) + 1)
    window.end_seen = at_end
    return candidates(window)


@dataclass(frozen=True)
class Evidence:
    """How well a framing explains bytes: bytes in records with a strict header, the number of these records, of those
    proven, and of damaged spans.

    A record is proven by its triplets, which end where the framing ends it and lead to a QWHS. Without lengths in the
    framing they state themselves where it ends, so it must also begin where the one before it ends.
    """

    covered: int
    records: int
    proven: int
    spans: int


def evidence(data: bytes, framing: Framing, at_end: bool) -> Evidence:
    """The evidence for a framing in the first bytes of an input; `at_end` = they are the whole input."""
    if framing in ESCAPED:
        data, framing = undone(np.frombuffer(data, dtype=np.uint8), at_end)[0].tobytes(), ESCAPED[framing]
    window = open_window(io.BytesIO(data), framing, 0)
    at = window.fill(FRONT, len(data) + 1)
    window.end_seen, window.is_fixed = at_end, True
    batch = _Batch(most=len(data) + 1)
    _run(window, at, None, batch, None)
    spans = sum(span.reason != "prefix" for span in batch.damage)
    if not batch.records:
        return Evidence(0, 0, 0, spans)
    chunk = batch.chunk(window)
    strict = strict_rows(np.lib.stride_tricks.sliding_window_view(window.array, 10)[chunk.base + 4])
    begins = chunk.offset - chunk.skipped
    follows = np.append(begins[:1] == 0, begins[1:] == chunk.offset[:-1] + chunk.size[:-1])
    tested = strict & (follows | window.states_length)
    extents = zip(chunk.base[tested].tolist(), chunk.length[tested].tolist(), strict=True)
    proven = sum(proves_itself(window.view, base, length) for base, length in extents)
    return Evidence(int(chunk.length[strict].sum()), int(strict.sum()), proven, spans)
