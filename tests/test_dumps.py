"""Real dumps: the raw view is the reference values byte for byte, and every typed value is its raw value through the
declared conversion.

The second is computed here from the text of the raw view and the declaration of the field alone; nothing of the
decoder's own conversion is used.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mqstat.intake import raw
from mqstat.parsers import LAYOUTS
from mqstat.parsers.kit import Ebcdic, Field, Flag, Hex, Layout, StckInterval, StckTime
from tests.costs import cache
from tests.support import Tables, decode_file, microseconds, source_of

Row = dict[str, str]

TO_1970 = 2_208_988_800_000_000
"""Microseconds from 1900 to 1970."""


@cache
def typed(dump: Path) -> Tables:
    """Every typed table of a dump."""
    return decode_file(dump)[0]


@cache
def raw_rows(dump: Path, name: str) -> list[Row]:
    """The raw view of one structure, read back from its text."""
    stream = io.StringIO()
    raw.write_structure(source_of(dump), name, stream)
    return list(csv.DictReader(io.StringIO(stream.getvalue())))


# --------------------------------------------------------------------------------------------------------- the raw view


def test_the_raw_view_is_the_reference_byte_for_byte(
    dump: Path, expected: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if not (expected / dump.stem).is_dir():
        pytest.skip(f"MQSTAT_EXPECTED has no reference values for {dump.stem}")
    counts = raw.write_all(source_of(dump), tmp_path)
    want = {path.name: path.read_bytes() for path in (expected / dump.stem).iterdir()}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(want)
    cells = 0
    for name, content in want.items():
        got = (tmp_path / name).read_bytes()
        assert got == content, f"{dump.stem}/{name} differs"
        rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))
        cells += sum(map(len, rows[1:]))
        assert name == "counts.csv" or counts[name.removesuffix(".csv")] == len(rows) - 1
    record_property("raw cells compared with the reference", cells)


# ------------------------------------------------------------------------------- typed = declared conversion of the raw


def converted(field: Field, text: str, level: int) -> dict[str, Any]:
    """The values of a raw value according to the declaration of its field: suffix of the column -> value, clocks as
    microseconds.
    """
    kind = field.type
    if isinstance(kind, Hex):
        return {"": text or None}
    if isinstance(kind, Ebcdic):
        return {"": text or None}
    if text == "":
        suffixes = ["_raw_us", "_shifted"] if field.shifted else ["_code"] if field.codes is not None else []
        return dict.fromkeys(["", *suffixes, *(["_no_limit"] if field.no_limit is not None else [])])
    value = int(text)
    if isinstance(kind, Flag):
        return {"": value == 1}
    if field.codes is not None:
        return {"": field.codes.get(value), "_code": None if value == field.never_set else value}
    if kind is StckTime:
        since = value // 4096 - TO_1970
        return {"": since if value and since >= 0 else None}
    if field.shifted:
        moved = level == 100_000 and value > 2**32 and value % 2**32 == 0
        us = value // 4096
        return {"": us // 2**32 if moved else us, "_raw_us": us, "_shifted": moved}
    if kind is StckInterval:
        return {"": value // 4096}
    missing = value in (field.never_set, field.no_limit)
    missing = missing or (field.highest is not None and abs(value) > field.highest)
    missing = missing or (field.never_negative and value < 0)
    out: dict[str, Any] = {"": None if missing else value}
    if field.no_limit is not None:
        out["_no_limit"] = value == field.no_limit
    return out


def columns_for(field: Field, name: str, cells: list[str], levels: list[int]) -> dict[str, list[Any]]:
    """Typed columns of one field (or element) from its raw texts."""
    out: dict[str, list[Any]] = defaultdict(list)
    for text, level in zip(cells, levels, strict=True):
        for suffix, value in converted(field, text, level).items():
            stem = name if suffix in ("", "_code", "_no_limit") else name.removesuffix("_us")
            out[stem + suffix].append(value)
    return out


def values_of(table: pa.Table, name: str) -> list[Any]:
    column = table[name]
    return microseconds(column) if pa.types.is_timestamp(column.type) else list(column.to_pylist())


def raw_cells(layout: Layout, field: Field, header: str, rows: list[Row]) -> list[str]:
    """The raw texts of a field; a second reading of the same bytes (thread reference) is worked out from the first."""
    texts = [row[header] for row in rows]
    shown = next(f for f in layout.named if f.mnemonic == field.mnemonic)
    if shown is field:
        return texts
    assert isinstance(shown.type, Hex)
    assert isinstance(field.type, Ebcdic)
    return [bytes.fromhex(text).decode("cp037").rstrip(" \0") for text in texts]


def levels_by_record(dump: Path) -> dict[int, int]:
    """Level of each record as VVRRMM from the raw record rows."""
    out = {}
    for row in raw_rows(dump, "record"):
        text = row["qwhxrel"] or "".join(f"{int(digit):02d}" for digit in row["release"])
        out[int(row["record"])] = int(text or 0)
    return out


def mismatches(where: str, got: list[Any], want: list[Any]) -> list[str]:
    bad = [i for i, (a, b) in enumerate(zip(got, want, strict=True)) if a != b or type(a) is not type(b)]
    return [f"{where}: row {i}: {got[i]!r} for {want[i]!r}" for i in bad[:2]]


def present(dump: Path) -> list[Layout]:
    return [layout for layout in LAYOUTS.values() if raw_rows(dump, layout.name)]


def test_every_typed_value_is_its_raw_value_converted(
    dump: Path, record_property: Callable[[str, object], None]
) -> None:
    tables, levels = typed(dump), levels_by_record(dump)
    bad: list[str] = []
    cells = 0
    for layout in present(dump):
        rows = raw_rows(dump, layout.name)
        table = tables[layout.name].sort_by([("record_id", "ascending"), ("section", "ascending")])
        if layout.slots:  # the raw view has a row per slot, the parent one per section
            first = {row["record"]: row for row in reversed(rows)}
            rows = [first[str(record)] for record in table["record_id"].to_pylist() if str(record) in first]
            table = table.filter(pa.array([str(record) in first for record in table["record_id"].to_pylist()]))
        else:
            assert table["section"].to_pylist() == [int(row["section"]) for row in rows], layout.name
        assert table["record_id"].to_pylist() == [int(row["record"]) for row in rows], layout.name
        mine = [levels[int(row["record"])] for row in rows]
        done = set()
        for field in layout.named:
            if field.child:
                continue
            for name, (index, _) in zip(field.columns or (field.name,), field.elements, strict=True):
                header = field.mnemonic + "".join(f"[{i}]" for i in index)
                texts = raw_cells(layout, field, header, rows)
                made = columns_for(field, name, texts, mine)
                if field.valid_when:
                    gate = next(f for f in layout.named if f.name == field.valid_when)
                    on = [row[gate.mnemonic] == "1" for row in rows]
                    made = {c: [v if ok else None for v, ok in zip(vs, on, strict=True)] for c, vs in made.items()}
                for column, want in made.items():
                    bad += mismatches(f"{layout.name}.{column}", values_of(table, column), want)
                    cells += len(want)
                    done.add(column)
        own = set(table.column_names) - {child.has for child in layout.children}
        lineage = {c for c in tables["qwhs"].column_names if c not in {f.name for f in LAYOUTS["qwhs"].named}}
        assert own - done <= lineage | {"date"}, f"{layout.name}: not compared: {sorted(own - done - lineage)}"
    assert not bad, "\n".join(bad[:20])
    record_property("typed values compared with raw values", cells)


def child_rows(layout: Layout, child: str, row: Row, level: int) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Rows of a child table that one raw row means: keys (part, indices from 1) -> columns, elements without any
    content left out.
    """
    fields = [f for f in layout.fields if f.child == child]
    out: dict[tuple[Any, ...], dict[str, Any]] = {}
    for part in dict.fromkeys(f.part for f in fields):
        group = [f for f in fields if f.part == part]
        elements = [(int(row["section"]),)] if layout.slots == child else [index for index, _ in group[0].elements]
        for index in elements:
            ending = "" if layout.slots == child else "".join(f"[{i}]" for i in index)
            texts = {f.name: row[f.mnemonic + ending] for f in group}
            if all(text in ("", "0") for text in texts.values()):
                continue
            values: dict[str, Any] = {}
            for f in group:
                values |= {c: v[0] for c, v in columns_for(f, f.name, [texts[f.name]], [level]).items()}
            out[(*((part,) if part else ()), *(i + 1 for i in index))] = values
    return out


def test_every_child_row_is_an_element_of_the_raw_view(
    dump: Path, record_property: Callable[[str, object], None]
) -> None:
    tables, levels = typed(dump), levels_by_record(dump)
    cells = 0
    for layout in present(dump):
        for child in layout.children:
            want: dict[tuple[Any, ...], dict[str, Any]] = {}
            for row in raw_rows(dump, layout.name):
                section = 0 if layout.slots == child.name else int(row["section"])
                for element, values in child_rows(layout, child.name, row, levels[int(row["record"])]).items():
                    want[(int(row["record"]), section, *element)] = values
            table = tables.get(child.name)
            if table is None:
                assert not want, f"{child.name} has no rows"
                continue
            names = ["record_id", "section", *([child.part] if child.part else []), *(key.name for key in child.keys)]
            keys = list(zip(*(table[name].to_pylist() for name in names), strict=True))
            assert len(set(keys)) == len(keys)
            fields = list(dict.fromkeys(c for values in want.values() for c in values))
            columns = {name: values_of(table, name) for name in fields}
            extra = [i for i, key in enumerate(keys) if key not in want]
            # Blank text is content in bytes but not in the raw view: such an element has a row without values.
            assert all(not columns[name][i] for i in extra for name in fields), child.name
            assert set(want) <= set(keys), f"{child.name}: {sorted(set(want) - set(keys))[:3]}"
            at = {key: i for i, key in enumerate(keys)}
            for key, values in want.items():
                got = {name: columns[name][at[key]] for name in values}
                assert got == values, (child.name, key)
                cells += len(values)
    record_property("values of child rows compared with raw values", cells)


# ----------------------------------------------------------------------------------- lineage, levels, clocks, intervals


def header_us(row: Row) -> int:
    """Local header time of a raw record row in microseconds since 1970."""
    digits = row["smf_date"]
    year, day = 1900 + 100 * int(digits[1]) + int(digits[2:4]), int(digits[4:7])
    days = (year - 1970) * 365 + (year - 1969) // 4 + day - 1  # right from 1970 to 2099
    return days * 86_400_000_000 + int(row["smf_time"]) * 10_000


def test_every_record_leads_back_to_the_dump(dump: Path) -> None:
    table = typed(dump)["record"].sort_by("record_id")
    rows = [row for row in raw_rows(dump, "record") if row["smf_type"] in ("115", "116")]
    assert table["record_id"].to_pylist() == [int(row["record"]) for row in rows]
    assert table["record_number"].to_pylist() == table["record_id"].to_pylist()
    for column, name in (
        ("source_offset", "offset"),
        ("record_bytes", "length"),
        ("segments", "segments"),
        ("subtype", "subtype"),
    ):
        assert table[column].to_pylist() == [int(row[name]) for row in rows], column
    for column, name in (("lpar", "lpar"), ("qmgr", "qmgr"), ("header_release", "release"), ("qsg", "qwhxqsg")):
        assert table[column].to_pylist() == [row[name] or None for row in rows], column
    levels = levels_by_record(dump)
    want = [levels[int(row["record"])] for row in rows]
    assert table["mq_version"].to_pylist() == [f"{v // 10_000}.{v // 100 % 100}.{v % 100}" for v in want]
    assert microseconds(table["written_local"]) == [header_us(row) for row in rows]
    assert len(set(table["record_hash"].to_pylist())) == len(rows)


OFFSETS = {"H019": -360, "MPX1": -240, "MV4A": 60}


def test_gmt_offsets(dump: Path) -> None:
    table = typed(dump)["record"]
    seen = set(zip(table["lpar"].to_pylist(), table["gmt_offset_minutes"].to_pylist(), strict=True))
    assert len(seen) == len({lpar for lpar, _ in seen}), "every record of a system has the same offset"
    assert all(minutes == OFFSETS.get(lpar, minutes) and minutes is not None for lpar, minutes in seen)


def test_statistics_intervals_end_when_the_record_was_written(dump: Path) -> None:
    """Both scales of QWHSDURN: start and length add up to the header time within 10 ms, under one scale only."""
    table = typed(dump)["record"].sort_by("record_id")
    raws = {int(row["record"]): row for row in raw_rows(dump, "record")}
    start, length = microseconds(table["interval_start_local"]), table["interval_us"].to_pylist()
    kinds = table["record_class"].to_pylist()
    written = microseconds(table["written_local"])
    utc, end = microseconds(table["interval_start_utc"]), microseconds(table["interval_end_utc"])
    offset = table["gmt_offset_minutes"].to_pylist()
    checked: Counter[str] = Counter()
    for i, number in enumerate(table["record_id"].to_pylist()):
        row = raws[number]
        if not row["qwhsdurn"]:
            continue
        scale = 4096 if kinds[i] in ("115.231", "116.10") else 1
        assert length[i] == int(row["qwhsdurn"]) // scale, kinds[i]
        assert start[i] == int(row["qwhstime"]) // 4096 - TO_1970
        assert abs(start[i] + length[i] - written[i]) <= 10_000, (number, kinds[i])
        assert utc[i] == start[i] - offset[i] * 60_000_000
        assert end[i] == utc[i] + length[i]
        checked[kinds[i]] += 1
    assert checked or "115" not in {kind.split(".")[0] for kind in kinds}


def joined_interval(row: Row, rows: list[Row]) -> tuple[int, int] | None:
    """Start (local) and length of the interval of a record without one: the 115.1, else 115.2, of its queue manager
    that ends within a second.
    """
    for subtype in ("1", "2"):
        best: list[tuple[int, int, int]] = []
        for other in rows:
            if (other["smf_type"], other["subtype"], other["lpar"], other["qmgr"]) == (
                "115",
                subtype,
                row["lpar"],
                row["qmgr"],
            ):
                start, length = int(other["qwhstime"]) // 4096 - TO_1970, int(other["qwhsdurn"])
                away = abs(start + length - header_us(row))
                if away <= 1_000_000:
                    best.append((away, start, length))
        if best:
            return min(best)[1:]
    return None


def test_storage_records_have_the_interval_of_their_115_1(
    dump: Path, record_property: Callable[[str, object], None]
) -> None:
    rows = [row for row in raw_rows(dump, "record") if row["smf_type"] == "115"]
    storage = {int(row["record"]): row for row in rows if row["subtype"] in ("5", "6", "7")}
    matched = 0
    for name in ("qsph", "qsgm", "qsrs"):
        if name not in typed(dump):
            continue
        table = typed(dump)[name]
        start, length = microseconds(table["interval_start_local"]), table["interval_us"].to_pylist()
        for i, number in enumerate(table["record_id"].to_pylist()):
            want = joined_interval(storage[number], rows)
            assert (start[i], length[i]) == (want or (None, None)), (name, number)
            matched += want is not None
    assert bool(matched) == bool(storage)
    record_property("rows of 115.5, 6 and 7 with the interval of their 115.1", matched)


def test_accounting_intervals_are_those_of_their_blocks(dump: Path) -> None:
    """116.0 from QWAC, 116.1 from WTAS; every row of such a record has them."""
    want: dict[int, tuple[int | None, int | None]] = {}
    for name, begin, end in (("qwac", "qwacbsc", "qwacesc"), ("wtas", "wtasints", "wtasinte")):
        for row in raw_rows(dump, name):
            start, stop = (int(row[c]) // 4096 - TO_1970 if int(row[c]) else None for c in (begin, end))
            sound = start is not None and stop is not None and stop >= start
            want[int(row["record"])] = (
                start,
                stop - start if sound and start is not None and stop is not None else None,
            )
    for name, table in typed(dump).items():
        if name in ("wtid", "wtas", "wq", "qwac", "qmac", "qwhc", "wtas_latch", "wq_cf"):
            starts, lengths = microseconds(table["interval_start_utc"]), table["interval_us"].to_pylist()
            for i, number in enumerate(table["record_id"].to_pylist()):
                assert (starts[i], lengths[i]) == want[number], (name, number)


@pytest.mark.parametrize("name", [layout.name for layout in LAYOUTS.values()])
def test_structures_without_a_sample_are_named(name: str, dumps: Path) -> None:
    """Of which structures the real dumps prove nothing; those are tested with built records only."""
    seen = any(raw_rows(dump, name) for dump in sorted(dumps.glob("*.dat")))
    assert seen or name in {"qqst", "qct_ssl"}
