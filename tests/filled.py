"""Every decoded table with a few made-up rows, and views that are computed from just the columns they declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import Any

import pyarrow as pa

from mqstat.sql import sqlfile
from mqstat.sql.database import Database, open_database
from mqstat.sql.needed import columns_below, narrowed
from mqstat.sql.plans import keep_named
from mqstat.sql.schemas import all_schemas, quoted
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
def filled_database() -> Database:
    """A database over `filled_tables` with all views, for as long as the tests run."""
    db = open_database(filled_tables(), views=False)
    keep_named(db, sqlfile.views())
    return db


class NarrowViews:
    """Views, each computed from tables and views that have just the columns that it declares, and no others.

    A view is computed once for each set of its columns that is read: computing all views below it for every query takes four times as long.
    """

    def __init__(self) -> None:
        self.db = open_database(filled_tables(), views=False)
        self.db.fill_report_classes()
        self.computed: dict[tuple[str, frozenset[str]], str] = {}
        self.needed: dict[tuple[str, frozenset[str]], dict[str, set[str]]] = {}
        self.visible: dict[str, str] = {}
        for schema in ("whole", "computed"):
            self.db.execute(f"CREATE SCHEMA {schema}")
        kinds = self.db.execute(
            "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'decoded'"
        ).fetchall()
        for name, kind in kinds:
            self.db.execute(f"CREATE TABLE whole.{quoted(name)} AS FROM decoded.{quoted(name)}")
            self.db.execute(f"DROP {'VIEW' if kind == 'VIEW' else 'TABLE'} decoded.{quoted(name)}")

    def rows(self, view: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """These columns of a view, in any order of the rows; of no columns as many rows of one number."""
        return self.db.execute(f"SELECT {_listed(columns)} FROM {self._table_of(view, frozenset(columns))}").fetchall()

    def decoded(self, view: str, columns: frozenset[str]) -> dict[str, set[str]]:
        """The columns of decoded tables that these columns of a view are computed from."""
        if (view, columns) not in self.needed:
            found: dict[str, set[str]] = {}
            for name, wanted in columns_below(view, columns).items():
                table = name.removeprefix("decoded.")
                below = self.decoded(name, frozenset(wanted)) if table == name else {table: wanted}
                for each, read in below.items():
                    found.setdefault(each, set()).update(read)
            self.needed[view, columns] = found
        return self.needed[view, columns]

    def _table_of(self, view: str, columns: frozenset[str]) -> str:
        """The table with these columns of a view."""
        if (view, columns) not in self.computed:
            needed = {}
            for name, wanted in columns_below(view, columns).items():
                table = name.replace("decoded.", "whole.")
                if name == table:
                    table = self._table_of(name, frozenset(wanted))
                needed[name] = f"SELECT {_listed(sorted(wanted))} FROM {table}"
            self._show(needed)
            table = f"computed.v{len(self.computed)}"
            self.db.execute(
                f"CREATE TABLE {table} AS SELECT {_listed(sorted(columns))} FROM ({narrowed(view, columns)})"
            )
            self.computed[view, columns] = table
        return self.computed[view, columns]

    def _show(self, needed: Mapping[str, str]) -> None:
        """Let these views and decoded tables be the only ones, each with its query."""
        for name in self.visible.keys() - needed.keys():
            self.db.execute(f"DROP VIEW {name}")
        for name, query in needed.items():
            if self.visible.get(name) != query:
                self.db.execute(f"CREATE OR REPLACE VIEW {name} AS {query}")
        self.visible = dict(needed)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(map(quoted, columns)) or "1 AS one"


@cache
def narrow_views() -> NarrowViews:
    """Views computed from just the columns that they declare, for as long as the tests run."""
    return NarrowViews()
