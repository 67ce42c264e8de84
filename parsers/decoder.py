"""Sections -> Arrow columns with numpy: the fast equivalent of construct's own parse.

All sections of one structure and one length in a batch are gathered into a matrix of bytes, each field is a column of
that matrix seen through a numpy dtype, and each column becomes an Arrow array. No step runs Python per section.
`Layout.typed` gives the same values one section at a time; tests compare the two on arbitrary bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute

from mqstat.parsers.columns import (
    Bytes,
    Ints,
    any_bits,
    gather,
    hex_column,
    int64_array,
    masked,
    nulls,
    only_where,
    text_column,
    words,
    zero_int64,
)
from mqstat.parsers.kit import EPOCH_STCK_US, Child, Ebcdic, Field, Flag, Hex, Layout, StckInterval, StckTime
from mqstat.parsers.tables import STAMP, TEXT, columns_of

_TWELVE = np.uint64(12)


@dataclass
class Decoded:
    """Columns of one structure: `columns` for its own table, `children` name -> (parent row of each child row,
    columns).

    `too_big` counts, by column, 64-bit values beyond `Field.highest`, which are null.
    """

    rows: int
    columns: dict[str, pa.Array] = field(default_factory=dict)
    children: dict[str, tuple[Ints, dict[str, pa.Array]]] = field(default_factory=dict)
    too_big: dict[str, int] = field(default_factory=dict)


class Matrix:
    """Sections of one structure and one length; hands out the raw values of a field element.

    sections: uint8 (rows, width), the bytes from `origin` on of every section; length: how many bytes of a section are
    in the record, at most the size of the layout. Bytes that no wanted column needs are not gathered.
    """

    def __init__(self, layout: Layout, sections: Bytes, origin: int = 0, length: int | None = None) -> None:
        self.layout, self.sections, self.origin = layout, sections, origin
        self.rows, self.width = sections.shape
        self.length = self.width + origin if length is None else length
        self._zero = b"" if not self.rows else (any_bits(sections) == 0).tobytes()

    def holds(self, at: int, width: int) -> bool:
        """Whether sections of this length contain all of these bytes."""
        return at + width <= self.length

    def is_zero(self, at: int, width: int) -> bool:
        """Whether these bytes are zero in every section."""
        at -= self.origin
        return not self.rows or 0 not in self._zero[at : at + width]

    def numbers(self, at: int, dtype: str) -> np.ndarray[Any, Any]:
        """One integer per section, as recorded (big-endian, a view)."""
        if not self.rows:
            return np.zeros(0, ">" + dtype)
        return np.ndarray((self.rows,), ">" + dtype, self.sections, at - self.origin, (self.width,))

    def cells(self, at: int, width: int) -> Bytes:
        """The bytes of one field of every section, contiguous."""
        return np.ascontiguousarray(self.sections[:, at - self.origin : at - self.origin + width])

    def array(self, at: int, dims: tuple[tuple[int, int], ...], dtype: str) -> np.ndarray[Any, Any]:
        """All elements of an array of integers, shape (sections, *counts) (a view)."""
        strides = (self.width, *(s for _, s in dims))
        return np.ndarray((self.rows, *(c for c, _ in dims)), ">" + dtype, self.sections, at - self.origin, strides)


@dataclass(frozen=True)
class _Step:
    """How one element of a field is decoded; made once per layout."""

    item: Field
    name: str
    names: tuple[str, ...]
    at: int
    width: int
    way: str


@cache
def _plan(layout_name: str) -> tuple[_Step, ...]:
    from mqstat.parsers import LAYOUTS

    steps = []
    for item in LAYOUTS[layout_name].named:
        if not item.child:
            for name, (_, at) in zip(item.columns or (item.name,), item.elements, strict=True):
                names = tuple(column.name for column in columns_of(item, name))
                steps.append(_Step(item, name, names, at, item.type.width, _way(item)))
    return tuple(steps)


def _way(item: Field) -> str:
    """The quickest correct method to decode a field: text, hex, time, interval, plain (a number without special
    values), or general.
    """
    kind = item.type
    if isinstance(kind, Ebcdic):
        return "text"
    if isinstance(kind, Hex):
        return "hex"
    if kind is StckTime:
        return "time"
    marked = (
        item.codes is not None
        or item.never_set is not None
        or item.no_limit is not None
        or item.shifted
        or item.never_negative
        or item.signed
    )
    if isinstance(kind, Flag) or marked:
        return "general"
    return "interval" if kind is StckInterval else "plain"


Mask: TypeAlias = np.ndarray[Any, Any] | None
"""True in the rows that it is about; None for no row."""


def _beyond(values: Ints, item: Field) -> Mask:
    """Which 64-bit values are beyond `Field.highest`: negative ones of an unsigned field need 64 bits."""
    if item.highest is None or not len(values):
        return None
    if item.type.dtype == "i8":
        below = (values < -item.highest) | (values > item.highest)
        return below if below.any() else None
    unsigned = values.view(np.uint64)
    return unsigned > np.uint64(item.highest) if int(unsigned.max()) > item.highest else None


def _either(left: Mask, right: Mask) -> Mask:
    return right if left is None else left if right is None else left | right


def _convert(item: Field, name: str, raw: np.ndarray[Any, Any], levels: Ints) -> tuple[dict[str, pa.Array], Mask]:
    """Typed columns of one number field from raw values, and which values are too big."""
    kind = item.type
    if isinstance(kind, Flag):
        return {name: pa.array((raw & kind.mask) != 0)}, None
    if kind is StckTime:
        us = (raw.astype(np.uint64) >> _TWELVE).view(np.int64)
        us -= EPOCH_STCK_US
        return {name: masked(us, us < 0, STAMP)}, None
    if item.shifted:
        value = raw.astype(np.uint64)
        moved = (levels == 100_000) & (value > 1 << 32) & (value & np.uint64(0xFFFFFFFF) == 0)
        plain = (value >> _TWELVE).astype(np.int64)
        stem = name.removesuffix("_us")
        right = np.where(moved, plain >> 32, plain)
        big = _beyond(right, item)
        return {name: masked(right, big), stem + "_raw_us": pa.array(plain), stem + "_shifted": pa.array(moved)}, big
    if kind is StckInterval:
        value = raw.astype(np.uint64)
        value >>= _TWELVE
        lengths = value.view(np.int64)
        big = _beyond(lengths, item)
        return {name: int64_array(lengths) if big is None else masked(lengths, big)}, big
    missing: Mask = None
    values = raw.astype(np.int64)
    if item.signed:
        bits = np.int64(8 * kind.width - 1)
        values -= (values >> bits) << (bits + 1)
    if item.never_set is not None:
        missing = raw == item.never_set
    if item.never_negative:
        missing = _either(missing, values < 0)
    unlimited = None if item.no_limit is None else raw == item.no_limit
    missing = _either(missing, unlimited)
    big = _beyond(values, item)
    if big is not None and missing is not None:
        big &= ~missing
    missing = _either(missing, big)
    if item.codes is not None:
        known = np.array(sorted(item.codes), np.int64)
        at = np.searchsorted(known, values).clip(0, len(known) - 1)
        hit = known[at] == values
        text = [item.codes[int(code)] for code in known] + [None]
        return {name: words(np.where(hit, at, len(known)), text), name + "_code": masked(values, missing)}, big
    if unlimited is not None:
        return {name: masked(values, missing), name + "_no_limit": pa.array(unlimited)}, big
    return {name: masked(values, missing)}, big


def _element(matrix: Matrix, step: _Step, levels: Ints) -> tuple[dict[str, pa.Array], Mask]:
    item, name, rows = step.item, step.name, matrix.rows
    if not matrix.holds(step.at, step.width):
        return {column.name: nulls(column.type, rows) for column in columns_of(item, name)}, None
    zero = matrix.is_zero(step.at, step.width)
    way = step.way
    if way == "text":
        return {name: nulls(TEXT, rows) if zero else text_column(matrix.cells(step.at, step.width))}, None
    if way == "hex":
        return {name: hex_column(matrix.cells(step.at, step.width))}, None
    if zero and way != "general":
        return {name: nulls(STAMP, rows) if way == "time" else zero_int64(rows)}, None
    return _convert(item, name, matrix.numbers(step.at, item.type.dtype), levels)


def _gate(matrix: Matrix, item: Field, columns: dict[str, pa.Array], too_big: Mask) -> tuple[dict[str, pa.Array], Mask]:
    """The columns of a field that is valid only where a flag of the same section is on, and which of the valid values
    are too big.
    """
    gate = next(f for f in matrix.layout.fields if f.name == item.valid_when)
    if not isinstance(gate.type, Flag) or not matrix.holds(gate.at, gate.type.width):
        return {name: nulls(array.type, matrix.rows) for name, array in columns.items()}, None
    on = (matrix.numbers(gate.at, gate.type.dtype) & gate.type.mask) != 0
    return {name: only_where(array, on) for name, array in columns.items()}, None if too_big is None else too_big & on


def span(layout: Layout, length: int, wanted: Mapping[str, Collection[str]] | None) -> tuple[int, int]:
    """First byte and number of bytes of a section that the wanted columns need (None = all); `length` = its bytes in
    the record.
    """
    length = min(length, layout.size)
    if wanted is None:
        return 0, length
    own = frozenset(wanted.get(layout.name, ()))
    chosen = [step.item for step in _plan(layout.name) if not own.isdisjoint(step.names)]
    gates = {item.valid_when for item in chosen}
    chosen += [item for item in layout.fields if item.child in wanted or item.name in gates]
    if not chosen:
        return 0, 0
    start = min(item.at for item in chosen)
    end = min(length, max(item.end for item in chosen))
    return (start, end - start) if end > start else (0, 0)


def decode(
    layout: Layout,
    sections: Bytes,
    levels: Ints,
    wanted: Mapping[str, Collection[str]] | None = None,
    origin: int = 0,
    length: int | None = None,
) -> Decoded:
    """Decode a matrix of sections of one length.

    sections: uint8 (rows, width), the bytes from `origin` on; levels: MQ level of each row as VVRRMM; length: bytes of
    each section in the record.
    wanted: table name -> columns to decode (None = all of every table).
    """
    matrix = Matrix(layout, sections, origin, length)
    out = Decoded(matrix.rows)
    own = None if wanted is None else frozenset(wanted.get(layout.name, ()))
    for step in _plan(layout.name):
        if own is not None and own.isdisjoint(step.names):
            continue
        columns, too_big = _element(matrix, step, levels)
        if step.item.valid_when:
            columns, too_big = _gate(matrix, step.item, columns, too_big)
        out.columns.update(columns)
        _count(out.too_big, step.name, too_big)
    for child in layout.children:
        fields = [item for item in layout.fields if item.child == child.name]
        has = any(matrix.holds(item.at, item.type.width) for item in fields)
        out.columns[child.has] = pa.array(np.full(matrix.rows, has))
        if wanted is None or child.name in wanted:
            out.children[child.name] = _child_rows(matrix, child, fields, levels, out.too_big)
    return out


def _count(counts: dict[str, int], name: str, rows: Mask) -> None:
    """Add the number of rows in a mask to the count of a column."""
    if rows is not None and (number := int(np.count_nonzero(rows))):
        counts[name] = counts.get(name, 0) + number


def _child_rows(
    matrix: Matrix, child: Child, fields: list[Field], levels: Ints, too_big: dict[str, int]
) -> tuple[Ints, dict[str, pa.Array]]:
    """Rows of a child table: the elements with a byte that is not zero, in the order of section, part and index."""
    parts = list(dict.fromkeys(item.part for item in fields))
    used_elements: list[tuple[Ints, ...]] = []
    for number, part in enumerate(parts):
        group = [item for item in fields if item.part == part]
        counts = tuple(count for count, _ in group[0].dims)
        used = np.zeros((matrix.rows, *counts), bool)
        for item in group:
            whole = [
                location for location in (_location(matrix, item, index, at) for index, at in item.elements) if location
            ]
            if not whole:
                continue
            if isinstance(item.type, Ebcdic | Hex):
                for index, at in whole:
                    used[_at(index)] |= matrix.cells(at, item.type.width).any(axis=1)
            elif len(whole) == len(item.elements):
                used |= matrix.array(item.at, item.dims, item.type.dtype) != 0
            else:
                for index, at in whole:
                    used[_at(index)] |= matrix.numbers(at, item.type.dtype) != 0
        used_at = np.nonzero(used)
        used_elements.append((used_at[0], np.full(len(used_at[0]), number), *used_at[1:]))
    merged = [np.concatenate([f[i] for f in used_elements]) for i in range(len(used_elements[0]))]
    order = np.lexsort(tuple(reversed(merged)))
    rows, part_of, *places_in = (m[order] for m in merged)
    columns: dict[str, pa.Array] = {}
    if child.part:
        columns[child.part] = words(part_of, parts)
    for key, i in zip(child.keys, places_in, strict=True):
        columns[key.name] = pa.array(i.astype(np.int64) + 1)
        if key.words:
            columns[key.name + "_name"] = words(i, key.words)
    for item in (f for f in fields if f.part == parts[0]):
        columns.update(
            _child_column(matrix, [f for f in fields if f.name == item.name], rows, part_of, places_in, levels, too_big)
        )
    return rows, columns


def _at(index: tuple[int, ...]) -> Any:
    """Index of one element of an array in every section."""
    return (slice(None), *index)


def _location(matrix: Matrix, item: Field, index: tuple[int, ...], at: int) -> tuple[tuple[int, ...], int] | None:
    return (index, at) if matrix.holds(at, item.type.width) and not matrix.is_zero(at, item.type.width) else None


def _child_column(
    matrix: Matrix,
    variants: list[Field],
    rows: Ints,
    part_of: Ints,
    index: list[Ints],
    levels: Ints,
    too_big: dict[str, int],
) -> dict[str, pa.Array]:
    """One field of a child table for the chosen elements; `variants` are the same field in each part."""
    first = variants[0]
    offsets = np.zeros(len(rows), np.int64)
    for number, item in enumerate(variants):
        element_offset = item.at + sum(
            (i * stride for i, (_, stride) in zip(index, item.dims, strict=True)), np.zeros(len(rows), np.int64)
        )
        offsets = np.where(part_of == number, element_offset, offsets) if len(variants) > 1 else element_offset
    width = first.type.width
    inside = offsets + width <= matrix.length
    positions = rows * matrix.width + np.where(inside, offsets - matrix.origin, 0)
    cells = gather(matrix.sections.reshape(-1), positions, width)
    if isinstance(first.type, Ebcdic):
        columns = {first.name: text_column(cells)}
    elif isinstance(first.type, Hex):
        columns = {first.name: hex_column(cells)}
    else:
        raw = np.ascontiguousarray(cells).view(">" + first.type.dtype).reshape(-1)
        raw = np.where(inside, raw, 0).astype(raw.dtype)
        columns, lost = _convert(first, first.name, raw, levels[rows])
        _count(too_big, first.name, lost)
    return {name: only_where(array, inside) for name, array in columns.items()}


def decode_sections(layout: Layout, sections: Sequence[bytes], level: int = 0) -> dict[str, list[dict[str, Any]]]:
    """Rows of every table from sections of one length, as Python values: for tests and for showing single sections."""
    length = min(len(sections[0]), layout.size) if sections else layout.size
    matrix = np.frombuffer(b"".join(bytes(s[:length]) for s in sections), np.uint8).reshape(len(sections), length)
    done = decode(layout, matrix, np.full(len(sections), level, np.int64))
    out = {layout.name: pa.table(done.columns).to_pylist() if done.columns else []}
    for name, (_, columns) in done.children.items():
        out[name] = pa.table(columns).to_pylist()
    return out


def raw_columns(layout: Layout, sections: Bytes, lengths: Ints) -> list[tuple[str, list[str]]]:
    """Columns of the raw view: IBM's names, undecoded values as text, empty where a section is too short.

    sections: uint8 (rows, layout.size), short ones filled up with zeros; lengths: real length of each.
    """
    matrix = Matrix(layout, sections)
    out = []
    for header, item, at in layout.raw_columns():
        kind = item.type
        if isinstance(kind, Ebcdic):
            values = [v or "" for v in text_column(matrix.cells(at, kind.width)).to_pylist()]
        elif isinstance(kind, Hex):
            values = hex_column(matrix.cells(at, kind.width)).to_pylist()
        elif isinstance(kind, Flag):
            values = [str(int(v)) for v in (matrix.numbers(at, kind.dtype) & kind.mask) != 0]
        else:
            values = [str(v) for v in matrix.numbers(at, kind.dtype).tolist()]
        short = lengths < at + kind.width
        if short.any():
            values = ["" if s else v for s, v in zip(short.tolist(), values, strict=True)]
        out.append((header, values))
    return out
