"""The command redact: a dump without the names of a site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.return_codes import CLEAR, WARNING
from mqstat.cli.options import FramingOption, argument, framing_of, option, sources_of

if TYPE_CHECKING:
    from mqstat.parsers.framing import Framing
    from mqstat.share.pseudonyms import Pseudonyms


def redact(
    data: Annotated[str, argument("redact DUMP")],
    into: Annotated[Path, option("redact --into FILE", Path)],
    key_file: Annotated[Path | None, option("--key-file FILE", Path)] = None,
    passphrase_file: Annotated[Path | None, option("--passphrase-file FILE", Path)] = None,
    systems: Annotated[bool, option("--systems")] = False,
    shift: Annotated[str | None, option("--shift OFFSET")] = None,
    framing: FramingOption = None,
) -> int:
    """Write a dump with pseudonyms instead of names, to share it with others: the same figures and the same
    findings.
    """
    from mqstat.base.object_store import is_uri, without_file
    from mqstat.dataset.snapshot import is_dataset
    from mqstat.share.moves import offset_of
    from mqstat.share.pseudonyms import Pseudonyms
    from mqstat.share.secret import secret_of

    data = without_file(data)
    names = Pseudonyms(secret_of(key_file, passphrase_file), systems)
    if shift is not None:
        names.shift_us = offset_of(shift, names)
    if not is_uri(data) and is_dataset(Path(data)):
        raise UsageError(f"{data} is a dataset: redact its dumps, and ingest what is written into a new dataset.")
    return _redact_dump(data, into, names, framing_of(framing), systems=systems)


def _note_kept(names: Pseudonyms, systems: bool) -> None:
    """What the reader must know to interpret the output, or to share it."""
    if names.shift_us:
        from mqstat.share.moves import offset_text

        typer.echo(
            f"All clocks were moved by {offset_text(names.shift_us)}; keep this offset to find the original times."
        )
    if not systems:
        typer.echo(
            "The names of queue managers, LPARs and queue-sharing groups were kept; --systems replaces them too."
        )


def _redact_dump(dump: str, into: Path, names: Pseudonyms, framing: Framing | None, *, systems: bool) -> int:
    from mqstat.base.formatting import on_one_line, plural
    from mqstat.share.redaction import redact as write

    done = write(sources_of([dump]), into, names, framing)
    typer.echo(on_one_line(f"{into}: {plural(done.records, 'record')}, {done.bytes:,} bytes."))
    _note_kept(names, systems)
    if done.others:
        typer.echo(f"{plural(done.others, 'record')} of other SMF types: only their headers were kept.")
    if done.damaged_bytes:
        typer.echo(f"{plural(done.damaged_bytes, 'damaged byte')} became X'FF'.")
    if done.damaged_records:
        typer.echo(f"{plural(done.damaged_records, 'damaged record')}: only the headers were kept.")
    return WARNING if done.damaged_bytes or done.damaged_records else CLEAR
