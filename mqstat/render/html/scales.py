"""Round numbers and round local times: the ticks of an axis and their labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from mqstat.assemble.page_model import Grid
from mqstat.base.formatting import number_text, short_offset

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DAY = 86400
_TICKS = (
    60,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    10800,
    14400,
    21600,
    43200,
    _DAY,
    2 * _DAY,
    7 * _DAY,
    14 * _DAY,
    28 * _DAY,
    91 * _DAY,
)


def ticks_between(low: float, high: float, most: int = 4) -> list[float]:
    """Round values from at most `low` to at least `high`, which include 0 if it is between them; 0 and 1 if both are
    0.
    """
    if not high > low or not math.isfinite(high - low):
        return [0.0, 1.0]
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{step * number:.12g}") + 0.0 for number in range(first, last + 1)]


def tick_texts(ticks: Sequence[float]) -> list[str]:
    """The numbers of an axis, which may be negative."""
    text_of = tick_format([abs(tick) for tick in ticks])
    return [f"{'-' if tick < 0 else ''}{text_of(abs(tick))}" for tick in ticks]


def tick_format(values: Sequence[float]) -> Callable[[float], str]:
    """How the numbers of an axis are written: as many decimals as they need; large ones in thousands or millions."""
    highest = max(values, default=0)
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if highest >= max(size, 10_000):
            return lambda item: f"{number_text(item / size)}{letter}" if item else "0"
    if highest < 0.01:
        return number_text
    decimals = max((len(f"{item:.6f}".rstrip("0").partition(".")[2]) for item in values), default=0)
    return lambda item: f"{item:,.{decimals}f}"


def moment(step: int, grid: Grid) -> str:
    """The local time at which a step starts: the time of day when the grid covers one day, else with its date; with its
    offset where a day has two.
    """
    return _local_text(grid.starts[step], grid) + grid.zone(step)


def _local_text(local: datetime, grid: Grid) -> str:
    return f"{local:%H:%M}" if one_day(grid) else f"{local.day} {_MONTHS[local.month - 1]} {local:%H:%M}"


def one_day(grid: Grid) -> bool:
    """Whether all steps of a grid are of one local day."""
    return bool(grid.starts) and grid.starts[0].date() == grid.starts[-1].date()


def end_moment(grid: Grid, step: int) -> str:
    """The local time at which a step ends; the day ends at 24:00."""
    if step + 1 < len(grid.starts):
        return moment(step + 1, grid)
    end = grid.starts[step] + timedelta(seconds=grid.seconds)
    return (
        "24:00" if one_day(grid) and end.date() != grid.starts[0].date() else _local_text(end, grid) + grid.zone(step)
    )


def time_ticks(grid: Grid, most: int = 9) -> dict[int, str]:
    """The steps with a tick on the time axis, and its label: round local times, or days if there are several.

    Where the axis has two offsets, or other queue managers have another local time, the first tick and the first after
    a change have theirs.
    """
    if not grid.starts:
        return {}
    span = len(grid.starts) * grid.seconds
    seconds = next((size for size in _TICKS if span / size <= most), _TICKS[-1])
    ticks: dict[int, str] = {}
    offsets = [grid.offset_minutes(step) for step in range(len(grid.starts))]
    with_offset = grid.several_zones or len(set(offsets)) > 1
    last, labelled = (-1, 0), None
    for step, local in enumerate(grid.starts):
        since = (local - datetime(1970, 1, 5)) // timedelta(seconds=1)  # a Monday
        slot = (since // seconds, offsets[step])
        if slot != last and since % seconds < grid.seconds:
            midnight = since % _DAY < min(seconds, grid.seconds) and not one_day(grid)
            ticks[step] = f"{local.day} {_MONTHS[local.month - 1]}" if midnight else f"{local:%H:%M}"
            if with_offset and offsets[step] != labelled:
                ticks[step] += f" ({short_offset(offsets[step])})"
                labelled = offsets[step]
        last = slot
    return ticks or {0: moment(0, grid)}
