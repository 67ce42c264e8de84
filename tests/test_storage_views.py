"""The views of storage: pools add up to the totals of the region, and the trend begins at the last start."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mqstat.fixtures.day import DAY
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import short_on_storage
from mqstat.sql import sqlfile
from tests.shared_database import over
from tests.support import decode_bytes, decode_file

MIB = 1 << 20
OWNER = QueueManager(pool_headers=4, getmains=4)
TOTALS = """
SELECT r.global_fixed_pool_bytes, r.global_variable_pool_bytes, r.local_fixed_pool_bytes, r.local_variable_pool_bytes, p.*
FROM storage_region AS r
JOIN (
  SELECT
    qmgr, interval_start_utc,
    1024 * sum(pool_kib) FILTER (pool_global AND pool_fixed) AS global_fixed, 1024 * sum(pool_kib) FILTER (pool_global AND NOT pool_fixed) AS global_variable,
    1024 * sum(pool_kib) FILTER (NOT pool_global AND pool_fixed) AS local_fixed, 1024 * sum(pool_kib) FILTER (NOT pool_global AND NOT pool_fixed) AS local_variable
  FROM storage_pool
  WHERE NOT pool_64bit
  GROUP BY qmgr, interval_start_utc
) AS p ON p.qmgr = r.qmgr AND p.interval_start_utc = r.interval_start_utc
ORDER BY r.interval_start_utc
"""


def assert_pools_add_up(rows: Sequence[tuple[Any, ...]], intervals: int) -> None:
    """The four pool totals of each region record are the sums of the pools."""
    assert len(rows) == intervals
    for row in rows:
        assert row[:4] == row[6:]


def test_pools_add_up_to_the_totals_of_the_region(tmp_path: Path) -> None:
    tables, _ = decode_bytes(short_on_storage.build(), tmp_path)
    with over(tables) as database:
        assert_pools_add_up(database.ask(TOTALS).fetchall(), 7)
        shares = database.ask(
            "SELECT pool_64bit, interval_start_utc, sum(share_pct) FROM storage_pool GROUP BY ALL"
        ).fetchall()
        first = database.ask(
            f"SELECT pool_name, pool_growth_kib FROM ({sqlfile.reports()['storage/pools'].text})"
        ).fetchone()
    assert [total for _, _, total in shares] == pytest.approx([100.0] * 14)
    assert first == ("MMC SUBSCRIBER POOL", 580 * 1024), "what grew most is first"


def test_pools_of_a_real_dump_add_up_to_the_totals_of_the_region(dumps: Path) -> None:
    tables, _ = decode_file(dumps / "MQ10_MQ1O.dat")
    with over(tables) as database:
        rows = database.ask(TOTALS).fetchall()
    assert_pools_add_up(rows, 19)
    assert rows[0][:4] == (344_064, 126_976, 913_408, 909_312)


def thirds(used_mib: Sequence[int], *, start_at: int = 0, missing: int = -1) -> bytes:
    """Storage of three eight-hour intervals a day, with so much in use; the queue manager starts before interval
    `start_at`, one is missing.
    """
    out = []
    for number, used in enumerate(used_mib):
        if number == missing:
            continue
        values = {
            "available_31_bytes": (1_600 - used) * MIB,
            "user_31_bytes": (used - 100) * MIB,
            "region_31_bytes": 1_600 * MIB,
        }
        begin, seconds = DAY + number * dt.timedelta(hours=8), 8 * 3600.0
        if start_at and number == start_at:
            out += OWNER.interval(begin, 1.2, overrides={"qsrs": values}, kinds=[7, 1], extra_subtypes=(240,))
            begin, seconds = begin + dt.timedelta(seconds=2), seconds - 2
        out += OWNER.interval(begin, seconds, overrides={"qsrs": values}, kinds=[7, 1])
    return smf_file(out)


def growth(dump: bytes, folder: Path) -> tuple[Any, ...]:
    """Days of the trend, days of data, growth in MiB a day and days to the reserve."""
    tables, _ = decode_bytes(dump, folder)
    query = "SELECT days_used, data_days, growth_per_day, days_left FROM headroom WHERE limit_number = 3"
    with over(tables) as database:
        (row,) = database.ask(query).fetchall()
    return row


def test_growth_is_that_of_the_daily_maxima(tmp_path: Path) -> None:
    used = [300 + 20 * (number // 3) + (0, 50, 5)[number % 3] for number in range(45)]
    days, data, slope, left = growth(thirds(used), tmp_path)
    assert (days, data, slope) == (15, 15, 20.0)
    assert left == pytest.approx((1_600 - max(used) - 100) / 20)


def test_growth_before_the_last_start_does_not_count(tmp_path: Path) -> None:
    used = [300 + 90 * (number // 3) for number in range(18)] + [1_000 + 20 * (number // 3) for number in range(24)]
    days, data, slope, left = growth(thirds(used, start_at=18), tmp_path)
    assert (days, data, slope) == (8, 14, 20.0)
    assert left == pytest.approx((1_600 - used[-1] - 100) / 20)


def test_an_incomplete_day_and_shrinking_storage(tmp_path: Path) -> None:
    used = [700 - 10 * (number // 3) for number in range(45)]
    days, data, slope, left = growth(thirds(used, missing=4), tmp_path)
    assert (days, data, slope, left) == (14, 14, -10.0, None)


def test_the_report_has_the_days_of_the_headroom_view(tmp_path: Path) -> None:
    text = sqlfile.reports()["storage/region"].text
    for days, known in ((13, 0), (14, 42)):
        used = [900 + 20 * (number // 3) for number in range(3 * days)]
        tables, _ = decode_bytes(thirds(used), tmp_path)
        with over(tables) as database:
            (row,) = database.ask(f"SELECT count(days_to_sos), min(days_to_sos) FROM ({text})").fetchall()
        assert row[0] == known
        if known:
            assert row[1] == pytest.approx((1_600 - used[-1] - 100) / 20)
