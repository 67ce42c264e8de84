"""Queue statistics (115.216)."""

from __future__ import annotations

from fnmatch import fnmatchcase

from tests.oracle import Data, Row, view
from tests.oracle.formulas import joined
from tests.oracle.pools import site
from tests.oracle.records import CUT, QMGR, in_interval


def named(name: str | None, patterns: object) -> bool | None:
    """Whether a name is in a list of names and patterns of the site file; null without a list."""
    if not isinstance(patterns, tuple) or name is None:
        return None
    return any(fnmatchcase(name, pattern.replace("[", "[[]")) for pattern in patterns)


@view("queue_statistics", f"{CUT} queue record_id")
def queue_statistics(data: Data) -> list[Row]:
    """QQST; a partial record (QQSTPART) has neither depth, handles nor age."""
    rows = joined(data.raw("qqst"), site(data), QMGR, "ams_queues")
    for row in rows:
        row["ams"] = named(row["queue"], row["ams_queues"])
        if row["partial_record"]:
            row.update(dict.fromkeys(("depth", "output_handles", "input_handles", "oldest_message_s")))
    return in_interval(
        data, rows,
        """
        messages_put = puts + put1s
        persistent_messages_put = persistent_mqputs + persistent_mqput1s
        persistent_put_pct = 100 * persistent_messages_put / messages_put
        put_bytes = mqput_bytes + mqput1_bytes
        put_mib_per_s = put_bytes / MIB / interval_seconds
        get_mib_per_s = get_bytes / MIB / interval_seconds
        puts_per_s = messages_put / interval_seconds
        total_puts = messages_put
        nonpersistent_puts_per_s = (nonpersistent_mqputs + nonpersistent_mqput1s) / interval_seconds
        destructive_gets_per_s = destructive_gets / interval_seconds
        put_get_balance = messages_put - destructive_gets - expired_messages
        net_depth_per_s = put_get_balance / interval_seconds
        failed_puts = put_failures + put1_failures
        failed_put_pct = 100 * failed_puts / (messages_put + failed_puts)
        truncated_get_pct = 100 * gets_truncated / (gets_truncated + destructive_gets)
        waiting_getter_pct = 100 * puts_to_waiting_getter / messages_put
        no_message_per_get = gets_no_message / destructive_gets
        get_wait_redrives_per_get = get_wait_redrives / destructive_gets
        expired_pct = 100 * expired_messages / messages_put
        rollback_pct = 100 * (rolled_back_puts + rolled_back_gets) / (messages_put + destructive_gets)
        opens_per_put = opens / puts
        seconds_since_last_get = (interval_end_utc - last_get_utc) / 1e6
        seconds_since_last_put = (interval_end_utc - last_put_utc) / 1e6
        no_reader = None if partial_record else input_handles == 0 and depth > 0
        never_got = None if partial_record or section_length < 120 else last_get_utc is None and depth > 0    # QQSTLGDT since 9.3.1
        encryption_growth_bytes = 1430 if ams else None
        otel_spans = otel_producer_spans + otel_consumer_spans
        """,
    )  # fmt: skip
