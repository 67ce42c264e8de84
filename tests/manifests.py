"""Changing the log of a dataset in tests: its lines as objects, and writing it with seals that fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.dataset import log, old_manifest
from mqstat.dataset.old_manifest import xxh3
from mqstat.dataset.publishing import checksum
from mqstat.dataset.store import open_dataset

Line = dict[str, Any]


def lines_of(folder: Path) -> list[Line]:
    """The lines of the log without chain and seals."""
    lines = [json.loads(line) for line in (folder / log.NAME).read_text().splitlines()]
    return [{key: line[key] for key in line if key not in ("previous", "sha256")} for line in lines]


def write_lines(folder: Path, lines: Sequence[Line]) -> None:
    """Write a log with seals and a chain that fit, without checkpoint and head: as somebody who knows how would forge it."""
    text, previous = b"", None
    for line in lines:
        added, previous = log.sealed({**line, "previous": previous})
        text += added
    (folder / log.NAME).write_bytes(text)
    for name in (log.HEAD, log.CHECKPOINT):
        (folder / name).unlink(missing_ok=True)


def forged(folder: Path, change: Callable[[list[Line]], object]) -> None:
    """Change the lines of the log and write it again."""
    lines = lines_of(folder)
    change(lines)
    write_lines(folder, lines)


def refitted(folder: Path, path: Path, table: pa.Table) -> None:
    """Write a file, and a log with its size and checksum whose seals and chain fit."""
    pq.write_table(table, path)
    name = path.relative_to(folder).as_posix()

    def change(lines: list[Line]) -> None:
        for line in lines:
            for entry in line["add"]:
                if entry["path"] == name:
                    entry.update(bytes=path.stat().st_size, sha256=checksum(path))

    forged(folder, change)
    head = open_dataset(folder).manifest
    (folder / log.HEAD).write_bytes(log.sealed({"generation": head.generation, "line": head.head})[0])


def as_old(folder: Path, version: int = 2) -> None:
    """Give a dataset the `manifest.json` of an older mqstat instead of its log."""
    manifest = open_dataset(folder).manifest

    def file(entry: Any) -> Line:
        ((source, _),) = entry.sources
        return {"table": entry.table, "path": entry.path, "source_id": source, "rows": entry.rows, "bytes": entry.bytes,
            "checksum": xxh3(folder / entry.path)}  # fmt: skip

    data: Line = {
        "schema_version": version,
        "tool_version": "0.1",
        "next_source_id": manifest.next_source_id,
        "next_record_id": manifest.next_record_id,
        "sources": [vars(source) for source in manifest.sources],
        "files": [file(entry) for entry in manifest.files],
    }
    if version > 1:
        data |= {"generation": manifest.generation, "retired": [file(entry) for entry in manifest.retired]}
    else:
        data["sources"] = [{k: s[k] for k in s if not k.startswith("pruned")} for s in data["sources"]]
    (folder / old_manifest.NAME).write_text(json.dumps(data, indent=1))
    for name in (log.NAME, log.HEAD, log.CHECKPOINT):
        (folder / name).unlink(missing_ok=True)
