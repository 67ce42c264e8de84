"""The rows of all reports: their keys, the columns that have values, and breach marks, compared with the rows in breach
that each rule keeps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from mqstat.assemble.table_model import Table
from mqstat.assemble.tables import marked_query, marking_rules, table
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from mqstat.sql.schemas import quoted
from mqstat.sql.workspace import Workspace

MARKED = [name for name in sqlfile.reports() if marking_rules(name)]
KEYED = [name for name, report in sqlfile.reports().items() if "grain" in report.header]
TEXTS = [sqlfile.reports()[name].text for name in KEYED]
SIDES = ("side_figure", "side_setting", "hour_figure", "class_hour")
"""Tables that only a comparison fills: campaign/periods/test_compare.py reads the reports over them."""
FILTERED = {"overview/gaps"}
"""Reports that omit rows that a rule may judge."""

Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows by report."""


def key_of(row: Mapping[str, Any], grain: Sequence[str]) -> tuple[Any, ...]:
    """The key of a row; records without an interval (before 7.1) have the end of their interval only."""
    end = row.get("interval_end_utc") if "interval_start_utc" in grain and row["interval_start_utc"] is None else None
    return (*(row[key] for key in grain), end)


def reads(needs: Collection[str], tables: Collection[str]) -> bool:
    """Whether views, or the views under them, read one of these."""
    return any(
        need in tables or (need in sqlfile.views() and reads(sqlfile.views()[need].needs, tables)) for need in needs
    )


def report_rows(db: Workspace, shown: Iterable[Table]) -> Rows:
    """The rows of all reports except those of comparisons; those of `shown` that have all rows, and no marks, are not
    read again.
    """
    read = {table.report_id: as_rows(table) for table in shown if is_whole(table) and not any(table.marked)}
    reports = {name: report for name, report in sqlfile.reports().items() if not reads(report.needs, SIDES)}
    return {name: read[name] if name in read else db.ask_rows(report.text) for name, report in reports.items()}


def is_whole(table: Table) -> bool:
    """Whether a table of a page has all rows of its report."""
    return len(table.rows) == table.total


def as_rows(table: Table) -> list[dict[str, Any]]:
    """The rows of a table by column."""
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def filled_columns(found: Rows) -> frozenset[tuple[str, str]]:
    """The columns of reports that have a value in some row."""
    filled: set[tuple[str, str]] = set()
    for name, rows in found.items():
        empty = set(rows[0]) if rows else set()
        for row in rows:
            here = {column for column in empty if row[column] is not None}
            filled |= {(name, column) for column in here}
            empty -= here
            if not empty:
                break
    return frozenset(filled)


def wrong_keys(found: Rows) -> list[str]:
    """The reports whose `grain` is not the key of a row."""
    faults = []
    for name in KEYED:
        grain = sqlfile.reports()[name].header["grain"]
        keys = [key_of(row, grain) for row in found.get(name, ())]
        faults += [] if len(set(keys)) == len(keys) else [f"{name}: {', '.join(grain)} are not the key of a row"]
    return faults


def wrong_marks(
    db: Workspace, name: str, total: int, findings: Sequence[Mapping[str, Any]], shown: Table | None = None
) -> list[str]:
    """Faults in the marks of a report, which has `total` rows without marks; `shown` is the report on a page."""
    faults = []
    whole = shown is not None and is_whole(shown)
    rows = as_rows(shown) if shown and whole else db.rows(marked_query(name, findings, worst_first=False))
    grain = sqlfile.reports()[name].header["grain"]
    keys = [key_of(row, grain) for row in rows]
    if len(set(keys)) != len(keys):
        faults.append(f"{name}: {', '.join(grain)} are not the key of a row")
    if total != len(rows):
        faults.append(f"{name}: {len(rows)} rows instead of {total}")
    for rule_id in marking_rules(name):
        rule = rules()[rule_id]
        hits = [row for row in findings if row["rule_id"] == rule_id and row["outcome"] == "breach"]
        marked = {
            key for key, row in zip(keys, rows, strict=True) if rule_id in (row["breach_rules"] or "").split(", ")
        }
        if not hits:
            faults += [f"{name}: {rule_id} marks rows without a finding"] if marked else []
            continue
        broken = {key_of(row, grain) for row in db.rows(f"SELECT * FROM temp.{quoted('breach_' + rule_id)}")}
        counted = sum(row["intervals_breached"] for row in hits)
        if name not in FILTERED and marked != broken:
            faults.append(f"{name}: {rule_id} marks {len(marked)} rows, {len(broken)} broke its limit")
        if set(rule.row_key) == {*rule.grain, "interval_start_utc"} and rule_id != "SM007" and len(broken) != counted:
            faults.append(f"{name}: {rule_id} has {len(broken)} rows in breach, its findings count {counted}")
    if any(row["in_breach"] != (row["breach_rules"] is not None) for row in rows):
        faults.append(f"{name}: in_breach and breach_rules differ")
    return faults


def wrong_sections(db: Workspace, findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Faults in the tables that a report shows because of a finding, of every rule in breach: rows that are not about
    what the rule found.

    A row has the keys of a row in breach: in columns of the same name, or, without such a column, in a text of the row.
    It need not have the interval.
    """
    breaches = [row for row in findings if row["outcome"] == "breach"]
    faults = []
    for rule_id, name in sorted({(row["rule_id"], row["report"]) for row in breaches if row["report"]}):
        shown = table(db, name, [row for row in breaches if row["rule_id"] == rule_id], limit=8, showing={rule_id})
        broken = db.rows(f"SELECT * FROM temp.{quoted('breach_' + rule_id)}")
        for row in as_rows(shown):
            if not any(is_about(row, found, rules()[rule_id].row_key) for found in broken):
                faults.append(f"{name}: a row that {rule_id} did not find: {row}")
            if (
                str(row.get("coverage_state", "")).startswith("collected")
                and row["coverage_state"] != "collected in part"
            ):
                faults.append(f"{name}: {rule_id} shows a class that is collected: {row}")
    return faults


def is_about(row: Mapping[str, Any], found: Mapping[str, Any], keys: Sequence[str]) -> bool:
    """Whether a row of a report is about a row in breach."""
    texts = [value for value in row.values() if isinstance(value, str)]
    return all(
        row[key] == found[key] or (key == "queue" and is_one(str(row[key]), str(found[key])))
        if key in row
        else key.endswith("_utc") or any(is_one(text, str(found[key])) for text in texts)
        for key in keys
    )


def is_one(text: str, name: str) -> bool:
    """Whether a text is a name, that of one of its clients, or of the dynamic queues of its prefix."""
    return text == name or text.startswith(f"{name} from ") or (text.endswith("*") and name[:-16] == text[:-1])
