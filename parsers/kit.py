"""The house vocabulary on construct: types, fields, child tables and layouts.

A `Layout` is a `construct.Construct` that knows every field of one IBM structure with its offset. From this one declaration come
construct's own parse and build (`Layout.parse`, `Layout.build`), the numpy dtype and the vectorised decoder (`parsers.decoder`), the Arrow schema
(`parsers.tables`), the raw view and the data dictionary.

A field is present in a section only when it lies wholly inside it: sections grow from release to release at the end, so a short section of an old
level has nulls and a longer one of a newer level has a tail that is counted.
"""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import construct

from mqstat.errors import LayoutError

EPOCH_STCK_US = 2_208_988_800_000_000
"""Microseconds from 1900-01-01, where the STCK clock starts, to 1970-01-01."""

EPOCH = dt.datetime(1970, 1, 1)

KINDS = ("counter", "gauge", "high", "low", "setting", "duration", "clock", "code", "key", "text", "flag", "internal")
"""What a value is; decides how it is aggregated and shown. `internal` = ids, lengths, eye catchers, addresses and reserved bytes."""

UNITS = (
    "count", "pages", "buffers", "blocks", "bytes", "kib", "mib", "gib", "us", "us2", "ms", "s", "min", "h", "days", "percent", "ratio", "per_s",
    "per_min", "per_h", "mib_per_s", "mib_per_h", "ts_utc", "ts_local", "text", "id", "flag", "number",
)  # fmt: skip


class Number(construct.FormatField):
    """A big-endian integer of 1, 2, 4 or 8 bytes; a 64-bit value of 2**63 or more has no int64 and decodes to None."""

    def __init__(self, code: str) -> None:
        super().__init__(">", code)
        self.width = struct.calcsize(">" + code)
        self.dtype = ("i" if code.islower() else "u") + str(self.width)
        self.ctype = ("s" if code.islower() else "u") + str(8 * self.width)
        self._struct = struct.Struct(">" + code)

    def pack(self, raw: int) -> bytes:
        """The bytes of a raw value, as construct's own build makes them; FormatFieldError when it does not fit."""
        try:
            return self._struct.pack(raw)
        except struct.error as error:
            raise construct.FormatFieldError(f"{raw!r} does not fit {self.ctype}: {error}") from error

    def typed(self, raw: int) -> int | None:
        """The value as int64, None when it does not fit."""
        return raw if raw < 1 << 63 else None

    def untyped(self, value: Any) -> int:
        """The raw number for a value."""
        return int(value)


class _Clock(Number):
    """Base of the two readings of a 64-bit STCK value."""

    def __init__(self) -> None:
        super().__init__("Q")
        self.ctype = type(self).ctype


class _StckTime(_Clock):
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


class _StckInterval(_Clock):
    """Duration in STCK units: 4096 to the microsecond."""

    ctype = "stck-interval"

    def typed(self, raw: int) -> int:
        return raw >> 12

    def untyped(self, value: Any) -> int:
        return int(value) << 12


class Ebcdic(construct.Adapter):
    """EBCDIC text of fixed length, code page 037; trailing blanks and X'00' are removed, an empty text is None."""

    ctype = "text"

    def __init__(self, width: int) -> None:
        super().__init__(construct.Bytes(width))
        self.width = width
        self.dtype = f"V{width}"

    def pack(self, raw: str) -> bytes:
        """The bytes of a raw value."""
        return raw.encode("cp037").ljust(self.width, b"\x40")[: self.width]

    def _decode(self, obj: bytes, context: Any, path: Any) -> str:
        return obj.decode("cp037").rstrip(" \0")

    def _encode(self, obj: str, context: Any, path: Any) -> bytes:
        return self.pack(obj)

    def typed(self, raw: str) -> str | None:
        return raw or None

    def untyped(self, value: Any) -> str:
        return value or ""


class Hex(construct.Adapter):
    """Bytes shown as upper-case hexadecimal digits."""

    ctype = "hex"

    def __init__(self, width: int) -> None:
        super().__init__(construct.Bytes(width))
        self.width = width
        self.dtype = f"V{width}"

    def pack(self, raw: str) -> bytes:
        """The bytes of a raw value."""
        return bytes.fromhex(raw).ljust(self.width, b"\0")[: self.width]

    def _decode(self, obj: bytes, context: Any, path: Any) -> str:
        return obj.hex().upper()

    def _encode(self, obj: str, context: Any, path: Any) -> bytes:
        return self.pack(obj)

    def typed(self, raw: str) -> str:
        return raw

    def untyped(self, value: Any) -> str:
        return value or ""


class Flag(construct.Adapter):
    """One bit, given as a mask on the big-endian word that holds it."""

    ctype = "flag"

    def __init__(self, mask: int, word: Number) -> None:
        super().__init__(word)
        self.mask = mask
        self.word = word
        self.width = word.width
        self.dtype = word.dtype

    def pack(self, raw: Any) -> bytes:
        """The bytes of a raw value: of its word this one bit."""
        return self.word.pack(self.mask if raw else 0)

    def _decode(self, obj: int, context: Any, path: Any) -> int:
        return int(bool(obj & self.mask))

    def _encode(self, obj: Any, context: Any, path: Any) -> int:
        return self.mask if obj else 0

    def typed(self, raw: int) -> bool:
        return bool(raw)

    def untyped(self, value: Any) -> int:
        return int(bool(value))


U8, U16, U32, U64 = Number("B"), Number("H"), Number("L"), Number("Q")
S8, S16, S32, S64 = Number("b"), Number("h"), Number("l"), Number("q")
StckTime, StckInterval = _StckTime(), _StckInterval()

Type = Number | Ebcdic | Hex | Flag


class Field(construct.Renamed):
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
    child       name of the child table that takes the elements as rows; `part` distinguishes arrays that share one child table
    valid_when  name of a flag field of the same section without which the value means nothing
    signed      True where an unsigned word is read as a signed number: the column is signed, the raw view keeps the word
    may_precede why a time may lie before the interval of its record; without a reason it lies inside
    never_negative  True where a negative number has no meaning (storage left below a limit that does not exist): becomes null
    shifted     True for the times that 10.0.0 writes shifted left by 32 bits: the column is corrected; `_raw_us` and `_shifted` are added
    reserved    named by IBM, without content: kept as hex, not part of reports
    """

    def __init__(
        self,
        name: str,
        mnemonic: str,
        at: int,
        type: Type,
        doc: str,
        *,
        kind: str = "counter",
        unit: str = "count",
        since: str = "base",
        never_set: int | None = None,
        no_limit: int | None = None,
        codes: dict[int, str] | None = None,
        dims: tuple[tuple[int, int], ...] = (),
        columns: tuple[str, ...] = (),
        child: str = "",
        part: str = "",
        valid_when: str = "",
        never_negative: bool = False,
        shifted: bool = False,
        reserved: bool = False,
        signed: bool = False,
        may_precede: str = "",
    ) -> None:
        super().__init__(type, newname=name, newdocs=doc)
        self.type, self.doc, self.mnemonic, self.at, self.kind, self.unit, self.since = (
            type,
            doc,
            mnemonic,
            at,
            kind,
            unit,
            since,
        )
        self.never_set, self.no_limit, self.codes = never_set, no_limit, codes
        self.dims, self.columns, self.child, self.part = dims, columns, child, part
        self.valid_when, self.never_negative, self.shifted, self.reserved = (
            valid_when,
            never_negative,
            shifted,
            reserved,
        )
        self.signed, self.may_precede = signed, may_precede

    @property
    def member(self) -> str:
        """Name of the value in what `Layout.parse` gives: the column name, after the part if several arrays share a child table."""
        return f"{self.part}_{self.name}" if self.part else self.name

    @cached_property
    def elements(self) -> list[tuple[tuple[int, ...], int]]:
        """(index, offset) of every element, outermost index first; one element with an empty index for a plain field."""
        ranges = [range(count) for count, _ in self.dims]
        return [
            (index, self.at + sum(i * stride for i, (_, stride) in zip(index, self.dims, strict=True)))
            for index in product(*ranges)
        ]

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
    """Reserved bytes without a name: described so that no byte is unaccounted for, never shown."""

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

    `part` names the text key column that distinguishes two arrays of the same shape (commit and prepare). `has` is the column of the parent that
    is true if the section was long enough to hold the array.
    """

    name: str
    doc: str
    keys: tuple[Key, ...]
    has: str
    part: str = ""
    part_doc: str = ""


class Layout(construct.Construct):
    """One IBM structure: name, title, published sizes, where it occurs, and its fields in the order of the manual.

    `routes` are (SMF type, subtype, triplet index); structures inside the header area of triplet 0 have no routes.
    `repeats` is true where a record holds an array of sections. `slots` is the child table whose elements are rows of the raw view.
    """

    def __init__(
        self,
        name: str,
        title: str,
        *,
        size: int,
        fields: tuple[Field, ...],
        routes: tuple[tuple[int, int, int], ...] = (),
        sizes: tuple[int, ...] = (),
        eyecatcher: str = "",
        identifier: int | None = None,
        repeats: bool = False,
        children: tuple[Child, ...] = (),
        slots: str = "",
    ) -> None:
        super().__init__()
        self.name, self.title, self.size, self.fields, self.routes = name, title, size, fields, routes
        self.sizes = sizes or (size,)
        self.least = min(self.sizes) // 2
        """The shortest section that is believed: sections of levels older than the published ones may be shorter, but not by this much."""
        self.eyecatcher, self.repeats, self.children, self.slots = eyecatcher, repeats, children, slots
        self.identifier = identifier
        """Control block identifier as it is in data, which differs from the C header for five structures; read by nothing but fixtures."""
        self._check()

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
        """(header, field, offset) of every column of the raw view, in its order; the second reading of the same bytes is left out."""
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

    def _parse(self, stream: Any, context: Any, path: Any) -> construct.Container:
        section = construct.stream_read_entire(stream, path)
        out = construct.Container()
        for field in self.fields:
            width = field.type.width
            values = [
                field.type.parse(section[at : at + width]) if at + width <= len(section) else None
                for _, at in field.elements
            ]
            out[field.member] = _nest(values, [count for count, _ in field.dims]) if field.dims else values[0]
        return out

    @cached_property
    def members(self) -> Mapping[str, tuple[int, Field]]:
        """Member -> (place in the order of declaration, field)."""
        return {field.member: (number, field) for number, field in enumerate(self.fields)}

    def _build(self, obj: Any, stream: Any, context: Any, path: Any) -> Any:
        values = dict(obj)
        section = bytearray(values.pop("section_bytes", self.size))
        unknown = sorted(set(values) - self.members.keys())
        if unknown:
            raise LayoutError(f"{self.name}: no field {', '.join(unknown)}")
        # Of two readings of the same bytes the first one declared wins.
        given = sorted(((*self.members[name], value) for name, value in values.items()), key=_number, reverse=True)
        for _, field, value in given:
            if value is None:
                continue
            for number, item in _numbered(field, value):
                at, width = field.elements[number][1], field.type.width
                if item is None or at + width > len(section):
                    continue
                encoded = field.pack(item)
                if isinstance(field.type, Flag):
                    encoded = bytes(a | b for a, b in zip(section[at : at + width], encoded, strict=True))
                section[at : at + width] = encoded
        construct.stream_write(stream, bytes(section), len(section), path)
        return obj

    def _sizeof(self, context: Any, path: Any) -> int:
        return self.size

    def typed(self, section: bytes, *, level: int = 0) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
        """Typed columns of one section and the rows of its child tables, by construct's own parse; the slow twin of `decoder.decode`.

        level: VVRRMM as a number (100000 = 10.0.0), which decides whether shifted times are corrected.
        """
        parsed = self.parse(section)
        parent: dict[str, Any] = {}
        for field in self.named:
            if field.child:
                continue
            values = _flatten(parsed[field.name]) if field.dims else [parsed[field.name]]
            for name, raw in zip(field.columns or (field.name,), values, strict=True):
                parent.update(_typed_columns(field, name, raw if self.is_valid(field, section) else None, level))
        children: dict[str, list[dict[str, Any]]] = {}
        for child in self.children:
            fields = [field for field in self.fields if field.child == child.name]
            parent[child.has] = any(field.elements[0][1] + field.type.width <= len(section) for field in fields)
            children[child.name] = list(self._child_rows(child, fields, section, parsed, level))
        return parent, children

    def is_valid(self, field: Field, section: bytes) -> bool:
        """Whether the value of a field means something in a section: its flag (`valid_when`) is on."""
        if not field.valid_when:
            return True
        flag = self.members[field.valid_when][1]
        end = flag.at + flag.type.width
        return end <= len(section) and bool(flag.type.parse(section[flag.at : end]))

    def _child_rows(self, child: Child, fields: list[Field], section: bytes, parsed: Any, level: int) -> Any:
        for part in dict.fromkeys(field.part for field in fields):
            group = [field for field in fields if field.part == part]
            leaves = {field.member: _flatten(parsed[field.member]) for field in group}
            for number, (index, _) in enumerate(group[0].elements):
                places = [(field, field.elements[number][1]) for field in group]
                if not any(
                    any(section[at : at + field.type.width])
                    for field, at in places
                    if at + field.type.width <= len(section)
                ):
                    continue
                row: dict[str, Any] = {child.part: part} if child.part else {}
                for key, i in zip(child.keys, index, strict=True):
                    row[key.name] = i + 1
                    if key.words:
                        row[key.name + "_name"] = key.words[i]
                for field, _ in places:
                    row.update(_typed_columns(field, field.name, leaves[field.member][number], level))
                yield row


def is_shifted(raw: int, level: int) -> bool:
    """Whether a latch time of this record holds its value shifted left by 32 bits (10.0.0 only; layout notes, section 10 item 22)."""
    return level == 100_000 and raw > 1 << 32 and raw & 0xFFFFFFFF == 0


def meaning(field: Field, raw: Any, level: int) -> tuple[Any, str]:
    """The typed value of a raw value, or None, and a remark on it, empty if the value is plain.

    The remarks: absent (the section is too short), never set, no limit, negative (has no meaning here), unknown code, shifted (corrected),
    not set (an empty text or clock, or a 64-bit number beyond int64). `level` as in `Layout.typed`. Raw values outside a section's flag
    (`valid_when`) are the caller's to leave out. This is the one interpretation of a raw value; the vectorised decoder is tested against it.
    """
    if raw is None:
        return None, "absent"
    if field.never_set is not None and raw == field.never_set:
        return None, "never set"
    if field.no_limit is not None and raw == field.no_limit:
        return None, "no limit"
    if field.never_negative and raw < 0:
        return None, "negative"
    if field.codes is not None:
        word = field.codes.get(raw)
        return word, "" if word is not None else "unknown code"
    if field.shifted and is_shifted(raw, level):
        return raw >> 44, "shifted"
    value = field.type.typed(field.as_signed(raw) if field.signed else raw)
    return value, "" if value is not None else "not set"


def _typed_columns(field: Field, name: str, raw: Any, level: int) -> dict[str, Any]:
    value, remark = meaning(field, raw, level)
    if field.codes is not None:
        return {name: value, name + "_code": raw if remark in ("", "unknown code") else None}
    if field.shifted:
        stem = name.removesuffix("_us")
        there = remark != "absent"
        return {name: value, stem + "_raw_us": raw >> 12 if there else None, stem + "_shifted": remark == "shifted" if there else None}  # fmt: skip
    if field.no_limit is not None:
        return {name: value, name + "_no_limit": None if remark == "absent" else remark == "no limit"}
    return {name: value}


def _number(given: tuple[int, Field, Any]) -> int:
    return given[0]


def _numbered(field: Field, value: Any) -> Iterable[tuple[int, Any]]:
    """(number of an element, its value) of what is given for a field: of an array all elements, or a mapping from the numbers of some."""
    if not field.dims:
        return ((0, value),)
    return value.items() if isinstance(value, Mapping) else enumerate(_flatten(value)[: len(field.elements)])


def _flatten(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _flatten(item)] if isinstance(value, list | tuple) else [value]


def _nest(values: list[Any], counts: list[int]) -> Any:
    if len(counts) == 1:
        return construct.ListContainer(values)
    step = len(values) // counts[0]
    return construct.ListContainer(_nest(values[i * step : (i + 1) * step], counts[1:]) for i in range(counts[0]))
