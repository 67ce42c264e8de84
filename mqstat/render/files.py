"""Reports as Parquet files: one file per report, every column with its unit and description."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat import __version__
from mqstat.errors import UsageError
from mqstat.render.model import Table
from mqstat.sqlfile import Column

ROWS = 65_536
"""Rows of one row group."""


def write_parquet(tables: Iterable[Table], path: Path) -> list[Path]:
    """Write each report to `path/area/name.parquet`, or a single one to the file `path`; gives the files written.

    UsageError when the place cannot be written.
    """
    chosen = list(tables)
    single = len(chosen) == 1 and path.suffix == ".parquet" and not path.is_dir()
    written = []
    for table in chosen:
        target = path if single else path / f"{table.report_id}.parquet"
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(table, target)
        except OSError as error:
            raise UsageError(f"{target} cannot be written: {error.strerror or error}.") from error
        written.append(target)
    return written


def _write(table: Table, target: Path) -> None:
    reader = table.database.connection.sql(table.sql).to_arrow_reader(ROWS)
    schema = with_metadata(
        reader.schema, table.columns, {"report": table.report_id, "title": table.title, "question": table.question}
    )
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))


def with_metadata(schema: pa.Schema, columns: Iterable[Column], about: dict[str, str]) -> pa.Schema:
    """The schema with unit, kind, label and description of each column, and what the table is."""
    known = {column.name: column for column in columns}
    fields = []
    for field in schema:
        column = known.get(field.name)
        metadata: dict[str, Any] = {}
        if column is not None:
            metadata = {"unit": column.unit, "kind": column.kind, "label": column.label, "description": column.doc}
        fields.append(field.with_metadata({key: value for key, value in metadata.items() if value}))
    return pa.schema(fields, metadata={"mqstat": __version__, **about})


def write_table(data: pa.Table, path: Path) -> None:
    """Write a table that is in memory; UsageError when the place cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(data, path, compression="zstd")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
