"""A Delta log of every table, for engines that read Delta tables and want the state of one moment: `DIR/_delta/<table>`.

The manifest is the truth. The log is derived from it: `mqstat delta` makes it, every later publish adds to it, and a log that is
older than the manifest is brought up to it. `_delta/<table>/` has hard links to the files, which stay for as long as `_retired/` has them, so that a reader that has opened a
version can read it. A commit of another program is never overwritten: the table is left as it is, and `mqstat verify` names it.

The protocol is https://github.com/delta-io/delta/blob/master/PROTOCOL.md: reader version 3 and writer version 7, for times without a zone. Checkpoints,
which make long logs quick to read, need the package `deltalake`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from mqstat.base.atomic_write import sync_folder
from mqstat.base.errors import write_failure
from mqstat.base.version import __version__
from mqstat.dataset import folders
from mqstat.dataset.manifest import FileEntry, Manifest
from mqstat.parsers.tables import TEXT, table_schemas

DELTA = "_delta"
"""Below a dataset: the Delta tables."""

LOG = "_delta_log"

NOTE = "_mqstat.json"
"""Version, generation and files of a table after the last commit of mqstat."""

ENGINE = "mqstat"
"""Who wrote a commit."""

CHECKPOINT_EVERY = 50
"""Versions of a table between two checkpoints."""

_TYPES = {
    pa.int64(): "long",
    pa.float64(): "double",
    pa.string(): "string",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.binary(): "binary",
    pa.binary(16): "binary",
    pa.timestamp("us"): "timestamp_ntz",
    TEXT: "string",
}


@dataclass
class State:
    """What the log of a table has: its last version (-1 without a log), the generation that this one was made from, its files, and versions of others."""

    version: int = -1
    generation: int = -1
    files: set[str] = field(default_factory=set)
    foreign: list[int] = field(default_factory=list)


def is_wanted(root: Path) -> bool:
    """Whether a dataset has Delta tables."""
    return (root / DELTA).is_dir()


def state_of(table: Path, after: State | None = None) -> State:
    """The state of a table by its log, read from its first version or `after` a state; a commit that cannot be read counts as one of others."""
    state = after or State()
    while (path := _commit_path(table, state.version + 1)).exists():
        state.version += 1
        try:
            actions = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
            info = next(each["commitInfo"] for each in actions if "commitInfo" in each)
            if str(info["engineInfo"]).partition("/")[0] == ENGINE:
                state.generation = int(info["generation"])
                state.files |= {str(each["add"]["path"]) for each in actions if "add" in each}
                state.files -= {str(each["remove"]["path"]) for each in actions if "remove" in each}
                continue
        except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
            pass
        state.foreign.append(state.version)
    return state


def _commit_path(table: Path, version: int) -> Path:
    return table / LOG / f"{version:020d}.json"


def _noted(table: Path) -> State:
    """The state of a table after the last commit of mqstat as it noted it then: a log of years has ten thousands of commits."""
    try:
        data = json.loads((table / NOTE).read_bytes())
        return State(int(data["version"]), int(data["generation"]), set(map(str, data["files"])))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return State()


# ----------------------------------------------------------------------------------------------------------------------- writing


def make(root: Path, manifest: Manifest) -> int:
    """Make the Delta tables of a dataset, or bring them up to its manifest; returns their number. DatasetError when they cannot be written."""
    try:
        (root / DELTA).mkdir(exist_ok=True)
        derive(root, manifest)
    except OSError as error:
        raise write_failure(root, "its Delta tables could not be written", error, "the dataset is unchanged") from None
    return len(_by_table(manifest))


def derive(root: Path, manifest: Manifest) -> None:
    """Bring the Delta tables of a dataset up to its manifest. OSError when they cannot be written: the next publish does it."""
    wanted = _by_table(manifest)
    kept = folders.retired_paths(root)
    for name in sorted({*wanted, *folders.names_in(root / DELTA)} & table_schemas().keys()):
        table = root / DELTA / name
        files = wanted.get(name, {})
        state = state_of(table, _noted(table))
        if state.foreign:
            continue
        if state.version < 0 or state.files != files.keys():
            _commit(root, table, state, files, manifest.generation)
        for left in folders.names_in(table) - files.keys() - {LOG, NOTE}:
            if f"{name}/{left}" not in kept:
                (table / left).unlink()


def _by_table(manifest: Manifest) -> dict[str, dict[str, FileEntry]]:
    """The files of each table by name."""
    out: dict[str, dict[str, FileEntry]] = {}
    for entry in manifest.files:
        out.setdefault(entry.table, {})[entry.path.rpartition("/")[2]] = entry
    return out


def _commit(root: Path, table: Path, state: State, files: Mapping[str, FileEntry], generation: int) -> None:
    """Add the version of a table that has these files."""
    (table / LOG).mkdir(parents=True, exist_ok=True)
    for name, entry in files.items():
        if not (table / name).exists():
            os.link(root / entry.path, table / name)
    now = time.time_ns() // 1_000_000
    info = {"timestamp": now, "operation": "WRITE", "engineInfo": f"{ENGINE}/{__version__}", "generation": generation}
    actions: list[dict[str, Any]] = [{"commitInfo": info}]
    if state.version < 0:
        actions += _begin(table.name, now)
    actions += [
        {"remove": {"path": name, "deletionTimestamp": now, "dataChange": True}}
        for name in sorted(state.files - files.keys())
    ]
    actions += [
        {
            "add": {
                "path": name,
                "partitionValues": {},
                "size": files[name].bytes,
                "modificationTime": now,
                "dataChange": True,
                "stats": json.dumps({"numRecords": files[name].rows}),
            }
        }
        for name in sorted(files.keys() - state.files)
    ]
    version = state.version + 1
    fresh = table / LOG / ".new"
    with fresh.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(action, separators=(",", ":")) + "\n" for action in actions)
        stream.flush()
        os.fsync(stream.fileno())
    sync_folder(table)
    try:
        os.link(fresh, _commit_path(table, version))  # never replaces the commit of another program
    finally:
        fresh.unlink()
    sync_folder(table / LOG)
    note = {"version": version, "generation": generation, "files": sorted(files)}
    (table / LOG / ".note").write_text(json.dumps(note), encoding="utf-8")
    (table / LOG / ".note").replace(table / NOTE)
    if version and version % CHECKPOINT_EVERY == 0 and importlib.util.find_spec("deltalake"):
        from deltalake import DeltaTable

        with suppress(Exception):  # a checkpoint only saves time
            DeltaTable(table).create_checkpoint()


def _begin(name: str, now: int) -> list[dict[str, Any]]:
    """Protocol and columns of a table."""
    fields = [
        {"name": column.name, "type": _TYPES[column.type], "nullable": True, "metadata": {}}
        for column in table_schemas()[name]
    ]
    about = {
        "id": str(uuid.uuid4()),
        "name": name,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": [],
        "configuration": {},
        "createdTime": now,
    }
    features = ["timestampNtz"]
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features, "writerFeatures": features}
    return [{"protocol": protocol}, {"metaData": about}]


# ---------------------------------------------------------------------------------------------------------------------- checking


def problems(root: Path, manifest: Manifest) -> list[str]:
    """How the Delta tables of a dataset differ from its manifest."""
    wanted, out = _by_table(manifest), list[str]()
    for name in sorted(folders.names_in(root / DELTA) | wanted.keys()):
        shown, table = f"{DELTA}/{name}", root / DELTA / name
        if name not in table_schemas():
            out.append(f"{shown}: is not a table of mqstat.")
            continue
        state, files = state_of(table), wanted.get(name, {})
        if state.foreign:
            out.append(
                f"{shown}/{LOG}: version {state.foreign[0]} is not a commit of mqstat: remove {shown}, and the next publish makes the table again."
            )
        elif state.generation > manifest.generation:
            continue  # published since the manifest was loaded
        elif state.files != files.keys():
            behind = state.generation < manifest.generation and _noted(table).files != files.keys()
            text = (
                "the next publish brings it up to that" if behind else "remove it, and the next publish makes it again"
            )
            out.append(f"{shown}: has other files than the manifest; {text}.")
        else:
            out += [
                f"{shown}/{file}: is missing or is another file than {entry.path}; remove {shown}, and the next publish makes the table again."
                for file, entry in files.items()
                if not _is_same(table / file, folders.located(root, entry.path))
            ]
    return out


def _is_same(file: Path, original: Path) -> bool:
    """Whether two names are those of one file, or of equal ones (in a dataset that was copied)."""
    with suppress(OSError):
        return file.samefile(original) or file.read_bytes() == original.read_bytes()
    return False
