"""The table finding_day: what every rule decided on every queue manager, day by day: `rollup/finding_day/<month>-v<version>-g<generation>.parquet`.

Like the hourly sums, the files are in the manifest without sources, and so they stay when the records of their days leave the dataset. Each publish
replaces the file of a month by one with all of its days. `mqstat daily` writes the rows of a day when it has judged the day (`mqstat.assemble.finding_rows`).
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.errors import write_failure
from mqstat.dataset import folders, hourly, publishing, store
from mqstat.dataset.description import described
from mqstat.dataset.manifest import Change, FileEntry, Manifest
from mqstat.dataset.paths import FINDING_DAY, HOURLY
from mqstat.dataset.writer import WrittenFile

TABLE = f"{HOURLY}/{FINDING_DAY}"

VERSION = 1
"""Version of the meaning of the columns, part of the names of the files; files of another version are not read."""

_COLUMNS: Sequence[tuple[str, pa.DataType, str, str, str]] = (
    ("date", pa.date32(), "date", "key", "Local day."),
    ("rule_id", pa.string(), "text", "key", "Rule."),
    ("lpar", pa.string(), "text", "key", "LPAR; null where the rule is about inputs."),
    ("qmgr", pa.string(), "text", "key", "Queue manager; null where the rule is about inputs or an LPAR."),
    ("place", pa.int64(), "count", "key", "Place of the row among those of the rule and queue manager on this day, from 0 for the worst subject."),
    ("subject", pa.string(), "text", "key", "What is in breach, such as a buffer pool; null in the row of a rule that is not in breach."),
    ("state", pa.string(), "text", "setting", "State of the rule: breach, clear, idle, ... (one row of the rule and queue manager unless it is breach)."),
    ("severity", pa.string(), "text", "setting", "Severity of a breach; null in other states."),
    ("observed", pa.float64(), "number", "gauge", "The figure that decides; null where there is no figure."),
    ("limit_value", pa.float64(), "number", "setting", "The limit with which it was compared; null where there is no limit."),
    ("limit_unit", pa.string(), "text", "setting", "Unit of both."),
    ("intervals_breached", pa.int64(), "count", "counter", "Intervals in breach."),
    ("intervals_checked", pa.int64(), "count", "counter", "Intervals that were judged."),
    ("subjects", pa.int64(), "count", "counter", "Subjects in breach of the rule on the queue manager."),
    ("limits", pa.string(), "text", "setting", "Checksum over the rule, its limits in force and the facts of the site file that it reads."),
    ("is_complete", pa.bool_(), "flag", "setting", "Whether the day was over when it was judged."),
)  # fmt: skip

_ORDER = [(name, "ascending") for name in ("date", "rule_id", "lpar", "qmgr", "place")]

SCHEMA = pa.schema([(name, kind) for name, kind, *_ in _COLUMNS])


def files_of(dataset: store.Opened) -> dict[Path, frozenset[dt.date]]:
    """The files with the days to read from each: a day is in the newest file that has it. Files that were changed since they were written are left out."""
    seen: set[dt.date] = set()
    chosen: dict[Path, frozenset[dt.date]] = {}
    entries = [
        entry for entry in dataset.manifest.hourly if entry.table == TABLE and hourly.version_of(entry.path) == VERSION
    ]
    for entry in sorted(entries, key=lambda entry: entry.path, reverse=True):
        path = dataset.path(entry)
        if publishing.is_unchanged(path, entry):
            days = {dt.date.fromisoformat(day) for day in hourly.covered_by(path)}
            if days - seen:
                chosen[path] = frozenset(days - seen)
            seen |= days
    return chosen


def changed_files(folder: Path, manifest: Manifest) -> list[str]:
    """The files that are missing or were changed since they were written."""
    own = [entry for entry in manifest.hourly if entry.table == TABLE]
    return [entry.path for entry in own if not publishing.is_unchanged(folders.located(folder, entry.path), entry)]


def days_in(folder: Path, manifest: Manifest) -> set[dt.date]:
    """The days that have rows."""
    return {day for days in files_of(store.Opened(folder, manifest)).values() for day in days}


def read_day(folder: Path, manifest: Manifest, day: dt.date) -> pa.Table:
    """The rows of one day; empty if there are no rows."""
    own = [path for path, days in files_of(store.Opened(folder, manifest)).items() if day in days]
    return pq.read_table(own[0], schema=SCHEMA, filters=pc.field("date") == day) if own else SCHEMA.empty_table()


def without_names(rows: pa.Table) -> pa.Table:
    """The rows without subjects, which are sentences with names in them."""
    number = rows.schema.get_field_index("subject")
    return rows.set_column(number, rows.schema.field(number), pa.nulls(rows.num_rows, pa.string()))


def publish(folder: Path, days: Mapping[dt.date, pa.Table], wait_seconds: float = 0) -> None:
    """Replace the rows of some days, all months in one step; nothing is published if the rows are those that the dataset has.

    Raises DatasetError if the dataset cannot be written or another mqstat writes to it; it is then unchanged.
    """
    failed = ("its findings by day could not be written", "the dataset is unchanged")
    with store.writing(folder, wait_seconds) as manifest:
        in_order = {day: rows.cast(SCHEMA).sort_by(_ORDER) for day, rows in days.items()}
        new = {day: rows for day, rows in in_order.items() if not rows.equals(read_day(folder, manifest, day))}
        staging = folder / publishing.STAGING / FINDING_DAY
        months: dict[str, dict[dt.date, pa.Table]] = {}
        for day, rows in sorted(new.items()):
            months.setdefault(f"{day:%Y-%m}", {})[day] = rows
        known = files_of(store.Opened(folder, manifest))
        files, retired = list[WrittenFile](), list[FileEntry]()
        try:
            for month, in_month in months.items():
                own = [
                    entry for entry in manifest.hourly if entry.table == TABLE and hourly.month_of(entry)[1] == month
                ]
                # A file that was changed stays, so that `verify` still reports it; rows of another version have another meaning.
                retired += [
                    entry
                    for entry in own
                    if publishing.is_unchanged(folder / entry.path, entry) and hourly.version_of(entry.path) == VERSION
                ]
                earlier = {
                    folder / entry.path: known[folder / entry.path] for entry in own if folder / entry.path in known
                }
                path = hourly.path_of(FINDING_DAY, month, VERSION, manifest.generation + 1)
                files.append(_written(staging, path, earlier, in_month))
            added = publishing.settled(staging, files, {file.path: {} for file in files})
        except (OSError, pa.ArrowException) as error:
            raise write_failure(folder, failed[0], error, failed[1]) from None
        if files:
            change = Change("findings", add=added, retire=tuple(entry.path for entry in retired))
            publishing.publish(folder, manifest, change, [(staging, file.path) for file in files], failed=failed)
            publishing.drop_staged(folder)


def _written(
    staging: Path, path: str, earlier: Mapping[Path, frozenset[dt.date]], new: Mapping[dt.date, pa.Table]
) -> WrittenFile:
    """Stage a file with the rows of the other days of its month and of the new days, in the order of days."""
    tables, covered = list[pa.Table](), set(new)
    for file, days in earlier.items():
        kept = days - new.keys()
        tables.append(pq.read_table(file, schema=SCHEMA, filters=pc.field("date").isin(sorted(kept))))
        covered |= kept
    rows = pa.concat_tables([*tables, *new.values()]).sort_by(_ORDER)
    columns = {name: (unit, kind, "", doc) for name, _, unit, kind, doc in _COLUMNS}
    metadata = described(TABLE, "What every rule decided, by day and queue manager", columns)
    metadata[hourly.COVERED] = json.dumps({str(day): [FINDING_DAY] for day in sorted(covered)})
    (staging / path).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows.replace_schema_metadata(metadata), staging / path, compression="zstd", row_group_size=1 << 16)
    return WrittenFile(TABLE, path, rows.num_rows, (staging / path).stat().st_size)
