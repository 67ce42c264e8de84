"""Dumps -> dataset: the workers of Spark write the parts of `mqstat.parts`, the driver plans, reserves and publishes."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mqstat.api import parts
from mqstat.api.inputs import PathName, local_path
from mqstat.api.plans import Part, Plan, Published
from mqstat.api.spark.workers import name_of, spread
from mqstat.base import return_codes
from mqstat.base.errors import UsageError
from mqstat.base.selection import Selection
from mqstat.dataset.place import home_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def ingest(
    spark: SparkSession, paths: PathName | Sequence[PathName], into: PathName, *,
    staging: PathName | None = None, range_bytes: int | None = None, selection: Selection | None = None,
) -> Published:  # fmt: skip
    """Add dumps (files, folders, archives, or `s3://bucket/key`) to a dataset, as `mqstat ingest` does: one task for each part of `mqstat.parts.plan`.

    staging: a folder for files until they are published, which the driver and all workers reach by this path; by default `into` with `.staging`.
    range_bytes: divide larger dumps, as in `mqstat.parts.plan`. Tasks that are repeated, speculative or killed do not change the result.

    Raises what `mqstat.parts` raises, UsageError without `staging` for a dataset in an object store, and MqstatError if Spark gives up a task: then nothing
    is added, and the call may be repeated.
    """
    home = home_of(into)
    if staging is None and not isinstance(home, Path):
        raise UsageError(f"{home}: name a folder for staging that the driver and all workers reach.")
    folder = local_path(staging or f"{name_of(home)}.staging").absolute() / secrets.token_hex(8)
    several = [os.fspath(each) for each in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if "-" in several:
        raise UsageError("Standard input cannot be read by the workers of Spark; name files or folders.")
    plans = [parts.plan(name_of(home_of(each)), range_bytes) for each in several]
    reserved = [parts.reserve(into, plan) for plan in plans]
    tasks = [
        (plan.to_json(), number, numbers.of(plan, number))
        for plan, numbers in zip(plans, reserved, strict=True)
        for number in range(len(plan.parts))
    ]

    def write(task: int) -> str:
        text, number, numbers = tasks[task]
        return parts.write(Plan.from_json(text), number, numbers, folder, selection).to_json()

    try:
        written = [Part.from_json(text) for text in spread(spark, write, len(tasks))]
        done = [parts.publish(into, plan, [each for each in written if each.plan == plan.key]) for plan in plans]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    inputs = tuple(each for published in done for each in published.inputs)
    generation = max((published.generation for published in done), default=0)
    return Published(generation, inputs, return_codes.of_inputs(published.return_code for published in done))
