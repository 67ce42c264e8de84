"""The manifest on the disk: an append-only log whose oldest lines are folded into one, and a note of how far it goes.

`manifest.jsonl` has one line for each publish. A line holds the `Change`, its generation, the time, the version of mqstat, the seal of the line before
(`previous`: a hash chain) and its own seal (`sha256`: of the line up to that key). A line becomes part of the dataset when it is complete on the disk;
an incomplete line at the end was never published: readers ignore it, and the next writer cuts it off.

A log that has grown is replaced by one whose first line holds what all lines so far amount to: the action `fold`, with the seal of the last line that it
replaces as its `previous`, and that of the first line ever. Its own seal covers this state, so the chain does, and a signature of any line after it.

`manifest.head.json` holds generation and seal of the last line: it is written after it, so a log that ends before it has lost lines.
"""

from __future__ import annotations

import base64
import datetime as dt
import gc
import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from mqstat.base.atomic_write import MOST_READ, opened, read_kept, replace_bytes, write_all
from mqstat.base.errors import DatasetError
from mqstat.base.formatting import pasted
from mqstat.base.version import __version__
from mqstat.dataset import manifest as manifests
from mqstat.dataset.manifest import FOLDED_VERSION, SCHEMA_VERSION, Change, Manifest, State
from mqstat.dataset.place import Home, line_path

NAME = "manifest.jsonl"
HEAD = "manifest.head.json"
SIGNATURE = "manifest.sig.json"

CHECKPOINT = "manifest.checkpoint.json"
"""A file of datasets of earlier versions, which the log does not need: the next writer removes it."""

FORMER = "manifest.json"
"""The manifest of datasets from before the first release, which are refused."""

FOLD_FROM = 1 << 20
"""Bytes of lines after which the log is folded; for a larger state its own size, so that both grow alike."""

SIGNED_FACTOR = 8
"""A log with a signature grows so many times longer before it is folded without a new one, because the fold is not signed then."""

MOST_UNPACKED = 1 << 20
TIMES_UNPACKED = 64
"""Bytes of a state when it is unpacked: at most so many, or so many times the packed ones. Each file in it has a checksum, so a real state is about ten times."""

FOLD = "fold"
"""Action of the line that holds a state."""

SEAL = b',"sha256":"'
SEALED = len(SEAL) + 64 + len(b'"}')
"""The bytes at the end of a line that its own seal does not cover."""


class UnsealedError(ValueError):
    """A line whose seal is missing or wrong."""


@dataclass(frozen=True)
class Head:
    """How far the log went when its head was last written: generation and seal of the last line."""

    generation: int
    line: str


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


def line_of(change: Change, generation: int, previous: str, writer: str = "") -> tuple[bytes, str]:
    """The line of a change, and its seal. `writer` = who published it, where lines of several writers could be equal (an object store)."""
    by = {"writer": writer} if writer else {}
    stamp = _stamp(generation, SCHEMA_VERSION)
    return sealed({**stamp, **manifests.as_json(change), **by, "previous": previous or None})


def folded_line(manifest: Manifest) -> tuple[bytes, str]:
    """The line that holds a manifest in place of the lines that made it, and its seal."""
    stamp = _stamp(manifest.generation + 1, FOLDED_VERSION)
    state = packed(manifests.state_as_json(manifest))
    return sealed({**stamp, "action": FOLD, "first": manifest.first, "state": state, "previous": manifest.head})


def packed(state: dict[str, Any]) -> str:
    """A state as a folded line has it: JSON, compressed with zlib, in base64."""
    return base64.b64encode(zlib.compress(json.dumps(state, separators=(",", ":")).encode())).decode()


def state_of(data: dict[str, Any]) -> dict[str, Any]:
    """The state in a folded line; ValueError, TypeError or KeyError for another line."""
    text, unpacking = base64.b64decode(data["state"], validate=True), zlib.decompressobj()
    try:
        unpacked = unpacking.decompress(text, max(MOST_UNPACKED, TIMES_UNPACKED * len(text)))
    except zlib.error:
        raise ValueError("its state is damaged") from None
    if not unpacking.eof:
        raise ValueError("its state is incomplete, or larger than any that mqstat packs")
    state: dict[str, Any] = json.loads(unpacked)
    return state


def _stamp(generation: int, version: int) -> dict[str, Any]:
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {"generation": generation, "time_utc": now, "tool_version": __version__, "schema_version": version}


@dataclass
class Replay:
    """What the lines read so far amount to."""

    state: State = field(default_factory=State)
    tool: str = __version__
    generation: int = 0
    head: str = ""
    first: str = ""
    size: int = 0
    base: int = 0
    folded: int = 0
    replaced: str = ""
    """The seal of the last line that was folded."""
    action: str = ""
    """That of the last line."""
    number: int = 0
    """Lines read."""

    @property
    def manifest(self) -> Manifest:
        """The manifest after these lines."""
        return Manifest(
            tool_version=self.tool, generation=self.generation, head=self.head, first=self.first, size=self.size, base=self.base, folded=self.folded,
            **self.state.values(),
        )  # fmt: skip

    def take(self, line: bytes) -> None:
        """Add one line (without its line end). UnsealedError, ValueError, TypeError or KeyError when it does not fit."""
        data, seal = unsealed(line)
        version, tool, generation = data["schema_version"], data["tool_version"], data["generation"]
        if not manifests.fits(version, int) or not manifests.fits(generation, int) or not isinstance(tool, str):
            raise TypeError("generation, schema_version or tool_version has the wrong type")
        is_fold = data["action"] == FOLD and version == FOLDED_VERSION
        if version != SCHEMA_VERSION and not is_fold:
            raise OtherVersionError(version, tool)
        if is_fold:
            self._begin(data, generation, len(line) + 1)
        elif data["previous"] != (self.head or None):
            raise ValueError("it does not follow the line before it: lines are missing, added or in another order")
        elif self.head and generation != self.generation + 1:
            raise ValueError(f"it has generation {generation} after {self.generation}")
        else:
            self.state.take(manifests.change(data))
        self.tool, self.generation, self.head, self.action = tool, generation, seal, str(data["action"])
        self.first = self.first or seal
        self.size += len(line) + 1
        self.number += 1

    def _begin(self, data: dict[str, Any], generation: int, size: int) -> None:
        """Take the state of a folded line, which only is the first one."""
        if self.number:
            raise ValueError("it holds a state, but is not the first line")
        self.replaced, self.first = _seal(data["previous"]), _seal(data["first"])
        with _uncollected():
            self.state = manifests.state(state_of(data))
        self.base, self.folded = size, generation


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for garbage: the state of a year has a million small objects, and looking at all of them again and again takes twice the time of reading it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _seal(value: Any) -> str:
    if not isinstance(value, str) or manifests.SHA256.fullmatch(value) is None:
        raise ValueError("it has no SHA-256 of another line")
    return value


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


def load(folder: Home) -> Manifest | None:
    """The manifest of a dataset as its log has it now; None without a log.

    Raises DatasetError for a manifest that cannot be read, has lost lines or is of another schema version.
    """
    try:
        head = head_of(folder)  # before the log, which only grows
        with opened_log(folder) as stream:
            made = _replayed(folder, stream)
    except (FileNotFoundError, NotADirectoryError):
        if isinstance(folder, Path):
            refuse_former(folder)
        return None
    except OSError as error:
        raise DatasetError(f"{folder}/{NAME}: cannot be read ({error.strerror}).") from None
    if head is not None and (
        head.generation > made.generation or (head.generation == made.generation and head.line != made.head)
    ):
        raise broken(
            folder, f"it ends with generation {made.generation}, but {HEAD} has generation {head.generation}: its last lines are missing or were changed"
        )  # fmt: skip
    return made


def opened_log(folder: Home) -> BinaryIO:
    """The lines of the log of a dataset; FileNotFoundError without a log."""
    return opened(folder / NAME) if isinstance(folder, Path) else folder.log()


def refuse_former(folder: Path) -> None:
    """Raise DatasetError for a folder that has the manifest of a former format and no log."""
    if (folder / FORMER).exists() and not (folder / NAME).exists():
        raise DatasetError(
            f"{folder / FORMER}: the dataset has a format that this mqstat {__version__} does not read: ingest its dumps into a new dataset."
        )


def broken(folder: Home, reason: str) -> DatasetError:
    """The error about a log that cannot be used."""
    return DatasetError(
        f"{folder}/{NAME}: is not a manifest of mqstat ({reason}); restore it from a backup, or rebuild it from the files with: "
        f"mqstat verify --rebuild {pasted(str(folder))}"
    )


def _replayed(folder: Home, stream: BinaryIO) -> Manifest:
    """The manifest after all lines of a log."""
    replay = Replay()
    fault = replayed(replay, stream)
    if fault is not None:
        if isinstance(fault, OtherVersionError):
            raise other_version(folder, *fault.args)
        raise broken(folder, f"line {replay.number + 1}: {reason_of(fault)}")
    if not replay.head:
        raise broken(folder, "it has no complete line")
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
    """What can be read of a log that `load` refuses: the manifest after the lines before the first fault; none if that is the first line."""
    replay = Replay()
    with suppress(OSError), opened(folder / NAME) as stream:
        if replayed(replay, stream) is not None:  # a line that does not fit may have been taken in part
            stream.seek(0)
            good, replay = islice(lines_of(stream), replay.number), Replay()
            for line, _ in good:
                replay.take(line)
    return [replay.manifest] if replay.head else []


def reason_of(error: Exception) -> str:
    """Why a line or file was refused, without a full stop."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return (str(error) or type(error).__name__).splitlines()[0]


def other_version(folder: Home, version: int, tool: str) -> DatasetError:
    """The error about a dataset of another schema version."""
    cure = "use the newer mqstat" if version > SCHEMA_VERSION else "ingest its dumps into a new dataset"
    return DatasetError(
        f"{folder}/{NAME}: the dataset has schema version {version}, written by mqstat {tool}; "
        f"this mqstat {__version__} reads version {SCHEMA_VERSION}: {cure}."
    )


def is_at(stream: BinaryIO, manifest: Manifest) -> bool:
    """Whether the line that a manifest was read after is in the log where it was."""
    stream.seek(max(0, manifest.size - 67))
    return stream.read(67) == manifest.head.encode() + b'"}\n'


def is_current(folder: Home, manifest: Manifest) -> bool:
    """Whether the log ends with the line that a manifest was read after."""
    if not isinstance(folder, Path):
        # the head also covers lines that were deleted since
        head = head_of(folder) if manifest.head else None
        return (
            head is not None
            and head.generation <= manifest.generation
            and folder.stat(line_path(manifest.generation + 1)) is None
        )
    try:
        with opened(folder / NAME) as stream:
            return bool(manifest.head) and is_at(stream, manifest) and not stream.read(1)
    except OSError:
        return False


def head_of(folder: Home) -> Head | None:
    """How far the log went when its head was last written; None if there is none or it was damaged."""
    try:
        text = read_kept(folder / HEAD) if isinstance(folder, Path) else folder.read(HEAD) or b""
        data, _ = unsealed(text.removesuffix(b"\n"))
        return Head(int(data["generation"]), str(data["line"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


# ---------------------------------------------------------------------------------------------------------------------- writing


def append(folder: Path, manifest: Manifest, change: Change) -> Manifest:
    """Publish a change: write its line and sync it. Returns the manifest after it.

    Only under the writer's lock. Raises OSError when the line cannot be written; the log is then as it was.
    """
    after = manifest.after([change])
    line, seal = line_of(change, manifest.generation + 1, manifest.head)
    with opened(folder / NAME, os.O_RDWR) as stream:
        handle = stream.fileno()
        _check_end(folder, stream, manifest)
        if os.fstat(handle).st_size != manifest.size:
            os.ftruncate(handle, manifest.size)  # what a killed writer left
        os.lseek(handle, manifest.size, os.SEEK_SET)
        try:
            write_all(handle, line)
            os.fsync(handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(handle, manifest.size)
                os.fsync(handle)
            raise
    made = replace(
        after, tool_version=__version__, generation=manifest.generation + 1, head=seal, first=manifest.first or seal, size=manifest.size + len(line)
    )  # fmt: skip
    with suppress(OSError):  # the change is published; the next one writes the head again, and folds the log
        _note(folder, made)
        if is_long(folder, made):
            made = fold(folder, made)
    return made


def is_long(folder: Path, manifest: Manifest, *, is_signed_next: bool = False) -> bool:
    """Whether enough was added since the last fold; `is_signed_next` = a new signature follows, so that the earlier one is not needed."""
    factor = SIGNED_FACTOR if (folder / SIGNATURE).exists() and not is_signed_next else 1
    return manifest.size - manifest.base > factor * max(FOLD_FROM, manifest.base)


def fold(folder: Path, manifest: Manifest) -> Manifest:
    """Replace the log by one line that holds the manifest, durable and in one step. Returns the manifest after it.

    Only under the writer's lock. Raises OSError when the line cannot be written; the log is then as it was.
    """
    line, seal = folded_line(manifest)
    replace_bytes(folder / NAME, line)
    made = as_folded(manifest, line, seal)
    with suppress(OSError):
        _note(folder, made)
    return made


def as_folded(manifest: Manifest, line: bytes, seal: str) -> Manifest:
    """The manifest of a log that begins with a line that holds it."""
    size, generation = len(line), manifest.generation + 1
    return replace(
        manifest, tool_version=__version__, generation=generation, head=seal, size=size, base=size, folded=generation
    )


def _check_end(folder: Path, stream: BinaryIO, manifest: Manifest) -> None:
    """Raise DatasetError unless the log ends where the manifest has it, apart from an incomplete line: another writer may have added one."""
    if is_at(stream, manifest):
        stream.seek(manifest.size)
        if b"\n" not in stream.read(MOST_READ):
            return
    raise DatasetError(
        f"{folder}: another mqstat has changed this dataset meanwhile; nothing was changed. Run it again."
    )


def begin(folder: Path, changes: Sequence[Change], generation: int = 0) -> Manifest:
    """Write a new log of some changes in place of any other, durable and in one step. Returns the manifest after them."""
    made, text = Manifest(), b""
    for number, change in enumerate(changes, generation):
        line, seal = line_of(change, number, made.head)
        text += line
        made = replace(made.after([change]), generation=number, head=seal, first=made.first or seal)
    made = replace(made, size=len(text))
    replace_bytes(folder / NAME, text, former=[folder / name for name in (HEAD, CHECKPOINT)])
    with suppress(OSError):
        _note(folder, made)
    return made


def note(folder: Path, manifest: Manifest) -> None:
    """Write how far the log goes, if a killed writer had no time to; under the writer's lock."""
    head = head_of(folder)
    if manifest.head and (head is None or head.generation < manifest.generation):
        with suppress(OSError):
            _note(folder, manifest)


def _note(folder: Path, manifest: Manifest) -> None:
    """Write how far the log goes."""
    replace_bytes(folder / HEAD, head_line(manifest))


def head_line(manifest: Manifest) -> bytes:
    """The content of the file that notes how far the log goes."""
    return sealed({"generation": manifest.generation, "line": manifest.head})[0]
