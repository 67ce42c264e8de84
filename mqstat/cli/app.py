"""The command line application: every command family registers its commands here."""

from __future__ import annotations

from typing import Annotated

import typer

from mqstat.cli import compare, daily, data, explain, inspect, judge, report, site
from mqstat.return_codes import HELP

app = typer.Typer(
    name="mqstat",
    help=f"Read IBM MQ for z/OS SMF type 115 and 116 dumps: tables, reports and health rules.\n\n{HELP}",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        from mqstat import __version__

        typer.echo(f"mqstat {__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Run one of the commands."""


app.command("report")(report.report)
app.command("check")(judge.check)
app.command("compare")(compare.compare)
app.command("rules")(judge.rules)
app.command("reports")(report.reports)
app.command("explain")(explain.explain)
app.add_typer(site.site)
app.command("ingest")(data.ingest)
app.command("daily")(daily.daily)
app.command("verify")(data.verify)
app.command("prune")(data.prune)
app.command("sql")(data.sql)
app.command("tables")(data.tables)
app.command("describe")(data.describe)
app.command("ledger")(inspect.ledger)
app.command("doctor")(inspect.doctor)
app.command("raw")(inspect.raw)
app.command("trace")(inspect.trace)
