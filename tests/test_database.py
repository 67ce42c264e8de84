"""Tables for databases: `mqstat export ddl`, and `mqstat export postgresql` with a real server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from mqstat.cli import run
from mqstat.intake.facts import fact_views
from mqstat.share.ddl import DIALECTS, PART, statements
from mqstat.share.postgresql import load
from mqstat.sql.sqlfile import views
from mqstat.sql.views import view_types
from tests.support import invoke
from tests.test_facts import add, dataset, facts, files_in  # noqa: F401 - a fixture

PARSERS = {"postgresql": "postgres", "sqlserver": "tsql", "oracle": "oracle", "snowflake": "snowflake", "db2": ""}
"""The dialect of the parser for each database; Db2 is not among its dialects."""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_view_has_its_table(dialect: str) -> None:
    made: dict[str, list[str]] = {}
    comments = 0
    for text in statements(dialect):
        parsed = sqlglot.parse_one(text, dialect=PARSERS[dialect])
        assert not isinstance(parsed, exp.Command), text
        if isinstance(parsed, exp.Create):
            made[parsed.this.this.name] = [column.name for column in parsed.this.expressions]
        else:
            assert isinstance(parsed, exp.Comment)
            comments += 1
    assert made == {view: [*view_types(view), PART] for view in fact_views()}
    assert (comments > 3000) == DIALECTS[dialect].has_comments
    names = {name for columns in made.values() for name in columns} | set(made)
    assert max(map(len, names)) <= DIALECTS[dialect].longest_name


def test_wrong_names_are_refused() -> None:
    done = invoke("export", "ddl", "postgres")
    assert done.returncode == 16
    assert "did you mean postgresql" in done.stderr
    done = invoke("export", "ddl", "db2", "--view", "buffer_poool")
    assert done.returncode == 16
    assert "buffer_pool" in done.stderr


PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), Path("/missing"))
needs_server = pytest.mark.skipif(not (PROGRAMS / "initdb").exists(), reason="PostgreSQL is not installed; Debian has it as postgresql")  # fmt: skip


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of its own; PostgreSQL does not run as root."""
    own: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="mqstat-postgresql-"))
    try:
        if own:
            shutil.chown(folder, "postgres", "postgres")
        port, data = free_port(), folder / "data"
        subprocess.run([PROGRAMS / "initdb", "-D", data, "-A", "trust", "-U", "mqstat", "-E", "UTF8"], check=True, capture_output=True, cwd=folder, **own)  # fmt: skip
        process = subprocess.Popen(
            [PROGRAMS / "postgres", "-D", data, "-p", str(port), "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **own,
        )  # fmt: skip
        try:
            for _ in range(150):
                if subprocess.run([PROGRAMS / "pg_isready", "-h", "127.0.0.1", "-p", str(port)], capture_output=True, check=False).returncode == 0:  # fmt: skip
                    break
                time.sleep(0.2)
            yield f"postgresql://mqstat@127.0.0.1:{port}/postgres"
        finally:
            process.terminate()
            process.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def asked(uri: str, query: str) -> list[tuple[Any, ...]]:
    from adbc_driver_postgresql.dbapi import connect

    with connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return [tuple(row) for row in cursor.fetchall()]


def check_sums(uri: str, into: Path) -> int:
    """Compare number of rows, and number and sum of the values of each column, between database and files; the number of sums."""
    local, compared = duckdb.connect(), 0
    for view in sorted({view for view, _ in files_in(into)} - {"fact_file"}):
        source = f"read_parquet('{into}/facts/{view}/*.parquet', union_by_name = true)"
        parts, ours = ["count(*)::bigint"], ["count(*)::BIGINT"]
        for name, kind in view_types(view).items():
            parts.append(f'count("{name}")::bigint')
            ours.append(f'count("{name}")::BIGINT')
            if kind in ("BIGINT", "INTEGER"):
                parts.append(f'sum("{name}")::text')
                ours.append(f'sum("{name}")::VARCHAR')
            elif kind == "DOUBLE":
                parts.append(f'sum("{name}")::double precision')
                ours.append(f'sum("{name}")::DOUBLE')
            elif kind == "VARCHAR":
                parts.append(f'sum(length("{name}"))::bigint')
                ours.append(f'sum(length("{name}"))::BIGINT')
            elif kind == "TIMESTAMP":
                parts.append(f'max("{name}")::text')
                ours.append(f'max("{name}")::VARCHAR')
        (theirs,) = asked(uri, f'SELECT {", ".join(parts)} FROM mqstat."{view}"')
        expected = local.execute(f"SELECT {', '.join(ours)} FROM {source}").fetchall()[0]
        for got, want in zip(theirs, expected, strict=True):
            assert got == (pytest.approx(want, rel=1e-9) if isinstance(want, float) else want), view
        compared += len(expected)
    return compared


@needs_server
@pytest.mark.slow
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


def changed_by(uri: str, statement: str) -> None:
    from adbc_driver_postgresql.dbapi import connect

    with connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        connection.commit()


@needs_server
@pytest.mark.slow
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
