"""Figures of an interval from all areas, and of the whole period from the log, channels and applications."""

from __future__ import annotations

from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.applications import sums, with_names_of_site
from tests.oracle.channels import NAMED, SENDERS
from tests.oracle.formulas import AGGREGATES, computed, first, grouped, groups, joined, level, where
from tests.oracle.queue_statistics import named
from tests.oracle.records import CUT, QMGR, with_qsg
from tests.oracle.tasks import caller

KEY = tuple(CUT.split())


def keyed(rows: list[Row], by: str = CUT) -> dict[tuple[Any, ...], Row]:
    return {tuple(row[name] for name in by.split()): row for row in rows}


def highest(data: Data, rows: list[Row], name: str, columns: str) -> list[Row]:
    """The rows with columns of a view: the highest of an interval, if it has several records."""
    values = grouped(data.view(name), CUT, "\n".join(f"{column} = max({column})" for column in columns.split()))
    return joined(rows, keyed(values), CUT, columns)


@view("interval_headline", CUT)
def interval_headline(data: Data) -> list[Row]:
    """One figure of each area that shows its state first; those of a class that was not collected are null."""
    rows = with_qsg(data, data.view("interval_cut"))
    names = "puts_per_s gets_per_s mqi_calls_per_s persistent_puts nonpersistent_puts persistent_put_pct"
    rows = highest(data, rows, "message_manager", names)
    names = (
        "log_created_mib_per_s logger_task_busy_pct log_buffer_waits longest_log_io_us checkpoints log_reads_archive"
    )
    rows = highest(data, rows, "log", names)
    pools = grouped(
        data.view("buffer_pool"), CUT,
        """
        lowest_pool_free_pct = min(lowest_free_pct)
        lowest_pool_id = earliest(pool_id, lowest_free_pct, pool_id)
        synchronous_write_hits = sum(synchronous_write_hits)
        no_buffer_waits = sum(no_buffer_waits)
        page_set_ios_per_s = sum(page_set_ios_per_s)
        """,
    )  # fmt: skip
    rows = joined(
        rows,
        keyed(pools),
        CUT,
        "lowest_pool_free_pct lowest_pool_id synchronous_write_hits no_buffer_waits page_set_ios_per_s",
    )
    page_sets = grouped(
        data.view("page_set"), CUT,
        """
        fullest_page_set_pct = max(used_pct)
        fullest_page_set_id = earliest(page_set_id, -used_pct, page_set_id)
        page_set_fulls = sum(full_count)
        page_set_expansions = count(where=grown_pages > 0) if count(where=grown_pages is not None) > 0 else None
        """,
    )  # fmt: skip
    rows = joined(
        rows, keyed(page_sets), CUT, "fullest_page_set_pct fullest_page_set_id page_set_fulls page_set_expansions"
    )
    structures = grouped(
        data.view("cf_structure"), CUT,
        """
        cf_calls_per_s = sum(cf_calls_per_s)
        cf_redrives = sum(single_redrives + multiple_redrives)
        cf_calls = sum(cf_calls)
        cf_redrive_pct = 100 * cf_redrives / cf_calls
        structure_fulls = sum(structure_fulls)
        """,
    )  # fmt: skip
    rows = joined(rows, keyed(structures), CUT, "cf_calls cf_redrives cf_calls_per_s cf_redrive_pct structure_fulls")
    smds = grouped(data.view("smds"), CUT, "smds_waits = sum(pool_waits + busy_buffer_waits)")
    rows = joined(rows, keyed(smds), CUT, "smds_waits")
    rows = highest(data, rows, "db2", "db2_queue_high")
    rows = highest(data, rows, "storage", "sos_set")
    regions = grouped(data.view("storage_region"), CUT, "available_31_mib = min(available_31_mib)")
    rows = joined(rows, keyed(regions), CUT, "available_31_mib")
    cut_of = {row["record_id"]: row["cut_start_utc"] for row in data.view("channel_interval")}
    chinit = [{**row, "interval_start_utc": cut_of.get(row["record_id"])} for row in data.view("channel_initiator")]
    busiest = "active_channels_pct adapter_busiest_pct dispatcher_busiest_pct ssl_busiest_pct"
    made = "\n".join(f"{name} = max({name})" for name in busiest.split()) + "\nadapters_idle = min(adapters_idle)"
    return joined(rows, keyed(grouped(chinit, CUT, made)), CUT, f"adapters_idle {busiest}")


@view("accounting_missed", QMGR)
def accounting_missed(data: Data) -> list[Row]:
    tasks = grouped(data.raw("wtas"), QMGR, "start = min(task_interval_start_utc)\nend = max(task_interval_end_utc)")
    blocks = keyed(grouped(data.raw("wq"), QMGR, sums("opens closes gets puts put1s inquires sets".split())), QMGR)
    counted = groups(data.view("message_manager"), QMGR)
    out = []
    for row in with_qsg(data, tasks):
        key = row["lpar"], row["qmgr"]
        inside = [
            r for r in counted.get(key, ())
            if row["start"] < r["interval_end_utc"] <= row["end"] + 1_000_000
            and row["start"] - 1_000_000 <= r["interval_start_utc"] < row["end"]
        ]  # fmt: skip
        mine = blocks.get(key, {})
        if not inside:
            continue
        counted_calls: dict[str, Any] = {}
        for name in ("opens", "closes", "gets", "puts", "put1s", "inquires", "sets"):
            counted_calls[name] = AGGREGATES["sum"](r[name] for r in inside)
            row[name] = max(0, (counted_calls[name] or 0) - (mine.get(name) or 0))
        row["counted_puts"] = counted_calls["puts"] + counted_calls["put1s"]
        row["accounted_puts"] = (mine.get("puts") or 0) + (mine.get("put1s") or 0)
        out.append(row)
    return computed(out, "put_coverage_pct = 100 * accounted_puts / counted_puts")


@view("queue_callback", QMGR)
def queue_callback(data: Data) -> list[Row]:
    return grouped(data.raw("wq"), QMGR, "accounted_callbacks = sum(callbacks)")


@view("message_balance", CUT)
def message_balance(data: Data) -> list[Row]:
    columns = "puts put1s controls callbacks opens gets"
    rows = joined(data.view("data_manager"), data.by("message_manager", *KEY), CUT, columns)
    rows = joined(rows, data.by("queue_callback", "lpar", "qmgr"), QMGR, "accounted_callbacks")
    return computed(
        rows,
        """
        mm_gets = gets
        mm_mqputs = puts
        mm_put1s = put1s
        mm_puts = puts + put1s
        callback_calls = first(callbacks, 0) + first(controls, 0) + first(accounted_callbacks, 0)
        has_callbacks = callback_calls > 0
        opens_per_s = opens / interval_seconds
        message_calls = mm_puts + greatest(mm_gets, dm_gets)
        opens_per_message_call = opens / message_calls
        """,
    )


@view("channel_period", "lpar qmgr channel_name channel_type")
def channel_period(data: Data) -> list[Row]:
    """V92: sending in batches of 50 instead of single messages saves 38.53 - 22.16 us at both ends; catalogue, report
    channel/batches: of nonpersistent messages alone.
    """
    rows = computed(
        where(data.view("channel"), f"is_message_channel and {NAMED}"),
        """
        weighted_us = network_average_us * batches
        saving_us = (38.53 - 22.16) * channel_messages if persistent_channel_messages == 0 and achieved_batch_size < 2 else None
        """,
    )
    sent = {row["channel_name"] for row in rows if row["channel_type"] in SENDERS}
    for row in rows:
        row["sender_seen"] = row["channel_name"] in sent
    return grouped(
        rows, "lpar qmgr channel_name channel_type",
        """
        record_id = min(record_id)
        partner_name = max(partner_name)
        is_sending_end = channel_type in ('Sender', 'Server', 'ClusSdr')
        batches_judged_here = is_sending_end or not any(sender_seen)
        channel_instances = distinct(first(connection_name, '') + text(channel_start_utc))
        channel_messages = sum(channel_messages)
        persistent_channel_messages = sum(persistent_channel_messages)
        persistent_channel_pct = 100 * persistent_channel_messages / channel_messages
        observed_s = sum(observed_s)
        channel_messages_per_s = channel_messages / observed_s
        peak_messages_per_s = max(channel_messages_per_s)
        bytes_ = sum(channel_message_bytes)
        average_channel_message_bytes = bytes_ / channel_messages
        batches = sum(batches)
        full_batches = sum(full_batches)
        full_batch_pct = 100 * full_batches / batches
        achieved_batch_size = channel_messages / batches
        batch_size_limit = last(batch_size_limit, interval_start_utc, batch_size_limit)
        batch_interval_ms = last(batch_interval_ms, interval_start_utc, batch_interval_ms)
        batch_limit_kib = last(batch_limit_kib, interval_start_utc, batch_limit_kib)
        batch_kib = bytes_ / 1024 / batches
        transmission_queue_empty = sum(transmission_queue_empty)
        network_average_high_us = max(network_average_us)
        network_mean_us = sum(weighted_us) / sum(batches, where=network_average_us > 0)    # 0: nothing was measured
        rated = sum(greatest(batches, 1), where=compression_rate_pct is not None)
        compression_mean_pct = sum(compression_rate_pct * greatest(batches, 1)) / rated
        cost_saving_at_50_s = sum(saving_us) / 1e6
        channel_log_mib = sum(channel_log_bytes) / MIB
        predicted_cost_s = sum(predicted_cost_us) / 1e6
        """,
    )  # fmt: skip


@view("coverage_task_rate", QMGR)
def coverage_task_rate(data: Data) -> list[Row]:
    calls = keyed(grouped(data.view("queue_use"), QMGR, "calls = sum(opens + closes + puts + put1s + gets)"), QMGR)
    rows = grouped(
        data.raw("wtas"), QMGR,
        """
        task_records = count()
        seconds = (max(written_local) - min(written_local)) / 1e6
        span_seconds = seconds if seconds >= 10 else None
        task_records_per_s = task_records / span_seconds
        """,
    )  # fmt: skip
    return computed(
        joined(rows, calls, QMGR, "calls"),
        "queue_calls_total = first(calls, 0)\ncalls_per_record = queue_calls_total / task_records",
    )


@view("coverage_connection", QMGR)
def coverage_connection(data: Data) -> list[Row]:
    """The identity of a connection is in WTID of 116.1 and 116.2 and in QWHC of 116.0; AMS runs in the address space of
    the name of the queue manager and AMSM.
    """
    accounted = {row["record_id"] for row in data.raw("record") if row["record_class"] == "116.0"}
    rows = [*data.raw("wtid"), *(row for row in data.raw("qwhc") if row["record_id"] in accounted)]
    for row in rows:
        row["ams"] = row["connection_job"] == f"{row['qmgr']}AMSM"
    return grouped(
        rows, QMGR,
        """
        connections_accounted = count()
        channel_connections = count(where=connection_type_code == 6)
        ams_connections = count(where=ams)
        ams_record_id = min(record_id, where=ams)
        """,
    )  # fmt: skip


@view("other_record", "source_id lpar smf_type")
def other_record(data: Data) -> list[Row]:
    return data.every("other_record")


@view("coverage_system", "lpar")
def coverage_system(data: Data) -> list[Row]:
    return where(
        grouped(
            data.view("other_record"), "lpar",
            """
            other_types = distinct(smf_type, where=smf_type not in (2, 3))
            lost_data_records = first(sum(records, where=smf_type == 7), 0)
            first_lost_local = min(first_written_local, where=smf_type == 7)
            last_lost_local = max(last_written_local, where=smf_type == 7)
            """,
        ), "other_types > 0",
    )  # fmt: skip


@view("application_connect", "lpar qmgr application connection_type_name")
def application_connect(data: Data) -> list[Row]:
    """Class 1 where a queue manager has it, otherwise the ended tasks of class 3."""
    with_class1 = {(row["lpar"], row["qmgr"]) for row in data.view("connection")}
    rows: list[Row] = []
    for row in data.view("connection"):
        name = caller(row, row["connection_job"])
        rows.append(
            {
                **row,
                "application": name,
                "connect_source": "class 1",
                "calls": None if None in (calls := (row["class1_puts"], row["class1_gets"])) else sum(calls),
                "ended_utc": row["disconnect_utc"],
            }
        )
    rows += [
        {
            **row,
            "application": row["application_group"],
            "connect_source": "class 3",
            "calls": row["mq_calls"],
            "ended_utc": row["task_interval_end_utc"],
        }
        for row in data.view("task")
        if row["task_ended"] and (row["lpar"], row["qmgr"]) not in with_class1
    ]
    spans = keyed(
        grouped(
            rows,
            QMGR,
            "seconds = (max(ended_utc) - min(ended_utc)) / 1e6\nperiod_seconds = seconds if seconds >= 10 else None",
        ),
        QMGR,
    )
    out = grouped(
        with_names_of_site(data, rows, "application"), "lpar qmgr application connection_type_name",
        """
        connect_source = max(connect_source)
        stays_connected = any(connection_type_code not in (2, 7))    # CICS, IMS, command server, channel initiator, intra-group queuing
        connects = count()
        connect_calls = sum(calls)
        """,
    )  # fmt: skip
    return computed(
        joined(out, spans, QMGR, "period_seconds"),
        "connects_per_s = connects / period_seconds\ncalls_per_connect = connect_calls / connects",
    )


def old(row: Row, since: int) -> bool:
    return level(row["mq_version"]) < since


__all__ = ["first", "named"]
