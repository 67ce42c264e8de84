"""mqstat views: plain DuckDB gives the rows that mqstat itself gives, for every view, wherever the file and the program are."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from mqstat.cli import run
from mqstat.dataset.patterns import patterns
from mqstat.dataset.store import open_dataset
from mqstat.export.view_file import view_names
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.rules import run_rules
from mqstat.sql import sqlfile
from mqstat.sql.plans import keep
from mqstat.sql.schemas import literal
from mqstat.sql.site import load_site
from tests import view_rows
from tests.support import invoke

SITE = Path(__file__).parent / "site.toml"
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
        keep(database, queries.values())
        return {name: view_rows.digest(database.execute(query)) for name, query in queries.items()}


@pytest.fixture(scope="module")
def both(made: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The digests of all views by mqstat, and in the file."""
    return own_digests(made / "set"), view_rows.digests(made / "mq.duckdb", made, VIEWS)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_the_rows_that_mqstat_gives(view: str, both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    own, plain = both
    assert plain[view] == own[view]


def test_the_file_opens_from_its_folder_and_by_search_path(made: Path, tmp_path: Path) -> None:
    query = "SELECT count(*) FROM buffer_pool"
    with duckdb.connect(str(made / "mq.duckdb"), read_only=True) as connection:
        with pytest.raises(duckdb.Error, match="No files found"):
            connection.execute(query)
        connection.execute(f"SET file_search_path = '{made}'")
        rows = connection.execute(query).fetchall()
    assert rows[0][0] > 0
    assert run(["views", str(made / "set"), "--into", str(made / "set" / "inside.duckdb")]) == 0
    moved = shutil.copytree(made / "set", tmp_path / "moved")
    with duckdb.connect() as connection:
        connection.execute(f"SET file_search_path = '{moved}'")
        connection.execute(f"ATTACH '{moved / 'inside.duckdb'}' AS mq (READ_ONLY)")
        assert connection.execute("SELECT count(*) FROM mq.buffer_pool").fetchall() == rows
        described = connection.execute(
            "SELECT comment FROM duckdb_columns() WHERE database_name = 'mq' AND table_name = 'buffer_pool' AND column_name = 'lowest_free_pct'"
        ).fetchall()
        assert described == [(sqlfile.views()["buffer_pool"].columns["lowest_free_pct"].doc + " Unit: percent.",)]
        with pytest.raises(
            duckdb.CatalogException
        ):  # no findings were written, and an empty view would mean that there are none
            connection.execute("FROM mq.finding")


def test_later_ingests_are_seen_and_files_of_others_are_not(made: Path, tmp_path: Path) -> None:
    tmp_path = tmp_path / "the auditor's"
    folder = shutil.copytree(made / "set", tmp_path / "set")
    shutil.copy(made / "mq.duckdb", tmp_path)
    (tmp_path / "dump.smf").write_bytes(SCENARIOS["pool_low"].build())
    set_path = f"SET file_search_path = {literal(str(tmp_path))}"
    count = "SELECT count(*) FROM decoded.qpst"

    def rows() -> int:
        with duckdb.connect(str(tmp_path / "mq.duckdb"), read_only=True) as connection:
            connection.execute(set_path)
            return int(connection.execute(count).fetchall()[0][0])

    before = rows()
    assert run(["ingest", str(tmp_path / "dump.smf"), "--into", str(folder)]) == 0
    after = rows()
    assert after > before
    file = open_dataset(folder).files["qpst"][0]
    shutil.copy(file, file.with_name("mine.parquet"))
    assert patterns(open_dataset(folder))["qpst"].listed
    done = invoke("views", folder, "--into", tmp_path / "mq.duckdb")
    assert "write the views again after an ingest" in done.stdout
    set_path = done.stdout.split("first run: ")[1].splitlines()[0]
    assert rows() == after


def test_other_files_are_not_overwritten(made: Path, tmp_path: Path) -> None:
    mine = tmp_path / "notes.txt"
    mine.write_text("not a database, and long enough")
    assert run(["views", str(made / "set"), "--into", str(mine)]) == 16
    assert run(["views", str(made / "set"), "--into", str(tmp_path)]) == 16
    assert mine.read_text() == "not a database, and long enough"
    assert run(["views", str(tmp_path), "--into", str(tmp_path / "mq.duckdb")]) == 16
    assert not (tmp_path / "mq.duckdb").exists()
