"""Clocks and sequence numbers that a redaction moves, each by one amount: lengths of time, orders and gaps stay as they
are.
"""

from __future__ import annotations

import re

import numpy as np

from mqstat.base.errors import UsageError
from mqstat.parsers.columns import Bytes, Ints
from mqstat.parsers.kit import EPOCH_STCK_US
from mqstat.parsers.record import NONE, be, written_us
from mqstat.share.pseudonyms import Pseudonyms

HUNDREDTH = 10_000
DAY = 8_640_000 * HUNDREDTH
"""Microseconds. The time in the header of an SMF record counts hundredths of a second, so clocks move by a multiple of
them."""

_FURTHEST = 3_653
"""Days that clocks move at most: the store clock wraps in 2042."""

_WEEKS = (52, 520)
"""Clocks that move by the key go back by a year to ten, in weeks, so that hours and days of the week stay."""

NUMBERS = 1 << 31
"""Sequence numbers are moved by this and up to half of it more. Real ones are far below, so a number from here on was
moved."""

_OFFSET = re.compile(r"([+-]?)(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,9})(?:\.(\d{1,2}))?s)?", re.ASCII)

FLAGS = ("interval_continues", "extension_follows")
"""Columns of the flags of QWHSFLAG1."""

UNRELIABLE_FLAGS = "F7"
"""The resource manager of accounting class 3, whose first flag byte (QWHSFLAG1) is residual storage too."""


def offset_of(text: str, names: Pseudonyms) -> int:
    """The microseconds of an offset such as `-400d` or `3d7h20m5.25s`; `key` = whole weeks that follow from the key.
    UsageError for anything else.
    """
    if text == "key":
        first, last = _WEEKS
        return -7 * DAY * (first + int.from_bytes(names.digest("clocks", b"", 8), "big") % (last - first + 1))
    match = _OFFSET.fullmatch(text)
    if match is None or not any(match.groups()[1:]):
        raise UsageError(f"--shift {text} is not an offset; write -400d, 3d7h20m5.25s, or key.")
    sign, days, hours, minutes, seconds, hundredths = match.groups()
    whole = ((int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    us = (whole * 100 + int((hundredths or "0").ljust(2, "0"))) * HUNDREDTH
    if not 0 < us <= _FURTHEST * DAY:
        raise UsageError(f"--shift {text}: clocks move by 0.01 s to {_FURTHEST:,} days.")
    return -us if sign == "-" else us


def offset_text(us: int) -> str:
    """An offset as `offset_of` reads it."""
    days, rest = divmod(abs(us) // HUNDREDTH, DAY // HUNDREDTH)
    parts = [f"{days}d"] * bool(days)
    hours, rest = divmod(rest, 360_000)
    minutes, rest = divmod(rest, 6_000)
    parts += [f"{number}{unit}" for number, unit in ((hours, "h"), (minutes, "m")) if number]
    parts += [f"{rest / 100:.2f}s"] * bool(rest)
    return ("-" if us < 0 else "") + "".join(parts)


def store_clocks(cells: Bytes, us: int) -> Bytes:
    """Store clocks, uint8 (rows, 8), later by some microseconds; one that was never set, or leaves 1970 to 2042,
    becomes zero.
    """
    raw = np.ascontiguousarray(cells).view(">u8").ravel().astype(np.uint64)
    clock = (raw >> np.uint64(12)).astype(np.int64)
    moved = clock + us
    known = (clock >= EPOCH_STCK_US) & (moved >= EPOCH_STCK_US) & (moved < 1 << 52)
    low = raw & np.uint64(0xFFF)
    out = np.where(known, (np.where(known, moved, 0).astype(np.uint64) << np.uint64(12)) | low, np.uint64(0))
    return out.astype(">u8").view(np.uint8).reshape(-1, 8)


def header_times(cells: Bytes, us: int) -> Bytes:
    """Time and date of SMF headers, uint8 (rows, 8), later by some microseconds; what is not a time or date becomes
    zero.
    """
    written = written_us(np.concatenate([np.zeros((len(cells), 6), np.uint8), cells], axis=1))
    known = written != NONE
    day, rest = np.divmod(np.where(known, written + us, 0), DAY)
    date = day.astype("datetime64[D]")
    year = date.astype("datetime64[Y]").astype(np.int64) + 1970
    in_year = (date - date.astype("datetime64[Y]")).astype(np.int64) + 1
    digits = (year // 100 - 19) * 100_000 + year % 100 * 1_000 + in_year
    packed = np.zeros(len(cells), np.int64)
    for digit in range(6):
        packed |= digits // 10**digit % 10 << 4 * (digit + 1)
    packed |= 15
    out = np.stack([rest // HUNDREDTH, packed], axis=1)
    return np.where(known[:, None], out, 0).astype(">u4").view(np.uint8).reshape(-1, 8)


def sequence_offset(names: Pseudonyms, lpar: str, qmgr: str, kind: str = "") -> int:
    """The amount by which the sequence numbers of a queue manager on an LPAR move; kind: of one kind of record, which
    counts for itself.
    """
    digest = names.digest("sequence", "\0".join((lpar, qmgr, kind)).encode(), 8)
    return NUMBERS + int.from_bytes(digest, "big") % (NUMBERS // 2)


def kind_of(resource_manager: str, instrumentation_id: int | None) -> str:
    """The kind of record that QWHSISEQ counts: resource manager, as two digits, and instrumentation identifier."""
    return f"{resource_manager}/{instrumentation_id}"


def sequence_numbers(numbers: Ints, offsets: Ints) -> Ints:
    """Sequence numbers moved by the offset of each; zero, which is no number, remains."""
    return np.where(numbers == 0, 0, numbers + offsets & 0xFFFF_FFFF)


def headers(names: Pseudonyms, cells: Bytes, lpar: Ints, qmgr: Ints) -> Bytes:
    """Standard headers, uint8 (rows, 36 or more), with moved sequence numbers and without the flags that are residual
    storage.

    lpar, qmgr: the names of the record header, EBCDIC bytes as one number.
    """
    out = cells.copy()
    kinds = np.stack([lpar.astype(np.int64), qmgr.astype(np.int64), be(cells, 2, 4) & 0xFF_FFFF], axis=1)
    distinct, index = np.unique(kinds, axis=0, return_inverse=True)
    for at, with_kind in ((24, True), (28, False)):
        offsets = [
            sequence_offset(names, _name(system), _name(owner), _kind(kind) if with_kind else "")
            for system, owner, kind in distinct.tolist()
        ]
        moved = sequence_numbers(be(cells, at, 4), np.array(offsets, np.int64)[index.ravel()])
        out[:, at : at + 4] = moved.astype(">u4").view(np.uint8).reshape(-1, 4)
    out[cells[:, 3] == int(UNRELIABLE_FLAGS, 16), 32] = 0
    return out


def _name(number: int) -> str:
    return number.to_bytes(4, "big").decode("cp037").rstrip(" \0")


def _kind(number: int) -> str:
    low = number & 0xFFFF
    return kind_of(f"{number >> 16:02X}", low - (low >> 15 << 16))
