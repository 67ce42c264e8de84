"""Views that are computed once give the same figures as other views, and headers name what they read."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import duckdb
import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.engine import run_rules
from mqstat.sql import sqlfile
from mqstat.sql.needs import HEAD_VIEWS, MONITOR_VIEWS, health_columns, rule_needs
from mqstat.sql.schemas import quoted
from mqstat.sql.workspace import Workspace
from tests.opening import open_database
from tests.support import arrow, file_of, reading


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The accounting scenario with all views as they are."""
    folder = tmp_path_factory.mktemp("plans")
    with reading(file_of(SCENARIOS["accounting_day"].build(), folder), views=True) as db:
        yield db


def rows(db: Workspace, name: str) -> list[tuple[object, ...]]:
    """All rows of a report; numbers to twelve digits, since sums of fractions depend on the order of the rows."""
    fetched = db.execute(sqlfile.reports()[name].text).fetchall()
    return [tuple(float(f"{value:.12g}") if isinstance(value, float) else value for value in row) for row in fetched]


OFTEN = 4
"""A view that more other views read is a table in `plain`, else reports that read it through several others take
seconds to compile."""


def test_reports_over_kept_views_have_the_same_rows(plain: Workspace) -> None:
    run_rules(plain)
    kept: dict[str, list[tuple[object, ...]]] = {}
    names = list(sqlfile.reports())
    for part in (names[::2], names[1::2]):  # the second part reads views that were kept for the first
        plain.keep([sqlfile.reports()[name].text for name in part])
        kept |= {name: rows(plain, name) for name in part}
    plain.release()
    readers = Counter(need for view in sqlfile.views().values() for need in set(view.needs))
    whole = [view for view in sqlfile.views().values() if readers[view.id] > OFTEN]
    for view in whole:
        plain.execute(f"CREATE TEMP TABLE {quoted(view.id)} AS {view.select}")
    for name in names:
        assert rows(plain, name) == kept[name], name
    for view in whole:
        plain.execute(f"DROP TABLE temp.{quoted(view.id)}")


def test_a_view_that_a_query_read_alone_is_computed_for_several() -> None:
    """Over many rows: first a view, then a table."""
    with open_database(
        arrow({"qpst": [{"pool_id": 1, "buffers": 200, "lowest_stealable": 50}]}, 60_000_000), views=False
    ) as db:
        db.is_small = False
        assert db.ask("SELECT lowest_free_pct FROM buffer_pool").fetchall() == [(25.0,)]
        assert "buffer_pool" in db.seen
        assert db.keep([["buffer_pool"], ["buffer_pool"]]) == {}
        assert "buffer_pool" in db.kept
        assert "buffer_pool" not in db.seen
        assert db.ask("SELECT pool_id, buffers, lowest_free_pct FROM buffer_pool").fetchall() == [(1, 200, 25.0)]


def test_a_view_that_fails_is_named_and_the_others_are_kept() -> None:
    with open_database({}, views=False) as db:
        db.execute("DROP TABLE decoded.qpst")
        failed = db.keep(map(rule_needs, sqlfile.rules().values()))
        assert "buffer_pool" in failed
        assert "log" in db.kept


# ------------------------------------------------------------------------------------------------------- decoded tables


def parameters(connection: duckdb.DuckDBPyConnection, sql: str) -> set[str]:
    """The named parameters of a query."""
    if "$" not in sql:
        return set()
    return {name for statement in connection.extract_statements(sql) for name in statement.named_parameters}


def test_reports_directly_from_a_dump_decode_what_rules_reports_and_pictures_read() -> None:
    """Over these tables and no others, every query of a report finds all that it names."""
    units = [unit for units in (sqlfile.reports(), sqlfile.pictures()) for unit in units.values()]
    rules = sqlfile.rules().values()
    with open_database({}, views=False, decoded=health_columns()) as db:
        needs = [*map(rule_needs, rules), *(unit.needs for unit in units)]
        assert db.keep([*needs, *HEAD_VIEWS, *MONITOR_VIEWS]) == {}
        head = [f"FROM {view}" for views in (*HEAD_VIEWS, *MONITOR_VIEWS) for view in views]
        for text in [*(unit.text for unit in (*rules, *units)), *head]:
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


def test_a_view_is_computed_for_several_readers_or_over_few_rows() -> None:
    query = "SELECT lowest_free_pct FROM buffer_pool"
    for queries, small in (([query], False), ([query, query], False), ([query], True)):
        with open_database(arrow({"qpst": [{"pool_id": 1}]}, 60_000_000), views=False) as db:
            db.is_small = small
            assert db.keep(queries) == {}
            assert ("buffer_pool" in db.kept) == (small or len(queries) == 2)


@pytest.mark.parametrize("seed", [1, 2])
def test_queries_of_one_database_may_follow_in_any_order(seed: int) -> None:
    """What an earlier query had computed of a view never lacks what a later one reads, and the other way round."""
    texts = [unit.text for unit in sqlfile.reports().values()]
    texts += [f'SELECT * FROM "{view}"' for view in sqlfile.views()]
    random.Random(seed).shuffle(texts)
    with open_database({}, views=False) as db:
        for text in texts:
            db.ask(text)
        assert db.failed == {}
