"""The command chargeback: the monthly statement of work in MQ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.formats import STATEMENT_FORMATS
from mqstat.cli.options import Data, OutputOption, checked_format, format_option, reads_data, remark
from mqstat.cli.output import writing


@reads_data(without=("since", "until", "date"))
def chargeback(
    data: Data,
    rates: Annotated[
        Path, typer.Option("--rates", metavar="FILE", help="Rates as TOML; docs/chargeback.md.", show_default=False)
    ],
    month: Annotated[
        str, typer.Option("--month", metavar="MONTH", help="The local month, such as 2026-10.", show_default=False)
    ],
    format: Annotated[str, format_option(STATEMENT_FORMATS)] = "csv",
    output: OutputOption = None,
) -> int:
    """Write what each application is charged for its work in MQ in one month, and what nobody can be charged for."""
    checked_format(format, output, STATEMENT_FORMATS)
    if format == "parquet" and output is None:
        raise UsageError("--format parquet requires a file: --output FILE.")
    from mqstat.assemble import chargeback as charging
    from mqstat.base.selection import Selection
    from mqstat.sql.plans import decoded_columns

    table = charging.load_rates(rates)
    since, until = charging.month_of(month)
    chosen = data.selection()
    selection = Selection((), chosen.qmgrs, since, until, chosen.lpars)
    with data.open(
        columns=lambda: decoded_columns([charging.ITEMS, charging.UNATTRIBUTED]), selection=selection
    ) as database:
        made = charging.statement(database, table, month)
    if not made.num_rows:
        remark(f"The data has no accounting (116.0, 116.1) of {month}: the statement has no lines.")
    if format == "parquet" and output is not None:
        import pyarrow.parquet as pq

        from mqstat.base.atomic_write import replaced

        with replaced(output, follow=True) as part:
            pq.write_table(made, part)
        return 0
    import csv

    from mqstat.base.csv_cells import safe

    with writing(output) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(made.schema.names)
        writer.writerows(
            [safe(str(value)) if value is not None else "" for value in row.values()] for row in made.to_pylist()
        )
    return 0
