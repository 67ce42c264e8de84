"""State between runs: the days that have a report, and the inbox files that were read.

It is only a cache: the dataset identifies its content by checksum. If the file is lost or cannot be read, the inbox is
read again and the reports are written again with the same bytes.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from mqstat.base.atomic_write import read_kept, replacing
from mqstat.base.errors import UsageError
from mqstat.dataset.retention import parse_period
from mqstat.render.formats import formats as known

NAME = ".daily.json"
READING = ".daily.reading.json"
"""The files that a run reads: there after the run only if it died."""
VERSION = 4


class Day(msgspec.Struct, frozen=True):
    """A day that has a report: its key, its return code, its findings, its queue managers (LPAR and name), its files by
    format, and the worst state of its queue managers.

    `key` is that of all that the report depends on (`mqstat.daily.days.key_of`): if it changes, the report is written
    again. `worst` are the queue managers with a finding of the worst severity. `first` is the card of the first
    finding, which shows the first `in_first` of `findings`; `accepted` are the exceptions of the site file; `outputs`
    were written (`mqstat.daily.outputs.of_days`), `faults` are sentences about those that could not be written.
    """

    key: str
    code: int
    counts: dict[str, int]
    findings: tuple[str, ...] = ()
    qmgrs: tuple[tuple[str, str], ...] = ()
    files: dict[str, str] = {}
    remarks: tuple[str, ...] = ()
    state: str = ""
    worst: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    in_first: int = 0
    accepted: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class Seen(msgspec.Struct, frozen=True, array_like=True):
    """A file of the inbox that was read: its size, the time of its last change, and the checksums of its contents."""

    size: int
    changed: int
    contents: tuple[str, ...] = ()


class Died(msgspec.Struct, frozen=True, array_like=True):
    """A file of the inbox in which a run ended: its size, the time of its last change, and the day on which it was read
    alone, None if it was not.
    """

    size: int
    changed: int
    tried: dt.date | None = None


class State(msgspec.Struct):
    """Days by date, and the files of the inbox by name.

    `reported` has the checksum of the data of each day of the dataset that was reported, also after its report was
    removed; None if it is not known. `died` has the files in which a run ended. `retention` has the period of each
    class that the last run announced or applied; None if it is not known.
    """

    days: dict[dt.date, Day] = {}
    seen: dict[str, Seen] = {}
    died: dict[str, Died] = {}
    reported: dict[dt.date, str] | None = None
    retention: dict[str, str] | None = None
    version: int = 0


def names_of(day: dt.date, formats: Iterable[str]) -> dict[str, str]:
    """The names of a day's files by format; KeyError for a format that is not known."""
    return {name: f"mqstat-{day}{known()[name].endings[0]}" for name in formats}


def load(folder: Path) -> tuple[State, str]:
    """The state, and why it was reset (empty if it was not)."""
    try:
        state = msgspec.json.decode(read_kept(folder / NAME), type=State)
        if state.version != VERSION:
            return State(), f"{NAME} is of another version of mqstat"
        for period in (state.retention or {}).values():
            parse_period(period)
        is_valid = all(day.files == names_of(name, day.files) for name, day in state.days.items())
    except FileNotFoundError:
        return State(), ""
    except (OSError, KeyError, RecursionError, UsageError, msgspec.MsgspecError):
        return State(), f"{NAME} cannot be read"
    # Old reports are deleted by these names.
    return (state, "") if is_valid else (State(), f"{NAME} cannot be read")


def save(folder: Path, state: State) -> None:
    """Write the state atomically; UsageError if it cannot be written."""
    state.version = VERSION
    with replacing(folder / NAME) as stream:
        json.dump(msgspec.to_builtins(state, str_keys=True), stream, indent=1, sort_keys=True)
        stream.write("\n")


def note_reading(folder: Path, files: dict[str, Died]) -> None:
    """Write which files are read from now on, before they are read; without files, none is."""
    if not files:
        (folder / READING).unlink(missing_ok=True)
        return
    with replacing(folder / READING) as stream:
        json.dump(msgspec.to_builtins(files), stream)


def add_died(folder: Path, state: State) -> None:
    """Take over the files in which the last run died."""
    try:
        state.died |= msgspec.json.decode(read_kept(folder / READING), type=dict[str, Died])
    except (OSError, RecursionError, msgspec.MsgspecError):
        return
