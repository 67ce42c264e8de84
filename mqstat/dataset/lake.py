"""Delta tables, in a folder or an object store: all calls of the library `deltalake`.

Of its behaviour this relies on what `tests/test_lake.py` states: a commit of a table that was opened at version v,
without retries, is version v + 1 or fails, in a folder and in a store; a version is opened by its number, whatever
later versions hold. The library syncs no file to the disk, so this module does, where there is a disk. The functions
that read a table into Arrow are not used: they have aborted at the end of a process.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa

from mqstat.base.atomic_write import sync_folder
from mqstat.base.errors import DatasetError, MqstatError, UsageError
from mqstat.base.object_store import reason_of
from mqstat.dataset.place import Home

if TYPE_CHECKING:
    from deltalake import DeltaTable

LOG = "_delta_log"
"""In the folder of a table: its commits."""

COMMIT = re.compile(r"\d{20}\.json")
"""The name of a commit."""

CONFIGURATION = {"delta.checkpointInterval": "20", "delta.logRetentionDuration": "interval 2 days"}
"""Commits between checkpoints, from which a table is opened, and how long older commits stay."""

SKIPPED_BY = ("date", "lpar", "qmgr", "record_id")
"""Columns by whose least and largest values programs leave files out. They are named in each table, because programs
have those of the first 32 columns only."""

PASSED_ON = ("AWS_", "AZURE_", "GOOGLE_")
"""Variables of the environment that configure a store for `mqstat.base.object_store` configure it for the library
too."""


class LaterCommitError(MqstatError):
    """Another writer has committed the version that this commit would have been."""


class NoVersionError(MqstatError):
    """A table cannot be opened at a version."""


@dataclass(frozen=True)
class DataFile:
    """A Parquet file of a table: path below the folder of the table, bytes and rows; least and largest values of
    columns, if they are known.
    """

    path: str
    bytes: int
    rows: int
    least: Mapping[str, Any] | None = None
    most: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Place:
    """Where a table is: its name below a dataset."""

    home: Home
    name: str

    def __str__(self) -> str:
        return str(self.home / self.name) if isinstance(self.home, Path) else f"{self.home.uri}/{self.name}"

    @property
    def address(self) -> str:
        """What the library opens: of a store a URI, in which a key may have any characters but %, which the library
        decodes twice. UsageError for one.
        """
        if isinstance(self.home, Path):
            return str(self)
        if "%" in self.home.prefix:
            raise UsageError(f"{self.home}: the key of a dataset in an object store cannot have a %.")
        return f"{self.home.root}/{quote(f'{self.home.prefix}/{self.name}'.lstrip('/'))}"

    @property
    def log(self) -> Path | None:
        """The folder of its commits; None in a store, which is durable by itself and never has half an object."""
        return self.home / self.name / LOG if isinstance(self.home, Path) else None

    @property
    def options(self) -> dict[str, str] | None:
        """What the library needs to know about a store."""
        if isinstance(self.home, Path):
            return None
        given = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
        is_plain = given.get("AWS_ENDPOINT_URL", "").startswith("http://")
        return given | ({"AWS_ALLOW_HTTP": "true"} if is_plain else {})


def plain(schema: pa.Schema) -> pa.Schema:
    """The columns as a Delta table has them: dictionaries and fixed lengths are a matter of files."""
    return pa.schema([column.with_type(_plain(column.type)).with_nullable(True) for column in schema])


def _plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.binary() if pa.types.is_fixed_size_binary(kind) else kind


def create(where: Place, schema: pa.Schema, about: str | None = None) -> None:
    """An empty table, version 0, with these columns and their metadata; one that is there stays."""
    from deltalake import CommitProperties, Schema
    from deltalake.exceptions import CommitFailedError
    from deltalake.transaction import create_table_with_add_actions

    if exists(where):
        return
    if isinstance(where.home, Path):
        (where.home / where.name).mkdir(parents=True, exist_ok=True)
    skipped_by = [name for name in SKIPPED_BY if name in schema.names]
    with suppress(CommitFailedError):  # another writer creates it too, and was first
        create_table_with_add_actions(
            where.address,
            Schema.from_arrow(plain(schema)),
            [],
            mode="ignore",
            description=about,
            configuration=CONFIGURATION
            | ({"delta.dataSkippingStatsColumns": ",".join(skipped_by)} if skipped_by else {}),
            storage_options=where.options,
            commit_properties=CommitProperties(max_commit_retries=0),
        )
    _sync(where, 0)


def exists(where: Place) -> bool:
    """Whether there is a table. DatasetError if the store cannot be asked."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    if where.log is not None:
        return bool(_versions(where))
    try:
        return DeltaTable.is_deltatable(where.address, where.options)
    except (DeltaError, OSError) as error:
        raise DatasetError(f"{where.home}: cannot be read ({reason_of(error)}).") from None


def opened(where: Place, version: int | None = None) -> DeltaTable:
    """A table at one version, the newest by default. Raises NoVersionError."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        return DeltaTable(where.address, version=version, storage_options=where.options)
    except (DeltaError, OSError) as error:
        raise NoVersionError(f"{where}: {reason_of(error)}") from None


def files(table: DeltaTable) -> list[DataFile]:
    """The live files of a table."""

    def known(action: Mapping[str, Any], side: str) -> dict[str, Any]:
        stated = ((name, action.get(f"{side}.{name}")) for name in SKIPPED_BY)
        return {name: value for name, value in stated if value is not None}

    return [
        DataFile(each["path"], each["size_bytes"], each["num_records"], known(each, "min"), known(each, "max"))
        for each in pa.table(table.get_add_actions(flatten=True)).to_pylist()
    ]


def schema(table: DeltaTable) -> pa.Schema:
    """The columns of a table."""
    return pa.schema(table.schema().to_arrow())


def commit(
    where: Place, table: DeltaTable, schema: pa.Schema, add: Iterable[DataFile] = (), remove: Iterable[DataFile] = ()
) -> int:
    """Commit the next version of a table: files that join and leave. Returns the version; LaterCommitError if another
    writer was first.
    """
    from deltalake import CommitProperties, Schema
    from deltalake.transaction import AddAction, RemoveAction

    now = int(time.time() * 1000)
    actions: list[AddAction | RemoveAction] = [
        AddAction(each.path, each.bytes, {}, now, True, _statistics(each)) for each in add
    ]
    actions += [RemoveAction(each.path, True, now, each.bytes, {}) for each in remove]
    columns, once = Schema.from_arrow(plain(schema)), CommitProperties(max_commit_retries=0)
    with _next(where, table) as version:
        table.create_write_transaction(actions, "append", columns, [], commit_properties=once)
    return version


def add_columns(where: Place, table: DeltaTable, columns: pa.Schema) -> int:
    """Commit the next version of a table, with further columns, which are null in the rows that are there. Returns the
    version; LaterCommitError if another writer was first.
    """
    from deltalake import CommitProperties, Schema

    fields, once = list(Schema.from_arrow(plain(columns)).fields), CommitProperties(max_commit_retries=0)
    with _next(where, table) as version:
        table.alter.add_columns(fields, commit_properties=once)
    return version


@contextmanager
def _next(where: Place, table: DeltaTable) -> Iterator[int]:
    """The version after that of a table, which is committed without retries in the context, and durable after it."""
    from deltalake.exceptions import CommitFailedError

    version = table.version() + 1
    try:
        yield version
    except CommitFailedError as error:
        raise LaterCommitError(f"{where}: version {version} is there already") from error
    except OSError as error:
        raise DatasetError(f"{where}: version {version} could not be written ({reason_of(error)}).") from None
    _sync(where, version)


def _statistics(file: DataFile) -> str:
    stated: dict[str, Any] = {"numRecords": file.rows}
    if file.least and file.most:
        stated |= {"minValues": file.least, "maxValues": file.most}
    return json.dumps(stated, default=str)


def taken_back(where: Place, schema: pa.Schema, version: int) -> int:
    """Make a table what it was at a version, and go one version on, so that a writer that has slept since cannot
    commit. Returns the version then.
    """
    mend(where, version)
    table = opened(where)
    if table.version() == version:
        return commit(where, table, schema)
    table.restore(version)
    after = opened(where).version()
    _sync(where, after)
    return after


def mend(where: Place, version: int) -> None:
    """Delete the commits above a version that are no whole files: power was lost before they were on the disk."""
    for number in _versions(where):
        if number > version and where.log is not None and not _is_whole(where.log, number):
            (where.log / _name(number)).unlink()


def newest(where: Place) -> Iterator[int]:
    """The versions of a table that can be opened, newest first: in a store the newest alone. Nothing without a
    table.
    """
    if where.log is not None:
        yield from (number for number in _versions(where) if _is_whole(where.log, number))
        return
    with suppress(NoVersionError):
        yield opened(where).version()


def not_live(where: Place, hours: float, *, full: bool = True, version: int | None = None) -> list[str]:
    """Paths of files of a table that left it so long ago; `full` = of all files of the folder that it has not had
    since.
    """
    return opened(where, version).vacuum(int(hours), dry_run=True, enforce_retention_duration=False, full=full)


def _is_whole(log: Path, version: int) -> bool:
    """Whether a commit is a file of whole JSON lines: where power was lost it may be empty, or end in the middle."""
    try:
        data = (log / _name(version)).read_bytes()
        return bool(data) and all(json.loads(line) for line in data.splitlines())
    except (OSError, ValueError):
        return False


def _versions(where: Place) -> list[int]:
    names = list[str]()
    with suppress(FileNotFoundError, NotADirectoryError):
        names = os.listdir(where.log) if where.log is not None else []  # noqa: PTH208 - a glob costs four times as much
    return [int(name[:20]) for name in sorted(filter(COMMIT.fullmatch, names), reverse=True)]


def _name(version: int) -> str:
    return f"{version:020d}.json"


def _sync(where: Place, version: int) -> None:
    """Make a commit durable."""
    if where.log is not None:
        with (where.log / _name(version)).open("rb+") as stream:
            os.fsync(stream.fileno())
        sync_folder(where.log)
