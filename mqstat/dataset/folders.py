"""Table folders change in one step, so that a program that lists a folder sees the files of one state, never of two.

A folder that loses files, or gets several, is built again next to the old one: hard links to the files that stay, and the new files. Then both folders
are exchanged, and the old one, complete as it was, is now in `_retired/`. A single new file is moved in, and a folder without any file left moves out.
`_retired/<table>-<number>` has the inode number of the folder that it holds, so a reader knows in advance where an open folder may go.

Where folders cannot be exchanged, the old one moves out first and the new one in directly after it. Where files cannot have two names, retired files move
out one by one, then new files in.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from mqstat.dataset.manifest import Manifest
from mqstat.dataset.paths import is_own

STAGING = "_staging"
"""Below a dataset: what is being written."""

RETIRED = "_retired"
"""Below a dataset: the table folders that were replaced."""

FRESH = f"{STAGING}/folders"
"""Where folders that are new are put together."""

OUT, MOVED = ".out", ".moved"
"""Ends of names in it: a folder on its way where folders cannot be exchanged; files that moved one by one."""

HOURS = 48
"""Hours after which a replaced folder is deleted."""

LEAST_BYTES, SHARE = 1 << 30, 4
"""Files that are only in replaced folders may take this many bytes, or a quarter of the dataset if that is more; then the oldest folders are deleted earlier."""

GRACE_SECONDS = 3600
"""A folder that was replaced since is not deleted while an `mqstat` process reads the dataset."""


@dataclass(frozen=True)
class FolderChange:
    """What changes in one folder of files: names of new files with their staged paths, names of files that leave, and where the folder goes."""

    folder: str
    new: Mapping[str, Path]
    retired: frozenset[str]
    aside: str

    def as_json(self) -> dict[str, Any]:
        """What the journal has about it."""
        return {
            "folder": self.folder,
            "new": sorted(self.new),
            "retired": sorted(self.retired),
            "aside": self.aside,
        }


def folder_change(data: Mapping[str, Any]) -> FolderChange | None:
    """The same from the journal, None if it has a path that mqstat does not write; ValueError, TypeError or KeyError for anything else."""
    folder, aside = str(data["folder"]), str(data["aside"])
    new, retired = list(map(str, data["new"])), list(map(str, data["retired"]))
    if not all(is_own(f"{folder}/{name}") for name in (*new, *retired)):
        return None
    if PurePosixPath(aside).parent.as_posix() not in (RETIRED, FRESH):
        return None
    return FolderChange(folder, dict.fromkeys(new, Path()), frozenset(retired), aside)


def planned(root: Path, staged: Sequence[tuple[Path, str]], retired: Collection[str]) -> list[FolderChange]:
    """The changes of each folder, for files to add (staging folder and path below it) and paths of files that leave; those that are not there are ignored."""
    new: dict[str, dict[str, Path]] = {}
    old: dict[str, set[str]] = {}
    for staging, path in staged:
        folder, _, name = path.rpartition("/")
        new.setdefault(folder, {})[name] = staging / path
    for path in retired:
        folder, _, name = path.rpartition("/")
        if (root / path).exists():
            old.setdefault(folder, set()).add(name)
    return [
        FolderChange(
            folder,
            new.get(folder, {}),
            frozenset(old.get(folder, ())),
            destination(root, folder, _number(root / folder)),
        )
        for folder in sorted({*new, *old})
    ]


def later(folder: str, number: int) -> tuple[str, str]:
    """Where an open folder with this inode number will be after it was replaced, and on its way there."""
    stem = f"{RETIRED}/{folder.replace('/', '.')}-{number}"
    return stem, stem + OUT


def _number(folder: Path) -> int:
    """The inode number of a folder; 0 if it is missing."""
    with suppress(OSError):
        return folder.stat().st_ino
    return 0


_ONE_NAME = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EMLINK, errno.EXDEV})
"""Errors of `link` where files cannot have two names, or not one more."""


def destination(root: Path, folder: str, number: int) -> str:
    """Where a folder with this inode number goes when it is replaced: no other folder has the number as long as it exists. 0 = there is no such folder yet."""
    stem = f"{RETIRED if number else FRESH}/{folder.replace('/', '.')}"
    while any((root / f"{stem}-{number}{end}").exists() for end in ("", OUT, MOVED)):
        number += 1  # of a dataset that was copied
    return f"{stem}-{number}"


def apply(root: Path, changes: Sequence[FolderChange], sync: Any) -> None:
    """Change the folders, each in one step; `sync` makes folders durable. OSError when it fails: `undo` then restores what was there."""
    ready = [(change, _built(root, change)) for change in changes]
    sync([path for _, path in ready if path is not None])
    touched: set[Path] = set()
    for change, aside in ready:
        touched |= _put_in(root, change, aside)
    sync(touched)


def _built(root: Path, change: FolderChange) -> Path | None:
    """The new content of a folder, next to it; None if the change needs none, or files cannot have two names."""
    target, aside = root / change.folder, root / change.aside
    if target.is_dir() and not change.retired and len(change.new) == 1:
        return None
    kept = {path.name for path in target.iterdir()} - change.retired if target.exists() else set()
    if not kept and not change.new:
        return None
    aside.mkdir(parents=True)
    try:
        for name in kept:
            if (target / name).is_file() and not (target / name).is_symlink():
                os.link(target / name, aside / name)
    except OSError as error:
        shutil.rmtree(aside)
        if error.errno not in _ONE_NAME:
            raise
        return None
    for name, staged in change.new.items():
        staged.replace(aside / name)
    return aside


def _put_in(root: Path, change: FolderChange, aside: Path | None) -> set[Path]:
    """Put the new content of a folder in its place; returns the folders in which names changed."""
    target = root / change.folder
    touched = {target.parent, (root / change.aside).parent}
    if aside is not None:
        if target.exists():
            swap(target, aside)
            touched |= _carry_on(target, aside, change)
            _date(aside)
        else:
            for parent in reversed(target.relative_to(root).parents[:-1]):
                (root / parent).mkdir(exist_ok=True)
                touched.add((root / parent).parent)
            aside.replace(target)
        return touched
    if not change.new and names_in(target) <= change.retired:
        (root / change.aside).parent.mkdir(exist_ok=True)
        target.replace(root / change.aside)
        _date(root / change.aside)
        return touched | {root}
    if change.retired:
        moved = root / (change.aside + MOVED)
        moved.mkdir(parents=True, exist_ok=True)
        for name in sorted(change.retired):
            (target / name).replace(moved / name)
        _date(moved)
        touched |= {moved, moved.parent, root}
    for name, staged in change.new.items():
        staged.replace(target / name)
    return touched | {target}


def swap(target: Path, aside: Path) -> None:
    """Exchange two folders: in one step where the system can, otherwise `target` is missing for a moment."""
    if not exchanged(target, aside):
        out = aside.with_name(aside.name + OUT)
        target.replace(out)
        aside.replace(target)
        out.replace(aside)


def _carry_on(target: Path, old: Path, change: FolderChange) -> set[Path]:
    """Move what the old folder has and the new one does not, except retired files: folders, links, and what arrived meanwhile. mqstat did not put it there."""
    left = names_in(old) - names_in(target) - change.retired
    for name in sorted(left):
        with suppress(OSError):
            (old / name).replace(target / name)
    return {target, old} if left else set()


def names_in(folder: Path) -> set[str]:
    """The names in a folder; empty if there is no such folder."""
    try:
        return {path.name for path in folder.iterdir()}
    except (FileNotFoundError, NotADirectoryError):
        return set()


def _date(replaced: Path) -> None:
    """Note when a folder was replaced: as the time of its last change."""
    with suppress(OSError):
        os.utime(replaced)


def undo(root: Path, changes: Sequence[FolderChange]) -> list[str]:
    """Restore the folders as they were before `apply`, at whatever point it ended; new files are removed.

    Returns the paths that could not be restored: new files that are still there, and folders that still are where they were moved.
    """
    for change in changes:
        target, aside = root / change.folder, root / change.aside
        out, moved = (aside.with_name(aside.name + end) for end in (OUT, MOVED))
        with suppress(OSError):
            if out.is_dir():
                if target.exists():
                    target.replace(aside)
                out.replace(target)
            elif aside.is_dir() and _is_replaced(target, change):
                if target.exists():
                    swap(target, aside)
                else:
                    aside.replace(target)
        with suppress(OSError):
            for name in change.new:
                (target / name).unlink(missing_ok=True)
            for name in names_in(moved):
                (moved / name).replace(target / name)
        for folder in (aside, moved):
            shutil.rmtree(folder, ignore_errors=True)
        remove_empty(root, target)
    with suppress(OSError):
        (root / RETIRED).rmdir()
    return [path for change in changes for path in _left(root, change)]


def _left(root: Path, change: FolderChange) -> list[str]:
    """What `undo` could not restore of a folder: also what cannot be listed."""
    target, aside = root / change.folder, root / change.aside
    try:
        new = [f"{change.folder}/{name}" for name in sorted(names_in(target) & change.new.keys())]
        moved = [aside, *(aside.with_name(aside.name + end) for end in (OUT, MOVED))]
        return new + [path.relative_to(root).as_posix() for path in moved if os.path.lexists(path)]
    except OSError:
        return [change.folder]


def _is_replaced(target: Path, change: FolderChange) -> bool:
    """Whether a folder has its new content."""
    names = names_in(target)
    return bool(names & change.new.keys()) or not change.retired <= names


def remove_empty(root: Path, folder: Path) -> None:
    """Remove a folder of files and those above it, up to that of the dataset, as far as they are empty."""
    with suppress(OSError):
        for path in (folder, *folder.parents):
            if path == root:
                break
            if path.exists():
                path.rmdir()


# ------------------------------------------------------------------------------------------------------------------ exchanging


_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux, see rename(2)."""


@cache
def _renameat2() -> Any:
    """The function of the C library, None where it is missing."""
    try:
        return ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return None


def exchanged(first: Path, second: Path) -> bool:
    """Exchange two folders in one step; False, with nothing changed, where the system or the file system cannot."""
    function = _renameat2()
    if function is None:
        return False
    return bool(function(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE) == 0)


# --------------------------------------------------------------------------------------------------------------------- retired


def replaced_folders(root: Path, folder: str = "") -> list[Path]:
    """The replaced folders of a dataset, or those of one folder of files, the newest first."""
    stem = folder.replace("/", ".")
    matching = [
        root / RETIRED / name for name in names_in(root / RETIRED) if not folder or name.rpartition("-")[0] == stem
    ]
    dated = [(path.stat().st_mtime_ns, path) for path in matching if path.is_dir() and not path.is_symlink()]
    return [path for _, path in sorted(dated, reverse=True)]


def located(root: Path, path: str) -> Path:
    """Where a file is: in its folder, or in the newest folder that was replaced and has it."""
    folder, _, name = path.rpartition("/")
    if (root / path).exists():
        return root / path
    return next((old / name for old in replaced_folders(root, folder) if (old / name).exists()), root / path)


def folder_of(replaced: Path) -> str:
    """The folder of files that a replaced folder was."""
    return replaced.name.rpartition("-")[0].replace(".", "/")


def retired_paths(root: Path) -> set[str]:
    """The paths that the files of replaced folders had."""
    return {f"{folder_of(path)}/{name}" for path in replaced_folders(root) for name in names_in(path)}


def expired(root: Path, manifest: Manifest, now: float | None = None) -> Iterator[tuple[Path, bool]]:
    """The replaced folders to delete, each with whether that must wait until no `mqstat` process reads the dataset."""
    now = time.time() if now is None else now
    current = {entry.path: entry.bytes for entry in (*manifest.files, *manifest.hourly)}
    limit = max(LEAST_BYTES, sum(current.values()) // SHARE)
    seen: set[str] = set()
    total = 0
    for path in replaced_folders(root):
        folder = folder_of(path)
        for name in {f"{folder}/{name}" for name in names_in(path)} - current.keys() - seen:
            seen.add(name)
            total += (path / PurePosixPath(name).name).stat().st_size
        age = now - path.stat().st_mtime
        if age > HOURS * 3600:
            yield path, False
        elif total > limit:
            yield path, age < GRACE_SECONDS
