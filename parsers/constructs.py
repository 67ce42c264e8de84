"""construct implementation of the layouts: parse and build of one section, and the reference decoder for tests of the
vectorised one.

This is the only module that imports construct. Parsing is slow; fixtures, tests and `mqstat trace` use it.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import construct

from mqstat.base.errors import LayoutError
from mqstat.parsers.kit import Child, Ebcdic, Field, Flag, Hex, Layout, Number, Type
from mqstat.parsers.meaning import typed_columns


@cache
def of_type(kind: Type) -> Any:
    """The construct of a type: it parses bytes to the raw value and builds them from it."""
    if isinstance(kind, Ebcdic):
        return construct.ExprAdapter(
            construct.Bytes(kind.width), lambda obj, _: obj.decode("cp037").rstrip(" \0"), lambda obj, _: kind.pack(obj)
        )
    if isinstance(kind, Hex):
        return construct.ExprAdapter(
            construct.Bytes(kind.width), lambda obj, _: obj.hex().upper(), lambda obj, _: kind.pack(obj)
        )
    if isinstance(kind, Flag):
        return construct.ExprAdapter(
            of_type(kind.word), lambda obj, _: int(bool(obj & kind.mask)), lambda obj, _: kind.mask if obj else 0
        )
    return construct.FormatField(">", kind.code)


@cache
def of_layout(layout: Layout) -> Any:
    """The construct of a layout: a container of raw values by `Field.member`, with None for what a short section does
    not hold.

    To build, `section_bytes` gives the length of the section; members not given are zero.
    """
    return _Structure(layout)


class _Structure(construct.Construct):  # type: ignore[misc] # construct has no types
    """A section with the fields of a layout at their offsets."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout

    def _parse(self, stream: Any, context: Any, path: Any) -> Any:
        section = construct.stream_read_entire(stream, path)
        # One stream and context for all fields: `parse` of a field makes new ones, which takes longer than parsing it.
        window, out = io.BytesIO(section), construct.Container()
        for field in self.layout.fields:
            kind, width, values = of_type(field.type), field.type.width, []
            for _, at in field.elements:
                if at + width <= len(section):
                    window.seek(at)
                    values.append(kind._parsereport(window, context, path))
                else:
                    values.append(None)
            out[field.member] = _nest(values, [count for count, _ in field.dims]) if field.dims else values[0]
        return out

    def _build(self, obj: Any, stream: Any, context: Any, path: Any) -> Any:
        section = build(self.layout, obj)
        construct.stream_write(stream, section, len(section), path)
        return obj

    def _sizeof(self, context: Any, path: Any) -> int:
        return self.layout.size


def raw_value(kind: Type, content: bytes) -> Any:
    """The raw value of one element of a field: a number, or a text."""
    return of_type(kind).parse(content)


def parse(layout: Layout, section: bytes) -> dict[str, Any]:
    """The raw values of a section by `Field.member`, nested lists for arrays."""
    return dict(of_layout(layout).parse(section))


def build(layout: Layout, values: Mapping[str, Any]) -> bytes:
    """The bytes of a section from raw values by `Field.member`; LayoutError for a name that is not one, or a number
    that does not fit.

    Directly, without construct: a scenario has tens of thousands of sections.
    """
    section = bytearray(values.get("section_bytes", layout.size))
    size = len(section)
    fields, shared = _fields(layout), _shared(layout)
    names: Iterable[str] = values
    if len(shared & values.keys()) > 1:
        # If two fields describe the same bytes, the first one declared wins: it is written last.
        names = sorted(values, key=lambda name: fields[name].number if name in fields else 0, reverse=True)
    for name in names:
        value = values[name]
        if name not in fields:
            if name != "section_bytes":
                unknown = sorted(values.keys() - fields.keys() - {"section_bytes"})
                raise LayoutError(f"{layout.name}: no field {', '.join(unknown)}")
        elif value is not None:
            _, pack_into, at, end, field = fields[name]
            if pack_into is None:
                _put(section, field, value)
            elif end <= size:
                try:
                    pack_into(section, at, value)
                except struct.error:
                    field.pack(value)  # states what does not fit
                    raise
    return bytes(section)


class _Declared(NamedTuple):
    """A field: its position in the order of declaration, how it is packed if it is one number, its offset and the
    offset after it.
    """

    number: int
    pack_into: Callable[[bytearray, int, int], None] | None
    at: int
    end: int
    field: Field


@cache
def _fields(layout: Layout) -> dict[str, _Declared]:
    """Fields by member."""
    out = {}
    for name, (number, field) in layout.members.items():
        pack_into = (
            field.type.pack_into if isinstance(field.type, Number) and not field.dims and not field.signed else None
        )
        out[name] = _Declared(number, pack_into, field.at, field.at + field.type.width, field)
    return out


@cache
def _shared(layout: Layout) -> frozenset[str]:
    """Members whose bytes another field describes too; flags of one word do not count, each has its own bit."""
    owners: dict[int, list[Field]] = {}
    for field in layout.fields:
        for _, at in field.elements:
            for byte in range(at, at + field.type.width):
                owners.setdefault(byte, []).append(field)
    return frozenset(
        field.member
        for fields in owners.values()
        if len(fields) > 1 and not all(isinstance(field.type, Flag) for field in fields)
        for field in fields
    )


def _put(section: bytearray, field: Field, value: Any) -> None:
    """Write the values given for a field into a section, those elements that it holds."""
    width, size = field.type.width, len(section)
    for at, item in _given(field, value):
        if item is None or at + width > size:
            continue
        encoded = field.pack(item)
        if isinstance(field.type, Flag):
            encoded = bytes(a | b for a, b in zip(section[at : at + width], encoded, strict=True))
        section[at : at + width] = encoded


def typed(layout: Layout, section: bytes, *, level: int = 0) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Typed columns of one section and the rows of its child tables, by construct's own parse; the slow equivalent of
    `decoder.decode`.

    level: VVRRMM as a number (100000 = 10.0.0), which decides whether shifted times are corrected.
    """
    parsed = parse(layout, section)
    parent: dict[str, Any] = {}
    for field in layout.named:
        if field.child:
            continue
        values = _flatten(parsed[field.name]) if field.dims else [parsed[field.name]]
        for name, raw in zip(field.columns or (field.name,), values, strict=True):
            parent.update(typed_columns(field, name, raw if is_valid(layout, field, section) else None, level))
    children: dict[str, list[dict[str, Any]]] = {}
    for child in layout.children:
        fields = [field for field in layout.fields if field.child == child.name]
        parent[child.has] = any(field.elements[0][1] + field.type.width <= len(section) for field in fields)
        children[child.name] = list(_child_rows(child, fields, section, parsed, level))
    return parent, children


def is_valid(layout: Layout, field: Field, section: bytes) -> bool:
    """Whether the value of a field is valid in a section: its flag (`valid_when`) is on."""
    if not field.valid_when:
        return True
    flag = layout.members[field.valid_when][1]
    end = flag.at + flag.type.width
    return end <= len(section) and bool(raw_value(flag.type, section[flag.at : end]))


def _child_rows(
    child: Child, fields: list[Field], section: bytes, parsed: Mapping[str, Any], level: int
) -> Iterator[dict[str, Any]]:
    for part in dict.fromkeys(field.part for field in fields):
        group = [field for field in fields if field.part == part]
        leaves = {field.member: _flatten(parsed[field.member]) for field in group}
        for number, (index, _) in enumerate(group[0].elements):
            locations = [(field, field.elements[number][1]) for field in group]
            if not any(
                any(section[at : at + field.type.width])
                for field, at in locations
                if at + field.type.width <= len(section)
            ):
                continue
            row: dict[str, Any] = {child.part: part} if child.part else {}
            for key, i in zip(child.keys, index, strict=True):
                row[key.name] = i + 1
                if key.words:
                    row[key.name + "_name"] = key.words[i]
            for field, _ in locations:
                row.update(typed_columns(field, field.name, leaves[field.member][number], level))
            yield row


def _given(field: Field, value: Any) -> Iterable[tuple[int, Any]]:
    """(offset, value) of the values given for a field: all elements of an array, or a mapping from some element
    numbers.
    """
    if not field.dims:
        return ((field.at, value),)
    elements = field.elements
    numbered = value.items() if isinstance(value, Mapping) else enumerate(_flatten(value)[: len(elements)])
    return ((elements[number][1], item) for number, item in numbered)


def _flatten(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _flatten(item)] if isinstance(value, list | tuple) else [value]


def _nest(values: list[Any], counts: list[int]) -> Any:
    if len(counts) == 1:
        return construct.ListContainer(values)
    step = len(values) // counts[0]
    return construct.ListContainer(_nest(values[i * step : (i + 1) * step], counts[1:]) for i in range(counts[0]))
