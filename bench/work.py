"""Reports, findings and the health report over class 3 accounting of a million tasks and statistics of 100,000 queues:
seconds and memory of each command.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bench.measure import Run, run

MQSTAT = [sys.executable, "-m", "mqstat"]
AREAS = ("task", "queue", "queue_statistics", "application", "channel")
DUMPS = {
    "queues.smf": ("statistics", "300M", "--queue-managers", "4", "--interval", "900"),
    "tasks.smf": ("transactions", "8730M"),
}
"""The kind, size and options of each dump: 100,000 queues in 5 intervals, a million tasks in three days."""
REPORT_S, MEMORY_MIB = 3.0, 1024.0


def dataset(folder: Path) -> Path:
    """The dataset, built and ingested when it is not there yet; each dump, up to 8.7 GB, is removed afterwards."""
    target = folder / "work"
    if not (target / "publish").exists():
        shutil.rmtree(target, ignore_errors=True)
        for name, (kind, size, *options) in DUMPS.items():
            dump = folder / name
            print(f"building {name} and ingesting it ...", flush=True)
            made = [sys.executable, "-m", "mqstat.fixtures", "bulk", kind, str(dump), "--bytes", size, *options]
            subprocess.run([*made, "--queues", "100000"], check=True, stdout=subprocess.DEVNULL)
            ingested = run([*MQSTAT, "ingest", str(dump), "--into", str(target)])
            print(ingested.line(f"{name} -> dataset", dump.stat().st_size), flush=True)
            dump.unlink()
    return target


def line(what: str, measured: Run) -> str:
    """One line of the table."""
    over = "".join(
        f" OVER {name}"
        for name, is_over in (("time", measured.seconds > REPORT_S), ("memory", measured.peak_mib > MEMORY_MIB))
        if is_over
    )
    return f"  {what:44}{measured.seconds:>8.2f} s{measured.cpu_seconds:>8.2f} s cpu{measured.peak_mib:>7.0f} MiB{over}"


def table(folder: Path) -> None:
    """Measure and print."""
    from mqstat.sql import sqlfile

    source = ["--from", str(dataset(folder))]
    print("\na million tasks and 100,000 queues, from their dataset: each command by itself")
    for name in sqlfile.reports():
        if name.partition("/")[0] in AREAS:
            print(line(name, run([*MQSTAT, "report", *source, "--report", name])), flush=True)
    page = folder / "work.html"
    for command in (["check", *source], ["report", *source], ["report", *source, "--write", str(page)]):
        what = "report with a page" if "--write" in command else command[0]
        print(line(what, run([*MQSTAT, *command])), flush=True)
    page.unlink(missing_ok=True)
