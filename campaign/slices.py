"""The parts of the campaign, and which of their tests run: `--slice N` one slice of each part, `--journal FILE` those that the file does not list as passed.

All tests take hours, so `make test-ci` runs one slice of each part. `make campaign` runs all, and goes on where it was interrupted.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "campaign"


@dataclass(frozen=True)
class Part:
    """A part of the campaign, as `campaign/parts.toml` states it."""

    name: str
    what: str
    files: str
    guards: tuple[str, ...]
    slices: int

    @property
    def paths(self) -> list[Path]:
        """The files of its tests."""
        return sorted(FOLDER.glob(self.files))


@cache
def parts() -> dict[str, Part]:
    """All parts by name."""
    given = tomllib.loads((FOLDER / "parts.toml").read_text(encoding="utf-8"))
    return {name: Part(name, **{**part, "guards": tuple(part["guards"])}) for name, part in given.items()}


def part_of() -> dict[Path, Part]:
    """The part of each file of tests."""
    return {path: part for part in parts().values() for path in part.paths}


def git(*words: str) -> str:
    """What git prints about the checkout; empty if it fails, as outside a checkout."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def due() -> int:
    """The number of the slices that are due: the count of commits, or in a shallow clone, where nobody knows it, a number made from the hash."""
    if git("rev-parse", "--is-shallow-repository") == "true":
        return int(git("rev-parse", "HEAD")[:8] or "0", 16)
    return int(git("rev-list", "--count", "HEAD") or "0")


def slice_of(tests: Sequence[pytest.Item], slices: int, number: int) -> Sequence[pytest.Item]:
    """One of so many slices of the tests of a part: neighbours, which share what they open; no slice is empty."""
    count = min(slices, len(tests))
    which = number % count
    return tests[which * len(tests) // count : (which + 1) * len(tests) // count]


def passed(journal: Path) -> set[str]:
    """The tests that a journal lists as passed or skipped; a line that was cut when the run was killed does not count."""
    return {line["test"] for line in lines(journal) if line["outcome"] != "failed"}


def lines(journal: Path) -> list[dict[str, Any]]:
    """The complete lines of a journal, of each test the last one."""
    text = journal.read_text(encoding="utf-8") if journal.exists() else ""
    found = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n") and line.strip()]
    return list({line["test"]: line for line in found}.values())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slice",
        metavar="N",
        help="of each part of the campaign only the slice with this number; due: that of this commit",
    )
    parser.addoption(
        "--journal",
        metavar="FILE",
        help="list each test with its result there, and leave out those that are listed as passed",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of the campaign are slow; those of another slice, or that passed before, are left out."""
    number, journal, known = config.getoption("slice"), config.getoption("journal"), part_of()
    by_part: dict[Part, list[pytest.Item]] = {}
    for item in items:
        if item.path in known:
            item.add_marker(pytest.mark.slow)
            by_part.setdefault(known[item.path], []).append(item)
    left: set[str] = set()
    if number is not None:
        chosen = due() if number == "due" else int(number)
        for part, tests in by_part.items():
            left |= {test.nodeid for test in tests} - {test.nodeid for test in slice_of(tests, part.slices, chosen)}
    if journal:
        left |= passed(Path(journal))
    if left:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left])
        items[:] = [item for item in items if item.nodeid not in left]


def pytest_configure(config: pytest.Config) -> None:
    """The process that collects the results of all workers writes the journal."""
    if config.getoption("journal") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Journal(Path(config.getoption("journal"))))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The command that runs a slice that failed alone."""
    number = config.getoption("slice")
    failed = [*terminalreporter.stats.get("failed", ()), *terminalreporter.stats.get("error", ())]
    known = part_of()
    names = {known[path].name for report in failed if (path := ROOT / report.nodeid.partition("::")[0]) in known}
    for name in sorted(names):
        which = f" SLICE={due() if number == 'due' else number}" if number else ""
        terminalreporter.write_line(f"to run this part of the campaign alone: make campaign PART={name}{which}")


class Journal:
    """Writes a line for each test that ended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = "".join(json.dumps(line) + "\n" for line in lines(path))  # without a line that was cut
        path.write_text(whole, encoding="utf-8")
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that was called, or that failed or was skipped before or after that."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.when != "call" and report.passed:
            return
        line = {
            "test": report.nodeid, "outcome": report.outcome, "seconds": round(self.seconds[report.nodeid], 1),
            "counts": {name: value for name, value in report.user_properties if isinstance(value, int)},
        }  # fmt: skip
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
