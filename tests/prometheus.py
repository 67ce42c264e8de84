"""A Prometheus of its own for tests, with imported days."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

needs_prometheus = pytest.mark.skipif(shutil.which("promtool") is None or shutil.which("prometheus") is None, reason="Prometheus is not installed; Debian has it as prometheus")  # fmt: skip


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def serving(days: Iterable[Path], folder: Path) -> Iterator[int]:
    """The port of a server with the values of these files, each imported by promtool."""
    for path in days:
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", path, folder / "tsdb"], check=True, capture_output=True)  # fmt: skip
    (folder / "prometheus.yml").write_text("global: {}\n")
    port = free_port()
    server = subprocess.Popen(
        [
            "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb", "--storage.tsdb.retention.time=100y",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready", timeout=5).close()
                break
            except OSError:
                time.sleep(0.2)
        yield port
    finally:
        server.terminate()
        server.wait(20)


def asked(port: int, path: str, **parameters: object) -> Any:
    """The data of an answer of the server."""
    url = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=60) as response:
        return json.load(response)["data"]
