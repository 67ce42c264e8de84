"""A proof (`mqstat.assemble.proof`) as text, as one page of HTML and as JSON with its schema."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, TextIO

from mqstat.assemble.proof import Part, Proof, RecordShown, Rest
from mqstat.base.return_codes import LADDER
from mqstat.base.version import __version__
from mqstat.judge.states import STATES
from mqstat.render.layout import wrapped

SCHEMA_VERSION = 2
"""Incremented when programs that read the JSON must change."""

_LABEL = 12
BYTES = 16
"""Bytes of a field that text shows."""


def write(proof: Proof, format_name: str, stream: TextIO, width: int) -> None:
    """Write a proof in one of `PROOF_FORMATS`; `width` of text in columns."""
    if format_name == "json":
        stream.write(json.dumps(as_object(proof), ensure_ascii=True, indent=1) + "\n")
    elif format_name == "html":
        stream.write(page(proof))
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
    if proof.signature:
        yield "Signature", proof.signature


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


def cut(content: bytes) -> str:
    """The bytes of a field as hexadecimal digits; "..." shows that there are more."""
    digits = content.hex().upper()
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


def page(proof: Proof) -> str:
    """One page with the style of the report page: nothing is fetched, there is no script, all text is escaped."""
    from markupsafe import Markup

    from mqstat.render.html import digest, environment, file_text

    style = file_text("style.css")
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return environment().get_template("proof.html").render(
        proof=proof, facts=list(facts(proof)), record_title=record_title, rest_text=rest_text(proof.rest) if proof.rest else "",
        policy=policy, version=__version__, style=Markup(style),  # noqa: S704 - a file of this package
    )  # fmt: skip


# --- JSON


def as_object(proof: Proof) -> dict[str, Any]:
    """The proof as JSON: bytes as hexadecimal digits."""
    made = {name.name: getattr(proof, name.name) for name in dataclasses.fields(proof)}
    made["formulas"] = list(proof.formulas)
    made["records"] = [_record(record) for record in proof.records]
    made["rest"] = None if proof.rest is None else {**dataclasses.asdict(proof.rest), "counts": dict(proof.rest.counts)}
    return {"schema_version": SCHEMA_VERSION, "mqstat": __version__, **made}


def _record(record: RecordShown) -> dict[str, Any]:
    made = {each.name: getattr(record, each.name) for each in dataclasses.fields(record)}
    parts = [
        {"title": part.title, "lines": [{**line._asdict(), "content": line.content.hex()} for line in part.lines]}
        for part in record.parts
    ]
    return {**made, "parts": parts}


def schema_text() -> str:
    """The JSON Schema of a proof, as text."""
    return json.dumps(make_schema(), indent=1) + "\n"


def make_schema() -> dict[str, Any]:
    """The JSON Schema of a proof."""
    text, count, number = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": ["number", "null"]}
    hexadecimal = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
    line = _strict({"at": count, "content": hexadecimal, "name": text, "value": text, "doc": text})
    part = _strict({"title": text, "lines": {"type": "array", "items": line}})
    record = _strict(
        {
            **dict.fromkeys(("record_id", "number", "offset", "length"), count), **dict.fromkeys(("record_class", "source", "missing"), text),
            "hash": hexadecimal, "parts": {"type": "array", "items": part},
        }
    )  # fmt: skip
    rest = _strict({"query": text, "counts": {"type": "object", "additionalProperties": count}, "digest": hexadecimal})
    properties = {
        "schema_version": {"const": SCHEMA_VERSION},
        **dict.fromkeys(("mqstat", "key", "title", "where", "summary", "figure", "unit", "limit_source", "limit_from", "with_values", "signature"), text),
        "rule_id": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{3}$"},
        "state": {"enum": list(STATES)},
        **dict.fromkeys(("observed", "limit"), number),
        "formulas": {"type": "array", "items": text},
        "records": {"type": "array", "items": record},
        "more": {**count, "description": "Records with fields of the figure that are not listed."},
        "rest": {"anyOf": [rest, {"type": "null"}], "description": "All records of the interval: query, counts by class, SHA-256 over their hashes."},
        "return_code": {"enum": list(LADDER)},
    }  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The proof of a finding by mqstat prove --format json",
        **_strict(properties),
    }


def _strict(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
