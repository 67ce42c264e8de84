"""Dumps and datasets as Arrow tables: views, reports, findings and SQL."""

from __future__ import annotations

import os
import threading
import warnings
import weakref
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from html import escape
from types import TracebackType
from typing import TypeAlias

import duckdb
import pyarrow as pa

from mqstat.api.inputs import PathName, framing_named, local_path
from mqstat.api.shown import Summary, key_columns_first, summary_of
from mqstat.assemble.catalogue import reports_named
from mqstat.base.errors import ONE_DATASET, UsageError, ViewError
from mqstat.base.nearest import nearest_or_known
from mqstat.base.selection import Selection
from mqstat.dataset.place import home_of
from mqstat.intake.open_data import open_data
from mqstat.judge.engine import run_rules
from mqstat.parsers.tables import table_schemas
from mqstat.render.files import with_metadata
from mqstat.sql import sqlfile
from mqstat.sql.needs import reads_findings
from mqstat.sql.query import as_usage_error, check_query, reason
from mqstat.sql.schemas import quoted
from mqstat.sql.site import Site, load_site
from mqstat.sql.syntax import Query, reads, views_named
from mqstat.sql.workspace import Workspace

Parameters: TypeAlias = Mapping[str, object] | Sequence[object] | None
"""Values for `$name`, by name, or for `?` and `$1`, in their order."""


FINDINGS = f"SELECT * FROM finding ORDER BY {sqlfile.order_of('overview/findings')}"  # noqa: S608 - columns of our own report
"""The query for the findings, the worst first."""


class OpenData:
    """Dumps or a dataset, open for reading; made by `open_dump` and `open_dataset`.

    Use it in a `with` block, or call `close` when it is no longer needed; what is still open at the end of the program
    is closed then. Every method but `relation` gives an Arrow table. The columns of views, reports and findings have
    unit, label and description in their metadata. Rules run once, when something is read that needs their findings.
    Several threads may use one object; each gets a connection of its own.
    """

    def __init__(self, opening: AbstractContextManager[Workspace], name: str) -> None:
        self._name = name
        self._stack = ExitStack()
        self._first = self._stack.enter_context(opening)
        self._close_later = weakref.finalize(self, self._stack.close)
        self._owner = threading.get_ident()
        self._lock = threading.RLock()
        self._of_thread = threading.local()
        self._has_findings = threading.Event()
        self._summary: Summary | None = None

    def __enter__(self) -> OpenData:
        self._check_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the data: the temporary files of a dump are removed. A second call does nothing."""
        self._close_later()

    @property
    def closed(self) -> bool:
        """Whether the data is closed."""
        return not self._close_later.alive

    def __repr__(self) -> str:
        if self.closed:
            return f"<mqstat.OpenData {self._name}, closed>"
        return f"<mqstat.OpenData {self._name}: {self._summarized().text()}>"

    def _repr_html_(self) -> str:
        """The same as a table for notebooks."""
        return f"<p>{escape(repr(self))}</p>" if self.closed else self._summarized().html(self._name)

    def _summarized(self) -> Summary:
        if self._summary is None:
            with self._session() as database:
                self._summary = summary_of(database)
        return self._summary

    def _check_open(self) -> None:
        if self.closed:
            raise UsageError(
                f"The data of {self._name} is closed; open it again, or read it inside the with block that opened it."
            )

    @contextmanager
    def _session(self) -> Iterator[Workspace]:
        """The connection of this thread; that of the thread that opened the data also runs the rules, for all
        threads.
        """
        self._check_open()
        if threading.get_ident() == self._owner:
            with self._lock:
                yield self._first
            return
        if not hasattr(self._of_thread, "database"):
            with self._lock:
                self._of_thread.database = self._first.cursor()
        yield self._of_thread.database

    def views(self) -> dict[str, str]:
        """Name and title of every view; `mqstat explain VIEW` prints their columns."""
        return {view.id: view.title for view in sqlfile.views().values()}

    def reports(self) -> dict[str, str]:
        """Name and title of every report; `mqstat explain REPORT` prints their columns."""
        return {report.id: report.title for report in sqlfile.reports().values()}

    def view(self, name: str) -> pa.Table:
        """The rows of a view, such as `buffer_pool`, in no particular order, the columns of its key first; `sql`
        chooses rows and columns.

        Raises UsageError for an unknown name, and ViewError when the view cannot be computed.
        """
        unit = self._view_named(name)
        columns = ", ".join(map(quoted, key_columns_first(unit)))
        return self._read(unit, f"SELECT {columns} FROM {quoted(name)}", [name])  # noqa: S608 - columns of one of our views

    def _view_named(self, name: str) -> sqlfile.SqlFile:
        known = sqlfile.views()
        if name not in known:
            raise UsageError(f"There is no view {name}{nearest_or_known(name, known, 'mqstat tables lists them')}.")
        return known[name]

    def relation(self, name: str) -> duckdb.DuckDBPyRelation:
        """A view, or a decoded table as `decoded.NAME`, as a lazy relation of DuckDB: nothing is read until its rows
        are needed.

        It belongs to this thread and is usable while the data is open. Raises UsageError for an unknown name.
        """
        table = name.removeprefix("decoded.")
        if table == name:
            self._view_named(name)
            self._run_rules_for([name])
        elif table not in table_schemas():
            near = nearest_or_known(table, table_schemas(), "mqstat.schemas() has them all")
            raise UsageError(f"There is no table {table}{near}.")
        with self._session() as database, as_usage_error():
            relation = database.relation(name)
        # The data stays open while the relation is in use.
        weakref.finalize(relation, self._keep_open).atexit = False
        return relation

    def _keep_open(self) -> None:
        """Do nothing: a reference to this method keeps the data open."""

    def report(self, name: str) -> pa.Table:
        """All rows of a report, such as `buffer_pool/usage`, in the order of the report; docs/reports.md lists them,
        `mqstat explain` their columns.

        Raises UsageError for an unknown name and ViewError when the report cannot be computed.
        """
        chosen, *more = reports_named([name])
        if more:
            raise UsageError(f"{name} is the DD name of several reports: {', '.join([chosen, *more])}; name one.")
        report = sqlfile.reports()[chosen]
        return self._read(report, report.select)

    def findings(self) -> pa.Table:
        """The outcome of every rule for every subject, the worst first: what `mqstat check --format parquet` writes."""
        return self._read(sqlfile.views()["finding"], FINDINGS, ["finding"])

    def sql(self, text: str, params: Parameters = None) -> pa.Table:
        """The result of one SELECT (DuckDB SQL) over views and, as `decoded.NAME`, decoded tables. It reads nothing
        else and writes nothing.

        params: values for `$name` by name, or for `?` and `$1` in their order; they are never part of the text.
        Raises UsageError for any other statement and for a query that fails.
        """
        check_query(text)
        self._run_rules_for(text)
        named = views_named(text) or ()
        with self._session() as database:
            try:
                with as_usage_error():
                    database.keep_named(named)
                    return database.arrow(text, params)
            finally:
                database.release()

    def _run_rules_for(self, query: Query) -> None:
        """Run the rules before the first query that reads what they found; other threads wait."""
        if self._has_findings.is_set() or not any(map(reads_findings, reads(query))):
            return
        self._check_open()
        with self._lock:
            if not self._has_findings.is_set():
                try:
                    run_rules(self._first)
                finally:
                    self._first.release()
                self._has_findings.set()

    def _read(self, unit: sqlfile.SqlFile, query: str, views: Sequence[str] = ()) -> pa.Table:
        """The rows of a report, or of `views`; views that they read several times are computed only once."""
        self._run_rules_for(views or unit.needs)
        with self._session() as database:
            try:
                if views:
                    database.keep_named(views)
                else:
                    database.keep([unit.needs])
                rows = database.arrow(query)
            except duckdb.Error as error:
                raise ViewError(f"{unit.kind} {unit.id} cannot be read ({reason(error)}).") from None
            finally:
                database.release()
        return described(rows, unit)


def described(rows: pa.Table, unit: sqlfile.SqlFile) -> pa.Table:
    """The rows of a view or report, with the descriptions of its columns."""
    about = {unit.kind: unit.id, "title": unit.title}
    return pa.Table.from_arrays(rows.columns, schema=with_metadata(rows.schema, unit.columns.values(), about))


def open_dataset(folder: PathName, *, selection: Selection | None = None, site: PathName | None = None) -> OpenData:
    """Open a dataset that `mqstat ingest` made, in a folder or an object store (`s3://bucket/key`); no writer deletes
    its files while it is open (in a store for 48 hours).

    selection: only these queue managers, LPARs, record types and local times. site: a site file with facts and limits
    for rules. Raises DatasetError when the folder is not a dataset, UsageError for a list of folders, NoDataError when
    the selection matches no record, SiteError for a malformed site file.
    """
    if isinstance(folder, (list, tuple)):
        raise UsageError(f"open_dataset opens one dataset, not a list: {ONE_DATASET}.")
    home = home_of(folder)
    opening = open_data(dataset=home, selection=selection, site=_site(site), views=True)
    return OpenData(opening, f"dataset {home}")


def open_dump(
    path: PathName | Sequence[PathName],
    *,
    selection: Selection | None = None,
    site: PathName | None = None,
    framing: str | None = None,
    jobs: int = 1,
) -> OpenData:
    """Open a dump (file, folder, archive or `-` for standard input), or several: all tables are decoded into a
    temporary dataset.

    That takes as long as `mqstat ingest`: a dump that is read more than once is better ingested and opened with
    `open_dataset`.
    selection, site: as for `open_dataset`; framing: as for `decode`. jobs: worker processes for a large file. With more
    than one, a script needs `if __name__ == "__main__":` around what it runs, as for any use of multiprocessing.

    An input that is skipped is a warning (UserWarning). Raises InputError when no dump can be read and NoDataError when
    there is no MQ record.
    """
    several = [os.fspath(each) for each in ([path] if isinstance(path, (str, os.PathLike)) else path)]
    opening = open_data(
        several,
        selection=selection,
        site=_site(site),
        columns=_everything,
        framing=framing_named(framing),
        jobs=jobs,
        views=True,
        remark=lambda text: warnings.warn(text, stacklevel=4),
    )
    more = f" and {len(several) - 1} more" if len(several) > 1 else ""
    return OpenData(opening, f"dump {several[0] if several else ''}{more}")


def _site(path: PathName | None) -> Site | None:
    return load_site(local_path(path)) if path else None


def _everything() -> Mapping[str, Collection[str]]:
    """All decoded tables with all columns: what will be asked is not known yet."""
    return {name: schema.names for name, schema in table_schemas().items()}
