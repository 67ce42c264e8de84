"""The manifest on the disk: an append-only log, a checkpoint so that readers need only its end, and a note of how far it goes.

`manifest.jsonl` has one line for each publish. A line holds the `Change`, its generation, the time, the version of mqstat, the seal of the line before
(`previous`: a hash chain) and its own seal (`sha256`: of the line up to that key). A line becomes part of the dataset when it is complete on the disk;
an incomplete line at the end was never published: readers ignore it, and the next writer cuts it off.

`manifest.checkpoint.json` holds the manifest after one of the lines. `manifest.head.json` holds generation and seal of the last line, and the generation
of the checkpoint: it is written after both, so a log that ends before it has lost lines, and an older checkpoint was put in the place of the last one.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from mqstat.base.atomic_write import sync_folder
from mqstat.base.errors import DatasetError
from mqstat.base.formatting import pasted
from mqstat.base.version import __version__
from mqstat.dataset import manifest as manifests
from mqstat.dataset.manifest import SCHEMA_VERSION, Change, Manifest

NAME = "manifest.jsonl"
CHECKPOINT = "manifest.checkpoint.json"
HEAD = "manifest.head.json"

FORMER = "manifest.json"
"""The manifest of datasets from before the first release, which are refused."""

LEAST_UNSAVED = 64 << 10
"""Bytes of the log after a checkpoint before the next one is written; for a larger checkpoint its own size, so that both grow alike."""

SEAL = b',"sha256":"'
SEALED = len(SEAL) + 64 + len(b'"}')
"""The bytes at the end of a line that its own seal does not cover."""


class UnsealedError(ValueError):
    """A line whose seal is missing or wrong."""


@dataclass(frozen=True)
class Head:
    """How far the log went when its head was last written: generation and seal of the last line, and generation of the checkpoint (0: none)."""

    generation: int
    line: str
    checkpoint: int = 0


# ------------------------------------------------------------------------------------------------------------------------ lines


def sealed(data: dict[str, Any]) -> tuple[bytes, str]:
    """An object as one line with its own seal at the end, and this seal."""
    text = json.dumps(data, separators=(",", ":")).encode()[:-1]
    seal = hashlib.sha256(text).hexdigest()
    return text + SEAL + seal.encode() + b'"}\n', seal


def unsealed(line: bytes) -> tuple[dict[str, Any], str]:
    """The object of a line (without its line end) and its seal; UnsealedError if it was not written like this, ValueError if it is not JSON."""
    text, seal = line[:-SEALED], line[-66:-2]
    if line[-SEALED:-66] != SEAL or line[-2:] != b'"}' or hashlib.sha256(text).hexdigest().encode() != seal:
        raise UnsealedError("its checksum is wrong")
    data = json.loads(text + b"}")
    if not isinstance(data, dict):
        raise TypeError("it is not an object")
    return data, seal.decode()


def line_of(change: Change, generation: int, previous: str) -> tuple[bytes, str]:
    """The line of a change, and its seal."""
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    stamp = {"generation": generation, "time_utc": now, "tool_version": __version__, "schema_version": SCHEMA_VERSION}
    return sealed({**stamp, **manifests.as_json(change), "previous": previous or None})


@dataclass
class Replay:
    """The manifest after the lines read so far."""

    manifest: Manifest
    number: int = 0
    """Lines read."""

    def take(self, line: bytes) -> None:
        """Add one line (without its line end). UnsealedError, ValueError, TypeError or KeyError when it does not fit."""
        data, seal = unsealed(line)
        version, tool, generation = data["schema_version"], data["tool_version"], data["generation"]
        if not manifests.fits(version, int) or not manifests.fits(generation, int) or not isinstance(tool, str):
            raise TypeError("generation, schema_version or tool_version has the wrong type")
        if version != SCHEMA_VERSION:
            raise OtherVersionError(version, tool)
        if data["previous"] != (self.manifest.head or None):
            raise ValueError("it does not follow the line before it: lines are missing, added or in another order")
        if self.manifest.head and generation != self.manifest.generation + 1:
            raise ValueError(f"it has generation {generation} after {self.manifest.generation}")
        after = self.manifest.after([manifests.change(data)])
        self.manifest = replace(
            after, tool_version=tool, generation=generation, head=seal,
            size=after.size + len(line) + 1, unsaved=after.unsaved + len(line) + 1,
        )  # fmt: skip
        self.number += 1


class OtherVersionError(ValueError):
    """A line with another schema version: this version and that of its mqstat."""


def lines_of(stream: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """The lines from here on without their line ends, and whether each is the last one; a last one without its line end is empty."""
    line = stream.readline()
    while line:
        after = stream.readline()
        # A line without its end was the last one when it was read; a writer may have completed it since.
        yield line[:-1] if line.endswith(b"\n") else b"", not after or not line.endswith(b"\n")
        line = after


# ---------------------------------------------------------------------------------------------------------------------- reading


def load(folder: Path) -> Manifest | None:
    """The manifest of a dataset as its log has it now; None without a log.

    Raises DatasetError for a manifest that cannot be read, has lost lines or is of another schema version.
    """
    path = folder / NAME
    try:
        head = head_of(folder)  # before the log, which only grows
        with path.open("rb") as stream:
            made = _replayed(path, stream, checkpoint_of(folder))
    except (FileNotFoundError, NotADirectoryError):
        refuse_former(folder)
        return None
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror}).") from None
    if head is not None and (
        head.generation > made.generation or (head.generation == made.generation and head.line != made.head)
    ):
        raise broken(
            folder, f"it ends with generation {made.generation}, but {HEAD} has generation {head.generation}: its last lines are missing or were changed"
        )  # fmt: skip
    return made


def refuse_former(folder: Path) -> None:
    """Raise DatasetError for a folder that has the manifest of a former format and no log."""
    if (folder / FORMER).exists() and not (folder / NAME).exists():
        raise DatasetError(
            f"{folder / FORMER}: the dataset has a format that this mqstat {__version__} does not read: ingest its dumps into a new dataset."
        )


def broken(folder: Path, reason: str) -> DatasetError:
    """The error about a log that cannot be used."""
    return DatasetError(
        f"{folder / NAME}: is not a manifest of mqstat ({reason}); restore it from a backup, or rebuild it from the files with: "
        f"mqstat verify --rebuild {pasted(str(folder))}"
    )


def _replayed(path: Path, stream: BinaryIO, checkpoint: Manifest | None) -> Manifest:
    """The manifest after all lines of a log: those after the checkpoint, if that belongs to this log."""
    size = os.fstat(stream.fileno()).st_size
    if checkpoint is not None and checkpoint.size > size:
        raise broken(path.parent, f"it has {size} bytes, but {CHECKPOINT} was written after {checkpoint.size}")
    replay = Replay(Manifest())
    start = ""
    if checkpoint is not None and is_at(stream, checkpoint):
        replay.manifest, start = replace(checkpoint, saved=checkpoint.generation), f" after {CHECKPOINT}"
    stream.seek(replay.manifest.size)
    fault = replayed(replay, stream)
    if fault is not None:
        if isinstance(fault, OtherVersionError):
            raise other_version(path, *fault.args)
        raise broken(path.parent, f"line {replay.number + 1}{start}: {reason_of(fault)}")
    if not replay.manifest.head:
        raise broken(path.parent, "it has no complete line")
    return replay.manifest


def replayed(replay: Replay, stream: BinaryIO) -> Exception | None:
    """Take all lines from here on; returns the fault of the first line that does not fit. An incomplete last line is not a fault."""
    for line, last in lines_of(stream):
        try:
            replay.take(line)
        except UnsealedError as error:
            return None if last else error
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            return error
    return None


def salvaged(folder: Path) -> list[Manifest]:
    """What can be read of a log that `load` refuses, the newest first: the lines before the first fault, and the checkpoint."""
    made = [checkpoint_of(folder)]
    with suppress(OSError), (folder / NAME).open("rb") as stream:
        replay = Replay(Manifest())
        replayed(replay, stream)
        if replay.manifest.head:
            made.append(replay.manifest)
    return sorted((m for m in made if m is not None), key=lambda manifest: -manifest.generation)


def reason_of(error: Exception) -> str:
    """Why a line or file was refused, without a full stop."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return (str(error) or type(error).__name__).splitlines()[0]


def other_version(path: Path, version: int, tool: str) -> DatasetError:
    """The error about a dataset of another schema version."""
    cure = "use the newer mqstat" if version > SCHEMA_VERSION else "ingest its dumps into a new dataset"
    return DatasetError(
        f"{path}: the dataset has schema version {version}, written by mqstat {tool}; "
        f"this mqstat {__version__} reads version {SCHEMA_VERSION}: {cure}."
    )


def is_at(stream: BinaryIO, checkpoint: Manifest) -> bool:
    """Whether the line that a checkpoint was written after is in the log where it was."""
    stream.seek(max(0, checkpoint.size - 67))
    return stream.read(67) == checkpoint.head.encode() + b'"}\n'


def checkpoint_of(folder: Path) -> Manifest | None:
    """The manifest at the last checkpoint; None if there is none or it was damaged. The log has everything that it has."""
    try:
        data, _ = unsealed((folder / CHECKPOINT).read_bytes().removesuffix(b"\n"))
        return manifests.manifest(data) if data["schema_version"] == SCHEMA_VERSION else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def head_of(folder: Path) -> Head | None:
    """How far the log went when its head was last written; None if there is none or it was damaged."""
    try:
        data, _ = unsealed((folder / HEAD).read_bytes().removesuffix(b"\n"))
        return Head(int(data["generation"]), str(data["line"]), int(data["checkpoint"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


# ---------------------------------------------------------------------------------------------------------------------- writing


def append(folder: Path, manifest: Manifest, change: Change) -> Manifest:
    """Publish a change: write its line and sync it. Returns the manifest after it.

    Only under the writer's lock. Raises OSError when the line cannot be written; the log is then as it was.
    """
    after = manifest.after([change])
    line, seal = line_of(change, manifest.generation + 1, manifest.head)
    with (folder / NAME).open("rb+", buffering=0) as stream:
        handle = stream.fileno()
        if os.fstat(handle).st_size != manifest.size:
            os.ftruncate(handle, manifest.size)  # what a killed writer left
        os.lseek(handle, manifest.size, os.SEEK_SET)
        try:
            _write(handle, line)
            os.fsync(handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(handle, manifest.size)
                os.fsync(handle)
            raise
    made = replace(
        after, tool_version=__version__, generation=manifest.generation + 1, head=seal, size=manifest.size + len(line), unsaved=manifest.unsaved + len(line),
    )  # fmt: skip
    with suppress(OSError):  # the change is published; the next one writes both again
        made = _noted(folder, made)
    return made


def begin(folder: Path, changes: Sequence[Change], generation: int = 0) -> Manifest:
    """Write a new log of some changes in place of any other, durable and in one step. Returns the manifest after them."""
    made, text = Manifest(), b""
    for number, change in enumerate(changes, generation):
        line, seal = line_of(change, number, made.head)
        text += line
        made = replace(made.after([change]), generation=number, head=seal)
    made = replace(made, size=len(text), unsaved=len(text))
    fresh = folder / (NAME + ".new")
    try:
        with fresh.open("wb", buffering=0) as stream:
            _write(stream.fileno(), text)
            os.fsync(stream.fileno())
        for name in (HEAD, CHECKPOINT):  # of the log that this one replaces
            (folder / name).unlink(missing_ok=True)
        fresh.replace(folder / NAME)
    except OSError:
        fresh.unlink(missing_ok=True)  # free the space on a full disk immediately
        raise
    sync_folder(folder)
    with suppress(OSError):
        made = _noted(folder, made)
    return made


def _write(handle: int, data: bytes) -> None:
    """Write all bytes at the position of a file."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _noted(folder: Path, manifest: Manifest) -> Manifest:
    """Write a checkpoint when enough was added since the last one, and how far the log goes."""
    with suppress(OSError):  # one that cannot be written is written after the next line
        manifest = _checked(folder, manifest)
    line, _ = sealed({"generation": manifest.generation, "line": manifest.head, "checkpoint": manifest.saved})
    _replace(folder / HEAD, line)
    return manifest


def _checked(folder: Path, manifest: Manifest) -> Manifest:
    """Write a checkpoint when enough was added since the last one."""
    try:
        saved = (folder / CHECKPOINT).stat().st_size
    except OSError:
        saved = 0
    if manifest.unsaved <= max(LEAST_UNSAVED, saved):
        return manifest
    manifest = replace(manifest, unsaved=0, saved=manifest.generation)
    line, _ = sealed(manifests.as_json(manifest))
    _replace(folder / CHECKPOINT, line)
    return manifest


def _replace(path: Path, data: bytes) -> None:
    """Replace a small file atomically and durably."""
    fresh = path.with_name(path.name + ".new")
    try:
        with fresh.open("wb", buffering=0) as stream:
            _write(stream.fileno(), data)
            os.fsync(stream.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
