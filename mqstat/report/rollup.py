"""Hourly sums of the facts, kept when the detail of a class is dropped: `rollup/<view>/<month>.parquet` in the dataset folder.

How a column is aggregated follows from its kind: counters and durations are added, lows keep the lowest and highs the highest value, a gauge becomes two
columns with its lowest and highest value. Columns without such a rule (rates, percentages, settings) are left out; they can be computed again
from the sums. The files are plain Parquet below the dataset folder and not part of its manifest.
"""

# ruff: noqa: S608 - statements are built from names of our views, which are quoted

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mqstat.base.atomic_write import replaced
from mqstat.base.version import __version__
from mqstat.dataset.description import COLUMN_KEYS, KEY
from mqstat.dataset.manifest import SCHEMA_VERSION
from mqstat.dataset.retention import Step
from mqstat.dataset.store import day_of
from mqstat.report.aggregate import LINEAGE, aggregation
from mqstat.sql.schemas import quoted
from mqstat.sql.sqlfile import Column, views

if TYPE_CHECKING:
    import pyarrow as pa

    from mqstat.sql.database import Database

FOLDER = "rollup"
"""Folder of the hourly sums in a dataset."""

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

COVERED = "mqstat.rollup"
"""Key of the metadata of a file: for each day the numbers of the sources that its rows were computed from, once for each time rows were added."""


def columns_of(view: str) -> list[tuple[str, str, Column]]:
    """The columns of an hourly view: name, SQL expression and the column of the view that it is made from."""
    made = []
    for column in views()[view].columns.values():
        if (
            column.name in LINEAGE
            or column.kind in ("key", "clock", "derived", "internal")
            or column.unit in ("text", "flag", "id")
        ):
            continue
        method, name = aggregation(column), quoted(column.name)
        if method in ("sum", "min", "max"):
            made.append((column.name, f"{method}({name})", column))
        elif column.kind == "gauge":
            made += [(f"{column.name}_min", f"min({name})", column), (f"{column.name}_max", f"max({name})", column)]
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


def roll_up(folder: Path, steps: list[Step]) -> list[str]:
    """Write the hourly sums of what some steps will drop; returns the views that were written.

    A day is skipped if the same sources were rolled up before; rows of sources that arrived later are added to those of the day. Raises DatasetError if the
    dataset cannot be read, UsageError if a file cannot be written.
    """
    from mqstat.intake.open_data import open_data

    days: dict[dt.date, set[str]] = {}
    for step in steps:
        for day in step.days:
            days.setdefault(day, set()).update(views_of(step.name))
    written: set[str] = set()
    sources: dict[dt.date, set[int]] = {}
    for entry in (entry for step in steps for entry in step.files):
        own = day_of(entry)
        if own is not None:
            sources.setdefault(own, set()).update(entry.source_ids)
    for day, wanted in sorted(days.items()):
        source = " ".join(map(str, sorted(sources[day])))
        todo = [
            view for view in sorted(wanted) if source not in _covered(_path(folder, view, day)).get(day.isoformat(), [])
        ]
        if not todo:
            continue
        with open_data(dataset=folder, days=[day], views=todo, may_be_empty=True) as database:
            for view in todo:
                rows = database.arrow(_storable(database, query_of(view)))
                if rows.num_rows:
                    _add(_path(folder, view, day), view, day, source, rows)
                    written.add(view)
    return sorted(written)


def _storable(database: Database, query: str) -> str:
    """The query with sums of integers as 64 bits: in DuckDB they have 128, which Parquet does not have."""
    wide_columns = [quoted(row[0]) for row in database.execute(f"DESCRIBE {query}").fetchall() if row[1] == "HUGEINT"]
    replaced_columns = ", ".join(f"{name}::BIGINT AS {name}" for name in wide_columns)
    return f"SELECT * REPLACE ({replaced_columns}) FROM ({query})" if wide_columns else query


def _path(folder: Path, view: str, day: dt.date) -> Path:
    return folder / FOLDER / view / f"{day:%Y-%m}.parquet"


def _covered(path: Path) -> dict[str, list[str]]:
    """The days that a file has, with the sources that they were computed from; empty if there is no file."""
    import pyarrow.parquet as pq

    if not path.is_file():
        return {}
    text = (pq.read_metadata(path).metadata or {}).get(COVERED.encode(), b"{}")
    return {str(day): list(map(str, sources)) for day, sources in json.loads(text).items()}


def _add(path: Path, view: str, day: dt.date, source: str, rows: pa.Table) -> None:
    """Add the rows of a day to the file of its month, atomically."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    covered = _covered(path)
    if path.is_file():
        file = pq.ParquetFile(path)
        try:
            rows = pa.concat_tables([file.read(), rows], promote_options="permissive")
        finally:
            file.close()
    covered.setdefault(day.isoformat(), []).append(source)
    metadata = {COVERED: json.dumps(covered), KEY: _description(view)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(path) as part:
        pq.write_table(
            rows.sort_by([("hour_local", "ascending")]).replace_schema_metadata(metadata), part, compression="zstd"
        )


def _description(view: str) -> str:
    """Table, versions and columns of a file, as in the files of tables."""
    own = views()[view].columns
    columns = [own[name] for name in ("lpar", "qmgr", *VIEWS[view])]
    listed = {column.name: (column.unit, column.kind, "", column.doc) for column in columns}
    listed["hour_local"] = ("ts_local", "clock", "", "Start of the local hour.")
    listed["rows"] = ("count", "counter", "", "Rows of the view in the hour.")
    listed |= {
        name: (column.unit, column.kind, "", f"{column.doc.rstrip('.')}: {expression.partition('(')[0]} of the hour.")
        for name, expression, column in columns_of(view)
    }
    text = {
        "table": f"{FOLDER}/{view}",
        "description": f"{views()[view].title}, by hour",
        "schema_version": SCHEMA_VERSION,
        "tool_version": __version__,
        "columns_have": COLUMN_KEYS,
        "columns": listed,
    }
    return json.dumps(text, ensure_ascii=False, separators=(",", ":"))
