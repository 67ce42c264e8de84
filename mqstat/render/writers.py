"""Writers of the report model: plain text, coloured terminal and CSV."""

from __future__ import annotations

import csv
import math
import unicodedata
from collections.abc import Iterator
from datetime import date, datetime
from functools import partial
from typing import Any, TextIO

from mqstat.base.csv_cells import safe
from mqstat.base.formatting import steady
from mqstat.errors import UsageError
from mqstat.render.columns import converted
from mqstat.render.layout import TEXT_WIDTH, lines
from mqstat.report.model import Report, Table

_PLAIN = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\u00b5": "u",
        "\u03bc": "u",
    }
)


def fitting(text: str, encoding: str | None) -> str:
    """Text that a stream's encoding can represent: accents are dropped, typographic characters simplified, other characters become '?'."""
    if encoding is None:
        return text
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        plain = unicodedata.normalize("NFKD", text.translate(_PLAIN))
        return "".join(c for c in plain if not unicodedata.combining(c)).encode("ascii", "replace").decode("ascii")
    return text


def render_text(report: Report, stream: TextIO, width: int = TEXT_WIDTH) -> None:
    """Plain text without colour, at most 132 columns wide."""
    encoding = getattr(stream, "encoding", None)
    for line in lines(report, width):
        stream.write(fitting("".join(text for text, _ in line).rstrip(), encoding) + "\n")


def render_terminal(report: Report, stream: TextIO, width: int | None = None) -> None:
    """The same lines in colour and in the width of the terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
    encoding = getattr(stream, "encoding", None)
    # The last column stays free: some terminals wrap when it is written.
    for line in lines(report, console.width - 1):
        text = Text(no_wrap=True, overflow="ignore")
        for part, style in line:
            text.append(fitting(part, encoding), style)
        console.print(text, soft_wrap=True)


def render_csv(report: Report, stream: TextIO, *, raw: bool = False) -> None:
    """The named report with all rows and columns, or the findings if none is named. UsageError for several reports: a stream holds one.

    Text is made safe for terminals and spreadsheets (`mqstat.base.csv_cells`); with `raw` it is written unchanged.
    """
    tables = csv_tables(report)
    if len(tables) > 1:
        raise UsageError(
            f"A CSV stream holds one report, not {len(tables)}: add --output DIR to write one file per report."
        )
    for table in tables:
        write_csv_table(table, stream, raw=raw)


def csv_tables(report: Report) -> tuple[Table, ...]:
    """The tables of a report in CSV: the requested ones, those of a comparison, else the findings."""
    if not report.only_tables:
        return (report.all_findings,)
    return report.tables or (report.baseline.tables if report.baseline is not None else ())


def write_csv_table(table: Table, stream: TextIO, *, raw: bool = False) -> None:
    """All rows and columns of one report as CSV."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    for rows in converted(table.batches(), [partial(csv_value, raw=raw)] * len(table.columns)):
        writer.writerows(rows)


def csv_value(value: Any, raw: bool = False) -> Any:
    """A value as CSV has it; text safe for terminals and spreadsheets unless `raw`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, float):
        return steady(value) if math.isfinite(value) else ""
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return safe(value) if isinstance(value, str) and not raw else value


def json_value(value: Any) -> Any:
    """A value as JSON has it: times as text; non-finite numbers become null."""
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, float):
        return steady(value) if math.isfinite(value) else None
    return value


def all_lines(report: Report, width: int = TEXT_WIDTH) -> Iterator[str]:
    """The plain lines, for tests and goldens."""
    return ("".join(text for text, _ in line).rstrip() for line in lines(report, width))
