"""Glob patterns that match exactly the published files of each table, for programs that read a dataset without mqstat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.dataset.store import Opened
from mqstat.errors import DatasetError

DAY_FOLDER = "date="
"""Start of the names of the folders in which datasets of older versions keep the files of a day."""


@dataclass(frozen=True)
class Patterns:
    """How to read the files of one table: paths below the dataset.

    `flat` match files whose rows have column `date`, `by_day` files in folders `date=...`, whose rows have their day from the folder.
    `listed` = these are names of files instead of patterns, because the patterns would match files that are not part of the dataset.
    """

    flat: tuple[str, ...] = ()
    by_day: tuple[str, ...] = ()
    listed: bool = False
    alike: bool = True
    """Whether all files have the same columns; files of several versions may not."""


def patterns(dataset: Opened) -> Mapping[str, Patterns]:
    """The patterns of every table that has files. A pattern also matches the files of later ingests; a list of names does not."""
    named: dict[str, set[str]] = {}
    for entry in dataset.manifest.files:
        named.setdefault(entry.table, set()).add(entry.path)
    return {table: _of_table(dataset, table, paths) for table, paths in sorted(named.items())}


def _of_table(dataset: Opened, table: str, paths: set[str]) -> Patterns:
    by_day = {path for path in paths if _has_day_folder(path)}
    chosen = []
    listed = False
    for group, pattern in ((paths - by_day, f"{table}/*.parquet"), (by_day, f"{table}/{DAY_FOLDER}*/*.parquet")):
        matched = {path.relative_to(dataset.folder).as_posix() for path in dataset.folder.glob(pattern)}
        listed |= bool(group) and matched != group
        chosen.append((group, pattern))
    flat, folders = (tuple(sorted(group)) if listed else (pattern,) if group else () for group, pattern in chosen)
    return Patterns(flat, folders, listed, _are_alike(dataset, paths))


def _are_alike(dataset: Opened, paths: Iterable[str]) -> bool:
    try:
        schemas = {tuple(pq.read_schema(dataset.folder / path).names) for path in paths}
    except (OSError, pa.ArrowException) as error:
        raise DatasetError(
            f"{dataset.folder}: a file cannot be read ({str(error).splitlines()[0]}); mqstat verify lists the damaged files."
        ) from error
    return len(schemas) <= 1


def _has_day_folder(path: str) -> bool:
    return PurePosixPath(path).parent.name.startswith(DAY_FOLDER)
