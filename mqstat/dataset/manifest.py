"""The manifest: what belongs to a dataset. A file that it does not name is not part of the dataset.

Replacing the manifest is the one step that publishes an ingest; it is written beside the old one, synced and renamed over it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mqstat import __version__
from mqstat.errors import DatasetError

SCHEMA_VERSION = 2
"""Version of tables and manifest (2: sources of which days were dropped). A dataset of a higher version is refused by name; missing columns of a lower one read as null."""

NAME = "manifest.json"


@dataclass(frozen=True)
class SourceEntry:
    """One input in the dataset: identity, form, what was selected from it and its ledger.

    `pruned_records` counts the rows of table record that were dropped with their days, which lie before `pruned_before` (YYYY-MM-DD).
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
class FileEntry:
    """One Parquet file: table, path below the dataset folder, source, rows, size and xxh3 checksum of its bytes."""

    table: str
    path: str
    source_id: int
    rows: int
    bytes: int
    checksum: str


@dataclass
class Manifest:
    """Sources and files of a dataset, and the next free numbers."""

    schema_version: int = SCHEMA_VERSION
    tool_version: str = __version__
    next_source_id: int = 1
    next_record_id: int = 0
    sources: list[SourceEntry] = field(default_factory=list)
    files: list[FileEntry] = field(default_factory=list)

    def source_with(self, sha256: str) -> SourceEntry | None:
        """The source with this content, if the dataset has it."""
        return next((s for s in self.sources if s.sha256 == sha256), None)


def load(folder: Path) -> Manifest | None:
    """Read the manifest of a dataset; None when the folder has none.

    Raises DatasetError for a manifest that cannot be read or that a newer mqstat wrote.
    """
    path = folder / NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror}).") from None
    try:
        data = json.loads(text)
        version = int(data["schema_version"])
    except (ValueError, KeyError, TypeError):
        raise DatasetError(
            f"{path}: is not a manifest of mqstat; restore it from a backup or ingest into a new folder."
        ) from None
    if version > SCHEMA_VERSION:
        raise DatasetError(
            f"{path}: the dataset has schema version {version}, written by mqstat {data.get('tool_version', 'unknown')}; "
            f"this mqstat {__version__} reads versions up to {SCHEMA_VERSION}: use the newer mqstat."
        )
    try:
        return Manifest(
            version, data["tool_version"], data["next_source_id"], data["next_record_id"],
            [SourceEntry(**s) for s in data["sources"]], [FileEntry(**f) for f in data["files"]],
        )  # fmt: skip
    except (KeyError, TypeError):
        raise DatasetError(
            f"{path}: the manifest is incomplete; restore it from a backup or ingest into a new folder."
        ) from None


def store(folder: Path, manifest: Manifest) -> None:
    """Publish: write the manifest beside the old one, sync it, and rename it over the old one."""
    path, fresh = folder / NAME, folder / (NAME + ".new")
    try:
        with fresh.open("w", encoding="utf-8") as stream:
            json.dump(asdict(manifest), stream, indent=1)
            stream.write("\n")
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)  # a disk that is full gets its space back at once
        raise
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable, where the platform lets a folder be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems cannot sync folders; the rename itself has happened
    finally:
        os.close(handle)
