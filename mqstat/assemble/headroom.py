"""One line per queue manager with a limit that is near: which is reached first and when; and why other limits have no
forecast.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from mqstat.assemble.page_model import QmgrState
from mqstat.assemble.table_model import LocalTimes
from mqstat.base.formatting import clean, figure, plural
from mqstat.base.grouping import grouped_by
from mqstat.base.inputs import report_command

REPORT = "overview/headroom"
"""The report that has a row for every limit."""

FEWEST_DAYS = 14
"""Days of data without which no limit has a forecast."""

NEAR_PCT = 80
"""Used percentage of a limit from which a queue manager without a dated limit has a line."""

NEXT = 2
"""Further limits with a date that the line names."""

Row = Mapping[str, Any]


def with_headroom(qmgrs: Sequence[QmgrState], limits: Iterable[Row], times: LocalTimes) -> tuple[QmgrState, ...]:
    """The states of the queue managers with the line about their limits; `limits` are rows of report
    overview/headroom.
    """
    by_manager = grouped_by(limits, itemgetter("lpar", "qmgr"))
    return tuple(
        msgspec.structs.replace(
            manager, headroom=headroom_text(by_manager.get((manager.lpar, manager.qmgr), []), times)
        )
        for manager in qmgrs
    )


def headroom_text(rows: Sequence[Row], times: LocalTimes) -> str:
    """The first limit that is reached and the next ones, else the nearest one if more than NEAR_PCT is used; empty if
    none is near. `rows` are those of one queue manager.
    """
    placed = sorted((row for row in rows if row["limit_place"] is not None), key=lambda row: row["limit_place"])
    reached = [row for row in placed if row["headroom_state"] == "reached"]
    dated = [row for row in placed if row["headroom_state"] != "reached"]
    texts = []
    if reached:
        more = f" and {plural(len(reached) - 1, 'more limit')}" if len(reached) > 1 else ""
        texts.append(f"reached: {limit_label(reached[0])}{_at(reached[0], times)}{more}")
    if dated:
        texts.append(f"{'next' if reached else 'first'} {_dated(dated[0])}")
        texts += [f"then {_dated(row)}" for row in dated[1:NEXT]]
    return "; ".join(texts or _nearest(rows))


def limit_label(row: Row) -> str:
    """The limit with its subject: `page set 4, present size`, or `31-bit storage without its reserve`."""
    subject = row["limit_subject"]
    if subject is None:
        return str(row["limit_name"])
    rest = str(row["limit_name"]).partition(", ")[2]
    expands = " (expands)" if row["limit_note"] == "expands" else ""
    return clean(f"{subject}, {rest}" if rest else str(subject)) + expands


def _at(row: Row, times: LocalTimes) -> str:
    at = row["reached_at_utc"]
    return "" if at is None else f" at {times.text(row['lpar'], row['qmgr'], at)}"


def _dated(row: Row) -> str:
    dates = (row[name] for name in ("reach_date_early", "reach_date", "reach_date_late"))
    early, likely, late = (f"{date:%Y-%m-%d}" if date else "" for date in dates)
    between = f" ({early} or later)" if not late else "" if early == late else f" ({early} to {late})"
    return f"{limit_label(row)}: {figure(row['used_share_pct'], 'percent')} used, reached about {likely}{between}"


def _nearest(rows: Sequence[Row]) -> list[str]:
    """The limit whose use is highest relative to the share that should not be exceeded, if it is near: what of it was
    always left.
    """
    known = [row for row in rows if row["limit_ends_service"] and row["used_share_pct"] is not None]
    near = [row for row in known if row["used_share_pct"] >= min(NEAR_PCT, row["planning_share_pct"])]
    if not near:
        return []
    nearest = max(near, key=lambda row: row["used_share_pct"] / row["planning_share_pct"])
    # The limit of a pool is a share of its buffers: what is free counts to the end of the pool.
    is_pool = nearest["limit_name"].startswith("buffer pool")
    label = clean(nearest["limit_subject"]) if is_pool else limit_label(nearest).partition(" without")[0]
    free = 100 - nearest["used_value" if is_pool else "used_share_pct"]
    return [f"closest: {label}, {figure(max(free, 0), 'percent')} free at worst"]


def no_forecast(rows: Sequence[Row]) -> Iterable[tuple[str, str]]:
    """Label and text about the limits without a date that more data would give one; `rows` are those of all queue
    managers.
    """
    few = [row for row in rows if row["headroom_state"] == "too few days"]
    started = [row for row in rows if row["headroom_state"] == "too few days since restart"]
    unusable = [row for row in rows if row["headroom_state"] == "no usable interval"]
    texts = []
    if few:
        needed = min(row["days_needed"] for row in few)
        texts.append(f"less than {needed} days of data" + ("" if needed <= FEWEST_DAYS else f" for {_names(few)}"))
    if started:
        texts.append(f"restarted less than 7 days before the end of the data: {_names(started)}")
    if unusable:
        texts.append(f"no usable interval for {plural(len(unusable), 'limit')}")
    if texts:
        yield "no forecast", "; ".join([*texts, report_command(REPORT)])


def undeclared(rows: Iterable[Row]) -> tuple[str, ...]:
    """The limits that the site file lacks."""
    return tuple(dict.fromkeys(_name(row) for row in rows if row["headroom_state"] == "no limit declared"))


def _names(rows: Iterable[Row]) -> str:
    return ", ".join(dict.fromkeys(map(_name, rows)))


def _name(row: Row) -> str:
    return str(row["limit_name"]).replace(", ", " ")
