"""Records as batches: open files, plain types, selections and numbers."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import mqstat
from mqstat.api.inputs import Dump
from tests.support import Tables, built_dump, difference, file_of, plain, small_dump


def rows(file: Dump) -> list[Tables]:
    """The batches of a dump."""
    return [{name: plain(pa.table(batch))} for name, batch in mqstat.decode(file)]


def joined(batches: list[Tables]) -> Tables:
    """One table of each name."""
    names = {name for each in batches for name in each}
    return {name: pa.concat_tables([each[name] for each in batches if name in each]).combine_chunks() for name in names}


def test_an_open_file_is_read_from_where_it_is() -> None:
    data = small_dump()
    file = io.BytesIO(b"before" + data)
    file.seek(6)
    assert difference(joined(rows(file)), joined(rows(data))) == []
    assert file.read() == b""


def test_a_selection_gives_the_rows_of_the_records_that_it_matches() -> None:
    data = built_dump()
    whole = joined(rows(data))
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
    first, second = joined(rows(data))["record"], io.BytesIO(data)
    both = [
        plain(pa.table(batch))
        for name, batch in mqstat.decode([path, second, data], source_id=7, first_record_id=1000)
        if name == "record"
    ]
    assert [sorted(set(each["source_id"].to_pylist())) for each in both] == [[7], [8], [9]]
    ids = pa.concat_tables(both)["record_id"].to_pylist()
    assert len(set(ids)) == 3 * len(first)
    assert min(ids) == 1000 + first["record_id"][0].as_py()
