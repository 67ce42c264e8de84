"""The rules: one SQL file each, judged by the engine. Nothing is listed by hand; a file in a folder here is a rule."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from mqstat.rules.series import Steps
    from mqstat.sql.database import Database
    from mqstat.sql.site import Site


def run_rules(
    db: Database,
    site: Site | None = None,
    only: Iterable[str] | None = None,
    then: Iterable[str] = (),
    grid: Steps | None = None,
) -> pa.Table:
    """Run all rules (or those named) over an open database; the result is also what view finding shows afterwards.

    `then` has queries that will be asked afterwards; with a `grid` the tables `rule_step` and `worst_interval` are filled too.
    """
    from mqstat.rules import engine

    return engine.run_rules(db, site, only, then, grid)


def keep_views(db: Database, only: Iterable[str] | None = None, then: Iterable[str] = ()) -> None:
    """Compute each view once that several rules (or those of `only`) read, or rules and the queries of `then`: for who asks something before the rules run."""
    from mqstat.rules import engine

    engine.keep_views(db, only, then)
