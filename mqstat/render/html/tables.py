"""Reports as tables of a page: the columns for a screen, the collected rows, and counts of the rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mqstat.assemble.model import Report
from mqstat.assemble.table_model import Table
from mqstat.base.areas import TITLES
from mqstat.base.formatting import clean, plural
from mqstat.render.html.states import report_anchor
from mqstat.render.text_tables import cell_text, is_text, label

REQUESTED_ROWS = 1000
"""Rows of a report that was requested by name; the rest is counted."""


def whole(table: Table) -> Table:
    """A requested report with many of its rows, in its own order."""
    if table.total <= len(table.rows):
        return table
    rows: list[tuple[Any, ...]] = []
    for batch in table.batches():
        rows += batch
        if len(rows) >= REQUESTED_ROWS:
            break
    rows = rows[:REQUESTED_ROWS]
    return replace(table, rows=tuple(rows), marked=tuple(table.is_marked(row) for row in rows))


def table_parts(table: Table, report: Report, rows: int | None = None) -> dict[str, Any]:
    """A table as the templates print it, with its first rows or all that were gathered."""
    chosen = table.on_screen(report.hidden)
    shown = table.rows[:rows]
    if not report.only_tables and len(shown) > 1:  # columns without any value are left out
        chosen = [
            number for number in chosen if any(cell_text(table, row, number, report.times) for row in shown)
        ] or chosen
    return {
        "id": table.report_id,
        "anchor": report_anchor(table.report_id),
        "title": table.title,
        "question": table.question,
        "note": table.note,
        "columns": [
            {"label": label(table.columns[number]), "doc": table.columns[number].doc, "text": is_text(table.columns[number])}
            for number in chosen
        ],
        "numbers": [not is_text(table.columns[number]) for number in chosen],
        "rows": [
            (marked, [cell_text(table, row, number, report.times) for number in chosen])
            for row, marked in zip(shown, table.marked, strict=False)
        ],
        "marks": any(table.marked[: len(shown)]),
        "breaches": sum(table.marked),
        "size": size_text(table),
        "more": more_text(table, len(shown)),
        "hidden": table.left_out(chosen, report.hidden),
    }  # fmt: skip


def size_text(table: Table) -> str:
    """The number of rows, and of the shown rows in breach."""
    hit = sum(table.marked)
    size = plural(table.total, "row")
    if hit and hit == len(table.rows) < table.total:
        return f"{size}, in breach: {hit} or more"
    return f"{size}, in breach: {hit}" if hit else size


def more_text(table: Table, shown: int) -> str:
    """What is omitted and how to get it; empty if everything is shown."""
    left = table.total - shown
    return plural(left, "more row") if left > 0 else ""


def report_groups(report: Report) -> list[dict[str, Any]]:
    """The reports of a page by area; those without rows are one line each."""
    page = report.page
    groups: dict[str, dict[str, Any]] = {}
    requested = [whole(table) for table in report.tables] if report.only_tables else report.tables
    for table in requested if page is None or report.only_tables else [*page.tables, *page.empty]:
        area = table.report_id.partition("/")[0]
        group = groups.setdefault(area, {"area": area, "title": TITLES[area], "tables": [], "empty": []})
        if table.rows:
            group["tables"].append(table_parts(table, report))
        else:
            entry = {"id": table.report_id, "anchor": report_anchor(table.report_id), "title": table.title}
            group["empty"].append(entry)
    for group in groups.values():
        group["size"] = plural(len(group["tables"]), "report") if group["tables"] else "no rows in this data"
        group["names"] = ", ".join(table["title"] for table in group["tables"] or group["empty"])
        group["breaches"] = sum(table["breaches"] > 0 for table in group["tables"])
        group["size"] += f", in breach: {group['breaches']}" if group["breaches"] else ""
    return list(groups.values())


def input_rows(report: Report) -> list[list[str]]:
    """Every input with its size, checksum and records."""
    return [] if report.page is None else [list(_input(row)) for row in report.sources]


def _input(row: Any) -> Iterable[str]:
    yield clean(row["source_name"] or "")
    yield f"{row['source_bytes'] or 0:,}"
    yield f"{row['records_decoded'] or 0:,}"
    yield f"{row['records_damaged'] or 0:,}"
    yield row["source_sha256"] or "not computed"
