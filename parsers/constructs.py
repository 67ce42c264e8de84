"""construct implementation of the layouts: parse and build of one section, and the reference decoder for tests of the vectorised one.

This is the only module that imports construct. Nothing here is fast; fixtures, tests and `mqstat trace` use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import construct

from mqstat.errors import LayoutError
from mqstat.parsers.kit import Child, Ebcdic, Field, Flag, Hex, Layout, Type
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
    """The construct of a layout: a container of raw values by `Field.member`, with None for what a short section does not hold.

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
        out = construct.Container()
        for field in self.layout.fields:
            width = field.type.width
            values = [
                of_type(field.type).parse(section[at : at + width]) if at + width <= len(section) else None
                for _, at in field.elements
            ]
            out[field.member] = _nest(values, [count for count, _ in field.dims]) if field.dims else values[0]
        return out

    def _build(self, obj: Any, stream: Any, context: Any, path: Any) -> Any:
        values = dict(obj)
        section = bytearray(values.pop("section_bytes", self.layout.size))
        unknown = sorted(set(values) - self.layout.members.keys())
        if unknown:
            raise LayoutError(f"{self.layout.name}: no field {', '.join(unknown)}")
        # If two fields describe the same bytes, the first one declared wins.
        given = sorted(
            ((*self.layout.members[name], value) for name, value in values.items()), key=_number, reverse=True
        )
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
        return self.layout.size


def raw_value(kind: Type, content: bytes) -> Any:
    """The raw value of one element of a field: a number, or a text."""
    return of_type(kind).parse(content)


def parse(layout: Layout, section: bytes) -> dict[str, Any]:
    """The raw values of a section by `Field.member`, nested lists for arrays."""
    return dict(of_layout(layout).parse(section))


def build(layout: Layout, values: Mapping[str, Any]) -> bytes:
    """The bytes of a section from raw values by `Field.member`; LayoutError for a name that is not one, or a number that does not fit."""
    return bytes(of_layout(layout).build(values))


def typed(layout: Layout, section: bytes, *, level: int = 0) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Typed columns of one section and the rows of its child tables, by construct's own parse; the slow equivalent of `decoder.decode`.

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


def _number(given: tuple[int, Field, Any]) -> int:
    return given[0]


def _numbered(field: Field, value: Any) -> Iterable[tuple[int, Any]]:
    """(number of an element, its value) of the values given for a field: all elements of an array, or a mapping from some element numbers."""
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
