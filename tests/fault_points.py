"""The calls by which a command changes a dataset: each can be counted, fail, or be the last one before a kill."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mqstat.dataset import folders

CALLS = (
    (Path, "replace"),
    (Path, "mkdir"),
    (Path, "unlink"),
    (Path, "rmdir"),
    (os, "fsync"),
    (os, "write"),
    (json, "dump"),
    (os, "link"),
    (folders, "exchanged"),
)
"""What changes the disk: renames, folders, deletions, syncs and the writing of log and journal."""


LINK = os.link
"""The function itself, which is in CALLS."""


def hooked(patch: pytest.MonkeyPatch, act: Callable[[int], None], torn: int = 0) -> list[str]:
    """Have every call of CALLS named; `act` gets its number before it happens; half of write number `torn` happens before."""
    calls: list[str] = []
    numbering = threading.RLock()  # files are synced in several threads
    for owner, name in CALLS:
        real = getattr(owner, name)

        def call(*given: object, real: Callable[..., object] = real, name: str = name, **options: object) -> object:
            target = kind_of(given[1] if name in ("replace", "dump") else given[0])
            if (name != "write" or "manifest" in target) and target != ".writer":
                with numbering:
                    calls.append(f"{name} {target}")
                    if len(calls) == torn:
                        real(given[0], bytes(given[1])[: len(given[1]) // 2])  # type: ignore[arg-type,call-overload]
                    act(len(calls))
            return real(*given, **options)

        patch.setattr(owner, name, call)
    return calls


def kind_of(target: object) -> str:
    """What a call changes: a file by its name, data files by their ending, folders by their position."""
    if isinstance(target, int):
        target = Path(f"/proc/self/fd/{target}").readlink()
    if not isinstance(target, Path):
        return "journal"
    if target.suffix == ".part":  # of a file that is replaced; its name ends in random digits
        return f"part of {target.name[1:-22]}"
    if target.suffix in (".parquet", ".json", ".jsonl"):
        return "data" if target.suffix == ".parquet" else target.name
    if target.name == ".writer":
        return target.name
    return {"count": "dataset", "_staging": "staging", "folders": "staging"}.get(target.name, "table folder")


def copied(folder: Path, target: Path) -> None:
    """Copy a dataset as it is on the disk; no function of CALLS is called. Data files never change in place: links to them are enough."""
    os.mkdir(target)  # noqa: PTH102 - Path.mkdir is one of them
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                copied(Path(entry.path), target / entry.name)
            elif entry.name.endswith(".parquet"):
                LINK(entry.path, target / entry.name)
            else:
                shutil.copyfile(entry.path, target / entry.name)
