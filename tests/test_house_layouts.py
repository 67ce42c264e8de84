"""The rules of the house for layouts: documentation, published sizes, and two decoders that agree (1, 2, 3 of
tests/test_house.py).
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from collections import defaultdict
from typing import Any

import pytest

from mqstat.parsers import LAYOUTS
from mqstat.parsers.constructs import typed
from mqstat.parsers.decoder import decode_sections
from mqstat.parsers.kit import Flag, Layout, Unused
from tests.house import (
    Checks,
    cure,
    is_sentence,
)

check = Checks()
each_layout = pytest.mark.parametrize("layout", list(LAYOUTS.values()), ids=list(LAYOUTS))


@each_layout
def test_1_and_2_a_layout_obeys_the_rules_of_the_house(layout: Layout) -> None:
    """Every function here that is marked `check`: whoever adds a layout sees at once all that is missing."""
    if bad := list(check.failures(layout)):
        pytest.fail("\n".join(bad), pytrace=False)


@check
def check_1_layouts_are_documented(layout: Layout) -> None:
    assert layout.title.strip(), f"parsers/layouts/{layout.name}.py: give the layout a title"
    bad = [f"{field.name}: {field.doc!r}" for field in layout.named if not is_sentence(field.doc)]
    bad += [f"{child.name}: {child.doc!r}" for child in layout.children if not is_sentence(child.doc)]
    bad += [
        f"{child.name}.{key.name}: {key.doc!r}"
        for child in layout.children
        for key in child.keys
        if not is_sentence(key.doc)
    ]
    assert not bad, cure(
        f"parsers/layouts/{layout.name}.py: end these descriptions with a full stop or question mark", bad
    )


@check
def check_1_layout_files_state_where_and_how_long(layout: Layout) -> None:
    doc = layout_doc(layout)
    for heading in ("Where:", "Manual:", "Size:"):
        assert re.search(rf"^{heading}", doc, re.MULTILINE), (
            f"parsers/layouts/{layout.name}.py: add a line {heading} to the docstring"
        )


def layout_doc(layout: Layout) -> str:
    """The docstring of the file that declares a layout."""
    return inspect.getdoc(importlib.import_module(f"mqstat.parsers.layouts.{layout.name}")) or ""


# ---------------------------------------------------------------------------------------------------- 2 published sizes


@check
def check_2_size_is_the_published_one(layout: Layout) -> None:
    sizes = [int(number) for number in re.findall(r"\b\d{1,5}\b", layout_doc(layout).partition("Size:")[2])]
    assert layout.size == max(layout.sizes), (
        f"parsers/layouts/{layout.name}.py: sizes must end with the size that the fields fill, {layout.size}"
    )
    assert set(layout.sizes) <= set(sizes), (
        f"parsers/layouts/{layout.name}.py: name all of {layout.sizes} in the line Size: of the docstring, which has {sizes}"
    )


@check
def check_2_every_byte_has_one_meaning(layout: Layout) -> None:
    """Fields lie inside the structure, cover it, and overlap only where one is another reading of the same bytes."""
    owner: dict[int, Any] = {}
    for field in layout.fields:
        for _, at in field.elements:
            inside = at >= 0 and at + field.type.width <= layout.size
            assert inside, (
                f"parsers/layouts/{layout.name}.py: correct the offset of {field.name}, it lies outside of the structure"
            )
            for byte in range(at, at + field.type.width):
                other = owner.setdefault(byte, field)
                shared = (
                    other is field
                    or (isinstance(field.type, Flag) and isinstance(other.type, Flag))
                    or other.mnemonic == field.mnemonic
                )
                alias = not isinstance(field, Unused) and not isinstance(other, Unused)
                assert shared or alias, (
                    f"parsers/layouts/{layout.name}.py: {field.name} and {other.name} both describe byte {byte}; correct an offset or a type"
                )
    gaps = sorted(set(range(layout.size)) - owner.keys())
    assert not gaps, cure(
        f"parsers/layouts/{layout.name}.py: describe these bytes, as unused if nothing is known", gaps
    )


@check
def check_2_names_are_unique(layout: Layout) -> None:
    names = [
        name
        for field in layout.named
        for name in (field.columns or ((f"{field.child}.{field.part}." if field.child else "") + field.name,))
    ]
    twice = sorted({name for name in names if names.count(name) > 1})
    assert not twice, cure(f"parsers/layouts/{layout.name}.py: rename these fields, each is declared twice", twice)


def test_2_no_route_is_claimed_twice() -> None:
    claimed: dict[tuple[int, int, int], list[str]] = defaultdict(list)
    for layout in LAYOUTS.values():
        for route in layout.routes:
            claimed[route].append(layout.name)
    twice = {route: names for route, names in claimed.items() if len(names) > 1}
    assert not twice, cure("parsers/layouts: leave each of these routes to one layout", twice.items())


# ------------------------------------------------------------------------------------------------- 3 two decoders agree


PATTERNS = [bytes([value]) for value in (0x00, 0x01, 0x40, 0x7F, 0x80, 0x8F, 0xC1, 0xFF)] + [
    bytes(range(256)),
    bytes(range(255, -1, -1)),
]


@each_layout
def test_3_both_decoders_agree(layout: Layout) -> None:
    """Patterns that are the edges of each type, at each published size; tests/test_layouts.py adds arbitrary bytes of
    any length.
    """
    for size in layout.sizes:
        sections = [(pattern * (size // len(pattern) + 1))[:size] for pattern in PATTERNS]
        for level in (0, 80000, 90300, 100000):
            parents: list[dict[str, Any]] = []
            children: dict[str, list[dict[str, Any]]] = {child.name: [] for child in layout.children}
            for section in sections:
                parent, rows = typed(layout, section, level=level)
                parents.append(parent)
                for name, own in rows.items():
                    children[name] += own
            quick = decode_sections(layout, sections, level)
            assert quick == {layout.name: parents, **children}, (
                f"parsers/layouts/{layout.name}.py: parsers/decoder.py and parsers/constructs.py differ on {size} bytes at level "
                f"{level}; correct the one that differs from parsers/meaning.py"
            )
