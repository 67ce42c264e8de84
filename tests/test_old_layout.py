"""A dataset of an older schema version reads as before, takes new dumps, and can be verified, pruned and rebuilt."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from mqstat.cli import run
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.sql.database import Database, open_database
from mqstat.sql.schemas import OWN_TABLES, all_schemas
from tests.old_layout import as_old_layout
from tests.support import built_dump, file_of, small_dump

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    dump = file_of(built_dump(), folder, "built.smf")
    file_of(small_dump(), folder, "small.smf")
    assert run(["ingest", str(dump), "--into", str(folder / "set")]) == 0
    as_old_layout(folder / "set", folder / "old")
    return folder


def contents(database: Database, without: str = "") -> dict[str, list[tuple[object, ...]]]:
    """The rows of all decoded tables, `without` one column."""
    out = {}
    for name, schema in sorted(all_schemas().items()):
        if name not in OWN_TABLES:
            columns = ", ".join(f'"{column}"' for column in schema.names if column != without)
            out[name] = sorted(database.execute(f'SELECT {columns} FROM decoded."{name}"').fetchall(), key=repr)
    return out


def test_rows_types_and_days_are_the_same(made: Path) -> None:
    old, new = open_dataset(made / "old"), open_dataset(made / "set")
    assert all("/date=" in entry.path for entry in old.manifest.files)
    assert not any("/date=" in entry.path for entry in new.manifest.files)
    with open_database(old.files, views=False) as first, open_database(new.files, views=False) as second:
        assert contents(first, "record_hash") == contents(second, "record_hash")
        days = {row[0] for row in first.execute("SELECT DISTINCT date FROM decoded.record").fetchall()}
        assert days == {dt.date(2026, 3, 28), dt.date(2026, 3, 29)}


def test_it_takes_a_dump_and_both_layouts_are_one_dataset(made: Path, tmp_path: Path) -> None:
    as_old_layout(made / "set", tmp_path / "old")
    assert run(["ingest", str(made / "built.smf"), str(made / "small.smf"), "--into", str(tmp_path / "old")]) == 0
    opened = open_dataset(tmp_path / "old")
    assert {"/date=" in entry.path for entry in opened.manifest.files} == {True, False}
    assert [source.name for source in opened.manifest.sources] == ["built.smf", "small.smf"]
    assert (verify(tmp_path / "old").problems, verify(tmp_path / "old").remarks) == ([], [])
    days = {path.name for path in (tmp_path / "old" / "record").iterdir() if path.is_dir()}
    assert days == {"date=2026-03-29"}, "files keep their names until their day is over and merged"
    with open_database(opened.files, views=False) as database:
        rows = database.execute("SELECT source_id, count(*), count(date) FROM decoded.record GROUP BY 1 ORDER BY 1")
        assert [(number, total == dated) for number, total, dated in rows.fetchall()] == [(1, True), (2, True)]
    assert run(["prune", str(tmp_path / "old"), "--before", "2026-03-29"]) == 0
    assert verify(tmp_path / "old").problems == []


@pytest.mark.parametrize("compacted", [False, True])
def test_records_that_an_older_version_added_are_reported_as_they_cannot_be_compared(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], compacted: bool
) -> None:
    """Their hashes have 64 bits: what overlaps counts twice."""
    as_old_layout(made / "set", tmp_path / "old")
    if compacted:
        assert run(["compact", str(tmp_path / "old")]) == 0
    other = file_of(small_dump(), tmp_path, "other.smf")
    again = file_of(built_dump()[:-18], tmp_path, "again.smf")
    capsys.readouterr()
    assert run(["ingest", str(other), str(again), "--into", str(tmp_path / "old"), "--damage-limit", "50"]) in (0, 4)
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert "count twice" not in first
    records = open_dataset(tmp_path / "old").manifest.sources[2].ledger["records"]
    assert (
        f", {records['decoded'] + records['internal'] + records['raw']:,} seem to be in the dataset already and now count twice: "
        in second
    )


def test_compacting_writes_all_files_in_the_new_layout(made: Path, tmp_path: Path) -> None:
    as_old_layout(made / "set", tmp_path / "old")
    with open_database(open_dataset(tmp_path / "old").files, views=False) as database:
        before = contents(database)
    assert run(["compact", str(tmp_path / "old")]) == 0
    opened = open_dataset(tmp_path / "old")
    assert not any("/date=" in entry.path for entry in opened.manifest.files)
    assert not list((tmp_path / "old").glob("*/date=*"))
    assert (verify(tmp_path / "old").problems, verify(tmp_path / "old").remarks) == ([], [])
    with open_database(opened.files, views=False) as database:
        assert contents(database) == before


def test_its_manifest_can_be_rebuilt(made: Path, tmp_path: Path) -> None:
    as_old_layout(made / "set", tmp_path / "old")
    before = sorted(entry.path for entry in open_dataset(tmp_path / "old").manifest.files)
    (tmp_path / "old" / "manifest.json").unlink()
    assert run(["verify", "--rebuild", str(tmp_path / "old")]) == 0
    assert sorted(entry.path for entry in open_dataset(tmp_path / "old").manifest.files) == before
