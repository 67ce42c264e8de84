"""Storage of the queue manager."""

from __future__ import annotations

from itertools import combinations
from statistics import median

from tests.oracle import Data, Row, view
from tests.oracle.formulas import DAY, grouped, groups, quantile, where
from tests.oracle.page_sets import straight_line
from tests.oracle.records import CUT, QMGR, in_interval


@view("storage", CUT)
def storage(data: Data) -> list[Row]:
    return in_interval(
        data, data.raw("qsst"),
        """
        getmains_per_s = getmains / interval_seconds
        getmain_balance = getmains - freemains
        """,
    )  # fmt: skip


@view("storage_pool", "record_id section")
def storage_pool(data: Data) -> list[Row]:
    """QSPHSTOR of fixed pools in 31-bit storage is in pages of 4 KiB, all others in bytes."""
    rows = in_interval(
        data, data.raw("qsph"),
        """
        in_pages = pool_fixed and not pool_64bit
        pool_kib = 4 * pool_size if in_pages else pool_size / KIB
        pool_kib_before = 4 * pool_size_before if in_pages else pool_size_before / KIB
        expansion_kib = 4 * expansion_size if in_pages else expansion_size / KIB
        pool_growth_kib = pool_kib - pool_kib_before
        data_space = data_space_name if pool_in_data_space else None
        """,
    )  # fmt: skip
    totals = {key: sum(r["pool_kib"] for r in members) for key, members in groups(rows, "record_id pool_64bit").items()}
    for row in rows:
        row["pool_kib"], row["pool_kib_before"], row["expansion_kib"], row["pool_growth_kib"] = (
            float(row[name]) for name in ("pool_kib", "pool_kib_before", "expansion_kib", "pool_growth_kib")
        )
        total = totals[row["record_id"], row["pool_64bit"]]
        row["share_pct"] = 100 * row["pool_kib"] / total if total else None
        del row["data_space_name"]
    return rows


@view("storage_getmain", "record_id section")
def storage_getmain(data: Data) -> list[Row]:
    rows = in_interval(data, data.raw("qsgm"), "    average_getmain_bytes = getmain_bytes / getmain_requests")
    for members in groups(rows, "lpar qmgr requester requester_offset storage_class").values():
        before = None
        for row in sorted(members, key=lambda row: (row["interval_start_utc"], row["record_id"], row["section"])):
            row["growth_bytes"] = None if before is None else row["getmain_bytes"] - before
            before = row["getmain_bytes"]
    return rows


@view("storage_region", CUT)
def storage_region(data: Data) -> list[Row]:
    return in_interval(
        data, data.raw("qsrs"),
        """
        used_31_bytes = region_31_bytes - available_31_bytes
        used_31_pct = 100 * used_31_bytes / region_31_bytes
        free_above_sos_bytes = available_31_bytes - sos_reserve_31_bytes
        allocated_31_bytes = user_31_bytes + system_31_bytes
        growth_31_bytes = allocated_31_bytes - (user_31_bytes_before + system_31_bytes_before) if user_31_bytes_before > 0 else None
        memlimit_set = not memlimit_mib_no_limit
        limited_bytes = available_64_bytes if memlimit_set else None
        used_64_bytes = memlimit_mib * MIB - limited_bytes
        used_64_pct = 100 * (1 - limited_bytes / (memlimit_mib * MIB))
        available_31_mib = available_31_bytes / MIB
        available_64_mib = limited_bytes / MIB
        sos_reserve_31_mib = sos_reserve_31_bytes / MIB
        free_above_sos_mib = free_above_sos_bytes / MIB
        cushion_64_mib = cushion_64_bytes / MIB
        available_31_pct = 100 * available_31_bytes / region_31_bytes
        available_64_pct = 100 * limited_bytes / (memlimit_mib * MIB)
        """,
    )  # fmt: skip


@view("storage_region_day", "lpar qmgr starts_before local_day")
def storage_region_day(data: Data) -> list[Row]:
    cuts = {}
    for key, members in groups(data.view("interval_cut"), QMGR).items():
        number = 0
        for cut in sorted(members, key=lambda row: row["interval_start_utc"]):
            number += cut["startup_interval"] or cut["suspect_first"]
            cuts[(*key, cut["interval_start_utc"])] = number
    rows = data.view("storage_region")
    for row in rows:
        row["local_day"] = row["interval_start_local"] // DAY
        row["starts_before"] = cuts.get((row["lpar"], row["qmgr"], row["interval_start_utc"]), 0)
    out = grouped(
        rows, "lpar qmgr starts_before local_day", "allocated_31_day_max = max(allocated_31_bytes)\nseconds = sum(interval_seconds)"
    )  # fmt: skip
    for members in groups(out, QMGR).values():
        usual = quantile((row["seconds"] for row in members), 0.5)
        for row in members:
            row["complete_day"] = row["seconds"] >= 0.9 * usual
    return out


@view("storage_region_growth", QMGR)
def storage_region_growth(data: Data) -> list[Row]:
    days = groups(data.view("storage_region_day"), QMGR)
    out = []
    for key, members in groups(data.view("storage_region"), QMGR).items():
        last = max(members, key=lambda row: row["interval_start_utc"])
        since = max(row["starts_before"] for row in days[key])
        points = sorted(
            (row["local_day"], row["allocated_31_day_max"])
            for row in days[key]
            if row["complete_day"] and row["starts_before"] == since
        )
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2)]
        growth = median(slopes) if slopes else None
        free = last["free_above_sos_bytes"]
        out.append({
            **{name: last[name] for name in ("lpar", "qmgr", "interval_start_utc", "record_id", "available_31_bytes", "sos_reserve_31_bytes", "free_above_sos_bytes", "allocated_31_bytes")},
            "complete_days": len(points), "growth_31_bytes_per_day": growth,
            "daily_fit_r2": straight_line([(float(x), float(y)) for x, y in points])[1],
            "days_to_sos": max(0, free) / growth if growth and growth > 0 else None,
        })  # fmt: skip
    return out


__all__ = ["where"]
