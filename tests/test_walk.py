"""Walking: every framing gives the same records, and damage loses only the damaged record."""

from __future__ import annotations

import csv
import io
import random
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqstat.fixtures import bulk
from mqstat.fixtures.frame import reframe, smf_file
from mqstat.parsers.detection import detect
from mqstat.parsers.framing import BASIC, Framing
from mqstat.parsers.ledger import REASONS, SKIPPED, Damage
from mqstat.parsers.walk import walk
from mqstat.sources.source import TimeLimitError
from tests.costs import cache

Walked = tuple[int, int, int, int, bytes]
"""Offset, input bytes, layout length, segments, and the record without its RDW."""
Piece = tuple[int, int, bytes | None]
"""A part of the original (from, to), or bytes that were put in."""

FRAMINGS = BASIC


@cache
def mq_record(seed: int, body: int = 200, kind: int = 115, subtype: int = 1) -> bytes:
    """An MQ record without RDW: header, two triplets, a section, and the QWHS at its end as in real records."""
    rng = random.Random(seed)
    day = 1 + seed % 365
    date = bytes([1, 0x26, day // 100 << 4 | day // 10 % 10, day % 10 << 4 | 0xF])
    head = bytes([0x5E, kind]) + (seed * 997 % 8_640_000).to_bytes(4, "big") + date + "SYS1MQ01".encode("cp037")
    head += subtype.to_bytes(2, "big") + b"\xf9\xf4\xf6\0"
    section = bytes(rng.choice((0, 0, 0, rng.randrange(256))) for _ in range(body))
    triplets = (
        (44 + body).to_bytes(4, "big") + b"\0\x34\0\1" + (44).to_bytes(4, "big") + body.to_bytes(2, "big") + b"\0\1"
    )
    return head + triplets + section + b"\0\x34\0\0\0\0\2\0" + rng.randbytes(44)


def dump_record(kind: int) -> bytes:
    """A type 2 or 3 record without RDW."""
    return bytes([0x1E, kind]) + b"\0\x26\x7f\xd3\x01\x15\x34\x3fSYSX"


def other_record(seed: int, size: int = 120) -> bytes:
    """A record of another type, with a strict header."""
    return bytes([0x5E, 30 + seed % 50]) + b"\0\x26\x7f\xd3\x01\x15\x34\x3f" + random.Random(seed).randbytes(size)


def sample(count: int = 40, seed: int = 0, others: bool = True) -> list[bytes]:
    rng = random.Random(seed)
    records = [dump_record(2)]
    for number in range(count):
        if others and number % 9 == 4:
            records.append(other_record(number))
        else:
            records.append(
                mq_record(1000 * seed + number, rng.choice((40, 200, 900, 3000)) + rng.randrange(150), 115 + number % 2)
            )
    return [*records, dump_record(3)]


def rdw(records: list[bytes], split: int = 0) -> bytes:
    """Records with RDW; those longer than `split` in segments of at most that size."""
    return b"".join(part for record in records for part in segments(record, split))


def segments(record: bytes, split: int) -> list[bytes]:
    if not split or len(record) + 4 <= split:
        return [(len(record) + 4).to_bytes(2, "big") + b"\0\0" + record]
    parts = [record[i : i + split - 4] for i in range(0, len(record), split - 4)]
    codes = [1] + [3] * (len(parts) - 2) + [2]
    return [
        (len(part) + 4).to_bytes(2, "big") + bytes([code, 0]) + part for part, code in zip(parts, codes, strict=True)
    ]


def bdw(records: list[bytes], split: int = 0, size: int = 4000, large: bool = False) -> bytes:
    blocks: list[list[bytes]] = [[]]
    for part in (part for record in records for part in segments(record, split)):
        if blocks[-1] and sum(map(len, blocks[-1])) + len(part) + 4 > size:
            blocks.append([])
        blocks[-1].append(part)
    out = b""
    for block in blocks:
        data = b"".join(block)
        length = len(data) + 4
        out += ((length | 1 << 31).to_bytes(4, "big") if large else length.to_bytes(2, "big") + b"\0\0") + data
    return out


def vbs(records: list[bytes], size: int, blocked: bool, seed: int = 0) -> tuple[bytes, Framing]:
    """Records whose segments fill blocks of `size` bytes to the last byte, with or without their descriptors; a first
    segment may be tiny.
    """
    rng = random.Random(seed)
    blocks, room = [b""], size - 4
    for record in records:
        at = 0
        while at < len(record):
            if room < 5 + rng.randrange(3):
                blocks.append(b"")
                room = size - 4
            part = record[at : at + room - 4]
            code = 2 * (at > 0) + (at + len(part) < len(record))
            blocks[-1] += (len(part) + 4).to_bytes(2, "big") + bytes([code, 0]) + part
            room -= len(part) + 4
            at += len(part)
    if not blocked:
        return b"".join(blocks), Framing.RDW
    return b"".join((len(block) + 4).to_bytes(2, "big") + b"\0\0" + block for block in blocks), Framing.BDW


def framed(records: list[bytes], framing: Framing, split: int = 0) -> bytes:
    if framing == Framing.RDW:
        return rdw(records, split)
    if framing == Framing.BDW:
        return bdw(records, split)
    if framing == Framing.NO_RDW:
        return b"".join(records)
    return b"".join(len(record).to_bytes(4, "big") + record for record in records)


def walked(
    data: bytes, framing: Framing, start: int = 0, stop: int | None = None, chunk_bytes: int = 16 << 20
) -> tuple[list[Walked], list[Damage], int]:
    """Records, damage and bytes of a walk, with what must hold for every walk checked on the way."""
    records: list[Walked] = []
    damage: list[Damage] = []
    total = 0
    for chunk in walk(io.BytesIO(data[start:]), framing, start, stop, chunk_bytes):
        columns = (chunk.base, chunk.length, chunk.offset, chunk.size, chunk.segments)
        for base, length, offset, size, count in zip(*(column.tolist() for column in columns), strict=True):
            records.append((offset, size, length, count, chunk.buffer[base + 4 : base + length].tobytes()))
        damage += chunk.damage
        total += chunk.walked
        assert {damaged_span.reason for damaged_span in chunk.damage} <= {*REASONS, *SKIPPED}
        assert all(damaged_span.length > 0 for damaged_span in chunk.damage)
    assert [each[0] for each in records] == sorted({each[0] for each in records})
    assert [damaged_span.offset for damaged_span in damage] == sorted({damaged_span.offset for damaged_span in damage})
    if stop is None:
        assert start + total == max(len(data), start)
    return records, damage, total


def contents(data: bytes, framing: Framing) -> tuple[list[bytes], list[Damage]]:
    records, damage, _ = walked(data, framing)
    return [each[4] for each in records], damage


# -- sound input


@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("split", [0, 500])
def test_every_framing_gives_the_same_records(framing: Framing, split: int) -> None:
    records = sample(others=framing != Framing.NO_RDW)
    data = framed(records, framing, split)
    assert contents(data, framing) == (records, [])
    assert detect(data, True) == framing
    assert contents(data + data, framing) == (records + records, [])


def test_31_bit_blocks() -> None:
    records = sample()
    data = bdw(records, 700, 90_000, large=True)
    assert contents(data, Framing.BDW) == (records, [])
    assert detect(data, True) == Framing.BDW


@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("record", [dump_record(2), mq_record(1)])
def test_a_single_record_is_recognised(framing: Framing, record: bytes) -> None:
    data = framed([record], framing)
    assert detect(data, True) == framing
    assert contents(data, framing) == ([record], [])


@pytest.mark.parametrize("framing", FRAMINGS)
def test_a_file_that_begins_inside_a_record_is_recognised(framing: Framing) -> None:
    records = sample(60, others=False)
    data = framed(records, framing)[137:]
    assert detect(data, True) == framing
    decoded, damage = contents(data, framing)
    assert decoded == records[-len(decoded) :]
    assert len(decoded) >= len(records) - 2
    assert damage[0].offset == 0
    assert not damage[0].is_record


def test_offsets_and_sizes_count_the_framing() -> None:
    records = [mq_record(1), mq_record(2, 900)]
    (first, second), _, _ = walked(bdw(records, 300), Framing.BDW)
    assert first[:4] == (4, 4 + 4 + len(records[0]), len(records[0]) + 4, 1)
    assert second[:4] == (8 + len(records[0]), len(records[1]) + 4 * 4, len(records[1]) + 4, 4)
    (first, second), _, _ = walked(framed(records, Framing.NO_RDW), Framing.NO_RDW)
    assert first[:3] == (0, len(records[0]), len(records[0]) + 4)
    assert second[0] == len(records[0])


def test_odd_but_sound_records_are_kept() -> None:
    records = [
        mq_record(1),
        bytes([0x1E, 200]) + bytes(12) + b"user",  # a user record without time and date
        bytes([0x02, 130]) + b"\0\0\1\0\xff\xff\xff\xff" + b"SYS1" + b"anything",
        bytes([0x7E, 126]) + b"\0\0\1\0\1\x26\0\x1f" + bytes(60),  # an extended header
        mq_record(2),
        bytes([0x5E, 14]) + bytes(80),
    ]
    assert contents(rdw(records), Framing.RDW) == (records, [])


def test_a_record_larger_than_the_chunk_is_joined() -> None:
    record = mq_record(7, 60_000)
    data = rdw([mq_record(1), record, mq_record(2)], 1000)
    decoded, damage, _ = walked(data, Framing.RDW, chunk_bytes=500)
    assert [each[4] for each in decoded] == [mq_record(1), record, mq_record(2)]
    assert decoded[1][3] == 61
    assert not damage


# -- first segments too short for a header


@pytest.mark.parametrize("framing_name", ["rdw", "bdw", "bdw31"])
@pytest.mark.parametrize("size", range(5, 65))
def test_segments_of_any_size_are_joined(framing_name: str, size: int) -> None:
    records = sample(12)
    data = smf_file([bytes(4) + record for record in records], framing=framing_name, spanned=size)
    framing = Framing.RDW if framing_name == "rdw" else Framing.BDW
    decoded, damage = contents(data, framing)
    assert decoded[1:-1] == records
    assert not damage
    assert detect(data, True) == framing


@pytest.mark.slow
@pytest.mark.parametrize("blocked", [False, True])
def test_segments_that_fill_blocks_of_any_size_are_joined(blocked: bool) -> None:
    records = sample(30)
    for size in (*range(60, 90), *range(900, 930)):
        data, framing = vbs(records, size, blocked, size)
        assert contents(data, framing) == (records, [])
        assert detect(data, True) == framing


@pytest.mark.slow
@pytest.mark.parametrize("framing_name", ["rdw", "bdw"])
def test_big_dumps_of_spanned_records_have_no_damage(framing_name: str, tmp_path: Path) -> None:
    bulk.write("statistics", tmp_path / "whole", 40_000_000)
    whole = (tmp_path / "whole").read_bytes()
    records, _ = contents(whole, Framing.RDW)
    if framing_name == "rdw":
        bulk.write("statistics", tmp_path / "spanned", 40_000_000, spanned=True)
        data = (tmp_path / "spanned").read_bytes()
    else:
        data = reframe(whole, framing_name)
    decoded, damage = contents(data, Framing(framing_name))
    assert decoded == records
    assert not damage


@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("short", [5, 9, 13, 17])
def test_a_chunk_may_end_inside_a_split_header(short: int, blocked: bool) -> None:
    before, record, after = sample(20), mq_record(4711), sample(20, 1)
    pieces = [segments(record[: short - 4], 0)[0], segments(record[short - 4 :], 0)[0]]
    first, second = (piece[:2] + bytes([code, 0]) + piece[4:] for piece, code in zip(pieces, (1, 2), strict=True))
    if blocked:
        front, rest = bdw(before), bdw(after)
        middle = b"".join((len(each) + 4).to_bytes(2, "big") + b"\0\0" + each for each in (first, second))
        framing = Framing.BDW
    else:
        front, middle, rest = rdw(before), first + second, rdw(after)
        framing = Framing.RDW
    data = front + middle + rest
    whole = walked(data, framing)
    assert [each[4] for each in whole[0]] == [*before, record, *after]
    assert not whole[1]
    for chunk_bytes in range(len(front) - 2, len(front) + short + 24):
        assert walked(data, framing, chunk_bytes=chunk_bytes) == whole
        assert walked(b"junk" * 9 + data, framing, chunk_bytes=chunk_bytes + 36)[0][0][4] == before[0]


@pytest.mark.slow
@pytest.mark.parametrize("split", [5, 6, 9, 13, 17])
@pytest.mark.parametrize("framing", [Framing.RDW, Framing.BDW])
def test_a_file_cut_anywhere_in_short_segments_keeps_what_came_before(framing: Framing, split: int) -> None:
    data = framed([dump_record(2), mq_record(1), other_record(2), mq_record(3)], framing, split)
    whole, _, _ = walked(data, framing)
    ends = list(accumulate(each[1] for each in whole))
    for end in (*range(200), *range(200, len(data), 23)):
        decoded, damage, _ = walked(data[:end], framing)
        kept = whole[: bisect_right(ends, end)]
        assert decoded == kept
        rest = end - sum(each[1] for each in kept)
        assert [damaged_span.length for damaged_span in damage] == ([rest] if rest else [])
        if framing == Framing.RDW:
            assert all(damaged_span.is_record == (damaged_span.length >= 4) for damaged_span in damage)


@pytest.mark.parametrize("short", range(5, 18))
def test_damage_around_a_short_first_segment_costs_one_record(short: int) -> None:
    before, record, after = mq_record(1), mq_record(2, 600), mq_record(3)
    parts = [segments(record[: short - 4], 0)[0], *segments(record[short - 4 :], 300)]
    codes = (1, *(3,) * (len(parts) - 2), 2)
    parts = [part[:2] + bytes([code, 0]) + part[4:] for part, code in zip(parts, codes, strict=True)]
    spanned, start = b"".join(parts), len(before) + 4
    assert contents(rdw([before]) + spanned + rdw([after]), Framing.RDW) == ([before, record, after], [])
    cases = [
        (b"\xff\xff" + spanned[2:], "bad-rdw"),
        (spanned[:2] + b"\x40" + spanned[3:], "bad-rdw"),
        (spanned[:short] + b"\xff" + spanned[short + 1 :], "missing-segment"),
        (parts[0], "missing-segment"),
        (parts[0] + parts[1], "missing-segment"),
        (b"".join(parts[1:]), "orphan-segment"),
        (b"".join(parts[:-1]), "missing-segment"),
    ]
    for changed, reason in cases:
        decoded, damage = contents(rdw([before]) + changed + rdw([after]), Framing.RDW)
        assert decoded == [before, after]
        assert [(damaged_span.offset, damaged_span.length, damaged_span.is_record) for damaged_span in damage] == [
            (start, len(changed), True)
        ]
        assert damage[0].reason in {reason, "missing-segment"}
    # The time and date of the record do not matter if its triplets prove it.
    flipped = spanned[: short + 9] + b"\xff" + spanned[short + 10 :]
    decoded, damage = contents(rdw([before]) + flipped + rdw([after]), Framing.RDW)
    assert [len(each) for each in decoded] == [len(before), len(record), len(after)]
    assert not damage


# -- damage


def overwrite(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def test_a_bad_rdw_costs_one_record() -> None:
    records = [mq_record(n) for n in range(5)]
    size = len(records[0]) + 4
    for new in (
        b"\0\0",
        b"\xff\xff",
        b"\0\x20",
        (2 * size).to_bytes(2, "big"),
        (size + 1).to_bytes(2, "big"),
        b"\0\0\0\x80",
    ):
        result, damage = contents(overwrite(rdw(records), 2 * size, new), Framing.RDW)
        assert result == records[:2] + records[3:], new
        assert [(damaged_span.offset, damaged_span.length, damaged_span.is_record) for damaged_span in damage] == [
            (2 * size, size, True)
        ]


@pytest.mark.parametrize("size", [18, 24, 60])
def test_zeros_with_the_length_of_a_record_are_no_record(size: int) -> None:
    """Between two records and at the end, where the length fits what follows: nothing else proves a record there."""
    before, after = mq_record(1), mq_record(2)
    zeros = rdw([bytes(size)])
    for rest in ([after], []):
        records, damage = contents(rdw([before]) + zeros + rdw(rest), Framing.RDW)
        assert records == [before, *rest]
        assert damage == [Damage(len(before) + 4, len(zeros), "garbage", False)]


@pytest.mark.parametrize("code", [1, 2, 3])
def test_a_wrong_segment_code_costs_one_record(code: int) -> None:
    records = [mq_record(n) for n in range(5)]
    size = len(records[0]) + 4
    result, damage = contents(overwrite(rdw(records), 2 * size + 2, bytes([code])), Framing.RDW)
    assert result == records[:2] + records[3:]
    assert [(damaged_span.offset, damaged_span.length, damaged_span.reason) for damaged_span in damage] == [
        (2 * size, size, "missing-segment" if code == 1 else "orphan-segment")
    ]


def test_missing_and_orphan_segments() -> None:
    before, spanned, after = mq_record(1), mq_record(2, 2000), mq_record(3)
    parts = segments(spanned, 600)
    for kept, reason in (
        (parts[:1], "missing-segment"),
        (parts[:2], "missing-segment"),
        (parts[1:], "orphan-segment"),
        (parts[-1:], "orphan-segment"),
    ):
        data = rdw([before]) + b"".join(kept) + rdw([after])
        decoded, damage = contents(data, Framing.RDW)
        assert decoded == [before, after]
        assert damage == [Damage(len(before) + 4, sum(map(len, kept)), reason, True)]


def test_a_file_cut_anywhere_keeps_what_came_before() -> None:
    records = sample(12, others=False)
    data = rdw(records, 700)
    whole, _, _ = walked(data, Framing.RDW)
    for end in (*range(300), *range(300, len(data), 29)):
        result, damage, _ = walked(data[:end], Framing.RDW)
        kept = [each for each in whole if each[0] + each[1] <= end]
        assert result == kept
        rest = end - sum(each[1] for each in kept)
        assert [damaged_span.length for damaged_span in damage] == ([rest] if rest else [])
        assert all(damaged_span.is_record == (damaged_span.length >= 4) for damaged_span in damage)


@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("junk", [bytes(100), b"\x40" * 3, b"\r\n", random.Random(5).randbytes(777)])
def test_garbage_between_records_is_not_a_record(framing: Framing, junk: bytes) -> None:
    records = [mq_record(n) for n in range(6)]
    data = framed(records[:3], framing) + junk + framed(records[3:], framing)
    result, damage = contents(data, framing)
    assert result == records
    assert [(damaged_span.length, damaged_span.is_record) for damaged_span in damage] == [(len(junk), False)]


def test_garbage_larger_than_the_chunk_is_one_damaged_span() -> None:
    records = [mq_record(n) for n in range(6)]
    junk = random.Random(9).randbytes(700_000)
    data = rdw(records[:3]) + junk + rdw(records[3:])
    for chunk_bytes in (10_000, 1 << 20):
        result, damage, _ = walked(data, Framing.RDW, chunk_bytes=chunk_bytes)
        assert [each[4] for each in result] == records
        assert [(damaged_span.length, damaged_span.reason) for damaged_span in damage] == [(len(junk), "garbage")]


def test_removed_or_inserted_bytes_lose_only_that_record() -> None:
    records = [mq_record(n) for n in range(5)]
    data, size = rdw(records), len(records[0]) + 4
    for at in range(2 * size + 20, 3 * size - 60, 7):
        for changed in (data[:at] + data[at + 5 :], data[:at] + b"12345" + data[at:]):
            result, damage = contents(changed, Framing.RDW)
            assert result == records[:2] + records[3:]
            assert [(damaged_span.offset, damaged_span.is_record) for damaged_span in damage] == [(2 * size, True)]


def test_a_bad_block_descriptor_costs_its_four_bytes() -> None:
    records = [mq_record(n) for n in range(30)]
    data = bdw(records)
    second = int.from_bytes(data[:2], "big")
    for new in (b"\0\0\0\0", b"\x12\x34\0\0", b"\x12\x34\x56\x78"):
        result, damage = contents(overwrite(data, second, new), Framing.BDW)
        assert result == records
        assert damage == [Damage(second, 4, "bad-bdw", False)]


@settings(max_examples=50, deadline=None)
@given(data=st.binary(max_size=3000), framing=st.sampled_from(FRAMINGS), at_end=st.booleans())
def test_arbitrary_bytes_never_raise(data: bytes, framing: Framing, at_end: bool) -> None:
    walked(data, framing)
    detect(data, at_end)


def mutate(rng: random.Random, data: bytes, headers: list[int], times: int) -> list[Piece]:
    """Flip, cut, insert and swap at random places; the parts of the original in their new order and what was put in."""
    pieces: list[Piece] = [(0, len(data), None)]

    def size_of(piece: Piece) -> int:
        return piece[1] - piece[0] if piece[2] is None else len(piece[2])

    def split(at: int) -> int:
        position = 0
        for number, piece in enumerate(pieces):
            size = size_of(piece)
            if at <= position:
                return number
            if at < position + size:
                low, high, put = piece
                cut = at - position
                halves: list[Piece] = (
                    [(low, low + cut, None), (low + cut, high, None)]
                    if put is None
                    else [(0, 0, put[:cut]), (0, 0, put[cut:])]
                )
                pieces[number : number + 1] = halves
                return number + 1
            position += size
        return len(pieces)

    for _ in range(times):
        total = sum(map(size_of, pieces))
        kind = rng.choice(("flip", "header", "header", "cut", "insert", "swap"))
        at = rng.randrange(total)
        if kind == "header":
            at = min(total - 1, rng.choice(headers) + rng.randrange(18))
        if kind in ("flip", "header"):
            first, last = split(at), split(min(total, at + 1))
            pieces[first:last] = [(0, 0, rng.randbytes(1))]
        elif kind == "cut":
            first, last = split(at), split(min(total, at + rng.choice((1, 4, 50, 700))))
            del pieces[first:last]
        elif kind == "insert":
            first = split(at)
            pieces.insert(first, (0, 0, rng.choice((rng.randbytes(20), bytes(40), b"\r\n"))))
        else:
            positions = sorted(rng.randrange(total + 1) for _ in range(3))
            begin, middle, end = (split(at_byte) for at_byte in positions)
            pieces[begin:end] = pieces[middle:end] + pieces[begin:middle]
    return pieces


def check_untouched(data: bytes, framing: Framing, seed: int, times: int) -> None:
    """The oracle: a record is untouched when all its bytes, framing included, are still contiguous and in order. Each
    of these must be found at its new place, byte for byte, whatever surrounds it.
    """
    rng = random.Random(seed)
    whole, _, _ = walked(data, framing)
    pieces = mutate(rng, data, [each[0] for each in whole], times)
    changed = b"".join(data[low:high] if put is None else put for low, high, put in pieces)
    result, damage, total = walked(changed, framing)
    at = {each[0]: each[4] for each in result}
    placed: list[tuple[int, int, int]] = []
    position = 0
    for low, high, put in pieces:
        if put is None:
            if placed and placed[-1][1] == low and placed[-1][2] + low - placed[-1][0] == position:
                placed[-1] = (placed[-1][0], high, placed[-1][2])
            else:
                placed.append((low, high, position))
        position += high - low if put is None else len(put)
    placed.sort()
    starts = [each[0] for each in placed]
    for offset, size, _, _, content in whole:
        number = bisect_right(starts, offset) - 1
        if number >= 0 and offset + size <= placed[number][1]:
            assert at.get(placed[number][2] + offset - starts[number]) == content, f"record at {offset} is lost"
    for chunk_bytes in (1000, 60_000):
        assert walked(changed, framing, chunk_bytes=chunk_bytes) == (result, damage, total)
    if result:
        low_part = walked(changed, framing, stop=rng.choice(result)[0])
        high_part = walked(changed, framing, start=low_part[2])
        assert tuple(a + b for a, b in zip(low_part, high_part, strict=True)) == (result, damage, total)  # type: ignore[operator]


@settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 1 << 32),
    times=st.sampled_from((1, 1, 2, 5)),
    framing=st.sampled_from(FRAMINGS),
    split=st.sampled_from((0, 450, 5, 9, 14, 17, 40)),
)
def test_untouched_records_survive_any_damage(seed: int, times: int, framing: Framing, split: int) -> None:
    check_untouched(
        framed(sample(10 if 0 < split < 18 else 30, seed % 5, others=framing != Framing.NO_RDW), framing, split),
        framing,
        seed,
        times,
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 1 << 32),
    times=st.sampled_from((1, 1, 2, 5)),
    size=st.sampled_from((300, 700, 1500)),
    blocked=st.booleans(),
)
def test_untouched_records_in_filled_blocks_survive_any_damage(seed: int, times: int, size: int, blocked: bool) -> None:
    check_untouched(*vbs(sample(20, seed % 5), size, blocked, seed), seed, times)


# -- time limit


@pytest.mark.parametrize("damaged", [False, True])
def test_the_time_limit_holds_inside_a_chunk(damaged: bool) -> None:
    """The reader is asked between the batches of a chunk and at each damaged span, not only when bytes are read."""

    class Late(io.BytesIO):
        calls = 0

        def check_time(self) -> None:
            self.calls += 1
            if self.calls > 3:
                raise TimeLimitError("late")

    data = (rdw([mq_record(n) for n in range(20)]) + b"junk" * damaged) * 50
    reader = Late(data)
    with pytest.raises(TimeLimitError):
        list(walk(reader, Framing.RDW, chunk_bytes=len(data) + 1))
    assert reader.tell() == len(data)


# -- real dumps


def reference(folder: Path, name: str) -> list[tuple[int, int, int]]:
    with (folder / name / "record.csv").open(newline="") as rows:
        return [(int(row["offset"]), int(row["length"]), int(row["segments"])) for row in csv.DictReader(rows)]


def test_real_dumps_are_walked_like_the_reference(dumps: Path, expected: Path) -> None:
    for path in sorted(dumps.glob("*.dat")):
        data = path.read_bytes()
        assert detect(data[: 1 << 20], len(data) <= 1 << 20) == Framing.RDW
        result, damage, _ = walked(data, Framing.RDW)
        assert [(each[0], each[2], each[3]) for each in result] == reference(expected, path.stem)
        assert not damage


def test_real_dumps_in_every_framing_give_the_same_records(dumps: Path) -> None:
    for path in sorted(dumps.glob("*.dat")):
        records, _ = contents(path.read_bytes(), Framing.RDW)
        for framing in FRAMINGS:
            for split in (0, 3000):
                data = framed(records, framing, split)
                assert contents(data, framing) == (records, [])
                assert detect(data[: 1 << 20], len(data) <= 1 << 20) is framing
        assert contents(path.read_bytes() * 2, Framing.RDW)[0] == records * 2


@pytest.mark.slow
def test_damaged_real_dumps_keep_their_untouched_records(dumps: Path) -> None:
    for path in sorted(dumps.glob("*.dat")):
        data = path.read_bytes()
        records, _ = contents(data, Framing.RDW)
        for framing in FRAMINGS:
            original = data if framing == Framing.RDW else framed(records, framing, 5000)
            for seed in range(3):
                check_untouched(original, framing, seed, 1 + 3 * seed)


_BODY = [(len(each) + 4).to_bytes(2, "big") + b"\0\0" + each for each in (mq_record(n) for n in range(1, 30))]
_PLAIN = b"".join(_BODY)


@pytest.mark.parametrize(
    ("data", "reason", "skipped"),
    [
        (b"".join(each.ljust(8192, b"\0") for each in _BODY), "fill", 29 * 8192 - len(_PLAIN)),
        (_PLAIN + bytes(1000), "fill", 1000),
        (_PLAIN + b"\x1a", "tail", 1),
        (_PLAIN + b"\r\n", "tail", 2),
        (_PLAIN + b"\x40" * 200, "tail", 200),
        (_PLAIN + b"250 Transfer completed successfully.\r\n", "tail", 38),
        (_PLAIN + "END OF JOB".encode("cp037") + b"\x15", "tail", 11),
        (_PLAIN + _BODY[0][:2], "", 0),
        (_PLAIN + _BODY[0][:4], "", 0),
        (_PLAIN + _BODY[0][:30], "", 0),
    ],
)
@pytest.mark.parametrize("chunk_bytes", [64, 1 << 20])
def test_fill_and_tails_are_no_damage(data: bytes, reason: str, skipped: int, chunk_bytes: int) -> None:
    chunks = list(walk(io.BytesIO(data), Framing.RDW, chunk_bytes=chunk_bytes))
    spans = [span for chunk in chunks for span in chunk.damage]
    assert sum(len(chunk.base) for chunk in chunks) == len(_BODY)
    assert sum(span.length for span in spans if span.reason in SKIPPED) == skipped
    assert {span.reason for span in spans} <= {reason or "truncated"}
    assert spans


def test_very_short_records_come_in_several_chunks() -> None:
    """So that memory does not grow with their number, whatever the chunk size."""
    count = 300_000
    data = rdw([dump_record(2)]) * count
    sizes = [len(chunk.base) for chunk in walk(io.BytesIO(data), Framing.RDW)]
    assert sum(sizes) == count
    assert max(sizes) < 1 << 18
