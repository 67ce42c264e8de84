"""Many small dumps into one dataset: files, bytes, processor seconds and manifest, and then the report of the whole
period.

    .venv/bin/python -m bench.small_dumps FOLDER [--days 30] [--dumps-a-day 48] [--queue-managers 14] [--no-merge]

14 queue managers give dumps of about 0.3 MB. The dumps are made before the clock starts, and each is an ingest of its
own, as from a scheduler.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import io
import resource
import shutil
import time
from pathlib import Path

from mqstat.cli import run
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager

FIRST = dt.datetime(2026, 3, 1)


def processor_seconds() -> float:
    """User and system time of this process and its ended children."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def make_dumps(folder: Path, days: int, a_day: int, queue_managers: int) -> list[Path]:
    """One file for each part of each day."""
    folder.mkdir(parents=True, exist_ok=True)
    owners = [QueueManager(f"MQ{number:02d}", f"SYS{number % 4}") for number in range(queue_managers)]
    seconds = 86_400 // a_day
    paths = []
    for number in range(days * a_day):
        path = folder / f"d{number:05d}.smf"
        paths.append(path)
        if not path.exists():
            start = FIRST + dt.timedelta(seconds=number * seconds)
            path.write_bytes(smf_file([record for owner in owners for record in owner.interval(start, seconds)]))
    return paths


def quietly(*arguments: str) -> float:
    """Run a command in this process; returns its processor seconds."""
    before = processor_seconds()
    with contextlib.redirect_stdout(io.StringIO()):
        code = run([*arguments])
    assert code <= 8, arguments
    return processor_seconds() - before


def sizes(dataset: Path) -> str:
    """Files, bytes, share of the footers and bytes of the manifest."""
    paths = [path for path in dataset.glob("*/*.parquet") if not path.parent.name.startswith("_")]
    total = sum(path.stat().st_size for path in paths)
    footers = 0
    for path in paths:
        with path.open("rb") as stream:
            stream.seek(-8, io.SEEK_END)
            footers += 8 + int.from_bytes(stream.read(4), "little")
    manifest = sum(path.stat().st_size for path in dataset.glob("manifest.*"))
    share = 100 * footers / total
    return f"{len(paths):,} files, {total / 1e6:,.1f} MB ({share:.0f} % footers), manifest {manifest / 1e3:,.0f} KB"


def main() -> None:
    """Make the dumps, ingest them one by one, and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--dumps-a-day", type=int, default=48)
    parser.add_argument("--queue-managers", type=int, default=14)
    parser.add_argument("--no-merge", action="store_true", help="do not merge files while the dataset grows")
    given = parser.parse_args()
    if given.no_merge:
        import mqstat.intake.ingest as ingesting

        setattr(ingesting, "merge_as_it_grows", lambda _, manifest, **__: manifest)  # noqa: B010 - not exported
    dumps = make_dumps(given.folder / "dumps", given.days, given.dumps_a_day, given.queue_managers)
    size = sum(path.stat().st_size for path in dumps)
    print(f"{len(dumps):,} dumps, {size / 1e6:,.1f} MB")
    dataset = given.folder / "set"
    shutil.rmtree(dataset, ignore_errors=True)
    start = time.monotonic()
    spent = []
    for number, path in enumerate(dumps, 1):
        spent.append(quietly("ingest", str(path), "--into", str(dataset), "--jobs", "1"))
        if number % given.dumps_a_day == 0:
            day = 1000 * sum(spent[-given.dumps_a_day :]) / given.dumps_a_day
            print(f"day {number // given.dumps_a_day}: {day:,.0f} ms of processor per dump", flush=True)
    wall = time.monotonic() - start
    print(f"ingest: {sum(spent):,.1f} s of processor, {wall:,.1f} s; {sizes(dataset)}")
    report = str(given.folder / "report.txt")
    print(f"report: {quietly('report', '--from', str(dataset), '--output', report):,.1f} s of processor")
    print(f"compact: {quietly('compact', str(dataset)):,.1f} s of processor; {sizes(dataset)}")
    print(f"report: {quietly('report', '--from', str(dataset), '--output', report):,.1f} s of processor")
    print(f"verify: {quietly('verify', str(dataset)):,.1f} s of processor")


if __name__ == "__main__":
    main()
