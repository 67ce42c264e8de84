"""The command facts: rows of views as Parquet files for other engines."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated, cast

import typer

from mqstat.base.errors import UsageError
from mqstat.cli.dataset import folder_of
from mqstat.cli.options import (
    Data,
    DateOption,
    FolderArgument,
    OneFromOption,
    SinceOption,
    SiteOption,
    UntilOption,
    WaitOption,
    damage_of,
    home_of,
    option,
    remark,
)


def _names() -> list[str]:
    from mqstat.intake.facts import fact_views

    return list(fact_views())


def facts(
    into: Annotated[Path, option("facts --into DIR", home_of)],
    folder: FolderArgument = None,
    dataset: OneFromOption = [],
    view: Annotated[list[str], option("--view NAME", complete=_names)] = [],
    since: SinceOption = None,
    until: UntilOption = None,
    date: DateOption = None,
    site: SiteOption = None,
    wait: WaitOption = 0,
) -> int:
    """Write the rows of views as Parquet files for Spark, Trino, Athena, pandas and polars. A later run replaces only the files whose rows have changed.

    --since, --until and --date select whole local days.
    """
    from mqstat.base.formatting import plural
    from mqstat.base.selection import make
    from mqstat.intake.facts import write_facts
    from mqstat.sql.site import load_site

    chosen = make((), (), since, until, date)
    for flag, moment in (("--since", chosen.since), ("--until", chosen.until)):
        if moment is not None and moment.time() != dt.time():
            raise UsageError(f"{flag}: facts are written for whole days; give a date.")
    first = chosen.since.date() if chosen.since else dt.date.min
    end = chosen.until.date() if chosen.until else dt.date.max

    home = folder_of(folder, dataset)
    done = write_facts(
        home,
        into,
        view,
        days=(lambda day: first <= day < end) if chosen.since or chosen.until else None,
        site=None if site is None else load_site(site),
        wait_seconds=wait,
    )
    over = f"{plural(done.views, 'view')} over {plural(done.days, 'day')}"
    if done.written or done.left:
        typer.echo(
            f"{into}: {plural(done.written, 'file')} written, {done.left:,} removed or replaced; {over}, {done.rows:,} rows computed."
        )
    else:
        typer.echo(f"{into}: nothing has changed; {over}.")
    with Data(datasets=[cast("Path", home)]).open(columns=dict, selection=chosen) as database:
        code, text = damage_of(database) or (0, "")
    if text:
        remark(text)
    return code
