"""One dump in any framing, on any number of processes, in chunks of any size: the same tables each time, and no byte
lost.
"""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import hashlib
import io
import lzma
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mqstat.base.errors import MqstatError
from mqstat.dataset.store import open_dataset
from mqstat.dataset.writer import PartWriter
from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.frame import reframe, smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake import pipeline, shared_memory, workers
from mqstat.intake.pipeline import SourceResult, columns_to_decode
from mqstat.intake.shared import Shares
from mqstat.intake.workers import Workers
from mqstat.parsers.tables import table_schemas
from mqstat.sources.source import find_sources
from tests.costs import cache
from tests.support import (
    MINUTE,
    Tables,
    built_dump,
    by_record,
    call,
    decode_bytes,
    decode_file,
    decode_sources,
    difference,
    file_of,
    invoke,
    microseconds,
    placeless,
    tables_in,
)

NOON = dt.datetime(2026, 5, 4, 12)
OWNER = QueueManager("MQ01", "SYS1", pool_headers=3, getmains=3)


@cache
def whole(path: Path | None) -> tuple[Tables, SourceResult]:
    """The tables of a real dump, or of the built one."""
    return decoded(path)


@cache
def by_day(path: Path | None) -> tuple[Tables, SourceResult]:
    """The same as a dataset has them: rows in the order of days."""
    return decoded(path, keeps=True)


@cache
def whole_without_places(path: Path | None) -> Tables:
    """The tables of `whole` as `placeless` gives them."""
    return placeless(whole(path)[0])


def decoded(path: Path | None, **options: Any) -> tuple[Tables, SourceResult]:
    if path is not None:
        return decode_file(path, **options)
    with tempfile.TemporaryDirectory() as folder:
        return decode_bytes(built_dump(), Path(folder), **options)


def bytes_of(path: Path | None) -> bytes:
    return built_dump() if path is None else path.read_bytes()


# ---------------------------------------------------------------------------------------------------------- any framing


def tar_of(data: bytes, mode: str) -> bytes:
    stream = io.BytesIO()
    level = {"compresslevel": 1} if mode == "w:gz" else {}
    with tarfile.open(fileobj=stream, mode=mode, **level) as archive:  # type: ignore[call-overload]
        info = tarfile.TarInfo("some/where/dump.smf")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def gz_of(data: bytes) -> bytes:
    return gzip.compress(data, 1)


def zip_of(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("where/dump.smf", data)
    return stream.getvalue()


def arrow_codec(name: str) -> Callable[[bytes], bytes]:
    def pack(data: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, name) as stream:
            stream.write(data)
        return bytes(sink.getvalue())

    return pack


def framed(framing: str) -> Callable[[bytes], bytes]:
    return lambda data: reframe(data, framing)


FRAMED: dict[str, Callable[[bytes], bytes]] = {
    **{framing: framed(framing) for framing in ("bdw", "bdw31", "no-rdw", "length-prefixed")},
    "short segments": lambda data: reframe(data, "rdw", spanned=700),
    "no-rdw, gz": lambda data: gz_of(reframe(data, "no-rdw")),
    "bdw, tar.gz": lambda data: tar_of(reframe(data, "bdw"), "w:gz"),
    "gz": gz_of,
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "zst": arrow_codec("zstd"),
    "lz4": arrow_codec("lz4"),
    "zip": zip_of,
    "zip of gz": lambda data: zip_of(gz_of(data)),
    "tar": lambda data: tar_of(data, "w"),
    "tar.gz": lambda data: tar_of(data, "w:gz"),
}  # fmt: skip


def assert_same_dump(path: Path | None, framing: str, tmp_path: Path) -> None:
    made, result = decode_bytes(FRAMED[framing](bytes_of(path)), tmp_path)
    assert difference(placeless(made), whole_without_places(path)) == []
    assert result.part.ledger.balanced
    assert result.part.ledger.damaged_spans == 0
    assert result.problem is None
    assert result.part.ledger.records.decoded == whole(path)[1].part.ledger.records.decoded
    used = made["record"].group_by("outcome").aggregate([("input_bytes", "sum")]).to_pylist()
    assert {
        row["outcome"]: row["input_bytes_sum"] for row in used
    }.items() <= result.part.ledger.bytes.as_dict().items()


@pytest.mark.parametrize("framing", FRAMED)
def test_the_built_dump_in_any_framing(framing: str, tmp_path: Path) -> None:
    assert_same_dump(None, framing, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("framing", FRAMED)
def test_a_real_dump_in_any_framing(dump: Path, framing: str, tmp_path: Path) -> None:
    assert_same_dump(dump, framing, tmp_path)


def assert_twice(data: bytes, once: Tables, tmp_path: Path) -> None:
    twice = placeless(decode_bytes(data + data, tmp_path)[0])
    once = placeless(once)
    assert twice.keys() == once.keys()
    for name, table in twice.items():
        half = once[name].num_rows
        if name != "section":
            assert difference({name: table.slice(0, half)}, {name: once[name]}) == []
            assert difference({name: table.slice(half)}, {name: once[name]}) == []


def test_two_dumps_concatenated(tmp_path: Path) -> None:
    assert_twice(built_dump(), whole(None)[0], tmp_path)


def test_two_real_dumps_concatenated(dump: Path, tmp_path: Path) -> None:
    assert_twice(dump.read_bytes(), whole(dump)[0], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("framing", ["rdw", "bdw", "gz", "tar.gz"])
def test_standard_input(framing: str, tmp_path: Path) -> None:
    data = built_dump() if framing == "rdw" else FRAMED[framing](built_dump())
    start = call if framing == "rdw" else invoke
    done = start("ingest", "-", "--into", tmp_path / "set", input=data)
    assert (done.returncode, len(done.stderr)) == (0, 0)
    made = tables_in(open_dataset(tmp_path / "set").files)
    assert difference(placeless(made), whole_without_places(None)) == []


def test_several_inputs_at_once_count_on(tmp_path: Path) -> None:
    """A folder of a dump and an archive of two: sources are numbered, record numbers unique over all of them."""
    file_of(built_dump(), tmp_path, "a.smf")
    file_of(gzip.compress(built_dump()), tmp_path, "b.gz")
    made, results = decode_sources(find_sources([str(tmp_path)]))
    assert [result.name for result in results] == ["a.smf", "b.gz"]
    numbers = made["record"]["record_id"].to_pylist()
    assert len(set(numbers)) == len(numbers) == 2 * whole(None)[0]["record"].num_rows
    assert sorted(set(made["qpst"]["source_id"].to_pylist())) == [1, 2]
    assert made["source"]["source_sha256"][0] == made["source"]["source_sha256"][1]


# ----------------------------------------------------------------------------------- any number of processes, any chunk


@pytest.fixture
def in_parallel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers from the smallest file on."""
    monkeypatch.setattr(pipeline, "PARALLEL_FROM", 1)
    monkeypatch.setattr(pipeline, "CHUNK", 1 << 16)


@pytest.fixture
def handed_out(monkeypatch: pytest.MonkeyPatch) -> list[list[frozenset[str]]]:
    """The structures that each worker got of each chunk."""
    out: list[list[frozenset[str]]] = []
    assign = Shares.assign

    def noted(shares: Shares, work: Mapping[str, float]) -> list[frozenset[str]]:
        out.append(assign(shares, work))
        return out[-1]

    monkeypatch.setattr(Shares, "assign", noted)
    return out


def assert_shared(handed_out: list[list[frozenset[str]]]) -> None:
    """Several chunks, both workers, and every structure with one worker only."""
    assert len(handed_out) > 2
    first, second = (frozenset().union(*names) for names in zip(*handed_out, strict=True))
    assert first
    assert second
    assert not first & second


@pytest.fixture(scope="module")
def crew() -> Iterator[Workers]:
    """Two worker processes; they take a second to start."""
    with Workers(2) as crew:
        yield crew


@pytest.mark.usefixtures("in_parallel")
def test_workers_give_the_same_tables_in_the_same_order(
    crew: Workers, tmp_path: Path, handed_out: list[list[frozenset[str]]]
) -> None:
    made, result = decode_bytes(built_dump(), tmp_path, workers=crew, keeps=True)
    assert_shared(handed_out)
    assert difference(made, by_day(None)[0]) == []
    assert result.part.ledger.as_dict() == by_day(None)[1].part.ledger.as_dict()


@pytest.mark.slow
@pytest.mark.usefixtures("in_parallel")
def test_workers_on_real_dumps(
    dump: Path, crew: Workers, tmp_path: Path, handed_out: list[list[frozenset[str]]]
) -> None:
    if dump.stat().st_size < 100_000:
        pytest.skip("too small for several chunks")
    made, result = decode_file(dump, workers=crew, keeps=True)
    assert_shared(handed_out)
    assert difference(made, by_day(dump)[0]) == []
    assert len(result.part.files) == len(by_day(dump)[1].part.files), "one file for each table and day"


@pytest.mark.slow
@pytest.mark.usefixtures("in_parallel")
@pytest.mark.parametrize("slots", [(1, 1 << 20), (6, 1 << 14)], ids=["one slot", "slots too small"])
def test_workers_with_little_shared_memory(
    slots: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_memory, "SLOTS", slots[0])
    monkeypatch.setattr(shared_memory, "SLOT_BYTES", slots[1])
    with Workers(3) as crew:
        made, _ = decode_bytes(built_dump(), tmp_path, workers=crew, keeps=True)
    assert difference(made, by_day(None)[0]) == []


@pytest.mark.slow
@pytest.mark.usefixtures("in_parallel")
def test_a_worker_that_fails_ends_the_input_and_the_next_input_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with Workers(2) as crew:
        with monkeypatch.context() as patch:
            patch.setattr(PartWriter, "add", fail)
            with pytest.raises(MqstatError, match="No space left on device"):
                decode_bytes(built_dump(), tmp_path, workers=crew, keeps=True)
        made, _ = decode_bytes(built_dump(), tmp_path, workers=crew, keeps=True)
    assert difference(made, by_day(None)[0]) == []


def test_a_large_machine_has_no_more_workers_than_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each forked process has memory of its own."""
    monkeypatch.setattr(workers, "processors", lambda: 64)
    assert [
        Workers(None, shared_memory.MOST_WRITERS).count,
        Workers(9, shared_memory.MOST_WRITERS).count,
        Workers().count,
    ] == [
        4,
        9,
        64,
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("in_parallel")
@pytest.mark.parametrize("framing", ["gz", "short segments", "bdw"])
def test_workers_on_streams_and_spanned_records(
    framing: str, crew: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, handed_out: list[list[frozenset[str]]]
) -> None:
    """The size of a stream is not known; spanned records are joined in memory that a thread may still hash."""
    monkeypatch.setattr(pipeline, "PREFIX", 1 << 16)
    data = FRAMED[framing](built_dump())
    made, result = decode_bytes(data, tmp_path, workers=crew, keeps=True)
    assert_shared(handed_out)
    assert difference(placeless(made), placeless(by_day(None)[0])) == []
    content = gzip.decompress(data) if framing == "gz" else data
    assert result.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("size", [1 << 12, 1 << 15, 100_003])
def test_chunks_of_any_size(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "CHUNK", size)
    made, result = decode_bytes(built_dump(), tmp_path)
    assert difference(made, whole(None)[0]) == []
    assert result.part.ledger.as_dict() == whole(None)[1].part.ledger.as_dict()


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7])
def test_wanted_columns_are_those_of_the_full_decode(step: int, tmp_path: Path) -> None:
    needed = {
        name: [c for i, c in enumerate(schema.names) if i % 7 % step == step - 1]
        for number, (name, schema) in enumerate(table_schemas().items())
        if (number + step) % 3
    }
    wanted = columns_to_decode(needed)
    made, _ = decode_bytes(built_dump(), tmp_path, wanted=wanted)
    full = whole(None)[0]
    assert made.keys() == wanted.keys() & full.keys()
    for name, table in made.items():
        assert set(table.column_names) == set(wanted[name])
        names = [c for c in full[name].column_names if c in table.column_names]
        assert difference({name: table.select(names)}, {name: full[name].select(names)}) == [], name


def test_the_ledger_accounts_for_every_byte_and_record(tmp_path: Path) -> None:
    ledger = whole(None)[1].part.ledger
    assert ledger.balanced
    assert ledger.bytes.input == len(built_dump())
    records = whole(None)[0]["record"]
    outcomes = records["outcome"].to_pylist()
    assert ledger.records.as_dict() == {
        "input": records.num_rows + 2, "decoded": outcomes.count("decoded"), "other_types": 2, "internal": 9, "raw": 3, "damaged": 0, "duplicate": 0, "skipped": 0,
    }  # fmt: skip
    assert (
        whole(None)[0]["section"]
        .filter(pa.compute.equal(whole(None)[0]["section"]["structure"], "qpst"))["sections"]
        .to_pylist()
        == [12] * 3
    )


# ---------------------------------------------------------------------------------- intervals that another record knows


def far_apart() -> bytes:
    """115.5, 6 and 7 far before their 115.1, and 116.2 far after its 116.1, with many other records in between."""
    first = OWNER.interval(NOON, 600, kinds=(5, 6, 7))
    later = OWNER.interval(NOON, 600, kinds=(1, 2))
    other = QueueManager("MQ02", "SYS1", pool_headers=3, getmains=3)
    task = accounting.class3(
        OWNER, Task(), NOON - MINUTE, NOON, [f"Q{i}" for i in range(6)], per_record=(2, 2), number=7
    )
    filler = [r for i in range(14) for r in other.interval(NOON + i * MINUTE, 60)]
    return smf_file([*first, task[0], *filler, *later, *task[1:]])


@pytest.mark.parametrize(("workers", "keeps"), [(1, True), (2, True), (2, False)])
@pytest.mark.usefixtures("in_parallel")
def test_intervals_are_found_across_chunks(
    workers: int, keeps: bool, crew: Workers, tmp_path: Path, handed_out: list[list[frozenset[str]]]
) -> None:
    made, _ = decode_bytes(far_apart(), tmp_path, workers=crew if workers > 1 else None, keeps=keeps)
    assert (len(handed_out) > 2) == (workers > 1)
    start = int((NOON - dt.datetime(1970, 1, 1)).total_seconds()) * 1_000_000
    for name in ("qsph", "qsgm", "qsrs"):
        mine = made[name].filter(pa.compute.equal(made[name]["qmgr"], "MQ01"))
        assert mine.num_rows > 0
        assert set(microseconds(mine["interval_start_local"])) == {start}
        assert set(microseconds(mine["interval_start_utc"])) == {start - 3_600_000_000}
        assert set(mine["interval_us"].to_pylist()) == {600_000_000}
        assert not keeps or set(mine["date"].to_pylist()) == {NOON.date()}
    wq = made["wq"]
    assert wq.num_rows == 6
    assert set(microseconds(wq["interval_start_utc"])) == {start - 60_000_000}
    assert set(wq["interval_us"].to_pylist()) == {60_000_000}


def test_a_storage_record_without_its_115_1_takes_the_115_2_or_has_no_interval(tmp_path: Path) -> None:
    storage = OWNER.interval(NOON, 600, kinds=(5,))
    for kinds, want in (((2,), 600_000_000), ((215,), None)):
        made, _ = decode_bytes(smf_file(storage + OWNER.interval(NOON, 600, kinds=kinds)), tmp_path)
        assert set(made["qsph"]["interval_us"].to_pylist()) == {want}
        assert set(made["qsph"]["gmt_offset_minutes"].to_pylist()) == {60}, "of the nearest record of the system"
    made, _ = decode_bytes(smf_file(storage), tmp_path)
    assert set(made["qsph"]["gmt_offset_minutes"].to_pylist()) == {None}
    assert set(made["qsph"]["interval_us"].to_pylist()) == {None}


def test_a_continuation_takes_the_nearest_record_of_its_task(tmp_path: Path) -> None:
    """A long-running task writes a 116.1 every interval, always with the same correlator."""
    names = [f"Q{i}" for i in range(4)]
    opened = NOON - dt.timedelta(hours=2)
    parts = [accounting.class3(OWNER, Task(), opened, opened, names, per_record=(2, 2), number=7)]
    for hour in range(2):
        end = NOON + dt.timedelta(hours=hour)
        ident = accounting.correlator(7, opened)
        values = {"task_interval_start_utc": end - MINUTE * (hour + 1), "task_interval_end_utc": end}
        made = accounting.class3(OWNER, Task(), opened, end, names, per_record=(2, 2), number=7, task_values=values)
        assert bytes.fromhex(ident) in made[1]
        parts.append(made)
    tables, _ = decode_bytes(
        smf_file([halves[0] for halves in parts[1:]] + [halves[1] for halves in parts[1:]]), tmp_path
    )
    assert [set(rows) for rows in by_record(tables["wq"], "interval_us").values()] == [
        {(60_000_000,)},
        {(120_000_000,)},
    ] * 2
