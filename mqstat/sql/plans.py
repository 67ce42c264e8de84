"""Views that are computed once, with the columns that queries read, and the decoded columns that queries need."""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as literals

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

import duckdb

from mqstat.base.errors import SqlFileError
from mqstat.base.nearest import did_you_mean
from mqstat.sql import duplicates, sqlfile
from mqstat.sql.database import Database
from mqstat.sql.needed import (
    Columns,
    columns_below,
    columns_read,
    narrowed,
    reads_implicitly,
    table_columns,
    tables_named,
    tokens,
)
from mqstat.sql.schemas import literal, quoted
from mqstat.sql.selected import selected
from mqstat.sql.views import explain_over_empty, view_types

__all__ = [
    "Columns",
    "ask",
    "decoded_columns",
    "have_few_rows",
    "health_columns",
    "keep",
    "release",
    "rows",
    "scanned_columns",
]


def scanned_columns(sql: str) -> Columns:
    """The columns of decoded tables that a user's query reads through whole views.

    The set of a table is empty if only the number of rows matters. Raises SqlFileError if the SQL does not compile.
    """
    return _decoded(_checked(sql), whole=True)


def decoded_columns(queries: Iterable[str], also: Iterable[str] = ()) -> Columns:
    """The columns of decoded tables that our own queries read; `also` has further columns of views that they read, as `view.column`."""
    wanted: dict[str, set[str]] = {}
    for text in queries:
        _merge(wanted, view_columns(text))
    for name in also:
        view, _, column = name.partition(".")
        wanted.setdefault(view, set()).add(column)
    return _decoded(wanted)


def _decoded(wanted: dict[str, set[str]], whole: bool = False) -> Columns:
    """The columns of decoded tables that these columns of views are computed from."""
    for view in reversed(list(sqlfile.views().values())):
        if view.id in wanted:
            _merge(wanted, _below(view, None if whole else wanted[view.id]))
    if wanted:
        for text in duplicates.columns_needed():
            _merge(wanted, view_columns(text))
    return {
        name.removeprefix("decoded."): frozenset(columns)
        for name, columns in wanted.items()
        if name.startswith("decoded.")
    }


def _merge(wanted: dict[str, set[str]], by_table: Mapping[str, Iterable[str]]) -> None:
    for name, columns in by_table.items():
        wanted.setdefault(name, set()).update(columns)


def _below(view: sqlfile.SqlFile, wanted: Collection[str] | None) -> dict[str, set[str]]:
    """The columns of views and decoded tables that the columns `wanted` of a view (None = all) are computed from."""
    if wanted is None:
        return columns_read(sqlfile.select_of(view.text, view.name), view.needs)
    return columns_below(view.id, wanted)


def view_columns(sql: str) -> dict[str, set[str]]:
    """The columns of views, and of decoded tables as `decoded.name`, that one of our own queries names."""
    return columns_read(sql, tables_named(sql))


def _checked(sql: str) -> dict[str, set[str]]:
    """The columns that a user's query may read; SqlFileError if it does not compile over empty tables."""
    named = {token.text for token in tokens(sql) if token.is_name}
    known = table_columns()
    tables = {name for name in known if name in named}
    bare = {name.removeprefix("decoded."): name for name in known if name.startswith("decoded.")}
    tables |= {name for table, name in bare.items() if table in named and ("decoded" in named or table not in known)}
    try:
        implicit = reads_implicitly(sql)
        explain_over_empty(sql, tables)
    except duckdb.CatalogException as error:
        lost = re.search(r"Table with name (\S+) does not exist", str(error))
        if lost is None:
            raise SqlFileError(f"The query cannot be read: {str(error).splitlines()[0]}.") from error
        near = did_you_mean(lost[1], [*known, *bare]) or "; mqstat tables lists them"
        raise SqlFileError(f"The query names {lost[1]}, which is no view or table{near}.") from error
    except duckdb.Error as error:
        raise SqlFileError(f"The query cannot be read: {error}.") from error
    return {name: set(known[name]) for name in tables} if implicit else columns_read(sql, tables)


def rule_needs(rule: sqlfile.SqlFile) -> list[str]:
    """Columns (`view.column`) that a rule file needs, as listed in its header."""
    groups = [rule.header.get("needs", []), *rule.header.get("needs_any", [])]
    return [str(name) for group in groups for name in group]


@cache
def health_columns() -> Columns:
    """The columns that the rules, all reports and pictures read: a report made directly from a dump decodes these."""
    return _columns_of([*sqlfile.reports().texts(), *sqlfile.pictures().texts()])


@cache
def rule_columns() -> Columns:
    """The columns that the rules and the head of their findings read: `check` decodes these of a dump."""
    return _columns_of([])


def _columns_of(further: list[str]) -> Columns:
    rules = sqlfile.rules().values()
    return decoded_columns(
        [*(rule.text for rule in rules), *further, *HEAD_QUERIES, *MONITOR_QUERIES],
        [name for rule in rules for name in rule_needs(rule)],
    )


HEAD_QUERIES = (
    "SELECT lpar, qmgr, qsg, mq_versions, highest_mq_level, first_written_local, last_written_local, intervals FROM qmgr",
    "SELECT lpar, qmgr, record_class, class_holds, records, command_to_collect, coverage_state, intervals_expected, intervals_present, records_dropped, dropped_on FROM collection",
    "SELECT lpar, qmgr, interval_start_utc, interval_start_local FROM interval_cut",
    "SELECT record_id, source_id, source_offset, damage, lpar, qmgr, gmt_offset_minutes, written_local, interval_end_utc FROM record",
    "SELECT lpar, qmgr, page_set_id, pool_id FROM page_set",
    "SELECT * FROM source",
    "SELECT smf_type, records FROM other_record",
)
"""Columns that the engine and the head of a report read in addition to rules and reports."""

MONITOR_QUERIES = (
    "SELECT lpar, qmgr, interval_start_utc, cf_structure, cf_calls_per_s, structure_fulls FROM cf_structure",
)
"""Columns that only the output for monitoring systems reads."""


# --- views computed once

MANY_ROWS = 20_000
"""A computed view with more rows is compressed: it takes an eighth of the memory, and grouping by compressed text is faster."""


@cache
def _worth_keeping(view: str) -> bool:
    """Whether a view computes anything: a view that only selects columns of a table is not copied, however many rows the table has.

    A view with a row for every task or queue of class 3 accounting has `keep = false`: a copy would cost more than it saves. The table of
    findings changes during a report, so views that read it are not kept either.
    """
    unit = sqlfile.views()[view]
    body = sqlfile.select_of(unit.text, unit.name)
    computes = re.search(r"\(|\bWHERE\b|\bJOIN\b", re.sub(r"--[^\n]*", "", body)) is not None
    return computes and not reads_findings(view) and bool(unit.header.get("keep", True))


FEW_ROWS = 4 << 20
"""Up to this many bytes (Parquet) of the decoded tables that a view is made from, to copy the view costs less than to plan it for each reader."""


COPIED_FOR_MANY = 64 << 20
"""Up to this many bytes a view with `MANY_READERS` is copied, even if its header has `keep = false`: the page of 230,000 tasks takes three quarters of the time."""
MANY_READERS = 4


def have_few_rows(db: Database, views: Iterable[str], limit: int | None = None) -> bool:
    """Whether these views are made from few rows (up to `limit` bytes as Parquet, else `FEW_ROWS`), in a database that may have many rows in other tables."""
    below = frozenset[str]().union(*map(_tables_below, views))
    few = sum(db.sizes.get(name, 0) for name in below) <= (FEW_ROWS if limit is None else limit)
    return db.is_small or (bool(db.sizes) and few)


@cache
def _tables_below(view: str) -> frozenset[str]:
    """The decoded tables that a view reads, directly or through other views; of a decoded table (`decoded.name`) its name."""
    if view not in sqlfile.views():
        return frozenset({view.removeprefix("decoded.")})
    return frozenset[str]().union(*map(_tables_below, sqlfile.views()[view].needs))


@cache
def reads_findings(view: str) -> bool:
    """Whether a view reads findings, so that the rules must run before it is read."""
    needs = sqlfile.views()[view].needs
    return (
        "decoded.finding" in needs
        or "decoded.area_state" in needs
        or any(reads_findings(need) for need in needs if need in sqlfile.views())
    )


def wanted_of_views(
    queries: Iterable[str], also: Iterable[str] = (), kept: Columns | None = None
) -> tuple[dict[str, set[str]], dict[str, int]]:
    """For each view that queries read, directly or through other views: the columns that are read, and the number of readers.

    `also` has further columns, as `view.column`, of views that are read anyway; views that are kept already read nothing more.
    """
    wanted: dict[str, set[str]] = {}
    readers: dict[str, int] = {}
    known = sqlfile.views()

    def read(by_view: Mapping[str, Iterable[str]]) -> None:
        for view, columns in by_view.items():
            if view in known:
                wanted.setdefault(view, set()).update(columns)
                readers[view] = readers.get(view, 0) + 1

    for text in queries:
        read(view_columns(text))
    further: dict[str, set[str]] = {}
    for name in also:
        view_id, _, column = name.partition(".")
        further.setdefault(view_id, set()).add(column)
    for view in reversed(list(known.values())):
        if view.id in wanted:
            wanted[view.id] |= further.get(view.id, set())
            if kept is not None and view.id in kept:
                there = wanted[view.id] <= kept[view.id]
                wanted[view.id] |= kept[view.id]  # columns that others read stay
                if there:
                    continue
            read(_below(view, wanted[view.id]))
    return wanted, readers


def keep(db: Database, queries: Iterable[str], also: Iterable[str] = ()) -> dict[str, str]:
    """Compute each view that several readers share once, with the columns they read, as a temporary table that hides the view.

    A view over few rows is copied, and one with many readers over some more. Otherwise a view with one reader stays a view, unless its header has `keep = true`: a report
    reads it twice, for its first rows and for the number of rows. A table that is kept already is reused if it has the columns, otherwise it is computed again. Every query over views goes through
    here first: columns that were not requested do not exist, and a query that reads one fails. `release` restores the views. `also` as in
    `wanted_of_views`. Returns the views that failed and why.
    """
    wanted, readers = wanted_of_views(queries, also, {**db.seen, **db.kept})
    for view in sqlfile.views().values():
        if view.id not in wanted or view.id in db.failed:
            continue
        columns = frozenset(wanted[view.id])
        if view.id in db.kept and columns <= db.kept[view.id]:
            continue
        broken = next((need for need in view.needs if need in db.failed), None)
        if broken is not None:
            _fail(db, view, db.failed[broken])
            continue
        try:
            if "decoded.report_class" in view.needs:
                db.fill_report_classes()
            alone = readers[view.id] < 2 and view.id not in db.kept and not view.header.get("keep", False)
            # Over few rows a copy costs less than compiling a view twice (when it is created and when it is read).
            many = readers[view.id] >= MANY_READERS
            few = have_few_rows(db, [view.id], COPIED_FOR_MANY if many else FEW_ROWS)
            copied = not reads_findings(view.id) if few else _worth_keeping(view.id) and not alone
            if not copied:
                if not columns <= db.seen.get(view.id, frozenset()) or view.id not in db.seen:
                    db.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(view.id)} AS {_text_of(view.id, columns)}")
                    db.seen[view.id] = columns
            else:
                _replace(db, view.id, columns)
        except (duckdb.Error, MemoryError) as error:
            _fail(db, view, f"view {view.id} could not be computed ({_cause(error)})")
    return {view: db.failed[view] for view in wanted if view in db.failed}


def _cause(error: BaseException) -> str:
    """The first line of DuckDB's message; if memory ran out, with what to do."""
    text = (str(error).strip() or "out of memory").splitlines()[0].rstrip(".")
    short = isinstance(error, MemoryError | duckdb.OutOfMemoryException)
    return f"{text}; select fewer days or queue managers, or free disk space for temporary files" if short else text


def _fail(db: Database, view: sqlfile.SqlFile, why: str) -> None:
    """Replace a failed view with a view that reports the failure to every reader."""
    db.failed[view.id] = why
    if view.id in db.kept:
        db.execute(f"DROP TABLE IF EXISTS {db.tables}.{quoted(view.id)}")
    elif view.id in db.seen:
        db.execute(f"DROP VIEW IF EXISTS temp.{quoted(view.id)}")
    db.kept.pop(view.id, None)
    db.seen.pop(view.id, None)
    db.execute(f"DROP TABLE IF EXISTS {db.tables}.{quoted('next ' + view.id)}")
    listed = ", ".join(f"error({literal(why)})::{kind} AS {quoted(name)}" for name, kind in view_types(view.id).items())
    db.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(view.id)} AS SELECT {listed}")


def _text_of(view: str, columns: Iterable[str]) -> str:
    """The query for some columns of a view."""
    listed = ", ".join(quoted(column) for column in sorted(columns)) or "1 AS one"
    return selected(listed, narrowed(view, frozenset(columns)))


def _replace(db: Database, view: str, columns: frozenset[str]) -> None:
    """Hide a view with a temporary table of some of its columns."""
    name, following = quoted(view), quoted(f"next {view}")
    create = "CREATE TEMP TABLE " if db.tables == "temp" else f"CREATE TABLE {db.tables}."
    if view not in db.kept and view not in db.seen:
        ((count,),) = db.execute(f"{create}{name} AS {_text_of(view, columns)}").fetchall()
    else:
        ((count,),) = db.execute(f"{create}{following} AS {_text_of(view, columns)}").fetchall()
        db.execute(f"DROP TABLE {db.tables}.{name}" if view in db.kept else f"DROP VIEW temp.{name}")
        db.execute(f"ALTER TABLE {db.tables}.{following} RENAME TO {name}")
    db.kept[view] = columns
    db.seen.pop(view, None)
    if count > MANY_ROWS:
        db.compress()
    if not count:
        db.empty.add(view)


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
    keep(db, [f"SELECT * FROM {quoted(view)}" for view in sorted(views)])


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
