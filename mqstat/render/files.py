"""Reports as Parquet files: one file per report, every column with its unit and description."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mqstat.assemble.table_model import Column, Table
from mqstat.base.atomic_write import create_folder, replaced
from mqstat.base.version import __version__

ROWS = 65_536
"""Rows of one row group."""


def write_parquet(tables: Iterable[Table], path: Path) -> list[Path]:
    """Write each report to `path/area/name.parquet`, or a single one, or a view, to the file `path`; returns the files
    written.

    UsageError if the file cannot be written.
    """
    chosen = list(tables)
    names_file = path.suffix == ".parquet" or any(table.kind == "view" for table in chosen)
    single = len(chosen) == 1 and names_file and not path.is_dir()
    written = []
    for table in chosen:
        target = path if single else path / f"{table.report_id}.parquet"
        create_folder(target.parent)
        with replaced(target, follow=single) as part:
            _write(table, part)
        written.append(target)
    return written


def _write(table: Table, target: Path) -> None:
    import pyarrow.parquet as pq

    reader = table.reader(ROWS)
    about = {table.kind: table.report_id, "title": table.title, "question": table.question}
    schema = with_metadata(reader.schema, table.columns, {key: text for key, text in about.items() if text})
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(pa.RecordBatch.from_arrays([steady(column) for column in batch.columns], schema=schema))


def steady(values: pa.Array) -> pa.Array:
    """Fractions rounded to 12 digits, as in all other formats; other values unchanged."""
    if not pa.types.is_floating(values.type):
        return values
    numbers = values.to_numpy(zero_copy_only=False)
    with np.errstate(all="ignore"):
        decimals = np.clip(11 - np.floor(np.log10(np.abs(numbers))), -290, 290)
        # Dividing by a whole power of ten rounds once; multiplying by its reciprocal rounds twice.
        down, up = 10.0 ** np.maximum(-decimals, 0), 10.0 ** np.maximum(decimals, 0)
        rounded = np.round(numbers / down * up) / up * down
    rounded = np.where(np.isfinite(numbers) & (numbers != 0), rounded, numbers) + 0.0
    return pa.array(rounded, values.type, mask=values.is_null().to_numpy(zero_copy_only=False))


def with_metadata(schema: pa.Schema, columns: Iterable[Column], about: dict[str, str]) -> pa.Schema:
    """The schema with unit, kind, label and description of each column, and metadata of the table."""
    known = {column.name: column for column in columns}
    fields = []
    for field in schema:
        column = known.get(field.name)
        metadata: dict[str, Any] = {}
        if column is not None:
            metadata = {"unit": column.unit, "kind": column.kind, "label": column.label, "description": column.doc}
        fields.append(field.with_metadata({key: value for key, value in metadata.items() if value}))
    return pa.schema(fields, metadata={"mqstat": __version__, **about})
