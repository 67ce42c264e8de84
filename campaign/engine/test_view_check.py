"""A file of views that somebody changed is found by `verify`; one that was written again after an ingest is accepted."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from mqstat.cli import run
from tests.support import file_of, small_dump


@pytest.fixture(scope="module", name="made")
def made_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with its views inside; not to be changed."""
    folder = tmp_path_factory.mktemp("views")
    dump = file_of(small_dump(), folder, "dump.smf")
    assert run(["ingest", str(dump), "--into", str(folder / "set")]) == 0
    assert run(["views", str(folder / "set"), "--into", str(folder / "set" / "mq.duckdb")]) == 0
    return folder / "set"


def text_of(made: Path, name: str) -> str:
    with duckdb.connect(str(made / "mq.duckdb"), read_only=True) as connection:
        found = connection.execute("SELECT sql FROM duckdb_views() WHERE view_name = ?", [name]).fetchone()
    assert found is not None
    return str(found[0])


def changed(made: Path, tmp_path: Path, statements: Sequence[str]) -> Path:
    """A copy of the dataset in which statements were run on the file of views."""
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    with duckdb.connect(str(folder / "mq.duckdb")) as connection:
        connection.execute(f"SET file_search_path = '{folder}'")
        for statement in statements:
            connection.execute(statement)
    return folder


def test_a_file_as_it_was_written_is_accepted(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also after an ingest, elsewhere, and with rows of a site file, which are a remark."""
    assert run(["verify", str(made)]) == 0
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    dump = file_of(small_dump() * 2, tmp_path, "more.smf")
    assert run(["ingest", str(dump), "--into", str(folder)]) in (0, 4)
    assert run(["views", str(folder), "--into", str(tmp_path / "near.duckdb"), "--site", "tests/site.toml"]) == 0
    (folder / "mq.duckdb").unlink()
    capsys.readouterr()
    assert run(["verify", str(folder), "--views", str(tmp_path / "near.duckdb")]) == 0
    assert (
        "remark: near.duckdb: has facts of a site file or findings, which are not checked.\n" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (["CREATE OR REPLACE VIEW buffer_pool AS SELECT 1 AS qmgr"], "view main.buffer_pool is not the one of this mqstat"),
        (["DROP VIEW qmgr", "CREATE TABLE qmgr AS SELECT 'MQ01' AS qmgr"], "view main.qmgr is missing"),
        (["CREATE OR REPLACE MACRO pct(part, whole) AS 50"], "macro main.pct is not the one of this mqstat"),
        (["COMMENT ON COLUMN buffer_pool.lowest_free_pct IS 'ms'"], "comment of column main.buffer_pool.lowest_free_pct is not"),
        (["INSERT INTO decoded.layout_size VALUES ('QPST', 1, 1)"], "the rows of table decoded.layout_size are not those"),
        (["CREATE VIEW more AS SELECT 1 AS one"], "view main.more is not one of this mqstat"),
    ],
)  # fmt: skip
def test_a_file_that_was_changed_is_found(
    statements: list[str], message: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = changed(made, tmp_path, statements)
    capsys.readouterr()
    assert run(["verify", str(folder)]) == 12
    output = capsys.readouterr().out
    assert f"problem: mq.duckdb: {message}" in output
    assert "write it again with: mqstat views" in output


def test_a_view_of_other_files_is_found(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = text_of(made, "qwac")
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(next((made / "qwac").glob("*.parquet")), other / "x.parquet")
    listed = re.sub(r"('[^']*qwac/\*\.parquet')", rf"\1, '{other / 'x.parquet'}'", text)
    assert listed != text
    folder = changed(made, tmp_path, [listed.replace("CREATE VIEW", "CREATE OR REPLACE VIEW")])
    capsys.readouterr()
    assert run(["verify", str(folder)]) == 12
    assert "its views read 1 file that the dataset does not have, such as " in capsys.readouterr().out


def test_what_is_not_a_file_of_views(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    (folder / "mq.duckdb").write_bytes(b"not a database" * 99)
    assert run(["verify", str(folder)]) == 12
    assert "problem: mq.duckdb: the views cannot be checked (" in capsys.readouterr().out


def test_a_file_that_was_put_into_a_snapshot_is_found(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    before = {path.name for path in (folder / "_snapshot").iterdir()}
    assert run(["verify", str(folder)]) == 0
    assert {path.name for path in (folder / "_snapshot").iterdir()} == before, "verify writes nothing"
    own = next(folder.glob("_snapshot/*/qwac/*.parquet"))
    shutil.copy(own, own.with_name("other.parquet"))
    capsys.readouterr()
    assert run(["verify", str(folder)]) == 12
    assert "its views read 1 file that the dataset does not have" in capsys.readouterr().out
