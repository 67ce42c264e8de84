"""Results of parts as JSON, so that other processes and machines can publish what one has written."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from mqstat.intake.part import PartResult
from mqstat.intake.pipeline import SourceResult
from mqstat.parsers.ledger import Count, Damage, Ledger
from mqstat.sources.verdict import Verdict

_COUNTS = ("others", "sections", "lost", "holds")
"""Counts by a tuple, which are lists of the key and the value."""


def as_json(result: SourceResult) -> dict[str, Any]:
    """A result without its files."""
    part = result.part
    ledger = {each.name: getattr(part.ledger, each.name) for each in fields(Ledger)}
    ledger |= {"bytes": asdict(part.ledger.bytes), "records": asdict(part.ledger.records)}
    ledger["damage"] = [
        [span.offset, span.length, span.reason, span.is_record, span.spans] for span in part.ledger.damage
    ]
    counts = {name: [[list(key), value] for key, value in getattr(part, name).items()] for name in _COUNTS}
    spans = {"damaged_spans": [list(span) for span in part.damaged_spans]}
    numbers = {"records": part.records, "selected": part.selected}
    names = ("name", "size", "sha256", "framing", "problem")
    judged = {"verdict": [result.verdict.word, result.verdict.reason, result.verdict.damaged_pct]}
    return (
        {name: getattr(result, name) for name in names}
        | judged
        | {"part": {"ledger": ledger} | counts | spans | numbers}
    )


def result(data: dict[str, Any]) -> SourceResult:
    """A result as JSON has it; ValueError, TypeError or KeyError for anything else."""
    part = data["part"]
    ledger = part["ledger"]
    made = Ledger(
        **ledger
        | {"bytes": Count(**ledger["bytes"]), "records": Count(**ledger["records"])}
        | {"damage": [Damage(*span) for span in ledger["damage"]]}
    )
    counts: dict[str, Any] = {name: {tuple(key): value for key, value in part[name]} for name in _COUNTS}
    return SourceResult(
        str(data["name"]), int(data["size"]), data["sha256"], str(data["framing"]), data["problem"],
        PartResult(
            ledger=made, damaged_spans=[tuple(span) for span in part["damaged_spans"]], records=int(part["records"]),
            selected=int(part["selected"]), **counts,
        ),
        verdict=Verdict(*data["verdict"]),
    )  # fmt: skip
