"""mqstat views: plain DuckDB gives the rows that mqstat itself gives, for every view, wherever the file and the program are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqstat.cli import run
from mqstat.export.view_file import view_names
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.rules import run_rules
from mqstat.sql import sqlfile
from mqstat.sql.plans import keep
from mqstat.sql.site import load_site
from tests import view_rows

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
    with open_data(dataset=folder, site=load_site(SITE)) as database:
        run_rules(database)
        database.fill_report_classes()
        out = {}
        for name in VIEWS:
            query = f"SELECT {', '.join(sqlfile.views()[name].columns)} FROM {name}"
            keep(database, [query])
            out[name] = view_rows.digest(database.execute(query))
    return out


@pytest.fixture(scope="module")
def both(made: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The digests of all views by mqstat, and in the file."""
    return own_digests(made / "set"), view_rows.digests(made / "mq.duckdb", made, VIEWS)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_the_rows_that_mqstat_gives(view: str, both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    own, plain = both
    assert plain[view] == own[view]
