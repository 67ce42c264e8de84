"""Storage of the queue manager."""

from __future__ import annotations

from tests.oracle import Data, Row, view
from tests.oracle.formulas import groups
from tests.oracle.records import CUT, in_interval


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
