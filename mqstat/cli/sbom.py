"""The command sbom: what this installation consists of."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def sbom(
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="FILE",
            help="File to write instead of printing; an earlier one is replaced.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Print a software bill of materials of this installation: CycloneDX 1.6 as JSON."""
    from mqstat.base.atomic_write import replaced
    from mqstat.share.sbom import sbom as made

    text = made()
    if into is None:
        sys.stdout.write(text)
        return 0
    with replaced(into, follow=True) as part:
        part.write_text(text, encoding="utf-8")
    return 0
