"""The only way to open data: dumps or a dataset, and a selection -> an open database.

    with open_data(["dump.smf"], selection=Selection(qmgrs=("MQW1",))) as database:
        rows = database.rows("SELECT ...")

Of dumps only the requested tables are decoded, into a temporary dataset that is removed at the end. An input without MQ
records, or a selection that matches none, raises NoDataError.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from mqstat.base import return_codes
from mqstat.base.errors import InputError, NoDataError, UsageError
from mqstat.base.inputs import in_use
from mqstat.base.object_store import StoredFile
from mqstat.base.scratch import temporary_folder
from mqstat.base.selection import Selection
from mqstat.intake import holdings
from mqstat.sql.database import QMGRS_OF_RECORDS, open_workspace
from mqstat.sql.decoded import local_moment, task_queries
from mqstat.sql.memory import memory_limit
from mqstat.sql.opened import SMALL_IN_MEMORY, Numbers, Opened, left_out
from mqstat.sql.schemas import OWN_TABLES, TAKE_TIME, all_schemas, literal
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace

if TYPE_CHECKING:
    from mqstat.dataset.manifest import Manifest
    from mqstat.dataset.place import Home
    from mqstat.dataset.store import AnyOpened
    from mqstat.intake.pipeline import SourceResult
    from mqstat.intake.workers import Progress
    from mqstat.parsers.framing import Framing

Columns = Callable[[], Mapping[str, Collection[str]]]
"""Returns the decoded tables to read, with their columns."""


@contextmanager
def open_data(
    dumps: Sequence[str] = (),
    dataset: Home | AnyOpened | None = None,
    *,
    selection: Selection | None = None,
    days: Collection[dt.date] | None = None,
    tables: Collection[str] | None = None,
    columns: Columns | None = None,
    site: Site | None = None,
    framing: Framing | None = None,
    jobs: int | None = None,
    checksums: bool = False,
    views: bool | Collection[str] = False,
    may_be_empty: bool = False,
    progress: Callable[[str], AbstractContextManager[Progress | None]] = lambda _: nullcontext(),
    remark: Callable[[str], None] = lambda _: None,
) -> Iterator[Workspace]:
    """A database over the records of `dumps` (files, folders, archives, `-`) or of the folder `dataset`, or of a
    dataset that is open, that `selection` matches.

    `columns` = the tables to decode of dumps, with their columns, by default those that rules and reports read; of a
    dataset no other tables are opened. `checksums` = compute the SHA-256 of dumps while reading them.
    `days`, `tables` = only these local days and decoded tables of a dataset. `views` = create all views, or the named
    ones, for a user's queries. `remark` is called with a sentence for each input that is left out. Overrides of the
    site that ended before the last day of the data are ignored:
    `database.site` has the others.

    Raises UsageError unless exactly one of `dumps` and `dataset` is given, InputError if no dump can be read,
    DatasetError if the folder is not a dataset, and (unless it `may_be_empty`) NoDataError if there is no MQ record to
    judge.
    """
    chosen, site = selection or Selection(), site or Site()
    if bool(dumps) == (dataset is not None):
        raise UsageError("Specify either dumps or --from DIR (a dataset).")
    if dataset is not None:
        opened = _open_dataset(dataset, chosen, site, days, tables, columns, views, may_be_empty)
    else:
        opened = _open_dumps(
            dumps, chosen, site, columns, framing, jobs, checksums, views, may_be_empty, progress, remark
        )
    with opened as database:
        database.site = _in_force(database, site)
        yield database


def columns_of(queries: Iterable[str]) -> Columns:
    """The decoded tables that these queries read, for `open_data`."""

    def columns() -> Mapping[str, Collection[str]]:
        from mqstat.sql.needs import decoded_columns

        return decoded_columns(queries)

    return columns


def days_of_dataset(folder: Home | AnyOpened) -> list[dt.date]:
    """The local days for which a dataset has rows, in order; DatasetError if the folder is not a dataset."""
    from mqstat.dataset.store import day_of, open_dataset

    return sorted({day for entry in open_dataset(folder).manifest.files if (day := day_of(entry)) is not None})


LAST_DAY = "SELECT max(written_local)::DATE FROM record"
"""The last day of the data; overrides of the site that ended before it have expired."""


def _in_force(database: Workspace, site: Site) -> Site:
    """The site without the overrides that ended before the last day of the data."""
    if not any(override.until for override in site.overrides):
        return site

    last = database.ask(LAST_DAY).fetchall()[0][0]
    return site.on(last)


# --- a dataset


@contextmanager
def _open_dataset(
    folder: Home | AnyOpened,
    chosen: Selection,
    site: Site,
    days: Collection[dt.date] | None,
    tables: Collection[str] | None,
    columns: Columns | None,
    views: bool | Collection[str],
    may_be_empty: bool,
) -> Iterator[Workspace]:
    if isinstance(folder, Path) and folder.is_file():
        raise UsageError(f"--from {folder}: is a file, not a dataset; specify it as a dump, without --from.")
    from mqstat.dataset.store import open_dataset
    from mqstat.sql.needs import decoded_columns

    schemas = all_schemas()
    if columns is not None:
        tables = {"record", *columns(), *decoded_columns(task_queries(chosen))}
        made = OWN_TABLES - TAKE_TIME
        schemas = {name: schema for name, schema in schemas.items() if name in tables or name in made}
    dataset = open_dataset(folder)
    with temporary_folder() as spill:
        sources: set[int] | None = None
        if days is not None:
            files = _of_days(dataset, days)
            sources = {number for day in days for number in dataset.sources(day, day)}
        elif chosen.since or chosen.until:
            last = chosen.until - dt.timedelta(microseconds=1) if chosen.until else dt.datetime.max
            period = (chosen.since or dt.datetime.min).date(), last.date()
            files, sources = dataset.days(*period), dataset.sources(*period)
        else:
            files = dataset.files
        if tables is not None:
            # The records show which of them are repeated, so that each counts once.
            files = {table: paths for table, paths in files.items() if table in {*tables, "record"}}
        given = Opened(
            files,
            views,
            site,
            chosen,
            schemas,
            distinct=True,
            sources=sources,
            numbers=_numbers_of(dataset, chosen, days, sources),
            memory_limit=memory_limit(files),
            dataset=dataset,
        )
        with open_workspace(given, temp_directory=spill) as database:
            if not may_be_empty and not _has_records(database, files):
                raise NoDataError(_nothing_in_dataset(dataset, chosen, days))
            if dataset.manifest.dropped and files.get("record"):
                _fill_dropped(database, dataset.manifest)
            yield database


def _numbers_of(
    dataset: AnyOpened,
    chosen: Selection,
    days: Collection[dt.date] | None,
    sources: Collection[int] | None,
) -> Numbers:
    """Where the sequence numbers of a dataset are read: with those of selected days the days up to the nearest ones
    before and after them with records of each queue manager.
    """
    from mqstat.dataset.store import day_of

    for source in dataset.manifest.sources:
        selected = source.selection
        reason = left_out(selected.get("only"), selected.get("since"), selected.get("until"))
        if reason and (sources is None or source.source_id in sources):
            return Numbers(not_judged=f"{source.name} was ingested with {reason}")
    first, end = chosen.since, chosen.until
    if days:
        first = dt.datetime.combine(min(days), dt.time())
        end = dt.datetime.combine(max(days) + dt.timedelta(days=1), dt.time())
    dated = ((day_of(entry), entry) for entry in dataset.manifest.files if entry.table == "record")
    by_day: dict[dt.date, list[Path | StoredFile]] = {}
    for day, entry in dated:
        if day is not None:
            by_day.setdefault(day, []).append(dataset.path(entry))
    begin = first.date() if first else dt.date.min
    last = (end - dt.timedelta(microseconds=1)).date() if end else dt.date.max
    within = [day for day in by_day if begin <= day <= last]
    earlier = sorted((day for day in by_day if day < begin), reverse=True)
    later = sorted(day for day in by_day if day > last)
    read = [*within, *_up_to_neighbours(by_day, within, earlier), *_up_to_neighbours(by_day, within, later)]
    return Numbers([path for day in sorted(read) for path in by_day[day]], None, first, end)


def _up_to_neighbours(
    by_day: Mapping[dt.date, Sequence[Path | StoredFile]], selected: Sequence[dt.date], others: Sequence[dt.date]
) -> Iterator[dt.date]:
    """The days outside of the selected ones, the nearest first, until each queue manager of the selected days has
    records in one of them.
    """
    if not others:
        return
    yield others[0]
    waiting = set().union(*(_queue_managers(by_day[day]) for day in selected)) - _queue_managers(by_day[others[0]])
    nearest = []
    for day in others[1:]:
        if not waiting:
            break
        nearest.append(day)
        if own := waiting & _queue_managers(by_day[day]):
            waiting -= own
            yield from nearest
            nearest = []


def _queue_managers(files: Iterable[Path | StoredFile]) -> set[tuple[str | None, str | None]]:
    """LPAR and name of the queue managers with records in files of table record."""
    import pyarrow.parquet as pq

    out: set[tuple[str | None, str | None]] = set()
    for file in files:
        source = file.open_ranges() if isinstance(file, StoredFile) else file
        rows = (
            pq.read_table(source, columns=["lpar", "qmgr"], partitioning=None).group_by(["lpar", "qmgr"]).aggregate([])
        )
        out |= set(zip(rows["lpar"].to_pylist(), rows["qmgr"].to_pylist(), strict=True))
    return out


def _fill_dropped(database: Workspace, manifest: Manifest) -> None:
    """Fill table `dropped_class`: the records of days from which a retention dropped the tables of their class."""
    from mqstat.dataset.classes import class_of
    from mqstat.dataset.store import day_of

    have = {(class_of(entry.table), str(day_of(entry))) for entry in manifest.files}
    dropped = [each for each in manifest.dropped if (each.name, each.day) not in have]  # not if data arrived again
    if not dropped:
        return
    listed = ", ".join(
        f"({int(each.name)}, DATE {literal(each.day)}, {f'DATE {literal(each.on)}' if each.on else 'NULL::DATE'})"
        for each in dropped
    )
    query = f"""
        SELECT r.lpar, r.qmgr, r.record_class, count(*) AS records_dropped, max(d.dropped_on) AS dropped_on
        FROM decoded.record AS r JOIN (VALUES {listed}) AS d (smf_type, date, dropped_on) ON d.smf_type = r.smf_type AND d.date = r.date
        WHERE r.first_record_id IS NULL AND r.lpar IS NOT NULL AND r.qmgr IS NOT NULL
        GROUP BY r.lpar, r.qmgr, r.record_class
    """  # noqa: S608 - names and dates of the manifest, which were checked
    database.fill("dropped_class", database.arrow(query))


def _of_days(dataset: AnyOpened, days: Collection[dt.date]) -> dict[str, list[Path | StoredFile]]:
    """The files of these days by table, without duplicates."""
    files: dict[str, dict[Path | StoredFile, None]] = {}
    for day in sorted(days):
        for table, paths in dataset.days(day, day).items():
            files.setdefault(table, {}).update(dict.fromkeys(paths))
    return {table: sorted(paths, key=str) for table, paths in files.items()}


def _has_records(database: Workspace, files: Mapping[str, Sequence[Path | StoredFile]]) -> bool:
    return bool(files.get("record")) and bool(database.execute("SELECT 1 FROM decoded.record LIMIT 1").fetchall())


def _nothing_in_dataset(dataset: AnyOpened, chosen: Selection, days: Collection[dt.date] | None) -> str:
    """Why no record of a dataset is selected: it has no records, or no matching records."""
    files = dataset.files.get("record", [])
    rows = []
    if files:
        schemas = {name: schema for name, schema in all_schemas().items() if name == "record" or name in OWN_TABLES}
        opened = Opened({"record": files}, schemas=schemas, memory_limit=memory_limit({}))
        with open_workspace(opened) as database:
            moment = local_moment("record")
            rows = database.execute(
                f"SELECT lpar, qmgr, min({moment}), max({moment}) FROM decoded.record GROUP BY lpar, qmgr"  # noqa: S608 - our own columns
            ).fetchall()
    if not rows:
        names = ", ".join(source.name for source in dataset.manifest.sources[:5]) or "no dumps"
        return f"{dataset.folder}: the dataset contains no MQ records (type 115 or 116); it was created from {names}."
    if days is not None and chosen.is_all:
        chosen = Selection(
            since=dt.datetime.combine(min(days), dt.time()),
            until=dt.datetime.combine(max(days) + dt.timedelta(days=1), dt.time()),
        )
    return holdings.nothing_selected(chosen, [holdings.Holding(*row) for row in rows])


# --- dumps


@contextmanager
def _open_dumps(
    dumps: Sequence[str],
    chosen: Selection,
    site: Site,
    columns: Columns | None,
    framing: Framing | None,
    jobs: int | None,
    checksums: bool,
    views: bool | Collection[str],
    may_be_empty: bool,
    progress: Callable[[str], AbstractContextManager[Progress | None]],
    remark: Callable[[str], None],
) -> Iterator[Workspace]:
    """Decode only the requested tables into a temporary dataset."""
    from mqstat.intake.part import Job
    from mqstat.intake.pipeline import PARALLEL_FROM, Scratch, columns_to_decode
    from mqstat.intake.workers import Workers
    from mqstat.sources.source import find_sources
    from mqstat.sql.needs import decoded_columns, health_columns

    with Scratch(SMALL_IN_MEMORY) as scratch:
        with Workers(jobs) as workers:
            if workers.count > 1 and any(
                path.is_file() and path.stat().st_size >= PARALLEL_FROM for path in map(Path, dumps)
            ):
                workers.warm_up()
            queries = [LAST_DAY] if any(override.until for override in site.overrides) else []
            queries += [QMGRS_OF_RECORDS] if site.has_facts else []
            queries += task_queries(chosen)
            wanted = columns_to_decode((columns or health_columns)(), decoded_columns(queries))
            first, refused, inputs = 0, list[InputError](), in_use.get(None)
            seen: set[tuple[int, int] | str] = set()
            for source in find_sources(list(dumps)):
                if source.path is not None:
                    identity = _identity(source.path)
                    if identity in seen:
                        remark(f"skipping: {source.name} was already given.")
                        continue
                    seen.add(identity)
                job = Job(len(scratch.results) + 1, first, chosen, wanted, scratch.root, keeps=False)
                try:
                    with progress(source.name) as step:
                        done = scratch.add(
                            source, job, framing=framing, workers=workers, sha256=checksums, progress=step
                        )
                except InputError as error:
                    refused.append(error)
                    continue
                if inputs is not None:
                    inputs.words[job.source_id] = source.word
                first += done.part.records
        # The workers have ended and released their memory.
        for each in refused if scratch.results else refused[:-1]:
            remark(f"skipping: {each}")
        ruined = [each for each in scratch.results if each.refusal]
        for result in ruined:
            remark(f"{result.name} is {result.headline} What follows is what can be read of it.")
        if refused and not scratch.results:
            raise refused[-1]
        if not may_be_empty:
            check_not_empty(scratch.results, chosen)
        decoded = scratch.sources()
        given = Opened(
            decoded,
            views,
            site,
            Selection(
                qmgrs=chosen.qmgrs, lpars=chosen.lpars, tasks=chosen.tasks
            ),  # for counts of sections and of other records
            decoded=wanted,
            numbers=Numbers(not_judged=left_out(chosen.types, chosen.since, chosen.until)),
            memory_limit=memory_limit(decoded),
        )
        with open_workspace(given, temp_directory=scratch.root) as database:
            database.input_code = return_codes.of_inputs(
                [*(each.return_code for each in refused), *(each.verdict.return_code() for each in ruined)]
            )
            yield database


def _identity(file: Path | StoredFile) -> tuple[int, int] | str:
    """What is equal for two names of one file."""
    if isinstance(file, StoredFile):
        return file.uri
    status = file.stat()
    return status.st_dev, status.st_ino


def check_not_empty(results: Sequence[SourceResult], chosen: Selection) -> None:
    """Raise NoDataError if the inputs have no MQ record that is not damaged, or none that the selection matches."""
    if not any(result.part.ledger.mq_records for result in results):
        from mqstat.sources.doctor import no_mq_sentence

        types: Counter[int] = Counter()
        damaged = damaged_bytes = 0
        for result in results:
            types.update(result.part.types)
            damaged += result.part.ledger.records.damaged
            damaged_bytes += result.part.ledger.bytes.damaged
        raise NoDataError(
            no_mq_sentence([result.name for result in results], types, damaged, damaged_bytes, results[0].word)
        )
    if not chosen.is_all and not any(result.part.selected for result in results):
        from mqstat.intake.part import add_counts

        periods: dict[tuple[int, int], list[int]] = {}
        for result in results:
            add_counts(periods, result.part.holds, 1)
        raise NoDataError(holdings.nothing_selected(chosen, holdings.of_counts(periods)))
