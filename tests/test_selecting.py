"""`make test` and `make test-all` are the whole suite; `make test ONLY=...` and `make golden ONLY=...` run exactly the selected tests."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.each import CHOSEN, each
from tests.planted import FIRST_TIER
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


def test_two_tiers_are_the_whole_suite() -> None:
    """A marker decides: every test has it or not. Words select tests of both tiers."""
    recipes = re.findall(
        r"^(test[a-z-]*): .*\n\t@\$\(PYTEST\) (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert dict(recipes) == {"test": f'$(if $(ONLY),--only "$(ONLY)",-m "{FIRST_TIER}")', "test-all": "-m slow"}
    assert FIRST_TIER == "not slow"
    job = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line.rpartition(" ")[2] for line in job if line.startswith("make ")] == ["check", "test", "test-all"]
