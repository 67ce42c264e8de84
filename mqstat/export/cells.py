"""Raw bytes of many sections -> CSV cells as mq-smf-csv writes them.

A column of cells is a literal (the same bytes in all rows) or an Arrow array of bytes; nothing here runs Python per
row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mqstat.export.columns import CORRELATOR, DURATION, FLAG, HEX, INDEX, MICROSECONDS, NUMBER, TEXT, TIME, WORDS, Cell
from mqstat.parsers.columns import Bytes, Ints, hex_column
from mqstat.parsers.kit import EPOCH_STCK_US

Part: TypeAlias = "bytes | pa.Array"
"""The bytes that all rows have in common, or an array with the bytes of each row."""

_BINARY = pa.binary()
_NOTHING = pa.scalar(b"", _BINARY)

ABSENT = {
    NUMBER: b"-1", MICROSECONDS: b"-1", DURATION: b"-1, -1 ", TIME: b'"1970/01/01","00:00:00,000000"', TEXT: b'"....."',
    HEX: b'"....."', WORDS: b'"....."', FLAG: b'"....."', INDEX: b"-1", CORRELATOR: b'"....."',
}  # fmt: skip
"""The text of a field if the section is too short for it."""

NO_TIME = b'"",""'


def _characters() -> Bytes:
    """The character of each EBCDIC byte: letters, digits and the punctuation that the tool knows; a full stop for any
    other byte.
    """
    table = np.full(256, ord("."), np.uint8)
    plain = " &-/,%_>?:#@'=<(+|!$*);~{}[]"
    for code in range(256):
        character = bytes([code]).decode("cp037")
        if character in plain or (character.isascii() and character.isalnum()):
            table[code] = ord(character)
    marks = {0x4A: "$", 0x4F: "|", 0x5A: "!", 0x8B: "{", 0x8D: "(", 0x8E: "+", 0x9B: "}", 0x9D: ")", 0xA1: "~"}
    marks |= {0xBA: "[", 0xBB: "]", 0xBF: "-", 0xC0: "{", 0xD0: "}"}
    for code, character in marks.items():
        table[code] = ord(character)
    return table


CHARACTERS = _characters()
_NUMERIC = np.isin(np.arange(256), np.frombuffer(b"0123456789abcdefABCDEF ", np.uint8))
"""Whether a character is a hexadecimal digit or a blank."""

_TWO_DIGITS = np.array([list(b"%02d" % number) for number in range(100)], np.uint8)


def join(parts: Sequence[Part], rows: int) -> pa.Array:
    """The concatenated texts of each row."""
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, bytes) and merged and isinstance(merged[-1], bytes):
            merged[-1] += part
        else:
            merged.append(part)
    if len(merged) == 1 and not isinstance(merged[0], bytes):
        return merged[0]
    if all(isinstance(part, bytes) for part in merged):
        return pa.repeat(pa.scalar(b"".join(part for part in merged if isinstance(part, bytes)), _BINARY), rows)
    arguments = [pa.scalar(part, _BINARY) if isinstance(part, bytes) else part for part in merged]
    return pc.binary_join_element_wise(*arguments, _NOTHING)


def fixed(cells: Bytes) -> pa.Array:
    """The rows of a matrix of characters."""
    rows, width = cells.shape
    offsets = np.arange(0, rows * width + 1, width or 1, dtype=np.int32)[: rows + 1]
    return pa.Array.from_buffers(
        _BINARY, rows, [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(cells))]
    )


def decimal(values: np.ndarray[Any, Any]) -> pa.Array:
    """Integers as decimal digits."""
    return pa.array(values).cast(pa.string()).view(_BINARY)


def quoted(characters: Bytes) -> pa.Array:
    """Texts of one length in quotes, preceded by an equals sign if a spreadsheet would read the text as a number
    (hexadecimal digits and blanks).
    """
    rows, width = characters.shape
    cells = np.empty((rows, width + 3), np.uint8)
    cells[:, 0], cells[:, 1], cells[:, 2:-1], cells[:, -1] = ord("="), ord('"'), characters, ord('"')
    numeric = _NUMERIC[characters].all(axis=1)
    if numeric.all():
        return fixed(cells)
    plain = fixed(cells[:, 1:])
    return pc.if_else(pa.array(numeric), fixed(cells), plain) if numeric.any() else plain


def quoted_word(word: str) -> bytes:
    """A word in quotes, as from `quoted`."""
    numeric = all(character in "0123456789abcdefABCDEF " for character in word)
    return f'{"=" if numeric else ""}"{word}"'.encode()


_FORMULA = np.frombuffer(b"=+-@", np.uint8)
"""First characters of a text that a spreadsheet runs as a formula (`mqstat.base.csv_cells`); tabs and line breaks do
not occur."""


def text(cells: Bytes, *, protect: bool = False) -> pa.Array:
    """EBCDIC texts; `protect` = one that begins like a formula gets a leading single quote, as in our other CSV
    files.
    """
    characters = CHARACTERS[cells]
    plain = quoted(characters)
    if not protect or not cells.shape[1]:
        return plain
    begins = np.isin(characters[:, 0], _FORMULA)
    if not begins.any():
        return plain
    quote = np.full((len(cells), 1), ord("'"), np.uint8)
    return pc.if_else(pa.array(begins), quoted(np.concatenate([quote, characters], axis=1)), plain)


def moment(us: Ints) -> Bytes:
    """Microseconds since 1970 as characters of `"yyyy/mm/dd","hh:mm:ss,uuuuuu"`."""
    days, rest = np.divmod(us, 86_400_000_000)
    out = np.empty((len(us), 30), np.uint8)
    out[:] = np.frombuffer(b'"0000/00/00","00:00:00,000000"', np.uint8)
    date = days.astype("datetime64[D]")
    months = date.astype("datetime64[M]")
    year = date.astype("datetime64[Y]").astype(np.int64) + 1970
    put_date(out, 1, year, months.astype(np.int64) % 12 + 1, (date - months).astype(np.int64) + 1)
    seconds, micro = np.divmod(rest, 1_000_000)
    for at, number in ((14, seconds // 3600), (17, seconds // 60 % 60), (20, seconds % 60)):
        out[:, at : at + 2] = _TWO_DIGITS[number]
    for at, number in ((23, micro // 10_000), (25, micro // 100 % 100), (27, micro % 100)):
        out[:, at : at + 2] = _TWO_DIGITS[number]
    return out


def put_date(out: Bytes, at: int, year: Ints, month: Ints, day: Ints) -> None:
    """Write `yyyy/mm/dd` into a matrix of characters."""
    for start, number in ((at, year // 100), (at + 2, year), (at + 5, month), (at + 8, day)):
        out[:, start : start + 2] = _TWO_DIGITS[number % 100]
    out[:, at + 4] = out[:, at + 7] = ord("/")


def clock(raw: np.ndarray[Any, Any]) -> pa.Array:
    """STCK clocks: date and time, empty for zero, the start of 1970 for anything earlier."""
    raw = raw.astype(np.uint64)
    us = (raw >> np.uint64(12)).astype(np.int64) - EPOCH_STCK_US
    out = fixed(moment(np.maximum(us, 0)))
    zero = raw == 0
    return pc.if_else(pa.array(zero), pa.scalar(NO_TIME, _BINARY), out) if zero.any() else out


def duration(us: np.ndarray[Any, Any], *, wraps: bool) -> list[Part]:
    """Microseconds (uint64) as `seconds, microseconds `; with `wraps`, the seconds are 32-bit, as the tool computes
    them.
    """
    seconds, micro = np.divmod(us, np.uint64(1_000_000))
    if wraps:
        seconds &= np.uint64(0xFFFFFFFF)
    return [decimal(seconds) if seconds.any() else b"0", b", ", decimal(micro), b" "]


class Sections:
    """The sections of one length in a chunk, each with its header structure.

    matrices: uint8 (rows, length) of each source; index: position of each section in its triplet; levels: MQ level of
    each row.
    """

    def __init__(
        self, matrices: Sequence[Bytes], index: Ints, levels: Ints, *, bug_compatible: bool, protect: bool
    ) -> None:
        self.matrices, self.index, self.levels, self.bugs, self.protect = (
            matrices,
            index,
            levels,
            bug_compatible,
            protect,
        )
        self.rows = len(index)
        self._same = [np.concatenate([[0], np.cumsum((m != m[:1]).any(axis=0))]) for m in matrices]

    def constant(self, cell: Cell) -> bytes | None:
        """The bytes of a cell if they are the same in all rows."""
        same = self._same[cell.source]
        if same[cell.at] != same[cell.at + cell.width]:
            return None
        return self.matrices[cell.source][0, cell.at : cell.at + cell.width].tobytes()

    def parts(self, cell: Cell, literals: dict[tuple[int, bytes], bytes]) -> list[Part]:
        """The texts of one cell in every row. literals: cache of the texts of bytes that a whole chunk has in
        common.
        """
        if cell.source < 0:
            return [decimal(self.index)]
        matrix = self.matrices[cell.source]
        if max(cell.at + cell.width, cell.least) > matrix.shape[1]:
            return [ABSENT[cell.written_as]]
        common = self.constant(cell) if cell.gate is None else None
        if common is not None and (not cell.shifted or not any(common)):
            key = (id(cell), common)
            if key not in literals:
                parts = self._made(cell, matrix[:1], self.levels[:1])
                literals[key] = join(parts, 1)[0].as_py()
            return [literals[key]]
        return self._made(cell, matrix, self.levels)

    def _made(self, cell: Cell, matrix: Bytes, levels: Ints) -> list[Part]:
        written_as = cell.written_as
        cells = matrix[:, cell.at : cell.at + cell.width]
        if written_as == TEXT:
            return [text(cells if cell.gate is None else _gated(matrix, cell.gate, cells), protect=self.protect)]
        if written_as == HEX:
            return [b'="', hex_column(np.ascontiguousarray(cells)).view(_BINARY), b'"']
        raw = np.ndarray(
            (len(matrix),), f">{'i' if cell.signed else 'u'}{cell.width}", matrix, cell.at, matrix.strides[:1]
        )
        if written_as == TIME:
            return [clock(raw)]
        if written_as in (DURATION, MICROSECONDS):
            us = raw.astype(np.uint64) >> np.uint64(12)
            if cell.shifted and not self.bugs:
                moved = (levels == 100_000) & (raw > 1 << 32) & (raw & np.uint64(0xFFFFFFFF) == 0)
                us = np.where(moved, us >> np.uint64(32), us)
            return duration(us, wraps=self.bugs) if written_as == DURATION else [decimal(us)]
        if written_as in (FLAG, WORDS):
            values = (raw & cell.mask != 0).astype(np.int64) if written_as == FLAG else raw.astype(np.int64)
            return [_worded(values, cell.words)]
        values = raw.astype(raw.dtype.newbyteorder("="))
        if self.bugs and cell.width == 8 and not cell.signed:
            values &= np.uint64(0x7FFF_FFFF_FFFF_FFFF)
        if cell.unset is not None:
            values = np.where(raw == cell.unset[0], cell.unset[1], values.astype(np.int64))
        return [decimal(values)]


def _gated(matrix: Bytes, gate: tuple[int, int, int], cells: Bytes) -> Bytes:
    """The cells, blank if a flag of the same section is off."""
    at, width, mask = gate
    on = np.ndarray((len(matrix),), f">u{width}", matrix, at, matrix.strides[:1]) & mask != 0
    return np.where(on[:, None], cells, 0x40).astype(np.uint8)


def _worded(values: Ints, words: tuple[tuple[int, str], ...]) -> pa.Array:
    """The word of each code; empty for an unknown code."""
    known = np.array([code for code, _ in words], np.int64)
    at = np.searchsorted(known, values).clip(0, len(known) - 1)
    texts = [quoted_word(word) for _, word in words] + [quoted_word("")]
    return pa.array(texts, _BINARY).take(pa.array(np.where(known[at] == values, at, len(known))))
