"""The manifest: what belongs to a dataset. A file that it does not name is not part of the dataset.

Replacing the manifest is the one step that publishes an ingest: the new one is written next to the old one, synced, and renamed over it.
The manifest before it is kept as `manifest.previous.json`.
"""

from __future__ import annotations

import json
import os
import shutil
import types
from dataclasses import asdict, dataclass, field, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from mqstat.base.atomic_write import sync_folder
from mqstat.base.version import __version__
from mqstat.dataset.paths import table_of
from mqstat.errors import DatasetError

SCHEMA_VERSION = 3
"""Version of tables and manifest (2: sources of which days were dropped; 3: no day folders, column `date` in every table). A dataset of a higher version is refused by name; missing columns of a lower one read as null."""

NAME = "manifest.json"
PREVIOUS = "manifest.previous.json"
"""The manifest that the last writer replaced."""


class _Encoded:
    """An entry that is encoded once: the manifest is written for every member of an archive, and has many entries then."""

    @cached_property
    def json(self) -> str:
        """The entry as one line."""
        return json.dumps(asdict(self))  # type: ignore[call-overload]


@dataclass(frozen=True)
class SourceEntry(_Encoded):
    """One input in the dataset: identity, framing, what was selected from it and its ledger.

    `pruned_records` counts the rows of table record that were dropped with their days, all before `pruned_before` (YYYY-MM-DD).
    The entry stays when all of its days are gone, so that the same content is known again.
    """

    source_id: int
    name: str
    bytes: int
    sha256: str
    framing: str
    diagnosis: str | None
    selection: dict[str, Any]
    first_record_id: int
    records: int
    ledger: dict[str, Any]
    pruned_records: int = 0
    pruned_before: str | None = None


@dataclass(frozen=True)
class FileEntry(_Encoded):
    """One Parquet file: table, path below the dataset folder, source, rows, size and xxh3 checksum of its bytes."""

    table: str
    path: str
    source_id: int
    rows: int
    bytes: int
    checksum: str


@dataclass(frozen=True)
class Manifest:
    """Sources and files of a dataset, and the next free numbers.

    `generation` counts the manifests of this dataset. `retired` lists files that an earlier manifest named and this one does not: readers
    of the earlier one may still need them, so the next writer deletes them.
    """

    schema_version: int = SCHEMA_VERSION
    tool_version: str = __version__
    next_source_id: int = 1
    next_record_id: int = 0
    sources: list[SourceEntry] = field(default_factory=list)
    files: list[FileEntry] = field(default_factory=list)
    generation: int = 0
    retired: list[FileEntry] = field(default_factory=list)

    def source_with(self, sha256: str) -> SourceEntry | None:
        """The source with this content, if the dataset has it."""
        return next((s for s in self.sources if s.sha256 == sha256), None)


Entry = TypeVar("Entry", SourceEntry, FileEntry)


def load(folder: Path, name: str = NAME) -> Manifest | None:
    """Read the manifest of a dataset (or the one before it, by its name); None if the folder has no manifest.

    Raises DatasetError for a manifest that cannot be read or that a newer mqstat wrote.
    """
    path = folder / name
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror}).") from None
    try:
        data = json.loads(text)
        version = data["schema_version"]
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise DatasetError(
                f"{path}: the dataset has schema version {version}, written by mqstat {data.get('tool_version', 'unknown')}; "
                f"this mqstat {__version__} reads versions up to {SCHEMA_VERSION}: use the newer mqstat."
            )
        known = {
            f.name: data[f.name] for f in fields(Manifest) if f.name in data or f.name not in ("generation", "retired")
        }
        _check_types(Manifest, known)
        known["sources"] = [source_entry(item) for item in known["sources"]]
        known["files"] = [_file_entry(item) for item in known["files"]]
        known["retired"] = [_file_entry(item) for item in known.get("retired", [])]
        return Manifest(**known)
    except KeyError as error:
        reason = f"{error} is missing"
    except RecursionError:
        reason = "it is nested too deeply"
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    except (ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
    raise DatasetError(
        f"{path}: is not a manifest of mqstat ({reason}); restore it from a backup, or rebuild it from the files with: "
        f"mqstat verify --rebuild {folder}"
    )


def source_entry(data: Any) -> SourceEntry:
    """A source as JSON has it, checked; ValueError, TypeError or KeyError for anything else."""
    entry = _entry(SourceEntry, data)
    for side in ("bytes", "records"):
        counts = entry.ledger[side]
        if not isinstance(counts, dict) or "input" not in counts or not all(_fits(n, int) for n in counts.values()):
            raise ValueError(f"the ledger of source {entry.source_id} is not a ledger")
    if not _fits(entry.ledger["selected_mq_records"], int):
        raise ValueError(f"the ledger of source {entry.source_id} is not a ledger")
    return entry


def _file_entry(data: Any) -> FileEntry:
    entry = _entry(FileEntry, data)
    if table_of(entry.path) != entry.table:
        raise ValueError(f"{entry.path!r} is not a path of table {entry.table!r}")
    return entry


def _entry(kind: type[Entry], data: Any) -> Entry:
    if not isinstance(data, dict):
        raise TypeError(f"{kind.__name__} is not an object")
    _check_types(kind, data)
    return kind(**data)


def _check_types(kind: type, data: dict[str, Any]) -> None:
    hints = _hints(kind)
    for key, value in data.items():
        if key in hints and not _fits(value, *hints[key]):
            raise TypeError(f"{key} has the wrong type")


@cache
def _hints(kind: type) -> dict[str, tuple[type, ...]]:
    """The types that each field of a class takes; a dataset of years has an entry for each of ten thousand files."""
    return {
        name: tuple(get_origin(part) or part for part in (get_args(hint) if _is_union(hint) else (hint,)))
        for name, hint in get_type_hints(kind).items()
    }


def _is_union(hint: Any) -> bool:
    return get_origin(hint) is types.UnionType


def _fits(value: Any, *kinds: type) -> bool:
    """Whether a JSON value has one of some types; a boolean is not a number."""
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def store(folder: Path, manifest: Manifest) -> None:
    """Publish: write the manifest next to the old one, sync it, keep the old one, and rename the new one over it."""
    path, fresh, spare = folder / NAME, folder / (NAME + ".new"), folder / (PREVIOUS + ".new")
    try:
        with fresh.open("w", encoding="utf-8") as stream:
            stream.write(_text(manifest))
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            spare.unlink(missing_ok=True)
            try:
                os.link(path, spare)
            except OSError:  # a file system without hard links
                shutil.copyfile(path, spare)
            spare.replace(folder / PREVIOUS)
        fresh.replace(path)
    except OSError:
        for left in (fresh, spare):
            left.unlink(missing_ok=True)  # free the space on a full disk immediately
        raise
    sync_folder(folder)


def _text(manifest: Manifest) -> str:
    """A manifest as JSON, one line for each entry."""
    lines = []
    for each in fields(manifest):
        value = getattr(manifest, each.name)
        if isinstance(value, list):
            text = "[\n  " + ",\n  ".join(entry.json for entry in value) + "\n ]" if value else "[]"
        else:
            text = json.dumps(value)
        lines.append(f' "{each.name}": {text}')
    return "{\n" + ",\n".join(lines) + "\n}\n"
