"""What is outside the repository, in folders that environment variables name: real dumps, their reference values, the
catalogue, documents.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def outside(variable: str, what: str) -> Path:
    """The folder that an environment variable names; the test is skipped with a reason if it is not set."""
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set: {what} are outside the repository")
    path = Path(value)
    if not path.is_dir():
        pytest.fail(f"{variable} names {value}, which is not a folder")
    return path
