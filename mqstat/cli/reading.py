"""Where reports and rules get their data: a dataset, or dumps of which just what they read is decoded."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mqstat.cli.options import framing_of, progress, sources_of
from mqstat.errors import InputError, UsageError

DATASET_MEMORY = "600MB"
"""What DuckDB may take over a dataset: a month of ten queue managers fits, and all of it stays below 1 GB."""

if TYPE_CHECKING:
    from mqstat.database import Database
    from mqstat.selection import Selection
    from mqstat.site import Site


def site_of(path: Path | None) -> Site:
    """The site file that was given, or one that changes nothing."""
    from mqstat.site import Site, load_site

    return Site() if path is None else load_site(path)


@contextmanager
def opened(
    dumps: Sequence[str],
    place: Path | None,
    chosen: Selection,
    site: Site,
    framing: str | None = None,
    jobs: int | None = None,
    *,
    columns: Callable[[], Mapping[str, Collection[str]]] | None = None,
    checksums: bool = False,
) -> Iterator[Database]:
    """A database for the rules and reports, over the dataset `place` or straight over dumps.

    `checksums` has the content of dumps summed while they are read (a dataset has its checksums). `columns` gives the decoded columns that are wanted instead of those of rules and reports. Overrides of the site that ended before
    the last day of the data are set aside: `database.site` is what holds.
    """
    if bool(dumps) == (place is not None):
        raise UsageError("Give either dumps or --from DIR (a dataset).")
    if place is not None:
        with _over_dataset(place, chosen, site) as database:
            database.site = _in_force(database, site)
            yield database
    else:
        from mqstat.plans import health_columns

        with _over_dumps(dumps, chosen, site, columns or health_columns, framing, jobs, checksums) as database:
            database.site = _in_force(database, site)
            yield database


def opened_for(queries: Iterable[str]) -> Callable[[], Mapping[str, Collection[str]]]:
    """The decoded columns that some queries read, for `opened`."""

    def columns() -> Mapping[str, Collection[str]]:
        from mqstat.plans import decoded_columns

        wanted: dict[str, set[str]] = {}
        for query in queries:
            for table, found in decoded_columns(query).items():
                wanted.setdefault(table, set()).update(found)
        return wanted

    return columns


def _in_force(database: Database, site: Site) -> Site:
    """The site without the overrides that ended before the last day of the data."""
    if not any(override.until for override in site.overrides):
        return site
    from mqstat.plans import ask

    last = ask(database, "SELECT max(written_local)::DATE FROM record").fetchall()[0][0]
    return site.on(last)


@contextmanager
def _over_dataset(place: Path, chosen: Selection, site: Site) -> Iterator[Database]:
    import tempfile

    from mqstat.database import open_database
    from mqstat.dataset.store import open_dataset

    dataset = open_dataset(place)
    files = dataset.files
    if chosen.since or chosen.until:
        last = chosen.until - dt.timedelta(microseconds=1) if chosen.until else dt.datetime.max
        files = dataset.days((chosen.since or dt.datetime.min).date(), last.date())
    with (
        tempfile.TemporaryDirectory(prefix="mqstat-") as spill,
        open_database(
            files, site=site, selection=chosen, temp_directory=spill, memory_limit=DATASET_MEMORY, views=False
        ) as database,
    ):
        yield database


@contextmanager
def _over_dumps(
    dumps: Sequence[str],
    chosen: Selection,
    site: Site,
    columns: Callable[[], Mapping[str, Collection[str]]],
    framing: str | None,
    jobs: int | None,
    checksums: bool,
) -> Iterator[Database]:
    """Decode just what is wanted into a temporary dataset."""
    from mqstat.cli import printable
    from mqstat.database import open_database
    from mqstat.part import Job
    from mqstat.pipeline import PARALLEL_FROM, Scratch, columns_to_decode
    from mqstat.ranges import Workers

    with Scratch() as scratch:
        with Workers(jobs) as workers:
            if any(path.is_file() and path.stat().st_size >= PARALLEL_FROM for path in map(Path, dumps)):
                workers.warm_up()
            wanted = columns_to_decode(columns())
            first, number, refused = 0, 0, None
            seen: set[tuple[int, int]] = set()
            for source in sources_of(list(dumps)):
                if source.path is not None:
                    status = source.path.stat()
                    if (status.st_dev, status.st_ino) in seen:
                        sys.stderr.write(f"mqstat: passed over: {printable(source.name)} was given twice.\n")
                        continue
                    seen.add((status.st_dev, status.st_ino))
                job = Job(number + 1, first, chosen, wanted, scratch.root, keeps=False)
                try:
                    with progress(source.name) as step:
                        done = scratch.add(
                            source, job, framing=framing_of(framing), workers=workers, sha256=checksums, progress=step
                        )
                except InputError as error:
                    refused = error
                    sys.stderr.write(f"mqstat: passed over: {printable(str(error))}\n")
                    continue
                number, first = number + 1, first + done.part.records
        # The workers are gone now, and their memory with them.
        if refused is not None and number == 0:
            raise refused
        with open_database(scratch.files, site=site, temp_directory=scratch.root, views=False) as database:
            yield database
