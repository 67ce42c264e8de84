"""One line per queue manager about its limits: which is reached first and when, and which the data does not show."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from mqstat.assemble.model import LocalTimes, QmgrState, Table
from mqstat.base.formatting import clean, figure, plural

REPORT = "overview/headroom"
"""The report that has a row for every limit."""

FEWEST_DAYS = 14
"""Days of data without which no limit has a forecast."""

NEXT = 2
"""Further limits with a date that the line names."""

Row = Mapping[str, Any]


def with_headroom(qmgrs: Sequence[QmgrState], tables: Iterable[Table], times: LocalTimes) -> tuple[QmgrState, ...]:
    """The states of the queue managers with the line about their limits; unchanged without the report of the limits."""
    table = next((table for table in tables if table.report_id == REPORT), None)
    if table is None:
        return tuple(qmgrs)
    names = [column.name for column in table.columns]
    by_manager: dict[tuple[str | None, str | None], list[Row]] = {}
    for values in table.rows:
        row = dict(zip(names, values, strict=True))
        by_manager.setdefault((row["lpar"], row["qmgr"]), []).append(row)
    return tuple(
        dataclasses.replace(manager, headroom=headroom_text(by_manager.get((manager.lpar, manager.qmgr), []), times))
        for manager in qmgrs
    )


def headroom_text(rows: Sequence[Row], times: LocalTimes) -> str:
    """The first limit that is reached, the next ones, and the number of limits without a date; `rows` are those of one queue manager."""
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
    if not placed:
        texts.append(_nearest(rows))
    return "; ".join([*texts, *_unknown(rows)])


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
    early, likely, late = (_day(row[name]) for name in ("reach_date_early", "reach_date", "reach_date_late"))
    between = f" ({early} or later)" if not late else "" if early == late else f" ({early} to {late})"
    return f"{limit_label(row)}: {figure(row['used_share_pct'], 'percent')} used, reached about {likely}{between}"


def _day(value: datetime | None) -> str:
    return "" if value is None else f"{value:%Y-%m-%d}"


def _nearest(rows: Sequence[Row]) -> str:
    """The limit whose use is highest relative to the share that should not be exceeded, and how much of it was always left."""
    known = [row for row in rows if row["limit_ends_service"] and row["used_share_pct"] is not None]
    if not known:
        return "no limit is known"
    nearest = max(known, key=lambda row: row["used_share_pct"] / row["planning_share_pct"])
    # The limit of a pool is a share of its buffers: what is free counts to the end of the pool.
    is_pool = nearest["limit_name"].startswith("buffer pool")
    label = clean(nearest["limit_subject"]) if is_pool else limit_label(nearest).partition(" without")[0]
    free = 100 - nearest["used_value" if is_pool else "used_share_pct"]
    near = "" if nearest["used_share_pct"] >= nearest["planning_share_pct"] else "no limit is near; "
    return f"{near}closest: {label}, {figure(max(free, 0), 'percent')} free at worst"


def _unknown(rows: Sequence[Row]) -> Iterable[str]:
    """Why other limits have no date, if more or other data would give one."""
    few = [row for row in rows if row["headroom_state"] == "too few days"]
    needed = min((row["days_needed"] for row in few), default=0)
    if few:
        every = needed <= FEWEST_DAYS
        yield f"less than {needed} days of data: no forecast" + ("" if every else f" of {_names(few)}")
    started = [row for row in rows if row["headroom_state"] == "too few days since restart"]
    if started:
        yield f"restarted less than 7 days before the end of the data: no forecast of {_names(started)}"
    unusable = [row for row in rows if row["headroom_state"] == "no usable interval"]
    if unusable:
        yield f"no usable interval for {plural(len(unusable), 'limit')}"
    undeclared = [row for row in rows if row["headroom_state"] == "no limit declared"]
    if undeclared:
        yield f"not in the site file: {_names(undeclared)}"
    missing = dict.fromkeys(
        row["limit_note"] for row in rows if row["headroom_state"] in ("not collected", "not in this release")
    )
    if missing:
        yield f"no records {', '.join(sorted(missing))}"


def _names(rows: Iterable[Row]) -> str:
    return ", ".join(dict.fromkeys(row["limit_name"].replace(", ", " ") for row in rows))
