"""A proof (`mqstat.assemble.proof`) as text, as one page of HTML and as JSON with its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, TextIO

import msgspec

from mqstat.assemble.proof import Part, Proof, RecordShown, Rest
from mqstat.base.json_object import json_text
from mqstat.base.version import __version__
from mqstat.render.json_model import schema_of
from mqstat.render.layout import wrapped

SCHEMA_VERSION = 2
"""Incremented when programs that read the JSON must change."""

_LABEL = 12
BYTES = 16
"""Bytes of a field that text shows."""


def write(proof: Proof, format_name: str, stream: TextIO, width: int) -> None:
    """Write a proof in one of `PROOF_FORMATS`; `width` of text in columns."""
    if format_name == "json":
        stream.write(json_text(as_object(proof), indent=1) + "\n")
    elif format_name == "html":
        write_page(proof, stream)
    else:
        stream.write("\n".join(text_lines(proof, width)) + "\n")


# --- text


def facts(proof: Proof) -> Iterator[tuple[str, str]]:
    """Label and text of what is stated about the figure."""
    if proof.figure:
        yield "Figure", proof.figure
    if proof.limit_source:
        yield "Limit", f"{proof.limit_from}. Source: {proof.limit_source}"
    for number, formula in enumerate(proof.formulas):
        yield ("" if number else "Formula"), formula
    if proof.with_values:
        yield "With values", proof.with_values
    if proof.dataset:
        yield "Dataset", proof.dataset


def text_lines(proof: Proof, width: int) -> Iterator[str]:
    """The proof as lines of text."""
    yield f"{proof.key}  {proof.state}: {proof.title}"
    yield from wrapped(proof.summary, width) if proof.summary else ()
    yield ""
    for label, text in facts(proof):
        yield from wrapped(f"{label:<{_LABEL}}{text}", width, _LABEL)
    for record in proof.records:
        yield ""
        yield from wrapped(record_title(record), width)
        for part in record.parts:
            yield f"  {part.title}"
            yield from _aligned(part, width)
    if proof.more:
        yield ""
        yield f"{proof.more:,} more records have fields of this figure; the query lists them."
    if proof.rest:
        yield ""
        yield from wrapped(rest_text(proof.rest), width)
        yield from wrapped(f"{'Query':<{_LABEL}}{proof.rest.query}", width, _LABEL)
        yield from wrapped(
            f"{'Digest':<{_LABEL}}{proof.rest.digest} (SHA-256 over their record_hash in this order)", width, _LABEL
        )


def _aligned(part: Part, width: int) -> Iterator[str]:
    """Offset, bytes, name, value and meaning of each line, in columns."""
    rows = [(f"{line.at:>9}", cut(line.content), line.name, line.value) for line in part.lines]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row, line in zip(rows, part.lines, strict=True):
        lead = "  ".join(f"{text:{room}}" for text, room in zip(row, widths, strict=True))
        yield from wrapped(f"{lead}  {line.doc}".rstrip(), width, len(lead) + 2)


def cut(content: str) -> str:
    """The bytes of a field as capital hexadecimal digits; "..." shows that there are more."""
    digits = content.upper()
    return digits if len(digits) <= 2 * BYTES else digits[: 2 * BYTES - 3] + "..."


def record_title(record: RecordShown) -> str:
    """What a record is and where, with its hash."""
    where = f"record {record.record_id} ({record.record_class}): record {record.number:,} of {record.source} at offset {record.offset:,}, {record.length:,} bytes, hash {record.hash}"
    return f"{where}: {record.missing}" if record.missing else where


def rest_text(rest: Rest) -> str:
    """How many records the interval has, by class."""
    listed = ", ".join(f"{count:,} of {name}" for name, count in rest.counts.items())
    total = sum(rest.counts.values())
    return f"Records of the interval: {total:,}" + (f" ({listed})" if listed else "")


# --- HTML


def write_page(proof: Proof, stream: TextIO) -> None:
    """One page with the style of the report page: nothing is fetched, there is no script, all text is escaped."""
    from mqstat.render.html import write_document

    rest = rest_text(proof.rest) if proof.rest else ""
    shown: dict[str, Any] = {"facts": list(facts(proof)), "record_title": record_title, "rest_text": rest}
    write_document("proof.html", stream, proof=proof, title=f"Proof of {proof.key}", **shown)


# --- JSON


class ProofDocument(Proof, frozen=True, kw_only=True):
    """`more` counts records with fields of the figure that are not listed; `rest` has all records of the interval:
    query, counts by class, SHA-256 over their hashes.
    """

    schema_version: Annotated[int, msgspec.Meta(extra_json_schema={"const": SCHEMA_VERSION})] = SCHEMA_VERSION
    mqstat: str = __version__


def as_object(proof: Proof) -> dict[str, Any]:
    """The proof as JSON: bytes as hexadecimal digits."""
    return {"schema_version": SCHEMA_VERSION, "mqstat": __version__, **msgspec.structs.asdict(proof)}


def schema_text() -> str:
    """The JSON Schema of a proof, as text."""
    return json.dumps(make_schema(), indent=1) + "\n"


def make_schema() -> dict[str, Any]:
    """The JSON Schema of a proof."""
    return schema_of(ProofDocument, "The proof of a finding by mqstat prove --format json")
