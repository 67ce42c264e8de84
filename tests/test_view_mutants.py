"""The oracle notices mutants of views (tests/view_mutants.py)."""

from __future__ import annotations

import pytest

from mqstat.sql import plans, sqlfile
from tests import oracle
from tests.each import each
from tests.oracle_data import opened, rows_of
from tests.view_mutants import compared_views, equivalent, mutants, survivors

CHANGED = {
    "application hours without the GMT offset": (
        "task", " + to_minutes(coalesce(w.gmt_offset_minutes, 0)::BIGINT) - INTERVAL 1 SECOND", " - INTERVAL 1 SECOND"),
    "application hours in GMT are those in local time": ("task", " - to_minutes(coalesce(q.gmt_offset_minutes, 0)::BIGINT) AS task_hour_start_utc", " AS task_hour_start_utc"),
    "the longest times of SSKT requests are exchanged": (
        "db2_request", "sskt_select_sql_longest_us, sskt_insert_sql_longest_us", "sskt_insert_sql_longest_us, sskt_select_sql_longest_us"),
    "encryption costs pages of 8 KB": ("encryption_hour", "sum(smds_write_pages::DOUBLE * ci_bytes / 4096)", "sum(smds_write_pages::DOUBLE * ci_bytes / 8192)"),
    "gets without a message are all failed gets": ("queue_statistics", "q.gets_no_message / nullif(q.destructive_gets, 0)", "q.get_failures / nullif(q.destructive_gets, 0)"),
    "a page set has the number of its pool": ("page_set", "q.page_set_id, q.pool_id, q.total_pages", "q.pool_id AS page_set_id, q.pool_id, q.total_pages"),
}  # fmt: skip
"""Changes that no test noticed once: view, and what becomes what in its SQL."""
MOST_ALIVE = 0.05
"""Share of the mutants that may be left unnoticed; it only gets lower."""
PART = 10
"""`make test-all` tries one of so many mutants of each view; `python -m tests.view_mutants` tries all."""


@each(CHANGED)
@pytest.mark.slow
def test_a_change_that_was_not_noticed_is_noticed(name: str) -> None:
    view, old, new = CHANGED[name]
    body = sqlfile.views()[view].body.rstrip(";")
    assert body.count(old) == 1, body.count(old)
    with opened("rich_estate", "differ") as db:
        plans.keep_named(db, sqlfile.with_views_below(view))
        data = oracle.Data(db.execute)
        assert not oracle.check(view, data, rows_of(db, view)).differences
        assert oracle.check(view, data, rows_of(db, view, body.replace(old, new))).differences


def test_a_view_has_mutants_of_every_kind() -> None:
    found = {mutant.what for mutant in mutants("page_set")}
    for part in ("262144 ->", "<->", "turned", "without", "always", "max(buffers) -> min", "total_pages -> "):
        assert any(part in what for what in found), part


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])
def test_mutants_of_views_are_noticed(half: int) -> None:
    number, left = survivors(compared_views()[half::2], part=PART)
    stated = equivalent()
    alive = [f"{mutant.view}: {mutant.what}" for mutant in left if mutant.what not in stated.get(mutant.view, {})]
    assert number > 500
    assert len(alive) <= MOST_ALIVE * number, "\n".join(alive)
