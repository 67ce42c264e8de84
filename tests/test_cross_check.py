"""Additive figures: the sum over a report is the total of the decoded table, computed without any view."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.parsers.tables import tables
from mqstat.sql import sqlfile
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.support import file_of, reading

COMPARED_SCENARIOS = ("consumer_stopped", "rich_estate", "accounting_day")
"""Scenarios whose records fill these reports."""

ROWS = {
    "channel_initiator/adapters": "task_index IS NOT NULL",
    "channel_initiator/dispatchers": "task_index IS NOT NULL",
    "channel_initiator/ssl_tasks": "task_index IS NOT NULL",
    "channel/type_summary": "channel_type_name IS NOT NULL",
    "cf/structure_sums": "qmgr IS NOT NULL",
    "cf/verb_cost": "cf_operation_name <> 'all'",
    "queue/cpu": "row_kind = 'queue'",
    "queue/all": "row_kind = 'queue'",
}
"""Reports that print sums among their rows, and which rows are not sums."""

PARTS = {
    "channel_initiator/adapters": "qct_adp", "channel_initiator/dispatchers": "qct_dsp", "channel_initiator/ssl_tasks": "qct_ssl",
    "channel_initiator/dns_task": "qct_dns",
}  # fmt: skip
"""Reports about one of several tables that one view puts together."""

ONLY_ACTIVE = {
    "cf/structure_full": "only structures that were full",
    "db2/large_messages": "only intervals with large messages in Db2",
    "page_set/io": "only page sets with I/O",
    "queue/get_waste": "only applications with gets, many opens or MQPUT1",
}
"""Reports without the rows in which these figures are zero: with no row at all, the total is zero."""

NOT_WHOLE = {
    ("channel/batches", "*"): "only of message channels",
    ("cf/shared_scan", "*"): "only of shared queues that messages were got from",
    ("cf/structure_full", "put_failures"): "only of structures that were full, MQPUT1 included",
    ("qsg/members", "*"): "only of members of a group; MQPUT1 requests count as puts",
    ("log/new_logs", "*"): "intervals without a new log are left out",
    ("channel_initiator/adapter_wait", "selector_opens"): "only those of channel initiator tasks",
    ("channel_initiator/adapter_wait", "messages_skipped"): "as selector_opens",
    ("channel_initiator/adapter_wait", "immediate_writes"): "only of queue managers with a channel initiator",
    ("channel_initiator/adapter_wait", "synchronous_write_hits"): "as immediate_writes",
    ("latch/waits", "*"): "only of tasks and latch classes whose waits are above the limit",
    ("topic/publishers", "*"): "only of topics",
    ("ims/bridge", "*"): "only of queue managers with IMS bridge queues",
    **{
        ("queue/get_waste", column): "of the whole queue, in the row of each of its applications"
        for column in ("gets_no_message", "get_wait_redrives", "get_wait_failures", "gets_truncated")
    },
    ("queue_statistics/opentelemetry", "*"): "only of queues with spans or puts that were not sampled",
    ("task/db2_lookups", "*"): "only of tasks with Db2 calls",
    ("task/saturation", "*"): "only of tasks whose MQ calls take most of their interval",
    ("task/time_breakdown", "suspend_us"): "the mean of a call, not a sum",
    ("queue/local_summary", "*"): "only of private queues",
    ("queue/shared_summary", "*"): "only of shared queues",
    ("queue/flow_balance", "*"): "only of queues with one-sided flow",
    ("queue/dead_messages", "*"): "only of queues with messages that expired, stayed or were rolled back",
    ("queue/open_patterns", "*"): "only of applications with many opens or MQPUT1",
    ("queue/temporary_dynamic", "*"): "only of temporary queues",
    ("queue/index_advisor", "*"): "only of applications that get by id, with a selector or past other messages",
    ("cf/open_close", "*"): "only of shared queues",
    ("latch/lens", "*"): "of the interval, in the row of each of its latch classes",
    ("overview/versions", "sections"): "without those of IBM's own use",
    ("log/reads", "*"): "only of intervals with log reads that are not those of a start",
    ("log/efficiency", "commits"): "only of queue managers with log statistics",
}
"""(report, column): why it is not the sum of all rows of the table."""


@cache
def tables_below(unit_id: str, kind: str) -> frozenset[str]:
    """The decoded tables that a view or report is made of."""
    unit = sqlfile.reports()[unit_id] if kind == "report" else sqlfile.views()[unit_id]
    names: set[str] = set()
    for need in unit.needs:
        if need.startswith("decoded."):
            names.add(need.removeprefix("decoded."))
        elif need in sqlfile.views():
            names |= tables_below(need, "view")
    return frozenset(names)


def figures(report: sqlfile.SqlFile) -> dict[str, list[str]]:
    """The additive columns of a report, and the decoded tables that hold each."""
    columns = {name: {column.name for column in described} for name, (_, described) in tables().items()}
    below = {PARTS[report.id]} if report.id in PARTS else tables_below(report.id, "report")
    described = {}
    for column in report.columns.values():
        holding = sorted(name for name in below if column.name in columns.get(name, ()))
        whole = (report.id, "*") not in NOT_WHOLE and (report.id, column.name) not in NOT_WHOLE
        if column.kind == "counter" and holding and whole:
            described[column.name] = holding
    return described


def sums(db: Workspace, source: str, columns: Iterable[str]) -> dict[str, Any]:
    """The sum of some columns of a table or query."""
    listed = ", ".join(f'sum("{column}") AS "{column}"' for column in columns)
    return db.rows(f"SELECT {listed} FROM {source}")[0]


def compare(db: Workspace) -> tuple[int, list[str]]:
    """How many figures were compared, and those that differ."""
    compared = {report.id: wanted for report in sqlfile.reports().values() if (wanted := figures(report))}
    db.keep([sqlfile.reports()[report_id].text for report_id in compared])
    needed: dict[str, set[str]] = {}
    for wanted in compared.values():
        for column, names in wanted.items():
            for name in names:
                needed.setdefault(name, set()).add(column)
    totals = {name: sums(db, f'decoded."{name}"', sorted(columns)) for name, columns in needed.items()}
    count, wrong = 0, []
    for report_id, wanted in compared.items():
        report = sqlfile.reports()[report_id]
        where = f" WHERE {ROWS[report.id]}" if report.id in ROWS else ""
        shown = sums(db, f"({report.text.rstrip().rstrip(';')}){where}", wanted)
        for column, names in wanted.items():
            parts = [totals[name][column] for name in names]
            known = [part for part in parts if part is not None]
            if known and None not in parts and shown[column] is None and report.id in ONLY_ACTIVE:
                shown[column] = 0
            count += 1
            if shown[column] not in parts and shown[column] != (sum(known) if known else None):
                wrong.append(
                    f"{report.id}.{column}: {shown[column]} in the report, {dict(zip(names, parts, strict=True))} in the tables"
                )
    return count, wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED_SCENARIOS)
def test_sums_of_reports_are_those_of_the_tables(name: str, tmp_path: Path) -> None:
    with reading(file_of(SCENARIOS[name].build(), tmp_path), views=False) as db:
        count, wrong = compare(db)
    assert wrong == []
    assert count > 50


@pytest.mark.slow
def test_sums_on_real_dumps(dumps: Path) -> None:
    """All of them in one database: most of the time goes into planning, whatever the size."""
    with open_data([str(dump) for dump in sorted(dumps.glob("*.dat"))], jobs=1) as db:
        count, wrong = compare(db)
    assert wrong == []
    assert count > 50
