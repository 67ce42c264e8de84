"""Rules over a dataset in the workers of Spark, in the shards of `mqstat.judge.shards`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mqstat.api.inputs import PathName, local_path
from mqstat.api.opened import OpenData
from mqstat.api.spark.workers import located, name_of, named, spread
from mqstat.base.errors import UsageError
from mqstat.base.selection import Selection
from mqstat.dataset.place import home_of
from mqstat.intake.open_data import open_data
from mqstat.sql.database import Database
from mqstat.sql.site import load_site

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check(
    spark: SparkSession, dataset: PathName, *, shards: int = 8, selection: Selection | None = None, site: PathName | None = None
) -> pa.Table:  # fmt: skip
    """The outcome of every rule for every subject, the worst first: the findings of `mqstat check`, as `OpenData.findings` has them.

    shards: tasks that judge some queue managers each, with all members of their queue-sharing groups; a task needs about five seconds of processor for its
    queries alone. The driver judges rules over inputs, LPARs or everything at the same time. selection: only these records; site: a site file.

    Raises UsageError for less than one shard, DatasetError if there is no dataset, NoDataError if the selection matches no record, and MqstatError if Spark gives up a task.
    """
    if shards < 1:
        raise UsageError(f"{shards} shards cannot be judged; give 1 or more.")
    home, facts = home_of(dataset), load_site(local_path(site)) if site else None

    @contextmanager
    def opening() -> Iterator[Database]:
        opened = open_data(dataset=home, selection=selection, site=facts, views=True)
        with opened as database, ThreadPoolExecutor(max(1, shards)) as threads:
            database.judges = _Workers(spark, name_of(home), shards, threads)
            yield database

    with OpenData(opening(), f"dataset {home}") as data:
        return data.findings()


class _Workers:
    """The workers of Spark in place of processes that judge: each function is a job of one task."""

    def __init__(self, spark: SparkSession, dataset: str, count: int, threads: ThreadPoolExecutor) -> None:
        self._spark, self._dataset, self.count, self._threads, self.pool = spark, dataset, count, threads, self

    def submit(self, function: Callable[..., Any], opened: Mapping[str, Any], /, *given: Any) -> Future[Any]:
        dataset, names = self._dataset, named(opened)

        def judge(_: int) -> Any:
            with located(dataset, names) as here:
                return function(here, *given)

        return self._threads.submit(lambda: spread(self._spark, judge, 1)[0])
