"""Chunks of records -> rows of the CSV files, as one text for each file and chunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mqstat.export.cells import Part, Sections, join
from mqstat.export.columns import CsvFile, files
from mqstat.export.leading import COLUMNS, INTERVAL, NO_INTERVAL, Leading
from mqstat.parsers import field_of
from mqstat.parsers.batch import header_parts, section_order, structure_sections
from mqstat.parsers.columns import Bytes, Ints, gather
from mqstat.parsers.record import STUBS, Records, be

_TASK, _QUEUE = field_of("wtas", "task_correlator"), field_of("wq", "task_correlator")
_MOST_LITERALS = 200_000

MOST_ROWS = 16_384
"""Rows of a file that are made at a time: limits the memory for sections that are much shorter than their text."""


@dataclass(frozen=True)
class Located:
    """Sections of one structure in a chunk: record, offset in the buffer, length and index in the triplet of each."""

    record: Ints
    at: Ints
    length: Ints
    index: Ints

    def __len__(self) -> int:
        return len(self.record)

    def chosen(self, rows: Any) -> Located:
        """The chosen sections."""
        return Located(self.record[rows], self.at[rows], self.length[rows], self.index[rows])


@dataclass
class RowMaker:
    """Makes the rows of chunks in the order of the input.

    bug_compatible: repeat the known errors of the tool; protect: cells that begin like a formula get a leading single
    quote.
    """

    bug_compatible: bool = False
    protect: bool = False
    _literals: dict[tuple[int, bytes], bytes] = field(default_factory=dict)
    _shows_interval: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.files = files(self.bug_compatible)
        self._leading = Leading(self.bug_compatible, self.protect)

    def header(self, file: CsvFile) -> str:
        """The first line of a file; call it after its first rows were made."""
        interval = INTERVAL if self._shows_interval.get(file.name) else ()
        return ",".join([*COLUMNS, *interval, *file.columns]) + ",\n"

    def rows(self, r: Records) -> Iterator[tuple[CsvFile, int, pa.Array]]:
        """(file, rows, their texts) of each file that has rows in a chunk; a file with many rows comes several
        times.
        """
        if not len(r):
            return
        plain, interval, has = self._leading.texts(r)
        if len(self._literals) > _MOST_LITERALS:
            self._literals.clear()
        codes = section_order(r)
        for file in self.files:
            every = _sections(r, file, codes)
            for start in range(0, len(every), MOST_ROWS):
                sections = every.chosen(slice(start, start + MOST_ROWS))
                front = plain.take(pa.array(sections.record))
                shown = self._interval(file, r, sections.record, interval, has)
                yield file, len(sections), self._texts(r, file, sections, [front, *shown])

    def _interval(self, file: CsvFile, r: Records, record: Ints, texts: pa.Array, has: Any) -> list[Part]:
        """The interval columns of rows. As in the tool, a file has them if its first row has an interval."""
        if not file.is_statistics:
            return []
        mine = has[record]
        if not self.bug_compatible:
            mine = mine & ~np.isin(r.subtype[record], STUBS)
        first = self._shows_interval.setdefault(file.name, bool(mine[0]))
        if not self.bug_compatible and not first:
            return []
        if mine.all():
            return [texts.take(pa.array(record))]
        missing = pa.scalar(b"" if self.bug_compatible else NO_INTERVAL, pa.binary())
        return [pc.if_else(pa.array(mine), texts.take(pa.array(record)), missing)]

    def _texts(self, r: Records, file: CsvFile, sections: Located, front: list[Part]) -> pa.Array:
        other = _other(r, file, sections)
        key = sections.length << 32 | (0 if other is None else other[1])
        kinds = np.unique(key)
        texts, order = [], []
        for kind in kinds.tolist():
            rows = np.flatnonzero(key == kind)
            mine = sections.chosen(rows)
            matrices = [self._matrix(r, file, mine, kind >> 32)]
            if other is not None:
                matrices.append(_gather_known(r, other[0][rows], kind & 0xFFFFFFFF))
            group = Sections(
                matrices, mine.index, r.level[mine.record], bug_compatible=self.bug_compatible, protect=self.protect
            )
            parts = [
                part if len(kinds) == 1 or isinstance(part, bytes) else part.take(pa.array(rows)) for part in front
            ]
            for cell in file.cells:
                parts += [*group.parts(cell, self._literals), b","]
            texts.append(join([*parts, b"\n"], group.rows))
            order.append(rows)
        if len(texts) == 1:
            return texts[0]
        return pa.concat_arrays(texts).take(pa.array(np.argsort(np.concatenate(order), kind="stable")))

    def _matrix(self, r: Records, file: CsvFile, sections: Located, length: int) -> Bytes:
        """The bytes of sections of one length, up to the known length."""
        matrix = gather(r.chunk.buffer, sections.at, min(length, file.layout.size))
        if file.reach is None or length != file.reach[0]:
            return matrix
        # The tool clears its buffer before each record.
        inside = sections.at[:, None] + np.arange(length) < (r.base + r.length)[sections.record][:, None]
        return np.where(inside, matrix, 0).astype(np.uint8)


def _sections(r: Records, file: CsvFile, codes: tuple[Ints, Ints]) -> Located:
    """The sections that are rows of a file, in the order of the input."""
    layout = file.layout
    located = Located(*structure_sections(r, layout.name, codes))
    if file.length is not None:
        located = located.chosen(np.flatnonzero(located.length == file.length))
    if file.reach is not None and len(located):
        # The tool uses the version in the section, and reads past the end of a section that is too short for it.
        size, version_at, least = file.reach
        version = be(gather(r.chunk.buffer, located.at + version_at, 4), 0, 4)
        short = (version >= least) & (version < 1 << 31) & (located.length < size)
        located = replace(located, length=np.where(short, size, located.length))
    if not layout.slots or not len(located):
        return located
    # Each used slot is a row: a section whose first slot it is.
    first = next(each for each in layout.fields if each.child == layout.slots)
    (count, stride), start = first.dims[0], first.at
    names = gather(r.chunk.buffer, located.at + start, count * stride)[:, ::stride]
    whole = start + stride * (np.arange(count) + 1) <= located.length[:, None]
    row, slot = np.nonzero((names != 0) & whole)
    return Located(
        located.record[row], located.at[row] + stride * slot, np.full(len(row), start + stride), located.index[row]
    )


def _other(r: Records, file: CsvFile, sections: Located) -> tuple[Ints, Ints] | None:
    """Offset (-1 if there is none) and length of the data that a row takes from elsewhere in its record: the
    correlation header, or the correlator of its task.
    """
    if len(file.structures) > 1:
        record, at, length = header_parts(r, file.structures[1])
        offset, lengths = np.full(len(r), -1), np.zeros(len(r), np.int64)
        offset[record], lengths[record] = at, length
        return offset[sections.record], lengths[sections.record]
    if file.layout.name != "wtid":
        return None
    offset = np.full(len(r), -1)
    for structure, correlator in (("wtas", _TASK), ("wq", _QUEUE)):
        record, at, length, _ = structure_sections(r, structure)
        whole = length >= correlator.end
        offset[record[whole]] = at[whole] + correlator.at  # the last of several queues
    return offset[sections.record], np.full(len(sections), 16)


def _gather_known(r: Records, at: Ints, width: int) -> Bytes:
    """Bytes at these offsets of the buffer, zeros for an offset of -1."""
    return np.where(at[:, None] >= 0, gather(r.chunk.buffer, np.maximum(at, 0), width), 0).astype(np.uint8)
