"""A dataset without the names of a site: the same rows, with the pseudonyms that `mqstat.share.redaction` gives to dumps.

Works column by column over the row groups of each file: the distinct values of a column get pseudonyms, and its rows point to them. All files of the new
dataset are published in one step, so it is complete or has no inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.errors import DatasetError, UsageError, write_failure
from mqstat.base.inputs import about
from mqstat.dataset import finding_day, publishing, store
from mqstat.dataset.compact import declared
from mqstat.dataset.description import description
from mqstat.dataset.manifest import Change, FileEntry, Manifest, SourceEntry
from mqstat.dataset.rebuild import describe, describe_merged_rows
from mqstat.dataset.writer import WrittenFile, dictionary_columns, parquet_writer
from mqstat.parsers import LAYOUTS
from mqstat.parsers.kit import Hex
from mqstat.parsers.tables import HASH, TEXT, table_schemas
from mqstat.share import moves
from mqstat.share.moved_days import moved_day, moved_path, moved_sums, moved_times
from mqstat.share.pseudonyms import COPIED, Pseudonyms

SYSTEMS = ("lpar", "qmgr", "qsg")
"""Columns of all tables with the name of an LPAR, queue manager or queue-sharing group."""

DIAGNOSIS = "The transfer of this input has a problem; its text was left out because it may contain names."

Way = Callable[[pa.Array, Pseudonyms], pa.Array]
"""Replaces the values of a column; an array without nulls, of distinct values where these are texts."""


@dataclass(frozen=True)
class RedactedDataset:
    """What was written: inputs, files and rows."""

    sources: int
    files: int
    rows: int


def redact_dataset(folder: Path, into: Path, names: Pseudonyms) -> RedactedDataset:
    """Write the dataset `folder` with pseudonyms into the new dataset `into`.

    Raises DatasetError if `folder` cannot be read, differs from its manifest, or the new dataset cannot be written; UsageError if `into` has data.
    """
    own, other = folder.resolve(), into.resolve()
    if own == other or own in other.parents or other in own.parents:
        raise UsageError(f"{into} is inside {folder} or contains it; specify another folder with --into.")
    store.open_dataset(folder)  # refuses any other folder before the target is made
    with store.reading(folder) as opened, store.writing(into) as manifest:
        if manifest.sources or manifest.files:
            raise UsageError(f"{into} is a dataset with data; specify a new folder with --into.")
        staging = into / publishing.STAGING / "redacted"
        try:
            return _publish(opened, into, staging, manifest, names)
        except OSError as error:
            raise write_failure(into, "could not be written", error, "it has no data") from None
        finally:
            publishing.drop_staged(into)


def _publish(opened: store.Opened, into: Path, staging: Path, manifest: Manifest, names: Pseudonyms) -> RedactedDataset:
    before = opened.manifest
    sources = [_source(source, names) for source in before.sources]
    entries = [replace(entry, path=moved_path(entry.path, names)) for entry in before.files]
    files = [_table_file(opened, staging, entry, sources, entries, names) for entry in before.files]
    rows = {file.path: dict(entry.sources) for file, entry in zip(files, entries, strict=True)}
    sums = [_hourly_file(opened, staging, entry, names) for entry in before.hourly]
    sums = moved_sums(staging, sums, names)
    files, rows = files + sums, rows | {file.path: {} for file in sums}
    change = Change(
        "redact",
        add=publishing.settled(staging, files, rows),
        sources=tuple(sources),
        next_source_id=before.next_source_id,
        next_record_id=before.next_record_id,
        dropped=tuple(
            replace(each, day=moved_day(each.day, names), on=moved_day(each.on, names)) for each in before.dropped
        ),
    )
    failed = ("could not be published", "it has no data")
    publishing.publish(into, manifest, change, [(staging, file.path) for file in files], failed=failed)
    return RedactedDataset(len(sources), len(files), sum(file.rows for file in files))


def _source(source: SourceEntry, names: Pseudonyms) -> SourceEntry:
    """The entry of an input without its name, its content and what the selection names."""
    selection = {
        key: [_text_pseudonym("system", name, names) for name in value]
        if key in ("qmgr", "lpar")
        else value and moved_day(value, names)
        if key in ("since", "until")
        else value
        for key, value in source.selection.items()
    }
    return replace(
        source,
        name=_input_name(source.name, names),
        sha256=_checksum(source.sha256, names),
        diagnosis=source.diagnosis and DIAGNOSIS,
        selection=selection,
        pruned_before=source.pruned_before and moved_day(source.pruned_before, names),
    )


# ------------------------------------------------------------------------------------------------------------------------ files


def _table_file(
    opened: store.Opened,
    staging: Path,
    entry: FileEntry,
    sources: Iterable[SourceEntry],
    entries: Iterable[FileEntry],
    names: Pseudonyms,
) -> WrittenFile:
    """Stage a file of a table."""
    path = moved_path(entry.path, names)
    metadata = description(entry.table) | describe_merged_rows(dict(entry.sources))
    if entry.table == "source":
        own = [(source, None) for source in sources if source.source_id in entry.source_ids]
        metadata |= describe(own, [each for each in entries if each.table != "source"], {each.path for each in entries})
    (staging / path).parent.mkdir(parents=True, exist_ok=True)
    writer: pq.ParquetWriter | None = None
    ways = ways_of(entry.table)
    try:
        for group in _row_groups(opened, entry):
            rows = _redacted(declared(group, entry.table), ways, names)
            if writer is None:
                writer = parquet_writer(staging / path, rows, dictionary_columns(rows), metadata)
            writer.write_table(rows, row_group_size=max(rows.num_rows, 1))
    finally:
        if writer is not None:
            writer.close()
    return WrittenFile(entry.table, path, entry.rows, (staging / path).stat().st_size)


def _hourly_file(opened: store.Opened, staging: Path, entry: FileEntry, names: Pseudonyms) -> WrittenFile:
    """Stage a file of hourly sums."""
    (rows,) = _row_groups(opened, entry, whole=True)
    kept = rows.schema.metadata
    if entry.table == finding_day.TABLE:
        rows = finding_day.without_names(rows)
    ways = {
        name: _clocks if _subjects()[name] == "clock" else _way(_subjects()[name])
        for name in _texts_with_names(rows.schema, entry)
    }
    (staging / entry.path).parent.mkdir(parents=True, exist_ok=True)
    rows = _redacted(rows, ways, names).replace_schema_metadata(kept)
    pq.write_table(rows, staging / entry.path, compression="zstd")
    return WrittenFile(entry.table, entry.path, rows.num_rows, (staging / entry.path).stat().st_size)


def _texts_with_names(schema: pa.Schema, entry: FileEntry) -> list[str]:
    """The columns with names: of hourly sums all texts, of the findings by day the queue manager."""
    texts = [field.name for field in schema if field.type == pa.string()]
    return list(SYSTEMS) if entry.table == finding_day.TABLE else texts


def _row_groups(opened: store.Opened, entry: FileEntry, *, whole: bool = False) -> Iterator[pa.Table]:
    """The row groups of a file, or all rows at once; DatasetError if it is not as it was written."""
    path = opened.path(entry)
    if not publishing.is_unchanged(path, entry):
        raise DatasetError(
            f"{opened.folder / entry.path}: is missing or its content has changed; nothing was redacted. {about('verify', opened.folder)} lists all such files."
        )
    schema = table_schemas().get(entry.table, pa.schema([]))
    texts = [field.name for field in schema if field.type == TEXT]
    try:
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            if whole:
                yield file.read(use_threads=False)
            else:
                yield from (
                    file.read_row_group(number, use_threads=False) for number in range(file.metadata.num_row_groups)
                )
    except pa.ArrowException as error:
        raise DatasetError(f"{opened.folder / entry.path}: cannot be read ({str(error).splitlines()[0]}).") from None


# ---------------------------------------------------------------------------------------------------------------------- columns


def _redacted(rows: pa.Table, ways: Mapping[str, Way], names: Pseudonyms) -> pa.Table:
    """The rows with other values in the columns that have a way, moved clocks and moved sequence numbers."""
    if moves.ISEQ in rows.column_names:
        rows = _moved_numbers(rows, names)
    rows = moved_times(rows, names)
    for number, field in enumerate(rows.schema):
        way = ways.get(field.name)
        if way is not None:
            chunks = [_replaced(chunk, way, names) for chunk in rows.column(number).chunks]
            rows = rows.set_column(number, field, pa.chunked_array(chunks, field.type))
    return rows


def _moved_numbers(rows: pa.Table, names: Pseudonyms) -> pa.Table:
    """Rows with moved sequence numbers, and, if they have the flags of standard headers, without those that are residual storage."""
    for column, of_kind in ((moves.ISEQ, True), (moves.WSEQ, False)):
        keys = [
            rows[name].cast(pa.string())
            for name in ("lpar", "qmgr", *(("resource_manager", "instrumentation_id") if of_kind else ()))
        ]
        joined = pc.binary_join_element_wise(*keys, "\0", null_handling="replace", null_replacement="")
        encoded = joined.combine_chunks().dictionary_encode()
        offsets = [_sequence_offset(names, *text.split("\0")) for text in encoded.dictionary.to_pylist()]
        values = rows[column].combine_chunks()
        known = values.fill_null(0).to_numpy(zero_copy_only=False)
        by_row = np.array([*offsets, 0], np.int64)[encoded.indices.to_numpy(zero_copy_only=False)]
        moved = pa.array(moves.sequence_numbers(known, by_row), values.type, mask=values.is_null().to_numpy(False))
        rows = rows.set_column(rows.column_names.index(column), rows.schema.field(column), moved)
    residual = pc.equal(rows["resource_manager"].cast(pa.string()), moves.UNRELIABLE_FLAGS).fill_null(False)
    for column in (name for name in moves.FLAGS if name in rows.column_names):
        cleared = pc.and_kleene(rows[column], pc.invert(residual))
        rows = rows.set_column(rows.column_names.index(column), rows.schema.field(column), cleared)
    return rows


def _sequence_offset(names: Pseudonyms, lpar: str, qmgr: str, *kind: str) -> int:
    return moves.sequence_offset(names, lpar, qmgr, moves.kind_of(kind[0], int(kind[1] or 0)) if kind else "")


def _replaced(column: pa.Array, way: Way, names: Pseudonyms) -> pa.Array:
    """A column with other values: each distinct value is replaced once."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    made = pa.DictionaryArray.from_arrays(encoded.indices, way(encoded.dictionary, names))
    return made if pa.types.is_dictionary(column.type) else made.dictionary_decode()


@cache
def ways_of(table: str) -> Mapping[str, Way]:
    """How each column of a table is replaced; columns that are not listed are copied."""
    ways: dict[str, Way] = {
        name: _way("system") for name in SYSTEMS if table in table_schemas() and name in table_schemas()[table].names
    }
    for layout in LAYOUTS.values():
        for field in layout.named:
            if (field.child or layout.name) != table or not (field.reserved or field.sharing not in COPIED):
                if (field.child or layout.name) == table and field.sharing == "clock":
                    ways[field.name] = _clocks
                continue
            is_hex = isinstance(field.type, Hex)
            way = _zeros if field.reserved else _way(field.sharing, is_hex=is_hex)
            ways |= dict.fromkeys(field.columns or (field.name,), way)
    return {**ways, **_OWN.get(table, {})}


@cache
def _subjects() -> Mapping[str, str]:
    """How the texts of hourly sums are shared: by the field of their name, since one name means the same in all tables."""
    known = {field.name: field.sharing for layout in LAYOUTS.values() for field in layout.named if field.sharing}
    return known | dict.fromkeys(SYSTEMS, "system")


@cache
def _way(sharing: str, *, is_hex: bool = False) -> Way:
    """Pseudonyms of one kind for texts, or for bytes as hexadecimal digits."""

    def texts(values: pa.Array, names: Pseudonyms) -> pa.Array:
        return pa.array([_text_pseudonym(sharing, value, names) for value in values.to_pylist()], values.type)

    def digits(values: pa.Array, names: Pseudonyms) -> pa.Array:
        cells = [names.cell(sharing, bytes.fromhex(value)).hex().upper() for value in values.to_pylist()]
        return pa.array(cells, values.type)

    return digits if is_hex else texts


def _text_pseudonym(sharing: str, text: str, names: Pseudonyms) -> str:
    return names.cell(sharing, text.encode("cp037", "replace")).decode("cp037")


def _zeros(values: pa.Array, names: Pseudonyms) -> pa.Array:
    """Texts or bytes of the same lengths, all zero."""
    zero: str | bytes = b"\0" if pa.types.is_binary(values.type) else "0"
    return pa.array([zero * len(value) for value in values.to_pylist()], values.type)


def _clocks(values: pa.Array, names: Pseudonyms) -> pa.Array:
    """Hexadecimal digits that begin with a store clock, moved with all clocks."""
    if not names.shift_us or not len(values):
        return values
    cells = np.frombuffer(bytes.fromhex("".join(values.to_pylist())), np.uint8).reshape(len(values), -1)
    clocks = moves.store_clocks(cells[:, :8], names.shift_us)
    moved = np.concatenate([clocks, cells[:, 8:]], axis=1)
    return pa.array([row.tobytes().hex().upper() for row in moved], values.type)


def _hashes(values: pa.Array, names: Pseudonyms) -> pa.Array:
    """Other hashes of records: equal ones stay equal, so that duplicates remain duplicates."""
    return pa.array([names.digest("record", value, HASH.byte_width) for value in values.to_pylist()], values.type)


def _input_names(values: pa.Array, names: Pseudonyms) -> pa.Array:
    return pa.array([_input_name(value, names) for value in values.to_pylist()], values.type)


def _input_name(name: str, names: Pseudonyms) -> str:
    """A name without anything of the name of an input: equal names stay equal."""
    return f"input-{names.digest('input', name.encode(), 8).hex()}"


def _checksums(values: pa.Array, names: Pseudonyms) -> pa.Array:
    return pa.array([_checksum(value, names) for value in values.to_pylist()], values.type)


def _checksum(text: str, names: Pseudonyms) -> str:
    return names.digest("content", text.encode(), 32).hex() if text else ""


def _diagnoses(values: pa.Array, names: Pseudonyms) -> pa.Array:
    return pa.array([DIAGNOSIS] * len(values), values.type)


_OWN: Mapping[str, Mapping[str, Way]] = {
    "record": {"record_hash": _hashes},
    "source": {"source_name": _input_names, "source_sha256": _checksums, "diagnosis": _diagnoses},
    "raw_bytes": {"content": _zeros},
}
"""Columns of the tables about the records and inputs themselves. Bytes that no structure describes become zeros, as in a redacted dump."""
