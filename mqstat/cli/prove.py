"""The command prove: a finding with the records that it is read from, as annotated hexadecimal."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.formats import PROOF_FORMATS
from mqstat.base.return_codes import CLEAR, UNUSABLE
from mqstat.cli.options import (
    Data,
    OutputOption,
    SchemaOption,
    WidthOption,
    checked_format,
    columns_of_text,
    format_option,
    framing_of,
    reads_data,
    sources_of,
)


@reads_data
def prove(
    data: Data,
    finding: Annotated[
        str,
        typer.Argument(
            metavar="RULE/QMGR",
            help="The key of a finding as reports show it, such as BP002/MQ05 or BP002/SYS1.MQ05.",
            show_default=False,
        ),
    ] = "",
    dump: Annotated[
        list[str],
        typer.Option(
            "--dump",
            metavar="DUMP",
            help="With --from: a dump with the records, under any name and compression; their hashes decide. Repeatable.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - typer reads the default and never changes it
    public_key: Annotated[
        Path | None,
        typer.Option(
            "--public-key",
            metavar="PEM",
            help="With --from: verify the dataset and its signature with this Ed25519 public key, as mqstat verify does. Return code 12 if it is not valid.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[str, format_option(PROOF_FORMATS)] = "text",
    output: OutputOption = None,
    schema: SchemaOption = False,
    width: WidthOption = None,
) -> int:
    """Show what a finding follows from: its figure with formula and limit, and the records with the bytes of the fields in it.

    Return code 12 if a record is in none of the dumps given or the signature is not valid, otherwise 0.
    """
    from mqstat.render import proof as rendering

    if schema:
        sys.stdout.write(rendering.schema_text())
        return 0
    if not finding:
        raise UsageError("Specify the key of a finding, such as BP002/MQ05, before the dumps.")
    checked_format(format, output, PROOF_FORMATS)
    if dump and data.dataset is None:
        raise UsageError("--dump DUMP names the dump of a dataset: add --from DIR, or specify the dump without --dump.")
    if public_key is not None and data.dataset is None:
        raise UsageError("--public-key PEM verifies a dataset: add --from DIR.")
    dumps = [*dump, *data.dumps]
    if "-" in dumps:
        raise UsageError("mqstat prove reads the dump more than once: specify a file instead of standard input.")
    from mqstat.assemble.one_finding import rule_of
    from mqstat.assemble.proof import no_dump, prove, signature_of
    from mqstat.cli.output import writing
    from mqstat.intake.by_field import Found, find_records
    from mqstat.sql.needs import rule_columns

    rule_of(finding)

    def fetch(wanted: Mapping[bytes, int]) -> Mapping[bytes, Found]:
        return find_records(sources_of(dumps), wanted, framing_of(data.framing))

    def columns() -> Mapping[str, Collection[str]]:
        from mqstat.sql.schemas import all_schemas

        names = {name: set(read) for name, read in rule_columns().items()}
        return {**names, "record": all_schemas()["record"].names}

    signature, is_valid = signature_of(data.dataset, public_key) if data.dataset is not None else ("", True)
    with data.open(columns=columns, checksums=True) as database:
        proof = prove(database, finding, fetch if dumps else no_dump, signature=signature)
    with writing(output) as stream:
        rendering.write(proof, format, stream, columns_of_text(width))
    return max(proof.return_code, CLEAR if is_valid else UNUSABLE)
