"""The command export: files for programs that load the output of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT
from mqstat.cli.commands import completing
from mqstat.cli.options import DamageLimitOption, Dumps, FramingOption, framing_of, progress, remark, sources_of

TOOLS = ("mq-smf-csv",)


def export(
    tool: Annotated[
        str,
        typer.Argument(
            metavar="TOOL",
            help="The tool whose files to write: mq-smf-csv.",
            show_default=False,
            autocompletion=completing(lambda: TOOLS),
        ),
    ],
    dumps: Dumps,
    into: Annotated[
        Path,
        typer.Option("--into", metavar="DIR", help="Folder for the files; created if missing.", show_default=False),
    ],
    bug_compatible: Annotated[
        bool,
        typer.Option(
            "--bug-compatible", help="Repeat the known errors of the tool: each file is the same byte for byte."
        ),
    ] = False,
    protect: Annotated[
        bool,
        typer.Option(
            "--protect",
            help="Write a single quote before names that begin with = + - or @, which a spreadsheet runs as a formula. The tool does not.",
        ),
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the files of an earlier export in DIR.")] = False,
    framing: FramingOption = None,
    damage_limit: DamageLimitOption = DAMAGE_LIMIT_PCT,
) -> int:
    """Write the CSV files of another tool, so that programs that load them keep working.

    Names are written as the tool writes them: use --protect for files that are opened in a spreadsheet.
    """
    if protect and bug_compatible:
        raise UsageError("--protect changes cells that --bug-compatible keeps as they are; remove one.")
    if tool not in TOOLS:
        raise UsageError(f"export {tool}: choose {', '.join(TOOLS)}.")
    from mqstat.export.writing import export as write

    done = write(
        sources_of(dumps),
        into,
        bug_compatible=bug_compatible,
        protect=protect,
        replace=replace,
        framing=framing_of(framing),
        damage_limit=damage_limit,
        progress=progress,
    )
    for problem in done.problems:
        remark(problem)
    if done.ledger.damaged_spans:
        remark(
            f"{done.ledger.damaged_spans:,} damaged spans, {done.ledger.bytes.damaged:,} bytes, are not in the files; mqstat ledger lists them."
        )
    typer.echo(f"{sum(done.rows.values()):,} rows in {len(done.rows)} files", err=True)
    return done.return_code
