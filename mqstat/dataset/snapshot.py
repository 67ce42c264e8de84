"""The files of one generation of a dataset in a folder of their own, for view files, which are read by programs that know no manifest.

`_snapshot/<generation>-<reader>/<table>/` has hard links: they take no space while the dataset has the files too, and stay when files leave it. `<reader>`
is a checksum of the path of the view file that reads it. When a view file is written again, its earlier snapshots are deleted after `folders.HOURS`; so is a
snapshot with files that left the dataset so long ago, whole, because a program that reads a part of it would not notice.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from mqstat.dataset import folders
from mqstat.dataset.manifest import FileEntry, Manifest

SNAPSHOTS = "_snapshot"
"""Below a dataset: its snapshots."""


def taken(
    root: Path, manifest: Manifest, path_of: Callable[[FileEntry], Path], reader: str, staging: Path
) -> dict[str, str]:
    """Take a snapshot for a reader (a path) of the files of a manifest, each at its path; returns a pattern of the files of each table, below `root`.

    staging: a staging folder of the dataset, in which it is put together. Raises OSError if the dataset cannot be written or files cannot have two names.
    """
    mark = hashlib.sha256(reader.encode()).hexdigest()[:8]
    name = f"{SNAPSHOTS}/{manifest.generation:06d}-{mark}"
    tables = sorted({entry.table for entry in manifest.files})
    if not (root / name).is_dir():
        fresh = staging / "snapshot"
        for table in tables:
            (fresh / table).mkdir(parents=True)
        for entry in manifest.files:
            os.link(path_of(entry), fresh / entry.path)
        (root / SNAPSHOTS).mkdir(exist_ok=True)
        fresh.rename(root / name)
    return {table: f"{name}/{table}/*.parquet" for table in tables}


def expired(root: Path, manifest: Manifest) -> Iterator[Path]:
    """The snapshots to delete."""
    names = sorted(folders.names_in(root / SNAPSHOTS), reverse=True)
    if not names:
        return
    there = {entry.path for entry in manifest.files} | folders.retired_paths(root)
    newest: set[str] = set()
    for name in names:
        path, mark = root / SNAPSHOTS / name, name.partition("-")[2]
        age = time.time() - path.stat().st_mtime
        tables = folders.names_in(path)
        if (mark in newest and age > folders.HOURS * 3600) or any(
            f"{table}/{each}" not in there for table in tables for each in folders.names_in(path / table)
        ):
            yield path
        newest.add(mark)
