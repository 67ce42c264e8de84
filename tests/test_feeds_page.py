"""docs/feeds.md: its commands run from top to bottom in an empty folder, with a server for each system that takes their
files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from google.protobuf import json_format  # type: ignore[import-untyped]
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from tests.installation import whole_dump
from tests.postgresql import asked, needs_server, server_fixture  # noqa: F401 - fixture

PAGE = Path(__file__).parent.parent / "docs" / "feeds.md"

pytestmark = pytest.mark.slow

missing = [name for name in ("curl", "promtool") if shutil.which(name) is None]


class Receiver(ThreadingHTTPServer):
    """A server that keeps what it gets, by path."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: dict[str, str] = {}


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received[self.path] = body.decode("utf-8")
        self.send_response(200)
        self.end_headers()

    do_PUT = do_POST  # noqa: N815 - as above

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiving:
        thread = threading.Thread(target=receiving.serve_forever)
        thread.start()
        yield receiving
        receiving.shutdown()
        thread.join()


@needs_server
@pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}; Debian has promtool in prometheus")
def test_feeds_works_from_top_to_bottom(tmp_path: Path, receiver: Receiver, server: str) -> None:
    program = tmp_path / "bin" / "mqstat"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m mqstat "$@"\n')
    program.chmod(0o755)
    (tmp_path / "SMF.D260521").write_bytes(whole_dump(bad=True))
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    script = "\n".join(blocks)
    script = re.sub(r"https://\w+\.example\.com:\d+", f"http://127.0.0.1:{receiver.server_port}", script)
    script = script.replace("postgresql://loader@db.example.com/monitoring", server)
    script = script.replace("/smf/", f"{tmp_path}/").replace("/var/lib/prometheus", f"{tmp_path}/prometheus")
    variables = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "KEY": "k"}
    done = subprocess.run(["sh", "-euc", script], cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    received = receiver.received
    assert json_format.Parse(received["/v1/metrics"], ExportMetricsServiceRequest()).resource_metrics
    for name in ("metrics-mqstat", "logs-mqstat"):
        assert json.loads(received[f"/_index_template/{name}"])["index_patterns"] == [f"{name}-*"]
    assert list((tmp_path / "prometheus" / "data").glob("*/meta.json"))
    assert asked(server, "SELECT count(*) > 0 FROM mqstat.buffer_pool") == [(True,)]
    assert len(list((tmp_path / "grafana" / "dashboards").glob("*.json"))) == 2
