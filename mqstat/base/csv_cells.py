"""Text in a CSV cell: no control characters, and nothing that a spreadsheet runs as a formula.

Source: OWASP, "CSV Injection": cells that begin with = + - @ tab or carriage return are preceded by a single quote.
"""

from __future__ import annotations

import re

from mqstat.base.formatting import clean

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\Z")


def safe(text: str) -> str:
    """A text for a CSV cell: control characters become `?`, a text that begins like a formula gets a leading single
    quote; numbers are unchanged.
    """
    begins = text.startswith(_FORMULA) and not _NUMBER.match(text)
    shown = clean(text)
    return f"'{shown}" if begins else shown
