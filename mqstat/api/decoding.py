"""Bytes of a dump -> Arrow record batches, without a dataset in between."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pyarrow as pa

from mqstat.api.inputs import Dump, framing_named, sources_of
from mqstat.base.errors import InputError, UsageError
from mqstat.base.nearest import did_you_mean
from mqstat.intake.part import damage_of
from mqstat.intake.pipeline import CHUNK, chunks_of, recognise
from mqstat.intake.stream import LOOK_AHEAD, LOOK_BACK, part_of, with_intervals
from mqstat.parsers import interval
from mqstat.parsers.batch import decode_chunk
from mqstat.parsers.columns import Ints
from mqstat.parsers.framing import Framing
from mqstat.parsers.record import NONE, Records
from mqstat.parsers.tables import DATE, table_schemas
from mqstat.sources.source import Source

COUNTS = frozenset({"source", "other_record", "section", "lost_value"})
"""Decoded tables with counts over a whole input: a dataset has them, a stream of batches has not."""


def schemas() -> dict[str, pa.Schema]:
    """The Arrow schema of every decoded table by name; each field has unit, kind, IBM's name and description in its metadata."""
    return dict(table_schemas())


def decode(
    path_or_bytes: Dump,
    tables: Collection[str] | Mapping[str, Collection[str]] | None = None,
    start: int | None = None,
    stop: int | None = None,
    first_record: int = 0,
    *,
    framing: str | None = None,
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Decode a dump, or a range of one that `split` gave, into (table, record batch) pairs in the order of the input.

    path_or_bytes: the path of a file, folder or archive, `-` for standard input, several paths, a file opened with "rb", or the bytes. A file is read once
    from where it is and stays open.
    tables: only these tables; a mapping names the columns of each too. None = all tables except those of counts (`source`, `other_record`,
    `section`, `lost_value`), which only a whole dataset has. Damaged bytes are rows of table `damage`.
    start, stop, first_record: offsets of a range in bytes and the number of its first record; without them the whole input.
    framing: `rdw`, `bdw`, `no-rdw` or `length-prefixed` for an input whose framing is not recognised.

    The batches of a table have its schema in `schemas()`, cut to the columns asked for; a batch holds the rows of up to 16 MiB of input, and memory
    does not grow with the input. A table without rows gives no batch.

    Raises UsageError for an unknown table or column, and for a range of an input without offsets (compressed, an archive, standard input).
    While iterating, it raises InputError when the input cannot be read; when compressed data is damaged or one of several files cannot be read, after
    all rows that could be read.
    """
    wanted = _wanted(tables)
    if min(start or 0, stop or 0, first_record) < 0:
        raise UsageError("start, stop and first_record are not negative.")
    return _decode(path_or_bytes, wanted, start or 0, stop, first_record, framing_named(framing))


def _wanted(tables: Collection[str] | Mapping[str, Collection[str]] | None) -> dict[str, list[str]]:
    """The tables to decode, each with its columns in the order of its schema; UsageError for a name that is not known."""
    known = {name: schema.names for name, schema in table_schemas().items() if name not in COUNTS}
    if tables is None:
        return known
    if isinstance(tables, str):
        tables = [tables]
    for name in tables:
        if name in COUNTS:
            raise UsageError(f"Table {name} has counts over a whole input; read it with open_dump or open_dataset.")
        if name not in known:
            raise UsageError(
                f"There is no table {name}{did_you_mean(name, known) or '; mqstat.schemas() has them all'}."
            )
    if not isinstance(tables, Mapping):
        return {name: known[name] for name in tables}
    for name, columns in tables.items():
        for column in columns:
            if column not in known[name]:
                near = did_you_mean(column, known[name])
                raise UsageError(f"Table {name} has no column {column}{near or '; mqstat.schemas() has them all'}.")
    return {name: [column for column in known[name] if column in columns] for name, columns in tables.items()}


def _decode(
    dump: Dump, wanted: dict[str, list[str]], start: int, stop: int | None, first_record: int, framing: Framing | None
) -> Iterator[tuple[str, pa.RecordBatch]]:
    problems: list[InputError] = []
    before = 0  # records of the sources before this one
    for source_id, source in enumerate(sources_of(dump), start=1):
        if (start or stop is not None) and not source.has_offsets and source.fault is None:
            raise UsageError(
                f"{source.name}: has no ranges, it is compressed or part of an archive; leave start and stop out."
            )
        count = 0
        try:
            for r in _records(source, framing, start, stop, first_record):
                yield from _batches(r, source_id, before, wanted)
                count += len(r.chunk.base)
        except InputError as error:
            problems.append(error)
        else:
            if source.problem:
                problems.append(InputError(source.problem))
        before += count
    if problems:
        raise problems[0]


def _records(source: Source, framing: Framing | None, start: int, stop: int | None, number: int) -> Iterator[Records]:
    """The records of a source, or of a range of it, chunk by chunk and with their intervals; `number` is that of the first one."""
    if source.has_offsets:
        recognised, opened, _ = recognise(source, framing)
        opened.close()
        chunks = part_of(source, recognised, start, stop, CHUNK)
        before = part_of(source, recognised, max(0, start - LOOK_BACK), start, CHUNK) if start else ()
        after = part_of(source, recognised, stop, stop + LOOK_AHEAD, CHUNK) if stop is not None else ()
        pairs = with_intervals(chunks, number, before, after)
    else:
        pairs = with_intervals(chunks_of(source, framing), number)
    for r, resolved in pairs:
        interval.apply(r, resolved)
        yield r


def _batches(
    r: Records, source_id: int, first_record_id: int, wanted: dict[str, list[str]]
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of one chunk by table."""
    tables = decode_chunk(r, source_id, first_record_id, wanted).tables if len(r) else {}
    rows = {name: _dated(table, days) for name, (table, days) in tables.items()}
    damage = damage_of(r, first_record_id) if "damage" in wanted else []
    if damage:
        rows["damage"] = pa.table(
            {
                "source_id": [source_id] * len(damage),
                "damage_offset": [each.offset for each, _ in damage],
                "damage_bytes": [each.length for each, _ in damage],
                "damage_reason": [each.reason for each, _ in damage],
                "record_id": pa.array([record_id for _, record_id in damage], pa.int64()),
                DATE.name: pa.nulls(len(damage), DATE.type),
            }
        )
    for name, table in rows.items():
        if name in wanted and table.num_rows:
            schema = pa.schema([table_schemas()[name].field(column) for column in wanted[name]])
            exact = table.select(schema.names).unify_dictionaries().combine_chunks().cast(schema)
            yield from ((name, batch) for batch in exact.to_batches())


def _dated(rows: pa.Table, days: Ints) -> pa.Table:
    """Rows with column `date`, from the local day of each, counted from 1970-01-01."""
    return rows.append_column(DATE.name, pa.array(days.astype(np.int32), pa.int32(), mask=days == NONE).cast(DATE.type))
