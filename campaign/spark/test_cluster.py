"""`mqstat.spark` on a standalone cluster of two workers, which share no memory with the driver, and Delta tables in
Spark.

Dumps are written and judged as by one process, also when executors are killed. `campaign/test_spark.py` runs this with
pyspark 3.5 and 4, which need Java 17.
"""

from __future__ import annotations

import datetime as dt
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from deltalake import DeltaTable

import mqstat
import mqstat.spark
from campaign.slices import ROOT
from campaign.spark.same import assert_same, several
from mqstat.api.spark import ingesting
from mqstat.api.spark.workers import spread
from mqstat.base.errors import MqstatError, NoDataError
from mqstat.base.object_store import store_of
from mqstat.cli import run
from mqstat.dataset.store import open_dataset
from tests import doc_engines
from tests.estates import judged
from tests.object_stores import s3_server
from tests.support import built_dump, file_of, small_dump

pyspark = pytest.importorskip("pyspark", reason="campaign/test_spark.py installs pyspark")

pytestmark = [
    pytest.mark.slow,
    # pyspark leaves its sockets to the garbage collector, and warns of its own use of ipython and pandas.
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore:distutils"
    ),
]

DELTA = {"3": "io.delta:delta-spark_2.12:3.3.2", "4": "io.delta:delta-spark_4.1_2.13:4.1.0"}
"""The reader of Delta tables for a version of Spark."""
IN_SPARK = "org.apache.logging.log4j:*,org.slf4j:*,com.google.code.findbugs:*,org.antlr:*"
"""What it needs and Spark has."""

ATTEMPTS = 4
SECONDS = 300
"""How long a process of the cluster may take to start."""


@contextmanager
def started(folder: Path, name: str, ready: str, *arguments: str) -> Iterator[None]:
    """A process of the cluster, once its log has a text; it ends with the `with`."""
    log = folder / f"{name}.log"
    environment = {**os.environ, "SPARK_NO_DAEMONIZE": "1", "SPARK_WORKER_DIR": str(folder / name)}
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), *arguments]
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, env=environment, cwd=folder)
    try:
        until = time.monotonic() + SECONDS
        while ready not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > until:
                pytest.fail(f"{name} did not start: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session with a master and two workers with one core each, and an object store that they reach."""
    from pyspark.sql import SparkSession

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    folder = tmp_path_factory.mktemp("cluster")
    deploy, master = "org.apache.spark.deploy", f"spark://127.0.0.1:{port}"
    local = ["--host", "127.0.0.1", "--webui-port", "0"]
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        variables = stack.enter_context(s3_server())
        for name, value in {**variables, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}.items():
            patch.setenv(name, value)
        words = (f"{deploy}.master.Master", *local, "--port", str(port))
        stack.enter_context(started(folder, "master", "New state: ALIVE", *words))
        for name in ("worker1", "worker2"):
            words = (f"{deploy}.worker.Worker", *local, "--cores", "1", "--memory", "1g", master)
            stack.enter_context(started(folder, name, "Successfully registered", *words))
        settings = {
            "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.executor.memory": "512m", "spark.executor.cores": "1",
            "spark.driver.host": "127.0.0.1", "spark.scheduler.minRegisteredResourcesRatio": "1.0", "spark.task.maxFailures": str(ATTEMPTS),
            "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "1", "spark.databricks.delta.snapshotPartitions": "1",
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.jars.packages": DELTA[pyspark.__version__[0]], "spark.jars.excludes": IN_SPARK,
            "spark.jars.ivy": str(ROOT / "build" / "spark" / f"ivy-{pyspark.__version__}"),
        }  # fmt: skip
        builder = SparkSession.builder.master(master)
        for key, text in settings.items():
            builder = builder.config(key, text)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A large dump, small ones, and one that repeats records of another."""
    folder = tmp_path_factory.mktemp("dumps")
    data = several(tmp_path_factory.mktemp("made")), built_dump(), small_dump(), small_dump() * 2
    for name, each in zip("abcd", data, strict=True):
        file_of(each, folder, f"{name}.smf")
    return folder


@pytest.fixture(scope="module")
def ingested(dumps: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ingested") / "set"
    assert run(["ingest", str(dumps), "--into", str(folder), "--jobs", "1"]) == 0
    return folder


def attempted(act: Callable[[int, int], None], patch: pytest.MonkeyPatch) -> None:
    """Have workers write a dump twice, and in between call `act` with the number of the dump and of the attempt."""

    def other(spark: Any, function: Callable[[int], Any], count: int) -> list[Any]:
        def writing(number: int) -> Any:
            from pyspark import TaskContext

            function(number)
            act(number, TaskContext.get().attemptNumber())
            return function(number)

        return spread(spark, writing, count)

    patch.setattr(ingesting, "spread", other)


def test_ingest_and_check_are_those_of_one_process(spark: Any, dumps: Path, ingested: Path, tmp_path: Path) -> None:

    def slowly(_: int) -> Path:
        time.sleep(0.3)
        return Path.cwd()

    assert len(set(spread(spark, slowly, 8))) == 2  # both executors work
    done = mqstat.spark.ingest(spark, dumps, tmp_path / "set")
    assert [each.state for each in done.outcomes] == ["added"] * 4
    assert_same(tmp_path / "set", ingested)
    assert not (tmp_path / "set" / "_staging").exists()
    with mqstat.open_dataset(tmp_path / "set") as data:
        assert mqstat.spark.check(spark, tmp_path / "set", shards=2).equals(data.findings())
    again = mqstat.spark.ingest(spark, [dumps / "b.smf", dumps / "a.smf"], tmp_path / "set")
    assert [each.state for each in again.outcomes] == ["there", "there"]


def test_executors_and_workers_that_are_killed(
    spark: Any, dumps: Path, ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every dump is written two to five times: an executor is killed in the middle, whose worker goes on writing, a
    worker is killed, and one fails.
    """

    def act(number: int, attempt: int) -> None:
        if attempt == 0 and number == 0:
            daemon = Path(f"/proc/{os.getppid()}/stat").read_text()  # it forks workers; its parent is the executor
            threading.Timer(0.1, os.kill, (int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)).start()
        elif attempt == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        elif attempt == 1 and number % 2:
            raise RuntimeError(number)

    attempted(act, monkeypatch)
    done = mqstat.spark.ingest(spark, dumps, tmp_path / "set")
    assert [each.state for each in done.outcomes] == ["added"] * 4
    assert_same(tmp_path / "set", ingested)


def test_a_task_that_spark_gives_up(spark: Any, dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is added, and the same call adds it later."""

    def act(_: int, attempt: int) -> None:
        raise RuntimeError(f"attempt {attempt} has no more memory")

    with monkeypatch.context() as patch:
        attempted(act, patch)
        text = rf"^Spark could not run a task: RuntimeError: attempt {ATTEMPTS - 1} .*\.$"
        with pytest.raises(MqstatError, match=text):
            mqstat.spark.ingest(spark, dumps / "b.smf", tmp_path / "set")
    assert not (tmp_path / "set" / "_staging").exists()
    assert mqstat.spark.ingest(spark, dumps / "b.smf", tmp_path / "set").outcomes[0].state == "added"


def test_dumps_and_datasets_in_an_object_store(spark: Any, tmp_path: Path) -> None:
    """An estate with queue-sharing groups, with its site file; the workers read the dump and the dataset there."""
    estate, site = judged("shared_messages_and_log_sizes"), tmp_path / "site.toml"
    store_of("s3://test").put("dumps/a.smf", estate.dump)
    site.write_text(estate.site)
    mqstat.spark.ingest(spark, "s3://test/dumps/", "s3://test/set", staging=tmp_path / "staging")
    findings = mqstat.spark.check(spark, "s3://test/set", shards=3, site=site)
    assert len(set(findings["qmgr"].to_pylist())) > 3
    with mqstat.open_dataset("s3://test/set", site=site) as data:
        assert findings.equals(data.findings())
    with pytest.raises(NoDataError):
        mqstat.spark.check(spark, "s3://test/set", selection=mqstat.Selection(qmgrs="NONE"))


@pytest.mark.parametrize("vectorised", ["true", "false"])
def test_spark_reads_the_delta_tables(spark: Any, dumps: Path, tmp_path: Path, vectorised: str) -> None:
    """With both of its Parquet readers: every row of the state, and of the state before the last step, and the comments
    of the columns.
    """
    spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorised)
    folder, before = tmp_path / "set", {}
    for name in ("b.smf", "c.smf"):
        assert run(["ingest", str(dumps / name), "--into", str(folder)]) == 0
        opened = open_dataset(folder)
        version = DeltaTable(folder / "record").version()
        before[version] = sum(each.rows for each in opened.manifest.files if each.table == "record")
    assert len(opened.files) > 30
    for table, files in opened.files.items():
        mine = spark.read.format("delta").load(f"{folder}/{table}").collect()
        theirs = duckdb.read_parquet([str(file) for file in files])
        assert sorted(map(plain, mine)) == sorted(map(plain, theirs.fetchall())), table
        described = spark.sql(f"DESCRIBE delta.`{folder}/{table}`").collect()
        assert [row["col_name"] for row in described] == theirs.columns
        assert all(row["comment"] for row in described), table
    for version, count in before.items():
        assert spark.read.format("delta").option("versionAsOf", version).load(f"{folder}/record").count() == count


def plain(row: Any) -> str:
    return repr([bytes(value) if isinstance(value, bytearray) else value for value in row])


def test_the_text_of_the_page(spark: Any, ingested: Path) -> None:
    """What docs/dataset.md states for Spark."""
    page = (ROOT / "docs" / "dataset.md").read_text(encoding="utf-8")
    text = doc_engines.texts(page)["The same rows in five engines"]["Spark"].replace(".show()", ".collect()")
    with mqstat.open_dataset(ingested) as data:
        day: dt.date = data.sql("SELECT max(date) AS d FROM decoded.qpst")["d"][0].as_py()
        query = f"SELECT qmgr, max(buffers) FROM decoded.qpst WHERE date = DATE '{day}' GROUP BY qmgr"
        expected = [tuple(row.values()) for row in data.sql(query).to_pylist()]
    rows = doc_engines.result_of(doc_engines.placed(text, str(ingested), day), {"spark": spark})
    assert sorted(map(tuple, rows)) == sorted(expected) != []
