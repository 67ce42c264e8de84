"""The feeds of a day: its values with times, and its findings, in the formats of `mqstat export`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from mqstat.base.errors import UsageError
from mqstat.daily.config import Config
from mqstat.sql.database import Database


def write_day(config: Config, database: Database, day: dt.date) -> Iterator[str]:
    """Write the files of a day, each atomically, after its rules ran; gives a text for each file that could not be written."""
    if config.feeds is None:
        return
    from mqstat.assemble.series import Series, breaches, events, metrics
    from mqstat.base.atomic_write import replacing
    from mqstat.render.feeds import formats
    from mqstat.render.feeds.writing import write, write_events

    try:
        config.feeds.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        yield f"{config.feeds} cannot be written: {error.strerror or error}."
        return
    wanted = metrics(config.queues, config.applications)
    values = Series(database, (*wanted, *(own for own in (breaches(database),) if own is not None)))
    judged = events(database)
    for name in config.series:
        known = formats()[name]
        try:
            with replacing(config.feeds / f"{day}-series{known.ending}") as stream:
                write(values, known, stream)
            if known.events is not None:
                with replacing(config.feeds / f"{day}-findings{known.ending}") as stream:
                    write_events(judged, known.events, stream)
        except UsageError as error:
            yield str(error)
