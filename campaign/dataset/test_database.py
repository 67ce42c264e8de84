"""`mqstat export postgresql` with a real server."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from campaign.dataset.test_facts import add, dataset, facts, files_in  # noqa: F401 - a fixture
from mqstat.base.errors import UsageError
from mqstat.cli import run
from mqstat.intake.facts import fact_views
from mqstat.intake.postgresql import TYPES, _Load, load
from mqstat.sql.sqlfile import views
from mqstat.sql.views import view_types
from tests.postgresql import asked, changed_by, check_sums, needs_server, server_fixture  # noqa: F401 - fixture
from tests.support import ROOT, invoke


def test_every_view_has_its_types() -> None:
    """A name of PostgreSQL has at most 63 bytes; it would cut a longer one."""
    for view in fact_views():
        assert all(len(name.encode()) <= 63 for name in (view, *view_types(view))), view
        kinds = {kind for kind in view_types(view).values() if not kind.endswith((")", "]"))}
        assert kinds <= TYPES.keys(), view


@needs_server
def test_a_server_has_the_rows_of_the_facts(
    server: str,
    dataset: Path,  # noqa: F811 - the fixture
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    into = tmp_path / "facts"
    facts(dataset, into, some=False)
    assert run(["export", "postgresql", str(into), "--database", server]) == 0
    assert "loaded" in capsys.readouterr().out
    assert check_sums(server, into) > 1000
    again = load(into, server, "mqstat")
    assert (again.files, again.deleted, again.rows) == (0, 0, 0)
    before = files_in(into)
    add(dataset, 2)
    facts(dataset, into, some=False)
    changed = {key for key, digest in files_in(into).items() if before.get(key) != digest and key[0] != "fact_file"}
    late = load(into, server, "mqstat")
    assert 0 < late.files == len(changed) < len(files_in(into))
    assert check_sums(server, into) > 1000
    # A table of another version is created again, with all of its rows.
    changed_by(server, 'ALTER TABLE mqstat."record" ADD COLUMN older text')
    load(into, server, "mqstat")
    assert check_sums(server, into) > 1000
    comments = asked(server, "SELECT count(*) FROM pg_description WHERE description LIKE '% Unit: %'")
    assert comments[0][0] >= sum(len(views()[view].columns) for view in ("record", "buffer_pool"))


@needs_server
def test_a_load_that_fails_leaves_the_tables(server: str, dataset: Path, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    into = tmp_path / "facts"
    facts(dataset, into, "--view", "record")
    load(into, server, "broken")
    count = asked(server, "SELECT count(*) FROM broken.record")
    add(dataset, 2)
    facts(dataset, into, "--view", "record")
    path = max((into / "facts" / "record").glob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-20])
    done = invoke("export", "postgresql", into, "--database", server, "--schema", "broken")
    assert done.returncode == 16
    assert "a file cannot be read, and the tables are unchanged" in done.stderr
    assert done.stderr.count("\n") == 1
    assert asked(server, "SELECT count(*) FROM broken.record") == count


@pytest.mark.parametrize("schema", ["", "é" * 32, "a\0b", "a\nb"])
def test_names_that_postgresql_would_cut_are_refused(schema: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="1 to 63 bytes"):
        load(tmp_path, "postgresql://127.0.0.1:1/x", schema)


def test_errors_are_one_sentence(tmp_path: Path, dataset: Path) -> None:  # noqa: F811 - the fixture
    done = invoke("export", "postgresql", tmp_path / "nothing", "--database", "postgresql://localhost:1/x")
    assert done.returncode in (12, 16)
    assert "has no facts" in done.stderr
    assert done.stderr.count("\n") == 1
    into = tmp_path / "facts"
    facts(dataset, into, "--view", "record")
    done = invoke("export", "postgresql", into, "--database", "postgresql://127.0.0.1:1/x")
    assert done.returncode == 16
    assert "PostgreSQL cannot be reached" in done.stderr
    assert done.stderr.count("\n") == 1


@needs_server
def test_the_accounts_of_the_page_are_enough(server: str, dataset: Path, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    """The statements of docs/feeds.md: the loader creates no schema, and the reader reads all tables, also those created again, and changes none."""
    (block,) = re.findall(r"^```sql\n(.*?)^```", (ROOT / "docs" / "feeds.md").read_text(), re.MULTILINE | re.DOTALL)
    for statement in block.replace("SCHEMA mqstat", "SCHEMA own").replace("loader", "carrier").split(";")[:-1]:
        changed_by(server, statement)
    carrier, grafana = (server.replace("//mqstat@", f"//{name}@") for name in ("carrier", "grafana"))
    into = tmp_path / "facts"
    facts(dataset, into, "--view", "record")
    assert load(into, carrier, "own").rows > 0
    changed_by(server, "ALTER TABLE own.record ADD COLUMN older text")
    assert load(into, carrier, "own").rows == asked(grafana, "SELECT count(*) FROM own.record")[0][0]
    for schema, reason in (("own", "permission denied for"), ("other", "permission denied for database")):
        done = invoke("export", "postgresql", into, "--database", grafana, "--schema", schema)
        assert (done.returncode, done.stderr.count("\n")) == (16, 1), done.stderr
        assert reason in done.stderr


@needs_server
def test_tables_of_others_are_never_changed(server: str, dataset: Path, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    into = tmp_path / "facts"
    facts(dataset, into, "--view", "record")
    changed_by(server, "CREATE SCHEMA shop")
    changed_by(server, "CREATE TABLE shop.record (title text)")
    changed_by(server, "INSERT INTO shop.record VALUES ('Blue Train')")
    done = invoke("export", "postgresql", into, "--database", server, "--schema", "shop")
    assert done.returncode == 16
    assert "has a table record that mqstat did not create" in done.stderr
    assert done.stderr.count("\n") == 1
    assert asked(server, "SELECT title FROM shop.record") == [("Blue Train",)]
    assert asked(server, "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'shop'") == [(1,)]
    # A view of a user depends on a table of another version: the load is refused, and the rows stay.
    load(into, server, "seen")
    changed_by(server, "ALTER TABLE seen.record ADD COLUMN older text")
    changed_by(server, "CREATE VIEW seen.mine AS SELECT qmgr FROM seen.record")
    done = invoke("export", "postgresql", into, "--database", server, "--schema", "seen")
    assert done.returncode != 0
    assert "its tables are unchanged" in done.stderr
    assert "mine depends on table" in done.stderr
    assert done.stderr.count("\n") == 1
    changed_by(server, "DROP VIEW seen.mine")
    changed_by(server, "DROP TABLE seen.record")
    assert load(into, server, "seen").rows > 0


@needs_server
def test_two_first_loads_at_once(server: str, dataset: Path, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    into = tmp_path / "facts"
    facts(dataset, into, "--view", "record", "--view", "qmgr")
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: load(into, server, "twice"), range(4)))
    assert sorted(each.files > 0 for each in done) == [False, False, False, True]
    assert asked(server, "SELECT count(*) FROM twice.record") == [(max(each.rows for each in done) - asked(server, "SELECT count(*) FROM twice.qmgr")[0][0],)]  # fmt: skip
    fewer = tmp_path / "fewer"
    facts(dataset, fewer, "--view", "qmgr")
    assert load(fewer, server, "twice").dropped == 1


@needs_server
def test_another_folder_leaves_no_table_of_the_former(server: str, dataset: Path, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    """Also none of a view without rows, which has no file."""
    for folder, names in (("whole", ("record", "topic_use", "qmgr")), ("fewer", ("record",))):
        facts(dataset, tmp_path / folder, *(each for name in names for each in ("--view", name)))
        load(tmp_path / folder, server, "moved")
        found = asked(server, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'moved'")
        assert {name for (name,) in found} == {*names, "mqstat_file"}


@needs_server
def test_a_load_that_is_interrupted_leaves_nothing(
    server: str,
    dataset: Path,  # noqa: F811 - the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    into = tmp_path / "facts"
    sent: list[int] = []
    facts(dataset, into, "--view", "record", "--view", "qmgr")
    send = _Load.send

    def first(self: _Load, *arguments: Any) -> int:
        if sent:
            raise KeyboardInterrupt
        sent.append(send(self, *arguments))
        return sent[0]

    with monkeypatch.context() as interrupted:
        interrupted.setattr(_Load, "send", first)
        with pytest.raises(KeyboardInterrupt):
            load(into, server, "cut")
    assert sent[0] > 0
    assert asked(server, "SELECT count(*) FROM pg_namespace WHERE nspname = 'cut'") == [(0,)]
    assert load(into, server, "cut").rows > sent[0]
