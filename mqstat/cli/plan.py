"""The command plan: sizing formulas with the figures of the data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.formats import PLAN_FORMATS
from mqstat.cli.commands import plan_names
from mqstat.cli.options import (
    Data,
    OutputOption,
    SchemaOption,
    WidthOption,
    argument,
    checked_format,
    columns_of_text,
    format_option,
    option,
    reading,
)

if TYPE_CHECKING:
    from mqstat.assemble.plan.model import Plan


@reading()
def plan(
    context: typer.Context,
    name: Annotated[str, argument("plan [NAME]", complete=plan_names)] = "",
    set_: Annotated[list[str], option("--set NAME=VALUE")] = [],
    format: Annotated[str, format_option(PLAN_FORMATS)] = "text",
    output: OutputOption = None,
    schema: SchemaOption = False,
    width: WidthOption = None,
) -> int:
    """Answer a sizing question, such as how large the logs must be, from the data, the site file and --set.

    Each input is shown with its origin. Without dumps and without --from a plan uses --set, the site file and defaults
    only. Return code 4 if there is no answer.
    """
    data: Data = context.obj
    import sys

    from mqstat.render import plan as rendering

    if schema:
        sys.stdout.write(rendering.schema_text())
        return 0
    if format == "parquet" and output is None:
        raise UsageError("--format parquet requires a file: --output FILE.")
    checked_format(format, output, PLAN_FORMATS)
    columns = columns_of_text(width)
    if not name:
        if data.given or set_:
            raise UsageError("Specify the plan before the dumps; mqstat plan lists all.")
        for line in rendering.list_lines(columns):
            typer.echo(line)
        return 0
    from mqstat.assemble.plan.answer import answered
    from mqstat.assemble.plan.model import plan_named
    from mqstat.cli.output import writing
    from mqstat.sql.site import Site, load_site

    chosen = plan_named(name)
    if data.given:
        with data.open(columns=partial(_columns, chosen)) as database:
            result = answered(chosen, database, database.site, set_)
    else:
        result = answered(chosen, None, Site() if data.site is None else load_site(data.site), set_)
    if format == "parquet" and output is not None:
        rendering.write_parquet(result, output)
    else:
        with writing(output) as stream:
            rendering.write(result, format, stream, columns)
    return data.return_code(result.return_code)


def _columns(plan: Plan) -> Mapping[str, Collection[str]]:
    """The columns that a plan reads."""
    from mqstat.assemble.plan.inputs import QMGRS
    from mqstat.sql.needs import decoded_columns

    return decoded_columns([list(plan.needs), QMGRS])
