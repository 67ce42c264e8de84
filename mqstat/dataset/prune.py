"""Removes old days from a dataset: all files of the days before a date leave their tables in one step.

Each table has either all of the old days or none of them. A file whose content is not what was written leaves too, and
is named: nobody could find the change later.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from mqstat.base.errors import write_failure
from mqstat.dataset import publishing, store
from mqstat.dataset.manifest import Change, DroppedClass, FileEntry, Manifest
from mqstat.dataset.place import Home, work_of
from mqstat.dataset.rewriting import without
from mqstat.dataset.steps import repeated
from mqstat.dataset.store import day_of


@dataclass(frozen=True)
class Pruned:
    """What was removed or would be: days, files, their bytes, rows of table record, and the numbers of sources without
    remaining days.
    """

    days: tuple[dt.date, ...] = ()
    files: int = 0
    bytes: int = 0
    records: int = 0
    sources: tuple[int, ...] = ()
    changed: tuple[str, ...] = ()
    """Paths of files that were changed since they were written, or were missing."""

    def text(self, verb: str = "dropped") -> str:
        """What happened, as a sentence without its full stop."""
        if not self.days:
            return "nothing to drop"
        first, last = self.days[0], self.days[-1]
        days = f"{first}" if first == last else f"{first} to {last} ({len(self.days)} days)"
        return f"{verb} {days}: {self.records:,} records in {self.files:,} files, {self.bytes / 1_000_000:,.1f} MB"


def days_of(manifest: Manifest) -> list[dt.date]:
    """The local days that a dataset has rows of, in order."""
    return sorted({day for entry in manifest.files if (day := day_of(entry)) is not None})


def first_kept(days: Iterable[dt.date], keep_days: int, today: dt.date | None = None) -> dt.date | None:
    """The first of the last `keep_days` days up to the newest day of the data; None when there are no days.

    Days are counted from the newest day and not from the calendar, so that nothing is removed while nothing arrives or
    while a clock is wrong. Days after `today` (a record with an impossible date) do not count as the newest.
    """
    known = [day for day in days if today is None or day <= today]
    return max(known) - dt.timedelta(days=keep_days - 1) if known else None


@repeated
def prune(
    folder: Home, before: dt.date, *, keep: Collection[dt.date] = (), wait_seconds: float = 0, dry_run: bool = False
) -> Pruned:
    """Drop the days before a date, except the days to `keep`. Counts over a whole source (ledger, damage, other SMF
    types) go with the last of its days.

    Raises DatasetError if the folder is not a dataset, another mqstat writes to it, or the manifest cannot be replaced;
    the dataset is then unchanged.
    """
    current = store.open_dataset(folder).manifest
    if dry_run:
        return _chosen(current, before, keep)[0]
    if not _chosen(current, before, keep)[1]:
        return Pruned()
    with store.writing(folder, wait_seconds) as manifest:
        result, removed = _chosen(manifest, before, keep)
        result = dataclasses.replace(result, changed=changed_of(folder, removed))
        staging = work_of(folder) / publishing.STAGING / "pruned"
        leaving = {entry.path for entry in removed}
        undated = [entry for entry in manifest.files if day_of(entry) is None and entry.path not in leaving]
        try:
            others, mixed = without(folder, staging, manifest, result.sources, undated)
        except (OSError, pa.ArrowException) as error:
            raise write_failure(folder, "its files could not be written", error, "nothing was dropped") from None
        dropped = Counter[int](dict.fromkeys({number for entry in removed for number in entry.source_ids}, 0))
        for entry in (entry for entry in manifest.files if entry.table == "record"):
            is_gone = entry.path in leaving
            if is_gone or entry.path in mixed:
                dropped.update({number: rows for number, rows in entry.sources if is_gone or number in result.sources})
        change = Change(
            "prune",
            add=tuple(others),
            retire=(*leaving, *mixed),
            sources=tuple(
                dataclasses.replace(
                    source,
                    pruned_records=source.pruned_records + dropped[source.source_id],
                    pruned_before=max(before.isoformat(), source.pruned_before or ""),
                )
                for source in manifest.sources
                if source.source_id in dropped
            ),
        )
        if removed:
            publishing.publish(folder, manifest, change, failed=FAILED)
            publishing.drop_staged(folder)
    return result


FAILED = ("its manifest could not be written", "nothing was dropped")


@repeated
def retire(
    folder: Home, paths: Collection[str], dropped: tuple[DroppedClass, ...] = (), wait_seconds: float = 0
) -> tuple[str, ...]:
    """Remove these files atomically, which are those of `dropped` classes; files that the dataset no longer has are
    ignored. Returns those that were changed.

    Raises DatasetError, as `prune` does.
    """
    with store.writing(folder, wait_seconds) as manifest:
        present = [entry for entry in manifest.files if entry.path in paths]
        changed = changed_of(folder, present)
        if present:
            change = Change("prune", retire=tuple(entry.path for entry in present), dropped=dropped)
            publishing.publish(folder, manifest, change, failed=FAILED)
        return changed


def changed_of(folder: Home, entries: Iterable[FileEntry]) -> tuple[str, ...]:
    """The files of a folder that are missing, or not as they were written. Of a store nothing is read for this."""
    if not isinstance(folder, Path):
        return ()
    return tuple(each.path for each in entries if not publishing.is_unchanged(folder / each.path, each))


def changed_text(path: str) -> str:
    """What is stated of such a file."""
    return f"{path}: was changed or removed by another program since it was written, and was dropped"


def _chosen(manifest: Manifest, before: dt.date, keep: Collection[dt.date]) -> tuple[Pruned, list[FileEntry]]:
    """The files of the days before a date that are not to be kept, and with the last day of a source its files without
    a day.
    """
    removed: list[FileEntry] = []
    kept: set[int] = set()
    for entry in manifest.files:
        day = day_of(entry)
        if day is not None and day < before and day not in keep:
            removed.append(entry)
        elif day is not None:
            kept |= entry.source_ids
    over = {number for entry in removed for number in entry.source_ids} - kept
    without_days = (over | {source.source_id for source in manifest.sources if source.pruned_before}) - kept
    days = {day for entry in removed if (day := day_of(entry)) is not None}
    removed += [
        entry
        for entry in manifest.files
        if day_of(entry) is None and entry.source_ids & over and entry.source_ids <= without_days
    ]
    records = sum(entry.rows for entry in removed if entry.table == "record")
    return Pruned(
        tuple(sorted(days)), len(removed), sum(f.bytes for f in removed), records, tuple(sorted(over))
    ), removed
