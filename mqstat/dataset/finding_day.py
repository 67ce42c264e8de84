"""The table finding_day: what every rule decided on every queue manager, day by day, in one file for each month:
`finding_day/<first of the month>-findings-...`.

Its files have no sources, and so they stay when the records of their days leave the dataset. Each publish replaces the
file of a month by one with all of its days. `mqstat daily` writes the rows of a day when it has judged the day
(`mqstat.assemble.finding_rows`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.errors import write_failure
from mqstat.dataset import publishing, store
from mqstat.dataset.manifest import Change, Manifest, Staged
from mqstat.dataset.paths import FINDING_DAY, day_of, file_path
from mqstat.dataset.schema import FINDINGS
from mqstat.dataset.writer import WrittenFile

_ORDER = [(name, "ascending") for name in ("date", "rule_id", "lpar", "qmgr", "place")]


def files_of(dataset: store.Opened) -> dict[Path, frozenset[dt.date]]:
    """The files with the days of each. Files that were changed since they were written are left out."""
    paths = {dataset.path(entry): entry for entry in dataset.manifest.computed}
    return {path: _days_in(path) for path, entry in paths.items() if publishing.is_unchanged(path, entry)}


def _days_in(path: Path) -> frozenset[dt.date]:
    return frozenset(pc.unique(pq.read_table(path, columns=["date"], partitioning=None)["date"]).to_pylist())


def changed_files(folder: Path, manifest: Manifest) -> list[str]:
    """The files that are missing or were changed since they were written."""
    return [entry.path for entry in manifest.computed if not publishing.is_unchanged(folder / entry.path, entry)]


def read_day(folder: Path, manifest: Manifest, day: dt.date) -> pa.Table:
    """The rows of one day; empty if there are no rows."""
    files = [path for path, days in files_of(store.Opened(folder, manifest)).items() if day in days]
    return _rows(files[0]).filter(pc.field("date") == day) if files else FINDINGS.empty_table()


def _rows(path: Path) -> pa.Table:
    return pq.read_table(path, schema=FINDINGS, partitioning=None)


def publish(folder: Path, days: Mapping[dt.date, pa.Table], wait_seconds: float = 0) -> None:
    """Replace the rows of some days, all months in one step; nothing is published if the rows are those that the
    dataset has.

    Raises DatasetError if the dataset cannot be written or another mqstat writes to it; it is then unchanged.
    """
    failed = ("its findings by day could not be written", "the dataset is unchanged")
    with store.writing(folder, wait_seconds) as manifest:
        staging = folder / publishing.STAGING / FINDING_DAY
        try:
            added, left = staged(folder, manifest, days, staging)
        except (OSError, pa.ArrowException) as error:
            raise write_failure(folder, failed[0], error, failed[1]) from None
        if added:
            change = Change("findings", add=added, retire=left)
            publishing.publish(folder, manifest, change, failed=failed)
            publishing.drop_staged(folder)


def staged(
    folder: Path, manifest: Manifest, days: Mapping[dt.date, pa.Table], staging: Path
) -> tuple[tuple[Staged, ...], tuple[str, ...]]:
    """Stage files with other rows of some days; returns them and the paths that they replace. Nothing for rows that are
    there. Raises OSError or ArrowException.
    """
    in_order = {day: rows.cast(FINDINGS).sort_by(_ORDER) for day, rows in days.items()}
    new = {day: rows for day, rows in in_order.items() if not rows.equals(read_day(folder, manifest, day))}
    months: dict[dt.date, dict[dt.date, pa.Table]] = {}
    for day, rows in sorted(new.items()):
        months.setdefault(day.replace(day=1), {})[day] = rows
    files, left = list[WrittenFile](), list[str]()
    for month, in_month in months.items():
        # A file that was changed stays, so that `verify` still reports it.
        there = {
            entry.path: folder / entry.path
            for entry in manifest.computed
            if day_of(entry.path) == month and publishing.is_unchanged(folder / entry.path, entry)
        }
        left += there
        files.append(_written(staging, month, list(there.values()), in_month))
    return publishing.settled(staging, files), tuple(left)


def _written(staging: Path, month: dt.date, earlier: Sequence[Path], new: Mapping[dt.date, pa.Table]) -> WrittenFile:
    """Stage a file with the rows of the other days of its month and of the new days, in the order of days."""
    replaced = pa.array(list(new), pa.date32())
    kept = [rows.filter(pc.invert(pc.is_in(rows["date"], replaced))) for rows in map(_rows, earlier)]
    rows = pa.concat_tables([*kept, *new.values()]).sort_by(_ORDER)
    path = file_path(FINDING_DAY, month, "findings")
    (staging / FINDING_DAY).mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, staging / path, compression="zstd")
    return WrittenFile(FINDING_DAY, path, rows.num_rows, (staging / path).stat().st_size)
