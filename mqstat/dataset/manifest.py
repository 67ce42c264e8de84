"""What belongs to a dataset: its sources, its files, and the changes that made it. `mqstat.dataset.steps` keeps this in
Delta tables.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from mqstat.base.errors import DatasetError
from mqstat.base.version import __version__
from mqstat.dataset.paths import is_computed


class Parsed(Mapping[str, Any]):
    """A JSON object that is parsed when it is read: a dataset of a year has ten thousands of ledgers, and few commands
    read them.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _content(self) -> dict[str, Any]:
        try:
            content: dict[str, Any] = json.loads(self._text)
            int(content["selected_mq_records"]), sum(content["records"].values()), sum(content["bytes"].values())
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DatasetError(
                "A ledger in table input of the dataset cannot be read; restore the dataset from a backup, or ingest the dumps into a new folder."
            ) from None
        return content

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)


@dataclass(frozen=True)
class SourceEntry:
    """One input in the dataset: identity, framing, what was selected from it and its ledger.

    `pruned_records` counts the rows of table record that were dropped with their days, all before `pruned_before`
    (YYYY-MM-DD). The entry stays when all of its days are gone, so that the same content is known again.
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
    ledger: Mapping[str, Any]
    pruned_records: int = 0
    pruned_before: str | None = None


class Sources(Sequence[SourceEntry]):
    """The inputs of a dataset, which are read when they are needed: a dataset of a year has ten thousands, and few
    commands read them.
    """

    def __init__(self, read: Callable[[], list[SourceEntry]]) -> None:
        self._read = read

    @cached_property
    def _entries(self) -> list[SourceEntry]:
        return self._read()

    def __getitem__(self, at: Any) -> Any:
        return self._entries[at]

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(frozen=True)
class FileEntry:
    """One Parquet file: table, path below the dataset folder, its sources with the rows of each, rows, size and SHA-256
    of its bytes.

    `absent` names the columns of its table that an older mqstat did not write: they are null. `sources` holds pairs of
    source_id and rows, sorted by source_id; findings by day and facts have no sources.
    """

    table: str
    path: str
    sources: tuple[tuple[int, int], ...]
    rows: int
    bytes: int
    sha256: str
    absent: tuple[str, ...] = ()

    @property
    def source_ids(self) -> frozenset[int]:
        """The sources whose rows are in the file."""
        return frozenset(number for number, _ in self.sources)


@dataclass(frozen=True)
class Staged:
    """A file that is not in the dataset yet: where it is, and its entry."""

    path: Path
    entry: FileEntry


@dataclass(frozen=True)
class DroppedClass:
    """A class ("115" or "116") whose tables a retention dropped from a local day, and the UTC date on which that
    happened (empty if it is not known).
    """

    name: str
    day: str
    on: str


@dataclass(frozen=True)
class DroppedSource:
    """An input that was taken out: its content is not added again unless that is asked for. `on` is the UTC date."""

    sha256: str
    name: str
    on: str
    reason: str


@dataclass(frozen=True)
class Change:
    """What one publish changes.

    action: ingest, prune, drop, findings or compact. add: staged files that join; retire: paths of files that leave;
    sources: sources that are added or replace the entry of the same number; drop_sources: numbers of sources that
    leave; dropped: classes that a retention dropped; dropped_sources: inputs that were taken out.
    """

    action: str
    add: tuple[Staged, ...] = ()
    retire: tuple[str, ...] = ()
    sources: tuple[SourceEntry, ...] = ()
    drop_sources: tuple[int, ...] = ()
    dropped: tuple[DroppedClass, ...] = ()
    dropped_sources: tuple[DroppedSource, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """Sources and files of a dataset, after the step number `generation`; -1 = there is no dataset yet.

    `computed` lists the files of rows that were computed from others: findings by day and, in a folder of facts, facts;
    `dropped` the classes of days that a retention dropped; `dropped_sources` the inputs that were taken out;
    `next_source_id` is the lowest number above those of all sources that there were.
    """

    tool_version: str = __version__
    next_source_id: int = 1
    sources: Sequence[SourceEntry] = ()
    files: list[FileEntry] = field(default_factory=list)
    generation: int = -1
    computed: list[FileEntry] = field(default_factory=list)
    dropped: list[DroppedClass] = field(default_factory=list)
    dropped_sources: list[DroppedSource] = field(default_factory=list)

    def source_with(self, sha256: str) -> SourceEntry | None:
        """The source with this content, if the dataset has it."""
        return next((s for s in self.sources if s.sha256 == sha256), None)

    def after(self, change: Change) -> Manifest:
        """The manifest after a change. Raises ValueError for a change that does not fit what was there before."""
        files = {entry.path: entry for entry in (*self.files, *self.computed)}
        sources = {source.source_id: source for source in self.sources}
        for path in change.retire:
            if files.pop(path, None) is None:
                raise ValueError(f"{path} leaves, but no file of this name was added")
        for number in change.drop_sources:
            if sources.pop(number, None) is None:
                raise ValueError(f"source {number} is dropped, but was not added")
        for entry in (each.entry for each in change.add):
            if entry.path in files:
                raise ValueError(f"{entry.path} is added twice")
            files[entry.path] = entry
        sources |= {source.source_id: source for source in change.sources}
        return replace(
            self,
            next_source_id=max([self.next_source_id, *(each.source_id + 1 for each in change.sources)]),
            sources=list(sources.values()),
            files=[entry for path, entry in files.items() if not is_computed(path)],
            computed=[entry for path, entry in files.items() if is_computed(path)],
            dropped=list({(each.name, each.day): each for each in (*self.dropped, *change.dropped)}.values()),
            dropped_sources=list(
                {each.sha256: each for each in (*self.dropped_sources, *change.dropped_sources)}.values()
            ),
        )
