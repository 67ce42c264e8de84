"""Every framing of the table is recognised and read whole, alone and next to another one."""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mqstat.base.errors import UsageError
from mqstat.fixtures.frame import frame, joined
from mqstat.fixtures.scenarios import find
from mqstat.parsers import record as records_of_chunk
from mqstat.parsers.detection import detect
from mqstat.parsers.framing import BASIC, ESCAPED, FRAMINGS, Framing, Pattern
from mqstat.parsers.ledger import SKIPPED
from mqstat.parsers.resync import proves_itself
from mqstat.parsers.walk import walk
from tests.costs import cache
from tests.mutate import built
from tests.test_walk import contents, dump_record, mq_record, rdw, sample, segments, walked

NAMES = [each.name for each in FRAMINGS]


def written(records: list[bytes], name: str) -> bytes:
    """Records without RDW in a framing."""
    return frame([bytes(4) + record for record in records], name)


def read(data: bytes) -> tuple[list[bytes], Counter[str]]:
    """The records of an input whose framing is recognised, and its bytes that are damaged or skipped as spans, by
    reason.
    """
    framing = detect(data, True)
    assert framing is not None
    records, damage = contents(data, framing)
    lost: Counter[str] = Counter()
    for span in damage:
        lost[span.reason] += span.length
    return records, lost


@pytest.mark.parametrize("count", [1, 2, 3, 30])
@pytest.mark.parametrize("name", NAMES)
def test_every_framing_is_read_whole(name: str, count: int) -> None:
    """One record is read, from two on the framing is named; nothing is damaged then, and all bytes are counted
    (`walked`).
    """
    records = [mq_record(number, 300 + 37 * number) for number in range(count)]
    data = written(records, name)
    decoded, lost = read(data)
    assert decoded == records
    if count > 1:
        assert detect(data, True) == Framing(name)
        assert lost.keys() <= SKIPPED.keys()
        for chunk_bytes in (700, 5000):
            assert walked(data, Framing(name), chunk_bytes=chunk_bytes) == walked(data, Framing(name))


@pytest.mark.parametrize("name", [each.name for each in FRAMINGS if each.states_length])
def test_records_of_all_types_are_read_where_lengths_are_stated(name: str) -> None:
    records = sample(30)
    decoded, lost = read(written(records, name))
    assert decoded == records
    assert lost.keys() <= SKIPPED.keys()


@pytest.mark.parametrize("name", NAMES)
def test_ranges_of_a_framing_give_the_records_of_the_whole(name: str) -> None:
    data = written([mq_record(number) for number in range(12)], name)
    whole = walked(data, Framing(name))
    stop = whole[0][5][0]
    low = walked(data, Framing(name), stop=stop)
    high = walked(data, Framing(name), start=low[2])
    assert [each[4] for each in low[0] + high[0]] == [each[4] for each in whole[0]]
    assert low[2] + high[2] == whole[2] == len(data)


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        (Pattern(7, 0), "records with RDW, 7 bytes before each"),
        (Pattern(2, 3, "none"), "records without RDW, 2 bytes before and 3 bytes after each"),
        (Pattern(12, 0, "be4", 8, 12), "records without RDW, 12 bytes before each"),
        (Pattern(6, 0, "le2", 6, -3), "records without RDW, 6 bytes before each"),
    ],
)
def test_any_pattern_is_read(pattern: Pattern, shown: str) -> None:
    """Also those that nobody has seen yet."""
    records = [dump_record(2), *(mq_record(number, 200 + 91 * number) for number in range(8))]
    data = b""
    for record in records:
        before = bytearray(b"\x99" * pattern.before)
        kept = (len(record) + 4).to_bytes(2, "big") + b"\0\0" if pattern.length == "rdw" else b""
        if pattern.back:
            width, order = pattern.number
            at = pattern.before - pattern.back
            stated = len(record) + pattern.extra
            before[at : at + width] = stated.to_bytes(width, "big" if order == "big" else "little")
        data += bytes(before) + kept + record + b"\x77" * pattern.after
    framing = detect(data, True)
    assert framing == Framing(pattern.name)
    assert framing.text == shown
    decoded, lost = read(data)
    assert decoded == records
    assert lost.keys() <= {"prefix"}


@pytest.mark.parametrize(
    "name", ["prefix.65.0.rdw", "prefix.1.0", "prefix.1.0.be2.2.0", "prefix.01.0.rdw", "prefix.1.0.none.1.0", "ebcdic"]
)
def test_what_is_no_framing_has_no_name(name: str) -> None:
    with pytest.raises(UsageError, match="There is no framing"):
        Framing(name)


@pytest.mark.parametrize(
    "first", ["rdw", "bdw", "no-rdw", "prefix.3.0.rdw", "prefix.4.0.le4.4.0", "prefix.4.4.be4.4.0"]
)
@pytest.mark.parametrize(
    "second", ["rdw", "bdw", "length-prefixed", "prefix.1.0.rdw", "prefix.2.0.be2.2.0", "prefix.0.2.none"]
)
def test_two_transfers_in_one_file_are_read_whole(first: str, second: str) -> None:
    records = [mq_record(number, 200 + 31 * number) for number in range(9)]
    data = written(records[:5], first) + written(records[5:], second)
    decoded, lost = read(data)
    assert decoded == records
    assert lost.total() - lost["prefix"] - lost["tail"] <= 4, lost  # what follows the last record of the first part


def parts(seed: int) -> tuple[bytes, list[bytes], list[bytes]]:
    """Dumps in two or three framings, one after the other, each cut anywhere: the file, the records that are whole, and
    all.
    """
    rng = random.Random(seed)
    data, whole, every = b"", [], []
    names = [each.name for each in FRAMINGS if Framing(each.name) not in ESCAPED]
    for number in range(rng.choice((2, 2, 3))):
        name = rng.choice(names)
        records = [mq_record(rng.randrange(1 << 20), rng.randrange(100, 3000)) for _ in range(rng.randrange(4, 9))]
        pieces = [written([record], name) for record in records]
        part = b"".join(pieces)
        low = rng.randrange(len(pieces[0])) if number == 0 and rng.random() < 0.5 else 0
        high = rng.randrange(sum(map(len, pieces[:4])), len(part) + 1)
        at = 0
        for record, piece in zip(records, pieces, strict=True):
            if low <= at and at + len(piece) <= high:
                whole.append(record)
            at += len(piece)
        data += part[low:high]
        every += records
    return data, whole, every


def sound(data: bytes) -> list[bytes]:
    """The MQ records that are decoded."""
    framing = detect(data, True)
    assert framing is not None
    decoded = []
    for chunk in walk(io.BytesIO(data), framing):
        r = records_of_chunk.read(chunk, 0)
        rows = np.flatnonzero(r.outcome == records_of_chunk.DECODED)
        for base, length in zip(r.base[rows].tolist(), r.length[rows].tolist(), strict=True):
            decoded.append(chunk.buffer[base + 4 : base + length].tobytes())
    return decoded


@pytest.mark.slow
@settings(max_examples=250, deadline=None, derandomize=True)  # of 10,000 others, one loses a record by coincidence
@given(seed=st.integers(0, 1 << 32))
@example(seed=106)  # a length of the same width that does not count itself, in the last three records of its framing
@example(seed=105603)  # the first half of the first length of a framing belongs to the record that is cut off before it
@example(seed=896)  # a length that counts itself after one that does not, both lead to the next record
@example(seed=1227)  # the length of a record that is cut off leads to the second record of the next framing
@example(seed=2814)  # a length is the same number from both ends
def test_whole_records_of_cut_dumps_in_any_framings_are_read(seed: int) -> None:
    data, whole, every = parts(seed)
    decoded, _ = read(data)
    assert Counter(whole) - Counter(decoded) == Counter()
    # A record that was cut off in its last section is proven by the rest of it; SMF has no checksum.
    starts = {record[:-60] for record in every}
    assert [len(each) for each in sound(data) if each[:-60] not in starts] == []


@pytest.mark.slow
def test_all_records_of_real_dumps_are_read_in_every_framing(dumps: Path) -> None:
    dumped = {path.name: path.read_bytes() for path in sorted(dumps.glob("*.dat"))} | {"sample": find("sample").build()}
    for title, data in dumped.items():
        records = [record[4:] for record in joined(data)]
        assert all(proves_itself(each, 0, len(each)) for each in joined(data) if each[5] in (115, 116))
        for name in NAMES:
            kept = (
                [record for record in records if record[1] in (2, 3, 115, 116)] if not states_length(name) else records
            )
            decoded, lost = read(written(kept, name))
            assert decoded == kept, (title, name)
            assert lost.keys() <= SKIPPED.keys()


def states_length(name: str) -> bool:
    return next(each.states_length for each in FRAMINGS if each.name == name)


def test_the_basic_framings_are_declared() -> None:
    assert {each.value for each in BASIC} <= set(NAMES)


@cache
def real(level: str, kind: int, subtype: int) -> bytes:
    """A record with all its sections, without its RDW."""
    numbers = bytes([kind]), subtype.to_bytes(2, "big")
    return next(each[4:] for each in built(level) if (each[5:6], each[22:24]) == numbers)


def changed(record: bytes, offset: int, put: bytes) -> bytes:
    """A record with other bytes at an offset of its layout, which counts the RDW."""
    return record[: offset - 4] + put + record[offset - 4 + len(put) :]


def in_parts(first: bytes, rest: bytes) -> bytes:
    """The segments of the first bytes of a record, and bytes that continue them."""
    *parts, last = segments(first, 24)
    return b"".join(parts) + last[:2] + b"\3" + last[3:] + rest


NO_RECORDS: dict[str, tuple[str, int, Callable[[bytes, bytes, bytes], bytes]]] = {
    "a stub alone, which shows no end": ("no-rdw", 900, lambda stub, short, long: changed(stub, 42, b"\0\0")),
    "a section of another length": ("no-rdw", 900, lambda stub, short, long: changed(stub, 40, b"\0\x40")),
    "sections overlap": ("no-rdw", 900, lambda stub, short, long: changed(short, 44, b"\0\0\1\x9a")),
    "a header without a date": ("length-prefixed", 0, lambda stub, short, long: changed(short, 10, bytes(18))),
    "segments of two records": ("rdw", 0, lambda stub, short, long: in_parts(stub[:200], rdw([long], 24)[-352:])),
    "a QWHC as segment": (
        "rdw",
        900,
        lambda stub, short, long: in_parts(long[:-100] + bytes(4) + long[-100:-92], long[-92:]),
    ),
    "a number that is not the length": (
        "rdw",
        0,
        lambda stub, short, long: (
            b"\xff\xff\xff%b" % (len(stub) - 33).to_bytes(2, "little")
            + bytes(11)
            + stub
            + bytes(16)
            + changed(long, 28, b"\xff")
        ),
    ),
}
"""Framing, bytes of garbage after it, and what is damaged in a record with a stub, a short one, or one that ends with
its QWHC."""


@pytest.mark.parametrize("damage", NO_RECORDS)
def test_what_does_not_add_up_is_no_record(damage: str) -> None:
    """What campaign/random_faults once read as records: nothing that is there shows that it is one record, or where it
    ends.
    """
    name, junk, make = NO_RECORDS[damage]
    before, after = [mq_record(0), mq_record(1)], [mq_record(2), mq_record(3)]
    damaged = make(real("10.0.0", 115, 5), real("10.0.0", 116, 0), real("8.0.0", 116, 0))
    framed = damaged if name == "rdw" else written([damaged], name)
    data = written(before, name) + framed + random.Random(3).randbytes(junk) + written(after, name)
    assert sound(data) == before + after


def test_a_record_of_a_stub_alone_is_proven_by_what_follows() -> None:
    alone = changed(real("10.0.0", 115, 5), 42, b"\0\0")[:60]
    records = [mq_record(0), alone, mq_record(1), mq_record(2)]
    assert contents(written(records, "no-rdw"), Framing.NO_RDW)[0] == records
