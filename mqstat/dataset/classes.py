"""The class of records, statistics (115) or accounting (116), whose rows a table has."""

from __future__ import annotations

from functools import cache

from mqstat.parsers import LAYOUTS

CLASSES = ("115", "116")
"""Statistics and accounting."""


@cache
def class_of(table: str) -> str:
    """The class of the records whose rows a table has; "" for both classes, and for counts over an input."""
    for layout in LAYOUTS.values():
        if table == layout.name or table in {child.name for child in layout.children}:
            types = {str(smf_type) for smf_type, _, _ in layout.routes}
            return types.pop() if len(types) == 1 else ""
    return ""
