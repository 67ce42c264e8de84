"""A record as annotated hexadecimal: the offset, field and value of every byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mqstat.base.errors import InputError, MqstatError, UsageError
from mqstat.base.formatting import clean, plural
from mqstat.base.inputs import about
from mqstat.base.object_store import StoredFile
from mqstat.intake.by_field import FIRST_TRIPLET, Section, record_hash, sections_of
from mqstat.intake.part import PartResult
from mqstat.parsers import LAYOUTS
from mqstat.parsers.batch import name_of, version_of
from mqstat.parsers.constructs import is_valid, raw_value
from mqstat.parsers.framing import Framing
from mqstat.parsers.kit import Field, Layout, Unused
from mqstat.parsers.meaning import meaning
from mqstat.parsers.record import OUTCOMES, REASONS, Records
from mqstat.sources.source import find_sources

if TYPE_CHECKING:
    from mqstat.dataset.place import Home

HEADER = (
    ("descriptor", 0, 4, "Record descriptor word (length and segment code of the first segment)"),
    ("flags", 4, 1, "System indicator flags"),
    ("smf_type", 5, 1, "SMF record type"),
    ("time", 6, 4, "Local time, hundredths of a second since midnight"),
    ("date", 10, 4, "Local date, packed 0cyydddF"),
    ("lpar", 14, 4, "System identifier"),
    ("qmgr", 18, 4, "Subsystem identifier"),
    ("subtype", 22, 2, "Record subtype"),
    ("release", 24, 3, "Internal release"),
    ("reserved", 27, 1, "Reserved"),
)


class Line(NamedTuple):
    """A field as annotated hexadecimal: offset in the record, bytes, name, value, and what it is."""

    at: int
    content: bytes
    name: str
    value: str
    doc: str


def trace(
    dump: str,
    number: int,
    structure: str | None = None,
    section: int | None = None,
    dataset: Home | None = None,
    framing: Framing | None = None,
    counted: PartResult | None = None,
    *,
    is_offset: bool = False,
) -> str:
    """Annotated hexadecimal of one record of a dump. `counted` receives the ledger of the whole dump.

    number: record number in the dump, or the record_id in `dataset` if given; with `is_offset` the offset of a record
    in bytes, after decompression. A record of a dataset is found in the dump by its hash: the name and the compression
    of the dump do not matter, its content does. Raises UsageError if there is no such record or structure, InputError
    if the dump does not have the record of the dataset.
    """
    if structure is not None and structure.lower() not in LAYOUTS:
        raise UsageError(f"--structure {structure}: choose one of {', '.join(LAYOUTS)}.")
    if section is not None and structure is None:
        raise UsageError("--section numbers the sections of a structure: add --structure NAME.")
    sources = list(find_sources([dump]))
    if len(sources) != 1:
        raise UsageError(f"{dump} holds {len(sources)} inputs; give one.")
    if is_offset and dataset is not None:
        raise UsageError("--from takes a record_id; an offset needs no dataset.")
    from mqstat.intake.raw import read_all

    wanted = _Wanted(number, is_offset, None if dataset is None else _in_dataset(dataset, number))
    text = None
    for r, first in read_all(sources[0], framing, counted):
        here = wanted.row(r, first)
        if here is not None and text is None:
            text = _render(r, here, first + here, structure.lower() if structure else None, section)
            if counted is None:
                break
    if text is None:
        raise wanted.missing(sources[0].name, sources[0].word)
    return text


class _Kept(NamedTuple):
    """A record of a dataset: its hash and length, and where it was: input and number there."""

    hash: bytes
    length: int
    source: str
    number: int


class _Wanted:
    """The record to show: by its number, its offset, or the hash that a dataset has of it."""

    def __init__(self, number: int, is_offset: bool, kept: _Kept | None) -> None:
        self.number, self.is_offset, self.kept = number, is_offset, kept
        self.nearest = -1
        self.instead: bytes | None = None
        """The hash of the record that the dump has in place of that of the dataset."""

    def row(self, r: Records, first: int) -> int | None:
        """The record in a chunk whose first record has the number `first`; None if it is not there."""
        chunk = r.chunk
        if self.kept is not None:
            return self._with_hash(r, first, self.kept)
        here = self.number - first
        if self.is_offset and len(chunk.offset):
            here = int(np.abs(chunk.offset - self.number).argmin())
            at = int(chunk.offset[here])
            self.nearest = (
                at if self.nearest < 0 or abs(at - self.number) < abs(self.nearest - self.number) else self.nearest
            )
            here = here if at == self.number else -1
        return here if 0 <= here < len(chunk.base) else None

    def _with_hash(self, r: Records, first: int, kept: _Kept) -> int | None:
        chunk = r.chunk
        for row in np.flatnonzero(
            (chunk.length == kept.length) | (np.arange(len(chunk.base)) == kept.number - first)
        ).tolist():
            digest = record_hash(
                chunk.buffer[int(chunk.base[row]) : int(chunk.base[row] + chunk.length[row])].tobytes()
            )
            if digest == kept.hash:
                return row
            if row == kept.number - first:
                self.instead = digest
        return None

    def missing(self, name: str, word: str) -> MqstatError:
        """Why the record is not shown."""
        if self.kept is not None:
            there = (
                f"record {self.kept.number:,} of {name} has the hash {self.instead.hex()}"
                if self.instead
                else f"{name} has no record {self.kept.number:,}"
            )
            return InputError(
                f"{name}: no record has the hash {self.kept.hash.hex()} of record {self.number} of the dataset, which was record "
                f"{self.kept.number:,} of {self.kept.source}; {there}. The dump is another one, or was changed."
            )
        if self.is_offset:
            nearest = f"; the nearest record is at {self.nearest}" if self.nearest >= 0 else ""
            return UsageError(f"{name}: no record begins at offset {self.number}{nearest}.")
        return UsageError(f"{name}: there is no record {self.number}; {about('ledger', word)} counts them.")


def _in_dataset(folder: Home, record_id: int) -> _Kept:
    """The row of table `record` of a record, in any of the files that the manifest names; UsageError if there is
    none.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from mqstat.dataset.store import open_dataset

    dataset = open_dataset(folder)
    names = ["record_hash", "record_bytes", "source_id", "record_number"]
    rows: list[dict[str, Any]] = []
    for file in dataset.files.get("record", ()):
        source = file.open_ranges() if isinstance(file, StoredFile) else file
        own = pq.read_table(source, columns=names, filters=pc.field("record_id") == record_id, partitioning=None)
        rows += own.to_pylist()
    if not rows:
        raise UsageError(f"{folder}: there is no record {record_id} in this dataset.")
    row = rows[0]
    name = next(
        (each.name for each in dataset.manifest.sources if each.source_id == row["source_id"]), "an input that left"
    )
    return _Kept(row["record_hash"], row["record_bytes"], clean(name), row["record_number"])


def _render(r: Records, here: int, number: int, structure: str | None, section: int | None) -> str:
    chunk = r.chunk
    base, length = int(chunk.base[here]), int(chunk.length[here])
    content = chunk.buffer[base : base + length].tobytes()
    rows = np.flatnonzero(r.row == here)
    segments = plural(int(chunk.segments[here]), "segment")
    lines = [f"record {number} at offset {int(chunk.offset[here])}, {plural(length, 'byte')}, {segments}"]
    if not len(rows):
        lines += [f"SMF type {content[5]}: not an MQ record.", *_hexdump(content, 0)]
        return "\n".join(lines) + "\n"
    i = int(rows[0])
    smf_type, subtype = int(r.smf_type[i]), int(r.subtype[i])
    reason = int(r.reason[i])
    state = OUTCOMES[int(r.outcome[i])] + (f": {REASONS[reason]}" if reason >= 0 else "")
    lines.append(
        f"SMF {smf_type}.{subtype}  system {clean(name_of(int(r.lpar[i])) or '')}  queue manager {clean(name_of(int(r.qmgr[i])) or '')}  "
        f"MQ {version_of(int(r.level[i])) or 'unknown'}  {state}"
    )
    if structure is None:
        lines += ["", "SMF header", *map(text_of, header_lines(content))]
    if OUTCOMES[int(r.outcome[i])] in ("raw", "damaged"):
        lines += ["", "Bytes from offset 28", *_hexdump(content[28:], 28)]
        return "\n".join(lines) + "\n"
    printed = False
    for each in sections_of(content):
        if (structure is None or each.structure == structure) and (section is None or each.index == section):
            printed = True
            lines += ["", *_section(each, content, int(r.level[i]))]
    if not printed and structure is not None:
        raise UsageError(f"Record {number} has no such section of {structure}.")
    return "\n".join(lines) + "\n"


def header_lines(content: bytes) -> Iterator[Line]:
    """The fields of the SMF header."""
    for name, at, width, doc in HEADER:
        if at + width <= len(content):
            part = content[at : at + width]
            yield Line(at, part, name, _header_value(name, part), doc)


def triplet_line(content: bytes, section: Section) -> Line:
    """The triplet (offset, length, number of sections) that leads to a section."""
    part = content[section.triplet_at : section.triplet_at + 8]
    at, length, count = (int.from_bytes(part[a:b], "big") for a, b in ((0, 4), (4, 6), (6, 8)))
    index = (section.triplet_at - FIRST_TRIPLET) // 8
    return Line(section.triplet_at, part, f"triplet {index}", f"{at}, {length}, {count}", "Offset in the record, length of a section, number of sections")  # fmt: skip


def _section(section: Section, record: bytes, level: int) -> list[str]:
    """One section as lines, one for each field in byte order; `level` is the MQ level as VVRRMM."""
    content, offset, name = record[section.at : section.at + section.length], section.at, section.structure
    if name is None:
        return [
            f"unknown or internal section {section.index} at {offset}, {len(content)} bytes",
            *_hexdump(content, offset),
        ]
    layout = LAYOUTS[name]
    lines = [f"{name} section {section.index} at {offset}, {len(content)} bytes: {layout.title}"]
    for field, header, at in _field_offsets(layout):
        width = field.type.width
        if at + width <= len(content):
            part = content[at : at + width]
            doc = field.name if not field.child else f"{field.child}.{field.name}"
            lines.append(text_of(Line(offset + at, part, header, value_text(layout, field, part, content, level), doc)))
    if len(content) > layout.size:
        lines += [
            f"tail of {len(content) - layout.size} bytes",
            *_hexdump(content[layout.size :], offset + layout.size),
        ]
    return lines


def _field_offsets(layout: Layout) -> list[tuple[Field, str, int]]:
    """Every element of every field in byte order, with IBM's name."""
    offsets = [
        (field, (field.mnemonic or "reserved") + "".join(f"[{i}]" for i in index), at)
        for field in layout.fields
        for index, at in field.elements
    ]
    return sorted(offsets, key=lambda entry: entry[2])


def value_text(layout: Layout, field: Field, content: bytes, section: bytes, level: int) -> str:
    """The value of one element as in the decoded tables, with the raw value and, if it is null there, the reason."""
    if isinstance(field, Unused):
        return ""
    raw = raw_value(field.type, content)
    if not is_valid(layout, field, section):
        return f"{raw} (no value: {field.valid_when} is off)"
    value, remark = meaning(field, raw, level)
    if field.codes is not None:
        return f"{raw} {value or f'({remark})'}"
    unit = f" {field.unit}" if field.unit in ("us", "bytes", "kib", "mib", "ms") else ""
    if value is None:
        return f"{raw} ({remark})" if raw != "" else ""
    return clean(str(value)) + unit + (f" ({remark} by 32 bits as recorded)" if remark else "")


def _header_value(name: str, content: bytes) -> str:
    if name in ("lpar", "qmgr", "release"):
        return clean(content.decode("cp037").rstrip(" \0"))
    if name in ("date", "flags", "descriptor", "reserved"):
        return ""
    return str(int.from_bytes(content, "big"))


def text_of(line: Line) -> str:
    """A line as text; long bytes are cut."""
    digits = line.content.hex().upper()
    shown = digits if len(digits) <= 32 else digits[:29] + "..."
    return f"{line.at:7}  {shown:32}  {line.name:34}  {line.value:28}  {line.doc}".rstrip()


def _hexdump(content: bytes, offset: int) -> list[str]:
    lines = []
    for start in range(0, len(content), 32):
        part = content[start : start + 32]
        text = "".join(c if c.isprintable() else "." for c in part.decode("cp037"))
        lines.append(
            f"{offset + start:7}  {' '.join(part[k : k + 4].hex().upper() for k in range(0, len(part), 4)):71}  {text}"
        )
    return lines
