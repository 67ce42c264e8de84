"""Every decoded table with a few made-up rows, and all views over them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pyarrow as pa

from mqstat.sql import sqlfile
from mqstat.sql.schemas import all_schemas
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.opening import open_database
from tests.support import START


@cache
def filled_tables() -> dict[str, pa.Table]:
    """Every decoded table with three rows of made-up values."""
    made = {}
    for name, schema in all_schemas().items():
        if name in ("finding", "site_input", "report_class", "repeated_record", "layout_size", "area_state"):
            continue
        rows = [{field.name: made_up(field, number) for field in schema} for number in range(3)]
        made[name] = pa.Table.from_pylist(rows, schema=schema)
    return made


def made_up(field: pa.Field, number: int) -> Any:
    """A value that fits the type of a column."""
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    fixed = {
        "lpar": "SYS1",
        "qmgr": "MQ01",
        "mq_version": "10.0.0",
        "smf_type": 115,
        "subtype": 1,
        "record_class": "115.1",
        "damage": None,
        "first_record_id": None,
    }
    if field.name in fixed:
        return fixed[field.name]
    if field.name in ("record_id", "record_us", "interval_us"):
        return number + 1 if field.name == "record_id" else 1_800_000_000
    if pa.types.is_timestamp(kind):
        return START + number * timedelta(minutes=30)
    if pa.types.is_boolean(kind):
        return number != 1
    if pa.types.is_binary(kind):
        return b"x"
    if pa.types.is_fixed_size_binary(kind):
        return number.to_bytes(kind.byte_width, "big")
    return f"{field.name[:4]}{number}" if pa.types.is_string(kind) else 100 + 7 * number


@cache
def filled_database() -> Workspace:
    """A database over `filled_tables` with all views, for as long as the tests run."""
    db = open_database(filled_tables(), views=False)
    db.keep_named(sqlfile.views())
    return db
