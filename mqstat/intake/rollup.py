"""Hourly sums of the facts, kept when the detail of a class is dropped: `rollup/<view>/<month>-g<generation>.parquet` in the dataset folder.

The columns of a view state how rows are put together over time (`mqstat.sql.aggregation`), and so they are kept: sums, lowest and highest values, the last value
of the hour, and of a mean or ratio its two parts, so that hours can be put together again. A gauge also has its lowest and highest value. Columns that cannot be
put together are left out. The files are in the manifest of the dataset (`mqstat.dataset.hourly`), whose paths have the version of these ways.
"""

# ruff: noqa: S608 - statements are built from names of our views, which are quoted

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.errors import DatasetError, write_failure
from mqstat.base.inputs import about
from mqstat.base.scratch import temporary_folder
from mqstat.base.version import CONTRACT_VERSION
from mqstat.dataset import folders, hourly, publishing, store
from mqstat.dataset.classes import CLASSES, class_of
from mqstat.dataset.description import described
from mqstat.dataset.manifest import Change, FileEntry, Manifest
from mqstat.dataset.paths import HOURLY
from mqstat.dataset.retention import Step
from mqstat.dataset.store import day_of, open_dataset
from mqstat.dataset.writer import WrittenFile
from mqstat.sql.aggregation import over_time, part_values, parts_of
from mqstat.sql.columns import Column
from mqstat.sql.schemas import quoted
from mqstat.sql.sqlfile import views
from mqstat.sql.ways import LINEAGE, NOT_NUMERIC

if TYPE_CHECKING:
    from mqstat.sql.workspace import Workspace

VIEWS: Mapping[str, tuple[str, ...]] = {
    "buffer_pool": ("pool_id",),
    "page_set": ("page_set_id",),
    "log": (),
    "message_manager": (),
    "data_manager": (),
    "cf_structure": ("cf_structure",),
    "smds": ("cf_structure",),
    "db2": (),
    "storage_region": (),
    "channel_initiator": (),
    "queue_statistics": ("queue",),
    "channel": ("channel_name",),
    "task": ("connection_job",),
    "queue_use": ("base_name",),
}
"""The views that are kept by hour, and what a row is about in addition to queue manager and hour."""


SEVERAL = frozenset({"channel", "task", "queue_use"})
"""Of these views a subject has several rows in an interval: instances of a channel, tasks of a job, openings of a queue."""


def columns_of(view: str) -> list[tuple[str, str, Column]]:
    """The columns of an hourly view: name, SQL expression and the column of the view that it is made from.

    A mean or ratio `x` has two columns: `x_numerator`, in the unit of `x`, divided by `x_denominator` is its value.
    """
    made = []
    for column in views()[view].columns.values():
        name, way, parts = column.name, column.way.over_time, parts_of(column)
        if name in LINEAGE or column.kind in ("key", "clock", "internal") or column.unit in NOT_NUMERIC:
            continue
        if column.kind == "gauge":
            made += [(f"{name}_{end}", f"{end}({quoted(name)})", column) for end in ("min", "max")]
        if view in SEVERAL and column.way.across != way:  # the rows of an hour are those of several subjects
            continue
        if way in ("mean", "ratio") and parts and not (column.way.ratio and column.way.ratio.whole):
            scale = column.way.ratio.scale if column.way.ratio else 1
            above, below = part_values(column)
            made += [
                (f"{name}_numerator", f"{scale:.15g} * sum({above})", column),
                (f"{name}_denominator", f"sum({below})", column),
            ]
        elif way in ("add", "min", "max", "first", "last"):
            made.append((name, over_time(column), column))
    return made


def query_of(view: str) -> str:
    """The SELECT of an hourly view: queue manager, local hour, subject, number of rows, and the aggregated columns."""
    known = views()[view].columns
    moment = "interval_start_local" if "interval_start_local" in known else "written_local"
    subject = "".join(f", {quoted(name)}" for name in VIEWS[view])
    values = "".join(f", {expression} AS {quoted(name)}" for name, expression, _ in columns_of(view))
    hour = f"date_trunc('hour', {moment})"
    return (
        f"SELECT {hour}::DATE AS date, {hour}::TIMESTAMP AS hour_local, lpar, qmgr{subject}, count(*) AS rows{values} FROM {view} "
        f"GROUP BY {hour}, lpar, qmgr{subject} ORDER BY hour_local, lpar, qmgr{subject}"
    )


def views_of(class_name: str) -> list[str]:
    """The views that are kept by hour for a class ("115", "116"), or for both ("all")."""
    classes = {view: {name.partition(".")[0] for name in views()[view].header["classes"]} for view in VIEWS}
    return [view for view in VIEWS if class_name == "all" or class_name in classes[view]]


def changed_files(folder: Path, manifest: Manifest, days: Collection[dt.date]) -> list[FileEntry]:
    """The files of some days that are not as they were written: sums of them would hide the change, as the files are dropped."""
    dated = [entry for entry in manifest.files if day_of(entry) in days]
    return [entry for entry in dated if not publishing.is_unchanged(folders.located(folder, entry.path), entry)]


def roll_up(folder: Path, steps: list[Step], wait_seconds: float = 0) -> list[str]:
    """Add the hourly sums of what some steps will drop to a dataset, a publish for each month; returns the views that got rows.

    A day is skipped if the same sources were rolled up before; rows of sources that arrived later are added to those of the day. A file that other ways
    made (`hourly.version_of`) is made again if all records of its hours are still there. Raises DatasetError if the
    dataset cannot be read or written, or another mqstat writes to it.
    """
    from mqstat.intake.open_data import open_data

    days: dict[dt.date, set[str]] = {}
    for step in steps:
        for day in step.days:
            days.setdefault(day, set()).update(views_of(step.name))
    written: set[str] = set()
    sources: dict[dt.date, set[int]] = {}
    records_there: set[tuple[dt.date, str, int]] = set()
    for entry in (entry for step in steps for entry in step.files):
        own = day_of(entry)
        if own is not None:
            sources.setdefault(own, set()).update(entry.source_ids)
            records_there |= {(own, class_of(entry.table), number) for number in entry.source_ids}
    for month, in_month in groupby(sorted(days), key=lambda day: f"{day:%Y-%m}"):
        entries = [entry for entry in open_dataset(folder).manifest.hourly if hourly.month_of(entry)[1] == month]
        again = [entry for entry in entries if _can_be_made_again(folder, entry, records_there)]
        known = {
            view: hourly.covered(folder, own)
            for (view, _), own in hourly.by_month(entry for entry in entries if entry not in again).items()
        }
        with temporary_folder() as scratch:
            made: list[_Day] = []
            for day in in_month:
                source = " ".join(map(str, sorted(sources[day])))
                todo = [
                    view for view in sorted(days[day]) if source not in known.get(view, {}).get(day.isoformat(), [])
                ]
                if not todo:
                    continue
                changed = changed_files(folder, open_dataset(folder).manifest, [day])
                if changed:
                    raise DatasetError(
                        f"{folder}: {changed[0].path} is missing or was changed since it was written, so no hourly sums are made of {day} and nothing was "
                        f"dropped; {about('verify', folder)} lists such files, --hold keeps the day, --no-rollup drops it without sums."
                    )
                with open_data(dataset=folder, days=[day], views=todo, may_be_empty=True) as database:
                    for view in todo:
                        rows = database.arrow(_storable(database, query_of(view)))
                        if rows.num_rows:
                            made.append(_Day(view, day.isoformat(), source, scratch / f"{view}-{day}.parquet"))
                            pq.write_table(rows, made[-1].path)
            written |= _publish(folder, month, made, again, wait_seconds) if made else set()
    return sorted(written)


@dataclass(frozen=True)
class _Day:
    """The hourly sums of one view and day in a temporary file, and the sources that they were computed from."""

    view: str
    day: str
    source: str
    path: Path


def _can_be_made_again(folder: Path, entry: FileEntry, records_there: Collection[tuple[dt.date, str, int]]) -> bool:
    """Whether a file was made by other ways (`CONTRACT_VERSION`), and the records of all its hours are `records_there`: days with class and source."""
    if hourly.version_of(entry.path) == CONTRACT_VERSION or not publishing.is_unchanged(folder / entry.path, entry):
        return False
    view, _ = hourly.month_of(entry)
    made = {
        (dt.date.fromisoformat(day), class_name, int(source))
        for day, times in hourly.covered_by(folder / entry.path).items()
        for source in " ".join(times).split()
        for class_name in CLASSES
        if view in views_of(class_name)
    }
    return bool(made) and made <= set(records_there)


def _publish(
    folder: Path, month: str, made: Sequence[_Day], again: Sequence[FileEntry], wait_seconds: float
) -> set[str]:
    """Add days of one month to the dataset, instead of the files that were made `again`; returns their views."""
    failed = ("its hourly sums could not be written", "nothing was dropped")
    with store.writing(folder, wait_seconds) as manifest:
        staging = folder / publishing.STAGING / "rollup"
        listed, files = hourly.by_month(manifest.hourly), list[WrittenFile]()
        left = [entry.path for entry in again if entry in manifest.hourly]
        try:
            for view in sorted({each.view for each in made}):
                entries = [entry for entry in listed.get((view, month), []) if entry.path not in left]
                have = hourly.covered(folder, entries)
                new = [each for each in made if each.view == view and each.source not in have.get(each.day, [])]
                if new:
                    # A file that was changed stays, so that the change stays visible to `verify`; the days are in a file next to it.
                    # One that was made by other ways stays, too: its columns have another meaning.
                    own = [
                        entry for entry in entries
                        if hourly.version_of(entry.path) == CONTRACT_VERSION and publishing.is_unchanged(folder / entry.path, entry)
                    ]  # fmt: skip
                    path = hourly.path_of(view, month, CONTRACT_VERSION, manifest.generation + 1)
                    files.append(_written(staging, path, view, [folder / entry.path for entry in own], new))
                    left += [entry.path for entry in own]
            added = publishing.settled(staging, files, {file.path: {} for file in files})
        except (OSError, pa.ArrowException) as error:
            raise write_failure(folder, failed[0], error, failed[1]) from None
        staged = [(staging, file.path) for file in files]
        change = Change("rollup", add=added, retire=tuple(left))
        if files:
            publishing.publish(folder, manifest, change, staged, failed=failed)
        publishing.drop_staged(folder)
    return {file.table.split("/")[1] for file in files}


def _written(staging: Path, path: str, view: str, earlier: Sequence[Path], new: Sequence[_Day]) -> WrittenFile:
    """Stage a file with the rows of earlier files of its month and of new days."""
    tables, covered = [], dict[str, list[str]]()
    for file in (*earlier, *(each.path for each in new)):
        with pq.ParquetFile(file) as opened:
            tables.append(opened.read().replace_schema_metadata(None))
    for file in earlier:
        for day, sources in hourly.covered_by(file).items():
            covered.setdefault(day, []).extend(sources)
    for each in new:
        covered.setdefault(each.day, []).append(each.source)
    rows = pa.concat_tables(tables, promote_options="permissive").sort_by([("hour_local", "ascending")])
    metadata = {hourly.COVERED: json.dumps(covered), **_description(view)}
    (staging / path).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows.replace_schema_metadata(metadata), staging / path, compression="zstd")
    return WrittenFile(f"{HOURLY}/{view}", path, rows.num_rows, (staging / path).stat().st_size)


def _storable(database: Workspace, query: str) -> str:
    """The query with sums of integers as 64 bits: in DuckDB they have 128, which Parquet does not have."""
    wide_columns = [quoted(row[0]) for row in database.execute(f"DESCRIBE {query}").fetchall() if row[1] == "HUGEINT"]
    replaced_columns = ", ".join(f"{name}::BIGINT AS {name}" for name in wide_columns)
    return f"SELECT * REPLACE ({replaced_columns}) FROM ({query})" if wide_columns else query


def _description(view: str) -> dict[str, str]:
    """Table, versions and columns of a file, as in the files of tables."""
    own = views()[view].columns
    columns = [own[name] for name in ("lpar", "qmgr", *VIEWS[view])]
    listed = {column.name: (column.unit, column.kind, "", column.doc) for column in columns}
    listed["hour_local"] = ("ts_local", "clock", "", "Start of the local hour.")
    listed["rows"] = ("count", "counter", "", "Rows of the view in the hour.")
    listed |= {
        name: (column.unit, column.kind, "", _doc(name, expression, column))
        for name, expression, column in columns_of(view)
    }
    return described(f"{HOURLY}/{view}", f"{views()[view].title}, by hour", listed)


def _doc(name: str, expression: str, column: Column) -> str:
    """The description of a column of a file, with how it was put together."""
    part = name.removeprefix(column.name).removeprefix("_")
    of_hour = {
        "numerator": "divided by its denominator it is that of the hour",
        "denominator": "the denominator of the hour",
    }
    method = expression.partition("(")[0].replace("arg_max", "last value").replace("arg_min", "first value")
    return f"{column.doc.rstrip('.')}: {of_hour.get(part, f'{method} of the hour')}."
