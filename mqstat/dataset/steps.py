"""A dataset of Delta tables: a step begins and ends in the table `publish`, and what its last "done" names is the dataset.

DIR/publish/   the steps: "reserve" (numbers of sources), "begin" (the lock), "done" with the version of every table; one live file
DIR/source/    one row an input     DIR/file/   one row a live file     DIR/dropped_class/, dropped_source/   what retentions and `drop` took out
DIR/qpst/ ...  the rows: flat files `<day>-...`, each a live file of its table

A publish opens every table at the version of the last "done", commits "begin", then its files in each table, then "done". Each commit is the successor of the
version that was opened, or fails: so "begin" is a lock that needs no file system. Where a "begin" has no "done", its writer was killed, or sleeps: the next writer takes
every table back to the last "done" and one version on, so that no commit of that writer can follow. Readers follow "done" alone.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import io
import json
import os
import platform
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.atomic_write import sync_folder
from mqstat.base.errors import DatasetError
from mqstat.base.version import __version__
from mqstat.dataset import lake
from mqstat.dataset.lake import DataFile, LaterCommitError, NoVersionError, Place
from mqstat.dataset.manifest import Change, DroppedClass, DroppedSource, FileEntry, Manifest, Parsed, SourceEntry
from mqstat.dataset.paths import COMPUTED, is_computed, is_own, table_of
from mqstat.dataset.place import Home, each_at_once, local
from mqstat.dataset.schema import (
    DROPPED,
    DROPPED_SOURCE,
    FILE,
    OF_STATE,
    PUBLISH,
    SOURCE,
    STEPS,
    OtherColumnsError,
    conformed,
    declared,
    is_newer,
    lacking,
    schema_version,
)
from mqstat.parsers.tables import table_schemas, tables

if TYPE_CHECKING:
    from deltalake import DeltaTable

KEPT_STEPS = 20
"""Steps that `publish` keeps."""

MOST_FILES = 20
"""Files of `input` and `file` before they become one."""

LEASE = dt.timedelta(minutes=10)
"""A step of a writer on another machine that began so long ago is taken over."""

PATIENCE_SECONDS, PAUSE_SECONDS = 60.0, 0.2
"""In a store there is no lock to wait for: so long a writer waits for the step of another one, which takes seconds, and how often it looks."""

KEPT_HOURS, VACUUM_WITHIN = 48, dt.timedelta(days=7)
"""Files that left stay so long for readers. They are deleted in the first step of a UTC day, unless the clock is before the last step or long after it."""


README = "README.md"

README_TEXT = f"""# Records of IBM MQ for z/OS, as Delta tables

mqstat wrote this dataset from SMF 115 and 116 dumps. Each folder is a Delta table; `mqstat tables` lists them, their columns have comments.
Read them with a reader of Delta tables: `DIR/qpst/*.parquet` also has files that left. Table `{PUBLISH}` has the steps; the last one whose state is
"done" names the version of every table that belongs together.

- Verify it: `mqstat verify DIR --rows`, and with the dumps `--against DUMP`
- What a table or column is: `mqstat describe TABLE` and `mqstat describe TABLE.COLUMN`
- Trace a row to its bytes: `mqstat trace DUMP RECORD_ID --from DIR`; a finding: `mqstat prove RULE/QMGR --from DIR --dump DUMP`
- Plain Parquet files that can be signed: `mqstat export folder --from DIR --into FOLDER`
"""
"""What a folder states about itself."""

MOST_CONFLICTS = 20
"""How often a change is made again because another writer was first."""

P = ParamSpec("P")
R = TypeVar("R")


class ConflictError(DatasetError):
    """Another writer has changed the dataset since it was read."""


def repeated(function: Callable[P, R]) -> Callable[P, R]:
    """A function that runs again, from the dataset as it is then, when another writer was first."""

    @wraps(function)
    def run(*arguments: P.args, **named: P.kwargs) -> R:
        for _ in range(MOST_CONFLICTS):
            with suppress(ConflictError):
                return function(*arguments, **named)
        return function(*arguments, **named)

    return run


@dataclass(frozen=True)
class Step:
    """A row of `publish`. `state` is reserve, begin or done; `versions` has the version of each table, as JSON; `writer` is machine, process and a mark."""

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


# ------------------------------------------------------------------------------------------------------------------ reading


def known(home: Home) -> Known:
    """The steps, of the newest version of `publish` that can be read. DatasetError if there is none."""
    where = Place(home, PUBLISH)
    for version in lake.newest(where):
        with suppress(NoVersionError):
            table = lake.opened(where, version)
            try:
                rows = _rows(where, STEPS, lake.files(table))
                return Known(version, tuple(sorted((Step(**row) for row in rows.to_pylist()), key=_order)))
            except UNREADABLE as error:  # not of a writer that was killed
                raise _damaged(where, error) from None
    raise _damaged(where, "no version of the table can be opened")


def _order(step: Step) -> tuple[int, dt.datetime]:
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
    """The columns that tables of a dataset lack because an older mqstat made them, all of them of a missing table. DatasetError if another one did."""
    if step.schema == schema_version():
        return {}
    try:
        versions = versions_of(step)
        names = [name for name in (*versions, PUBLISH) if not is_computed(f"{name}/")]
        where_of = {name: Place(home, name) for name in names}
        versions[PUBLISH] = lake.newest(where_of[PUBLISH])[0]
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
            name: _rows(where, schema, lake.files(lake.opened(where, versions[name])) if name not in new else [])
            for name, schema in OF_STATE.items()
            if name != PUBLISH
            for where in [Place(home, name)]
        }
        entries = [_without(entry, absent) for entry in _entries(rows[FILE])]
        columns: dict[str, Iterable[Any]] = {name: rows[SOURCE][name].to_pylist() for name in rows[SOURCE].column_names}
        columns |= {"selection": map(cache(json.loads), columns["selection"]), "ledger": map(Parsed, columns["ledger"])}
        sources = [SourceEntry(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
        sources.sort(key=lambda source: source.source_id)
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


def _rows(where: Place, schema: pa.Schema, files: Sequence[DataFile]) -> pa.Table:
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


def problems(home: Home, manifest: Manifest) -> list[str]:
    """How the tables differ from `file`, files that no commit names, and commits that no step explains, as of another program. None while a writer is at work."""
    state = known(home)
    step = next((each for each in state.steps if each.state == "done" and each.generation == manifest.generation), None)
    if step is None or state.open is not None:
        return []
    named: dict[str, set[str]] = {}
    for entry in (*manifest.files, *manifest.computed):
        named.setdefault(entry.table, set()).add(_data_file(entry).path)
    versions = versions_of(step)

    def of(name: str) -> list[str]:
        where = Place(home, name)
        try:
            live = {each.path for each in lake.files(lake.opened(where, versions[name]))}
            strangers = {*lake.not_live(where, 0)} - {*lake.not_live(where, 0, full=False)} - live
        except NoVersionError as error:
            return [f"{name}: version {versions[name]} cannot be opened ({error})."]
        expected = live if name in OF_STATE else named.get(name, set())
        out = [f"{name}/{path}: is in the Delta table, but not in table {FILE}." for path in sorted(live - expected)]
        out += [f"{name}/{path}: is in table {FILE}, but not in the Delta table." for path in sorted(expected - live)]
        out += [f"{name}/{path}: no commit of the Delta table names it." for path in sorted(strangers)]
        newest = lake.newest(where)[:1]
        if newest != [versions[name]]:
            out.append(
                f"{name}: has version {newest[0]}, but mqstat made version {versions[name]}: another program has changed it."
            )
        return out

    texts = [text for listed in each_at_once(of, sorted(versions)) for text in listed]
    return texts if known(home).version == state.version else []


# ------------------------------------------------------------------------------------------------------------------ writing


def machine() -> str:
    """The name of this machine in steps."""
    return platform.node() or "a machine without a name"


class Writer:
    """One writer of a dataset: it takes over what a killed one left, and publishes."""

    def __init__(self, home: Home, wait_seconds: float = 0) -> None:
        self.home, self.wait_seconds = home, max(wait_seconds, 0 if isinstance(home, Path) else PATIENCE_SECONDS)
        self.mark = secrets.token_hex(6)

    def begun(self) -> Known:
        """The steps without an open one: what a killed writer left is taken back. DatasetError while another writer is at work."""
        if not is_dataset(self.home):
            self._create()
        state = known(self.home)
        if state.done is not None:
            columns_lacking(self.home, state.done)  # that of another mqstat is refused before anything is changed
        lake.mend(Place(self.home, PUBLISH), state.version)
        if state.done is None:
            self._create()  # an older mqstat may have begun
            names = [name for name in (*table_schemas(), *OF_STATE) if name != PUBLISH]
            versions = dict(
                zip(names, each_at_once(lambda name: lake.newest(Place(self.home, name))[0], names), strict=True)
            )
            with suppress(LaterCommitError):  # another writer creates it too, and was first
                self._step(state, "done", "create", versions)
            state = known(self.home)
        left = state.open
        if left is None:
            return state
        # In a folder the lock of this machine is held: only a writer on another machine can be alive.
        is_dead = isinstance(self.home, Path) and left.writer.startswith(f"{machine()} process ")
        until = time.monotonic() + self.wait_seconds
        while not is_dead and abs(_now() - left.time_utc) < LEASE:
            if time.monotonic() < until:
                time.sleep(PAUSE_SECONDS)
                if (state := known(self.home)).open is None:
                    return state
                left = state.open or left
                continue
            raise DatasetError(
                f"{self.home}: another mqstat ({left.writer}) has been writing to this dataset since {left.time_utc:%Y-%m-%d %H:%M:%S} UTC; "
                f"wait until it has ended. If it was killed, its work is taken over {LEASE.seconds // 60} minutes after that."
            )
        return self._taken_over(state)

    def _create(self) -> None:
        described = tables()

        def create(name: str) -> None:
            about, columns = described.get(name, (None, ()))
            schema = OF_STATE[name] if name in OF_STATE else table_schemas()[name]
            lake.create(Place(self.home, name), schema, {column.name: column.doc for column in columns}, about)

        each_at_once(create, [name for name in (*table_schemas(), *OF_STATE) if name != PUBLISH])
        if isinstance(self.home, Path):
            (self.home / README).write_text(README_TEXT, encoding="utf-8")
        create(PUBLISH)  # last: with it there is a dataset

    def _taken_over(self, state: Known) -> Known:
        """Take all tables back to the last complete step, in a step of its own, and delete the files of our names that no table has or has had."""
        versions = versions_of(state.complete)
        state = self._step(state, "begin", "take over", versions)

        def take_back(name: str) -> int:
            where = Place(self.home, name)
            version = lake.taken_back(where, self._schema(name), versions[name])
            left = {*lake.not_live(where, 0)} - {*lake.not_live(where, 0, full=False)}
            self._delete([path for each in sorted(left) if is_own(path := f"{name}/{each}")])
            return version

        versions = dict(zip(versions, each_at_once(take_back, list(versions)), strict=True))
        begun = [name for name in (*declared(), *COMPUTED) if name not in (PUBLISH, *versions)]
        for name in (each for each in begun if lake.exists(Place(self.home, each))):
            self._delete(
                [path for each in lake.not_live(Place(self.home, name), 0) if is_own(path := f"{name}/{each}")]
            )
        return self._step(state, "done", "take over", versions)

    def reserve(self, count: int) -> int:
        """Reserve numbers for so many sources, which nobody else gets; returns the first one."""
        while True:
            state = known(self.home)
            lake.mend(Place(self.home, PUBLISH), state.version)
            with suppress(LaterCommitError):
                first = state.next_source_id
                self._step(state, "reserve", "reserve", None, next_source_id=first + count)
                return first

    def publish(self, manifest: Manifest, change: Change, staged: Sequence[tuple[Path, str]]) -> Manifest:
        """Make a change visible: files that are staged (folder, path below it) join their tables, others leave. ConflictError if another writer was first."""
        state = self.begun()
        done = state.complete
        if done.generation != manifest.generation:
            raise ConflictError(
                f"{self.home}: another mqstat has changed this dataset meanwhile; nothing was changed. Run it again."
            )
        change, renamed = self._named(change, staged)
        after = manifest.after(change)
        versions, absent = versions_of(done), columns_lacking(self.home, done)
        self._refuse_changed(versions)
        try:
            if PUBLISH in absent:
                where = Place(self.home, PUBLISH)
                table = lake.opened(where, state.version)
                state = dataclasses.replace(state, version=lake.add_columns(where, table, absent[PUBLISH]))
            state = self._step(state, "begin", change.action, versions)
        except LaterCommitError:
            raise ConflictError(
                f"{self.home}: another mqstat is changing this dataset; nothing was changed. Run it again."
            ) from None
        try:
            versions |= self._widened(absent, versions)
            versions |= self._committed(manifest, change, renamed, versions, absent)
            self._vacuum_if_due(done, [*versions, PUBLISH])
            state = self._step(state, "done", change.action, versions, after.next_source_id, schema=schema_version())
        except LaterCommitError:
            self._delete([path for _, _, path in renamed])  # no commit that counts names them
            raise DatasetError(
                f"{self.home}: another mqstat has taken over this dataset meanwhile; nothing was changed. Run it again."
            ) from None
        return dataclasses.replace(after, generation=state.complete.generation, tool_version=__version__)

    def _named(self, change: Change, staged: Sequence[tuple[Path, str]]) -> tuple[Change, list[tuple[Path, str, str]]]:
        """The change with names that no other writer gives: the number of a source is that of one writer, a generation is not."""
        names = {
            entry.path: entry.path
            if is_computed(entry.path) or not entry.source_ids
            else f"{entry.path.removesuffix('.parquet')}-{self.mark}.parquet"
            for entry in change.add
        }
        added = tuple(dataclasses.replace(entry, path=names[entry.path]) for entry in change.add)
        return dataclasses.replace(change, add=added), [(at, path, names[path]) for at, path in staged]

    def _widened(self, absent: Mapping[str, pa.Schema], versions: Mapping[str, int]) -> dict[str, int]:
        """Add columns to tables of an older mqstat, and the tables that it did not have; the versions of these tables then."""

        def widen(name: str) -> int:
            where = Place(self.home, name)
            if name in versions:
                return lake.add_columns(where, lake.opened(where, versions[name]), absent[name])
            return self._new(name, absent[name])

        names = [name for name in absent if name != PUBLISH]
        return dict(zip(names, each_at_once(widen, names), strict=True))

    def _new(self, name: str, schema: pa.Schema) -> int:
        """A table that no complete step names, without what a killed writer may have left in it; its version."""
        where = Place(self.home, name)
        if lake.exists(where):
            return lake.taken_back(where, schema, 0)
        about, columns = tables().get(name, (None, ()))
        lake.create(where, schema, {column.name: column.doc for column in columns}, about)
        return 0

    def _committed(
        self,
        manifest: Manifest,
        change: Change,
        staged: Sequence[tuple[Path, str, str]],
        versions: Mapping[str, int],
        absent: Mapping[str, pa.Schema],
    ) -> dict[str, int]:
        """Put the staged files where their tables are, and commit each table that changes; their versions then. absent: the columns that were added to tables in this step."""
        leaving = set(change.retire)
        at = {path: folder / name for folder, name, path in staged}
        new: dict[str, list[FileEntry]] = {}
        old: dict[str, list[FileEntry]] = {}
        for entry in change.add:
            new.setdefault(entry.table, []).append(entry)
        for entry in (*manifest.files, *manifest.computed):
            if entry.path in leaving:
                old.setdefault(entry.table, []).append(entry)
        adding = {path: extremes(file) for path, file in at.items()}
        self._put(at)

        def commit(name: str) -> int:
            where = Place(self.home, name)
            version = versions[name] if name in versions else self._new(name, self._schema_of_file(new[name][0]))
            table = lake.opened(where, version)
            schema = lake.schema(table) if name not in versions else self._schema(name)
            add = [_data_file(each, *adding[each.path]) for each in new.get(name, ())]
            return lake.commit(where, table, schema, add, map(_data_file, old.get(name, ())))

        names = sorted(new.keys() | old.keys())
        out = dict(zip(names, each_at_once(commit, names), strict=True))
        stays = [entry for entry in manifest.files if entry.table in absent and entry.path not in leaving]
        files = [
            dataclasses.asdict(entry)
            | {
                "sources": [{"source_id": number, "rows": rows} for number, rows in entry.sources],
                "absent": " ".join(entry.absent),
            }
            for entry in (*change.add, *stays)
        ]
        leaving.update(entry.path for entry in stays)
        sources = [
            vars(each) | {"selection": json.dumps(each.selection), "ledger": json.dumps({**each.ledger})}
            for each in change.sources
        ]
        numbers = {each.source_id for each in manifest.sources}
        replaced = {each.source_id for each in change.sources} & numbers | {*change.drop_sources}
        out |= self._rewritten(FILE, versions, files, "path", leaving)
        out |= self._rewritten(SOURCE, versions, sources, "source_id", replaced)
        days = {each.day for each in change.dropped}
        dropped = [
            vars(each) for each in manifest.after(Change("", dropped=change.dropped)).dropped if each.day in days
        ]
        out |= self._rewritten(DROPPED, versions, dropped, "day", days)
        contents = {each.sha256 for each in change.dropped_sources}
        return out | self._rewritten(
            DROPPED_SOURCE, versions, list(map(vars, change.dropped_sources)), "sha256", contents
        )

    def _put(self, staged: Mapping[str, Path]) -> None:
        """Put staged files, which are durable, under their names."""
        home = self.home
        if not isinstance(home, Path):
            each_at_once(lambda path: home.create(path, staged[path]), staged)
            return
        for path, source in staged.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            source.replace(home / path)
        for folder in {(home / path).parent for path in staged}:
            sync_folder(folder)

    def _rewritten(
        self,
        name: str,
        versions: Mapping[str, int],
        rows: Sequence[Mapping[str, Any]],
        key: str,
        leaving: Collection[Any],
    ) -> dict[str, int]:
        """Add rows to a table that describes the dataset, and take those away whose key leaves; its version if it changes."""
        if not rows and not leaving:
            return {}
        import pyarrow.compute as pc

        where, schema = Place(self.home, name), OF_STATE[name]
        table = lake.opened(where, versions[name])
        live, wanted = lake.files(table), pa.array(list(leaving), schema.field(key).type)
        left, kept = list[DataFile](), list[pa.Table]()
        for each in live:
            part = _rows(where, schema, [each]) if leaving or len(live) >= MOST_FILES else schema.empty_table()
            stays = pc.invert(pc.is_in(part[key], wanted))
            if len(live) >= MOST_FILES or pc.any(pc.invert(stays)).as_py():
                left.append(each)
                kept.append(part.filter(stays))
        return {
            name: self._commit(
                where, table, schema, pa.concat_tables([*kept, pa.Table.from_pylist(list(rows), schema)]), left
            )
        }

    def _commit(
        self, where: Place, table: DeltaTable, schema: pa.Schema, rows: pa.Table, left: Sequence[DataFile]
    ) -> int:
        """Commit rows in place of files that leave a table that describes the dataset; LaterCommitError, with nothing written."""
        added = [self._written(where.name, rows)] if rows.num_rows else []
        try:
            return lake.commit(where, table, schema, added, left)
        except LaterCommitError:
            self._delete([f"{where.name}/{each.path}" for each in added])
            raise

    def _written(self, name: str, rows: pa.Table) -> DataFile:
        """Write a file of a table that describes the dataset, durably."""
        path = f"{_now():%Y-%m-%d}-{secrets.token_hex(8)}.parquet"
        data = io.BytesIO()
        pq.write_table(rows, data, compression="zstd")
        if isinstance(self.home, Path):
            with (self.home / name / path).open("xb") as stream:
                stream.write(data.getbuffer())
                stream.flush()
                os.fsync(stream.fileno())
            sync_folder(self.home / name)
        else:
            self.home.create(f"{name}/{path}", data.getvalue())
        return DataFile(path, data.tell(), rows.num_rows)

    def _refuse_changed(self, versions: Mapping[str, int]) -> None:
        """DatasetError if a table is not as the last step has left it."""
        newest = each_at_once(lambda name: lake.newest(Place(self.home, name))[:1], versions)
        changed = [name for name, now in zip(versions, newest, strict=True) if now != [versions[name]]]
        if changed:
            raise DatasetError(
                f"{Place(self.home, changed[0])}: another program has changed this Delta table (mqstat made version {versions[changed[0]]}); nothing was written. "
                f"Restore version {versions[changed[0]]} with that program's means for Delta tables."
            )

    def _vacuum_if_due(self, done: Step, names: Iterable[str]) -> None:
        """Delete the files of our names that left their tables long ago, and what killed writers have put, once a day."""
        now = _now()
        if done.time_utc.date() >= now.date() or now - done.time_utc > VACUUM_WITHIN:
            return
        for name in names:
            paths = [f"{name}/{path}" for path in lake.not_live(Place(self.home, name), KEPT_HOURS)]
            self._delete([path for path in paths if is_own(path)])

    def _delete(self, paths: Sequence[str]) -> None:
        """Delete files."""
        if not isinstance(self.home, Path):
            self.home.delete(paths)
            return
        for path in paths:
            with suppress(OSError):
                (self.home / path).unlink()

    def _step(
        self,
        state: Known,
        kind: str,
        action: str,
        versions: Mapping[str, int] | None,
        next_source_id: int = 0,
        schema: int | None = None,
    ) -> Known:
        """Commit a step, by default with the schema of the dataset, after numbers that others have reserved meanwhile; LaterCommitError if another writer did more than that."""
        while True:
            now = _now()
            is_new = kind == "begin" or (kind == "done" and state.open is None)
            step = Step(
                max((each.generation for each in state.steps), default=-1) + is_new,
                kind,
                action,
                now,
                f"{machine()} process {os.getpid()} {self.mark}",
                __version__,
                schema or (schema_version() if state.done is None else state.done.schema),
                "" if versions is None else json.dumps(versions),
                max(next_source_id, state.next_source_id),
            )
            kept = [
                each
                for each in state.steps
                if each is state.done or each is state.open or each in state.steps[-KEPT_STEPS:]
            ]
            steps = [*kept, step]
            rows = pa.Table.from_pylist([vars(each) for each in steps], STEPS)
            where = Place(self.home, PUBLISH)
            try:
                table = lake.opened(where, state.version)
                version = self._commit(where, table, STEPS, rows, lake.files(table))
                return Known(version, tuple(sorted(steps, key=_order)))
            except LaterCommitError:
                later = known(self.home)
                if kind == "reserve" or (later.open, later.done) != (state.open, state.done):
                    raise
                state = later

    def _schema(self, name: str) -> pa.Schema:
        schema = declared().get(name)
        return lake.schema(lake.opened(Place(self.home, name))) if schema is None else schema

    def _schema_of_file(self, entry: FileEntry) -> pa.Schema:
        return pq.read_schema(local(self.home, entry.path))


def extremes(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The least and the largest values of a Parquet file by which programs leave it out, as its footer has them, for `DataFile`."""
    footer = pq.read_metadata(path)
    names = footer.schema.names
    least, most = dict[str, Any](), dict[str, Any]()
    for name in lake.SKIPPED_BY:
        at = names.index(name) if name in names else None
        groups = [] if at is None else [footer.row_group(n).column(at).statistics for n in range(footer.num_row_groups)]
        if groups and all(each is not None and each.has_min_max for each in groups):
            least[name], most[name] = min(each.min for each in groups), max(each.max for each in groups)
    return least, most


def _data_file(entry: FileEntry, *extremes: dict[str, Any]) -> DataFile:
    return DataFile(entry.path.removeprefix(f"{entry.table}/"), entry.bytes, entry.rows, *extremes)


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC).replace(tzinfo=None)
