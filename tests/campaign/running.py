"""Faults without number, by seeds: `python -m tests.campaign --minutes 10 --log campaign.jsonl --report docs/campaign.md`.

Each part makes trials by number. The log has a line for each batch of trials; a campaign with the same log continues where it stopped, and the report is
made of the log alone. With MQSTAT_DUMPS, stretches of real dumps are among those that are mutated.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.campaign.faults import compiled

EACH = 10_000_000
"""Numbers of trials of one seed."""


@dataclass(frozen=True)
class Part:
    """A part of the campaign: its function, the trials of a batch and its share of the batches, and what it shows."""

    function: str
    batch: int
    share: int
    doc: str


PARTS = {
    "records": Part("records.trial", 500, 6, "Untouched records of mutated dumps are found, in every framing, which is recognised."),
    "values": Part("records.values_trial", 100, 2, "Untouched records have the same values in all columns of all tables."),
    "files": Part("commands.files_trial", 50, 2, "Mutated dumps in compressions and archives, which are damaged too."),
    "commands": Part("commands.commands_trial", 15, 2, "Mutated dumps through every command: return codes, no unexpected error."),
    "dataset": Part("commands.dataset_trial", 10, 1, "A mutated dump has the same rows directly and in a dataset."),
    "sections": Part("sections.trial", 20, 1, "Arbitrary bytes decoded by construct and by the vectorised decoder."),
    "faults": Part("faults.trial", 25, 2, "Pairs of faults of system calls; one healthy ingest afterwards makes the dataset clean."),
    "races": Part("faults.race", 10, 1, "Two writers where locks exclude nobody."),
}  # fmt: skip


def batch(name: str, seed: int, number: int) -> dict[str, Any]:
    """Run one batch of trials; an exception of a trial is a fault."""
    part = PARTS[name]
    module, function = part.function.split(".")
    trial = getattr(import_module(f"tests.campaign.{module}"), function)
    figures: Counter[str] = Counter()
    faults: list[str] = []
    began = time.monotonic()
    first = seed * EACH + number * part.batch
    for each in range(first, first + part.batch):
        try:
            counted, wrong = trial(each)
        except Exception:
            counted, wrong = Counter({"exceptions": 1}), ["exception: " + traceback.format_exc().replace("\n", " | ")]
        figures.update(counted)
        figures["trials"] += 1
        figures["faults"] += len(wrong)
        faults += [f"{each}: {fault}"[:2_000] for fault in wrong]
    seconds = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"part": name, "seed": seed, "batch": number, "seconds": round(seconds, 1), "peak_kib": peak, "figures": dict(figures), "faults": faults[:50]}  # fmt: skip


def todo(names: Iterable[str], seed: int, done: set[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    """The batches that are not in the log yet, by the share of their parts, without an end."""
    numbers: Counter[str] = Counter()
    for name in cycle([each for each in names for _ in range(PARTS[each].share)]):
        while (name, seed, numbers[name]) in done:
            numbers[name] += 1
        yield name, seed, numbers[name]
        numbers[name] += 1


def lines(log: Path) -> list[dict[str, Any]]:
    """The batches in a log; an incomplete last line is left out."""
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def report(entries: list[dict[str, Any]]) -> str:
    """The figures of a log as Markdown."""
    out = [
        "# Campaign", "", "Written by `python -m tests.campaign --report docs/campaign.md` from the log of the last campaign; the trials of a seed are the same in every run.", "",
    ]  # fmt: skip
    for name, part in PARTS.items():
        own = [entry for entry in entries if entry["part"] == name]
        if not own:
            continue
        figures: Counter[str] = Counter()
        for entry in own:
            figures.update(entry["figures"])
        out += [f"## {name}", "", part.doc, "", "| figure | value |", "|---|---|"]
        us = figures.pop("processor us", 0)
        out += [f"| {key} | {value:,} |" for key, value in figures.items()]
        if us:
            out.append(f"| processor time, MB/s | {figures['bytes'] / us:.1f} |")
        out.append(f"| highest memory of a process, MiB | {max(entry['peak_kib'] for entry in own) >> 10:,} |")
        kinds = Counter(
            " ".join(fault.split(": ", 1)[1].split(" (")[0].split())[:120] for entry in own for fault in entry["faults"]
        )
        out += ["", *(f"- {count} x {kind}" for kind, count in kinds.most_common(20)), *([""] if kinds else [])]
    return "\n".join(out).rstrip() + "\n"


def campaign(names: list[str], seed: int, log: Path, minutes: float, count: int, processes: int) -> int:
    """Run batches until the time is over or so many trials were made; returns the number of faults."""
    entries = lines(log)
    if log.exists() and not log.read_bytes().endswith(b"\n"):
        log.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    batches = todo(names, seed, {(entry["part"], entry["seed"], entry["batch"]) for entry in entries})
    end, trials, faults = time.monotonic() + minutes * 60, 0, 0
    with (
        ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool,
        log.open("a", encoding="utf-8") as stream,
    ):
        while time.monotonic() < end and (not count or trials < count):
            for entry in pool.map(batch, *zip(*(next(batches) for _ in range(processes * 2)), strict=True)):
                stream.write(json.dumps(entry) + "\n")
                stream.flush()
                trials += entry["figures"]["trials"]
                faults += entry["figures"]["faults"]
                for fault in entry["faults"][:3]:
                    print(entry["part"], fault, flush=True)
    return faults


def main() -> int:
    """Run a campaign, or only write its report; returns 1 on any fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=PARTS, help="only these parts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--count", type=int, default=0, help="end after so many trials")
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    faults = 0
    if options.minutes or options.count:
        names = options.part or list(PARTS)
        with tempfile.TemporaryDirectory() as folder:
            library = compiled(Path(folder))
            if library is not None:
                os.environ["LD_PRELOAD"] = str(library)  # for the workers
            names = [name for name in names if library is not None or PARTS[name].function != "faults.trial"]
            faults = campaign(
                names, options.seed, options.log, options.minutes or 1e6, options.count, options.processes
            )
    if options.report:
        options.report.write_text(report(lines(options.log)), encoding="utf-8")
    return 1 if faults else 0
