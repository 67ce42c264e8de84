"""A year of 48 publishes a day of small tables, merged each night and pruned to 30 days: processor time and files.

`python -m campaign.dataset.year MINUTES` simulates as many days as fit. The clock of the dataset runs half an hour with
each publish, and the files of what left are as old as they would be.
"""

from __future__ import annotations

import datetime as dt
import io
import statistics
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from mqstat.cli import run
from mqstat.dataset import lake, steps
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures import accounting
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager

START, STEP = dt.datetime(2026, 1, 1), dt.timedelta(minutes=30)


def dump(number: int) -> bytes:
    """A dump of half an hour with the rows of few tables."""
    return smf_file(
        [accounting.channels(QueueManager("MQ01", gmt_offset_minutes=0), START + number * STEP, 1800, ("A.TO.B",))]
    )


def timed(words: list[str]) -> float:
    """The processor seconds of a command."""
    began = time.process_time()
    with redirect_stdout(io.StringIO()):
        code = run(words)
    if code:
        raise RuntimeError(f"{words} returned {code}")
    return time.process_time() - began


def simulate(root: Path, minutes: float) -> None:
    """Print a line for each day: processor seconds of its publishes (median), of its merge and of opening, files and
    megabytes.
    """
    now, patch = START, pytest.MonkeyPatch()
    patch.setattr(steps, "_now", lambda: now)
    patch.setattr(lake, "CONFIGURATION", {**lake.CONFIGURATION, "delta.logRetentionDuration": "interval 0 days"})
    not_live = lake.not_live
    patch.setattr(lake, "not_live", lambda where, _, **named: not_live(where, 0, **named))
    until, dataset, number = time.monotonic() + 60 * minutes, str(root / "set"), 0
    while time.monotonic() < until:
        seconds = []
        for _ in range(48):
            path = root / f"{number}.smf"
            path.write_bytes(dump(number))
            seconds.append(timed(["ingest", str(path), "--into", dataset]))
            path.unlink()
            number, now = number + 1, now + STEP
        merged = timed(["compact", dataset]) + timed(["prune", dataset, "--keep", "30"])
        began = time.process_time()
        manifest = open_dataset(root / "set").manifest
        opening = time.process_time() - began
        sizes = {path: path.stat().st_size for path in (root / "set").rglob("*") if path.is_file()}
        logs = [size for path, size in sizes.items() if "_delta_log" in path.parts]
        of_logs = f"{len(logs)} of logs, {sum(logs) / 1e6:.1f} MB"
        print(
            f"day {number // 48}: {number} publishes, {statistics.median(seconds):.2f} s each, merge {merged:.1f} s, opening {opening:.3f} s, "
            f"{len(manifest.sources)} inputs, {len(sizes)} files, {sum(sizes.values()) / 1e6:.1f} MB, of them {of_logs}",
            flush=True,
        )
    patch.undo()
    print(f"verify: {verify(root / 'set').problems or 'clean'}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        simulate(Path(folder), float(sys.argv[1]))
