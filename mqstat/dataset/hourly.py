"""The files of hourly sums in a dataset: `rollup/<view>/<month>-v<version>-g<generation>.parquet`, in the manifest like all other files, but without sources.

`mqstat.intake.rollup` computes them. A file replaces the earlier one of its month when hours are added.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.formatting import plural
from mqstat.base.grouping import grouped_by
from mqstat.base.version import CONTRACT_VERSION
from mqstat.dataset.description import KEY
from mqstat.dataset.manifest import FileEntry, Manifest
from mqstat.dataset.paths import FINDING_DAY, HOURLY, HOURLY_PATH

COVERED = "mqstat.rollup"
"""Key of the metadata of a file: for each day the numbers of the sources that its rows were computed from, once for each time rows were added."""

_NUMBERS = (pa.int64(), pa.float64())
_TYPES = {"text": (pa.string(),), "ts_local": (pa.timestamp("us"),), "date": (pa.date32(),), "flag": (pa.bool_(),)}
"""Types of columns by their unit; columns of all other units are numbers."""

Covered = dict[str, list[str]]
"""Each day with the sources that its rows were computed from."""


def path_of(view: str, month: str, version: int, generation: int) -> str:
    """The path of a file that is published in a generation, below the folder of the dataset; `version` = that of the ways by which its rows were put together."""
    return f"{HOURLY}/{view}/{month}-v{version}-g{generation:06d}.parquet"


def version_of(path: str) -> int:
    """The version of the ways by which the rows of a file were put together; 0 = before they had one."""
    match = HOURLY_PATH.fullmatch(path)
    return int((match and match["version"]) or 0)


def older(manifest: Manifest) -> str:
    """A sentence about the files whose rows were put together by other ways than today's; empty without one."""
    sums = [e for e in manifest.hourly if HOURLY_PATH.fullmatch(e.path) and month_of(e)[0] != FINDING_DAY]
    entries = [entry for entry in sums if version_of(entry.path) != CONTRACT_VERSION]
    if not entries:
        return ""
    views = ", ".join(sorted({month_of(entry)[0] for entry in entries}))
    versions = ", ".join(map(str, sorted({version_of(entry.path) for entry in entries})))
    return (
        f"{plural(len(entries), 'file')} of hourly sums ({views}) made by version {versions} of the aggregation, which is {CONTRACT_VERSION} now: their columns "
        "may have another meaning than those of newer files. A retention makes them again if their records are still in the dataset."
    )


def month_of(entry: FileEntry) -> tuple[str, str]:
    """The view and the month (2026-03) of a file."""
    _, view, name = entry.path.split("/")
    return view, name[:7]


def by_month(entries: Iterable[FileEntry]) -> dict[tuple[str, str], list[FileEntry]]:
    """The files of each view and month."""
    return grouped_by(entries, month_of)


def covered(folder: Path, entries: Iterable[FileEntry]) -> Covered:
    """The days that some files have, with the sources that they were computed from; a file that cannot be read has no days."""
    out: Covered = {}
    for entry in entries:
        for day, sources in covered_by(folder / entry.path).items():
            out.setdefault(day, []).extend(sources)
    return out


def covered_by(path: Path) -> Covered:
    """The same of one file."""
    try:
        data = json.loads((pq.read_metadata(path).metadata or {})[COVERED.encode()])
        return {str(day): list(map(str, sources)) for day, sources in data.items()}
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def hourly_files(folder: Path) -> Iterator[Path]:
    """All Parquet files in the folder of hourly sums of a dataset, in order."""
    if (folder / HOURLY).is_dir():
        yield from sorted((folder / HOURLY).rglob("*.parquet"))


def column_problem(metadata: pq.FileMetaData, *, has_sums: bool = True) -> str | None:
    """How the columns of a file differ from those that its metadata describes, None if they do not; facts have values of more types than sums."""
    schema = metadata.schema.to_arrow_schema()
    try:
        described: dict[str, Any] = json.loads((metadata.metadata or {})[KEY.encode()])["columns"]
        units = ({"date": "date"} if has_sums else {}) | {str(name): str(about[0]) for name, about in described.items()}
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        return "its metadata does not describe its columns."
    unknown, missing = set(schema.names) - set(units), set(units) - set(schema.names)
    if unknown:
        return f"unknown column {min(unknown)}."
    if missing:
        return f"column {min(missing)} is missing."
    for field in schema if has_sums else ():
        if field.type not in _TYPES.get(units[field.name], _NUMBERS):
            return f"column {field.name} has type {field.type}, which its unit does not have."
    return None
