"""Ingests killed at random points, or on a file system that is too small; `campaign/test_kills.py` runs them.

After each kill the dataset must be readable as it was, `verify` clean, and no process of the killed ingest alive; in the end, and after every tenth
kill, an uninterrupted ingest must give the same rows as one without earlier kills.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from mqstat.cli import run
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from tests.support import Tables, difference, file_of, small_dump, tables_in

START = 0.7
"""Seconds that a process takes to start."""


@dataclass
class Campaign:
    """The results of a campaign."""

    kills: int = 0
    after_the_end: int = 0
    faults: list[str] = field(default_factory=list)
    phases: dict[str, int] = field(default_factory=dict)


def command(dump: Path, folder: Path, jobs: int) -> list[str]:
    return [sys.executable, "-m", "mqstat", "ingest", str(dump), "--into", str(folder), "--jobs", str(jobs)]


def ingest(dump: Path, folder: Path, jobs: int) -> None:
    """An uninterrupted ingest."""
    with contextlib.redirect_stdout(io.StringIO()):
        code = run(["ingest", str(dump), "--into", str(folder), "--jobs", str(jobs)])
    if code:
        raise RuntimeError(f"return code {code} for {dump}")


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


def phase(folder: Path) -> str:
    """How far an ingest had progressed, judged by the files that it left."""
    staged = list(folder.glob("_staging/*/*")) if folder.exists() else []
    fresh = sum(1 for path in folder.glob("*/*-s000002-*") if "_staging" not in path.parts)
    if fresh:
        return "publish"
    return "decode" if staged else "start or end"


def state(folder: Path) -> str:
    """The state that readers see: sources and files with checksums."""
    manifest = open_dataset(folder).manifest
    return json.dumps([[s.sha256 for s in manifest.sources], sorted((f.path, f.sha256) for f in manifest.files)])


def campaign(dump: Path, work: Path, count: int, rng: random.Random, jobs: int) -> Campaign:
    """Kill `count` ingests of a dump into a dataset that holds a small source already."""
    result = Campaign()
    work.mkdir(parents=True)
    small = file_of(small_dump(), work, "first.smf")
    base = work / "base"
    ingest(small, base, 1)
    whole = work / "whole"
    shutil.copytree(base, whole)
    began = time.monotonic()
    ingest(dump, whole, jobs)
    lasts = time.monotonic() - began + START
    want = tables_in(open_dataset(whole).files)
    folder = work / "set"
    shutil.copytree(base, folder)
    before = state(folder)
    while result.kills < count:
        after_kill(dump, folder, rng.uniform(0.2, 1.1) * lasts, result.kills % 3 == 2, jobs, before, result)
        published = len(open_dataset(folder).manifest.sources) == 2
        if published or result.kills % 10 == 0 or result.kills == count:
            complete(dump, folder, jobs, want, result)
            print(
                f"{result.kills} kills, {result.phases}, {len(result.faults)} faults, undisturbed {lasts:.1f} s",
                flush=True,
            )
            shutil.rmtree(folder)
            shutil.copytree(base, folder)
    return result


def wait_for_publish(process: subprocess.Popen[bytes], folder: Path, seconds: float) -> None:
    """Return while the files of the new source are being moved into place; TimeoutExpired then, as `Popen.wait` raises it."""
    while process.poll() is None:
        if any(folder.glob("wq/*-s000002-*")) or any(folder.glob("record/*-s000002-*")):
            break
    else:
        return
    process.wait(seconds / 200)


def after_kill(dump: Path, folder: Path, seconds: float, aimed: bool, jobs: int, before: str, result: Campaign) -> None:
    process = subprocess.Popen(
        command(dump, folder, jobs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        if aimed:
            wait_for_publish(process, folder, seconds)
        else:
            process.wait(seconds)
        result.after_the_end += 1
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        result.kills += 1
        for _ in range(100):
            if not family(process.pid):
                break
            time.sleep(0.1)
        else:
            result.faults.append(f"kill {result.kills}: workers survive: {family(process.pid)}")
            os.killpg(process.pid, signal.SIGKILL)
    reached = "published" if len(open_dataset(folder).manifest.sources) == 2 else phase(folder)
    result.phases[reached] = result.phases.get(reached, 0) + 1
    check = verify(folder)
    if check.problems:
        result.faults.append(f"kill {result.kills} in {reached}: {check.problems[:3]}")
    seen = open_dataset(folder)
    if len(seen.manifest.sources) == 1 and state(folder) != before:
        result.faults.append(f"kill {result.kills} in {reached}: the dataset is not as it was")
    for files in seen.files.values():
        for path in files:
            if not path.exists():
                result.faults.append(f"kill {result.kills} in {reached}: {path} is gone")


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


def complete(dump: Path, folder: Path, jobs: int, want: Tables, result: Campaign) -> None:
    ingest(dump, folder, jobs)  # adds nothing if the kill came after publishing, but cleans up
    check = verify(folder)
    if check.problems or check.remarks:
        result.faults.append(f"rerun after kill {result.kills}: {check.problems[:3]} {check.remarks}")
    different = difference(renumbered(tables_in(open_dataset(folder).files)), renumbered(want))
    if different:
        result.faults.append(f"rerun after kill {result.kills}: {different[:3]}")


def pages(folder: Path) -> int:
    """The pages of 4 KiB that the files and folders of a folder take in a file system in memory."""
    return sum(-(-path.stat().st_size // 4096) if path.is_file() else 1 for path in folder.rglob("*"))


def full(dump: Path, work: Path, jobs: int) -> list[str]:
    """Ingest into a tmpfs that has room for half of what the dump adds, then enlarge it and run again."""
    disk = work / "small"
    disk.mkdir(parents=True)
    small = file_of(small_dump(), work, "first.smf")
    sizes = []
    for each in (small, dump):
        subprocess.run(command(each, work / "measured", jobs), check=True, capture_output=True)
        sizes.append(pages(work / "measured"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={sum(sizes) // 2 * 4}k", "tmpfs", str(disk)], check=True)
    bad = []
    try:
        folder = disk / "set"
        subprocess.run(command(small, folder, 1), check=True, capture_output=True)
        before = state(folder)
        done = subprocess.run(command(dump, folder, jobs), capture_output=True, text=True)
        print(f"too small: return code {done.returncode}: {done.stderr.strip()}")
        if done.returncode != 16 or done.stderr.count("\n") != 1 or "Traceback" in done.stderr:
            bad.append(f"return code {done.returncode}: {done.stderr}")
        if state(folder) != before or verify(folder).problems or (folder / "_staging").exists():
            bad.append(
                f"the dataset is not as it was: {state(folder) == before}, {verify(folder)}, {[str(p) for p in folder.rglob('_staging/**/*')][:5]}"
            )
        subprocess.run(["mount", "-o", "remount,size=1g", str(disk)], check=True)
        again = subprocess.run(command(dump, folder, jobs), capture_output=True, text=True)
        if again.returncode or verify(folder).problems:
            bad.append(f"after enlarging: {again.returncode}: {again.stderr}")
    finally:
        subprocess.run(["umount", str(disk)], check=False)
    return bad
