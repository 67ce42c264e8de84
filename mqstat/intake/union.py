"""Several datasets that are read as one: the tables have the rows of all, and each record counts once.

The numbers of sources, and with them the ids of records, begin after those of the dataset before. An input that an earlier dataset has too is left out, as
`ingest` does not add it again; equal records of other inputs are found by their hash when the tables are opened (`mqstat.sql.duplicates`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mqstat.base.errors import UsageError
from mqstat.dataset.manifest import FileEntry, Manifest, SourceEntry
from mqstat.dataset.paths import parquet_files
from mqstat.dataset.place import Home
from mqstat.dataset.reservation import first_record_id
from mqstat.dataset.store import Opened, OpenedDataset, is_dataset, reading
from mqstat.sql.decoded import NumberedFile, Numbering


@dataclass
class United(OpenedDataset[Path, Any]):
    """Several datasets; the manifest has the sources and files of all, with their new numbers."""

    members: Sequence[Opened] = ()
    located: Mapping[FileEntry, NumberedFile] = field(default_factory=dict)

    def path(self, entry: FileEntry) -> NumberedFile:
        """Where a file is opened, and the numbers of its rows."""
        return self.located[entry]

    def paths_later(self) -> list[Path]:
        """As of one dataset."""
        return [path for member in self.members for path in member.paths_later()]


def datasets_in(home: Home) -> Sequence[Home]:
    """The datasets in a local folder that is not a dataset itself, by name; `home` alone if it is a dataset, contains none or is in an object store.

    One that has lost its manifest is among them: opening it raises DatasetError, so its records are not left out.
    """
    if not isinstance(home, Path) or not home.is_dir() or is_dataset(home):
        return [home]
    if next(parquet_files(home), None) is not None:
        return [home]
    folders = sorted(folder for folder in home.iterdir() if folder.is_dir())
    return [each for each in folders if is_dataset(each) or next(parquet_files(each), None) is not None] or [home]


@contextmanager
def reading_all(folders: Sequence[Home]) -> Iterator[United]:
    """Open several datasets as one, and hold their files as `reading` does.

    Raises UsageError for a dataset that is given twice, is in an object store, or from which a retention has dropped classes of records.
    """
    local: dict[Path, Path] = {}
    for folder in folders:
        if not isinstance(folder, Path):
            raise UsageError(f"{folder}: several datasets are read as one from folders only; copy it to a folder.")
        if folder.resolve() in local:
            raise UsageError(f"{folder}: the dataset was given twice.")
        local[folder.resolve()] = folder
    with ExitStack() as stack:
        yield _united([stack.enter_context(reading(folder)) for folder in local.values()])


def _united(members: Sequence[Opened]) -> United:
    known: dict[str, SourceEntry] = {}
    sources: list[SourceEntry] = []
    located: dict[FileEntry, NumberedFile] = {}
    shift = 0
    for member in members:
        if member.manifest.dropped:
            raise UsageError(
                f"{member.folder}: a retention has dropped classes of records; it cannot be read as one with other datasets."
            )
        earlier = dict(known)
        same: dict[int, int] = {}
        for source in member.manifest.sources:
            first = earlier.get(source.sha256)
            if first is not None and _content(first) == _content(source):
                same[source.source_id] = first.source_id
                continue
            number = source.source_id + shift
            sources.append(replace(source, source_id=number, first_record_id=first_record_id(number)))
            known.setdefault(source.sha256, sources[-1])
        numbering = Numbering(shift, first_record_id(shift + 1), tuple(sorted(same.items())))
        for entry in member.manifest.files:
            own = tuple((number + shift, rows) for number, rows in entry.sources if number not in same)
            if own:
                located[replace(entry, sources=own)] = NumberedFile(member.path(entry), numbering)
        shift += member.manifest.next_source_id - 1
    manifest = Manifest(sources=sources, files=list(located))
    files: dict[str, list[NumberedFile]] = {}
    for entry, file in located.items():
        files.setdefault(entry.table, []).append(file)
    return United(members[0].folder, manifest, files, {}, members, located)


def _content(source: SourceEntry) -> tuple[object, ...]:
    """What a dataset has of an input."""
    return source.selection, source.records, source.pruned_records, source.pruned_before
