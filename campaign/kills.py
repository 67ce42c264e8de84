"""Ingests, merges and prunes that are killed at random moments, or on a file system that is too small;
`campaign/test_kills.py` runs them.

After each kill the dataset must have the rows that it had, or those of the whole command, `verify` must be clean and no
process of the command alive; then the command, uninterrupted, must give the rows that it gives without earlier kills.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa

from mqstat.dataset.verification import verify
from tests.object_stores import tables_of
from tests.support import Tables, difference, file_of, small_dump

START = 0.7
"""Seconds that a process takes to start."""

KINDS = ("ingest", "compact", "prune")


def command(dump: Path, folder: Path, jobs: int, kind: str = "ingest") -> list[str]:
    words = {
        "ingest": ["ingest", str(dump), "--into", str(folder), "--jobs", str(jobs)],
        "compact": ["compact", str(folder)],
        "prune": ["prune", str(folder), "--before", "2026-03-29"],
    }[kind]
    return [sys.executable, "-m", "mqstat", *words]


def run(words: list[str]) -> float:
    """Run a command to its end; the seconds it took."""
    began = time.monotonic()
    subprocess.run(words, check=True, capture_output=True)
    return time.monotonic() - began


def family(group: int) -> list[int]:
    """Processes that are alive in a process group, as Linux shows them."""
    alive = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, pgrp = entry.joinpath("stat").read_text().rpartition(")")[2].split()[:3]
            except (OSError, ValueError):
                continue
            if int(pgrp) == group and state != "Z":
                alive.append(int(entry.name))
    return alive


def state(folder: Path) -> Tables:
    """The rows that readers see."""
    return renumbered(tables_of(folder))


def campaign(kind: str, dump: Path, work: Path, count: int, rng: random.Random, jobs: int) -> list[str]:
    """Kill a command `count` times, on a dataset that holds a small source, for merges and prunes also that of the
    dump; returns what was wrong.
    """
    work.mkdir(parents=True)
    base, whole, folder = work / "base", work / "whole", work / "set"
    run(command(file_of(small_dump(), work, "first.smf"), base, 1))
    if kind != "ingest":
        run(command(dump, base, 1))
    words = command(dump, folder, jobs, kind)
    shutil.copytree(base, folder)
    lasts = run(words)
    shutil.move(folder, whole)
    allowed = [state(base), state(whole)]
    kills, faults = 0, list[str]()
    while kills < count:
        shutil.copytree(base, folder)
        if is_killed(words, rng.uniform(START / 2, lasts * 1.05), faults):
            kills += 1
            found = state(folder)
            faults += [f"kill {kills}: {text}" for text in verify(folder).problems]
            if all(difference(found, each) for each in allowed):
                faults.append(f"kill {kills}: {difference(found, allowed[0])[:3]}")
            run(words)
            found = state(folder)
            faults += [
                f"after kill {kills}: {text}" for text in (*verify(folder).problems, *difference(found, allowed[1]))
            ]
        shutil.rmtree(folder)
    return faults


def is_killed(words: list[str], seconds: float, faults: list[str]) -> bool:
    """Run a command and kill it after some seconds; whether it was still running. None of its processes may survive
    it.
    """
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        for _ in range(100):
            if not family(process.pid):
                return True
            time.sleep(0.1)
        faults.append(f"workers survive: {family(process.pid)}")
        os.killpg(process.pid, signal.SIGKILL)
        return True
    return False


def renumbered(tables: Tables) -> Tables:
    """The tables with sources numbered from 1 without gaps: a killed run has used numbers."""
    known = sorted(set(tables["source"]["source_id"].to_pylist()))
    own = {number: index for index, number in enumerate(known, 1)}

    def record(value: int | None) -> int | None:
        return None if value is None else (own[(value >> 32) + 1] - 1 << 32) + (value & 0xFFFFFFFF)

    out = {}
    for name, rows in tables.items():
        for index, column in enumerate(rows.column_names):
            if column == "source_id" or column.endswith("record_id"):
                change = own.get if column == "source_id" else record
                values = pa.array([change(value) for value in rows[column].to_pylist()], rows.schema.field(index).type)
                rows = rows.set_column(index, rows.schema.field(index), values)  # noqa: PLW2901
        out[name] = rows
    return out
