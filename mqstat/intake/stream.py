"""Chunks of records -> tables, in one process: read the headers, find the intervals, decode, write."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mqstat.intake.part import Job, PartResult, PartRunner, Writer
from mqstat.parsers import interval, record
from mqstat.parsers.framing import Framing
from mqstat.parsers.interval import Facts, ResolvedIntervals
from mqstat.parsers.record import NONE
from mqstat.parsers.walk import Chunk, walk
from mqstat.sources.source import Source

LOOK_AHEAD = 64 << 20
"""Distance within which the 115.1 after a 115.5, 115.6 or 115.7 is searched."""

LOOK_BACK = 64 << 20
"""Distance within which the 115.1 or 116.1 before a record is searched."""


NEAR = 1 << 20
"""Bytes before or after a range that are read first: most records without an interval are next to the one that has it."""


class Horizon:
    """Chunks whose intervals are resolved as soon as the records around them are known.

    before: the chunks before a range, the nearest first, which are not decoded with it; only as many as needed are read.
    """

    def __init__(self, before: Iterable[Chunk] = ()) -> None:
        self._before = iter(before)
        self._past: deque[Facts] = deque()
        self._waiting: deque[tuple[Any, Facts]] = deque()
        self._after: list[Facts] = []

    def is_waiting(self) -> bool:
        """Whether a chunk is still waiting for its intervals."""
        return bool(self._waiting)

    def after(self, chunk: Chunk) -> None:
        """Read the intervals of records after a range, which are not decoded with it."""
        self._after.append(interval.facts(read_chunk(chunk, 0)))

    def push(self, item: Any, facts: Facts) -> None:
        """Take a chunk that waits for its intervals."""
        self._waiting.append((item, facts))

    def pop(self, *, ended: bool = False) -> Iterator[tuple[Any, ResolvedIntervals]]:
        """Chunks that can be resolved with what is known so far; `ended` = nothing follows."""
        while self._waiting:
            item, own = self._waiting[0]
            known = [*self._past, *(f for _, f in self._waiting), *self._after]
            resolved = interval.resolve(own, known)
            if not interval.is_preceded(own, known, resolved, LOOK_BACK, ended=ended):
                earlier = next(self._before, None)
                if earlier is not None:
                    self._past.appendleft(interval.facts(read_chunk(earlier, 0)))
                    continue
            settled = (resolved.stub_start != NONE).all() and (resolved.more_start != NONE).all()
            settled = settled and interval.is_followed(own, known)
            if not ended and not settled and own.end + LOOK_AHEAD > known[-1].end:
                return
            self._waiting.popleft()
            self._past.append(own)
            while self._past[0].end + LOOK_BACK < own.end:
                self._past.popleft()
                self._before = iter(())
            yield item, resolved


def read_chunk(chunk: Chunk, number: int) -> record.Records:
    """Headers and own intervals of the records of a chunk, the first of which has this number."""
    r = record.read(chunk, number)
    interval.own_intervals(r)
    return r


def with_intervals(
    chunks: Iterable[Chunk], number: int = 0, before: Iterable[Chunk] = (), after: Iterable[Chunk] = ()
) -> Iterator[tuple[record.Records, ResolvedIntervals]]:
    """The records of chunks in order, each chunk as soon as its intervals are known.

    number: number of the first record; before, after: the chunks around a range of an input, the nearest first (`before_range`, `after_range`). Only as
    many of them as needed are read.
    """
    horizon = Horizon(before)
    for chunk in chunks:
        r = read_chunk(chunk, number)
        number += len(chunk.base)
        horizon.push(r, interval.facts(r))
        yield from horizon.pop()
    following = iter(after)
    while horizon.is_waiting() and (later := next(following, None)) is not None:
        horizon.after(later)
        yield from horizon.pop()
    yield from horizon.pop(ended=True)


def before_range(source: Source, framing: Framing, start: int) -> Iterator[Chunk]:
    """The chunks before an offset, the nearest first, each read when it is asked for; each is longer than those after it."""
    first, size = max(0, start - LOOK_BACK), NEAR
    while start > first:
        stop, start, size = start, max(first, start - size), 2 * size
        yield from reversed(list(part_of(source, framing, start, stop, LOOK_BACK)))


def after_range(source: Source, framing: Framing, stop: int | None) -> Iterator[Chunk]:
    """The chunks after an offset, each read when it is asked for; none after the end of the input (None)."""
    if stop is not None:
        yield from part_of(source, framing, stop, stop + LOOK_AHEAD, NEAR)


def part_of(source: Source, framing: Framing, start: int, stop: int | None, chunk_bytes: int) -> Iterator[Chunk]:
    """The chunks of a range of a source; `start` is the offset of a record, or any offset, from which the first record is searched."""
    with source.open(start) as reader:
        yield from walk(reader, framing, start=start, stop=stop, chunk_bytes=chunk_bytes)


def stream(
    chunks: Iterable[Chunk],
    job: Job,
    stem: str,
    count: Callable[[int], None] | None = None,
    into: Writer | None = None,
    number: int = 0,
    before: Iterable[Chunk] = (),
    after: Iterable[Chunk] = (),
) -> PartResult:
    """Decode chunks as they come; `count` is called with the number of decoded bytes, `into` takes the records instead of a writer of tables.

    number, before, after: of a range, as in `with_intervals`.
    """
    runner = PartRunner(job, stem, into)
    try:
        for r, resolved in with_intervals(chunks, number, before, after):
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
