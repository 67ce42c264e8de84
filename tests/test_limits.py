"""Limits of memory and time: one sentence, whatever library fails first."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mqstat.cli import limited, run
from tests.support import file_of, small_dump

resource = pytest.importorskip("resource")


@pytest.mark.slow
@pytest.mark.parametrize("mib", [600, 900, 1250, 1450, 1750, 2400])
def test_a_limit_of_the_address_space_ends_in_one_sentence(mib: int, tmp_path: Path) -> None:
    dump = file_of(small_dump(), tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "mqstat", "report", str(dump)],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20)),
    )
    assert "unexpected error" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 4, 8, 16)
    assert done.returncode != 16 or "out of memory" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "is_ended"), [(1, True), (1 << 60, False)])
def test_a_process_that_waits_near_its_limit_is_ended(
    limit: int, is_ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "address_space", lambda: limit)
    monkeypatch.setattr(limited, "STUCK_SECONDS", 1)
    stuck = threading.Event()
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(6)"]) as waiting:
        limited._end_stuck(waiting.pid, stuck)
    assert stuck.is_set() == is_ended
    assert waiting.returncode == (-signal.SIGKILL if is_ended else 0)


def test_a_query_ends_after_its_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = file_of(small_dump(), tmp_path)
    assert run(["sql", "SELECT count(*) FROM range(100000000000)", str(dump), "--timeout", "0.5"]) == 16
    assert "did not end within 0.5 seconds" in capsys.readouterr().err
    assert run(["sql", "SELECT count(*) FROM record", str(dump), "--timeout", "60"]) == 0
