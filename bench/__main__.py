"""`python -m bench`: builds the dumps once, runs the commands on them and prints a table.

The peak of memory is the proportional set size of all processes of the command together.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bench import estate, page, shown, work
from bench.measure import machine, run
from bench.steps import decoders, steps

MQSTAT = [sys.executable, "-m", "mqstat"]


def build(folder: Path, kind: str, size: str, *options: str) -> Path:
    """A built dump, made when it is not there yet."""
    path = folder / f"{kind}-{size}.smf"
    if not path.exists():
        print(f"building {path.name} ...", flush=True)
        subprocess.run(
            [sys.executable, "-m", "mqstat.fixtures", "bulk", kind, str(path), "--bytes", size, *options],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return path


def ingest(dump: Path, folder: Path, what: str) -> None:
    """Dump to dataset, every column of every structure."""
    target = folder / "dataset"
    shutil.rmtree(target, ignore_errors=True)
    warm(dump)
    print(
        run([*MQSTAT, "ingest", str(dump), "--into", str(target)]).line(
            f"{what} -> Parquet dataset", dump.stat().st_size
        ),
        flush=True,
    )
    shutil.rmtree(target, ignore_errors=True)


def report(dump: Path, what: str) -> None:
    """Dump to health report, without keeping a dataset."""
    warm(dump)
    print(run([*MQSTAT, "report", str(dump)]).line(f"{what} -> health report", dump.stat().st_size), flush=True)


def export(dump: Path, folder: Path, what: str) -> None:
    """Dump to the CSV files of mq-smf-csv, in one process; the C program reads about 28 MB/s."""
    target = folder / "csv"
    shutil.rmtree(target, ignore_errors=True)
    warm(dump)
    command = [*MQSTAT, "export", "mq-smf-csv", str(dump), "--into", str(target)]
    print(run(command).line(f"{what} -> CSV of mq-smf-csv", dump.stat().st_size), flush=True)
    shutil.rmtree(target, ignore_errors=True)


def warm(dump: Path) -> None:
    """Read the dump once, so that the disk is not what is measured."""
    with dump.open("rb") as stream:
        while stream.read(1 << 24):
            pass


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(prog="bench", description="Speed and memory of mqstat on big built dumps.")
    parser.add_argument("--folder", type=Path, default=Path("out/bench"), help="where the built dumps are kept")
    parser.add_argument("--size", default="2G", help="size of each dump (default 2G)")
    parser.add_argument(
        "--double", default="4G", help="size for the memory of a bigger dump, or - to leave it out (default 4G)"
    )
    parser.add_argument(
        "--only",
        choices=("all", "shown", "writing", "estate", "page", "work"),
        default="all",
        help="shown: the figures that are promised, with their aims; writing: of these only dump to Parquet; estate: rules and reports over a "
        "busy month; page: the page of a busy day; work: reports over a million tasks and 100,000 queues",
    )
    parser.add_argument("--runs", type=int, default=3, help="runs of each promised figure (default 3)")
    words = parser.parse_args()
    folder: Path = words.folder
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{time.strftime('%Y-%m-%d')}  {machine()}\n")
    if words.only == "estate":
        estate.table(folder)
        return
    if words.only == "page":
        page.table(folder)
        return
    if words.only == "work":
        work.table(folder)
        return
    # A large site: 20 queue managers that cut their statistics every minute, which makes 2 GB a day.
    statistics = build(folder, "statistics", words.size, "--queue-managers", "20", "--interval", "60")
    class3 = build(folder, "class3", words.size)
    if words.only in ("shown", "writing"):
        shown.table(folder, statistics, class3, words.runs, writing_only=words.only == "writing")
        return
    ingest(statistics, folder, "statistics")
    ingest(class3, folder, "class 3 accounting")
    report(statistics, "statistics")
    report(class3, "class 3 accounting")
    export(statistics, folder, "statistics")
    export(class3, folder, "class 3 accounting")
    dumps = os.environ.get("MQSTAT_DUMPS")
    if dumps and (Path(dumps) / "MQ10_MQ1O.dat").exists():
        repeated = folder / "repeated.smf"
        if not repeated.exists():
            command = [
                sys.executable,
                "-m",
                "mqstat.fixtures",
                "repeat",
                str(Path(dumps) / "MQ10_MQ1O.dat"),
                str(repeated),
                "--bytes",
                "500M",
            ]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        ingest(repeated, folder, "real records, repeated")
        report(repeated, "real records, repeated")
    else:
        print("real records: left out, MQSTAT_DUMPS is not set")
    if words.double != "-":
        bigger = build(folder, "statistics", words.double, "--queue-managers", "20", "--interval", "60")
        ingest(bigger, folder, "statistics, double the size")
    estate.table(folder)
    page.table(folder)
    print("\nseconds of one process per step, first 256 MB")
    for dump in (statistics, class3):
        scratch = folder / "steps"
        spent = steps(dump, 256 << 20, scratch)
        shutil.rmtree(scratch, ignore_errors=True)
        print(f"  {dump.name:24}" + "  ".join(f"{name} {seconds:.2f}" for name, seconds in spent.items()))
    print("\nthe two decoders on the same sections (construct: from 2,000 sections)")
    for dump, structure in ((statistics, "qpst"), (statistics, "qqst"), (class3, "wq"), (class3, "wtas")):
        count, slow, fast = decoders(dump, structure, 64 << 20)
        print(
            f"  {structure:8}{count:>8} sections  construct {slow:8.2f} s  vectorised {fast:8.4f} s  {slow / fast:6.0f} : 1"
        )


if __name__ == "__main__":
    main()
