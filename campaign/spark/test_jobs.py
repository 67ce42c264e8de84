"""mqstat on Spark: dumps are written, judged and read by its workers as by one process. `pip install 'mqstat[spark]'` needs Java 17 for pyspark 4, 8 to 17 for 3.5."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mqstat
import mqstat.spark
from campaign.spark.same import assert_same, several
from mqstat.api.spark import ingesting
from mqstat.api.spark.workers import spread
from mqstat.base.errors import MqstatError, NoDataError, UsageError
from mqstat.base.object_store import store_of
from mqstat.cli import run
from mqstat.dataset.store import open_dataset
from mqstat.parsers.tables import table_schemas
from tests.estates import judged
from tests.object_stores import s3_server
from tests.support import built_dump, file_of, small_dump

sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed; pip install 'mqstat[spark]'")

pytestmark = [
    pytest.mark.slow,
    # pyspark leaves its sockets to the garbage collector, and warns of its own use of ipython and pandas.
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore:distutils"
    ),
]

ATTEMPTS = 4


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session of two workers that repeats tasks, with an object store that they reach."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    with s3_server() as variables, pytest.MonkeyPatch.context() as patch:
        for name, value in {**variables, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}.items():
            patch.setenv(name, value)
        settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
        # Workers have the environment of the Java process, which other tests may have started before.
        settings |= {f"spark.executorEnv.{name}": value for name, value in variables.items()}
        builder = sql.SparkSession.builder.master(f"local[2,{ATTEMPTS}]")
        for key, text in settings.items():
            builder = builder.config(key, text)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A large dump, small ones that share files, and one that repeats records of another."""
    folder = tmp_path_factory.mktemp("dumps")
    file_of(several(folder), folder, "a.smf")
    for name in ("statistics", "class3"):
        (folder / name).unlink()
    file_of(built_dump(), folder, "b.smf")
    file_of(small_dump(), folder, "c.smf")
    file_of(small_dump() * 2, folder, "d.smf")
    return folder


@pytest.fixture(scope="module")
def ingested(dumps: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ingested") / "set"
    assert run(["ingest", str(dumps), "--into", str(folder), "--jobs", "1"]) == 0
    return folder


def attempted(act: Callable[[int, int], None], patch: pytest.MonkeyPatch) -> None:
    """Have workers call `act` with the number of a dump and of the attempt after they have written a dump."""

    def other(spark: Any, function: Callable[[int], Any], count: int) -> list[Any]:
        def writing(number: int) -> Any:
            from pyspark import TaskContext

            function(number)
            act(number, TaskContext.get().attemptNumber())
            return function(number)

        return spread(spark, writing, count)

    patch.setattr(ingesting, "spread", other)


def test_ingest_is_that_of_one_process(spark: Any, dumps: Path, ingested: Path, tmp_path: Path) -> None:
    done = mqstat.spark.ingest(spark, dumps, tmp_path / "set")
    assert [each.state for each in done.outcomes] == ["added"] * 4
    assert_same(tmp_path / "set", ingested)
    assert not (tmp_path / "set" / "_staging").exists()
    again = mqstat.spark.ingest(spark, [dumps / "b.smf", dumps / "a.smf"], tmp_path / "set")
    assert [each.state for each in again.outcomes] == ["there", "there"]


def test_workers_that_are_killed_and_repeated(
    spark: Any, dumps: Path, ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every dump is written two to five times: a worker is killed, one fails, and the last attempt writes the dump twice."""

    def act(number: int, attempt: int) -> None:
        if attempt == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if attempt == 1 and number % 2:
            raise RuntimeError(number)

    attempted(act, monkeypatch)
    done = mqstat.spark.ingest(spark, dumps, tmp_path / "set")
    assert [each.state for each in done.outcomes] == ["added"] * 4
    assert_same(tmp_path / "set", ingested)


def test_no_shards_and_no_table_are_one_sentence(spark: Any, dumps: Path, tmp_path: Path) -> None:
    run(["ingest", str(dumps / "b.smf"), "--into", str(tmp_path / "set")])
    for shards in (0, -1):
        with pytest.raises(UsageError, match=f"^{shards} shards cannot be judged; give 1 or more"):
            mqstat.spark.check(spark, tmp_path / "set", shards=shards)
    if is_4(spark):
        with pytest.raises(Exception, match=r"UsageError: Name the table: option"):
            read(spark, tmp_path / "set")


def test_a_task_that_spark_gives_up(spark: Any, dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is added, and the same call adds it later."""

    def act(_: int, attempt: int) -> None:
        raise RuntimeError(f"attempt {attempt} has no more memory")

    with monkeypatch.context() as patch:
        attempted(act, patch)
        with pytest.raises(
            MqstatError, match=rf"^Spark could not run a task: RuntimeError: attempt {ATTEMPTS - 1} .*\.$"
        ):
            mqstat.spark.ingest(spark, dumps / "b.smf", tmp_path / "set")
    assert not (tmp_path / "set" / "_staging").exists()
    assert mqstat.spark.ingest(spark, dumps / "b.smf", tmp_path / "set").outcomes[0].state == "added"


def test_dumps_in_an_object_store(spark: Any, dumps: Path, tmp_path: Path) -> None:
    """By URI, as `mqstat ingest` reads them; the workers read them there."""
    for name in ("b.smf", "d.smf"):
        store_of("s3://test").put(f"dumps/{name}", (dumps / name).read_bytes())
    done = mqstat.spark.ingest(spark, "s3://test/dumps/", tmp_path / "set")
    assert [each.state for each in done.outcomes] == ["added", "added"]
    assert run(["ingest", "s3://test/dumps/", "--into", str(tmp_path / "one")]) == 0
    assert_same(tmp_path / "one", tmp_path / "set")


def test_what_is_refused(spark: Any, dumps: Path, tmp_path: Path) -> None:
    (tmp_path / "text.smf").write_text("not a dump\n" * 100)
    done = mqstat.spark.ingest(spark, tmp_path / "text.smf", tmp_path / "set")
    assert [(each.state, done.return_code()) for each in done.outcomes] == [("refused", 12)]
    for paths, into in ((dumps, "s3://test/set"), ("-", tmp_path / "set"), (dumps, "ftp://test/set")):
        with pytest.raises(UsageError):
            mqstat.spark.ingest(spark, paths, into)


@pytest.mark.parametrize("place", ["folder", "s3"])
def test_findings_are_those_of_check(spark: Any, tmp_path: Path, place: str) -> None:
    """An estate with queue-sharing groups, with its site file."""
    estate = judged("shared_messages_and_log_sizes")
    dump, site = file_of(estate.dump, tmp_path), tmp_path / "site.toml"
    site.write_text(estate.site)
    into = str(tmp_path / "set") if place == "folder" else "s3://test/findings"
    mqstat.spark.ingest(spark, dump, into, staging=None if place == "folder" else tmp_path / "staging")
    findings = mqstat.spark.check(spark, into, shards=3, site=site)
    with mqstat.open_dataset(into, site=site) as data:
        assert findings.equals(data.findings())
    file = tmp_path / "findings.parquet"
    words = [
        "check",
        "--from",
        into,
        "--site",
        str(site),
        "--format",
        "parquet",
        "--output",
        str(file),
        "--max-rc",
        "0",
    ]
    assert run(words) == 0
    assert rounded(findings) == rounded(pq.read_table(file))
    assert len(set(findings["qmgr"].to_pylist())) > 3
    with pytest.raises(NoDataError):
        mqstat.spark.check(spark, into, selection=mqstat.Selection(qmgrs="NONE"))


def rounded(table: pa.Table) -> list[dict[str, Any]]:
    """Rows with the digits that commands print."""
    return [
        {name: float(f"{value:.12g}") if isinstance(value, float) else value for name, value in row.items()}
        for row in table.to_pylist()
    ]


def test_the_source_has_the_rows_of_the_manifest(spark: Any, dumps: Path, tmp_path: Path) -> None:
    """Also when the folders have files that are not in the manifest."""
    folder = tmp_path / "set"
    assert run(["ingest", str(dumps), "--into", str(folder)]) == 0
    with mqstat.open_dataset(folder) as data:
        for table in open_dataset(folder).files:
            expected = data.sql(f"SELECT * FROM decoded.{table}")
            assert mqstat.spark.files(folder, table)
            (file, *_) = (folder / table).glob("*.parquet")
            shutil.copy(file, file.with_name(f"copy-{file.name}"))
            frames = [spark.read.parquet(*mqstat.spark.files(folder, table))]
            frames += [read(spark, folder, table=table)] if is_4(spark) else []
            for frame in frames:
                assert frame.count() == expected.num_rows > 0
        if not is_4(spark):
            return
        for table in ("qpst", "wtas", "record", "raw_bytes", "source"):
            if not data.sql(f"SELECT count(*) AS n FROM decoded.{table}")["n"][0].as_py():
                continue
            expected = data.sql(f"SELECT * FROM decoded.{table}")
            mine = [tuple(row) for row in read(spark, folder, table=table).select(*expected.column_names).collect()]
            theirs = [tuple(row.values()) for row in expected.to_pylist()]
            assert sorted(map(plain, mine)) == sorted(map(plain, theirs))


def plain(row: tuple[Any, ...]) -> str:
    return repr([bytes(value) if isinstance(value, bytearray) else value for value in row])


def read(spark: Any, folder: Path | str, **options: str) -> Any:
    return spark.read.format("mqstat").options(**options).load(str(folder))


def is_4(spark: Any) -> bool:
    """Whether Spark has data sources in Python, which are registered then."""
    if int(spark.version.partition(".")[0]) < 4:
        with pytest.raises(UsageError, match=r"use pyspark 4\.$"):
            mqstat.spark.register(spark)
        return False
    mqstat.spark.register(spark)
    return True


def test_the_source_selects_as_commands_do(spark: Any, ingested: Path) -> None:
    if not is_4(spark):
        pytest.skip("pyspark 3.5 has no data sources in Python")
    with mqstat.open_dataset(ingested) as data:
        (first, qmgr) = (
            data.sql("SELECT min(written_local) AS t, min(qmgr) AS q FROM decoded.record").to_pylist()[0].values()
        )
    chosen = (
        {"only": "116"},
        {"qmgr": f"{qmgr}, NONE"},
        {"date": f"{first:%Y-%m-%d}"},
        {"until": f"{first:%Y-%m-%dT%H:59}"},
    )
    for options in chosen:
        given = {"types": 116} if "only" in options else {"qmgrs": qmgr} if "qmgr" in options else options
        if "date" in options:
            given = {"since": options["date"], "until": options["date"]}
        with mqstat.open_dataset(ingested, selection=mqstat.Selection(**given)) as data:
            for table in ("qpst", "wtas", "record", "section", "raw_bytes"):
                expected = data.sql(f"SELECT count(*) AS n FROM decoded.{table}")["n"][0].as_py()
                assert read(spark, ingested, table=table, **options).count() == expected, (table, options)
    frame = read(spark, ingested, table="qpst", columns="qmgr, record_id")
    assert frame.columns == ["qmgr", "record_id"]
    assert frame.where("qmgr IS NOT NULL").select("record_id").distinct().count() > 0
    absent = next(table for table in table_schemas() if table not in open_dataset(ingested).files)
    assert read(spark, ingested, table=absent).count() == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "A dataset has no table ''"),
        ({"table": "qpstt"}, "no table 'qpstt'; did you mean"),
        ({"table": "qpst", "columns": "lpars"}, "Table qpst has no column 'lpars'; did you mean lpar"),
        ({"table": "qpst", "column": "lpar"}, "no option 'column'; did you mean columns"),
        ({"table": "qpst", "only": "117"}, "choose 115"),
    ],
)
def test_wrong_options(spark: Any, ingested: Path, options: dict[str, str], text: str) -> None:
    if not is_4(spark):
        pytest.skip("pyspark 3.5 has no data sources in Python")
    with pytest.raises(Exception, match=text):
        read(spark, ingested, **options)


def test_a_worker_finds_files_that_were_replaced(spark: Any, dumps: Path, tmp_path: Path) -> None:
    """The files are listed, then all of them are merged and retired before they are read."""
    folder = tmp_path / "set"
    for name in ("b.smf", "c.smf"):
        assert run(["ingest", str(dumps / name), "--into", str(folder)]) == 0
    if not is_4(spark):
        pytest.skip("pyspark 3.5 has no data sources in Python")
    frame = read(spark, folder, table="record")
    rows = frame.rdd  # planned
    expected = rows.count()
    assert run(["compact", str(folder)]) == 0
    assert rows.count() == expected == read(spark, folder, table="record").count()
