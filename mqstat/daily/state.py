"""State between runs: the days that have a report, and the inbox files that were read.

It is only a cache: the dataset identifies its content by checksum. If the file is lost or cannot be read, the inbox is read again and
the reports are written again with the same bytes.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mqstat.base.atomic_write import read_kept, replacing
from mqstat.base.errors import UsageError
from mqstat.dataset.retention import parse_period
from mqstat.render.formats import formats as known

NAME = ".daily.json"
VERSION = 3


@dataclass(frozen=True)
class Day:
    """A day that has a report: the checksum of its data, its return code, its findings, its queue managers (LPAR and name), its files by format, and the worst state of its queue managers.

    `first` is the card of the first finding, which shows the first `in_first` of `findings`; `accepted` are the exceptions of the site file.
    `history` is the checksum of the history that the report shows (`mqstat.assemble.history`), empty without one; `is_complete` = the day was over.
    `faults` are the outputs of the day that could not be written, `outputs` all that were tried (`mqstat.daily.outputs.of_days`).
    """

    data: str
    code: int
    counts: Mapping[str, int]
    findings: tuple[str, ...]
    qmgrs: tuple[tuple[str, str], ...]
    files: Mapping[str, str]
    remarks: tuple[str, ...] = ()
    state: str = ""
    history: str = ""
    is_complete: bool = True
    first: tuple[str, ...] = ()
    in_first: int = 0
    accepted: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass
class State:
    """Days by date, and the size, time of last change and checksums of the content of each file of the inbox.

    `reported` has the checksum of the data of each day of the dataset that was reported, also after its report was removed; None if it is not known.
    `retention` has the period of each class that the last run announced or applied; None if it is not known.
    """

    days: dict[dt.date, Day] = field(default_factory=dict)
    seen: dict[str, list[Any]] = field(default_factory=dict)
    reported: dict[dt.date, str] | None = None
    retention: dict[str, str] | None = None


def names_of(day: dt.date, formats: Iterable[str]) -> dict[str, str]:
    """The names of a day's files by format; KeyError for a format that is not known."""
    return {name: f"mqstat-{day}{known()[name].endings[0]}" for name in formats}


def load(folder: Path) -> tuple[State, str]:
    """The state, and why it was reset (empty if it was not)."""
    path = folder / NAME
    try:
        data = json.loads(read_kept(path))
        if data["version"] != VERSION:
            return State(), f"{NAME} is of another version of mqstat"
        days = {
            dt.date.fromisoformat(name): Day(
                str(day["data"]), int(day["code"]), {str(k): int(v) for k, v in day["counts"].items()}, tuple(map(str, day["findings"])),
                tuple((str(lpar), str(qmgr)) for lpar, qmgr in day["qmgrs"]), _own_files(dt.date.fromisoformat(name), day["files"]), tuple(map(str, day["remarks"])), str(day["state"]),
                str(day.get("history", "")), bool(day.get("is_complete", True)),
                tuple(map(str, day["first"])), int(day["in_first"]), tuple(map(str, day["accepted"])), tuple(map(str, day.get("faults", ()))), tuple(map(str, day.get("outputs", ()))),
            )
            for name, day in data["days"].items()
        }  # fmt: skip
        seen = {str(name): _seen(entry) for name, entry in data["seen"].items()}
        reported = {dt.date.fromisoformat(name): str(data) for name, data in data["reported"].items()}
        retention = (
            None
            if data["retention"] is None
            else {str(name): parse_period(str(text)).text for name, text in data["retention"].items()}
        )
        return State(days, seen, reported, retention), ""
    except FileNotFoundError:
        return State(), ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, UsageError):
        return State(), f"{NAME} cannot be read"


def _own_files(day: dt.date, files: Mapping[str, str]) -> dict[str, str]:
    """The files of a day by format; ValueError unless they have the names that this program gives: old ones are deleted by them."""
    if dict(files) != names_of(day, files):
        raise ValueError("a report has another name")
    return dict(files)


def _seen(entry: list[Any]) -> list[Any]:
    """Size, time of last change and checksums of a file of the inbox; ValueError for anything else."""
    if [type(value) for value in entry] != [int, int, *[str] * (len(entry) - 2)]:
        raise ValueError("a file of the inbox has values of another type")
    return list(entry)


def save(folder: Path, state: State) -> None:
    """Write the state atomically; UsageError if it cannot be written."""
    data = {
        "version": VERSION,
        "days": {day.isoformat(): asdict(entry) for day, entry in sorted(state.days.items())},
        "seen": dict(sorted(state.seen.items())),
        "reported": {day.isoformat(): data for day, data in sorted((state.reported or {}).items())},
        "retention": state.retention,
    }
    with replacing(folder / NAME) as stream:
        json.dump(data, stream, indent=1)
        stream.write("\n")
