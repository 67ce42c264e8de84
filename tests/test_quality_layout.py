"""The columns that a short section lacks, as view quality_layout lists them, follow from the layouts."""

from __future__ import annotations

from mqstat.database import open_database
from mqstat.parsers import LAYOUTS
from mqstat.plans import rows


def test_columns_absent_are_those_beyond_the_section() -> None:
    expected = {
        (layout.name, size): sum(
            len(field.columns or (field.name,))
            for field in layout.named
            if not field.reserved and field.kind != "internal" and field.at >= size
        )
        for layout in LAYOUTS.values()
        for size in set(layout.sizes)
    }
    with open_database({}, views=False) as db:
        found = rows(db, "SELECT structure, section_bytes, columns_absent FROM quality_layout")
    assert {(row["structure"], row["section_bytes"]): row["columns_absent"] for row in found} == expected
