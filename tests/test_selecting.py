"""`make test ONLY=...` and `make golden ONLY=...` run exactly the selected tests."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.selecting import select


def item(file: str, name: str, *fixtures: str) -> Any:
    """A test as pytest collects it."""
    return SimpleNamespace(path=Path(file), name=name, nodeid=f"{file}::{name}", fixturenames=fixtures)


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


def test_a_word_that_names_nothing_is_an_error() -> None:
    with pytest.raises(pytest.UsageError, match="ONLY=lgo selects no test: give a scenario"):
        chosen("log,lgo")
    with pytest.raises(pytest.UsageError, match="ONLY=log_views selects no golden-writing test"):
        chosen("log_views", update_golden=True)
