"""A real dump stretched over a day of many systems: its records again and again, with later clocks and other system
names.

The period of the dump is repeated until a day is full, once for each system. All clocks of headers and sections move
together, so intervals, tasks and connections keep their lengths; everything else, counters and names included, is as in
the dump.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from mqstat.fixtures.build import other_record
from mqstat.fixtures.bulk import sections_of
from mqstat.fixtures.shapes import START
from mqstat.parsers import LAYOUTS
from mqstat.parsers.framing import Framing
from mqstat.parsers.kit import StckTime
from mqstat.parsers.record import MQ_TYPES, NONE, written_us
from mqstat.parsers.walk import walk

DAY = 86_400_000_000
LONGEST = 32_756
"""Bytes of the longest record in one segment."""


def stretch(source: Path, target: Path, systems: int = 25, size: int | None = None) -> int:
    """Write a day of `systems` systems, or the first `size` bytes of it; return the size of the file."""
    records = [record for record in _records(source) if record[5] in MQ_TYPES and len(record) <= LONGEST]
    body = np.frombuffer(b"".join(records), np.uint8).copy()
    starts = np.cumsum([0, *map(len, records[:-1])])
    headers = body[starts[:, None] + np.arange(36)]
    written = written_us(headers)
    first, last = int(written[written != NONE].min()), int(written.max())
    period = -(-(last - first + 1_000_000) // 60_000_000) * 60_000_000
    offset = -(first % DAY)
    clocks = np.array([at for at in _clocks(records) if body[at]], np.int64)
    cells = clocks[:, None] + np.arange(8)
    stck = body[cells].view(">u8").reshape(-1).astype(np.uint64)
    total = target.open("wb")
    with total as file:
        done = file.write(other_record(2, 18, lpar="SYSX", written_local=START))
        for turn in range(int(DAY // period)):
            moved = offset + turn * period
            body[cells] = (stck + np.uint64((moved << 12) % (1 << 64))).astype(">u8").view(np.uint8).reshape(-1, 8)
            now = written + moved
            body[starts[:, None] + np.arange(6, 10)] = (now % DAY // 10_000).astype(">u4").view(np.uint8).reshape(-1, 4)
            body[starts[:, None] + np.arange(10, 14)] = _packed(now // DAY)
            for system in range(systems):
                body[starts[:, None] + np.arange(14, 18)] = np.frombuffer(f"SY{system:02d}".encode("cp037"), np.uint8)
                if size is not None and done + len(body) > size:
                    return done
                done += file.write(body.tobytes())
    return done


def _records(source: Path) -> list[bytes]:
    """The joined records of a dump, each with a descriptor word."""
    out = []
    for chunk in walk(io.BytesIO(source.read_bytes()), Framing.RDW):
        view = chunk.buffer.tobytes()
        for at, length in zip(chunk.base.tolist(), chunk.length.tolist(), strict=True):
            out.append(length.to_bytes(2, "big") + b"\0\0" + view[at + 4 : at + length])
    return out


def _clocks(records: list[bytes]) -> list[int]:
    """The offsets of all store clocks in the records, one after the other, those at the start of a task's correlator
    included.
    """
    out = set()
    for section in sections_of(records):
        for field in LAYOUTS[section.structure].named:
            if field.type is StckTime or field.sharing == "clock":
                out |= {
                    section.at + number * section.length + at
                    for number in range(section.count)
                    for _, at in field.elements
                    if at + 8 <= section.length
                }
    return sorted(out)


def _packed(days: np.ndarray[tuple[int], np.dtype[np.int64]]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """Days since 1970 as packed dates 0cyydddF."""
    dates = days.astype("datetime64[D]")
    years = dates.astype("datetime64[Y]")
    year, day = years.astype(np.int64) + 1970, (dates - years).astype(np.int64) + 1
    digits = [
        0 * year,
        (year - 1900) // 100,
        year // 10 % 10,
        year % 10,
        day // 100,
        day // 10 % 10,
        day % 10,
        0 * year + 15,
    ]
    return np.stack([digits[i] << 4 | digits[i + 1] for i in range(0, 8, 2)], axis=1).astype(np.uint8)
