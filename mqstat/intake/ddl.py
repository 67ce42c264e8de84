"""Tables for the rows of views in databases, as CREATE TABLE statements. Only PostgreSQL is tested with a server; others are checked by a parser where it has the dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mqstat.base.errors import UsageError
from mqstat.base.nearest import did_you_mean
from mqstat.intake.facts import chosen_views
from mqstat.sql.schemas import literal, quoted
from mqstat.sql.sqlfile import views
from mqstat.sql.views import view_types

PART = "fact_part"
"""Column of each table: the file of the facts that a row came from, a local day or a period."""


@dataclass(frozen=True)
class Dialect:
    """A database: its type for each type of DuckDB (`text` = lists, maps and structs as JSON), the bytes of the longest comment of COMMENT ON (0 = there are none), and of the longest name.

    A row of Db2 must fit into a page of 32 KiB, so its texts are shorter.
    """

    types: Mapping[str, str]
    longest_comment: int
    longest_name: int


def _types(
    bigint: str, double: str, varchar: str, timestamp: str, date: str, boolean: str, blob: str, text: str
) -> Mapping[str, str]:
    given = {"BIGINT": bigint, "INTEGER": bigint, "DOUBLE": double, "VARCHAR": varchar, "TIMESTAMP": timestamp, "DATE": date, "BOOLEAN": boolean, "BLOB": blob, "text": text}  # fmt: skip
    return MappingProxyType(given)


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        "postgresql": Dialect(_types("bigint", "double precision", "text", "timestamp", "date", "boolean", "bytea", "text"), 1 << 20, 63),
        "db2": Dialect(_types("BIGINT", "DOUBLE", "VARCHAR(1000)", "TIMESTAMP(6)", "DATE", "SMALLINT", "BLOB(1M)", "CLOB(1M)"), 254, 128),
        "sqlserver": Dialect(_types("bigint", "float", "nvarchar(4000)", "datetime2(6)", "date", "bit", "varbinary(max)", "nvarchar(max)"), 0, 128),
        "oracle": Dialect(_types("NUMBER(19)", "BINARY_DOUBLE", "VARCHAR2(4000)", "TIMESTAMP(6)", "DATE", "NUMBER(1)", "BLOB", "CLOB"), 4000, 128),
        "snowflake": Dialect(_types("NUMBER(19)", "FLOAT", "VARCHAR", "TIMESTAMP_NTZ(6)", "DATE", "BOOLEAN", "BINARY", "VARCHAR"), 4000, 255),
    }
)  # fmt: skip


def statements(dialect: str, names: Iterable[str] = ()) -> Iterator[str]:
    """The statements that create a table for each view (all that `mqstat facts` writes, or the named ones), each ending in a semicolon.

    Names are quoted, so they are the lower-case names of the views in each database. Raises UsageError for an unknown dialect or view.
    """
    if dialect not in DIALECTS:
        raise UsageError(
            f"There is no database {dialect!r}{did_you_mean(dialect, DIALECTS) or '; there are ' + ', '.join(DIALECTS)}."
        )
    for view in chosen_views(names):
        yield from create(dialect, view, view_types(view))


def create(dialect: str, view: str, types: Mapping[str, str], schema: str = "") -> Iterator[str]:
    """The statements that create the table of a view with these columns and DuckDB types, with its comments."""
    known = DIALECTS[dialect]
    table = f"{quoted(schema)}.{quoted(view)}" if schema else quoted(view)
    columns = [
        *((name, known.types.get(kind, known.types["text"])) for name, kind in types.items()),
        (PART, _key_type(dialect)),
    ]
    listed = ",\n".join(f"  {quoted(name)} {kind}{' NOT NULL' if name == PART else ''}" for name, kind in columns)
    yield f"CREATE TABLE {table} (\n{listed}\n);"
    most = known.longest_comment
    if most:
        described = views()[view]
        yield f"COMMENT ON TABLE {table} IS {literal(_cut(described.title, most))};"
        for name, column in described.columns.items():
            if name in types:
                yield f"COMMENT ON COLUMN {table}.{quoted(name)} IS {literal(_cut(f'{column.doc} Unit: {column.unit}.', most))};"


def _cut(text: str, most: int) -> str:
    """A text of at most so many bytes."""
    return text if len(text.encode()) <= most else text.encode()[: most - 3].decode(errors="ignore") + "..."


def _key_type(dialect: str) -> str:
    return re.sub(r"\(\d+\)", "(64)", DIALECTS[dialect].types["VARCHAR"])
