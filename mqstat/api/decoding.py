"""Bytes of a dump -> Arrow record batches, without a dataset in between."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from mqstat.api.inputs import Dump, framing_named, sources_of
from mqstat.base.errors import InputError, UsageError
from mqstat.base.nearest import did_you_mean
from mqstat.base.selection import Selection
from mqstat.intake.part import moments, parts, selected
from mqstat.intake.pipeline import chunks_of
from mqstat.intake.stream import with_intervals
from mqstat.parsers import interval
from mqstat.parsers.batch import decode_chunk
from mqstat.parsers.columns import Ints
from mqstat.parsers.framing import Framing
from mqstat.parsers.record import NONE, Records, damage_of
from mqstat.parsers.tables import DATE, table_schemas
from mqstat.sources.source import Source

COUNTS = frozenset({"source", "other_record", "section", "lost_value"})
"""Decoded tables with counts over a whole input: a dataset has them, a stream of batches has not."""


def schemas() -> dict[str, pa.Schema]:
    """The Arrow schema of every decoded table by name; each field has unit, kind, IBM's name and description in its
    metadata.
    """
    return dict(table_schemas())


def decode(
    path_or_bytes: Dump,
    tables: Collection[str] | Mapping[str, Collection[str]] | None = None,
    *,
    framing: str | None = None,
    selection: Selection | None = None,
    source_id: int = 1,
    first_record_id: int = 0,
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Decode a dump into (table, record batch) pairs in the order of the input.

    path_or_bytes: the path of a file, folder or archive, `-` for standard input, a file opened with "rb", the bytes, or
    a list of these. An open file is read from where it is, and stays open.
    tables: only these tables; a mapping names the columns of each too. None = all tables except those of counts
    (`source`, `other_record`, `section`, `lost_value`), which only a whole dataset has. Damaged bytes are rows of table
    `damage`.
    framing: `rdw`, `bdw`, `no-rdw` or `length-prefixed` for an input whose framing is not recognised.
    selection: only records of these types, queue managers, LPARs and times; damage is given whatever is selected.
    source_id, first_record_id: column `source_id` of the first input, the next one has the next number; and `record_id`
    of the record with number 0 of the first input, the next one continues after its last record. Inputs that are
    decoded by several calls get distinct ids from them.

    The batches of a table have its schema in `schemas()`, cut to the columns asked for; a batch holds the rows of up to
    48 MiB of input, and memory does not grow with the input. A table without rows gives no batch.

    Raises UsageError for an unknown table or column, and for a selection of tasks.
    While iterating, it raises InputError when the input cannot be read; when compressed data is damaged or one of
    several files cannot be read, after all rows that could be read.
    """
    wanted = _wanted(tables)
    if not 0 <= source_id < 1 << 31 or not 0 <= first_record_id < 1 << 62:
        raise UsageError("source_id is from 0 to 2^31 - 1, first_record_id from 0 to 2^62 - 1.")
    if selection is not None and selection.tasks:
        raise UsageError("decode does not select tasks; filter the rows of table wtas.")
    return _decode(
        sources_of(path_or_bytes),
        _Rows(wanted, selection or Selection()),
        framing_named(framing),
        source_id,
        first_record_id,
    )


def _wanted(tables: Collection[str] | Mapping[str, Collection[str]] | None) -> dict[str, list[str]]:
    """The tables to decode, each with its columns in the order of its schema; UsageError for a name that is not
    known.
    """
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
        if not columns:
            raise UsageError(f"Table {name}: name at least one column.")
        for column in columns:
            if column not in known[name]:
                near = did_you_mean(column, known[name])
                raise UsageError(f"Table {name} has no column {column}{near or '; mqstat.schemas() has them all'}.")
    return {name: [column for column in known[name] if column in columns] for name, columns in tables.items()}


def _decode(
    sources: Iterable[Source],
    rows: _Rows,
    framing: Framing | None,
    source_id: int,
    first_record_id: int,
) -> Iterator[tuple[str, pa.RecordBatch]]:
    problems: list[InputError] = []
    for number, source in enumerate(sources, start=source_id):
        count = 0
        try:
            for r in _records(source, framing):
                yield from rows.batches(r, number, first_record_id)
                count += len(r.chunk.base)
        except InputError as error:
            problems.append(error)
        else:
            if source.problem:
                problems.append(InputError(source.problem))
        first_record_id += count
    if problems:
        raise problems[0]


def _records(source: Source, framing: Framing | None) -> Iterator[Records]:
    """The records of a source, chunk by chunk and with their intervals."""
    for r, resolved in with_intervals(chunks_of(source, framing)):
        interval.apply(r, resolved)
        yield r


@dataclass(frozen=True)
class _Rows:
    """Which rows and columns are given, and how."""

    wanted: dict[str, list[str]]
    selection: Selection

    def batches(self, r: Records, source_id: int, first_record_id: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """The rows of one chunk by table."""
        keep = None if self.selection.is_all or not len(r) else selected(self.selection, r, moments(r))
        for part in parts(r, keep) if len(r) and (keep is None or keep.any()) else ():
            for name, (rows, days) in decode_chunk(
                r, source_id, first_record_id, self.wanted, keep=part
            ).tables.items():
                yield from self._exact(name, _dated(rows, days))
        damage = damage_of(r, first_record_id) if "damage" in self.wanted else []
        rows = pa.table(
            {
                "source_id": [source_id] * len(damage),
                "damage_offset": [each.offset for each, _ in damage],
                "damage_bytes": [each.length for each, _ in damage],
                "spans": [each.spans for each, _ in damage],
                "damage_reason": [each.reason for each, _ in damage],
                "record_id": pa.array([record_id for _, record_id in damage], pa.int64()),
                DATE.name: pa.nulls(len(damage), DATE.type),
            }
        )
        yield from self._exact("damage", rows)

    def _exact(self, name: str, rows: pa.Table) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Rows of a table with the columns and types that are asked for."""
        if name in self.wanted and rows.num_rows:
            schema = pa.schema([table_schemas()[name].field(column) for column in self.wanted[name]])
            exact = rows.select(schema.names).unify_dictionaries().combine_chunks()
            yield from ((name, batch) for batch in exact.cast(schema).to_batches())


def _dated(rows: pa.Table, days: Ints) -> pa.Table:
    """Rows with column `date`, from the local day of each, counted from 1970-01-01."""
    return rows.append_column(DATE.name, pa.array(days.astype(np.int32), pa.int32(), mask=days == NONE).cast(DATE.type))
