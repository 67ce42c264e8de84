"""The command prove: a finding with the records that it is read from, as annotated hexadecimal."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Annotated

import typer

from mqstat.base.errors import UsageError
from mqstat.base.formats import PROOF_FORMATS
from mqstat.cli.options import (
    Data,
    OutputOption,
    SchemaOption,
    WidthOption,
    argument,
    checked_format,
    columns_of_text,
    format_option,
    framing_of,
    option,
    reading,
    sources_of,
)


@reading()
def prove(
    context: typer.Context,
    finding: Annotated[str, argument("prove RULE/QMGR")] = "",
    dump: Annotated[list[str], option("--dump DUMP")] = [],
    format: Annotated[str, format_option(PROOF_FORMATS)] = "text",
    output: OutputOption = None,
    schema: SchemaOption = False,
    width: WidthOption = None,
) -> int:
    """Show what a finding follows from: its figure with formula and limit, and the records with the bytes of the fields
    in it.

    Return code 12 if a record is in none of the dumps given, otherwise 0.
    """
    data: Data = context.obj
    from mqstat.render import proof as rendering

    if schema:
        sys.stdout.write(rendering.schema_text())
        return 0
    if not finding:
        raise UsageError("Specify the key of a finding, such as BP002/MQ05, before the dumps.")
    checked_format(format, output, PROOF_FORMATS)
    if dump and data.dataset is None:
        raise UsageError("--dump DUMP names the dump of a dataset: add --from DIR, or specify the dump without --dump.")
    dumps = [*dump, *data.dumps]
    if "-" in dumps:
        raise UsageError("mqstat prove reads the dump more than once: specify a file instead of standard input.")
    from mqstat.assemble.one_finding import rule_of
    from mqstat.assemble.proof import no_dump, prove
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

    with data.open(columns=columns, checksums=True) as database:
        proof = prove(database, finding, fetch if dumps else no_dump)
    with writing(output) as stream:
        rendering.write(proof, format, stream, columns_of_text(width))
    return data.return_code(proof.return_code)
