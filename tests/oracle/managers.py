"""The message, data and lock managers, and topics: one row an interval."""

from __future__ import annotations

from tests.oracle import Data, Row, view
from tests.oracle.formulas import joined, unsigned
from tests.oracle.records import CUT, in_interval

FIELDS = "opens closes gets puts put1s inquires inquire_likes sets"


@view("message_manager", CUT)
def message_manager(data: Data) -> list[Row]:
    return in_interval(
        data, unsigned(data.raw("qmst"), "qmst", 1),
        """
        total_puts = puts + put1s                                                    # QMSTPUT, QMSTPUT1
        put1_pct = 100 * put1s / (puts + put1s)
        mqi_calls = opens + closes + gets + puts + put1s + inquires + inquire_likes + sets + first(subscribes, 0)
          + first(subscription_requests, 0) + first(callbacks, 0) + first(controls, 0) + first(statuses, 0)
        puts_per_s = (puts + put1s) / interval_seconds
        gets_per_s = gets / interval_seconds
        mqi_calls_per_s = mqi_calls / interval_seconds
        persistent_put_pct = 100 * persistent_puts / (persistent_puts + nonpersistent_puts)
        average_persistent_bytes = persistent_put_bytes / persistent_puts
        average_nonpersistent_bytes = nonpersistent_put_bytes / nonpersistent_puts
        put_mib_per_s = (persistent_put_bytes + nonpersistent_put_bytes) / MIB / interval_seconds
        opens_per_put = opens / puts
        otel_spans_lost = otel_spans_failed + otel_spans_failed_capacity + otel_span_storage_drops
        otel_smf_lost = otel_smf_failed + otel_smf_failed_capacity
        otel_failures = otel_spans_lost + otel_smf_lost
        otel_bad_contexts = otel_put_invalid + otel_get_invalid + otel_put_too_many_properties + otel_put_state_truncated + otel_get_state_truncated
          + otel_producer_span_limit + otel_consumer_span_limit + first(otel_bridge_discarded, 0)
        otel_contexts = otel_put_propagated + otel_get_propagated + otel_bad_contexts
        otel_bad_context_pct = 100 * otel_bad_contexts / otel_contexts
        otel_smf_wait_pct = 100 * otel_task_wait_smf_us / (interval_us * otel_tasks)
        otel_task_cpu_pct = 100 * otel_task_cpu_us / (interval_us * otel_tasks)
        """,
    )  # fmt: skip


@view("data_manager", CUT)
def data_manager(data: Data) -> list[Row]:
    """QIST with QMST of the same record 115.2."""
    rows = joined(data.raw("qist"), data.by("decoded.qmst", "record_id"), "record_id", "gets puts put1s")
    return in_interval(
        data, rows,
        """
        mm_gets = gets                                  # QMSTGET
        mm_puts = puts + put1s
        get_difference = mm_gets - dm_gets
        put_difference = mm_puts - dm_puts
        dm_gets_per_mm_get = dm_gets / mm_gets
        gets_from_disk_pct = 100 * gets_from_disk / dm_gets
        delete_create_ratio = object_deletes / object_creates
        object_creates_per_s = object_creates / interval_seconds
        """,
    )  # fmt: skip


@view("lock_manager", CUT)
def lock_manager(data: Data) -> list[Row]:
    return in_interval(
        data, data.raw("qlst"),
        """
        lock_gets_per_s = lock_gets / interval_seconds
        held_pct = 100 * lock_gets_held / lock_gets
        lock_growth = lock_gets - lock_releases
        """,
    )  # fmt: skip


@view("topic", CUT)
def topic(data: Data) -> list[Row]:
    rows = joined(data.raw("qtst"), data.by("decoded.qmst", "record_id"), "record_id", "publications")
    return in_interval(
        data, rows,
        """
        publishes = api_publishes + admin_publishes + proxy_publishes                # QTSTPTOT
        publishes_judged = greatest(publishes, publications, publishes_without_subscriber)
        fan_out = messages_to_subscribers / publishes
        no_subscriber_pct = 100 * publishes_without_subscriber / publishes_judged
        average_publish_us = publish_total_us / publishes
        publishes_per_s = publishes / interval_seconds
        """,
    )  # fmt: skip
