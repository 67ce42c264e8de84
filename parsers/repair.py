"""Classifies the bytes where the fast walk stops: an unusual record, or damage and where reading continues after it.

The question is always which record is damaged. A record is sound if what it states of itself adds up (`proves_itself`);
what follows it is then garbage. Nothing else proves an MQ record in segments, which may be of two records. Otherwise
the search for the next strict record start begins inside the doubtful record, so that lost or inserted bytes, or a
changed length, never lose the record that follows.
"""

from __future__ import annotations

from dataclasses import dataclass

from mqstat.parsers.resync import (
    HEADER_BYTES,
    MAX_JOINED,
    TRIPLET,
    expected_length,
    is_mq,
    proves_itself,
    strict_header,
)
from mqstat.parsers.tail import kinds_of
from mqstat.parsers.window import AHEAD, Segment, Window, joined

BEHIND = 192
"""Bytes after a record that are needed to detect whether the next record begins."""


QWHS_START = 7
"""Bytes of a QWHS that are examined to prove a record: its length and its count of triplets."""


@dataclass(frozen=True, slots=True)
class RecordSpan:
    """A record in its segments, up to `end`."""

    segments: list[Segment]
    end: int


@dataclass(frozen=True, slots=True)
class DamagedSpan:
    """Damage up to `end`; without an end it reaches further than the buffer."""

    end: int | None
    reason: str
    is_record: bool


def resolve(window: Window, start: int) -> RecordSpan | DamagedSpan:
    """Classify the bytes at `start`, where a record can begin after the previous one (or the start of the input).
    Raises NeedMoreData.
    """
    window.need(start + AHEAD)
    if window.skips and window.end_seen and _is_rest(window, start):
        return DamagedSpan(window.size, "prefix", False)
    wrong = window.check_block(start)
    if wrong:
        return DamagedSpan(start + wrong, "bad-bdw", False)
    result = _resolve(window, start)
    if isinstance(result, DamagedSpan) and not result.is_record:
        return _lost_short_head(window, start) or result
    return result


def _is_rest(window: Window, start: int) -> bool:
    """Whether all that is left is what follows a record, or a prefix with the length 0."""
    rest, pattern = bytes(window.view[start : window.size]), window.pattern
    return len(rest) == pattern.after or (len(rest) == pattern.before and not any(rest[1:]))


def _resolve(window: Window, start: int) -> RecordSpan | DamagedSpan:
    head = window.head(start)
    if head is None:
        return _no_head(window, start)
    if head.code >= 2:
        return _orphan(window, head)
    segments, end, is_open = _follow(window, head)
    window.need(end + BEHIND)
    if end > window.size or (is_open and end == window.size):
        return _cut_off(window, segments, is_open)
    if is_open:
        return _unfinished(window, segments)
    return _judge(window, segments)


def _follow(window: Window, head: Segment) -> tuple[list[Segment], int, bool]:
    """The segments of the record that begins with `head`, where they end, and whether a continuation is still missing
    there.
    """
    segments, total = [head], head.length
    if head.code == 0:
        return segments, head.end, False
    while total <= MAX_JOINED:
        following = window.continuation(segments[-1].end)
        if following is None:
            break
        segments.append(following)
        total += following.length - 4
        if following.code == 2:
            return segments, following.end, False
    return segments, segments[-1].end, True


def _claim(window: Window, segments: list[Segment]) -> tuple[int, int, bool]:
    """Length of a record by its triplets (0 unknown), its length by its segments, and whether it proves that one
    itself.
    """
    first = segments[0]
    if len(segments) == 1:
        data, base, limit = window.view, first.at, window.size
        own = first.length
    else:
        data, base = memoryview(joined(window, segments)), 0
        own = limit = len(data)
    expected = expected_length(data, base, limit)
    return expected, own, expected == own <= limit - base and proves_itself(data, base, own)


def _end_at(segments: list[Segment], length: int) -> int:
    """Where in the buffer a record of these segments would end if it were `length` long."""
    first, *rest = segments
    if length <= first.length or not rest:
        return first.at + length
    left = length - first.length
    for segment in rest:
        if left <= segment.length - 4 or segment is rest[-1]:
            return segment.at + 4 + left
        left -= segment.length - 4
    return segments[-1].end


def _strict_head(window: Window, segment: Segment) -> bool:
    front = window.front(segment)
    if len(front) >= 4 + HEADER_BYTES:
        return strict_header(front, 4)
    # Only a short first segment is left of the header: its flag byte has to suffice.
    return segment.code == 1 and len(front) > 4 and front[4] & 0x1F == 0x1E


def _is_mq(window: Window, segment: Segment) -> bool:
    front = window.front(segment)
    return len(front) > 5 and is_mq(front, 0)


def _earliest_next(first: Segment, strict: bool) -> int:
    """The earliest offset at which the next record can begin: after the flag byte of `first`, if it has a header.

    The rest of a header can be the descriptor of a record after a cut: its time and date then pass the strict test by
    chance.
    """
    return first.at + 5 if strict else first.start + 1


def _judge(window: Window, segments: list[Segment]) -> RecordSpan | DamagedSpan:
    """Accept a record that is complete by its own lengths, or reject it."""
    first, end = segments[0], segments[-1].end
    strict = _strict_head(window, first)
    expected, own, proven = _claim(window, segments)
    mq = _is_mq(window, first)
    sure = end == window.size or window.strict(end)
    # A record that begins inside shows that bytes of this one were lost, or that its length is wrong and swallows
    # others.
    doubt = end if proven or (sure and strict and not mq) else first.start
    if proven and not sure:
        doubt = _tail(window, segments)
    following = inner_start(window, first, end, doubt)
    if following is not None:
        if strict or mq:
            return DamagedSpan(following, "implausible-length", True)
        return _garbage(window, first.start)
    is_spanned = len(segments) > 1
    if proven or (sure and strict and not (mq and is_spanned)):
        return RecordSpan(segments, end)
    if sure or window.good(end):
        if mq and is_spanned:
            return DamagedSpan(end, "missing-segment", True)  # its segments need not be of one record
        orphan = window.continuation(end)
        if expected > own and orphan is not None:
            return DamagedSpan(_run_end(window, orphan), "bad-rdw", True)
        return RecordSpan(segments, end) if any(window.front(first)[4:14]) else _garbage(window, first.start)
    if not strict:
        return _garbage(window, first.start)
    if expected != own and 0 < expected <= MAX_JOINED:
        candidate = _end_at(segments, expected)
        window.need(candidate + 18)
        if candidate <= window.size and window.good(candidate):
            return DamagedSpan(candidate, "implausible-length", True)
    if mq:
        following, _ = window.scan(first.at + 18)
        return DamagedSpan(following if following is not None else _rest(window), "implausible-length", True)
    return RecordSpan(segments, end)


def _tail(window: Window, segments: list[Segment]) -> int:
    """Where in the buffer the last section of a proven record begins if it is the QWHS, else the end of the record.

    The place of the QWHS proves that no byte before it is missing, but not that all bytes after its start are there.
    """
    front = (
        bytes(joined(window, segments)[28:36])
        if len(segments) > 1
        else bytes(window.view[segments[0].at + 28 : segments[0].at + 36])
    )
    offset, length, _ = TRIPLET(front)
    is_last = offset + length == sum(each.length for each in segments) - 4 * (len(segments) - 1)
    return _end_at(segments, offset + QWHS_START) if is_last else segments[-1].end


def inner_start(window: Window, first: Segment, end: int, doubt: int) -> int | None:
    """Where a record begins inside the one from `first` to `end`; before `doubt`, and if its header lies after `end`,
    only a proven one.
    """
    at = _earliest_next(first, _strict_head(window, first))
    while at < end:
        candidate, _ = window.scan(at)
        if candidate is None or candidate >= end:
            return None
        head = window.head(candidate)
        if head is not None and head.at >= end:
            return None  # the last bytes look like a block descriptor of the record after the end
        # If the header lies after the end, the next record may have lost bytes of its RDW, and these are the last bytes
        # of this one.
        overlaps = head is not None and head.at + 4 >= end
        if (candidate >= doubt and not overlaps) or holds(window, candidate):
            return candidate
        at = candidate + 1
    return None


def holds(window: Window, start: int) -> bool:
    """Whether the record at `start` is proven: by a strict record (or the end) directly after it, by its own triplets,
    or by its segments.

    Random bytes do not make a strict header and a complete chain of segments: first, middle, last, each where the
    length before it leads.
    """
    head = window.head(start)
    if head is None or head.code >= 2:
        return False
    if not window.states_length and not expected_length(window.view, head.at, window.size):
        return False  # its length only shows where the next record begins, which proves nothing
    segments, end, is_open = _follow(window, head)
    window.need(end + BEHIND)
    if is_open or end > window.size:
        return False
    if end == window.size or window.strict(end):
        return True
    if not _is_mq(window, head):
        return len(segments) > 1 and _strict_head(window, head)
    return _claim(window, segments)[2]


def proven_by_segments(window: Window, start: int) -> int | None:
    """Where the record at `start` ends if it is whole, and its triplets end where its segments end and lead to a
    QWHS.
    """
    head = window.head(start)
    if head is None or head.code >= 2:
        return None
    segments, end, is_open = _follow(window, head)
    window.need(end)
    if is_open or end > window.size:
        return None
    return end if _claim(window, segments)[2] else None


def _rest(window: Window) -> int | None:
    """The end of damage with no record start after it in the buffer: the end of the input, or not known yet."""
    return window.size if window.end_seen else None


def _garbage(window: Window, start: int) -> DamagedSpan:
    """Nothing plausible at `start`: continue at the next record start. A header before it means that a record was
    there.
    """
    following, seen = window.scan(start + 1)
    return DamagedSpan(following if following is not None else _rest(window), "bad-rdw" if seen else "garbage", seen)


def _no_head(window: Window, start: int) -> DamagedSpan:
    """The framing at `start` is not valid."""
    if window.size - start < 14 + max(0, window.gap):
        return _left_over(window, start)
    at = window.lost_head(start)
    if at is None:
        return _garbage(window, start)
    for length in (expected_length(window.view, at, window.size), window.claims(at)):
        if 0 < length <= MAX_JOINED:
            candidate = at + length
            window.need(candidate + 18)
            if candidate <= window.size and window.good(candidate):
                return DamagedSpan(candidate, "bad-rdw", True)
    following, _ = window.scan(at + 14)
    return DamagedSpan(following if following is not None else _rest(window), "bad-rdw", True)


def _lost_short_head(window: Window, start: int) -> DamagedSpan | None:
    """A record whose first segment, too short for its header, has lost its RDW, if its header continues in a segment
    that follows soon.
    """
    for at in (start, start + (max(0, window.gap) or 4)):  # a block descriptor may precede it
        for length in range(5, 18):
            following = window.continuation(at + length)
            if following is None or window.view[at : at + 4] == bytes((0, length, 1, 0)):
                continue  # with its RDW the record is found by itself
            rest, _ = window.opening(following.at, 22 - length)
            header = bytes(window.view[at + 4 : at + length]) + rest[4:]
            if len(header) >= HEADER_BYTES and strict_header(header, 0):
                end = _run_end(window, following)
                window.need(end + BEHIND)
                if end <= window.size and window.good(end):
                    return DamagedSpan(end, "bad-rdw", True)
                candidate, _ = window.scan(following.at)
                return DamagedSpan(candidate if candidate is not None else _rest(window), "bad-rdw", True)
    return None


def _left_over(window: Window, start: int) -> DamagedSpan:
    """Less than a header is left at the end of the input: a truncated record, if the framing indicates one."""
    left = bytes(window.view[start + max(0, window.gap) : window.size])
    cut = (
        len(left) >= 4 and left[:2] != b"\0\0" and left[2] <= 3 and left[3] == 0 and left[0] << 8 | left[1] > len(left)
    )
    is_tail = window.size - start >= 4 or kinds_of(window.array[start : window.size])
    return DamagedSpan(window.size, "truncated" if cut or not is_tail else "garbage", cut)


def _run_end(window: Window, orphan: Segment) -> int:
    """Where the continuation segments of one record end, from the first of them that is there: at the latest where a
    record begins.

    A changed length may reach past the beginning of the next record into one of its segments.
    """
    last = orphan
    if orphan.code == 3 or _strict_head(window, orphan):
        for _ in range(4096):
            following = window.continuation(last.end)
            if following is None or _strict_head(window, following):
                break
            last = following
            if following.code == 2:
                break
    window.need(last.end + BEHIND)
    inner = inner_start(window, orphan, min(last.end, window.size), orphan.start)
    return last.end if inner is None else inner


def _orphan(window: Window, orphan: Segment) -> DamagedSpan:
    """A continuation segment without a record before it."""
    end = _run_end(window, orphan)
    window.need(end + BEHIND)
    if end <= window.size and window.good(end):
        return DamagedSpan(end, "orphan-segment", True)
    following, seen = window.scan(orphan.start + 1)
    candidate = following if following is not None else _rest(window)
    inside = candidate is None or orphan.end <= candidate
    if not (seen or inside):
        return DamagedSpan(candidate, "garbage", False)
    return DamagedSpan(candidate, "orphan-segment", True)


def _cut_off(window: Window, segments: list[Segment], is_open: bool) -> DamagedSpan:
    """The input ends before the record does, if its length is right."""
    first = segments[0]
    strict = _strict_head(window, first)
    whole = segments if segments[-1].end <= window.size else segments[:-1] or segments
    if strict:
        data_end = min(first.end, window.size)
        expected = expected_length(window.view, first.at, data_end) if len(whole) == 1 else _claim(window, whole)[0]
        if expected:
            candidate = _end_at(segments, expected)
            if (candidate < window.size and window.strict(candidate)) or (candidate == window.size and not is_open):
                return DamagedSpan(candidate, "implausible-length", True)
    following, seen = window.scan(_earliest_next(first, strict))
    if following is not None:
        return DamagedSpan(following, "missing-segment" if is_open else "implausible-length", strict or seen)
    if not strict and not _is_mq(window, first):
        return DamagedSpan(window.size, "bad-rdw" if seen else "garbage", seen)
    return DamagedSpan(window.size, "truncated", True)


def _unfinished(window: Window, segments: list[Segment]) -> DamagedSpan:
    """A first segment whose continuation does not follow."""
    first, end = segments[0], segments[-1].end
    strict = _strict_head(window, first)
    if not window.strict(end):
        # The continuation may be there with a wrong segment code.
        following = window.head(end)
        if following is not None and following.end <= window.size and following.code < 2:
            expected, own, _ = _claim(window, [*segments, following])
            if strict and expected == own and window.good(following.end):
                return DamagedSpan(following.end, "missing-segment", True)
    # Where bytes are lost, the last segment may swallow others.
    inner = inner_start(window, first, end, first.start)
    if inner is not None:
        return DamagedSpan(inner, "missing-segment", True)
    if window.good(end):
        return DamagedSpan(end, "missing-segment", True)
    candidate, seen = window.scan(_earliest_next(first, strict))
    return DamagedSpan(candidate if candidate is not None else _rest(window), "missing-segment", strict or seen)
