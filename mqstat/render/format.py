"""What a format is. Each is one file in `mqstat/render/formats`, whose name is the name of the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from mqstat.assemble.model import Report

COMMANDS = ("report", "check", "compare")
"""The commands that write reports."""

NARROWEST = 60
"""Columns below which text is not wrapped further."""

TEXT_WIDTH = 132
"""Widest line if the output is not a terminal: the width of a JES spool and of a printed page."""


@dataclass(frozen=True)
class Options:
    """How to write: the width of text in columns, whether CSV has texts exactly as recorded, whether the target of a
    link is replaced (`follow`), and whether text is complete (`verbose`).
    """

    width: int = TEXT_WIDTH
    raw: bool = False
    follow: bool = True
    verbose: bool = False


@dataclass(frozen=True)
class Format:
    """A format of reports: `render` writes a report to a text stream while its database is open, because rows are read
    as they are written.

    endings: file extensions that select it; help shows the first. commands: the commands that write it.
    needs: content that is collected only for formats that show it: `page`, `monitored`, `every_table` (see
    `health_report`), `checksums` of the inputs.
    is_utf8: its readers require UTF-8, whatever the encoding of the terminal.
    to_files: writes the files of a format that needs several, and returns them; None = one file with what `render`
    writes.
    is_stream: whether it can be written to standard output.
    return_codes: the return code that its readers expect for each of ours. failure: a line for standard output if the
    command ends with an error.
    """

    render: Callable[[Report, TextIO, Options], None]
    endings: tuple[str, ...] = ()
    commands: tuple[str, ...] = COMMANDS
    needs: frozenset[str] = frozenset()
    is_utf8: bool = False
    to_files: Callable[[Report, Path, Options], list[Path]] | None = None
    is_stream: bool = True
    return_codes: Mapping[int, int] = field(default_factory=dict)
    failure: Callable[[str], str] | None = None
