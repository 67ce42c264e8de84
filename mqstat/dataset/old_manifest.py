"""The manifest of an older mqstat (schema versions 1 and 2): one JSON file, `manifest.json`. It is still read; the first writer converts it into a log."""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import xxhash

from mqstat.dataset import manifest as manifests
from mqstat.dataset.manifest import Change, FileEntry, Manifest
from mqstat.errors import DatasetError

NAME = "manifest.json"
PREVIOUS = "manifest.previous.json"
"""The manifest that the last writer replaced."""

LAST_VERSION = 2
"""The schema version of the last mqstat that wrote a `manifest.json`."""


def load(folder: Path, name: str = NAME) -> Manifest | None:
    """Read a `manifest.json`; None if there is none. Its files have no SHA-256. Raises DatasetError when it cannot be read."""
    path = folder / name
    data = _data(path)
    if data is None:
        return None
    try:
        return _manifest(data)
    except KeyError as error:
        reason = f"{error} is missing"
    except (ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
    raise _unusable(path, reason)


def _manifest(data: dict[str, Any]) -> Manifest:
    """The manifest in an object; ValueError, TypeError or KeyError for anything else."""
    version = data["schema_version"]
    if not manifests.fits(version, int) or version > LAST_VERSION:
        raise ValueError(f"its schema version {version!r} is not one that has a {NAME}")
    made = Manifest(
        schema_version=version,
        tool_version=data["tool_version"],
        next_source_id=data["next_source_id"],
        next_record_id=data["next_record_id"],
        sources=[manifests.source_entry(item) for item in _items(data["sources"])],
        files=[_file(item, version) for item in _items(data["files"])],
        generation=data.get("generation", 0),
        retired=[_file(item, version) for item in _items(data.get("retired", []))],
    )
    manifests.check_types(Manifest, vars(made))
    return made


def _data(path: Path) -> dict[str, Any] | None:
    """The object in a file, None if there is no such file."""
    try:
        data = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror}).") from None
    except RecursionError:
        raise _unusable(path, "it is nested too deeply") from None
    except UnicodeDecodeError:
        raise _unusable(path, "it is not UTF-8") from None
    except ValueError as error:
        raise _unusable(path, str(error).splitlines()[0]) from None
    if not isinstance(data, dict):
        raise _unusable(path, "it is not an object")
    return data


def _unusable(path: Path, reason: str) -> DatasetError:
    return DatasetError(
        f"{path}: is not a manifest of mqstat ({reason}); restore it from a backup, or rebuild it from the files with: "
        f"mqstat verify --rebuild {path.parent}"
    )


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("sources, files or retired has the wrong type")
    return value


def _file(data: Any, version: int) -> FileEntry:
    """A file entry: its xxh3 checksum is left out, `checksums` has it."""
    _checksum(data)
    rest = {key: value for key, value in data.items() if key not in ("source_id", "checksum")}
    return manifests.file_entry(
        rest | {"sources": [[data["source_id"], data["rows"]]], "sha256": "", "schema_version": version}
    )


def _checksum(data: Any) -> str:
    if not isinstance(data, dict):
        raise TypeError("FileEntry is not an object")
    if not isinstance(data["checksum"], str):
        raise TypeError("checksum has the wrong type")
    return data["checksum"]


def checksums(folder: Path) -> dict[str, str]:
    """The xxh3 checksum of each file by path."""
    data = _data(folder / NAME) or {}
    return {item["path"]: _checksum(item) for item in (*data["files"], *data.get("retired", []))}


def xxh3(path: Path) -> str:
    """xxh3 of the bytes of a file."""
    digest = xxhash.xxh3_64()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def converted(folder: Path, manifest: Manifest) -> list[Change]:
    """The changes that make a new log of a `manifest.json`. Each file is read once: those that still have their checksum get their SHA-256."""
    known = checksums(folder)
    with ThreadPoolExecutor() as pool:
        files = list(pool.map(lambda entry: _hashed(folder, entry, known[entry.path]), manifest.files))
    retired = [entry for entry in manifest.retired if (folder / entry.path).exists()]
    change = Change(
        "convert",
        add=(*files, *retired),
        sources=tuple(manifest.sources),
        next_source_id=manifest.next_source_id,
        next_record_id=manifest.next_record_id,
    )
    return [change, Change("convert", retire=tuple(entry.path for entry in retired))] if retired else [change]


def _hashed(folder: Path, entry: FileEntry, checksum: str) -> FileEntry:
    """An entry with the SHA-256 of its file, if that has not changed."""
    xxh, digest = xxhash.xxh3_64(), sha256()
    try:
        with (folder / entry.path).open("rb") as stream:
            while block := stream.read(1 << 20):
                xxh.update(block)
                digest.update(block)
    except OSError:
        return entry
    return replace(entry, sha256=digest.hexdigest()) if xxh.hexdigest() == checksum else entry


def leftovers(folder: Path) -> Iterable[Path]:
    """The files of an old manifest that a log replaces."""
    return (folder / name for name in (NAME, PREVIOUS, NAME + ".new", PREVIOUS + ".new"))
