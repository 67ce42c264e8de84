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
"""An edit: offset, number of removed bytes, and inserted bytes."""

FRAMING_NAMES = ("rdw", "bdw", "bdw31", "filled bdw", "no-rdw", "length-prefixed")
SPANS = (None, "vbs", 1500, 700, 450, 100, 17, 9, 5)


def walked(data: bytes, framing: Framing) -> dict[int, tuple[int, bytes]]:
    """Bytes of the input and content of each record, by offset; the walk must account for every byte."""
    records: dict[int, tuple[int, bytes]] = {}
    total = 0
    for chunk in walk(io.BytesIO(data), framing):
        total += chunk.walked
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
    """Offsets of the records that no edit touches and that are not found any more, at their new offset and byte for
    byte.

    Not those whose descriptor ends the record before as well as it begins this one
    (`test_the_same_bytes_can_be_the_end_of_either_record`).
    """
    records = walked(applied(data, edits), framing)
    ends = {offset + size for offset, (size, _) in records.items()}
    offsets = []
    for offset, (size, content) in walked(data, framing).items():
        spanned = framing in (Framing.RDW, Framing.BDW) and data[offset + 2]
        proven = content[1] in (115, 116) or spanned
        if any(at < offset + size and at + max(taken, 1) > offset for at, taken, _ in edits):
            continue
        moved = offset + sum(len(put) - taken for at, taken, put in edits if at < offset)
        if records.get(moved, (0, b""))[1] != content and (proven or not ends & {*range(moved + 1, moved + 5)}):
            offsets.append(offset)
    return offsets


def edits_around(rng: random.Random, data: bytes, framing: Framing) -> list[Edit]:
    """Damage to one or both neighbours of a record."""
    positions = [(offset, size) for offset, (size, _) in sorted(walked(data, framing).items())]
    middle = rng.randrange(1, len(positions) - 1)
    chosen = (middle - 1, middle + 1) if rng.random() < 0.8 else (rng.choice((middle - 1, middle + 1)),)
    return [damaged_edit(rng, data, positions[number][0], min(sum(positions[number]), len(data))) for number in chosen]


@pytest.mark.parametrize("framing_name", FRAMING_NAMES)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 40))
@example(seed=1)
@example(seed=1288)
@example(seed=20058)
@example(seed=20159)
@example(seed=20379)
@example(seed=24334)
def test_a_whole_record_between_damaged_ones_is_kept(framing_name: str, seed: int) -> None:
    rng = random.Random(seed)
    data, framing = made(rng, framing_name)
    edits = edits_around(rng, data, framing)
    assert lost(data, framing, edits) == [], edits


@pytest.mark.parametrize("span", [5, 17, 100])
@pytest.mark.parametrize("before", ["end", "length", "code"])
def test_a_spanned_record_is_proven_by_its_segments(span: int, before: str) -> None:
    """It is of another type, so it has no triplets, the record before it reaches into it, and the one after it has no
    header any more.
    """
    first, whole, after = (b"".join(segments(r, span)) for r in (mq_record(1), other_record(2, 130), mq_record(3)))
    data = rdw([mq_record(5)]) + first + whole + after + rdw([mq_record(6)])
    start = len(rdw([mq_record(5)]))
    last = start + len(first) - (len(first) - 1) % span - 1  # the descriptor of the last segment of the record before
    at = {
        "end": (start + len(first) - 3, 3, b""),
        "length": (last, 2, b"\x08\x05"),
        "code": (start, 4, b"\x7f\xff\2\0"),
    }
    behind = start + len(first) + len(whole)
    assert lost(data, Framing.RDW, [at[before], (behind + 2, 1, b"\2")]) == []


@pytest.mark.parametrize("kept", [5, 6, 7, 8])
def test_a_record_is_kept_after_one_that_lost_all_but_its_first_bytes(kept: int) -> None:
    """What is left of a short first segment reaches into the next record by less than its own length."""
    parts = [b"".join(segments(mq_record(number, 330), 9)) for number in (1, 2, 3)]
    data = rdw([mq_record(5)]) + b"".join(parts) + rdw([mq_record(6)])
    start = len(rdw([mq_record(5)])) + len(parts[0])
    assert lost(data, Framing.RDW, [(start - len(parts[0]) + kept, len(parts[0]) - kept, b"")]) == []


@pytest.mark.parametrize(
    ("kept", "record"), [(12, other_record(2, 49)), (13, mq_record(2, 12_027))], ids=["3F", "2F5B"]
)
def test_a_record_is_kept_after_one_that_lost_the_end_of_its_header(kept: int, record: bytes) -> None:
    """The length of the whole record, X'003F' or X'2F5B', completes the date of the header before it."""
    first, cut = rdw([mq_record(5)]), rdw([mq_record(1)])
    data = first + cut + rdw([record]) + rdw([mq_record(6)])
    assert cut[10:13] + rdw([record])[:1] == b"\x01\x26\x00\x2f" or rdw([record])[:2] == b"\x00\x3f"
    assert lost(data, Framing.RDW, [(len(first) + kept, len(cut) - kept, b"")]) == []


@pytest.mark.parametrize("code", [1, 2, 3])
def test_a_whole_record_inside_a_segment_that_is_too_long_is_kept(code: int) -> None:
    """It is of another type and not spanned, and the header of the record after it is destroyed: only its own header
    shows it.
    """
    whole = rdw([other_record(2, 20)])
    data = rdw([mq_record(1), mq_record(2)]) + whole + rdw([mq_record(3), mq_record(4)])
    start, at = len(rdw([mq_record(1)])), len(rdw([mq_record(1), mq_record(2)])) + len(whole)
    edits = [(start, 4, b"\x10\0" + bytes([code, 0])), (at + 4, 18, b"\r\n" * 9)]
    assert lost(data, Framing.RDW, edits) == []


@pytest.mark.parametrize("taken", [1, 2, 3, 4])
def test_the_same_bytes_can_be_the_end_of_either_record(taken: int) -> None:
    """A cut at the end of one record and a cut at the start of the next give the same file, so one of the two records
    is lost.

    The record before is of another type and the next one is followed by damage, so neither shows where it ends. The
    walk keeps the first one, and the bytes of the other one are damage at their offset.
    """
    first, second, damage = other_record(1), other_record(2), b"\xa5" * 40
    front, rest = rdw([mq_record(5)]), damage + rdw([mq_record(6)])
    lost_end = front + rdw([first])[:-taken] + rdw([second]) + rest
    longer = first[:-taken] + rdw([second])[:taken]
    lost_start = front + rdw([longer]) + rdw([second])[taken:] + rest
    assert lost_end == lost_start
    end = len(front) + len(rdw([longer]))
    chunks = list(walk(io.BytesIO(lost_end), Framing.RDW))
    spans = [(span.offset, span.offset + span.length) for chunk in chunks for span in chunk.damage]
    assert spans == [(end, len(lost_end) - len(rdw([mq_record(6)])))]
    assert walked(lost_end, Framing.RDW)[len(front)][1] == longer


@pytest.mark.parametrize("taken", [1, 2, 3, 4])
def test_a_record_keeps_its_end_where_the_next_one_lost_its_descriptor(taken: int) -> None:
    """The last bytes of the whole record and what is left of the descriptor after it look like a descriptor of a first
    segment.
    """
    whole, spanned = other_record(2, 120), segments(mq_record(3, 3000), 1500)
    whole = whole[:-4] + b"\x12\x34\x25\xaf"
    before, last = rdw([mq_record(1), whole]), rdw([mq_record(4)])
    data = before + b"".join(spanned) + last
    assert lost(data, Framing.RDW, [(len(before), taken, b"")]) == []
    damaged_too = (len(before) + len(spanned[0]) + 2, 1, b"\x01")
    assert lost(data, Framing.RDW, [(len(before), taken, b""), damaged_too]) == []


@pytest.mark.parametrize("taken", [5, 21, 100])
def test_a_record_is_kept_that_the_lengths_of_the_one_before_reach_into(taken: int) -> None:
    """The spanned record before lost bytes at its end, and the next record lost bytes after its header: no strict
    record start is near.
    """
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
