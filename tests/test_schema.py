"""Datasets that another mqstat has made: one that lacks columns or tables is read, and completed by the next publish;
any other is refused.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mqstat.cli import run
from mqstat.dataset import lake, schema, snapshot, steps
from mqstat.dataset.lake import Place
from mqstat.dataset.schema import schema_version
from mqstat.dataset.steps import Writer
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.intake.open_data import open_data
from mqstat.parsers.batch import _order
from mqstat.parsers.tables import table_schemas
from tests.support import built_dump, file_of, small_dump

pytestmark = pytest.mark.usefixtures("unsynced")

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("dumps")
    return [file_of(small_dump(), folder, "small.smf"), file_of(built_dump(), folder, "built.smf")]


Change = Callable[[dict[str, pa.Schema]], None]


def forget() -> None:
    """Forget what was derived from the columns of tables."""
    for function in (schema_version, _order):
        function.cache_clear()


@contextmanager
def another_mqstat(change: Change) -> Iterator[None]:
    """An mqstat whose tables have other columns."""
    known = table_schemas()
    before, of_state = dict(known), dict(schema.OF_STATE)
    both = known | schema.OF_STATE
    try:
        change(both)
        for tables in (known, schema.OF_STATE):
            there = set(tables)
            tables.clear()
            tables.update({name: each for name, each in both.items() if name in there or name not in before | of_state})
        forget()
        yield
    finally:
        for tables, was in ((known, before), (schema.OF_STATE, of_state)):
            tables.clear()
            tables.update(was)
        forget()


def without(table: str, *columns: str) -> Change:
    """A table has these columns less, or (without any) is not there."""

    def change(tables: dict[str, pa.Schema]) -> None:
        if columns:
            tables[table] = pa.schema([each for each in tables[table] if each.name not in columns])
        else:
            del tables[table]

    return change


def other(table: str, column: str, kind: pa.DataType) -> Change:
    """A column of a table has another type, or is new."""

    def change(tables: dict[str, pa.Schema]) -> None:
        kept = [each for each in tables[table] if each.name != column]
        tables[table] = pa.schema([*kept, pa.field(column, kind)])

    return change


def named(table: str) -> Change:
    """There is a table more."""

    def change(tables: dict[str, pa.Schema]) -> None:
        tables[table] = pa.schema([("source_id", pa.int64())])

    return change


def ingest(dump: Path, folder: Path) -> int:
    return run(["ingest", str(dump), "--into", str(folder)])


def made_by(change: Change, dump: Path, folder: Path) -> Path:
    """A dataset that another mqstat has made."""
    with another_mqstat(change):
        assert ingest(dump, folder) == 0
    return folder


def counts(folder: Path, query: str) -> Any:
    with open_data(dataset=folder, views=True) as database:
        return database.ask(query).fetchall()[0]


@pytest.mark.parametrize(
    "change",
    [
        without("qpst", "buffers"),
        without("qpst"),
        other("qpst", "later", pa.int64()),
        other("qpst", "buffers", pa.string()),
        other("input", "name", pa.int64()),
        named("later"),
    ],
)
def test_the_number_follows_from_the_columns(change: Change) -> None:
    before = schema_version()
    with another_mqstat(change):
        assert schema_version() != before
    assert schema_version() == before


MISSING: dict[str, tuple[str, ...]] = {
    "qmac": ("puts_to_99", "gets_to_99"), "source": ("bytes_skipped",), "wtas": (), "wq": (),
    "file": ("absent",), "publish": ("writer",), "input": ("diagnosis",),
}  # fmt: skip
"""What an older mqstat did not have: columns, or the table."""


def older(tables: dict[str, pa.Schema]) -> None:
    """The change to it."""
    for table, missing in MISSING.items():
        without(table, *missing)(tables)


@pytest.mark.slow
def test_what_an_older_mqstat_did_not_have_is_null_and_comes_with_the_next_publish(
    dumps: list[Path], tmp_path: Path
) -> None:
    folder = made_by(older, dumps[0], tmp_path / "set")
    number = snapshot.known(folder).complete.schema
    queries = {
        table: f"SELECT count(*) FILTER (source_id = 1) > 0, count({columns[0]}) FILTER (source_id = 1) = 0, count({columns[0]}) > 0 FROM decoded.{table}"
        for table, columns in MISSING.items()
        if columns and table in table_schemas()
    }
    for query in queries.values():
        assert counts(folder, query) == (True, True, False)
    assert verify(folder, rows=True).problems == []
    assert snapshot.known(folder).complete.schema == number != schema_version(), "a reader changes nothing"

    assert ingest(dumps[1], folder) == 0
    assert snapshot.known(folder).complete.schema == schema_version()
    for table, columns in MISSING.items():
        have = lake.schema(lake.opened(Place(folder, table)))
        assert dict(zip(have.names, have.types, strict=True)) == dict(
            zip(schema.declared()[table].names, schema.declared()[table].types, strict=True)
        ), columns
    for compacted in (False, True):
        if compacted:
            assert run(["compact", str(folder)]) == 0
        assert verify(folder, rows=True).problems == []
        for table, query in queries.items():
            assert counts(folder, query) == (True, True, True), table
    assert run(["verify", str(folder), "--against", str(dumps[1])]) == 0


def nothing(_: dict[str, pa.Schema]) -> None:
    """No change of columns."""


REFUSED: dict[str, tuple[Change, str]] = {
    "newer": (without("qpst", "buffers"), "was written by mqstat 99.1.0 and is newer"),
    "another meaning": (nothing, "has columns of another meaning"),
    "a column more": (other("wtas", "later", pa.int64()), "has a column later in table wtas"),
    "a type": (other("wtas", "section", pa.string()), "has column section of table wtas as string in place of int64"),
    "a table more": (named("later"), "has a table later"),
    "a column of the steps": (other("publish", "later", pa.int64()), "has a column later in table publish"),
    "a column of records": (without("qpst", "record_id"), "lacks column record_id of table qpst"),
}


@pytest.mark.parametrize(
    "what", [next(iter(REFUSED)), *(pytest.param(each, marks=pytest.mark.slow) for each in list(REFUSED)[1:])]
)
@pytest.mark.slow
def test_any_other_is_refused_in_one_sentence(what: str, tmp_path: Path, dumps: list[Path], capsys: Captured) -> None:
    """One of a newer version may have fewer columns, and would miss them."""
    change, words = REFUSED[what]
    folder = tmp_path / "set"
    with another_mqstat(change), pytest.MonkeyPatch.context() as patch:
        if what == "newer":
            patch.setattr(steps, "__version__", "99.1.0")
        if change is nothing:
            patch.setattr(schema, "FORMAT", 4)
        Writer(folder).begun()
    assert_refused(folder, words, dumps, capsys)


def assert_refused(folder: Path, words: str, dumps: list[Path], capsys: Captured) -> None:
    """Readers and writers refuse a dataset, and change nothing."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.suffix in (".json", ".parquet")}
    for arguments in (
        ["verify", str(folder)],
        ["prune", str(folder), "--keep", "1"],
        ["compact", str(folder)],
        ["ingest", str(dumps[1]), "--into", str(folder)],
        ["sql", "SELECT 1", "--from", str(folder)],
        ["check", "--from", str(folder)],
    ):
        capsys.readouterr()
        assert run(arguments) == 16, arguments
        printed = capsys.readouterr().err
        assert words in printed, arguments
        assert "unexpected" not in printed
        assert len(printed.strip().splitlines()) == 1
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.suffix in (".json", ".parquet")}
    assert after == before


def rewrite(folder: Path, table: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the rows of a table that describes a dataset."""
    import pyarrow.parquet as pq

    version = (
        snapshot.known(folder).version
        if table == schema.PUBLISH
        else snapshot.versions_of(snapshot.known(folder).complete)[table]
    )
    for file in lake.files(lake.opened(Place(folder, table), version)):
        path = folder / table / file.path
        rows = pq.ParquetFile(path).read().to_pylist()
        for row in rows:
            change(row)
        pq.write_table(pa.Table.from_pylist(rows), path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("publish", "versions", None), ("publish", "versions", "{"), ("publish", "versions", "[]"), ("publish", "versions", "{}"), ("publish", "schema", None),
        ("publish", "generation", "x"), ("publish", "state", None), ("publish", "mqstat", None), ("input", "ledger", "{"), ("input", "ledger", None),
        ("input", "ledger", "{}"), ("input", "source_id", "x"), ("file", "sources", None), ("file", "path", None), ("file", "path", "../x"), ("file", "bytes", "x"),
    ],
)  # fmt: skip
def test_whatever_the_tables_hold_is_no_unexpected_error(
    table: str, column: str, value: object, dumps: list[Path], made: Path, tmp_path: Path, capsys: Captured
) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "set"))
    rewrite(folder, table, lambda row: row.update({column: value}))
    for arguments in (
        ["verify", str(folder), "--rows"],
        ["compact", str(folder)],
        ["prune", str(folder), "--before", "2100-01-01"],
        ["sql", "SELECT count(*) FROM record", "--from", str(folder)],
        ["ingest", str(dumps[1]), "--into", str(folder)],
    ):
        capsys.readouterr()
        code = run(arguments)
        printed = capsys.readouterr()
        assert "unexpected" not in printed.err, (arguments, printed.err)
        assert code in (0, 4, 12, 16), arguments


@pytest.fixture(scope="module")
def made(dumps: list[Path]) -> Path:
    """A dataset, not to be changed."""
    folder = dumps[0].parent / "set"
    assert ingest(dumps[0], folder) == 0
    return folder


@pytest.mark.slow
def test_a_writer_that_is_killed_while_it_adds_columns(dumps: list[Path], tmp_path: Path) -> None:
    """The dataset is what it was, and the next writer completes it."""
    old = made_by(older, dumps[0], tmp_path / "old")
    for number in count(1, 5):  # every fifth commit
        folder = Path(shutil.copytree(old, tmp_path / f"{number}"))
        done = 0

        def counted(commit: Callable[..., Any], last: int = number) -> Callable[..., Any]:
            def run_it(*given: Any, **named: Any) -> Any:
                nonlocal done
                out = commit(*given, **named)
                done += 1
                if done == last:
                    raise KilledError
                return out

            return run_it

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lake, "commit", counted(lake.commit))
            patch.setattr(lake, "add_columns", counted(lake.add_columns))
            patch.setattr(lake, "create", counted(lake.create))
            patch.setattr(steps, "each_at_once", lambda function, given: [function(each) for each in given])
            try:
                ingest(dumps[1], folder)
            except KilledError:
                pass
            else:
                break
        assert len(open_dataset(folder).manifest.sources) in (1, 2)
        assert ingest(dumps[1], folder) == 0
        assert verify(folder, rows=True).problems == [], number
        assert snapshot.known(folder).complete.schema == schema_version()
        assert json.loads(snapshot.known(folder).complete.versions).keys() >= {"wtas", "wq"}
        shutil.rmtree(folder)
    assert number > 10


class KilledError(BaseException):
    """The process ends here."""
