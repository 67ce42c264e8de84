"""Chunks of records -> tables, in one process: read the headers, find the intervals, decode, write."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mqstat.intake.part import Job, PartResult, PartRunner, Writer
from mqstat.parsers import interval, record
from mqstat.parsers.interval import Facts, ResolvedIntervals
from mqstat.parsers.record import NONE
from mqstat.parsers.walk import Chunk

LOOK_AHEAD = 64 << 20
"""Distance within which the 115.1 after a 115.5, 115.6 or 115.7 is searched."""

LOOK_BACK = 64 << 20
"""Distance within which the 115.1 or 116.1 before a record is searched."""


class Horizon:
    """Chunks whose intervals are resolved as soon as the records around them are known."""

    def __init__(self) -> None:
        self._past: deque[Facts] = deque()
        self._waiting: deque[tuple[Any, Facts]] = deque()

    def push(self, item: Any, facts: Facts) -> None:
        """Take a chunk that waits for its intervals."""
        self._waiting.append((item, facts))

    def pop(self, *, ended: bool = False) -> Iterator[tuple[Any, ResolvedIntervals]]:
        """Chunks that can be resolved with what is known so far; `ended` = nothing follows."""
        while self._waiting:
            item, own = self._waiting[0]
            known = [*self._past, *(f for _, f in self._waiting)]
            resolved = interval.resolve(own, known)
            settled = (resolved.stub_start != NONE).all() and (resolved.more_start != NONE).all()
            settled = settled and interval.is_followed(own, known)
            if not ended and not settled and own.end + LOOK_AHEAD > known[-1].end:
                return
            self._waiting.popleft()
            self._past.append(own)
            while self._past[0].end + LOOK_BACK < own.end:
                self._past.popleft()
            yield item, resolved


def read_chunk(chunk: Chunk, number: int) -> record.Records:
    """Headers and own intervals of the records of a chunk, the first of which has this number."""
    r = record.read(chunk, number)
    interval.own_intervals(r)
    return r


def with_intervals(chunks: Iterable[Chunk]) -> Iterator[tuple[record.Records, ResolvedIntervals]]:
    """The records of chunks in order, each chunk as soon as its intervals are known."""
    horizon, number = Horizon(), 0
    for chunk in chunks:
        r = read_chunk(chunk, number)
        number += len(chunk.base)
        horizon.push(r, interval.facts(r))
        yield from horizon.pop()
    yield from horizon.pop(ended=True)


def stream(
    chunks: Iterable[Chunk],
    job: Job,
    stem: str,
    count: Callable[[int], None] | None = None,
    into: Writer | None = None,
) -> PartResult:
    """Decode chunks as they come; `count` is called with the number of decoded bytes, `into` takes the records instead
    of a writer of tables.
    """
    runner = PartRunner(job, stem, into)
    try:
        for r, resolved in with_intervals(chunks):
            runner.take(r, resolved)
            if count is not None:
                count(walked(r.chunk))
        return runner.close()
    except BaseException:
        runner.abandon()
        raise


def walked(chunk: Chunk) -> int:
    """Bytes of the input that a chunk covers."""
    return chunk.walked
