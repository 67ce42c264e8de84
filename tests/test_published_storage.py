"""Published worked examples about storage and about the cost and volume of accounting: the records go through the
decoded tables, the figures come out of the reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from mqstat.sql import sqlfile
from tests.shared_database import over
from tests.support import arrow
from tests.test_published_shared import HALF_HOUR_US, items

TESTED = (
    "smf116-record-sizes", "accounting-cost-example", "accounting-class3-scale", "handle-storage", "csa-usage", "qmgr-storage-per-connection", "chinit-channel-storage",
    "svrconn-footprint-90-92",
)  # fmt: skip
OUTSIDE = {
    "smf116-record-count": "a formula for records to come: the reports count the records that were written",
    "smf-write-rate-gains": "factors of log streams and compression",
    "accounting-peak-loss": "transaction rates of test runs",
    "security-storage": "numbers of users and queues, which no record has",
}
"""Items of storage and collection that no report can compute from SMF 115 and 116, and why."""


def case(name: str, title: str) -> dict[str, Any]:
    """One case of an item, its values without units."""
    (chosen,) = (one for one in items()[name]["cases"] if one["name"] == title)
    return {part: {key: value["value"] for key, value in chosen[part].items()} for part in ("inputs", "expected")}


def report(name: str, records: list[dict[str, Any]], **rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The only row of a report over these records and decoded rows of one half hour."""
    made = arrow(rows, HALF_HOUR_US)
    (first,) = made["record"].to_pylist()
    made["record"] = pa.Table.from_pylist([{**first, **record} for record in records], schema=made["record"].schema)
    with over(made) as db:
        result = db.ask(f"SELECT * FROM ({sqlfile.reports()[name].text})")
        (row,) = result.fetchall()
        return dict(zip((column[0] for column in result.description), row, strict=True))


def estimates(version: str = "9.4.0", *, classes: Sequence[str] = ("115.2",), **rows: Any) -> dict[str, dict[str, Any]]:
    """The rows of storage/estimate by item, over decoded rows of one half hour."""
    made = arrow(rows, HALF_HOUR_US)
    (first,) = made["record"].to_pylist()
    records = [
        {**first, "record_class": record_class, "mq_version": version, "record_id": number}
        for number, record_class in enumerate(classes)
    ]
    made["record"] = pa.Table.from_pylist(records, schema=made["record"].schema)
    with over(made) as db:
        return {row["item"]: row for row in db.ask_rows(sqlfile.reports()["storage/estimate"].text)}


def clients(channels: int, conversations: int) -> list[dict[str, Any]]:
    """Server-connection channels that run, each with so many conversations."""
    one = {
        "channel_type_code": 7,
        "shared_conversations": conversations,
        "channel_name": "APP.SVRCONN",
        "cipher_code": 0,
    }
    return [{**one, "connection_name": f"10.0.{number // 256}.{number % 256}"} for number in range(channels)]


def written(record_class: str, size: int, count: int = 1) -> list[dict[str, Any]]:
    """Records of a class, all of one length."""
    smf_type, _, subtype = record_class.partition(".")
    one = {
        "record_class": record_class,
        "smf_type": int(smf_type),
        "subtype": int(subtype),
        "record_bytes": size,
        "segments": 1,
    }
    return [{**one, "record_id": number + 1} for number in range(count)]


def calls(**values: int) -> dict[str, Any]:
    """Message manager statistics in which all other calls are 0."""
    names = ("opens", "closes", "gets", "puts", "put1s", "inquires", "inquire_likes", "sets")
    return dict.fromkeys(names, 0) | values


@pytest.mark.parametrize(("title", "subtype"), [("class 1", 0), ("class 3, 2 queues", 1), ("class 3, 8 queues", 1)])
def test_published_sizes_of_a_million_records(title: str, subtype: int) -> None:
    item = case("smf116-record-sizes", title)
    size, count = item["inputs"]["bytes_per_transaction"], 1_000
    row = report("collection/smf_volume", written(f"116.{subtype}", size, count))
    assert (row["records"], row["mean_record_bytes"], row["max_record_bytes"]) == (count, size, size)
    assert row["mib_per_h"] * item["inputs"]["transactions"] / count == pytest.approx(item["expected"]["mb"])


def test_published_cost_of_class_1() -> None:
    item = case("accounting-cost-example", "class 1")
    row = report("collection/cost", written("116.0", 436), qmst=[calls(put1s=1)])
    middle_us = 1e6 * (row["class1_cpu_low_s"] + row["class1_cpu_high_s"]) / 2
    assert 1_000 + middle_us == pytest.approx(item["expected"]["total_us"])
    assert (row["class3_measured"], row["class3_calls"], row["class3_records"]) == (False, 1, 1)


def test_published_cost_of_class_3_is_in_the_range() -> None:
    item = case("accounting-cost-example", "class 3")
    row = report("collection/cost", written("116.0", 436), qmst=[calls(put1s=1, opens=3)])
    assert row["class3_calls"] == len(item["inputs"]) - 1
    extra_s = sum(item["inputs"].values()) / 1e6
    assert row["class3_cpu_low_s"] < extra_s < row["class3_cpu_high_s"]


def test_published_cost_of_class_5() -> None:
    item = items()["accounting-class3-scale"]
    wanted, given = ({key: value["value"] for key, value in item[part].items()} for part in ("expected", "inputs"))
    row = report("collection/cost", written("115.2", 5_540), qmst=[calls(puts=given["apis_per_tx"])])
    assert 1e6 * row["class5_cpu_s"] == pytest.approx(wanted["class5_us_per_tx"])


@pytest.mark.parametrize(("title", "each"), [("clients", "clients"), ("MCA channels", "channels")])
def test_published_storage_of_handles(title: str, each: str) -> None:
    item = case("handle-storage", title)
    count, handles = item["inputs"][each], item["inputs"]["handles_each"]
    queues = [{"queue": "REQUEST", "input_handles": count, "output_handles": count * (handles - 1)}]
    row = estimates(qqst=queues)["open handles"]
    assert row["quantity"] == item["expected"]["handles"]
    assert row["kib_each"] == items()["handle-storage"]["inputs"]["kb_per_handle"]["value"]
    assert row["estimated_mib"] == item["expected"]["mb"]
    assert row["quantity"] * row["kib_each"] / 1000 == item["expected"]["mb_decimal_thousands"]


@pytest.mark.parametrize(
    ("title", "used", "rows"),
    [
        ("10,000 local or SHARECNV(0)", "CSA of connections", {"qcct": [{"current_channels": 10_000}]}),
        ("10,000 SHARECNV(1)", "CSA, 1 conversation", {"qcst": clients(10_000, 1)}),
        ("10,000 SHARECNV(10), 10 per channel", "CSA, 10 or more conversations", {"qcst": clients(1_000, 10)}),
    ],
)
def test_published_common_storage(title: str, used: str, rows: dict[str, Any]) -> None:
    item = case("csa-usage", title)
    made = estimates(**rows)
    assert made[used]["kib_each"] == item["inputs"]["kb"]
    assert made[used]["quantity"] == item["inputs"]["connections"]
    assert (
        made["CSA of the queue manager"]["estimated_mib"]
        == items()["csa-usage"]["inputs"]["mb_per_queue_manager"]["value"]
    )
    assert made[used]["estimated_total_mib"] == pytest.approx(item["expected"]["mb"], rel=1e-6)
    assert {made[used][column] for column in ("measured_mib", "explained_pct", "measured_at_utc")} == {None}


def test_published_storage_of_connections() -> None:
    item = items()["qmgr-storage-per-connection"]
    wanted, given = ({key: value["value"] for key, value in item[part].items()} for part in ("expected", "inputs"))
    single = estimates(qcst=clients(5_000, 1))["connections, 1 conversation"]
    assert (single["kib_each"], single["estimated_mib"]) == (given["sharecnv_1_kb"], wanted["mb_for_5000_sharecnv_1"])
    shared = estimates(qcst=clients(1, 10))["connections, shared channels"]
    assert (shared["quantity"], shared["kib_each"]) == (10, wanted["sharecnv_10_kb_per_connection"])
    assert 1024 * shared["estimated_mib"] == pytest.approx(given["sharecnv_10_channel_kb"])
    assert estimates(qcct=[{"current_channels": 1}])["connections"]["kib_each"] == given["typical_kb"]


def test_published_storage_of_message_channels() -> None:
    item = items()["chinit-channel-storage"]
    given = {key: value["value"] for key, value in item["inputs"].items()}
    channels = [
        {"channel_type_code": 1, "channel_name": f"TO.{size}.{number}", "channel_messages": 1, "channel_message_bytes": 1024 * size, "cipher_code": 0}
        for size, count in ((1, given["channels_1kb"]), (64, given["channels_64kb"]))
        for number in range(count)
    ]  # fmt: skip
    made = estimates(qcst=channels)
    assert made["message channels, up to 1 KiB"]["kib_each"] == given["kb_1kb"]
    assert made["message channels, up to 64 KiB"]["kib_each"] == given["kb_64kb"]
    wanted = item["expected"]["kb"]["value"]
    assert 1024 * made["message channels, up to 1 KiB"]["estimated_total_mib"] == pytest.approx(wanted)


@pytest.mark.parametrize("level", ["9.0", "9.1", "9.2"])
def test_published_storage_of_client_channels(level: str) -> None:
    made = estimates(f"{level}.0", qcst=[*clients(3, 0), *clients(2, 1), *clients(4, 10)])
    alone, single, shared = (
        case("svrconn-footprint-90-92", f"{level} SHARECNV({conversations})")["expected"]["kb_1kb"]
        for conversations in (0, 1, 10)
    )
    figures = [
        (row["quantity"], row["kib_each"], row["estimate_state"])
        for row in (
            made["client channels, no sharing"],
            made["client channels, 1 conversation"],
            made["shared client conversations"],
        )
    ]
    assert figures == [(3, alone, "at least"), (2, single, "at least"), (40, shared / 10, "at least")]


def test_the_estimate_is_compared_with_what_is_in_use() -> None:
    mib = 1 << 20
    region = {
        "region_31_bytes": 1_600 * mib, "available_31_bytes": 1_400 * mib, "memlimit_mib": 4_096, "memlimit_mib_no_limit": False,
        "available_64_bytes": 4_000 * mib,
    }  # fmt: skip
    made = estimates(
        classes=("115.2", "116.1"),
        qsrs=[region],
        qpst=[{"pool_id": 0, "buffers": 12_800, "above_bar": False}, {"pool_id": 1, "buffers": 6_400, "above_bar": True}],
        qqst=[
            {"queue": "REPLY", "depth": 1_024, "shared_queue": False, "input_handles": 1, "output_handles": 1},
            {"queue": "PART", "partial_record": True},
        ],
        wq=[{"base_name": "REPLY", "index_type": "CorrelId"}, {"base_name": "PLAIN", "index_type": "None"}],
        qesd=[{"cf_structure": "APP1", "smds_buffers": 100, "buffer_bytes": 256 * 1024}],
        qcct=[{"current_channels": 2, "chinit_31_mib": 100}],
        qct_adp=[{"task_number": number} for number in range(8)],
    )  # fmt: skip
    below = made["buffer pools below the bar"]
    assert (below["estimated_mib"], below["measured_mib"]) == (50.0, 200.0)
    assert below["explained_pct"] == pytest.approx(below["estimated_total_mib"] / 2)
    assert made["buffer pools above the bar"]["measured_mib"] == 96.0
    assert (made["SMDS buffers"]["estimated_mib"], made["SMDS buffers"]["kib_each"]) == (25.0, 256.0)
    assert made["queue indexes, messages"]["estimated_mib"] * 1024 == 136.0
    assert (made["queue indexes, queues"]["quantity"], made["queue indexes, queues"]["estimate_state"]) == (
        1,
        "at least",
    )
    assert (made["open handles"]["quantity"], made["open handles"]["estimate_state"]) == (2, "at least")
    assert (made["class 3 accounting"]["quantity"], made["channels without accounting"]["quantity"]) == (2, 2)
    assert (made["adapter tasks"]["estimated_mib"], made["adapter tasks"]["measured_mib"]) == (1200 / 1024, 100.0)
    assert "QSG base" not in made


def test_classes_that_are_not_collected_have_no_estimate() -> None:
    made = estimates()
    missing = (
        "CSA of connections",
        "open handles",
        "buffer pools above the bar",
        "adapter tasks",
        "TLS",
        "queue indexes, messages",
    )
    for item in missing:
        assert (made[item]["estimate_state"], made[item]["quantity"], made[item]["estimated_mib"]) == (
            "not collected",
            None,
            None,
        )
    assert made["security cache, users"]["estimate_state"] == "not in SMF"
    assert estimates("9.2.0")["open handles"]["estimate_state"] == "not in this release"
    assert not {"CSA, 1 conversation", "connections, shared channels", "shared client conversations"} & set(made)
    assert made["open handles"]["estimated_total_mib"] is None
    assert made["open handles"]["items_missing"] == sum(
        (row["address_space"], row["storage_area"], row["estimated_mib"]) == ("queue manager", "31-bit private", None)
        for row in made.values()
    )
    assert {row["measured_mib"] for row in made.values()} == {None}


def test_every_published_item_is_tested_or_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    named = {*TESTED, *OUTSIDE}
    assert named <= set(items())
    assert {name for name, item in items().items() if item["area"] in ("storage", "collection")} <= named
    with capsys.disabled():
        print(f"\npublished items of storage and collection: {len(TESTED)} reproduced, {len(OUTSIDE)} need other data")
