"""The command that explains: rules, columns, reports and views, from the files of the program alone."""

from __future__ import annotations

from typing import Annotated

import typer

from mqstat.cli.commands import completing, explained


def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="RULE|COLUMN|REPORT",
            help="A rule such as BP004, a column such as buffer_pool.lowest_free_pct or lowest_free_pct, a report such as log/busy.",
            show_default=False,
            autocompletion=completing(explained),
        ),
    ],
) -> int:
    """Explain a rule, a column or a report: what it is, its formula down to the fields of the records, limits, source, and what to do."""
    from mqstat.rules.explain import explain_any

    typer.echo(explain_any(name), nl=False)
    return 0
