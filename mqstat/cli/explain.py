"""The command that explains: rules, columns and reports, from the files of the program alone."""

from __future__ import annotations

from typing import Annotated

import typer


def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="Id of a rule, such as BP004.", show_default=False)],
) -> int:
    """Explain a rule: what it tests, its thresholds with reason and source, how it is judged, and what to do."""
    from mqstat.rules.explain import explain as text_of

    typer.echo(text_of(rule.upper()), nl=False)
    return 0
