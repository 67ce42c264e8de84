"""`mqstat export postgresql` with a real server."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mqstat.base.errors import UsageError
from mqstat.cli import run
from mqstat.intake import postgresql
from mqstat.intake.open_data import open_data
from mqstat.intake.postgresql import TYPES, Loaded, _Load
from mqstat.intake.view_rows import view_names
from mqstat.sql.columns import selected_columns
from mqstat.sql.sqlfile import views
from tests.object_stores import hour
from tests.postgresql import asked, changed_by, check_sums, needs_server, server_fixture  # noqa: F401 - fixture
from tests.support import ROOT, file_of, invoke


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """The last three hours of a day and the first two of the next."""
    dumps = [str(file_of(hour(number), tmp_path, f"h{number}.smf")) for number in (21, 22, 23, 24, 25)]
    assert run(["ingest", *dumps, "--into", str(tmp_path / "set"), "--jobs", "1"]) == 0
    return tmp_path / "set"


def add(dataset: Path, number: int) -> None:
    assert run(["ingest", str(file_of(hour(number), dataset.parent, "late.smf")), "--into", str(dataset)]) == 0


def load(dataset: Path, uri: str, schema: str, *names: str) -> Loaded:
    with open_data(dataset=dataset) as database:
        return postgresql.load(database, uri, schema, names)


def test_every_view_has_its_types() -> None:
    """A name of PostgreSQL has at most 63 bytes; it would cut a longer one."""
    for view in view_names():
        assert all(len(name.encode()) <= 63 for name in (view, *selected_columns()[view])), view
        kinds = {kind for kind in selected_columns()[view].values() if not kind.endswith((")", "]"))}
        assert kinds <= TYPES.keys(), view


@needs_server
def test_a_server_has_the_rows_of_the_views(
    server: str,
    dataset: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["export", "postgresql", str(dataset), "--database", server]) == 0
    assert "loaded" in capsys.readouterr().out
    assert check_sums(server, dataset) > 1000
    again = load(dataset, server, "mqstat")
    assert (again.days, again.deleted, again.rows) == (0, 0, 0)
    days = asked(server, "SELECT count(*) FROM mqstat.mqstat_day")[0][0]
    before = asked(server, "SELECT checksum FROM mqstat.mqstat_day WHERE view_name = 'record' ORDER BY loaded_day")
    add(dataset, 2)
    late = load(dataset, server, "mqstat")
    assert 0 < late.days < days
    after = asked(server, "SELECT checksum FROM mqstat.mqstat_day WHERE view_name = 'record' ORDER BY loaded_day")
    assert [day in after for day in before] == [False, True]
    assert check_sums(server, dataset) > 1000
    # A table of another version is created again, with all of its rows.
    changed_by(server, 'ALTER TABLE mqstat."record" ADD COLUMN older text')
    load(dataset, server, "mqstat")
    assert check_sums(server, dataset) > 1000
    comments = asked(server, "SELECT count(*) FROM pg_description WHERE description LIKE '% Unit: %'")
    assert comments[0][0] >= sum(len(views()[view].columns) for view in ("record", "buffer_pool"))


@needs_server
def test_a_load_that_fails_leaves_the_tables(server: str, dataset: Path) -> None:
    load(dataset, server, "broken", "record")
    count = asked(server, "SELECT count(*) FROM broken.record")
    add(dataset, 2)
    path = max((dataset / "record").glob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-20])
    done = invoke("export", "postgresql", dataset, "--database", server, "--schema", "broken", "--view", "record")
    assert done.returncode in (12, 16)
    assert done.stderr.count("\n") == 1
    assert asked(server, "SELECT count(*) FROM broken.record") == count


@pytest.mark.parametrize("schema", ["", "é" * 32, "a\0b", "a\nb"])
def test_names_that_postgresql_would_cut_are_refused(schema: str) -> None:
    with pytest.raises(UsageError, match="1 to 63 bytes"):
        postgresql.check_target("postgresql://127.0.0.1:1/x", schema)


def test_errors_are_one_sentence(tmp_path: Path, dataset: Path) -> None:
    for folder, sentence in ((tmp_path / "nothing", "not a dataset"), (dataset, "PostgreSQL cannot be reached")):
        done = invoke("export", "postgresql", folder, "--database", "postgresql://127.0.0.1:1/x")
        assert done.returncode in (12, 16)
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1


@needs_server
def test_the_accounts_of_the_page_are_enough(server: str, dataset: Path) -> None:
    """The statements of docs/feeds.md: the loader creates no schema, and the reader reads all tables, also those
    created again, and changes none.
    """
    (block,) = re.findall(r"^```sql\n(.*?)^```", (ROOT / "docs" / "feeds.md").read_text(), re.MULTILINE | re.DOTALL)
    for statement in block.replace("SCHEMA mqstat", "SCHEMA own").replace("loader", "carrier").split(";")[:-1]:
        changed_by(server, statement)
    carrier, grafana = (server.replace("//mqstat@", f"//{name}@") for name in ("carrier", "grafana"))
    assert load(dataset, carrier, "own", "record").rows > 0
    changed_by(server, "ALTER TABLE own.record ADD COLUMN older text")
    assert load(dataset, carrier, "own", "record").rows == asked(grafana, "SELECT count(*) FROM own.record")[0][0]
    for schema, reason in (("own", "permission denied for"), ("other", "permission denied for database")):
        done = invoke("export", "postgresql", dataset, "--view", "record", "--database", grafana, "--schema", schema)
        assert (done.returncode, done.stderr.count("\n")) == (16, 1), done.stderr
        assert reason in done.stderr


@needs_server
def test_tables_of_others_are_never_changed(server: str, dataset: Path) -> None:
    changed_by(server, "CREATE SCHEMA shop")
    changed_by(server, "CREATE TABLE shop.record (title text)")
    changed_by(server, "INSERT INTO shop.record VALUES ('Blue Train')")
    done = invoke("export", "postgresql", dataset, "--view", "record", "--database", server, "--schema", "shop")
    assert done.returncode == 16
    assert "has a table record that mqstat did not create" in done.stderr
    assert done.stderr.count("\n") == 1
    assert asked(server, "SELECT title FROM shop.record") == [("Blue Train",)]
    assert asked(server, "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'shop'") == [(1,)]
    # A view of a user depends on a table of another version: the load is refused, and the rows stay.
    load(dataset, server, "seen", "record")
    changed_by(server, "ALTER TABLE seen.record ADD COLUMN older text")
    changed_by(server, "CREATE VIEW seen.mine AS SELECT qmgr FROM seen.record")
    done = invoke("export", "postgresql", dataset, "--view", "record", "--database", server, "--schema", "seen")
    assert done.returncode != 0
    assert "its tables are unchanged" in done.stderr
    assert "mine depends on table" in done.stderr
    assert done.stderr.count("\n") == 1
    changed_by(server, "DROP VIEW seen.mine")
    changed_by(server, "DROP TABLE seen.record")
    assert load(dataset, server, "seen", "record").rows > 0


@needs_server
def test_two_first_loads_at_once(server: str, dataset: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: load(dataset, server, "twice", "record", "qmgr"), range(4)))
    assert sorted(each.days > 0 for each in done) == [False, False, False, True]
    assert asked(server, "SELECT count(*) FROM twice.record") == [(max(each.rows for each in done) - asked(server, "SELECT count(*) FROM twice.qmgr")[0][0],)]  # fmt: skip
    assert load(dataset, server, "twice", "qmgr").dropped == 1


@needs_server
def test_fewer_views_leave_no_table_of_the_others(server: str, dataset: Path) -> None:
    """Also none of a view without rows."""
    for names in (("record", "topic_use", "qmgr"), ("record",)):
        load(dataset, server, "moved", *names)
        found = asked(server, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'moved'")
        assert {name for (name,) in found} == {*names, "mqstat_day"}


@needs_server
def test_a_load_that_is_interrupted_leaves_nothing(
    server: str,
    dataset: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[int] = []
    send = _Load.send

    def first(self: _Load, *arguments: Any) -> int:
        if sent:
            raise KeyboardInterrupt
        sent.append(send(self, *arguments))
        return sent[0]

    with monkeypatch.context() as interrupted:
        interrupted.setattr(_Load, "send", first)
        with pytest.raises(KeyboardInterrupt):
            load(dataset, server, "cut", "record", "qmgr")
    assert sent[0] > 0
    assert asked(server, "SELECT count(*) FROM pg_namespace WHERE nspname = 'cut'") == [(0,)]
    assert load(dataset, server, "cut", "record", "qmgr").rows > sent[0]
