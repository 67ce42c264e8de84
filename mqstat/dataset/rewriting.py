"""Files of a dataset -> staged files with other rows of the same table, row group by row group."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.errors import DatasetError
from mqstat.dataset.manifest import FileEntry, Manifest, Staged
from mqstat.dataset.place import Home, local
from mqstat.dataset.publishing import is_unchanged, settled
from mqstat.dataset.schema import conformed
from mqstat.dataset.writer import PartWriter
from mqstat.parsers.batch import Batch
from mqstat.parsers.columns import Ints
from mqstat.parsers.record import NONE
from mqstat.parsers.tables import DATE, TEXT, table_schemas

Change = Callable[[pa.Table], pa.Table]


class ChangedFileError(DatasetError):
    """A file that is not as the manifest describes it, so that its rows are not written again: that would give the
    change a checksum that fits.
    """


def unchanged(folder: Home, entry: FileEntry) -> Path:
    """A file to be read; ChangedFileError if it is not as it was written."""
    path = local(folder, entry.path)
    if not is_unchanged(path, entry):
        raise ChangedFileError(f"{entry.path}: is missing or its content has changed since it was written.")
    return path


def rewritten(table: str, paths: Iterable[Path], root: Path, stem: str, change: Change | None = None) -> list[Staged]:
    """Stage the rows of files of a table below a folder, in files with this stem, which is that of no others there;
    `change` gives other rows for those of a row group.

    Raises OSError and ArrowException.
    """
    root.mkdir(parents=True, exist_ok=True)
    schema = table_schemas()[table]
    texts, writer = [field.name for field in schema if field.type == TEXT], PartWriter(root, stem)
    try:
        for path in paths:
            with pq.ParquetFile(path, read_dictionary=texts) as file:
                for group in range(file.num_row_groups):
                    rows = conformed(file.read_row_group(group, use_threads=False), schema)
                    rows = rows if change is None else change(rows)
                    writer.add(Batch({table: (rows.drop_columns([DATE.name]), days_of(rows))}))
        return list(settled(root, writer.close()))
    finally:
        writer.abandon()


def without(
    folder: Home, root: Path, manifest: Manifest, dropped: Collection[int], entries: Iterable[FileEntry]
) -> tuple[list[Staged], tuple[str, ...]]:
    """Stage the files among `entries` that have rows of `dropped` sources and of others, without these rows; with the
    paths of those that they replace.

    Raises ChangedFileError, OSError and ArrowException.
    """
    mixed = [entry for entry in entries if entry.source_ids & set(dropped) and not entry.source_ids <= set(dropped)]
    files = list[Staged]()
    for number, entry in enumerate(mixed):
        stem = f"m{manifest.generation + 1:06d}-{number:03d}"
        files += rewritten(entry.table, [unchanged(folder, entry)], root, stem, rows_without(dropped))
    return files, tuple(entry.path for entry in mixed)


def rows_without(dropped: Collection[int]) -> Change:
    """A change that leaves out the rows of some sources."""
    return lambda rows: rows.filter(pa.array(~np.isin(rows["source_id"].to_numpy(), list(dropped))))


def with_values(rows: pa.Table, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    """Rows with other values of a column."""
    return rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), values)


def days_of(rows: pa.Table) -> Ints:
    """The local day of each row, as a writer takes it."""
    days = rows[DATE.name].cast(pa.int32()).cast(pa.int64())
    return np.asarray(pc.fill_null(days, NONE).to_numpy(), np.int64)
