"""The command for unattended daily runs: daily."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.base.formatting import pasted
from mqstat.cli.options import argument, option, progress

if TYPE_CHECKING:
    from mqstat.daily.config import Config


def daily(
    config: Annotated[Path, argument("daily CONFIG", Path)],
    init: Annotated[bool, option("--init")] = False,
    check: Annotated[bool, option("--check")] = False,
    rebuild_history: Annotated[bool, option("--rebuild-history")] = False,
    today: Annotated[str | None, option("--today DATE")] = None,
) -> int:
    """Nightly batch run: ingest new dumps, write the report of each day, remove old days, and set the return code."""
    from mqstat.base.formatting import on_one_line
    from mqstat.base.selection import parse_day
    from mqstat.daily.config import load_config

    if init:
        _init(config)
        return 0
    config_read = load_config(config)
    date = parse_day(today, "--today") if today is not None else config_read.today()

    def log(step: str, text: str) -> None:
        typer.echo(on_one_line(f"{step:9}{text}"))

    if check:
        log("config", f"{config_read.name} is valid; today is {date}")
        log("inbox", str(config_read.inbox))
        log("dataset", f"{config_read.dataset}, {config_read.retention.text()}{_holds_text(config_read)}")
        log("reports", f"{config_read.reports}, {_days(config_read.keep_reports)}, {', '.join(config_read.formats)}")
        for output in config_read.outputs:
            where = "" if output.is_files else f", schema {output.schema} of {output.database}"
            log("output", f"{output.name}{where}")
        if config_read.sign_key is not None:
            from mqstat.daily.integrity import check_key

            check_key(config_read)
            log(
                "sign",
                f"{config_read.sign_key}, {f'copied to {config_read.sign_copy}' if config_read.sign_copy else 'not copied'}",
            )
        return 0
    from mqstat.daily.current import Run
    from mqstat.daily.run import run

    return run(Run(config_read, date, log, progress, rebuild_history=rebuild_history))


def _days(number: int) -> str:
    return f"the last {number} days" if number else "all days"


def _holds_text(config: Config) -> str:
    """The holds of a configuration as text."""
    holds = [
        f"{hold.first}..{hold.last}{f' ({hold.reason})' if hold.reason else ''}" for hold in config.retention.holds
    ]
    return f"; on hold: {', '.join(holds)}" if holds else ""


def _init(path: Path) -> None:
    """Write an initial configuration; UsageError if the file already exists or cannot be written."""
    from mqstat.base.errors import UsageError
    from mqstat.daily.config import example

    try:
        with path.open("x", encoding="utf-8", newline="") as stream:
            stream.write(example())
    except FileExistsError:
        raise UsageError(f"{path} already exists; choose another file name or remove the file first.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None
    typer.echo(f"{path} written: set the inbox folder in it, then run: mqstat daily --check {pasted(str(path))}")
