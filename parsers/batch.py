"""One chunk of records -> Arrow tables of every structure, with lineage.

The lineage of a row is that of its record, repeated; text is dictionary-encoded over the distinct names of the chunk.
Bytes that no structure describes go to table raw_bytes: unknown subtypes, unknown and internal sections, and tails
after the known length of a section.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from mqstat.parsers import LAYOUTS
from mqstat.parsers.columns import Ints, constant_text, gather, masked, words, zero_int64
from mqstat.parsers.decoder import decode, span
from mqstat.parsers.kit import Layout
from mqstat.parsers.record import DECODED, INTERNAL_SECTIONS, NONE, OUTCOMES, RAW, REASONS, ROUTES, Records, clock_us
from mqstat.parsers.tables import HASH, LINEAGE, STAMP, table_schemas

Wanted = Mapping[str, Collection[str]]
"""Table name -> columns that are needed; a table that is not named is not decoded."""

LostKey = tuple[str, str, str]
"""Structure, column and reason of a value that became null: one of LOST_REASONS."""

TOO_BIG, IMPOSSIBLE = "too big", "impossible time"
LOST_REASONS = (TOO_BIG, IMPOSSIBLE)
"""A 64-bit number that is not believed (`kit.BELIEVED`); a time or length that contradicts the time at which its record
was written."""

DAY = 86_400_000_000

RAW_REASONS = ("tail", "internal-section", "unknown-section", "unknown-subtype")
"""Why bytes are in table raw_bytes."""

_ROUTED = sorted(((t << 32) | (s << 8) | i, name) for (t, s), by in ROUTES.items() for i, name in by.items())
_LONGEST = np.array([LAYOUTS[name].size for _, name in _ROUTED])
_INTERNAL_KEYS = np.array([(t << 32) | (s << 8) | i for t, s, i in INTERNAL_SECTIONS], np.int64)

MASK = 0xFFFFFFFF

_ROW_BYTES = 64
"""A record whose unknown sections would give more than four rows, and more than one for so many bytes, is one row of
table raw_bytes."""

_TINY = 16
"""Three and more sections of an unknown structure that are shorter than this are kept as one row of table raw_bytes."""


@dataclass
class Batch:
    """What one chunk became: Arrow tables by name, each with the local day of every row, and the values that became
    null, counted.
    """

    tables: dict[str, tuple[pa.Table, Ints]] = field(default_factory=dict)
    lost: dict[LostKey, int] = field(default_factory=dict)


def name_of(raw: int) -> str | None:
    """Four EBCDIC bytes, given as a number, as text without blanks at the end; None when empty."""
    return raw.to_bytes(4, "big").decode("cp037").rstrip(" \0") or None


def version_of(level: int) -> str | None:
    """VVRRMM as 'V.R.M'; None when unknown."""
    return f"{level // 10_000}.{level // 100 % 100}.{level % 100}" if level else None


@cache
def structure_of(smf_type: int, subtype: int, triplet: int) -> str | None:
    """The structure of the sections of a triplet; None if it is unknown."""
    return ROUTES.get((smf_type, subtype), {}).get(triplet)


@cache
def known_bytes(smf_type: int, subtype: int, triplet: int) -> int:
    """The longest length that is known for the sections of a triplet; 0 if their structure is unknown."""
    name = structure_of(smf_type, subtype, triplet)
    return LAYOUTS[name].size if name else 0


def named(values: np.ndarray[Any, Any], spell: Callable[[int], str | None]) -> pa.DictionaryArray:
    """Numbers as texts."""
    distinct, index = np.unique(values, return_inverse=True)
    return words(index, [spell(int(value)) for value in distinct])


class Lineage:
    """Lineage columns of the records of a chunk, made once and repeated for the rows of each table."""

    def __init__(
        self, r: Records, source_id: int | Ints, first_record_id: int | Ints, qsg_raw: np.ndarray[Any, Any]
    ) -> None:
        offset_us = np.where(r.offset_minutes == NONE, NONE, 60_000_000 * r.offset_minutes)
        local = np.where(
            (r.interval_start == NONE) | (offset_us == NONE),
            NONE,
            r.interval_start + np.where(offset_us == NONE, 0, offset_us),
        )
        # A statistics record contains its local start, also if its GMT offset is unknown or changed within the
        # interval.
        local = np.where(r.record_start_local == NONE, local, r.record_start_local)
        # A statistics record without an interval (before 7.1) was made at its end; the clock of its header shows when.
        made = np.where(r.offset_minutes == NONE, NONE, clock_us(np.where(r.stck == NONE, 0, r.stck)))
        no_interval = np.where((r.smf_type == 115) & (r.interval_start == NONE), made, NONE)
        end = np.where(
            (r.interval_start == NONE) | (r.interval_us == NONE), no_interval, r.interval_start + r.interval_us
        )
        self.count = len(r)
        numbers: dict[str, tuple[Ints, pa.DataType]] = {
            "source_id": (np.broadcast_to(np.asarray(source_id, np.int64), len(r)), pa.int64()),
            "record_id": (first_record_id + r.number, pa.int64()),
            "written_local": (r.written, STAMP),
            "gmt_offset_minutes": (r.offset_minutes, pa.int64()),
            "interval_start_utc": (r.interval_start, STAMP),
            "interval_end_utc": (end, STAMP),
            "interval_start_local": (local, STAMP),
            "interval_us": (r.interval_us, pa.int64()),
        }
        self.numbers = {
            name: (values, type_, bool((values == NONE).any())) for name, (values, type_) in numbers.items()
        }
        self.texts = {
            "lpar": named(r.lpar, name_of),
            "qmgr": named(r.qmgr, name_of),
            "qsg": named(qsg_raw, name_of),
            "mq_version": named(r.level, version_of),
        }
        self._constant: dict[str, tuple[int, pa.DataType]] = {}
        """Value and type of the numbers that are the same in all records."""
        for name, (values, type_) in numbers.items():
            if len(values) and values[0] != NONE and values[0] == values[-1] and (values == values[0]).all():
                self._constant[name] = (int(values[0]), type_)
        self._repeats: dict[str, pa.Array] = {}
        statistics = r.smf_type == 115
        moment = np.where(statistics & (local != NONE), local, r.written)
        self.day = np.where(moment == NONE, NONE, moment // DAY)

    def _repeated(self, name: str, count: int) -> pa.Array:
        """A column of a number that is the same in all records; tables share the memory."""
        if name not in self._repeats or len(self._repeats[name]) < count:
            value, type_ = self._constant[name]
            self._repeats[name] = masked(np.full(count, value, np.int64), None, type_)
        return self._repeats[name].slice(0, count)

    def columns(self, rows: Ints, section: Ints | None, wanted: Collection[str] | None) -> dict[str, pa.Array]:
        """Lineage columns of table rows; `rows` = record of each row in the chunk."""
        out: dict[str, pa.Array] = {}
        for column in LINEAGE:
            name = column.name
            if wanted is not None and name not in wanted:
                continue
            if name == "section":
                out[name] = zero_int64(len(rows)) if section is None else pa.array(section)
            elif name in self._constant:
                out[name] = self._repeated(name, len(rows))
            elif name in self.texts:
                text = self.texts[name]
                if len(text.dictionary) == 1 and not text.indices.null_count:
                    out[name] = constant_text(text.dictionary[0].as_py(), len(rows))
                else:
                    indices = pc.take(text.indices, pa.array(rows), boundscheck=False)
                    out[name] = pa.DictionaryArray.from_arrays(indices, text.dictionary)
            else:
                values, type_, gaps = self.numbers[name]
                values = values.take(rows)
                out[name] = masked(values, values == NONE if gaps else None, type_)
        return out


def _expand(record: Ints, at: Ints, length: Ints, count: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Triplets -> sections: (record, place in buffer, length, index in the triplet) of each."""
    if len(count) and int(count.max()) == 1:
        return record, at, length, np.zeros(len(record), np.int64)
    total = int(count.sum())
    first = np.repeat(np.cumsum(count) - count, count)
    index = np.arange(total) - first
    lengths = np.repeat(length, count)
    return np.repeat(record, count), np.repeat(at, count) + index * lengths, lengths, index


def header_parts(r: Records, name: str) -> tuple[Ints, Ints, Ints]:
    """(record, place in buffer, length) of the structures that live in the area of triplet 0: qwhs, qwhc and qwhx."""
    sound = r.qwhs_length > 0
    if name == "qwhs":
        rows = np.flatnonzero(sound)
        return rows, r.header_at[rows], r.qwhs_length[rows]
    if name == "qwhx":
        rows = np.flatnonzero(r.qwhx_at >= 0)
        return rows, r.qwhx_at[rows], np.full(len(rows), 16)
    rows = np.flatnonzero(
        sound & (r.smf_type == 116) & (r.subtype == 0) & (r.outcome == DECODED) & (r.header_length > r.qwhs_length)
    )
    return rows, r.header_at[rows] + r.qwhs_length[rows], np.minimum(92, r.header_length[rows] - r.qwhs_length[rows])


_NAMES = tuple(LAYOUTS)


@cache
def _codes() -> Ints:
    """Number of the structure (place in LAYOUTS, from 1; 0 = none) by record type, subtype and triplet index; see
    `section_order`.
    """
    codes = np.zeros(2 * 256 * 16, np.int64)
    for (smf_type, subtype), by in ROUTES.items():
        for triplet, name in by.items():
            codes[_slot(np.array([smf_type]), np.array([subtype]), np.array([triplet]))] = _NAMES.index(name) + 1
    return codes


def section_order(r: Records) -> tuple[Ints, Ints]:
    """Triplets in the order of structure, then record, and for each structure where its triplets begin (one more
    element: the end).
    """
    t = r.triplet_record
    code = _codes()[_slot(r.smf_type[t], r.subtype[t], r.triplet_index)]
    order = np.lexsort((t, code))
    return order, np.searchsorted(code[order], np.arange(1, len(_NAMES) + 2))


def _slot(smf_type: Ints, subtype: Ints, triplet: Ints) -> Ints:
    return np.where((subtype < 256) & (triplet < 16), ((smf_type - 115) * 256 + subtype) * 16 + triplet, 0)


def structure_sections(r: Records, name: str, codes: tuple[Ints, Ints] | None = None) -> tuple[Ints, Ints, Ints, Ints]:
    """(record, place in buffer, length, section index) of every section of one structure in the chunk, in file order.

    codes: what `section_order` gives for the chunk, when many structures are asked for.
    """
    if not LAYOUTS[name].routes:
        record, at, length = header_parts(r, name)
        return record, at, length, np.zeros(len(record), np.int64)
    order, bounds = section_order(r) if codes is None else codes
    number = _NAMES.index(name)
    where = order[bounds[number] : bounds[number + 1]]
    return _expand(r.triplet_record[where], r.triplet_at[where], r.triplet_length[where], r.triplet_count[where])


def decode_chunk(
    r: Records,
    source_id: int | Ints,
    first_record_id: int | Ints,
    wanted: Wanted | None = None,
    *,
    keep: np.ndarray[Any, Any] | None = None,
    only: Collection[str] | None = None,
) -> Batch:
    """Decode all sections of a chunk into tables.

    source_id, first_record_id: of the input, or of each record if they are those of several inputs (`record.joined`);
    wanted: only these tables and columns (None = everything); keep: records to decode (None = all); only: the
    structures to decode, of the tables of the reader `record` and `raw_bytes` (None = all).
    """
    batch = Batch()
    qsg = np.ndarray((len(r),), ">u4", np.ascontiguousarray(r.qsg), 0, (4,)).astype(np.uint32)
    lineage = Lineage(r, source_id, first_record_id, qsg)
    codes = section_order(r)
    for name, layout in LAYOUTS.items():
        names = {name, *(child.name for child in layout.children)}
        if (wanted is not None and not names & set(wanted)) or (only is not None and name not in only):
            continue
        record, at, length, index = structure_sections(r, name, codes)
        if keep is not None and len(record):
            chosen = keep[record]
            record, at, length, index = record[chosen], at[chosen], length[chosen], index[chosen]
        if len(record):
            _decode_structure(batch, r, layout, lineage, record, at, length, index, wanted)
    if (wanted is None or "raw_bytes" in wanted) and (only is None or "raw_bytes" in only):
        _raw_bytes(batch, r, lineage, keep)
    if (wanted is None or "record" in wanted) and (only is None or "record" in only):
        _record_table(batch, r, lineage, None if wanted is None else wanted["record"], keep)
    return batch


def lost_intervals(r: Records, keep: np.ndarray[Any, Any] | None) -> dict[LostKey, int]:
    """Intervals of the records themselves that were impossible and became null; `keep` as in `decode_chunk`."""
    out: dict[LostKey, int] = {}
    for column, lost in (("interval_start_utc", r.lost_start), ("interval_us", r.lost_length)):
        count = int(np.count_nonzero(lost if keep is None else lost & keep))
        if count:
            out["record", column, IMPOSSIBLE] = count
    return out


def section_bytes(r: Records) -> dict[str, tuple[int, int]]:
    """The sections of every structure of a chunk that has any, and their bytes."""
    t = r.triplet_record
    code = _codes()[_slot(r.smf_type[t], r.subtype[t], r.triplet_index)]
    rows = np.bincount(code, weights=r.triplet_count, minlength=len(_NAMES) + 1)
    size = np.bincount(code, weights=r.triplet_count * r.triplet_length, minlength=len(_NAMES) + 1)
    out = {name: (int(rows[i]), int(size[i])) for i, name in enumerate(_NAMES, 1) if rows[i]}
    for name, layout in LAYOUTS.items():
        if not layout.routes:
            _, _, length = header_parts(r, name)
            if len(length):
                out[name] = (len(length), int(length.sum()))
    return out


def _decode_structure(
    batch: Batch,
    r: Records,
    layout: Layout,
    lineage: Lineage,
    record: Ints,
    at: Ints,
    length: Ints,
    index: Ints,
    wanted: Wanted | None,
) -> None:
    lengths = length[:1] if (length == length[0]).all() else np.unique(length)
    orders: dict[str, list[Ints]] = {}
    for width in lengths.tolist():
        chosen = slice(None) if len(lengths) == 1 else np.flatnonzero(length == width)
        rows, offsets, sections = record[chosen], at[chosen], index[chosen]
        origin, needed = span(layout, width, wanted)
        matrix = gather(r.chunk.buffer, offsets + origin, needed)
        done = decode(layout, matrix, r.level[rows], wanted, origin, min(width, layout.size))
        for column, count in done.too_big.items():
            _lose(batch, layout.name, column, TOO_BIG, count)
        _drop_impossible(batch, layout.name, done.columns, r.latest[rows])
        for parents, columns in done.children.values():
            _drop_impossible(batch, layout.name, columns, r.latest[rows[parents]])
        own = None if wanted is None else wanted.get(layout.name)
        if wanted is None or own is not None:
            columns = lineage.columns(rows, sections, own)
            if own is None or "section_length" in own:
                columns["section_length"] = pa.array(np.full(len(rows), width, np.int64))
            columns.update(done.columns)
            _add(batch, layout.name, columns, lineage.day[rows])
            orders.setdefault(layout.name, []).append(rows)
        for child, (parents, columns) in done.children.items():
            if len(parents):
                mine = None if wanted is None else wanted[child]
                _add(
                    batch,
                    child,
                    lineage.columns(rows[parents], sections[parents], mine) | columns,
                    lineage.day[rows[parents]],
                )
                orders.setdefault(child, []).append(rows[parents])
    if len(lengths) > 1:
        _in_file_order(batch, orders)


def _lose(batch: Batch, structure: str, column: str, reason: str, count: int) -> None:
    """Count values that became null."""
    key = (structure, column, reason)
    batch.lost[key] = batch.lost.get(key, 0) + count


def _drop_impossible(batch: Batch, structure: str, columns: dict[str, pa.Array], latest: Ints) -> None:
    """Replace times later than their record can hold by null, and count them."""
    for name, array in columns.items():
        if array.type != STAMP or array.null_count == len(array):
            continue
        late = pc.greater(array.view(pa.int64()), pa.array(latest)).fill_null(False)
        count = late.true_count
        if count:
            columns[name] = pc.if_else(late, pa.scalar(None, STAMP), array)
            _lose(batch, structure, name, IMPOSSIBLE, count)


def _in_file_order(batch: Batch, orders: dict[str, list[Ints]]) -> None:
    """Rows of sections of several lengths back in the order of their records, so that it does not depend on where
    chunks begin.
    """
    for table, records in orders.items():
        if len(records) > 1:
            rows, days = batch.tables[table]
            order = np.argsort(np.concatenate(records), kind="stable")
            batch.tables[table] = (rows.unify_dictionaries().take(pa.array(order)), days[order])


@cache
def _order(table: str) -> tuple[str, ...]:
    return tuple(table_schemas()[table].names)


def _add(batch: Batch, table: str, columns: dict[str, pa.Array], day: Ints) -> None:
    names = [name for name in _order(table) if name in columns]
    made = pa.table([columns[name] for name in names], names=names)
    if table in batch.tables:
        before, days = batch.tables[table]
        batch.tables[table] = (pa.concat_tables([before, made]), np.concatenate([days, day]))
    else:
        batch.tables[table] = (made, day)


def _raw_bytes(batch: Batch, r: Records, lineage: Lineage, keep: np.ndarray[Any, Any] | None) -> None:
    """Rows of raw_bytes: whole records of unknown subtypes, sections without a structure, and tails after the known
    length.
    """
    whole = np.flatnonzero(r.outcome == RAW)
    key = (r.smf_type[r.triplet_record] << 32) | (r.subtype[r.triplet_record] << 8) | r.triplet_index
    known, route = (
        np.array([k for k, _ in _ROUTED]),
        np.searchsorted([k for k, _ in _ROUTED], key).clip(0, len(_ROUTED) - 1),
    )
    routed = known[route] == key
    longest = np.where(routed, _LONGEST[route], 0)
    odd = np.flatnonzero(~routed | (r.triplet_length > longest))
    if not len(whole) and not len(odd):
        return
    # Many tiny sections of an unknown structure are one row, so that the rows are limited by the bytes.
    tiny = ~routed[odd] & (r.triplet_length[odd] < _TINY) & (r.triplet_count[odd] > 2)
    lengths = np.where(tiny, r.triplet_length[odd] * r.triplet_count[odd], r.triplet_length[odd])
    counts = np.where(tiny, 1, r.triplet_count[odd])
    unknown = np.bincount(r.triplet_record[odd], weights=np.where(routed[odd], 0, counts), minlength=len(r))
    crowded = (unknown > 4) & (unknown * _ROW_BYTES > r.length)
    counts = np.where(~routed[odd] & crowded[r.triplet_record[odd]], 0, counts)
    complete = len(whole)
    whole = np.concatenate([whole, np.flatnonzero(crowded)])
    record, at, length, index = _expand(r.triplet_record[odd], r.triplet_at[odd], lengths, counts)
    of = np.repeat(odd, counts)
    skip = longest[of]
    inside = np.isin(key[of], _INTERNAL_KEYS)
    reason = np.where(routed[of], 0, np.where(inside, 1, 2))
    structure = np.where(routed[of], route[of], len(_ROUTED))
    rows = np.concatenate([whole, record])
    # The four bytes before a record depend on how the file was transferred, so they are left out.
    starts = np.concatenate([r.base[whole] + 4, at + skip])
    ends = starts + np.concatenate([r.length[whole] - 4, length - skip])
    none = np.zeros(len(whole), np.int64)
    section = np.concatenate([none, index])
    triplet = np.concatenate([none, r.triplet_index[of]])
    is_section = np.arange(len(rows)) >= len(whole)
    reason = np.concatenate([np.where(np.arange(len(whole)) < complete, 3, 2), reason])
    structure = np.concatenate([none + len(_ROUTED), structure])
    order = np.argsort(rows, kind="stable")
    if keep is not None:
        order = order[keep[rows[order]]]
    if not len(order):
        return
    view = memoryview(r.chunk.buffer)  # type: ignore[arg-type]
    content = [bytes(view[a:b]) for a, b in zip(starts[order].tolist(), ends[order].tolist(), strict=True)]
    rows = rows[order]
    columns = lineage.columns(rows, section[order], None)
    columns["record_class"] = record_class(r, rows)
    columns["triplet"] = masked(triplet[order], ~is_section[order])
    columns["structure"] = words(structure[order], [name for _, name in _ROUTED] + [None])
    columns["raw_reason"] = words(reason[order], RAW_REASONS)
    columns["content"] = pa.array(content, pa.binary())
    _add(batch, "raw_bytes", columns, lineage.day[rows])


def record_class(r: Records, rows: Ints) -> pa.DictionaryArray:
    """Type and subtype as one word for the given records; the type alone where there is no subtype."""
    subtype = r.subtype[rows]
    key = r.smf_type[rows] * 65536 + np.where(subtype == NONE, 0, subtype) + np.where(subtype == NONE, 1 << 40, 0)
    return named(key, lambda k: f"{(k & MASK) >> 16}" if k >> 40 else f"{k >> 16}.{k & 65535}")


def hashes_of(r: Records, rows: Ints) -> pa.FixedSizeBinaryArray:
    """Hash of some joined records, each without its first four bytes, which depend on how the file was transferred.

    Its bytes are those of the canonical representation: the high half first.
    """
    view = memoryview(r.chunk.buffer)  # type: ignore[arg-type]
    digest, base = xxhash.xxh3_128_digest, r.base[rows]
    hashes = [digest(view[a:b]) for a, b in zip((base + 4).tolist(), (base + r.length[rows]).tolist(), strict=True)]
    return pa.FixedSizeBinaryArray.from_buffers(HASH, len(rows), [None, pa.py_buffer(b"".join(hashes))])


def _managers(values: Ints) -> pa.StringArray:
    """Resource managers in hexadecimal; null without one. Without sorting: a chunk has few of the 256 values."""
    index = np.where(values == NONE, 256, values)
    used = np.flatnonzero(np.bincount(index, minlength=257))
    position = np.zeros(257, np.int64)
    position[used] = np.arange(len(used))
    return words(position[index], [None if value == 256 else f"{value:02X}" for value in used.tolist()]).cast(
        pa.string()
    )


def _record_table(
    batch: Batch, r: Records, lineage: Lineage, wanted: Collection[str] | None, keep: np.ndarray[Any, Any] | None
) -> None:
    rows = np.arange(len(r)) if keep is None else np.flatnonzero(keep)
    if not len(rows):
        return
    columns = lineage.columns(rows, None, None)
    del columns["section"], columns["interval_start_local"]
    stck = clock_us(np.where(r.stck == NONE, 0, r.stck))[rows]
    local, us = r.record_start_local[rows], r.record_us[rows]
    minutes = r.offset_minutes[rows]
    start = np.where(
        (local == NONE) | (minutes == NONE), NONE, local - 60_000_000 * np.where(minutes == NONE, 0, minutes)
    )
    subtype = r.subtype[rows]
    release = (r.release.astype(np.int64) * np.array([65536, 256, 1])).sum(axis=1)[rows]
    reason = np.where(r.reason[rows] < 0, len(REASONS), r.reason[rows])
    columns |= {
        "record_number": pa.array(r.number[rows]),
        "source_offset": pa.array(r.offset[rows]),
        "record_bytes": pa.array(r.length[rows]),
        "input_bytes": pa.array(r.size[rows]),
        "segments": pa.array(r.segments[rows]),
        "smf_type": pa.array(r.smf_type[rows]),
        "subtype": masked(subtype, subtype == NONE),
        "record_class": record_class(r, rows),
        "header_release": named(release, lambda v: v.to_bytes(3, "big").decode("cp037").strip(" \0") or None),
        "header_stck_utc": masked(stck, stck == NONE, STAMP),
        "resource_manager": _managers(r.manager[rows]),
        "instrumentation_id": masked(r.identifier[rows], r.identifier[rows] == NONE),
        "instrumentation_sequence": masked(r.sequence[rows], r.sequence[rows] == NONE),
        "trace_sequence": masked(r.trace[rows], r.trace[rows] == NONE),
        "record_start_local": masked(local, local == NONE, STAMP),
        "record_start_utc": masked(start, start == NONE, STAMP),
        "record_us": masked(us, us == NONE),
        "interval_start_local": lineage.columns(rows, None, ("interval_start_local",))["interval_start_local"],
        "outcome": words(r.outcome[rows], OUTCOMES),
        "first_record_id": pa.nulls(len(rows), pa.int64()),
        "damage": words(reason, (*REASONS, None)),
    }
    if wanted is None or "record_hash" in wanted:
        columns["record_hash"] = hashes_of(r, rows)
    if wanted is not None:
        columns = {name: column for name, column in columns.items() if name in wanted}
    _add(batch, "record", columns, lineage.day[rows])


def section_counts(r: Records) -> dict[tuple[int, ...], list[int]]:
    """Sections by (lpar, qmgr, level, type, subtype, triplet, length): [sections, first, last header time]."""
    t = r.triplet_record
    if not len(t):
        return {}
    # One number per triplet to group by, different for different keys: numbers of owners and kinds, 6 bits of triplet
    # and 16 bits of length.
    _, owner = np.unique((r.lpar.astype(np.uint64) << np.uint64(32)) | r.qmgr.astype(np.uint64), return_inverse=True)
    kinds, kind = np.unique((r.level << 32) | (r.smf_type << 16) | (r.subtype & 0xFFFF), return_inverse=True)
    group = (owner * len(kinds) + kind)[t]
    packed = (group << 22) | (r.triplet_index << 16) | r.triplet_length
    keys = [r.lpar[t], r.qmgr[t], r.level[t], r.smf_type[t], r.subtype[t], r.triplet_index, r.triplet_length]
    _, first_at, inverse = np.unique(packed, return_index=True, return_inverse=True)
    sections = np.bincount(inverse, weights=r.triplet_count).astype(np.int64)
    written = r.written[t]
    earliest = np.full(len(first_at), np.iinfo(np.int64).max)
    latest = np.full(len(first_at), NONE)
    np.minimum.at(earliest, inverse, np.where(written == NONE, np.iinfo(np.int64).max, written))
    np.maximum.at(latest, inverse, written)
    distinct = zip(*(column[first_at].tolist() for column in keys), strict=True)
    counts = zip(sections.tolist(), earliest.tolist(), latest.tolist(), strict=True)
    return {key: list(count) for key, count in zip(distinct, counts, strict=True)}
