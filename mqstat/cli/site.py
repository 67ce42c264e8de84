"""Commands for the site file: check, init."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated

import typer

from mqstat.cli.commands import CONTEXT, Command, Group
from mqstat.cli.options import Data, OutputOption, reads_data

site = typer.Typer(
    name="site",
    help="Check a site file, or create an initial one.",
    no_args_is_help=True,
    add_completion=False,
    cls=Group,
    context_settings=CONTEXT,
    rich_markup_mode=None,
)


@site.command("check", cls=Command)
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A site file (TOML).", show_default=False)],
) -> int:
    """Check a site file: report errors with their line, what the file changes, and expired overrides."""
    from mqstat.base.formatting import bare_text, escaped
    from mqstat.sql.site import load_site

    site = load_site(file)
    levels = (site.everywhere, *site.by_lpar.values(), *site.by_qmgr.values())
    facts = sum(value != {} for level in levels for value in level.values())
    for override in sorted(site.overrides, key=lambda override: override.line):
        what = [f"{name} = {bare_text(value)}" for name, value in override.thresholds.items()]
        what += [f"severity {override.severity}"] if override.severity else []
        what += ["off" if override.off else "on"] if override.off is not None else []
        until = f", until {override.until}" if override.until else ""
        where = f" {override.where}" if override.where else ""
        typer.echo(
            escaped(f"line {override.line}: {override.rule_id}{where}: {', '.join(what)}{until} ({override.reason})")
        )
    ended = site.on(dt.date.today()).ended
    for override in ended:
        typer.echo(
            f"line {override.line}: {override.rule_id}: expired on {override.until}; it does not apply to data of later days"
        )
    typer.echo(
        f"{site.name}: {_many(facts, 'fact')}, {_many(len(site.overrides), 'override')}, {len(ended)} of them ended"
    )
    return 4 if ended else 0


def _many(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


@site.command("init", cls=Command)
@reads_data(without=("site",))
def init(data: Data, output: OutputOption = None) -> int:
    """Write a commented site file with the queue managers, buffer pools and structures in the data, and the rules that need each fact."""
    from mqstat.assemble.site_file import QUERIES, site_file
    from mqstat.cli.output import writing
    from mqstat.intake.open_data import columns_of

    names = [Path(word).name for word in data.dumps] or ([data.dataset.name] if data.dataset else [])
    with data.open(columns=columns_of(QUERIES.values())) as database, writing(output) as stream:
        for line in site_file(database, names):
            stream.write(line + "\n")
    return 0
