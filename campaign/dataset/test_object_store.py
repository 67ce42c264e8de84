"""A dataset and dumps on a server of S3: several processes write at once, a dump is put in parts, and a query reads the
row groups that it needs.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mqstat
from mqstat.base.object_store import StoredFile, fetched, store_of, stored_file
from mqstat.cli import run
from mqstat.dataset.place import ObjectPlace
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures import bulk
from mqstat.sources.source import find_sources
from mqstat.sql.stored import register_stored
from tests.object_stores import hour, s3_server, tables_of
from tests.support import file_of


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    with s3_server() as variables:
        yield variables


@pytest.fixture
def s3(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The server, in this process too."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    store_of.cache_clear()
    return environment


def started(environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "mqstat", *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )  # fmt: skip


def test_three_jobs_at_once_read_dumps_by_uri(s3: dict[str, str], tmp_path: Path) -> None:
    """Each job has a dump that the next one has too, and two of them a large one: the dataset is that of one ingest,
    and each dump is added once.
    """
    bulk.write("statistics", tmp_path / "large.smf", 5 << 20, seed=3)
    contents = {f"h{number}.smf": hour(number) for number in range(4)} | {
        "large.smf": (tmp_path / "large.smf").read_bytes()
    }
    jobs = []
    for job in range(3):
        names = [f"h{job}.smf", f"h{job + 1}.smf", *(["large.smf"] if job else [])]
        for name in names:
            ObjectPlace(f"s3://test/jobs-dumps/{job}").create(name, contents[name])
        jobs.append(started(s3, "ingest", f"s3://test/jobs-dumps/{job}", "--into", "s3://test/jobs"))
    texts = [job.communicate()[0] for job in jobs]
    assert [job.returncode for job in jobs] == [0] * 3, texts
    assert sum(text.count(": added as source") for text in texts) == 5
    assert sum(text.count(": already in the dataset as source") for text in texts) == 3
    place = ObjectPlace("s3://test/jobs")
    assert sorted(source.name for source in open_dataset(place).manifest.sources) == sorted(contents)
    assert verify(place, rows=True).problems == []
    folder = tmp_path / "all"
    folder.mkdir()
    for name, content in contents.items():
        file_of(content, folder, name)
    one = tmp_path / "one"
    assert run(["ingest", str(folder), "--into", str(one), "--jobs", "1"]) == 0
    mine, other = tables_of(place), tables_of(one)
    assert {name: rows.num_rows for name, rows in mine.items()} == {name: rows.num_rows for name, rows in other.items()}
    values = [[rows["record"].select(["record_hash", "outcome"]).sort_by("record_hash")] for rows in (mine, other)]
    assert values[0] == values[1]
    assert mqstat.open_dataset(place.uri).findings().num_rows == mqstat.open_dataset(one).findings().num_rows


def test_a_large_dump_is_put_in_parts_and_read_in_ranges(s3: dict[str, str], tmp_path: Path) -> None:
    data = np.random.default_rng(1).bytes(24 << 20)
    place = ObjectPlace("s3://test/large")
    place.create("large.smf", file_of(data, tmp_path))
    stored = stored_file("s3://test/large/large.smf")
    assert stored is not None
    assert stored.size == len(data)
    with stored.open() as stream:
        stream.seek(20_000_000)
        assert stream.read(1000) == data[20_000_000:20_001_000]
        stream.seek(0)
        assert b"".join(iter(lambda: stream.read(7 << 20), b"")) == data


def test_a_query_reads_only_the_row_groups_that_it_needs(
    s3: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And many threads read one file: each has its own position."""
    import duckdb

    rows = pa.table({"number": np.arange(2_000_000), "text": [f"text {n % 1000}" for n in range(2_000_000)]})
    pq.write_table(rows, tmp_path / "rows.parquet", row_group_size=100_000, compression="none")
    place = ObjectPlace("s3://test/rows")
    place.create("rows.parquet", tmp_path / "rows.parquet")
    size = (tmp_path / "rows.parquet").stat().st_size
    lengths: list[int] = []

    def counted(root: str, key: str, start: int, length: int) -> bytes:
        lengths.append(length)
        return fetched(root, key, start, length)

    monkeypatch.setattr("mqstat.base.object_store.fetched", counted)
    file = StoredFile("s3://test/rows/rows.parquet", size)
    with duckdb.connect() as connection:
        connection.execute("SET threads = 8")
        register_stored(connection, [[file]])
        query = f"SELECT count(*), sum(number) FROM '{file.uri}' WHERE number >= 1950000"
        assert connection.sql(query).fetchall() == [(50_000, sum(range(1_950_000, 2_000_000)))]
        assert sum(lengths) < size / 8
        for _ in range(3):
            everything = f"SELECT sum(number), count(DISTINCT text), min(text), max(text) FROM '{file.uri}'"
            assert connection.sql(everything).fetchall() == [(sum(range(2_000_000)), 1000, "text 0", "text 999")]


def test_keys_may_have_any_characters(s3: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = hour(1)
    dumps = ObjectPlace("s3://test/odd")
    names = [
        "a b.smf", "a%20b.smf", "é.smf", "x#1.smf", "x?1.smf", "x+1.smf", "[1].smf", "s&;=@:*.smf", "back\\slash.smf"
    ]  # fmt: skip
    for number, name in enumerate(names):
        dumps.create(name, hour(number))
        (pair,) = {each.num_rows for _, each in mqstat.decode(f"{dumps}/{name}", ["record"])}
        assert pair > 0
    assert sorted(each.name for each in find_sources([str(dumps)])) == sorted(names)
    home = "s3://test/q?[1]*x#y z é+,=/set"
    assert run(["ingest", str(dumps), "--into", home]) == 0
    assert run(["ingest", str(file_of(data, tmp_path)), "--into", home]) == 0
    assert run(["verify", home, "--rows"]) == 0
    with mqstat.open_dataset(home) as opened:
        assert opened.sql("SELECT count(DISTINCT source_id) FROM decoded.source").to_pylist() == [
            {"count(DISTINCT source_id)": len(names)}
        ]
    assert run(["ingest", str(tmp_path / "dump.smf"), "--into", "s3://test/a%20b"]) == 16
    assert "cannot have a %" in capsys.readouterr().err


def test_why_a_store_cannot_be_used(
    s3: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer of the store is shown, not how it was asked."""
    dump = str(file_of(hour(1), tmp_path))
    for command in (
        ["report", "--from", "s3://nobody/set"],
        ["ledger", "s3://nobody/a.smf"],
        ["ingest", dump, "--into", "s3://nobody/set"],
    ):
        assert run(command) in (12, 16)
        text = capsys.readouterr().err
        assert "NoSuchBucket: The specified bucket does not exist" in text
        assert "http" not in text
        assert len(text.splitlines()) == 1, text
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        store_of.cache_clear()
        assert run(["report", "s3://test/dump.smf"]) in (12, 16)
        text = capsys.readouterr().err
        assert "unexpected" not in text
        assert len(text.splitlines()) == 1, text
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9")  # as on a machine that is not in a cloud
    store_of.cache_clear()
    assert run(["ledger", "s3://test/a.smf"]) == 12
    assert "there are no credentials: set AWS_ACCESS_KEY_ID" in capsys.readouterr().err
