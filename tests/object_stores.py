"""Object stores for tests: objects in a local folder, and S3 on a local server."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mqstat.base.object_store import StoredFile
from mqstat.dataset.place import ObjectPlace
from mqstat.dataset.store import open_dataset
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from tests.support import Tables, plain


def hour(number: int) -> bytes:
    """The records of one hour of one queue manager; hour 24 is the first of the second day."""
    owner = QueueManager("MQ01", "SYSA")
    begin = dt.datetime(2026, 3, 28) + dt.timedelta(hours=number)
    return smf_file(owner.interval(begin, 3600, kinds=(1, 215)))


def tables_of(home: Path | ObjectPlace) -> Tables:
    """The rows of a dataset, in the order of the record ids."""
    out = {}
    for name, files in open_dataset(home).files.items():
        parts = []
        for file in files:
            with pq.ParquetFile(file.open_ranges() if isinstance(file, StoredFile) else file) as opened:
                parts.append(plain(opened.read()))
        rows = pa.concat_tables(parts).combine_chunks()
        keys = [(each, "ascending") for each in rows.column_names[:4]]
        out[name] = rows.sort_by(keys)
    return out


@contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """A server of S3 on this machine with the bucket `test`; the variables of the environment with which mqstat uses
    it.
    """
    code = (
        "import time; from moto.server import ThreadedMotoServer; s = ThreadedMotoServer('127.0.0.1', 0, verbose=False); s.start(); "
        "print(s.get_host_and_port()[1], flush=True); time.sleep(3600)"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        if server.stdout is None:
            raise RuntimeError("the server has no output")
        address = f"http://127.0.0.1:{int(server.stdout.readline())}"
        for _ in range(100):
            try:
                urllib.request.urlopen(urllib.request.Request(f"{address}/test", method="PUT")).close()  # noqa: S310 - our own server
                break
            except OSError:
                time.sleep(0.1)
        yield os.environ | {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": address,
        }
    finally:
        server.kill()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()
