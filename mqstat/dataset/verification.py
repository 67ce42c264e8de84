"""Checks a dataset against its last step: files, row counts, checksums, schemas, ledgers and Delta tables."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.formatting import plural
from mqstat.dataset import publishing, row_check, snapshot, store
from mqstat.dataset.lake import plain
from mqstat.dataset.manifest import FileEntry, SourceEntry
from mqstat.dataset.place import Home, local
from mqstat.dataset.schema import all_columns, columns_of


@dataclass
class Verification:
    """Result of `verify`: problems (the dataset differs from what its last step states) and remarks (harmless)."""

    files: int = 0
    rows: int = 0
    sources: int = 0
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    footers: dict[str, snapshot.Extremes] = field(default_factory=dict)
    """What the footer of each sound file states of its values."""


def verify(folder: Home, *, expect_generation: int = 0, rows: bool = False) -> Verification:
    """Check that a dataset is what its last step states: files, row counts, checksums, schemas and ledgers, and that no
    other program has changed its tables.

    expect_generation: the lowest generation that the dataset must have; rows: also check the rows against each other
    (`row_check`).
    """
    opened = store.open_dataset(folder)
    with nullcontext() if isinstance(folder, Path) else folder.working():
        manifest = opened.manifest
        out = Verification(sources=len(manifest.sources))
        if manifest.generation < expect_generation:
            out.problems.append(
                f"it has generation {manifest.generation}, but {expect_generation} is expected: this is an older copy of the dataset, or its end was removed."
            )
        _verify(opened, out)
        out.problems += snapshot.problems(folder, manifest, out.footers)
        if isinstance(folder, Path) and (folder / publishing.STAGING).exists():
            out.remarks.append("An ingest is running or was killed; the next ingest removes its files.")
        if rows:
            with store.copied(opened) as copied:
                checked = row_check.check_rows(copied)
            out.problems += checked.problems
            out.remarks += checked.remarks
        return out


def _verify(opened: store.AnyOpened, out: Verification) -> None:
    """Check files and ledgers."""
    sources = {source.source_id for source in opened.manifest.sources}
    record_rows: dict[int, int] = {}
    for entry in (*opened.manifest.files, *opened.manifest.computed):
        out.files += 1
        problem = _fault(opened, entry, out)
        if problem is None and not entry.source_ids <= sources:
            problem = f"has rows of source {min(entry.source_ids - sources)}, which the dataset does not have."
        if problem is not None:
            out.problems.append(f"{entry.path}: {problem}")
            continue
        out.rows += entry.rows
        if entry.table == "record":
            for number, rows in entry.sources:
                record_rows[number] = record_rows.get(number, 0) + rows
    for source in opened.manifest.sources:
        _verify_source(source, record_rows.get(source.source_id, 0), out)
    pruned = [source for source in opened.manifest.sources if source.pruned_before]
    if pruned:
        records = sum(source.pruned_records for source in pruned)
        out.remarks.append(
            f"{records:,} records of {plural(len(pruned), 'source')} were dropped with their days, "
            f"which are before {max(source.pruned_before or '' for source in pruned)}."
        )


def _fault(opened: store.AnyOpened, entry: FileEntry, out: Verification) -> str | None:
    """How a file differs from its entry, None if it does not; the other files are still checked if the system refuses
    to read it.
    """
    try:
        path = local(opened.folder, entry.path)
        if path.is_symlink():
            return "is a symbolic link: the file itself is not in the dataset."
        if not path.is_file():
            return "the file is missing."
        return _content_problem(path, entry, out)
    except FileNotFoundError:
        return "the file is missing."
    except OSError as error:
        return f"cannot be read ({error.strerror})."
    finally:
        if not isinstance(opened.folder, Path):
            (opened.folder.copies / entry.path).unlink(missing_ok=True)


def _content_problem(path: Path, entry: FileEntry, out: Verification) -> str | None:
    """How the content of a file differs from its entry, None if it does not."""
    size = path.stat().st_size
    if size != entry.bytes:
        return f"{size} bytes, but {entry.bytes} in table file."
    if publishing.checksum(path) != entry.sha256:
        return "the content has changed (checksum)."
    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
        out.footers[entry.path] = snapshot.extremes(metadata)
    except (pa.ArrowException, OSError) as error:
        return f"cannot be read as Parquet ({str(error).splitlines()[0]})."
    if metadata.num_rows != entry.rows:
        return f"{metadata.num_rows} rows, but {entry.rows} in table file."
    return schema_problem(entry.table, schema, entry.absent)


def schema_problem(table: str, schema: pa.Schema, absent: Collection[str] = ()) -> str | None:
    """How the columns of a file differ from those that its table has, without those that are `absent`; None if they do
    not.
    """
    if table not in all_columns():
        return f"unknown table {table}."
    want, have = columns_of(table), plain(schema)
    if have.equals(want):
        return None
    unknown = set(have.names) - set(want.names)
    if unknown:
        return f"unknown column {min(unknown)}."
    missing = set(want.names) - set(have.names) - set(absent)
    if missing:
        return f"column {min(missing)} is missing."
    for column in have:
        kind = want.field(column.name).type
        if column.type != kind:
            return f"column {column.name} has type {column.type}, but {kind} is declared."
    return None


def _verify_source(source: SourceEntry, rows: int, out: Verification) -> None:
    for side in ("bytes", "records"):
        ledger = source.ledger[side]
        if ledger["input"] != sum(v for k, v in ledger.items() if k != "input"):
            out.problems.append(f"source {source.source_id} ({source.name}): the ledger of {side} does not balance.")
    expected = source.ledger["selected_mq_records"] - source.pruned_records
    if rows != expected:
        less = f" less {source.pruned_records} that were dropped with their days" if source.pruned_records else ""
        out.problems.append(
            f"source {source.source_id} ({source.name}): {rows} rows in table record, but the ledger has "
            f"{source.ledger['selected_mq_records']}{less}."
        )
