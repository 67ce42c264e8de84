"""Commands that read the same data and differ in how they write it: the first of them opens and judges the data for
all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import pytest

from mqstat.assemble import check as checking
from mqstat.assemble import health
from mqstat.assemble.model import Report
from mqstat.cli.options import Data
from mqstat.judge import engine
from mqstat.sql.workspace import Workspace


@contextmanager
def made_once() -> Iterator[None]:
    """Commands in this process that are given the same data again get the open database, report or findings of the
    first one.

    Everything before and after that runs as ever: words, selection, writers, outputs, return codes. The data must not
    change meanwhile.
    """
    first_open, first_report = Data.open, health.health_report
    databases: dict[str, Workspace] = {}
    made: dict[tuple[int, str], Any] = {}
    judged: dict[int, tuple[str, Any]] = {}
    kept: list[Workspace] = []  # so that no other database gets the id of one of them

    def opened(data: Data, **options: Any) -> AbstractContextManager[Workspace]:
        columns = options.get("columns")
        if "views" in options:  # a query creates views in its database
            return first_open(data, **options)
        assert options.keys() <= {"columns", "checksums", "selection"}, (
            "name a new option in the key, or nothing is shared"
        )
        key = f"{data} {getattr(columns, '__module__', '')} {getattr(columns, '__qualname__', columns)} {options.get('selection')}"
        return shared(key, data, {**options, "checksums": True})

    @contextmanager
    def shared(key: str, data: Data, options: dict[str, Any]) -> Iterator[Workspace]:
        if key not in databases:
            databases[key] = stack.enter_context(first_open(data, **options))
        yield databases[key]

    def report(db: Workspace, selection: Any, site: Any, names: Any, *limit: Any, **further: bool) -> Report:
        # A report reads rows of its database as it is written: after another run of the rules it is made again.
        key = (id(db), f"report {selection} {names} {limit}")
        if key not in made or any(wanted and not getattr(made[key], name) for name, wanted in further.items()):
            for other in [other for other in made if other[0] == id(db)]:
                del made[other]
            kept.append(db)
            made[key] = first_report(db, selection, site, names, *limit, **further)
        return made[key]  # type: ignore[no-any-return]

    def run_rules(db: Workspace, site: Any, only: Any, **further: Any) -> Any:
        # A database has the findings of the last run of the rules: only that one is shared.
        key = f"{only} {further}"
        if id(db) not in judged or judged[id(db)][0] != key:
            kept.append(db)
            judged[id(db)] = key, engine.run_rules(db, site, only, **further)
        return judged[id(db)][1]

    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Data, "open", opened)
        patch.setattr(health, "health_report", report)
        patch.setattr(checking, "run_rules", run_rules)
        yield
