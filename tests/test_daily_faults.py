"""Daily runs that are killed, run out of space, or run at the same time."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqstat.daily import days, index
from mqstat.daily import run as running
from mqstat.daily import state as states
from mqstat.daily.config import load_config
from mqstat.dataset.store import LOCK as DATASET_LOCK
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from tests.installation import DAY, NEXT, Installation, dump, installed_fixture, real_fixture, report_of, whole_dump  # noqa: F401 - fixtures
from tests.support import call

pytestmark = pytest.mark.slow

# ----------------------------------------------------------------------------------- two runs, killed, and out of space


def test_two_runs_at_the_same_time(installed: Installation) -> None:
    installed.configure(top="wait_seconds = 60")
    installed.arrive("a.smf", dump(bad=True))
    installed.arrive("b.smf", dump(DAY, "MQ02"))
    arguments = [sys.executable, "-m", "mqstat", "daily", str(installed.config), "--today", str(NEXT)]
    both = [subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    output = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [8, 8], output
    assert sorted("0 new, 2 known" in out for out, _ in output) == [False, True], (
        "one works, the other finds all of it done"
    )
    assert len(open_dataset(installed.dataset).manifest.sources) == 2
    installed.check()


def test_a_run_that_does_not_end_is_reported(installed: Installation) -> None:
    from filelock import FileLock

    installed.reports.mkdir()
    installed.arrive("a.smf", dump())
    with FileLock(installed.reports / running.LOCK):
        done = call("daily", installed.config, "--today", str(NEXT))
    assert done.returncode == 16
    assert b"another mqstat daily is running here and did not end within 0 seconds; nothing was done." in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert not installed.dataset.exists()


def test_another_writer_of_the_dataset_is_reported(installed: Installation) -> None:
    from filelock import FileLock

    installed.arrive("a.smf", dump())
    installed.run()
    installed.arrive("b.smf", dump(NEXT))
    with FileLock(installed.dataset / DATASET_LOCK):
        done = call("daily", installed.config, "--today", str(NEXT))
    assert done.returncode == 16
    assert b"another mqstat is writing" in done.stderr
    assert "mqstat daily failed (return code 16)" in (installed.reports / "mail.txt").read_text()
    assert installed.run(NEXT)[0] == 0


@pytest.mark.parametrize("point", ["ingest", "report", "state", "index"])
def test_the_next_run_completes_a_killed_one(
    installed: Installation, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mqstat.intake.publication

    calm = Installation(installed.root / "calm", installed.capsys)
    (calm.root / "inbox").mkdir(parents=True)
    calm.configure()
    for each in (calm, installed):
        each.arrive("a.smf", dump(bad=True))
        each.arrive("b.smf", dump(NEXT))
    assert calm.run(NEXT)[0] == 8
    installed.configure()

    def die(*_: object, **__: object) -> None:
        raise RuntimeError

    where = {
        "ingest": (mqstat.intake.publication, "_line"),  # after the first source was published
        "report": (days, "make"),
        "state": (states, "save"),
        "index": (index, "render_index"),
    }[point]
    with monkeypatch.context() as patch:
        patch.setattr(*where, die)
        assert installed.run(NEXT)[0] == 16
    if point != "state":  # what is known of files is saved before the first one is read
        assert verify(installed.dataset).problems == []
    assert not (installed.reports / "mail.txt").exists(), "no mail of a night that did not end"
    if point == "ingest":  # the files that it read come last, and are in the reports of the run after that
        assert installed.run(NEXT)[0] == 12
    assert installed.run(NEXT)[0] == 8
    installed.check()
    same = {name: content for name, content in installed.files().items() if name not in (states.NAME, "mail.txt")}
    assert same == {name: content for name, content in calm.files().items() if name not in (states.NAME, "mail.txt")}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB; the test is skipped with a reason if it cannot be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not shutil.which("mount"):
        pytest.skip("a small file system cannot be mounted: there is no command mount")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def fill(folder: Path, leave: int) -> Path:
    """Fill a file system up to some bytes."""
    path = folder / "ballast"
    path.write_bytes(b"")
    status = os.statvfs(folder)
    path.write_bytes(b"x" * max(0, status.f_bavail * status.f_frsize - leave))
    return path


@pytest.mark.parametrize(
    ("where", "leave"), [("dataset", 0), ("dataset", 20_000), ("dataset", 300_000), ("reports", 0), ("reports", 20_000)]
)
def test_a_full_disk(installed: Installation, small_disk: Path, where: str, leave: int) -> None:
    """One sentence, return code 16, a sound dataset; when there is space again, the next run completes the work."""
    formats = 'formats = ["html", "text"]\nbaseline_days = 0'
    folder = f'folder = "{small_disk / where}"\n'
    installed.configure(
        **({"dataset": folder, "reports": formats} if where == "dataset" else {"reports": folder + formats})
    )
    config = load_config(installed.config)
    installed.arrive("a.smf", whole_dump(hours=1))
    assert installed.run()[0] == 0
    before = [source.sha256 for source in open_dataset(config.dataset.folder).manifest.sources]
    ballast = fill(small_disk, leave)
    more = b"" if where == "reports" else whole_dump(NEXT, "MQ02", hours=6) + whole_dump(NEXT, "MQ03", hours=6)
    installed.arrive("b.smf", whole_dump(NEXT, bad=True) + more)
    today = NEXT + dt.timedelta(days=1)
    if leave:
        code, output = installed.run(today)
        output = output[output.find("mqstat: ") :]
    else:  # with real reports, and as a process: what it prints is all there is
        done = call("daily", installed.config, "--today", str(today))
        code, output = done.returncode, done.stderr.decode()
    if leave < 300_000:
        assert code == 16, output
    if code == 16:
        assert output.startswith("mqstat: ")
        assert output.count("\n") == 1
        assert "space" in output
        assert f"mqstat: {small_disk / where}" in output
        assert "unexpected" not in output
    assert verify(config.dataset.folder).problems == []
    assert [source.sha256 for source in open_dataset(config.dataset.folder).manifest.sources][:1] == before
    ballast.unlink()
    code, output = installed.run(today)
    assert code == 8, output
    assert verify(config.dataset.folder).problems == []
    assert (config.reports.folder / report_of(NEXT)).is_file()
    assert not list(config.reports.folder.glob(".*.part"))
