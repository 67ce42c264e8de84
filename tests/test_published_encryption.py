"""Published worked examples about encryption and about opens of shared queues: the counters go through the decoded
tables, the figures come out of reports.

The figures are read from the catalogue (MQSTAT_CATALOGUE), which also holds those of real records; without it these
tests skip.
"""

from __future__ import annotations

from typing import Any

import pytest

from mqstat.sql.site import Site, parse_site
from tests.shared_database import over
from tests.support import arrow
from tests.test_published_shared import HALF_HOUR_US, expected, given, items, report, use

MIB_PAGES = 256
"""Control intervals of a MiB of log data."""

TESTED = (
    "page-set-encryption-cost", "log-encryption-cost", "log-encryption-workload", "encryption-io-calls", "shared-open-input", "shared-open-output",
)  # fmt: skip
OUTSIDE = {
    "smds-encryption-10mb-get": "a comparison of two test runs; the saving per page is in the application, which the report does not estimate",
    "ims-bridge-cost": "CPU use of an LPAR and transaction rates of test runs",
}
"""Items that the catalogue names for these areas and that need data from outside SMF 115 and 116, and which."""


def page_set(**pages: int) -> dict[str, Any]:
    """A decoded row of a page set with pages of some kinds of I/O."""
    zero = dict.fromkeys(("read_pages", "immediate_write_pages", "deferred_write_pages"), 0)
    return (
        {
            "page_set_id": 1,
            "pool_id": 1,
            "total_pages": 1_040_334,
            "status": "Available",
            "status_code": 0,
            "encrypted": True,
        }
        | zero
        | pages
    )


def cost(site: Site | None = None, **rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The row of encryption/cost of one interval."""
    with over(arrow(rows, HALF_HOUR_US), site) as db:
        return report(db, "encryption/cost")


def test_published_cost_of_an_encrypted_page_set() -> None:
    name = "page-set-encryption-cost"
    field, wanted = given(name), expected(name)
    read, immediate, deferred = (
        cost(qis1=[page_set(**{column: field[f"qis1.{key}"]})])
        for column, key in (("read_pages", "qis1getp"), ("immediate_write_pages", "qis1imwp"), ("deferred_write_pages", "qis1dwpp"))
    )  # fmt: skip
    assert {
        "get_us_total": 1e6 * read["page_set_cpu_s"],
        "imw_us_total": 1e6 * immediate["page_set_cpu_encrypted_s"],
        "write_s_total": deferred["total_cpu_now_s"],
    } == pytest.approx({key: wanted[key] for key in ("get_us_total", "imw_us_total", "write_s_total")})
    # 41.6 µs per I/O are 16 pages of 2.6 µs.
    assert deferred["page_set_cpu_s"] == pytest.approx(wanted["write_s_total_by_io"], rel=1e-3)


def log_cost(mib: int, copies: int, archive_copies: int) -> float:
    """CPU seconds of writing and offloading so much log data, all of it encrypted."""
    site = parse_site(f"[site]\narchive_copies = {archive_copies}", "site.toml")
    pages = mib * MIB_PAGES
    io = [
        {"section": 0, "log_copy": copy, "io_type": 1, "io_cis": pages, "io_count": pages} for copy in range(1, copies + 1)
    ]  # fmt: skip
    row = cost(site, qjst=[{"cis_created": pages, "cis_offloaded": pages, "has_log_io": True}], qjst_log_io=io)
    assert (row["active_copies"], row["archive_copies"]) == (copies, archive_copies)
    return float(row["log_cpu_s"])


def test_published_cost_of_encrypted_logs() -> None:
    wanted, mib = expected("log-encryption-cost"), given("log-encryption-cost")["mb"]
    total, active = log_cost(mib, 2, 2), log_cost(mib, 2, 0)
    assert {"total_s": total, "active_ms": 1e3 * active, "archive_ms": 1e3 * (total - active)} == pytest.approx(
        {key: wanted[key] for key in ("total_s", "active_ms", "archive_ms")}
    )


def test_published_cost_of_a_logging_workload_is_within_the_stated_accuracy() -> None:
    name = "log-encryption-workload"
    wanted, field = expected(name), given(name)
    total, active = 1e6 * log_cost(1, 2, 2), 1e6 * log_cost(1, 2, 0)
    measured = field["archive_encryption"] + field["active_encryption"]
    assert {
        "model_total": total, "model_active": active, "model_archive": total - active, "measured_total": measured,
        "measured_over_model_pct": 100 * (measured / total - 1),
    } == pytest.approx({key: wanted[key] for key in ("model_total", "model_active", "model_archive", "measured_total", "measured_over_model_pct")})  # fmt: skip
    assert measured <= 1.2 * total


def test_published_calls_for_each_logged_page() -> None:
    name = "encryption-io-calls"
    field = given(name)
    copies, archives = field["active_copies"], field["archive_copies"]
    active_us, archive_us = 180, 154
    total, plain = 1e6 * log_cost(1, copies, archives), 1e6 * log_cost(1, copies, 0)
    assert (total - plain) / archive_us + plain / active_us == pytest.approx(expected(name)["calls"])


@pytest.mark.parametrize("name", ["shared-open-input", "shared-open-output"])
def test_published_waits_of_opens_of_a_shared_queue(name: str) -> None:
    waits, cpu = {}, {}
    cases = [case for case in items()[name]["cases"] if "wait_us" in case["expected"]]
    for case in cases:
        times = {key: value["value"] for key, value in case["inputs"].items()}
        block = use(
            opens=1_000_000,
            open_et_us=times["openet_us"] * 1_000_000,
            open_cpu_us=times["openct_us"] * 1_000_000,
            queue_type_code=1,
        )
        with over(arrow({"wq": [block]}, HALF_HOUR_US)) as db:
            row = report(db, "cf/open_close")
        waits[case["name"]], cpu[case["name"]] = row["average_open_wait_us"], row["average_open_cpu_us"]
    assert waits == pytest.approx({case["name"]: case["expected"]["wait_us"]["value"] for case in cases})
    growth = next(
        (case["expected"] for case in items()[name]["cases"] if "growth_1_to_2_pct" in case["expected"]), None
    )
    if growth:
        one, two, three = cpu.values()
        alone, both, every = waits.values()
        assert {
            "growth_1_to_2_pct": 100 * (two / one - 1), "growth_2_to_3_pct": 100 * (three / two - 1), "wait_growth_2": both - alone, "wait_growth_3": every - both,
        } == pytest.approx({key: value["value"] for key, value in growth.items()})  # fmt: skip


def test_every_published_item_of_these_areas_is_tested_or_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    named = {*TESTED, *OUTSIDE}
    assert named <= set(items())
    with capsys.disabled():
        print(
            f"\npublished items of encryption, latch and ims: {len(TESTED)} reproduced, {len(OUTSIDE)} need other data"
        )
