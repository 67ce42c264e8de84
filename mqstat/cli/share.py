"""Commands that hand data to others: views, sign."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqstat.cli.options import SiteOption, home_of


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
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="A dataset created by mqstat ingest.", show_default=False, parser=home_of),
    ],
    key: Annotated[
        Path,
        typer.Option(
            "--key",
            metavar="PEM",
            help="Ed25519 private key, created with: openssl genpkey -algorithm ed25519 -out KEY.pem.",
            show_default=False,
        ),
    ],
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="FILE",
            help="File to write [default: manifest.sig.json in the dataset]; an earlier signature is replaced.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Sign the manifest of a dataset, so that mqstat verify --public-key detects a dataset that was written again."""
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
