"""The command line application: every command family registers its commands here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from types import MappingProxyType
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
    inspect,
    judge,
    map,
    plan,
    prove,
    query,
    redact,
    report,
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


COMMANDS: Mapping[str, tuple[Callable[..., int] | typer.Typer, ...]] = MappingProxyType(
    {
        "Look at a dump": (
            report.report,
            demo.demo,
            judge.check,
            compare.compare,
            map.queue_map,
            plan.plan,
            query.sql,
            inspect.doctor,
        ),
        "Explain a finding or a figure": (
            explain.explain,
            judge.rules,
            report.reports,
            query.tables,
            prove.prove,
            inspect.trace,
            inspect.raw,
            inspect.ledger,
        ),
        "Every night": (daily.daily, site.site),
        "Keep a dataset": (
            dataset.ingest,
            dataset.verify,
            dataset.prune,
            dataset.drop,
            dataset.compact,
            redact.redact,
        ),
        "Feed other programs": (export.export,),
    }
)
"""The commands and groups of commands by purpose, in the order of --help."""

for purpose, entries in COMMANDS.items():
    for entry in entries:
        if isinstance(entry, typer.Typer):
            app.add_typer(entry, rich_help_panel=purpose)
        else:
            name = entry.__name__.removeprefix("queue_")
            app.command(name, cls=Command, rich_help_panel=purpose)(entry)


@cache
def command(first: str = "") -> Any:
    """The application as a command to call; with what the first argument needs, because building all takes 0.1 s."""
    named = [each for each in app.registered_commands if each.name == first != "help"]
    if not named and first != "--version":
        return typer.main.get_command(app)
    alone = copy(app)
    alone.registered_commands, alone.registered_groups = named, []
    return typer.main.get_command(alone)


@app.command("help", cls=Command, rich_help_panel="Explain a finding or a figure")
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
