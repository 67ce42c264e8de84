"""The command explain: rules, columns, reports and views, without any data."""

from __future__ import annotations

from typing import Annotated

import typer

from mqstat.cli.commands import completing, explained


def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="RULE|COLUMN|REPORT|MESSAGE",
            help="A rule (BP004), a column (buffer_pool.lowest_free_pct or lowest_free_pct), a report (log/busy), a message (CSQE038E) or an APAR.",
            show_default=False,
            autocompletion=completing(explained),
        ),
    ],
) -> int:
    """Explain a rule, column, report, message or APAR: its meaning, the formula down to the record fields, limits, source, and what to do."""
    from mqstat.judge.explain import explain_any

    typer.echo(explain_any(name), nl=False)
    return 0
