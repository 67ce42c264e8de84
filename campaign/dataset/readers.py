"""Programs that read a dataset while others write to it: `python -m campaign.dataset.readers [--reads 1000] [--system "no exchange"]`.

A writer ingests dumps, merges and drops days all the time. Readers in other processes count the rows of table `record` in several ways, each time
again. A count is right if the table had that many rows in a generation of the log between the begin and the end of the read, or in the one that was
being published. Anything else is a row read twice, a row missed, or an error; all are counted, none is repeated.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import errno
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path

import duckdb

from mqstat.cli import run
from mqstat.dataset import folders, log
from mqstat.dataset.manifest import Manifest
from mqstat.fixtures import accounting
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager

TABLE = "record"
SYSTEMS = ("", "no exchange", "no link")
FIRST = dt.datetime(2026, 3, 1, 12)
DAYS = 3
"""Local days that the dataset has at any moment, from the newest back."""


@dataclass(frozen=True)
class Read:
    """One read: its way, the generations before it began and after it ended, the rows, the different records in them, and the error if there was one."""

    way: str
    before: int
    after: int
    rows: int
    records: int
    error: str = ""


# ----------------------------------------------------------------------------------------------------------------------- writer


def dump_of(number: int, folder: Path) -> Path:
    """A dump that no other one repeats: two records of a day, and two of the next."""
    owner = QueueManager("MQ01", gmt_offset_minutes=0)
    moments = [FIRST + dt.timedelta(days=number // 4, minutes=40 * (number % 4), hours=hours) for hours in (0, 24)]
    records = [accounting.channels(owner, moment, 1800, (f"TO.{number}",)) for moment in moments]
    path = folder / f"{number}.smf"
    path.write_bytes(smf_file(records, spanned="vbs", dump_header=False, trailer=False))
    return path


def restrict(system: str) -> None:
    """Have this process work as on another system."""
    if system:
        folders.exchanged = lambda *_: False
    if system == "no link":

        def refused(*_: object, **__: object) -> None:
            raise OSError(errno.EPERM, "Operation not permitted")

        os.link = refused


def write(work: Path, system: str, begun: int, ended: Event, counts: str, views: bool) -> None:
    """Ingest, merge and drop until the readers have ended; some publishes in each round retire files."""
    restrict(system)
    dataset, number = work / "set", begun
    sys.stdout = sys.stderr = (work / "writer.txt").open("w")
    while not ended.is_set():
        commands = [["ingest", str(dump_of(number, work)), "--into", str(dataset)]]
        if number % 2:
            commands.append(["compact", str(dataset)])
        if number % 4 == 3:
            commands.append(["prune", str(dataset), "--keep", str(DAYS)])
        if views and number % 3 == 2:
            commands.append(["views", str(dataset), "--into", str(work / "mq.duckdb")])
        for command in commands:
            if run(command) != 0:
                (work / "failed").write_text(" ".join(command))
                return
        number += 1
    Path(counts).write_text(str(number - begun))


# ---------------------------------------------------------------------------------------------------------------------- readers

COUNT = "SELECT count(*), count(DISTINCT record_id) FROM {}"

Counts = tuple[int, int]


def by_glob(work: Path) -> Counts:
    """DuckDB, over a pattern."""
    return counted(COUNT.format(f"read_parquet('{work}/set/{TABLE}/*.parquet')"))


def by_open_folder(work: Path) -> Counts:
    """The same over a folder that the reader holds open (Linux)."""
    handle = os.open(work / "set" / TABLE, os.O_RDONLY)
    try:
        return counted(COUNT.format(f"read_parquet('/proc/self/fd/{handle}/*.parquet')"))
    finally:
        os.close(handle)


def by_view_file(work: Path) -> Counts:
    """DuckDB, over the file of `mqstat views`."""
    with duckdb.connect(str(work / "mq.duckdb"), read_only=True) as connection:
        connection.execute(f"SET file_search_path = '{work}'")
        return connection.execute(COUNT.format(f"decoded.{TABLE}")).fetchall()[0]


def by_delta(work: Path) -> Counts:
    """The Delta table, its list of files first."""
    from deltalake import DeltaTable

    table = DeltaTable(work / "set" / "_delta" / TABLE)
    paths = ", ".join(f"'{path.removeprefix('file://')}'" for path in table.file_uris())
    return counted(COUNT.format(f"read_parquet([{paths}])"))


def counted(query: str) -> Counts:
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()[0]


def opened_before(work: Path) -> Generator[Counts, None, None]:
    """mqstat, which opens the dataset and reads it several times, whatever is published meanwhile."""
    from mqstat.intake.open_data import open_data

    with open_data(dataset=work / "set", tables=[TABLE]) as database:
        while True:
            yield database.execute(COUNT.format(f"decoded.{TABLE}")).fetchall()[0]


WAYS: dict[str, Callable[[Path], Counts]] = {
    "glob": by_glob,
    "open folder": by_open_folder,
    "view file": by_view_file,
    "delta": by_delta,
}

LEAST_PUBLISHES = 10
"""Publishes while the readers read, however few their reads are."""

REREADS = 20
"""Reads of one opening of the dataset by mqstat."""


def generation_of(work: Path) -> int:
    return (log.load(work / "set") or Manifest()).generation


def read(work: Path, way: str, reads: int, until: int, out: Path) -> None:
    """Read so many times, or more until a generation is there, and write what was seen."""
    done: list[Read] = []
    while len(done) < reads or generation_of(work) < until:
        before = generation_of(work)
        if way == "opened before":
            source = opened_before(work)
            try:
                first = next(source)
                after = generation_of(work)
                for _ in range(REREADS):
                    done.append(Read(way, before, after, *first))
                    time.sleep(0.02)
                    first = next(source)
            except Exception as error:
                done.append(Read(way, before, before, 0, 0, f"{type(error).__name__}: {str(error).splitlines()[0]}"))
            source.close()
            continue
        try:
            rows, records = WAYS[way](work)
            done.append(Read(way, before, generation_of(work), rows, records))
        except Exception as error:
            text = f"{type(error).__name__}: {str(error).splitlines()[0]}"
            done.append(Read(way, before, generation_of(work), 0, 0, text))
    out.write_text(json.dumps([vars(each) for each in done]))


# --------------------------------------------------------------------------------------------------------------------- judgement


def rows_by_generation(folder: Path) -> dict[int, int]:
    """The rows of the table in each generation of the log."""
    replay, rows = log.Replay(), {}
    with (folder / log.NAME).open("rb") as stream:
        for line, _ in log.lines_of(stream):
            replay.take(line)
            made = replay.manifest
            rows[made.generation] = sum(entry.rows for entry in made.files if entry.table == TABLE)
    return rows


def outcome(read: Read, rows: dict[int, int], earlier: int) -> str:
    """What a read was: right, doubled, too few, mixed or an error.

    A view file may have any state since `earlier`. A Delta table follows the log: it may still have the generation before.
    """
    if read.error:
        return "error"
    first = {"view file": earlier, "delta": read.before - 1}.get(read.way, read.before)
    allowed = {rows[n] for n in range(first, read.after + 2) if n in rows}
    if read.records != read.rows:
        return "doubled"
    if read.rows in allowed:
        return "right"
    return "too few" if read.rows < min(allowed) else "mixed"


@dataclass
class Result:
    """Reads by way and outcome, publishes and those of them that retired files while the readers read, and the errors."""

    reads: dict[str, Counter[str]]
    errors: Counter[str]
    publishes: int
    retiring: int

    def text(self) -> str:
        """A table."""
        lines = [f"{self.publishes} publishes, {self.retiring} of them retired files of table {TABLE}"]
        for way, counts in self.reads.items():
            lines.append(f"{way:14}" + ", ".join(f"{number} {name}" for name, number in sorted(counts.items())))
        return "\n".join([*lines, *(f"{number} x {text}" for text, number in self.errors.most_common(5))])


def readings(work: Path, reads: int, ways: tuple[str, ...], system: str = "") -> Result:
    """Have one process write and one for each way read, until all have read so many times."""
    dataset = work / "set"
    for number in range(8):
        assert run(["ingest", str(dump_of(number, work)), "--into", str(dataset)]) == 0
    if "delta" in ways:
        assert run(["delta", str(dataset)]) == 0
    assert run(["views", str(dataset), "--into", str(work / "mq.duckdb")]) == 0
    begun = generation_of(work)
    context = multiprocessing.get_context("spawn")
    ended = context.Event()
    writer = context.Process(target=write, args=(work, system, 8, ended, str(work / "rounds"), "view file" in ways))
    writer.start()
    while generation_of(work) < begun + 1 and writer.is_alive():
        time.sleep(0.05)  # it takes a second until it has imported all
    readers = [
        context.Process(target=read, args=(work, way, reads, begun + LEAST_PUBLISHES, work / f"{way}.json"))
        for way in ways
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    ended.set()
    writer.join()
    if (work / "failed").exists():
        raise AssertionError(f"{(work / 'failed').read_text()}: {(work / 'writer.txt').read_text()[-2000:]}")
    rows = rows_by_generation(dataset)
    seen = {way: [Read(**each) for each in json.loads((work / f"{way}.json").read_text())] for way in ways}
    first = min(each.before for every in seen.values() for each in every)
    last = max(each.after for every in seen.values() for each in every)
    with (dataset / log.NAME).open("rb") as stream:
        changes = [json.loads(line) for line, _ in log.lines_of(stream)]
    during = [each for each in changes if first < each["generation"] <= last]
    retiring = [each for each in during if any(path.startswith(f"{TABLE}/") for path in each["retire"])]
    return Result(
        {way: Counter(outcome(each, rows, begun) for each in every) for way, every in seen.items()},
        Counter(f"{way}: {each.error[:150]}" for way, every in seen.items() for each in every if each.error),
        len(during),
        len(retiring),
    )


def main() -> None:
    """Run it and print what was read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=1000)
    parser.add_argument("--system", choices=SYSTEMS, default="")
    parser.add_argument("--ways", nargs="+", choices=[*WAYS, "opened before"], default=[*WAYS, "opened before"])
    given = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="readers."))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            result = readings(work, given.reads, tuple(given.ways), given.system)
        print(
            f"{given.reads} reads each, or a few more, on a system {given.system or 'that exchanges folders'}: {result.text()}"
        )
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
