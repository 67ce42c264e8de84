"""Records and their fields one by one, for proofs: triplets read from the bytes, values by construct's reference
decoder instead of the vectorised one.

A row of a decoded table takes system, queue manager, level and times from table `record`; the length of an interval is
read from the standard header of the record, if it has one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import xxhash

from mqstat.intake.raw import read_all
from mqstat.parsers import LAYOUTS
from mqstat.parsers.constructs import is_valid, parse, raw_value
from mqstat.parsers.framing import Framing
from mqstat.parsers.kit import Child, Field, Layout
from mqstat.parsers.meaning import typed_columns
from mqstat.parsers.record import INTERVAL_SUBTYPES, ROUTES, STUBS
from mqstat.parsers.tables import LINEAGE
from mqstat.sources.source import Source

LINEAGE_COLUMNS = tuple(column.name for column in LINEAGE)
FIRST_TRIPLET = 28
"""Offset of the first triplet, that of the standard header."""


@dataclass(frozen=True)
class Section:
    """A section of a record: structure (None = unknown), the offset of its triplet , its index there, offset in the
    record, length.
    """

    structure: str | None
    triplet_at: int
    index: int
    at: int
    length: int


def _number(content: bytes, at: int, width: int) -> int:
    return int.from_bytes(content[at : at + width], "big")


def sections_of(content: bytes) -> Iterator[Section]:
    """The sections of a sound record, those of the header area first; `content` includes the record descriptor word."""
    smf_type, subtype = content[5], _number(content, 22, 2)
    header, width = _number(content, FIRST_TRIPLET, 4), _number(content, FIRST_TRIPLET + 4, 2)
    is_stub = smf_type == 115 and subtype in STUBS
    own = 4 if is_stub else min(_number(content, header, 2), width)
    yield Section("qwhs", FIRST_TRIPLET, 0, header, own)
    qwhc, qwhx = LAYOUTS["qwhc"].size, LAYOUTS["qwhx"].size
    if (smf_type, subtype) == (116, 0) and width > own:
        yield Section("qwhc", FIRST_TRIPLET, 0, header + own, min(qwhc, width - own))
    known = own + (qwhc if smf_type == 116 and subtype <= 2 else 0)
    if width == known + qwhx and content[header + known :][:4] == b"\x00\x10\x10\x00":
        yield Section("qwhx", FIRST_TRIPLET, 0, header + known, qwhx)
    for triplet in range(1, 2 if is_stub else content[header + 6]):
        triplet_at = FIRST_TRIPLET + 8 * triplet
        at, length, count = (
            _number(content, triplet_at, 4),
            _number(content, triplet_at + 4, 2),
            _number(content, triplet_at + 6, 2),
        )
        for index in range(count if length else 0):
            yield Section(
                ROUTES.get((smf_type, subtype), {}).get(triplet), triplet_at, index, at + index * length, length
            )


def record_hash(content: bytes) -> bytes:
    """The hash of a joined record, as table `record` has it: without the descriptor word, which depends on how the file
    was transferred.
    """
    return xxhash.xxh3_128_digest(content[4:])


@dataclass(frozen=True)
class Found:
    """A record in a dump: name of the input, number and offset there, and its bytes with the descriptor word."""

    source: str
    number: int
    offset: int
    content: bytes


def find_records(
    sources: Iterable[Source], wanted: Mapping[bytes, int], framing: Framing | None = None
) -> dict[bytes, Found]:
    """The records with these hashes (hash -> length in bytes), wherever they are in the dumps: names, compression and
    framing do not matter.
    """
    lengths, by_hash = set(wanted.values()), dict[bytes, Found]()
    for source in sources:
        for r, first in read_all(source, framing):
            chunk = r.chunk
            for row in r.row.tolist():
                base, length = int(chunk.base[row]), int(chunk.length[row])
                if length in lengths:
                    content = chunk.buffer[base : base + length].tobytes()
                    digest = record_hash(content)
                    if digest in wanted:
                        by_hash.setdefault(digest, Found(source.name, first + row, int(chunk.offset[row]), content))
            if len(by_hash) == len(wanted):
                return by_hash
    return by_hash


@dataclass(frozen=True)
class Place:
    """Where a value is: the section, and the field with IBM's name, its offset in the record, its bytes and its raw
    value.
    """

    section: Section
    field: Field
    mnemonic: str
    at: int
    content: bytes
    raw: Any


@dataclass(eq=False)
class RawRecord:
    """A record with its bytes and its row of table `record`."""

    row: Mapping[str, Any]
    copy: Found
    level: int

    @property
    def content(self) -> bytes:
        """The bytes, with the descriptor word."""
        return self.copy.content

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """All sections."""
        return tuple(sections_of(self.content))

    @cached_property
    def duration(self) -> tuple[int, Section] | None:
        """The length of the interval in microseconds by the standard header if it has one, else None."""
        kind, header = (self.content[5], _number(self.content, 22, 2)), self.sections[0]
        slow = kind in ((115, 231), (116, 10))
        if not (slow or (kind[0] == 115 and kind[1] in INTERVAL_SUBTYPES)) or self.row["interval_us"] is None:
            return None
        raw = parse(LAYOUTS["qwhs"], self.content[header.at : header.at + header.length])["record_duration"]
        return None if raw is None else (raw >> 12 if slow else raw, header)


@dataclass(eq=False)
class SectionRow:
    """A row of a decoded table: a section, or an element of an array in it whose entries are rows of a child table."""

    record: RawRecord
    section: Section
    layout: Layout
    child: Child | None = None
    part: str = ""
    element: int = 0
    _known: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def content(self) -> bytes:
        """The bytes of the section."""
        return self.record.content[self.section.at : self.section.at + self.section.length]

    def is_field(self, column: str) -> bool:
        """Whether the column is read from a field of the record."""
        if column == "interval_us":
            return self.record.duration is not None
        return column in _columns(self.layout, self.child.name if self.child else "")

    def get(self, column: str) -> Any:
        """The value of a column, as the decoded table has it."""
        if column not in self._known:
            self._known[column] = self._value(column)
        return self._known[column]

    def _value(self, column: str) -> Any:
        if column == "section":
            return self.section.index
        if column == "section_length":
            return self.section.length
        if column == "interval_us" and self.record.duration:
            return self.record.duration[0]
        if column in LINEAGE_COLUMNS:
            return self.record.row[column]
        if column == "date":
            time = self.record.row["interval_start_local"] or self.record.row["written_local"]
            return time.date() if time else None
        if self.child is not None and column not in _columns(self.layout, self.child.name):
            return self._key(column)
        known = _columns(self.layout, self.child.name if self.child else "").get(column)
        if known is None:
            return self._has(column)
        named, name = known
        at, width = self._at(named, column), named.type.width
        raw = raw_value(named.type, self.content[at : at + width]) if at + width <= len(self.content) else None
        raw = raw if is_valid(self.layout, named, self.content) else None
        return typed_columns(named, name, raw, self.record.level)[column]

    def _at(self, named: Field, column: str) -> int:
        """The offset of a field in the section."""
        if self.child is not None:
            of_part = next(each for each in self.layout.fields if each.child == self.child.name and each.part == self.part and each.name == named.name)  # fmt: skip
            return of_part.elements[self.element][1]
        names = named.columns or (named.name,)
        stem = _columns(self.layout, "")[column][1]
        return named.elements[names.index(stem)][1]

    def _key(self, column: str) -> Any:
        child = self.child
        if child is None or column == child.part:
            return self.part
        index = next(each for each in self.layout.fields if each.child == child.name).elements[self.element][0]
        keys = {key.name: number + 1 for key, number in zip(child.keys, index, strict=True)}
        names = {
            f"{key.name}_name": key.words[number] for key, number in zip(child.keys, index, strict=True) if key.words
        }
        return {**keys, **names}[column]

    def _has(self, column: str) -> bool:
        child = next(each for each in self.layout.children if each.has == column)
        fields = (each for each in self.layout.fields if each.child == child.name)
        return any(each.elements[0][1] + each.type.width <= len(self.content) for each in fields)

    def locate(self, column: str) -> Place:
        """Where the value of a column is in the record."""
        if column == "interval_us" and self.record.duration:
            section, named = self.record.duration[1], LAYOUTS["qwhs"].members["record_duration"][1]
            at = named.at
        else:
            section, (named, _) = self.section, _columns(self.layout, self.child.name if self.child else "")[column]
            at = self._at(named, column)
        index = next((index for index, offset in named.elements if offset == at), ()) if named.dims else ()
        start = section.at + at
        content = self.record.content[start : min(start + named.type.width, section.at + section.length)]
        mnemonic = (named.mnemonic or named.name) + "".join(f"[{i}]" for i in index)
        whole = len(content) == named.type.width
        return Place(section, named, mnemonic, start, content, raw_value(named.type, content) if whole else None)


@cache
def _columns(layout: Layout, child: str) -> dict[str, tuple[Field, str]]:
    """For each column of a table the field that it is read from, and the name under which the field is decoded."""
    made: dict[str, tuple[Field, str]] = {}
    for named in layout.named:
        if named.child == child:
            for name in named.columns or (named.name,):
                for column in typed_columns(named, name, None, 0):
                    made.setdefault(column, (named, name))
    return made


def rows_of(records: Iterable[RawRecord], table: str) -> Iterator[SectionRow]:
    """The rows of a decoded table in these records."""
    layout = next(
        each for each in LAYOUTS.values() if table == each.name or table in {child.name for child in each.children}
    )
    child = next((each for each in layout.children if each.name == table), None)
    for record in records:
        for section in record.sections:
            if section.structure != layout.name:
                continue
            row = SectionRow(record, section, layout)
            if child is None:
                yield row
            else:
                yield from _elements(row, child)


def _elements(row: SectionRow, child: Child) -> Iterator[SectionRow]:
    """The entries of the arrays of a child table that are not all zero."""
    fields = [each for each in row.layout.fields if each.child == child.name]
    for part in dict.fromkeys(each.part for each in fields):
        group = [each for each in fields if each.part == part]
        for number in range(len(group[0].elements)):
            spans = ((each.elements[number][1], each.type.width) for each in group)
            if any(any(row.content[at : at + width]) for at, width in spans if at + width <= len(row.content)):
                yield SectionRow(row.record, row.section, row.layout, child, part, number)


def structures() -> Collection[str]:
    """The decoded tables whose rows are sections or elements of them."""
    return _structures()


@cache
def _structures() -> frozenset[str]:
    return frozenset(
        name for layout in LAYOUTS.values() for name in (layout.name, *(child.name for child in layout.children))
    )
