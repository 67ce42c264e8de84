"""Dumps and datasets as Arrow tables: views, reports, findings and SQL."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from mqstat.api.inputs import framing_named
from mqstat.assemble.catalogue import order_of, reports_named
from mqstat.base.errors import UsageError, ViewError
from mqstat.base.nearest import did_you_mean
from mqstat.base.selection import Selection
from mqstat.intake.open_data import open_data
from mqstat.judge import run_rules
from mqstat.parsers.tables import table_schemas
from mqstat.render.files import with_metadata
from mqstat.sql import sqlfile
from mqstat.sql.database import Database
from mqstat.sql.plans import keep, keep_named, reads_findings, release
from mqstat.sql.query import as_usage_error, check_query
from mqstat.sql.schemas import quoted
from mqstat.sql.site import load_site
from mqstat.sql.syntax import Query, reads, views_named


class OpenData:
    """Dumps or a dataset, open for reading; made by `open_dump` and `open_dataset` and usable inside their `with` block.

    Every method gives an Arrow table. The columns of views, reports and findings have unit, label and description in their metadata. Rules run once,
    when something is read that needs their findings.
    """

    def __init__(self, database: Database) -> None:
        self._opened: Database | None = database
        self._has_findings = False

    @property
    def _database(self) -> Database:
        if self._opened is None:
            raise UsageError("The data is closed; read it inside the with block that opened it.")
        return self._opened

    def _close(self) -> None:
        self._opened = None

    def view(self, name: str) -> pa.Table:
        """All rows of a view, such as `buffer_pool`, in no particular order; docs/data-dictionary.md lists views and columns.

        Raises UsageError for an unknown name and ViewError when the view cannot be computed.
        """
        known = sqlfile.views()
        if name not in known:
            raise UsageError(f"There is no view {name}{did_you_mean(name, known) or '; mqstat tables lists them'}.")
        self._run_rules_for([name])
        return self._read(known[name], f"SELECT * FROM {quoted(name)}", [name])  # noqa: S608 - one of our views

    def report(self, name: str) -> pa.Table:
        """All rows of a report, such as `buffer_pool/usage`, in the order of the report; docs/reports.md lists reports and columns.

        Raises UsageError for an unknown name and ViewError when the report cannot be computed.
        """
        chosen, *more = reports_named([name])
        if more:
            raise UsageError(f"{name} is the DD name of several reports: {', '.join([chosen, *more])}; name one.")
        report = sqlfile.reports()[chosen]
        self._run_rules_for(report.needs)
        return self._read(report, report.select)

    def findings(self) -> pa.Table:
        """The outcome of every rule for every subject, the worst first: what `mqstat check --format parquet` writes."""
        order = order_of("overview/findings")
        self._run_rules_for(["finding"])
        return self._read(sqlfile.views()["finding"], f"SELECT * FROM finding ORDER BY {order}", ["finding"])  # noqa: S608 - as above

    def sql(self, text: str) -> pa.Table:
        """The result of one SELECT (DuckDB SQL) over views and, as `decoded.NAME`, decoded tables. It reads nothing else and writes nothing.

        Raises UsageError for any other statement and for a query that fails.
        """
        check_query(text)
        self._run_rules_for(text)
        try:
            with as_usage_error():
                keep_named(self._database, views_named(text) or ())
                return self._database.arrow(text)
        finally:
            release(self._database)

    def _run_rules_for(self, query: Query) -> None:
        """Run the rules before the first query that reads what they found."""
        if self._has_findings or not any(map(reads_findings, reads(query))):
            return
        try:
            run_rules(self._database)
        finally:
            release(self._database)
        self._has_findings = True

    def _read(self, unit: sqlfile.SqlFile, query: str, views: Sequence[str] = ()) -> pa.Table:
        """The rows of a report, or of `views` as a whole; views that they read several times are computed only once."""
        try:
            if views:
                keep_named(self._database, views)
            else:
                keep(self._database, [unit.needs])
            rows = self._database.arrow(query)
        except duckdb.Error as error:
            cause = str(error).strip().splitlines()[0].rstrip(".")
            raise ViewError(f"{unit.kind} {unit.id} cannot be read ({cause}).") from None
        finally:
            release(self._database)
        about = {unit.kind: unit.id, "title": unit.title}
        return pa.Table.from_arrays(rows.columns, schema=with_metadata(rows.schema, unit.columns.values(), about))


@contextmanager
def _reading(opening: AbstractContextManager[Database]) -> Iterator[OpenData]:
    """The data of a database, usable until the database is closed."""
    with opening as database:
        data = OpenData(database)
        try:
            yield data
        finally:
            data._close()


def open_dataset(
    folder: str | os.PathLike[str],
    *,
    selection: Selection | None = None,
    site: str | os.PathLike[str] | None = None,
) -> AbstractContextManager[OpenData]:
    """Open a dataset that `mqstat ingest` made; no writer deletes its files while it is open.

    selection: only these queue managers, LPARs, record types and local times. site: a site file with facts and limits for rules.
    Raises DatasetError when the folder is not a dataset, NoDataError when the selection matches no record, SiteError for a malformed site file.
    """
    return _reading(
        open_data(dataset=Path(folder), selection=selection, site=load_site(Path(site)) if site else None, views=True)
    )


def open_dump(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    selection: Selection | None = None,
    site: str | os.PathLike[str] | None = None,
    framing: str | None = None,
    jobs: int = 1,
) -> AbstractContextManager[OpenData]:
    """Open a dump (file, folder, archive or `-` for standard input), or several: all tables are decoded into a temporary dataset.

    That takes as long as `mqstat ingest`: a dump that is read more than once is better ingested and opened with `open_dataset`.
    selection, site: as for `open_dataset`; framing: as for `decode`. jobs: worker processes for a large file. With more than one, a script needs
    `if __name__ == "__main__":` around what it runs, as for any use of multiprocessing.

    An input that is skipped is a warning (UserWarning). Raises InputError when no dump can be read and NoDataError when there is no MQ record.
    """
    several = [path] if isinstance(path, (str, os.PathLike)) else path
    opening = open_data(
        [os.fspath(each) for each in several],
        selection=selection,
        site=load_site(Path(site)) if site else None,
        columns=_everything,
        framing=framing_named(framing),
        jobs=jobs,
        views=True,
        remark=lambda text: warnings.warn(text, stacklevel=2),
    )
    return _reading(opening)


def _everything() -> Mapping[str, Collection[str]]:
    """All decoded tables with all columns: what will be asked is not known yet."""
    return {name: schema.names for name, schema in table_schemas().items()}
