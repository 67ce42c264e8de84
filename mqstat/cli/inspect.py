"""Commands that inspect a dump: ledger, doctor, raw, trace."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mqstat.base.atomic_write import without
from mqstat.base.errors import InputError, UsageError
from mqstat.base.formats import LEDGER_FORMATS
from mqstat.base.inputs import about
from mqstat.base.nearest import nearest_or_known
from mqstat.base.return_codes import DAMAGE_LIMIT_PCT
from mqstat.cli.commands import structures
from mqstat.cli.options import (
    DamageLimitOption,
    Dump,
    Dumps,
    FramingOption,
    RawOption,
    argument,
    checked_format,
    format_option,
    framing_of,
    home_of,
    only_dataset,
    option,
    progress,
    remark,
    sources_of,
)

if TYPE_CHECKING:
    from mqstat.parsers.ledger import Ledger


def ledger(
    dumps: Dumps,
    format: Annotated[str, format_option(LEDGER_FORMATS)] = "text",
    framing: FramingOption = None,
    damage_limit: DamageLimitOption = DAMAGE_LIMIT_PCT,
) -> int:
    """Account for every byte and record: decoded, other SMF types, internal, raw or damaged. Records that repeat others
    are not looked for.
    """
    checked_format(format, None, LEDGER_FORMATS)
    from mqstat.base import return_codes
    from mqstat.base.selection import Selection
    from mqstat.intake.part import Job
    from mqstat.intake.pipeline import measure
    from mqstat.parsers.ledger import Ledger

    total = Ledger()
    read = 0
    names: list[str] = []
    codes: list[int] = []
    problems: list[str] = []
    for source in sources_of(dumps):
        names.append(source.name)
        try:
            with progress(source.name) as step:
                result = measure(source, Job(1, 0, Selection(), {}, Path()), framing=framing_of(framing), progress=step)
        except InputError as error:
            codes.append(error.return_code)
            problems.append(str(error))
            continue
        read += 1
        total.merge(result.part.ledger)
        codes.append(result.verdict.return_code(damage_limit))
        if result.problem:
            problems.append(result.problem)
    if not read:
        pass  # there is nothing else to print: each input was reported
    elif format == "json":
        measured = total.as_dict()
        for side in ("bytes", "records"):
            del measured[side]["duplicate"]  # nothing is compared here: 0 would read as "none"
        json.dump(measured, sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(_ledger_text(names, total))
    for problem in problems:
        remark(problem)
    return return_codes.of_inputs(codes)


def _ledger_text(names: Sequence[str], ledger: Ledger) -> str:
    from mqstat.base.formatting import listed, on_one_line
    from mqstat.parsers.ledger import REASONS, SKIPPED

    labels = {
        "input": "read",
        "decoded": "decoded",
        "other_types": "other SMF types",
        "internal": "internal",
        "raw": "raw (unknown)",
        "damaged": "damaged",
    }
    if ledger.skipped:
        labels["skipped"] = "skipped"
    records, size = ledger.records.as_dict(), ledger.bytes.as_dict()
    records_width, bytes_width = (
        max(least, *(len(f"{number:,}") + 2 for number in counts.values()))
        for least, counts in ((14, records), (18, size))
    )
    lines = [
        f"Ledger of {on_one_line(listed(names, 5))}",
        "",
        f"{'':18}{'records':>{records_width}}{'bytes':>{bytes_width}}",
    ]
    lines += [f"{label:18}{records[key]:>{records_width},}{size[key]:>{bytes_width},}" for key, label in labels.items()]
    lines += ["", "The ledger balances." if ledger.balanced else "THE LEDGER DOES NOT BALANCE: please report this."]
    if ledger.tail_sections:
        lines.append(
            f"{ledger.tail_sections:,} sections are longer than the known layout; {ledger.tail_bytes:,} extra bytes are kept raw."
        )
    lines += [f"Skipped: {size:,} bytes, {SKIPPED[reason]}" for reason, size in ledger.skipped.items()]
    if ledger.damage:
        shown = ledger.damage[:20]
        offset_width = max(14, *(len(f"{span.offset:,}") for span in shown))
        length_width = max(12, *(len(f"{span.length:,}") + 2 for span in shown))
        lines += ["", f"{'offset':>{offset_width}}{'bytes':>{length_width}}  damage"]
        lines += [
            f"{span.offset:>{offset_width},}{span.length:>{length_width},}  {span.reason}: {REASONS[span.reason]}"
            for span in shown
        ]
        if more := ledger.damaged_spans - sum(span.spans for span in shown):
            lines.append(f"{more:,} more damaged spans; --format json lists them.")
    return "\n".join(lines) + "\n"


def doctor(dump: Dump) -> int:
    """Diagnose a dump or its transfer: what is wrong, the evidence, and the commands for a correct transfer."""
    from mqstat.base.formatting import escaped
    from mqstat.sources import doctor as diagnosis

    code = 0
    for source in sources_of([dump], refuse=False):
        result = diagnosis.diagnose(source)
        sys.stdout.write(escaped(diagnosis.render_text(result), "\n"))
        code = max(code, result.return_code)
    return code


def raw(
    dump: Dump,
    structure: Annotated[str | None, option("raw --structure NAME", complete=structures)] = None,
    everything: Annotated[bool, option("--all")] = False,
    into: Annotated[Path | None, option("export --into DIR", Path)] = None,
    framing: FramingOption = None,
    unsafe: RawOption = False,
) -> int:
    """Print structures as CSV, with IBM's field names and raw values."""
    if everything == (structure is not None):
        raise UsageError("Specify either --structure NAME or --all --into DIR.")
    if everything and into is None:
        raise UsageError("--all requires --into DIR.")
    from mqstat.base.csv_cells import safe
    from mqstat.cli.streams import Shown
    from mqstat.intake import raw as raw_view
    from mqstat.intake.part import PartResult
    from mqstat.parsers import LAYOUTS

    if structure is not None and structure.lower() not in (*LAYOUTS, "record"):
        raise UsageError(
            f"--structure {structure}: no such structure{nearest_or_known(structure, [*LAYOUTS, 'record'])}."
        )
    inputs, counted = list(sources_of([dump])), PartResult()
    if len(inputs) != 1:
        raise UsageError(f"{dump} holds {len(inputs)} inputs ({', '.join(s.name for s in inputs[:5])}); specify one.")
    framing_used, cell = framing_of(framing), str if unsafe else safe
    if structure is None:
        if into is not None:
            counts = raw_view.write_all(inputs[0], into, framing_used, cell, counted)
            typer.echo(f"{sum(counts.values())} rows in {len(counts)} files", err=True)
    elif into is None:
        shown = Shown(sys.stdout, raw=unsafe)
        raw_view.write_structure(inputs[0], structure.lower(), shown, framing_used, cell, counted)
    else:
        into.mkdir(parents=True, exist_ok=True)
        with without(into / f"{structure.lower()}.csv").open("x", encoding="utf-8", newline="") as stream:
            raw_view.write_structure(inputs[0], structure.lower(), stream, framing_used, cell, counted)
    return _code_of_damage(inputs[0].name, inputs[0].word, counted.ledger)


def trace(
    dump: Dump,
    record: Annotated[str, argument("trace RECORD")],
    structure: Annotated[str | None, option("trace --structure NAME")] = None,
    section: Annotated[int | None, option("--section N", int)] = None,
    datasets: Annotated[list[Path], option("trace --from DIR", home_of)] = [],
    framing: FramingOption = None,
) -> int:
    """Print one record as annotated hexadecimal: field, offset, bytes, value."""
    from mqstat.intake import trace as tracing
    from mqstat.intake.part import PartResult

    counted = PartResult()
    number, is_offset = _position(record)
    sys.stdout.write(
        tracing.trace(
            dump, number, structure, section, only_dataset(datasets), framing_of(framing), counted, is_offset=is_offset
        )
    )
    return _code_of_damage(Path(dump).name, dump, counted.ledger)


def _position(record: str) -> tuple[int, bool]:
    """A record number, or an offset in bytes after a @ (True); UsageError for anything else."""
    digits = record.removeprefix("@").replace(",", "")
    if not (digits.isascii() and digits.isdecimal()):
        raise UsageError(f"RECORD {record}: specify a record number, or @ and an offset in bytes, such as @7064502.")
    return int(digits), record.startswith("@")


def _code_of_damage(name: str, word: str, ledger: Ledger) -> int:
    """The return code for the damage of a dump, which a sentence on standard error names."""
    from mqstat.base.return_codes import damage_text
    from mqstat.sources.verdict import verdict

    text = damage_text([name], ledger.bytes.input, ledger.bytes.damaged, ledger.records.damaged, about("ledger", word))
    if text:
        remark(text)
    return verdict(ledger).return_code()
