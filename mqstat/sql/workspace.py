"""A connection of DuckDB to opened data, and what was computed there: views as tables, rows that the program itself
fills.

Decoded tables are in the schema `decoded`, views in `main`, so a view may have the name of the table it cleans
(`record`).
"""

# ruff: noqa: S608 - statements are built from files of this package; names are quoted, values are bound or written as
# literals

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from mqstat.sql import sqlfile
from mqstat.sql.columns import selected_columns
from mqstat.sql.decoded import UNREADABLE, raise_damaged, register
from mqstat.sql.needs import depth, reads_findings, required_tables, tables_below
from mqstat.sql.opened import Opened
from mqstat.sql.schemas import OWN_TABLES, literal, quoted, report_classes
from mqstat.sql.syntax import Query, reads

MANY_ROWS = 20_000
"""A computed view with more rows is compressed: it takes an eighth of the memory, and grouping by compressed text is
faster."""
FEW_CELLS = 2_000_000
"""Up to this many cells of the decoded tables that a view is made from, to copy the view costs less than to plan it for
each reader."""

OUT_OF_MEMORY = (MemoryError, duckdb.OutOfMemoryException)
"""A statement that fails with one of these may succeed when no other runs."""

_Task = TypeVar("_Task")


class Workspace:
    """A connection to opened data; use it as a context manager or call `close`. A thread has one of its own
    (`cursor`).
    """

    def __init__(self, opened: Opened, connection: duckdb.DuckDBPyConnection) -> None:
        self.opened, self.connection = opened, connection
        self.site = opened.site
        """The site without what has expired (`mqstat.intake.open_data`)."""
        self.input_code = 0
        """The highest return code of the inputs that could not be used."""
        self.is_small = opened.is_small
        self.kept: set[str] = set()
        """Views that were computed once (`keep`)."""
        self.seen: set[str] = set()
        """Views that were created as temporary views because a query needed them."""
        self.failed: dict[str, str] = {}
        """Views that could not be computed, with the reason; a query that reads one of them fails with this
        sentence."""
        absent = opened.schemas.keys() - opened.given.keys() - OWN_TABLES
        self.empty = {f"decoded.{name}" for name in absent}
        """Decoded tables (`decoded.name`) and views that are known to be empty: a rule that reads only these has no
        rows to judge."""
        self.filled = set(opened.given)
        """Decoded tables that may have rows, of those that the program itself fills."""
        self.copies = "temp"
        """The schema of the tables of views that were computed once: `temp`, or over much data a database in memory
        that is compressed."""
        self.second: Workspace | None = None
        """A connection that finds the same tables, if tasks were shared out."""
        self.is_single = False
        """Whether the tasks are not shared out: this process may use one processor."""
        self.to_load: dict[str, str] = {}
        """Small decoded tables that `load` will copy, each with its query; empty if there is much data."""

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        if self.second is not None:
            self.second.close()
        self.connection.close()

    def cursor(self) -> Workspace:
        """A further connection to the same data, for another thread; its views that were computed once are its own."""
        other = Workspace(self.opened, self.connection.cursor())
        other.site, other.input_code, other.filled = self.site, self.input_code, self.filled
        other.find_by_short_names()
        return other

    def find_by_short_names(self) -> None:
        """Let this connection find views and decoded tables by names without a schema, which DuckDB keeps for each
        connection.
        """
        kept = "kept.main," if self.copies != "temp" else ""
        self.execute(f"SET search_path = '{kept}data.main,data.decoded'")

    # --- statements

    def execute(self, sql: str, parameters: Mapping[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        """Run one statement with named parameters and return the cursor; DamagedFileError if a file cannot be read."""
        given = (sql, dict(parameters)) if parameters else (sql,)
        with self._naming_damage():
            return self.connection.execute(*given)

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a small query and return its rows as dictionaries."""
        cursor = self.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def arrow(self, sql: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> pa.Table:
        """Run a query and return all of its rows as an Arrow table; DamagedFileError if a file cannot be read."""
        given = (dict(parameters) if isinstance(parameters, Mapping) else list(parameters)) if parameters else None
        with self._naming_damage():
            return self.connection.sql(sql, params=given).to_arrow_table()

    @contextmanager
    def _naming_damage(self) -> Iterator[None]:
        try:
            yield
        except UNREADABLE as error:
            raise_damaged(self.opened.files, error)
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Undo the statements of the context if one of them fails."""
        self.connection.begin()
        try:
            yield
        except BaseException:
            self.connection.rollback()
            raise
        self.connection.commit()

    def reader(self, sql: str, rows: int) -> pa.RecordBatchReader:
        """Run a query and return its rows in batches of so many rows."""
        return self.connection.sql(sql).to_arrow_reader(rows)

    def relation(self, name: str) -> duckdb.DuckDBPyRelation:
        """A view, or a decoded table (`decoded.NAME`), as a relation whose rows are read when they are needed."""
        table = name.removeprefix("decoded.")
        if table == name:
            return self.connection.view(quoted(name))
        return self.connection.table(f"decoded.{quoted(table)}")

    # --- rows that the program itself fills

    def load(self) -> None:
        """Copy the rows of small decoded tables into memory, so that a caller with many queries opens the files only
        once.
        """
        for name, query in self.to_load.items():
            with self.transaction():  # in one step for other connections to the same data
                self.execute(f"DROP VIEW decoded.{quoted(name)}")
                self.execute(f"CREATE TABLE decoded.{quoted(name)} AS {query}")
        self.to_load = {}

    def create(self, name: str, kind: str = "TABLE") -> str:
        """The beginning of a statement that creates a table or view of this workspace, which all of its connections
        find.
        """
        where = f"TEMP {kind} " if self.copies == "temp" else f"{kind} {self.copies}."
        return f"CREATE OR REPLACE {where}{quoted(name)}"

    def fill(self, name: str, table: pa.Table) -> None:
        """Replace the rows of one of the tables that the program itself fills (`mqstat.sql.schemas.OWN_TABLES`)."""
        if name in self.filled:
            self.connection.execute(f"DELETE FROM decoded.{quoted(name)}")
        self.add(name, table)

    def add(self, name: str, table: pa.Table) -> None:
        """Add rows to one of these tables."""
        if not table.num_rows:
            return
        self.filled.add(name)
        with self.given(incoming=table):
            self.connection.execute(f"INSERT INTO decoded.{quoted(name)} BY NAME SELECT * FROM incoming")

    @contextmanager
    def given(self, **tables: pa.Table) -> Iterator[None]:
        """Let statements read these tables by their names until the context ends."""
        for name, table in tables.items():
            self.connection.register(name, table)
        try:
            yield
        finally:
            for name in tables:
                self.connection.unregister(name)

    def fill_report_classes(self) -> None:
        """Fill table `report_class` unless it is filled already: this reads the headers of all reports."""
        if "report_class" not in self.filled:
            ids, classes = zip(*report_classes(), strict=True)
            self.fill("report_class", pa.table({"report_id": pa.array(ids), "record_class": pa.array(classes)}))

    # --- views

    def keep(self, queries: Iterable[Query]) -> dict[str, str]:
        """Compute each view that several of these queries and of the views below them read once, as a temporary table
        that hides the view.

        A view over few rows is always computed. Otherwise a view with one reader stays a view, unless its header has
        `keep = true`: a report reads it twice, for its first rows and for the number of rows. A view with a row for
        every task or queue of class 3 accounting has `keep = false`: a copy would cost more than it saves. A view whose
        record classes are not in the data becomes an empty table: to plan such views would take an eighth of a small
        run. The table of findings changes during a report, so views that read it are never computed. Every query over
        views goes through here first; `release` restores the views. Returns the views that failed and why.
        """
        readers = Counter(name for query in queries for name in reads(query))
        reached = sqlfile.views_for(readers)
        for view in reversed(reached):
            if view.id in readers and view.id not in self.kept and view.id not in self.seen:
                readers.update(view.needs)
        for _, level in groupby(sorted(reached, key=lambda view: depth(view.id)), lambda view: depth(view.id)):
            computed, empty = [], []
            for view in level:
                if view.id not in readers or view.id in self.kept or view.id in self.failed:
                    continue
                broken = next((need for need in view.needs if need in self.failed), None)
                if broken is not None:
                    self._fail(view, self.failed[broken])
                    continue
                if "decoded.report_class" in view.needs:
                    self.fill_report_classes()
                if self._is_certainly_empty(view.id):
                    empty.append(view.id)
                    continue
                wanted = view.header.get("keep")
                # Over few rows a copy costs less than compiling a view twice (when it is created and when it is read).
                shared = self.have_few_rows([view.id]) or (wanted is not False and (wanted or readers[view.id] > 1))
                if shared and not reads_findings(view.id):
                    computed.append(view)
                elif view.id not in self.seen:
                    self._create(view)
            self._leave_empty(empty)
            self._compute(computed)
        return {view: self.failed[view] for view in readers if view in self.failed}

    def keep_named(self, views: Iterable[str]) -> None:
        """Compute the views once that several of the views named in a user's query read; `release` restores them.

        A view that reads another view several times would compile and compute it each time, which costs seconds and
        memory.
        """
        self.keep([[view] for view in sorted(views)])

    def ask(self, query: str) -> duckdb.DuckDBPyConnection:
        """Run a query over views, after creating or computing the views that it reads."""
        self.keep([query])
        return self.execute(query)

    def ask_rows(self, query: str) -> list[dict[str, Any]]:
        """The rows of a small query over views as dictionaries; see `ask`."""
        self.keep([query])
        return self.rows(query)

    def release(self) -> None:
        """Restore the views that `keep` replaced."""
        for view in self.kept:
            self.execute(f"DROP TABLE IF EXISTS {self.copies}.{quoted(view)}")
        for view in (*self.seen, *self.failed):
            self.execute(f"DROP VIEW IF EXISTS {self.copies}.{quoted(view)}")
        self.empty -= self.kept | self.seen
        self.failed.clear()
        self.kept.clear()
        self.seen.clear()

    def have_few_rows(self, views: Iterable[str]) -> bool:
        """Whether these views are made from few rows (up to `FEW_CELLS` cells), in a database that may have many rows
        in other tables.
        """
        sizes = self.opened.sizes
        below = frozenset[str]().union(*map(tables_below, views))
        return self.is_small or (bool(sizes) and sum(sizes.get(name, 0) for name in below) <= FEW_CELLS)

    def _is_certainly_empty(self, view: str) -> bool:
        """Whether the data has no record of the classes that a view requires."""
        required = required_tables(view)
        is_empty = bool(required) and self.empty.issuperset(required)
        return is_empty and view not in self.seen and view in selected_columns()

    def _leave_empty(self, views: Sequence[str]) -> None:
        """Hide views that are certainly empty with tables of their columns."""
        known = selected_columns()
        columns = [", ".join(f"{quoted(name)} {kind}" for name, kind in known[view].items()) for view in views]
        if views:
            self.execute(
                ";".join(f"{self.create(view)} ({listed})" for view, listed in zip(views, columns, strict=True))
            )
            self.kept.update(views)
            self.empty.update(views)

    def _create(self, view: sqlfile.SqlFile) -> None:
        """Create a view that is not computed."""
        try:
            self.execute(f"{self.create(view.id, 'VIEW')} AS {view.select}")
            self.seen.add(view.id)
        except duckdb.Error as error:
            self._fail(view, f"view {view.id} could not be computed ({_cause(error)})")

    def _compute(self, views: Sequence[sqlfile.SqlFile]) -> None:
        """Hide views, of which none reads another, with tables of their rows."""
        for view in views:
            if view.id in self.seen:
                self.execute(f"DROP VIEW {self.copies}.{quoted(view.id)}")
                self.seen.discard(view.id)
        errors: dict[str, BaseException] = {}
        rows: dict[str, int] = {}

        def compute(there: Workspace, view: sqlfile.SqlFile) -> None:
            try:
                ((count,),) = there.execute(f"{self.create(view.id)} AS {view.select}").fetchall()
            except (duckdb.Error, MemoryError) as error:
                errors[view.id] = error
                return
            self.kept.add(view.id)
            rows[view.id] = count
            if not count:
                self.empty.add(view.id)

        self.share_out(views, compute)
        for view in views:
            if isinstance(errors.get(view.id), OUT_OF_MEMORY):  # alone it may have enough
                del errors[view.id]
                compute(self, view)
        if max(rows.values(), default=0) > MANY_ROWS:
            self.compress("kept")
        for view in views:
            if view.id in errors:
                self._fail(view, f"view {view.id} could not be computed ({_cause(errors[view.id])})")

    def share_out(self, tasks: Sequence[_Task], run: Callable[[Workspace, _Task], None]) -> None:
        """Run each of these tasks; a second connection runs some of them: DuckDB uses one processor to plan a statement
        and to read a table of few groups of rows.

        An error or an interrupt ends the tasks of both connections.
        """
        # Another connection finds no temporary tables.
        if self.is_single or self.copies == "temp" or len(tasks) < 2:
            for task in tasks:
                run(self, task)
            return
        waiting = iter(tasks)
        errors: list[BaseException] = []

        def work(there: Workspace) -> None:
            try:
                for task in waiting:
                    if errors:
                        return
                    run(there, task)
            except BaseException as error:
                errors.append(error)

        if self.second is None:
            self.second = Workspace(self.opened, self.connection.cursor())
            self.second.copies = self.copies
            register(self.second.connection, self.opened.given)
            self.second.find_by_short_names()
        thread = Thread(target=work, args=(self.second,))
        thread.start()
        work(self)
        try:
            while thread.is_alive() and not errors:
                thread.join(0.1)
        except BaseException as error:  # Ctrl-C
            errors.append(error)
        while thread.is_alive():  # an interrupt before its next statement has no effect
            self.second.connection.interrupt()
            thread.join(0.1)
        if errors:
            raise errors[0]

    def compress(self, name: str) -> None:
        """Compress the tables of an attached database: `kept` has the views that were computed, `data` all else."""
        if self.copies != "temp":
            self.execute(f"CHECKPOINT {name}")

    def _fail(self, view: sqlfile.SqlFile, why: str) -> None:
        """Replace a failed view with a view that reports the failure to every reader."""
        self.failed[view.id] = why
        if view.id in self.seen:
            self.execute(f"DROP VIEW IF EXISTS {self.copies}.{quoted(view.id)}")
            self.seen.discard(view.id)
        types = selected_columns()[view.id].items()
        listed = ", ".join(f"error({literal(why)})::{kind} AS {quoted(name)}" for name, kind in types)
        self.execute(f"{self.create(view.id, 'VIEW')} AS SELECT {listed}")


def _cause(error: BaseException) -> str:
    """The first line of DuckDB's message; if memory ran out, with what to do."""
    text = (str(error).strip() or "out of memory").splitlines()[0].rstrip(".")
    short = isinstance(error, OUT_OF_MEMORY)
    return f"{text}; select fewer days or queue managers, or free disk space for temporary files" if short else text
