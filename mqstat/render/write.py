"""Formats of a report, and the only way to write them: to a stream, or atomically to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from mqstat.base.atomic_write import replacing
from mqstat.base.formats import ENDINGS, choice
from mqstat.errors import UsageError
from mqstat.render.layout import TEXT_WIDTH
from mqstat.report.model import Report

UNICODE = frozenset(("html", "openmetrics"))
"""Formats that are always UTF-8: they declare it, or their readers require it."""


def format_of(path: Path) -> str:
    """The format of a file extension; UsageError for an unknown extension."""
    try:
        return ENDINGS[path.suffix.lower()]
    except KeyError:
        raise UsageError(
            f"{path} has no known extension ({choice(ENDINGS)}); rename it, or use --format with --output."
        ) from None


def needs_page(format_name: str) -> bool:
    """Whether a format shows what `health_report` collects only for a page: curves, pictures, all reports."""
    return format_name == "html"


def has_checksums(format_name: str) -> bool:
    """Whether a format shows the checksums of the inputs, which are computed only on request."""
    return format_name in ("html", "json")


def write(report: Report, format_name: str, stream: TextIO, width: int = TEXT_WIDTH, *, raw: bool = False) -> None:
    """Write a report to a text stream in one of REPORT_FORMATS, except parquet, which needs files; `width` is the text width in columns.

    The database of the report must still be open: rows are read as they are written. UsageError for parquet.
    """
    if format_name == "html":
        from mqstat.render.html import render_html

        render_html(report, stream)
    elif format_name == "openmetrics":
        from mqstat.render.openmetrics import render_openmetrics

        render_openmetrics(report, stream)
    elif format_name == "json":
        from mqstat.render.document import render_json

        render_json(report, stream)
    elif format_name == "markdown":
        from mqstat.render.markdown import render_markdown

        render_markdown(report, stream)
    elif format_name == "parquet":
        raise UsageError("Parquet needs files, not a stream: specify where to write them.")
    else:
        from mqstat.render.writers import render_csv, render_text

        if format_name == "csv":
            render_csv(report, stream, raw=raw)
        else:
            render_text(report, stream, width)


def write_file(
    report: Report,
    path: Path,
    format_name: str | None = None,
    width: int = TEXT_WIDTH,
    *,
    raw: bool = False,
    follow: bool = True,
) -> list[Path]:
    """Write a report to a file, in the named format or that of the file extension; returns the files written.

    Each file is replaced atomically. Parquet is a folder with a file for each report, or one file if one report is requested;
    CSV of several reports is a folder too. `width` is the text width in columns. UsageError if the file cannot be written or the extension is unknown.
    `follow`: if the file is a link, its target is replaced.
    """
    format_name = format_name or format_of(path)
    if format_name == "parquet":
        from mqstat.render.files import all_tables, write_parquet

        return write_parquet(report.tables if report.only_tables else all_tables(report.all_findings.database), path)
    if format_name == "csv" and (path.is_dir() or (several(report) and not path.suffix)):
        return _csv_files(report, path, raw)
    with replacing(path, follow=follow) as stream:
        write(report, format_name, stream, width, raw=raw)
    return [path]


def several(report: Report) -> bool:
    """Whether CSV needs several files for a report."""
    from mqstat.render.writers import csv_tables

    return len(csv_tables(report)) > 1


def _csv_files(report: Report, folder: Path, raw: bool) -> list[Path]:
    """One file for each report: `folder/area/name.csv`."""
    from mqstat.render.writers import csv_tables, write_csv_table

    written = []
    for table in csv_tables(report):
        target = folder / f"{table.report_id}.csv"
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{target} cannot be written: {error.strerror or error}.") from error
        with replacing(target) as stream:
            write_csv_table(table, stream, raw=raw)
        written.append(target)
    return written
