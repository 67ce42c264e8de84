"""Statements that a process runs again are parsed once, and give the same result as their text."""

from __future__ import annotations

import duckdb
import pytest

from mqstat.sql.statements import Statements


def test_a_text_is_parsed_for_keeping_when_it_comes_again() -> None:
    statements, text = Statements(), "SELECT $number + 1 AS n"
    for expected in (str, duckdb.Statement, duckdb.Statement):
        with duckdb.connect() as connection:
            given = statements.of(connection, text)
            assert isinstance(given, expected)
            assert connection.execute(given, {"number": 41}).fetchall() == [(42,)]
    assert len(statements) == 1


def test_the_texts_used_last_are_kept() -> None:
    statements = Statements(limit=2)
    with duckdb.connect() as connection:
        for text in ("SELECT 1", "SELECT 1", "SELECT 2", "SELECT 2", "SELECT 1", "SELECT 3"):
            statements.of(connection, text)
        assert isinstance(statements.of(connection, "SELECT 1"), duckdb.Statement)
        assert isinstance(statements.of(connection, "SELECT 2"), str), "pushed out by the third text"


@pytest.mark.parametrize("text", ["SELECT 1; SELECT 2", "SELEC 1"])
def test_other_texts_are_left_to_duckdb(text: str) -> None:
    statements = Statements()
    with duckdb.connect() as connection:
        assert statements.of(connection, text) == text
        if ";" in text:
            assert statements.of(connection, text) == text
        else:
            with pytest.raises(duckdb.ParserException):
                statements.of(connection, text)


def test_a_statement_sees_the_tables_of_its_connection() -> None:
    statements, text = Statements(), "SELECT * FROM t"
    for rows in ("1 AS a", "2 AS a", "'x' AS b, 3 AS c"):
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE t AS SELECT {rows}")
            assert (
                connection.execute(statements.of(connection, text)).fetchall()
                == connection.execute(f"SELECT {rows}").fetchall()
            )
