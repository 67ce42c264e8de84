"""A dataset of Delta tables: a step begins and ends in the table `publish`, and what its last "done" names is the
dataset.

DIR/publish/   the steps: "reserve" (numbers of sources), "begin" (the lock), "done" with the version of every table;
one live file DIR/source/    one row an input     DIR/file/   one row a live file     DIR/dropped_class/,
dropped_source/   what retentions and `drop` took out DIR/qpst/ ...  the rows: flat files `<day>-...`, each a live file
of its table

A publish opens every table at the version of the last "done", commits "begin", then its files in each table, then
"done". Each commit is the successor of the version that was opened, or fails: so "begin" is a lock that needs no file
system. Where a "begin" has no "done", its writer was killed, or sleeps: the next writer takes every table back to the
last "done" and one version on, so that no commit of that writer can follow. Readers follow "done" alone.
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
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.atomic_write import sync_folder
from mqstat.base.errors import DatasetError
from mqstat.base.version import __version__
from mqstat.dataset import lake
from mqstat.dataset.lake import DataFile, LaterCommitError, Place
from mqstat.dataset.manifest import Change, FileEntry, Manifest, Staged
from mqstat.dataset.paths import is_own
from mqstat.dataset.place import Home, each_at_once
from mqstat.dataset.schema import (
    DROPPED,
    DROPPED_SOURCE,
    FILE,
    OF_STATE,
    PUBLISH,
    SOURCE,
    STEPS,
    all_columns,
    columns_of,
    described,
    schema_version,
)
from mqstat.dataset.snapshot import (
    Known,
    Step,
    columns_lacking,
    data_file,
    extremes,
    in_order,
    is_dataset,
    known,
    rows_of,
    versions_of,
)

if TYPE_CHECKING:
    from deltalake import DeltaTable

KEPT_STEPS = 20
"""Steps that `publish` keeps."""

MOST_FILES = 20
"""Files of `input` and `file` before they become one."""

LEASE = dt.timedelta(minutes=10)
"""A step of a writer on another machine that began so long ago is taken over."""

PATIENCE_SECONDS, PAUSE_SECONDS = 60.0, 0.2
"""In a store there is no lock to wait for: so long a writer waits for the step of another one, which takes seconds, and
how often it looks."""

KEPT_HOURS, VACUUM_WITHIN = 48, dt.timedelta(days=7)
"""Files that left stay so long for readers. They are deleted in the first step of a UTC day, unless the clock is before
the last step or long after it."""


README = "README.md"

README_TEXT = f"""# Records of IBM MQ for z/OS, as Delta tables

mqstat wrote this dataset from SMF 115 and 116 dumps. Each folder is a Delta table; `mqstat tables` lists them, their columns have comments.
Read them with a reader of Delta tables: `DIR/qpst/*.parquet` also has files that left. Table `{PUBLISH}` has the steps; the last one whose state is
"done" names the version of every table that belongs together.

- Verify it: `mqstat verify DIR --rows`, and with the dumps `--against DUMP`
- What a table or column is: `mqstat explain TABLE` and `mqstat explain TABLE.COLUMN`
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


def machine() -> str:
    """The name of this machine in steps."""
    return platform.node() or "a machine without a name"


class Writer:
    """One writer of a dataset: it takes over what a killed one left, and publishes."""

    def __init__(self, home: Home, wait_seconds: float = 0) -> None:
        self.home, self.wait_seconds = home, max(wait_seconds, 0 if isinstance(home, Path) else PATIENCE_SECONDS)
        self.mark = secrets.token_hex(6)

    def begun(self) -> Known:
        """The steps without an open one: what a killed writer left is taken back. DatasetError while another writer is
        at work.
        """
        if not is_dataset(self.home):
            self._create()
        state = known(self.home)
        if state.done is not None:
            columns_lacking(self.home, state.done)  # that of another mqstat is refused before anything is changed
        lake.mend(Place(self.home, PUBLISH), state.version)
        if state.done is None:
            self._create()  # an older mqstat may have begun
            names = all_columns().keys() - {PUBLISH}
            newest = each_at_once(lambda name: next(lake.newest(Place(self.home, name)), 0), names)
            versions = dict(zip(names, newest, strict=True))
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
        def create(name: str) -> None:
            about, columns = described(name)
            lake.create(Place(self.home, name), columns, about)

        each_at_once(create, all_columns().keys() - {PUBLISH})
        if isinstance(self.home, Path):
            (self.home / README).write_text(README_TEXT, encoding="utf-8")
        create(PUBLISH)  # last: with it there is a dataset

    def _taken_over(self, state: Known) -> Known:
        """Take all tables back to the last complete step, in a step of its own, and delete the files of our names that
        no table has or has had.
        """
        versions = versions_of(state.complete)
        state = self._step(state, "begin", "take over", versions)

        def take_back(name: str) -> int:
            where = Place(self.home, name)
            version = lake.taken_back(where, columns_of(name), versions[name])
            left = {*lake.not_live(where, 0)} - {*lake.not_live(where, 0, full=False)}
            self._delete([path for each in sorted(left) if is_own(path := f"{name}/{each}")])
            return version

        versions = dict(zip(versions, each_at_once(take_back, list(versions)), strict=True))
        begun = [name for name in all_columns() if name not in (PUBLISH, *versions)]
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

    def publish(self, manifest: Manifest, change: Change) -> Manifest:
        """Make a change visible: staged files join their tables, others leave. ConflictError if another writer was
        first.
        """
        state = self.begun()
        done = state.complete
        if done.generation != manifest.generation:
            raise ConflictError(
                f"{self.home}: another mqstat has changed this dataset meanwhile; nothing was changed. Run it again."
            )
        change = self._named(change)
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
            versions |= self._committed(manifest, change, versions, absent)
            self._vacuum_if_due(done, [*versions, PUBLISH])
            state = self._step(state, "done", change.action, versions, after.next_source_id, schema=schema_version())
        except LaterCommitError:
            self._delete([each.entry.path for each in change.add])  # no commit that counts names them
            raise DatasetError(
                f"{self.home}: another mqstat has taken over this dataset meanwhile; nothing was changed. Run it again."
            ) from None
        return dataclasses.replace(after, generation=state.complete.generation, tool_version=__version__)

    def _named(self, change: Change) -> Change:
        """The change with names of files that no other writer gives."""
        paths = (f"{each.entry.path.removesuffix('.parquet')}-{self.mark}.parquet" for each in change.add)
        named = zip(change.add, paths, strict=True)
        added = tuple(Staged(each.path, dataclasses.replace(each.entry, path=path)) for each, path in named)
        return dataclasses.replace(change, add=added)

    def _widened(self, absent: Mapping[str, pa.Schema], versions: Mapping[str, int]) -> dict[str, int]:
        """Add columns to tables of an older mqstat, and the tables that it did not have; the versions of these tables
        then.
        """

        def widen(name: str) -> int:
            where = Place(self.home, name)
            if name in versions:
                return lake.add_columns(where, lake.opened(where, versions[name]), absent[name])
            return self._new(name)

        names = [name for name in absent if name != PUBLISH]
        return dict(zip(names, each_at_once(widen, names), strict=True))

    def _new(self, name: str) -> int:
        """A table that no complete step names, without what a killed writer may have left in it; its version."""
        where, (about, columns) = Place(self.home, name), described(name)
        if lake.exists(where):
            return lake.taken_back(where, columns, 0)
        lake.create(where, columns, about)
        return 0

    def _committed(
        self,
        manifest: Manifest,
        change: Change,
        versions: Mapping[str, int],
        absent: Mapping[str, pa.Schema],
    ) -> dict[str, int]:
        """Put the staged files where their tables are, and commit each table that changes; their versions then. absent:
        the columns that were added to tables in this step.
        """
        leaving = set(change.retire)
        at = {each.entry.path: each.path for each in change.add}
        added = [each.entry for each in change.add]
        new: dict[str, list[FileEntry]] = {}
        old: dict[str, list[FileEntry]] = {}
        for entry in added:
            new.setdefault(entry.table, []).append(entry)
        for entry in (*manifest.files, *manifest.computed):
            if entry.path in leaving:
                old.setdefault(entry.table, []).append(entry)
        adding = {path: extremes(pq.read_metadata(file)) for path, file in at.items()}
        self._put(at)

        def commit(name: str) -> int:
            where = Place(self.home, name)
            add = [data_file(each, *adding[each.path]) for each in new.get(name, ())]
            table = lake.opened(where, versions[name])
            return lake.commit(where, table, columns_of(name), add, map(data_file, old.get(name, ())))

        names = sorted(new.keys() | old.keys())
        out = dict(zip(names, each_at_once(commit, names), strict=True))
        stays = [entry for entry in manifest.files if entry.table in absent and entry.path not in leaving]
        files = [
            dataclasses.asdict(entry)
            | {
                "sources": [{"source_id": number, "rows": rows} for number, rows in entry.sources],
                "absent": " ".join(entry.absent),
            }
            for entry in (*added, *stays)
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
        """Add rows to a table that describes the dataset, and take those away whose key leaves; its version if it
        changes.
        """
        if not rows and not leaving:
            return {}
        import pyarrow.compute as pc

        where, schema = Place(self.home, name), OF_STATE[name]
        table = lake.opened(where, versions[name])
        live, wanted = lake.files(table), pa.array(list(leaving), schema.field(key).type)
        left, kept = list[DataFile](), list[pa.Table]()
        for each in live:
            part = rows_of(where, schema, [each]) if leaving or len(live) >= MOST_FILES else schema.empty_table()
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
        """Commit rows in place of files that leave a table that describes the dataset; LaterCommitError, with nothing
        written.
        """
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
        newest = each_at_once(lambda name: next(lake.newest(Place(self.home, name)), None), versions)
        changed = [name for name, now in zip(versions, newest, strict=True) if now != versions[name]]
        if changed:
            raise DatasetError(
                f"{Place(self.home, changed[0])}: another program has changed this Delta table (mqstat made version {versions[changed[0]]}); nothing was written. "
                f"Restore version {versions[changed[0]]} with that program's means for Delta tables."
            )

    def _vacuum_if_due(self, done: Step, names: Iterable[str]) -> None:
        """Delete the files of our names that left their tables long ago, and what killed writers have put, once a
        day.
        """
        now = _now()
        if done.time_utc.date() >= now.date() or now - done.time_utc > VACUUM_WITHIN:
            return
        for name in names:
            paths = [f"{name}/{path}" for path in lake.not_live(Place(self.home, name), KEPT_HOURS)]
            self._delete([path for path in paths if is_own(path)])

    def delete_left(self) -> None:
        """Delete the files that had left the tables at the last step; who reads an earlier state fails.

        This needs no space, and no step of its own, since no writer brings these files back.
        """
        for name, version in versions_of(known(self.home).complete).items():
            left = lake.not_live(Place(self.home, name), 0, full=False, version=version)
            self._delete([path for each in left if is_own(path := f"{name}/{each}")])

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
        """Commit a step, by default with the schema of the dataset, after numbers that others have reserved meanwhile;
        LaterCommitError if another writer did more than that.
        """
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
                return Known(version, tuple(sorted(steps, key=in_order)))
            except LaterCommitError:
                later = known(self.home)
                if kind == "reserve" or (later.open, later.done) != (state.open, state.done):
                    raise
                state = later


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC).replace(tzinfo=None)
