"""`mqstat.spark` with two worker machines of a standalone cluster of Spark, which share no memory with the driver: the same rows and findings as one process."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from campaign.spark.same import assert_same, several
from mqstat.cli import run
from tests.support import built_dump, file_of, small_dump

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed; pip install 'mqstat[spark]'")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore:distutils"
    ),
]

SECONDS = 90
"""How long a process of the cluster may take to start."""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def started(folder: Path, name: str, ready: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the cluster, once its log has a text; it ends with the `with`."""
    log = folder / f"{name}.log"
    environment = {
        **os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1", "PYSPARK_PYTHON": sys.executable, "SPARK_WORKER_DIR": str(folder / name),
    }  # fmt: skip
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), *arguments]
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, env=environment, cwd=folder)
    try:
        until = time.monotonic() + SECONDS
        while ready not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > until:
                pytest.fail(f"{name} did not start: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.2)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session with a master and two workers with one core each, each of them a process of its own."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    from pyspark.sql import SparkSession

    folder, port = tmp_path_factory.mktemp("cluster"), free_port()
    deploy, master = "org.apache.spark.deploy", f"spark://127.0.0.1:{port}"
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        arguments = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
        stack.enter_context(started(folder, "master", "New state: ALIVE", f"{deploy}.master.Master", *arguments))
        for number in (1, 2):
            options = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0", master]
            stack.enter_context(
                started(folder, f"worker{number}", "Successfully registered", f"{deploy}.worker.Worker", *options)
            )
        for name, value in {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}.items():
            patch.setenv(name, value)
        builder = SparkSession.builder.master(master)
        for key, text in {
            "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.executor.memory": "512m", "spark.executor.cores": "1",
            "spark.driver.host": "127.0.0.1", "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        }.items():  # fmt: skip
            builder = builder.config(key, text)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def processes(spark: Any) -> set[str]:
    """The working folders of the executors, one for each worker."""

    def folders(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for _ in batches:
            time.sleep(0.3)  # long enough that one worker does not take all tasks
            yield pa.record_batch({"folder": pa.array([str(Path.cwd())])})

    return {row[0] for row in spark.range(0, 8, 1, 8).mapInArrow(folders, "folder string").collect()}


def test_two_workers(spark: Any, tmp_path: Path) -> None:
    """Ingest, check and read in two workers."""
    import mqstat.spark

    assert len(processes(spark)) == 2
    folder = tmp_path / "dumps"
    folder.mkdir()
    file_of(several(tmp_path), folder, "a.smf")
    for name, data in (("b.smf", built_dump()), ("c.smf", small_dump()), ("d.smf", small_dump() * 2)):
        file_of(data, folder, name)
    one, two = tmp_path / "one", tmp_path / "two"
    assert run(["ingest", str(folder), "--into", str(one), "--jobs", "1"]) == 0
    done = mqstat.spark.ingest(spark, folder, two)
    assert done.return_code() == 0
    assert_same(one, two)
    with mqstat.open_dataset(one) as opened:
        expected = findings(opened.findings().to_pylist())
        pools = opened.sql("SELECT count(*) AS n FROM decoded.qpst").to_pylist()[0]["n"]
    assert findings(mqstat.spark.check(spark, two, shards=2).to_pylist()) == expected
    if int(pyspark.__version__.split(".")[0]) >= 4:
        mqstat.spark.register(spark)
        assert spark.read.format("mqstat").option("table", "qpst").load(str(two)).count() == pools
    assert spark.read.parquet(*mqstat.spark.files(two, "qpst")).count() == pools


def findings(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Findings without the numbers of records and sources; sums with ten digits, whose last bits depend on the order of rows."""
    return sorted(
        repr([f"{value:.10g}" if isinstance(value, float) else value for name, value in row.items() if not name.startswith("evidence_") and name != "figures"])
        for row in rows
    )  # fmt: skip
