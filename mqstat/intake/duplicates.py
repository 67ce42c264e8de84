"""Duplicates of one staged input: searched among its own records and those of the dataset, marked in table record and
removed from all other tables.

The definition is that of `mqstat.sql.duplicates`, which also finds the duplicates of dumps. The record that the dataset
has stays the first one whatever arrives later, so that an ingest changes only its own files.
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.errors import write_failure
from mqstat.dataset.manifest import FileEntry, Staged
from mqstat.dataset.paths import day_of
from mqstat.dataset.place import Home, local
from mqstat.dataset.rewriting import rewritten, rows_without, with_values
from mqstat.parsers.columns import Ints
from mqstat.parsers.tables import HASH, TEXT, table_schemas
from mqstat.sql.decoded import UNREADABLE, decoded_query, raise_damaged
from mqstat.sql.duplicates import DUPLICATES

if TYPE_CHECKING:
    import duckdb

    from mqstat.intake.staging import Input

READ = (
    "record_id", "source_id", "record_hash", "damage", "first_record_id", "interval_start_utc", "written_local", "outcome", "input_bytes",
)  # fmt: skip
"""The columns of table record that the search reads."""

Hashes: TypeAlias = np.ndarray[Any, Any]
"""Hashes of records, each as two numbers of 64 bits."""

MEMORY = "256MB"

MOST_IN_MEMORY = 1_000_000
"""Records of which the hashes are compared without a database first."""


def mark(
    folder: Home,
    known: Sequence[FileEntry],
    others: Collection[int],
    staged: Sequence[Staged],
    inputs: Sequence[Input],
    spill: Path,
    at: Mapping[str, Path] | None = None,
) -> list[Staged]:
    """Mark the duplicates of staged inputs: their files and ledgers change.

    folder, known: the dataset and its files; others: the sources in them to compare with; staged: the files of the
    inputs; spill: a folder for temporary files; at: where those files of the dataset are that are staged. Of equal
    records that of the dataset stays, else the first of the inputs. Returns the files as they are then. Raises OSError
    or ArrowException if a file cannot be read or written, DamagedFileError if a file of the dataset is damaged,
    DatasetError if a staged file was removed.
    """
    records = [each for each in staged if each.entry.table == "record"]
    if not records:
        return list(staged)
    near = [entry for entry in _near(known, records) if not entry.source_ids.isdisjoint(others)]
    there = frozenset[int]().union(*(entry.source_ids for entry in near))
    chosen = None if there <= set(others) else there & set(others)
    paths = [each.path for each in records]
    known_paths = [(at or {}).get(entry.path) or local(folder, entry.path) for entry in near]
    if not _may_be_equal(paths, known_paths):
        return list(staged)
    pairs, moved = _search(folder, paths, known_paths, chosen, inputs, spill)
    ids, firsts = pairs
    if not len(ids):
        return list(staged)
    for each in inputs:
        own = each.holds(ids)
        part, count = each.result.part, int(own.sum())
        inside = int(each.holds(firsts[own]).sum())
        each.result.in_dataset += count - inside
        each.result.repeated += inside
        for source_id, outcome, rows, size in moved:
            if source_id == each.source_id:
                part.ledger.move_duplicates(outcome, rows, size)
        if each.result.in_dataset + each.result.repeated == part.selected:
            part.sections, part.lost = {}, {}
    return [kept for each in staged for kept in _distinct(each, ids, firsts)]


def _may_be_equal(staged: Sequence[Path], known: Sequence[Path]) -> bool:
    """Whether a staged record has the first half of its hash in common with another record; true without a look if
    there are many records.

    A small dump rarely has a duplicate, and opening a database takes longer than reading its hashes.
    """
    try:
        own = _hashes(staged, MOST_IN_MEMORY)
        others = None if own is None else _hashes(known, MOST_IN_MEMORY - len(own))
    except (OSError, ValueError, pa.ArrowException):
        return True  # the search reports the file
    if own is None or others is None:
        return True
    # np.unique and np.isin use a hash table, which takes ten times as long as sorting
    first, there = np.sort(own[:, 0]), np.sort(others[:, 0])
    if not len(first) or (first[1:] == first[:-1]).any():
        return bool(len(first))
    return bool((first.take(np.searchsorted(first, there), mode="clip") == there).any())


def _hashes(files: Sequence[Path], most: int) -> Hashes | None:
    """The hashes in files of table record, as two numbers each; None if they have more rows than `most`, or rows
    without a hash.
    """
    parts = [np.zeros((0, 2), np.uint64)]
    for file in files:
        with pq.ParquetFile(file) as parquet:
            most -= parquet.metadata.num_rows
            if most < 0:
                return None
            column = parquet.read(columns=["record_hash"]).column(0).cast(HASH).combine_chunks()
        if column.null_count:
            return None
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            whole = np.frombuffer(chunk.buffers()[1], np.uint64).reshape(-1, 2)
            parts.append(whole[chunk.offset : chunk.offset + len(chunk)])
    return np.concatenate(parts)


def _near(entries: Iterable[FileEntry], staged: Sequence[Staged]) -> list[FileEntry]:
    """The files of table record that may have an equal record.

    Equal records can have different days only if the day of one is that of its interval, which is at most a day long,
    and the interval of the other is not known.
    """
    days = {day_of(each.entry.path) for each in staged}
    around = {None} | {day + dt.timedelta(days=away) for day in days if day is not None for away in (-1, 0, 1)}
    return [entry for entry in entries if entry.table == "record" and day_of(entry.path) in around]


def _search(
    folder: Home,
    staged: Sequence[Path],
    known: Sequence[Path],
    chosen: Collection[int] | None,
    inputs: Sequence[Input],
    spill: Path,
) -> tuple[tuple[Ints, Ints], list[tuple[int, str, int, int]]]:
    """The staged duplicates in order, each with its first record, and their number and bytes by source and outcome."""
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
            others = _known_rows(connection, schema, known, chosen)
            connection.execute(f"CREATE VIEW decoded.record AS FROM staged {others}")
            pairs = connection.sql(DUPLICATES).to_arrow_table()
            ids, firsts = _own(pairs["record_id"].to_numpy(), pairs["first_record_id"].to_numpy(), inputs)
            moved: list[tuple[int, str, int, int]] = []
            if len(ids):
                connection.register("duplicate", pa.table({"record_id": ids}))
                counted = (
                    "SELECT source_id, outcome, count(*), sum(input_bytes)::BIGINT FROM staged SEMI JOIN duplicate USING (record_id) "
                    "GROUP BY source_id, outcome"
                )
                moved = connection.execute(counted).fetchall()
        except UNREADABLE as error:
            if staged[0].exists():  # else the dataset was removed, and no file of it is damaged
                raise_damaged(files, error)
            what = "the duplicates of an input could not be searched"
            raise write_failure(folder, what, error, "nothing of it was added") from error
        return (ids, firsts), moved


def _known_rows(
    connection: duckdb.DuckDBPyConnection, schema: pa.Schema, known: Sequence[Path], chosen: Collection[int] | None
) -> str:
    """The records of the dataset that were written within the time of the staged ones, of all sources or those
    `chosen`, without duplicates, to be appended to a query.
    """
    if not known:
        return ""
    bounds = "SELECT min(written_local), max(written_local), count(*) - count(written_local) FROM staged"
    first, last, undated = connection.execute(bounds).fetchall()[0]
    times = [f"written_local BETWEEN TIMESTAMP '{first}' AND TIMESTAMP '{last}'"] if first is not None else []
    times += ["written_local IS NULL"] if undated or not times else []
    query = decoded_query(connection, "record", schema, known, "", table_schemas()["record"])[0]
    names = ", ".join(schema.names)
    condition = f"first_record_id IS NULL AND ({' OR '.join(times)})"
    if chosen is not None:
        condition += f" AND source_id IN ({', '.join(str(int(number)) for number in chosen)})"
    return f"UNION ALL SELECT {names} FROM ({query}) WHERE {condition}"


def _own(ids: Ints, firsts: Ints, inputs: Sequence[Input]) -> tuple[Ints, Ints]:
    """The pairs of duplicate and first record whose duplicate is staged, in order; a record that the dataset has stays
    the first one.
    """
    own, own_first = (np.logical_or.reduce([each.holds(numbers) for each in inputs]) for numbers in (ids, firsts))
    better = ~own & own_first
    stays: dict[int, int] = {}
    for known, staged in zip(ids[better].tolist(), firsts[better].tolist(), strict=True):
        stays[staged] = min(known, stays.get(staged, known))
    ids, firsts = ids[own], firsts[own]
    if stays:
        firsts = np.array([stays.get(first, first) for first in firsts.tolist()], np.int64)
        ids = np.concatenate([ids, np.array(list(stays), np.int64)])
        firsts = np.concatenate([firsts, np.array(list(stays.values()), np.int64)])
    order = np.argsort(ids)
    return ids[order], firsts[order]


def without_sources(staged: Sequence[Staged], dropped: Collection[int]) -> list[Staged]:
    """Staged files without the rows of some sources."""
    rest = rows_without(dropped)
    return [
        kept for each in staged for kept in (_rewritten(each, rest) if each.entry.source_ids & set(dropped) else [each])
    ]


def _distinct(staged: Staged, ids: Ints, firsts: Ints) -> list[Staged]:
    """A staged file with its duplicates marked (table record) or removed; none if no row is left."""
    is_record = staged.entry.table == "record"
    if not is_record:
        with pq.ParquetFile(staged.path) as parquet:
            if not np.isin(parquet.read(columns=["record_id"])["record_id"].to_numpy(), ids).any():
                return [staged]

    def distinct(rows: pa.Table) -> pa.Table:
        duplicate = np.isin(rows["record_id"].to_numpy(), ids)
        return _marked(rows, duplicate, ids, firsts) if is_record else rows.filter(pa.array(~duplicate))

    return _rewritten(staged, distinct)


def _rewritten(staged: Staged, change: Callable[[pa.Table], pa.Table]) -> list[Staged]:
    """A staged file with other rows of each row group, as a new file; none if no row is left."""
    root = Path(tempfile.mkdtemp(prefix="d", dir=staged.path.parent.parent))
    return rewritten(
        staged.entry.table, [staged.path], root, f"s{min(staged.entry.source_ids):06d}-{root.name}", change
    )


def _marked(rows: pa.Table, duplicate: np.ndarray[Any, Any], ids: Ints, firsts: Ints) -> pa.Table:
    """Rows of table record with the outcome and the first record of duplicates; marks of what is a duplicate itself now
    move on to its first record.
    """
    import pyarrow.compute as pc

    before = rows["first_record_id"].fill_null(-1).to_numpy()
    of = np.where(duplicate, rows["record_id"].to_numpy(), before)
    moved = firsts[np.searchsorted(ids, of).clip(0, len(ids) - 1)]
    first = np.where(np.isin(of, ids), moved, before)
    outcome = pc.if_else(pa.array(duplicate), "duplicate", rows["outcome"].cast(pa.string()))
    rows = with_values(rows, "outcome", outcome.dictionary_encode().cast(TEXT))
    return with_values(rows, "first_record_id", pa.array(first, mask=first < 0))
