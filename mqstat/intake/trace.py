"""A record as annotated hexadecimal: the offset, field and value of every byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mqstat.base.errors import InputError, UsageError
from mqstat.base.formatting import clean, pasted
from mqstat.intake.part import PartResult
from mqstat.parsers import LAYOUTS, interval
from mqstat.parsers.batch import header_parts, name_of, version_of
from mqstat.parsers.constructs import is_valid, raw_value
from mqstat.parsers.framing import Framing
from mqstat.parsers.kit import Field, Layout, Unused
from mqstat.parsers.meaning import meaning
from mqstat.parsers.record import OUTCOMES, REASONS, ROUTES, Records
from mqstat.sources.source import find_sources

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


def trace(
    dump: str,
    number: int,
    structure: str | None = None,
    section: int | None = None,
    dataset: Path | None = None,
    framing: Framing | None = None,
    counted: PartResult | None = None,
    *,
    is_offset: bool = False,
) -> str:
    """Annotated hexadecimal of one record of a dump. `counted` receives the ledger of the whole dump.

    number: record number in the dump, or the record_id in `dataset` if given; with `is_offset` the offset of a record in bytes, after decompression.
    Raises UsageError if there is no such record or structure.
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
    wanted = number if dataset is None else _in_dataset(dataset, number, sources[0].name)
    from mqstat.intake.raw import read_all

    text, near = None, -1
    for r, first in read_all(sources[0], framing, counted):
        here = wanted - first
        if is_offset and len(r.chunk.offset):
            here = int(np.abs(r.chunk.offset - wanted).argmin())
            at = int(r.chunk.offset[here])
            near = at if near < 0 or abs(at - wanted) < abs(near - wanted) else near
            here = here if at == wanted else -1
        if 0 <= here < len(r.chunk.base):
            text = _render(r, here, first + here, structure.lower() if structure else None, section)
            if counted is None:
                break
    if text is not None:
        return text
    if is_offset:
        nearest = f"; the nearest record is at {near}" if near >= 0 else ""
        raise UsageError(f"{sources[0].name}: no record begins at offset {wanted}{nearest}.")
    raise UsageError(
        f"{sources[0].name}: there is no record {wanted}; mqstat ledger {pasted(sources[0].name)} counts them."
    )


def _in_dataset(folder: Path, record_id: int, name: str) -> int:
    from mqstat.dataset.store import open_dataset

    for source in open_dataset(folder).manifest.sources:
        if source.first_record_id <= record_id < source.first_record_id + source.records:
            if source.name != name:
                raise InputError(f"{name}: record {record_id} of the dataset comes from {source.name}; give that dump.")
            return record_id - source.first_record_id
    raise UsageError(f"{folder}: there is no record {record_id} in this dataset.")


def _render(r: Records, here: int, number: int, structure: str | None, section: int | None) -> str:
    chunk = r.chunk
    base, length = int(chunk.base[here]), int(chunk.length[here])
    content = chunk.buffer[base : base + length].tobytes()
    rows = np.flatnonzero(r.row == here)
    lines = [
        f"record {number} at offset {int(chunk.offset[here])}, {length} bytes, {int(chunk.segments[here])} segments"
    ]
    if not len(rows):
        lines += [f"SMF type {content[5]}: not an MQ record.", *_hexdump(content, 0)]
        return "\n".join(lines) + "\n"
    interval.own_intervals(r)
    i = int(rows[0])
    smf_type, subtype = int(r.smf_type[i]), int(r.subtype[i])
    reason = int(r.reason[i])
    state = OUTCOMES[int(r.outcome[i])] + (f": {REASONS[reason]}" if reason >= 0 else "")
    lines.append(
        f"SMF {smf_type}.{subtype}  system {clean(name_of(int(r.lpar[i])) or '')}  queue manager {clean(name_of(int(r.qmgr[i])) or '')}  "
        f"MQ {version_of(int(r.level[i])) or 'unknown'}  {state}"
    )
    if structure is None:
        lines += ["", "SMF header"]
        for name, at, width, doc in HEADER:
            if at + width <= length:
                lines.append(
                    _line(at, content[at : at + width], name, _header_value(name, content[at : at + width]), doc)
                )
    if OUTCOMES[int(r.outcome[i])] in ("raw", "damaged"):
        lines += ["", "Bytes from offset 28", *_hexdump(content[28:], 28)]
        return "\n".join(lines) + "\n"
    printed = False
    for layout_name, index, at, width in _sections(r, i, smf_type, subtype):
        if (structure is None or layout_name == structure) and (section is None or index == section):
            printed = True
            lines += [
                "",
                *_section(layout_name, index, at - base, content[at - base : at - base + width], int(r.level[i])),
            ]
    if not printed and structure is not None:
        raise UsageError(f"Record {number} has no such section of {structure}.")
    return "\n".join(lines) + "\n"


def _sections(r: Records, i: int, smf_type: int, subtype: int) -> list[tuple[str | None, int, int, int]]:
    """(structure or None, index, offset in the buffer, length) of every section of one record, header parts first."""
    out: list[tuple[str | None, int, int, int]] = []
    for name in ("qwhs", "qwhc", "qwhx"):
        record, at, length = header_parts(r, name)
        out += [(name, 0, int(at[k]), int(length[k])) for k in np.flatnonzero(record == i)]
    for t in np.flatnonzero(r.triplet_record == i).tolist():
        name_at = ROUTES.get((smf_type, subtype), {}).get(int(r.triplet_index[t]))
        width = int(r.triplet_length[t])
        out += [(name_at, k, int(r.triplet_at[t]) + k * width, width) for k in range(int(r.triplet_count[t]))]
    return out


def _section(name: str | None, index: int, offset: int, content: bytes, level: int) -> list[str]:
    """One section of structure `name` (None = unknown) as lines, one for each field in byte order; `level` is the MQ level as VVRRMM."""
    if name is None:
        return [f"unknown or internal section {index} at {offset}, {len(content)} bytes", *_hexdump(content, offset)]
    layout = LAYOUTS[name]
    lines = [f"{name} section {index} at {offset}, {len(content)} bytes: {layout.title}"]
    for field, header, at in _field_offsets(layout):
        width = field.type.width
        if at + width <= len(content):
            part = content[at : at + width]
            lines.append(
                _line(
                    offset + at,
                    part,
                    header,
                    value_text(layout, field, part, content, level),
                    field.name if not field.child else f"{field.child}.{field.name}",
                )
            )
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


def _line(at: int, content: bytes, name: str, value: str, doc: str) -> str:
    digits = content.hex().upper()
    shown = digits if len(digits) <= 32 else digits[:29] + "..."
    return f"{at:7}  {shown:32}  {name:34}  {value:28}  {doc}".rstrip()


def _hexdump(content: bytes, offset: int) -> list[str]:
    lines = []
    for start in range(0, len(content), 32):
        part = content[start : start + 32]
        text = "".join(c if c.isprintable() else "." for c in part.decode("cp037"))
        lines.append(
            f"{offset + start:7}  {' '.join(part[k : k + 4].hex().upper() for k in range(0, len(part), 4)):71}  {text}"
        )
    return lines
