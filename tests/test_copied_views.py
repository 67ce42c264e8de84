"""Over much data the views over few rows are copied, as all views are over little data."""

from __future__ import annotations

import pytest

from mqstat.sql import opened, workspace
from tests.opening import open_database
from tests.support import arrow

POOLS = "SELECT lowest_free_pct FROM buffer_pool"
TASKS = "SELECT record_id FROM task_identity"  # its header has `keep = false`
MINUTE = 60_000_000


@pytest.fixture(autouse=True)
def much_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened.Opened, "is_small", False)


def test_the_size_of_its_tables_decides_whether_a_view_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_database(arrow({"qpst": [{"pool_id": 1}], "wtid": [{}] * 3}, MINUTE), views=False) as db:
        sizes = db.opened.sizes
        of_pools = sum(sizes.get(name, 0) for name in ("record", "qpst"))
        monkeypatch.setattr(workspace, "FEW_CELLS", of_pools)
        monkeypatch.setitem(db.opened.__dict__, "sizes", {**sizes, "wtid": of_pools + 1})
        assert db.have_few_rows(["buffer_pool"])
        assert not db.have_few_rows(["buffer_pool", "task_identity"])
        assert not db.have_few_rows(["decoded.wtid"])
        assert db.keep([POOLS, TASKS]) == {}
        assert "buffer_pool" in db.kept
        assert "task_identity" in db.seen
