"""A database over tables that a test has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mqstat.sql.database import open_workspace
from mqstat.sql.decoded import TableSource
from mqstat.sql.opened import Opened
from mqstat.sql.workspace import Workspace


def open_database(
    tables: Mapping[str, TableSource],
    *,
    threads: int | None = None,
    temp_directory: Path | None = None,
    views: Any = True,
    **given: Any,
) -> Workspace:
    """A database with these decoded tables; `given` = further fields of `Opened`."""
    opened = Opened(tables, views=views, **{name: value for name, value in given.items() if value is not None})
    return open_workspace(opened, threads=threads, temp_directory=temp_directory)
