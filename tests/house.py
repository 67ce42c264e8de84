"""The registries of units that the house tests check, and the message of a failed house test."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

import duckdb

from mqstat.base.errors import MqstatError, SqlFileError, UsageError
from mqstat.judge import model
from mqstat.parsers.kit import Layout
from mqstat.sql import sqlfile
from mqstat.sql.query import check_query
from mqstat.sql.syntax import tables_used
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.opening import open_database

ROOT = Path(__file__).resolve().parent.parent

VIEWS = list(sqlfile.views().values())
REPORTS = list(sqlfile.reports().values())
PICTURES = list(sqlfile.pictures().values())
RULES = list(model.rules().values())
UNITS = [*VIEWS, *REPORTS, *PICTURES, *(rule.file for rule in RULES)]

KINDS = ("view", "report", "picture", "rule")

Check = Callable[[sqlfile.SqlFile], None]
CHECKS: dict[str, list[Check]] = {kind: [] for kind in KINDS}
"""What each kind of unit is held to."""


def each_unit(*kinds: str) -> Callable[[Check], Check]:
    """Hold every unit of these kinds, or every unit at all, to a rule of the house: the function gets the unit."""

    def registered(check: Check) -> Check:
        for kind in kinds or KINDS:
            CHECKS[kind].append(check)
        return check

    return registered


def each_rule(check: Callable[[model.Rule], None]) -> Callable[[model.Rule], None]:
    """Hold every rule to a rule of the house: the function gets the rule with its header."""
    CHECKS["rule"].append(lambda unit: check(model.rules()[unit.id]))
    return check


def failures(unit: sqlfile.SqlFile) -> Iterator[str]:
    """What a unit does not obey. All checks run: whoever adds a unit sees at once all that is missing."""
    for check in CHECKS[unit.kind]:
        try:
            check(unit)
        except (AssertionError, MqstatError, duckdb.Error) as error:
            yield str(error) if unit.name in str(error) else f"{unit.name}: {error}"


class Checks:
    """What every layout is held to: functions with this as their decorator, which all run for a layout."""

    def __init__(self) -> None:
        self.functions: list[Callable[[Layout], None]] = []

    def __call__(self, function: Callable[[Layout], None]) -> Callable[[Layout], None]:
        self.functions.append(function)
        return function

    def failures(self, layout: Layout) -> Iterator[str]:
        """What a layout does not obey."""
        for function in self.functions:
            try:
                function(layout)
            except AssertionError as error:
                yield str(error)


@cache
def generator() -> ModuleType:
    """The module docs/generate.py."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def page_module(name: str) -> ModuleType:
    """A module of docs/pages."""
    generator()  # puts the folder of the repository on the path
    return importlib.import_module(f"docs.pages.{name}")


def cure(action: str, locations: Iterable[object]) -> str:
    """The message of a failed house rule: what to do, and the files or units that need it."""
    return "\n  ".join([f"{action}:", *map(str, locations)])


def is_sentence(text: str) -> bool:
    """Whether a text is not empty and ends like a sentence."""
    return text.strip().endswith((".", "?"))


def parameters(rule: model.Rule) -> frozenset[str]:
    """The thresholds that the statement of the rule uses: all except those that only the minimum activity uses."""
    return frozenset(re.findall(r"\$([a-z][a-z0-9_]*)", rule.statement)).intersection(rule.thresholds)


def result_columns(unit: sqlfile.SqlFile) -> dict[str, str]:
    """Names and DuckDB types of the columns of a file's SELECT; for a rule those of the statement that a finding shows,
    with `breach`.
    """
    if unit.kind == "view":
        return columns_of_views()[unit.id]
    text, unbound = unit.text, frozenset[str]()
    if unit.kind == "rule":
        rule = model.rules()[unit.id]
        text, unbound = rule.statement, parameters(rule)
    return _described(text, unbound)


@cache
def _described(text: str, unbound: frozenset[str]) -> dict[str, str]:
    """Names and DuckDB types of the columns of a SELECT over views: several checks of a unit read them."""
    described = views_as_tables().execute(f"DESCRIBE {text}", dict.fromkeys(unbound, 0) or None)
    return {row[0]: row[1] for row in described.fetchall()}


@cache
def columns_of_views() -> dict[str, dict[str, str]]:
    """Names and DuckDB types of the columns of every view, as the database has them once all views are created."""
    columns: dict[str, dict[str, str]] = defaultdict(dict)
    query = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = 'main' ORDER BY column_index"
    for view, column, kind in empty().execute(query).fetchall():
        columns[view][column] = kind
    return columns


@cache
def views_as_tables() -> duckdb.DuckDBPyConnection:
    """A database in which each view is an empty table of its columns: DuckDB need not plan the views that a SELECT
    reads to state its columns.
    """
    database = duckdb.connect()
    database.execute(sqlfile.macros())
    for view, columns in columns_of_views().items():
        described = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        database.execute(f"CREATE TABLE {view} ({described})")
    return database


@cache
def empty() -> Workspace:
    """A database whose tables are all empty."""
    return open_database({})


def check_select(unit: sqlfile.SqlFile, parameters: frozenset[str] = frozenset()) -> None:
    """Raise SqlFileError unless the file is exactly one SELECT that writes nothing, has exactly these named parameters
    and reads exactly what it needs.
    """
    try:
        used_parameters = check_query(unit.text)
    except UsageError as error:
        raise SqlFileError(f"{unit.name}: {error}") from None
    if used_parameters != parameters:
        raise SqlFileError(
            f"{unit.name}: the SELECT has the parameters {', '.join(sorted(used_parameters)) or 'none'}, declared are "
            f"{', '.join(sorted(parameters)) or 'none'}."
        )
    used = tables_used(unit.text)
    if unit.kind != "rule" and used != set(unit.needs):
        raise SqlFileError(
            f"{unit.name}: key needs lists {', '.join(sorted(unit.needs))}, the SELECT reads {', '.join(sorted(used))}."
        )
