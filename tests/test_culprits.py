"""Who did it: the applications and queues whose work explains findings (view finding_work, report
overview/culprits).
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.engine import run_rules
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.site import parse_site
from tests.shared_database import over
from tests.support import START, arrow, file_of, reading
from tests.test_published_shared import GET, MOVE, READ_LIST, cf_requests, opened, use

HALF_HOUR = timedelta(minutes=30)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The work of the findings of a scenario in which a pool fills, log writes are slow and a page set grows."""
    story = SCENARIOS["consumer_stopped"]
    dump = file_of(story.build(), tmp_path_factory.mktemp("culprits"))
    with reading(dump, site=parse_site(story.site, "site.toml") if story.site else None) as db:
        run_rules(db)
        return db.ask_rows("SELECT * FROM finding_work ORDER BY rule_id, subject, work_rank")


def test_the_queue_that_nobody_reads_leads(work: list[dict[str, Any]]) -> None:
    first = {
        (row["rule_id"], row["subject"]): row for row in work if row["work_rank"] == 1 and row["work_role"] == "culprit"
    }
    assert ("LG004", "log copy 2") not in first  # those that write to a slow copy are victims
    pool = first["BP002", "buffer pool 3"]
    assert (pool["base_name"], pool["application"], pool["work_measure"]) == (
        "ORDERS.FULFIL",
        "CICSPRD1/ORD1",
        "pages kept",
    )
    assert pool["work_share_pct"] > 99  # it kept 294,000 pages; ORDERS.ENTRY was put to most, and kept 24
    assert ("LG001", "log buffers") not in first  # the slow copy explains the waits for log buffers
    waited = {row["rule_id"] for row in work if row["work_role"] == "victim"}
    assert {"LG001", "LG004"} <= waited


def test_shares_add_up_and_the_most_comes_first(work: list[dict[str, Any]]) -> None:
    groups = defaultdict(list)
    for row in work:
        groups[row["lpar"], row["qmgr"], row["rule_id"], row["subject"], row["work_role"]].append(row)
    assert len(groups) > 3
    for listed in groups.values():
        assert sum(row["work_share_pct"] for row in listed) == pytest.approx(100)
        assert [row["work_rank"] for row in listed] == list(range(1, len(listed) + 1))
        named = [row["work_value"] for row in listed if row["work_rank"] < 4]
        assert named == sorted(named, reverse=True)
        assert all((row["work_others"] is not None) == (row["work_rank"] == 4) for row in listed)


SETTINGS = {
    "BP008", "BP012", "CH003", "BP013", "BP015", "BP016", "BP017", "BP018", "BP019", "SM005", "CH014", "CH015", "CH017", "CF009", "CF010",
    "LG008", "LG009", "LG011", "LG012", "LG014", "LG019", "LG021", "LG022", "LG023", "LG024", "LG025", "LG026", "LG027",
}  # fmt: skip
"""Rules of the areas with work whose findings are about definitions, devices or a queue manager as such: nobody's work
causes them."""


def test_rules_have_a_measure_or_are_about_settings() -> None:
    """The measures in headers of rules are those of the view, each is used, and each is made from a figure of
    `interval_work`.
    """
    stated = {rule.id: (rule.culprits, rule.victims) for rule in rules().values()}
    areas = {"buffer_pool", "page_set", "log", "smds", "channel_initiator", "cf", "storage", "latch", "db2"}
    of_areas = {rule.id for rule in rules().values() if rule.area in areas}
    named = {rule_id for rule_id, measures in stated.items() if measures != (None, None)}
    assert named & of_areas == of_areas - SETTINGS
    assert {rule_id for rule_id, measures in stated.items() if () in measures} == {
        "CF002",
        "CF008",
        "DB002",
        "DB003",
        "DB004",
    }
    with opened() as db:
        measures = {row["work_measure"]: row for row in db.ask_rows("SELECT * FROM work_measure")}
    assert {measure for both in stated.values() for listed in both for measure in listed or ()} == set(measures)
    assert all(row["work_unit"] and row["work_class"] and row["work_over"] for row in measures.values())
    made = set(re.findall(r'AS "([A-Za-z][^"]+)"', sqlfile.views()["interval_work"].text)) | {
        "pages held",
        "bytes held",
    }
    assert {row["work_figure"] for row in measures.values()} == made


SLOW = (
    "LG004",
    "LG005",
    "LG006",
    "LG007",
    "CF005",
    "CF006",
    "CF011",
    "SM007",
    "PS007",
    "DB005",
    "DB006",
    "LK001",
    "LK002",
    "CH004",
)
"""Rules about something slow: nobody's work causes it, and those that use it wait."""


def test_victims_are_not_culprits() -> None:
    for rule_id in SLOW:
        assert rules()[rule_id].culprits is None, rule_id
        assert rules()[rule_id].victims, rule_id


@pytest.mark.parametrize(("size", "pages"), [(100, 1), (3_635, 1), (3_636, 2), (3_635 + 4_048, 2), (3_635 + 4_049, 3)])
def test_pages_of_a_message(size: int, pages: int, tmp_path: Path) -> None:
    """A message takes one page up to 3,635 bytes, and another one for each 4,048 bytes more; one that a waiting getter
    takes needs none.
    """
    block = use(
        "PRIVATE.QUEUE", cf_structure=None, queue_disposition_code=0, page_set_raw=3, pool_raw=2, valid_puts=10, put_bytes=10 * size,
        mqputs_to_waiting_getter=4, mqput1s_to_waiting_getter=0, valid_gets=1, valid_destructive_gets=1, queue_type_code=1,
    )  # fmt: skip
    with opened(
        wq=[block], wtas=[{"task_interval_start_utc": START, "task_interval_end_utc": START + HALF_HOUR}]
    ) as db:
        made = {row["work_measure"]: row["work_value"] for row in db.ask_rows("SELECT * FROM interval_work")}
    assert made["pages put"] == 6 * pages
    assert made["pages put minus got"] == 9 * pages


def found(rule_id: str, subject: str, qmgr: str = "MQ01", *, period: bool = False) -> dict[str, Any]:
    """A finding in breach in the only interval, or over the whole period."""
    seen = None if period else START
    return {
        "lpar": "SYS1", "qmgr": qmgr, "rule_id": rule_id, "rule_name": rule_id, "state": "breach", "severity": "warning", "subject": subject,
        "first_seen_utc": seen, "last_seen_utc": seen, "weight": rules()[rule_id].weight, "rule_area": rules()[rule_id].area, "distance": 2.0,
        "culprits": rules()[rule_id].culprits, "victims": rules()[rule_id].victims,
    }  # fmt: skip


def task(record_id: int, **values: Any) -> dict[str, Any]:
    """Task block of the half hour; counters that are not given are 0."""
    names = (
        "other_et_us",
        "commit_et_us",
        "backout_et_us",
        "single_redrives",
        "multiple_redrives",
        "task_smds_read_pages",
        "task_smds_write_pages",
    )
    return dict.fromkeys(names, 0) | {
        "record_id": record_id, "task_correlator": f"{record_id:032x}", "task_interval_start_utc": START, "task_interval_end_utc": START + HALF_HOUR, **values,
    }  # fmt: skip


JOB = {
    1: ("CICS", 1, "CICSPRD1", None),
    2: ("RRS", 7, "BATCH1", None),
    3: ("CHIN", 6, "MQ01CHIN", "WEB.SVRCONN"),
    4: ("CHIN", 6, "MQ01CHIN", "OLD.SVRCONN"),
}


def identity(record_id: int) -> dict[str, Any]:
    """Who a task is."""
    kind, code, job, channel = JOB[record_id]
    return {
        "record_id": record_id,
        "connection_type": kind,
        "connection_type_code": code,
        "connection_job": job,
        "channel_name": channel,
    }


def channel(name: str, dispatcher: int, **values: Any) -> dict[str, Any]:
    """A running channel in the half hour."""
    return {
        "channel_name": name, "channel_type_code": 7, "dispatcher_number": dispatcher, "channel_start_utc": START - HALF_HOUR, "channel_messages": 10,
        "bytes_sent": 0, "bytes_received": 0, "cipher_code": 0, **values,
    }  # fmt: skip


@pytest.fixture(scope="module")
def explained() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Rule and subject -> rows of work, of four tasks, three queues and three channels with one finding for each kind
    of work.
    """
    subjects = {
        "SM001": "structure APP1", "SM008": "structure APP1", "CH001": "adapters", "CH005": "dispatcher 2", "CH007": "dispatchers", "CH008": "TLS task 1",
        "CH010": "DNS task", "CH011": "dispatchers", "CH012": "channel initiator", "CF001": "structure APP1", "CF002": "structure CSQ_ADMIN",
        "CF003": "structure APP1", "CF004": "structure APP1", "CF005": "structure APP1", "CF012": "shared queue ORDERS", "ST001": "short on storage",
        "ST007": "31-bit storage", "LK001": "BATCH1, latch class 19", "LK002": "BATCH1", "DB001": "Db2 requests", "DB003": "Db2 server tasks",
        "DB005": "Db2 requests", "DB007": "large messages in Db2", "BP002": "buffer pool 2",
    }  # fmt: skip
    period = {"CF004", "CF012", "ST007", "LK001", "LK002"}
    findings = [found(rule, subject, period=rule in period) for rule, subject in subjects.items()]
    findings += [
        found("CF001", "structure APP9"),
        found("LG004", "log copy 1", "MQ02"),
        found("CH008", "TLS task 1", "MQ02"),
        found("PS001", "page set 1", "MQ02"),
    ]
    blocks = [
        use("ORDERS", record_id=1, put_bytes=900, get_bytes=100, opens=10, opens_without_cf=3, open_handles=2),
        use("ORDERS", record_id=2, section=1, put_bytes=0, get_bytes=300, opens=5, opens_without_cf=5, open_handles=1),
        use(
            "EVENTS", record_id=2, section=2, put_bytes=100, get_bytes=400, opens=1, opens_without_cf=0, open_handles=7
        ),
        use("AUDIT", record_id=3, section=3, cf_structure="APP2", get_et_us=40),
        # As many messages are got as put, and queue statistics are not collected.
        *(
            use(
                "PASSED.ON",
                record_id=number,
                section=4 + number,
                cf_structure=None,
                queue_disposition_code=0,
                page_set_raw=3,
                pool_raw=2,
                valid_puts=puts,
                valid_gets=gets,
                valid_destructive_gets=gets,
                queue_type_code=1,
            )
            for number, puts, gets in ((1, 50, 0), (2, 0, 50))
        ),
    ]
    tables = arrow({
        "finding": findings,
        "wq": blocks,
        "wq_cf": [
            {"record_id": 1, **cf_requests(GET, READ_LIST, 30, 300)}, {"record_id": 1, **cf_requests(GET, MOVE, 10, 100)},
            {"record_id": 2, **cf_requests(GET, READ_LIST, 5, 50), "section": 2},
        ],
        "wtas": [
            task(1, task_smds_write_pages=30, task_smds_wait_us=500, db2_calls=3, db2_thread_us=90, db2_bytes_written=0),
            task(2, task_smds_read_pages=10, multiple_redrives=8, single_redrives=1, db2_calls=1, db2_thread_us=910, db2_bytes_written=5_000),
            task(3, other_et_us=50, commit_et_us=10, task_smds_read_pages=99), task(4, commit_et_us=300),
        ],
        "wtas_latch": [
            {"record_id": 1, "latch_class": 19, "latch_class_waits": 5, "latch_class_wait_us": 700},
            {"record_id": 2, "latch_class": 19, "latch_class_waits": 1, "latch_class_wait_us": 100},
            {"record_id": 2, "latch_class": 11, "latch_class_waits": 1, "latch_class_wait_us": 60},
            {"record_id": 3, "latch_class": 19, "latch_class_waits": 1, "latch_class_wait_us": 4_000_000_000},
        ],
        "wtid": [identity(number) for number in JOB],
        "qcst": [
            channel("WEB.SVRCONN", 2, bytes_sent=70, shared_conversations=10, cipher_code=0x1301, channel_start_utc=START + HALF_HOUR / 2),
            channel("WEB.SVRCONN", 1, bytes_sent=500, dns_resolution_time=7, compression_rate_pct=40, shared_conversations=3),
            channel("TO.MQ02", 2, bytes_received=30, channel_type_code=1, dns_resolution_time=9, shared_conversations=None),
        ],
    }, 1_800_000_000)  # fmt: skip
    # The classes of MQ01 are collected.
    for subtype in (1, 10):
        more = pa.Table.from_pylist(
            [tables["record"].to_pylist()[0] | {"smf_type": 116, "subtype": subtype, "record_class": f"116.{subtype}"}],
            tables["record"].schema,
        )
        tables["record"] = pa.concat_tables([tables["record"], more])
    with over(tables) as db:
        listed = db.ask_rows("SELECT * FROM finding_work ORDER BY qmgr, rule_id, subject, work_rank")
    groups = defaultdict(list)
    for row in listed:
        groups[row["rule_id"], row["subject"] if row["qmgr"] == "MQ01" else row["qmgr"]].append(row)
    return groups


WORK: list[tuple[str, str, str, list[tuple[str | None, str | None, str | None, float]]]] = [
    ("SM001", "structure APP1", "SMDS waits", [(None, "CICSPRD1", None, 500)]),
    ("SM008", "structure APP1", "SMDS pages", [(None, "CICSPRD1", None, 30), (None, "BATCH1", None, 10)]),
    ("CH001", "adapters", "adapter time", [(None, "OLD.SVRCONN", "OLD.SVRCONN", 300), (None, "WEB.SVRCONN", "WEB.SVRCONN", 100)]),
    ("CH005", "dispatcher 2", "channel time", [(None, None, "WEB.SVRCONN", 2_255.049), (None, None, "TO.MQ02", 1_500.021)]),
    ("CH007", "dispatchers", "channels", [(None, None, "WEB.SVRCONN", 2), (None, None, "TO.MQ02", 1)]),
    ("CH008", "TLS task 1", "TLS starts", [(None, None, "WEB.SVRCONN", 1)]),
    ("CH010", "DNS task", "DNS time", [(None, None, "TO.MQ02", 9), (None, None, "WEB.SVRCONN", 7)]),
    ("CH011", "dispatchers", "compressed bytes", [(None, None, "WEB.SVRCONN", 500)]),
    ("CH012", "channel initiator", "conversations", [(None, None, "WEB.SVRCONN", 13), (None, None, "TO.MQ02", 1)]),
    ("CF001", "structure APP1", "bytes put minus got", [("ORDERS", "CICSPRD1", None, 500)]),
    ("CF003", "structure APP1", "CF redrives", [(None, "BATCH1", None, 9)]),
    ("CF004", "structure APP1", "CF lists read", [("ORDERS", "CICSPRD1", None, 30), ("EVENTS", "BATCH1", None, 5)]),
    ("CF005", "structure APP1", "CF time", [("ORDERS", "CICSPRD1", None, 400), ("EVENTS", "BATCH1", None, 50)]),
    ("CF012", "shared queue ORDERS", "CF opens", [("ORDERS", "CICSPRD1", None, 7)]),
    ("ST001", "short on storage", "connections", [(None, job, name, 1) for job, name in (("BATCH1", None), ("CICSPRD1", None), ("OLD.SVRCONN", "OLD.SVRCONN"), (None, None))]),
    ("ST007", "31-bit storage", "open handles", [("EVENTS", "BATCH1", None, 7), ("ORDERS", "CICSPRD1", None, 2), ("ORDERS", "BATCH1", None, 1)]),
    ("LK001", "BATCH1, latch class 19", "latch time", [(None, "CICSPRD1", None, 700), (None, "BATCH1", None, 100)]),
    ("LK002", "BATCH1", "latch time", [(None, "BATCH1", None, 60)]),
    ("DB001", "Db2 requests", "Db2 requests", [(None, "CICSPRD1", None, 3), (None, "BATCH1", None, 1)]),
    ("DB005", "Db2 requests", "Db2 time", [(None, "BATCH1", None, 910), (None, "CICSPRD1", None, 90)]),
    ("DB007", "large messages in Db2", "Db2 bytes", [(None, "BATCH1", None, 5_000)]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "subject", "measure", "who"), WORK, ids=[item[0] for item in WORK])
def test_each_kind_of_work_names_who(
    rule: str,
    subject: str,
    measure: str,
    who: list[tuple[str | None, str | None, str | None, float]],
    explained: dict[tuple[str, str], list[dict[str, Any]]],
) -> None:
    listed = [row for row in explained[rule, subject] if row["work_measure"] == measure]
    assert {row["work_measure"] for row in listed} == {measure}
    names = [(row["base_name"], row["application"], row["channel_name"]) for row in listed]
    assert names == [each[:3] for each in who]
    assert [row["work_value"] for row in listed] == pytest.approx([each[3] for each in who])
    assert sum(row["work_share_pct"] for row in listed) == pytest.approx(100)
    assert all(row["work_missing"] is None for row in listed)


@pytest.mark.parametrize(
    ("rule", "subject", "reason"),
    [
        ("CF002", "structure CSQ_ADMIN", "the records do not show who"),
        ("DB003", "Db2 server tasks", "the records do not show who"),
        ("CF001", "structure APP9", "no bytes kept in the 115.216 and 116.1 records of that time"),
        ("LG004", "MQ02", "116.1 not collected"),
        ("CH008", "MQ02", "116.10 not collected"),
        ("PS001", "MQ02", "115.216 and 116.1 not collected"),
    ],
)
def test_a_finding_without_work_has_a_reason(
    rule: str, subject: str, reason: str, explained: dict[tuple[str, str], list[dict[str, Any]]]
) -> None:
    (row,) = explained[rule, subject]
    assert row["work_missing"] == reason
    assert row["work_rank"] is None
    assert row["work_value"] is None


def test_a_ranking_by_puts_has_a_remark(explained: dict[tuple[str, str], list[dict[str, Any]]]) -> None:
    (row,) = explained["BP002", "buffer pool 2"]
    assert (row["base_name"], row["application"], row["work_measure"], row["work_value"]) == (
        "PASSED.ON",
        "CICSPRD1",
        "pages put",
        50,
    )
    assert row["work_remark"] == "by puts: how much was kept is not recorded"
    assert not [
        row
        for rows_ in explained.values()
        for row in rows_
        if row["work_remark"] and row["work_measure"] != "pages put"
    ]
