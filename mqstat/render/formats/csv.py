"""CSV for spreadsheets: the findings, or the report named with `--report`; for several reports, a folder with one file
each (`--output DIR`).
"""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mqstat.base.atomic_write import create_folder, replacing
from mqstat.base.errors import UsageError
from mqstat.render.columns import converted
from mqstat.render.format import Format, Options
from mqstat.render.values import csv_value

if TYPE_CHECKING:
    from mqstat.assemble.model import Report
    from mqstat.assemble.table_model import Table


def render(report: Report, stream: TextIO, options: Options) -> None:
    """The requested report, or the findings. UsageError for several reports: a stream holds one."""
    if len(report.data) > 1:
        raise UsageError(
            f"A CSV stream holds one report, not {len(report.data)}: add --output DIR to write one file per report."
        )
    for table in report.data:
        _write(table, stream, options)


def to_files(report: Report, path: Path, options: Options) -> list[Path]:
    """One file, or a folder with one file for each report: `path/area/name.csv`."""
    if not path.is_dir() and (len(report.data) <= 1 or path.suffix):
        with replacing(path, follow=options.follow) as stream:
            render(report, stream, options)
        return [path]
    written = []
    for table in report.data:
        target = path / f"{table.report_id}.csv"
        create_folder(target.parent)
        with replacing(target) as stream:
            _write(table, stream, options)
        written.append(target)
    return written


def _write(table: Table, stream: TextIO, options: Options) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    for rows in converted(table.batches(), [partial(csv_value, raw=options.raw)] * len(table.columns)):
        writer.writerows(rows)


FORMAT = Format(render, endings=(".csv",), to_files=to_files)
