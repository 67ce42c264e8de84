"""Every text field of a dump that is built with hostile text contains it, and the output keeps it unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqstat.fixtures import hostile
from mqstat.fixtures.frame import joined
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.parsers import LAYOUTS
from mqstat.parsers.kit import Ebcdic
from tests.support import decode_bytes

HARMLESS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ()")
"""Characters of the names that the usual fixtures write."""


@pytest.fixture(scope="module")
def spoilt() -> bytes:
    return SCENARIOS["hostile_everywhere"].build()


def test_payloads_fit_their_fields() -> None:
    for width, payloads in hostile.PAYLOADS.items():
        assert len(set(payloads)) == len(payloads)
        for payload in payloads:
            assert len(payload.encode("cp037")) <= width
            assert not hostile.HARM.isdisjoint(payload) or payload.startswith("..")


def test_every_text_field_of_every_structure_is_hostile(spoilt: bytes) -> None:
    records = [record for record in joined(spoilt) if record[5] in (115, 116)]
    fields: dict[tuple[str, str], int] = {}
    for number, _, structure, field, at in hostile.elements(records):
        content = records[number][at : at + field.type.width].decode("cp037").rstrip(" \0")
        if content:
            fields[structure, field.name] = fields.get((structure, field.name), 0) + 1
            assert not HARMLESS.issuperset(content), f"{structure}.{field.name} has {content!r}"
    wanted = {(name, field.name) for name in LAYOUTS for field in hostile.text_fields(name)}
    assert len(wanted) > 70
    assert wanted - set(fields) == set()


def test_hostile_text_is_decoded_as_it_was_written(spoilt: bytes, tmp_path: Path) -> None:
    made, result = decode_bytes(spoilt, tmp_path)
    assert result.part.ledger.damaged_spans == 0
    for name, table in made.items():
        for field in _texts(name):
            known = {text for text in table[field].to_pylist() if text}
            assert known, f"{name}.{field}"
            assert not any(HARMLESS.issuperset(text) for text in known), f"{name}.{field}"
    queues = set(made["qqst"]["queue"].to_pylist())
    assert queues == {name.rstrip(" \0") for name in hostile.names(48)}


def _texts(table: str) -> Iterator[str]:
    """Text columns of a table of a structure."""
    if table in LAYOUTS:
        for field in hostile.text_fields(table):
            if isinstance(field.type, Ebcdic) and not field.child and not field.columns:
                yield field.name
