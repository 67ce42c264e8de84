"""Rules and reports over the dataset of a busy month: seconds and memory of each, compared with the targets.

`python -m bench.estate DATASET OUT rules|areas|reports` is what the measured processes run; `table` starts them and
prints.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

from bench.measure import Run, run

RULES_S, REPORT_S, WHOLE_S, MEMORY_MIB = 5.0, 2.0, 10.0, 1024.0
MQSTAT = [sys.executable, "-m", "mqstat"]
SLOWEST = 8

Spent = list[float]
"""Seconds, and seconds of processor."""


def dataset(folder: Path) -> Path:
    """The dataset of the month, built and ingested when it is not there yet."""
    target = folder / "busy-month"
    if not (target / "publish").exists():
        dump = folder / "busy-month.smf"
        print("building busy-month.smf and ingesting it ...", flush=True)
        subprocess.run(
            [sys.executable, "-m", "mqstat.fixtures", "busy-month", str(dump)], check=True, stdout=subprocess.DEVNULL
        )
        print(
            run([*MQSTAT, "ingest", str(dump), "--into", str(target)]).line(
                "busy month -> dataset", dump.stat().st_size
            )
        )
        dump.unlink()
    return target


def rules(dataset_folder: Path, areas: bool) -> dict[str, Spent]:
    """Seconds from opening the dataset to the findings: of all rules, or of each area by itself."""
    from mqstat.dataset.store import open_dataset
    from mqstat.judge.engine import run_rules
    from mqstat.judge.model import rules as known

    chosen: dict[str, list[str]] = {}
    for rule in known().values():
        chosen.setdefault(rule.area if areas else "all rules", []).append(rule.id)
    spent = {}
    for name, ids in chosen.items():
        started = _now()
        with _opened(open_dataset(dataset_folder).files) as database:
            run_rules(database, only=ids)
        spent[f"{name} ({len(ids)})"] = _since(started)
    return spent


def reports(dataset_folder: Path) -> dict[str, Spent]:
    """Seconds from opening the dataset to the last row, for each report by itself; findings are not made first."""
    from mqstat.dataset.store import open_dataset
    from mqstat.sql import sqlfile

    spent = {}
    for name, report in sqlfile.reports().items():
        started = _now()
        with _opened(open_dataset(dataset_folder).files) as database:
            try:
                database.keep([report.text])
                rows = sum(batch.num_rows for batch in database.execute(report.text).to_arrow_reader(65_536))
                label = f"{name} ({rows:,} rows)"
            except duckdb.Error as error:
                label = f"{name} FAILED: {str(error)[:60]}"
        spent[label] = _since(started)
    return spent


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(started: tuple[float, float]) -> Spent:
    return [now - then for now, then in zip(_now(), started, strict=True)]


def _opened(files: Any) -> Any:
    """The database as the commands open it over a dataset."""
    from mqstat.sql.database import open_workspace
    from mqstat.sql.memory import memory_limit
    from mqstat.sql.opened import Opened

    opened = Opened(files, memory_limit=memory_limit(files))
    return open_workspace(opened, temp_directory=Path(sys.argv[2]).parent)


def measured(dataset_folder: Path, what: str) -> tuple[Run, dict[str, Spent]]:
    """Run one of the parts in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out.json"
        result = run([sys.executable, "-m", "bench.estate", str(dataset_folder), str(out), what])
        spent: dict[str, Spent] = json.loads(out.read_text())
        return result, spent


def line(what: str, spent: Spent, aim: float, peak_mib: float | None = None) -> str:
    """One line of the table."""
    memory = "" if peak_mib is None else f"{peak_mib:>8.0f} MiB" + (" OVER" if peak_mib > MEMORY_MIB else "")
    seconds, cpu = spent
    return f"  {what:58}{seconds:>7.2f} s{cpu:>7.2f} s cpu  aim {aim:>2.0f} s{' OVER' if seconds > aim else '     '}{memory}"


def table(folder: Path) -> None:
    """Measure and print."""
    dataset_folder = dataset(folder)
    print("\nbusy month, from its dataset (30 days, 10 queue managers, 5 minutes: 86,400 intervals)")
    result, spent = measured(dataset_folder, "rules")
    for name, spent_by in spent.items():
        print(line(f"open and {name}", spent_by, RULES_S, result.peak_mib), flush=True)
    result, spent = measured(dataset_folder, "areas")
    for name, spent_by in spent.items():
        print(line(f"open and rules of {name}", spent_by, RULES_S), flush=True)
    result, spent = measured(dataset_folder, "reports")
    slowest = sorted(spent.items(), key=lambda item: -item[1][0])
    late = sum(spent_by[0] > REPORT_S for spent_by in spent.values())
    print(
        f"  {len(spent)} reports, each by itself: {late} over {REPORT_S:.0f} s, {result.peak_mib:.0f} MiB; the slowest"
    )
    for name, spent_by in slowest[: max(SLOWEST, late)]:
        print(line(f"  open and {name}", spent_by, REPORT_S), flush=True)
    whole = run([*MQSTAT, "report", "--from", str(dataset_folder)])
    print(line("whole report, as a command", [whole.seconds, whole.cpu_seconds], WHOLE_S, whole.peak_mib), flush=True)


def main() -> None:
    """What a measured process does."""
    dataset_folder, out, what = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    spent = reports(dataset_folder) if what == "reports" else rules(dataset_folder, areas=what == "areas")
    out.write_text(json.dumps(spent))


if __name__ == "__main__":
    main()
