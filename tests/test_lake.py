"""What mqstat relies on in the library for Delta tables, in a folder and in an object store."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqstat.base import object_store
from mqstat.dataset import lake
from mqstat.dataset.lake import DataFile, LaterCommitError, NoVersionError, Place
from mqstat.dataset.place import ObjectPlace
from tests.object_stores import s3_server

SCHEMA = pa.schema(
    [
        ("number", pa.int64()), ("share", pa.float64()), ("flag", pa.bool_()), ("date", pa.date32()), ("at", pa.timestamp("us")),
        ("name", pa.dictionary(pa.int32(), pa.string())), ("hash", pa.binary(4)), ("content", pa.binary()),
    ]
)  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    """The variables with which mqstat uses a server of S3."""
    with s3_server() as environment:
        yield environment


@pytest.fixture(params=["folder", pytest.param("store", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A table in a folder, and in S3."""
    if request.param == "folder":
        return Place(tmp_path, "t")
    for name, value in request.getfixturevalue("server").items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    object_store.store_of.cache_clear()
    return Place(ObjectPlace(f"s3://test/{tmp_path.name}"), "t")


def put(place: Place, name: str, rows: int = 2) -> DataFile:
    """Write a file with rows where the table is."""
    values = [1, 0.5, True, dt.date(2026, 3, 1), dt.datetime(2026, 3, 1, 12), "a", b"abcd", b"x"]
    table = pa.table(
        [pa.array([value] * rows, field.type) for value, field in zip(values, SCHEMA, strict=True)], SCHEMA
    )
    data = pa.BufferOutputStream()
    pq.write_table(table, data)
    content = data.getvalue().to_pybytes()
    if isinstance(place.home, Path):
        (place.home / place.name / name).write_bytes(content)
    else:
        place.home.create(f"{place.name}/{name}", content)
    return DataFile(name, len(content), rows)


def test_a_query_of_a_day_opens_the_files_of_that_day(tmp_path: Path) -> None:
    """Files are left out by their least and largest values: one of another day is not missed."""
    from deltalake import QueryBuilder

    place = Place(tmp_path, "t")
    lake.create(place, SCHEMA)
    for name, day in (("a.parquet", "2026-03-01"), ("b.parquet", "2026-03-02")):
        file = dataclasses.replace(put(place, name), least={"date": day}, most={"date": day})
        lake.commit(place, lake.opened(place), SCHEMA, [file])
    (tmp_path / "t" / "b.parquet").unlink()
    query = QueryBuilder().register("t", lake.opened(place))
    counted = pa.table(query.execute("SELECT count(*) AS rows FROM t WHERE date = DATE '2026-03-01'").read_all())
    assert counted.to_pylist() == [{"rows": 2}]
    with pytest.raises(Exception, match=r"b\.parquet"):
        query.execute("SELECT min(number) FROM t").read_all()


def names(place: Place, version: int | None = None) -> list[str]:
    return sorted(each.path for each in lake.files(lake.opened(place, version)))


def test_a_commit_is_the_next_version_or_fails(place: Place) -> None:
    comment = SCHEMA.field("name").with_metadata({"comment": "A name."})
    lake.create(place, SCHEMA.set(SCHEMA.get_field_index("name"), comment), "A table")
    lake.create(place, SCHEMA)
    table, same = lake.opened(place, 0), lake.opened(place, 0)
    assert lake.commit(place, table, SCHEMA, [put(place, "a.parquet")]) == 1
    for opened in (same, lake.opened(place, 0)):
        with pytest.raises(LaterCommitError):
            lake.commit(place, opened, SCHEMA, [put(place, "b.parquet")])
    assert names(place) == ["a.parquet"]
    assert lake.files(lake.opened(place))[0].rows == 2
    assert lake.schema(lake.opened(place)) == lake.plain(SCHEMA)
    assert [field.metadata.get("comment") for field in lake.opened(place).schema().fields if field.name == "name"] == [
        "A name."
    ]


def test_a_table_that_many_create_at_once_is_there_once(place: Place) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: lake.create(place, SCHEMA), range(6)))
    assert lake.opened(place).version() == 0


def test_files_leave_and_join_in_one_commit_and_a_version_keeps_its_files(place: Place) -> None:
    lake.create(place, SCHEMA)
    first = put(place, "a.parquet")
    lake.commit(place, lake.opened(place), SCHEMA, [first])
    lake.commit(place, lake.opened(place), SCHEMA, [put(place, "b.parquet")], [first])
    put(place, "c.parquet")
    assert names(place) == ["b.parquet"]
    assert names(place, 1) == ["a.parquet"]
    assert sorted(lake.not_live(place, 0)) == ["a.parquet", "c.parquet"]
    assert lake.not_live(place, 0, full=False) == ["a.parquet"]
    assert lake.not_live(place, 48, full=False) == []


@pytest.mark.parametrize("later", [0, 1, 2])
def test_a_table_is_taken_back_and_a_writer_that_has_slept_fails(place: Place, later: int) -> None:
    lake.create(place, SCHEMA)
    lake.commit(place, lake.opened(place), SCHEMA, [put(place, "a.parquet")])
    asleep = lake.opened(place)
    for number in range(later):
        asleep = lake.opened(place)
        lake.commit(place, asleep, SCHEMA, [put(place, f"{number}.parquet")])
        asleep = lake.opened(place)
    version = lake.taken_back(place, SCHEMA, 1)
    assert version > 1 + later - (later > 0)
    assert names(place) == ["a.parquet"]
    with pytest.raises(LaterCommitError):
        lake.commit(place, asleep, SCHEMA, [put(place, "late.parquet")])


@pytest.mark.parametrize("size", [0, 40])
def test_a_commit_that_lost_its_end_is_deleted(tmp_path: Path, size: int) -> None:
    """After a loss of power: an empty commit opens without its rows, half of one does not open at all."""
    place = Place(tmp_path, "t")
    lake.create(place, SCHEMA)
    for name in ("a.parquet", "b.parquet"):
        lake.commit(place, lake.opened(place), SCHEMA, [put(place, name)])
    log = tmp_path / "t" / lake.LOG / f"{2:020d}.json"
    os.truncate(log, size)
    assert [*lake.newest(place)] == [1, 0]
    assert names(place, 1) == ["a.parquet"]
    lake.taken_back(place, SCHEMA, 1)
    assert next(lake.newest(place)) == 2
    assert names(place) == ["a.parquet"]


def test_columns_are_added_by_the_next_version_or_not_at_all(place: Place) -> None:
    lake.create(place, SCHEMA)
    lake.commit(place, lake.opened(place), SCHEMA, [put(place, "a.parquet")])
    stale, more = lake.opened(place), pa.schema([("later", pa.string())])
    assert lake.add_columns(place, lake.opened(place), more) == 2
    with pytest.raises(LaterCommitError):
        lake.add_columns(place, stale, more)
    with pytest.raises(LaterCommitError):
        lake.commit(place, stale, SCHEMA, [put(place, "b.parquet")])
    assert lake.schema(lake.opened(place)).names == [*SCHEMA.names, "later"]
    assert names(place) == ["a.parquet"]
    lake.taken_back(place, SCHEMA, 1)
    assert lake.schema(lake.opened(place)) == lake.plain(SCHEMA)


def test_what_cannot_be_opened(place: Place) -> None:
    assert not lake.exists(place)
    assert [*lake.newest(place)] == []
    with pytest.raises(NoVersionError):
        lake.opened(place)
    lake.create(place, SCHEMA)
    assert lake.exists(place)
    with pytest.raises(NoVersionError):
        lake.opened(place, 7)
