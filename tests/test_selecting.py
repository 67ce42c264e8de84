"""Which tests run, in `make test`, `make test-ci` and `make campaign`, with ONLY and in a slice, and what they may
cost.
"""

from __future__ import annotations

import inspect
import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from campaign.__main__ import HEAD, row, rows
from campaign.slices import FOLDER, Journal, lines, part_of, parts, passed, results_of, slice_of
from campaign.test_planted import TIERS
from tests.costs import ESTATES, EXPENSIVE, Costs, cache, charged, over
from tests.each import CHOSEN, each
from tests.selecting import select
from tests.support import ROOT


def item(file: str, name: str, *fixtures: str, units: tuple[str, ...] = ()) -> Any:
    """A test as pytest collects it; `units` are those of a test over units."""
    test = SimpleNamespace(path=Path(file), name=name, nodeid=f"{file}::{name}", fixturenames=fixtures)
    test.function, test.stash = SimpleNamespace(units=units), {}
    return test


ITEMS = [
    item("test_log_views.py", "test_windows"),
    item("test_rules.py", "test_cases[LG001]"),
    item("test_rules.py", "test_cases[BP001]"),
    item("test_reports.py", "test_text_of_every_report[log/busy]", "golden", "update_golden"),
    item("test_reports.py", "test_text_of_every_report[smds/io]", "golden", "update_golden"),
    item("test_scenarios.py", "test_the_rules[log_write_stall]", "golden", "update_golden"),
    item("test_scenarios.py", "test_the_rules[pool_exhausted]", "golden", "update_golden"),
    item("test_layouts.py", "test_data_dictionary_page[qjst]", "golden", "update_golden"),
    item("test_catalogue.py", "test_every_report"),
]


def chosen(only: str, update_golden: bool = False) -> list[str]:
    kept, left = select(ITEMS, only, update_golden)
    assert [item for item in ITEMS if item in kept or item in left] == ITEMS
    return [item.nodeid.partition("::")[2] for item in kept]


@pytest.mark.parametrize(
    ("only", "names"),
    [
        ("log_views", ["test_windows"]),
        ("test_log_views.py", ["test_windows"]),
        ("log", ["test_windows", "test_cases[LG001]", "test_text_of_every_report[log/busy]", "test_the_rules[log_write_stall]"]),
        ("BP001", ["test_cases[BP001]", "test_the_rules[pool_exhausted]"]),
        ("log/busy, qjst", ["test_text_of_every_report[log/busy]", "test_data_dictionary_page[qjst]"]),
        ("test_every_report", ["test_every_report"]),
        ("", [item.name for item in ITEMS]),
    ],
)  # fmt: skip
def test_a_word_selects_what_it_names(only: str, names: list[str]) -> None:
    assert chosen(only) == names


def test_goldens_are_written_by_their_tests_only() -> None:
    assert chosen("", update_golden=True) == [item.name for item in ITEMS if "golden" in item.fixturenames]
    assert chosen("log", update_golden=True) == [
        "test_text_of_every_report[log/busy]",
        "test_the_rules[log_write_stall]",
    ]


@pytest.mark.parametrize(
    ("only", "units"),
    [("log", {"log/busy", "LG001"}), ("LG001", {"LG001"}), ("log/busy, BP001", {"log/busy", "BP001"}), ("rules,LG001", None), ("", None)],
)  # fmt: skip
def test_a_word_selects_units_of_a_test(only: str, units: set[str] | None) -> None:
    """None: all of them."""
    over = item("test_rules.py", "test_over_units", units=("log/busy", "smds/io", "LG001", "BP001"))
    kept, _ = select([over], only, False)
    assert kept == [over]
    assert over.stash.get(CHOSEN) == units


def test_every_unit_that_fails_is_listed() -> None:
    @each(["one", "two", "three", "four"])
    def check(name: str, least: int) -> None:
        assert len(name) > least
        if name == "four":
            pytest.fail("it is the fourth")

    def run(*chosen: str) -> str:
        request = SimpleNamespace(node=SimpleNamespace(stash={CHOSEN: chosen} if chosen else {}))
        with pytest.raises(pytest.fail.Exception) as failed:
            check(request, least=3)
        return str(failed.value)

    assert re.fullmatch(
        r"3 of 4 fail:\none: assert .* \(test_selecting.py, line \d+\)\ntwo: .*\nfour: it is the fourth .*",
        run(),
        re.DOTALL,
    )
    assert run("one", "three").startswith("1 of 2 fail:\none: ")
    assert list(inspect.signature(check).parameters) == ["request", "least"]
    with pytest.raises(ValueError, match="registry"):
        each([])


def test_a_word_that_names_nothing_is_an_error() -> None:
    with pytest.raises(pytest.UsageError, match="ONLY=lgo selects no test: give a scenario"):
        chosen("log,lgo")
    with pytest.raises(pytest.UsageError, match="ONLY=log_views selects no golden-writing test"):
        chosen("log_views", update_golden=True)


def test_three_tiers_are_the_whole_suite() -> None:
    """A marker decides: every test has it or not. Words select tests of both tiers; what is in campaign/ is the
    third.
    """
    recipes = re.findall(
        r"^(test[a-z-]*): .*\n(?:\t@.*\n)*?\t@\$\(PYTEST\) (.*)$",
        (ROOT / "Makefile").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert dict(recipes) == {
        "test": '$(if $(ONLY),--only "$(ONLY)",-m "not slow" --budget $(BUDGET))',
        "test-ci": "campaign tests -m slow --slice due",
    }
    assert [tier[1:] for tier in TIERS.values()] == [("-m", "not slow"), ("tests", "-m", "slow", "--slice", "1")]
    job = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line.rpartition(" ")[2] for line in job if line.startswith("make ")] == ["check", "test", "test-ci"]


# --------------------------------------------------------------------------------------------------------- the campaign


def test_each_slice_has_its_tests_and_all_slices_have_all() -> None:
    tests: list[Any] = [item("test_kills.py", f"test_{number}") for number in range(10)]
    for slices in (1, 3, 10, 25):
        found = [[test.name for test in slice_of(tests, slices, number)] for number in range(7, 7 + slices)]
        assert sorted(name for part in found for name in part) == sorted(test.name for test in tests)
        assert max(map(len, found)) - min(map(len, found)) <= 1
        assert [*slice_of(tests, slices, 3)] == [*slice_of(tests, slices, 3 + slices)]


def test_what_passed_is_left_out_after_an_interruption(tmp_path: Path) -> None:
    """A test that failed is tried again, and so is the one whose line was cut when the run was killed."""
    journal = Journal(tmp_path / "kills.jsonl")
    for name, outcome in (("a", "passed"), ("b", "failed"), ("c", "skipped")):
        report: Any = SimpleNamespace(
            nodeid=name,
            when="call",
            outcome=outcome,
            passed=outcome == "passed",
            duration=1.5,
            user_properties=[("kills", 6)],
        )
        journal.pytest_runtest_logreport(report)
    with journal.path.open("a") as stream:
        stream.write('{"test": "d", "outc')
    assert passed(journal.path) == {"a"}
    Journal(journal.path).pytest_runtest_logreport(report)
    assert [line["test"] for line in lines(journal.path)] == ["a", "b", "c"]
    worker: Any = SimpleNamespace(workeroutput={"campaign": 4})
    for whole in (False, True):
        journal.pytest_testnodedown(worker)
        assert results_of(journal.path)[1] == whole
        report.nodeid = "d"
        journal.pytest_runtest_logreport(report)
    assert lines(journal.path)[0] == {"test": "a", "outcome": "passed", "seconds": 1.5, "counts": {"kills": 6}}


def test_every_file_of_the_campaign_is_in_one_part() -> None:
    files = [
        path for path in FOLDER.rglob("test_*.py") if path.parent.name != "spark"
    ]  # these are run by campaign/test_spark.py
    assert sorted(path for part in parts().values() for path in part.paths) == sorted(files)
    assert {*part_of()} == {*files}
    for part in parts().values():
        assert [folder for folder in part.guards if not (ROOT / folder).exists()] == [], part.name


def test_the_line_of_a_part_is_read_back() -> None:
    part = parts()["kills"]
    line = row(part, [{"outcome": "passed", "seconds": 2.0, "counts": {"kills": 6}}])
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    assert len(cells) == HEAD.splitlines()[-1].count("---")
    assert (cells[0], cells[5:]) == (part.name, ["1", "0", "2", "6 kills"])
    assert {*rows()} <= {*parts()}


# ----------------------------------------------------------------------------------------------------------- the budget


def test_the_costs_of_workers_are_added_at_the_speed_of_the_reference() -> None:
    total = Costs()
    total.add(Costs(2.0, 100.0, {"tests/test_a.py::test_b[1]": 9.0}, {"estate rich": 20.0}))
    total.add(Costs(1.0, 30.0, {"tests/test_a.py::test_b[2]": 1.0}, {"estate rich": 5.0}))
    assert (total.total, total.estates) == (80.0, {"estate rich": 15.0})
    assert over(total, 64.0) == [
        "test_a.py::test_b took 4.5 s: make it cheaper, or add its reason to EXPENSIVE in tests/costs.py"
    ]
    (line,) = [line for line in over(total, 63.9) if "budget" in line]
    assert line.startswith("the tests took 80 s of processor time, more than 1.25 times their budget of 64 s")


def test_an_estate_is_no_cost_of_the_test_that_needs_it_first() -> None:
    def work(seconds: float) -> None:
        until = time.process_time() + seconds
        while time.process_time() < until:
            pass

    shared = cache(work)
    name = f"{work.__module__}: {work.__qualname__}"
    before = {**ESTATES}
    with charged("outer of the test"):
        work(0.05)
        shared(0.2)
        shared(0.2)
    took = {each: ESTATES.pop(each) - before.get(each, 0.0) for each in ("outer of the test", name)}
    assert 0.03 <= took["outer of the test"] < 0.15 <= took[name] < 0.35


def test_a_test_that_is_listed_as_expensive_is_there() -> None:
    for name, reason in EXPENSIVE.items():
        file, _, function = name.partition("::")
        assert f"\ndef {function}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), name
        assert reason
