"""The health report as one page of HTML: nothing is fetched, script only helps, and all that is text is escaped."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import Any, TextIO

import jinja2
from markupsafe import Markup

from mqstat.assemble.model import Report
from mqstat.base.version import __version__
from mqstat.render.html.context import context, shown
from mqstat.render.html.states import css
from mqstat.render.values import markup

CHUNK_COUNT = 64
"""Pieces of text that a template makes before they are written."""


def render_html(report: Report, stream: TextIO) -> None:
    """Write the page: UTF-8, lines end in LF. A report without `page` (see `health_report`) has its sentences and
    tables alone.
    """
    script = file_text("enhance.js")
    write_document("page.html", stream, script=script, **context(report))


def write_document(name: str, stream: TextIO, *, script: str = "", own_style: str = "", **values: Any) -> None:
    """Write a document by a template as it is made: Markdown (`.md`), or a page with the style of reports."""
    style = file_text("style.css") + own_style
    scripts = f"script-src 'sha256-{digest(script)}'; " if script else ""
    policy = (
        f"default-src 'none'; {scripts}style-src 'sha256-{digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    # Style and script are files of this package.
    values |= {"policy": policy, "version": __version__, "style": Markup(style), "script": Markup(script)}  # noqa: S704
    pieces = environment(markdown=name.endswith(".md")).get_template(name).stream(**values)
    pieces.enable_buffering(CHUNK_COUNT)
    for piece in pieces:
        stream.write(piece)


def digest(text: str) -> str:
    """The SHA-256 of a text in base64, as a Content-Security-Policy names what may run."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def file_text(name: str) -> str:
    """A file of this package as text."""
    return (resources.files("mqstat.render.html") / name).read_text(encoding="utf-8")


@cache
def environment(*, markdown: bool = False) -> jinja2.Environment:
    """Templates of this package; all they print is escaped for HTML or Markdown, and control and direction characters
    are gone.
    """
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: file_text(f"templates/{name}")),
        autoescape=not markdown,  # noqa: S701 - Markdown is escaped by `markup`
        finalize=_escaped if markdown else shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=markdown,
    )
    made.filters |= {"css": css, "code": _code, "as_it_is": Markup}
    return made


def _escaped(value: object) -> str:
    """A value in Markdown; what is Markdown already as it is."""
    return value if isinstance(value, Markup) else markup(value)


def _code(text: str) -> Markup:
    """A text of Markdown that can be copied."""
    return Markup(f"``{text}``" if "`" in text else f"`{text}`")  # noqa: S704 - nothing in it is markup
