"""What tests cost: processor time of each test with its children, of each estate, and of all else that a worker does.

`--budget SECONDS` fails a run that takes a quarter more than that, or in which a test takes more than `UNLISTED`
without a reason in `EXPENSIVE`. Seconds are those of the machine on which the budget was set: each worker runs the same
computation first, and its time there is `REFERENCE`.
"""

from __future__ import annotations

import functools
import os
import statistics
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar, cast

import pytest

REFERENCE = 0.122
"""Seconds of processor time of `reference` on the machine on which the budget of `make test` was set, while its other
processor was busy."""
TOLERANCE = 1.25
"""A run may cost so many times its budget: processors are not equally fast all the time."""
LISTED = 2.0
"""Seconds above which a test is in `EXPENSIVE`."""
UNLISTED = 2 * LISTED
"""Seconds above which a test that is not there fails a run: in a fresh checkout what several tests import is compiled
in the first of them."""
SHOWN = 10
"""So many of the most expensive tests and estates are printed."""
EXPENSIVE = {
    "test_daily.py::test_a_night": "a whole night with its report, as the daily job runs",
    "test_explain.py::test_a_report_and_its_columns_are_explained": "all reports",
    "test_finding_fields.py::test_a_field_of_a_finding_reaches_every_format": "a program of its own, with a report in all formats",
    "test_house.py::test_1_to_9_a_unit_obeys_the_rules_of_the_house": "all units of all folders",
    "test_house_code.py::test_13_every_room_has_a_layer": "reads the imports of all modules",
    "test_language.py::test_no_tracked_file_has_a_forbidden_phrase": "reads all texts of the repository, generated pages too",
    "test_oracle.py::test_the_columns_of_the_rich_estate_are_right": "all views",
    "test_pictures.py::test_a_rule_without_its_key_in_the_picture_is_an_error": "draws the picture of every rule",
    "test_pipeline.py::test_workers_give_the_same_tables_in_the_same_order": "starts processes, of which each imports the libraries",
    "test_plan.py::test_a_case_has_its_answer": "all cases of all plans",
    "test_plan.py::test_a_plan_is_complete": "all plans",
    "test_printed_commands.py::test_what_is_printed_can_be_typed": "a report in all formats that have commands",
    "test_published.py::test_published_findings": "the figures of the documents at their limits, for all rules that have some",
    "test_rules.py::test_cases": "all cases of all rules",
}
"""Tests of `make test` that take more than `LISTED` seconds, as `file::function` without parameters, each with the
reason why they stay there."""

P = ParamSpec("P")
T = TypeVar("T")

COSTS = pytest.StashKey["Costs"]()
OVER = pytest.StashKey[list[str]]()
KEY = "costs of tests"


@dataclass
class Costs:
    """Seconds of processor time: of a worker as they were measured, of the whole run each corrected by the speed of its
    processor.
    """

    slowness: float = 1.0
    total: float = 0.0
    tests: dict[str, float] = field(default_factory=dict)
    estates: dict[str, float] = field(default_factory=dict)

    def add(self, other: Costs) -> None:
        """Add the costs of a worker."""
        self.total += other.total / other.slowness
        for mine, given in ((self.tests, other.tests), (self.estates, other.estates)):
            for name, seconds in given.items():
                mine[name] = mine.get(name, 0.0) + seconds / other.slowness


def spent() -> float:
    """Processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def reference() -> float:
    """Seconds of processor time of a computation of the kind that the tests do: Python objects, and DuckDB over some
    rows.
    """
    import duckdb

    took = []
    connection = duckdb.connect(config={"threads": 1})
    for _ in range(3):
        began = time.process_time()
        words: dict[str, int] = {}
        for number in range(200_000):
            key = f"MQ{number % 977:03}"
            words[key] = words.get(key, 0) + len(key) * number
        query = "SELECT n % 997 AS k, sum(n), max(hash(n)) FROM range(1000000) AS r(n) GROUP BY k ORDER BY k"
        assert len(words) == 977
        assert len(connection.execute(query).fetchall()) == 997
        took.append(time.process_time() - began)
    connection.close()
    return statistics.median(took)


_charged = [0.0]
"""For the running test, and for each estate that is computed, innermost last: the seconds inside it that are charged to
another estate."""
ESTATES: dict[str, float] = {}
"""Seconds by estate, in this process."""


@contextmanager
def charged(estate: str) -> Iterator[None]:
    """Charge what happens inside to an estate, not to the test that happens to need it first."""
    _charged.append(0.0)
    began = spent()
    try:
        yield
    finally:
        took = spent() - began
        inside = _charged.pop()
        _charged[-1] += took
        ESTATES[estate] = ESTATES.get(estate, 0.0) + took - inside


def cache(function: Callable[P, T]) -> Callable[P, T]:
    """`functools.cache` whose computation is charged to the function, not to the test that happens to call it first."""
    name = f"{function.__module__}: {function.__qualname__}"

    @functools.cache
    @functools.wraps(function)
    def computed(*args: P.args, **kwargs: P.kwargs) -> T:
        with charged(name):
            return function(*args, **kwargs)

    return cast(Callable[P, T], computed)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--budget",
        type=float,
        metavar="SECONDS",
        help=f"fail if the tests take more than {TOLERANCE} times this processor time",
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """A worker measures its processor while the others do."""
    costs = session.config.stash[COSTS] = Costs()
    if session.config.getoption("budget") and not _has_workers(session.config):
        took = reference()
        costs.slowness, costs.total = took / REFERENCE, -3 * took


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """The cost of a test."""
    _charged[:] = [0.0]
    began = spent()
    try:
        return (yield)
    finally:
        item.config.stash[COSTS].tests[item.nodeid] = spent() - began - _charged[0]


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """What several tests share is charged to itself: a fixture of a file or of the session."""
    if fixturedef.scope not in ("session", "package", "module"):
        return (yield)
    with charged(f"{fixturedef.baseid or 'tests/plugin.py'}: {fixturedef.argname}"):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker sends its costs; the run adds them, and fails if they are over its budget."""
    config, costs = session.config, session.config.stash[COSTS]
    if _has_workers(config):
        times = os.times()  # of this process alone: the workers have sent theirs
        costs.total += times.user + times.system
    else:
        costs.total += spent()
        costs.estates = {**ESTATES}
        if hasattr(config, "workeroutput"):
            sent = {
                name: {k: v for k, v in given.items() if v > 0.05}
                for name, given in (("tests", costs.tests), ("estates", costs.estates))
            }
            config.workeroutput[KEY] = {"slowness": costs.slowness, "total": costs.total, **sent}
            return
        config.stash[COSTS] = Costs()
        config.stash[COSTS].add(costs)
    budget = config.getoption("budget")
    if budget:
        config.stash[OVER] = over(config.stash[COSTS], budget)
        if config.stash[OVER] and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The costs of a worker that ends."""
    given = getattr(node, "workeroutput", {}).get(KEY)
    if given:
        node.config.stash[COSTS].add(Costs(**given))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The most expensive tests and estates, and what is over the budget."""
    costs = config.stash[COSTS]
    most = sorted((*costs.tests.items(), *costs.estates.items()), key=lambda item: -item[1])[:SHOWN]
    if len(costs.tests) > SHOWN:
        terminalreporter.section("seconds of processor time", sep="-")
        for name, seconds in most:
            terminalreporter.write_line(f"{seconds:8.1f}  {name}")
        terminalreporter.write_line(
            f"{costs.total:8.0f}  in all, of which {sum(costs.estates.values()):.0f} for estates"
        )
    for line in config.stash.get(OVER, ()):
        terminalreporter.write_line(f"ERROR: {line}")


def over(costs: Costs, budget: float) -> list[str]:
    """What is wrong with the costs of all tests of a tier, one sentence each."""
    out = []
    if costs.total > TOLERANCE * budget:
        out.append(
            f"the tests took {costs.total:.0f} s of processor time, more than {TOLERANCE} times their budget of {budget:.0f} s:"
            " make some cheaper, or mark them as slow (CONTRIBUTING.md, Tests)"
        )
    taken: dict[str, float] = {}
    for name, seconds in costs.tests.items():
        file, _, test = name.partition("::")
        function = f"{file.rpartition('/')[2]}::{test.partition('[')[0]}"
        taken[function] = max(taken.get(function, 0.0), seconds)
    return out + [
        f"{function} took {seconds:.1f} s: make it cheaper, or add its reason to EXPENSIVE in tests/costs.py"
        for function, seconds in sorted(taken.items())
        if function not in EXPENSIVE and seconds > UNLISTED
    ]


def _has_workers(config: pytest.Config) -> bool:
    """Whether this process only distributes the tests."""
    return bool(getattr(config.option, "tx", None)) and not hasattr(config, "workeroutput")
