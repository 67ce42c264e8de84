"""The Delta tables of a dataset have the rows of its manifest, whatever was published, and a reader keeps the version that it opened."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest
from deltalake import DeltaTable

from mqstat.cli import run
from mqstat.dataset import delta, folders
from mqstat.dataset.store import open_dataset, writing
from mqstat.dataset.verification import verify
from tests.support import file_of, small_dump

pytestmark = pytest.mark.slow


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A dataset of a dump with Delta tables."""
    dump = file_of(small_dump(), tmp_path, "first.smf")
    assert run(["ingest", str(dump), "--into", str(tmp_path / "set")]) == 0
    assert run(["delta", str(tmp_path / "set")]) == 0
    return tmp_path / "set"


def another(dataset: Path) -> None:
    """Ingest a dump that has more than the first one."""
    dump = file_of(small_dump() * 2, dataset.parent, "second.smf")
    assert run(["ingest", str(dump), "--into", str(dataset)]) == 0


def rows(paths: list[str]) -> int:
    """The rows of some files."""
    with duckdb.connect() as connection:
        query = f"SELECT count(*) FROM read_parquet({paths})"
        return int(connection.execute(query).fetchall()[0][0]) if paths else 0


def uris(dataset: Path, table: str) -> list[str]:
    return DeltaTable(dataset / "_delta" / table).file_uris()


def differing(dataset: Path) -> list[str]:
    """The tables whose Delta table has other rows than the manifest."""
    wanted: dict[str, int] = {}
    for entry in open_dataset(dataset).manifest.files:
        wanted[entry.table] = wanted.get(entry.table, 0) + entry.rows
    names = {*wanted, *folders.names_in(dataset / "_delta")}
    return [name for name in sorted(names) if rows(uris(dataset, name)) != wanted.get(name, 0)]


def test_every_publish_keeps_the_tables_up_to_date(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = uris(dataset, "record")
    before = rows(opened)
    assert differing(dataset) == []
    for command in (["compact"], ["prune", "--before", "2026-03-29"]):
        another(dataset)
        assert run([command[0], str(dataset), *command[1:]]) == 0
        assert differing(dataset) == []
        assert verify(dataset).problems == []
        assert rows(opened) == before, "the version that was opened first"
    types = {field.name: str(field.type) for field in DeltaTable(dataset / "_delta" / "record").schema().fields}
    assert "timestamp_ntz" in types["written_local"]
    monkeypatch.setattr(folders, "HOURS", 0)
    for _ in range(2):  # the first one deletes what `_retired` has, the publish then what only Delta has
        assert run(["delta", str(dataset)]) == 0
    names = {path.name for path in (dataset / "_delta" / "record").glob("*.parquet")}
    assert names == {path.name for path in (dataset / "record").iterdir()}


def test_tables_that_are_older_than_the_manifest_are_brought_up(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(delta, "derive", full)
        another(dataset)
    assert differing(dataset) != []
    assert any("the next publish brings it up" in text for text in verify(dataset).problems)
    assert run(["compact", str(dataset)]) == 0
    assert differing(dataset) == []
    assert verify(dataset).problems == []


def test_a_commit_of_another_program_is_named_and_left_alone(dataset: Path) -> None:
    log = dataset / "_delta" / "record" / "_delta_log"
    version = max(log.glob("*.json"))
    foreign = log / f"{int(version.stem) + 1:020d}.json"
    foreign.write_text(json.dumps({"commitInfo": {"engineInfo": "other/1"}}) + "\n")
    assert [text for text in verify(dataset).problems if "is not a commit of mqstat" in text]
    content = foreign.read_bytes()
    another(dataset)
    assert foreign.read_bytes() == content
    assert [text for text in verify(dataset).problems if "is not a commit of mqstat" in text]
    shutil.rmtree(dataset / "_delta" / "record")
    with writing(dataset) as manifest:
        delta.derive(dataset, manifest)
    assert differing(dataset) == []
    assert verify(dataset).problems == []


def test_what_was_changed_in_the_tables_is_named(dataset: Path) -> None:
    place = dataset / "_delta" / "record"
    file = next(place.glob("*.parquet"))
    whole = file.read_bytes()
    file.unlink()
    file.write_bytes(whole[:-1] + b"X")
    assert any("is another file than record/" in text for text in verify(dataset).problems)
    file.write_bytes(whole)
    assert verify(dataset).problems == [], "an equal copy will do, as in a dataset that was copied"
    commit = min((place / "_delta_log").glob("*.json"))
    commit.write_text("".join(line + "\n" for line in commit.read_text().splitlines()[:-1]))
    assert any("_delta/record: has other files than the manifest" in text for text in verify(dataset).problems)


def test_a_checkpoint_has_all_files(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta, "CHECKPOINT_EVERY", 1)
    another(dataset)
    assert list((dataset / "_delta" / "record" / "_delta_log").glob("*.checkpoint.parquet"))
    assert differing(dataset) == []
    assert verify(dataset).problems == []
