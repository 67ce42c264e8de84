"""The command for every day: daily."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqstat.cli.options import progress


def daily(
    config: Annotated[
        Path, typer.Argument(metavar="CONFIG", help="The configuration (TOML); --init writes one.", show_default=False)
    ],
    init: Annotated[bool, typer.Option("--init", help="Write a commented configuration to CONFIG and stop.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check the configuration, say what it means, and stop.")
    ] = False,
    today: Annotated[
        str | None,
        typer.Option(
            "--today",
            metavar="DATE",
            help="Take this local date for today, to catch up or to try it out; the report that counts is that of the day before.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """What batch runs every night: ingest the dumps that arrived, write each day's report, drop old days, give the return code."""
    from mqstat.base.formatting import on_one_line
    from mqstat.base.selection import parse_day
    from mqstat.daily.config import load_config

    if init:
        _init(config)
        return 0
    found = load_config(config)
    date = parse_day(today, "--today") if today is not None else found.today()

    def say(step: str, text: str) -> None:
        typer.echo(on_one_line(f"{step:9}{text}"))

    if check:
        say("config", f"{found.name} is right; today is {date}")
        say("inbox", str(found.inbox))
        say("dataset", f"{found.dataset}, {_days(found.keep_days)}")
        say("reports", f"{found.reports}, {_days(found.keep_reports)}, {', '.join(found.formats)}")
        return 0
    from mqstat.daily.run import Run, run

    return run(Run(found, date, say, progress))


def _days(number: int) -> str:
    return f"the last {number} days" if number else "all days"


def _init(path: Path) -> None:
    """Write a configuration to begin with; UsageError when the file is there already or cannot be written."""
    from mqstat.daily.config import example
    from mqstat.errors import UsageError

    try:
        with path.open("x", encoding="utf-8", newline="") as stream:
            stream.write(example())
    except FileExistsError:
        raise UsageError(f"{path} is there already; name another file or remove it first.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None
    typer.echo(f"{path} written: say in it where the dumps arrive, then run: mqstat daily --check {path}")
