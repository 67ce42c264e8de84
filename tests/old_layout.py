"""A dataset as mqstat wrote it up to schema version 2: folders `date=...`, no column `date`, the Arrow schema in every file, one `manifest.json`."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from mqstat.dataset.paths import UNDATED_FOLDER, day_of
from mqstat.dataset.store import open_dataset
from mqstat.parsers.tables import DATE, table_schemas


def as_old_layout(dataset: Path, folder: Path) -> None:
    """Write the rows and sources of a dataset to a folder in the old layout."""
    manifest = open_dataset(dataset).manifest
    files: dict[str, dict[str, Any]] = {}
    for entry in sorted(manifest.files, key=lambda entry: entry.table == "source"):  # it lists the others
        ((source_id, _),) = entry.sources
        files[entry.path] = _as_old_file(dataset, entry.path, entry.table, source_id, folder, files)
    data = {
        "schema_version": 2,
        "tool_version": "0.1.0",
        "next_source_id": manifest.next_source_id,
        "next_record_id": manifest.next_record_id,
        "sources": [dataclasses.asdict(source) for source in manifest.sources],
        "files": list(files.values()),
        "generation": 1,
        "retired": [],
    }
    (folder / "manifest.json").write_text(json.dumps(data))
    shutil.copy(dataset / ".lock", folder / ".lock")


def _as_old_file(
    dataset: Path, path: str, table: str, source_id: int, folder: Path, written: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    day, name = day_of(path), path.split("/")[1]
    rest = name.removeprefix("undated-") if day is None else name.removeprefix(f"{day}-")
    old = f"{table}/date={day or UNDATED_FOLDER}/{rest}"
    schema = pa.schema([field for field in table_schemas()[table] if field.name != DATE.name])
    with pq.ParquetFile(dataset / path) as opened:
        rows = opened.read(columns=schema.names)
        if table == "record":  # the hash had 64 bits
            at = schema.get_field_index("record_hash")
            schema = schema.set(at, pa.field("record_hash", pa.string()))
            hashes = [None if value is None else value.hex()[:16] for value in rows["record_hash"].to_pylist()]
            rows = rows.set_column(at, "record_hash", pa.array(hashes))
        rows = rows.cast(schema)
        metadata = {}
        if table == "source":
            described = json.loads(opened.metadata.metadata[b"mqstat.source"])
            described["files"] = [
                [(w := written[name])["path"], w["rows"], w["bytes"]] for name, _, _ in described["files"]
            ]
            metadata = {"mqstat.source": json.dumps(described)}
    (folder / old).parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(folder / old, schema, compression="zstd") as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata(metadata)
    content = (folder / old).read_bytes()
    return {
        "table": table, "path": old, "source_id": source_id, "rows": rows.num_rows, "bytes": len(content),
        "checksum": xxhash.xxh3_64_hexdigest(content),
    }  # fmt: skip
