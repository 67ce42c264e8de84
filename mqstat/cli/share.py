"""Commands that hand data to others: views, sign."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqstat.cli.options import SiteOption, argument, home_of, option


def views(
    folder: Annotated[Path, argument("DIR", Path)],
    into: Annotated[Path, option("views --into FILE", Path)],
    findings: Annotated[bool, option("views --findings")] = False,
    site: SiteOption = None,
) -> int:
    """Write all views over a dataset into a DuckDB file, for DuckDB 1.4 or newer without mqstat."""
    from mqstat.base.formatting import on_one_line, plural
    from mqstat.share.view_file import write_views
    from mqstat.sql.schemas import literal
    from mqstat.sql.site import load_site

    written = write_views(folder, into, site=None if site is None else load_site(site), findings=findings)
    stored = "" if written.findings is None else f" and {plural(written.findings, 'finding')}"
    typer.echo(
        on_one_line(f"{into}: {plural(written.views, 'view')} over {plural(written.tables, 'decoded table')}{stored}.")
    )
    start = into.resolve().parent
    typer.echo(
        on_one_line(
            f"Paths are relative to the folder of the file: start DuckDB in {start}, or elsewhere first run: "
            f"SET file_search_path = {literal(start.as_posix())};"
        )
    )
    if not written.has_snapshot:
        typer.echo(
            "The dataset cannot be written, so its files are listed by name: "
            "write the views again after each ingest, which may merge or drop them."
        )
    return 0


def sign(
    folder: Annotated[Path, argument("DIR", home_of)],
    key: Annotated[Path, option("--key PEM", Path)],
    into: Annotated[Path | None, option("sign --into FILE", Path)] = None,
) -> int:
    """Sign the manifest of a dataset, so that mqstat verify --public-key PEM detects a dataset that was written again."""
    from mqstat.base.formatting import on_one_line
    from mqstat.dataset.signature import sign as sign_manifest

    path, signed = sign_manifest(folder, key, into)
    typer.echo(
        on_one_line(
            f"{path}: generation {signed.generation} is signed at {signed.time_utc} "
            f"with the key {signed.fingerprint[:16]}."
        )
    )
    return 0
