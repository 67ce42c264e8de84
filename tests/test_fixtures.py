"""The fixture builder: values written to records are decoded again, in every framing, at every level, and in bulk."""

from __future__ import annotations

import datetime as dt
import io
import struct
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mqstat.base.errors import InputError, LayoutError
from mqstat.fixtures import __main__ as program
from mqstat.fixtures import accounting, bulk, damage, shapes
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.build import LENGTHS, length_at, level_number, other_record, record, section
from mqstat.fixtures.day import morning
from mqstat.fixtures.frame import BLOCK, FRAMINGS, SELF_SIZED, frame, joined, reframe, segments, smf_file
from mqstat.fixtures.month import busy_month
from mqstat.fixtures.numbers import Header, lost, numbered, written_before
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.pipeline import columns_to_decode
from mqstat.parsers import LAYOUTS, constructs, interval
from mqstat.parsers import record as records
from mqstat.parsers.batch import decode_chunk
from mqstat.parsers.detection import detect
from mqstat.parsers.framing import Framing
from mqstat.parsers.kit import Ebcdic, Field, Flag, Hex, Layout
from mqstat.parsers.record import DECODED, Records
from mqstat.parsers.walk import Chunk, walk
from mqstat.sql.needs import decoded_columns
from tests.support import file_of, reading

START = dt.datetime(2026, 3, 2, 10)
EPOCH = dt.datetime(1970, 1, 1)


def walked(data: bytes) -> list[Chunk]:
    """Chunks of a dump whose framing is recognised."""
    framing = detect(data, True)
    assert framing is not None
    return list(walk(io.BytesIO(data), framing))


def bodies(data: bytes) -> list[bytes]:
    """Joined records of a dump without their RDW, as the walker sees them; there must be no damage."""
    chunks = walked(data)
    assert [span for chunk in chunks for span in chunk.damage] == []
    return [bytes(c.buffer[b + 4 : b + n]) for c in chunks for b, n in zip(c.base, c.length, strict=True)]


def read(data: bytes) -> Records:
    """Headers of a dump that fits in one chunk, intervals joined."""
    (chunk,) = walked(data)
    assert chunk.damage == []
    joined = records.read(chunk, 0)
    interval.own_intervals(joined)
    facts = interval.facts(joined)
    interval.apply(joined, interval.resolve(facts, [facts]))
    return joined


class Rows(Mapping[str, list[dict[str, Any]]]):
    """The rows of each decoded table, made for the tables that a test reads."""

    def __init__(self, decoded: Records) -> None:
        self.decoded = decode_chunk(decoded, 1, 0).tables
        self.rows: dict[str, list[dict[str, Any]]] = {}

    def __getitem__(self, name: str) -> list[dict[str, Any]]:
        if name not in self.rows:
            self.rows[name] = self.decoded[name][0].to_pylist()
        return self.rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.decoded)

    def __len__(self) -> int:
        return len(self.decoded)


# ------------------------------------------------------------------------------------------------------------- sections


def settable(layout: Layout) -> Iterator[Field]:
    """Fields of a layout that do not share bytes with one before them; bits of one word are fields of their own."""
    taken: set[tuple[int, int]] = set()
    for field in layout.named:
        positions = {
            (byte, field.type.mask if isinstance(field.type, Flag) else 0)
            for _, at in field.elements
            for byte in range(at, at + field.type.width)
        }
        if not positions & taken:
            taken |= positions
            yield field


def sample_value(field: Field, number: int) -> Any:
    """A value that is not zero, different for neighbouring fields."""
    if field.codes:
        return sorted(field.codes.items())[number % len(field.codes)][1]
    if isinstance(field.type, Flag):
        return number % 2 == 0
    if isinstance(field.type, Ebcdic):
        return f"T{number}"[: field.type.width]
    if isinstance(field.type, Hex):
        return f"{number % 256:02X}" * field.type.width
    if field.type.ctype == "stck-time":
        return START + dt.timedelta(microseconds=number)
    return 1 + number % 120


@pytest.mark.parametrize("name", LAYOUTS)
def test_sections_hold_what_was_put_in(name: str) -> None:
    layout = LAYOUTS[name]
    typed: dict[str, Any] = {}
    parent: dict[str, Any] = {}
    rows: dict[tuple[str, str, tuple[int, ...]], dict[str, Any]] = {}
    for number, field in enumerate(settable(layout)):
        if field.child:
            values = {
                tuple(i + 1 for i in index): sample_value(field, number + n)
                for n, (index, _) in enumerate(field.elements)
            }
            typed[field.member] = values
            for key, value in values.items():
                rows.setdefault((field.child, field.part, key), {})[field.name] = value
        else:
            given = {column: sample_value(field, number + n) for n, column in enumerate(field.columns or (field.name,))}
            typed |= given
            parent |= given
    got, children = constructs.typed(layout, section(name, **typed))
    shown = {field.name for field in layout.fields if not field.valid_when}
    assert {key: got[key] for key in parent if key in shown or key not in {f.name for f in layout.fields}} == {
        key: value for key, value in parent.items() if key in shown or key not in {f.name for f in layout.fields}
    }
    for child in layout.children:
        for row in children[child.name]:
            key = tuple(row[k.name] for k in child.keys)
            want = rows[child.name, row[child.part] if child.part else "", key]
            assert {column: row[column] for column in want} == want
        assert len(children[child.name]) == sum(1 for table, _, _ in rows if table == child.name)


def test_marks_and_mistakes() -> None:
    pool, _ = constructs.typed(LAYOUTS["qpst"], section("qpst", pool_id=2, lowest_stealable=None))
    assert (pool["pool_id"], pool["lowest_stealable"], pool["eyecatcher"], pool["struct_length"]) == (
        2,
        None,
        "QPST",
        104,
    )
    initiator, _ = constructs.typed(LAYOUTS["qcct"], section("qcct", chinit_64_limit_mib_no_limit=True))
    assert (initiator["chinit_64_limit_mib"], initiator["chinit_64_limit_mib_no_limit"]) == (None, True)
    with pytest.raises(LayoutError, match="qpst: no field colour"):
        section("qpst", colour=1)
    with pytest.raises(LayoutError, match=r"qcst\.channel_type: no code for 'Sendr'"):
        section("qcst", channel_type="Sendr")
    with pytest.raises(LayoutError, match=r"wtas\.latch_class_waits: no element \(33,\)"):
        section("wtas", latch_class_waits={33: 1})
    with pytest.raises(LayoutError, match="triplet 1 differ in length"):
        record(115, 215, {1: [section("qpst"), section("qpst", 112)]}, lpar="SYS1", qmgr="MQ01", written_local=START)


@pytest.mark.parametrize(
    ("name", "level", "length"),
    [
        ("qmst", "8.0.0", 72), ("qmst", "9.4.3", 300), ("qmst", "10.0.0", 328), ("qjst", "7.0.1", 120), ("qjst", "9.1.3", 592), ("wq", "8.0.0", 2792),
        ("wq", "9.4.5", 2800), ("qwac", "9.4.5", 176), ("qwac", "10.0.0", 96), ("qpst", "8.0.0", 104), ("qqst", "9.3.2", 120),
    ],
)  # fmt: skip
def test_lengths_follow_the_level(name: str, level: str, length: int) -> None:
    assert length_at(name, level) == length
    short = section(name, length)
    assert len(short) == length
    assert not LAYOUTS[name].eyecatcher or struct.unpack_from(">H", short, 2)[0] == length


def test_known_lengths_are_published_ones() -> None:
    for name, steps in LENGTHS.items():
        assert {length for _, length in steps} <= set(LAYOUTS[name].sizes)


# -------------------------------------------------------------------------------------------------------------- records

OWNERS = [
    QueueManager("MQPC", "PROD", level="8.0.0", gmt_offset_minutes=-360),
    QueueManager(
        "MQ94",
        "TEST",
        level="9.4.5",
        gmt_offset_minutes=330,
        qsg="QSGT",
        structures=("APP1", "APP2"),
        shared_data_sets=("APP1",),
    ),
    QueueManager(
        "MQ10",
        "PLX1",
        level="10.0.0",
        gmt_offset_minutes=60,
        qsg="QSGP",
        structures=("APP1",),
        shared_data_sets=("APP1",),
    ),
]


@pytest.mark.parametrize("owner", OWNERS, ids=lambda owner: owner.level)
def test_an_interval_reads_back(owner: QueueManager) -> None:
    built = owner.interval(
        START, 1800, overrides={"qpst": {3: {"no_buffer_waits": 7}}, "qjst": {"log_buffer_waits": 3}}
    )
    decoded = read(smf_file(built))
    ten = owner.level == "10.0.0"
    assert decoded.subtype.tolist() == [r[22] * 256 + r[23] for r in built]
    assert (decoded.outcome == DECODED).all()
    assert set(decoded.level.tolist()) == {level_number(owner.level)}
    assert set(decoded.offset_minutes.tolist()) == {owner.gmt_offset_minutes}
    utc = START - dt.timedelta(minutes=owner.gmt_offset_minutes)
    assert {EPOCH + dt.timedelta(microseconds=us) for us in decoded.interval_start.tolist()} == {utc}
    assert set(decoded.interval_us.tolist()) == {1_800_000_000}
    rows = Rows(decoded)
    assert {row["lpar"] for row in rows["record"]} == {owner.lpar}
    assert {row["qmgr"] for row in rows["record"]} == {owner.name}
    assert {row["qsg"] for row in rows["record"]} == {owner.qsg if ten else None}
    assert {row["mq_version"] for row in rows["record"]} == {owner.level}
    assert {row["header_release"] for row in rows["record"]} == {"946" if ten else owner.level.replace(".", "")}
    assert [row["no_buffer_waits"] for row in rows["qpst"]] == [0, 0, 0, 7]
    assert [row["log_buffer_waits"] for row in rows["qjst"]] == [3]
    assert len(rows["qct_adp"]) == owner.adapters
    assert len(rows.get("qqst", ())) == (0 if owner.level == "8.0.0" else len(owner.queues))
    assert [row["cf_structure"] for row in rows.get("qesd", ())] == list(owner.shared_data_sets)
    assert all(
        row["section_length"] == length_at(name, owner.level) for name in ("qmst", "qjst", "qcct") for row in rows[name]
    )


def test_records_before_8_have_their_pools_in_115_2() -> None:
    owner = QueueManager("CSQ7", "OLD1", level="7.0.1", gmt_offset_minutes=0)
    decoded = read(smf_file(owner.interval(START)))
    assert decoded.subtype.tolist() == [1, 2]
    assert decoded.qwhs_length.tolist() == [36, 36]
    assert len(Rows(decoded)["qpst"]) == len(owner.pools)


@pytest.mark.parametrize("owner", OWNERS, ids=lambda owner: owner.level)
def test_accounting_reads_back(owner: QueueManager) -> None:
    end = START + dt.timedelta(seconds=5)
    queues = [f"QUEUE.{i:02d}" for i in range(23)]
    task = Task("CHIN", "MQ01CHIN", "WEBSHOP", "", "WEBSHOP.SVRCONN", "10.20.30.41")
    built = accounting.class3(owner, task, START, end, queues, structure="APP1")
    assert [r[23] for r in built] == [1, 2, 2]
    built += [
        accounting.class3(owner, task, START, end, [])[0],
        accounting.class1(owner, task, START, end),
        accounting.channels(owner, START, 1800, ["A.TO.B"]),
    ]
    decoded = read(smf_file(built))
    assert (decoded.outcome == DECODED).all()
    rows = Rows(decoded)
    assert [row["open_name"] for row in rows["wq"]] == queues
    assert len({row["task_correlator"] for row in rows["wq"]} | {rows["wtas"][0]["task_correlator"]}) == 1
    assert [row["queue_blocks"] for row in rows["wtas"]] == [23, 0]
    assert {row["channel_name"] for row in rows["wtid"]} == {"WEBSHOP.SVRCONN"}
    assert {row["connection_type"] for row in rows["qwhc"]} == {"CHIN"}
    assert [(row["channel_name"], row["channel_type"]) for row in rows["qcst"]] == [("A.TO.B", "Sender")]
    assert decoded.interval_us.tolist()[:3] == [5_000_000] * 3
    assert {row["cf_operation_name"] for row in rows["wq_cf"]} == {"New", "Move"}


def numbers(rows: list[dict[str, Any]]) -> dict[tuple[str, str], list[tuple[int, ...]]]:
    """(number of its kind, number over all kinds) of the records by queue manager and kind, in the order of the
    second.
    """
    out: dict[tuple[str, str], list[tuple[int, ...]]] = {}
    for row in sorted(rows, key=lambda row: row["trace_sequence"] or 0):
        if row["trace_sequence"]:
            kind = f"{row['resource_manager']}.{row['instrumentation_id']}"
            out.setdefault((row["qmgr"], kind), []).append((row["instrumentation_sequence"], row["trace_sequence"]))
    return out


def assert_counted(rows: list[dict[str, Any]]) -> None:
    """Every kind of every queue manager counts without a gap, and so do all kinds together."""
    by_kind = numbers(rows)
    assert by_kind
    of_owner: dict[str, list[int]] = {}
    for (qmgr, kind), pairs in by_kind.items():
        of_owner.setdefault(qmgr, []).extend(every for _, every in pairs)
        assert {b - a for a, b in pairwise(sorted(own for own, _ in pairs))} <= {1}, (qmgr, kind)
    assert all({b - a for a, b in pairwise(sorted(every))} == {1} for every in of_owner.values())


def test_records_are_numbered_as_a_queue_manager_counts_them() -> None:
    first, second = (START + number * dt.timedelta(minutes=30) for number in range(2))
    owner = QueueManager()
    built = [*owner.interval(first), *owner.interval(second, 1.2, extra_subtypes=(240,))]
    built += owner.interval(second + dt.timedelta(seconds=1.2))
    rows = Rows(read(smf_file([*built, built[3]])))["qwhs"]
    by_kind = numbers(rows)
    assert (
        len({kind for _, kind in by_kind}) == len([kind for kind in owner.subtypes() if kind not in (5, 6, 7, 231)]) + 1
    )
    before = written_before((b"\x1a", 1))
    assert [own for own, _ in by_kind["MQ01", "1A.1"]].count(before + 1) == 2, "the same record twice"
    assert {own for own, _ in by_kind["MQ01", "1A.1"]} == {before + 1, 1, 2}
    assert by_kind["MQ01", "1A.12"] == [(1, 6)]
    assert max(every for _, every in by_kind["MQ01", "1A.1"]) == 5 * before + 1
    chinit = [row for row in rows if row["resource_manager"] == "E7"]
    assert chinit
    assert not any(row["trace_sequence"] or row["instrumentation_sequence"] for row in chinit)


def test_what_is_left_after_a_loss_keeps_its_numbers() -> None:
    written = morning(count=3)
    left = lost(written, written[:4] + written[9:])
    assert left == numbered(written)[:4] + numbered(written)[9:]
    with_numbers = [record for record in numbered(written) if Header.of(record)]
    assert smf_file(with_numbers, dump_header=False, trailer=False) == b"".join(with_numbers)


def test_other_types_and_the_extended_header() -> None:
    others = [
        other_record(30, 400, written_local=START, subtype=4),
        other_record(1154, 40, written_local=START),
        other_record(14, 200, written_local=START),
    ]
    decoded = read(smf_file([*others, *morning(count=1)]))
    assert {(smf_type, count) for _, smf_type, count, *_ in decoded.others} == {
        (2, 1),
        (3, 1),
        (14, 1),
        (30, 1),
        (1154, 1),
    }


# -------------------------------------------------------------------------------------------------------------- framing


@pytest.mark.parametrize("spanned", [None, "vbs", 40, 700])
@pytest.mark.parametrize("framing", FRAMINGS)
def test_framings_hold_the_same_records(framing: str, spanned: str | int | None) -> None:
    built = numbered(morning(count=2))
    decoded = bodies(smf_file(built, framing=framing, spanned=spanned))
    assert decoded[1:-1] == [record[4:] for record in built]
    assert [decoded[0][1], decoded[-1][1]] == [2, 3]


def test_spanned_segments_fill_their_blocks() -> None:
    data = smf_file(morning(count=3), framing="bdw", spanned="vbs")
    sizes, at = [], 0
    while at < len(data):
        sizes.append(struct.unpack_from(">H", data, at)[0])
        at += sizes[-1]
    assert at == len(data)
    assert max(sizes) == BLOCK
    assert all(size > BLOCK - 9 for size in sizes[:-1])
    codes = [code for _, _, code in segments(smf_file(morning(count=3), spanned=1000))]
    assert set(codes) == {0, 1, 2, 3}


def test_real_dumps_in_other_framings(dump: Path) -> None:
    data = dump.read_bytes()
    whole = [record[4:] for record in joined(data)]
    assert bodies(data) == whole
    for to in FRAMINGS:
        again = reframe(data, to)
        assert bodies(again) == [record for record in whole if to != "no-rdw" or record[1] in SELF_SIZED]
    assert bodies(reframe(reframe(data, "rdw", spanned="vbs"), "rdw")) == whole
    assert [detect(reframe(data, to), True) for to in FRAMINGS] == [
        Framing.RDW, Framing.BDW, Framing.BDW, Framing.NO_RDW, Framing.LENGTH_PREFIXED,
    ]  # fmt: skip


def test_unknown_framing_and_unsound_dumps_are_refused() -> None:
    with pytest.raises(InputError, match="unknown framing punched"):
        frame([], "punched")
    with pytest.raises(InputError, match="no RDW at offset 18"):
        list(joined(smf_file(morning(count=1))[:30]))


def test_damage_helpers() -> None:
    data = smf_file(morning(count=1), spanned=2000)
    parts = list(segments(data))
    assert damage.flip(damage.flip(data, 77), 77) == data
    assert damage.insert(damage.cut(data, 50, 9), 50, data[50:59]) == data
    assert damage.overwrite(data, 3, data[3:9]) == data
    assert damage.truncate(data, 100) == data[:100]
    assert damage.swap(damage.swap(data, 1, 4), 1, 4) == data
    assert len(damage.drop(data, 2)) == len(data) - parts[2][1]
    assert damage.in_ascii("MQ01".encode("cp037")) == b"MQ01"
    assert damage.with_line_ends(b"a\nb") == b"a\r\nb"


# ----------------------------------------------------------------------------------------------------------------- bulk


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several rounds of patching in a small file."""
    monkeypatch.setattr(bulk, "CHUNK", 3_000_000)


KINDS = {
    "statistics": {(115, subtype) for subtype in (1, 2, 5, 6, 7, 201, 215, 216, 231)},
    "class3": {(116, 1), (116, 2)},
    "accounting": {(116, 0), (116, 1), (116, 10)},
    "transactions": {(116, 0), (116, 1)},
}


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("kind", KINDS)
def test_bulk_dumps_are_sound_and_vary(kind: str, tmp_path: Path) -> None:
    plain, spanned = tmp_path / "plain.smf", tmp_path / "spanned.smf"
    size = bulk.write(kind, plain, 8_000_000, seed=5)
    assert plain.stat().st_size == size >= 8_000_000
    decoded = read(plain.read_bytes())
    assert (decoded.outcome == DECODED).all()
    assert set(zip(decoded.smf_type.tolist(), decoded.subtype.tolist(), strict=True)) == KINDS[kind]
    assert (decoded.interval_start > 0).all()
    assert (np.diff(decoded.written[decoded.subtype == decoded.subtype[0]]) >= 0).all()
    bulk.write(kind, spanned, 8_000_000, seed=5, spanned=True)
    whole = list(joined(plain.read_bytes()))
    split = list(joined(spanned.read_bytes()))
    count = min(len(whole), len(split)) - 1
    assert [r[4:] for r in split[:count]] == [r[4:] for r in whole[:count]]
    assert {code for _, _, code in segments(spanned.read_bytes())} == {0, 1, 2}


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("kind", KINDS)
def test_bulk_dumps_count_as_queue_managers_do(kind: str, tmp_path: Path) -> None:
    bulk.write(kind, tmp_path / "bulk.smf", 8_000_000)
    assert_counted(Rows(read((tmp_path / "bulk.smf").read_bytes()))["qwhs"])


@pytest.mark.slow
def test_the_month_counts_as_queue_managers_do(tmp_path: Path) -> None:
    busy_month(tmp_path / "month.smf", days=2, qmgrs=2, interval_seconds=1800)
    assert_counted(Rows(read((tmp_path / "month.smf").read_bytes()))["qwhs"])


@pytest.mark.usefixtures("small_chunks")
def test_bulk_statistics_are_consecutive_intervals(tmp_path: Path) -> None:
    target = tmp_path / "bulk.smf"
    bulk.write("statistics", target, 6_000_000, interval_s=60, queue_managers=1)
    decoded = read(target.read_bytes())
    starts = np.unique(decoded.interval_start)
    assert (np.diff(starts) == 60_000_000).all()
    rows = Rows(decoded)
    assert len(rows["qpst"]) == 7 * len(starts)
    assert len({row["queue"] for row in rows["qqst"]}) == 200
    first = [row["queue"] for row in rows["qqst"]][:30]
    assert len(set(first)) == 30
    assert {row["buffers"] for row in rows["qpst"] if row["pool_id"] == 2} == {60_000}
    gets = [row["page_gets_old"] for row in rows["qpst"] if row["pool_id"] == 2]
    assert len(set(gets)) > len(gets) * 0.9
    assert all(0 < row["logger_idle_us"] <= 60_000_000 for row in rows["qjst"])
    assert {row["written_local"] - row["record_start_local"] for row in rows["record"]} == {dt.timedelta(seconds=60)}


def test_bulk_statistics_of_many_queues_have_all_of_them_in_every_interval(tmp_path: Path) -> None:
    target = tmp_path / "bulk.smf"
    bulk.write("statistics", target, 400_000, queue_managers=2, queues=200 + 4)
    rows = Rows(read(target.read_bytes()))["qqst"]
    intervals = {row["interval_start_utc"] for row in rows}
    assert len(intervals) > 1
    assert {(row["qmgr"], row["queue"]) for row in rows} == {
        (qmgr, name) for qmgr in ("MQ01", "MQ02") for name in shapes.queue_names(204)[:102]
    }
    assert len(rows) == 204 * len(intervals)


def test_bulk_transactions_use_many_queues(tmp_path: Path) -> None:
    target = tmp_path / "bulk.smf"
    bulk.write("transactions", target, 2_000_000, queues=100_000)
    rows = Rows(read(target.read_bytes()))
    assert len({row["base_name"] for row in rows["wq"]}) > 0.9 * len(rows["wq"])
    assert len(rows["qwac"]) == len(rows["wtas"]) == len(rows["wq"]) / 2
    assert len(set(shapes.queue_names(100_000))) == 100_000
    with pytest.raises(InputError, match="at least 18 queues"):
        bulk.write("transactions", target, 1, queues=17)


@pytest.mark.usefixtures("small_chunks")
def test_bulk_accounting_keeps_tasks_together(tmp_path: Path) -> None:
    target = tmp_path / "bulk.smf"
    bulk.write("class3", target, 7_000_000)
    rows = Rows(read(target.read_bytes()))
    assert len({row["task_correlator"] for row in rows["wtas"]}) == len(rows["wtas"])
    blocks: dict[str, int] = {}
    for row in rows["wq"]:
        blocks[row["task_correlator"]] = blocks.get(row["task_correlator"], 0) + 1
    assert blocks == {row["task_correlator"]: row["queue_blocks"] for row in rows["wtas"]}
    jobs: dict[str, set[str]] = {}
    for row in rows["wtid"]:
        jobs.setdefault(row["unit_of_work_id"], set()).add(row["connection_job"])
    assert all(len(names) == 1 for names in jobs.values())
    assert len(shapes.queue_names()) == len(set(shapes.queue_names())) == 200
    assert len(shapes.tasks()) == 50


def test_repeat_leaves_records_unchanged(tmp_path: Path) -> None:
    source, target = tmp_path / "source.smf", tmp_path / "many.smf"
    source.write_bytes(smf_file(morning(count=2), spanned="vbs"))
    size = bulk.repeat(source, target, 200_000)
    once = bodies(source.read_bytes())
    many = bodies(target.read_bytes())
    assert target.stat().st_size == size >= 200_000
    times = (len(many) - 2) // (len(once) - 2)
    assert many == [once[0], *(once[1:-1] * times), once[-1]]
    source.write_bytes(smf_file([]))
    with pytest.raises(InputError, match=r"source\.smf: no records to repeat"):
        bulk.repeat(source, target, 10)


# -------------------------------------------------------------------------------------------------------------- program


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """`python -m mqstat.fixtures` with these words."""
    monkeypatch.setattr("sys.argv", ["mqstat.fixtures", *arguments])
    return program.main()


def test_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "a.smf", tmp_path / "b.smf"
    assert run(monkeypatch, "scenario", "pool_low", str(source)) == 0
    assert f"{source.stat().st_size:,} bytes" in capsys.readouterr().out
    assert run(monkeypatch, "reframe", str(source), str(target), "--to", "bdw") == 0
    assert bodies(source.read_bytes()) == bodies(target.read_bytes())
    assert run(monkeypatch, "repeat", str(source), str(target), "--bytes", "0.5M") == 0
    assert target.stat().st_size >= 500_000
    assert run(monkeypatch, "bulk", "accounting", str(target), "--bytes", "100K", "--spanned") == 0
    assert run(monkeypatch, "scenario") == 0
    assert "pool_low" in capsys.readouterr().out
    assert run(monkeypatch, "scenario", "nothing", str(target)) == 12
    assert run(monkeypatch, "repeat", str(tmp_path / "absent.smf"), str(target)) == 16
    assert "absent.smf" in capsys.readouterr().err
    assert program.size("2G") == 2_000_000_000


@pytest.mark.slow
def test_the_sample_archives_what_it_logged(tmp_path: Path) -> None:
    query = "SELECT qmgr, sum(cis_created) AS logged, sum(cis_offloaded) AS archived FROM log GROUP BY qmgr"
    dump = file_of(SCENARIOS["sample"].build(), tmp_path)
    with reading(dump, columns_to_decode(decoded_columns([query]))) as db:
        written = db.ask(query).fetchall()
    assert len(written) == 3
    assert [qmgr for qmgr, logged, archived in written if not 0.8 * logged < archived <= logged] == []
