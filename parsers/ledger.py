"""The ledger: how every byte and every record of an input was handled.

The ledger is the proof that nothing was dropped: the input equals the sum of its classes, in bytes and in records. One
ledger is kept per source, and the parts of a split source are merged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

MAX_SPANS = 10_000
"""Damaged spans kept one by one; the sums always count all of them."""

REASONS: dict[str, str] = {
    "bad-rdw": "The record descriptor word before a record is destroyed.",
    "bad-bdw": "The block descriptor word before a block is destroyed.",
    "orphan-segment": "A continuation segment has no first segment before it.",
    "missing-segment": "One or more later segments of a spanned record are missing.",
    "implausible-length": "The next record does not begin where this record ends: bytes were changed, lost or inserted.",
    "truncated": "The input ends inside a record.",
    "garbage": "Bytes between records that do not belong to a record.",
    "bad-triplet": "A triplet of the record is not valid: its sections reach outside the record, overlap, or are too short.",
    "short-record": "The record is too short for its header and its first triplet.",
    "bad-header": "The SMF header of the record or its standard header (QWHS) is not valid.",
}
"""Closed list of damage codes, each with the sentence that explains it."""

SKIPPED: dict[str, str] = {
    "fill": "X'00' between records or after the last one.",
    "tail": "X'1A', line ends, blanks or text after the last record.",
    "prefix": "The same number of bytes before or after each record, which a transfer or a program added.",
    "escape": "Escape characters and record marks of an FTP transfer with STRU R.",
}
"""Closed list of reasons for which bytes are skipped, each with the sentence that explains it: they are no damage."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged span: `length` bytes of the decompressed input from `offset` on.

    `reason` is a code of `REASONS`, or of `SKIPPED` for bytes that are no damage. `is_record` means that a record was
    recognised and counts as one damaged record; garbage, padding and left-over bytes between records are damaged bytes
    and no record. `spans` equal spans (reason and length) that follow one another are one value, so that an input of
    damaged headers takes little memory.
    """

    offset: int
    length: int
    reason: str
    is_record: bool
    spans: int = 1

    def goes_on(self, other: Damage) -> bool:
        """Whether another one is the next span after this, and equal."""
        return (
            other.offset == self.offset + self.length
            and self.length == self.spans * other.length
            and (other.reason, other.is_record, other.spans) == (self.reason, self.is_record, 1)
        )

    def with_next(self, other: Damage) -> Damage:
        """This and the next one, if it `goes_on`."""
        return Damage(self.offset, self.length + other.length, self.reason, self.is_record, self.spans + 1)


@dataclass
class Count:
    """One side of the ledger (bytes, or records) by class; `input` must equal the sum of the rest."""

    input: int = 0
    decoded: int = 0
    other_types: int = 0
    internal: int = 0
    raw: int = 0
    damaged: int = 0
    duplicate: int = 0
    skipped: int = 0

    def add(self, other: Count) -> None:
        """Add another count, class by class."""
        self.input += other.input
        self.decoded += other.decoded
        self.other_types += other.other_types
        self.internal += other.internal
        self.raw += other.raw
        self.damaged += other.damaged
        self.duplicate += other.duplicate
        self.skipped += other.skipped

    @property
    def balanced(self) -> bool:
        """Whether the input equals the sum of its classes."""
        parts = self.decoded + self.other_types + self.internal + self.raw + self.damaged + self.duplicate
        return self.input == parts + self.skipped

    def as_dict(self) -> dict[str, int]:
        """The count as the ledger's JSON has it."""
        return {
            "input": self.input,
            "decoded": self.decoded,
            "other_types": self.other_types,
            "internal": self.internal,
            "raw": self.raw,
            "damaged": self.damaged,
            "duplicate": self.duplicate,
            "skipped": self.skipped,
        }


@dataclass
class Ledger:
    """Bytes and records of one or more inputs by class, the longer tails seen, and the damaged spans."""

    bytes: Count = field(default_factory=Count)
    records: Count = field(default_factory=Count)
    tail_sections: int = 0
    tail_bytes: int = 0
    damage: list[Damage] = field(default_factory=list)
    damaged_spans: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    """Bytes by the reason for which they were skipped."""
    decoded_duplicates: int = 0
    """Duplicates that were decoded: not those of internal and raw records."""

    def add_class(self, name: str, records: int, size: int) -> None:
        """Count `records` records with a total of `size` input bytes in a class (`decoded`, `other_types`, `internal`,
        `raw`, `damaged`).
        """
        for count, amount in ((self.records, records), (self.bytes, size)):
            setattr(count, name, getattr(count, name) + amount)
            count.input += amount

    def move_duplicates(self, name: str, records: int, size: int) -> None:
        """Move `records` records of together `size` input bytes from a class (`decoded`, `internal`, `raw`) to
        `duplicate`.
        """
        for count, amount in ((self.records, records), (self.bytes, size)):
            setattr(count, name, getattr(count, name) - amount)
            count.duplicate += amount
        self.decoded_duplicates += records if name == "decoded" else 0

    def add_damage(self, spans: Iterable[Damage], *, counted: bool = False) -> None:
        """Add damaged spans; with `counted` their bytes and records are in the sums already (a record found damaged
        after the walk).
        """
        for span in spans:
            if span.reason in SKIPPED:
                self.skip(span.reason, span.length)
                continue
            self.damaged_spans += span.spans
            if len(self.damage) < MAX_SPANS:
                self.damage.append(span)
            if not counted:
                self.add_class("damaged", span.spans * span.is_record, span.length)

    def skip(self, reason: str, size: int) -> None:
        """Count bytes that are skipped for a reason of `SKIPPED`."""
        if size:
            self.skipped[reason] = self.skipped.get(reason, 0) + size
            self.add_class("skipped", 0, size)

    def add_tails(self, sections: int, size: int) -> None:
        """Count sections that are longer than their layout, and the bytes of their tails."""
        self.tail_sections += sections
        self.tail_bytes += size

    def merge(self, other: Ledger) -> None:
        """Add the ledger of another part or source; spans are kept in the order of merging."""
        self.bytes.add(other.bytes)
        self.records.add(other.records)
        self.tail_sections += other.tail_sections
        self.tail_bytes += other.tail_bytes
        self.damaged_spans += other.damaged_spans
        for reason, size in other.skipped.items():
            self.skipped[reason] = self.skipped.get(reason, 0) + size
        self.decoded_duplicates += other.decoded_duplicates
        self.damage.extend(other.damage[: max(0, MAX_SPANS - len(self.damage))])

    @property
    def balanced(self) -> bool:
        """Whether bytes and records both balance."""
        return self.bytes.balanced and self.records.balanced

    @property
    def all_decoded(self) -> int:
        """Decoded records including duplicates."""
        return self.records.decoded + self.decoded_duplicates

    @property
    def mq_records(self) -> int:
        """MQ records that are not damaged, also those of subtypes that are unknown or that IBM does not document."""
        return self.records.decoded + self.records.duplicate + self.records.internal + self.records.raw

    @property
    def spans_left_out(self) -> int:
        """Damaged spans that are in the sums but not kept one by one."""
        return self.damaged_spans - sum(span.spans for span in self.damage)

    def as_dict(self) -> dict[str, Any]:
        """The ledger in the format of `mqstat ledger --format json`."""
        return {
            "bytes": self.bytes.as_dict(),
            "records": self.records.as_dict(),
            "sections_with_tails": {"count": self.tail_sections, "bytes": self.tail_bytes},
            "damage": [
                {"offset": span.offset, "length": span.length, "reason": span.reason, "spans": span.spans}
                for span in self.damage
            ],
        }
