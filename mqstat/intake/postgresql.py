"""Rows of views -> PostgreSQL through ADBC: a table for each view, also one without rows, in one transaction. Only days
whose rows differ from those of the last load change.

Table `mqstat_day` in the same schema has the checksum of each loaded day.
"""

# ruff: noqa: S608 - names of views and columns, which are quoted; values are bound

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mqstat.base.database_address import INSTEAD, WANTED, check_schema, is_address
from mqstat.base.errors import MqstatError, UsageError
from mqstat.base.formatting import clean
from mqstat.dataset.paths import UNDATED
from mqstat.intake.view_rows import ROWS, chosen_views, compute, day_column, rows_of
from mqstat.sql.columns import selected_columns
from mqstat.sql.schemas import literal, quoted
from mqstat.sql.sqlfile import views
from mqstat.sql.workspace import Workspace

CONNECT_SECONDS = 30
"""Seconds after which a server that does not answer counts as down."""

LOCK_TIMEOUT = "10min"
"""How long a load waits for another one."""

DAY = "loaded_day"
"""Column of each table: the local day of the row, or `undated`. The rows of a day are replaced together."""

TYPES: Mapping[str, str] = {
    "BIGINT": "bigint", "INTEGER": "bigint", "DOUBLE": "double precision", "VARCHAR": "text", "TIMESTAMP": "timestamp",
    "DATE": "date", "BOOLEAN": "boolean", "BLOB": "bytea",
}  # fmt: skip
"""The type in PostgreSQL for each type of DuckDB; others, lists, maps and structs, are JSON text."""

_DAYS = "mqstat_day"


@dataclass(frozen=True)
class Loaded:
    """What a load did: views with a table, days that it loaded, days whose rows it deleted, rows that it sent, tables
    of other views that it dropped.
    """

    views: int
    days: int
    deleted: int
    rows: int
    dropped: int


def check_target(uri: str, schema: str) -> None:
    """Raise UsageError for an address with a password, or for a name that PostgreSQL would cut."""
    if not is_address(uri):
        raise UsageError(f"--database {WANTED}; {INSTEAD}.")
    check_schema(schema)


def load(database: Workspace, uri: str, schema: str, names: Collection[str] = ()) -> Loaded:
    """Bring the tables of a schema up to the rows of these views, by default all; all of it becomes visible at once, or
    nothing.

    A table whose columns are those of another version is created again. Raises UsageError if the address has a
    password, without the driver, or if the server refuses the connection, ViewError if a view cannot be computed,
    MqstatError if the server refuses a statement; the tables are then unchanged.
    """
    check_target(uri, schema)
    chosen = chosen_views(names)
    try:
        from adbc_driver_manager import Error
        from adbc_driver_postgresql.dbapi import connect
    except ImportError:
        raise UsageError("PostgreSQL needs the driver: pip install 'mqstat[postgresql]'") from None
    try:
        connection = connect(_in_time(uri))
    except Error as error:
        raise UsageError(f"PostgreSQL cannot be reached: {_reason(error)}") from None
    try:
        with connection, connection.cursor() as cursor:
            done = _Load(cursor, schema, database).run(chosen)
            connection.commit()
            return done
    except Error as error:
        raise MqstatError(f"PostgreSQL refused the load, and its tables are unchanged: {_reason(error)}") from None
    finally:
        connection.close()


def _in_time(uri: str) -> str:
    """The address with a limit for the time to connect, unless it has one: a host that drops packets would hold a
    nightly run for minutes.
    """
    if "connect_timeout" in uri or "PGCONNECT_TIMEOUT" in os.environ:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}connect_timeout={CONNECT_SECONDS}"


def _reason(error: Exception) -> str:
    """The message of the server on one line."""
    text = re.sub(r" (?=\.)", "", " ".join(str(error).split())).rstrip(".")
    return text if text.endswith("?") else text + "."


class _Load:
    """One load in one transaction."""

    def __init__(self, cursor: Any, schema: str, database: Workspace) -> None:
        self.cursor, self.schema, self.database = cursor, schema, database

    def run(self, chosen: Sequence[str]) -> Loaded:
        """Delete the rows of days that changed or are gone, and send those of new ones."""
        days = f"{quoted(self.schema)}.{quoted(_DAYS)}"
        self.cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
        self.cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", (f"mqstat {self.schema}",)
        )  # of two loads, one waits
        self.cursor.fetchall()
        if not self.exists():
            self.cursor.execute(f"CREATE SCHEMA {quoted(self.schema)}")
        self.cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {days} (view_name text, {DAY} text, checksum text NOT NULL, PRIMARY KEY (view_name, {DAY}))"
        )
        self.cursor.execute(f"SELECT view_name, {DAY}, checksum FROM {days}")
        known: dict[str, dict[str, str]] = {}
        for view, day, checksum in self.cursor.fetchall():
            known.setdefault(view, {})[day] = checksum
        former = sorted((known.keys() | self.tables()) - set(chosen))
        for view in (*former, *chosen):
            present = self.columns(view)
            if present and DAY not in dict(present):
                raise UsageError(f"Schema {clean(self.schema)} has a table {view} that mqstat did not create: load into another schema with --schema; its tables are unchanged.")  # fmt: skip
            if view in former or present != self.expected(view):
                known.pop(view, None)
                self.cursor.execute(f"DROP TABLE IF EXISTS {self.table(view)}")
                self.cursor.execute(f"DELETE FROM {days} WHERE view_name = $1", (view,))
                for statement in () if view in former else self.created(view):
                    self.cursor.execute(statement)
        compute(self.database, chosen)
        deleted = loaded = sent = 0
        for view in chosen:
            with rows_of(self.database, view) as rows:
                before, after = known.get(view, {}), self.checksums(view, rows)
                changed = [day for day in sorted(before | after) if before.get(day) != after.get(day)]
                for day in changed:
                    if day in before:
                        self.cursor.execute(f"DELETE FROM {self.table(view)} WHERE {DAY} = $1", (day,))
                        self.cursor.execute(f"DELETE FROM {days} WHERE view_name = $1 AND {DAY} = $2", (view, day))
                        deleted += 1
                    if day in after:
                        sent += self.send(view, day, rows)
                        self.cursor.execute(f"INSERT INTO {days} VALUES ($1, $2, $3)", (view, day, after[day]))
                        loaded += 1
        return Loaded(len(chosen), loaded, deleted, sent, len(former))

    def checksums(self, view: str, rows: str) -> dict[str, str]:
        """The number and a checksum of the rows of each day. Numbers with a fraction count up to nine digits: the last
        bits of a sum depend on the order of its rows.
        """
        values = (
            f"format('{{:.9e}}', {quoted(name)})" if kind == "DOUBLE" else quoted(name)
            for name, kind in selected_columns()[view].items()
        )
        query = f"SELECT {_day(view)} AS part, concat_ws(' ', count(*), sum(hash({', '.join(values)}))) FROM {rows} GROUP BY part"
        return dict(self.database.execute(query).fetchall())

    def exists(self) -> bool:
        """Whether the schema exists: creating it, even if it is only `IF NOT EXISTS`, needs a privilege on the
        database.
        """
        self.cursor.execute("SELECT count(*) FROM pg_namespace WHERE nspname = $1", (self.schema,))
        return bool(self.cursor.fetchall()[0][0])

    def tables(self) -> set[str]:
        """The views that have a table, also one without rows, of which no day is known."""
        self.cursor.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = $1 AND column_name = $2",
            (self.schema, DAY),
        )
        return {name for (name,) in self.cursor.fetchall()} & views().keys()

    def table(self, view: str) -> str:
        return f"{quoted(self.schema)}.{quoted(view)}"

    def columns(self, view: str) -> list[tuple[str, str]]:
        """The columns that the table has now, with their types; [] without a table."""
        self.cursor.execute(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position",
            (self.schema, view),
        )
        return [(name, kind.removesuffix(" without time zone")) for name, kind in self.cursor.fetchall()]

    def expected(self, view: str) -> list[tuple[str, str]]:
        """The columns that it should have."""
        return [*((name, TYPES.get(kind, "text")) for name, kind in selected_columns()[view].items()), (DAY, "text")]

    def created(self, view: str) -> Iterator[str]:
        """The statements that create the table of a view, with titles, descriptions and units as comments."""
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in self.expected(view))
        yield f"CREATE TABLE {self.table(view)} ({columns} NOT NULL)"
        yield f"COMMENT ON TABLE {self.table(view)} IS {literal(views()[view].title)}"
        for name, column in views()[view].columns.items():
            text = literal(f"{column.doc} Unit: {column.unit}.")
            yield f"COMMENT ON COLUMN {self.table(view)}.{quoted(name)} IS {text}"

    def send(self, view: str, day: str, rows: str) -> int:
        """Send the rows of a day; their number. PostgreSQL has no text with X'00': such characters become `?`."""
        columns = ", ".join(
            f"{_value(name, kind)} AS {quoted(name)}" for name, kind in selected_columns()[view].items()
        )
        query = f"SELECT {columns}, {literal(day)} AS {DAY} FROM {rows} WHERE {_day(view)} = {literal(day)}"
        batches = self.database.reader(query, ROWS)
        return int(self.cursor.adbc_ingest(view, batches, mode="append", db_schema_name=self.schema))


def _day(view: str) -> str:
    """The expression for the local day of a row of a view."""
    column = day_column(view)
    return f"coalesce({quoted(column)}::DATE::VARCHAR, '{UNDATED}')" if column else f"'{UNDATED}'"


def _value(name: str, kind: str) -> str:
    column = quoted(name)
    if kind == "VARCHAR":
        return f"replace({column}, chr(0), '?')"
    if kind == "INTEGER":
        return f"{column}::BIGINT"
    return column if kind in TYPES else f"replace(to_json({column})::VARCHAR, '\\u0000', '?')"
