"""Recognises the framing of an input by its content."""

from __future__ import annotations

from mqstat.parsers.framing import Framing
from mqstat.parsers.walk import coverage


def detect(prefix: bytes, at_end: bool) -> Framing | None:
    """Recognise the framing of an input from its first bytes; None when no record is found in them.

    `at_end` means that the prefix is the whole input. Each framing is tried by walking the prefix with it, and the one that explains most
    bytes as records wins; so a file that starts in the middle of a record, or with garbage, is recognised as well.
    """
    for size in (1 << 18, 1 << 20, 1 << 22):
        part = prefix[:size]
        whole = at_end and len(part) == len(prefix)
        best, most = None, 0
        for framing in Framing:
            covered, records, spans = coverage(part, framing, whole)
            if not records or not (whole or records >= 3 or size < len(prefix)):
                continue
            if not spans and 2 * covered > len(part) and (whole or records >= 3):
                return framing
            # Each damaged span is evidence against a framing: with damage between all records it explains the records but not the bytes between
            # them. A length before a record that leads to its end is evidence for the framing.
            score = covered * max(0, records - spans) // records + covered // 64
            score += 64 * (records * (framing is not Framing.NO_RDW) - spans)
            if framing is Framing.NO_RDW and 2 * spans >= records:
                score = 1
            score = max(1, score)
            if score > most:
                best, most = framing, score
        if best is not None:
            return best
        if len(prefix) <= size:
            break
    return None
