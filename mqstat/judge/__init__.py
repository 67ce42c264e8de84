"""The engine: judges the rows that the rules of `mqstat/rules` return."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from mqstat.judge.series import Steps
    from mqstat.sql.database import Database
    from mqstat.sql.site import Site
    from mqstat.sql.syntax import Query


def run_rules(
    db: Database,
    site: Site | None = None,
    only: Iterable[str] | None = None,
    then: Iterable[Query] = (),
    grid: Steps | None = None,
) -> pa.Table:
    """Run all rules (or the named ones) over an open database and return their findings; view finding has them afterwards.

    `then` has queries that will run afterwards; with a `grid` the tables `rule_step` and `worst_interval` are filled too.
    """
    from mqstat.judge import engine

    return engine.run_rules(db, site, only, then, grid)


def keep_views(db: Database, only: Iterable[str] | None = None, then: Iterable[Query] = ()) -> None:
    """Compute the views once that several rules (all, or those of `only`) or the queries of `then` share; for callers that query views before the rules run."""
    from mqstat.judge import engine

    engine.keep_views(db, only, then)
