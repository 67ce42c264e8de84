"""The only way to write a report: to a stream, or atomically to files."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from mqstat.assemble.model import Report
from mqstat.base.atomic_write import replacing
from mqstat.render.format import Options
from mqstat.render.formats import format_of, formats

PLAIN = Options()


def write(report: Report, format_name: str, stream: TextIO, options: Options = PLAIN) -> None:
    """Write a report to a text stream.

    The database of the report must still be open: rows are read as they are written. UsageError for a format that needs
    files.
    """
    formats()[format_name].render(report, stream, options)


def write_file(report: Report, path: Path, format_name: str | None = None, options: Options = PLAIN) -> list[Path]:
    """Write a report to a file, in the named format or that of the file extension; returns the files written.

    Each file is replaced atomically. Parquet is a folder with a file for each report, or one file if one report is
    requested; CSV of several reports is a folder too. UsageError if the file cannot be written or the extension is
    unknown.
    """
    chosen = formats()[format_name or format_of(path)]
    if chosen.to_files is not None:
        return chosen.to_files(report, path, options)
    with replacing(path, follow=options.follow) as stream:
        chosen.render(report, stream, options)
    return [path]
