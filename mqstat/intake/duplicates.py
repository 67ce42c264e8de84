"""Duplicates of one staged input: searched among its own records and those of the dataset, marked in table record and removed from all other tables.

The definition is that of `mqstat.sql.duplicates`, which also finds the duplicates of dumps. The record that the dataset has stays the first one whatever arrives later, so
that an ingest changes only its own files.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.errors import write_failure
from mqstat.dataset.manifest import FileEntry, Manifest, SourceEntry
from mqstat.dataset.paths import EPOCH, day_of
from mqstat.dataset.place import Home, local
from mqstat.dataset.writer import PartWriter, WrittenFile
from mqstat.intake.part import PartResult
from mqstat.parsers.columns import Ints
from mqstat.parsers.record import NONE
from mqstat.parsers.tables import DATE, HASH, TEXT, table_schemas
from mqstat.sql.decoded import UNREADABLE, decoded_query, raise_damaged
from mqstat.sql.duplicates import DUPLICATES

if TYPE_CHECKING:
    import duckdb

READ = (
    "record_id", "source_id", "record_hash", "damage", "first_record_id", "interval_start_utc", "written_local", "outcome", "input_bytes",
)  # fmt: skip
"""The columns of table record that the search reads."""

MEMORY = "256MB"

MOST_IN_MEMORY = 1_000_000
"""Records of which the hashes are compared without a database first."""


@dataclass(frozen=True)
class Marked:
    """Duplicates of one input: those that are in the dataset already, and those that repeat a record of the input itself."""

    in_dataset: int = 0
    repeated: int = 0


def mark(
    folder: Home,
    manifest: Manifest,
    earlier: Sequence[tuple[Path, str]],
    replaced: SourceEntry | None,
    staging: Path,
    first_record_id: int,
    part: PartResult,
) -> Marked:
    """Mark the duplicates of a staged input: its files and its ledger change.

    folder, manifest: the dataset; earlier: inputs that are staged but not published yet, as staging folder and path; replaced: the source that
    this one replaces, whose records do not count; staging: the folder of the files of `part`; first_record_id: the lowest record id of the input. Raises
    OSError or ArrowException if a file cannot be written, DamagedFileError if a file of the dataset cannot be read, DatasetError if a staged file was removed.
    """
    staged = [file for file in part.files if file.table == "record"]
    if not staged:
        return Marked()
    known = [local(folder, entry.path) for entry in _near(manifest.files, staged)]
    known += [at / path for at, path in earlier if path.split("/")[0] == "record"]
    if not _may_be_equal([staging / file.path for file in staged], known):
        return Marked()
    left_out = replaced.source_id if replaced is not None else None
    ids, firsts = _search(
        folder, [staging / file.path for file in staged], known, left_out, first_record_id, part, staging / "spill"
    )
    if not len(ids):
        return Marked()
    is_all = len(ids) == part.selected
    if is_all:
        part.sections, part.lost = {}, {}
    part.files = [
        kept for file in part.files if (kept := _distinct(staging, file, ids, firsts, is_all=is_all)) is not None
    ]
    in_dataset = int((firsts < first_record_id).sum())
    return Marked(in_dataset, len(ids) - in_dataset)


def _may_be_equal(staged: Sequence[Path], known: Sequence[Path]) -> bool:
    """Whether a staged record has the first half of its hash in common with another record; true without a look if there are many records.

    A small dump rarely has a duplicate, and opening a database takes longer than reading its hashes.
    """
    try:
        own = _halves(staged, MOST_IN_MEMORY)
        others = None if own is None else _halves(known, MOST_IN_MEMORY - len(own))
    except (OSError, ValueError, pa.ArrowException):
        return True  # the search reports the file
    if own is None or others is None:
        return True
    return len(np.unique(own)) < len(own) or bool(np.isin(own, others).any())


def _halves(files: Sequence[Path], most: int) -> np.ndarray[Any, Any] | None:
    """The first eight bytes of the hashes in files of table record; None if they have more rows than `most`, or rows without a hash."""
    halves = [np.zeros(0, np.uint64)]
    for file in files:
        with pq.ParquetFile(file) as parquet:
            most -= parquet.metadata.num_rows
            if most < 0:
                return None
            hashes = parquet.read(columns=["record_hash"]).column(0).cast(HASH).combine_chunks()
        if hashes.null_count:
            return None
        for chunk in hashes.chunks if isinstance(hashes, pa.ChunkedArray) else [hashes]:
            whole = np.frombuffer(chunk.buffers()[1], np.uint64).reshape(-1, 2)
            halves.append(whole[chunk.offset : chunk.offset + len(chunk), 0])
    return np.concatenate(halves)


def _near(entries: Iterable[FileEntry], staged: Sequence[WrittenFile]) -> list[FileEntry]:
    """The files of table record that may have an equal record.

    Equal records can have different days only if the day of one is that of its interval, which is at most a day long, and the interval of the other is not known.
    """
    days = {day_of(file.path) for file in staged}
    near = {None} | {day + dt.timedelta(days=away) for day in days if day is not None for away in (-1, 0, 1)}
    return [entry for entry in entries if entry.table == "record" and day_of(entry.path) in near]


def _search(
    folder: Home,
    staged: Sequence[Path],
    known: Sequence[Path],
    left_out: int | None,
    first_record_id: int,
    part: PartResult,
    spill: Path,
) -> tuple[Ints, Ints]:
    """The duplicates of a staged input in order, each with its first record; moves them in the ledger."""
    import duckdb  # an ingest needs it for nothing else

    schema = pa.schema([table_schemas()["record"].field(name) for name in READ])
    files = {str(path): "record" for path in known}
    with duckdb.connect(":memory:") as connection:
        try:
            connection.execute(f"SET memory_limit = '{MEMORY}'")
            connection.execute("SET temp_directory = $spill", {"spill": str(spill)})
            connection.execute("CREATE SCHEMA decoded")
            query = decoded_query(connection, "record", schema, staged, "", None)[0]
            connection.execute(f"CREATE VIEW staged AS {query}")
            others = _known_rows(connection, schema, known, left_out)
            connection.execute(f"CREATE VIEW decoded.record AS FROM staged {others}")
            pairs = connection.sql(DUPLICATES).to_arrow_table()
            ids, firsts = _own(pairs["record_id"].to_numpy(), pairs["first_record_id"].to_numpy(), first_record_id)
            if len(ids):
                connection.register("duplicate", pa.table({"record_id": ids}))
                moved = (
                    "SELECT outcome, count(*), sum(input_bytes)::BIGINT FROM staged SEMI JOIN duplicate USING (record_id) "
                    "GROUP BY outcome"
                )
                for outcome, records, size in connection.execute(moved).fetchall():
                    part.ledger.move_duplicates(outcome, records, size)
        except UNREADABLE as error:
            if staged[0].exists():  # else the dataset was removed, and no file of it is damaged
                raise_damaged(files, error)
            what = "the duplicates of an input could not be searched"
            raise write_failure(folder, what, error, "nothing of it was added") from error
        return ids, firsts


def _known_rows(
    connection: duckdb.DuckDBPyConnection, schema: pa.Schema, known: Sequence[Path], left_out: int | None
) -> str:
    """The records of the dataset that were written within the time of the staged ones, without duplicates and the source `left_out`, to be appended to a query."""
    if not known:
        return ""
    bounds = "SELECT min(written_local), max(written_local), count(*) - count(written_local) FROM staged"
    first, last, undated = connection.execute(bounds).fetchall()[0]
    times = [f"written_local BETWEEN TIMESTAMP '{first}' AND TIMESTAMP '{last}'"] if first is not None else []
    times += ["written_local IS NULL"] if undated or not times else []
    query = decoded_query(connection, "record", schema, known, "", table_schemas()["record"])[0]
    names = ", ".join(schema.names)
    condition = f"first_record_id IS NULL AND ({' OR '.join(times)})"
    if left_out is not None:
        condition += f" AND source_id <> {int(left_out)}"
    return f"UNION ALL SELECT {names} FROM ({query}) WHERE {condition}"


def _own(ids: Ints, firsts: Ints, first_record_id: int) -> tuple[Ints, Ints]:
    """The pairs of duplicate and first record whose duplicate is staged, in order; a record that the dataset has stays the first one."""
    better = (ids < first_record_id) & (firsts >= first_record_id)
    stays: dict[int, int] = {}
    for known, staged in zip(ids[better].tolist(), firsts[better].tolist(), strict=True):
        stays[staged] = min(known, stays.get(staged, known))
    own = ids >= first_record_id
    ids, firsts = ids[own], firsts[own]
    if stays:
        firsts = np.array([stays.get(first, first) for first in firsts.tolist()], np.int64)
        ids = np.concatenate([ids, np.array(list(stays), np.int64)])
        firsts = np.concatenate([firsts, np.array(list(stays.values()), np.int64)])
    order = np.argsort(ids)
    return ids[order], firsts[order]


def _distinct(staging: Path, file: WrittenFile, ids: Ints, firsts: Ints, *, is_all: bool) -> WrittenFile | None:
    """A staged file with its duplicates marked (table record) or removed; None if no row is left."""
    path = staging / file.path
    if is_all and file.table != "record":
        path.unlink()
        return None
    with pq.ParquetFile(path) as parquet:
        if "record_id" not in parquet.schema_arrow.names:
            return file
        duplicate = np.isin(parquet.read(columns=["record_id"])["record_id"].to_numpy(), ids)
        if not duplicate.any():
            return file
        if duplicate.all() and file.table != "record":
            path.unlink()
            return None
        root = staging / "distinct"
        root.mkdir(exist_ok=True)
        writer = PartWriter(root, path.stem)
        at = 0
        for group in range(parquet.num_row_groups):
            rows = parquet.read_row_group(group).drop_columns([DATE.name])  # the writer adds it
            here = duplicate[at : at + rows.num_rows]
            at += rows.num_rows
            rows = _marked(rows, here, ids, firsts) if file.table == "record" else rows.filter(pa.array(~here))
            writer.add_table(file.table, rows, np.full(rows.num_rows, _day(file)))
    (rewritten,) = writer.close()
    (root / rewritten.path).replace(path)
    return WrittenFile(file.table, file.path, rewritten.rows, rewritten.bytes)


def _day(file: WrittenFile) -> int:
    day = day_of(file.path)
    return NONE if day is None else (day - EPOCH).days


def _marked(rows: pa.Table, duplicate: np.ndarray[Any, Any], ids: Ints, firsts: Ints) -> pa.Table:
    """Rows of table record with the outcome and the first record of duplicates."""
    import pyarrow.compute as pc

    own = rows["record_id"].to_numpy()
    first = firsts[np.searchsorted(ids, own).clip(0, len(ids) - 1)]
    outcome = pc.if_else(pa.array(duplicate), "duplicate", rows["outcome"].cast(pa.string()))
    for name, values in (
        ("outcome", outcome.dictionary_encode().cast(TEXT)),
        ("first_record_id", pa.array(first, mask=~duplicate)),
    ):
        at = rows.schema.get_field_index(name)
        rows = rows.set_column(at, rows.schema.field(at).with_type(values.type), values)
    return rows
