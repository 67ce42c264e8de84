"""Published worked examples about queues: the counters go through the decoded tables, the figures come out of the
reports of area queue.

The figures are read from the catalogue (MQSTAT_CATALOGUE); without it these tests skip.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqstat.sql import sqlfile
from tests.support import reading
from tests.test_published_shared import expected, given, opened, report, use


def private(**values: Any) -> dict[str, Any]:
    """A block of class 3 accounting of a private queue without an index."""
    other = {
        "cf_structure": None,
        "queue_disposition": "QMgr",
        "queue_disposition_code": 0,
        "has_cf": False,
        "queue_type_code": 1,
        "browses_specific": 0,
    }
    return use("PRIVATE.QUEUE", **{**other, "index_type": "None", **values})  # fmt: skip


def test_published_gets_that_skip_messages() -> None:
    field, wanted = given("get-skips"), expected("get-skips")
    gets = field["wq.getn"]
    block = private(
        gets=gets, valid_gets=gets, gets_specific=gets, get_et_us=gets * field["get_et_us"], get_cpu_us=gets * field["get_ct_us"],
        messages_skipped=field["wq.getsmsg"], pages_skipped=field["wq.getepage"],
    )  # fmt: skip
    with opened(wq=[block]) as db:
        row = report(db, "queue/index_advisor")
        total = report(db, "queue/all")
    got = {
        "skips_per_get": row["skipped_per_get"], "us_per_skip": row["cpu_per_skip_us"], "cpu_ms_per_get": row["average_get_cpu_us"] / 1000,
        "cpu_s": total["get_cpu_us"] / 1e6, "elapsed_s": total["get_et_us"] / 1e6,
    }  # fmt: skip
    assert got == pytest.approx(wanted)
    assert row["advice_text"] == "define INDXTYPE"
    assert row["command_text"].startswith("ALTER QLOCAL('PRIVATE.QUEUE') INDXTYPE(")
    assert row["scan_cpu_s"] == pytest.approx(wanted["cpu_s"] - gets * row["expected_get_cpu_us"] / 1e6)


def test_published_open_of_a_temporary_queue() -> None:
    field = given("temporary-queue-open")
    block = private(
        open_name="REPLY.MODEL", base_name="REPLY.C0FFEE0123456789", opens=10,
        **{f"open_{part}_us": 10 * field[f"{name}_us"] for part, name in (("et", "et"), ("cpu", "ct"), ("suspend", "suspend"))},
    )  # fmt: skip
    with opened(wq=[block, {**block, "base_name": "REPLY.C0FFEE0123456790", "section": 1}]) as db:
        row = report(db, "queue/temporary_dynamic")
        together = report(db, "queue/all")
    assert (
        row["average_open_cpu_us"] + row["average_open_suspend_us"]
        == expected("temporary-queue-open")["cpu_plus_suspend_us"]
    )
    assert row["average_open_et_us"] == field["et_us"]
    assert row["open_suspend_share_pct"] == pytest.approx(100 * field["suspend_us"] / field["et_us"])
    assert (row["model_queue"], row["temporary_queues"]) == ("REPLY.MODEL", 2)
    assert (together["base_name"], together["queue_names"], together["opens"]) == ("REPLY.*", 2, 20)


def test_published_gets_that_return_nothing() -> None:
    field, wanted = given("get-waste-ratio"), expected("get-waste-ratio")
    with opened(wq=[private(gets=field["gets"], valid_gets=field["valid_gets"], get_cpu_us=field["gets"])]) as db:
        row = report(db, "queue/get_waste")
    got = {
        "gets_per_valid_get": row["gets_per_valid_get"], "failed_gets_per_valid_get": row["gets_without_message"] / row["valid_gets"],
        "valid_pct": row["valid_get_pct"],
    }  # fmt: skip
    assert got == pytest.approx(wanted)
    assert row["empty_get_cpu_s"] == pytest.approx(row["gets_without_message"] / 1e6)


def test_published_cost_of_waiting_getters() -> None:
    waiters = given("waiting-getters")["waiters"]
    with opened(wq=[private(gets=1)], qqst=[{"queue": "PRIVATE.QUEUE", "get_wait_redrives": waiters}]) as db:
        row = report(db, "queue/get_waste")
    assert row["waiter_cpu_s"] * 1e6 == pytest.approx(expected("waiting-getters")["extra_us"])


def test_published_saving_of_a_handle_kept_open() -> None:
    field = given("open-put-close-saving")
    opens = field["opens"]
    block = private(
        opens=opens, closes=opens, puts=opens, valid_puts=opens, open_cpu_us=opens * field["open_us"], close_cpu_us=opens * field["close_us"]
    )  # fmt: skip
    with opened(wq=[block]) as db:
        row = report(db, "queue/open_patterns")
    assert row["open_saving_cpu_s"] * 1000 == pytest.approx(expected("open-put-close-saving")["saving_ms"])
    assert row["pattern"] == "open, put, close"


def test_cpu_of_queues_adds_up_on_real_dumps(dump: Path) -> None:
    """Queues and calls without a queue: no call counts twice, and the shares of a queue manager are 100 %."""
    with reading(dump) as db:
        shown = db.ask_rows(
            f"SELECT lpar, qmgr, row_kind, queue_mq_cpu_us, share_of_cpu_pct FROM ({sqlfile.reports()['queue/cpu'].text})",
        )
        ((tasks,),) = db.ask("SELECT sum(mq_cpu_us) FROM task").fetchall()
        ((lost,),) = db.ask("SELECT sum(queue_mq_cpu_us) FROM queue_use WHERE task_record_id IS NULL").fetchall()
    if not shown:
        pytest.skip("the dump has no class 3 accounting")
    seen = sum(row["queue_mq_cpu_us"] for row in shown if row["row_kind"] in ("queue", "calls without a queue"))
    assert seen == (tasks or 0) + (lost or 0)
    for owner in {(row["lpar"], row["qmgr"]) for row in shown}:
        shares = [row["share_of_cpu_pct"] for row in shown if (row["lpar"], row["qmgr"]) == owner]
        assert sum(filter(None, shares)) == pytest.approx(100)
