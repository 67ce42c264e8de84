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
    dataset: Annotated[Path | None, option("daily --from DIR", Path)] = None,
    check: Annotated[bool, option("--check")] = False,
    rebuild_history: Annotated[bool, option("--rebuild-history")] = False,
    today: Annotated[str | None, option("--today DATE")] = None,
) -> int:
    """Nightly batch run: ingest new dumps, write the report of each day, remove old days, and set the return code."""
    from mqstat.base.errors import UsageError
    from mqstat.base.formatting import on_one_line
    from mqstat.base.selection import parse_day
    from mqstat.daily.config import POSTGRESQL, load_config

    if init:
        _init(config, dataset)
        return 0
    if dataset is not None:
        raise UsageError("--from is an option of --init; the configuration names the dataset (dataset.folder).")
    config_read = load_config(config)
    date = parse_day(today, "--today") if today is not None else config_read.today()

    def log(step: str, text: str) -> None:
        typer.echo(on_one_line(f"{step:9}{text}"))

    if check:
        log("config", f"{config.name} is valid; today is {date}")
        inbox = config_read.inbox.folder
        log("inbox", f"{inbox}{'' if inbox.is_dir() else ', which does not exist: a run ends with return code 16'}")
        log("dataset", f"{config_read.dataset.folder}, {config_read.policy.text()}{_holds_text(config_read)}")
        log(
            "reports",
            f"{config_read.reports.folder}, {_days(config_read.reports.keep_days)}, {', '.join(config_read.reports.formats)}",
        )
        for output in config_read.output:
            where = f" of {output.database}" if output.format == POSTGRESQL else ""
            log("output", f"{output.name}{where}")
        if config_read.mail is None:
            log("mail", f"none is sent: {config.name} has no table [mail]; mqstat daily --init writes one as a comment")
        else:
            from mqstat.daily.send import password_of

            mail = config_read.mail
            password_of(mail)
            log("mail", f"{mail.when}: to {', '.join(mail.to)} through {mail.host} ({mail.security})")
        return 0
    from mqstat.daily.current import Run
    from mqstat.daily.run import run

    command = f"mqstat daily {pasted(str(config.absolute()))}"
    return run(Run(config_read, command, date, log, progress, rebuild_history=rebuild_history))


def _days(number: int) -> str:
    return f"the last {number} days" if number else "all days"


def _holds_text(config: Config) -> str:
    """The holds of a configuration as text."""
    holds = [f"{hold.first}..{hold.last}{f' ({hold.reason})' if hold.reason else ''}" for hold in config.policy.holds]
    return f"; on hold: {', '.join(holds)}" if holds else ""


def _init(path: Path, dataset: Path | None) -> None:
    """Write an initial configuration; UsageError if the file already exists or cannot be written."""
    from mqstat.base.errors import UsageError
    from mqstat.daily.initial import initial

    text, qmgrs = initial(path, dataset)
    try:
        with path.open("x", encoding="utf-8", newline="") as stream:
            stream.write(text)
    except FileExistsError:
        raise UsageError(f"{path} already exists; choose another file name or remove the file first.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None
    expected = f" ({', '.join(qmgrs)} expected every day)" if qmgrs else ""
    typer.echo(
        f"{path} written{expected}: set the inbox folder in it, then run: "
        f"mqstat daily --check {pasted(str(path.absolute()))}"
    )
