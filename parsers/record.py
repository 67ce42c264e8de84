"""Records of a chunk as arrays: SMF header, standard headers in triplet 0, triplets, clocks and intervals.

Layout notes followed here: section 2 (triplets), 3 (record header), 4 (QWHS, QWHC and QWHX inside triplet 0), 5 (MQ
level), 6 (clocks and intervals). A record without a date, or whose triplets do not fit inside it, is damaged; an MQ
record of an unknown subtype is raw; 115.240 is internal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mqstat.parsers import LAYOUTS, field_of
from mqstat.parsers.columns import Bytes, Ints, gather
from mqstat.parsers.kit import EPOCH_STCK_US, Field
from mqstat.parsers.ledger import SKIPPED, Damage, Ledger
from mqstat.parsers.resync import STUB, strict_rows
from mqstat.parsers.walk import Chunk

NONE = np.iinfo(np.int64).min
"""Represents an absent value in the int64 arrays of this module; becomes null in Arrow."""

MQ_TYPES = (115, 116)
STUBS = (5, 6, 7)
"""Subtypes of 115 with a 4-byte stub in place of QWHS."""

INTERNAL = ((115, 240),)

MOST_TRIPLETS = 64
"""More than this in one record is not believed: the longest known has 12."""

LONGEST_US = 3_653 * 86_400_000_000
"""No interval or connection lasts ten years."""

_DAY = 86_400_000_000

INTERVAL_SUBTYPES = (1, 2, 201, 215, 216, 240)
"""Subtypes of 115 whose QWHSDURN is in plain microseconds; 115.231 and 116.10 use STCK units."""

DECODED, INTERNAL_RECORD, RAW, DAMAGED = 0, 1, 2, 3
OUTCOMES = ("decoded", "internal", "raw", "damaged")
REASONS = ("bad-triplet", "short-record", "bad-header")
"""Codes of damage found inside a record (sentences in `ledger.REASONS`)."""


def routes() -> dict[tuple[int, int], dict[int, str]]:
    """(type, subtype) -> {triplet index: structure}, from the layouts."""
    out: dict[tuple[int, int], dict[int, str]] = {}
    for layout in LAYOUTS.values():
        for smf_type, subtype, triplet in layout.routes:
            out.setdefault((smf_type, subtype), {})[triplet] = layout.name
    return out


ROUTES = routes()
KNOWN = frozenset(ROUTES)

_LEAST = {
    (smf_type << 32) | (subtype << 8) | triplet: LAYOUTS[name].least
    for (smf_type, subtype), by in ROUTES.items()
    for triplet, name in by.items()
}
_LEAST_KEYS = np.array(sorted(_LEAST), np.int64)
_LEAST_BYTES = np.array([_LEAST[key] for key in sorted(_LEAST)], np.int64)

INTERNAL_SECTIONS = frozenset({(115, 1, 4), (115, 1, 5)})
"""Sections that IBM does not document; kept as bytes."""


_LENGTH, _TRIPLETS = field_of("qwhs", "header_length"), field_of("qwhs", "triplets")
_STCK, _START, _DURATION = (
    field_of("qwhs", name) for name in ("header_stck_utc", "record_start_local", "record_duration")
)
_TYPE, _MANAGER, _IDENTIFIER, _SEQUENCE, _TRACE = (
    field_of("qwhs", name)
    for name in ("header_type", "resource_manager", "instrumentation_id", "instrumentation_sequence", "trace_sequence")
)
_QSG, _LEVEL = field_of("qwhx", "header_qsg"), field_of("qwhx", "header_level")
_QWHS_BYTES, _QWHC_BYTES, _QWHX_BYTES = (LAYOUTS[name].size for name in ("qwhs", "qwhc", "qwhx"))


def number_at(cells: Bytes, field: Field) -> Ints:
    """A number or clock of a section, of which each row has the first bytes, as `be` gives it."""
    return be(cells, field.at, field.type.width)


def be(cells: Bytes, at: int, width: int) -> Ints:
    """Big-endian unsigned number of 2, 4 or 8 bytes in each row as int64 (8-byte values keep their bits)."""
    if not len(cells):
        return np.zeros(0, np.int64)
    return np.ndarray((len(cells),), f">u{width}", cells, at, (cells.shape[1],)).astype(np.int64)


def text4(cells: Bytes, at: int, width: int = 4) -> np.ndarray[Any, Any]:
    """Four bytes of each row as one number, to compare and group names without decoding them."""
    if not len(cells):
        return np.zeros(0, np.uint32)
    return np.ndarray((len(cells),), f">u{width}", cells, at, (cells.shape[1],)).astype(np.uint32)


def packed_day(cells: Bytes, at: int) -> Ints:
    """Days since 1970 from a packed SMF date 0cyydddF; NONE where it is not a date."""
    b = cells[:, at : at + 4].astype(np.int64)
    digits = np.stack([b[:, 0] & 15, b[:, 1] >> 4, b[:, 1] & 15, b[:, 2] >> 4, b[:, 2] & 15, b[:, 3] >> 4], axis=1)
    year = 1900 + 100 * digits[:, 0] + 10 * digits[:, 1] + digits[:, 2]
    day = 100 * digits[:, 3] + 10 * digits[:, 4] + digits[:, 5]
    good = (digits <= 9).all(axis=1) & (day >= 1) & (day <= 366)
    first = (year - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return np.where(good, first + day - 1, NONE)


def written_us(cells: Bytes) -> Ints:
    """Local header time as microseconds since 1970; NONE where the date or time is not one."""
    day = packed_day(cells, 10)
    hundredths = be(cells, 6, 4)
    good = (day != NONE) & (hundredths <= 8_640_000)
    return np.where(good, day * 86_400_000_000 + hundredths * 10_000, NONE)


def clock_us(raw: Ints) -> Ints:
    """STCK value -> microseconds since 1970; NONE for zero and anything before 1970."""
    us = (raw.view(np.uint64) >> np.uint64(12)).astype(np.int64) - EPOCH_STCK_US
    return np.where(us >= 0, us, NONE)


def shift(values: Ints, by: Ints) -> Ints:
    """Sum of both, NONE where either is."""
    return np.where((values == NONE) | (by == NONE), NONE, values + by)


@dataclass
class Records:
    """All MQ records of one chunk, one element each, in file order; `number` counts records of every SMF type from the
    start of the input.

    Times are int64 microseconds since 1970, NONE if absent. `triplet_*` are parallel arrays over all used triplets but
    the first.
    """

    chunk: Chunk
    row: Ints  # index into the chunk's arrays
    number: Ints
    base: Ints
    length: Ints
    size: Ints
    offset: Ints
    segments: Ints
    smf_type: Ints
    subtype: Ints
    lpar: np.ndarray[Any, Any]  # EBCDIC bytes as one number
    qmgr: np.ndarray[Any, Any]
    release: Bytes  # three EBCDIC digits
    qsg: Bytes  # four EBCDIC bytes, zero without QWHX
    level: Ints  # VVRRMM
    written: Ints
    outcome: Ints
    reason: Ints  # index into REASONS, -1 when sound
    header_at: Ints  # index in buffer of triplet 0
    header_length: Ints
    qwhs_length: Ints
    qwhx_at: Ints  # -1 without
    stck: Ints  # raw, NONE when too short
    start_raw: Ints  # QWHSTIME raw, NONE when too short
    duration_raw: Ints
    manager: Ints  # resource manager; this and the next three also of a damaged record whose standard header is sound
    identifier: Ints
    sequence: Ints
    trace: Ints
    offset_minutes: Ints
    record_start_local: Ints
    record_us: Ints
    triplet_record: Ints  # row of this class
    triplet_index: Ints
    triplet_at: Ints  # index in buffer
    triplet_length: Ints
    triplet_count: Ints
    others: list[tuple[int, int, int, int, int, int]]  # (lpar, type, records, bytes, first, last) of other types
    interval_start: Ints  # UTC
    interval_us: Ints
    latest: Ints  # no time in the record can be later than this, on any clock
    lost_start: np.ndarray[Any, Any]  # whether the start of the interval was impossible and is therefore NONE
    lost_length: np.ndarray[Any, Any]  # the same of its length

    def __len__(self) -> int:
        return len(self.row)


_IN_BUFFER = frozenset({"base", "header_at", "triplet_at"})
"""Columns that are indexes in the buffer of a chunk; `qwhx_at` is -1 without the section."""


def joined(several: Sequence[Records]) -> Records:
    """The records of several inputs as those of one chunk, in this order; the counts of other record types and damage
    are left out.
    """
    starts = np.cumsum([0, *(len(r.chunk.buffer) for r in several)])
    firsts = np.cumsum([0, *(len(r) for r in several)])
    columns: dict[str, Any] = {}
    for each in fields(Records):
        if each.name in ("chunk", "row", "others"):
            continue
        moved = [getattr(r, each.name) for r in several]
        if each.name in _IN_BUFFER:
            moved = [values + start for values, start in zip(moved, starts, strict=False)]
        elif each.name == "qwhx_at":
            moved = [np.where(values < 0, values, values + start) for values, start in zip(moved, starts, strict=False)]
        elif each.name == "triplet_record":
            moved = [values + first for values, first in zip(moved, firsts, strict=False)]
        columns[each.name] = np.concatenate(moved)
    none = np.empty(0, np.int64)
    chunk = Chunk(np.concatenate([r.chunk.buffer for r in several]), none, none, none, none, none, [])
    return Records(chunk=chunk, row=np.arange(firsts[-1]), others=[], **columns)


def read(chunk: Chunk, first_number: int) -> Records:
    """Read headers and triplets of all records of a chunk. `first_number` is the number of its first record in the
    input.
    """
    buffer = chunk.buffer
    header = gather(buffer, chunk.base, 36)
    smf_type = header[:, 5].astype(np.int64)
    extended = (smf_type == 126) & (header[:, 4] & 0x60 == 0x60)
    is_mq = ((smf_type == 115) | (smf_type == 116)) & ~extended
    others = _count_others(header[~is_mq], smf_type[~is_mq], chunk, ~is_mq)
    row = np.flatnonzero(is_mq)
    header = header[row]
    count = len(row)
    base, length = chunk.base[row], chunk.length[row]
    smf_type, subtype = smf_type[row], be(header, 22, 2)
    outcome, reason = np.zeros(count, np.int64), np.full(count, -1, np.int64)
    short = length < 28
    subtype = np.where(short, NONE, subtype)
    key = smf_type * 65536 + np.where(short, 0, subtype)
    known = np.isin(key, [t * 65536 + s for t, s in KNOWN]) & ~short
    internal = np.isin(key, [t * 65536 + s for t, s in INTERNAL]) & ~short
    outcome[~known] = RAW
    outcome[internal] = INTERNAL_RECORD
    _damage(outcome, reason, short, 1)
    _damage(outcome, reason, ~strict_rows(header[:, 4:14]), 2)
    stub = (smf_type == 115) & np.isin(subtype, STUBS)

    header_offset, header_length, header_count = be(header, 28, 4), be(header, 32, 2), be(header, 34, 2)
    fits = (
        (length >= 36)
        & (header_count > 0)
        & (header_length >= 4)
        & (header_offset >= 36)
        & (header_offset + header_length <= length)
    )
    _damage(outcome, reason, known & (length < 36), 1)
    _damage(outcome, reason, known & ~fits & (outcome != DAMAGED), 0)
    header_at = base + np.where(fits, header_offset, 0)
    qwhs = gather(buffer, header_at, _QWHS_BYTES)
    own = number_at(qwhs, _LENGTH)
    qwhs_length = np.where(fits, np.minimum(np.where(own == 1, 4, own), header_length), 0)
    qwhs_length[~np.isin(qwhs_length, (4, *LAYOUTS["qwhs"].sizes)) & ~fits] = 0
    triplets = np.where(stub, 2, qwhs[:, _TRIPLETS.at].astype(np.int64))
    invalid = (
        known
        & fits
        & (outcome != DAMAGED)
        & np.where(
            stub,
            be(qwhs, 0, 4) != STUB,
            (triplets < 1) | (triplets > MOST_TRIPLETS) | (own < min(LAYOUTS["qwhs"].sizes)) | (own > header_length),
        )
    )
    _damage(outcome, reason, invalid, 2)
    _damage(outcome, reason, known & (outcome != DAMAGED) & (28 + 8 * triplets > length), 0)
    qwhx_at, qwhx, wrong = _qwhx(buffer, header_at, header_length, qwhs_length, outcome, smf_type, subtype)
    _damage(outcome, reason, wrong, 2)
    triplets = np.where(outcome == DECODED, triplets, 0)
    t_record, t_index, t_at, t_length, t_count = _triplets(
        buffer, base, length, triplets, outcome, reason, smf_type, subtype
    )

    def in_header(field: Field) -> Ints:
        return np.where((outcome != DAMAGED) & (qwhs_length >= field.end), number_at(qwhs, field), NONE)

    stck, start_raw, duration_raw = in_header(_STCK), in_header(_START), in_header(_DURATION)
    # Of a damaged record the header is believed if it has a length and a type of its own; a stub has no such fields.
    is_sound = fits & np.isin(own, LAYOUTS["qwhs"].sizes) & (qwhs[:, _TYPE.at] == 1)
    has_numbers = np.where(outcome == DAMAGED, is_sound, qwhs_length >= _TRACE.end)

    def numbers(field: Field, width: int) -> Ints:
        return np.where(has_numbers, be(qwhs, field.at, width), NONE)

    manager = np.where(has_numbers, qwhs[:, _MANAGER.at].astype(np.int64), NONE)
    identifier, sequence, trace = numbers(_IDENTIFIER, 2), numbers(_SEQUENCE, 4), numbers(_TRACE, 4)
    qwhx_at = np.where(outcome == DAMAGED, -1, qwhx_at)
    written = np.where(short, NONE, written_us(header))
    release = header[:, 24:27]
    offset_minutes = _offset_minutes(written, stck)
    slow = ((smf_type == 115) & (subtype == 231)) | ((smf_type == 116) & (subtype == 10))
    timed = slow | ((smf_type == 115) & np.isin(subtype, INTERVAL_SUBTYPES))
    record_us = np.where(
        (duration_raw == NONE) | ~timed,
        NONE,
        np.where(slow, duration_raw.view(np.uint64) >> np.uint64(12), duration_raw.view(np.uint64)).astype(np.int64),
    )
    utc = np.where(stck == NONE, NONE, clock_us(np.where(stck == NONE, 0, stck)))
    latest, earliest = _bounds(written, utc)
    record_start_local = np.where((start_raw == NONE) | ~timed, NONE, clock_us(start_raw))
    lost_start, lost_length = _impossible(
        record_start_local, record_us, timed & (duration_raw != NONE), latest, earliest
    )
    record_us = np.where(lost_length, NONE, record_us)
    record_start_local = np.where(lost_start, NONE, record_start_local)
    start_offset = _start_offset(record_start_local, record_us, utc, offset_minutes)
    interval_start = shift(record_start_local, np.where(start_offset == NONE, NONE, -60_000_000 * start_offset))
    return Records(
        chunk=chunk, row=row, number=first_number + row, base=base, length=length, size=chunk.size[row], offset=chunk.offset[row],
        segments=chunk.segments[row], smf_type=smf_type, subtype=subtype, lpar=text4(header, 14), qmgr=np.where(short, 0, text4(header, 18)),
        release=release, qsg=qwhx[:, _QSG.at : _QSG.end], level=_levels(release, qwhx, qwhx_at), written=written, outcome=outcome, reason=reason,
        header_at=header_at, header_length=header_length, qwhs_length=np.where(outcome == DAMAGED, 0, qwhs_length), qwhx_at=qwhx_at, stck=stck,
        start_raw=start_raw, duration_raw=duration_raw, manager=manager, identifier=identifier, sequence=sequence, trace=trace,
        offset_minutes=offset_minutes, record_start_local=record_start_local,
        record_us=record_us, triplet_record=t_record, triplet_index=t_index, triplet_at=t_at, triplet_length=t_length, triplet_count=t_count,
        others=others, interval_start=interval_start, interval_us=record_us.copy(), latest=latest, lost_start=lost_start, lost_length=lost_length,
    )  # fmt: skip


def count_into(ledger: Ledger, r: Records, first_record_id: int = 0) -> list[tuple[Damage, int | None]]:
    """Count every record and damaged span of a chunk; returns its damage (`damage_of`)."""
    for _, _, count, size, _, _ in r.others:
        ledger.add_class("other_types", count, size)
    for code, name in enumerate(OUTCOMES):
        mine = r.outcome == code
        if mine.any():
            ledger.add_class(name, int(mine.sum()), int(r.size[mine].sum()))
    damaged = damage_of(r, first_record_id)
    ledger.add_damage([span for span, record_id in damaged if record_id is not None], counted=True)
    ledger.add_damage(r.chunk.damage)
    ledger.skip(r.chunk.skip_reason, int(r.chunk.skipped.sum()))
    return damaged


def damage_of(r: Records, first_record_id: int) -> list[tuple[Damage, int | None]]:
    """The damage of a chunk in the order of the input; damage inside a record comes with its record id, of equal
    neighbours that of the first.
    """
    at = np.flatnonzero(r.outcome == DAMAGED)
    offset, size, reason, number = r.offset[at], r.size[at], r.reason[at], r.number[at]
    differs = (np.diff(offset) != size[:-1]) | (np.diff(size) != 0) | (np.diff(reason) != 0)
    first = np.flatnonzero(np.concatenate([np.ones(min(1, len(at)), bool), differs]))
    inside = [
        (Damage(start, spans * length, REASONS[code], True, spans), first_record_id + own)
        for start, length, code, own, spans in zip(
            *(values[first].tolist() for values in (offset, size, reason, number)), np.diff(first, append=len(at)).tolist(), strict=True
        )
    ]  # fmt: skip
    between = ((span, None) for span in r.chunk.damage if span.reason not in SKIPPED)
    return sorted([*between, *inside], key=lambda item: item[0].offset)


def _bounds(written: Ints, utc: Ints) -> tuple[Ints, Ints]:
    """The latest and the earliest time that a record can contain: a day after and before its two times of writing.

    A day covers every difference of local time from GMT. Where neither time is known there is no limit.
    """
    known, furthest = np.maximum(written, utc), np.iinfo(np.int64).max
    first = np.minimum(np.where(written == NONE, furthest, written), np.where(utc == NONE, furthest, utc))
    return np.where(known == NONE, furthest, known + _DAY), np.where(first == furthest, NONE, first - _DAY)


def _impossible(
    start: Ints, us: Ints, timed: np.ndarray[Any, Any], latest: Ints, earliest: Ints
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Which interval starts and lengths are impossible: an interval ends when its record is written, and none lasts ten
    years.
    """
    long = timed & ((us < 0) | (us > LONGEST_US))
    end = shift(start, np.where(long, NONE, us))
    lost_start = (start != NONE) & ((start > latest) | ((end != NONE) & (end < earliest)))
    return lost_start, long | ((end != NONE) & ~lost_start & (end > latest))


def _start_offset(start: Ints, us: Ints, utc: Ints, offset_minutes: Ints) -> Ints:
    """Local time minus GMT at the start of the interval: that of the header, unless clocks changed by an hour or half
    an hour in between.
    """
    end = shift(start, us)
    known = (end != NONE) & (utc != NONE) & (offset_minutes != NONE)
    minutes = 15 * np.rint(np.where(known, end - utc, 0) / 9e8).astype(np.int64)
    changed = np.abs(minutes - offset_minutes)
    return np.where(known & ((changed == 30) | (changed == 60)), minutes, offset_minutes)


def _damage(outcome: Ints, reason: Ints, where: np.ndarray[Any, Any], code: int) -> None:
    fresh = where & (outcome != DAMAGED)
    outcome[fresh] = DAMAGED
    reason[fresh] = code


def _least(smf_type: Ints, subtype: Ints, index: int) -> Ints:
    """The shortest accepted length of a section in triplet `index` of each record; 1 where the structure is not
    known.
    """
    key = (smf_type << 32) | (subtype << 8) | index
    entry = np.searchsorted(_LEAST_KEYS, key).clip(0, len(_LEAST_KEYS) - 1)
    return np.where(_LEAST_KEYS[entry] == key, _LEAST_BYTES[entry], 1)


def _triplets(
    buffer: Bytes, base: Ints, length: Ints, triplets: Ints, outcome: Ints, reason: Ints, smf_type: Ints, subtype: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Used triplets of all sound records; marks records as damaged whose sections reach outside, overlap, or are too
    short for their structure.

    This limits the number of rows by the bytes of the record.
    """
    claimed = np.zeros(len(outcome), np.int64)
    out: list[tuple[Ints, Ints, Ints, Ints, Ints]] = []
    for index in range(1, int(triplets.max(initial=0))):
        rows = np.flatnonzero(triplets > index)
        cells = gather(buffer, base[rows] + 28 + 8 * index, 8)
        at, width, count = be(cells, 0, 4), be(cells, 4, 2), be(cells, 6, 2)
        used = (count > 0) & (width > 0)
        claimed[rows] += width * count
        outside = used & ((at < 28 + 8 * triplets[rows]) | (at + width * count > length[rows]))
        outside |= used & ((width < _least(smf_type[rows], subtype[rows], index)) | (claimed[rows] > length[rows]))
        marks = np.zeros(len(outcome), bool)
        marks[rows[outside]] = True
        _damage(outcome, reason, marks, 0)
        keep = used & ~outside
        rows = rows[keep]
        out.append((rows, np.full(len(rows), index), base[rows] + at[keep], width[keep], count[keep]))
    if not out:
        empty = np.zeros(0, np.int64)
        return empty, empty, empty, empty, empty
    parts = [np.concatenate([o[i] for o in out]) for i in range(5)]
    sound = outcome[parts[0]] != DAMAGED
    return parts[0][sound], parts[1][sound], parts[2][sound], parts[3][sound], parts[4][sound]


def _qwhx(
    buffer: Bytes, header_at: Ints, header_length: Ints, qwhs_length: Ints, outcome: Ints, smf_type: Ints, subtype: Ints
) -> tuple[Ints, Bytes, np.ndarray[Any, Any]]:
    """Offset of QWHX (-1 without) and its bytes, where the header area is longer than its known parts by QWHX, and
    which decoded records lack it there.

    It begins with 00101000 and has a level; if not, bytes before it or in it were lost or inserted.
    """
    known_parts = qwhs_length + np.where((smf_type == 116) & np.isin(subtype, (0, 1, 2)), _QWHC_BYTES, 0)
    longer = (outcome != DAMAGED) & (qwhs_length > 0) & (header_length == known_parts + _QWHX_BYTES)
    at = np.where(longer, header_at + header_length - _QWHX_BYTES, 0)
    cells = gather(buffer, at, _QWHX_BYTES)
    there = longer & (be(cells, 0, 4) == 0x00101000)
    wrong = longer & (outcome == DECODED) & ~(there & _are_digits(cells[:, _LEVEL.at : _LEVEL.end]))
    cells = np.where(there[:, None], cells, 0).astype(np.uint8)
    return np.where(there, at, -1), cells, wrong


def _are_digits(cells: Bytes) -> np.ndarray[Any, Any]:
    """Whether all bytes of each row are digits in EBCDIC."""
    return np.asarray(((cells >= 0xF0) & (cells <= 0xF9)).all(axis=1))


def _levels(release: Bytes, qwhx: Bytes, qwhx_at: Ints) -> Ints:
    """MQ level as VVRRMM: QWHXREL when there is a QWHX, else from the three digits of the record header."""
    header = (release & 15).astype(np.int64)
    old = np.where(_are_digits(release), header[:, 0] * 10_000 + header[:, 1] * 100 + header[:, 2], 0)
    level_digits = qwhx[:, _LEVEL.at : _LEVEL.end]
    good = _are_digits(level_digits) & (qwhx_at >= 0)
    new = ((level_digits & 15).astype(np.int64) * np.array([100_000, 10_000, 1_000, 100, 10, 1])).sum(axis=1)
    return np.where(good, new, old)


def _offset_minutes(written: Ints, stck: Ints) -> Ints:
    """Local time minus GMT, rounded to 15 minutes; NONE if it is unknown or beyond a day."""
    utc = np.where(stck == NONE, NONE, clock_us(np.where(stck == NONE, 0, stck)))
    difference = np.where((written == NONE) | (utc == NONE), 0, written - utc)
    quarters = np.rint(difference / 9e8).astype(np.int64)
    good = (written != NONE) & (utc != NONE) & (np.abs(quarters) <= 96)
    return np.where(good, 15 * quarters, NONE)


def _count_others(
    header: Bytes, smf_type: Ints, chunk: Chunk, chosen: np.ndarray[Any, Any]
) -> list[tuple[int, int, int, int, int, int]]:
    if not len(header):
        return []
    sizes, lengths = chunk.size[chosen], chunk.length[chosen]
    real = smf_type.copy()
    long_form = (smf_type == 126) & (header[:, 4] & 0x60 == 0x60) & (lengths >= 56)
    if long_form.any():
        real[long_form] = be(gather(chunk.buffer, chunk.base[chosen][long_form] + 52, 2), 0, 2)
    lpar = np.where(lengths >= 18, text4(header, 14), 0x40404040)
    when = written_us(header)
    keys, inverse = np.unique(lpar.astype(np.int64) * 65536 + real, return_inverse=True)
    out = []
    for i, key in enumerate(keys.tolist()):
        mine = inverse == i
        dated = when[mine & (when != NONE)]
        first, last = (int(dated.min()), int(dated.max())) if len(dated) else (NONE, NONE)
        out.append((key >> 16, key & 65535, int(mine.sum()), int(sizes[mine].sum()), first, last))
    return out
