"""How near every limit is: its use in every interval, by step of its trend, and when it is reached."""

from __future__ import annotations

from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import DAY, MIB, groups, joined, judgeable, quantile
from tests.oracle.page_sets import open_now
from tests.oracle.pools import site
from tests.oracle.records import QMGR

KINDS = (
    ("page set, present size", "page_set", "pages", "115.201"), ("page set, largest size", "page_set", "pages", None),
    ("31-bit storage without its reserve", "storage", "mib", "115.7"), ("64-bit storage without its cushion", "storage", "mib", "115.7"),
    ("channel initiator 31-bit storage", "channel_initiator", "mib", "115.231"), ("channel initiator 64-bit storage", "channel_initiator", "mib", None),
    ("current channels", "channel_initiator", "count", "115.231"), ("active channels", "channel_initiator", "count", "115.231"),
    ("adapters", None, "percent", "115.231"), ("busiest dispatcher", None, "percent", "115.231"), ("busiest TLS task", None, "percent", None),
    ("logger task", None, "percent", "115.1"), ("buffer pool, 15 % free", "buffer_pool", "percent", None),
    ("buffer pool, 5 % free", "buffer_pool", "percent", "115.215"), ("log data rate", "log", "mib_per_s", "115.1"), ("active logs", "log", "mib", "115.1"),
    ("SMDS, present size", "smds", "blocks", None), ("SMDS, largest size", "smds", "mib", None),
    ("structure, entries", "cf", "count", None), ("structure, elements", "cf", "count", None),
)  # fmt: skip
"""Catalogue, report overview/headroom: the limits, the area of each (null: a share of time), its unit, and the class
without which nothing is known about it."""
LABELS = {"mib": "MiB", "mib_per_s": "MiB/s", "percent": "%"}
STORAGE, WEEKLY = ("storage without", "storage"), ("log data rate", "active logs")
LARGEST = 64 * 2**30 // 4096
"""Pages of the largest page set."""
SMDS_MIB = 16 * 2**20


GROWTH = (
    ("page set", "ALTER PSID(*) EXPAND(*)", 64 * 2**18 - 1038, "pages", "at_largest"),
    ("shared message data set", "ALTER SMDS(*) CFSTRUCT(*) DSEXPAND(*)", SMDS_MIB, "mib", "at_largest"),
    ("buffers of a shared message data set", "ALTER SMDS(*) CFSTRUCT(*) DSBUFS(*)", 9999, "buffers", "smds_buffers"),
    ("buffer pool", "ALTER BUFFPOOL(*) BUFFERS(*) LOCATION(ABOVE)", None, "mib", "_left"),
    ("structure", "SETXCF START,ALTER,STRNAME=*,SIZE=*", None, "mib", "POLICY SIZE"),
    *((f"{kind} channels", f"ALTER QMGR {name}CHL(*)", 9999, "count", "channels_at_most")
      for kind, name in (("current", "MAX"), ("active", "ACT"), ("TCP/IP", "TCP"))),
)  # fmt: skip
"""IBM's largest sizes, and the column or label that shows that an object has it."""


@view("growth_limit", "object_kind enlarging_command")
def growth_limit(data: Data) -> list[Row]:
    names = ("object_kind", "enlarging_command", "largest_value", "size_unit", "largest_sign")
    return [dict(zip(names, row, strict=True)) for row in GROWTH]


@view("headroom_limit", "limit_number")
def headroom_limit(data: Data) -> list[Row]:
    """A date needs two weeks of days, or four weeks for the limits of rates; storage has a trend since the last
    restart, of seven days.
    """
    out = []
    for number, (name, area, unit, missing) in enumerate(KINDS, 1):
        weekly, restart = name in WEEKLY, "bit storage" in name
        steps = None if area is None else 4 if weekly else 7 if restart else 14
        days = None if area is None else 7 if weekly else 1
        out.append({
            "limit_number": number, "limit_name": name, "limit_area": area, "limit_unit": unit, "missing_class": missing,
            "limit_unit_label": name.split()[1] if unit == "count" else LABELS.get(unit, unit), "planning_share_pct": 50.0 if name == "log data rate" else 80.0,
            "trend_step_days": days, "trend_steps_min": steps, "cut_at_restart": restart,
            "days_needed": max(14, (steps or 0) * (days or 0)),
        })  # fmt: skip
    return out


class Uses:
    """The rows of view `headroom_use`."""

    def __init__(self, data: Data) -> None:
        self.rows: list[Row] = []
        self.facts = site(data)

    def add(
        self, row: Row, number: int, used: Any, limit: Any, source: str | None = "record", *,
        subject: str | None = None, note: str | None = None, events: int | None = None, owner: str | None = None,
    ) -> None:  # fmt: skip
        """A use; without one there is no row, unless there is no limit."""
        settled = judgeable(row) and not row["startup_interval"]
        if settled and (used is not None or source == "no limit"):
            self.rows.append({
                **{name: row[name] for name in ("lpar", "qmgr", "interval_start_utc", "interval_start_local", "interval_seconds", "interval_end_utc")},
                "limit_number": number, "limit_subject": subject, "limit_owner": owner, "used_value": None if used is None else float(used),
                "limit_value": None if limit is None else float(limit), "limit_events": events, "limit_source": source, "limit_note": note,
                "limit_ends_service": number not in (13, 16),
            })  # fmt: skip

    def fact(self, row: Row, name: str) -> Any:
        return (self.facts.get((row["lpar"], row["qmgr"])) or {}).get(name)


def absent(*names: str) -> str:
    return f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} not in the site file"


@view("headroom_use", "lpar qmgr interval_start_utc limit_number limit_subject")
def headroom_use(data: Data) -> list[Row]:
    uses = Uses(data)
    for row in filter(open_now, data.view("page_set")):
        subject, expands = f"page set {row['page_set_id']}", row["can_grow"]
        uses.add(
            row, 1, row["used_pages"], row["total_pages"], subject=subject, events=row["full_count"], note="expands" if expands else None
        )  # fmt: skip
        if expands:
            product = row["largest_pages"] >= LARGEST
            uses.add(
                row, 2, row["used_pages"], row["largest_pages"], "product" if product else "site file", subject=subject,
                note=f"may end at 4 GB: {absent('page_set_max_gb')}" if product and row["total_pages"] <= 2**20 else None,
            )  # fmt: skip
    _storage(data, uses)
    for row in data.view("buffer_pool"):
        for number, limit in ((13, 85), (14, 95)):
            uses.add(row, number, row["highest_used_pct"], limit, "product", subject=f"buffer pool {row['pool_id']}")
    _log(data, uses)
    for row in [row for row in data.view("smds") if row["smds_data_blocks"]]:
        subject = f"SMDS of {row['cf_structure']}"
        uses.add(
            row,
            17,
            row["smds_used_blocks_high"],
            row["smds_data_blocks"],
            subject=subject,
            events=row["smds_failed_allocates"],
        )
        uses.add(row, 18, row["smds_allocated_mib"], SMDS_MIB, "product", subject=subject)
    for row in data.view("cf_structure"):
        for number, name in ((19, "entries"), (20, "elements")):
            fact = "csq_admin_entsmax" if row["admin_structure"] and number == 19 else f"cf_{name}"
            limit = uses.fact(row, fact) if fact == "csq_admin_entsmax" else row[fact]
            events = row["structure_fulls"] if name == _lacks(row, uses) else 0
            if row["group_member"] is not False:
                uses.add(
                    row, number, row[f"{name}_high"], limit, None if limit is None else "site file", subject=f"structure {row['cf_structure']}",
                    note=absent(f"cf_{name}") if limit is None else None, events=events, owner=row["qsg"],
                )  # fmt: skip
    return uses.rows


def _lacks(row: Row, uses: Uses) -> str:
    """What a full structure lacks: by the sizes of the site file if both are known, otherwise what runs out first."""
    entries = uses.fact(row, "csq_admin_entsmax") if row["admin_structure"] else row["cf_entries"]
    if entries and row["cf_elements"]:
        return "elements" if row["elements_high"] / row["cf_elements"] > row["entries_high"] / entries else "entries"
    return "elements" if row["runs_out_first"] == "elements" else "entries"


def _storage(data: Data, uses: Uses) -> None:
    for row in data.view("storage_region"):
        region, reserve = row["region_31_bytes"], row["sos_reserve_31_bytes"]
        uses.add(row, 3, (region - row["available_31_bytes"]) / MIB, (region - reserve) / MIB)
        memory = row["memlimit_mib"]
        if memory is None:
            uses.add(row, 4, None, None, "no limit", note="no MEMLIMIT")
        else:
            uses.add(row, 4, memory - row["available_64_bytes"] / MIB, memory - row["cushion_64_bytes"] / MIB)
    for row in data.view("channel_initiator"):
        given = not row["chinit_31_total_assumed"]
        note = None if given else f"1466 MiB assumed: {absent('chin_31bit_total_mb')}"
        uses.add(
            row, 5, row["chinit_31_mib"], row["chinit_31_total_mib"], "site file" if given else "assumed", note=note
        )
        unlimited = row["chinit_64_no_limit"]
        uses.add(
            row, 6, row["chinit_64_mib"], None if unlimited else row["chinit_64_limit_mib"], "no limit" if unlimited else "record",
            note="no MEMLIMIT" if unlimited else None,
        )  # fmt: skip
        uses.add(row, 7, row["current_channels"], row["max_channels"])
        uses.add(row, 8, row["active_channels"], row["max_active_channels"])
        idle = f"{row['adapters_idle']} of {row['adapters']} idle"
        uses.add(row, 9, row["adapter_average_pct"], 100, "product", note=idle)
        uses.add(row, 10, row["dispatcher_busiest_pct"], 100, "product")
        uses.add(row, 11, row["ssl_busiest_pct"], 100, "product")


def _log(data: Data, uses: Uses) -> None:
    """Active logs that hold less than a day: the log data of 24 hours against the size of all active logs."""
    rates = data.by("log_site", "lpar", "qmgr", "interval_start_utc")
    for members in groups(sorted(data.view("log"), key=lambda row: row["interval_start_utc"]), QMGR).values():
        for row in members:
            uses.add(row, 12, row["logger_task_busy_pct"], 100, "product")
            peak = uses.fact(row, "log_peak_mb_s")
            rate = rates[row["lpar"], row["qmgr"], row["interval_start_utc"]]["busier_copy_mib_per_s"]
            uses.add(
                row,
                15,
                rate,
                peak,
                None if peak is None else "site file",
                note=absent("log_peak_mb_s") if peak is None else None,
            )
            logs, size = uses.fact(row, "active_logs"), uses.fact(row, "active_log_mb")
            names = [name for name, value in (("active_logs", logs), ("active_log_mb", size)) if value is None]
            day = sum(
                one["log_mib_created"] for one in members if row["interval_start_utc"] - DAY < one["interval_start_utc"] <= row["interval_start_utc"]
            )  # fmt: skip
            uses.add(
                row,
                16,
                day,
                None if names else logs * size,
                None if names else "site file",
                note=absent(*names) if names else None,
            )


def _restarts(data: Data) -> dict[tuple[Any, ...], int]:
    """The last interval of each queue manager in which it was seen to start."""
    out: dict[tuple[Any, ...], int] = {}
    for row in data.view("interval_cut"):
        if row["restart_seen"]:
            key = row["lpar"], row["qmgr"]
            out[key] = max(out.get(key, 0), row["interval_start_utc"])
    return out


def at_limit(row: Row) -> bool:
    """Whether the use of an interval reached its limit, or the records count that it did."""
    used, limit = row["used_value"], row["limit_value"]
    return (row["limit_events"] or 0) > 0 or (used is not None and limit is not None and used >= limit)


@view("headroom_step", "lpar qmgr limit_number limit_subject step_number in_trend")
def headroom_step(data: Data) -> list[Row]:
    """A step is a local day, or seven counted back from the last day; the members of a group share the use of a
    structure.
    """
    kinds, restarts = data.by("headroom_limit", "limit_number"), _restarts(data)
    high: dict[tuple[Any, ...], float] = {}
    rows = []
    last: dict[tuple[Any, ...], int] = {}
    for row in data.view("headroom_use"):
        key = row["lpar"], row["qmgr"]
        last[key] = max(last.get(key, 0), row["interval_start_local"] // DAY)
    for given in data.view("headroom_use"):
        row = dict(given)
        kind, key = kinds[row["limit_number"],], (row["lpar"], row["qmgr"])
        day, days = row["interval_start_local"] // DAY, kind["trend_step_days"]
        row["step_number"] = 0 if days is None else day if days == 1 else -((last[key] - day) // days)
        row["in_trend"] = not kind["cut_at_restart"] or row["interval_start_utc"] >= restarts.get(key, 0)
        rows.append(row)
    by = "lpar qmgr limit_number limit_subject step_number in_trend"
    out = []
    for key, members in groups(rows, by).items():
        members.sort(key=lambda row: row["interval_start_utc"])
        end = members[-1]
        most = max((row["used_value"] for row in members if row["used_value"] is not None), default=None)
        events = [row["limit_events"] for row in members if row["limit_events"] is not None]
        out.append({
            **dict(zip(by.split(), key, strict=True)), "step_first_start_local": min(row["interval_start_local"] for row in members),
            "step_last_end_local": max(row["interval_start_local"] + round(row["interval_seconds"] * 1e6) for row in members),
            "step_reached_at_utc": min((row["interval_start_utc"] for row in members if at_limit(row)), default=None), "owner": end["limit_owner"], "step_seconds": sum(row["interval_seconds"] for row in members),
            "step_used_high": most, "step_high_at_utc": next((row["interval_start_utc"] for row in members if row["used_value"] == most), None),
            "step_events": sum(events) if events else None,
            "step_last": {
                "at": end["interval_start_utc"], "used": end["used_value"], "limit": end["limit_value"], "ends": end["limit_ends_service"],
                "source": end["limit_source"], "note": end["limit_note"],
            },
        })  # fmt: skip
    for members in groups(out, "lpar qmgr limit_number limit_subject").values():
        usual = quantile([row["step_seconds"] for row in members], 0.5)
        for row in members:
            row["complete_step"] = row["step_seconds"] >= 0.9 * usual
    for row in out:
        if row["owner"] is not None:
            shared = row["owner"], row["limit_number"], row["limit_subject"], row["step_number"]
            high[shared] = max(high.get(shared, 0.0), row["step_used_high"])
    for row in out:
        if row["owner"] is not None:
            row["step_used_high"] = high[row["owner"], row["limit_number"], row["limit_subject"], row["step_number"]]
    return out


__all__ = ["joined"]
