"""A folder of facts: rows of the views of a dataset as Parquet, for programs that do not run the views: `facts/<view>/<part>-g<generation>.parquet`.

It has a log of its own, like a dataset without tables: a run publishes its files in one step, `verify` checks them, and a reader sees the rows of one run.
Table `fact_file` lists for each view what its files were computed from; `mqstat.intake.facts` computes them.

facts/task/2026-11-22-g000012.parquet                   rows of a local day
facts/log_period/2026-11-01_2026-11-22-g000012.parquet  rows that are not of a day, computed over this period
facts/record/undated-g000012.parquet                    rows of records without a valid date
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.errors import write_failure
from mqstat.dataset import log, publishing, store
from mqstat.dataset.description import described
from mqstat.dataset.generations import repeated
from mqstat.dataset.manifest import Change, FileEntry, Manifest
from mqstat.dataset.paths import FACTS, FACTS_PATH, UNDATED
from mqstat.dataset.place import Home, copies, local
from mqstat.dataset.writer import WrittenFile

DAY, RUN = "day", "run"
"""The windows of views: rows that need the records of their local day only, and rows that need those of the whole run."""

TABLE = f"{FACTS}/fact_file"

_COLUMNS: Sequence[tuple[str, pa.DataType, str, str, str]] = (
    ("view", pa.string(), "text", "key", "View."),
    ("part", pa.string(), "text", "key", "Local day or period of the rows, as in the name of the file; undated for rows without a day."),
    ("window", pa.string(), "text", "setting", "Records that the rows were computed from: day = of this local day, run = of all days from first_day to last_day."),
    ("first_day", pa.date32(), "date", "setting", "First local day of these records."),
    ("last_day", pa.date32(), "date", "setting", "Last local day of these records."),
    ("rows", pa.int64(), "count", "counter", "Rows; no file exists if there are none."),
    ("inputs", pa.string(), "text", "setting", "Checksum over the inputs, views and site facts that the rows were computed from."),
)  # fmt: skip

PIECE = 65_536
"""Rows that are compared at a time."""

CLOSE = 1e-12
"""The part by which a sum may differ because its rows came in another order."""

SCHEMA = pa.schema([(name, kind) for name, kind, *_ in _COLUMNS])


@dataclass(frozen=True)
class Part:
    """A row of table `fact_file`: the rows of a view that are one file."""

    view: str
    part: str
    window: str
    first_day: dt.date | None
    last_day: dt.date | None
    rows: int
    inputs: str


Parts: TypeAlias = Mapping[tuple[str, str], Part]
"""What a folder has, by view and part."""


def path_of(table: str, part: str, generation: int) -> str:
    """The path of a file that is published in a generation, below the folder."""
    return f"{table}/{part}-g{generation:06d}.parquet"


def part_of(entry: FileEntry) -> tuple[str, str]:
    """The view and the part of a file."""
    match = FACTS_PATH.fullmatch(entry.path)
    return (entry.table.rpartition("/")[2], match["part"] if match else "")


def refused(into: Home, dataset: Home) -> str | None:
    """Why facts of a dataset cannot be written to a folder; None if they can."""
    if isinstance(into, Path) and isinstance(dataset, Path):
        own, other = dataset.resolve(), into.resolve()
        if own == other or own in other.parents or other in own.parents:
            return f"{into} is inside {dataset} or contains it; specify another folder with --into."
    if not isinstance(into, Path) and not isinstance(dataset, Path):
        own_uri, other_uri = f"{dataset}/", f"{into}/"
        if own_uri.startswith(other_uri) or other_uri.startswith(own_uri):
            return f"{into} is inside {dataset} or contains it; specify another place with --into."
    if isinstance(into, Path) and into.is_file():
        return f"{into} is a file; specify a folder with --into, which is created when missing."
    manifest = log.load(into) if not isinstance(into, Path) or into.is_dir() else None
    if manifest is not None and (manifest.sources or manifest.files):
        return f"{into} is a dataset; specify another folder with --into."
    if manifest is None and (any(into.iterdir()) if isinstance(into, Path) and into.is_dir() else False):
        return f"{into} is not empty and has no facts; specify another folder with --into."
    return None


def known(into: Home) -> Parts:
    """What a folder has; nothing if it does not exist."""
    manifest = log.load(into) if not isinstance(into, Path) or into.is_dir() else None
    if manifest is None:
        return {}
    with copies(into):
        return _known(into, manifest)


def _known(into: Home, manifest: Manifest) -> Parts:
    """The rows of table `fact_file` that have their file; a table that was changed or cannot be read has no rows, so all is computed again."""
    entries = [entry for entry in manifest.hourly if entry.table == TABLE]
    there = {part_of(entry) for entry in manifest.hourly}
    try:
        tables = [pq.read_table(local(into, entry.path), schema=SCHEMA, partitioning=None) for entry in entries]
        listed = [Part(**row) for table in tables for row in table.to_pylist()]
    except (OSError, ValueError, TypeError, pa.ArrowException):
        return {}
    return {(each.view, each.part): each for each in listed if not each.rows or (each.view, each.part) in there}


@dataclass(frozen=True)
class Published:
    """What a run changed: files that were written and that left."""

    written: int = 0
    left: int = 0


@repeated
def publish(
    into: Home,
    staging: Path,
    made: Mapping[tuple[str, str], tuple[Part, WrittenFile | None]],
    outdated: Collection[tuple[str, str]],
    wait_seconds: float = 0,
) -> Published:
    """Replace parts of views, and remove those that are `outdated`, in one step. A part with the content that the folder has stays as it is.

    made: each part with its staged file, whose path is the one that it has below `staging`; None without rows. Raises DatasetError if the folder cannot
    be written or another mqstat writes to it; it is then unchanged.
    """
    failed = ("its facts could not be published", "they are unchanged")
    with store.writing(into, wait_seconds, takes_facts=True) as manifest:
        listed: dict[tuple[str, str], list[FileEntry]] = {}
        for entry in manifest.hourly:
            listed.setdefault(part_of(entry), []).append(entry)
        before = dict(_known(into, manifest))
        after = {key: part for key, part in before.items() if key not in outdated} | {
            k: part for k, (part, _) in made.items()
        }
        files, retired = list[tuple[WrittenFile, str]](), list[str]()
        try:
            for key, (_, file) in made.items():
                own = listed.get(key, [])
                if file is not None and len(own) == 1 and _is_same(into, own[0], staging / file.path):
                    continue
                retired += [entry.path for entry in own]
                if file is not None:
                    files.append((file, path_of(file.table, key[1], manifest.generation + 1)))
            retired += [entry.path for key in outdated if key not in made for entry in listed.get(key, [])]
            if after != before:
                retired += [entry.path for entry in manifest.hourly if entry.table == TABLE]
                name = "fact_file.parquet"
                _write(after, staging / name)
                own_file = WrittenFile(TABLE, name, len(after), (staging / name).stat().st_size)
                files.append((own_file, path_of(TABLE, UNDATED, manifest.generation + 1)))
            staged = []
            for file, path in files:
                (staging / path).parent.mkdir(parents=True, exist_ok=True)
                _copy(staging / file.path, staging / path)
                staged.append(WrittenFile(file.table, path, file.rows, file.bytes))
            added = publishing.settled(staging, staged, {file.path: {} for file in staged})
        except (OSError, pa.ArrowException) as error:
            raise write_failure(into, failed[0], error, failed[1]) from None
        if files or retired:
            change = Change("facts", add=added, retire=tuple(retired))
            publishing.publish(into, manifest, change, [(staging, file.path) for file in staged], failed=failed)
            if not isinstance(into, Path):
                # Engines read all objects below a view: those that were replaced would give their rows twice.
                into.delete(retired)
    return Published(len(files), len(retired))


def _is_same(into: Home, entry: FileEntry, staged: Path) -> bool:
    """Whether a file has the content of a staged one, but for the last bits of numbers: sums of them depend on the order of rows, which other files change."""
    if publishing.checksum(staged) == entry.sha256:
        return True
    try:
        with pq.ParquetFile(local(into, entry.path)) as old, pq.ParquetFile(staged) as new:
            has_same = old.schema_arrow.equals(new.schema_arrow) and old.metadata.metadata == new.metadata.metadata
            return (
                has_same
                and old.metadata.num_rows == new.metadata.num_rows
                and all(map(_are_close, *_aligned(old, new)))
            )
    except (OSError, pa.ArrowException):  # was changed: `verify` reports it until it is replaced
        return False


def _aligned(*files: pq.ParquetFile) -> tuple[Iterator[pa.Table], ...]:
    """The rows of files in pieces of the same numbers of rows."""

    def pieces(file: pq.ParquetFile) -> Iterator[pa.Table]:
        left: list[pa.RecordBatch] = []
        for batch in file.iter_batches(PIECE):
            left.append(batch)
            rows = pa.Table.from_batches(left)
            left = rows.slice(PIECE).to_batches() if rows.num_rows >= PIECE else left
            if rows.num_rows >= PIECE:
                yield rows.slice(0, PIECE)
        if left:
            yield pa.Table.from_batches(left)

    return tuple(map(pieces, files))


def _are_close(old: pa.Table, new: pa.Table) -> bool:
    """Whether rows are equal, numbers with a fraction up to `CLOSE`."""
    for before, after in zip(old.columns, new.columns, strict=True):
        if before.equals(after):
            continue
        if not pa.types.is_floating(before.type) or not before.is_null().equals(after.is_null()):
            return False
        difference = pc.abs(pc.subtract(before, after))
        if not pc.all(pc.less_equal(difference, pc.multiply(pc.abs(before), CLOSE)), min_count=0).as_py():
            return False
    return True


def _copy(source: Path, target: Path) -> None:
    """Give a staged file a second name: when another writer is first, it gets a third."""
    try:
        os.link(source, target)
    except FileExistsError:
        pass
    except OSError:  # a file system without such names
        shutil.copyfile(source, target)


def _write(parts: Parts, path: Path) -> None:
    """Write table `fact_file`."""
    listed = [vars(parts[key]) for key in sorted(parts)]
    columns = {name: (unit, kind, "", doc) for name, _, unit, kind, doc in _COLUMNS}
    metadata = described(TABLE, "Files of facts, and what they were computed from", columns)
    with pq.ParquetWriter(path, SCHEMA, compression="zstd", store_schema=False) as writer:
        writer.add_key_value_metadata(metadata)
        writer.write_table(pa.Table.from_pylist(listed, schema=SCHEMA))
