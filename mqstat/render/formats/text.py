"""Text for a terminal, SYSPRINT or mail: findings, areas, what was not judged and limits that are near; with `-v` also
coverage, verdicts, peaks, the reports that findings name, and evidence; width from `--width` or `COLUMNS`, else 132
columns; colour only on a terminal, and never with `NO_COLOR`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from mqstat.render.format import Format, Options

if TYPE_CHECKING:
    from mqstat.assemble.model import Report


def render(report: Report, stream: TextIO, options: Options) -> None:
    """Lines without colour, in the encoding of the stream."""
    from mqstat.render.layout import lines
    from mqstat.render.values import fitting

    encoding = getattr(stream, "encoding", None)
    for line in lines(report, options.width, verbose=options.verbose):
        stream.write(fitting("".join(text for text, _ in line).rstrip(), encoding) + "\n")


FORMAT = Format(render, endings=(".txt",))
