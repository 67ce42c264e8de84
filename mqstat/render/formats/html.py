"""A self-contained page for a browser or as a mail attachment, with pictures and every report; works without network
and script; needs `--output FILE` or a pipe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from mqstat.render.format import Format, Options

if TYPE_CHECKING:
    from mqstat.assemble.model import Report


def render(report: Report, stream: TextIO, options: Options) -> None:
    """Write the page; without `page` of the report (see `health_report`) it has sentences and tables alone."""
    from mqstat.render.html import render_html

    render_html(report, stream)


FORMAT = Format(
    render,
    endings=(".html", ".htm"),
    commands=("report", "compare"),
    needs=frozenset({"page", "checksums"}),
    is_utf8=True,
)
