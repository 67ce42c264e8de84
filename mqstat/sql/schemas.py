"""Arrow schemas of all base tables; our names, types and values as SQL."""

from __future__ import annotations

from datetime import datetime
from functools import cache

import duckdb
import pyarrow as pa

from mqstat.base.errors import DatasetError
from mqstat.sql import sqlfile
from mqstat.sql.site import FACTS, RATE_PATTERNS, RATE_PRICES, RATES

_TEXT = pa.string()
_INT = pa.int64()
_NUMBER = pa.float64()
_STAMP = pa.timestamp("us")


_TYPES = {
    **dict.fromkeys(("text", "level"), _TEXT),
    **dict.fromkeys(("count", "id", "bytes"), _INT),
    **dict.fromkeys(("number", "percent", "ratio"), _NUMBER),
    **dict.fromkeys(("ts_utc", "ts_local"), _STAMP),
    "flag": pa.bool_(),
    "texts": pa.list_(_TEXT),
}
"""The types of columns of views that the program fills by their units, and of facts of the site."""


@cache
def view_schema(view: str) -> pa.Schema:
    """Arrow schema of a table that the program itself fills: the columns of the view that reads it."""
    return pa.schema([(column.name, _TYPES[column.unit]) for column in sqlfile.views()[view].columns.values()])


def site_schema() -> pa.Schema:
    """Arrow schema of the site facts: one column per fact, a map if a fact is given per pool, page set, queue,
    structure or channel.
    """
    fields = [pa.field("lpar", _TEXT), pa.field("qmgr", _TEXT)]
    for fact in FACTS.values():
        kind = _TYPES[fact.type]
        fields.append(pa.field(fact.column, pa.map_(_INT if fact.is_numbered else _TEXT, kind) if fact.key else kind))
    rate = {
        **dict.fromkeys(("charge_to", *RATE_PATTERNS, "currency"), _TEXT), **dict.fromkeys(RATE_PRICES, _NUMBER), "decimals": pa.int32(),
    }  # fmt: skip
    fields.append(pa.field(RATES, pa.list_(pa.struct(list(rate.items())))))
    return pa.schema(fields)


def all_schemas() -> dict[str, pa.Schema]:
    """Arrow schemas of all base tables: decoded tables, and tables that the program itself fills."""
    from mqstat.parsers.tables import table_schemas

    return {
        **table_schemas(),
        "site_input": site_schema(),
        "report_class": pa.schema([("report_id", _TEXT), ("record_class", _TEXT)]),
        "repeated_record": pa.schema([("record_id", _INT), ("first_record_id", _INT)]),
        "layout_size": LAYOUT_SIZE,
        "dropped_class": DROPPED_CLASS,
        "numbered_record": NUMBERED,
        "sequence_scope": SCOPE,
        **{name: view_schema(name) for name in ("finding", "area_state", *SIDE_TABLES)},
    }


LAYOUT_SIZE = pa.schema([("structure", _TEXT), ("section_bytes", _INT), ("columns_absent", _INT)])


DROPPED_CLASS = pa.schema(
    [
        ("lpar", _TEXT),
        ("qmgr", _TEXT),
        ("record_class", _TEXT),
        ("records_dropped", _INT),
        ("dropped_on", pa.date32()),
    ]
)


NUMBERED = pa.schema([
    ("source_id", pa.int64()), ("record_id", pa.int64()), ("source_offset", pa.int64()), ("smf_type", pa.int64()), ("record_class", pa.string()),
    ("lpar", pa.string()), ("qmgr", pa.string()), ("written_local", _STAMP), ("header_stck_utc", _STAMP), ("record_start_utc", _STAMP),
    ("resource_manager", pa.string()), ("instrumentation_id", pa.int64()), ("instrumentation_sequence", pa.int64()), ("trace_sequence", pa.int64()),
    ("damage", pa.string()),
])  # fmt: skip
"""The columns of table record that the numbers need."""

SCOPE = pa.schema([("not_judged", pa.string()), ("first_local", _STAMP), ("end_local", _STAMP)])
"""One row: why lost records are not counted (null if they are), and the local period of which they are (null = without
an end)."""


SIDE_TABLES = ("side", "side_figure", "side_setting", "hour_figure", "class_hour")
"""Tables that only a comparison of two periods, or of a day with the days before it, fills."""

OWN_TABLES = frozenset({
    "dropped_class", "numbered_record", "sequence_scope", "site_input", "report_class", "layout_size", "repeated_record", "finding", "area_state", *SIDE_TABLES,
})  # fmt: skip
"""Tables that the program itself fills."""

TAKE_TIME = frozenset({"numbered_record", "report_class"})
"""Those of them that take time to fill: they read all records, or the headers of all reports."""


@cache
def duckdb_type(kind: pa.DataType) -> str:
    """The DuckDB type for one of our Arrow types."""
    if pa.types.is_dictionary(kind):
        return duckdb_type(kind.value_type)
    if pa.types.is_list(kind):
        return f"{duckdb_type(kind.value_type)}[]"
    if pa.types.is_map(kind):
        return f"MAP({duckdb_type(kind.key_type)}, {duckdb_type(kind.item_type)})"
    if pa.types.is_struct(kind):
        return f"STRUCT({', '.join(f'{quoted(field.name)} {duckdb_type(field.type)}' for field in kind)})"
    names = {
        pa.string(): "VARCHAR", pa.large_string(): "VARCHAR", pa.int64(): "BIGINT", pa.int32(): "INTEGER", pa.float64(): "DOUBLE", pa.bool_(): "BOOLEAN",
        pa.timestamp("us"): "TIMESTAMP", pa.date32(): "DATE", pa.binary(): "BLOB", pa.binary(16): "BLOB", pa.large_binary(): "BLOB",
    }  # fmt: skip
    try:
        return names[kind]
    except KeyError:
        raise DatasetError(f"A column of Arrow type {kind} has no place in the database.") from None


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: object) -> str:
    """A number, text, path or time as an SQL literal, for statements that take no parameters."""
    if isinstance(value, bool) or value is None:
        return str(value).lower() if value is not None else "NULL"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    return "'" + str(value).replace("'", "''") + "'"


def create_table(connection: duckdb.DuckDBPyConnection, name: str, schema: pa.Schema) -> None:
    """Create `decoded.<name>` without rows."""
    connection.execute(f"CREATE TABLE decoded.{quoted(name)} ({_columns_of(schema)})")


@cache
def _columns_of(schema: pa.Schema) -> str:
    """Name and type of each column, for CREATE TABLE."""
    return ", ".join(f"{quoted(field.name)} {duckdb_type(field.type)}" for field in schema)


def report_classes() -> list[tuple[str, str]]:
    """Each report with the record classes that it requires, from the headers of reports and views."""
    known = sqlfile.views()
    return sorted(
        {
            (report.id, record_class)
            for report in sqlfile.reports().values()
            for need in report.needs
            for record_class in known[need].classes
        }
    )


@cache
def layout_sizes() -> pa.Table:
    """Every structure with its published section lengths, and the number of its columns that are beyond each length."""
    from mqstat.parsers import LAYOUTS

    rows = [
        {
            "structure": layout.name,
            "section_bytes": size,
            "columns_absent": sum(
                len(field.columns or (field.name,))
                for field in layout.named
                if not field.reserved and field.kind != "internal" and field.at >= size
            ),
        }
        for layout in LAYOUTS.values()
        for size in sorted(set(layout.sizes))
    ]
    return pa.Table.from_pylist(rows, schema=LAYOUT_SIZE)
