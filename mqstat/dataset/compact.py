"""Merges the files of one table and local day, so that a dataset has few files whatever number of dumps it was made from.

While a day grows, files of similar size are merged as soon as there are eight of them, so a row is rewritten a few times only. When a later day has
rows, or on `mqstat compact`, the files of the day become one. Files of 64 MB and more stay as they are.

A merged file has the rows of its sources in the order of their numbers, which is the order of record_id. It is written below the staging folder and
published like a dump: one line of the log adds it and retires the files that it replaces, so readers see one or the other. The bytes of each file
are compared with their SHA-256 before they are merged: a file that was changed stays, and `mqstat verify` reports it.
"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.errors import DatasetError, write_failure
from mqstat.dataset import publishing, store
from mqstat.dataset.description import description
from mqstat.dataset.manifest import Change, FileEntry, Manifest
from mqstat.dataset.paths import file_path
from mqstat.dataset.place import Home, local, work_of
from mqstat.dataset.schema import conformed
from mqstat.dataset.steps import repeated
from mqstat.dataset.store import day_of
from mqstat.dataset.writer import MEMORY_LIMIT, ROW_GROUP, WrittenFile, dictionary_columns, parquet_writer
from mqstat.parsers.tables import TEXT, table_schemas

TARGET = 64 << 20
"""Files of this many bytes are not merged further."""

FANOUT = 8
"""Files of similar size that are merged while their day grows."""

SMALLEST = 64 << 10
"""Files below this many bytes are of similar size; each size class above it is four times as large."""

CHEAP = 8 << 20
"""Bytes of a day in one table that are merged whenever they are in two files and the day is over."""

STAGED_FILES, STAGED_BYTES = 2_000, 512 << 20
"""Merged files are published after this many, or this many bytes."""


@dataclass(frozen=True)
class Compacted:
    """What was merged: files before and after, bytes before and after; `skipped` are files that differ from the manifest or cannot be read."""

    files_before: int = 0
    files: int = 0
    bytes_before: int = 0
    bytes: int = 0
    skipped: tuple[str, ...] = ()

    def text(self) -> str:
        """What happened, as a sentence without its full stop."""
        if not self.files_before:
            return "nothing to merge"
        sizes = f"{self.bytes_before / 1_000_000:,.1f} MB to {self.bytes / 1_000_000:,.1f} MB"
        return f"merged {self.files_before:,} files into {self.files:,}, {sizes}"


Lock: TypeAlias = Callable[[Manifest], AbstractContextManager[Manifest]]


class ChangedFileError(DatasetError):
    """A file that is not as the manifest describes it, so that its rows are not merged."""


@repeated
def compact(folder: Home, *, wait_seconds: float = 0) -> Compacted:
    """Merge the files of each table and day of a dataset into one.

    Raises DatasetError if the folder is not a dataset, another mqstat writes to it, or the merged files cannot be written or published; what was
    published before remains.
    """
    store.open_dataset(folder)  # a new folder is not made
    with store.writing(folder, wait_seconds) as manifest:
        try:
            staging = work_of(folder) / publishing.STAGING / "merged"
            return merge_files(folder, manifest, plan(manifest, everything=True), staging)[1]
        finally:
            publishing.drop_staged(folder)


def merge_as_it_grows(folder: Home, manifest: Manifest, *, staging: Path, wait_seconds: float, ended: bool) -> Manifest:
    """Merge what is worth it after a publish; `ended` = no more inputs follow, so days that are over become one file.

    Files are merged in the staging folder of this process and then published under the lock, unless others have changed them meanwhile. Returns the manifest
    that the dataset has now. A failure changes nothing; the next ingest tries again.
    """
    with suppress(DatasetError):
        groups = plan(manifest, over=ended)
        writer = partial(store.writing, folder, wait_seconds)
        manifest = merge_files(folder, manifest, groups, staging / "merged", writer)[0] if groups else manifest
    return manifest


# ------------------------------------------------------------------------------------------------------------------- choosing


def plan(manifest: Manifest, *, over: bool = False, everything: bool = False) -> list[list[FileEntry]]:
    """The files to merge, those of one table and day together.

    over: merge a day completely when a later day has rows; everything: merge all days completely.
    """
    groups: dict[tuple[str, dt.date | None], list[FileEntry]] = {}
    for entry in manifest.files:
        if entry.bytes < TARGET:
            groups.setdefault((entry.table, day_of(entry)), []).append(entry)
    last = max((day for _, day in groups if day is not None), default=None)
    chosen = []
    for (_, day), entries in sorted(groups.items(), key=lambda item: (str(item[0][1]), item[0][0])):
        if everything or (over and day is not None and last is not None and day < last and _is_worth_it(entries)):
            chosen.append(entries)
        else:
            chosen.append(_of_one_size(entries))
    return [entries for entries in chosen if len(entries) > 1]


def _is_worth_it(entries: Sequence[FileEntry]) -> bool:
    """Whether the files of a day that is over are merged: a small late dump does not rewrite a large file."""
    total, largest = sum(entry.bytes for entry in entries), max(entry.bytes for entry in entries)
    return total <= CHEAP or (total - largest) * 4 >= largest or len(entries) >= FANOUT


def _of_one_size(entries: Sequence[FileEntry]) -> list[FileEntry]:
    """The files of the largest size class that has enough of them, and all smaller ones."""
    classes: dict[int, int] = {}
    for entry in entries:
        classes[_size_class(entry)] = classes.get(_size_class(entry), 0) + 1
    most = max((size for size, count in classes.items() if count >= FANOUT), default=-1)
    return [entry for entry in entries if _size_class(entry) <= most]


def _size_class(entry: FileEntry) -> int:
    return max(0, (entry.bytes // SMALLEST).bit_length() + 1) // 2


# -------------------------------------------------------------------------------------------------------------------- merging


def merge_files(
    folder: Home, manifest: Manifest, groups: Iterable[Sequence[FileEntry]], staging: Path, writer: Lock = nullcontext
) -> tuple[Manifest, Compacted]:
    """Merge each group of files of one table and day into one file; returns the manifest of the dataset and what was merged.

    writer: takes the lock of the dataset to publish, if it is not held: given a manifest it gives that of the dataset.
    """
    batch = _Batch(folder, staging, manifest, writer)
    try:
        for entries in groups:
            batch.add(entries)
        batch.publish()
    except OSError as error:
        raise write_failure(folder, "its files could not be merged", error, "the dataset is unchanged") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return batch.manifest, Compacted(
        batch.files_before, batch.files_after, batch.bytes_before, batch.bytes_after, tuple(batch.skipped)
    )


class _Batch:
    """Merged files that are published together."""

    def __init__(self, folder: Home, staging: Path, manifest: Manifest, writer: Lock) -> None:
        self.folder, self.staging, self.manifest, self.writer = folder, staging, manifest, writer
        self.files_before = self.files_after = self.bytes_before = self.bytes_after = 0
        self.skipped: list[str] = []
        self._files: list[WrittenFile] = []
        self._sources: dict[str, dict[int, int]] = {}
        self._retired: list[FileEntry] = []

    def add(self, entries: Sequence[FileEntry]) -> None:
        try:
            file, sources = without(self.folder, self.staging, entries, self.manifest.generation + 1)
        except ChangedFileError as error:
            self.skipped.append(str(error))
            return
        self._files.append(file)
        self._sources[file.path] = sources
        self._retired += entries
        if len(self._files) >= STAGED_FILES or sum(file.bytes for file in self._files) >= STAGED_BYTES:
            self.publish()

    def publish(self) -> None:
        if not self._files:
            return
        added = publishing.settled(self.staging, self._files, self._sources)
        change = Change("compact", add=added, retire=tuple(entry.path for entry in self._retired))
        staged = [(self.staging, file.path) for file in self._files]
        failed = ("its merged files could not be published", "the dataset is unchanged")
        with self.writer(self.manifest) as current:
            if not {*change.retire} <= {entry.path for entry in current.files}:
                raise DatasetError(f"{self.folder}: another mqstat has merged files meanwhile.")
            self.manifest = publishing.publish(self.folder, current, change, staged, failed=failed)
        self.files_before += len(self._retired)
        self.bytes_before += sum(entry.bytes for entry in self._retired)
        self.files_after += len(self._files)
        self.bytes_after += sum(file.bytes for file in self._files)
        self._files, self._sources, self._retired = [], {}, []


def rewritten(
    folder: Home, staging: Path, manifest: Manifest, dropped: Collection[int], entries: Iterable[FileEntry]
) -> tuple[tuple[FileEntry, ...], tuple[str, ...]]:
    """Stage the files among `entries` that have rows of `dropped` sources and of others, without these rows.

    Returns the entries of the staged files and the paths of those that they replace. Raises DatasetError when a file is not as it was written, OSError
    when a staged file cannot be written.
    """
    mixed = [entry for entry in entries if entry.source_ids & set(dropped) and not entry.source_ids <= set(dropped)]
    files: list[WrittenFile] = []
    sources: dict[str, dict[int, int]] = {}
    for number, entry in enumerate(mixed):
        file, rows = without(folder, staging, [entry], manifest.generation + 1, dropped, number)
        files.append(file)
        sources[file.path] = rows
    return publishing.settled(staging, files, sources), tuple(entry.path for entry in mixed)


@dataclass
class _Segment:
    """Consecutive rows in a file, of one source or several: each with its number of rows."""

    sources: list[tuple[int, int]]
    entry: FileEntry
    start: int
    stop: int


def without(
    folder: Home,
    staging: Path,
    entries: Sequence[FileEntry],
    generation: int,
    dropped: Collection[int] = (),
    number: int = 0,
) -> tuple[WrittenFile, dict[int, int]]:
    """Write the rows of some files of one table and day, except those of `dropped` sources, to one staged file; returns it with its rows by source.

    generation: that in which the file is published, which with `number` makes its name unique. Raises ChangedFileError when a file is not as it was written.
    """
    table, day = entries[0].table, day_of(entries[0])
    for entry in entries:
        unchanged(folder, entry)
    segments = sorted(
        (segment for entry in entries for segment in _segments(entry) if segment.sources[0][0] not in dropped),
        key=lambda segment: (segment.sources[0][0], segment.entry.path),
    )
    sources: dict[int, int] = {}
    for segment in segments:
        for source_id, count in segment.sources:
            sources[source_id] = sources.get(source_id, 0) + count
    name = Path(file_path(table, day, f"m{generation:06d}-{number:03d}"))
    (staging / table).mkdir(parents=True, exist_ok=True)
    metadata = description(table)
    writer: pq.ParquetWriter | None = None
    try:
        for rows in _in_row_groups(_rows(folder, _joined(segments))):
            if writer is None:
                writer = parquet_writer(staging / name, rows, dictionary_columns(rows), metadata)
            writer.write_table(rows, row_group_size=rows.num_rows)
    except (pa.ArrowException, ValueError) as error:
        raise ChangedFileError(f"{name}: could not be merged ({str(error).splitlines()[0]}).") from None
    finally:
        if writer is not None:
            writer.close()
    return WrittenFile(table, name.as_posix(), sum(sources.values()), (staging / name).stat().st_size), sources


def unchanged(folder: Home, entry: FileEntry) -> Path:
    """A file to be read; ChangedFileError if it is not as it was written."""
    path = local(folder, entry.path)
    if not publishing.is_unchanged(path, entry):
        raise ChangedFileError(f"{entry.path}: is missing or its content has changed since it was written.")
    return path


def _segments(entry: FileEntry) -> Iterator[_Segment]:
    """The rows of each source in a file, which are in the order of its sources."""
    start = 0
    for source_id, rows in entry.sources:
        yield _Segment([(source_id, rows)], entry, start, start + rows)
        start += rows


def _joined(segments: Iterable[_Segment]) -> list[_Segment]:
    """The same rows in as few segments as possible: each of them costs time, and a file of many small dumps has many sources."""
    out: list[_Segment] = []
    for each in segments:
        if out and out[-1].entry is each.entry and out[-1].stop == each.start:
            out[-1].sources += each.sources
            out[-1].stop = each.stop
        else:
            out.append(each)
    return out


def _rows(folder: Home, segments: Sequence[_Segment]) -> Iterator[pa.Table]:
    """The rows of the segments with the declared columns, at most one row group of the files at a time."""
    file: pq.ParquetFile | None = None
    path = table = ""
    group, group_rows = -1, pa.table({})
    try:
        for segment in segments:
            if file is None or segment.entry.path != path:
                if file is not None:
                    file.close()
                path, group = segment.entry.path, -1
                table = segment.entry.table
                texts = [field.name for field in table_schemas()[table] if field.type == TEXT]
                file = pq.ParquetFile(local(folder, path), read_dictionary=texts)
            start, stop = segment.start, segment.stop
            source_ids = np.repeat(*np.array(segment.sources, np.int64).T)
            first = 0
            for number in range(file.metadata.num_row_groups):
                count = file.metadata.row_group(number).num_rows
                begin, end = max(start, first), min(stop, first + count)
                if begin < end:
                    if number != group:
                        group, group_rows = number, declared(file.read_row_group(number, use_threads=False), table)
                    rows = group_rows.slice(begin - first, end - begin)
                    if not np.array_equal(rows["source_id"].to_numpy(), source_ids[begin - start : end - start]):
                        raise ChangedFileError(
                            f"{path}: has rows of other sources than the manifest states; it is not merged."
                        )
                    yield rows
                first += count
            if stop > first:
                raise ChangedFileError(f"{path}: {first} rows, but {stop} in the manifest; it is not merged.")
    finally:
        if file is not None:
            file.close()


def declared(rows: pa.Table, table: str) -> pa.Table:
    """The rows of one file of a table with the declared columns and types, which have dictionaries."""
    return conformed(rows, table_schemas()[table])


def _in_row_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows in tables that are large enough for a row group, and bounded in memory."""
    collected: list[pa.Table] = []
    rows = size = 0
    for table in tables:
        collected.append(table)
        rows, size = rows + table.num_rows, size + table.nbytes
        if rows >= ROW_GROUP or size >= MEMORY_LIMIT:
            yield pa.concat_tables(collected).unify_dictionaries()
            collected, rows, size = [], 0, 0
    if collected:
        yield pa.concat_tables(collected).unify_dictionaries()
