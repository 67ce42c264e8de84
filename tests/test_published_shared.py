"""Published worked examples about the coupling facility and shared queues: the counters go through the decoded tables,
the figures come out of reports and rules.

The figures are read from the catalogue (MQSTAT_CATALOGUE), which also holds those of real records; without it these
tests skip.
"""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mqstat.judge.engine import run_rules
from mqstat.sql import sqlfile
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.shared_database import over
from tests.support import arrow

GET, OPEN, PUT = 3, 1, 4
READ_LIST, NEW, MOVE = 10, 11, 12
HALF_HOUR_US = 1_800_000_000

TESTED = (
    "qest-common-correlid", "cf-manager-test115", "cf-statistics-2000-gets", "cf-retries-open-output", "shared-open-first-last", "z17-62kb-put-get",
)  # fmt: skip
OUTSIDE = {
    "cf-redrive-cost": "transaction rates and costs of three test runs",
    "shared-63kb-transition": "transaction rates of test runs",
    "scm-augmented-space": "the answer to a z/OS command (D XCF,STR)",
    "ixl015i-size": "the text of a console message (IXL015I)",
    "csqe121i": "the text of a console message (CSQE121I)",
    "zhyperlink-dsms": "the answer to a z/OS command (D SMS)",
}
"""Items of these areas that need data from outside SMF 115 and 116, and which."""


@cache
def items() -> dict[str, dict[str, Any]]:
    """All figures of the catalogue, or a visible skip."""
    folder = os.environ.get("MQSTAT_CATALOGUE")
    dumps = os.environ.get("MQSTAT_DUMPS")
    path = Path(folder) if folder else Path(dumps).parent / "catalogue" if dumps else None
    if path is None or not (path / "goldens.json").exists():
        pytest.skip("the catalogue is outside the repository: MQSTAT_CATALOGUE is not set")
    return {item["id"]: item for item in json.loads((path / "goldens.json").read_text(encoding="utf-8"))}


def given(name: str) -> dict[str, Any]:
    """The inputs of an item: name -> number or text."""
    return {key: value["value"] for key, value in items()[name]["inputs"].items()}


def expected(name: str) -> dict[str, float]:
    """The exact results of an item."""
    return {key: value["value"] for key, value in items()[name]["expected"].items()}


def opened(**rows: list[dict[str, Any]]) -> AbstractContextManager[Workspace]:
    """A database over decoded rows of one half hour."""
    return over(arrow(rows, HALF_HOUR_US))


def report(db: Workspace, name: str, where: str = "true") -> dict[str, Any]:
    """The only row of a report that meets a condition."""
    result = db.ask(f"SELECT * FROM ({sqlfile.reports()[name].text}) WHERE {where}")
    (row,) = result.fetchall()
    return dict(zip((column[0] for column in result.description), row, strict=True))


QEST = {
    "qeststr": "cf_structure", "qestsful": "structure_fulls", "qestcsec": "single_calls", "qestsstc": "single_call_us", "qestrsec": "single_redrives",
    "qestcmec": "multiple_calls", "qestmstc": "multiple_call_us", "qestrmec": "multiple_redrives", "qestmnus": "entries_high", "qestmlus": "elements_high",
}  # fmt: skip


def structure(inputs: dict[str, dict[str, Any]], name: str = "", number: int = 1) -> dict[str, Any]:
    """A row of QEST from the fields of an item; times in STCK units lose their last 12 bits."""
    row: dict[str, Any] = {"cf_structure": name, "structure_number": number}
    for field, value in inputs.items():
        column = QEST.get(field.rpartition(".")[2])
        if column:
            row[column] = value["value"] >> 12 if "STCK" in value["unit"] else value["value"]
    return row


def use(name: str = "SHARED.QUEUE", **values: Any) -> dict[str, Any]:
    """A block of class 3 accounting of a shared queue; counters that are not given are 0."""
    columns = [
        c for c in _wq().names if pa.types.is_integer(_wq().field(c).type) and c not in ("record_id", "source_id")
    ]
    zero = {c: 0 for c in columns if c.endswith(("_us", "s", "_bytes")) and not c.startswith("interval")}
    return zero | {
        "section": 0, "base_name": name, "open_name": name, "cf_structure": "APP1", "queue_disposition": "Shared", "queue_disposition_code": 2, "has_cf": True,
        "is_topic": False, **values,
    }  # fmt: skip


@cache
def _wq() -> pa.Schema:
    from mqstat.sql.schemas import all_schemas

    return all_schemas()["wq"]


def cf_requests(
    verb: int,
    operation: int,
    sync: int,
    sync_us: int,
    asynchronous: int = 0,
    async_us: int = 0,
    done: int | None = None,
) -> dict[str, Any]:
    """Requests of one verb and operation of that block."""
    words = {GET: "Get", OPEN: "Open", PUT: "Put"}, {READ_LIST: "ReadList", MOVE: "Move", NEW: "New", 1: "Lock"}
    return {
        "section": 0, "verb": verb, "verb_name": words[0][verb], "cf_operation": operation, "cf_operation_name": words[1][operation],
        "cf_requests": sync + asynchronous if done is None else done, "cf_sync_requests": sync, "cf_sync_us": sync_us,
        "cf_async_requests": asynchronous, "cf_async_us": async_us,
    }  # fmt: skip


def test_published_gets_by_a_common_key() -> None:
    name = "qest-common-correlid"
    wanted, gets = expected(name), given(name)["gets"]
    queue = {"queue": "DEEP", "cf_structure": "APPLICATION1", "destructive_gets": gets, "shared_queue": True}
    with opened(qest_structure=[structure(items()[name]["inputs"])], qqst=[queue]) as db:
        row = report(db, "cf/structures")
    with opened(qest_structure=[structure(items()[name]["inputs"])], qqst=[queue]) as db:
        ((per_get,),) = db.ask("SELECT structure_redrives_per_get FROM cf_structure_gets").fetchall()
    with opened(qest_structure=[structure(items()[name]["inputs"])], qqst=[queue]) as db:
        judged = {
            one["rule_id"]: one["intervals_breached"]
            for one in run_rules(db, only=["CF001", "CF003", "CF004", "CF005"]).rows
        }
    got = {
        "single_avg_us": row["average_single_us"], "multiple_avg_us": row["average_multiple_us"], "redrives_per_get": per_get,
        "redrive_pct_of_calls": row["multiple_redrive_pct"], "calls_less_redrives": row["multiple_calls"] - row["multiple_redrives"],
        "single_calls_per_message": row["single_calls"] / gets, "elements_per_entry": row["elements_per_entry"],
    }  # fmt: skip
    assert got == pytest.approx(wanted)
    assert judged == {"CF001": 0, "CF003": 1, "CF004": 1, "CF005": 0}


def test_published_structures_of_a_real_interval() -> None:
    item = items()["cf-manager-test115"]
    rows = [structure(case["inputs"], case["name"], number) for number, case in enumerate(item["cases"])]
    columns = {
        "single_avg_us": "average_single_us", "multiple_avg_us": "average_multiple_us", "redrive_pct_multiple": "multiple_redrive_pct",
        "redrive_pct_all_calls": "redrive_pct", "elements_per_entry": "elements_per_entry",
    }  # fmt: skip
    count = 0
    with opened(qest_structure=rows) as db:
        for case in item["cases"]:
            row = report(db, "cf/structures", f"cf_structure = '{case['name']}'")
            for key, value in case["expected"].items():
                assert row[columns[key]] == (
                    None if value["value"] is None else pytest.approx(value["value"], rel=2e-3)
                ), key
                count += 1
    assert count == 15


def test_published_cf_statistics_of_gets() -> None:
    name = "cf-statistics-2000-gets"
    field = given(name)
    numbers = {
        part: {which: field[f"wq.mqcfreq[].type[].{part}[2][{which}]"] for which in (9, 11)}
        for part in ("cfsyncn", "cfsyncet")
    }
    asynchronous = field["wq.mqcfreq[].type[].cfasyncn[2][9]"], field["wq.mqcfreq[].type[].cfasyncet[2][9]"]
    block = use(
        gets=field["wq.getn"], valid_gets=field["wq.validget"], gets_specific=field["wq.gets"], queue_type_code=1
    )
    requests = [
        cf_requests(GET, READ_LIST, numbers["cfsyncn"][9], numbers["cfsyncet"][9], *asynchronous),
        cf_requests(GET, MOVE, numbers["cfsyncn"][11], numbers["cfsyncet"][11]),
    ]
    with opened(wq=[block], wq_cf=requests) as db:
        every, lists, moves = (
            report(db, "cf/verb_cost", f"cf_operation_name = '{one}'") for one in ("all", "ReadList", "Move")
        )
        scan = report(db, "cf/shared_scan")
    got = {
        "sync_requests": every["cf_sync_requests"], "async_requests": every["cf_async_requests"], "cf_requests": every["cf_requests"],
        "sync_avg_us": every["average_cf_sync_us"], "async_avg_us": every["average_cf_async_us"], "sync_us_per_get": every["sync_us_per_verb"],
        "async_us_per_get": every["async_us_per_verb"], "cf_us_per_get": every["cf_us_per_verb"], "readlist_sync_us_per_get": lists["sync_us_per_verb"],
        "move_sync_us_per_get": moves["sync_us_per_verb"], "readlist_requests": scan["readlist_requests"], "readlist_per_get": scan["readlist_per_get"],
        "async_share": every["cf_async_pct"] / 100,
    }  # fmt: skip
    assert got == pytest.approx(expected(name))


def test_published_retries_of_opens() -> None:
    name = "cf-retries-open-output"
    field, wanted = given(name), expected(name)
    issued = field["cf_requests"]
    block = use(opens=field["wq.openn"], opens_without_cf=field["wq.opencf0"], closes_without_cf=0, queue_type_code=1)
    with opened(
        wq=[block],
        wq_cf=[cf_requests(OPEN, 1, issued, issued * field["avg_sync_us"], done=issued - field["cf_retries"])],
    ) as db:
        row = report(db, "cf/verb_cost", "cf_operation_name = 'all'")
        opens = report(db, "cf/open_close")
    got = {
        "retry_pct": row["cf_retry_pct"], "cf_us_per_open": row["cf_us_per_verb"], "cf_requests_per_open": row["requests_per_verb"],
        "opens_with_cf_access_pct": opens["open_cf_pct"],
    }  # fmt: skip
    assert got == pytest.approx(wanted)


def test_published_first_opens_and_last_closes() -> None:
    name = "shared-open-first-last"
    field = given(name)
    block = use(
        opens=field["wq.openn"], opens_without_cf=field["wq.opencf0"], closes=field["wq.closen"], closes_without_cf=field["wq.closecf0"], queue_type_code=1,
        open_et_us=17, open_cpu_us=16,
    )  # fmt: skip
    with opened(wq=[block]) as db:
        row = report(db, "cf/open_close")
        (judged,) = run_rules(db, only=["CF012"]).rows
    assert {
        "open_cf_access": row["opens_with_cf"],
        "close_cf_access": row["closes_with_cf"],
        "open_cf_pct": row["open_cf_pct"],
    } == expected(name)
    assert judged["outcome"] == "breach"


def test_published_puts_and_gets_of_62_kb() -> None:
    name = "z17-62kb-put-get"
    field = given(name)
    average: dict[str, dict[str, float]] = {}
    for kind in ("smds", "cf"):
        block = use(
            puts=10, gets=10, queue_type_code=1,
            **{f"{verb}_{what}_us": 10 * field[f"{verb}_{what}_{kind}"] for verb in ("put", "get") for what in ("cpu", "et")},
        )  # fmt: skip
        with opened(wq=[block], wq_cf=[cf_requests(PUT, NEW, 10, 10 * field[f"put_new_sync_{kind}"])]) as db:
            ((put_cpu, put_et, get_cpu, get_et),) = db.ask(
                "SELECT average_put_cpu_us, average_put_et_us, average_get_cpu_us, average_get_et_us FROM queue_use"
            ).fetchall()
            new = report(db, "cf/verb_cost", "cf_operation_name = 'New'")
        assert new["average_cf_sync_us"] == field[f"put_new_sync_{kind}"]
        average[kind] = {
            "put_cpu": put_cpu,
            "get_cpu": get_cpu,
            "put_wait": put_et - put_cpu,
            "get_wait": get_et - get_cpu,
        }
    got = {
        f"{verb}_cpu_difference": average["cf"][f"{verb}_cpu"] - average["smds"][f"{verb}_cpu"]
        for verb in ("put", "get")
    }
    got |= {f"{verb}_wait_{kind}": average[kind][f"{verb}_wait"] for verb in ("put", "get") for kind in average}
    assert got == pytest.approx(expected(name))


def test_every_published_item_is_tested_or_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {name for name, item in items().items() if item["area"] in ("cf", "db2", "qsg")}
    assert wanted == {*TESTED, *OUTSIDE} & wanted
    with capsys.disabled():
        print(f"\npublished items of cf and db2: {len(TESTED)} reproduced, {len(wanted - {*TESTED})} need other data")
    assert set(TESTED) <= wanted
