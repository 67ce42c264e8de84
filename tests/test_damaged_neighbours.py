"""Records between damaged ones: an intact record is kept, whatever surrounds it, in every framing."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mqstat.fixtures.frame import frame
from mqstat.parsers.framing import Framing
from mqstat.parsers.walk import walk
from tests.test_walk import mq_record, other_record, rdw, segments, vbs

Edit = tuple[int, int, bytes]
"""Where bytes are taken out, how many, and what is put there."""

FRAMING_NAMES = ("rdw", "bdw", "bdw31", "filled bdw", "no-rdw", "length-prefixed")
SPANS = (None, "vbs", 1500, 700, 450, 100, 17, 9, 5)


def walked(data: bytes, framing: Framing) -> dict[int, tuple[int, bytes]]:
    """Bytes of the input and content of each record, by offset; the walk must account for every byte."""
    records: dict[int, tuple[int, bytes]] = {}
    total = 0
    for chunk in walk(io.BytesIO(data), framing):
        total += int(chunk.size.sum()) + sum(span.length for span in chunk.damage)
        columns = (chunk.base, chunk.length, chunk.offset, chunk.size)
        for base, length, offset, size in zip(*(column.tolist() for column in columns), strict=True):
            records[offset] = (size, chunk.buffer[base + 4 : base + length].tobytes())
    assert total == len(data)
    return records


def made(rng: random.Random, framing_name: str) -> tuple[bytes, Framing]:
    """A few records, most of them of MQ, in a framing; where it has segments most are spanned."""
    records = [
        mq_record(rng.randrange(9999), rng.choice((40, 200, 900, 3000, 3000)) + rng.randrange(150), 115 + rng.randrange(2))
        if rng.random() < 0.85 or framing_name == "no-rdw"
        else other_record(rng.randrange(99))
        for _ in range(rng.choice((5, 7, 9)))
    ]  # fmt: skip
    if framing_name == "filled bdw":
        return vbs(records, rng.choice((300, 700, 1500)), True, rng.randrange(99))
    span = rng.choice(SPANS) if framing_name in ("rdw", "bdw", "bdw31") else None
    return frame([bytes(4) + record for record in records], framing_name, span), Framing(
        framing_name.removesuffix("31")
    )


def damaged_edit(rng: random.Random, data: bytes, low: int, high: int) -> Edit:
    """Damage within the bytes of one record: more than half of it in its first bytes, where framing and header are."""
    at = min(high - 1, low + rng.randrange(48)) if rng.random() < 0.6 else low + rng.randrange(high - low)
    if rng.random() < 0.15:
        at = max(low, high - 1 - rng.randrange(60))
    length = min(high - at, rng.choice((1, 2, 3, 4, 8, 20, 100, 1000, 9000)))
    kind = rng.choice(("bit", "byte", "random", "zero", "cut", "insert", "descriptor", "code"))
    if kind == "bit":
        return at, 1, bytes([data[at] ^ 1 << rng.randrange(8)])
    if kind == "cut":
        return at, length, b""
    if kind == "insert" and at > low:
        return at, 0, rng.choice((rng.randbytes(length), bytes(length), data[low : low + length]))
    if kind == "descriptor":
        return low, min(4, high - low), (rng.randbytes(2) + bytes([rng.randrange(4), 0]))[: high - low]
    if kind == "code":
        return min(low + 2, high - 1), 1, bytes([rng.randrange(4)])
    return at, length, bytes(length) if kind == "zero" else rng.randbytes(length)


def applied(data: bytes, edits: list[Edit]) -> bytes:
    out, position = b"", 0
    for at, taken, put in edits:
        out += data[position:at] + put
        position = at + taken
    return out + data[position:]


def lost(data: bytes, framing: Framing, edits: list[Edit]) -> list[int]:
    """Offsets of the records that no edit touches and that are not found any more, at their new offset and byte for byte."""
    records = walked(applied(data, edits), framing)
    gone = []
    for offset, (size, content) in walked(data, framing).items():
        if any(at < offset + size and at + max(taken, 1) > offset for at, taken, _ in edits):
            continue
        moved = offset + sum(len(put) - taken for at, taken, put in edits if at < offset)
        if records.get(moved, (0, b""))[1] != content:
            gone.append(offset)
    return gone


def edits_around(rng: random.Random, data: bytes, framing: Framing) -> list[Edit]:
    """Damage to one or both neighbours of a record."""
    positions = [(offset, size) for offset, (size, _) in sorted(walked(data, framing).items())]
    middle = rng.randrange(1, len(positions) - 1)
    chosen = (middle - 1, middle + 1) if rng.random() < 0.8 else (rng.choice((middle - 1, middle + 1)),)
    return [damaged_edit(rng, data, positions[number][0], sum(positions[number])) for number in chosen]


@pytest.mark.parametrize("framing_name", FRAMING_NAMES)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 40))
@example(seed=1)
def test_a_whole_record_between_damaged_ones_is_kept(framing_name: str, seed: int) -> None:
    rng = random.Random(seed)
    data, framing = made(rng, framing_name)
    edits = edits_around(rng, data, framing)
    assert lost(data, framing, edits) == [], edits


@pytest.mark.parametrize("taken", [1, 2, 3, 4])
def test_a_record_keeps_its_end_where_the_next_one_lost_its_descriptor(taken: int) -> None:
    """The last bytes of the whole record and what is left of the descriptor after it look like a descriptor of a first segment."""
    whole, spanned = other_record(2, 120), segments(mq_record(3, 3000), 1500)
    whole = whole[:-4] + b"\x12\x34\x25\xaf"
    before, last = rdw([mq_record(1), whole]), rdw([mq_record(4)])
    data = before + b"".join(spanned) + last
    assert lost(data, Framing.RDW, [(len(before), taken, b"")]) == []
    damaged_too = (len(before) + len(spanned[0]) + 2, 1, b"\x01")
    assert lost(data, Framing.RDW, [(len(before), taken, b""), damaged_too]) == []


@pytest.mark.parametrize("taken", [5, 21, 100])
def test_a_record_is_kept_that_the_lengths_of_the_one_before_reach_into(taken: int) -> None:
    """The spanned record before lost bytes at its end, and the next record lost bytes after its header: no strict record start is near."""
    spanned, whole = rdw([mq_record(1, 3000)], 700), rdw([other_record(2)])
    data = rdw([mq_record(5)]) + spanned + whole + rdw([other_record(6), mq_record(7)])
    end = len(rdw([mq_record(5)]) + spanned)
    edits = [(end - taken, taken, b""), (end + len(whole) + 2, 100, b"\xa5" * 100)]
    assert lost(data, Framing.RDW, edits) == []


@pytest.mark.parametrize("code", [2, 3])
def test_a_record_is_kept_that_a_stray_segment_reaches_into(code: int) -> None:
    """A descriptor that became a continuation, so long that it ends at a segment of the next record."""
    first, second = b"".join(segments(mq_record(1, 900), 100)), segments(mq_record(2, 3000), 100)
    data = first + b"".join(second) + rdw([mq_record(3)])
    reach = len(first) + len(b"".join(second[:4]))
    assert lost(data, Framing.RDW, [(0, 4, reach.to_bytes(2, "big") + bytes([code, 0]))]) == []
