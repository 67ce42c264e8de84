"""A dump -> ranges of whole records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np

from mqstat.intake.pipeline import CHUNK, HashingReader
from mqstat.parsers.framing import Framing
from mqstat.parsers.walk import Chunk, walk
from mqstat.sources.source import Source


def hashed_ranges(source: Source, framing: Framing, range_bytes: int) -> tuple[str, list[tuple[int, int, int]]]:
    """The SHA-256 of a dump, and its ranges of `range_bytes` bytes or a little more: start, stop, number of the first record. Raises InputError."""
    digest = hashlib.sha256()
    with source.open() as opened:
        reader = HashingReader(opened, b"", digest)
        made = list(ranges(walk(reader, framing, chunk_bytes=CHUNK), range_bytes))
    return digest.hexdigest(), made


def ranges(chunks: Iterable[Chunk], range_bytes: int) -> Iterator[tuple[int, int, int]]:
    """The ranges of an input that is walked: start, stop and number of the first record of each."""
    start = first = reached = number = 0
    for chunk in chunks:
        offsets = np.array([*chunk.offset.tolist(), *(each.offset for each in chunk.damage)], np.int64)
        sizes = np.array([*chunk.size.tolist(), *(each.length for each in chunk.damage)], np.int64)
        is_record = np.arange(len(offsets)) < len(chunk.offset)
        order = np.argsort(offsets, kind="stable")
        ends = reached + np.cumsum(sizes[order])
        numbers = number + np.cumsum(is_record[order])
        while (at := int(np.searchsorted(ends, start + range_bytes))) < len(ends):
            stop = int(ends[at])
            yield start, stop, first
            start, first = stop, int(numbers[at])
        reached, number = int(ends[-1]), int(numbers[-1])
    if start < reached:
        yield start, reached, first
