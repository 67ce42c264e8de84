"""Which columns a query reads: found from the names in its text, never from memory of an earlier run.

The scan may find more columns than a query needs and never fewer: a column is needed when its name occurs in a text that reads its table.
What no text names is left out of tables and views altogether, so that a name that the scan missed is an error of DuckDB's binder and never NULL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from mqstat.sql import sqlfile

Columns: TypeAlias = Mapping[str, frozenset[str]]
"""Tables or views, and which of their columns are read. A table of which only the number of rows matters has an empty set."""

_TOKEN = re.compile(
    r"""
      (?:\s+ | --[^\n]* | /\*.*?\*/)+
    | (?P<text>[eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | (?P<tag>\$\w*\$).*?(?P=tag))
    | "(?P<quoted>(?:[^"]|"")*)"
    | (?P<word>[A-Za-z_]\w*)
    | (?P<other>\d[\w.]*|.)
    """,
    re.DOTALL | re.VERBOSE,
)
_BEFORE_STAR = frozenset({"select", "distinct", "all", ",", "."})
_ALL_COLUMNS = frozenset({"pivot", "unpivot", "columns", "natural"})
"""Words by which a query reads columns that it does not name."""
_WHOLE_ROWS = frozenset({"union", "intersect", "except"})
"""Words by which a star reads more columns than are named after it."""


class Token(NamedTuple):
    """A word, quoted name, number or sign of an SQL text and where it is; words are in lower case, string literals are empty."""

    text: str
    start: int
    end: int
    is_name: bool = False


@cache
def tokens(sql: str) -> tuple[Token, ...]:
    """The tokens of an SQL text, without comments and blanks."""
    out = []
    for match in _TOKEN.finditer(sql):
        kind = match.lastgroup
        if kind is None:
            continue
        start, end = match.span()
        if kind == "word":
            out.append(Token(sql[start:end].lower(), start, end, True))
        elif kind == "quoted":
            out.append(Token(match["quoted"].replace('""', '"').lower(), start, end, True))
        else:
            out.append(Token(sql[start:end] if kind == "other" else "", start, end))
    return tuple(out)


@cache
def table_columns() -> Mapping[str, frozenset[str]]:
    """The columns of all views, and of all decoded tables as `decoded.name`."""
    from mqstat.sql.database import all_schemas

    found = {f"decoded.{name}": frozenset(schema.names) for name, schema in all_schemas().items()}
    return {**found, **{view.id: frozenset(view.columns) for view in sqlfile.views().values()}}


def tables_named(sql: str) -> set[str]:
    """Views, and decoded tables as `decoded.name`, that follow FROM or JOIN in a query."""
    known = table_columns()
    found = set()
    words = tokens(sql)
    for before, token, dot, after in zip(words, words[1:], (*words[2:], None), (*words[3:], None, None), strict=False):
        if before.text not in ("from", "join", "pivot", "unpivot") or not token.is_name:
            continue
        name = token.text
        if name == "decoded" and dot is not None and dot.text == "." and after is not None:
            name = f"decoded.{after.text}"
        elif name not in known:
            name = f"decoded.{name}"  # both schemas are in the search path, views first
        if name in known:
            found.add(name)
    return found


def columns_read(sql: str, tables: Iterable[str], wanted: Collection[str] | None = None) -> dict[str, set[str]]:
    """The columns of these tables that a text names, and those of its stars.

    A star means every column of the tables named after it. If readers need only the columns `wanted` of the text, it means those.
    """
    known = table_columns()
    words = tokens(sql)
    names = {token.text for token in words if token.is_name}
    if names & _ALL_COLUMNS:
        return {table: set(known[table]) for table in tables}
    stars = [
        number
        for number, token in enumerate(words)
        if token.text == "*" and number and words[number - 1].text in _BEFORE_STAR
    ]
    out = {table: known[table] & (names if wanted is None or not stars else names | set(wanted)) for table in tables}
    found = {table: set(columns) for table, columns in out.items()}
    whole = wanted is None or bool(names & _WHOLE_ROWS) or _by_all(words)
    for number in stars:
        if whole or words[number - 1].text == "distinct":
            for table in _named_after(words, number) & found.keys():
                found[table] = set(known[table])
    return found


def _by_all(words: tuple[Token, ...]) -> bool:
    return any(one.text == "by" and two.text == "all" for one, two in pairwise(words))


def _named_after(words: tuple[Token, ...], start: int) -> set[str]:
    """All names between a token and the end of the parentheses that it is in, plain and as decoded tables."""
    depth = 0
    found: set[str] = set()
    for token in words[start:]:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth < 0:
            break
        if token.is_name:
            found |= {token.text, f"decoded.{token.text}"}
    return found


def reads_implicitly(sql: str) -> bool:
    """Whether a query of a user may read columns that it does not name: by a star, a whole row, a natural join, a pivot.

    DuckDB's own parser decides; a statement that it cannot serialise may read everything. duckdb.Error if the text is not SQL.
    """
    import duckdb

    with duckdb.connect(":memory:") as connection:
        if [one.type for one in connection.extract_statements(sql)] != [duckdb.StatementType.SELECT]:
            return True
        found = connection.execute("SELECT json_serialize_sql($sql)", {"sql": sql}).fetchone()
    tree = json.loads(found[0]) if found else {"error": True}
    if tree.get("error"):
        return True
    tables: set[str] = set()
    columns: set[str] = set()
    implicit = False

    def visit(node: Any) -> None:
        nonlocal implicit
        if isinstance(node, list):
            for item in node:
                visit(item)
        elif isinstance(node, dict):
            kind = node.get("type")
            implicit |= kind in ("STAR", "PIVOT", "SHOW_REF", "TABLE_FUNCTION") or node.get("ref_type") == "NATURAL"
            tables.update(str(node[key]).lower() for key in ("alias", "table_name") if kind and node.get(key))
            columns.update(name.lower() for name in (node.get("column_names") or ())[-1:])
            for item in node.values():
                visit(item)

    visit(tree)
    # An alias of a column counts as well: `SELECT t FROM qpst t` gives whole rows.
    return implicit or bool(columns & tables)


# --- the text of a view with just some of its columns


@dataclass(frozen=True, slots=True)
class _Item:
    """One entry of a SELECT list: its text, its name where it has one, and whether it is nothing but a column."""

    text: str
    name: str | None
    plain: bool
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Select:
    """The last SELECT of a view, cut into what comes before its list, the list, and what comes after."""

    head: str
    items: tuple[_Item, ...]
    tail: str
    words: frozenset[str]
    groups: bool


def narrowed(view: str, wanted: Collection[str]) -> str:
    """The SQL of a view without the columns of its SELECT list that nobody wants; the whole SQL where leaving one out could change rows.

    What is left gives the same rows and the same values. It may still have columns that are not wanted.
    """
    body = sqlfile.select_of(sqlfile.views()[view].text, view).rstrip().rstrip(";")
    cut = _last_select(body)
    if cut is None:
        return body
    kept = [item.name is None or item.name in wanted or "unnest" in item.words for item in cut.items]
    while True:
        used = cut.words.union(*(item.words for item, stays in zip(cut.items, kept, strict=True) if stays))
        more = [stays or item.name in used for item, stays in zip(cut.items, kept, strict=True)]
        if more == kept:
            break
        kept = more
    plain = any(item.plain and stays for item, stays in zip(cut.items, kept, strict=True))
    if not plain:
        # Without a plain column left, a query that counted its rows and one that lists them look alike: keep a plain one.
        first = next((number for number, item in enumerate(cut.items) if item.plain), None)
        if first is not None:
            kept[first] = True
        elif not (cut.groups and any(kept)):
            return body
    return (
        f"{cut.head} {', '.join(item.text for item, stays in zip(cut.items, kept, strict=True) if stays)}\n{cut.tail}"
    )


@cache
def _last_select(sql: str) -> _Select | None:
    """The SELECT that gives the rows of a view; None when its list cannot be shortened (DISTINCT, set operations, positions)."""
    words = tokens(sql)
    depths, depth = [], 0
    for token in words:
        depth -= token.text in (")", "]", "}")
        depths.append(depth)
        depth += token.text in ("(", "[", "{")
    outer = [number for number, at in enumerate(depths) if at == 0]
    selects = [number for number in outer if words[number].text == "select"]
    if len(selects) != 1:
        return None
    start = selects[0] + 1
    end = next(
        (n for n in outer if n >= start and words[n].text == "from" and words[n - 1].text != "distinct"), len(words)
    )
    if end == len(words) or words[start].text in ("distinct", "all") or words[start].text == "*":
        return None
    tail = words[end:]
    if any(one.text == "by" and (two.text == "all" or two.text.isdigit()) for one, two in pairwise(tail)):
        return None
    commas = [n for n in outer if start <= n < end and words[n].text == ","]
    items = tuple(
        _item(sql, words[first:last])
        for first, last in zip((start, *(n + 1 for n in commas)), (*commas, end), strict=True)
    )
    groups = any(words[n].text == "group" and words[n + 1].text == "by" for n in outer if end < n < len(words) - 1)
    names = frozenset(token.text for token in tail if token.is_name)
    return _Select(sql[: words[start - 1].end], items, sql[tail[0].start :], names, groups)


def _item(sql: str, words: tuple[Token, ...]) -> _Item:
    texts = [token.text for token in words]
    named = len(texts) > 2 and texts[-2] == "as" and words[-1].is_name
    value = words[:-2] if named else words
    plain = (len(value) == 1 and value[0].is_name) or (
        len(value) == 3 and value[0].is_name and texts[1] == "." and value[2].is_name
    )
    names = frozenset(token.text for token in words if token.is_name)
    name = texts[-1] if named or plain else None
    # Its own name after AS is not a use of it.
    used = frozenset(token.text for token in value if token.is_name) if named else names
    return _Item(sql[words[0].start : words[-1].end], name, plain, used)
