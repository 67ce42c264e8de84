"""Two hundred commands that read and write one dataset, eight at a time: each answers, and at the end the dataset is
that of one ingest after the other.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mqstat.cli import run
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from tests.object_stores import hour
from tests.support import file_of

COMMANDS, AT_ONCE = 200, 8

SHARES = {"ingest": 40, "report": 12, "check": 12, "sql": 24, "compact": 6, "prune": 6}
"""Of a hundred commands."""

WAIT = ["--wait", "3000"]


def words_of(kind: str, number: int, root: Path) -> list[str]:
    """The words of a command of a kind; each ingest has two hours, one of the first days, which every prune drops."""
    dataset = str(root / "set")
    if kind == "ingest":
        dumps = [str(file_of(hour(each), root, f"h{each}.smf")) for each in (number % 24, 24 + number)]
        return ["ingest", *dumps, "--into", dataset, *WAIT]
    return {
        "report": ["report", "--from", dataset],
        "check": ["check", "--from", dataset],
        "sql": ["sql", "SELECT qmgr, count(*), sum(page_gets_new) FROM buffer_pool GROUP BY ALL", "--from", dataset],
        "compact": ["compact", dataset, *WAIT],
        "prune": ["prune", dataset, "--before", "2026-03-29", *WAIT],
    }[kind]


def commands(root: Path, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Run so many commands; the figures, and what was not as it should be."""
    rng = random.Random(seed)
    kinds = [kind for kind, share in SHARES.items() for _ in range(round(share * count / 100))]
    rng.shuffle(kinds)
    file_of(hour(24), root, "first.smf")
    assert run(["ingest", str(root / "first.smf"), "--into", str(root / "set")]) == 0
    figures: Counter[str] = Counter()

    def one(numbered: tuple[int, str]) -> str:
        number, kind = numbered
        words = words_of(kind, number + 1, root)
        done = subprocess.run([sys.executable, "-m", "mqstat", *words], capture_output=True, text=True, check=False)
        figures[f"{kind}, return code {done.returncode}"] += 1
        return "" if done.returncode in (0, 4, 8) else f"{kind}: {done.returncode}: {done.stderr[-500:]}"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        faults = [text for text in pool.map(one, enumerate(kinds)) if text]
    assert run(["prune", str(root / "set"), "--before", "2026-03-29"]) == 0
    opened = open_dataset(root / "set")
    later = 1 + kinds.count("ingest")
    records = sum(entry.rows for entry in opened.manifest.files if entry.table == "record")
    whole = {source.name for source in opened.manifest.sources}
    expected = {"first.smf", *(f"h{24 + n + 1}.smf" for n, kind in enumerate(kinds) if kind == "ingest")}
    if not expected <= whole or records != 2 * later:
        faults.append(f"{records} records, {sorted(expected - whole)} missing")
    found = verify(root / "set", rows=True)
    return figures, faults + found.problems


@pytest.mark.parametrize("seed", [1, 2])
def test_commands_at_once(seed: int, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    began = time.monotonic()
    figures, faults = commands(tmp_path, COMMANDS, seed)
    assert faults == []
    record_property("commands", figures.total())
    print(f"{figures.total()} commands in {time.monotonic() - began:.0f} s: {dict(figures)}")
