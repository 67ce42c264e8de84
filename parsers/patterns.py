"""Recognises how records are framed from the bytes between two of them: no pattern has to be known before.

MQ records prove where they end: their triplets end there and lead to a QWHS. What is between the end of one and the
header of the next, and whether a length in it is right for both, is the framing. A framing is believed of one record
where a length of it agrees, of two records where two gaps are equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from struct import Struct

from mqstat.parsers.dialects import BlockedWindow, over
from mqstat.parsers.framing import FRAMINGS, LONGEST_GAP, Framing, Pattern
from mqstat.parsers.repair import proven_by_segments
from mqstat.parsers.resync import expected_length, found_header, is_mq, proves_itself
from mqstat.parsers.window import AHEAD, FRONT, WORD, NeedMoreData, Window

_NUMBERS = tuple(
    (name, width, Struct(code).unpack_from)
    for name, width, code in (("be4", 4, ">I"), ("le4", 4, "<I"), ("be2", 2, ">H"), ("le2", 2, "<H"))
)
_MOST_EXTRA = 64
"""Most bytes that a length counts in addition to the record."""
_LONGEST_TAIL = 8
"""Most bytes after the last record that are still its pattern."""
_STATED = frozenset(each.name for each in FRAMINGS if (Framing(each.name).pattern or Pattern(0, 0)).back)
"""Declared framings whose length is right for a record by so little chance that one record is enough."""
_TRIED = 40
"""Headers whose framings are compared to recognise that of an input."""


def candidates(window: Window, most: int = 2) -> list[Framing]:
    """The framings that most of the first records in the buffer have, the most frequent first."""
    seen: Counter[Framing] = Counter()
    headers = list(islice(window.headers(FRONT, window.size), _TRIED))
    for header in headers:
        try:
            framing = framing_at(window, FRONT, header)
        except NeedMoreData:
            break
        if framing is not None:
            seen[_at_start(framing, headers[0] - FRONT)] += 1
    return [framing for framing, _ in seen.most_common(most)]


def _at_start(framing: Framing, size: int) -> Framing:
    """The framing of an input whose first header has `size` bytes before it: they show what precedes a record and what
    follows it.
    """
    pattern = framing.pattern
    if pattern is None:
        return framing
    before = min(pattern.gap, max(0, size - (4 if pattern.length == "rdw" else 0)))
    return (
        framing if before < pattern.back else Framing(replace(pattern, before=before, after=pattern.gap - before).name)
    )


def other_framing(window: Window, at: int, end: int) -> tuple[int, Framing] | None:
    """Where records in another framing than that of the window begin, from `at`, whose bytes it does not explain, to a
    header before `end`.
    """
    for header in window.headers(at, end):
        framing = framing_at(window, at, header)
        if framing is None:
            continue
        if is_same(framing, window.framing):
            if framing.pattern is None or window.start_of(header, at) is not None:
                continue
        elif _goes_on(window, header, framing):
            continue
        other = shared_window(window, framing, header, at)
        start = other.start_of(header, at)
        if start is not None:
            return earlier(window, framing, at, start), framing
    return None


def shared_window(window: Window, framing: Framing, header: int, at: int) -> Window:
    """A window of another framing over the same buffer, in which the first record has its header at `header`; its
    framing is not before `at`.
    """
    pattern = framing.pattern or Pattern(0, 0)
    return over(window, framing, header - (pattern.before + (4 if pattern.length == "rdw" else 0)) + window.origin)


def earlier(window: Window, framing: Framing, at: int, start: int) -> int:
    """The first record from `at` on from which records in this framing lead to the one at `start`."""
    ends = (start, start - (framing.pattern or Pattern(0, 0)).after)
    for header in window.headers(at, start):
        other = shared_window(window, framing, header, at)
        first = position = other.start_of(header, at)
        while position is not None and position < ends[1]:
            segment = other.head(position)
            position = None if segment is None or (segment.code >= 2 and position == first) else segment.end
        if first is not None and position in ends:
            return first
    return start


def is_same(framing: Framing, other: Framing) -> bool:
    """Whether both read records alike: the framing of blocks reads records outside blocks, and a pattern does not
    depend on what is before or after.
    """
    if framing == other or (framing == Framing.RDW and other == Framing.BDW):
        return True
    first, second = framing.pattern, other.pattern
    if first is None or second is None:
        return False
    return (first.gap, first.length, first.back, first.extra) == (second.gap, second.length, second.back, second.extra)


def _reads(window: Window, header: int) -> bool:
    """Whether the window reads the record with this header as its own triplets prove it; one in segments is not looked
    at closely.
    """
    start = window.start_of(header, 0)
    segment = None if start is None else window.head(start)
    return segment is not None and (segment.code != 0 or record_end(window, header) in (None, segment.end))


def _goes_on(window: Window, header: int, framing: Framing) -> bool:
    """Whether the framing of the window goes on although the record with this header proves another one: only this
    record is damaged then.
    """
    pattern, end = framing.pattern or Pattern(0, 0), record_end(window, header)
    if end is None or framing == Framing.BDW or (framing.pattern is not None and pattern.length == "rdw"):
        return False  # segments, blocks and equal gaps are proof enough
    following = _next(window, end)
    if framing == Framing.RDW and window.pattern.length != "rdw":
        return False  # two descriptors agree
    if framing == Framing.RDW or not window.states_length:
        return following is not None and window.start_of(following, 0) == end
    # No gap at the end of the input is no evidence: there is none after the last record in any framing.
    is_equal = (
        following is not None
        and following - end == _gap_after(window, following, 0)
        and (following > end or record_end(window, following) != window.size)
    )
    is_part = bool(pattern.back and window.pattern.back) and _is_part(pattern, window.pattern)
    if is_equal and following is not None and following - end != window.prefix:
        third = _next(window, record_end(window, following) or window.size) if is_part else None
        # Two records that lost as many bytes have equal gaps too.
        return third is not None and _gap_after(window, third, 0) not in (None, following - end)
    if _reads(window, header) and (not is_equal or (following is not None and following - end == window.prefix)):
        return True
    if following is None or (framing.value in _STATED and window.framing in (Framing.RDW, Framing.BDW)):
        return False
    second = record_end(window, following)
    if second is not None and pattern.back and window.pattern.back and not is_part:
        return False  # two lengths in another place or order are right
    if _reads(window, following):
        return True
    if pattern.length != "none" or following - end != window.prefix:
        return False
    # What is as wide as the lengths of the window can be two of them that are destroyed.
    third = None if second is None else _next(window, second)
    return third is None or _reads(window, third)


def _is_part(pattern: Pattern, whole: Pattern) -> bool:
    """Whether a length is some bytes of another one, the rest of which may be destroyed."""
    (width, order), (widest, other) = pattern.number, whole.number
    return (
        width < widest and order == other and whole.back - widest <= pattern.back - width and pattern.back <= whole.back
    )


def record_end(window: Window, header: int) -> int | None:
    """Where the record with this strict header ends if its own bytes prove that it is whole, in one piece."""
    base = header - 4
    length = expected_length(window.view, base, window.size)
    if not 18 <= length <= AHEAD:
        return None
    window.need(base + length)
    if base + length > window.size or (is_mq(window.view, base) and not proves_itself(window.view, base, length)):
        return None
    return base + length


def _next(window: Window, end: int) -> int | None:
    """The first strict header after the end of a record, where only a pattern can be between."""
    window.need(end + LONGEST_GAP + 18)
    within = range(end, min(end + LONGEST_GAP + 5, window.size - 9))
    return next((at for at in within if found_header(window.view, at)), None)


def framing_at(window: Window, at: int, header: int) -> Framing | None:
    """The framing of the record with this strict header, as far as it and the next records prove one; nothing before
    `at` belongs to it.
    """
    end = record_end(window, header)
    if _in_segments(window, at, header):
        return _spanned(window, at, header)
    if end is None:
        return None
    has_rdw = header - 4 >= at and WORD(window.view, header - 4)[0] == (end - header + 4) << 16
    following = _next(window, end)
    if has_rdw and header - 8 >= at:
        blocks = BlockedWindow(window.reader, 0)
        blocks.take(window)
        if blocks.block(header - 8) and blocks.adds_up(header - 8):
            return Framing.BDW
    if following is None:
        if has_rdw:
            return Framing.RDW
        left = window.size - end
        if not window.end_seen or left > _LONGEST_TAIL:
            return None
        return _single(window, at, header, end)
    if has_rdw:
        return _after_gap(window, at, header, end, following) or Framing.RDW
    return _without_rdw(window, at, header, end, following)


def _single(window: Window, at: int, header: int, end: int) -> Framing | None:
    """The framing of the last record without RDW: nothing follows it that shows a gap."""
    before, after = min(header - at, _LONGEST_TAIL), window.size - end
    if not is_mq(window.view, header - 4):
        return None
    if header - at == after == 0:
        return Framing.NO_RDW
    return _with_number(window, header, end, Pattern(before, after), None)


def _after_gap(window: Window, at: int, header: int, end: int, following: int) -> Framing | None:
    """The framing of a record with RDW, if the next one has one too."""
    gap, begin = following - end - 4, header - 4
    word = WORD(window.view, following - 4)[0]
    if gap < 0 or word & 0xFEFF or word < (0x50000 if word & 0x100 else 0x120000):
        return None
    if gap == 0:
        return Framing.RDW
    blocks = BlockedWindow(window.reader, 0)
    blocks.take(window)
    if gap == 4 and blocks.block(end) and blocks.adds_up(end):
        return Framing.BDW
    if begin - at != gap and _gap_after(window, following, 4) != gap:
        return None
    before = min(gap, begin - at)
    return Framing(Pattern(before, gap - before).name)


def _gap_after(window: Window, header: int, own: int) -> int | None:
    """Bytes between the end of this record and the next, or the end of the input; `own` bytes before a header belong to
    the record.
    """
    end = record_end(window, header)
    if end is None:
        return None
    following = _next(window, end)
    if following is not None:
        return following - own - end
    return window.size - end if window.end_seen else None


def _without_rdw(window: Window, at: int, header: int, end: int, following: int) -> Framing | None:
    """The framing of a record without RDW, by a length in the gap that is right for this record and the next, or by two
    equal gaps.
    """
    gap = following - end
    if gap > LONGEST_GAP:
        return None
    second = record_end(window, following)
    is_closed = _has_qwhs(window, header) or (second is not None and _has_qwhs(window, following))
    if gap == 0:
        return Framing.NO_RDW if is_closed else None
    before = min(gap, header - at)
    numbered = _with_number(window, header, end, Pattern(before, gap - before), (following, second) if second else None)
    if numbered is not None:
        pattern = numbered.pattern or Pattern(0, 0)
        is_half = pattern.length == "be2" and pattern.back + 2 <= min(gap, header - at)
        if is_half and bytes(window.view[following - pattern.back - 2 : following - pattern.back]) == b"\0\0":
            return None  # the second half of a longer number, whose first half is damaged
        return numbered
    if second is not None and gap >= 4 and WORD(window.view, following - 4)[0] == (second - following + 4) << 16:
        return None
    if not is_closed or (header - at != gap and _gap_after(window, following, 0) != gap):
        return None
    return Framing(Pattern(before, gap - before, "none").name)


def _has_qwhs(window: Window, header: int) -> bool:
    """Whether a record that its own bytes prove has a QWHS, which is near its end; a stub near its beginning does not
    prove that the rest is in one piece.
    """
    return is_mq(window.view, header - 4) and not (
        window.view[header + 1] == 115 and 5 <= WORD(window.view, header + 16)[0] & 0xFFFF <= 7
    )


def _with_number(
    window: Window, header: int, end: int, gap: Pattern, following: tuple[int, int] | None
) -> Framing | None:
    """The pattern with a length before the record, the next one if its end is known; the widest length, and the one
    that counts least in addition.
    """
    seen = []
    for name, width, unpack in _NUMBERS:
        for back in range(width, gap.before + 1):
            extra = unpack(window.view, header - back)[0] - (end - header)
            if (name, back, extra) == ("be2", 4, 4):
                continue  # an RDW
            if abs(extra) > (_MOST_EXTRA if following else _LONGEST_TAIL):
                continue
            if following and unpack(window.view, following[0] - back)[0] - (following[1] - following[0]) != extra:
                continue
            seen.append((-width, abs(extra), Pattern(gap.before, gap.after, name, back, extra)))
    if not seen:
        return None
    pattern = min(seen, key=lambda each: each[:2])[2]
    return Framing.LENGTH_PREFIXED if pattern == Pattern(4, 0, "be4", 4) else Framing(pattern.name)


def _in_segments(window: Window, at: int, header: int) -> bool:
    """Whether what is before the header can be the RDW of a first segment."""
    word = WORD(window.view, header - 4)[0]
    return header - 4 >= at and word & 0xFFFF == 0x100 and word >= 0x120000


def _spanned(window: Window, at: int, header: int) -> Framing | None:
    """The framing of a record in segments: each gap before the second segment that leads to a proven record is
    tried.
    """
    begin = header - 4
    end = begin + (WORD(window.view, begin)[0] >> 16)
    window.need(end + LONGEST_GAP + 18)
    for gap in _gaps_of_segments(window, end):
        before = min(gap, begin - at)
        framings = [Framing(Pattern(before, gap - before).name)] if gap else [Framing.RDW]
        for framing in [Framing.BDW, *framings] if gap == 4 else framings:
            other = shared_window(window, framing, header, at)
            start = other.start_of(header, at)
            if start is None or (ends := proven_by_segments(other, start)) is None:
                continue
            if framing.pattern is None or begin - at == gap or other.strict(ends):
                return framing
    return None


def _gaps_of_segments(window: Window, end: int) -> Iterator[int]:
    for gap in range(LONGEST_GAP):
        if end + gap + 5 > window.size:
            return
        word = WORD(window.view, end + gap)[0]
        if word & 0xFF == 0 and word >> 8 & 0xFF in (2, 3) and word >= 0x50000:
            yield gap
