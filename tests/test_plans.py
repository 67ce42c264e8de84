"""Views that are computed once give the figures of views that are not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mqstat import sqlfile
from mqstat.database import Database, open_database
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.plans import ask, keep, release
from mqstat.rules import run_rules
from tests.support import arrow, file_of, reading


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The accounting scenario with all views as they are."""
    folder = tmp_path_factory.mktemp("plans")
    with reading(file_of(SCENARIOS["accounting_day"].build(), folder), views=True) as db:
        yield db


def rows(db: Database, name: str) -> list[tuple[object, ...]]:
    """All rows of a report; numbers to twelve digits, since sums of fractions depend on the order of the rows."""
    found = db.execute(sqlfile.reports()[name].text).fetchall()
    return [tuple(float(f"{value:.12g}") if isinstance(value, float) else value for value in row) for row in found]


def test_reports_over_kept_views_have_the_same_rows(plain: Database) -> None:
    run_rules(plain)
    release(plain)
    before = {name: rows(plain, name) for name in sqlfile.reports()}
    run_rules(plain)
    for name, expected in before.items():
        keep(plain, [sqlfile.reports()[name].text])
        assert rows(plain, name) == expected, name
    release(plain)


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
