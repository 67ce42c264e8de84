"""What random faults (campaign/random_faults) once found in the walk: framings that were not recognised, time and
memory without a limit.
"""

from __future__ import annotations

import io
import struct
import time
from unittest.mock import patch

import numpy as np
import pytest

from campaign.random_faults.records import trial
from mqstat.fixtures.frame import frame
from mqstat.parsers.detection import detect
from mqstat.parsers.framing import Framing
from mqstat.parsers.resync import Bytes, find_headers
from mqstat.parsers.walk import walk
from tests.test_walk import mq_record


@pytest.mark.slow
def test_small_segments_are_not_taken_for_records_without_lengths() -> None:
    figures = [trial(seed)[0] for seed in range(1, 300)]
    assert sum(each["untouched records"] for each in figures) > 1_000
    assert sum(each["lost by framing"] for each in figures) == 0


def test_a_damaged_dump_in_small_segments_keeps_its_framing() -> None:
    """Without lengths each record would reach up to the next header, and so explain all bytes."""
    records = [b"\0\0\0\0" + mq_record(seed) for seed in range(1, 12)]
    data = bytearray(frame(records, "rdw", 24))
    data[2] = 0x7F
    assert detect(bytes(data), True) == Framing.RDW


def test_records_without_triplets_are_walked_together() -> None:
    """One by one they took 90 microseconds each: 0.1 MB a second."""
    header = b"\0\x12\0\0\x5e\x74\0\x26\x7f\xd3\x01\x15\x34\x3fSYSX"
    data = header * 60_000
    began = time.process_time()
    assert sum(len(chunk.base) for chunk in walk(io.BytesIO(data), Framing.RDW)) == 60_000
    assert time.process_time() - began < 1


@pytest.mark.parametrize("descriptor", [b"\xff\xff\xff\xff", b"\0\x40\0\0"])
def test_a_triplet_that_points_far_away_does_not_read_that_far(descriptor: bytes) -> None:
    """Such an offset kept all of the input in memory: 580 MiB for 400 MB."""
    header = b"\x5e\x74\0\x26\x7f\xd3\x01\x15\x34\x3fSYSXMQ01".ljust(24, b"\0")
    data = descriptor + header + struct.pack(">IHH", 250 << 20, 52, 1) + b"\xaa" * (8 << 20)
    sizes: list[int] = []

    def allocate(size: int) -> Bytes:
        sizes.append(size)
        return np.empty(size, dtype=np.uint8)

    chunks = list(walk(io.BytesIO(data), Framing.RDW, chunk_bytes=1 << 16, allocate=allocate))
    assert sum(span.length for chunk in chunks for span in chunk.damage) == len(data)
    assert max(sizes) < 1 << 20


def test_headers_without_framing_are_searched_once() -> None:
    """Each search looked at 4 KB again: 0.1 MB a second."""
    data = (
        b"\xff\x12\0\0\x5e\x74\0\x26\x7f\xd3\x01\x15\x34\x3fSYSX"
        + b"\0\x12"
        + b"\0\0\x5e\x74\0\x26\x7f\xd3\x01\x15\x34\x3fSYSX"
    ) * 2_000
    with patch("mqstat.parsers.window.find_headers", wraps=find_headers) as searches:
        chunks = list(walk(io.BytesIO(data), Framing.RDW))
    assert sum(len(chunk.base) for chunk in chunks) + sum(len(chunk.damage) for chunk in chunks) >= 2_000
    assert searches.call_count < 50
