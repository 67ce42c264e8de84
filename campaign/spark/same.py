"""Whether two datasets hold the same, and dumps that are large enough for files of their own."""

from __future__ import annotations

from pathlib import Path

import duckdb

from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures import bulk
from mqstat.parsers.tables import table_schemas

MIB = 1 << 20

IDS = ("source_id", "record_id", "first_record_id")
"""Columns that may differ between datasets of the same dumps."""


def rows(schema: str, table: str) -> str:
    """SQL for the rows of a table: ids as the name of the source, the number of the record and the hash of the first
    record.
    """
    names = table_schemas()[table].names
    columns = ["s.source_name", *(f't."{name}"' for name in names if name not in IDS)]
    joins = [f"{schema}.{table} AS t JOIN {schema}.source AS s USING (source_id)"]
    if table == "record":
        columns.append("f.record_hash AS first_hash")
        joins.append(f"LEFT JOIN {schema}.record AS f ON f.record_id = t.first_record_id")
    elif "record_id" in names:
        columns.append("r.record_number AS number_of_record")
        joins.append(f"LEFT JOIN {schema}.record AS r ON r.record_id = t.record_id")
    return f"SELECT {', '.join(columns)} FROM {' '.join(joins)}"


def assert_same(first: Path, second: Path) -> None:
    """Both datasets have the same rows and ledgers, and are clean."""
    opened = [open_dataset(folder) for folder in (first, second)]
    assert opened[0].files.keys() == opened[1].files.keys()
    with duckdb.connect() as connection:
        for schema, dataset in zip(("one", "two"), opened, strict=True):
            connection.execute(f"CREATE SCHEMA {schema}")
            for table, paths in dataset.files.items():
                files = [str(path) for path in paths]
                connection.execute(f"CREATE VIEW {schema}.{table} AS FROM read_parquet({files})")
        for table in opened[0].files:
            one, two = rows("one", table), rows("two", table)
            query = f"({one} EXCEPT ALL {two}) UNION ALL ({two} EXCEPT ALL {one})"
            assert connection.execute(query).fetchmany(3) == [], table
    ledgers = [sorted((s.name, s.records, s.ledger) for s in dataset.manifest.sources) for dataset in opened]
    assert ledgers[0] == ledgers[1]
    for folder in (first, second):
        assert verify(folder, rows=True).problems == []


def several(folder: Path, seed: int = 1) -> bytes:
    """Statistics and class 3 accounting."""
    data = b""
    for kind, size in (("statistics", 7 * MIB // 2), ("class3", 2 * MIB)):
        bulk.write(kind, folder / kind, size, seed=seed)
        data += (folder / kind).read_bytes()
    return data
