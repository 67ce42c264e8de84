"""Recognises the framing of an input by its content."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from mqstat.parsers.escapes import is_escaped
from mqstat.parsers.framing import BASIC, ESCAPED, Framing
from mqstat.parsers.walk import Evidence, evidence, patterns_of

GLANCE = 1 << 16
"""Bytes in which records without damage are enough: so that little of a small dump is read twice."""


def detect(prefix: bytes, at_end: bool) -> Framing | None:
    """Recognise the framing of an input from its first bytes; None when no record is found in them.

    `at_end` means that the prefix is the whole input. Each framing is tried by walking the prefix with it, and the one
    with the most evidence wins; so a file that starts in the middle of a record, or with garbage, is recognised as
    well.
    """
    for size in (GLANCE, 1 << 18, 1 << 20, 1 << 22):
        part = prefix[:size]
        whole = at_end and len(part) == len(prefix)
        best, most = None, (0, 0)
        for framing in chain(BASIC, _patterns(part, whole)):
            measured = evidence(part, framing, whole)
            if not measured.records or not (whole or measured.records >= 3 or size < len(prefix)):
                continue
            # Without lengths a record reaches up to the next header, so that all bytes are in records in any framing.
            is_plain = framing != Framing.NO_RDW or 2 * measured.proven >= measured.records
            if (
                not measured.spans
                and is_plain
                and 2 * measured.covered > len(part)
                and (whole or measured.records >= 3)
            ):
                return framing
            score = (weight(measured, framing), measured.covered)
            if best is None or score > most:
                best, most = framing, score
        if best is not None and (size > GLANCE or whole):
            return best
        if len(prefix) <= size:
            break
    return None


def _patterns(part: bytes, whole: bool) -> Iterator[Framing]:
    """The patterns of records in a part of an input, which are looked for only where no other framing reads all of
    it.
    """
    if is_escaped(part):
        yield from ESCAPED
    yield from (framing for framing in patterns_of(part, whole) if framing not in BASIC)


def weight(measured: Evidence, framing: Framing) -> int:
    """How much speaks for a framing: a proven record most, a length that leads to the next record a little, and a
    damaged span against it.

    With damage between all records a framing explains the records but not the bytes between them. Damage makes patterns
    too, so it counts double against one.
    """
    unproven = 0 if framing in (Framing.NO_RDW, Framing.STRU_R_NO_RDW) else measured.records - measured.proven
    return 4 * measured.proven + unproven - measured.spans * (1 if framing.pattern is None else 2)
