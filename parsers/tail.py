"""Bytes between and after records that are no damage: fill of data sets with fixed blocks, and what tools put after the
last record.
"""

from __future__ import annotations

import numpy as np

from mqstat.parsers.resync import Bytes, Flags

FILL, _ASCII, _EBCDIC = 1, 2, 4
TEXT = _ASCII | _EBCDIC
"""Either code of text."""


def _table(text: bytes, controls: bytes) -> Flags:
    """Which bytes occur in text with these control characters and X'1A'; X'00' is in the descriptor of a record."""
    table = np.zeros(256, dtype=np.bool_)
    table[list(text + controls + b"\x1a")] = True
    return table


_PRINTABLE = bytes(range(32, 127))
_IN_ASCII = _table(_PRINTABLE, b"\t\n\f\r")
_IN_EBCDIC = _table(_PRINTABLE.decode("ascii").encode("cp037"), b"\x05\x0c\x0d\x15\x25")


def kinds_of(data: Bytes) -> int:
    """What all of these bytes can be, as a sum of FILL and the codes of text; that of two parts is the bits that both
    have.
    """
    return FILL * (not data.any()) | _ASCII * bool(_IN_ASCII[data].all()) | _EBCDIC * bool(_IN_EBCDIC[data].all())
