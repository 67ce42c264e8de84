"""A dataset whose clocks are moved by whole days: its columns with times, and the days in the names of its files."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.errors import UsageError
from mqstat.dataset import hourly
from mqstat.dataset.paths import day_of, file_path, table_of
from mqstat.dataset.writer import WrittenFile
from mqstat.share.moves import DAY
from mqstat.share.pseudonyms import Pseudonyms


def days_of(names: Pseudonyms) -> int:
    """The days by which clocks move; UsageError if they do not move by whole days, by which the files of a dataset are divided."""
    days, rest = divmod(names.shift_us, DAY)
    if rest:
        raise UsageError("--shift: the clocks of a dataset move by whole days, such as -400d.")
    return days


def moved_times(rows: pa.Table, names: Pseudonyms) -> pa.Table:
    """The rows with moved times and days."""
    if not names.shift_us:
        return rows
    for number, field in enumerate(rows.schema):
        if pa.types.is_timestamp(field.type):
            by, whole = names.shift_us, pa.int64()
        elif pa.types.is_date32(field.type):
            by, whole = days_of(names), pa.int32()
        else:
            continue
        moved = pc.add(rows.column(number).cast(whole), pa.scalar(by, whole)).cast(field.type)
        rows = rows.set_column(number, field, moved)
    return rows


def moved_path(path: str, names: Pseudonyms) -> str:
    """The path of a file of a table, with its day moved."""
    day = day_of(path)
    if day is None or not names.shift_us:
        return path
    _, rest = path.removesuffix(".parquet").split(day.isoformat() + "-", maxsplit=1)
    return file_path(table_of(path), day + dt.timedelta(days=days_of(names)), rest)


def moved_day(text: str, names: Pseudonyms) -> str:
    """A day, or a day and a time, in ISO 8601, moved; an empty text remains empty."""
    if not text or not names.shift_us:
        return text
    by = dt.timedelta(days=days_of(names))
    is_day = len(text) == len("2026-01-31")
    return str(dt.date.fromisoformat(text) + by) if is_day else (dt.datetime.fromisoformat(text) + by).isoformat()


def moved_sums(staging: Path, files: Sequence[WrittenFile], names: Pseudonyms) -> list[WrittenFile]:
    """Staged files of hourly sums and of findings by day, whose rows are moved already, divided again into months."""
    if not names.shift_us:
        return list(files)
    tables: dict[str, list[pa.Table]] = {}
    covered: dict[str, hourly.Covered] = {}
    for file in sorted(files, key=lambda file: file.path):
        path = staging / file.path
        days = {moved_day(day, names): sources for day, sources in hourly.covered_by(path).items()}
        rows = pq.ParquetFile(path).read()
        time = rows["date" if "date" in rows.column_names else "hour_local"]
        month_of_row = pc.strftime(time.cast(pa.timestamp("s")), format="%Y-%m")
        path.unlink()
        _, view, name = file.path.split("/")
        for month in sorted({*month_of_row.unique().to_pylist(), *(day[:7] for day in days)}):
            into = f"rollup/{view}/{month}{name[7:]}"
            tables.setdefault(into, []).append(rows.filter(pc.equal(month_of_row, month)))
            own = covered.setdefault(into, {})
            own |= {day: own.get(day, []) + sources for day, sources in days.items() if day[:7] == month}
    out = []
    for into, parts in tables.items():
        rows = pa.concat_tables(parts, promote_options="permissive")
        metadata = dict(parts[0].schema.metadata or {}) | {hourly.COVERED.encode(): json.dumps(covered[into]).encode()}
        (staging / into).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows.replace_schema_metadata(metadata), staging / into, compression="zstd")
        out.append(WrittenFile(table_of(into), into, rows.num_rows, (staging / into).stat().st_size))
    return out
