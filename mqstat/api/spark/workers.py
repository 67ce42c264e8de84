"""Functions that run in the workers of Spark, and files of a dataset there. What is used exists in pyspark 3.5 and 4, also on clusters without RDDs."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from mqstat.base.errors import MqstatError
from mqstat.base.object_store import StoredFile
from mqstat.dataset.place import Home, home_of
from mqstat.dataset.store import kept_files
from mqstat.sql.opened import Opened

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_Result = TypeVar("_Result")


def spread(spark: SparkSession, function: Callable[[int], _Result], count: int) -> list[_Result]:
    """The results of `function(number)` for the numbers below `count`, in order, one task each.

    Spark may run a task several times, also at the same time: the result of one attempt counts. An MqstatError of the function is raised here, without
    further attempts. Raises MqstatError if Spark gives up a task.
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


def name_of(home: Home) -> str:
    """The name of a dataset in all processes: an absolute path or a URI."""
    return str(home.absolute() if isinstance(home, Path) else home)


def named(opened: Opened) -> Opened:
    """What was opened, with names of files instead of the paths by which only this process has them open."""
    tables = {table: _names(table, files) for table, files in opened.tables.items()}
    numbers = replace(opened.numbers, files=_names("record", opened.numbers.files))
    return replace(opened, tables=tables, numbers=numbers, readable=())


def _names(table: str, files: Any) -> list[Any]:
    return [file if isinstance(file, StoredFile) else f"{table}/{file.name}" for file in files]


@contextmanager
def located(dataset: str, opened: Opened) -> Iterator[Opened]:
    """The same in this process; the files stay open for the duration of a `with`."""
    home, numbers = home_of(dataset), opened.numbers
    if not isinstance(home, Path):
        yield opened
        return
    named: Mapping[str, Any] = opened.tables
    every = [name for names in named.values() for name in names]
    with kept_files(home, [*every, *map(str, numbers.files)]) as (at, readable):
        tables = {table: [at[name] for name in names] for table, names in named.items()}
        numbers = replace(numbers, files=[at[str(name)] for name in numbers.files])
        yield replace(opened, tables=tables, numbers=numbers, readable=readable)
