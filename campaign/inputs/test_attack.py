"""Every framing in every compression or archive, damaged inside and outside: no exception, nothing hangs, all bytes are
in the ledger, whole records are kept.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tempfile
import time
import zipfile
from pathlib import Path

import pytest

from mqstat.base.selection import Selection
from mqstat.fixtures.frame import FRAMINGS, frame
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake.part import Job
from mqstat.intake.pipeline import measure
from mqstat.parsers.framing import Framing
from mqstat.sources.source import find_sources
from tests import mutate
from tests.costs import cache
from tests.support import file_of
from tests.test_archive import tar
from tests.test_source import arrow

SECONDS = 20
"""For one input, which takes some milliseconds; what hangs takes longer, however slow the machine is."""

WRAPPINGS = ("none", "gz", "zst", "lz4", "bz2", "xz", "zip", "tar")
FRAMED = (*((framing_name, None) for framing_name in FRAMINGS), ("bdw", "vbs"), ("rdw", 1500))


def wrapped(data: bytes, kind: str) -> bytes:
    if kind == "zip":
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("dump.smf", data)
        return stream.getvalue()
    if kind in ("zst", "lz4"):
        return arrow(data, {"zst": "zstd"}.get(kind, kind))
    if kind == "tar":
        return bytes(tar({"dump.smf": data}))
    if kind == "none":
        return data
    return gzip.compress(data) if kind == "gz" else bz2.compress(data) if kind == "bz2" else lzma.compress(data)


@cache
def sound(framing_name: str, span: str | int | None) -> mutate.Original:
    """A small dump in a framing, and its MQ records."""
    records = QueueManager("MQ01", "SYS1").interval(mutate.NOON, 1800)[:12]
    data, framing = frame(records, framing_name, span), Framing(framing_name.removesuffix("31"))
    return mutate.Original(
        f"{framing_name} {span}",
        data,
        framing,
        tuple(mutate.records_of(data, framing)[0]),
        mutate.starts_of(data, framing),
    )


def ledgers(path: Path) -> tuple[int, int]:
    """Records decoded or kept raw in all inputs of a file; each ledger must balance and hold every byte that was
    read.
    """
    kept = read = 0
    for source in find_sources([str(path)], limit_seconds=SECONDS):
        if source.fault is None:
            result = measure(source, Job(1, 0, Selection(), {}, Path()))
            assert mutate.unbalanced(result.part.ledger, result.size) == []
            counts = result.part.ledger.records
            kept += counts.decoded + counts.internal + counts.raw
            read += result.size
        else:
            assert "time limit" not in source.fault
    return kept, read


@cache
def damaged_inside(framing_name: str, span: str | int | None, seed: int) -> tuple[bytes, tuple[int, int]]:
    """A damaged dump without wrapping, which has lost no whole record, and its ledgers."""
    original, rng = sound(framing_name, span), random.Random(seed)
    pieces = mutate.mutate(rng, original, rng.choice((0, 1, 2, 5)))
    data, whole = mutate.applied(original, pieces), mutate.untouched(original, pieces)
    if not data:
        return data, (0, 0)
    assert mutate.check(original, data, whole, everything=False) == [], seed
    with tempfile.TemporaryDirectory() as folder:
        expected = ledgers(file_of(data, Path(folder)))
    assert expected[1] == len(data)
    return data, expected


@pytest.mark.parametrize(("framing_name", "span"), FRAMED)
@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_damage_inside_a_wrapping_costs_no_whole_record(
    tmp_path: Path, framing_name: str, span: str | int | None, wrapping: str
) -> None:
    for seed in range(6):
        data, expected = damaged_inside(framing_name, span, seed)
        if data and wrapping != "none":
            assert ledgers(file_of(wrapped(data, wrapping), tmp_path)) == expected, seed


@pytest.mark.parametrize(("framing_name", "span"), FRAMED)
@pytest.mark.parametrize("wrapping", WRAPPINGS[1:])
def test_damage_to_a_wrapping_raises_nothing_and_balances(
    tmp_path: Path, framing_name: str, span: str | int | None, wrapping: str
) -> None:
    data = wrapped(sound(framing_name, span).data, wrapping)
    for seed in range(6):
        rng = random.Random(seed)
        at, length = rng.randrange(len(data)), rng.choice((1, 1, 4, 100))
        kind = rng.choice(("flip", "cut", "insert", "zero", "end"))
        damaged = {
            "flip": data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :],
            "cut": data[:at] + data[at + length :],
            "insert": data[:at] + rng.randbytes(length) + data[at:],
            "zero": data[:at] + bytes(length) + data[at + length :],
            "end": data[:at] or data[:1],
        }[kind]
        started = time.monotonic()
        ledgers(file_of(damaged, tmp_path))
        assert time.monotonic() - started < SECONDS, (kind, seed)
