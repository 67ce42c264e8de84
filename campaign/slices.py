"""The parts of the campaign, and which of their tests run: `--slice N` one slice of each part, `--journal FILE` those
that the file does not list as passed.

All tests take hours, so `make test-ci` runs one slice of each part. `make campaign` runs all, and goes on where it was
interrupted.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.costs import cache

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "campaign"
NAME = "campaign"
ALL = "all tests"
NUMBER = pytest.StashKey[int | None]()
"""The slice that runs; None for all of them."""
PASSED = pytest.StashKey[list[str]]()
"""Tests that passed in the run that this one goes on with."""


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
    """The number of the slices that are due: the count of commits, or in a shallow clone, where nobody knows it, a
    number from the hash.

    pytest.UsageError where git shows no commit.
    """
    is_shallow = git("rev-parse", "--is-shallow-repository") == "true"
    number = git("rev-parse", "HEAD")[:8] if is_shallow else git("rev-list", "--count", "HEAD")
    if not number:
        raise pytest.UsageError("--slice due: git shows no commit here; give the number of a slice, such as --slice 1")
    return int(number, 16 if is_shallow else 10)


def slice_of(tests: Sequence[pytest.Item], slices: int, number: int) -> Sequence[pytest.Item]:
    """One of so many slices of the tests of a part: neighbours, which share what they open."""
    which = number % slices
    return tests[which * len(tests) // slices : (which + 1) * len(tests) // slices]


def passed(journal: Path) -> set[str]:
    """The tests that a journal lists as passed: what failed or was skipped is tried again."""
    return {line["test"] for line in lines(journal) if line["outcome"] == "passed"}


def lines(journal: Path) -> list[dict[str, Any]]:
    """The complete lines of a journal, of each test the last one."""
    text = journal.read_text(encoding="utf-8") if journal.exists() else ""
    found = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
    return list({line["test"]: line for line in found}.values())


def results_of(journal: Path) -> tuple[list[dict[str, Any]], bool]:
    """The lines of tests of a journal, and whether they are all tests of the part."""
    found = lines(journal)
    tests = [line for line in found if line["test"] != ALL]
    return tests, [line["counts"][ALL] for line in found if line["test"] == ALL] == [len(tests)]


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


def pytest_configure(config: pytest.Config) -> None:
    """The process that collects the results of all workers knows the slice and the journal; a worker that replaces
    another gets the same.
    """
    if hasattr(config, "workerinput"):
        config.stash[NUMBER], config.stash[PASSED] = config.workerinput[NAME]
        return
    number, journal = config.getoption("slice"), config.getoption("journal")
    if number not in (None, "due") and not number.isdigit():
        raise pytest.UsageError(f"--slice {number}: give a number, or due")
    config.stash[NUMBER] = due() if number == "due" else None if number is None else int(number)
    config.stash[PASSED] = sorted(passed(Path(journal))) if journal else []
    if journal:
        config.pluginmanager.register(Journal(Path(journal)))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """What a worker leaves out."""
    node.workerinput[NAME] = (node.config.stash[NUMBER], node.config.stash[PASSED])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of the campaign are slow; those of another slice, or that passed before, are left out."""
    known, number = part_of(), config.stash[NUMBER]
    by_part: dict[Part, list[pytest.Item]] = {}
    for item in items:
        if item.path in known:
            item.add_marker(pytest.mark.slow)
            by_part.setdefault(known[item.path], []).append(item)
    if hasattr(config, "workeroutput"):
        config.workeroutput[NAME] = sum(map(len, by_part.values()))
    left = {*config.stash[PASSED]}
    if number is not None:
        for part, tests in by_part.items():
            left |= {test.nodeid for test in tests} - {test.nodeid for test in slice_of(tests, part.slices, number)}
    if left:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left])
        items[:] = [item for item in items if item.nodeid not in left]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The command that runs a slice that failed alone."""
    number = config.stash[NUMBER]
    failed = [*terminalreporter.stats.get("failed", ()), *terminalreporter.stats.get("error", ())]
    known = part_of()
    names = {known[path].name for report in failed if (path := ROOT / report.nodeid.partition("::")[0]) in known}
    for name in sorted(names):
        which = "" if number is None else f" SLICE={number}"
        terminalreporter.write_line(f"to run this part of the campaign alone: make campaign PART={name}{which}")


class Journal:
    """Writes a line for each test that ended, and how many tests the part has, so that nobody takes a part for all of
    it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = "".join(json.dumps(line) + "\n" for line in lines(path))  # without a line that was cut
        path.write_text(whole, encoding="utf-8")
        self.seconds: dict[str, float] = {}

    def write(self, test: str, outcome: str, counts: dict[str, int]) -> None:
        """Append a line."""
        line = {"test": test, "outcome": outcome, "seconds": round(self.seconds.get(test, 0.0), 1), "counts": counts}
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that was called, or that failed or was skipped before or after that."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.when == "call" or not report.passed:
            counts = {name: value for name, value in report.user_properties if isinstance(value, int)}
            self.write(report.nodeid, report.outcome, counts)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be imported."""
        if report.failed:
            self.write(report.nodeid, "failed", {})

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """The tests of the part, as a worker found them."""
        self.write(ALL, "collected", {ALL: getattr(node, "workeroutput", {}).get(NAME, 0)})
