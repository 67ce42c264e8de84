"""Publishing in an object store: files are put under names of their own, then one conditional put of the next line of the log makes them part of the dataset.

There is no lock. Of two writers that publish the same generation one gets a `ConflictError`, and starts again from the dataset as it is then. What a killed writer
has put belongs to nothing, and is deleted when it is old. Readers are safe by time: a file that left the dataset is deleted `folders.HOURS` after that.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from mqstat.base.errors import DatasetError
from mqstat.base.version import __version__
from mqstat.dataset import log
from mqstat.dataset.folders import HOURS
from mqstat.dataset.manifest import Change, Manifest
from mqstat.dataset.paths import COMPUTED, is_own
from mqstat.dataset.place import (
    FOLD_MARK,
    LOG,
    RESERVED,
    Listed,
    ObjectPlace,
    each_at_once,
    generation_of,
    line_path,
)
from mqstat.parsers.tables import table_schemas

FOLD_AFTER = 64
"""Lines after which the log is folded, so that a reader needs few requests; so many times more with a signature (`log.SIGNED_FACTOR`)."""

MOST_CONFLICTS = 20
"""How often a change is made again because another writer was first."""

P = ParamSpec("P")
R = TypeVar("R")

MOST_HOURS = HOURS / 2
"""A publish that takes longer than this is given up: its files might be taken for those of a killed writer."""


class ConflictError(DatasetError):
    """Another writer has published the generation that this one was about to publish."""


def repeated(function: Callable[P, R]) -> Callable[P, R]:
    """A function that runs again, from the dataset as it is then, when another writer was first."""

    @wraps(function)
    def run(*arguments: P.args, **named: P.kwargs) -> R:
        for _ in range(MOST_CONFLICTS):
            with suppress(ConflictError):
                return function(*arguments, **named)
        return function(*arguments, **named)

    return run


def publish(home: ObjectPlace, manifest: Manifest, change: Change, staged: Sequence[tuple[Path, str]] = ()) -> Manifest:
    """Make a change of a dataset visible; returns the manifest that it has now. ConflictError, with the dataset as it is, if another writer was first."""
    began = time.monotonic()
    writer = secrets.token_hex(8)
    if not manifest.head:
        # From here on files that a killed writer has put are those of a dataset.
        manifest = _appended(home, manifest, Change("create"), writer)
    if change.sources and home.stat(line_path(manifest.generation + 1)) is not None:
        raise _conflict(home)  # before files are put for nothing
    names = {path: f"{path.removesuffix('.parquet')}-{writer}.parquet" for _, path in staged}
    at = {names[path]: staging / path for staging, path in staged}
    each_at_once(lambda path: home.create(path, at[path]), at)
    change = dataclasses.replace(
        change, add=tuple(dataclasses.replace(entry, path=names.get(entry.path, entry.path)) for entry in change.add)
    )
    if time.monotonic() - began > MOST_HOURS * 3600:
        raise DatasetError(f"{home}: putting the files took more than {MOST_HOURS:.0f} hours; nothing was changed.")
    while True:
        known = {entry.path for entry in manifest.retired}
        deleted = tuple(path for path in home.expired if path in known)
        try:
            made = _appended(home, manifest, dataclasses.replace(change, deleted=deleted), writer)
            break
        except ConflictError:
            # A change without sources does not depend on what others added.
            if change.sources or change.drop_sources:
                raise
            manifest = log.load(home) or Manifest()
    with suppress(DatasetError):  # the change is published; a later one does it
        note(home, made)
        factor = log.SIGNED_FACTOR if home.read(log.SIGNATURE) is not None else 1
        if made.generation - made.folded >= factor * FOLD_AFTER:
            made = _fold(home, made)
    return made


def _appended(home: ObjectPlace, manifest: Manifest, change: Change, writer: str) -> Manifest:
    """Put the next line of the log; `writer` makes it differ from the line of any other writer. The first line has generation 0."""
    generation = manifest.generation + 1 if manifest.head else 0
    try:
        after = manifest.after([change])
    except ValueError:  # another writer retired the same files
        raise _conflict(home) from None
    line, seal = log.line_of(change, generation, manifest.head, writer)
    if not home.put_if_absent(line_path(generation), line):
        raise _conflict(home)
    return dataclasses.replace(
        after, tool_version=__version__, generation=generation, head=seal, first=manifest.first or seal, size=manifest.size + len(line)
    )  # fmt: skip


def _conflict(home: ObjectPlace) -> ConflictError:
    return ConflictError(
        f"{home}: another mqstat has changed this dataset meanwhile; nothing was changed. Run it again."
    )


def _fold(home: ObjectPlace, manifest: Manifest) -> Manifest:
    """Put a line that holds the manifest, at which readers begin; if another writer is first, the next publish does it."""
    line, seal = log.folded_line(manifest)
    generation = manifest.generation + 1
    if not home.put_if_absent(line_path(generation), line):
        return manifest
    made = log.as_folded(manifest, line, seal)
    home.create(line_path(generation, FOLD_MARK), b"")
    note(home, made)
    return made


def note(home: ObjectPlace, manifest: Manifest) -> None:
    """Write how far the log goes."""
    home.create(log.HEAD, log.head_line(manifest))


# ------------------------------------------------------------------------------------------------------------------- deleting


def tidy(home: ObjectPlace, manifest: Manifest, *, everything: bool = False) -> None:
    """Delete what left the dataset long ago, and old lines of the log; `everything` = also what killed writers have put."""
    home.expired = ()
    if not manifest.retired and not everything:
        return
    limit = home.now() - dt.timedelta(hours=HOURS)
    lines = {generation_of(each.path): each.modified for each in home.list(f"{LOG}/") if each.path.endswith(".json")}
    old = max((generation for generation, modified in lines.items() if modified < limit), default=None)
    doomed: list[str] = []
    if old is not None:
        replay = log.Replay()
        with home.log(old) as stream:
            fault = log.replayed(replay, stream)
        if fault is None:
            deleted = {entry.path for entry in replay.manifest.retired} & {entry.path for entry in manifest.retired}
            home.expired = tuple(sorted(deleted))
            doomed += home.expired
            doomed += [
                line_path(number, extension)
                for number in lines
                if number < replay.folded
                for extension in (".json", FOLD_MARK)
            ]
    doomed += [each.path for each in home.list(f"{RESERVED}/")[:-1] if each.modified < limit]
    if everything:
        doomed += [each.path for each in strangers(home, manifest) if is_own(each.path) and each.modified < limit]
    each_at_once(lambda path: home.delete([path]), doomed)


def strangers(home: ObjectPlace, manifest: Manifest) -> Iterator[Listed]:
    """Objects in the folders of tables, hourly sums and facts that the manifest does not name."""
    named = {entry.path for entry in (*manifest.files, *manifest.hourly, *manifest.retired)}
    tables = {*table_schemas(), *COMPUTED}
    return (each for each in home.list() if each.path.partition("/")[0] in tables and each.path not in named)
