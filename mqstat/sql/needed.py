"""Which columns a query reads: determined from the names in its text, never from a cache of an earlier run.

The scan may find more columns than a query needs, never fewer: a column is needed if its name occurs in a text that reads its table.
Columns that no text names are left out of tables and views, so that a name that the scan missed is an error of DuckDB's binder, never NULL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import pairwise
from operator import or_
from typing import Any, NamedTuple, TypeAlias

from mqstat.sql import sqlfile

Columns: TypeAlias = Mapping[str, frozenset[str]]
"""Tables or views with the columns that are read. The set is empty if only the number of rows matters."""

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
"""Keywords with which a query reads columns that it does not name."""
_WHOLE_ROWS = frozenset({"union", "intersect", "except"})
"""Keywords with which a star reads more columns than are named after it."""


class Token(NamedTuple):
    """A word, quoted name, number or operator of an SQL text with its position; words are in lower case, string literals are empty."""

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


_WORD = re.compile(
    r"""--[^\n]* | /\*.*?\*/ | (e'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | [a-z_]\w* | "(?:[^"]|"")*" | \d[\w.]* | [^\s\w])""",
    re.DOTALL | re.VERBOSE,
)
_DOLLAR_QUOTED = re.compile(r"\$\w*\$")


class Words(NamedTuple):
    """The names in a part of an SQL text that determine the columns it reads.

    `stars` has an entry for each star that selects columns: whether it follows DISTINCT, and all names between it and the end of the
    enclosing parentheses, plain and as decoded tables. `by_all` = the text groups or orders by all columns.
    """

    names: frozenset[str]
    stars: tuple[tuple[bool, frozenset[str]], ...] = ()
    by_all: bool = False

    def __or__(self, other: Words) -> Words:
        return Words(self.names | other.names, self.stars + other.stars, self.by_all or other.by_all)


@cache
def texts(sql: str) -> tuple[str, ...]:
    """The tokens of an SQL text as from `tokens`, in lower case and without positions; a quoted name keeps its opening quotation mark.

    Much faster than `tokens`: positions are only needed to shorten the text of a view.
    """
    if _DOLLAR_QUOTED.search(sql):
        return tuple(f'"{token.text}' if token.is_name else token.text for token in tokens(sql))
    result = []
    for word in _WORD.findall(sql.lower()):
        if not word:
            continue
        if word[0] == '"':
            result.append('"' + word[1:-1].replace('""', '"'))
        else:
            result.append("" if word[-1] == "'" else word)
    return tuple(result)


def _is_name(word: str) -> bool:
    return word.isidentifier() or word[:1] == '"'


def _names(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.removeprefix('"') for word in set(words) if _is_name(word))


@cache
def words_of(sql: str) -> Words:
    """The names in an SQL text."""
    words = texts(sql)
    names = _names(words)
    stars = tuple(
        (words[number - 1] == "distinct", _named_after(words, number))
        for number, word in enumerate(words)
        if word == "*" and number and words[number - 1] in _BEFORE_STAR
    )
    return Words(names, stars, "by" in names and any(pair == ("by", "all") for pair in pairwise(words)))


def _named_after(words: Sequence[str], start: int) -> frozenset[str]:
    """All names between a word and the end of its enclosing parentheses, plain and as decoded tables."""
    depth = 0
    names: set[str] = set()
    for word in words[start:]:
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth < 0:
            break
        if _is_name(word):
            name = word.removeprefix('"')
            names |= {name, f"decoded.{name}"}
    return frozenset(names)


@cache
def table_columns() -> Mapping[str, frozenset[str]]:
    """The columns of all views, and of all decoded tables as `decoded.name`."""
    from mqstat.sql.schemas import all_schemas

    decoded = {f"decoded.{name}": frozenset(schema.names) for name, schema in all_schemas().items()}
    return {**decoded, **{view.id: frozenset(view.columns) for view in sqlfile.views().values()}}


def tables_named(sql: str) -> set[str]:
    """Views, and decoded tables as `decoded.name`, that follow FROM or JOIN in a query."""
    known = table_columns()
    # Both schemas are in the search path, views first.
    named = {name if name in known else f"decoded.{name}" for name in _after_from(sql)}
    return {name for name in named if name in known}


@cache
def _after_from(sql: str) -> frozenset[str]:
    """The names that follow FROM or JOIN, with the schema `decoded` if it is named."""
    named = set()
    words = texts(sql)
    for number, before in enumerate(words[:-1]):
        if before not in ("from", "join", "pivot", "unpivot") or not _is_name(words[number + 1]):
            continue
        name = words[number + 1].removeprefix('"')
        if name == "decoded" and words[number + 2 : number + 3] == (".",) and number + 3 < len(words):
            name = f"decoded.{words[number + 3].removeprefix(chr(34))}"
        named.add(name)
    return frozenset(named)


def columns_read(sql: str, tables: Iterable[str], wanted: Collection[str] | None = None) -> dict[str, set[str]]:
    """The columns of these tables that a text names, and those that its stars select.

    A star selects every column of the tables named after it, or only the columns `wanted` if readers of the text need no others.
    """
    return _read(words_of(sql), tables, wanted)


def _read(words: Words, tables: Iterable[str], wanted: Collection[str] | None) -> dict[str, set[str]]:
    known = table_columns()
    if words.names & _ALL_COLUMNS:
        return {table: set(known[table]) for table in tables}
    names = words.names if wanted is None or not words.stars else words.names | set(wanted)
    columns = {table: set(known[table] & names) for table in tables}
    whole = wanted is None or words.by_all or bool(words.names & _WHOLE_ROWS)
    for after_distinct, named in words.stars:
        if whole or after_distinct:
            for table in named & columns.keys():
                columns[table] = set(known[table])
    return columns


def reads_implicitly(sql: str) -> bool:
    """Whether a user's query may read columns that it does not name: with a star, a whole row, a natural join or a pivot.

    DuckDB's own parser decides; a statement that it cannot serialise may read everything. duckdb.Error if the text is not SQL.
    """
    import duckdb

    with duckdb.connect(":memory:") as connection:
        if [statement.type for statement in connection.extract_statements(sql)] != [duckdb.StatementType.SELECT]:
            return True
        row = connection.execute("SELECT json_serialize_sql($sql)", {"sql": sql}).fetchone()
    tree = json.loads(row[0]) if row else {"error": True}
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
    # Check columns against table aliases too: `SELECT t FROM qpst t` returns whole rows.
    return implicit or bool(columns & tables)


# --- the text of a view with only some of its columns


class _Item(NamedTuple):
    """One entry of a SELECT list: its text, its name if it has one, whether it is a plain column, and all other names in it."""

    text: str
    name: str | None
    plain: bool
    used: frozenset[str]
    words: Words


@dataclass(frozen=True, slots=True)
class _Select:
    """The last SELECT of a view in three parts: the text before its list, the list, and the text after it."""

    head: str
    items: tuple[_Item, ...]
    tail: str
    around: Words
    """The names in head and tail."""
    after: frozenset[str]
    """The names in the tail."""
    groups: bool


def narrowed(view: str, wanted: Collection[str]) -> str:
    """The SQL of a view without the unwanted columns of its SELECT list; the whole SQL if leaving one out could change the rows.

    The result has the same rows and values. It may still have unwanted columns.
    """
    body, cut, kept = _narrowed(view, frozenset(wanted))
    if cut is None:
        return body
    return f"{cut.head} {', '.join(item.text for item in kept)}\n{cut.tail}"


def columns_below(view: str, wanted: Collection[str]) -> dict[str, set[str]]:
    """The columns of views and decoded tables that the narrowed text of a view reads."""
    columns = frozenset(wanted)
    body, cut, kept = _narrowed(view, columns)
    words = words_of(body) if cut is None else reduce(or_, (item.words for item in kept), cut.around)
    return _read(words, sqlfile.views()[view].needs, columns)


@cache
def _narrowed(view: str, wanted: frozenset[str]) -> tuple[str, _Select | None, tuple[_Item, ...]]:
    """The SQL of a view, its parts (None if it must stay whole), and the items of its list that are kept."""
    body = sqlfile.views()[view].body.rstrip(";")
    cut = last_select(body)
    if cut is None:
        return body, None, ()
    kept = [item.name is None or item.name in wanted or "unnest" in item.used for item in cut.items]
    while True:
        used = cut.after.union(*(item.used for item, stays in zip(cut.items, kept, strict=True) if stays))
        more = [stays or item.name in used for item, stays in zip(cut.items, kept, strict=True)]
        if more == kept:
            break
        kept = more
    plain = any(item.plain and stays for item, stays in zip(cut.items, kept, strict=True))
    if not plain:
        # Without a plain column the list does not show whether the query aggregates to one row: keep one.
        first = next((number for number, item in enumerate(cut.items) if item.plain), None)
        if first is not None:
            kept[first] = True
        elif not (cut.groups and any(kept)):
            return body, None, ()
    return body, cut, tuple(item for item, stays in zip(cut.items, kept, strict=True) if stays)


_STRUCTURE = re.compile(
    r"""
      --[^\n]* | /\*.*?\*/ | e'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | "(?:[^"]|"")*"
    | (?P<sign>[()\[\]{},] | \b(?:select|(?:distinct\s+)?from)\b)
    """,
    re.DOTALL | re.VERBOSE,
)
"""Parentheses, commas and the keywords that begin and end SELECT lists; FROM after DISTINCT is a comparison."""


@cache
def last_select(sql: str) -> _Select | None:
    """The SELECT that returns the rows of a view; None if its list cannot be shortened (DISTINCT, set operations, positions)."""
    if _DOLLAR_QUOTED.search(sql):
        return None
    depth, start, end = 0, None, None
    commas: list[int] = []
    for match in _STRUCTURE.finditer(sql.lower()):
        sign = match["sign"]
        if sign is None:
            continue
        if sign in ("(", "[", "{"):
            depth += 1
        elif sign in (")", "]", "}"):
            depth -= 1
        elif depth:
            continue
        elif sign == "select":
            if start is not None:
                return None
            start = match.end()
        elif sign == "from" and start is not None and end is None:
            end = match.start()
        elif sign == "," and start is not None and end is None:
            commas.append(match.start())
    if start is None or end is None:
        return None
    first = texts(sql[start:end])[:1]
    if not first or first[0] in ("distinct", "all", "*"):
        return None
    tail = texts(sql[end:])
    if "by" in tail and _by_all_or_number(sql[end:]):
        return None
    items = tuple(
        _item(sql[begin:two]) for begin, two in zip((start, *(at + 1 for at in commas)), (*commas, end), strict=True)
    )
    after = words_of(sql[end:])
    around = words_of(sql[: start - len("select")]) | after
    return _Select(sql[:start], items, sql[end:], around, after.names, _groups(tail))


def _by_all_or_number(tail: str) -> bool:
    """Whether rows are grouped or ordered by all columns or by a column position."""
    words = tokens(tail)
    return any(
        word.text == "by" and (next_word.text == "all" or next_word.text.isdigit())
        for word, next_word in pairwise(words)
    )


def _groups(words: Sequence[str]) -> bool:
    """Whether the tail of a SELECT has its own GROUP BY."""
    depth = 0
    for word, following in pairwise(words):
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth == 0 and (word, following) == ("group", "by"):
            return True
    return False


@cache
def _item(text: str) -> _Item:
    alone = text.strip()
    if alone.isidentifier():  # the most frequent case: a plain column
        names = frozenset({alone.lower()})
        return _Item(alone, alone.lower(), True, names, Words(names))
    words = texts(text)
    named = len(words) > 2 and words[-2] == "as" and _is_name(words[-1])
    value = words[:-2] if named else words
    plain = (len(value) == 1 and _is_name(value[0])) or (
        len(value) == 3 and _is_name(value[0]) and value[1] == "." and _is_name(value[2])
    )
    name = words[-1].removeprefix('"') if words and (named or plain) else None
    # The name after AS is not a use of the column.
    used = _names(value)
    return _Item(text.strip() + ("\n" if "--" in text else ""), name, plain, used, words_of(text))
