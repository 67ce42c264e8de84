"""Parts of Markdown pages, texts that are filled in, and output over the bundled sample."""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "docs"
WIDTH = 132
MADE = "<!-- made by `make docs`; do not edit -->"


def current(path: Path) -> str:
    """The current page, empty if it does not exist."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> list[str]:
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]


def cell(value: object) -> str:
    """A value as the content of a table cell."""
    return str(value).replace("|", "\\|").replace("\n", " ")


def page(title: str, *parts: Iterable[str]) -> str:
    """A page: title, remark that it is generated, parts with an empty line between them."""
    return "\n\n".join([f"# {title}", MADE, *("\n".join(part) for part in parts)]).rstrip() + "\n"


def anchor(heading: str) -> str:
    """The anchor that a Markdown renderer gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def fill(text: str, name: str, lines: Callable[[], list[str]]) -> str:
    """Replace the text between `<!-- begin: name -->` and the next `<!-- end -->`."""
    begin, end = f"<!-- begin: {name} -->\n", "<!-- end -->"
    head, marker, rest = text.partition(begin)
    if not marker:
        sys.exit(f"there is no part {name!r} to fill in")
    return head + begin + "\n".join([*lines(), end]) + rest.partition(end)[2]


def sample_output(words: list[str]) -> list[str]:
    """The lines that a command prints over the bundled sample, which it names sample.smf."""
    from mqstat.cli import run
    from mqstat.fixtures.scenarios import find

    out, err = io.StringIO(), io.StringIO()
    width = os.environ.pop("COLUMNS", None)  # the output of a job does not depend on a terminal
    with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stdout(out), redirect_stderr(err):
        Path("sample.smf").write_bytes(find("sample").build())
        code = run(words)
    if width is not None:
        os.environ["COLUMNS"] = width
    if code not in (0, 4, 8):
        sys.exit(f"mqstat {words[0]}: return code {code}\n{err.getvalue()}")
    return [line.rstrip() for line in out.getvalue().rstrip().splitlines()]
