"""Views of latches, channel ciphers, topics and the IMS bridge over decoded rows: shares of records, impossible times,
exemptions, groups.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mqstat.assemble.health import health_report
from mqstat.base.selection import Selection
from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.day import DAY, intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.fixtures.scenarios.latch_storm import latches
from mqstat.judge.lineage import written_since
from mqstat.judge.model import level_number
from mqstat.parsers import LAYOUTS
from mqstat.parsers.kit import S32
from mqstat.sql import sqlfile
from mqstat.sql.columns import selected_columns
from mqstat.sql.site import parse_site
from tests.oracle.believed import TOTALS
from tests.oracle.formulas import NEVER_TWO_BILLION
from tests.shared_database import over
from tests.support import START, arrow, decode_bytes, file_of, reading

HALF_HOUR_US = 1_800_000_000


def rows(sql: str, site: str = "", **tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Result of a query over views of decoded rows of one half hour."""
    facts = parse_site(site, "site.toml") if site else None
    made = arrow(tables, HALF_HOUR_US)
    (record,) = made["record"].to_pylist()
    members = sorted({row.get("qmgr", "MQ01") for given in tables.values() for row in given})
    made["record"] = pa.Table.from_pylist([record | {"qmgr": name} for name in members], schema=made["record"].schema)
    with over(made, facts) as db:
        result = db.ask(sql)
        names = [column[0] for column in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def tasks(waits: list[tuple[int, int] | None]) -> dict[str, list[dict[str, Any]]]:
    """One accounting record for each wait (total and longest time of class 11; None = no wait), all of one job."""
    out: dict[str, list[dict[str, Any]]] = {"wtas": [], "wtid": [], "wtas_latch": []}
    end = START.replace(minute=30)
    for number, wait in enumerate(waits):
        out["wtas"].append({
            "record_id": number, "has_latches": True, "task_interval_start_utc": START, "task_interval_end_utc": end, "longest_latch_holder": f"{number:016X}",
        })  # fmt: skip
        out["wtid"].append({"record_id": number, "connection_type_code": 7, "connection_job": "JOB1"})
        if wait is not None:
            total, longest = wait
            out["wtas_latch"].append({
                "record_id": number, "latch_class": 11, "latch_class_waits": 1, "latch_class_wait_us": total, "latch_class_longest_us": longest,
            })  # fmt: skip
    return out


@pytest.mark.parametrize(
    ("records", "wait"),
    [
        (1, 9_000),  # one record is more than 1 % of one
        (100, 9_000),
        (101, 7_000),  # 1 % of 101 records are two
        (200, 7_000),
        (201, 0),  # the third wait is missing
    ],
)
def test_the_99th_percentile_of_waits(records: int, wait: int) -> None:
    waits: list[tuple[int, int] | None] = [(9_000, 900), (7_000, 700)]
    (row,) = rows("SELECT * FROM latch_application", "", **tasks((waits + [None] * records)[:records]))
    assert (row["task_records"], row["wait_of_1_pct_us"]) == (records, wait)


def test_latch_times_beyond_the_accounting_interval_are_ignored() -> None:
    (row,) = rows(
        "SELECT * FROM latch_application",
        "",
        **tasks([(HALF_HOUR_US + 1, HALF_HOUR_US + 1), (4_000, 3_000), (2_000, 2_000)]),
    )
    assert (row["latch_longest_us"], row["latch_longest_record_id"], row["latch_longest_holder"]) == (
        3_000,
        1,
        f"{1:016X}",
    )
    assert (row["latch_class_wait_us"], row["wait_of_1_pct_us"], row["waiting_records"]) == (6_000, 4_000, 3)


def channel(name: str, cipher: int, connection: str = "10.1.1.1(1414)", **values: Any) -> dict[str, Any]:
    """A decoded row of a channel."""
    return {
        "channel_name": name, "cipher_code": cipher, "connection_name": connection, "channel_type": "Sender", "channel_type_code": 1, "bytes_sent": 5,
        "bytes_received": 7, "channel_start_utc": START, "collected_utc": START, **values,
    }  # fmt: skip


def test_ciphers_are_weak_by_their_code() -> None:
    kinds = {
        "no encryption": (0x0001, 0x0002, 0x003B, 0xC006, 0xC010), "export key": (0x0003, 0x0006, 0x0008, 0x0062, 0x0064), "RC4": (0x0004, 0x0005, 0xC007, 0xC011),
        "DES": (0x0009, 0xFEFE), "3DES": (0x000A, 0xC008, 0xC012, 0xFEFF),
    }  # fmt: skip
    wanted = {f"A.{code:04X}": kind for kind, codes in kinds.items() for code in codes}
    strong = (0, 0x1301, 0x1302, 0x1303, 0x002F, 0x0035, 0x003C, 0x009D, 0xC02F, 0xC030)
    result = rows(
        "SELECT channel_name, weak_cipher_kind, instances_weak FROM channel_cipher",
        qcst=[channel(f"A.{code:04X}", code) for code in [*strong, *(int(name[2:], 16) for name in wanted)]],
    )
    assert {row["channel_name"]: row["weak_cipher_kind"] for row in result if row["instances_weak"]} == wanted
    assert {row["channel_name"] for row in result if not row["instances_weak"]} == {f"A.{code:04X}" for code in strong}


def test_exempt_channels_connections_and_addresses_need_no_tls() -> None:
    result = rows(
        "SELECT channel_name, instances_to_protect, instances_without_tls FROM channel_cipher ORDER BY channel_name",
        '[site]\ntls_exempt = ["BY.N*", "10.9.?.9", "10.8.8.8(1414)"]',
        qcst=[
            channel("BY.ADDRESS", 0, "10.9.9.9(1415)"), channel("BY.CONNECTION", 0, "10.8.8.8(1414)"), channel("BY.NAME", 0),
            channel("OTHER.PORT", 0, "10.8.8.8(1415)"), channel("WITH.TLS", 0x1302),
        ],
    )  # fmt: skip
    assert [tuple(row.values()) for row in result] == [
        ("BY.ADDRESS", 0, 1), ("BY.CONNECTION", 0, 1), ("BY.NAME", 0, 1), ("OTHER.PORT", 1, 1), ("WITH.TLS", 0, 0),
    ]  # fmt: skip


def test_data_encrypted_in_software_counts_both_directions() -> None:
    gib = 1 << 30
    (row,) = rows(
        "SELECT * FROM channel_cipher_period",
        qcst=[channel("A", 0x1303, bytes_sent=2 * gib, bytes_received=gib), channel("A", 0x1302, "10.2.2.2", bytes_sent=9 * gib)],
    )  # fmt: skip
    assert (row["chacha_gib"], row["period_days"], row["chacha_gib_per_day"]) == (3, 1, 3)


def test_publishes_without_subscriber_may_not_be_publish_requests() -> None:
    topics = {
        "api_publishes": 100,
        "admin_publishes": 0,
        "proxy_publishes": 0,
        "publishes_without_subscriber": 300,
        "messages_to_subscribers": 100,
    }
    (row,) = rows("SELECT * FROM topic", qtst=[topics], qmst=[{"publications": 400}])
    assert (row["publishes_judged"], row["no_subscriber_pct"]) == (400, 75)
    (row,) = rows("SELECT * FROM topic", qtst=[topics], qmst=[{"publications": 20}])
    assert (row["publishes_judged"], row["no_subscriber_pct"]) == (300, 100)


def test_a_shared_bridge_queue_counts_once_for_its_group() -> None:
    queue = {"shared_queue": True, "queue_qsg": "QSG1", "put1s": 0}
    result = rows(
        "SELECT * FROM ims_idle_queue",
        '[site]\nims_bridge_queues = ["IMS.A", "IMS.B", "IMS.C", "IMS.LOCAL"]',
        qqst=[
            queue | {"queue": "IMS.A", "puts": 0}, queue | {"queue": "IMS.A", "puts": 0, "qmgr": "MQ02"},
            queue | {"queue": "IMS.B", "puts": 0}, queue | {"queue": "IMS.B", "puts": 5, "qmgr": "MQ02"},
            queue | {"queue": "IMS.C", "puts": 0, "qmgr": "MQ02"}, queue | {"queue": "IMS.LOCAL", "puts": 0, "shared_queue": False},
            queue | {"queue": "OTHER", "puts": 0},
        ],
    )  # fmt: skip
    assert [(row["group_name"], row["shared_bridge_queues"], row["idle_bridge_queues"], row["idle_queue_names"]) for row in result] == [
        ("QSG1", 3, 2, "IMS.A, IMS.C")
    ]  # fmt: skip


@pytest.mark.slow
def test_an_area_of_rules_that_are_off_by_default_appears_when_the_site_gives_their_facts(tmp_path: Path) -> None:
    path = tmp_path / "tls_tasks_few.smf"
    path.write_bytes(SCENARIOS["tls_tasks_few"].build())
    areas = {}
    for text in ("", '[site]\nims_bridge_queues = ["ORDERS.ENTRY"]'):
        site = parse_site(text, "site.toml")
        with reading(path, site=site) as db:
            report = health_report(
                db, Selection(), site, ["overview/findings"]
            )  # with the findings, so that all rules run
        areas[text] = {verdict.area for verdict in report.verdicts}
    assert [sorted(shown - areas[""]) for shown in areas.values()] == [[], ["IMS"]]


def test_topics_are_not_on_the_map_of_buffer_pools() -> None:
    def block(section: int, name: str, *, is_topic: bool) -> dict[str, Any]:
        return {"section": section, "base_name": name, "open_name": name, "puts": 5, "put1s": 0, "is_topic": is_topic}

    blocks = [block(0, "ORDERS", is_topic=False), block(1, "PRICES", is_topic=True), block(2, "BOTH", is_topic=True)]
    result = rows(sqlfile.reports()["buffer_pool/map"].text, "", wq=[*blocks, block(3, "BOTH", is_topic=False)])
    assert [row["queue"] for row in result if row["queue"]] == ["BOTH", "ORDERS"]


def test_members_that_the_site_expects_are_counted_with_those_that_report(tmp_path: Path) -> None:
    """Three queue managers report and one more is expected: of a group, or of none. One that reports from another group
    is not missing in this one.
    """
    eight = DAY + timedelta(hours=8)
    site = '[site]\nexpected_members = ["MQ01", "MQ02", "MQ03", "MQ09"]\n'
    query = "SELECT DISTINCT lpar, qmgr, qsg, members_in_qsg, members_reporting FROM coverage_member_hour WHERE hour_utc IS NOT NULL ORDER BY ALL"

    def hours(*groups: str) -> list[tuple[Any, ...]]:
        members = [QueueManager(f"MQ0{number}", f"SYS{number}", qsg=qsg) for number, qsg in enumerate(groups, 1)]
        tables, _ = decode_bytes(smf_file([record for one in members for record in intervals(one, eight, 2)]), tmp_path)
        with over(tables, parse_site(site, "site.toml")) as db:
            return db.ask(query).fetchall()

    assert hours("", "", "") == [(None, "MQ09", None, 4, 3)]
    assert hours("QSG1", "QSG1", "QSG2") == [
        ("SYS1", "MQ01", "QSG1", 3, 2),
        ("SYS2", "MQ02", "QSG1", 3, 2),
        ("SYS3", "MQ03", "QSG2", 2, 1),
        (None, "MQ09", "QSG1", 3, 2),
        (None, "MQ09", "QSG2", 2, 1),
    ]


READ_UNSIGNED = {"qmst": "message_manager", "qjst": "log", "qpst": "buffer_pool"}
"""The structures of a whole queue manager with signed counters, and the views that read them unsigned."""

SIGNED = {
    "qsgm": "GETMAINs of one requester, some thousands in an interval",
    "wq": "calls of one task for one queue: a half hour would need 1.2 million a second",
    "wtas": "page gets, latch waits and units of work of one task: a half hour would need 1.2 million a second",
}
"""Structures whose signed counters are not read unsigned, and why."""


def signed_counters(structure: str) -> list[str]:
    return [field.name for field in LAYOUTS[structure].fields if field.type is S32 and field.kind == "counter"]


def test_signed_counters_are_read_unsigned_or_have_a_reason() -> None:
    assert {name for name in LAYOUTS if signed_counters(name)} == READ_UNSIGNED.keys() | SIGNED.keys()


@pytest.mark.parametrize("structure", READ_UNSIGNED)
def test_counters_beyond_a_signed_word_are_read_unsigned(structure: str) -> None:
    """IBM declares them signed; an hour can hold three billion page gets, calls or control intervals, ten seconds
    cannot. DQ011 states which.
    """
    counters = [name for name in signed_counters(structure) if name not in NEVER_TWO_BILLION]
    never = [name for name in signed_counters(structure) if name in NEVER_TWO_BILLION]
    assert len(counters) >= 12
    given: dict[str, Any] = dict.fromkeys(counters, 3_094_967_296 - (1 << 32)) | dict.fromkeys(never, 0)
    ten = {"interval_us": 10_000_000, "interval_start_utc": START + timedelta(hours=1), "record_id": 2}
    hour = {"interval_us": 3_600_000_000, "record_id": 1}
    damaged = {**hour, **dict.fromkeys(never, -1), "interval_start_utc": START + timedelta(hours=2), "record_id": 3}
    tables = {structure: [{**given, **hour}, {**given, **ten}, *([{**given, **damaged}] if never else [])]}
    long, short, *small = rows(
        f"SELECT {', '.join(given)} FROM {READ_UNSIGNED[structure]} ORDER BY interval_start_utc", "", **tables
    )
    assert long == given | dict.fromkeys(counters, 3_094_967_296)
    assert short == given
    assert [{name: row[name] for name in never} for row in small] == [dict.fromkeys(never, -1)] * bool(never)
    states = rows("SELECT read_unsigned FROM quality_negative ORDER BY interval_start_utc", "", **tables)
    assert [row["read_unsigned"] for row in states] == [True, False, *([False] if never else [])]


UNTOTALLED = {
    "qcst.exit_longest_us": "QCSTETMX has no total; view channel_delay goes by its time",
    "qcst.network_longest_us": "QCSTNTMX has no total; view channel_delay goes by its time",
    "wtas.longest_latch_us": "its total is that of all latch classes, which the record has in WTASLWET",
}
"""Longest times without a total in their section, each with the reason."""
CARRIED_US = 4_200_123


def test_every_longest_time_has_a_total() -> None:
    longest = {
        f"{field.child or name}.{field.name}"
        for name, layout in LAYOUTS.items()
        for field in layout.fields
        if field.kind == "high" and field.unit == "us"
    }
    assert longest == {f"{table}.{field}" for table, pairs in TOTALS.items() for field in pairs} | set(UNTOTALLED)


def with_longest(total_us: int) -> dict[str, list[dict[str, Any]]]:
    """A record with a row of every table with longest times, all of them with this total."""
    end = START.replace(minute=30)
    given: dict[str, dict[str, Any]] = {
        "wtas": {"has_latches": True, "structure_version": 8, "task_interval_start_utc": START, "task_interval_end_utc": end, "db2_calls": 1},
        "wtid": {"connection_type_code": 7, "connection_job": "JOB1"}, "wtas_latch": {"latch_class": 11, "latch_class_waits": 1},
        "qjst": {"has_log_io": True}, "qjst_log_io": {"log_copy": 1, "io_type": 1, "io_count": 1}, "qct_dns": {"section_length": 48},
        "qct_ssl": {}, "qcct": {}, "q5st": {}, "qtst": {}, "wq": {"base_name": "Q1", "open_name": "Q1", "queue_type_code": 1, "valid_gets": 1},
    }  # fmt: skip
    for table, pairs in TOTALS.items():
        for longest, total in pairs.items():
            given[table] |= {longest: CARRIED_US, total: total_us}
    return {table: [row] for table, row in given.items()}


@pytest.mark.slow
@pytest.mark.parametrize("total_us", [CARRIED_US, CARRIED_US - 1])
def test_no_view_has_a_longest_time_beyond_its_total(total_us: int) -> None:
    """Every view that reads a table with such a time; with the total that makes it true, each table's time is in one of
    them.
    """
    tables = with_longest(total_us)

    def sources(name: str) -> set[str]:
        needs = sqlfile.views()[name].needs if name in sqlfile.views() else ()
        return {name} | {source for need in needs for source in sources(need.partition(":")[0])}

    seen = set()
    with over(arrow(tables, 1_800_000_000)) as db:
        for name in sqlfile.views():
            read = {table for table in TOTALS if f"decoded.{table}" in sources(name)}
            if read and name not in ("finding", "finding_work"):
                for row in db.ask_rows(f"SELECT * FROM {name}"):
                    found = {column for column, value in row.items() if value in (CARRIED_US, CARRIED_US / 1e6)}
                    seen |= {table for table in read if found and f"decoded.{table}" in sqlfile.views()[name].needs}
                    assert total_us == CARRIED_US or not found, f"{name}: {found}"
    assert total_us < CARRIED_US or seen == set(TOTALS)


def test_a_latch_wait_that_is_carried_over_is_one_event() -> None:
    """One wait of 4.2 s in eight records: the others have a total of 5 ms, or waits of their own, or no total that is
    smaller.
    """
    waits = [(5_000_000, CARRIED_US), *[(5_000, CARRIED_US)] * 4, *[(60_000_000, CARRIED_US)] * 3]
    tables = tasks([*waits])
    for number, task in enumerate(tables["wtas"]):
        start = START + timedelta(hours=number)
        task |= {
            "task_correlator": "ONE", "structure_version": 8, "task_interval_start_utc": start,
            "task_interval_end_utc": start + timedelta(hours=1),
        }  # fmt: skip
    listed = rows("SELECT * FROM latch_wait WHERE longest_latch_wait_us > 10000", "", **tables)
    assert [row["record_id"] for row in listed] == [0]
    (whole,) = rows(
        "SELECT latch_longest_us, latch_longest_record_id, waiting_records FROM latch_application", "", **tables
    )
    assert whole == {"latch_longest_us": CARRIED_US, "latch_longest_record_id": 0, "waiting_records": 8}
    for task in tables["wtas"]:
        task["task_correlator"] = str(
            task["record_id"]
        )  # tasks of their own: each had a wait where its total allows it
    listed = rows("SELECT * FROM latch_wait WHERE longest_latch_wait_us > 10000", "", **tables)
    assert [row["record_id"] for row in listed] == [0, 5, 6, 7]


def test_a_latch_wait_in_eight_records_of_a_dump_is_in_one_hour(tmp_path: Path) -> None:
    """A job waits 4.2 s once, and its next seven records repeat it with a total of 5 ms; another one waits 4.2 s in
    each hour.
    """
    made: list[bytes] = []
    for hour in range(8):
        start = DAY + timedelta(hours=hour)
        for number, job in enumerate(("CARRIES", "WAITS"), 1):
            longest = CARRIED_US if number == 1 else CARRIED_US + hour
            values = latches(5_000_000 if number == 2 or hour == 0 else 5_000, 3, longest)
            values["task_correlator"] = accounting.correlator(number, DAY)
            task, owner = Task("RRS", job, "USER1", ""), QueueManager(f"MQ0{number}")
            end = start + timedelta(hours=1)
            made += accounting.with_blocks(owner, task, start, end, [], number=number, calls=0, task_values=values)
    with reading(file_of(smf_file(made), tmp_path)) as db:
        listed = db.ask_rows("SELECT qmgr, longest_latch_wait_us > 10000 AS long FROM task_hour")
        assert sorted(row["qmgr"] for row in listed if row["long"]) == ["MQ01", *["MQ02"] * 8]
        query = "SELECT application FROM latch_wait WHERE latch_class = 11 AND latch_class_longest_us > 10000"
        assert sorted(row["application"] for row in db.ask_rows(query)) == ["CARRIES", *["WAITS"] * 8]


@pytest.mark.parametrize(("view", "table", "values", "column"), [
    ("topic", "qtst", {"publish_longest_us": CARRIED_US, "publish_total_us": 9_000_000}, "publish_longest_us"),
    ("db2_request", "q5st", {"list_sql_longest_us": CARRIED_US, "list_sql_us": 9_000_000}, "sql_max_us"),
    ("log_io", "qjst_log_io", {
        "log_copy": 1, "io_type": 1, "io_count": 9, "io_total_us": 9_000_000, "io_longest_us": CARRIED_US, "io_longest_at_utc": START,
    }, "io_longest_us"),
])  # fmt: skip
def test_a_longest_time_that_repeats_is_one_event(view: str, table: str, values: dict[str, Any], column: str) -> None:
    """The first of three intervals has it; the fourth has another one, which counts."""
    starts = [START + timedelta(hours=number) for number in range(4)]
    given = [{**values, "record_id": number, "interval_start_utc": start} for number, start in enumerate(starts)]
    for name, value in values.items():
        if value == CARRIED_US:
            given[3][name] = CARRIED_US + 1
    if "io_longest_at_utc" in values:
        given[3]["io_longest_at_utc"] = starts[3]
    listed = rows(
        f"SELECT record_id, {column} AS us FROM {view} WHERE {column} > 0 ORDER BY record_id", "", **{table: given}
    )
    assert listed == [{"record_id": 0, "us": CARRIED_US}, {"record_id": 3, "us": CARRIED_US + 1}]


ZERO = re.compile(r"coalesce\((?:sum\()?(?:\w+\.)?(\w+)\)?, 0\)")
TRUE_ZEROS: Mapping[str, str] = {
    r"(subscribe|subscription_request|control|status|callback)(s|es)?(_(et|cpu|srb)_us)?": "these calls came with 7.0: before, there were none",
    r"task_smds_\w+": "shared message data sets came with 7.1",
    r"zhl_total_\w+": "zHyperLink writes came with 9.4.0",
    r"otel_bridge_discarded": "the OpenTelemetry bridge came with 9.4.5",
    r"prepare(s|_et_us|_cpu_us)": "before 8.0 no counter has them: sums of all calls are without them",
    r"(open|close)_suspend_us|topic_(open|put|put1|close)_srb_us": "measured from a later version of the queue block on: sums are without them",
    r"page_set(s|_pages)_on_pool": "0 only where page sets are in the data; view buffer_pool asks for it",
    r"lost_intervals": "view interval_lost has those that are lost",
    r"shared_conversations|average_channel_message_bytes": "a channel without them has no conversations, and its storage is at least so much",
}
"""Columns of later releases that views replace by 0, each with the reason why that is true."""


@pytest.mark.slow
def test_no_view_replaces_what_a_release_does_not_write_by_0() -> None:
    """Columns that the view's own release does not write yet; versions of a structure count from the second one on."""
    levels = {}
    for name, layout in LAYOUTS.items():
        for field in layout.fields:
            release = re.search(r"(\d+\.\d+)(\.\d+)?", field.since)
            level = (
                level_number(f"{release[1]}{release[2] or '.0'}")
                if release
                else int(" " in field.since and not field.since.endswith(" 1"))
            )
            levels[f"decoded.{field.child or name}", field.name] = level
    unknown, used = set(), set()
    for name, view in sqlfile.views().items():
        for column, need in product(set(ZERO.findall(view.select)), view.needs):
            since = levels.get((need, column), 0)
            if need in sqlfile.views() and column in selected_columns()[need]:
                since = written_since(need, column) or 0
            if since > level_number(view.header.get("mq_since", "base")):
                reasons = {pattern for pattern in TRUE_ZEROS if re.fullmatch(pattern, column)}
                used |= reasons
                unknown |= set() if reasons else {f"{name}: {column}"}
    assert unknown == set()
    assert used == set(TRUE_ZEROS)
