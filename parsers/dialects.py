"""The other framings, each as its differences from records with RDW: patterns, lengths without RDW, no lengths at all,
and blocks.
"""

from __future__ import annotations

from struct import Struct

from mqstat.parsers.framing import Framing, Pattern
from mqstat.parsers.resync import MAX_JOINED, expected_length, is_mq, strict_header
from mqstat.parsers.window import AHEAD, WORD, Reader, Segment, Window

MAX_PREFIXED = 1 << 20
"""Longest record believed of a length prefix; SMF records are at most 32 KB."""
MAX_BLOCK = 4 << 20
"""Longest block believed of a 31-bit BDW."""

_BARE = Struct(">H4xIHHIHH").unpack_from


class LedWindow(Window):
    """Records with RDW, each record (or segment) after the same number of bytes that do not belong to it."""

    def __init__(self, reader: Reader, start: int, pattern: Pattern) -> None:
        super().__init__(reader, start)
        self.pattern = pattern
        self.gap = pattern.gap
        self.prefix = pattern.gap + 4
        self.unseen += 14 * pattern.gap  # before each segment
        self.reach += pattern.gap

    def lead(self, start: int) -> int:
        """Bytes from `start`, where the record before ends, to the RDW; what follows a record does not precede the
        first of them.
        """
        gap, before = self.gap, self.pattern.before
        if start + self.origin != self.part_start or before == gap:
            return gap
        return gap if start + gap + 18 <= self.size and self.begins(start + gap) else before

    def start_of(self, header: int, first: int) -> int | None:
        at = header - 4
        start = at - self.gap
        if start < first and at - self.pattern.before + self.origin == self.part_start:
            start = at - self.pattern.before
        return start if start >= first and self.sane_start(at) else None

    def strict(self, start: int) -> bool:
        self.need(start + self.gap + 18)
        return self.begins(start + self.lead(start))

    def head(self, start: int) -> Segment | None:
        self.need(start + self.gap + 14)
        inner = super().head(start + self.lead(start))
        return None if inner is None else Segment(start, inner.at, inner.length, inner.code)

    def continuation(self, start: int) -> Segment | None:
        inner = super().continuation(start + self.gap)
        return None if inner is None else Segment(start, inner.at, inner.length, inner.code)

    def lost_head(self, start: int) -> int | None:
        return super().lost_head(start + self.lead(start))

    def follow_lengths(self, start: int, most: int) -> tuple[list[int], list[int], list[int] | None, int]:
        words: list[int] = []
        add, unpack, view, gap, at = words.append, WORD, self.view[: self.size], self.gap, start + self.gap
        last = self.size - 4
        for _ in range(most):
            if at > last:
                break
            (word,) = unpack(view, at)
            if word & 0xFCFF or word < 0x50000:
                break
            add(word)
            at += (word >> 16) + gap
        return words, [], None, at - gap


class UnledWindow(Window):
    """Records without RDW: nothing, or the bytes of a pattern, between two of them. Each record has its layout offset 0
    four bytes before its header.
    """

    unseen = 13
    has_segments = False

    def __init__(self, reader: Reader, start: int, pattern: Pattern) -> None:
        super().__init__(reader, start)
        self.pattern = pattern
        self.gap = pattern.gap - 4
        self.prefix = pattern.gap
        self.own = 0
        self.reach += pattern.gap

    def lead(self, start: int) -> int:
        """Bytes from `start`, where the record before ends, to the header; what follows a record does not precede the
        first of them.
        """
        gap, before = self.prefix, self.pattern.before
        if start + self.origin != self.part_start or before == gap:
            return gap
        return gap if start + gap + 14 <= self.size and self.begins(start + gap - 4) else before

    def start_of(self, header: int, first: int) -> int | None:
        start = header - self.prefix
        if start < first and header - self.pattern.before + self.origin == self.part_start:
            start = header - self.pattern.before
        return start if start >= first and self.sane_start(header - 4) else None

    def strict(self, start: int) -> bool:
        self.need(start + self.prefix + 14)
        return self.begins(start + self.lead(start) - 4)

    def begins(self, at: int) -> bool:
        return at + 18 <= self.size and strict_header(self.view, at + 4) and self.sane_start(at)

    def continuation(self, start: int) -> Segment | None:
        return None

    def lost_head(self, start: int) -> int | None:
        at = start + self.lead(start) - 4
        return at if at + 14 <= self.size and strict_header(self.view, at + 4) else None

    def claims(self, at: int) -> int:
        return 0


class PrefixedWindow(UnledWindow):
    """Records after a length of their own that is no RDW."""

    def __init__(self, reader: Reader, start: int, pattern: Pattern) -> None:
        super().__init__(reader, start, pattern)
        width, order = pattern.number
        self._number = Struct({"big": ">", "little": "<"}[order] + {2: "H", 4: "I"}[width]).unpack_from

    def length(self, at: int) -> int:
        """Length of the record with layout offset 0 at `at`, four bytes in place of its RDW included; 0 if it is not
        plausible.
        """
        body: int = self._number(self.view, at + 4 - self.pattern.back)[0] - self.pattern.extra
        return body + 4 if 14 <= body <= MAX_PREFIXED else 0

    def sane_start(self, at: int) -> bool:
        length = self.length(at)
        return length > 0 and self.right_size(at, length)

    def head(self, start: int) -> Segment | None:
        self.need(start + self.prefix + 10)
        at = start + self.lead(start) - 4
        if at + 14 > self.size:
            return None
        length = self.length(at)
        return Segment(start, at, length, 0) if length else None

    def follow_lengths(self, start: int, most: int) -> tuple[list[int], list[int], list[int] | None, int]:
        words: list[int] = []
        add, unpack, view, extra = words.append, self._number, self.view[: self.size], self.pattern.extra
        step, at = self.prefix, start + self.prefix - self.pattern.back
        last = self.size - self.pattern.back
        for _ in range(most):
            if at > last:
                break
            body = unpack(view, at)[0] - extra
            if not 14 <= body <= MAX_PREFIXED:
                break
            add((body + 4) << 16)
            at += body + step
        return words, [], None, at - step + self.pattern.back


class BareWindow(UnledWindow):
    """Records that follow one another without any length: the triplets of the MQ records give it."""

    states_length = False

    def sane_start(self, at: int) -> bool:
        return True

    def head(self, start: int) -> Segment | None:
        self.need(start + AHEAD)
        lead = self.lead(start)
        header = start + lead
        if header + 14 > self.size:
            return None
        at, buffer, size = header - 4, self.view, self.size
        whole = expected_length(buffer, at, size)
        if not strict_header(buffer, header):
            segment = Segment(start, at, whole, 0)
            return segment if 0 < whole <= MAX_JOINED and self.agrees(segment) else None
        if is_mq(buffer, at):
            # First the usual rule, then the header alone, with and without subtype.
            for length in (self.quick(header), whole, 28, 18):
                if length >= 18 and at + length <= size and self.ends(at + length):
                    return Segment(start, at, length, 0)
            if whole:
                return Segment(start, at, whole, 0) if whole <= MAX_JOINED else None
        elif whole:
            return Segment(start, at, whole, 0)
        following, _ = self.scan(header + 14)
        if following is None:
            self.need(start + AHEAD)
            following = size - self.pattern.after if size - start < AHEAD else None
        return Segment(start, at, following - at, 0) if following is not None and following - at <= AHEAD else None

    def ends(self, start: int) -> bool:
        """Whether the next record, or the end of the input, is at `start`."""
        return self.strict(start) or start + self.pattern.after == self.size

    def quick(self, header: int) -> int:
        """Length by triplet 0 (1 for 115.5 to 115.7), which is last in every record seen."""
        if header + 40 > self.size:
            return 0
        subtype, *zero_and_one = _BARE(self.view, header + 18)
        offset, length, count = (
            zero_and_one[3:] if self.view[header + 1] == 115 and 5 <= subtype <= 7 else zero_and_one[:3]
        )
        return int(offset + length * count)

    def hops_weak(self, start: int, most: int = 8) -> bool:
        segment = None if self.strict(start) else self.head(start)
        return segment is not None

    def follow_lengths(self, start: int, most: int) -> tuple[list[int], list[int], list[int] | None, int]:
        words: list[int] = []
        add, unpack, view, buffer = words.append, _BARE, self.view[: self.size], self.view
        gap, at = self.gap, start + self.prefix
        last = self.size - 40
        for _ in range(most):
            if at > last:
                break
            kind = buffer[at + 1]
            if kind == 116:
                _, offset, length, count, _, _, _ = unpack(view, at + 18)
            elif kind == 115:
                subtype, offset, length, count, *second_triplet = unpack(view, at + 18)
                if 5 <= subtype <= 7:
                    offset, length, count = second_triplet
            elif kind in (2, 3) and not buffer[at] & 0x40:
                offset, length, count = 18, 0, 0
            else:
                break
            length = offset + length * count
            if not 18 <= length <= MAX_PREFIXED:
                break
            add(length << 16)
            at += length + gap
        return words, [], None, at - self.prefix


class BlockedWindow(Window):
    """Records with RDW in blocks with BDW (16-bit or 31-bit length).

    The bytes at an offset decide whether it has a BDW or an RDW, never the bytes before: so a destroyed BDW loses its
    four bytes and no record, and any record start can be the start of a part.
    """

    def block(self, start: int) -> int:
        """Length of the block whose BDW is at `start`, 0 without a plausible BDW."""
        self.need(start + 4)
        if start + 4 > self.size:
            return 0
        word = WORD(self.view, start)[0]
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
            word = WORD(self.view, at)[0]
            if word & 0xFCFF or word < 0x50000:
                return False
            at += word >> 16
        return at == end

    def _block_precedes_record(self, start: int) -> bool:
        """Whether a strict record follows a BDW at `start`."""
        length = self.block(start)
        return bool(length) and self.begins(start + 4) and WORD(self.view, start + 4)[0] >> 16 <= length - 4

    def start_of(self, header: int, first: int) -> int | None:
        if header - 8 >= first and self._block_precedes_record(header - 8):
            return header - 8
        return super().start_of(header, first)

    def strict(self, start: int) -> bool:
        self.need(start + 22)
        return self.begins(start) or self._block_precedes_record(start)

    def head(self, start: int) -> Segment | None:
        self.need(start + 22)
        # A block descriptor and the RDW after it can look like an RDW and a header, but not the other way round.
        if self.begins(start) and not (self._block_precedes_record(start) and self.adds_up(start)):
            return super().head(start)
        if self._block_precedes_record(start) or (self.block(start) and self.adds_up(start)):
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
        if self.begins(start) or not self.begins(start + 4):
            return 0
        length = self.block(start)
        if not length:
            return 4
        end = start + length
        self.need(end + 22)
        if end > self.size or self.adds_up(start) or end == self.size or self.strict(end):
            return 0
        return 0 if self.block(end) and self.continuation(end) is not None else 4

    def follow_lengths(self, start: int, most: int) -> tuple[list[int], list[int], list[int] | None, int]:
        words: list[int] = []
        positions: list[int] = []
        leads: list[int] = []
        unpack, view, at, size = WORD, self.view[: self.size], start, self.size
        while len(words) < most and at + 8 <= size:
            (word,) = unpack(view, at)
            (inside,) = unpack(view, at + 4)
            if not inside & 0xFCFF and inside >= 0x50000:
                end = at + (word & 0x7FFFFFFF if word & 0x80000000 else 0 if word & 0xFFFF else word >> 16)
                if at + 8 < end <= min(size, at + MAX_BLOCK):
                    mark, inner = len(words), at + 4
                    while inner + 4 <= end:
                        (inside,) = unpack(view, inner)
                        if inside & 0xFCFF or inside < 0x50000:
                            break
                        words.append(inside)
                        positions.append(inner)
                        leads.append(0)
                        inner += inside >> 16
                    if inner == end:
                        leads[mark] = 4
                        at = end
                        continue
                    del words[mark:], positions[mark:], leads[mark:]
            # No block descriptor: a segment inside a block whose start was not read.
            if word & 0xFCFF or word < 0x50000:
                break
            if not word & 0x300 and (at + 14 > size or not strict_header(view, at + 4)):
                break
            words.append(word)
            positions.append(at)
            leads.append(0)
            at += word >> 16
        return words, positions, leads, at


def open_window(reader: Reader, framing: Framing, start: int) -> Window:
    """The window of a framing over a reader positioned at `start`."""
    window = _window(reader, framing, start)
    window.framing = framing
    return window


def over(window: Window, framing: Framing, part_start: int) -> Window:
    """A window of another framing, which begins at offset `part_start` of the input, over the same buffer."""
    other = open_window(window.reader, framing, 0)
    other.take(window)
    other.part_start = part_start
    return other


def _window(reader: Reader, framing: Framing, start: int) -> Window:
    pattern = framing.pattern
    if pattern is not None:
        kind = LedWindow if pattern.length == "rdw" else BareWindow if pattern.length == "none" else PrefixedWindow
        window: Window = kind(reader, start, pattern)
        window.skips = True
        return window
    if framing == Framing.NO_RDW:
        return BareWindow(reader, start, Pattern(0, 0, "none"))
    if framing == Framing.LENGTH_PREFIXED:
        window = PrefixedWindow(reader, start, Pattern(4, 0, "be4", 4))
        window.own = 4  # in place of the RDW
        return window
    return BlockedWindow(reader, start) if framing == Framing.BDW else Window(reader, start)
