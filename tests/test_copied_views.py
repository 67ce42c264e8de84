"""Over much data the views over few rows are copied, as all views are over little data."""

from __future__ import annotations

import pytest

from mqstat.sql import database, plans
from mqstat.sql.database import open_database
from mqstat.sql.plans import have_few_rows, keep
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
