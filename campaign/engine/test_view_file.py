"""mqstat views: plain DuckDB gives the rows that mqstat itself gives, for every view, wherever the file and the program are."""

from __future__ import annotations

import os
import shutil
import signal
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqstat.cli import run
from mqstat.dataset import folders, snapshot, store
from mqstat.dataset.store import open_dataset
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake import ingest as ingesting
from mqstat.intake.open_data import open_data
from mqstat.judge import run_rules
from mqstat.share.view_file import _paths, _query, view_names
from mqstat.sql import sqlfile
from mqstat.sql.schemas import literal
from mqstat.sql.site import load_site
from tests import view_rows
from tests.each import each
from tests.support import ROOT, invoke, small_dump

SITE = ROOT / "tests" / "site.toml"
VIEWS = [name for name in sqlfile.views() if name in view_names(findings=True)]


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset of a scenario, and its views next to it and inside it."""
    folder = tmp_path_factory.mktemp("views")
    (folder / "dump.smf").write_bytes(SCENARIOS["rich_estate"].build())
    assert run(["ingest", str(folder / "dump.smf"), "--into", str(folder / "set")]) == 0
    assert (
        run(["views", str(folder / "set"), "--into", str(folder / "mq.duckdb"), "--findings", "--site", str(SITE)]) == 0
    )
    return folder


def own_digests(folder: Path) -> dict[str, Any]:
    """The digests of all views as mqstat computes them."""
    queries = {name: f"SELECT {', '.join(sqlfile.views()[name].columns)} FROM {name}" for name in VIEWS}
    with open_data(dataset=folder, site=load_site(SITE)) as database:
        database.fill_report_classes()
        run_rules(database, then=queries.values())
        database.keep(queries.values())
        return {name: view_rows.digest(database.execute(query)) for name, query in queries.items()}


@pytest.fixture(scope="module")
def both(made: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The digests of all views by mqstat, and in the file."""
    return own_digests(made / "set"), view_rows.digests(made / "mq.duckdb", made, VIEWS)


@each(VIEWS)
def test_a_view_has_the_rows_that_mqstat_gives(view: str, both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    own, plain = both
    assert plain[view] == own[view]


class Later(NamedTuple):
    """A dataset with a file of views, before and after another ingest and a file of others, and what was printed when its views were written again."""

    folder: Path
    before: int
    after: int
    printed: str


def pools(file: Path, set_path: str, count: str = "SELECT count(*) FROM decoded.qpst") -> int:
    """The number of rows that a file of views gives."""
    with duckdb.connect(str(file), read_only=True) as connection:
        connection.execute(set_path)
        return int(connection.execute(count).fetchall()[0][0])


@pytest.fixture(scope="module")
def later(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Later:
    """The views are written again inside the folder, over an older file, and without findings."""
    place = tmp_path_factory.mktemp("later") / "the auditor's"
    folder = shutil.copytree(made / "set", place / "set")
    shutil.copy(made / "mq.duckdb", place)
    set_path = f"SET file_search_path = {literal(str(place))}"
    before = pools(place / "mq.duckdb", set_path)
    (place / "dump.smf").write_bytes(SCENARIOS["pool_low"].build())
    assert run(["ingest", str(place / "dump.smf"), "--into", str(folder)]) == 0
    after = pools(place / "mq.duckdb", set_path)
    file = open_dataset(folder).files["qpst"][0]
    shutil.copy(file, file.with_name("mine.parquet"))
    shutil.copy(place / "mq.duckdb", folder / "inside.duckdb")
    done = invoke("views", folder, "--into", folder / "inside.duckdb")
    assert done.returncode == 0
    return Later(folder, before, after, done.stdout)


def test_the_file_has_the_state_in_which_it_was_written(later: Later) -> None:
    """Neither later ingests nor files of others are seen; written again, it has the later state."""
    assert later.after == later.before
    set_path = later.printed.split("first run: ")[1].splitlines()[0]
    assert pools(later.folder / "inside.duckdb", set_path) > later.after


def test_the_file_reads_its_state_until_files_of_it_have_left_for_long(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, file = Path(shutil.copytree(made / "set", tmp_path / "set")), tmp_path / "mq.duckdb"
    shutil.rmtree(folder / snapshot.SNAPSHOTS)
    assert run(["views", str(folder), "--into", str(file)]) == 0
    set_path, query = f"SET file_search_path = {literal(str(tmp_path))}", "SELECT count(*) FROM decoded.record"
    before = pools(file, set_path, query)
    assert run(["prune", str(folder), "--before", "2100-01-01"]) == 0
    assert run(["compact", str(folder)]) == 0
    assert pools(file, set_path, query) == before
    assert not list(folder.glob("record/2*.parquet"))
    monkeypatch.setattr(folders, "HOURS", 0)
    assert run(["compact", str(folder)]) == 0
    with pytest.raises(duckdb.Error, match="No files found"):
        pools(file, set_path, query)
    assert not folders.names_in(folder / snapshot.SNAPSHOTS)


def test_a_snapshot_goes_when_its_file_is_written_again(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(made / "set", tmp_path / "set"))
    shutil.rmtree(folder / snapshot.SNAPSHOTS)
    monkeypatch.setattr(ingesting, "merge_as_it_grows", lambda _, manifest, **__: manifest)
    for number in range(2):
        (tmp_path / f"{number}.smf").write_bytes(small_dump() * (number + 1))
        assert run(["ingest", str(tmp_path / f"{number}.smf"), "--into", str(folder)]) == 0
        for name in ("a", "b")[: 2 - number]:
            assert run(["views", str(folder), "--into", str(tmp_path / f"{name}.duckdb")]) == 0
    assert len(folders.names_in(folder / snapshot.SNAPSHOTS)) == 3
    monkeypatch.setattr(folders, "HOURS", -1)
    with store.writing(folder):
        pass
    assert len(folders.names_in(folder / snapshot.SNAPSHOTS)) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_what_is_left_of_a_killed_snapshot_is_removed(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(made / "set", tmp_path / "set"))
    shutil.rmtree(folder / snapshot.SNAPSHOTS)
    with store.reading(folder) as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child neither uses threads of the parent nor returns
        child = os.fork()
        if child == 0:
            try:
                monkeypatch.setattr(os, "link", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
                _paths(opened, "reader")
            finally:
                os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert list(folder.glob("_staging/*/snapshot/*"))
    with store.writing(folder):
        pass
    assert not folders.names_in(folder / snapshot.SNAPSHOTS)
    assert not (folder / "_staging").exists()


def test_the_file_opens_from_its_folder_and_by_search_path(made: Path, later: Later, tmp_path: Path) -> None:
    query = "SELECT count(*) FROM buffer_pool"
    with duckdb.connect(str(made / "mq.duckdb"), read_only=True) as connection:
        with pytest.raises(duckdb.Error, match="No files found"):
            connection.execute(query)
        connection.execute(f"SET file_search_path = '{made}'")
        assert connection.execute(query).fetchall()[0][0] > 0
    set_path = f"SET file_search_path = {literal(str(later.folder))}"
    rows = pools(later.folder / "inside.duckdb", set_path, query)
    moved = shutil.copytree(later.folder, tmp_path / "moved")
    with duckdb.connect() as connection:
        connection.execute(f"SET file_search_path = '{moved}'")
        connection.execute(f"ATTACH '{moved / 'inside.duckdb'}' AS mq (READ_ONLY)")
        assert connection.execute("SELECT count(*) FROM mq.buffer_pool").fetchall() == [(rows,)]
        described = connection.execute(
            "SELECT comment FROM duckdb_columns() WHERE database_name = 'mq' AND table_name = 'buffer_pool' AND column_name = 'lowest_free_pct'"
        ).fetchall()
        doc = sqlfile.views()["buffer_pool"].columns["lowest_free_pct"].doc
        formula = "100 * lowest_stealable / nullif(buffers, 0)"
        assert described == [(f"{doc} Unit: percent. Formula: {formula}.",)]
        with pytest.raises(
            duckdb.CatalogException
        ):  # no findings were written, and an empty view would mean that there are none
            connection.execute("FROM mq.finding")


def test_other_files_are_not_overwritten(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "notes.txt"
    mine.write_text("not a database, and long enough")
    assert run(["views", str(made / "set"), "--into", str(mine)]) == 16
    assert run(["views", str(made / "set"), "--into", str(tmp_path)]) == 16
    assert run(["views", str(made / "set"), "--into", str(made / "set" / "record" / "mq.duckdb")]) == 16
    assert run(["views", str(made / "set"), "--into", str(tmp_path / "none" / "mq.duckdb")]) == 16
    errors = capsys.readouterr().err.splitlines()
    assert "would be in a folder that only has files of the dataset" in errors[-2]
    assert errors[-1].endswith(f"none/mq.duckdb cannot be written: there is no folder {tmp_path / 'none'}.")
    assert mine.read_text() == "not a database, and long enough"
    assert run(["views", str(tmp_path), "--into", str(tmp_path / "mq.duckdb")]) == 16
    assert not (tmp_path / "mq.duckdb").exists()


def test_columns_that_files_of_an_earlier_version_lack_are_null(tmp_path: Path) -> None:
    schema = pa.schema([("record_id", pa.int64()), ("trace_sequence", pa.int64())])
    pq.write_table(pa.table({"record_id": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"record_id": [2], "trace_sequence": [20]}), tmp_path / "b.parquet")
    for names, rows in (("a", [(1, None)]), ("ab", [(1, None), (2, 20)])):
        with duckdb.connect() as connection:
            query = _query(connection, schema, [f"{name}.parquet" for name in names], f"{tmp_path}/")
            assert sorted(connection.execute(query).fetchall()) == rows
