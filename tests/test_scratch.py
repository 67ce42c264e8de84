"""Temporary folders are removed with their process, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mqstat.base.scratch import LOCK, temporary_folder
from tests.support import ROOT
from tests.test_archive import dump


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_removes_the_temporary_dataset(tmp_path: Path, number: int) -> None:
    (tmp_path / "a.smf").write_bytes(dump(3000))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    started = subprocess.Popen(
        [sys.executable, "-m", "mqstat", "report", str(tmp_path / "a.smf")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ | {"TMPDIR": str(temporary)},
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 - no threads here; nohup ignores it
    )  # fmt: skip
    end = time.monotonic() + 60
    while not list(temporary.iterdir()) and started.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.3)
    started.send_signal(number)
    _, errors = started.communicate(timeout=60)
    assert started.returncode == 16, errors
    assert f"mqstat: stopped by {signal.Signals(number).name}" in errors
    assert "Traceback" not in errors
    assert "unexpected" not in errors
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code = "import os, signal, sys; from mqstat.base.scratch import temporary_folder\n"
    code += "with temporary_folder() as folder: (folder / 'x').write_text('x'); os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"TMPDIR": str(tmp_path)}, cwd=ROOT, check=False)
    assert len(list(tmp_path.glob("mqstat-*"))) == 1
    others = [tmp_path / name for name in (f"mqstat-{os.getpid()}-live", "mqstat-notes-1")]
    for folder in (*others, tmp_path / "mqstat-4000001-without-a-lock"):
        folder.mkdir()
    with temporary_folder() as folder:
        assert sorted(tmp_path.iterdir()) == sorted([folder, *others])
        assert (folder / LOCK).exists()
    assert sorted(tmp_path.iterdir()) == sorted(others)


def test_the_end_does_not_wait_for_what_no_worker_takes() -> None:
    """A queue of portions is full when its worker is killed."""
    code = (
        "import multiprocessing, sys\n"
        "from mqstat.intake.shared_memory import Shared\n"
        "shared = Shared(multiprocessing.get_context(), 1)\n"
        "shared.inboxes[0].put(bytes(1 << 20))\n"
        "shared.abandon() if sys.argv[1:] else None\n"
    )
    assert subprocess.run([sys.executable, "-c", code, "abandon"], cwd=ROOT, timeout=60, check=True).returncode == 0
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=3, check=True)
