"""Parquet for data tools: a folder with a file for each report, or one file if only one report is named; units and
descriptions in the metadata.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mqstat.base.errors import UsageError
from mqstat.render.format import Format, Options

if TYPE_CHECKING:
    from mqstat.assemble.model import Report


def render(report: Report, stream: TextIO, options: Options) -> None:
    """Always UsageError: Parquet is no stream."""
    raise UsageError("Parquet needs files, not a stream: specify where to write them.")


def to_files(report: Report, path: Path, options: Options) -> list[Path]:
    """A folder with a file for each report, or one file if there is only one."""
    from mqstat.render.files import write_parquet

    return write_parquet(report.data if report.only_tables else report.every_table or report.data, path)


FORMAT = Format(render, endings=(".parquet",), needs=frozenset({"every_table"}), to_files=to_files, is_stream=False)
