"""A lost manifest, rebuilt from the Parquet files.

The file of table source, one for each input and moved into the dataset last, has the entry of the input and the list of its files in its
key-value metadata. What a manifest that is still there knows in addition (inputs without files, retired files) is taken from that.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.dataset import manifest as manifests
from mqstat.dataset import store
from mqstat.dataset.manifest import FileEntry, Manifest, SourceEntry
from mqstat.dataset.paths import table_of
from mqstat.dataset.writer import WrittenFile
from mqstat.errors import DatasetError

KEY = "mqstat.source"
"""Key of the metadata of a file of table source."""

DAMAGED = "manifest.damaged.json"
"""Where a manifest that could not be read is kept."""


@dataclass(frozen=True)
class Described:
    """The content of the file of table source: the entry of the input, its files with rows and bytes, and the source that it replaced."""

    entry: SourceEntry
    files: tuple[WrittenFile, ...]
    replaces: int | None = None


@dataclass
class Rebuilt:
    """What was rebuilt: number of sources and files, problems (data that is lost) and remarks."""

    sources: int = 0
    files: int = 0
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def describe(entry: SourceEntry, files: Sequence[WrittenFile], replaces: int | None) -> dict[str, str]:
    """The metadata of the file of table source: all that the manifest will contain about the input, except the checksums."""
    text = {"entry": asdict(entry), "files": [[f.path, f.rows, f.bytes] for f in files], "replaces": replaces}
    return {KEY: json.dumps(text, separators=(",", ":"))}


def rebuild(folder: Path) -> Rebuilt:
    """Write a manifest that names the files of all inputs whose file of table source is there; no file is deleted or changed.

    Raises DatasetError when the folder holds no such file, or another mqstat writes to it.
    """
    if not folder.is_dir():
        raise DatasetError(f"{folder}: no such folder.")
    with store.locked(folder):
        known = [m for m in (_readable(folder, manifests.NAME), _readable(folder, manifests.PREVIOUS)) if m is not None]
        out = Rebuilt()
        made = _made(folder, known, out)
        if not made.files and not made.sources:
            raise DatasetError(
                f"{folder}: no input can be rebuilt, because no file in {folder.name}/source describes one; nothing was changed."
            )
        path = folder / manifests.NAME
        try:
            if path.exists() and _readable(folder, manifests.NAME) is None:
                path.replace(folder / DAMAGED)
            manifests.store(folder, made)
        except OSError as error:
            raise DatasetError(f"{folder}: the manifest could not be written ({error.strerror}).") from None
        out.sources, out.files = len(made.sources), len(made.files)
        return out


def _readable(folder: Path, name: str) -> Manifest | None:
    try:
        return manifests.load(folder, name)
    except DatasetError:
        return None


def _made(folder: Path, known: Sequence[Manifest], out: Rebuilt) -> Manifest:
    """The manifest; `known` are the manifests that can be read, the newest first."""
    described = _described(folder, out)
    retired = {entry.path: entry for manifest in known[:1] for entry in manifest.retired}
    old = {d.replaces for d in described.values() if d.replaces is not None}
    seen: dict[tuple[str, str], int] = {}
    for number in sorted(described):
        entry = described[number].entry
        if number not in old:
            first = seen.setdefault((entry.sha256, json.dumps(entry.selection, sort_keys=True)), number)
            if first != number:
                out.remarks.append(f"source {number} ({entry.name}) has the same content as source {first}; skipped.")
                old.add(number)
    files: list[FileEntry] = []
    sources: list[SourceEntry] = []
    for number in sorted(set(described) - old):
        present = _files(folder, described[number], retired, out)
        files += present
        sources.append(_source(described[number], present, retired, out))
    have = {source.source_id for source in sources}
    for manifest in known:
        with_files = {entry.source_id for entry in manifest.files}
        for source in manifest.sources:
            if source.source_id in have | old:
                continue
            have.add(source.source_id)
            if source.source_id in with_files:
                out.problems.append(f"source {source.source_id} ({source.name}): its file of table source is missing.")
            else:
                sources.append(source)  # all of its days were dropped
    sources.sort(key=lambda source: source.source_id)
    entries = [*(d.entry for d in described.values()), *sources]
    return Manifest(
        next_source_id=max([1, *(s.source_id + 1 for s in entries), *(m.next_source_id for m in known)]),
        next_record_id=max([0, *(s.first_record_id + s.records for s in entries), *(m.next_record_id for m in known)]),
        sources=sources,
        files=files,
        generation=1 + max((m.generation for m in known), default=0),
        retired=list(retired.values()),
    )


def _described(folder: Path, out: Rebuilt) -> dict[int, Described]:
    """The inputs by number, from the files of table source."""
    described: dict[int, Described] = {}
    for path in sorted((folder / "source").rglob("*.parquet")):
        name = path.relative_to(folder).as_posix()
        try:
            metadata = pq.read_metadata(path)
            text = (metadata.metadata or {}).get(KEY.encode())
            if text is None:
                out.remarks.append(
                    f"{name}: does not describe an input (written by another program or an older mqstat)."
                )
                continue
            data = json.loads(text)
            files = [_written(*item) for item in data["files"]]
            files.append(_written(name, metadata.num_rows, path.stat().st_size))
            entry = manifests.source_entry(data["entry"])
            described[entry.source_id] = Described(entry, tuple(files), data["replaces"])
        except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            out.problems.append(f"{name}: cannot be read ({str(error).splitlines()[0]}).")
    return described


def _written(path: str, rows: int, size: int) -> WrittenFile:
    if not isinstance(rows, int) or not isinstance(size, int):
        raise TypeError(f"{path!r} has no number of rows or bytes")
    return WrittenFile(table_of(path), path, rows, size)


def _files(folder: Path, described: Described, retired: Iterable[str], out: Rebuilt) -> list[FileEntry]:
    """The files of an input that still exist with their original length."""
    files = []
    for file in described.files:
        path = folder / file.path
        if file.path in retired or not path.is_file():
            continue
        if path.stat().st_size != file.bytes:
            out.problems.append(
                f"{file.path}: {path.stat().st_size} bytes, but it was written with {file.bytes} bytes; skipped."
            )
            continue
        checksum = store.checksum(path)
        files.append(FileEntry(file.table, file.path, described.entry.source_id, file.rows, file.bytes, checksum))
    return files


def _source(described: Described, files: Sequence[FileEntry], retired: Iterable[str], out: Rebuilt) -> SourceEntry:
    """The entry of an input, with the records that are no longer there: dropped with their days, or lost."""
    entry, have = described.entry, {file.path for file in files}
    missing = [file for file in described.files if file.path not in have]
    if not missing:
        return entry
    days = {file.path: store.day_of(FileEntry(file.table, file.path, 0, 0, 0, "")) for file in described.files}
    first = min((day for path in have if (day := days[path]) is not None), default=dt.date.max)
    lost = [file.path for file in missing if file.path not in retired and (days[file.path] or dt.date.max) >= first]
    if lost:
        out.problems.append(
            f"source {entry.source_id} ({entry.name}): {len(lost)} files are missing, such as {lost[0]}."
        )
    last = max((day for file in missing if (day := days[file.path]) is not None and day < first), default=None)
    before = None if last is None else (last + dt.timedelta(days=1)).isoformat()
    records = sum(file.rows for file in missing if file.table == "record" and file.path not in lost)
    return replace(entry, pruned_records=records, pruned_before=before) if before else entry
