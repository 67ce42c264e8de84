"""The engine: judges the rows that the rules of `mqstat/rules` return."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mqstat.judge.judged import Judged
    from mqstat.judge.series import Steps
    from mqstat.sql.site import Site
    from mqstat.sql.syntax import Query
    from mqstat.sql.workspace import Workspace


def run_rules(
    db: Workspace,
    site: Site | None = None,
    only: Iterable[str] | None = None,
    then: Iterable[Query] = (),
    grid: Steps | None = None,
) -> Judged:
    """Run all rules (or the named ones) over a database; view finding has their findings afterwards.

    `then` has queries that will run afterwards; with a `grid` the tables `rule_step` and `worst_interval` are filled too.
    """
    from mqstat.judge import engine

    return engine.run_rules(db, site, only, then, grid)


def keep_views(db: Workspace, only: Iterable[str] | None = None, then: Iterable[Query] = ()) -> None:
    """Compute the views once that several rules (all, or those of `only`) or the queries of `then` share; for callers that query views before the rules run."""
    from mqstat.judge import engine

    engine.keep_views(db, only, then)
