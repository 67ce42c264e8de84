"""The raw view: every section under IBM's own field names with undecoded values, as CSV.

Columns: first `record` (number of the logical record in the dump, all SMF types counted, from 0) and `section`
(position in its triplet, from 0), then the fields in the order of the manual; numbers decimal, clocks and durations as
the raw 64-bit number, text from EBCDIC without blanks and X'00' at the end, other bytes as hexadecimal digits; empty
where the section is too short for the field.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mqstat.base.atomic_write import without
from mqstat.base.errors import DatasetError
from mqstat.intake.part import PartResult, account
from mqstat.intake.pipeline import chunks_of
from mqstat.parsers import LAYOUTS
from mqstat.parsers.batch import structure_sections
from mqstat.parsers.columns import gather, hex_column, text_column
from mqstat.parsers.decoder import raw_columns
from mqstat.parsers.framing import Framing
from mqstat.parsers.kit import Layout
from mqstat.parsers.record import NONE, Records, be, read
from mqstat.sources.source import Source


class Writable(Protocol):
    """A stream that text can be written to."""

    def write(self, text: str, /) -> object:
        """Write text."""


RECORD_COLUMNS = (
    "record", "offset", "length", "segments", "smf_type", "subtype", "smf_time", "smf_date", "lpar", "qmgr", "release", "qwhsstck", "qwhstime",
    "qwhsdurn", "qwhxqsg", "qwhxrel",
)  # fmt: skip

IN_RECORD_CSV = ("qwhs", "qwhx")
"""Structures whose values are in record.csv if all structures are written."""


def header(layout: Layout) -> list[str]:
    """Header row of a structure."""
    return ["record", "section", *(name for name, _, _ in layout.raw_columns())]


def rows(r: Records, name: str) -> Iterator[tuple[str, ...]]:
    """Raw rows of one structure in one chunk."""
    layout = LAYOUTS[name]
    record, at, length, index = structure_sections(r, name)
    if not len(record):
        return
    matrix = np.zeros((len(record), layout.size), np.uint8)
    for width in np.unique(length).tolist():
        mine = np.flatnonzero(length == width)
        used = min(width, layout.size)
        matrix[mine, :used] = gather(r.chunk.buffer, at[mine], used)
    numbers = r.number[record]
    if layout.slots:
        matrix, length, numbers, index = _slots(layout, matrix, length, numbers)
        if not len(matrix):
            return
    columns = [values for _, values in raw_columns(layout, matrix, length)]
    yield from zip(map(str, numbers.tolist()), map(str, index.tolist()), *columns, strict=True)


def _slots(layout: Layout, matrix: Any, length: Any, numbers: Any) -> tuple[Any, Any, Any, Any]:
    """Used slots as separate sections: the bytes of the slot are copied to the offset of the first slot."""
    first = next(field for field in layout.fields if field.child == layout.slots)
    (count, stride), start = first.dims[0], first.at
    body = matrix[:, start : start + count * stride].reshape(len(matrix), count, stride)
    used = (body[:, :, 0] != 0) & (start + stride * np.arange(count)[None, :] < length[:, None])
    row, slot = np.nonzero(used)
    out = np.zeros((len(row), layout.size), np.uint8)
    out[:, :start] = matrix[row, :start]
    out[:, start : start + stride] = body[row, slot]
    return out, np.minimum(length[row] - slot * stride, start + stride), numbers[row], slot


def _text(cells: Any, there: Any) -> list[str]:
    values = text_column(np.ascontiguousarray(cells)).to_pylist()
    return [(value or "") if ok else "" for value, ok in zip(values, there.tolist(), strict=True)]


def record_rows(r: Records, first_number: int) -> Iterator[tuple[str, ...]]:
    """Rows of record.csv for all records of a chunk, of any SMF type."""
    chunk = r.chunk
    cells = gather(chunk.buffer, chunk.base, 28)
    cells = np.where(np.arange(28)[None, :] < chunk.length[:, None], cells, 0).astype(np.uint8)
    long = chunk.length >= 28
    smf_type = cells[:, 5]
    mq = ((smf_type == 115) | (smf_type == 116)) & long
    count = len(chunk.base)
    raw = {name: [""] * count for name in ("stck", "start", "duration", "qsg", "rel")}
    qwhx = gather(chunk.buffer, np.where(r.qwhx_at >= 0, r.qwhx_at, 0), 16)
    groups, levels = _text(qwhx[:, 4:8], r.qwhx_at >= 0), _text(qwhx[:, 8:14], r.qwhx_at >= 0)
    for i, row in enumerate(r.row.tolist()):
        for name, values in (("stck", r.stck), ("start", r.start_raw), ("duration", r.duration_raw)):
            value = int(values[i])
            raw[name][row] = "" if value == NONE else str(value & 0xFFFFFFFFFFFFFFFF)
        raw["qsg"][row], raw["rel"][row] = groups[i], levels[i]
    everywhere = np.ones(count, bool)
    columns = [
        [str(first_number + i) for i in range(count)],
        map(str, chunk.offset.tolist()),
        map(str, chunk.length.tolist()),
        map(str, chunk.segments.tolist()),
        map(str, smf_type.tolist()),
        [str(s) if ok else "" for s, ok in zip(be(cells, 22, 2).tolist(), long.tolist(), strict=True)],
        map(str, be(cells, 6, 4).tolist()),
        hex_column(np.ascontiguousarray(cells[:, 10:14])).to_pylist(),
        _text(cells[:, 14:18], everywhere),
        _text(cells[:, 18:22], mq),
        _text(cells[:, 24:27], mq),
        raw["stck"], raw["start"], raw["duration"], raw["qsg"], raw["rel"],
    ]  # fmt: skip
    yield from zip(*columns, strict=True)


def read_all(
    source: Source, framing: Framing | None = None, counted: PartResult | None = None
) -> Iterator[tuple[Records, int]]:
    """Records of a source chunk by chunk, with the number of the first record of the chunk; `counted` receives the
    ledger.
    """
    number = 0
    for chunk in chunks_of(source, framing):
        records = read(chunk, number)
        if counted is not None:
            account(counted, records, number, count_sections=False)
        yield records, number
        number += len(chunk.base)


Cell = Callable[[str], str]
"""Formats a value for CSV."""


def write_structure(
    source: Source,
    name: str,
    stream: Writable,
    framing: Framing | None = None,
    cell: Cell = str,
    counted: PartResult | None = None,
) -> int:
    """Write one structure of a dump as CSV, each value formatted by `cell`; returns the number of rows."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(RECORD_COLUMNS if name == "record" else header(LAYOUTS[name]))
    count = 0
    for r, first in read_all(source, framing, counted):
        for row in record_rows(r, first) if name == "record" else rows(r, name):
            writer.writerow(map(cell, row))
            count += 1
    return count


def write_all(
    source: Source, folder: Path, framing: Framing | None = None, cell: Cell = str, counted: PartResult | None = None
) -> dict[str, int]:
    """Write one file per structure that has rows, record.csv and counts.csv into a folder, each value formatted by
    `cell`; returns the number of rows of each.

    Raises DatasetError if the folder cannot be written.
    """
    counts: dict[str, int] = {}
    seen: dict[tuple[int, int], int] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            writers: dict[str, Any] = {}

            def write_file(name: str, columns: Any, lines: Iterator[tuple[str, ...]]) -> None:
                for row in lines:
                    if name not in writers:
                        stream = stack.enter_context(
                            without(folder / f"{name}.csv").open("x", encoding="utf-8", newline="")
                        )
                        writers[name] = csv.writer(stream, lineterminator="\n")
                        writers[name].writerow(columns)
                    writers[name].writerow(map(cell, row))
                    counts[name] = counts.get(name, 0) + 1

            for r, first in read_all(source, framing, counted):
                write_file("record", RECORD_COLUMNS, record_rows(r, first))
                for name, layout in LAYOUTS.items():
                    if name not in IN_RECORD_CSV:
                        write_file(name, header(layout), rows(r, name))
                _count(r, seen)
        with without(folder / "counts.csv").open("x", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(("smf_type", "subtype", "records"))
            for (smf_type, subtype), number in sorted(seen.items()):
                writer.writerow((smf_type, "" if subtype < 0 else subtype, number))
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written ({error.strerror}).") from None
    return counts


def _count(r: Records, seen: dict[tuple[int, int], int]) -> None:
    chunk = r.chunk
    cells = gather(chunk.buffer, chunk.base, 28)
    subtype = np.where(chunk.length >= 28, be(cells, 22, 2), -1)
    keys, numbers = np.unique(cells[:, 5].astype(np.int64) * 131_072 + subtype + 1, return_counts=True)
    for key, number in zip(keys.tolist(), numbers.tolist(), strict=True):
        key_parts = (key >> 17, (key & 131_071) - 1)
        seen[key_parts] = seen.get(key_parts, 0) + number
