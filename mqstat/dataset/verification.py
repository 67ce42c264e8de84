"""Checks a dataset against its manifest, and the manifest itself: the hash chain of the log, files, row counts, checksums, schemas and ledgers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.errors import DatasetError
from mqstat.base.formatting import plural
from mqstat.dataset import audit, delta, generations, hourly, log, publishing, row_check, store
from mqstat.dataset import signature as signatures
from mqstat.dataset.folders import HOURS
from mqstat.dataset.manifest import FileEntry, Manifest, SourceEntry
from mqstat.dataset.paths import is_computed, is_facts, is_own
from mqstat.dataset.place import Home, ObjectPlace, copies, local
from mqstat.parsers.tables import table_schemas

RECHECKS = 3
"""Times that unknown files are looked for again: a file may move into its folder, and its line into the log, between two looks."""


@dataclass
class Verification:
    """Result of `verify`: problems (the dataset differs from the manifest) and remarks (harmless)."""

    files: int = 0
    rows: int = 0
    sources: int = 0
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def verify(
    folder: Home,
    public_key: Path | None = None,
    signature: Path | None = None,
    *,
    allow_unsigned: bool = False,
    expect_generation: int = 0,
    rows: bool = False,
) -> Verification:
    """Check the log of a dataset, and that files, row counts, checksums, schemas and ledgers match it.

    public_key: also check the signature file `signature` (default: `manifest.sig.json` of the dataset) with this key; UsageError if it cannot be used.
    Rows that it does not cover are a problem, with `allow_unsigned` a remark. expect_generation: the lowest generation that the signature, without a key
    the log, must have. rows: also check the rows against each other (`row_check`).
    """
    key = None if public_key is None else signatures.public_key(public_key)
    path = signature or signatures.path_of(folder)
    signed = None if key is None else signatures.read(path, key)
    at = signed.generation if isinstance(signed, signatures.Signed) else None
    for _ in range(RECHECKS):
        with store.reading(folder, takes_facts=True) as opened, copies(folder):
            audited = audit.audited(folder, opened.manifest, at)
            if audited.missed:
                continue
            out = Verification(sources=len(opened.manifest.sources))
            out.problems += audited.problems
            out.remarks += audited.remarks
            if isinstance(signed, str):
                out.problems.append(signed)
            elif signed is not None and not audited.problems:
                problems, remarks = signatures.check(
                    path, signed, audited, opened.manifest, allow_unsigned=allow_unsigned
                )
                out.problems += problems
                out.remarks += remarks
            generation = opened.manifest.generation if key is None else at or 0
            if generation < expect_generation:
                what = "its signature" if key is not None else "its log"
                out.problems.append(
                    f"{what} has generation {generation}, but {expect_generation} is expected: this is an older copy of the dataset, or its end was removed."
                )
            _verify(folder, opened, out)
            if rows:
                with store.copied(opened) as copied:
                    checked = row_check.check_rows(copied)
                out.problems += checked.problems
                out.remarks += checked.remarks
            return out
    raise DatasetError(
        f"{folder}/{log.NAME}: is replaced again and again while it is read; verify it when nothing is ingested."
    )


def _verify(folder: Home, opened: store.AnyOpened, out: Verification) -> None:
    """Check files and ledgers."""
    moving = publishing.moving(folder, opened.manifest) if isinstance(folder, Path) else set()
    sources = {source.source_id for source in opened.manifest.sources}
    record_rows: dict[int, int] = {}
    for entry in opened.manifest.files:
        out.files += 1
        problem = _fault(opened, entry, moving)
        if problem is None and not entry.source_ids <= sources:
            problem = f"has rows of source {min(entry.source_ids - sources)}, which the manifest does not have."
        if problem is not None:
            out.problems.append(f"{entry.path}: {problem}")
            continue
        out.rows += entry.rows
        if entry.table == "record":
            for number, rows in entry.sources:
                record_rows[number] = record_rows.get(number, 0) + rows
    for entry in opened.manifest.hourly:
        out.files += 1
        problem = _fault(opened, entry, moving)
        if problem is not None:
            out.problems.append(f"{entry.path}: {problem}")
        else:
            out.rows += entry.rows
    for source in opened.manifest.sources:
        _verify_source(source, record_rows.get(source.source_id, 0), out)
    pruned = [source for source in opened.manifest.sources if source.pruned_before]
    if pruned:
        records = sum(source.pruned_records for source in pruned)
        out.remarks.append(
            f"{records:,} records of {len(pruned)} source{'s' if len(pruned) > 1 else ''} were dropped with their days, "
            f"which are before {max(source.pruned_before or '' for source in pruned)}."
        )
    old = hourly.older(opened.manifest)
    if old:
        out.remarks.append(old)
    if isinstance(folder, Path):
        _verify_folder(folder, opened, moving, out)
    else:
        _verify_place(folder, opened.manifest, out)


def _verify_place(home: ObjectPlace, manifest: Manifest, out: Verification) -> None:
    """Check that an object store has no other files than those of the dataset, and those that are about to be deleted."""
    strangers = list(generations.strangers(home, manifest))
    own = [each.path for each in strangers if is_own(each.path)]
    if own:
        out.remarks.append(
            f"{plural(len(own), 'file')} that the manifest does not name, such as {own[0]}: a writer is putting them or was killed; mqstat compact deletes "
            f"them {HOURS} hours after that."
        )
    others = [each.path for each in strangers if not is_own(each.path)]
    if others:
        out.problems.append(
            f"{plural(len(others), 'file')} that the manifest does not name, such as {others[0]}: mqstat neither reads nor deletes them."
        )


def _verify_folder(folder: Path, opened: store.AnyOpened, moving: Collection[str], out: Verification) -> None:
    """Check that the folders of tables have no other files than those of the dataset."""
    waiting = sum((folder / entry.path).exists() for entry in opened.manifest.retired)
    if waiting:
        out.problems.append(
            f"{plural(waiting, 'file')} of days or sources that were dropped or replaced in the folders of tables: the next ingest or prune moves them to _retired."
        )
    if moving:
        out.remarks.append(
            "A publish is running or was killed; the next ingest or prune restores the folders of tables."
        )
    if delta.is_wanted(folder):
        out.problems += delta.problems(folder, opened.manifest)
    strangers = _foreign(folder, opened.manifest)
    if strangers:
        out.problems.append(
            f"{plural(len(strangers), 'file')} that the manifest does not name, such as {strangers[0].relative_to(folder).as_posix()}: mqstat neither "
            "reads nor deletes them, but programs that read all files in a folder will read them."
        )
    elsewhere = next(publishing.outside(folder), None)
    if elsewhere is not None:
        out.remarks.append(
            f"Parquet files outside the folders of tables, such as {elsewhere.relative_to(folder).as_posix()}, are not part of the dataset."
        )
    if (folder / publishing.STAGING).exists():
        out.remarks.append("An ingest is running or was killed; the next ingest removes its files.")


def _foreign(folder: Path, manifest: Manifest) -> list[Path]:
    """Files in the folders of tables that do not belong to the dataset, neither now nor after what a writer publishes meanwhile."""
    strangers = publishing.foreign(folder, manifest)
    for _ in range(RECHECKS):
        if not strangers:
            break
        still = set(publishing.foreign(folder, log.load(folder) or manifest))
        strangers = [path for path in strangers if path in still]
    return strangers


def _fault(opened: store.AnyOpened, entry: FileEntry, moving: Collection[str]) -> str | None:
    """How a file differs from its entry in the manifest, also if the system refuses to read it; the other files are still checked then."""
    try:
        return _problem(opened, entry, moving)
    except OSError as error:
        return f"cannot be read ({error.strerror})."


def _problem(opened: store.AnyOpened, entry: FileEntry, moving: Collection[str]) -> str | None:
    """How a file differs from its entry in the manifest, None if it does not. Of folders that a publish is `moving` or has moved, a replaced one will do."""
    folder, path = opened.folder, opened.path(entry)
    if not isinstance(folder, Path) or not isinstance(path, Path):
        return _problem_of_copy(folder, entry)
    if not path.is_file() or not (
        (folder / entry.path).is_file() or entry.path.rpartition("/")[0] in moving or _has_left(folder, opened.manifest)
    ):
        return "the file is missing."
    if path.is_symlink() or (folder / entry.path).is_symlink():
        return "is a symbolic link: the file itself is not in the dataset."
    return _content_problem(path, entry)


def _problem_of_copy(home: Home, entry: FileEntry) -> str | None:
    """How an object differs from its entry in the manifest, None if it does not."""
    try:
        path = local(home, entry.path)
    except FileNotFoundError:
        return "the file is missing."
    try:
        return _content_problem(path, entry)
    finally:
        path.unlink()


def _content_problem(path: Path, entry: FileEntry) -> str | None:
    """How the content of a file differs from its entry in the manifest, None if it does not."""
    size = path.stat().st_size
    if size != entry.bytes:
        return f"{size} bytes, but {entry.bytes} in the manifest."
    if publishing.checksum(path) != entry.sha256:
        return "the content has changed (checksum)."
    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
    except (pa.ArrowException, OSError) as error:
        return f"cannot be read as Parquet ({str(error).splitlines()[0]})."
    if metadata.num_rows != entry.rows:
        return f"{metadata.num_rows} rows, but {entry.rows} in the manifest."
    if is_computed(entry.path):
        return hourly.column_problem(metadata, has_sums=not is_facts(entry.path))
    return schema_problem(entry.table, schema)


def _has_left(folder: Path, manifest: Manifest) -> bool:
    """Whether the dataset has another generation by now, so that a file of this one may have left its folder."""
    current = log.load(folder)
    return current is None or current.generation != manifest.generation


def schema_problem(table: str, schema: pa.Schema) -> str | None:
    """How the columns of a file differ from those that its table has, None if they do not."""
    declared = table_schemas().get(table)
    if declared is None:
        return f"unknown table {table}."
    if schema.equals(_plain_schema(table)):  # most files; the comparison by column takes much longer
        return None
    unknown = set(schema.names) - set(declared.names)
    if unknown:
        return f"unknown column {min(unknown)}."
    missing = set(declared.names) - set(schema.names)
    if missing:
        return f"column {min(missing)} is missing."
    for name in schema.names:
        have, want = _plain(schema.field(name).type), _plain(declared.field(name).type)
        if have != want:
            return f"column {name} has type {have}, but {want} is declared."
    return None


@cache
def _plain_schema(table: str) -> pa.Schema:
    """The columns of a table without dictionaries, as the schema of a Parquet file has them."""
    return pa.schema([column.with_type(_plain(column.type)) for column in table_schemas()[table]])


def _plain(kind: pa.DataType) -> pa.DataType:
    """A type without its dictionary, which is a matter of encoding."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


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
