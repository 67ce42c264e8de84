"""The decoded tables that queries need, and the views that are computed once because several queries read them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

import duckdb

from mqstat.base.errors import SqlFileError
from mqstat.base.nearest import did_you_mean
from mqstat.sql import sqlfile
from mqstat.sql.database import Database
from mqstat.sql.query import reason
from mqstat.sql.schemas import all_schemas, literal, quoted
from mqstat.sql.syntax import Query, known_tables, reads, reads_of
from mqstat.sql.views import explain_over_empty, view_types

Columns: TypeAlias = Mapping[str, frozenset[str]]
"""Decoded tables with their columns."""


def scanned_columns(sql: str) -> Columns:
    """The decoded tables that a user's query reads, directly or through views, with all of their columns; SqlFileError if the SQL does not compile."""
    try:
        tables = reads(sql)
        explain_over_empty(sql, tables)
    except duckdb.CatalogException as error:
        lost = re.search(r"Table with name (\S+) does not exist", str(error))
        if lost is None:
            raise SqlFileError(f"The query cannot be read: {reason(error)}.") from error
        known = known_tables()
        near = (
            did_you_mean(lost[1], [*known, *(name.removeprefix("decoded.") for name in known)])
            or "; mqstat tables lists them"
        )
        raise SqlFileError(f"The query names {lost[1]}, which is no view or table{near}.") from error
    except duckdb.OutOfMemoryException:
        raise
    except (duckdb.Error, KeyError) as error:
        raise SqlFileError(f"The query cannot be read: {reason(error)}.") from error
    return decoded_columns([tables])


def decoded_columns(queries: Iterable[Query]) -> Columns:
    """The decoded tables that these queries read, directly or through views, with all of their columns."""
    named = reads_of(queries)
    if named:
        named |= {"decoded.record"}  # the search for duplicates reads it (mqstat.sql.duplicates)
    schemas = all_schemas()
    return {name: frozenset(schemas[name].names) for name in frozenset[str]().union(*map(tables_below, named))}


def rule_needs(rule: sqlfile.SqlFile) -> frozenset[str]:
    """The views that a rule file reads, as listed in its header."""
    listed = [rule.header.get("needs", []), *rule.header.get("needs_any", []), rule.header.get("prints", [])]
    return frozenset(name.partition(".")[0] for names in listed for name in names)


@cache
def health_columns() -> Columns:
    """The tables that the rules, all reports and pictures read: a report made directly from a dump decodes these."""
    return _columns_of([unit.needs for units in (sqlfile.reports(), sqlfile.pictures()) for unit in units.values()])


@cache
def rule_columns() -> Columns:
    """The tables that the rules and the head of their findings read: `check` decodes these of a dump."""
    return _columns_of([])


def _columns_of(further: list[Query]) -> Columns:
    return decoded_columns([*map(rule_needs, sqlfile.rules().values()), *further, *HEAD_QUERIES, *MONITOR_QUERIES])


HEAD_QUERIES = (
    "SELECT lpar, qmgr, qsg, mq_versions, highest_mq_level, first_written_local, last_written_local, intervals FROM qmgr",
    "SELECT lpar, qmgr, record_class, class_holds, records, command_to_collect, coverage_state, intervals_expected, intervals_present, records_dropped, dropped_on FROM collection",
    "SELECT lpar, qmgr, interval_start_utc, interval_start_local FROM interval_cut",
    "SELECT record_id, source_id, source_offset, damage, lpar, qmgr, gmt_offset_minutes, written_local, interval_end_utc FROM record",
    "SELECT lpar, qmgr, page_set_id, pool_id FROM page_set",
    "SELECT * FROM source",
    "SELECT smf_type, records FROM other_record",
    "SELECT lpar, qmgr, area, activity_counter, activity_value, is_collected FROM area_activity",
)
"""Columns that the engine and the head of a report read in addition to rules and reports."""

MONITOR_QUERIES = (
    "SELECT lpar, qmgr, interval_start_utc, cf_structure, cf_calls_per_s, structure_fulls FROM cf_structure",
)
"""Columns that only the output for monitoring systems reads."""


# --- views computed once

MANY_ROWS = 20_000
"""A computed view with more rows is compressed: it takes an eighth of the memory, and grouping by compressed text is faster."""

FEW_ROWS = 4 << 20
"""Up to this many bytes (Parquet) of the decoded tables that a view is made from, to copy the view costs less than to plan it for each reader."""


def have_few_rows(db: Database, views: Iterable[str]) -> bool:
    """Whether these views are made from few rows (up to `FEW_ROWS` bytes as Parquet), in a database that may have many rows in other tables."""
    below = frozenset[str]().union(*map(tables_below, views))
    return db.is_small or (bool(db.sizes) and sum(db.sizes.get(name, 0) for name in below) <= FEW_ROWS)


@cache
def tables_below(view: str) -> frozenset[str]:
    """The decoded tables that a view reads, directly or through other views; of a decoded table (`decoded.name`) its name."""
    if view not in sqlfile.views():
        return frozenset({view.removeprefix("decoded.")})
    return frozenset[str]().union(*map(tables_below, sqlfile.views()[view].needs))


@cache
def reads_findings(view: str) -> bool:
    """Whether a view reads findings, so that the rules must run before it is read."""
    return not tables_below(view).isdisjoint({"finding", "area_state"})


def keep(db: Database, queries: Iterable[Query]) -> dict[str, str]:
    """Compute each view that several of these queries and of the views below them read once, as a temporary table that hides the view.

    A view over few rows is always computed. Otherwise a view with one reader stays a view, unless its header has `keep = true`: a report reads it
    twice, for its first rows and for the number of rows. A view with a row for every task or queue of class 3 accounting has `keep = false`: a copy
    would cost more than it saves. The table of findings changes during a report, so views that read it are never computed. Every query over views
    goes through here first; `release` restores the views. Returns the views that failed and why.
    """
    readers = Counter(name for query in queries for name in reads(query))
    reached = sqlfile.views_for(readers)
    for view in reversed(reached):
        if view.id in readers and view.id not in db.kept and view.id not in db.seen:
            readers.update(view.needs)
    for view in reached:
        if view.id not in readers or view.id in db.kept or view.id in db.failed:
            continue
        broken = next((need for need in view.needs if need in db.failed), None)
        if broken is not None:
            _fail(db, view, db.failed[broken])
            continue
        try:
            if "decoded.report_class" in view.needs:
                db.fill_report_classes()
            wanted = view.header.get("keep")
            # Over few rows a copy costs less than compiling a view twice (when it is created and when it is read).
            shared = have_few_rows(db, [view.id]) or (wanted is not False and (wanted or readers[view.id] > 1))
            if shared and not reads_findings(view.id):
                _compute(db, view)
            elif view.id not in db.seen:
                db.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(view.id)} AS {_select(view)}")
                db.seen.add(view.id)
        except (duckdb.Error, MemoryError) as error:
            _fail(db, view, f"view {view.id} could not be computed ({_cause(error)})")
    return {view: db.failed[view] for view in readers if view in db.failed}


def _select(view: sqlfile.SqlFile) -> str:
    """The SELECT of a view, without its header: parsing that takes time, too."""
    return view.body.rstrip(";")


def _compute(db: Database, view: sqlfile.SqlFile) -> None:
    """Hide a view with a temporary table of its rows."""
    if view.id in db.seen:
        db.execute(f"DROP VIEW temp.{quoted(view.id)}")
        db.seen.discard(view.id)
    create = "CREATE TEMP TABLE " if db.tables == "temp" else f"CREATE TABLE {db.tables}."
    ((count,),) = db.execute(f"{create}{quoted(view.id)} AS {_select(view)}").fetchall()
    db.kept.add(view.id)
    if count > MANY_ROWS:
        db.compress()
    if not count:
        db.empty.add(view.id)


def _cause(error: BaseException) -> str:
    """The first line of DuckDB's message; if memory ran out, with what to do."""
    text = (str(error).strip() or "out of memory").splitlines()[0].rstrip(".")
    short = isinstance(error, MemoryError | duckdb.OutOfMemoryException)
    return f"{text}; select fewer days or queue managers, or free disk space for temporary files" if short else text


def _fail(db: Database, view: sqlfile.SqlFile, why: str) -> None:
    """Replace a failed view with a view that reports the failure to every reader."""
    db.failed[view.id] = why
    if view.id in db.seen:
        db.execute(f"DROP VIEW IF EXISTS temp.{quoted(view.id)}")
        db.seen.discard(view.id)
    listed = ", ".join(f"error({literal(why)})::{kind} AS {quoted(name)}" for name, kind in view_types(view.id).items())
    db.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(view.id)} AS SELECT {listed}")


def ask(db: Database, query: str) -> duckdb.DuckDBPyConnection:
    """Run a query over views, after creating or computing the views that it reads."""
    keep(db, [query])
    return db.execute(query)


def rows(db: Database, query: str) -> list[dict[str, Any]]:
    """The rows of a small query over views as dictionaries; see `ask`."""
    keep(db, [query])
    return db.rows(query)


def keep_named(db: Database, views: Iterable[str]) -> None:
    """Compute the views once that several of the views named in a user's query read; `release` restores them.

    A view that reads another view several times would compile and compute it each time, which costs seconds and memory.
    """
    keep(db, [[view] for view in sorted(views)])


def release(db: Database) -> None:
    """Restore the views that `keep` replaced."""
    for view in db.kept:
        db.execute(f"DROP TABLE IF EXISTS {db.tables}.{quoted(view)}")
    for view in (*db.seen, *db.failed):
        db.execute(f"DROP VIEW IF EXISTS temp.{quoted(view)}")
    db.empty.difference_update(db.kept, db.seen)
    db.failed.clear()
    db.kept.clear()
    db.seen.clear()
