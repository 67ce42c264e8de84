"""Reports on standard output and in files, in the formats that a command writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mqstat.base.formatting import escaped
from mqstat.base.inputs import typing
from mqstat.base.phase import shown
from mqstat.cli.options import checked_format, columns_of_text
from mqstat.render.format import Options
from mqstat.render.formats import format_of, formats, formats_of, in_use

if TYPE_CHECKING:
    from mqstat.assemble.model import Report


def requested_formats(
    command: str, format_name: str, output: Path | None, files: Sequence[Path] = ()
) -> Collection[str]:
    """The formats of --format and --write; UsageError if the command does not write one of them, or not there."""
    checked_format(format_name, output, formats_of(command))
    in_use.set(formats()[format_name])
    return {format_name, *(format_of(path, command) for path in files)}


def write_all(
    report: Report,
    format_name: str,
    output: Path | None,
    files: Sequence[Path] = (),
    width: int | None = None,
    raw: bool = False,
    verbose: bool = False,
) -> int:
    """Write a report to every requested output while its database is open: rows are read as they are written. The
    return code that the format has for it.
    """
    options = Options(columns_of_text(width), raw, verbose=verbose)
    for path in files:
        shown.get()(f"writing {escaped(path.name)}")
        _write_file(report, path, format_of(path), options)
    shown.get()("")
    if output is not None:
        _write_file(report, output, format_name, options)
    elif format_name == "text":
        with typing():
            print_report(report, format_name, options, width)
    else:
        print_report(report, format_name, options, width)
    return formats()[format_name].return_codes.get(report.return_code, report.return_code)


def _write_file(report: Report, path: Path, format_name: str, options: Options) -> None:
    from mqstat.render.write import write_file

    written = write_file(report, path, format_name, options)
    if not (report.only_findings or formats()[format_name].is_stream) or len(written) > 1:
        sys.stderr.write(f"mqstat: {len(written)} file{'' if len(written) == 1 else 's'} written.\n")


def print_report(report: Report, format_name: str, options: Options, width: int | None = None) -> None:
    """Write a report to standard output: in colour to a terminal, in UTF-8 if the format requires it."""
    from mqstat.render.write import write

    if formats()[format_name].is_utf8:
        _print_utf8()
        write(report, format_name, sys.stdout, options)
    elif format_name == "text" and not report.only_findings and sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        from mqstat.render.terminal import render_terminal

        render_terminal(report, sys.stdout, width, verbose=options.verbose)
    else:
        write(report, format_name, sys.stdout, options)


def _print_utf8() -> None:
    """From now on, standard output is UTF-8 with lines that end in LF, whatever the encoding of the terminal."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace", newline="")


@contextmanager
def writing(output: Path | None, *, is_utf8: bool = False) -> Iterator[TextIO]:
    """Standard output, or the requested file, written completely or not at all; UsageError if it cannot be written.

    is_utf8: what reads it requires UTF-8, also from standard output; a file is always UTF-8.
    """
    if output is None:
        if is_utf8:
            _print_utf8()
        yield sys.stdout
        return
    from mqstat.base.atomic_write import replacing

    with replacing(output, follow=True) as stream:
        yield stream
