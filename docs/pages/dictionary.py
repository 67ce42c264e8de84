"""The data dictionary: an index, and a page for each structure, for the tables about records and for the tables of the program."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docs.pages.markdown import ROOT, anchor, linked, page, sentence, table, text_block

DICTIONARY = ROOT / "docs" / "dictionary"
INDEXED = 4
"""Tables and views that the index lists for one column, the first that have it first."""


def data_dictionary() -> dict[Path, str]:
    """The index of the data dictionary, and a page for each structure, for the tables about records and for the tables of the program."""
    from mqstat.parsers.tables import READER_TABLES

    made = {
        "records": page(
            "Tables about the records themselves",
            *([f"## {name}", "", doc, "", *columns(own)] for name, (doc, own) in READER_TABLES.items()),
            *views("records"),
        ),
        "program": page(
            "Tables of the program itself",
            ["Site facts, findings, the two sides of a comparison, and lists of constants: read the views."],
            *views("program"),
        ),
    }
    made |= {name: structure(layout) for name, layout in layouts().items()}
    made["index"] = field_index()
    texts = {DICTIONARY / f"{name}.md": text for name, text in made.items()}
    return {ROOT / "docs" / "data-dictionary.md": dictionary_index(), **texts}


def layouts() -> Mapping[str, Any]:
    """The structures of the records by name."""
    from mqstat.parsers import LAYOUTS

    return LAYOUTS


@cache
def families() -> Mapping[str, str]:
    """The page of each decoded table (`decoded.name`) and view: that of the first table or view that it reads."""
    from mqstat.parsers.tables import READER_TABLES
    from mqstat.sql import sqlfile

    pages = {f"decoded.{name}": "records" for name in READER_TABLES}
    for layout in layouts().values():
        pages |= {f"decoded.{name}": layout.name for name in [layout.name, *(child.name for child in layout.children)]}
    for view in sqlfile.views().values():  # a view comes after those that it reads
        pages[view.id] = pages.get(view.needs[0], "program") if view.needs else "program"
    return pages


def dictionary_index() -> str:
    """What all tables have in common, with links to the pages of tables and views."""
    from mqstat.parsers.tables import LINEAGE, READER_TABLES
    from mqstat.sql import sqlfile
    from mqstat.sql.columns import common_columns

    return page(
        "Data dictionary",
        [
            "Every structure of the records is a table of its own name; an array whose entries are rows is a child table. Reports and rules read the [views](#views).",
            "",
            "All integers are 64 bits. Times have no zone: names that end in `_utc` are UTC, those that end in `_local` are local to the LPAR. NULL means that the release does "
            "not have the value, or that it was never set; it is never zero. Child tables omit entries in which all fields are zero.",
            "",
            "The [index](dictionary/index.md) lists every field by IBM's name and every column with the page that describes it. "
            "[A record read by hand](smf-record.md) shows how offsets, triplets and strides lead to a value: entry `i` of an array begins at its offset plus `i` times its stride.",
        ],
        ["## Columns of every decoded table", "", *columns(LINEAGE)],
        [
            "## Tables about the records themselves",
            "",
            *table(
                ("table", "rows"),
                ((linked([name], "dictionary/records.md"), doc) for name, (doc, _) in READER_TABLES.items()),
            ),
        ],
        [
            "## Structures",
            "",
            *table(
                ("structure", "child tables", "content", "found in"),
                (
                    (
                        linked([layout.name], f"dictionary/{layout.name}.md"),
                        ", ".join(f"`{child.name}`" for child in layout.children),
                        layout.title,
                        routes(layout.routes),
                    )
                    for layout in layouts().values()
                ),
            ),
        ],
        [
            "## Views",
            "",
            "What reports and rules read. Each derived figure is defined once, here.",
            "",
            *table(
                ("view", "rows"),
                ((link(view.id, "dictionary/"), view.header["grain"]) for view in sqlfile.views().values()),
            ),
        ],
        ["### Columns of many views", "", *sql_columns(common_columns().values())],
    )


def field_index() -> str:
    """Every field by IBM's name and every column of tables and views by its name, with the page that describes it."""
    from mqstat.parsers.tables import LINEAGE, tables
    from mqstat.sql import sqlfile
    from mqstat.sql.columns import common_columns

    def listed(texts: Iterable[str]) -> str:
        shown = list(texts)
        return ", ".join(shown[:INDEXED]) + (f" and {len(shown) - INDEXED} more" if len(shown) > INDEXED else "")

    by_field: dict[str, dict[str, None]] = {}
    by_column: dict[str, dict[str, None]] = {}
    common = {column.name for column in LINEAGE} | set(common_columns())
    for name, (_, all_columns) in tables().items():
        for column in all_columns:
            if column.mnemonic:
                by_field.setdefault(column.mnemonic.upper(), {})[f"`{column.name}` in {link(f'decoded.{name}')}"] = None
            if column.name not in common:
                by_column.setdefault(column.name, {})[link(f"decoded.{name}")] = None
    for view in sqlfile.views().values():
        for name in view.columns.keys() - common:
            by_column.setdefault(name, {})[link(view.id)] = None
    return page(
        "Index of fields and columns",
        ["[By IBM's name](#fields) - [by column](#columns)"],
        [
            "## Fields",
            "",
            *table(("field", "column"), ((f"`{name}`", listed(by_field[name])) for name in sorted(by_field))),
        ],
        [
            "## Columns",
            "",
            "Columns of every decoded table and of many views are in the [data dictionary](../data-dictionary.md).",
            "",
            *table(
                ("column", "tables and views"),
                ((f"`{name}`", listed(by_column[name])) for name in sorted(by_column)),
            ),
        ],
    )


def link(table: str, folder: str = "") -> str:
    """A view or decoded table (`decoded.name`) as a link to its description."""
    if table not in families():
        return f"`{table}`"
    decoded = table.removeprefix("decoded.")
    heading = f"View {table}" if decoded == table else decoded
    return f"[{table}]({folder}{families()[table]}.md#{anchor(heading)})"


def structure(layout: Any) -> str:
    """The page of a structure: its tables, its fields in the record, and the views over it."""
    from mqstat.parsers.tables import LINEAGE, tables

    common = {column.name for column in LINEAGE}
    parts: list[list[str]] = []
    for name in [layout.name, *(child.name for child in layout.children)]:
        doc, all_columns = tables()[name]
        parts.append([f"## {name}", "", doc])
        if name == layout.name:
            sizes = ", ".join(str(size) for size in layout.sizes)
            parts.append([f"{layout.name.upper()}, {sizes} bytes. {routes(layout.routes)}"])
        parts.append(columns(column for column in all_columns if column.name not in common))
    parts.append([f"Fields of {layout.name.upper()} in the record:", "", *fields(layout)])
    return page(f"{layout.name.upper()}: {layout.title}", *parts, *views(layout.name))


def columns(own: Iterable[Any]) -> list[str]:
    """The columns of one table."""
    return table(
        ("column", "type", "unit", "kind", "IBM name", "meaning"),
        (
            (f"`{c.name}`", arrow_name(c.type), c.unit, c.kind, f"`{c.mnemonic}`" if c.mnemonic else "", c.doc)
            for c in own
        ),
    )


def arrow_name(arrow_type: Any) -> str:
    """An Arrow type in one word."""
    import pyarrow as pa

    if pa.types.is_dictionary(arrow_type):
        return str(arrow_type.value_type)
    return str(arrow_type)


def routes(triplets: Iterable[tuple[int, int, int]]) -> str:
    """Where a structure occurs, as a sentence."""
    texts = [f"type {smf} subtype {sub}, triplet {triplet}" for smf, sub, triplet in triplets]
    return f"Found in SMF {'; '.join(texts)}." if texts else "Part of the record header area."


def fields(layout: Any) -> list[str]:
    """The fields of one structure by offset, with what only the declaration knows."""

    def rows() -> Iterator[tuple[object, ...]]:
        for field in layout.named:
            count = 1
            for n, _ in field.dims:
                count *= n
            marks = [f"never set: {field.never_set:#x}"] if field.never_set is not None else []
            marks += [f"no limit: {field.no_limit:#x}"] if field.no_limit is not None else []
            marks += [f"since {field.since}"] if field.since != "base" else []
            marks += [", ".join(f"{code} = {word}" for code, word in field.codes.items())] if field.codes else []
            marks += [f"valid when `{field.valid_when}`"] if field.valid_when else []
            size = (
                f"{field.type.width}"
                if count == 1
                else f"{' x '.join(str(n) for n, _ in field.dims)} x {field.type.width}"
            )
            strides = ", ".join(str(stride) for _, stride in field.dims)
            yield field.at, size, strides, f"`{field.mnemonic}`", field.type.ctype, f"`{field.name}`", "; ".join(marks)

    return table(("offset", "bytes", "stride", "IBM name", "type", "field", "remarks"), rows())


def views(family: str) -> list[list[str]]:
    """The views of one page, dependencies first."""
    from mqstat.sql import sqlfile
    from mqstat.sql.columns import common_columns

    common = common_columns()
    parts: list[list[str]] = []
    for view in sqlfile.views().values():
        if families()[view.id] != family:
            continue
        shared = [name for name in view.columns if name in common]
        parts.append(
            [
                f"## View {view.id}",
                "",
                f"{view.title}: {sentence(view.header['grain'])}",
                "",
                f"Reads {', '.join(map(link, view.needs)) or 'nothing'}.",
            ]
        )
        if view.header.get("note"):
            parts.append([text_block(view.header["note"])])
        if shared:
            parts.append([f"Common columns: {', '.join(f'`{name}`' for name in shared)}."])
        parts.append(view_columns(view, common))
    return parts


def view_columns(view: Any, common: Collection[str]) -> list[str]:
    """The columns of a view that are its own, with their formulas."""
    from mqstat.judge.lineage import formula_of

    return table(
        ("column", "unit", "kind", "meaning", "formula"),
        (
            (f"`{c.name}`", c.unit, c.kind, c.doc, f"`{formula}`" if (formula := formula_of(view.id, c.name)) else "")
            for name, c in view.columns.items()
            if name not in common
        ),
    )


def sql_columns(columns: Iterable[Any]) -> list[str]:
    """The columns of a view or report."""
    return table(("column", "unit", "kind", "meaning"), ((f"`{c.name}`", c.unit, c.kind, c.doc) for c in columns))
