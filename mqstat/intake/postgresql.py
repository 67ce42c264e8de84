"""Facts -> PostgreSQL through ADBC: a table for each view, also one without rows, in one transaction. Only files that are new, changed or gone since the last load change rows.

Table `mqstat_file` in the same schema has the checksum of each loaded file. What is computed is in the facts: nothing is here.
"""

# ruff: noqa: S608 - names of views and columns, which are quoted; values are bound

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from mqstat.base.database_address import INSTEAD, WANTED, check_schema, is_address
from mqstat.base.errors import DatasetError, MqstatError, UsageError
from mqstat.base.formatting import clean, pasted
from mqstat.base.inputs import about
from mqstat.dataset import facts as written
from mqstat.dataset import log
from mqstat.dataset.manifest import FileEntry
from mqstat.dataset.store import reading
from mqstat.sql.schemas import literal, quoted
from mqstat.sql.sqlfile import views
from mqstat.sql.views import view_types

CONNECT_SECONDS = 30
"""Seconds after which a server that does not answer counts as down."""

LOCK_TIMEOUT = "10min"
"""How long a load waits for another one."""

ROWS = 65_536
"""Rows that are sent at a time."""

PART = "fact_part"
"""Column of each table: the file of the facts that a row came from, a local day or a period."""

TYPES: Mapping[str, str] = {
    "BIGINT": "bigint", "INTEGER": "bigint", "DOUBLE": "double precision", "VARCHAR": "text", "TIMESTAMP": "timestamp",
    "DATE": "date", "BOOLEAN": "boolean", "BLOB": "bytea",
}  # fmt: skip
"""The type in PostgreSQL for each type of DuckDB; others, lists, maps and structs, are JSON text."""

_FILES = "mqstat_file"


@dataclass(frozen=True)
class Loaded:
    """What a load did: views with a table, files that it loaded, files whose rows it deleted, rows that it sent, tables that it dropped because the facts no longer have their view."""

    views: int
    files: int
    deleted: int
    rows: int
    dropped: int


def load(folder: Path, uri: str, schema: str) -> Loaded:
    """Bring the tables of a schema up to the facts of a folder; all of it becomes visible at once, or nothing.

    A table whose columns are those of another version is created again. Raises DatasetError if the folder has no facts, UsageError if the address has a password, without the driver, or if
    the server refuses the connection, MqstatError if it refuses a statement; the tables are then unchanged.
    """
    if not is_address(uri):
        raise UsageError(f"--database {WANTED}; {INSTEAD}.")
    try:
        from adbc_driver_manager import Error
        from adbc_driver_postgresql.dbapi import connect
    except ImportError:
        raise UsageError("PostgreSQL needs the driver: pip install 'mqstat[postgresql]'") from None
    check_schema(schema)
    manifest = log.load(folder) if folder.is_dir() else None
    if manifest is not None and manifest.sources:
        raise DatasetError(
            f"{folder}: is a dataset, and has no facts; write them with: mqstat facts {pasted(str(folder))} --into FACTS"
        )
    if manifest is None:
        raise DatasetError(f"{folder}: has no facts; write them with: mqstat facts DIR --into {pasted(str(folder))}")
    try:
        connection = connect(_in_time(uri))
    except Error as error:
        raise UsageError(f"PostgreSQL cannot be reached: {_reason(error)}") from None
    try:
        with reading(folder, takes_facts=True) as opened, connection, connection.cursor() as cursor:
            wanted = {written.part_of(entry): entry for entry in opened.manifest.hourly if entry.table != written.TABLE}
            empty = {view for view, _ in written.known(folder)} & views().keys()
            done = _Load(cursor, schema, empty).run(wanted, {key: opened.path(entry) for key, entry in wanted.items()})
            connection.commit()
            return done
    except duckdb.Error:
        raise DatasetError(
            f"{folder}: a file cannot be read, and the tables are unchanged; {about('verify', folder)} lists such files."
        ) from None
    except Error as error:
        raise MqstatError(f"PostgreSQL refused the load, and its tables are unchanged: {_reason(error)}") from None
    finally:
        connection.close()


def _in_time(uri: str) -> str:
    """The address with a limit for the time to connect, unless it has one: a host that drops packets would hold a nightly run for minutes."""
    if "connect_timeout" in uri or "PGCONNECT_TIMEOUT" in os.environ:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}connect_timeout={CONNECT_SECONDS}"


def _reason(error: Exception) -> str:
    """The message of the server on one line."""
    text = re.sub(r" (?=\.)", "", " ".join(str(error).split())).rstrip(".")
    return text if text.endswith("?") else text + "."


class _Load:
    """One load in one transaction."""

    def __init__(self, cursor: Any, schema: str, known: Set[str]) -> None:
        self.cursor, self.schema, self.known, self.local = cursor, schema, known, duckdb.connect()

    def run(self, wanted: Mapping[tuple[str, str], FileEntry], paths: Mapping[tuple[str, str], Path]) -> Loaded:
        """Delete the rows of files that changed or are gone, and send those of new ones."""
        files = f"{quoted(self.schema)}.{quoted(_FILES)}"
        self.cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
        self.cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", (f"mqstat {self.schema}",)
        )  # of two loads, one waits
        self.cursor.fetchall()
        if not self.exists():
            self.cursor.execute(f"CREATE SCHEMA {quoted(self.schema)}")
        self.cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {files} (view_name text, {PART} text, sha256 text NOT NULL, PRIMARY KEY (view_name, {PART}))"
        )
        self.cursor.execute(f"SELECT view_name, {PART}, sha256 FROM {files}")
        known = {(view, part): digest for view, part, digest in self.cursor.fetchall()}
        types = {view: self.types(paths[view, part]) for view, part in wanted}
        types |= {view: dict(view_types(view)) for view in self.known - types.keys()}
        dropped = 0
        for view in {view for view, _ in known} | self.tables() | types.keys():
            present = self.columns(view)
            if present and PART not in dict(present):
                raise UsageError(f"Schema {clean(self.schema)} has a table {view} that mqstat did not create: load into another schema with --schema; its tables are unchanged.")  # fmt: skip
            if present != self.expected(types.get(view)):
                dropped += bool(present) and view not in types
                known = {key: digest for key, digest in known.items() if key[0] != view}
                self.cursor.execute(f"DROP TABLE IF EXISTS {self.table(view)}")
                self.cursor.execute(f"DELETE FROM {files} WHERE view_name = $1", (view,))
                for statement in self.created(view, types[view]) if view in types else ():
                    self.cursor.execute(statement)
        deleted = loaded = rows = 0
        for view, part in sorted(known.keys() | wanted.keys()):
            entry = wanted.get((view, part))
            if entry is not None and known.get((view, part)) == entry.sha256:
                continue
            if (view, part) in known:
                self.cursor.execute(f"DELETE FROM {self.table(view)} WHERE {PART} = $1", (part,))
                self.cursor.execute(f"DELETE FROM {files} WHERE view_name = $1 AND {PART} = $2", (view, part))
                deleted += 1
            if entry is not None:
                rows += self.send(view, part, paths[view, part], types[view])
                self.cursor.execute(f"INSERT INTO {files} VALUES ($1, $2, $3)", (view, part, entry.sha256))
                loaded += 1
        return Loaded(len(types), loaded, deleted, rows, dropped)

    def exists(self) -> bool:
        """Whether the schema exists: creating it, even if it is only `IF NOT EXISTS`, needs a privilege on the database."""
        self.cursor.execute("SELECT count(*) FROM pg_namespace WHERE nspname = $1", (self.schema,))
        return bool(self.cursor.fetchall()[0][0])

    def tables(self) -> set[str]:
        """The views that have a table, also one without rows, of which there is no file."""
        self.cursor.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = $1 AND column_name = $2",
            (self.schema, PART),
        )
        return {name for (name,) in self.cursor.fetchall()} & views().keys()

    def table(self, view: str) -> str:
        return f"{quoted(self.schema)}.{quoted(view)}"

    def types(self, path: Path) -> dict[str, str]:
        """The columns of a file with their DuckDB types."""
        return {
            name: kind for name, kind, *_ in self.local.execute(f"DESCRIBE SELECT * FROM {self.rows(path)}").fetchall()
        }

    def rows(self, path: Path) -> str:
        return f"read_parquet({literal(str(path))}, hive_partitioning = false)"

    def columns(self, view: str) -> list[tuple[str, str]]:
        """The columns that the table has now, with their types; [] without a table."""
        self.cursor.execute(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position",
            (self.schema, view),
        )
        return [(name, kind.removesuffix(" without time zone")) for name, kind in self.cursor.fetchall()]

    def expected(self, types: Mapping[str, str] | None) -> list[tuple[str, str]]:
        """The columns that it should have; [] for a view without rows."""
        if types is None:
            return []
        return [*((name, TYPES.get(kind, "text")) for name, kind in types.items()), (PART, "text")]

    def created(self, view: str, types: Mapping[str, str]) -> Iterator[str]:
        """The statements that create the table of a view, with titles, descriptions and units as comments."""
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in self.expected(types))
        yield f"CREATE TABLE {self.table(view)} ({columns} NOT NULL)"
        yield f"COMMENT ON TABLE {self.table(view)} IS {literal(views()[view].title)}"
        for name, column in views()[view].columns.items():
            if name in types:
                text = literal(f"{column.doc} Unit: {column.unit}.")
                yield f"COMMENT ON COLUMN {self.table(view)}.{quoted(name)} IS {text}"

    def send(self, view: str, part: str, path: Path, types: Mapping[str, str]) -> int:
        """Send the rows of a file; their number. PostgreSQL has no text with X'00': such characters become `?`."""
        columns = ", ".join(f"{_value(name, kind)} AS {quoted(name)}" for name, kind in types.items())
        rows = self.local.sql(f"SELECT {columns}, {literal(part)} AS {PART} FROM {self.rows(path)}")
        batches = rows.to_arrow_reader(ROWS)
        return int(self.cursor.adbc_ingest(view, batches, mode="append", db_schema_name=self.schema))


def _value(name: str, kind: str) -> str:
    column = quoted(name)
    if kind == "VARCHAR":
        return f"replace({column}, chr(0), '?')"
    if kind == "INTEGER":
        return f"{column}::BIGINT"
    return column if kind in TYPES else f"replace(to_json({column})::VARCHAR, '\\u0000', '?')"
