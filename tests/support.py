"""Functions that several tests share: decoding a dump into plain Arrow tables, comparing such tables, and calling the
program.
"""

from __future__ import annotations

import datetime as dt
import io
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from mqstat.base.selection import Selection
from mqstat.dataset.reservation import first_record_id
from mqstat.fixtures import accounting
from mqstat.fixtures.accounting import Task
from mqstat.fixtures.build import record
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.numbers import numbered
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.intake.part import Job
from mqstat.intake.pipeline import Scratch, SourceResult
from mqstat.intake.workers import Workers
from mqstat.parsers.framing import Framing
from mqstat.sources.source import Source, find_sources
from mqstat.sql.opened import SMALL_IN_MEMORY
from mqstat.sql.schemas import all_schemas
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.opening import open_database

Tables = dict[str, pa.Table]

POSITION = ("source_id", "record_id", "record_number", "source_offset", "input_bytes", "segments", "date")
"""Columns with the origin of a row; they differ between two framings of the same dump."""

READERS = ("source", "damage", "other_record")
"""Tables about the framing of the input."""

ROOT = Path(__file__).resolve().parent.parent


def source_of(path: Path) -> Source:
    """The only source of a file."""
    (source,) = find_sources([str(path)])
    return source


def file_of(data: bytes, folder: Path, name: str = "dump.smf") -> Path:
    """A file with these bytes."""
    path = folder / name
    path.write_bytes(data)
    return path


def read_files(files: Iterable[Path]) -> pa.Table:
    """Concatenated Parquet files; text plain instead of dictionary-encoded."""
    parts = []
    for path in files:
        with pq.ParquetFile(path) as opened:
            table = opened.read()
        parts.append(plain(table))
    return pa.concat_tables(parts).combine_chunks()


def plain(table: pa.Table) -> pa.Table:
    """The table without dictionaries and metadata."""
    schema = pa.schema(
        [pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in table.schema]
    )
    return table if schema.equals(table.schema, check_metadata=True) else table.cast(schema)


def tables_in(files: Mapping[str, Collection[Path]]) -> Tables:
    """The content of every table; rows in the order of days, then of the input."""
    return {name: read_files(sorted(paths)) for name, paths in files.items()}


def decode_sources(
    sources: Iterable[Source],
    wanted: dict[str, Collection[str]] | None = None,
    framing: Framing | None = None,
    workers: Workers | None = None,
    keeps: bool = False,
    **options: Any,
) -> tuple[Tables, list[SourceResult]]:
    """Every table of some sources, decoded together and numbered as in a dataset, and the result of each source.

    `keeps` = through the files of a dataset, by day; else the rows stay in memory in the order of the input, as for a
    report of a small dump, unless there are several workers.
    """
    with Scratch(0 if keeps else sys.maxsize) as scratch:
        for number, source in enumerate(sources, start=1):
            job = Job(number, first_record_id(number), Selection(), wanted, scratch.root, keeps)
            scratch.add(source, job, framing=framing, workers=workers, **options)
        if scratch.files:
            return tables_in(scratch.sources()), scratch.results  # type: ignore[arg-type]
        return {name: plain(table).combine_chunks() for name, table in scratch.sources().items()}, scratch.results


def decode_file(path: Path, **options: Any) -> tuple[Tables, SourceResult]:
    """Every table of one file, and its result."""
    sources, results = decode_sources(find_sources([str(path)]), **options)
    (result,) = results
    return sources, result


def decode_bytes(data: bytes, folder: Path, **options: Any) -> tuple[Tables, SourceResult]:
    """Every table of a dump given as bytes."""
    return decode_file(file_of(data, folder), **options)


def placeless(tables: Tables) -> Tables:
    """The tables without the columns that depend on the framing of the input; rows in the order of the input."""
    out = {}
    for name, table in tables.items():
        if name not in READERS:
            order = [(c, "ascending") for c in ("record_id", "section") if c in table.column_names]
            kept = [c for c in table.column_names if c not in POSITION]
            out[name] = (table.sort_by(order) if order else table).select(kept)
    return out


def difference(first: Tables, second: Tables) -> list[str]:
    """The differences between two sets of tables, as text; empty if they are equal."""
    out = [f"table {name} is in one of them only" for name in sorted(first.keys() ^ second.keys())]
    for name in sorted(first.keys() & second.keys()):
        a, b = first[name], second[name]
        if a.column_names != b.column_names:
            out.append(f"{name}: columns {sorted(set(a.column_names) ^ set(b.column_names)) or 'in another order'}")
        elif a.num_rows != b.num_rows:
            out.append(f"{name}: {a.num_rows} and {b.num_rows} rows")
        elif not a.equals(b):
            for column in a.column_names:
                if not a[column].combine_chunks().equals(b[column].combine_chunks()):
                    x, y = a[column].to_pylist(), b[column].to_pylist()
                    row = next((i for i, (v, w) in enumerate(zip(x, y, strict=True)) if v != w), -1)
                    out.append(f"{name}.{column}: row {row}: {x[row]!r} and {y[row]!r}")
    return out


def microseconds(column: pa.ChunkedArray) -> list[int | None]:
    """Times as microseconds since 1970."""
    return list(pc.cast(column, pa.int64()).to_pylist())


def by_record(table: pa.Table, *columns: str) -> dict[int, list[tuple[Any, ...]]]:
    """record_id -> rows of the named columns."""
    out: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for number, *values in zip(table["record_id"].to_pylist(), *(table[c].to_pylist() for c in columns), strict=True):
        out[number].append(tuple(values))
    return dict(out)


def call(
    *arguments: str | Path,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 60,
) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a process."""
    return subprocess.run(
        [sys.executable, "-m", "mqstat", *map(str, arguments)],
        input=input, env={**os.environ, **(env or {})}, cwd=cwd, capture_output=True, timeout=timeout, check=False,
    )  # fmt: skip


def invoke(
    *arguments: str | Path,
    input: bytes | BinaryIO = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> Finished:
    """Run the program in this process as `call` does in a new one; for tests that do not depend on process startup.

    `input` = what standard input has, or the open file that it is. `encoding` is that of standard output, which refuses
    characters that it lacks.
    """
    from mqstat.cli import run

    out = io.TextIOWrapper(
        io.BytesIO(), encoding, "backslashreplace" if encoding == "utf-8" else "strict", write_through=True
    )
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
    with pytest.MonkeyPatch.context() as patch:
        for stream, name in (
            (out, "stdout"),
            (err, "stderr"),
            (io.TextIOWrapper(io.BytesIO(input) if isinstance(input, bytes) else input), "stdin"),
        ):
            patch.setattr(sys, name, stream)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        patch.chdir(cwd or Path.cwd())
        code = run([str(argument) for argument in arguments])
    texts = (stream.buffer.getvalue().decode("utf-8") for stream in (out, err))
    return Finished(code, *texts)


class Finished(NamedTuple):
    """Return code and output of a command that ran in this process."""

    returncode: int
    stdout: str
    stderr: str


def built_records() -> list[bytes]:
    """Joined records of three levels: every kind the fixtures can write, continuations, internal and unknown ones, and
    other SMF types.
    """
    out: list[bytes] = []
    night = dt.datetime(2026, 3, 28, 23, 30)
    for number, (name, level, offset) in enumerate(
        (("MQ80", "8.0.0", -360), ("MQ94", "9.4.5", 60), ("MQ10", "10.0.0", 330))
    ):
        owner = QueueManager(
            name, f"SYS{number}", level=level, gmt_offset_minutes=offset, qsg="QSG1", structures=("APP1",), shared_data_sets=("APP1",),
            pool_headers=6, getmains=5,
        )  # fmt: skip
        for half_hour in range(3):
            start = night + half_hour * dt.timedelta(minutes=30)
            end_utc = start + dt.timedelta(minutes=30 - offset)
            out += owner.interval(start, 1800, load=0.3 + 0.2 * half_hour, extra_subtypes=(240,))
            names = [f"QUEUE.{i}" for i in range(5)]
            out += accounting.class3(
                owner, Task(), end_utc - MINUTE, end_utc, names, number=half_hour, per_record=(2, 2)
            )
            out.append(accounting.class1(owner, Task(), end_utc - MINUTE, end_utc, number=half_hour))
            out.append(accounting.channels(owner, start, 1800, ("A.TO.B", "B.TO.A")))
        out.append(unknown_record(owner, night))
    return numbered(out)


MINUTE = dt.timedelta(minutes=1)


def unknown_record(owner: QueueManager, written: dt.datetime) -> bytes:
    """A record of type 115 with a subtype that does not exist."""
    return record(
        115, 99, {1: [bytes(range(1, 41))]}, lpar=owner.lpar, qmgr=owner.name, level=owner.level, written_local=written
    )


@cache
def built_dump() -> bytes:
    """A dump of `built_records`."""
    return smf_file(built_records(), spanned="vbs")


def small_dump() -> bytes:
    """A dump for tests of what happens to files: few tables, and rows on two days, 2026-03-28 and the day after."""
    owner = QueueManager(gmt_offset_minutes=0)
    evening = dt.datetime(2026, 3, 28, 23, 15)
    ends = [evening + number * dt.timedelta(minutes=30) for number in range(4)]
    tasks = [accounting.class1(owner, Task(), end - MINUTE, end, number=number) for number, end in enumerate(ends)]
    return smf_file([*tasks, unknown_record(owner, evening)], spanned="vbs")


START = dt.datetime(2026, 1, 5, 10)
"""When the interval of `arrow` starts."""


def common(table: str, interval_us: int, level: str = "9.4.0", section: int = 0) -> dict[str, Any]:
    """Lineage of a row."""
    return {
        "source_id": 1, "record_id": 1, "section": section, "section_length": 0, "lpar": "SYS1", "qmgr": "MQ01", "mq_version": level, "interval_start_utc": START,
        "interval_start_local": START, "interval_end_utc": START + dt.timedelta(microseconds=interval_us), "interval_us": interval_us,
    }  # fmt: skip


def arrow(rows: dict[str, list[dict[str, Any]]], interval_us: int) -> dict[str, pa.Table]:
    """Rows with their lineage as Arrow tables, and the record they come from."""
    record = {
        **common("record", interval_us),
        "smf_type": 115,
        "subtype": 1,
        "record_class": "115.1",
        "record_start_utc": START,
    }
    record |= {
        "record_start_local": START,
        "record_us": interval_us,
        "written_local": START,
        "gmt_offset_minutes": 0,
        "source_offset": 0,
    }
    rows = {**rows, "record": [record]}
    made = {}
    for table, given in rows.items():
        schema = all_schemas()[table]
        lineage = common(table, interval_us)
        columns = [
            pa.array([row.get(field.name, lineage.get(field.name)) for row in given], field.type) for field in schema
        ]
        made[table] = pa.Table.from_arrays(columns, schema=schema)
    return made


@contextmanager
def reading(
    path: Path, wanted: dict[str, Any] | None = None, views: bool = False, **options: Any
) -> Iterator[Workspace]:
    """A database over one dump, decoded as for a report made directly from a dump."""
    with Scratch(SMALL_IN_MEMORY) as scratch:
        first = 0
        for number, source in enumerate(find_sources([str(path)]), start=1):
            job = Job(number, first, Selection(), wanted, scratch.root, keeps=False)
            first += scratch.add(source, job, sha256=False).part.records
        with open_database(
            scratch.sources(), temp_directory=scratch.root, views=views, threads=1, decoded=wanted, **options
        ) as db:
            yield db
