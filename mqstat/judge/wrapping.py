"""Text and SQL in lines of limited length, for the pages of `mqstat explain`."""

from __future__ import annotations

import re
import textwrap

WIDTH = 100
SQL_WIDTH = 140
"""Longest line of the SQL of a rule: wider than text, because its columns are aligned."""

_QUOTED_OR_COMMENT = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--.*")


def wrapped(text: str, indent: str, further: str | None = None, width: int = WIDTH) -> list[str]:
    """Lines of at most `width` characters; `further` is the indentation of continuation lines, by default two more than
    the first.
    """
    further = indent + "  " if further is None else further
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=further, break_long_words=False)


def wrapped_sql(line: str, indent: str) -> list[str]:
    """A line of SQL, wrapped if it is longer than SQL_WIDTH: between words, never inside a literal, and a comment
    remains a comment.

    The pieces are the same SQL as the line.
    """
    if len(indent + line) <= SQL_WIDTH:
        return [f"{indent}{line}".rstrip()]
    match = _QUOTED_OR_COMMENT.search(line)
    while match and not match[0].startswith("--"):
        match = _QUOTED_OR_COMMENT.search(line, match.end())
    code, comment = (line[: match.start()], match[0]) if match else (line, "")
    margin = indent + line[: len(line) - len(line.lstrip())]
    # to the wrapper a literal is one word, as are `|| b` and `AS b`
    words = _QUOTED_OR_COMMENT.sub(lambda match: match[0].replace(" ", "\0"), code).strip()
    words = re.sub(r"(\|\||\bAS) (?=\S)", "\\1\0", words)
    pieces = [
        (words, margin, margin + "  "),
        (comment, margin, margin + "-- "),
    ]
    return [
        piece.replace("\0", " ")
        for text, first, further in pieces
        for piece in textwrap.wrap(
            text,
            SQL_WIDTH,
            initial_indent=first,
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]
