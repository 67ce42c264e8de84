"""Channels, and the channel initiator with its tasks."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.ciphers import CIPHERS, WEAK
from tests.oracle.formulas import computed, first, grouped, groups, joined, known, level, quantile, where
from tests.oracle.pools import site
from tests.oracle.queue_statistics import named
from tests.oracle.records import CUT, QMGR, with_qsg

INSTANCE = "record_id section"
NAMED = "channel_name is not None"
SENDERS, MESSAGES = (
    ("Sender", "Server", "ClusSdr"),
    ("Sender", "Server", "Receiver", "Requester", "ClusRcvr", "ClusSdr"),
)
DOWN = ("Retrying", "Stopped", "Paused")
MIB = 1 << 20
FRAGMENT = "interval_seconds = interval_us / 1e6\nfragment = interval_seconds < shortest_judged_seconds"


def of_chinit(data: Data, rows: list[Row]) -> list[Row]:
    """Rows of the channel initiator with the flags of the statistics interval that ends with them."""
    cuts = data.by("channel_interval", "record_id")
    flags = data.by("interval_cut", *CUT.split())
    rows = joined(rows, cuts, "record_id", "cut_start_utc")
    out = []
    for row in rows:
        cut = flags.get((row["lpar"], row["qmgr"], row["cut_start_utc"]))
        out.append({**row, **{name: (cut or {}).get(name) for name in ("shortest_judged_seconds", "startup_interval", "suspect_first")}})  # fmt: skip
    return computed(with_qsg(data, out), FRAGMENT)


@view("channel", "record_id channel_name connection_name channel_start_utc")
def channel(data: Data) -> list[Row]:
    rows = of_chinit(data, data.raw("qcst"))
    for row in rows:
        row["cipher_hex"] = None if row["cipher_code"] is None else f"{row['cipher_code']:04X}"
        row["cipher_name"] = CIPHERS.get(row["cipher_hex"])
        row["cipher_weakness"] = next((why for why, codes in WEAK.items() if row["cipher_hex"] in codes), None)
    return computed(
        rows,
        """
        channel_type_name = channel_type
        is_client = channel_type == 'SvrConn'
        is_message_channel = channel_type in ('Sender', 'Server', 'Receiver', 'Requester', 'ClusRcvr', 'ClusSdr')
        running = channel_stop_utc is None
        channel_life_s = (first(channel_stop_utc, collected_utc) - channel_start_utc) / 1e6
        observed_s = greatest(0, first(channel_stop_utc, interval_end_utc) - greatest(channel_start_utc, interval_start_utc)) / 1e6
        started_in_interval = channel_start_utc >= interval_start_utc
        ended_in_interval = channel_stop_utc is not None
        channel_messages_per_s = channel_messages / observed_s
        nonpersistent_channel_messages = channel_messages - persistent_channel_messages
        persistent_channel_pct = 100 * persistent_channel_messages / channel_messages
        average_channel_message_bytes = channel_message_bytes / channel_messages if is_message_channel else None
        achieved_batch_size = channel_messages / batches if is_message_channel else None
        full_batch_pct = 100 * full_batches / batches
        batch_kib = channel_message_bytes / 1024 / batches
        batches_per_s = batches / observed_s
        predicted_batch_size = least(batch_size_limit, greatest(1, channel_messages_per_s * batch_interval_ms / 1000)) * 1.0 if batch_size_limit is not None and channel_messages_per_s * batch_interval_ms is not None else None
        sent_mib_per_s = bytes_sent / MIB / observed_s
        received_mib_per_s = bytes_received / MIB / observed_s
        overhead_bytes_per_message = (greatest(bytes_sent, bytes_received) - channel_message_bytes) / channel_messages if is_message_channel else None
        bytes_per_call = (bytes_sent + bytes_received) / channel_messages if is_client else None
        network_spread = network_longest_us / network_average_us
        uses_tls = cipher_code != 0
        tls13 = starts(cipher_hex, '13')
        channel_log_bytes = (batches * (2560 + 1229 * least(1, (achieved_batch_size - 1) / 49)) if channel_type in ('Sender', 'Server', 'ClusSdr')
          else batches * 1331.0) if is_message_channel and persistent_channel_messages > 0 else None
        predicted_cost_us = None if not is_message_channel else
          (223 + 0.003 * average_channel_message_bytes) * channel_messages if persistent_channel_pct > 50 else
          (38.53 + 0.0007 * average_channel_message_bytes) * channel_messages if achieved_batch_size < 2 else
          (22.16 + 0.00058 * average_channel_message_bytes) * channel_messages
        """,
    )


def latency(patterns: dict[str, float] | None, row: Row) -> float | None:
    """The latency of the narrowest pattern: a name before a pattern, a long pattern before a short one."""
    address = (row["connection_name"] or "").partition("(")[0]
    fitting = [
        (not ("*" in pattern or "?" in pattern), len(pattern), value)
        for pattern, value in (patterns or {}).items()
        if any(name and named(name, (pattern,)) for name in (row["channel_name"], row["connection_name"], address))
    ]
    return max(fitting)[2] if fitting else None


@view("channel_site", "lpar qmgr channel_name connection_name")
def channel_site(data: Data) -> list[Row]:
    rows = grouped(where(data.raw("qcst"), NAMED), "lpar qmgr channel_name connection_name", "instances = count()")
    facts = site(data)
    for row in rows:
        mine = facts.get((row["lpar"], row["qmgr"]), {})
        row["stopped_on_purpose"] = bool(named(row["channel_name"], mine.get("stopped_channels")))
        row["latency_us"] = latency(mine.get("latency_us_by_channel"), row)
    return rows


@view("channel_activity", "record_id channel_name")
def channel_activity(data: Data) -> list[Row]:
    where_of = data.by("channel_site", "lpar", "qmgr", "channel_name", "connection_name")
    rows = where(data.view("channel"), NAMED)
    rows = joined(rows, where_of, "lpar qmgr channel_name connection_name", "stopped_on_purpose")
    return grouped(
        rows, "lpar qmgr qsg mq_version source_id record_id interval_start_utc interval_end_utc interval_seconds channel_name channel_type",
        """
        fragment = all(fragment)
        is_client = any(is_client)
        is_message_channel = any(is_message_channel)
        is_sending_end = channel_type in ('Sender', 'Server', 'ClusSdr')
        channel_instances = count()
        instances_running = count(where=channel_status == 'Running')
        instances_down = count(where=channel_status in ('Retrying', 'Stopped', 'Paused'))
        down_status = earliest(channel_status, connection_name, where=channel_status in ('Retrying', 'Stopped', 'Paused'))
        down_connection = min(connection_name, where=channel_status in ('Retrying', 'Stopped', 'Paused'))
        last_message_utc = max(last_message_utc)
        stopped_on_purpose = any(stopped_on_purpose)
        observed_s = sum(observed_s)
        channel_messages = sum(channel_messages)
        persistent_channel_messages = sum(persistent_channel_messages)
        channel_messages_per_s = channel_messages / observed_s
        batches = sum(batches)
        achieved_batch_size = channel_messages / batches if is_message_channel else None
        batch_interval_ms = max(batch_interval_ms)
        batches_per_s_by_interval = 1000 / batch_interval_ms
        put_retries = sum(put_retries)
        """,
    )  # fmt: skip


@view("channel_cipher", "record_id channel_name")
def channel_cipher(data: Data) -> list[Row]:
    facts = site(data)
    rows = [dict(row) for row in where(data.view("channel"), f"{NAMED} and uses_tls is not None")]
    for row in rows:
        exempt = facts.get((row["lpar"], row["qmgr"]), {}).get("tls_exempt")
        address = (row["connection_name"] or "").partition("(")[0]
        row["exempt"] = any(
            named(name, exempt) for name in (row["channel_name"], row["connection_name"], address) if name
        )
    return grouped(
        rows, "lpar qmgr qsg mq_version source_id record_id interval_start_utc interval_end_utc interval_seconds channel_name channel_type",
        """
        channel_instances = count()
        instances_without_tls = count(where=not uses_tls)
        instances_to_protect = count(where=not uses_tls and not exempt)
        plain_connection = min(connection_name, where=not uses_tls and not exempt)
        instances_weak = count(where=cipher_weakness is not None)
        weak_connection = min(connection_name, where=cipher_weakness is not None)
        weak_cipher = earliest(cipher_hex, connection_name, where=cipher_weakness is not None)
        weak_cipher_kind = earliest(cipher_weakness, connection_name, where=cipher_weakness is not None)
        chacha_bytes = first(sum(bytes_sent + bytes_received, where=cipher_hex == '1303'), 0)
        """,
    )  # fmt: skip


def accounted_seconds(data: Data) -> dict[tuple[str, str], float]:
    """Length of the intervals of channel accounting of each queue manager; several records may have parts of one
    interval.
    """
    out = {}
    for (lpar, qmgr), members in groups(data.view("channel"), QMGR).items():
        out[lpar, qmgr] = sum({row["interval_start_utc"]: row["interval_seconds"] for row in members}.values())
    return out


@view("channel_cipher_period", "lpar qmgr channel_name")
def channel_cipher_period(data: Data) -> list[Row]:
    seconds = accounted_seconds(data)
    rows = grouped(data.view("channel_cipher"), "lpar qmgr channel_name", "chacha_gib = sum(chacha_bytes) / GIB")
    for row in rows:
        row["period_days"] = max(1.0, seconds[row["lpar"], row["qmgr"]] / 86400)
    return computed(rows, "chacha_gib_per_day = chacha_gib / period_days")


@view("client_connection", "lpar qmgr channel_name connection_name channel_start_utc")
def client_connection(data: Data) -> list[Row]:
    """Z17: 365 us of CPU to connect and disconnect, with TLS 1.2 350 us and with TLS 1.3 470 us more."""
    clients = where(data.view("channel"), "is_client")
    accounted = accounted_seconds(data)
    rows = grouped(
        clients, "lpar qmgr channel_name connection_name channel_start_utc",
        """
        partner_name = max(partner_name)
        connection_ended = any(ended_in_interval)
        started_in_period = any(started_in_interval)
        start_interval_utc = min(interval_start_utc, where=started_in_interval)
        start_interval_seconds = earliest(interval_seconds, interval_start_utc, where=started_in_interval)
        connection_life_s = max(channel_life_s)
        connection_calls = sum(channel_messages)
        connection_bytes = sum(bytes_sent + bytes_received)
        uses_tls = any(uses_tls)
        channel_disposition = max(channel_disposition)
        shared_conversations = max(shared_conversations)
        with_13 = any(tls13)
        connect_cpu_us = 365 + (470 if with_13 else 350 if uses_tls else 0)
        """,
    )  # fmt: skip
    for row in rows:
        total = accounted[row["lpar"], row["qmgr"]]
        row["accounted_min"], row["accounted_h"] = total / 60, max(1.0, total / 3600)
    return rows


@view("chinit_continuation", "record_id")
def chinit_continuation(data: Data) -> list[Row]:
    """Records 115.231 after the first with the same start and length, and how many tasks of each kind those before them
    have.
    """
    records = [row for row in data.raw("record") if row["record_class"] == "115.231" and row["damage"] is None]
    out: list[Row] = []
    for members in groups(records, "lpar qmgr record_start_utc record_us").values():
        ids = sorted(row["record_id"] for row in members)
        for position, record in enumerate(ids[1:], 1):
            before = {
                name: sum(
                    row["record_id"] in ids[:position] and (table != "qct_dns" or row["section_length"] == 48)
                    for row in data.raw(table)
                )
                for name, (_, table) in zip(BEFORE, KINDS, strict=True)
            }
            out.append({"record_id": record, "first_record_id": ids[0], **before})
    return out


BEFORE = ("dispatchers_before", "adapters_before", "ssl_tasks_before", "dns_tasks_before")
KINDS = (("dispatcher", "qct_dsp"), ("adapter", "qct_adp"), ("ssl", "qct_ssl"), ("dns", "qct_dns"))
OF_TASK = """
interval_seconds = interval_us / 1e6
task_busy_pct = 100 * task_request_et_us / interval_us
task_busy_pct_mp1b = 100 * task_request_et_us / (task_request_et_us + task_idle_us)
task_cpu_pct = 100 * task_request_cpu_us / interval_us
task_cpu_pct_mp1b = 100 * task_request_cpu_us / (task_request_et_us + task_idle_us)
average_request_cpu_us = task_request_cpu_us / task_requests
average_request_et_us = task_request_et_us / task_requests
waited_us = greatest(0, task_request_et_us - task_request_cpu_us) if task_request_et_us - task_request_cpu_us is not None else None
average_request_wait_us = waited_us / task_requests
request_wait_pct = 100 * waited_us / task_request_et_us
requests_per_s = task_requests / interval_seconds
task_unused = task_requests == 0
task_in_use = task_request_et_us > 0.001 * interval_us
unaccounted_us = interval_us - task_request_et_us - task_idle_us
"""


def first_of_interval(data: Data) -> list[Row]:
    """QCCT of the first record of each interval."""
    continued = data.by("chinit_continuation", "record_id")
    return [row for row in data.raw("qcct") if (row["record_id"],) not in continued]


@view("chinit_task_time", "record_id task_type task_index")
def chinit_task_time(data: Data) -> list[Row]:
    """QCTCPTM, QCTELTM and QCTREQN of the tasks of a record 115.231, in the order of the record."""
    out: list[Row] = []
    continued = data.by("chinit_continuation", "record_id")
    own = dict.fromkeys(
        ("task_channels", "ssl_longest_at_local", "ssl_longest_us", "dns_longest_at_local", "dns_longest_us")
    )
    for before, (kind, table) in zip(BEFORE, KINDS, strict=True):
        first = {key[0]: (row["first_record_id"], row[before]) for key, row in continued.items()}
        out += computed(
            (
                {
                    **own,
                    **row,
                    "task_type": kind,
                    "record_id": first.get(row["record_id"], (row["record_id"],))[0],
                    "task_index": row["section"] + first.get(row["record_id"], (0, 0))[1],
                }
                for row in data.raw(table)
                if kind != "dns" or row["section_length"] == 48
            ),
            OF_TASK,
        )
    return out


@view("chinit_task", "record_id task_type task_index")
def chinit_task(data: Data) -> list[Row]:
    return of_chinit(data, data.view("chinit_task_time"))


def tasks_of(data: Data, kind: str) -> list[Row]:
    return where(data.view("chinit_task"), f"task_type == '{kind}'")


@view("chinit_dispatcher", "record_id task_index")
def chinit_dispatcher(data: Data) -> list[Row]:
    return tasks_of(data, "dispatcher")


@view("chinit_ssl_task", "record_id task_index")
def chinit_ssl_task(data: Data) -> list[Row]:
    rows = tasks_of(data, "ssl")
    for members in groups(rows, "record_id").values():
        busy = all(row["task_busy_pct"] is not None and row["task_busy_pct"] >= 20 for row in members)
        for row in members:
            row["tasks_all_busy"] = len(members) if busy else None
    return rows


@view("chinit_task_service", "lpar qmgr interval_start_utc task_type task_index")
def chinit_task_service(data: Data) -> list[Row]:
    """Averages per request of five minutes, compared with the median of the task; the log and the persistent share with
    theirs.
    """
    steps, of_record = data.by("interval_step", *CUT.split()), data.by("chinit_interval", "record_id")
    shares, logs = data.by("chinit_channel_use", "record_id"), data.by("log", *CUT.split())
    writes = groups(data.view("log_io"), CUT)
    slots: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in data.view("chinit_task"):
        if row["task_type"] in ("ssl", "adapter") and not row["startup_interval"] and not row["suspect_first"]:
            cut = (row["lpar"], row["qmgr"], of_record[(row["record_id"],)]["cut_start_utc"])
            step = steps.get(cut)
            slot = (step["run"], step["part"]) if step else (row["record_id"],)
            slots[row["lpar"], row["qmgr"], slot].append({**row, "cut": cut})
    usual: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    out: list[Row] = []
    for (lpar, qmgr, _), members in slots.items():
        cuts, records = {row["cut"] for row in members}, {row["record_id"] for row in members}
        ios = [io for cut in cuts for io in writes.get(cut, ())]
        requests = sum(row["task_requests"] for row in members if row["task_type"] == "adapter")
        mib = known(logs[cut]["log_mib_created"] for cut in cuts if cut in logs)
        moved = known(shares[record,]["persistent_channel_pct"] for record in records if (record,) in shares)
        beside = {
            "log_write_us": sum(io["io_total_us"] for io in ios) / sum(io["io_count"] for io in ios) if ios else None,
            "persistent": sum(moved) / len(moved) if moved else None,
            "log_each": sum(mib) / requests if mib and requests else None,
        }
        usual[lpar, qmgr].append(beside)
        for (kind, number), mine in groups(members, "task_type task_index").items():
            count, seconds = sum(row["task_requests"] for row in mine), sum(row["interval_seconds"] for row in mine)
            each = {
                name: sum(row[f"task_request_{part}_us"] for row in mine) / count if count >= 100 else None
                for name, part in (("request_us", "et"), ("request_cpu_us", "cpu"))
            }
            row = {
                "lpar": lpar, "qmgr": qmgr, "task_type": kind, "task_index": number, "task_requests": count, "interval_seconds": seconds, "beside": beside,
                "interval_start_utc": min(row["interval_start_utc"] for row in mine), "record_id": max(row["record_id"] for row in mine), **each,
            }  # fmt: skip
            if seconds >= 285:
                usual[lpar, qmgr, kind, number].append(row)
                out.append(row)

    def middle(key: tuple[Any, ...], name: str) -> Any:
        return quantile((row[name] for row in usual[key]), 0.5)

    for row in out:
        pair, beside = (row["lpar"], row["qmgr"]), row["beside"]
        task = (*pair, row["task_type"], row["task_index"])
        row["usual_request_us"] = middle(task, "request_us")
        row["slots_compared"] = len(known(each["request_us"] for each in usual[task]))
        row.update(computed([{**row, **beside, "cpu": middle(task, "request_cpu_us"), "log": middle(pair, "log_write_us")}], """
            request_times_longer = request_us / usual_request_us
            request_longer_us = request_us - usual_request_us
            cpu_times_more = request_cpu_us / cpu
            task_busy_pct = 100 * task_requests * request_us / (1e6 * interval_seconds)
            log_times_longer = log_write_us / log
            """)[0])  # fmt: skip
        persistent, each = beside["persistent"], beside["log_each"]
        row["persistent_as_usual"] = (
            persistent <= middle(pair, "persistent") + 10 if persistent is not None
            else each is None or each <= 1.5 * middle(pair, "log_each")
        )  # fmt: skip
        adapter, longer = row["task_type"] == "adapter", row["log_times_longer"] or 0
        row["waits_outside"] = not adapter or (longer <= 1.5 and row["persistent_as_usual"])
        row["log_as_much_longer"] = (
            adapter and longer >= max(1.5, 0.5 * (row["request_times_longer"] or 0)) and longer > 0
        )
    return out


@view("channel_initiator", "record_id")
def channel_initiator(data: Data) -> list[Row]:
    """MP16: 30 adapters for up to 4 processors and 8 for each further one, at most 120; 9.3 and later: 150 KB an
    adapter, 102 KB a dispatcher, 1.45 MB a TLS task.
    """
    tasks = {
        (row["record_id"],): row
        for row in grouped(
            data.view("chinit_task_time"), "record_id",
            "".join(
                f"""
                {name}_count = count(where=task_type == '{kind}')
                {name}_without = count(where=task_type == '{kind}' and task_requests == 0)
                {name}_max = max(task_busy_pct, where=task_type == '{kind}')
                {name}_min = min(task_busy_pct, where=task_type == '{kind}')
                {name}_mean = mean(task_busy_pct, where=task_type == '{kind}')
                {name}_total = sum(task_busy_pct, where=task_type == '{kind}')
                {name}_requests = sum(task_requests, where=task_type == '{kind}')
                {name}_et = sum(task_request_et_us, where=task_type == '{kind}')
                {name}_cpu = sum(task_request_cpu_us, where=task_type == '{kind}')"""
                for name, kind in (("dsp", "dispatcher"), ("adp", "adapter"), ("tls", "ssl"), ("dns", "dns"))
            )
            + """
                adp_idle = count(where=task_type == 'adapter' and task_busy_pct < 1)
                tls_used = count(where=task_type == 'ssl' and task_in_use)
                channels_ = sum(task_channels, where=task_type == 'dispatcher')
                ssl_longest = max(ssl_longest_us)
                dns_longest = max(dns_longest_us)
                all_cpu = sum(task_request_cpu_us)""",
        )
    }  # fmt: skip
    rows = [{**row, **(tasks.get((row["record_id"],)) or {})} for row in of_chinit(data, first_of_interval(data))]
    rows = joined(rows, site(data), QMGR, "cpus chin_31bit_total_mb")
    return computed(
        rows,
        """
        chinit_64_no_limit = chinit_64_limit_mib_no_limit
        current_channels_pct = 100 * current_channels / max_channels
        active_channels_pct = 100 * active_channels / max_active_channels
        tcp_channels_pct = 100 * active_channels / max_tcp_channels
        chinit_64_limit_set = not chinit_64_no_limit
        chinit_64_pct = 100 * chinit_64_mib / chinit_64_limit_mib if chinit_64_limit_set else None
        chinit_31_total_mib = first(chin_31bit_total_mb, 1466) * 1.0
        chinit_31_total_assumed = chin_31bit_total_mb is None
        chinit_31_pct = 100 * chinit_31_mib / chinit_31_total_mib
        dispatchers = dsp_count
        dispatchers_unused = dsp_without
        dispatcher_busiest_pct = dsp_max
        dispatcher_average_pct = dsp_mean
        dispatcher_least_busy_pct = dsp_min
        dispatcher_requests = dsp_requests
        dispatcher_average_cpu_us = dsp_cpu / dsp_requests
        channels_in_summary = channels_
        channels_per_dispatcher = current_channels / dispatchers
        expected_first_group = least(10, max_channels // dispatchers) if dispatchers > 0 else None
        adapters = adp_count
        adapters_unused = adp_without
        adapters_idle = adp_idle
        adapter_busiest_pct = adp_max
        adapter_least_busy_pct = adp_min
        adapter_average_pct = 100 * adp_et / (adapters * interval_us)
        adapter_requests = adp_requests
        adapter_average_et_us = adp_et / adp_requests
        adapter_average_cpu_us = adp_cpu / adp_requests
        adapter_average_wait_us = greatest(0, adp_et - adp_cpu) / adp_requests
        wait_share_pct = 100 * greatest(0, adp_et - adp_cpu) / adp_et
        recommended_adapters = least(120, 30 + 8 * greatest(0, first(cpus, 4) - 4))
        cpus_assumed = cpus is None
        ssl_tasks = tls_count
        ssl_tasks_in_use = tls_used
        ssl_busiest_pct = tls_max
        ssl_busy_total_pct = tls_total
        recommended_ssl_tasks = dispatchers + 1 if dispatchers > 0 else None
        ssl_longest_us = ssl_longest
        dns_busy_pct = dns_max
        dns_longest_us = dns_longest
        chinit_task_cpu_us = all_cpu if dispatchers > 0 and adapters > 0 else None
        task_storage_kib = 150 * adapters + 102 * dispatchers + 1485 * ssl_tasks
        omvs_threads = 3 + dispatchers + ssl_tasks
        """,
    )


@view("chinit_channel_limit", "record_id")
def chinit_channel_limit(data: Data) -> list[Row]:
    out = []
    for row in data.view("channel_initiator"):
        limits = [
            (100 * used / limit, name, limit, used)
            for name, limit, used in (
                ("MAXCHL", row["max_channels"], row["current_channels"]), ("ACTCHL", row["max_active_channels"], row["active_channels"]),
                ("TCPCHL", row["max_tcp_channels"], row["active_channels"]),
            )
            if limit
        ]  # fmt: skip
        best = max(limits, key=lambda limit: limit[0], default=(None, None, None, None))
        names = ("nearest_limit_pct", "nearest_limit", "nearest_limit_value", "nearest_limit_channels")
        out.append({**row, **dict(zip(names, best, strict=True)), **_raised(row, best[1], best[2])})
    return out


def _raised(row: Row, name: str | None, value: int | None) -> Row:
    """A quarter more than the limit that is nearest, and which limits are below that."""
    largest = value is not None and value >= 9999
    wanted = None if value is None or largest else min(9999, math.ceil(value * 5 / 400) * 100)
    active = None if wanted is None else wanted if name != "MAXCHL" else row["active_channels"] * wanted / value
    limits = (
        ("maxchl", "max_channels", wanted),
        ("actchl", "max_active_channels", active),
        ("tcpchl", "max_tcp_channels", active),
    )
    return {
        "channels_wanted": wanted, "more_pct": 100 * (wanted - value) / value if wanted and value else None,
        "channels_at_most": value if largest else None,
        **{f"{key}_binds": None if need is None or row[column] is None else need > row[column] or row[column] == value for key, column, need in limits},
    }  # fmt: skip


@view("chinit_memlimit", QMGR)
def chinit_memlimit(data: Data) -> list[Row]:
    return grouped(
        [row for row in first_of_interval(data) if level(row["mq_version"]) >= 90_400], QMGR,
        """
        intervals_seen = count()
        lowest_limit_mib = min(chinit_64_limit_mib)
        lowest_limit_at_utc = earliest(interval_start_utc, chinit_64_limit_mib, interval_start_utc)
        lowest_limit_record_id = earliest(record_id, chinit_64_limit_mib, interval_start_utc)
        highest_64_mib = max(chinit_64_mib)
        unlimited_intervals = count(where=chinit_64_limit_mib_no_limit)
        unlimited_at_utc = earliest(interval_start_utc, interval_start_utc, where=chinit_64_limit_mib_no_limit)
        unlimited_record_id = earliest(record_id, interval_start_utc, where=chinit_64_limit_mib_no_limit)
        """,
    )  # fmt: skip


@view("chinit_pool_writes", CUT)
def chinit_pool_writes(data: Data) -> list[Row]:
    return grouped(
        data.raw("qpst"),
        CUT,
        "immediate_writes = sum(immediate_writes)\nsynchronous_write_hits = sum(synchronous_write_hits)",
    )


@view(
    "channel_partner",
    "lpar qmgr channel_name channel_type partner_name connection_name partner_product partner_version",
)
def channel_partner(data: Data) -> list[Row]:
    rows = grouped(
        where(data.view("channel"), NAMED),
        "lpar qmgr channel_name partner_name connection_name partner_product partner_version",
        """
        record_id = min(record_id)
        channel_type = max(channel_type)
        channel_instances = distinct(channel_start_utc)
        channel_messages = sum(channel_messages)
        first_seen_utc = min(channel_start_utc)
        last_seen_utc = max(first(channel_stop_utc, collected_utc))
        """,
    )
    own = data.by("qmgr", "lpar", "qmgr")
    facts = site(data)
    for row in rows:
        text = row["partner_version"] or ""
        known = len(text) == 8 and text.isdecimal()
        row["partner_vrm"] = f"{text[:2]}.{text[2:4]}.{text[4:6]}" if known else None
        row["partner_level"] = int(text[:6]) if known else None
        row["own_level"] = (own.get((row["lpar"], row["qmgr"])) or {}).get("highest_mq_level")
        least = facts.get((row["lpar"], row["qmgr"]), {}).get("min_partner_version")
        row["min_partner_version"] = least
        row["below_minimum"] = None if least is None or not known else row["partner_level"] < level(least)
    return rows


__all__ = ["DOWN", "MESSAGES", "SENDERS", "first"]
