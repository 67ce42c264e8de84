"""The columns that a short section lacks: view quality_layout has every published length of every structure."""

from __future__ import annotations

from mqstat.parsers import LAYOUTS
from tests.opening import open_database

KNOWN = {
    ("qjst", 120): 48,
    ("qjst", 596): 22,
    ("qmst", 72): 32,
    ("qqst", 84): 79,
    ("qwhs", 36): 2,
    ("wq", 576): 44,
    ("wtas", 704): 35,
}
"""Counted by hand: columns whose field is beyond a section of that length."""


def test_columns_absent_are_those_beyond_the_section() -> None:
    with open_database({}, views=False) as db:
        result = db.ask_rows("SELECT structure, section_bytes, columns_absent FROM quality_layout")
    absent = {(row["structure"], row["section_bytes"]): row["columns_absent"] for row in result}
    assert len(absent) == len(result)
    assert absent.keys() == {(layout.name, size) for layout in LAYOUTS.values() for size in layout.sizes}
    assert {key: absent[key] for key in KNOWN} == KNOWN
