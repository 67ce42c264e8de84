"""Compares trend, peaks, headroom and culprits of a report with the decoded records, by the oracle of tests/oracle and
through no view.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from mqstat.sql.workspace import Workspace
from tests import oracle
from tests.oracle.formulas import judgeable

Document = Mapping[str, Any]
Row = dict[str, Any]

LOWEST = ("lowest_pool_free_pct", "available_31_mib", "adapters_idle")
"""Figures of which the lowest is the peak."""
USED = {
    "page set, present size": ("page_set", "page set {page_set_id}", "used_pages", "total_pages"),
    "page set, largest size": ("page_set", "page set {page_set_id}", "used_pages", "largest_pages"),
    "buffer pool, 15 % free": ("buffer_pool", "buffer pool {pool_id}", "highest_used_pct", ""),
    "buffer pool, 5 % free": ("buffer_pool", "buffer pool {pool_id}", "highest_used_pct", ""),
    "current channels": ("channel_initiator", "", "current_channels", "max_channels"),
    "active channels": ("channel_initiator", "", "active_channels", "max_active_channels"),
    "busiest dispatcher": ("channel_initiator", "", "dispatcher_busiest_pct", ""),
    "busiest TLS task": ("channel_initiator", "", "ssl_busiest_pct", ""),
    "channel initiator 64-bit storage": ("channel_initiator", "", "chinit_64_mib", "chinit_64_limit_mib"),
}
"""Limits of `overview/headroom`: the view of the oracle, the subject, the column of the use and that of the limit."""


def record_contradictions(document: Document, db: Workspace) -> list[str]:
    """What a report states of trends, peaks, limits and culprits that the records contradict, one sentence each."""
    data = oracle.Data(db.execute)
    return [
        f"{check.__name__[1:]}: {text}"
        for check in (_growth, _peaks, _headroom, _culprits)
        for text in check(document, data)
    ]


def _table(document: Document, name: str) -> list[Row]:
    table = document["trend"].get(name) or document["reports"].get(name)
    names = [column["name"] for column in table["columns"]] if table else []
    return [dict(zip(names, row, strict=True)) for row in table["rows"]] if table else []


def _near(one: Any, other: Any) -> bool:
    """Whether a value of the JSON is that of the records; the last digits of a fit by least squares depend on the order
    of adding.
    """
    if one is None or other is None:
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    return bool(one == other)


def _growth(document: Document, data: oracle.Data) -> Iterator[str]:
    """The trend of page sets: median of the growth of daily maxima, by the records 115.201."""
    rows = _table(document, "page_set/growth")
    if not rows:
        return
    known = data.by("page_set_growth", "lpar", "qmgr", "page_set_id")
    for row in rows:
        key = row["lpar"], row["qmgr"], row["page_set_id"]
        expected = known.get(key)
        if expected is None:
            yield f"{key} has no record of its page set"
            continue
        for name in row.keys() & expected.keys() - {"last_expansion_utc"}:
            # The report gives days to a limit from 14 complete days on.
            if not (name.startswith("days_to_") and row[name] is None) and not _near(row[name], expected[name]):
                yield f"{key}: {name} is {row[name]}, the records give {expected[name]}"


def _peaks(document: Document, data: oracle.Data) -> Iterator[str]:
    """The peaks of the period: the extreme of the intervals that may be used for peaks."""
    rows = [row for row in _table(document, "overview/peaks") if row["peak_value"] is not None]
    usable: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for given in data.view("interval_headline") if rows else ():
        if judgeable(given) and not given["startup_interval"] and not given["suspect_first"]:
            usable[given["lpar"], given["qmgr"]].append(given)
    for row in rows:
        figures = [
            given[row["metric"]] for given in usable[row["lpar"], row["qmgr"]] if given.get(row["metric"]) is not None
        ]
        if figures:
            extreme = (min if row["metric"] in LOWEST else max)(figures)
            if not _near(row["peak_value"], extreme):
                yield f"{row['qmgr']} {row['metric']}: the peak is {row['peak_value']}, the records give {extreme}"


def _headroom(document: Document, data: oracle.Data) -> Iterator[str]:
    """The use of a limit is a value of the records, none of a settled interval is higher, and the limit is that of the
    records.

    The headroom of a queue manager that moved is on its last LPAR: its records of both count.
    """
    moves = {(row["from_lpar"], row["qmgr"]) for row in data.view("queue_manager_move") if not row["at_once"]}
    for row in _table(document, "overview/headroom"):
        known = USED.get(row["limit_name"])
        if known is None or row["used_value"] is None:
            continue
        view, subject, used, limit = known
        given = [
            each for each in data.view(view)
            if each["qmgr"] == row["qmgr"] and (each["lpar"] == row["lpar"] or (each["lpar"], each["qmgr"]) in moves) and each[used] is not None
            and (not subject or subject.format(**each) == row["limit_subject"])
        ]  # fmt: skip
        where = f"{row['qmgr']} {row['limit_name']} {row['limit_subject'] or ''}"
        if not any(_near(row["used_value"], each[used]) for each in given):
            yield f"{where}: used {row['used_value']}, the records have {sorted({each[used] for each in given})[-5:]}"
        if (
            limit
            and row["limit_value"] is not None
            and not any(_near(row["limit_value"], each[limit]) for each in given)
        ):
            yield f"{where}: the limit is {row['limit_value']}, the records have {sorted({each[limit] for each in given})[-5:]}"


def _culprits(document: Document, data: oracle.Data) -> Iterator[str]:
    """Culprits are ranked by their amount, and the queues of a page set or pool are those that use it."""
    rows = [
        row
        for row in _table(document, "overview/culprits")
        if row["work_rank"] is not None and row["base_name"] is not None
    ]
    places: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in data.raw("wq") if rows else ():
        places[row["lpar"], row["qmgr"], row["base_name"]] |= {
            f"page set {row['page_set_raw']}",
            f"buffer pool {row['pool_raw']}",
        }
    for row in data.raw("qqst") if rows else ():
        places[row["lpar"], row["qmgr"], row["queue"]] |= {
            f"page set {row['page_set_id']}",
            f"buffer pool {row['pool_id']}",
        }
    ranked: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        ranked[row["lpar"], row["qmgr"], row["rule_id"], row["subject"]].append(row)
        known = places.get((row["lpar"], row["qmgr"], row["base_name"]))
        if known and (row["subject"] or "").startswith(("page set ", "buffer pool ")) and row["subject"] not in known:
            yield f"{row['rule_id']} {row['subject']}: {row['base_name']} uses {', '.join(sorted(known))}"
    for key, members in ranked.items():
        amounts = [
            row["work_value"]
            for row in sorted(members, key=lambda row: row["work_rank"])
            if row["work_value"] is not None
        ]
        if amounts != sorted(amounts, reverse=True):
            yield f"{key}: ranked by {amounts}"
