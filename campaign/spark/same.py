"""Whether two datasets hold the same, and dumps that are large enough for files of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from mqstat.dataset import store
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures import bulk
from mqstat.parsers.tables import table_schemas

MIB = 1 << 20

IDS = {"source_id", "record_id", "first_record_id"}
"""Columns that may differ between datasets of the same dumps."""


def rows(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table in order, ids as the name of the source, the number of the record and the hash of the first record."""
    tables, files = {}, open_dataset(folder).files
    with duckdb.connect() as connection:
        for table, paths in files.items():
            connection.execute(f"CREATE VIEW {table} AS FROM read_parquet({[str(path) for path in paths]})")
        for table in files:
            schema = table_schemas()[table]
            names = ", ".join(f't."{name}"' for name in schema.names if name not in IDS)
            query = f"SELECT s.source_name, {names} FROM {table} AS t JOIN source AS s USING (source_id)"
            if table == "record":
                query = (
                    f"SELECT s.source_name, {names}, f.record_hash FROM record AS t JOIN source AS s USING (source_id) "
                    "LEFT JOIN record AS f ON f.record_id = t.first_record_id"
                )
            elif "record_id" in schema.names:
                query = (
                    f"SELECT s.source_name, r.record_number, {names} FROM {table} AS t JOIN source AS s USING (source_id) "
                    "LEFT JOIN record AS r USING (record_id)"
                )
            tables[table] = sorted(connection.execute(query).fetchall(), key=repr)
    return tables


def ledgers(folder: Path) -> list[tuple[str, int, Mapping[str, Any]]]:
    return sorted((s.name, s.records, s.ledger) for s in store.open_dataset(folder).manifest.sources)


def assert_same(first: Path, second: Path) -> None:
    """Both datasets have the same rows, ledgers and findings, and are clean."""
    mine, other = rows(first), rows(second)
    assert mine.keys() == other.keys()
    assert [name for name in mine if mine[name] != other[name]] == []
    assert ledgers(first) == ledgers(second)
    for folder in (first, second):
        assert verify(folder, rows=True).problems == []


def several(folder: Path, seed: int = 1) -> bytes:
    """Statistics and class 3 accounting."""
    data = b""
    for kind, size in (("statistics", 7 * MIB // 2), ("class3", 2 * MIB)):
        bulk.write(kind, folder / kind, size, seed=seed)
        data += (folder / kind).read_bytes()
    return data
