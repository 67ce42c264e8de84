"""The folder in which dumps arrive: its files, those already known, and those still being written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from mqstat.base.errors import ConfigError
from mqstat.base.formatting import escaped
from mqstat.daily.state import Seen
from mqstat.intake.pipeline import SourceResult
from mqstat.sources.source import Source, find_sources

UNFINISHED = (".tmp", ".part", ".partial", ".filepart", ".crdownload")
"""Extensions that transfer programs use until a file is complete."""

CUT = frozenset(("truncated", "missing-segment", "bad-rdw", "bad-bdw", "implausible-length"))
"""Kinds of damage at the end of a truncated dump; bytes after the last record are not one of them."""

Pause = Callable[[float], None]


@dataclass(frozen=True)
class File:
    """A file of the inbox: path, name below the inbox, size and time of the last change (nanoseconds)."""

    path: Path
    name: str
    size: int
    changed: int


def files_of(folder: Path, patterns: Sequence[str]) -> tuple[list[File], int]:
    """The files of the inbox by name, and the number of ignored files; ConfigError if the folder does not exist or
    cannot be read.
    """
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        raise ConfigError(f"The inbox {folder} {what}; is the file system mounted? Nothing was done.")
    files, others = [], 0
    try:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder)
            hidden = any(part.startswith(".") for part in name.parts) or path.name.lower().endswith(UNFINISHED)
            if hidden or not any(fnmatchcase(path.name.casefold(), pattern.casefold()) for pattern in patterns):
                others += 1
            elif file := _now(path, escaped(name.as_posix())):
                files.append(file)
    except OSError as error:
        raise ConfigError(f"The inbox {folder} cannot be read ({error.strerror}).") from None
    return files, others


def _now(path: Path, name: str) -> File | None:
    """The current state of a file, None if it no longer exists."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return File(path, name, status.st_size, status.st_mtime_ns)


def known(file: File, seen: Mapping[str, Seen], contents: frozenset[str]) -> bool:
    """Whether a file was read before, has not changed, and all of its content is in the dataset (`contents`: the
    checksums there).
    """
    entry = seen.get(file.name)
    if entry is None or (entry.size, entry.changed) != (file.size, file.changed):
        return False
    return bool(entry.contents) and contents.issuperset(entry.contents)


def settled(
    files: Sequence[File], settle_seconds: float, wait_seconds: float, pause: Pause = time.sleep
) -> tuple[list[File], list[File]]:
    """Wait until nobody writes to the files any more: returns the files that are at rest, and those that are not when
    the time is up.

    A file rests when it changed at least `settle_seconds` ago, or stayed unchanged for that long while waiting: clocks
    of file servers differ.
    """
    first = time.monotonic()
    state = {file.name: (file, first) for file in files}
    while True:
        now, clock = time.monotonic(), time.time()
        moving = []
        for name, (file, since) in list(state.items()):
            fresh = _now(file.path, name)
            if fresh is None:
                del state[name]
                continue
            unchanged = now - since if fresh == file else 0.0
            state[name] = (fresh, now - unchanged)
            if clock - fresh.changed / 1e9 < settle_seconds and unchanged < settle_seconds:
                moving.append(fresh)
        left = first + wait_seconds - now
        if not moving or left <= 0:
            at_rest = [file for file, _ in state.values() if file not in moving]
            return at_rest, moving
        pause(min(left, 1.0 if settle_seconds < 10 else 5.0))


def sources(
    files: Sequence[File], refused: Callable[[File, Source], None], limit_seconds: float | None = None
) -> Iterator[Source]:
    """The dumps in files, one after the other, each file with its time limit; inputs that cannot be read go to
    `refused`.
    """
    for file in files:
        for source in find_sources([str(file.path)], limit_seconds=limit_seconds):
            if source.fault is None:
                yield source
            else:
                refused(file, source)


def cut(result: SourceResult) -> bool:
    """Whether an input is truncated: its compressed stream ends early, or its last record is incomplete."""
    end = result.size
    return result.problem is not None or any(
        reason in CUT and offset + length >= end for offset, length, reason, *_ in result.part.damaged_spans
    )
