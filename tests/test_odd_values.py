"""Contents that no layout describes are kept and counted, and meaningless values are null: built records of several
levels.
"""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.build import length_at, other_record, record, section, stck
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake import part
from mqstat.intake.raw import write_all
from mqstat.parsers import LAYOUTS, batch
from mqstat.parsers.kit import BELIEVED
from tests.support import MINUTE, decode_bytes, decode_file, source_of, unknown_record

NOON = dt.datetime(2026, 5, 4, 12)
OWNER = QueueManager("MQ01", "SYS1", pool_headers=3, getmains=3)

# --------------------------------------------------------------------------------- what no layout knows, and odd values


def one_record(smf_type: int, subtype: int, sections: dict[int, list[bytes]], level: str = "10.0.0") -> bytes:
    return record(
        smf_type, subtype, sections, lpar="SYS1", qmgr="MQ01", level=level, interval_start=NOON, interval_us=60_000_000
    )


def test_unknown_contents_are_kept_raw_and_change_no_class(tmp_path: Path) -> None:
    pool = section("qpst", pool_id=3, buffers=10)
    unknown = unknown_record(OWNER, NOON)
    records = [
        one_record(115, 215, {1: [pool], 2: [b"ABCD", b"EFGH"]}),  # a triplet that is not known
        one_record(115, 215, {1: [pool + b"tail", pool + b"more"]}),  # sections longer than known
        unknown,
        *OWNER.interval(NOON, 0.5, kinds=(240,)),
        other_record(30, 200, lpar="SYS1", written_local=NOON, subtype=4),
        other_record(30, 300, lpar="SYS1", written_local=NOON + MINUTE, subtype=5),
        other_record(1154, 90, lpar="SYS2", written_local=NOON),
        other_record(126, 40, lpar="SYS2", written_local=NOON),
    ]
    made, result = decode_bytes(smf_file(records, dump_header=False, trailer=False), tmp_path)
    ledger = result.part.ledger
    assert ledger.records.as_dict() == {
        "input": 8,
        "decoded": 2,
        "other_types": 4,
        "internal": 1,
        "raw": 1,
        "damaged": 0,
        "duplicate": 0,
        "skipped": 0,
    }
    assert ledger.as_dict()["sections_with_tails"] == {"count": 2, "bytes": 8}
    rows = made["raw_bytes"].to_pylist()
    assert [(row["record_id"], row["section"], row["raw_reason"], row["content"]) for row in rows] == [
        (0, 0, "unknown-section", b"ABCD"), (0, 1, "unknown-section", b"EFGH"), (1, 0, "tail", b"tail"), (1, 1, "tail", b"more"),
        (2, 0, "unknown-subtype", unknown[4:]),
    ]  # fmt: skip
    assert [row["structure"] for row in rows] == [None, None, "qpst", "qpst", None]
    assert [row["triplet"] for row in rows] == [2, 2, 1, 1, None]
    assert made["qpst"]["pool_id"].to_pylist() == [3, 3, 3]
    assert made["qpst"]["section_length"].to_pylist() == [104, 108, 108]
    assert made["record"]["outcome"].to_pylist() == ["decoded", "decoded", "raw", "internal"]
    others = made["other_record"].to_pylist()
    assert [(row["lpar"], row["smf_type"], row["records"], row["bytes"]) for row in others] == [
        ("SYS1", 30, 2, 500),
        ("SYS2", 126, 1, 40),
        ("SYS2", 1154, 1, 90),
    ]
    assert (others[0]["first_written_local"], others[0]["last_written_local"]) == (NOON, NOON + MINUTE)
    assert made["section"].num_rows == 3


@pytest.mark.parametrize("length", [18, 20, 24, 27, 28, 30, 35])
def test_records_too_short_for_a_header_are_damaged_or_raw(length: int, tmp_path: Path) -> None:
    sound = OWNER.interval(NOON, 600, kinds=(1, 215))
    short = length.to_bytes(2, "big") + sound[0][2:length]
    made, result = decode_bytes(smf_file([sound[0], short, sound[1]]), tmp_path)
    ledger = result.part.ledger
    assert ledger.balanced
    assert (ledger.records.decoded, ledger.records.damaged, ledger.bytes.damaged) == (2, 1, length)
    assert "short-record" in {span.reason for span in ledger.damage}
    assert made["qpst"].num_rows == 4


def test_numbers_that_no_queue_manager_counts_are_null_and_counted(tmp_path: Path) -> None:
    """One of them would make the sums and products of a report exceed 64 bits. The limit itself is believed."""
    most = BELIEVED
    values = [
        section("qsrs", cushion_64_bytes=1 << 63, memlimit_mib=(1 << 64) - 1),
        section("qsrs", cushion_64_bytes=most["bytes"] + 1, memlimit_mib=most["mib"] + 1),
        section("qsrs", cushion_64_bytes=most["bytes"], memlimit_mib=most["mib"]),
    ]
    times = [section("q5st", delete_thread_us=most["us"] + extra) for extra in (0, 1)]
    records = [one_record(115, 7, {1: [each]}) for each in values] + [one_record(115, 2, {5: [each]}) for each in times]
    made, result = decode_bytes(smf_file(records), tmp_path)
    assert made["qsrs"]["cushion_64_bytes"].to_pylist() == [None, None, most["bytes"]]
    assert made["qsrs"]["memlimit_mib"].to_pylist() == [None, None, most["mib"]]
    assert made["qsrs"]["memlimit_mib_no_limit"].to_pylist() == [False] * 3
    assert made["q5st"]["delete_thread_us"].to_pylist() == [most["us"], None]
    assert result.part.lost == {
        ("qsrs", "cushion_64_bytes", "too big"): 2,
        ("qsrs", "memlimit_mib", "too big"): 2,
        ("q5st", "delete_thread_us", "too big"): 1,
    }


def test_no_limit_and_never_set_are_null_and_distinguished(tmp_path: Path) -> None:
    absent = section("qcct", length_at("qcct", "8.0.0"))
    limited = section("qcct", 64, chinit_64_limit_mib=7)
    unlimited = section("qcct", 64, chinit_64_limit_mib_no_limit=True)
    made, _ = decode_bytes(
        smf_file([one_record(115, 231, {1: [content]}) for content in (absent, limited, unlimited)]), tmp_path
    )
    assert made["qcct"]["chinit_64_limit_mib"].to_pylist() == [None, 7, None]
    assert made["qcct"]["chinit_64_limit_mib_no_limit"].to_pylist() == [None, False, True]
    pools = [section("qpst", pool_id=i, lowest_stealable=value) for i, value in enumerate((None, 5, 0))]
    made, _ = decode_bytes(smf_file([one_record(115, 215, {1: pools})]), tmp_path)
    assert made["qpst"]["lowest_stealable"].to_pylist() == [None, 5, 0]
    blocks = [section("wq", 2800, get_bytes_low=low, open_name=name) for low, name in ((None, "A"), (9, ""))]
    made, _ = decode_bytes(smf_file([one_record(116, 2, {2: blocks})]), tmp_path)
    assert (made["wq"]["get_bytes_low"].to_pylist(), made["wq"]["open_name"].to_pylist()) == ([None, 9], ["A", None])
    assert made["wq"]["opened_utc"].to_pylist() == [None, None]


@pytest.mark.parametrize("level", ["8.0.0", "9.4.0", "9.4.5", "10.0.0"])
def test_lengths_of_every_level(level: str, tmp_path: Path) -> None:
    owner = QueueManager(
        "MQ01", "SYS1", level=level, structures=("APP1",), shared_data_sets=("APP1",), pool_headers=2, getmains=2
    )
    records = owner.interval(NOON, 600) + accounting.class3(owner, Task(), NOON, NOON + MINUTE, ["Q1"])
    made, result = decode_bytes(smf_file(records), tmp_path)
    assert result.part.ledger.damaged_spans == 0
    assert not result.part.ledger.tail_sections
    for name in ("qjst", "qmst", "qcct", "wq", "wtas", "qesd"):
        assert set(made[name]["section_length"].to_pylist()) == {length_at(name, level)}, name
        assert set(made[name]["mq_version"].to_pylist()) == {level}
    for name, table in made.items():
        for item in LAYOUTS[name].named if name in LAYOUTS else ():
            if not item.child and not item.columns:
                inside = item.end <= length_at(name, level) if name in ("qjst", "qmst", "qcct", "wq", "qesd") else None
                if inside is False:
                    assert set(table[item.name].to_pylist()) == {None}, f"{name}.{item.name} is not there at {level}"


@pytest.mark.parametrize(("level", "shifted"), [("8.0.0", False), ("9.4.5", False), ("10.0.0", True)])
def test_latch_waits_are_shifted_back_at_10_0_0_only(level: str, shifted: bool, tmp_path: Path) -> None:
    us = 250
    raw = us << 12 << 32
    task = bytearray(
        section(
            "wtas",
            2344,
            latch_class_waits={19: 1, 30: 2},
            task_interval_start_utc=NOON,
            task_interval_end_utc=NOON + MINUTE,
        )
    )
    fields = {field.name: field for field in LAYOUTS["wtas"].fields}
    for at in (fields["longest_latch_us"].at, fields["latch_class_wait_us"].elements[18][1]):
        task[at : at + 8] = raw.to_bytes(8, "big")
    small = fields["latch_class_wait_us"].elements[29][1]
    task[small : small + 8] = (us << 12).to_bytes(8, "big")  # not shifted: stays as it is at every level
    made, _ = decode_bytes(smf_file([one_record(116, 1, {2: [bytes(task)]}, level)]), tmp_path)
    longest = made["wtas"].select(["longest_latch_us", "longest_latch_raw_us", "longest_latch_shifted"]).to_pylist()
    assert longest == [
        {
            "longest_latch_us": us if shifted else us << 32,
            "longest_latch_raw_us": us << 32,
            "longest_latch_shifted": shifted,
        }
    ]
    latch = made["wtas_latch"].select(
        ["latch_class", "latch_class_wait_us", "latch_class_wait_raw_us", "latch_class_wait_shifted"]
    )
    assert [tuple(row.values()) for row in latch.to_pylist()] == [
        (19, us if shifted else us << 32, us << 32, shifted),
        (30, us, us, False),
    ]
    assert made["wtas"]["has_latches"].to_pylist() == [True]


def test_clocks_before_1970_and_zero_are_null(tmp_path: Path) -> None:
    early = stck(dt.datetime(1970, 1, 1)) - 4096
    blocks = [bytearray(section("wq", 2800, open_name=f"Q{i}")) for i in range(3)]
    at = next(field.at for field in LAYOUTS["wq"].fields if field.name == "opened_utc")
    for block, value in zip(blocks, (0, early, early + 4096), strict=True):
        block[at : at + 8] = value.to_bytes(8, "big")
    made, _ = decode_bytes(smf_file([one_record(116, 2, {2: [bytes(block) for block in blocks]})]), tmp_path)
    assert made["wq"]["opened_utc"].to_pylist() == [None, None, dt.datetime(1970, 1, 1)]


def test_a_coupling_facility_section_without_structures_has_no_raw_rows(tmp_path: Path) -> None:
    """Every slot unused: the section is in table qest, and neither qest_structure nor the raw view has a row."""
    dump = tmp_path / "no-structures.smf"
    empty = one_record(115, 2, {6: [section("qest")]})
    dump.write_bytes(smf_file([empty]))
    counts = write_all(source_of(dump), tmp_path / "raw")
    assert counts == {"record": 3}
    made, _ = decode_file(dump)
    assert made["qest"].num_rows == 1
    assert "qest_structure" not in made


def one_byte_sections(subtype: int, triplet: int) -> bytes:
    """A record with a triplet of 32,500 sections of one byte."""
    body = bytearray(32_700)
    body[4:14] = bytes.fromhex("5E73004AEBC00126124F")
    body[14:22] = "SYS1MQ01".encode("cp037")
    body[22:24] = subtype.to_bytes(2, "big")
    body[24:27] = "940".encode("cp037")
    at = 32_700 - 52
    body[28:36] = at.to_bytes(4, "big") + (52).to_bytes(2, "big") + (1).to_bytes(2, "big")
    body[at : at + 2], body[at + 6] = (52).to_bytes(2, "big"), triplet + 1
    position = 28 + 8 * triplet
    body[position : position + 8] = (
        (28 + 8 * (triplet + 1)).to_bytes(4, "big") + (1).to_bytes(2, "big") + (32_500).to_bytes(2, "big")
    )
    body[:4] = len(body).to_bytes(2, "big") + b"\0\0"
    return bytes(body)


@pytest.mark.parametrize(("subtype", "triplet"), [(2, 3), (215, 1), (2, 9)])
def test_the_rows_of_a_record_are_limited_by_its_bytes(tmp_path: Path, subtype: int, triplet: int) -> None:
    """32,500 sections of one byte in a triplet are no sections, whether the structure is known or not."""
    made, result = decode_bytes(one_byte_sections(subtype, triplet) * 5, tmp_path)
    assert result.part.ledger.balanced
    assert sum(table.num_rows for name, table in made.items() if name != "section") < 60


def crowded(triplets: int) -> bytes:
    """A record of which each triplet but the first names one byte that no structure knows."""
    size = 28 + 8 * (triplets + 1)
    body = bytearray(size + triplets + 52)
    body[4:14] = bytes.fromhex("5E73004AEBC00126124F")
    body[14:24] = "SYS1MQ01".encode("cp037") + (215).to_bytes(2, "big")
    body[24:27] = "940".encode("cp037")
    for number in range(triplets):
        body[36 + 8 * number : 44 + 8 * number] = (size + number).to_bytes(4, "big") + b"\0\1\0\1"
        body[size + number] = number + 1
    # Triplet 1 is that of a known structure: not used.
    body[36:44] = bytes(8)
    at = size + triplets
    body[28:36] = at.to_bytes(4, "big") + (52).to_bytes(2, "big") + (1).to_bytes(2, "big")
    body[at : at + 2], body[at + 6] = (52).to_bytes(2, "big"), triplets + 1
    body[:4] = len(body).to_bytes(2, "big") + b"\0\0"
    return bytes(body)


def test_many_tiny_sections_in_many_triplets_are_one_row_with_all_of_their_bytes(tmp_path: Path) -> None:
    record = crowded(60)
    made, result = decode_bytes(record * 20, tmp_path)
    assert result.part.ledger.balanced
    assert result.part.ledger.records.decoded == 20
    assert made["raw_bytes"]["content"].to_pylist() == [record[4:]] * 20
    assert set(made["raw_bytes"]["raw_reason"].to_pylist()) == {"unknown-section"}
    assert made["raw_bytes"]["triplet"].null_count == 20
    few, _ = decode_bytes(crowded(4) * 20, tmp_path)
    assert few["raw_bytes"].num_rows == 20 * 3


def test_a_chunk_of_many_rows_is_decoded_in_parts_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = smf_file(OWNER.interval(NOON, 1800) * 3 + [crowded(4)] * 5)
    whole, _ = decode_bytes(data, tmp_path)
    sizes: list[int] = []
    decode = batch.decode_chunk

    def counted(*arguments: Any, keep: Any, **options: Any) -> Any:
        sizes.append(int(keep.sum()))
        return decode(*arguments, keep=keep, **options)

    monkeypatch.setattr(part, "MOST_ROWS", 20)
    monkeypatch.setattr(part, "decode_chunk", counted)
    parts, _ = decode_bytes(data, tmp_path)
    assert len(sizes) > 3
    assert sum(sizes) == whole["record"].num_rows
    assert parts.keys() == whole.keys()
    assert all(parts[name].equals(whole[name]) for name in whole)


MOST_MEMORY = 700 << 20
"""Bytes of memory of a command on four megabytes of such records: 136 to 206 MB were measured, most of it libraries; it
was 2.5 GB once."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["known structure", "unknown section", "many triplets"])
def test_four_megabytes_of_tiny_sections_need_little_memory(tmp_path: Path, kind: str) -> None:
    """Three commands in one process, each of which may leave memory to the next, need no more than one of them may."""
    made = {
        "known structure": lambda: one_byte_sections(2, 3),
        "unknown section": lambda: one_byte_sections(2, 9),
        "many triplets": lambda: crowded(60),
    }[kind]()
    dump = tmp_path / "dump.smf"
    copies = 4_200_000 // len(made)
    # Each has its own time: records that are equal would count once.
    dump.write_bytes(b"".join(made[:6] + (4_900_000 + copy).to_bytes(4, "big") + made[10:] for copy in range(copies)))
    # Not getrusage: its maximum includes the process that was forked.
    program = (
        "import sys; from mqstat.cli import run; dump, into = sys.argv[1:]; "
        "codes = [run(words) for words in (['ledger', dump], ['ingest', dump, '--into', into], ['report', dump])]; "
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM')); "
        "print(*codes, peak.split()[1], file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, str(dump), str(tmp_path / "set")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *codes, kilobytes = map(int, done.stderr.split()[-4:])
    assert codes == ([12, 12, 12] if kind == "known structure" else [0, 0, 4])
    assert kilobytes << 10 < MOST_MEMORY
