"""What DuckDB's parser finds in a query: the tables that it reads, and the query that counts its rows."""

from __future__ import annotations

import duckdb
import pytest

from mqstat.sql import sqlfile
from mqstat.sql.sqlfile import body_and_order
from mqstat.sql.syntax import counting, reads, reads_catalogue
from tests.opening import open_database

QUERIES = {
    "plain": "SELECT 1 AS a, 2 AS b",
    "parenthesis": "(SELECT 1 AS a, 2 AS b)",
    "values": "WITH t(a, b) AS (VALUES (1, 2)) FROM t",
    "several": "WITH t AS (SELECT 1 AS a), u AS MATERIALIZED (SELECT a, 2 AS b FROM t) SELECT * FROM u UNION ALL SELECT * FROM u",
    "recursive": "WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t WHERE a < 3) SELECT a, a AS b FROM t",
    "hidden": "-- WITH SELECT (\n/* SELECT ( */ WITH t AS (SELECT ') SELECT (' AS a, $x$ SELECT ) $x$ AS b)-- the end\nSELECT a, b FROM t",
    "name": 'WITH "select" AS (SELECT 1 AS a, 2 AS b) SELECT * FROM "select"',
    "nested": "WITH t AS (SELECT 1 AS a) SELECT * FROM (WITH u AS (FROM t) SELECT a, a AS b FROM u) ORDER BY a LIMIT 1",
}


@pytest.mark.parametrize("name", QUERIES)
def test_rows_are_counted(name: str) -> None:
    query = QUERIES[name]
    with duckdb.connect() as connection:
        rows = connection.execute(query).fetchall()
        assert connection.execute(counting(query)).fetchall() == [(len(rows),)]


def test_columns_are_not_computed_to_count_rows() -> None:
    query = "WITH t AS MATERIALIZED (SELECT 1 AS a) SELECT a, error('computed') AS b FROM t UNION ALL SELECT a, error('computed') FROM t"
    with duckdb.connect() as connection:
        assert connection.execute(counting(query)).fetchall() == [(2,)]


@pytest.mark.slow
def test_the_rows_of_every_report_can_be_counted() -> None:
    reports = sqlfile.reports().values()
    with open_database({}, views=False) as db:
        assert db.keep([report.needs for report in reports]) == {}
        for report in reports:
            ((number,),) = db.execute(counting(body_and_order(report.select)[0])).fetchall()
            assert number == len(db.execute(report.select).fetchall()), report.name


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("SELECT 1", set()),
        ('SELECT * FROM Main."Buffer_Pool" -- FROM qmgr', {"buffer_pool"}),
        ("FROM record JOIN decoded.record AS r USING (record_id)", {"record", "decoded.record"}),
        ("SELECT (SELECT max(buffers) FROM qpst) WHERE EXISTS (FROM page_set)", {"decoded.qpst", "page_set"}),
        ("WITH log AS (FROM log) SELECT * FROM log, no_such_table", {"log"}),
        ("DESCRIBE buffer_pool", {"buffer_pool"}),
    ],
)
def test_what_a_query_reads(query: str, read: set[str]) -> None:
    assert reads(query) == read


@pytest.mark.parametrize(
    ("query", "does"),
    [
        ("SELECT 'duckdb_tables' FROM record", False),
        ("DESCRIBE record", True),
        ("SELECT * FROM (SUMMARIZE record)", True),
        ("SHOW TABLES", True),
        ("FROM duckdb_columns()", True),
        ("FROM sqlite_master", True),
        ("FROM Information_Schema.Tables", True),
        ("FROM pg_catalog.pg_class", True),
    ],
)
def test_whether_a_query_reads_the_catalogue(query: str, does: bool) -> None:
    assert reads_catalogue(query) is does
