"""Runs a command and measures it: wall and processor seconds, and the peak of the memory of all its processes
together.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """One finished command."""

    seconds: float
    cpu_seconds: float
    peak_mib: float
    return_code: int

    def line(self, what: str, size: int) -> str:
        """One line of the table of results."""
        rate = size / 1e6 / self.seconds
        return f"{what:44}{size / 1e6:>8.0f} MB{self.seconds:>8.2f} s{self.cpu_seconds:>8.2f} s cpu{rate:>8.0f} MB/s{self.peak_mib:>7.0f} MiB"


def machine() -> str:
    """The machine, as far as the system reports it."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {cores} processors, {platform.system()} {platform.release()}, Python {platform.python_version()}"


def _processes(root: int) -> list[int]:
    """A process and all its descendants."""
    processes, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        processes.append(pid)
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                waiting += [int(child) for child in task.read_text().split()]
            except OSError:
                continue
    return processes


def proportional_set_size(root: int) -> int:
    """Bytes of memory of a process and its descendants, shared pages counted once (Linux; 0 elsewhere)."""
    total = 0
    for pid in _processes(root):
        try:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        except (OSError, ValueError):
            continue
    return total


def run(command: list[str]) -> Run:
    """Run a command to its end, watching its memory ten times a second."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = 0
    while process.poll() is None:
        peak = max(peak, proportional_set_size(process.pid))
        time.sleep(0.1)
    seconds = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    errors = process.stderr.read().decode(errors="replace") if process.stderr else ""
    if process.stderr:
        process.stderr.close()
    if process.returncode not in (0, 4, 8):
        sys.exit(f"{' '.join(command)} ended with {process.returncode}: {errors.strip()[-500:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(seconds, cpu, peak / (1 << 20), process.returncode)
