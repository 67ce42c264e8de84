"""Spark 3.5 reads a dataset without mqstat, with both of its Parquet readers: `pip install 'pyspark==3.5.*'`, which needs Java 8 to 17."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from mqstat.cli import run
from tests.support import built_dump, file_of

sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed; pip install 'pyspark==3.5.*'")

pytestmark = [
    pytest.mark.slow,
    # pyspark leaves its sockets to the garbage collector.
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore:distutils"
    ),
]

TYPES = {
    "BIGINT": "bigint",
    "VARCHAR": "string",
    "BOOLEAN": "boolean",
    "BLOB": "binary",
    "DOUBLE": "double",
    "DATE": "date",
    "TIMESTAMP": "timestamp_ntz",
}
"""The type of Spark for each type of DuckDB."""


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    settings = {"spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "1"}
    builder = sql.SparkSession.builder.master("local[1]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("spark")
    assert run(["ingest", str(file_of(built_dump(), place)), "--into", str(place / "set")]) == 0
    return place / "set"


def figures(columns: list[tuple[str, str]], micros: str, days: str, total: str, quote: str) -> str:
    """The figures of a table as one row of SQL: rows, and of each column its values, their sum or length, lowest and highest."""
    out = ["count(*)"]
    for name, kind in columns:
        column = f"{quote}{name}{quote}"
        value = {
            "TIMESTAMP": micros.format(column),
            "DATE": days.format(column),
            "BOOLEAN": f"cast({column} as int)",
            "BLOB": f"octet_length({column})",
        }.get(kind, column)
        out += [f"count({column})", f"min({value})", f"max({value})"]
        out.append(f"count(distinct {column})" if kind == "VARCHAR" else total.format(value))
    return ", ".join(out)


@pytest.mark.parametrize("vectorised", ["true", "false"])
def test_spark_reads_every_table(spark: Any, folder: Path, vectorised: str) -> None:
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorised)
    connection = duckdb.connect()
    tables = sorted({path.parent for path in folder.glob("*/*.parquet")})
    assert len(tables) > 30
    for table in tables:
        source = f"read_parquet('{table}/*.parquet')"
        columns = [(row[0], row[1]) for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
        frame = spark.read.parquet(str(table))
        assert [(f.name, f.dataType.simpleString()) for f in frame.schema.fields] == [(n, TYPES[k]) for n, k in columns]
        ours = figures(
            columns, "epoch_us({})", "datediff('day', DATE '1970-01-01', {})", "cast(sum({}) as varchar)", '"'
        )
        theirs = figures(
            columns,
            "unix_micros(cast({} as timestamp))",
            "unix_date({})",
            "cast(sum(cast({} as decimal(38,0))) as string)",
            "`",
        )
        expected = connection.execute(f"SELECT {ours} FROM {source}").fetchone()
        frame.createOrReplaceTempView("seen")
        assert tuple(spark.sql(f"SELECT {theirs} FROM seen").collect()[0]) == expected, table.name
