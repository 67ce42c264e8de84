"""Temporary files leave out columns with one value in all rows; a database over them has the same rows as one over all
columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from mqstat.base.narrow_file import NarrowFile
from mqstat.base.selection import Selection
from mqstat.dataset import writer
from mqstat.dataset.writer import PartWriter, constant_columns
from mqstat.intake import pipeline
from mqstat.intake.part import Job
from mqstat.intake.pipeline import Scratch, columns_to_decode
from mqstat.intake.workers import Workers
from mqstat.parsers.record import NONE
from mqstat.parsers.tables import STAMP, TEXT, table_schemas
from mqstat.sources.source import find_sources
from mqstat.sql.needs import health_columns
from tests.opening import open_database
from tests.support import built_dump, file_of

WANTED = {
    "qpst": frozenset({"record_id", "lpar", "interval_start_utc", "pool_id", "buffers", "page_gets_new", "above_bar"})
}
ROWS = 4


@pytest.fixture
def short_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups of four rows, from which columns are left out."""
    monkeypatch.setattr(writer, "CONSTANT_FROM", 1)
    monkeypatch.setattr(writer, "ROW_GROUP", ROWS)


def text(values: list[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode().cast(TEXT)


def group(
    number: int,
    *,
    lpar: str | None = "SYS1",
    start: int | None = None,
    pool_id: int | None = 0,
    buffers: list[int | None] | None = None,
    page_gets_new: int | None = None,
    above_bar: bool | None = True,
) -> pa.Table:
    """One row group of table qpst."""
    rows = {
        "record_id": pa.array(range(number * ROWS, number * ROWS + ROWS)),
        "lpar": text([lpar] * ROWS),
        "interval_start_utc": pa.array([start] * ROWS, pa.int64()).cast(STAMP),
        "pool_id": pa.array([pool_id] * ROWS, pa.int64()),
        "buffers": pa.array(buffers or [0] * ROWS, pa.int64()),
        "page_gets_new": pa.array([page_gets_new] * ROWS, pa.int64()),
        "above_bar": pa.array([above_bar] * ROWS, pa.bool_()),
    }
    names = [name for name in table_schemas()["qpst"].names if name in rows]
    return pa.table({name: rows[name] for name in names})


def written(folder: Path, *parts: list[pa.Table]) -> list[NarrowFile]:
    """The temporary files of some parts of one table."""
    out = []
    for number, groups in enumerate(parts):
        made = PartWriter(folder, f"part-{number}", WANTED, by_day=False)
        for rows in groups:
            made.add_table("qpst", rows, np.full(rows.num_rows, NONE))
        out += [NarrowFile(folder / file.path, file.constants) for file in made.close()]
    return out


def assert_same_rows(files: list[NarrowFile], *parts: list[pa.Table]) -> None:
    """A database over the files, with and without views, has the rows of the groups."""
    groups = [rows.select(parts[0][0].column_names) for part in parts for rows in part]
    expected = pa.concat_tables(groups).unify_dictionaries()
    listed = ", ".join(expected.column_names)
    for views in (False, ["buffer_pool"]):
        with open_database({"qpst": files}, views=views, decoded=WANTED) as db:
            rows = db.execute(f"SELECT {listed} FROM decoded.qpst ORDER BY record_id").fetchall()
            kinds = db.execute(
                f"SELECT {', '.join(f'typeof({c})' for c in expected.column_names)} FROM decoded.qpst"
            ).fetchone()
        assert rows == [tuple(row.values()) for row in expected.to_pylist()]
        assert kinds == tuple(
            "VARCHAR" if f.type == TEXT else "TIMESTAMP" if f.type == STAMP else "BOOLEAN" if pa.types.is_boolean(f.type) else "BIGINT"
            for f in expected.schema
        )  # fmt: skip


def test_which_columns_are_constant() -> None:
    rows = group(1, buffers=[1, 2, 3, 4])
    assert constant_columns(rows) == {
        "lpar": "SYS1", "interval_start_utc": None, "pool_id": 0, "page_gets_new": None, "above_bar": True,
    }  # fmt: skip
    rows = group(1, lpar=None, start=5, pool_id=-7, buffers=[3, None, 3, 3], page_gets_new=3, above_bar=False)
    assert constant_columns(rows) == {"lpar": None, "pool_id": -7, "page_gets_new": 3, "above_bar": False}
    two = pa.concat_tables([group(1), group(2, lpar="SYS2", pool_id=1, above_bar=False)])
    assert constant_columns(two) == {"interval_start_utc": None, "buffers": 0, "page_gets_new": None}


@pytest.mark.usefixtures("short_groups")
def test_columns_that_all_files_leave_out_are_constants(tmp_path: Path) -> None:
    parts = [[group(0), group(1)], [group(2)]]
    files = written(tmp_path, *parts)
    assert [len(file.constants) for file in files] == [6, 6]
    assert_same_rows(files, *parts)


@pytest.mark.usefixtures("short_groups")
def test_a_column_with_another_value_begins_a_new_file(tmp_path: Path) -> None:
    """The new file leaves out what is still constant, and the last one nothing."""
    part = [
        group(0),
        group(1, page_gets_new=8),
        group(2, above_bar=None),
        group(3, lpar="SYS2", page_gets_new=9),
        group(4, pool_id=3),
        group(5, buffers=[1, None, 2, 0]),
    ]
    files = written(tmp_path, part)
    assert [sorted(file.constants) for file in files] == [
        ["above_bar", "buffers", "interval_start_utc", "lpar", "page_gets_new", "pool_id"],
        ["above_bar", "buffers", "interval_start_utc", "lpar", "pool_id"],
        ["buffers", "interval_start_utc", "lpar", "pool_id"],
        ["buffers", "interval_start_utc", "pool_id"],
        [],
    ]
    assert len(files) == writer.MOST_NARROW + 1
    assert_same_rows(files, part)


@pytest.mark.usefixtures("short_groups")
def test_files_that_leave_out_other_columns_and_values(tmp_path: Path) -> None:
    """Absent in one file, several values or nulls in another; constants of text with a quote, negative numbers and
    flags.
    """
    parts = [
        [group(0, lpar="IT'S", pool_id=-1, page_gets_new=2)],
        [group(1, lpar="SYS1", pool_id=5, buffers=[1, None, 3, 4], above_bar=False)],
        [group(2, lpar=None, pool_id=None, page_gets_new=2, start=1_700_000_000_000_000, above_bar=None)],
        [group(3, pool_id=-1, buffers=[7, 7, 7, 8], page_gets_new=0)],
    ]
    files = written(tmp_path, *parts)
    assert len({frozenset(file.constants.items()) for file in files}) == 4
    assert_same_rows(files, *parts)


def test_short_tables_and_datasets_have_all_columns(tmp_path: Path) -> None:
    assert [file.constants for file in written(tmp_path, [group(0)])] == [{}]
    with PartWriterOfDataset(tmp_path / "dataset") as made:
        made.add_table("qpst", group(0).append_column("source_id", pa.array([1] * ROWS)), np.full(ROWS, 20_000))
    assert [file.constants for file in made.files] == [{}]


class PartWriterOfDataset(PartWriter):
    """A writer of files that are kept."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        super().__init__(folder, "kept", {"qpst": WANTED["qpst"] | {"source_id"}})

    def __enter__(self) -> PartWriterOfDataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.files = self.close()


@pytest.fixture(scope="module")
def crew() -> Iterator[Workers]:
    """Two worker processes."""
    with Workers(2) as crew:
        yield crew


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_every_table_of_a_dump_has_the_same_rows(
    processes: int, crew: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decoded tables in files without constant columns, by one process or by several, against the rows in memory."""
    dump = file_of(built_dump(), tmp_path, "dump")
    wanted = columns_to_decode(health_columns())
    rows = {}
    for held_bytes in (1 << 30, 0):
        if not held_bytes:
            monkeypatch.setattr(writer, "CONSTANT_FROM", 1)
            monkeypatch.setattr(writer, "ROW_GROUP", ROWS)
            monkeypatch.setattr(pipeline, "CHUNK", 1 << 15)
            monkeypatch.setattr(pipeline, "PARALLEL_FROM", 1)
        with Scratch(held_bytes) as scratch:
            (source,) = find_sources([str(dump)])
            job = Job(1, 0, Selection(), wanted, scratch.root, keeps=False)
            scratch.add(source, job, sha256=False, workers=None if held_bytes or processes == 1 else crew)
            assert bool(scratch.files) == (not held_bytes)
            if not held_bytes:
                left_out = [
                    len(file.constants)
                    for files in scratch.files.values()
                    for file in files
                    if isinstance(file, NarrowFile)
                ]
                assert sum(left_out) > 100
                assert max(map(len, scratch.files.values())) > processes
            with open_database(scratch.sources(), temp_directory=scratch.root, views=False, decoded=wanted) as db:
                rows[held_bytes] = {
                    table: db.execute(f"FROM decoded.{table} ORDER BY ALL").fetchall() for table in wanted
                }
    assert sum(map(len, rows[0].values())) > 500
    assert rows[0] == rows[1 << 30]
