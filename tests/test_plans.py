"""Views that are computed once give the same figures as other views; needed columns are found, and other columns do not exist."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb
import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge import run_rules
from mqstat.sql import sqlfile
from mqstat.sql.database import Database, open_database
from mqstat.sql.needed import columns_read, narrowed, table_columns, tables_named
from mqstat.sql.plans import HEAD_QUERIES, MONITOR_QUERIES, ask, health_columns, keep, release, rule_needs
from mqstat.sql.schemas import all_schemas, create_table, quoted
from mqstat.sql.views import view_types
from tests.support import arrow, file_of, reading

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The accounting scenario with all views as they are."""
    folder = tmp_path_factory.mktemp("plans")
    with reading(file_of(SCENARIOS["accounting_day"].build(), folder), views=True) as db:
        yield db


def rows(db: Database, name: str) -> list[tuple[object, ...]]:
    """All rows of a report; numbers to twelve digits, since sums of fractions depend on the order of the rows."""
    fetched = db.execute(sqlfile.reports()[name].text).fetchall()
    return [tuple(float(f"{value:.12g}") if isinstance(value, float) else value for value in row) for row in fetched]


OFTEN = 4
"""A view that more other views read is a table in `plain`, else reports that read it through several others take seconds to compile."""


def test_reports_over_kept_views_have_the_same_rows(plain: Database) -> None:
    run_rules(plain)
    kept: dict[str, list[tuple[object, ...]]] = {}
    names = list(sqlfile.reports())
    for part in (names[::2], names[1::2]):  # the second part reads more columns of what was kept for the first
        keep(plain, [sqlfile.reports()[name].text for name in part])
        kept |= {name: rows(plain, name) for name in part}
    release(plain)
    readers = Counter(need for view in sqlfile.views().values() for need in set(view.needs))
    whole = [view for view in sqlfile.views().values() if readers[view.id] > OFTEN]
    for view in whole:
        plain.execute(f"CREATE TEMP TABLE {quoted(view.id)} AS {view.select}")
    for name in names:
        assert rows(plain, name) == kept[name], name
    for view in whole:
        plain.execute(f"DROP TABLE temp.{quoted(view.id)}")


def test_what_was_kept_is_computed_again_when_more_columns_are_wanted() -> None:
    with open_database(
        arrow({"qpst": [{"pool_id": 1, "buffers": 200, "lowest_stealable": 50}]}, 60_000_000), views=False
    ) as db:
        twice = "SELECT lowest_free_pct FROM buffer_pool UNION ALL SELECT max(lowest_free_pct) FROM buffer_pool"
        keep(db, [twice, "SELECT lowest_free_pct FROM buffer_pool"])
        assert ask(db, twice).fetchall() == [(25.0,), (25.0,)]
        assert ask(db, "SELECT pool_id, buffers, lowest_free_pct FROM buffer_pool").fetchall() == [(1, 200, 25.0)]
        assert "buffers" in db.kept["buffer_pool"]


def test_a_view_that_fails_is_named_and_the_others_are_kept() -> None:
    with open_database({}, views=False) as db:
        db.execute("DROP TABLE decoded.qpst")
        failed = keep(db, [unit.text for unit in sqlfile.rules().values()])
        assert "buffer_pool" in failed
        assert "log" in db.kept


# ------------------------------------------------------------------------------------------------------------- needed columns

UNITS = {
    unit.name: unit
    for units in (sqlfile.views(), sqlfile.reports(), sqlfile.pictures(), sqlfile.rules())
    for unit in units.values()
}


@pytest.fixture(scope="module")
def planner() -> Iterator[duckdb.DuckDBPyConnection]:
    """Empty tables with the columns of all views and decoded tables; plans there name exactly the columns that a query reads.

    Only the pruning of columns, the inlining of common table expressions and the removal of joins that add nothing are left on: an
    optimiser that knows the tables are empty, or that moves conditions into the scan, would hide columns.
    """
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE SCHEMA decoded")
        connection.execute(sqlfile.macros())
        for name, schema in all_schemas().items():
            create_table(connection, name, schema)
        for view in sqlfile.views():
            columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in view_types(view).items())
            connection.execute(f"CREATE TABLE main.{quoted(view)} ({columns})")
        connection.execute("SET search_path = 'main,decoded'")
        kept = {"unused_columns", "cte_inlining", "join_elimination"}
        names = {row[0] for row in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
        connection.execute(f"SET disabled_optimizers = '{','.join(sorted(names - kept))}'")
        yield connection


def parameters(connection: duckdb.DuckDBPyConnection, sql: str) -> set[str]:
    """The named parameters of a query."""
    if "$" not in sql:
        return set()
    return {name for statement in connection.extract_statements(sql) for name in statement.named_parameters}


def planned(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, set[str]]:
    """The columns of tables (`view`, `decoded.table`) that DuckDB's plan of a query scans."""
    names = parameters(connection, sql)
    text = connection.execute(f"EXPLAIN (FORMAT JSON) {sql}", dict.fromkeys(names)).fetchall()[0][1]
    reads: dict[str, set[str]] = {}

    def visit(node: Mapping[str, Any]) -> None:
        extra = node.get("extra_info") or {}
        table = extra.get("Table")
        if isinstance(table, str):
            listed = extra.get("Projections", [])
            columns = {listed} if isinstance(listed, str) else set(listed)
            name = table.removeprefix("memory.").replace('"', "").removeprefix("main.")
            reads.setdefault(name, set()).update(column.replace('"', "") for column in columns if column)
        for child in node.get("children", ()):
            visit(child)

    for node in json.loads(text):
        visit(node)
    return reads


@pytest.mark.parametrize("name", UNITS)
def test_the_scan_finds_every_column_that_a_plan_reads(name: str, planner: duckdb.DuckDBPyConnection) -> None:
    unit = UNITS[name]
    scanned = columns_read(sqlfile.select_of(unit.text, name), tables_named(unit.text))
    for table, columns in planned(planner, unit.text).items():
        assert columns <= scanned[table], table
    # The name of a common table expression may be the name of a view, too.
    assert tables_named(sqlfile.select_of(unit.text, name)) >= sqlfile.tables_used(planner, unit.text), (
        "name every table after FROM or JOIN"
    )


@pytest.mark.parametrize("view", sqlfile.views())
def test_a_view_without_some_of_its_columns_reads_what_its_plan_reads(
    view: str, planner: duckdb.DuckDBPyConnection
) -> None:
    """One column alone, each half of the columns, and all but one: the shortened text compiles and its columns are found."""
    unit = sqlfile.views()[view]
    columns = list(unit.columns)
    full = {column[0]: column for column in planner.sql(unit.text).description}
    shortened: dict[str, dict[str, Any]] = {}
    for wanted in ([], columns[:1], columns[-1:], columns[::2], columns[1::2], columns[1:]):
        text = narrowed(view, frozenset(wanted))
        scanned = columns_read(text, unit.needs, frozenset(wanted))
        listed = ", ".join(map(quoted, wanted)) or "1"
        for table, read in planned(planner, f"SELECT {listed} FROM ({text})").items():
            assert read <= scanned[table], (table, wanted)
        if text not in shortened:  # often the same for several of them
            shortened[text] = {column[0]: column for column in planner.sql(text).description}
        assert [shortened[text][column] for column in wanted] == [full[column] for column in wanted]


def test_reports_directly_from_a_dump_decode_what_rules_reports_and_pictures_read() -> None:
    """Compiled over tables with nothing but these columns, every query of a report finds all that it names."""
    texts = [unit.text for unit in UNITS.values() if unit.kind != "view"]
    needs = [name for rule in sqlfile.rules().values() for name in rule_needs(rule)]
    with open_database({}, views=False, decoded=health_columns()) as db:
        assert keep(db, [*texts, *HEAD_QUERIES, *MONITOR_QUERIES], needs) == {}
        for text in [*texts, *HEAD_QUERIES, *MONITOR_QUERIES]:
            db.execute(text, dict.fromkeys(parameters(db.connection, text)))


def test_a_column_that_was_not_decoded_is_an_error_and_not_null() -> None:
    tables = arrow({"qpst": [{"pool_id": 1, "buffers": 200, "steals": 7}]}, 60_000_000)
    for given in (tables, {}):
        with open_database(given, views=False, decoded={"qpst": {"pool_id", "buffers"}}) as db:
            assert db.execute("SELECT max(pool_id), max(buffers) FROM decoded.qpst").fetchall()
            with pytest.raises(duckdb.BinderException, match="steals"):
                db.execute("SELECT steals FROM decoded.qpst")
            with pytest.raises(duckdb.CatalogException, match="qjst"):
                db.execute("SELECT count(*) FROM decoded.qjst")
    with open_database(given, decoded={"qpst": {"pool_id", "buffers"}}) as db, pytest.raises(duckdb.Error):
        db.execute("SELECT lowest_free_pct FROM buffer_pool")


def test_a_column_that_no_query_named_is_an_error_in_a_kept_view() -> None:
    query = "SELECT lowest_free_pct FROM buffer_pool"
    # Over many rows a temporary view for one reader and a table for two; over few rows always a table.
    for queries, small in (([query], False), ([query, query], False), ([query], True)):
        with open_database(arrow({"qpst": [{"pool_id": 1}]}, 60_000_000), views=False) as db:
            db.is_small = small
            assert keep(db, queries) == {}
            assert ("buffer_pool" in db.kept) == (small or len(queries) == 2)
            with pytest.raises(duckdb.BinderException, match="pool_id"):
                db.execute("SELECT pool_id FROM buffer_pool")


def test_columns_of_tables_are_named_in_lower_case() -> None:
    """The scan compares names in lower case."""
    assert all(column == column.lower() for columns in table_columns().values() for column in columns)


@pytest.mark.parametrize("seed", [1, 2])
def test_queries_of_one_database_may_follow_in_any_order(seed: int) -> None:
    """What an earlier query had computed of a view never lacks what a later one reads, and the other way round."""
    texts = [unit.text for unit in sqlfile.reports().values()]
    texts += [f'SELECT * FROM "{view}"' for view in sqlfile.views()]
    random.Random(seed).shuffle(texts)
    with open_database({}, views=False) as db:
        for text in texts:
            ask(db, text)
        assert db.failed == {}
