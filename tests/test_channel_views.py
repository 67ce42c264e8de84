"""Views of channels over decoded rows: patterns of the site file, ends of a channel, instances split over intervals,
times that repeat, partners; and published figures.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from mqstat.fixtures.build import record
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from tests.support import START, file_of, reading
from tests.test_area_views import rows
from tests.test_published_shared import items

END = START + dt.timedelta(minutes=30)


def channel(name: str = "MQ01.TO.MQ02", code: int = 1, **more: Any) -> dict[str, Any]:
    """A row of channel accounting: a sender that ran all the half hour, unless the rest differs."""
    types = {1: "Sender", 3: "Receiver", 7: "SvrConn", 8: "ClusRcvr"}
    return {
        "channel_name": name, "channel_type": types[code], "channel_type_code": code, "channel_status": "Running", "connection_name": "10.1.2.3(1414)",
        "channel_start_utc": START - dt.timedelta(hours=9), "collected_utc": END, "interval_start_utc": START, "interval_end_utc": END, "channel_messages": 900,
        "persistent_channel_messages": 900, "batches": 30, "full_batches": 0, "channel_message_bytes": 900_000, "bytes_sent": 1, "bytes_received": 1,
        "batch_size_limit": 50, "batch_interval_ms": 0, "batch_limit_kib": 5_000, "network_average_us": 700, "cipher_code": 0, **more,
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ site file


@pytest.mark.parametrize(
    ("keys", "latency"),
    [
        ({"MQ01.TO.MQ02": 900.0, "MQ01.TO.*": 1.0}, 900.0),  # a name before a pattern
        ({"MQ01.*": 1.0, "MQ01.TO.*": 2.0}, 2.0),  # a long pattern before a short one
        ({"10.1.2.3(1414)": 3.0}, 3.0),
        ({"10.1.2.3": 4.0}, 4.0),  # the address without its port
        ({"10.1.?.3*": 5.0}, 5.0),
        ({"MQ01.TO.MQ0[2]": 6.0}, None),  # brackets are characters
        ({"MQ01.TO.MQ": 7.0}, None),
    ],
)
def test_the_narrowest_name_of_the_site_file_gives_the_latency(keys: dict[str, float], latency: float | None) -> None:
    site = "[site]\nlatency_us = { " + ", ".join(f'"{key}" = {value}' for key, value in keys.items()) + " }\n"
    (row,) = rows("SELECT latency_us, expected_network_us FROM channel_delay", site, qcst=[channel()])
    assert row == {"latency_us": latency, "expected_network_us": None if latency is None else 2 * latency}


@pytest.mark.parametrize(("pattern", "listed"), [("*.MQ02", True), ("MQ01.TO.MQ02", True), ("MQ0[1]*", False), ("mq01*", False)])  # fmt: skip
def test_channels_that_are_stopped_on_purpose(pattern: str, listed: bool) -> None:
    site = f'[site]\nstopped_channels = ["NONE", "{pattern}"]\n'
    (row,) = rows("SELECT stopped_on_purpose FROM channel_activity", site, qcst=[channel()])
    assert row["stopped_on_purpose"] is listed


@pytest.mark.parametrize(
    ("minimum", "version", "below"),
    [
        ("9.3.0", "09029900", True), ("9.3.0", "09030000", False), ("9.3", "09025000", True), ("10", "09040500", True), ("9.3.5", "09030400", True),
        ("9.3.0", "JAVA", None), ("9.3.0", None, None), ("10.0.0", "10000000", False),
    ],
)  # fmt: skip
def test_partners_below_the_minimum_of_the_site(minimum: str, version: str | None, below: bool | None) -> None:
    site = f'[site]\nmin_partner_version = "{minimum}"\n'
    (row,) = rows("SELECT below_minimum FROM channel_partner", site, qcst=[channel(partner_version=version)])
    assert row["below_minimum"] is below


# --------------------------------------------------------------------------------------------------- ends and instances


def test_a_receiving_end_is_judged_only_without_its_sending_end() -> None:
    given = [channel("A.TO.B", qmgr="MQ01"), channel("A.TO.B", 3, qmgr="MQ02"), channel("C.TO.B", 3, qmgr="MQ02")]
    judged = rows("SELECT qmgr, channel_name, batches_judged_here FROM channel_period ORDER BY ALL", "", qcst=given)
    assert [tuple(row.values()) for row in judged] == [
        ("MQ01", "A.TO.B", True),
        ("MQ02", "A.TO.B", False),
        ("MQ02", "C.TO.B", True),
    ]


def test_a_client_connection_is_one_row_however_many_intervals_it_is_in() -> None:
    """As in TESTCHL: 102 calls while it ran, then 3 in the interval of its end."""
    began = START + dt.timedelta(minutes=29)
    later: dict[str, Any] = {"interval_start_utc": END, "interval_end_utc": END + dt.timedelta(minutes=30)}
    ended: dict[str, Any] = {"channel_stop_utc": END + dt.timedelta(seconds=4), "channel_messages": 3}
    client: dict[str, Any] = {"channel_start_utc": began, "channel_messages": 102, "partner_name": "amqsgetc"}
    given = [channel("APP", 7, **client), channel("APP", 7, **{**client, **later, **ended})]
    (row,) = rows("SELECT * FROM client_connection", "", qcst=given)
    assert (row["connection_calls"], row["connection_ended"], row["start_interval_utc"]) == (105, True, START)
    assert row["connection_life_s"] == 64
    assert (row["accounted_min"], row["accounted_h"]) == (60, 1)


def test_a_longest_time_that_repeats_is_shown_once() -> None:
    spike: dict[str, Any] = {
        "network_longest_us": 5_000_000,
        "network_longest_at_utc": START,
        "exit_longest_us": 0,
        "exit_shortest_us": None,
    }
    later: dict[str, Any] = {"interval_start_utc": END, "interval_end_utc": END + dt.timedelta(minutes=30)}
    given = [channel(**spike), channel(**{**spike, **later})]
    shown = rows(
        "SELECT network_longest_us, exit_longest_us FROM channel_delay ORDER BY interval_start_utc", "", qcst=given
    )
    assert [tuple(row.values()) for row in shown] == [(5_000_000, None), (None, None)]


@pytest.mark.parametrize(
    ("counts", "name", "pct"),
    [
        ((200, 200, 150, 1000, 1000), "MAXCHL", 100.0),
        ((50, 200, 150, 160, 1000), "ACTCHL", 93.75),
        ((50, 200, 150, 1000, 160), "TCPCHL", 93.75),
        ((50, 0, 20, 0, 200), "TCPCHL", 10.0),  # 0 = no limit is known
        ((50, 0, 20, 0, 0), None, None),
    ],
)
def test_the_nearest_channel_limit(counts: tuple[int, ...], name: str | None, pct: float | None) -> None:
    columns = ("current_channels", "max_channels", "active_channels", "max_active_channels", "max_tcp_channels")
    (row,) = rows("SELECT * FROM chinit_channel_limit", "", qcct=[dict(zip(columns, counts, strict=True))])
    assert (row["nearest_limit"], row["nearest_limit_pct"]) == (name, pct)
    wanted = {"MAXCHL": (counts[0], counts[1]), "ACTCHL": (counts[2], counts[3]), "TCPCHL": (counts[2], counts[4])}
    assert (row["nearest_limit_channels"], row["nearest_limit_value"]) == (wanted[name] if name else (None, None))


# ---------------------------------------------------------------------------------------------------- published figures


def cases(name: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Inputs and expected values of the cases of an item, without units."""
    item = items()[name]
    given = item.get("cases") or [{"inputs": {}, "expected": item["expected"]}]
    return [
        ({key: value["value"] for key, value in {**item["inputs"], **one["inputs"]}.items()}, {key: value["value"] for key, value in one["expected"].items()})
        for one in given
    ]  # fmt: skip


def test_published_share_of_full_batches() -> None:
    for inputs, expected in cases("full-batches-share"):
        given = channel(full_batches=inputs["qcst.qcstfuba"], batches=inputs["qcst.qcstbatc"])
        (row,) = rows("SELECT full_batch_pct FROM channel_period", "", qcst=[given])
        assert row["full_batch_pct"] == pytest.approx(expected["full_batch_pct"], rel=1e-6)


def test_published_batch_interval_that_throttles() -> None:
    for inputs, expected in cases("batchint-throttle"):
        messages = round(1_800 * inputs["rate"])
        given = channel(
            channel_messages=messages,
            persistent_channel_messages=messages,
            batches=messages,
            batch_interval_ms=inputs["qcst.qcstcbit"],
        )
        (row,) = rows("SELECT * FROM channel_activity", "", qcst=[given])
        assert row["achieved_batch_size"] == inputs["achieved_batch"]
        throttles = row["batches_per_s_by_interval"] == row["channel_messages_per_s"]
        assert throttles is expected["breach"]
        if throttles:
            assert row["batches_per_s_by_interval"] == expected["predicted_rate"]


def test_published_batch_size_of_rate_and_interval() -> None:
    for inputs, expected in cases("batchint-from-rate"):
        given = channel(
            channel_messages=round(inputs["rate"] * 1_800),
            batch_size_limit=inputs["batchsz"],
            batch_interval_ms=inputs["qcst.qcstcbit"],
        )
        (row,) = rows("SELECT predicted_batch_size FROM channel", "", qcst=[given])
        assert row["predicted_batch_size"] == pytest.approx(expected["expected_batch"])


def test_published_network_time_of_a_latency() -> None:
    for inputs, expected in cases("nettime-expected"):
        site = f'[site]\nlatency_us = {{ "*" = {1000.0 * inputs["latency_ms"]} }}\n'
        (row,) = rows("SELECT expected_network_us FROM channel_delay", site, qcst=[channel()])
        assert row["expected_network_us"] == 1000 * expected["expected_nettime_ms"]


def test_published_log_data_of_a_batch() -> None:
    codes = {"sender": 1, "receiver": 3}
    for one, (inputs, expected) in zip(items()["log-channel-batch"]["cases"], cases("log-channel-batch"), strict=True):
        size = inputs["batch"]
        given = channel(
            code=codes[one["name"].split(",")[0]], channel_messages=size, persistent_channel_messages=size, batches=1
        )
        (row,) = rows("SELECT channel_log_bytes FROM channel", "", qcst=[given])
        assert row["channel_log_bytes"] / size == pytest.approx(expected["bytes_per_message"], rel=1e-3), one["name"]


def test_published_cpu_time_of_a_message() -> None:
    settings = {
        "nonpersistent, BATCHSZ(1)": (0, 1),
        "nonpersistent, BATCHSZ(50)": (0, 50),
        "persistent, BATCHSZ(1)": (5_000, 1),
    }
    for one, (inputs, expected) in zip(items()["channel-cost-z16"]["cases"], cases("channel-cost-z16"), strict=True):
        if one["name"] not in settings:  # a difference of two of these
            continue
        persistent, size = settings[one["name"]]
        given = channel(
            channel_messages=5_000, persistent_channel_messages=persistent, batches=5_000 // size, channel_message_bytes=5_000 * inputs["message_bytes"],
        )  # fmt: skip
        (row,) = rows("SELECT predicted_cost_us FROM channel", "", qcst=[given])
        assert row["predicted_cost_us"] / 5_000 == pytest.approx(expected["us"]), one["name"]


def test_published_cpu_time_of_a_connection() -> None:
    ciphers = {"local, SHARECNV(0), plain": 0, "with TLS 1.2": 0x003C, "with TLS 1.3": 0x1301}
    for one, (_, expected) in zip(items()["client-connect-cost"]["cases"], cases("client-connect-cost"), strict=True):
        if one["name"] in ciphers:  # the others are settings that SMF does not show
            (row,) = rows(
                "SELECT connect_cpu_us FROM client_connection",
                "",
                qcst=[channel("APP", 7, cipher_code=ciphers[one["name"]])],
            )
            assert row["connect_cpu_us"] == expected["us"]


# --------------------------------------------------------------------------------------- several records of an interval


@pytest.mark.parametrize("repeated", [False, True])
def test_an_interval_of_several_records_is_one(tmp_path: Path, repeated: bool) -> None:
    """60 adapters in two records are 60, and no false CH001 and CH002; whether QCCT is in the second record, no
    document states.
    """
    owner = QueueManager(adapters=60, dispatchers=7, channels=0)
    outcomes = []
    for parts in (1, 2):
        dump: list[bytes] = []
        for number in range(3):
            cut = owner.cut(START + number * dt.timedelta(minutes=30))
            dump += cut.records([1, 2])
            triplets = cut.sections(231)
            for part in range(parts):
                here = {
                    at: many[len(many) * part // parts : len(many) * (part + 1) // parts]
                    for at, many in triplets.items()
                }
                here[1] = triplets[1] if repeated or part == 0 else []
                here[5] = triplets[5] if part == parts - 1 else []
                dump.append(
                    record(
                        115, 231, {at: many for at, many in here.items() if many}, lpar=owner.lpar, qmgr=owner.name, level=owner.level,
                        interval_start=cut.start, interval_us=cut.interval_us,
                    )
                )  # fmt: skip
        with reading(file_of(smf_file(dump), tmp_path, f"{parts}.smf")) as db:
            run_rules(db, only=[rule_id for rule_id in rules() if rule_id.startswith("CH")])
            outcomes.append(
                (
                    db.ask_rows("SELECT * EXCLUDE (record_id) FROM channel_initiator ORDER BY interval_start_utc"),
                    db.ask_rows(
                        "SELECT task_type, count(*), count(DISTINCT task_index), max(task_index), sum(task_requests)"
                        " FROM chinit_task GROUP BY interval_start_utc, task_type ORDER BY ALL",
                    ),
                    db.ask_rows("SELECT count(*), count(DISTINCT task_index) FROM chinit_dispatcher"),
                    db.ask_rows("SELECT count(*), max(dns_longest_us) FROM chinit_dns_task"),
                    db.ask_rows("SELECT * EXCLUDE (lowest_limit_record_id, unlimited_record_id) FROM chinit_memlimit"),
                    db.ask_rows(
                        "SELECT rule_id, subject, state, observed FROM finding WHERE rule_id LIKE 'CH%' ORDER BY ALL",
                    ),
                )
            )
    assert [row["adapters"] for row in outcomes[1][0]] == [60, 60, 60]
    assert outcomes[0] == outcomes[1]
