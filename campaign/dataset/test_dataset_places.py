"""What an ingest does to a dataset is the same in a folder, in an object store, and in a store that answers every put with a timeout."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaign.dataset.test_place import tables_of
from mqstat import parts
from mqstat.base.errors import DamagedFileError, DatasetError
from mqstat.cli import run
from mqstat.dataset import publishing, store
from mqstat.dataset.place import CLOCK, RESERVED, Home, ObjectPlace
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.damage import overwrite
from mqstat.sql.decoded import raise_damaged
from tests.object_stores import faulty, in_folder
from tests.support import built_dump, difference, file_of, small_dump


@pytest.fixture(params=["a folder", "a store", "a store that never answers a put"])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    if request.param == "a folder":
        return tmp_path / "set"
    place = in_folder(monkeypatch, tmp_path / "objects")
    if "never" in request.param:
        faulty(monkeypatch)
    return place


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return file_of(small_dump(), tmp_path, "small.smf")


def ingested(dump: Path, into: Home, *options: str) -> int:
    return run(["ingest", str(dump), "--into", str(into), *options])


def content(home: Home) -> dict[str, bytes | None]:
    """Files or objects by path, without numbers that were reserved and never used."""
    if isinstance(home, ObjectPlace):
        paths = [each.path for each in home.list() if each.path != CLOCK and not each.path.startswith(RESERVED)]
        return {path: home.read(path) for path in paths}
    files = [path for path in home.rglob("*") if path.is_file() and path.name != publishing.RESERVED]
    return {str(path.relative_to(home)): path.read_bytes() for path in files}


def test_the_same_content_is_not_added_twice(
    home: Home, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ingested(small, home) == 0
    before = content(home)
    for again in (small, file_of(small.read_bytes(), tmp_path, "another name.smf")):
        assert ingested(again, home) == 0
        assert "already in the dataset as source 1 (small.smf); nothing added" in capsys.readouterr().out
    assert content(home) == before


def test_another_selection_of_the_same_content_is_refused(
    home: Home, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ingested(small, home) == 0
    before = content(home)
    assert ingested(small, home, "--only", "115") == 16
    assert "with another selection" in capsys.readouterr().out
    assert content(home) == before


def test_a_selection_that_matches_nothing_adds_nothing(home: Home, small: Path, tmp_path: Path) -> None:
    assert ingested(small, home) == 0
    before = content(home)
    other = file_of(small.read_bytes() * 2, tmp_path, "other.smf")
    assert ingested(other, home, "--only", "115", "--qmgr", "NONE") == 12
    assert content(home) == before
    assert verify(home).problems == []


def test_a_second_source_gets_numbers_of_its_own(home: Home, small: Path, tmp_path: Path) -> None:
    assert ingested(small, home) == 0
    assert ingested(file_of(small.read_bytes() * 2, tmp_path, "twice.smf"), home) == 0
    records = tables_of(home)["record"]
    numbers = records["record_id"].to_pylist()
    assert len(set(numbers)) == len(numbers)
    assert sorted(set(records["source_id"].to_pylist())) == [1, 2]
    assert verify(home, rows=True).problems == []


def test_what_is_no_dump_adds_nothing(home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ingested(file_of(b"no dump " * 99, tmp_path, "text.smf"), home) == 12
    assert "not added" in capsys.readouterr().out
    assert not store.is_dataset(home)


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--only", "116"],
        ["--qmgr", "MQ80", "--qmgr", "MQ10"],
        ["--since", "2026-03-29T00:00", "--until", "2026-03-29T00:20"],
    ],
)
def test_rows_of_a_damaged_dump_are_those_of_a_folder(home: Home, tmp_path: Path, options: list[str]) -> None:
    """And its ledger, the return code, and what parts give."""
    data = built_dump()
    dump = file_of(overwrite(data, len(data) // 2, b"\xff" * 3000), tmp_path)
    folder = tmp_path / "folder"
    code = ingested(dump, folder, *options)
    assert ingested(dump, home, *options) == code
    assert difference(tables_of(home), tables_of(folder)) == []
    ledgers = [open_dataset(each).manifest.sources[0].ledger for each in (home, folder)]
    assert ledgers[0] == ledgers[1]
    assert ledgers[0]["bytes"]["damaged"] > 0
    if not options:
        again = tmp_path / "again"
        plan = parts.plan(dump)
        numbers = parts.reserve(again, plan)
        done = parts.publish(again, plan, [parts.write(plan, 0, numbers.of(plan, 0), tmp_path / "staging")])
        assert done.return_code == code
        assert difference(tables_of(home), tables_of(again)) == []


def test_a_store_that_cannot_be_reached_is_no_damage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file is called damaged only if it was read."""
    place = in_folder(monkeypatch, tmp_path)
    place.send("qpst/day.parquet", b"no Parquet", create=True)
    files = {"s3://test/set/qpst/day.parquet": "qpst"}
    with pytest.raises(DamagedFileError):
        raise_damaged(files, ValueError())

    def unreachable(*_: object) -> None:
        raise PermissionError("no credentials")

    monkeypatch.setattr("mqstat.sql.decoded.stored_file", unreachable)
    with pytest.raises(DatasetError, match=r"^qpst/day\.parquet cannot be read: no credentials\.$"):
        raise_damaged(files, ValueError())
