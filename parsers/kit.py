"""The vocabulary of the layouts: types, fields, child tables and structures.

A `Layout` knows every field of one IBM structure with its offset. From this one declaration come construct's parse and
build (`parsers.constructs`), the numpy dtype and the vectorised decoder (`parsers.decoder`), the Arrow schema
(`parsers.tables`), the raw view and the data dictionary.

A field is present in a section only if all of its bytes are inside: sections grow from release to release at the end,
so a short section of an old level has nulls and a longer one of a newer level has a tail that is counted.
"""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, TypeAlias

from mqstat.base.errors import LayoutError

EPOCH_STCK_US = 2_208_988_800_000_000
"""Microseconds from 1900-01-01, where the STCK clock starts, to 1970-01-01."""

EPOCH = dt.datetime(1970, 1, 1)

KINDS = ("counter", "gauge", "high", "low", "setting", "duration", "clock", "code", "key", "text", "flag", "internal")
"""What a value is; decides how it is aggregated and shown. `internal` = ids, lengths, eye catchers, addresses and
reserved bytes."""

UNITS = (
    "count", "pages", "buffers", "blocks", "bytes", "kib", "mib", "gib", "us", "us2", "ms", "s", "min", "h", "days", "percent", "ratio", "per_s",
    "per_min", "per_h", "mib_per_s", "mib_per_h", "ts_utc", "ts_local", "date", "text", "id", "flag", "number",
)  # fmt: skip

BELIEVED = {"count": 1 << 48, "bytes": 1 << 54, "us": 1 << 48, "mib": 1 << 34}
"""By unit, the largest 64-bit number that is believed: 281 million million calls, 16 PiB, 8.9 years. A larger one is no
figure of MQ; it becomes null, because one of them would make sums and products of a whole report exceed 64 bits."""

SHARING = ("public", "clock", "name", "job", "system", "bytes", "thread")
"""What a text or bytes may contain of a site: nothing (it is copied), a store clock in the first eight bytes (it is
copied, and moved with all clocks), a name, the name of a job, the name of a queue manager or queue-sharing group, bytes
that contain names, or a thread cross-reference."""


# Types, fields and layouts are equal only to themselves: each is declared once, and caches hold what is derived from
# it.


@dataclass(frozen=True, eq=False)
class Number:
    """A big-endian integer of 1, 2, 4 or 8 bytes; a 64-bit value beyond `Field.highest` decodes to None.

    code: its letter in `struct`, a small one for a signed number.
    """

    code: str

    @cached_property
    def _struct(self) -> struct.Struct:
        return struct.Struct(">" + self.code)

    @cached_property
    def width(self) -> int:
        """Length in bytes."""
        return self._struct.size

    @cached_property
    def dtype(self) -> str:
        """The numpy type, without byte order."""
        return ("i" if self.code.islower() else "u") + str(self.width)

    @property
    def ctype(self) -> str:
        """The type as the data dictionary names it."""
        return ("s" if self.code.islower() else "u") + str(8 * self.width)

    @cached_property
    def pack_into(self) -> Callable[[bytearray, int, int], None]:
        """Function that writes a raw value into a section at an offset; struct.error when it does not fit."""
        return self._struct.pack_into

    def pack(self, raw: Any) -> bytes:
        """The bytes of a raw value; LayoutError when it does not fit."""
        try:
            return self._struct.pack(raw)
        except struct.error as error:
            raise LayoutError(f"{raw!r} does not fit {self.ctype}: {error}") from error

    def typed(self, raw: int) -> int | dt.datetime | None:
        """The value of a raw number."""
        return raw

    def untyped(self, value: Any) -> int:
        """The raw number for a value."""
        return int(value)


class _StckTime(Number):
    """STCK clock: microseconds since 1900 in the upper 52 bits. Zero and anything before 1970 were never set."""

    ctype = "stck-time"

    def typed(self, raw: int) -> dt.datetime | None:
        us = (raw >> 12) - EPOCH_STCK_US
        return EPOCH + dt.timedelta(microseconds=us) if us >= 0 else None

    def untyped(self, value: Any) -> int:
        if isinstance(value, dt.datetime):
            delta = value - EPOCH
            return ((delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds + EPOCH_STCK_US) << 12
        return int(value)


class _StckInterval(Number):
    """Duration in STCK units: 4096 to the microsecond."""

    ctype = "stck-interval"

    def typed(self, raw: int) -> int:
        return raw >> 12

    def untyped(self, value: Any) -> int:
        return int(value) << 12


@lru_cache(4096)
def _ebcdic(text: str, width: int) -> bytes:
    """A text in code page 037, filled or cut to a width; the same few names are written again and again."""
    return text.encode("cp037").ljust(width, b"\x40")[:width]


@dataclass(frozen=True, eq=False)
class Ebcdic:
    """EBCDIC text of fixed length, code page 037; trailing blanks and X'00' are removed, an empty text is None."""

    width: int
    ctype = "text"

    @property
    def dtype(self) -> str:
        """The numpy type."""
        return f"V{self.width}"

    def pack(self, raw: str) -> bytes:
        """The bytes of a raw value."""
        return _ebcdic(raw, self.width)

    def typed(self, raw: str) -> str | None:
        """The text, None for an empty one."""
        return raw or None

    def untyped(self, value: Any) -> str:
        """The raw text for a value."""
        return value or ""


@dataclass(frozen=True, eq=False)
class Hex:
    """Bytes shown as upper-case hexadecimal digits."""

    width: int
    ctype = "hex"

    @property
    def dtype(self) -> str:
        """The numpy type."""
        return f"V{self.width}"

    def pack(self, raw: str) -> bytes:
        """The bytes of a raw value."""
        return bytes.fromhex(raw).ljust(self.width, b"\0")[: self.width]

    def typed(self, raw: str) -> str:
        """The digits."""
        return raw

    def untyped(self, value: Any) -> str:
        """The digits for a value."""
        return value or ""


@dataclass(frozen=True, eq=False)
class Flag:
    """One bit, given as a mask on the big-endian word that holds it."""

    mask: int
    word: Number
    ctype = "flag"

    @property
    def width(self) -> int:
        """Length of the word in bytes."""
        return self.word.width

    @property
    def dtype(self) -> str:
        """The numpy type of the word."""
        return self.word.dtype

    def pack(self, raw: Any) -> bytes:
        """The bytes of a raw value: of its word this one bit."""
        return self.word.pack(self.mask if raw else 0)

    def typed(self, raw: int) -> bool:
        """Whether the bit is on."""
        return bool(raw)

    def untyped(self, value: Any) -> int:
        """1 or 0 for a value."""
        return int(bool(value))


U8, U16, U32, U64 = Number("B"), Number("H"), Number("L"), Number("Q")
S8, S16, S32, S64 = Number("b"), Number("h"), Number("l"), Number("q")
StckTime, StckInterval = _StckTime("Q"), _StckInterval("Q")

_INT64_MAX = (1 << 63) - 1

Type: TypeAlias = Number | Ebcdic | Hex | Flag


@dataclass(frozen=True, eq=False)
class Field:
    """One named field of a structure; a layout has each on one line, without what equals the default.

    name        readable column name; the same name means the same thing, type and unit everywhere
    mnemonic    IBM's name, as in the raw view
    at          offset in the section (of the first element, for an array)
    type        one of the vocabulary above
    doc         one sentence
    kind, unit  from the closed lists KINDS and UNITS
    since       first MQ release, or structure version, that has the field
    never_set   raw value that means "never set": becomes null
    no_limit    raw value that means "no limit": becomes null, and the flag column `<name>_no_limit` becomes true
    codes       code table {number: word}: the column holds the word, `<name>_code` the number
    dims        ((count, stride), ...) of an array, outermost first
    columns     column names of the elements of a small fixed array
    child       name of the child table that takes the elements as rows; `part` distinguishes arrays that share one
    child table valid_when  name of the flag field of the same section that is on where the value is valid
    signed      True where an unsigned word is read as a signed number: the column is signed, the raw view keeps the
    word may_precede why a time may lie before the interval of its record; without a reason it lies inside
    never_negative  True where a negative number is not valid (storage left below a limit that does not exist): becomes
    null shifted     True for the times that 10.0.0 writes shifted left by 32 bits: the column is corrected; `_raw_us`
    and `_shifted` are added reserved    named by IBM, without content: kept as hex, not part of reports
    sharing     what `mqstat redact` does with a text or bytes, one of SHARING; reserved fields become zeros and numbers
    are copied
    """

    name: str
    mnemonic: str
    at: int
    type: Type
    doc: str
    _: KW_ONLY
    kind: str = "counter"
    unit: str = "count"
    since: str = "base"
    never_set: int | None = None
    no_limit: int | None = None
    codes: Mapping[int, str] | None = None
    dims: tuple[tuple[int, int], ...] = ()
    columns: tuple[str, ...] = ()
    child: str = ""
    part: str = ""
    valid_when: str = ""
    never_negative: bool = False
    shifted: bool = False
    reserved: bool = False
    signed: bool = False
    may_precede: str = ""
    sharing: str = ""

    @property
    def member(self) -> str:
        """Name of the value in what `Layout.parse` gives: the column name, after the part if several arrays share a
        child table.
        """
        return f"{self.part}_{self.name}" if self.part else self.name

    @cached_property
    def elements(self) -> list[tuple[tuple[int, ...], int]]:
        """(index, offset) of every element, outermost index first; one element with an empty index for a plain
        field.
        """
        ranges = [range(count) for count, _ in self.dims]
        return [
            (index, self.at + sum(i * stride for i, (_, stride) in zip(index, self.dims, strict=True)))
            for index in product(*ranges)
        ]

    @cached_property
    def highest(self) -> int | None:
        """The largest magnitude of the typed value that is believed; None for a number that needs no limit."""
        if not isinstance(self.type, Number) or self.type.width < 8 or self.type is StckTime:
            return None
        return BELIEVED.get(self.unit, _INT64_MAX) if self.kind != "internal" else _INT64_MAX

    @property
    def end(self) -> int:
        """Offset after the last byte of the last element."""
        return self.elements[-1][1] + self.type.width

    def pack(self, raw: Any) -> bytes:
        """The bytes of a raw value of one element; a negative number of a `signed` field becomes its word."""
        if self.signed and isinstance(raw, int) and raw < 0:
            raw += 1 << (8 * self.type.width)
        return self.type.pack(raw)

    def as_signed(self, raw: int) -> int:
        """The word of a `signed` field as a signed number."""
        bits = 8 * self.type.width
        return raw - (1 << bits) if raw >> (bits - 1) else raw


class Unused(Field):
    """Reserved bytes without a name: declared so that every byte is accounted for; never shown."""

    def __init__(self, width: int, *, at: int, dims: tuple[tuple[int, int], ...] = ()) -> None:
        super().__init__(
            f"unused_{at}", "", at, Hex(width), "Reserved.", kind="internal", unit="text", dims=dims, reserved=True
        )


@dataclass(frozen=True)
class Key:
    """A key column of a child table, counted from 1; with `words` the column `<name>_name` names the element."""

    name: str
    count: int
    doc: str
    words: tuple[str | None, ...] = ()


@dataclass(frozen=True)
class Child:
    """A child table: one row per element of the arrays that name it, without the elements whose bytes are all zero.

    `part` names the text key column that distinguishes two arrays of the same shape (commit and prepare). `has` is the
    column of the parent that is true if the section was long enough to hold the array.
    """

    name: str
    doc: str
    keys: tuple[Key, ...]
    has: str
    part: str = ""
    part_doc: str = ""


@dataclass(frozen=True, eq=False)
class Layout:
    """One IBM structure: name, title, published sizes, where it occurs, and its fields in the order of the manual.

    `sizes` are the published lengths in ascending order, the `size` alone if none are given. `routes` are (SMF type,
    subtype, triplet index); structures inside the header area of triplet 0 have no routes.
    `identifier` is the control block identifier as it is in data, which differs from the C header for five structures;
    only fixtures read it. `repeats` is true where a record holds an array of sections. `slots` is the child table whose
    elements are rows of the raw view.
    """

    name: str
    title: str
    _: KW_ONLY
    size: int
    fields: tuple[Field, ...]
    routes: tuple[tuple[int, int, int], ...] = ()
    sizes: tuple[int, ...] = ()
    eyecatcher: str = ""
    identifier: int | None = None
    repeats: bool = False
    children: tuple[Child, ...] = ()
    slots: str = ""

    def __post_init__(self) -> None:
        if not self.sizes:
            object.__setattr__(self, "sizes", (self.size,))
        self._check()

    @property
    def least(self) -> int:
        """The shortest section that is accepted: sections of levels older than the published ones may be shorter, but
        not by this much.
        """
        return min(self.sizes) // 2

    def _check(self) -> None:
        if bool(self.eyecatcher) != (self.identifier is not None):
            raise LayoutError(f"{self.name}: give both eyecatcher and identifier, or neither")
        named = [field.mnemonic for field in self.fields if field.mnemonic]
        twice = {m for m in named if named.count(m) > 1} - {
            f.mnemonic for f in self.fields if isinstance(f.type, Ebcdic)
        }
        if twice:
            raise LayoutError(f"{self.name}: declared twice: {', '.join(sorted(twice))}")
        covered = bytearray(self.size)
        for field in self.fields:
            if field.kind not in KINDS or field.unit not in UNITS:
                raise LayoutError(f"{self.name}.{field.name}: unknown kind {field.kind!r} or unit {field.unit!r}")
            if field.sharing and field.sharing not in SHARING:
                raise LayoutError(f"{self.name}.{field.name}: unknown sharing {field.sharing!r}")
            if field.child and field.child not in {child.name for child in self.children}:
                raise LayoutError(f"{self.name}.{field.name}: no child table {field.child!r}")
            if field.columns and len(field.columns) != len(field.elements):
                raise LayoutError(
                    f"{self.name}.{field.name}: {len(field.columns)} names for {len(field.elements)} elements"
                )
            if field.dims and not (field.columns or field.child or isinstance(field, Unused)):
                raise LayoutError(f"{self.name}.{field.name}: an array needs columns or a child table")
            for _, at in field.elements:
                if at + field.type.width > self.size:
                    raise LayoutError(
                        f"{self.name}.{field.name}: ends at {at + field.type.width}, the structure at {self.size}"
                    )
                covered[at : at + field.type.width] = b"\1" * field.type.width
        if 0 in covered:
            raise LayoutError(f"{self.name}: byte {covered.index(0)} is not described")

    @property
    def named(self) -> tuple[Field, ...]:
        """All fields but the unnamed reserved ones."""
        return tuple(field for field in self.fields if not isinstance(field, Unused))

    def raw_columns(self) -> list[tuple[str, Field, int]]:
        """(header, field, offset) of every column of the raw view, in its order; the second field over the same bytes
        is left out.
        """
        seen: set[str] = set()
        out = []
        for field in self.named:
            if field.mnemonic in seen:
                continue
            seen.add(field.mnemonic)
            if field.child and field.child == self.slots:
                out.append((field.mnemonic, field, field.at))
                continue
            out += [(field.mnemonic + "".join(f"[{i}]" for i in index), field, at) for index, at in field.elements]
        return out

    @cached_property
    def members(self) -> Mapping[str, tuple[int, Field]]:
        """Member -> (position in the order of declaration, field)."""
        return {field.member: (number, field) for number, field in enumerate(self.fields)}
