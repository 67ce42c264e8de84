"""The forms a report is written in, and the one way to write them: to a stream, or to a file that is there whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from mqstat.base.atomic_write import replacing
from mqstat.errors import UsageError
from mqstat.render.layout import TEXT_WIDTH
from mqstat.report.model import Report

FORMS = ("text", "json", "csv", "parquet", "markdown", "html", "openmetrics")
"""What --format takes."""

ENDINGS = {
    ".txt": "text", ".json": "json", ".csv": "csv", ".parquet": "parquet", ".md": "markdown", ".html": "html", ".htm": "html",
    ".prom": "openmetrics",
}  # fmt: skip
"""Which form a file is in by the ending of its name."""

UNICODE = frozenset(("html", "openmetrics"))
"""Forms that are UTF-8 wherever they go, for they say so themselves or their readers take nothing else."""


def form_of(path: Path) -> str:
    """The form that the ending of a file's name stands for; UsageError for another ending."""
    try:
        return ENDINGS[path.suffix.lower()]
    except KeyError:
        *most, last = ENDINGS
        raise UsageError(
            f"{path} does not end in {', '.join(most)} or {last}, so its form is not known; name it so, or use --format and --output."
        ) from None


def needs_page(form: str) -> bool:
    """Whether a form shows what `health_report` gathers only when it is asked for a page: curves, pictures, all reports."""
    return form == "html"


def has_checksums(form: str) -> bool:
    """Whether a form shows the checksums of the inputs, which reading a dump computes only when it is asked to."""
    return form in ("html", "json")


def write(report: Report, form: str, stream: TextIO, width: int = TEXT_WIDTH, *, raw: bool = False) -> None:
    """Write a report to a text stream in one of FORMS, apart from parquet, which is files; `width` is that of text in columns.

    The database of the report must be open still: rows are read as they are written. UsageError for parquet.
    """
    if form == "html":
        from mqstat.render.html import render_html

        render_html(report, stream)
    elif form == "openmetrics":
        from mqstat.render.openmetrics import render_openmetrics

        render_openmetrics(report, stream)
    elif form == "json":
        from mqstat.render.document import render_json

        render_json(report, stream)
    elif form == "markdown":
        from mqstat.render.markdown import render_markdown

        render_markdown(report, stream)
    elif form == "parquet":
        raise UsageError("A Parquet report is files, not a stream: say where they go.")
    else:
        from mqstat.render.writers import render_csv, render_text

        if form == "csv":
            render_csv(report, stream, raw=raw)
        else:
            render_text(report, stream, width)


def write_file(
    report: Report, path: Path, form: str | None = None, width: int = TEXT_WIDTH, *, raw: bool = False
) -> list[Path]:
    """Write a report to a file in the form that is named or that its ending stands for; gives the files written.

    Each file is there whole or as it was before. Parquet is a folder with a file for each report, or one file when one report is asked
    for; so is CSV of several reports. `width` is that of text in columns. UsageError when the place cannot be written or the ending is not known.
    """
    form = form or form_of(path)
    if form == "parquet":
        from mqstat.render.files import all_tables, write_parquet

        return write_parquet(report.tables if report.only_tables else all_tables(report.all_findings.database), path)
    if form == "csv" and (path.is_dir() or (several(report) and not path.suffix)):
        return _csv_files(report, path, raw)
    with replacing(path) as stream:
        write(report, form, stream, width, raw=raw)
    return [path]


def several(report: Report) -> bool:
    """Whether CSV takes several files for a report."""
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
