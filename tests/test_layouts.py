"""Every layout: sizes, offsets, names, round trip, and that both decoders read arbitrary bytes alike."""

from __future__ import annotations

import ast
import csv
import dataclasses
import inspect
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqstat.base.errors import LayoutError
from mqstat.parsers import LAYOUTS, by_name
from mqstat.parsers.constructs import build, of_layout, parse, typed
from mqstat.parsers.decoder import decode_sections
from mqstat.parsers.kit import U16, Ebcdic, Field, Hex, Key, Layout, StckInterval, StckTime, Unused
from mqstat.parsers.tables import LINEAGE, tables
from tests.costs import cache
from tests.house import Checks

FOLDER = Path(__file__).parent.parent / "parsers" / "layouts"

EACH = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)

check = Checks()

HEADERS = {"qwhs", "qwhc", "qwhx"}
"""Structures inside the area of triplet 0, which no route leads to."""

COMMON_WORDS = {"get", "put", "keys", "items", "values", "update", "copy", "pop", "clear", "parse", "build"}
"""Names that would hide a method of a container or of construct."""

MARKS = [
    b"\0" * 8,
    b"\xff" * 8,
    b"\x7f" + b"\xff" * 7,
    b"\x80" + b"\0" * 7,
    b"\x8f" + b"\xff" * 3,
    b"\x0f" + b"\xff" * 3,
]
MARKS += [b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\xff\xff", b"\x40" * 8, b"\0\0\x12\x34\0\0\0\0"]
MARKS += [number.to_bytes(8, "big") for number in (17_592_186_040_320, 1_844_674_406_941_458_432, 1 << 32)]


# Strategies are made once: a new one is analysed by hypothesis at each draw, which takes longer than the draw.


@cache
def length_of(layout: Layout) -> st.SearchStrategy[int]:
    ends = sorted({end for field in layout.fields for end in (field.at, field.end)})
    return st.sampled_from([*layout.sizes, *ends]) | st.integers(0, layout.size + 8)


PATTERN = st.just(b"\0") | st.binary(min_size=1, max_size=48)
SPECIAL = st.sampled_from(MARKS) | st.binary(max_size=8)
LEVEL = st.sampled_from([0, 80_000, 90_405, 100_000, 100_001])


@cache
def special_values(length: int) -> st.SearchStrategy[list[tuple[int, bytes]]]:
    """Offsets in a section of this length, each with the bytes that it gets."""
    return st.lists(st.tuples(st.integers(0, length), SPECIAL))


@cache
def section(length: int) -> st.SearchStrategy[bytes]:
    """Arbitrary bytes of one length: a pattern all over, then special values here and there."""

    def made(pattern: bytes, values: list[tuple[int, bytes]]) -> bytes:
        out = bytearray((pattern * (length // len(pattern) + 1))[:length])
        for at, mark in values:
            out[at : at + len(mark)] = mark
        return bytes(out[:length])

    return st.builds(made, PATTERN, special_values(length))


@cache
def sections_of(length: int) -> st.SearchStrategy[list[bytes]]:
    """One to three sections of one length."""
    return st.lists(section(length), min_size=1, max_size=3)


@pytest.fixture(scope="session")
def published(dumps: Path) -> dict[str, list[dict[str, str]]]:
    """The published fields of each structure, from the tables next to the real dumps."""
    path = dumps.parent / "layouts" / "fields.csv"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    fields = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            fields[row["structure"]].append(row)
    return fields


@EACH
def test_a_layout_obeys_every_check(layout: Layout) -> None:
    """All checks run: whoever adds a layout sees at once all that is missing."""
    if bad := list(check.failures(layout)):
        pytest.fail("\n".join(bad), pytrace=False)


@check
def check_size_is_the_longest_published_one(layout: Layout) -> None:
    assert of_layout(layout).sizeof() == layout.size == max(layout.sizes), (
        f"parsers/layouts/{layout.name}.py: sizes must end with size"
    )
    assert list(layout.sizes) == sorted(set(layout.sizes)), f"parsers/layouts/{layout.name}.py: sort sizes, each once"


@check
def check_every_field_is_inside_and_no_byte_is_left_out(layout: Layout) -> None:
    covered = {at + i for field in layout.fields for _, at in field.elements for i in range(field.type.width)}
    differs = sorted(covered ^ set(range(layout.size)))
    assert not differs, (
        f"parsers/layouts/{layout.name}.py: correct the fields at bytes {differs}, or declare them as Unused"
    )


@check
def check_module_has_the_name_of_the_structure(layout: Layout) -> None:
    path = Path(__file__).parent.parent / "parsers" / "layouts" / f"{layout.name}.py"
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    begin = f'"""{layout.name.upper()} - '
    assert first.startswith(begin), f"parsers/layouts/{layout.name}.py: begin the docstring with {begin}"
    assert first.endswith("."), (
        f"parsers/layouts/{layout.name}.py: end the first line of the docstring with a full stop"
    )


@check
def check_only_header_structures_have_no_route(layout: Layout) -> None:
    assert bool(layout.routes) == (layout.name not in HEADERS), (
        f"parsers/layouts/{layout.name}.py: declare routes, except for headers"
    )


@check
def check_eye_catcher_is_declared_where_there_is_one(layout: Layout) -> None:
    fields = [field for field in layout.fields if field.name == "eyecatcher"]
    assert bool(layout.eyecatcher) == bool(fields), (
        f"parsers/layouts/{layout.name}.py: declare both eyecatcher and the field eyecatcher"
    )
    for field in fields:
        place = (4, len(layout.eyecatcher) or 4)
        assert (field.at, field.type.width) == place, (
            f"parsers/layouts/{layout.name}.py: the eye catcher has offset and length {place}"
        )


@check
def check_each_ibm_name_is_declared_once(layout: Layout) -> None:
    readings: dict[str, list[Field]] = defaultdict(list)
    for field in layout.named:
        readings[field.mnemonic].append(field)
    for mnemonic, fields in readings.items():
        kinds = [type(field.type) for field in fields]
        assert kinds in ([kinds[0]], [Hex, Ebcdic]), (
            f"parsers/layouts/{layout.name}.py: declare {mnemonic} once, or as Hex and Ebcdic"
        )


@check
def check_each_sentence_is_a_sentence(layout: Layout) -> None:
    sentences = [field.doc for field in layout.fields]
    sentences += [doc for child in layout.children for doc in (child.doc, *(key.doc for key in child.keys))]
    for sentence in sentences:
        assert sentence.endswith("."), f"parsers/layouts/{layout.name}.py: end with a full stop: {sentence}"
        assert sentence[0].isupper() or sentence[0].isdigit() or sentence.startswith("z/OS"), (
            f"parsers/layouts/{layout.name}.py: begin with a capital letter: {sentence}"
        )
        assert "peer" not in sentence, f"parsers/layouts/{layout.name}.py: name no other program: {sentence}"


@check
def check_names_have_their_unit(layout: Layout) -> None:
    for field in layout.named:
        for name in field.columns or (field.name,):
            where = f"parsers/layouts/{layout.name}.py, {name}"
            assert name not in COMMON_WORDS, (
                f"{where}: rename it, this word is a method of dictionaries or of construct"
            )
            if field.unit == "us":
                assert name.endswith("_us"), f"{where}: a field in microseconds ends with _us"
            if field.type is StckInterval:
                assert field.unit == "us", f"{where}: the unit of a StckInterval is us"
            if field.type is StckTime:
                end = "_utc" if field.unit == "ts_utc" else "_local"
                assert name.endswith(end), f"{where}: a clock of unit {field.unit} ends with {end}"


@check
def check_gate_is_a_flag_of_the_same_structure(layout: Layout) -> None:
    names = {field.name for field in layout.fields if field.kind in ("flag", "setting") and field.unit == "flag"}
    unknown = sorted({field.valid_when for field in layout.fields if field.valid_when} - names)
    assert not unknown, f"parsers/layouts/{layout.name}.py: valid_when must name a flag of the structure, not {unknown}"


@check
def check_keys_name_each_dimension(layout: Layout) -> None:
    for child in layout.children:
        for field in layout.fields:
            if field.child == child.name:
                counts = [count for count, _ in field.dims]
                assert [key.count for key in child.keys] == counts, (
                    f"parsers/layouts/{layout.name}.py: the keys of {child.name} must count {counts}, as {field.name} does"
                )
        assert all(len(key.words) in (0, key.count) for key in child.keys), (
            f"parsers/layouts/{layout.name}.py: give a word for every value of a key of {child.name}, or none"
        )


def test_one_name_means_one_thing_in_all_tables() -> None:
    uses: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for table, (_, columns) in tables().items():
        names = [column.name for column in columns]
        assert len(names) == len(set(names)), table
        for column in columns:
            uses[column.name].add((str(column.type), column.unit, column.kind))
    several = {name: use for name, use in uses.items() if len(use) > 1}
    assert not several, f"parsers/: give each of these names one type, unit and kind: {several}"


@check
def check_no_field_has_the_name_of_a_lineage_column(layout: Layout) -> None:
    lineage = {column.name for column in LINEAGE} | {"section_length", "date"}
    named = {name for field in layout.named for name in (field.name, *field.columns)}
    assert not named & lineage, (
        f"parsers/layouts/{layout.name}.py: rename {sorted(named & lineage)}, every table has such columns"
    )


def test_raw_columns_are_those_of_the_reference(expected: Path) -> None:
    seen = set()
    for path in sorted(expected.glob("*/*.csv")):
        if path.stem in LAYOUTS:
            with path.open(encoding="utf-8", newline="") as stream:
                header = next(csv.reader(stream))
            assert header == ["record", "section", *(name for name, _, _ in LAYOUTS[path.stem].raw_columns())], path
            seen.add(path.stem)
    assert len(seen) > 20


@EACH
def test_every_published_field_is_declared(layout: Layout, published: dict[str, list[dict[str, str]]]) -> None:
    declared = [(f.mnemonic.lower(), f.at, f.type.width, f.dims) for f in layout.fields]
    wanted = []
    for row in published[layout.name]:
        if not row["offset"].isdigit():
            continue  # a column that is derived, not a field
        dims = tuple(tuple(int(n) for n in dim.split("@")) for dim in row["array_dims"].split(";") if dim)
        unnamed = "filler" in row["field"].lower() or row["field"].startswith("z__")
        mnemonic = "" if unnamed else row["field"].lower()
        wanted.append((mnemonic, int(row["offset"]), int(row["length"]), dims))
    tail = [field for field in declared if field not in wanted]
    missing = [field for field in wanted if field not in declared]
    assert not missing, (
        f"parsers/layouts/{layout.name}.py: declare these published fields (name, offset, length, dims): {missing}"
    )
    assert [field for field in declared if field in wanted] == wanted, (
        f"parsers/layouts/{layout.name}.py: keep the published order"
    )
    unpublished = [mnemonic for mnemonic, *_ in tail if mnemonic]
    assert not unpublished, (
        f"parsers/layouts/{layout.name}.py: remove these fields, they are not published: {unpublished}"
    )


@EACH
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_both_decoders_read_arbitrary_bytes_alike(layout: Layout, data: st.DataObject) -> None:
    length = data.draw(length_of(layout))
    sections = data.draw(sections_of(length))
    level = data.draw(LEVEL)
    parents: list[dict[str, Any]] = []
    children: dict[str, list[dict[str, Any]]] = {child.name: [] for child in layout.children}
    for each in sections:
        parent, rows = typed(layout, each, level=level)
        parents.append(parent)
        for name, slow in rows.items():
            children[name] += slow
    assert decode_sections(layout, sections, level) == {layout.name: parents, **children}, (
        f"parsers/layouts/{layout.name}.py: parsers/decoder.py and parsers/constructs.py differ; correct the one that differs from parsers/meaning.py"
    )


@EACH
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_what_is_built_parses_back(layout: Layout, data: st.DataObject) -> None:
    length = min(data.draw(length_of(layout)), layout.size)
    parsed = parse(layout, data.draw(section(length)))
    built = build(layout, {**parsed, "section_bytes": length})
    assert len(built) == length, "parsers/constructs.py: build as many bytes as section_bytes gives"
    again = parse(layout, built)
    for field in layout.fields:
        if not any(field.mnemonic == f.mnemonic and f is not field and isinstance(f.type, Hex) for f in layout.fields):
            assert again[field.member] == parsed[field.member], (
                f"parsers/layouts/{layout.name}.py, {field.name}: pack of its type and construct's parse differ"
            )


@EACH
def test_data_dictionary_page(layout: Layout, golden: Callable[[str, str], None]) -> None:
    golden(f"layouts/{layout.name}.txt", page(layout))


def test_two_layouts_of_one_name_are_refused() -> None:
    with pytest.raises(LayoutError, match="two layouts have the name qpst"):
        by_name([LAYOUTS["qpst"], LAYOUTS["qpst"]])


def test_two_layouts_for_one_triplet_are_refused() -> None:
    number = Field("number", "x", 0, U16, "A number.")
    first, second = (Layout(name, "X", size=2, fields=(number,), routes=((115, 2, 1),)) for name in ("one", "two"))
    with pytest.raises(LayoutError, match="one and two both claim triplet 1 of SMF 115 subtype 2"):
        by_name([first, second])


def test_a_byte_that_is_not_described_is_refused() -> None:
    with pytest.raises(LayoutError, match="byte 2 is not described"):
        Layout("x", "X", size=4, fields=(Field("number", "x", 0, U16, "A number."),))


def test_a_field_outside_the_structure_is_refused() -> None:
    with pytest.raises(LayoutError, match=r"x\.number: ends at 5, the structure at 4"):
        Layout("x", "X", size=4, fields=(Unused(3, at=0), Field("number", "x", 3, U16, "A number.")))


def test_a_type_checker_knows_fields_and_layouts() -> None:
    """Each comment is an error of `make check` (unused ignore) if the class becomes a subclass of Any, as construct's
    classes are.
    """
    layout = LAYOUTS["qpst"]
    field = layout.fields[0]
    with pytest.raises(AttributeError):
        _ = layout.no_such_attribute  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        _ = field.no_such_attribute  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        _ = U16.no_such_attribute  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError):
        field.at = 1  # type: ignore[misc]


def page(layout: Layout) -> str:
    """What a structure is, then one line for each field with a name: those without fill the bytes between."""
    routes = ", ".join(f"{smf_type}.{subtype} triplet {triplet}" for smf_type, subtype, triplet in layout.routes)
    lines = [
        f"{layout.name}: {layout.title}",
        f"sizes {', '.join(str(size) for size in layout.sizes)}; {routes or 'no route'}"
        + (", repeated" if layout.repeats else "")
        + (f"; eye catcher {layout.eyecatcher}" if layout.eyecatcher else ""),
    ]
    for child in layout.children:
        part = f"{child.part} (text): {child.part_doc} " if child.part else ""
        lines.append(f"{child.name}: {child.doc} {part}{' '.join(key_line(key) for key in child.keys)} ({child.has})")
    rows: list[tuple[str, ...]] = [
        ("offset", "length", "type", "dims", "mnemonic", "name", "unit", "kind", "since", "doc")
    ]
    rows += [field_line(field) for field in layout.named]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines.append("")
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines) + "\n"


def key_line(key: Key) -> str:
    words = f" ({', '.join(word or '-' for word in key.words)})" if key.words else ""
    return f"{key.name} 1-{key.count}{words}: {key.doc}"


def field_line(field: Field) -> tuple[str, ...]:
    notes = [
        f"{what} {value}"
        for what, value in (
            ("null when", field.never_set),
            ("no limit when", field.no_limit),
            ("valid when", field.valid_when or None),
            ("in table", field.child or None),
            ("part", field.part or None),
            ("words", ", ".join(f"{n}={word}" for n, word in field.codes.items()) if field.codes else None),
        )
        if value is not None
    ]
    notes += [word for word, on in (("null when negative", field.never_negative), ("shifted", field.shifted)) if on]
    return (
        str(field.at),
        str(field.type.width),
        f"{field.type.ctype} {field.type.mask:X}" if hasattr(field.type, "mask") else field.type.ctype,
        "; ".join(f"{count}@{stride}" for count, stride in field.dims),
        field.mnemonic,
        ", ".join(field.columns) or field.name,
        field.unit,
        field.kind,
        field.since,
        field.doc + (f" [{'; '.join(notes)}]" if notes else ""),
    )


DEFAULTS = {name: parameter.default for name, parameter in inspect.signature(Field).parameters.items()}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_a_field_is_one_line_without_what_equals_the_default(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Field"):
            continue
        where = f"{path.name}, line {node.lineno}"
        assert node.lineno == node.end_lineno, f"{where}: write the field on one line"
        assert len(node.args) == 5, (
            f"{where}: name, mnemonic, offset, type and sentence come first, without their names"
        )
        for keyword in node.keywords:
            default = isinstance(keyword.value, ast.Constant) and keyword.value.value == DEFAULTS[keyword.arg or ""]
            assert not default, f"{where}: leave {keyword.arg} out, it is the default"
