"""Each hour of the day compared with its usual range: note of view usual_figure."""

from __future__ import annotations

from statistics import median
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import groups, known

SERIES = "lpar qmgr subject figure_number"
ENOUGH, WEEKEND_DAYS, WEEKEND = 4, 2, 120
"""Days of the same hour that a range needs, of them at a weekend, and the first hour of the week that is one: Saturday,
0:00."""
NORMAL, PART = 1.4826, 0.2
"""Standard deviation of normal values as a multiple of their median absolute deviation; share of the median that is
always usual."""


def _spread(days: list[float]) -> float:
    """Median absolute deviation."""
    middle = median(days)
    return median(abs(value - middle) for value in days)


def _based(row: Row, earlier: list[Row]) -> Row:
    """The row with the days that it is compared with: those of the same hour of the week, or of the same hour of all
    days.
    """
    hour = row["hour_of_week"]
    mine = [each for each in earlier if each["hour_of_week"] % 24 == hour % 24 and each["hour_value"] is not None]
    week = [each["hour_value"] for each in mine if each["hour_of_week"] == hour]
    kind = [each["hour_value"] for each in mine if (each["hour_of_week"] >= WEEKEND) == (hour >= WEEKEND)]
    every = [each["hour_value"] for each in mine]
    if len(week) >= ENOUGH:
        basis = "week"
    else:
        basis = "day" if len(every) >= ENOUGH and (hour < WEEKEND or len(kind) >= WEEKEND_DAYS) else "none"
    return {**row, "basis": basis, "days": week if basis == "week" else every, "kind": kind}


def _ranged(row: Row, typical: float | None, least: float, *, percent: bool) -> dict[str, Any]:
    days, value = row["days"], row["hour_value"]
    out = {
        "usual_hour": row["hour_of_week"] % 24, "usual_value": value, "usual_days": len(days), "usual_basis": row["basis"], "usual_low": None,
        "usual_median": None, "usual_high": None, "usual_days_as_far": None, "usual_times_out": None,
    }  # fmt: skip
    if row["basis"] == "none":
        return out
    middle = median(days)
    factor = 5 + 15 / (len(days) - 1)
    reach = max(factor * NORMAL * max(known([_spread(days), typical])), PART * abs(middle), least)
    times = (value - middle) / reach
    if row["basis"] == "day" and row["hour_of_week"] >= WEEKEND and abs(value - median(row["kind"])) <= reach:
        times = max(-1.0, min(1.0, times))
    far = None
    if abs(times) > 1:
        side = 1 if times > 0 else -1
        far = sum(side * (each - middle) / reach > max(1, abs(times) / 2) for each in days)
    highest = max(100.0, value, *days) if percent else None
    return out | {
        "usual_low": max(middle - reach, min(0.0, value, *days)), "usual_median": middle, "usual_times_out": times, "usual_days_as_far": far,
        "usual_high": middle + reach if highest is None else min(middle + reach, highest),
    }  # fmt: skip


@view("usual_figure", f"{SERIES} usual_hour")
def usual_figure(data: Data) -> list[Row]:
    kinds = {row["figure_number"]: row for row in data.view("figure_kind")}
    before = groups([row for row in data.raw("hour_figure") if row["side_name"] == "before"], SERIES)
    after = [row for row in data.raw("hour_figure") if row["side_name"] == "after" and row["hour_value"] is not None]
    out: list[Row] = []
    for key, rows in groups(after, SERIES).items():
        based = [_based(row, before.get(key, [])) for row in rows]
        spreads = [_spread(row["days"]) for row in based if row["basis"] != "none"]
        kind = kinds[key[3]]
        for row in based:
            made = _ranged(
                row,
                median(spreads) if spreads else None,
                kind["least_change"],
                percent=kind["metric_unit"] == "percent",
            )
            out.append({**dict(zip(SERIES.split(), key, strict=True)), **made})
    return out
