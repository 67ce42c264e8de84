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


class Horizon:
    """Chunks whose intervals are resolved as soon as the records around them are known."""

    def __init__(self) -> None:
        self._past: deque[tuple[int, Facts]] = deque()
        self._waiting: deque[tuple[Any, Facts, int]] = deque()
        self._after: list[Facts] = []

    def is_waiting(self) -> bool:
        """Whether a chunk is still waiting for its intervals."""
        return bool(self._waiting)

    def before(self, chunks: Iterable[Chunk]) -> None:
        """Read the intervals of records before a range, which are not decoded with it."""
        known = [(walked(chunk), interval.facts(read_chunk(chunk, 0))) for chunk in chunks]
        end = -sum(size for size, _ in known)
        for size, facts in known:
            end += size
            self._past.append((end, facts))

    def after(self, chunk: Chunk) -> None:
        """Read the intervals of records after a range, which are not decoded with it."""
        self._after.append(interval.facts(read_chunk(chunk, 0)))

    def push(self, item: Any, facts: Facts, end: int) -> None:
        self._waiting.append((item, facts, end))

    def pop(self, reached: int | None) -> Iterator[tuple[Any, ResolvedIntervals]]:
        """Chunks that can be resolved once the walk has reached an offset (None = the end of the input)."""
        while self._waiting:
            item, own, end = self._waiting[0]
            known = [f for _, f in self._past] + [f for _, f, _ in self._waiting] + self._after
            resolved = interval.resolve(own, known)
            settled = (resolved.stub_start != NONE).all() and (resolved.more_start != NONE).all()
            settled = settled and interval.is_followed(own, known)
            if reached is not None and not settled and end + LOOK_AHEAD > reached:
                return
            self._waiting.popleft()
            self._past.append((end, own))
            while self._past and self._past[0][0] + LOOK_BACK < end:
                self._past.popleft()
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

    number: number of the first record; before, after: the chunks around a range of an input. Only as many as needed are read after it.
    """
    horizon = Horizon()
    reached = 0
    horizon.before(before)
    for chunk in chunks:
        r = read_chunk(chunk, number)
        number += len(chunk.base)
        reached += walked(chunk)
        horizon.push(r, interval.facts(r), reached)
        yield from horizon.pop(reached)
    if horizon.is_waiting():
        for chunk in after:
            horizon.after(chunk)
            reached += walked(chunk)
            yield from horizon.pop(reached)
            if not horizon.is_waiting():
                break
    yield from horizon.pop(None)


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
    return int(chunk.size.sum()) + sum(span.length for span in chunk.damage)
