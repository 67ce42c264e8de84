"""One database for tests that ask a few rows: opening a new one takes longer than the queries of such a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa

from mqstat.judge.judging import breach_tables
from mqstat.sql.database import QMGRS_OF_RECORDS
from mqstat.sql.schemas import quoted, site_schema
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.opening import open_database


@cache
def _database() -> Workspace:
    """A database in which every decoded table is empty, for as long as the tests run."""
    return open_database({}, views=False)


@contextmanager
def over(tables: Mapping[str, pa.Table], site: Site | None = None) -> Iterator[Workspace]:
    """The shared database with the rows of these decoded tables, of which no record is there twice; afterwards it is
    empty again.

    Views are computed when `Workspace.ask` or the rules need them, as in a database of its own.
    """
    db = _database()
    assert not db.kept, "one test at a time uses this database"
    before = set(db.empty)
    filled = set(tables)
    db.site = site or Site()
    try:
        for name, table in tables.items():
            db.fill(name, table)
        db.empty -= {f"decoded.{name}" for name in tables}
        if db.site.has_facts and "site_input" not in tables:
            pairs = sorted(db.execute(QMGRS_OF_RECORDS).fetchall())
            facts = [{"lpar": lpar, "qmgr": qmgr, **db.site.facts(lpar, qmgr)} for lpar, qmgr in pairs]
            db.fill("site_input", pa.Table.from_pylist(facts, schema=site_schema()))
            filled.add("site_input")
        yield db
    finally:
        db.release()
        for rule_id in breach_tables(db):
            db.execute(f"DROP TABLE temp.{quoted(f'breach_{rule_id}')}")
        for name in filled | {"finding", "area_state"}:
            db.execute(f"TRUNCATE decoded.{quoted(name)}")
        db.empty.clear()
        db.empty |= before
        db.site = Site()
