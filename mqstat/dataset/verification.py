"""Checks a dataset against its manifest: files, row counts, checksums, schemas and ledgers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.dataset import store
from mqstat.dataset.manifest import SourceEntry
from mqstat.parsers.tables import table_schemas


@dataclass
class Verification:
    """Result of `verify`: problems (the dataset differs from the manifest) and remarks (harmless)."""

    files: int = 0
    rows: int = 0
    sources: int = 0
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def verify(folder: Path) -> Verification:
    """Check that files, row counts, checksums, schemas and ledgers match the manifest."""
    with store.reading(folder) as opened:
        return _verify(folder, opened)


def _verify(folder: Path, opened: store.Opened) -> Verification:
    out = Verification(sources=len(opened.manifest.sources))
    schemas = table_schemas()
    record_rows: dict[int, int] = {}
    for entry in opened.manifest.files:
        path = folder / entry.path
        out.files += 1
        if not path.is_file():
            out.problems.append(f"{entry.path}: the file is missing.")
            continue
        if path.stat().st_size != entry.bytes:
            out.problems.append(f"{entry.path}: {path.stat().st_size} bytes, but {entry.bytes} in the manifest.")
            continue
        if store.checksum(path) != entry.checksum:
            out.problems.append(f"{entry.path}: the content has changed (checksum).")
            continue
        try:
            parquet = pq.ParquetFile(path)
        except (pa.ArrowException, OSError) as error:
            out.problems.append(f"{entry.path}: cannot be read as Parquet ({str(error).splitlines()[0]}).")
            continue
        with parquet:
            if parquet.metadata.num_rows != entry.rows:
                out.problems.append(
                    f"{entry.path}: {parquet.metadata.num_rows} rows, but {entry.rows} in the manifest."
                )
            unknown = (
                set(parquet.schema_arrow.names) - set(schemas[entry.table].names)
                if entry.table in schemas
                else set(parquet.schema_arrow.names)
            )
            if unknown:
                out.problems.append(f"{entry.path}: unknown column {sorted(unknown)[0]}.")
        out.rows += entry.rows
        if entry.table == "record":
            record_rows[entry.source_id] = record_rows.get(entry.source_id, 0) + entry.rows
    for source in opened.manifest.sources:
        _verify_source(source, record_rows.get(source.source_id, 0), out)
    pruned = [source for source in opened.manifest.sources if source.pruned_before]
    if pruned:
        records = sum(source.pruned_records for source in pruned)
        out.remarks.append(
            f"{records:,} records of {len(pruned)} source{'s' if len(pruned) > 1 else ''} were dropped with their days, "
            f"which are before {max(source.pruned_before or '' for source in pruned)}."
        )
    waiting = sum((folder / entry.path).exists() for entry in opened.manifest.retired)
    if waiting:
        out.remarks.append(
            f"{waiting} files of days or sources that were dropped or replaced; the next ingest or prune deletes them."
        )
    strangers = store.foreign(folder, opened.manifest)
    if strangers:
        out.remarks.append(
            f"{len(strangers)} Parquet files that the manifest does not name, such as {strangers[0].relative_to(folder).as_posix()}: mqstat neither "
            "reads nor deletes them, but programs that read all files in a folder will read them."
        )
    if (folder / store.STAGING).exists():
        out.remarks.append("An ingest is running or was killed; the next ingest removes its files.")
    return out


def _verify_source(source: SourceEntry, rows: int, out: Verification) -> None:
    for side in ("bytes", "records"):
        ledger = source.ledger[side]
        if ledger["input"] != sum(v for k, v in ledger.items() if k != "input"):
            out.problems.append(f"source {source.source_id} ({source.name}): the ledger of {side} does not balance.")
    expected = source.ledger["selected_mq_records"] - source.pruned_records
    if rows != expected:
        less = f" less {source.pruned_records} that were dropped with their days" if source.pruned_records else ""
        out.problems.append(
            f"source {source.source_id} ({source.name}): {rows} rows in table record, but the ledger has "
            f"{source.ledger['selected_mq_records']}{less}."
        )
