"""Some columns of a query: its WITH clause moves before the SELECT, whatever is in comments, strings and parentheses."""

from __future__ import annotations

import duckdb
import pytest

from mqstat.sql.selected import selected

QUERIES = {
    "plain": "SELECT 1 AS a, 2 AS b",
    "parenthesis": "(SELECT 1 AS a, 2 AS b)",
    "values": "WITH t(a, b) AS (VALUES (1, 2)) FROM t",
    "several": "WITH t AS (SELECT 1 AS a), u AS MATERIALIZED (SELECT a, 2 AS b FROM t) SELECT * FROM u UNION ALL SELECT * FROM u",
    "recursive": "WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t WHERE a < 3) SELECT a, a AS b FROM t",
    "hidden": "-- WITH SELECT (\n/* SELECT ( */ WITH t AS (SELECT ') SELECT (' AS a, $x$ SELECT ) $x$ AS b)-- the end\nSELECT a, b FROM t",
    "name": 'WITH "select" AS (SELECT 1 AS a, 2 AS b) SELECT * FROM "select"',
}


@pytest.mark.parametrize("name", QUERIES)
def test_the_rows_are_those_of_the_query(name: str) -> None:
    query = QUERIES[name]
    with duckdb.connect() as connection:
        rows = connection.execute(query).fetchall()
        assert connection.execute(selected("b", query)).fetchall() == [(row[1],) for row in rows]
        assert connection.execute(selected("count(*)", query)).fetchall() == [(len(rows),)]


def test_columns_that_are_not_counted_are_not_computed() -> None:
    query = "WITH t AS MATERIALIZED (SELECT 1 AS a) SELECT a, error('computed') AS b FROM t UNION ALL SELECT a, error('computed') FROM t"
    with duckdb.connect() as connection:
        assert connection.execute(selected("count(*)", query)).fetchall() == [(2,)]
