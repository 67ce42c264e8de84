"""Values and findings as text: in one stream, or values in a file for each GMT day."""

from __future__ import annotations

import filecmp
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, TextIO

from msgspec import to_builtins

from mqstat.assemble.finding import fields
from mqstat.assemble.series import Metric, Series
from mqstat.base.atomic_write import create_folder, part_of, replaced
from mqstat.base.errors import UsageError
from mqstat.render.feeds.format import Events, FeedFormat

STEM = "mqstat-series"
"""How the names of the files of days begin."""


def write(series: Series, known: FeedFormat, stream: TextIO, day: date | None = None) -> None:
    """Write all values, or those of a GMT day, to a stream."""
    stream.write(known.begin)
    prefixes = [known.prefix(course) for course in series.courses]
    open_metric: Metric | None = None
    for metric, lines in series.texts(prefixes, known.row, known.between, day):
        if metric is open_metric:
            stream.write(known.between)
        elif open_metric is None:
            stream.write(known.head(metric))
        else:
            stream.write(known.foot(open_metric) + known.between_metrics + known.head(metric))
        stream.write(lines)
        open_metric = metric
    if open_metric is not None:
        stream.write(known.foot(open_metric) + known.last)
    stream.write(known.end)


def write_days(series: Series, known: FeedFormat, folder: Path) -> dict[Path, bool]:
    """Write a file for each GMT day with values; returns each, and whether it is new or changed: a file that would be the same is left as it is.

    Raises UsageError if a file cannot be written.
    """
    written = {}
    create_folder(folder)
    for day in series.days():
        path = folder / f"{STEM}-{day.isoformat()}{known.ending}"
        try:
            part = part_of(path)
            try:
                with part.open("x", encoding="utf-8", newline="") as stream:
                    write(series, known, stream, day)
                written[path] = not path.is_file() or not filecmp.cmp(part, path, shallow=False)
                if written[path]:
                    with replaced(path) as new:
                        part.replace(new)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
    return written


def write_events(events: Sequence[tuple[datetime, Mapping[str, Any]]], known: Events, stream: TextIO) -> None:
    """Write the subjects of findings: `mqstat.assemble.series.events`."""
    lines = (known.line(at, to_builtins(fields(row))) for at, row in events)
    stream.write(known.begin + known.between.join(lines) + (known.last if events else "") + known.end)
