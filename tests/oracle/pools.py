"""Buffer pools."""

from __future__ import annotations

import math
from fnmatch import fnmatchcase
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import DAY, computed, grouped, groups, joined, judgeable, unsigned, where
from tests.oracle.records import CUT, QMGR, in_interval

POOL = "lpar qmgr pool_id"
POOL_CUT = "lpar qmgr interval_start_utc pool_id"


def site(data: Data) -> dict[tuple[Any, ...], Row]:
    """The facts of the site file by queue manager."""
    return data.by("decoded.site_input", "lpar", "qmgr")


def fact(data: Data, rows: list[Row], name: str, key: str, column: str) -> list[Row]:
    """The rows with a fact of the site file that has a value for each subject: the value of the one in column `key`."""
    facts = site(data)
    out = []
    for row in rows:
        given = (facts.get((row["lpar"], row["qmgr"])) or {}).get(name) or {}
        out.append({**row, column: given.get(row[key])})
    return out


@view("site_input", QMGR)
def site_input(data: Data) -> list[Row]:
    return data.raw("site_input")


@view("buffer_pool_page_set", POOL_CUT)
def buffer_pool_page_set(data: Data) -> list[Row]:
    """A page set that is not open (QIS1STAT: defined, offline or not defined) does not count."""
    rows = computed(
        data.raw("qis1"),
        """
        available = first(status == 'Available', True)
        ios = deferred_write_ios + immediate_write_ios + read_ios
        """,
    )
    return grouped(
        rows, POOL_CUT,
        """
        page_sets_on_pool = count(where=available)
        page_set_pages_on_pool = first(sum(total_pages, where=available), 0)
        busiest_page_set = top(page_set_id, ios, -page_set_id, where=ios > 0)
        immediate_write_page_set = top(page_set_id, immediate_write_ios, -page_set_id, where=immediate_write_ios > 0)
        """,
    )  # fmt: skip


@view("buffer_pool", POOL_CUT)
def buffer_pool(data: Data) -> list[Row]:
    columns = "page_sets_on_pool page_set_pages_on_pool busiest_page_set immediate_write_page_set"
    rows = joined(
        unsigned(data.raw("qpst"), "qpst", 2), data.by("buffer_pool_page_set", *POOL_CUT.split()), POOL_CUT, columns
    )
    with_page_sets = groups(data.raw("qis1"), CUT)
    for row in rows:
        if (row["lpar"], row["qmgr"], row["interval_start_utc"]) in with_page_sets:
            row["page_sets_on_pool"], row["page_set_pages_on_pool"] = (
                row["page_sets_on_pool"] or 0,
                row["page_set_pages_on_pool"] or 0,
            )
    return in_interval(
        data, fact(data, rows, "pool_role_by_pool", "pool_id", "pool_role"),
        """
        pool_mib = buffers * PAGE / MIB
        lowest_free_pct = 100 * lowest_stealable / buffers
        current_free_pct = 100 * current_stealable / buffers
        highest_used = buffers - lowest_stealable
        highest_used_pct = 100 * highest_used / buffers
        pool_hit_pct = greatest(0, 100 * (1 - pages_read / page_gets_old)) if page_gets_old > 0 else None
        old_to_new_ratio = page_gets_old / page_gets_new
        read_to_written_ratio = pages_read / pages_written
        pages_per_write = pages_written / write_ios
        page_set_ios = pages_read + write_ios
        page_set_ios_per_s = page_set_ios / interval_seconds
        page_gets_old_per_s = page_gets_old / interval_seconds
        page_gets_new_per_s = page_gets_new / interval_seconds
        set_writes_per_s = set_writes / interval_seconds
        steal_contention_pct = 100 * steal_contention / steals
        net_steals = steals - steal_contention
        buffers_for_15pct_free = ceil(highest_used / 0.85)
        buffers_at_105pct = ceil(1.05 * page_set_pages_on_pool) if page_sets_on_pool == 1 else None
        pressure = 'no buffers' if no_buffer_waits > 0 else 'synchronous writes' if synchronous_write_hits > 0 else
            'below 15 % free' if lowest_free_pct < 15 else 'deferred write started' if deferred_write_starts > 0 else 'ok'
        """,
    )  # fmt: skip


@view("buffer_pool_usual", POOL_CUT)
def buffer_pool_usual(data: Data) -> list[Row]:
    usual = {}
    settled = filter(judgeable, where(data.view("buffer_pool"), "not startup_interval and not suspect_first"))
    for row in grouped(
        settled, POOL,
        """
        pool_intervals = count()
        page_gets_old_usual_per_s = median(page_gets_old_per_s)
        page_gets_new_usual_per_s = median(page_gets_new_per_s)
        set_writes_usual_per_s = median(set_writes_per_s)
        """,
    ):  # fmt: skip
        usual[row["lpar"], row["qmgr"], row["pool_id"]] = row
    columns = "pool_intervals page_gets_old_usual_per_s page_gets_new_usual_per_s set_writes_usual_per_s"
    return computed(
        joined(data.view("buffer_pool"), usual, POOL, columns),
        """
        page_gets_old_times_usual = page_gets_old_per_s / page_gets_old_usual_per_s
        looks_like_scan = pool_intervals >= 8 and page_gets_old_per_s >= 5 * page_gets_old_usual_per_s
          and page_gets_new_per_s <= page_gets_new_usual_per_s and set_writes_per_s <= set_writes_usual_per_s
        """,
    )


@view("buffer_pool_period", POOL)
def buffer_pool_period(data: Data) -> list[Row]:
    rows = computed(
        where(data.view("buffer_pool"), "buffers > 0"),
        "settled = not first(fragment, interval_seconds < 10) and not startup_interval and not suspect_first",
    )
    return grouped(
        rows, "lpar qmgr qsg pool_id",
        """
        last_record_id = top(record_id, interval_start_utc)
        record_id = first(earliest(record_id, lowest_free_pct, interval_start_utc, where=settled), last_record_id)
        intervals = count()
        settled_intervals = count(where=settled)
        period_hours = (max(interval_end_utc) - min(interval_start_utc)) / HOUR
        days_covered = rounded(sum(interval_seconds) / 86400, 1)
        restarts = count(where=startup_interval or suspect_first)
        buffers_now = top(buffers, interval_start_utc)
        buffers_changed = min(buffers) != max(buffers)
        pool_mib_now = buffers_now * PAGE / MIB
        above_bar = all(above_bar)
        page_fixed = all(page_fixed)
        pool_role = max(pool_role)
        page_sets_on_pool = max(page_sets_on_pool)
        lowest_free_pct_min = min(lowest_free_pct, where=settled)
        lowest_free_at_utc = earliest(interval_start_utc, lowest_free_pct, interval_start_utc, where=settled)
        lowest_free_pct_median = median(lowest_free_pct, where=settled)
        highest_used_pct_max = max(highest_used_pct, where=settled)
        with_low = count(where=settled and lowest_free_pct is not None)
        intervals_below_15_pct = count(where=settled and lowest_free_pct < 15) if with_low > 0 else None
        intervals_below_5_pct = count(where=settled and lowest_free_pct < 5) if with_low > 0 else None
        share_below_15_pct = 100 * intervals_below_15_pct / settled_intervals
        share_below_5_pct = 100 * intervals_below_5_pct / settled_intervals
        intervals_with_synchronous_writes = count(where=synchronous_write_hits > 0)
        intervals_with_no_buffers = count(where=no_buffer_waits > 0)
        intervals_with_deferred_writes = count(where=deferred_write_starts > 0)
        intervals_with_reads = count(where=pages_read > 0)
        beyond_buffers = count(where=pages_read > 0 or deferred_write_starts > 0)
        pages_read = sum(pages_read)
        pages_written = sum(pages_written)
        steals = sum(steals)
        page_gets_old = sum(page_gets_old)
        deferred_write_starts = sum(deferred_write_starts)
        read_to_written_ratio = pages_read / pages_written
        waited = intervals_with_synchronous_writes > 0 or intervals_with_no_buffers > 0
        lasting = pool_id > 0 and pool_role != 'short' and intervals >= 8 and beyond_buffers >= intervals / 2 and not waited
        long_lived = lasting and pages_read >= 1000 and 0.5 <= read_to_written_ratio and read_to_written_ratio <= 2
        reread_ratio = pages_read / greatest(pages_written, 1)
        page_set_ios_per_s_peak = max(page_set_ios_per_s, where=settled)
        pool_hit_pct = greatest(0, 100 * (1 - pages_read / page_gets_old)) if page_gets_old > 0 else None
        buffers_for_15pct_free = max(buffers_for_15pct_free, where=settled)
        buffers_for_20pct_free_p99 = ceil(p99(highest_used, where=settled) / 0.8)
        buffers_at_105pct = max(buffers_at_105pct)
        oversized = highest_used_pct_max <= 50
        health = 'critical' if intervals_with_no_buffers > 0 or intervals_with_synchronous_writes > 0 or share_below_5_pct > 0 else
          'warning' if (share_below_15_pct > 0 and not long_lived) or ((pool_id == 0 or pool_role == 'short') and (intervals_with_deferred_writes > 0 or intervals_with_reads > 0)) else
          'oversized' if oversized and pool_id > 0 and days_covered >= 7 else 'ok'    # catalogue, view buffer_pool_period and rule BP015
        """,
    )  # fmt: skip


@view("buffer_pool_single_page_set", POOL_CUT)
def buffer_pool_single_page_set(data: Data) -> list[Row]:
    return computed(
        where(data.view("buffer_pool"), "page_sets_on_pool == 1"),
        "page_set_cover_ratio = buffers / page_set_pages_on_pool",
    )


@view("interval_step", CUT)
def interval_step(data: Data) -> list[Row]:
    """Consecutive intervals in steps of so many that they last at least five minutes."""
    out = []
    for cuts in groups(data.view("interval_cut"), QMGR).values():
        run, _part, position = 0, 0, 0.0
        usual = cuts[0]["median_interval_seconds"]
        together = max(1, -(-300 // round(usual))) if usual else 1
        for cut in cuts:
            if cut["first_in_data"]:
                run, _part, position = run + 1, 0, 0
            out.append({**cut, "run": run, "part": int(position) // together, "together": together})
            position += 1
    return out


@view("buffer_pool_merged", POOL_CUT)
def buffer_pool_merged(data: Data) -> list[Row]:
    """A step that lacks intervals at the end of its run is left out; the last interval of a step gives its state."""
    rows = joined(data.view("buffer_pool"), data.by("interval_step", *CUT.split()), CUT, "run part together")
    out = grouped(
        where(rows, "run is not None"), f"{POOL} run part",
        """
        merged_intervals = count()
        complete = merged_intervals == max(together)
        interval_start_utc = min(interval_start_utc)
        record_id = last(record_id, interval_end_utc)
        buffers = last(buffers, interval_end_utc)
        current_stealable = last(current_stealable, interval_end_utc)
        current_free_pct = 100 * current_stealable / buffers
        pool_role = max(pool_role)
        """,
    )  # fmt: skip
    return where(out, "complete")


@view("buffer_pool_zero", f"{CUT} queue")
def buffer_pool_zero(data: Data) -> list[Row]:
    """Catalogue, rule BP018: queues of applications, commands and events, and dead-letter queues can grow; without
    queue statistics, growth of page set 0.
    """
    facts = site(data)
    rows = [
        row for row in data.view("queue_statistics")
        if not row["depth_unknown"] and (row["page_set_id"] == 0 or row["pool_id"] == 0)
    ]  # fmt: skip
    with_queues = {(row["lpar"], row["qmgr"]) for row in data.view("queue_statistics")}
    out = []
    for row in rows:
        name = row["queue"]
        dead = (facts.get((row["lpar"], row["qmgr"])) or {}).get("dead_letter_queues")
        own = not name.startswith("SYSTEM.") or name.startswith(
            ("SYSTEM.COMMAND.", "SYSTEM.ADMIN.", "SYSTEM.CLUSTER.TRANSMIT")
        )
        out.append({
            **row, "place": f"queue {name}", "growable": own or any(fnmatchcase(name, pattern) for pattern in ("SYSTEM.DEAD.LETTER.QUEUE", *(dead or ()))),
            "cluster_transmission": name.startswith("SYSTEM.CLUSTER.TRANSMIT"), "message_pages": None, "grown_pages": None,
        })  # fmt: skip
    for members in groups(where(data.view("page_set"), "page_set_id == 0"), QMGR).values():
        least = None
        for row in sorted(members, key=lambda row: row["interval_start_utc"]):
            pages = row["persistent_pages"] + row["nonpersistent_pages"]
            least = pages if least is None else min(least, pages)
            if (row["lpar"], row["qmgr"]) not in with_queues:
                out.append({
                    **row, "queue": None, "place": "page set 0", "growable": None, "cluster_transmission": None,
                    "message_pages": pages, "grown_pages": pages - least,
                })  # fmt: skip
    return out


@view("buffer_pool_checkpoint", QMGR)
def buffer_pool_checkpoint(data: Data) -> list[Row]:
    return grouped(
        data.view("log"), QMGR,
        """
        period_minutes_per_checkpoint = sum(interval_seconds) / 60 / sum(checkpoints)
        median_minutes_per_checkpoint = median(minutes_per_checkpoint)
        """,
    )  # fmt: skip


@view("buffer_pool_lifetime", f"{CUT} queue")
def buffer_pool_lifetime(data: Data) -> list[Row]:
    known = where(data.view("buffer_pool_checkpoint"), "period_minutes_per_checkpoint > 0")
    minutes = {(row["lpar"], row["qmgr"]): row for row in known}
    rows = joined(data.view("queue_statistics"), minutes, QMGR, "period_minutes_per_checkpoint", inner=True)
    rows = where(rows, "pool_id is not None")
    puts = groups(rows, POOL)
    of_queue = groups(rows, f"{POOL} queue")
    for row in rows:
        pool = sum(r["total_puts"] or 0 for r in puts[row["lpar"], row["qmgr"], row["pool_id"]])
        mine = sum(r["total_puts"] or 0 for r in of_queue[row["lpar"], row["qmgr"], row["pool_id"], row["queue"]])
        row["put_share_pct"] = 100 * mine / pool if pool else None
    return computed(
        where(rows, "queue_time_long_us > 0"),
        """
        time_on_queue_checkpoints = queue_time_long_us / 60e6 / period_minutes_per_checkpoint if queue_time_long_us < 999999999 else None
        oldest_message_checkpoints = oldest_message_s / 60 / period_minutes_per_checkpoint
        """,
    )


@view("buffer_pool_below_bar", QMGR)
def buffer_pool_below_bar(data: Data) -> list[Row]:
    out = []
    for (lpar, qmgr), rows in groups(where(data.view("buffer_pool"), "above_bar is not None"), QMGR).items():
        at = max((row["interval_start_utc"] for row in rows if row["interval_start_utc"] is not None), default=None)
        below = [
            row for row in rows if row["interval_start_utc"] == at and row["above_bar"] is False and row["buffers"] > 0
        ]
        out.append({
            "lpar": lpar, "qmgr": qmgr, "below_bar_pools": len(below), "below_bar_at_utc": at,
            "below_bar_pool_list": ", ".join(str(number) for number in sorted(row["pool_id"] for row in below)) or None,
            "below_bar_mib": sum((row["pool_mib"] for row in below), 0.0),
        })  # fmt: skip
    return joined(out, data.by("qmgr", "lpar", "qmgr"), QMGR, "highest_mq_level")


@view("buffer_pool_region", QMGR)
def buffer_pool_region(data: Data) -> list[Row]:
    """Catalogue, rule BP013: pools and region of one interval; where the interval has no region, the nearest that has
    one, first the earlier, last those without a time.
    """
    regions = groups(data.raw("qsrs"), QMGR)
    rows = []
    for row in data.view("buffer_pool_below_bar"):
        at = row["below_bar_at_utc"] or 0
        mine = sorted(
            regions.get((row["lpar"], row["qmgr"]), ()),
            key=lambda r: (
                math.inf if r["interval_start_utc"] is None else abs(r["interval_start_utc"] - at),
                r["interval_start_utc"] or 0,
                r["record_id"],
            ),
        )
        if mine:
            rows.append({**row, "region_31_bytes": mine[0]["region_31_bytes"]})
    return computed(rows, "below_bar_region_pct = 100 * below_bar_mib * MIB / region_31_bytes")


__all__ = ["DAY"]
