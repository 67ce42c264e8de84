"""The helper views of the log: hours that slide over intervals of any length, stretches between log switches, copies,
and facts of the site.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mqstat.fixtures.day import DAY, morning
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.stories import log_switches, single_log, slow_log, zhyperlink, zhyperlink_logs
from mqstat.sql.site import parse_site
from tests.shared_database import over
from tests.support import decode_bytes

Values = dict[str, Any]


def records(
    changes: Sequence[Values], seconds: float = 1800, owner: QueueManager | None = None, gap_after: int = -1
) -> list[bytes]:
    """Log statistics of consecutive intervals of this length, with two hours missing after the interval `gap_after`."""
    out, start = [], DAY + dt.timedelta(hours=10)
    for number, values in enumerate(changes):
        quiet = {"checkpoints": 0, "new_logs_copy1": 0, "new_logs_copy2": 0}
        out += (owner or QueueManager()).interval(start, seconds, overrides={"qjst": quiet | values}, kinds=[1])
        start += dt.timedelta(seconds=seconds, hours=2 * (number == gap_after))
    return out


def rows(dump: list[bytes], folder: Path, view: str, columns: str, site: str = "") -> list[tuple[Any, ...]]:
    """Some columns of a view over these records, in the order of time."""
    tables, _ = decode_bytes(smf_file(dump), folder)
    order = "qmgr" if view in ("log_period", "log_restart") else "qmgr, interval_start_utc"
    with over(tables, parse_site(site, "site.toml")) as database:
        return database.ask(f"SELECT {columns} FROM {view} ORDER BY {order}").fetchall()


@pytest.mark.parametrize(
    ("seconds", "many", "length", "per_hour"),
    [
        (300.05, 14, 12 * 300.05, 12 / 1.000_166_67),
        (1792.885, 4, 2 * 1792.885, 2),
        (1800, 3, 3600, 2),
        (3600, 3, 3600, 1),
        (7200, 2, 7200, 0.5),
        (60, 5, 300, 5),
        (45 * 60, 3, 45 * 60, 1),
    ],
)
def test_the_hour_holds_the_intervals_that_fit(
    seconds: float, many: int, length: float, per_hour: float, tmp_path: Path
) -> None:
    dump = records([{"checkpoints": 1}] * many, seconds)
    result = rows(dump, tmp_path, "log_window", "window_seconds, checkpoints_per_hour")
    assert result[-1] == (pytest.approx(length), pytest.approx(per_hour))


def test_the_hour_does_not_reach_over_a_gap(tmp_path: Path) -> None:
    dump = records([{"checkpoints": 4}] * 5, gap_after=2)
    result = rows(dump, tmp_path, "log_window", "window_seconds, window_checkpoints")
    assert result == [(1800, 4), (3600, 8), (3600, 8), (1800, 4), (3600, 8)]


def test_one_switch_does_not_show_how_long_a_log_lasts(tmp_path: Path) -> None:
    dump = records([log_switches(count, 0) for count in (0, 1, 1, 3)])
    result = rows(dump, tmp_path, "log_window", "window_log_switches, seconds_per_log")
    assert result == [(0, None), (1, None), (2, 1800), (4, 900)]


@pytest.mark.parametrize(("seconds", "lasted"), [(1800, 1800 / 0.5), (1499, None)])
def test_before_9_1_2_the_declared_size_decides(seconds: float, lasted: float | None, tmp_path: Path) -> None:
    old = QueueManager(level="8.0.0")
    dump = records([{"cis_created": 12_800}], seconds, old)
    (result,) = rows(
        dump, tmp_path, "log_window", "seconds_per_log, seconds_per_log_by_switches", "[site]\nactive_log_mb = 100"
    )
    assert result == (lasted, False)


@pytest.mark.slow
def test_logload_shows_between_log_switches_only(tmp_path: Path) -> None:
    written = {"log_writes_wait": 0, "log_writes_nowait": 900_000, "log_writes_force": 100_000}
    checkpoint, no_checkpoint, switch = (
        written | {"checkpoints": 1},
        written,
        written | log_switches(1, 0, checkpoints=2),
    )
    wanted = "plain_checkpoints, plain_log_writes, logload_at_most"
    # Three checkpoints in four intervals; the switch and the two intervals after it, which hold one checkpoint, do not
    # count.
    assert rows(
        records([checkpoint, no_checkpoint, checkpoint, checkpoint, switch, no_checkpoint, checkpoint]),
        tmp_path,
        "log_period",
        wanted,
    ) == [(3, 4_000_000, 2e6)]
    # A gap divides: two stretches of two checkpoints.
    assert rows(
        records([checkpoint, checkpoint, checkpoint, checkpoint], gap_after=1), tmp_path, "log_period", wanted
    ) == [(4, 4_000_000, 2e6)]
    assert rows(records([no_checkpoint, checkpoint]), tmp_path, "log_period", wanted) == [(0, 0, None)]
    # 8.0 counts no checkpoint of a log switch, 9.0 does and cannot distinguish them.
    assert rows(
        records([checkpoint, checkpoint, checkpoint], owner=QueueManager(level="8.0.0")), tmp_path, "log_period", wanted
    ) == [(3, 3_000_000, 1.5e6)]
    assert rows(
        records([checkpoint, checkpoint, checkpoint], owner=QueueManager(level="9.0.0")), tmp_path, "log_period", wanted
    ) == [(None, None, None)]


def test_declared_logload_wins(tmp_path: Path) -> None:
    result = rows(records([{}]), tmp_path, "log_period", "logload_in_force, logload_basis", "[site]\nlogload = 500000")
    assert result == [(500_000, "according to the site file")]


def test_size_retention_and_archives_of_the_logs(tmp_path: Path) -> None:
    dump = records([{"cis_created": 256_000} | log_switches(2, 192_000)] * 4)
    wanted = "log_switches, log_size_at_most_mib, active_log_mib, retention_h, unarchived_logs, unarchived_mib, active_logs_seen"
    result = rows(dump, tmp_path, "log_period", wanted, "[site]\nactive_logs = 4\nactive_log_mb = 500")
    assert result == [(8, pytest.approx(4000 / 7), 2000, 1, 2, 1000, 1)]


@pytest.mark.parametrize(
    ("intervals", "level", "size"),
    [
        (
            [log_switches(2, 256_000)] * 4,
            "9.3.0",
            500,
        ),  # not by the allocations of data sets, of which each copy has one
        ([log_switches(2, 192_000)] * 4, "9.3.0", 4000 / 9),  # archives lag
        ([log_switches(2, 0)] * 4, "9.3.0", 4000 / 9),
        ([log_switches(2, 900_000)] * 4, "9.3.0", 4000 / 9),  # archives of older logs
        ([log_switches(0, 256_000)] * 4, "9.3.0", None),
        ([log_switches(2, 256_000)] * 4, "9.0.0", None),
        ([log_switches(2, 256_000)] * 4, "9.0.0 copies", 500),
    ],
)
def test_the_size_of_a_log_follows_from_switches(
    tmp_path: Path, intervals: Sequence[Any], level: str, size: float | None
) -> None:
    """Before 9.1.2 switches are not counted: then only the number of archive copies makes data sets to logs."""
    number, _, copies = level.partition(" ")
    dump = records([{"cis_created": 256_000} | each for each in intervals], owner=QueueManager(level=number))
    site = "[site]\narchive_copies = 2" if copies else ""
    assert rows(dump, tmp_path, "log_period", "log_size_mib", site) == [(size and pytest.approx(size),)]


def test_a_lost_copy_is_seen_whichever_it_is(tmp_path: Path) -> None:
    single = single_log()
    swapped = dict(single)
    for name, table in single.items():
        if isinstance(table, dict):
            swapped[name] = {(3 - copy, io_type): value for (copy, io_type), value in table.items()}
    wanted = "copy1_writes, copy2_writes, fuller_copy_writes, copies_differ_pct, both_copies_before"
    both = (15_400, 15_400, 15_400, 0, True)
    assert rows(records([slow_log(), single]), tmp_path, "log_copy_pair", wanted) == [
        both,
        (15_400, 0, 15_400, 100, True),
    ]
    assert rows(records([slow_log(), swapped]), tmp_path, "log_copy_pair", wanted) == [
        both,
        (0, 15_400, 15_400, 100, True),
    ]
    assert rows(records([single]), tmp_path, "log_copy_pair", wanted) == [(15_400, 0, 15_400, 100, False)]


def test_the_slower_copy_is_named(tmp_path: Path) -> None:
    dump = records([slow_log(copy1_us=600, copy2_us=300), slow_log(copy1_us=200, copy2_us=500)])
    wanted = "slower_copy, one_page_slower_ratio, one_page_fewest_writes, several_page_slower_ratio"
    assert rows(dump, tmp_path, "log_copy_pair", wanted) == [(1, 2, 14_000, 1), (2, 2.5, 14_000, 1)]


def test_write_sessions_of_all_queue_managers_and_others(tmp_path: Path) -> None:
    link = zhyperlink(1_000, 10, 2) | zhyperlink_logs(1)
    dump = records([link]) + records([link], owner=QueueManager("MQ02")) + records([{}], owner=QueueManager("MQ03"))
    site = "[site]\nlog_stripes = 4\nmetro_mirror = false\nzhl_other_sessions = 20\n[qmgr.MQ02]\nmetro_mirror = true"
    result = rows(dump, tmp_path, "log_period", "qmgr, zhl_used, zhl_write_sessions, zhl_sessions_together", site)
    assert result == [("MQ01", True, 8, 44), ("MQ02", True, 16, 44), ("MQ03", False, None, None)]


def test_rates_against_facts_of_the_site(tmp_path: Path) -> None:
    dump = records([zhyperlink(6_000_000, 0, 1, single_us=60)])
    site = "[site]\nlog_peak_mb_s = 52.083333333333336\nactive_log_mb = 1000\nzhl_pfids = 2"
    wanted = "busier_copy_mib_per_s, share_of_log_peak_pct, minutes_to_fill_one_log, zhl_path_busy_pct"
    (result,) = rows(dump, tmp_path, "log_site", wanted, site)
    assert result == pytest.approx((13.0208, 25, 1.28, 10), rel=1e-4)
    assert rows(dump, tmp_path, "log_site", wanted)[0][1:] == (None, None, None)


@pytest.mark.slow
def test_a_restart_with_an_unknown_phase_has_no_worst_time(tmp_path: Path) -> None:
    columns = "restart_at_least_s, restart_worst_s, backward_s, index_rebuild_s, restart_parts_unknown"
    statistics = [record for record in morning() if record[5] == 115 and record[22:24] != (216).to_bytes(2, "big")]
    ((least, worst, backward, rebuild, unknown),) = rows(statistics, tmp_path, "log_restart", columns)
    assert least > 0
    assert (worst, backward, rebuild, unknown) == (None, None, None, "backwards, indexes")
    ((least, worst, backward, rebuild, unknown),) = rows(morning(), tmp_path, "log_restart", columns)
    assert None not in (backward, rebuild)
    assert (worst, unknown) == (least, None)
