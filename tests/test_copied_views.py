"""Over much data the views over few rows are copied, as all views are over little data, and so are views with many readers."""

from __future__ import annotations

import pytest

from mqstat.sql import database, plans
from mqstat.sql.database import open_database
from mqstat.sql.plans import MANY_READERS, have_few_rows, keep
from tests.support import arrow

POOLS = "SELECT lowest_free_pct FROM buffer_pool"
TASKS = "SELECT record_id FROM task_identity"  # its header has `keep = false`
MINUTE = 60_000_000


@pytest.fixture(autouse=True)
def much_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_is_small", lambda given: False)


def test_the_size_of_its_tables_decides_whether_a_view_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_database(arrow({"qpst": [{"pool_id": 1}], "wtid": [{}] * 3}, MINUTE), views=False) as db:
        of_pools = sum(db.sizes.get(name, 0) for name in ("record", "qpst"))
        monkeypatch.setattr(plans, "FEW_ROWS", of_pools)
        db.sizes["wtid"] = of_pools + 1
        assert have_few_rows(db, ["buffer_pool"])
        assert not have_few_rows(db, ["buffer_pool", "task_identity"])
        assert not have_few_rows(db, ["decoded.wtid"])
        assert keep(db, [POOLS, TASKS]) == {}
        assert "buffer_pool" in db.kept
        assert "task_identity" in db.seen


def test_a_view_with_many_readers_is_copied_up_to_a_larger_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "FEW_ROWS", -1)
    for limit, readers, copied in (
        (1 << 20, MANY_READERS, True),
        (1 << 20, MANY_READERS - 1, False),
        (-1, MANY_READERS, False),
    ):
        monkeypatch.setattr(plans, "COPIED_FOR_MANY", limit)
        with open_database(arrow({"wtid": [{}] * 3}, MINUTE), views=False) as db:
            assert keep(db, [TASKS] * readers) == {}
            assert ("task_identity" in db.kept) is copied
            assert ("task_identity" in db.seen) is not copied
