"""The command redact: a dump without the names of a site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mqstat.base.return_codes import WARNING
from mqstat.cli.options import Dump, FramingOption, framing_of, sources_of
from mqstat.errors import UsageError

_LEAST_KEY = 16


def redact(
    dump: Dump,
    into: Annotated[
        Path,
        typer.Option(
            "--into",
            metavar="FILE",
            help="Dump to write, with RDWs; an earlier file is replaced.",
            show_default=False,
        ),
    ],
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--key-file",
            metavar="FILE",
            help="Key of 16 or more bytes: the same key gives the same pseudonyms. Without it the key is random and not kept.",
            show_default=False,
        ),
    ] = None,
    systems: Annotated[
        bool,
        typer.Option("--systems", help="Also replace the names of queue managers, LPARs and queue-sharing groups."),
    ] = False,
    framing: FramingOption = None,
) -> int:
    """Write a dump with pseudonyms instead of names, to share it with others: the same figures and the same findings."""
    if Path(dump).is_dir() and (Path(dump) / "manifest.jsonl").exists():
        raise UsageError(f"{dump} is a dataset; redact its dumps and ingest the results.")
    from mqstat.base.formatting import on_one_line, plural
    from mqstat.export.pseudonyms import Pseudonyms
    from mqstat.export.redaction import redact as write

    done = write(sources_of([dump]), into, Pseudonyms(_key(key_file), systems), framing_of(framing))
    typer.echo(on_one_line(f"{into}: {plural(done.records, 'record')}, {done.bytes:,} bytes."))
    if not systems:
        typer.echo(
            "The names of queue managers, LPARs and queue-sharing groups were kept; --systems replaces them too."
        )
    if done.others:
        typer.echo(f"{plural(done.others, 'record')} of other SMF types: only their headers were kept.")
    if done.damaged_bytes:
        typer.echo(f"{plural(done.damaged_bytes, 'damaged byte')} became zeros.")
    if done.damaged_records:
        typer.echo(f"{plural(done.damaged_records, 'damaged record')}: only the headers were kept.")
    return WARNING if done.damaged_bytes or done.damaged_records else 0


def _key(file: Path | None) -> bytes:
    """The key in a file, without blanks around it; a random one without a file."""
    if file is None:
        import secrets

        return secrets.token_bytes(32)
    try:
        key = file.read_bytes().strip()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}.") from error
    if len(key) < _LEAST_KEY:
        raise UsageError(
            f"{file} has a key of {len(key)} bytes; write {_LEAST_KEY} or more random bytes into it, such as by: openssl rand -hex 32"
        )
    return key
