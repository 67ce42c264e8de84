"""The page of a busy day: building it from the dataset, its size, and the time until a browser that opens it is usable.

The day has ten queue managers, intervals of five minutes, and all that goes wrong in the busy month. `table` prints;
Chromium is left out where it is not installed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from bench.measure import run

BUILD_S, SIZE_MB, USABLE_S, MEMORY_MIB = 10.0, 5.0, 2.0, 1024.0
MQSTAT = [sys.executable, "-m", "mqstat"]
TIMES = 3
"""The browser opens the page so often; the slowest counts."""


def dataset(folder: Path) -> Path:
    """The dataset of the day, built and ingested when it is not there yet."""
    target = folder / "busy-day"
    if not (target / "publish").exists():
        dump = folder / "busy-day.smf"
        print("building busy-day.smf and ingesting it ...", flush=True)
        words = ["busy-month", str(dump), "--days", "1", "--every-day"]
        subprocess.run([sys.executable, "-m", "mqstat.fixtures", *words], check=True, stdout=subprocess.DEVNULL)
        run([*MQSTAT, "ingest", str(dump), "--into", str(target)])
        dump.unlink()
    return target


def opened(file: Path) -> tuple[float, float, int]:
    """Seconds until the page is loaded, seconds until it has answered a click and is painted again, and its
    elements.
    """
    from tests.browser import started

    with started() as chromium, chromium.window() as window:
        page = window.page
        begun = time.perf_counter()
        window.open(file)
        loaded = time.perf_counter() - begun
        page.locator("summary:visible").first.click()
        page.evaluate("() => new Promise(painted => requestAnimationFrame(() => setTimeout(painted)))")
        return loaded, time.perf_counter() - begun, int(page.evaluate("document.querySelectorAll('*').length"))


def line(what: str, value: float, unit: str, aim: float, more: str = "") -> str:
    """One line of the table."""
    return f"  {what:58}{value:>7.2f} {unit:5}  aim {aim:>2.0f} {unit}{' OVER' if value > aim else ''}{more}"


def table(folder: Path) -> None:
    """Measure and print."""
    from tests.browser import find_chromium

    dataset_folder, file = dataset(folder), (folder / "busy-day.html").resolve()
    print("\npage of a busy day, from its dataset (1 day, 10 queue managers, 5 minutes: 2,880 intervals)")
    built = run([*MQSTAT, "report", "--from", str(dataset_folder), "--format", "html", "--output", str(file)])
    memory = (
        f"{built.cpu_seconds:>9.2f} s cpu{built.peak_mib:>8.0f} MiB{' OVER' if built.peak_mib > MEMORY_MIB else ''}"
    )
    print(line("page, as a command", built.seconds, "s", BUILD_S, memory), flush=True)
    print(line("size of the page", file.stat().st_size / 1e6, "MB", SIZE_MB), flush=True)
    if find_chromium() is None:
        print("  opening it: left out, chromium is not installed")
        return
    loads = [opened(file) for _ in range(TIMES)]
    print(line("loaded in Chromium", max(load[0] for load in loads), "s", USABLE_S, f"   {loads[0][2]:,} elements"))
    print(line("a fold opened and painted", max(load[1] for load in loads), "s", USABLE_S), flush=True)
