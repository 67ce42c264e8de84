"""Changing the log of a dataset in tests: its lines as objects, and writing it with seals that fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.dataset import log
from mqstat.dataset.publishing import checksum
from mqstat.dataset.store import open_dataset

Line = dict[str, Any]


def lines_of(folder: Path) -> list[Line]:
    """The lines of the log without chain and seals; that of a folded state keeps the seal of the line before it."""
    lines = [json.loads(line) for line in (folder / log.NAME).read_text().splitlines()]
    return [
        {key: line[key] for key in line if key != "sha256" and (key != "previous" or "state" in line)} for line in lines
    ]


def write_lines(folder: Path, lines: Sequence[Line]) -> None:
    """Write a log with seals and a chain that fit, without a head: as somebody who knows how would forge it."""
    text, previous = b"", None
    for line in lines:
        added, previous = log.sealed(
            {"previous": previous} | line if "state" in line else {**line, "previous": previous}
        )
        text += added
    (folder / log.NAME).write_bytes(text)
    (folder / log.HEAD).unlink(missing_ok=True)


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
