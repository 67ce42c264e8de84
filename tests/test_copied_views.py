"""Over much data the views over few rows are copied, as all views are over little data."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from typing import Any

import duckdb
import pytest

from mqstat.sql import opened, workspace
from mqstat.sql.workspace import Workspace
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


def test_a_view_that_runs_out_of_memory_is_computed_again_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    execute = Workspace.execute
    failed: list[str] = []

    def first_out_of_memory(
        self: Workspace, sql: str, parameters: Mapping[str, Any] | None = None
    ) -> duckdb.DuckDBPyConnection:
        if '"buffer_pool"' in sql and not failed:
            failed.append(sql)
            raise duckdb.OutOfMemoryException("out of memory")
        return execute(self, sql, parameters)

    monkeypatch.setattr(Workspace, "execute", first_out_of_memory)
    with open_database(arrow({"qpst": [{"pool_id": 1}]}, MINUTE), views=False) as db:
        assert db.keep([POOLS]) == {}
        assert failed
        assert db.rows("SELECT count(*) AS pools FROM buffer_pool") == [{"pools": 1}]


def test_an_error_ends_the_tasks_of_both_connections() -> None:
    began: list[str] = []
    endless_runs = Event()

    def run(there: Workspace, task: str) -> None:
        began.append(task)
        if there is not db:
            endless_runs.set()
            there.execute("SELECT count(*) FROM range(1000000000) AS a, range(1000000000) AS b").fetchall()
        endless_runs.wait()
        raise ValueError(task)

    with open_database(arrow({"qpst": [{"pool_id": 1}]}, MINUTE), views=False) as db:
        with pytest.raises(ValueError, match=r"first|second"):
            db.share_out(["first", "second", "third", "fourth"], run)
        assert len(began) == 2
