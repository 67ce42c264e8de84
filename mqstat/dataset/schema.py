"""The columns of all tables of a dataset, the number that follows from them, and what a dataset of other columns lacks.

A dataset with another number was written by another mqstat. One that lacks columns or tables is read with nulls and
without rows, and gets them with the next publish; any other is refused.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache

import pyarrow as pa

from mqstat.base.errors import MqstatError
from mqstat.base.version import __version__
from mqstat.dataset.lake import plain
from mqstat.dataset.paths import FINDING_DAY
from mqstat.parsers.tables import DATE, LINEAGE, table_schemas, tables

PUBLISH, SOURCE, FILE, DROPPED, DROPPED_SOURCE = "publish", "input", "file", "dropped_class", "dropped_source"

COLUMN_KEYS = ("comment", "unit", "kind", "ibm_name")
"""What Delta has of each column in its metadata."""

FORMAT = 5
"""Part of the number: to be raised when columns stay and their meaning changes."""

STEPS = pa.schema(
    [
        ("generation", pa.int64()), ("state", pa.string()), ("action", pa.string()), ("time_utc", pa.timestamp("us")), ("writer", pa.string()),
        ("mqstat", pa.string()), ("schema", pa.int64()), ("versions", pa.string()), ("next_source_id", pa.int64()),
    ]
)  # fmt: skip
SOURCES = pa.schema(
    [
        ("source_id", pa.int64()), ("name", pa.string()), ("bytes", pa.int64()), ("sha256", pa.string()), ("framing", pa.string()),
        ("diagnosis", pa.string()), ("selection", pa.string()), ("first_record_id", pa.int64()), ("records", pa.int64()), ("ledger", pa.string()),
        ("pruned_records", pa.int64()), ("pruned_before", pa.string()),
    ]
)  # fmt: skip
ROWS_OF = pa.list_(pa.struct([("source_id", pa.int64()), ("rows", pa.int64())]))
FILES = pa.schema(
    [
        ("table", pa.string()), ("path", pa.string()), ("sources", ROWS_OF), ("rows", pa.int64()), ("bytes", pa.int64()), ("sha256", pa.string()),
        ("absent", pa.string()),
    ]
)  # fmt: skip
DROPS = pa.schema([("name", pa.string()), ("day", pa.string()), ("on", pa.string())])

DROPPED_SOURCES = pa.schema(
    [("sha256", pa.string()), ("name", pa.string()), ("on", pa.string()), ("reason", pa.string())]
)

FINDING_COLUMNS: Sequence[tuple[str, pa.DataType, str, str, str]] = (
    ("date", pa.date32(), "date", "key", "Local day."),
    ("rule_id", pa.string(), "text", "key", "Rule."),
    ("lpar", pa.string(), "text", "key", "LPAR; null where the rule is about inputs."),
    ("qmgr", pa.string(), "text", "key", "Queue manager; null where the rule is about inputs or an LPAR."),
    ("place", pa.int64(), "count", "key", "Place of the row among those of the rule and queue manager on this day, from 0 for the worst subject."),
    ("subject", pa.string(), "text", "key", "What is in breach, such as a buffer pool; null in the row of a rule that is not in breach."),
    ("state", pa.string(), "text", "setting", "State of the rule: breach, clear, idle, ... (one row of the rule and queue manager unless it is breach)."),
    ("severity", pa.string(), "text", "setting", "Severity of a breach; null in other states."),
    ("observed", pa.float64(), "number", "gauge", "The figure that decides; null where there is no figure."),
    ("limit_value", pa.float64(), "number", "setting", "The limit with which it was compared; null where there is no limit."),
    ("limit_unit", pa.string(), "text", "setting", "Unit of both."),
    ("intervals_breached", pa.int64(), "count", "counter", "Intervals in breach."),
    ("intervals_checked", pa.int64(), "count", "counter", "Intervals that were judged."),
    ("subjects", pa.int64(), "count", "counter", "Subjects in breach of the rule on the queue manager."),
    ("limits", pa.string(), "text", "setting", "Checksum over the rule, its limits in force and the facts of the site file that it reads."),
    ("is_complete", pa.bool_(), "flag", "setting", "Whether the day was over when it was judged."),
)  # fmt: skip
"""The columns of table finding_day: name, type, unit, kind, description."""

FINDINGS = pa.schema([(name, kind) for name, kind, *_ in FINDING_COLUMNS])

OF_STATE = {PUBLISH: STEPS, SOURCE: SOURCES, FILE: FILES, DROPPED: DROPS, DROPPED_SOURCE: DROPPED_SOURCES}
"""The tables that describe a dataset."""

READ_BY_NAME = frozenset(
    {
        *(column.name for column in LINEAGE), DATE.name, "record_hash", "record_bytes", "record_number", "outcome", "first_record_id", "input_bytes",
    }
)  # fmt: skip
"""Columns without which records cannot be found: they are never missing."""


class OtherColumnsError(MqstatError):
    """A dataset has columns that this mqstat cannot read; its text is a clause about them."""


def declared() -> dict[str, pa.Schema]:
    """The columns of every table, as Delta has them."""
    return {name: plain(schema) for name, schema in all_columns().items()}


def columns_of(table: str) -> pa.Schema:
    """The columns of a table, as Delta has them."""
    return plain(all_columns()[table])


def all_columns() -> dict[str, pa.Schema]:
    """The columns of every table, as they are in files."""
    return {**table_schemas(), FINDING_DAY: FINDINGS, **OF_STATE}


def described(table: str) -> tuple[str | None, pa.Schema]:
    """What a table is, and its columns as Delta has them, each with its description, unit, kind and IBM's name as
    metadata.
    """
    title, known = tables().get(table, (None, ()))
    texts = {column.name: (column.doc, column.unit, column.kind, column.mnemonic) for column in known}
    if table == FINDING_DAY:
        title = "What every rule decided, by day and queue manager"
        texts = {name: (doc, unit, kind, "") for name, _, unit, kind, doc in FINDING_COLUMNS}

    def of(column: pa.Field) -> pa.Field:
        return (
            column.with_metadata(dict(zip(COLUMN_KEYS, texts[column.name], strict=True)))
            if column.name in texts
            else column
        )

    return title, pa.schema([of(column) for column in columns_of(table)])


@cache
def schema_version() -> int:
    """The number of these columns and types."""
    columns = [f"{table}.{each.name} {each.type}" for table, schema in declared().items() for each in schema]
    return zlib.crc32("\n".join([str(FORMAT), *sorted(columns)]).encode())


def is_newer(version: str) -> bool:
    """Whether a version of mqstat is newer than this one."""
    parts = (tuple(map(int, re.findall(r"\d+", each))) for each in (version, __version__))
    return next(parts) > next(parts)


def lacking(have: Mapping[str, pa.Schema]) -> dict[str, pa.Schema]:
    """The columns that tables of a dataset lack, all of them of a table that it does not have. OtherColumnsError unless
    it has nothing else.
    """
    wanted = declared()
    out: dict[str, pa.Schema] = {}
    for table, schema in have.items():
        if table not in wanted:
            raise OtherColumnsError(f"has a table {table}")
        for column in schema:
            if column.name not in wanted[table].names:
                raise OtherColumnsError(f"has a column {column.name} in table {table}")
            kind = wanted[table].field(column.name).type
            if column.type != kind:
                raise OtherColumnsError(
                    f"has column {column.name} of table {table} as {column.type} in place of {kind}"
                )
    for table, schema in wanted.items():
        there = have[table].names if table in have else []
        missing = [column for column in schema if column.name not in there]
        if there and (names := READ_BY_NAME.intersection(column.name for column in missing)):
            raise OtherColumnsError(f"lacks column {min(names)} of table {table}")
        if missing:
            out[table] = pa.schema(missing)
    if not out:
        raise OtherColumnsError("has columns of another meaning")
    return out


def conformed(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows with just the columns of a schema: null where one is missing. ArrowException for other types."""

    def of(column: pa.Field) -> pa.ChunkedArray | pa.Array:
        if column.name not in rows.column_names:
            return pa.nulls(rows.num_rows, column.type)
        there = rows[column.name]
        return there if there.type == column.type else there.cast(column.type)  # which loads pyarrow.compute

    return pa.Table.from_arrays([of(column) for column in schema], schema=schema)
