"""Idle and clear, compared with the raw counters of the decoded tables and with the deciding figures: tests/truth.py
calls these.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mqstat.base.areas import WATCHED
from mqstat.judge.model import rules
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.truth_facts import Facts, Manager, Row, holds

CALM = ("clear in part", "reported by", "clear")
"""States that are judged and no finding, the worst first."""
CALLS = ("opens", "closes", "gets", "puts", "put1s")
MEASURED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "message_manager": {
        "qmst": (*CALLS, "inquires", "sets", "subscribes", "subscription_requests", "callbacks", "controls", "statuses"),
        "wq": CALLS, "qmac": ("puts_to_99", "puts_to_999", "puts_to_9999", "puts_10000_up", "gets_to_99", "gets_to_999", "gets_to_9999", "gets_10000_up"),
    },
    "data_manager": {"qist": ("dm_gets", "dm_puts", "object_creates", "object_puts", "object_deletes", "object_gets", "object_locates")},
    "topic": {"qtst": ("subscription_requests_total", "messages_to_subscribers", "api_publishes", "admin_publishes", "proxy_publishes")},
    "buffer_pool": {"qpst": ("page_gets_old", "page_gets_new", "pages_read", "set_writes", "pages_written")},
    "page_set": {"qpst": ("pages_read", "write_ios"), "qis1": ("read_ios", "deferred_write_ios", "immediate_write_ios")},
    "log": {"qjst": ("log_writes_wait", "log_writes_nowait", "log_writes_force", "log_reads_buffer", "log_reads_active", "log_reads_archive", "checkpoints")},
    "cf": {"qest_structure": ("single_calls", "multiple_calls"), "wtas": ("single_calls", "multiple_calls")},
    "smds": {"qesd": ("smds_allocate_requests", "smds_release_requests", "smds_read_requests", "smds_write_requests", "buffer_gets")},
    "db2": {"q5st": ("db2_deletes", "db2_lists", "db2_reads", "db2_updates", "db2_writes", "scst_selects", "scst_inserts", "scst_updates"), "wtas": ("db2_calls",)},
    "storage": {"qsst": ("getmains", "freemains")},
    "channel_initiator": {"qct_dsp": ("task_requests",), "qct_adp": ("task_requests",)},
    "channel": {"qcst": ("channel_messages", "batches", "bytes_sent", "bytes_received"), "qcct": ("active_channels",)},
    "task": {"wtas": ("other_calls", "commits", "backouts"), "wq": CALLS},
    "latch": {"wtas_latch": ("latch_class_waits",)},
    "queue": {"qqst": ("puts", "put1s", "destructive_gets", "browses", "opens", "depth_high"), "wq": CALLS},
    "opentelemetry": {"qmst": ("otel_put_propagated", "otel_get_propagated", "otel_put_discarded", "otel_put_invalid", "otel_put_too_many_properties", "otel_get_invalid", "otel_put_state_truncated", "otel_get_state_truncated", "otel_consumer_spans", "otel_producer_spans", "otel_get_discarded", "otel_producer_span_limit", "otel_consumer_span_limit", "otel_span_storage_drops", "otel_spans_ok", "otel_spans_failed", "otel_spans_failed_capacity", "otel_bridge_spans", "otel_bridge_propagated", "otel_bridge_discarded"), "qqst": ("otel_consumer_spans", "otel_producer_spans")},
}  # fmt: skip
"""Decoded tables with fields that count the work of an area. No view is read."""


@cache
def _query(table: str, columns: tuple[str, ...]) -> str:
    highest = ", ".join(f"max({name})" for name in columns)
    return f"SELECT lpar, qmgr, greatest({highest}, 0) FROM decoded.{table} GROUP BY lpar, qmgr"


def raw_activity(db: Workspace) -> Mapping[tuple[Manager, str], Mapping[str, float]]:
    """For each queue manager and area the highest counter in each table that has records of it."""
    made: dict[tuple[Manager, str], dict[str, float]] = {}
    for area, tables in MEASURED.items():
        for table, columns in tables.items():
            for lpar, qmgr, highest in db.execute(_query(table, columns)).fetchall():
                made.setdefault(((lpar, qmgr), area), {})[table] = float(highest or 0)
    return made


def idle_contradictions(document: Mapping[str, Any], findings: Sequence[Row], facts: Facts) -> Iterator[str]:
    """Idle is stated only where all counters of the area are 0, and active only where one is not."""
    raw = raw_activity(facts.db)
    for line in document["rules"]:
        for state in line["queue_managers"]:
            yield from _of_state(f"{line['rule_id']} on {state['qmgr']}", line["area"], state, raw)
    for tile in document["tiles"]:
        yield from _of_state(f"tile {tile['area']} of {tile['qmgr']}", tile["area"], tile, raw)
    for row in findings:
        if row["state"] == "not judged" and row["qmgr"] and not json.loads(row["not_judged"])["activity"]:
            yield f"{row['rule_id']} on {row['qmgr']}: active, and no counter of the area is stated"


def _of_state(
    where: str, area: str, state: Mapping[str, Any], raw: Mapping[tuple[Manager, str], Mapping[str, float]]
) -> Iterator[str]:
    counters = raw.get(((state["lpar"], state["qmgr"]), area), {})
    if state["state"] == "idle" and any(counters.values()):
        yield f"{where}: idle, and the records have {dict(counters)}"
    if state["state"] == "not judged" and counters and not any(counters.values()):
        yield f"{where}: active, and all of {', '.join(counters)} are 0"


def clear_contradictions(document: Mapping[str, Any]) -> Iterator[str]:
    """A clear area or tile has a rule that was judged, the first of those that are watched, and its figure is inside
    its limit.
    """
    given = [(line, state) for line in document["rules"] for state in line["queue_managers"]]
    for tile in document["tiles"]:
        where, owner = f"tile {tile['area']} of {tile['qmgr']}", (tile["lpar"], tile["qmgr"])
        below = [(line, state) for line, state in given if (state["lpar"], state["qmgr"]) == owner]
        yield from _not_clear(where, tile["area"], tile, below)
    for area in document["verdict"]:
        yield from _not_clear(f"area {area['area']}", area["rule_area"], area, given)


def _not_clear(
    where: str, area: str, line: Mapping[str, Any], given: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> Iterator[str]:
    below = [(rule["rule_id"], state["state"]) for rule, state in given if rule["area"] == area]
    calm = line["state"]
    if calm not in CALM or len(dict(below)) == 1:
        return
    judged = {rule_id for rule_id, state in below if state == calm}
    decided = line["deciding"]
    if decided is None:
        yield f"{where}: {calm} without a deciding figure"
        return
    watched = [rule_id for rule_id in WATCHED[area] if rule_id in judged]
    if decided["rule_id"] not in judged:
        yield f"{where}: {calm} by {decided['rule_id']}, which was not judged"
    if decided["rule_id"] not in watched and set(below) != {(rule_id, calm) for rule_id in judged}:
        yield f"{where}: {calm} by {decided['rule_id']}; the rules that are watched and were judged are {watched}"
    clause = rules()[decided["rule_id"]].clause(decided["clause"])
    if decided["clear_because"] is None and holds(clause, decided["observed"], decided["limit_value"]):
        yield f"{where}: {calm}, and {decided['observed']} {decided['operator']} {decided['limit_value']} holds"
    if decided["clear_because"] == "condition":
        yield f"{where}: {calm} by a figure that is beyond its limit"
