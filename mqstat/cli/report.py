"""Commands that judge and show: report, explain."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mqstat.errors import UsageError


def report() -> int:
    return 0


def explain(rule: Annotated[str, typer.Argument(metavar="RULE", help="Id of a rule, such as BP004.")]) -> int:
    """Explain a rule."""
    return 0
