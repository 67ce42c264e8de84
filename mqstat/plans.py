"""Which columns does a query read, down to the decoded tables: so that only those are decoded, and views are computed once with only those."""

# ruff: noqa: S608 - statements are put together from files of this package; names are quoted, values are bound or made literals

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import resources
from typing import Any, TypeAlias

import duckdb

from mqstat import sqlfile
from mqstat.database import Database, all_schemas, create_table, duckdb_type, quoted, site_schema
from mqstat.errors import SqlFileError

_TEXT_UNITS = {
    "text": "VARCHAR",
    "texts": "VARCHAR[]",
    "flag": "BOOLEAN",
    "ts_utc": "TIMESTAMP",
    "ts_local": "TIMESTAMP",
}
_WHOLE_UNITS = frozenset("count pages buffers blocks bytes us id min".split())


KEPT_OPTIMIZERS = ("unused_columns", "cte_inlining", "join_elimination")


Columns: TypeAlias = Mapping[str, frozenset[str]]
"""Tables or views, and which of their columns are read."""

PLANS_FILE = "plans.json"


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=12).hexdigest()


def fingerprint() -> str:
    """What the remembered plans depend on: every view, rule, report and picture, and the columns of every table."""
    units = [
        *sqlfile.views().values(),
        *sqlfile.rules().values(),
        *sqlfile.reports().values(),
        *sqlfile.pictures().values(),
    ]
    tables = [f"{name} {' '.join(schema.names)}" for name, schema in sorted(all_schemas().items())]
    texts = (*HEAD_QUERIES, *MONITOR_QUERIES)
    return _digest(*(f"{unit.kind} {unit.id} {unit.text}" for unit in units), *tables, *texts)


@cache
def _memory() -> dict[str, Columns]:
    """Plans that were made before: those that come with the program, when they are of these very files, and those of this run.

    Planning all rules and reports takes seconds; `make docs` writes down what comes of it.
    """
    file = resources.files("mqstat") / PLANS_FILE
    if not file.is_file():
        return {}
    stored = json.loads(file.read_text(encoding="utf-8"))
    if stored["fingerprint"] != fingerprint():
        return {}
    return {
        key: {name: frozenset(columns) for name, columns in found.items()} for key, found in stored["plans"].items()
    }


def _remembered(key: str, plan: Callable[[], Columns]) -> Columns:
    memory = _memory()
    if key not in memory:
        memory[key] = plan()
    return memory[key]


@contextmanager
def recording() -> Iterator[dict[str, Columns]]:
    """Forget all plans for a while, and collect those that are made in it."""
    memory = _memory()
    before = dict(memory)
    memory.clear()
    try:
        yield memory
    finally:
        memory.update(before)


def plans_text(plans: Mapping[str, Columns]) -> str:
    """The text of the file of remembered plans."""
    found = {
        key: {name: sorted(columns) for name, columns in sorted(value.items())} for key, value in sorted(plans.items())
    }
    return json.dumps({"fingerprint": fingerprint(), "plans": found}, indent=0, separators=(",", ":")) + "\n"


class _Plans:
    """Finds the columns a query reads, from DuckDB's own plans over empty tables, one layer of views at a time.

    Views stand in for themselves as empty tables here, so that each view is planned once, for all the columns that anything wants of it.
    Only the pruning of columns, the inlining of common table expressions and the removal of joins that add nothing are left on: an
    optimiser that knows the tables are empty, or that moves conditions into the scan, would hide columns.
    """

    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:")
        self.schemas = all_schemas()
        self.present: set[str] = set()
        self.connection.execute("CREATE SCHEMA decoded")
        for view in sqlfile.views().values():
            columns = ", ".join(
                f"{quoted(column.name)} {stub_type(view.id, column)}" for column in view.columns.values()
            )
            self.connection.execute(f"CREATE TABLE main.{quoted(view.id)} ({columns})")
        self.connection.execute("SET search_path = 'main,decoded'")
        optimizers = [row[0] for row in self.connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()]
        off = [name for name in optimizers if name not in KEPT_OPTIMIZERS]
        self.connection.execute(f"SET disabled_optimizers = '{','.join(off)}'")

    def need(self, names: Iterable[str]) -> None:
        """Make sure that these decoded tables are there."""
        for name in set(names) - self.present:
            create_table(self.connection, name, self.schemas[name])
            self.present.add(name)

    def layer(self, sql: str) -> dict[str, set[str]]:
        """Columns of views (`main.name`) and decoded tables (`decoded.name`) that one query reads."""
        # Parameters have no values here and need none: NULL has the plan of every value.
        parameters = {
            name: None for statement in self.connection.extract_statements(sql) for name in statement.named_parameters
        }
        cursor = self.connection.execute(f"EXPLAIN (FORMAT JSON) {sql}", parameters)
        found: dict[str, set[str]] = {}

        def visit(node: Mapping[str, Any]) -> None:
            extra = node.get("extra_info") or {}
            table = extra.get("Table")
            if isinstance(table, str):
                columns = extra.get("Projections", [])
                name = table.removeprefix("memory.").replace('"', "")
                found.setdefault(name, set()).update({columns} if isinstance(columns, str) else columns)
            for child in node.get("children", ()):
                visit(child)

        for node in json.loads(cursor.fetchall()[0][1]):
            visit(node)
        return {name: {column.replace('"', "") for column in columns if column} for name, columns in found.items()}

    def resolve(self, wanted: dict[str, set[str]]) -> dict[str, frozenset[str]]:
        """Follow the views down to the decoded tables."""
        for view in reversed(list(sqlfile.views().values())):
            columns = wanted.pop(f"main.{view.id}", None)
            if columns is None:
                continue
            self.need(need.removeprefix("decoded.") for need in view.needs if need.startswith("decoded."))
            selected = ", ".join(quoted(column) for column in sorted(columns)) or "1"
            for name, found in self.layer(f"SELECT {selected} FROM ({view.text.rstrip().rstrip(';')})").items():
                wanted.setdefault(name, set()).update(found)
        return {name.removeprefix("decoded."): frozenset(columns) for name, columns in wanted.items()}


def stub_type(view: str, column: sqlfile.Column) -> str:
    """A type that a column may have where only the shape of a query matters: exact for site facts, else what its unit suggests."""
    if view == "site_input" and column.name in site_schema().names:
        return duckdb_type(site_schema().field(column.name).type)
    return _TEXT_UNITS.get(
        column.unit, "BIGINT" if column.unit in _WHOLE_UNITS and column.kind != "derived" else "DOUBLE"
    )


@cache
def _plans() -> _Plans:
    return _Plans()


def scanned_columns(sql: str) -> dict[str, frozenset[str]]:
    """Which columns of which decoded tables a SELECT over the views reads.

    A table of which only the number of rows matters has an empty set. Raises SqlFileError when the SQL does not compile.
    """
    plans = _plans()
    try:
        plans.need(plans.schemas)
        return plans.resolve(plans.layer(sql))
    except duckdb.Error as error:
        raise SqlFileError(f"The query cannot be read: {error}.") from error


def decoded_columns(sql: str) -> Mapping[str, frozenset[str]]:
    """As `scanned_columns`, of a query of our own: found once, and written down with the other plans."""
    return _remembered(f"decoded {_digest(sql)}", lambda: scanned_columns(sql))


def view_columns(sql: str) -> Mapping[str, frozenset[str]]:
    """Which columns of which views a rule or report reads itself; SqlFileError when its SQL does not compile."""

    def planned() -> Columns:
        try:
            return {name.removeprefix("main."): frozenset(columns) for name, columns in _plans().layer(sql).items()}
        except duckdb.Error as error:
            raise SqlFileError(f"The query cannot be read: {error}.") from error

    return _remembered(f"query {_digest(sql)}", planned)


def rule_needs(rule: sqlfile.SqlFile) -> list[str]:
    """Columns (`view.column`) whose presence a rule file asks for, as its header names them."""
    groups = [rule.header.get("needs", []), *rule.header.get("needs_any", [])]
    return [str(name) for group in groups for name in group]


def health_columns() -> Mapping[str, frozenset[str]]:
    """The columns that the rules, all reports and pictures read: what a report straight from a dump decodes."""
    return _remembered("health", _health_columns)


def _health_columns() -> Columns:
    units = (*sqlfile.rules().values(), *sqlfile.reports().values(), *sqlfile.pictures().values())
    texts = [unit.text for unit in units]
    wanted: dict[str, set[str]] = {}
    for text in [*texts, *HEAD_QUERIES, *MONITOR_QUERIES]:
        for view, columns in view_columns(text).items():
            wanted.setdefault(f"main.{view}", set()).update(columns)
    for rule in sqlfile.rules().values():
        for name in rule_needs(rule):
            view, _, column = name.partition(".")
            wanted.setdefault(f"main.{view}", set()).add(column)
    plans = _plans()
    return plans.resolve(wanted)


HEAD_QUERIES = (
    "SELECT lpar, qmgr, qsg, mq_versions, highest_mq_level, first_written_local, last_written_local, intervals FROM qmgr",
    "SELECT lpar, qmgr, record_class, class_holds, records, command_to_collect, coverage_state, intervals_expected, intervals_present FROM collection",
    "SELECT lpar, qmgr, interval_start_utc, interval_start_local FROM interval_cut",
    "SELECT record_id, source_id, source_offset, damage, lpar, qmgr, gmt_offset_minutes, written_local FROM record",
    "SELECT * FROM source",
    "SELECT smf_type, records FROM other_record",
)
"""What the engine and the head of a report read beside rules and reports."""

MONITOR_QUERIES = (
    "SELECT lpar, qmgr, interval_start_utc, cf_structure, cf_calls_per_s, structure_fulls FROM cf_structure",
)
"""What a monitoring system gets that neither rules nor reports read."""


# --- views computed once


@cache
def _worth_keeping(view: str) -> bool:
    """Whether a view computes anything: one that only names columns of a table is read there, however many rows that has.

    A view with a row for every task or queue of class 3 accounting says `keep = false`: a copy would cost more than it saves. The table of
    findings changes while a report is made, so no view that reads it is kept either.
    """
    unit = sqlfile.views()[view]
    body = sqlfile.select_of(unit.text, unit.name)
    computes = re.search(r"\(|\bWHERE\b|\bJOIN\b", re.sub(r"--[^\n]*", "", body)) is not None
    return computes and not _reads_findings(view) and bool(unit.header.get("keep", True))


@cache
def _reads_findings(view: str) -> bool:
    needs = sqlfile.views()[view].needs
    return "decoded.finding" in needs or any(_reads_findings(need) for need in needs if need in sqlfile.views())


def wanted_of_views(
    queries: Iterable[str], also: Iterable[str] = (), kept: Columns | None = None
) -> tuple[dict[str, set[str]], dict[str, int]]:
    """For each view that queries read, directly or through other views: the columns that are read, and by how many readers.

    `also` has further columns, as `view.column`, of views that are read anyway; what is kept already reads nothing any more.
    """
    wanted: dict[str, set[str]] = {}
    readers: dict[str, int] = {}

    def read(found: Mapping[str, Iterable[str]]) -> None:
        for view, columns in found.items():
            wanted.setdefault(view, set()).update(columns)
            readers[view] = readers.get(view, 0) + 1

    for text in queries:
        read({view: columns for view, columns in view_columns(text).items() if view in sqlfile.views()})
    further: dict[str, set[str]] = {}
    for name in also:
        view_id, _, column = name.partition(".")
        further.setdefault(view_id, set()).add(column)
    for view in reversed(list(sqlfile.views().values())):
        if view.id in wanted:
            wanted[view.id] |= further.get(view.id, set())
            if kept is not None and view.id in kept and wanted[view.id] <= kept[view.id]:
                continue
            read(_views_below(view.id, frozenset(wanted[view.id])))
    return wanted, readers


def _views_below(view: str, columns: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """Views and their columns that some columns of a view are made of."""
    return _remembered(f"view {view} {_digest(*sorted(columns))}", lambda: _planned_below(view, columns))


def _planned_below(view: str, columns: frozenset[str]) -> Columns:
    selected = ", ".join(quoted(column) for column in sorted(columns)) or "1"
    text = sqlfile.views()[view].text.rstrip().rstrip(";")
    plans = _plans()
    plans.need(need.removeprefix("decoded.") for need in sqlfile.views()[view].needs if need.startswith("decoded."))
    found = plans.layer(f"SELECT {selected} FROM ({text})")
    return {name.removeprefix("main."): frozenset(cols) for name, cols in found.items() if name.startswith("main.")}


def keep(db: Database, queries: Iterable[str], also: Iterable[str] = ()) -> dict[str, str]:
    """Compute the views that several readers share once, with the columns they read, as temporary tables that hide the views.

    A view that has one reader stays a view, unless its header says `keep = true`: a report asks twice, for its first rows and for their
    number. What is kept already stays when it has the columns, else it is computed again with more. Every
    query over views goes through here first: a column that nobody wanted reads as NULL. `release` brings the views back. `also` as in
    `wanted_of_views`. Returns the views that failed and why.
    """
    wanted, readers = wanted_of_views(queries, also, db.kept)
    failed: dict[str, str] = {}
    for view in sqlfile.views().values():
        if view.id not in wanted:
            continue
        name, text = quoted(view.id), view.text.rstrip().rstrip(";")
        try:
            alone = readers[view.id] < 2 and view.id not in db.kept and not view.header.get("keep", False)
            if not _worth_keeping(view.id) or alone:
                if not db.has_views and view.id not in db.seen:
                    db.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {text}")
                    db.seen.add(view.id)
                continue
            columns = wanted[view.id]
            before = db.kept.get(view.id)
            if before is not None and columns <= before:
                continue
            _replace(db, view, columns | (before or set()))
        except duckdb.Error as error:
            failed[view.id] = str(error)
    return failed


def _replace(db: Database, view: sqlfile.SqlFile, columns: Iterable[str]) -> None:
    """Put a temporary table with some columns in the place of a view."""
    table, name = quoted(f"kept {view.id}"), quoted(view.id)
    kept = frozenset(columns) & frozenset(view.columns)
    listed = ", ".join(quoted(column) for column in sorted(kept)) or "1 AS one"
    # Views that read this one are compiled with all of its columns; those that are not kept are ones whose values nothing uses.
    shown = ", ".join(
        quoted(column.name) if column.name in kept else f"NULL::{stub_type(view.id, column)} AS {quoted(column.name)}"
        for column in view.columns.values()
    )
    text = view.text.rstrip().rstrip(";")
    db.execute(f"CREATE TEMP TABLE {quoted('next ' + view.id)} AS SELECT {listed} FROM ({text})")
    if view.id in db.kept:
        db.execute(f"DROP VIEW temp.{name}")
        db.execute(f"DROP TABLE temp.{table}")
    db.execute(f"ALTER TABLE temp.{quoted('next ' + view.id)} RENAME TO {table}")
    db.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT {shown} FROM {table}")
    db.kept[view.id] = kept
    db.seen.discard(view.id)


def ask(db: Database, query: str) -> duckdb.DuckDBPyConnection:
    """Run a query over views, with all that it reads of them kept or there."""
    keep(db, [query])
    return db.execute(query)


def rows(db: Database, query: str) -> list[dict[str, Any]]:
    """The rows of a small query over views as dictionaries; see `ask`."""
    keep(db, [query])
    return db.rows(query)


def release(db: Database) -> None:
    """Bring the views back that `keep` replaced."""
    for view in db.kept:
        db.execute(f"DROP VIEW IF EXISTS temp.{quoted(view)}")
        db.execute(f"DROP TABLE IF EXISTS temp.{quoted('kept ' + view)}")
    db.kept.clear()
    db.seen.clear()
