"""Reads every table of a dataset with every engine and prints what each sees as JSON. Runs without mqstat, in the
environment of requirements-reader.lock.

    python tests/engines.py DATASET SCHEMAS [DATASET SCHEMAS]...

SCHEMAS is a JSON file: table -> column -> Arrow type. Printed: of each dataset engine -> table -> [digest of all rows,
the engine's own name of each type].
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

TYPES = {
    "int64": pa.int64(),
    "int32": pa.int32(),
    "double": pa.float64(),
    "string": pa.string(),
    "list<element: string>": pa.list_(pa.field("element", pa.string())),
    "bool": pa.bool_(),
    "timestamp[us]": pa.timestamp("us"),
    "date32[day]": pa.date32(),
    "binary": pa.binary(),
    "fixed_size_binary[16]": pa.binary(16),
}

Seen = tuple[pa.Table, list[str]]
"""Rows as an Arrow table, the names of the types, and the text under key mqstat."""


def files_of(folder: Path) -> list[str]:
    """The live files of a Delta table."""
    return sorted(DeltaTable(str(folder)).file_uris())


def with_duckdb(folder: Path) -> Seen:
    source = f"read_parquet({files_of(folder)!r})"
    relation = duckdb.sql(f"SELECT * FROM {source}")
    assert relation is not None
    return relation.fetch_arrow_table(), [str(kind) for kind in relation.types]


def with_pandas(folder: Path) -> Seen:
    frame = pd.read_parquet(files_of(folder), dtype_backend="pyarrow")
    kinds = [str(frame[name].dtype) for name in frame.columns]
    return pa.Table.from_pandas(frame, preserve_index=False), kinds


def with_polars(folder: Path) -> Seen:
    frame = pl.read_delta(str(folder))
    return frame.to_arrow(), [str(kind) for kind in frame.dtypes]


def with_dataset(folder: Path) -> Seen:
    table = ds.dataset(files_of(folder)).to_table()
    return table, [str(kind) for kind in table.schema.types]


ENGINES: dict[str, Callable[[Path], Seen]] = {
    "duckdb": with_duckdb,
    "pandas": with_pandas,
    "polars": with_polars,
    "pyarrow": with_dataset,
}


def digest(table: pa.Table) -> str:
    """A hash of all rows in a fixed order."""
    rows = sorted(map(repr, table.to_pylist()))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def main(dataset: Path, schemas: dict[str, dict[str, str]]) -> dict[str, dict[str, list[Any]]]:
    """What each engine sees of each table."""
    out: dict[str, dict[str, list[Any]]] = {}
    for engine, read in ENGINES.items():
        for table, columns in schemas.items():
            rows, kinds = read(dataset / table)
            schema = pa.schema([(name, TYPES[kind]) for name, kind in columns.items()])
            assert rows.column_names == schema.names, (engine, table)
            out.setdefault(engine, {})[table] = [digest(rows.cast(schema)), kinds]
    return out


if __name__ == "__main__":
    pairs = zip(sys.argv[1::2], sys.argv[2::2], strict=True)
    print(json.dumps([main(Path(dataset), json.loads(Path(schemas).read_text())) for dataset, schemas in pairs]))
