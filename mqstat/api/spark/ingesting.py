"""Dumps -> dataset: each worker of Spark decodes a dump into staged files, the driver reserves numbers, compares and
publishes.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from mqstat.api.inputs import PathName, local_path
from mqstat.api.spark.workers import home_everywhere, spread
from mqstat.base.errors import InputError, UsageError, write_failure
from mqstat.base.object_store import StoredFile
from mqstat.base.selection import Selection
from mqstat.dataset import publishing, store
from mqstat.dataset.compact import merge_as_it_grows
from mqstat.dataset.manifest import Staged
from mqstat.dataset.reservation import reserve
from mqstat.intake.ingest import IngestResult
from mqstat.intake.pipeline import PREFIX, recognise
from mqstat.intake.publication import publish
from mqstat.intake.staging import Input, read_large, read_small, write_small
from mqstat.intake.workers import Workers
from mqstat.sources.source import Source, find_sources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WAIT_SECONDS = 600.0
"""How long to wait for others that publish, which takes them moments."""


@dataclass(frozen=True)
class Task:
    """A dump of a path or URI: its number among the dumps that are there, and its number in the dataset; `staging` is
    the folder for its files.
    """

    path: str
    number: int
    source_id: int
    staging: Path
    selection: Selection


Written: TypeAlias = tuple[Input, list[Staged]]
"""A dump that was read, and its staged files."""


def ingest(
    spark: SparkSession, paths: PathName | Sequence[PathName], into: PathName, *,
    staging: PathName | None = None, selection: Selection | None = None,
) -> IngestResult:  # fmt: skip
    """Add dumps (files, folders, archives, or `s3://bucket/key`) to a dataset, as `mqstat ingest` does: one task for
    each dump, and one step for all.

    A second dump of a name is added in a step of its own, because it may replace the first.

    staging: only for a dataset in an object store, a folder for files until they are published, which the driver and
    all workers reach by this path; for a dataset in a folder it is in the dataset. Tasks that are repeated, speculative
    or killed do not change the result.

    Raises DatasetError, UsageError without `staging` for a dataset in an object store, and MqstatError if Spark gives
    up a task: then nothing is added, and the call may be repeated.
    """
    home, chosen = home_everywhere(into), selection or Selection()
    if staging is None and not isinstance(home, Path):
        raise UsageError(f"{home}: name a folder for staging that the driver and all workers reach.")
    if chosen.tasks:
        raise UsageError("A dataset is not of some tasks; filter the rows of table wtas.")
    several = [os.fspath(each) for each in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if "-" in several:
        raise UsageError("Standard input cannot be read by the workers of Spark; name files or folders.")
    listed = [each for path in several for each in _listed(str(home_everywhere(path)))]
    with store.writing(home, WAIT_SECONDS) as manifest:
        pass  # a folder that cannot be a dataset is refused before anything is read
    out = IngestResult()
    with publishing.staging(home) as root:
        numbers, manifest = reserve(home, len(listed), WAIT_SECONDS, manifest)
        folder = root if staging is None else local_path(staging).absolute() / secrets.token_hex(8)
        tasks = [Task(path, at, number, folder, chosen) for (path, at, _), number in zip(listed, numbers, strict=True)]
        try:
            written = spread(spark, lambda number: _written(tasks[number]), len(tasks))
            for (read, _), (_, _, source) in zip(written, listed, strict=True):
                read.source = source
            for group in _groups(written):
                inputs, files = [read for read, _ in group], [file for _, staged in group for file in staged]
                manifest = publish(home, inputs, files, chosen, root, manifest=manifest, wait_seconds=WAIT_SECONDS)
                for read in inputs:
                    out.note(read)
            if out.added:
                merge_as_it_grows(home, manifest, staging=root, wait_seconds=WAIT_SECONDS, ended=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return out


def _listed(path: str) -> Iterator[tuple[str, int, Source]]:
    """The dumps of a path: the file or URI of each if it is one, or else the path, and its number among the dumps
    there.
    """
    seen = Counter[str]()
    for source in find_sources([path]):
        file = source.file.uri if isinstance(source.file, StoredFile) else str(source.file or path)
        yield file, seen[file], source
        seen[file] += 1


def _groups(written: Sequence[Written]) -> Iterator[list[Written]]:
    """What is published in one step: of two dumps of one name the second may be a longer copy that replaces the
    first.
    """
    group: dict[str, Written] = {}
    for each in written:
        if each[0].name in group:
            yield [*group.values()]
            group = {}
        group[each[0].name] = each
    if group:
        yield [*group.values()]


def _written(task: Task) -> Written:
    """Decode a dump in a worker; the files of each attempt are in a folder of its own."""
    source = next(islice(find_sources([task.path]), task.number, None))
    folder = task.staging / f"{task.source_id:06d}-{secrets.token_hex(4)}"
    read, files = Input(source.name, source_id=task.source_id), list[Staged]()
    try:
        folder.mkdir(parents=True)
        opened = recognise(source, None)
        if len(opened[2]) < PREFIX:
            read = read_small(source, opened, task.selection, folder)
            read.source_id = task.source_id
            files = write_small([read], folder)
        else:
            with Workers(1) as workers:
                read, files = read_large(source, opened, task.selection, folder, task.source_id, workers, None)
    except InputError as error:
        read.refuse(str(error), error.return_code)
    except (OSError, pa.ArrowException) as error:
        raise write_failure(folder, f"{source.name} could not be written", error, "nothing was added") from None
    read.source = None  # it is open in this process
    return read, files
