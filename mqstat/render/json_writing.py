"""Writes reports, findings and single findings as JSON; rows are written as they come, one on a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from msgspec import UNSET

from mqstat.assemble.finding import Finding, plain, value_of
from mqstat.assemble.model import Report
from mqstat.assemble.table_model import Table
from mqstat.base.json_object import json_text
from mqstat.render.columns import converted
from mqstat.render.json_model import SCHEMA_VERSION, Column, document, like
from mqstat.render.json_model import Table as TableObject


def write_json(report: Report, stream: TextIO) -> None:
    """The whole report as one object (`mqstat.render.json_model`), the findings of `mqstat check`, or one finding."""
    if report.only_findings:
        _write_outcomes(report, stream)
    elif report.card is not None:
        _write_card(report.card, report.return_code, stream)
    else:
        _write_report(report, stream)


def _write_card(card: Finding | str, return_code: int, stream: TextIO) -> None:
    state, finding = (card, None) if isinstance(card, str) else (card.severity, card)
    made = {"schema_version": SCHEMA_VERSION, "return_code": return_code, "state": state, "finding": finding}
    stream.write(json_text(made, indent=1) + "\n")


def _write_outcomes(report: Report, stream: TextIO) -> None:
    table = report.all_findings
    names = [column.name for column in table.columns]
    stream.write(f'{{"schema_version": {SCHEMA_VERSION}, "counts": {json_text(report.counts)}, "findings": [')
    separator = "\n"
    for rows in converted(table.batches(), list(map(value_of, names))):
        for row in rows:
            stream.write(separator + json_text(dict(zip(names, row, strict=True))))
            separator = ",\n"
    stream.write("\n]}\n")


def _write_report(report: Report, stream: TextIO) -> None:
    made = document(report)
    separator = "{"
    for name in made.__struct_fields__:
        value = getattr(made, name)
        if value is UNSET:
            continue
        stream.write(f'{separator}\n "{name}": ')
        separator = ","
        if name in ("trend", "reports"):
            _write_tables(report.trend if name == "trend" else report.tables, stream)
        elif name == "baseline" and report.baseline is not None:
            stream.write(json_text(value).removesuffix("{}}"))
            _write_tables(report.baseline.tables, stream)
            stream.write("}")
        elif isinstance(value, list) and value:
            for number, item in enumerate(value):
                stream.write(("," if number else "[") + "\n  " + json_text(item))
            stream.write("\n ]")
        else:
            stream.write(json_text(value))
    stream.write("\n}\n")


def _write_tables(tables: Iterable[Table], stream: TextIO) -> None:
    """An object with a table for each name, with all rows, one per line."""
    stream.write("{")
    for number, table in enumerate(tables):
        columns = [like(Column, column) for column in table.columns]
        head = like(TableObject, table, columns=columns, rows=[])
        stream.write(f"{',' if number else ''}\n  {json_text(table.report_id)}: {json_text(head).removesuffix(']}')}")
        for position, row in enumerate(row for batch in table.batches() for row in batch):
            stream.write(("," if position else "") + "\n   " + json_text(list(map(plain, row))))
        stream.write("]}")
    stream.write("}")
