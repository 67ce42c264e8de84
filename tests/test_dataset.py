"""The dataset: added data never changes, whatever happens to a later ingest."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqstat.cli import run
from mqstat.dataset import lake, snapshot, store
from mqstat.dataset.manifest import Manifest
from mqstat.dataset.paths import day_of
from mqstat.dataset.publishing import STAGING
from mqstat.dataset.store import LOCK, open_dataset
from mqstat.dataset.verification import verify
from mqstat.dataset.writer import FEW_ROWS, PartWriter
from mqstat.parsers.tables import table_schemas, tables
from tests.support import Tables, built_dump, call, decode_bytes, difference, file_of, small_dump, tables_in


@pytest.fixture(scope="module")
def dump_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(built_dump(), tmp_path_factory.mktemp("dump"), "built.smf")


@pytest.fixture(scope="module")
def made(dump_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of the built dump, not to be changed."""
    folder = tmp_path_factory.mktemp("made") / "set"
    assert run(["ingest", str(dump_file), "--into", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def made_tables(made: Path) -> Tables:
    """The rows of that dataset."""
    return tables_in(open_dataset(made).files)


@pytest.fixture
def dataset(made: Path, tmp_path: Path) -> Path:
    """A copy of that dataset."""
    return Path(shutil.copytree(made, tmp_path / "set"))


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(small_dump(), tmp_path_factory.mktemp("small"), "small.smf")


@pytest.fixture(scope="module")
def small_made(small_file: Path) -> Path:
    """A dataset of few files, not to be changed."""
    folder = small_file.parent / "set"
    assert run(["ingest", str(small_file), "--into", str(folder)]) == 0
    return folder


@pytest.fixture
def small(small_made: Path, tmp_path: Path) -> Path:
    """A copy of that dataset."""
    return Path(shutil.copytree(small_made, tmp_path / "small"))


def content(folder: Path) -> tuple[Manifest, dict[str, bytes]]:
    """What a dataset is, and its files of rows by name."""
    files = [path for path in sorted(folder.glob("*/*.parquet")) if path.parent.name in table_schemas()]
    manifest = open_dataset(folder).manifest
    rows = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    return dataclasses.replace(manifest, sources=[*manifest.sources]), rows


# -------------------------------------------------------------------------------------------------- what it consists of


def test_a_dataset_holds_what_was_decoded(made: Path, tmp_path: Path) -> None:
    contents = tables_in(open_dataset(made).files)
    decoded, result = decode_bytes(built_dump(), tmp_path, keeps=True)
    decoded.pop("source")
    source = contents.pop("source")
    assert difference(contents, decoded) == []
    assert source["source_name"].to_pylist() == ["built.smf"]
    (entry,) = open_dataset(made).manifest.sources
    assert entry.bytes == len(built_dump()) == result.size
    assert entry.ledger == result.part.ledger.as_dict() | {
        "selected_mq_records": result.part.selected,
        "values_too_big": 0,
    }
    verified = verify(made)
    assert (verified.problems, verified.remarks, verified.sources) == ([], [], 1)
    assert verified.rows == sum(table.num_rows for table in contents.values()) + 1


def test_rows_are_in_the_file_of_their_local_day(made: Path) -> None:
    days = set()
    for name, files in open_dataset(made).files.items():
        for path in files:
            day = day_of(path.relative_to(made).as_posix())
            days.add(day)
            table = pq.ParquetFile(path).read()
            assert set(table["date"].to_pylist()) == {day}
            if name in ("source", "other_record", "section", "damage"):
                assert day is None
                continue
            if name == "raw_bytes":
                continue  # has no times of its own
            for row in table.select(
                [c for c in ("interval_start_local", "written_local", "record_class") if c in table.column_names]
            ).to_pylist():
                accounting = name in ("wtid", "wtas", "wq", "qwac", "qmac", "qwhc", "qcst") or name.startswith(
                    ("wtas_", "wq_")
                )
                accounting |= (row.get("record_class") or "").startswith("116")
                moments = (
                    {row["written_local"]} if accounting else {row.get("interval_start_local"), row["written_local"]}
                )
                assert day in {moment.date() for moment in moments if moment}, (name, row)
    assert days == {dt.date(2026, 3, 28), dt.date(2026, 3, 29), None}


def test_tables_describe_themselves(made: Path) -> None:
    """Delta has a sentence, unit, kind and IBM's name for each column."""
    for name, files in open_dataset(made).files.items():
        _, columns = tables()[name]
        fields = lake.opened(lake.Place(made, name)).schema().fields
        assert pq.ParquetFile(files[0]).schema_arrow.names == [field.name for field in fields]
        assert [field.metadata for field in fields] == [
            {"comment": column.doc, "unit": column.unit, "kind": column.kind, "ibm_name": column.mnemonic}
            for column in columns
        ]


@pytest.mark.parametrize(("rows", "compression"), [(FEW_ROWS - 1, "SNAPPY"), (FEW_ROWS, "ZSTD")])
def test_files_of_few_rows_are_compressed_faster(rows: int, compression: str, tmp_path: Path) -> None:
    writer = PartWriter(tmp_path, "s000001")
    columns = [field for field in table_schemas()["qjst"] if field.name != "date"]
    values = [pa.repeat(pa.scalar(None if field.nullable else 1, field.type), rows) for field in columns]
    writer.add_table("qjst", pa.table(values, schema=pa.schema(columns)), np.zeros(rows, "i8"))
    (file,) = writer.close()
    group = pq.ParquetFile(tmp_path / file.path).metadata.row_group(0)
    assert {group.column(i).compression for i in range(group.num_columns)} == {compression}


# --------------------------------------------------------------------------------------------------------- adding to it


def test_the_same_content_is_not_added_twice(
    dataset: Path, dump_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = content(dataset)
    for again in (dump_file, Path(shutil.copy(dump_file, dataset.parent / "another name.smf"))):
        assert run(["ingest", str(again), "--into", str(dataset)]) == 0
        assert "already in the dataset as source 1 (built.smf); nothing added" in capsys.readouterr().out
    assert content(dataset) == before


def test_an_input_that_cannot_be_used_leaves_no_empty_dataset(tmp_path: Path, small_file: Path) -> None:
    bad, folder = file_of(b"no dump" * 100, tmp_path, "bad.smf"), tmp_path / "set"
    assert run(["ingest", str(bad), "--into", str(folder)]) == 12
    assert [path.name for path in folder.iterdir()] in ([], [LOCK])
    assert run(["verify", str(folder)]) == 16
    assert run(["ingest", str(small_file), str(bad), "--into", str(folder)]) == 12
    assert run(["ingest", str(bad), "--into", str(folder)]) == 12
    assert verify(folder).problems == []


def test_another_selection_of_the_same_content_is_refused(
    dataset: Path, dump_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = content(dataset)
    assert run(["ingest", str(dump_file), "--into", str(dataset), "--only", "115"]) == 16
    assert "with another selection" in capsys.readouterr().out
    assert content(dataset) == before


def test_a_second_source_gets_numbers_of_its_own(dataset: Path, tmp_path: Path) -> None:
    other = file_of(built_dump() + built_dump(), tmp_path, "twice.smf")
    assert run(["ingest", str(other), "--into", str(dataset)]) == 0
    records = tables_in(open_dataset(dataset).files)["record"]
    numbers = records["record_id"].to_pylist()
    assert len(set(numbers)) == len(numbers)
    assert sorted(set(records["source_id"].to_pylist())) == [1, 2]
    assert verify(dataset).problems == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "condition"),
    [
        (["--only", "115"], "smf_type = 115"),
        (["--only", "116"], "smf_type = 116"),
        (["--qmgr", "mq94"], "qmgr = 'MQ94'"),
        (["--qmgr", "MQ80", "--qmgr", "MQ10"], "qmgr IN ('MQ80', 'MQ10')"),
        (["--since", "2026-03-29"], "moment >= TIMESTAMP '2026-03-29'"),
        (["--until", "2026-03-28"], "moment < TIMESTAMP '2026-03-29'"),
        (
            ["--since", "2026-03-29T00:00", "--until", "2026-03-29T00:20"],
            "moment >= '2026-03-29' AND moment < TIMESTAMP '2026-03-29 00:20'",
        ),
    ],
)
def test_selections(made_tables: Tables, dump_file: Path, tmp_path: Path, options: list[str], condition: str) -> None:
    import duckdb

    folder = tmp_path / "set"
    assert run(["ingest", str(dump_file), "--into", str(folder), *options]) == 0
    assert verify(folder).problems == []
    full = made_tables
    some = tables_in(open_dataset(folder).files)
    with duckdb.connect() as connection:
        connection.register("record", full["record"])
        chosen = connection.execute(
        "SELECT record_id FROM (SELECT *, CASE WHEN smf_type = 115 THEN coalesce(interval_start_local, written_local) ELSE written_local END AS moment "
        f"FROM record) WHERE {condition}"
        ).fetchall()  # fmt: skip
    wanted = {number for (number,) in chosen}
    for name in {*full, *some} - {"source", "other_record", "section", "damage"}:
        have = some[name]["record_id"].to_pylist() if name in some else []
        assert have == [number for number in full[name]["record_id"].to_pylist() if number in wanted], name


def test_a_selection_that_matches_nothing_adds_nothing(dataset: Path, tmp_path: Path) -> None:
    other = file_of(built_dump() * 2, tmp_path, "other.smf")
    before = content(dataset)
    assert run(["ingest", str(other), "--into", str(dataset), "--only", "115", "--qmgr", "NONE"]) == 12
    assert content(dataset) == before
    assert verify(dataset).problems == []


# ------------------------------------------------------------------------------------------------------ what it refuses


@pytest.mark.slow
def test_a_folder_that_another_process_makes_a_dataset_of_meanwhile(
    small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer and a reader that have just seen a folder without a manifest, when the first writer publishes."""
    other, folder = file_of(small_dump() * 2, tmp_path, "other.smf"), tmp_path / "set"

    def meanwhile(*_: object) -> bool:
        monkeypatch.undo()
        assert run(["ingest", str(other), "--into", str(folder)]) == 0
        return False

    monkeypatch.setattr(store, "is_dataset", meanwhile)
    assert run(["ingest", str(small_file), "--into", str(folder)]) == 0
    assert len(open_dataset(folder).manifest.sources) == 2
    shutil.rmtree(folder)
    monkeypatch.setattr(snapshot, "load", lambda _: meanwhile() or None)
    assert len(open_dataset(folder).manifest.sources) == 1


@pytest.mark.slow
def test_a_second_writer_is_refused(small: Path, tmp_path: Path) -> None:
    from filelock import FileLock

    other = file_of(built_dump()[:-18], tmp_path, "other.smf")
    before = content(small)
    with FileLock(small / LOCK):
        done = call("ingest", other, "--into", small)
        assert done.returncode == 16
        assert b"another mqstat is writing" in done.stderr
        assert run(["verify", str(small)]) == 0, "readers are not kept out"
    assert content(small) == before
    assert run(["ingest", str(other), "--into", str(small), "--wait", "5"]) == 0


def test_a_folder_with_something_else_is_left_alone(
    tmp_path: Path, dump_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "precious.txt").write_text("x")
    assert run(["ingest", str(dump_file), "--into", str(tmp_path)]) == 16
    assert "precious.txt" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["precious.txt"]


# --------------------------------------------------------------------------------------------------------------- verify


# --------------------------------------------------------------------------------------------- killed, and out of space


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


@pytest.mark.slow
def test_a_full_file_system_leaves_the_dataset_unchanged(small: Path, tmp_path: Path) -> None:
    """A limit on the size of files simulates a full disk; campaign/test_kills.py fills a real one."""
    other = file_of(built_dump() * 3, tmp_path, "more.smf")
    before = content(small)
    done = subprocess.run(
        [sys.executable, "-m", "mqstat", "ingest", str(other), "--into", str(small)],
        capture_output=True,
        text=True,
        preexec_fn=limited,
        env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),  # else the limit cuts the compiled modules that Python keeps
    )
    assert done.returncode == 16, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("mqstat: ")
    assert content(small) == before
    assert verify(small).problems == []
    assert not (small / STAGING).exists()
    assert run(["ingest", str(other), "--into", str(small)]) == 0
    assert verify(small).problems == []
    assert len(open_dataset(small).manifest.sources) == 2
