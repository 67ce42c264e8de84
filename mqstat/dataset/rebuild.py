"""A lost manifest, rebuilt from the Parquet files.

The file of table source, one for each input and moved into the dataset last, has the entry of the input and the list of its files in its
key-value metadata. A merged file has the rows of each source and the files that it replaces in its own. What a manifest that is still there knows in
addition (inputs without files, retired files) is taken from that.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.errors import DatasetError
from mqstat.dataset import folders, hourly, log, publishing, store
from mqstat.dataset import manifest as manifests
from mqstat.dataset.classes import class_of
from mqstat.dataset.manifest import Change, DroppedClass, FileEntry, Manifest, SourceEntry
from mqstat.dataset.paths import FACTS, HOURLY_PATH, day_of, file_path, is_own, parquet_files, table_of
from mqstat.dataset.place import Home, local
from mqstat.dataset.writer import WrittenFile

KEY = "mqstat.source"
"""Key of the metadata of a file of table source: one description, or a list of those of all inputs in it."""

MERGED = "mqstat.merged"
"""Key of the metadata of a merged file."""

DAMAGED = "manifest.damaged.jsonl"
"""Where a log that could not be read is kept."""


@dataclass(frozen=True)
class Described:
    """The content of the file of table source: the entry of the input, its files with rows and bytes, and the source that it replaced."""

    entry: SourceEntry
    files: tuple[WrittenFile, ...]
    replaces: int | None = None


@dataclass(frozen=True)
class Merged:
    """A merged file: the rows of each source, and the files that it replaces."""

    file: WrittenFile
    sources: tuple[tuple[int, int], ...]
    replaces: frozenset[str]


Rows = tuple[WrittenFile, tuple[tuple[int, int], ...]]
"""A file with the rows of each source in it."""


@dataclass
class Rebuilt:
    """What was rebuilt: number of sources and files, problems (data that is lost) and remarks."""

    sources: int = 0
    files: int = 0
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def describe(
    inputs: Sequence[tuple[SourceEntry, int | None]], files: Iterable[FileEntry], shared: Collection[str] = ()
) -> dict[str, str]:
    """The metadata of the file of table source: all that the manifest will contain about its inputs, except the checksums.

    inputs: the entry of each and the source that it replaces; files: their other files; shared: paths of files with rows of several inputs, which describe
    themselves: the rows of an input in them are listed under paths that no file has.
    """
    own: dict[int, list[tuple[str, int, int]]] = {source.source_id: [] for source, _ in inputs}
    counts: dict[int, Counter[tuple[str, dt.date | None]]] = {number: Counter() for number in own}
    for entry in files:
        for number, rows in entry.sources:
            if number not in own:
                continue
            if entry.path in shared:
                counts[number][entry.table, day_of(entry.path)] += rows
            else:
                own[number].append((entry.path, entry.rows, entry.bytes))
    texts = []
    for source, replaces in inputs:
        number = source.source_id
        parts = sorted(counts[number].items(), key=str)
        listed = [(file_path(table, day, f"s{number:06d}"), rows, 0) for (table, day), rows in parts]
        texts.append({"entry": vars(source), "files": own[number] + listed, "replaces": replaces})
    return {KEY: json.dumps(texts[0] if len(texts) == 1 else texts, separators=(",", ":"))}


def describe_merged(folder: Home, entries: Sequence[FileEntry], sources: Mapping[int, int]) -> dict[str, str]:
    """The metadata of a file that replaces those of `entries`; `sources` are the rows of each source in it.

    A merged file of table source keeps the descriptions of its sources.
    """
    replaces = {entry.path for entry in entries}
    descriptions = []
    for entry in entries:
        metadata = pq.read_metadata(local(folder, entry.path)).metadata or {}
        if MERGED.encode() in metadata and isinstance(folder, Path):
            earlier = json.loads(metadata[MERGED.encode()])["replaces"]
            replaces |= {path for path in earlier if (folder / path).exists()}
        if entry.table == "source" and KEY.encode() in metadata:
            descriptions += [d for d in _listed(metadata[KEY.encode()]) if d["entry"]["source_id"] in sources]
    out = describe_merged_rows(sources, replaces)
    return out | {KEY: json.dumps(descriptions, separators=(",", ":"))} if descriptions else out


def describe_merged_rows(sources: Mapping[int, int], replaces: Collection[str] = ()) -> dict[str, str]:
    """The metadata of a file with the rows of each source in it, and the paths of the files that it replaces."""
    text = {"sources": sorted(sources.items()), "replaces": sorted(replaces)}
    return {MERGED: json.dumps(text, separators=(",", ":"))}


def rebuild(folder: Path) -> Rebuilt:
    """Write a manifest that names the files of all inputs whose file of table source is there; no file is deleted or changed.

    Files without an input are moved to `_quarantine/`, unless something is missing that they may belong to.

    Raises DatasetError when the folder holds no such file or the manifest of a former format, or another mqstat writes to it.
    """
    if not folder.is_dir():
        raise DatasetError(f"{folder}: no such folder.")
    log.refuse_former(folder)
    if (folder / FACTS).is_dir():
        raise DatasetError(f"{folder}: has facts, which are not rebuilt; delete the folder and run mqstat facts again.")
    with store.locked(folder):
        known, whole = _known(folder)
        out = Rebuilt()
        changes = _made(folder, known, out, whole=whole)
        made = Manifest().after(changes)
        if not made.files and not made.sources:
            raise DatasetError(
                f"{folder}: no input can be rebuilt, because no file in {folder.name}/source describes one; nothing was changed."
            )
        try:
            if not whole and (folder / log.NAME).exists():
                (folder / log.NAME).replace(folder / DAMAGED)
            begun = log.begin(folder, changes, 1 + max((m.generation for m in known), default=0))
        except OSError as error:
            raise DatasetError(f"{folder}: the manifest could not be written ({error.strerror}).") from None
        publishing.move_out(folder, begun)
        if not out.problems:
            _quarantine(folder, begun, out)
        out.sources, out.files = len(made.sources), len(made.files) + len(made.hourly)
        return out


def _quarantine(folder: Path, manifest: Manifest, out: Rebuilt) -> None:
    """Move files that have names of our own but belong to no input out of the table folders: a killed publish left them, and programs that read folders would count them."""
    for path in publishing.foreign(folder, manifest):
        name = path.relative_to(folder).as_posix()
        if is_own(name) and not path.is_symlink():
            target = folder / publishing.QUARANTINE / name
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
            except OSError as error:
                out.problems.append(f"{name}: belongs to no input and cannot be moved ({error.strerror}).")
            else:
                folders.remove_empty(folder, path.parent)
                out.remarks.append(f"{name}: belongs to no input; moved to {publishing.QUARANTINE}/.")


def _known(folder: Path) -> tuple[list[Manifest], bool]:
    """The manifests that can be read, the newest first, and whether that is the one of the dataset."""
    try:
        manifest = log.load(folder)
    except DatasetError:
        return log.salvaged(folder), False
    return [] if manifest is None else [manifest], True


def _made(folder: Path, known: Sequence[Manifest], out: Rebuilt, *, whole: bool) -> list[Change]:
    """The changes that make the new log; `known` are the manifests that can be read, the newest first, `whole` whether that is the one of the dataset."""
    described = _described(folder, out)
    merged = _merged(folder, described, out)
    retired = {entry.path: entry for manifest in known[:1] for entry in manifest.retired}
    superseded = {path for each in merged for path in each.replaces} | retired.keys()
    old = {d.replaces for d in described.values() if d.replaces is not None}
    seen: dict[tuple[str, str], int] = {}
    for number in sorted(described):
        entry = described[number].entry
        if number not in old:
            first = seen.setdefault((entry.sha256, json.dumps(entry.selection, sort_keys=True)), number)
            if first != number:
                out.remarks.append(f"source {number} ({entry.name}) has the same content as source {first}; skipped.")
                old.add(number)
    live = sorted(described.keys() - old)
    pairs: list[Rows] = [(file, ((number, file.rows),)) for number in live for file in described[number].files]
    pairs += [(m.file, m.sources) for m in merged]
    files = _files(folder, [each for each in pairs if each[0].path not in superseded], out)
    dropped = {(each.name, each.day): each for manifest in known[:1] for each in manifest.dropped}
    if not (whole and known):
        dropped |= _dropped(files, [described[number] for number in live], dropped, out)
    sources = [_source(described[number], files, superseded, dropped, out) for number in live]
    have = {source.source_id for source in sources}
    for manifest in known:
        with_files = {number for entry in manifest.files for number in entry.source_ids}
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
    kept = folders.retired_paths(folder)
    there = [entry for entry in retired.values() if entry.path in kept or (folder / entry.path).exists()]
    sums, older = _hourly(folder, known, retired, out)
    there += older
    named = {entry.path for entry in (*files, *there)}
    left: list[Rows] = [
        (file, ((n, file.rows),))
        for n, each in described.items()
        for file in each.files
        if n in old or file.path in superseded
    ]
    left += [(m.file, m.sources) for m in merged if m.file.path in superseded]
    # replaced, but not yet deleted
    there += _files(folder, [each for each in left if each[0].path not in named], Rebuilt())
    change = Change(
        "rebuild",
        add=(*files, *sums, *there),
        sources=tuple(sources),
        next_source_id=max([1, *(s.source_id + 1 for s in entries), *(m.next_source_id for m in known)]),
        next_record_id=max([0, *(s.first_record_id + s.records for s in entries), *(m.next_record_id for m in known)]),
        dropped=tuple(dropped[key] for key in sorted(dropped)),
    )
    return [change, Change("rebuild", retire=tuple(entry.path for entry in there))] if there else [change]


def _described(folder: Path, out: Rebuilt) -> dict[int, Described]:
    """The inputs by number, from the files of table source."""
    described: dict[int, Described] = {}
    for path in sorted((folder / "source").rglob("*.parquet")):
        name = path.relative_to(folder).as_posix()
        try:
            metadata = pq.read_metadata(path)
            text = (metadata.metadata or {}).get(KEY.encode())
            if text is None:
                out.remarks.append(f"{name}: does not describe an input (written by another program).")
                continue
            own = (
                [] if MERGED.encode() in metadata.metadata else [_written(name, metadata.num_rows, path.stat().st_size)]
            )
            for data in _listed(text):
                files = [*(_written(*item) for item in data["files"]), *own]
                entry = manifests.source_entry(data["entry"])
                described[entry.source_id] = Described(entry, tuple(files), data["replaces"])
        except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            out.problems.append(f"{name}: cannot be read ({str(error).splitlines()[0]}).")
    return described


def _merged(folder: Path, described: Mapping[int, Described], out: Rebuilt) -> list[Merged]:
    """The merged files: those that no input lists."""
    listed = {file.path for each in described.values() for file in each.files}
    merged = []
    for path in parquet_files(folder):
        name = path.relative_to(folder).as_posix()
        if name in listed:
            continue
        try:
            metadata = pq.read_metadata(path)
            text = (metadata.metadata or {}).get(MERGED.encode())
            if text is None:
                continue
            data = json.loads(text)
            sources = tuple((int(number), int(rows)) for number, rows in data["sources"])
            file = _written(name, metadata.num_rows, path.stat().st_size)
            merged.append(Merged(file, sources, frozenset(map(str, data["replaces"]))))
        except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            if table_of_or_none(name) not in (None, "source"):  # those of table source are reported already
                out.problems.append(f"{name}: cannot be read ({str(error).splitlines()[0]}).")
    return merged


def table_of_or_none(path: str) -> str | None:
    """The table that a path names, None for a file that mqstat did not write."""
    try:
        return table_of(path)
    except ValueError:
        return None


def _listed(text: bytes) -> list[dict[str, Any]]:
    data = json.loads(text)
    return data if isinstance(data, list) and data else [data]


def _written(path: str, rows: int, size: int) -> WrittenFile:
    table = table_of(path)
    if not isinstance(rows, int) or not isinstance(size, int):
        raise TypeError(f"{path!r} has no number of rows or bytes")
    return WrittenFile(table, path, rows, size)


def _files(folder: Path, wanted: Sequence[Rows], out: Rebuilt) -> list[FileEntry]:
    """The entries of the files that still exist with their original length."""
    files = []
    for file, sources in {file.path: (file, sources) for file, sources in wanted}.values():
        path = folder / file.path
        if not path.is_file():
            continue
        if path.stat().st_size != file.bytes:
            out.problems.append(
                f"{file.path}: {path.stat().st_size} bytes, but it was written with {file.bytes} bytes; skipped."
            )
            continue
        files.append(
            FileEntry(file.table, file.path, tuple(sorted(sources)), file.rows, file.bytes, publishing.checksum(path))
        )
    return files


def _dropped(
    files: Iterable[FileEntry], live: Iterable[Described], known: Collection[tuple[str, str]], out: Rebuilt
) -> dict[tuple[str, str], DroppedClass]:
    """The classes of days that a retention dropped without a readable log to state it: records of the day are there, and no table at all of the class."""
    have = {(class_of(entry.table), day_of(entry.path)) for entry in files}
    recorded = {day_of(entry.path) for entry in files if entry.table == "record"}
    had = {(class_of(file.table), day_of(file.path)) for each in live for file in each.files}
    made = {}
    for name, day in had - have:
        if name and day is not None and day in recorded and (name, day.isoformat()) not in known:
            made[name, day.isoformat()] = DroppedClass(name, day.isoformat(), "")
    for name in sorted({name for name, _ in made}):
        days = sorted(day for own, day in made if own == name)
        out.remarks.append(
            f"class {name} has no tables of {len(days)} days from {days[0]} to {days[-1]}: taken as dropped by a retention."
        )
    return made


def _hourly(
    folder: Path, known: Sequence[Manifest], retired: Collection[str], out: Rebuilt
) -> tuple[list[FileEntry], list[FileEntry]]:
    """The files of hourly sums, and those whose hours are all in a newer file of their month: replaced, but not yet deleted."""
    files, older = list[FileEntry](), list[FileEntry]()
    hours: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for path in sorted(hourly.hourly_files(folder), reverse=True):
        name = path.relative_to(folder).as_posix()
        match = HOURLY_PATH.fullmatch(name)
        if match is None or name in retired:
            continue
        try:
            rows = pq.read_metadata(path).num_rows
            entry = FileEntry(match["table"], name, (), rows, path.stat().st_size, publishing.checksum(path))
        except (pa.ArrowException, OSError) as error:
            out.problems.append(f"{name}: cannot be read ({str(error).splitlines()[0]}).")
            continue
        own = {(day, source) for day, sources in hourly.covered_by(path).items() for source in sources}
        newer = hours.setdefault(hourly.month_of(entry), set())
        (older if own and own <= newer else files).append(entry)
        newer |= own
    have = {entry.path for entry in (*files, *older)}
    lost = [entry.path for manifest in known[:1] for entry in manifest.hourly if entry.path not in have]
    out.problems += [f"{path}: these hourly sums are missing." for path in lost if not (folder / path).exists()]
    return sorted(files, key=lambda entry: entry.path), older


def _source(
    described: Described,
    files: Iterable[FileEntry],
    superseded: Collection[str],
    dropped: Collection[tuple[str, str]],
    out: Rebuilt,
) -> SourceEntry:
    """The entry of an input, with the records that are no longer there: dropped with their days, or lost. Tables of `dropped` classes are not missed."""
    entry = described.entry
    have: Counter[tuple[str, dt.date | None]] = Counter()
    names: set[str] = set()
    for file in files:
        rows = dict(file.sources).get(entry.source_id)
        if rows is not None:
            have[file.table, day_of(file.path)] += rows
            names.add(file.path)
    want: Counter[tuple[str, dt.date | None]] = Counter()
    for written in described.files:
        want[written.table, day_of(written.path)] += written.rows
    short = {
        (table, day): rows - have[table, day]
        for (table, day), rows in want.items()
        if have[table, day] < rows and (class_of(table), str(day)) not in dropped
    }
    if not short:
        return entry
    first = min((day for _, day in have if day is not None), default=dt.date.max)
    missing = [f for f in described.files if (f.table, day_of(f.path)) in short and f.path not in names]
    lost = [f.path for f in missing if f.path not in superseded and (day_of(f.path) or dt.date.max) >= first]
    if lost:
        out.problems.append(
            f"source {entry.source_id} ({entry.name}): {len(lost)} files are missing, such as {lost[0]}."
        )
    days = [day for f in missing if (day := day_of(f.path)) is not None and day < first]
    before = (max(days) + dt.timedelta(days=1)).isoformat() if days else None
    records = sum(f.rows for f in missing if f.table == "record" and f.path not in lost)
    return replace(entry, pruned_records=records, pruned_before=before) if before else entry
