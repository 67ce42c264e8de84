"""Rows of the views of a dataset as Parquet files (`mqstat.dataset.facts`): DuckDB runs the views as they are, so other engines read their figures without a formula.

A view whose rows need the records of their local day only, as its header states (`of_one_day`), is computed for the days that changed. All others are computed over all days
of the run; a row belongs to its local day, if the view has a column with it. What a row was computed from is known by checksums over inputs, views
and site facts: a run with the same ones computes nothing, and a file with the same rows is not replaced.
"""

# ruff: noqa: S608 - statements are built from names of our views, which are quoted

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mqstat.base.errors import NoDataError, UsageError, ViewError, write_failure
from mqstat.base.nearest import nearest_or_known
from mqstat.base.scratch import temporary_folder
from mqstat.dataset import facts as written
from mqstat.dataset import publishing, store
from mqstat.dataset.description import described
from mqstat.dataset.facts import DAY, RUN, Part
from mqstat.dataset.manifest import FileEntry, Manifest
from mqstat.dataset.paths import FACTS, UNDATED
from mqstat.dataset.place import Home
from mqstat.dataset.store import day_of
from mqstat.dataset.writer import WrittenFile
from mqstat.intake.open_data import open_data
from mqstat.sql.database import open_workspace
from mqstat.sql.memory import memory_limit
from mqstat.sql.needs import tables_below
from mqstat.sql.opened import Opened
from mqstat.sql.schemas import quoted
from mqstat.sql.site import Site
from mqstat.sql.sqlfile import macros, views, with_views_below
from mqstat.sql.workspace import Workspace

NEEDS_MORE = frozenset({"finding", "area_state", "side", "side_setting", "side_figure", "hour_figure", "class_hour"})
"""Tables that only judging or a comparison fills: views that read them have no rows here."""

DAY_COLUMNS = ("interval_start_local", "written_local", "record_start_local", "hour_local", "hour_start_local", "task_start_local", "date_local")  # fmt: skip
"""Columns with the local day of a row, the first one that a view has."""

SHARED = """
    SELECT 1 FROM decoded.record WHERE smf_type = 115 AND interval_start_utc IS NOT NULL GROUP BY lpar, qmgr, interval_start_utc HAVING count(DISTINCT coalesce(date, DATE '1970-01-01')) > 1 LIMIT 1
"""
"""Whether records of one interval have several local days."""

ROWS = 65_536
"""Rows that are written at a time."""


@dataclass(frozen=True)
class Facts:
    """What a run did: views and days that it looked at, rows of the parts that it computed, files that were written, and files that left or were replaced."""

    views: int
    days: int
    rows: int = 0
    written: int = 0
    left: int = 0


@cache
def fact_views() -> tuple[str, ...]:
    """The views whose rows can be written."""
    return tuple(view for view in views() if not tables_below(view) & NEEDS_MORE)


def is_of_one_day(view: str) -> bool:
    """Whether each row of a view needs the records of its local day only, so that the view may be computed for each day alone."""
    return bool(views()[view].header.get("of_one_day"))


def chosen_views(names: Iterable[str]) -> tuple[str, ...]:
    """The named views, or all; UsageError for an unknown name, or if its rows cannot be written."""
    wanted = dict.fromkeys(names)
    for name in wanted:
        if name not in views():
            raise UsageError(
                f"--view {name}: no such view{nearest_or_known(name, fact_views(), 'mqstat tables lists them')}."
            )
        if name not in fact_views():
            raise UsageError(
                f"--view {name}: its rows depend on rules or on a comparison, so they cannot be written as facts."
            )
    return tuple(wanted) or fact_views()


def write_facts(
    dataset: Home,
    into: Home,
    names: Collection[str] = (),
    *,
    days: Callable[[dt.date], bool] | None = None,
    site: Site | None = None,
    wait_seconds: float = 0,
) -> Facts:
    """Bring the facts of a dataset in the folder or place `into` up to date: of the views `names`, by default all.

    days: only the local days for which this is true, and rows of other views are computed over these days; all others stay as they are. Raises UsageError
    for a view or target that is not valid, NoDataError for a dataset without records, ViewError if a view cannot be computed, and DatasetError if
    something cannot be read or written; the facts are then unchanged.
    """
    chosen = chosen_views(names)
    problem = written.refused(into, dataset)
    if problem is not None:
        raise UsageError(problem)
    manifest = store.open_dataset(dataset).manifest
    run = _Run(dataset, manifest, days, site or Site(), written.known(into))
    if not run.days:
        raise NoDataError(f"{dataset}: no records of the selected days." if days else f"{dataset}: has no records.")
    by_day, over_all, outdated = run.plan(chosen, is_of_one_day)
    if by_day and run.shares_intervals():
        by_day, over_all, outdated = run.plan(chosen, lambda _: False)
    if not (by_day or over_all or outdated):
        return Facts(len(chosen), len(run.days))
    with store.writing(into, wait_seconds, takes_facts=True):
        pass  # creates a new folder, or refuses it before anything is computed
    with ExitStack() as stack:
        try:
            staging = stack.enter_context(publishing.staging(into))
        except OSError as error:
            raise write_failure(into, "cannot be written", error, "its facts are unchanged") from None
        made: dict[tuple[str, str], tuple[Part, WrittenFile | None]] = {}
        for day, wanted in sorted(by_day.items(), key=lambda item: item[0] or dt.date.min):
            with run.opened([day], wanted) as database:
                for view in _kept(database, wanted):
                    made |= run.written(database, view, staging, DAY, day)
        if over_all:
            with run.opened_whole() as database:
                for view in _kept(database, over_all):
                    made |= run.written(database, view, staging, RUN)
                    outdated |= run.parts_of(view) - made.keys()
        changed = written.publish(into, staging, made, outdated, wait_seconds)
    return Facts(len(chosen), len(run.days), sum(part.rows for part, _ in made.values()), changed.written, changed.left)


def _kept(database: Workspace, wanted: Sequence[str]) -> Sequence[str]:
    """These views, after those that several read were computed; ViewError for one that fails."""
    failed = database.keep([[view] for view in wanted])
    if failed:
        raise ViewError(f"{next(iter(failed.values()))}; its facts are unchanged.")
    return wanted


@dataclass
class _Run:
    """The dataset as it is when a run begins, its selected days, and the parts that there are already."""

    dataset: Home
    manifest: Manifest
    selected: Callable[[dt.date], bool] | None
    site: Site
    known: written.Parts
    days: list[dt.date] = field(default_factory=list)
    files: dict[dt.date | None, list[FileEntry]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for entry in self.manifest.files:
            self.files.setdefault(day_of(entry), []).append(entry)
        self.days = sorted(
            day for day in self.files if day is not None and (self.selected is None or self.selected(day))
        )
        self._sums = {source.source_id: source.sha256 for source in self.manifest.sources}

    @property
    def period(self) -> tuple[dt.date, dt.date]:
        """The first and the last day."""
        return self.days[0], self.days[-1]

    def shares_intervals(self) -> bool:
        """Whether records of one interval of a queue manager have several local days, such as after a change of clocks."""
        with self.opened([*self.files], ["record"]) as database:
            return bool(database.execute(SHARED).fetchall())

    def plan(
        self, chosen: Sequence[str], is_by_day: Callable[[str], bool]
    ) -> tuple[dict[dt.date | None, list[str]], list[str], set[tuple[str, str]]]:
        """The views to compute for each day, those to compute over all days, and the parts whose days have left the dataset."""
        by_day: dict[dt.date | None, list[str]] = {}
        over_all: list[str] = []
        outdated: set[tuple[str, str]] = set()
        for view in chosen:
            parts = self.parts_of(view)
            if is_by_day(view):
                there = set()
                for day in (*self.days, *([None] if self.selected is None and self._has_rows(view, None) else [])):
                    key = (view, UNDATED if day is None else str(day))
                    there.add(key)
                    if key not in self.known or self.known[key].inputs != self.inputs(view, [day]):
                        by_day.setdefault(day, []).append(view)
                outdated |= parts - there
            else:
                inputs = self.inputs(view, [*self.days, None])
                own = [self.known[key] for key in parts]
                if not own or any((part.inputs, part.window) != (inputs, RUN) for part in own):
                    over_all.append(view)
        return by_day, over_all, outdated

    def parts_of(self, view: str) -> set[tuple[str, str]]:
        """The parts of a view that a run over the selected days replaces: all but those of other days."""
        own = {key for key in self.known if key[0] == view}
        if self.selected is None:
            return own
        dated = {key: dt.date.fromisoformat(key[1]) for key in own if len(key[1]) == len("2026-11-22")}
        return {
            key
            for key in own
            if (key not in dated or self.selected(dated[key])) and not (key[1] == UNDATED and is_of_one_day(view))
        }

    def _has_rows(self, view: str, day: dt.date | None) -> bool:
        return any(entry.table in _tables(view) for entry in self.files.get(day, ()))

    def inputs(self, view: str, days: Iterable[dt.date | None]) -> str:
        """A checksum over what the rows of a view on these days are computed from: it stays the same when files are merged."""
        rows: dict[tuple[str, str, str], int] = {}
        tables = _tables(view)
        for day in days:
            for entry in self.files.get(day, ()):
                if entry.table in tables:
                    for number, count in entry.sources:
                        key = (entry.table, str(day), self._sums.get(number, ""))
                        rows[key] = rows.get(key, 0) + count
        dropped = [vars(each) for each in self.manifest.dropped] if "dropped_class" in tables else []
        facts = (
            [self.site.everywhere, self.site.by_lpar, self.site.by_qmgr, *self.site.rates]
            if "site_input" in tables
            else []
        )
        text = json.dumps([_definition(view), sorted(rows.items()), dropped, facts], default=str, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @contextmanager
    def opened(self, days: Collection[dt.date | None], wanted: Collection[str]) -> Iterator[Workspace]:
        """A database over the tables that these views read, with the rows of these days."""
        tables = frozenset[str]().union(*map(_tables, wanted))
        with store.reading(self.dataset) as opened, temporary_folder() as spill:
            files: dict[str, list[Path]] = {}
            for entry in opened.manifest.files:
                if day_of(entry) in days and entry.table in tables:
                    files.setdefault(entry.table, []).append(opened.path(entry))  # type: ignore[arg-type]
            given = Opened(
                files,
                site=self.site,
                memory_limit=memory_limit(files),
                distinct=True,
                readable=opened.paths_later(),
            )
            with open_workspace(given, temp_directory=spill) as database:
                yield database

    @contextmanager
    def opened_whole(self) -> Iterator[Workspace]:
        """A database over the records of all selected days."""
        days = self.days if self.selected is not None else None
        with open_data(dataset=self.dataset, days=days, site=self.site, may_be_empty=True) as database:
            yield database

    def written(
        self, database: Workspace, view: str, staging: Path, window: str, day: dt.date | None = None
    ) -> Iterator[tuple[tuple[str, str], tuple[Part, WrittenFile | None]]]:
        """Stage the rows of a view, a file for each part; each part with its file."""
        first, last = self.period if window == RUN else (day, day)
        inputs = self.inputs(view, [*self.days, None] if window == RUN else [day])
        ends = f"{first}_{last}" if window == RUN else UNDATED if day is None else str(day)
        column = _day_column(view) if window == RUN else None
        rows = 0
        for part, path, count in _files(database, view, staging, column, ends):
            rows += count
            file = WrittenFile(f"{FACTS}/{view}", path.name, count, path.stat().st_size)
            yield (view, part), (Part(view, part, window, first, last, count, inputs), file)
        if not rows:
            yield (view, ends), (Part(view, ends, window, first, last, 0, inputs), None)


@cache
def _tables(view: str) -> frozenset[str]:
    """The tables that the rows of a view depend on."""
    return tables_below(view) | {"record"}


@cache
def _definition(view: str) -> str:
    """A checksum over the SQL of a view and of those below it."""
    texts = [macros(), *(views()[name].select for name in sorted(with_views_below(view)))]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _day_column(view: str) -> str | None:
    """The column with the local day of a row."""
    return next((name for name in DAY_COLUMNS if name in views()[view].columns), None)


def _files(
    database: Workspace, view: str, staging: Path, column: str | None, ends: str
) -> Iterator[tuple[str, Path, int]]:
    """Write the rows of a view in a fixed order, a file for each day in a column, or one file; the part, path and rows of each."""
    day = f"{quoted(column)}::DATE" if column else "NULL::DATE"
    reader = database.reader(f'SELECT {day} AS "#day", * FROM {quoted(view)} ORDER BY ALL NULLS FIRST', ROWS)
    schema = pa.schema([*reader.schema][1:])
    for part, pieces in groupby(_pieces(reader, schema, None if column else ends), itemgetter(0)):
        path, count = staging / f"{view}-{part}.parquet", 0
        with pq.ParquetWriter(path, schema, compression="zstd", store_schema=False) as writer:
            writer.add_key_value_metadata(_metadata(view))
            for _, piece in pieces:
                writer.write_batch(piece)
                count += piece.num_rows
        yield part, path, count


def _pieces(reader: pa.RecordBatchReader, schema: pa.Schema, ends: str | None) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of a reader, whose first column is the day, without it, each with its part: the day, or `ends`."""
    for batch in reader:
        days = batch.column(0)
        last = pc.run_end_encode(days.fill_null(dt.date.max)).run_ends.to_pylist()
        for begin, end in zip([0, *last], last, strict=False):
            day = str(days[begin].as_py()) if days[begin].is_valid else UNDATED
            piece = batch.slice(begin, end - begin).columns[1:]
            yield ends or day, pa.RecordBatch.from_arrays(piece, schema=schema)


def _metadata(view: str) -> dict[str, str]:
    """Description, units and comments of the columns of a view, as the files of tables have them."""
    unit = views()[view]
    columns = {column.name: (column.unit, column.kind, "", column.doc) for column in unit.columns.values()}
    return described(f"{FACTS}/{view}", f"{unit.title}: {unit.header['grain']}", columns)
