"""Commands around reports: report, reports."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from mqstat.cli.options import (
    DamageLimitOption,
    FramingOption,
    FromOption,
    JobsOption,
    OptionalDumps,
    OutputOption,
    QmgrOption,
    SinceOption,
    SiteOption,
    UntilOption,
)
from mqstat.cli.reading import opened, site_of
from mqstat.errors import UsageError

if TYPE_CHECKING:
    from mqstat.render import Report, Table

FORMATS = ("text", "json", "csv", "markdown", "parquet")


def report(
    dumps: OptionalDumps = [],  # noqa: B006 - typer reads the default and never changes it
    place: FromOption = None,
    name: Annotated[
        list[str],
        typer.Option(
            "--report",
            metavar="NAME",
            help="Only this report, such as buffer_pool/usage, or those of a DD name; may be given several times.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - as above
    dd: Annotated[
        list[str],
        typer.Option(
            "--dd", metavar="NAME", help="Only the reports that hold what MP1B writes to this DD.", show_default=False
        ),
    ] = [],  # noqa: B006 - as above
    wsc: Annotated[
        list[int],
        typer.Option(
            "--wsc", metavar="N", help="Only the reports that answer this query of the WSC samples.", show_default=False
        ),
    ] = [],  # noqa: B006 - as above
    by: Annotated[
        str,
        typer.Option(
            "--by", metavar="STEP", help="One row per interval, hour or day of local time, in reports by interval."
        ),
    ] = "interval",
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            metavar="N",
            min=1,
            help="Only the first N subjects of each report, one row for the others and one for all.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORM",
            help="text, json, csv, markdown or parquet (csv: of the reports named, else of the findings).",
        ),
    ] = "text",
    output: OutputOption = None,
    qmgr: QmgrOption = [],  # noqa: B006 - as above
    since: SinceOption = None,
    until: UntilOption = None,
    site: SiteOption = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
    damage_limit: DamageLimitOption = 0.1,
) -> int:
    """Health report: coverage, verdict, findings and reports, straight from dumps or from a dataset."""
    if format not in FORMATS:
        raise UsageError(f"--format {format}: choose {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")
    if format == "parquet" and output is None:
        raise UsageError("--format parquet writes files: say where with --output DIR.")
    from mqstat import selection as selecting
    from mqstat.render import health_report
    from mqstat.reports import over, reports_named
    from mqstat.reports import reports as known

    chosen = selecting.make([], qmgr, since, until)
    names = reports_named(name, dd, wsc)
    if by not in over.STEPS:
        raise UsageError(f"--by {by}: choose {', '.join(over.STEPS[:-1])} or {over.STEPS[-1]}.")
    if by != "interval" and names and not any(over.has_intervals(known()[one]) for one in names):
        raise UsageError(f"The report {names[0]} has no rows by interval, so --by {by} has nothing to put together.")
    facts = site_of(site)
    if format == "parquet" and not names:
        names = list(known())
    with opened(dumps, place, chosen, facts, framing, jobs) as database:
        found = health_report(database, chosen, database.site, names, damage_limit)
        if by != "interval" or top is not None:
            found = dataclasses.replace(found, tables=tuple(_together(table, by, top) for table in found.tables))
        _write(found, format, output)  # while the database is open: rows are read as they are written
        return found.return_code


def _together(table: Table, by: str, top: int | None) -> Table:
    """The table with its rows put together where that can be done."""
    from mqstat.render.health import SCREEN_ROWS
    from mqstat.reports import over, reports

    unit = reports()[table.report_id]
    by = by if over.has_intervals(unit) else "interval"
    top = top if over.keys(unit.columns) else None
    described = table.database.execute(f"SELECT * FROM ({table.sql}) LIMIT 0").description  # noqa: S608 - a report of ours
    made = over.combine(unit, {column[0]: str(column[1]) for column in described}, by, top)
    if made.sql == unit.text:
        return table
    shown = table.database.execute(f"{made.sql}\nLIMIT {SCREEN_ROWS}").fetchall()
    total = table.database.execute(f"SELECT count(*) FROM ({made.sql})").fetchall()[0][0]  # noqa: S608 - as above
    return dataclasses.replace(
        table, columns=made.columns, rows=tuple(shown), marked=(False,) * len(shown), total=total, sql=made.sql
    )


@contextmanager
def writing(output: Path | None) -> Iterator[TextIO]:
    """Standard output, or the file that was asked for; UsageError when it cannot be written."""
    if output is None:
        yield sys.stdout
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as stream:
            yield stream
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror or error}.") from error


def _write(result: Report, form: str, output: Path | None) -> None:
    from mqstat.render import render_csv, render_json, render_markdown, render_terminal, render_text

    if form == "parquet" and output is not None:
        from mqstat.render.files import write_parquet

        written = write_parquet(result.tables, output)
        sys.stderr.write(f"mqstat: {len(written)} file{'' if len(written) == 1 else 's'} written.\n")
        return
    with writing(output) as stream:
        if form == "json":
            render_json(result, stream)
        elif form == "csv":
            render_csv(result, stream)
        elif form == "markdown":
            render_markdown(result, stream)
        elif stream.isatty():
            render_terminal(result, stream)
        else:
            columns = os.environ.get("COLUMNS", "")
            width = [min(132, int(columns))] if columns.isdigit() and int(columns) >= 80 else []
            render_text(result, stream, *width)


def reports(
    area: Annotated[
        str | None,
        typer.Argument(metavar="[AREA]", help="Only the reports of this area, such as log.", show_default=False),
    ] = None,
) -> int:
    """List all reports with the question each answers, its DD names in MP1B and its number among the WSC queries."""
    from itertools import groupby

    from mqstat.reports import areas_of_reports, by_area

    known = by_area()
    if area is not None and area not in areas_of_reports():
        raise UsageError(f"There is no area {area}; there are {', '.join(areas_of_reports())}.")
    shown = [unit for unit in known if area in (None, unit.area)]
    room = max(len(unit.id) for unit in shown) + 2
    for number, (name, units) in enumerate(groupby(shown, key=lambda unit: unit.area)):
        typer.echo(f"{'' if not number else chr(10)}{name}")
        for unit in units:
            also = [*unit.header.get("dd", ()), *(f"WSC {query}" for query in unit.header.get("wsc", ()))]
            typer.echo(f"  {unit.id:{room}}{unit.header['question']}{'  [' + ', '.join(also) + ']' if also else ''}")
    typer.echo("\nmqstat report DUMP --report NAME shows one; mqstat explain NAME says what its columns mean.")
    return 0
