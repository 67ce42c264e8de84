"""The command explain: rules, columns, reports, pictures, plans, views and tables, without any data."""

from __future__ import annotations

from typing import Annotated

import typer

from mqstat.cli.commands import explained
from mqstat.cli.options import argument


def explain(name: Annotated[str, argument("explain NAME", complete=explained)]) -> int:
    """Explain a rule, column, report, plan, table, message or APAR.

    Prints its meaning, the formula down to the record fields, limits, source, and what to do.
    """
    from mqstat.assemble.plan.explained import plan_pages
    from mqstat.judge.explain import explain_any

    typer.echo(explain_any(name, plan_pages()), nl=False)
    return 0
