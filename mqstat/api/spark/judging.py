"""Rules over a dataset in the workers of Spark, in shards."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pyarrow as pa

from mqstat.api.inputs import PathName, local_path
from mqstat.api.opened import FINDINGS, described
from mqstat.api.spark.shards import Found, Work, judge, judge_shard
from mqstat.api.spark.workers import home_everywhere, spread
from mqstat.base.errors import UsageError
from mqstat.base.selection import Selection
from mqstat.intake.open_data import open_data
from mqstat.sql import sqlfile
from mqstat.sql.site import load_site

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check(
    spark: SparkSession, dataset: PathName, *, shards: int = 8, selection: Selection | None = None, site: PathName | None = None
) -> pa.Table:  # fmt: skip
    """The outcome of every rule for every subject, the worst first: the findings of `mqstat check`, as
    `OpenData.findings` has them.

    shards: tasks that judge some queue managers each, with all members of their queue-sharing groups; a task needs
    about five seconds of processor for its queries alone. The driver judges rules over inputs, LPARs or everything.
    selection: only these records; site: a site file.

    Raises UsageError for less than one shard, DatasetError if there is no dataset, NoDataError if the selection matches
    no record, and MqstatError if Spark gives up a task.
    """
    if shards < 1:
        raise UsageError(f"{shards} shards cannot be judged; give 1 or more.")
    facts = load_site(local_path(site)) if site else None
    opened = open_data(dataset=home_everywhere(dataset), selection=selection, site=facts)
    with opened as database, ThreadPoolExecutor(1) as thread:

        def submit(work: list[Work]) -> Callable[[], list[Found]]:
            return thread.submit(spread, spark, lambda number: judge_shard(*work[number]), len(work)).result

        judge(database, shards, submit)
        database.keep(["SELECT * FROM finding"])
        return described(database.arrow(FINDINGS), sqlfile.views()["finding"])
