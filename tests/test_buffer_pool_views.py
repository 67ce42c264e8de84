"""The helper views of the buffer pools: merged intervals, usual values, the period, the bar, page set 0, lifetimes, and
view page_set.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mqstat.fixtures.day import DAY
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.objects import Overrides, PageSet, Pool
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.sql.site import parse_site
from tests.shared_database import over
from tests.support import decode_bytes

Values = dict[str, Any]

ONE_POOL = QueueManager(pools=(Pool(0, 20_000, 0.05), Pool(3, 1_000, 0.95)))


def records(
    overrides: Sequence[Overrides],
    seconds: float = 1800,
    owner: QueueManager = ONE_POOL,
    *,
    kinds: Sequence[int] = (215,),
    gap_after: int = -1,
    started: Sequence[int] = (),
) -> list[bytes]:
    """Consecutive intervals of this length, with two hours missing after the interval `gap_after`; the queue manager
    starts in those `started`.
    """
    out, start = [], DAY + dt.timedelta(hours=10)
    for number, changes in enumerate(overrides):
        extra = (240,) if number in started else ()
        out += owner.interval(start, seconds, overrides=changes, kinds=kinds, extra_subtypes=extra)
        start += dt.timedelta(seconds=seconds, hours=2 * (number == gap_after))
    return out


def pool_3(**values: Any) -> Overrides:
    """An interval with changes in pool 3."""
    return {"qpst": {3: values}}


def rows(dump: list[bytes], folder: Path, query: str, site: str = "") -> list[tuple[Any, ...]]:
    """A query over the views of these records."""
    folder.mkdir(exist_ok=True)
    tables, _ = decode_bytes(smf_file(dump), folder)
    with over(tables, parse_site(site, "site.toml")) as database:
        return database.ask(query).fetchall()


MERGED = "SELECT merged_intervals, interval_seconds, current_stealable FROM buffer_pool_merged WHERE pool_id = 3 ORDER BY interval_start_utc"


@pytest.mark.parametrize(
    ("seconds", "many", "merged", "free"),
    [
        (60, 12, 5, [5, 10]),
        (120, 6, 3, [3, 6]),
        (150, 5, 2, [2, 4]),
        (290, 3, 1, [1, 2, 3]),
        (284, 4, 2, [2, 4]),
        (300, 2, 1, [1, 2]),
        (1800, 2, 1, [1, 2]),
    ],
)
def test_short_intervals_are_merged(seconds: float, many: int, merged: int, free: list[int], tmp_path: Path) -> None:
    dump = records([pool_3(current_stealable=number + 1) for number in range(many)], seconds)
    assert rows(dump, tmp_path, MERGED) == [(merged, merged * seconds, count) for count in free]


def test_intervals_are_not_merged_over_a_gap(tmp_path: Path) -> None:
    dump = records([pool_3(current_stealable=number + 1) for number in range(9)], 100, gap_after=3)
    assert rows(dump, tmp_path, MERGED) == [(3, 300, 3), (3, 300, 7)]


def test_usual_is_the_median_without_the_start(tmp_path: Path) -> None:
    gets = (900_000, 180, 180, 1_800, 180_000, 18_000, 18_000)
    dump = records([pool_3(page_gets_old=count, page_gets_new=0, set_writes=0) for count in gets], started=[0])
    result = rows(
        dump,
        tmp_path,
        "SELECT pool_intervals, page_gets_old_usual_per_s, page_gets_old_times_usual, looks_like_scan FROM buffer_pool_usual "
        "WHERE pool_id = 3 ORDER BY interval_start_utc",
    )
    usual = (1_800 + 18_000) / 2 / 1800
    assert [row[:2] for row in result] == [(6, pytest.approx(usual))] * 7
    assert result[4][2:] == (pytest.approx(100 / usual), False)  # of six intervals nothing is called a scan


def test_the_period_leaves_starts_out_of_shares_but_not_out_of_sums(tmp_path: Path) -> None:
    overrides = [
        pool_3(lowest_stealable=10, pages_read=500, synchronous_write_hits=1),
        pool_3(lowest_stealable=140, pages_read=30, deferred_write_starts=1),
        pool_3(lowest_stealable=900),
        pool_3(lowest_stealable=400),
    ]
    (result,) = rows(
        records(overrides, started=[0]),
        tmp_path,
        "SELECT intervals, restarts, lowest_free_pct_min, share_below_15_pct, share_below_5_pct, highest_used_pct_max, pages_read, "
        "intervals_with_synchronous_writes, intervals_with_reads, buffers_for_15pct_free, period_hours, days_covered, health "
        "FROM buffer_pool_period WHERE pool_id = 3",
    )
    assert result == (4, 1, 14, pytest.approx(100 / 3), 0, 86, 530, 1, 2, 1012, 2, 0.1, "critical")


@pytest.mark.parametrize(
    ("role", "health"), [("", "ok"), ("short", "warning"), ("bulk", "ok")]
)  # fmt: skip
def test_pools_for_short_lived_messages_are_judged_by_any_read(role: str, health: str, tmp_path: Path) -> None:
    site = f'[site]\npool_role = {{ 3 = "{role}" }}' if role else ""
    query = "SELECT health FROM buffer_pool_period WHERE pool_id = 3"
    assert rows(records([pool_3(pages_read=1)]), tmp_path, query, site) == [(health,)]


def test_a_pool_that_was_altered_shows_its_last_size(tmp_path: Path) -> None:
    dump = records([pool_3(buffers=1_000), pool_3(buffers=2_000), pool_3(buffers=0, lowest_stealable=None)])
    query = "SELECT buffers_now, buffers_changed, intervals FROM buffer_pool_period WHERE pool_id = 3"
    assert rows(dump, tmp_path, query) == [(2_000, True, 2)]


def test_pools_below_the_bar_are_those_of_the_last_interval(tmp_path: Path) -> None:
    below, above = {"above_bar": False}, {"above_bar": True}
    overrides: list[Overrides] = [{"qpst": {0: below, 3: below}}, {"qpst": {0: below, 3: above}}]
    query = "SELECT below_bar_pools, below_bar_pool_list, below_bar_mib, highest_mq_level FROM buffer_pool_below_bar"
    assert rows(records(overrides), tmp_path, query) == [(1, "0", 20_000 / 256, 100000)]
    assert rows(records(overrides), tmp_path / "more", "SELECT * FROM buffer_pool_region") == []
    dump = records(overrides, kinds=(7, 215))
    query = "SELECT round(below_bar_region_pct * region_31_bytes / 100 / 4096) FROM buffer_pool_region"
    assert rows(dump, tmp_path / "region", query) == [(20_000,)]


def test_the_region_of_pools_below_the_bar_is_that_of_their_interval(tmp_path: Path) -> None:
    """A restart changes the region: its size counts in the last interval with pools, or in the nearest one; the pools
    were larger before.
    """
    overrides: list[Overrides] = [
        {"qpst": {0: {"above_bar": False, "buffers": buffers}, 3: {"above_bar": True}}, "qsrs": {"region_31_bytes": region}}
        for buffers, region in ((20_000, 1_600_000_000), (20_000, 1_500_000_000), (16_384, 1_342_177_280))
    ]  # fmt: skip
    query = "SELECT below_bar_mib, region_31_bytes, below_bar_region_pct FROM buffer_pool_region"
    dump = records(overrides, kinds=(1, 7, 215))
    assert rows(dump, tmp_path, query) == [(64, 1_342_177_280, 5)]
    without_last = [*dump[:7], *dump[8:]]
    assert rows(without_last, tmp_path / "without", query) == [(64, 1_500_000_000, pytest.approx(4.4739243))]


TWO_PAGE_SETS = QueueManager(
    pools=(Pool(0, 20_000, 0.05), Pool(3, 1_000, 0.95)),
    page_sets=(PageSet(0, 0, 5_000), PageSet(3, 3, 400), PageSet(4, 3, 600)),
)


def test_page_sets_of_a_pool(tmp_path: Path) -> None:
    overrides: list[Overrides] = [
        {"qis1": {3: {"immediate_write_ios": 9, "read_ios": 0}, 4: {"immediate_write_ios": 2, "read_ios": 90_000}}},
        {"qis1": {4: {"status": "Offline"}}},
    ]
    dump = records(overrides, owner=TWO_PAGE_SETS, kinds=(201, 215))
    query = (
        "SELECT page_sets_on_pool, page_set_pages_on_pool, immediate_write_page_set, busiest_page_set, buffers_at_105pct "
        "FROM buffer_pool WHERE pool_id = 3 ORDER BY interval_start_utc"
    )
    first, second = rows(dump, tmp_path, query)
    assert first == (2, 1_000, 3, 4, None)
    assert second[:2] == (1, 400)
    assert second[4] == 420
    query = "SELECT page_set_cover_ratio FROM buffer_pool_single_page_set WHERE pool_id = 3"
    assert rows(dump, tmp_path / "single", query) == [(2.5,)]


def test_page_sets_have_the_figures_of_their_pool(tmp_path: Path) -> None:
    values = {
        "total_pages": 1_000, "unused_pages": 700, "persistent_pages": 200, "nonpersistent_pages": 90, "put_cursor_high": 16_618_756, "encrypted": True,
        "deferred_write_ios": 10, "deferred_write_pages": 160, "deferred_write_us": 20_000, "immediate_write_ios": 5, "immediate_write_pages": 5,
        "immediate_write_us": 1_500, "read_ios": 0, "read_pages": 0, "read_us": 0, "checkpoint_pages": 100,
    }  # fmt: skip
    dump = records(
        [{"qis1": {3: values}, "qpst": {3: {"lowest_stealable": 250}}}], kinds=(201, 215), owner=TWO_PAGE_SETS
    )
    query = (
        "SELECT used_pages, used_pct, identity_error_pages, pages_written_outside_checkpoint, average_deferred_write_us, average_immediate_write_us, "
        "average_read_us, pages_per_deferred_write, page_set_io_count, put_cursor_page, encryption_cpu_us, buffers, lowest_free_pct "
        "FROM page_set WHERE page_set_id = 3"
    )
    assert rows(dump, tmp_path, query) == [
        (300, 30, 10, 65, 2_000, 300, None, 16, 15, 64_917, pytest.approx(0.7 * 5 + 2.6 * 160), 1_000, 25)
    ]


def test_page_set_zero_grows_from_its_smallest(tmp_path: Path) -> None:
    overrides: list[Overrides] = [
        {"qis1": {0: {"persistent_pages": pages, "nonpersistent_pages": 0}}} for pages in (700, 300, 900, 200, 250)
    ]
    query = "SELECT place, message_pages, grown_pages FROM buffer_pool_zero ORDER BY interval_start_utc"
    result = rows(records(overrides, kinds=(201, 215)), tmp_path, query)
    assert result == [("page set 0", p, g) for p, g in ((700, 0), (300, 0), (900, 600), (200, 0), (250, 50))]
    # Queue statistics, if available, identify the queue.
    assert rows(records(overrides, kinds=(201, 215, 216)), tmp_path / "queues", query) == []


def test_lifetimes_in_checkpoint_intervals(tmp_path: Path) -> None:
    overrides: list[Overrides] = [
        {
            "qjst": {"checkpoints": count},
            "qqst": {
                "ORDERS.ENTRY": {"queue_time_long_us": 999_999_999, "oldest_message_s": 7_200},
                "ORDERS.FULFIL": {"queue_time_long_us": 180_000_000, "oldest_message_s": 0},
                "AUDIT.TRAIL": {"queue_time_long_us": 0},
            },
        }
        for count in (0, 1)
    ]
    query = (
        "SELECT queue, period_minutes_per_checkpoint, time_on_queue_checkpoints, oldest_message_checkpoints "
        "FROM buffer_pool_lifetime WHERE pool_id = 3 ORDER BY interval_start_utc, queue"
    )
    result = rows(records(overrides, owner=QueueManager(), kinds=(1, 216)), tmp_path, query)
    assert result == [("ORDERS.ENTRY", 60, None, 2), ("ORDERS.FULFIL", 60, pytest.approx(0.05), 0)] * 2
