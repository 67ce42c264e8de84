"""Markdown for a ticket or a wiki: the same as text, reports as tables with all rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from mqstat.render.format import Format, Options

if TYPE_CHECKING:
    from mqstat.assemble.model import Report
    from mqstat.assemble.table_model import Table


def render(report: Report, stream: TextIO, options: Options) -> None:
    """The sentences of the report, then its tables with all rows and those columns that a screen may show; or the
    findings as a table, or one finding.
    """
    from mqstat.assemble.conditions import distance_text
    from mqstat.assemble.finding import is_command
    from mqstat.render.card_text import headed, parts
    from mqstat.render.html import write_document

    of_baseline = () if report.baseline is None else report.baseline.tables
    write_document(
        "findings.md" if report.only_findings else "report.md" if report.card is None else "finding.md",
        stream,
        report=report,
        finding=report.card,
        tables=(_table(table, report.hidden) for table in (*of_baseline, *report.tables)),
        distance_text=distance_text,
        headed=headed,
        is_command=is_command,
        parts=parts,
    )


def _table(table: Table, hidden: frozenset[str]) -> tuple[Table, list[str], Iterator[list[str]], list[bool]]:
    """A report with its headings, its rows as they are read, and which columns are right-aligned: the numbers."""
    from mqstat.assemble.table_model import LocalTimes
    from mqstat.render.text_tables import cell_text, is_text

    shown, gmt = table.on_screen(hidden), LocalTimes({})
    columns = [table.columns[number] for number in shown]
    marks = any(table.marked)
    rows = (
        [*(["!" if table.is_marked(row) else ""] if marks else []), *(cell_text(table, row, n, gmt) for n in shown)]
        for batch in table.batches()
        for row in batch
    )
    heads = [column.label or column.name.replace("_", " ") for column in columns]
    right = [not is_text(column) for column in columns]
    return table, ["in breach", *heads] if marks else heads, rows, [False, *right] if marks else right


FORMAT = Format(render, endings=(".md",))
