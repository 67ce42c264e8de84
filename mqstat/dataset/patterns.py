"""Glob patterns that match exactly the published files of each table, for programs that read a dataset without mqstat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mqstat.dataset.store import Opened


@dataclass(frozen=True)
class Patterns:
    """How to read the files of one table: paths below the dataset.

    `listed` = these are names of files instead of a pattern, because the pattern would match files that are not part of the dataset.
    """

    paths: tuple[str, ...]
    listed: bool = False


def patterns(dataset: Opened) -> Mapping[str, Patterns]:
    """The patterns of every table that has files. A pattern also matches the files of later ingests; a list of names does not."""
    named: dict[str, set[str]] = {}
    for entry in dataset.manifest.files:
        named.setdefault(entry.table, set()).add(entry.path)
    return {table: _of_table(dataset, table, paths) for table, paths in sorted(named.items())}


def _of_table(dataset: Opened, table: str, paths: set[str]) -> Patterns:
    pattern = f"{table}/*.parquet"
    matched = {path.relative_to(dataset.folder).as_posix() for path in dataset.folder.glob(pattern)}
    return Patterns((pattern,)) if matched == paths else Patterns(tuple(sorted(paths)), listed=True)
