"""The figures that are promised, each measured several times and compared with its aim: `python -m bench --only shown`.

Rates of writing are compared with the C program mq-smf-csv on the same file in the same run. It is not part of the
repository: the environment variable MQ_SMF_CSV has its command with {dump} and {folder} in it. Without it the aim is
the rate below.
"""

from __future__ import annotations

import os
import shlex
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench import estate
from bench.measure import Run, run
from bench.stretched import stretch

MQSTAT = [sys.executable, "-m", "mqstat"]
TIMES_C, C_RATE = 8, 32.5
"""How many times the rate of the C program a dump is written at, and its rate (MB/s) where it was last measured."""
MEMORY_MIB = 1024.0
REAL = "MQ10_MQ1O.dat"


@dataclass(frozen=True)
class Aim:
    """What a figure must reach: a rate (MB/s) or a number of seconds, and the memory of all processes."""

    rate: float | None = None
    seconds: float | None = None
    memory_mib: float = MEMORY_MIB


def measured(what: str, size: int, aim: Aim | None, times: int, once: Callable[[], Run]) -> float:
    """Run something several times and print a line; returns the median rate in MB/s."""
    runs = [once() for _ in range(times)]
    seconds = statistics.median(each.seconds for each in runs)
    rate, peak = size / 1e6 / seconds, max(each.peak_mib for each in runs)
    text = f"  {what:40}{size / 1e6:>7.0f} MB  " + "".join(f"{each.seconds:>7.2f}" for each in runs) + " s"
    text += f"{statistics.median(each.cpu_seconds for each in runs):>8.2f} s cpu{rate:>7.0f} MB/s{peak:>6.0f} MiB"
    if aim is not None:
        missed = (aim.rate is not None and rate < aim.rate) or (aim.seconds is not None and seconds > aim.seconds)
        wanted = f"{aim.rate:.0f} MB/s" if aim.rate is not None else f"{aim.seconds} s"
        text += f"  aim {wanted}{' MISSED' if missed else ''}{' MEMORY' if peak > aim.memory_mib else ''}"
    print(text, flush=True)
    return rate


def written(dump: Path, folder: Path, what: str, times: int) -> None:
    """Dump to dataset, after the C program on the same file."""
    size, target = dump.stat().st_size, folder / "written"

    def once(command: Sequence[str]) -> Run:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        _warm(dump)
        done = run(list(command))
        shutil.rmtree(target)
        return done

    rate = C_RATE
    if template := os.environ.get("MQ_SMF_CSV"):
        tool = [word.format(dump=dump, folder=target) for word in shlex.split(template)]
        rate = measured(f"{what} -> CSV of the C program", size, None, times, lambda: once(tool))
    command = [*MQSTAT, "ingest", str(dump), "--into", str(target / "dataset")]
    measured(f"{what} -> Parquet", size, Aim(rate=TIMES_C * rate), times, lambda: once(command))


def reported(dump: Path, what: str, aim: Aim, times: int, command: str = "report") -> None:
    """Dump to the terminal report, without a dataset."""
    _warm(dump)
    size = dump.stat().st_size
    measured(f"{what} -> {command}", size, aim, times, lambda: run([*MQSTAT, command, str(dump)]))


def _warm(dump: Path) -> None:
    """Read the dump once, so that the disk is not what is measured."""
    with dump.open("rb") as stream:
        while stream.read(1 << 24):
            pass


def table(folder: Path, statistics_dump: Path, class3: Path, times: int, *, writing_only: bool) -> None:
    """Measure and print everything, or only dump to dataset."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling all modules at each start is not what a user sees
    subprocess.run([*MQSTAT, "--version"], check=True, stdout=subprocess.DEVNULL)
    dumps = [("statistics of a day", statistics_dump, 300.0), ("class 3 accounting", class3, 500.0)]
    real = Path(os.environ["MQSTAT_DUMPS"]) / REAL if "MQSTAT_DUMPS" in os.environ else None
    if real is not None and real.exists():
        stretched = folder / "stretched.smf"
        if not stretched.exists():
            print("building stretched.smf ...", flush=True)
            stretch(real, stretched)
        dumps.append(("real records over a day, 25 systems", stretched, 200.0))
    else:
        print("  real records: left out, MQSTAT_DUMPS is not set")
        real = None
    if "MQ_SMF_CSV" not in os.environ:
        print(f"  the C program: left out, MQ_SMF_CSV is not set; aims from {C_RATE} MB/s")
    for what, dump, _ in dumps:
        written(dump, folder, what, times)
    if writing_only:
        return
    for what, dump, rate in dumps:
        reported(dump, what, Aim(rate=rate), times)
    if real is not None:
        reported(real, "real records, 1 MB", Aim(seconds=1.5), times, "check")
        reported(real, "real records, 1 MB", Aim(seconds=2.0), times)
    month = estate.dataset(folder)
    size = sum(file.stat().st_size for file in month.rglob("*.parquet"))
    for command, seconds in (("check", 6.0), ("report", 10.0)):
        once = partial(run, [*MQSTAT, command, "--from", str(month)])
        measured(f"month of ten queue managers -> {command}", size, Aim(seconds=seconds), times, once)
