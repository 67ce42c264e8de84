"""The CSV files of mq-smf-csv as data: the structure and field of each column.

`mq_smf_csv/<NAME>.txt` describes SMF-<NAME>.csv. Offsets, types, array shapes and code tables come from the layouts, so
a line has a field and its column:

    structure qsst                  the structure whose sections are rows; a second structure is in the header of the
    same record length 48                       only sections of exactly this length are rows
    qsstgplf    Fixed_Pools_Alloc   field (IBM's name, else ours) and column; a time has two columns, a duration too
    repeat                          repeats the indented lines below for each element of their arrays: <1> and <2> are
    the index from 1,
                                    <CF:2> its word (no column if the table lacks the word)
    *index, *correlator             position of the section in its triplet; correlator of the task
    ! qsstgplf  Other_Name          replaces the line above with --bug-compatible: an error of the original tool
    ! reach 2784 wqver 6            with --bug-compatible, sections with wqver 6 or higher are read up to this length

A field may have options for its format: `:Yes/No` the words of a flag, `:words` the word of a code instead of its
number, `:unset=-1` the text of a value that was never set, `:us` a duration as one number of microseconds, `:u32` and
`:u64` an unsigned number from its first bytes. `@332/80000000` is a bit of an unnamed word. `:Yes/No:120` is a flag
that only sections of at least 120 bytes have, although its word is older.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from mqstat.base.errors import LayoutError
from mqstat.parsers import LAYOUTS, lookups
from mqstat.parsers.kit import Ebcdic, Field, Flag, Hex, Layout, StckInterval, StckTime

FOLDER = Path(__file__).parent / "mq_smf_csv"

NUMBER, DURATION, MICROSECONDS, TIME, TEXT, HEX, WORDS, FLAG = (
    "number", "duration", "microseconds", "time", "text", "hex", "words", "flag",
)  # fmt: skip
INDEX, CORRELATOR = "index", "correlator"

WORD_TABLES: Mapping[str, Mapping[int, str]] = {
    "CF": lookups.CF,
    "CF_OF_TASK": {number: word for number, word in lookups.CF.items() if word != "ReadList"},
    "WQVERB": lookups.WQVERB,
    "SUB": lookups.SUB,
}
"""Words of array elements in column names; the CF tables of a task have no columns for ReadList."""

SPELLED = {"IMS Ctl": "IMS Ctl "}
"""Code words that the tool spells differently."""


@dataclass(frozen=True, eq=False)
class Cell:
    """One value of a row: its location, its format, and its columns.

    source: 0 for the structure of the rows, 1 for that in the header, -1 for a value that is in neither. unset: a raw
    value and the text for it. gate: offset, width and mask of the flag without which the text is meaningless. shifted:
    see `Field.shifted`. least: length of the shortest section that has it.
    """

    columns: tuple[str, ...]
    written_as: str
    source: int = 0
    at: int = 0
    width: int = 0
    signed: bool = False
    words: tuple[tuple[int, str], ...] = ()
    mask: int = 0
    unset: tuple[int, int] | None = None
    gate: tuple[int, int, int] | None = None
    shifted: bool = False
    least: int = 0


@dataclass(frozen=True, eq=False)
class CsvFile:
    """One file: its name, the structures that its rows come from, and its cells after the leading columns.

    length: length of the sections that are rows, None = any. reach: length, offset of a version word and least version
    with which sections are read up to that length.
    """

    name: str
    structures: tuple[str, ...]
    cells: tuple[Cell, ...]
    length: int | None = None
    reach: tuple[int, int, int] | None = None

    @property
    def layout(self) -> Layout:
        """The structure whose sections are rows."""
        return LAYOUTS[self.structures[0]]

    @property
    def is_statistics(self) -> bool:
        """Whether the rows come from SMF 115."""
        return self.layout.routes[0][0] == 115

    @property
    def columns(self) -> list[str]:
        """Names of the columns after the leading columns."""
        return [column for cell in self.cells for column in cell.columns]


@cache
def files(bug_compatible: bool) -> tuple[CsvFile, ...]:
    """All files, by name."""
    return tuple(_file(path, bug_compatible) for path in sorted(FOLDER.glob("*.txt")))


@dataclass
class _Line:
    field: str
    column: str
    repeated: int = 0
    """Number of the group of repeated lines, 0 for lines that are not repeated."""


def _file(path: Path, bug_compatible: bool) -> CsvFile:
    structures: tuple[str, ...] = ()
    length, reach, groups = None, None, 0
    lines: list[_Line] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        words = text.split()
        if not words:
            continue
        if words[0] == "structure":
            structures = tuple(words[1:])
        elif words[0] == "length":
            length = int(words[1])
        elif words[:2] == ["!", "reach"]:
            if bug_compatible:
                reach = (int(words[2]), _field(structures, words[3])[1].at, int(words[4]))
        elif words == ["repeat"]:
            groups += 1
        else:
            match = re.fullmatch(r"(! | *)(\S+) +(\S.*)", text)
            if match is None or not structures:
                raise LayoutError(f"{path.name}, line {number}: {text!r} is not a field and its column")
            line = _Line(match[2], match[3], groups if match[1].isspace() else 0)
            if match[1] != "! ":
                lines.append(line)
            elif bug_compatible:
                lines[-1] = _Line(match[2], match[3], lines[-1].repeated)
    return CsvFile(path.stem, structures, tuple(_cells(structures, lines)), length, reach)


def _cells(structures: tuple[str, ...], lines: list[_Line]) -> Iterator[Cell]:
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines[at].repeated and lines[end].repeated == lines[at].repeated:
            end += 1
        for index in _indexes(structures, lines[at]) if lines[at].repeated else [()]:
            for line in lines[at:end]:
                column = _column(line.column, index)
                if column is not None:
                    yield _cell(structures, line.field, column, index)
        at = end


def _indexes(structures: tuple[str, ...], line: _Line) -> list[tuple[int, ...]]:
    _, field = _field(structures, line.field.partition(":")[0])
    return list(product(*(range(count) for count, _ in field.dims)))


def _column(template: str, index: tuple[int, ...]) -> str | None:
    """The name of a column for an element of an array; None if the element has no word."""

    def word(placeholder: str) -> str | None:
        table, _, dimension = placeholder.rpartition(":")
        element = index[int(dimension) - 1]
        return WORD_TABLES[table].get(element) if table else str(element + 1)

    parts = re.split(r"<([^>]+)>", template)
    texts = [part if number % 2 == 0 else word(part) for number, part in enumerate(parts)]
    return None if None in texts else "".join(text or "" for text in texts)


def _field(structures: tuple[str, ...], name: str) -> tuple[int, Field]:
    """The structure (its number) and the field with this name: IBM's, otherwise ours."""
    for number, structure in enumerate(structures):
        named = LAYOUTS[structure].named
        for field in (*(f for f in named if f.mnemonic == name), *(f for f in named if f.name == name)):
            return number, field
    raise LayoutError(f"{structures}: no field {name}")


def _cell(structures: tuple[str, ...], text: str, column: str, index: tuple[int, ...]) -> Cell:
    name, _, option = text.partition(":")
    if name.startswith("*"):
        derived = name[1:]
        return Cell((column,), derived, -1) if derived == INDEX else Cell((column,), HEX, 1, 0, 16)
    if name.startswith("@"):
        offset, _, mask = name[1:].partition("/")
        return Cell((column,), FLAG, 0, int(offset), 4, words=_flag_words(option), mask=int(mask, 16))
    source, field = _field(structures, name)
    at = field.at + sum(i * stride for i, (_, stride) in zip(index, field.dims, strict=False))
    kind = field.type
    width = kind.width
    if option.startswith("u"):
        if option == "us":
            return Cell((column,), MICROSECONDS, source, at, width)
        if option != "unset" and option[1:].isdigit():
            return Cell((column,), NUMBER, source, at, int(option[1:]) // 8)
    if isinstance(kind, Flag):
        words, _, least = option.partition(":")
        return Cell((column,), FLAG, source, at, width, words=_flag_words(words), mask=kind.mask, least=int(least or 0))
    if isinstance(kind, Ebcdic):
        return Cell((column,), TEXT, source, at, width, gate=_gate(LAYOUTS[structures[source]], field))
    if isinstance(kind, Hex):
        return Cell((column,), HEX, source, at, width)
    if kind is StckTime:
        return Cell((f"{column} (DATE)", f"{column} (TIME)"), TIME, source, at, width)
    if kind is StckInterval:
        return Cell((f"{column}(S)", f"{column}(US)"), DURATION, source, at, width, shifted=field.shifted)
    signed = kind.dtype.startswith("i")
    if option == "words":
        codes = tuple(sorted((code, SPELLED.get(word, word)) for code, word in (field.codes or {}).items()))
        return Cell((column,), WORDS, source, at, width, signed, words=codes)
    unset = None
    if option.startswith("unset=") and field.never_set is not None:
        unset = (field.never_set, int(option.removeprefix("unset=")))
    return Cell((column,), NUMBER, source, at, width, signed, unset=unset)


def _flag_words(option: str) -> tuple[tuple[int, str], ...]:
    on, _, off = option.partition("/")
    return ((0, off), (1, on))


def _gate(layout: Layout, field: Field) -> tuple[int, int, int] | None:
    if not field.valid_when:
        return None
    flag = layout.members[field.valid_when][1]
    return (flag.at, flag.type.width, flag.type.mask) if isinstance(flag.type, Flag) else None
