"""The reports, rules and views of the finished areas compared with their catalogue: ids, columns, units, thresholds,
judges.

Deviations are listed here with the reason. Without the catalogue (MQSTAT_CATALOGUE) these tests skip.
"""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import pytest

from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from tests.costs import cache

REPORT_AREAS = (
    "buffer_pool",
    "log",
    "smds",
    "channel_initiator",
    "page_set",
    "data_manager",
    "message_manager",
    "cf",
    "db2",
    "qsg",
    "lock_manager",
    "topic",
    "encryption",
    "latch",
    "ims",
    "collection",
    "storage",
    "queue",
    "queue_statistics",
    "channel",
    "task",
    "application",
)
OVERVIEW = (
    "contents",
    "coverage",
    "gaps",
    "data_quality",
    "versions",
    "findings",
    "verdict",
    "timeline",
    "peaks",
    "compare",
    "headroom",
)
RULE_AREAS = (
    "BP",
    "LG",
    "SM",
    "CH",
    "CV",
    "DQ",
    "PS",
    "DM",
    "MM",
    "CF",
    "DB",
    "TP",
    "EN",
    "ST",
    "OT",
    "LK",
    "IM",
    "QU",
    "CN",
    "TA",
)
VIEWS = (
    "lock_manager topic "
    "source other_record damage section report_class record interval qmgr collection record_volume message_manager data_manager buffer_pool page_set "
    "log log_io cf_structure smds db2 db2_request storage storage_pool storage_getmain storage_region chinit_task channel_initiator channel connection task task_latch task_cf queue_use queue_use_cf queue_total "
    "queue_statistics interval_headline application_use finding site_input"
).split()

OTHER_COLUMNS: dict[str, dict[str, str]] = {
    "overview/verdict": {
        "subsystem": "rule_area: there is one list of areas, that of the rules",
        "verdict": "area_status: there is one ladder of states, that of the rules; beyond_norm has the norm",
        "sentence": "a writer makes sentences of the other columns",
    },
    "overview/headroom": {"ceiling": "limit_name, the usual word; limit_subject has the page set, pool or structure", "state": "headroom_state: state is that of a finding",
        "null": "not a column: the sentence about limit_value has a semicolon",
    },
    "channel/tls": {"weak_cipher": "is_weak_cipher: view channel_cipher has the cipher itself"},
    "storage/estimate": {"common": "not a column: the sentence about storage_area has a semicolon"},
    "site_input": {
        fact: f"{fact}_by_{key}: a column of another view has the plain name and another type"
        for fact, key in (
            ("pool_role", "pool"), ("structure_bytes", "structure"), ("cf_entries", "structure"), ("cf_elements", "structure"),
            ("maxdepth", "queue"), ("latency_us", "channel"), ("page_set_max_gb", "page_set"),
        )
    },
    "encryption/state": {"mq_level": "mq_version: mq_level is a number in other views"},
    "smds/buffers": {"buffers_free_low_signed": "buffers_free_low is signed: there is one column"},
    "channel_initiator/ssl_tasks": {"ssl_longest_at_utc": "ssl_longest_at_local: QCTLSTM is in local time"},
    "channel_initiator/dns_task": {"dns_longest_at_utc": "dns_longest_at_local: QCTLGTM is in local time"},
    "queue_use_cf": {"verb": "verb_name: verb is the number in table wq_cf", "cf_operation": "cf_operation_name: as verb"},
    "task_cf": {"cf_operation": "cf_operation_name: as in queue_use_cf"},
    "task/detail": {"verb": "verb_name: as in queue_use_cf", "cf_operation": "cf_operation_name: as verb"},
    "task/time_breakdown": {"verb": "verb_name: as in queue_use_cf"},
    "cf/verb_cost": {"verb": "verb_name: as in queue_use_cf", "cf_operation": "cf_operation_name: as in queue_use_cf"},
    "smds": {"buffers_free_low_signed": "as in smds/buffers"},
    "chinit_task": dict.fromkeys(("ssl_longest_at_utc", "dns_longest_at_utc"), "as in the reports"),
}  # fmt: skip
"""View or report -> column of the catalogue that has another name here, and why."""

NOT_YET: dict[str, dict[str, str]] = {}
"""View -> column of the catalogue that nothing reads yet, and what will read it; areas that exist may not be named
here."""

OTHER_UNITS: dict[tuple[str, str], str] = {
    ("finding", "caused_by"): "a list of ids",
    (
        "buffer_pool/day_profile",
        "lowest_free_pct_by_day",
    ): "the figures of the last seven days in one text: the number of columns is fixed",
    ("buffer_pool/day_profile", "page_set_ios_per_s_by_day"): "as lowest_free_pct_by_day",
    ("log/volume_by_hour", "log_mib_per_h"): "the figure is a rate, as its name states",
}
"""(view or report, column) -> why its unit is another one."""

OTHER_QUESTIONS = frozenset(
    {
        "overview/coverage",
        "overview/gaps",
        "overview/data_quality",
        "overview/versions",
        "overview/verdict",
        "overview/timeline",
        "overview/peaks",
        "overview/findings",
        "overview/headroom",
        "message_manager/persistence",
        "buffer_pool/health",
        "buffer_pool/day_profile",
        "buffer_pool/lifespan",
        "log/io",
        "log/rate",
        "log/busy",
        "log/longest_io",
        "log/efficiency",
        "smds/space",
        "smds/buffers",
        "smds/io",
        "channel_initiator/summary",
        "channel_initiator/adapters",
        "channel_initiator/dispatchers",
        "channel_initiator/ssl_tasks",
        "channel_initiator/dns_task",
        "channel_initiator/task_balance",
        "channel_initiator/adapter_wait",
        "task/list",
        "task/detail",
        "task/time_breakdown",
        "application/class1",
    }
)
"""Reports whose question is in plainer words than that of the catalogue."""

OURS = (
    "BP007 BP010 PS005 LG025 CF004 CF010 MM001 DM003 CH002 CH009 CH011 CN004 CN005 CN006 CN009 CN010 CN011 CN016 QU004 QU005 QU008 QU012 QU015 QU017 "
    "QU018 QU020 QU023 TA006 EN001 EN002 EN003 OT004 CV013 DQ008"
).split()
"""Rules whose problem a document names, and whose leading limits are our own: kind belongs to the limit, in the
catalogue to the rule."""

OTHER_RULES: dict[tuple[str, str], str] = {
    ("DQ005", "severity"): "information, because each record counts once whatever overlaps",
    **dict.fromkeys(
        ((rule_id, "name") for rule_id in ("BP013", "LG026", "LG027", "CH012", "CH013", "PS003")),
        "the name does not contain the limit, which a site can change",
    ),
    ("ST007", "name"): "it judges 64-bit storage too",
    ("DQ009", "judge"): "one finding for each queue manager, not one for each task",
    ("DQ012", "judge"): "one finding for each level of a queue manager",
    ("DQ015", "judge"): "one finding for each page set",
    **dict.fromkeys(
        ((rule_id, "judge") for rule_id in ("TA002", "TA003", "TA008")),
        "one finding for each application with its worst record, not one for each of its tasks",
    ),
    **dict.fromkeys(
        ((rule_id, "kind") for rule_id in OURS),
        "IBM's documentation or its consultants name the problem; the number that decides is ours",
    ),
    ("BP005", "kind"): "MP16 gives the 25 %; only the number of intervals is ours",
    ("CF007", "kind"): "MP16 gives the 80 % at which messages above 4 KB are offloaded",
    ("QU021", "kind"): "the depth is of the table of start rates in the report on z17",
    ("DQ015", "default_on"): "it calls for no action: a line of overview/data_quality counts it",
}
"""(rule, key) -> why name, judge, severity or kind differ."""

OTHER_LIMITS: dict[tuple[str, str], str] = {
    ("TA007", "share_max"): "a percentage, as everywhere: 90",
    ("LG010", "window_min"): "the sliding hour is a column of view log_window: a rule compares and does not compute",
    ("LG018", "window_min"): "as LG010",
    ("CN004", "persistent_share"): "a share is shown in percent",
    ("CN009", "near"): "as CN004",
    ("CF009", "minority_share"): "as CN004",
    ("CV008", "share_max"): "as CN004",
    ("LG013", "offload_ratio_min"): "as CN004",
    ("QU024", "share_min"): "as CN004",
    ("EN001", "weak_ciphers"): "codes are no limit: view channel_cipher has them by kind",
    ("PS006", "min_days"): "view headroom, whose dates the rule judges, needs 14 days of data for each date",
    ("PS006", "min_r2"): "a date of view headroom needs growth over 95 % of the pairs of days instead",
    ("ST007", "min_days"): "as PS006",
    ("ST007", "min_r2"): "as PS006",
    ("DQ012", "factor"): "the excess is compared in seconds: the times of a short task are rounded",
    ("LG025", "size_gb_min"): "3.5 GiB is shown as 3584 MiB, the unit of the figure that is compared",
}
"""(rule, threshold of the catalogue) -> why it is not among the thresholds of the rule."""


@cache
def catalogue(name: str) -> list[dict[str, str]]:
    """The rows of one of its files, or a visible skip."""
    folder = os.environ.get("MQSTAT_CATALOGUE")
    dumps = os.environ.get("MQSTAT_DUMPS")
    path = Path(folder) if folder else Path(dumps).parent / "catalogue" if dumps else None
    if path is None or not (path / name).exists():
        pytest.skip("the catalogue is outside the repository: MQSTAT_CATALOGUE is not set")
    with (path / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def columns_of(text: str) -> dict[str, str]:
    """Column -> unit of a list such as `name = formula [unit]; name [unit, kind]`."""
    columns: dict[str, str] = {}
    depth, start, parts = 0, 0, []
    for index, char in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(char, 0)
        if char == ";" and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    for part in parts:
        name = re.match(r"\s*([a-z][a-z0-9_]*)\b", part)
        units = re.findall(r"\[([a-z0-9_]+)(?:, [a-z]+)?\]", part)
        if name and units and name[1] != "none":
            columns[name[1]] = units[-1]
    return columns


def named(row: dict[str, str]) -> bool:
    """Whether a report belongs to the finished areas."""
    area, _, name = row["id"].partition("/")
    return area in REPORT_AREAS or (area == "overview" and name in OVERVIEW)


def differences(what: str, wanted: dict[str, str], unit: sqlfile.SqlFile) -> list[str]:
    """Columns that are missing or have another unit."""
    renamed = OTHER_COLUMNS.get(what, {})
    wrong = [f"{what}: column {name} is missing" for name in wanted if name not in unit.columns and name not in renamed]
    for name, given in wanted.items():
        if name in unit.columns and unit.columns[name].unit != given and (what, name) not in OTHER_UNITS:
            wrong.append(f"{what}.{name}: unit {unit.columns[name].unit}, the catalogue has {given}")
    return wrong


def test_every_report_has_its_columns() -> None:
    wrong = []
    rows = [row for row in catalogue("reports.csv") if named(row)]
    assert len(rows) == 109
    for row in rows:
        report = sqlfile.reports().get(row["id"])
        if report is None:
            wrong.append(f"{row['id']} is missing")
            continue
        wanted = columns_of(row["columns"])
        wrong += differences(row["id"], wanted, report)
        present = [name for name in report.columns if name in wanted]
        if present != [name for name in wanted if name in report.columns]:
            wrong.append(f"{row['id']}: the columns are in another order")
        dd = {} if row["mp1b_dd"] == "none" else {name.strip() for name in row["mp1b_dd"].split(";")}
        if set(report.header.get("dd", ())) != set(dd):
            wrong.append(f"{row['id']}: DD names {report.header.get('dd', [])}, the catalogue has {sorted(dd)}")
        wsc = {int(number) for number in re.findall(r"\d+", row["wsc"])}
        if set(report.header.get("wsc", ())) != wsc:
            wrong.append(f"{row['id']}: WSC {report.header.get('wsc', [])}, the catalogue has {sorted(wsc)}")
        if (report.header["question"] != row["question"]) != (row["id"] in OTHER_QUESTIONS):
            wrong.append(
                f"{row['id']}: the question is {report.header['question']!r}, the catalogue has {row['question']!r}; "
                "OTHER_QUESTIONS names the reports that ask in other words"
            )
    assert wrong == []


def test_every_view_has_its_columns() -> None:
    wrong = []
    rows = {row["name"]: row for row in catalogue("views.csv")}
    for name in VIEWS:
        view = sqlfile.views().get(name)
        if view is None:
            wrong.append(f"view {name} is missing")
            continue
        later = NOT_YET.get(name, {})
        wanted = columns_of(rows[name]["base_columns"]) | columns_of(rows[name]["derived_columns"])
        wrong += differences(name, {column: unit for column, unit in wanted.items() if column not in later}, view)
        wrong += [
            f"{name}: column {column} exists, remove it from NOT_YET" for column in later if column in view.columns
        ]
        wrong += [f"{name}: the catalogue has no column {column}" for column in later if column not in wanted]
    assert wrong == []


def test_columns_are_missing_only_for_areas_that_do_not_exist() -> None:
    existing = {report.area for report in sqlfile.reports().values()} | {rule.area for rule in rules().values()}
    for reasons in NOT_YET.values():
        for reason in reasons.values():
            area = re.search(r"area (\w+)", reason)
            assert area is not None
            assert area[1] not in existing


def test_every_rule_is_as_the_catalogue_has_it() -> None:
    wrong = []
    rows = [row for row in catalogue("rules.csv") if row["id"][:2] in RULE_AREAS]
    assert len(rows) == 202
    for row in rows:
        rule = rules().get(row["id"])
        if rule is None:
            wrong.append(f"{row['id']} is missing")
            continue
        judge = re.sub(
            r" intervals$",
            "",
            row["judge"].replace("share>=", "share >= ").replace("% of", " % of").removesuffix(" of intervals"),
        )
        severity = re.match(r"[a-z]+", row["severity"])
        leading = [rule.limit_kind(rule.clauses[first]) for first, *_ in rule.alternatives]
        if (rule.id, "kind") in OTHER_RULES and set(leading) == {row["kind"]}:
            wrong.append(f"{rule.id}: its kind is that of the catalogue, take it out of OTHER_RULES")
        pairs = {
            "name": (rule.name, row["name"]),
            "severity": (rule.severity, severity[0] if severity else ""),
            "judge": (rule.file.header["judge"], judge),
            "kind": (row["kind"] if row["kind"] in leading else leading, row["kind"]),
            "default_on": (rule.default_on, row["default_on"] == "yes"),
        }
        for key, (ours, theirs) in pairs.items():
            if ours != theirs and (rule.id, key) not in OTHER_RULES:
                wrong.append(f"{rule.id}: {key} is {ours!r}, the catalogue has {theirs!r}")
        ours_values = sorted(threshold.value for threshold in rule.thresholds.values())
        for name, value in re.findall(r"([a-z0-9_]+)=(-?\d+(?:\.\d+)?)", row["thresholds"]):
            if (rule.id, name) in OTHER_LIMITS:
                continue
            if float(value) in ours_values:
                ours_values.remove(float(value))
            else:
                wrong.append(
                    f"{rule.id}: no threshold is {name} = {value}, there are {[f'{t.name}={t.value:g}' for t in rule.thresholds.values()]}"
                )
    assert wrong == []
