"""Raw bytes and numbers of many sections -> Arrow columns, without copying where possible.

Text is dictionary-encoded, all-zero columns share one buffer of zeros, and nothing here runs Python per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from mqstat.parsers.tables import TEXT

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

_INT64 = pa.int64()
_HEX = np.array([f"{i:02X}".encode() for i in range(256)], dtype="S2").view(np.uint8).reshape(256, 2)


def gather(buffer: Bytes, offsets: Ints, width: int) -> Bytes:
    """Matrix of `width` bytes from each offset; bytes past the end of the buffer read as zero. Offsets must lie inside
    the buffer.
    """
    if not len(offsets) or not width:
        return np.zeros((len(offsets), width), np.uint8)
    last = len(buffer) - width
    if last >= 0 and int(offsets.max()) <= last:
        return _windows(buffer, width)[offsets].view(np.uint8).reshape(-1, width)
    out = np.zeros((len(offsets), width), np.uint8)
    inside = offsets <= last
    if inside.any():
        out[inside] = _windows(buffer, width)[offsets[inside]].view(np.uint8).reshape(-1, width)
    for row in np.flatnonzero(~inside):
        rest = buffer[offsets[row] :]
        out[row, : len(rest)] = rest[:width]
    return out


def _windows(buffer: Bytes, width: int) -> np.ndarray[Any, Any]:
    """The bytes from each offset as one element: numpy copies an element in half the time of a row of single bytes."""
    return np.ndarray((len(buffer) - width + 1,), f"V{width}", buffer, 0, (1,))


def any_bits(matrix: Bytes) -> Bytes:
    """The bits that are set in any row, for each column of bytes: many rows at a time, because each step of the
    reduction costs as much as a few bytes.
    """
    rows, width = matrix.shape
    group = max(1, 4096 // max(width, 1))
    whole = rows // group * group
    if group == 1 or not whole or not matrix.flags.c_contiguous:
        bits: Bytes = np.bitwise_or.reduce(matrix, axis=0)
        return bits
    by_group = np.bitwise_or.reduce(matrix[:whole].reshape(-1, group * width), axis=0).reshape(group, width)
    bits = np.bitwise_or.reduce(by_group, axis=0)
    return bits | np.bitwise_or.reduce(matrix[whole:], axis=0) if whole < rows else bits


_ZEROS: set[int] = set()
"""The addresses of the buffers of zeros, which are never freed."""


@cache
def _zeros(power: int) -> pa.Buffer:
    """A buffer of 2**power zeros that all-zero columns share."""
    buffer = pa.py_buffer(np.zeros(1 << power, np.int64))
    _ZEROS.add(buffer.address)
    return buffer


def zero_int64(rows: int) -> pa.Array:
    """A column of zeros that needs no memory of its own."""
    return pa.Array.from_buffers(_INT64, rows, [None, _zeros(max(12, rows.bit_length()))])


def is_shared_zero(column: pa.Array) -> bool:
    """Whether an array was made by `zero_int64`, so that no value needs to be read to know that all are zero."""
    return column.buffers()[1].address in _ZEROS


@cache
def _null_of(type_: pa.DataType, rows: int) -> pa.Array:
    return pa.nulls(rows, type_)


def nulls(type_: pa.DataType, rows: int) -> pa.Array:
    """An array of nulls; dictionary-encoded for text."""
    if type_ == TEXT:
        return pa.DictionaryArray.from_arrays(pa.nulls(rows, pa.int32()), pa.array([], pa.string()))
    return _null_of(type_, rows) if rows < 1 << 16 else pa.nulls(rows, type_)


def constant_text(value: str | None, rows: int) -> pa.Array:
    """A dictionary-encoded column of one word."""
    if value is None:
        return nulls(TEXT, rows)
    indices = pa.Array.from_buffers(pa.int32(), rows, [None, zero_int64((rows + 1) // 2).buffers()[1]])
    return pa.DictionaryArray.from_arrays(indices, pa.array([value], pa.string()))


def words(index: np.ndarray[Any, Any], values: Sequence[str | None]) -> pa.Array:
    """Dictionary-encoded column of `values[index]`; a None among the values becomes null."""
    known = [value for value in dict.fromkeys(values) if value is not None]
    position = {value: i for i, value in enumerate(known)}
    lookup = np.array([position.get(value, -1) if value is not None else -1 for value in values] or [-1], np.int32)
    index = lookup[index]
    missing = index < 0 if -1 in lookup else None
    if missing is not None and missing.any():
        indices = pa.Array.from_buffers(pa.int32(), len(index), [_validity(missing), pa.py_buffer(index.clip(0))])
    else:
        indices = pa.Array.from_buffers(pa.int32(), len(index), [None, pa.py_buffer(index)])
    return pa.DictionaryArray.from_arrays(indices, pa.array(known, pa.string()))


def text_column(cells: Bytes) -> pa.Array:
    """EBCDIC cells (rows, width) -> dictionary-encoded text without blanks and X'00' at the end; empty text is null."""
    rows, width = cells.shape
    if not rows:
        return nulls(TEXT, 0)
    if cells[0].tobytes() == cells[-1].tobytes() == cells[rows // 2].tobytes() and (cells == cells[0]).all():
        return constant_text(cells[0].tobytes().decode("cp037").rstrip(" \0") or None, rows)
    encoded = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(width), rows, [None, pa.py_buffer(cells)]
    ).dictionary_encode()
    values = [value.decode("cp037").rstrip(" \0") or None for value in encoded.dictionary.to_pylist()]
    if len(set(values)) == len(values) and None not in values:
        return pa.DictionaryArray.from_arrays(encoded.indices, pa.array(values, pa.string()))
    return words(encoded.indices.to_numpy(), values)


def hex_column(cells: Bytes) -> pa.Array:
    """Cells (rows, width) -> text of upper-case hexadecimal digits."""
    rows, width = cells.shape
    digits = np.take(_HEX, cells, axis=0).reshape(rows, 2 * width)
    offsets = np.arange(0, (rows + 1) * 2 * width, 2 * width, dtype=np.int32)
    return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(digits)))


def _validity(missing: np.ndarray[Any, Any]) -> pa.Buffer:
    """The validity bitmap of Arrow for a mask of missing values."""
    return pa.py_buffer(np.packbits(~missing, bitorder="little"))


def masked(values: Ints, missing: np.ndarray[Any, Any] | None, type_: pa.DataType | None = None) -> pa.Array:
    """int64 values with a mask of missing ones, seen as `type_` (timestamps are int64 microseconds)."""
    validity = _validity(missing) if missing is not None and missing.any() else None
    return pa.Array.from_buffers(type_ or _INT64, len(values), [validity, pa.py_buffer(np.ascontiguousarray(values))])


def int64_array(values: Ints) -> pa.Array:
    """A contiguous int64 array as Arrow without copying."""
    return pa.Array.from_buffers(_INT64, len(values), [None, pa.py_buffer(values)])


def only_where(array: pa.Array, on: np.ndarray[Any, Any]) -> pa.Array:
    """The array with nulls where the mask is off."""
    if on.all():
        return array
    mask = pa.array(on)
    if isinstance(array, pa.DictionaryArray):
        return pa.DictionaryArray.from_arrays(
            pa.compute.if_else(mask, array.indices, pa.scalar(None, pa.int32())), array.dictionary
        )
    return pa.compute.if_else(mask, array, pa.scalar(None, array.type))
