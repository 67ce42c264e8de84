"""A short part of the campaign (`python -m tests.campaign`), and its log."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import pytest

from mqstat.fixtures.frame import frame
from mqstat.parsers.detection import detect
from mqstat.parsers.framing import Framing
from mqstat.parsers.walk import walk
from tests.campaign import running
from tests.campaign.records import trial
from tests.test_walk import mq_record


@pytest.mark.slow
def test_a_short_campaign(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    for part, count in (("records", 500), ("values", 100), ("sections", 20)):
        assert running.campaign([part], 3, log, 10, count, 1) == 0, log.read_text()
    entries = running.lines(log)
    before = len(entries)
    with log.open("a") as stream:
        stream.write('{"part": "reco')  # killed while it wrote
    assert running.campaign(["sections"], 3, log, 10, 20, 1) == 0
    numbers = [(entry["part"], entry["seed"], entry["batch"]) for entry in running.lines(log)]
    assert len(set(numbers)) == len(numbers) > before, "no batch runs twice"
    assert "| mutated records |" in running.report(running.lines(log))
    assert all(json.dumps(entry) for entry in entries)


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
    assert detect(bytes(data), True) is Framing.RDW


def test_records_without_triplets_are_walked_together() -> None:
    """One by one they took 90 microseconds each: 0.1 MB a second."""
    header = b"\0\x12\0\0\x5e\x74\0\x26\x7f\xd3\x01\x15\x34\x3fSYSX"
    data = header * 60_000
    began = time.process_time()
    assert sum(len(chunk.base) for chunk in walk(io.BytesIO(data), Framing.RDW)) == 60_000
    assert time.process_time() - began < 1
