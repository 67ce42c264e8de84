"""The lineage of a column of a view: its formula, the formulas of the columns in it, down to the fields of the records.

DuckDB's own parser reads the SQL of the views and returns the position of each expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mqstat.judge.model import level_number
from mqstat.sql import sqlfile
from mqstat.sql.syntax import select_list, select_node

if TYPE_CHECKING:
    from mqstat.parsers.kit import Field, Layout

Node = Mapping[str, Any]

CONSTANT = "a constant of the view"
"""The formula of a column of a list of values."""


@dataclass(frozen=True)
class Origin:
    """A column and its origin: `formula` for an expression, `column_read` = table.column for a decoded field."""

    name: str
    formula: str = ""
    column_read: str = ""
    parts: tuple[Origin, ...] = ()


@dataclass(frozen=True)
class _Query:
    """A SELECT with the text that contains it and the common table expressions that it sees."""

    node: Node
    text: str
    ctes: Mapping[str, _Query] = field(default_factory=dict)
    constants: tuple[str, ...] = ()
    """The names of the columns of a list of VALUES."""


@cache
def _parsed(text: str) -> _Query:
    """A SELECT with its tree as DuckDB's parser returns it."""
    return _Query(select_node(text), text)


@cache
def _decoded() -> Mapping[str, frozenset[str]]:
    from mqstat.sql.schemas import all_schemas

    return {name: frozenset(schema.names) for name, schema in all_schemas().items()}


def origin(view: str, column: str) -> Origin:
    """The origin of a column of a view."""
    return origin_in(sqlfile.views()[view].select, column)


@cache  # many columns lead to the same ones
def origin_in(unit_text: str, column: str) -> Origin:
    """The origin of a column of any SELECT over views."""
    return _column(_parsed(unit_text), column) or Origin(column)


def _with_ctes(query: _Query) -> _Query:
    """The query with its own common table expressions; each can read those before it."""
    ctes = dict(query.ctes)
    for entry in (query.node.get("cte_map") or {}).get("map", ()):
        value = entry["value"]
        node = value.get("query_node") or value.get("query", {}).get("node") or {}  # newer and older releases of DuckDB
        ctes[entry["key"]] = _Query(node, query.text, dict(ctes), _listed(node, value.get("aliases")))
    return _Query(query.node, query.text, ctes, query.constants)


def _listed(node: Node, names: Sequence[str] | None) -> tuple[str, ...]:
    """The names of the columns of a query that is a list of VALUES; empty for another query."""
    is_list = (node.get("from_table") or {}).get("type") == "EXPRESSION_LIST"
    return tuple(names or ()) if is_list else ()


def _sources(query: _Query, node: Node | None) -> Iterator[tuple[str, str | _Query]]:
    """The sources in a FROM clause: alias, and a table (`decoded.x`, a view) or a query."""
    if not node:
        return
    kind = node.get("type")
    if kind == "BASE_TABLE":
        name, schema = node["table_name"], node.get("schema_name")
        alias = node.get("alias") or name
        if not schema and name in query.ctes:
            yield alias, query.ctes[name]
        else:
            yield alias, f"{schema}.{name}" if schema and schema != "main" else name
    elif kind == "JOIN":
        yield from _sources(query, node.get("left"))
        yield from _sources(query, node.get("right"))
    elif kind == "SUBQUERY":
        inner = node["subquery"].get("node") or node["subquery"]
        yield (
            node.get("alias") or "",
            _Query(inner, query.text, query.ctes, _listed(inner, node.get("column_name_alias"))),
        )


def _arms(query: _Query) -> list[_Query]:
    """The SELECTs of a query: both sides of a UNION."""
    node = query.node
    if node.get("type") == "SELECT_NODE":
        return [query]
    sides = [node[side] for side in ("left", "right") if isinstance(node.get(side), dict)]
    sides += [child for child in node.get("children", ()) if isinstance(child, dict)]
    return [arm for side in sides for arm in _arms(_with_ctes(_Query(side, query.text, query.ctes)))]


def _has(source: str | _Query, column: str) -> bool:
    if isinstance(source, str):
        if source.startswith("decoded."):
            return column in _decoded().get(source.removeprefix("decoded."), ())
        return source in sqlfile.views() and column in sqlfile.views()[source].columns
    if source.constants:
        return column in source.constants
    whole = _with_ctes(source)
    for arm in _arms(whole):
        for item in arm.node["select_list"]:
            if item.get("class") == "STAR":
                if any(_has(inner, column) for _, inner in _sources(arm, arm.node.get("from_table"))):
                    return True
            elif _name(item) == column:
                return True
    return False


def _name(item: Node) -> str:
    names = item.get("column_names") or [""]
    return str(item.get("alias") or names[-1])


def _of(source: str | _Query, column: str) -> Origin | None:
    if not isinstance(source, str):
        return _column(source, column)
    if source.startswith("decoded."):
        return Origin(column, column_read=f"{source.removeprefix('decoded.')}.{column}")
    return origin(source, column) if source in sqlfile.views() else Origin(column)


def _column(query: _Query, column: str) -> Origin | None:
    """The origin of an output column of a query: of a UNION, that in the first SELECT with the column, and what the
    others have at its position or by name.
    """
    if column in query.constants:
        return Origin(column, formula=CONSTANT)
    by_name = query.node.get("setop_type") == "UNION_BY_NAME"
    first: Origin | None = None
    position: int | None = None
    others: list[Origin] = []
    for arm in map(_with_ctes, _arms(_with_ctes(query))):
        sources = list(_sources(arm, arm.node.get("from_table")))
        items = arm.node["select_list"]
        starred = any(item.get("class") == "STAR" for item in items)
        if first is not None and not by_name:
            if position is not None and not starred and position < len(items):
                others.append(_expression(arm, items[position], column, sources))
            continue
        here: Origin | None = None
        for number, item in enumerate(items):
            if item.get("class") == "STAR":
                for alias, source in sources:
                    if item.get("relation_name") in ("", None, alias) and _has(source, column):
                        here = _of(source, column)
                        break
            elif _name(item) == column:
                here = _expression(arm, item, column, sources)
                position = number if first is None and not starred else position
            if here is not None:
                break
        if first is None:
            first = here
        elif here is not None:
            others.append(here)
    further = [origin for origin in others if origin.column_read or origin.parts]
    if first is None or not further:
        return first
    return Origin(column, first.formula, first.column_read, (*first.parts, *further))


def _expression(arm: _Query, item: Node, column: str, sources: list[tuple[str, str | _Query]]) -> Origin:
    if item.get("class") == "COLUMN_REF":
        return _reference(item["column_names"], sources) or Origin(column)
    parts: dict[Origin, None] = {}  # two tables may have a column of the same name
    for names in _references(item):
        origin = _reference(names, sources)
        if origin is not None:
            parts[Origin(names[-1], origin.formula, origin.column_read, origin.parts)] = None
    # A table that a subquery in the expression reads is not followed; its columns appear in the formula.
    start, end = _span(arm.text, item)
    formula = re.split(rf"\s+AS\s+{re.escape(column)}\b", _expanded(arm.text[start:end]))[0]
    formula = _plain(formula, [alias for alias, _ in sources])
    return Origin(column, formula, parts=tuple(parts))


_WINDOW = ("partitions", "orders", "start_expr", "end_expr", "offset_expr")
"""Parts of a window, which may be defined under a name elsewhere in the text."""


def _walk(node: Any, closed: Sequence[str] = ()) -> Iterator[Node]:
    """A node and the nodes below it in order; not those in a window that may be elsewhere, nor those below a node of a
    class that is `closed`.
    """
    if isinstance(node, list):
        for child in node:
            yield from _walk(child, closed)
    elif isinstance(node, dict):
        yield node
        if node.get("class") not in closed:
            yield from _walk([child for key, child in node.items() if key not in _WINDOW], closed)


@cache
def _macros() -> Mapping[str, tuple[list[str], str]]:
    """The parameters and the expression of each macro of views."""
    stated = re.findall(r"^CREATE MACRO (\w+)\((.*?)\) AS (.*?);$", sqlfile.macros(), re.DOTALL | re.MULTILINE)
    return {name: (parameters.split(", "), body) for name, parameters, body in stated}


def _expanded(text: str) -> str:
    """A text of SQL with the expressions of macros in place of their calls."""
    call = re.search(rf"\b({'|'.join(_macros())})\(", text)
    if call is None:
        return text
    parameters, body = _macros()[call[1]]
    values, end = _arguments(text, call.end())
    given = dict(zip(parameters, values, strict=True))

    def written(name: re.Match[str]) -> str:
        if name[0] not in given:
            return name[0]
        value, start = given[name[0]], name.start()
        (root,) = select_list(f"SELECT {re.sub(r'OVER [a-z]+', '', value)}")  # a window that is defined elsewhere
        binds = start == 0 and root.get("function_name") in ("*", "/")  # as strongly as what follows
        is_compound = root.get("is_operator") and body[start - 1 : start] != "(" and not binds
        return f"({_expanded(value)})" if is_compound else _expanded(value)

    # Neither a literal nor the field of a parameter, or of the variable of a lambda.
    return text[: call.start()] + re.sub(r"'[^']*'|(?<![\w.])[a-z_]\w*", written, body) + _expanded(text[end:])


def _arguments(text: str, start: int) -> tuple[list[str], int]:
    """The arguments of a call from the character after its bracket on, and the end of the call."""
    arguments, depth = [""], 1
    for token in re.finditer(r"'[^']*'|.", text[start:], re.DOTALL):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if not depth:
            break
        if depth == 1 and token[0] == ",":
            arguments.append("")
        else:
            arguments[-1] += token[0]
    return [argument.strip() for argument in arguments], start + token.end()


def _span(text: str, item: Node) -> tuple[int, int]:
    """Start and end of the text of an expression: from the first to the last position of its parts, with their
    brackets.
    """
    positions = _positions(item)
    if not positions:
        return 0, 0
    # DuckDB counts bytes; a header that contains µ has more bytes than characters.
    start, end = _character(text, min(positions)[0]), _character(text, max(end for _, end in positions))
    while text[start:end].count(")") > text[start:end].count("(") and "(" in text[:start]:
        start = text.rindex("(", 0, start)
    while text[start:end].count("(") > text[start:end].count(")") and ")" in text[end:]:
        end = text.index(")", end) + 1
    return start, end


def _character(text: str, offset: int) -> int:
    """The index of the character at a byte offset of a text."""
    return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))


def _positions(node: Any) -> list[tuple[int, int]]:
    """Start and end of the text of each node of an expression that has one."""
    placed = [each for each in _walk(node) if each.get("query_location_length")]
    return [(each["query_location"], each["query_location"] + each["query_location_length"]) for each in placed]


def _references(item: Node) -> list[list[str]]:
    """The columns in an expression, but not those in its subqueries."""
    listed = _walk(item, closed=("COLUMN_REF", "SUBQUERY"))
    return [node["column_names"] for node in listed if node.get("class") == "COLUMN_REF"]


def _reference(names: list[str], sources: list[tuple[str, str | _Query]]) -> Origin | None:
    """The origin of a reference: `column`, `table.column`, or one of these followed by a field of a struct."""
    for alias, source in sources:
        if len(names) > 1 and names[0] == alias and _has(source, names[1]):
            return _of(source, names[1])
    for _, source in sources:
        if (len(names) == 1 or names[0] not in dict(sources)) and _has(source, names[0]):
            return _of(source, names[0])
    return None


def _plain(text: str, aliases: list[str]) -> str:
    """A formula on one line, without table names before columns."""
    text = " ".join(re.sub(r"--[^\n]*", " ", text).split())
    for alias in aliases:
        if alias:
            text = re.sub(rf"\b{re.escape(alias)}\.(?=[a-z_])", "", text)
    return text


def fields(source: Origin) -> list[str]:
    """The decoded columns (table.column) at the bottom of an origin, without duplicates."""
    below = [field for part in source.parts for field in fields(part)]
    return list(dict.fromkeys([*([source.column_read] if source.column_read else []), *below]))


@cache
def written_since(view: str, column: str) -> int | None:
    """The first MQ level (VVRRMM) that writes any of the fields from which a column is computed; None if it is unknown,
    or if all levels write one.

    A column that is computed from the interval of its records cannot exist before the level that writes intervals.
    """
    known_fields = [field_of(field) for field in fields(origin(view, column))]
    interval = [_level(known[1]) for known in known_fields if known and known[0].name == "qwhs"]
    others = [_level(known[1]) if known else None for known in known_fields if not known or known[0].name != "qwhs"]
    levels = [level for level in others if level]
    first = [min(levels)] if levels and len(levels) == len(others) else []
    return max([level for level in interval if level] + first, default=None)


def _level(field_: Field) -> int | None:
    match = re.fullmatch(r"(\d+\.\d+)(\.\d+)?", field_.since)
    return level_number(f"{match[1]}{match[2] or '.0'}") if match else None


_HEADER_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "record_start_local": "record_start_local", "record_start_utc": "record_start_local", "record_us": "record_duration",
        "interval_start_local": "record_start_local", "interval_start_utc": "record_start_local", "interval_end_utc": "record_duration",
        "interval_us": "record_duration",
    }
)  # fmt: skip
"""Columns of statistics tables that come from fields of the standard header."""


@cache
def field_of(field: str) -> tuple[Layout, Field] | None:
    """The structure and field from which a decoded column (table.column) is read; None for columns that are not a
    field.
    """
    from mqstat.parsers import LAYOUTS

    table, _, name = field.partition(".")
    for layout in LAYOUTS.values():
        child = table if table in {child.name for child in layout.children} else ""
        if table == layout.name or child:
            named = [f for f in layout.named if f.child == child and (f.name == name or name in f.columns)]
            named += [f for f in layout.named if f.child == child and name.startswith(f"{f.name}_")]
            if named:
                return layout, named[0]
            statistics = any(smf_type == 115 for smf_type, _, _ in layout.routes)
            break
    else:
        statistics = table == "record"
    if statistics and name in _HEADER_FIELDS:
        header = LAYOUTS["qwhs"]
        return header, next(f for f in header.named if f.name == _HEADER_FIELDS[name])
    return None


@cache
def last_offsets(view: str, column: str) -> tuple[tuple[str, int], ...]:
    """The structures from which a column is read, each with the offset of its last field: a section of that length does
    not contain the field.
    """
    ends: dict[str, int] = {}
    for column_read in fields(origin(view, column)):
        field_ = field_of(column_read)
        if field_ is not None:
            ends[field_[0].name] = max(ends.get(field_[0].name, 0), field_[1].at)
    return tuple(ends.items())


@cache
def written_in(view: str, column: str) -> tuple[str, ...]:
    """The record classes from whose structures a column is read, in order; empty for a column from record headers
    only.
    """
    read = [field_ for field_ in map(field_of, fields(origin(view, column))) if field_ is not None]
    return tuple(sorted({f"{kind}.{subtype}" for layout, _ in read for kind, subtype, _ in layout.routes}))


@cache
def layouts_below(view: str) -> tuple[Layout, ...]:
    """The structures of all decoded tables that a view reads, directly or through other views: a column of the view
    comes from no other, except record headers.
    """
    from mqstat.parsers import LAYOUTS

    needs = {need for each in sqlfile.with_views_below(view) for need in sqlfile.views()[each].needs}
    tables = {need.removeprefix("decoded.") for need in needs if need.startswith("decoded.")}
    return tuple(
        layout for layout in LAYOUTS.values() if tables & {layout.name, *(child.name for child in layout.children)}
    )


@cache
def latest_level() -> int:
    """The latest MQ level (VVRRMM) from which a field of a structure is written."""
    from mqstat.parsers import LAYOUTS

    return max(_level(field_) or 0 for layout in LAYOUTS.values() for field_ in layout.named)


def formula_of(view: str, column: str) -> str:
    """The formula of a column of a view from its SQL, and for a ratio that of several rows; empty for a column that is
    taken as it is.
    """
    way = sqlfile.views()[view].columns[column].way
    formula = origin(view, column).formula
    parts = ["" if formula == CONSTANT else formula, f"several rows: {way.in_words()}" if way.ratio else ""]
    return "; ".join(part for part in parts if part)


def formulas(source: Origin) -> list[Origin]:
    """The formulas in an origin, from the top down, without duplicates."""
    seen: dict[tuple[str, str], Origin] = {}

    def visit(source_part: Origin) -> None:
        if source_part.formula:
            seen.setdefault((source_part.name, source_part.formula), source_part)
        for part in source_part.parts:
            visit(part)

    visit(source)
    return list(seen.values())
