"""Page sets."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, pairwise
from statistics import median

from tests.oracle import Data, Row, view
from tests.oracle.formulas import DAY, MINUTE, computed, grouped, groups, joined, judgeable, quantile, where
from tests.oracle.pools import POOL_CUT, fact
from tests.oracle.records import CUT, in_interval

PAGE_SET = "lpar qmgr page_set_id"
LARGEST = 16_777_216
"""Pages of 4 KiB in 64 GiB, the largest page set (IBM MQ documentation, page set sizes)."""


@view("page_set", f"{CUT} page_set_id")
def page_set(data: Data) -> list[Row]:
    rows = joined(data.raw("qis1"), data.by("buffer_pool", *POOL_CUT.split()), POOL_CUT, "buffers lowest_free_pct")
    rows = in_interval(
        data, fact(data, rows, "page_set_max_gb_by_page_set", "page_set_id", "largest_gib"),
        """
        page_set_mib = total_pages * PAGE / MIB
        used_pages = total_pages - unused_pages
        used_pct = 100 * used_pages / total_pages
        identity_error_pages = total_pages - unused_pages - persistent_pages - nonpersistent_pages
        pages_written_outside_checkpoint = deferred_write_pages + immediate_write_pages - checkpoint_pages
        average_deferred_write_us = deferred_write_us / deferred_write_ios
        average_immediate_write_us = immediate_write_us / immediate_write_ios
        average_read_us = read_us / read_ios
        pages_per_deferred_write = deferred_write_pages / deferred_write_ios
        pages_per_immediate_write = immediate_write_pages / immediate_write_ios
        pages_per_read = read_pages / read_ios
        page_set_io_count = deferred_write_ios + immediate_write_ios + read_ios
        page_set_io_count_per_s = page_set_io_count / interval_seconds
        page_set_mib_per_s = (deferred_write_pages + immediate_write_pages + read_pages) * PAGE / MIB / interval_seconds
        deferred_writes_at_once = deferred_write_us / interval_us
        put_cursor_page = put_cursor_high // 256
        encryption_cpu_us = 0.7 * (read_pages + immediate_write_pages) + 2.6 * deferred_write_pages if encrypted else None
        percent_of_64_gib = 100 * total_pages / 16777216
        largest_pages = greatest(total_pages, least(16777216, first(whole(largest_gib * GIB / PAGE), 16777216)))
        percent_of_largest = 100 * total_pages / largest_pages
        at_largest = total_pages >= least(16777216, first(whole(largest_gib * GIB / PAGE), 16777216)) - 1038
        """,
    )  # fmt: skip
    stuck = data.by("expansion", "record_id", "expanding_object")
    for members in groups(rows, PAGE_SET).values():
        members.sort(key=lambda row: row["interval_start_utc"])
        before = None
        for row in members:
            restarted = row["startup_interval"] or row["suspect_first"]
            known = before is not None and not restarted and open_now(row) and open_now(before)
            sizes = (row["total_pages"], before["total_pages"] if before else None)
            row["did_not_expand"] = stuck[row["record_id"], f"page set {row['page_set_id']}"]["did_not_expand"]
            row["growth"] = growth(row)
            row["can_grow"] = None if row["growth"] is None else row["growth"].startswith("allowed")
            row["grown_pages"] = max(0, sizes[0] - sizes[1]) if known and None not in sizes else None
            before = row
    return rows


def growth(row: Row) -> str | None:
    """Why a page set cannot grow (QIS1EXPM, its size, its last intervals), or that it can."""
    if row["expansion_method"] == "None":
        return "not allowed"
    if row["at_largest"]:
        return "at its largest size"
    if row["did_not_expand"]:
        return "did not expand"
    return {"System": "allowed", "User": "allowed if the data set has a secondary extent"}.get(row["expansion_method"])


@view("expansion", "record_id expanding_object")
def expansion(data: Data) -> list[Row]:
    """Above 92 % at two ends of intervals that are five minutes apart, and never less or of another size in between."""
    sets = [(row, f"page set {row['page_set_id']}", row["total_pages"]) for row in data.raw("qis1")]
    shared = [(row, f"structure {row['cf_structure']}", row["high_allocated_cis"]) for row in data.raw("qesd")]
    cuts = data.by("interval_cut", "lpar", "qmgr", "interval_start_utc")
    series: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row, name, size in sets + shared:
        total = row["total_pages"] if name.startswith("page") else row["smds_data_blocks"]
        free = row["unused_pages"] if name.startswith("page") else total - row["smds_used_blocks"]
        tight = total - free > 0.92 * total and (name.startswith("structure") or open_now(row))
        series[row["lpar"], row["qmgr"], name].append({**row, "expanding_object": name, "size": size, "tight": tight})
    for members in series.values():
        members.sort(key=lambda row: (row["interval_start_utc"], row["record_id"]))
        ends: list[int] = []
        for before, row in zip([None, *members], members, strict=False):
            cut = cuts.get((row["lpar"], row["qmgr"], row["interval_start_utc"]), {})
            new = not cut or cut["first_in_data"] or cut["restart_seen"] or before is None
            if new or not row["tight"] or row["size"] != before["size"]:  # type: ignore[index]
                ends = []
            usual = cut.get("median_interval_seconds")
            slot = bool(cut) and not cut["restart_seen"] and cut["interval_seconds"] >= min(285, 0.5 * (usual or 600))
            row["did_not_expand"] = False
            if slot and row["tight"]:
                ends.append(row["interval_end_utc"])
                row["did_not_expand"] = row["interval_end_utc"] - ends[0] >= 285_000_000
    return [row for members in series.values() for row in members]


def open_now(row: Row) -> bool:
    """Whether a page set was open (QIS1STAT)."""
    return row["status"] in ("Available", None)


@view("log_checkpoint", CUT)
def log_checkpoint(data: Data) -> list[Row]:
    rows = where(data.raw("qis1"), "lpar is not None and interval_start_utc is not None")
    return grouped(rows, CUT, "checkpoint_pages = sum(checkpoint_pages)")


def _days(data: Data) -> dict[tuple[object, ...], dict[int, list[Row]]]:
    out: dict[tuple[object, ...], dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in data.view("page_set"):
        if open_now(row):
            out[row["lpar"], row["qmgr"], row["page_set_id"]][row["interval_start_local"] // DAY].append(row)
    return out


@view("page_set_day", f"{PAGE_SET} local_day")
def page_set_day(data: Data) -> list[Row]:
    out = []
    for (lpar, qmgr, number), days in _days(data).items():
        seconds = {day: sum(row["interval_seconds"] for row in members) for day, members in days.items()}
        usual = quantile(seconds.values(), 0.5)
        out += [
            {
                "lpar": lpar, "qmgr": qmgr, "page_set_id": number, "local_day": day,
                "used_pages_day_max": max(row["used_pages"] for row in members),
                "complete_day": seconds[day] >= 0.9 * usual,
            }
            for day, members in days.items()
        ]  # fmt: skip
    return out


def straight_line(points: list[tuple[float, float]]) -> tuple[float | None, float | None]:
    """Slope of the straight line by least squares, and the share of the variance that it explains: 1 without variance,
    as in SQL.
    """
    if len(points) < 2:
        return None, None
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    xx = sum((x - mean_x) ** 2 for x, _ in points)
    yy = sum((y - mean_y) ** 2 for _, y in points)
    xy = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return (xy / xx if xx else None), ((xy * xy / xx / yy if yy else 1.0) if xx else None)


@view("page_set_growth", PAGE_SET)
def page_set_growth(data: Data) -> list[Row]:
    complete = groups(where(data.view("page_set_day"), "complete_day"), PAGE_SET)
    moved = {(r["lpar"], r["qmgr"], r["interval_start_utc"]): r for r in data.view("data_manager")}
    every = groups(sorted(data.view("page_set"), key=lambda row: row["interval_start_utc"]), PAGE_SET)
    out = []
    for key, members in groups([row for row in data.view("page_set") if open_now(row)], PAGE_SET).items():
        members.sort(key=lambda row: row["interval_start_utc"])
        one, last = members[0], members[-1]
        days = sorted((day["local_day"], day["used_pages_day_max"]) for day in complete.get(key, []))
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(days, 2)]
        slope, fit = straight_line(
            [((row["interval_start_utc"] - one["interval_start_utc"]) / DAY, row["used_pages"]) for row in members]
        )
        growth = median(slopes) if slopes else None
        larger = [row for row in members if (row["grown_pages"] or 0) > 0]
        peak = max(
            (
                (after["used_pages"] - before["used_pages"]) / (after["interval_end_utc"] - before["interval_end_utc"])
                for before, after in pairwise(every[key])
                if not after["startup_interval"] and not after["suspect_first"]
                and judgeable(before) and judgeable(after) and open_now(before) and open_now(after)
                and before["interval_end_utc"] < after["interval_end_utc"]
            ),
            default=None,
        )  # fmt: skip
        high = max(last["used_pages"], days[-1][1] if days else 0)

        def days_to(pages: float, growth: float | None = growth, high: int = high) -> float | None:
            return max(0.0, (pages - high) / growth) if growth and growth > 0 else None

        out.append({
            "lpar": key[0], "qmgr": key[1], "page_set_id": key[2], "pool_id": last["pool_id"], "interval_start_utc": last["interval_start_utc"],
            "record_id": last["record_id"], "full_count": sum(row["full_count"] for row in members), "page_set_intervals": len(members), "page_set_minutes": sum(row["interval_us"] for row in members) / MINUTE, "page_set_end_utc": last["interval_end_utc"],
            "days_observed": (last["interval_end_utc"] - one["interval_start_utc"]) / DAY, "complete_days": len(days),
            "expansion_method": last["expansion_method"],
            **{name: last[name] for name in ("growth", "can_grow", "at_largest")},
            "total_pages_now": last["total_pages"], "largest_pages": last["largest_pages"],
            "used_pages_first": one["used_pages"], "used_pages_now": last["used_pages"], "used_pages_added": last["used_pages"] - one["used_pages"],
            "used_pct_now": last["used_pct"], "used_pct_max": max((row["used_pct"] for row in members if row["used_pct"] is not None), default=None),
            "used_pages_high": high, "persistent_pages_now": last["persistent_pages"],
            "persistent_pct_now": 100 * last["persistent_pages"] / last["total_pages"] if last["total_pages"] else None,
            "growth_pages_per_day": growth, "growth_least_squares_per_day": slope, "fit_r2": fit,
            "daily_fit_r2": straight_line([(float(x), float(y)) for x, y in days])[1],
            "days_to_90_pct": days_to(0.9 * last["total_pages"]), "days_to_full": days_to(last["total_pages"]),
            "days_to_64_gib": days_to(LARGEST), "days_to_largest": days_to(last["largest_pages"]),
            "page_set_expansions": len(larger) if any(row["grown_pages"] is not None for row in members) else None, "last_expansion_utc": larger[-1]["interval_start_utc"] if larger else None,
            "hours_to_full_at_peak_rate": (last["total_pages"] - last["used_pages"]) / (peak * 3.6e9) if peak and peak > 0 else None,
            **_unread(members, [moved.get((*key[:2], row["interval_start_utc"]), {}) for row in members]),
        })  # fmt: skip
    return out


def _unread(members: list[Row], moved: list[Row]) -> Row:
    """The intervals at the end in which nothing was got from any page set, back to a gap."""
    unread: list[tuple[Row, Row]] = []
    for row, request in reversed(list(zip(members, moved, strict=True))):
        gap = unread and unread[-1][0]["interval_start_utc"] - row["interval_end_utc"] > 2_000_000
        if gap or request.get("dm_gets") != 0:
            break
        unread.append((row, request))
    if not unread:
        nothing = None if moved[-1].get("dm_gets") is None else 0
        return {
            "unread_minutes": nothing, "unread_since_utc": None, "unread_pages_added": nothing, "unread_puts": None,
        }  # fmt: skip
    first, last = unread[-1][0], unread[0][0]
    return {
        "unread_minutes": sum(row["interval_us"] for row, _ in unread) / MINUTE, "unread_since_utc": first["interval_start_utc"],
        "unread_pages_added": last["used_pages"] - first["used_pages"], "unread_puts": sum(request["dm_puts"] for _, request in unread),
    }  # fmt: skip


__all__ = ["computed"]
