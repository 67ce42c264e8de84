"""Functions that run in the workers of Spark. What is used exists in pyspark 3.5 and 4, also on clusters without
RDDs.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from mqstat.api.inputs import PathName
from mqstat.base.errors import MqstatError
from mqstat.dataset.place import Home, home_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_Result = TypeVar("_Result")


def spread(spark: SparkSession, function: Callable[[int], _Result], count: int) -> list[_Result]:
    """The results of `function(number)` for the numbers below `count`, in order, one task each.

    Spark may run a task several times, also at the same time: the result of one attempt counts. An MqstatError of the
    function is raised here, without further attempts. Raises MqstatError if Spark gives up a task.
    """

    def each(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                result: object
                try:
                    result = function(number)
                except MqstatError as error:
                    result = error
                yield pa.record_batch({"number": pa.array([number]), "result": pa.array([pickle.dumps(result)])})

    if not count:
        return []
    try:
        rows = spark.range(0, count, 1, count).mapInArrow(each, "number bigint, result binary").collect()
    except Exception as error:
        raise MqstatError(f"Spark could not run a task: {_cause(str(error))}.") from error
    results = [pickle.loads(result) for _, result in sorted((row[0], bytes(row[1])) for row in rows)]  # noqa: S301 - of our workers
    for result in results:
        if isinstance(result, MqstatError):
            raise result
    return results


def _cause(text: str) -> str:
    """The last error that a traceback in Python names, otherwise the first line."""
    named = re.findall(r"^((?:\w+\.)*\w+(?:Error|Exception): .+)$", text, re.MULTILINE)
    cause = str(named[-1] if named else text.strip().partition("\n")[0]).strip().rstrip(".")
    return f"{cause}; install mqstat[spark] on all workers" if "No module named" in cause else cause


def home_everywhere(name: PathName) -> Home:
    """Where a dataset or dump is, under a name that all processes have: an absolute path or a URI."""
    home = home_of(name)
    return home.absolute() if isinstance(home, Path) else home
