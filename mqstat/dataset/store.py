"""A dataset folder: lock, staging, publishing, reading back and verifying.

An ingest writes below `_staging/`, then moves its files into the table folders and replaces the manifest last. Readers follow the manifest only,
so the dataset is the old one until the manifest is replaced and the new one afterwards, whatever kills the ingest in between; files that a killed
ingest left behind are removed by the next one.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import xxhash
from filelock import FileLock, Timeout

from mqstat.dataset import manifest as manifests
from mqstat.dataset.manifest import FileEntry, Manifest, SourceEntry
from mqstat.dataset.writer import UNDATED, WrittenFile
from mqstat.errors import DatasetError
from mqstat.parsers.tables import table_schemas

STAGING = "_staging"
LOCK = ".lock"


def checksum(path: Path) -> str:
    """xxh3 of the bytes of a file."""
    digest = xxhash.xxh3_64()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _settle(path: Path) -> str:
    """Make a staged file durable; gives its checksum."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())
    return checksum(path)


@contextmanager
def writing(folder: Path, wait_seconds: float = 0) -> Iterator[Manifest]:
    """Hold the writer's lock of a dataset, tidy up what a killed ingest left, and give its manifest (a new one for a new folder).

    Raises DatasetError when another writer holds the lock, or the folder holds something else than a dataset.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        current = manifests.load(folder)
        if current is None:
            strangers = [
                p.name
                for p in folder.iterdir()
                if p.name not in (STAGING, LOCK, manifests.NAME + ".new", *table_schemas())
            ]
            if strangers:
                raise DatasetError(
                    f"{folder}: is not empty and not a dataset (it holds {sorted(strangers)[0]!r}); choose an empty folder."
                )
        lock = FileLock(folder / LOCK)
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        raise DatasetError(
            f"{folder}: another mqstat is writing to this dataset; wait until it has ended, or use --wait SECONDS."
        ) from None
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written ({error.strerror}).") from None
    try:
        current = manifests.load(folder) or Manifest()
        tidy(folder, current)
        yield current
    finally:
        lock.release()


def leftovers(folder: Path, manifest: Manifest) -> list[Path]:
    """Files in the table folders that the manifest does not name."""
    named = {entry.path for entry in manifest.files}
    return [
        path
        for table in table_schemas()
        if (folder / table).is_dir()
        for path in sorted((folder / table).rglob("*.parquet"))
        if path.relative_to(folder).as_posix() not in named
    ]


def tidy(folder: Path, manifest: Manifest) -> None:
    """Remove staging folders and unnamed files of ingests that did not end. Only under the writer's lock."""
    shutil.rmtree(folder / STAGING, ignore_errors=True)
    (folder / (manifests.NAME + ".new")).unlink(missing_ok=True)
    for path in leftovers(folder, manifest):
        path.unlink(missing_ok=True)
        for parent in (path.parent, path.parent.parent):
            try:
                parent.rmdir()
            except OSError:
                break


def publish(
    folder: Path,
    staging: Path,
    manifest: Manifest,
    source: SourceEntry,
    files: Sequence[WrittenFile],
    replaces: SourceEntry | None = None,
) -> None:
    """Move the staged files of one source into place and replace the manifest: the step that makes them part of the dataset.

    The source that it `replaces` leaves the dataset in the same step. Raises DatasetError (the dataset stays as it was) when a file cannot be moved.
    """
    try:
        # File systems commit many waiting syncs together, so threads make a dataset of many days far cheaper to publish.
        with ThreadPoolExecutor(16) as pool:
            sums = list(pool.map(_settle, [staging / file.path for file in files]))
        entries = [
            FileEntry(f.table, f.path, source.source_id, f.rows, f.bytes, s) for f, s in zip(files, sums, strict=True)
        ]
        touched = set()
        for file in files:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            (staging / file.path).replace(target)
            touched.add(target.parent)
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(manifests.sync_folder, touched))
        updated = Manifest(
            next_source_id=source.source_id + 1,
            next_record_id=source.first_record_id + source.records,
            sources=[*(s for s in manifest.sources if s is not replaces), source],
            files=[*(f for f in manifest.files if not replaces or f.source_id != replaces.source_id), *entries],
        )
        manifests.store(folder, updated)
    except OSError as error:
        raise DatasetError(
            f"{folder}: could not be published ({error.strerror}); the dataset is as it was before."
        ) from None
    if replaces is not None:
        remove(folder, [f for f in manifest.files if f.source_id == replaces.source_id])
    vars(manifest).update(vars(updated))


def remove(folder: Path, files: Sequence[FileEntry]) -> None:
    """Remove files that the manifest no longer names, and folders that are empty then; what a reader holds open goes with the next ingest."""
    for entry in files:
        path = folder / entry.path
        try:
            path.unlink(missing_ok=True)
            path.parent.rmdir()
            path.parent.parent.rmdir()
        except OSError:
            continue


@dataclass
class Opened:
    """A dataset to read: its folder, manifest and files by table."""

    folder: Path
    manifest: Manifest
    files: dict[str, list[Path]] = field(default_factory=dict)

    def days(self, first: dt.date, last: dt.date) -> dict[str, list[Path]]:
        """The files of some local days by table, with the counts over the inputs that have rows of these days: damage of others is none of theirs."""
        dated = [(entry, day_of(entry)) for entry in self.manifest.files]
        sources = {entry.source_id for entry, day in dated if day is not None and first <= day <= last}
        counts = {"damage", *(name for name, schema in table_schemas().items() if "record_id" not in schema.names)}
        found: dict[str, list[Path]] = {}
        for entry, day in dated:
            if first <= day <= last if day is not None else entry.table in counts and entry.source_id in sources:
                found.setdefault(entry.table, []).append(self.folder / entry.path)
        return {table: sorted(paths) for table, paths in found.items()}


def day_of(entry: FileEntry) -> dt.date | None:
    """The local day whose rows a file holds, None for rows that have none."""
    name = entry.path.split("/")[1].removeprefix("date=")
    return None if name == UNDATED else dt.date.fromisoformat(name)


def open_dataset(folder: Path) -> Opened:
    """Open a dataset for reading; DatasetError when the folder is none."""
    manifest = manifests.load(folder)
    if manifest is None:
        raise DatasetError(
            f"{folder}: there is no dataset here (no {manifests.NAME}); make one with: mqstat ingest DUMP --into {folder}"
        )
    files: dict[str, list[Path]] = {}
    for entry in manifest.files:
        files.setdefault(entry.table, []).append(folder / entry.path)
    return Opened(folder, manifest, {table: sorted(paths) for table, paths in files.items()})


@dataclass
class Verification:
    """What `verify` found: problems (the dataset is not what the manifest says) and remarks (harmless)."""

    files: int = 0
    rows: int = 0
    sources: int = 0
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def verify(folder: Path) -> Verification:
    """Prove that files, row counts, checksums, schemas and ledgers agree with the manifest."""
    opened = open_dataset(folder)
    out = Verification(sources=len(opened.manifest.sources))
    schemas = table_schemas()
    record_rows: dict[int, int] = {}
    for entry in opened.manifest.files:
        path = folder / entry.path
        out.files += 1
        if not path.is_file():
            out.problems.append(f"{entry.path}: the file is missing.")
            continue
        if path.stat().st_size != entry.bytes:
            out.problems.append(f"{entry.path}: {path.stat().st_size} bytes, the manifest says {entry.bytes}.")
            continue
        if checksum(path) != entry.checksum:
            out.problems.append(f"{entry.path}: the content has changed (checksum).")
            continue
        try:
            found = pq.ParquetFile(path)
        except (pa.ArrowException, OSError) as error:
            out.problems.append(f"{entry.path}: cannot be read as Parquet ({str(error).splitlines()[0]}).")
            continue
        with found:
            if found.metadata.num_rows != entry.rows:
                out.problems.append(f"{entry.path}: {found.metadata.num_rows} rows, the manifest says {entry.rows}.")
            unknown = (
                set(found.schema_arrow.names) - set(schemas[entry.table].names)
                if entry.table in schemas
                else set(found.schema_arrow.names)
            )
            if unknown:
                out.problems.append(f"{entry.path}: unknown column {sorted(unknown)[0]}.")
        out.rows += entry.rows
        if entry.table == "record":
            record_rows[entry.source_id] = record_rows.get(entry.source_id, 0) + entry.rows
    for source in opened.manifest.sources:
        _verify_source(source, record_rows.get(source.source_id, 0), out)
    pruned = [source for source in opened.manifest.sources if source.pruned_before]
    if pruned:
        records = sum(source.pruned_records for source in pruned)
        out.remarks.append(
            f"{records:,} records of {len(pruned)} source{'s' if len(pruned) > 1 else ''} were dropped with their days, "
            f"which lie before {max(source.pruned_before or '' for source in pruned)}."
        )
    left = leftovers(folder, opened.manifest)
    if left:
        out.remarks.append(f"{len(left)} files of an ingest that did not end; the next ingest removes them.")
    if (folder / STAGING).exists():
        out.remarks.append("An ingest is running or did not end; the next ingest removes what it left.")
    return out


def _verify_source(source: SourceEntry, rows: int, out: Verification) -> None:
    for side in ("bytes", "records"):
        ledger = source.ledger[side]
        if ledger["input"] != sum(v for k, v in ledger.items() if k != "input"):
            out.problems.append(f"source {source.source_id} ({source.name}): the ledger of {side} does not balance.")
    expected = source.ledger["selected_mq_records"] - source.pruned_records
    if rows != expected:
        less = f" less {source.pruned_records} that were dropped with their days" if source.pruned_records else ""
        out.problems.append(
            f"source {source.source_id} ({source.name}): {rows} rows in table record, the ledger says "
            f"{source.ledger['selected_mq_records']}{less}."
        )
