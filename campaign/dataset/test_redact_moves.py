"""mqstat redact: bytes that mean nothing are zero, sequence numbers and clocks are moved, and the secret is a key or a passphrase."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from campaign.dataset.test_redact_dataset import assert_same_names, ingested, made, redact, tables
from mqstat.base.errors import UsageError
from mqstat.cli import run
from mqstat.dataset.store import open_dataset
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.parsers import LAYOUTS
from mqstat.parsers.kit import Flag
from mqstat.share.dataset_redaction import _moved_numbers
from mqstat.share.moves import (
    HUNDREDTH,
    NUMBERS,
    header_times,
    kind_of,
    offset_of,
    offset_text,
    sequence_offset,
    store_clocks,
)
from mqstat.share.pseudonyms import Pseudonyms
from mqstat.share.secret import secret_of
from tests.support import Tables, decode_file, file_of, invoke, small_dump
from tests.test_redact import KEY, figures, findings, records_of, redacted

__all__ = ["made"]  # a fixture

ODD = "-400d7h11m5.03s"
EPOCH_1900 = 2_208_988_800_000_000


def described(record: bytes) -> Iterator[tuple[int, int]]:
    """(place, bits) of every byte of a record that the layouts describe; read from the triplets, without the reader of the product."""
    for place in (*range(2), *range(4, 27)):
        yield place, 0xFF
    key = (record[5], int.from_bytes(record[22:24], "big"))
    triplets = [
        (int.from_bytes(record[at : at + 4], "big"), int.from_bytes(record[at + 4 : at + 6], "big"), int.from_bytes(record[at + 6 : at + 8], "big"))
        for at in range(28, min(int.from_bytes(record[28:32], "big"), len(record)), 8)
    ]  # fmt: skip
    for place in range(28, 28 + 8 * len(triplets)):
        yield place, 0xFF
    if key == (115, 240):
        return
    start, length, _ = triplets[0]
    own = int.from_bytes(record[start : start + 2], "big")
    parts = [("qwhs", start, 4 if own == 1 else own)]
    if key[0] == 116 and key[1] < 3:
        parts.append(("qwhc", start + own, 92))
    if record[start + length - 16 : start + length - 12] == b"\0\x10\x10\0":
        parts.append(("qwhx", start + length - 16, 16))
        yield start + length - 13, 0xFF  # reserved, but it is zero in a QWHX and identifies it
    for number, (at, width, count) in enumerate(triplets):
        for name, layout in LAYOUTS.items():
            if (*key, number) in layout.routes:
                parts += [(name, at + width * each, width) for each in range(count)]
    for name, at, width in parts:
        for field in LAYOUTS[name].named:
            for _, begin in field.elements:
                if begin + field.type.width <= width and not field.reserved:
                    bits = field.type.pack(1) if isinstance(field.type, Flag) else b"\xff" * field.type.width
                    if name == "qwhs" and begin == 32 and record[start + 3] == 0xF7:
                        bits = b"\0"
                    yield from ((at + begin + place, each) for place, each in enumerate(bits))


def with_random_rest(dump: bytes) -> tuple[bytes, int]:
    """A dump with random bits in place of all that no layout describes, and how many bytes that concerns."""
    noise = random.Random(7)
    out, changed = [], 0
    for record in records_of(dump):
        bits = bytearray(len(record))
        bits[2:4] = b"\xff\xff"  # the segment number: spanned records are left as they are
        if record[5] in (115, 116) and record[2] == 0:
            for place, mask in described(record):
                bits[place] |= mask
        else:
            bits = bytearray(b"\xff" * len(record))
        made = bytes(a & m | noise.randrange(256) & ~m & 0xFF for a, m in zip(record, bits, strict=True))
        changed += sum(a != b for a, b in zip(made, record, strict=True))
        out.append(made)
    return b"".join(out), changed


@pytest.mark.parametrize("name", ["odd_accounting", pytest.param("rich_estate", marks=pytest.mark.slow)])
def test_bytes_that_no_layout_describes_have_no_influence(name: str, tmp_path: Path) -> None:
    """What is in residual storage, reserved fields, unused bits, gaps and tails is not in the output in any way."""
    original = b"".join(record for record in records_of(SCENARIOS[name].build()) if record[2] == 0)[:400_000]
    original = b"".join(records_of(original)[:-1])
    noisy, changed = with_random_rest(original)
    assert changed > 1000
    made = [redacted(file_of(data, tmp_path), tmp_path).read_bytes() for data in (original, noisy)]
    assert made[0] == made[1]


def test_flags_of_the_header_are_residual_storage_in_class_3(tmp_path: Path) -> None:
    word = "QPAY".encode("cp037")
    records = [bytearray(each) for each in records_of(SCENARIOS["odd_accounting"].build())]
    for each in records:
        if each[5] == 116 and each[22:24] == b"\0\1":
            start = int.from_bytes(each[28:32], "big")
            each[start + 32 : start + 36] = word
    dump = file_of(b"".join(map(bytes, records)), tmp_path)
    assert word in dump.read_bytes()
    assert word not in redacted(dump, tmp_path).read_bytes()
    set_ = ingested(tmp_path / "set", dump)
    headers = tables(redact(set_, tmp_path / "shared"))["qwhs"]
    assert {*headers["header_flags_2"].to_pylist(), *headers["header_flags_4"].to_pylist()} == {"00", None}
    assert {row["extension_follows"] for row in headers.to_pylist() if row["resource_manager"] == "F7"} == {False}


def sequences(all_tables: Tables) -> dict[tuple[Any, ...], list[int]]:
    """The numbers of each kind of record of a queue manager, in the order of the records."""
    out: dict[tuple[Any, ...], list[int]] = {}
    for row in all_tables["qwhs"].to_pylist():
        for column, kind in (("instrumentation_sequence", row["instrumentation_id"]), ("trace_sequence", None)):
            if row[column]:
                out.setdefault((row["lpar"], row["qmgr"], row["resource_manager"], kind), []).append(row[column])
    return out


def test_sequence_numbers_move_and_gaps_stay(tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["odd_accounting"].build(), tmp_path)
    before, after = (sequences(decode_file(path)[0]) for path in (dump, redacted(dump, tmp_path)))
    assert before.keys() == after.keys()
    moved = {key: {b - a for a, b in zip(before[key], after[key], strict=True)} for key in before}
    assert {len(each) for each in moved.values()} == {1}, "one amount for each kind of a queue manager"
    assert all(NUMBERS <= amount < NUMBERS * 3 // 2 for each in moved.values() for amount in each)
    of_kinds = [min(each) for key, each in moved.items() if key[-1] is not None]
    assert len({*of_kinds}) == len(of_kinds) > 1
    everywhere = {(*key[:2], amount) for key, each in moved.items() if key[-1] is None for amount in each}
    assert len(everywhere) == len({key[:2] for key in before}), "the number over all kinds moves by one amount too"


def test_numbers_move_in_every_table_that_has_them() -> None:
    """A table without the flags of the header, with dictionaries for its texts, and with rows that have no number."""
    names = Pseudonyms(KEY)
    texts = {
        "lpar": ["SYS1", "SYS1", "SYS1", None],
        "qmgr": ["MQ01"] * 3 + [None],
        "resource_manager": ["1A", "F7", "E7", None],
    }
    rows = pa.table(
        {
            **{name: pa.array(values, pa.string()).dictionary_encode() for name, values in texts.items()},
            "instrumentation_id": pa.array([1, 25, 0, None], pa.int64()),
            "instrumentation_sequence": pa.array([7, 8, 0, None], pa.int64()),
            "trace_sequence": pa.array([70, 80, 0, None], pa.int64()),
        }
    )
    moved = _moved_numbers(rows, names).to_pylist()
    kinds = [sequence_offset(names, "SYS1", "MQ01", kind_of(*each)) for each in (("1A", 1), ("F7", 25))]
    everywhere = sequence_offset(names, "SYS1", "MQ01")
    assert [row["instrumentation_sequence"] for row in moved] == [7 + kinds[0], 8 + kinds[1], 0, None]
    assert [row["trace_sequence"] for row in moved] == [70 + everywhere, 80 + everywhere, 0, None]
    assert [row["lpar"] for row in moved] == texts["lpar"]


def clocks_of(all_tables: Tables) -> set[bytes]:
    """All times of decoded tables as a store clock has them, without the last bits, and as the header of a record has them."""
    out = set()
    for table in all_tables.values():
        for field in table.schema:
            if pa.types.is_timestamp(field.type):
                for us in table[field.name].cast(pa.int64()).unique().to_pylist():
                    if us is not None:
                        out.add(((us + EPOCH_1900) << 12).to_bytes(8, "big")[:6])
                        day = dt.date(1970, 1, 1) + dt.timedelta(us // 86_400_000_000)
                        out.add((us % 86_400_000_000 // 10_000).to_bytes(4, "big") + bytes.fromhex(f"01{day:%y%j}f"))
    return out


@pytest.mark.parametrize("offset", [ODD, pytest.param("key", marks=pytest.mark.slow)])
def test_no_clock_of_the_input_is_in_the_output(offset: str, tmp_path: Path) -> None:
    dump = file_of(SCENARIOS["odd_accounting"].build(), tmp_path)
    before = decode_file(dump)[0]
    into = redacted(dump, tmp_path, "--shift", offset)
    content, original = into.read_bytes(), dump.read_bytes()
    clocks = clocks_of(before)
    assert sum(clock in original for clock in clocks) > 50
    assert [clock.hex() for clock in clocks if clock in content] == []
    assert_moved(before, decode_file(into)[0], offset_of(offset, Pseudonyms(KEY)))
    assert redacted(dump, tmp_path, "--shift", offset).read_bytes() == content


def assert_moved(before: Tables, after: Tables, us: int) -> None:
    """All times of the decoded tables are later by so much; all other figures, also lengths of time, are equal."""
    mine, other = figures(before), figures(after)
    assert mine.keys() == other.keys()
    for column, values in mine.items():
        moved = [each + dt.timedelta(microseconds=us) if isinstance(each, dt.datetime) else each for each in values]
        if any(isinstance(each, dt.date) and not isinstance(each, dt.datetime) for each in values):
            continue  # the day of a row, which follows from its time
        if column.endswith(".task_correlator"):
            assert [each[16:] for each in values] == [each[16:] for each in other[column]]
            assert not {*values} & {*other[column]}
            assert len({*values}) == len({*other[column]})
        else:
            assert moved == other[column], column


@pytest.mark.parametrize("name", ["rich_estate", "shared_queue_habits"])
def test_findings_are_equal_with_moved_clocks(name: str, tmp_path: Path) -> None:
    dump = file_of(SCENARIOS[name].build(), tmp_path)
    assert_findings_equal(dump, tmp_path)


def test_findings_of_a_real_dump_are_equal_with_moved_clocks(dump: Path, tmp_path: Path) -> None:
    assert_findings_equal(dump, tmp_path)


def assert_findings_equal(dump: Path, folder: Path) -> None:
    before = findings(dump)
    assert sum(before.values()) > 20
    assert findings(redacted(dump, folder, "--shift", "key")) == before
    clocks = clocks_of(decode_file(dump)[0])
    content = redacted(dump, folder, "--shift", ODD).read_bytes()
    assert [clock.hex() for clock in clocks if clock in content] == []


def test_offsets() -> None:
    names = Pseudonyms(KEY)
    for text in ("-400d", "3d7h20m5.25s", "0.01s", "1h", "-7d0.50s"):
        assert offset_of(offset_text(offset_of(text, names)), names) == offset_of(text, names)
    assert offset_of("-400d", names) == -400 * 86_400_000_000
    assert offset_of("5.2s", names) == 5_200_000
    by_key = offset_of("key", names)
    assert by_key % (7 * 86_400_000_000) == 0
    assert -520 <= by_key // (7 * 86_400_000_000) <= -52
    assert by_key != offset_of("key", Pseudonyms(KEY + b"2"))
    for text in ("", "-", "5", "tomorrow", "0d", "9999d", "1.234s", "-3.5d", "d"):
        with pytest.raises(UsageError):
            offset_of(text, names)


def test_clocks_at_the_edges() -> None:
    raw = [0, 5, EPOCH_1900 << 12, (EPOCH_1900 << 12) + 0xABC, (1 << 64) - 1]
    cells = np.array(raw, ">u8").view(np.uint8).reshape(-1, 8)
    later = store_clocks(cells, 7).view(">u8").ravel().tolist()
    assert later == [0, 0, EPOCH_1900 + 7 << 12, (EPOCH_1900 + 7 << 12) + 0xABC, 0]
    assert not store_clocks(cells[:4], -7).any(), "before 1970 a clock was never set"
    times = [
        (0, "0126001f", 0, "0126001f"), (8_639_999, "0125365f", 1, "0126001f"), (0, "0100001f", 1, "0100001f"),
        (0, "0096060f", -1, "0096059f"), (5, "0126000f", 1, "00000000"), (9_000_000, "0126001f", 1, "00000000"),
    ]  # fmt: skip
    for hundredths, date, by, expected in times:
        cell = np.frombuffer(hundredths.to_bytes(4, "big") + bytes.fromhex(date), np.uint8).reshape(1, 8)
        moved = header_times(cell, by * HUNDREDTH).tobytes()
        assert moved[4:].hex() == expected
        assert (int.from_bytes(moved[:4], "big") - hundredths - by) % 8_640_000 == 0 or expected == "00000000"


def test_a_passphrase_gives_the_key(tmp_path: Path) -> None:
    words = tmp_path / "words"
    made = []
    for text in ("five random words of mine\n", "five random words of mine", "five random words of yours"):
        words.write_text(text, encoding="utf-8")
        made.append(secret_of(None, words))
    assert made[0] == made[1] != made[2]
    assert {len(each) for each in made} == {32}
    assert secret_of(words, None) == b"five random words of yours", "the bytes of a key file are the key itself"
    dump = file_of(small_dump(), tmp_path)
    assert run(["redact", str(dump), "--into", str(tmp_path / "shared"), "--passphrase-file", str(words)]) == 0
    (tmp_path / "key").write_bytes(made[2])
    assert run(["redact", str(dump), "--into", str(tmp_path / "again"), "--key-file", str(tmp_path / "key")]) == 0
    assert (tmp_path / "shared").read_bytes() == (tmp_path / "again").read_bytes()


def test_what_gives_no_secret_or_offset_is_refused(tmp_path: Path) -> None:
    dump = file_of(small_dump(), tmp_path)
    made = ingested(tmp_path / "set", dump)
    (tmp_path / "short").write_text("only 14 chars.")
    (tmp_path / "binary").write_bytes(b"\xff" * 32)
    for data, options, words in (
        (dump, ("--passphrase-file", tmp_path / "short"), "14 characters; write 15 or more"),
        (dump, ("--passphrase-file", tmp_path / "binary"), "is not UTF-8 text"),
        (dump, ("--passphrase-file", tmp_path / "none"), "cannot be read"),
        (dump, ("--passphrase-file", tmp_path / "binary", "--key-file", tmp_path / "binary"), "remove one"),
        (dump, ("--shift", "soon"), "is not an offset"),
        (made, ("--shift", "5h"), "move by whole days"),
    ):
        done = invoke("redact", data, "--into", tmp_path / "x", *options)
        assert (done.returncode, words in done.stderr) == (16, True), done.stderr
        assert not (tmp_path / "x" / "manifest.jsonl").exists()


def test_a_dataset_moves_as_its_dump_does(tmp_path: Path) -> None:
    dump = file_of(small_dump(), tmp_path)
    into = redact(ingested(tmp_path / "set", dump), tmp_path / "shared", "--shift", "key")
    assert_same_names(tables(ingested(tmp_path / "of", redacted(dump, tmp_path, "--shift", "key"))), tables(into))
    days = [{entry.path[:-20] for entry in open_dataset(each).manifest.files} for each in (into, tmp_path / "of")]
    assert days[0] == days[1]


def test_sums_and_dropped_days_move(made: Path, tmp_path: Path) -> None:
    """Hourly sums are in the files of their new months; days that left the dataset, and those of a selection, are moved too."""
    into = redact(made, tmp_path / "shared", "--shift", "-400d")
    before, after = open_dataset(made).manifest, open_dataset(into).manifest
    assert [each.day for each in after.dropped] == [moved(each.day) for each in before.dropped]
    assert [each.pruned_before for each in after.sources] == [
        each.pruned_before and moved(each.pruned_before) for each in before.sources
    ]
    hours = [Counter[Any](), Counter[Any]()]
    for folder, manifest, counted in ((made, before, hours[0]), (into, after, hours[1])):
        for entry in manifest.hourly:
            for row in pa.parquet.read_table(folder / entry.path).to_pylist():
                assert f"{row['hour_local']:%Y-%m}" == entry.path.split("/")[2][:7]
                counted[entry.table, row["hour_local"], row["rows"]] += 1
    assert hours[1] == Counter({(t, hour - dt.timedelta(400), rows): n for (t, hour, rows), n in hours[0].items()})
    assert run(["verify", "--rebuild", str(into)]) == 0


def moved(day: str) -> str:
    return str(dt.date.fromisoformat(day) - dt.timedelta(400))
