"""Merging the files of a dataset: the same rows in few files, whatever arrives, is replaced, dropped or lost."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mqstat.base.selection import Selection
from mqstat.cli import run
from mqstat.dataset import writer
from mqstat.dataset.compact import TARGET, compact, plan
from mqstat.dataset.manifest import FileEntry, Manifest
from mqstat.dataset.paths import file_path
from mqstat.dataset.store import day_of, open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake.open_data import open_data
from mqstat.sql.schemas import OWN_TABLES, all_schemas
from tests.opening import open_database
from tests.support import invoke

FIRST = dt.datetime(2026, 3, 28)
OWNER = QueueManager("MQ01", "SYSA")


def dump(number: int) -> bytes:
    """Records of two kinds of one hour; hour 24 is the first of the second day. Every kind has tables, and each is a
    file.
    """
    return smf_file(OWNER.interval(FIRST + dt.timedelta(hours=number), 3600, kinds=(1, 215)))


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("dumps")
    paths = []
    for number in (*range(20, 24), *range(24, 28)):
        paths.append(folder / f"h{number}.smf")
        paths[-1].write_bytes(dump(number))
    return paths


@pytest.fixture(scope="module")
def many(dumps: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of eight dumps, whose files are not merged."""
    folder = tmp_path_factory.mktemp("many") / "set"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mqstat.intake.ingest.merge_as_it_grows", lambda _, manifest, **__: manifest)
        for dump in dumps:  # together they would share files
            assert run(["ingest", str(dump), "--into", str(folder)]) == 0
    return folder


@pytest.fixture
def dataset(many: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(many, tmp_path / "set"))


def rows_of(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all decoded tables."""
    with open_database(open_dataset(folder).files, views=False) as database:
        return {
            name: sorted(database.execute(f'SELECT * FROM decoded."{name}"').fetchall(), key=repr)
            for name in sorted(set(all_schemas()) - OWN_TABLES)
            if name in open_dataset(folder).files
        }


def test_one_file_for_each_table_and_day_with_the_same_rows_and_findings(many: Path, dataset: Path) -> None:
    before = rows_of(dataset)
    findings = invoke("check", "--from", str(many), "--format", "json").stdout
    done = invoke("compact", str(dataset))
    assert done.returncode == 0
    assert done.stdout.startswith("merged ")
    entries = open_dataset(dataset).manifest.files
    assert len({(entry.table, day_of(entry)) for entry in entries}) == len(entries)
    assert verify(dataset).problems == [], "the files that were merged are in no table"
    assert rows_of(dataset) == before
    assert invoke("check", "--from", str(dataset), "--format", "json").stdout == findings
    assert (verify(dataset).problems, verify(dataset).remarks) == ([], [])
    for entry in entries:
        table = pq.read_table(dataset / entry.path)
        assert set(table["date"].to_pylist()) == {day_of(entry)}
        if "record_id" in table.column_names and entry.table != "damage":
            assert table["record_id"].to_pylist() == sorted(table["record_id"].to_pylist())
        assert table["source_id"].to_pylist() == [number for number, rows in entry.sources for _ in range(rows)]
    assert invoke("compact", str(dataset)).stdout == "nothing to merge.\n"


def test_ingest_merges_the_days_that_are_over(dumps: list[Path], many: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    for path in dumps:
        assert run(["ingest", str(path), "--into", str(folder)]) == 0
    assert rows_of(folder) == rows_of(many)
    of_day = [entry for entry in open_dataset(folder).manifest.files if day_of(entry) == FIRST.date()]
    assert len({entry.table for entry in of_day}) == len(of_day), "the first day is over"
    undated = [entry for entry in open_dataset(folder).manifest.files if entry.table == "source"]
    assert len(undated) == 1, "eight files of one size were merged"
    assert (verify(folder).problems, verify(folder).remarks) == ([], [])


def test_a_selection_of_days_counts_only_its_inputs(many: Path, dataset: Path) -> None:
    compact(dataset)
    chosen = Selection(since=FIRST + dt.timedelta(days=1))
    for query in ("SELECT count(*) FROM decoded.source", "SELECT count(*), sum(sections) FROM decoded.section"):
        seen = []
        for folder in (many, dataset):
            with open_data(dataset=folder, selection=chosen) as database:
                seen.append(database.execute(query).fetchall())
        assert seen[0] == seen[1]
    with open_data(dataset=dataset, days=[FIRST.date()]) as database:
        assert database.execute("SELECT count(*) FROM decoded.source").fetchall() == [(4,)]


def test_a_longer_copy_replaces_its_rows_in_merged_files(dumps: list[Path], dataset: Path, tmp_path: Path) -> None:
    compact(dataset)
    longer = tmp_path / dumps[1].name
    longer.write_bytes(dumps[1].read_bytes() + dump(22)[:0] + dumps[2].read_bytes())
    assert run(["ingest", str(longer), "--into", str(dataset)]) == 0
    manifest = open_dataset(dataset).manifest
    assert [source.source_id for source in manifest.sources] == [1, 3, 4, 5, 6, 7, 8, 9]
    assert all(2 not in entry.source_ids for entry in manifest.files)
    assert (verify(dataset).problems, verify(dataset).remarks) == ([], [])
    fresh = tmp_path / "fresh"
    assert run(["ingest", *map(str, [dumps[0], *dumps[2:], longer]), "--into", str(fresh)]) == 0
    counts = [{name: len(rows) for name, rows in rows_of(folder).items()} for folder in (dataset, fresh)]
    assert counts[0] == counts[1]


def test_pruning_drops_the_counts_of_inputs_without_days(many: Path, dataset: Path, tmp_path: Path) -> None:
    plain = Path(shutil.copytree(many, tmp_path / "plain"))
    compact(dataset)
    for folder in (plain, dataset):
        assert run(["prune", str(folder), "--before", "2026-03-29"]) == 0
    assert rows_of(dataset) == rows_of(plain)
    assert len(rows_of(dataset)["source"]) == 4
    assert verify(dataset).problems == []
    assert [s.pruned_records for s in open_dataset(dataset).manifest.sources] == [
        s.pruned_records for s in open_dataset(plain).manifest.sources
    ]


def test_a_changed_file_is_not_merged(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Merging it would give the change a checksum that fits."""
    path = dataset / next(entry.path for entry in open_dataset(dataset).manifest.files if entry.table == "qpst")
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    assert run(["compact", str(dataset)]) == 4
    assert f"problem: {path.relative_to(dataset).as_posix()}: " in capsys.readouterr().out
    assert sum(entry.table == "qpst" for entry in open_dataset(dataset).manifest.files) > 4
    assert len(verify(dataset).problems) == 1


def entry(number: int, size: int, day: int = 1) -> FileEntry:
    path = file_path("qpst", dt.date(2026, 1, day), f"s{number:06d}-0000-000")
    return FileEntry("qpst", path, ((number, 1),), 1, size, "0" * 64)


def test_a_row_is_rewritten_a_few_times_only() -> None:
    """48 dumps a day: files that were merged are merged again with files of their size."""
    files: list[FileEntry] = []
    rewritten = 0
    for number in range(1, 1001):
        files.append(entry(number, 200_000))
        for group in plan(Manifest(files=files), over=True):
            size = sum(each.bytes for each in group)
            rewritten += size
            files = [each for each in files if each not in group] + [entry(number, size)]
    assert len(files) < 30
    assert rewritten / sum(each.bytes for each in files) < 4


def test_days_that_are_over_and_large_files() -> None:
    large = entry(1, 60 << 20)
    late = [large, entry(2, 1000), entry(3, 1000, day=2)]
    assert plan(Manifest(files=late), over=True) == [], "a small late dump does not rewrite a large file"
    assert plan(Manifest(files=late), everything=True) == [[large, late[1]]]
    assert plan(Manifest(files=[entry(1, 5000), entry(2, 1000)]), over=True) == [], "the day may go on"
    over = [entry(1, 5000), entry(2, 1000), entry(3, 10, day=2)]
    assert plan(Manifest(files=over), over=True) == [over[:2]]
    assert plan(Manifest(files=[entry(n, TARGET) for n in range(9)]), everything=True) == []


def test_row_groups_are_large_and_bounded(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are collected over files until a row group is full; no more than that is in memory."""
    monkeypatch.setattr(writer, "ROW_GROUP", 6)
    compact(dataset)
    paths = [dataset / e.path for e in open_dataset(dataset).manifest.files if e.rows > 12]
    assert paths
    for path in paths:
        metadata = pq.read_metadata(path)
        groups = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        assert len(groups) > 1
        assert min(groups[:-1]) >= 6
