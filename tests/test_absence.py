"""What has no rows because its records were not collected: concluded from the text of a view, and true when DuckDB computes it."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from mqstat.rules.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.absence import AGGREGATES, empty_views, without
from mqstat.sql.needed import texts
from mqstat.sql.schemas import all_schemas, duckdb_type, quoted
from mqstat.sql.views import view_types

VALUES = {
    "VARCHAR": "'ABCDEF0123456789ABCDEF0123456789'",
    "BOOLEAN": "true",
    "TIMESTAMP": "TIMESTAMP '2026-01-05 10:00:00'",
    "DATE": "DATE '2026-01-05'",
}
"""What each column of a type has in all rows: so tables join."""


@pytest.mark.parametrize(
    ("query", "sets"),
    [
        ("SELECT lpar FROM page_set", ["page_set"]),
        ("SELECT p.lpar FROM page_set AS p JOIN record USING (record_id)", ["page_set", "record"]),
        ("SELECT p.lpar FROM page_set AS p LEFT JOIN record AS r ON true", ["page_set"]),
        ("SELECT p.lpar FROM page_set AS p NATURAL LEFT OUTER JOIN record AS r", ["page_set"]),
        ("SELECT p.lpar FROM page_set AS p ANTI JOIN record AS r ON true", ["page_set"]),
        ("SELECT p.lpar FROM page_set AS p SEMI JOIN record AS r ON true", ["page_set", "record"]),
        ("SELECT p.lpar FROM page_set AS p, record AS r", ["page_set", "record"]),
        ("SELECT p.lpar FROM page_set AS p FULL JOIN record AS r ON true", []),
        ("SELECT lpar FROM page_set UNION ALL BY NAME SELECT lpar FROM record", ["page_set record"]),
        ("SELECT lpar FROM page_set EXCEPT SELECT lpar FROM record", []),
        ("SELECT count(*) FROM page_set", []),
        ("SELECT 1 + max(used_pct) FILTER (true) FROM page_set", []),
        ("SELECT lpar FROM page_set HAVING count(*) = 0", []),
        ("SELECT lpar, count(*) FROM page_set GROUP BY lpar", ["page_set"]),
        ("SELECT max(used_pct) FILTER (true) OVER (PARTITION BY lpar) FROM page_set", ["page_set"]),
        ("SELECT lpar IS DISTINCT FROM qmgr AS other FROM page_set WHERE EXISTS (SELECT 1 FROM record)", ["page_set"]),
        ("WITH page_set AS (SELECT 1 AS lpar) SELECT lpar FROM page_set", []),
        ("WITH a AS (SELECT lpar FROM page_set), b AS (SELECT count(*) AS n FROM a) SELECT n FROM b", []),
        ("WITH a AS (SELECT lpar FROM qpst) SELECT b.lpar FROM (SELECT lpar FROM a) AS b", ["decoded.qpst"]),
        ("SELECT lpar FROM decoded.qpst", ["decoded.qpst"]),
        ("SELECT unnest(range(3)) AS n", []),
        ("SELECT n FROM range(3) AS t(n)", []),
        ("SELECT n FROM (VALUES (1)) AS t(n)", []),
        ("SELECT p.lpar FROM page_set AS p CROSS JOIN (VALUES (1)) AS t(n)", []),
    ],
)  # fmt: skip
def test_what_a_query_needs_to_have_rows(query: str, sets: list[str]) -> None:
    assert without(query) == frozenset(frozenset(names.split()) for names in sets)


def test_aggregate_functions_are_known() -> None:
    """A function that counts without groups gives a row over nothing."""
    with duckdb.connect() as connection:
        known = connection.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'"
        )
        aggregates = {name for (name,) in known.fetchall()}
    used = {word for text in all_texts() for word in texts(text)} & aggregates
    assert used - AGGREGATES <= {"sign"}, "add these to AGGREGATES"


def all_texts() -> Iterator[str]:
    """The SQL of all views and rules."""
    yield from (view.body for view in sqlfile.views().values())
    yield from (rule.sql for rule in rules().values())


def test_views_are_empty_when_it_is_concluded() -> None:
    """Each view over tables with a row, but for those without which it has no rows."""
    checked = 0
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA decoded")
        connection.execute(sqlfile.macros())
        connection.execute("PRAGMA disable_optimizer")
        types = {
            f"decoded.{name}": {field.name: duckdb_type(field.type) for field in schema}
            for name, schema in all_schemas().items()
        }
        types |= {view: dict(view_types(view)) for view in sqlfile.views()}
        for name, columns in types.items():
            values = ", ".join(
                f"{VALUES.get(kind, '1' if kind in NUMBERS else 'NULL')}::{kind} AS {quoted(column)}"
                for column, kind in columns.items()
            )
            connection.execute(f"CREATE TABLE {table(name)} AS SELECT {values}")
        connection.execute("SET search_path = 'main,decoded'")
        for view in sqlfile.views().values():
            for tables in without(view.body):
                connection.execute("BEGIN")
                for name in tables:
                    connection.execute(f"DELETE FROM {table(name)}")
                assert connection.execute(view.body).fetchall() == [], f"{view.name} without {sorted(tables)}"
                connection.execute("ROLLBACK")
                checked += 1
    assert checked > 150


NUMBERS = ("BIGINT", "INTEGER", "DOUBLE", "HUGEINT", "UINTEGER", "TINYINT", "SMALLINT", "UBIGINT")


def table(name: str) -> str:
    """The name of a table or view as it is quoted in a statement."""
    return ".".join(map(quoted, name.split("."))) if "." in name else f"main.{quoted(name)}"


def test_views_over_what_was_not_collected() -> None:
    channels = empty_views({"decoded.qcst", "decoded.qcct"})
    assert {"channel", "channel_initiator"} <= channels
    assert not {"record", "buffer_pool", "log"} & channels
    assert empty_views(set()) == set()
