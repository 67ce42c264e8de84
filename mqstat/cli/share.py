"""Commands that hand data to others: views."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqstat.cli.options import SiteOption


def views(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A dataset created by mqstat ingest.", show_default=False)
    ],
    into: Annotated[
        Path,
        typer.Option(
            "--into",
            metavar="FILE",
            help="DuckDB file to write, inside or next to the dataset; an earlier one is replaced.",
            show_default=False,
        ),
    ],
    findings: Annotated[
        bool,
        typer.Option(
            "--findings",
            help="Also run the rules and store their findings, as of now, for the views finding and area_state.",
        ),
    ] = False,
    site: SiteOption = None,
) -> int:
    """Write all views over a dataset into a DuckDB file, for DuckDB 1.4 or newer without mqstat."""
    from mqstat.base.formatting import on_one_line, plural
    from mqstat.export.view_file import write_views
    from mqstat.sql.site import load_site

    done = write_views(folder, into, site=None if site is None else load_site(site), findings=findings)
    stored = "" if done.findings is None else f" and {plural(done.findings, 'finding')}"
    typer.echo(
        on_one_line(f"{into}: {plural(done.views, 'view')} over {plural(done.tables, 'decoded table')}{stored}.")
    )
    typer.echo(
        on_one_line(
            f"Paths are relative to the folder of the file: start DuckDB in {into.resolve().parent}, or elsewhere first run: "
            f"SET file_search_path = '{into.resolve().parent.as_posix()}';"
        )
    )
    if done.listed:
        typer.echo(
            f"{plural(done.listed, 'table')} list their files by name, because other files are in their folders; write the views again after an ingest."
        )
    return 0
