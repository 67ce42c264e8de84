"""What belongs to a dataset: its sources, its files, and the changes that made it. A file that is not in the manifest is not part of the dataset.

`mqstat.dataset.log` keeps the manifest on the disk: one line for each `Change`.
"""

from __future__ import annotations

import datetime as dt
import re
import types
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from mqstat.base.version import __version__
from mqstat.dataset.paths import is_computed, table_of

SCHEMA_VERSION = 3
"""Version of tables and manifest. A dataset of any other version is refused."""

FOLDED_VERSION = 4
"""Version of the line that holds the state of the lines before it: an mqstat that does not know such lines refuses the dataset by this number."""

SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class SourceEntry:
    """One input in the dataset: identity, framing, what was selected from it and its ledger.

    `pruned_records` counts the rows of table record that were dropped with their days, all before `pruned_before` (YYYY-MM-DD).
    The entry stays when all of its days are gone, so that the same content is known again.
    """

    source_id: int
    name: str
    bytes: int
    sha256: str
    framing: str
    diagnosis: str | None
    selection: dict[str, Any]
    first_record_id: int
    records: int
    ledger: dict[str, Any]
    pruned_records: int = 0
    pruned_before: str | None = None


@dataclass(frozen=True)
class FileEntry:
    """One Parquet file: table, path below the dataset folder, its sources with the rows of each, rows, size and SHA-256 of its bytes.

    `sources` holds pairs of source_id and rows, sorted by source_id; hourly sums and facts have no sources, and `rollup/<view>` or `facts/<view>` as their table.
    """

    table: str
    path: str
    sources: tuple[tuple[int, int], ...]
    rows: int
    bytes: int
    sha256: str

    @property
    def source_ids(self) -> frozenset[int]:
        """The sources whose rows are in the file."""
        return frozenset(number for number, _ in self.sources)


@dataclass(frozen=True)
class DroppedClass:
    """A class ("115" or "116") whose tables a retention dropped from a local day, and the UTC date on which that happened (empty if it is not known)."""

    name: str
    day: str
    on: str


@dataclass(frozen=True)
class Change:
    """What one publish changes, which becomes one line of the log.

    action: ingest, prune, rollup, findings, facts, compact, redact, create or rebuild. add: files that join; retire: paths of files that leave; sources: sources that are
    added or replace the entry of the same number; drop_sources: numbers of sources that leave; deleted: paths of retired files that are no longer on
    the disk; next_source_id, next_record_id: lowest free numbers, where they do not follow from `sources`; dropped: classes that a retention dropped.
    """

    action: str
    add: tuple[FileEntry, ...] = ()
    retire: tuple[str, ...] = ()
    sources: tuple[SourceEntry, ...] = ()
    drop_sources: tuple[int, ...] = ()
    deleted: tuple[str, ...] = ()
    next_source_id: int = 0
    next_record_id: int = 0
    dropped: tuple[DroppedClass, ...] = ()

    def followed_by(self, other: Change) -> Change:
        """Both changes as one; the other must not retire what this one adds."""
        return Change(
            self.action,
            (*self.add, *other.add),
            (*self.retire, *other.retire),
            (*self.sources, *other.sources),
            (*self.drop_sources, *other.drop_sources),
            (*self.deleted, *other.deleted),
            max(self.next_source_id, other.next_source_id),
            max(self.next_record_id, other.next_record_id),
            (*self.dropped, *other.dropped),
        )


@dataclass(frozen=True)
class Manifest:
    """Sources and files of a dataset, and the next free numbers, after the change number `generation`.

    `retired` lists files that left and are still on the disk, because readers of an earlier generation may need them. `hourly` lists the files of
    hourly sums and, in a folder of facts, of facts, `dropped` the classes of days that a retention dropped. Of the log: `first` and `head` are the SHA-256 of its first line ever and of its
    last one, `size` its bytes, `base` those of the line with the state of the lines that were folded, which has the generation `folded` (0 without one).
    """

    schema_version: int = SCHEMA_VERSION
    tool_version: str = __version__
    next_source_id: int = 1
    next_record_id: int = 0
    sources: list[SourceEntry] = field(default_factory=list)
    files: list[FileEntry] = field(default_factory=list)
    generation: int = 0
    retired: list[FileEntry] = field(default_factory=list)
    head: str = ""
    size: int = 0
    hourly: list[FileEntry] = field(default_factory=list)
    dropped: list[DroppedClass] = field(default_factory=list)
    first: str = ""
    base: int = 0
    folded: int = 0

    def source_with(self, sha256: str) -> SourceEntry | None:
        """The source with this content, if the dataset has it."""
        return next((s for s in self.sources if s.sha256 == sha256), None)

    def after(self, changes: Iterable[Change]) -> Manifest:
        """The manifest after some changes. Raises ValueError for a change that does not fit what was there before."""
        state = State.of(self)
        for change in changes:
            state.take(change)
        return replace(self, **state.values())


@dataclass
class State:
    """What a manifest lists, by the keys that changes name: many changes cost as much as they have entries, however much is there already."""

    next_source_id: int = 1
    next_record_id: int = 0
    sources: dict[int, SourceEntry] = field(default_factory=dict)
    files: dict[str, FileEntry] = field(default_factory=dict)
    retired: dict[str, FileEntry] = field(default_factory=dict)
    hourly: dict[str, FileEntry] = field(default_factory=dict)
    dropped: dict[tuple[str, str], DroppedClass] = field(default_factory=dict)

    @classmethod
    def of(cls, made: Manifest) -> State:
        """The state of a manifest; one that lists something twice gives fewer entries."""
        return cls(
            made.next_source_id,
            made.next_record_id,
            {source.source_id: source for source in made.sources},
            {entry.path: entry for entry in made.files},
            {entry.path: entry for entry in made.retired},
            {entry.path: entry for entry in made.hourly},
            {(each.name, each.day): each for each in made.dropped},
        )

    def values(self) -> dict[str, Any]:
        """The fields of a manifest with this state."""
        return {
            each.name: list(value.values()) if isinstance(value := getattr(self, each.name), dict) else value
            for each in fields(self)
        }

    def take(self, change: Change) -> None:
        """Add one change. ValueError if it does not fit."""
        for path in change.retire:
            entries = self.hourly if is_computed(path) else self.files
            if path not in entries:
                raise ValueError(f"{path} is retired, but no file of this name was added")
            self.retired[path] = entries.pop(path)
        for path in change.deleted:
            if self.retired.pop(path, None) is None:
                raise ValueError(f"{path} is deleted, but was not retired")
        for number in change.drop_sources:
            if self.sources.pop(number, None) is None:
                raise ValueError(f"source {number} is dropped, but was not added")
        for source in change.sources:
            self.sources[source.source_id] = source
            self.next_source_id = max(self.next_source_id, source.source_id + 1)
            self.next_record_id = max(self.next_record_id, source.first_record_id + source.records)
        for entry in change.add:
            entries = self.hourly if is_computed(entry.path) else self.files
            if entry.path in entries or entry.path in self.retired:
                raise ValueError(f"{entry.path} is added twice")
            entries[entry.path] = entry
        self.dropped |= {(each.name, each.day): each for each in change.dropped}
        self.next_source_id = max(self.next_source_id, change.next_source_id)
        self.next_record_id = max(self.next_record_id, change.next_record_id)


Entry = TypeVar("Entry")


# ------------------------------------------------------------------------------------------------------------- from and to JSON


def as_json(change: Change) -> dict[str, Any]:
    """A change as JSON has it; entries are not copied."""
    return {
        name: [vars(each) if hasattr(each, "__dict__") else each for each in value]
        if isinstance(value, tuple)
        else value
        for name, value in vars(change).items()
    }


def change(data: dict[str, Any]) -> Change:
    """A change as JSON has it, checked; ValueError, TypeError or KeyError for anything else."""
    known = _known(Change, data)
    return Change(
        str(known["action"]),
        tuple(map(file_entry, _items(known["add"]))),
        tuple(map(_text, _items(known["retire"]))),
        tuple(map(source_entry, _items(known["sources"]))),
        tuple(map(_number, _items(known["drop_sources"]))),
        tuple(map(_text, _items(known["deleted"]))),
        _number(known["next_source_id"]),
        _number(known["next_record_id"]),
        tuple(map(dropped_class, _items(known["dropped"]))),
    )


def state_as_json(made: Manifest) -> dict[str, Any]:
    """What a manifest lists as JSON has it; for a fold of years, entries are not copied."""
    listed = State.of(made).values().items()
    return {name: list(map(vars, value)) if isinstance(value, list) else value for name, value in listed}


def state(data: dict[str, Any]) -> State:
    """The state of a manifest as JSON has it, checked; ValueError, TypeError or KeyError for anything else."""
    known = _known(State, data)
    made = Manifest(
        next_source_id=_number(known["next_source_id"]),
        next_record_id=_number(known["next_record_id"]),
        sources=list(map(source_entry, _items(known["sources"]))),
        files=list(map(file_entry, _items(known["files"]))),
        retired=list(map(file_entry, _items(known["retired"]))),
        hourly=list(map(file_entry, _items(known["hourly"]))),
        dropped=list(map(dropped_class, _items(known["dropped"]))),
    )
    out = State.of(made)
    if any(len(value) != len(getattr(out, name)) for name, value in known.items() if isinstance(value, list)):
        raise ValueError("it lists a source or file twice")
    return out


def _known(kind: type, data: dict[str, Any]) -> dict[str, Any]:
    """The values of the fields of a class; KeyError if one is missing."""
    return {each.name: data[each.name] for each in fields(kind)}


def source_entry(data: Any) -> SourceEntry:
    """A source as JSON has it, checked; ValueError, TypeError or KeyError for anything else."""
    entry = _entry(SourceEntry, data)
    for side in ("bytes", "records"):
        counts = entry.ledger[side]
        if not isinstance(counts, dict) or "input" not in counts or not all(fits(n, int) for n in counts.values()):
            raise ValueError(f"the ledger of source {entry.source_id} is not a ledger")
    if not fits(entry.ledger["selected_mq_records"], int):
        raise ValueError(f"the ledger of source {entry.source_id} is not a ledger")
    return entry


def file_entry(data: Any) -> FileEntry:
    """A file as JSON has it, checked; ValueError, TypeError or KeyError for anything else."""
    if isinstance(data, dict) and isinstance(data.get("sources"), list):
        data = data | {"sources": _pairs(data["sources"])}
    entry = _entry(FileEntry, data)
    if table_of(entry.path) != entry.table:
        raise ValueError(f"{entry.path!r} is not a path of table {entry.table!r}")
    if sum(rows for _, rows in entry.sources) != (0 if is_computed(entry.path) else entry.rows):
        raise ValueError(f"the rows of {entry.path} are not those of its sources")
    if SHA256.fullmatch(entry.sha256) is None:
        raise ValueError(f"the SHA-256 of {entry.path} has another length")
    return entry


def _pairs(data: list[Any]) -> tuple[tuple[int, int], ...]:
    """Pairs of numbers, checked together: the files of a month of small dumps have tens of thousands."""
    if not {*map(type, data)} <= {list} or not {*map(len, data)} <= {2}:
        raise TypeError("pairs of numbers are expected")
    if not {type(number) for pair in data for number in pair} <= {int}:
        raise TypeError("a number is expected")
    return tuple(map(tuple, data))


def dropped_class(data: Any) -> DroppedClass:
    """A dropped class as JSON has it, checked; ValueError or TypeError for anything else."""
    entry = _entry(DroppedClass, data)
    int(entry.name)
    for day in (entry.day, *([entry.on] if entry.on else [])):
        dt.date.fromisoformat(day)
    return entry


def _entry(kind: type[Entry], data: Any) -> Entry:
    if not isinstance(data, dict):
        raise TypeError(f"{kind.__name__} is not an object")
    shape = (kind, *data, *map(type, data.values()))
    if shape not in _SHAPES:
        check_types(kind, data)
        _SHAPES.add(shape)
    return kind(**data)


_SHAPES: set[tuple[Any, ...]] = set()
"""Classes with keys and types of values that were checked: the entries of a manifest have few."""


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list is expected")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    return value


def _number(value: Any) -> int:
    if not fits(value, int):
        raise TypeError("a number is expected")
    return int(value)


def check_types(kind: type, data: dict[str, Any]) -> None:
    """Raise TypeError if a field of a class would get a value of another type."""
    hints = _hints(kind)
    for key, value in data.items():
        if key in hints and not fits(value, *hints[key]):
            raise TypeError(f"{key} has the wrong type")


@cache
def _hints(kind: type) -> dict[str, tuple[type, ...]]:
    """The types that each field of a class takes; a dataset of years has an entry for each of ten thousand files."""
    return {
        name: tuple(get_origin(part) or part for part in (get_args(hint) if _is_union(hint) else (hint,)))
        for name, hint in get_type_hints(kind).items()
    }


def _is_union(hint: Any) -> bool:
    return get_origin(hint) is types.UnionType


def fits(value: Any, *kinds: type) -> bool:
    """Whether a JSON value has one of some types; a boolean is not a number."""
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
