"""What a dataset is: the steps in the table `publish`, and the sources and files in the tables as the last complete
step names them.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.errors import DatasetError
from mqstat.base.version import __version__
from mqstat.dataset import lake
from mqstat.dataset.lake import DataFile, NoVersionError, Place
from mqstat.dataset.manifest import DroppedClass, DroppedSource, FileEntry, Manifest, Parsed, SourceEntry, Sources
from mqstat.dataset.paths import is_computed, table_of
from mqstat.dataset.place import Home, each_at_once
from mqstat.dataset.schema import (
    DROPPED,
    DROPPED_SOURCE,
    FILE,
    OF_STATE,
    PUBLISH,
    SOURCE,
    SOURCES,
    STEPS,
    OtherColumnsError,
    conformed,
    is_newer,
    lacking,
    schema_version,
)

Extremes: TypeAlias = tuple[dict[str, Any], dict[str, Any]]
"""The least and the largest values of columns of a file."""


@dataclass(frozen=True)
class Step:
    """A row of `publish`. `state` is reserve, begin or done; `versions` has the version of each table, as JSON;
    `writer` is machine, process and a mark.
    """

    generation: int
    state: str
    action: str
    time_utc: dt.datetime
    writer: str
    mqstat: str
    schema: int
    versions: str
    next_source_id: int


@dataclass(frozen=True)
class Known:
    """The steps of a dataset at one version of `publish`, oldest first."""

    version: int
    steps: tuple[Step, ...] = ()

    @property
    def done(self) -> Step | None:
        """The last step that is complete: it is the dataset."""
        return next((step for step in reversed(self.steps) if step.state == "done"), None)

    @property
    def complete(self) -> Step:
        """The same of a dataset that has one; DatasetError otherwise."""
        if (step := self.done) is None:
            raise DatasetError("This dataset was never completed; ingest the dumps again.")
        return step

    @property
    def open(self) -> Step | None:
        """The step that has begun and is not complete."""
        begun = next((step for step in reversed(self.steps) if step.state == "begin"), None)
        done = self.done
        return begun if begun is not None and (done is None or begun.generation > done.generation) else None

    @property
    def next_source_id(self) -> int:
        """The lowest number of a source that nobody has reserved."""
        return max((step.next_source_id for step in self.steps), default=1)


def versions_of(step: Step) -> dict[str, int]:
    """The version of each table after a step."""
    versions: dict[str, int] = json.loads(step.versions)
    return versions


def is_dataset(home: Home) -> bool:
    """Whether there are the steps of a dataset."""
    return lake.exists(Place(home, PUBLISH))


def known(home: Home) -> Known:
    """The steps, of the newest version of `publish` that can be read. DatasetError if there is none."""
    where = Place(home, PUBLISH)
    for version in lake.newest(where):
        with suppress(NoVersionError):
            table = lake.opened(where, version)
            try:
                rows = rows_of(where, STEPS, lake.files(table))
                return Known(version, tuple(sorted((Step(**row) for row in rows.to_pylist()), key=in_order)))
            except UNREADABLE as error:  # not of a writer that was killed
                raise _damaged(where, error) from None
    raise _damaged(where, "no version of the table can be opened")


def in_order(step: Step) -> tuple[int, dt.datetime]:
    """The place of a step among others."""
    return step.generation, step.time_utc


def load(home: Home) -> Manifest | None:
    """The dataset as its last complete step has it; None if there is no step yet. Raises DatasetError."""
    step = known(home).done if is_dataset(home) else None
    return None if step is None else _manifest(home, step)


def is_current(home: Home, manifest: Manifest) -> bool:
    """Whether a manifest is what the last complete step has made."""
    done = known(home).done if is_dataset(home) else None
    return done is not None and done.generation == manifest.generation


UNREADABLE = (NoVersionError, OSError, KeyError, TypeError, ValueError, AttributeError, IndexError, pa.ArrowException)
"""The errors of tables that mqstat did not write as they are."""


def columns_lacking(home: Home, step: Step) -> dict[str, pa.Schema]:
    """The columns that tables of a dataset lack because an older mqstat made them, all of them of a missing table.
    DatasetError if another one did.
    """
    if step.schema == schema_version():
        return {}
    try:
        versions = versions_of(step)
        names = [*versions, PUBLISH]
        where_of = {name: Place(home, name) for name in names}
        versions[PUBLISH] = next(lake.newest(where_of[PUBLISH]), 0)
        if not is_newer(step.mqstat):
            have = each_at_once(lambda name: lake.schema(lake.opened(where_of[name], versions[name])), names)
            return lacking(dict(zip(names, have, strict=True)))
        why = "is newer"
    except OtherColumnsError as error:
        why = str(error)
    except UNREADABLE as error:
        raise _damaged(home, error) from None
    raise DatasetError(
        f"{home}: was written by mqstat {step.mqstat} and {why}, which this mqstat ({__version__}) cannot read; nothing was changed. "
        "Use the mqstat that wrote it, or a newer one, or ingest its dumps into a new folder."
    )


def _damaged(where: Home | Place, error: Exception | str) -> DatasetError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return DatasetError(
        f"{where}: its steps cannot be read ({reason}); restore the dataset from a backup, or ingest the dumps into a new folder."
    )


def _manifest(home: Home, step: Step) -> Manifest:
    absent = columns_lacking(home, step)
    try:
        versions = versions_of(step)
        new = {DROPPED, DROPPED_SOURCE} - versions.keys() if absent else set[str]()
        rows = {
            name: rows_of(where, schema, lake.files(lake.opened(where, versions[name])) if name not in new else [])
            for name, schema in OF_STATE.items()
            if name not in (PUBLISH, SOURCE)
            for where in [Place(home, name)]
        }
        entries = [_without(entry, absent) for entry in _entries(rows[FILE])]
        inputs = lake.files(lake.opened(Place(home, SOURCE), versions[SOURCE]))  # here: a forked process must not
        sources = Sources(partial(_sources, home, inputs))
    except UNREADABLE as error:
        raise _damaged(home, error) from None
    return Manifest(
        step.mqstat,
        step.next_source_id,
        sources,
        [entry for entry in entries if not is_computed(entry.path)],
        step.generation,
        computed=[entry for entry in entries if is_computed(entry.path)],
        dropped=[DroppedClass(**row) for row in rows[DROPPED].to_pylist()],
        dropped_sources=[DroppedSource(**row) for row in rows[DROPPED_SOURCE].to_pylist()],
    )


def _sources(home: Home, files: Sequence[DataFile]) -> list[SourceEntry]:
    """The rows of `input` in the order of numbers."""
    try:
        rows = rows_of(Place(home, SOURCE), SOURCES, files)
        columns: dict[str, Iterable[Any]] = {name: rows[name].to_pylist() for name in rows.column_names}
        columns |= {"selection": map(cache(json.loads), columns["selection"]), "ledger": map(Parsed, columns["ledger"])}
        sources = [SourceEntry(*row) for row in zip(*columns.values(), strict=True)]  # SOURCES has the fields in order
        return sorted(sources, key=lambda source: source.source_id)
    except UNREADABLE as error:
        raise _damaged(home, error) from None


def _entries(rows: pa.Table) -> list[FileEntry]:
    """The rows of `file`, in the order of paths."""
    if not rows.num_rows:
        return []
    lists = rows["sources"].combine_chunks()
    ends = lists.offsets.to_pylist()
    pairs = list(zip(*(lists.values.field(name).to_pylist() for name in ("source_id", "rows")), strict=True))
    columns = (rows[name].to_pylist() for name in ("table", "path", "rows", "bytes", "sha256", "absent"))
    entries = [
        FileEntry(
            table, path, tuple(pairs[ends[at] : ends[at + 1]]), count, size, digest, tuple((absent or "").split())
        )
        for at, (table, path, count, size, digest, absent) in enumerate(zip(*columns, strict=True))
    ]
    for entry in entries:
        if table_of(entry.path) != entry.table:
            raise DatasetError(
                f"{entry.path}: is listed as a file of table {entry.table}; restore the dataset from a backup, or ingest the dumps into a new folder."
            )
    return sorted(entries, key=lambda entry: entry.path)


def _without(entry: FileEntry, absent: Mapping[str, pa.Schema]) -> FileEntry:
    """A file that was there before its table got columns."""
    if entry.table not in absent:
        return entry
    return dataclasses.replace(entry, absent=tuple(sorted({*entry.absent, *absent[entry.table].names})))


def rows_of(where: Place, schema: pa.Schema, files: Sequence[DataFile]) -> pa.Table:
    """The rows of files of a table that describes the dataset."""

    def of(file: DataFile) -> pa.Table:
        path = f"{where.name}/{file.path}"
        if isinstance(where.home, Path):
            return pq.ParquetFile(where.home / path).read()
        data = where.home.read(path)
        if data is None:
            raise NoVersionError(f"{where.home}/{path}: there is no such object")
        return pq.ParquetFile(io.BytesIO(data)).read()

    parts = [conformed(of(each), schema) for each in files]
    return pa.concat_tables(parts).combine_chunks() if parts else schema.empty_table()


def problems(home: Home, manifest: Manifest, footers: Mapping[str, Extremes]) -> list[str]:
    """How the tables differ from `file` and from footers of files by path, files that no commit names, and commits that
    no step explains, as of another program. None while a writer is at work.
    """
    state = known(home)
    step = next((each for each in state.steps if each.state == "done" and each.generation == manifest.generation), None)
    if step is None or state.open is not None:
        return []
    named: dict[str, dict[str, DataFile]] = {}
    for entry in (*manifest.files, *manifest.computed):
        file = data_file(entry, *footers.get(entry.path, ()))
        named.setdefault(entry.table, {})[file.path] = file
    versions = versions_of(step)

    def of(name: str) -> list[str]:
        where = Place(home, name)
        try:
            live = {each.path: each for each in lake.files(lake.opened(where, versions[name]))}
            strangers = {*lake.not_live(where, 0)} - {*lake.not_live(where, 0, full=False)} - {*live}
        except NoVersionError as error:
            return [f"{name}: version {versions[name]} cannot be opened ({error})."]
        expected = live if name in OF_STATE else named.get(name, {})
        out = []
        for path in sorted({*live, *expected}):
            if path not in expected:
                out.append(f"{name}/{path}: is in the Delta table, but not in table {FILE}.")
            elif path not in live:
                out.append(f"{name}/{path}: is in table {FILE}, but not in the Delta table.")
            elif difference := _difference(live[path], expected[path]):
                out.append(f"{name}/{path}: {difference}.")
        out += [f"{name}/{path}: no commit of the Delta table names it." for path in sorted(strangers)]
        newest = next(lake.newest(where), None)
        if newest != versions[name]:
            out.append(
                f"{name}: has version {newest}, but mqstat made version {versions[name]}: another program has changed it."
            )
        return out

    texts = [text for listed in each_at_once(of, sorted(versions)) for text in listed]
    return texts if known(home).version == state.version else []


def _difference(live: DataFile, expected: DataFile) -> str | None:
    """How a file of a Delta table differs from what it should be; None if it does not."""
    for unit, have, want in ("rows", live.rows, expected.rows), ("bytes", live.bytes, expected.bytes):
        if have != want:
            return f"{have} {unit} in the Delta table, but {want} in table {FILE}"
    if expected.least is not None and (live.least, live.most) != (expected.least, expected.most):
        return "the least and largest values in the Delta table are not those of the file"
    return None


def data_file(entry: FileEntry, *values: dict[str, Any]) -> DataFile:
    """A file as Delta has it, with its `extremes`."""
    return DataFile(entry.path.removeprefix(f"{entry.table}/"), entry.bytes, entry.rows, *values)


def extremes(footer: pq.FileMetaData) -> Extremes:
    """The least and the largest values of a Parquet file by which programs leave it out, as its footer has them."""
    names = footer.schema.names
    least, most = dict[str, Any](), dict[str, Any]()
    for name in lake.SKIPPED_BY:
        at = names.index(name) if name in names else None
        groups = [] if at is None else [footer.row_group(n).column(at).statistics for n in range(footer.num_row_groups)]
        if groups and all(each is not None and each.has_min_max for each in groups):
            least[name], most[name] = min(each.min for each in groups), max(each.max for each in groups)
    return least, most
