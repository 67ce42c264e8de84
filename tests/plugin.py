"""Options and fixtures for all tests, in tests/ and campaign/: goldens, and the real dumps, which are outside the
repository.

A plugin (pyproject.toml), not a conftest.py of the top folder: pytest would search that folder first, where mqstat
lacks the parts that are folders of their own.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import Chromium, find_chromium, started
from tests.golden_parts import without_counts
from tests.outside import outside
from tests.selecting import select

if TYPE_CHECKING:
    from mqstat.assemble.model import Report
    from tests.outputs import Outputs

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
UPDATE = "make golden, and review the difference"
UNKNOWN = "unknown word of --only"
UNKNOWN_KEY = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """The programs that tests start share compiled modules, also if the environment does not write them: there are
    hundreds of them.
    """
    os.environ.pop("COLUMNS", None)  # a job does not have the width of the terminal in which the tests run
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(ROOT / "build" / "pycache"))
    gc.set_threshold(100_000, 20, 100)  # as the program does


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="run the tests that write files under tests/golden, and write these files instead of comparing with them",
    )
    parser.addoption(
        "--only",
        default="",
        metavar="WORDS",
        help="run the tests about a scenario, area, rule, report, layout or test file; several with commas between them",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`--only` and `--update-golden` choose tests (tests/selecting.py)."""
    try:
        kept, left = select(items, config.getoption("--only"), config.getoption("--update-golden"))
    except pytest.UsageError as error:
        if not hasattr(config, "workeroutput"):
            raise
        config.workeroutput[UNKNOWN] = str(error)  # a worker that raises here ends with a traceback of xdist
        kept, left = [], [*items]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept
    items[:] = together(items)


def together(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests that read the output of a scenario or dump, grouped by it, so that no worker waits for an output that
    another worker makes.
    """
    from tests.estates import ESTATE_OF

    subject: dict[str, list[pytest.Item]] = {}
    others = []
    for item in items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        name = parameters.get("name") or parameters.get("dump")
        if "outputs" in getattr(item, "fixturenames", ()) and name:
            subject.setdefault(ESTATE_OF.get(str(name), str(name)), []).append(item)
        else:
            others.append(item)
    return [*(item for group in subject.values() for item in group), *others]


def pytest_collection_finish() -> None:
    """Modules and tests stay until the end: the garbage collector need not look through them again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    """At the end everything is freed: DuckDB reports objects that are left."""
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A word of `--only` that a worker does not know."""
    if UNKNOWN in getattr(node, "workeroutput", {}):
        node.config.stash[UNKNOWN_KEY] = node.workeroutput[UNKNOWN]


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for a disk: for tests that do not look at what is on it."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether to write goldens instead of comparing them."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def golden(update_golden: bool) -> Callable[[str, str], None]:
    """`golden("reports/pool_exhausted/log/busy.txt", text)` compares a text with the file of that name under
    tests/golden.
    """

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        text = without_counts(text)
        if update_golden:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        if not path.exists():
            pytest.fail(f"tests/golden/{name} is not there: {UPDATE}")
        assert text.splitlines() == path.read_text(encoding="utf-8").splitlines(), (
            f"tests/golden/{name} differs: {UPDATE}"
        )

    return compare


@pytest.fixture(scope="session")
def dumps() -> Path:
    """The folder with real dumps."""
    return outside("MQSTAT_DUMPS", "real dumps")


@pytest.fixture(scope="session")
def expected() -> Path:
    """The folder with the raw reference values of these dumps."""
    return outside("MQSTAT_EXPECTED", "the reference values of real dumps")


@pytest.fixture(scope="session")
def catalogue() -> Path:
    """The folder with the catalogue of rules, reports and golden figures."""
    return outside("MQSTAT_CATALOGUE", "the catalogue and its golden figures")


@pytest.fixture(scope="session")
def sources() -> Path:
    """The folder with the documents that limits and messages cite."""
    return outside("MQSTAT_SOURCES", "the documents that limits and messages cite")


@pytest.fixture(scope="session")
def outputs(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Outputs:
    """The output of the program for each scenario, made once for all workers."""
    from tests.outputs import Outputs  # tests that need no report start without the whole program

    base = tmp_path_factory.getbasetemp()
    return Outputs((base if worker_id == "master" else base.parent) / "outputs")


@pytest.fixture(scope="session")
def pool_report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    """The report of scenario pool_exhausted with its page, its database open: making it takes seconds, and the tests of
    several files read it.
    """
    from mqstat.assemble.health import health_report
    from mqstat.fixtures.scenarios import SCENARIOS
    from tests.support import file_of, reading

    with reading(file_of(SCENARIOS["pool_exhausted"].build(), tmp_path_factory.mktemp("pool"))) as db:
        yield health_report(db, page=True)


@pytest.fixture(scope="session")
def small_report() -> Iterator[Report]:
    """A nearly empty report."""
    from mqstat.assemble.health import health_report
    from tests.opening import open_database
    from tests.support import arrow

    pool = {"pool_id": 1, "buffers": 200, "lowest_stealable": 50}
    with open_database(arrow({"qpst": [pool]}, 1_800_000_000), views=False) as db:
        yield health_report(db, every_table=True)


@pytest.fixture(scope="session")
def chromium(request: pytest.FixtureRequest) -> Iterator[Chromium | None]:
    """The browser of this process; None if goldens are written or Chromium is not installed (tests/test_browser.py
    reports that).
    """
    if request.config.getoption("--update-golden") or find_chromium() is None:
        yield None
        return
    from tests.costs import charged

    with ExitStack() as stack:
        yield stack.enter_context(started())
        with charged("Chromium"):  # its processor time counts when it ends
            stack.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with the argument `dump` runs once for every real dump, or is skipped with a reason; it is slow if it
    reads the output for the dump.
    """
    if "dump" not in metafunc.fixturenames:
        return
    folder = os.environ.get("MQSTAT_DUMPS")
    if folder:
        dumps = sorted(Path(folder).glob("*.dat"))
        marks = [pytest.mark.slow] if "outputs" in metafunc.fixturenames else []
        metafunc.parametrize("dump", [pytest.param(path, marks=marks, id=path.stem) for path in dumps])
    else:
        skip = pytest.mark.skip(reason="MQSTAT_DUMPS is not set: real dumps are outside the repository")
        metafunc.parametrize("dump", [pytest.param(None, marks=skip, id="none")])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The counts that tests record (`record_property`), summed over all runs and processes."""
    if UNKNOWN_KEY in terminalreporter.config.stash:
        terminalreporter.write_line(f"ERROR: {terminalreporter.config.stash[UNKNOWN_KEY]}")
    sums: dict[str, int] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                for name, value in report.user_properties:
                    if isinstance(value, int):
                        sums[name] = sums.get(name, 0) + value
    if sums:
        terminalreporter.section("what was compared", sep="-")
        for name, value in sums.items():
            terminalreporter.write_line(f"{value:>12,}  {name}")
