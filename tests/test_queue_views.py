"""Views and reports of queue statistics over decoded rows: figures of groups, names and patterns of the site file, sums
that agree with the tables.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.sql import sqlfile
from mqstat.sql.site import parse_site
from mqstat.sql.workspace import Workspace
from tests.shared_database import over
from tests.support import START, arrow, file_of, reading

HALF_HOUR = dt.timedelta(minutes=30)
HALF_HOUR_US = 1_800_000_000


def rows_of(db: Workspace, sql: str) -> list[dict[str, Any]]:
    """Rows of a query."""
    result = db.ask(sql)
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def made_of(records: list[tuple[str, int, dict[str, Any]]], **tables: list[dict[str, Any]]) -> dict[str, pa.Table]:
    """Decoded tables of queue statistics: queue manager, number of the half hour, and fields of the queue."""
    rows, intervals = [], []
    for number, (qmgr, step, values) in enumerate(records):
        start = START + step * HALF_HOUR
        moment = {
            "qmgr": qmgr,
            "record_id": number,
            "interval_start_utc": start,
            "interval_end_utc": start + HALF_HOUR,
            "interval_start_local": start,
            "interval_us": HALF_HOUR_US,
        }
        rows.append({"queue": "Q", "partial_record": False, **moment, **values})
        intervals.append({"qmgr": qmgr, "record_id": number, "at": start})
    made = arrow({"qqst": rows, **tables}, HALF_HOUR_US)
    (record,) = made["record"].to_pylist()
    made["record"] = pa.Table.from_pylist(
        [
            record
            | {
                "qmgr": each["qmgr"],
                "record_id": each["record_id"],
                "record_start_utc": each["at"],
                "record_start_local": each["at"],
            }
            for each in intervals
        ],
        schema=made["record"].schema,
    )
    return made


def queues(
    records: list[tuple[str, int, dict[str, Any]]], sql: str, site: str = "", **tables: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Result of a query over the tables of `made_of`."""
    with over(made_of(records, **tables), parse_site(site, "site.toml") if site else None) as db:
        return rows_of(db, sql)


SHARED = {"shared_queue": True, "queue_qsg": "QSG1", "depth": 5}


def test_a_shared_queue_has_the_figures_of_all_members() -> None:
    """MQ02 is half an interval later; of MQ03 there is only an earlier record, which does not count."""
    rows = queues(
        [
            ("MQ01", 0, {**SHARED, "destructive_gets": 1, "input_handles_high": 0, "puts": 4, "put1s": 0}),
            ("MQ02", 0, {**SHARED, "destructive_gets": 20, "input_handles_high": 3, "puts": 5, "put1s": 1}),
            ("MQ01", 2, {**SHARED, "destructive_gets": 300, "input_handles_high": 0, "puts": 0, "put1s": 0}),
            ("MQ03", 0, {**SHARED, "shared_queue": False, "queue_qsg": None, "destructive_gets": 7, "puts": 0, "put1s": 0, "input_handles_high": 1}),
        ],
        "SELECT qmgr, interval_start_utc, group_reporter, members_missing, members_waiting, group_gets, group_puts, group_input_handles FROM queue_interval "
        "ORDER BY qmgr, interval_start_utc",
    )  # fmt: skip
    assert [tuple(row.values())[2:] for row in rows] == [
        (True, 0, 1, 21, 10, 3),
        (True, 1, 0, 300, 0, 0),
        (False, 0, 1, 21, 10, 3),
        (True, 0, 1, 7, 0, 1),
    ]


@pytest.mark.parametrize(
    ("expected", "missing", "number"),
    [
        ("", 0, "2; whether the group has others is not known"),
        ('expected_members = ["MQ01", "MQ02"]', 0, "2 of 2"),
        ('expected_members = ["MQ01", "MQ02", "MQ09"]', 1, "2 of 3"),
    ],
)
def test_an_expected_member_without_records_may_read_a_shared_queue(expected: str, missing: int, number: str) -> None:
    unread = {**SHARED, "input_handles_high": 0, "input_handles": 0}
    (row, _) = queues(
        [("MQ01", 0, unread), ("MQ02", 0, unread)],
        "SELECT members_missing, no_reader_text, group_input_handles, group_handles_last FROM queue_interval ORDER BY qmgr",
        f"[site]\n{expected}",
    )
    text = f"no member in the data had it open for input ({number})"
    assert tuple(row.values()) == (missing, text, 0, None if missing else 0)


def test_partial_records_and_queues_that_are_always_empty_are_left_out() -> None:
    rows = queues(
        [
            ("MQ01", 0, {"queue": "EMPTY", "depth": 0, "depth_high": 0, "input_handles": 1, "output_handles": 1}),
            ("MQ01", 1, {"queue": "EMPTY", "depth": 0, "depth_high": 0, "input_handles": 1, "output_handles": 1}),
            (
                "MQ01",
                0,
                {"queue": "PARTIAL", "partial_record": True, "mq_version": "9.3.2", "depth": 0, "depth_high": 9},
            ),
            ("MQ01", 0, {"queue": "HANDLES", "depth": 0, "depth_high": 0, "input_handles": 1, "output_handles": 1}),
            ("MQ01", 1, {"queue": "HANDLES", "depth": 0, "depth_high": 0, "input_handles": 1, "output_handles": 2}),
        ],
        "SELECT queue, handles, previous_handles FROM queue_interval ORDER BY queue, interval_start_utc",
    )
    assert [tuple(row.values()) for row in rows] == [("HANDLES", 2, None), ("HANDLES", 3, 2)]


@pytest.mark.parametrize(
    ("version", "shared", "expected"),
    [
        ("9.3.3", False, (5_700, 3, None, True)),
        ("10.0.0", True, (None, 3, None, None)),
        ("9.3.2", False, (None, 3, None, None)),
    ],
)
def test_a_partial_record_lacks_what_its_level_and_queue_lack(
    version: str, shared: bool, expected: tuple[Any, ...]
) -> None:
    """IBM MQ documentation, 'Queue data records': a private queue lacks the age only, a shared one, and any before
    9.3.3, depth and flag too.
    """
    partial = {
        "partial_record": True, "depth": 5_700, "input_handles": 3, "oldest_message_s": 0, "uncommitted": True, "shared_queue": shared, "mq_version": version,
    }  # fmt: skip
    (row,) = queues(
        [("MQ01", 0, partial)], "SELECT depth, input_handles, oldest_message_s, uncommitted FROM queue_statistics"
    )
    assert tuple(row.values()) == expected


def test_runs_of_handles_and_of_uncommitted_work() -> None:
    """Handles rise twice and fall in between; the queue has uncommitted work in five intervals, in three of them
    without calls.
    """
    handles, puts = (5, 7, 9, 4, 5, 8), (9, 0, 0, 0, 3, 0)
    rows = queues(
        [
            ("MQ01", step, {
                "depth": 1, "input_handles": count, "output_handles": 0, "uncommitted": step < 5, "puts": puts[step], "put1s": 0, "destructive_gets": 0,
            })
            for step, count in enumerate(handles)
        ],
        "SELECT handles_added, handles_top, handles_released, still_minutes FROM queue_interval ORDER BY interval_start_utc",
    )  # fmt: skip
    assert [row["handles_added"] for row in rows] == [4, 4, 4, 4, 4, 4]
    assert [row["handles_top"] for row in rows] == [9, 9, 9, 8, 8, 8]
    assert [row["handles_released"] for row in rows] == [1, 1, 1, 0, 0, 0]
    assert [row["still_minutes"] for row in rows] == [None, 90, 90, 90, None, None]


SITE = """
[site]
xmit_queues = ["*.XMIT", "ODD[1"]
dead_letter_queues = ["DLQ.?"]
retained_queues = ["KEEP.*"]
ams_queues = ["SAFE"]
maxdepth = { "*" = 1, "OR*" = 2, "ORDERS" = 3 }
"""


@pytest.mark.parametrize(
    ("queue", "kind", "retained", "maxdepth"),
    [
        ("EAST.XMIT", "transmission", False, 1),
        ("ODD[1", "transmission", False, 1),
        ("ODD1", "application", False, 1),
        ("DLQ.A", "dead letter", False, 1),
        ("DLQ.AB", "application", False, 1),
        ("SYSTEM.DEAD.LETTER.QUEUE", "system", False, 1),
        ("KEEP.THIS", "application", True, 1),
        ("SAFE", "AMS", False, 1),
        ("ORDERS", "application", False, 3),
        ("ORDERS.2", "application", False, 2),
    ],
)
def test_names_of_the_site_file_may_be_patterns(queue: str, kind: str, retained: bool, maxdepth: int) -> None:
    sql = "SELECT queue_kind, retained_queue, maxdepth FROM queue_statistics"
    (row,) = queues([("MQ01", 0, {"queue": queue})], sql, SITE)
    assert tuple(row.values()) == (kind, retained, maxdepth)


def test_without_a_site_file_the_dead_letter_queue_has_its_usual_name() -> None:
    (row,) = queues(
        [("MQ01", 0, {"queue": "SYSTEM.DEAD.LETTER.QUEUE"})], "SELECT queue_kind, maxdepth FROM queue_statistics"
    )
    assert tuple(row.values()) == ("dead letter", None)


def test_accounting_supplies_counts_that_queue_statistics_lack() -> None:
    """Q has counts, OLD only a depth, as at 9.3.0."""
    rows = queues(
        [
            ("MQ01", 0, {"queue": "Q", "depth": 1, "puts": 8, "put1s": 2, "destructive_gets": 0, "expired_messages": 5, "gets_no_message": 70}),
            ("MQ01", 0, {"queue": "OLD", "depth": 2}),
        ],
        "SELECT queue, flow_from, depth, messages_put, no_message_per_message, expired_pct FROM queue_flow ORDER BY ALL",
    )  # fmt: skip
    assert [tuple(row.values()) for row in rows] == [
        ("OLD", "queue statistics", 2, None, None, None),
        ("Q", "queue statistics", 1, 10, 70, 50),
    ]


@pytest.fixture(scope="module")
def stuck(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The scenario of queues that are stuck."""
    scenario = SCENARIOS["queues_stuck"]
    path = file_of(scenario.build(), tmp_path_factory.mktemp("stuck"), "stuck.smf")
    with reading(path, site=parse_site(scenario.site, "site.toml")) as db:
        yield db


ADDITIVE = {
    "queue_statistics/activity": ("puts", "put1s", "destructive_gets", "browses", "expired_messages", "rolled_back_gets", "opens", "closes"),
    "queue_statistics/puts": ("puts", "mqput_bytes", "mqput1_bytes", "put_failures", "streamed_messages", "persistent_mqputs"),
    "queue_statistics/gets": ("destructive_gets", "get_bytes", "gets_no_message", "gets_truncated", "get_wait_redrives"),
    "queue_statistics/depth": ("destructive_gets",),
}  # fmt: skip


@pytest.mark.parametrize("name", ADDITIVE)
def test_sums_of_a_report_are_those_of_the_records(name: str, stuck: Workspace) -> None:
    sums = ", ".join(f"sum({column})::BIGINT AS {column}" for column in ADDITIVE[name])
    assert rows_of(stuck, f"SELECT {sums} FROM ({sqlfile.reports()[name].text})") == rows_of(
        stuck, f"SELECT {sums} FROM decoded.qqst"
    )


def test_growth_and_time_to_full(stuck: Workspace) -> None:
    """NO.READER grows by 700 messages in each half hour; page sets do not grow in this scenario, so nothing fills."""
    (row,) = rows_of(
        stuck,
        f"SELECT * FROM ({sqlfile.reports()['queue_statistics/depth'].text}) WHERE queue = 'NO.READER'",
    )
    assert (row["growth_per_h"], row["intervals_rising_pct"], row["shape"]) == (1_400, 100, "building up")
    assert (row["depth_first"], row["depth_last"], row["intervals_without_reader"]) == (700, 5_600, 8)
    assert row["hours_to_page_set_full"] is None


def test_times_on_the_queue_are_weighted_by_the_messages_got() -> None:
    given: list[tuple[str, int, dict[str, Any]]] = [
        ("MQ01", 0, {"queue_time_short_us": 1_000, "queue_time_long_us": 4_000, "destructive_gets": 90}),
        ("MQ01", 1, {"queue_time_short_us": 9_000, "queue_time_long_us": 8_000, "destructive_gets": 10}),
        ("MQ01", 2, {"queue_time_short_us": None, "queue_time_long_us": None, "destructive_gets": 500}),
    ]
    (row,) = queues(given, "SELECT queue_time_short_us, queue_time_long_us FROM queue_statistics_total")
    assert row == {"queue_time_short_us": 1_800, "queue_time_long_us": 4_400}


def test_blocks_and_tasks_without_names() -> None:
    """A block without a queue makes no row of queues, and a task without a job has the next name that is known."""
    tables = arrow({
        "wtid": [
            {"record_id": 1, "connection_type_code": 2, "connection_type": "batch", "operator_id": "USER1"},
            {"record_id": 2, "connection_type_code": 7, "connection_type": "RRS", "user_or_transaction": "USER2"},
            {"record_id": 3, "connection_type_code": 1, "connection_type": "CICS", "thread_reference_text": "    PAY1    "},
            {"record_id": 4, "connection_type_code": 7, "connection_type": "RRS"},
            {"record_id": 5, "connection_type_code": 1, "connection_type": "CICS", "connection_job": "CICSA", "channel_name": "GARBAGE"},
        ],
        "wq": [
            {"record_id": 1, "section": 0, "base_name": None, "cf_structure": "APP1", "opens": 3, "valid_destructive_gets": 7, "valid_gets": 7},
            {"record_id": 2, "section": 0, "base_name": "Q", "cf_structure": "APP1", "opens": 2, "valid_destructive_gets": 1, "valid_gets": 1},
        ],
    }, HALF_HOUR_US)  # fmt: skip
    with over(tables) as db:
        names = [row["application"] for row in rows_of(db, "SELECT application FROM task_identity ORDER BY record_id")]
        assert names == ["user USER1", "user USER2", "CICS PAY1", "RRS batch", "CICSA"]
        for view in ("shared_queue_open", "queue_lifetime", "queue_total", "queue_application_total"):
            assert [row["base_name"] for row in rows_of(db, f"SELECT base_name FROM {view}")] == ["Q"], view


def test_what_an_old_queue_block_does_not_count_is_null() -> None:
    """Before version 1 of the block there are no puts that moved a message, before 4 no puts to waiting getters."""
    old = {"base_name": "Q", "puts": 5, "gets": 4, "valid_puts": None, "valid_gets": None}
    with over(arrow({"wq": [{"record_id": 1, "section": 0, **old}]}, HALF_HOUR_US)) as db:
        (row,) = rows_of(
            db,
            "SELECT gets_without_message, puts_to_waiting_getter, persistent_messages, queue_log_forces, igq_puts FROM queue_use",
        )
        assert set(row.values()) == {None}
