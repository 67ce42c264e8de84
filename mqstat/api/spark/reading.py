"""The data source `mqstat` of Spark 4: the rows of a decoded table, as the manifest of a dataset has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mqstat.api.inputs import PathName
from mqstat.api.spark.workers import name_of, named
from mqstat.base.errors import UsageError
from mqstat.base.nearest import nearest_or_known
from mqstat.base.scratch import temporary_folder
from mqstat.base.selection import make
from mqstat.dataset.paths import day_of
from mqstat.dataset.place import home_of
from mqstat.dataset.store import open_dataset
from mqstat.intake.open_data import open_data
from mqstat.parsers.tables import table_schemas
from mqstat.sql.database import open_workspace
from mqstat.sql.decoded import needs_record
from mqstat.sql.opened import Numbers, Opened
from mqstat.sql.schemas import duckdb_type, quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TYPES = {
    "BIGINT": ("bigint", pa.int64()), "VARCHAR": ("string", pa.string()), "BOOLEAN": ("boolean", pa.bool_()), "BLOB": ("binary", pa.binary()),
    "DOUBLE": ("double", pa.float64()), "DATE": ("date", pa.date32()), "TIMESTAMP": ("timestamp_ntz", pa.timestamp("us")), "INTEGER": ("int", pa.int32()),
}  # fmt: skip
"""The type of a column in Spark and Arrow, by that in DuckDB."""

OPTIONS = ("path", "table", "columns", "only", "qmgr", "lpar", "since", "until", "date")


def register(spark: SparkSession) -> None:
    """Register the data source `mqstat`: `spark.read.format("mqstat").option("table", "qpst").load(DIR)`.

    Further options: `columns`, because Spark does not pass on which it needs; `only`, `qmgr`, `lpar`, `since`, `until`, `date` as in commands; several values are
    separated by commas. Raises UsageError before pyspark 4, which has no data sources in Python.
    """
    from pyspark import __version__

    if int(__version__.partition(".")[0]) < 4:
        text = "read a table with spark.read.parquet(*mqstat.spark.files(DIR, TABLE)), or use pyspark 4"
        raise UsageError(f"pyspark {__version__} has no data sources in Python; {text}.")
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    class Source(DataSource):  # type: ignore[misc]
        @classmethod
        def name(cls) -> str:
            return "mqstat"

        def schema(self) -> str:
            return ", ".join(f"`{name}` {TYPES[kind][0]}" for name, kind in _Table(self.options).kinds.items())

        def reader(self, schema: object) -> DataSourceReader:
            return Reader(_Table(self.options))

    class Reader(DataSourceReader):  # type: ignore[misc]
        def __init__(self, table: _Table) -> None:
            self.table = table

        def partitions(self) -> list[InputPartition]:
            return [InputPartition(each) for each in self.table.tasks()]

        def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
            return self.table.rows(partition.value) if partition else iter(())  # None: the table has no files

    spark.dataSource.register(Source)


def files(dataset: PathName, table: str) -> list[str]:
    """The Parquet files of a table as the manifest has them now, for `spark.read.parquet(*files)`, which reads only the columns that a query needs.

    A publish may replace them: the source `mqstat` finds them then for 48 hours. Raises UsageError for an unknown table, DatasetError if there is no dataset.
    """
    _check("A dataset has no table", table, table_schemas())
    return [str(file) for file in open_dataset(home_of(name_of(home_of(dataset)))).files.get(table, ())]


def _check(text: str, name: str, known: Any) -> None:
    if name not in known:
        raise UsageError(f"{text} {name!r}{nearest_or_known(name, known)}.")


class _Table:
    """The rows that the options of the source name; UsageError for others."""

    def __init__(self, options: Mapping[str, str]) -> None:
        given = {name.lower(): value for name, value in options.items()}
        for name in given:
            _check("The source mqstat has no option", name, OPTIONS)
        if "path" not in given:
            raise UsageError("Name the dataset: load(DIR).")
        if "table" not in given:
            raise UsageError('Name the table: option("table", NAME).')
        self.dataset, self.table = name_of(home_of(given["path"])), given["table"]
        _check("A dataset has no table", self.table, table_schemas())
        schema = table_schemas()[self.table]
        only, qmgr, lpar, columns = (_words(given.get(name, "")) for name in ("only", "qmgr", "lpar", "columns"))
        for name in columns:
            _check(f"Table {self.table} has no column", name, schema.names)
        self.kinds = {name: duckdb_type(schema.field(name).type) for name in columns or schema.names}
        self.selection = make(only, qmgr, given.get("since"), given.get("until"), given.get("date"), lpar)

    def tasks(self) -> list[Opened]:
        """What is opened for each file; rows that are selected by their records need those of the same day, too."""
        chosen, records = self.selection, []
        with open_data(dataset=home_of(self.dataset), selection=chosen, tables={self.table}, may_be_empty=True) as data:
            opened = named(replace(data.opened, numbers=Numbers()))
        if needs_record(self.table) and (chosen.types or chosen.since or chosen.until):
            records = [(_day("record", file), file) for file in opened.tables.get("record", ())]
        return [
            replace(opened, tables={"record": [each for day, each in records if day == _day(self.table, file)], self.table: [file]})
            for file in opened.tables.get(self.table, ())
        ]  # fmt: skip

    def rows(self, opened: Opened) -> Iterator[pa.RecordBatch]:
        """The rows of one of these files."""
        schema = pa.schema([(name, TYPES[kind][1]) for name, kind in self.kinds.items()])
        query = f"SELECT {', '.join(map(quoted, self.kinds))} FROM decoded.{quoted(self.table)}"  # noqa: S608 - names of our tables
        with temporary_folder() as spill, open_workspace(opened, threads=1, temp_directory=spill) as database:
            for batch in database.reader(query, 65_536):
                yield batch.cast(schema)


def _day(table: str, file: Any) -> object:
    return day_of(f"{table}/{str(file).rpartition('/')[2]}")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
