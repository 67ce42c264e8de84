"""Ranges of a dump: what is read of it, and that no interval is lost where a record and its interval are in different ranges."""

from __future__ import annotations

import datetime as dt
import io
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import mqstat
from bench.stretched import stretch
from mqstat.api.inputs import Dump
from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.build import other_record
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake.pipeline import PREFIX
from mqstat.intake.stream import LOOK_BACK, NEAR
from tests.support import Tables, built_dump, built_records, difference, file_of, plain, small_dump

MIB = 1 << 20
EVENING = dt.datetime(2026, 3, 28, 20)
SHOWN = (
    "record_id", "record_number", "source_offset", "interval_start_utc", "interval_us", "interval_start_local", "gmt_offset_minutes",
    "record_start_local", "outcome",
)  # fmt: skip


class Counted(io.BytesIO):
    """An open file that counts the bytes read from it, and keeps the offset of each read."""

    count = 0

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.offsets: set[int] = set()

    def read(self, size: int | None = -1, /) -> bytes:
        self.offsets.add(self.tell())
        data = super().read(size)
        self.count += len(data)
        return data


def rows(file: Dump, wanted: dict[str, Sequence[str]] | None, *part: int | None) -> list[Tables]:
    """The batches of a range."""
    return [{name: plain(pa.table(batch))} for name, batch in mqstat.decode(file, wanted, *part)]  # type: ignore[arg-type]


def joined(batches: list[Tables]) -> Tables:
    """One table of each name."""
    names = {name for each in batches for name in each}
    return {name: pa.concat_tables([each[name] for each in batches if name in each]).combine_chunks() for name in names}


def in_parts(
    data: bytes, range_bytes: int, wanted: dict[str, Sequence[str]] | None = None
) -> tuple[Tables, list[float]]:
    """A dump decoded range by range from one open file, and for each range the bytes read for one of its own."""
    file = Counted(data)
    ratios, out = [], []
    for part in mqstat.split(file, range_bytes):
        file.count = 0
        out += rows(file, wanted, *part)
        ratios.append(file.count / ((part.stop or 0) - part.start))
    return joined(out), ratios


def filler(size: int) -> list[bytes]:
    """Records of another type, of so many bytes together."""
    return [other_record(30, 32_000, written_local=EVENING)] * (size // 32_000)


@pytest.mark.slow
def test_a_range_reads_little_more_than_its_own_bytes(tmp_path: Path) -> None:
    stretch(file_of(smf_file(built_records()), tmp_path, "short.smf"), tmp_path / "day.smf", 99)
    data = (tmp_path / "day.smf").read_bytes()
    assert len(data) > 400 * MIB
    wanted: dict[str, Sequence[str]] = {"record": SHOWN, "damage": ["damage_offset", "damage_bytes"]}
    parts, ratios = in_parts(data, 128 * MIB, wanted)
    assert len(ratios) >= 4
    assert statistics.median(ratios) <= 1.1, ratios
    assert difference(parts, joined(rows(data, wanted))) == []


def test_all_ranges_of_an_open_file_give_every_row_of_the_whole() -> None:
    data = built_dump()
    parts, ratios = in_parts(data, 50_000)
    assert len(ratios) >= 5
    assert set(parts) >= {"record", "q5st", "wq"}
    assert difference(parts, joined(rows(data, None))) == []


@pytest.mark.parametrize("between", [0, 3 * MIB, 40 * MIB], ids=["next", "3MiB", "40MiB"])
def test_an_interval_is_found_however_far_before_the_range_it_is(between: int) -> None:
    owner = QueueManager(gmt_offset_minutes=0)
    names = [f"QUEUE.{number}" for number in range(6)]
    task, *more = accounting.class3(owner, Task(), EVENING, EVENING + dt.timedelta(minutes=1), names, per_record=(2, 2))
    others = accounting.class1(owner, Task(), EVENING, EVENING + dt.timedelta(minutes=1))
    data = smf_file([task, *filler(between), others, *more, *filler(2 * MIB)])
    whole = joined(rows(data, {"record": SHOWN}))["record"]
    assert whole["interval_us"].null_count == 0
    start = int(whole["source_offset"][1].as_py())
    file = Counted(data)
    part = joined(rows(file, {"record": SHOWN}, start, None, int(whole["record_number"][1].as_py())))["record"]
    assert part.equals(whole.slice(1))
    before = file.count - (len(data) - start) - min(PREFIX, len(data))
    assert before <= 2 * between + 2 * NEAR
    assert len(more) == 2


def test_a_range_without_the_interval_of_a_record_looks_back_no_further_than_the_limit() -> None:
    owner = QueueManager(gmt_offset_minutes=0)
    names = [f"QUEUE.{number}" for number in range(6)]
    _, *more = accounting.class3(owner, Task(), EVENING, EVENING + dt.timedelta(minutes=1), names, per_record=(2, 2))
    data = smf_file([*filler(LOOK_BACK + 8 * MIB), *more])
    (*_, first, _) = mqstat.split(data, 1)[-3:]
    file = Counted(data)
    part = joined(rows(file, {"record": SHOWN}, first.start, None, first.first_record))["record"]
    assert part["interval_us"].null_count == len(part)
    assert min(file.offsets - {0}) == first.start - LOOK_BACK, "at 0 it was recognised that it is not compressed"
    assert file.count < LOOK_BACK + PREFIX + MIB


def test_an_open_file_is_read_from_where_it_is_and_a_range_from_its_start() -> None:
    data = small_dump()
    file = io.BytesIO(b"before" + data)
    file.seek(6)
    assert difference(joined(rows(file, None)), joined(rows(data, None))) == []
    assert file.read() == b""
    assert difference(joined(rows(file, None, 6, None, 0)), joined(rows(file.getvalue(), None, 6, None, 0))) == []


def test_plain_batches_have_neither_dictionaries_nor_binary_values_of_a_fixed_size() -> None:
    data = built_dump()
    plain_schemas = mqstat.schemas(plain=True)
    kinds = {field.type for schema in plain_schemas.values() for field in schema}
    assert not any(pa.types.is_dictionary(kind) or pa.types.is_fixed_size_binary(kind) for kind in kinds)
    usual = joined(rows(data, None))
    batches: dict[str, list[pa.RecordBatch]] = {}
    for name, batch in mqstat.decode(data, plain=True):
        assert batch.schema.equals(plain_schemas[name], check_metadata=True)
        batches.setdefault(name, []).append(batch)
    assert batches.keys() == usual.keys()
    for name, parts in batches.items():
        table = pa.Table.from_batches(parts).replace_schema_metadata(None).combine_chunks()
        assert table.cast(usual[name].schema).equals(usual[name]), name


def test_a_selection_gives_the_rows_of_the_records_that_it_matches() -> None:
    data = built_dump()
    whole = joined(rows(data, None))
    record = whole["record"].to_pylist()
    midnight = dt.datetime(2026, 3, 29)

    def moment(row: dict[str, Any]) -> Any:
        return (row["smf_type"] == 115 and row["interval_start_local"]) or row["written_local"]

    for selection, matches in (
        (mqstat.Selection(qmgrs="MQ94"), lambda row: row["qmgr"] == "MQ94"),
        (mqstat.Selection(types=116, lpars="SYS2"), lambda row: row["smf_type"] == 116 and row["lpar"] == "SYS2"),
        (mqstat.Selection(since=midnight), lambda row: moment(row) >= midnight),
        (mqstat.Selection(qmgrs="NONE"), lambda row: False),
    ):
        ids = pa.array([row["record_id"] for row in record if matches(row)], pa.int64())
        expected = {name: table.filter(pc.is_in(table["record_id"], ids)) for name, table in whole.items()}
        chosen = [{name: plain(pa.table(batch))} for name, batch in mqstat.decode(data, selection=selection)]
        assert difference(joined(chosen), {n: t.combine_chunks() for n, t in expected.items() if t.num_rows}) == []
        assert 0 < len(ids) < len(record) or selection.qmgrs == ("NONE",)
    with pytest.raises(mqstat.MqstatError, match=r"^decode does not select tasks"):
        mqstat.decode(data, selection=mqstat.Selection(tasks=[("user_or_transaction", "A*")]))


def test_ids_of_several_calls_do_not_collide(tmp_path: Path) -> None:
    data = small_dump()
    path = file_of(data, tmp_path)
    first, second = joined(rows(data, None))["record"], io.BytesIO(data)
    both = [
        plain(pa.table(batch))
        for name, batch in mqstat.decode([path, second, data], source_id=7, first_record_id=1000)
        if name == "record"
    ]
    assert [sorted(set(each["source_id"].to_pylist())) for each in both] == [[7], [8], [9]]
    ids = pa.concat_tables(both)["record_id"].to_pylist()
    assert len(set(ids)) == 3 * len(first)
    assert min(ids) == 1000 + first["record_id"][0].as_py()
    part = mqstat.split(data, 1)[2]
    (_, batch), *_ = mqstat.decode(data, ["record"], *part, first_record_id=500)
    assert batch["record_id"].to_pylist() == [500 + part.first_record]
    with pytest.raises(mqstat.MqstatError, match="Several inputs have no ranges"):
        list(mqstat.decode([path, data], None, *part))
