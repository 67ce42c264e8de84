"""The progress bar of a long command: what it counts, how wide it is, where it is not drawn, and how it ends."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from mqstat.base.selection import Selection
from mqstat.intake import pipeline
from mqstat.intake.part import Job, PartRunner
from mqstat.intake.workers import Workers
from mqstat.parsers.record import Records
from tests.support import ROOT, built_dump, file_of, source_of

WIDTH = 60
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
    return kept | {"TERM": "xterm-256color"} | more


# A command whose input never ends: it waits after the first chunk until a signal arrives, however slow the machine is.
ENDLESS = """
import time
from mqstat.cli import main
import signal
from mqstat.intake.part import PartRunner
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with the signal ignored
take = PartRunner.take
def wait_after(*arguments):
    take(*arguments)
    time.sleep(600)
PartRunner.take = wait_after
main()
"""


def on_a_terminal(words: list[str], *, interrupt: bool = False, **more: str) -> tuple[int, str, bytes]:
    """Run mqstat with standard error on a terminal that is WIDTH columns wide: return code, what the terminal got, and
    standard output.

    With `interrupt` the command decodes one chunk at most, and is interrupted as soon as the bar is drawn.
    """
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    command = [sys.executable, *(("-c", ENDLESS) if interrupt else ("-m", "mqstat")), *words]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=terminal, stdin=subprocess.DEVNULL, cwd=ROOT, env=environment(**more)
    )
    os.close(terminal)
    shown, deadline = b"", time.monotonic() + 120
    while time.monotonic() < deadline:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            data = os.read(master, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        shown += data
        if interrupt and b"dump.smf" in shown:
            process.send_signal(signal.SIGINT)
            interrupt = False
    try:
        out = process.communicate(timeout=60)[0]
    finally:
        process.kill()
        process.wait()
        os.close(master)
    return process.returncode, shown.decode(), out


def lines(shown: str) -> list[str]:
    """Every line that was on the terminal at some time, without escape sequences."""
    return [line for line in re.split(r"[\r\n]+", ESCAPES.sub("", shown)) if line.strip()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(built_dump() * 40, tmp_path_factory.mktemp("bar"))


@pytest.mark.slow
def test_a_terminal_shows_a_bar_that_fits_its_width(built: Path, tmp_path: Path) -> None:
    code, shown, out = on_a_terminal(["ingest", str(built), "--into", str(tmp_path / "set")])
    assert code == 0, shown
    assert b"added as source 1" in out
    assert b"\x1b" not in out
    drawn = lines(shown)
    assert any(line.startswith("dump.smf") for line in drawn)
    assert any(line.startswith("publishing dump.smf") for line in drawn)
    assert max(map(len, drawn)) <= WIDTH
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") > 0, "the cursor is shown again"
    assert not lines(shown[shown.rindex("\x1b[?25h") :]), "nothing of the bar stays"


@pytest.mark.slow
def test_a_terminal_shows_every_phase_of_a_report(tmp_path: Path) -> None:
    code, shown, out = on_a_terminal(
        ["report", str(file_of(built_dump(), tmp_path)), "--write", str(tmp_path / "p.html")]
    )
    assert code in (0, 4, 8), shown
    drawn = lines(shown)
    assert any(re.fullmatch(r"judging: (\d+) of \d+ rules", line) for line in drawn)
    assert "writing p.html" in drawn
    assert max(map(len, drawn)) <= WIDTH
    assert b"judging" not in out
    assert shown.endswith("\r\x1b[2K"), "nothing of the line stays"


@pytest.mark.slow
def test_no_bar_without_escape_sequences(built: Path, tmp_path: Path) -> None:
    code, shown, _ = on_a_terminal(["ingest", str(built), "--into", str(tmp_path / "set")], NO_COLOR="1")
    assert (code, shown) == (0, "")


@pytest.mark.slow
def test_no_bar_on_a_pipe(built: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mqstat", "ingest", str(built), "--into", str(tmp_path / "set")]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, env=environment(), check=True)
    assert done.stderr == b""


@pytest.mark.slow
def test_an_interrupt_ends_the_bar_and_leaves_the_dataset_clean(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    code, shown, _ = on_a_terminal(["ingest", str(built), "--into", str(folder)], interrupt=True)
    assert code == 16, shown
    assert "mqstat: stopped by SIGINT" in " ".join(lines(shown))
    assert "Traceback" not in shown
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") > 0
    last = lines(shown[shown.rindex("\x1b[?25h") :])
    assert len(last) <= 1, "at most the sentence about the interrupt"
    assert not list(folder.glob("record/*.parquet"))
    assert not (folder / "_staging").exists()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_the_bar_counts_decoded_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    """Never more than is decoded, and everything at the end: reading is a small part of the work."""
    built = file_of(built_dump() * 8, tmp_path)
    monkeypatch.setattr(pipeline, "CHUNK", 1 << 18)
    monkeypatch.setattr(pipeline, "PARALLEL_FROM", 1)
    decoded, shown = [0], []
    take = PartRunner.take

    def taken(runner: PartRunner, r: Records, *rest: object) -> None:
        take(runner, r, *rest)  # type: ignore[arg-type]
        decoded[0] += r.chunk.walked

    monkeypatch.setattr(PartRunner, "take", taken)

    def step(done: int, total: int | None) -> None:
        shown.append(done)
        assert total == built.stat().st_size
        if workers == 1:
            assert done <= decoded[0]

    with Workers(workers) as crew:
        pipeline.read_source(source_of(built), Job(1, 0, Selection(), None, tmp_path), workers=crew, progress=step)
    assert shown == sorted(shown)
    assert shown[-1] == built.stat().st_size
    assert workers > 1 or len(set(shown)) > 3
