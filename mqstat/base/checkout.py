"""The parts of the program belong to one tree: two checkouts that share an editable installation would mix their
code.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from mqstat.base.errors import MqstatError

HOME = Path(__file__).resolve().parents[1]
"""The folder of package mqstat."""

PARTS = ("fixtures", "parsers", "reports", "rules")
"""Packages of mqstat with a folder of their own in a checkout."""


@cache
def check_parts() -> None:
    """MqstatError if a part of the program is in another tree than this module: Python takes mqstat from the current
    folder, its parts from the installed checkout.
    """
    for name in PARTS:
        spec = find_spec(f"mqstat.{name}")
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            part = Path(folder, "__init__.py").resolve().parent
            if part.parent not in (HOME, HOME.parent):
                raise MqstatError(
                    f"{HOME} would run with {part} of another checkout: start mqstat outside {HOME.parent}, or with the virtual environment of that checkout."
                )
