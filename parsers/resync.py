"""Where a record can begin: the strict SMF header test, at one offset and over a whole buffer, and the length that a
record should have.

Where:  SMF standard header (flag byte, record type, time, date) after the RDW; MQ triplets from offset 28 (RDW
included)
Manual: z/OS MVS System Management Facilities, "Standard SMF record header"

A header is strict when its flag byte carries the system bits that every z/OS sets, its time lies within a day and its
date is a packed day of a year. After a plausible RDW this is about 45 bits of evidence, so garbage never passes for a
record.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Index = NDArray[np.int64]

STUB = 0x00010180
"""What 115.5 to 115.7 have in place of a QWHS."""

HEADER_BYTES = 10
"""Flag, type, time and date: what the strict test looks at."""

MAX_JOINED = 64 << 20
"""Longest record joined from segments; more is not believed."""

_TIME_END = 24 * 3600 * 100 + 100
"""A record may carry a time just past midnight of its date: one second of slack, in hundredths."""

_MQ_FLAG = np.uint8(0x5E)
_BLOCK = 1 << 18
"""Bytes examined at once: what the processor's cache holds."""

_U16 = Struct(">H").unpack_from
_U32 = Struct(">I").unpack_from
TRIPLET, TRIPLETS = Struct(">IHH").unpack_from, Struct(">IHH").iter_unpack


def _day_table() -> bytes:
    """Which low halfwords of a packed date (dddF) name a day 1 to 366."""
    table = bytearray(65536)
    for day in range(1, 367):
        digits = day // 100 << 12 | day // 10 % 10 << 8 | day % 10 << 4
        table[digits | 0xF] = table[digits | 0xC] = 1
    return bytes(table)


def _year_table() -> bytes:
    """Which high halfwords of a packed date (0cyy) name a year 1900 to 2099."""
    table = bytearray(65536)
    for year in range(200):
        table[year // 100 << 8 | year // 10 % 10 << 4 | year % 10] = 1
    return bytes(table)


_DAY = _day_table()
_YEAR = _year_table()
_DAY_OK: Flags = np.frombuffer(_DAY, dtype=np.bool_)
_YEAR_OK: Flags = np.frombuffer(_YEAR, dtype=np.bool_)


def strict_header(data: Any, at: int) -> bool:
    """Whether a strict SMF header has its flag byte at `at`; ten bytes must be there."""
    return bool(
        data[at] & 0x1F == 0x1E
        and _U32(data, at + 2)[0] < _TIME_END
        and _YEAR[_U16(data, at + 6)[0]]
        and _DAY[_U16(data, at + 8)[0]]
    )


def found_header(data: Any, at: int) -> bool:
    """The strict test where a header is searched: years 1990 to 2099 only, because other bytes look like older
    dates.
    """
    return strict_header(data, at) and (data[at + 6] != 0 or data[at + 7] >= 0x90)


def weak_header(data: Any, at: int) -> bool:
    """Whether an unusual but possible header is there: no date, or a user record's own date, with a time within a
    day.
    """
    if not (data[at] or data[at + 1]) or _U32(data, at + 2)[0] >= _TIME_END:
        return False
    return bool(
        _U32(data, at + 6)[0] == 0
        or data[at + 1] >= 128
        or (_YEAR[_U16(data, at + 6)[0]] and _DAY[_U16(data, at + 8)[0]])
    )


def strict_rows(rows: Bytes) -> Flags:
    """The strict test over many headers at once; each row starts at a flag byte."""
    words = np.ascontiguousarray(rows[:, 2:10]).view(">u4")
    date = words[:, 1].astype(np.int64)
    matches: Flags = (rows[:, 0] & 0x1F) == 0x1E
    matches &= words[:, 0] < _TIME_END
    matches &= _YEAR_OK[date >> 16]
    matches &= _DAY_OK[date & 0xFFFF]
    return matches


def weak_rows(rows: Bytes) -> Flags:
    """The test of `weak_header` over many headers at once."""
    words = np.ascontiguousarray(rows[:, 2:10]).view(">u4")
    date = words[:, 1].astype(np.int64)
    matches: Flags = (rows[:, 0] | rows[:, 1]) != 0
    matches &= words[:, 0] < _TIME_END
    matches &= (date == 0) | (rows[:, 1] >= 128) | (_YEAR_OK[date >> 16] & _DAY_OK[date & 0xFFFF])
    return matches


def find_headers(buffer: Bytes, first: int, end: int) -> Index:
    """Indexes from `first` up to `end` (exclusive) where a strict header has its flag byte; ten bytes past `end` must
    be in the buffer.
    """
    if end <= first:
        return np.empty(0, dtype=np.int64)
    # Three scans of the bytes with the cheapest and most selective conditions leave few offsets for the exact test.
    likely = (buffer[first:end] & 0x1F) == 0x1E
    likely &= buffer[first + 2 : end + 2] == 0
    likely &= buffer[first + 6 : end + 6] <= 1
    at: Index = np.flatnonzero(likely) + first
    if at.size:
        rows = buffer[at[:, None] + np.arange(HEADER_BYTES)]
        at = at[_searched(rows)]
    return at


def _searched(rows: Bytes) -> Flags:
    """The test of `found_header` over many headers at once."""
    recent: Flags = (rows[:, 6] != 0) | (rows[:, 7] >= 0x90)
    return strict_rows(rows) & recent


def find_short(buffer: Bytes, first: int, end: int) -> Index:
    """Indexes from `first` up to `end` (exclusive) of what looks like the RDW of a first segment of 5 to 17 bytes, too
    short for a header.
    """
    if end <= first:
        return np.empty(0, dtype=np.int64)
    at: Index = np.flatnonzero(buffer[first + 2 : end + 2] == 1) + first
    length = buffer[at + 1]
    matches: Index = at[(buffer[at] == 0) & (buffer[at + 3] == 0) & (length >= 5) & (length < 18)]
    return matches


def find_inner(buffer: Bytes, first: int, end: int) -> Index:
    """Like `find_headers`, but only for the flag byte of MQ records, and fast enough to search every byte of an
    input.
    """
    matches = []
    spare = np.empty(_BLOCK, dtype=np.bool_)
    for at in range(first, end, _BLOCK):
        part = buffer[at : min(at + _BLOCK, end)]
        hits = np.flatnonzero(np.equal(part, _MQ_FLAG, out=spare[: len(part)]))
        if hits.size:
            hits += at
            hits = hits[(buffer[hits + 2] == 0) & (buffer[hits + 6] <= 1)]
            if hits.size:
                matches.append(hits)
    positions: Index = np.concatenate(matches) if matches else np.empty(0, dtype=np.int64)
    return positions[_searched(buffer[positions[:, None] + np.arange(HEADER_BYTES)])] if positions.size else positions


def is_mq(data: Any, base: int) -> bool:
    """Whether the record type at offset 5 is 115 or 116."""
    return data[base + 5] in (115, 116)


def expected_length(data: Any, base: int, limit: int) -> int:
    """Length that a record should have according to its triplets, including the first RDW; 0 if unknown.

    `base` is the index of layout offset 0, `limit` the end of the bytes that may be examined. MQ records: the highest
    end of a used triplet (equal to the true length in every record seen); dump header and trailer (types 2 and 3
    without subtypes): 18.
    """
    if base + 18 > limit:
        return 0
    kind = data[base + 5]
    if kind in (2, 3):
        return 0 if data[base + 4] & 0x40 else 18
    if kind not in (115, 116) or base + 36 > limit:
        return 0
    offset, length, count = TRIPLET(data, base + 28)
    if kind == 115 and 5 <= _U16(data, base + 22)[0] <= 7:
        triplets = 2
    elif count and offset >= 36 and base + offset + 7 <= limit and data[base + offset] == 0 and data[base + offset + 6]:
        triplets = data[base + offset + 6]
    else:
        triplets = 64
    # Section data follows the last triplet at once, so the lowest section also ends the triplets.
    highest, lowest = 0, 28 + 8 * 64
    at, end = base + 28, base + 28 + 8 * min(triplets, (limit - base - 28) // 8)
    for offset, length, count in TRIPLETS(data[at:end]):
        at += 8
        if at - base > lowest:
            break
        if count and length:
            if offset < 36:
                return 0
            if offset < lowest:  # noqa: PLR1730 - half of the time of damaged dumps were calls of min and max
                lowest = offset
            if offset + length * count > highest:  # noqa: PLR1730
                highest = offset + length * count
    return highest


def proves_itself(data: Any, base: int, length: int) -> bool:
    """Whether what an MQ record states of itself adds up to this length, all of which must be there.

    Triplet 0 leads to its QWHS (or stub), whose area is filled by parts that each begin with their length, and the
    sections of all triplets fill the record; only the channel initiator leaves room. Lost, inserted or changed bytes,
    and segments of two records, do not add up.
    """
    if not is_mq(data, base) or length < 44:
        return False
    at, area, count = TRIPLET(data, base + 28)
    if at < 36 or count != 1 or area < 4 or at + area > length:
        return False
    end, part, is_115, subtype = at + area, _U16(data, base + at)[0], data[base + 5] == 115, _U16(data, base + 22)[0]
    is_stub = is_115 and 5 <= subtype <= 7 and _U32(data, base + at)[0] == STUB
    if not is_stub and not 36 <= part <= area:
        return False
    triplets, part = (2, 4) if is_stub else (data[base + at + 6], part)
    filled, highest, width = 28 + 8 * triplets, 0, 0
    if filled > at:
        return False
    while part >= 4 and at + part + 4 <= end:
        at += part
        part = _U16(data, base + at)[0]
    for offset, width, count in TRIPLETS(data[base + 28 : base + filled]):
        filled += width * count
        highest = max(highest, offset + width * count if width * count else 0)
    if at + part != end or highest != length or (filled != length and not (is_115 and subtype == 231)):
        return False
    # A stub near the beginning does not show that the rest is in one piece: the last section does, which states its
    # length.
    return not is_stub or bool(count and width >= 4 and _U16(data, base + length - width + 2)[0] == width)
