"""Chunks of one input -> several worker processes, each of which decodes and writes its own tables.

The main process reads and walks the input once, whatever its framing or compression, reads the headers and finds the
intervals. The bytes of a chunk lie in memory that all processes share; each worker gets the records of every chunk and
decodes the structures assigned to it. So each table is written by one process, in the order of the input, into one file
for each day, as by a single process. The memory that is shared is limited, and the main process waits while it is in
use.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np

from mqstat.intake import shared_memory
from mqstat.intake.part import Accounts, Job, PartResult, TableWriter
from mqstat.intake.shared_memory import MOST_WRITERS, Shared, Slots
from mqstat.intake.stream import stream, walked, with_intervals
from mqstat.intake.workers import Progress, Workers
from mqstat.parsers import LAYOUTS
from mqstat.parsers.batch import section_bytes
from mqstat.parsers.framing import Framing
from mqstat.parsers.record import Records
from mqstat.parsers.resync import Bytes
from mqstat.parsers.walk import Chunk, walk
from mqstat.sources.source import Source

ROW_BYTES, RECORD_BYTES = 60, 230
"""Work of a row, and of a row of table record with its hash, as the number of section bytes that take as long to decode
and write."""


@dataclass(frozen=True)
class Portion:
    """The records of a chunk for one worker: `keep` = mask of those to decode (None = all), `only` = structures to
    decode.

    The bytes are in a slot, or in `content` if they are in none.
    """

    number: int
    records: Records
    slot: int | None
    size: int
    content: Bytes | None
    keep: np.ndarray[Any, Any] | None
    only: frozenset[str]

    def opened(self, slots: Slots) -> Records:
        """The records with the bytes of their chunk."""
        content = self.content if self.slot is None else slots.view(self.slot, self.size)
        return replace(self.records, chunk=bare(self.records.chunk, content))


def bare(chunk: Chunk, content: Any) -> Chunk:
    """The chunk with these bytes and without the arrays that decoding does not need."""
    none = np.empty(0, np.int64)
    return Chunk(content, none, none, none, none, none, [])


class Shares:
    """Which worker decodes which structure: the heaviest first, each to the worker with the least work so far.

    An assignment is never changed, because the worker has the file of the table open.
    """

    def __init__(self, workers: int) -> None:
        self._of: dict[str, int] = {}
        self._work = [0.0] * workers

    def assign(self, work: Mapping[str, float]) -> list[frozenset[str]]:
        """The structures of each worker in a chunk, from the work that each structure makes there."""
        for name, amount in work.items():
            if name in self._of:
                self._work[self._of[name]] += amount
        for name, amount in sorted(work.items(), key=lambda item: -item[1]):
            if name not in self._of:
                self._of[name] = least = self._work.index(min(self._work))
                self._work[least] += amount
        return [frozenset(name for name in work if self._of[name] == worker) for worker in range(len(self._work))]


def work_of(r: Records, wanted: Iterable[str] | None) -> dict[str, float]:
    """The work that each structure of a chunk makes, as a number of bytes; `wanted` = the tables that are needed (None
    = all).
    """
    work: dict[str, float] = {name: size + rows * ROW_BYTES for name, (rows, size) in section_bytes(r).items()}
    work |= {"record": RECORD_BYTES * len(r), "raw_bytes": 1.0}
    if wanted is None:
        return work
    names = set(wanted)
    children = {name: {name, *(child.name for child in layout.children)} for name, layout in LAYOUTS.items()}
    return {name: amount for name, amount in work.items() if names & children.get(name, {name})}


class Handout:
    """Hands the chunks of one input to the workers and frees their memory when the last worker is through with them.

    done: called with the bytes of the input of each chunk that is decoded.
    """

    def __init__(self, workers: Workers, job: Job, stem: str, done: Callable[[int], None]) -> None:
        self._job, self._done = job, done
        self._futures = [
            workers.pool.submit(write_tables, number, job, stem) for number in range(min(workers.count, MOST_WRITERS))
        ]
        self._shared = workers.shared
        self._shares = Shares(len(self._futures))
        self._given: dict[int, list[int]] = {}
        """Chunk -> [workers that are not through with it, its slot or -1, its bytes of the input]."""
        self._number = 0

    def allocate(self, size: int) -> Bytes:
        """Memory for the next chunk. Waits until a worker frees some, unless it is all in use by chunks that wait for
        their intervals.
        """
        self._collect(wait=False)
        while self._given and (not self._shared.slots.any_free or len(self._given) >= shared_memory.SLOTS):
            self._collect(wait=True)
        return self._shared.slots.allocate(size)

    def walked(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """The same chunks, whose memory stays in use until they are given to the workers."""
        for chunk in chunks:
            self._shared.slots.keep()
            yield chunk

    def give(self, r: Records, keep: np.ndarray[Any, Any] | None, size: int, needed: bool) -> None:
        """Hand out a chunk that covers `size` bytes of the input; without `needed` no record of it is decoded."""
        self._number += 1
        content = r.chunk.buffer
        slot = self._shared.slots.slot_of(content)
        portion = Portion(
            self._number,
            replace(r, chunk=bare(r.chunk, None)),
            slot,
            len(content),
            content if slot is None else None,
            keep,
            frozenset(),
        )
        shares = self._shares.assign(work_of(r, self._job.wanted)) if needed else []
        used = [(number, only) for number, only in enumerate(shares) if only]
        self._given[self._number] = [max(1, len(used)), -1 if slot is None else slot, size]
        for number, only in used:
            self._shared.inboxes[number].put(replace(portion, only=only))
        if not used:
            self._count(self._number)

    def _count(self, number: int) -> None:
        """A worker is through with a chunk."""
        self._given[number][0] -= 1
        left, slot, size = self._given[number]
        if not left:
            del self._given[number]
            if slot >= 0:
                self._shared.slots.free(slot)
            self._done(size)

    def _collect(self, wait: bool) -> None:
        """Count the chunks that workers are through with; raise the error of a worker that failed."""
        try:
            while True:
                self._count(self._shared.through.get(wait, 0.2))
                wait = False
        except queue.Empty:
            for future in self._futures:
                if future.done():
                    future.result()

    def close(self) -> list[PartResult]:
        """Wait until everything is written: the result of each worker."""
        for inbox in self._shared.inboxes[: len(self._futures)]:
            inbox.put(None)
        while self._given:
            self._collect(wait=True)
        return [future.result() for future in self._futures]


def shared(
    source: Source, reader: Any, framing: Framing, job: Job, stem: str, workers: Workers, chunk_bytes: int, progress: Progress | None
) -> PartResult:  # fmt: skip
    """Walk an input in this process and have its tables written by the workers: the result of the whole input.

    A stream of unknown size that ends within a chunk is decoded in this process.
    """
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        if progress is not None:
            progress(done, source.size)

    handout: Handout | None = None

    def allocate(size: int) -> Bytes:
        return np.empty(size, np.uint8) if handout is None else handout.allocate(size)

    chunks = walk(reader, framing, chunk_bytes=chunk_bytes, allocate=allocate)
    before: list[Chunk] = []
    if source.size is None:
        before = list(islice(chunks, 2))
        if len(before) < 2:
            return stream(before, job, f"{stem}-0000", count=count)
    accounts = Accounts(job)
    try:
        handout = Handout(workers, job, f"{stem}-0000", count)
        for r, resolved in with_intervals(chain(before, handout.walked(chunks))):
            needed, keep = accounts.take(r, resolved)
            handout.give(r, keep, walked(r.chunk), needed)
        for part in handout.close():
            accounts.result.merge(part)
        workers.release()  # what follows needs memory too, and a fork for the next large input costs little
    except BaseException:
        workers.stop()  # they wait for chunks, and the files they have open are not complete
        raise
    accounts.result.files.sort(key=lambda file: file.path)
    return accounts.result


def write_tables(number: int, job: Job, stem: str) -> PartResult:
    """The work of a worker: decode and write its structures of each chunk until there are no more."""
    here = Shared.here
    writer, result = TableWriter(job, stem), PartResult()
    try:
        while (portion := here.inboxes[number].get()) is not None:
            writer.take(portion.opened(here.slots), portion.keep, result.lost, portion.only)
            here.through.put(portion.number)
        return writer.close(result)
    except BaseException:
        writer.abandon()
        raise
