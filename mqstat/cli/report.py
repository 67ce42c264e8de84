"""Commands that judge and show: report, explain."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.cli.options import (
    DamageLimitOption,
    FramingOption,
    FromOption,
    JobsOption,
    QmgrOption,
    SinceOption,
    UntilOption,
    framing_of,
    progress,
    sources_of,
)
from mqstat.errors import InputError, UsageError

if TYPE_CHECKING:
    from mqstat.database import Database
    from mqstat.render import Report
    from mqstat.selection import Selection
    from mqstat.site import Site

FORMATS = ("text", "json", "csv")


def report(
    dumps: Annotated[
        list[str],
        typer.Argument(
            metavar="[DUMP...]",
            help="SMF dumps: files, folders, archives, compressed files, or - for standard input.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - typer reads the default and never changes it
    place: FromOption = None,
    name: Annotated[
        list[str],
        typer.Option(
            "--report",
            metavar="AREA/NAME",
            help="Only this report, such as buffer_pool/usage; may be given several times.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - as above
    format: Annotated[
        str,
        typer.Option(
            "--format", metavar="FORM", help="text, json or csv (csv: of the reports named, else of the findings)."
        ),
    ] = "text",
    qmgr: QmgrOption = [],  # noqa: B006 - as above
    since: SinceOption = None,
    until: UntilOption = None,
    site: Annotated[
        Path | None,
        typer.Option(
            "--site",
            metavar="FILE",
            help="Site file (TOML): facts, thresholds and severities of this site.",
            show_default=False,
        ),
    ] = None,
    framing: FramingOption = None,
    jobs: JobsOption = None,
    damage_limit: DamageLimitOption = 0.1,
) -> int:
    """Health report: coverage, verdict, findings and reports, straight from dumps or from a dataset."""
    if format not in FORMATS:
        raise UsageError(f"--format {format}: choose text, json or csv.")
    if bool(dumps) == (place is not None):
        raise UsageError("Give either dumps or --from DIR (a dataset).")
    from mqstat import selection as selecting
    from mqstat.render import find_report, health_report
    from mqstat.site import Site, load_site

    chosen = selecting.make([], qmgr, since, until)
    names = [find_report(word) for word in name]
    facts = load_site(site) if site is not None else Site()

    def made(database: Database) -> Report:
        found = health_report(database, chosen, facts, names, damage_limit)
        _write(found, format)  # while the database is open: rows are read as they are written
        return found

    result = (
        _from_dataset(place, chosen, facts, made)
        if place is not None
        else _from_dumps(dumps, chosen, facts, names, framing, jobs, made)
    )
    return result.return_code


def _from_dataset(place: Path, chosen: Selection, site: Site, made: Callable[[Database], Report]) -> Report:
    import tempfile

    from mqstat.database import open_database
    from mqstat.dataset.store import open_dataset

    files = open_dataset(place).files
    with (
        tempfile.TemporaryDirectory(prefix="mqstat-") as spill,
        open_database(files, site=site, selection=chosen, temp_directory=spill) as database,
    ):
        return made(database)


def _from_dumps(
    dumps: list[str],
    chosen: Selection,
    site: Site,
    names: list[str],
    framing: str | None,
    jobs: int | None,
    made: Callable[[Database], Report],
) -> Report:
    """Decode just what rules and reports read into a temporary dataset, and report from that."""
    from mqstat.cli import printable
    from mqstat.database import open_database
    from mqstat.part import Job
    from mqstat.pipeline import PARALLEL_FROM, Scratch, columns_to_decode
    from mqstat.plans import health_columns
    from mqstat.ranges import Workers

    with Scratch() as scratch:
        with Workers(jobs) as workers:
            if any(path.is_file() and path.stat().st_size >= PARALLEL_FROM for path in map(Path, dumps)):
                workers.warm_up()
            wanted = columns_to_decode(health_columns(tuple(names) if names else None))
            first, number, refused = 0, 0, None
            seen: set[tuple[int, int]] = set()
            for source in sources_of(dumps):
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
                            source, job, framing=framing_of(framing), workers=workers, sha256=False, progress=step
                        )
                except InputError as error:
                    refused = error
                    sys.stderr.write(f"mqstat: passed over: {printable(str(error))}\n")
                    continue
                number, first = number + 1, first + done.part.records
        # The workers are gone now, and their memory with them.
        if refused is not None and number == 0:
            raise refused
        with open_database(scratch.files, site=site, temp_directory=scratch.root) as database:
            return made(database)


def _write(result: Report, form: str) -> None:
    from mqstat.render import render_csv, render_json, render_terminal, render_text

    if form == "json":
        render_json(result, sys.stdout)
    elif form == "csv":
        render_csv(result, sys.stdout)
    elif sys.stdout.isatty():
        render_terminal(result, sys.stdout)
    else:
        columns = os.environ.get("COLUMNS", "")
        render_text(result, sys.stdout, *([min(132, int(columns))] if columns.isdigit() and int(columns) >= 80 else []))


def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="Id of a rule, such as BP004.", show_default=False)],
) -> int:
    """Explain a rule: what it tests, its thresholds with reason and source, how it is judged, and what to do."""
    from mqstat.rules.explain import explain as text_of

    typer.echo(text_of(rule.upper()), nl=False)
    return 0
