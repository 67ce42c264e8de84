"""The rows of the views over opened data, for programs that do not run the views."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache

from mqstat.base.errors import UsageError, ViewError
from mqstat.base.nearest import nearest_or_known
from mqstat.sql.needs import tables_below
from mqstat.sql.schemas import SIDE_TABLES, quoted
from mqstat.sql.sqlfile import views
from mqstat.sql.workspace import Workspace

NEEDS_MORE = frozenset({"finding", "area_state", *SIDE_TABLES})
"""Tables that only judging or a comparison fills: views that read them have no rows here."""

DAY_COLUMNS = ("interval_start_local", "written_local", "record_start_local", "hour_local", "hour_start_local", "task_start_local", "date_local")  # fmt: skip
"""Columns with the local day of a row, the first one that a view has."""

ROWS = 65_536
"""Rows that are read at a time."""


@cache
def view_names() -> tuple[str, ...]:
    """The views whose rows depend on opened data only."""
    return tuple(view for view in views() if not tables_below(view) & NEEDS_MORE)


def chosen_views(names: Iterable[str]) -> tuple[str, ...]:
    """The named views, or all; UsageError for an unknown name, or if its rows depend on more than the data."""
    wanted = dict.fromkeys(names)
    for name in wanted:
        if name not in views():
            known = nearest_or_known(name, view_names(), "mqstat tables lists them")
            raise UsageError(f"--view {name}: no such view{known}.")
        if name not in view_names():
            raise UsageError(f"--view {name}: its rows depend on rules or on a comparison; choose another view.")
    return tuple(wanted) or view_names()


def day_column(view: str) -> str | None:
    """The column with the local day of a row; None for a view whose rows are not of a day."""
    return next((name for name in DAY_COLUMNS if name in views()[view].columns), None)


def compute(database: Workspace, names: Collection[str]) -> None:
    """Compute what several of these views read; ViewError for a view that fails."""
    failed = database.keep([[view] for view in names])
    if failed:
        raise ViewError(f"{next(iter(failed.values()))}.")


@contextmanager
def rows_of(database: Workspace, view: str) -> Iterator[str]:
    """The name of a table with the rows of a view, which are computed only once, for the duration of a `with`."""
    name = f"{database.copies}.rows_of_view"
    database.execute(
        f"CREATE OR REPLACE {'TEMP ' if database.copies == 'temp' else ''}TABLE {name} AS FROM {quoted(view)}"
    )
    try:
        yield name
    finally:
        database.execute(f"DROP TABLE {name}")
