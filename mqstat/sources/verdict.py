"""The verdict of an input: what was walked and what its bytes show, as one word of a closed list. Every command, the
nightly run and the API take it from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mqstat.base import return_codes
from mqstat.parsers.framing import Framing
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

_SOUND = (SOUND, NOTES, NOTHING)

AMS_TYPE = 180
"""Usual SMF type of the audit records of Advanced Message Security (MODIFY qmgrAMSM,SMFTYPE), which are records of
MQ."""

HEADER_TYPE, TRAILER_TYPE = 2, 3
"""SMF types of the records with which a dump program begins and ends its output."""

SOURCE_COLUMNS = ("source_bytes", "diagnosis", "bytes_damaged", "records_damaged", "records_decoded", "records_internal", "records_raw", "records_duplicate")  # fmt: skip
"""Columns of table `source` from which the verdict of a stored input follows."""

WRONG_TRANSFER = {
    "ascii": "The dump was translated from EBCDIC to ASCII during the transfer. It cannot be repaired.",
    "utf-8": "The dump was read as text and written as UTF-8: every byte above X'7F' became two bytes.",
    "replaced": "The dump was read as text: bytes that are not valid UTF-8 were replaced and are lost.",
    "crlf": "Line feeds in the dump were changed to carriage return + line feed by a text transfer.",
    "cr-lost": "Carriage returns in the dump were changed to line feeds by a text transfer.",
    "fixed": "The records were truncated or padded to a fixed length (RECFM=FB was used during the transfer).",
    "compress": "The file was compressed with compress of z/OS UNIX. Undo it: gzip -dc dump.smf.Z > dump.smf",
    "base64": "It is a dump as base64 text. Undo it: base64 -d dump.txt > dump.smf",
    "hex": "It is a dump as hexadecimal text. Undo it: xxd -r -p dump.txt > dump.smf",
    "xmit": "It is a TSO TRANSMIT (XMIT) file, not a dump.",
    "text": "It is text, not an SMF dump.",
    "not-smf": "It is another kind of file, not an SMF dump.",
}
"""What each sign of a wrong transfer means."""


@dataclass(frozen=True)
class Verdict:
    """A word of `VERDICTS`, why it is not sound (empty where the damage is the reason), the damaged share of the bytes,
    and the signs of a wrong transfer.
    """

    word: str
    reason: str = ""
    damaged_pct: float = 0
    signs: tuple[Sign, ...] = ()

    def return_code(self, limit_pct: float = return_codes.DAMAGE_LIMIT_PCT) -> int:
        """0 sound, with notes or nothing of MQ; 4 damaged up to `limit_pct` percent of the bytes; 12 anything else."""
        if self.is_sound:
            return return_codes.CLEAR
        within = not self.is_ruined and self.damaged_pct <= limit_pct
        return return_codes.WARNING if within else return_codes.UNUSABLE

    @property
    def is_sound(self) -> bool:
        """Whether nothing is damaged."""
        return self.word in _SOUND

    @property
    def is_ruined(self) -> bool:
        """Whether the input must not be added to a dataset."""
        return self.word in (RUINED, NOT_SMF)


def verdict(
    ledger: Ledger,
    prefix: bytes = b"",
    problem: str | None = None,
    others: Mapping[int, int] | None = None,
    framing: Framing | None = None,
) -> Verdict:
    """The verdict of an input that was walked; `prefix` = its first bytes, `problem` = what is wrong with its
    compression, `others` = records by SMF type.
    """
    others = others or {}
    seen = signs_of(ledger, prefix)
    if seen:
        return Verdict(RUINED, WRONG_TRANSFER[seen[0].code], signs=tuple(seen))
    judged = _of_counts(
        ledger.bytes.input,
        ledger.bytes.damaged,
        ledger.records.damaged,
        ledger.mq_records + others.get(AMS_TYPE, 0),
        problem,
    )
    if judged.word == SOUND and (ledger.skipped or lacks_trailer(others) or framing is Framing.NO_RDW):
        return Verdict(NOTES)
    return judged


def _of_counts(size: int, lost: int, damaged: int, mq_records: int, problem: str | None) -> Verdict:
    """The verdict by the bytes of an input, its damaged bytes and records, and its sound MQ records."""
    if 2 * lost > size:
        return Verdict(RUINED, f"{lost:,} of {size:,} bytes are damaged.")
    share = 100 * lost / size if size else 0
    if damaged or lost:
        return Verdict(ABOVE if share > return_codes.DAMAGE_LIMIT_PCT else DAMAGED, damaged_pct=share)
    if problem:
        return Verdict(DAMAGED, problem)
    if not mq_records:
        return Verdict(NOTHING, "There is no MQ record (type 115 or 116) in the dump.")
    return Verdict(SOUND)


def stored_code(rows: Iterable[Mapping[str, Any]], limit_pct: float = return_codes.DAMAGE_LIMIT_PCT) -> int:
    """The highest return code of stored inputs; `rows` have `SOURCE_COLUMNS` of view source."""
    codes = set()
    for row in rows:
        size, problem, lost, damaged, *records = (row.get(name) for name in SOURCE_COLUMNS)
        judged = _of_counts(size or 0, lost or 0, damaged or 0, sum(count or 0 for count in records), problem)
        codes.add(judged.return_code(limit_pct))
    return return_codes.of_inputs(codes)


def lacks_trailer(types: Mapping[int, int]) -> bool:
    """Whether a dump, by its records of each SMF type, has fewer trailers than headers."""
    return types.get(TRAILER_TYPE, 0) < types.get(HEADER_TYPE, 0)


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
