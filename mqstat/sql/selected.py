"""A query for some columns, or a count, of the rows of another query, whose unused columns DuckDB then does not compute."""

from __future__ import annotations

import re
from functools import cache

_STRUCTURE = re.compile(
    r"""
      --[^\n]* | /\*.*?\*/ | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$ | e'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | "(?:[^"]|"")*"
    | (?P<sign>[()\[\]{}]) | \b(?P<word>[a-z_]\w*)
    """,
    re.DOTALL | re.VERBOSE | re.IGNORECASE,
)


def selected(columns: str, query: str) -> str:
    """`SELECT columns FROM (query)` with the WITH clause of the query before it.

    DuckDB 2.0 computes every column of a query in parentheses that begins with a materialised CTE, even if only its rows are counted.
    """
    with_clause, rest = _parts(query)
    return f"{with_clause}SELECT {columns} FROM ({rest})"  # noqa: S608 - our own queries


@cache
def _parts(query: str) -> tuple[str, str]:
    """The WITH clause of a query, with a line break at its end (empty without one), and the query after it."""
    depth, first = 0, ""
    for match in _STRUCTURE.finditer(query):
        sign, word = match["sign"], (match["word"] or "").lower()
        if sign:
            depth += 1 if sign in "([{" else -1
        elif word and not depth:
            first = first or word
            if first != "with":
                break
            if word in ("select", "from", "values"):
                return f"{query[: match.start()].rstrip()}\n", query[match.start() :]
        if sign and not first:
            break  # begins with a parenthesis
    return "", query
