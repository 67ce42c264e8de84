"""The frozen folder: one opened state as plain Parquet files, with all that is needed to read and check it without
mqstat.

    tables/record/all.parquet  tables/qqst/2026-11.parquet   rows of a table; of a large one a file for each month
    views/buffer_pool/all.parquet                            rows of a view, on request
    README.md  views.sql  columns.csv                        what it is, the views as SQL, the columns
    ORIGIN.json                                              inputs, selection, generation, version
    SHA256SUMS                                               checksums of all other files

Rows are written in a fixed order, so the same rows give the same bytes: a later run replaces the files that differ and
leaves the others. SHA256SUMS is removed before the first file changes and written last, after ORIGIN.json: a folder
without it is incomplete. Names of files come from our tables and views only.
"""

# ruff: noqa: S608 - statements are built from names of our tables and columns, which are quoted

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.assemble.frozen_sql import DERIVED, columns_csv, readme, tables, views_sql
from mqstat.base.atomic_write import create_folder, read_kept, sync_folder, write_texts
from mqstat.base.errors import UsageError, write_failure
from mqstat.base.owned_folder import owned_folder, remove_unless_used
from mqstat.base.selection import Selection
from mqstat.base.version import __version__
from mqstat.dataset.paths import UNDATED
from mqstat.dataset.publishing import checksum
from mqstat.intake.view_rows import ROWS, compute, day_column, rows_of, view_names
from mqstat.sql.schemas import literal, quoted
from mqstat.sql.workspace import Workspace

ORIGIN, SUMS = "ORIGIN.json", "SHA256SUMS"

STAGING = "_incomplete"
"""Folder of the files that a run has not moved to their places yet."""

LOCK = "lock"
TEXTS = ("README.md", "views.sql", "columns.csv")

LARGE = 1_000_000
"""Rows from which a table has a file for each month."""

CLOSE = 1e-12
"""The part by which a sum may differ because its rows came in another order."""

_PATH = re.compile(rf"(?P<kind>tables|views)/(?P<name>[a-z0-9_]+)/(all|\d{{4,}}-\d\d|{UNDATED})\.parquet")


@dataclass(frozen=True)
class Frozen:
    """What a run did: files that the folder has, those that were written and those that were removed."""

    files: int
    written: int
    removed: int


def is_folder(path: Path) -> bool:
    """Whether a folder is a frozen folder, complete or not."""
    return any((path / name).is_file() for name in (ORIGIN, SUMS)) or (path / STAGING).is_dir()


def is_file_of_folder(path: str) -> bool:
    """Whether a path below a folder is one that this module gives to a file."""
    match = _PATH.fullmatch(path)
    known = {"tables": tables(), "views": view_names()}
    return path in {ORIGIN, SUMS, *TEXTS} or (match is not None and match["name"] in known[match["kind"]])


def paths_below(folder: Path) -> list[str]:
    """The paths of all files and links below a folder, without those of a run that writes it."""
    listed = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    below = (path.relative_to(folder).as_posix() for path in listed)
    return sorted(path for path in below if path.partition("/")[0] != STAGING)


def write_folder(database: Workspace, into: Path, selection: Selection, dataset: object = None, *, has_views: bool = False) -> Frozen:  # fmt: skip
    """Write the state that is opened in `database` into a folder, or bring the folder up to it; `has_views` = also the
    rows of all views.

    dataset: where the state comes from; None for dumps. Raises UsageError for a folder with anything else in it,
    ViewError if a view cannot be computed, DatasetError if the folder cannot be written.
    """
    _refuse(into, dataset)
    create_folder(into)
    staging = into / STAGING

    def create() -> Path:
        staging.mkdir()
        return staging

    try:
        remove_unless_used(staging, LOCK)
        with owned_folder(create, LOCK) as own:
            files = _stage(database, own, selection, has_views=has_views)
            texts = {
                "README.md": readme(has_views=has_views),
                "views.sql": views_sql(files),
                "columns.csv": columns_csv(),
            }
            write_texts(own, texts | {ORIGIN: _origin(database, selection, has_views=has_views)})
            return _publish(own, into)
    except FileExistsError:
        raise UsageError(f"{into}: another mqstat is writing it; run the command again later.") from None
    except OSError as error:
        raise write_failure(into, "cannot be written", error, "run the command again") from None
    finally:
        if not (into / SUMS).exists():
            with suppress(OSError):
                staging.mkdir(exist_ok=True)  # marks a folder that is incomplete


def _refuse(into: Path, dataset: object) -> None:
    """UsageError for a folder that holds anything which is not ours, or is inside the dataset."""
    if into.is_file():
        raise UsageError(f"{into} is a file; specify a folder with --into, which is created when missing.")
    if isinstance(dataset, Path) and into.resolve().is_relative_to(dataset.resolve()):
        raise UsageError(f"{into} is inside the dataset {dataset}; specify another folder with --into.")
    if not into.is_dir():
        return
    other = [path for path in paths_below(into) if not is_file_of_folder(path)]
    if not is_folder(into):
        other = sorted(path.name for path in into.iterdir())
    if other:
        raise UsageError(
            f"{into} is not a frozen folder (it has {other[0]}); specify an empty or new folder with --into."
        )


# --- rows


def _stage(database: Workspace, staging: Path, selection: Selection, *, has_views: bool) -> dict[str, list[str]]:
    """Write the rows of all tables, and of all views if requested; the paths of each table that has rows."""
    database.fill_report_classes()
    # The numbers of a selection are read from the records of neighbouring days, too.
    derived = DERIVED if selection.is_all else DERIVED - {"numbered_record"}
    files: dict[str, list[str]] = {}
    for name, schema in tables().items():
        day = "date" if "date" in schema.names else None
        if name not in derived and (
            paths := _write(database, f"decoded.{quoted(name)}", day, staging, f"tables/{name}")
        ):
            files[name] = paths
    if has_views:
        compute(database, view_names())
        for view in view_names():
            with rows_of(database, view) as rows:
                _write(database, rows, day_column(view), staging, f"views/{view}")
    return files


def _write(database: Workspace, rows: str, day: str | None, folder: Path, stem: str) -> list[str]:
    """Write these rows into one file, or into one for each month of a column; the paths, none without rows."""
    ((count,),) = database.execute(f"SELECT count(*) FROM {rows}").fetchall()
    if not count:
        return []
    parts = {f"{stem}/all.parquet": "true"}
    if count > LARGE and day is not None:
        month = f"strftime({quoted(day)}, '%Y-%m')"
        months = database.execute(f"SELECT DISTINCT {month} FROM {rows}").fetchall()
        parts = {
            f"{stem}/{name or UNDATED}.parquet": f"{month} = {literal(name)}" if name else f"{quoted(day)} IS NULL"
            for (name,) in sorted(months, key=str)
        }
    for path, condition in parts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        reader = database.reader(f"SELECT * FROM {rows} WHERE {condition} ORDER BY ALL NULLS FIRST", ROWS)
        with pq.ParquetWriter(folder / path, reader.schema, compression="zstd", store_schema=False) as writer:
            for batch in _of_equal_size(reader):
                writer.write_table(batch)
    return list(parts)


def _of_equal_size(reader: pa.RecordBatchReader) -> Iterator[pa.Table]:
    """The rows in groups of `ROWS`, however DuckDB divides them."""
    waiting: list[pa.RecordBatch] = []
    for batch in reader:
        waiting.append(batch)
        while sum(each.num_rows for each in waiting) >= ROWS:
            table = pa.Table.from_batches(waiting)
            yield table.slice(0, ROWS)
            waiting = table.slice(ROWS).to_batches()
    if waiting:
        yield pa.Table.from_batches(waiting)


def _origin(database: Workspace, selection: Selection, *, has_views: bool) -> str:
    """The text of ORIGIN.json; it has no time, so that the same state gives the same text."""
    sources = database.rows(
        "SELECT source_name AS name, source_bytes AS bytes, source_sha256 AS sha256 FROM decoded.source ORDER BY source_id"
    )
    stated: dict[str, Any] = {name: value for name, value in vars(selection).items() if value}
    content = {
        "mqstat": __version__,
        "generation": None if (dataset := database.opened.dataset) is None else dataset.manifest.generation,
        "selection": stated,
        "rows_of_views": has_views,
        "sources": sources,
    }
    return json.dumps(content, indent=1, default=str) + "\n"


# --- publishing


def _publish(staging: Path, into: Path) -> Frozen:
    """Move the files that differ from those of the folder into it, and remove those that it no longer has."""
    before, known = paths_below(into), sums_of(into)
    # ORIGIN.json is moved last.
    staged = sorted((path for path in paths_below(staging) if path != LOCK), key=lambda path: (path == ORIGIN, path))
    changed = [path for path in staged if not _is_same(into / path, staging / path, known.get(path))]
    removed = [path for path in before if path not in {*staged, SUMS}]
    sums = {path: checksum((staging if path in changed else into) / path) for path in staged}
    if changed or removed or sums != known:
        (into / SUMS).unlink(missing_ok=True)
        for path in changed:
            _move(staging / path, into / path)
        for path in removed:
            (into / path).unlink()
        for within in sorted({(into / path).parent for path in (*changed, *removed)}):
            sync_folder(within)
            with suppress(OSError):  # it has files
                within.rmdir()
        with suppress(OSError):
            (into / "views").rmdir()
        text = "".join(f"{digest}  {path}\n" for path, digest in sums.items())
        write_texts(staging, {SUMS: text})
        sync_folder(into)
        _move(staging / SUMS, into / SUMS)
        sync_folder(into)
    return Frozen(len(sums) + 1, len(changed), len(removed))


def _move(staged: Path, target: Path) -> None:
    """Replace a file by a staged one, which is on the disk then."""
    with staged.open("rb+") as stream:
        os.fsync(stream.fileno())
    target.parent.mkdir(parents=True, exist_ok=True)
    staged.replace(target)


def sums_of(folder: Path) -> dict[str, str]:
    """The SHA-256 of each path in SHA256SUMS; {} if the file is missing, cannot be read or is not one that mqstat
    writes.
    """
    try:
        lines = read_kept(folder / SUMS).decode().splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    parted = [re.fullmatch(r"([0-9a-f]{64})  (.+)", line) for line in lines]
    return {} if None in parted else {match[2]: match[1] for match in parted if match}


def _is_same(path: Path, staged: Path, known: str | None) -> bool:
    """Whether a file has the content of a staged one, of a view but for the last bits of numbers: sums of them depend
    on the order of rows.

    known: the checksum of the file when it was written.
    """
    if path.is_symlink() or not path.is_file():
        return False
    present = checksum(path)
    if present == checksum(staged):
        return True
    if staged.parent.parent.name != "views" or present != known:
        return False
    with pq.ParquetFile(path) as old, pq.ParquetFile(staged) as new:
        if old.schema_arrow != new.schema_arrow or old.metadata.num_rows != new.metadata.num_rows:
            return False
        groups = range(new.num_row_groups)
        return old.num_row_groups == len(groups) and all(
            _are_close(old.read_row_group(number), new.read_row_group(number)) for number in groups
        )


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
