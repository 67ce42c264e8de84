"""A dump without the names of a site: the same records at the same lengths, with pseudonyms in the fields that contain
names.

Every record is built from zeros: what is harmless is copied, names get pseudonyms, sequence numbers and clocks are
moved, and what no field describes remains zero (internal and unknown sections, tails, reserved fields, flags where they
are residual storage, damaged records, the contents of other SMF types). Works field by field over the records of a
chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mqstat.base.atomic_write import replaced
from mqstat.base.errors import UsageError
from mqstat.intake.pipeline import chunks_of
from mqstat.parsers import LAYOUTS
from mqstat.parsers.batch import section_order, structure_sections
from mqstat.parsers.columns import Bytes, Ints, gather
from mqstat.parsers.framing import Framing
from mqstat.parsers.kit import Flag, StckTime
from mqstat.parsers.ledger import SKIPPED
from mqstat.parsers.record import DAMAGED, DECODED, REASONS, Records, be, read
from mqstat.parsers.walk import Chunk
from mqstat.share import moves
from mqstat.share.pseudonyms import COPIED, Pseudonyms
from mqstat.sources.source import Source

CHUNK = 16 << 20
"""Bytes of input that are redacted at a time."""

SEGMENT = 32_756
"""Longest segment written; a longer record is written in several."""

_HEADER = 28
_FLAGS_END = 36  # of QWHS: after its sequence numbers and flags
_BAD_HEADER = (36).to_bytes(4, "big") + (4).to_bytes(2, "big") + (1).to_bytes(2, "big")
"""A first triplet whose header is zero: the record is damaged by `bad-header`."""


@dataclass
class Redacted:
    """What was written: records, their bytes, records of other SMF types and damaged ones among them, and damaged
    bytes, which became X'FF': zeros would be fill.
    """

    records: int = 0
    bytes: int = 0
    others: int = 0
    damaged_records: int = 0
    damaged_bytes: int = 0


def redact(sources: Iterator[Source], into: Path, names: Pseudonyms, framing: Framing | None = None) -> Redacted:
    """Write the records of the sources with pseudonyms into a file of variable-length records with RDWs.

    Raises UsageError if the file is one of the inputs or cannot be written, InputError if an input is not an SMF dump.
    """
    done = Redacted()
    with replaced(into, follow=True) as part, part.open("wb") as stream:
        for source in sources:
            if isinstance(source.path, Path) and into.exists() and into.samefile(source.path):
                raise UsageError(f"{into} is the dump itself; specify another file with --into.")
            number = 0
            for chunk in chunks_of(source, framing, CHUNK):
                records = read(chunk, number)
                _write(stream, chunk, redacted(records, names), done)
                number += len(chunk.base)
                done.others += len(chunk.base) - len(records)
                done.damaged_records += int(np.count_nonzero(records.outcome == DAMAGED))
    return done


def redacted(r: Records, names: Pseudonyms) -> Bytes:
    """A buffer like that of the chunk, with its redacted records at the same places and zeros elsewhere."""
    chunk = r.chunk
    out: Bytes = np.zeros(len(chunk.buffer), np.uint8)
    _other_types(chunk, out, names)
    _headers(r, out, names)
    codes = section_order(r)
    sections = []
    for name in LAYOUTS:
        rows, at, length, _ = structure_sections(r, name, codes)
        # In a record of an unknown subtype the place of the standard header is not checked: it must look like one.
        if name == "qwhs":
            like = np.isin(length, LAYOUTS[name].sizes) & (chunk.buffer[at + 2] == 1)
            chosen = (r.outcome[rows] == DECODED) | like
            rows, at, length = rows[chosen], at[chosen], length[chosen]
            numbered = length >= _FLAGS_END
            headers = rows[numbered], at[numbered]
        sections.append((name, at, length))
    # All copies before all names: where two sections of a damaged record overlap, the names replace what was copied.
    for section in sections:
        _by_width(_copy, *section, chunk, out, names)
    _move_numbers(r, *headers, out, names)
    for section in sections:
        _by_width(_rename, *section, chunk, out, names)
    return out


def _by_width(
    way: Callable[..., None], name: str, at: Ints, length: Ints, chunk: Chunk, out: Bytes, names: Pseudonyms
) -> None:
    """Write the sections of a structure, those of one width together."""
    widths = np.minimum(length, LAYOUTS[name].size)
    for width in np.unique(widths).tolist():
        chosen = at[widths == width]
        way(name, width, gather(chunk.buffer, chosen, width), chosen, out, names)


def _other_types(chunk: Chunk, out: Bytes, names: Pseudonyms) -> None:
    """The first bytes of all records: flags, type, time and date; of an extended record (type 126) also the real
    type.
    """
    long = chunk.length >= 14
    base = chunk.base[long]
    _scatter(out, base + 4, gather(chunk.buffer, base + 4, 10))
    if names.shift_us:
        _scatter(out, base + 6, moves.header_times(gather(chunk.buffer, base + 6, 8), names.shift_us))
    for base, length in zip(chunk.base[~long].tolist(), chunk.length[~long].tolist(), strict=True):
        kept = min(length, 6) if names.shift_us else length
        out[base + 4 : base + kept] = chunk.buffer[base + 4 : base + kept]
    first = gather(chunk.buffer, chunk.base, 6)
    extended = (first[:, 5] == 126) & (first[:, 4] & 0x60 == 0x60) & (chunk.length >= 56)
    _scatter(out, chunk.base[extended] + 52, gather(chunk.buffer, chunk.base[extended] + 52, 2))


def _headers(r: Records, out: Bytes, names: Pseudonyms) -> None:
    """System of all records; header and triplets of the MQ records."""
    long = r.chunk.length >= 18
    systems = gather(r.chunk.buffer, r.chunk.base[long] + 14, 4)
    _scatter(out, r.chunk.base[long] + 14, names.cells("system", systems))
    whole = r.length >= _HEADER
    base = r.base[whole]
    _scatter(out, base + 18, names.cells("system", gather(r.chunk.buffer, base + 18, 4)))
    _scatter(out, base + 22, gather(r.chunk.buffer, base + 22, 5))
    sound = r.qwhs_length > 0
    _scatter(out, r.base[sound] + 28, gather(r.chunk.buffer, r.base[sound] + 28, 8))
    # The length of a QWHC that is not decoded: a record proves itself by the lengths of its parts.
    after = (r.header_at + r.qwhs_length)[sound & (r.header_length >= r.qwhs_length + LAYOUTS["qwhc"].size)]
    lengths = gather(r.chunk.buffer, after, 2)
    is_qwhc = be(lengths, 0, 2) == LAYOUTS["qwhc"].size
    _scatter(out, after[is_qwhc], lengths[is_qwhc])
    t = r.triplet_record
    triplets = np.zeros((len(t), 8), np.uint8)
    triplets[:, :4] = _big_endian(r.triplet_at - r.base[t], 4)
    triplets[:, 4:6], triplets[:, 6:] = _big_endian(r.triplet_length, 2), _big_endian(r.triplet_count, 2)
    _scatter(out, r.base[t] + 28 + 8 * r.triplet_index, triplets)
    # A damaged record is not decoded: nothing of it is copied but its header, and it is damaged for the same reason
    # again.
    bad = r.base[(r.outcome == DAMAGED) & (r.reason == REASONS.index("bad-header"))]
    _scatter(out, bad + 28, np.tile(np.frombuffer(_BAD_HEADER, np.uint8), (len(bad), 1)))


@cache
def _copied(name: str, width: int) -> np.ndarray[Any, Any]:
    """The bits of a section of this width that are copied: those of numbers, clocks, flags and public texts that are in
    it as a whole.
    """
    out = np.zeros(width, np.uint8)
    fields = [field for field in LAYOUTS[name].named if not field.reserved]
    for copied in (True, False):
        for field in fields:
            if (field.sharing in COPIED) == copied:
                bits = field.type.pack(1) if isinstance(field.type, Flag) else b"\xff" * field.type.width
                for _, at in field.elements:
                    if at + field.type.width <= width:
                        mine = out[at : at + field.type.width]
                        mine[:] = mine | np.frombuffer(bits, np.uint8) if copied else 0
    return out


def _copy(name: str, width: int, cells: Bytes, at: Ints, out: Bytes, names: Pseudonyms) -> None:
    _scatter(out, at, cells & _copied(name, width))
    if not names.shift_us:
        return
    for field in LAYOUTS[name].named:
        if field.type is StckTime or field.sharing == "clock":
            for _, begin in field.elements:
                if begin + field.type.width <= width:
                    clocks = moves.store_clocks(cells[:, begin : begin + 8], names.shift_us)
                    _scatter(out, at + begin, clocks)


def _move_numbers(r: Records, rows: Ints, at: Ints, out: Bytes, names: Pseudonyms) -> None:
    """Move the sequence numbers of standard headers, and remove residual bytes; rows: their records."""
    if len(rows):
        _scatter(out, at, moves.headers(names, gather(out, at, _FLAGS_END), r.lpar[rows], r.qmgr[rows]))


def _rename(name: str, width: int, cells: Bytes, at: Ints, out: Bytes, names: Pseudonyms) -> None:
    for field in LAYOUTS[name].named:
        if field.sharing in COPIED or field.reserved:
            continue
        for _, begin in field.elements:
            # Of a field that the section does not hold whole nothing is decoded, and nothing of it is written.
            if begin + field.type.width <= width:
                mine = np.ascontiguousarray(cells[:, begin : begin + field.type.width])
                _scatter(out, at + begin, names.cells(field.sharing, mine))


def _big_endian(values: Ints, width: int) -> Bytes:
    return values.astype(">i8").view(np.uint8).reshape(-1, 8)[:, 8 - width :]


def _scatter(out: Bytes, at: Ints, cells: Bytes) -> None:
    """Write each row of `cells` at its place."""
    rows, width = cells.shape
    if rows and width:
        windows: np.ndarray[Any, Any] = np.ndarray((len(out) - width + 1,), f"V{width}", out, 0, (1,))
        windows[at] = np.ascontiguousarray(cells).view(f"V{width}").ravel()


def _write(stream: BinaryIO, chunk: Chunk, out: Bytes, done: Redacted) -> None:
    """Write the records and damaged spans of a chunk in the order of the input."""
    plain = chunk.length <= SEGMENT
    descriptors = np.zeros((int(plain.sum()), 4), np.uint8)
    descriptors[:, :2] = _big_endian(chunk.length[plain], 2)
    _scatter(out, chunk.base[plain], descriptors)
    view = memoryview(out)  # type: ignore[arg-type]
    bounds = np.searchsorted(chunk.offset, [span.offset for span in chunk.damage]).tolist()
    position = 0
    for bound, span in zip([*bounds, len(chunk.base)], [*chunk.damage, None], strict=True):
        rows = slice(position, bound)
        stream.write(
            b"".join(
                view[at : at + length] if length <= SEGMENT else _segments(view[at + 4 : at + length])
                for at, length in zip(chunk.base[rows].tolist(), chunk.length[rows].tolist(), strict=True)
            )
        )
        position = bound
        if span is not None:
            head = b""
            if span.reason == "truncated" and bound and 44 <= span.length < SEGMENT:
                # The end of the dump remains inside a record: with the header of the record before it, and longer than
                # what is left.
                at = int(chunk.base[bound - 1])
                head = (
                    SEGMENT.to_bytes(2, "big")
                    + bytes(2)
                    + bytes(view[at + 4 : at + min(44, int(chunk.length[bound - 1]))])
                )
            stream.write(head)
            _repeat(stream.write, b"\0" if span.reason in SKIPPED else b"\xff", span.length - len(head))
            done.damaged_bytes += span.length
    done.records += len(chunk.base)
    done.bytes += int(chunk.length.sum())


def _segments(content: memoryview) -> bytes:
    """A long record as spanned segments."""
    starts = range(0, len(content), SEGMENT - 4)
    out = []
    for at in starts:
        piece = content[at : at + SEGMENT - 4]
        code = 1 if at == 0 else 2 if at == starts[-1] else 3
        out += [(len(piece) + 4).to_bytes(2, "big") + bytes([code, 0]), bytes(piece)]
    return b"".join(out)


def _repeat(write: Callable[[bytes], Any], byte: bytes, count: int) -> None:
    block = byte * (1 << 16)
    for at in range(0, count, len(block)):
        write(block[: count - at])
