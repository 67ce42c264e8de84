"""What `mqstat daily` writes for other systems each night: the files of a day, in the formats of `mqstat export`, and
the copies of the dataset: frozen folders and the rows of databases.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from mqstat.assemble.history import History
from mqstat.base.atomic_write import create_folder, replacing
from mqstat.base.errors import MqstatError
from mqstat.base.formatting import plural
from mqstat.base.selection import Selection
from mqstat.daily.config import FOLDER, Config, Output
from mqstat.daily.current import Run
from mqstat.sql.site import Site
from mqstat.sql.workspace import Workspace

if TYPE_CHECKING:
    from mqstat.assemble.series import Series


def of_days(config: Config) -> tuple[str, ...]:
    """The outputs that have files of each day: format and folder, the same from wherever the configuration is named."""
    return tuple(f"{output.format} {output.into.resolve()}" for output in config.output if output.is_files)


def write_day(config: Config, database: Workspace, day: dt.date, past: History) -> Iterator[str]:
    """Write the files of a day, each atomically, after its rules ran; gives a sentence for each output that could not
    be written.

    past: the history of the findings of the day.
    """
    known: dict[tuple[int, int], Series] = {}

    def series_of(output: Output) -> Series:
        from mqstat.assemble.series import Series, breaches, metrics

        key = (output.queues, output.applications)
        if key not in known:
            own = breaches(database)
            known[key] = Series(database, (*metrics(*key), *((own,) if own is not None else ())))
        return known[key]

    for output in config.output:
        if output.is_files:
            yield from _problem(output, partial(_write_files, output, database, series_of, day, past))


def _write_files(
    output: Output, database: Workspace, series_of: Callable[[Output], Series], day: dt.date, past: History
) -> None:
    """Write the values of a day and, in formats that have them, its findings."""
    from mqstat.assemble.series import events
    from mqstat.render.feeds import FEEDS, write, write_events

    create_folder(output.into)
    known = FEEDS[output.format]
    values = series_of(output)
    with replacing(output.into / f"{day}-series{known.ending}") as stream:
        write(values, known, stream)
    if known.events is not None:
        judged = events(database, past)
        with replacing(output.into / f"{day}-findings{known.ending}") as stream:
            write_events(judged, known.events, stream)


def write_copies(run: Run, site: Site) -> None:
    """Bring each frozen folder and each database up to the dataset; what fails is reported, and the run goes on."""
    if not run.manifest().files:
        return
    for output in run.config.output:
        if not output.is_files:
            for text in _problem(output, partial(_copy, run, output, site)):
                run.note_output(text)


def _copy(run: Run, output: Output, site: Site) -> None:
    from mqstat.intake.open_data import open_data

    with open_data(dataset=run.config.dataset.folder, site=site) as database:
        if output.format == FOLDER:
            from mqstat.assemble.frozen_folder import write_folder

            written = write_folder(database, output.into, Selection(), run.config.dataset.folder, has_views=True)
            text = f"{output.into}: {plural(written.files, 'file')}; {written.written:,} written, {written.removed:,} removed"
        else:
            from mqstat.intake.postgresql import load

            done = load(database, output.database, output.schema, output.views)
            text = f"schema {output.schema}: {plural(done.days, 'day')} with {plural(done.rows, 'row')} loaded, the rows of {plural(done.deleted, 'day')} deleted"
    run.log("output", text)


def _problem(output: Output, write: Callable[[], None]) -> Iterator[str]:
    """Write an output; gives the sentence of what failed: neither a full disk nor another server may hide the results
    of the day.
    """
    import duckdb

    try:
        write()
    except MqstatError as error:
        yield f"Output {output.name}: {error}"
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        yield f"Output {output.name}: there is no space for temporary files ({str(error).strip().splitlines()[0]})."
    except OSError as error:
        yield f"Output {output.name}: {output.into} cannot be written: {error.strerror or error}."
