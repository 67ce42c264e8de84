"""Reports and views: published figures, real dumps, scenarios as a reader sees them, and the columns that a query reads."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqstat import sqlfile
from mqstat.database import Database, all_schemas, health_columns, open_database, scanned_columns, view_columns
from mqstat.errors import DatasetError, SqlFileError, UsageError
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.parsers.source import find_sources
from mqstat.parsers.tables import tables
from mqstat.part import Job
from mqstat.pipeline import Scratch, columns_to_decode
from mqstat.render import find_report, health_report, render_csv, render_json, render_terminal, render_text, return_code
from mqstat.render.health import figure, offset_text
from mqstat.render.layout import number_text
from mqstat.render.writers import all_lines, fitting
from mqstat.rules import run_rules
from mqstat.rules.model import rules
from mqstat.selection import Selection
from mqstat.site import Site, parse_site

REPORTS = list(sqlfile.reports())
START = datetime(2026, 1, 5, 10)

# --------------------------------------------------------------------------------------------------------- published figures

FIGURES = Path(__file__).parent / "golden" / "published" / "figures.json"
LOCAL_DUMPS = ("log-dual-copy-counters", "logger-busy-test115", "buffer-pools-test115", "adapter-task-time-identity")
"""Figures of real records: they are read from the catalogue, where there is one, and do not stand in this repository."""

NOT_HERE = {
    "dfw-bypass-share": "needs RMF cache data, which is not in SMF 115 or 116",
    "log-two-gets-one-commit": "is a planning calculator",
    "log-pages-per-io-and-srb": "gives rates and CPU per MB without counters",
    "log-io-single-page-ratios": "compares times of several machines",
    "checkpoint-pages-written": "is the text of a job log message",
    "csqx004i-new": "is the text of a job log message",
    "csqx004i-old": "is the text of a job log message",
    "log-max-io-share": "tests rule LG005, which is not built yet",
    "expectation-lookup-ds8900f": "tests rule LG028, which needs a table of devices",
}
"""Items of the areas buffer_pool, log and channel_initiator that nothing of these reports and rules computes, and why."""

# expected key -> (report or view, column, condition, factor)
Target = tuple[str, str, str, float]
POOL: dict[str, Target] = {
    "lowest_stealable_pct": ("buffer_pool/usage", "lowest_free_pct", "", 1),
    "stealable_now_pct": ("buffer_pool/usage", "current_free_pct", "", 1),
    "highest_used_pct": ("buffer_pool/usage", "highest_used_pct", "", 1),
    "size_mb": ("buffer_pool/usage", "pool_mib", "", 1),
    "page_set_io_per_second": ("buffer_pool", "page_set_ios_per_s", "", 1),
    "pages_per_write_io": ("buffer_pool", "pages_per_write", "", 1),
    "steal_contention_share": ("buffer_pool", "steal_contention_pct", "", 0.01),
    "reads_per_page_written": ("buffer_pool", "read_to_written_ratio", "", 1),
    "steals_less_contention": ("buffer_pool", "net_steals", "", 1),
    "pages_needed_for_15_pct_free": ("buffer_pool", "buffers_for_15pct_free", "", 1),
}
LOG: dict[str, Target] = {
    "log_buffer_wait_pct": ("log", "log_buffer_wait_pct", "", 1),
    "pages_written": ("log", "cis_written", "", 1),
    "mb_written_per_second": ("log", "log_written_mib_per_s", "", 1),
    "write_requests": ("log", "log_write_requests", "", 1),
    "pages_per_io": ("log", "pages_per_log_io", "", 1),
    "pages_per_io_one_page": ("log_io", "pages_per_io", "log_copy = 1 AND io_type = 1", 1),
    "pages_per_io_many_pages": ("log_io", "pages_per_io", "log_copy = 1 AND io_type = 2", 1),
    "log_read_requests": ("log", "log_reads", "", 1),
    "log_write_rate_copy_1_mb_per_second": ("log/busy", "copy1_mib_per_s", "", 1),
    "zhyperlink_write_requests_total_pages": ("log", "zhl_cis_tried", "", 1),
    "zhyperlink_average_io_us_one_page": ("log", "zhl_average_1ci_us", "", 1),
    "zhyperlink_average_io_us_many_pages": ("log", "zhl_average_multi_us", "", 1),
    "async_writes_per_log_switch": ("log", "zhl_async_per_switch", "", 1),
    "async_pages_per_log_switch": ("log", "zhl_pages_per_switch", "", 1),
    "pages_written_twice_or_more": ("log", "rewritten_cis", "", 1),
    "rewritten_page_share_pct": ("log", "rewritten_pct", "", 1),
    "async_share_pct": ("log", "zhl_async_pct", "", 1),
    "async_share_outside_log_switch_pct": ("log", "zhl_async_pct_without_switch", "", 1),
    "zhyperlink_spin_cpu_seconds": ("log/busy", "zhl_sync_us", "", 1e-6),
    "zhyperlink_spin_cpu_pct_of_one_cp": ("log/busy", "logger_spin_pct", "", 1),
    "log_bytes_per_log_switch_gib": ("log", "mib_per_log_switch", "", 1 / 1024),
    "logger_task_busy_pct": ("log/busy", "logger_task_busy_pct", "", 1),
    "logger_io_busy_pct": ("log/busy", "logger_io_busy_pct", "", 1),
    "logger_io_busy_pct_by_io_time": ("log/busy", "logger_io_busy_by_io_time_pct", "", 1),
    "io_share_of_busy": ("log/busy", "io_share_of_busy_pct", "", 0.01),
    "not_io_busy_points": ("log/busy", "other_busy_pct", "", 1),
    "cis_written_copy_1": ("log", "copy1_cis", "", 1),
    "cis_written_all_copies": ("log", "cis_written", "", 1),
    "write_ios_all_copies": ("log", "log_write_requests", "", 1),
    "log_write_rate_per_copy_mb_per_second": ("log/busy", "copy1_mib_per_s", "", 1),
    "log_growth_mb_per_second": ("log", "log_created_mib_per_s", "", 1),
    "rewritten_cis_copy_1": ("log", "rewritten_cis", "", 1),
    "copy_2_to_copy_1_many_pages": ("log_io", "copy_ratio", "log_copy = 1 AND io_type = 2", 1),
    "copy_2_to_copy_1_one_page": ("log_io", "copy_ratio", "log_copy = 1 AND io_type = 1", 1),
    "mb_written_per_copy": ("log", "copy1_cis", "", 4096 / 1048576),
    "io_seconds_copy_1": ("log/busy", "copy1_io_us", "", 1e-6),
    "io_seconds_copy_2": ("log/busy", "copy2_io_us", "", 1e-6),
    "suspend_seconds_copy_1": ("log", "copy1_request_us", "", 1e-6),
    "suspend_seconds_copy_2": ("log", "copy2_request_us", "", 1e-6),
    "average_io_us_copy_1_one_page": ("log_io", "average_io_us", "log_copy = 1 AND io_type = 1", 1),
    "average_io_us_copy_1_many_pages": ("log_io", "average_io_us", "log_copy = 1 AND io_type = 2", 1),
    "average_io_us_copy_2_one_page": ("log_io", "average_io_us", "log_copy = 2 AND io_type = 1", 1),
    "average_io_us_copy_2_many_pages": ("log_io", "average_io_us", "log_copy = 2 AND io_type = 2", 1),
    "after_io_us_copy_1_one_page": ("log_io", "average_after_io_us", "log_copy = 1 AND io_type = 1", 1),
    "after_io_us_copy_1_many_pages": ("log_io", "average_after_io_us", "log_copy = 1 AND io_type = 2", 1),
    "after_io_us_copy_2_one_page": ("log_io", "average_after_io_us", "log_copy = 2 AND io_type = 1", 1),
    "after_io_us_copy_2_many_pages": ("log_io", "average_after_io_us", "log_copy = 2 AND io_type = 2", 1),
}
TASK: dict[str, Target] = {
    "cpu_seconds": ("chinit_task", "task_request_cpu_us", "", 1e-6),
    "avg_cpu_us": ("chinit_task", "average_request_cpu_us", "", 1),
    "avg_elapsed_us": ("chinit_task", "average_request_et_us", "", 1),
    "cpu_pct_of_task_time": ("chinit_task", "task_cpu_pct_mp1b", "", 1),
    "busy_pct_of_task_time": ("chinit_task", "task_busy_pct_mp1b", "", 1),
    "wait_us": ("chinit_task", "average_request_wait_us", "", 1),
    "wait_share_of_elapsed": ("chinit_task", "request_wait_pct", "", 0.01),
    "busy_pct": ("channel_initiator/adapters", "task_busy_pct", "task_index IS NOT NULL", 1),
    "wait_per_request_us": ("channel_initiator/adapters", "average_request_wait_us", "task_index IS NOT NULL", 1),
    "unused": ("channel_initiator/adapters", "task_unused", "task_index IS NOT NULL", 1),
}
SUMMARY: dict[str, Target] = {
    "summary_requests": ("channel_initiator/adapters", "task_requests", "task_index IS NULL", 1),
    "summary_cpu_s": ("channel_initiator/adapters", "cpu_used_s", "task_index IS NULL", 1),
    "summary_avg_cpu_us": ("channel_initiator/adapters", "average_request_cpu_us", "task_index IS NULL", 1),
}
PASSED_OVER = {
    "read_share_of_gets_pct": "no column: pool_hit_pct is its complement, tested below",
    "page_set_reads_per_second": "no column: page_set_ios_per_s counts the writes too",
    "steal_contention_over_half": "follows from steal_contention_share",
    "get_page_growth": "compares two intervals; belongs to buffer_pool/health",
    "pages_written_per_second": "no column: the rate is in MiB",
    "write_requests_per_second": "no column of log; log_io.io_per_s counts per copy and type",
    "write_threshold_share_of_logger_calls_pct": "belongs to log/activity",
    "class": "is worded differently by log/busy; tested below",
    "cis_per_second_per_copy": "no column: the rate is in MiB",
    "copy_2_to_copy_1_many_pages_after_fix": "is a second interval; tested below",
    "duration_s": "is the length of the record itself",
    "cpu_pct_of_header_duration": "shows that the header duration is not the divisor",
    "channels": "belongs to channel_initiator/dispatchers",
    "unused_adapters_at_least": "tested below",
    "task_time": "is elapsed plus idle time; view column unaccounted_us is tested below",
    "key_generation_us": "is a difference between two tests of the document",
}
"""Expected values that no column of these views and reports has, and why."""


@cache
def published() -> dict[str, dict[str, Any]]:
    """Figures that stand in this repository."""
    return {item["id"]: item for item in json.loads(FIGURES.read_text(encoding="utf-8"))}


@cache
def catalogue_figures() -> dict[str, dict[str, Any]] | None:
    """All figures of the catalogue; None where there is none."""
    folder = os.environ.get("MQSTAT_CATALOGUE")
    dumps = os.environ.get("MQSTAT_DUMPS")
    path = Path(folder) if folder else Path(dumps).parent / "catalogue" if dumps else None
    if path is None or not (path / "goldens.json").exists():
        return None
    return {item["id"]: item for item in json.loads((path / "goldens.json").read_text(encoding="utf-8"))}


def item_of(name: str) -> dict[str, Any]:
    """One item, or a visible skip."""
    if name in published():
        return published()[name]
    found = catalogue_figures()
    if found is None:
        pytest.skip(
            "figures of real records stand outside the repository: neither MQSTAT_CATALOGUE nor MQSTAT_DUMPS is set"
        )
    return found[name]


@cache
def columns_by_ibm_name() -> dict[tuple[str, str], tuple[str, str]]:
    """(structure, IBM name) -> (table, column)."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for table, (_, columns) in tables().items():
        structure = table.removesuffix("_log_io")
        for column in columns:
            if column.mnemonic:
                found.setdefault((structure, column.mnemonic.lower()), (table, column.name))
    return found


def common(table: str, interval_us: int, level: str = "9.4.0", section: int = 0) -> dict[str, Any]:
    """Lineage of a row."""
    return {
        "source_id": 1, "record_id": 1, "section": section, "section_length": 0, "lpar": "SYS1", "qmgr": "MQ01", "mq_version": level, "interval_start_utc": START,
        "interval_start_local": START, "interval_end_utc": START + timedelta(microseconds=interval_us), "interval_us": interval_us,
    }  # fmt: skip


def as_number(given: dict[str, Any]) -> int:
    """An input in the unit of its decoded column."""
    value = given["value"]
    return int(value) >> 12 if "STCK units" in given["unit"] else int(value)


def decoded_rows(inputs: dict[str, Any], task_table: str = "qct_adp") -> dict[str, pa.Table]:
    """Rows of decoded tables that hold the counters of an item."""
    interval = inputs.get("qwhs.qwhsdurn") or inputs.get("interval")
    seconds = inputs.get("interval_seconds") or inputs.get("task_time") or inputs.get("header_duration")
    interval_us = as_number(interval) if interval else round(seconds["value"] * 1e6) if seconds else 60_000_000
    rows: dict[str, list[dict[str, Any]]] = {}
    io: dict[tuple[int, int], dict[str, Any]] = {}
    for name, given in inputs.items():
        structure, _, rest = name.partition(".")
        match = re.fullmatch(r"(.*?)\[(\d)\]\[(\d)\]", rest)
        key = (structure, (match[1] if match else rest).lower())
        if key not in columns_by_ibm_name():
            continue
        table, column = columns_by_ibm_name()[key]
        value: Any = as_number(given)
        if pa.types.is_boolean(all_schemas()[table].field(column).type):
            value = bool(value)
        if column == "lowest_stealable" and value == 0x7FFFFFFF:
            value = None
        if match and table == "qjst_log_io":
            io.setdefault((int(match[2]) + 1, int(match[3]) + 1), {})[column] = value
        elif match is None:
            rows.setdefault(table, [{}])[0][column] = value
    for (copy, kind), row in io.items():
        rows.setdefault("qjst_log_io", []).append({"log_copy": copy, "io_type": kind, **row})
    if io:
        rows.setdefault("qjst", [{}])[0]["has_log_io"] = True
    for number, row in enumerate(rows.get(task_table, [])):
        row["section"] = number
    return arrow(rows, interval_us)


def arrow(rows: dict[str, list[dict[str, Any]]], interval_us: int) -> dict[str, pa.Table]:
    """Rows with their lineage as Arrow tables, and the record they come from."""
    record = {
        **common("record", interval_us),
        "smf_type": 115,
        "subtype": 1,
        "record_class": "115.1",
        "record_start_utc": START,
    }
    record |= {
        "record_start_local": START,
        "record_us": interval_us,
        "written_local": START,
        "gmt_offset_minutes": 0,
        "source_offset": 0,
    }
    rows = {**rows, "record": [record]}
    made = {}
    for table, given in rows.items():
        schema = all_schemas()[table]
        full = [{**{k: v for k, v in common(table, interval_us).items() if k in schema.names}, **row} for row in given]
        made[table] = pa.Table.from_pylist(
            [{name: row.get(name) for name in schema.names} for row in full], schema=schema
        )
    return made


def value_at(db: Database, target: Target) -> Any:
    """The figure that a report or view has."""
    place, column, condition, factor = target
    source = f"({sqlfile.reports()[place].text})" if "/" in place else place
    found = db.execute(f"SELECT {column} FROM {source} {'WHERE ' + condition if condition else ''}").fetchall()
    assert len(found) == 1, (place, column, found)
    value = found[0][0]
    return value if value is None or isinstance(value, (bool, str)) else value * factor


def shown_as(value: float, rounding: str) -> float:
    """A value after the rounding that a document used."""
    digits = re.search(r"to (\d) decimal", rounding)
    scale = 10 ** int(digits[1]) if digits else 1
    return math.floor(value * scale + (0.5 if "half up" in rounding else 1e-9)) / scale


def compare(
    db: Database, item: dict[str, Any], expected: dict[str, Any], targets: dict[str, Target], coarse: bool
) -> int:
    """Compare every expected value with its column; returns how many there were."""
    tolerance = 2e-3 if coarse else {"exact": 1e-9}.get(item["tolerance"], 1e-6)
    count = 0
    for key, wanted in expected.items():
        if key in rules() or key in PASSED_OVER:
            continue
        assert key in targets, f"{item['id']}: nothing is compared with {key}"
        got = value_at(db, targets[key])
        count += 1
        if wanted["value"] is None or isinstance(wanted["value"], bool):
            assert got == wanted["value"], (item["id"], key)
            continue
        assert got == pytest.approx(wanted["value"], rel=tolerance, abs=1e-9), (item["id"], key)
        rounding = wanted.get("rounding", "")
        if "printed" in wanted and ("half up" in rounding or "truncated" in rounding) and not coarse:
            assert shown_as(got, rounding) == pytest.approx(wanted["printed"]), (item["id"], key)
            if "half up to 1 decimal" in rounding:
                column = sqlfile.Column("figure", "number")
                assert float(number_text(float(got), column)) == pytest.approx(wanted["printed"]), (item["id"], key)
    return count


def cases_of(item: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(inputs, expected) of an item or of each of its cases."""
    for case in item.get("cases") or [{"inputs": {}, "expected": item["expected"]}]:
        yield {**item["inputs"], **case["inputs"]}, case["expected"]


SIMPLE: dict[str, dict[str, Target]] = {
    "log-report-zhyperlink-4mb": LOG,
    "log-dual-copy-counters": LOG,
    "logger-busy-test115": LOG,
    "buffer-pool-bad-previous": POOL,
    "buffer-pool-bad-problem": POOL,
    "buffer-pool-threshold-boundaries": POOL,
    "buffer-pools-test115": POOL,
    "adapter-task-time-identity": TASK,
}
"""Items whose inputs are counters and whose results are columns."""


@pytest.mark.parametrize("name", list(SIMPLE))
def test_published_figures(name: str) -> None:
    item = item_of(name)
    # Times in STCK units lose their last 12 bits when they become microseconds.
    coarse = any("STCK" in given.get("unit", "") for inputs, _ in cases_of(item) for given in inputs.values())
    count = 0
    for inputs, expected in cases_of(item):
        with open_database(decoded_rows(inputs)) as db:
            count += compare(db, item, expected, SIMPLE[name], coarse)
    assert count


def test_published_pairs_of_logger_busy() -> None:
    """The document gives I/O busy as a percentage; the suspend time that it means is put back."""
    item = item_of("logger-busy-printed-pairs")
    words = []
    for inputs, expected in cases_of(item):
        suspended = round(inputs["logger_io_busy_pct"]["value"] / 100 * 60_000_000)
        given = decoded_rows(inputs)["qjst"].to_pylist()[0] | {"has_log_io": True}
        io = {
            "log_copy": 1,
            "io_type": 2,
            "io_count": 1,
            "io_cis": 272 * 256 * 60,
            "io_total_us": suspended,
            "request_total_us": suspended,
        }
        with open_database(arrow({"qjst": [given], "qjst_log_io": [io]}, 60_000_000)) as db:
            assert compare(db, item, expected, LOG, False)
            words.append(value_at(db, ("log/busy", "logger_reading", "", 1)))
    assert words == ["waiting for log I/O", "CPU or both"]


def test_published_copy_imbalance() -> None:
    item = item_of("log-io-copy-imbalance")
    tables_ = decoded_rows(item["inputs"])
    averages = {key: given["value"] for key, given in item["inputs"].items() if key.startswith("average")}
    for after, key in ((False, "copy_2_to_copy_1_many_pages"), (True, "copy_2_to_copy_1_many_pages_after_fix")):
        rows = tables_["qjst_log_io"].to_pylist()
        for row in rows:
            kind = "one_page" if row["io_type"] == 1 else "many_pages"
            suffix = "_after_fix" if after and (row["log_copy"], kind) == (2, "many_pages") else ""
            row["io_total_us"] = row["io_count"] * averages[f"average_io_us_copy_{row['log_copy']}_{kind}{suffix}"]
        with open_database(
            {**tables_, "qjst_log_io": pa.Table.from_pylist(rows, schema=tables_["qjst_log_io"].schema)}
        ) as db:
            got = value_at(db, LOG["copy_2_to_copy_1_many_pages"])
            assert got == pytest.approx(item["expected"][key]["value"])
            if not after:
                assert compare(db, item, item["expected"], LOG, False)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("ssl-task-report", "qct_ssl"),
        ("dispatcher-report-lab", "qct_dsp"),
        ("adapter-wait-z14", "qct_adp"),
        ("adapter-wait-z15", "qct_adp"),
    ],
)
def test_published_task_reports(name: str, table: str) -> None:
    item = item_of(name)
    count = 0
    for inputs, expected in cases_of(item):
        if "avg_cpu_us" in inputs:  # the document gives averages; ten requests have these
            row = {
                "task_requests": 10,
                "task_request_cpu_us": 10 * inputs["avg_cpu_us"]["value"],
                "task_request_et_us": 10 * inputs["avg_elapsed_us"]["value"],
            }
            made = arrow({table: [row]}, 60_000_000)
        else:
            made = decoded_rows(inputs, table)
            if "task_time" in inputs:
                row = made[table].to_pylist()[0]
                row["task_idle_us"] = round(inputs["task_time"]["value"] * 1e6) - row["task_request_et_us"]
                made[table] = pa.Table.from_pylist([row], schema=made[table].schema)
        with open_database(made) as db:
            loose = {key: value for key, value in expected.items() if "loosely" not in value.get("rounding", "")}
            count += compare(db, item, loose, TASK, False)
            for key in set(expected) - set(loose):
                assert value_at(db, TASK[key]) == pytest.approx(expected[key]["value"], rel=1e-6)
                count += 1
    assert count


def test_published_adapter_summary() -> None:
    item = item_of("adapter-report-lab")
    given = item["inputs"]
    rows = [
        {"section": n, "task_requests": given[f"requests_adapter_{n}"]["value"], "task_request_cpu_us": round(given[f"cpu_s_adapter_{n}"]["value"] * 1e6), "task_request_et_us": 0}
        for n in range(4)
    ]  # fmt: skip
    with open_database(arrow({"qct_adp": rows}, 119_488_500)) as db:
        assert compare(db, item, item["expected"], SUMMARY, False) == 3
        unused = db.execute(
            f"SELECT count(*) FROM ({sqlfile.reports()['channel_initiator/adapters'].text}) WHERE task_unused AND task_index >= 0"
        )
        assert unused.fetchall()[0][0] >= item["expected"]["unused_adapters_at_least"]["value"]


def test_published_dispatcher_summary() -> None:
    item = item_of("dispatcher-report-lab")
    total = sum(inputs["qct_dsp.qctreqn"]["value"] for inputs, _ in cases_of(item))
    assert total == item["expected"]["summary_requests"]["value"]


def test_pool_hits_are_the_complement_of_reads() -> None:
    with open_database(decoded_rows(item_of("buffer-pool-bad-previous")["inputs"])) as db:
        assert value_at(db, ("buffer_pool", "pool_hit_pct", "", 1)) == 100


JUDGED = [
    "log-report-zhyperlink-4mb",
    "buffer-pool-bad-previous",
    "buffer-pool-bad-problem",
    "buffer-pool-threshold-boundaries",
]


@pytest.mark.parametrize("name", JUDGED)
def test_published_findings(name: str) -> None:
    """Conditions that the documents call true or false for one interval."""
    item = item_of(name)
    count = 0
    for inputs, expected in cases_of(item):
        wanted = {key: value["value"] for key, value in expected.items() if key in rules()}
        for truth, key in ((True, "condition_true"), (False, "condition_false")):
            ids = [text.split()[0] for text in item.get("findings", {}).get(key, ())]
            wanted |= {rule_id: truth for rule_id in ids if rule_id in rules()}
        wanted.pop("LG002", None)  # needs the printed busy time; see test_published_pairs_of_logger_busy
        zero = {"no_buffer_waits": 0, "synchronous_write_hits": 0, "deferred_write_starts": 0}
        made = decoded_rows(inputs)
        if "qpst" in made:
            row = {key: zero.get(key) if value is None else value for key, value in made["qpst"].to_pylist()[0].items()}
            made["qpst"] = pa.Table.from_pylist([row], schema=made["qpst"].schema)
        with open_database(made) as db:
            found = run_rules(db).to_pylist()
        # A stronger rule may silence the finding: its condition is true all the same.
        true = {row["rule_id"] for row in found if row["intervals_breached"]}
        for rule_id, truth in wanted.items():
            assert (rule_id in true) is truth, (name, rule_id)
            count += 1
    assert count


def test_every_published_item_is_tested_or_has_its_reason() -> None:
    here = {*SIMPLE, *JUDGED, *published(), *LOCAL_DUMPS}
    for name, reason in NOT_HERE.items():
        print(f"{name}: not tested, it {reason}")
    found = catalogue_figures()
    if found is None:
        pytest.skip("neither MQSTAT_CATALOGUE nor MQSTAT_DUMPS is set")
    wanted = {name for name, item in found.items() if item["area"] in ("buffer_pool", "log", "channel_initiator")}
    assert wanted - here == set(NOT_HERE)
    for name, item in published().items():
        for part in ("inputs", "expected"):
            assert {key: value["value"] for key, value in item[part].items()} == {
                key: value["value"] for key, value in found[name][part].items()
            }


# ----------------------------------------------------------------------------------------------------------------- databases


@contextmanager
def reading(path: Path, wanted: dict[str, Any] | None = None, **options: Any) -> Iterator[Database]:
    """A database over one dump."""
    with Scratch() as scratch:
        first = 0
        for number, source in enumerate(find_sources([str(path)]), start=1):
            first += scratch.add(
                source, Job(number, first, Selection(), wanted, scratch.root), sha256=False
            ).part.records
        with open_database(scratch.files, temp_directory=scratch.root, **options) as db:
            yield db


def scenario(name: str, folder: Path) -> Path:
    """A scenario as a file."""
    path = folder / f"{name}.smf"
    path.write_bytes(SCENARIOS[name].build())
    return path


def text_of(db: Database, reports: list[str] | None = None, site: Site | None = None, width: int = 132) -> str:
    """A report as plain text."""
    stream = io.StringIO()
    render_text(health_report(db, Selection(), site, reports), stream, width)
    return stream.getvalue()


# ------------------------------------------------------------------------------------------------------------------ goldens


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_health_report_of_every_scenario(name: str, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    with reading(scenario(name, tmp_path), columns_to_decode(health_columns())) as db:
        text = text_of(db)
    assert max(map(len, text.splitlines())) <= 132
    assert str(tmp_path) not in text
    golden(f"reports/{name}/health.txt", text)


def test_green_lines_say_what_was_collected(tmp_path: Path) -> None:
    with reading(scenario("healthy_day", tmp_path)) as db:
        report = health_report(db)
    assert {verdict.state for verdict in report.verdicts} == {"ok"}
    assert report.return_code == 0
    assert all(re.search(r"\d", verdict.text) for verdict in report.verdicts)


def test_missing_data_is_never_green() -> None:
    with open_database(arrow({}, 1_800_000_000)) as db:
        report = health_report(db)
    states = {verdict.area: verdict.state for verdict in report.verdicts}
    assert states["Channel initiator"] == "not collected"
    assert states["Buffer pool"] == "not collected"
    (pool,) = [verdict.text for verdict in report.verdicts if verdict.area == "Buffer pool"]
    assert "START TRACE(STAT) CLASS(1)" in pool
    assert any(state == "not collected" for state, _ in report.coverage)


def test_an_empty_database_has_a_report() -> None:
    with open_database({}) as db:
        text = text_of(db)
    assert "return code 0" in text
    assert "no rows" in text


# ------------------------------------------------------------------------------------------------------------------- writers


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The sample, all columns."""
    with reading(scenario("sample", tmp_path_factory.mktemp("sample"))) as db:
        yield db


@pytest.fixture(scope="module")
def sample_report(sample: Database) -> Any:
    """The health report of the sample."""
    return health_report(sample)


@pytest.mark.parametrize("report", REPORTS)
def test_reports_of_the_sample(report: str, sample: Database, golden: Callable[[str, str], None]) -> None:
    text = text_of(sample, [report])
    assert max(map(len, text.splitlines())) <= 132
    golden(f"reports/sample/{report}.txt", text)


@pytest.mark.parametrize("width", [80, 100, 132, 200])
def test_no_line_is_wider_than_asked(sample_report: Any, width: int) -> None:
    assert max(map(len, all_lines(sample_report, width))) <= width


def test_rows_in_breach_stand_first(sample_report: Any) -> None:
    (usage,) = [table for table in sample_report.tables if table.report_id == "buffer_pool/usage"]
    assert usage.marked[0]
    assert list(usage.marked) == sorted(usage.marked, reverse=True)
    assert usage.total > len(usage.rows) == 20


def test_json_is_one_object_with_all_rows(sample_report: Any) -> None:
    stream = io.StringIO()
    render_json(sample_report, stream)
    data = json.loads(stream.getvalue())
    assert data["return_code"] == 8
    assert {finding["rule_id"] for finding in data["findings"]} == SCENARIOS["sample"].expect
    (usage,) = [table for table in sample_report.tables if table.report_id == "buffer_pool/usage"]
    assert len(data["reports"]["buffer_pool/usage"]["rows"]) == usage.total
    assert [column["name"] for column in data["reports"]["buffer_pool/usage"]["columns"]] == list(
        sqlfile.reports()["buffer_pool/usage"].columns
    )


def test_csv_of_a_health_report_is_the_findings(sample_report: Any) -> None:
    stream = io.StringIO()
    render_csv(sample_report, stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue())))
    assert {row["rule_id"] for row in rows if row["outcome"] == "breach"} == SCENARIOS["sample"].expect
    assert list(rows[0]) == list(sqlfile.reports()["overview/findings"].columns)


def test_csv_has_every_row_and_names_as_they_are(tmp_path: Path) -> None:
    with reading(scenario("hostile_names", tmp_path)) as db:
        stream = io.StringIO()
        render_csv(health_report(db, reports=["overview/contents"]), stream)
    rows = list(csv.reader(io.StringIO(stream.getvalue(), newline="")))
    assert rows[0] == list(sqlfile.reports()["overview/contents"].columns)
    assert "=1+1" in {row[2] for row in rows[1:]}
    assert "\x1b[1m" in {row[0] for row in rows[1:]}


@pytest.mark.parametrize("writer", [render_text, render_terminal])
def test_names_cannot_steer_a_terminal(writer: Any, tmp_path: Path) -> None:
    with reading(scenario("hostile_names", tmp_path)) as db:
        stream = io.StringIO()
        writer(health_report(db), stream, 120)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", stream.getvalue())


def test_a_terminal_gets_colours(sample_report: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = io.StringIO()
    render_terminal(sample_report, stream, 133)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert plain != stream.getvalue()
    assert [line.rstrip() for line in plain.splitlines()] == list(all_lines(sample_report, 132))


def test_what_an_encoding_lacks_becomes_plain() -> None:
    assert fitting("Caf\u00e9 \u2013 \u00b5s \u4e2d", "ascii") == "Cafe - us ?"
    assert fitting("Caf\u00e9", "latin-1") == "Caf\u00e9"
    assert fitting("Caf\u00e9", None) == "Caf\u00e9"


def test_reports_are_found_by_dd_name_and_nearest_name() -> None:
    assert find_report("BUFF") == "buffer_pool/usage"
    assert find_report("adapcsv") == "channel_initiator/adapters"
    with pytest.raises(UsageError, match="buffer_pool/usage"):
        find_report("buffer_pool/use")


@pytest.mark.parametrize(("minutes", "text"), [(0, "UTC"), (330, "UTC+05:30"), (-210, "UTC-03:30"), (60, "UTC+01:00")])
def test_offsets(minutes: int, text: str) -> None:
    assert offset_text(minutes) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (15.0, "percent", "15 %"),
        (14.96, "percent", "15.0 %"),
        (1e-9, "ratio", "0.0"),
        (None, "us", "n/a"),
        (3, "count", "3"),
    ],
)
def test_figures_in_sentences(value: float | None, unit: str, text: str) -> None:
    assert figure(value, unit) == text


@pytest.mark.parametrize(
    ("outcomes", "source", "code"),
    [
        ([("clear", "critical"), ("no-data", "critical"), ("breach", "info")], (100, 0, 5), 0),
        ([("breach", "warning")], (100, 0, 5), 4),
        ([("breach", "warning"), ("breach", "critical")], (100, 0, 5), 8),
        ([("clear", "info")], (1_000_000, 1000, 5), 4),
        ([("clear", "info")], (1_000_000, 1001, 5), 12),
        ([("breach", "critical")], (100, 0, 0), 12),
        ([("broken", "info"), ("breach", "critical")], (100, 0, 5), 16),
    ],
)
def test_return_codes(outcomes: list[tuple[str, str]], source: tuple[int, int, int], code: int) -> None:
    table = pa.table({"outcome": [one[0] for one in outcomes], "severity": [one[1] for one in outcomes]})
    size, damaged, decoded = source
    assert return_code(table, [{"source_bytes": size, "bytes_damaged": damaged, "records_decoded": decoded}]) == code


def test_site_file_shows_in_the_report(tmp_path: Path) -> None:
    site = parse_site(
        '[rules.BP002]\noff = true\nreason = "known"\n[rules.LG004]\naverage_us_max = 5000\nreason = "mirrored"\n',
        "site.toml",
    )
    with reading(scenario("sample", tmp_path), site=site) as db:
        text = text_of(db, site=site)
    assert "LG004: average_us_max 5000 (default 1000), mirrored" in text
    assert "BP002: off, known" in text
    assert "CRITICAL" not in text


# ---------------------------------------------------------------------------------------------------- the columns that are read


def test_a_report_needs_only_the_columns_that_it_says(tmp_path: Path) -> None:
    """The same report from all columns and from those that the plans name: nothing that is read was left out."""
    path = scenario("sample", tmp_path)
    names = [*REPORTS]
    with reading(path) as db:
        everything = text_of(db, names) + text_of_all(db)
    with reading(path, columns_to_decode(health_columns())) as db:
        assert text_of(db, names) + text_of_all(db) == everything


def text_of_all(db: Database) -> str:
    """Every row and column of every report."""
    return "\n".join(str(db.execute(sqlfile.reports()[name].text).fetchall()) for name in REPORTS)


@pytest.mark.parametrize("view", list(sqlfile.views()))
def test_each_column_of_a_view_needs_only_the_columns_that_it_says(view: str) -> None:
    """Tables with just the scanned columns give the types and rows that full tables give."""
    wanted = scanned_columns(f'SELECT * FROM "{view}"')
    full = filled_tables()
    some = {
        table: full[table].select(sorted(columns)) if columns else full[table]
        for table, columns in wanted.items()
        if table in full
    }
    with open_database(full) as db, open_database(some) as narrow:
        query = f'SELECT * FROM main."{view}" ORDER BY ALL'
        assert narrow.execute(query).fetchall() == db.execute(query).fetchall()


@cache
def filled_tables() -> dict[str, pa.Table]:
    """Every decoded table with three rows of made-up values."""
    made = {}
    for name, schema in all_schemas().items():
        if name in ("finding", "site_input", "report_class"):
            continue
        rows = [{field.name: made_up(field, number) for field in schema} for number in range(3)]
        made[name] = pa.Table.from_pylist(rows, schema=schema)
    return made


def made_up(field: pa.Field, number: int) -> Any:
    """A value that fits the type of a column."""
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    fixed = {
        "lpar": "SYS1",
        "qmgr": "MQ01",
        "mq_version": "10.0.0",
        "smf_type": 115,
        "subtype": 1,
        "record_class": "115.1",
        "damage": None,
    }
    if field.name in fixed:
        return fixed[field.name]
    if field.name in ("record_id", "record_us", "interval_us"):
        return number + 1 if field.name == "record_id" else 1_800_000_000
    if pa.types.is_timestamp(kind):
        return START + number * timedelta(minutes=30)
    if pa.types.is_boolean(kind):
        return number != 1
    if pa.types.is_binary(kind):
        return b"x"
    return f"{field.name[:4]}{number}" if pa.types.is_string(kind) else 100 + 7 * number


@pytest.mark.parametrize(
    ("query", "table", "columns"),
    [
        ("SELECT count(*) FROM qpst", "qpst", set()),
        ("SELECT buffers FROM qpst WHERE pool_id = 3", "qpst", {"buffers", "pool_id"}),
        ("SELECT source_name FROM source ORDER BY source_bytes", "source", {"source_name", "source_bytes"}),
        (
            "SELECT a.buffers FROM decoded.qpst a WHERE EXISTS (SELECT 1 FROM qis1 b WHERE b.pool_id = a.pool_id)",
            "qis1",
            {"pool_id"},
        ),
        ("WITH x AS (SELECT * FROM qpst) SELECT sum(steals) FROM x", "qpst", {"steals"}),
    ],
)
def test_scanned_columns(query: str, table: str, columns: set[str]) -> None:
    assert scanned_columns(query)[table] == columns


def test_scanned_columns_follow_views() -> None:
    found = scanned_columns("SELECT lowest_free_pct FROM buffer_pool")
    assert {"lowest_stealable", "buffers"} <= found["qpst"]
    assert "steals" not in found["qpst"]
    assert view_columns("SELECT lowest_free_pct FROM buffer_pool")["buffer_pool"] == {"lowest_free_pct"}
    with pytest.raises(SqlFileError):
        scanned_columns("SELECT nothing FROM buffer_pool")


# ------------------------------------------------------------------------------------------------------------------ database


def pool_file(folder: Path, name: str, buffers: int) -> Path:
    """A Parquet file of buffer pool rows."""
    rows = arrow({"qpst": [{"pool_id": 1, "buffers": buffers}]}, 60_000_000)["qpst"]
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, path)
    return path


def test_file_names_may_hold_quotes_and_blanks(tmp_path: Path) -> None:
    files = [
        pool_file(tmp_path / "it's a day" / "date=2026-01-05", "a'b.parquet", 1),
        pool_file(tmp_path / "it's a day" / "date=2026-01-06", "*?[c].parquet", 2),
    ]
    with open_database({"qpst": files}) as db:
        assert db.execute("SELECT sum(buffers), min(date) FROM qpst").fetchall() == [(3, "2026-01-05")]
        assert len(db.rows("SELECT * FROM buffer_pool")) == 2


def test_columns_that_an_older_file_lacks_are_null(tmp_path: Path) -> None:
    new = pool_file(tmp_path, "new.parquet", 1)
    old = tmp_path / "old.parquet"
    pq.write_table(pq.read_table(new).drop_columns(["steals", "buffers"]), old)
    with open_database({"qpst": [old, new]}) as db:
        assert db.execute("SELECT count(*), count(buffers) FROM qpst").fetchall() == [(2, 1)]
    with open_database({"qpst": [old]}) as db:
        assert db.execute("SELECT count(*), count(buffers) FROM buffer_pool").fetchall() == [(1, 0)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{outside}')",
        "COPY (SELECT 1) TO '{outside}x'",
        "ATTACH '{outside}' AS other",
        "SET enable_external_access = true",
        "SET memory_limit = '9GB'",
        "SELECT * FROM frame",
        "INSTALL httpfs",
    ],
)
def test_the_database_is_locked(query: str, tmp_path: Path) -> None:
    frame = pa.table({"a": [1]})
    assert frame.num_rows == 1
    outside = tmp_path / "outside.csv"
    outside.write_text("a\n1\n", encoding="utf-8")
    inside = pool_file(tmp_path / "inside", "a.parquet", 1)
    with open_database({"qpst": [inside]}) as db:
        assert db.execute("SELECT count(*) FROM qpst").fetchall() == [(1,)]
        with pytest.raises(duckdb.Error):
            db.execute(query.format(outside=outside)).fetchall()


def test_work_that_does_not_fit_spills_to_the_temporary_folder(tmp_path: Path) -> None:
    with open_database({}, memory_limit="32MB", threads=1, temp_directory=tmp_path) as db:
        rows = db.execute(
            "SELECT count(*) FROM (SELECT range AS a, hash(range)::VARCHAR AS b FROM range(2000000) ORDER BY b)"
        ).fetchall()
    assert rows == [(2000000,)]


def test_columns_have_comments() -> None:
    with open_database({}, comments=True) as db:
        found = dict(
            db.execute("SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'buffer_pool'").fetchall()
        )
        assert found["lowest_free_pct"] == sqlfile.views()["buffer_pool"].columns["lowest_free_pct"].doc
        assert all(found.values())


def test_selection_keeps_queue_managers_and_period(tmp_path: Path) -> None:
    path = scenario("three_levels", tmp_path)
    with reading(path, selection=Selection(qmgrs=("MQPC",))) as db:
        assert db.execute("SELECT DISTINCT qmgr FROM record").fetchall() == [("MQPC",)]
        assert db.execute("SELECT DISTINCT qmgr FROM buffer_pool").fetchall() == [("MQPC",)]
    since = datetime(2026, 3, 29, 1)
    with reading(path, selection=Selection(since=since, until=since + timedelta(hours=1))) as db:
        found = db.execute("SELECT min(interval_start_local), max(interval_start_local) FROM interval").fetchall()[0]
        assert found[0] >= since
        assert found[1] < since + timedelta(hours=1)
        assert db.execute("SELECT count(*) FROM log WHERE startup_interval IS NULL").fetchall() == [(0,)]


def test_unknown_tables_and_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="nonsense"):
        open_database({"nonsense": pa.table({"a": [1]})})
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"not a parquet file")
    with pytest.raises(DatasetError, match=r"qpst.*bad\.parquet"):
        open_database({"qpst": [bad]})


# ----------------------------------------------------------------------------------------------------------------- real dumps


@pytest.mark.parametrize(
    ("name", "query", "rows"),
    [
        ("TEST115", "SELECT pool_id, buffers, lowest_stealable FROM usage WHERE pool_id IN (1, 3)", [(1, 100000, 42308), (3, 100000, 98961)]),
        ("TEST115", "SELECT count(*), min(lowest_free_pct) >= 15 FROM usage", [(7, True)]),
        ("TEST115", "SELECT round(logger_task_busy_pct, 2), round(logger_io_busy_pct, 2), round(logger_io_busy_by_io_time_pct, 2), logger_reading FROM busy", [(9.27, 9.18, 7.84, "has room")]),
        ("TEST115", "SELECT coverage_state FROM coverage WHERE record_class IN ('115.201', '115.231') ORDER BY record_class", [("not in this release",), ("not collected",)]),
        ("TESTCHL", "SELECT sum(task_requests)::BIGINT, count(*) FROM adapters WHERE task_index >= 0 AND NOT task_unused", [(6675, 16)]),
        ("TESTCHL", "SELECT task_requests, task_request_cpu_us, round(average_request_cpu_us, 1), average_request_wait_us FROM adapters WHERE task_index = 0 ORDER BY task_requests DESC LIMIT 1", [(1129, 27028, 23.9, 0.0)]),
        ("TESTCHL", "SELECT record_class, records, qsg FROM contents WHERE record_class LIKE '116%'", [("116.0", 45, "QSGM"), ("116.1", 200, "QSGM"), ("116.10", 8, "QSGM")]),
        ("MQ10_MQ1O", "SELECT pool_id, lowest_free_pct > 99.9 FROM usage QUALIFY row_number() OVER (PARTITION BY pool_id ORDER BY lowest_free_pct) = 1 ORDER BY pool_id", [(0, True), (1, True), (2, True), (3, True), (4, None), (5, None), (9, None)]),
        ("MQ10_MQ1O", "SELECT record_class FROM coverage WHERE coverage_state = 'not collected' ORDER BY record_class", [("115.216",), ("116.10",)]),
        ("MQ10_MQ1O", "SELECT DISTINCT qsg, mq_versions FROM contents", [("SQ13", "10.0.0")]),
    ],
)  # fmt: skip
def test_sample_values_of_real_dumps(dumps: Path, name: str, query: str, rows: list[Any]) -> None:
    with reading(dumps / f"{name}.dat") as db:
        ctes = ", ".join(f"{report.partition('/')[2]} AS ({sqlfile.reports()[report].text})" for report in REPORTS)
        assert sorted(db.execute(f"WITH {ctes} {query}").fetchall(), key=str) == sorted(rows, key=str)


def test_real_dumps_have_a_report(dump: Path) -> None:
    with reading(dump, columns_to_decode(health_columns())) as db:
        text = text_of(db) + text_of(db, REPORTS)
    assert max(map(len, text.splitlines())) <= 132
    assert "BROKEN" not in text
