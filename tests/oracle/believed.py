"""Longest times and the totals of which they are a part: one that is longer than its total, or that repeats, happened
in an earlier interval.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.oracle import Data, Row

REQUESTS = (
    *("delete", "list", "read", "update", "write", "scst_select", "scst_insert", "scst_update", "scst_delete"),
    *("sskt_select", "sskt_insert", "sskt_delete"),
    *("blob_select", "blob_insert", "blob_update", "blob_delete", "blob_list"),
)
"""The kinds of Db2 requests of Q5ST."""
TOTALS: dict[str, dict[str, str]] = {
    "q5st": {f"{kind}_{part}_longest_us": f"{kind}_{part}_us" for kind in REQUESTS for part in ("thread", "sql")},
    "qct_dns": {"dns_longest_us": "task_request_et_us"},
    "qct_ssl": {"ssl_longest_us": "task_request_et_us"},
    "qjst": {"zhl_longest_1ci_us": "zhl_total_1ci_us", "zhl_longest_multi_us": "zhl_total_multi_us"},
    "qjst_log_io": {"io_longest_us": "io_total_us", "request_longest_us": "request_total_us"},
    "qtst": {"publish_longest_us": "publish_total_us"},
    "wq": {"time_on_queue_high_us": "time_on_queue_total_us"},
    "wtas": {"db2_thread_longest_us": "db2_thread_us", "db2_server_longest_us": "db2_server_us"},
    "wtas_latch": {"latch_class_longest_us": "latch_class_wait_us"},
}
"""By decoded table, each longest time with its total."""
EVENTS = {
    "q5st": ("lpar", "qmgr"), "qjst_log_io": ("lpar", "qmgr", "log_copy", "io_type"), "qtst": ("lpar", "qmgr"),
    "wtas_latch": ("lpar", "qmgr", "task_correlator", "latch_class"),
}  # fmt: skip
"""The owners of longest times of which each interval may count as an event: one that repeats is carried over from 1 ms
on."""
CLOCKS = {"io_longest_us": "io_longest_at_utc", "request_longest_us": "request_longest_at_utc"}
"""The times at which they happened, if the record has them: then one that repeats has the same."""


def believed(data: Data, table: str, rows: list[Row]) -> list[Row]:
    """The rows of a decoded table without the longest times that did not happen in their interval."""
    tasks: dict[Any, Row] = {}
    if table == "wtas_latch":
        tasks = {row["record_id"]: row for row in data.raw("wtas")}
        rows = [{**row, "task_correlator": (tasks.get(row["record_id"]) or {}).get("task_correlator")} for row in rows]
    before: dict[Any, dict[str, Any]] = defaultdict(dict)

    def order(row: Row) -> tuple[Any, ...]:
        start = (tasks.get(row["record_id"]) or {}).get("task_interval_start_utc", row.get("interval_start_utc"))
        return (start is None, start or 0, row["record_id"])

    out = {}
    for row in sorted(rows, key=order):
        changed = dict(row)
        owner = tuple(row[name] for name in EVENTS.get(table, ()))
        for longest, total in TOTALS[table].items():
            value = row[longest]
            if value is None:
                continue
            event = (value, row.get(CLOCKS.get(longest, "")))
            repeated = table in EVENTS and value >= 1000 and before[owner].get(longest) == event
            if repeated or (row[total] is not None and value > row[total]):
                changed[longest] = None
            if value >= 1000 or table != "wtas_latch":
                before[owner][longest] = event
        out[id(row)] = changed
    return [out[id(row)] for row in rows]
