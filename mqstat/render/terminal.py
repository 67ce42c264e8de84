"""A report in colour on a terminal."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.text import Text

from mqstat.assemble.model import Report
from mqstat.render.layout import lines
from mqstat.render.values import fitting


def render_terminal(report: Report, stream: TextIO, width: int | None = None, *, verbose: bool = False) -> None:
    """The lines of the plain text in colour and in the width of the terminal."""
    console = Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
    encoding = getattr(stream, "encoding", None)
    # The last column stays free: some terminals wrap when it is written.
    for line in lines(report, console.width - 1, verbose=verbose):
        text = Text(no_wrap=True, overflow="ignore")
        for part, style in line:
            text.append(fitting(part, encoding), style)
        console.print(text, soft_wrap=True)
