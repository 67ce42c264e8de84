"""The verdict of an input: what was walked and what its bytes show, as one word of a closed list. Every command, the nightly run and the API take it from here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mqstat.base import return_codes
from mqstat.parsers.ledger import Ledger
from mqstat.sources.transfer import Sign, line_ends, signs

SOUND, NOTES, DAMAGED, ABOVE, RUINED, NOT_SMF, NOTHING = VERDICTS = (
    "sound",
    "sound, with notes",
    "damaged",
    "damaged above the limit",
    "ruined",
    "not SMF",
    "nothing of MQ",
)
"""Closed list of verdicts; a ruined input, and one that is not SMF, is never added to a dataset."""

_CODES = {
    SOUND: return_codes.CLEAR,
    NOTES: return_codes.CLEAR,
    NOTHING: return_codes.CLEAR,
    DAMAGED: return_codes.WARNING,
}

WRONG_TRANSFER = {
    "ascii": "The dump was translated from EBCDIC to ASCII during the transfer. It cannot be repaired.",
    "utf-8": "The dump was read as text and written as UTF-8: every byte above X'7F' became two bytes.",
    "replaced": "The dump was read as text: bytes that are not valid UTF-8 were replaced and are lost.",
    "crlf": "Line feeds in the dump were changed to carriage return + line feed by a text transfer.",
    "cr-lost": "Carriage returns in the dump were changed to line feeds by a text transfer.",
    "fixed": "The records were truncated or padded to a fixed length (RECFM=FB was used during the transfer).",
    "xmit": "It is a TSO TRANSMIT (XMIT) file, not a dump.",
    "text": "It is text, not an SMF dump.",
    "not-smf": "It is another kind of file, not an SMF dump.",
}
"""What each sign of a wrong transfer means."""


@dataclass(frozen=True)
class Verdict:
    """A word of `VERDICTS`, why it is not sound (empty where the damage is the reason), and the signs of a wrong transfer."""

    word: str
    reason: str = ""
    signs: tuple[Sign, ...] = ()

    @property
    def return_code(self) -> int:
        """0 sound, with notes or nothing of MQ; 4 damaged; 12 anything else."""
        return _CODES.get(self.word, return_codes.UNUSABLE)

    @property
    def is_ruined(self) -> bool:
        """Whether the input must not be added to a dataset."""
        return self.word in (RUINED, NOT_SMF)


def verdict(
    ledger: Ledger,
    prefix: bytes,
    problem: str | None = None,
    limit_pct: float = return_codes.DAMAGE_LIMIT_PCT,
    notes: Sequence[str] = (),
) -> Verdict:
    """The verdict of an input that was walked; `prefix` = its first bytes, `problem` = what is wrong with its compression, `notes` = remarks."""
    seen = signs_of(ledger, prefix)
    lost, size = ledger.bytes.damaged, ledger.bytes.input
    if seen:
        return Verdict(RUINED, WRONG_TRANSFER[seen[0].code], tuple(seen))
    if 2 * lost > size:
        return Verdict(RUINED, f"{lost:,} of {size:,} bytes are damaged.")
    if not ledger.records.damaged and not lost:
        if problem:
            return Verdict(DAMAGED, problem)
        if not ledger.mq_records:
            return Verdict(NOTHING, "There is no MQ record (type 115 or 116) in the dump.")
        return Verdict(NOTES if notes or ledger.tail_sections or ledger.skipped else SOUND)
    return Verdict(ABOVE if 100 * lost > limit_pct * size else DAMAGED)


def signs_of(ledger: Ledger, prefix: bytes) -> list[Sign]:
    """Signs of a wrong transfer that cannot be undone; a sound input is searched for X'0D' only."""
    # Lost carriage returns leave the records walkable, but with wrong values in them.
    ends = line_ends(prefix) if b"\r" not in prefix else None
    if ends is not None and ends.code == "cr-lost":
        return [ends]
    # Something between most records, or hardly a record left: a wrong transfer shows in the bytes themselves.
    if ledger.damaged_spans and (
        4 * ledger.damaged_spans >= ledger.records.input - ledger.records.damaged
        or 20 * ledger.bytes.damaged > ledger.bytes.input
    ):
        return signs(prefix)
    return []
