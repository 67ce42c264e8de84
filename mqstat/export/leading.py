"""The leading columns of every row: time of the record, LPAR, queue manager, queue-sharing group, MQ version and, in
SMF 115, the interval.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mqstat.export.cells import Part, clock, decimal, fixed, join, put_date, text
from mqstat.parsers import field_of
from mqstat.parsers.columns import Bytes, Ints, gather
from mqstat.parsers.record import NONE, STUBS, Records, be

COLUMNS = ("Date", "Time", "LPAR", "QMgr", "QSG", "MQ_Version")
INTERVAL = ("Interval_Start (DATE)", "Interval_Start (TIME)", "Interval_Duration")
NO_INTERVAL = b'"","",-1,'
"""Interval cells of a row without an interval in a file that has the columns."""

_DAYS_BEFORE = np.array(
    [np.cumsum([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30]), np.cumsum([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30])]
)  # fmt: skip
_NO_GROUP = b'"....",'
_QSG, _LEVEL = field_of("qwhx", "header_qsg"), field_of("qwhx", "header_level")


@dataclass
class Leading:
    """Makes the leading columns of chunks in their order.

    With `bug_compatible`, a record 115.5, 115.6 or 115.7 of MQ 10 repeats the interval of the previous record of type
    115, as in the tool's output; otherwise it has no interval. The same records of older releases never have one.
    """

    bug_compatible: bool = False
    protect: bool = False
    _last: tuple[int, int] = field(default=(0, 0))

    def texts(self, r: Records) -> tuple[pa.Array, pa.Array, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """The columns of each record of a chunk: all but the interval, the interval, and whether there is one."""
        name = partial(text, protect=self.protect)
        header = gather(r.chunk.buffer, r.base, 28)
        qwhx = gather(r.chunk.buffer, np.maximum(r.qwhx_at, 0), 16)
        extended = r.qwhx_at >= 0
        plain: list[Part] = [fixed(_written(header)), b",", name(header[:, 14:18]), b",", name(header[:, 18:22]), b","]
        group = join([name(qwhx[:, _QSG.at : _QSG.end]), b","], len(r))
        release = name(header[:, 24:27])
        if extended.all():
            plain += [group, name(qwhx[:, _LEVEL.at : _LEVEL.end]), b","]
        elif not extended.any():
            plain += [_NO_GROUP, release, b","]
        else:
            has = pa.array(extended)
            level = name(qwhx[:, _LEVEL.at : _LEVEL.end])
            plain += [pc.if_else(has, group, pa.scalar(_NO_GROUP, pa.binary())), pc.if_else(has, level, release), b","]
        start, length = self._intervals(r)
        seconds = length.view(np.uint64) // np.uint64(1_000_000)
        slow = (r.smf_type == 115) & (r.subtype == 231)
        seconds = np.where(slow, seconds // np.uint64(4096), seconds)
        interval = join([clock(start.view(np.uint64)), b",", decimal(seconds), b","], len(r))
        return join(plain, len(r)), interval, start != 0

    def _intervals(self, r: Records) -> tuple[Ints, Ints]:
        """Start (STCK, zero if there is no interval) and raw length of the interval of each record."""
        statistics = r.smf_type == 115
        has = statistics & (r.start_raw != NONE) & (r.duration_raw != NONE)
        start, length = np.where(has, r.start_raw, 0), np.where(has, r.duration_raw, 0)
        if not self.bug_compatible or not len(r):
            return start, length
        # The tool resets the interval only at a type 115 record whose header it knows; at the longer stub of MQ 10 it
        # keeps the previous one.
        keeps = ~statistics | (np.isin(r.subtype, STUBS) & (r.header_length != 4) & (r.qwhs_length == 4))
        number = np.maximum.accumulate(np.where(keeps, -1, np.arange(len(r))))
        before = number < 0
        start = np.where(before, self._last[0], start[number])
        length = np.where(before, self._last[1], length[number])
        self._last = int(start[-1]), int(length[-1])
        return np.where(statistics, start, 0), length


def _written(header: Bytes) -> Bytes:
    """Local time of the record headers as characters of `"yyyy/mm/dd","hh:mm:ss,uuuuuu"`."""
    high, low = header[:, 10:14].astype(np.int64) >> 4, header[:, 10:14].astype(np.int64) & 15
    year = 1900 + 100 * low[:, 0] + 10 * high[:, 1] + low[:, 1]
    day = 100 * high[:, 2] + 10 * low[:, 2] + high[:, 3]
    before = _DAYS_BEFORE[((year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))).astype(np.int64)]
    month = np.maximum((before < day[:, None]).sum(axis=1), 1)
    hundredths = be(header, 6, 4)
    seconds = hundredths // 100
    hour = seconds // 3600 % 24
    rest = seconds - 3600 * hour
    out = np.empty((len(header), 30), np.uint8)
    out[:] = np.frombuffer(b'"0000/00/00","00:00:00,000000"', np.uint8)
    put_date(out, 1, year, month, day - np.take_along_axis(before, month[:, None] - 1, axis=1)[:, 0])
    for at, number in ((14, hour), (17, rest // 60 % 60), (20, rest % 60), (23, hundredths % 100)):
        out[:, at], out[:, at + 1] = ord("0") + number // 10, ord("0") + number % 10
    return out
