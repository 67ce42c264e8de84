"""The command line application: every command family registers its commands here."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Annotated, Any

import typer
import typer.main

from mqstat.base.errors import UsageError
from mqstat.base.return_codes import HELP
from mqstat.cli import (
    compare,
    daily,
    dataset,
    demo,
    explain,
    export,
    facts,
    inspect,
    judge,
    map,
    parts,
    plan,
    prove,
    query,
    redact,
    report,
    share,
    site,
)
from mqstat.cli.commands import Command, Group, group
from mqstat.cli.options import argument, option

app = group(
    "mqstat",
    f"Analyse IBM MQ for z/OS SMF type 115 and 116 dumps: tables, reports and health rules.\n\n{HELP}",
    pretty_exceptions_enable=False,
)


def _version(requested: bool) -> None:
    if requested:
        from mqstat.base.version import __version__

        typer.echo(f"mqstat {__version__}")
        raise typer.Exit


@app.callback()
def top(version: Annotated[bool, option("--version", callback=_version, is_eager=True)] = False) -> None:
    """Run one of the commands."""


app.command("report", cls=Command)(report.report)
app.command("demo", cls=Command)(demo.demo)
app.command("check", cls=Command)(judge.check)
app.command("compare", cls=Command)(compare.compare)
app.command("rules", cls=Command)(judge.rules)
app.command("reports", cls=Command)(report.reports)
app.command("map", cls=Command)(map.queue_map)
app.command("plan", cls=Command)(plan.plan)
app.command("explain", cls=Command)(explain.explain)
app.add_typer(site.site)
app.command("ingest", cls=Command)(dataset.ingest)
app.add_typer(parts.parts)
app.command("daily", cls=Command)(daily.daily)
app.command("verify", cls=Command)(dataset.verify)
app.command("sign", cls=Command)(share.sign)
app.command("prune", cls=Command)(dataset.prune)
app.command("compact", cls=Command)(dataset.compact)
app.command("delta", cls=Command)(dataset.delta)
app.command("facts", cls=Command)(facts.facts)
app.add_typer(export.export)
app.command("views", cls=Command)(share.views)
app.command("redact", cls=Command)(redact.redact)
app.command("sql", cls=Command)(query.sql)
app.command("tables", cls=Command)(query.tables)
app.command("describe", cls=Command)(query.describe)
app.command("ledger", cls=Command)(inspect.ledger)
app.command("doctor", cls=Command)(inspect.doctor)
app.command("raw", cls=Command)(inspect.raw)
app.command("trace", cls=Command)(inspect.trace)
app.command("prove", cls=Command)(prove.prove)


@cache
def command(first: str = "") -> Any:
    """The application as a command to call. If its first argument names a command, it has only this one: building all takes as long as many a command."""
    named = [each for each in app.registered_commands if each.name == first != "help"]
    if not named:
        return typer.main.get_command(app)
    alone = copy(app)
    alone.registered_commands, alone.registered_groups = named, []
    return typer.main.get_command(alone)


@app.command("help", cls=Command)
def help_command(
    context: typer.Context, command: Annotated[list[str] | None, argument("help [COMMAND]")] = None
) -> int:
    """Show the help of a command, or the list of commands."""
    parent = context.find_root()
    shown: Any = parent.command
    for word in command or ():
        _, shown, _ = shown.resolve_command(parent, [word]) if isinstance(shown, Group) else (word, None, [])
        if shown is None:
            raise UsageError(f"There is no command {' '.join(command or ())}; run: mqstat --help")
        parent = type(context)(shown, info_name=word, parent=parent)
    typer.echo(shown.get_help(parent))
    return 0
