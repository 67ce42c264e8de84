"""How records are framed in an input."""

from __future__ import annotations

from enum import Enum


class Framing(Enum):
    """The framings of SMF dumps, under the names that the option `--framing` takes."""

    RDW = "rdw"
    BDW = "bdw"
    NO_RDW = "no-rdw"
    LENGTH_PREFIXED = "length-prefixed"
