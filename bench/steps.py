"""Seconds per step of one process, and the vectorised decoder against construct's own parse on the same sections."""

from __future__ import annotations

import time
from collections import defaultdict
from pathlib import Path

import pyarrow as pa

from mqstat.dataset.writer import PartWriter
from mqstat.intake.pipeline import CHUNK
from mqstat.parsers import LAYOUTS, interval, record
from mqstat.parsers.batch import decode_chunk, structure_sections
from mqstat.parsers.columns import gather
from mqstat.parsers.constructs import typed
from mqstat.parsers.decoder import decode
from mqstat.parsers.framing import Framing
from mqstat.parsers.walk import walk
from mqstat.sources.source import find_sources


def steps(dump: Path, limit: int, scratch: Path) -> dict[str, float]:
    """Processor seconds of walk, record, decode and write over the first `limit` bytes of a dump, in one process."""
    pa.set_cpu_count(1)
    spent: dict[str, float] = defaultdict(float)
    scratch.mkdir(parents=True, exist_ok=True)
    writer = PartWriter(scratch, "steps")
    source = next(iter(find_sources([str(dump)])))
    number = 0

    def lap(name: str, since: float) -> float:
        now = time.process_time()
        spent[name] += now - since
        return now

    with source.open(0) as reader:
        clock = time.process_time()
        for chunk in walk(reader, Framing.RDW, stop=limit, chunk_bytes=CHUNK):
            clock = lap("walk", clock)
            r = record.read(chunk, number)
            interval.own_intervals(r)
            own = interval.facts(r)
            interval.apply(r, interval.resolve(own, [own]))
            number += len(chunk.base)
            clock = lap("record", clock)
            batch = decode_chunk(r, 1, 0)
            clock = lap("decode", clock)
            writer.add(batch)
            clock = lap("write", clock)
    writer.close()
    lap("write", clock)
    return dict(spent)


def decoders(dump: Path, structure: str, limit: int) -> tuple[int, float, float]:
    """Sections of a structure, and seconds that construct's parse and the vectorised decoder take for the same ones."""
    source = next(iter(find_sources([str(dump)])))
    layout = LAYOUTS[structure]
    with source.open(0) as reader:
        chunk = next(iter(walk(reader, Framing.RDW, stop=limit, chunk_bytes=limit)))
    r = record.read(chunk, 0)
    rows, offsets, length, _ = structure_sections(r, structure)
    width = min(int(length[0]), layout.size)
    matrix = gather(chunk.buffer, offsets, width)
    started = time.perf_counter()
    for row in matrix[:2000]:
        typed(layout, row.tobytes(), level=100_000)
    slow = (time.perf_counter() - started) / min(2000, len(matrix)) * len(matrix)
    best = min(_timed(lambda: decode(layout, gather(chunk.buffer, offsets, width), r.level[rows])) for _ in range(5))
    return len(matrix), slow, best


def _timed(call: object) -> float:
    started = time.perf_counter()
    call()  # type: ignore[operator]
    return time.perf_counter() - started
