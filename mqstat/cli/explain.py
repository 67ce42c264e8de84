"""The command explain: rules, columns, reports, pictures, plans, views and tables, without any data."""

from __future__ import annotations

from typing import Annotated

import typer

from mqstat.cli.commands import completing, explained


def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A rule (BP004), a column (buffer_pool.lowest_free_pct or lowest_free_pct), a field (QPSTCBSL), a report or "
            "picture (log/busy), a plan (log_size_and_count), a view or table (buffer_pool, qpst, decoded.record), an area (log), "
            "a message (CSQE038E) or an APAR.",
            show_default=False,
            autocompletion=completing(explained),
        ),
    ],
) -> int:
    """Explain a rule, column, report, plan, table, message or APAR.

    Prints its meaning, the formula down to the record fields, limits, source, and what to do.
    """
    from mqstat.assemble.plan.explained import plan_pages
    from mqstat.judge.explain import explain_any

    typer.echo(explain_any(name, plan_pages()), nl=False)
    return 0
