"""Which interval a record belongs to, if the record itself does not contain it.

Layout notes, section 6: 115.5, 6 and 7 take the interval of the 115.1 (else 115.2) of the same system and queue manager
that ends within a second of their header time (of several, such as the two in the hour when clocks go back, the one
that is nearest in the file), and the GMT offset of that record or of the nearest one of the system; 116.2 takes the
interval of the 116.1 with the same correlator and the nearest header time. In real dumps the 115.1 follows the 115.5,
so resolving an interval needs later records: each chunk gives `Facts`, and `resolve` is called when the neighbours on
both sides are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mqstat.parsers import field_of
from mqstat.parsers.columns import Ints, gather
from mqstat.parsers.kit import Field
from mqstat.parsers.record import DECODED, LONGEST_US, NONE, STUBS, Records, be, clock_us

SECOND = 1_000_000

Keys = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Facts:
    """The known intervals of one chunk, and the records without an interval; one element per record, in file order.
    `*_at` are offsets in the input.
    """

    start: int  # offsets that the chunk covers
    end: int
    stub_key: Keys  # system and queue manager of 115.5, 6, 7
    stub_at: Ints
    stub_written: Ints
    more_key: Keys  # system, queue manager and correlator of 116.2 (24 bytes)
    more_at: Ints
    more_written: Ints
    interval_key: Keys  # of 115.1 and 115.2
    interval_at: Ints
    interval_rank: Ints  # 0 = 115.1, 1 = 115.2
    interval_start: Ints  # local
    interval_us: Ints
    interval_offset: Ints  # minutes, when the record was written
    interval_start_offset: Ints  # minutes, at the start of the interval
    task_key: Keys  # of 116.1 (24 bytes)
    task_at: Ints
    task_written: Ints
    task_start: Ints  # UTC
    task_us: Ints
    offsets: tuple[tuple[int, int, int, int], ...]  # (lpar, offset minutes, first, last header time)


@dataclass(frozen=True)
class ResolvedIntervals:
    """Interval of each 115.5, 6, 7 (local start, length, GMT offset) and of each 116.2 (UTC start, length); NONE if
    there is no match.
    """

    stub_start: Ints
    stub_us: Ints
    stub_offset: Ints
    stub_start_offset: Ints
    more_start: Ints
    more_us: Ints


def _stub_rows(r: Records) -> Ints:
    return np.flatnonzero((r.smf_type == 115) & np.isin(r.subtype, STUBS) & (r.outcome == DECODED))


def _more_rows(r: Records) -> Ints:
    return np.flatnonzero((r.smf_type == 116) & (r.subtype == 2) & (r.outcome == DECODED))


def _owner(r: Records, rows: Ints) -> Keys:
    return (r.lpar[rows].astype(np.uint64) << np.uint64(32)) | r.qmgr[rows].astype(np.uint64)


_CONNECTION = (field_of("qwac", "connect_utc"), field_of("qwac", "disconnect_utc"))
_TASK = (field_of("wtas", "task_interval_start_utc"), field_of("wtas", "task_interval_end_utc"))
"""First and last time of what the accounting records 116.0 and 116.1 cover."""

_CORRELATOR = {name: field_of(name, "task_correlator") for name in ("wtas", "wq")}
"""The key that links the records of one task."""


def _cells(r: Records, rows: Ints, triplet: int, field: Field) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Bytes of a field in the first section of a triplet of the given records, and whether the section is there and
    long enough.
    """
    at, width = field.at, field.type.width
    position = np.full(len(r), -1, np.int64)
    chosen = (r.triplet_index == triplet) & (r.triplet_length >= at + width)
    position[r.triplet_record[chosen]] = r.triplet_at[chosen]
    there = position[rows] >= 0
    return gather(r.chunk.buffer, np.where(there, position[rows] + at, 0), width), there


def _task_key(r: Records, rows: Ints, structure: str) -> Keys:
    cells, there = _cells(r, rows, 2, _CORRELATOR[structure])
    key = np.concatenate(
        [
            _owner(r, rows).astype(">u8").view(np.uint8).reshape(-1, 8),
            np.where(there[:, None], cells, 0).astype(np.uint8),
        ],
        axis=1,
    )
    return np.ascontiguousarray(key).view("S24").reshape(-1)


def own_intervals(r: Records) -> None:
    """Fill in the intervals that accounting records contain: 116.0 from QWAC, 116.1 from WTAS."""
    for subtype, triplet, (first, last) in ((0, 1, _CONNECTION), (1, 2, _TASK)):
        rows = np.flatnonzero((r.smf_type == 116) & (r.subtype == subtype) & (r.outcome == DECODED))
        if not len(rows):
            continue
        (starts, _), (ends, has_end) = (_cells(r, rows, triplet, field) for field in (first, last))
        start = np.where(has_end, clock_us(be(starts, 0, 8)), NONE)
        end = np.where(has_end, clock_us(be(ends, 0, 8)), NONE)
        late = start > r.latest[rows]
        known = (start != NONE) & (end != NONE) & ~late
        length = np.where(known, end - start, 0)
        r.lost_start[rows], r.lost_length[rows] = (
            late,
            known & ((length < 0) | (length > LONGEST_US) | (end > r.latest[rows])),
        )
        r.interval_start[rows] = np.where(late, NONE, start)
        r.interval_us[rows] = np.where(known & ~r.lost_length[rows], length, NONE)


def facts(r: Records) -> Facts:
    """The facts of this chunk. Call `own_intervals` first."""
    stubs, more = _stub_rows(r), _more_rows(r)
    cut = np.flatnonzero(
        (r.smf_type == 115)
        & (r.subtype <= 2)
        & (r.subtype >= 1)
        & (r.record_start_local != NONE)
        & (r.record_us != NONE)
    )
    tasks = np.flatnonzero((r.smf_type == 116) & (r.subtype == 1) & (r.outcome == DECODED))
    damage = r.chunk.damage
    start = min([*r.chunk.offset[:1].tolist(), *(span.offset for span in damage[:1])], default=0)
    return Facts(
        start=start,
        end=start + r.chunk.walked,
        stub_key=_owner(r, stubs),
        stub_at=r.offset[stubs],
        stub_written=r.written[stubs],
        more_key=_task_key(r, more, "wq"),
        more_at=r.offset[more],
        more_written=r.written[more],
        interval_key=_owner(r, cut),
        interval_at=r.offset[cut],
        interval_rank=r.subtype[cut] - 1,
        interval_start=r.record_start_local[cut],
        interval_us=r.record_us[cut],
        interval_offset=r.offset_minutes[cut],
        interval_start_offset=np.where(
            r.interval_start[cut] == NONE, NONE, (r.record_start_local[cut] - r.interval_start[cut]) // 60_000_000
        ),
        task_key=_task_key(r, tasks, "wtas"),
        task_at=r.offset[tasks],
        task_written=r.written[tasks],
        task_start=r.interval_start[tasks],
        task_us=r.interval_us[tasks],
        offsets=_offset_spans(r),
    )


def _offset_spans(r: Records) -> tuple[tuple[int, int, int, int], ...]:
    rows = np.flatnonzero(r.offset_minutes != NONE)
    if not len(rows):
        return ()
    keys, inverse = np.unique(
        r.lpar[rows].astype(np.int64) * 4096 + (r.offset_minutes[rows] + 2048), return_inverse=True
    )
    written = r.written[rows]
    first = np.full(len(keys), np.iinfo(np.int64).max)
    last = np.full(len(keys), NONE)
    np.minimum.at(first, inverse, written)
    np.maximum.at(last, inverse, written)
    return tuple(
        (int(k) >> 12, (int(k) & 4095) - 2048, int(f), int(e)) for k, f, e in zip(keys, first, last, strict=True)
    )


def resolve(own: Facts, known: Sequence[Facts]) -> ResolvedIntervals:
    """Resolve the intervals of one chunk from the facts of its neighbourhood (which includes the chunk itself)."""
    return ResolvedIntervals(*_resolve_stubs(own, known), *_resolve_more(own, known))


def is_followed(own: Facts, known: Sequence[Facts]) -> bool:
    """Whether an interval of the same queue manager follows each 115.5, 6, 7 of a chunk among the facts: then no better
    match comes later.
    """
    after = next(number for number, f in enumerate(known) if f is own) + 1
    later = np.concatenate([own.interval_key[:0], *(f.interval_key for f in known[after:])])
    alone = ~np.isin(own.stub_key, later)
    if not alone.any():
        return True
    keys, inverse = np.unique(np.concatenate([own.interval_key, own.stub_key[alone]]), return_inverse=True)
    last = np.full(len(keys), -1, np.int64)
    count = len(own.interval_key)
    np.maximum.at(last, inverse[:count], own.interval_at)
    return bool((last[inverse[count:]] > own.stub_at[alone]).all())


def _resolve_stubs(own: Facts, known: Sequence[Facts]) -> tuple[Ints, Ints, Ints, Ints]:
    count = len(own.stub_key)
    start, length, offset, start_offset = (np.full(count, NONE) for _ in range(4))
    if not count:
        return start, length, offset, start_offset
    key = np.concatenate([f.interval_key for f in known])
    rank = np.concatenate([f.interval_rank for f in known])
    begin = np.concatenate([f.interval_start for f in known])
    us = np.concatenate([f.interval_us for f in known])
    minutes = np.concatenate([f.interval_offset for f in known])
    start_minutes = np.concatenate([f.interval_start_offset for f in known])
    position = np.concatenate([f.interval_at for f in known])
    # By the clock at the end, which is the one of the header times.
    changed = np.where((minutes == NONE) | (start_minutes == NONE), 0, minutes - start_minutes)
    end = begin + us + 60_000_000 * changed
    for wanted in (0, 1):
        have, open_ = np.flatnonzero(rank == wanted), np.flatnonzero((start == NONE) & (own.stub_written != NONE))
        near = _nearest(key[have], end[have], own.stub_key[open_], own.stub_written[open_])
        _prefer_neighbours(
            near,
            key[have],
            end[have],
            position[have],
            own.stub_key[open_],
            own.stub_written[open_],
            own.stub_at[open_],
        )
        good = near >= 0
        good[good] = np.abs(end[have][near[good]] - own.stub_written[open_[good]]) <= SECOND
        matching, of = have[near[good]], open_[good]
        start[of], length[of], offset[of], start_offset[of] = (
            begin[matching],
            us[matching],
            minutes[matching],
            start_minutes[matching],
        )
    spans = [span for f in known for span in f.offsets]
    for i in np.flatnonzero((offset == NONE) & (own.stub_written != NONE)).tolist():
        lpar, when = int(own.stub_key[i]) >> 32, int(own.stub_written[i])
        mine = [
            (max(first - when, when - last, 0), minutes_) for system, minutes_, first, last in spans if system == lpar
        ]
        if mine:
            offset[i] = min(mine)[1]
    return start, length, offset, start_offset


def _nearest(have_key: Keys, have_time: Ints, wanted_key: Keys, wanted_time: Ints) -> Ints:
    """For each wanted key the index of the fact with that key and the nearest time, -1 if no fact has the key."""
    best = np.full(len(wanted_key), -1, np.int64)
    if not len(have_key) or not len(wanted_key):
        return best
    _, ids = np.unique(np.concatenate([have_key, wanted_key]), return_inverse=True)
    times, ranks = np.unique(np.concatenate([have_time, wanted_time]), return_inverse=True)
    rank_key = ids.astype(np.int64) * (len(times) + 1) + ranks
    order = np.argsort(rank_key[: len(have_key)], kind="stable")
    right = np.searchsorted(rank_key[: len(have_key)][order], rank_key[len(have_key) :]).clip(0, len(order) - 1)
    distance = np.full(len(wanted_key), np.iinfo(np.int64).max)
    for candidate in (order[(right - 1).clip(0)], order[right]):
        away = np.abs(have_time[candidate] - wanted_time)
        better = (ids[candidate] == ids[len(have_key) :]) & (away < distance)
        best[better], distance[better] = candidate[better], away[better]
    return best


def _prefer_neighbours(
    near: Ints,
    have_key: Keys,
    have_time: Ints,
    have_position: Ints,
    wanted_key: Keys,
    wanted_time: Ints,
    wanted_position: Ints,
) -> None:
    """Where several facts have the key and are within a second of the time, take the one that is nearest in the file;
    `near` is changed.
    """
    order = np.lexsort((have_time, have_key))
    keys, times = have_key[order], have_time[order]
    close = np.flatnonzero((keys[1:] == keys[:-1]) & (np.diff(times) <= 2 * SECOND))
    if not len(close):
        return
    doubtful = np.isin(near, order[np.unique(np.concatenate([close, close + 1]))])
    for i in np.flatnonzero(doubtful).tolist():
        first, last = keys.searchsorted(wanted_key[i], "left"), keys.searchsorted(wanted_key[i], "right")
        mine, at = times[first:last], int(wanted_time[i])
        candidates = order[first:last][mine.searchsorted(at - SECOND, "left") : mine.searchsorted(at + SECOND, "right")]
        if len(candidates) > 1:
            near[i] = candidates[np.abs(have_position[candidates] - wanted_position[i]).argmin()]


def _resolve_more(own: Facts, known: Sequence[Facts]) -> tuple[Ints, Ints]:
    count = len(own.more_key)
    start, length = (np.full(count, NONE) for _ in range(2))
    if not count:
        return start, length
    begin = np.concatenate([f.task_start for f in known])
    us = np.concatenate([f.task_us for f in known])
    near = _nearest(
        np.concatenate([f.task_key for f in known]),
        np.concatenate([f.task_written for f in known]),
        own.more_key,
        own.more_written,
    )
    good = near >= 0
    start[good], length[good] = begin[near[good]], us[near[good]]
    return start, length


def apply(r: Records, resolved: ResolvedIntervals) -> None:
    """Write the resolved intervals into the records without one."""
    stubs, more = _stub_rows(r), _more_rows(r)
    r.offset_minutes[stubs] = resolved.stub_offset
    known = (resolved.stub_start != NONE) & (resolved.stub_start_offset != NONE)
    r.record_start_local[stubs] = resolved.stub_start
    r.interval_start[stubs] = np.where(
        known, resolved.stub_start - 60_000_000 * np.where(known, resolved.stub_start_offset, 0), NONE
    )
    r.interval_us[stubs] = resolved.stub_us
    r.interval_start[more], r.interval_us[more] = resolved.more_start, resolved.more_us
