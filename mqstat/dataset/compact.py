"""Merges the files of one table and local day, so that a dataset has few files whatever number of dumps it was made
from.

While a day grows, files of similar size are merged as soon as there are eight of them, so a row is rewritten a few
times only. When a later day has rows, or on `mqstat compact`, the files of the day become one. Files of 64 MB and more
stay as they are.

A merged file is staged and published like a dump: one step adds it and retires the files that it replaces. A file whose
content is not that of its SHA-256 is not merged, and `mqstat verify` reports it.
"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from mqstat.base.errors import DatasetError, write_failure
from mqstat.dataset import publishing, store
from mqstat.dataset.manifest import Change, FileEntry, Manifest, Staged
from mqstat.dataset.place import Home, work_of
from mqstat.dataset.rewriting import ChangedFileError, rewritten, unchanged
from mqstat.dataset.steps import repeated
from mqstat.dataset.store import day_of

TARGET = 64 << 20
"""Files of this many bytes are not merged further."""

FANOUT = 8
"""Files of similar size that are merged while their day grows."""

SMALLEST = 64 << 10
"""Files below this many bytes are of similar size; each size class above it is four times as large."""

CHEAP = 8 << 20
"""Bytes of a day in one table that are merged whenever they are in two files and the day is over."""

FAILED = ("its files could not be merged", "the dataset is unchanged")


@dataclass(frozen=True)
class Compacted:
    """What was merged: files before and after, bytes before and after; `skipped` are files that differ from the
    manifest or cannot be read.
    """

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


@repeated
def compact(folder: Home, *, wait_seconds: float = 0) -> Compacted:
    """Merge the files of each table and day of a dataset into one.

    Raises DatasetError if the folder is not a dataset, another mqstat writes to it, or the merged files cannot be
    written or published; it is then unchanged.
    """
    store.open_dataset(folder)  # a new folder is not made
    with store.writing(folder, wait_seconds) as manifest:
        try:
            groups = plan(manifest, everything=True)
            change, done = _merged(folder, manifest, groups, work_of(folder) / publishing.STAGING / "merged")
            if change.add:
                publishing.publish(folder, manifest, change, failed=FAILED)
            return done
        finally:
            publishing.drop_staged(folder)


def merge_as_it_grows(folder: Home, manifest: Manifest, *, staging: Path, wait_seconds: float, ended: bool) -> Manifest:
    """Merge what is worth it after a publish; `ended` = no more inputs follow, so days that are over become one file.

    Files are merged in the staging folder of this process and then published under the lock, unless others have changed
    them meanwhile. Returns the manifest that the dataset has now. A failure changes nothing; the next ingest tries
    again.
    """
    with suppress(DatasetError):
        change, _ = _merged(folder, manifest, plan(manifest, over=ended), staging / "merged")
        if change.add:
            with store.writing(folder, wait_seconds, manifest) as current:
                if {*change.retire} <= {entry.path for entry in current.files}:
                    manifest = publishing.publish(folder, current, change, failed=FAILED)
    shutil.rmtree(staging / "merged", ignore_errors=True)
    return manifest


def _merged(
    folder: Home, manifest: Manifest, groups: Iterable[Sequence[FileEntry]], root: Path
) -> tuple[Change, Compacted]:
    """Stage each group of files of one table and day as one file, with the rows of the lowest source first."""
    files, retired, skipped = list[Staged](), list[FileEntry](), list[str]()
    stem = f"m{manifest.generation + 1:06d}"
    for entries in groups:
        in_order = sorted(entries, key=lambda entry: (min(entry.source_ids), entry.path))
        try:
            files += rewritten(entries[0].table, [unchanged(folder, each) for each in in_order], root, stem)
        except ChangedFileError as error:
            skipped.append(str(error))
            continue
        except (OSError, pa.ArrowException) as error:
            raise write_failure(folder, FAILED[0], error, FAILED[1]) from None
        retired += entries
    change = Change("compact", add=tuple(files), retire=tuple(entry.path for entry in retired))
    before, after = (sum(entry.bytes for entry in each) for each in (retired, [file.entry for file in files]))
    return change, Compacted(len(retired), len(files), before, after, tuple(skipped))


# ------------------------------------------------------------------------------------------------------------- choosing


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
