"""Published worked examples about the cost and volume of accounting: the records go through the decoded tables, the figures come out of the reports."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from mqstat.sql import sqlfile
from mqstat.sql.database import open_database
from mqstat.sql.plans import ask
from tests.support import arrow
from tests.test_published_shared import HALF_HOUR_US, items

TESTED = ("smf116-record-sizes", "accounting-cost-example", "accounting-class3-scale")
OUTSIDE = {
    "smf116-record-count": "a formula for records to come: the reports count the records that were written",
    "smf-write-rate-gains": "factors of log streams and compression",
    "accounting-peak-loss": "transaction rates of test runs",
    "handle-storage": "numbers of handles that SMF does not count below the channel initiator",
    "csa-usage": "common storage, which no record has",
    "qmgr-storage-per-connection": "storage per connection by test runs",
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
    with open_database(made, views=False) as db:
        result = ask(db, f"SELECT * FROM ({sqlfile.reports()[name].text})")
        (row,) = result.fetchall()
        return dict(zip((column[0] for column in result.description), row, strict=True))


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


def test_every_published_item_is_tested_or_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    named = {*TESTED, *OUTSIDE}
    assert named <= set(items())
    assert {name for name, item in items().items() if item["area"] in ("storage", "collection")} <= named
    with capsys.disabled():
        print(f"\npublished items of storage and collection: {len(TESTED)} reproduced, {len(OUTSIDE)} need other data")
