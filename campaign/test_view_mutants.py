"""The oracle notices mutants of views (campaign/view_mutants.py)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from campaign.view_mutants import compared_views, equivalent, mutants, survivors
from mqstat.sql import sqlfile
from tests import oracle
from tests.oracle_data import opened, rows_of

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
GROUPS = 60
"""The views are tried in so many groups, as all data are opened for each group."""
MOST_ALIVE = 0.05
"""Share of the mutants that may be left unnoticed; it only gets lower."""
LUCK = 3
"""In one group so many more may be left: a view whose rows are rare in all data may have them all."""
PART = 10
"""One of so many mutants of each view is tried; `python -m campaign.view_mutants` tries all."""


@pytest.mark.parametrize("name", CHANGED)
def test_a_change_that_was_not_noticed_is_noticed(name: str) -> None:
    view, old, new = CHANGED[name]
    body = sqlfile.views()[view].select
    assert body.count(old) == 1, body.count(old)
    with opened("rich_estate", "differ") as db:
        db.keep_named(sqlfile.with_views_below(view))
        data = oracle.Data(db.execute)
        assert not oracle.check(view, data, rows_of(db, view)).differences
        assert oracle.check(view, data, rows_of(db, view, body.replace(old, new))).differences


def test_a_view_has_mutants_of_every_kind() -> None:
    found = {mutant.what for mutant in mutants("page_set")}
    for part in ("262144 ->", "<->", "turned", "without", "always", "max(buffers) -> min", "total_pages -> "):
        assert any(part in what for what in found), part


@pytest.mark.parametrize("group", range(GROUPS))
def test_mutants_of_views_are_noticed(group: int, record_property: Callable[[str, object], None]) -> None:
    number, left = survivors(compared_views()[group::GROUPS], part=PART)
    stated = equivalent()
    alive = [f"{mutant.view}: {mutant.what}" for mutant in left if mutant.what not in stated.get(mutant.view, {})]
    record_property("mutants of views", number)
    record_property("left, with those that mean the same", len(left))
    assert number > 0
    assert len(alive) <= MOST_ALIVE * number + LUCK, "\n".join(alive)
