"""Planted faults: small mistakes in the product, by which the suite is measured. `campaign/planted.toml` has them,
`campaign/test_planted.py` plants them.

Each fault replaces one piece of one file. `found_by` names the test that found it last; `tier` is test-ci if no test of
`make test` does, and `missed` states why none at all does. Those with `wrong`, which states what a user would see, were
written by somebody who had not read the tests.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from campaign.statement_mutants import Replacement

FILE = Path(__file__).with_name("planted.toml")
SHARE = 0.8
"""Share of the faults that `make test` finds; of the others half are found by one run of `make test-ci`, whichever
slice is due."""


@dataclass(frozen=True)
class Fault(Replacement):
    """A wrong version of one file."""

    room: str = ""
    wrong: str = ""
    found_by: str = ""
    tier: str = "test"
    missed: str = ""


def faults() -> dict[str, Fault]:
    """All faults by name."""
    given = tomllib.loads(FILE.read_text(encoding="utf-8"))["fault"]
    made = [Fault(old=fault.pop("before"), new=fault.pop("after"), **fault) for fault in given]
    return {fault.name: fault for fault in made}
