"""When every limit is reached."""

from __future__ import annotations

import datetime as dt
from itertools import combinations
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import DAY, groups, judgeable, quantile
from tests.oracle.headroom import headroom_step

SUBJECT = "lpar qmgr limit_number limit_subject"
NO_DATE = ("growth_per_day", "growth_per_day_low", "growth_per_day_high", "days_used", "data_days")


def _growth(steps: list[Row], days: int) -> dict[str, Any]:
    """The slopes between all pairs of the last 100 complete steps of the trend: their median, and the 5 % and 95 %
    quantiles.
    """
    trend = sorted(
        (row["step_number"], row["step_used_high"]) for row in steps if row["in_trend"] and row["complete_step"]
    )
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) / days for a, b in combinations(trend[-100:], 2)]
    usual = quantile([row["step_seconds"] for row in steps], 0.5)
    by_step = groups(steps, "step_number").values()
    whole = sum(sum(row["step_seconds"] for row in members) >= 0.9 * usual for members in by_step)
    low, middle, high = (quantile(slopes, share) for share in (0.05, 0.5, 0.95))
    return dict(zip(NO_DATE, (middle, low, high, len(trend) * days, whole * days), strict=True))


@view("headroom", SUBJECT)
def headroom(data: Data) -> list[Row]:
    kinds = data.by("headroom_limit", "limit_number")
    uses = groups(data.view("headroom_use"), SUBJECT)
    out = []
    for key, steps in groups(headroom_step(data), SUBJECT).items():
        kind, mine = kinds[key[2],], sorted(uses[key], key=lambda row: row["interval_start_utc"])
        last = mine[-1]
        used = max((row["step_used_high"] for row in steps if row["step_used_high"] is not None), default=None)
        limit, days = last["limit_value"], kind["trend_step_days"]
        row: Row = {
            **kind, **dict(zip(SUBJECT.split(), key, strict=True)), "used_value": used, "limit_value": limit,
            "limit_ends_service": last["limit_ends_service"], "limit_source": last["limit_source"], "limit_note": last["limit_note"],
            "when_utc": min((one["step_high_at_utc"] for one in steps if one["step_used_high"] == used and used is not None), default=None),
            "used_share_pct": 100 * used / limit if used is not None and limit else None,
        }  # fmt: skip
        row["headroom_pct"] = None if row["used_share_pct"] is None else 100 - row["used_share_pct"]
        row["limit_label"] = (
            kind["limit_name"] if key[3] is None else f"{key[3]}, {kind['limit_name'].partition(', ')[2]}"
        )
        row.update(dict.fromkeys(NO_DATE) if days is None else _growth(steps, days))
        needed = (kind["trend_steps_min"] or 0) * (days or 0)
        row["has_forecast"] = (
            limit is not None
            and days is not None
            and row["data_days"] >= kind["days_needed"]
            and row["days_used"] >= needed
        )
        reached = [
            one["interval_start_utc"] for one in mine
            if (one["limit_events"] or 0) > 0 or (one["limit_value"] is not None and one["used_value"] is not None and one["used_value"] >= one["limit_value"])
        ]  # fmt: skip
        row["reached_at_utc"] = min(reached, default=None)
        row.update(_date(row, steps, mine, days))
        out.append(row)
    return _placed(out + _without(data, out))


def _date(row: Row, steps: list[Row], mine: list[Row], days: int | None) -> dict[str, Any]:
    """The state, and the date from the last value, or from the maximum of the last complete step if that is higher; at
    most a year and three times the days ahead.
    """
    low, middle, high = (row[f"growth_per_day{end}"] for end in ("_low", "", "_high"))
    limit, end = row["limit_value"], mine[-1]["interval_start_local"] + int(mine[-1]["interval_seconds"] * 1e6)
    whole = max(
        (one for one in steps if one["in_trend"] and one["complete_step"]),
        key=lambda one: one["step_number"],
        default=None,
    )
    level = max(mine[-1]["used_value"] or 0.0, whole["step_used_high"] if whole else 0.0)
    trend = [one for one in steps if one["in_trend"]]  # days before a restart are not observed days of what it frees
    span = (
        (max(one["step_last_end_local"] for one in trend) - min(one["step_first_start_local"] for one in trend)) / DAY
        if trend
        else 0.0
    )
    horizon = min(3 * span, 365)

    def ahead(growth: float | None) -> float | None:
        return (limit - level) / growth if growth and growth > 0 and limit is not None else None

    left = ahead(middle)
    if row["reached_at_utc"] is not None:
        state = "reached"
    elif limit is None:
        state = "no limit" if row["limit_source"] == "no limit" else "no limit declared"
    elif days is None:
        state = "no date"
    elif row["data_days"] < row["days_needed"]:
        state = "too few days"
    elif not row["has_forecast"]:
        state = "too few days since restart"
    elif middle <= 0:
        state = "no growth"
    elif low <= 0:
        state = "no steady growth"
    else:
        state = "date known" if left is not None and left <= horizon else "too far"
    known = state == "date known"
    dates = {
        name: ahead(growth) if known else None
        for name, growth in (("reach_date_early", high), ("reach_date", middle), ("reach_date_late", low))
    }
    if dates["reach_date_late"] is not None and dates["reach_date_late"] > horizon:
        dates["reach_date_late"] = None
    growing = state == "reached" and row["has_forecast"] and low is not None and low > 0
    day = (
        None
        if dates["reach_date"] is None
        else dt.date(1970, 1, 1) + dt.timedelta(days=(end + round(dates["reach_date"] * DAY)) // DAY)
    )
    return {
        "reach_text": "it is reached" if state == "reached" else None if day is None else f"about {day}", "headroom_state": state, "days_left": left if known else 0.0 if growing else None,
        **{name: None if value is None else end + round(value * DAY) for name, value in dates.items()},
    }  # fmt: skip


def _without(data: Data, out: list[Row]) -> list[Row]:
    """Limits about which nothing is known because their class has no usable record."""
    counted = data.by("collection", "lpar", "qmgr", "record_class")
    seen = {(row["lpar"], row["qmgr"], row["limit_number"]) for row in out}
    settled = {
        (row["lpar"], row["qmgr"]) for row in data.view("interval_cut") if judgeable(row) and not row["startup_interval"]
    }  # fmt: skip
    rows = []
    empty = "reach_text limit_subject used_value limit_value limit_source used_share_pct headroom_pct days_left reach_date_early reach_date reach_date_late reached_at_utc when_utc"
    for one in data.view("qmgr"):
        for kind in data.view("headroom_limit"):
            key, name = (one["lpar"], one["qmgr"]), kind["missing_class"]
            if name is not None and (*key, kind["limit_number"]) not in seen:
                given = counted[*key, name]
                if given["present"] and key in settled:
                    continue
                state = (
                    "not in this release"
                    if not given["applicable"]
                    else "no usable interval"
                    if given["present"]
                    else "not collected"
                )
                rows.append({
                    **kind, **dict.fromkeys((*empty.split(), *NO_DATE)), "lpar": key[0], "qmgr": key[1], "limit_label": kind["limit_name"],
                    "has_forecast": False, "limit_ends_service": False, "headroom_state": state, "limit_note": None if given["present"] else name,
                })  # fmt: skip
    return rows


def _placed(rows: list[Row]) -> list[Row]:
    """The order of those that end service: what is reached by its first time, then by date."""
    for members in groups(rows, "lpar qmgr").values():
        for row in members:
            row["limit_place"] = None
        first = [row for row in members if row["limit_ends_service"] and row["headroom_state"] == "reached"]
        then = [row for row in members if row["limit_ends_service"] and row["headroom_state"] == "date known"]
        first.sort(key=lambda row: (row["reached_at_utc"], row["limit_number"], row["limit_subject"] or ""))
        then.sort(key=lambda row: (row["reach_date"], row["limit_number"], row["limit_subject"] or ""))
        for place, row in enumerate([*first, *then], 1):
            row["limit_place"] = place
    return rows
