"""A dump -> ranges of whole records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np

from mqstat.base.errors import InputError
from mqstat.intake.pipeline import CHUNK, HashingReader, refusal
from mqstat.parsers.framing import Framing
from mqstat.parsers.ledger import Ledger
from mqstat.parsers.walk import Chunk, walk
from mqstat.sources.source import Source
from mqstat.sources.verdict import verdict


def hashed_ranges(
    source: Source, framing: Framing, range_bytes: int, prefix: bytes
) -> tuple[str, list[tuple[int, int, int]]]:
    """The SHA-256 of a dump, and its ranges of `range_bytes` bytes or a little more: start, stop, number of the first record.

    `prefix` = its first bytes. Raises InputError, also for a ruined dump: before a row is written.
    """
    digest, ledger = hashlib.sha256(), Ledger()
    with source.open() as opened:
        reader = HashingReader(opened, b"", digest)
        made = list(ranges(_counted(walk(reader, framing, chunk_bytes=CHUNK), ledger), range_bytes))
    judged = verdict(ledger, prefix)
    if judged.is_ruined:
        raise InputError(refusal(source.name, source.word, judged))
    return digest.hexdigest(), made


def _counted(chunks: Iterable[Chunk], ledger: Ledger) -> Iterator[Chunk]:
    """The same chunks; all records count as decoded."""
    for chunk in chunks:
        ledger.add_class("decoded", len(chunk.base), int(chunk.size.sum()))
        ledger.add_damage(chunk.damage)
        ledger.skip(chunk.skip_reason, int(chunk.skipped.sum()))
        yield chunk


def ranges(chunks: Iterable[Chunk], range_bytes: int) -> Iterator[tuple[int, int, int]]:
    """The ranges of an input that is walked: start, stop and number of the first record of each."""
    start = first = reached = number = 0
    for chunk in chunks:
        offsets = np.array([*chunk.offset.tolist(), *(each.offset for each in chunk.damage)], np.int64)
        taken = chunk.size + chunk.skipped if len(chunk.skipped) else chunk.size
        sizes = np.array([*taken.tolist(), *(each.length for each in chunk.damage)], np.int64)
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
