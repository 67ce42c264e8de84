"""`mqstat sql` runs one SELECT and writes nothing anywhere, whatever it is given."""

from __future__ import annotations

import csv
import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from mqstat.base.errors import SqlFileError, UsageError
from mqstat.cli import run
from mqstat.cli.query import ZONED, _print_query
from mqstat.dataset.store import open_dataset
from mqstat.intake.open_data import columns_of, open_data
from mqstat.sql import sqlfile
from mqstat.sql.query import check_query
from mqstat.sql.syntax import views_named
from tests.house import check_select
from tests.opening import open_database
from tests.support import built_dump, file_of, small_dump


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dump and its dataset, of few tables: whether a query runs does not depend on the rows."""
    return ingested(small_dump(), tmp_path_factory.mktemp("made"))


def ingested(dump: bytes, folder: Path) -> Path:
    """A folder with a dump and its dataset."""
    assert run(["ingest", str(file_of(dump, folder, "built.smf")), "--into", str(folder / "set")]) == 0
    return folder


@pytest.fixture(scope="module")
def dataset_copy(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with files that are not part of the dataset; every test proves that it is as it was."""
    folder = Path(shutil.copytree(made, tmp_path_factory.mktemp("place") / "p"))
    (folder / "secret.csv").write_text("secret\nsesame\n")
    shutil.copy(folder / "secret.csv", folder / "set" / "record" / "secret.csv")
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


WRITES = [
    "COPY (SELECT 1) TO '{parquet}'",
    "COPY (SELECT 1) TO '{new}' (FORMAT csv)",
    "COPY decoded.record FROM '{secret}'",
    "COPY FROM DATABASE memory TO memory",
    "EXPORT DATABASE '{new}'",
    "IMPORT DATABASE '{set}'",
    "ATTACH '{new}' AS other",
    "DETACH memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA table_info('record')",
    "PRAGMA add_parquet_key('x', '0123456789112345')",
    "SET memory_limit = '1MB'",
    "SET VARIABLE x = 1",
    "RESET threads",
    "USE main",
    "CREATE TABLE t AS SELECT 1",
    "CREATE VIEW qmgr2 AS SELECT 1",
    "CREATE OR REPLACE TEMP VIEW record AS SELECT 1",
    "CREATE MACRO f(x) AS x",
    "CREATE SECRET s (TYPE s3)",
    "INSERT INTO decoded.finding SELECT * FROM decoded.finding",
    "DELETE FROM decoded.finding",
    "UPDATE decoded.finding SET severity = 'x'",
    "DROP VIEW record",
    "ALTER VIEW record RENAME TO x",
    "TRUNCATE decoded.finding",
    "VACUUM",
    "CHECKPOINT",
    "BEGIN",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "CALL pragma_version()",
    "CALL enable_logging()",
    "COMMENT ON VIEW record IS 'x'",
    "EXPLAIN ANALYZE SELECT 1",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY (SELECT 1) TO '{new}'",
    "/* ; */ SELECT 1 -- ;\n; DROP VIEW record",
    "WITH c AS (COPY (SELECT 1) TO '{parquet}') SELECT 1",
    "WITH c AS MATERIALIZED (COPY (SELECT 1) TO '{new}') FROM c",
    "WITH d AS (DELETE FROM decoded.finding RETURNING *) FROM d",
    "WITH d AS (INSERT INTO decoded.finding BY NAME SELECT 'x' AS severity RETURNING *) FROM d",
    "WITH d AS (UPDATE decoded.finding SET severity = 'x' RETURNING *) FROM d",
    "SELECT * FROM (WITH c AS (COPY (SELECT 1) TO '{new}') SELECT 1)",
    "SELECT (WITH c AS (COPY (SELECT 1) TO '{new}') SELECT 1)",
    "SELECT 1 WHERE EXISTS (WITH c AS (COPY (SELECT 1) TO '{new}') SELECT 1)",
    "SELECT 1 UNION ALL (WITH c AS (COPY (SELECT 1) TO '{new}') SELECT 1)",
    "VALUES ((WITH c AS (COPY (SELECT 1) TO '{new}') SELECT 1))",
    "SUMMARIZE (WITH c AS (COPY (SELECT 1) TO '{new}') SELECT 1)",
    "DESCRIBE (WITH c AS (COPY (SELECT 1) TO '{new}') SELECT 1)",
    "WITH a AS (WITH b AS (COPY (SELECT 1) TO '{new}') SELECT 1) FROM a",
    "FROM query('COPY (SELECT 1) TO ''{new}''')",
    "FROM query('SELECT 1')",
    "FROM query_table('record')",
    "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "FROM enable_logging()",
    "FROM truncate_duckdb_logs()",
    "FROM force_checkpoint()",
    "SELECT write_log('x')",
    "SELECT nextval('x')",
    "SELECT main.setseed(0.5)",
    "SELECT pg_sleep(1)",
]

READS = [
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_blob('{set}/*/*')",
    "SELECT * FROM read_text('{set}/record/secret.csv')",
    "SELECT * FROM read_parquet('{parquet}')",
    "FROM glob('{set}/*')",
    "FROM sniff_csv('{secret}')",
    "FROM parquet_metadata('{parquet}')",
    "FROM '{secret}'",
    "FROM '{set}/record/secret.csv'",
    'FROM "{secret}"',
    "DESCRIBE '{secret}'",
    "SUMMARIZE '{secret}'",
    "SELECT * FROM record, LATERAL (FROM '{secret}')",
    "SELECT getenv('HOME')",
    "FROM duckdb_secrets()",
    "FROM which_secret('s3://x', 's3')",
]

NOTHING = ["", " ", ";", ";;", " -- a comment", "/* */"]


@pytest.mark.slow
@pytest.mark.parametrize("query", [*WRITES, *READS, *NOTHING])
def test_nothing_is_written_and_nothing_else_is_read(
    dataset_copy: Path, query: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = dataset_copy / "set"
    parquet = next((folder / "record").rglob("*.parquet"))
    before = content(dataset_copy)
    text = query.format(
        parquet=parquet, new=folder / "record" / "new.parquet", secret=dataset_copy / "secret.csv", set=folder
    )
    for data in (["--from", str(folder)], [str(dataset_copy / "built.smf")]):
        arguments = ["sql", *data, text] if "--from" in data else ["sql", text, *data]
        assert run(arguments) == 16, arguments
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "sesame" not in captured.err
        assert captured.err.startswith("mqstat: ")
        assert "unexpected" not in captured.err
        assert content(dataset_copy) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM record",
        "FROM qmgr;",
        "WITH a AS (SELECT * FROM record) SELECT count(*) FROM a",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) FROM r",
        "VALUES (1), (2)",
        "TABLE qmgr",
        "DESCRIBE record",
        "SUMMARIZE qmgr",
        "SHOW TABLES",
        "SELECT * FROM range(3), unnest([1, 2])",
        "SELECT lpar, count(*) FROM record GROUP BY ALL UNION ALL SELECT 'x', 1",
        "PIVOT record ON smf_type IN (115, 116) USING count(*)",
        "SELECT lpar, 'COPY x TO y; DROP' AS copy FROM record LIMIT 1",
        "SELECT * FROM duckdb_columns() LIMIT 1",
        "SELECT random() < 2, uuid() IS NOT NULL",
        "(SELECT 1)",
    ],
)
def test_a_select_runs(made: Path, query: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sql", query, "--from", str(made / "set")]) == 0, capsys.readouterr().err
    check_query(query)


@pytest.mark.parametrize("query", ["SELECT " + "(" * 5000 + "1" + ")" * 5000, "SELECT " + "+".join("1" * 5000), "SELECT '\x00'", "SELECT 1 FROM (", "SELEKT"])  # fmt: skip
def test_odd_texts_are_read_or_refused(query: str) -> None:
    message = ""
    try:
        check_query(query)
    except UsageError as error:
        message = str(error)
    assert "\n" not in message


def test_json_is_json(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has no NaN, and a key once: the second of two columns of the same name would replace the first."""
    dump = str(made / "built.smf")
    assert (
        run(["sql", "SELECT 'nan'::DOUBLE AS a, '-inf'::DOUBLE AS b, 1.5::DOUBLE AS c", dump, "--format", "json"]) == 0
    )
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail) == [{"a": None, "b": None, "c": 1.5}]
    assert run(["sql", "SELECT 1 AS a, 2 AS a", dump, "--format", "json"]) == 16
    assert "The query has two columns a" in capsys.readouterr().err


def test_the_files_of_views_reports_and_rules_are_held_to_it() -> None:
    """A rule or report that writes is refused by its name; those of the package pass in tests/test_house.py."""
    unit = sqlfile.reports()["log/activity"]
    check_select(unit)
    for text in (
        "COPY (SELECT 1) TO 'x'",
        "WITH c AS (COPY (SELECT 1) TO 'x') SELECT 1",
        "FROM read_text('/etc/passwd')",
    ):
        with pytest.raises(SqlFileError, match="activity"):
            check_select(dataclasses.replace(unit, text=text))


@pytest.mark.parametrize(
    ("query", "views"),
    [
        ("SELECT count(*) FROM record", {"record"}),
        ('SELECT 1 FROM main."QMGR" AS q', {"qmgr"}),
        ("WITH buffer_pool AS (SELECT 1) FROM buffer_pool", {"buffer_pool"}),
        ("SELECT (SELECT max(puts) FROM message_manager) FROM decoded.qpst", {"message_manager"}),
        ("SELECT 1", set()),
        ("FROM recrod", None),
        ("SHOW TABLES", None),
        ("SELECT * FROM duckdb_columns()", None),
        ("SELECT * FROM information_schema.tables", None),
    ],
)
def test_only_the_views_that_a_query_names_are_created(query: str, views: set[str] | None) -> None:
    assert views_named(query) == views


@pytest.mark.slow
def test_a_query_that_names_some_views_gives_what_all_views_give(tmp_path: Path) -> None:
    """The views below those that are named are created too, and computed once; asked of the views that no other view
    reads.
    """
    files = open_dataset(ingested(built_dump(), tmp_path) / "set").files
    below = {need for view in sqlfile.views().values() for need in view.needs}
    with open_database(files) as everything:
        everything.keep_named(sqlfile.views())
        top = sorted(sqlfile.views().keys() - below)
        for names in (top[number::3] for number in range(3)):
            with open_database(files, views=views_named(f"SELECT 1 FROM {', '.join(names)}") or ()) as some:
                some.keep_named(names)
                for name in names:
                    rows, expected = (
                        sorted(map(repr, db.execute(f"SELECT * FROM {name}").fetchall())) for db in (some, everything)
                    )
                    assert rows == expected, name


def test_an_unknown_name_gets_a_suggestion(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sql", "SELECT * FROM buffer_pol", "--from", str(made / "set")]) == 16
    assert "buffer_pool" in capsys.readouterr().err


class OverTypes:
    """The part of a database that printing a query needs, over a connection of DuckDB."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:", config={"threads": "1"})

    def execute(self, sql: str) -> duckdb.DuckDBPyConnection:
        return self.connection.execute(sql)


def test_values_with_a_time_zone_are_printed_and_change_no_other_type(capsys: pytest.CaptureFixture[str]) -> None:
    """Every type of DuckDB alone, and again with a value that has a time zone."""
    database: Any = OverTypes()
    types = [(row[0], row[1]) for row in database.execute("DESCRIBE FROM test_all_types()").fetchall()]
    zoned, compared = 0, 0
    for name, type_ in types:
        alone, both = (
            f'SELECT "{name}" AS v FROM test_all_types()',
            f'SELECT "{name}" AS v, now() AS n FROM test_all_types()',
        )
        printed = []
        for query in (alone, both):
            try:
                _print_query(database, query, "csv", False)
            except (
                UsageError,
                OverflowError,
                ValueError,
            ):  # a value that Python cannot represent, with and without a zone
                capsys.readouterr()
                break
            rows = csv.reader(capsys.readouterr().out.splitlines())
            printed.append([row[0] for row in rows])
        zoned += ZONED in type_ and len(printed) == 2
        if ZONED not in type_ and printed:
            assert printed[0] == printed[1], name
            compared += 1
    assert zoned >= 1
    assert compared > 40


def test_a_query_of_a_dataset_opens_only_the_tables_that_it_reads(made: Path) -> None:
    """Another table is an error, not empty; tables that take time to fill are filled where they are read."""
    with open_data(
        dataset=made / "set", columns=columns_of(["SELECT * FROM buffer_pool"]), views={"buffer_pool"}
    ) as db:
        assert db.execute("SELECT count(*) FROM decoded.qpst").fetchall()
        with pytest.raises(duckdb.CatalogException, match="qjst"):
            db.execute("SELECT count(*) FROM decoded.qjst")
    for table in ("report_class", "numbered_record", "sequence_gap"):
        assert run(["sql", f"SELECT * FROM {table}", "--from", str(made / "set"), "--format", "csv"]) == 0


def test_a_query_of_a_dataset_loads_no_decoder(made: Path) -> None:
    """A module that only writers need takes as long as a small query."""
    heavy = {"mqstat.parsers.decoder", "pyarrow.compute", "pydantic", "filelock", "rich"}
    program = f"""
import sys
from mqstat.cli import run
run(["sql", "SELECT 1", "--from", {str(made / "set")!r}])
print(*sorted({heavy!r} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == "\n", f"import inside functions what loads {done.stderr.strip()}"
